"""A suggestion that waits follows the memory behind it, through the store that people change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from assistant.events import Answer, Event, Snooze, SuggestionAnswered, SuggestionLapsed, SuggestionOffered
from assistant.memory.forgetting import forget
from assistant.memory.prototypes.model import read_window
from assistant.memory.prototypes.repository import UserOverrides
from assistant.memory.store import Store
from assistant.proactive.offers import update_from_memory
from assistant.proactive.suggestions import Suggestion, make_suggestion
from assistant.records import State
from tests.memory.prototypes.lived import COFFEE, ORDER, record
from tests.proactive.lives import daily, habits
from tests.proactive.test_service import NOON, Room, room

from .test_offers import EIGHT

TOMATO = "Order tomato egg noodles on Eats"
MEMBERS = [f"r{day}" for day in range(14)]


@dataclass
class Waiting:
    """A room in which a suggestion waits, and what is done to the memory behind it."""

    room: Room
    id: str

    @property
    def decisions(self) -> UserOverrides:
        return UserOverrides(self.room.store, "1")

    async def changed(self) -> list[Event]:
        """What is told once the change is seen."""
        self.room.service.wake()
        await self.room.service.settled()
        return [self.room.told.get_nowait() for _ in range(self.room.told.qsize())]

    @property
    def anchor(self) -> str:
        return self.room.service.suggestions(1)[0].anchor

    @property
    def members(self) -> list[str]:
        return [self.anchor, *(one for one in MEMBERS if one != self.anchor)]


@asynccontextmanager
async def waiting(folder: Path, now: datetime = NOON, **how: Any) -> AsyncIterator[Waiting]:
    async with room(folder, now, **how) as here:
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        assert offered.instruction == ORDER
        await here.service.settled()
        yield Waiting(here, offered.id)


def words(told: list[Event], waits: Waiting) -> str:
    """The words in which the suggestion that waits is told again."""
    (again,) = told
    assert isinstance(again, SuggestionOffered)
    assert again.id == waits.id
    kept = waits.room.service.find_accepted(waits.id)
    assert kept is not None
    assert kept.instruction == again.instruction
    return again.instruction


async def test_it_takes_the_words_of_an_edited_routine_and_back_when_that_is_undone(tmp_path: Path) -> None:
    async with waiting(tmp_path) as waits:
        assert await waits.changed() == []
        waits.decisions.rename(waits.members, TOMATO)
        assert words(await waits.changed(), waits) == TOMATO
        assert await waits.changed() == []
        waits.room.store.undo()
        assert words(await waits.changed(), waits) == ORDER
        waits.room.store.redo()
        assert words(await waits.changed(), waits) == TOMATO
        waits.room.service.answer(waits.id, Answer.ACCEPTED)
        (answered,) = await waits.changed()
        assert isinstance(answered, SuggestionAnswered)


async def test_it_takes_the_words_of_an_edited_record(tmp_path: Path) -> None:
    async with waiting(tmp_path) as waits:
        for one in MEMBERS:
            waits.room.store.records.edit(one, {"instruction": TOMATO}, "asked by the user")
        assert words(await waits.changed(), waits) == TOMATO


async def test_merged_into_another_it_takes_the_words_and_the_reasons_of_both(tmp_path: Path) -> None:
    async with waiting(tmp_path) as waits:
        others = [f"c{day}" for day in range(13)]
        waits.room.store.records.add(
            record(one, COFFEE, day=day, app="Beans", item="flat white") for day, one in enumerate(others)
        )
        assert await waits.changed() == []
        waits.decisions.merge(others, waits.members)
        (again,) = await waits.changed()
        assert isinstance(again, SuggestionOffered)
        assert again.id == waits.id
        assert again.instruction in (ORDER, COFFEE)
        assert "27 of 27 times" in again.why[0]


@pytest.mark.parametrize("way", ["hidden", "forgotten"])
async def test_it_lapses_where_it_would_not_be_made_any_more(tmp_path: Path, way: str) -> None:
    async with waiting(tmp_path) as waits:
        if way == "hidden":
            waits.decisions.hide(waits.members)
        else:
            forget(waits.room.store, MEMBERS)
        (over,) = await waits.changed()
        assert isinstance(over, SuggestionLapsed)
        assert over.id == waits.id
        assert waits.room.service.find_accepted(waits.id) is None
        assert await waits.changed() == []


async def test_it_lapses_when_a_turn_has_done_the_same(tmp_path: Path) -> None:
    async with waiting(tmp_path) as waits:
        waits.room.store.records.add([record("turn", "order beef noodles on Eats please", day=14, minutes=3)])
        (over,) = await waits.changed()
        assert isinstance(over, SuggestionLapsed)
        assert over.id == waits.id
        assert waits.room.service.suggestions(1)[0].answer is Answer.DONE


def test_it_is_renewed_as_it_would_have_been_made() -> None:
    tea = daily("tea", time(8))
    (made,) = [
        make_suggestion(one, "tea-1", "office", EIGHT)
        for one in habits(tea).judge(State(time=EIGHT, scenario="office"), 0.5)
    ]
    assert update_from_memory(made, made.instruction, [daily("walk", time(18)), tea]) == made
    for gone in (
        replace(tea, hidden=True),
        replace(tea, place="residence"),
        replace(tea, window=read_window("18:00-19:00")),
        replace(tea, id="other", members=tea.members[1:]),
    ):
        assert update_from_memory(made, made.instruction, [gone]) is None
    known = replace(tea, members=tea.members[3:], centre_id="tea-4", instruction="Do green tea")
    fresh = update_from_memory(made, made.instruction, [known])
    assert fresh is not None
    assert (fresh.anchor, fresh.instruction, "tea-1" in fresh.evidence) == ("tea-4", "Do green tea", False)


async def test_what_is_put_off_comes_again_in_the_new_words(tmp_path: Path) -> None:
    async with waiting(tmp_path) as waits:
        waits.room.service.answer(waits.id, Snooze.TEN_MINUTES)
        assert isinstance((await waits.changed())[0], SuggestionAnswered)
        waits.decisions.rename(waits.members, TOMATO)
        assert await waits.changed() == []
        waits.room.clock.advance(minutes=10)
        assert words(await waits.changed(), waits) == TOMATO


@pytest.mark.parametrize("answer", [Answer.NOT_NOW, None])
async def test_answered_or_put_off_while_a_model_leaves_its_words_it_is_not_shown_again(
    tmp_path: Path, answer: Answer | None
) -> None:
    async def decided_meanwhile(suggestion: Suggestion, now: datetime) -> str | None:
        if suggestion.instruction == TOMATO:
            if answer is None:
                waits.room.service.answer(waits.id, Snooze.AN_HOUR)
            else:
                waits.room.service.answer(waits.id, answer)
            assert isinstance(await waits.room.next(), SuggestionAnswered)
        return suggestion.instruction

    async with room(tmp_path, words=decided_meanwhile) as here:
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        waits = Waiting(here, offered.id)
        await here.service.settled()
        waits.decisions.rename(waits.members, TOMATO)
        assert await waits.changed() == []


async def test_what_was_done_while_no_program_ran_is_not_offered_at_the_start(tmp_path: Path) -> None:
    async with waiting(tmp_path):
        pass
    store = Store(tmp_path, lambda: NOON)
    store.records.add([record("turn", "order beef noodles on Eats please", day=14, minutes=-3)])
    store.close()
    async with room(tmp_path, NOON + timedelta(minutes=5)) as here:
        await here.service.settled()
        assert here.service.suggestions(1)[0].answer is Answer.DONE


async def test_an_undone_answer_brings_it_back(tmp_path: Path) -> None:
    async with waiting(tmp_path) as waits:
        waits.room.service.answer(waits.id, Answer.NOT_NOW)
        assert isinstance((await waits.changed())[0], SuggestionAnswered)
        waits.room.store.undo()
        assert words(await waits.changed(), waits) == ORDER


async def test_what_changed_while_no_program_ran_is_told_at_the_start(tmp_path: Path) -> None:
    async with waiting(tmp_path) as waits:
        members = waits.members
    store = Store(tmp_path, lambda: NOON)
    UserOverrides(store, "1").rename(members, TOMATO)
    store.close()
    async with room(tmp_path, NOON + timedelta(minutes=5)) as here:
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        assert (offered.id, offered.instruction) == (waits.id, TOMATO)


async def test_a_change_in_the_same_process_is_seen_at_once(tmp_path: Path) -> None:
    async with waiting(tmp_path) as waits:
        await asyncio.to_thread(waits.decisions.rename, waits.members, TOMATO)
        assert words([await waits.room.next()], waits) == TOMATO


async def test_a_change_by_another_program_is_seen_at_the_next_heartbeat(tmp_path: Path) -> None:
    async with waiting(tmp_path, heartbeat=0.01) as waits:
        store = Store(tmp_path, lambda: NOON)
        UserOverrides(store, "1").rename(waits.members, TOMATO)
        store.close()
        assert words([await waits.room.next()], waits) == TOMATO


async def test_what_counts_down_waits_for_a_yes_once_it_is_not_let_begin_any_more(tmp_path: Path) -> None:
    async with waiting(tmp_path, alone=True) as waits:
        waits.decisions.let_alone(waits.members, alone=False)
        (again,) = await waits.changed()
        assert isinstance(again, SuggestionOffered)
        assert (again.instruction, again.starts) == (ORDER, None)


async def test_a_model_words_it_anew_and_an_answer_given_meanwhile_stands(tmp_path: Path) -> None:
    async def answered_meanwhile(suggestion: Suggestion, now: datetime) -> str | None:
        if suggestion.instruction == TOMATO:
            waits.room.service.answer(waits.id, Answer.NOT_NOW)
            await waits.room.next()
        return f"{suggestion.instruction}, please"

    async with room(tmp_path, words=answered_meanwhile) as here:
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        waits = Waiting(here, offered.id)
        assert offered.instruction == f"{ORDER}, please"
        assert await waits.changed() == []
        waits.decisions.rename(waits.members, f"{TOMATO}, large")
        assert words(await waits.changed(), waits) == f"{TOMATO}, large, please"
        waits.decisions.rename(waits.members, TOMATO)
        assert await waits.changed() == []
        assert here.service.suggestions(1)[0].answer is Answer.NOT_NOW
