from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, time, timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any

import pytest

from assistant.events import Answer, Snooze
from assistant.memory.forgetting import forget
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.repository import read_overrides
from assistant.proactive.suggestions import NoSuchSuggestion, Stage, Suggestion, format_reason
from assistant.records import Click, Outcome, Point, Record, Target, TypeText
from assistant.settings.schema import ProactiveSettings
from tests.proactive.lives import BERLIN, MONDAY, NO_NIGHT, USER, Desk, daily, desk, prototype

EIGHT = datetime(2026, 3, 30, 8, 0, tzinfo=BERLIN)
TEA, WALK = daily("tea", time(8)), daily("walk", time(18))

Open = Callable[..., Desk]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as stack:

        def open_desk(now: datetime, *known: Any, settings: ProactiveSettings | None = None) -> Desk:
            found = desk(tmp_path / "store", now, *known, settings=settings)
            stack.callback(found.store.close)
            return found

        yield open_desk


def test_a_habit_is_offered_at_its_time_with_reasons(opened: Open) -> None:
    found = opened(EIGHT, TEA, WALK).offering.look()
    assert found.shown is not None
    assert found.shown.instruction == "Do tea"
    assert found.shown.stage is Stage.SHOWN
    assert 0.5 < found.shown.score <= 1
    assert "28 of 28 times" in format_reason(found.shown.why[0])
    assert found.shown.evidence


def test_one_occasion_is_offered_once(opened: Open) -> None:
    at = opened(EIGHT, TEA)
    assert at.offering.look().shown
    over: list[Suggestion] = []
    for _ in range(100):
        at.clock.advance(minutes=1)
        looked = at.offering.look()
        assert looked.shown is None
        over += looked.ended
    assert [one.answer for one in over] == [Answer.LAPSED]


@pytest.mark.parametrize(
    ("name", "given_up", "ago", "outcome", "is_offered"),
    [
        ("tea", "Do tea on Kettle", timedelta(minutes=1), Outcome.CANCELLED, False),
        ("喝茶", "Do 喝茶，送到公司", timedelta(hours=2), Outcome.CANCELLED, False),
        ("tea", "Do tea", timedelta(hours=4), Outcome.CANCELLED, True),
        ("tea", "Do walk", timedelta(minutes=1), Outcome.CANCELLED, True),
        ("tea", "Do tea", timedelta(minutes=1), Outcome.FAILED, True),
    ],
)
def test_what_the_user_has_just_cancelled_is_not_offered(
    opened: Open, name: str, given_up: str, ago: timedelta, outcome: Outcome, is_offered: bool
) -> None:
    at = opened(EIGHT, daily(name, time(8)))
    at.store.records.add(
        [Record(id="c", user_id=USER, time=EIGHT - ago, instruction=given_up, outcome=outcome)]
    )
    assert (at.offering.look().shown is not None) is is_offered


def test_the_next_day_it_is_offered_again(opened: Open) -> None:
    at = opened(EIGHT, TEA)
    at.offering.look()
    at.clock.advance(minutes=40)
    assert [one.answer for one in at.offering.look().ended] == [Answer.LAPSED]
    at.do()
    at.clock.advance(hours=23, minutes=20)
    assert at.offering.look().shown


def test_while_busy_it_waits_and_comes_when_the_user_is_free(opened: Open) -> None:
    at = opened(EIGHT, TEA)
    assert at.offering.look(busy=True).shown is None
    at.clock.advance(minutes=10)
    shown = at.offering.look().shown
    assert shown is not None
    assert shown.made < at.clock.now
    assert shown.shown == at.clock.now


def test_what_waits_too_long_lapses_unseen(opened: Open) -> None:
    at = opened(EIGHT, TEA)
    at.offering.look(busy=True)
    at.clock.advance(minutes=31)
    looked = at.offering.look(busy=True)
    assert [(one.answer, one.shown) for one in looked.ended] == [(Answer.LAPSED, None)]
    at.clock.advance(minutes=10)
    assert at.offering.look().shown is None


def test_after_eight_hours_of_sleep_one_relevant_suggestion(opened: Open) -> None:
    hourly = [daily(f"habit{hour}", time(hour)) for hour in range(8, 18)]
    at = opened(EIGHT, *hourly)
    at.offering.look(busy=True)
    at.clock.advance(hours=8)
    looked = at.offering.look()
    assert looked.shown is not None
    assert looked.shown.instruction == "Do habit16"
    assert len(looked.ended) == 1
    assert len(at.offering.suggestions.open()) == 1


def test_nothing_in_quiet_hours(opened: Open) -> None:
    night = daily("lock", time(23))
    assert opened(EIGHT.replace(hour=23), night).offering.look().shown is None


def test_no_more_than_the_budget_a_day(opened: Open) -> None:
    hourly = [daily(f"habit{hour}", time(hour)) for hour in range(8, 22)]
    at = opened(EIGHT, *hourly, settings=ProactiveSettings(a_day=3))
    shown = 0
    for _ in range(14):
        looked = at.offering.look()
        shown += looked.shown is not None
        at.clock.advance(hours=1)
    assert shown == 3


def test_the_last_suggestion_of_a_day_is_kept_for_what_is_surer(opened: Open) -> None:
    sometimes = [EIGHT - timedelta(days=day) for day in range(1, 28) if day % 5 < 2]
    often = prototype("read", sometimes)
    one_left = ProactiveSettings(a_day=1)
    at = opened(EIGHT, often, WALK, settings=one_left)
    assert at.offering.look().shown is None
    at.clock.advance(hours=10)
    shown = at.offering.look().shown
    assert shown is not None
    assert shown.instruction == "Do walk"


def test_with_suggestions_to_spare_the_less_sure_is_made_too(opened: Open) -> None:
    sometimes = [EIGHT - timedelta(days=day) for day in range(1, 28) if day % 5 < 2]
    assert opened(EIGHT, prototype("read", sometimes), WALK).offering.look().shown is not None


def test_switched_off_it_neither_speaks_nor_writes(opened: Open) -> None:
    at = opened(EIGHT, TEA, settings=ProactiveSettings(enabled=False))
    assert at.offering.look() == at.offering.look()
    assert at.offering.suggestions.latest(5) == []


def test_refused_twice_it_is_quiet(opened: Open) -> None:
    at = opened(EIGHT, TEA)
    for _ in range(2):
        shown = at.offering.look().shown
        assert shown is not None
        at.offering.answer(shown.id, Answer.NOT_NOW)
        at.do()
        at.clock.advance(days=1)
    for _ in range(14):
        assert at.offering.look().shown is None
        at.do()
        at.clock.advance(days=1)


def test_never_hides_the_routine_and_can_be_undone(opened: Open) -> None:
    at = opened(EIGHT, TEA)
    shown = at.offering.look().shown
    assert shown is not None
    at.offering.answer(shown.id, Answer.NEVER)
    with at.store.reader() as connection:
        assert read_overrides(connection, USER).hidden == {TEA.centre_id}
    at.store.undo()
    with at.store.reader() as connection:
        assert not read_overrides(connection, USER).hidden


def in_words(name: str, text: str, days: slice) -> Prototype:
    """A message to the same person at eight, on some of four weeks' days."""
    known = daily(name, time(8))
    send = Click(point=Point(0.5, 0.5), target=Target(resource_id="send", text="Send"))
    return replace(
        known, members=known.members[days], package="org.chat", actions=(TypeText(text=text), send),
        centre_id=known.members[days][0].record_id,
    )  # fmt: skip


SENTENCES = in_words("left", "I left", slice(0, None, 2)), in_words("way", "on my way", slice(1, None, 2))


def test_never_holds_for_the_same_wish_in_other_words_and_one_undo_takes_it_back(opened: Open) -> None:
    at = opened(EIGHT, *SENTENCES)
    shown = at.offering.look().shown
    assert shown is not None
    at.offering.answer(shown.id, Answer.NEVER)
    with at.store.reader() as connection:
        assert read_overrides(connection, USER).hidden == {each.centre_id for each in SENTENCES}
    at.store.undo()
    with at.store.reader() as connection:
        assert not read_overrides(connection, USER).hidden


def test_what_was_refused_twice_is_not_offered_in_other_words(opened: Open) -> None:
    at = opened(EIGHT, *SENTENCES)
    for _ in range(2):
        shown = at.offering.look().shown
        assert shown is not None
        at.offering.answer(shown.id, Answer.NOT_NOW)
        at.clock.advance(days=1)
    assert at.offering.look().shown is None


def test_an_answer_can_be_undone_but_the_making_of_a_suggestion_is_no_change(opened: Open) -> None:
    at = opened(EIGHT, TEA)
    shown = at.offering.look().shown
    assert shown is not None
    at.offering.answer(shown.id, Answer.NOT_NOW)
    assert at.store.undo().what.endswith("Answer a suggestion")
    assert at.offering.suggestions.open()[0].answer is Answer.NONE


@pytest.mark.parametrize(("snooze", "minutes"), [(Snooze.TEN_MINUTES, 10), (Snooze.AN_HOUR, 60)])
def test_a_snoozed_one_comes_back(opened: Open, snooze: Snooze, minutes: int) -> None:
    at = opened(EIGHT, TEA)
    shown = at.offering.look().shown
    assert shown is not None
    at.offering.answer(shown.id, snooze)
    at.clock.advance(minutes=minutes - 1)
    assert at.offering.look().shown is None
    at.clock.advance(minutes=1)
    again = at.offering.look().shown
    assert again is not None
    assert again.id == shown.id


def test_what_is_over_cannot_be_answered(opened: Open) -> None:
    at = opened(EIGHT, TEA)
    shown = at.offering.look().shown
    assert shown is not None
    at.offering.answer(shown.id, Answer.ACCEPTED)
    with pytest.raises(NoSuchSuggestion, match="over"):
        at.offering.answer(shown.id, Answer.NOT_NOW)


def test_doing_it_oneself_ends_the_suggestion(opened: Open) -> None:
    at = opened(EIGHT, TEA)
    assert at.offering.look().shown
    at.clock.advance(minutes=5)
    at.do()
    assert [one.answer for one in at.offering.look().ended] == [Answer.DONE]


def test_a_turn_that_was_under_way_when_it_was_made_ends_it_too(opened: Open) -> None:
    at = opened(EIGHT, TEA)
    assert at.offering.look(busy=True).shown is None
    at.clock.advance(minutes=-3)
    at.do()
    at.clock.advance(minutes=5)
    looked = at.offering.look()
    assert ([one.answer for one in looked.ended], looked.shown) == ([Answer.DONE], None)


def test_a_routine_of_the_wall_clock_follows_the_traveller(opened: Open) -> None:
    tokyo = timezone(timedelta(hours=9))
    at = opened(datetime(2026, 3, 30, 8, 0, tzinfo=tokyo), TEA)
    assert at.offering.look().shown
    later = opened(datetime(2026, 4, 2, 15, 0, tzinfo=tokyo), TEA)
    assert later.offering.look().shown is None


@pytest.mark.parametrize("day", [datetime(2026, 3, 29, tzinfo=BERLIN), datetime(2026, 10, 25, tzinfo=BERLIN)])
def test_on_days_on_which_clocks_change_a_habit_is_offered_once(opened: Open, day: datetime) -> None:
    start = day.date() - timedelta(days=28)
    settings = ProactiveSettings.model_validate(NO_NIGHT)
    at = opened(day, daily("lamp", time(2, 30), start=start), settings=settings)
    shown = 0
    for _ in range(8 * 12):
        looked = at.offering.look()
        shown += looked.shown is not None
        at.clock.advance(minutes=5)
    assert shown == 1


def test_a_moved_clock_brings_no_second_offer(opened: Open) -> None:
    at = opened(EIGHT, TEA)
    assert at.offering.look().shown
    at.clock.advance(hours=-1)
    assert at.offering.look().shown is None


def test_the_next_occasions_of_routines(opened: Open) -> None:
    found = opened(EIGHT, TEA, WALK).offering.expected()
    assert [(one.routine, one.time.hour) for one in found[:3]] == [("walk", 18), ("tea", 8), ("walk", 18)]
    assert all(EIGHT < one.time <= EIGHT + timedelta(days=7) for one in found)
    assert {one.time.date() - MONDAY for one in found} == {timedelta(days=days) for days in range(28, 36)}


def test_forgetting_the_record_that_words_a_suggestion_forgets_it(opened: Open) -> None:
    at = opened(EIGHT, TEA)
    shown = at.offering.look().shown
    assert shown is not None
    gone = next(record_id for record_id in shown.evidence if record_id != TEA.centre_id)
    forget(at.store, [gone])
    (kept,) = at.offering.suggestions.latest(5)
    assert kept.evidence == tuple(record_id for record_id in shown.evidence if record_id != gone)
    assert len(kept.evidence) == len(shown.evidence) - 1
    forget(at.store, [TEA.centre_id])
    assert at.offering.suggestions.latest(5) == []


@pytest.mark.parametrize(("answer", "is_offered"), [(Answer.NOT_NOW, False), (None, True)])
def test_after_a_no_what_is_done_instead_of_it_is_not_offered_either(
    opened: Open, answer: Answer | None, is_offered: bool
) -> None:
    """“Order beef noodles” and “get me noodles” on other days are one wish to who says no."""
    days = [MONDAY + timedelta(days=day) for day in range(28)]
    random = Random(5)
    drawn = [random.random() < 0.5 for _ in days]
    noodles, same = (
        prototype(
            name,
            [
                datetime.combine(day, time(8), BERLIN)
                for day, first in zip(days, drawn, strict=True)
                if first is is_first
            ],
        )
        for name, is_first in (("noodles", True), ("the same noodles", False))
    )
    at = opened(EIGHT - timedelta(minutes=30), noodles, same)
    shown = []
    for _ in range(30):
        if (suggestion := at.offering.look().shown) is not None:
            shown.append(suggestion.routine)
            if answer is not None:
                at.offering.answer(suggestion.id, answer)
            else:
                at.offering.withdraw(suggestion.id)
        at.clock.advance(minutes=2)
    assert shown
    assert (len(set(shown)) == 2) is is_offered
