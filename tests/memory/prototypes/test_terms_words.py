from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.prototypes.terms import jaccard, without_opening, without_vague, word_set


def test_stop_words_plurals_and_case_do_not_count() -> None:
    assert word_set("Please order the Noodles on Eats") == word_set("order noodle, eats")


def test_chinese_is_cut_into_pairs_of_characters() -> None:
    assert word_set("点牛肉面") == {"点牛", "牛肉", "肉面"}
    assert word_set("帮我点面") == word_set("点面")


def test_full_width_letters_are_the_same_letters() -> None:
    assert word_set("ＫＦＣ 10:30") == {"kfc", "10:30"}


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
