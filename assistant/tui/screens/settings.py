"""The settings screen, built from the settings' schema: description, value and input for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from assistant.i18n import _, fitted, shortened
from assistant.presentation.text import one_line
from assistant.settings.load import (
    BrokenSetting,
    Setting,
    SettingOrigin,
    SettingsError,
    find_origin,
    format_value,
    named,
    parse_value,
    table,
    values_of,
)
from assistant.setup.core import Setup
from assistant.tui.keys import ACTIONS, SETTINGS, key_problem, list_bindings, list_footer
from assistant.tui.widgets.command_input import TextField

_NAME, _VALUE = 32, 28

Row = Setting | BrokenSetting


class SettingsScreen(Screen[bool]):
    """Returns whether a changed setting needs a restart.

    Args:
        setup: stores the changes.
        broken: invalid values in the settings file.
    """

    CSS_PATH = "settings.tcss"
    AUTO_FOCUS = "#settings"
    BINDINGS: ClassVar[list[BindingType]] = list(list_bindings(SETTINGS))

    def __init__(self, setup: Setup, broken: Sequence[BrokenSetting] = ()) -> None:
        super().__init__()
        self._setup = setup
        self._broken = list(broken)
        self._changed = False
        self._rows: list[Row] = []
        self._editing: Row | None = None
        self._find = TextField(
            placeholder=_("Find: words of name or description"), id="settings-find", select_on_focus=False
        )
        self._list = OptionList(id="settings", markup=False)
        self._words = Static(id="settings-words", markup=False)
        self._field = TextField(id="settings-field")
        self._footer = Static(id="settings-told", markup=False)

    def compose(self) -> ComposeResult:
        """Search field and list; description and input field of one setting; the keys."""
        with Vertical(id="settings-box") as box:
            box.border_title = _("Settings")
            yield self._find
            yield self._list
        yield self._words
        yield self._field
        yield self._footer

    def on_mount(self) -> None:
        """Show the settings."""
        self._show()
        self._footer.update(list_footer(SETTINGS))

    def on_key(self, event: events.Key) -> None:
        """What is typed over the list is for the search; the arrows lead from there to the list."""
        if self._list.has_focus and (event.is_printable or event.key == "backspace"):
            event.stop()
            event.prevent_default()
            self._find.focus()
            self._find.cursor_position = len(self._find.value)
            if event.character is not None and event.is_printable:
                self._find.insert_text_at_cursor(event.character)
            else:
                self._find.action_delete_left()
        elif self._find.has_focus and event.key in ("down", "up"):
            event.stop()
            self._list.focus()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Search while typing."""
        message.stop()
        if message.input is self._find:
            self._show()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """From the search field to the list; from the input field, save the value."""
        message.stop()
        if message.input is self._find:
            self._list.focus()
        elif isinstance(self._editing, Setting):
            self._save_text(self._editing, message.value)

    def on_option_list_option_highlighted(self, message: OptionList.OptionHighlighted) -> None:
        """Show the description."""
        message.stop()
        self._words.update(self._describe(self._rows[message.option_index]))

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Change the setting: the next choice, or text in the input field."""
        message.stop()
        row = self._rows[message.option_index]
        if isinstance(row, BrokenSetting):
            setting = next((setting for setting in self._settings() if setting.path == row.path), None)
            if setting is None:
                self._show_message(_("Press delete to remove it from the file."))
                return
            self._edit(setting, "")
        elif row.secret:
            self._show_message(_("Secrets are kept by /setup, not here."))
        elif row.choices:
            now = format_value(self._setup.settings, row)
            place = row.choices.index(now) if now in row.choices else -1
            self._save_text(row, row.choices[(place + 1) % len(row.choices)])
        else:
            self._edit(row, format_value(self._setup.settings, row))

    def action_find(self) -> None:
        """Move the focus to the search field."""
        self._find.focus()

    def action_back(self) -> None:
        """Leave the input field, the search, or the screen."""
        if self._editing is not None:
            self._leave_field()
        elif self._find.has_focus:
            self._find.value = ""
            self._list.focus()
        else:
            self.dismiss(self._changed)

    def action_default(self) -> None:
        """Reset a setting to its default, or remove an unknown one from the file."""
        row = self._rows[self._list.highlighted] if self._list.highlighted is not None else None
        if row is not None:
            at_once = isinstance(row, Setting) and row.at_once
            self._save(row.path, None, _("its default again"), at_once=at_once)

    def _edit(self, row: Setting, value: str) -> None:
        self._editing = row
        self.add_class("-editing")
        self._field.border_title = row.path
        self._field.value = value
        self._field.focus()
        self._show_message(
            _("{kind} · enter keeps it · esc leaves it").format(kind=", ".join(row.choices) or _(row.kind))
        )

    def _leave_field(self) -> None:
        self._editing = None
        self.remove_class("-editing")
        self._list.focus()
        self._footer.update(list_footer(SETTINGS))

    def _save_text(self, row: Setting, text: str) -> None:
        try:
            value = parse_value(row, text)
        except SettingsError as problem:
            self._show_message(str(problem))
            return
        conflict = key_problem(self._setup.settings.keys, row.name, text) if row.section == "keys" else ""
        if conflict:
            self._show_message(conflict)
            return
        self._save(row.path, value, one_line(text) or _("empty"), at_once=row.at_once)

    def _save(self, path: str, value: object, words: str, *, at_once: bool) -> None:
        try:
            message = self._setup.choose(path, value, words, at_once=at_once)
        except SettingsError as problem:
            self._show_message(str(problem))
            return
        self._broken = [broken for broken in self._broken if broken.path != path]
        self._changed = self._changed or not at_once
        if path == "interface.theme" and self._setup.settings.interface.theme in self.app.available_themes:
            self.app.theme = self._setup.settings.interface.theme
        if self._editing is not None:
            self._leave_field()
        self._show()
        self._show_message(message if at_once else f"{message} {_('Applies when you leave the settings.')}")

    def _show_message(self, sentence: str) -> None:
        self._footer.update(one_line(sentence))

    def _show(self) -> None:
        search_words = self._find.value.casefold().split()
        place = self._list.highlighted or 0
        rows: list[Row] = [*self._broken, *self._unknown_keys(), *self._settings()]
        self._rows = [
            row
            for row in rows
            if all(word in f"{row.path} {_searchable_text(row)}".casefold() for word in search_words)
        ]
        file = values_of(self._setup.file) if self._setup.keep else {}
        self._list.clear_options()
        self._list.add_options([Option(self._format_row(row, file)) for row in self._rows])
        if self._rows:
            self._list.highlighted = min(place, len(self._rows) - 1)
        else:
            self._words.update(_("No setting fits."))

    def _settings(self) -> list[Setting]:
        return [*table(), *named(self._setup.settings, ACTIONS)]

    def _unknown_keys(self) -> list[BrokenSetting]:
        """Key settings whose action does not exist."""
        chosen = self._setup.settings.keys
        return [
            BrokenSetting(f"keys.{name}", key, _("There is no such action."), unknown=True)
            for name, key in chosen.items()
            if name not in ACTIONS
        ]

    def _format_row(self, row: Row, file: dict[str, object]) -> Content:
        if isinstance(row, BrokenSetting):
            words = f"✗ {fitted(one_line(row.path), _NAME - 1)} {shortened(one_line(row.value), _VALUE)}"
            return Content.styled(words, "$text-error")
        value = one_line(format_value(self._setup.settings, row)) or "–"
        where = find_origin(row, file)
        changed = where is not SettingOrigin.DEFAULT or value not in (row.default, "–")
        return Content.assemble(
            "• " if changed else "  ",
            f"{fitted(one_line(row.path), _NAME - 1)} ",
            (f"{fitted(value, _VALUE - 1)} ", "bold" if changed else ""),
            ("" if where is SettingOrigin.DEFAULT else _(where.value), "$foreground-muted"),
        )

    def _describe(self, row: Row) -> Content:
        if isinstance(row, BrokenSetting):
            mend = (
                _("Press delete to remove it from the file.")
                if row.unknown
                else _("enter fixes it, delete removes it.")
            )
            return Content.styled(f"{one_line(row.reason)} {mend}", "$text-error")
        default = _("By default: {value}.").format(value=row.default or _("empty"))
        return Content(f"{_(row.description)} {default}")


def _searchable_text(row: Row) -> str:
    """The text that is searched: the translated and the English description."""
    return f"{row.description} {_(row.description)}" if isinstance(row, Setting) else row.reason
