"""A command that names a time to come is begun at that time, or now only where the user says so."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant import command_resolver
from assistant.agent.context import AppLookup, ResolvedCommand
from assistant.command_resolver import PersonalCommandResolver
from assistant.memory.store import Store, open_store
from assistant.proactive.schedules import Schedules
from assistant.records import State
from assistant.settings.schema import Settings
from tests.understand.memories import memory

NOW = datetime(2026, 11, 24, 15, 20, tzinfo=UTC)
"""A Tuesday."""


@dataclass
class Case:
    """A resolver, and a user who gives these answers."""

    store: Store
    resolver: PersonalCommandResolver
    answers: list[str] = field(default_factory=list)
    asked: list[tuple[str, ...]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    async def meant(self, said: str) -> ResolvedCommand:
        async def look(lookup: AppLookup) -> str:
            return ""

        async def ask(question: str, choices: Sequence[str], /, **how: object) -> str:
            self.asked.append(tuple(choices))
            self.questions.append(question)
            return self.answers.pop(0) if self.answers else ""

        return await self.resolver(said, look, ask)

    @property
    def scheduled(self) -> list[tuple[str, str]]:
        return [
            (f"{schedule.rule.at:%a %H:%M}" if schedule.rule.at else "", schedule.instruction)
            for schedule in Schedules(self.store, "user").all()
        ]


@asynccontextmanager
async def case(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *answers: str, asks: bool = True
) -> AsyncIterator[Case]:
    monkeypatch.setattr(command_resolver, "open_memory", lambda *_: memory())
    monkeypatch.setattr(PersonalCommandResolver, "embedder", lambda self: None)
    settings = Settings(store=folder, user_id="user").overridden({"understanding": {"asks": asks}})
    store = open_store(settings, lambda: NOW)
    try:
        resolver = PersonalCommandResolver(
            settings, store, lambda: State(time=NOW), lambda: (), lambda _: None
        )
        yield Case(store, resolver, list(answers))
    finally:
        store.close()


@pytest.mark.parametrize(
    "said", ["on friday at 9am switch off the 14:00 alarm", "friday 9am turn off the 14:00 alarm"]
)
async def test_an_alarm_is_switched_off_at_the_time_that_is_said_for_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    async with case(tmp_path, monkeypatch) as turn:
        assert (await turn.meant(said)).is_put_off
        assert turn.asked == []  # It stands first, and nothing else there has a time.
        assert turn.scheduled == [("Fri 09:00", said[said.index("9am") + 4 :])]


async def test_times_that_come_again_may_be_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with case(tmp_path, monkeypatch, "every morning from tomorrow") as turn:
        assert (await turn.meant("order two pizzas tomorrow at 7am")).is_put_off
        assert turn.scheduled == [("", "order two pizzas")]
        assert [each.times for each in Schedules(turn.store, "user").all()] == ["every morning at 07:00"]


async def test_a_chosen_time_is_scheduled_and_nothing_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with case(tmp_path, monkeypatch, "Wed 25 Nov 19:00") as turn:
        resolved = await turn.meant("order two pizzas tomorrow at 7pm")
        told = resolved.not_begun
        assert resolved.is_put_off
        assert turn.asked == [("Wed 25 Nov 19:00", "now: the time is a part of it")]
        assert turn.scheduled == [("Wed 19:00", "order two pizzas")]
        assert told == "Put off until Wed 25 Nov 19:00: order two pizzas."


async def test_on_a_day_alone_usual_moments_are_offered_before_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with case(tmp_path, monkeypatch, "Sat 28 Nov 18:00") as turn:
        assert (await turn.meant("on saturday ring the bank")).not_begun
        times = ("Sat 28 Nov 09:00", "Sat 28 Nov 12:00", "Sat 28 Nov 18:00")
        assert turn.asked == [(*times, "now: the time is a part of it")]
        assert turn.scheduled == [("Sat 18:00", "ring the bank")]


@pytest.mark.parametrize("day", ["Thu 3 Dec", "on december 3"])
async def test_of_a_day_that_can_be_two_both_are_offered_and_then_the_hours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, day: str
) -> None:
    async with case(tmp_path, monkeypatch, day, "at 19:30") as turn:
        assert (await turn.meant("next thursday ring the plumber")).not_begun
        assert turn.asked[0] == ("Thu 26 Nov", "Thu 3 Dec", "now: the time is a part of it")
        assert turn.asked[1][:2] == ("Thu 03 Dec 09:00", "Thu 03 Dec 12:00")
        assert turn.scheduled == [("Thu 19:30", "ring the plumber")]
        assert Schedules(turn.store, "user").all()[0].rule.at == datetime(2026, 12, 3, 19, 30)


async def test_a_day_that_nobody_chose_begins_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with case(tmp_path, monkeypatch, "at 6", "at 6", "at 6") as turn:
        assert (await turn.meant("next month ring the plumber")).not_begun.startswith("Nothing was begun")
        assert turn.scheduled == []


async def test_an_hour_that_can_be_two_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with case(tmp_path, monkeypatch, "at 7", "Wed 25 Nov 19:00") as turn:
        assert (await turn.meant("order two pizzas tomorrow")).not_begun
        assert turn.asked[1][:2] == ("Wed 25 Nov 07:00", "Wed 25 Nov 19:00")
        assert turn.scheduled == [("Wed 19:00", "order two pizzas")]


@pytest.mark.parametrize("answer", ["now: the time is a part of it", "right now"])
async def test_now_begins_it_as_it_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    async with case(tmp_path, monkeypatch, answer) as turn:
        resolved = await turn.meant("order two pizzas tomorrow at 7pm")
        assert (resolved.not_begun, resolved.instruction) == ("", "order two pizzas tomorrow at 7pm")
        assert turn.scheduled == []


@pytest.mark.parametrize("answers", [(), ("hm", "why?", "which one is cheaper?")])
async def test_without_an_answer_nothing_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: Sequence[str]
) -> None:
    async with case(tmp_path, monkeypatch, *answers) as turn:
        assert (await turn.meant("ring the dentist later")).not_begun.startswith("Nothing was begun")
        assert turn.scheduled == []


async def test_where_nothing_may_be_asked_nothing_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with case(tmp_path, monkeypatch, asks=False) as turn:
        assert (await turn.meant("order two pizzas tomorrow at 7pm")).not_begun
        assert turn.asked == []


async def test_what_names_no_time_to_come_is_not_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with case(tmp_path, monkeypatch) as turn:
        for said in ("order two pizzas", "set an alarm for 6:45 tomorrow"):
            assert not (await turn.meant(said)).not_begun
        assert "seems to order nothing" in (await turn.meant("I was tired on friday")).not_begun
        assert turn.scheduled == []


async def test_a_reminder_after_a_while_reaches_the_phone_with_its_time_of_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with case(tmp_path, monkeypatch) as turn:
        begins = NOW + timedelta(hours=2)
        for said in ("in 2 hours remind me to water the plants", "remind me to water the plants in 2 hours"):
            resolved = await turn.meant(said)
            assert not resolved.not_begun
            assert resolved.instruction == f"remind me to water the plants at {begins:%H:%M}"
        assert turn.scheduled == []


async def test_an_answer_that_tells_no_time_is_asked_again_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with case(tmp_path, monkeypatch, "my {old} aunt Rosa", "Wed 25 Nov 19:00") as turn:
        assert (await turn.meant("order two pizzas tomorrow at 7pm")).is_put_off
        assert turn.questions[1].startswith("“my {old} aunt Rosa” is no time.")


@pytest.mark.parametrize("answer", ["at 8 in the evening", "8 pm", "20:00", "晚上八点"])
async def test_another_time_of_that_day_may_be_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    async with case(tmp_path, monkeypatch, answer) as turn:
        assert (await turn.meant("order two pizzas tomorrow at 7pm")).is_put_off
        assert turn.scheduled == [("Wed 20:00", "order two pizzas")]
