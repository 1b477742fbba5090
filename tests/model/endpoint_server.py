"""A small chat completions server that answers each request as a test says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

Answer = Callable[["EndpointServer", web.Request], Awaitable[web.StreamResponse]]
"""Answers one request."""


class EndpointServer:
    """Answers come from `answers` in turn; the last one stays. What was asked is kept."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.base_url = ""
        self.waiting = asyncio.Event()
        self.disconnected = asyncio.Event()
        self.models: web.Response = web.json_response({"object": "list", "data": []})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Take a request for a completion."""
        self.asked.append(await request.json())
        self.headers.append(dict(request.headers))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return await answer(self, request)

    async def hang(self) -> None:
        """Wait until the client goes away."""
        self.waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.disconnected.set()

    async def list_models(self, request: web.Request) -> web.Response:
        """Take a request for the models."""
        self.headers.append(dict(request.headers))
        return self.models


@asynccontextmanager
async def serving() -> AsyncIterator[EndpointServer]:
    """A running server on a free port."""
    server = EndpointServer()
    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", server.complete)
    app.router.add_get("/v1/models", server.list_models)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()


def delta(finish: str | None = None, **values: object) -> dict[str, Any]:
    """One chunk with a piece of the reply."""
    choice = {"index": 0, "delta": values, "finish_reason": finish}
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def usage(sent: int, made: int) -> dict[str, Any]:
    """The chunk that tells what was used."""
    counts = {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made}
    return {**delta(), "choices": [], "usage": counts}


def call(name: str, *pieces: str) -> list[dict[str, Any]]:
    """The chunks of one function call whose arguments come in pieces, and the end."""
    head = {"index": 0, "id": "c1", "type": "function", "function": {"name": name, "arguments": ""}}
    rest = [delta(tool_calls=[{"index": 0, "function": {"arguments": piece}}]) for piece in pieces]
    return [delta(tool_calls=[head]), *rest, delta("tool_calls")]


def streamed(*chunks: dict[str, Any], end: str = "done") -> Answer:
    """An answer in chunks that ends with `done`, `hang`s, is `cut` off, or just `stop`s."""

    async def answer(server: EndpointServer, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for chunk in chunks:
            await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
        if end == "hang":
            await server.hang()
        elif end == "cut" and request.transport:
            request.transport.close()
        elif end == "done":
            await response.write(b"data: [DONE]\n\n")
        return response

    return answer


def refused(status: int, message: str = "no", code: str | None = None, **headers: str) -> Answer:
    """An answer that is an error."""

    async def answer(server: EndpointServer, request: web.Request) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.json_response({"error": {"message": message, "code": code}}, status=status, headers=named)

    return answer


def silent() -> Answer:
    """No answer at all."""

    async def answer(server: EndpointServer, request: web.Request) -> web.StreamResponse:
        await server.hang()
        raise AssertionError

    return answer


def page(text: str, kind: str = "text/html") -> Answer:
    """An answer that is no stream of events."""

    async def answer(server: EndpointServer, request: web.Request) -> web.StreamResponse:
        return web.Response(text=text, content_type=kind)

    return answer


def raw(body: bytes, **headers: str) -> Answer:
    """An answer of these bytes, said to be a stream of events."""

    async def answer(server: EndpointServer, request: web.Request) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(body=body, headers={"Content-Type": "text/event-stream", **named})

    return answer


def dripping(seconds: float) -> Answer:
    """A thought that comes in drops and never ends."""

    async def answer(server: EndpointServer, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        while True:
            await response.write(f"data: {json.dumps(delta(reasoning_content='Hm.'))}\n\n".encode())
            await asyncio.sleep(seconds)

    return answer
