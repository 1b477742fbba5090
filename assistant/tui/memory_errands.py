"""Dialogs about the memory: ask or let the user type, preview the effect, then apply the change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from assistant.i18n import _
from assistant.memory_view.items import Item, ItemAction, ItemDetails, ItemField, Section
from assistant.tui.memory_work import Ask, MemoryChanged, MemoryWeighed, MemoryWork
from assistant.tui.widgets.memory_talk import MemoryTalk, Take, Typed

Run = Callable[[Callable[[], None], str], None]
"""Runs a job in a thread; the name is that of the group, in which a new job replaces the one before."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected item and its section, with its details once they are loaded."""

    section: Section
    item: Item | None
    details: ItemDetails | None

    @property
    def acts(self) -> frozenset[ItemAction]:
        """The actions that the item allows."""
        return self.item.acts if self.item is not None else frozenset()

    @property
    def opens(self) -> bool:
        """Whether the item can be opened: a branch, its evidence, or what was learnt from a record."""
        if self.item is None:
            return False
        behind = self.details is not None and bool(self.details.evidence)
        return self.item.opened is not None or behind or self.section is Section.RECORDS


class MemoryErrands:
    """Runs one dialog at a time.

    Args:
        work: queries and changes the memory.
        run: runs these jobs in threads.
        talk: shows messages, asks, and takes input.
        after: called when a question or input field opens, because other keys are then active.
    """

    def __init__(self, work: MemoryWork, run: Run, talk: MemoryTalk, after: Callable[[], None]) -> None:
        self._work = work
        self._run = run
        self._talk = talk
        self.after = after
        self._on_preview: Callable[[str], None] | None = None
        self._on_refused: Callable[[str], None] | None = None
        self._changing = False

    @property
    def busy(self) -> bool:
        """Whether a question or input field is open, or a change is being written."""
        return self._changing or self._talk.asking or self._talk.typing

    @property
    def changing(self) -> bool:
        """Whether a change is being written."""
        return self._changing

    def may_change(self) -> bool:
        """Whether a change is possible now; otherwise says why not."""
        if self._changing:
            self._talk.show_message(_("Wait: the last change is being written."))
        return not self._changing

    def show_message(self, sentence: str) -> None:
        """Show a message."""
        self._talk.show_message(sentence)

    def type(self, fields: Sequence[ItemField], take: Take, typed: Typed | None = None) -> None:
        """Let the user type one of several texts; `typed` is an earlier input that was rejected."""
        self._talk.type(fields, take, typed)
        self.after()

    def ask(self, words: str, then: Callable[[], None]) -> None:
        """Ask for confirmation, then call `then`."""
        self._talk.ask(words, then)
        self.after()

    def preview(self, item: Item | None, ask: Ask, then: Callable[[str], None]) -> None:
        """Compute a preview for an item (or None for the memory as a whole), then call `then` with it."""
        self._on_preview = then
        self._run(partial(self._work.preview, item, ask), "weigh")

    def preview_ready(self, message: MemoryWeighed, item: Item | None) -> None:
        """Continue with the preview, unless another dialog is open or another item is selected by now."""
        then, self._on_preview = self._on_preview, None
        if message.problem:
            self._talk.show_message(message.sentence)
        elif then is not None and not self.busy and (message.item is None or message.item == item):
            then(message.sentence)

    def change(self, ask: Ask, refused: Callable[[str], None] | None = None) -> None:
        """Change something; on failure `refused` gets the reason, so that no input is lost."""
        if not self.may_change():
            return
        self._changing = True
        self._on_refused = refused
        self._talk.show_message(_("One moment …"))
        self._run(partial(self._work.change, ask), "change")

    def change_done(self, message: MemoryChanged) -> None:
        """The change was written, or failed."""
        self._changing = False
        refused, self._on_refused = self._on_refused, None
        self._talk.show_message(message.sentence)
        if message.problem and refused is not None:
            refused(message.sentence)
