from __future__ import annotations

import asyncio
import re
import shlex
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import ClientSession, CookieJar, WSMsgType, WSServerHandshakeError, web

from assistant import web as serving
from assistant.cli.main import app
from assistant.cli.run import interface_command
from assistant.events import Cause, TurnState
from assistant.presentation.ui_state import UiState, UserRequest
from assistant.tui.terminal import format_title
from assistant.web import ListenAddress, application
from tests.tables import each

KEY = "a-key"
_PROGRAM = """
import sys
sys.stdout.buffer.write(b"__GANGLION__\\nD" + (5).to_bytes(4, "big") + b"hello")
sys.stdout.buffer.flush()
sys.stdin.buffer.read(1)
"""


@pytest_asyncio.fixture
async def served(tmp_path: Path, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    programs, start = [], asyncio.create_subprocess_shell

    async def started(*arguments: Any, **options: Any) -> asyncio.subprocess.Process:
        programs.append(await start(*arguments, **options))
        return programs[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_shell", started)
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM)
    address = ListenAddress("127.0.0.1", unused_tcp_port, "127.0.0.1")
    runner = web.AppRunner(application(shlex.join([sys.executable, str(program)]), address, KEY))
    await runner.setup()
    await web.TCPSite(runner, address.host, address.port).start()
    yield address.url
    await runner.cleanup()
    for program_process in programs:
        # textual-serve does not wait for its programs; the loop must not close before they ended.
        await program_process.wait()
        vars(program_process)["_transport"].close()


def browser() -> ClientSession:
    return ClientSession(cookie_jar=CookieJar(unsafe=True))


@pytest.mark.parametrize(
    "path", ["/", "/?key=another", "/ws", "/static/js/textual.js", "/x/ws", "/download/x"]
)
async def test_without_the_key_there_is_nothing(served: str, path: str) -> None:
    async with browser() as session, session.get(served + path) as answer:
        assert answer.status == 403
        assert "assistant serve" in await answer.text()


async def _below_key(session: ClientSession, served: str) -> str:
    async with session.get(f"{served}/?key={KEY}") as page:
        assert page.status == 200
        return str(page.url)


@pytest.mark.parametrize(
    "sent",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "evil.example"},
        {"Host": "evil.example:8765", "Origin": "http://evil.example:8765"},
    ],
    ids=lambda sent: "-".join(sent),
)
async def test_a_page_of_another_site_reaches_nothing_even_with_the_key(
    served: str, sent: dict[str, str]
) -> None:
    async with browser() as session:
        place = await _below_key(session, served)
        with pytest.raises(WSServerHandshakeError):
            await session.ws_connect(f"{place}ws", headers=sent)
        for url in (place, f"{served}/?key={KEY}"):
            async with session.get(url, headers=sent, allow_redirects=False) as answer:
                assert answer.status == 403


async def test_nothing_is_left_that_a_browser_takes_to_another_port(served: str) -> None:
    async with browser() as session:
        place = await _below_key(session, served)
        assert not list(session.cookie_jar)
        async with session.get(place) as page:
            assert page.headers["Referrer-Policy"] == "no-referrer"
        assert KEY not in place


@each(
    ("name", "ours"),
    [
        ("localhost", True),
        ("192.0.2.7", True),
        ("::1", True),
        ("Desk.local", True),
        ("tunnel.example", True),
        ("other.example", False),
        ("localhost.evil.example", False),
        ("", False),
    ],
)
def test_which_names_are_ours(name: str, ours: bool) -> None:
    address = ListenAddress("0.0.0.0", 8765, "desk.local", ("tunnel.example",))
    assert address.answers_to(name) is ours


def test_a_tab_asks_before_it_is_closed_while_a_turn_is_under_way() -> None:
    page = Path(serving.__file__).with_suffix(".html").read_text("utf-8")
    asks = re.search(r"/(\^\[.+?\])/\.test\(document\.title\)", page)
    assert asks is not None
    for state in TurnState:
        for cause in Cause:
            title = format_title(UiState(state, cause))
            assert bool(re.match(asks[1], title)) != state.final
    assert re.match(asks[1], format_title(UiState(TurnState.WAITING, Cause.APPROVAL, UserRequest.APPROVAL)))
    assert not re.match(asks[1], format_title(UiState()))


async def test_the_key_opens_the_interface(served: str) -> None:
    async with browser() as session:
        async with session.get(f"{served}/?key={KEY}") as page:
            assert page.status == 200
            assert "key" not in page.url.query
            assert "font-src 'self'" in page.headers["Content-Security-Policy"]
            text = await page.text()
            assert "The session has ended." in text
            assert "://" not in text, "nothing of other servers, nor of an address that a tunnel hides"
            parts = re.findall(r'(?:href|src)="(static/[^"]+)"', text)
        assert len(parts) == 2
        for part in parts:
            async with session.get(f"{page.url}{part}") as file:
                assert file.status == 200
        async with session.ws_connect(f"{page.url}ws", origin=served) as socket:
            seen = b""
            while b"hello" not in seen:
                message: Any = await socket.receive(timeout=20)
                assert message.type is WSMsgType.BINARY
                seen += message.data


def test_each_tab_runs_the_interface_with_the_same_options(tmp_path: Path) -> None:
    words = shlex.split(interface_command(tmp_path / "my store", "emulator-5554", None, demo=False))
    assert words[2:] == [
        sys.executable,
        "-m",
        "assistant",
        "--store",
        str(tmp_path / "my store"),
        "--serial",
        "emulator-5554",
    ]
    assert shlex.split(interface_command(None, "", None, demo=True))[5:] == ["demo"]


def test_a_missing_package_is_told_with_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("assistant.cli.run.find_spec", lambda name: None)
    assert app(["serve", "--store", str(tmp_path)], standalone_mode=False) == 1
    assert "pip install 'assistant[serve]'" in capsys.readouterr().err


def test_another_host_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked: list[ListenAddress] = []
    monkeypatch.setattr("assistant.web.serve", lambda *told: asked.append(told[1]))
    app(["serve", "--store", str(tmp_path)], standalone_mode=False)
    assert "Warning" not in capsys.readouterr().err
    app(["serve", "--store", str(tmp_path), "--host", "192.0.2.1"], standalone_mode=False)
    assert "can use your phone" in capsys.readouterr().err
    assert [one.host for one in asked] == ["127.0.0.1", "192.0.2.1"]
