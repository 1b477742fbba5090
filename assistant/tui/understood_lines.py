"""How a command was understood, laid out as lines of a given width. Nothing here reads markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from textual.content import Content

from assistant.language import _
from assistant.tui.turn_log import TurnLog
from assistant.tui.understood import Look, Part, Understood
from assistant.tui.words import clip, counted, source_words, wrapped

_KEPT = 240
_PART_KEPT = 160
_QUOTED = re.compile("“([^”]+)”")
_NEARLY_ALL = 0.6
"""The share of a task that its quotation in a reason has: the app's name may stand behind it."""
_INDENT = 3
_GAP = 2


def command_lines(record: TurnLog, width: int, room: int) -> list[Content]:
    """What was said, what its parts stand for, and the instruction, in at most `room` lines.

    Where there is no room the parts go: all of them once the turn runs, the older ones before.
    """
    understood = record.understood
    said = _hanging(Content.styled(" › ", "$text-accent"), clip(record.said, _KEPT), width, "bold")
    parts = [
        line
        for part in understood.parts.values()
        for line in part_lines(part, width, held(understood, part), understood.instruction)
    ]
    if understood.offered is not None:
        why = clip("; ".join(understood.offered.why), _PART_KEPT)
        accepted = " · ".join(text for text in (_("suggested from memory, and you said yes"), why) if text)
        parts[:0] = _hanging(Content(" " * _INDENT), accepted, width, "$foreground-muted")
    meaning: list[Content] = []
    if understood.instruction and understood.instruction != record.said:
        task = Content.styled(" " * _INDENT + _("Task: "), "$text-accent")
        meaning = _hanging(task, clip(understood.instruction, _KEPT), width)
        if understood.changed:
            gap = Content(" " * (_INDENT + _GAP))
            meaning += _hanging(gap, changed_words(understood), width, "$foreground-muted")
    left = room - len(said) - len(meaning)
    if len(parts) > left:
        parts = parts[len(parts) - left :] if understood.open and left > 0 else []
    return _fitting([*said, *parts, *meaning], room)


def changed_words(understood: Understood) -> str:
    """What a change of the instruction is good for: this time, or from now on."""
    match understood.taught:
        case None:
            return _("as you changed it")
        case ("", _value):
            return _("as you changed it, for this time only")
        case (element, value):
            words = _("as you changed it; from now on “{element}” means {value}")
            return words.format(element=clip(element, _PART_KEPT), value=clip(value, _PART_KEPT))


def held(understood: Understood, part: Part) -> str:
    """Words with `{value}` that say whether what a part stands for still holds after a change."""
    if not understood.struck(part):
        return "{value}"
    return _("{value} (no longer)") if understood.unlearnt(part) else _("{value} (not this time)")


def part_lines(part: Part, width: int, how: str, task: str) -> Iterator[Content]:
    """What a part stands for, `how` it holds, and why; then the looks into apps for it.

    A reason that quotes the `task` that stands below need not say it again.
    """
    if part.value:
        why = _shorter(part.why, task) if task else part.why
        about = " · ".join(text for text in (source_words(part.source), clip(why, _PART_KEPT)) if text)
        yield from _split(_meaning(part, how.format(value=clip(part.value, _PART_KEPT))), about, width)
    elif part.unknown and not part.on_phone:
        likely = clip(", ".join(part.candidates), _PART_KEPT)
        yield from _split(
            _meaning(part, "?"),
            _("perhaps {likely}").format(likely=likely) if likely else _("not known"),
            width,
        )
    elif not part.unknown:
        yield from _split(_meaning(part, "…"), "", width)
    for look in part.looks:
        yield from _split(_look_words(look), _look_figures(look), width, muted=True)


def _shorter(why: str, task: str) -> str:
    """A reason with `this task` in the place of its words, where it quotes them."""
    quoted = _QUOTED.search(why)
    if quoted is None:
        return why
    words = quoted[1].rstrip("….。 ").casefold()
    if not task.casefold().startswith(words) or len(words) < _NEARLY_ALL * len(task):
        return why
    return why.replace(quoted[0], _("this task"))


def _meaning(part: Part, value: str) -> str:
    return _("“{element}” means {value}").format(element=clip(part.element, _PART_KEPT), value=value)


def _look_words(look: Look) -> str:
    app = clip(look.app, 40)
    if not look.over:
        return _("looks in {app}").format(app=app)
    found = clip(look.value, _PART_KEPT) if look.value else _("nothing found")
    return f"{app}: {found}"


def _look_figures(look: Look) -> str:
    if look.over:
        return clip(look.place, 60) if look.value else ""
    return " · ".join(part for part in (counted(look.steps, "step"), clip(look.doing, 60)) if part)


def _split(left: str, right: str, width: int, muted: bool = False) -> Iterator[Content]:
    """Two texts on one line, the second at its end, or each on lines of its own where they do not fit."""
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


def _hanging(sign: Content, text: str, width: int, style: str = "") -> list[Content]:
    """A text after a sign, its further lines below its first word."""
    indent = sign.cell_length
    first, *more = wrapped(text, width - indent) or [""]
    return [sign + Content.styled(first, style), *(Content.styled(" " * indent + one, style) for one in more)]


def _fitting(lines: list[Content], room: int) -> list[Content]:
    if len(lines) <= room:
        return lines
    return [*lines[: room - 1], Content.styled("   …", "$foreground-muted")]
