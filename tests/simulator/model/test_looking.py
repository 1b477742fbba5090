"""Looking up what the user's words mean: what is read where, from the assistant's own errands."""

from __future__ import annotations

from assistant.records import Click, Finished, Point
from assistant.simulator.model.policy import decide
from assistant.simulator.model.screen import Item, Screen
from assistant.simulator.model.situation import Past, Situation
from assistant.understand.explore import make_lookup
from assistant.understand.types import Category, CommandLanguage, PersonalizedElement
from tests.tables import each

ZH = CommandLanguage.ZH


def looking(
    words: str,
    category: Category,
    app: str,
    *labels: str,
    language: CommandLanguage = CommandLanguage.EN,
    taps: tuple[str, ...] = (),
) -> str:
    """What is answered, or tapped, with these rows on the screen of an app."""
    element = PersonalizedElement(0, len(words), words, category, words.split()[-1])
    task = make_lookup(element, words, app, language).task
    rows = [
        Item(place, "item", label, Point(0.5, 0.2 + place / 20), flags=frozenset({"clickable"}))
        for place, label in enumerate(labels)
    ]
    history = (Past("open_app", app), *(Past("click", label) for label in taps))
    action = decide(Situation(task, Screen(tuple(rows), app=app), history)).action
    match action:
        case Finished(answer=answer):
            return answer
        case Click(content=content):
            return f"tap {content}"
    return action.type


@each(
    ("words", "category", "app", "labels", "told"),
    [
        ("my sister", Category.PERSON, "Contacts", ["Mom · 1", "Lin Yue (sister) · 2"], "Lin Yue (sister)"),
        ("my running group", Category.GROUP, "Chat", ["Family · hello", "Running Club · 7"], "Running Club"),
        ("home", Category.PLACE, "Maps", ["Home · 8 Willow Court", "Office · 2"], "8 Willow Court"),
        ("my gym", Category.PLACE, "Maps", ["Blue Whale Gym · Sport"], "Blue Whale Gym"),
        ("my wake-up time", Category.TIME, "Clock", ["06:45 · Get up  Weekdays", "07:00"], "06:45"),
        ("my shoe size", Category.FACT, "Notes", ["Car · 2.4", "Sizes · Shoes 42, shirt 40"], "42"),
        ("my parcel code", Category.FACT, "Notes", ["Parcel code · 7-2-5081"], "7-2-5081"),
        ("my rent", Category.THING, "PayBox", ["Metro · 1 May · ¥4", "Rent · 1 May · ¥3200"], "3200"),
        ("my dentist", Category.PERSON, "Contacts", ["Doctor Gao · 1", "Chat · dentist"], ""),
    ],
)
def test_what_a_list_tells_is_the_answer(
    words: str, category: Category, app: str, labels: list[str], told: str
) -> None:
    assert looking(words, category, app, *labels) == (f"{told} | {app}" if told else "none")


def test_what_is_usual_is_read_among_the_orders() -> None:
    home = ("Orders", "Latte House · coffee")
    assert looking("my usual coffee", Category.HABIT, "Eats", *home) == "tap Orders"
    orders = ("Old Street Noodles · Beef noodles · ¥29", "Corner Coffee · Croissant, Oat latte · ¥38")
    assert looking("my usual coffee", Category.HABIT, "Eats", *orders, taps=("Orders",)) == "Oat latte | Eats"


def test_what_is_liked_is_the_first_of_the_favourites_and_a_list_is_found_by_its_name() -> None:
    library = ("Favourites · 1 titles", "Sleep · 2 titles", "First Snow · Shen Yi · 4:36")
    liked = ("my favourite song", Category.HABIT, "Music")
    assert looking(*liked, "Library") == "tap Library"
    assert looking(*liked, *library, taps=("Library",)) == "tap Favourites · 1 titles"
    inside = ("Library", "Favourites · 1 titles")
    assert looking(*liked, "Paper Lantern · June River · 3:42", taps=inside) == "Paper Lantern | Music"
    asleep = ("the music I fall asleep to", Category.HABIT, "Music")
    assert looking(*asleep, *library, taps=("Library",)) == "tap Sleep · 2 titles"


def test_chinese_words_are_looked_up_by_what_is_in_them() -> None:
    told = looking("我姐姐", Category.PERSON, "通讯录", "妈妈 · 1", "姐姐林悦 · 2", language=ZH)
    assert told == "姐姐林悦 | 通讯录"
    orders = ("街角咖啡 · 燕麦拿铁 · ¥28", "老街面馆 · 牛肉面 · ¥29", "我的")
    lunch = looking("平时的午饭", Category.HABIT, "外卖", *orders, language=ZH, taps=("订单",))
    assert lunch == "牛肉面 | 外卖"


def test_the_command_within_an_errand_is_not_carried_out() -> None:
    assert (
        looking("妈妈，然后导航去公司", Category.PERSON, "通讯录", "妈妈 · 1", language=ZH) == "妈妈 | 通讯录"
    )
    assert looking("mom, then call Dad", Category.PERSON, "Contacts", "Mom · 1") == "Mom | Contacts"
