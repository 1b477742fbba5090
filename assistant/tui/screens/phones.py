"""The connected phones; Enter selects one, and the choice is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from assistant.i18n import _
from assistant.phone.errors import PhoneStatus
from assistant.presentation.text import clip, one_line
from assistant.text_layout import padded
from assistant.tui.widgets.status import format_phone_state

_NAME, _SERIAL = 18, 24


class PhonesScreen(ModalScreen[str | None]):
    """Returns the serial of the chosen phone, or None.

    Args:
        phones: the phones, in any state.
        used: the serial of the one in use.
    """

    CSS_PATH = "phones.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f10,q", "dismiss", "Close", show=False)]

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
