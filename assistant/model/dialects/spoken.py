"""A dialect put together from parts: its words, how they stand in text, and what is said around them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from assistant.model.dialects.base import Call, Reply, one_action
from assistant.model.dialects.spaces import Space
from assistant.model.dialects.words import Vocabulary
from assistant.model.frame import Frame
from assistant.model.prompts import (
    DATA_RULE,
    ChatMessage,
    facts,
    manners,
    message,
    remark_before,
    turns,
)
from assistant.model.types import PastStep, StepRequest
from assistant.records import Action


class Form(Protocol):
    """How calls stand in a family's text."""

    def read(self, reply: Reply) -> list[Call]:
        """The calls of a reply, in order.

        Raises:
            MalformedReply: something that was meant as a call and cannot be read.
        """

    def write(self, call: Call) -> str:
        """The text of one call."""

    def prose_end(self, text: str, start: int = 0) -> int:
        """As `Dialect.prose_end`."""

    def thought(self, reply: Reply) -> str:
        """As `Dialect.thought`: none, where it stands before the call."""
        return ""

    def told(self, thought: str, text: str) -> str:
        """A past reply, as the family's history shows it: the action alone."""
        return text


@dataclass(frozen=True, slots=True)
class Spoken:
    """A dialect whose actions are text.

    `pattern` is looked for in a model's name, whose capitals and dots, dashes and underscores do not matter.
    `instructions` gives the fixed part of the prompt. `in_turns`: past steps are shown as a conversation
    instead of a list, for families that learnt so.
    """

    name: str
    title: str
    pattern: str
    instructions: Callable[[Frame], str]
    vocabulary: Vocabulary
    form: Form
    in_turns: bool = False

    @property
    def space(self) -> Space:
        """The coordinates."""
        return self.vocabulary.space

    def matches(self, model_name: str) -> bool:
        """Whether the name holds the pattern."""
        return bool(self.pattern and re.search(self.pattern, plain_name(model_name)))

    def rules(self, frame: Frame) -> str:
        """Role, form of the answer, and action space."""
        return self.instructions(frame)

    def messages(self, request: StepRequest, frame: Frame, *, elements: bool = True) -> list[ChatMessage]:
        """The rules as system message, past turns where the family has them, the facts with the picture."""
        told = manners(self.vocabulary.labels(), finger=self.vocabulary.word("scroll").finger)
        system = f"{self.rules(frame)}\n{told}\n{DATA_RULE}"
        text = facts(
            request,
            frame,
            place=self.space.place,
            write=None if self.in_turns else lambda action: self.write(action, frame).text,
            elements=elements,
        )
        past: list[ChatMessage] = []
        if self.in_turns:
            past = turns(request.history, lambda step: self._told(step, frame))
            text = f"{remark_before(request.history, len(request.history))}{text}"
        return [{"role": "system", "content": system}, *past, message(text, frame)]

    def tools(self) -> None:
        """None: actions are text."""

    def prose_end(self, text: str, start: int = 0) -> int:
        """Where the form says."""
        return self.form.prose_end(text, start)

    def thought(self, reply: Reply) -> str:
        """Reasoning that stands inside the action."""
        return self.form.thought(reply)

    def parse(self, reply: Reply, frame: Frame) -> Action:
        """Read the one action of a reply."""
        return one_action([self.vocabulary.read(call, frame) for call in self.form.read(reply)])

    def write(self, action: Action, frame: Frame) -> Reply:
        """The action's text."""
        return Reply(text=self.form.write(self.vocabulary.write(action, frame)))

    def _told(self, step: PastStep, frame: Frame) -> str:
        return self.form.told(step.thought, self.write(step.action, frame).text)


def plain_name(model_name: str) -> str:
    """A model's name in small letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", model_name.lower())
