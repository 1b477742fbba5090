"""Events as lines of text, the lines that are typed, and the words that a session in lines understands.

`format_spoken_line` is for the session in lines, which a screen reader may read aloud: words instead of
signs, and text from outside made safe. `format_line` is for `assistant run`, which only prints events.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from rich.cells import cell_len

from assistant import events
from assistant.conversation.line_words import ShortAnswer, agrees_to_begin, read_short_answer
from assistant.conversation.routing import is_refusal
from assistant.engine import Engine
from assistant.events import (
    ActionChosen,
    Answered,
    ApprovalRequested,
    ApprovedBy,
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
    PlanMade,
    QuestionAsked,
    ReplyMalformed,
    Snooze,
    StateChanged,
    StepFinished,
    StepRetold,
    SubTaskChanged,
    SuggestionTaken,
    TurnFinished,
    TurnStarted,
    TurnState,
    UserSaid,
    WordsRetold,
)
from assistant.i18n import _, counted, joined, later, moment, sentences, wrap
from assistant.phone.errors import refusal_words
from assistant.presentation.command_meaning import CommandView, change_offer, read_put_off
from assistant.presentation.prompts import (
    ApprovalPrompt,
    ContinuePrompt,
    MeaningPrompt,
    Prompt,
    PromptChoice,
    QuestionPrompt,
)
from assistant.presentation.text import (
    format_correction,
    format_duration,
    format_end_advice,
    format_headline,
    format_source,
    format_step,
    one_line,
)
from assistant.presentation.turn_log import (
    format_approval,
    format_ending,
    format_guards_limited,
    format_missed,
    format_plan_event,
)
from assistant.records import Failed, Finished, Outcome, Source, shown

PAUSED_HELP = later("resume goes on, say WORDS tells it something, ctrl-c ends the turn.")
"""What can be typed while a turn is paused."""

PAUSED_STATES = (TurnState.PAUSING, TurnState.PAUSED)
_KEYS = (
    (later("press F5"), later("type resume")),
    (later("Press F5"), later("Type resume")),
    (later("press Escape twice"), later("type cancel")),
)
_CAUSES_WHILE_RUNNING = (Cause.PHONE, Cause.MODEL)
_ENDINGS = {
    Outcome.SUCCESS: TurnState.FINISHED,
    Outcome.FAILED: TurnState.FAILED,
    Outcome.CANCELLED: TurnState.CANCELLED,
    Outcome.UNCONFIRMED: TurnState.UNCONFIRMED,
}


def format_spoken_line(event: events.Event) -> str:
    """The line for an event, with text from outside on one line; empty if the event needs no line."""
    if isinstance(event, PlanMade | SubTaskChanged):
        return format_plan_event(event)
    line = _spoken_line(event)
    named = event.branch and line
    return _("Sub-task {name}. {line}").format(name=one_line(event.branch), line=line) if named else line


def _spoken_line(event: events.Event) -> str:
    match event:
        case events.TurnStarted(said=said, continued=continued):
            template = _("Continued: {said}") if continued else _("Command: {said}")
            return template.format(said=one_line(said))
        case events.ActionChosen(action=Finished() | Failed()):
            # The end of the turn reports it, once the claim has been checked.
            return ""
        case events.ActionChosen(step=step, action=action):
            return _("Step {step}: {action}").format(step=step, action=format_step(action))
        case events.StepFinished():
            return _step_line(event)
        case events.ApprovalSettled(step=step, by=by, sentence=sentence) if by is not ApprovedBy.USER:
            words = format_approval(by.value).strip(" ·")
            return _("Step {step} {allowed}: {what}").format(
                step=step, allowed=words, what=one_line(sentence)
            )
        case events.ReplyMalformed(attempt=attempt, reason=reason):
            template = _("Reply {attempt} was not understood: {reason}")
            return template.format(attempt=attempt, reason=one_line(_(reason)))
        case events.ModelRetrying(reason=reason, delay=delay):
            again = _("{reason} Trying again in {seconds}.")
            return again.format(reason=one_line(reason), seconds=format_duration(delay))
        case events.UserSaid(text=text) | events.WordsRetold(text=text):
            return _("You: {text}").format(text=one_line(text))
        case events.PhoneStateChanged(sentence=sentence):
            return _("Phone: {sentence}").format(sentence=one_line(sentence))
        case events.StateChanged():
            return _state_line(event)
        case events.TurnFinished():
            return _spoken_end_line(event)
        case _:
            return _spoken_earlier_line(event) or _spoken_understood_line(event) or _unasked_line(event)


def _spoken_earlier_line(event: events.Event) -> str:
    match event:
        case events.StepRetold(step=step, action=action, error=error) if error:
            template = _("Step {step}, {action}: {error}")
            words = one_line(refusal_words(error))
            return template.format(step=step, action=format_step(action), error=words)
        case events.StepRetold(step=step, action=action):
            done = _("Step {step}, done before: {action}")
            return done.format(step=step, action=format_step(action))
        case events.CommandCorrected():
            return format_correction(event)
        case _:
            return ""


def _step_line(event: events.StepFinished) -> str:
    if event.error:
        template = _("Step {step} was not done: {error}")
        return template.format(step=event.step, error=one_line(refusal_words(event.error)))
    if isinstance(event.action, Finished | Failed):
        return ""
    template = _("Step {step} done from memory, {seconds}.") if event.source is Source.REPLAYED else ""
    return (template or _("Step {step} done, {seconds}.")).format(
        step=event.step, seconds=format_duration(event.seconds)
    )


def _state_line(event: events.StateChanged) -> str:
    if event.state not in PAUSED_STATES and event.cause not in _CAUSES_WHILE_RUNNING:
        return ""
    line = f"{format_headline(event.state, event.cause)[1]}."
    if event.state is TurnState.PAUSING:
        # The cause follows once the turn is paused.
        return line
    line = f"{line} {name_typed_words(one_line(event.sentence))}".strip()
    if event.state is TurnState.PAUSED:
        line += " " + _(PAUSED_HELP)
    return line


def name_typed_words(sentence: str) -> str:
    """The sentence with the names of keys replaced by the words that are typed where there are no keys."""
    for key, word in _KEYS:
        sentence = sentence.replace(_(key), _(word))
    return sentence


def _spoken_end_line(event: events.TurnFinished) -> str:
    state = _ENDINGS[event.outcome]
    headline = format_headline(state, event.cause)[1]
    answer = one_line(event.answer)
    if event.outcome is Outcome.CANCELLED:
        # The headline says that; the rest is what stays on the phone.
        answer = answer.removeprefix(_("Cancelled.")).removeprefix(headline).strip(" :：")
    if answer:
        headline += f": {answer}"
    return (
        f"{headline} ({format_ending(event)}) {format_end_advice(state, event.steps, event.cause)}".rstrip()
    )


def _spoken_understood_line(event: events.Event) -> str:
    """A line about how the command was understood."""
    match event:
        case events.ElementRecalled(element=element, value=value, source=source, why=why):
            because = joined(part for part in (format_source(source), one_line(why)) if part)
            means = _("{element} means {value} ({because})")
            return means.format(element=one_line(element), value=one_line(value), because=because)
        case events.ElementUnknown(on_phone=True):
            return ""
        case events.ElementUnknown(element=element, candidates=likely):
            if not likely:
                return _("{element}: not known").format(element=one_line(element))
            perhaps = one_line(joined(likely))
            return _("{element}: perhaps {perhaps}").format(element=one_line(element), perhaps=perhaps)
        case events.ErrandStarted(element=element, app=app):
            return _("Looks in {app} for {element}").format(app=one_line(app), element=one_line(element))
        case events.ElementExplored(element=element, app=app, value=value) if value:
            sentence = _("Found in {app}: {element} means {value}")
            return sentence.format(app=one_line(app), element=one_line(element), value=one_line(value))
        case events.ElementExplored(app=app, problem=problem) if problem:
            return _("{app}: {problem}").format(app=one_line(app), problem=one_line(problem))
        case events.ElementExplored(app=app):
            return _("Nothing found in {app}").format(app=one_line(app))
        case events.MeaningCorrected(element=element, value=value) if element:
            template = _("From now on {element} means {value}")
            return template.format(element=one_line(element), value=one_line(value))
        case events.MeaningCorrected():
            return _("Changed for this time only")
        case events.InstructionCompleted(instruction=instruction):
            return _("Understood: {instruction}").format(instruction=one_line(instruction))
        case _:
            return ""


def _unasked_line(event: events.Event) -> str:
    """A line for an event that no command caused, such as a suggestion."""
    match event:
        case events.SuggestionOffered(instruction=instruction, scheduled=True, starts=starts) if starts:
            template = _(
                "By your schedule: {instruction}. It starts in {seconds} s. Type: accept, edit WORDS, later, "
                "not now, never (pauses the schedule) or why."
            )
            seconds = round((starts - event.time).total_seconds())
            return template.format(instruction=one_line(instruction).rstrip(".。"), seconds=seconds)
        case events.SchedulesMissed():
            return format_missed(event)
        case events.GuardsLimited():
            return format_guards_limited(event)
        case events.SuggestionOffered(instruction=instruction):
            template = _(
                "Suggested from memory: {instruction}? It starts only if you accept. "
                "Type: accept, edit WORDS, later, not now, never or why."
            )
            return template.format(instruction=one_line(instruction).rstrip(".。"))
        case events.SuggestionLapsed():
            return _("The suggestion is over.")
        case events.SuggestionAnswered(until=until) if until is not None:
            return _("The suggestion comes again: {moment}.").format(moment=moment(until))
        case events.PlaceAsked(seen=seen):
            return _("You are somewhere new ({seen}). at NAME says where.").format(seen=one_line(seen))
        case _:
            return ""


ABOUT_MEMORY = later("memory list, memory show ID, memory forget ID, memory undo and so on: look and change.")
HELP = (
    later("Type what the phone should do, then enter. Then:"),
    later("ctrl-c: pause, nothing more is sent to the phone. Again: end the turn. With no turn: leave."),
    later("One turn runs at a time, on one phone. A command that you type meanwhile waits for its end."),
    later("resume: go on. say WORDS: tell the turn something. cancel: end it."),
    later("pause a, resume a, cancel a: one sub-task, by its letter or its app."),
    later("accept, edit WORDS, later, later 10, later tomorrow, not now, never: answer a suggestion."),
    later("why: why the command was understood so, or why something is suggested."),
    later(
        "what did I eat last week, remember that WORDS, undo: answered from the memory, without the phone."
    ),
    later("at NAME: say where you are. at nowhere: leave it to the phone."),
    ABOUT_MEMORY,
    later("history: past commands. run WORDS: a command that begins with one of these words."),
    later("quit: leave."),
)
SNOOZES = {"": Snooze.AN_HOUR, "10": Snooze.TEN_MINUTES, "tomorrow": Snooze.TOMORROW}
"""What may follow "later", and when the suggestion comes again."""

LEAVING = ("quit", "exit")
STEERING = ("say", "resume", "cancel")
"""Words for a paused turn."""

_WORDS_ALONE = (
    "accept",
    "cancel",
    "exit",
    "help",
    "history",
    "later",
    "memory",
    "never",
    "not now",
    "pause",
    "quit",
    "resume",
    "why",
)
_MEMORY_VERBS = (
    "list",
    "show",
    "find",
    "edit",
    "forget",
    "undo",
    "redo",
    "why",
    "audit",
    "stats",
    "pin",
    "hide",
)


_CHINESE_SLASHES = {
    "帮助": "help",
    "记忆": "memory",
    "理由": "why",
    "历史": "history",
    "撤销": "undo",
    "忘记": "forget",
    "定时": "schedule",
    "用量": "usage",
    "暂停": "pause",
    "继续": "resume",
    "取消": "cancel",
    "退出": "quit",
    "离开": "quit",
}


def parse_slash(line: str) -> tuple[str, str] | None:
    """The English name and the words behind it of a line that begins with a slash; None for another line."""
    if not line.startswith("/"):
        return None
    name, _space, rest = line[1:].partition(" ")
    return _CHINESE_SLASHES.get(name, name.casefold()), rest.strip()


_ELSEWHERE = {
    "skills": later("Skills are listed by: assistant skills list"),
    "技能": later("Skills are listed by: assistant skills list"),
    "settings": later("Settings are listed by: assistant settings list"),
    "设置": later("Settings are listed by: assistant settings list"),
    "find": later("memory find WORDS looks for words in the memory."),
    "search": later("memory find WORDS looks for words in the memory."),
    "查找": later("memory find WORDS looks for words in the memory."),
    "搜索": later("memory find WORDS looks for words in the memory."),
    "record": later("A task is recorded by: assistant record NAME"),
    "replay": later("A skill is carried out by: assistant replay NAME"),
    "rules": later("What is allowed always is listed by: assistant approvals list"),
    "phones": later("The phones are listed by: assistant devices"),
    "model": later("Phone and model are set up by: assistant setup"),
    "setup": later("Phone and model are set up by: assistant setup"),
}
"""What commands of the interface with a screen are here, or in another program's name."""


def tell_unknown_slash(name: str) -> str:
    """That there is no such command here: what does the same, or which has the nearest name."""
    if (elsewhere := _ELSEWHERE.get(name)) is not None:
        return sentences(_("There is no /{name} here.").format(name=name), _(elsewhere))
    names = [*_WORDS_ALONE, "undo", "redo", "schedule", "forget", "usage", *_CHINESE_SLASHES]
    if nearest := next(iter(get_close_matches(name, names, 1)), ""):
        sentence = _("There is no /{name}; /{nearest} is the nearest. help lists what can be typed.")
        return sentence.format(name=one_line(name), nearest=nearest)
    return _("There is no /{name}. help lists what can be typed.").format(name=one_line(name))


def split_word(line: str, *, busy: bool, suggested: bool) -> tuple[str, str]:
    """The command word (such as “pause”) at the start of a line, and the rest; both empty if there is none.

    Args:
        line: what was typed.
        busy: whether a turn is running.
        suggested: whether a suggestion is open.
    """
    lower = " ".join(line.lower().split())
    if lower in _WORDS_ALONE:
        return lower, ""
    word, _gap, rest = line.partition(" ")
    rest = rest.strip()
    applies = {
        "run": bool(rest),
        "at": bool(rest),
        "say": busy and bool(rest),
        "edit": suggested,
        "later": suggested and rest in SNOOZES,
        "memory": rest.partition(" ")[0] in _MEMORY_VERBS,
    }
    return (word.lower(), rest) if applies.get(word.lower()) else ("", "")


_OFFER_WORDS = {
    ShortAnswer.YES: "accept",
    ShortAnswer.NO: "not now",
    ShortAnswer.NONE_OF_THEM: "not now",
    ShortAnswer.LATER: "later",
}


def offer_word(line: str, offer: events.SuggestionOffered) -> tuple[str, str]:
    """The word that answers a suggestion as a line does, or “change”, and what follows it; else empty."""
    is_begun = agrees_to_begin(line, offer.instruction)
    meant = ShortAnswer.YES if is_begun else ShortAnswer.NO if is_refusal(line) else None
    if (answer := read_short_answer(line) or meant) is not None:
        return _OFFER_WORDS.get(answer, ""), ""
    wait, changed = read_put_off(line, offer.time), change_offer(line, offer.instruction, offer.time)
    otherwise = ("change", changed) if changed else ("", "")
    return next((("later", word) for word, time in SNOOZES.items() if time is wait), otherwise)


_CAUSES_SHOWN = (
    Cause.PHONE,
    Cause.MODEL,
    Cause.HANDED_OVER,
    Cause.USER_PAUSED,
    Cause.TOUCHED,
    Cause.CALL,
    Cause.LOOP,
)


def format_line(event: Event) -> str:
    """One line for an event, behind its sub-task if it is of one; empty if a person need not read it."""
    if isinstance(event, PlanMade | SubTaskChanged):
        return f"     {format_plan_event(event)}"
    is_end = isinstance(event, ActionChosen | StepFinished) and isinstance(event.action, Finished | Failed)
    if is_end and not event.branch:
        # The end of the turn reports it, once the claim has been checked.
        return ""
    line = _plain_line(event)
    return f"{event.branch}  {line}" if event.branch and line else line


def _plain_line(event: Event) -> str:
    match event:
        case TurnStarted(said=said, continued=continued):
            return f"› {said}" + (" " + _("(continued)") if continued else "")
        case ActionChosen(step=step, action=action):
            return f"{step:>4} ▸ {format_step(action)}"
        case StepFinished(step=step, action=action, error=error, seconds=seconds, source=source):
            failed = error or isinstance(action, Failed)
            mark = f"✗ {refusal_words(error)}".rstrip() if failed else "✓"
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
            line = needed.format(kind=_(kind), action=shown(action, _), sentence=sentence)
            return f"     {line.rstrip()}"
        case QuestionAsked(question=question, choices=choices):
            asked = "     " + _("asks: {question}").format(question=question)
            return f"{asked}  {_perhaps(choices)}".rstrip()
        case UserSaid(text=text) | WordsRetold(text=text):
            return "     " + _("you: {text}").format(text=text)
        case PhoneStateChanged(sentence=sentence):
            return "     " + _("phone: {sentence}").format(sentence=sentence)
        case StateChanged(cause=cause, sentence=sentence) if sentence and cause in _CAUSES_SHOWN:
            return f"     {sentence}"
        case TurnFinished():
            return _end_line(event)
        case _:
            return _earlier_line(event) or _understood_line(event)


def _earlier_line(event: Event) -> str:
    """A line about the earlier part of a continued turn, or about no turn."""
    match event:
        case Answered(text=text):
            return text
        case events.GuardsLimited():
            return f"     {format_guards_limited(event)}"
        case StepRetold(step=step, action=action, error=error):
            mark = f"✗ {refusal_words(error)}" if error else "✓"
            return f"{step:>4} {mark}  {format_step(action)}  {_('done before')}"
        case events.CommandCorrected():
            return f"     {format_correction(event)}"
        case _:
            return ""


def _end_line(event: TurnFinished) -> str:
    ending = _(event.outcome.value)
    if event.answer:
        ending = _("{outcome}: {answer}").format(outcome=ending, answer=event.answer)
    return _("{words}  ({steps} steps, {seconds:.1f} s, {tokens} tokens)").format(
        words=ending, steps=event.steps, seconds=event.seconds, tokens=event.usage.total_tokens
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
            return f"     · {format_step(action)}  {mark}  {seconds:.1f} s"
        case ElementExplored(app=app, problem=problem) if problem:
            return "     " + _("{app}: {problem}").format(app=app, problem=problem)
        case ElementExplored(element=element, app=app, value=value):
            nothing = "     " + _("{app}: nothing about {element}").format(app=app, element=element)
            return f"     {app}: {element} → {value}" if value else nothing
        case SuggestionTaken(why=why) if why:
            return "     " + _("suggested: {why}").format(why=_("; ").join(why))
        case InstructionCompleted(instruction=instruction):
            return "   " + _("Task: ") + instruction
        case _:
            return ""


def _perhaps(likely: Sequence[str]) -> str:
    return _("perhaps {likely}").format(likely=joined(likely)) if likely else ""


def format_prompt(prompt: Prompt) -> Iterator[str]:
    """The lines of a prompt: its subject, a numbered line for each answer, and what else can be typed."""
    yield prompt.title
    if isinstance(prompt, QuestionPrompt):
        yield one_line(prompt.event.question)
    else:
        lines = (line for row in prompt.body for line in row.unstyled.split("\n"))
        yield from (one_line(line) for line in lines if line.strip())
    for number, (words, _choice) in enumerate(list_answers(prompt), start=1):
        yield f"{number}  {words}"
    match prompt:
        case ApprovalPrompt():
            yield _("Type a number, yes or no, or what it should do instead.")
        case QuestionPrompt(event=event) if event.kept:
            yield _("Type the answer. It is remembered, unless it begins with “once ”.")
        case QuestionPrompt():
            yield _("Type the answer.")
        case MeaningPrompt():
            yield _("Type 1, or what is to be different; “never mind” ends it. Nothing happens until then.")
        case ContinuePrompt():
            yield _("Type a number, or a command.")


def list_answers(prompt: Prompt) -> list[tuple[str, PromptChoice | str]]:
    """The answers that can be chosen by number: the text of each, and what it stands for."""
    match prompt:
        case ApprovalPrompt():
            return [(answer.words, answer.choice) for answer in prompt.answers]
        case QuestionPrompt():
            once = PromptChoice.ONCE  # A word before the answer says it here.
            return [(answer.words, answer.choice) for answer in prompt.answers if answer.choice is not once]
        case MeaningPrompt():
            return [(_("do it"), PromptChoice.YES)]
        case ContinuePrompt():
            return [(_("continue it"), PromptChoice.YES), (_("discard it"), PromptChoice.NO)]


_ONCE_PREFIX = "once "


def answer_prompt(prompt: Prompt, line: str) -> bool:
    """Answer a prompt with a typed line; returns whether the line answers it."""
    text = line.strip()
    if text.isdecimal() and not isinstance(prompt, QuestionPrompt):
        chosen = find_numbered(prompt, text)
        if isinstance(chosen, PromptChoice):
            prompt.choose(chosen)
        return chosen is not None
    return bool(text) and not isinstance(prompt, ContinuePrompt) and _answer_in_words(prompt, text)


def _answer_in_words(prompt: Prompt, text: str) -> bool:
    if isinstance(prompt, QuestionPrompt) and prompt.event.kept and text.lower().startswith(_ONCE_PREFIX):
        prompt.once = True
        text = text[len(_ONCE_PREFIX) :].strip()
    prompt.answer_in_words(text)
    return True


_MOST_DIGITS = 3


def find_numbered(prompt: Prompt, text: str) -> PromptChoice | str | None:
    """What the answer of a number stands for; None for other texts, and for a number that no answer has."""
    answers = list_answers(prompt)
    place = int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else 0
    return answers[place - 1][1] if 1 <= place <= len(answers) else None


_MAX_RECORDS = 5


def format_explanation(command: CommandView, engine: Engine) -> Iterator[str]:
    """The meaning of each element and the reason, with the latest records that support it."""
    for part in command.parts.values():
        yield f"{part.element}: {part.value or _('not known')}. {part.why}"
        for record in engine.find_records(part.evidence[:_MAX_RECORDS]):
            recorded, app = moment(record.time, year=True), one_line(record.app)
            yield f"{recorded}, {app}: {one_line(record.instruction)}"
        if len(part.evidence) > _MAX_RECORDS:
            yield _("and {records} more").format(records=counted(len(part.evidence) - _MAX_RECORDS, "record"))
    if not command.is_explainable:
        yield _("This command did not use the memory.")


def print_line(line: str) -> None:
    """Print a line, wrapped to the terminal's width."""
    sys.stdout.write(wrap_line(line, _terminal_width()) + "\n")
    sys.stdout.flush()


def wrap_line(line: str, columns: int) -> str:
    """A line wrapped between words to a width in cells; 0 columns, for no terminal, leaves it as it is."""
    return "\n".join(wrap(line, columns)) if 0 < columns < cell_len(line) else line


def _terminal_width() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 0


def ring_bell() -> None:
    """Ring the terminal's bell, where there is a terminal."""
    # Past the filter of what is printed, which lets no control character through.
    terminal = sys.__stdout__
    if terminal is not None and terminal.isatty():
        terminal.write("\a")
        terminal.flush()


_CHUNK_SIZE = 4096


async def read_lines(descriptor: int) -> AsyncIterator[str]:
    """Read lines until the input ends.

    A thread waits for the input. It is a daemon, because nothing can interrupt its blocking read.
    """
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    def deliver(line: str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read_input() -> None:
        partial_line = b""
        try:
            while chunk := os.read(descriptor, _CHUNK_SIZE):
                *complete_lines, partial_line = (partial_line + chunk).split(b"\n")
                for line in complete_lines:
                    deliver(line.decode("utf-8", "replace"))
        except OSError:
            # The terminal was closed: the same as the end of the input.
            pass
        if partial_line:
            deliver(partial_line.decode("utf-8", "replace"))
        deliver(None)

    # Reads the descriptor, not `sys.stdin`: a thread that reads it holds its lock, which blocks the exit.
    threading.Thread(target=read_input, name="standard input", daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line


def memory_runner(store: Path, config: Path | None) -> Callable[[str], Awaitable[None]]:
    """Makes a function that runs `assistant memory` on the store, as a separate process."""

    async def run(arguments: str) -> None:
        environment = {**os.environ, "ASSISTANT_STORE": str(store)}
        try:
            split_arguments = shlex.split(arguments)
        except ValueError:
            split_arguments = arguments.split()
        config_option = ["--config", str(config)] if config is not None else []
        command = [sys.executable, "-m", "assistant", "memory", *split_arguments, *config_option]
        no_input = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(*command, stdin=no_input, env=environment)
        await process.wait()

    return run
