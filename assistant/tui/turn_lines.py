"""Formats the entries of a turn as lines of a given width.

The entries are the command with its interpretation, the steps and the notes. No text is parsed as markup.
`LineMap` holds which lines of the scrolled list belong to which entry.

The head makes styled text Textual's content. Rows of a label and a text are wrapped with a hanging indent:
further lines begin below the text, not below the label.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from assistant.i18n import _, counted, joined, later, pad_left, padded, shortened
from assistant.presentation.command_meaning import CommandView, ElementView, LookupView
from assistant.presentation.text import (
    LabelValueRow,
    StyledText,
    TextStyle,
    clip,
    format_duration,
    format_instruction,
    format_source,
    one_line,
)
from assistant.presentation.turn_log import (
    UNDER_WAY,
    Entry,
    NoteEntry,
    StepEntry,
    StepStatus,
    TurnEntries,
    TurnLog,
    format_approval,
)
from assistant.records import Source

_TEXTUAL_STYLES = {
    TextStyle.NORMAL: "",
    TextStyle.STRONG: "bold",
    TextStyle.MUTED: "$foreground-muted",
    TextStyle.CHOICE: "bold $text-accent",
}
_LEAST_TEXT_WIDTH = 8
"""Columns reserved for the text, however long the label is."""


def as_content(text: StyledText) -> Content:
    """The text with Textual's styles."""
    return Content.assemble(*((span.text, _TEXTUAL_STYLES[span.style]) for span in text.spans))


def wrapped(text: str, width: int) -> list[str]:
    """The lines of a text wrapped to a width in cells; wide characters count double."""
    return [line.plain for line in Content(text).wrap(max(2, width))]


def wrap_rows(rows: Iterable[LabelValueRow], width: int) -> list[Content]:
    """The lines of the rows, wrapped to `width` cells."""
    return [line for label_row in rows for line in _wrap_row(label_row, width)]


def _wrap_row(label_row: LabelValueRow, width: int) -> Iterator[Content]:
    label = as_content(label_row.label)
    indent = label.cell_length
    first, *more = as_content(label_row.value).wrap(max(_LEAST_TEXT_WIDTH, width - indent)) or [Content("")]
    yield label + first
    yield from (Content(" " * indent) + line for line in more)


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
    StepStatus.DOUBTED: ("≈", "$text-warning"),
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
    "≈": "$text-warning",
    "■": "$foreground-muted",
    "›": "$text-accent",
    "↩": "$text-accent",
}
SOURCE_NAMES = {Source.MODEL: later("model"), Source.REPLAYED: later("replayed"), Source.USER: later("you")}
"""Who chose a step, in words."""
_STEP_INDENT = 7
_WIDE = 56
"""Columns from which it is shown who chose a step, where it was not the model."""

_ROOMY = 96
"""Columns from which the thought behind a step stands beside it instead of nowhere."""

_TIME_WIDTH, _SOURCE_WIDTH, _COLUMN_GAP = 7, 9, 2
_TEXT_SHARE, _TEXT_NARROWEST = 0.42, 40
"""What a step's text has of a roomy line; the rest is time and thought."""

_TEXT_WIDEST = 56
"""What it has at most of a line without a thought, so that its time stands near it."""

_WORDS_KEPT = 400
_NOTE_KEPT = 4000
_THOUGHT_LINES = 60
_WORD = re.compile(r"\s*\S+\s*")


def format_entry(entry: Entry, width: int, thoughts: bool = False) -> Content:
    """A step or note for a panel `width` cells wide; with `thoughts`, the model's thought below it."""
    if isinstance(entry, NoteEntry):
        return _format_note(entry, width)
    lines = _format_step(entry, width, beside=not thoughts)
    if thoughts and entry.thought:
        lines += format_thought(entry.thought, width, _THOUGHT_LINES)
    return Content("\n").join(lines)


def entry_height(entry: Entry, width: int, thoughts: bool = False) -> int:
    """The number of lines of `format_entry`, computed at a fraction of the cost."""
    if isinstance(entry, NoteEntry):
        return wrapped_height(_note_text(entry), width - _STEP_INDENT)
    height = wrapped_height(_step_text(entry), _columns(entry, width).text)
    if entry.error:
        height += wrapped_height(clip(entry.error, _WORDS_KEPT), width - _STEP_INDENT - 2)
    if thoughts and (recent := _thought_end(entry.thought, width, _THOUGHT_LINES)):
        height += min(_THOUGHT_LINES, wrapped_height(recent, width - _STEP_INDENT - 2))
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
    lines = wrapped(recent, width - _STEP_INDENT - 2) if recent else []
    if len(lines) > most:
        lines = lines[-most:]
        lines[0] = "… " + lines[0][2:]
    return [Content.styled(" " * (_STEP_INDENT + 2) + line, "$foreground-muted") for line in lines]


def readable_thought(thought: str) -> str:
    """A thought as far as it has come, without a mark that only opens; empty if it is too short."""
    come = _OPENED.sub("", thought).strip()
    return come if len(come) >= _SHORTEST_THOUGHT or come.endswith(_ENDS) else ""


_OPENED = re.compile(r"[\s“‘\"'(\[{（「『《【]+$")
_ENDS = (".", "!", "?", "。", "！", "？")
_SHORTEST_THOUGHT = 16
"""Characters from which the beginning of a thought says something."""


def _thought_end(thought: str, width: int, most: int) -> str:
    """The end of a thought that fits into a number of lines, or slightly more."""
    return thought.strip()[-(most * max(20, width)) :]


class _Columns(NamedTuple):
    """The widths of a step's columns in cells, and what stands in the right ones.

    `source` is 0 cells wide where there is no room for it.
    """

    text: int
    time: str
    source: int


def _columns(step: StepEntry, width: int) -> _Columns:
    if step.last:
        # The state line has the time of the whole turn.
        return _Columns(max(1, width - _STEP_INDENT - 1), "", 0)
    time = pad_left(_time_column(step), _TIME_WIDTH)
    room = width - _STEP_INDENT - cell_len(time) - 1
    if width >= _ROOMY:
        text = max(_TEXT_NARROWEST, round(width * _TEXT_SHARE))
        return _Columns(text, time, room - text - _COLUMN_GAP)
    if width >= _WIDE:
        return _Columns(min(_TEXT_WIDEST, room - _SOURCE_WIDTH - _COLUMN_GAP), time, _SOURCE_WIDTH)
    return _Columns(max(1, room), time, 0)


def _format_step(step: StepEntry, width: int, beside: bool) -> list[Content]:
    """The lines of a step; the thought `beside` it where there is room."""
    sign, style = _SIGNS[step.status]
    columns = _columns(step, width)
    words = wrapped(_step_text(step), columns.text)
    source = _source_column(step, beside and width >= _ROOMY)
    head = Content.assemble(
        (f"{'' if step.last else step.number:>4} ", "$foreground-muted"),
        (sign, style),
        " ",
        (padded(words[0], columns.text), "" if step.text else "$foreground-muted"),
        (f" {columns.time}", "$foreground-muted"),
    )
    if columns.source and source:
        head += Content.styled(" " * _COLUMN_GAP + shortened(source, columns.source), "$foreground-muted")
    lines = [head, *(Content(" " * _STEP_INDENT + line) for line in words[1:])]
    if step.error:
        error = wrapped(clip(step.error, _WORDS_KEPT), width - _STEP_INDENT - 2)
        lines += [Content.styled(" " * (_STEP_INDENT + 2) + line, "$text-error") for line in error]
    return lines


def _step_text(step: StepEntry) -> str:
    words = clip(step.text, _NOTE_KEPT if step.last else _WORDS_KEPT)
    if not words:
        return _(_NOTHING_CHOSEN.get(step.status, later("choosing what to do")))
    return words + format_approval(step.allowed)


def _time_column(step: StepEntry) -> str:
    match step.status:
        case StepStatus.PAUSED | StepStatus.STOPPED:
            return _("not done") if step.text else ""
        case _:
            return format_duration(step.seconds) if step.seconds is not None else ""


def _source_column(step: StepEntry, thought: bool) -> str:
    """Who chose a step, where that was not the model; with `thought`, else what the model thought."""
    match step.status:
        case StepStatus.WAITING:
            return _("waits for you") if thought else _("your turn")
        case StepStatus.BEFORE:
            return _("done before") if thought else _("before")
        case _ if step.source not in (None, Source.MODEL):
            return _(SOURCE_NAMES[step.source])
        case _ if thought and step.status not in UNDER_WAY:
            return one_line(step.thought[:_WORDS_KEPT])
        case _:
            return ""


def _note_text(note: NoteEntry) -> str:
    words = clip(note.text, _NOTE_KEPT)
    return words + _(" · read when the turn continues") if note.waits else words


def _format_note(note: NoteEntry, width: int) -> Content:
    lines = wrapped(_note_text(note), width - _STEP_INDENT)
    first = Content.assemble(" " * 5, (note.sign, _NOTE_STYLES.get(note.sign, "")), " ", lines[0])
    return Content("\n").join([first, *(Content(" " * _STEP_INDENT + line) for line in lines[1:])])


class LineMap:
    """Stores for each entry the line after its last one. Lines and entries are counted from 0.

    `width` is in cells; `thoughts` tells whether thoughts are shown below their steps.
    """

    def __init__(self) -> None:
        self.width = 0
        self.thoughts = False
        self._ends = array("L")

    @property
    def height(self) -> int:
        """How many lines there are."""
        return self._ends[-1] if self._ends else 0

    def start(self, place: int) -> int:
        """The first line of the entry at an index."""
        return self._ends[place - 1] if place else 0

    def place(self, line: int) -> int:
        """The index of the entry that contains a line."""
        return bisect_right(self._ends, line)

    def measure(self, entries: TurnEntries, first: int = 0) -> None:
        """Measure the entries from index `first` on; earlier ones are unchanged."""
        del self._ends[first:]
        end = self.height
        for place in range(len(self._ends), len(entries)):
            end += entry_height(entries[place], self.width, self.thoughts)
            self._ends.append(end)


_KEPT = 240
_PART_KEPT = 160
_NEARLY_ALL = 0.5
"""The share of an instruction that a part's value must have to be left out beside it."""
_COMMAND_INDENT = 3
_GAP = 2
_REASON_COLUMN = 40
"""Where the reasons of a command's parts begin, unless what is left of them is longer."""


def format_command(record: TurnLog, width: int, room: int) -> list[Content]:
    """The command, the meaning of its parts, and the instruction, in at most `room` lines.

    Without enough room the parts are left out: all of them once the turn runs, the older ones before.
    """
    understood = record.understood
    command = _hanging_lines(Content.styled(" › ", "$text-accent"), clip(record.said, _KEPT), width, "bold")
    parts = [line for part in understood.parts.values() for line in _format_part(part, understood, width)]
    if understood.suggestion is not None:
        why = clip(_("; ").join(understood.suggestion.why), _PART_KEPT)
        accepted = " · ".join(text for text in (_("suggested from memory, and you said yes"), why) if text)
        parts[:0] = _hanging_lines(Content(" " * _COMMAND_INDENT), accepted, width, "$foreground-muted")
    meaning: list[Content] = []
    if understood.instruction and understood.instruction != record.said:
        task = Content.styled(" " * _COMMAND_INDENT + "⇒ ", "$text-accent")
        meaning = _hanging_lines(task, clip(format_instruction(understood.instruction), _KEPT), width)
        if understood.changed:
            gap = Content(" " * (_COMMAND_INDENT + _GAP))
            meaning += _hanging_lines(gap, format_change(understood), width, "$foreground-muted")
    left = room - len(command) - len(meaning)
    if len(parts) > left:
        parts = parts[len(parts) - left :] if understood.open and left > 0 else []
    return _limit_lines([*command, *parts, *meaning], room)


def format_change(understood: CommandView) -> str:
    """The scope of a change to the instruction: this time, or from now on."""
    match understood.correction:
        case None:
            return _("as you changed it")
        case ("", _value):
            return _("as you changed it, for this time only")
        case (element, value):
            words = _("as you changed it; from now on “{element}” means {value}")
            return words.format(element=clip(element, _PART_KEPT), value=clip(value, _PART_KEPT))


def value_template(understood: CommandView, part: ElementView) -> str:
    """A template with `{value}` that says whether a part's value still holds after a change."""
    if not understood.is_removed(part):
        return "{value}"
    return _("{value} (no longer)") if understood.is_corrected(part) else _("{value} (not this time)")


def _format_part(part: ElementView, understood: CommandView, width: int) -> Iterator[Content]:
    """A part's meaning, reason and lookups; a value that is most of the instruction stands only there."""
    element = clip(part.element, _PART_KEPT)
    if part.value:
        value = value_template(understood, part).format(value=clip(part.value, _PART_KEPT))
        meaning = element if understood.is_said_by(part, _NEARLY_ALL) else f"{element} = {value}"
        yield from _align_apart(meaning, part_reason(part), width)
    elif part.unknown and not part.on_phone:
        likely = clip(joined(part.candidates), _PART_KEPT)
        yield from _align_apart(
            f"{element} = ?", _("perhaps {likely}").format(likely=likely) if likely else _("not known"), width
        )
    elif not part.unknown:
        yield from _align_apart(f"{element} = …", "", width)
    for look in part.lookups:
        yield from _align_apart(_format_lookup(look), _format_lookup_details(look), width, muted=True)


def part_reason(part: ElementView) -> str:
    """Why a part's value is believed; without a reason, where it comes from."""
    return clip(part.why, _PART_KEPT) or format_source(part.source)


def _format_lookup(look: LookupView) -> str:
    app = clip(look.app, 40)
    if not look.finished:
        return _("looks in {app}").format(app=app)
    result = clip(look.value or look.problem, _PART_KEPT) or _("nothing found")
    return _("{app}: {result}").format(app=app, result=result)


def _format_lookup_details(look: LookupView) -> str:
    if look.finished:
        return clip(look.source_screen, 60) if look.value else ""
    return " · ".join(part for part in (counted(look.steps, "step"), clip(look.latest_step, 60)) if part)


def _align_apart(left: str, right: str, width: int, muted: bool = False) -> Iterator[Content]:
    """Two texts on one line, the second from one column on; on lines of their own if they do not fit."""
    style = "$foreground-muted" if muted else ""
    indent = _COMMAND_INDENT + _GAP if muted else _COMMAND_INDENT
    room = width - indent - 1
    left_width, right_width = Content(left).cell_length, Content(right).cell_length
    free = room - left_width - right_width
    if right and free >= _GAP:
        # Near the words that it belongs to, in one column as long as they are short.
        gap = min(free, max(_GAP, _REASON_COLUMN - indent - left_width))
        yield Content.assemble(" " * indent, (left, style), " " * gap, (right, "$foreground-muted"))
        return
    for number, text in enumerate(wrapped(left, room - _GAP)):
        yield Content.styled(" " * (indent + (_GAP if number else 0)) + text, style)
    for text in wrapped(right, room - _GAP) if right else ():
        yield Content.styled(" " * (indent + _GAP) + text, "$foreground-muted")


def _hanging_lines(sign: Content, text: str, width: int, style: str = "") -> list[Content]:
    """A text after a sign, with a hanging indent."""
    indent = sign.cell_length
    first, *more = wrapped(text, width - indent) or [""]
    return [
        sign + Content.styled(first, style),
        *(Content.styled(" " * indent + line, style) for line in more),
    ]


def _limit_lines(lines: list[Content], room: int) -> list[Content]:
    if len(lines) <= room:
        return lines
    return [*lines[: room - 1], Content.styled("   …", "$foreground-muted")]


class WrappedLines(Widget):
    """A widget that is as high as its lines are at its width."""

    def lines_at(self, width: int) -> list[Content]:
        """The lines at a width in cells."""
        raise NotImplementedError

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines."""
        return len(self.lines_at(width))

    def render(self) -> Content:
        """The lines."""
        return Content("\n").join(self.lines_at(self.content_size.width))
