"""Formats steps and notes as lines of a given width. No text is parsed as markup."""

from __future__ import annotations

import re

from rich.cells import cell_len
from textual.content import Content

from assistant.i18n import _, later
from assistant.presentation.text import clip, format_duration, wrapped
from assistant.records import Source
from assistant.text_layout import pad_left, padded
from assistant.tui.entries import Entry, Note, Step, StepStatus

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
"""Shown in place of an action that is not chosen yet, for statuses with a text of their own."""

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
"""Columns from which the source of a step is shown."""

_WORDS_KEPT = 400
_NOTE_KEPT = 4000
_THOUGHT_LINES = 60
_WORD = re.compile(r"\s*\S+\s*")


def format_entry(entry: Entry, width: int, thoughts: bool = False) -> Content:
    """A step or note for a panel `width` cells wide; with `thoughts`, the model's thought below it."""
    if isinstance(entry, Note):
        return _format_note(entry, width)
    lines = _format_step(entry, width)
    if thoughts and entry.thought:
        lines += format_thought(entry.thought, width, _THOUGHT_LINES)
    return Content("\n").join(lines)


def entry_height(entry: Entry, width: int, thoughts: bool = False) -> int:
    """The number of lines of `entry_lines`, computed at a fraction of the cost."""
    if isinstance(entry, Note):
        return wrapped_height(_note_text(entry), width - _INDENT)
    height = wrapped_height(_step_text(entry), _text_width(width, _right_column(entry, width)))
    if entry.error:
        height += wrapped_height(clip(entry.error, _WORDS_KEPT), width - _INDENT - 2)
    if thoughts and (recent := _thought_end(entry.thought, width, _THOUGHT_LINES)):
        height += min(_THOUGHT_LINES, wrapped_height(recent, width - _INDENT - 2))
    return height


def wrapped_height(text: str, width: int) -> int:
    """The number of lines that `wrapped` makes of a text."""
    if not text.isascii():
        return len(wrapped(text, width))
    return sum(_count_lines(line, max(2, width)) for line in text.split("\n"))


def _count_lines(line: str, width: int) -> int:
    """The number of lines of a text with one cell per character; a longer word than a line is split."""
    if len(line) <= width:
        return 1
    lines, used = 1, 0
    for match in _WORD.finditer(line):
        word = match.group()
        length = len(word.rstrip())
        if length <= width - used:
            used += len(word)
        elif length > width:
            pieces = -(-len(word) // width)
            lines += pieces if match.start() else pieces - 1
            used = len(word) - (pieces - 1) * width
        elif used:
            lines += 1
            used = len(word)
    return lines


def format_thought(thought: str, width: int, most: int) -> list[Content]:
    """The last lines of a thought, indented below its step."""
    recent = _thought_end(thought, width, most)
    lines = wrapped(recent, width - _INDENT - 2) if recent else []
    if len(lines) > most:
        lines = lines[-most:]
        lines[0] = "… " + lines[0][2:]
    return [Content.styled(" " * (_INDENT + 2) + line, "$foreground-muted") for line in lines]


def _thought_end(thought: str, width: int, most: int) -> str:
    """The end of a thought that fits into a number of lines, or slightly more."""
    return thought.strip()[-(most * max(20, width)) :]


def _format_step(step: Step, width: int) -> list[Content]:
    sign, style = _SIGNS[step.status]
    right = _right_column(step, width)
    room = _text_width(width, right)
    words = wrapped(_step_text(step), room)
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


def _step_text(step: Step) -> str:
    words = clip(step.words, _NOTE_KEPT if step.last else _WORDS_KEPT)
    if not words:
        return _(_NOTHING_CHOSEN.get(step.status, later("choosing what to do")))
    return words + _(" · you allowed it") if step.allowed else words


def _text_width(width: int, right: str) -> int:
    return width - _INDENT - cell_len(right) - 1


def _right_column(step: Step, width: int) -> str:
    wide = width >= _WIDE
    if step.status is StepStatus.WAITING:
        return _("waits for you") if not wide else padded(_("waits for you"), 16)
    if step.status is StepStatus.PAUSED:
        not_done = _("not done") if step.words else ""
        return not_done if not wide else padded(not_done, 16)
    if step.status is StepStatus.BEFORE:
        return _("before") if not wide else padded(_("done before"), 16)
    time_taken = format_duration(step.seconds) if step.seconds is not None else ""
    if step.status is StepStatus.STOPPED:
        time_taken = _("stopped") if step.words else ""
    if not wide:
        return pad_left(time_taken, 7)
    return padded(_(_SOURCES[step.source]) if step.source else "", 8) + pad_left(time_taken, 8)


def _note_text(note: Note) -> str:
    words = clip(note.text, _NOTE_KEPT)
    return words + _(" · heard when it goes on") if note.waits else words


def _format_note(note: Note, width: int) -> Content:
    lines = wrapped(_note_text(note), width - _INDENT)
    first = Content.assemble(" " * 5, (note.sign, _NOTE_STYLES.get(note.sign, "")), " ", lines[0])
    return Content("\n").join([first, *(Content(" " * _INDENT + line) for line in lines[1:])])
