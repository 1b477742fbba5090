"""What a terminal that knows Kitty graphics or Sixel is written, on a real terminal line."""

from __future__ import annotations

import re

import pytest

from assistant.records import Point
from assistant.settings.schema import Picture
from assistant.tui.terminal_probe import ImageTerminal

from .image_protocols import WiredApp, on_the_wire, pictures
from .sample_screens import phone_picture

SHOT = phone_picture()


def sent(text: str) -> list[str]:
    return re.findall(r"\x1b_Ga=T[^;]*,i=(\d+),", text)


def deleted(text: str) -> list[str]:
    return re.findall(r"\x1b_Ga=d,d=I,i=(\d+),", text)


async def test_kitty_pictures_are_sent_once_and_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    app = WiredApp(ImageTerminal(Picture.KITTY))
    async with on_the_wire(app, monkeypatch) as wire:
        app.picture.draw_picture(SHOT)
        await wire.until(lambda text: text.count("\U0010eeee") >= 32)
        # The terminal has the picture before it is asked to show it.
        assert wire.written.index("\x1b_Ga=T") < wire.written.index("\U0010eeee")
        app.picture.draw_picture(SHOT)
        await wire.settled()
        first = sent(wire.written)
        assert len(first) == 1
        assert not deleted(wire.written)
        app.picture.draw_picture(SHOT, [Point(0.5, 0.5)])
        await wire.until(deleted)
        assert deleted(wire.written) == first
        assert len(set(sent(wire.written))) == 2
        # In a picture of the screen there are half blocks.
        assert "▀" in app.export_screenshot()
        assert "\U0010eeee" not in app.export_screenshot()

        start = len(wire.written)
        wire.type("\x1bOQ")
        above = await wire.shows("above", start)
        await wire.settled()
        assert "\U0010eeee" not in above
        app.pop_screen()
        await wire.shows("\U0010eeee", len(wire.written))
        wire.type("\x1bOR")
        await wire.until(lambda text: len(deleted(text)) == 2)
        wire.type("\x1bOR")
        await wire.until(lambda text: len(sent(text)) == 3)
    left = wire.written.index("\x1b[?1049l")
    assert sorted(sent(wire.written)) == sorted(deleted(wire.written[:left]))


async def test_sixel_pictures_are_written_where_they_are_seen_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    app = WiredApp(ImageTerminal(Picture.SIXEL))
    async with on_the_wire(app, monkeypatch) as wire:
        app.picture.draw_picture(SHOT)
        await wire.until(pictures)
        # Eight rows of 16 pixels, of 7 columns of 8; the border and the room beside it come before.
        assert '"1;1;56;128' in pictures(wire.written)[0]
        assert pictures(wire.written)[0].startswith("\x1b7\x1b[2;27H")
        app.picture.draw_picture(SHOT)
        await wire.settled()
        assert len(pictures(wire.written)) == 1

        # Under a screen, and under a patch on one corner, there are half blocks.
        for number, (key, shown) in enumerate((("\x1bOQ", "above"), ("\x1bOS", "patch"))):
            before = len(wire.written)
            wire.type(key)
            await wire.shows(shown, before)
            app.picture.draw_picture(SHOT, [Point(0.1, 0.1 * number)])
            await wire.settled()
            assert not pictures(wire.written[before:])
            wire.type("\x1b[24~" if shown == "above" else key)
            await wire.until(pictures, before)
    assert wire.written.rindex("\x1bP") < wire.written.index("\x1b[?1049l")


async def test_half_blocks_need_no_more_than_text(monkeypatch: pytest.MonkeyPatch) -> None:
    app = WiredApp(ImageTerminal())
    async with on_the_wire(app, monkeypatch) as wire:
        app.picture.draw_picture(SHOT, [Point(0.5, 0.5)])
        await wire.until(lambda text: "▀" in text and "◎" in text)
    assert "\x1b_G" not in wire.written
    assert "\x1bP" not in wire.written
