"""What the scripted model sees of a picture when it is told nothing of it; the words are given, not read."""

from __future__ import annotations

import base64
import io
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import aiohttp
import pytest
from PIL import Image, ImageDraw

from assistant.simulator.model import server
from assistant.simulator.model.client import ScriptedModelClient
from assistant.simulator.model.eye import Line, PatientReader, look
from assistant.simulator.model.options import ControlChange, ModelOptions
from assistant.simulator.model.screen import Item, Screen
from assistant.simulator.model.server import ScriptedModel
from assistant.simulator.model.understanding import read_request
from tests.simulator.model.prompt import body, observation

SIZE = (1080, 2400)


def words(text: str, left: int, top: int, width: int = 300) -> Line:
    return Line(text, left, top, left + width, top + 60)


class Page:
    """A page that is drawn, and its words."""

    def __init__(self) -> None:
        self.picture = Image.new("RGB", SIZE, (250, 250, 254))
        self.draw = ImageDraw.Draw(self.picture)
        self.lines: list[Line] = []

    def write(self, line: Line, ink: tuple[int, int, int] = (20, 20, 20)) -> None:
        for x in range(line.left, line.right, 12):
            self.draw.rectangle((x, line.top + 8, x + 5, line.bottom - 8), ink)
        self.lines.append(line)

    def box(
        self,
        bounds: tuple[int, int, int, int],
        fill: tuple[int, int, int] | None = None,
        outline: tuple[int, int, int] = (215, 217, 224),
    ) -> None:
        self.draw.rounded_rectangle(bounds, 24, fill, outline, 4)

    @property
    def png(self) -> bytes:
        stream = io.BytesIO()
        self.picture.save(stream, "PNG")
        return stream.getvalue()

    def seen(self, *, keyboard: bool = False) -> list[Item]:
        told = Screen(app="Chat", package="com.example.chat", keyboard=keyboard)
        screen = look(self.png, told, lambda picture: self.lines)
        assert (screen.app, screen.package) == ("Chat", "com.example.chat")
        return list(screen.items)


@pytest.fixture
def page() -> Page:
    return Page()


def test_a_title_is_read_and_a_row_is_called_by_its_lines(page: Page) -> None:
    page.write(words("Chat", 40, 120))
    page.write(words("Mom", 180, 640))
    page.write(words("Take a scarf.", 180, 705, 500))
    page.write(words("08:15", 945, 675, 105))

    assert [(item.kind, item.label, item.tappable) for item in page.seen()] == [
        ("text", "Chat", False),
        ("item", "Mom · Take a scarf. · 08:15", True),
    ]


def test_a_field_is_a_wide_box_with_room_behind_its_words_and_a_strong_outline_is_focus(page: Page) -> None:
    page.box((140, 2140, 800, 2260))
    page.write(words("Message", 180, 2170, 160), (150, 150, 155))
    page.box((140, 1540, 800, 1660), outline=(30, 90, 220))
    page.write(words("I will be late|", 180, 1570))

    late, message = sorted(page.seen(), key=lambda item: item.point.y)
    assert (message.kind, message.label, message.hint) == ("field", "", "Message")
    assert "focused" not in message.flags
    assert (late.kind, late.label) == ("field", "I will be late")
    assert "focused" in late.flags


def test_filled_boxes_are_buttons_and_pale_ones_with_pale_words_cannot_be_used(page: Page) -> None:
    page.box((40, 1000, 1040, 1120), fill=(245, 124, 0), outline=(245, 124, 0))
    page.write(words("Add to cart", 420, 1030), (255, 255, 255))
    page.box((700, 1300, 1040, 1420), fill=(226, 227, 230), outline=(226, 227, 230))
    page.write(words("Check out", 740, 1330, 260), (170, 171, 175))

    add, out = page.seen()
    assert (add.kind, add.label, add.tappable) == ("button", "Add to cart", True)
    assert (out.kind, out.label, out.tappable) == ("button", "Check out", False)


@pytest.mark.parametrize("on", [True, False])
def test_the_box_before_a_row_is_seen_and_whether_it_is_ticked(page: Page, on: bool) -> None:
    strong = (245, 124, 0)
    page.draw.rectangle((44, 1650, 104, 1710), strong if on else None, strong if on else (60, 60, 60), 6)
    page.write(words("No coriander", 140, 1650))

    row, box = page.seen()
    assert row.label == "No coriander"
    assert (box.kind, box.on) == ("checkbox", on)
    assert box.point.x == pytest.approx(74 / 1080, abs=0.01)


def test_neither_the_clock_of_the_phone_nor_the_keys_of_the_keyboard_are_read(page: Page) -> None:
    page.write(words("12:05", 40, 12))
    page.write(words("Mom", 180, 640))
    page.write(words("q", 40, 1800))

    assert [item.label for item in page.seen(keyboard=True)] == ["Mom"]


@pytest.mark.parametrize(("text", "name"), [("×", "iv close"), ("←", "back")])
def test_a_few_icons_are_read_as_signs(page: Page, text: str, name: str) -> None:
    page.write(words(text, 980, 120, 50))
    (item,) = page.seen()
    assert (item.kind, item.label, item.tappable) == ("button", name, True)


async def test_a_request_with_a_picture_alone_is_answered_by_what_is_read_in_it(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.box((40, 1000, 1040, 1120), fill=(245, 124, 0), outline=(245, 124, 0))
    page.write(words("Skip", 420, 1030), (255, 255, 255))
    read: list[bytes] = []

    def reader(picture: bytes) -> Sequence[Line]:
        read.append(picture)
        return page.lines

    monkeypatch.setattr(server, "load_reader", lambda: reader)
    seen = observation([], package="com.example.eats", app="Eats")
    asked: dict[str, Any] = body("order beef noodles", seen, dialect="qwen3_vl")
    address = "data:image/png;base64," + base64.b64encode(page.png).decode()
    content = asked["messages"][-1]["content"]
    content[-1] = {"type": "image_url", "image_url": {"url": address}}
    asked["model"] = "Qwen3-VL-8B"
    content[0]["text"] = content[0]["text"].partition("\nScreen_description")[0]
    assert read_request(asked).blind

    async with (
        ScriptedModel(ModelOptions()) as model,
        ScriptedModelClient(model.address.base_url) as control,
        aiohttp.ClientSession() as session,
    ):
        await control.change(ControlChange(reads=True))
        async with session.post(f"{model.address.base_url}/chat/completions", json=asked) as reply:
            said = (await reply.json())["choices"][0]["message"]["content"]

    assert read == [page.png]
    assert "Tap “Skip”." in said
    assert '"click"' in said


def test_a_picture_is_read_once_for_all_who_give_up_and_ask_again() -> None:
    begun, may_end = threading.Event(), threading.Event()
    read: list[bytes] = []
    loaded: list[int] = []

    def reader(picture: bytes) -> Sequence[Line]:
        read.append(picture)
        begun.set()
        assert may_end.wait(10)
        return [words(picture.decode(), 0, 0)]

    def load() -> Callable[[bytes], Sequence[Line]]:
        loaded.append(1)
        return reader

    patient = PatientReader(load)
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(patient, b"Chat")
        assert begun.wait(10)
        again = [pool.submit(patient, b"Chat") for _ in range(3)]
        may_end.set()
        said = [future.result(10)[0].text for future in (first, *again)]

    assert said == ["Chat"] * 4
    assert read == [b"Chat"]
    assert patient(b"Clock")[0].text == "Clock"
    assert read == [b"Chat", b"Clock"]
