"""Base class of apps that draw images: knows how the terminal draws them, and removes them on exit."""

from __future__ import annotations

from typing import Any, Generic

from rich.console import RenderableType
from textual.app import App, ReturnType
from textual.signal import Signal

from assistant.tui.terminal_probe import PictureTerminal


class PictureApp(App[ReturnType], Generic[ReturnType]):
    """An app with pictures.

    Args:
        terminal: how the terminal draws pictures; in half blocks by default.
    """

    def __init__(self, terminal: PictureTerminal | None = None) -> None:
        super().__init__()
        self.picture_terminal = terminal or PictureTerminal()
        self.leaving: Signal[App[Any]] = Signal(self, "leaving")

    def exit(
        self,
        result: ReturnType | None = None,
        return_code: int = 0,
        message: RenderableType | None = None,
    ) -> None:
        """Remove every image from the terminal while we still control it, then leave."""
        self.leaving.publish(self)
        super().exit(result, return_code, message)
