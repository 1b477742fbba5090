"""What corrections make of commands: what is replaced, what is asked, and what is no correction."""

from __future__ import annotations

import re

import pytest

from assistant.agent.instruction_check import find_conflict, repeats_remark
from assistant.events import ActionKind, Deed
from assistant.memory.turns import UserRemark
from assistant.skills.command_wording import (
    ValueKind,
    find_values,
    read_correction,
    read_own_correction,
)
from tests.tables import each


def corrected(command: str, remark: str, said: str = "") -> list[str]:
    return [correction.command for correction in read_correction(command, remark, said)]


def own(command: str) -> list[str]:
    return [correction.command for correction in read_own_correction(command)]


LATE = "text Susan Lin I'll be twenty minutes late, traffic is awful"


@each(
    ("remark", "meant"),
    [
        ("make it thick, as thick as possible", "order a pizza, thick, as thick as possible"),
        ("two please, as soon as possible", "order 2 pizzas, as soon as possible"),
        ("make it a large one, as i'm hungry", "order a large pizza"),
    ],
)
def test_why_is_left_out_and_how_is_not(remark: str, meant: str) -> None:
    assert corrected("order a pizza", remark) == [meant]


def test_figures_take_the_place_of_a_number_in_words() -> None:
    assert corrected(LATE, "no, 30 minutes") == [
        "text Susan Lin I'll be 30 minutes late, traffic is awful",
    ]


@each(
    ("command", "remark", "meant"),
    [
        ("get me home", "actually not home, to work", "get me to work"),
        ("get me home", "not home, work", "get me to work"),
        ("navigate home", "not home but to the gym", "navigate to the gym"),
        ("take me home", "actually to Anna", "take me to Anna"),
        ("回家", "不是回家，是去公司", "回公司"),
    ],
)
def test_a_place_takes_the_place_of_home_with_a_preposition(command: str, remark: str, meant: str) -> None:
    assert corrected(command, remark) == [meant]


@each(
    ("remark", "meant"),
    [
        (
            "actually oat milk not regular",
            "Order a large oat latte with less ice, oat milk, to the office on Eats",
        ),
        ("not large, medium", "Order a medium oat latte with less ice to the office on Eats"),
        ("actually soy not oat", "Order a large soy latte with less ice to the office on Eats"),
    ],
)
def test_an_option_with_what_it_is_not_keeps_all_other_options(remark: str, meant: str) -> None:
    assert corrected("Order a large oat latte with less ice to the office on Eats", remark) == [meant]


@each(
    ("command", "remark", "meant"),
    [
        ("text mom im otw", "no wait i meant dad", "text dad im otw"),
        ("text mom hi", "no, send it to dr gao instead", "text dr gao hi"),
        ("txt sarah im runnin late", "oops not sarah, tom", "txt tom im runnin late"),
        ("txt sarah im runnin late", "tom not sarah", "txt tom im runnin late"),
        ("call mom", "dad i mean", "call dad"),
        ("transfer 50 to Lily Chen", "sorry, to Tom not Lily", "transfer 50 to Tom"),
        ("给妈妈发消息说我晚点到", "改成发给爸爸", "给爸爸发消息说我晚点到"),
        ("给妈妈发微信说我到了", "是发给爸爸的！", "给爸爸发微信说我到了"),
        ("给妈妈打电话", "打错了 是爸爸", "给爸爸打电话"),
        ("给妈妈打电话", "是爸爸，不是妈妈", "给爸爸打电话"),
        ("跟她说我不去了", "等下 改成发给妈妈", "跟妈妈说我不去了"),
    ],
)
def test_a_person_takes_the_place_of_a_person(command: str, remark: str, meant: str) -> None:
    assert corrected(command, remark) == [meant]


@each(
    ("command", "remark", "meant"),
    [
        ("order a latte", "make it two", "order 2 lattes"),
        ("order an oat latte to the office", "two", "order 2 oat lattes to the office"),
        ("order a cup of tea please", "make it 3", "order 3 cups of tea please"),
        ("order fried rice", "make it two", "order 2 fried rice"),
        ("order beef noodles", "make it 2", "order 2 beef noodles"),
        ("get me a sandwich and go home", "two", "get me 2 sandwiches and go home"),
        ("order one latte", "make it three", "order three lattes"),
        ("点一杯拿铁", "两杯", "点两杯拿铁"),
    ],
)
def test_several_of_a_thing_are_in_the_plural(command: str, remark: str, meant: str) -> None:
    assert meant in corrected(command, remark)


def test_a_person_is_denied_as_they_were_typed() -> None:
    assert corrected("Call Susan Lin", "I meant dad, not mom", "call mom") == ["Call dad"]


@each(
    ("command", "remark", "meant"),
    [
        ("set an alarm for 7:10", "wait no, make it 8", "set an alarm for 8"),
        ("wake me up at 6:45 pm", "make it 7 instead", "wake me up at 7 pm"),
        ("set a timer for 10 minutes", "make it 30 instead", "set a timer for 30 minutes"),
        ("remind me tomorrow to call the bank", "not tomorrow, friday", "remind me friday to call the bank"),
        ("what's the weather today", "tomorrow not today", "what's the weather tomorrow"),
        ("send li na 45 yuan", "54 sorry", "send li na 54 yuan"),
        ("send li na 45 yuan", "wait 54 not 45", "send li na 54 yuan"),
        ("transfer 200 to wang wei", "only 100", "transfer 100 to wang wei"),
        ("book a table for 2 at 7", "for 4 people", "book a table for 4 people at 7"),
        ("book a table for 2 at 7", "at 8 not 7", "book a table for 2 at 8"),
        ("设一个七点的闹钟", "等等，改成八点", "设一个八点的闹钟"),
        ("定个七点的闹钟", "七点半吧", "定个七点半的闹钟"),
        ("明天早上7点叫我", "不是明天是后天", "后天早上7点叫我"),
        ("给李娜转45块", "改成54块", "给李娜转54块"),
        ("给李娜转45", "54 打错了", "给李娜转54"),
    ],
)
def test_a_figure_takes_the_place_of_its_kind(command: str, remark: str, meant: str) -> None:
    assert corrected(command, remark) == [meant]


@each(
    ("command", "remark", "meant"),
    [
        ("order tea", "not tea, coffee", "order coffee"),
        ("order a pizza", "no, an apple pie", "order an apple pie"),
        ("get me a large latte", "medium actually", "get me a medium latte"),
        ("get me a large latte", "small, not large", "get me a small latte"),
        ("order noodles", "yes but make it two and without the drink", "order 2 noodles, without the drink"),
        ("order my usual lunch", "no wait make it two", "order my usual lunch, 2 of them"),
        ("order noodles", "no coriander", "order noodles, no coriander"),
        ("order an iced tea to 5 Mill Lane", "make that three", "order 3 iced teas to 5 Mill Lane"),
        ("get the mocha to the office", "a small one please", "get the small mocha to the office"),
        (
            "order an apple pie from Leaf to home",
            "extra large",
            "order an extra large apple pie from Leaf to home",
        ),
        ("order the soup to 5 Mill Lane", "no onions", "order the soup, no onions, to 5 Mill Lane"),
        (
            "order the soup, no onions, to 5 Mill Lane",
            "to the office",
            "order the soup, no onions, to the office",
        ),
        ("order a soup to 5 Mill Lane", "make it less salty", "order a soup, less salty, to 5 Mill Lane"),
        ("order my usual tea to home", "make it two", "order my usual tea, 2 of them, to home"),
        ("get me a large latte", "make it a small one", "get me a small latte"),
        ("点一碗馄饨送到湖边路3号", "要小份", "点一碗馄饨，小份，送到湖边路3号"),
        ("点一碗馄饨送到湖边路3号", "来三碗", "点三碗馄饨送到湖边路3号"),
        ("点馄饨，送到公司", "少放盐", "点馄饨，少放盐，送到公司"),
        ("play moon over tiles", "no i said ten kilometres", "play ten kilometres"),
        ("点一份牛肉面", "两份", "点两份牛肉面"),
        ("点牛肉面", "不对，来两份", "点两份牛肉面"),
        ("点一份牛肉面", "换成炒饭", "点一份炒饭"),
        ("点杯拿铁", "等一下,换成热的", "点杯拿铁，热的"),
    ],
)
def test_a_thing_its_number_and_its_options(command: str, remark: str, meant: str) -> None:
    assert corrected(command, remark) == [meant]


@each(
    ("command", "remark", "meant"),
    [
        ("navigate to the office", "no, home", "navigate to home"),
        ("get me a taxi to the airport", "to the station instead", "get me a taxi to the station"),
        ("order my usual lunch", "no, send it to my home instead", "order my usual lunch, to my home"),
        ("导航去公司", "不去公司了 回家", "导航回家"),
    ],
)
def test_a_place_takes_the_place_of_a_place(command: str, remark: str, meant: str) -> None:
    assert corrected(command, remark) == [meant]


@each(
    ("command", "remark", "meant"),
    [
        ("make a note: buy milk eggs and breda", "bread not breda", "make a note: buy milk eggs and bread"),
        ("make a note: buy milk eggs and breda", "bread*", "make a note: buy milk eggs and bread"),
        ("记个便签：买牛奶鸡蛋和面报", "是面包", "记个便签：买牛奶鸡蛋和面包"),
        ("记个便签：周三交房租", "不对，是周四", "记个便签：周四交房租"),
        (
            "find a train from Beijing to Shanghai tomorrow morning",
            "afternoon i mean, around 3",
            "find a train from Beijing to Shanghai tomorrow afternoon, around 3",
        ),
        ("打个车去公司", "等等，改成去高铁站", "打个车去高铁站"),
        ("order noodles", "no wait get a latte instead", "order a latte"),
        ("点街角咖啡的燕麦拿铁，少冰", "不是咖啡，是中午那个面", "点中午那个面，少冰"),
        ("点一份牛肉面", "等等不要辣的", "点一份牛肉面，不要辣的"),
    ],
)
def test_words_of_notes_days_and_other_things(command: str, remark: str, meant: str) -> None:
    assert corrected(command, remark) == [meant]


@each(
    ("command", "remark"),
    [
        ("text Mom that I'll be late", "text Dad that I'll be late"),
        ("call mom", "call dad"),
        ("play jazz", "play rock"),
        ("order noodles and tell Anna", "no, call dad instead"),
        ("call mom", "set an alarm for 7"),
    ],
)
def test_another_command_corrects_nothing(command: str, remark: str) -> None:
    assert corrected(command, remark) == []


def test_a_place_beside_other_wishes_is_not_taken_with_them() -> None:
    command = "Order noodles, no coriander, from Old Street Noodles to the office"
    assert read_correction(command, "two of them and to home not the office") == ()
    (moved,) = read_correction(command, "to home not the office")
    assert moved.command.endswith("to home")


def test_a_thing_is_no_place() -> None:
    assert corrected("order the tea to home", "i meant the cocoa") == [
        "order the cocoa to home",
        "order the tea to the cocoa",
    ]
    assert corrected("order the tea to home", "i meant the office") == ["order the tea to the office"]


def test_where_several_values_may_be_meant_there_are_several_commands() -> None:
    assert set(corrected("book a table for 2 at 7", "make it 4")) == {
        "book a table for 4 at 7",
        "book a table for 2 at 4",
    }
    assert corrected("text mom see you", "i meant li na") == ["text li na see you", "text mom li na"]


@each(
    "remark",
    [
        "scroll down",
        "stop",
        "no",
        "yes",
        "hurry up pls",
        "no wait, don't send it",
        "no stop",
        "no cancel please",
        "不要停",
        "actually dont",
        "the other one",
        "wrong page, go back",
        "sorry for the confusion",
        "nope, text her instead: busy now",
        "is that right?",
        "a bit to the left",
        "算了别打了",
        "换一个吧",
        "不是这个",
        "快点",
        "no, a papá",
    ],
)
def test_what_names_no_value_corrects_nothing(remark: str) -> None:
    for command in ("call mom", "给妈妈打电话", "play ten kilometres", "放晴天"):
        if remark == "no, a papá":
            command = "llama a mamá"
        assert corrected(command, remark) == []


def test_what_is_said_already_corrects_nothing() -> None:
    assert corrected("wake me at 7", "7 not 8") == []
    assert corrected("what's the weather tomorrow", "tomorrow not today") == []


@each(
    ("command", "meant"),
    [
        ("text mom happy bday no wait text dad", "text dad happy bday"),
        ("send dad hi no send mom hi", "send mom hi"),
        ("call mom - no, dad", "call dad"),
        ("wake me up at 7 no 730", "wake me up at 7:30"),
        ("wake me at 7 actually 8", "wake me at 8"),
        ("wake me up at 6 tmrw nvm 630", "wake me up at 6:30 tmrw"),
        ("alarm at 7, no 730", "alarm at 7:30"),
        ("timer 5 min wait 15 min", "timer 15 min"),
        ("order a pizza no actually a burger", "order a burger"),
        ("order noodles for two, sorry three", "order noodles for three"),
        ("transfer 50 no 1200 to Lily", "transfer 1200 to Lily"),
        ("navigate to the airport no wait the train station", "navigate to the train station"),
        ("明天早上七点叫我 不对 七点半", "明天早上七点半叫我"),
        ("定个15分钟的闹钟,不对,20分钟", "定个20分钟的闹钟"),
        ("提醒我三点开会 不对四点", "提醒我四点开会"),
        ("六点提醒我买牛奶，嗯算了七点吧", "七点提醒我买牛奶"),
        ("给妈妈打电话，不对，给爸爸", "给爸爸打电话"),
        ("点一杯拿铁 不是 美式", "点一杯美式"),
        ("来杯茶 算了还是咖啡吧", "来杯咖啡"),
        ("导航去公司 哦不 去机场", "导航去机场"),
    ],
)
def test_a_command_that_corrects_itself_is_said_at_once(command: str, meant: str) -> None:
    assert own(command) == [meant]


def test_the_values_of_a_command_are_told_by_where_they_stand() -> None:
    values = {value.kind: value.text for value in find_values("text Dr Gao: dinner at 7?")}
    assert values == {ValueKind.PERSON: "Dr Gao", ValueKind.TEXT: "dinner at 7?", ValueKind.TIME: "7"}


TO_DAD = UserRemark(after=2, text="改成发给爸爸", kind="person", new="爸爸", old="妈妈")


@each(
    ("recipient", "text", "against"),
    [
        ("Mom", "我晚点到", "改成发给爸爸"),
        ("妈妈", "我晚点到", "改成发给爸爸"),
        ("Dad", "我晚点到", ""),
        ("爸爸", "发给爸爸", "改成发给爸爸"),
        ("", "我晚点到", ""),
    ],
)
def test_a_deed_with_the_old_value_or_the_users_words_is_against_a_correction(
    recipient: str, text: str, against: str
) -> None:
    assert find_conflict([TO_DAD], Deed(kind=ActionKind.SEND, recipient=recipient, text=text)) == against


def test_a_later_correction_stands_for_the_one_before() -> None:
    back = UserRemark(after=3, text="no, mom after all", kind="person", new="妈妈", old="爸爸")
    assert find_conflict([TO_DAD, back], Deed(kind=ActionKind.SEND, recipient="Mom", text="hi")) == ""


def test_words_of_a_correction_are_no_text() -> None:
    assert repeats_remark("发给爸爸", [TO_DAD]) == TO_DAD.text
    assert repeats_remark("爸爸", [TO_DAD]) == ""
    say = UserRemark(after=2, text="say see u tmr", kind="text", new="see u tmr", old="hi")
    assert repeats_remark("see u tmr", [say]) == ""
    assert repeats_remark("say see u tmr", [say]) == say.text


@each(
    ("command", "remark", "meant"),
    [
        ("给老王转50", "不对，转80", "给老王转80"),
        ("给爸爸转100", "错了，付60", "给爸爸转60"),
        ("给爸爸转100", "不对，给妈妈转30", "给妈妈转30"),
        ("transfer 40 to dad", "no, send 65", "transfer 65 to dad"),
        ("pay Tom 15", "wait, pay 25 dollars", "pay Tom 25 dollars"),
        ("transfer 40 to dad", "20 more", "transfer 60 to dad"),
        ("打给10086", "不对，打给10010", "打给10010"),
    ],
)
def test_an_amount_behind_a_verb_of_money_is_no_person(command: str, remark: str, meant: str) -> None:
    assert corrected(command, remark) == [meant]


@each(
    ("command", "meant"),
    [
        ("给老王转50，错了，转80", "给老王转80"),
        ("给爸爸付100不对付120块", "给爸爸付120块"),
        ("pay dad 40, sorry pay 60", "pay dad 60"),
        ("order fried rice, no an omelette", "order an omelette"),
    ],
)
def test_a_command_takes_back_its_amount_or_thing(command: str, meant: str) -> None:
    assert own(command) == [meant]


@each(
    ("command", "remark", "meant"),
    [
        ("wake me up at 8", "quarter of an hour later", "wake me up at 8:15"),
        ("wake me up at 7am", "make it 20 minutes earlier please", "wake me up at 6:40am"),
        ("set an alarm for 12:30 pm", "an hour earlier", "set an alarm for 11:30 am"),
        ("设一个八点的闹钟", "晚一刻钟", "设一个8:15的闹钟"),
        ("设一个早上六点半的闹钟", "提前十五分钟吧", "设一个早上6:15的闹钟"),
        ("text dad dinner is at 8", "an hour later", "text dad dinner is at 9:00"),
        ("set a timer for 10 minutes", "5 more minutes", "set a timer for 15 minutes"),
        ("order 4 bagels", "one less", "order 3 bagels"),
        ("点一份炒饭", "再来一份", "点2份炒饭"),
    ],
)
def test_how_much_more_or_less_is_computed(command: str, remark: str, meant: str) -> None:
    assert corrected(command, remark) == [meant]


@each(
    ("command", "remark"),
    [
        ("wake me up at my usual time", "ten minutes later"),
        ("set an alarm for 1", "two hours earlier"),
        ("play jazz", "one more"),
        ("order 2 bagels", "two less"),
        ("叫我起床", "早半个小时"),
    ],
)
def test_how_much_more_or_less_is_known_only_of_a_value(command: str, remark: str) -> None:
    assert not corrected(command, remark)


@each(
    ("command", "remark", "meant"),
    [
        ("order my usual coffee", "actually make it a tea", "order a tea"),
        ("order beef noodles", "no, an omelette", "order an omelette"),
        ("点一份我常吃的早饭", "换成炒饭", "点一份炒饭"),
    ],
)
def test_another_thing_is_not_what_is_usual(command: str, remark: str, meant: str) -> None:
    assert corrected(command, remark) == [meant]


def test_money_to_another_person_is_a_command_of_its_own() -> None:
    assert not corrected("给爸爸转100", "给妈妈转30")


@each("remark", ["多少钱来着", "how much was it again", "多久能到"])
def test_a_question_is_no_correction(remark: str) -> None:
    assert not corrected("在外卖上点牛肉面，送到公司", remark)
    assert not corrected("order beef noodles", remark)


@each(
    ("command", "remark"),
    [
        ("get a taxi to the Lakeside Teahouse", "no, better not, start from my home address instead"),
        ("给王磊打个电话", "不 打给我妈"),
    ],
)
def test_a_clause_is_nobody_and_no_place(command: str, remark: str) -> None:
    assert [each.new for each in read_correction(command, remark) if each.new] == []


@each(
    "command",
    [
        "text mom that she should not wait for me with the breakfast",
        "tell him to wait at the station",
        "ask Ann if she can wait, i am late",
    ],
)
def test_who_is_to_wait_corrects_nothing(command: str) -> None:
    assert read_own_correction(command) == ()


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("text mom no wait text dad that dinner is at 8", "text dad that dinner is at 8"),
        ("email anna, no wait, email ben that im late", "email ben that im late"),
        ("wake me at a quarter to seven, no wait, make that half past six", "wake me at half past six"),
        ("明早差一刻七点叫我，不对，六点半", "明早六点半叫我"),
    ],
)
def test_a_command_that_begins_anew_is_the_second_one(command: str, meant: str) -> None:
    assert [each.command for each in read_own_correction(command)] == [meant]


def test_where_to_go_is_nobody() -> None:
    assert read_correction("给妈妈转300", "等等 去火车站") == ()


@each(
    ("command", "remark"),
    [
        ("给房东转账300元", "换成酸菜鱼"),
        ("给小王打电话", "改成珍珠奶茶"),
        ("pay Ann 30 dollars", "make it a burrito"),
        ("call the plumber", "change it to sushi"),
        ("打车去机场", "换成小笼包"),
        ("play some jazz", "make it my sister"),
    ],
)
def test_what_may_be_of_another_kind_than_the_value_is_not_sure(command: str, remark: str) -> None:
    read = read_correction(command, remark)
    # One way to mean it is that the command stays as it is.
    assert not read or (len(read) == 2 and command == read[1].command)


@each(
    ("command", "remark", "meant"),
    [
        ("给房东转账300元", "换成老周", "给老周转账300元"),
        ("给房东转账300元", "改成张医生", "给张医生转账300元"),
        ("pay Ann 30 dollars", "make it my sister", "pay my sister 30 dollars"),
        ("点一份水煮鱼", "换成酸菜鱼", "点一份酸菜鱼"),
        ("打车去机场", "换成火车站", "打车去火车站"),
    ],
)
def test_what_is_of_the_kind_of_the_value_takes_its_place(command: str, remark: str, meant: str) -> None:
    assert [each.command for each in read_correction(command, remark)] == [meant]


@each(
    ("command", "remark", "meant", "old"),
    [
        ("来一碗特辣火锅粉", "等下，不要辣的", "来一碗火锅粉，不要辣的", "特辣"),
        ("来一杯全糖柠檬茶", "不要糖", "来一杯柠檬茶，不要糖", "全糖"),
        ("点一份拌面，多放醋", "不放醋", "点一份拌面，不放醋", "多放醋"),
        ("get me a spicy ramen", "no spice please", "get me a ramen, no spice", "spicy"),
        ("buy a tea with honey and lemon", "no honey", "buy a tea with lemon, no honey", "with honey"),
        ("get a wrap, no olives", "wait, extra olives", "get a wrap, extra olives", "no olives"),
        # The thing itself is no option of it.
        ("点一份辣子鸡丁", "不要辣", "点一份辣子鸡丁，不要辣", ""),
        ("get a carrot cake", "no nuts", "get a carrot cake, no nuts", ""),
    ],
)
def test_a_wish_takes_out_what_the_command_says_against_it(
    command: str, remark: str, meant: str, old: str
) -> None:
    (read,) = read_correction(command, remark)
    assert (read.command, read.old) == (meant, old)


@each(
    ("command", "meant"),
    [
        ("告诉小陈十点集合，不对，是十一点", "告诉小陈十一点集合"),
        ("给爸爸发消息说两点到，不对，应该是五点", "给爸爸发消息说五点到"),
        ("跟老赵说周三开会，不对，是周四", "跟老赵说周四开会"),
    ],
)
def test_a_value_behind_the_word_for_it_is_takes_the_place_of_its_kind(command: str, meant: str) -> None:
    assert [each.command for each in read_own_correction(command)] == [meant, command]


@each(
    ("command", "remark"),
    [
        ("order fried rice without egg", "take the one with the shortest wait"),
        ("text Tom I am home", "hold on, write that in german"),
        ("text Tom I am home", "no, send this instead"),
        ("点一碗馄饨", "换成离公司最近的那家"),
    ],
)
def test_what_points_at_the_screen_or_names_a_language_is_no_value(command: str, remark: str) -> None:
    assert read_correction(command, remark) == ()


@each(
    ("command", "remark", "meant"),
    [
        (
            "Order noodles from Bowl to the office",
            "make it two and send it home",
            "Order 2 noodles from Bowl to home",
        ),
        ("点一份牛肉面送到公司", "改成两份，送到家", "点两份牛肉面送到家"),
        ("点一份牛肉面送到公司", "要两份 送到家里", "点两份牛肉面送到家里"),
    ],
)
def test_how_many_and_where_to_are_two_changes(command: str, remark: str, meant: str) -> None:
    assert [each.command for each in read_correction(command, remark)] == [meant]


def test_another_deed_with_the_thing_is_no_way_to_have_it() -> None:
    assert not read_correction("Order noodles to the office", "make it two and pay it by cash")


@pytest.mark.parametrize(
    ("command", "remark", "meant"),
    [
        (
            "hey can you get me lunch, Order soup from Bowl to the office i guess",
            "deliver it to my home",
            "hey can you get me lunch, Order soup from Bowl to my home i guess",
        ),
        ("Order soup to the office", "to home today, im not in the office", "Order soup to home"),
        ("get me a ride home", "no wait, not home, to the office", "get me a ride to the office"),
        ("帮我点牛肉面，不要香菜，送到公司", "今天送家里，我不在公司", "帮我点牛肉面，不要香菜，送到家里"),
        ("在Bowl上点牛肉面送公司", "改送到我家", "在Bowl上点牛肉面送我家"),
    ],
)
def test_a_place_takes_the_place_of_the_one_before_wherever_that_stands(
    command: str, remark: str, meant: str
) -> None:
    assert corrected(command, remark) == [meant]


@each("command", ["给弟弟打电话", "给弟弟发消息说我到了"])
def test_who_is_meant_is_named_without_the_words_that_put_them_in_place_of_another(command: str) -> None:
    assert corrected(command, "改成爸爸不是弟弟") == [command.replace("弟弟", "爸爸")]


@each(
    ("command", "remark"),
    [("给张三打电话", "打给李四不是王五;"), ("打车去机场", "去东站不去西站;")],
)
def test_what_is_denied_in_a_form_that_cannot_be_cut_off_names_nobody_and_no_place(
    command: str, remark: str
) -> None:
    assert not read_correction(command, remark)


@each(
    ("command", "remark", "meant"),
    [
        (
            "order dumplings instead of the pizza",
            "hmm no make it the vegetable ones instead",
            "vegetable dumplings",
        ),
        ("order the shrimp dumplings", "make it the vegetable ones", "vegetable dumplings"),
    ],
)
def test_what_is_told_of_ones_keeps_what_they_are(command: str, remark: str, meant: str) -> None:
    (corrected_command,) = corrected(command, remark)
    assert corrected_command.endswith(meant)


@each(
    "remark",
    ["yep but add a plum juice", "ok and throw in a cola", "but add some rice too", "好的再来一份米饭"],
)
def test_what_is_added_takes_the_place_of_nothing(remark: str) -> None:
    for command in ("get me the usual for lunch", "order beef noodles to the office", "点平时的午饭"):
        assert all(not each.old for each in read_correction(command, remark))


@each(
    ("command", "remark", "meant"),
    [
        ("点老街面馆的牛肉面", "不 换成大份 今天真饿", "点老街面馆的牛肉面，大份"),
        ("点老街面馆的牛肉面", "大份，赶紧的", "点老街面馆的牛肉面，大份"),
        ("点老街面馆的牛肉面", "换成大份 加个蛋", "点老街面馆的牛肉面，加个蛋，大份"),
        ("order a latte", "make it large, im knackered", "order a large latte"),
        ("order a latte", "make it large, the small is too small", "order a large latte"),
        ("点一杯燕麦拿铁", "半糖吧 全糖太腻", "点一杯燕麦拿铁，半糖"),
        ("点一杯燕麦拿铁", "半糖吧，别太烫", "点一杯燕麦拿铁，别太烫，半糖"),
        ("order a latte", "a large one pls, i'm starving", "order a large latte"),
        ("order a latte", "large, oat milk", "order a large latte, oat milk"),
    ],
)
def test_a_mood_behind_a_correction_is_no_part_of_it(command: str, remark: str, meant: str) -> None:
    assert corrected(command, remark) == [meant]


@each(
    ("command", "remark"),
    [
        ("order a latte", "large, i can't have dairy"),
        ("order a latte", "large, we are kosher"),
        ("order a latte", "large, i'm sugarfree"),
        ("order a curry", "two, and my wife can't eat peanuts"),
        ("order a burger", "large, forgot the fries"),
        ("order a burger", "large, and i forgot the fries"),
        ("order a pizza", "large, i'm picking it up"),
        ("order a pizza", "large, I'm paying cash"),
        ("book a table", "four, we're sitting outside"),
        ("play jazz", "no, Hello and Starving"),
        ("play jazz", "no, Hello, Starving"),
        ("点牛肉面", "大份，我怕辣"),
        ("点牛肉面", "大份，免得太辣"),
        ("点牛肉面", "大份，我太讨厌香菜了"),
        ("set an alarm for 7", "8, leave the old one on"),
        ("set an alarm for 7", "8, keep the other one"),
        ("change my 7 alarm to 8", "9, keep the first one on"),
        ("定闹钟7点", "8点，别的别动"),
    ],
)
def test_what_may_change_an_order_stays_in_its_correction(command: str, remark: str) -> None:
    last = re.split(r"[,，] ?|and ", remark)[-1]
    assert all(last in each for each in corrected(command, remark))


@each("place", ["家（柳园8幢）", "柳园8幢"])
def test_another_place_keeps_the_limit_that_stands_behind_a_space(place: str) -> None:
    (read,) = read_correction(f"叫个车回{place} 超过三十块就别叫了", "等等 不回家了 去我妈那")
    assert (read.command, read.old) == ("叫个车回我妈那 超过三十块就别叫了", place)
