"""The interface over HTTP: textual-serve's pages behind a key that only the printed address carries.

Without the key, another user of this computer, or a page open in the same browser, could use the phone. The
key opens a path that no one can guess, and all pages lie below it. There is no cookie: browsers send those to
every port of a host, so that any other server there would get it.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import signal
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp_jinja2
import jinja2
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from textual_serve.server import Server

from assistant import i18n
from assistant.i18n import _

_PAGE = "app_index.html"
"""What textual-serve calls its page. Ours takes the keys at once, works through a tunnel, and asks nothing
of other servers."""
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws: wss:; frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Where to listen, and under which name a browser finds it. Port 0 takes any that is free.

    `further` are other names that it is reached by, such as that of a tunnel.
    """

    host: str
    port: int
    named: str
    further: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """The address without the key."""
        name = f"[{self.named}]" if ":" in self.named else self.named
        return f"http://{name}:{self.port}"

    def answers_to(self, name: str) -> bool:
        """Whether a request for this host is meant for us.

        A page of another site can have its own name lead here (DNS rebinding). It cannot do so with an
        address of numbers, nor with a name that is always this computer's.
        """
        name = name.lower().rstrip(".")
        if name in {host.lower() for host in ("localhost", self.host, self.named, *self.further)}:
            return True
        try:
            return bool(ip_address(name))
        except ValueError:
            return False


def serve(command: str, address: ListenAddress, say: Callable[[str], None]) -> None:
    """Serve until control-C.

    Args:
        command: what each tab runs, for a shell.
        address: where to listen.
        say: prints a line.

    Raises:
        OSError: the address cannot be listened on.
    """
    asyncio.run(_serve(command, address, say))


async def _serve(command: str, address: ListenAddress, say: Callable[[str], None]) -> None:
    key = secrets.token_urlsafe(24)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    runner = web.AppRunner(application(command, address, key))
    await runner.setup()
    try:
        await web.TCPSite(runner, address.host, address.port).start()
        say(_("Open {url} in a browser. ctrl-c ends it.").format(url=f"{address.url}/?key={key}"))
        await stop.wait()
    finally:
        await runner.cleanup()


def application(command: str, address: ListenAddress, key: str) -> web.Application:
    """The pages, for those who have the key."""
    pages = Server(command, address.host, address.port, "assistant", address.url)
    place = secrets.token_urlsafe(24)
    app = web.Application(middlewares=[_guard(address, key, place)])
    page = Path(__file__).with_suffix(".html").read_text(encoding="utf-8")
    words = aiohttp_jinja2.setup(app, loader=jinja2.DictLoader({_PAGE: page})).globals
    words["language"] = i18n.spoken().value
    words["ended"] = _("The session has ended.")
    words["again"] = _("Start again")
    app.add_routes(
        [
            web.get(f"/{place}/", pages.handle_index, name="index"),
            web.get(f"/{place}/ws", pages.handle_websocket, name="websocket"),
            web.get(f"/{place}/download/{{key}}", pages.handle_download, name="download"),
            web.static(f"/{place}/static", pages.statics_path, name="static"),
        ]
    )
    return app


def _guard(address: ListenAddress, key: str, place: str) -> Middleware:
    """Let in who brings the key once in the address, and then below the secret place that it leads to."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not _is_ours(request, address):
            raise web.HTTPForbidden(text=_("Open the address that `assistant serve` printed."))
        if request.path == "/" and _same(request.query.get("key", ""), key):
            raise web.HTTPFound(f"/{place}/", headers=_PRIVATE)
        if not _same(request.path.split("/")[1], place):
            raise web.HTTPForbidden(text=_("Open the address that `assistant serve` printed."))
        response = await handler(request)
        if not response.prepared:
            response.headers.update({"Content-Security-Policy": _POLICY, **_PRIVATE})
        return response

    return guard


_PRIVATE = {"Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
"""The address is secret: links tell nobody of it, and nothing keeps what stands there."""


def _is_ours(request: web.Request, address: ListenAddress) -> bool:
    """Whether a request is for a name of ours, and comes from a page of ours or from no page."""
    try:
        host = urlsplit(f"//{request.host}").hostname or ""
        origin = request.headers.get("Origin")
        return address.answers_to(host) and (origin is None or urlsplit(origin).netloc == request.host)
    except ValueError:
        return False


def _same(given: str, key: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), key.encode())
