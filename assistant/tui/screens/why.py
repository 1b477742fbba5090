"""Why a command was understood so: each part with its value, its source, and the records behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from assistant.records import Record
from assistant.tui.understood import Look, Part, Understood
from assistant.tui.words import clip, counted, one_line

_RECORDS = 20
_KEPT = 300
_NOT_REMEMBERED = {
    "user": "You said so.",
    "exploration": "It was read on the phone, and is remembered once the turn ends well.",
}


class WhyScreen(ModalScreen[None]):
    """Closed with Escape or F8; the turn goes on behind it.

    Args:
        understood: the command.
        evidence: gives the records that are kept, by their ids.
    """

    CSS_PATH = "why.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f8,q", "dismiss", "Close", show=False)]

    def __init__(self, understood: Understood, evidence: Callable[[Sequence[str]], Sequence[Record]]) -> None:
        super().__init__()
        self._understood = understood
        self._evidence = evidence

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll(id="why-box") as box:
            box.border_title = "Why"
            box.border_subtitle = "esc closes"
            yield Static(self._text(), id="why", markup=False)

    def _text(self) -> Content:
        lines = [line for part in self._understood.parts.values() for line in self._part(part)]
        if self._understood.instruction:
            meaning = clip(self._understood.instruction, _KEPT)
            lines.append(Content.assemble(("⇒ ", "$text-accent"), (meaning, "bold")))
        if self._understood.changed:
            lines.append(_muted("You changed it before it ran."))
        return Content("\n").join(lines)

    def _part(self, part: Part) -> Iterator[Content]:
        value = clip(part.value, _KEPT) if part.value else "not known"
        yield Content.assemble(
            (clip(part.element, _KEPT), "bold $text-accent"), " → ", (value, "bold" if part.value else "")
        )
        if part.value:
            sure = f"{part.confidence:.0%} sure"
            yield _muted(
                "  " + " · ".join(text for text in (part.source, sure, clip(part.why, _KEPT)) if text)
            )
        if part.candidates:
            yield _muted(f"  Memory alone was not sure: perhaps {clip(', '.join(part.candidates), _KEPT)}.")
        yield from (_look(look) for look in part.looks)
        yield from self._because(part)
        yield Content("")

    def _because(self, part: Part) -> Iterator[Content]:
        wanted = tuple(dict.fromkeys(part.evidence))
        records = self._evidence(wanted[:_RECORDS])
        if records:
            yield Content(f"  Because of {counted(len(wanted), 'record')}:")
        yield from (_record(record) for record in records)
        if gone := len(wanted[:_RECORDS]) - len(records):
            yield _muted(f"    {counted(gone, 'record')} {'is' if gone == 1 else 'are'} not kept any more.")
        if len(wanted) > _RECORDS:
            yield _muted(f"    … and {len(wanted) - _RECORDS} older.")
        if not wanted and part.value:
            yield _muted("  " + _NOT_REMEMBERED.get(part.source, "No record stands behind it."))


def _record(record: Record) -> Content:
    app = one_line(record.app) or "no app"
    return Content.assemble(
        (f"    {record.time:%a %d %b %Y %H:%M}  ", "$foreground-muted"),
        f"{clip(app, 40)}  “{clip(one_line(record.instruction), _KEPT)}”",
    )


def _look(look: Look) -> Content:
    app = clip(look.app, 40)
    if not look.over:
        return _muted(f"  Looks in {app}: {counted(look.steps, 'step')} so far.")
    if not look.value:
        return _muted(f"  Looked in {app}: nothing found.")
    place = f" ({clip(look.place, 60)})" if look.place else ""
    return _muted(f"  Looked in {app}{place}: {clip(look.value, _KEPT)}")


def _muted(text: str) -> Content:
    return Content.styled(text, "$foreground-muted")
