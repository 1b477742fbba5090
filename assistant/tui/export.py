"""Formats past turns and their steps. No text is parsed as markup."""

from __future__ import annotations

from textual.content import Content

from assistant.history import PICTURE_WORDS, PastTurn, PastTurnStep, PictureState, WholeTurn
from assistant.i18n import _, counted, later, moment
from assistant.phone.errors import refusal_words
from assistant.presentation.text import clip, format_action, format_duration, format_tokens, one_line, safe
from assistant.records import Failed, Finished, Outcome, Source

_SIGNS = {
    Outcome.SUCCESS: ("✓", "$text-success"),
    Outcome.FAILED: ("✗", "$text-error"),
    Outcome.CANCELLED: ("■", "$foreground-muted"),
    None: ("◌", "$text-warning"),
}
_ENDED = {
    "success": later("went well"),
    "failed": later("failed"),
    "cancelled": later("cancelled"),
    "not ended": later("not ended"),
    "unknown": later("its record is not kept"),
}
_SOURCES = {Source.MODEL: later("model"), Source.REPLAYED: later("replayed"), Source.USER: later("you")}
_KEPT, _ANSWER_KEPT = 400, 1000


def format_past_turn(turn: PastTurn) -> Content:
    """A turn in the list, in two lines: its command, and its outcome."""
    sign, style = _SIGNS[turn.outcome]
    facts = [moment(turn.started), _(_ENDED[turn.ended]), counted(turn.steps, "step")]
    if turn.apps:
        facts.append(clip(one_line(", ".join(turn.apps)), 40))
    return Content.assemble(
        (sign, style),
        " ",
        (clip(one_line(turn.said), _KEPT), "bold"),
        ("\n  " + " · ".join(facts), "$foreground-muted"),
    )


def format_past_turn_facts(whole: WholeTurn) -> Content:
    """The summary of a turn above its steps."""
    turn, checkpoint = whole.turn, whole.checkpoint
    lines = [Content.assemble(("› ", "$text-accent"), (clip(one_line(turn.said), _KEPT), "bold"))]
    if turn.instruction and turn.instruction != turn.said:
        lines.append(Content.assemble((_("Task: "), "$text-accent"), clip(one_line(turn.instruction), _KEPT)))
    if turn.answer:
        sign, style = _SIGNS[turn.outcome]
        lines.append(Content.assemble((f"{sign} ", style), clip(safe(turn.answer).strip(), _ANSWER_KEPT)))
    figures = [moment(turn.started, year=True), _(_ENDED[turn.ended])]
    if turn.seconds:
        figures.append(format_duration(turn.seconds))
    if checkpoint.usage.total_tokens:
        figures.append(format_tokens(checkpoint.usage.total_tokens))
    if checkpoint.model:
        figures.append(clip(one_line(checkpoint.model), 40))
    lines.append(Content.styled(" · ".join(figures), "$foreground-muted"))
    if whole.swept:
        words = _("{count} of its pictures are not kept any more.").format(count=whole.swept)
        lines.append(Content.styled(words, "$text-warning"))
    return Content("\n").join(lines)


def format_past_step(past: PastTurnStep) -> Content:
    """A step in the list of a turn's steps."""
    step = past.step
    sign, style = ("✗", "$text-error") if step.error else ("✓", "$text-success")
    head = Content.assemble(
        (f"{step.number:>4} ", "$foreground-muted"),
        (sign, style),
        f" {clip(format_past_action(past), _KEPT)}",
        (f"  {_(_SOURCES[step.source])}", "$foreground-muted"),
    )
    if not step.error:
        return head
    return head + Content.styled(
        f"\n       {clip(one_line(refusal_words(step.error)), _KEPT)}", "$text-error"
    )


def format_past_action(past: PastTurnStep) -> str:
    """What a step did, and whether the user approved it; for the last step, the model's answer."""
    step = past.step
    match step.action:
        case Finished(answer=text) | Failed(reason=text) if text:
            return one_line(text)
        case action:
            allowed = step.kind is not None and not step.error
            return format_action(action) + (_(" · you allowed it") if allowed else "")


def format_picture_state(state: PictureState) -> str:
    """The text shown in place of a missing picture."""
    return _(PICTURE_WORDS[state])


def format_transcript(whole: WholeTurn) -> str:
    """A turn as plain text, for copying."""
    lines = [format_past_turn_facts(whole).plain, ""]
    for past in whole.steps:
        lines.append(f"{past.step.number:>4}  {format_past_action(past)}")
        if past.step.error:
            lines.append(f"      {one_line(refusal_words(past.step.error))}")
    return "\n".join(lines) + "\n"
