"""Small screens over the main one: those in which one thing is picked from a list, and the help.

`SuggestionsScreen` has past suggestions, newest first: Enter puts one into the input field. `PhonesScreen`
has the connected phones: Enter selects one, and the choice is remembered. `RulesScreen` has the rules by
which deeds are always allowed: Enter takes one back. `WhereScreen` lets users say where they are; that
scenario holds until the phone is elsewhere.

`HelpScreen` tells keys and states, built from the program's own tables. `WhyScreen` explains a
command's interpretation: each part with its value, source, and supporting records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from assistant.events import Answer, Cause, TurnState
from assistant.i18n import _, counted, joined, later, moment, ngettext, padded, wrap
from assistant.memory.store import StandingApproval
from assistant.memory_view.sections import ANSWER_WORDS
from assistant.phone.errors import PhoneStatus
from assistant.presentation.command_meaning import CommandView, ElementView, LookupView, SuggestionView
from assistant.presentation.text import clip, format_headline, format_kind, one_line
from assistant.presentation.ui_state import InputTarget, UiState
from assistant.proactive.suggestions import Suggestion
from assistant.records import SCENARIOS, Record
from assistant.tui.keys import HISTORY, KEYS, QUEUE, SETTINGS, TYPING, ListKey, shown_key, with_user_keys
from assistant.tui.memory.jobs import MEMORY, Where
from assistant.tui.turn_lines import WrappedLines, format_change, part_reason, value_template
from assistant.tui.widgets.around_turn import format_phone_state
from assistant.tui.widgets.input_lists import SLASH_COMMANDS

_NAME, _SERIAL = 18, 24


class PhonesScreen(ModalScreen[str | None]):
    """Returns the serial of the chosen phone, or None.

    Args:
        phones: the phones, in any state.
        used: the serial of the one in use.
    """

    CSS_PATH = "pickers.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "Close", show=False)]

    def __init__(self, phones: Sequence[PhoneStatus], used: str) -> None:
        super().__init__()
        self._phones = list(phones)
        self._used = used

    def compose(self) -> ComposeResult:
        """The list, with the phone in use highlighted."""
        choices = OptionList(
            *(Option(self._row(phone)) for phone in self._phones), id="phones-list", markup=False
        )
        serials = [phone.serial for phone in self._phones]
        choices.highlighted = serials.index(self._used) if self._used in serials else 0
        choices.border_title = _("Phones")
        choices.border_subtitle = _("enter uses one · esc closes")
        yield choices

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Return the serial."""
        self.dismiss(self._phones[message.option_index].serial)

    def _row(self, phone: PhoneStatus) -> Content:
        battery = f"{phone.battery}%" if phone.battery is not None else ""
        state = format_phone_state(phone.state) or _("ready")
        in_use = _("in use") if phone.serial == self._used else ""
        return Content.assemble(
            (padded(clip(one_line(phone.model) or _("phone"), _NAME - 2), _NAME), "bold"),
            padded(clip(one_line(phone.serial), _SERIAL - 2), _SERIAL),
            padded(battery, 6),
            " · ".join(words for words in (state, in_use) if words),
        )


_LENGTH = 160
_WORDS = {**ANSWER_WORDS, Answer.NONE: later("undecided")}


@dataclass(frozen=True, slots=True)
class PickedSuggestion:
    """A suggestion to use again; `why` is its id if its evidence is to be shown in the memory."""

    instruction: str
    why: str = ""


class SuggestionsScreen(ModalScreen[PickedSuggestion | None]):
    """Returns the chosen suggestion, or None."""

    CSS_PATH = "pickers.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close", show=False),
        Binding("w,f8", "why", "Why", show=False),
    ]

    def __init__(self, past: Sequence[Suggestion]) -> None:
        super().__init__()
        self._past = list(past)
        self._choices = OptionList(
            *(Option(_format_suggestion(suggestion)) for suggestion in self._past),
            id="suggestions",
            markup=False,
        )

    def compose(self) -> ComposeResult:
        """The list."""
        choices = self._choices
        choices.border_title = _("Past suggestions")
        choices.border_subtitle = _("enter picks · w why · esc closes")
        yield choices

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Return the chosen instruction."""
        self.dismiss(PickedSuggestion(self._past[message.option_index].instruction))

    def action_why(self) -> None:
        """Show the suggestion's evidence in the memory."""
        if (place := self._choices.highlighted) is not None:
            suggestion = self._past[place]
            self.dismiss(PickedSuggestion(suggestion.instruction, suggestion.id))


def _format_suggestion(suggestion: Suggestion) -> Content:
    return Content.assemble(
        (f"{moment(suggestion.made)}  ", "$foreground-muted"),
        (padded(_(_WORDS[suggestion.answer]), 12), "bold"),
        clip(one_line(suggestion.instruction), _LENGTH),
    )


_BACK = later("leave it to the phone")


class RulesScreen(ModalScreen[StandingApproval | None]):
    """Returns the rule to take back, or None."""

    CSS_PATH = "pickers.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "Close", show=False)]

    def __init__(self, rules: Sequence[StandingApproval]) -> None:
        super().__init__()
        self._rules = list(rules)

    def compose(self) -> ComposeResult:
        """The rules, app by app."""
        choices = OptionList(
            *(Option(Content(_format_rule(rule))) for rule in self._rules), id="phones-list", markup=False
        )
        choices.border_title = _("Allowed always")
        choices.border_subtitle = _("enter takes one back · esc closes")
        yield choices

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Return the rule."""
        self.dismiss(self._rules[message.option_index])


def _format_rule(rule: StandingApproval) -> str:
    whom = one_line(f"{rule.recipient} {rule.item}")
    parts = (format_kind(rule.kind), one_line(rule.app or rule.package), whom)
    return " · ".join(part for part in parts if part)


class WhereScreen(ModalScreen[str | None]):
    """Returns a scenario, an empty text to undo an earlier statement, or None."""

    CSS_PATH = "pickers.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "Close", show=False)]

    def compose(self) -> ComposeResult:
        """The list."""
        options = [Option(Content(_(words))) for words in (*SCENARIOS, _BACK)]
        choices = OptionList(*options, id="where", markup=False)
        choices.border_title = _("Where are you?")
        choices.border_subtitle = _("enter picks · esc closes")
        yield choices

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Return the chosen scenario."""
        self.dismiss((*SCENARIOS, "")[message.option_index])


_STATES = (
    (None, None),
    (TurnState.RESOLVING, Cause.COMMAND),
    (TurnState.RUNNING, Cause.THINKING),
    (TurnState.RUNNING, Cause.ACTING),
    (TurnState.RUNNING, Cause.OBSERVING),
    (TurnState.WAITING, Cause.APPROVAL),
    (TurnState.WAITING, Cause.QUESTION),
    (TurnState.WAITING, Cause.MEANING),
    (TurnState.WAITING, Cause.PHONE),
    (TurnState.WAITING, Cause.MODEL),
    (TurnState.PAUSING, Cause.USER_PAUSED),
    (TurnState.PAUSED, Cause.USER_PAUSED),
    (TurnState.PAUSED, Cause.HANDED_OVER),
    (TurnState.FINISHED, Cause.DONE),
    (TurnState.FAILED, Cause.DONE),
    (TurnState.CANCELLED, Cause.DONE),
    (TurnState.UNCONFIRMED, Cause.DONE),
)
_BY_ACCIDENT = later(
    "A decision does not take the focus, and plain letters do not answer it. Its keys work half a second "
    "after it appears and one second after the last letter typed, so that nothing is approved by accident."
)
_MEANING = later(
    "A command that was filled in from memory is shown before it runs, and goes on after a few seconds "
    "(turn.confirm_meaning_seconds). Typing stops the count: the field then says what to do."
)


_ENTER = {
    InputTarget.COMMAND: later("Start what is in the field"),
    InputTarget.SAY: later("Tell the running turn; a command of its own can be the next one"),
    InputTarget.SAY_LATER: later("Tell the turn, which reads it when it continues"),
    InputTarget.ANSWER: later("Answer the question with the words in the field"),
    InputTarget.INSTEAD: later("Refuse, and do what is in the field instead"),
    InputTarget.MEANING: later("Do what is in the field"),
}


class HelpScreen(ModalScreen[None]):
    """Closed with Escape or F1; the turn goes on behind it.

    Args:
        situation: the state of the interface.
        memory: the active keys of the memory panel, if it has the focus.
    """

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q", "dismiss", "Close", show=False)]

    def __init__(self, situation: UiState, memory: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self._situation = situation
        self._memory = memory

    def compose(self) -> ComposeResult:
        """One scrolling text, beginning with what can be done now."""
        with VerticalScroll(id="help-box") as box:
            box.border_title = _("Help")
            box.border_subtitle = _("esc closes")
            yield Static(id="help", markup=False)

    def on_resize(self) -> None:
        """Break the lines for the new width, once the box has it."""
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        width = self.query_one("#help-box").scrollable_content_region.width
        self.query_one("#help", Static).update(_format_help(self._situation, self._memory, width))


def _format_help(situation: UiState, memory: Sequence[tuple[str, str]], width: int) -> Content:
    keys = [(shown_key(key), _(key.help)) for key in KEYS if key.help and shown_key(key)]
    commands = [(f"/{command.name}", command.about) for command in SLASH_COMMANDS]
    sign, state = format_headline(situation.state, situation.cause)
    signs = [format_headline(state, cause) for state, cause in _STATES]
    rows = partial(_rows, width=width)
    return Content("\n").join(
        [
            _heading(_("Now: {state}").format(state=f"{sign} {state}")),
            *([_heading(_("In the memory, now")), *rows(list(memory))] if memory else ()),
            *rows(_active_keys(situation)),
            _heading("\n" + _("Keys")),
            *rows(keys),
            _heading("\n" + _("Commands")),
            *rows(commands),
            _heading("\n" + _("Typing")),
            *rows([(_(shown), _(words)) for shown, words in TYPING]),
            _heading("\n" + _("In the memory (f2), while its list has the focus")),
            *rows([(_(key.shown), _(key.help)) for key in MEMORY if key.help]),
            _heading("\n" + _("In the past turns (/history)")),
            *rows(_describe_keys(HISTORY)),
            _heading("\n" + _("In the queue of commands (/queue)")),
            *rows(_describe_keys(QUEUE)),
            _heading("\n" + _("In the settings (/settings)")),
            *rows(_describe_keys(SETTINGS)),
            _heading("\n" + _("Decisions")),
            Content(_(_BY_ACCIDENT)),
            Content(_(_MEANING)),
            _heading("\n" + _("States")),
            *(Content(f"  {sign} {words}") for sign, words in signs),
        ]
    )


def _active_keys(situation: UiState) -> list[tuple[str, str]]:
    """What Enter does now, and the keys that are active only now."""
    help_by_key = {key.shown: _(key.help) for key in KEYS if key.help and key.when(situation)}
    pressing = [(key.shown, _(key.words)) for key in KEYS if key.words and key.when(situation)]
    rows = [("enter", _(_ENTER[situation.field]))]
    rows += [
        (with_user_keys(_(shown)), help_by_key.get(shown, words))
        for shown, words in pressing
        if shown != "f1"
    ]
    return list(dict.fromkeys(rows))


def _describe_keys(keys: Sequence[ListKey]) -> list[tuple[str, str]]:
    return [(_(key.shown), _(key.help)) for key in keys if key.help]


def _heading(words: str) -> Content:
    return Content.styled(with_user_keys(words), "bold $text-accent")


_WORDS_AT = 13
"""The column at which the words behind a key begin."""


def _rows(rows: Iterable[tuple[str, str]], width: int) -> list[Content]:
    """A key and its words each; further lines of the words begin where the first does."""
    return [
        Content.assemble(
            "  ",
            (padded(shown, _WORDS_AT - 2), "bold"),
            ("\n" + " " * _WORDS_AT).join(wrap(words, max(1, width - max(_WORDS_AT, cell_len(shown) + 2)))),
        )
        for shown, words in rows
    ]


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
            yield from _format_suggested(part, sign)
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


class Paragraphs(WrappedLines):
    """Paragraphs with a hanging indent."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        super().__init__(id="why")
        self._paragraphs = paragraphs

    def show(self, paragraphs: Sequence[Paragraph]) -> None:
        """Show other paragraphs."""
        self._paragraphs = paragraphs
        self.refresh(layout=True)

    def lines_at(self, width: int) -> list[Content]:
        """The wrapped paragraphs."""
        return [line for indent, text in self._paragraphs for line in _wrap_paragraph(indent, text, width)]


def _wrap_paragraph(indent: int, text: Content, width: int) -> Iterator[Content]:
    lines = text.wrap(max(2, width - indent - 2)) or [text]
    for number, line in enumerate(lines):
        yield Content(" " * (indent + (2 if number else 0))) + line


def _format_suggested(suggestion: SuggestionView, number: int) -> Iterator[Paragraph]:
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
