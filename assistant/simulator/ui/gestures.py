"""What touches do: taps, holds and swipes on what they hit."""

from __future__ import annotations

from assistant.simulator.ui import shade
from assistant.simulator.ui.desk import Desk
from assistant.simulator.ui.metrics import Screen
from assistant.simulator.ui.nodes import Node
from assistant.simulator.ui.tasks import HOME
from assistant.simulator.ui.touch import Hit, drag

FAR = 0.12
"""How much of the screen's height a swipe must cross to open or close a system panel."""


def tap(desk: Desk, hit: Hit | None) -> None:
    """Let the innermost node that reacts do so. Beside a dialog, close it where that is allowed."""
    if hit is None:
        return
    if not hit.path:
        if hit.window.outside is not None:
            hit.window.outside()
        return
    node = hit.handler()
    if node is None or not node.enabled:
        return
    if node.field is not None:
        desk.focus.take(node.field)
    if node.on_tap is not None:
        _act(desk, hit, node)


def hold(desk: Desk, hit: Hit | None) -> None:
    """A long touch; what knows only taps takes it for one, except the launcher's icons."""
    node = hit.handler() if hit else None
    if hit is None or node is None or not node.enabled:
        return
    if node.on_hold is not None:
        with desk.running(hit.window.package):
            node.on_hold()
    elif hit.window.package != HOME:
        tap(desk, hit)


def _act(desk: Desk, hit: Hit, node: Node) -> None:
    if node.on_tap is None:
        return
    if any(app.package == hit.window.package for app in desk.apps()):
        with desk.running(hit.window.package):
            node.on_tap()
    else:
        node.on_tap()


def swipe(
    desk: Desk, screen: Screen, hit: Hit | None, start: tuple[float, float], end: tuple[float, float]
) -> None:
    """A moving touch: over the system's edges and panels, else the list under it follows."""
    across, along = end[0] - start[0], end[1] - start[1]
    upright = abs(along) > abs(across)
    far = screen.height * FAR
    panels = desk.panels
    if desk.services.keyguard.showing:
        if upright and along < -far:
            _leave_lock_screen(desk)
    elif start[1] < screen.status_bar.bottom and upright and along > 0:
        panels.shade = "settings" if panels.shade else "notifications"
        desk.focus.keyboard = False
    elif hit is not None and drag(hit, across / screen.scale, along / screen.scale):
        return
    elif panels.shade:
        if upright and along < -far:
            panels.shade = ""
        elif not upright:
            _dismiss(desk, hit)
    elif upright and abs(along) > far:
        _launcher_swipe(desk, up=along < 0)


def _leave_lock_screen(desk: Desk) -> None:
    if desk.services.keyguard.secure:
        desk.panels.bouncer = True
    else:
        shade.unlock(desk)


def _launcher_swipe(desk: Desk, *, up: bool) -> None:
    if desk.tasks.front.package != HOME or desk.panels.recents:
        return
    if up:
        desk.panels.drawer = True
    elif desk.panels.drawer:
        desk.panels.close()
        desk.focus.drop()
    else:
        desk.panels.shade = "notifications"


def _dismiss(desk: Desk, hit: Hit | None) -> None:
    """Swipe a notification away."""
    rows = [node for node in hit.path if node.id == "expandableNotificationRow"] if hit else []
    posted = desk.services.notifications.posted
    for node in rows:
        title = node.children[1].text
        gone = next((notification for notification in reversed(posted) if notification.title == title), None)
        if gone is not None:
            desk.services.notifications.cancel(gone.key)
