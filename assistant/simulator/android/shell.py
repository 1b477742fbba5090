"""The phone's shell: runs a command line against the services and the screen, inside this process only."""

from __future__ import annotations

from assistant.simulator.adbd.backend import ByteReader, Fd, Write
from assistant.simulator.android.command import Context, JavaError, Streams
from assistant.simulator.android.commands import PLAIN, RUNNING
from assistant.simulator.android.interpreter import SHELL, Interpreter
from assistant.simulator.android.services import Services
from assistant.simulator.surface import Surface

_NOT_FOUND = 127
_JAVA_FAILURE = 255
_WAIT_THEMSELVES = ("screencap", "gzip")
"""Commands that know when in their work time passes. So does `uiautomator dump`, which holds the one
connection meanwhile."""
_FOLDERS = ("/system/bin/", "/system/xbin/", "/vendor/bin/")


_KNOWN = frozenset((*PLAIN, *RUNNING))


class Shell:
    """The daemon's `ShellBackend`. Each `run` is a shell process of its own."""

    def __init__(self, services: Services, surface: Surface) -> None:
        self._services = services
        self._surface = surface

    async def run(self, line: str, stdin: ByteReader, write: Write) -> int:
        """Run one command line and return its exit code; an empty one reads lines from `stdin`."""

        async def out(data: bytes) -> None:
            await write(Fd.STDOUT, data)

        async def error(data: bytes) -> None:
            await write(Fd.STDERR, data)

        streams = Streams(stdin, out, error)
        interpreter = self._interpreter()
        if line.strip():
            return await interpreter.run(line, streams)
        while typed := await stdin.readline():
            await interpreter.run(typed.decode(errors="replace").rstrip("\r\n"), streams)
        return interpreter.status

    def _interpreter(self) -> Interpreter:
        variables = {
            "PWD": "/",
            "HOME": "/",
            "USER": "shell",
            "SHELL": SHELL,
            "PATH": "/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin:/vendor/bin",
            "EXTERNAL_STORAGE": "/sdcard",
            "TMPDIR": "/data/local/tmp",
        }
        return Interpreter(self._services.files, self._launch, variables)

    async def _launch(self, interpreter: Interpreter, words: list[str], streams: Streams) -> int:
        if words[0] == "toybox" and len(words) > 1:
            words = words[1:]
        typed, *arguments = words
        name = next((typed[len(folder) :] for folder in _FOLDERS if typed.startswith(folder)), typed)
        context = Context(
            services=self._services,
            surface=self._surface,
            name=name,
            arguments=arguments,
            streams=streams,
            interpret=self._interpret,
            folder=interpreter.variables["PWD"],
            variables=interpreter.variables,
        )
        if name not in _KNOWN:
            missing = "not found" if context.release < 10 else "inaccessible or not found"
            await context.complain(f"{SHELL}: {typed}: {missing}\n")
            return _NOT_FOUND
        delay = self._services.delays.of(" ".join((name, *arguments[:2])))
        if delay > 0 and name not in _WAIT_THEMSELVES and (name, *arguments[:1]) != ("uiautomator", "dump"):
            await self._services.clock.sleep(delay)
        try:
            if name in PLAIN:
                return await context.give(PLAIN[name](context))
            return await RUNNING[name](context)
        except JavaError as error:
            words_of_command = arguments[0] if arguments else "null"
            await context.complain(
                f"\nException occurred while executing '{words_of_command}':\n{error.text()}"
            )
            return _JAVA_FAILURE

    async def _interpret(self, line: str, streams: Streams) -> int:
        return await self._interpreter().run(line, streams)
