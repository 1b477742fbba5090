"""Steps and notes laid out as lines of a given width. Nothing here reads markup."""

from __future__ import annotations

import re

from rich.cells import cell_len
from textual.content import Content

from assistant.language import _, later
from assistant.records import Source
from assistant.tui.entries import Entry, Note, Step, StepStatus
from assistant.tui.words import clip, duration, led, padded, wrapped

_SIGNS = {
    StepStatus.LOOKING: ("▸", "$text-accent"),
    StepStatus.RUNNING: ("▸", "$text-accent"),
    StepStatus.WAITING: ("?", "$text-warning"),
    StepStatus.PAUSED: ("‖", "$text-warning"),
    StepStatus.NO_PHONE: ("◌", "$text-warning"),
    StepStatus.NO_MODEL: ("◌", "$text-warning"),
    StepStatus.DONE: ("✓", "$text-success"),
    StepStatus.FAILED: ("✗", "$text-error"),
    StepStatus.STOPPED: ("■", "$foreground-muted"),
    StepStatus.BEFORE: ("✓", "$foreground-muted"),
}
_NOTHING_CHOSEN = {
    StepStatus.LOOKING: later("looking at the phone"),
    StepStatus.PAUSED: later("not begun"),
    StepStatus.NO_PHONE: later("waiting for the phone"),
    StepStatus.NO_MODEL: later("waiting for the model"),
    StepStatus.STOPPED: later("not done"),
}
"""What stands in the place of an action that is not chosen yet, where that is not what goes on now."""

_NOTE_STYLES = {
    "✓": "$text-success",
    "✗": "$text-error",
    "!": "$text-warning",
    "■": "$foreground-muted",
    "›": "$text-accent",
}
_SOURCES = {Source.MODEL: later("model"), Source.REPLAYED: later("replayed"), Source.USER: later("you")}
_INDENT = 7
_WIDE = 56
"""Columns from which there is room for where a step came from."""

_WORDS_KEPT = 400
_NOTE_KEPT = 4000
_THOUGHT_LINES = 60
_WORD = re.compile(r"\s*\S+\s*")


def entry_lines(entry: Entry, width: int, thoughts: bool = False) -> Content:
    """A step or note for a panel `width` cells wide; with `thoughts`, what the model thought stands below."""
    if isinstance(entry, Note):
        return _note_lines(entry, width)
    lines = _step_lines(entry, width)
    if thoughts and entry.thought:
        lines += thought_lines(entry.thought, width, _THOUGHT_LINES)
    return Content("\n").join(lines)


def entry_height(entry: Entry, width: int, thoughts: bool = False) -> int:
    """How many lines `entry_lines` has, at a fraction of its cost."""
    if isinstance(entry, Note):
        return wrapped_height(_note_words(entry), width - _INDENT)
    height = wrapped_height(_words(entry), _room(width, _figures(entry, width)))
    if entry.error:
        height += wrapped_height(clip(entry.error, _WORDS_KEPT), width - _INDENT - 2)
    if thoughts and (recent := _recent(entry.thought, width, _THOUGHT_LINES)):
        height += min(_THOUGHT_LINES, wrapped_height(recent, width - _INDENT - 2))
    return height


def wrapped_height(text: str, width: int) -> int:
    """How many lines `wrapped` makes of a text."""
    if not text.isascii():
        return len(wrapped(text, width))
    return sum(_lines_of_words(line, max(2, width)) for line in text.split("\n"))


def _lines_of_words(line: str, width: int) -> int:
    """Lines of a text whose every character is one cell wide; a word that fits on no line is cut."""
    if len(line) <= width:
        return 1
    lines, used = 1, 0
    for found in _WORD.finditer(line):
        word = found.group()
        length = len(word.rstrip())
        if length <= width - used:
            used += len(word)
        elif length > width:
            pieces = -(-len(word) // width)
            lines += pieces if found.start() else pieces - 1
            used = len(word) - (pieces - 1) * width
        elif used:
            lines += 1
            used = len(word)
    return lines


def thought_lines(thought: str, width: int, most: int) -> list[Content]:
    """The last lines of a thought, indented below its step."""
    recent = _recent(thought, width, most)
    lines = wrapped(recent, width - _INDENT - 2) if recent else []
    if len(lines) > most:
        lines = lines[-most:]
        lines[0] = "… " + lines[0][2:]
    return [Content.styled(" " * (_INDENT + 2) + line, "$foreground-muted") for line in lines]


def _recent(thought: str, width: int, most: int) -> str:
    """What of a thought can stand in so many lines, and not much more."""
    return thought.strip()[-(most * max(20, width)) :]


def _step_lines(step: Step, width: int) -> list[Content]:
    sign, style = _SIGNS[step.status]
    right = _figures(step, width)
    room = _room(width, right)
    words = wrapped(_words(step), room)
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


def _words(step: Step) -> str:
    words = clip(step.words, _NOTE_KEPT if step.last else _WORDS_KEPT)
    if not words:
        return _(_NOTHING_CHOSEN.get(step.status, later("choosing what to do")))
    return words + _(" · you allowed it") if step.allowed else words


def _room(width: int, right: str) -> int:
    return width - _INDENT - cell_len(right) - 1


def _figures(step: Step, width: int) -> str:
    wide = width >= _WIDE
    if step.status is StepStatus.WAITING:
        return _("waits for you") if not wide else padded(_("waits for you"), 16)
    if step.status is StepStatus.PAUSED:
        nothing = _("not done") if step.words else ""
        return nothing if not wide else padded(nothing, 16)
    if step.status is StepStatus.BEFORE:
        return _("before") if not wide else padded(_("done before"), 16)
    took = duration(step.seconds) if step.seconds is not None else ""
    if step.status is StepStatus.STOPPED:
        took = _("stopped") if step.words else ""
    if not wide:
        return led(took, 7)
    return padded(_(_SOURCES[step.source]) if step.source else "", 8) + led(took, 8)


def _note_words(note: Note) -> str:
    words = clip(note.text, _NOTE_KEPT)
    return words + _(" · heard when it goes on") if note.waits else words


def _note_lines(note: Note, width: int) -> Content:
    lines = wrapped(_note_words(note), width - _INDENT)
    first = Content.assemble(" " * 5, (note.sign, _NOTE_STYLES.get(note.sign, "")), " ", lines[0])
    return Content("\n").join([first, *(Content(" " * _INDENT + line) for line in lines[1:])])
