"""Which windows are on the screen, from the lowest to the highest."""

from __future__ import annotations

from assistant.records import Bounds
from assistant.simulator.ui import dialogs, ime, launcher, shade
from assistant.simulator.ui.desk import Desk
from assistant.simulator.ui.metrics import Screen
from assistant.simulator.ui.nodes import TextField
from assistant.simulator.ui.parts import Tap
from assistant.simulator.ui.tasks import HOME, Task
from assistant.simulator.ui.window import Window, page_window


def screen_of(desk: Desk) -> Screen:
    """The display as it is now."""
    display = desk.services.display
    try:
        font_scale = float(desk.setting("font_scale") or 1)
    except ValueError:
        font_scale = 1.0
    width, height = display.size
    return Screen(width, height, display.scale, min(2.0, max(0.5, font_scale)))


def compose(desk: Desk, screen: Screen, buttons: tuple[Tap, Tap, Tap]) -> list[Window]:
    """All windows. `buttons` are what back, home and recents do."""
    if desk.services.keyguard.showing:
        return [shade.keyguard(desk, screen)]
    if desk.showing:
        return _compose_apart(desk, screen)
    windows = [*_beside(desk, screen), _base(desk, screen)]
    covered = desk.panels.recents or desk.panels.drawer
    if not covered:
        windows += _above(desk, screen)
    field = _focused_field(desk, windows[-1])
    is_typed_here = desk.services.displays.top == desk.showing
    if field is not None and desk.focus.keyboard and not desk.panels.shade and is_typed_here:
        windows.append(ime.keyboard(desk, screen, field))
    if desk.panels.shade:
        windows.append(shade.shade(desk, screen))
    if desk.panels.power_menu:
        windows.append(dialogs.power_menu(desk, screen))
    windows.append(shade.navigation_bar(desk, screen, *buttons))
    return windows


def _compose_apart(desk: Desk, screen: Screen) -> list[Window]:
    """The windows of another display than the phone's own: no bars, no launcher, no keyboard."""
    if desk.tasks.front.package == HOME:
        return []
    windows = [_base(desk, screen), *_above(desk, screen)]
    _focused_field(desk, windows[-1])
    return windows


def _base(desk: Desk, screen: Screen) -> Window:
    if desk.panels.recents:
        return launcher.recents(desk, screen)
    task = desk.tasks.front
    if task.package == HOME or task.top is None:
        return launcher.drawer(desk, screen) if desk.panels.drawer else launcher.home(desk, screen)
    return _page(desk, screen, task)


def _page(desk: Desk, screen: Screen, task: Task) -> Window:
    """The page on top of a task that has one; in split screen in its half of the screen."""
    app, top = desk.app(task.package), task.pages[-1]
    with desk.running(task.package):
        root, secure = app.view(top), app.secure(top)
    half = split_halves(desk, screen).get(task.package)
    return page_window(screen, task.package, app.activity(top), root, secure=secure, area=half)


def split_halves(desk: Desk, screen: Screen) -> dict[str, Bounds]:
    """Where the apps lie that share the screen; empty where one has it, or the launcher."""
    pair = desk.panels.split
    tasks = [desk.tasks.find(package) for package in pair]
    if desk.tasks.front.package not in pair or desk.panels.recents or not all(t and t.top for t in tasks):
        return {}
    width, middle = screen.width, screen.height // 2
    halves = Bounds(0, 0, width, middle), Bounds(0, middle, width, screen.height)
    return dict(zip(pair, halves, strict=True))


def _beside(desk: Desk, screen: Screen) -> list[Window]:
    """The page that lies beside the one in front."""
    front = desk.tasks.front.package
    others = (desk.tasks.find(name) for name in split_halves(desk, screen) if name != front)
    return [_page(desk, screen, task) for task in others if task is not None]


def _above(desk: Desk, screen: Screen) -> list[Window]:
    package, activity = desk.resumed()
    windows = [
        dialogs.app_dialog(desk, screen, shown, activity)
        for shown in desk.dialogs
        if shown.package == package
    ]
    request = desk.asking()
    if request is not None:
        windows.append(dialogs.permission(desk, screen, request))
    if desk.panels.not_responding:
        windows.append(dialogs.not_responding(desk, screen))
    return windows


def _focused_field(desk: Desk, window: Window) -> TextField | None:
    """The field with focus, if the active window has it; a field that is gone loses the focus."""
    focused = desk.focus.field
    if focused is not None and any(placed_node.node.field is focused for placed_node in window.placed.walk()):
        return focused
    if focused is not None:
        desk.focus.drop()
    return None


def active(windows: list[Window]) -> Window:
    """The window with focus: the highest that takes it."""
    return next(window for window in reversed(windows) if window.focusable)


def moving(windows: list[Window]) -> bool:
    """Whether an animation shows anywhere."""
    return any(
        placed_node.node.moving and placed_node.seen.area
        for window in windows
        for placed_node in window.placed.walk()
    )
