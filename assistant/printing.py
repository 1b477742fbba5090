"""Events as lines of text for a person who watches without the terminal interface."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.events import (
    ActionChosen,
    ApprovalRequested,
    Cause,
    ElementExplored,
    ElementRecalled,
    ElementUnknown,
    ErrandStarted,
    ErrandStepped,
    Event,
    InstructionCompleted,
    ModelRetrying,
    PhoneStateChanged,
    QuestionAsked,
    ReplyMalformed,
    StateChanged,
    StepFinished,
    StepRetold,
    SuggestionTaken,
    TurnFinished,
    TurnStarted,
    UserSaid,
    WordsRetold,
)
from assistant.i18n import _
from assistant.phone.errors import refusal_words
from assistant.records import shown

_WORTH_TELLING = (
    Cause.PHONE,
    Cause.MODEL,
    Cause.HANDED_OVER,
    Cause.USER_PAUSED,
    Cause.TOUCHED,
    Cause.CALL,
    Cause.LOOP,
)


def line_of(event: Event) -> str:
    """One line for an event, or an empty string where a person need not read it."""
    match event:
        case TurnStarted(said=said, continued=continued):
            return f"› {said}" + (" " + _("(continued)") if continued else "")
        case ActionChosen(step=step, action=action):
            return f"{step:>4} ▸ {shown(action, _)}"
        case StepFinished(step=step, error=error, seconds=seconds, source=source):
            mark = f"✗ {refusal_words(error)}" if error else "✓"
            return f"{step:>4} {mark}  {_(source)}  {seconds:.1f} s"
        case ReplyMalformed(reason=reason, attempt=attempt):
            return "     " + _("reply {attempt} not understood: {reason}").format(
                attempt=attempt, reason=_(reason)
            )
        case ModelRetrying(reason=reason, delay=delay):
            return "     " + _("model: {reason} Trying again in {delay:.0f} s.").format(
                reason=reason, delay=delay
            )
        case ApprovalRequested(kind=kind, action=action, sentence=sentence):
            needed = _("needs your yes ({kind}): {action}. {sentence}")
            told = needed.format(kind=_(kind), action=shown(action, _), sentence=sentence)
            return f"     {told.rstrip()}"
        case QuestionAsked(question=question, choices=choices):
            asked = "     " + _("asks: {question}").format(question=question)
            return f"{asked}  {_perhaps(choices)}".rstrip()
        case UserSaid(text=text):
            return "     " + _("you: {text}").format(text=text)
        case PhoneStateChanged(sentence=sentence):
            return "     " + _("phone: {sentence}").format(sentence=sentence)
        case StateChanged(cause=cause, sentence=sentence) if sentence and cause in _WORTH_TELLING:
            return f"     {sentence}"
        case TurnFinished():
            return _end_line(event)
        case _:
            return _retold_line(event) or _understood_line(event)


def _retold_line(event: Event) -> str:
    """A line about what a turn that goes on had done and heard before."""
    match event:
        case StepRetold(step=step, action=action, error=error):
            mark = f"✗ {refusal_words(error)}" if error else "✓"
            return f"{step:>4} {mark}  {shown(action, _)}  {_('done before')}"
        case WordsRetold(text=text):
            return "     " + _("you: {text}").format(text=text)
        case _:
            return ""


def _end_line(event: TurnFinished) -> str:
    words = _(event.outcome.value)
    if event.answer:
        words = _("{outcome}: {answer}").format(outcome=words, answer=event.answer)
    return _("{words}  ({steps} steps, {seconds:.1f} s, {tokens} tokens)").format(
        words=words, steps=event.steps, seconds=event.seconds, tokens=event.usage.total_tokens
    )


def _understood_line(event: Event) -> str:
    """A line about how the command was understood."""
    match event:
        case ElementRecalled(element=element, value=value, source=source, why=why):
            return f"     {element} → {value}  {_(source)}" + (f" · {why}" if why else "")
        case ElementUnknown(element=element, on_phone=True):
            return "     " + _("{element} → as on the phone").format(element=element)
        case ElementUnknown(element=element, candidates=candidates):
            return f"     {element} → ?  {_perhaps(candidates)}".rstrip()
        case ErrandStarted(element=element, app=app):
            return "     " + _("looks in {app} for {element}").format(app=app, element=element)
        case ErrandStepped(action=action, error=error, seconds=seconds):
            mark = f"✗ {refusal_words(error)}" if error else "✓"
            return f"     · {shown(action, _)}  {mark}  {seconds:.1f} s"
        case ElementExplored(element=element, app=app, value=value):
            return (
                f"     {app}: {element} → {value}"
                if value
                else "     " + _("{app}: nothing about {element}").format(app=app, element=element)
            )
        case SuggestionTaken(why=why) if why:
            return "     " + _("suggested: {why}").format(why="; ".join(why))
        case InstructionCompleted(instruction=instruction):
            return "   " + _("Task: ") + instruction
        case _:
            return ""


def _perhaps(likely: Sequence[str]) -> str:
    return _("perhaps {likely}").format(likely=", ".join(likely)) if likely else ""
