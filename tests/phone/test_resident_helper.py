"""The resident helper on the simulated phone, through the real adb server."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from uiautomator2._selector import Selector

from assistant.phone.adb import Shell
from assistant.phone.device import Phone
from assistant.phone.errors import ActionRefused
from assistant.phone.pictures import picture_size
from assistant.phone.screen_sources import (
    JAR_ON_PHONE,
    OLD_TREE,
    PORTS_TAKEN,
    SCREEN_READER,
    TAKEN,
    AdbScreenSource,
    HelperScreenSource,
    ResidentHelper,
    find_jar,
    focused_selector,
)
from assistant.phone.ui_tree import is_alike
from assistant.records import (
    Bounds,
    Click,
    Element,
    Observation,
    OpenApp,
    Point,
    PressBack,
    PressHome,
    Swipe,
    TypeText,
)
from assistant.settings.schema import PhoneSettings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.adbd.backend import ByteReader
from assistant.simulator.android.profiles import ResidentFault
from assistant.simulator.android.uiautomator2 import RemoteError, Uiautomator2Server
from tests.phone.conftest import Simulate, Simulated
from tests.phone.scripted import until

HELPED = PhoneSettings(command_deadline=3.0, settle_cap=0.5, resident_helper=True)


def element(seen: Observation, text: str) -> Element:
    return next(element for element in seen.elements if text in (element.text, element.description))


def tap(seen: Observation, text: str) -> Click:
    return Click(point=seen.point(*element(seen, text).bounds.centre))


def commands(one: Simulated) -> str:
    return " ".join(one.requests())


async def test_looks_taps_and_types_without_plain_adb(simulate: Simulate) -> None:
    async with simulate() as one:
        phone = one.again(HELPED)
        seen = await phone.observe()
        assert picture_size(seen.screenshot) == (seen.width, seen.height)
        await phone.perform(tap(seen, "Chat"), seen)
        seen = await phone.observe()
        assert seen.app.package == "com.example.chat"
        await phone.perform(PressHome(), seen)
        await phone.perform(Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.3)), seen)
        seen = await phone.observe()
        field = next(element for element in seen.elements if element.editable)
        await phone.perform(Click(point=seen.point(*field.bounds.centre)), seen)
        seen = await phone.observe()
        await phone.perform(TypeText(text="wea"), seen)
        assert "uiautomator dump" not in commands(one)
        assert "input tap" not in commands(one)
        assert not phone.helper_loss
        await phone.release()
        assert not one.sim.services.sockets, "the server has ended with the turn"
        assert not one.sim.services.automation


async def test_a_look_by_picture_starts_it_beside_and_the_next_look_uses_it(simulate: Simulate) -> None:
    async with simulate() as one:
        phone = one.again(HELPED)
        seen = await phone.observe(by_picture=True)
        assert (seen.elements, bool(seen.screenshot)) == ((), True)
        assert commands(one).count("screencap") == 1, "of a screen that is left one picture will do"
        assert commands(one).count("enabled_accessibility_services") == 1
        await phone.perform(OpenApp(name="Chat"), seen)
        seen = await phone.observe()
        assert element(seen, "Mom")
        assert "uiautomator dump" not in commands(one)
        assert commands(one).count("app_process") == 1
        await phone.release()
        assert not one.sim.services.automation


async def test_a_field_that_was_tapped_is_typed_into_without_a_look_once_it_has_the_focus(
    simulate: Simulate,
) -> None:
    async with simulate() as one:
        phone = one.again(HELPED)
        seen = await phone.observe()
        await phone.perform(OpenApp(name="Maps"), seen)
        seen = await phone.observe()
        button = tap(seen, "Search here")
        await phone.perform(button, seen)
        assert await phone.see_focus(seen, button.point) is None, "a button that opens a page is no field"
        seen = await phone.observe()
        field = tap(seen, "Search here")
        assert await phone.see_focus(seen, field.point) is None, "nothing has the focus yet"
        await phone.perform(field, seen)
        focused = await phone.see_focus(seen, field.point)
        assert focused is not None
        assert focused.focused_field() is not None
        assert not await phone.moved_since(focused), "the helper has just told"
        await phone.perform(TypeText(text="Willow Park"), focused)
        seen = await phone.observe()
        assert [e.text for e in seen.elements if e.editable] == ["Willow Park"]
        assert await phone.see_focus(seen, field.point) is None, "its text would be added to"
        assert await phone.moved_since(focused)


async def test_a_pasted_text_is_read_back_with_the_keyboard_put_away(simulate: Simulate) -> None:
    async with simulate() as one:
        phone = one.again(HELPED)
        seen = await phone.observe()
        await phone.perform(OpenApp(name="Chat"), seen)
        seen = await phone.observe()
        await phone.perform(tap(seen, "Mom"), seen)
        seen = await phone.observe()
        field = next(e for e in seen.elements if e.editable)
        await phone.perform(Click(point=seen.point(*field.bounds.centre)), seen)
        seen = await phone.observe()
        assert seen.keyboard_shown
        await phone.perform(TypeText(text="8 – 9", closes_keyboard=True), seen)
        before = commands(one).count("dumpWindowHierarchy")
        seen = await phone.observe()
        assert ([e.text for e in seen.elements if e.editable], seen.keyboard_shown) == (["8 – 9"], False)
        assert commands(one).count("dumpWindowHierarchy") == before, "it is the look that read it back"
        await phone.perform(TypeText(text=" – 10", closes_keyboard=True), seen)
        seen = await phone.observe()
        assert [e.text for e in seen.elements if e.editable] == ["8 – 9 – 10"], "Back would leave the page"
        assert one.sim.services.quirks.resident is ResidentFault.NONE
        await phone.perform(Click(point=seen.point(*field.bounds.centre)), seen)
        seen = await phone.observe()
        await phone.perform(TypeText(text="!", closes_keyboard=True), seen)
        assert (await phone.observe()).keyboard_shown, "of a text that is typed by keys words may be composed"


async def test_the_focus_is_asked_for_in_the_active_window_alone(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    async def exist(server: Uiautomator2Server, selector: dict[str, object]) -> bool:
        asked.append(selector)
        raise RemoteError("androidx.test.uiautomator.StaleObjectException", "gone")

    monkeypatch.setattr(Uiautomator2Server, "_exist", exist)
    async with simulate() as one:
        phone = one.again(HELPED)
        seen = await phone.observe()
        await phone.perform(OpenApp(name="Maps"), seen)
        seen = await phone.observe()
        await phone.perform(tap(seen, "Search here"), seen)
        seen = await phone.observe()
        field = next(e for e in seen.elements if e.editable)
        assert await phone.see_focus(seen, seen.point(*field.bounds.centre)) is None
        kinds = {"className": field.class_name, "resourceId": field.resource_id}
        within = Selector(packageName=field.package)
        assert asked == [dict(within.child(focused=True, packageName=field.package, **kinds))]
        assert not phone.helper_loss, "that it does not tell is no reason to lose it"


async def test_a_field_is_looked_at_where_its_focus_does_not_come_or_nobody_tells(simulate: Simulate) -> None:
    async with simulate() as one:
        helped, plain = one.again(HELPED), one.again(PhoneSettings(command_deadline=3.0, settle_cap=0.5))
        seen = await helped.observe()
        await helped.perform(OpenApp(name="Maps"), seen)
        seen = await helped.observe()
        await helped.perform(tap(seen, "Search here"), seen)
        seen = await helped.observe()
        field = tap(seen, "Search here")
        one.sim.services.quirks.drop_input = True
        await helped.perform(field, seen)
        assert await helped.see_focus(seen, field.point) is None
        one.sim.services.quirks.drop_input = False
        await helped.perform(field, seen)
        two = replace(seen, elements=(*seen.elements, next(e for e in seen.elements if e.editable)))
        assert await helped.see_focus(two, field.point) is None, "there are two of its kind"
        await helped.release()
        assert await plain.see_focus(seen, field.point) is None


async def test_one_that_is_still_starting_ends_with_the_turn(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.quirks.resident = ResidentFault.SILENT
        phone = one.again(HELPED)
        await phone.observe(by_picture=True)
        await phone.release()
        assert not one.sim.services.automation
        assert not phone.helper_loss


async def test_a_lookup_leaves_it_to_the_turn(simulate: Simulate) -> None:
    async with simulate() as one:
        phone = one.again(HELPED)
        await phone.observe()
        await phone.release(keeps_helper=True)
        await phone.observe()
        assert commands(one).count("app_process") == 1
        await phone.release()
        assert not one.sim.services.automation


async def test_the_jar_is_copied_once(simulate: Simulate) -> None:
    async with simulate() as one:
        phone = one.again(HELPED)
        await phone.observe()
        await phone.release()
        copied = commands(one).count("sync:")
        await phone.observe()
        await phone.release()
        assert commands(one).count("sync:") == copied > 0


@pytest.mark.parametrize(
    "fault",
    [
        *(ResidentFault.TAKEN, ResidentFault.EMPTY, ResidentFault.OLD),
        *(ResidentFault.SILENT, ResidentFault.SLOW),
    ],
)
async def test_plain_adb_takes_over_in_the_same_step(
    simulate: Simulate, fault: ResidentFault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for fault_in, limit in ((ResidentFault.SILENT, "_START_LIMIT"), (ResidentFault.SLOW, "_LOOK_LIMIT")):
        if fault is fault_in:
            monkeypatch.setattr(f"assistant.phone.screen_sources.{limit}", 0.5)
    async with simulate() as one:
        one.sim.services.quirks.resident = fault
        phone = one.again(HELPED)
        seen = await phone.observe()
        assert element(seen, "Chat")
        assert phone.helper_loss
        assert "uiautomator dump" in commands(one)
        await phone.perform(tap(seen, "Chat"), seen)
        assert (await phone.observe()).app.package == "com.example.chat"
        await phone.release()
        assert not phone.helper_loss, "the next turn tries again"


class Stranger:
    """Another program on the phone that speaks like the helper's server. `asked` is what it was asked."""

    def __init__(self, answer: bytes = b"pong") -> None:
        self.asked: list[bytes] = []
        self._answer = answer

    async def serve(self, reader: ByteReader, write: Callable[[bytes], Awaitable[None]]) -> None:
        self.asked.append((await reader.readline()).split(b" HTTP")[0])
        await write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(self._answer) + self._answer)


class Ports(random.Random):
    """Gives ports in order."""

    def __init__(self, *ports: int) -> None:
        super().__init__()
        self._given = iter(ports)

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        return next(self._given)


async def test_a_strangers_server_on_our_port_is_not_asked(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.phone.screen_sources.random.SystemRandom", lambda: Ports(30_001, 30_002))
    stranger = Stranger()
    async with simulate() as one:
        one.sim.services.sockets["tcp:30001"] = stranger.serve
        phone = one.again(HELPED)
        seen = await phone.observe()
        await phone.perform(tap(seen, "Chat"), seen)
        assert (await phone.observe()).app.package == "com.example.chat"
        assert not phone.helper_loss
        assert "app_process / com.wetest.uia2.Main -p 30002" in commands(one)
        assert stranger.asked == [b"GET /ping"]
        await phone.release()


@pytest.mark.parametrize("answer", [b"pong", b"", b"nonsense"])
async def test_where_strangers_are_at_all_ports_plain_adb_is_used(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    monkeypatch.setattr(
        "assistant.phone.screen_sources.random.SystemRandom", lambda: Ports(*range(30_001, 30_009))
    )
    async with simulate() as one:
        for port in range(30_001, 30_009):
            one.sim.services.sockets[f"tcp:{port}"] = Stranger(answer).serve
        phone = one.again(HELPED)
        seen = await phone.observe()
        assert element(seen, "Chat")
        assert phone.helper_loss == PORTS_TAKEN
        assert "app_process" not in commands(one)
        await phone.release()


async def test_a_server_of_another_version_is_replaced_by_ours(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.files.write(JAR_ON_PHONE, b"another version")
        phone = one.again(HELPED)
        await phone.observe()
        jar = find_jar()
        assert jar is not None
        assert one.sim.services.files.read(JAR_ON_PHONE) == jar.read_bytes()
        assert not phone.helper_loss
        await phone.release()


async def test_another_programs_older_server_is_left_alone(simulate: Simulate) -> None:
    async with simulate() as one:
        stranger = Stranger()
        one.sim.services.sockets["tcp:9008"] = stranger.serve
        one.sim.services.automation = "uiautomator2"
        phone = one.again(HELPED)
        assert (await phone.observe()).screenshot, "its tree is not to be had by plain adb either"
        assert phone.helper_loss == TAKEN
        assert not stranger.asked
        assert one.sim.services.automation == "uiautomator2"
        await phone.release()


async def test_a_tree_of_an_earlier_page_is_not_believed(simulate: Simulate) -> None:
    async with simulate() as one:
        phone = one.again(HELPED)
        await phone.perform(OpenApp(name="Chat"), await phone.observe())
        one.sim.services.quirks.resident = ResidentFault.STALE
        seen = await phone.observe()
        await phone.perform(tap(seen, "Dad"), seen)
        seen = await phone.observe()
        assert seen.focused_field() or any(element.editable for element in seen.elements)
        assert phone.helper_loss == OLD_TREE
        await phone.release()


async def test_a_keyboard_that_is_put_away_needs_no_second_opinion(simulate: Simulate) -> None:
    async with simulate() as one:
        phone = one.again(HELPED)
        await phone.perform(OpenApp(name="Chat"), await phone.observe())
        seen = await phone.observe()
        await phone.perform(tap(seen, "Dad"), seen)
        seen = await phone.observe()
        field = next(element for element in seen.elements if element.editable)
        await phone.perform(Click(point=seen.point(*field.bounds.centre)), seen)
        await phone.perform(TypeText(text="late"), await phone.observe())
        seen = await phone.observe()
        assert seen.keyboard_shown
        await phone.perform(PressBack(), seen)
        seen = await phone.observe()
        assert not seen.keyboard_shown
        assert element(seen, "late").editable
        assert "uiautomator dump" not in commands(one)
        one.sim.services.quirks.resident = ResidentFault.STALE
        send = next(element for element in seen.elements if element.label.casefold().startswith("send"))
        await phone.perform(Click(point=seen.point(*send.bounds.centre)), seen)
        seen = await phone.observe()
        assert all(element.text != "late" for element in seen.elements if element.editable), "it was sent"
        assert phone.helper_loss == OLD_TREE
        await phone.release()


async def test_plain_adb_is_not_asked_again_where_it_gave_no_tree(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.quirks.null_root = True
        shell = Shell(one.adb, one.sim.serial, 3.0)
        source = HelperScreenSource(ResidentHelper(shell, shell), AdbScreenSource(shell))
        asked = []
        for page in (
            ("com.shop", "Video"),
            ("com.shop", "Video"),
            ("com.shop", "Other"),
            ("com.chat", "List"),
        ):
            assert await source.second_opinion(page) is None
            asked.append(commands(one).count("uiautomator dump"))
        assert asked[0] == asked[1] == asked[2] < asked[3]


async def test_what_no_keyboard_types_is_pasted_and_the_clipboard_given_back(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.quirks.ime_denied = True
        one.sim.services.clipboard = "mine"
        phone = one.again(HELPED)
        await phone.perform(TypeText(text="天气"), await search_field(phone))
        assert element(await phone.observe(), "天气").editable
        assert one.sim.services.clipboard == "mine"
        assert "ime set" not in commands(one)
        await phone.release()


def refuse(monkeypatch: pytest.MonkeyPatch, *methods: str) -> None:
    """Let the helper's server refuse some methods."""
    call = ResidentHelper.call

    async def refusing(
        helper: ResidentHelper, method: str, *parameters: object, performs: bool = False
    ) -> object:
        if method in methods:
            raise ActionRefused("The field takes no paste.")
        return await call(helper, method, *parameters, performs=performs)

    monkeypatch.setattr(ResidentHelper, "call", refusing)


async def search_field(phone: Phone) -> Observation:
    """The launcher's drawer with its search field focused."""
    await phone.perform(Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.3)), await phone.observe())
    seen = await phone.observe()
    field = next(element for element in seen.elements if element.editable)
    await phone.perform(Click(point=seen.point(*field.bounds.centre)), seen)
    return await phone.observe()


async def test_the_clipboard_is_given_back_where_the_paste_is_refused(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, "pasteClipboard", "setText")
    async with simulate() as one:
        one.sim.services.clipboard = "mine"
        phone = one.again(HELPED)
        seen = await search_field(phone)
        with pytest.raises(ActionRefused, match="takes no paste"):
            await phone.perform(TypeText(text="天气"), seen)
        assert one.sim.services.clipboard == "mine"
        assert one.sim.windows.desk.panels.drawer_search.value == ""
        await phone.release()


@pytest.mark.parametrize("android", [9, 12, 16])
async def test_both_ways_to_look_agree(simulate: Simulate, android: int) -> None:
    async with simulate(android=android) as one:
        phone = one.again(HELPED)
        await phone.perform(TypeText(text="wea"), await search_field(phone))
        await phone.release()
        shell = Shell(one.adb, one.sim.serial, 3.0)
        helper = ResidentHelper(shell, shell)
        by_helper = await HelperScreenSource(helper, AdbScreenSource(shell)).tree()
        await helper.stop()
        by_adb = await AdbScreenSource(shell).tree()
        assert by_helper is not None
        assert by_adb is not None
        assert any(element.hint for element in by_helper.elements)
        assert is_alike(by_adb, by_helper)
        assert not helper.lost


@pytest.mark.parametrize("is_refused", [True, False])
@pytest.mark.parametrize("android", [9, 16])
async def test_a_field_that_takes_no_paste_is_set_to_the_text(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch, android: int, *, is_refused: bool
) -> None:
    if is_refused:
        refuse(monkeypatch, "pasteClipboard")
    async with simulate(android=android) as one:
        one.sim.services.quirks.takes_no_paste = one.sim.services.quirks.ime_denied = True
        one.sim.services.clipboard = "mine"
        phone = one.again(HELPED)
        await phone.perform(TypeText(text="天气"), await search_field(phone))
        assert one.sim.windows.desk.panels.drawer_search.value == "天气"
        assert one.sim.services.clipboard == "mine"
        assert not phone.helper_loss
        await phone.release()


async def test_what_stands_in_a_field_is_not_replaced_by_what_it_takes_no_paste_of(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with simulate() as one:
        one.sim.services.quirks.takes_no_paste = True
        phone = one.again(HELPED)
        await phone.perform(TypeText(text="wea"), await search_field(phone))
        seen = await phone.observe()
        with pytest.raises(ActionRefused, match="did not arrive as typed: the field now reads “wea”"):
            await phone.perform(TypeText(text="天气"), seen)
        refuse(monkeypatch, "pasteClipboard")
        with pytest.raises(ActionRefused, match="takes no paste"):
            await phone.perform(TypeText(text="天气"), await phone.observe())
        assert one.sim.windows.desk.panels.drawer_search.value == "wea"
        await phone.release()


async def test_a_field_that_shows_more_than_it_was_set_to_is_told(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def set_twice(server: Uiautomator2Server, selector: dict[str, object], text: str) -> bool:
        return server._surface.type_text(text * 2)

    monkeypatch.setattr(Uiautomator2Server, "_set_text", set_twice)
    async with simulate() as one:
        one.sim.services.quirks.takes_no_paste = True
        phone = one.again(HELPED)
        with pytest.raises(ActionRefused, match="the field now reads “天气天气”"):
            await phone.perform(TypeText(text="天气"), await search_field(phone))
        await phone.release()


async def test_composed_words_are_set_where_the_field_takes_no_paste(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.quirks.composes = one.sim.services.quirks.takes_no_paste = True
        phone = one.again(HELPED)
        await phone.perform(TypeText(text="running late"), await search_field(phone))
        assert one.sim.windows.desk.panels.drawer_search.value == "running late"
        assert "ime set" not in commands(one)
        await phone.release()


@pytest.mark.parametrize("resource_id", ["", "com.shop:id/search"])
def test_a_field_is_named_as_the_client_of_the_server_names_it(resource_id: str) -> None:
    field = Element(
        3, 0, "android.widget.EditText", Bounds(0, 0, 9, 9), package="com.shop", resource_id=resource_id
    )
    others = {"resourceId": resource_id} if resource_id else {}
    client = Selector(focused=True, className=field.class_name, packageName="com.shop", **others)
    assert focused_selector(field) == dict(client)


async def test_a_tree_of_another_app_than_the_phone_shows_is_not_believed(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.quirks.resident = ResidentFault.STALE
        phone = one.again(HELPED)
        seen = await phone.observe()
        await phone.perform(tap(seen, "Chat"), seen)
        seen = await phone.observe()
        assert seen.app.package == "com.example.chat"
        assert {element.package for element in seen.elements} >= {"com.example.chat"}
        assert phone.helper_loss
        await phone.release()


async def test_killed_in_mid_turn(simulate: Simulate) -> None:
    async with simulate() as one:
        phone = one.again(HELPED)
        seen = await phone.observe()
        one.sim.services.sockets.clear()
        await phone.perform(tap(seen, "Chat"), seen)
        assert (await phone.observe()).app.package == "com.example.chat"
        assert phone.helper_loss
        await phone.release()


LOOKING = """
import asyncio, sys
from assistant.phone.adb import AdbServer
from assistant.phone.device import Phone
from tests.phone.test_resident_helper import HELPED

async def main():
    port, serial = int(sys.argv[1]), sys.argv[2]
    phone = Phone(AdbServer("127.0.0.1", port), serial, HELPED.model_copy(update={"serial": serial}))
    await phone.observe()
    print("seen" if not phone.helper_loss else phone.helper_loss, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_the_server_ends_with_a_program_that_is_killed(
    simulate: Simulate, adb_server: PrivateAdbServer
) -> None:
    async with simulate() as one:
        program = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", LOOKING, str(adb_server.port), one.sim.serial), stdout=subprocess.PIPE
        )
        assert program.stdout is not None
        assert await program.stdout.readline() == b"seen\n"
        assert one.sim.services.automation
        program.kill()
        await program.wait()
        await until(lambda: not one.sim.services.automation)
        phone = one.again(HELPED)
        assert element(await phone.observe(), "Chat")
        assert not phone.helper_loss
        await phone.release()


async def test_a_tap_without_an_answer_is_not_repeated(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.phone.screen_sources._INPUT_LIMIT", 0.3)
    async with simulate() as one:
        phone = one.again(HELPED)
        seen = await phone.observe()
        one.sim.services.delays.factor = 1.0
        one.sim.services.delays.seconds["u2 tap"] = 60.0
        with pytest.raises(ActionRefused, match="did not say whether"):
            await phone.perform(tap(seen, "Chat"), seen)
        assert "input tap" not in commands(one)
        one.sim.services.delays.factor = 0.0
        await phone.release()


async def test_never_beside_a_screen_reader(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.settings.secure["enabled_accessibility_services"] = "com.example/.TalkBack"
        phone = one.again(HELPED)
        assert element(await phone.observe(), "Chat")
        assert phone.helper_loss == SCREEN_READER
        assert "app_process" not in commands(one)


async def test_beside_a_screen_reader_where_the_user_insists(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.settings.secure["enabled_accessibility_services"] = "com.example/.TalkBack"
        phone = one.again(HELPED.model_copy(update={"helper_beside_services": True}))
        assert element(await phone.observe(), "Chat")
        assert not phone.helper_loss
        assert "uiautomator dump" not in commands(one)
        await phone.release()


async def test_without_the_package(simulate: Simulate) -> None:
    async with simulate() as one:
        shell = one.phone._reading_shell
        shell.serial = one.sim.serial
        helper = ResidentHelper(shell, shell, jar=lambda: None)
        with pytest.raises(Exception, match="not installed"):
            await helper.start()


async def test_hold_stops_the_helper_too(simulate: Simulate) -> None:
    async with simulate() as one:
        phone: Phone = one.again(HELPED)
        seen = await phone.observe()
        phone.stop_actions()
        with pytest.raises(ActionRefused):
            await phone.perform(tap(seen, "Chat"), seen)
        phone.allow_actions()
        assert one.sim.windows.focused().package != "com.example.chat"
        await phone.release()
