"""The phone layer on simulated phones, through the real adb server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from assistant.events import PhoneState
from assistant.phone.adb import AdbServer
from assistant.phone.device import Phone
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.phone.pictures import is_black, picture_size
from assistant.records import (
    ClearText,
    Click,
    Direction,
    Element,
    Observation,
    OpenApp,
    Point,
    PressBack,
    PressHome,
    Scroll,
    Swipe,
    TypeText,
)
from assistant.settings.schema import PhoneSettings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.adbd.auth import AuthMode
from assistant.simulator.android.software import ADB_KEYBOARD, U2_KEYBOARD, USER_KEYBOARD
from assistant.simulator.apps.base import Difficulties
from tests.phone.conftest import Simulate, Simulated
from tests.phone.scripted import until
from tests.worlds import SIZE

DRAWER = Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.3))


def field(seen: Observation) -> Element:
    return next(element for element in seen.elements if element.editable)


def tap(seen: Observation, element: Element) -> Click:
    return Click(point=seen.point(*element.bounds.centre))


async def search_field(one: Simulated) -> Observation:
    """The launcher's drawer with its search field focused."""
    seen = await one.see(DRAWER)
    return await one.see(tap(seen, field(seen)), seen)


@pytest.mark.parametrize("android", [9, 12, 16])
async def test_every_android_is_understood(simulate: Simulate, android: int) -> None:
    async with simulate(android=android) as one:
        status = await one.phone.status()
        assert (status.state, status.android, status.battery) == (PhoneState.READY, str(android), 84)
        seen = await one.phone.observe()
        assert (seen.width, seen.height) == SIZE
        assert (seen.app.package, seen.app.label) == ("com.android.launcher3", "Home screen")
        assert seen.settled
        assert not seen.secure
        seen = await one.see(OpenApp(name="Settings"))
        assert seen.app.package == "com.android.settings"
        assert seen.elements
        one.sim.person.lock(secure=True)
        assert (await one.phone.status()).state is PhoneState.LOCKED
        one.sim.person.unlock()
        await one.see(PressHome())
        seen = await search_field(one)
        assert seen.keyboard_shown
        assert seen.focused_field() is not None
        seen = await one.see(TypeText(text="钟"), seen)
        assert field(seen).text == "钟"


@pytest.mark.parametrize(("locale", "name"), [("en", "Chat"), ("zh", "微聊")])
async def test_an_app_is_opened_by_its_label(simulate: Simulate, locale: str, name: str) -> None:
    async with simulate(locale=locale) as one:
        assert (await one.see(OpenApp(name=name))).app.package == "com.example.chat"
        await one.see(PressHome())
        assert (await one.see(OpenApp(name=name))).app.package == "com.example.chat"


@pytest.mark.parametrize("android", [9, 16])
async def test_the_lit_panel_of_a_foldable_phone_is_seen(simulate: Simulate, android: int) -> None:
    async with simulate(android=android) as one:
        display = one.sim.services.display
        one.sim.services.display.dark_panel = (480, 1000)
        seen = await one.phone.observe()
        assert (seen.width, seen.height) == picture_size(seen.screenshot) == SIZE
        assert not is_black(seen.screenshot)
        assert not seen.secure
        display.fold()
        one.sim.windows.changed()
        seen = await one.phone.observe()
        assert (seen.width, seen.height) == picture_size(seen.screenshot) == (480, 1000)
        assert not is_black(seen.screenshot)
        assert not seen.secure


async def test_a_label_of_the_drawer_is_learnt(simulate: Simulate) -> None:
    async with simulate(locale="zh") as one:
        one.sim.services.quirks.silent_launcher = True
        seen = await one.see(OpenApp(name="付款宝"))
        assert (seen.app.package, seen.app.label) == ("com.example.paybox", "付款宝")
        learnt = json.loads((one.notes / "labels.json").read_text())
        assert learnt[one.sim.serial]["付款宝"].startswith("com.example.paybox/")
        await one.see(PressHome())
        before = len(one.requests())
        await one.again().perform(OpenApp(name="付款宝"), seen)
        assert "pm" not in " ".join(one.requests()[before:])
        assert "screencap" not in " ".join(one.requests()[before:])


async def test_the_launchers_dump_tells_the_labels(simulate: Simulate) -> None:
    async with simulate(locale="zh") as one:
        seen = await one.see(OpenApp(name="付款宝"))
        assert (seen.app.package, seen.app.label) == ("com.example.paybox", "付款宝")
        assert "input swipe" not in " ".join(one.requests()), "nobody leafs through the launcher"


async def test_an_app_that_does_not_come_up_is_said_so(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.phone.apps._COLD_START", 0.1)
    async with simulate() as one:
        seen = await one.phone.observe()
        monkeypatch.setattr(one.sim.windows, "start", lambda package, activity="", address="": True)
        with pytest.raises(ActionRefused, match="nothing came up"):
            await one.phone.perform(OpenApp(name="Chat"), seen)
        assert "monkey" in " ".join(one.requests())


@pytest.mark.parametrize("android", [9, 12, 16])
async def test_an_app_that_hands_over_and_never_draws_is_opened(simulate: Simulate, android: int) -> None:
    async with simulate(android=android) as one:
        one.sim.services.quirks.hands_over = {"com.example.chat": "com.example.mail"}
        seen = await one.see(OpenApp(name="Chat"))
        assert seen.app.package == "com.example.mail"
        printed = " ".join(one.requests())
        assert "monkey" not in printed
        assert "am start -W" not in printed


async def test_an_app_that_draws_nothing_at_all_is_tried_in_a_second_way(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.phone.apps._COLD_START", 0.1)
    async with simulate() as one:
        seen = await one.phone.observe()
        one.sim.services.quirks.hands_over = {"com.example.chat": ""}
        with pytest.raises(ActionRefused, match="nothing came up"):
            await one.phone.perform(OpenApp(name="Chat"), seen)
        assert "monkey -p com.example.chat" in " ".join(one.requests())
        assert (await one.phone.observe()).app.package == "com.android.launcher3"


@pytest.mark.parametrize("android", [9, 16])
async def test_an_address_is_shown_and_nothing_else_is_done(simulate: Simulate, android: int) -> None:
    async with simulate(android=android) as one:
        for name, at, shown in (
            ("Settings", "android.settings.WIFI_SETTINGS", "Wi-Fi"),
            ("Settings", "android.settings.BLUETOOTH_SETTINGS", "Bluetooth"),
            ("Maps", "geo:0,0?q=City%20Library", "City Library"),
            ("Dialer", "tel:0123", "0123"),
            ("Mail", "mailto:lily@mail.example?subject=Dinner", "Dinner"),
            ("Browser", "https://wiki.example/abacus", "wiki.example/abacus"),
        ):
            before = one.sim.state()["apps"]
            seen = await one.see(OpenApp(name=name, at=at))
            assert any(shown in (element.text, element.description) for element in seen.elements), at
            after = one.sim.state()["apps"]
            changed = [app for app in after if after[app] != before[app]]
            assert changed == (["com.example.browser"] if name == "Browser" else []), "where it has been"


@pytest.mark.parametrize(
    ("name", "at", "reason"),
    [
        ("Settings", "android.settings.NO_SUCH_SETTINGS", "does not start"),
        ("Maps", "tel:0123", "does not start"),
        ("Chat", "sms:0123?body=yes", "no address that an app opens"),
        ("Nobody", "geo:0,0?q=here", "No app is called"),
    ],
)
async def test_what_an_app_does_not_show_is_said_so(
    simulate: Simulate, name: str, at: str, reason: str
) -> None:
    async with simulate() as one:
        seen = await one.phone.observe()
        with pytest.raises(ActionRefused, match=reason):
            await one.phone.perform(OpenApp(name=name, at=at), seen)
        assert (await one.phone.observe()).app.package == "com.android.launcher3"
        printed = " ".join(one.requests())
        assert "monkey" not in printed
        assert "input swipe" not in printed, "an icon in the drawer opens no address"


async def test_an_app_that_asks_for_a_permission_at_once_has_started(simulate: Simulate) -> None:
    async with simulate(difficulties=replace(Difficulties.none(), permissions=True)) as one:
        seen = await one.see(OpenApp(name="Maps"))
        assert "permissioncontroller" in seen.app.package
        assert "monkey" not in " ".join(one.requests())


async def test_an_unknown_app_is_refused_with_the_nearest(simulate: Simulate) -> None:
    async with simulate() as one:
        with pytest.raises(ActionRefused, match="Settings"):
            await one.phone.perform(OpenApp(name="Setings menu"), await one.phone.observe())
        with pytest.raises(ActionRefused, match=r"The phone has .*“Chat”.*“Notes”"):
            await one.phone.perform(OpenApp(name="Messages"), await one.phone.observe())


HOSTILE = "$(reboot) `id` 'a' \"b\" ;&|<> \\ * ? # ! %s %%s ~ {x} [y] (end)"


@pytest_asyncio.fixture
async def typist(simulate: Simulate) -> AsyncIterator[tuple[Simulated, Observation]]:
    """A simulated phone for several texts, and what it shows: a focused field."""
    async with simulate() as one:
        yield one, await search_field(one)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(HOSTILE)
@example("你好, 世界 \U0001f35c é")
@given(
    st.text(
        st.characters(codec="utf-8", exclude_categories=("C", "Z")) | st.just(" "), min_size=1, max_size=20
    )
)
async def test_text_arrives_as_it_is(typist: tuple[Simulated, Observation], text: str) -> None:
    one, seen = typist
    one.sim.windows.clear_text()
    await one.phone.perform(TypeText(text=text), seen)
    assert one.sim.windows.desk.panels.drawer_search.value == text
    assert one.sim.services.input_methods.current == USER_KEYBOARD


@pytest.mark.parametrize("text", ["noodles", "你好, 世界", "x" * 120])
async def test_a_field_is_emptied_whatever_it_holds(simulate: Simulate, text: str) -> None:
    async with simulate() as one:
        seen = await one.see(TypeText(text=text), await search_field(one))

        await one.phone.perform(ClearText(), seen)

        assert one.sim.windows.desk.panels.drawer_search.value == ""


async def test_the_keyboard_of_uiautomator2_will_do(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.input_methods.remove(ADB_KEYBOARD)
        seen = await search_field(one)
        with pytest.raises(ActionRefused, match="Install ADBKeyBoard"):
            await one.phone.perform(TypeText(text="外卖"), seen)
        one.sim.services.input_methods.add(U2_KEYBOARD)
        assert field(await one.see(TypeText(text="外卖"), seen)).text == "外卖"
        assert one.sim.services.input_methods.current == USER_KEYBOARD


async def test_lost_text_is_told(simulate: Simulate) -> None:
    async with simulate() as one:
        seen = await search_field(one)
        one.sim.services.input_methods.drops_text = True
        with pytest.raises(ActionRefused, match="did not arrive"):
            await one.phone.perform(TypeText(text="外卖"), seen)
        one.sim.services.quirks.drop_input = True
        with pytest.raises(ActionRefused, match="did not arrive"):
            await one.phone.perform(TypeText(text="eats"), seen)
        assert one.sim.services.input_methods.current == USER_KEYBOARD


async def test_words_that_a_keyboard_composes_are_typed_in_another_way(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.quirks.composes = True
        seen = await search_field(one)
        await one.phone.perform(TypeText(text="running late"), seen)
        seen = await one.phone.observe()
        assert field(seen).text == "running late"
        assert one.sim.services.input_methods.current == USER_KEYBOARD
        before = len(one.requests())
        with pytest.raises(ActionRefused, match="did not arrive"):
            await one.phone.perform(TypeText(text=" ni hao "), seen)
        assert field(await one.phone.observe()).text == "running late 你好", "it is not ours alone to delete"
        assert not any("ime set" in request for request in one.requests()[before:])


async def test_words_that_are_composed_where_no_other_way_is_are_told(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.quirks.composes = one.sim.services.quirks.ime_denied = True
        seen = await search_field(one)
        with pytest.raises(ActionRefused, match=r"“饿.*Latin letters"):
            await one.phone.perform(TypeText(text="eats now"), seen)
        assert field(await one.phone.observe()).text == "Search apps", "what was composed is deleted"


async def test_a_stuck_keyboard_is_no_success(simulate: Simulate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.phone.keyboard._BIND_LIMIT", 0.1)
    async with simulate() as one:
        seen = await search_field(one)
        one.sim.services.quirks.input_method_stuck = True
        with pytest.raises(ActionRefused, match="does not start"):
            await one.phone.perform(TypeText(text="外卖"), seen)


async def test_the_keyboard_is_back_after_a_cancel_and_after_a_crash(simulate: Simulate) -> None:
    async with simulate() as one:
        methods = one.sim.services.input_methods
        seen = await search_field(one)
        doing = asyncio.create_task(one.phone.perform(TypeText(text="外卖" * 2000), seen))
        await until(lambda: methods.current == ADB_KEYBOARD)
        doing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await doing
        await one.phone.settled_down()
        assert methods.current == ADB_KEYBOARD
        await one.again().restore_after_crash()
        assert methods.current == USER_KEYBOARD
        before = len(one.requests())
        await one.phone.release()
        assert len(one.requests()) == before


@pytest.mark.parametrize("count", range(1, 7))
async def test_nothing_is_sent_after_a_cancel(simulate: Simulate, count: int) -> None:
    async with simulate() as one:
        seen = await search_field(one)
        before = len(one.requests())
        doing = asyncio.create_task(one.phone.perform(TypeText(text="外卖" * 5000), seen))
        await until(lambda: len(one.requests()) >= before + count)
        doing.cancel()
        in_flight = len(one.requests()) + 1
        with pytest.raises(asyncio.CancelledError):
            await doing
        await one.phone.settled_down()
        await anext(one.phone.lines("echo barrier"))
        assert len(one.requests()) <= in_flight + 1
        await one.phone.release()
        assert one.sim.services.input_methods.current == USER_KEYBOARD


async def test_a_secure_page_keeps_its_elements(simulate: Simulate, monkeypatch: pytest.MonkeyPatch) -> None:
    async with simulate() as one:
        app = next(app for app in one.sim.windows.apps() if app.package == "com.example.paybox")
        monkeypatch.setattr(type(app), "secure_pages", frozenset({app.first_page().name}))
        seen = await one.see(OpenApp(name="PayBox"))
        assert seen.secure
        assert seen.screenshot
        assert any("PayBox" in element.text for element in seen.elements)
        one.sim.services.quirks.secure_error = True
        seen = await one.phone.observe()
        assert seen.secure
        assert not seen.screenshot
        assert (seen.width, seen.height) == SIZE


async def test_a_screen_that_never_rests_is_seen_without_a_tree(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.quirks.never_idle = True
        seen = await one.phone.observe()
        assert seen.elements == ()
        assert seen.screenshot
        one.sim.services.quirks.never_idle, one.sim.services.quirks.null_root = False, True
        assert (await one.phone.observe()).elements == ()


async def test_a_turned_phone(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.person.rotate(1)
        seen = await one.phone.observe()
        assert (seen.width, seen.height, seen.rotation) == (*reversed(SIZE), 1)


async def test_touches_count_in_the_size_that_the_user_set(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.services.display.override = (720, 1600)
        one.sim.windows.changed()
        seen = await one.phone.observe()
        assert (seen.width, seen.height) == (720, 1600)


async def test_scrolling_shows_what_lies_below(simulate: Simulate) -> None:
    async with simulate() as one:
        top = await one.see(OpenApp(name="Settings"))
        below = await one.see(Scroll(direction=Direction.DOWN), top)
        assert [e.text for e in below.elements] != [e.text for e in top.elements]
        again = await one.see(Scroll(direction=Direction.UP), below)
        assert [e.text for e in again.elements] == [e.text for e in top.elements]


async def test_the_notification_shade_is_not_the_app_below(simulate: Simulate) -> None:
    async with simulate() as one:
        await one.see(OpenApp(name="Settings"))
        one.sim.windows.expand("notifications")
        app = (await one.phone.observe()).app
        assert (app.package, app.activity) == ("com.android.systemui", "")


async def test_locked_and_dark(simulate: Simulate) -> None:
    async with simulate() as one:
        one.sim.person.lock(secure=True)
        with pytest.raises(PhoneError, match="Phone is locked") as caught:
            await one.phone.observe()
        assert caught.value.state is PhoneState.LOCKED
        one.sim.person.unlock()
        one.sim.services.keyguard.secure = False
        one.sim.person.screen(on=False)
        assert (await one.phone.status()).state is PhoneState.SCREEN_OFF
        status = await one.phone.wait_ready(3.0)
        assert status.state in (PhoneState.LOCKED, PhoneState.READY)


async def test_a_phone_that_forbids_input(simulate: Simulate) -> None:
    async with simulate() as one:
        seen = await one.phone.observe()
        one.sim.services.quirks.input_denied = True
        with pytest.raises(PhoneError, match="Security settings") as caught:
            await one.phone.perform(PressBack(), seen)
        assert caught.value.state is PhoneState.NO_INPUT_PERMISSION
        assert (await one.phone.status()).state is PhoneState.NO_INPUT_PERMISSION
        one.sim.services.quirks.input_denied = False
        assert (await one.phone.status()).state is PhoneState.READY


async def test_a_phone_that_asks_the_user_first(simulate: Simulate) -> None:
    async with simulate(auth=AuthMode.ASK) as one:
        status = await one.phone.status()
        assert status.state is PhoneState.UNAUTHORIZED
        waiting = asyncio.create_task(one.phone.wait_ready(20))
        await until(lambda: bool(one.sim.daemon.authenticator.waiting))
        one.sim.daemon.authenticator.confirm()
        assert (await waiting).state is PhoneState.READY


async def test_a_phone_that_comes_back_goes_on(simulate: Simulate) -> None:
    async with simulate() as one:
        seen = await one.phone.observe()
        one.sim.daemon.faults.drop(0.15)
        with pytest.raises(PhoneError) as caught:
            await one.phone.perform(PressBack(), seen)
        assert caught.value.state in (PhoneState.OFFLINE, PhoneState.ABSENT)
        assert (await one.phone.wait_ready(20)).state is PhoneState.READY
        await one.phone.observe()


async def test_a_frozen_phone(simulate: Simulate) -> None:
    async with simulate() as one:
        phone = one.again(PhoneSettings(command_deadline=0.3, settle_cap=0.2))
        one.sim.daemon.faults.freeze()
        loop = asyncio.get_running_loop()
        begun = loop.time()
        with pytest.raises(PhoneError) as caught:
            await phone.observe()
        assert caught.value.state is PhoneState.FROZEN
        assert loop.time() - begun < 2
        one.sim.daemon.faults.restore()
        assert (await phone.wait_ready(10)).state is PhoneState.READY


async def test_touches_of_the_user_are_streamed(simulate: Simulate) -> None:
    async with simulate() as one:
        lines = one.phone.lines("getevent -lt")
        following = asyncio.ensure_future(anext(lines))
        await until(lambda: any("getevent" in service for service in one.requests()))
        while not following.done():
            one.sim.person.tap(500, 500)
            await asyncio.wait({following}, timeout=0.1)
        assert "event" in following.result() or "EV_" in following.result()
        await lines.aclose()


async def test_a_killed_adb_server_is_started_again(simulate: Simulate, adb_server: PrivateAdbServer) -> None:
    with PrivateAdbServer(adb_server.adb) as server:
        adb = AdbServer("127.0.0.1", server.port)
        async with simulate() as one:
            await adb.connect(one.sim.serial)
            phone = Phone(adb, one.sim.serial, PhoneSettings())
            seen = await phone.observe()
            server.stop()
            try:
                with pytest.raises(PhoneError) as caught:
                    await phone.perform(PressBack(), seen)
                assert caught.value.state is PhoneState.ABSENT
                assert (await phone.wait_ready(20)).state is PhoneState.READY
                await phone.perform(PressBack(), seen)
            finally:
                connection = await adb.connection()
                connection.send("host:kill")
                await connection.wait_accepted()
                connection.close()
