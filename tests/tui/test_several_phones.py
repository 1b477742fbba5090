"""Turns side by side on two simulated phones, through real adb, in one interface."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from assistant.engine import Engine
from assistant.events import TurnState
from assistant.phone.adb import AdbServer
from assistant.presentation.prompts import ApprovalPrompt, ContinuePrompt
from assistant.settings.schema import Settings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.model.options import ModelOptions
from assistant.simulator.model.server import ScriptedModel
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from assistant.tui.app import AssistantApp
from assistant.tui.widgets.command_input import CommandInput
from tests.tui.killed_program import run_until_killed
from tests.tui.scripted import Clock
from tests.worlds import DENSITY, SIZE, START, settings_for

OPTIONS = PhoneOptions(start=START, size=SIZE, density=DENSITY)
pytestmark = pytest.mark.timeout(400)

_LIMIT = 120.0
"""Seconds that only what hangs takes: a program that starts on a busy machine has taken more than 60."""
_LOOK_AGAIN = 0.2
"""Seconds between two looks at what phones and model do meanwhile: each draws the whole screen."""

_PATIENT = {"model": {"stall_timeout": 20.0}}
"""Two phones, their model and the interface share a loop, in which a reply may take longer than a second."""


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
            async with asyncio.timeout(_LIMIT):
                while not holds():
                    await self.pilot.pause(_LOOK_AGAIN)
                # What is seen may be drawn before all messages about it were handled.
                await self.pilot.pause()
        except TimeoutError:
            raise AssertionError(self.text) from None

    async def send(self, line: str) -> None:
        self.app.main.input.focus()
        self.app.main.input.insert(line)
        await self.pilot.pause()
        await self.pilot.press("enter")
        await self.pilot.pause()

    def is_sent(self, serial: str) -> bool:
        """Whether a phone has sent its message: the first one's is for Mom, the second one's for Dad."""
        phone, name = (self.first, "Mom") if serial == self.first.serial else (self.second, "Dad")
        return late_messages(phone, name) > 0

    async def use(self, phone: SimulatedPhone) -> None:
        """Choose a phone from the list, as a user does."""
        await self.send("/phones")
        await self.until(lambda: "enter uses one" in self.text)
        screen: Any = self.app.screen
        serials = [status.serial for status in screen._phones]
        screen.query_one("#phones-list").highlighted = serials.index(phone.serial)
        await self.pilot.press("enter")
        await self.until(lambda: self.engine.front_phone == phone.serial and not self.engine.is_searching)

    async def answer(self, key: str) -> None:
        """Answer the open list, after the time in which keys do not count."""
        self.clock.advance(5)
        self.app.main.decision.answers.focus()
        await self.pilot.press(key, "enter")
        await self.pilot.pause()


@asynccontextmanager
async def open_phones(
    adb_port: int, store: Path
) -> AsyncIterator[tuple[Settings, SimulatedPhone, SimulatedPhone]]:
    adb = AdbServer("127.0.0.1", adb_port)
    async with (
        SimulatedPhone(OPTIONS) as first,
        SimulatedPhone(OPTIONS) as second,
        ScriptedModel(ModelOptions()) as model,
    ):
        for phone in (first, second):
            await adb.connect(phone.serial)
        try:
            settings = settings_for(first, model, adb_port, store).overridden(_PATIENT)
            yield settings, first, second
        finally:
            for phone in (first, second):
                await adb.disconnect(phone.serial)


@asynccontextmanager
async def open_app(settings: Settings, first: SimulatedPhone, second: SimulatedPhone) -> AsyncIterator[Bench]:
    engine, clock = Engine(settings, now=now), Clock()
    app = AssistantApp(engine, clock)
    try:
        async with app.run_test(size=(120, 45)) as pilot:
            bench = Bench(app, pilot, engine, clock, first, second)
            await bench.until(lambda: engine.current_phone is not None and not engine.is_searching)
            yield bench
    finally:
        await engine.close()


@asynccontextmanager
async def open_bench(adb_port: int, store: Path) -> AsyncIterator[Bench]:
    async with open_phones(adb_port, store) as phones, open_app(*phones) as bench:
        yield bench


def now() -> datetime:
    return datetime.now(START.tzinfo)


def late_messages(phone: SimulatedPhone, name: str) -> int:
    """How many messages to somebody say that the user is late."""
    messages = phone.state()["apps"]["com.example.chat"]["messages"].get(name, ())
    return sum("late" in message["text"] for message in messages)


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


async def test_a_command_behind_a_phones_name_runs_there_while_the_other_turn_waits(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with open_bench(adb_server.port, tmp_path) as bench:
        await bench.send("text Mom that I'll be late")
        await bench.until(lambda: "Send or call?" in bench.text)
        await bench.send(f"@{bench.second.serial} turn on dark mode")
        await bench.until(lambda: is_dark(bench.second) and bench.engine.state is None)
        assert bench.engine.front_phone == bench.second.serial
        assert not is_dark(bench.first)
        await bench.send(f"@{bench.first.serial}")
        await bench.until(lambda: "Send or call?" in bench.text)
        assert bench.engine.state is TurnState.WAITING
        assert late_messages(bench.first, "Mom") == 0


async def test_the_queues_of_two_phones_survive_a_restart_each_for_its_own_phone(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with open_phones(adb_server.port, tmp_path) as phones:
        _settings, first, second = phones
        async with open_app(*phones) as bench:
            bench.engine.command_queue.add("turn on dark mode")
            await bench.use(second)
            bench.engine.command_queue.add("text Mom that I'll be late")
            await bench.use(first)
        async with open_app(*phones) as bench:
            await bench.until(lambda: f"@{second.serial} text Mom" in bench.text)
            assert "turn on dark mode" in bench.text
            assert bench.engine.state is None
            await bench.send("/queue")
            await bench.pilot.press("enter")
            await bench.until(lambda: is_dark(first))
            await bench.until(lambda: "Send or call?" in bench.text)
            assert bench.engine.front_phone == second.serial
            await bench.answer("1")
            await bench.until(lambda: not bench.engine.is_busy)
            assert (late_messages(first, "Mom"), late_messages(second, "Mom")) == (0, 1)
            assert not is_dark(second)


async def test_turns_on_two_phones_that_were_left_go_on_each_on_its_own_and_do_nothing_twice(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with open_phones(adb_server.port, tmp_path) as phones:
        _settings, first, second = phones
        async with open_app(*phones) as bench:
            await bench.send("text Mom that I'll be late")
            await bench.until(lambda: "Send or call?" in bench.text)
            await bench.send(f"@{second.serial} text Dad that I'll be late")
            await bench.until(lambda: "Send or call?" in bench.text and "to Dad" in bench.text)
            await bench.answer("1")
            await bench.pilot.press("ctrl+q")
        async with open_app(*phones) as bench:
            await continue_all(bench)
        assert (late_messages(first, "Mom"), late_messages(first, "Dad")) == (1, 0)
        assert (late_messages(second, "Mom"), late_messages(second, "Dad")) == (0, 1)


async def test_turns_on_two_phones_that_were_killed_go_on_each_on_its_own_and_do_nothing_twice(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with open_phones(adb_server.port, tmp_path) as phones:
        settings, first, second = phones
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        program = context.Process(
            target=run_until_killed, args=(settings, first.serial, second.serial, START, theirs)
        )
        program.start()
        try:
            assert await asyncio.to_thread(ours.poll, _LIMIT)
        finally:
            program.kill()
            program.join()
        async with open_app(*phones) as bench:
            await continue_all(bench)
        assert (late_messages(first, "Mom"), late_messages(first, "Dad")) == (1, 0)
        assert (late_messages(second, "Mom"), late_messages(second, "Dad")) == (0, 1)


async def continue_all(bench: Bench) -> None:
    """Continue what is offered, and answer as a person does who looks at both phones."""
    main = bench.app.main
    serials = (bench.first.serial, bench.second.serial)
    await bench.until(lambda: "Left unfinished" in bench.text)
    try:
        async with asyncio.timeout(2 * _LIMIT):
            # Between the two turns there may be a moment at which none runs and nothing is asked.
            while (
                main.decision.prompt is not None
                or bench.engine.is_busy
                or not all(map(bench.is_sent, serials))
            ):
                prompt = main.decision.prompt
                if bench.engine.state is not None and bench.engine.state.final:
                    pass  # Nobody answers within the moment in which a turn ends.
                elif prompt is not None and prompt.settled.done():
                    pass  # It was answered: a key would reach the prompt that comes next.
                elif isinstance(prompt, ContinuePrompt):
                    await bench.answer("1")
                elif isinstance(prompt, ApprovalPrompt):
                    await bench.answer("2" if bench.is_sent(prompt.event.turn_phone) else "1")
                elif bench.engine.state is TurnState.PAUSED:
                    # A no pauses it, and so does a model or a phone that is slow to answer.
                    stop_or_go_on = (
                        bench.engine.cancel
                        if bench.is_sent(bench.engine.front_phone)
                        else bench.engine.resume
                    )
                    stop_or_go_on()
                elif prompt is None and bench.engine.state is None:
                    await bench.send("/turns")
                await bench.pilot.pause(_LOOK_AGAIN)
    except TimeoutError:
        raise AssertionError(bench.text) from None


async def test_a_turn_that_is_left_while_a_line_is_asked_about_goes_on(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with open_bench(adb_server.port, tmp_path) as bench:
        main = bench.app.main
        # The second line comes before the turn has got as far as its approval.
        for line in ("text Mom that I'll be late", "call Dad"):
            main.input.post_message(CommandInput.Sent(line, line))
        await bench.until(lambda: "“call Dad”: for the running turn" in bench.text)
        await bench.use(bench.second)
        assert "Left out: another phone is shown." in bench.text
        await bench.until(lambda: "Needs your approval" in bench.text)
        assert late_messages(bench.first, "Mom") == 0
