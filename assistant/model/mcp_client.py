"""Other sources of what a command leaves open, such as a calendar: the tools of MCP servers, read only.

A server is started, or its address opened, for one look-up and closed after it. A tool may be called if it
says of itself that it only reads; what it says, and what it answers, is data of somebody else. Nothing is
offered to a server: no sampling, no elicitation, no folders, and no environment but the configured one.

Source: the specification at modelcontextprotocol.io, section "Tools"; the package `mcp`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp import MCPError, StdioServerParameters, stdio_client
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Tool
from pydantic import SecretStr

from assistant.i18n import _
from assistant.model.types import SourceError, SourceTool, one_line
from assistant.settings.schema import McpServer

LONGEST_ANSWER = 8_000
"""The most characters of an answer that are read; the rest is left out."""
_MOST_TOOLS = 100
_RETRY_SECONDS = 60.0
"""How long a server that failed is not tried again."""

_log = logging.getLogger(__name__)


class McpServers:
    """The configured servers. Nothing is started before the first look-up.

    Args:
        servers: the settings of each, by name.
        clock: seconds that only rise.
    """

    def __init__(self, servers: Mapping[str, McpServer], clock: Callable[[], float] = time.monotonic) -> None:
        self._servers = dict(servers)
        self._clock = clock
        self._tools: dict[str, list[SourceTool]] = {}
        self._failures: dict[str, float] = {}

    async def tools(self) -> tuple[list[SourceTool], dict[str, str]]:
        """The tools that only read, of all servers, and for each server that failed just now why, in words.

        The tools of a server are listed once; a server that failed is left alone for a minute.
        """
        due = [
            name
            for name in self._servers
            if name not in self._tools and self._clock() >= self._failures.get(name, 0.0)
        ]
        results = await asyncio.gather(*map(self.list_tools, due), return_exceptions=True)
        problems: dict[str, str] = {}
        for name, result in zip(due, results, strict=True):
            if isinstance(result, SourceError):
                problems[name] = str(result)
                self._failures[name] = self._clock() + _RETRY_SECONDS
            elif isinstance(result, BaseException):
                raise result
            else:
                self._tools[name] = [tool for tool in result if tool.reads_only]
        return [tool for name in self._servers for tool in self._tools.get(name, ())], problems

    async def list_tools(self, name: str) -> list[SourceTool]:
        """All tools of a server; those that may change something are never called.

        Raises:
            SourceError: it does not answer in time, or not by the protocol.
        """
        server = self._servers[name]
        async with _in_words(server), _connected(server) as client:
            return await _list_tools(client, name, server)
        raise AssertionError  # `_in_words` lets nothing pass

    async def call(self, tool: SourceTool, arguments: Mapping[str, object]) -> str:
        """The answer of a tool as plain text, cut at `LONGEST_ANSWER` characters.

        Raises:
            SourceError: the server fails, the tool reports an error or is not what was listed before.
        """
        server = self._servers[tool.server]
        async with _in_words(server), _connected(server) as client:
            if tool not in await _list_tools(client, tool.server, server) or not tool.reads_only:
                self._tools.pop(tool.server, None)
                raise SourceError(_("the tool {name} has changed").format(name=one_line(tool.name, 60)))
            result = await client.call_tool(tool.name, dict(arguments))
            answer = _text_of(result)
            if result.is_error:
                raise SourceError(one_line(answer, 200) or _("the tool failed"))
            return answer
        raise AssertionError  # `_in_words` lets nothing pass


async def _list_tools(client: Client, name: str, server: McpServer) -> list[SourceTool]:
    tools: list[SourceTool] = []
    cursor = None
    while True:
        listed = await client.list_tools(cursor=cursor)
        tools += [_source_tool(tool, name, server) for tool in listed.tools]
        cursor = listed.next_cursor
        if not cursor or len(tools) >= _MOST_TOOLS:
            return tools[:_MOST_TOOLS]


def _source_tool(tool: Tool, name: str, server: McpServer) -> SourceTool:
    hint = tool.annotations.read_only_hint if tool.annotations is not None else None
    described = [server.command, server.args, server.url, tool.name, tool.description, tool.input_schema]
    digest = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
    return SourceTool(
        server=name,
        name=tool.name,
        description=one_line(tool.description or tool.title or "", 300),
        parameters=tool.input_schema,
        reads_only=tool.name in server.tools and hint is not False if server.tools else hint is True,
        identity=f"{_provider(server)} {digest[:12]}",
    )


def _provider(server: McpServer) -> str:
    """The program or the host, without arguments and paths, in which a key may stand."""
    return PurePath(server.command).name or (urlsplit(server.url).hostname or "")


def _text_of(result: CallToolResult) -> str:
    parts = [part.text for part in result.content if part.type == "text"]
    if not any(parts) and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False)]
    return "\n".join(parts)[:LONGEST_ANSWER]


@asynccontextmanager
async def _connected(server: McpServer) -> AsyncIterator[Client]:
    """A client of a server, which ends with it. What the server writes to its error output is dropped."""
    async with AsyncExitStack() as stack:
        if server.url:
            session = httpx2.AsyncClient(headers=_revealed(server.headers), timeout=server.seconds)
            await stack.enter_async_context(session)
            transport: Any = streamable_http_client(server.url, http_client=session)
        else:
            dropped = stack.enter_context(os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
            program = StdioServerParameters(
                command=server.command, args=list(server.args), env=_revealed(server.env)
            )
            transport = stdio_client(program, errlog=dropped)
        yield await stack.enter_async_context(Client(transport, read_timeout_seconds=server.seconds))


def _revealed(values: Mapping[str, SecretStr]) -> dict[str, str]:
    return {name: value.get_secret_value() for name, value in values.items()}


@asynccontextmanager
async def _in_words(server: McpServer) -> AsyncIterator[None]:
    """Within the server's time; what fails becomes a `SourceError` without addresses and arguments."""
    try:
        async with asyncio.timeout(server.seconds):
            yield
    except (OSError, MCPError, ValueError, RuntimeError, httpx2.HTTPError, ExceptionGroup) as error:
        if (stated := _first_source_error(error)) is not None:
            raise stated from error
        _log.info("an MCP server failed: %s", type(error).__name__)
        raise SourceError(_describe(error, server)) from error


def _first_source_error(error: BaseException) -> SourceError | None:
    """What was raised inside, from the groups in which the package's tasks wrap it."""
    if isinstance(error, SourceError):
        return error
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return next((stated for each in inner if (stated := _first_source_error(each)) is not None), None)


def _describe(error: Exception, server: McpServer) -> str:
    match error:
        case TimeoutError():
            return _("no answer within {seconds:g} s").format(seconds=server.seconds)
        case FileNotFoundError():
            return _("there is no program {name}").format(name=one_line(_provider(server), 60))
        case ExceptionGroup(exceptions=(Exception() as inner,)):
            return _describe(inner, server)
        case _:
            return _("it cannot be reached, or does not answer as an MCP server")
