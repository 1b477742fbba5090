"""Events as lines to be read aloud: words instead of signs, one line each, nothing from outside obeyed."""

from __future__ import annotations

from assistant import events
from assistant.events import Cause, TurnState
from assistant.i18n import _, later, moment
from assistant.phone.errors import refusal_words
from assistant.presentation.text import format_action, format_duration, format_source, one_line
from assistant.presentation.turn_log import format_ending
from assistant.presentation.ui_state import format_headline
from assistant.records import Failed, Finished, Outcome, Source

GOING_ON = later("resume goes on, say WORDS tells it something, ctrl-c ends the turn.")
"""What can be typed while a turn is paused."""
HELD = (TurnState.PAUSING, TurnState.PAUSED)
_KEYS = (
    (later("press F5"), later("type resume")),
    (later("Press F5"), later("Type resume")),
    (later("press Escape twice"), later("type cancel")),
)
_TOLD_CAUSES = (Cause.PHONE, Cause.MODEL)
_ENDINGS = {
    Outcome.SUCCESS: TurnState.FINISHED,
    Outcome.FAILED: TurnState.FAILED,
    Outcome.CANCELLED: TurnState.CANCELLED,
}


def line_of(event: events.Event) -> str:
    """The line for an event; empty where there is nothing to tell. Texts from outside come on one line."""
    match event:
        case events.TurnStarted(said=said, continued=continued):
            words = _("Continued: {said}") if continued else _("Command: {said}")
            return words.format(said=one_line(said))
        case events.ActionChosen(action=Finished() | Failed()):
            # The end of the turn says it, once it is believed.
            return ""
        case events.ActionChosen(step=step, action=action):
            return _("Step {step}: {action}").format(step=step, action=format_action(action))
        case events.StepFinished():
            return _step_line(event)
        case events.ReplyMalformed(attempt=attempt, reason=reason):
            words = _("Reply {attempt} was not understood: {reason}")
            return words.format(attempt=attempt, reason=one_line(_(reason)))
        case events.ModelRetrying(reason=reason, delay=delay):
            again = _("{reason} Trying again in {seconds}.")
            return again.format(reason=one_line(reason), seconds=format_duration(delay))
        case events.UserSaid(text=text):
            return _("You: {text}").format(text=one_line(text))
        case events.PhoneStateChanged(sentence=sentence):
            return _("Phone: {sentence}").format(sentence=one_line(sentence))
        case events.StateChanged():
            return _state_line(event)
        case events.TurnFinished():
            return _end_line(event)
        case _:
            return _retold_line(event) or _understood_line(event) or _unasked_line(event)


def _retold_line(event: events.Event) -> str:
    match event:
        case events.StepRetold(step=step, action=action):
            done = _("Step {step}, done before: {action}")
            return done.format(step=step, action=format_action(action))
        case events.WordsRetold(text=text):
            return _("You: {text}").format(text=one_line(text))
        case _:
            return ""


def _step_line(event: events.StepFinished) -> str:
    if event.error:
        words = _("Step {step} was not done: {error}")
        return words.format(step=event.step, error=one_line(refusal_words(event.error)))
    if isinstance(event.action, Finished | Failed):
        return ""
    words = _("Step {step} done from memory, {seconds}.") if event.source is Source.REPLAYED else ""
    return (words or _("Step {step} done, {seconds}.")).format(
        step=event.step, seconds=format_duration(event.seconds)
    )


def _state_line(event: events.StateChanged) -> str:
    if event.state not in HELD and event.cause not in _TOLD_CAUSES:
        return ""
    words = f"{format_headline(event.state, event.cause)[1]}."
    if event.state is TurnState.PAUSING:
        # What makes it pause is said once it does.
        return words
    words = f"{words} {_typed(one_line(event.sentence))}".strip()
    if event.state is TurnState.PAUSED:
        words += " " + _(GOING_ON)
    return words


def _typed(sentence: str) -> str:
    """A sentence that names keys, with the words that are typed here instead."""
    for key, word in _KEYS:
        sentence = sentence.replace(_(key), _(word))
    return sentence


def _end_line(event: events.TurnFinished) -> str:
    words = format_headline(_ENDINGS[event.outcome], Cause.DONE)[1]
    answer = one_line(event.answer)
    if event.outcome is Outcome.CANCELLED:
        answer = ""
    return f"{words}: {answer} ({format_ending(event)})" if answer else f"{words} ({format_ending(event)})"


def _understood_line(event: events.Event) -> str:
    """A line about how the command was understood."""
    match event:
        case events.ElementRecalled(element=element, value=value, source=source, why=why):
            because = ", ".join(part for part in (format_source(source), one_line(why)) if part)
            means = _("{element} means {value} ({because})")
            return means.format(element=one_line(element), value=one_line(value), because=because)
        case events.ElementUnknown(on_phone=True):
            return ""
        case events.ElementUnknown(element=element, candidates=likely):
            if not likely:
                return _("{element}: not known").format(element=one_line(element))
            perhaps = one_line(", ".join(likely))
            return _("{element}: perhaps {perhaps}").format(element=one_line(element), perhaps=perhaps)
        case events.ErrandStarted(element=element, app=app):
            return _("Looks in {app} for {element}").format(app=one_line(app), element=one_line(element))
        case events.ElementExplored(element=element, app=app, value=value) if value:
            found = _("Found in {app}: {element} means {value}")
            return found.format(app=one_line(app), element=one_line(element), value=one_line(value))
        case events.ElementExplored(app=app):
            return _("Nothing found in {app}").format(app=one_line(app))
        case events.MeaningCorrected(element=element, value=value) if element:
            words = _("From now on {element} means {value}")
            return words.format(element=one_line(element), value=one_line(value))
        case events.MeaningCorrected():
            return _("Changed for this time only")
        case events.InstructionCompleted(instruction=instruction):
            return _("Understood: {instruction}").format(instruction=one_line(instruction))
        case _:
            return ""


def _unasked_line(event: events.Event) -> str:
    """A line about what happens without a command."""
    match event:
        case events.SuggestionOffered(instruction=instruction):
            words = _(
                "Suggested from memory: {instruction}? Nothing begins without a yes: accept or edit WORDS. "
                "Else later, not now, never, or why."
            )
            return words.format(instruction=one_line(instruction).rstrip(".。"))
        case events.SuggestionLapsed():
            return _("The suggestion is over.")
        case events.SuggestionAnswered(until=until) if until is not None:
            return _("The suggestion comes again: {moment}.").format(moment=moment(until))
        case events.PlaceAsked(seen=seen):
            return _("You are somewhere new ({seen}). at NAME says where.").format(seen=one_line(seen))
        case _:
            return ""
