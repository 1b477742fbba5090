"""What one does with the memory takes its course: something is asked or typed, weighed, and then changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from assistant.language import _
from assistant.memory_view.items import Act, Details, Field, Item, Section
from assistant.tui.memory_work import Ask, MemoryChanged, MemoryWeighed, MemoryWork
from assistant.tui.widgets.memory_talk import MemoryTalk, Take, Typed

Run = Callable[[Callable[[], None], str], None]
"""Runs a piece of work in a thread; the name says which other work it takes the place of."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected: an item of a section, with what stands behind it once that is known."""

    section: Section
    item: Item | None
    details: Details | None

    @property
    def acts(self) -> frozenset[Act]:
        """What can be done with the item."""
        return self.item.acts if self.item is not None else frozenset()

    @property
    def opens(self) -> bool:
        """Whether opening the item leads anywhere: to its branch, its records, or what a record made."""
        if self.item is None:
            return False
        behind = self.details is not None and bool(self.details.evidence)
        return self.item.opened is not None or behind or self.section is Section.RECORDS


class MemoryErrands:
    """One at a time.

    Args:
        work: asks the memory.
        run: runs that work.
        talk: says, asks, and has things typed.
        after: is called when something is asked or to be typed, so that other keys mean something.
    """

    def __init__(self, work: MemoryWork, run: Run, talk: MemoryTalk, after: Callable[[], None]) -> None:
        self._work = work
        self._run = run
        self._talk = talk
        self.after = after
        self._weighed: Callable[[str], None] | None = None
        self._refused: Callable[[str], None] | None = None
        self._changing = False

    @property
    def busy(self) -> bool:
        """Whether something is asked or typed, or a change is being written."""
        return self._changing or self._talk.asking or self._talk.typing

    @property
    def changing(self) -> bool:
        """Whether a change is being written."""
        return self._changing

    def may_change(self) -> bool:
        """Whether something can be changed now; says why if not."""
        if self._changing:
            self._talk.say(_("Wait: the last change is being written."))
        return not self._changing

    def say(self, sentence: str) -> None:
        """Say something."""
        self._talk.say(sentence)

    def type(self, fields: Sequence[Field], take: Take, typed: Typed | None = None) -> None:
        """Have one of some texts typed; `typed` is what was typed before, and could not be taken."""
        self._talk.type(fields, take, typed)
        self.after()

    def ask(self, words: str, then: Callable[[], None]) -> None:
        """Ask before something is done."""
        self._talk.ask(words, then)
        self.after()

    def weigh(self, item: Item | None, ask: Ask, then: Callable[[str], None]) -> None:
        """Go on once something is known of an item, or of none."""
        self._weighed = then
        self._run(partial(self._work.weigh, item, ask), "weigh")

    def weighed(self, message: MemoryWeighed, item: Item | None) -> None:
        """Go on, unless something else is done by now or another item is selected."""
        then, self._weighed = self._weighed, None
        if message.problem:
            self._talk.say(message.sentence)
        elif then is not None and not self.busy and (message.item is None or message.item == item):
            then(message.sentence)

    def change(self, ask: Ask, refused: Callable[[str], None] | None = None) -> None:
        """Change something; where that cannot be, `refused` is told why, so that nothing typed is lost."""
        if not self.may_change():
            return
        self._changing = True
        self._refused = refused
        self._talk.say(_("One moment …"))
        self._run(partial(self._work.change, ask), "change")

    def changed(self, message: MemoryChanged) -> None:
        """A change is written, or could not be."""
        self._changing = False
        refused, self._refused = self._refused, None
        self._talk.say(message.sentence)
        if message.problem and refused is not None:
            refused(message.sentence)
