"""Turns that repeat steps by finds, on pages that change between the look and the tap, or come late."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from assistant.events import StepFinished
from assistant.memory.turns import Checkpoint
from assistant.phone.screen import Observer
from assistant.phone.screen_sources import ElementFinds
from assistant.records import Action, Click, Observation, OpenApp, Outcome, Source
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.apps.host import Dialog
from assistant.simulator.phone import SimulatedPhone
from assistant.skills.screen_tree import key_of
from assistant.skills.skill_step import AwaitedTarget, Proposal, find_witness
from tests.turn_fixture import StagedTurn, on_text, script, staged_turn
from tests.worlds import LIMIT

CHAT = "com.example.chat"
Happen = Callable[[SimulatedPhone], None]


@dataclass
class Repeats:
    """An action memory that opens Chat and taps on a row, and then has nothing more to say.

    `opens` on the phone before Chat is opened, `happens` on it while the tap is chosen, once. `pages` are
    those on which it was asked.
    """

    phone: SimulatedPhone | None = None
    happens: Happen = lambda phone: None
    opens: Happen = lambda phone: None
    row: str = ""
    awaited: AwaitedTarget | None = None
    pages: list[Observation] = field(default_factory=list)

    async def opens_app(self, checkpoint: Checkpoint) -> bool:
        return False

    async def types_next(self, checkpoint: Checkpoint, seen: Observation) -> bool:
        return False

    async def propose(
        self, checkpoint: Checkpoint, observation: Observation, will_ask: Callable[[Action], bool]
    ) -> Proposal | None:
        self.pages.append(observation)
        assert self.phone is not None
        if not checkpoint.steps:
            self.opens(self.phone)
            return Proposal(OpenApp(name="Chat"), awaits=lambda: self.awaited)
        if observation.app.package != CHAT or any(e.editable for e in observation.elements):
            return None
        try:
            tap = on_text(self.row)(observation)
        except StopIteration:
            return None
        happens, self.happens = self.happens, lambda phone: None
        happens(self.phone)
        return Proposal(tap)


def last_goes_first(phone: SimulatedPhone) -> None:
    """Let the last conversation be pinned: its row takes the first place, and all others go down."""
    chat = next(app for app in phone.windows.apps() if app.package == CHAT)
    names = [name for name, messages in chat.state["messages"].items() if messages]
    times = {name: str(chat.state["messages"][name][-1]["time"]) for name in names}
    chat.state["pinned"].append(min(names, key=lambda name: times[name]))
    phone.windows.changed()


def ask_for_stars(phone: SimulatedPhone) -> None:
    """Let a dialog come over the page."""
    with phone.windows.desk.running(CHAT):
        phone.windows.desk.show(Dialog("Do you like Chat?", buttons=[("Subscribe", lambda: None)] * 9))


def empty_for_a_moment(phone: SimulatedPhone) -> None:
    """Let the rows of Chat come a moment after the page."""
    chat = next(app for app in phone.windows.apps() if app.package == CHAT)
    messages = chat.state["messages"]
    chat.state["messages"] = {name: [] for name in messages}

    def fill() -> None:
        chat.state["messages"] = messages
        phone.windows.changed()

    asyncio.get_running_loop().call_later(0.8, fill)


async def first_row(port: int, folder: Path) -> str:
    """The name in the first row of Chat."""
    async with staged_turn(port, folder, script(OpenApp(name="Chat"))) as staged:
        await asyncio.wait_for(staged.running, LIMIT)
        seen = staged.model.requests[-1].observation
    rows = [e for e in seen.elements if e.resource_id.endswith("/title") and e.bounds.top > 120]
    return min(rows, key=lambda e: e.bounds.top).text


def tapped(staged: StagedTurn) -> list[tuple[str, str]]:
    """What was tapped from memory, and why not."""
    return [
        (step.action.target.name.split(" · ")[0] if step.action.target else "", step.error)
        for step in staged.all(StepFinished)
        if isinstance(step.action, Click) and step.source is Source.REPLAYED
    ]


@pytest.fixture
def stands(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """What finds told right before taps, where no picture is so fresh that nothing is asked."""
    told: list[bool] = []
    ask = ElementFinds.stands

    async def noted(finds: ElementFinds, *elements: object) -> bool:
        told.append(await ask(finds, *elements))  # type: ignore[arg-type]
        return told[-1]

    monkeypatch.setattr(ElementFinds, "stands", noted)
    monkeypatch.setattr(Observer, "is_fresh", lambda observer, seen: False)
    return told


@pytest.mark.parametrize("happens", [None, last_goes_first, ask_for_stars])
async def test_never_a_tap_on_what_moved_away_or_is_covered(
    adb_server: PrivateAdbServer, tmp_path: Path, stands: list[bool], happens: Happen | None
) -> None:
    row = await first_row(adb_server.port, tmp_path / "first")
    memory = Repeats(row=row)
    memory.happens = happens or memory.happens
    async with staged_turn(
        adb_server.port, tmp_path / "turn", script(), helper=True, action_memory=memory
    ) as staged:
        memory.phone = staged.phone
        assert await asyncio.wait_for(staged.running, LIMIT) is Outcome.FAILED, "its script is over"
        taps = tapped(staged)
        texts = [element.text for element in memory.pages[-1].elements]
    assert stands[:1] == [happens is None]
    if happens is None:
        assert taps == [(row, "")]
        assert row in texts
        return
    assert taps[0][1], "it was not done"
    assert all(name == row for name, error in taps if not error)


async def test_the_page_of_the_next_step_is_waited_for_by_finds(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    row = await first_row(adb_server.port, tmp_path / "first")
    async with staged_turn(adb_server.port, tmp_path / "page", script(OpenApp(name="Chat"))) as staged:
        await asyncio.wait_for(staged.running, LIMIT)
        page = staged.model.requests[-1].observation
    tap = on_text(row)(page)
    assert isinstance(tap, Click)
    element = find_witness(page, tap.point)
    assert element is not None
    memory = Repeats(row=row, awaited=AwaitedTarget(element, key_of(page)))
    memory.opens = empty_for_a_moment
    async with staged_turn(
        adb_server.port, tmp_path / "turn", script(), helper=True, action_memory=memory
    ) as staged:
        memory.phone = staged.phone
        await asyncio.wait_for(staged.running, LIMIT)
        taps = tapped(staged)
    assert taps == [(row, "")]
    assert len(memory.pages) == 3, "memory was not asked about the page that was still empty"
