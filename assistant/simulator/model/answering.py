"""Makes the answer to one request: decides, lets faults spoil it, writes it in the dialect asked for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from assistant.records import Action, Click, Finished, LongClick, Point, Scroll
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
from assistant.simulator.model.options import ThoughtsIn
from assistant.simulator.model.policy import decide
from assistant.simulator.model.situation import Step
from assistant.simulator.model.understanding import Asked, Dialect
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
    step = decide(asked.situation)
    if FaultKind.FALSE_SUCCESS in faults:
        step = Step(Finished(answer="Done."), "Everything is done.")
    elif FaultKind.WRONG in faults:
        step = _mistaken(step, asked, chance)
    reply = write(step, asked, thoughts)
    if FaultKind.MALFORMED in faults:
        reply = spoil(reply, _malformed(faults[FaultKind.MALFORMED], number), asked.space)
    if FaultKind.HOSTILE in faults:
        reply = poison(reply, _hostile(faults[FaultKind.HOSTILE], number))
    return Answer(reply, wire.usage(asked.prompt_tokens, reply.tokens))


def write(step: Step, asked: Asked, thoughts: ThoughtsIn) -> Reply:
    """A step in the dialect asked for, the reasoning where it is wanted."""
    thought = f"[scripted] {step.thought}"
    arguments = {key: _value(value, asked.space) for key, value in _arguments(step.action).items()}
    spoken = "" if thoughts == "reasoning" else f"{thought}\n"
    silent = thought if thoughts == "reasoning" else ""
    if asked.dialect is Dialect.TOOLS:
        call = ToolCall(step.action.type, json.dumps(_flat(arguments), ensure_ascii=False))
        return Reply(silent, spoken.rstrip(), call)
    parts = (f"{_NAMES.get(key, key)}={_literal(value)}" for key, value in arguments.items())
    return Reply(silent, f"{spoken}{step.action.type}({', '.join(parts)})")


_NAMES = {"point": "coordinates"}


def _arguments(action: Action) -> dict[str, Any]:
    return {key: getattr(action, key) for key in type(action).model_fields if key not in ("type", "target")}


def _value(value: Any, space: tuple[int, int]) -> Any:
    if isinstance(value, Point):
        return round(value.x * space[0]), round(value.y * space[1])
    return str(value)


def _flat(arguments: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in arguments.items():
        if isinstance(value, tuple):
            before = "" if key == "point" else f"{key}_"
            flat[f"{before}x"], flat[f"{before}y"] = value
        else:
            flat[key] = value
    return flat


def _literal(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({value[0]}, {value[1]})"
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


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
