"""Why a command was understood so: each part with its value, its source, and the records behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widget import Widget

from assistant.language import _, later, ngettext
from assistant.records import Record
from assistant.tui.memory_work import Where
from assistant.tui.understood import Look, Offered, Part, Understood
from assistant.tui.understood_lines import changed_words, held
from assistant.tui.words import clip, counted, moment, one_line, source_words

_RECORDS = 20
_KEPT = 300
_NOT_REMEMBERED = {
    "user": later("You said so."),
    "exploration": later("It was read on the phone, and is remembered once the turn ends well."),
}

Paragraph = tuple[int, Content]
"""A text and how far it is indented, in cells."""


class WhyScreen(ModalScreen[Where | None]):
    """Closed with Escape or F8; the turn goes on behind it. A part's number answers where the memory has it.

    Args:
        understood: the command.
        evidence: gives the records that are kept, by their ids.
    """

    CSS_PATH = "why.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f8,q", "dismiss", "Close", show=False),
        *(Binding(str(number), f"memory({number})", show=False) for number in range(1, 10)),
    ]

    def __init__(self, understood: Understood, evidence: Callable[[Sequence[str]], Sequence[Record]]) -> None:
        super().__init__()
        self._understood = understood
        self._evidence = evidence

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll(id="why-box") as box:
            box.border_title = _("Why")
            box.border_subtitle = _("its number shows it in the memory · esc closes")
            yield Paragraphs(list(self._paragraphs()))

    def action_memory(self, number: int) -> None:
        """Close, and show a part in the memory."""
        explained = self._explained()
        if number > len(explained) or not explained[number - 1].evidence:
            return
        match explained[number - 1]:
            case Offered(id=suggestion_id):
                self.dismiss(lambda view: view.spot_of_suggestion(suggestion_id))
            case Part(evidence=evidence, source=source, value=value):
                known = value if source == "profile" else ""
                self.dismiss(lambda view: view.spot(evidence, known))

    def _explained(self) -> list[Offered | Part]:
        """What is explained, in the order of its numbers."""
        offered = self._understood.offered
        return [*([offered] if offered is not None else []), *self._understood.parts.values()]

    def _paragraphs(self) -> Iterator[Paragraph]:
        understood = self._understood
        for number, one in enumerate(self._explained(), start=1):
            sign = number if one.evidence else 0
            if isinstance(one, Offered):
                yield from _offered(one, sign)
            else:
                yield from _part(one, sign, held(understood, one))
                yield from (_look(look) for look in one.looks)
            yield from self._because(one)
            yield 0, Content("")
        if understood.instruction:
            meaning = clip(understood.instruction, _KEPT)
            yield 0, Content.assemble((_("Task: "), "$text-accent"), (meaning, "bold"))
        if understood.changed:
            yield _muted(2, changed_words(understood))

    def _because(self, one: Offered | Part) -> Iterator[Paragraph]:
        wanted = tuple(dict.fromkeys(one.evidence))
        records = self._evidence(wanted[:_RECORDS])
        if records:
            yield 2, Content(_("Because of {records}:").format(records=counted(len(wanted), "record")))
        yield from (_record(record) for record in records)
        if gone := len(wanted[:_RECORDS]) - len(records):
            lost = ngettext(
                "{count} record is not kept any more.", "{count} records are not kept any more.", gone
            )
            yield _muted(4, lost.format(count=gone))
        if len(wanted) > _RECORDS:
            yield _muted(4, _("… and {count} older.").format(count=len(wanted) - _RECORDS))
        if not wanted and isinstance(one, Part) and one.value:
            yield _muted(2, _(_NOT_REMEMBERED.get(one.source, later("No record stands behind it."))))


class Paragraphs(Widget):
    """Paragraphs whose further lines stand below their first words."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        super().__init__(id="why")
        self._paragraphs = paragraphs

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are at this width."""
        return len(self._lines(width))

    def render(self) -> Content:
        """The lines."""
        return Content("\n").join(self._lines(self.content_size.width))

    def _lines(self, width: int) -> list[Content]:
        return [line for indent, text in self._paragraphs for line in _wrapped(indent, text, width)]


def _wrapped(indent: int, text: Content, width: int) -> Iterator[Content]:
    lines = text.wrap(max(2, width - indent - 2)) or [text]
    for number, line in enumerate(lines):
        yield Content(" " * (indent + (2 if number else 0))) + line


def _offered(offered: Offered, number: int) -> Iterator[Paragraph]:
    sign = (f"{number} ", "$foreground-muted") if number else ""
    routine = (clip(offered.instruction, _KEPT), "bold")
    yield 0, Content.assemble(sign, (_("Suggestion"), "bold $text-accent"), ": ", routine)
    likely = _("{score:.0%} likely when it was offered").format(score=offered.score)
    yield _muted(2, " · ".join((likely, *(clip(one, _KEPT) for one in offered.why))))


def _part(part: Part, number: int, how: str) -> Iterator[Paragraph]:
    value = clip(part.value, _KEPT) if part.value else "?"
    element = (clip(part.element, _KEPT), "bold $text-accent")
    sign = (f"{number} ", "$foreground-muted") if number else ""
    before, means, after = _in_between(_("“{element}” means {value}"), "{element}", "{value}")
    ahead, behind = _in_between(how, "{value}")
    meaning = (value, "bold" if part.value else "")
    yield 0, Content.assemble(sign, before, element, means + ahead, meaning, behind + after)
    if part.value:
        sure = _("{confidence:.0%} sure").format(confidence=part.confidence)
        yield _muted(
            2, " · ".join(text for text in (source_words(part.source), sure, clip(part.why, _KEPT)) if text)
        )
    if part.candidates:
        perhaps = clip(", ".join(part.candidates), _KEPT)
        yield _muted(2, _("Memory alone was not sure: perhaps {perhaps}.").format(perhaps=perhaps))


def _in_between(sentence: str, *places: str) -> list[str]:
    """A sentence in parts, without what stands for something else."""
    parts = [sentence]
    for place in places:
        parts += parts.pop().split(place, 1)
    return parts


def _look(look: Look) -> Paragraph:
    app = clip(look.app, 40)
    if not look.over:
        return _muted(
            2, _("Looks in {app}: {steps} so far.").format(app=app, steps=counted(look.steps, "step"))
        )
    if not look.value:
        return _muted(2, _("Looked in {app}: nothing found.").format(app=app))
    place = f" ({clip(look.place, 60)})" if look.place else ""
    found = clip(look.value, _KEPT)
    return _muted(2, _("Looked in {app}: {found}").format(app=app + place, found=found))


def _record(record: Record) -> Paragraph:
    app = one_line(record.app) or _("no app")
    when = f"{moment(record.time, year=True)}  "
    said = f"{clip(app, 40)}  “{clip(one_line(record.instruction), _KEPT)}”"
    return 4, Content.assemble((when, "$foreground-muted"), said)


def _muted(indent: int, text: str) -> Paragraph:
    return indent, Content.styled(text, "$foreground-muted")
