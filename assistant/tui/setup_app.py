"""`assistant setup` in the terminal: an app with only the setup screen."""

from __future__ import annotations

from assistant.setup.core import Setup
from assistant.tui.picture_app import PictureApp
from assistant.tui.readable import ensure_readable
from assistant.tui.screens.setup import SetupScreen
from assistant.tui.terminal_probe import PictureTerminal


class SetupApp(PictureApp[bool]):
    """Returns whether anything was changed.

    Args:
        setup: what the screen works with.
        picture_terminal: how the terminal draws pictures; in half blocks by default.
    """

    TITLE = "assistant setup"
    ESCAPE_TO_MINIMIZE = False
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, setup: Setup, picture_terminal: PictureTerminal | None = None) -> None:
        super().__init__(picture_terminal)
        self.animation_level = "none"
        self._setup = setup
        theme = setup.settings.interface.theme
        self.theme = theme if theme in self.available_themes else "textual-dark"

    def get_css_variables(self) -> dict[str, str]:
        """The theme's colours, adjusted to a readable contrast."""
        return ensure_readable(super().get_css_variables())

    def on_mount(self) -> None:
        """Show the screen; leave when it is closed."""
        self.push_screen(SetupScreen(self._setup), self.exit)


async def show_setup(setup: Setup, picture_terminal: PictureTerminal) -> bool:
    """Run the screen until the user leaves it; returns whether it ended without an error."""
    app = SetupApp(setup, picture_terminal)
    await app.run_async()
    return not app.return_code
