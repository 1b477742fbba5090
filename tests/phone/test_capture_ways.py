"""The quicker way to take a picture over plain adb: as PNG, or as pixels that the phone packs."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from assistant.phone.pictures import is_black, picture_size, unpack_picture
from assistant.phone.screen_sources import AdbScreenSource
from assistant.phone.status import CAPTURE_WAYS, CaptureWays
from tests.phone.conftest import Scripted, Simulate, Simulated
from tests.phone.scripted import Answer, png
from tests.phone.test_screenshots import PANELS, packed
from tests.worlds import SIZE

SLOW = {"screencap": 0.05, "png": 0.3, "gzip": 0.05, "slow gzip": 0.5}
PACKED = "screencap | gzip -1"


UNPACKING = 0.9
"""Seconds that this computer needs for packed pixels once they are here, where it is busy."""
DAY = 24 * 3600.0


class Clock:
    """A clock that each picture moves on by what its way takes, and the calendar, in seconds since 1970."""

    def __init__(self) -> None:
        self.now = 0.0
        self.date = 1_790_000_000.0

    def __call__(self) -> float:
        return self.now

    def calendar(self) -> float:
        return self.date


def taken(ways: CaptureWays, clock: Clock, png_seconds: float, packed_seconds: float) -> Iterator[bool]:
    """The way of each picture to come, which takes that long."""
    while True:
        packs = ways.packs("phone")
        with ways.measure("phone", packed=packs) as has_come:
            clock.now += packed_seconds if packs else png_seconds
            has_come()
            clock.now += UNPACKING if packs else 0.0
        yield packs


@pytest.mark.parametrize(("packed_seconds", "is_packed"), [(0.36, True), (0.8, False)])
def test_both_ways_are_tried_and_the_quicker_one_is_kept(
    tmp_path: Path, packed_seconds: float, is_packed: bool
) -> None:
    clock, file = Clock(), tmp_path / CAPTURE_WAYS
    pictures = taken(CaptureWays(file, clock, clock.calendar), clock, 0.6, packed_seconds)
    assert [next(pictures) for _ in range(6)] == [False, False, True, True, is_packed, is_packed]
    noted = {"packed": is_packed, "at": clock.date, "png_seconds": 0.6, "packed_seconds": packed_seconds}
    assert json.loads(file.read_text()) == {"phone": noted}
    assert CaptureWays(file, clock, clock.calendar).packs("phone") is is_packed
    assert not CaptureWays(file, clock, clock.calendar).packs("another phone")


def test_a_way_is_measured_again_after_a_week(tmp_path: Path) -> None:
    clock, file = Clock(), tmp_path / CAPTURE_WAYS
    ways = CaptureWays(file, clock, clock.calendar)
    busy = taken(ways, clock, 0.6, 0.8)
    assert [next(busy) for _ in range(5)][-1] is False
    clock.date += 6 * DAY
    assert CaptureWays(file, clock, clock.calendar).packs("phone") is next(busy) is False
    clock.date += 2 * DAY
    for again in (ways, CaptureWays(file, clock, clock.calendar)):
        quiet = taken(again, clock, 0.6, 0.36)
        assert [next(quiet) for _ in range(5)] == [False, False, True, True, True]
        file.write_text(file.read_text().replace(str(round(clock.date)), str(round(clock.date - 8 * DAY))))
    clock.date += 8 * DAY
    assert not ways.packs("phone"), "a program that runs for a week measures again, too"


def test_a_note_without_its_time_is_measured_again(tmp_path: Path) -> None:
    """One of a version that measured this computer's own work too."""
    (tmp_path / CAPTURE_WAYS).write_text('{"phone": {"packed": true, "png_seconds": 0.6}}')
    assert not CaptureWays(tmp_path / CAPTURE_WAYS).packs("phone")


def test_a_phone_that_is_quick_is_not_tried(tmp_path: Path) -> None:
    clock = Clock()
    pictures = taken(CaptureWays(tmp_path / CAPTURE_WAYS, clock), clock, 0.05, 0.01)
    assert not any(next(pictures) for _ in range(6))
    assert not list(tmp_path.iterdir())


def test_pictures_that_overlap_are_not_measured() -> None:
    clock = Clock()
    ways = CaptureWays(now=clock)
    for _ in range(5):
        with ways.measure("phone", packed=False) as has_come:
            clock.now += 0.6
            with ways.measure("phone", packed=False) as other_has_come:
                clock.now += 0.6
                other_has_come()
            has_come()
    assert not ways.packs("phone")


def test_a_picture_that_fails_tells_nothing() -> None:
    clock = Clock()
    ways = CaptureWays(now=clock)

    def fail() -> None:
        with ways.measure("phone", packed=False) as has_come:
            has_come()
            raise TimeoutError

    for _ in range(5):
        with pytest.raises(TimeoutError):
            fail()
    assert not ways.packs("phone")


def test_a_broken_note_counts_as_none(tmp_path: Path) -> None:
    at = Clock().date
    for text in ("[]", '{"phone": 3}', f'{{"phone": {{"packed": "yes", "at": {at}}}}}', "{"):
        (tmp_path / CAPTURE_WAYS).write_text(text)
        assert not CaptureWays(tmp_path / CAPTURE_WAYS).packs("phone")


def packing(file: Path | None, serial: str) -> CaptureWays:
    """Ways that have found packed pixels to be quicker."""
    clock = Clock()
    ways = CaptureWays(file, clock)
    for is_packed in (False, False, True, True):
        with ways.measure(serial, packed=is_packed) as has_come:
            clock.now += 0.3 if is_packed else 0.6
            has_come()
    assert ways.packs(serial)
    return ways


@pytest.mark.parametrize(
    "answer",
    [
        Answer(err="/system/bin/sh: gzip: not found\n", code=127),
        Answer(packed(Image.new("RGB", (20, 30)), 22)),
        Answer(packed(Image.new("RGB", (20, 30)))[:-20]),
        Answer(b"screencap: something else\n"),
    ],
    ids=["no gzip", "unknown format", "cut off", "words"],
)
async def test_where_pixels_do_not_come_pngs_are_taken_for_good(
    scripted: Scripted, tmp_path: Path, answer: Answer
) -> None:
    scripted.script.on(PACKED, answer)
    ways = packing(tmp_path / "ways.json", scripted.serial)
    source = AdbScreenSource(scripted.shell(), ways)
    assert (await source.screenshot()).png == png()
    assert (await source.screenshot()).png == png()
    assert scripted.script.lines == [PACKED, "screencap -p", "screencap -p"]
    assert not CaptureWays(tmp_path / "ways.json").packs(scripted.serial)


async def test_a_page_that_forbids_its_picture_says_nothing_of_the_way(scripted: Scripted) -> None:
    said = "Failed to take screenshot. Status: -1\n"
    scripted.script.on(PACKED, Answer(packed(Image.new("RGB", (1, 1)))[:0], said))
    ways = packing(None, scripted.serial)
    assert (await AdbScreenSource(scripted.shell(), ways).screenshot()).forbidden
    assert scripted.script.lines == [PACKED]
    assert ways.packs(scripted.serial)


async def test_the_lit_panel_is_named_for_pixels_too(scripted: Scripted) -> None:
    lit, dark = Image.new("RGB", (108, 240), "white"), Image.new("RGB", (200, 210), "black")
    scripted.script.on(PACKED, packed(dark, before=PANELS))
    scripted.script.on("screencap -d 77 | gzip -1", packed(lit))
    panel = 'Display id 0: state ON, uniqueId "local:77"\n'
    scripted.script.on("cmd display get-displays", panel)
    source = AdbScreenSource(scripted.shell(), packing(None, scripted.serial))
    shot = await source.screenshot()
    assert picture_size(shot.png) == (108, 240)
    assert not is_black(shot.png)
    assert picture_size((await source.screenshot()).png) == (108, 240)
    assert len([line for line in scripted.script.lines if line == PACKED]) == 1


async def sizes(one: Simulated, count: int) -> list[str]:
    """The formats of so many pictures of a phone, and make sure that they show all of its screen."""
    formats = []
    for _ in range(count):
        shot = await one.phone._look.screenshot()
        assert picture_size(shot.png) == SIZE
        with Image.open(io.BytesIO(shot.png)) as picture:
            formats.append(str(picture.format))
    return formats


@pytest.mark.parametrize("is_slow", [False, True])
async def test_a_simulated_phone_is_measured_once(simulate: Simulate, is_slow: bool) -> None:
    async with simulate(android=9) as one:
        delays = one.sim.services.delays
        delays.factor = 1.0
        delays.seconds |= SLOW
        one.sim.services.quirks.slow_gzip = is_slow
        last = "PNG" if is_slow else "JPEG"
        assert await sizes(one, 6) == ["PNG", "PNG", "JPEG", "JPEG", last, last]
        before = len(one.requests())
        one.phone = one.again()
        assert await sizes(one, 2) == [last, last]
        asked = "screencap -p" if is_slow else PACKED
        assert [line for line in one.requests()[before:] if "screencap" in line] == [f"shell,v2:{asked}"] * 2


async def test_a_busy_computer_takes_packed_pixels_all_the_same(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(printed: bytes) -> tuple[bytes, bytes]:
        time.sleep(0.4)
        return unpack_picture(printed)

    monkeypatch.setattr("assistant.phone.screen_sources.unpack_picture", slowly)
    async with simulate(android=9) as one:
        delays = one.sim.services.delays
        delays.factor = 1.0
        delays.seconds |= SLOW
        assert await sizes(one, 5) == ["PNG", "PNG", "JPEG", "JPEG", "JPEG"]
        source = AdbScreenSource(one.phone._reading_shell)
        seconds = await source.capture_seconds(packed=True)
        assert seconds is not None
        assert seconds < 0.4
