"""What may happen to a phone in mid-turn, through real adb: the words are clear, and nothing is done twice.

Each trouble comes at three moments: while the model thinks about a harmless tap, while the user is asked
about a payment, and when that payment has just reached the app, so that nobody hears whether it did.
"""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, aclosing, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.events import (
    ActionKind,
    Approval,
    ApprovalRequested,
    Cause,
    StateChanged,
    StepFinished,
    TurnFinished,
    TurnState,
    Verdict,
)
from assistant.model.types import StepRequest
from assistant.phone.adb import AdbServer
from assistant.records import Action, Click, Element, Finished, Outcome
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.android.command import Context
from assistant.simulator.android.commands import PLAIN, RUNNING
from assistant.simulator.apps.hostile import Deed as Button
from assistant.simulator.apps.hostile import HostileApp, HostilePage
from tests.turn_fixture import StagedTurn, staged_turn
from tests.turns.test_deeds import show
from tests.worlds import LIMIT

PAY = ActionKind.PAY
DEADLINE = 1.0
"""Seconds that the turn waits for an answer of the phone."""


class Servers:
    """The adb server of a test, which may be killed, or replaced by that of another program."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.port = stack.enter_context(PrivateAdbServer()).port

    def kill(self) -> None:
        """Tell the server to end, as an adb client of another version does first."""
        with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
            connection.sendall(b"0009host:kill")
            connection.recv(4)

    def replace(self) -> None:
        """Kill the server and start another one in its place, of another version where one is installed."""
        self.kill()
        other = shutil.which("adb", path="/usr/bin:/usr/local/bin")
        server = PrivateAdbServer(Path(other) if other else None)
        server.port = self.port
        self._stack.enter_context(server)

    async def connect(self, serial: str) -> None:
        """Connect the phone; the server that answers may not know it yet."""
        adb = AdbServer("127.0.0.1", self.port)
        async with asyncio.timeout(LIMIT), aclosing(adb.watch()) as lists:
            await adb.connect(serial)
            async for devices in lists:
                if any(device.serial == serial and device.state == "device" for device in devices):
                    return


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    with ExitStack() as stack:
        first = PrivateAdbServer()
        # A server that the assistant starts itself must stay off USB and the network, too.
        for name, value in first.environment.items():
            monkeypatch.setenv(name, value)
        servers = Servers(stack)
        yield servers
        with suppress(OSError):
            servers.kill()


Change = Callable[[StagedTurn, Servers], object]


async def _reconnect(turn: StagedTurn, servers: Servers) -> None:
    await servers.connect(turn.phone.serial)


@dataclass(frozen=True)
class Trouble:
    """What happens to the phone, how it is mended, and what the user is told meanwhile.

    `unheard` tells whether the answer to a tap is lost with it.
    """

    name: str
    begin: Change
    mend: Change | Callable[[StagedTurn, Servers], Awaitable[None]]
    words: tuple[str, ...]
    unheard: bool = True


def _restore(turn: StagedTurn, _servers: Servers) -> None:
    turn.phone.daemon.faults.restore()


TROUBLES = [
    Trouble("gone", lambda turn, _: turn.phone.daemon.faults.drop(), _restore, ("connect",)),
    Trouble("offline", lambda turn, _: turn.phone.daemon.faults.silence(), _restore, ("connect",)),
    Trouble("frozen", lambda turn, _: turn.phone.daemon.faults.freeze(), _restore, ("does not answer",)),
    Trouble(
        "locked",
        lambda turn, _: turn.phone.person.lock(secure=True),
        lambda turn, _: turn.phone.person.unlock(),
        ("locked",),
        unheard=False,
    ),
    Trouble("server killed", lambda _, servers: servers.kill(), _reconnect, ("connect", "adb server")),
    Trouble("server replaced", lambda _, servers: servers.replace(), _reconnect, ("connect", "adb server")),
]

each_trouble = pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.name)


async def mend(trouble: Trouble, turn: StagedTurn, servers: Servers) -> None:
    mended = trouble.mend(turn, servers)
    if isinstance(mended, Awaitable):
        await mended


async def waiting_for_phone(turn: StagedTurn, trouble: Trouble) -> None:
    """Wait until the turn waits for the phone, and look at what it says."""
    waiting = await turn.next(StateChanged, lambda event: event.cause is Cause.PHONE and bool(event.sentence))
    assert waiting.state is TurnState.WAITING
    assert any(words in waiting.sentence for words in trouble.words), waiting.sentence


class Watched(list[str]):
    """The deeds of the app; something happens once one of them is done."""

    def __init__(self, then: Callable[[], object]) -> None:
        super().__init__()
        self._then = then

    def append(self, deed: str) -> None:
        super().append(deed)
        if len(self) == 1:
            self._then()


PAYMENT = HostilePage(
    title="Checkout", lines=("Total: ¥19",), buttons=(Button(label="Pay now", id="go", deed="pay"),)
)
HARMLESS = HostilePage(title="Guide", buttons=(Button(label="Details", id="go", deed="details"),))


def is_button(element: Element) -> bool:
    return element.clickable and element.resource_id.endswith("/go")


def tap_until_done(app: Callable[[], HostileApp]) -> Callable[[StepRequest], Action]:
    """A model that taps until the page has been answered, as far as the app itself knows."""

    def choose(request: StepRequest) -> Action:
        hit = next((element for element in request.observation.elements if is_button(element)), None)
        if hit is None or app().state["deeds"]:
            return Finished(answer="done")
        return Click(point=request.observation.point(*hit.bounds.centre))

    return choose


def tap_always(request: StepRequest) -> Action:
    hit = next((element for element in request.observation.elements if is_button(element)), None)
    return Click(point=request.observation.point(*hit.bounds.centre)) if hit else Finished(answer="done")


@each_trouble
async def test_trouble_while_the_model_thinks_is_waited_for(
    trouble: Trouble, servers: Servers, tmp_path: Path
) -> None:
    apps: list[HostileApp] = []
    async with staged_turn(
        servers.port, tmp_path, tap_until_done(lambda: apps[0]), command_deadline=DEADLINE
    ) as turn:
        apps.append(show(turn, HARMLESS))
        turn.model.may_answer.clear()
        await turn.model.thinking.wait()
        trouble.begin(turn, servers)
        turn.model.may_answer.set()
        await waiting_for_phone(turn, trouble)
        await mend(trouble, turn, servers)
        finished = await turn.next(TurnFinished)
        assert apps[0].state["deeds"] == ["details"]
        assert finished.deeds == ()


@each_trouble
async def test_trouble_while_the_question_stands_takes_the_yes_away_or_uses_it_once(
    trouble: Trouble, servers: Servers, tmp_path: Path
) -> None:
    apps: list[HostileApp] = []
    async with staged_turn(
        servers.port, tmp_path, tap_until_done(lambda: apps[0]), command_deadline=DEADLINE
    ) as turn:
        apps.append(show(turn, PAYMENT))
        asked = await turn.next(ApprovalRequested)
        trouble.begin(turn, servers)
        if not asked.decision.done():
            asked.decision.set_result(Approval(Verdict.ONCE))
        await waiting_for_phone(turn, trouble)
        assert apps[0].state["deeds"] == []
        await mend(trouble, turn, servers)
        again = await turn.next(ApprovalRequested, lambda event: event is not asked)
        again.decision.set_result(Approval(Verdict.ONCE))
        finished = await turn.next(TurnFinished)
        assert apps[0].state["deeds"] == ["pay"]
        assert [deed.amount for deed in finished.deeds if not deed.maybe] == ["¥19"]


async def test_another_phone_under_the_same_serial_is_not_gone_on_with(
    servers: Servers, tmp_path: Path
) -> None:
    apps: list[HostileApp] = []
    async with staged_turn(
        servers.port, tmp_path, tap_until_done(lambda: apps[0]), attended=False, command_deadline=DEADLINE
    ) as turn:
        apps.append(show(turn, HARMLESS))
        turn.model.may_answer.clear()
        await turn.model.thinking.wait()
        await turn.turn._phone.note_identity()
        turn.phone.daemon.faults.drop()
        turn.phone.services.settings.secure["android_id"] = "0123456789abcdef"
        turn.model.may_answer.set()
        await waiting_for_phone(turn, TROUBLES[0])
        turn.phone.daemon.faults.restore()
        finished = await turn.next(TurnFinished)
        assert finished.outcome is Outcome.FAILED
        assert "Another phone answers as" in finished.answer
        assert apps[0].state["deeds"] == []


@each_trouble
async def test_trouble_right_after_a_payment_never_leads_to_a_second(
    trouble: Trouble, servers: Servers, tmp_path: Path
) -> None:
    async with staged_turn(
        servers.port, tmp_path, tap_always, attended=False, approved=[PAY], command_deadline=DEADLINE
    ) as turn:
        app = show(turn, PAYMENT)
        app.state["deeds"] = Watched(lambda: trouble.begin(turn, servers))
        await waiting_for_phone(turn, trouble)
        await mend(trouble, turn, servers)
        finished = await turn.next(TurnFinished)
        assert app.state["deeds"] == ["pay"]
        assert finished.outcome is Outcome.FAILED
        assert [(deed.amount, deed.maybe) for deed in finished.deeds] == [("¥19", trouble.unheard)]
        if trouble.unheard:
            assert "may have been done already" in finished.answer
            assert "may or may not have been carried out" in turn.model.heard
        else:
            assert "done already" in finished.answer


async def test_an_input_that_never_returns_is_maybe_done_and_looked_at(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    perform = PLAIN["input"]

    async def hang(context: Context) -> int:
        """Do it, and never come to an end."""
        perform(context)
        return await asyncio.Event().wait() or 0

    monkeypatch.delitem(PLAIN, "input")
    monkeypatch.setitem(RUNNING, "input", hang)
    async with staged_turn(adb_server.port, tmp_path, tap_always, command_deadline=DEADLINE) as turn:
        app = show(turn, PAYMENT)
        asked = await turn.next(ApprovalRequested)
        asked.decision.set_result(Approval(Verdict.ONCE))
        step = await turn.next(StepFinished)
        assert "not clear whether it was done" in step.error
        again = await turn.next(ApprovalRequested, lambda event: event is not asked)
        assert "may have been done already" in again.warning
        # The screen was looked at anew, and the model was told what to look for.
        assert len(turn.model.requests) == 2
        assert "may or may not have been carried out" in turn.model.heard
        assert app.state["deeds"] == ["pay"]
        again.decision.set_result(Approval(Verdict.NO))
        await turn.state(TurnState.PAUSED)
        assert app.state["deeds"] == ["pay"]


TWO_BUTTONS = HostilePage(
    title="Order",
    lines=("Total: ¥19",),
    buttons=(
        Button(label="Details", id="go", deed="details"),
        Button(label="Pay now", id="pay", deed="pay"),
        Button(label="Delete account", id="delete", deed="delete"),
    ),
)


async def test_a_phone_that_is_turned_while_the_model_thinks_is_tapped_where_the_button_is_now(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    apps: list[HostileApp] = []
    async with staged_turn(adb_server.port, tmp_path, tap_until_done(lambda: apps[0])) as turn:
        apps.append(show(turn, TWO_BUTTONS))
        turn.model.may_answer.clear()
        await turn.model.thinking.wait()
        turn.phone.person.rotate(1)
        turn.model.may_answer.set()
        await turn.next(TurnFinished)
        assert apps[0].state["deeds"] == ["details"]


async def test_a_phone_that_is_turned_while_the_question_stands_does_what_was_asked_or_nothing(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    apps: list[HostileApp] = []

    def choose(request: StepRequest) -> Action:
        if apps[0].state["deeds"]:
            return Finished(answer="done")
        pay = next(e for e in request.observation.elements if e.resource_id.endswith("/pay"))
        return Click(point=request.observation.point(*pay.bounds.centre))

    async with staged_turn(adb_server.port, tmp_path, choose) as turn:
        apps.append(show(turn, TWO_BUTTONS))
        asked = await turn.next(ApprovalRequested)
        turn.phone.person.rotate(1)
        asked.decision.set_result(Approval(Verdict.ONCE))
        again = await turn.next(ApprovalRequested, lambda event: event is not asked)
        assert apps[0].state["deeds"] == []
        assert "The screen changed" in turn.all(StepFinished)[0].error
        again.decision.set_result(Approval(Verdict.ONCE))
        finished = await turn.next(TurnFinished)
        assert apps[0].state["deeds"] == ["pay"]
        assert len(finished.deeds) == 1
