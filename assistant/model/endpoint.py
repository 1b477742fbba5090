"""One OpenAI-compatible endpoint: address, key, streamed requests, and what went wrong with them.

`Endpoint` sends a request and leaves out optional parameters that the endpoint refuses. Every failure becomes
a `RequestFailure`, whose words name the setting to change and which says whether to try again.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import re
import time
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlsplit

import httpx2
import openai

from assistant.i18n import _
from assistant.model.dialects.base import Tool
from assistant.model.types import (
    PROBE,
    ChatMessage,
    ModelRejected,
    Parameters,
    RequestFailure,
    Stopwatch,
    damaged_reply,
    one_line,
)
from assistant.settings.schema import ModelSettings

_DECIMAL = re.compile(r"\s*\d{1,9}(\.\d{0,9})?\s*", re.ASCII)
_PASSING = frozenset({408, 409, 425, 429})
_NO_CREDIT = re.compile(r"insufficient_quota|insufficient balance|billing|credit", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context.{0,20}length|too (?:long|large|many tokens)|maximum.{0,20}tokens", re.IGNORECASE
)


LONGEST_REPLY = 2**24
"""Maximum bytes that are read of one answer, compressed or not.

The longest useful reply has 100,000 characters,
in chunks of a few characters with some 400 bytes of JSON around each."""

LONGEST_LINE = 2**21
"""Maximum bytes of one line of an answer: its JSON is parsed as a whole, and takes a multiple in memory."""


def request_failure(error: openai.APIError, settings: ModelSettings, now: datetime) -> RequestFailure:
    """The failure for an error of the client library."""
    status, headers = _status(error)
    detail = _without_key(_detail(error), settings)
    if status is None:
        return _unanswered(error, settings)
    if status == 429 and _NO_CREDIT.search(f"{error.code} {detail}"):
        return RequestFailure(
            _("The account has no credit left at the model endpoint: {detail}").format(detail=detail),
            final=True,
        )
    if status in _PASSING or status >= 500:
        return RequestFailure(_passing(status, detail), retry_after=retry_after(headers, now))
    return RequestFailure(_refused(status, detail, settings), final=True)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that `Retry-After` asks for, given as seconds, milliseconds or a date; None without one."""
    milliseconds, value = headers.get("retry-after-ms", ""), headers.get("retry-after", "")
    try:
        if _DECIMAL.fullmatch(milliseconds):
            return float(milliseconds) / 1000
        if _DECIMAL.fullmatch(value):
            return float(value)
        date = email.utils.parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds())


def _status(error: openai.APIError) -> tuple[int | None, Mapping[str, str]]:
    """The HTTP status, also where an endpoint reports it inside a stream that began well."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code, error.response.headers
    code = error.code or ""
    return (int(code), {}) if re.fullmatch(r"[3-5]\d\d", code) else (None, {})


def _detail(error: openai.APIError) -> str:
    """The endpoint's own error text, without what the client library adds."""
    message = error.body.get("message") if isinstance(error.body, dict) else None
    return one_line(message if isinstance(message, str) else error.message.removeprefix("Error code: "), 200)


def _without_key(text: str, settings: ModelSettings) -> str:
    """An endpoint's error text without the key and the address's password, which some endpoints repeat."""
    secrets = (_key(settings), urlsplit(settings.base_url).password or "")
    for secret in secrets:
        text = text.replace(secret, "…") if secret else text
    return text


def _unanswered(error: openai.APIError, settings: ModelSettings) -> RequestFailure:

    if isinstance(error, openai.APITimeoutError):
        return RequestFailure(_("The model endpoint does not answer in time."))
    if isinstance(error, openai.APIConnectionError):
        cause = _without_key(one_line(str(error.__cause__ or ""), 120), settings)
        if not cause:
            return RequestFailure(_("The model endpoint cannot be reached."))
        return RequestFailure(
            _("The model endpoint cannot be reached: {cause}.").format(cause=cause.rstrip("."))
        )
    detail = _without_key(_detail(error), settings)
    return RequestFailure(_("The model endpoint reports an error: {detail}").format(detail=detail))


def _passing(status: int, detail: str) -> str:
    if status == 429:
        return _("The model endpoint has too many requests (429).")
    phrase = next((http_status.phrase for http_status in HTTPStatus if http_status == status), "error")
    return _("The model endpoint has trouble ({status} {phrase}): {detail}").format(
        status=status, phrase=phrase, detail=detail if detail.endswith((".", "!", "?")) else f"{detail}."
    )


def _refused(status: int, detail: str, settings: ModelSettings) -> str:
    match status:
        case 401:
            return _("The model endpoint refuses the key (model.api_key). Give another with: assistant setup")
        case 402:
            return _("The account has no credit left at the model endpoint: {detail}").format(detail=detail)
        case 403:
            return _(
                "The key may not use the model “{name}”. Check model.api_key and model.name: assistant setup"
            ).format(name=settings.name)
        case 404:
            unknown = _(
                "The endpoint does not know the model “{name}” or the address. Check model.name, and "
                "model.base_url, which usually ends in /v1. It says: {detail}"
            )
            return unknown.format(name=settings.name, detail=detail)
        case 413:
            return _("The model endpoint finds the request too large. Set model.image_side, such as to 1280.")
        case _ if status < 400:
            return _("The model endpoint sends requests elsewhere. Set model.base_url to its final address.")
        case _ if _TOO_LONG.search(detail):
            return _(
                "The request is too long for the model. Set model.image_side, such as to 1280, or give the "
                "model a longer context. It says: {detail}"
            ).format(detail=detail)
        case _:
            return _(
                "The endpoint refuses the request. Check model.name and model.dialect. It says: {detail}"
            ).format(detail=detail)


_OPTIONAL = {
    "stream_options": r"stream_options|include_usage",
    "max_tokens": r"max_tokens|max_completion_tokens",
    "temperature": r"temperature",
    "response_format": r"response_format|json_schema|guided_json|structured output",
    "tools": r"\btools?\b|tool[_ ]choice|function[_ -]call",
}


def without_refused(parameters: Parameters, complaint: str) -> Parameters | None:
    """The parameters without those that an endpoint's error text names; None if it names none of them.

    `max_tokens` becomes `max_completion_tokens`, its newer name, before it is left out altogether. Without
    `tools` a model can still answer: the dialect reads the same calls from the text.
    """
    for name, pattern in _OPTIONAL.items():
        if not re.search(pattern, complaint, re.IGNORECASE):
            continue
        if name == "max_tokens" and "max_tokens" in parameters and "max_completion_tokens" in complaint:
            changed = {key: value for key, value in parameters.items() if key != name}
            return {**changed, "max_completion_tokens": parameters["max_tokens"]}
        refused = {name, "max_completion_tokens"} if name == "max_tokens" else {name}
        if refused & parameters.keys():
            return {key: value for key, value in parameters.items() if key not in refused}
    return None


class Endpoint:
    """Sends requests. Every failure comes as a `RequestFailure`; retrying is the caller's."""

    def __init__(
        self,
        settings: ModelSettings,
        tools: list[Tool] | None,
        waiting: Stopwatch,
        more: Parameters | None = None,
    ) -> None:
        """Check the address; nothing is sent yet.

        Args:
            settings: the endpoint and the model.
            tools: the functions that the model may call.
            waiting: measures the time spent waiting for the endpoint.
            more: further parameters of each request.

        Raises:
            ModelRejected: the address or the model's name is missing or makes no sense.
        """
        local = _checked_host(settings) in ("localhost", "127.0.0.1", "::1")
        self._settings = settings
        self._waiting = waiting
        self._parameters: Parameters = {
            "max_tokens": settings.max_tokens,
            "temperature": settings.temperature,
            "stream_options": {"include_usage": True},
            **({"tools": tools} if tools else {}),
            **({"top_p": settings.top_p} if settings.top_p < 1 else {}),
            **({"reasoning_effort": settings.reasoning_effort} if settings.reasoning_effort else {}),
            **({"extra_body": extra} if (extra := _extra_body(settings.extra_body)) else {}),
            **(more or {}),
        }
        self._client = openai.AsyncOpenAI(
            base_url=settings.base_url,
            api_key=_key(settings) or "none",
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(
                follow_redirects=False,
                headers={"Accept-Encoding": "identity"},
                event_hooks={"response": [_limit_answer]},
                trust_env=not local,
                # Reading all certificates takes long, and a plain connection to this machine needs none.
                verify=not (local and settings.base_url.startswith("http://")),
                timeout=openai.Timeout(settings.stall_timeout, connect=settings.connect_timeout),
            ),
        )
        self._client.organization = self._client.project = None

    async def stream(self, messages: list[ChatMessage]) -> AsyncGenerator[object, None]:
        """The chunks of one reply, as JSON. Closing the generator closes the connection.

        Raises:
            RequestFailure: no answer, a refusal, silence, or a stream that breaks.
        """
        began = time.monotonic()
        stream = await self._begun(messages)
        chunks = 0
        async with stream:
            while (chunk := await self._next_chunk(stream, began)) is not None:
                chunks += 1
                yield chunk
        if not chunks and "event-stream" not in stream.response.headers.get("content-type", ""):
            raise RequestFailure(
                _("The address answers, but is no model endpoint. Check model.base_url."), final=True
            )

    async def _next_chunk(self, stream: openai.AsyncStream[Any], began: float) -> object | None:
        """The next chunk of a reply that was asked for at the monotonic time `began`; None at its end.

        Raises:
            RequestFailure: silence, a reply that goes on for too long, damage, or a stream that breaks.
        """
        left = began + self._settings.reply_timeout - time.monotonic()
        try:
            with self._waiting.running():
                async with asyncio.timeout(min(self._settings.stall_timeout, left)):
                    return cast(object, await anext(stream))
        except StopAsyncIteration:
            return None
        except TimeoutError as error:
            if left < self._settings.stall_timeout:
                raise self._overdue() from error
            seconds = f"{self._settings.stall_timeout:g}"
            raise RequestFailure(
                _("The reply stalled: nothing came for {seconds} s.").format(seconds=seconds)
            ) from error
        except openai.APIConnectionError as error:
            raise RequestFailure(_("The reply was cut off.")) from error
        except openai.APIError as error:
            raise self._failure(error) from error
        except _DAMAGE as error:
            raise damaged_reply() from error

    def _overdue(self) -> RequestFailure:
        seconds = f"{self._settings.reply_timeout:g}"
        return RequestFailure(
            _("The reply took longer than {seconds} s, which model.reply_timeout allows.").format(
                seconds=seconds
            ),
            repeat=False,
        )

    async def probe(self) -> None:
        """Check the endpoint: send a small request and read the beginning of its answer.

        Raises:
            RequestFailure: as `stream`.
        """
        async with aclosing(self.stream([PROBE])) as chunks:
            async for _chunk in chunks:
                return
        raise RequestFailure(_("The model endpoint answers with nothing."))

    @property
    def reply_tokens(self) -> int:
        """The most tokens that a reply may have."""
        given = (self._parameters.get(name) for name in ("max_tokens", "max_completion_tokens"))
        return next((limit for limit in given if isinstance(limit, int)), self._settings.max_tokens)

    def double_tokens(self) -> int:
        """Double the token limit of replies; returns the new limit, 0 if it cannot be raised."""
        for name in ("max_tokens", "max_completion_tokens"):
            limit = self._parameters.get(name)
            if isinstance(limit, int) and limit < _MOST_TOKENS:
                self._parameters = {**self._parameters, name: 2 * limit}
                return 2 * limit
        return 0

    async def models(self) -> list[str]:
        """The names of the endpoint's models, as far as it lists them."""
        try:
            with self._waiting.running():
                answer = await self._client.models.with_raw_response.list()
            listed = json.loads(answer.text)["data"]
            return sorted(str(model["id"]) for model in listed)
        except (openai.APIError, KeyError, TypeError, *_DAMAGE):
            return []

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def _begun(self, messages: list[ChatMessage]) -> openai.AsyncStream[Any]:
        """Send the request; parameters that the endpoint refuses are left out from then on.

        The request is posted as plain JSON, and the reply is read as JSON: the library's typed method would
        validate each part of the messages and make an object of each token, a tenth of a step's own time.
        """
        while True:
            parameters = dict(self._parameters)
            more = parameters.pop("extra_body", None)
            try:
                with self._waiting.running():
                    async with asyncio.timeout(self._settings.reply_timeout):
                        return await self._client.post(
                            "/chat/completions",
                            cast_to=object,
                            body={
                                "model": self._settings.name,
                                "messages": messages,
                                "stream": True,
                                **parameters,
                            },
                            options={"security": {"bearer_auth": True}, "extra_json": more or {}},
                            stream=True,
                            stream_cls=openai.AsyncStream[Any],
                        )
            except TimeoutError as error:
                raise self._overdue() from error
            except _DAMAGE as error:
                raise damaged_reply() from error
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                fewer = without_refused(self._parameters, f"{error.param} {error.message}")
                if fewer is None:
                    raise self._failure(error) from error
                self._parameters = fewer
            except openai.APIError as error:
                raise self._failure(error) from error

    def _failure(self, error: openai.APIError) -> RequestFailure:
        return request_failure(error, self._settings, datetime.now(UTC))


class _OversizedAnswer(Exception):
    """The endpoint sent more than `LONGEST_REPLY` bytes, or too long a line."""


_DAMAGE = (ValueError, RecursionError, _OversizedAnswer, zlib.error)
"""Exceptions that the client library lets through for an answer that it does not expect."""


async def _limit_answer(response: httpx2.Response) -> None:
    """Limit an answer to `LONGEST_REPLY` bytes, and decompress it here within the same limit.

    The library would decompress a piece as a whole, to up to a thousand times its size.
    """
    encoding = response.headers.pop("content-encoding", "identity").strip().lower()
    inner = cast(httpx2.AsyncByteStream, response.stream)

    class Limited(httpx2.AsyncByteStream):
        def __init__(self) -> None:
            self._limits = _AnswerLimits(encoding)
            self._pieces = self._read()

        def __aiter__(self) -> AsyncIterator[bytes]:
            return self._pieces

        async def _read(self) -> AsyncGenerator[bytes]:
            async for piece in inner:
                for unpacked in self._limits.take(piece):
                    yield unpacked

        async def aclose(self) -> None:
            # A reply is not always read to its end, such as after “[DONE]”.
            await self._pieces.aclose()
            await inner.aclose()

    response.stream = Limited()


class _AnswerLimits:
    """Decompresses the pieces of one answer, and counts their bytes."""

    def __init__(self, encoding: str) -> None:
        """Start with nothing; `encoding` is that of HTTP."""
        packed = encoding not in ("", "identity")
        if packed and encoding not in ("gzip", "x-gzip", "deflate"):
            raise ValueError(f"an answer packed with {encoding[:20]} was not asked for")
        self._unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32) if packed else None
        self._read = self._plain = self._line = 0

    def take(self, piece: bytes) -> Iterator[bytes]:
        """The next piece, unpacked.

        Raises:
            _OversizedAnswer: that is too much.
            zlib.error: it cannot be unpacked.
        """
        self._read += len(piece)
        if self._read > LONGEST_REPLY:
            raise _OversizedAnswer
        for unpacked in self._unpacked(piece):
            newline = unpacked.rfind(b"\n")
            self._line = len(unpacked) - newline - 1 if newline >= 0 else self._line + len(unpacked)
            self._plain += len(unpacked)
            if self._plain > LONGEST_REPLY or self._line > LONGEST_LINE:
                raise _OversizedAnswer
            yield unpacked

    def _unpacked(self, piece: bytes) -> Iterator[bytes]:
        if self._unpacker is None:
            yield piece
            return
        while piece:
            yield self._unpacker.decompress(piece, _UNPACKED_AT_ONCE)
            piece = self._unpacker.unconsumed_tail


_UNPACKED_AT_ONCE = 2**16

_MOST_TOKENS = 32_768
"""The token limit of replies is not doubled beyond this."""


def _extra_body(text: str) -> dict[str, Any]:
    """The parameters of the setting `model.extra_body`.

    Raises:
        ModelRejected: it is not a JSON object.
    """
    try:
        value = json.loads(text) if text.strip() else {}
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ModelRejected(
            _("model.extra_body is not a JSON object. Write it like {example}.").format(
                example='{"enable_thinking": false}'
            )
        )
    return value


def _key(settings: ModelSettings) -> str:
    return settings.api_key.get_secret_value().strip()


def _checked_host(settings: ModelSettings) -> str:
    """The address's host name."""
    if not settings.base_url:
        raise ModelRejected(_("No model is set. Set model.base_url to an OpenAI-compatible endpoint."))
    try:
        parts = urlsplit(settings.base_url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        raise ModelRejected(
            _(
                "The model's address is not usable. Set model.base_url to something like http://localhost:8000/v1."
            )
        )
    if not settings.name:
        raise ModelRejected(_("The model has no name. Set model.name to a model of the endpoint."))
    key = _key(settings)
    if not (key.isascii() and key.isprintable()):
        raise ModelRejected(
            _("The key has characters that no key has. Give model.api_key again with: assistant setup")
        )
    return host
