from __future__ import annotations

import pytest

from assistant.simulator.android.profiles import Release

from .bench import Bench
from .conftest import make_bench


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        ("input tap 540 1200.5", [("tap", 540.0, 1200.5)]),
        ("input -d 0 tap 1 2", [("tap", 1.0, 2.0)]),
        ("input touchscreen swipe 1 2 3 4", [("swipe", 1.0, 2.0, 3.0, 4.0, 300)]),
        ("input swipe 1 2 1 2 800", [("swipe", 1.0, 2.0, 1.0, 2.0, 800)]),
        ("input keyevent 4 KEYCODE_HOME enter", [("key", 4), ("key", 3), ("key", 66)]),
        ("input keyevent --longpress KEYCODE_POWER", [("key", 26, "long")]),
        ("input keyevent 0; input keyevent KEYCODE_NOSUCH", []),
    ],
)
async def test_input_reaches_the_screen_in_silence(
    bench: Bench, line: str, calls: list[tuple[object, ...]]
) -> None:
    assert await bench.out(line) == ""
    assert bench.screen.calls == calls


async def test_text_goes_into_the_focused_field(bench: Bench) -> None:
    bench.screen.field = ""
    await bench.out("input text hello%sworld")
    await bench.out("input text 'a b; rm -rf $HOME'")
    assert bench.screen.field == "hello worlda b; rm -rf $HOME"


async def test_text_without_a_focused_field_says_nothing(bench: Bench) -> None:
    assert await bench.out("input text hello") == ""


@pytest.mark.parametrize(
    ("release", "error"),
    [
        (
            16,
            "\nException occurred while executing 'text':\n"
            "java.lang.NullPointerException: Attempt to get length of null array\n"
            "\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:319)\n"
            "\tat com.android.server.input.InputShellCommand.runText(InputShellCommand.java:291)\n",
        ),
        (
            9,
            "java.lang.NullPointerException: Attempt to get length of null array\n"
            "\tat com.android.commands.input.Input$InputText.sendText(Input.java:168)\n",
        ),
    ],
)
async def test_text_beyond_ascii_crashes_and_types_nothing(release: Release, error: str) -> None:
    bench = make_bench(release)
    bench.screen.field = ""
    printed = await bench.run("input text 'abc 你好'")
    assert printed.error.startswith(error)
    assert printed.code == 255
    assert bench.screen.field == ""


@pytest.mark.parametrize(
    ("release", "words"),
    [
        (
            12,
            "Injecting input events requires the caller (or the source of the instrumentation, if any) "
            "to have the INJECT_EVENTS permission.",
        ),
        (9, "Injecting to another application requires INJECT_EVENTS permission"),
    ],
)
async def test_a_phone_may_forbid_injection(release: Release, words: str) -> None:
    bench = make_bench(release)
    bench.services.quirks.input_denied = True
    for line in ("input tap 1 2", "input keyevent 0", "input text a"):
        printed = await bench.run(line)
        assert f"java.lang.SecurityException: {words}\n" in printed.error
        assert printed.code == 255
    assert bench.screen.calls == []


async def test_a_phone_may_swallow_input(bench: Bench) -> None:
    bench.services.quirks.drop_input = True
    assert await bench.out("input tap 1 2") == ""
    assert bench.screen.calls == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("input tap 1", 'java.lang.IllegalArgumentException: Argument expected after "1"\n'),
        ("input tap a 2", 'java.lang.NumberFormatException: For input string: "a"\n'),
        ("input tap nan 2", 'java.lang.NumberFormatException: For input string: "nan"\n'),
        ("input text", 'java.lang.IllegalArgumentException: Argument expected after "text"\n'),
        ("input wave", "Unknown command: wave\nUsage: input [<source>]"),
        ("input", "Usage: input [<source>]"),
    ],
)
async def test_bad_calls_explain_themselves(bench: Bench, line: str, words: str) -> None:
    printed = await bench.run(line)
    assert words in printed.error
    assert printed.code == 255
    assert bench.screen.calls == []
