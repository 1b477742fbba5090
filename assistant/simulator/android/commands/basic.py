"""The small commands of every Unix: echo, date, true, false, ps, pwd, sleep and sh."""

from __future__ import annotations

import re
from datetime import UTC

from assistant.simulator.android.command import Context, Plain, Result, Running
from assistant.simulator.android.commands.common import process

_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "r": "\r", "a": "\a", "b": "\b"}


def echo(context: Context) -> Result:
    r"""`echo [-n] [-e] TEXT`: `\n` and the like are read even without `-e`, as Android's shell does."""
    words, end = list(context.arguments), "\n"
    while words[:1] and words[0] in ("-n", "-e", "-ne", "-en"):
        end = "" if "n" in words.pop(0) else end
    return Result(_unescaped(" ".join(words)) + end)


def _unescaped(text: str) -> str:
    return re.sub(r"\\([ntrab\\])", lambda match: _ESCAPES[match[1]], text)


def date(context: Context) -> Result:
    """`date [-u] [+FORMAT]` on the phone's clock, in its time zone; in English whatever its language."""
    now, words = context.services.clock.now(), list(context.arguments)
    if words[:1] == ["-u"]:
        now = now.astimezone(UTC)
        del words[0]
    match words:
        case []:
            return Result(f"{now:%a %b} {now.day:>2} {now:%H:%M:%S %Z %Y}\n")
        case [pattern] if pattern.startswith("+"):
            seconds = str(int(now.timestamp()))
            return Result(now.strftime(pattern[1:].replace("%s", seconds)) + "\n")
    return Result(error=f"date: bad date '{words[0]}'\n", code=1)


def ps(context: Context) -> Result:
    """`ps [-A]`: the system's processes and those of the apps that were opened."""
    opened = (event.package for event in context.services.usage.events)
    apps = dict.fromkeys(("com.android.systemui", context.surface.resumed().package, *opened))
    lines = ["USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME"]
    for user, number, name in (
        ("root", 1, "init"),
        ("system", 1203, "system_server"),
        *(("u0_a101", process(context, package), package) for package in apps),
    ):
        lines.append(f"{user:<12}{number:>6}{1:>6} 5180432 190204 0                   0 S {name}")
    return Result("\n".join(lines) + "\n")


def true(context: Context) -> Result:
    """`true`, `:` and whatever may do nothing."""
    del context
    return Result()


def false(context: Context) -> Result:
    """`false`."""
    del context
    return Result(code=1)


def pwd(context: Context) -> Result:
    """`pwd`."""
    return Result(f"{context.folder}\n")


async def sleep(context: Context) -> int:
    """`sleep SECONDS`, fractions allowed."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{0,9})?)([smh]?)", " ".join(context.arguments))
    if match is None:
        return await context.give(Result(error="sleep: Not a number\n", code=1))
    await context.services.clock.sleep(float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]])
    return 0


async def sh(context: Context) -> int:
    """`sh -c LINE`, `sh FILE`, or lines from standard input."""
    match context.arguments:
        case ["-c", line, *_]:
            return await context.interpret(line, context.streams)
        case []:
            text = (await context.streams.stdin.read()).decode(errors="replace")
            return await context.interpret(text, context.streams)
        case [name, *_]:
            try:
                text = context.services.files.read(context.path(name)).decode(errors="replace")
            except OSError as error:
                return await context.give(Result(error=f"sh: {name}: {error.strerror}\n", code=127))
            return await context.interpret(text, context.streams)
    return 0


PLAIN: dict[str, Plain] = {
    ":": true,
    "date": date,
    "echo": echo,
    "false": false,
    "ps": ps,
    "pwd": pwd,
    "true": true,
}
RUNNING: dict[str, Running] = {"sh": sh, "sleep": sleep}
