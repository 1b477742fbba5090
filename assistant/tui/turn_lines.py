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

from rich.cells import cell_len
from textual.content import Content

from assistant.i18n import _, counted, joined, later, pad_left, padded
from assistant.presentation.text import (
    LabelValueRow,
    StyledText,
    TextStyle,
    clip,
    format_duration,
    format_source,
)
from assistant.presentation.turn_log import (
    Entry,
    NoteEntry,
    StepEntry,
    StepStatus,
    TurnEntries,
    TurnLog,
    format_approval,
)
from assistant.presentation.understood import CommandView, ElementView, LookupView
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
"""Columns from which the source of a step is shown."""

_WORDS_KEPT = 400
_NOTE_KEPT = 4000
_THOUGHT_LINES = 60
_WORD = re.compile(r"\s*\S+\s*")


def format_entry(entry: Entry, width: int, thoughts: bool = False) -> Content:
    """A step or note for a panel `width` cells wide; with `thoughts`, the model's thought below it."""
    if isinstance(entry, NoteEntry):
        return _format_note(entry, width)
    lines = _format_step(entry, width)
    if thoughts and entry.thought:
        lines += format_thought(entry.thought, width, _THOUGHT_LINES)
    return Content("\n").join(lines)


def entry_height(entry: Entry, width: int, thoughts: bool = False) -> int:
    """The number of lines of `entry_lines`, computed at a fraction of the cost."""
    if isinstance(entry, NoteEntry):
        return wrapped_height(_note_text(entry), width - _STEP_INDENT)
    height = wrapped_height(_step_text(entry), _text_width(width, _right_column(entry, width)))
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


def _thought_end(thought: str, width: int, most: int) -> str:
    """The end of a thought that fits into a number of lines, or slightly more."""
    return thought.strip()[-(most * max(20, width)) :]


def _format_step(step: StepEntry, width: int) -> list[Content]:
    sign, style = _SIGNS[step.status]
    right = _right_column(step, width)
    room = _text_width(width, right)
    words = wrapped(_step_text(step), room)
    head = Content.assemble(
        (f"{'' if step.last else step.number:>4} ", "$foreground-muted"),
        (sign, style),
        " ",
        (padded(words[0], room), "" if step.text else "$foreground-muted"),
        (f" {right}", "$foreground-muted"),
    )
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


def _text_width(width: int, right: str) -> int:
    return width - _STEP_INDENT - cell_len(right) - 1


def _right_column(step: StepEntry, width: int) -> str:
    wide = width >= _WIDE
    if step.status is StepStatus.WAITING:
        return _("waits for you") if not wide else padded(_("waits for you"), 16)
    if step.status is StepStatus.PAUSED:
        not_done = _("not done") if step.text else ""
        return not_done if not wide else padded(not_done, 16)
    if step.status is StepStatus.BEFORE:
        return _("before") if not wide else padded(_("done before"), 16)
    time_taken = format_duration(step.seconds) if step.seconds is not None else ""
    if step.status is StepStatus.STOPPED:
        time_taken = _("stopped") if step.text else ""
    if not wide:
        return pad_left(time_taken, 7)
    return padded(_(SOURCE_NAMES[step.source]) if step.source else "", 8) + pad_left(time_taken, 8)


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
_QUOTED = re.compile("“([^”]+)”")
_NEARLY_ALL = 0.6
"""The share of a task that its quotation must have to be replaced; the rest may be the app's name."""
_COMMAND_INDENT = 3
_GAP = 2


def format_command(record: TurnLog, width: int, room: int) -> list[Content]:
    """The command, the meaning of its parts, and the instruction, in at most `room` lines.

    Without enough room the parts are left out: all of them once the turn runs, the older ones before.
    """
    understood = record.understood
    command = _hanging_lines(Content.styled(" › ", "$text-accent"), clip(record.said, _KEPT), width, "bold")
    parts = [
        line
        for part in understood.parts.values()
        for line in format_part(part, width, value_template(understood, part), understood.instruction)
    ]
    if understood.suggestion is not None:
        why = clip(_("; ").join(understood.suggestion.why), _PART_KEPT)
        accepted = " · ".join(text for text in (_("suggested from memory, and you said yes"), why) if text)
        parts[:0] = _hanging_lines(Content(" " * _COMMAND_INDENT), accepted, width, "$foreground-muted")
    meaning: list[Content] = []
    if understood.instruction and understood.instruction != record.said:
        task = Content.styled(" " * _COMMAND_INDENT + _("Task: "), "$text-accent")
        meaning = _hanging_lines(task, clip(understood.instruction, _KEPT), width)
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


def format_part(part: ElementView, width: int, how: str, task: str) -> Iterator[Content]:
    """A part's meaning, whether it holds, and why; then the lookups for it.

    A reason that quotes the `task` shown below is shortened.
    """
    if part.value:
        why = _shorten_quotation(part.why, task) if task else part.why
        about = " · ".join(text for text in (format_source(part.source), clip(why, _PART_KEPT)) if text)
        yield from _align_apart(
            _format_meaning(part, how.format(value=clip(part.value, _PART_KEPT))), about, width
        )
    elif part.unknown and not part.on_phone:
        likely = clip(joined(part.candidates), _PART_KEPT)
        yield from _align_apart(
            _("“{element}” means what?").format(element=clip(part.element, _PART_KEPT)),
            _("perhaps {likely}").format(likely=likely) if likely else _("not known"),
            width,
        )
    elif not part.unknown:
        yield from _align_apart(_format_meaning(part, "…"), "", width)
    for look in part.lookups:
        yield from _align_apart(_format_lookup(look), _format_lookup_details(look), width, muted=True)


def _shorten_quotation(why: str, task: str) -> str:
    """The reason with `this task` in place of a quotation of the task."""
    quotation = _QUOTED.search(why)
    if quotation is None:
        return why
    words = quotation[1].rstrip("….。 ").casefold()
    if not task.casefold().startswith(words) or len(words) < _NEARLY_ALL * len(task):
        return why
    return why.replace(quotation[0], _("this task"))


def _format_meaning(part: ElementView, value: str) -> str:
    return _("“{element}” means {value}").format(element=clip(part.element, _PART_KEPT), value=value)


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
    """Two texts on one line, the second right-aligned; on lines of their own if they do not fit."""
    style = "$foreground-muted" if muted else ""
    indent = _COMMAND_INDENT + _GAP if muted else _COMMAND_INDENT
    room = width - indent - 1
    free = room - Content(left).cell_length - Content(right).cell_length
    if right and free >= _GAP:
        yield Content.assemble(" " * indent, (left, style), " " * free, (right, "$foreground-muted"))
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
