from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assistant.model.streamed_reply import ThoughtSplitter, split_thought
from tests.model.strategies import UNHURRIED
from tests.tables import each


def all_prose(answer: str, start: int) -> int:
    return len(answer)


def no_prose(answer: str, start: int) -> int:
    return 0


@each(
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
        ("<THINK> two </THINK>wait()", " two ", "wait()"),
        ("<TINK>two</TINK>wait()", "two", "wait()"),
        ("<thinkt>two</thinkt>wait()", "two", "wait()"),
        ("<seed:think>two</seed:think>wait()", "two", "wait()"),
        ("<think_never_used_51bce0>two</think_never_used_51bce0>wait()", "two", "wait()"),
        ("<thinker>two</thinker>", "", "<thinker>two</thinker>"),
    ],
)
def test_tags_part_thought_from_answer(text: str, thought: str, answer: str) -> None:
    assert split_thought(text) == (thought, answer)


PIECES = st.lists(
    st.one_of(
        st.text(max_size=6),
        st.sampled_from(
            ["<think>", "</think>", "<", "</thi", "nk>", "< /think_", "never_used_1 >", "finished()"]
        ),
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


@each("size", [1, 3, 100])
@each("label", ["Thought: ", "\nThought：", "思考：", ""])
def test_a_label_before_the_thought_is_not_told(label: str, size: int) -> None:
    text = f"{label}Though two shops: Thought: one."
    splitter = ThoughtSplitter(all_prose)
    pieces = [text[place : place + size] for place in range(0, len(text), size)]

    assert "".join(map(splitter.feed, pieces)) + splitter.finish(all_prose=True) == text.removeprefix(label)


def test_half_a_label_is_told_at_the_end() -> None:
    splitter = ThoughtSplitter(all_prose)

    assert splitter.feed("Thoug") == ""
    assert splitter.finish(all_prose=True) == "Thoug"


def test_text_beside_a_function_call_is_all_thought() -> None:
    splitter = ThoughtSplitter(no_prose)

    assert splitter.feed("Two shops {here}") == ""
    assert splitter.finish(all_prose=True) == "Two shops {here}"
