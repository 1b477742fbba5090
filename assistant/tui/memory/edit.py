"""Changes items of the memory: editing, marking, merging, splitting, forgetting, undo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.i18n import _
from assistant.memory_view.items import Item, ItemAction, ItemDetails, ItemField, Section
from assistant.memory_view.service import MemoryView
from assistant.presentation.text import clip, one_line
from assistant.tui.memory_errands import MemoryErrands, Selection
from assistant.tui.widgets.memory_list import MemoryList
from assistant.tui.widgets.memory_talk import Typed

_NAMED = 60
_AT_ONCE = {
    ItemAction.PIN: MemoryView.pin,
    ItemAction.HIDE: MemoryView.hide,
    ItemAction.CHOOSE: MemoryView.choose,
    ItemAction.ALONE: MemoryView.let_alone,
}
"""Changes that need neither input nor confirmation."""


@dataclass(frozen=True, slots=True)
class _Before:
    """The texts of an item at the time when the user began to edit one of them."""

    id: str
    fields: Sequence[ItemField]


class MemoryChanging:
    """Applies a key's change to the selected item.

    Args:
        errands: asks the user and carries changes out.
        items: the list, which marks the item that another is to be merged into.
    """

    def __init__(self, errands: MemoryErrands, items: MemoryList) -> None:
        self._errands = errands
        self._items = items
        self._merge_target: Item | None = None
        self._before: _Before | None = None
        self._pending_edit: tuple[Section, str] | None = None

    @property
    def merging(self) -> bool:
        """Whether an item waits for another to be merged into it."""
        return self._merge_target is not None

    def set_merge_target(self, item: Item | None) -> None:
        """Select the item to merge another into; None ends the merge."""
        self._merge_target = item
        self._items.marked = item.id if item is not None else ""
        self._items.refresh()
        self._errands.after()

    def do(self, act: ItemAction, selected: Selection) -> None:
        """Apply a change to the selection, or say why that is not possible now."""
        item, section = selected.item, selected.section
        self._pending_edit = None
        if not self._errands.may_change():
            return
        if act in (ItemAction.UNDO, ItemAction.REDO):
            self._undo_or_redo(act, item if section is Section.CHANGES else None)
        elif item is None:
            self._errands.show_message(_("Nothing is selected."))
        elif act not in item.acts:
            self._errands.show_message(_("There is nothing to {act} here.").format(act=_(act.value)))
        else:
            self._begin(act, item, selected)

    def _begin(self, act: ItemAction, item: Item, selected: Selection) -> None:
        section = selected.section
        match act:
            case ItemAction.EDIT:
                if selected.details is not None:
                    self._edit(section, item, selected.details.fields)
                else:
                    self._pending_edit = section, item.id
                    self._errands.show_message(_("Looking …"))
            case ItemAction.MERGE:
                self._merge(section, item)
            case ItemAction.SPLIT:
                self._split(section, item)
            case ItemAction.FORGET:
                self._forget(section, item)
            case _:
                self._errands.change(lambda view: _AT_ONCE[act](view, section, item))

    def details_loaded(self, item: Item, details: ItemDetails, *, typing: bool) -> None:
        """New details of an item have arrived.

        Opens the editor if the user asked for it before the details were loaded and the list still has the
        focus. If a text changed while the user edits it, a message says so.
        """
        pending_edit, self._pending_edit = self._pending_edit, None
        if pending_edit is not None and pending_edit[1] == item.id and not typing and self._items.has_focus:
            self._edit(pending_edit[0], item, details.fields)
            return
        before, self._before = self._before, self._before if typing else None
        if not typing or before is None or before.id != item.id:
            return
        now = {item_field.name: item_field.text for item_field in details.fields}
        for field in before.fields:
            if now.get(field.name, field.text) != field.text:
                self._before = _Before(item.id, details.fields)
                message = _(
                    "Changed elsewhere meanwhile: “{text}”. enter writes yours over it, esc leaves it."
                )
                self._errands.show_message(message.format(text=clip(one_line(now[field.name]), _NAMED)))

    def _edit(
        self, section: Section, item: Item, fields: Sequence[ItemField], typed: Typed | None = None
    ) -> None:
        """Open the input field for a text of the item; a rejected text stays in it, with the reason."""

        def save(field: ItemField, text: str) -> None:
            if text == one_line(field.text):
                self._errands.show_message(_("Nothing differs."))
            else:
                self._errands.change(
                    lambda view: view.edit(section, item, text, field.name),
                    lambda reason: self._edit(section, item, fields, Typed(field.name, text, reason)),
                )

        self._before = _Before(item.id, fields)
        self._errands.type(fields or (ItemField("", item.name),), save, typed)

    def _merge(self, section: Section, item: Item) -> None:
        """The first press selects the target; the second asks whether to merge the other item into it."""
        target = self._merge_target
        if target is None or target.id == item.id:
            self.set_merge_target(item if target is None else None)
            words = _("Go to the one to merge into “{name}”, press m on it. esc leaves it.")
            self._errands.show_message(
                words.format(name=_shorten_name(item)) if target is None else _("Not merged.")
            )
            return
        words = _("Merge “{other}” into “{name}”? It can be undone.")
        self._errands.ask(
            words.format(other=_shorten_name(item), name=_shorten_name(target)),
            lambda: self._errands.change(lambda view: view.merge(section, target, item)),
        )

    def _split(self, section: Section, item: Item) -> None:
        """Let the user enter which records to split off, then ask for confirmation."""

        def preview(words: str) -> None:
            self._errands.preview(
                item,
                lambda view: view.leaving(section, item, words),
                lambda preview_text: self._errands.ask(
                    _("Split “{name}”? {told} It can be undone.").format(
                        name=_shorten_name(item), told=preview_text
                    ),
                    lambda: self._errands.change(lambda view: view.split(section, item, words)),
                ),
            )

        if section is Section.PROFILE:
            preview("")
        else:
            hint = _("words of the records that stand apart, or app: scenario: since:")
            self._errands.type((ItemField(_("split off"), "", hint),), lambda _field, words: preview(words))

    def _forget(self, section: Section, item: Item) -> None:
        """Ask for confirmation to forget the item, saying what is deleted with it."""
        self._errands.show_message(_("Looking what goes with it …"))
        self._errands.preview(
            item,
            lambda view: view.goes_with(section, item),
            lambda preview_text: self._errands.ask(
                _("Delete “{name}”? {told} This cannot be undone.").format(
                    name=_shorten_name(item), told=preview_text
                ),
                lambda: self._errands.change(lambda view: view.forget(section, item)),
            ),
        )

    def _undo_or_redo(self, act: ItemAction, change: Item | None) -> None:
        """Undo or redo a change; without one, the last change."""
        if change is None or act in change.acts:
            self._errands.change(
                lambda view: view.undo(change) if act is ItemAction.UNDO else view.redo(change)
            )
        elif act is ItemAction.UNDO:
            self._errands.show_message(_("This change cannot be undone."))
        else:
            self._errands.show_message(_("This change cannot be done again."))


def _shorten_name(item: Item) -> str:
    return clip(one_line(item.name), _NAMED)
