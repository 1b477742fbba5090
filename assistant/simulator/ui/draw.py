"""The screen as a picture: windows over each other, the bars, a toast."""

from __future__ import annotations

from PIL import Image

from assistant.records import Bounds
from assistant.simulator.ui.canvas import Canvas
from assistant.simulator.ui.desk import Desk
from assistant.simulator.ui.metrics import Screen
from assistant.simulator.ui.paint import Painter
from assistant.simulator.ui.pictures import wallpaper
from assistant.simulator.ui.text import line_height, line_width, wrap
from assistant.simulator.ui.theme import DARK, LIGHT, Colour, Theme, ink_on
from assistant.simulator.ui.window import Backdrop, Window

DIMMED = 0.5
TOAST_SIZE = 14


def black(screen: Screen) -> Image.Image:
    """What a secure window or a sleeping screen gives."""
    return Image.new("RGBA", (screen.width, screen.height), (0, 0, 0, 255))


def frame(desk: Desk, screen: Screen, windows: list[Window], toast: str, turning: int) -> Image.Image:
    """All windows over each other, the lowest first."""
    theme = DARK if desk.setting("dark_mode") == "1" else LIGHT
    painter = Painter(screen, theme, desk.focus.field, turning)
    canvas = Canvas(Image.new("RGBA", (screen.width, screen.height), (*theme.window, 255)))
    under = theme.window
    for window in windows:
        background = _backdrop(canvas, screen, theme, window, under)
        painter.paint(canvas, window.placed, background)
        if window.backdrop in (Backdrop.WALLPAPER, Backdrop.SHEET):
            under = background
    _status_bar(canvas, desk, screen, ink_on(under))
    if toast:
        _toast(canvas, screen, toast)
    return canvas.image


def _backdrop(canvas: Canvas, screen: Screen, theme: Theme, window: Window, under: Colour) -> Colour:
    """Draw what lies under a window's content; the colour of it."""
    size = screen.width, screen.height
    match window.backdrop:
        case Backdrop.WALLPAPER | Backdrop.SHEET:
            veiled = window.backdrop is Backdrop.SHEET
            canvas.picture(wallpaper(*size, theme.dark, veiled), screen.whole)
            return (30, 36, 52) if veiled or theme.dark else (62, 76, 124)
        case Backdrop.DIALOG:
            canvas.dim(DIMMED)
            canvas.fill(window.content, theme.surface, screen.px(24))
            return theme.surface
        case Backdrop.KEYS:
            canvas.fill(window.content, theme.field)
            return theme.field
        case Backdrop.PAGE:
            canvas.fill(window.content, theme.window)
            return theme.window
        case _:
            return under


def _status_bar(canvas: Canvas, desk: Desk, screen: Screen, ink: Colour) -> None:
    """Time on the left; radios and battery on the right."""
    services, bar = desk.services, screen.status_bar
    size, side = screen.sp(13), screen.px(16)
    middle = bar.top + (bar.height - line_height(size)) // 2
    canvas.text(f"{desk.now():%H:%M}", screen.px(18), middle, size, ink, bold=True)
    icons = []
    if services.notifications.posted:
        icons.append("bell")
    if services.bluetooth.enabled:
        icons.append("bluetooth")
    if desk.setting("airplane_mode_on") == "1":
        icons.append("airplane")
    else:
        icons.append("signal")
    if services.wifi.active is not None:
        icons.append("wifi")
    icons.append("battery")
    level = f"{services.battery.level}%"
    right = screen.width - screen.px(16) - round(line_width(level, size))
    canvas.text(level, right, middle, size, ink)
    top = bar.top + (bar.height - side) // 2
    for name in reversed(icons):
        right -= side + screen.px(4)
        canvas.icon(name, right, top, side, ink)


def _toast(canvas: Canvas, screen: Screen, toast: str) -> None:
    """A dark pill near the lower edge."""
    size, edge = screen.sp(TOAST_SIZE), screen.px(14)
    lines = wrap(toast, size, screen.width * 0.7, 2)
    width = round(max(line_width(line, size) for line in lines)) + 2 * edge
    height = line_height(size) * len(lines) + edge
    left = (screen.width - width) // 2
    top = screen.navigation_bar.top - screen.px(40) - height
    canvas.fill(Bounds(left, top, left + width, top + height), (50, 52, 58), screen.px(22))
    for row, line in enumerate(lines):
        canvas.text(line, left + edge, top + edge // 2 + row * line_height(size), size, (245, 245, 248))
