"""Filters: grep, gzip and head."""

from __future__ import annotations

import asyncio
import re
import time
import zlib
from collections.abc import AsyncIterator
from functools import lru_cache

from assistant.simulator.android.command import Context, Result, Running
from assistant.simulator.android.commands.grep import GrepOptions, compile_pattern, read_options

_AT_ONCE = 1 << 16
"""Bytes that a filter reads together, as a pipe of Linux holds them."""


async def _content(context: Context, names: list[str]) -> bytes | None:
    """The named files one after the other, or standard input; None when one cannot be read."""
    if not names:
        return await context.streams.stdin.read()
    parts = []
    for name in names:
        try:
            parts.append(context.services.files.read(context.path(name)))
        except OSError as error:
            await context.complain(f"{context.name}: {name}: {error.strerror}\n")
            return None
    return b"".join(parts)


async def _lines(context: Context, names: list[str]) -> AsyncIterator[list[str]]:
    """Lines without their ends, together with those that have come at the same time."""
    if names:
        yield (await _content(context, names) or b"").decode(errors="replace").splitlines()
        return
    rest = b""
    while came := await context.streams.stdin.read(_AT_ONCE):
        *whole, rest = (rest + came).split(b"\n")
        yield [line.decode(errors="replace") for line in whole]
    if rest:
        yield [rest.decode(errors="replace")]


async def grep(context: Context) -> int:
    """`grep [-EFivocnq] [-m N] [-e PATTERN] PATTERN [FILE …]`; prints what has come together in one piece."""
    options = read_options(context.arguments)
    if options.problem:
        return await context.give(Result(error=f"grep: {options.problem}\n", code=2))
    try:
        pattern = compile_pattern(options)
    except re.error:
        return await context.give(Result(error=f"grep: bad REGEX '{options.patterns[0]}'\n", code=2))
    for name in options.names:
        if context.services.files.entry(context.path(name)) is None:
            await context.complain(f"grep: {name}: No such file or directory\n")
            return 2
    count, place = 0, 0
    async for lines in _lines(context, options.names):
        matches = [
            (number, line)
            for number, line in enumerate(lines, place + 1)
            if bool(pattern.search(line)) is not options.inverted
        ]
        if options.most is not None:
            matches = matches[: options.most - count]
        place += len(lines)
        count += len(matches)
        if matches and options.quiet:
            return 0
        if not options.counting:
            await context.print("".join(_printed(options, pattern, number, line) for number, line in matches))
        if options.most is not None and count >= options.most:
            break
    if options.counting:
        await context.print(f"{count}\n")
    return 0 if count else 1


def _printed(options: GrepOptions, pattern: re.Pattern[str], number: int, line: str) -> str:
    """What `grep` prints of a line that it has found."""
    shown = [match[0] for match in pattern.finditer(line) if match[0]] if options.only else [line]
    prefix = f"{number}:" if options.numbered else ""
    return "".join(f"{prefix}{piece}\n" for piece in shown)


def _amount(words: list[str], default: int) -> tuple[str, int, list[str]]:
    """The unit (`n` lines, `c` bytes), the number and the names of `head` and `tail`."""
    unit, amount, names = "n", default, list[str]()
    rest = iter(words)
    for word in rest:
        match = re.fullmatch(r"-([nc]?)\+?(\d{1,9})", word)
        if match:
            unit, amount = match[1] or "n", int(match[2])
        elif word in ("-n", "-c"):
            value = next(rest, "").lstrip("+-")
            unit, amount = word[1], int(value) if value.isascii() and value.isdigit() else default
        else:
            names.append(word)
    return unit, amount, names


async def head(context: Context) -> int:
    """`head [-n N] [-c N] [FILE]`."""
    unit, amount, names = _amount(context.arguments, 10)
    if unit == "c":
        content = await _content(context, names)
        await context.print((content or b"")[:amount])
        return int(content is None)
    if amount:
        async for lines in _lines(context, names):
            await context.print("".join(f"{line}\n" for line in lines[:amount]))
            amount -= min(amount, len(lines))
            if not amount:
                break
    return 0


async def gzip(context: Context) -> int:
    """`gzip [-1 … -9] [-c] [FILE]` (toybox, Android 8): packs standard input, or replaces a file."""
    names = [word for word in context.arguments if not word.startswith("-")]
    options = "".join(word[1:] for word in context.arguments if word.startswith("-"))
    if unknown := re.search(r"[^1-9c]", options):
        return await context.give(Result(error=f"gzip: Unknown option '{unknown[0]}'\n", code=1))
    content = await _content(context, names[:1])
    if content is None:
        return 1
    delays, began = context.services.delays, time.perf_counter()
    levels = re.findall(r"\d", options)
    packed = await asyncio.to_thread(_packed, content, int(levels[-1]) if levels else 6)
    name = "slow gzip" if context.services.quirks.slow_gzip else "gzip"
    delays.work[name] = time.perf_counter() - began
    await context.services.clock.sleep(delays.of(name))
    if not names or "c" in options:
        return await context.give(Result(packed))
    context.services.files.write(context.path(f"{names[0]}.gz"), packed)
    context.services.files.remove(context.path(names[0]))
    return 0


@lru_cache(maxsize=1)
def _packed(content: bytes, level: int) -> bytes:
    """The packed bytes. A screen that rests is asked for several times, so the last ones are kept."""
    packer = zlib.compressobj(level, wbits=16 + zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


RUNNING: dict[str, Running] = {
    "grep": grep,
    "gzip": gzip,
    "head": head,
}
