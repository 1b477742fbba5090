"""The words and verbs of an instruction that clustering compares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.prototypes.terms import (
    jaccard,
    main_clause,
    oppose,
    signature,
    take_back_part,
    without_left_out,
    without_opening,
    without_vague,
    word_set,
)
from tests.tables import each


def test_stop_words_plurals_and_case_do_not_count() -> None:
    assert word_set("Please order the Noodles on Eats") == word_set("order noodle, eats")


def test_chinese_is_cut_into_pairs_of_characters() -> None:
    assert word_set("点牛肉面") == {"点牛", "牛肉", "肉面"}
    assert word_set("帮我点面") == word_set("点面")


def test_full_width_letters_are_the_same_letters() -> None:
    assert word_set("ＫＦＣ 10:30") == {"kfc", "10:30"}


@each(
    ("command", "left"),
    [
        ("order my usual lunch", "order my lunch"),
        ("order the same one as last time", "order"),
        ("Play jazz like always", "Play jazz"),
        ("点老样子", "点"),
        ("午饭照旧", "午饭"),
        ("order beef noodles", "order beef noodles"),
    ],
)
def test_words_that_point_at_habit_are_dropped(command: str, left: str) -> None:
    assert without_vague(command) == left


@each(
    ("command", "left"),
    [
        ("Hey, order lunch", "order lunch"),
        ("ok, well, order lunch", "order lunch"),
        ("right turn ahead", "right turn ahead"),
        ("那个，打给家人", "打给家人"),
        ("那个群的消息", "那个群的消息"),
        ("请播放", "播放"),
        ("请教老师", "请教老师"),
        ("ok", "ok"),
        ("嗯。", "嗯。"),
    ],
)
def test_words_that_only_begin_a_command_are_dropped(command: str, left: str) -> None:
    assert without_opening(command) == left


def test_overlap_is_the_share_of_shared_words() -> None:
    assert jaccard(frozenset("abc"), frozenset("bcd")) == 0.5
    assert jaccard(frozenset(), frozenset()) == 0.0


@given(st.text(), st.text())
def test_overlap_is_symmetric_and_bounded(left: str, right: str) -> None:
    words, others = word_set(left), word_set(right)
    assert 0.0 <= jaccard(words, others) <= 1.0
    assert jaccard(words, others) == jaccard(others, words)
    assert isinstance(without_vague(left), str)


@each(
    ("left", "right"),
    [
        ("order lunch", "cancel my lunch order"),
        ("turn off the lamp", "turn on the lamp on the desk"),
        ("turn the volume on my phone up", "turn the volume down"),
        ("switch the heating off", "switch the heating on"),
        ("Please don't order noodles", "order noodles"),
        ("stop ordering lunch", "order lunch"),
        ("On Eats, cancel the noodles", "On Eats order noodles"),
        ("open Eats and cancel the noodles", "open Eats and order noodles"),
        ("set an alarm for 7", "delete the 7 am alarm"),
        ("get rid of the alarm", "set the alarm"),
        ("mute the group", "unmute the group"),
        ("check in at the gym", "check out of the gym"),
        ("send Anna a message", "read Anna's message"),
        ("打开灯", "把灯关掉"),
        ("打开蓝牙", "关闭蓝牙"),
        ("打开美团点一份牛肉面", "打开美团取消牛肉面订单"),
        ("取消我点的外卖", "点外卖"),
        ("别播放音乐", "播放音乐"),
        ("不要帮我订闹钟", "订闹钟"),
        ("关注张三", "取消关注张三"),
        ("把闹钟关了", "设一个七点的闹钟"),
        ("调高亮度", "调低亮度"),
    ],
)
def test_opposites_are_found(left: str, right: str) -> None:
    assert oppose(left, right)
    assert oppose(right, left)


@each(
    ("left", "right"),
    [
        ("order noodles", "buy noodles"),
        ("order lunch", "用外卖下单牛肉饭"),
        ("order lunch", "在外卖上点一份牛肉饭"),
        ("Open Eats and order noodles", "Order noodles on Eats"),
        ("order noodles and don't add coriander", "order noodles"),
        ("Order the Cancel Culture book", "order a book"),
        ("Play “Stop the Clocks”", "play some music"),
        ("watch the news", "play the news"),
        ("check the weather", "show the weather"),
        ("十二点提醒我开会", "提醒我开会"),
        ("播放《关闭》", "播放音乐"),
        ("点一份不要香菜的面", "点一份面"),
        ("看一下天气", "查看天气"),
        ("打开高德导航回家", "导航回家"),
        ("在大众点评订位", "订位"),
    ],
)
def test_what_is_not_opposite_stays_together(left: str, right: str) -> None:
    assert not oppose(left, right)


@given(st.text(alphabet="turn on off cancel order 打开关闭不要的点，. '", max_size=60))
def test_nothing_opposes_itself(text: str) -> None:
    assert not oppose(text, text)
    assert all(pole in (1, -1) for _, pole in signature(text))


@each(
    ("line", "clause"),
    [
        ("disabled the 07:30 alarm, then went back to sleep", "disabled the 07:30 alarm"),
        ("disabled the 07:30 alarm, then put the kettle on", "disabled the 07:30 alarm"),
        ("Turned the 07:30 alarm off, still half asleep", "Turned the 07:30 alarm off"),
        ("Ordered a flat white from Beanhouse before the stand-up", "Ordered a flat white from Beanhouse"),
        ("order noodles, then pay", "order noodles, then pay"),
        ("order noodles and rice", "order noodles and rice"),
        ("call Dr. Lee", "call Dr. Lee"),
        ("play Hello (Adele)", "play Hello (Adele)"),
        ("remind me to pay the rent before 5", "remind me to pay the rent before 5"),
        ("play jazz", "play jazz"),
    ],
)
def test_what_is_told_beside_a_deed_is_left_out(line: str, clause: str) -> None:
    assert main_clause(line) == clause


@pytest.mark.parametrize(
    ("left", "right"),
    [("ordered noodles", "order noodles"), ("paying the gym fee", "paid the gym fee")],
)
def test_the_tense_of_a_verb_does_not_count(left: str, right: str) -> None:
    assert word_set(left) == word_set(right)
    assert signature(left) == signature(right)


def test_the_value_that_is_noted_does_not_count_but_money_and_hours_do() -> None:
    assert word_set("Log blood pressure 118 in Notes") == word_set("Log blood pressure 71.4 in Notes")
    assert word_set("体重118，记一下") == word_set("体重71，记一下")
    assert word_set("Transfer ¥500 to Lei") != word_set("Transfer ¥66 to Lei")
    assert word_set("set an alarm for 7") != word_set("set an alarm for 8")
    assert word_set("add an alarm at 6") != word_set("add an alarm at 7")


@each(
    ("on", "off"),
    [
        ("手机调成勿扰", "勿扰取消，恢复来电"),
        ("开WLAN", "断开无线网"),
        ("连上无线网", "在设置关掉WLAN"),
        ("connect to the Wi-Fi", "disabled Wi-Fi"),
        ("turned on Bluetooth", "Bluetooth off please"),
    ],
)
def test_whatever_is_said_of_a_switch_it_is_on_or_off(on: str, off: str) -> None:
    assert oppose(on, off)


@each(
    ("command", "remark", "left"),
    [
        ("截图再发给妈妈", "别发给妈妈了", "截图"),
        ("备份再删除照片", "别删除照片", "备份"),
        ("先付水费再付电费", "别付电费了", "先付水费"),
        ("声音再大一点", "别大一点", ""),
        ("屏幕再调暗一点", "别调暗", ""),
    ],
)
def test_the_second_of_two_deeds_is_taken_back(command: str, remark: str, left: str) -> None:
    parts = take_back_part(command, remark)
    assert (parts[0].strip() if parts else "") == left


@each(
    ("command", "remark", "left"),
    [
        ("say thx to Lily, and call Susan after", "no call, its late. just Lily", "say thx to Lily, and "),
        ("买牛奶，再买面包", "面包不要了", "买牛奶，再"),
        # It says the same, or all of it.
        ("order a burger, no onions", "no onions", "order a burger, no onions"),
        ("say thx to Lily, and call Susan after", "just the call", "say thx to Lily, and call Susan after"),
    ],
)
def test_a_part_that_a_remark_leaves_out_is_looked_for_no_more(command: str, remark: str, left: str) -> None:
    assert without_left_out(command, (remark,)) == left
