from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from PIL import Image

from assistant.simulator import orders
from assistant.simulator.android.hardware import Wakefulness
from assistant.simulator.android.touches import RawEvent
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.control import HEADER, ControlClient, ControlFailed
from assistant.simulator.phone import PhoneOptions, SimulatedPhone

CHAT = "com.example.chat"


@pytest_asyncio.fixture
async def phone() -> AsyncIterator[SimulatedPhone]:
    async with SimulatedPhone(PhoneOptions(size=(540, 1200), density=210)) as phone:
        yield phone


@pytest_asyncio.fixture
async def client(phone: SimulatedPhone) -> AsyncIterator[ControlClient]:
    async with ControlClient(phone.control.url, phone.control.token) as client:
        yield client


def ordinary_apps(phone: SimulatedPhone) -> list[BaseApp[Any]]:
    return [app for app in phone.windows.apps() if isinstance(app, BaseApp)]


async def ask(
    phone: SimulatedPhone, method: str, path: str, body: str = "", token: str = ""
) -> tuple[int, str]:
    headers = {HEADER: token or phone.control.token}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.request(method, phone.control.url + path, data=body or None) as response,
    ):
        return response.status, str(json.loads(await response.text()).get("error", ""))


async def test_without_the_token_nothing_is_done(phone: SimulatedPhone) -> None:
    status, words = await ask(phone, "POST", "/lock", token="guess")
    assert status == 401
    assert "token" in words
    assert not phone.services.keyguard.showing


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "words"),
    [
        ("POST", "/fly", "", 404, "There is no command 'fly'. Known are: advance, "),
        ("GET", "/fly", "", 405, "/fly takes no GET"),
        ("POST", "/tap", "{", 400, "The body is not JSON"),
        ("POST", "/tap", "[1, 2]", 400, "The body: "),
        ("POST", "/tap", '{"x": 1}', 400, "y: field required."),
        ("POST", "/tap", '{"x": 1, "y": 2, "z": 3}', 400, "z is not a field."),
        ("POST", "/tap", '{"x": 1, "y": "low"}', 400, "y: input should be a valid number"),
        ("POST", "/move", '{"place": "moon"}', 400, "There is no place 'moon'. Known are: residence, "),
        (
            "POST",
            "/press",
            '{"names": ["Nowhere", "不存在"]}',
            400,
            "Nothing on the screen is called",
        ),
        ("POST", "/move", "{}", 400, "Name a place, or give latitude and longitude."),
        ("POST", "/notify", '{"package": "no.app", "title": "x"}', 400, "no.app is not installed."),
        ("GET", "/traffic?since=noon", "", 400, "since must be a number of seconds."),
    ],
)
async def test_bad_requests_get_words(
    phone: SimulatedPhone, method: str, path: str, body: str, status: int, words: str
) -> None:
    answer = await ask(phone, method, path, body)
    assert answer[0] == status
    assert words in answer[1]


async def test_the_client_turns_words_into_an_exception(client: ControlClient) -> None:
    with pytest.raises(ControlFailed, match="no place"):
        await client.perform(orders.Move(place="moon"))


async def test_a_client_without_a_phone_says_so() -> None:
    async with ControlClient("http://127.0.0.1:9", "token") as client:
        with pytest.raises(ControlFailed, match="does not answer"):
            await client.state()


async def test_the_users_touches_show_in_getevent_and_act(
    phone: SimulatedPhone, client: ControlClient
) -> None:
    with phone.services.touches.subscribe() as events:
        await client.perform(orders.Swipe(x1=270, y1=10, x2=270, y2=900))
        seen: list[RawEvent] = [events.get_nowait() for _ in range(events.qsize())]
    codes = [event.code for event in seen]
    assert codes[0] == "ABS_MT_TRACKING_ID"
    assert codes.count("SYN_REPORT") > 5
    assert (seen[-3].code, seen[-3].value) == ("ABS_MT_TRACKING_ID", -1)
    assert phone.windows.focused().system


async def test_the_agents_touches_do_not_show_in_getevent(phone: SimulatedPhone) -> None:
    with phone.services.touches.subscribe() as events:
        phone.windows.tap(100, 100)
        assert events.empty()


async def test_the_user_presses_what_is_called_so(phone: SimulatedPhone, client: ControlClient) -> None:
    phone.windows.start("com.example.paybox")
    with phone.services.touches.subscribe() as events:
        await client.perform(orders.Press(names=("转账", "Transfer")))
        assert not events.empty()
    assert "Transfer to" in phone.windows.dump(resting=False).decode()


async def test_the_user_ends_all_apps(phone: SimulatedPhone, client: ControlClient) -> None:
    phone.windows.start("com.example.shop")
    await client.perform(orders.EndApps())
    assert "launcher" in phone.windows.focused().package
    assert phone.windows.desk.tasks.recent() == []


async def test_lock_and_unlock(phone: SimulatedPhone, client: ControlClient) -> None:
    await client.perform(orders.Lock(secure=True))
    assert phone.services.keyguard.showing
    assert phone.services.keyguard.secure
    assert phone.windows.focused().system
    await client.perform(orders.Unlock())
    assert not phone.windows.focused().system


async def test_screen_off_and_on(phone: SimulatedPhone, client: ControlClient) -> None:
    await client.perform(orders.Screen(on=False))
    assert phone.services.power.wakefulness is Wakefulness.ASLEEP
    await client.perform(orders.Screen(on=True))
    assert phone.services.power.awake


async def test_rotation_turns_the_picture(client: ControlClient) -> None:
    await client.perform(orders.Rotate(quarters=1))
    assert Image.open(io.BytesIO(await client.screen())).size == (1200, 540)


async def test_notifications_and_calls(phone: SimulatedPhone, client: ControlClient) -> None:
    await client.perform(orders.Notify(package=CHAT, title="Mom", text="Dinner?"))
    await client.perform(orders.Notify(package=CHAT, title="Mom", text="At seven?"))
    texts = [one.text for one in phone.services.notifications.posted if one.package == CHAT]
    assert texts[-2:] == ["Dinner?", "At seven?"]
    await client.perform(orders.Call(name="Mom"))
    assert phone.services.cell.call_state == 1
    assert phone.services.notifications.posted[-1].title == "Mom"
    await client.perform(orders.Call())
    assert phone.services.cell.call_state == 0
    assert phone.services.notifications.posted[-1].text == "At seven?"


async def test_moving_changes_position_and_radios(client: ControlClient) -> None:
    await client.perform(orders.Move(place="transportation"))
    services = (await client.state())["services"]
    assert services["wifi"]["connected"] is None
    assert services["bluetooth"]["connected"] == "My Car"
    await client.perform(orders.Move(latitude=1.5, longitude=2.5, ssid="Gym"))
    services = (await client.state())["services"]
    assert (services["location"]["latitude"], services["wifi"]["connected"]["ssid"]) == (1.5, "Gym")


async def test_radios_and_battery(phone: SimulatedPhone, client: ControlClient) -> None:
    await client.perform(orders.Radio(name="wifi", on=False))
    assert phone.services.wifi.active is None
    await client.perform(orders.Connect(device="Earbuds"))
    assert phone.services.bluetooth.active == "Earbuds"
    await client.perform(orders.Charge(level=7, plugged=""))
    assert (phone.services.battery.level, phone.services.battery.plugged) == (7, "")


async def test_faults(phone: SimulatedPhone, client: ControlClient) -> None:
    faults = phone.daemon.faults
    await client.perform(orders.Freeze())
    assert faults.frozen
    await client.perform(orders.Drop())
    assert not faults.connected
    await client.perform(orders.Restore())
    assert not faults.frozen
    assert faults.connected
    await client.perform(orders.Refuse())
    await client.perform(orders.Silence())
    await client.perform(orders.Cut(after=10, streams=2))
    await client.perform(orders.Lag(seconds=0.5))
    assert (faults.listening, faults.silent, faults.cut_after, faults.cut_streams, faults.delay) == (
        False,
        True,
        10,
        2,
        0.5,
    )
    await client.perform(orders.Unauthorize())
    assert phone.daemon.authenticator.mode == "refused"
    await client.perform(orders.Authorize(waiting_only=True))
    assert phone.daemon.authenticator.mode == "ask"
    await client.perform(orders.Authorize())
    assert phone.daemon.authenticator.mode == "open"


async def test_delays_clock_and_nuisances(phone: SimulatedPhone, client: ControlClient) -> None:
    before = phone.clock.now()
    await client.perform(orders.Advance(seconds=7200))
    assert (phone.clock.now() - before).total_seconds() >= 7200
    await client.perform(orders.SetDelays(factor=0.5))
    assert phone.services.delays.factor == 0.5
    await client.perform(orders.SetQuirks(input_denied=True))
    assert phone.services.quirks.input_denied
    await client.perform(orders.Trip(advertisements=False))
    assert not any(app.difficulties.advertisements for app in ordinary_apps(phone))
    await client.perform(orders.Reset())
    assert all(app.difficulties.advertisements for app in ordinary_apps(phone))
    assert phone.services.delays.factor == 0


async def test_reset_returns_to_the_snapshot_and_no_further(
    phone: SimulatedPhone, client: ControlClient
) -> None:
    fresh = await client.state()
    phone.windows.desk.app(CHAT).state["mark"] = ["kept"]
    await client.perform(orders.Charge(level=50))
    await client.perform(orders.Snapshot())
    phone.windows.desk.app(CHAT).state["mark"].append("lost")
    phone.windows.start(CHAT)
    await client.perform(orders.Charge(level=10))
    await client.perform(orders.Lock(secure=True))
    await client.perform(orders.Reset())
    state = await client.state()
    assert state["apps"][CHAT]["mark"] == ["kept"]
    assert state["services"]["battery"]["level"] == 50
    assert state["services"]["keyguard"] == fresh["services"]["keyguard"]
    assert phone.windows.resumed().package == "com.android.launcher3"


async def test_reset_of_a_used_phone_gives_the_fresh_one(
    phone: SimulatedPhone, client: ControlClient
) -> None:
    fresh = await client.state()
    phone.services.packages.remove("com.example.rail")
    for order in (
        orders.Rotate(quarters=1),
        orders.Move(place="office"),
        orders.Notify(package=CHAT, title="Mom", text="Dinner?"),
        orders.Radio(name="wifi", on=False),
        orders.SetQuirks(null_root=True),
        orders.Tap(x=100, y=1000),
        orders.Unauthorize(),
        orders.Drop(),
        orders.Reset(),
    ):
        await client.perform(order)
    assert await client.state() == fresh
    assert phone.daemon.faults.listening
    assert phone.daemon.authenticator.mode == "open"


async def test_a_snapshot_without_an_app_stays_without_it(
    phone: SimulatedPhone, client: ControlClient
) -> None:
    phone.services.packages.remove("com.example.rail")
    await client.perform(orders.Snapshot())
    await client.perform(orders.Reset())
    assert "com.example.rail" not in (await client.state())["apps"]


async def test_a_removed_app_is_back_after_a_reset(phone: SimulatedPhone, client: ControlClient) -> None:
    await client.perform(orders.Uninstall(package="com.example.maps"))
    assert "com.example.maps" not in phone.services.packages.installed
    with pytest.raises(ControlFailed, match="is not installed"):
        await client.perform(orders.Uninstall(package="com.example.maps"))
    await client.perform(orders.Reset())
    assert "com.example.maps" in phone.services.packages.installed


async def test_what_the_owner_has_is_there_after_a_reset(
    phone: SimulatedPhone, client: ControlClient
) -> None:
    alarms = len((await client.state())["apps"]["com.example.clock"]["alarms"])
    podcasts = "com.example.podcasts"
    await client.perform(orders.Own(package=podcasts, has={"favourites": ["Why Cities Hum"]}))
    await client.perform(orders.Own(package="com.example.music", has={"playlists": {"Sleep": ["Warm Milk"]}}))
    await client.perform(orders.Own(package="com.example.clock", has={"alarms": []}))
    await client.perform(orders.Snapshot())
    await client.perform(orders.Reset())
    apps = (await client.state())["apps"]
    assert apps[podcasts]["favourites"] == ["Why Cities Hum"]
    assert apps["com.example.music"]["playlists"] == {"Running": [], "Sleep": ["Warm Milk"], "Work": []}
    assert len(apps["com.example.clock"]["alarms"]) == alarms
    for order in (orders.Own(package="org.nobody", has={}), orders.Own(package=podcasts, has={"wings": 2})):
        with pytest.raises(ControlFailed, match=r"There is no app|has no wings"):
            await client.perform(order)


async def test_the_screen_is_a_picture(client: ControlClient) -> None:
    assert Image.open(io.BytesIO(await client.screen())).size == (540, 1200)


async def test_traffic_starts_empty(client: ControlClient) -> None:
    report = await client.traffic()
    assert (report.bytes, report.opened) == (0, [])
    assert report.now > 0
