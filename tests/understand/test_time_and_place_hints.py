"""What words tell of when, where and which deed, and what they rule out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from assistant.records import State
from assistant.understand.perceive import perceive
from assistant.understand.recall import recall
from assistant.understand.slots import (
    find_verb_kinds,
    is_destination,
    is_navigation,
    occurs_at,
    resolve_time,
    usual_hour,
)
from assistant.understand.types import PersonalizedElement, Sources
from tests.understand.memories import NOW, PlainPreferences, PlainProfile, named, preference

EVENING = datetime(2026, 3, 9, 21, 0, tzinfo=UTC)


def element(said: str) -> PersonalizedElement:
    return perceive(said).elements[0]


@pytest.mark.parametrize(
    ("wish", "hour"),
    [
        ("order my usual lunch", 12),
        ("点平时的早饭", 8),
        ("play the music I fall asleep to", 22),
        ("order the usual", 21),
    ],
)
def test_a_part_of_the_day_is_meant_by_its_word(wish: str, hour: int) -> None:
    assert resolve_time(wish, EVENING).hour == hour


def test_what_hardly_ever_comes_near_an_hour_is_not_meant_by_it() -> None:
    noon = preference("Order noodles").prototype
    assert occurs_at(noon, 12.25)
    assert not occurs_at(noon, 18.75)
    assert usual_hour(noon) == pytest.approx(NOW.hour + NOW.minute / 60)


@pytest.mark.parametrize("instruction", ["Order dinner early", "Set an alarm for 6:45"])
def test_what_names_its_own_time_is_meant_at_any_hour(instruction: str) -> None:
    assert occurs_at(preference(instruction).prototype, 18.75)


def test_lunch_is_not_the_evenings_order() -> None:
    sources = Sources("me", PlainProfile(), PlainPreferences((preference("Order an iced americano"),)))
    said = "order my usual dinner"
    assert recall(element(said), said, sources, State(time=EVENING)).chosen is None


def test_near_its_hour_the_moment_stays() -> None:
    assert resolve_time("order lunch", NOW) == NOW


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("take me to the usual place", True),
        ("去老地方", True),
        ("order coffee from the usual place", False),
        ("order my usual lunch", False),
    ],
)
def test_where_a_command_leads(said: str, goal: bool) -> None:
    assert is_destination(element(said), said) is goal


@pytest.mark.parametrize(
    ("instruction", "way"),
    [
        ("Navigate to Lakeside Teahouse", True),
        ("Get a taxi to the office", True),
        ("导航去湖畔茶楼", True),
        ("Order noodles to the office", False),
        ("点牛肉面，送到公司", False),
    ],
)
def test_going_is_not_having_something_brought(instruction: str, way: bool) -> None:
    assert is_navigation(instruction) is way


@pytest.mark.parametrize(
    ("wish", "deed"),
    [
        ("order the usual", {"get"}),
        ("放我睡觉听的歌", {"play"}),
        ("点平时那家", {"get"}),
        ("Navigate to Cloud Tower", {"go"}),
        ("call mom", {"call"}),
        ("call a taxi", {"go"}),
        ("as usual", set()),
    ],
)
def test_the_deed_of_a_wish(wish: str, deed: set[str]) -> None:
    assert find_verb_kinds(wish) == deed


def recalled(said: str, *answers: tuple[str, str, float]) -> str:
    """The instruction that a command recalls among preferences."""
    preferences = tuple(preference(instruction, app, sure) for instruction, app, sure in answers)
    profile = PlainProfile(named("home", "12 Park Street"))
    sources = Sources("me", profile, PlainPreferences(preferences))
    candidate = recall(element(said), said, sources, State(time=NOW)).chosen
    return candidate.preference.prototype.instruction if candidate and candidate.preference else ""


NOODLES = ("Order noodles", "Eats", 0.7)
LATTE = ("Order a latte from Corner Coffee", "Eats", 0.2)
RUN = ("Play Second Wind for the run", "Music", 0.2)
SLEEP = ("Play Warm Milk", "Music", 0.5)
HOME = ("Navigate to 12 Park Street", "Maps", 0.6)
CLUB = ("Navigate to the club", "Maps", 0.05)


def test_what_is_named_rules_out_what_is_likelier_now() -> None:
    assert recalled("order my usual coffee", NOODLES, LATTE) == LATTE[0]
    assert recalled("play the music I run to", SLEEP, RUN) == RUN[0]


def test_another_deed_is_never_meant() -> None:
    assert recalled("order the usual", HOME) == ""
    assert recalled("order the usual", SLEEP, LATTE, ("Order noodles", "Eats", 0.35)) == NOODLES[0]


def test_the_usual_place_is_not_home() -> None:
    assert recalled("take me to the usual place", HOME, CLUB, NOODLES) == CLUB[0]
    assert recalled("take me to the usual place", HOME, NOODLES) == ""
