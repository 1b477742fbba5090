"""Events as lines of text for a person who watches without the terminal interface."""

from __future__ import annotations

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
    TurnFinished,
    TurnStarted,
    UserSaid,
)
from assistant.records import describe

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
            return f"› {said}" + (" (continued)" if continued else "")
        case ActionChosen(step=step, action=action):
            return f"{step:>4} ▸ {describe(action)}"
        case StepFinished(step=step, error=error, seconds=seconds, source=source):
            mark = f"✗ {error}" if error else "✓"
            return f"{step:>4} {mark}  {source}  {seconds:.1f} s"
        case ReplyMalformed(reason=reason, attempt=attempt):
            return f"     reply {attempt} not understood: {reason}"
        case ModelRetrying(reason=reason, delay=delay):
            return f"     model: {reason} Trying again in {delay:.0f} s."
        case ApprovalRequested(kind=kind, action=action, sentence=sentence):
            return f"     needs your yes ({kind}): {describe(action)}. {sentence}".rstrip()
        case QuestionAsked(question=question, choices=choices):
            return f"     asks: {question}" + (f"  perhaps {', '.join(choices)}" if choices else "")
        case UserSaid(text=text):
            return f"     you: {text}"
        case PhoneStateChanged(sentence=sentence):
            return f"     phone: {sentence}"
        case StateChanged(cause=cause, sentence=sentence) if sentence and cause in _WORTH_TELLING:
            return f"     {sentence}"
        case TurnFinished(outcome=outcome, answer=answer, steps=steps, seconds=seconds, usage=usage):
            words = f"{outcome}: {answer}" if answer else outcome.value
            return f"{words}  ({steps} steps, {seconds:.1f} s, {usage.total_tokens} tokens)"
        case _:
            return _understood_line(event)


def _understood_line(event: Event) -> str:
    """A line about how the command was understood."""
    match event:
        case ElementRecalled(element=element, value=value, source=source, why=why):
            return f"     {element} → {value}  {source}" + (f" · {why}" if why else "")
        case ElementUnknown(element=element, on_phone=True):
            return f"     {element} → as on the phone"
        case ElementUnknown(element=element, candidates=candidates):
            return f"     {element} → ?" + (f"  perhaps {', '.join(candidates)}" if candidates else "")
        case ErrandStarted(element=element, app=app):
            return f"     looks in {app} for {element}"
        case ErrandStepped(action=action, error=error, seconds=seconds):
            return f"     · {describe(action)}  {'✗ ' + error if error else '✓'}  {seconds:.1f} s"
        case ElementExplored(element=element, app=app, value=value):
            return f"     {app}: {element} → {value}" if value else f"     {app}: nothing about {element}"
        case InstructionCompleted(instruction=instruction):
            return f"   ⇒ {instruction}"
        case _:
            return ""
