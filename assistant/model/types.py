"""What the turn asks of a model for one step, and what comes back while it streams."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.records import Action, Observation, Source, Usage


@dataclass(frozen=True, slots=True)
class PastStep:
    """One step already taken: its action, who decided it, and why it could not be performed, if so."""

    action: Action
    source: Source = Source.MODEL
    thought: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class StepRequest:
    """Everything the model is told for the next action.

    `notes` are sentences from the user and about the phone since the last step (what the user said, what
    changed while paused). `history` is oldest first.
    """

    instruction: str
    observation: Observation = field(repr=False)
    history: tuple[PastStep, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of reasoning, as it arrives."""

    text: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """The request failed and is repeated after `delay` seconds; `attempt` counts from 1."""

    attempt: int
    delay: float
    reason: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """A reply did not parse. It is asked for again with the reason while attempts are left.

    `usage` is what the step has used so far; the `Decision` or the `ModelError` that ends it counts this in.
    """

    attempt: int
    reason: str
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Decision:
    """The next action, the reasoning before it, and what the step used, malformed replies included.

    `seconds_to_first_token` is that of the reply that gave the action.
    """

    action: Action
    thought: str
    usage: Usage
    seconds_to_first_token: float = 0.0


ModelEvent = Thought | Retrying | Malformed | Decision


class ModelError(Exception):
    """The model gave no usable action; the message says why and what to do, `usage` what was used in vain."""

    def __init__(self, message: str = "", usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()


class ModelUnavailable(ModelError):
    """The endpoint does not answer, or not usably; trying again later may help."""


class ModelRejected(ModelError):
    """The endpoint refuses: wrong key, unknown model, wrong address. Settings must change first."""


class RepliesMalformed(ModelError):
    """The model answers, but not in its dialect, as often as was allowed."""
