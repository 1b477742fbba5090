"""Filters: grep, head, tail, wc, cut, tr, sort, uniq and base64."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import AsyncIterator

from assistant.simulator.android.command import Context, Result, Running
from assistant.simulator.android.commands.grep import compile_pattern, read_options


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


async def _lines(context: Context, names: list[str]) -> AsyncIterator[str]:
    """Lines without their ends, as they come."""
    if names:
        for line in (await _content(context, names) or b"").decode(errors="replace").splitlines():
            yield line
        return
    while line_read := await context.streams.stdin.readline():
        yield line_read.decode(errors="replace").removesuffix("\n")


async def grep(context: Context) -> int:
    """`grep [-EFivocnq] [-m N] [-e PATTERN] PATTERN [FILE …]`; prints each line as it comes."""
    wanted = read_options(context.arguments)
    if wanted.problem:
        return await context.give(Result(error=f"grep: {wanted.problem}\n", code=2))
    try:
        pattern = compile_pattern(wanted)
    except re.error:
        return await context.give(Result(error=f"grep: bad REGEX '{wanted.patterns[0]}'\n", code=2))
    for name in wanted.names:
        if context.services.files.entry(context.path(name)) is None:
            await context.complain(f"grep: {name}: No such file or directory\n")
            return 2
    count, place = 0, 0
    async for line in _lines(context, wanted.names):
        place += 1
        if bool(pattern.search(line)) is wanted.inverted:
            continue
        count += 1
        if wanted.quiet:
            return 0
        if not wanted.counting:
            shown = [one[0] for one in pattern.finditer(line) if one[0]] if wanted.only else [line]
            prefix = f"{place}:" if wanted.numbered else ""
            await context.print("".join(f"{prefix}{one}\n" for one in shown))
        if wanted.most is not None and count >= wanted.most:
            break
    if wanted.counting:
        await context.print(f"{count}\n")
    return 0 if count else 1


def _amount(words: list[str], default: int) -> tuple[str, int, list[str]]:
    """The unit (`n` lines, `c` bytes), the number and the names of `head` and `tail`."""
    unit, amount, names = "n", default, list[str]()
    rest = iter(words)
    for word in rest:
        found = re.fullmatch(r"-([nc]?)\+?(\d{1,9})", word)
        if found:
            unit, amount = found[1] or "n", int(found[2])
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
        async for line in _lines(context, names):
            await context.print(f"{line}\n")
            amount -= 1
            if not amount:
                break
    return 0


async def tail(context: Context) -> int:
    """`tail [-n N] [-c N] [FILE]`; `-n +N` starts at line N."""
    unit, amount, names = _amount(context.arguments, 10)
    content = await _content(context, names)
    if content is None:
        return 1
    if unit == "c":
        await context.print(content[-amount:] if amount else b"")
        return 0
    lines = content.splitlines(keepends=True)
    from_start = any(word.startswith(("+", "-n+")) for word in context.arguments)
    chosen = lines[max(0, amount - 1) :] if from_start else lines[-amount:] if amount else []
    await context.print(b"".join(chosen))
    return 0


async def count(context: Context) -> int:
    """`wc [-l] [-w] [-c] [FILE]`."""
    options = [letter for word in context.arguments if word.startswith("-") for letter in word[1:]]
    names = [word for word in context.arguments if not word.startswith("-")]
    content = await _content(context, names)
    if content is None:
        return 1
    values = {"l": content.count(b"\n"), "w": len(content.split()), "c": len(content)}
    shown = [str(values[letter]) for letter in options or "lwc" if letter in values]
    await context.print(" ".join([*shown, *names]) + "\n")
    return 0


async def cut(context: Context) -> int:
    """`cut -d X -f LIST` or `-c LIST`, with numbers and ranges."""
    delimiter, chosen, by_character = "\t", "", False
    rest = iter(context.arguments)
    for word in rest:
        if word.startswith("-d"):
            delimiter = word[2:] or next(rest, "\t")
        elif word.startswith(("-f", "-c")):
            by_character = word[1] == "c"
            chosen = word[2:] or next(rest, "")
    ranges = [_range(one) for one in chosen.split(",")]
    if not all(ranges):
        return await context.give(Result(error=f"cut: bad list '{chosen}'\n", code=1))
    async for line in _lines(context, []):
        pieces = list(line) if by_character else line.split(delimiter or "\t")
        kept = [
            piece
            for place, piece in enumerate(pieces, 1)
            if any(one and one[0] <= place <= one[1] for one in ranges)
        ]
        whole = len(pieces) == 1 and not by_character
        await context.print((line if whole else ("" if by_character else delimiter).join(kept)) + "\n")
    return 0


def _range(text: str) -> tuple[int, int] | None:
    found = re.fullmatch(r"(\d{0,6})(-?)(\d{0,6})", text)
    if found is None or not (found[1] or found[3]):
        return None
    start = int(found[1] or 1)
    if not found[2]:
        return start, start
    return start, int(found[3] or 1_000_000)


async def translate(context: Context) -> int:
    r"""`tr FROM TO` and `tr -d FROM`; knows `a-z`, `\n`, `\r` and `\t`."""
    delete = context.arguments[:1] == ["-d"]
    sets = [_characters(word) for word in context.arguments[int(delete) :]]
    if len(sets) != (1 if delete else 2) or not all(sets):
        return await context.give(Result(error="tr: Needs 2 arguments\n", code=1))
    text = (await context.streams.stdin.read()).decode(errors="replace")
    if delete:
        await context.print("".join(one for one in text if one not in sets[0]))
    else:
        last = len(sets[1]) - 1
        table = {ord(one): sets[1][min(place, last)] for place, one in enumerate(sets[0])}
        await context.print(text.translate(table))
    return 0


def _characters(text: str) -> str:
    text = text.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t").replace("\\\\", "\\")
    text = text.replace("[:upper:]", "A-Z").replace("[:lower:]", "a-z").replace("[:digit:]", "0-9")

    def spread(found: re.Match[str]) -> str:
        return "".join(
            chr(code) for code in range(ord(found[1]), min(ord(found[2]), ord(found[1]) + 255) + 1)
        )

    return re.sub(r"(.)-(.)", spread, text)


async def sort(context: Context) -> int:
    """`sort [-r] [-u] [-n]`."""
    options = {letter for word in context.arguments if word.startswith("-") for letter in word[1:]}
    content = await _content(context, [word for word in context.arguments if not word.startswith("-")])
    if content is None:
        return 1
    lines = content.decode(errors="replace").splitlines()
    lines = list(dict.fromkeys(lines)) if "u" in options else lines
    lines.sort(key=_leading_number if "n" in options else str, reverse="r" in options)
    await context.print("".join(f"{line}\n" for line in lines))
    return 0


def _leading_number(line: str) -> tuple[float, str]:
    found = re.match(r"\s*(-?\d{1,15}(?:\.\d{1,9})?)", line, re.ASCII)
    return (float(found[1]) if found else 0.0), line


async def unique(context: Context) -> int:
    """`uniq`."""
    previous: str | None = None
    async for line in _lines(context, []):
        if line != previous:
            await context.print(f"{line}\n")
        previous = line
    return 0


async def encode(context: Context) -> int:
    """`base64 [-d] [-w N] [FILE]`: 76 characters a line unless told otherwise."""
    words, width = list(context.arguments), 76
    if "-w" in words:
        place = words.index("-w")
        value = "".join(words[place + 1 : place + 2])
        width = int(value) if value.isascii() and value.isdigit() and len(value) < 9 else width
        del words[place : place + 2]
    for word in [word for word in words if word.startswith("-w")]:
        width = int(word[2:]) if word[2:].isascii() and word[2:].isdigit() and len(word) < 9 else width
        words.remove(word)
    decoding = bool({"-d", "-D", "--decode"} & set(words))
    content = await _content(context, [word for word in words if not word.startswith("-")])
    if content is None:
        return 1
    if decoding:
        try:
            await context.print(base64.b64decode(content))
        except binascii.Error:
            return await context.give(Result(error="base64: bad input\n", code=1))
        return 0
    encoded = base64.b64encode(content).decode()
    pieces = [encoded[at : at + width] for at in range(0, len(encoded), width)] if width else [encoded]
    await context.print("".join(f"{piece}\n" for piece in pieces) if width else encoded)
    return 0


RUNNING: dict[str, Running] = {
    "base64": encode,
    "cut": cut,
    "egrep": grep,
    "grep": grep,
    "head": head,
    "sort": sort,
    "tail": tail,
    "tr": translate,
    "uniq": unique,
    "wc": count,
}
