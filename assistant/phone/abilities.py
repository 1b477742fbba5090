"""What a phone can do and how fast it is, measured with requests that change nothing on it.

A look is picture and tree side by side, as a turn reads them; an input is a key that does nothing, which
takes the same way as a tap. Both are measured by plain adb, and by the resident
helper where the user agreed to it.
A screen reader falls silent while a tree is read (AOSP `UiAutomation.connect` without flags), so none is read
while one is on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from assistant.events import PhoneState
from assistant.i18n import later
from assistant.phone.adb import AdbServer, Shell
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.phone.resident_helper import (
    HelperLost,
    HelperScreenSource,
    HelperTouch,
    ResidentHelper,
)
from assistant.phone.screen import AdbScreenSource, ScreenSource
from assistant.phone.status import accessibility_in_use
from assistant.phone.touches import KEY_NOTHING, Touch
from assistant.settings.schema import PhoneSettings

HELPER_OFF = later("off by the setting phone.resident_helper")
NOT_MEASURED = later("not measured: the phone is not ready")

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds that one look and one input take; None where it does not work or was not tried."""

    look: float | None = None
    input: float | None = None


@dataclass(frozen=True, slots=True)
class Abilities:
    """What works on a phone, and how fast.

    `pictures`, `trees` and `input` are None where they were not tried. `helper_problem` is empty where the
    resident helper works, else it says in English why it does not.
    """

    pictures: bool | None = None
    trees: bool | None = None
    input: bool | None = None
    screen_reader: bool = False
    plain: Speed = Speed()
    helper: Speed = Speed()
    helper_problem: str = NOT_MEASURED


async def measure(adb: AdbServer, serial: str, settings: PhoneSettings) -> Abilities:
    """Try what the phone can do; the helper is started only if the settings allow it, and ended.

    Raises:
        PhoneError: the phone is lost.
    """
    shell = Shell(adb, serial, settings.command_deadline)
    screen_reader = await accessibility_in_use(shell)
    plain = AdbScreenSource(shell)
    picture_and_tree, look = await _timed(lambda: _look(plain, wants_tree=not screen_reader))
    pictures, trees = picture_and_tree
    accepted, echo = await _timed(lambda: _accepts(Touch(shell)))
    speed, problem = await _measure_helper(shell, plain, settings)
    return Abilities(
        pictures=pictures,
        trees=trees,
        input=accepted,
        screen_reader=screen_reader,
        plain=Speed(look if pictures or trees else None, echo if accepted else None),
        helper=speed,
        helper_problem=problem,
    )


async def _measure_helper(shell: Shell, plain: ScreenSource, settings: PhoneSettings) -> tuple[Speed, str]:
    """How fast the helper is, or why it is not used."""
    if not settings.resident_helper:
        return Speed(), HELPER_OFF
    helper = ResidentHelper(shell, shell)
    try:
        await helper.start()
        _seen, look = await _timed(lambda: _look(HelperScreenSource(helper, plain), wants_tree=True))
        accepted, echo = await _timed(lambda: _accepts(HelperTouch(helper, shell)))
    except HelperLost as lost:
        return Speed(), str(lost)
    finally:
        await helper.stop()
    return (Speed(), helper.lost) if helper.lost else (Speed(look, echo if accepted else None), "")


async def _look(source: ScreenSource, *, wants_tree: bool) -> tuple[bool, bool | None]:
    """Whether a picture and a tree came; the tree is None where it was not asked for."""
    if not wants_tree:
        return bool((await source.screenshot()).png), None
    shot, tree = await asyncio.gather(source.screenshot(), source.tree())
    return bool(shot.png), tree is not None


async def _accepts(touch: Touch) -> bool:
    try:
        await touch.key(KEY_NOTHING)
    except PhoneError as error:
        if error.state is PhoneState.NO_INPUT_PERMISSION:
            return False
        raise
    except ActionRefused:
        return False
    return True


async def _timed(work: Callable[[], Awaitable[Answer]]) -> tuple[Answer, float]:
    begun = time.perf_counter()
    answer = await work()
    return answer, time.perf_counter() - begun
