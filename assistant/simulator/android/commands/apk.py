"""`pm install` and `pm uninstall`: what an APK says of itself is read from its manifest.

An app that is installed so has no pages to show: it is listed, and its keyboards can be chosen.
Sources: AOSP `PackageManagerShellCommand.java`, `ShellCommand.java` for the words; `ResourceTypes.h` for the
binary form of a manifest.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.simulator.android.command import Context, JavaError, Result, Running
from assistant.simulator.android.commands.common import short_class
from assistant.simulator.android.commands.direct import cmd
from assistant.simulator.android.commands.package import package_command
from assistant.simulator.android.software import Package

_STRINGS, _START_TAG, _UTF8, _IS_TEXT = 0x0001, 0x0102, 0x100, 3
_KEYBOARD = "android.permission.BIND_INPUT_METHOD"
_WITH_VALUE = ("-i", "-S", "--user", "--abi", "--install-location", "--pkg")
_DENIED = "Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]\n"
_NOT_DELETED = "Failure [DELETE_FAILED_INTERNAL_ERROR]\n"

Attributes = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an APK is called, its version, and the input methods in it as `package/.Class`."""

    package: str
    version: int
    keyboards: tuple[str, ...]


def read_manifest(apk: bytes) -> Manifest:
    """The manifest of an APK. Raises `ValueError` where that is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(apk)) as archive:
            tags = list(_tags(archive.read("AndroidManifest.xml")))
    except (zipfile.BadZipFile, KeyError, IndexError, struct.error) as error:
        raise ValueError(str(error)) from error
    root = next((attributes for name, attributes in tags if name == "manifest"), {})
    package = str(root.get("package", ""))
    if not package:
        raise ValueError("no package in the manifest")
    services = (attributes for name, attributes in tags if name == "service")
    return Manifest(
        package,
        int(root.get("versionCode", 1)),
        tuple(
            f"{package}/{short_class(package, str(service.get('name', '')))}"
            for service in services
            if service.get("permission") == _KEYBOARD
        ),
    )


def _tags(document: bytes) -> Iterator[tuple[str, Attributes]]:
    """The tags of a binary XML document that begin something, with their attributes."""
    strings: list[str] = []
    place = 8
    while place < len(document):
        kind, _head, size = struct.unpack_from("<HHI", document, place)
        if kind == _STRINGS:
            strings = _strings(document, place)
        elif kind == _START_TAG:
            _space, name, start, width, count = struct.unpack_from("<IIHHH", document, place + 16)
            attributes: Attributes = {}
            for number in range(count):
                at = place + 16 + start + number * width
                key, _raw, _size, _zero, form, value = struct.unpack_from("<IIHBBI", document, at + 4)
                attributes[strings[key]] = strings[value] if form == _IS_TEXT else value
            yield strings[name], attributes
        place += max(size, 8)


def _strings(document: bytes, place: int) -> list[str]:
    count, _styles, flags, start = struct.unpack_from("<4I", document, place + 8)
    offsets = struct.unpack_from(f"<{count}I", document, place + 28)
    return [_string(document, place + start + offset, utf8=bool(flags & _UTF8)) for offset in offsets]


def _string(document: bytes, at: int, *, utf8: bool) -> str:
    """A string behind its length: of one or two bytes, twice, in UTF-8; else of two bytes, or four."""
    if utf8:
        at += 2 if document[at] & 0x80 else 1
        long = document[at] & 0x80
        length = (document[at] & 0x7F) << 8 | document[at + 1] if long else document[at]
        at += 2 if long else 1
        return document[at : at + length].decode("utf-8", "replace")
    (length,) = struct.unpack_from("<H", document, at)
    at += 2
    if length & 0x8000:
        length = (length & 0x7FFF) << 16 | struct.unpack_from("<H", document, at)[0]
        at += 2
    return document[at : at + 2 * length].decode("utf-16-le", "replace")


async def install(context: Context, words: list[str]) -> int:
    """`pm install [-r] [-t] … FILE`, or `-S BYTES` of standard input, as `adb install` sends it."""
    options = {word: words[place + 1 : place + 2] for place, word in enumerate(words) if word in _WITH_VALUE}
    values = [value for given in options.values() for value in given]
    names = [word for word in words if not word.startswith("-") and word not in values]
    size = "".join(options.get("-S", []))
    if not names and not size:
        return await context.give(
            Result(error="Error: must either specify a package size or an APK file\n", code=1)
        )
    if not names or names == ["-"]:
        content, name = await _received(context, int(size) if size.isdecimal() else 0), "base.apk"
    else:
        content, name = _pushed(context, names[0]), names[0]
    if context.services.quirks.install_denied:
        return await context.give(Result(_DENIED, code=1))
    try:
        manifest = read_manifest(content)
    except ValueError:
        problem = f"Error: Failed to parse APK file: {name}"
        await context.complain(f"{problem}\n")
        raise JavaError("java.lang.IllegalArgumentException", problem) from None
    package = Package(manifest.package, activity="", version_code=manifest.version)
    context.services.packages.add(package)
    for keyboard in manifest.keyboards:
        context.services.input_methods.add(keyboard)
    return await context.give(Result("Success\n"))


async def _received(context: Context, size: int) -> bytes:
    content = b""
    while len(content) < size and (piece := await context.streams.stdin.read(size - len(content))):
        content += piece
    return content


def _pushed(context: Context, name: str) -> bytes:
    try:
        return context.services.files.read(context.path(name))
    except OSError:
        problem = f"Error: Can't open file: {name}"
        raise JavaError("java.lang.IllegalArgumentException", problem) from None


def uninstall(context: Context, words: list[str]) -> Result:
    """`pm uninstall [-k] [--user N] PACKAGE`; what belongs to the system stays."""
    names = [word for word in words if not word.startswith("-") and not word.isdecimal()]
    installed = context.services.packages.installed.get(names[0] if names else "")
    if installed is None or installed.system:
        return Result(_NOT_DELETED, code=1)
    context.surface.stop(installed.name)
    context.services.packages.remove(installed.name)
    for keyboard in list(context.services.input_methods.installed):
        if keyboard.startswith(f"{installed.name}/"):
            context.services.input_methods.remove(keyboard)
    return Result("Success\n")


async def _package(context: Context, words: list[str]) -> int:
    match words:
        case ["install", *rest]:
            return await install(context, rest)
        case ["uninstall", *rest]:
            return await context.give(uninstall(context, rest))
    return await context.give(package_command(context, words))


async def pm(context: Context) -> int:
    """`pm install|uninstall|list|path|clear|resolve-activity|query-activities …`."""
    return await _package(context, context.arguments)


async def service_command(context: Context) -> int:
    """`cmd SERVICE …`."""
    if context.arguments[:1] == ["package"]:
        return await _package(context, context.arguments[1:])
    return await context.give(cmd(context))


def run_as(context: Context) -> Result:
    """`run-as PACKAGE COMMAND`: no app on this phone was built for debugging."""
    name = "".join(context.arguments[:1])
    if not name:
        return Result(
            error="run-as: usage: run-as <package-name> [--user <uid>] <command> [<args>]\n", code=1
        )
    is_installed = name in context.services.packages.installed
    return Result(
        error=f"run-as: {'package not debuggable' if is_installed else 'unknown package'}: {name}\n", code=1
    )


RUNNING: dict[str, Running] = {"cmd": service_command, "pm": pm}
