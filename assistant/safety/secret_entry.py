"""Where a password or a code is entered, and how it is kept out of what is stored and sent.

Pages that only the user can complete are told: logins, codes, captchas. Fields and pads for one are found,
what completes it, and what on any pad only takes an entry back; and what keys and controls do while they are
held. What was typed there, and the values of the user's named secrets, are hidden in the UI tree and painted
over in the screenshot.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace

from PIL import Image, ImageDraw, UnidentifiedImageError

from assistant.events import ActionKind
from assistant.i18n import _
from assistant.phone.touches import is_keyboard_package
from assistant.records import Bounds, Element, Observation
from assistant.safety import wording
from assistant.safety.lexicon import fold, normalize_label
from assistant.safety.page import Page, element_label, page_of, shows_hint, tells_nothing

_MIN_PAD_KEYS = 9
_MIN_KEYS_BESIDE_PASSWORD = 4
"""Digit keys that make a pad where the page has a password field; some apps list not all of their keys."""
_MIN_KEYS_TO_ERASE = 4
_PAD_ID = re.compile(
    r"pin_?(?:pad|code|view|key|entry)|pass_?(?:code|word)|lock_?(?:pin|pad)|secur\w*_?key", re.IGNORECASE
)
_LONGEST_HINT = 32
_SECRET_REFERENCE = re.compile(r"\{\{\s*secret:[^{}]*\}\}")
_A_CODE = re.compile(r"\d{4,8}\s*")
_MIN_BOXES, _WIDEST_BOX = 4, 0.22
_CODE_ASKED, _OTHER_CODES = wording.pattern("code_asked"), wording.pattern("other_codes")
_SHOWS_ENTRY = wording.pattern("shows_entry")
_HOLDS, _TALKS = wording.pattern("says_to_hold"), wording.pattern("talks")
_KEYBOARD_TOP, _TOP = 0.6, 0.1
_TYPED = re.compile(r"\+?\d[\d\s.,()+−×*/÷=-]*")
_FEWEST_SIGNS = 4
_SIGNS = frozenset("+-−–×*/÷=%")
_KEY_ID = re.compile(r"(?<![0-9])[0-9]$")
_KEY_SHARE = 0.06
_ENTER_SIGNS = frozenset("✓✔☑→➔⏎↵")
_ERASE_SIGNS = frozenset("⌫←⟵✕×⌦")
_LONGEST_KEY, _LAST_LINE = 12, 3
_MIN_LETTER_KEYS = 20
_PAD_COLUMNS, _PAD_ROWS = 3, 4
_BULLETS = frozenset("•●∙*·⦁")
_LIKE_KEY = 0.1
"""How much sizes of keys of one pad may differ."""


def manual_step_required(observation: Observation, instruction: str, *, has_secrets: bool) -> str:
    """Why the user must complete a page, in a sentence; empty if the turn can continue.

    Args:
        observation: the page.
        instruction: the command. If it mentions passwords or codes, the turn enters them.
        has_secrets: whether the user has stored secrets that the model may refer to.
    """
    page = page_of(observation)
    if observation.secure and page.once(tells_nothing):
        return _("Neither the picture nor the elements of this page can be read.")
    if any(map(wording.mentions_captcha, set(map(element_label, page.texts)))):
        return _("This page wants to know whether a person is there.")
    if wording.mentions_code(instruction) or has_secrets:
        return ""
    fields = [e for e in page.fields if e.enabled and _is_empty(e)]
    if any(e.password for e in fields):
        return _("This page asks for a password.")
    if any(is_code_field(page, e) for e in fields):
        return _("This page asks for a code.")
    keys = [
        e for e in page.texts if e.clickable and len(element_label(e)) == 1 and element_label(e).isdecimal()
    ]
    if len(keys) >= _MIN_PAD_KEYS and any(
        wording.mentions_code(element_label(e)) for e in page.texts if not e.clickable
    ):
        return _("This page asks for a password or code.")
    return ""


def _is_empty(field: Element) -> bool:
    """Whether a field is empty. Some fields report their hint as their text while they are empty."""
    if field.password:
        return not _BULLETS & set(field.text)
    return field.text in ("", field.hint) or wording.mentions_code(field.text)


def ask_pin_pad(page: Page, element: Element, _labels: list[str]) -> ActionKind | None:
    """The kind of what enters a password or a code: a key of a pad for one, or what completes it.

    Where a key says that it completes the code, that one enters it, and the digits alone do not.
    """
    digit = not page.once(_has_completing_key) and is_pin_pad_key(page, element)
    return ActionKind.PASSWORD if digit or enters_code(page, element) else None


def _has_completing_key(page: Page) -> bool:
    """Whether a key of a code pad says that it completes the code."""
    return any(completes(page.labels(e)) and enters_code(page, e) for e in page.clickables)


def completes(labels: list[str]) -> bool:
    """Whether the first label agrees, goes on or completes, as the end of a form and of a pad do."""
    ends = (wording.completes_page, wording.is_agreement, wording.acknowledges)
    return any(text in _ENTER_SIGNS or any(end(text) for end in ends) for text in labels[:1])


def leads_to_entry(page: Page, text: str) -> bool:
    """Whether a label that changes a password or code only leads to the page where it is entered."""
    return wording.changes_secret(text) and not any(e.editable for e in page.observation.elements)


def is_pin_pad_key(page: Page, element: Element) -> bool:
    """Whether an element is a digit key of a pad for a code.

    The page asks for a code, the ids say so, or the pad has digits alone: a calculator has signs, a dial pad
    has * and #, a pad for amounts stands below one. What is typed is shown there, a code is not.
    """
    keys = page.once(_digit_keys)
    if len(keys) < _MIN_KEYS_BESIDE_PASSWORD or element.index not in keys:
        return False
    if page.once(_takes_password):
        return True
    if len(keys) < _MIN_PAD_KEYS:
        return False
    names = [e.resource_id.rpartition("/")[2] for e in (element, *page.ancestors(element))]
    return any(map(_PAD_ID.search, names)) or page.once(_has_pad_for_code)


def _digit_keys(page: Page) -> frozenset[int]:
    return frozenset(key.index for key in page.digit_keys)


def _takes_password(page: Page) -> bool:
    return any(e.password for e in page.elements)


def _has_pad_for_code(page: Page) -> bool:
    """Whether the keys of a page with a pad of digits are for a code, by its words or what else it has."""
    if any(wording.mentions_code(element_label(e)) for e in page.texts if not e.clickable):
        return True
    keys = page.digit_keys
    others = {element_label(e) for e in page.texts if e.clickable} - {element_label(key) for key in keys}
    signs = any(len(label) <= 2 for label in others)
    shown = any(wording.has_amount(element_label(e)) or _is_typed(e) for e in page.texts)
    written = any(not e.password and not page.is_of_system(e) for e in page.fields)
    return not signs and not shown and len(keys) > _MIN_PAD_KEYS and not written


def _is_typed(element: Element) -> bool:
    """Whether a text that takes no touches is the number or the sum that keys below it have typed."""
    return not element.clickable and _TYPED.fullmatch(element_label(element).strip()) is not None


def _pin_pad_keys(page: Page) -> list[Element]:
    return [key for key in page.digit_keys if is_pin_pad_key(page, key)]


def enters_code(page: Page, element: Element) -> bool:
    """Whether an element is the key of a code pad that completes the code, in or right below the pad."""
    keys, labels = page.once(_pin_pad_keys), page.labels(element)
    if not keys or not labels:
        return False
    if not completes(labels):
        return _is_opposite_erasing(page, element, keys)
    height = max(key.bounds.height for key in keys)
    top, bottom = min(key.bounds.top for key in keys), max(key.bounds.bottom for key in keys)
    return top <= element.bounds.centre[1] <= bottom + 2 * height


def _is_opposite_erasing(page: Page, element: Element, keys: list[Element]) -> bool:
    """Whether a key without a digit stands in the last line of a pad, where the other one erases.

    A pad with three keys in its last line has a zero between what takes back and what completes.
    """
    bottom = max(key.bounds.top for key in keys)
    last = [e for e in page.clickables if e.bounds.top == bottom and is_like_key(e, keys[-1])]
    others = [e for e in last if e not in keys]
    if len(last) != _LAST_LINE or len(others) != 2 or element not in others:
        return False
    deletes = [e for e in others if any(map(_erases, page.labels(e)[:1]))]
    return len(deletes) == 1 and deletes[0] is not element


def _erases(text: str) -> bool:
    return wording.classify_label(text) is ActionKind.DELETE or text in _ERASE_SIGNS


def is_like_key(element: Element, key: Element) -> bool:
    """Whether an element has the size of a key, and its line or column."""
    alike = abs(element.bounds.width - key.bounds.width) <= _LIKE_KEY * key.bounds.width
    alike = alike and abs(element.bounds.height - key.bounds.height) <= _LIKE_KEY * key.bounds.height
    return alike and (element.bounds.top == key.bounds.top or element.bounds.left == key.bounds.left)


def erases_entry(page: Page, element: Element) -> bool:
    """Whether an element only takes back what was entered: a key of a pad of digits, a cross in a search."""
    keys = page.digit_keys
    if len(keys) >= _MIN_KEYS_TO_ERASE and any(is_like_key(element, key) for key in keys):
        return True
    if len(keys) >= _MIN_PAD_KEYS:
        left, right = min(e.bounds.left for e in keys), max(e.bounds.right for e in keys)
        top, bottom = min(e.bounds.top for e in keys), max(e.bounds.bottom for e in keys)
        key = max(e.bounds.height for e in keys)
        x, y = element.bounds.centre
        wide = max(e.bounds.width for e in keys)
        return left <= x <= right + wide and top - 2 * key <= y <= bottom + key
    bar = _TOP * page.observation.height
    return any(
        field.bounds.contains(*element.bounds.centre) or page.next_right_of(field) == element
        for field in page.elements
        if field.editable and (wording.is_search_field(field) or field.bounds.centre[1] < bar)
    )


def is_below_dial_pad(page: Page, element: Element) -> bool:
    """Whether an element is in the middle below a keypad with * and #: it calls the number."""
    keys = page.digit_keys
    pad = {element_label(e)[:1] for e in page.texts if e.clickable}
    if len(keys) < _MIN_PAD_KEYS or not {"*", "#"} <= pad:
        return False
    left, right = min(e.bounds.left for e in keys), max(e.bounds.right for e in keys)
    x, y = element.bounds.centre
    middle = abs(2 * x - left - right) < (right - left) // 3
    return middle and y > max(e.bounds.bottom for e in keys)


def kind_of_hold(page: Page, element: Element) -> ActionKind | None:
    """What a control does while it is held, by its words: it records for somebody, or what they say.

    A digit of a pad with * and # calls whom it stands for.
    """
    pad, keys = {element_label(e)[:1] for e in page.texts if e.clickable}, page.digit_keys
    if len(keys) >= _MIN_PAD_KEYS and {"*", "#"} <= pad and any(e.index == element.index for e in keys):
        return ActionKind.SEND
    labels = [*page.labels(element), element.description] if asks_to_hold(page, element) else []
    kinds = (wording.classify_label(text) for text in labels)
    voice = any(_TALKS.search(_readable(text)) for text in labels)
    return next(filter(None, kinds), ActionKind.SEND if voice else None)


def asks_to_hold(page: Page, element: Element) -> bool:
    """Whether a control says that it is to be held: “Hold to talk”."""
    labels = [*page.labels(element), element.description]
    return any(_HOLDS.search(_readable(text)) for text in labels)


def is_on_keyboard(page: Page, y: int, under: list[Element]) -> bool:
    """Whether a tap is on the keyboard, which is not in the UI tree. It may hit Enter."""
    if under and is_keyboard_package(under[0].package) and page.is_of_system(under[0]):
        return len(element_label(under[0])) != 1
    return page.observation.keyboard_shown and y > page.observation.height * _KEYBOARD_TOP and not under


def asks_for_code(text: str) -> bool:
    """Whether a short text asks for a code that proves who somebody is, and for no address or discount."""
    words = _readable(text)
    return wording.mentions_code(text) or bool(_CODE_ASKED.search(words) and not _OTHER_CODES.search(words))


def _readable(text: str) -> str:
    """A text for searching, with and without the marks of its letters."""
    return f"{normalize_label(text)} · {unicodedata.normalize('NFC', text).casefold()}"


def types_secret(page: Page, field: Element | None, text: str) -> bool:
    """Whether a text that is typed is secret: by itself, by its field, or as a code that the page asks for.

    Codes are sent off as soon as they are whole. Their boxes may be a row of small fields, or drawn.
    """
    if _SECRET_REFERENCE.search(text) or wording.contains_card_number(text):
        return True
    if field is not None and is_code_field(page, field):
        return True
    if text.strip().isdecimal() and field is not None and _is_box_of_code(page, field):
        return True
    asked = [e for e in (page.texts if field is None else ()) if len(element_label(e)) <= 2 * _LONGEST_HINT]
    hints = [field.hint, field.description, field.text] if field is not None else map(element_label, asked)
    return _A_CODE.fullmatch(text) is not None and any(map(asks_for_code, hints))


def _is_box_of_code(page: Page, field: Element) -> bool:
    """Whether a field is one of several small ones in a line, each for one digit of a code."""
    boxes = [e for e in page.elements if e.editable and e.bounds.top == field.bounds.top]
    small = all(e.bounds.width <= _WIDEST_BOX * page.observation.width for e in boxes)
    return small and len(boxes) >= _MIN_BOXES


def is_code_field(page: Page, field: Element) -> bool:
    """Whether a field takes a password or a code: by its kind, its id, its hint, or the label before it."""
    if field.password or wording.is_code_field_id(field.resource_id):
        return True
    before = [e for e in page.texts if not e.clickable and e.index < field.index][-1:]
    labels_before = [
        element_label(e)
        for e in before
        if abs(e.bounds.bottom - field.bounds.top) < page.observation.height * 0.06
    ]
    shown = field.text if len(field.text) <= _LONGEST_HINT else ""
    return any(map(wording.mentions_code, [field.hint, field.description, shown, *labels_before]))


def takes_code(page: Page) -> bool:
    """Whether a code is filled in, or the fields of a page are for one: a field for each of its signs."""
    if any(wording.mentions_code(field.hint) for field in page.filled_fields):
        return True
    fields = [e for e in page.elements if e.editable]
    if len(fields) < _FEWEST_SIGNS:
        return bool(fields) and all(e.password for e in fields)
    signs = max(len(e.text) for e in fields) <= 1
    return signs and any(wording.mentions_code(element_label(e)) for e in page.texts)


def shows_entry(page: Page, text: str) -> bool:
    """Whether a box with this label shows or hides what is typed into a field of the page."""
    return bool(page.fields) and _SHOWS_ENTRY.search(fold(text)) is not None


def shows_code_pad(page: Page) -> bool:
    """Whether a code may be typed on the keys of a page, so that nobody may keep which were touched.

    Wider than `is_pin_pad_key`: beside its cues keys with all ten digits in any script (by their words or
    ids), an app's own letters, or ten to twelve like keys without words in three columns and four rows. A
    calculator, with its signs, and a dial pad, with * and #, are none unless the page asks for a code.
    """
    if page.once(_pin_pad_keys):
        return True
    size = page.observation.width * page.observation.height * _KEY_SHARE
    keys = [e for e in page.elements if 0 < e.bounds.area < size and not e.editable]
    words = {element_label(e).strip() for e in keys}
    if {"*", "#"} <= words or len(_SIGNS & words) > 1:
        return False
    letters = {e.bounds.left: e for e in keys if len(element_label(e)) == 1 and element_label(e).isalpha()}
    singles = {word for word in words if len(word) == 1 and word.isalpha()}
    own_keyboard = len(singles) >= _MIN_LETTER_KEYS and len(letters) > _PAD_COLUMNS
    return own_keyboard or len({_digit_of(e) for e in keys} - {None}) == 10 or _is_wordless_grid(page, keys)


def _digit_of(key: Element) -> int | None:
    """The digit of a key: the only one in its words, or at the end of its id where it has no words."""
    label = element_label(key)
    if not label:
        match = _KEY_ID.search(key.resource_id.rpartition("/")[2]) if key.clickable else None
        return int(match[0]) if match else None
    digits = [c for c in label if c.isdecimal()]
    return unicodedata.decimal(digits[0]) if len(digits) == 1 and len(label) <= _LONGEST_KEY else None


def _is_wordless_grid(page: Page, keys: Iterable[Element]) -> bool:
    sizes: dict[tuple[int, int, str], list[Bounds]] = defaultdict(list)
    for e in keys:
        if e.clickable and not page.labels(e) and not page.contains_picture(e):
            sizes[e.bounds.width, e.bounds.height, e.class_name].append(e.bounds)
    return any(
        10 <= len(grid) <= _PAD_COLUMNS * _PAD_ROWS
        and len({b.left for b in grid}) == _PAD_COLUMNS
        and len({b.top for b in grid}) == _PAD_ROWS
        for grid in sizes.values()
    )


def takes_secret(observation: Observation) -> bool:
    """Whether what is touched on a screen may be a password or a code, of which nothing may be kept.

    A field for one has focus, there are keys for one, or the screen forbids its picture.
    """
    if observation.secure:
        return True
    page = Page(observation.with_picture_texts)
    focused = observation.focused_field()
    return (focused is not None and is_code_field(page, focused)) or shows_code_pad(page)


def hide_code_fields(observation: Observation) -> Observation:
    """The observation without what was typed into fields for passwords and codes, in tree and screenshot."""
    filled = [e for e in observation.elements if e.editable and e.text and not shows_hint(e)]
    if not filled:
        return observation
    page = page_of(observation)
    return hide_elements(observation, [e for e in filled if is_code_field(page, e)])


_MIN_HIDDEN_LENGTH = 3


def hide_values(observation: Observation, values: Collection[str]) -> Observation:
    """The observation with values hidden, in UI tree and screenshot. Decodes the screenshot: slow."""
    long_values = [value for value in values if len(value) >= _MIN_HIDDEN_LENGTH]
    elements = (*observation.elements, *observation.picture_texts)
    revealing = [element for element in elements if _shows_value(element, long_values)]
    return hide_elements(observation, revealing)


def hide_elements(observation: Observation, revealing: Collection[Element]) -> Observation:
    """The observation without the words of some elements. Decodes the screenshot if there are any: slow."""
    if not revealing:
        return observation
    revealing_indexes = {element.index for element in revealing}

    def hidden(elements: tuple[Element, ...]) -> tuple[Element, ...]:
        return tuple(
            replace(e, text="••••", description="", hint="") if e.index in revealing_indexes else e
            for e in elements
        )

    return replace(
        observation,
        elements=hidden(observation.elements),
        picture_texts=hidden(observation.picture_texts),
        screenshot=_redact_screenshot(observation, revealing),
    )


def _shows_value(element: Element, values: Collection[str]) -> bool:
    text = f"{element.text}\n{element.description}\n{element.hint}"
    return any(value in text for value in values)


def _redact_screenshot(observation: Observation, revealing: Collection[Element]) -> bytes:
    if not observation.screenshot:
        return b""
    try:
        with Image.open(io.BytesIO(observation.screenshot)) as picture:
            painted = picture.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError):
        return b""
    scale = painted.width / observation.width
    draw = ImageDraw.Draw(painted)
    for element in revealing:
        draw.rectangle([round(edge * scale) for edge in element.bounds], fill="black")
    out = io.BytesIO()
    painted.save(out, "PNG")
    return out.getvalue()


def signs_in(page: Page) -> bool:
    """Whether a page takes a password or code beside other fields: what is entered goes to nobody else."""
    fields = [e for e in page.elements if e.editable]
    return len(fields) > 1 and any(
        e.password
        or wording.is_code_field_id(e.resource_id)
        or wording.mentions_code(e.hint or e.description or e.text)
        for e in fields
    )
