"""Changing items of the memory: words, marks, merging, splitting, forgetting, and taking it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.language import _
from assistant.memory_view.items import Act, Details, Field, Item, Section
from assistant.memory_view.view import MemoryView
from assistant.tui.memory_errands import MemoryErrands, Selection
from assistant.tui.widgets.memory_list import MemoryList
from assistant.tui.widgets.memory_talk import Typed
from assistant.tui.words import clip, one_line

_NAMED = 60
_AT_ONCE = {
    Act.PIN: MemoryView.pin,
    Act.HIDE: MemoryView.hide,
    Act.CHOOSE: MemoryView.choose,
    Act.ALONE: MemoryView.let_alone,
}
"""What needs neither a word nor an answer before."""


@dataclass(frozen=True, slots=True)
class _Before:
    """The texts of an item as they were when one of them was begun to be typed anew."""

    id: str
    fields: Sequence[Field]


class MemoryChanging:
    """What the letters do to the item that is selected.

    Args:
        errands: asks and carries it out.
        items: marks the item that another is to be merged into.
    """

    def __init__(self, errands: MemoryErrands, items: MemoryList) -> None:
        self._errands = errands
        self._items = items
        self._kept: Item | None = None
        self._before: _Before | None = None
        self._wanted: tuple[Section, str] | None = None

    @property
    def merging(self) -> bool:
        """Whether an item waits for the one to merge into it."""
        return self._kept is not None

    def keep(self, item: Item | None) -> None:
        """Keep an item, to merge another into it; None lets go of it."""
        self._kept = item
        self._items.marked = item.id if item is not None else ""
        self._items.refresh()
        self._errands.after()

    def do(self, act: Act, selected: Selection) -> None:
        """Do something with what is selected, or say why that cannot be done now."""
        item, section = selected.item, selected.section
        self._wanted = None
        if not self._errands.may_change():
            return
        if act in (Act.UNDO, Act.REDO):
            self._turn_round(act, item if section is Section.CHANGES else None)
        elif item is None:
            self._errands.say(_("Nothing is selected."))
        elif act not in item.acts:
            self._errands.say(_("There is nothing to {act} here.").format(act=_(act.value)))
        else:
            self._begin(act, item, selected)

    def _begin(self, act: Act, item: Item, selected: Selection) -> None:
        section = selected.section
        match act:
            case Act.EDIT:
                if selected.details is not None:
                    self._edit(section, item, selected.details.fields)
                else:
                    self._wanted = section, item.id
                    self._errands.say(_("Looking …"))
            case Act.MERGE:
                self._merge(section, item)
            case Act.SPLIT:
                self._split(section, item)
            case Act.FORGET:
                self._forget(section, item)
            case _:
                self._errands.change(lambda view: _AT_ONCE[act](view, section, item))

    def heed(self, item: Item, details: Details, *, typing: bool) -> None:
        """What stands behind an item is known anew.

        It opens where it was asked for too early, if the list still has the keys; and where its words changed
        while one types others, that is told.
        """
        wanted, self._wanted = self._wanted, None
        if wanted is not None and wanted[1] == item.id and not typing and self._items.has_focus:
            self._edit(wanted[0], item, details.fields)
            return
        before, self._before = self._before, self._before if typing else None
        if not typing or before is None or before.id != item.id:
            return
        now = {one.name: one.text for one in details.fields}
        for field in before.fields:
            if now.get(field.name, field.text) != field.text:
                self._before = _Before(item.id, details.fields)
                told = _("Changed elsewhere meanwhile: “{text}”. enter writes yours over it, esc leaves it.")
                self._errands.say(told.format(text=clip(one_line(now[field.name]), _NAMED)))

    def _edit(
        self, section: Section, item: Item, fields: Sequence[Field], typed: Typed | None = None
    ) -> None:
        """Open the field for another wording; what cannot be kept stays in it, with the reason."""

        def take(field: Field, text: str) -> None:
            if text == one_line(field.text):
                self._errands.say(_("Nothing differs."))
            else:
                self._errands.change(
                    lambda view: view.edit(section, item, text, field.name),
                    lambda told: self._edit(section, item, fields, Typed(field.name, text, told)),
                )

        self._before = _Before(item.id, fields)
        self._errands.type(fields or (Field("", item.name),), take, typed)

    def _merge(self, section: Section, item: Item) -> None:
        """The first time, keep this one; the second time, ask whether to merge the other into it."""
        kept = self._kept
        if kept is None or kept.id == item.id:
            self.keep(item if kept is None else None)
            words = _("Go to the one to merge into “{name}”, press m on it. esc leaves it.")
            self._errands.say(words.format(name=_short(item)) if kept is None else _("Not merged."))
            return
        words = _("Merge “{other}” into “{name}”? It can be undone.")
        self._errands.ask(
            words.format(other=_short(item), name=_short(kept)),
            lambda: self._errands.change(lambda view: view.merge(section, kept, item)),
        )

    def _split(self, section: Section, item: Item) -> None:
        """Have it typed which records stand apart, then ask."""

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

    def _forget(self, section: Section, item: Item) -> None:
        """Ask whether the item is to be forgotten, saying what goes with it."""
        self._errands.say(_("Looking what goes with it …"))
        self._errands.weigh(
            item,
            lambda view: view.goes_with(section, item),
            lambda told: self._errands.ask(
                _("Delete “{name}”? {told} This cannot be undone.").format(name=_short(item), told=told),
                lambda: self._errands.change(lambda view: view.forget(section, item)),
            ),
        )

    def _turn_round(self, act: Act, change: Item | None) -> None:
        """Undo or redo a change, or without one the last."""
        if change is None or act in change.acts:
            self._errands.change(lambda view: view.undo(change) if act is Act.UNDO else view.redo(change))
        elif act is Act.UNDO:
            self._errands.say(_("This change cannot be undone."))
        else:
            self._errands.say(_("This change cannot be done again."))


def _short(item: Item) -> str:
    return clip(one_line(item.name), _NAMED)
