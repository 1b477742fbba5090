"""What a phone can do, tried on simulated phones."""

from __future__ import annotations

import asyncio
import time
from dataclasses import astuple

from assistant.cli.setup import ability_lines
from assistant.doctor import HELPER_OFF, MEASURING, measure_abilities, measure_looks
from assistant.phone.screen import Screenshot
from assistant.phone.screen_sources import SCREEN_READER
from assistant.phone.ui_tree import Page, UiTree
from assistant.settings.schema import PhoneSettings
from tests.phone.conftest import SETTINGS, Simulate

HELPED = PhoneSettings(command_deadline=3.0, resident_helper=True)


async def test_both_ways_are_measured_and_nothing_changes(simulate: Simulate) -> None:
    async with simulate() as one:
        delays = one.sim.services.delays
        delays.factor = 1.0
        delays.seconds |= {"uiautomator": 0.2, "screencap": 0.1, "png": 0.3, "gzip": 0.1, "input": 0.1}
        delays.seconds |= {"u2 dump": 0.02, "u2 picture": 0.02, "u2 key": 0.01, "app_process": 0.05}
        before = one.sim.windows.focused()
        seen = await measure_abilities(one.adb, one.sim.serial, HELPED)
        assert (seen.pictures, seen.trees, seen.input, seen.helper_problem) == (True, True, True, "")
        assert astuple(seen.plain) > (0.2, 0.1)
        assert seen.helper.look is not None
        assert seen.plain.look is not None
        assert seen.helper.look < seen.plain.look
        assert one.sim.windows.focused() == before
        assert not one.sim.services.automation, "the helper has ended"
        assert seen.packed_seconds is not None
        assert seen.png_seconds is not None
        assert seen.packed_seconds < seen.png_seconds
        plain, pictures, helped = ability_lines(seen)
        assert (plain.split(":")[0], helped.split(":")[0]) == ("plain adb", "resident helper")
        assert f"{seen.packed_seconds:.2f} s as packed pixels" in pictures


async def test_what_does_not_work_is_said(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.quirks.input_denied = True
        one.sim.services.quirks.null_root = True
        one.sim.services.quirks.ime_denied = True
        seen = await measure_abilities(one.adb, one.sim.serial, SETTINGS)
        assert (seen.pictures, seen.trees, seen.input) == (True, False, False)
        assert (seen.plain.input, seen.helper_problem) == (None, HELPER_OFF)
        assert "app_process" not in " ".join(one.requests())
        assert "permission monitoring" in (seen.typing_problem or "")
        assert len(ability_lines(seen)) == 6


async def test_a_screen_reader_is_not_silenced_for_a_measurement(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.settings.secure["enabled_accessibility_services"] = "com.example/.TalkBack"
        seen = await measure_abilities(one.adb, one.sim.serial, HELPED)
        assert seen.screen_reader
        assert (seen.trees, seen.helper_problem) == (None, SCREEN_READER)
        assert "uiautomator" not in " ".join(one.requests())


class QuickSource:
    """A screen that is seen in a twentieth of a second."""

    async def screenshot(self) -> Screenshot:
        await asyncio.sleep(0.05)
        return Screenshot(b"picture")

    async def tree(self) -> UiTree | None:
        return None

    async def distrust(self, *, is_old: bool) -> bool:
        return False

    async def second_opinion(self, page: Page) -> UiTree | None:
        return None


async def test_looks_are_measured_for_a_second() -> None:
    began = time.perf_counter()
    looks = await measure_looks(QuickSource(), 0.05, began + MEASURING, wants_tree=True)
    assert time.perf_counter() - began < MEASURING + 1
    assert len(looks) > 2
    assert looks[0] == 0.05


async def test_each_look_is_told(simulate: Simulate) -> None:
    async with simulate() as one:
        seen = await measure_abilities(one.adb, one.sim.serial, HELPED)
        assert " ".join(one.requests()).count("uiautomator dump") == seen.plain.looks
        assert seen.helper.looks > 0


async def test_a_look_that_takes_longer_is_measured_once_and_the_rest_beside_it(simulate: Simulate) -> None:
    async with simulate() as one:
        delays = one.sim.services.delays
        delays.factor = 1.0
        delays.seconds |= {"uiautomator": 1.6, "screencap": 0.1, "png": 0.3, "gzip": 0.1, "input": 0.3}
        seen = await measure_abilities(one.adb, one.sim.serial, SETTINGS)
        assert seen.plain.look is not None
        assert seen.plain.look >= 1.6
        assert seen.plain.looks == 1
        assert " ".join(one.requests()).count("uiautomator dump") == 1
        assert (seen.pictures, seen.trees, seen.input) == (True, True, True)
        plain, *_others = ability_lines(seen)
        assert "(measured once, as it is longer than 1 s), a key takes" in plain
