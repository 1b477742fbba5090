"""The phone's latest screenshot, with the next touch marked on it."""

from __future__ import annotations

from assistant import events
from assistant.i18n import _, later
from assistant.records import touched
from assistant.tui.widgets.phone_screen import DrawnPicture

_NONE_YET = later("No picture yet.")
_SECURE = later("This screen allows no pictures.")


class PicturePanel(DrawnPicture):
    """Shows the screenshots of the turn."""

    def __init__(self) -> None:
        super().__init__("picture")
        self.border_title = _("phone")
        self._instead = _(_NONE_YET)

    def handle_event(self, event: events.Event) -> None:
        """Update the screenshot."""
        match event:
            case events.ScreenObserved(observation=observation):
                shot = b"" if observation.secure else observation.screenshot
                self.draw_picture(shot, (), _(_SECURE if observation.secure else _NONE_YET))
            case events.ActionChosen(action=action) | events.ApprovalRequested(action=action):
                self.draw_picture(self._shot, touched(action), self._instead)
