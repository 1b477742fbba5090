"""What an approval shows: the picture of the element, what the action would do, and all of a long text."""

from __future__ import annotations

import pytest

from assistant.events import ActionKind
from assistant.records import Bounds, Click, Element, ForegroundApp, Point, Target, TypeText
from assistant.settings.schema import InterfaceSettings, Picture, Settings
from assistant.tui.widgets.turn_panel import StepList
from tests.tui.scripted import ScriptedEngine, lunch

from .app_fixture import Desk, open_desk
from .sample_screens import pay_button

CHOICES = (
    "1  yes, this once",
    "2  no, pause here",
    "3  yes, and pay Corner Noodle House again this turn, at most ¥32.00 each",
    "4  no, do this instead: …",
    "1–4, y, n or ↓ marks, then enter gives it   space: details",
)


def rows_of_the_box(desk: Desk) -> list[str]:
    """The rows of the box with half blocks, which only the picture beside the words draws there."""
    region = desk.app.main.decision.region
    return [line for line in desk.lines[region.y : region.bottom] if "▀▀▀▀" in line[: region.right]]


def with_half_blocks() -> ScriptedEngine:
    return ScriptedEngine(settings=Settings(interface=InterfaceSettings(picture=Picture.BLOCKS)))


async def test_without_pixels_a_small_picture_that_cannot_be_read_is_left_out() -> None:
    async with open_desk(size=(160, 50)) as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(4, crop=pay_button())
        await desk.settle()
        assert rows_of_the_box(desk) == []


@pytest.mark.parametrize(("size", "rows"), [((80, 18), 4), ((80, 24), 5), ((160, 50), 6)])
async def test_an_approval_shows_everything_it_is_about(size: tuple[int, int], rows: int) -> None:
    async with open_desk(with_half_blocks(), size=size) as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(4, crop=pay_button())
        await desk.settle()
        for words in ("Needs your approval", "Pay?", "PayBox", "Corner Noodle House", "tap “Pay ¥32.00”"):
            assert words in desk.text
        for choice in CHOICES[: None if size[1] > 18 else -1]:
            assert choice in desk.text
        assert len(rows_of_the_box(desk)) == rows


async def test_the_picture_gives_way_to_a_smaller_window_and_comes_back() -> None:
    async with open_desk(with_half_blocks(), size=(160, 50)) as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(4, crop=pay_button())
        await desk.settle()
        for size, rows in (((80, 18), 4), ((60, 18), 0), ((160, 50), 6)):
            await desk.pilot.resize_terminal(*size)
            await desk.settle()
            assert len(rows_of_the_box(desk)) == rows
            assert CHOICES[0] in desk.text


async def test_a_long_text_is_more_than_the_picture() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(4, kind=ActionKind.SEND, text="word " * 90, crop=pay_button())
        await desk.settle()
        assert rows_of_the_box(desk) == []
        for choice in (
            "1  yes, this once",
            "2  no, pause here",
            "3  yes, and such sends and calls",
            "4  yes, always",
            "5  no, do this instead",
        ):
            assert choice in desk.text


async def test_what_cannot_be_drawn_takes_no_room() -> None:
    async with open_desk(size=(160, 50)) as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(4, crop=b"no picture")
        await desk.settle()
        assert rows_of_the_box(desk) == []


async def test_no_picture_is_drawn_where_pictures_are_off() -> None:
    engine = ScriptedEngine(Settings(interface=InterfaceSettings(picture=Picture.OFF)))
    async with open_desk(engine, size=(160, 50)) as desk:
        lunch(engine)
        engine.ask_approval(4, crop=pay_button())
        await desk.settle()
        assert rows_of_the_box(desk) == []


async def test_ids_are_behind_the_space_key() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(4)
        await desk.settle()
        assert "id/pay" not in desk.text
        await desk.press("space")
        assert "id/pay" in desk.text
        await desk.press("space")
        assert "id/pay" not in desk.text


async def test_what_stands_above_keeps_its_width_while_something_is_asked() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        steps = desk.app.main.query_one(StepList)
        before = steps.region
        decision = desk.engine.ask_approval(4)
        await desk.settle()
        assert steps.region.height < before.height
        assert steps.region.width == before.width
        decision.cancel()
        await desk.settle()
        assert steps.region == before


async def test_a_tap_on_send_shows_what_is_written_in_the_field() -> None:
    field = Element(0, -1, "android.widget.EditText", Bounds(0, 0, 9, 9), text="I will be late\x1b[2J")
    secret = Element(1, -1, "android.widget.EditText", Bounds(0, 0, 9, 9), text="hunter2", password=True)
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.observe(5, elements=(field, secret))
        desk.engine.ask_approval(5, kind=ActionKind.SEND)
        await desk.settle()
        assert "I will be late" in desk.text
        assert "hunter2" not in desk.text


async def test_an_approval_says_what_it_would_do_before_the_details() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(5, sentence="Pays ¥32.00 to Corner\x1b[2J Noodle House", text="late")
        await desk.settle()
        assert "│ Pays ¥32.00 to Corner Noodle House" in desk.text
        assert "late" in desk.text


@pytest.mark.parametrize("height", [21, 24])
async def test_what_a_system_dialog_asks_for_is_shown_whole(height: int) -> None:
    package = "com.android.permissioncontroller"
    app = ForegroundApp(package, f"{package}.permission.ui.GrantPermissionsActivity", "Permission controller")
    allow = Target(resource_id=f"{package}:id/allow", class_name="android.widget.Button", text="Allow")
    tap = Click(point=Point(0.5, 0.9), content="Allow (Allow Phone to read your contacts?)", target=allow)
    sentence = "Grants a permission: allow Phone to read your contacts?"
    async with open_desk(size=(80, height)) as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(5, tap, ActionKind.GRANT, app, sentence, crop=pay_button())
        await desk.settle()
        for words in (
            "Grants a permission: allow Phone",
            "Permission controller",
            "tap",
            "1  yes, this once",
            "no, pause here",
        ):
            assert words in desk.text


async def test_the_text_to_be_sent_is_shown_whole_and_scrolls_under_a_pinned_row() -> None:
    text = "\n".join(f"line {number} of the message" for number in range(40))
    async with open_desk(size=(80, 18)) as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(4, TypeText(text=text), ActionKind.SEND)
        await desk.settle()
        assert "Send or call?" in desk.text
        assert "line 0 of the message" in desk.text
        assert "line 39" not in desk.text
        await desk.press("pagedown")
        assert "line 4 of the message" in desk.text
        desk.app.main.query_one("#decision-body").scroll_end(animate=False)
        await desk.settle()
        assert "line 39 of the message" in desk.text
        assert "1  yes, this once" in desk.text


async def test_a_tall_approval_says_how_much_of_it_lies_below_and_keeps_its_answers() -> None:
    texts = tuple(f"text {number} on the page of this payment" for number in range(12))
    # Rows fewer than 24: the demo has a line more at its top, and turns before it.
    async with open_desk(size=(80, 22)) as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(4, sentence="Pays ¥32.00.", page_words=texts, pages_before=("Shop", "Dish"))
        await desk.settle()
        box = desk.app.main.decision.region
        shown = "\n".join(desk.lines[box.y : box.bottom])
        for words in ("Price", "¥32.00", "Corner Noodle House", "text 0 on", "more ▾", *CHOICES):
            assert words in shown
        assert "Shop › Dish" not in shown
        assert "Needs your approval" in desk.text
        for _page in range(3):
            await desk.press("pagedown")
        shown = "\n".join(desk.lines[box.y : box.bottom])
        for words in ("Shop › Dish", "more ▴", *CHOICES):
            assert words in shown


@pytest.mark.parametrize("crop", [b"", pay_button()], ids=["no picture", "picture"])
async def test_an_approval_that_is_shown_whole_says_of_no_more(crop: bytes) -> None:
    async with open_desk(size=(160, 50)) as desk:
        lunch(desk.engine)
        await desk.settle()
        desk.engine.ask_approval(4, sentence="Pays ¥32.00.", page_words=("Office", "Beef " * 30), crop=crop)
        await desk.settle()
        assert "tap “Pay ¥32.00”" in desk.text
        assert "more ▾" not in desk.text
        assert "more ▴" not in desk.text


async def test_a_small_window_says_above_the_terms_that_there_are_more() -> None:
    async with open_desk(size=(40, 12)) as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(4, kind=ActionKind.SEND, sentence="Sends to Dad.", text="hello " * 20)
        await desk.settle()
        assert "page down:" in desk.lines[desk.app.main.decision.region.y]
        await desk.pilot.resize_terminal(80, 30)
        await desk.settle()
        assert "page down:" not in desk.lines[desk.app.main.decision.region.y]


async def test_an_approval_that_lacks_a_line_or_two_is_shown_whole() -> None:
    async with open_desk(size=(80, 24)) as desk:
        lunch(desk.engine)
        desk.engine.ask_approval(
            4, sentence="Pays ¥32.00.", page_words=("a note " * 20,), pages_before=("Shop", "Dish")
        )
        await desk.settle()
        shown = desk.text
        for words in ("¥32.00", "Shop › Dish", *CHOICES):
            assert words in shown
        assert "more ▾" not in shown
        assert "order my usual lunch" in shown
