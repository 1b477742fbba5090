from __future__ import annotations

import io
import json
import struct
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from assistant.phone import pictures
from assistant.phone.device import Phone
from assistant.phone.pictures import (
    OcrProcess,
    PictureReader,
    ReadingFailed,
    TextLine,
    find_models,
    picture_texts,
    serve,
)
from assistant.phone.ui_tree import tells_little
from assistant.records import (
    PICTURE_TEXT,
    Bounds,
    Click,
    Element,
    ForegroundApp,
    Observation,
    OpenApp,
    Point,
    Swipe,
)
from assistant.settings.schema import PhoneSettings
from tests.phone.conftest import SETTINGS, Scripted, Simulate, Simulated
from tests.tables import each

APP = ForegroundApp("com.game", ".Main", "Game")
PAY = TextLine("Pay ¥38", Bounds(400, 1800, 680, 1860))
ONE_VIEW = Element(0, -1, "android.view.View", Bounds(0, 0, 1080, 2400), package="com.game")


@cache
def png(*, clock: str = "12:05", title: str = "Level 3", size: tuple[int, int] = (1080, 2400)) -> bytes:
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(48)
    draw.text((40, 10), clock, "black", font)
    draw.text((400, 1000), title, "black", font)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def seen(*elements: Element, picture: bytes = b"", keyboard: bool = False) -> Observation:
    return Observation(1080, 2400, picture or png(), elements, APP, keyboard_shown=keyboard)


def text_view(text: str, top: int, index: int = 1) -> Element:
    return Element(
        index, 0, "android.widget.TextView", Bounds(0, top, 1080, top + 100), text, package="com.game"
    )


class FakeLines:
    """Reads what it was given, and counts."""

    available = True

    def __init__(self, *lines: TextLine, problem: str = "") -> None:
        self.lines = lines
        self.problem = problem
        self.times = 0

    def read(self, picture: bytes) -> Sequence[TextLine]:
        self.times += 1
        if self.problem:
            raise ReadingFailed(self.problem)
        return self.lines


class Clock:
    """Seconds that a test lets pass."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class TestWhichScreensAreRead:
    @each("elements", [(), (ONE_VIEW,), (ONE_VIEW, text_view("Loading", 0))])
    def test_those_that_tell_little(self, elements: tuple[Element, ...]) -> None:
        assert tells_little(seen(*elements))

    def test_words_of_the_system_do_not_count(self) -> None:
        bars = tuple(
            Element(i, -1, "View", Bounds(0, 0, 99, 60), str(i), package="com.android.systemui")
            for i in range(4)
        )
        assert tells_little(seen(*bars))

    def test_a_page_with_words_is_not(self) -> None:
        texts = tuple(text_view(str(place), place * 100, place) for place in range(1, 5))
        assert not tells_little(seen(ONE_VIEW, *texts))

    def test_a_web_view_without_words_in_a_page_with_some_is(self) -> None:
        texts = tuple(text_view(str(place), place * 100, place) for place in range(1, 4))
        web = Element(4, 0, "android.webkit.WebView", Bounds(0, 500, 1080, 2400), package="com.game")
        assert tells_little(seen(ONE_VIEW, *texts, web))
        assert not tells_little(seen(ONE_VIEW, *texts, web, text_view("News", 900, 5)))

    def test_one_that_forbids_pictures_is_not(self) -> None:
        lines = FakeLines(PAY)
        observation = Observation(1080, 2400, png(), (), APP, secure=True)
        assert PictureReader(lines).complete(observation) is observation
        assert not lines.times


class TestWhatBecomesOfLines:
    def test_they_are_marked_and_numbered_behind_the_tree(self) -> None:
        (element,) = picture_texts(seen(ONE_VIEW), [PAY])
        assert (element.index, element.class_name, element.text) == (1, PICTURE_TEXT, "Pay ¥38")
        assert (element.resource_id, element.package) == ("", "com.game")

    def test_the_picture_may_be_smaller_than_the_screen(self) -> None:
        half = TextLine("Pay", Bounds(200, 900, 340, 930))
        (element,) = picture_texts(seen(picture=png(size=(540, 1200))), [half])
        assert element.bounds == Bounds(400, 1800, 680, 1860)

    @each(
        "line",
        [
            TextLine("Q", Bounds(10, 500, 60, 560)),
            TextLine("maybe", Bounds(10, 500, 60, 560), 0.6),
            TextLine("12:05", Bounds(40, 10, 140, 60)),
            TextLine("……", Bounds(10, 500, 60, 560)),
        ],
    )
    def test_icons_doubts_and_the_status_bar_are_left_out(self, line: TextLine) -> None:
        assert picture_texts(seen(), [line]) == ()

    def test_the_digits_of_a_keypad_are_kept(self) -> None:
        (key,) = picture_texts(seen(), [TextLine("7", Bounds(10, 500, 60, 560))])
        assert key.text == "7"

    def test_so_are_the_keys_of_the_keyboard_and_what_the_tree_says(self) -> None:
        assert picture_texts(seen(keyboard=True), [PAY]) == ()
        assert picture_texts(seen(ONE_VIEW, text_view("Pay ¥38", 1780)), [PAY]) == ()

    def test_a_tap_on_a_line_is_a_tap_on_its_words(self) -> None:
        reader = PictureReader(FakeLines(PAY))
        observation = reader.complete(seen(ONE_VIEW))
        target = observation.target_at(Point(0.5, 1830 / 2400))
        assert target is not None
        assert (target.text, target.class_name) == ("Pay ¥38", PICTURE_TEXT)
        beside = observation.target_at(Point(0.5, 0.2))
        assert beside is not None
        assert beside.class_name == "android.view.View"


class TestTheReader:
    def test_one_picture_is_read_once_whatever_the_clock_says(self) -> None:
        lines = FakeLines(PAY)
        reader = PictureReader(lines)
        for clock in ("12:05", "12:06"):
            assert reader.complete(seen(picture=png(clock=clock))).picture_texts[0].text == "Pay ¥38"
        assert lines.times == 1
        reader.complete(seen(picture=png(title="Level 8")))
        assert lines.times == 2

    def test_a_reading_that_fails_leaves_the_screen_unread_and_is_tried_again(self) -> None:
        lines = FakeLines(PAY, problem="too slow")
        reader = PictureReader(lines)
        assert reader.complete(seen()).picture_texts == ()
        assert reader.problem == "too slow"
        lines.problem = ""
        assert reader.complete(seen()).picture_texts
        assert not reader.problem

    def test_what_fails_again_and_again_is_tried_ever_more_rarely(self) -> None:
        lines, clock = FakeLines(PAY, problem="broken"), Clock()
        reader = PictureReader(lines, clock)
        pauses = []
        for times in range(3, 10):
            for _time in range(5):
                reader.complete(seen())
            assert (lines.times, reader.paused, reader.problem) == (times, True, "broken")
            begun = clock.now
            while reader.paused:
                clock.now += 10
            pauses.append(clock.now - begun)
        assert pauses == [60, 120, 240, 480, 900, 900, 900]

    def test_one_reading_that_succeeds_after_the_pause_ends_all_that(self) -> None:
        lines, clock = FakeLines(PAY, problem="too slow"), Clock()
        reader = PictureReader(lines, clock)
        for _time in range(3):
            reader.complete(seen())
        lines.problem = ""
        assert not reader.complete(seen()).picture_texts
        clock.now += 60
        assert reader.complete(seen()).picture_texts
        assert not reader.problem
        lines.problem = "too slow"
        for number in range(4):
            assert reader.paused is (number >= 3)
            reader.complete(seen(picture=png(title=str(number))))
        clock.now += 59
        assert reader.paused, "the pause is as short as the first one was"
        clock.now += 1
        assert not reader.paused

    def test_a_broken_picture_is_not_read(self) -> None:
        reader = PictureReader(FakeLines(PAY))
        assert reader.complete(seen(picture=b"\x89PNG broken")).picture_texts == ()


WORKER = """
import os, sys, json, struct
source, target = sys.stdin.buffer, sys.stdout.buffer
while len(head := source.read(4)) == 4:
    picture = source.read(struct.unpack(">I", head)[0])
    if picture == b"die":
        sys.exit()
    if picture == b"sleep":
        source.read()
    if picture == b"telemetry":
        picture = os.environ.get("ORT_DISABLE_TELEMETRY", "").encode()
    answer = {"problem": "no"} if picture == b"refuse" else {"lines": [[picture.decode(), [1, 2, 3, 4], 1]]}
    target.write(b"noise\\n" if picture == b"babble" else json.dumps(answer).encode() + b"\\n")
    target.flush()
"""


class TestTheProcess:
    @pytest.fixture
    def process(self, tmp_path: Path) -> OcrProcess:
        program = tmp_path / "worker.py"
        program.write_text(WORKER)
        return OcrProcess([sys.executable, str(program)], slowest=5)

    def test_it_answers_picture_after_picture(self, process: OcrProcess) -> None:
        for text in ("a", "b" * 100_000):
            assert process.read(text.encode()) == [TextLine(text, Bounds(1, 2, 3, 4))]
        process.close()

    def test_telemetry_is_off_before_the_library_is_imported(
        self, process: OcrProcess, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
        (line,) = process.read(b"telemetry")
        assert line.text == "1"
        process.close()

    @pytest.mark.parametrize("picture", [b"die", b"babble", b"refuse"])
    def test_what_goes_wrong_is_told_and_the_next_picture_is_read(
        self, process: OcrProcess, picture: bytes
    ) -> None:
        with pytest.raises(ReadingFailed):
            process.read(picture)
        assert process.read(b"a")
        process.close()

    def test_one_that_hangs_is_ended(self, tmp_path: Path) -> None:
        program = tmp_path / "worker.py"
        program.write_text(WORKER)
        process = OcrProcess([sys.executable, str(program)], slowest=0.3)
        with pytest.raises(ReadingFailed):
            process.read(b"sleep")

    def test_it_ends_when_nothing_is_read(self, tmp_path: Path) -> None:
        program = tmp_path / "worker.py"
        program.write_text(WORKER)
        process = OcrProcess([sys.executable, str(program)], idle=0.05)
        process.read(b"a")
        running = process._process
        assert running is not None
        running.wait(5)
        assert process.read(b"b")
        process.close()

    def test_one_that_does_not_start(self) -> None:
        with pytest.raises(ReadingFailed):
            OcrProcess(["/nowhere/python"]).read(b"a")


def test_serving_tells_what_a_library_raises() -> None:
    def recognise(picture: bytes) -> list[TextLine]:
        return [PAY] if picture == b"good" else [][1]

    pictures = b"".join(struct.pack(">I", len(one)) + one for one in (b"good", b"bad"))
    out = io.BytesIO()
    serve(io.BytesIO(pictures), out, recognise)
    good, bad = (json.loads(line) for line in out.getvalue().splitlines())
    assert good == {"lines": [["Pay ¥38", [400, 1800, 680, 1860], 1.0]]}
    assert "IndexError" in bad["problem"]


SCREEN_READER = "com.example/.TalkBack"
WORDS = tuple(
    TextLine(text, Bounds(40, 300 + place, 400, 340 + place))
    for place, text in enumerate(("Chat", "Mail", "Maps", "Clock"))
)


def dumps(one: Simulated) -> int:
    return " ".join(one.requests()).count("uiautomator dump")


@asynccontextmanager
async def with_screen_reader(
    simulate: Simulate, lines: FakeLines, settings: PhoneSettings = SETTINGS
) -> AsyncIterator[tuple[Simulated, Phone]]:
    """A simulated phone with a screen reader on, of which a picture has these lines."""
    async with simulate() as one:
        one.sim.services.settings.secure["enabled_accessibility_services"] = SCREEN_READER
        yield one, Phone(one.adb, one.sim.serial, settings, one.notes, reader=PictureReader(lines))


class TestBesideAScreenReader:
    async def test_screens_are_read_from_their_pictures(self, simulate: Simulate) -> None:
        async with with_screen_reader(simulate, FakeLines(*WORDS)) as (one, phone):
            observation = await phone.observe()
            assert not observation.elements
            assert [element.text for element in observation.picture_texts] == [
                "Chat",
                "Mail",
                "Maps",
                "Clock",
            ]
            await phone.perform(Click(point=Point(0.5, 0.95)), observation)
            await phone.observe()
            assert dumps(one) == 0
            assert phone.spares_trees

    async def test_a_tree_is_read_where_something_depends_on_it(self, simulate: Simulate) -> None:
        async with with_screen_reader(simulate, FakeLines(*WORDS)) as (one, phone):
            observation = await phone.observe()
            whole = await phone.read_tree(observation)
            assert any(element.text == "Chat" for element in whole.elements)
            assert (whole.picture_texts, whole.screenshot) == ((), observation.screenshot)
            assert dumps(one) == 1
            assert (await phone.observe(needs_tree=True)).elements
            before = dumps(one)
            await phone.perform(OpenApp(name="Chat"), observation)
            assert await phone.read_tree(observation) is observation, "it shows another page by now"
            assert dumps(one) == before + 1

    async def test_a_tree_is_read_where_a_text_can_be_typed(self, simulate: Simulate) -> None:
        async with with_screen_reader(simulate, FakeLines(*WORDS)) as (_one, phone):
            await phone.perform(Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.3)), await phone.observe())
            observation = await phone.observe(needs_tree=True)
            field = next(element for element in observation.elements if element.editable)
            await phone.perform(Click(point=observation.point(*field.bounds.centre)), observation)
            observation = await phone.observe()
            assert observation.keyboard_shown
            assert observation.focused_field()

    async def test_a_tree_is_read_where_the_picture_says_too_little(self, simulate: Simulate) -> None:
        async with with_screen_reader(simulate, FakeLines(WORDS[0])) as (_one, phone):
            assert (await phone.observe()).elements

    async def test_trees_are_read_while_no_picture_is(self, simulate: Simulate) -> None:
        lines = FakeLines(problem="too slow")
        async with with_screen_reader(simulate, lines) as (_one, phone):
            for times in (1, 2, 3, 3):
                assert (await phone.observe()).elements
                assert lines.times == times
            assert phone.reading_pause == "too slow"

    async def test_without_reading_no_tree_is_read_ahead_of_an_action(self, simulate: Simulate) -> None:
        async with with_screen_reader(simulate, FakeLines(*WORDS)) as (one, phone):
            phone._reader = None
            one.sim.services.delays.seconds["uiautomator"] = 1.2
            one.sim.services.delays.factor = 1.0
            observation = await phone.observe()
            before = dumps(one)
            await phone.perform(Click(point=Point(0.5, 0.05)), observation)
            assert dumps(one) == before

    async def test_what_is_shown_before_a_turn_is_a_picture(self, simulate: Simulate) -> None:
        async with with_screen_reader(simulate, FakeLines(*WORDS)) as (one, phone):
            observation = await phone.preview()
            assert observation is not None
            assert observation.screenshot
            assert dumps(one) == 0

    async def test_the_next_turn_looks_again_whether_one_is_on(self, simulate: Simulate) -> None:
        async with with_screen_reader(simulate, FakeLines(*WORDS)) as (one, phone):
            await phone.observe()
            await phone.release()
            one.sim.services.settings.secure["enabled_accessibility_services"] = ""
            assert (await phone.observe()).elements
            assert not phone.spares_trees

    async def test_where_the_user_lets_the_helper_silence_it_nothing_is_spared(
        self, simulate: Simulate
    ) -> None:
        settings = PhoneSettings(
            command_deadline=3.0, settle_cap=0.5, resident_helper=True, helper_beside_services=True
        )
        async with with_screen_reader(simulate, FakeLines(*WORDS), settings) as (_one, phone):
            assert (await phone.observe()).elements
            assert not phone.spares_trees
            await phone.release()


EMPTY = '<?xml version="1.0"?><hierarchy rotation="0"></hierarchy>UI hierchary dumped to: /dev/tty\n'


async def test_a_phone_reads_off_the_event_loop_and_tells_the_seconds(scripted: Scripted) -> None:
    scripted.script.on("uiautomator dump", EMPTY)
    scripted.script.on("screencap -p", png())
    threads: list[threading.Thread] = []

    class Watched(FakeLines):
        def read(self, picture: bytes) -> Sequence[TextLine]:
            threads.append(threading.current_thread())
            return super().read(picture)

    phone = scripted.phone()
    phone._reader = PictureReader(Watched(PAY))
    observation = await phone.observe()
    assert [element.text for element in observation.picture_texts] == ["Pay ¥38"]
    assert threads
    assert threading.main_thread() not in threads
    assert phone.reading_seconds > 0
    assert phone.reading_problem == ""


def test_the_setting_switches_it_off(scripted: Scripted) -> None:
    phone = scripted.phone(PhoneSettings(**{**SETTINGS.model_dump(), "read_pictures": False}))
    assert phone.reading_problem is None


@pytest.mark.skipif(find_models() is None, reason="the extra ocr is not installed")
def test_rapidocr_reads_a_drawn_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "find_models", find_models)
    process = OcrProcess()
    reader = PictureReader(process)
    observation = reader.complete(seen(picture=png(title="Search settings")))
    process.close()
    assert [element.text for element in observation.picture_texts] == ["Search settings"]
