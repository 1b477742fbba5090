from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.phone.touches import Button, FingerDown, Gesture, Panel, TouchReader, parse_panels
from tests.tables import each

TAP = """\
add device 1: /dev/input/event2
  name:     "panel"
[  414624.658986] /dev/input/event2: EV_ABS       ABS_MT_TRACKING_ID   0000835c
[  414624.659017] /dev/input/event2: EV_ABS       ABS_MT_TOUCH_MAJOR   0000000b
[  414624.659047] /dev/input/event2: EV_ABS       ABS_MT_POSITION_X    000003f0
[  414624.659078] /dev/input/event2: EV_ABS       ABS_MT_POSITION_Y    00000588
[  414624.659078] /dev/input/event2: EV_SYN       SYN_REPORT           00000000
[  414624.758986] /dev/input/event2: EV_ABS       ABS_MT_TRACKING_ID   ffffffff
[  414624.759270] /dev/input/event2: EV_SYN       SYN_REPORT           00000000
"""
BUTTON_TOUCH = """\
[ 1.0] EV_ABS ABS_MT_POSITION_X 00000010
[ 1.0] EV_ABS ABS_MT_POSITION_Y 00000020
[ 1.0] EV_KEY BTN_TOUCH DOWN
[ 1.0] EV_SYN SYN_REPORT 00000000
[ 1.1] EV_ABS ABS_MT_POSITION_X 00000040
[ 1.1] EV_SYN SYN_REPORT 00000000
[ 1.2] EV_KEY BTN_TOUCH UP
"""
RAW = """\
[ 1.0] 0003 0039 00000001
[ 1.0] 0003 0035 00000010
[ 1.0] 0003 0036 00000020
[ 1.0] 0000 0000 00000000
[ 1.1] 0003 0039 ffffffff
"""


def about(seconds: float) -> float:
    """A duration as a float to the type checker, compared with the usual tolerance."""
    return cast(float, pytest.approx(seconds))


def read(lines: Iterable[str]) -> list[FingerDown | Gesture | Button]:
    reader = TouchReader()
    return [one for line in lines for one in reader.feed(line)]


def test_a_tap_as_a_real_phone_prints_it() -> None:
    assert read(TAP.splitlines()) == [FingerDown(), Gesture((0x3F0, 0x588), (0x3F0, 0x588), about(0.1))]


def test_a_panel_that_only_has_the_button() -> None:
    assert read(BUTTON_TOUCH.splitlines()) == [
        FingerDown(),
        Gesture((0x10, 0x20), (0x40, 0x20), about(0.2)),
    ]


def test_a_phone_that_prints_no_labels() -> None:
    found = read(RAW.splitlines())
    assert found[0] == FingerDown()
    assert isinstance(found[1], Gesture)
    assert (found[1].start, found[1].end) == ((0x10, 0x20), (0x10, 0x20))
    assert read(["0001 0039 00000001", "0001 0074 00000001"]) == [Button.POWER], "0039 is a key's number too"


@each(
    ("lines", "read_as"),
    [
        (["add device 1: /dev/input/event3", '  name:     "uinput-fpc"'], []),
        (["add device 1: /dev/input/event3", '  name:     "gpio-keys"'], [Button.POWER, Button.HOME]),
        (["/dev/input/event3: EV_KEY BTN_TOUCH UP"], [Button.HOME]),
        ([], [Button.POWER, Button.HOME]),
    ],
)
def test_keys_that_a_panel_or_fingerprint_reader_sends_by_itself_are_nobodys(
    lines: list[str], read_as: list[Button]
) -> None:
    keys = ["/dev/input/event3: EV_KEY KEY_POWER DOWN", "/dev/input/event3: EV_KEY KEY_HOME DOWN"]
    assert read([*lines, *keys]) == read_as


def test_tracking_and_button_together_are_one_touch() -> None:
    lines = [
        "EV_ABS ABS_MT_TRACKING_ID 00000001",
        "EV_KEY BTN_TOUCH DOWN",
        "EV_ABS ABS_MT_TRACKING_ID ffffffff",
        "EV_KEY BTN_TOUCH UP",
    ]
    assert [type(one) for one in read(lines)] == [FingerDown, Gesture]


def test_buttons() -> None:
    assert read(["[ 1.0] /dev/input/event0: EV_KEY       KEY_POWER            DOWN"]) == [Button.POWER]
    assert read(["EV_KEY KEY_POWER UP", "EV_KEY KEY_VOLUMEUP DOWN"]) == []


def test_the_panels_range() -> None:
    printed = (
        'add device 1: /dev/input/event0\n  name: "keys"\n  KEY (0001): KEY_POWER\n'
        'add device 2: /dev/input/event2\n  name: "panel"\n'
        "    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 9, fuzz 0\n"
        "                ABS_MT_POSITION_X     : value 0, min 0, max 10799, fuzz 0\n"
        "                ABS_MT_POSITION_Y     : value 0, min 0, max 23999, fuzz 0\n"
        "add device 3: /dev/input/event3\n"
    )
    panels = parse_panels(printed)
    assert list(panels) == ["/dev/input/event2"]
    panel = panels["/dev/input/event2"]
    assert panel == Panel(0, 10799, 0, 23999)
    assert panel.fraction((10799, 0), 0) == (1.0, 0.0)
    assert panel.fraction((10799, 0), 1) == (0.0, 0.0)
    assert panel.fraction((0, 0), 3) == (1.0, 0.0)
    assert parse_panels("nothing") == {}
    touchpad = printed.replace("event2", "event1").replace("10799", "999")
    direct = printed.replace("add device 3", "  input props:\n    INPUT_PROP_DIRECT\nadd device 3")
    assert parse_panels(touchpad + direct) == panels, "what lies on a screen, not the touchpad before it"
    assert Panel().fraction((1, 1), 0) is None


@given(st.lists(st.text(max_size=60), max_size=20))
def test_no_line_whatever_raises(lines: list[str]) -> None:
    assert all(isinstance(one, FingerDown | Gesture | Button) for one in read(lines))
