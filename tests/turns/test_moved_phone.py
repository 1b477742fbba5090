"""A phone whose wireless debugging gets another port in mid-turn: the turn goes on there, on no other phone.

Through real adb. Only the announcements on the network are made up, as no phone here makes any.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assistant.events import (
    Approval,
    ApprovalRequested,
    Cause,
    PhoneStateChanged,
    StateChanged,
    TurnFinished,
    Verdict,
)
from assistant.phone.adb import PhoneLink
from assistant.records import Outcome
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.apps.base import Difficulties
from assistant.simulator.apps.hostile import DATA, PACKAGE, HostileApp, HostilePage
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.phone.adb_responder import announcing
from tests.phone.scripted import until
from tests.turn_fixture import Choose, StagedTurn, staged_turn
from tests.turns.test_deeds import show
from tests.turns.test_phone_trouble import (
    DEADLINE,
    HARMLESS,
    PAY,
    PAYMENT,
    Watched,
    tap_always,
    tap_until_done,
)
from tests.worlds import DENSITY, LIMIT, SIZE, START

NAME, STRANGER = "adb-R5CT1-xYz", "0123456789abcdef"


class Network:
    """What announces itself: names and addresses."""

    def __init__(self) -> None:
        self.services: dict[str, str] = {}

    def listing(self) -> str:
        """As the adb server prints it."""
        return "".join(
            f"{name}\t_adb-tls-connect._tcp\t{address}\n" for name, address in self.services.items()
        )


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    monkeypatch.setattr("assistant.phone.monitor._ADB_RETRY_SECONDS", 0.1)
    return Network()


@dataclass
class WirelessTurn:
    """A turn on a phone that announces itself, and the app that it works on."""

    turn: StagedTurn
    app: HostileApp
    network: Network

    @property
    def link(self) -> PhoneLink:
        """Where the program reaches the phone."""
        return self.turn.turn._phone.link

    async def move(self, *, announced: bool = True) -> None:
        """The phone gets another port."""
        await self.turn.phone.daemon.move()
        if announced:
            self.announce(self.turn.phone)

    def announce(self, phone: SimulatedPhone) -> None:
        """A phone announces itself by the name of the turn's phone."""
        self.network.services[NAME] = phone.serial


@asynccontextmanager
async def wireless_turn(
    network: Network,
    server: PrivateAdbServer,
    folder: Path,
    page: HostilePage,
    choose: Choose | None = None,
    **options: Any,
) -> AsyncIterator[WirelessTurn]:
    """A turn whose model thinks, on a phone whose name was noted; it taps until something was done."""
    apps: list[HostileApp] = []
    choose = choose or tap_until_done(lambda: apps[0])
    async with (
        announcing(server.port, network.listing) as port,
        staged_turn(port, folder, choose, followed=True, command_deadline=DEADLINE, **options) as turn,
    ):
        turn.model.may_answer.clear()
        apps.append(show(turn, page))
        wireless = WirelessTurn(turn, apps[0], network)
        wireless.announce(turn.phone)
        await until(lambda: wireless.link.service == NAME and bool(wireless.link.identities), LIMIT)
        await turn.model.thinking.wait()
        yield wireless


async def waiting(turn: StagedTurn) -> None:
    await turn.next(StateChanged, lambda event: event.cause is Cause.PHONE and bool(event.sentence))


@asynccontextmanager
async def stranger(port: int) -> AsyncIterator[tuple[SimulatedPhone, HostileApp]]:
    """Another phone that listens at a port and shows the page that pays, and its app."""
    async with SimulatedPhone(PhoneOptions(start=START, size=SIZE, density=DENSITY, port=port)) as phone:
        phone.services.settings.secure["android_id"] = STRANGER
        app = HostileApp(phone.windows.desk, DATA, Difficulties.none())
        phone.windows.desk.add(app)
        app.shown = PAYMENT
        phone.windows.start(PACKAGE)
        yield phone, app


def commands(phone: SimulatedPhone) -> set[str]:
    """What a phone was asked."""
    return {opened.service for opened in phone.traffic.since()}


async def test_a_turn_goes_on_at_the_new_port(
    network: Network, adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with wireless_turn(network, adb_server, tmp_path, HARMLESS) as wireless:
        turn, serial = wireless.turn, wireless.turn.phone.serial
        await wireless.move()
        assert turn.phone.serial != serial
        turn.model.may_answer.set()
        finished = await turn.next(TurnFinished)
        assert (finished.outcome, wireless.app.state["deeds"]) == (Outcome.SUCCESS, ["details"])
        said = [event.sentence for event in turn.all(PhoneStateChanged)]
        assert f"The phone is at {turn.phone.serial} now. The turn goes on." in said
        assert turn.turn._phone.serial == serial


async def test_a_yes_from_before_the_move_does_nothing_and_is_asked_for_again(
    network: Network, adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with wireless_turn(network, adb_server, tmp_path, PAYMENT) as wireless:
        turn, app = wireless.turn, wireless.app
        turn.model.may_answer.set()
        asked = await turn.next(ApprovalRequested)
        await wireless.move()
        if not asked.decision.done():
            asked.decision.set_result(Approval(Verdict.ONCE))
        again = await turn.next(ApprovalRequested, lambda event: event is not asked)
        assert app.state["deeds"] == []
        again.decision.set_result(Approval(Verdict.ONCE))
        finished = await turn.next(TurnFinished)
        assert app.state["deeds"] == ["pay"]
        assert [deed.maybe for deed in finished.deeds] == [False]


async def test_a_payment_at_which_the_phone_moved_is_maybe_done_and_not_repeated(
    network: Network, adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    moves: list[asyncio.Task[None]] = []
    options = {"attended": False, "approved": [PAY]}
    async with wireless_turn(network, adb_server, tmp_path, PAYMENT, tap_always, **options) as wireless:
        turn, app = wireless.turn, wireless.app
        app.state["deeds"] = Watched(lambda: moves.append(asyncio.create_task(wireless.move())))
        turn.model.may_answer.set()
        finished = await turn.next(TurnFinished)
        assert app.state["deeds"] == ["pay"]
        assert finished.outcome is Outcome.FAILED
        assert [(deed.amount, deed.maybe) for deed in finished.deeds] == [("¥19", True)]
        assert "may have been done already" in finished.answer
        assert "may or may not have been carried out" in turn.model.heard
        # It was looked at where the phone is now.
        assert wireless.link.address == turn.phone.serial


@pytest.mark.parametrize("helper", [False, True])
async def test_a_phone_at_the_old_port_is_told_from_the_one_that_moved(
    network: Network, adb_server: PrivateAdbServer, tmp_path: Path, helper: bool
) -> None:
    async with wireless_turn(network, adb_server, tmp_path, HARMLESS, helper=helper) as wireless:
        turn, link, port = wireless.turn, wireless.link, wireless.turn.phone.daemon.port
        await wireless.move(announced=False)
        async with stranger(port) as (other, its_app):
            await waiting(turn)
            await until(lambda: link.stranger == STRANGER, LIMIT)
            turn.model.may_answer.set()
            wireless.announce(turn.phone)
            finished = await turn.next(TurnFinished)
            assert finished.outcome is Outcome.SUCCESS
            assert (wireless.app.state["deeds"], its_app.state["deeds"]) == (["details"], [])
            assert link.address == turn.phone.serial
            # It was asked who it is, and nothing else.
            assert commands(other) == {"shell,v2:settings get secure android_id"}


async def test_a_payment_is_not_repeated_on_the_phone_that_takes_the_old_port(
    network: Network, adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    gone = asyncio.Event()
    moves: list[asyncio.Task[None]] = []
    options = {"attended": False, "approved": [PAY]}
    async with wireless_turn(network, adb_server, tmp_path, PAYMENT, tap_always, **options) as wireless:
        turn, app, link, port = wireless.turn, wireless.app, wireless.link, wireless.turn.phone.daemon.port

        async def move() -> None:
            await wireless.move(announced=False)
            gone.set()

        app.state["deeds"] = Watched(lambda: moves.append(asyncio.create_task(move())))
        turn.model.may_answer.set()
        await gone.wait()
        async with stranger(port) as (other, its_app):
            await until(lambda: link.stranger == STRANGER, LIMIT)
            wireless.announce(turn.phone)
            finished = await turn.next(TurnFinished)
            assert (app.state["deeds"], its_app.state["deeds"]) == (["pay"], [])
            assert [(deed.amount, deed.maybe) for deed in finished.deeds] == [("¥19", True)]
            assert commands(other) == {"shell,v2:settings get secure android_id"}


async def test_another_phone_that_announces_itself_by_the_name_is_not_gone_on_with(
    network: Network, adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with wireless_turn(network, adb_server, tmp_path, HARMLESS) as wireless:
        turn, link = wireless.turn, wireless.link
        async with stranger(0) as (other, its_app):
            await wireless.move(announced=False)
            wireless.announce(other)
            turn.model.may_answer.set()
            await until(lambda: link.address == other.serial and link.stranger == STRANGER, LIMIT)
            assert wireless.app.state["deeds"] == []
            wireless.announce(turn.phone)
            await turn.next(TurnFinished)
            assert (wireless.app.state["deeds"], its_app.state["deeds"]) == (["details"], [])
            assert commands(other) == {"shell,v2:settings get secure android_id"}


async def test_the_resident_helper_is_started_again_at_the_new_port(
    network: Network, adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with wireless_turn(network, adb_server, tmp_path, HARMLESS, helper=True) as wireless:
        turn = wireless.turn
        await wireless.move()
        turn.model.may_answer.set()
        await turn.next(TurnFinished)
        assert wireless.app.state["deeds"] == ["details"]
        starts = [opened for opened in turn.phone.traffic.since() if "app_process" in opened.service]
        assert len(starts) == 2
        assert not any(event.helper_lost for event in turn.all(PhoneStateChanged))
