"""The HTTP side of the scripted model: `/v1/chat/completions`, `/v1/models` and `/control`."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

import aiohttp
from aiohttp import web
from pydantic import ValidationError

from assistant.simulator.control import HEADER
from assistant.simulator.model import wire
from assistant.simulator.model.answering import Answer, answer
from assistant.simulator.model.eye import PatientReader, can_read, load_reader
from assistant.simulator.model.faults import Fault, FaultKind, FaultPlan
from assistant.simulator.model.options import (
    ControlChange,
    ControlStatus,
    Exchange,
    ModelAddress,
    ModelOptions,
)
from assistant.simulator.model.tokens import PromptCache
from assistant.simulator.model.understanding import Asked, BadRequest, read_request

MARK = {"x-scripted-model": "true"}
"""Stands in every answer's headers, so that nobody takes results for a real model's."""

_LARGEST_BODY = 64 * 1024**2

_AT_ONCE = 8
"""Tokens of a chunk where no token is waited for."""


class ScriptedModel:
    """The endpoint. Use as an asynchronous context manager, or `start` and `stop`."""

    def __init__(self, options: ModelOptions | None = None) -> None:
        self.options = options or ModelOptions()
        self.status = ControlStatus()
        self._plan = FaultPlan(self.options.seed)
        for fault in self.options.faults:
            self._plan.add(fault)
        self._runner: web.AppRunner | None = None
        self._address: ModelAddress | None = None
        self._stopping = asyncio.Event()
        self._cache = PromptCache()
        self._reader = PatientReader(lambda: load_reader())

    @property
    def address(self) -> ModelAddress:
        """Where it answers, once started."""
        if self._address is None:
            raise RuntimeError("The scripted model has not been started.")
        return self._address

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> ModelAddress:
        """Begin to listen."""
        app = web.Application(middlewares=[self._guard], client_max_size=_LARGEST_BODY)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/control", self._control)
        app.router.add_post("/control", self._control)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5, handler_cancellation=True)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self.options.host, self.options.port)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self._address = ModelAddress(f"http://{host}:{port}/v1", port)
        return self._address

    async def stop(self) -> None:
        """Stop listening and end the replies that still stream."""
        self._stopping.set()
        if self._runner is not None:
            await self._runner.cleanup()

    @web.middleware
    async def _guard(self, request: web.Request, handler: Callable[..., Any]) -> web.StreamResponse:
        if self.options.key:
            given = request.headers.get("Authorization", "").removeprefix("Bearer ")
            if not hmac.compare_digest(given.encode(), self.options.key.encode()):
                return _refusal(
                    401, "Incorrect API key provided.", "invalid_request_error", "invalid_api_key"
                )
        try:
            response: web.StreamResponse = await handler(request)
        except web.HTTPException as refused:
            return _refusal(refused.status, refused.reason, "invalid_request_error")
        return response

    async def _models(self, request: web.Request) -> web.Response:
        model = {"id": "scripted", "object": "model", "created": 0, "owned_by": "assistant-simulator"}
        return web.json_response({"object": "list", "data": [model]}, headers=MARK)

    async def _control(self, request: web.Request) -> web.Response:
        if request.method == "POST":
            try:
                change = ControlChange.model_validate_json(await request.text())
            except ValidationError as error:
                return _refusal(422, str(error), "invalid_request_error")
            self._apply(change)
            if change.reads and can_read():
                await asyncio.to_thread(self._reader.prepare)
        status = self.status.model_copy(update={"faults": self._plan.pending})
        return web.json_response(text=status.model_dump_json(), headers=MARK)

    def _apply(self, change: ControlChange) -> None:
        if change.clear or change.seed is not None:
            kept = [] if change.clear else self._plan.pending
            self._plan.clear(change.seed)
            for fault in kept:
                self._plan.add(fault)
        for fault in change.faults:
            self._plan.add(fault)
        names = ("pace", "first_token", "thoughts", "seed", "family", "scatter", "phone", "reads")
        settings = {name: value for name in names if (value := getattr(change, name)) is not None}
        self.options = replace(self.options, **settings)

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        self._count(requests=1, open=1)
        came = time.monotonic()
        self.status = self.status.model_copy(update={"last_request": came})
        answered = self.status.answered
        try:
            response = await self._complete_counted(request)
            if self.status.answered > answered:
                exchanges = [*self.status.exchanges, Exchange(came, time.monotonic())]
                self.status = self.status.model_copy(update={"exchanges": exchanges})
            return response
        except (asyncio.CancelledError, ConnectionError):
            self._count(abandoned=1)
            raise
        finally:
            self._count(open=-1)

    async def _complete_counted(self, request: web.Request) -> web.StreamResponse:
        faults = self._plan.draw()
        refusal = _faulty_refusal(faults)
        if refusal is not None:
            self._count(refused=1)
            return refusal
        try:
            asked = await self._seen(read_request(await request.json(), self.options.family))
        except (json.JSONDecodeError, UnicodeDecodeError):
            self._count(refused=1)
            return _refusal(400, "The body is not JSON.", "invalid_request_error")
        except BadRequest as error:
            self._count(refused=1)
            return _refusal(400, str(error), "invalid_request_error", error.code, error.param)
        cached = self._cache.reused(asked.tokens)
        chance, number = self._plan.chance("answer"), self.status.requests
        reply = answer(asked, faults, chance, self.options, number, cached)
        self._count(
            prompt_tokens=len(asked.tokens), cached_tokens=cached, completion_tokens=reply.reply.tokens
        )
        frame = wire.Frame(f"chatcmpl-scripted{self.status.requests}", int(time.time()), asked.model)
        if not asked.stream:
            await self._pause(self._first_wait(faults) + _duration(reply, self.options.pace))
            if FaultKind.STALL in faults:
                await self._pause(faults[FaultKind.STALL].seconds)
            if FaultKind.CUT in faults:
                raise ConnectionResetError("The connection is cut, as told.")
            self._count(answered=1)
            return web.json_response(frame.completion(reply.reply, reply.usage), headers=MARK)
        return await self._stream(request, frame, reply, asked.include_usage, faults)

    async def _seen(self, asked: Asked) -> Asked:
        """The request with what its picture shows, read or told by a phone, if it has no list of elements."""
        if asked.blind and self.options.reads:
            return await asyncio.to_thread(lambda: asked.looking(self._reader))
        if not asked.blind or self.options.phone is None:
            return asked
        headers = {HEADER: self.options.phone.token}
        async with (
            aiohttp.ClientSession(headers=headers, trust_env=False) as session,
            session.get(f"{self.options.phone.url}/drawn") as response,
        ):
            return asked.seeing(await response.json())

    async def _stream(
        self,
        request: web.Request,
        frame: wire.Frame,
        reply: Answer,
        include_usage: bool,
        faults: dict[FaultKind, Fault],
    ) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={**MARK, "Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
        )
        await response.prepare(request)
        await self._pause(self._first_wait(faults))
        ending = wire.event("[DONE]")
        if include_usage:
            ending = wire.event(frame.usage_chunk(reply.usage)) + ending
        if not self.options.pace and not faults.keys() & {FaultKind.STALL, FaultKind.CUT}:
            # One packet, and a chunk for some tokens as of a server that guesses ahead: both sides of a test
            # spend much time on packets and on chunks.
            ending = b"".join(map(wire.event, frame.chunks(reply.reply, _AT_ONCE))) + ending
            return await self._end(response, ending)
        sent = 0
        async for chunk in self._paced(frame, reply):
            if FaultKind.STALL in faults and sent == faults[FaultKind.STALL].after:
                await self._pause(faults[FaultKind.STALL].seconds)
            if FaultKind.CUT in faults and sent == faults[FaultKind.CUT].after:
                self._count(refused=1)
                if request.transport is not None:
                    request.transport.close()
                return response
            await response.write(chunk)
            sent += 1
        return await self._end(response, ending)

    async def _end(self, response: web.StreamResponse, ending: bytes) -> web.StreamResponse:
        await response.write(ending)
        await response.write_eof()
        self._count(answered=1)
        return response

    async def _paced(self, frame: wire.Frame, reply: Answer) -> AsyncIterator[bytes]:
        for chunk in frame.chunks(reply.reply):
            yield wire.event(chunk)
            if self.options.pace:
                await self._pause(1 / self.options.pace)

    def _first_wait(self, faults: dict[FaultKind, Fault]) -> float:
        slow = faults.get(FaultKind.SLOW_START)
        return self.options.first_token + (slow.seconds if slow else 0.0)

    async def _pause(self, seconds: float) -> None:
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), seconds)

    def _count(self, **changes: int) -> None:
        counts = {name: getattr(self.status, name) + change for name, change in changes.items()}
        self.status = self.status.model_copy(update=counts)


async def serve_model(options: ModelOptions, ready: Callable[[ModelAddress], None]) -> None:
    """Serve until cancelled; `ready` is told the address once requests are taken."""
    async with ScriptedModel(options) as model:
        ready(model.address)
        await asyncio.Event().wait()


def _duration(reply: Answer, pace: float) -> float:
    return reply.reply.tokens / pace if pace else 0.0


def _faulty_refusal(faults: dict[FaultKind, Fault]) -> web.Response | None:
    if FaultKind.RATE_LIMIT in faults:
        wait = faults[FaultKind.RATE_LIMIT].seconds
        refusal = _refusal(429, "Rate limit reached, as told.", "rate_limit_error", "rate_limit_exceeded")
        refusal.headers["Retry-After"] = f"{wait:g}"
        return refusal
    if FaultKind.ERROR in faults:
        return _refusal(faults[FaultKind.ERROR].status, "The scripted model fails, as told.", "server_error")
    return None


def _refusal(
    status: int, message: str, kind: str, code: str | None = None, param: str | None = None
) -> web.Response:
    return web.json_response(wire.error(message, kind, code, param), status=status, headers=MARK)
