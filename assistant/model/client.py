"""Asks the vision-language model for one action at a time.

`VisionModel` sends a step, streams the model's thoughts, repeats requests that fail, and asks again after a
reply that cannot be parsed; it never guesses an action. `ImageEncoder` makes the pictures in threads, ahead
of time where a screenshot is there early. `StreamedReply` puts a reply together from its chunks, and
`ThoughtSplitter` parts the reasoning in it from the answer.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from PIL import Image

from assistant.i18n import _, later
from assistant.model.dialects import registry
from assistant.model.dialects.base import Dialect, MalformedReply, ModelReply, ToolCall
from assistant.model.endpoint import (
    LONGEST_WAIT,
    MOST_COUNTED,
    PROBE,
    Endpoint,
    RequestFailure,
    RequestLogEntry,
    Stopwatch,
    damaged_reply,
    delay_before,
    log_entry,
)
from assistant.model.prompts import (
    ChatMessage,
    PromptRefused,
    left_out,
    list_elements,
    read_own_prompt,
)
from assistant.model.types import (
    Decision,
    Malformed,
    ModelEvent,
    ModelRejected,
    ModelUnavailable,
    RepliesMalformed,
    Resize,
    Retrying,
    SentImage,
    StepRequest,
    Thought,
    one_line,
    scaled_size,
    unchanged_size,
    without_control_characters,
)
from assistant.records import Observation, Usage
from assistant.settings.schema import ElementList, ImageFormat, ModelSettings


def encode(png: bytes, settings: ModelSettings, resize: Resize = unchanged_size) -> SentImage | None:
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
        self._making = asyncio.create_task(asyncio.to_thread(encode, png, self._settings, self._resize))
        return self._making


_NAMES = ("think", "thinking", "thought", "reasoning", "thinkt", "tink", "seed:think", "think_never_used")
_TAG = re.compile(rf"< {{0,2}}(/?)(?:{'|'.join(_NAMES)})(?:_\w{{1,40}})? {{0,2}}>", re.IGNORECASE)
_PARTIAL = re.compile(r"< {0,2}/?[\w:]* {0,2}", re.IGNORECASE)
_LONGEST = 64
_LABEL = re.compile(r"\s*(?:Thought|思考)\s?[:：]\s*")
_LABELS = ("Thought:", "Thought：", "思考:", "思考：")


class ThoughtSplitter:
    """Splits a growing reply into thought and answer: `<think>…</think>`, and the prose before the action.

    A label `Thought:` at the beginning of the prose is dropped.
    A closing tag without an opening one makes everything before it thought: some chat templates write the
    opening tag into the prompt. An opening tag that is never closed leaves no answer.
    """

    def __init__(self, prose_end: Callable[[str, int], int]) -> None:
        """Start empty; `prose_end` is `Dialect.prose_end`, which finds the prose before the action."""
        self.answer = ""
        self._prose_end = prose_end
        self._shown = 0
        self._pending = ""
        self._inside = False

    def feed(self, piece: str) -> str:
        """Add the next piece of the reply; returns what it adds to the thought."""
        self._pending += piece
        thought = ""
        while tag := _TAG.search(self._pending):
            thought += self._take(self._pending[: tag.start()], last=True)
            if tag[1] and not self._inside:
                thought += self._release()
                self.answer = ""
                self._shown = 0
            self._inside = not tag[1]
            self._pending = self._pending[tag.end() :]
        certain = len(self._pending) - _partial_tag(self._pending)
        thought += self._take(self._pending[:certain])
        self._pending = self._pending[certain:]
        return thought

    def finish(self, *, all_prose: bool) -> str:
        """End the reply; returns the rest of the thought, with `all_prose` the whole remaining text."""
        thought = self._take(self._pending, last=True)
        self._pending = ""
        return thought + (self._release() if all_prose else "")

    def _take(self, text: str, *, last: bool = False) -> str:
        if self._inside:
            return text
        self.answer += text
        end = max(self._shown, self._prose_end(self.answer, self._shown))
        prose = self.answer[self._shown : end]
        if not self._shown:
            if not last and any(label.startswith(prose.lstrip()) for label in _LABELS):
                return ""
            prose = _LABEL.sub("", prose, count=1) if _LABEL.match(prose) else prose
        self._shown = end
        return prose

    def _release(self) -> str:
        rest = self.answer[self._shown :]
        self._shown = len(self.answer)
        return rest


def split_thought(text: str) -> tuple[str, str]:
    """The tagged reasoning and the answer of a whole text."""
    splitter = ThoughtSplitter(lambda answer, start: 0)
    thought = splitter.feed(text) + splitter.finish(all_prose=False)
    return thought, splitter.answer


def _partial_tag(text: str) -> int:
    """How many characters at the end may be the beginning of a tag."""
    start = text.rfind("<", max(0, len(text) - _LONGEST))
    tail = text[start:].lower() if start >= 0 else ""
    name = tail.lstrip("</ ").rstrip()
    is_tag_name = any(tag_name.startswith(name) or name.startswith(f"{tag_name}_") for tag_name in _NAMES)
    return len(tail) if tail and is_tag_name and _PARTIAL.fullmatch(tail) else 0


LIMIT = 100_000
"""Maximum number of characters that are read of one reply; every chunk counts as one more."""

_MOST_CALLS = 100
"""Maximum number of function calls in one reply. Usual replies have one, or the few of one step."""


class StreamedReply:
    """One reply while it arrives.

    A chunk is unvalidated JSON: each field may be missing or have another type.
    """

    def __init__(self, prose_end: Callable[[str, int], int]) -> None:
        """Start empty; `prose_end` is `Dialect.prose_end`."""
        self.thought = ""
        self.usage = Usage(requests=1)
        self.begun = False
        self.finish_reason = ""
        self._splitter = ThoughtSplitter(prose_end)
        self._calls: list[_GrowingCall] = []
        self._size = 0

    @property
    def overlong(self) -> bool:
        """Whether the reply is too long to be of use, so that reading can stop."""
        return self._size > LIMIT

    async def read(self, chunks: AsyncGenerator[object]) -> None:
        """Read chunks to their end, or until the reply is `overlong`, without reporting thoughts.

        Raises:
            RequestFailure: a chunk has impossible token counts.
        """
        async with aclosing(chunks):
            async for chunk in chunks:
                for _piece in self.feed(chunk):
                    pass
                if self.overlong:
                    break
        for _piece in self.finish():
            pass

    def feed(self, chunk: object) -> Iterator[str]:
        """Add one chunk; yields the pieces of thought in it.

        Raises:
            RequestFailure: it has impossible token counts.
        """
        self._count(_field(chunk, "usage"))
        self._size += 1
        choices = _field(chunk, "choices")
        if not isinstance(choices, list) or not choices:
            return
        delta = _field(choices[0], "delta")
        reasoning = _text(delta, "reasoning_content") or _text(delta, "reasoning")
        content = _text(delta, "content") or _text(delta, "refusal")
        self._size += len(reasoning) + len(content)
        if reasoning:
            yield from self._add_thought(reasoning)
        if content:
            yield from self._add_thought(self._splitter.feed(content))
        for call in _list(delta, "tool_calls"):
            self._take_call(call)
        self.begun = self.begun or bool(reasoning or content or self._calls)
        self.finish_reason = _text(choices[0], "finish_reason") or self.finish_reason

    def finish(self) -> Iterator[str]:
        """End the stream; yields the last pieces of thought."""
        yield from self._add_thought(self._splitter.finish(all_prose=bool(self._calls)))

    def reply(self, max_tokens: int) -> ModelReply:
        """The reply without the thought.

        Raises:
            MalformedReply: the reply was cut off.
        """
        if self.overlong:
            raise MalformedReply(later("The reply is far too long. Give one action."))
        if self.finish_reason == "length":
            raise MalformedReply(
                f"The reply was cut off after {max_tokens} tokens, which model.max_tokens sets. "
                "Think less and "
                "give the action."
            )
        if self.finish_reason == "content_filter":
            raise MalformedReply(later("The endpoint's content filter stopped the reply."))
        return self.reply_so_far()

    def reply_so_far(self) -> ModelReply:
        """The reply so far, complete or not."""
        calls = tuple(ToolCall(call.name, call.arguments) for call in self._calls)
        return ModelReply("" if calls else self._splitter.answer.strip(), calls)

    def _add_thought(self, thought: str) -> Iterator[str]:
        if clean := without_control_characters(thought):
            self.thought += clean
            yield clean

    def _count(self, usage: object) -> None:
        """Keep the latest token counts; some endpoints send growing counts with every chunk."""
        sent, made = _number(usage, "prompt_tokens"), _number(usage, "completion_tokens")
        if max(sent, made) > MOST_COUNTED:
            raise damaged_reply()
        if sent or made:
            details = _field(usage, "prompt_tokens_details")
            cached = _number(details, "cached_tokens") or _number(usage, "prompt_cache_hit_tokens")
            self.usage = Usage(
                prompt_tokens=sent, completion_tokens=made, requests=1, cached_tokens=min(cached, sent)
            )

    def _take_call(self, piece: object) -> None:
        function = _field(piece, "function")
        call_id, name, arguments = _text(piece, "id"), _text(function, "name"), _arguments(function)
        self._size += len(name) + len(arguments)
        index = _field(piece, "index")
        call = self._call_at(index, call_id, name)
        call.id = call.id or call_id
        call.name = call.name or name
        call.arguments += arguments

    def _call_at(self, index: Any, call_id: str, name: str) -> _GrowingCall:
        """The call that a piece belongs to.

        Some endpoints number all calls 0; then the ids tell them apart.
        """
        for call in reversed(self._calls):
            same = index is None or call.index == index
            if same and not (call_id and name and call.id and call.id != call_id):
                return call
        if len(self._calls) == _MOST_CALLS:
            raise damaged_reply()
        self._calls.append(_GrowingCall(index))
        return self._calls[-1]


class _GrowingCall:
    def __init__(self, index: Any) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.arguments = ""


def _field(value: object, name: str) -> Any:
    """A field of a JSON object; None where it is missing or this is no object."""
    return value.get(name) if isinstance(value, dict) else None


def _text(value: object, name: str) -> str:
    text = _field(value, name)
    return text if isinstance(text, str) else ""


def _list(value: object, name: str) -> list[object]:
    values = _field(value, name)
    return values if isinstance(values, list) else []


def _number(value: object, name: str) -> int:
    number = _field(value, name)
    return number if isinstance(number, int) and number > 0 else 0


def _arguments(function: object) -> str:
    """A piece of the arguments' JSON text; an endpoint that sends them whole as an object is taken too."""
    values = _field(function, "arguments")
    return json.dumps(values) if isinstance(values, dict) else _text(function, "arguments")


_QUOTED_LIMIT = 1000
_KEPT_REPLY = 4000
"""Maximum number of characters of a reply that are kept for the history."""

_DOUBLINGS = 3
"""How often in one step a reply that was cut off by its length is asked for again with twice the tokens."""

_SKIPPED_IN_A_ROW = 3
"""How many replies without an action for the phone are answered in one step before they count."""


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
        self._endpoint = Endpoint(settings, self._dialect.tools(), self._waiting)
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
        frame = await self._image_encoder.frame_of(request.observation)
        request = self._with_pictures(request, frame)
        messages = self._dialect.messages(request, frame, elements=self._elements, own=self._own)
        tries = self._settings.malformed_retries + 1
        tally = _Tally()
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
                    yield Decision(
                        action=parsed.actions[0],
                        thought=thought,
                        usage=tally.usage,
                        seconds_to_first_token=tally.seconds_to_first_token,
                        following=parsed.actions[1:],
                        reply=without_control_characters(model_reply.shown())[:_KEPT_REPLY],
                        notes=tuple(dict.fromkeys(notes)),
                        warning=parsed.warning,
                        remark=parsed.remark,
                        implied_enter=parsed.implied_enter,
                    )
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
    """What one step has used so far."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.seconds_to_first_token = 0.0


def _cut_off(limit: int, more: int) -> str:
    return _(
        "The reply was cut off after {limit} tokens and is asked for again with {more}. "
        "Set model.max_tokens higher."
    ).format(limit=limit, more=more)


def _answered(reply: StreamedReply, remark: str) -> list[ChatMessage]:
    """The messages that continue the conversation after a reply: its text, and what is said to it."""
    reply_text = without_control_characters(reply.reply_so_far().shown())[:_QUOTED_LIMIT] or "(nothing)"
    return [{"role": "assistant", "content": reply_text}, {"role": "user", "content": remark}]


def _asked_again(reply: StreamedReply, reason: str) -> list[ChatMessage]:
    """The messages that continue the conversation after an unusable reply, with what was wrong."""
    return _answered(reply, f"That reply cannot be used. {reason} Answer again with exactly one action.")
