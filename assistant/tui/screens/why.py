"""Explains a command's interpretation: each part with its value, source, and supporting records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget

from assistant.i18n import _, counted, joined, later, moment, ngettext
from assistant.presentation.text import clip, one_line
from assistant.presentation.understood import CommandView, ElementView, LookupView, SuggestionView
from assistant.records import Record
from assistant.tui.memory.jobs import Where
from assistant.tui.turn_lines import format_change, part_reason, value_template

_RECORDS = 20
_KEPT = 300
_NOT_REMEMBERED = {
    "user": later("You said so."),
    "exploration": later("Read on the phone. Remembered when the turn succeeds."),
    "mcp": later("Read just now in another source. Not remembered: it is asked again."),
}

Paragraph = tuple[int, Content]
"""A text and its indentation in cells."""

Evidence = Callable[[Sequence[str]], Sequence[Record]]
"""Loads the records with some ids that are still stored."""


class WhyScreen(ModalScreen[Where | None]):
    """Closed with Escape, F8 or by typing; the turn continues behind it. A number shows a part in the memory.

    Args:
        understood: the interpretation.
        evidence: loads the records with these ids that are still stored.
    """

    CSS_PATH = "why.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f8", "dismiss", "Close", show=False),
        *(Binding(str(number), f"memory({number})", show=False) for number in range(1, 10)),
    ]

    @dataclass
    class Typed(Message):
        """Text was typed that belongs into the field."""

        text: str

    def __init__(self, understood: CommandView, evidence: Evidence) -> None:
        super().__init__()
        self._left = False
        self._understood = understood
        self._evidence = evidence

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll(id="why-box") as box:
            box.border_title = _("Why")
            box.border_subtitle = _("1 shows the first in the memory · ↑↓ scroll · esc closes")
            nothing = [_muted_paragraph(0, _("Nothing of the memory was used: it was taken as you said it."))]
            yield Paragraphs(list(explain(self._understood, self._evidence)) or nothing)

    def on_key(self, event: events.Key) -> None:
        """A letter is the beginning of a line: it closes this, and goes into the field."""
        begins = event.is_printable and event.character is not None and not event.character.isdecimal()
        if event.character is not None and (begins or (self._left and event.is_printable)):
            event.stop()
            self.post_message(self.Typed(event.character))
            if not self._left:
                self._left = True
                self.dismiss(None)

    def action_memory(self, number: int) -> None:
        """Close, and show a part in the memory."""
        explained = _explained_parts(self._understood)
        if number > len(explained) or not explained[number - 1].evidence:
            return
        match explained[number - 1]:
            case SuggestionView(id=suggestion_id):
                self.dismiss(lambda view: view.spot_of_suggestion(suggestion_id))
            case ElementView(evidence=evidence, source=source, value=value):
                profile_value = value if source == "profile" else ""
                self.dismiss(lambda view: view.spot(evidence, profile_value))


def _explained_parts(understood: CommandView) -> list[SuggestionView | ElementView]:
    """The explained parts, in the order of their numbers."""
    suggestion = understood.suggestion
    return [*([suggestion] if suggestion is not None else []), *understood.parts.values()]


def explain(
    understood: CommandView, evidence: Evidence, most: int = _RECORDS, *, beside: bool = False
) -> Iterator[Paragraph]:
    """Each part of a command with its meaning, source and records.

    Args:
        understood: the interpretation.
        evidence: loads its records.
        most: how many records of a part are listed.
        beside: whether the command stands beside it: then only what that leaves out is said.
    """
    for number, part in enumerate(_explained_parts(understood), start=1):
        sign = number if part.evidence and not beside else 0
        if beside and not part.evidence:
            continue
        if isinstance(part, SuggestionView):
            yield from _format_suggestion(part, sign)
        elif not (part.value or part.candidates or part.unknown or part.lookups):
            # Nothing is known of it yet: the question about the command says more.
            continue
        elif beside:
            yield 0, Content.styled(clip(part.element, _KEPT), "bold $text-accent")
        else:
            yield from _format_part(part, sign, value_template(understood, part))
            yield from (_format_lookup(look) for look in part.lookups)
        yield from _format_evidence(part, evidence, most, beside)
        yield 0, Content("")
    if understood.instruction and not beside:
        meaning = clip(understood.instruction, _KEPT)
        yield 0, Content.assemble(("⇒ ", "$text-accent"), (meaning, "bold"))
        if understood.changed:
            yield _muted_paragraph(2, format_change(understood))


def _format_evidence(
    part: SuggestionView | ElementView, evidence: Evidence, most: int, beside: bool
) -> Iterator[Paragraph]:
    record_ids = tuple(dict.fromkeys(part.evidence))
    indent = 2 if beside else 4
    records = evidence(record_ids[:most])
    if records and not beside:
        yield 2, Content(_("Because of {records}:").format(records=counted(len(record_ids), "record")))
    yield from (_format_moment(record) if beside else _format_record(record) for record in records)
    if missing := len(record_ids[:most]) - len(records):
        message = ngettext(
            "{count} record is not kept any more.", "{count} records are not kept any more.", missing
        )
        yield _muted_paragraph(indent, message.format(count=missing))
    if len(record_ids) > most:
        yield _muted_paragraph(indent, _("… and {count} older.").format(count=len(record_ids) - most))
    if not record_ids and isinstance(part, ElementView) and part.value:
        yield _muted_paragraph(2, _(_NOT_REMEMBERED.get(part.source, later("No records support it."))))


class ReasonsPanel(VerticalScroll, can_focus=False):
    """What the running command rests on, beside it where there is room.

    Args:
        evidence: loads the records with these ids that are still stored.
    """

    MOST = 8
    """How many records of a part are listed; F8 has more."""

    def __init__(self, evidence: Evidence) -> None:
        self._text = Paragraphs([])
        super().__init__(self._text, id="reasons")
        self.border_title = _("why")
        self._evidence = evidence
        self._shown = ""

    def show(self, understood: CommandView) -> None:
        """Show the reasons of an interpretation; reads the records only when it has changed."""
        state = repr(understood) if understood.is_explainable else ""
        if state == self._shown:
            return
        self._shown = state
        paragraphs = list(explain(understood, self._evidence, self.MOST, beside=True)) if state else []
        # The last paragraph is the gap to a next part.
        self._text.show(paragraphs[:-1])
        self.set_class(bool(paragraphs), "-filled")


class Paragraphs(Widget):
    """Paragraphs with a hanging indent."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        super().__init__(id="why")
        self._paragraphs = paragraphs

    def show(self, paragraphs: Sequence[Paragraph]) -> None:
        """Show other paragraphs."""
        self._paragraphs = paragraphs
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are at this width."""
        return len(self._lines(width))

    def render(self) -> Content:
        """The lines."""
        return Content("\n").join(self._lines(self.content_size.width))

    def _lines(self, width: int) -> list[Content]:
        return [line for indent, text in self._paragraphs for line in _wrap_paragraph(indent, text, width)]


def _wrap_paragraph(indent: int, text: Content, width: int) -> Iterator[Content]:
    lines = text.wrap(max(2, width - indent - 2)) or [text]
    for number, line in enumerate(lines):
        yield Content(" " * (indent + (2 if number else 0))) + line


def _format_suggestion(suggestion: SuggestionView, number: int) -> Iterator[Paragraph]:
    sign = (f"{number} ", "$foreground-muted") if number else ""
    routine = (clip(suggestion.instruction, _KEPT), "bold")
    yield 0, Content.assemble(sign, (_("Suggestion"), "bold $text-accent"), ": ", routine)
    yield _muted_paragraph(2, " · ".join(clip(reason, _KEPT) for reason in suggestion.why))


def _format_part(part: ElementView, number: int, how: str) -> Iterator[Paragraph]:
    value = clip(part.value, _KEPT) if part.value else "?"
    element = (clip(part.element, _KEPT), "bold $text-accent")
    sign = (f"{number} ", "$foreground-muted") if number else ""
    before, _value, after = how.partition("{value}")
    yield (
        0,
        Content.assemble(sign, element, f" = {before}", (value, "bold" if part.value else ""), after),
    )
    if part.value:
        # Counts and days say how sure it is; estimates made for different purposes would contradict them.
        yield _muted_paragraph(2, part_reason(part))
    if part.candidates:
        perhaps = clip(joined(part.candidates), _KEPT)
        yield _muted_paragraph(2, _("Memory was not certain. Candidates: {perhaps}.").format(perhaps=perhaps))


def _format_lookup(look: LookupView) -> Paragraph:
    app = clip(look.app, 40)
    if not look.finished:
        return _muted_paragraph(
            2, _("Looks in {app}: {steps} so far.").format(app=app, steps=counted(look.steps, "step"))
        )
    if look.problem:
        return _muted_paragraph(2, _("{app}: {problem}").format(app=app, problem=clip(look.problem, _KEPT)))
    if not look.value:
        return _muted_paragraph(2, _("Looked in {app}: nothing found.").format(app=app))
    place = f" ({clip(look.source_screen, 60)})" if look.source_screen else ""
    value = clip(look.value, _KEPT)
    return _muted_paragraph(2, _("Looked in {app}: {found}").format(app=app + place, found=value))


def _format_record(record: Record) -> Paragraph:
    app = one_line(record.app) or _("no app")
    when = f"{moment(record.time, year=True)}  "
    text = f"{clip(app, 40)}  “{clip(one_line(record.instruction), _KEPT)}”"
    return 4, Content.assemble((when, "$foreground-muted"), text)


def _format_moment(record: Record) -> Paragraph:
    place = _(one_line(record.scenario)) if record.scenario != "unknown" else ""
    where = " · ".join(clip(part, 40) for part in (place, one_line(record.app)) if part)
    return 2, Content.assemble((f"{moment(record.time)}  ", "$foreground-muted"), where)


def _muted_paragraph(indent: int, text: str) -> Paragraph:
    return indent, Content.styled(text, "$foreground-muted")
