"""What is offered for a command that leaves open what is wanted: only what fits its verb, thing and day."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.embedding.models import Tagging
from assistant.memory.prototypes.model import Preference
from assistant.records import State
from assistant.understand.habit_match import find_told_against, refuse_named
from assistant.understand.resolution import Meaning, habit_candidate, make_resolution
from assistant.understand.service import UnderstandingService
from assistant.understand.slots import in_half_of_day
from assistant.understand.types import Category, CommandLanguage, Perceived, PersonalizedElement
from tests.tables import each
from tests.understand.memories import NOW, PlainProfile, memory, preference
from tests.understand.test_model_assist import Writer, read

RUN = preference("Play Hill Song for my run", "Music", 0.5, (2, 4, 6))
RIDE = preference("Navigate to the lake", "Maps", 0.5, (2, 9))
MOM = preference("Call Ann Lee", "Phone", 0.4, (3, 10, 17))
SOUP = preference("Order lentil soup from Bowl", "Eats", 0.4, (3, 5, 9))
TEA = preference("Order a green tea from Leaf", "Eats", 0.3, (1, 5))
CHAIR = preference("Buy a chair on Market", "Market", 0.3, (8,))
ALL = (RUN, RIDE, MOM, SOUP, TEA, CHAIR)


def offered(said: str) -> list[str]:
    sources = memory(PlainProfile(), *ALL)
    service = UnderstandingService(
        lambda: sources, lambda: State(time=NOW), tagger=lambda command: Tagging(0.0, 0.4, ())
    )
    return [candidate.value for meaning in service.resolve(said).missing for candidate in meaning.candidates]


@each("said", ["get me the usual", "bring us the usual", "老样子来两份", "老样子来一杯"])
def test_who_asks_to_get_the_usual_is_offered_what_one_gets_and_had_more_than_once(said: str) -> None:
    assert sorted(offered(said)) == sorted(each.prototype.instruction for each in (SOUP, TEA))


async def test_a_line_with_words_of_its_own_is_offered_nothing_that_has_hardly_to_do_with_it() -> None:
    unlikely = [preference(f"Navigate to {name}", "Maps", 0.01, (2, 4)) for name in ("the lake", "Leaf")]
    sources = memory(PlainProfile(), *unlikely, replace(SOUP, confidence=0.1))
    asks = Writer(read("", decision="ask"))
    service = UnderstandingService(
        lambda: sources, lambda: State(time=NOW), tagger=lambda command: Tagging(0.0, 0.4, ()), model=asks
    )

    async def values(said: str) -> list[str]:
        asked = (await service.resolve_with_model(said)).missing
        return [candidate.value for meaning in asked for candidate in meaning.candidates]

    assert await values("is it on its way") == ["Order lentil soup from Bowl"]
    assert len(await values("the usual")) > 1
    assert "Navigate to the lake" in await values("where is the lake again")


def test_same_as_yesterday_is_what_was_done_yesterday() -> None:
    assert offered("same as yesterday") == ["Order a green tea from Leaf"]
    assert offered("same as yesterday but for two") == ["Order 2 green teas from Leaf"]


def test_a_named_thing_leaves_out_the_others() -> None:
    assert offered("the same soup as yesterday") == ["Order lentil soup from Bowl"]


@each(
    ("words", "clock", "meant"),
    [
        ("after school", "4:15", "4:15 pm"),
        ("放学后", "4点半", "下午4点半"),
        ("下班后", "六点", "下午六点"),
        # Breakfast is in the morning, and nine may be of either half.
        ("after breakfast", "8:30", "8:30"),
        ("after work", "9:30", "9:30"),
        ("after work", "18:30", "18:30"),
        ("after work", "when I am home", "when I am home"),
    ],
)
def test_an_hour_that_is_said_for_the_end_of_work_is_none_of_the_morning(
    words: str, clock: str, meant: str
) -> None:
    assert in_half_of_day(words, clock) == meant


BARE = [
    "the usual",
    "same as always",
    "as always, please",
    "do the usual",
    "照旧",
    "还是老样子",
    "跟平时一样",
]


@each("said", BARE)
def test_the_usual_alone_begins_nothing_and_offers_what_is_eaten_most_often_first(said: str) -> None:
    run = preference("Play Hill Song for my run", "Music", 0.97, (2, 4, 6, 8, 11))
    soup = preference("Order lentil soup from Bowl", "Eats", 0.001, range(1, 16))
    sources = memory(PlainProfile(), run, TEA, soup, CHAIR)
    service = UnderstandingService(
        lambda: sources, lambda: State(time=NOW), tagger=lambda command: Tagging(1.0, 1.0, ())
    )
    resolution = service.resolve(said)
    assert resolution.instruction == said
    values = [candidate.value for candidate in resolution.missing[0].candidates]
    assert values == [each.prototype.instruction for each in (soup, TEA, run)]


@each("said", BARE)
def test_the_usual_alone_offers_the_meal_of_the_hour_before_another_one(said: str) -> None:
    toast = preference("Order toast from Bowl", "Eats", 0.5, (1, 2, 3))
    early = [replace(each, time=each.time.replace(hour=6)) for each in SOUP.prototype.members * 5]
    soup = replace(SOUP, prototype=replace(SOUP.prototype, members=tuple(early)))
    sources = memory(PlainProfile(), RUN, soup, toast)
    service = UnderstandingService(
        lambda: sources, lambda: State(time=NOW), tagger=lambda command: Tagging(1.0, 1.0, ())
    )
    values = [candidate.value for candidate in service.resolve(said).missing[0].candidates]
    assert values == [each.prototype.instruction for each in (toast, soup, RUN)]


NOODLES = preference("Order noodles, no leek, from Bowl House to the office", "Eats", 0.4, (2, 3, 5, 9))
NIGHT = preference("Put on Moon Song to fall asleep", "Music", 0.5, (1, 2, 4, 6))
LUNCHES = (RUN, RIDE, MOM, NOODLES, NIGHT, CHAIR)


def offered_of(said: str, *habits: Preference) -> list[str]:
    sources = memory(PlainProfile(), *habits)
    service = UnderstandingService(
        lambda: sources, lambda: State(time=NOW), tagger=lambda command: Tagging(0.0, 0.4, ())
    )
    return [candidate.value for meaning in service.resolve(said).missing for candidate in meaning.candidates]


@each("said", ["play that song again", "put that track on again", "放那首歌"])
def test_a_thing_that_is_only_pointed_at_is_one_of_its_kind(said: str) -> None:
    assert set(offered_of(said, *LUNCHES)) == {RUN.prototype.instruction, NIGHT.prototype.instruction}


@each(
    "said",
    [
        "order the usual but not from the usual place",
        "my usual noodles but from a different shop",
        "照旧 但换一家店",
    ],
)
def test_the_usual_from_elsewhere_is_offered_without_its_place(said: str) -> None:
    assert offered_of(said, *LUNCHES) == ["Order noodles, no leek, to the office, not from Bowl House"]


def test_a_place_that_is_refused_by_its_name_is_not_offered() -> None:
    offers = offered_of("order my usual noodles but not from bowl house", *LUNCHES)
    assert all("not from Bowl House" in each or "Bowl House" not in each for each in offers)


def test_a_dish_that_is_refused_is_not_offered_from_another_place() -> None:
    noodles = preference("Order beef noodles to the office from Old Street Noodles", "Eats", 0.4)
    assert offered_of("no noodles for me this month, order lunch anyway", noodles) == []


@pytest.mark.parametrize("said", ["speak shorter please", "talk less please"])
def test_nothing_is_offered_that_says_nothing_of_the_line(said: str) -> None:
    assert offered_of(said, *LUNCHES) == []


@each(
    ("order", "key", "fact", "day", "told"),
    [
        ("Order beef noodles from Old Street", "cuisine", "vegetarian", 9, True),
        ("Order tofu rice", "cuisine", "vegetarian", 9, False),
        ("Order noodles, no beef", "cuisine", "vegetarian", 9, False),
        ("点一份牛肉面", "cuisine", "吃素", 9, True),
        ("Order an oat latte", "avoid", "coffee on mondays", 9, True),
        ("Order an oat latte", "avoid", "coffee on mondays", 10, False),
        ("Order a salad with peanut sauce", "allergic to", "peanuts", 9, True),
        ("Order noodles, no coriander", "avoid", "coriander", 9, False),
    ],
)
def test_what_was_told_against_an_order_is_found(
    order: str, key: str, fact: str, day: int, *, told: bool
) -> None:
    now = NOW.replace(year=2026, month=3, day=day)
    assert bool(find_told_against(order, [("Ordering food", key, fact)], now)) is told
    assert not find_told_against(order, [("Tom", key, fact)], now)


@each(
    ("order", "told"),
    [
        ("order soup for iris", ("niece (Iris) is allergic to eggs", "niece (Iris) avoids shrimp")),
        ("get my niece a pizza", ("eggs", "shrimp")),
        ("给Iris点外卖", ("eggs", "shrimp")),
        ("order soup for Iris, no eggs", ("shrimp",)),
        ("order irises for the office", ()),
        ("order soup with shrimp", ()),
    ],
)
def test_what_somebody_does_not_stand_is_told_of_an_order_for_them(order: str, told: tuple[str, ...]) -> None:
    facts = [("niece", "name", "Iris"), ("niece", "allergic to", "eggs"), ("niece", "avoid", "shrimp")]
    against = find_told_against(order, facts, NOW)
    assert all(words in against for words in told)
    assert bool(against) is bool(told)
    assert ("eggs" in against) is ("eggs" in " ".join(told))


def test_an_order_without_its_place_stands_for_the_whole_command() -> None:
    said = "order my usual noodles but not from bowl house"
    usual = Meaning(
        PersonalizedElement(6, 22, "my usual noodles", Category.HABIT, "noodles"),
        None,
        (habit_candidate(NOODLES.prototype.instruction, NOODLES),),
    )
    perceived = Perceived(said, CommandLanguage.EN, (usual.element,))
    resolution = make_resolution(perceived, (usual,))
    (meaning,) = refuse_named(resolution, resolution).missing
    assert meaning.element.is_whole_command
    assert [each.value for each in meaning.candidates] == [
        "Order noodles, no leek, to the office, not from Bowl House"
    ]


@each(
    ("said", "offered"),
    [
        ("order noodles but not the usual", False),
        ("noodles please, anything but my usual ones, not the regular one", False),
        ("点份面 别点平时那个", False),
        ("点份面，不要老样子", False),
        ("order my usual noodles, not too hot", True),
        ("点平时的面，不要香菜", True),
        ("no, the usual noodles please", True),
    ],
)
def test_no_habit_is_offered_where_what_is_usual_is_refused(said: str, *, offered: bool) -> None:
    whole = PersonalizedElement(0, len(said), said, Category.HABIT, "")
    meaning = Meaning(whole, None, (habit_candidate(NOODLES.prototype.instruction, NOODLES),))
    resolution = make_resolution(Perceived(said, CommandLanguage.EN, (whole,)), (meaning,))
    (left,) = refuse_named(resolution, resolution).missing
    assert bool(left.candidates) is offered
