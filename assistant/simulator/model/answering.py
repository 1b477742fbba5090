"""Makes the answer to one request: decides, lets faults spoil it, writes it in the dialect asked for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from assistant.records import Click, Finished, LongClick, Scroll
from assistant.simulator.model import wire
from assistant.simulator.model.faults import (
    HOSTILE,
    MALFORMED,
    Fault,
    FaultKind,
    HostileStyle,
    MalformedStyle,
    poison,
    spoil,
)
from assistant.simulator.model.obedience import obey
from assistant.simulator.model.options import ThoughtsIn
from assistant.simulator.model.policy import decide
from assistant.simulator.model.situation import Step
from assistant.simulator.model.understanding import Asked
from assistant.simulator.model.wire import Reply, ToolCall


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply and what it costs."""

    reply: Reply
    usage: dict[str, Any]


def answer(
    asked: Asked, faults: dict[FaultKind, Fault], chance: float, thoughts: ThoughtsIn, number: int
) -> Answer:
    """Answer one request.

    `number` counts requests, so that faults without a style take turns; `chance` is a number in 0..1.
    """
    if asked.written is not None:
        text = Reply(content="I would rather not." if FaultKind.MALFORMED in faults else asked.written)
        return Answer(text, wire.usage(asked.prompt_tokens, text.tokens))
    step = decide(asked.situation)
    if FaultKind.FALSE_SUCCESS in faults:
        step = Step(Finished(answer="Done."), "Everything is done.")
    elif FaultKind.OBEDIENT in faults:
        step = obey(faults[FaultKind.OBEDIENT].orders, asked.situation)
    elif FaultKind.WRONG in faults:
        step = _mistaken(step, asked, chance)
    reply = write(step, asked, thoughts)
    if FaultKind.MALFORMED in faults:
        reply = spoil(
            reply, _malformed(faults[FaultKind.MALFORMED], number), (asked.frame.width, asked.frame.height)
        )
    if FaultKind.HOSTILE in faults:
        reply = poison(reply, _hostile(faults[FaultKind.HOSTILE], number))
    return Answer(reply, wire.usage(asked.prompt_tokens, reply.tokens))


def write(step: Step, asked: Asked, thoughts: ThoughtsIn) -> Reply:
    """A step in the dialect asked for, the reasoning where it is wanted."""
    thought = f"[scripted] {step.thought}"
    written = asked.dialect.write(step.action, asked.frame)
    call = next((ToolCall(call.name, call.arguments) for call in written.calls), None)
    text = written.text
    if call and not asked.tools:
        text = f'{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}'
        call = None
    if thoughts != "content":
        return Reply(thought if thoughts == "reasoning" else "", text, call)
    return Reply("", f"{thought}\n{text}".rstrip(), call)


def _mistaken(step: Step, asked: Asked, chance: float) -> Step:
    """Taps another element than the one meant; steps that tap nothing stay right."""
    if not isinstance(step.action, Click | LongClick | Scroll):
        return step
    meant = step.action.point
    others = [item for item in asked.situation.screen.items if item.tappable and item.point != meant]
    if not others:
        return step
    wrong = others[int(chance * len(others))]
    return Step(Click(point=wrong.point, content=wrong.label), f"I tap “{wrong.name}”.")


def _malformed(fault: Fault, number: int) -> MalformedStyle:
    return next((style for style in MALFORMED if style == fault.style), MALFORMED[number % len(MALFORMED)])


def _hostile(fault: Fault, number: int) -> HostileStyle:
    return next((style for style in HOSTILE if style == fault.style), HOSTILE[number % len(HOSTILE)])
