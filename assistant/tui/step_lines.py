"""Steps and notes laid out as lines of a given width. Nothing here reads markup."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content

from assistant.language import _, later
from assistant.records import Source
from assistant.tui.turn_log import Entry, Note, Step, StepStatus
from assistant.tui.words import clip, duration, led, padded, wrapped

_SIGNS = {
    StepStatus.RUNNING: ("▸", "$text-accent"),
    StepStatus.WAITING: ("?", "$text-warning"),
    StepStatus.DONE: ("✓", "$text-success"),
    StepStatus.FAILED: ("✗", "$text-error"),
    StepStatus.STOPPED: ("■", "$foreground-muted"),
}
_NOTE_STYLES = {
    "✓": "$text-success",
    "✗": "$text-error",
    "!": "$text-warning",
    "■": "$foreground-muted",
    "›": "$text-accent",
}
_SOURCES = {Source.MODEL: later("model"), Source.REPLAYED: later("replayed"), Source.USER: later("you")}
_INDENT = 7
_WORDS_KEPT = 400
_NOTE_KEPT = 4000
_THOUGHT_LINES = 60


def entry_lines(entry: Entry, width: int, thoughts: bool = False) -> Content:
    """A step or note for a panel `width` cells wide; with `thoughts`, what the model thought stands below."""
    if isinstance(entry, Note):
        return _note_lines(entry, width)
    lines = _step_lines(entry, width)
    if thoughts and entry.thought:
        lines += thought_lines(entry.thought, width, _THOUGHT_LINES)
    return Content("\n").join(lines)


def thought_lines(thought: str, width: int, most: int) -> list[Content]:
    """The last lines of a thought, indented below its step."""
    recent = thought.strip()[-(most * max(20, width)) :]
    lines = wrapped(recent, width - _INDENT - 2) if recent else []
    if len(lines) > most:
        lines = lines[-most:]
        lines[0] = "… " + lines[0][2:]
    return [Content.styled(" " * (_INDENT + 2) + line, "$foreground-muted") for line in lines]


def _step_lines(step: Step, width: int) -> list[Content]:
    sign, style = _SIGNS[step.status]
    right = _figures(step, wide=width >= 56)
    room = width - _INDENT - cell_len(right) - 1
    nothing = _("not done") if step.status is StepStatus.STOPPED else _("next step")
    words = wrapped(clip(step.words, _NOTE_KEPT if step.last else _WORDS_KEPT) or nothing, room)
    head = Content.assemble(
        (f"{'' if step.last else step.number:>4} ", "$foreground-muted"),
        (sign, style),
        " ",
        (padded(words[0], room), "" if step.words else "$foreground-muted"),
        (f" {right}", "$foreground-muted"),
    )
    lines = [head, *(Content(" " * _INDENT + line) for line in words[1:])]
    if step.error:
        error = wrapped(clip(step.error, _WORDS_KEPT), width - _INDENT - 2)
        lines += [Content.styled(" " * (_INDENT + 2) + line, "$text-error") for line in error]
    return lines


def _figures(step: Step, wide: bool) -> str:
    if step.status is StepStatus.WAITING:
        return _("waits for you") if not wide else padded(_("waits for you"), 16)
    took = duration(step.seconds) if step.seconds is not None else ""
    if step.status is StepStatus.STOPPED:
        took = _("stopped") if step.words else ""
    if not wide:
        return led(took, 7)
    return padded(_(_SOURCES[step.source]) if step.source else "", 8) + led(took, 8)


def _note_lines(note: Note, width: int) -> Content:
    lines = wrapped(clip(note.text, _NOTE_KEPT), width - _INDENT)
    first = Content.assemble(" " * 5, (note.sign, _NOTE_STYLES.get(note.sign, "")), " ", lines[0])
    return Content("\n").join([first, *(Content(" " * _INDENT + line) for line in lines[1:])])
