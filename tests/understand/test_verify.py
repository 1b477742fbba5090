"""What must never be filled in, whatever the memory holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from assistant.embedding.models import TaggedSpan, Tagging
from assistant.memory.profile.graph import canonical_word
from assistant.memory.prototypes.model import Member, Preference
from assistant.understand.memory_sources import split_by_object
from assistant.understand.perceive import perceive
from assistant.understand.resolution import ResolutionKind, complete
from assistant.understand.types import (
    Category,
    CommandLanguage,
    EvidenceFact,
    MeaningCandidate,
    MeaningOrigin,
    Objection,
    Perceived,
    PersonalizedElement,
    normalize_key,
)
from assistant.understand.verify import (
    find_completion_objection,
    find_objection,
    is_another_deed,
    is_another_thing,
    may_be_meant,
)
from assistant.understand.words import (
    detect_language,
    is_disliked,
    is_excluded,
    language_code,
    weekdays_of,
    wording,
)
from tests.tables import each
from tests.understand.memories import NOW, PlainProfile, memory, named, preference
from tests.understand.test_service import resolved

NOODLES = preference("Order beef noodles without coriander on Eats", "Eats", 0.9)
TEAHOUSE = preference("Navigate to Jade Teahouse", "Maps", 0.95)
HEATING = preference("Set the heating to 19 degrees", "Home", 0.95)


def test_a_wording_is_found_in_each_language_and_an_unknown_one_is_an_error() -> None:
    without = wording("without")
    assert all(without.search(text) for text in ("w/o ice", "不加冰", "ohne Eis", "sin hielo", "Sans glace"))
    assert wording("without", "zh").search("without ice") is None
    with pytest.raises(KeyError):
        wording("never written")


def test_a_drink_is_no_meal_in_whatever_language_it_was_ordered() -> None:
    (lunch,) = perceive("order my usual lunch").elements
    for ordered, is_another in (("点一杯拿铁", True), ("点一份牛肉面", False)):
        habit = preference(ordered, "外卖", 0.9).prototype
        assert is_another_thing(lunch, habit, "order my usual lunch", None) is is_another


def test_exact_words_are_whole_words() -> None:
    assert weekdays_of("my sunday breakfast", "en") == {6}
    assert weekdays_of("a sundae on the weekend", "en") == {5, 6}
    assert weekdays_of("我周日的早饭", "zh") == {6}
    assert is_disliked("the dish I don’t like", "en")
    assert not is_disliked("the dish I like", "en")
    assert is_excluded("order anything but", "en")
    assert not is_excluded("order a notebook", "en")


@each(
    ("said", "known"),
    [
        ("order the dish I hate", NOODLES),
        ("order the noodles I can't stand", NOODLES),
        ("don't order my usual lunch", NOODLES),
        ("order anything but my usual lunch", NOODLES),
        ("order something other than my usual lunch", NOODLES),
        ("cancel my usual lunch", NOODLES),
        ("order my usual lunch but with coriander", NOODLES),
        ("navigate to my sister's place", TEAHOUSE),
        ("play my usual song", NOODLES),
        ("点我讨厌的那道菜", preference("点一份牛肉面", "食客", 0.9)),
        ("给我平时那个修空调的打电话", preference("在米家上给客厅空调制热调到22度", "米家", 0.95)),
        ("别点我平时的午饭", preference("点一份牛肉面", "食客", 0.9)),
        ("bestell nicht mein übliches Mittagessen", NOODLES),
    ],
)
def test_what_contradicts_the_command_is_not_done(said: str, known: Preference) -> None:
    assert resolved(said, memory(None, known)).instruction == said


def test_a_message_is_kept() -> None:
    mom = PlainProfile(named("my mom", "Susan Lin"))
    assert resolved("text my mom that dinner is late", memory(mom)).instruction == (
        "text Susan Lin that dinner is late"
    )


def test_a_prototype_of_several_things_is_split() -> None:
    members = tuple(
        Member(name, NOW - timedelta(days=days), "residence", 0.9)
        for name, days in (("p1", 1), ("p2", 8), ("c1", 2), ("c2", 9))
    )
    instructions = {
        name: f"Order {'pizza' if name[0] == 'p' else 'curry'} on Eats" for name in ["p1", "p2", "c1", "c2"]
    }
    mixed = preference("Order pizza on Eats", "Eats", 0.8)

    mixed = Preference(replace(mixed.prototype, members=members), 0.8, {})
    parts = split_by_object(mixed, instructions, "order my usual curry", NOW)
    best = max(parts, key=lambda part: part.confidence)
    assert best.prototype.instruction == "Order curry on Eats"
    assert sum(part.confidence for part in parts) == pytest.approx(0.8)
    assert {member.record_id for member in best.prototype.members} == {"c1", "c2"}


@each(
    ("text", "code"),
    [
        ("ruf meine Mutter an", "de"),
        ("pide lo de siempre por favor", "es"),
        ("commande mon déjeuner habituel", "fr"),
        ("いつものコーヒーを注文して", "ja"),
        ("给我妈打电话", "zh"),
        ("order the usual from Café Noir", "en"),
        ("", "en"),
    ],
)
def test_the_language_is_known_by_script_and_small_words(text: str, code: str) -> None:
    assert language_code(text) == code


@each(
    ("said", "known"),
    [
        ("buy the cat food we always get", preference("Buy salmon dog food on Cartly", "Cartly", 0.95)),
        ("play my usual sleep playlist", preference("Play the playlist Iron Tempo", "Tunes", 0.95)),
        ("order my usual lunch from Deli", preference("Order soup on Eats", "Eats", 0.95)),
        ("点外卖", preference("Order soup on Eats", "Eats", 0.95)),
        ("alarm as always", preference("Remove the 6:30 alarm on Clock", "Clock", 0.95)),
        ("lunch, same as always", preference("Get one americano from Harbour Roasters", "Eats", 0.95)),
        ("晚饭老样子", preference("来一杯芋泥牛乳，送到家里", "外卖", 0.95)),
        ("order the thing he eats for lunch", preference("Order soup on Eats", "Eats", 0.95)),
        ("get the seafood soup I like", preference("Open the parcel tracker", "Post", 0.95)),
        ("get the pasta I like", preference("Play Savour on Tunes", "Tunes", 0.95)),
        ("order what I drink instead of wine", preference("Order oat milk on Eats", "Eats", 0.95)),
        ("cobré lo mismo que ayer por un piano", preference("Agregá a la lista un piano", "Notas", 0.95)),
    ],
)
def test_another_thing_occasion_or_app_is_asked_about(said: str, known: Preference) -> None:
    assert resolved(said, memory(None, known), ("Deli", "Eats")).instruction == said


@each(
    "said",
    [
        "translate 'where is my old landlord' into German",
        "how do you say my brother in French",
        "write a note titled Things my mother says",
        "find the film My Sister's Wedding",
        "email Harald Holm: my boss has the papers",
        "traducime al italiano dónde está mi mujer",
        "übersetze meine Mutter ins Englische",
        "traduis ma mère est là en anglais",
        "把我老板很好翻译成英文",
        "記事の「母の味」を訳して",
    ],
)
def test_words_that_are_only_mentioned_stand_for_nobody(said: str) -> None:
    everything = Tagging(0.99, 0.0, (TaggedSpan(len(said) // 2, len(said) // 2 + 4, "person", 0.99),))
    assert not perceive(said, (), everything).elements


def test_titles_are_known_by_their_capitals() -> None:
    assert perceive("play the song I like", (), None).elements
    assert perceive("tell mom: dinner is ready", (), None).elements[0].text == "mom"


def test_a_value_is_not_doubled() -> None:
    known = PlainProfile(named("学校", "学校门口", kind="address"))
    assert resolved("订手套，寄到学校门口", memory(known)).instruction == "订手套，寄到学校门口"
    home = PlainProfile(named("家", "家里", kind="address"))
    assert resolved("订煎饺，送家里", memory(home)).instruction == "订煎饺，送家里"


def test_a_message_in_chinese_keeps_its_people() -> None:
    known = PlainProfile({**named("我妈", "李秀兰"), **named("老板", "赵总")})
    assert resolved("跟老板说我妈到了", memory(known)).instruction in (
        "跟赵总说我妈到了",
        "跟赵总说李秀兰到了",
    )
    tagged = perceive("跟老板说我妈到了", (), Tagging(0.9, 0.0, (TaggedSpan(1, 3, "person", 0.9),)))
    assert [element.text for element in tagged.elements] == ["老板"]


def test_a_single_word_that_only_the_tagger_marks_is_no_habit() -> None:
    spans = (TaggedSpan(9, 23, "habit", 0.9), TaggedSpan(30, 32, "habit", 0.9))
    perceived = perceive("order two my usual lunch for 1 pm", (), Tagging(0.9, 0.0, spans))
    assert "pm" not in [element.text for element in perceived.elements]


def test_an_address_is_nobody_to_call() -> None:
    profile = PlainProfile(named("home", "12 Park Street", kind="address"))
    assert resolved("call home", memory(profile)).instruction == "call home"
    away = resolved("call Bob and drive home", memory(profile))
    assert away.instruction == "call Bob and drive to 12 Park Street"


def test_a_name_within_an_element_is_not_lost() -> None:
    stories = preference("Play Anansi stories for Kiara on Tunes", "Tunes", 0.96)
    said = "Tell the wife I'm fetching Kiara, and supper's on me."
    assert "fetching Kiara" in resolved(said, memory(None, stories)).instruction


def test_what_a_user_describes_is_not_left_open_beside_what_is_filled() -> None:
    said = "text my boss what I tell her when it rains"
    boss = PersonalizedElement(5, 12, "my boss", Category.PERSON, "boss")
    perceived = Perceived(said, CommandLanguage.EN, (boss,))
    value = MeaningCandidate("Ms Landry", MeaningOrigin.PROFILE, 0.9)
    completed = complete(perceived, {"boss": value})
    assert completed.instruction == "text Ms Landry what I tell her when it rains"
    assert find_completion_objection(perceived, completed) is Objection.LOST


def test_the_words_of_a_note_do_not_name_what_a_payment_is_about() -> None:
    paid = preference('Send 20 euro to Nolan, note "lotto and coffee"').prototype
    for said, is_another in (("pay for my usual coffee", True), ("pay my usual Nolan", False)):
        (element,) = perceive(said).elements
        assert is_another_thing(element, paid, said, None) is is_another


@each(
    ("said", "words", "value"),
    [
        ("pay my bill only if it is under 80", "my bill only if it is under 80", "Bills"),
        ("把我的网费交了", "我的网费交了", "网费"),
        ("我的网费如果不到80就交", "我的网费如果不到80就", "网费"),
    ],
)
def test_no_value_takes_the_place_of_a_condition(said: str, words: str, value: str) -> None:
    start = said.index(words)
    element = PersonalizedElement(start, start + len(words), words, Category.THING, words)
    perceived = Perceived(said, detect_language(said), (element,))
    completed = complete(
        perceived, {normalize_key(words): MeaningCandidate(value, MeaningOrigin.EXPLORATION, 0.7)}
    )
    has_condition = "if" in said or "如果" in said
    assert (find_completion_objection(perceived, completed) is Objection.LOST) is has_condition


def test_a_fact_fills_only_what_it_bears_out() -> None:
    drink = PlainProfile(facts=(EvidenceFact("meals", "drink", "black coffee", 0.9),))
    assert resolved("order my energy drink", memory(drink)).decision is ResolutionKind.ASK
    assert resolved("order my drink", memory(drink)).instruction == "order black coffee"


def test_two_spellings_of_one_relation_are_one_person() -> None:
    susan = EvidenceFact("mom", "name", "Susan Lin", 0.9)
    called = ("mom", "my mom", "mum", "my mum", "my boss", "我妈", "妈妈", "老板")
    people = memory(PlainProfile(dict.fromkeys(called, susan)))
    for said, instruction in (
        (
            'text mom "it is at 7, NOT 8" and then call my mum',
            'text Susan Lin "it is at 7, NOT 8" and then call Susan Lin',
        ),
        ("call my mum and then call mom", "call Susan Lin and then call Susan Lin"),
    ):
        assert resolved(said, people).instruction == instruction
    assert resolved("text mom hello and then call my boss", people).decision is ResolutionKind.ASK


@each(
    ("group", "words"),
    [
        ("mom", "mum mam mommy momma mumsy 妈 老妈 妈咪 咱妈 老娘"),
        ("dad", "daddy pops papa 老爸 咱爸 爹地"),
        ("husband", "hubby hubs 老公"),
        ("grandma", "gran granny nan nana 奶奶"),
        ("grandpa", "gramps grandad 爷爷"),
    ],
)
def test_spellings_of_a_relation_are_one_word(group: str, words: str) -> None:
    assert {canonical_word(word) for word in words.split()} == {group}


def test_what_recurs_is_no_fact_of_something_unnamed() -> None:
    breakfast = PlainProfile({"usual time": EvidenceFact("ordering food", "time", "morning", 0.9)})
    assert resolved("set the alarm for the usual time", memory(breakfast)).decision is ResolutionKind.ASK
    named_so = resolved("order food at the usual time", memory(breakfast))
    assert named_so.instruction == "order food at morning"


def test_a_value_that_repeats_its_words_says_nothing() -> None:
    told = preference("发给小周：我去我妈那儿一趟", "微信", 0.95)
    assert resolved("走路去我妈那儿", memory(None, told)).instruction == "走路去我妈那儿"


def test_no_word_of_a_habits_name_is_missing_in_it() -> None:
    satay = preference("Order the chicken satay dish on Eats", "Eats", 0.95)

    def alike(word: str, texts: Sequence[str]) -> Sequence[float]:
        return [1.0 if word == text else 0.55 for text in texts]

    def is_another(said: str) -> bool:
        (element,) = perceive(said).elements
        return is_another_thing(element, satay.prototype, said, alike)

    assert is_another("order my usual prawn dish")
    assert not is_another("order my usual chicken dish")


@each(
    ("said", "words", "kind", "fact"),
    [
        (
            "the train to my daughter, please",
            "my daughter",
            Category.PERSON,
            EvidenceFact("daughter", "name", "Emi", 0.95),
        ),
        (
            "inform home I am late",
            "home",
            Category.PLACE,
            EvidenceFact("home", "address", "Teramachi 5", 0.95),
        ),
        ("告诉家里那位马上到", "家", Category.PLACE, EvidenceFact("家", "address", "群力大道", 0.95)),
        (
            "my guide is no more, show a map",
            "my guide",
            Category.PERSON,
            EvidenceFact("guide", "name", "Shoji", 0.95),
        ),
    ],
)
def test_a_name_is_no_way_and_an_address_hears_nothing(
    said: str, words: str, kind: Category, fact: EvidenceFact
) -> None:
    start = said.index(words)
    element = PersonalizedElement(start, start + len(words), words, kind, words.removeprefix("my "))
    perceived = Perceived(said, detect_language(said), (element,))
    value = MeaningCandidate(fact.value, MeaningOrigin.PROFILE, 0.95, key=fact.key, about=fact.about)
    assert find_objection(perceived, element, value, said) is not None
    calling = Perceived(f"call {words}", perceived.language, (replace(element, start=5, end=5 + len(words)),))
    if kind is Category.PERSON:
        assert find_objection(calling, calling.elements[0], value, calling.command) is None


@each(
    ("said", "done", "another"),
    [
        ("给妈妈发消息说我晚点到", "给林素珊打电话", True),
        ("跟妈妈说我不回来吃饭", "给林素珊打电话", True),
        ("text Mom that I am late", "Call Susan Lin on Phone", True),
        ("let my sister know I landed", "Call Paula on Phone", True),
        ("text Mom the usual", "Text Susan Lin: good night on Chat", False),
        ("tell me the weather", "Show the weather for Lisbon", False),
        ("告诉我明天的天气", "查看里斯本的天气", False),
    ],
)
def test_who_wants_to_tell_somebody_something_does_not_want_to_call(
    said: str, done: str, *, another: bool
) -> None:
    assert is_another_deed(said, (done,)) is another
    assert not (another and may_be_meant(said, done))


EATEN = "Order a lamb kebab from Bosphorus"
DRUNK = "Order a mint tea from Bosphorus"
BOUGHT = "Buy a yoga mat on Bazaar"
HEARD = "Play the album Blue Train"
WOKEN = "Set an alarm for 6:10"
RIDDEN = "Get a cab to the gym"
ALL = (EATEN, DRUNK, BOUGHT, HEARD, WOKEN, RIDDEN)


@each(
    ("command", "offered"),
    [
        ("fetch me something to eat", (EATEN,)),
        ("order something to drink", (DRUNK,)),
        ("book a flight", ()),
        ("get me a cab home", ()),
        ("get me a cab", (RIDDEN,)),
        ("order a coffee", (EATEN, DRUNK)),
        ("来点吃的", (EATEN,)),
        ("叫个车回家", ()),
    ],
)
def test_only_what_serves_for_what_a_command_asks_for_is_offered(
    command: str, offered: tuple[str, ...]
) -> None:
    assert tuple(done for done in ALL if may_be_meant(command, done)) == offered


@each(
    ("command", "done"),
    [
        ("order the usual", BOUGHT),
        ("order lunch", "Order qorma palaw from Kabul House"),
        ("get me a cab to the gym", RIDDEN),
        ("play something", HEARD),
    ],
)
def test_what_has_no_name_that_tells_is_offered(command: str, done: str) -> None:
    assert may_be_meant(command, done)


def test_an_element_that_names_no_thing_is_no_other_one() -> None:
    coffee = preference("点街角咖啡的燕麦拿铁，少冰", "外卖", 0.95).prototype
    said = "来杯咖啡 平时喝的那个,别加冰"
    element = PersonalizedElement(said.index("平时"), said.index(",别"), "平时喝的那个", Category.HABIT, "")
    assert not is_another_thing(element, coffee, said, None)
