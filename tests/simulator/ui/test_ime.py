from __future__ import annotations

from assistant.simulator.android.software import ADB_KEYBOARD
from assistant.simulator.apps.host import Page
from assistant.simulator.ui.keys import Key
from assistant.simulator.ui.window import Window
from tests.simulator.ui.tiny import NOTES, Phone, bounds


def keys(phone: Phone) -> Window:
    return next(window for window in phone.manager.windows() if window.title == "InputMethod")


def press(phone: Phone, *names: str) -> None:
    """Tap keys of the keyboard, which is in no UI tree."""
    for name in names:
        placed = next(
            one for one in keys(phone).placed.walk() if name in (one.node.text, one.node.description)
        )
        phone.manager.tap(*placed.box.centre)


def typed(phone: Phone) -> str | None:
    return phone.find("title").get("text")


def test_the_keyboard_comes_with_focus_and_is_not_in_the_apps_tree(notes: Phone) -> None:
    assert not notes.manager.keyboard_shown()
    assert not notes.manager.type_text("lost")
    notes.tap("title")
    assert notes.manager.keyboard_shown()
    assert notes.manager.field_focused()
    assert notes.find("title").get("focused") == "true"
    assert all(node.get("package") == NOTES for node in notes.nodes())


def test_its_keys_type(notes: Phone) -> None:
    notes.tap("title")
    press(notes, "Shift", "H", "i", "space", "t", "x", "Delete", "?123", "1", "ABC", "o")
    assert typed(notes) == "Hi t1o"


def test_the_action_key_submits_and_hides(notes: Phone) -> None:
    notes.tap("title")
    press(notes, "a", "Enter")
    assert notes.app().state["taps"] == ["submit"]
    assert not notes.manager.keyboard_shown()


def test_it_covers_a_button_until_it_is_closed(notes: Phone) -> None:
    save = bounds(notes.find("Save")).centre
    notes.tap("title")
    notes.manager.tap(*save)
    assert "save" not in notes.app().state["taps"]
    notes.manager.key(Key.BACK)
    assert not notes.manager.keyboard_shown()
    assert notes.manager.field_focused()
    notes.manager.tap(*save)
    assert "save" in notes.app().state["taps"]


def test_its_own_key_hides_it_too(notes: Phone) -> None:
    notes.tap("title")
    press(notes, "Hide keyboard")
    assert not notes.manager.keyboard_shown()


def test_text_goes_to_the_field_even_without_keyboard(notes: Phone) -> None:
    notes.tap("title")
    notes.manager.key(Key.BACK)
    assert notes.manager.type_text("牛肉面")
    assert typed(notes) == "牛肉面"
    notes.manager.key(Key.DELETE)
    assert typed(notes) == "牛肉"
    assert notes.manager.clear_text()
    assert typed(notes) == "Title"


def test_hardware_keys_type_and_submit(notes: Phone) -> None:
    notes.tap("title")
    for code in (29, 8, Key.SPACE, 54):
        notes.manager.key(code)
    assert typed(notes) == "a1 z"
    notes.manager.key(Key.ENTER)
    assert notes.app().state["taps"] == ["submit"]


def test_a_numeric_field_has_digits_and_takes_only_them(notes: Phone) -> None:
    with notes.manager.desk.running(NOTES):
        notes.manager.desk.open(Page("secret"))
    notes.tap("pin")
    press(notes, "2", "5")
    notes.manager.type_text("x8")
    assert notes.find("pin").get("text") == "•••"
    assert notes.manager.desk.focus.field is not None
    assert notes.manager.desk.focus.field.value == "258"


def test_another_input_method_shows_only_a_strip(notes: Phone) -> None:
    notes.tap("title")
    high = keys(notes).content.height
    notes.services.input_methods.current = ADB_KEYBOARD
    assert notes.manager.keyboard_shown()
    assert keys(notes).content.height < high / 3


def test_leaving_the_page_takes_the_focus(notes: Phone) -> None:
    notes.tap("title")
    notes.tap("Open")
    assert not notes.manager.keyboard_shown()
    assert not notes.manager.field_focused()
    notes.manager.key(Key.BACK)
    assert not notes.manager.field_focused()
