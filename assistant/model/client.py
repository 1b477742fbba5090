"""Asks the model for one action at a time: streams its thought, repeats what fails, never guesses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from assistant.i18n import _
from assistant.model.darkroom import Darkroom
from assistant.model.dialects import registry
from assistant.model.dialects.base import MalformedReply
from assistant.model.endpoint import PROBE, Endpoint, Stopwatch
from assistant.model.failures import LONGEST_WAIT, RequestFailure, delay_before
from assistant.model.outgoing import Outgoing, outgoing
from assistant.model.prompts import ChatMessage
from assistant.model.streamed import StreamedReply
from assistant.model.text import one_line, plain
from assistant.model.types import (
    Decision,
    Malformed,
    ModelEvent,
    ModelRejected,
    ModelUnavailable,
    RepliesMalformed,
    Retrying,
    StepRequest,
    Thought,
)
from assistant.records import Usage
from assistant.settings.schema import ModelSettings

_QUOTED_LIMIT = 1000


class VisionModel:
    """A vision-language model behind an OpenAI-compatible endpoint. Not for several steps at once."""

    def __init__(
        self,
        settings: ModelSettings,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.perf_counter,
        tell: Callable[[Outgoing], None] | None = None,
    ) -> None:
        """Prepare the endpoint; nothing is sent yet.

        Args:
            settings: the endpoint and the model.
            sleep: waits before a repeat.
            clock: seconds that only grow.
            tell: hears of each request for an action, repeats too, just before it leaves.

        Raises:
            ModelRejected: the address, the name or the dialect is missing or unknown.
        """
        self._settings = settings
        self._sleep = sleep
        self._clock = clock
        self._tell = tell
        self._waiting = Stopwatch(clock)
        try:
            self._dialect = registry.choose(settings.dialect, settings.name)
        except registry.UnknownDialect as error:
            raise ModelRejected(_("{error} Set model.dialect.").format(error=error)) from error
        self._endpoint = Endpoint(settings, self._dialect.tools(), self._waiting)
        self._darkroom = Darkroom(settings, self._dialect.space.resize)

    @property
    def waiting_seconds(self) -> float:
        """The time spent waiting for the endpoint so far, delays before repeats included."""
        return self._waiting.seconds

    def glimpse(self, png: bytes) -> None:
        """Make a screenshot ready that the next request may hold."""
        self._darkroom.expect(png)

    async def decide(self, request: StepRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask for the next action: thoughts and troubles as they come, then exactly one `Decision`.

        What was thought before a `Retrying` or `Malformed` belongs to a reply that was dropped. Closing the
        generator, or cancelling the task that awaits it, closes the connection.

        Raises:
            ModelRejected: the endpoint refuses; settings must change.
            ModelUnavailable: the endpoint failed as often as was allowed.
            RepliesMalformed: the replies did not parse as often as was allowed.
        """
        frame = await self._darkroom.frame_of(request.observation)
        messages = self._dialect.messages(request, frame, elements=self._settings.elements)
        tries = self._settings.malformed_retries + 1
        tally = _Tally()
        for attempt in range(1, tries + 1):
            reply = StreamedReply(self._dialect.prose_end)
            async with aclosing(self._fetch(messages, tally)) as arriving:
                async for event in arriving:
                    if isinstance(event, StreamedReply):
                        reply = event
                    else:
                        yield event
            try:
                said = reply.reply(self._settings.max_tokens)
                action = self._dialect.parse(said, frame)
            except MalformedReply as error:
                reason = one_line(str(error), 300)
            else:
                thought = reply.thought.strip()
                if not thought and (thought := plain(self._dialect.thought(said)).strip()):
                    yield Thought(thought)
                yield Decision(action, thought, tally.usage, tally.seconds_to_first_token)
                return
            yield Malformed(attempt, reason, tally.usage)
            messages = [*messages, *_asked_again(reply, reason)]
        raise RepliesMalformed(
            _("The model gave no usable action in {tries} replies. {reason} Check model.dialect.").format(
                tries=tries, reason=_(reason)
            ),
            tally.usage,
        )

    async def check(self) -> str:
        """A sentence about the endpoint, for the doctor. A small request proves address, key and model.

        Raises:
            ModelRejected: it refuses, or does not know the model; the message names what to set.
            ModelUnavailable: it does not answer.
        """
        name = self._settings.name
        if self._tell is not None:
            self._tell(outgoing([PROBE], self._settings))
        try:
            await self._endpoint.probe()
        except RequestFailure as failure:
            if not failure.final:
                raise ModelUnavailable(
                    _("{reason} Check model.base_url.").format(reason=failure.reason)
                ) from failure
            known = await self._endpoint.models()
            others = ""
            if known and name not in known:
                others = " " + _("It has: {names}.").format(names=one_line(", ".join(known), 200))
            raise ModelRejected(f"{failure.reason}{others}") from failure
        return _("The model “{name}” answers. It is spoken to in the dialect {dialect}.").format(
            name=name, dialect=self._dialect.name
        )

    async def close(self) -> None:
        """Close all connections to the endpoint."""
        await self._darkroom.close()
        await self._endpoint.close()

    async def _fetch(
        self, messages: list[ChatMessage], tally: _Tally
    ) -> AsyncGenerator[Thought | Retrying | StreamedReply, None]:
        """Thoughts and repeats as they come, and at the end one whole reply."""
        failures = 0
        while True:
            reply = StreamedReply(self._dialect.prose_end)
            began = self._clock()
            failure: RequestFailure | None = None
            if self._tell is not None:
                self._tell(outgoing(messages, self._settings))
            try:
                async with aclosing(self._endpoint.stream(messages)) as chunks:
                    async for chunk in chunks:
                        waited = not reply.begun
                        for piece in reply.feed(chunk):
                            yield Thought(piece)
                        if waited and reply.begun:
                            tally.seconds_to_first_token = self._clock() - began
                        if reply.overlong:
                            break
                for piece in reply.finish():
                    yield Thought(piece)
                if not (reply.finish_reason or reply.overlong):
                    failure = RequestFailure(_("The reply was cut off."))
            except RequestFailure as error:
                failure = error
            tally.usage += reply.usage
            if failure is None:
                yield reply
                return
            failures += 1
            delay = self._delay(failures, failure, tally)
            yield Retrying(failures, delay, failure.reason)
            with self._waiting.running():
                await self._sleep(delay)

    def _delay(self, failures: int, failure: RequestFailure, tally: _Tally) -> float:
        """The seconds before the next try.

        Raises:
            ModelRejected: trying again does not help.
            ModelUnavailable: no tries are left, or the endpoint asks for too long a wait.
        """
        if failure.final:
            raise ModelRejected(failure.reason, tally.usage) from failure
        delay = delay_before(failures, self._settings.retry_delay, failure.retry_after)
        if delay > LONGEST_WAIT:
            minutes = _("{count:.0f} min").format(count=delay / 60)
            raise ModelUnavailable(
                _("{reason} It asks to wait {minutes}. Try again then.").format(
                    reason=failure.reason, minutes=minutes
                ),
                tally.usage,
            )
        if failures > self._settings.retries:
            tried = _("Tried {failures} times. Try again later, or check model.base_url.").format(
                failures=failures
            )
            raise ModelUnavailable(f"{failure.reason} {tried}", tally.usage) from failure
        return delay


class _Tally:
    """What one step has used so far."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.seconds_to_first_token = 0.0


def _asked_again(reply: StreamedReply, reason: str) -> list[ChatMessage]:
    """The unusable reply and what was wrong with it, to go on the conversation with."""
    said = plain(reply.said().shown())[:_QUOTED_LIMIT] or "(nothing)"
    return [
        {"role": "assistant", "content": said},
        {
            "role": "user",
            "content": f"That reply cannot be used. {reason} Answer again with exactly one action.",
        },
    ]
