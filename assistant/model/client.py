"""The clients of the model: for one action at a time, and for text.

`VisionModel` sends a step, streams the model's thoughts, repeats requests that fail, and asks again after a
reply that cannot be parsed; it never guesses an action. `ImageEncoder` makes its pictures in threads, ahead
of time where a screenshot is there early. `TextModel` asks for text without a picture, once; every caller has
a way without a model for when that fails. Both say what they send by a `RequestLogEntry`, for the user's log.
"""

from __future__ import annotations

import asyncio
import base64
import io
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from PIL import Image

from assistant.i18n import _
from assistant.model.dialects import registry
from assistant.model.dialects.base import Dialect, MalformedReply, ModelReply, ParsedReply, Tool
from assistant.model.prompts import PromptRefused, left_out, list_elements, read_own_prompt
from assistant.model.streamed_reply import StreamedReply
from assistant.model.types import (
    LONGEST_WAIT,
    PROBE,
    ChatMessage,
    Decision,
    Malformed,
    ModelEndpoint,
    ModelEvent,
    ModelRejected,
    ModelUnavailable,
    Parameters,
    RepliesMalformed,
    RequestFailure,
    Resize,
    Retrying,
    SentImage,
    StepRequest,
    Stopwatch,
    Thought,
    delay_before,
    one_line,
    scaled_size,
    unchanged_size,
    without_control_characters,
)
from assistant.records import Observation, Usage
from assistant.settings.schema import ElementList, ImageFormat, ModelSettings


@dataclass(frozen=True, slots=True)
class RequestLogEntry:
    """A request that is about to be sent, for the user's log: no key, and of the picture only its size.

    `endpoint` is its address without user and password. `picture_bytes` is the size of the screenshot as
    sent, 0 without one. `parts` are role and text of each message, in order.
    """

    endpoint: str
    model: str
    text_bytes: int
    picture_bytes: int
    parts: tuple[tuple[str, str], ...]


def log_entry(messages: Sequence[ChatMessage], settings: ModelSettings) -> RequestLogEntry:
    """The log entry for some messages."""
    parts = tuple(part for message in messages for part in _texts(message))
    pictures = sum(len(url) for message in messages for url in _pictures(message))
    words = sum(len(text.encode("utf-8", "replace")) for _, text in parts)
    return RequestLogEntry(address_without_secrets(settings.base_url), settings.name, words, pictures, parts)


def address_without_secrets(base_url: str) -> str:
    """Scheme, host, port and path of an address, without user, password and key."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _contents(message: ChatMessage) -> list[dict[str, Any]]:
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _texts(message: ChatMessage) -> Iterator[tuple[str, str]]:
    for content in _contents(message):
        if content["type"] == "text":
            yield str(message["role"]), str(content["text"])
    for call in message.get("tool_calls") or ():
        yield str(message["role"]), f"{call['function']['name']}({call['function']['arguments']})"


def _pictures(message: ChatMessage) -> Iterator[str]:
    return (content["image_url"]["url"] for content in _contents(message) if content["type"] == "image_url")


def encode_screenshot(
    png: bytes, settings: ModelSettings, resize: Resize = unchanged_size
) -> SentImage | None:
    """Scale and compress a screenshot; None when it cannot be decoded. Slow: not for the event loop.

    Args:
        png: the screenshot.
        settings: the longest side, and how the picture is compressed.
        resize: gives the exact size that is sent, from the size scaled down to the longest side.
    """
    try:
        with Image.open(io.BytesIO(png), formats=("PNG", "JPEG")) as opened:
            picture = opened.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None
    size = resize(*scaled_size(picture.width, picture.height, settings.image_side))
    if size != picture.size:
        # Far closer to Lanczos than what the compression changes, in half the time.
        picture = picture.resize(size, Image.Resampling.HAMMING)
    data = io.BytesIO()
    if settings.image_format is ImageFormat.PNG:
        picture.save(data, "PNG")
    else:
        picture.save(data, settings.image_format.value.upper(), quality=settings.image_quality)
    text = base64.b64encode(data.getvalue()).decode("ascii")
    return SentImage(*size, url=f"data:image/{settings.image_format.value};base64,{text}")


def sends_elements(setting: ElementList, dialect: Dialect) -> bool:
    """Whether to send the element list beside a picture: by the setting, else as the model was trained."""
    return setting is ElementList.ALWAYS or (setting is ElementList.AUTO and dialect.layout.elements)


class ImageEncoder:
    """Makes frames of screenshots. All methods belong to one event loop.

    Args:
        settings: the longest side, and how the picture is compressed.
        resize: gives the exact size that is sent, from the size scaled down to the longest side.
    """

    def __init__(self, settings: ModelSettings, resize: Resize = unchanged_size) -> None:
        self._settings = settings
        self._resize = resize
        self._png = b""
        self._making: asyncio.Task[SentImage | None] | None = None

    def expect(self, png: bytes) -> None:
        """Start encoding a screenshot that may be needed soon; a running encoding is not cancelled."""
        if png and png != self._png and (self._making is None or self._making.done()):
            self._begin(png)

    async def frame_of(self, observation: Observation) -> SentImage:
        """The picture to send. It is empty for a page that forbids screenshots, and for a broken picture."""
        png = observation.screenshot
        frame = await self._made(png) if png and not observation.secure else None
        if frame is None:
            size = scaled_size(observation.width, observation.height, self._settings.image_side)
            frame = SentImage(*self._resize(*size))
        return replace(frame, centres=tuple(row.centre for row in list_elements(observation)[0]))

    async def close(self) -> None:
        """Wait for running encodings."""
        if self._making is not None:
            await asyncio.wait([self._making])

    async def _made(self, png: bytes) -> SentImage | None:
        making = self._making if self._making is not None and png == self._png else self._begin(png)
        return await asyncio.shield(making)

    def _begin(self, png: bytes) -> asyncio.Task[SentImage | None]:
        self._png = png
        self._making = asyncio.create_task(
            asyncio.to_thread(encode_screenshot, png, self._settings, self._resize)
        )
        return self._making


_QUOTED_LIMIT = 1000
_KEPT_REPLY = 4000
"""Maximum number of characters of a reply that are kept for the history."""

_DOUBLINGS = 3
"""How often in one step a reply that was cut off by its length is asked for again with twice the tokens."""

_SKIPPED_IN_A_ROW = 3
"""How many replies without an action for the phone are answered in one step before they count."""


def open_endpoint(
    settings: ModelSettings, tools: list[Tool] | None, waiting: Stopwatch, more: Parameters | None = None
) -> ModelEndpoint:
    """An endpoint, with the arguments of its class.

    Raises:
        ModelRejected: the address or the model's name is missing or makes no sense.
    """
    # For start-up time: its libraries take a second to import, and the interface is shown before.
    from assistant.model.endpoint import Endpoint

    return Endpoint(settings, tools, waiting, more)


class VisionModel:
    """A vision-language model behind an OpenAI-compatible endpoint. Not for several steps at once."""

    def __init__(
        self,
        settings: ModelSettings,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.perf_counter,
        tell: Callable[[RequestLogEntry], None] | None = None,
    ) -> None:
        """Prepare the endpoint; nothing is sent yet.

        Args:
            settings: the endpoint and the model.
            sleep: waits before a repeat.
            clock: a monotonic clock, in seconds.
            tell: called with each request for an action, repeats included, just before it is sent.

        Raises:
            ModelRejected: the address, the name or the dialect is missing or unknown.
        """
        self._settings = settings
        self._sleep = sleep
        self._clock = clock
        self._tell = tell
        self._waiting = Stopwatch(clock)
        self._decisions = 0
        try:
            self._dialect = registry.choose(settings.dialect, settings.name)
        except registry.UnknownDialect as error:
            raise ModelRejected(_("{error} Set model.dialect.").format(error=error)) from error
        self._endpoint = open_endpoint(settings, self._dialect.tools(), self._waiting)
        side = settings.image_side or self._dialect.layout.side
        pictured = settings.model_copy(update={"image_side": side})
        self._image_encoder = ImageEncoder(pictured, self._dialect.space.resize)
        self._elements = sends_elements(settings.elements, self._dialect)
        try:
            self._own = read_own_prompt(settings.prompt_file)
        except PromptRefused as error:
            raise ModelRejected(_("{error} Set model.prompt_file.").format(error=error)) from error
        self._one_picture = False
        self._frames: dict[int, SentImage] = {}
        self._instruction = ""
        self._estimator = UsageEstimator()
        self._dropped = Usage()

    @property
    def waiting_seconds(self) -> float:
        """The time spent waiting for the endpoint so far, delays before repeats included."""
        return self._waiting.seconds

    @property
    def seconds_per_decision(self) -> float:
        """The average wait for a decision so far; 0 before the first."""
        return self._waiting.seconds / self._decisions if self._decisions else 0.0

    @property
    def reads_elements(self) -> bool:
        """Whether the elements of the screen are sent beside its picture."""
        return self._elements

    def glimpse(self, png: bytes) -> None:
        """Encode a screenshot that the next request may contain."""
        self._image_encoder.expect(png)

    async def decide(self, request: StepRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask for the next action: yields thoughts and failures as they come, then exactly one `Decision`.

        Thoughts before a `Retrying` or `Malformed` belong to a reply that was discarded. Closing the
        generator, or cancelling the task that awaits it, closes the connection.

        Raises:
            ModelRejected: the endpoint refuses; settings must change.
            ModelUnavailable: the endpoint failed as often as was allowed.
            RepliesMalformed: the replies did not parse as often as was allowed.
        """
        tally = _Tally()
        try:
            async with aclosing(self._decide(request, tally)) as events:
                async for event in events:
                    if isinstance(event, Decision):
                        tally = _Tally()  # It tells its usage itself.
                    yield event
        except (asyncio.CancelledError, GeneratorExit):
            self._dropped += tally.usage
            if tally.pending is not None:
                self._dropped += self._estimator.estimate(*tally.pending)
            raise

    def take_dropped_usage(self) -> Usage:
        """The usage of requests that were ended before their decision, since the last call."""
        dropped, self._dropped = self._dropped, Usage()
        return dropped

    async def _decide(self, request: StepRequest, tally: _Tally) -> AsyncGenerator[ModelEvent, None]:
        frame = await self._image_encoder.frame_of(request.observation)
        request = self._with_pictures(request, frame)
        messages = self._dialect.messages(request, frame, elements=self._elements, own=self._own)
        tries = self._settings.malformed_retries + 1
        attempt = skipped = doubled = 0
        notes: tuple[str, ...] = ()
        limit = self._endpoint.reply_tokens
        while attempt < tries:
            reply = StreamedReply(self._dialect.prose_end)
            async with aclosing(self._fetch(messages, tally)) as arriving:
                async for event in arriving:
                    if isinstance(event, StreamedReply):
                        reply = event
                    else:
                        yield event
            cut_off = reply.finish_reason == "length" and doubled < _DOUBLINGS
            if cut_off and (more := self._endpoint.double_tokens()):
                doubled += 1
                yield Retrying(doubled, 0.0, _cut_off(limit, more))
                limit = more
                continue
            try:
                model_reply = reply.reply(limit)
                parsed = self._dialect.read(model_reply, frame)
            except MalformedReply as error:
                reason = one_line(str(error), 300)
            else:
                thought = reply.thought.strip()
                if not thought and (
                    thought := without_control_characters(self._dialect.thought(model_reply)).strip()
                ):
                    yield Thought(thought)
                notes += parsed.notes
                if not parsed.actions and skipped < _SKIPPED_IN_A_ROW:
                    skipped += 1
                    messages = [*messages, *_answered(reply, parsed.remark)]
                    continue
                if parsed.actions:
                    self._decisions += 1
                    yield _decision(parsed, model_reply, thought, notes, tally)
                    return
                reason = parsed.remark
            attempt += 1
            yield Malformed(attempt, reason, tally.usage)
            messages = [*messages, *_asked_again(reply, reason)]
        raise RepliesMalformed(
            _("The model gave no usable action in {tries} replies. {reason} Check model.dialect.").format(
                tries=tries, reason=_(reason)
            ),
            tally.usage,
        )

    def _with_pictures(self, request: StepRequest, frame: SentImage) -> StepRequest:
        """The request with as many screenshots of past steps as the family expects, if they were sent before.

        They are kept in memory for the running turn only.
        """
        past = 0 if self._one_picture else self._dialect.layout.pictures - 1
        number = max((step.number for step in request.history), default=0) + 1
        if request.instruction != self._instruction or number == 1:
            self._frames, self._instruction = {}, request.instruction
        if past < 1:
            return request
        replied = [step for step in request.history if not step.continued]
        newest = replied[left_out(len(replied), past) :]
        shown = {step.number: self._frames.get(step.number) for step in newest}
        self._frames = {key: kept for key, kept in shown.items() if kept is not None}
        self._frames[number] = frame
        history = tuple(replace(step, frame=shown.get(step.number)) for step in request.history)
        return replace(request, history=history)

    async def check(self) -> str:
        """A sentence about the endpoint, for the doctor. A small request proves address, key and model.

        Raises:
            ModelRejected: it refuses, or does not know the model; the message names what to set.
            ModelUnavailable: it does not answer.
        """
        name = self._settings.name
        if self._tell is not None:
            self._tell(log_entry([PROBE], self._settings))
        try:
            await self._endpoint.probe()
        except RequestFailure as failure:
            if not failure.final:
                raise ModelUnavailable(
                    _("{reason} Check model.base_url.").format(reason=failure.reason)
                ) from failure
            model_names = await self._endpoint.models()
            others = ""
            if model_names and name not in model_names:
                others = " " + _("It has: {names}.").format(names=one_line(", ".join(model_names), 200))
            raise ModelRejected(f"{failure.reason}{others}") from failure
        if registry.is_guess(self._settings.dialect, name):
            return _(
                "The model “{name}” answers. Dialect: {dialect}, which is a guess: none claims this name. "
                "Run assistant setup and look where it would tap."
            ).format(name=name, dialect=self._dialect.name)
        return _("The model “{name}” answers. Dialect: {dialect}.").format(
            name=name, dialect=self._dialect.name
        )

    async def close(self) -> None:
        """Close all connections to the endpoint."""
        await self._image_encoder.close()
        await self._endpoint.close()

    async def _fetch(
        self, messages: list[ChatMessage], tally: _Tally
    ) -> AsyncGenerator[Thought | Retrying | StreamedReply, None]:
        """Yields thoughts and repeats as they come, and at the end one complete reply."""
        failures = 0
        while True:
            reply = StreamedReply(self._dialect.prose_end)
            began = self._clock()
            failure: RequestFailure | None = None
            if self._tell is not None:
                self._tell(log_entry(messages, self._settings))
            tally.pending = messages, reply
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
            tally.pending = None
            tally.usage += reply.usage
            if failure is None:
                self._estimator.learn(messages, reply)
                yield reply
                return
            if failure.final and _drop_past_pictures(messages):
                # Some servers take one picture a request, or have no room for more.
                self._one_picture = True
                continue
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
        if not failure.repeat:
            raise ModelUnavailable(failure.reason, tally.usage) from failure
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


def _drop_past_pictures(messages: list[ChatMessage]) -> bool:
    """Take the pictures out of all messages but the last that has one; whether there were any."""
    shown = [place for place, message in enumerate(messages) if not isinstance(message.get("content"), str)]
    for place in shown[:-1]:
        words = "\n".join(part["text"] for part in messages[place]["content"] if part["type"] == "text")
        messages[place] = {**messages[place], "content": words}
    return len(shown) > 1


class _Tally:
    """What one step has used so far, and the request under way with its reply so far."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.seconds_to_first_token = 0.0
        self.pending: tuple[list[ChatMessage], StreamedReply] | None = None


_BYTES_PER_TOKEN = 4
_TOKENS_PER_PICTURE = 1000


class UsageEstimator:
    """Estimates the tokens of requests that are ended before the endpoint tells them.

    A token of the prompt is taken for 4 bytes, a picture for 1,000 tokens, both scaled to what the endpoint
    told of the latest request.
    """

    def __init__(self) -> None:
        self._scale = 1.0

    def learn(self, messages: Sequence[ChatMessage], reply: StreamedReply) -> None:
        """Take note of what the endpoint tells of a request."""
        if reply.usage.prompt_tokens:
            self._scale = reply.usage.prompt_tokens / _rough_tokens(messages)

    def estimate(self, messages: Sequence[ChatMessage], reply: StreamedReply) -> Usage:
        """The usage of a request without a complete reply: what is told of it already, else an estimate."""
        if reply.usage.total_tokens:
            return reply.usage
        prompt, completion = round(_rough_tokens(messages) * self._scale), reply.rough_tokens
        return Usage(
            prompt_tokens=prompt,
            completion_tokens=completion,
            requests=1,
            estimated_tokens=prompt + completion,
        )


def _rough_tokens(messages: Sequence[ChatMessage]) -> int:
    texts = sum(len(text.encode("utf-8", "replace")) for message in messages for _, text in _texts(message))
    pictures = sum(1 for message in messages for _url in _pictures(message))
    return max(1, texts // _BYTES_PER_TOKEN + pictures * _TOKENS_PER_PICTURE)


def _cut_off(limit: int, more: int) -> str:
    return _(
        "The reply was cut off after {limit} tokens and is asked for again with {more}. "
        "Set model.max_tokens higher."
    ).format(limit=limit, more=more)


def _decision(
    parsed: ParsedReply, reply: ModelReply, thought: str, notes: Iterable[str], tally: _Tally
) -> Decision:
    """What a reply with actions decides; `notes` are of all replies of the step."""
    return Decision(
        action=parsed.actions[0],
        thought=thought,
        usage=tally.usage,
        seconds_to_first_token=tally.seconds_to_first_token,
        following=parsed.actions[1:],
        reply=without_control_characters(reply.shown())[:_KEPT_REPLY],
        notes=tuple(dict.fromkeys(notes)),
        warning=parsed.warning,
        remark=parsed.remark,
        implied_enter=parsed.implied_enter,
    )


def _answered(reply: StreamedReply, remark: str) -> list[ChatMessage]:
    """The messages that continue the conversation after a reply: its text, and what is said to it."""
    reply_text = without_control_characters(reply.reply_so_far().shown())[:_QUOTED_LIMIT] or "(nothing)"
    return [{"role": "assistant", "content": reply_text}, {"role": "user", "content": remark}]


def _asked_again(reply: StreamedReply, reason: str) -> list[ChatMessage]:
    """The messages that continue the conversation after an unusable reply, with what was wrong."""
    return _answered(reply, f"That reply cannot be used. {reason} Answer again with exactly one action.")


PATIENCE = 20.0
"""Maximum seconds for an answer."""


class TextModel:
    """A model that writes text. Requests may run concurrently, in any event loop.

    Args:
        settings: the endpoint and the model.
        tell: called with each request just before it is sent.
        patience: maximum seconds for an answer.
        count: called with what each request used, as far as the endpoint told, and with the seconds waited.
    """

    def __init__(
        self,
        settings: ModelSettings,
        tell: Callable[[RequestLogEntry], None] = lambda request: None,
        patience: float = PATIENCE,
        count: Callable[[Usage, float], None] = lambda usage, seconds: None,
    ) -> None:
        self._settings = settings
        self._tell = tell
        self._patience = patience
        self._count = count

    async def __call__(self, system: str, user: str, schema: dict[str, object] | None = None) -> str:
        """The model's answer to a prompt, without its reasoning.

        Args:
            system: the task.
            user: the data for the task.
            schema: the JSON schema of the answer; left out if the endpoint does not support schemas.

        Raises:
            ModelRejected: no model is set, or the endpoint refuses.
            ModelUnavailable: no complete answer came in time.
        """
        messages: list[ChatMessage] = [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]
        waiting, reply = Stopwatch(), StreamedReply(lambda text, _: 0)
        endpoint = open_endpoint(self._settings, None, waiting, _structured(schema) if schema else {})
        self._tell(log_entry(messages, self._settings))
        try:
            async with asyncio.timeout(self._patience):
                return await self._read(endpoint, messages, reply)
        except TimeoutError as error:
            raise ModelUnavailable(
                _("The model gave no answer in {patience:g} s.").format(patience=self._patience)
            ) from error
        except RequestFailure as failure:
            raise (ModelRejected if failure.final else ModelUnavailable)(failure.reason) from failure
        except MalformedReply as error:
            raise ModelUnavailable(str(error)) from error
        finally:
            await endpoint.close()
            if reply.usage.total_tokens:
                self._count(reply.usage, waiting.seconds)

    async def _read(self, endpoint: ModelEndpoint, messages: list[ChatMessage], reply: StreamedReply) -> str:
        await reply.read(endpoint.stream(messages))
        if not (reply.finish_reason or reply.overlong):
            raise RequestFailure(_("The reply was cut off."))
        return reply.reply(self._settings.max_tokens).text


def _structured(schema: dict[str, object]) -> Parameters:
    described = {"name": "answer", "schema": schema, "strict": False}
    return {"response_format": {"type": "json_schema", "json_schema": described}}
