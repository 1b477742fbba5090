"""Three weeks of the demo's person pass through the real service; one walk tells all."""

from __future__ import annotations

import asyncio
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from assistant.demo.weeks import DemoPerson, SuggestionOutcome, WeeksSummary, walk
from assistant.events import Answer
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.settings.schema import Settings
from assistant.simulator.demo_clock import DemoClock
from assistant.simulator.lived_in import habits
from assistant.simulator.living_on import LivingOn, Turning
from tests.memory.prototypes.lived import Hashing

BEGIN = datetime(2026, 11, 23, tzinfo=ZoneInfo("Asia/Shanghai"))
CHANGE = date(2026, 11, 30)
LATE_LUNCH = time(13, 30)


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> WeeksSummary:
    """Lunch moves and coffee stops after a week, the podcast is refused, the way home stays as it was."""
    folder = tmp_path_factory.mktemp("walk")
    clock = DemoClock(BEGIN, lambda: 0.0)
    turning = Turning(CHANGE, frozenset({"coffee"}), {"lunch": LATE_LUNCH})
    known = [one for one in habits() if one.name in ("lunch", "coffee", "way home", "evening podcast")]
    life = LivingOn("me", turning=turning, recurring=known)
    store = Store(folder, clock)
    store.records.add(life.between(BEGIN - timedelta(days=21), BEGIN))
    person = DemoPerson(life, frozenset({"evening podcast"}))
    memory = HierarchicalMemory(store, Hashing())
    try:
        return asyncio.run(walk(Settings(store=folder), store, lambda: memory, clock, person, days=21))
    finally:
        store.close()


def of(walked: WeeksSummary, name: str, since: date = date.min) -> list[SuggestionOutcome]:
    return [one for one in walked.offered if one.name == name and one.suggestion.made.date() >= since]


def test_suggestions_come_at_the_right_moments(walked: WeeksSummary) -> None:
    usual = {"way home": time(18, 10), "lunch": time(12, 4)}
    for name, at in usual.items():
        for one in of(walked, name):
            made = one.suggestion.made
            if name == "lunch" and made.date() >= CHANGE:
                continue
            before = datetime.combine(made.date(), at, made.tzinfo) - made
            assert timedelta() < before <= timedelta(minutes=30)
    done = [moment for name, moment in walked.done if name == "way home"]
    assert sum(outcome.is_wanted for outcome in of(walked, "way home")) >= 0.8 * len(done)


def test_accepting_early_does_not_pull_the_next_suggestion_forward(walked: WeeksSummary) -> None:
    times = [one.suggestion.made.time() for one in of(walked, "way home")]
    assert all(time(17, 45) < one < time(18) for one in times)


def test_rejecting_one_twice_makes_it_quiet(walked: WeeksSummary) -> None:
    assert [one.suggestion.answer for one in of(walked, "evening podcast")] == [Answer.NOT_NOW] * 2


def test_a_stopped_routine_dies_out(walked: WeeksSummary) -> None:
    assert of(walked, "coffee")
    assert len(of(walked, "coffee", CHANGE)) <= 4
    assert not of(walked, "coffee", CHANGE + timedelta(days=7))


def test_a_moved_routine_moves(walked: WeeksSummary) -> None:
    settled = of(walked, "lunch", CHANGE + timedelta(days=7))
    assert settled
    assert all(time(13) <= one.suggestion.made.time() < LATE_LUNCH for one in settled)
