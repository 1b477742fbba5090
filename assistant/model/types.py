"""Types that the model's client and its callers share, and text made safe to show and to quote.

`StepRequest` is what a turn asks for one step; `ModelEvent` is what comes back while the reply streams.
`SentImage` is the screenshot as it was sent: the space in which the model's coordinates are meant.
`RequestFailure` is why one request failed, and whether to try again.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from assistant.i18n import _, has_chinese
from assistant.records import Action, Observation, Point, Source, Usage


@dataclass(frozen=True, slots=True)
class SentImage:
    """Width and height of the sent picture in pixels, and the picture as a data URL.

    Without a picture, `url` is empty, and the size is what a picture of this screen would have had. `centres`
    are the centres of the listed elements, starting with element number 1.
    """

    width: int
    height: int
    url: str = field(default="", repr=False)
    centres: tuple[Point, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class PastStep:
    """A past step of the turn: its action, who decided it, and the error if it was not performed.

    `reply` is what the model wrote, without its thought; empty for steps that the model did not decide, and
    for the further steps of one reply (`continued`), such as typing after the tap on the field. `notes` are
    what the model asked to remember. `number` counts the steps of the turn from 1; 0 if unknown. `frame` is
    the screenshot on which it was decided, if it is to be sent again.
    """

    action: Action
    source: Source = Source.MODEL
    thought: str = ""
    error: str = ""
    reply: str = ""
    notes: tuple[str, ...] = ()
    continued: bool = False
    number: int = 0
    frame: SentImage | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class StepRequest:
    """Everything that the model is told for the next action.

    `notes` are messages of the user, and what changed on the phone, since the last step. `history` is oldest
    first; `folded` summarises the steps before it. `now` is the user's local time. `apps` are the labels of
    the phone's apps, as far as they are known. `covered_from` is the share of the screen's height from which
    a keyboard lies over what is listed; 1 for none.
    """

    instruction: str
    observation: Observation = field(repr=False)
    history: tuple[PastStep, ...] = ()
    notes: tuple[str, ...] = ()
    folded: str = ""
    now: datetime | None = None
    apps: tuple[str, ...] = ()
    covered_from: float = 1.0

    @property
    def language(self) -> str:
        """The language of the task, in which the model is to write what the user reads."""
        return "Chinese" if has_chinese(self.instruction) else "English"


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
    """A reply did not parse. The model is asked again, with the reason, while attempts are left.

    `usage` is what the step has used so far; the final `Decision` or `ModelError` includes it.
    """

    attempt: int
    reason: str
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Decision:
    """The next action, the reasoning before it, and what the step used, malformed replies included.

    Attributes:
        seconds_to_first_token: of the reply that gave the action.
        following: further actions of the same reply, such as typing after the tap on the field.
        reply: what the model wrote.
        notes: what the model asks to remember.
        warning: the model's own warning that the action is sensitive.
        remark: what to tell the model about its reply.
        continued: whether this is one of the further actions of a reply.
        implied_enter: the last action is an Enter that the model did not write, because in its family typing
            includes it.
        refusal: why the action is not to be performed; empty for one that is.
    """

    action: Action
    thought: str
    usage: Usage
    seconds_to_first_token: float = 0.0
    following: tuple[Action, ...] = ()
    reply: str = ""
    notes: tuple[str, ...] = ()
    warning: str = ""
    remark: str = ""
    continued: bool = False
    implied_enter: bool = False
    refusal: str = ""


ModelEvent = Thought | Retrying | Malformed | Decision


class ModelError(Exception):
    """The model gave no usable action; the message says why and what to do. `usage` is what it used."""

    def __init__(self, message: str = "", usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()


@dataclass(frozen=True, slots=True)
class SourceTool:
    """A tool of an MCP server. All its words are the server's, and data.

    Attributes:
        server: the server's name in the settings.
        name: the tool's name.
        description: what it does, on one line.
        parameters: the JSON schema of its arguments.
        reads_only: whether it may be called.
        identity: the server's program or host, and a digest of both definitions: what the user allowed.
    """

    server: str
    name: str
    description: str
    parameters: Mapping[str, Any]
    reads_only: bool
    identity: str


class SourceError(Exception):
    """Another source gives no answer; the message says why."""


class ModelUnavailable(ModelError):
    """The endpoint does not answer, or not usably; trying again later may help."""


class ModelRejected(ModelError):
    """The endpoint refuses: wrong key, unknown model, wrong address. Settings must change first."""


class RepliesMalformed(ModelError):
    """All allowed attempts gave replies that do not parse in the model's dialect."""


Resize = Callable[[int, int], tuple[int, int]]
"""Maps the width and height of a picture to the size that a family of models needs."""


LONGEST_DELAY = 30.0
"""Maximum delay between repeats, in seconds."""
LONGEST_WAIT = 120.0
"""If a server asks for a longer wait, in seconds, it counts as unavailable."""
MOST_COUNTED = 10**9
"""Maximum token count that is believed of a reply."""


class RequestFailure(Exception):
    """One request failed. `retry_after`: the seconds to wait that the server asked for.

    `final`: only other settings help. `repeat` is false if a repeated request would take just as long.
    """

    def __init__(
        self, reason: str, *, final: bool = False, retry_after: float | None = None, repeat: bool = True
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.final = final
        self.retry_after = retry_after
        self.repeat = repeat


def damaged_reply() -> RequestFailure:
    """The failure for an answer that cannot be parsed or has impossible values."""
    return RequestFailure(_("The reply is damaged: it is not the JSON that was expected."))


def delay_before(attempt: int, first: float, retry_after: float | None) -> float:
    """Seconds to wait before repeat number `attempt`, from 1: doubling, or as long as the server asks."""
    return retry_after if retry_after is not None else min(LONGEST_DELAY, first * 2 ** min(attempt - 1, 30))


Parameters = dict[str, Any]
"""Arguments of a chat completion."""
ChatMessage = dict[str, Any]
"""One message of the chat completions interface."""

PROBE: ChatMessage = {"role": "user", "content": "Say ok."}
"""The small request that proves address, key and model."""


class Stopwatch:
    """Adds up the seconds spent inside its `running` blocks."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Start at zero; `clock` gives seconds from any origin."""
        self.seconds = 0.0
        self._clock = clock

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the time of the block, however it ends."""
        began = self._clock()
        try:
            yield
        finally:
            self.seconds += self._clock() - began


def scaled_size(width: int, height: int, longest: int) -> tuple[int, int]:
    """The size after scaling the longest side down to `longest`; never enlarged, never below one pixel.

    Unchanged where `longest` is 0.
    """
    side = max(width, height)
    if not longest or side <= longest:
        return width, height
    return max(1, round(width * longest / side)), max(1, round(height * longest / side))


def unchanged_size(width: int, height: int) -> tuple[int, int]:
    """The same size: for families that take pictures of any size."""
    return width, height


def smart_resize(width: int, height: int, factor: int, least: int, most: int) -> tuple[int, int]:
    """The size in which Qwen's image processor sees a picture (`smart_resize` of qwen-vl-utils).

    Both sides become multiples of `factor`, the area lies between `least` and `most` pixels, the shape stays
    about the same. Halves go to the even multiple, as Python's `round` has it: 1522 x 1022 becomes 1512 x
    1008 with factor 28.
    """
    across, down = (max(factor, round(side / factor) * factor) for side in (width, height))
    if across * down > most:
        shrink = math.sqrt(width * height / most)
        across, down = (max(factor, math.floor(side / shrink / factor) * factor) for side in (width, height))
    elif across * down < least:
        grow = math.sqrt(least / (width * height))
        across, down = (math.ceil(side * grow / factor) * factor for side in (width, height))
    return across, down


_BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)


def without_control_characters(text: str) -> str:
    """Text without control characters, direction marks and lone surrogates; tabs and newlines stay."""
    return _HIDDEN.sub("", _BREAKS.sub("\n", text))


class ModelEndpoint(Protocol):
    """Where a model is asked, as the clients use it; `endpoint.Endpoint` is the one there is."""

    @property
    def reply_tokens(self) -> int:
        """The most tokens that a reply may have."""

    def double_tokens(self) -> int:
        """Double the token limit of replies; returns the new limit, 0 if it cannot be raised."""

    def stream(self, messages: list[ChatMessage]) -> AsyncGenerator[object, None]:
        """The chunks of one reply, as JSON. Closing the generator closes the connection.

        Raises:
            RequestFailure: no answer, a refusal, silence, or a stream that breaks.
        """

    async def probe(self) -> None:
        """Check the endpoint: send a small request and read the beginning of its answer.

        Raises:
            RequestFailure: as `stream`.
        """

    async def models(self) -> list[str]:
        """The names of the endpoint's models, as far as it lists them."""

    async def close(self) -> None:
        """Close all connections."""


def one_line(text: str, limit: int = 0) -> str:
    """Plain text on one line, white space collapsed, cut with an ellipsis at `limit` characters if not 0."""
    line = " ".join(without_control_characters(text).split())
    return line if not limit or len(line) <= limit else line[: limit - 1].rstrip() + "…"


def read_object(answer: str) -> dict[str, Any]:
    """The JSON object in a model's answer, whatever stands around it; empty where there is none."""
    match = _OBJECT.search(answer)
    try:
        content = json.loads(match[0]) if match else None
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def split_reason(reason: str) -> tuple[str, str]:
    """The mark before why a task is given up, “declined” or “schedule”, or nothing, and the reason itself."""
    match = _MARKED.match(reason)
    return (match["mark"].casefold(), reason[match.end() :].strip()) if match is not None else ("", reason)


_MARKED = re.compile(r"\s*[\[【](?P<mark>declined|schedule)[\]】][\s:：,，.。]*", re.IGNORECASE)


def quoted(text: str, limit: int = 0, *, has_lines: bool = False) -> str:
    """A line, or several, as a JSON string, so that it cannot leave its quotes nor close a tag around it."""
    parts = text.splitlines() if has_lines else [text]
    line = "\n".join(one_line(part, limit) for part in parts)
    line = line[: limit - 1].rstrip() + "…" if 0 < limit < len(line) else line
    return json.dumps(line, ensure_ascii=False).replace("</", "<\\/")


class ToolServers(Protocol):
    """The configured MCP servers."""

    async def tools(self) -> tuple[Sequence[SourceTool], Mapping[str, str]]:
        """The tools that only read, and for each server that failed just now why."""

    async def list_tools(self, name: str) -> Sequence[SourceTool]:
        """All tools of a server by its name in the settings.

        Raises:
            SourceError: the server fails.
        """

    async def call(self, tool: SourceTool, arguments: Mapping[str, object]) -> str:
        """The answer of a tool.

        Raises:
            SourceError: the server fails.
        """
