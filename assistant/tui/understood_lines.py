"""Formats the interpretation of a command as lines of a given width. No text is parsed as markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from textual.content import Content

from assistant.i18n import _, counted
from assistant.presentation.text import clip, format_source, wrapped
from assistant.presentation.turn_log import TurnLog
from assistant.presentation.understood import Look, Part, Understood

_KEPT = 240
_PART_KEPT = 160
_QUOTED = re.compile("“([^”]+)”")
_NEARLY_ALL = 0.6
"""The share of a task that its quotation must have to be replaced; the rest may be the app's name."""
_INDENT = 3
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
    if understood.offered is not None:
        why = clip("; ".join(understood.offered.why), _PART_KEPT)
        accepted = " · ".join(text for text in (_("suggested from memory, and you said yes"), why) if text)
        parts[:0] = _hanging_lines(Content(" " * _INDENT), accepted, width, "$foreground-muted")
    meaning: list[Content] = []
    if understood.instruction and understood.instruction != record.said:
        task = Content.styled(" " * _INDENT + _("Task: "), "$text-accent")
        meaning = _hanging_lines(task, clip(understood.instruction, _KEPT), width)
        if understood.changed:
            gap = Content(" " * (_INDENT + _GAP))
            meaning += _hanging_lines(gap, format_change(understood), width, "$foreground-muted")
    left = room - len(command) - len(meaning)
    if len(parts) > left:
        parts = parts[len(parts) - left :] if understood.open and left > 0 else []
    return _limit_lines([*command, *parts, *meaning], room)


def format_change(understood: Understood) -> str:
    """The scope of a change to the instruction: this time, or from now on."""
    match understood.taught:
        case None:
            return _("as you changed it")
        case ("", _value):
            return _("as you changed it, for this time only")
        case (element, value):
            words = _("as you changed it; from now on “{element}” means {value}")
            return words.format(element=clip(element, _PART_KEPT), value=clip(value, _PART_KEPT))


def value_template(understood: Understood, part: Part) -> str:
    """A template with `{value}` that says whether a part's value still holds after a change."""
    if not understood.is_removed(part):
        return "{value}"
    return _("{value} (no longer)") if understood.is_relearnt(part) else _("{value} (not this time)")


def format_part(part: Part, width: int, how: str, task: str) -> Iterator[Content]:
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
        likely = clip(", ".join(part.candidates), _PART_KEPT)
        yield from _align_apart(
            _format_meaning(part, "?"),
            _("perhaps {likely}").format(likely=likely) if likely else _("not known"),
            width,
        )
    elif not part.unknown:
        yield from _align_apart(_format_meaning(part, "…"), "", width)
    for look in part.looks:
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


def _format_meaning(part: Part, value: str) -> str:
    return _("“{element}” means {value}").format(element=clip(part.element, _PART_KEPT), value=value)


def _format_lookup(look: Look) -> str:
    app = clip(look.app, 40)
    if not look.over:
        return _("looks in {app}").format(app=app)
    result = clip(look.value, _PART_KEPT) if look.value else _("nothing found")
    return f"{app}: {result}"


def _format_lookup_details(look: Look) -> str:
    if look.over:
        return clip(look.place, 60) if look.value else ""
    return " · ".join(part for part in (counted(look.steps, "step"), clip(look.doing, 60)) if part)


def _align_apart(left: str, right: str, width: int, muted: bool = False) -> Iterator[Content]:
    """Two texts on one line, the second right-aligned; on lines of their own if they do not fit."""
    style = "$foreground-muted" if muted else ""
    indent = _INDENT + _GAP if muted else _INDENT
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
