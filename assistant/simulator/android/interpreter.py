"""Runs parsed command lines: expansion, pipes, redirection and exit codes."""

from __future__ import annotations

import asyncio
import fnmatch
import posixpath
import re
from collections.abc import Awaitable, Callable, Iterable

from assistant.simulator.adbd.backend import ByteReader
from assistant.simulator.android.command import Sink, Streams
from assistant.simulator.android.files import Files
from assistant.simulator.android.parser import parse
from assistant.simulator.android.syntax import (
    Group,
    Part,
    Redirection,
    Script,
    ShellSyntaxError,
    Simple,
    Step,
    Substitution,
    Text,
    Word,
)

SHELL = "/system/bin/sh"
_LINE_LIMIT = 2**26
_BROKEN_PIPE = 141
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)

Launch = Callable[["Interpreter", list[str], Streams], Awaitable[int]]


class Bytes:
    """Standard input from a file, or nothing at all."""

    def __init__(self, content: bytes = b"") -> None:
        self._content = content

    async def read(self, n: int = -1) -> bytes:
        """At most `n` bytes; empty at the end."""
        end = len(self._content) if n < 0 else n
        taken, self._content = self._content[:end], self._content[end:]
        return taken

    async def readline(self) -> bytes:
        """One line, or what is left."""
        end = self._content.find(b"\n") + 1
        return await self.read(end or -1)


class _ExitError(Exception):
    """The `exit` command."""

    def __init__(self, code: int) -> None:
        self.code = code


class _RefusedError(Exception):
    """A command that could not begin: its message goes to standard error."""


class _Pipe:
    """What one command writes and the next one reads."""

    def __init__(self) -> None:
        self.reader = asyncio.StreamReader(limit=_LINE_LIMIT)
        self._abandoned = False

    async def write(self, data: bytes) -> None:
        if self._abandoned:
            raise BrokenPipeError
        self.reader.feed_data(data)
        await asyncio.sleep(0)

    def close(self) -> None:
        self.reader.feed_eof()

    def abandon(self) -> None:
        self._abandoned = True


async def _discard(data: bytes) -> None:
    del data


class Interpreter:
    """One shell process: the exit code of its last command, its variables and its working folder."""

    def __init__(self, files: Files, launch: Launch, variables: dict[str, str] | None = None) -> None:
        self._files = files
        self._launch = launch
        self.status = 0
        self.variables = variables if variables is not None else {"PWD": "/"}

    async def run(self, line: str, streams: Streams) -> int:
        """Run a line and return its exit code."""
        try:
            await self._script(parse(line.replace("\0", "")), streams)
        except ShellSyntaxError as error:
            await streams.stderr(f"{SHELL}: {error}\n".encode())
            self.status = 1
        except _ExitError as stop:
            self.status = stop.code
        return self.status

    async def _script(self, script: Script, streams: Streams) -> None:
        for step in script:
            if step.connector == ("||" if self.status == 0 else "&&"):
                continue
            self.status = await self._pipeline(step, streams)

    async def _pipeline(self, step: Step, streams: Streams) -> int:
        if len(step.stages) == 1:
            code = await self._stage(step.stages[0], streams)
        else:
            code = await self._piped(step.stages, streams)
        return int(not code) if step.negated else code

    async def _piped(self, stages: tuple[Simple | Group, ...], streams: Streams) -> int:
        pipes = [_Pipe() for _ in stages[1:]]

        async def stage(place: int) -> int:
            source: ByteReader = pipes[place - 1].reader if place else streams.stdin
            sink = pipes[place].write if place < len(pipes) else streams.stdout
            inside = self._copy()
            try:
                return await inside._stage(stages[place], Streams(source, sink, streams.stderr))
            except BrokenPipeError:
                return _BROKEN_PIPE
            except _ExitError as stop:
                return stop.code
            finally:
                if place:
                    pipes[place - 1].abandon()
                if place < len(pipes):
                    pipes[place].close()

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(stage(place)) for place in range(len(stages))]
        except ExceptionGroup as failed:
            # One stage failed and the others were stopped for it: what the whole line fails of.
            raise failed.exceptions[0] from None
        return tasks[-1].result()

    def _copy(self) -> Interpreter:
        copy = Interpreter(self._files, self._launch, dict(self.variables))
        copy.status = self.status
        return copy

    async def _stage(self, stage: Simple | Group, streams: Streams) -> int:
        try:
            if isinstance(stage, Group):
                inside = self._copy()
                try:
                    await inside._script(stage.script, await self._redirected(stage.redirections, streams))
                except _ExitError as stop:
                    return stop.code
                return inside.status
            words = await self._expand_all(stage.words, streams)
            target = await self._redirected(stage.redirections, streams)
            return await self._simple(words, target)
        except _RefusedError as error:
            await streams.stderr(f"{SHELL}: {error}\n".encode())
            return 1

    async def _simple(self, words: list[str], streams: Streams) -> int:
        while words and (assigned := _ASSIGNMENT.fullmatch(words[0])):
            self.variables[assigned[1]] = assigned[2]
            words = words[1:]
        match words:
            case []:
                return 0
            case ["exit", *rest]:
                raise _ExitError(int(rest[0]) & 255 if rest and rest[0].isdecimal() else self.status)
            case ["cd", *rest]:
                return self._change_folder(rest[0] if rest else "/data")
            case ["export", *rest]:
                return await self._simple([word for word in rest if "=" in word], streams)
        return await self._launch(self, words, streams)

    def _change_folder(self, name: str) -> int:
        place = posixpath.normpath(posixpath.join(self.variables["PWD"], name))
        entry = self._files.entry(place)
        if entry is None:
            raise _RefusedError(f"cd: {place}: No such file or directory")
        if not entry.folder:
            raise _RefusedError(f"cd: {place}: Not a directory")
        self.variables["PWD"] = place
        return 0

    async def _redirected(self, redirections: Iterable[Redirection], streams: Streams) -> Streams:
        stdin, stdout, stderr = streams.stdin, streams.stdout, streams.stderr
        for redirection in redirections:
            name = "".join(await self._expand(redirection.target, streams))
            match redirection.operator, redirection.descriptor, name:
                case "<", _, _:
                    stdin = self._source(name)
                case ">&", 2, "1":
                    stderr = stdout
                case ">&", 1, "2":
                    stdout = stderr
                case ">&", _, "1" | "2":
                    pass
                case ">&", _, _:
                    raise _RefusedError(f"{name}: bad file descriptor")
                case operator, 2, _:
                    stderr = self._sink(name, stdout, append=operator == ">>")
                case operator, _, _:
                    stdout = self._sink(name, stdout, append=operator == ">>")
        return Streams(stdin, stdout, stderr)

    def _source(self, name: str) -> ByteReader:
        path = posixpath.join(self.variables["PWD"], name)
        if path == "/dev/null":
            return Bytes()
        try:
            return Bytes(self._files.read(path))
        except OSError as error:
            raise _RefusedError(f"can't open {name}: {error.strerror}") from error

    def _sink(self, name: str, stdout: Sink, *, append: bool) -> Sink:
        path = posixpath.join(self.variables["PWD"], name)
        if path in ("/dev/tty", "/dev/stdout", "/proc/self/fd/1"):
            return stdout
        if path == "/dev/null":
            return _discard
        try:
            parent = self._files.entry(posixpath.dirname(path))
            if parent is None:
                raise FileNotFoundError(2, "No such file or directory")
            entry = self._files.entry(path)
            self._files.write(path, self._files.read(path) if append and entry is not None else b"")
        except OSError as error:
            raise _RefusedError(f"can't create {name}: {error.strerror}") from error

        async def add(data: bytes) -> None:
            entry = self._files.entry(path)
            self._files.write(path, (entry.content if entry else b"") + data)

        return add

    async def _expand_all(self, words: tuple[Word, ...], streams: Streams) -> list[str]:
        paths: list[str] = []
        for word in words:
            paths.extend(await self._expand(word, streams))
        return paths

    async def _expand(self, word: Word, streams: Streams) -> list[str]:
        """A word's fields: unquoted expansions are split at blanks, unquoted patterns match files."""
        joined, quoted, pattern = "", False, False
        for part in word:
            value = (await self._value(part, streams)).replace("\0", "")
            if isinstance(part, Text) or part.quoted:
                joined += value
                quoted = quoted or part.quoted
                pattern = pattern or (not part.quoted and any(mark in value for mark in "*?"))
            else:
                joined += re.sub(r"\s+", "\0", value)
        fields = [field for field in joined.split("\0") if field]
        if pattern and len(fields) == 1:
            return self._matching(fields[0])
        return fields or ([""] if quoted else [])

    async def _value(self, part: Part, streams: Streams) -> str:
        match part:
            case Text(value):
                return value
            case Substitution(script):
                return await self._output(script, streams)
        return str(self.status) if part.name == "?" else self.variables.get(part.name, "")

    async def _output(self, script: Script, streams: Streams) -> str:
        printed: list[bytes] = []

        async def collect(data: bytes) -> None:
            printed.append(data)

        inside = self._copy()
        try:
            await inside._script(script, Streams(streams.stdin, collect, streams.stderr))
        except _ExitError as stop:
            inside.status = stop.code
        self.status = inside.status
        return b"".join(printed).decode(errors="replace").rstrip("\n")

    def _matching(self, pattern: str) -> list[str]:
        folder, _, name = pattern.rpartition("/")
        place = posixpath.join(self.variables["PWD"], folder or ("/" if pattern.startswith("/") else ""))
        prefix = pattern[: len(pattern) - len(name)]
        inside = [
            entry_name for entry_name, _ in self._files.list(place) if fnmatch.fnmatchcase(entry_name, name)
        ]
        shown = [
            prefix + name_inside
            for name_inside in inside
            if not name_inside.startswith(".") or name.startswith(".")
        ]
        return shown or [pattern]
