from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time

from assistant.memory.prototypes.model import read_window
from assistant.proactive.forecast import USUAL
from assistant.records import State
from tests.proactive.lives import BERLIN, daily, habits
from tests.tables import each

MONDAY_EIGHT = datetime(2026, 3, 30, 8, 0, tzinfo=BERLIN)
TEA = daily("tea", time(8))


@each(
    ("window", "place", "offered"),
    [
        ("", "", True),
        ("7-9 weekdays", "office", True),
        ("18-19", "", False),
        ("weekends", "", False),
        ("", "residence", False),
    ],
)
def test_hours_and_place_of_the_users_own_are_kept_to(window: str, place: str, offered: bool) -> None:
    wanted = replace(TEA, window=read_window(window) if window else None, place=place)
    judged = habits(wanted).judge(State(time=MONDAY_EIGHT, scenario="office"), 0.47, USUAL)
    assert bool(judged) == offered
