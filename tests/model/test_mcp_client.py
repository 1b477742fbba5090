"""Other sources by MCP, against real servers: a program that speaks over its input, and one over HTTP."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from assistant.model.mcp_client import LONGEST_ANSWER, McpServers
from assistant.model.types import SourceError, SourceTool
from assistant.settings.schema import McpServer
from tests.model import source_server

PROGRAM = str(Path(source_server.__file__))
PATIENCE = 120.0
"""Seconds for a server that answers: a program needs several to start, and many more on a busy machine."""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """The lines that calls of the server in this process have left."""
    file = tmp_path / "calls"
    monkeypatch.setenv("SOURCE_CALLS", str(file))
    return lambda: file.read_text() if file.exists() else ""


@pytest.fixture
async def calendar(calls: Callable[[], str]) -> AsyncIterator[McpServer]:
    async with source_server.served() as (url, _keys):
        yield McpServer(url=url, seconds=PATIENCE)


def program(calls: Path, *arguments: str) -> McpServer:
    env = {"SOURCE_CALLS": SecretStr(str(calls))}
    return McpServer(command=sys.executable, args=(PROGRAM, *arguments), env=env, seconds=PATIENCE)


def writing(code: str, seconds: float = 30.0) -> McpServer:
    """A program that is no MCP server."""
    return McpServer(command=sys.executable, args=("-c", f"import sys; {code}"), seconds=seconds)


async def only_tool(servers: McpServers) -> SourceTool:
    tools, problems = await servers.tools()
    assert problems == {}
    (tool,) = tools
    return tool


async def test_only_tools_that_say_they_read_are_used(calendar: McpServer, calls: Callable[[], str]) -> None:
    servers = McpServers({"calendar": calendar})
    tool = await only_tool(servers)
    assert (tool.server, tool.name) == ("calendar", "search_events")
    assert tool.identity.startswith("127.0.0.1 ")
    listed = await servers.list_tools("calendar")
    assert {each.name: each.reads_only for each in listed} == {
        "search_events": True,
        "delete_event": False,
        "count_mail": False,
    }
    with pytest.raises(SourceError, match="has changed"):
        await servers.call(next(each for each in listed if each.name == "delete_event"), {"query": "x"})
    assert calls() == ""


async def test_the_user_names_tools_that_read_but_never_ones_that_change(calendar: McpServer) -> None:
    named = calendar.model_copy(update={"tools": ("count_mail", "delete_event")})
    servers = McpServers({"mail": named})
    tool = await only_tool(servers)
    assert tool.name == "count_mail"
    assert await servers.call(tool, {}) == "3"


async def test_an_answer_has_a_limit_and_an_error_is_told(calendar: McpServer) -> None:
    servers = McpServers({"calendar": calendar})
    tool = await only_tool(servers)
    assert len(await servers.call(tool, {"query": "long"})) == LONGEST_ANSWER
    with pytest.raises(SourceError, match="the calendar is locked"):
        await servers.call(tool, {"query": "crash"})


async def test_a_program_answers_and_gets_none_of_our_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_MODEL__API_KEY", "sk-ours")
    calls = tmp_path / "calls"
    servers = McpServers({"calendar": program(calls)})
    tool = await only_tool(servers)
    assert tool.identity.startswith(Path(sys.executable).name)
    assert calls.read_text() == "started without a key\n"
    assert "8 Mill Lane" in await servers.call(tool, {"query": "dentist"})


async def test_a_tool_that_changed_since_it_was_listed_is_not_called(tmp_path: Path) -> None:
    servers = McpServers({"calendar": program(tmp_path / "calls", "changing")})
    tool = await only_tool(servers)
    with pytest.raises(SourceError, match="has changed"):
        await servers.call(tool, {"query": "dentist"})
    assert "search_events" not in (tmp_path / "calls").read_text()


@pytest.mark.parametrize(
    ("server", "words"),
    [
        (writing("sys.stderr.write('secret-in-stderr'); print('hello')"), "cannot be reached"),
        (writing("sys.stdin.read()", seconds=1.0), "no answer within 1 s"),
        (
            McpServer(command="/nowhere/key-1234/calendar-server", args=("--token", "key-1234")),
            "no program calendar-server",
        ),
        (
            McpServer(url="http://127.0.0.1:9/key-1234", headers={"Authorization": SecretStr("key-1234")}),
            "cannot be reached",
        ),
    ],
)
async def test_a_dead_server_is_told_once_a_minute_and_names_no_key(
    server: McpServer, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    servers = McpServers({"dead": server}, lambda: now[0])
    tools, problems = await servers.tools()
    assert tools == []
    assert words in problems["dead"]
    assert "key-1234" not in problems["dead"] + repr(server.headers)
    assert (await servers.tools())[1] == {}
    now[0] = 61.0
    assert list((await servers.tools())[1]) == ["dead"]
    assert "secret-in-stderr" not in "".join(capfd.readouterr())


async def test_an_address_is_asked_with_its_headers() -> None:
    async with source_server.served() as (url, keys):
        servers = McpServers(
            {"calendar": McpServer(url=url, headers={"x-key": SecretStr("k1")}, seconds=PATIENCE)}
        )
        tool = await only_tool(servers)
        assert "Dentist" in await servers.call(tool, {"query": "dentist"})
    assert set(keys) == {"k1"}
