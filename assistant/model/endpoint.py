"""One OpenAI-compatible endpoint: its address and key, and streamed requests with time-outs."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import openai

from assistant.i18n import _
from assistant.model.dialects.base import Tool
from assistant.model.failures import RequestFailure, failure_of
from assistant.model.parameters import Parameters, without_refused
from assistant.model.prompts import ChatMessage
from assistant.model.types import ModelRejected
from assistant.settings.schema import ModelSettings

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
            tools: what the model may call.
            waiting: runs while the endpoint is waited for.
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
            **(more or {}),
        }
        self._client = openai.AsyncOpenAI(
            base_url=settings.base_url,
            api_key=settings.api_key.get_secret_value() or "none",
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(
                follow_redirects=False,
                trust_env=not local,
                # Reading all certificates takes long, and a plain connection to this machine needs none.
                verify=not (local and settings.base_url.startswith("http://")),
                timeout=openai.Timeout(settings.stall_timeout, connect=settings.connect_timeout),
            ),
        )
        self._client.organization = self._client.project = None

    async def stream(self, messages: list[ChatMessage]) -> AsyncGenerator[object, None]:
        """The chunks of one reply. Closing the generator closes the connection.

        Raises:
            RequestFailure: no answer, a refusal, silence, or a stream that breaks.
        """
        stream = await self._begun(messages)
        chunks = 0
        async with stream:
            while True:
                try:
                    with self._waiting.running():
                        async with asyncio.timeout(self._settings.stall_timeout):
                            chunk = await anext(stream)
                except StopAsyncIteration:
                    break
                except TimeoutError as error:
                    seconds = f"{self._settings.stall_timeout:g}"
                    raise RequestFailure(
                        _("The reply stalled: nothing came for {seconds} s.").format(seconds=seconds)
                    ) from error
                except openai.APIConnectionError as error:
                    raise RequestFailure(_("The reply was cut off.")) from error
                except openai.APIError as error:
                    raise self._failure(error) from error
                except ValueError as error:
                    raise RequestFailure(
                        _("The reply is damaged: it is not the JSON that was expected.")
                    ) from error
                chunks += 1
                yield chunk
        if not chunks and "event-stream" not in stream.response.headers.get("content-type", ""):
            raise RequestFailure(
                _("The address answers, but is no model endpoint. Check model.base_url."), final=True
            )

    async def probe(self) -> None:
        """Send a small request and read the beginning of its answer.

        Raises:
            RequestFailure: as `stream`.
        """
        async with aclosing(self.stream([PROBE])) as chunks:
            async for _chunk in chunks:
                return
        raise RequestFailure(_("The model endpoint answers with nothing."))

    async def models(self) -> list[str]:
        """The names of the endpoint's models, as far as it lists them."""
        try:
            with self._waiting.running():
                answer = await self._client.models.with_raw_response.list()
            listed = json.loads(answer.text)["data"]
            return sorted(model["id"] for model in listed)
        except (openai.APIError, ValueError, TypeError, KeyError):
            return []

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def _begun(self, messages: list[ChatMessage]) -> openai.AsyncStream[Any]:
        """Send the request; parameters that the endpoint refuses are left out from then on."""
        create: Any = self._client.chat.completions.create
        while True:
            try:
                with self._waiting.running():
                    stream: openai.AsyncStream[Any] = await create(
                        model=self._settings.name, messages=messages, stream=True, **self._parameters
                    )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                fewer = without_refused(self._parameters, f"{error.param} {error.message}")
                if fewer is None:
                    raise self._failure(error) from error
                self._parameters = fewer
            except openai.APIError as error:
                raise self._failure(error) from error
            else:
                return stream

    def _failure(self, error: openai.APIError) -> RequestFailure:
        return failure_of(error, self._settings, datetime.now(UTC))


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
    return host
