"""A model that reads lines, and what becomes of one that it has read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from assistant.agent.context import AppLookup, ResolvedCommand
from assistant.conversation.line_reading import LineContext, parse_line_reading, take_reading
from assistant.conversation.service import Conversation, Exchange
from assistant.factories import TurnLineResolver
from assistant.model.types import ModelError
from assistant.records import Outcome
from assistant.understand.types import EarlierTurn

from .past import NOW

JUST_NOW = NOW - timedelta(minutes=3)
ALARM = EarlierTurn(
    "t1", "set an alarm for 6:45 tmrw", "set an alarm for 6:45 tomorrow", Outcome.SUCCESS, JUST_NOW
)
TEXTED = EarlierTurn(
    "t2",
    "text mom im gonna be late tonite",
    "text Susan Lin that I'm going to be late tonight",
    Outcome.SUCCESS,
    JUST_NOW,
    True,
)
WOKEN = EarlierTurn("t3", "明天早上七点叫我起床", "把明天的闹钟设在7:00", Outcome.SUCCESS, JUST_NOW)


@dataclass(slots=True)
class Model:
    """A model with one answer, which keeps what it is told."""

    answer: str
    told: list[str] = field(default_factory=list)

    async def __call__(self, system: str, user: str, schema: dict[str, object] | None = None) -> str:
        self.told.append(user)
        if not self.answer:
            raise ModelError("no answer")
        return self.answer


def as_answer(kind: str, restated: str = "", *sources: str) -> str:
    return json.dumps({"kind": kind, "restated": restated, "sources": sources}, ensure_ascii=False)


def taken(
    line: str, answer: str, turns: Sequence[EarlierTurn] = (), talk: Sequence[Exchange] = ()
) -> tuple[str, str]:
    """What a line becomes: the kind of its route with the words, or the order that is offered."""
    reading = parse_line_reading(answer)
    assert reading is not None
    result = take_reading(line, reading, LineContext(NOW, turns, talk))
    if result.route is not None:
        return result.route.kind.value, result.route.rest
    return ("offered", result.order) if result.order else ("as before", "")


async def come_to(
    conversation: Conversation, line: str, model: Model, answers: Sequence[str] = ()
) -> tuple[ResolvedCommand, list[str]]:
    """What a line comes to, and what was asked; an order is resolved as it is."""
    asked, given = list[str](), list(answers)

    async def resolve(command: str, look_up: object, ask_user: object) -> ResolvedCommand:
        return ResolvedCommand(command)

    async def look_up(lookup: AppLookup) -> str:
        raise AssertionError(lookup)

    async def ask(
        question: str,
        choices: Sequence[str],
        *,
        kept: bool = True,
        reasons: Sequence[str] = (),
        about: str = "",
    ) -> str:
        asked.extend(choices)
        return given.pop(0) if given else ""

    read = TurnLineResolver(resolve, model, lambda: conversation, "now", bool(answers))
    return await read(line, look_up, ask), asked
