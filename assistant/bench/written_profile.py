"""LLM-UM: a model writes a profile of a person, then says what to suggest in a state (PersonalAlign A.2).

Asked through the endpoint as a turn asks it, streamed over HTTP: the user's own model, or the scripted model,
whose tokens and times are true and whose words are a few fixed rules. It says nothing of what a real model
would suggest.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pydantic import SecretStr

from assistant.bench.harness import TurnFailed
from assistant.bench.paper_prompts import DECIDE, SILENT, SUMMARIZE, format_history, format_state
from assistant.bench.report import progress
from assistant.model.endpoint import Endpoint
from assistant.model.streamed_reply import StreamedReply
from assistant.model.types import ChatMessage, RequestFailure, Stopwatch, delay_before
from assistant.records import Record, State, Usage
from assistant.settings.schema import ModelSettings
from assistant.simulator.model.options import ModelOptions
from assistant.simulator.model.server import ScriptedModel

STAND_IN = "the stand-in's: a few fixed rules, not a real model's"
"""Whose words the scripted model's are."""
MOST_RECORDS = 200
"""So many of a person's newest records are summarised, as many as one of the paper has."""
_PROFILE_TOKENS = 4096


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """A whole answer in words, what it cost, and how many seconds it took."""

    text: str
    usage: Usage
    seconds: float


@dataclass
class WrittenProfiles:
    """What the model wrote: a profile for each person, and for each state what to suggest.

    An answer that no suggestion is due is an empty text.
    """

    profiles: list[WrittenAnswer] = field(default_factory=list)
    suggestions: list[WrittenAnswer] = field(default_factory=list)
    quality_of: str = STAND_IN


@asynccontextmanager
async def open_model(settings: ModelSettings | None) -> AsyncIterator[ModelSettings]:
    """The user's own model, or with None the scripted one in this process, behind its own port."""
    if settings is not None:
        yield settings
        return
    async with ScriptedModel(ModelOptions()) as model:
        yield ModelSettings(base_url=model.address.base_url, name="scripted", api_key=SecretStr(""))


async def ask(
    settings: ModelSettings, system: str, user: str, clock: Callable[[], float] = time.perf_counter
) -> WrittenAnswer:
    """One answer in words, asked for again where the endpoint fails for a while.

    Raises:
        TurnFailed: it refuses, or fails again and again.
    """
    messages: list[ChatMessage] = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    endpoint = Endpoint(settings, None, Stopwatch(), {})
    try:
        for attempt in range(1, settings.retries + 2):
            began, reply = clock(), StreamedReply(lambda text, _: 0)
            try:
                await reply.read(endpoint.stream(list(messages)))
            except RequestFailure as failure:
                if failure.final or attempt > settings.retries:
                    raise TurnFailed(failure.reason) from failure
                await asyncio.sleep(delay_before(attempt, settings.retry_delay, failure.retry_after))
                continue
            return WrittenAnswer(reply.reply_so_far().text, reply.usage, clock() - began)
    finally:
        await endpoint.close()
    raise TurnFailed("The endpoint was not asked.")


async def write_profiles(
    settings: ModelSettings | None,
    histories: Sequence[Sequence[Record]],
    states: Sequence[tuple[int, State]],
) -> WrittenProfiles:
    """Have a profile written for each person, then ask about each state: one call for each of both.

    Args:
        settings: the user's model; None for the scripted one.
        histories: each person's records before the states, oldest first.
        states: the person's place and the state.

    Raises:
        TurnFailed: the endpoint refuses, or fails again and again.
    """
    written = WrittenProfiles(quality_of=settings.name if settings else STAND_IN)
    async with open_model(settings) as model:
        longer = model.model_copy(update={"max_tokens": max(model.max_tokens, _PROFILE_TOKENS)})
        for records in histories:
            written.profiles.append(await ask(longer, SUMMARIZE, format_history(records[-MOST_RECORDS:])))
        progress(f"{len(written.profiles)} profiles written")
        for person, state in states:
            profile = " ".join(written.profiles[person].text.split())
            answer = await ask(model, DECIDE, format_state(state, profile))
            silent = answer.text.strip().rstrip(".。").casefold() == SILENT
            text = "" if silent else answer.text.strip()
            written.suggestions.append(WrittenAnswer(text, answer.usage, answer.seconds))
    return written


def costs(written: WrittenProfiles) -> Mapping[str, object]:
    """Calls, and tokens and seconds of each: means of a profile and of a state."""
    return {
        "quality_of": written.quality_of,
        "calls": len(written.profiles) + len(written.suggestions),
        "a_profile": _means(written.profiles),
        "a_state": _means(written.suggestions),
    }


def _means(answers: Sequence[WrittenAnswer]) -> dict[str, float]:
    total, number = sum((answer.usage for answer in answers), Usage()), max(1, len(answers))
    return {
        "tokens_in": round(total.prompt_tokens / number),
        "tokens_out": round(total.completion_tokens / number),
        "seconds": round(sum(answer.seconds for answer in answers) / number, 3),
    }
