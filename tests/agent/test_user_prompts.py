from __future__ import annotations

import io
from datetime import UTC, datetime

from PIL import Image

from assistant.agent.turn_control import crop_around
from assistant.events import ActionKind
from assistant.records import Bounds, ForegroundApp, Observation

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)
EATS = ForegroundApp("com.example.eats", ".Main", "Eats")
CHAT = ForegroundApp("com.example.chat", ".Main", "Chat")
PAY, SEND = ActionKind.PAY, ActionKind.SEND


def test_the_crop_shows_the_element_and_what_is_around_it() -> None:
    picture = Image.new("RGB", (100, 200), "white")
    picture.paste("red", (40, 100, 60, 110))
    out = io.BytesIO()
    picture.save(out, "PNG")
    observation = Observation(200, 400, out.getvalue(), ())
    with Image.open(io.BytesIO(crop_around(observation, Bounds(80, 200, 120, 220)))) as crop:
        assert crop.width == 100
        assert 20 < crop.height < 60
        assert crop.getpixel((50, crop.height // 2)) == (255, 0, 0)


def test_no_crop_where_there_is_no_picture() -> None:
    somewhere = Bounds(0, 0, 10, 10)
    assert crop_around(Observation(10, 10, b"", ()), somewhere) == b""
    assert crop_around(Observation(10, 10, b"nonsense", ()), somewhere) == b""
    assert crop_around(Observation(10, 10, b"x", (), secure=True), somewhere) == b""
    assert crop_around(Observation(10, 10, b"x", ()), None) == b""
