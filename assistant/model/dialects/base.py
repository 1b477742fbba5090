"""What a dialect is: how one family of models is asked for an action and how it writes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from assistant.model.frame import Frame
from assistant.model.prompts import ChatMessage
from assistant.model.types import StepRequest
from assistant.records import Action

if TYPE_CHECKING:
    from assistant.model.dialects.spaces import Space

Tool = dict[str, Any]
"""One function that the model may call, as the chat completions interface describes it."""


class MalformedReply(Exception):
    """A reply that is not exactly one action of the dialect; the message tells the model what was wrong."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that the model called; `arguments` is the JSON text it wrote."""

    name: str
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said, its reasoning already taken out."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()

    def shown(self) -> str:
        """The reply as text, to quote it back to the model."""
        return "\n".join([self.text, *(f"{call.name}({call.arguments})" for call in self.calls)]).strip()


@dataclass(frozen=True, slots=True)
class Call:
    """One action as written: its name and its arguments by key, both in the family's words."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


class Dialect(Protocol):
    """One way of asking and answering. Implementations hold no state."""

    @property
    def name(self) -> str:
        """The name that the setting `model.dialect` takes."""

    @property
    def title(self) -> str:
        """One line for a person."""

    @property
    def space(self) -> Space:
        """What its coordinates count, and the size that its pictures must have."""

    def matches(self, model_name: str) -> bool:
        """Whether a model of this name speaks the dialect."""

    def rules(self, frame: Frame) -> str:
        """The fixed part of the prompt, shared only with dialects that write alike: role, form, actions."""

    def messages(self, request: StepRequest, frame: Frame, *, elements: bool = True) -> list[ChatMessage]:
        """The conversation that asks for the next action."""

    def tools(self) -> list[Tool] | None:
        """The functions offered to the model; None where the dialect is text alone."""

    def prose_end(self, text: str, start: int = 0) -> int:
        """How many leading characters of a text still growing can no longer belong to an action.

        The first `start` are known to belong to none.
        """

    def thought(self, reply: Reply) -> str:
        """Reasoning that stands inside the action itself; usually empty."""

    def parse(self, reply: Reply, frame: Frame) -> Action:
        """Read the one action of a reply.

        Raises:
            MalformedReply: anything that is not exactly one action; exact repeats count as one.
        """

    def write(self, action: Action, frame: Frame) -> Reply:
        """The inverse of `parse`. The action's target is not written."""


def one_action(actions: list[Action]) -> Action:
    """The only action among those found, exact repeats counted once.

    Raises:
        MalformedReply: none, or several that differ.
    """
    if not actions:
        raise MalformedReply("The reply has no action on a line of its own.")
    if any(action != actions[0] for action in actions):
        raise MalformedReply("The reply has several actions. Give exactly one.")
    return actions[0]


def sound(text: str, name: str, *, required: bool = False) -> str:
    """Text that can be stored and typed.

    Raises:
        MalformedReply: half characters, or nothing where something is required.
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise MalformedReply(f"{name} holds a broken character.")
    if required and not text:
        raise MalformedReply(f"{name} is empty.")
    return text
