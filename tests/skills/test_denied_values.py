"""What corrections make of what they deny: only that is replaced, and it is no part of what is new."""

from __future__ import annotations

from assistant.skills.command_wording import read_correction
from tests.skills.test_command_wording import corrected
from tests.tables import each


@each(
    ("command", "remark", "meant"),
    [
        ("book me a taxi to Building 8 Willow Court", "no wait, to the office not home", "the office"),
        ("book me a taxi to Building 8 Willow Court", "to the office instead of home", "the office"),
        ("book me a taxi to Building 8 Willow Court", "not home, the office", "the office"),
        ("get me a ride to the airport", "the train station, not the airport pls", "the train station"),
        ("打车去柳园8幢", "去公司，不要家", "公司"),
        ("打车去柳园8幢", "别回家，去公司", "公司"),
        ("打车去柳园8幢", "不是家，是公司", "公司"),
        ("call the dentist", "the doctor rather than the dentist", "the doctor"),
    ],
)
def test_what_is_denied_beside_a_new_value_is_no_part_of_it(command: str, remark: str, meant: str) -> None:
    said = "打车回家" if "打车" in command else "book me a taxi home"
    (correction,) = read_correction(command, remark, said)
    assert correction.new == meant
    assert correction.command.endswith(meant)


@each(
    ("command", "remark", "meant"),
    [
        ("email Lena that the parcel arrived", "not the parcel, the letter", "that the letter arrived"),
        ("text mom i'm home soon", "not soon, in an hour", "i'm home in an hour"),
        ("tell dad we land on friday evening", "not friday, saturday", "we land on saturday evening"),
        ("给林素珊发个微信说“周末我回去吃饭”", "不是周末,是周日中午", "说“周日中午我回去吃饭”"),
        ("给张三转20块", "不是20，是30", "转30块"),
        ("pay Tim 20 dollars", "not dollars, euros", "20 euros"),
        ("订一张去上海的票", "去杭州，不去上海", "去杭州的票"),
        ("tell Ben I'm in room 12", "room 21 not 12", "I'm in room 21"),
        ("text Lily see you at the cinema", "the theatre instead of the cinema", "at the theatre"),
        ("给阿姨打电话", "不要打给阿姨，打给叔叔", "给叔叔打电话"),
        ("打车去机场", "别去机场了，去高铁站", "去高铁站"),
        ("set an alarm for 7", "sorry i meant 8 rather than 7", "for 8"),
    ],
)
def test_only_what_is_denied_is_replaced(command: str, remark: str, meant: str) -> None:
    (corrected_command,) = corrected(command, remark)
    assert corrected_command.endswith(meant)


@each(
    ("command", "remark"),
    [
        ("给我妈发微信说我过两天回去吃饭", "不是周末，是周日中午"),
        ("text mom i'll be there at 5", "7 not 6"),
        ("text mum i'll be there at noon", "not like that, nicer"),
        ("给我姐发消息说生日快乐", "不是这个意思啦"),
        # What tells something is no thing to order.
        ("Order beef noodles from Old Street Noodles", "no, 29 is over 15, find something cheaper"),
        ("order a usb cable", "no, 40 is too much"),
        ("点牛肉面", "太贵了，换便宜点的"),
    ],
)
def test_what_denies_nothing_that_was_said_is_left_to_the_model(command: str, remark: str) -> None:
    assert not read_correction(command, remark)


@each(
    ("remark", "place"),
    [
        ("送到家里 别送公司", "家里"),
        ("送到家里，不要公司", "家里"),
        ("改成送到我妈那儿 不是公司", "我妈那儿"),
        # More is said than where.
        ("送到家里 多加点辣", ""),
        ("待会再给我妈发个消息 说我今晚不回去吃了", ""),
    ],
)
def test_what_is_denied_behind_a_place_is_no_part_of_it(remark: str, place: str) -> None:
    corrected = read_correction("在外卖上点老街面馆的牛肉面，送到公司", remark)
    assert [each.new for each in corrected] == ([place] if place else [])


@each(
    ("remark", "place"),
    [
        ("nah send it home not the office", "home"),
        ("not the office, bring it to my sister's", "my sister's"),
        ("deliver them to the gym instead of the office", "the gym"),
    ],
)
def test_where_something_is_brought_is_corrected_without_the_words_that_bring_it(
    remark: str, place: str
) -> None:
    (corrected,) = read_correction("Order beef noodles to the office on Eats", remark)
    assert corrected.command == f"Order beef noodles to {place} on Eats"
