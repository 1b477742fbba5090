from __future__ import annotations

import pytest

from assistant.skills.slots import (
    Pattern,
    Slot,
    clock_like,
    is_own_name,
    learn_from_two,
    learn_pattern,
    stands_alone,
    with_found_values,
)
from tests.tables import each


@each(
    ("instruction", "values", "text"),
    [
        ("Order beef noodles from Old Street", ["beef noodles"], "Order {item} from Old Street"),
        ("send a message to Mom: late", ["Mom", "late"], "send a message to {recipient}: {item}"),
        ("set an alarm for 7:30", ["07", "30"], "set an alarm for {number}:{number2}"),
        ("给妈妈发消息说晚点到", ["妈妈", "晚点到"], "给{recipient}发消息说{text}"),
        ("Order rice and rice", ["rice"], "Order rice and rice"),
        ("Order riceballs", ["rice"], "Order riceballs"),
    ],
)
def test_what_the_actions_used_becomes_a_slot(instruction: str, values: list[str], text: str) -> None:
    pattern = learn_pattern(instruction, values)
    assert pattern.text == text
    assert pattern.said() == instruction


@each(
    ("said", "values"),
    [
        ("order sesame noodles on Eats", {"item": "sesame noodles"}),
        ("Please, order  Tea  on eats.", {"item": "Tea"}),
        ("order sesame noodles on Meals", None),
        ("order sesame noodles on Eats without chilli", None),
        ("order tea and then call Mom on Eats", None),
        ("cancel sesame noodles on Eats", None),
        ("order on Eats", None),
        ("order anything that a hungry family of six would really like to eat this evening on Eats", None),
        ("don't order rice on Eats", None),
    ],
)
def test_only_an_order_of_the_same_kind_fills_a_pattern(said: str, values: dict[str, str] | None) -> None:
    assert learn_pattern("Order beef noodles on Eats", ["beef noodles"]).fill(said) == values


@each(
    ("instruction", "value", "said", "is_filled"),
    [
        ("Call Dad", "Dad", "call a taxi home", False),
        ("Call Dad", "Dad", "call an uber to the airport", False),
        ("Call Dad", "Dad", "call in sick", False),
        ("Call Dad", "Dad", "call an ambulance", False),
        ("Call Dad", "Dad", "call the dentist", True),
        ("Order beef noodles", "beef noodles", "order a cab to the station", False),
        ("Order beef noodles", "beef noodles", "order a latte", True),
        ("choose Van on Eats", "Van", "choose Taxi on Eats", True),
        ("Text “Mom” “late”", "late", "Text “Mom” “a taxi is here”", True),
        ("叫妈妈", "妈妈", "叫辆车回家", False),
        ("给爸爸打电话", "爸爸", "给一家餐厅打电话", False),
        ("给爸爸打电话", "爸爸", "给妈妈打电话", True),
        ("call a friend", "a friend", "call a taxi", False),
        ("call an old friend", "an old friend", "call a colleague", True),
    ],
)
def test_a_verb_with_several_meanings_does_not_make_a_person_of_a_ride(
    instruction: str, value: str, said: str, is_filled: bool
) -> None:
    assert (learn_pattern(instruction, [value]).fill(said) is not None) is is_filled


@pytest.mark.parametrize(
    ("instruction", "value", "opposite"),
    [
        ("turn the lamp on", "on", "turn the lamp off"),
        ("把卧室的灯打开", "卧室的灯打开", "把卧室的灯关掉"),
    ],
)
def test_the_opposite_is_no_order_of_the_same_kind(instruction: str, value: str, opposite: str) -> None:
    pattern = learn_pattern(instruction, [value])
    assert pattern.slots
    assert pattern.fill(opposite) is None


@each("words", ["no beef noodles", "not the noodles", "never noodles"])
def test_what_an_order_excludes_is_no_value(words: str) -> None:
    pattern = learn_pattern("order beef noodles on Eats", ["beef noodles"])
    assert pattern.fill("order rice noodles on Eats") == {"item": "rice noodles"}
    assert pattern.fill(f"order {words} on Eats") is None


def test_a_word_right_beside_a_number_is_a_word_of_the_order_and_inside_another_word_is_none() -> None:
    pattern = learn_from_two("meet at 15h for tea", "meet at 9h for rice")
    assert pattern is not None
    assert pattern.fill("meet at 21h for soup") == {"number": "21", "item": "soup"}
    bought = learn_pattern("buy yoga mat in red", ["yoga mat", "red"])
    assert bought.fill("buy badminton racket in blue") == {"item": "badminton racket", "place": "blue"}


def test_a_slot_keeps_its_type() -> None:
    pattern = learn_pattern("set an alarm for 7:30", ["7:30"])
    assert pattern.fill("set an alarm for 6:45") == {"time": "6:45"}
    assert pattern.fill("set an alarm for breakfast") is None


def test_what_differs_between_two_orders_becomes_a_slot() -> None:
    pattern = learn_from_two("play Slow Ferry in Music", "play First Snow in Music")
    assert pattern is not None
    assert pattern.text == "play {item} in Music"
    assert learn_from_two("play Slow Ferry in Music", "what is the weather like") is None
    assert learn_from_two("order rice", "order rice twice") is None


def test_a_word_of_the_language_is_no_value_by_itself() -> None:
    assert not is_own_name("set an alarm for 7:30", "Alarm")
    assert is_own_name("send a message to Mom", "Mom")
    assert is_own_name("search for tea", "Tea", typed=["tea"])


def test_a_word_of_a_pattern_is_no_part_of_another_word() -> None:
    pattern = learn_pattern("buy umbrella in blue", ["umbrella", "blue"])
    values = pattern.fill("buy badminton racket in white")
    assert values is not None
    assert list(values.values()) == ["badminton racket", "white"]


@each(
    ("text", "value", "is_there"),
    [
        ("your payment is secured", "red", False),
        ("colour: red", "red", True),
        ("beef noodles x2", "2", True),
        ("beef noodles x12", "2", False),
        ("红烧肉饭", "红", True),
        ("Lange Strasse 5", "Lange Straße", True),
        ("anything", "", False),
    ],
)
def test_a_value_stands_alone_where_no_longer_word_or_number_holds_it(
    text: str, value: str, is_there: bool
) -> None:
    assert stands_alone(text, value) is is_there


@each(
    ("instruction", "values", "text"),
    [
        (
            "order beef noodles, no coriander, from Old Street to the office on Eats",
            ("beef noodles", "no coriander", "Old Street", "office"),
            "order {item}, {option}, from {origin} to the {destination} on Eats",
        ),
        ("go on and write to Mom: hello", ("Mom", "hello"), "go on and write to {recipient}: {item}"),
        ("text Mom that I am late", ("Mom", "I am late"), "text {recipient} that {text}"),
        ("从公司打车到机场", ("公司", "机场"), "从{origin}打车到{destination}"),
        ("点一份牛肉面，不要香菜", ("牛肉面", "不要香菜"), "点一份{item}，{option}"),
    ],
)
def test_a_slot_is_called_by_what_its_value_is_in_the_order(
    instruction: str, values: tuple[str, ...], text: str
) -> None:
    assert learn_pattern(instruction, list(values)).text == text


@each(
    ("said", "values", "other", "filled"),
    [
        ("给爸爸发消息：门开了", ["爸爸", "门开了"], "给妈妈发消息：好的，你呢？", ["妈妈", "好的，你呢"]),
        ("给爸爸发消息：门开了", ["爸爸", "门开了"], "给妈妈发消息:好的", ["妈妈", "好的"]),
        ("倒计时25分钟", ["25"], "倒计时40分钟", ["40"]),
        ("给王磊50元", ["王磊", "50"], "给李娜120元", ["李娜", "120"]),
        ("join Home Office", ["Home", "Office"], "join Work Printer", ["Work", "Printer"]),
        ("join Home Office", ["Home", "Office"], "join Work Printer Two", None),
        ("join Home Office", ["Home", "Office"], "join Printer", None),
        ("add Haircut at 15:30", ["Haircut", "15:30"], "add Choir at 18:15", ["Choir", "18:15"]),
    ],
)
def test_values_are_told_where_they_stand_beside_other_words(
    said: str, values: list[str], other: str, filled: list[str] | None
) -> None:
    pattern = learn_pattern(said, values)
    assert len(pattern.slots) == len(values)
    taken = pattern.fill(other)
    assert (taken and list(taken.values())) == filled


@each(
    ("before", "now", "expected"),
    [
        ("send {{a}}, {{b}} to Mom on Chat", "send 9:00, {{b}} to Mom on Chat", "9:00, {{b}}"),
        ("send {{a}}, {{b}} to Mom on Chat", "send 9:00, rain to Mom on Chat", "9:00, rain"),
        ("send {{a}} to Mom on Chat", "send pay to Eve on Chat to Mom on Chat", "pay to Eve on Chat"),
        ("send {{a}} to Mom on Chat", "send it to Eve on Chat", "{{a}}"),
        ("send {{a}} to Mom on Chat", "send {{a}} to Mom on Chat", "{{a}}"),
    ],
)
def test_a_value_found_out_meanwhile_takes_its_place_and_moves_no_border(
    before: str, now: str, expected: str
) -> None:
    pattern = Pattern(
        text="send {item} to {recipient} on Chat", slots=(Slot(name="item"), Slot(name="recipient"))
    )
    values = pattern.fill(before)
    assert values is not None
    filled = with_found_values(values, before, now)
    assert filled == {"item": expected, "recipient": "Mom"}


def test_two_values_that_wait_stay_as_they_are() -> None:
    values = {"item": "{{a}}", "recipient": "{{b}}"}
    assert with_found_values(values, "send {{a}} to {{b}}", "send a to b to c") == values


@each(
    ("before", "new", "expected"),
    [
        ("7pm", "8", "8pm"),
        ("7pm", "19", "19:00"),
        ("7:30 pm", "19:30", "19:30"),
        ("7 p.m.", "1930", "19:30"),
        ("7am", "0", "0:00"),
        ("7 o'clock", "19", "19:00"),
        ("7pm", "45", "45"),
        ("7pm", "12", "12pm"),
        ("晚上7点", "8点", "晚上8点"),
    ],
)
def test_an_hour_of_the_day_gets_no_half_of_it(before: str, new: str, expected: str) -> None:
    assert clock_like(before, new) == expected
