from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from assistant.bench.left_states import left_by, misses
from tests.tables import each

DAY = date(2026, 3, 9)


def phone(**apps: dict[str, Any]) -> dict[str, Any]:
    return {"apps": {f"com.example.{name}": held for name, held in apps.items()}}


def ride(**changes: str) -> dict[str, str]:
    return {"id": "ride-2", "to": "Willow Park", "car": "Comfort", "status": "assigned", **changes}


def test_what_is_left_is_compared_without_times_and_notices() -> None:
    before: dict[str, Any] = {"apps": {"shop": {"orders": [], "seen": [], "cart": []}}}
    after = {"apps": {"shop": {"orders": [{"at": "2026-03-09 12:05"}], "seen": ["hint"], "cart": []}}}
    assert left_by(before, after) == {"shop/orders": [{"at": ""}]}


def test_of_orders_in_a_row_each_left_only_what_it_added() -> None:
    before = {"apps": {"shop": {"orders": ["rice"], "cart": ["tea"]}}}
    after = {"apps": {"shop": {"orders": ["soup", "rice"], "cart": []}}}
    assert left_by(before, after) == {"shop/orders": ["soup"], "shop/cart": []}


@each(
    ("rides", "is_right"),
    [
        ([ride()], True),
        ([ride(to="City Library")], False),
        ([ride(car="Premium")], False),
        ([ride(status="cancelled")], False),
        ([ride(), ride(id="ride-3")], False),
        ([], False),
    ],
)
def test_a_ride_is_what_was_ordered_once_and_not_another(rides: list[dict[str, str]], is_right: bool) -> None:
    earlier = {"id": "ride-1", "to": "Grand Bazaar Mall"}
    before = phone(taxi={"rides": [earlier], "pickup": ""})
    after = phone(taxi={"rides": [*rides, earlier], "pickup": "Willow Court"})
    named = {"car": "comfort", "to": "Willow Park"}
    assert (misses("riding", named, before, after, DAY) == []) is is_right


def test_what_nobody_ordered_is_told() -> None:
    before = phone(taxi={"rides": []}, mail={"letters": []})
    after = phone(taxi={"rides": [ride()]}, mail={"letters": [{"subject": "Hello"}]})
    (problem,) = misses("riding", {"car": "comfort", "to": "Willow Park"}, before, after, DAY)
    assert "mail/letters" in problem


@pytest.mark.parametrize(("day", "is_right"), [("2026-03-10", True), ("2026-03-09", False)])
def test_a_train_is_looked_for_on_the_day_that_was_said(day: str, is_right: bool) -> None:
    search = {"from": "Jinan", "to": "Wuhan", "date": day}
    after = phone(rail={"searches": [search]})
    problems = misses("train", {"from": "Jinan", "to": "Wuhan"}, phone(rail={"searches": []}), after, DAY)
    assert (problems == []) is is_right


def test_a_song_that_plays_already_is_what_was_asked_for() -> None:
    playing = {"playing": {"title": "Slow Ferry", "status": "playing"}}
    assert misses("media", {"song": "Slow Ferry"}, phone(music=playing), phone(music=playing), DAY) == []
    assert misses("media", {"song": "First Snow"}, phone(music=playing), phone(music=playing), DAY)
