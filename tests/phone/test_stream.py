"""The screen of a simulated phone as it changes: scrcpy's raw stream over real adb, and its decoder."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

from assistant.doctor import stream_findings
from assistant.phone import displays
from assistant.phone.adb import AdbServer
from assistant.phone.displays import StreamEnded, say_stream, stream_screen
from assistant.phone.pictures import VIDEO_COMMAND
from assistant.settings.schema import PhoneSettings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.android.profiles import Release
from assistant.simulator.apps.base import Difficulties
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.phone.scripted import until
from tests.worlds import DENSITY, SIZE, START

pytest.importorskip("av")

LIMIT = 30.0
_ALIKE = 6.0
"""The mean difference, of 255, below which a picture shows what was drawn; other pages differ by more."""


@dataclass
class Stage:
    """A simulated phone whose screen may be streamed."""

    phone: SimulatedPhone
    adb: AdbServer
    settings: PhoneSettings

    def frames(self) -> AsyncGenerator[bytes]:
        return stream_screen(self.phone.serial, self.settings)

    def difference(self, frame: bytes) -> float:
        """How far a frame is from what the phone shows."""
        picture = Image.open(io.BytesIO(frame))
        drawn = self.phone.windows.render().convert("RGB").resize(picture.size)
        return sum(ImageStat.Stat(ImageChops.difference(picture, drawn)).mean) / 3

    @property
    def is_served(self) -> bool:
        return any(name.startswith("localabstract:scrcpy") for name in self.phone.services.sockets)


@asynccontextmanager
async def staged(adb_port: int, folder: Path, android: Release = 16) -> AsyncIterator[Stage]:
    server = folder / "scrcpy-server"
    server.write_bytes(b"dex")
    adb = AdbServer("127.0.0.1", adb_port)
    options = PhoneOptions(
        start=START, size=SIZE, density=DENSITY, difficulties=Difficulties.none(), android=android
    )
    async with SimulatedPhone(options) as phone:
        await adb.connect(phone.serial)
        settings = PhoneSettings(
            serial=phone.serial, adb_port=adb_port, stream=True, scrcpy_server=str(server)
        )
        yield Stage(phone, adb, settings)
        await adb.disconnect(phone.serial)


async def test_the_newest_picture_shows_what_the_phone_does(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with asyncio.timeout(LIMIT), staged(adb_server.port, tmp_path) as stage:
        async with aclosing(stage.frames()) as frames:
            first = await anext(frames)
            assert Image.open(io.BytesIO(first)).format == "JPEG"
            assert max(Image.open(io.BytesIO(first)).size) <= 800
            assert stage.difference(first) < _ALIKE
            stage.phone.windows.start("com.example.clock")
            assert stage.difference(first) > _ALIKE
            async for frame in frames:
                if stage.difference(frame) < _ALIKE:
                    break
            stage.phone.person.rotate(1)
            async for frame in frames:
                width, height = Image.open(io.BytesIO(frame)).size
                if width > height and stage.difference(frame) < _ALIKE:
                    break
        await until(lambda: not stage.is_served, LIMIT)


async def test_a_phone_that_goes_ends_the_stream_in_words(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with asyncio.timeout(LIMIT), staged(adb_server.port, tmp_path) as stage:
        async with aclosing(stage.frames()) as frames:
            await anext(frames)
            await stage.adb.disconnect(stage.phone.serial)
            with pytest.raises(StreamEnded, match="sends none"):
                _rest = [frame async for frame in frames]
        with pytest.raises(StreamEnded):
            await anext(stage.frames())


@pytest.mark.parametrize("program", ["import sys; sys.exit(3)", "import os; os.kill(os.getpid(), 11)"])
async def test_a_decoder_that_crashes_ends_the_stream_in_words(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setattr(displays, "VIDEO_COMMAND", (*VIDEO_COMMAND[:3], program))
    async with asyncio.timeout(LIMIT), staged(adb_server.port, tmp_path) as stage:
        with pytest.raises(StreamEnded, match="sends none"):
            await anext(stage.frames())
        await until(lambda: not stage.is_served, LIMIT)


async def test_what_is_no_video_gives_no_picture_and_harms_nothing(tmp_path: Path) -> None:
    decoder = await asyncio.create_subprocess_exec(
        *VIDEO_COMMAND, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    noise = b"\x00\x00\x00\x01\x67" + bytes(range(256)) * 400
    written, _errors = await decoder.communicate(noise)
    assert written == b""
    assert decoder.returncode == 0


async def test_why_there_is_no_stream_is_said(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with staged(adb_server.port, tmp_path, android=9) as stage:
        assert "before Android 12" in await say_stream(stage.settings, stage.phone.serial)
        with pytest.raises(StreamEnded, match="before Android 12"):
            await anext(stage.frames())
        gone = stage.settings.model_copy(update={"scrcpy_server": str(tmp_path / "none")})
        assert "scrcpy-server was not found" in await say_stream(gone, stage.phone.serial)
        monkeypatch.setattr(displays, "VIDEO_PACKAGE", "no_such_package")
        assert "assistant[stream]" in await say_stream(stage.settings, stage.phone.serial)


async def test_a_phone_that_can_is_said(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    async with staged(adb_server.port, tmp_path, android=12) as stage:
        assert "in the panel's picture during a turn" in await say_stream(stage.settings, stage.phone.serial)
        off = stage.settings.model_copy(update={"stream": False})
        assert "phone.stream is off, nothing else is missing" in await say_stream(off, stage.phone.serial)


async def test_the_doctor_names_it_where_it_is_on_or_could_be(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with staged(adb_server.port, tmp_path, android=12) as stage:
        off = stage.settings.model_copy(update={"stream": False})
        gone = {"scrcpy_server": str(tmp_path / "none")}
        cases = (
            (stage.settings, "in the panel's picture"),
            (off, "nothing else is missing"),
            (stage.settings.model_copy(update=gone), "scrcpy-server was not found"),
        )
        for settings, words in cases:
            (check,) = await stream_findings(settings, stage.phone.serial)
            assert check.good
            assert words in check.line()
        assert not await stream_findings(off.model_copy(update=gone), stage.phone.serial)
