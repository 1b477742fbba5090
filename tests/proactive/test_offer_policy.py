from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.events import Answer, Snooze
from assistant.proactive.offers import (
    SuppressionReason,
    find_suppression,
    in_quiet_hours,
    plan_offer,
    snoozed_until,
)
from assistant.proactive.suggestions import Stage, Suggestion
from assistant.settings.schema import ProactiveSettings
from tests.proactive.lives import BERLIN
from tests.tables import each

NOON = datetime(2026, 3, 30, 12, 0, tzinfo=BERLIN)
TIMES = st.times(timezones=st.just(None))


def suggestion(
    name: str = "s", *, stage: Stage = Stage.WAITING, score: float = 0.5, **times: datetime
) -> Suggestion:
    made = times.get("made", NOON)
    return Suggestion(
        id=name,
        routine=f"routine {name}",
        anchor=f"record {name}",
        instruction="Do it",
        score=score,
        why=(),
        evidence=(),
        scenario="unknown",
        made=made,
        due=times.get("due", made),
        until=times.get("until", made + timedelta(minutes=30)),
        stage=stage,
        shown=times.get("shown"),
    )


@each(
    ("clock", "quiet"),
    [(time(22, 30), True), (time(3), True), (time(6, 30), False), (time(12), False), (time(22, 29), False)],
)
def test_quiet_hours_reach_across_midnight(clock: time, quiet: bool) -> None:
    assert in_quiet_hours(datetime.combine(NOON, clock, BERLIN), time(22, 30), time(6, 30)) is quiet


@given(TIMES, TIMES)
def test_the_same_hour_twice_is_no_quiet_hour(clock: time, hour: time) -> None:
    assert not in_quiet_hours(datetime.combine(NOON, clock, BERLIN), hour, hour)


@given(TIMES, TIMES, TIMES)
def test_a_moment_is_quiet_in_the_hours_or_in_their_complement(clock: time, begin: time, end: time) -> None:
    moment = datetime.combine(NOON, clock, UTC)
    assert begin == end or in_quiet_hours(moment, begin, end) != in_quiet_hours(moment, end, begin)


def test_quiet_hours_are_those_of_where_the_user_is() -> None:
    landed = NOON.astimezone(timezone(timedelta(hours=-8)))
    assert find_suppression(ProactiveSettings(), [], NOON) is None
    assert find_suppression(ProactiveSettings(), [], landed) is SuppressionReason.QUIET_HOURS


def test_switched_off_it_says_nothing() -> None:
    assert find_suppression(ProactiveSettings(enabled=False), [], NOON) is SuppressionReason.OFF


def test_the_budget_counts_the_day_it_is_where_the_user_is() -> None:
    settings = ProactiveSettings(a_day=1)
    late = suggestion(shown=NOON.replace(day=29, hour=23, minute=50))
    assert find_suppression(settings, [late], NOON) is None
    assert (
        find_suppression(settings, [suggestion(shown=NOON)], NOON + timedelta(hours=3))
        is SuppressionReason.BUDGET
    )
    west = NOON.astimezone(timezone(timedelta(hours=-2)))
    assert find_suppression(settings, [suggestion(shown=NOON)], west) is SuppressionReason.BUDGET


def test_one_that_was_only_made_costs_nothing() -> None:
    assert find_suppression(ProactiveSettings(a_day=1), [suggestion()], NOON) is None


def test_the_best_of_those_due_is_shown() -> None:
    weak, strong = suggestion("weak", score=0.4), suggestion("strong", score=0.9)
    assert plan_offer([weak, strong], NOON, suppression=None, busy=False).show == strong


@pytest.mark.parametrize("stage", [Stage.WAITING, Stage.SNOOZED])
def test_nothing_is_shown_beside_another_or_to_somebody_busy(stage: Stage) -> None:
    due, other = suggestion(stage=stage), suggestion("other", stage=Stage.SHOWN)
    assert plan_offer([due], NOON, suppression=None, busy=True).show is None
    assert plan_offer([due, other], NOON, suppression=None, busy=False).show is None


def test_what_was_put_off_comes_though_the_budget_is_spent_but_not_at_night() -> None:
    snoozed = suggestion(stage=Stage.SNOOZED)
    assert plan_offer([snoozed], NOON, suppression=SuppressionReason.BUDGET, busy=False).show == snoozed
    assert plan_offer([snoozed], NOON, suppression=SuppressionReason.QUIET_HOURS, busy=False).show is None
    assert plan_offer([suggestion()], NOON, suppression=SuppressionReason.BUDGET, busy=False).show is None


@given(st.lists(st.tuples(st.integers(-600, 600), st.integers(1, 60), st.sampled_from(Stage)), max_size=8))
def test_whatever_is_open_what_is_stale_lapses_and_never_shows(
    open_ones: list[tuple[int, int, Stage]],
) -> None:
    found = [
        suggestion(
            str(number),
            stage=stage,
            due=NOON + timedelta(minutes=due),
            until=NOON + timedelta(minutes=due + stays),
        )
        for number, (due, stays, stage) in enumerate(open_ones)
    ]
    planned = plan_offer(found, NOON, suppression=None, busy=False)
    assert set(planned.lapse) == {one for one in found if one.until < NOON}
    if planned.show is not None:
        assert planned.show.due <= NOON <= planned.show.until
        assert planned.show.answer is Answer.NONE


@each(("snooze", "hours"), [(Snooze.TEN_MINUTES, 1 / 6), (Snooze.AN_HOUR, 1), (Snooze.TOMORROW, 23)])
def test_snoozes_across_the_night_in_which_clocks_go_forward(snooze: Snooze, hours: float) -> None:
    now = datetime(2026, 3, 28, 9, 0, tzinfo=BERLIN)
    due = snoozed_until(now, snooze)
    assert due.timestamp() - now.timestamp() == pytest.approx(hours * 3600)
    if snooze is Snooze.TOMORROW:
        assert (due.hour, due.day) == (9, 29)


def test_an_hour_is_an_hour_while_clocks_go_forward() -> None:
    now = datetime(2026, 3, 29, 1, 30, tzinfo=BERLIN)
    due = snoozed_until(now, Snooze.AN_HOUR)
    assert due.timestamp() - now.timestamp() == 3600
    assert (due.hour, due.minute) == (3, 30)
