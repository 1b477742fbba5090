"""The phone's keys: back, home, recents, power, and those of a keyboard."""

from __future__ import annotations

from enum import IntEnum

from assistant.simulator.android.hardware import Wakefulness
from assistant.simulator.ui import ime, shade
from assistant.simulator.ui.desk import Desk
from assistant.simulator.ui.scene import active
from assistant.simulator.ui.tasks import HOME
from assistant.simulator.ui.window import Window


class Key(IntEnum):
    """The key codes that the phone answers to."""

    HOME = 3
    BACK = 4
    POWER = 26
    SPACE = 62
    ENTER = 66
    DELETE = 67
    MENU = 82
    NOTIFICATION = 83
    ESCAPE = 111
    PAD_ENTER = 160
    RECENTS = 187
    SLEEP = 223
    WAKE_UP = 224


DIGITS = range(7, 17)
LETTERS = range(29, 55)


def press(desk: Desk, windows: list[Window], code: int, *, long: bool = False) -> None:
    """What a key does. While the screen is off only power and wake-up do anything."""
    power = desk.services.power
    if long and code == Key.POWER and power.awake:
        desk.panels.power_menu = True
    elif code in (Key.POWER, Key.SLEEP, Key.WAKE_UP):
        wake = code == Key.WAKE_UP or (code == Key.POWER and not power.awake)
        (wake_up if wake else sleep)(desk)
    elif power.awake and desk.services.keyguard.showing:
        _locked(desk, code)
    elif power.awake:
        _awake(desk, windows, code)


def sleep(desk: Desk) -> None:
    """Turn the screen off; the lock screen waits behind it."""
    desk.services.power.wakefulness = Wakefulness.ASLEEP
    desk.lock()


def wake_up(desk: Desk) -> None:
    """Turn the screen on."""
    desk.services.power.wakefulness = Wakefulness.AWAKE


def _locked(desk: Desk, code: int) -> None:
    panels = desk.panels
    if code in (Key.BACK, Key.ESCAPE):
        panels.bouncer, panels.pin = False, ""
    elif code == Key.MENU and not desk.services.keyguard.secure:
        shade.unlock(desk)
    elif panels.bouncer and code in DIGITS:
        shade.enter_pin(desk, str(code - DIGITS.start))
    elif panels.bouncer and code == Key.DELETE:
        panels.pin = panels.pin[:-1]
    elif code == Key.MENU:
        panels.bouncer = True


def _awake(desk: Desk, windows: list[Window], code: int) -> None:
    match code:
        case Key.HOME:
            desk.go_home()
        case Key.BACK | Key.ESCAPE:
            back(desk, windows)
        case Key.RECENTS:
            recents(desk)
        case Key.NOTIFICATION:
            desk.panels.shade = "notifications"
        case Key.ENTER | Key.PAD_ENTER:
            ime.submit(desk)
        case Key.DELETE:
            ime.delete(desk)
        case _ if code in DIGITS:
            ime.write(desk, str(code - DIGITS.start))
        case _ if code in LETTERS:
            ime.write(desk, chr(ord("a") + code - LETTERS.start))
        case Key.SPACE:
            ime.write(desk, " ")


def back(desk: Desk, windows: list[Window]) -> None:
    """Close what is on top: power menu, shade, keyboard, launcher panel, system question, dialog, page."""
    panels = desk.panels
    window = active(windows)
    if panels.power_menu:
        panels.power_menu = False
    elif panels.shade:
        panels.shade = ""
    elif desk.focus.keyboard:
        desk.focus.keyboard = False
    elif panels.recents or panels.drawer:
        panels.close()
    elif panels.not_responding:
        panels.not_responding = ""
    elif desk.asking() is not None:
        desk.answer_permission(False, remember=False)
    elif window.outside is not None:
        window.outside()
    elif len(windows) > 1 and window is not windows[0]:
        return
    elif desk.tasks.front.package != HOME:
        with desk.running(desk.tasks.front.package):
            desk.back()


def recents(desk: Desk) -> None:
    """Show the cards of recent apps, or leave them."""
    shown = desk.panels.recents
    desk.panels.close()
    desk.focus.drop()
    desk.panels.recents = not shown
    desk.changed()
