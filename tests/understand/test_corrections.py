from __future__ import annotations

from collections.abc import Callable
from functools import cache

from assistant.records import State
from assistant.understand.resolution import LearnedAnswer, Resolution, find_correction, update_lessons
from assistant.understand.service import UnderstandingService
from assistant.understand.types import MeaningOrigin, Sources
from tests.tables import each
from tests.understand.memories import NOW, PlainProfile, memory, named, preference


def resolved(said: str, sources: Sources) -> Resolution:
    return UnderstandingService(lambda: sources, lambda: State(time=NOW)).resolve(said, ("Contacts", "Eats"))


@cache
def home() -> Resolution:
    return resolved("navigate home", memory(PlainProfile(named("home", "12 Park Street"))))


@cache
def mom() -> Resolution:
    told = memory(PlainProfile(named("mom", "Susan", kind="name")))
    return resolved("text mom that the train is late", told)


@cache
def lunch() -> Resolution:
    return resolved("order my usual lunch", memory(None, preference("Order beef noodles on Eats", "Eats")))


def test_a_value_that_was_replaced_is_learnt_for_the_words_it_stands_for() -> None:
    lesson = find_correction(mom(), "text Sue that the train is late")
    assert lesson == LearnedAnswer("mom", "Sue", MeaningOrigin.USER, "you changed it", confirmed=True)
    lesson = find_correction(home(), "navigate to 4 Main Street")
    assert lesson is not None
    assert lesson.value == "4 Main Street"


@each(
    ("resolution", "instruction"),
    [
        (mom, "text Susan that the bus is late"),
        (mom, "call Sue and say the train is late"),
        (mom, "call Sue that the train is late"),
        (mom, "text  that the train is late"),
        (home, "navigate to 12 Park Street by bus"),
        (lunch, "Order rice on Eats"),
    ],
)
def test_another_kind_of_change_teaches_nothing(
    resolution: Callable[[], Resolution], instruction: str
) -> None:
    assert find_correction(resolution(), instruction) is None


def test_what_was_struck_out_is_not_learnt_though_it_was_read_on_the_phone() -> None:
    read = LearnedAnswer("mom", "Susan", MeaningOrigin.EXPLORATION, "read in Contacts", confirmed=False)
    other = LearnedAnswer(
        "home", "12 Park Street", MeaningOrigin.EXPLORATION, "read in Maps", confirmed=False
    )
    lesson = LearnedAnswer("boss", "Max", MeaningOrigin.USER, "you said so", confirmed=True)
    taught = LearnedAnswer("mom", "Sue", MeaningOrigin.USER, "you changed it", confirmed=True)
    assert update_lessons((read, lesson), "text Sue", taught) == (lesson, taught)
    said_before = LearnedAnswer("mom", "Susan", MeaningOrigin.USER, "you said so", confirmed=True)
    assert update_lessons((said_before, lesson), "text Sue", taught) == (lesson, taught)
    assert update_lessons((read, other), "go to 12 Park Street", None) == (other,)
