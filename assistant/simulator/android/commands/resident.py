"""`app_process`: starts a Java class from a pushed jar: the server of uiautomator2, or that of scrcpy."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import io
import os
import re
from collections.abc import Awaitable, Callable
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from PIL.Image import Image

from assistant.simulator.adbd.backend import ByteReader
from assistant.simulator.android.command import Context, Result
from assistant.simulator.android.profiles import ResidentFault
from assistant.simulator.android.uiautomator2 import Uiautomator2Server

SERVER_CLASS = "com.wetest.uia2.Main"
SCRCPY_CLASS = "com.genymobile.scrcpy.Server"
SCRCPY_VERSION = "4.1"
_RAW = {"tunnel_forward": "true", "audio": "false", "control": "false", "raw_stream": "true"}
"""What a client has to ask for that reads one socket with nothing but H.264 on it."""
_LOOK_EVERY = 0.05
_SENT_TIMES = 2
_RECORD_EVERY = 0.1
_WRONG_VERSION = (
    "java.lang.IllegalArgumentException: The server version ("
    + SCRCPY_VERSION
    + ") does not match the client ({version})\n"
)
_TAKEN = (
    "java.lang.IllegalStateException: UiAutomationService "
    "android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@8a1f2c3 already registered!\n"
    "\tat android.os.Parcel.createExceptionOrNull(Parcel.java:2384)\n"
    "\tat android.app.UiAutomation.connect(UiAutomation.java:268)\n"
)
_STARTING = (
    "[server] INFO: [UiAutomator2Server] Starting Server\n"
    'SLF4J: Failed to load class "org.slf4j.impl.StaticLoggerBinder".\n'
    "SLF4J: Defaulting to no-operation (NOP) logger implementation\n"
    "SLF4J: See http://www.slf4j.org/codes.html#StaticLoggerBinder for further details.\n"
    "[server] INFO: clipboardManager inited\n"
    "[server] INFO: tmpdir is /data/local/tmp/u2\n"
)


async def app_process(context: Context) -> int:
    """`CLASSPATH=JAR app_process / CLASS [-p PORT]`: serves until the client closes the stream."""
    words = [word for word in context.arguments if not word.startswith("-X")]
    if words[1:2] == [SCRCPY_CLASS]:
        return await _scrcpy(context, words[2:])
    match words:
        case [_, class_name, "-p", port] if class_name == SERVER_CLASS and port.isdigit():
            pass
        case [_, class_name] if class_name == SERVER_CLASS:
            port = "9008"
        case _:
            return await context.give(Result(error="Error: unknown command or class\n", code=1))
    jar = context.variables.get("CLASSPATH", "")
    if context.services.files.entry(jar) is None:
        error = f"java.lang.ClassNotFoundException: Didn't find class {class_name!r} on path: {jar}\n"
        return await context.give(Result(error=error, code=1))
    await context.print(_STARTING)
    return await _serve(context, f"tcp:{port}")


async def _serve(context: Context, address: str) -> int:
    services = context.services
    if services.automation or services.quirks.resident is ResidentFault.TAKEN:
        return await context.give(Result(error=_TAKEN, code=1))
    if address in services.sockets:
        return await context.give(Result(error="java.net.BindException: bind failed: EADDRINUSE\n", code=1))
    if services.quirks.resident is ResidentFault.SILENT:
        await asyncio.Event().wait()
    services.automation = "uiautomator2"
    services.sockets[address] = Uiautomator2Server(services, context.surface).serve
    try:
        await context.print(f"[server] INFO: http server listening on *:{address.removeprefix('tcp:')}\n")
        await asyncio.Event().wait()
    finally:
        services.sockets.pop(address, None)
        services.automation = ""
    return 0


async def nc(context: Context) -> int:
    """`nc HOST PORT`: connects input and output with whoever listens in the phone, until that ends."""
    match context.arguments:
        case ["localhost" | "127.0.0.1", port] if port.isdigit():
            listener = context.services.listener(f"tcp:{port}")
        case _:
            return await context.give(Result(error="usage: nc IPADDR PORTNUM\n", code=1))
    if listener is None:
        return await context.give(Result(error=f"nc: connect: {os.strerror(errno.ECONNREFUSED)}\n", code=1))
    await listener(context.streams.stdin, context.print)
    return 0


async def _scrcpy(context: Context, words: list[str]) -> int:
    """The server of scrcpy with a new display, which lasts as long as this process and the video's reader."""
    services = context.services
    if services.files.entry(context.variables.get("CLASSPATH", "")) is None:
        error = f"java.lang.ClassNotFoundException: Didn't find class {SCRCPY_CLASS!r}\n"
        return await context.give(Result(error=error, code=1))
    version, options = (
        words[0] if words else "",
        dict(word.split("=", 1) for word in words[1:] if "=" in word),
    )
    if version != SCRCPY_VERSION:
        return await context.give(Result(error=_WRONG_VERSION.format(version=version), code=1))
    if "new_display" not in options:
        return await _mirror(context, options)
    requested_display = re.fullmatch(r"(\d+)x(\d+)/(\d+)", options.get("new_display", ""))
    if requested_display is None or options.get("tunnel_forward") != "true" or services.profile.level < 29:
        return await context.give(Result(error="[server] ERROR: Could not create display\n", code=1))
    address = f"localabstract:scrcpy_{options['scid']}" if "scid" in options else "localabstract:scrcpy"
    connected, ended = asyncio.Event(), asyncio.Event()

    async def send_video(reader: ByteReader, write: Callable[[bytes], Awaitable[None]]) -> None:
        await write(bytes(1))
        connected.set()
        await reader.read()
        ended.set()

    services.sockets[address] = send_video
    level = services.profile.level
    display = None
    try:
        await context.print(f"[server] INFO: Device: [Example] {services.profile.model}\n")
        await connected.wait()
        display = services.displays.add(
            "scrcpy",
            (int(requested_display[1]), int(requested_display[2])),
            int(requested_display[3]),
            always_unlocked=level >= 33,
            own_focus=level >= 34,
            destroys=options.get("vd_destroy_content", "true") == "true",
        )
        size = "x".join(requested_display.groups()[:2])
        await context.print(
            f"[server] INFO: New display: {size}/{requested_display[3]} (id={display.number})\n"
        )
        leaving = asyncio.create_task(ended.wait())
        try:
            while display.number in services.displays.shown and not leaving.done():
                await asyncio.wait([leaving], timeout=_LOOK_EVERY)
        finally:
            leaving.cancel()
    finally:
        services.sockets.pop(address, None)
        if display is not None:
            services.displays.remove(display.number)
    return 0


async def _mirror(context: Context, options: dict[str, str]) -> int:
    """The server of scrcpy with the phone's own screen: a raw stream of H.264 (scrcpy's doc/develop.md).

    A frame is sent when the screen has changed, and once more a moment later, as encoders do with
    `KEY_REPEAT_PREVIOUS_FRAME_AFTER`.
    """
    if any(options.get(name) != value for name, value in _RAW.items()) or find_spec("av") is None:
        return await context.give(Result(error="[server] ERROR: Video encoding error\n", code=1))
    address = f"localabstract:scrcpy_{options['scid']}" if "scid" in options else "localabstract:scrcpy"
    ended = asyncio.Event()

    async def send_video(reader: ByteReader, write: Callable[[bytes], Awaitable[None]]) -> None:
        closing = asyncio.ensure_future(reader.read())
        encoder, shown, times = VideoEncoder(), b"", 0
        most, pause = int(options.get("max_size", 0)), 1 / float(options.get("max_fps", 60))
        try:
            while not closing.done():
                picture = fitted(context.surface.render().convert("RGB"), most)
                drawn = picture.tobytes()
                times, shown = times + 1 if drawn == shown else 1, drawn
                if times <= _SENT_TIMES:
                    await write(await asyncio.to_thread(encoder.encode, picture))
                await asyncio.wait([closing], timeout=pause)
        finally:
            closing.cancel()
            ended.set()

    context.services.sockets[address] = send_video
    try:
        await ended.wait()
    finally:
        context.services.sockets.pop(address, None)
    return 0


async def screenrecord(context: Context) -> int:
    """`screenrecord [--time-limit SECONDS] [--output-format=h264] FILE`, or `-` for a raw stream of H.264."""
    words = [word for word in context.arguments if not word.startswith("--")]
    options = dict(word.split("=", 1) for word in context.arguments if word.startswith("--") and "=" in word)
    for place, word in enumerate(context.arguments[:-1]):
        if word == "--time-limit":
            options[word] = context.arguments[place + 1]
            words.remove(options[word])
    seconds = options.get("--time-limit", "180")
    if not words or not re.fullmatch(r"\d{1,3}", seconds):
        return await context.give(Result(error="Must specify output file (see --help).\n", code=2))
    if find_spec("av") is None:
        error = "ERROR: unable to create video/avc codec instance\n"
        return await context.give(Result(error=error, code=1))
    raw, clock = VideoEncoder() if words[-1] == "-" else None, context.services.clock
    end, file = clock.uptime() + int(seconds), VideoFile()
    while clock.uptime() < end:
        picture = fitted(context.surface.render().convert("RGB"), 0)
        if raw is not None:
            await context.print(await asyncio.to_thread(raw.encode, picture))
        else:
            await asyncio.to_thread(file.add, picture)
        await clock.sleep(_RECORD_EVERY)
    if raw is not None:
        return 0
    try:
        context.services.files.write(context.path(words[-1]), file.close())
    except OSError as error:
        return await context.give(Result(error=f"ERROR: couldn't open file ({error.strerror})\n", code=1))
    return 0


class VideoFile:
    """Writes pictures of one size as an MP4 file."""

    def __init__(self) -> None:
        self._written = io.BytesIO()
        self._file: Any = import_module("av").open(self._written, "w", format="mp4")
        self._stream: Any = None

    def add(self, picture: Image) -> None:
        """One more picture."""
        if self._stream is None:
            self._stream = self._file.add_stream("libx264", rate=round(1 / _RECORD_EVERY))
            self._stream.width, self._stream.height = picture.size
            self._stream.pix_fmt, self._stream.options = "yuv420p", {"preset": "ultrafast"}
        frame = import_module("av").VideoFrame.from_image(picture.resize(self._size))
        self._file.mux(self._stream.encode(frame))

    @property
    def _size(self) -> tuple[int, int]:
        return self._stream.width, self._stream.height

    def close(self) -> bytes:
        """The file."""
        if self._stream is not None:
            self._file.mux(self._stream.encode(None))
        self._file.close()
        return self._written.getvalue()


class VideoEncoder:
    """Encodes pictures as H.264 with the stream's parameters in it; another size begins another session."""

    def __init__(self) -> None:
        self._codec: Any = None
        self._sent = 0

    def encode(self, picture: Image) -> bytes:
        """The packets for a picture whose sides are even."""
        av = import_module("av")
        if self._codec is None or (self._codec.width, self._codec.height) != picture.size:
            self._codec = av.CodecContext.create("libx264", "w")
            self._codec.width, self._codec.height = picture.size
            self._codec.pix_fmt, self._codec.time_base = "yuv420p", Fraction(1, 60)
            self._codec.options = {"preset": "ultrafast", "tune": "zerolatency"}
        frame = av.VideoFrame.from_image(picture)
        frame.pts, self._sent = self._sent, self._sent + 1
        return b"".join(bytes(packet) for packet in self._codec.encode(frame))


def fitted(picture: Image, most: int) -> Image:
    """A picture within so many pixels (0 for any number), its sides rounded down to multiples of eight."""
    scale = min(1.0, most / max(picture.size)) if most else 1.0
    width, height = (int(side * scale) & ~7 for side in picture.size)
    return picture.resize((width, height))


def md5sum(context: Context) -> Result:
    """`md5sum FILE …`."""
    lines, errors = [], []
    for name in context.arguments:
        try:
            content = context.services.files.read(context.path(name))
        except OSError as error:
            errors.append(f"md5sum: {name}: {error.strerror}\n")
        else:
            lines.append(f"{hashlib.md5(content, usedforsecurity=False).hexdigest()}  {name}\n")
    return Result("".join(lines), "".join(errors), int(bool(errors)))
