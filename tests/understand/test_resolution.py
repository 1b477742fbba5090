"""Why a meaning is believed: a person reads who did or said it, how often, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from assistant.memory.profile.graph import Evidence, Strength
from assistant.memory.prototypes.terms import split_own_words, with_own_words
from assistant.records import Action, Click, OpenApp, Point, Target, TypeText
from assistant.understand.habit_match import format_reference
from assistant.understand.perceive import perceive
from assistant.understand.resolution import (
    Meaning,
    adopt_habit,
    distinct_candidates,
    format_habit_reason,
    format_value_reason,
    keep_said,
    make_resolution,
    name_app,
)
from assistant.understand.types import (
    Category,
    MeaningCandidate,
    MeaningOrigin,
    Perceived,
    PersonalizedElement,
)
from assistant.understand.words import detect_language
from tests.tables import each
from tests.understand.memories import NOW, preference

TWICE = preference("Order rice", days_ago=(2, 9)).prototype


def seen(strength: Strength, *days_ago: int) -> list[Evidence]:
    return [Evidence(f"r{days}", NOW - timedelta(days=days), strength) for days in days_ago]


def test_a_preference_tells_what_was_done_and_when() -> None:
    assert format_habit_reason(TWICE) == "done 2 times, last Sat 7 Mar"
    once = replace(TWICE, members=TWICE.members[:1])
    assert format_habit_reason(once) == "done once, on Sat 7 Mar"


@each(
    ("days_ago", "words"),
    [
        # NOW is a Monday.
        ((3, 4, 5, 10), "4 of 6 working days, last Fri 6 Mar"),
        ((1, 2, 3, 5), "4 of 5 days, last Sun 8 Mar"),
        ((1, 8, 15, 29), "4 of 5 times on a Sunday, last Sun 8 Mar"),
        ((3, 4, 5, 40), "done 4 times, last Fri 6 Mar"),
        ((3, 4, 5), "done 3 times, last Fri 6 Mar"),
        ((3, 3, 4, 5, 6), "done 5 times, last Fri 6 Mar"),
    ],
)
def test_what_is_done_on_most_days_that_could_have_been_tells_of_how_many(
    days_ago: tuple[int, ...], words: str
) -> None:
    assert format_habit_reason(preference("Order rice", days_ago=days_ago).prototype) == words


def test_what_the_user_wrote_in_its_place_is_not_said_to_be_done() -> None:
    reason = "you wrote it in the memory, in place of what you did 2 times · last Sat 7 Mar"
    assert format_habit_reason(replace(TWICE, worded=True)) == reason
    once = replace(TWICE, worded=True, members=TWICE.members[:1])
    assert format_habit_reason(once) == "you wrote it in the memory, in place of what you did on Sat 7 Mar"
    assert format_habit_reason(replace(TWICE, worded=True, members=())) == "you wrote it in the memory"


@each(
    ("evidence", "words"),
    [
        (seen(Strength.USER, 4, 6), "you said so on Thu 5 Mar"),
        (seen(Strength.STATED, 4), "you said so in a command on Thu 5 Mar"),
        (seen(Strength.SWITCHED, 4), "you said so in a command on Thu 5 Mar"),
        (seen(Strength.EXPLORED, 6, 4), "read on the phone on Thu 5 Mar"),
        (seen(Strength.IMPLIED, 4), "from what you asked for on Thu 5 Mar"),
        (seen(Strength.IMPLIED, 4, 6, 9), "from 3 of your commands · last Thu 5 Mar"),
        ([*seen(Strength.IMPLIED, 1), *seen(Strength.USER, 4)], "you said so on Thu 5 Mar"),
        ([], ""),
    ],
)
def test_a_fact_tells_who_said_it_or_where_it_was_read(evidence: Sequence[Evidence], words: str) -> None:
    assert format_value_reason(evidence) == words


@each(
    ("text", "app", "order"),
    [
        ("Order soup.", "Eats", "Order soup on Eats."),
        ("Send a message to Mom: I will be late", "Chat", "On Chat, send a message to Mom: I will be late"),
        ("Text Jo that I am in", "Chat", "On Chat, text Jo that I am in"),
        ("Schreib Jo, dass ich komme", "Signal", "On Signal, schreib Jo, dass ich komme"),
        ("点一份汤", "食客", "在食客上点一份汤"),
    ],
)
def test_an_app_never_stands_at_the_end_of_a_message(text: str, app: str, order: str) -> None:
    assert name_app(text, app) == order


@each(
    ("instruction", "said", "whole"),
    [
        ("Order soup.", "soup, no salt.", "Order soup, as asked: “soup, no salt”"),
        ("点一份汤。", "老样子，不要盐", "点一份汤，原话是“老样子，不要盐”"),
        ("Order soup, as asked: “the usual”", "soup, no salt", "Order soup, as asked: “soup, no salt”"),
    ],
)
def test_own_words_stand_once_behind_an_instruction(instruction: str, said: str, whole: str) -> None:
    assert with_own_words(instruction, said) == whole
    assert split_own_words(whole) == (split_own_words(instruction)[0].rstrip(".。"), said.rstrip("."))


def test_an_instruction_without_own_words_is_whole() -> None:
    assert split_own_words("Write “as asked: yes”") == ("Write “as asked: yes”", "")


def test_an_app_stands_before_own_words() -> None:
    order = name_app("Order soup, as asked: “soup, no salt”", "Eats")
    assert order == "Order soup on Eats, as asked: “soup, no salt”"


def read_as_habit(said: str, part: str, habit: str, category: Category) -> bool:
    """Whether a reading of a command as a habit keeps too few of its words."""
    element = PersonalizedElement(said.index(part), said.index(part) + len(part), part, category, part)
    perceived = Perceived(said, detect_language(said), (element,))
    candidate = MeaningCandidate(
        with_own_words(habit, said), MeaningOrigin.PREFERENCE, 0.9, preference=preference(habit)
    )
    return adopt_habit(make_resolution(perceived, ()), element, candidate).outvotes_command


@each(
    ("said", "part", "habit", "outvotes"),
    [
        ("every friday after work remind me to send the report", "after work", "Order beef noodles", True),
        ("每周五下班后提醒我交周报", "下班后", "点老街面馆的牛肉面", True),
        ("play my usual lunch", "my usual lunch", "Order beef noodles", True),
        ("导航去公司,别走高速", "公司", "导航去湖畔茶楼", True),
        ("这个月给医生打过电话吗", "医生", "给林素珊打电话", True),
        ("order my usual lunch", "my usual lunch", "Order beef noodles", False),
        ("the usual, please", "the usual", "Order beef noodles", False),
        ("get me noodles as usual", "as usual", "Order beef noodles", False),
        ("点我常吃的午饭", "我常吃的午饭", "点老街面馆的牛肉面", False),
        ("帮我照旧来份牛肉面", "照旧", "点老街面馆的牛肉面", False),
    ],
)
def test_a_reading_that_keeps_few_words_is_known(said: str, part: str, habit: str, outvotes: bool) -> None:
    assert read_as_habit(said, part, habit, Category.HABIT) is outvotes


@each("said", ["set an alarm for 7:30", "定7点半的闹钟", "🙂"])
def test_what_is_done_as_said_keeps_its_words(said: str) -> None:
    assert not make_resolution(perceive(said), ()).outvotes_command


_SOUP = "Order tomato soup, no salt, from Blue Door to the office"
_SOUP_ZH = "点蓝门的番茄汤，少盐，送到公司"


@each(
    ("habit", "command", "instruction"),
    [
        (_SOUP, "order my usual dinner to my home", "Order tomato soup, no salt, from Blue Door to my home"),
        (_SOUP, "soup again but not to the office, to the gym", _SOUP.replace("the office", "the gym")),
        (_SOUP, "order my usual dinner home", "Order tomato soup, no salt, from Blue Door home"),
        (_SOUP, "order my usual dinner to the office", _SOUP),
        (_SOUP, "order my usual dinner", _SOUP),
        (_SOUP_ZH, "点平时的晚饭送到家", "点蓝门的番茄汤，少盐，送到家"),
        (_SOUP_ZH, "老样子，送到健身房", "点蓝门的番茄汤，少盐，送到健身房"),
        (_SOUP_ZH, "点平时的晚饭", _SOUP_ZH),
        (_SOUP, "the usual soup, two of them", _SOUP.replace("tomato soup", "2 tomato soups")),
        (_SOUP, "soup again, make it 3 portions, home", "Order 3 tomato soups, no salt, from Blue Door home"),
        (_SOUP, "i had two of them yesterday, the usual soup", _SOUP),
        (_SOUP, "the usual soup, in 20 minutes", _SOUP),
        (_SOUP_ZH, "还是那碗汤，来两份，这回送到家里，别送公司", "点两份蓝门的番茄汤，少盐，送到家里"),
        ("Order 1 latte, less ice", "my latte, two of them today", "Order two lattes, less ice"),
        (_SOUP, "my soup, two of them today", _SOUP.replace("tomato soup", "2 tomato soups")),
        (_SOUP_ZH, "还是那碗汤，今天要两碗，我俩喝", "点两碗蓝门的番茄汤，少盐，送到公司"),
        (_SOUP_ZH, "昨天喝了两碗没饱，照旧", _SOUP_ZH),
        (_SOUP_ZH, "老样子 要三碗", "点三碗蓝门的番茄汤，少盐，送到公司"),
        (_SOUP_ZH, "昨天喝了两碗，老样子", _SOUP_ZH),
    ],
)
def test_a_place_and_an_amount_that_are_said_take_the_place_of_the_usual(
    habit: str, command: str, instruction: str
) -> None:
    assert keep_said(habit, command) == instruction


@each(
    ("offered", "distinct"),
    [
        (("给林素珊打个电话", "给林素珊打电话", "给高医生打电话"), ("给林素珊打个电话", "给高医生打电话")),
        (("call Susan Lin", "give Susan Lin a call", "phone Susan Lin"), ("call Susan Lin",)),
        (("给林素珊发条消息", "给林素珊打电话"), ("给林素珊发条消息", "给林素珊打电话")),
        (("点一份牛肉面", "点两份牛肉面"), ("点一份牛肉面", "点两份牛肉面")),
    ],
)
def test_one_deed_in_two_wordings_is_offered_once(
    offered: tuple[str, ...], distinct: tuple[str, ...]
) -> None:
    candidates = (MeaningCandidate(value, MeaningOrigin.PREFERENCE, 0.5) for value in offered)
    assert tuple(each.value for each in distinct_candidates(candidates)) == distinct


@each(
    ("said", "part", "category", "note"),
    [
        (
            "tell my mom that I am late",
            "my mom",
            Category.PERSON,
            'On this phone "Ada Berg" may be listed as "mom".',
        ),
        ("跟我妈说我晚点到", "我妈", Category.PERSON, 'On this phone "Ada Berg" may be listed as "妈".'),
        ("navigate to my gym", "my gym", Category.PLACE, ""),
    ],
)
def test_the_model_is_told_by_which_words_a_phone_may_list_somebody(
    said: str, part: str, category: Category, note: str
) -> None:
    element = PersonalizedElement(said.index(part), said.index(part) + len(part), part, category, part)
    meaning = Meaning(element, MeaningCandidate("Ada Berg", MeaningOrigin.PROFILE, 0.9))
    resolution = make_resolution(Perceived(said, detect_language(said), (element,)), (meaning,))
    assert format_reference(resolution) == note


def tapped(words: str) -> Click:
    return Click(point=Point(0.5, 0.5), target=Target(text=words))


SENT = (
    OpenApp(name="Chat"),
    tapped("Later"),
    tapped("Allow"),
    tapped("Ada Berg · lunch? · 11-26"),
    tapped("Message"),
    TypeText(text="running late"),
    tapped("send"),
)
BOUGHT = (
    OpenApp(name="Eats"),
    tapped("Rice bowl · $4"),
    tapped("Check out"),
    tapped("Pay now"),
    tapped("Done"),
)


@each(
    ("order", "done", "actions", "way"),
    [
        (
            "text Ada Berg: I'm home",
            "text Ada Berg: running late",
            SENT,
            "open Chat; tap “Ada Berg”; tap “Message”",
        ),
        (
            "给 Ada Berg 发消息：到了吗",
            "给 Ada Berg 发消息：路上",
            SENT,
            "open Chat; tap “Ada Berg”; tap “Message”",
        ),
        (
            "order a rice bowl, no salt",
            "order a rice bowl",
            BOUGHT,
            "open Eats; tap “Rice bowl”; tap “Check out”",
        ),
        # What only asks is shown no way that does something.
        ("what did I just text Ada Berg, did she answer", "text Ada Berg: running late", SENT, ""),
        ("在微聊看看我刚给 Ada Berg 发的啥，她回我没", "给 Ada Berg 发消息：路上", SENT, ""),
        ("我刚给 Ada Berg 发了啥", "给 Ada Berg 发消息：路上", SENT, ""),
        ("read me the last message of Ada Berg", "text Ada Berg: running late", SENT, ""),
        ("how much was my last rice bowl", "order a rice bowl", BOUGHT, ""),
        ("show my last order", "order a rice bowl", BOUGHT, ""),
        # Nor is another deed.
        ("cancel the rice bowl", "order a rice bowl", BOUGHT, ""),
    ],
)
def test_only_the_way_up_to_the_deed_is_told_and_only_of_the_same_deed(
    order: str, done: str, actions: tuple[Action, ...], way: str
) -> None:
    once = preference(done, "Chat")
    habit = replace(once, prototype=replace(once.prototype, actions=actions))
    element = PersonalizedElement(0, len(order), order, Category.OPEN, "")
    chosen = MeaningCandidate(order, MeaningOrigin.PREFERENCE, 0.9, preference=habit)
    meanings = (Meaning(element, chosen),)
    resolution = make_resolution(Perceived(order, detect_language(order), (element,)), meanings)
    told = format_reference(resolution)
    assert (f'"{way}"' in told and "like this began" in told) if way else told == ""
