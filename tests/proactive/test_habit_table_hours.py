from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from assistant.proactive.habit_table import (
    Calendar,
    HabitOccasions,
    HabitTable,
    Occasion,
    circular,
    since,
    timed,
)
from tests.proactive.lives import BERLIN

START = datetime(2026, 2, 2, tzinfo=BERLIN)


def table(*hours: float) -> HabitTable:
    """A habit done once a day, at these hours."""
    times = (START + timedelta(days=day, hours=hour) for day, hour in enumerate(hours))
    return HabitTable([HabitOccasions("tea", tuple(map(Occasion, times)))], Calendar())


def began(known: HabitTable, hour: float, today: int) -> tuple[int, float]:
    """Since which of its days the habit most likely is as it is at an hour, and how sure that is."""
    near = (circular(known.minute - 60 * hour) < 60).astype(float)
    found = since(known, near, np.array([0]), known.days.first + today)
    best = int(found.chance[0].argmax())
    return int(found.first[0, best]) - known.days.first, float(found.chance[0, best])


def test_a_habit_that_moved_is_so_since_it_moved() -> None:
    moved = table(*[8.0] * 20, *[12.0] * 7)
    assert began(moved, 12, 27)[0] == 20
    assert began(moved, 8, 27)[0] == 20


def test_a_steady_habit_has_been_so_from_the_first_day() -> None:
    day, sure = began(table(*[8.0] * 30), 8, 30)
    assert (day, sure > 0.9) == (0, True)


def test_what_happens_later_is_not_looked_at() -> None:
    moved = table(*[8.0] * 20, *[12.0] * 7)
    assert began(moved, 8, 20)[0] == 0


def sure(near: float, lived: float, often: float = 1.0) -> float:
    return float(timed(np.array([near]), np.array([lived]), np.array([often]))[0])


def test_what_keeps_to_an_hour_is_told_from_what_does_not() -> None:
    assert sure(10, 11) > 0.95
    assert sure(5, 20) < 0.05


def test_what_is_done_often_a_day_must_keep_to_the_hour_the_more() -> None:
    assert sure(10, 14, often=4) < sure(10, 14, often=1)
    assert sure(14, 14, often=2) > 0.9
