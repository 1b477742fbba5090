from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from assistant.events import (
    Answer,
    Event,
    ScenarioChanged,
    SchedulesMissed,
    Snooze,
    SuggestionAnswered,
    SuggestionLapsed,
    SuggestionOffered,
)
from assistant.files import ProactiveLock
from assistant.memory.prototypes.repository import UserOverrides
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.phone.adb import AdbServer, Output, Shell
from assistant.proactive.schedules import RunState
from assistant.proactive.service import HEARTBEAT, ProactiveDependencies, ProactiveService, SuggestionWording
from assistant.settings.schema import ProactiveSettings, Settings
from tests.memory.prototypes.lived import MONDAY, ORDER, Hashing, record
from tests.proactive.lives import Clock

NOON = MONDAY + timedelta(days=14)
NINE = NOON.replace(hour=9, minute=0)


@dataclass
class Room:
    """A service over a store with two weeks of lunches, at lunch time."""

    service: ProactiveService
    store: Store
    clock: Clock
    told: asyncio.Queue[Event]
    busy: list[bool] = field(default_factory=lambda: [False])
    started: list[str] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    async def next(self) -> Event:
        async with asyncio.timeout(20):
            return await self.told.get()


@asynccontextmanager
async def room(
    folder: Path,
    now: datetime = NOON,
    *,
    days: int = 14,
    country: str = "",
    alone: bool = False,
    harmless: bool = True,
    words: SuggestionWording | None = None,
    heartbeat: float = HEARTBEAT,
    undo_seconds: float = 15,
    shell: Shell | None = None,
) -> AsyncIterator[Room]:
    clock, told, busy = Clock(now), asyncio.Queue[Event](), [False]
    started: list[str] = []
    begun = asyncio.Event()

    def start(suggestion_id: str, _instruction: str) -> None:
        started.append(suggestion_id)
        begun.set()

    store = Store(folder, clock)
    store.records.add(record(f"r{day}", day=day) for day in range(days))
    if alone:
        UserOverrides(store, "1").let_alone(["r3"])
    dependencies = ProactiveDependencies(
        lambda: HierarchicalMemory(store, Hashing()),
        shell=lambda: shell,
        is_turn_running=lambda: busy[0],
        start=start,
        may_auto_run=lambda _: harmless,
        word=words,
    )
    # A copy is not validated: nobody may set so short a time, but a test need not wait longer.
    proactive = ProactiveSettings(country=country).model_copy(update={"undo_seconds": undo_seconds})
    settings = Settings(store=folder, user_id="1").model_copy(update={"proactive": proactive})
    service = ProactiveService(settings, store, dependencies, clock, told.put_nowait, heartbeat=heartbeat)
    service.set_scenario("office")
    assert isinstance(told.get_nowait(), ScenarioChanged)
    service.start()
    try:
        yield Room(service, store, clock, told, busy, started, begun)
    finally:
        await service.close()
        store.close()


async def test_what_is_likely_is_offered_and_the_answer_kept(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        assert offered.instruction == ORDER
        assert any("office" in reason for reason in offered.why)
        here.service.answer(offered.id, Answer.NOT_NOW)
        answered = await here.next()
        assert isinstance(answered, SuggestionAnswered)
        assert answered.answer == "not_now"
        assert here.service.suggestions(1)[0].answer is Answer.NOT_NOW


async def test_what_is_answered_twice_has_lapsed(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        here.service.answer(offered.id, Answer.NOT_NOW)
        here.service.answer(offered.id, Answer.NEVER)
        assert isinstance(await here.next(), SuggestionAnswered)
        assert isinstance(await here.next(), SuggestionLapsed)


async def test_what_is_put_off_wakes_the_service(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        here.service.answer(offered.id, Snooze.TEN_MINUTES)
        answered = await here.next()
        assert isinstance(answered, SuggestionAnswered)
        assert (answered.answer, answered.until) == ("snoozed", NOON + timedelta(minutes=10))
        here.clock.advance(minutes=10)
        here.service.wake()
        again = await here.next()
        assert isinstance(again, SuggestionOffered)
        assert again.id == offered.id


async def test_after_a_restart_what_was_on_the_screen_is_there_again(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        before = await here.next()
    async with room(tmp_path, NOON + timedelta(minutes=5)) as here:
        after = await here.next()
        assert isinstance(before, SuggestionOffered)
        assert isinstance(after, SuggestionOffered)
        assert after.id == before.id


async def test_a_second_program_says_nothing_until_the_first_ends(tmp_path: Path) -> None:
    first = ProactiveLock(tmp_path)
    assert first.take()
    async with room(tmp_path) as here:
        await here.service.expected()
        assert here.told.empty()
        first.release()
        here.service.wake()
        assert isinstance(await here.next(), SuggestionOffered)


async def test_an_empty_memory_needs_no_embedder(tmp_path: Path) -> None:
    async with room(tmp_path, days=0) as here:
        assert await here.service.expected() == []
        assert here.told.empty()


async def test_a_memory_that_is_filled_later_has_its_moments_then(tmp_path: Path) -> None:
    async with room(tmp_path, NOON - timedelta(hours=2), days=0) as here:
        await here.service.settled()
        assert here.service.moments() == []
        here.store.records.add(record(f"r{day}", day=day) for day in range(14))
        here.service.wake()
        await here.service.settled()
        assert NOON - timedelta(minutes=30) < here.service.moments()[0] < NOON


async def test_a_country_nobody_knows_leaves_the_weekends(tmp_path: Path) -> None:
    async with room(tmp_path, country="XX") as here:
        assert isinstance(await here.next(), SuggestionOffered)


async def test_a_night_that_the_machine_slept_through_is_made_up_for(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.next()
        await here.service.settled()
        before = here.service.moments()[-1]
        here.store.records.add(record(f"r{day}", day=day) for day in (14, 15))
        here.clock.advance(days=2)
        here.service.wake()
        await here.service.settled()
        assert here.service.moments()[-1] > before


async def test_after_eight_hours_of_sleep_one_relevant_suggestion_comes(tmp_path: Path) -> None:
    async with room(tmp_path, NOON - timedelta(hours=5), days=0) as here:
        await here.service.settled()
        chores = ["Water the plants", "Read the mail", "Call the bank", "Feed the cat", "Clean the desk"]
        here.store.records.add(
            record(f"{hour}-{day}", chore, day=day, minutes=(hour - 2) * 90, item=chore, app=chore[:4])
            for day in range(6, 14)
            for hour, chore in enumerate(chores)
        )
        here.clock.advance(hours=8)
        here.service.wake()
        await here.service.settled()
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        assert offered.instruction == chores[-1]
        assert here.told.empty()
        assert len(here.service.suggestions()) == 1


async def test_a_routine_that_may_begin_by_itself_tells_when_it_does(tmp_path: Path) -> None:
    async with room(tmp_path, alone=True) as here:
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        assert offered.starts == NOON + timedelta(seconds=15)
        here.service.answer(offered.id, Snooze.TEN_MINUTES)
        await here.next()
        here.clock.advance(minutes=10)
        here.service.wake()
        again = await here.next()
        assert isinstance(again, SuggestionOffered)
        assert again.starts is None


@pytest.mark.parametrize("is_forbidden", [False, True])
async def test_a_routine_does_not_begin_that_another_program_has_forbidden_meanwhile(
    tmp_path: Path, is_forbidden: bool
) -> None:
    async with room(tmp_path, alone=True, undo_seconds=0.5) as here:
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        other = Store(tmp_path, lambda: NOON)
        if is_forbidden:
            UserOverrides(other, "1").let_alone(["r3"], alone=False)
            again = await here.next()
            assert isinstance(again, SuggestionOffered)
            assert again.starts is None
        else:
            async with asyncio.timeout(20):
                while not here.started:
                    await here.service.settled()
                    await asyncio.sleep(0)
        other.close()
        assert here.started == ([] if is_forbidden else [offered.id])


@pytest.mark.parametrize("harmless", [True, False])
async def test_a_routine_is_let_begin_by_itself_from_its_suggestion(tmp_path: Path, harmless: bool) -> None:
    async with room(tmp_path, harmless=harmless) as here:
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        assert await here.service.allow_auto_run(offered.id) is harmless
        assert await here.service.allow_auto_run("none") is False
        here.service.answer(offered.id, Answer.ACCEPTED)
        await here.next()
        here.store.records.add([record("r14", day=14)])
        here.clock.advance(days=1)
        here.service.wake()
        again = await here.next()
        assert isinstance(again, SuggestionOffered)
        assert (again.starts is not None) is harmless


@pytest.mark.parametrize(("alone", "harmless"), [(False, True), (True, False)])
async def test_nothing_begins_by_itself_that_the_user_does_not_let_or_that_is_sensitive(
    tmp_path: Path, alone: bool, harmless: bool
) -> None:
    async with room(tmp_path, alone=alone, harmless=harmless) as here:
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        assert offered.starts is None


async def test_a_schedule_begins_by_itself_and_is_noted_before_its_turn(tmp_path: Path) -> None:
    async with room(tmp_path, NINE, days=0, undo_seconds=0) as here:
        here.service.schedules.add("every day at 10:00", "order tea", here.clock(), "Asia/Shanghai")
        here.busy[0] = True
        here.clock.advance(minutes=60)
        here.service.wake()
        await here.service.settled()
        assert here.told.empty()
        here.busy[0] = False
        here.service.wake()
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        assert (offered.instruction, offered.scheduled) == ("order tea", True)
        async with asyncio.timeout(20):
            await here.begun.wait()
        assert here.started == [offered.id]
        assert here.service.note_begun(offered.id, "t1")
        assert not here.service.note_begun(offered.id, "t2")
        here.service.answer(offered.id, Answer.ACCEPTED)
        assert isinstance(await here.next(), SuggestionAnswered)
        (run,) = here.service.schedules.history()
        assert (run.state, run.turn_id) == (RunState.STARTED, "t1")


async def test_a_schedule_that_came_while_no_program_ran_is_told_and_does_not_begin(tmp_path: Path) -> None:
    async with room(tmp_path, NINE, days=0) as here:
        here.service.schedules.add("every day at 10:00", "order tea", here.clock(), "Asia/Shanghai")
    async with room(tmp_path, NINE + timedelta(days=3), days=0) as here:
        missed = await here.next()
        assert isinstance(missed, SchedulesMissed)
        assert (missed.instruction, missed.count) == ("order tea", 3)
        assert here.started == []


async def test_who_says_never_to_a_schedule_pauses_it(tmp_path: Path) -> None:
    async with room(tmp_path, NINE, days=0) as here:
        here.service.schedules.add("every day at 10:00", "order tea", here.clock(), "Asia/Shanghai")
        here.clock.advance(hours=1)
        here.service.wake()
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        here.service.answer(offered.id, Answer.NEVER)
        assert isinstance(await here.next(), SuggestionAnswered)
        assert here.service.schedules.all()[0].paused
        assert here.service.schedules.history()[0].state is RunState.SKIPPED


class NotifiedShell(Shell):
    """A shell on a phone that prints some notifications, and nothing else."""

    def __init__(self, printed: str = "") -> None:
        super().__init__(AdbServer(), "none", 1.0)
        self.printed = printed

    async def run(self, command: str, deadline: float | None = None) -> Output:
        return Output(0, self.printed.encode() if "dumpsys notification" in command else b"", b"")


def noted(title: str) -> str:
    return (
        "    NotificationRecord(0x07eef771: pkg=com.android.mms user=UserHandle{0} id=3 tag=null "
        f"key=0|mms|3|null|1: Notification(channel=a category=msg))\n  android.title={title}\n"
    )


async def test_a_message_begins_the_schedule_that_waits_for_its_sender(tmp_path: Path) -> None:
    shell = NotifiedShell(noted("String (Anna)"))
    async with room(tmp_path, NINE, days=0, shell=shell, undo_seconds=0) as here:
        here.service.schedules.add("when the bank texts", "read me the balance", NINE)
        await here.service.settled()
        here.service.wake()
        await here.service.settled()
        assert here.started == []
        shell.printed += noted("String (First Bank)").replace("|3|", "|4|")
        here.service.wake()
        await here.service.settled()
        async with asyncio.timeout(20):
            await here.begun.wait()
        assert len(here.started) == 1


async def test_a_phone_that_hides_who_writes_is_told_as_missed(tmp_path: Path) -> None:
    async with room(tmp_path, NINE, days=0, shell=NotifiedShell(noted("String [length=4]"))) as here:
        here.service.schedules.add("when the bank texts", "read me the balance", NINE)
        here.service.wake()
        told = await here.next()
        assert isinstance(told, SchedulesMissed)
        assert "notifications" in told.reason
        assert here.started == []
