"""Turns side by side on two simulated phones, through real adb, in one interface."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from textual.pilot import Pilot

from assistant.engine import Engine
from assistant.events import TurnState
from assistant.phone.adb import AdbServer
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.model.options import ModelOptions
from assistant.simulator.model.server import ScriptedModel
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from assistant.tui.app import AssistantApp
from tests.tui.scripted import Clock
from tests.worlds import DENSITY, SIZE, START, settings_for

OPTIONS = PhoneOptions(start=START, size=SIZE, density=DENSITY)


@dataclass
class Bench:
    """The interface of an engine with two phones; the first is in use."""

    app: AssistantApp
    pilot: Pilot[None]
    engine: Engine
    clock: Clock
    first: SimulatedPhone
    second: SimulatedPhone

    @property
    def text(self) -> str:
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    async def until(self, holds: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(60):
                while not holds():
                    await self.pilot.pause()
        except TimeoutError:
            raise AssertionError(self.text) from None

    async def send(self, line: str) -> None:
        self.app.main.input.focus()
        self.app.main.input.insert(line)
        await self.pilot.pause()
        await self.pilot.press("enter")
        await self.pilot.pause()

    async def use(self, phone: SimulatedPhone) -> None:
        """Choose a phone from the list, as a user does."""
        await self.send("/phones")
        await self.until(lambda: "enter uses one" in self.text)
        screen = self.app.screen
        serials = [status.serial for status in screen._phones]  # type: ignore[attr-defined]
        screen.query_one("#phones-list").highlighted = serials.index(phone.serial)  # type: ignore[attr-defined]
        await self.pilot.press("enter")
        await self.until(lambda: self.engine.front_phone == phone.serial and not self.engine.is_searching)

    async def answer(self, key: str) -> None:
        """Answer the open list, after the time in which keys do not count."""
        self.clock.advance(5)
        self.app.main.decision.answers.focus()
        await self.pilot.press(key, "enter")
        await self.pilot.pause()


@asynccontextmanager
async def open_bench(adb_port: int, store: Path) -> AsyncIterator[Bench]:
    adb = AdbServer("127.0.0.1", adb_port)
    async with (
        SimulatedPhone(OPTIONS) as first,
        SimulatedPhone(OPTIONS) as second,
        ScriptedModel(ModelOptions()) as model,
    ):
        for phone in (first, second):
            await adb.connect(phone.serial)
        settings, clock = settings_for(first, model, adb_port, store), Clock()
        engine = Engine(settings, now=lambda: datetime.now(START.tzinfo))
        app = AssistantApp(engine, clock)
        try:
            async with app.run_test(size=(120, 45)) as pilot:
                bench = Bench(app, pilot, engine, clock, first, second)
                await bench.until(lambda: engine.current_phone is not None and not engine.is_searching)
                yield bench
        finally:
            await engine.close()
            for phone in (first, second):
                await adb.disconnect(phone.serial)


def sent_to_mom(phone: SimulatedPhone) -> str:
    return str(phone.state()["apps"]["com.example.chat"]["messages"]["Mom"][-1]["text"])


def is_dark(phone: SimulatedPhone) -> bool:
    values: dict[str, str] = phone.state()["apps"]["com.android.settings"]["values"]
    return values.get("dark_mode") == "1"


async def test_one_turn_waits_at_an_approval_while_another_phone_finishes_its_own(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with open_bench(adb_server.port, tmp_path) as bench:
        main = bench.app.main
        await bench.send("text Mom that I'll be late")
        await bench.until(lambda: "Send or call?" in bench.text)
        await bench.use(bench.second)
        assert "Send or call?" not in bench.text
        line = next(line for line in bench.text.splitlines() if bench.first.serial in line)
        assert "text Mom that I'll be late" in line
        assert "Needs your approval" in line
        await bench.send("turn on dark mode")
        await bench.until(lambda: is_dark(bench.second) and bench.engine.state is None)
        assert not is_dark(bench.first)
        assert "late" not in sent_to_mom(bench.first)
        assert main.decision.prompt is None
        await bench.send("/turns")
        await bench.until(lambda: bench.engine.front_phone == bench.first.serial)
        await bench.until(lambda: main.turn.record.said == "text Mom that I'll be late")
        await bench.until(lambda: "Send or call?" in bench.text)
        await bench.answer("1")
        await bench.until(lambda: not bench.engine.is_busy)
        assert "late" in sent_to_mom(bench.first)
        assert "late" not in sent_to_mom(bench.second)


async def test_escape_stops_only_the_turn_in_front(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    async with open_bench(adb_server.port, tmp_path) as bench:
        await bench.send("text Mom that I'll be late")
        await bench.until(lambda: "Send or call?" in bench.text)
        await bench.use(bench.second)
        await bench.send("text Dad that I'll be late")
        await bench.until(lambda: bench.engine.state is TurnState.WAITING)
        bench.app.main.input.focus()
        await bench.pilot.press("escape")
        await bench.until(lambda: bench.engine.state is TurnState.PAUSED)
        await bench.pilot.press("escape")
        await bench.until(lambda: bench.engine.state is None)
        await bench.send("/turns")
        await bench.until(lambda: bench.engine.front_phone == bench.first.serial)
        assert bench.engine.state is TurnState.WAITING
        await bench.until(lambda: "Send or call?" in bench.text)
        await bench.answer("1")
        await bench.until(lambda: not bench.engine.is_busy)
        assert "late" in sent_to_mom(bench.first)
        assert "late" not in sent_to_mom(bench.second)
        chats = bench.second.state()["apps"]["com.example.chat"]["messages"]
        assert "late" not in str(chats.get("Dad", ""))


async def test_a_yes_begun_for_a_phone_neither_answers_another_nor_stays_for_its_next_command(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with open_bench(adb_server.port, tmp_path) as bench:
        main = bench.app.main
        await bench.send("text Mom that I'll be late")
        await bench.until(lambda: "Send or call?" in bench.text)
        main.input.focus()
        main.input.insert("yes")
        await bench.pilot.pause()
        bench.engine.switch_phone(bench.second.serial)
        main.show_front()
        assert main.input.text == ""
        main.input.insert("yes")
        await bench.pilot.pause()
        bench.clock.advance(1.5)
        main.input.insert("turn on dark mode")
        await bench.pilot.pause()
        assert main.input.text == "turn on dark mode"
        bench.engine.switch_phone(bench.first.serial)
        main.show_front()
        await bench.until(lambda: "Send or call?" in bench.text)
        assert bench.engine.state is TurnState.WAITING
        assert "late" not in sent_to_mom(bench.first)
