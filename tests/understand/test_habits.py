"""A whole command is taken for a habit only if what it says changes nothing of the habit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assistant.bench.resolving import Expected, Fate
from assistant.embedding.models import Tagging
from assistant.memory.prototypes.model import has_stopped
from assistant.records import State
from assistant.understand.languages.patterns import HabitMark, find_mark
from assistant.understand.model_reading import find_citable
from assistant.understand.perceive import perceive
from assistant.understand.recall import fill_probability, means_somebody_unknown, weigh_habit
from assistant.understand.resolution import Resolution, ResolutionKind
from assistant.understand.service import UnderstandingService
from assistant.understand.types import (
    Alike,
    EvidenceFact,
    Habit,
    Sources,
)
from assistant.understand.words import amounts_of, days_named
from tests.tables import each
from tests.understand.memories import NOW, PlainPreferences, PlainProfile, memory, named, preference

SWIM = "Start a swim of 40 lengths in Lanes"
LIGHT = "Set the bedroom bulb to 15% warm"
OPEN = Tagging(0.0, 0.9, ())
EXPLICIT = Tagging(0.0, 0.0, ())
PERSONAL = Tagging(0.9, 0.0, ())


def habit(
    *ways: str, app: str = "Lanes", confidence: float = 0.9, days: Sequence[int] = (0, 7, 14, 21)
) -> Habit:
    """A habit that was done in these ways, the likeliest first."""
    whole = preference(ways[0], app, confidence, days)
    parts = tuple(replace(preference(way, app, confidence / len(ways), days)) for way in ways)
    return Habit(whole, confidence, parts, ways)


def alike(word: str, texts: Sequence[str]) -> Sequence[float]:
    """Everything means about the same."""
    return [0.9] * len(texts)


def resolve(
    said: str,
    *habits: Habit,
    tagging: Tagging | None = OPEN,
    profile: PlainProfile | None = None,
    similarity: Alike = alike,
) -> Resolution:
    sources = Sources(profile or PlainProfile(), PlainPreferences(as_habits=habits), similarity)
    service = UnderstandingService(
        lambda: sources,
        lambda: State(time=NOW, scenario="office"),
        tagger=(lambda command: tagging) if tagging else None,
    )
    return service.resolve(said, ("Lanes", "Chat"))


def test_a_terse_command_is_the_habit_that_says_all_of_it() -> None:
    resolution = resolve("start the lengths", habit(SWIM))
    assert resolution.decision is ResolutionKind.FILLED
    assert resolution.instruction == SWIM


def test_a_command_that_hardly_leaves_anything_open_is_compared_with_no_habit() -> None:
    hardly = Tagging(0.0, 0.2, ())
    assert resolve("start the lengths", habit(SWIM), tagging=hardly).decision is ResolutionKind.AS_SAID


def test_the_surer_and_the_more_shared_the_likelier_is_a_habit() -> None:
    def probability(said: str, *habits: Habit, openness: float = 0.9) -> float:
        way = habits[0].ways[0]
        return fill_probability(weigh_habit(said, habits, way, by_beginning, openness))

    swim, run = habit(SWIM, confidence=0.6), habit("Start a run in Lanes", confidence=0.3)
    told = probability("start the lengths", swim)
    assert 0.0 < told < 1.0
    assert told > probability("start the lengths", swim, run)
    assert told > probability("start the lengths", habit(SWIM, confidence=0.3))
    assert told > probability("start the lengths", swim, openness=0.3)
    assert told > probability("start the loud lengths", swim) > probability("something wet", swim)


@each(
    ("said", "mark"),
    [
        ("start the lengths", HabitMark.NONE),
        ("order my usual lunch", HabitMark.ONLY_USUAL),
        ("order my usual lunch and water the plants", HabitMark.USUAL),
        ("order what I had last time", HabitMark.RECURRING),
    ],
)
def test_how_a_command_marks_a_habit(said: str, mark: HabitMark) -> None:
    assert find_mark(perceive(said)) is mark


@each(
    "said",
    [
        "start 50 lengths",
        "start fifty lengths",
        "start the lengths but slower",
        "don't start the lengths",
        "start the lengths in Chat",
        "start the lengths with Leo",
        "tell Ana: start the lengths",
        "call the lengths",
        "get goggles tea milk bread and two lengths of rope",
    ],
)
def test_what_is_said_beside_it_must_change_nothing(said: str) -> None:
    assert resolve(said, habit(SWIM)).decision is not ResolutionKind.FILLED


@each("said", ["order lunch for Bob", "order lunch at 12:30", "order lunch from Chat", "order two lunches"])
def test_a_meal_with_more_said_of_it_is_not_the_usual(said: str) -> None:
    lunch = habit("Order beef noodles without coriander", app="Eats")
    assert resolve("order lunch", lunch).instruction == "Order beef noodles without coriander on Eats"
    assert resolve(said, lunch).decision is not ResolutionKind.FILLED


@each(
    ("said", "is_meant"),
    [
        ("start my slow river swim", False),
        ("start the pool swim", False),
        ("my swim please", True),
        ("start my river swim", True),
    ],
)
def test_a_thing_with_another_word_before_it_is_another_thing(said: str, is_meant: bool) -> None:
    swim = habit("Start the fast river swim in Lanes", "Begin a lake swim in Lanes")
    assert (resolve(said, swim).decision is ResolutionKind.FILLED) is is_meant


def test_a_command_that_says_it_all_stays_as_it_is() -> None:
    said = "set bedroom bulb to 15 warm please"
    assert resolve(said, habit(LIGHT, app="Taa"), tagging=EXPLICIT).instruction == said


def test_what_is_said_beside_a_habit_is_kept() -> None:
    def unlike(word: str, texts: Sequence[str]) -> Sequence[float]:
        return [0.9 if word == SWIM or " " in word else 0.1 for _ in texts]

    sources = Sources(PlainProfile(), PlainPreferences(as_habits=(habit(SWIM),)), unlike)
    service = UnderstandingService(lambda: sources, lambda: State(time=NOW), tagger=lambda command: OPEN)
    kept = service.resolve("start the lengths, goggles on", ("Lanes",))
    assert kept.instruction == f"{SWIM}, as asked: “start the lengths, goggles on”"


@each(
    ("said", "is_kept"),
    [
        ("pay and order my usual lunch", True),
        ("order my usual lunch and call me", True),
        ("order and share my usual lunch", True),
        ("please order my usual lunch", False),
        ("could you get me my usual lunch", False),
    ],
)
def test_another_deed_beside_the_usual_is_kept(said: str, is_kept: bool) -> None:
    noodles = habit("Order beef noodles on Eats", app="Eats", confidence=0.95, days=tuple(range(1, 13)))
    resolution = resolve(said, noodles, tagging=None)
    assert resolution.decision is ResolutionKind.FILLED
    assert resolution.instruction.startswith("Order beef noodles on Eats")
    assert resolution.instruction.endswith(f", as asked: “{said}”") is is_kept


def test_a_habit_that_delivers_to_several_places_is_none_of_them() -> None:
    home, office = (
        "Order yoghurt from Field to home on Market",
        "Order yoghurt from Field to the office on Market",
    )
    assert resolve(
        "order yoghurt from field to the office", habit(home, office, app="Market")
    ).instruction.endswith(("to the office", "to the office on Market"))


@each(
    ("text", "days"),
    [
        ("the same as Friday", ("03-06", "02-27")),
        ("as on monday", ("03-02", "02-23")),
        ("what I had on March 5", ("03-05",)),
        ("like the 5th of march, please", ("03-05",)),
        ("the one of the 7th", ("03-07",)),
        ("the one of the 12th", ("02-12",)),
        ("like December 24", ("12-24",)),
        ("yesterday's lunch again", ("03-08",)),
        ("同上周四一样", ("03-05", "02-26")),
        ("三月五号那个", ("03-05",)),
        ("十二号那家", ("02-12",)),
        ("前天看的那个", ("03-07",)),
        ("wie am 5. März, die Pizza für mich", ("03-05",)),
        ("on February 30", ()),
        ("two of them at 5:30, bus 9", ()),
    ],
)
def test_the_days_that_a_command_names(text: str, days: tuple[str, ...]) -> None:
    assert {f"{day:%m-%d}" for day in days_named(text, NOW)} == set(days)
    assert all(day <= NOW.date() for day in days_named(text, NOW))


def test_an_order_with_much_of_its_own_is_no_habit_with_a_remark() -> None:
    def unlike(word: str, texts: Sequence[str]) -> Sequence[float]:
        return [0.9 if " " in word else 0.1 for _ in texts]

    soup = habit("Order lentil soup with brown bread from Mill Kitchen", app="Eats")
    said = "mill kitchen bread, lamb curry, plain rice, as usual"
    assert resolve(said, soup, similarity=unlike).decision is not ResolutionKind.FILLED
    assert resolve("my usual mill kitchen bread", soup, similarity=unlike).decision is ResolutionKind.FILLED


@each(
    ("said", "done", "app"),
    [
        ("shed off, it's dry", "Set the shed heater to 12 degrees", "Home"),
        ("skip the shed heater", "Set the shed heater to 12 degrees", "Home"),
        ("scratch that shed log", "Log the shed in the diary", "Notes"),
        ("先不打阿依 她在约会", "打给阿依，问周末约不约", "电话"),
        ("明儿歇车 闹钟撤", "设闹钟四点二十，出早车", "闹钟"),
        ("视频给爸", "视频打给妈妈，在银川", "微信"),
        ("send the yoghurt to the office", "Send the yoghurt to home", "Market"),
        ("听精忠报国", "全民K歌唱《站台》，打开伴奏", "全民K歌"),
        ("在全民K歌点歌万水千山总是情", "在全民K歌点歌朋友的酒", "全民K歌"),
        ("我在长春呢 找个充电站", "打开哈西充电站扫码充电", "充电"),
    ],
)
def test_what_takes_a_habit_back_or_names_another_is_not_the_habit(said: str, done: str, app: str) -> None:
    assert resolve(said, habit(done, app=app)).decision is not ResolutionKind.FILLED


@each(
    ("done", "app", "is_filled"),
    [
        ("Esi 50 cedis MoMo", "MoMo", False),
        ("Esi 50 cedis", "Lanes", False),
        ("Esi: good night", "WhatsApp", False),
        ("Esi at the lake, 50 lengths", "Lanes", True),
        ("Call Esi on speaker", "WhatsApp", True),
    ],
)
def test_what_pays_or_sends_needs_more_though_no_word_says_so(done: str, app: str, is_filled: bool) -> None:
    resolution = resolve("esi now", habit(done, app=app, confidence=0.45))
    assert (resolution.decision is ResolutionKind.FILLED) is is_filled


def test_a_message_of_the_users_own_is_not_the_usual_one() -> None:
    def unlike(word: str, texts: Sequence[str]) -> Sequence[float]:
        return [0.9 if " " in word else 0.1 for _ in texts]

    usual = habit("Text Priya: running late, cover the till", app="Messages", confidence=0.95)
    assert resolve("text Priya, cover the till", usual, similarity=unlike).decision is ResolutionKind.FILLED
    assert resolve("text Priya the bananas", usual, similarity=unlike).decision is not ResolutionKind.FILLED


def test_who_is_named_is_not_somebody_whose_name_only_begins_so() -> None:
    class Contacts(PlainProfile):
        def contacts_in(self, instruction: str) -> Sequence[str]:
            names = [name for name in ("Kasia Biuro", "Kasia") if name.casefold() in instruction.casefold()]
            return names[:1]

    office = habit("Video call Kasia Biuro", app="Chat")
    assert resolve("video kasia", office, profile=Contacts()).decision is not ResolutionKind.FILLED
    assert resolve("video kasia biuro", office, profile=Contacts(), tagging=EXPLICIT).missing == ()
    own = habit("Video call Kasia on speaker", app="Chat")
    assert resolve("video kasia", own, profile=Contacts()).decision is ResolutionKind.FILLED


@each("said", ["asdf", "qwrtz gg", "呜呜"])
def test_nonsense_is_no_habit(said: str) -> None:
    def unlike(word: str, texts: Sequence[str]) -> Sequence[float]:
        return [0.2] * len(texts)

    noodles = habit("Order beef noodles", app="Eats", confidence=0.1)
    habits = noodles, habit("点一份牛肉面", app="食客", confidence=0.1)
    sources = Sources(PlainProfile(), PlainPreferences(as_habits=habits), unlike)
    service = UnderstandingService(lambda: sources, lambda: State(time=NOW), tagger=lambda command: OPEN)
    assert service.resolve(said).instruction == said


def test_ways_that_differ_are_asked_about() -> None:
    sent = resolve("send jojo his money", habit("Send 1,000 to Jojo", "Send 4,500 to Jojo", app="Pay"))
    assert sent.decision is ResolutionKind.ASK
    assert sent.missing[0].candidates


def test_what_is_not_sure_is_asked_about_if_the_command_is_open() -> None:
    unsure = habit(SWIM, confidence=0.4, days=(2, 4, 9))
    assert resolve("lengths, goggles, the lot", unsure).decision is ResolutionKind.ASK
    assert resolve("lengths, goggles, the lot", unsure, tagging=EXPLICIT).decision is ResolutionKind.AS_SAID


def test_nothing_is_asked_where_no_habit_is_likely() -> None:
    unlikely = habit(SWIM, confidence=0.1, days=(2, 4, 9))
    assert resolve("the lengths", unlikely).decision is ResolutionKind.AS_SAID


def test_home_is_a_place_to_go_without_a_preposition() -> None:
    ride = habit("Get a taxi home", app="Ride")
    assert resolve("taxi home, please", ride).decision is not ResolutionKind.ASK
    assert resolve("taxi to the office, please", ride).decision is not ResolutionKind.FILLED


@each(
    "said",
    [
        "order my unusual lunch",
        "order my irregular lunch",
        "show me my usual lunch",
        "search for my usual soup",
        "track my usual soup",
        "copy my usual soup into my notes",
        "help me rate my usual soup",
        "reorganise my usual soup",
        "查一下我平时的午饭",
        "评价我平时的午饭",
        "order my usual pizza",
        "my great-grandma's lunch",
    ],
)
def test_another_thing_deed_or_person_is_not_the_usual_one(said: str) -> None:
    def unlike(word: str, texts: Sequence[str]) -> Sequence[float]:
        return [0.4] * len(texts)

    soup = habit("Order lentil soup on Bowl", app="Bowl")
    assert resolve("order my usual soup", soup, similarity=unlike).decision is ResolutionKind.FILLED
    assert resolve(said, soup, similarity=unlike).decision is not ResolutionKind.FILLED


@each(
    "said",
    [
        "buy my usual soup",
        "get me my usual soup",
        "can you have my usual soup delivered",
        "my usual soup please",
        "ORDER MY USUAL SOUP",
        "Order My Usual Soup",
        "点我平时的汤",
    ],
)
def test_a_verb_of_the_same_kind_or_without_a_meaning_asks_for_the_habit(said: str) -> None:
    soup = habit("Order lentil soup on Bowl", app="Bowl")
    resolution = resolve(said, soup)
    assert resolution.decision is ResolutionKind.FILLED
    assert resolution.instruction.startswith("Order lentil soup on Bowl")


@pytest.mark.parametrize("said", ["Order my usual soup for WILL", "Order My Usual Soup For Mark And Will"])
def test_a_name_that_is_a_word_as_well_is_heeded(said: str) -> None:
    soup = habit("Order lentil soup on Bowl", app="Bowl")
    assert resolve(said, soup).decision is not ResolutionKind.FILLED


def test_the_value_of_some_words_is_the_thing_and_not_the_order_of_it() -> None:
    meal = habit("Order lentil soup and rye bread on Bowl to the office", app="Bowl")
    printed = resolve("order my usual lunch", meal).as_json()
    assert printed["elements"][0]["value"] == "lentil soup and rye bread"
    assert printed["instruction"] == "Order lentil soup and rye bread on Bowl to the office"


@each("said", ["navigate to my old flat", "导航去我老家", "导航去我新家"])
def test_a_place_that_is_not_known_is_not_where_the_user_usually_goes(said: str) -> None:
    ride = habit("Navigate to Elm Street 9 with Wayfinder", app="Wayfinder", confidence=0.98)
    assert resolve(said, ride, tagging=PERSONAL).decision is ResolutionKind.ASK


@each("said", ["I will lie down now, wake me as usual", "get me up as always", "照旧叫我起床"])
def test_words_that_say_how_leave_the_verb_to_the_habit(said: str) -> None:
    alarm = habit("Set an alarm for 5:45 in Clock", app="Clock", confidence=0.98)
    assert resolve(said, alarm).decision is ResolutionKind.FILLED


def test_a_misspelt_habit_is_offered() -> None:
    likely = habit("Order lentil soup on Bowl", app="Bowl", confidence=0.5)
    asked = resolve("odrer my usal lunch", likely, tagging=PERSONAL, similarity=by_beginning).missing
    assert [candidate.value for candidate in asked[0].candidates] == ["Order lentil soup on Bowl"]


def test_only_what_is_of_the_kind_is_offered() -> None:
    unsure = [
        habit(text, confidence=0.3)
        for text in ("Order noodles", "Set an alarm for 6:40", "Send Lena 45 yuan", "Order a latte")
    ]
    resolution = resolve("order a coffee", *unsure)
    offered = [candidate.value for candidate in resolution.missing[0].candidates]
    assert sorted(offered) == ["Order a latte", "Order noodles"]


def test_what_has_the_named_thing_is_offered_first() -> None:
    likelier = habit("Order noodles from Old Street", app="Eats", confidence=0.45)
    named = habit("Order a latte from Corner Coffee", app="Eats", confidence=0.3)
    asked = resolve("order a coffee", likelier, named, similarity=by_beginning).missing
    assert asked[0].candidates[0].value == "Order a latte from Corner Coffee"


@each(
    ("said", "about", "is_filled"),
    [
        ("navigate to my office", "office", True),
        ("navigate to my old office", "office", False),
        ("call my sister", "sister", True),
        ("call my other sister", "sister", False),
    ],
)
def test_another_adjective_means_another_place_or_person(said: str, about: str, is_filled: bool) -> None:
    key = "address" if about == "office" else "name"
    fact = EvidenceFact(about, key, "Harbour Tower" if about == "office" else "Paula", 0.9)
    words = said.partition("my ")[2]
    profile = PlainProfile({about: fact, words: fact}, (fact,))
    resolution = resolve(said, profile=profile, tagging=None)
    assert (resolution.decision is ResolutionKind.FILLED) is is_filled


@pytest.mark.parametrize("said", ["call my step-mom", "call my step-mom."])
def test_a_full_stop_makes_nobody_unknown(said: str) -> None:
    fact = EvidenceFact("step-mom", "name", "Paula", 0.9)
    asked = resolve(said, profile=PlainProfile({"my step-mom": fact}, (fact,)), tagging=None)
    meaning = asked.meanings[0]
    answered = replace(asked, meanings=(replace(meaning, chosen=meaning.candidates[0]),))
    assert means_somebody_unknown(asked, ())
    assert not means_somebody_unknown(answered, ())


def test_a_question_is_no_habit() -> None:
    becky = habit("Phone Becky, speaker on", app="Phone")
    assert resolve("Becky call, please", becky).decision is ResolutionKind.FILLED
    assert resolve("Becky call?", becky).decision is not ResolutionKind.FILLED


def test_a_relative_of_somebody_is_somebody_else() -> None:
    zac = habit("Call Zac on FaceTime audio", app="FaceTime")
    assert resolve("call Zac, please", zac).decision is ResolutionKind.FILLED
    assert resolve("call Zac's dad, please", zac).decision is not ResolutionKind.FILLED


def test_nobody_unknown_is_taken_for_somebody_else() -> None:
    neighbour = habit("Ring Mrs Petrie", app="Phone")
    assert resolve("ring my sister", neighbour).decision is not ResolutionKind.FILLED


def test_what_was_given_up_is_asked_about() -> None:
    gym = habit("Check in at Delta Gym", app="Ridge")
    assert resolve("gym check-in please", gym).decision is ResolutionKind.FILLED
    stopped = replace(gym, preference=replace(gym.preference, has_stopped=True))
    assert resolve("gym check-in please", stopped).decision is ResolutionKind.ASK


@each(
    ("days_ago", "stopped"),
    [
        ((3, 5, 9), False),
        ((20, 22, 25), True),
        ((15, 25, 35), False),
        ((45,), False),
        ((16, 23, 30, 37), True),
        ((13, 14), False),
    ],
)
def test_a_habit_has_stopped_after_more_than_twice_its_longest_gap(
    days_ago: Sequence[int], stopped: bool
) -> None:
    members = preference("Check in", days_ago=days_ago).prototype.members
    assert has_stopped(members, NOW) is stopped


def test_what_took_the_place_of_a_way_is_meant() -> None:
    whole = preference("Feed the cats two portions", "Paws", 0.9, range(1, 31))
    old = preference("Feed the cats two portions", "Paws", 0.6, range(8, 31))
    new = preference("Feed the cats three portions", "Paws", 0.3, range(1, 8))
    cats = Habit(whole, 0.9, (old, new), (old.prototype.instruction, new.prototype.instruction))
    assert resolve("feed the cats", cats).instruction == "Feed the cats three portions on Paws"


def test_a_way_that_is_done_in_turn_with_another_is_not_of_the_past() -> None:
    whole = preference("Feed the cats two portions", "Paws", 0.9, range(1, 31))
    odd = preference("Feed the cats two portions", "Paws", 0.45, range(1, 31, 2))
    even = preference("Feed the cats three portions", "Paws", 0.45, range(2, 31, 2))
    cats = Habit(whole, 0.9, (odd, even), (odd.prototype.instruction, even.prototype.instruction))
    assert resolve("feed the cats", cats).decision is ResolutionKind.ASK


def test_somebody_named_is_in_the_way_that_is_taken() -> None:
    to_both = habit("Send Mrs Lee the paid receipt", "Send Mrs Moy the paid receipt", app="Chat")
    moy = resolve("send Mrs Moy her receipt", to_both)
    assert moy.instruction.startswith("On Chat, send Mrs Moy the paid receipt")


def test_what_others_like_is_not_the_users_habit() -> None:
    assert resolve("set the bulb", habit(LIGHT, app="Taa")).decision is ResolutionKind.FILLED
    assert (
        resolve("set the bulb as guests like", habit(LIGHT, app="Taa")).decision is not ResolutionKind.FILLED
    )


@each(
    "said",
    [
        "start 50 lengths",
        "start the lengths in Chat",
        "start lengths with Leo",
        "not usual, start 50 lengths",
    ],
)
def test_a_command_with_values_of_its_own_asks_nothing_though_the_habit_is_unsure(said: str) -> None:
    assert resolve(said, habit(SWIM, confidence=0.4)).decision is ResolutionKind.AS_SAID


@each(
    ("text", "amounts"),
    [
        ("周六那顿", set()),
        ("twelve minutes", {"12"}),
        ("定时20分钟", {"20"}),
        ("一百七十拍", {"170"}),
        ("十分钟就停", {"10"}),
        ("百分之三十", {"30"}),
        ("两份", {"2"}),
        ("三百 她要买书", {"300"}),
        ("跑了三百五", {"350"}),
        ("三百零五块", {"305"}),
        ("一千二", {"1200"}),
        ("学费两万", {"20000"}),
        ("第一个", set()),
        ("a coffee", set()),
    ],
)
def test_numbers_in_figures_and_words(text: str, amounts: set[str]) -> None:
    assert amounts_of(text) == amounts


def test_a_number_is_judged_the_same_in_figures_and_words() -> None:
    right = Expected(contains=("7 min",), **{"not": ("12",)})
    assert right.judge("eggs", "filled", "Timer seven minutes for the eggs") is Fate.RIGHT
    assert right.judge("eggs", "filled", "Timer twelve minutes, not 7 min") is Fate.WRONG
    assert Expected(contains=("十分钟",)).judge("药浴", "filled", "计时10分钟") is Fate.RIGHT
    assert Expected(contains=("两份",)).judge("喂猫", "filled", "出粮一份") is Fate.WRONG


PORRIDGE = "朝阳早点订小米粥，送家里"
LATTE = "订拿铁，无糖，海港烘焙，送公司"


@each(
    ("said", "done", "is_filled"),
    [
        ("用外卖买份小米粥当早饭，送家里", PORRIDGE, False),
        ("来份小米粥", PORRIDGE, True),
        ("来个烤鸡翅，大口那家的，送到家里", "来个烤鸡翅，大口那家的，送到家里", False),
        ("晚上听大白话理财当天那期", "今晚的大白话理财放上", False),
        ("狗泡起药浴了 计时", "狗泡药浴 计时10分钟", True),
        ("骑车路上放那个歌单", "骑车路上放歌单打球冲冲冲", True),
        ("点叶与泡的柠檬茶，无糖，送公司", LATTE, False),
        ("点无糖的，送公司", LATTE, True),
        ("家常厨房今天写了什么", "打开家常厨房", False),
        ("看看家常厨房", "打开家常厨房的文章", True),
        ("点一杯热拿铁，中杯，春熙路地铁站店自取", "点一杯大杯冰拿铁，加一份浓缩，春熙路地铁站店自取", False),
    ],
)
def test_a_chinese_order_of_its_own_is_not_rewritten(said: str, done: str, is_filled: bool) -> None:
    decision = resolve(said, habit(done, app="外卖")).decision
    assert (decision is ResolutionKind.FILLED) is is_filled


@each("said", ["帮我订烤鸡翅送家里", "早餐点豆浆油条，送到家里", "叫车去公司"])
def test_home_is_no_place_that_a_habit_goes_to(said: str) -> None:
    to_school = preference("订烤鸡翅送到学校门口", "外卖", 0.95)
    sources = memory(PlainProfile(), to_school, preference("叫车去万达广场", "打车", 0.95))
    service = UnderstandingService(lambda: sources, lambda: State(time=NOW))
    assert service.resolve(said).instruction == said


def by_beginning(word: str, texts: Sequence[str]) -> Sequence[float]:
    """Words mean about the same if one begins the other."""
    return [0.9 if text.startswith(word) or word.startswith(text) else 0.1 for text in texts]


def test_how_somebody_is_reached_is_a_habit_too() -> None:
    son = PlainProfile(named("my son", "Filip"))
    video = habit("Video call Filip on Chat", app="Chat")
    reached = resolve("call my son", video, tagging=PERSONAL, profile=son)
    assert reached.instruction == "Video call Filip on Chat"
    written = habit("Text Filip good night", app="Chat")
    said = resolve(
        "text my son that dinner is cold",
        written,
        tagging=PERSONAL,
        profile=son,
        similarity=by_beginning,
    )
    assert said.instruction == "text Filip that dinner is cold"


def test_a_place_of_delivery_keeps_its_word_beside_the_address() -> None:
    dorm = PlainProfile(named("宿舍", "四巷二十七号B房", kind="address"))
    service = UnderstandingService(lambda: memory(dorm), lambda: State(time=NOW))
    filled = service.resolve("点一份烧鸡饭要汤送宿舍", ("外卖",)).instruction
    assert filled == "点一份烧鸡饭要汤送宿舍（四巷二十七号B房）"


@each(
    ("order", "days_ago", "is_usual"),
    [
        ("what do I have on tomorrow, in which order", (3,), False),
        ("我明天都有啥安排 几点干啥 你帮我捋捋", (3,), False),
        ("周三那个家长会 提前一天晚上八点提醒我准备一下", (3,), False),
        ("remind me of the meeting on wednesday", (3,), False),
        # What is done again is usual, and a message may name any day.
        ("how warm is it tomorrow", (3, 4), True),
        ("text Ann: see you on friday?", (3,), True),
        ("给小王发消息：周五来吗", (3,), True),
        ("order a rice bowl", (3,), True),
    ],
)
def test_what_was_asked_or_set_for_a_day_once_is_nothing_usual(
    order: str, days_ago: tuple[int, ...], *, is_usual: bool
) -> None:
    ways = memory(None, preference(order, days_ago=days_ago))
    assert bool(find_citable(ways, "do it for Ann", State(time=NOW))) is is_usual
    # Somebody who names its day means it.
    assert find_citable(ways, "like last friday", State(time=NOW))
