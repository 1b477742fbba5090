from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.profile.extract import (
    ExtractedFact,
    extract_facts,
    rank_domains,
    strip_fillers,
)
from assistant.memory.profile.graph import Strength
from assistant.memory.profile.lexicon import is_card_number, lexicon, split_clauses
from assistant.records import Finished, Outcome, Record
from tests.memory.profile.conftest import STARTED, record
from tests.tables import each


def told(said: str, app: str = "") -> dict[tuple[str, str], ExtractedFact]:
    return {(fact.entity, fact.key): fact for fact in extract_facts(record(said, app=app))}


@each(
    ("said", "entity", "key", "sense"),
    [
        ("Order a curry, mild please", "Ordering food", "taste", "mild"),
        ("来碗牛肉面，微辣", "Ordering food", "taste", "mild"),
        ("Order a burger without gherkins", "Ordering food", "avoid", "gherkins"),
        ("点一份炒饭，不要葱", "Ordering food", "avoid", "葱"),
        ("Get dumplings. I'm allergic to walnuts.", "Ordering food", "allergic to", "walnuts"),
        ("订外卖，我对芒果过敏", "Ordering food", "allergic to", "芒果"),
        ("Order tacos, no coriander from the garden", "Ordering food", "avoid", "coriander"),
        ("Buy a coat, a small one", "Shopping", "size", "small"),
        ("Order sushi, bring it to my office", "Ordering food", "deliver to", "office"),
        ("Buy a winter jacket in grey", "Shopping", "colour", "grey"),
        ("Buy headphones from Sony, below 900 yuan", "Shopping", "brand", "sony"),
        ("Buy headphones from Sony, below 900 yuan", "Shopping", "price", "low"),
        ("买个键盘，预算300左右", "Shopping", "price", "low"),
        ("买个键盘，罗技的", "Shopping", "brand", "logitech"),
        ("Buy two mugs and pay with PayPal", "Shopping", "payment", "paypal"),
        ("Book a room in Rome with twin beds", "Hotel rooms", "bed", "twin"),
        ("订一间成都的酒店，无烟", "Hotel rooms", "smoking", "none"),
        ("Get a train ticket to Bath, window seat", "Travelling", "seat", "window"),
        ("买去昆明的高铁票，靠窗", "Travelling", "seat", "window"),
        ("Book a flight to Oslo, non-stop", "Travelling", "stops", "direct"),
        ("Find a film, subtitled", "Films, videos and music", "language", "original"),
        ("My dad's name is Robert Hill.", "dad", "name", "robert hill"),
        ("我爸叫刘建国", "dad", "name", "刘建国"),
        ("My dentist is Dr Patel", "dentist", "name", "dr patel"),
        ("Send the parcel to my brother Oscar", "brother", "name", "oscar"),
        ("I live at 4 Mill Road, tell the driver", "home", "address", "4 mill road"),
        ("我住在文三路120号", "home", "address", "文三路120号"),
        ("我在国贸大厦3层上班", "office", "address", "国贸大厦3层"),
        ("Check in, my frequent flyer number is QF 778812", "frequent flyer number", "number", "qf 778812"),
        ("我的车牌号是京A88321", "车牌号", "number", "京a88321"),
    ],
)
def test_facts_and_preferences_are_found(said: str, entity: str, key: str, sense: str) -> None:
    assert told(said)[entity, key].sense == sense


@each(
    "said",
    [
        "Order a curry, extra hot just this once",
        "Order noodles. My colleague likes it extra spicy.",
        "点个火锅。同事要特辣的。",
        "就这一次特辣，点个火锅",
    ],
)
def test_what_is_for_others_or_for_once_is_not_learnt(said: str) -> None:
    assert ("Ordering food", "taste") not in told(said)


@each(
    "said",
    [
        "Log in, my password is hunter2",
        "登录，密码是123456",
        "Pay, the card number is 4111 1111 1111 1111",
    ],
)
def test_secrets_and_card_numbers_are_not_learnt(said: str) -> None:
    assert not [
        fact for fact in extract_facts(record(said)) if any(sign in fact.text for sign in ("hunter2", "1"))
    ]


@each(
    ("said", "entity", "key"),
    [
        ("Order a pizza, please", "Ordering food", "wish"),
        ("Order noodles. I've changed my mind about this.", "Ordering food", "wish"),
        ("点一份炒饭，一直这样", "Ordering food", "wish"),
        ("Hi there, order me the usual for dinner", "Ordering food", "wish"),
        ("不想做饭了，就点平时那家的晚饭", "Ordering food", "wish"),
        ("Buy flowers for my mom, Youku", "mom", "name"),
        ("Order lunch to my office, something Sichuanese", "office", "address"),
        ("order noodles, no cilantro, text him that I'm late", "Ordering food", "wish"),
        ("点份面，不要香菜，跟我妈说一声不用做饭", "Ordering food", "wish"),
        ("Buy a shelf with a small hook", "Shopping", "size"),
    ],
)
def test_what_says_nothing_of_a_key_is_not_learnt(said: str, entity: str, key: str) -> None:
    assert (entity, key) not in told(said)


@each(
    ("said", "instruction"),
    [
        (
            "no, softer. make it: can you get lunch at 3:40, no onions for me",
            "text Dan: can you get lunch at 3:40, no onions for me",
        ),
        (
            "别这么凶 改成 周三点外卖哈，下午3点40你能去取不",
            "给张明发消息：周三点外卖哈，下午3点40你能去取不",
        ),
    ],
)
def test_words_that_change_a_message_say_nothing_of_the_user(said: str, instruction: str) -> None:
    assert not extract_facts(record(said).model_copy(update={"instruction": instruction}))


def test_a_value_ends_where_the_next_wish_begins() -> None:
    office = told("Order lunch to my office, 33 Canal Street and with Lin Tao as usual")
    assert office["office", "address"].text == "33 Canal Street"
    assert told("送一份蛋糕给我妈李娜来取")["mom", "name"].text == "李娜"


def test_where_to_deliver_is_told_without_the_shop_before_it() -> None:
    facts = told("Order soup, from Corner Bakery to my office")
    assert facts["Ordering food", "deliver to"].text == "to my office"


def test_a_verb_is_no_part_of_a_role() -> None:
    people = told("call my dentist. My dentist is Doctor Gao.")
    assert [name for name in people if name[1] == "name"] == [("dentist", "name")]


def test_how_firmly_something_is_said() -> None:
    assert told("Book a train to York, aisle seat")["Travelling", "seat"].strength is Strength.IMPLIED
    assert (
        told("Book a train to York. I always take the aisle.")["Travelling", "seat"].strength
        is Strength.STATED
    )
    switched = told("Book a train to York. From now on an aisle seat.")["Travelling", "seat"]
    assert switched.strength is Strength.SWITCHED
    assert told("订去长沙的高铁，以后都要靠过道")["Travelling", "seat"].strength is Strength.SWITCHED


def test_a_wish_that_fits_no_key_is_kept_in_the_users_words() -> None:
    facts = told("Order a pizza, cut into squares")
    assert facts["Ordering food", "wish"].text == "cut into squares"


def test_only_the_users_own_words_are_read() -> None:
    spoken = Record(
        id="r",
        user_id="1",
        time=STARTED,
        said="order lunch",
        instruction="Order extra spicy noodles to 4 Mill Road",
        actions=(Finished(answer="Your home is at 9 Elm Street. I always order it extra spicy."),),
        outcome=Outcome.SUCCESS,
        source="executed",
    )
    assert extract_facts(spoken) == []
    unsaid = spoken.model_copy(update={"said": ""})
    assert extract_facts(unsaid) == []


def test_a_name_that_was_filled_in_is_not_what_the_user_stated() -> None:
    filled = Record(
        id="r",
        user_id="1",
        time=STARTED,
        said="tell mom dinner is late",
        instruction="tell Susan Lin dinner is late",
        actions=(Finished(answer="Sent."),),
        outcome=Outcome.SUCCESS,
        source="executed",
    )
    (fact,) = [fact for fact in extract_facts(filled) if fact.text == "Susan Lin"]
    assert fact.strength is Strength.IMPLIED


def test_the_app_of_a_step_that_ended_well_is_learnt() -> None:
    assert told("order lunch", app="Noodle Bar")["Ordering food", "app"].text == "Noodle Bar"
    failed = record("order lunch", app="Noodle Bar", outcome=Outcome.FAILED)
    assert extract_facts(failed) == []


def test_the_same_app_in_both_languages_is_one() -> None:
    assert (
        told("用美团点外卖")["Ordering food", "app"].sense
        == told("Order lunch on Meituan")["Ordering food", "app"].sense
    )


def test_domains_come_from_words() -> None:
    vocabulary = lexicon()
    for text, domain in {
        "book a hotel": "Hotels",
        "买一双鞋": "Shopping",
        "watch a film": "Entertainment",
        "去上海的高铁票": "Travel",
    }.items():
        assert rank_domains(text, split_clauses(text), vocabulary)[0] == domain
    assert rank_domains("turn on the torch", split_clauses("turn on the torch"), vocabulary) == []
    (fact,) = extract_facts(record("fix the thing, in the far corner"), lambda _: "Habits")
    assert (fact.concept, fact.entity) == ("Habits", "Other habits")


def test_fillers_are_not_shown() -> None:
    assert strip_fillers("and preferably a quiet room, please") == "a quiet room"


def test_payment_cards_are_recognised() -> None:
    assert is_card_number("4111-1111-1111-1111")
    assert not is_card_number("4111-1111-1111-1112")
    assert not is_card_number("6621 0458")


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for fact in extract_facts(record(text or "x")):
        assert fact.text
        assert fact.text.isprintable()
