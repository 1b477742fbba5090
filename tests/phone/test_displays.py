"""Other displays of a simulated phone: made, looked at, touched, and given up in doubt. Real adb."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.cli.setup import say_displays
from assistant.events import PhoneState
from assistant.files import JsonFile
from assistant.phone.adb import AdbServer, Shell
from assistant.phone.displays import (
    DisplayPhone,
    Displays,
    end_left_displays,
    find_display_problem,
)
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.phone.status import DISPLAY_LISTS, find_display_tree
from assistant.records import Action, Observation, OpenApp, PressBack, PressHome, TypeText
from assistant.settings.schema import OtherDisplays, PhoneSettings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.android.profiles import Release
from assistant.simulator.apps.base import Difficulties
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.phone.scripted import until
from tests.turn_fixture import on_id, on_text
from tests.worlds import DENSITY, SIZE, START

NOTE = "Shopping"
"""How the first note begins."""


@dataclass
class Stage:
    """A simulated phone and the displays that were made on it, the own screen first."""

    phone: SimulatedPhone
    displays: Displays
    shell: Shell
    settings: PhoneSettings
    folder: Path
    screens: list[DisplayPhone]


@asynccontextmanager
async def staged(
    adb_port: int,
    folder: Path,
    way: OtherDisplays = OtherDisplays.SCRCPY,
    android: Release = 16,
    *,
    helper: bool = False,
) -> AsyncIterator[Stage]:
    """A phone with displays, where it allows them."""
    server = folder / "scrcpy-server"
    server.write_bytes(b"dex")
    adb = AdbServer("127.0.0.1", adb_port)
    async with AsyncExitStack() as stack:
        options = PhoneOptions(
            start=START, size=SIZE, density=DENSITY, difficulties=Difficulties.none(), android=android
        )
        phone = await stack.enter_async_context(SimulatedPhone(options))
        await adb.connect(phone.serial)
        stack.push_async_callback(adb.disconnect, phone.serial)
        settings = PhoneSettings(
            serial=phone.serial,
            adb_port=adb_port,
            command_deadline=4.0,
            settle_cap=1.0,
            displays=way,
            scrcpy_server=str(server),
            resident_helper=helper,
        )
        displays = Displays(adb, phone.serial, settings, folder)
        stack.push_async_callback(displays.close)
        shell = Shell(adb, phone.serial, 4.0)
        yield Stage(phone, displays, shell, settings, folder, await displays.open())


async def opened(stage: Stage, place: int, app: str) -> Observation:
    """An app on one of the displays."""
    stage.screens[place].assign(app)
    return await stage.screens[place].observe()


def tap(seen: Observation, words: str) -> Action:
    """A tap on the element that begins with these words."""
    return on_text(words)(seen)


@pytest.mark.parametrize("way", [OtherDisplays.SCRCPY, OtherDisplays.OVERLAY])
async def test_two_displays_show_and_take_touches_each_for_itself(
    adb_server: PrivateAdbServer, tmp_path: Path, way: OtherDisplays
) -> None:
    async with staged(adb_server.port, tmp_path, way) as stage:
        assert stage.displays.problem == ""
        own, second, third = stage.screens
        assert [own.display, second.display, third.display] == ["0", "2", "3"]
        notes, maps = await opened(stage, 1, "Notes"), await opened(stage, 2, "Maps")
        assert (notes.app.package, maps.app.package) == ("com.example.notes", "com.example.maps")
        assert notes.screenshot
        assert notes.screenshot != maps.screenshot
        assert {notes.height, maps.height} == {SIZE[1] - 16, SIZE[1] - 32}
        before = await own.observe()
        await second.perform(tap(notes, NOTE), notes)
        assert (await second.observe()).elements != notes.elements
        assert {(number, named) for number, named, _ in stage.phone.services.displays.inputs} == {(2, True)}
        assert (await third.observe()).elements == maps.elements
        assert (await own.observe()).elements == before.elements
        await stage.displays.close()
        await until(lambda: not stage.phone.services.displays.shown)


async def test_keys_and_letters_go_to_the_display_that_is_meant_wherever_the_focus_of_all_is(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged(adb_server.port, tmp_path, OtherDisplays.OVERLAY) as stage:
        own, second, _third = stage.screens
        await own.perform(OpenApp(name="Chat"), await own.observe())
        await own.perform(on_text("Mom")(chat := await own.observe()), chat)
        await own.perform(on_id("message_input")(chat := await own.observe()), chat)
        notes = await opened(stage, 1, "Notes")
        assert stage.phone.services.displays.top == 2
        await own.perform(TypeText(text="hello "), await own.observe())
        await own.perform(TypeText(text="你好"), await own.observe())
        field = (await own.observe()).focused_field()
        assert field is not None
        assert field.text == "hello 你好"
        await own.perform(PressBack(), await own.observe())
        assert not (await own.observe()).keyboard_shown
        assert (await second.observe()).elements == notes.elements
        assert all(display == 0 for display, _, _ in stage.phone.services.displays.inputs)


async def test_a_display_that_dies_is_given_up_and_nothing_is_done_elsewhere(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged(adb_server.port, tmp_path) as stage:
        _own, second, third = stage.screens
        notes = await opened(stage, 1, "Notes")
        stage.phone.services.displays.remove(2)
        with pytest.raises(PhoneError) as lost:
            await second.perform(PressBack(), notes)
        assert lost.value.state is PhoneState.ABSENT
        assert stage.phone.services.displays.inputs == []
        assert (await second.status()).state is PhoneState.ABSENT
        assert (await opened(stage, 2, "Notes")).elements
        del third


async def test_an_app_that_the_user_takes_to_their_own_screen_is_theirs(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged(adb_server.port, tmp_path) as stage:
        _own, second, third = stage.screens
        notes = await opened(stage, 1, "Notes")
        stage.phone.windows.start("com.example.notes")
        with pytest.raises(PhoneError):
            await second.perform(tap(notes, NOTE), notes)
        assert stage.phone.services.displays.inputs == []
        assert "no longer there" in second.lost
        third.assign("Notes")
        with pytest.raises(PhoneError):
            await third.observe()
        assert "own screen" in third.lost
        assert stage.phone.windows.resumed().package == "com.example.notes"


async def test_what_an_app_or_a_phone_does_not_allow_gives_the_display_up(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged(adb_server.port, tmp_path) as stage:
        stage.phone.services.quirks.main_only = "com.example.notes"
        with pytest.raises(PhoneError):
            await opened(stage, 1, "Notes")
        assert "Permission Denial" in stage.screens[1].lost
        stage.phone.services.quirks.black_displays = True
        with pytest.raises(PhoneError):
            await opened(stage, 2, "Maps")
        assert "does not list" in stage.screens[2].lost


async def test_on_a_display_home_other_apps_and_other_scripts_are_refused(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged(adb_server.port, tmp_path) as stage:
        notes = await opened(stage, 1, "Notes")
        for action in (PressHome(), OpenApp(name="Chat"), TypeText(text="你好"), TypeText(text="hello")):
            with pytest.raises(ActionRefused):
                await stage.screens[1].perform(action, notes)
        assert stage.phone.services.displays.inputs == []


async def test_the_phones_lock_does_not_reach_a_display_that_is_always_unlocked(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged(adb_server.port, tmp_path) as stage:
        await opened(stage, 1, "Notes")
        stage.phone.windows.key(26)
        assert (await stage.screens[1].observe()).elements


async def test_overlay_displays_lock_with_the_phone(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    async with staged(adb_server.port, tmp_path, OtherDisplays.OVERLAY) as stage:
        notes = await opened(stage, 1, "Notes")
        stage.phone.windows.key(26)
        with pytest.raises(PhoneError):
            await stage.screens[1].perform(PressBack(), notes)
        assert stage.phone.services.displays.inputs == []


@pytest.mark.parametrize(
    ("android", "helper", "why"),
    [(12, False, "does not list"), (9, False, "Android 9"), (16, True, "helper")],
)
async def test_a_phone_that_cannot_be_read_there_makes_no_displays_and_says_why(
    adb_server: PrivateAdbServer, tmp_path: Path, android: Release, helper: bool, why: str
) -> None:
    async with staged(adb_server.port, tmp_path, android=android, helper=helper) as stage:
        assert stage.screens == []
        assert why in stage.displays.problem
        assert stage.phone.services.displays.shown == {}


async def test_a_phone_that_lists_displays_is_asked_again_with_another_system_or_where_it_listed_nothing(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged(adb_server.port, tmp_path) as stage:
        services, notes = stage.phone.services, JsonFile(tmp_path / DISPLAY_LISTS)
        number, build = services.settings.secure["android_id"], services.properties["ro.build.fingerprint"]
        assert notes.load() == {number: build}
        await stage.displays.close()

        services.automation = "another program"
        screens = await stage.displays.open()
        assert len(screens) == 3
        services.automation = ""
        services.quirks.black_displays = True
        screens[1].assign("Notes")
        with pytest.raises(PhoneError):
            await screens[1].observe()
        assert notes.load() == {}
        services.quirks.black_displays = False
        await stage.displays.close()

        assert len(await stage.displays.open()) == 3
        assert notes.load() == {number: build}
        await stage.displays.close()
        services.automation = "another program"
        services.properties["ro.build.fingerprint"] = build.replace("/1:user", "/2:user")
        assert await stage.displays.open() == []
        assert "does not list" in stage.displays.problem
        services.properties["ro.build.fingerprint"] = build
        services.settings.secure["android_id"] = "another phone"
        assert await stage.displays.open() == []


async def test_a_phone_that_does_not_tell_its_system_is_asked_each_time(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged(adb_server.port, tmp_path) as stage:
        await stage.displays.close()
        (tmp_path / DISPLAY_LISTS).unlink()
        stage.phone.services.properties["ro.build.fingerprint"] = ""
        assert len(await stage.displays.open()) == 3
        assert JsonFile(tmp_path / DISPLAY_LISTS).load() == {}


async def test_the_list_of_phones_says_whether_displays_are_used(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged(adb_server.port, tmp_path) as stage:
        await stage.displays.close()
        assert "up to 2, by scrcpy" in await say_displays(stage.settings, stage.phone.serial)
        off = stage.settings.model_copy(update={"displays": OtherDisplays.OFF})
        assert "off by the setting" in await say_displays(off, stage.phone.serial)
        helped = stage.settings.model_copy(update={"resident_helper": True})
        assert "helper holds" in await say_displays(helped, stage.phone.serial)


async def test_without_scrcpys_file_that_is_said(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    async with staged(adb_server.port, tmp_path) as stage:
        missing = stage.settings.model_copy(update={"scrcpy_server": str(tmp_path / "none")})
        assert "scrcpy_server" in await find_display_problem(stage.shell, missing)


async def test_simulated_displays_of_a_killed_program_end_and_the_users_own_stay(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged(adb_server.port, tmp_path, OtherDisplays.OVERLAY) as stage:
        assert set(stage.phone.services.displays.shown) == {2, 3}
        await end_left_displays(stage.shell, tmp_path)
        assert stage.phone.services.displays.shown == {}
        stage.phone.services.set_setting("overlay_display_devices", "720x1280/213", "global")
        await end_left_displays(stage.shell, tmp_path)
        assert await stage.displays.open() == []
        assert "Developer options" in stage.displays.problem
        await stage.displays.close()
        assert len(stage.phone.services.displays.shown) == 1


def test_of_a_displays_windows_the_one_with_the_focus_counts_else_the_highest_app() -> None:
    def window(kind: str, text: str, focused: str = "false") -> str:
        node = f'<hierarchy rotation="0"><node text="{text}" /></hierarchy>'
        return f'<window index="0" focused="{focused}" type="{kind}">{node}</window>'

    bar, app, under = (
        window("TYPE_SYSTEM", "bar"),
        window("TYPE_APPLICATION", "app"),
        window("TYPE_APPLICATION", "under"),
    )
    focused = window("TYPE_APPLICATION", "focused", "true")
    first, second = f"{bar}{app}{under}", f"{app}{focused}"
    printed = f'<displays><display id="0">{first}</display><display id="2">{second}</display></displays>'
    assert b'text="app"' in (find_display_tree(printed.encode(), "0") or b"")
    assert b'text="focused"' in (find_display_tree(printed.encode(), "2") or b"")
    assert find_display_tree(printed.encode(), "3") is None
    assert find_display_tree(b"ERROR: could not get idle state.", "0") is None
