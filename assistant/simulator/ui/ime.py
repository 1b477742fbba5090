"""The input method: its keyboard as a window, and what keys and commands do to the field with focus."""

from __future__ import annotations

from collections.abc import Callable

from assistant.records import Bounds
from assistant.simulator.android.software import USER_KEYBOARD
from assistant.simulator.ui.desk import Desk
from assistant.simulator.ui.metrics import Screen
from assistant.simulator.ui.nodes import Align, Node, Style, TextField
from assistant.simulator.ui.parts import FRAME, TEXT, label, row
from assistant.simulator.ui.window import Backdrop, Window, full_window

LETTERS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
SYMBOLS = ("1234567890", "@#¥_&-+()/", "*\"':;!?,.")
DIGITS = ("123", "456", "789", "*0#")
_SYLLABLES = (
    "a ai an ba bu da de e er fan ge guo hao he hen ji jin ke la le li lu ma mi mo na ni "
    "nu o pa re run sa se shi ta te tian tu wei wo xi ya yao ye yi you zai"
)
_CHARACTERS = (
    "啊爱安吧不大的饿而饭个国好和很几今可啦了里路吗米摸那你女哦怕热润撒色是他特天图为我喜呀要也一有在"
)
CANDIDATES = dict(zip(_SYLLABLES.split(), _CHARACTERS, strict=True))
"""The first candidate for each syllable of pinyin, of those that this keyboard knows."""
KEY_HEIGHT, LOW_KEY_HEIGHT = 46, 34
GAP = 5
PACKAGE = USER_KEYBOARD.partition("/")[0]


def write(desk: Desk, text: str) -> bool:
    """Append text to the field with focus; false where none has it."""
    return _edit(desk, lambda value: value + text)


def compose(desk: Desk, typed: str) -> str:
    """What the keyboard makes of typed keys: one that composes takes the first candidate at each space.

    The last letters, which are not chosen yet, stand in the field as they are. Passwords are not composed.
    """
    field = desk.focus.field
    if not (desk.services.quirks.composes and _own(desk)) or field is None or field.password:
        return typed
    words = typed.split(" ")
    return "".join(_candidate(word) or " " for word in words[:-1]) + words[-1]


def _candidate(letters: str) -> str:
    """The characters of the longest syllables that letters begin with; what is no syllable stays."""
    composed, rest = "", letters
    while rest:
        lengths = (
            length for length in range(min(6, len(rest)), 0, -1) if rest[:length].lower() in CANDIDATES
        )
        length = next(lengths, 0)
        composed += CANDIDATES[rest[:length].lower()] if length else rest[0]
        rest = rest[length or 1 :]
    return composed


def delete(desk: Desk) -> bool:
    """Take the last character from the field with focus."""
    return _edit(desk, lambda value: value[:-1])


def clear(desk: Desk) -> bool:
    """Empty the field with focus."""
    return _edit(desk, lambda value: "")


def _edit(desk: Desk, change: Callable[[str], str]) -> bool:
    field = desk.focus.field
    if field is None:
        return False
    value = change(field.value)
    if field.numeric:
        value = "".join(character for character in value if character in "0123456789.+-*# ")
    if value != field.value:
        field.value = value
        if field.on_change:
            field.on_change(value)
    desk.changed()
    return True


def submit(desk: Desk) -> None:
    """The action key: search, send or done. The keyboard goes."""
    field = desk.focus.field
    if field is None:
        return
    desk.focus.keyboard = False
    if field.on_submit:
        field.on_submit()
    desk.changed()


def _own(desk: Desk) -> bool:
    return desk.services.input_methods.current == USER_KEYBOARD


def _key_height(screen: Screen) -> int:
    return KEY_HEIGHT if screen.height > screen.width else LOW_KEY_HEIGHT


def area(desk: Desk, screen: Screen, field: TextField) -> Bounds:
    """Where the keyboard lies."""
    rows = 1 if not _own(desk) else len(DIGITS) if field.numeric else len(LETTERS) + 1
    height = screen.px((_key_height(screen) + GAP) * rows + GAP)
    bottom = screen.navigation_bar.top
    return Bounds(0, bottom - height, screen.width, bottom)


def keyboard(desk: Desk, screen: Screen, field: TextField) -> Window:
    """The keyboard at the lower edge. Another input method than the phone's own shows only a strip."""
    if not _own(desk):
        rows = [label("ADB Keyboard {ON}", size=14, align=Align.CENTER)]
    elif field.numeric:
        rows = _digit_rows(desk)
    else:
        rows = _letter_rows(desk)
    for line in rows:
        line.height = _key_height(screen)
        for key in line.children:
            key.height = line.height
    root = Node(widget=FRAME, id="keyboard", padding=GAP, gap=GAP, children=rows)
    window = full_window(screen, PACKAGE, root, area(desk, screen, field))
    window.title, window.backdrop = "InputMethod", Backdrop.KEYS
    window.modal = window.focusable = False
    return window


def _key(
    words: str, press: Callable[[], object], *, weight: float = 1, icon: str = "", plain: bool = True
) -> Node:
    style = Style(
        background="#ffffff" if plain else "#c9d3e8",
        radius=7,
        size=20,
        icon=icon,
        icon_size=20 if icon else 0,
        align=Align.CENTER,
        max_lines=1,
    )
    return Node(
        widget=TEXT,
        id=f"key_{icon or words}",
        text="" if icon else words,
        description=words,
        weight=weight,
        style=style,
        on_tap=lambda: (press(), None)[1],
    )


def _character(desk: Desk, character: str) -> Node:
    shown = character.upper() if desk.focus.shifted else character

    def press() -> None:
        desk.focus.shifted = False
        write(desk, shown)

    return _key(shown, press)


def _delete_key(desk: Desk, weight: float = 1.5) -> Node:
    return _key("Delete", lambda: delete(desk), weight=weight, icon="backspace", plain=False)


def _hide_key(desk: Desk) -> Node:
    def hide() -> None:
        desk.focus.keyboard = False

    return _key("Hide keyboard", hide, icon="keyboard_hide", weight=1.2, plain=False)


def _enter_key(desk: Desk, weight: float = 1.6) -> Node:
    return _key("Enter", lambda: submit(desk), weight=weight, icon="enter", plain=False)


def _line(keys: list[Node], margin: float = 0) -> Node:
    if margin:
        edge = [Node(widget="android.view.View", weight=margin)]
        keys = [*edge, *keys, Node(widget="android.view.View", weight=margin)]
    return row(*keys, gap=GAP, name="keys")


def _letter_rows(desk: Desk) -> list[Node]:
    focus = desk.focus
    layout = SYMBOLS if focus.symbols else LETTERS

    def shift() -> None:
        focus.shifted = not focus.shifted

    def switch() -> None:
        focus.symbols = not focus.symbols

    first, second, third = ([_character(desk, key) for key in keys] for keys in layout)
    if focus.symbols:
        left = _key("=\\<", switch, weight=1.5, plain=False)
    else:
        left = _key("Shift", shift, weight=1.5, icon="shift", plain=not focus.shifted)
    return [
        _line(first),
        _line(second, 0 if focus.symbols else 0.5),
        _line([left, *third, _delete_key(desk)]),
        _line(
            [
                _key("ABC" if focus.symbols else "?123", switch, weight=1.5, plain=False),
                _hide_key(desk),
                _key("space", lambda: write(desk, " "), weight=4.5),
                _key(".", lambda: write(desk, ".")),
                _enter_key(desk),
            ]
        ),
    ]


def _digit_rows(desk: Desk) -> list[Node]:
    aside = (
        _delete_key(desk, 1),
        _key(".", lambda: write(desk, ".")),
        _hide_key(desk),
        _enter_key(desk, 1),
    )
    return [
        _line([*(_character(desk, key) for key in keys), extra])
        for keys, extra in zip(DIGITS, aside, strict=True)
    ]
