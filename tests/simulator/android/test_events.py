from __future__ import annotations

from assistant.simulator.android.touches import panel_position

from .bench import Bench


async def test_a_persons_touch_is_seen_as_it_happens(bench: Bench) -> None:
    async with bench.stream("getevent -lt") as printed:
        opened = await printed.until('name:     "sim_touchscreen"\n')
        assert opened == (
            'add device 1: /dev/input/event0\n  name:     "gpio-keys"\n'
            'add device 2: /dev/input/event2\n  name:     "sim_touchscreen"\n'
        )
        touches = bench.services.touches
        touches.down(414624.658986, 540, 1200)
        touches.up(414624.699239)
        touches.button(414625.5, "KEY_POWER")
        text = await printed.until("KEY_POWER            UP                  \n")
    lines = [line.rstrip() for line in text.splitlines()[4:]]
    assert lines[0] == "[  414624.658986] /dev/input/event2: EV_ABS       ABS_MT_TRACKING_ID   00008001"
    assert lines[1] == "[  414624.658986] /dev/input/event2: EV_KEY       BTN_TOUCH            DOWN"
    assert lines[4] == "[  414624.658986] /dev/input/event2: EV_ABS       ABS_MT_POSITION_X    00001518"
    assert lines[6] == "[  414624.658986] /dev/input/event2: EV_SYN       SYN_REPORT           00000000"
    assert lines[7] == "[  414624.699239] /dev/input/event2: EV_ABS       ABS_MT_TRACKING_ID   ffffffff"
    assert lines[10] == "[  414625.500000] /dev/input/event0: EV_KEY       KEY_POWER            DOWN"
    assert touches.readers == []


async def test_one_device_without_names_and_through_a_pipe(bench: Bench) -> None:
    async with bench.stream("getevent /dev/input/event2 | grep --line-buffered ' 0039 '") as printed:
        while not bench.services.touches.readers:
            await bench.clock.sleep(0)
        bench.services.touches.down(1, 0, 0)
        bench.services.touches.up(2)
        assert await printed.until("ffffffff\n") == "0003 0039 00008001\n0003 0039 ffffffff\n"
    assert bench.services.touches.readers == []


async def test_a_number_of_events(bench: Bench) -> None:
    async with bench.stream("getevent -c 2 /dev/input/event2; echo done") as printed:
        while not bench.services.touches.readers:
            await bench.clock.sleep(0)
        bench.services.touches.up(2)
        assert await printed.until("done\n") == "0003 0039 ffffffff\n0001 014a 00000000\ndone\n"


async def test_injected_input_is_no_touch(bench: Bench) -> None:
    with bench.services.touches.subscribe() as queue:
        await bench.out("input tap 1 2; input swipe 1 2 3 4")
        assert queue.empty()


async def test_the_panel_is_described(bench: Bench) -> None:
    text = await bench.out("getevent -lp")
    assert (
        "    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0\n"
        in text
    )
    assert "ABS_MT_POSITION_X     : value 0, min 0, max 10799, fuzz 0, flat 0, resolution 0\n" in text
    assert "ABS_MT_POSITION_Y     : value 0, min 0, max 23999, fuzz 0, flat 0, resolution 0\n" in text
    assert "0035  : value 0, min 0, max 10799" in await bench.out("getevent -p /dev/input/event2")
    missing = await bench.run("getevent /dev/input/event9")
    assert (missing.error, missing.code) == (
        "could not open /dev/input/event9, No such file or directory\n",
        1,
    )


def test_the_panel_stays_portrait_when_the_screen_turns(bench: Bench) -> None:
    display = bench.services.display
    corners = {}
    for display.rotation in range(4):
        corners[display.rotation] = panel_position(display, 0, 0)
    assert corners == {0: (0, 0), 1: (10799, 0), 2: (10799, 23999), 3: (0, 23999)}


async def test_the_log_streams(bench: Bench) -> None:
    bench.services.note("ActivityTaskManager", "START u0", "I")
    line = "03-09 12:05:07.250  1203  1203 I ActivityTaskManager: START u0\n"
    assert await bench.out("logcat -d") == f"--------- beginning of main\n{line}"
    async with bench.stream("logcat -v time") as printed:
        await printed.until(line)
        while not bench.services.log_readers:
            await bench.clock.sleep(0)
        bench.services.note("Chat", "later", "W")
        await printed.until("W Chat: later\n")
    assert bench.services.log_readers == []
    assert await bench.out("logcat -c; logcat -d") == "--------- beginning of main\n"


async def test_the_log_is_filtered_by_tag_and_goes_on_after_the_last_lines(bench: Bench) -> None:
    for tag, message in (("Chat", "one"), ("Telecom", "two"), ("Telecom", "three")):
        bench.services.note(tag, message)
    assert "one" not in await bench.out("logcat -d -s Telecom:I")
    assert "two" in await bench.out("logcat -d Chat:S")
    assert "Telecom" not in await bench.out("logcat -d -s Telecom:W")
    async with bench.stream("logcat -T 1 -s Telecom:I") as printed:
        assert "two" not in await printed.until("three\n")
        while not bench.services.log_readers:
            await bench.clock.sleep(0)
        bench.services.note("Chat", "four")
        bench.services.note("Telecom", "five")
        assert "four" not in await printed.until("five\n")
