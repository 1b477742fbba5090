"""What holds for every dialect, and how one is chosen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.model import dialects
from assistant.model.dialects import Dialect, MalformedReply, Reply, ToolCall
from assistant.model.dialects.fingertip import FingerTip
from assistant.model.frame import Frame
from assistant.records import Action, Click, Finished, OpenApp, Point, TypeText
from tests.model.strategies import ACTIONS, UNHURRIED, points_of, without_points

FRAMES = st.builds(Frame, st.integers(128, 4000), st.integers(128, 4000))
ALL = dialects.available()


def unit(dialect: Dialect, frame: Frame) -> tuple[float, float]:
    """Half of the dialect's smallest step, as fractions of the screen."""
    size = (frame.width, frame.height) if isinstance(dialect, FingerTip) else (1000, 1000)
    return 0.5 / size[0] + 1e-9, 0.5 / size[1] + 1e-9


def parsed(dialect: Dialect, reply: Reply, frame: Frame) -> Action | None:
    try:
        return dialect.parse(reply, frame)
    except MalformedReply:
        return None


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(action=ACTIONS, frame=FRAMES)
def test_what_is_written_is_read_back(dialect: Dialect, action: Action, frame: Frame) -> None:
    read = dialect.parse(dialect.write(action, frame), frame)

    assert without_points(read) == without_points(action)
    across, down = unit(dialect, frame)
    for got, meant in zip(points_of(read), points_of(action), strict=True):
        assert abs(got.x - meant.x) <= across
        assert abs(got.y - meant.y) <= down


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(action=ACTIONS, frame=FRAMES)
def test_an_exact_repeat_counts_once(dialect: Dialect, action: Action, frame: Frame) -> None:
    reply = dialect.write(action, frame)
    twice = Reply("\n".join([reply.text] * 2), reply.calls * 2)

    assert parsed(dialect, twice, frame) == dialect.parse(reply, frame)


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(first=ACTIONS, second=ACTIONS)
def test_two_different_actions_are_malformed(dialect: Dialect, first: Action, second: Action) -> None:
    frame = Frame(576, 1280)
    one, other = dialect.write(first, frame), dialect.write(second, frame)
    reply = Reply(f"{one.text}\n{other.text}", one.calls + other.calls)

    if one != other:
        assert parsed(dialect, reply, frame) is None


CALLS = [
    "finished(",
    "finished",
    "click(",
    "type(text=",
    "coordinates=(1,2)",
    "content='",
    "answer=",
    "wait()",
]
JSON = [
    '{"name": "finished", "arguments": {',
    "{",
    "}",
    "}}",
    "[",
    "]",
    '"',
    ":",
    '"action"',
    "null",
    "1e999",
    "NaN",
]
SIGNS = ["'", ")", "(", "\n", " ", ",", "\\", "（", "）", "‘", "’", "\ud800", "\x00"]
AROUND = ["Action: ", "```", "<tool_call>", "</tool_call>"]
PIECES = st.sampled_from([*CALLS, *JSON, *SIGNS, *AROUND])
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join))
REPLIES = st.builds(
    Reply,
    TEXTS,
    st.lists(
        st.builds(
            ToolCall, st.one_of(st.text(max_size=5), st.sampled_from(["finished", "click", "type"])), TEXTS
        ),
        max_size=2,
    ).map(tuple),
)


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(reply=REPLIES)
def test_nothing_but_a_malformed_reply_is_raised(dialect: Dialect, reply: Reply) -> None:
    read = parsed(dialect, reply, Frame(576, 1280))

    if isinstance(read, Finished):
        assert "finished" in reply.shown()


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(text=st.text().filter(lambda text: "finish" not in text), name=st.text(max_size=8))
def test_what_does_not_say_finished_is_never_finished(dialect: Dialect, text: str, name: str) -> None:
    for reply in (Reply(text), Reply(text, (ToolCall(name, text),))):
        assert not isinstance(parsed(dialect, reply, Frame(576, 1280)), Finished)


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(action=ACTIONS, keep=st.floats(0, 1, exclude_max=True))
def test_a_cut_reply_never_becomes_another_action(dialect: Dialect, action: Action, keep: float) -> None:
    frame = Frame(576, 1280)
    whole = dialect.write(action, frame)
    text = whole.text or f'{{"name": "{whole.calls[0].name}", "arguments": {whole.calls[0].arguments}}}'

    read = parsed(dialect, Reply(text[: int(len(text) * keep)]), frame)

    assert read is None or read == dialect.parse(whole, frame)


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(text=TEXTS, more=TEXTS)
def test_prose_found_in_steps_is_that_found_at_once(dialect: Dialect, text: str, more: str) -> None:
    end = dialect.prose_end(text)

    assert 0 <= end <= len(text)
    assert max(end, dialect.prose_end(text + more, end)) == max(end, dialect.prose_end(text + more))


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("action", [Click(point=Point(0.5, 0.5)), TypeText(text="hi"), OpenApp(name="Eats")])
def test_prose_ends_before_the_action(dialect: Dialect, action: Action) -> None:
    prose = "The list shows two shops, and the user wants the one at the corner.\n"
    reply = dialect.write(action, Frame(576, 1280))
    text = reply.text or f'{{"name": "{action.type}", "arguments": {reply.calls[0].arguments}}}'

    ends = [dialect.prose_end((prose + text)[:length]) for length in range(len(prose + text) + 1)]

    assert max(ends) <= len(prose)
    assert ends[-1] >= len(prose) - 1


def test_a_dialect_is_found_by_its_name() -> None:
    assert [dialects.get(dialect.name) for dialect in ALL] == list(ALL)
    with pytest.raises(dialects.UnknownDialect, match="There are: fingertip, tool_calls"):
        dialects.get("klingon")


@pytest.mark.parametrize(
    ("name", "model", "chosen"),
    [
        ("", "FingerTip-7B", "fingertip"),
        ("", "finger-tip_v2", "fingertip"),
        ("", "gpt-5.2", "tool_calls"),
        ("", "never-heard-of", "tool_calls"),
        ("fingertip", "gpt-5.2", "fingertip"),
    ],
)
def test_a_dialect_is_chosen_by_setting_then_by_model(name: str, model: str, chosen: str) -> None:
    assert dialects.choose(name, model).name == chosen
