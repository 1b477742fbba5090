from __future__ import annotations

from base64 import b64encode

import pytest

from assistant.simulator.android.profiles import Release
from assistant.simulator.android.software import ADB_KEYBOARD, U2_KEYBOARD, USER_KEYBOARD

from .bench import Bench
from .conftest import make_bench

ENCODED = b64encode("你好 %s 'x'".encode()).decode()


async def test_a_keyboard_is_switched_and_restored(bench: Bench) -> None:
    bench.screen.field = ""
    assert await bench.out("settings get secure default_input_method") == f"{USER_KEYBOARD}\n"
    assert await bench.out("ime list -s") == f"{USER_KEYBOARD}\n"
    assert await bench.out("ime list -a -s") == f"{USER_KEYBOARD}\n{ADB_KEYBOARD}\n"
    early = await bench.run(f"ime set {ADB_KEYBOARD}")
    assert early.error == f"Unknown input method {ADB_KEYBOARD} cannot be selected for user #0\n"
    assert early.code == 255
    enabled = f"Input method {ADB_KEYBOARD}: now enabled for user #0\n"
    assert await bench.out(f"ime enable {ADB_KEYBOARD}") == enabled
    assert await bench.out(f"ime set {ADB_KEYBOARD}") == f"Input method {ADB_KEYBOARD} selected for user #0\n"
    assert await bench.out(f"am broadcast -a ADB_INPUT_B64 --es msg {ENCODED}") == (
        "Broadcasting: Intent { act=ADB_INPUT_B64 flg=0x400000 (has extras) }\n"
        "Broadcast completed: result=0\n"
    )
    assert bench.screen.field == "你好 %s 'x'"
    await bench.out("am broadcast -a ADB_CLEAR_TEXT; am broadcast -a ADB_INPUT_TEXT --es msg 'a b'")
    assert bench.screen.field == "a b"
    await bench.out(f"ime set {USER_KEYBOARD}; ime disable {ADB_KEYBOARD}")
    assert (
        await bench.out("settings get secure default_input_method; ime list -s") == f"{USER_KEYBOARD}\n" * 2
    )


async def test_a_broadcast_to_another_keyboard_proves_nothing(bench: Bench) -> None:
    bench.screen.field = ""
    text = await bench.out(f"am broadcast -a ADB_INPUT_B64 --es msg {ENCODED}")
    assert text.endswith("Broadcast completed: result=0\n")
    assert bench.screen.field == ""


async def test_the_other_adb_keyboard_says_whether_it_typed(bench: Bench) -> None:
    bench.services.input_methods.add(U2_KEYBOARD)
    await bench.out(f"ime enable {U2_KEYBOARD}; ime set {U2_KEYBOARD}")
    line = f"am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text {ENCODED}"
    assert 'result=-1, data="success"' not in await bench.out(line)
    bench.screen.field = ""
    assert 'Broadcast completed: result=-1, data="success"\n' in await bench.out(line)
    assert bench.screen.field == "你好 %s 'x'"


async def test_broken_broadcasts_type_nothing(bench: Bench) -> None:
    bench.screen.field = ""
    await bench.out(f"ime enable {ADB_KEYBOARD}; ime set {ADB_KEYBOARD}")
    await bench.out(
        "am broadcast -a ADB_INPUT_B64 --es msg '%%%'; am broadcast -a ADB_INPUT_B64 --es msg /w=="
    )
    await bench.out("am broadcast -a ADB_INPUT_CHARS --eia chars 72,105,99999999999")
    assert bench.screen.field == "Hi"


async def test_a_phone_may_keep_its_keyboard(bench: Bench) -> None:
    bench.services.quirks.input_method_stuck = True
    await bench.out(f"ime enable {ADB_KEYBOARD}")
    assert "selected for user #0" in await bench.out(f"ime set {ADB_KEYBOARD}")
    assert bench.services.input_methods.current == USER_KEYBOARD


@pytest.mark.parametrize(("release", "end"), [(9, ""), (12, " for user #0")])
async def test_the_wording_by_release(release: Release, end: str) -> None:
    bench = make_bench(release)
    assert await bench.out(f"ime enable {ADB_KEYBOARD}") == f"Input method {ADB_KEYBOARD}: now enabled{end}\n"
    assert await bench.out(f"ime set {ADB_KEYBOARD}") == f"Input method {ADB_KEYBOARD} selected{end}\n"
    unknown = await bench.run("ime enable a/.B")
    assert unknown.error == f"Unknown input method a/.B cannot be enabled{end}\n"


async def test_reset_brings_the_users_keyboard_back(bench: Bench) -> None:
    await bench.out(f"ime enable {ADB_KEYBOARD}; ime set {ADB_KEYBOARD}")
    assert f"Newly selected: {USER_KEYBOARD}\n" in await bench.out("ime reset")
    assert bench.services.input_methods.enabled == [USER_KEYBOARD]


async def test_disabling_the_keyboard_in_use_falls_back(bench: Bench) -> None:
    await bench.out(f"ime enable {ADB_KEYBOARD}; ime set {ADB_KEYBOARD}; ime disable {ADB_KEYBOARD}")
    assert bench.services.input_methods.current == USER_KEYBOARD
    bench.services.input_methods.remove(ADB_KEYBOARD)
    assert ADB_KEYBOARD not in await bench.out("ime list -a")
