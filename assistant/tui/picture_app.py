"""What an app with pictures is: it knows how its terminal draws them, and leaves none there."""

from __future__ import annotations

from rich.console import RenderableType
from textual.app import App
from textual.signal import Signal

from assistant.tui.pictures.terminal import PictureTerminal


class PictureApp(App[None]):
    """An app with pictures.

    Args:
        terminal: how the terminal draws pictures; in half blocks by default.
    """

    def __init__(self, terminal: PictureTerminal | None = None) -> None:
        super().__init__()
        self.picture_terminal = terminal or PictureTerminal()
        self.leaving: Signal[App[None]] = Signal(self, "leaving")

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Have every picture taken out of the terminal while it is still ours, and leave."""
        self.leaving.publish(self)
        super().exit(result, return_code, message)
