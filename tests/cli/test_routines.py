"""The routines as `assistant suggest --next` tells them, and letting one begin by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import typer

from assistant.cli.suggest import let_alone, tell_next
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.proactive.offers import NextOccurrence, list_upcoming
from assistant.settings.schema import ProactiveSettings, Settings
from tests.memory.prototypes.lived import MONDAY, ORDER, Hashing, record

PLAY = "Play the podcast Evening News Review"
NOON = MONDAY + timedelta(days=14, hours=-1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path, lambda: NOON)
    store.records.add(record(f"o{day}", day=day) for day in range(14))
    store.records.add(
        record(f"p{day}", PLAY, day=day, minutes=360, app="Podcasts", item="Evening", actions=())
        for day in range(14)
    )
    yield store
    store.close()


def routines(store: Store) -> list[NextOccurrence]:
    memory = HierarchicalMemory(store, Hashing())
    return list_upcoming(store, memory, Settings(store=store.folder, user_id="1"), lambda: NOON)


def test_each_routine_tells_its_next_occasions(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    tell_next(routines(store), True, ProactiveSettings())
    order, play = map(json.loads, capsys.readouterr().out.splitlines())
    assert (order["instruction"], play["instruction"]) == (ORDER, PLAY)
    assert order["occasions"][0]["at"] == (MONDAY + timedelta(days=14)).isoformat()
    assert order["occasions"][0]["opens"] < order["occasions"][0]["at"]
    tell_next(routines(store), False, ProactiveSettings())
    told = capsys.readouterr().out
    assert "Mon 16 Mar 12:05" in told
    assert order["routine"] not in told, "ids are for programs"


def test_a_routine_is_let_begin_by_itself_and_taken_back(store: Store) -> None:
    play = next(one.routine.id for one in routines(store) if one.routine.instruction == PLAY)
    let_alone(store, "1", routines(store), play, alone=True)
    assert [one.routine.alone for one in routines(store)] == [False, True]
    let_alone(store, "1", routines(store), "the Podcast", alone=False)
    assert not any(one.routine.alone for one in routines(store))


@pytest.mark.parametrize("words", ["e", "", "tea"])
def test_words_that_name_no_single_routine_change_none(store: Store, words: str) -> None:
    with pytest.raises(typer.TyperException, match="suggest --next"):
        let_alone(store, "1", routines(store), words, alone=True)
    assert not any(one.routine.alone for one in routines(store))


def test_what_pays_never_begins_by_itself(store: Store) -> None:
    order = next(one.routine.id for one in routines(store) if one.routine.instruction == ORDER)
    with pytest.raises(typer.TyperException, match="never start by themselves"):
        let_alone(store, "1", routines(store), order, alone=True)
    with pytest.raises(typer.TyperException, match="suggest --next"):
        let_alone(store, "1", routines(store), "p-none", alone=True)
