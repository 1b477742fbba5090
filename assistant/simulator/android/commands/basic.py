"""The small commands of every Unix: echo, date, sleep, id, ps and their like."""

from __future__ import annotations

import posixpath
import re
from datetime import UTC, datetime

from assistant.simulator.android.command import Context, Plain, Result, Running
from assistant.simulator.android.commands.common import process

_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "r": "\r", "a": "\a", "b": "\b"}
_FORMAT = re.compile(r"%(%|-?\d{0,3}[sd])")


def echo(context: Context) -> Result:
    r"""`echo [-n] [-e] TEXT`: `\n` and the like are read even without `-e`, as Android's shell does."""
    words, end = list(context.arguments), "\n"
    while words[:1] and words[0] in ("-n", "-e", "-ne", "-en"):
        end = "" if "n" in words.pop(0) else end
    return Result(_unescaped(" ".join(words)) + end)


def _unescaped(text: str) -> str:
    return re.sub(r"\\([ntrab\\])", lambda found: _ESCAPES[found[1]], text)


def printf(context: Context) -> Result:
    """`printf FORMAT …` with %s and %d."""
    if not context.arguments:
        return Result(error="printf: Needs 1 argument\n", code=1)
    words = iter(context.arguments[1:])

    def fill(found: re.Match[str]) -> str:
        if found[1] == "%":
            return "%"
        value = next(words, "0" if found[1].endswith("d") else "")
        width = int(found[1][:-1] or "0")
        return value.ljust(-width) if width < 0 else value.rjust(width)

    return Result(_FORMAT.sub(fill, _unescaped(context.arguments[0])))


def true(context: Context) -> Result:
    """`true`, `:` and whatever may do nothing."""
    del context
    return Result()


def false(context: Context) -> Result:
    """`false`."""
    del context
    return Result(code=1)


def test(context: Context) -> Result:
    """`test` and `[`: strings, whole numbers, files."""
    words = list(context.arguments)
    if context.name == "[":
        if words[-1:] != ["]"]:
            return Result(error="/system/bin/sh: [: missing ]\n", code=2)
        words.pop()
    negated = False
    while words[:1] == ["!"]:
        negated, words = not negated, words[1:]
    answer = _condition(context, words)
    if answer is None:
        return Result(error=f"/system/bin/sh: {context.name}: syntax error\n", code=2)
    return Result(code=int(answer is negated))


def _condition(context: Context, words: list[str]) -> bool | None:
    match words:
        case []:
            return False
        case [text]:
            return bool(text)
        case ["-n", text]:
            return bool(text)
        case ["-z", text]:
            return not text
        case ["-e" | "-f" | "-d" | "-s" | "-r" | "-w" as kind, name]:
            entry = context.services.files.entry(context.path(name))
            if entry is None:
                return False
            return {"-f": not entry.folder, "-d": entry.folder, "-s": entry.size > 0}.get(kind, True)
        case [left, "=" | "==", right]:
            return left == right
        case [left, "!=", right]:
            return left != right
        case [left, "-eq" | "-ne" | "-gt" | "-ge" | "-lt" | "-le" as relation, right]:
            return _compare(left, relation, right)
    return None


def _compare(left: str, relation: str, right: str) -> bool | None:
    try:
        difference = int(left) - int(right)
    except ValueError:
        return None
    return {
        "-eq": difference == 0,
        "-ne": difference != 0,
        "-gt": difference > 0,
        "-ge": difference >= 0,
        "-lt": difference < 0,
        "-le": difference <= 0,
    }[relation]


def date(context: Context) -> Result:
    """`date [+FORMAT]` on the phone's clock."""
    now = context.services.clock.now()
    words = list(context.arguments)
    if "-u" in words:
        words.remove("-u")
        now = now.astimezone(UTC)
    if not words:
        return Result(f"{now:%a %b} {now.day:>2} {now:%H:%M:%S %Z %Y}\n")
    if not words[0].startswith("+"):
        return Result(error=f"date: bad date '{words[0]}'\n", code=1)
    return Result(_formatted(now, words[0][1:]) + "\n")


def _formatted(now: datetime, pattern: str) -> str:
    def fill(found: re.Match[str]) -> str:
        match found[1]:
            case "%":
                return "%"
            case "s":
                return str(int(now.timestamp()))
            case "N":
                return f"{now.microsecond * 1000:09d}"
            case code if code in "aAbBdHIjmMpSuwyYzZFTDRe":
                return now.strftime(f"%{code}")
        return found[0]

    return re.sub(r"%(.)", fill, pattern)


def identity(context: Context) -> Result:
    """`id` and `whoami`: the shell user."""
    if context.name == "whoami":
        return Result("shell\n")
    match context.arguments:
        case ["-u"]:
            return Result("2000\n")
        case ["-un"]:
            return Result("shell\n")
    groups = "1004(input),1007(log),1011(adb),1015(sdcard_rw),1028(sdcard_r),3001(net_bt_admin),3003(inet)"
    return Result(f"uid=2000(shell) gid=2000(shell) groups=2000(shell),{groups} context=u:r:shell:s0\n")


def uname(context: Context) -> Result:
    """`uname [-a|-r|-m]`."""
    match context.arguments:
        case ["-a"]:
            return Result("Linux localhost 5.10.149-android13-4 #1 SMP PREEMPT aarch64 Toybox\n")
        case ["-r"]:
            return Result("5.10.149-android13-4\n")
        case ["-m"]:
            return Result("aarch64\n")
    return Result("Linux\n")


def _running(context: Context) -> dict[str, int]:
    """The processes by name."""
    services = context.services
    packages = dict.fromkeys(
        [
            "com.android.systemui",
            context.surface.resumed().package,
            *(one.package for one in services.usage.events),
        ]
    )
    return {"init": 1, "system_server": 1203} | {name: process(context, name) for name in packages}


def ps(context: Context) -> Result:
    """`ps [-A]`."""
    lines = ["USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME"]
    for name, number in _running(context).items():
        user = "root" if number == 1 else "system" if number == 1203 else "u0_a101"
        lines.append(f"{user:<12}{number:>6}{1:>6} 5180432 190204 0                   0 S {name}")
    return Result("\n".join(lines) + "\n")


def pidof(context: Context) -> Result:
    """`pidof NAME`."""
    running = _running(context)
    numbers = [str(running[name]) for name in context.arguments if name in running]
    return Result(" ".join(numbers) + "\n") if numbers else Result(code=1)


def pwd(context: Context) -> Result:
    """`pwd`."""
    return Result(f"{context.folder}\n")


def basename(context: Context) -> Result:
    """`basename` and `dirname`."""
    if not context.arguments:
        return Result(error=f"{context.name}: Needs 1 argument\n", code=1)
    name = context.arguments[0].rstrip("/")
    part = posixpath.basename(name) if context.name == "basename" else posixpath.dirname(name) or "."
    return Result(f"{part}\n")


async def sleep(context: Context) -> int:
    """`sleep SECONDS`, fractions allowed."""
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{0,9})?)([smh]?)", " ".join(context.arguments))
    if found is None:
        return await context.give(Result(error="sleep: Not a number\n", code=1))
    await context.services.clock.sleep(float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]])
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
    "[": test,
    "basename": basename,
    "chmod": true,
    "date": date,
    "dirname": basename,
    "echo": echo,
    "false": false,
    "id": identity,
    "pidof": pidof,
    "printf": printf,
    "ps": ps,
    "pwd": pwd,
    "sync": true,
    "test": test,
    "true": true,
    "uname": uname,
    "whoami": identity,
}
RUNNING: dict[str, Running] = {"sh": sh, "sleep": sleep}
