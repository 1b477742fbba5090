"""The simulated phone's control interface: JSON over HTTP on 127.0.0.1, for tests and the demo.

`POST /tap {"x": 1, "y": 2}` and so on perform an order; `GET /state`, `/screen.png`,
`/drawn` (what the last picture shows) and `/traffic` tell. Each
request carries the token of the phone's ready line in the header `X-Control-Token`. A request that cannot be
met gets `{"error": …}` in words.
"""

from __future__ import annotations

import hmac
import secrets
import time
from dataclasses import asdict, dataclass
from json import JSONDecodeError
from types import TracebackType
from typing import Any, Self

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import ValidationError

from assistant.simulator.adbd.traffic import Opened
from assistant.simulator.orders import ORDERS, Order, Refused
from assistant.simulator.orders.base import ControlledPhone

HOST = "127.0.0.1"
HEADER = "X-Control-Token"


@dataclass(frozen=True, slots=True)
class TrafficReport:
    """What hosts have sent, as `Traffic` has it; `now` is the same clock at the moment of the report."""

    now: float
    bytes: int
    last_byte: float
    last_request: float
    opened: list[Opened]


class ControlFailed(Exception):
    """The phone refused a request, or did not answer; the message says why."""


class ControlServer:
    """Serves the interface for one phone. `port` 0 takes a free one."""

    def __init__(self, phone: ControlledPhone, port: int = 0) -> None:
        self._phone = phone
        self.port = port
        self.token = secrets.token_urlsafe(24)
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{HOST}:{self.port}"

    async def start(self) -> None:
        """Listen. Raises `OSError` when the port is taken."""
        app = web.Application(middlewares=[self._guard])
        app.router.add_get("/state", self._state)
        app.router.add_get("/screen.png", self._screen)
        app.router.add_get("/drawn", self._drawn)
        app.router.add_get("/traffic", self._traffic)
        app.router.add_post("/{route}", self._order)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, self.port).start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner = runner
        self.port = runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening; again is harmless."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Let only those in who know the token, and turn failures into words."""
        if not hmac.compare_digest(request.headers.get(HEADER, "").encode(), self.token.encode()):
            return _failure(401, f"The header {HEADER} must carry the token of the phone's ready line.")
        try:
            return await handler(request)
        except web.HTTPNotFound:
            return _failure(404, "There is state, screen.png, drawn and traffic to GET.")
        except web.HTTPMethodNotAllowed:
            return _failure(405, f"{request.path} takes no {request.method}.")

    async def _order(self, request: web.Request) -> web.Response:
        route = request.match_info["route"]
        kind = ORDERS.get(route)
        if kind is None:
            return _failure(404, f"There is no command {route!r}. Known are: {', '.join(sorted(ORDERS))}.")
        try:
            body = await request.json() if request.can_read_body else {}
        except (JSONDecodeError, UnicodeDecodeError) as error:
            return _failure(400, f"The body is not JSON: {error}.")
        try:
            kind.model_validate(body).perform(self._phone)
        except ValidationError as error:
            return _failure(400, _in_words(error))
        except Refused as error:
            return _failure(400, str(error))
        return web.json_response({})

    async def _state(self, _: web.Request) -> web.Response:
        return web.json_response(self._phone.state())

    async def _screen(self, _: web.Request) -> web.Response:
        return web.Response(body=await self._phone.screenshot(), content_type="image/png")

    async def _drawn(self, _: web.Request) -> web.Response:
        return web.json_response(self._phone.windows.last_picture)

    async def _traffic(self, request: web.Request) -> web.Response:
        try:
            since = float(request.query.get("since", "0"))
        except ValueError:
            return _failure(400, "since must be a number of seconds.")
        traffic = self._phone.traffic
        report = TrafficReport(
            now=time.monotonic(),
            bytes=traffic.bytes,
            last_byte=traffic.last_byte,
            last_request=traffic.last_request,
            opened=traffic.since(since),
        )
        return web.json_response(asdict(report))


class ControlClient:
    """Talks to a phone's control interface. An asynchronous context manager.

    Example: `await client.perform(orders.Tap(x=540, y=1200))`.
    """

    def __init__(self, url: str, token: str, limit: float = 30.0) -> None:
        self._url = url
        self._token = token
        self._limit = aiohttp.ClientTimeout(total=limit)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            self._url, headers={HEADER: self._token}, timeout=self._limit, trust_env=False
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def perform(self, order: Order) -> None:
        """Have an order performed. Raises `ControlFailed`."""
        await self._request("POST", f"/{order.route}", json=order.model_dump(mode="json", exclude_none=True))

    async def state(self) -> dict[str, Any]:
        """`{"apps": {package: state}, "services": {…}}`."""
        state: dict[str, Any] = (await self._request("GET", "/state"))[1]
        return state

    async def screen(self) -> bytes:
        """The screen as PNG."""
        return (await self._request("GET", "/screen.png"))[0]

    async def traffic(self, since: float = 0.0) -> TrafficReport:
        """What hosts have sent; services asked for after `since`, a `time.monotonic()` moment."""
        report = (await self._request("GET", "/traffic", params={"since": repr(since)}))[1]
        return TrafficReport(
            **{**report, "opened": [Opened(**connection) for connection in report["opened"]]}
        )

    async def _request(self, method: str, path: str, **options: Any) -> tuple[bytes, Any]:
        """The answer's bytes, and what they say if they are JSON."""
        if self._session is None:
            raise ControlFailed("The client is not open: use it as a context manager.")
        try:
            async with self._session.request(method, path, **options) as response:
                content = await response.read()
                said = await response.json() if response.content_type == "application/json" else None
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ControlFailed(f"The simulated phone does not answer at {self._url}: {error}") from error
        if response.status != 200:
            raise ControlFailed(said["error"] if isinstance(said, dict) else f"HTTP {response.status}")
        return content, said


def _failure(status: int, words: str) -> web.Response:
    return web.json_response({"error": words}, status=status)


def _in_words(error: ValidationError) -> str:
    problems = []
    for detail in error.errors():
        name = ".".join(map(str, detail["loc"])) or "The body"
        unknown = detail["type"] == "extra_forbidden"
        problems.append(f"{name} is not a field" if unknown else f"{name}: {detail['msg'].lower()}")
    return "; ".join(problems) + "."
