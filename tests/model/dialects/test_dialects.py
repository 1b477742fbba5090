"""What holds for every dialect, and how one is chosen."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assistant.model.dialects import registry
from assistant.model.dialects.base import Dialect, MalformedReply, ModelReply, ToolCall
from assistant.model.streamed_reply import ThoughtSplitter
from assistant.model.types import SentImage
from assistant.records import (
    Action,
    AskUser,
    Click,
    Direction,
    Failed,
    Finished,
    OpenApp,
    Point,
    Scroll,
    Swipe,
    TakeOver,
    TypeText,
)
from tests.model.strategies import ACTIONS, UNHURRIED, points_of, without_points
from tests.tables import each

FRAMES = st.builds(SentImage, st.integers(128, 4000), st.integers(128, 4000))
ALL = registry.available()


def unit(dialect: Dialect, frame: SentImage) -> tuple[float, float]:
    """Half of the dialect's smallest step, as fractions of the screen."""
    width, height = dialect.space.size(frame)
    step = 0.5 * 10**-dialect.space.decimals
    return step / width + 1e-9, step / height + 1e-9


def as_text(reply: ModelReply) -> str:
    """A reply whose function call is written as JSON."""
    return reply.text or f'{{"name": "{reply.calls[0].name}", "arguments": {reply.calls[0].arguments}}}'


def says_the_end(text: str) -> bool:
    """Whether a text holds any dialect's word for the end."""
    return any(word in text.casefold() for word in ("finish", "terminate", "answer", "done", "complete"))


def parsed(dialect: Dialect, reply: ModelReply, frame: SentImage) -> Action | None:
    try:
        return dialect.parse(reply, frame)
    except MalformedReply:
        return None


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(action=ACTIONS, frame=FRAMES)
@example(action=OpenApp(name="\n0\n"), frame=SentImage(128, 128))
def test_what_is_written_is_read_back(dialect: Dialect, action: Action, frame: SentImage) -> None:
    if isinstance(action, TypeText) and not action.text.rstrip().rstrip("\n"):
        return
    if isinstance(action, Finished) and not action.answer.strip():
        # White space answers nothing.
        action = Finished(answer="")
    read = dialect.parse(dialect.write(action, frame), frame)

    if isinstance(action, TypeText) and action.text.rstrip(" ").endswith("\n"):
        assert isinstance(read, TypeText)
        assert read.text in (action.text, action.text.rstrip(" ").rstrip("\n"))
    else:
        assert without_points(read) in (without_points(action), without_points(action) | {"content": ""})
    across, down = unit(dialect, frame)
    for got, meant in zip(points_of(read), points_of(action), strict=True):
        assert abs(got.x - meant.x) <= across
        assert abs(got.y - meant.y) <= down


@each("dialect", ALL)
def test_an_action_without_its_text_can_still_be_written(dialect: Dialect) -> None:
    for action in (TypeText(text=""), OpenApp(name=""), AskUser(question="")):
        assert dialect.write(action, SentImage(576, 1280)).shown()


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(action=ACTIONS, frame=FRAMES)
def test_an_exact_repeat_counts_once(dialect: Dialect, action: Action, frame: SentImage) -> None:
    reply = dialect.write(action, frame)
    twice = ModelReply("\n".join([reply.text] * 2), reply.calls * 2)

    assert parsed(dialect, twice, frame) == dialect.parse(reply, frame)


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(first=ACTIONS, second=ACTIONS)
def test_two_different_actions_are_malformed(dialect: Dialect, first: Action, second: Action) -> None:
    frame = SentImage(576, 1280)
    one, other = dialect.write(first, frame), dialect.write(second, frame)
    reply = ModelReply(f"{one.text}\n{other.text}", one.calls + other.calls)

    read = parsed(dialect, reply, frame)
    thinks_again = dialect.name.startswith("ui_tars") and not isinstance(second, Finished)

    ends = isinstance(first, Finished) and second == Finished()
    if one != other and not ends:
        assert read is None or (thinks_again and read == dialect.parse(other, frame))


@each(
    ("status", "expected"),
    [
        ("", Finished(answer="it is")),
        ("success", Finished(answer="it is")),
        ("failed", Failed(reason="it is")),
        ("infeasible", Failed(reason="it is")),
        ("maybe", None),
    ],
)
def test_a_status_says_how_gelab_ends(status: str, expected: Action | None) -> None:
    said = f"\tstatus:{status}" if status else ""
    reply = ModelReply(f"explain:x\taction:COMPLETE{said}\treturn:it is\tsummary:s")

    assert parsed(registry.get("gelab_zero"), reply, SentImage(576, 1280)) == expected


def test_gelabs_action_may_stand_behind_a_space_alone() -> None:
    reply = ModelReply("explain:tap the box action:CLICK\tpoint:500,250\tsummary:s")

    assert parsed(registry.get("gelab_zero"), reply, SentImage(576, 1280)) == Click(point=Point(0.5, 0.25))


def test_mobilerun_memory_is_a_note() -> None:
    reply = ModelReply('<add_memory>Room 12</add_memory>\n<invoke name="wait"></invoke>')

    assert registry.get("mobilerun").read(reply, SentImage(576, 1280)).notes == ("Room 12",)


CALLS = [
    "finished(",
    "finished",
    "click(",
    "type(text=",
    "coordinates=(1,2)",
    "content='",
    "answer=",
    "wait()",
    "start_box='(1,2)'",
    'do(action="Tap", ',
    "element=[1,2]",
    'finish(message="',
    "<function=finished>",
    "</function>",
    "<parameter=content>",
    "</parameter>",
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
    '"terminate"',
    '"status": "success"',
    '{"action": "done", "parameters": ',
    '{"action_type": "status", ',
    '"goal_status": "complete"',
    "null",
    "1e999",
    "NaN",
]
FIELDS = ["explain:", "action:", "COMPLETE", "CLICK", "\tpoint:", "1,2", "\treturn:", "\tsummary:"]
SIGNS = ["'", ")", "(", "\n", " ", ",", "\\", "（", "）", "‘", "’", "\ud800", "\x00"]
AROUND = ["Action: ", "```", "<tool_call>", "</tool_call>"]
PIECES = st.sampled_from([*CALLS, *JSON, *FIELDS, *SIGNS, *AROUND])
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join))
REPLIES = st.builds(
    ModelReply,
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
def test_nothing_but_a_malformed_reply_is_raised(dialect: Dialect, reply: ModelReply) -> None:
    read = parsed(dialect, reply, SentImage(576, 1280))

    if isinstance(read, Finished):
        assert says_the_end(reply.shown())


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(
    text=st.text().filter(lambda text: not says_the_end(text)),
    name=st.text(max_size=8).filter(lambda name: not says_the_end(name)),
)
def test_what_does_not_say_finished_is_never_finished(dialect: Dialect, text: str, name: str) -> None:
    for reply in (ModelReply(text), ModelReply(text, (ToolCall(name, text),))):
        assert not isinstance(parsed(dialect, reply, SentImage(576, 1280)), Finished)


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(action=ACTIONS, keep=st.floats(0, 1, exclude_max=True))
@example(action=TakeOver(reason="0"), keep=0.875)
@example(action=TypeText(text="a]b"), keep=0.9)
def test_a_cut_reply_never_becomes_another_action(dialect: Dialect, action: Action, keep: float) -> None:
    frame = SentImage(576, 1280)
    whole = dialect.write(action, frame)
    text = as_text(whole)

    read = parsed(dialect, ModelReply(text[: int(len(text) * keep)]), frame)

    # OS-Atlas itself ends with a bare word, so one whose answer or reason was cut off cannot be told from it.
    bare = {Finished: Finished(answer=""), Failed: Failed(reason="")}.get(type(action))
    ended = dialect.name == "os_atlas" and bare is not None and read == bare
    assert read is None or ended or read == dialect.parse(whole, frame)


TO_BE_CUT: tuple[Action, ...] = (
    Click(point=Point(0.1234, 0.95), content="Pay ¥25 (now)"),
    TypeText(text="Meet [Ann] at 5'30\", (gate 2) \\] then 'call'"),
    TypeText(text="12345.67"),
    Scroll(point=Point(0.5, 0.25), direction=Direction.DOWN),
    Swipe(start=Point(0.125, 0.25), end=Point(0.875, 0.951)),
    TakeOver(reason="log in"),
    AskUser(question="Which one: [a] or 'b'?"),
)


@each("dialect", ALL)
def test_no_cut_at_any_character_is_another_action(dialect: Dialect) -> None:
    frame = SentImage(576, 1280)
    for action in TO_BE_CUT:
        whole = dialect.write(action, frame)
        text = as_text(whole)

        read = {repr(parsed(dialect, ModelReply(text[:length]), frame)) for length in range(len(text))}

        assert read <= {"None", repr(dialect.parse(whole, frame))}


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@UNHURRIED
@given(text=TEXTS, more=TEXTS)
def test_prose_found_in_steps_is_that_found_at_once(dialect: Dialect, text: str, more: str) -> None:
    end = dialect.prose_end(text)

    assert 0 <= end <= len(text)
    assert max(end, dialect.prose_end(text + more, end)) == max(end, dialect.prose_end(text + more))


BRIEF: tuple[Action, ...] = (Click(point=Point(0.5, 0.5)), TypeText(text="hi"), OpenApp(name="Eats"))
PROSE = (
    "The list shows two shops, and the user wants the one at the corner.\n",
    "The row [Mom] {2 new} says 5 < 6, and `Send` <b> is at [120, 480]. Typed already: “hi”.\n",
)


@each("dialect", ALL)
def test_prose_ends_before_the_action(dialect: Dialect) -> None:
    for action, prose in product(BRIEF, PROSE):
        text = as_text(dialect.write(action, SentImage(576, 1280)))

        ends = [dialect.prose_end((prose + text)[:length]) for length in range(len(prose + text) + 1)]

        assert max(ends) <= len(prose), (action, prose)
        assert ends[-1] >= len(prose) - 1, (action, prose)


@each("size", [1, 7, 400])
@each(
    ("model", "reply", "thought"),
    [
        (
            "Qwen3-VL-8B-Instruct",
            "Thought: “hi” stands in the field [Message], so I send it.\nAction: Tap the [Send] button.\n"
            '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [9, 9]}}',
            "“hi” stands in the field [Message], so I send it.\nAction: Tap the [Send] button.\n",
        ),
        (
            "Qwen2.5-VL-7B-Instruct",
            "<thinking>[Mom] is {open}.</thinking>\n<tool_call>\n"
            '{"name": "mobile_use", "arguments": {"action": "type", "text": "hi"}}\n</tool_call>\n'
            "<conclusion>Typed hi.</conclusion>",
            "[Mom] is {open}.\n",
        ),
        (
            "GUI-Owl-1.5-8B-Instruct",
            "Action: Tap [Send], at < 9.\n<tool_call>\n"
            '{"name": "mobile_use", "arguments": {"action": "wait"}}\n</tool_call>',
            "Action: Tap [Send], at < 9.\n",
        ),
        (
            "grok-4",
            'I see `Send` and [Mom], so:\n```json\n{"name": "wait", "arguments": {}}\n```',
            "I see `Send` and [Mom], so:\n",
        ),
    ],
)
def test_a_thought_is_kept_whole_up_to_the_call(model: str, reply: str, thought: str, size: int) -> None:
    splitter = ThoughtSplitter(registry.choose("", model).prose_end)
    pieces = [reply[place : place + size] for place in range(0, len(reply), size)]

    assert "".join(map(splitter.feed, pieces)) + splitter.finish(all_prose=False) == thought


def test_a_dialect_is_found_by_its_name() -> None:
    assert [registry.get(dialect.name) for dialect in ALL] == list(ALL)
    with pytest.raises(registry.UnknownDialect, match="There are: fingertip, ui_tars_1_5"):
        registry.get("klingon")


@each(
    ("name", "model", "chosen"),
    [
        ("", "FingerTip-7B", "fingertip"),
        ("", "finger-tip_v2", "fingertip"),
        ("", "UI-TARS-1.5-7B", "ui_tars_1_5"),
        ("", "ByteDance-Seed/UI-TARS-7B-DPO", "ui_tars"),
        ("", "doubao-1-5-ui-tars-250428", "ui_tars"),
        ("", "Qwen/Qwen2.5-VL-72B-Instruct", "qwen2_5_vl"),
        ("", "qwen2.5vl:7b", "qwen2_5_vl"),
        ("", "GUI-Owl-7B", "qwen2_5_vl"),
        ("", "mPLUG/GUI-Owl-1.5-8B-Instruct", "gui_owl"),
        ("", "qwen3-vl-plus", "qwen3_vl"),
        ("", "qwen3.5-plus", "qwen3_vl"),
        ("", "Tongyi-MAI/MAI-UI-8B", "mai_ui"),
        ("", "zai-org/AutoGLM-Phone-9B", "autoglm"),
        ("", "MobiMind-Mixed-4B", "mobimind"),
        ("", "MobiMind-Mixed-7B", "mobimind_pixels"),
        ("", "stepfun-ai/GELab-Zero-4B-preview", "gelab_zero"),
        ("", "gpt-5.2", "gpt"),
        ("", "openai/o3", "gpt"),
        ("", "claude-sonnet-4-5", "claude"),
        ("", "google/gemini-3-pro", "gemini"),
        ("", "glm-4.6v", "glm_v"),
        ("", "glm-4-plus", "glm"),
        ("", "UI-Venus-Ground-7B", "grounding"),
        ("", "inclusionAI/UI-Venus-Navi-7B", "ui_venus_1_0"),
        ("", "ui-venus-1.5-8b", "ui_venus"),
        ("", "doubao-seed-1-6-250615", "ui_tars"),
        ("", "computer-use-preview", "openai_computer"),
        ("", "gemini-2.5-computer-use-preview-10-2025", "gemini_computer"),
        ("", "claude-opus-4-7", "claude_large"),
        ("", "OpenGVLab/OS-Atlas-Pro-7B", "os_atlas"),
        ("", "xlangai/OpenCUA-7B", "pyautogui"),
        ("", "Holo1.5-7B", "grounding"),
        ("", "openbmb/AgentCPM-GUI", "agentcpm_gui"),
        ("", "kimi-k2.5", "kimi"),
        ("", "qwen-vl-max", "tool_calls"),
        ("", "never-heard-of", "tool_calls"),
        ("fingertip", "gpt-5.2", "fingertip"),
        ("UI-TARS-1.5", "gpt-5.2", "ui_tars_1_5"),
    ],
)
def test_a_dialect_is_chosen_by_setting_then_by_model(name: str, model: str, chosen: str) -> None:
    assert registry.choose(name, model).name == chosen


_END = (
    '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "terminate", "status": "success"}}'
    "\n</tool_call>"
)


@each("name", ["qwen2_5_vl", "qwen3_vl", "gui_owl", "mai_ui"])
@each(
    "reply",
    [
        f"I could end it with {_END} once the list has loaded.",
        f"One would write {_END}\nbut the list is still empty.",
        f"{_END} but nothing has been ordered, so I hold back.",
        f"Nothing to tap here, and the task is not finished. {_END}",
        f"Thought: the order hasn't been completed.\nAction: stop\n{_END}".replace("\nAction: stop", ""),
        f"任务尚未完成。{_END}",
    ],
)
def test_an_end_that_its_own_words_deny_is_refused(name: str, reply: str) -> None:
    with pytest.raises(MalformedReply):
        registry.get(name).parse(ModelReply(reply), SentImage(1092, 2408))


@each(
    ("name", "reply"),
    [
        ("fingertip", ModelReply("The task is not complete yet.\nfinished()")),
        ("autoglm", ModelReply('The task is not done yet.\nfinish(message="")')),
        ("ui_tars", ModelReply("Thought: The task is not done yet.\nAction: finished()")),
        ("gpt", ModelReply("The task is not done yet.", (ToolCall("finished", "{}"),))),
        ("tool_calls", ModelReply('The task is not done yet.\n{"name": "finished", "arguments": {}}')),
    ],
)
def test_every_form_refuses_an_end_behind_a_denial(name: str, reply: ModelReply) -> None:
    with pytest.raises(MalformedReply):
        registry.get(name).parse(reply, SentImage(1092, 2408))


@each(
    "reply",
    [
        f"It was not complete before. The order stands in the list, so the task is done. {_END}",
        f"Thought: I need not tap anything else; everything is done.\n{_END}",
        "The download is not finished.\n"
        + _END.replace('"terminate", "status": "success"', '"answer", "text": "It is not finished, 40 %."'),
    ],
)
def test_an_end_that_its_words_support_is_the_end(reply: str) -> None:
    assert isinstance(registry.get("qwen3_vl").parse(ModelReply(reply), SentImage(999, 999)), Finished)
