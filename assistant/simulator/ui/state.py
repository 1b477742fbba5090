"""What is open on the screen besides the apps' pages: dialogs, the system's windows, the input focus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.simulator.apps.host import Dialog
from assistant.simulator.ui.nodes import ScrollPosition, TextField
from assistant.simulator.ui.tasks import Tasks


@dataclass(slots=True)
class OpenDialog:
    """A dialog and the app that showed it."""

    package: str
    dialog: Dialog


@dataclass(slots=True)
class PermissionRequest:
    """What the system's permission dialog asks at the moment."""

    package: str
    permission: str
    then: Callable[[bool], None]


@dataclass(slots=True)
class Panels:
    """The system's own windows: which are open, how far they are scrolled, what is typed in them.

    `shade` is "", "notifications" or "settings"; `pin` what was entered on the lock screen so far; `split`
    the apps that share the screen while one of them is in front, the upper one first.
    """

    shade: str = ""
    recents: bool = False
    drawer: bool = False
    bouncer: bool = False
    pin: str = ""
    power_menu: bool = False
    not_responding: str = ""
    split: tuple[str, ...] = ()
    shade_scroll: ScrollPosition = field(default_factory=ScrollPosition)
    recents_scroll: ScrollPosition = field(default_factory=ScrollPosition)
    drawer_scroll: ScrollPosition = field(default_factory=ScrollPosition)
    drawer_search: TextField = field(default_factory=TextField)

    def close(self) -> None:
        """Close what covers the app: the shade, recents, the drawer and the power menu."""
        self.shade = ""
        self.recents = self.drawer = self.power_menu = False
        self.drawer_scroll.offset = 0.0
        self.drawer_search.value = ""


@dataclass(slots=True)
class Focus:
    """The text field that typing goes to, and whether the keyboard is up for it."""

    field: TextField | None = None
    keyboard: bool = False
    shifted: bool = False
    symbols: bool = False

    def take(self, text_field: TextField) -> None:
        """Give the focus to a field and show the keyboard."""
        self.field, self.keyboard = text_field, True
        self.shifted = self.symbols = False

    def drop(self) -> None:
        """Take the focus from its field and hide the keyboard."""
        self.field, self.keyboard = None, False


@dataclass(slots=True)
class Stack:
    """What is open on one display."""

    tasks: Tasks = field(default_factory=Tasks)
    panels: Panels = field(default_factory=Panels)
    focus: Focus = field(default_factory=Focus)
