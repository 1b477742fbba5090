"""How the scripted model is started, and how it can be changed while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from assistant.simulator.model.faults import Fault

ThoughtsIn = Literal["reasoning", "content", "none"]

SCATTER = 0.01
"""How far from the middle of its target a tap lies at most, as a share of the picture's sides."""


class PhoneView(BaseModel):
    """Where a simulated phone tells what its last picture shows, for requests without a list of elements."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    token: str


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Where to listen, and how to answer.

    `pace` is in tokens per second, 0 sends at once. `first_token` seconds pass before each reply begins.
    `thoughts` says whether the reasoning comes as `reasoning_content`, as text before the action, or
    not at all; families that write it inside their reply write it there. `family` is the one to play, else
    the one that a request's model is of. `phone` is asked what a picture shows; with `reads` the picture is
    read instead.
    """

    host: str = "127.0.0.1"
    port: int = 0
    key: str = ""
    pace: float = 0.0
    first_token: float = 0.0
    thoughts: ThoughtsIn = "reasoning"
    seed: int = 0
    faults: tuple[Fault, ...] = ()
    family: str = ""
    scatter: float = SCATTER
    phone: PhoneView | None = None
    reads: bool = False


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """Where a running scripted model answers."""

    base_url: str
    port: int


class ControlChange(BaseModel):
    """A change at run time. What is None stays; `clear` removes the faults set so far."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    clear: bool = False
    faults: list[Fault] = []
    pace: float | None = Field(None, ge=0)
    first_token: float | None = Field(None, ge=0)
    thoughts: ThoughtsIn | None = None
    seed: int | None = None
    family: str | None = None
    scatter: float | None = Field(None, ge=0, le=0.2)
    phone: PhoneView | None = None
    reads: bool | None = None


class Exchange(NamedTuple):
    """When a request came and when its whole reply was sent, as `time.monotonic()`."""

    came: float
    replied: float


class ControlStatus(BaseModel):
    """What has happened so far, and the faults still set.

    Of the `requests` that came, some were `answered` whole, `refused` (or failed by a fault), `abandoned` by
    their client, or are still `open`. Of the `prompt_tokens`, `cached_tokens` began like an earlier prompt.
    `last_request` is when the last one came, as `time.monotonic()`, which all processes of a computer share;
    `exchanges` are those that were answered whole, oldest first.
    """

    model_config = ConfigDict(frozen=True)

    requests: int = 0
    answered: int = 0
    refused: int = 0
    abandoned: int = 0
    open: int = 0
    last_request: float = 0.0
    exchanges: list[Exchange] = []
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    faults: list[Fault] = []
