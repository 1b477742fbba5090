"""Commands on files: ls, cat, rm and touch."""

from __future__ import annotations

import stat
from datetime import datetime

from assistant.simulator.adbd.backend import FileStatus
from assistant.simulator.android.command import Context, Plain, Result, Running


def _split(words: list[str]) -> tuple[set[str], list[str]]:
    """Option letters and names; `--` ends the options."""
    options: set[str] = set()
    for place, word in enumerate(words):
        if word == "--":
            return options, words[place + 1 :]
        if not word.startswith("-") or word == "-":
            return options, [word for word in words[place:] if word != "--"]
        options |= set(word[1:])
    return options, []


def listing(context: Context) -> Result:
    """`ls [-l] [-a] [-1] [NAME …]`."""
    options, names = _split(context.arguments)
    files = context.services.files
    lines, errors = [], []
    for name in names or ["."]:
        place = context.path("" if name == "." else name)
        entry = files.status(place)
        if entry is None:
            errors.append(f"ls: {name}: No such file or directory")
        elif stat.S_ISDIR(entry.mode) and "d" not in options:
            if len(names) > 1:
                lines.append(f"{name}:")
            inside = [
                listed for listed in files.list(place) if "a" in options or not listed[0].startswith(".")
            ]
            if "l" in options:
                lines.append(f"total {sum(-(-status.size // 1024) for _, status in inside)}")
            lines += [
                _described(context, listed_name, status, "l" in options) for listed_name, status in inside
            ]
        else:
            lines.append(_described(context, name, entry, "l" in options))
    return Result(
        "".join(f"{line}\n" for line in lines), "".join(f"{error}\n" for error in errors), int(bool(errors))
    )


def _described(context: Context, name: str, status: FileStatus, long: bool) -> str:
    if not long:
        return name
    return f"{stat.filemode(status.mode)} 1 shell  shell  {status.size:>8} {_time(context, status)} {name}"


def _time(context: Context, status: FileStatus) -> str:
    zone = context.services.clock.now().tzinfo
    return f"{datetime.fromtimestamp(status.mtime, tz=zone):%Y-%m-%d %H:%M}"


async def cat(context: Context) -> int:
    """`cat [NAME …]`; without a name, or for `-`, standard input."""
    code = 0
    for name in context.arguments or ["-"]:
        if name == "-":
            while chunk := await context.streams.stdin.read(65536):
                await context.print(chunk)
            continue
        try:
            await context.print(context.services.files.read(context.path(name)))
        except OSError as error:
            await context.complain(f"cat: {name}: {error.strerror}\n")
            code = 1
    return code


def remove(context: Context) -> Result:
    """`rm [-rf] NAME …`."""
    options, names = _split(context.arguments)
    files = context.services.files
    errors = []
    if not names and "f" not in options:
        return Result(error="rm: Needs 1 argument\n", code=1)
    for name in names:
        entry = files.entry(context.path(name))
        if entry is None:
            if "f" not in options:
                errors.append(f"rm: {name}: No such file or directory")
        elif entry.folder and not options & set("rR"):
            errors.append(f"rm: {name}: Is a directory")
        else:
            try:
                files.remove(context.path(name))
            except OSError as error:
                errors.append(f"rm: {name}: {error.strerror}")
    return _done(errors)


def _done(errors: list[str]) -> Result:
    return Result(error="".join(f"{error}\n" for error in errors), code=int(bool(errors)))


def touch(context: Context) -> Result:
    """`touch NAME …`."""
    files = context.services.files
    errors = []
    for name in _split(context.arguments)[1]:
        place = context.path(name)
        try:
            files.write(place, files.read(place) if files.entry(place) else b"")
        except OSError as error:
            errors.append(f"touch: '{name}': {error.strerror}")
    return _done(errors)


PLAIN: dict[str, Plain] = {
    "ls": listing,
    "rm": remove,
    "touch": touch,
}
RUNNING: dict[str, Running] = {"cat": cat}
