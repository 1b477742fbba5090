"""What the stand-in writes, read by the assistant's dialects: neither side knows the other's code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assistant.model.dialects import registry
from assistant.model.dialects.base import ModelReply, ToolCall
from assistant.model.prompts import list_elements
from assistant.model.streamed_reply import split_thought
from assistant.records import Action, Click
from assistant.simulator.model.answering import answer
from assistant.simulator.model.families import families
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.history import read_step
from assistant.simulator.model.options import ModelOptions
from assistant.simulator.model.tokens import PromptCache
from assistant.simulator.model.understanding import Asked, read_request
from assistant.simulator.model.wire import Reply
from tests.simulator.model.prompt import Row, body, frame, observation
from tests.tables import each

SEEN = observation(
    [Row("Big offer", clickable=False), Row("Skip"), Row("Buy now")], package="com.example.eats", app="Eats"
)
KNOWN = [
    name
    for name, family in families().items()
    if name == "any" or registry.choose("", family.example).name != "tool_calls"
]


def ask(name: str, instruction: str = "order beef noodles") -> Asked:
    model = families()[name].example
    asked = body(instruction, SEEN, dialect=registry.choose("", model).name)
    return read_request(asked | {"model": model})


def reply(name: str, faults: Mapping[FaultKind, Fault] | None = None) -> Reply:
    return answer(ask(name), faults or {}, 0.5, ModelOptions(), 1).reply


def parsed(name: str, said: Reply) -> Action:
    dialect = registry.choose("", families()[name].example)
    calls = tuple(ToolCall(call.name, call.arguments) for call in said.calls)
    shown = replace(frame(), centres=tuple(row.centre for row in list_elements(SEEN)[0]))
    return dialect.parse(ModelReply(split_thought(said.content)[1], calls), shown)


@each("name", KNOWN)
def test_each_family_hits_what_it_means_in_the_dialect_that_its_name_chooses(name: str) -> None:
    action = parsed(name, reply(name))
    assert isinstance(action, Click)
    assert SEEN.element_at(action.point) == SEEN.elements[1]


def test_no_label_is_given_where_the_prompt_offers_none() -> None:
    labels = {name: getattr(parsed(name, reply(name)), "content", "") for name in KNOWN}
    assert {name for name, label in labels.items() if label} <= {
        "fingertip",
        "mobimind",
        *(name for name, family in families().items() if family.general),
    }


def test_two_actions_in_one_reply_are_both_written() -> None:
    several = reply("qwen3_vl", {FaultKind.SEVERAL: Fault(kind=FaultKind.SEVERAL)})
    assert several.content.count("<tool_call>") == 2
    assert len(reply("any", {FaultKind.SEVERAL: Fault(kind=FaultKind.SEVERAL)}).calls) == 2


def test_a_long_thought_is_cut_at_the_limit_and_says_so() -> None:
    long = reply("any", {FaultKind.OVERTHINK: Fault(kind=FaultKind.OVERTHINK)})
    assert long.tokens > 8000
    cut = long.within(2048)
    assert (cut.finish_reason, cut.content, cut.calls) == ("length", "", ())


@each(
    ("text", "kind", "detail"),
    [
        ("Thought: I see it. Tap “Mom · hi”.\nAction: click(start_box='(1,2)')", "click", "Mom · hi"),
        ("click(start_box='(1,2)')", "click", ""),
        (
            '{"name": "mobile_use", "arguments": {"action": "system_button", "button": "Back"}}',
            "press_back",
            "",
        ),
        ('do(action="Type", text="say \\"hi\\"")', "type", 'say "hi"'),
        ("explain:\taction:AWAKE\tvalue:Chat\tsummary:", "open_app", "Chat"),
    ],
)
def test_what_the_history_does_not_say_is_forgotten(text: str, kind: str, detail: str) -> None:
    step = read_step(text)
    assert (step.type, step.detail) == (kind, detail)


def test_a_prompt_that_begins_like_an_earlier_one_is_reused_that_far() -> None:
    cache, first = PromptCache(), ask("any").tokens
    assert cache.reused(first) == 0
    assert cache.reused(first) == len(first) // 16 * 16
    assert 0 < cache.reused((*first[:40], *("other",) * 40)) <= 40
