"""Changing items of the memory: words, marks, merging, splitting, forgetting, and taking it back."""

from __future__ import annotations

from collections.abc import Callable

from assistant.language import _
from assistant.memory_view.items import Act, Field, Item, Section
from assistant.memory_view.view import MemoryView
from assistant.tui.memory_errands import MemoryErrands, Selection
from assistant.tui.widgets.memory_list import MemoryList
from assistant.tui.words import clip, one_line

_NAMED = 60


class MemoryChanging:
    """What the letters do to the item that is selected.

    Args:
        errands: carries it out, and asks before.
        items: marks the item that another is to be merged into.
    """

    def __init__(self, errands: MemoryErrands, items: MemoryList) -> None:
        self._errands = errands
        self._items = items
        self._kept: Item | None = None

    @property
    def merging(self) -> bool:
        """Whether an item waits for the one to merge into it."""
        return self._kept is not None

    def keep(self, item: Item | None) -> None:
        """Keep an item for merging; None lets go of it."""
        self._kept = item
        self._items.marked = item.id if item is not None else ""
        self._items.refresh()

    def edit(self, selected: Selection) -> None:
        """Open the field for another wording."""
        if (item := self._may(Act.EDIT, selected)) is None:
            return
        fields = selected.details.fields if selected.details is not None else ()

        def take(field: Field, text: str) -> None:
            if text == one_line(field.text):
                self._errands.say(_("Nothing differs."))
            else:
                self._errands.change(lambda view: view.edit(selected.section, item, text, field.name))

        self._errands.type(fields or (Field("", item.name),), take)

    def pin(self, selected: Selection) -> None:
        """Pin or unpin the item."""
        if (item := self._may(Act.PIN, selected)) is not None:
            self._errands.change(lambda view: view.pin(selected.section, item))

    def hide(self, selected: Selection) -> None:
        """Hide or show the item."""
        if (item := self._may(Act.HIDE, selected)) is not None:
            self._errands.change(lambda view: view.hide(selected.section, item))

    def choose(self, selected: Selection) -> None:
        """Say that a value holds."""
        if (item := self._may(Act.CHOOSE, selected)) is not None:
            self._errands.change(lambda view: view.choose(selected.section, item))

    def let_alone(self, selected: Selection) -> None:
        """Let a routine begin by itself, or ask first again."""
        if (item := self._may(Act.ALONE, selected)) is not None:
            self._errands.change(lambda view: view.let_alone(selected.section, item))

    def merge(self, selected: Selection) -> None:
        """The first time, keep this one; the second time, ask whether to merge the other into it."""
        if (item := self._may(Act.MERGE, selected)) is None:
            return
        kept = self._kept
        if kept is None or kept.id == item.id:
            self.keep(item if kept is None else None)
            words = _("Go to the one to merge into “{name}”, press m on it. esc leaves it.")
            self._errands.say(words.format(name=_short(item)) if kept is None else _("Not merged."))
            return
        words = _("Merge “{other}” into “{name}”? It can be undone.")
        self._errands.ask(
            words.format(other=_short(item), name=_short(kept)),
            lambda: self._errands.change(lambda view: view.merge(selected.section, kept, item)),
        )

    def split(self, selected: Selection) -> None:
        """Have it typed which records stand apart, then ask."""
        if (item := self._may(Act.SPLIT, selected)) is None:
            return
        section = selected.section

        def weigh(words: str) -> None:
            self._errands.weigh(
                item,
                lambda view: view.leaving(section, item, words),
                lambda told: self._errands.ask(
                    _("Split “{name}”? {told} It can be undone.").format(name=_short(item), told=told),
                    lambda: self._errands.change(lambda view: view.split(section, item, words)),
                ),
            )

        if section is Section.PROFILE:
            weigh("")
        else:
            hint = _("words of the records that stand apart, or app: scenario: since:")
            self._errands.type((Field(_("split off"), "", hint),), lambda _field, words: weigh(words))

    def forget(self, selected: Selection) -> None:
        """Ask whether the item is to be forgotten, saying what goes with it."""
        if (item := self._may(Act.FORGET, selected)) is None:
            return
        self._errands.say(_("Looking what goes with it …"))
        self._errands.weigh(
            item,
            lambda view: view.goes_with(selected.section, item),
            lambda told: self._errands.ask(
                _("Forget “{name}”? {told} This cannot be undone.").format(name=_short(item), told=told),
                lambda: self._errands.change(lambda view: view.forget(selected.section, item)),
            ),
        )

    def undo(self, selected: Selection) -> None:
        """Take back the selected change, elsewhere what was changed last."""
        refusal = _("This change cannot be undone.")
        self._turn_round(Act.UNDO, selected, lambda view, item: view.undo(item), refusal)

    def redo(self, selected: Selection) -> None:
        """Do again the selected change, elsewhere what was undone last."""
        refusal = _("This change cannot be done again.")
        self._turn_round(Act.REDO, selected, lambda view, item: view.redo(item), refusal)

    def _may(self, act: Act, selected: Selection) -> Item | None:
        """The item, if this can be done with it now."""
        item = selected.item
        if not self._errands.may_change():
            return None
        if item is None:
            self._errands.say(_("Nothing is selected."))
        elif act not in item.acts:
            self._errands.say(_("There is nothing to {act} here.").format(act=_(act.value)))
        else:
            return item
        return None

    def _turn_round(
        self, act: Act, selected: Selection, turn: Callable[[MemoryView, Item | None], str], refusal: str
    ) -> None:
        item = selected.item if selected.section is Section.CHANGES else None
        if not self._errands.may_change():
            return
        if item is None or act in item.acts:
            self._errands.change(lambda view: turn(view, item))
        else:
            self._errands.say(refusal)


def _short(item: Item) -> str:
    return clip(one_line(item.name), _NAMED)
