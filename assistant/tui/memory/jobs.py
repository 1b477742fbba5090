"""The memory panel's work in threads, its prompt, and the table of its keys.

Each job of `MemoryJobs` ends with a message, such as `MemoryLoaded`. `MemoryPrompt` shows the messages,
questions and text fields of the dialogs below the details, one at a time. Bindings, footer and help of the
panel are built from the table of keys.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from assistant.engine import Engine
from assistant.i18n import _, later
from assistant.memory_view.items import (
    Item,
    ItemAction,
    ItemDetails,
    ItemField,
    ItemList,
    ItemLocation,
    MemoryProblem,
    Section,
)
from assistant.memory_view.service import MemoryView
from assistant.presentation.text import one_line, safe
from assistant.presentation.ui_state import KeyGate
from assistant.tui.keys import Key
from assistant.tui.widgets.command_input import TextBlock, TextField
from assistant.turn_runner import NotReady

READING, NOT_READ = -1, -2
"""Values used in place of a revision: the section is being read, or could not be read yet."""

Ask = Callable[[MemoryView], str]
"""Queries or changes the memory; returns a sentence for the user."""

Where = Callable[[MemoryView], ItemLocation]
"""Finds the location of an item in the memory."""


@dataclass
class MemoryLoaded(Message):
    """A section was read."""

    section: Section
    listing: ItemList
    mark: int = READING


@dataclass
class MemoryStale(Message):
    """The memory was changed since the section was read, by this or another program."""


@dataclass
class MemoryFound(Message):
    """Results of a text search; posted again with results of the semantic search."""

    section: Section
    text: str
    listing: ItemList


@dataclass
class MemoryDetailsLoaded(Message):
    """The details of an item."""

    item: Item
    details: ItemDetails


@dataclass
class MemoryPreviewReady(Message):
    """The preview of a change, or a `problem`."""

    item: Item | None
    sentence: str
    problem: bool = False


@dataclass
class MemoryChanged(Message):
    """A change was written; or a `problem`, why it failed."""

    sentence: str
    problem: bool = False


@dataclass
class MemoryItemLocated(Message):
    """The location of an item in the memory."""

    spot: ItemLocation


class MemoryJobs:
    """Each method runs in a thread of its own.

    Args:
        engine: gives access to the memory.
        post: takes messages, from any thread.
    """

    def __init__(self, engine: Engine, post: Callable[[Message], object]) -> None:
        self._engine = engine
        self._post = post
        self._search: tuple[Section, str] | None = None

    def load(self, section: Section, toggled: frozenset[str], item_id: str = "") -> None:
        """Read a section; posts a quick outline first where there is one.

        If the item `wanted` lies in no opened branch, it is put first.
        """
        try:
            view = self._engine.memory()
            if not item_id and (first := view.outline(section)) is not None:
                self._post(MemoryLoaded(section, first))
            mark = view.mark(section)
            listing = view.items(section, toggled)
            if item_id and all(item.id != item_id for item in listing.items):
                listing = ItemList((*view.named(section, item_id), *listing.items), listing.note)
        except (MemoryProblem, NotReady) as problem:
            mark, listing = NOT_READ, ItemList((), str(problem))
        self._post(MemoryLoaded(section, listing, mark))

    def watch(self, section: Section, mark: int) -> None:
        """Post a message if the section has changed since revision `mark`."""
        try:
            stale = self._engine.memory().mark(section) != mark
        except (MemoryProblem, NotReady):
            return
        if stale:
            self._post(MemoryStale())

    def find(self, section: Section, text: str) -> None:
        """Search by text, then by meaning too: loading the embedder can take seconds."""

        def is_current() -> bool:
            return self._search == (section, text)

        try:
            view = self._engine.memory()
            matches = view.find(section, text, is_current)
            if not is_current():
                return
            self._post(MemoryFound(section, text, matches))
            matched_ids = {item.id for item in matches.items}
            similar = view.alike(section, text, is_current)
            more_matches = tuple(item for item in similar if item.id not in matched_ids)
            if more_matches:
                listing = ItemList((*matches.items, *more_matches), matches.note)
                self._post(MemoryFound(section, text, listing))
        except (MemoryProblem, NotReady) as problem:
            self._post(MemoryFound(section, text, ItemList((), str(problem))))

    def set_search(self, section: Section, text: str) -> None:
        """Set the current search, so that older ones stop; called by the event loop before `find`."""
        self._search = section, text

    def load_details(self, section: Section, item: Item) -> None:
        """Load the details of an item."""
        try:
            details = self._engine.memory().details(section, item)
        except (MemoryProblem, NotReady) as problem:
            details = ItemDetails((("", str(problem)),))
        self._post(MemoryDetailsLoaded(item, details))

    def preview(self, item: Item | None, ask: Ask) -> None:
        """Compute the preview of a change."""
        try:
            message = MemoryPreviewReady(item, ask(self._engine.memory()))
        except (MemoryProblem, NotReady) as problem:
            message = MemoryPreviewReady(item, str(problem), problem=True)
        self._post(message)

    def change(self, ask: Ask) -> None:
        """Apply a change."""
        try:
            message = MemoryChanged(ask(self._engine.memory()))
        except (MemoryProblem, NotReady) as problem:
            message = MemoryChanged(str(problem), problem=True)
        self._post(message)

    def locate(self, where: Where) -> None:
        """Find the location of an item."""
        try:
            self._post(MemoryItemLocated(where(self._engine.memory())))
        except (MemoryProblem, NotReady) as problem:
            self._post(MemoryChanged(str(problem)))


_CALLED = {"instruction": later("words"), "scenario": later("place")}
Take = Callable[[ItemField, str], None]
"""Receives the text typed for a field."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A rejected text, the field it was typed for, and the reason."""

    name: str
    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class _Question:
    words: str
    then: Callable[[], None]


class MemoryPrompt(Vertical):
    """Shows messages, asks yes or no, and takes text for one of several fields.

    Args:
        clock: monotonic seconds, for the delay before a yes counts.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "field(1)", show=False),
        Binding("shift+tab", "field(-1)", show=False),
    ]

    class Settled(Message):
        """A question was answered, or an input ended: the list gets the focus again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(id="memory-talk")
        self._drafts: dict[str, str] = {}
        self.gate = KeyGate(clock)
        self._question: _Question | None = None
        self._fields: Sequence[ItemField] = ()
        self._texts: dict[str, str] = {}
        self._field_index = 0
        self._take: Take | None = None
        self._once = False
        self._opened_from: Widget | None = None
        self._label = Static(id="memory-label", markup=False)
        self._edit = TextField(id="memory-edit", compact=True, select_on_focus=False)
        self._edit.cursor_blink = False
        self._block = TextBlock("memory-block")
        self._said = Static(id="memory-said", classes="-empty", markup=False)

    def compose(self) -> ComposeResult:
        """Input fields and message."""
        yield self._label
        yield self._edit
        yield self._block
        yield self._said

    @property
    def asking(self) -> bool:
        """Whether a question is open."""
        return self._question is not None

    @property
    def typing(self) -> bool:
        """Whether a text is being typed."""
        return self._take is not None

    def show_message(self, sentence: str) -> None:
        """Show a message."""
        self._said.update(Content(one_line(sentence)))
        self._said.set_class(not sentence, "-empty")

    def ask(self, words: str, then: Callable[[], None]) -> None:
        """Ask for confirmation, then call `then`."""
        self._question = _Question(words, then)
        self.add_class("-asking")
        self.gate.mark_shown()
        self.show_message(words)

    def agree(self) -> None:
        """Answer yes, unless the question has just appeared."""
        question = self._question
        if question is None:
            return
        if not self.gate.settled:
            self.show_message(
                _("{question} Not taken: wait a moment, then press the key again.").format(
                    question=question.words
                )
            )
            return
        self._answered()
        question.then()

    def refuse(self, sentence: str) -> None:
        """Answer no, and show a message."""
        self._answered()
        self.show_message(sentence)

    def type(
        self, fields: Sequence[ItemField], take: Take, typed: Typed | None = None, *, once: bool = False
    ) -> None:
        """Let the user type one of several texts; `typed` is an earlier input that was rejected.

        `once` says that the text starts something, and is not kept.
        """
        self._fields, self._take, self._field_index, self._once = fields, take, 0, once
        self._texts = {
            field.name: self._drafts.get(field.text, safe(field.text))
            if field.has_lines
            else one_line(field.text)
            for field in fields
        }
        if typed is not None and typed.name in self._texts:
            self._texts[typed.name] = typed.text
            self._field_index = list(self._texts).index(typed.name)
        self.add_class("-typing")
        if self.screen.focused not in (self._edit, self._block):
            self._opened_from = self.screen.focused
        self._show_field(typed.problem if typed is not None else "")

    def press(self, keys: Iterable[events.Key]) -> None:
        """Pass keys on that were typed before the field was open."""
        for key in keys:
            self._edit.post_message(events.Key(key.key, key.character))

    def leave(self) -> None:
        """Cancel the input; a text of several lines comes back when it is edited again."""
        self._keep_text()
        for field in self._fields:
            if field.has_lines and self._texts[field.name] != safe(field.text):
                self._drafts[field.text] = self._texts[field.name]
        self._end()
        self.show_message(_("Not changed."))

    def action_field(self, step: int) -> None:
        """Go to the next or previous field."""
        if self.typing and len(self._fields) > 1:
            self._keep_text()
            self._field_index = (self._field_index + step) % len(self._fields)
            self._show_field()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Submit the text."""
        message.stop()
        self._submit(" ".join(safe(message.value).split()))

    def on_text_block_kept(self, message: TextBlock.Kept) -> None:
        """Submit a text of several lines."""
        message.stop()
        self._submit(message.text)

    def _submit(self, text: str) -> None:
        if self._take is None:
            return
        take, field = self._take, self._fields[self._field_index]
        self._drafts.pop(field.text, "")
        self._end()
        take(field, text)

    def _keep_text(self) -> None:
        """Take over what the field shows."""
        field = self._fields[self._field_index]
        self._texts[field.name] = self._block.text if field.has_lines else self._edit.value

    def _show_field(self, problem: str = "") -> None:
        field = self._fields[self._field_index]
        self._label.update(Content.assemble((f"{_field_label(field)}: ", "bold"), one_line(field.hint)))
        text = self._texts[field.name]
        self._set_writing(field.has_lines)
        if field.has_lines:
            self._block.load_text(text)
            if not problem and text == self._drafts.get(field.text):
                problem = _("what you wrote before and did not keep")
        else:
            self._edit.value = text
            self._edit.cursor_position = len(text)
        # At once: what is typed next is for the field.
        self.screen.set_focus(self._block if field.has_lines else self._edit)
        others = [
            _field_label(other)
            for other in (*self._fields[self._field_index + 1 :], *self._fields[: self._field_index])
        ]
        more = _(" · tab: on to {fields}").format(fields=_(", then ").join(others)) if others else ""
        keys = _("ctrl+s keeps it · esc leaves it") if field.has_lines else _(_FIELD_KEYS)
        keys += more
        if self._once:
            keys = _("enter does it · esc or f2 leaves it")
        self.show_message(f"{problem} · {keys}" if problem else keys)

    def _end(self) -> None:
        self._take = None
        self._set_writing(False)
        if self.screen.focused in (self._edit, self._block):
            # Before it is hidden: Textual would give the focus to what comes next on the screen.
            self.screen.set_focus(self._opened_from)
        self.remove_class("-typing")
        self.show_message("")
        self.post_message(self.Settled())

    def _set_writing(self, writing: bool) -> None:
        """Give the room of the list and the details to a text of several lines, or back."""
        for each in (self, self.parent):
            if isinstance(each, Widget):
                each.set_class(writing, "-writing")

    def _answered(self) -> None:
        self._question = None
        self.remove_class("-asking")
        self.post_message(self.Settled())


_FIELD_KEYS = later("enter keeps it · esc or f2 leaves it as it was")


def _field_label(field: ItemField) -> str:
    """The display name of a field."""
    return _(_CALLED.get(field.name, one_line(field.name)))


MEMORY = (
    Key(
        "e",
        "e",
        "change('edit')",
        later("edit"),
        later("Change its words; tab goes to its hours, its place, …"),
    ),
    Key("p", "p", "change('pin')", later("pin"), later("Pin it, so that it stays, or unpin it")),
    Key(
        "h",
        "h",
        "change('hide')",
        later("hide"),
        later("Hide it (kept, but not used), or show it again"),
    ),
    Key(
        "m",
        "m",
        "change('merge')",
        later("merge"),
        later("Merge: press it on the item to keep, then on the other"),
    ),
    Key("s", "s", "change('split')", later("split"), later("Split it: choose the records to split off")),
    Key(
        "c",
        "c",
        "change('choose')",
        later("choose"),
        later("Choose this value, where two conflict"),
    ),
    Key(
        "a",
        "a",
        "change('just do it')",
        later("start by itself"),
        later("Let a routine start by itself at its time, or ask first"),
    ),
    Key(
        "f",
        "f",
        "change('forget')",
        later("delete"),
        later("Delete it for good, with its records; asks first, and says what goes with it"),
    ),
    Key(
        "t",
        "t",
        "change('try dry')",
        later("try dry"),
        later("Say what each step of a skill would do, with other values too, without the phone"),
    ),
    Key("u", "u", "change('undo')", later("undo"), later("Undo your last change, or the selected change")),
    Key("r", "r", "change('redo')", later("redo"), later("Redo what was undone")),
    Key(
        "slash",
        "/",
        "find",
        later("find"),
        later("Find by words and meaning; app: scenario: source: since: narrow it"),
    ),
    Key("enter", "enter", "open", later("open"), later("Open or close a branch; else go to its records")),
    Key("backspace", "⌫", "return", "", later("Back to where you came from")),
    Key("right", "→", "section(1)", "", later("The next section")),
    Key("left", "←", "section(-1)", "", later("The section before")),
    Key(
        "o",
        "o",
        "whole('sources')",
        later("what is learnt from"),
        later("Choose what to learn from: your turns, imports, …"),
    ),
    Key(
        "k",
        "k",
        "whole('limits')",
        later("how long kept"),
        later("Choose how long screenshots and what was sent are kept; says what would go"),
    ),
    Key(
        "d",
        "d",
        "change('write to a folder')",
        later("write to a folder"),
        later("Write a skill to a folder, to share it; asks before it writes over one"),
    ),
    Key("x", "x", "whole('export')", later("export"), later("Write all records to a file")),
    Key("i", "i", "whole('import')", later("import"), later("Import records from a file")),
    Key(
        "w",
        "w",
        "whole('wipe')",
        later("wipe all"),
        later("Wipe everything; asks you to type a confirmation"),
    ),
    Key("", later("page down"), "more", later("more"), ""),
    Key("question_mark", "?", "all_keys", later("all keys"), later("Show all keys, or the usual ones")),
    Key("y", "y", "agree", later("yes"), ""),
    Key("n", "n", "keep", later("no"), ""),
)
"""The keys of the memory; active only while its list has the focus."""

_ANSWERS = ("agree", "keep")
_USUAL = (
    "change('edit')",
    "change('try dry')",
    "change('forget')",
    "change('undo')",
    "find",
    "open",
    "more",
    "all_keys",
)
"""The keys that the last lines show before they are asked for all."""
_FEWER = later("usual keys")
_OF_ITEM = {f"change('{act}')": act for act in ItemAction if act not in (ItemAction.UNDO, ItemAction.REDO)}
"""Actions that only some items allow."""


def memory_bindings() -> Iterator[Binding]:
    """The bindings of the memory panel."""
    return (Binding(key.key, key.action, key.words, show=False) for key in MEMORY if key.key)


class KeyMode(StrEnum):
    """What the keys do at present."""

    LIST = "list"
    ASKED = "asked"
    TYPING = "typing"
    FINDING = "finding"
    MERGING = "merging"
    AWAY = "away"


_FINDING = (("enter", later("to what is found")), ("esc", later("end finding")))
_MERGING = (("m", later("merge into it")), ("/", later("find")), ("esc", later("leave them two")))
_AWAY = (("f2", later("to the memory")),)
_WHILE_MERGING = frozenset({"change('merge')", "find", "open", "more"})


def is_key_active(action: str, mode: KeyMode) -> bool:
    """Whether a key's action, as written in the table, is active in a mode."""
    match mode:
        case KeyMode.ASKED:
            return action in _ANSWERS
        case KeyMode.MERGING:
            return action in _WHILE_MERGING
        case KeyMode.LIST:
            return action not in _ANSWERS
        case _:
            return False


def memory_footer(
    mode: KeyMode, acts: Collection[ItemAction], width: int, *, opens: bool = False, all_keys: bool = True
) -> str:
    """The keys that are active in a mode for an item; of the list's keys the usual ones, or all.

    Lines are broken between two keys, never between a key and its label.
    """
    lines = [""]
    for shown, words in _active_keys(mode, acts, opens=opens, all_keys=all_keys):
        label = f"{_(shown)} {_(words)}"
        if lines[-1] and cell_len(lines[-1]) + 2 + cell_len(label) > width:
            lines.append(label)
        else:
            lines[-1] += f"  {label}" if lines[-1] else label
    return "\n".join(lines)


def memory_help(mode: KeyMode, acts: Collection[ItemAction], *, opens: bool = False) -> list[tuple[str, str]]:
    """The active keys with their descriptions, for the help."""
    help_by_key = {key.shown: key.help for key in MEMORY if key.help}
    return [
        (_(shown), _(help_by_key.get(shown) or words))
        for shown, words in _active_keys(mode, acts, opens=opens)
    ]


def _active_keys(
    mode: KeyMode, acts: Collection[ItemAction], *, opens: bool, all_keys: bool = True
) -> Iterable[tuple[str, str]]:
    """The active keys and their labels."""
    match mode:
        case KeyMode.TYPING:
            return ()
        case KeyMode.FINDING:
            return _FINDING
        case KeyMode.MERGING:
            return _MERGING
        case KeyMode.AWAY:
            return _AWAY
        case _:
            active = (
                key
                for key in MEMORY
                if key.words
                and is_key_active(key.action, mode)
                and (all_keys or key.action in (*_ANSWERS, *_USUAL))
            )
            return [
                (key.shown, _FEWER if key.action == "all_keys" and all_keys else key.words)
                for key in active
                if _is_allowed(key, acts, opens=opens)
            ]


def _is_allowed(key: Key, acts: Collection[ItemAction], *, opens: bool) -> bool:
    if key.action == "open":
        return opens
    return key.action not in _OF_ITEM or _OF_ITEM[key.action] in acts
