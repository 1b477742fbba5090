from __future__ import annotations

from collections.abc import Callable

import pytest
from PIL import Image, ImageChops

from assistant.simulator.apps.host import Page
from assistant.simulator.ui.icons import icon, table
from assistant.simulator.ui.keys import Key
from assistant.simulator.ui.pictures import KINDS, picture, subject
from assistant.simulator.ui.theme import DARK, LIGHT, adapted, luminance, rgb
from tests.simulator.ui.tiny import NOTES, Phone, bounds, make_phone
from tests.tables import each


def differs(one: Image.Image, other: Image.Image) -> bool:
    return ImageChops.difference(one.convert("RGB"), other.convert("RGB")).getbbox() is not None


def test_the_same_state_gives_the_same_picture() -> None:
    one, other = make_phone(), make_phone()
    for phone in (one, other):
        phone.manager.start(NOTES)
        phone.tap("title")
        phone.manager.type_text("牛肉面 noodles")
    assert one.manager.render().tobytes() == other.manager.render().tobytes()
    assert one.manager.render().mode == "RGBA"


def test_a_frame_is_kept_until_something_changes(notes: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    first = notes.manager.render()
    monkeypatch.setattr("assistant.simulator.ui.draw.frame", lambda *_: pytest.fail("drawn again"))
    assert notes.manager.render().tobytes() == first.tobytes()


def test_a_caller_may_scribble_on_its_picture(notes: Phone) -> None:
    notes.manager.render().paste((1, 2, 3), (0, 0, 1080, 2400))
    assert notes.manager.render().getpixel((540, 1200)) != (1, 2, 3, 255)


@pytest.mark.parametrize(
    "change",
    [
        lambda phone: phone.tap("title"),
        lambda phone: phone.tap("Ask"),
        lambda phone: phone.manager.expand("notifications"),
        lambda phone: phone.manager.key(Key.RECENTS),
        lambda phone: phone.manager.desk.toast("Saved"),
        lambda phone: phone.manager.swipe(540, 1500, 540, 1200, 300),
        lambda phone: phone.services.set_setting("ui_night_mode", "2"),
        lambda phone: phone.services.set_setting("wifi_on", "0"),
        lambda phone: phone.clock.advance(60),
    ],
)
def test_every_change_shows(notes: Phone, change: Callable[[Phone], object]) -> None:
    before = notes.manager.render()
    change(notes)
    assert differs(before, notes.manager.render())


def test_a_toast_goes_by_itself_and_is_in_no_tree(notes: Phone) -> None:
    before = notes.manager.render()
    notes.manager.desk.toast("Saved")
    assert "Saved" not in notes.texts()
    notes.manager.render()
    notes.clock.advance(4)
    assert not differs(before, notes.manager.render())


def test_a_secure_page_is_black_and_its_tree_is_readable(notes: Phone) -> None:
    with notes.manager.desk.running(NOTES):
        notes.manager.desk.open(Page("secret"))
    assert notes.manager.secure()
    assert notes.manager.render().getcolors() == [(1080 * 2400, (0, 0, 0, 255))]
    assert notes.find("pin") is not None
    notes.manager.expand("notifications")
    assert not notes.manager.secure()
    assert notes.manager.render().getcolors(16) is None


def test_a_wheel_turns_with_the_clock(notes: Phone) -> None:
    with notes.manager.desk.running(NOTES):
        notes.manager.desk.open(Page("loading"))
    before = notes.manager.render()
    notes.clock.advance(0.3)
    assert differs(before, notes.manager.render())


def test_rows_scrolled_under_a_bar_do_not_paint_over_it(notes: Phone) -> None:
    title = bounds(notes.find("title"))
    before = notes.manager.render().crop(title)
    notes.manager.swipe(540, 1500, 540, 1430, 300)
    assert not differs(before, notes.manager.render().crop(title))


def test_dark_is_dark(notes: Phone) -> None:
    light = notes.manager.render().convert("L").resize((1, 1)).getpixel((0, 0))
    notes.services.set_setting("ui_night_mode", "2")
    dark = notes.manager.render().convert("L").resize((1, 1)).getpixel((0, 0))
    assert isinstance(light, int)
    assert isinstance(dark, int)
    assert dark < 60 < 200 < light


@each("name", sorted(table().shapes))
def test_every_pictogram_draws_something(name: str) -> None:
    assert icon(name, 48).getbbox() is not None


def test_aliases_lead_to_pictograms_and_unknown_names_to_letters() -> None:
    assert set(table().aliases.values()) <= set(table().shapes)
    assert icon("mic", 48) == icon("microphone", 48)
    assert icon("zebra", 48) != icon("yak", 48)


@each("seed", ["", "beef noodles", "Oat latte", "icon Maps", "icon", *(f"{kind} 1" for kind in KINDS)])
def test_pictures_have_their_size_and_depend_on_their_seed_alone(seed: str) -> None:
    drawn = picture(seed, 300, 120)
    assert drawn.size == (300, 120)
    picture.cache_clear()
    assert picture(seed, 300, 120) == drawn
    assert picture(seed, 1, 1).size == (1, 1)


def test_words_of_a_seed_choose_what_its_picture_shows() -> None:
    assert subject("Beef noodles") == "dish"
    assert subject("Oat latte") == ":cup"
    assert subject("face Rice Watch") == "face"
    assert subject("Running shoes") == ":walk"
    assert subject("town map") == "map"
    assert subject("蓝天") == ""


def test_colours() -> None:
    assert rgb("#fff") == (255, 255, 255)
    with pytest.raises(ValueError, match="not a colour"):
        rgb("red")
    assert luminance(adapted((255, 255, 255), dark=True)) < 0.3
    assert adapted((26, 115, 232), dark=True) == (26, 115, 232)
    assert adapted((1, 2, 3), dark=False) == (1, 2, 3)
    assert luminance(DARK.window) < luminance(LIGHT.window)
