from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.model.thinking import ThoughtSplitter, split_thought
from tests.model.strategies import UNHURRIED


def all_prose(answer: str, start: int) -> int:
    return len(answer)


def no_prose(answer: str, start: int) -> int:
    return 0


@pytest.mark.parametrize(
    ("text", "thought", "answer"),
    [
        ("wait()", "", "wait()"),
        ("<think>Two shops.</think>wait()", "Two shops.", "wait()"),
        ("<Thinking>Two shops.</Thinking>\nwait()", "Two shops.", "\nwait()"),
        ("Two shops, maybe finished().</think>wait()", "Two shops, maybe finished().", "wait()"),
        ("<think>It never ends. finished()", "It never ends. finished()", ""),
        ("<think>a</think><think>b</think>wait()", "ab", "wait()"),
        ("5 < 6 and <b>bold</b>", "", "5 < 6 and <b>bold</b>"),
        ("cut off <thi", "", "cut off <thi"),
    ],
)
def test_tags_part_thought_from_answer(text: str, thought: str, answer: str) -> None:
    assert split_thought(text) == (thought, answer)


PIECES = st.lists(
    st.one_of(
        st.text(max_size=6), st.sampled_from(["<think>", "</think>", "<", "</thi", "nk>", "finished()"])
    ),
    max_size=20,
)


@UNHURRIED
@given(pieces=PIECES)
def test_the_cuts_between_pieces_do_not_matter(pieces: list[str]) -> None:
    splitter = ThoughtSplitter(no_prose)
    thought = "".join(map(splitter.feed, pieces)) + splitter.finish(all_prose=False)

    assert (thought, splitter.answer) == split_thought("".join(pieces))


@UNHURRIED
@given(pieces=st.lists(st.sampled_from(["<think>", "</think>", "two ", "shops", "\n"]), max_size=12))
def test_nothing_is_told_twice_and_nothing_is_lost(pieces: list[str]) -> None:
    splitter = ThoughtSplitter(all_prose)
    thought = "".join(map(splitter.feed, pieces)) + splitter.finish(all_prose=True)

    assert thought == "".join(piece for piece in pieces if "think" not in piece)


def test_thought_comes_while_it_arrives() -> None:
    splitter = ThoughtSplitter(no_prose)

    assert [splitter.feed(piece) for piece in ["<thi", "nk>Two", " shops", "</", "think>", "wait()"]] == [
        "", "Two", " shops", "", "", "",
    ]  # fmt: skip


def test_prose_before_the_action_is_thought_and_the_action_is_not() -> None:
    splitter = ThoughtSplitter(
        lambda answer, start: answer.find("wait()") if "wait()" in answer else len(answer)
    )

    assert splitter.feed("Two shops. ") == "Two shops. "
    assert splitter.feed("wait()") == ""
    assert splitter.finish(all_prose=False) == ""
    assert splitter.answer == "Two shops. wait()"


def test_text_beside_a_function_call_is_all_thought() -> None:
    splitter = ThoughtSplitter(no_prose)

    assert splitter.feed("Two shops {here}") == ""
    assert splitter.finish(all_prose=True) == "Two shops {here}"
