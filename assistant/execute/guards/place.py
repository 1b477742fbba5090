"""What a thing without words does, by its id and where it stands: beside a field, below a pad, in a bar."""

from __future__ import annotations

import re

from assistant.events import ActionKind
from assistant.execute.guards.scene import amount_on
from assistant.records import Element
from assistant.safety import wording
from assistant.safety.page import Page, words_of

_KEYS_OF_A_PAD = 9
_LOW = 0.55
_TELLING = re.compile(r"[a-z]{3,}", re.IGNORECASE)
_UNTELLING = frozenset(
    [
        "button",
        "btn",
        "image",
        "img",
        "imageview",
        "view",
        "icon",
        "iv",
        "layout",
        "container",
        "item",
        "root",
        "content",
        "action",
        "primary",
        "main",
        "confirm",
        "next",
        "submit",
        "right",
        "bottom",
        "fab",
        "touch",
        "area",
        "cell",
    ]
)


def kind_by_place(page: Page, element: Element) -> ActionKind | None:
    """What a thing without any words does, by where it stands."""
    if kind := wording.kind_of_id(element.resource_id):
        return kind
    if element.checkable or _telling_id(element.resource_id):
        return None
    if page.beside_field(element) is not None or _is_below_dial_pad(page, element):
        return ActionKind.SEND
    if wording.writes_to_people(page.heading) and page.fields and page.ends_top_bar(element):
        return ActionKind.SEND
    if element.bounds.top < page.seen.height * _LOW:
        return None
    asked = wording.kind_of_question([page.heading]) if page.heading else None
    if page.is_dialog:
        return wording.kind_of_question(page.question)
    return ActionKind.PAY if asked is ActionKind.PAY and amount_on(page) else None


def _telling_id(resource_id: str) -> bool:
    """Whether an id names a purpose (which then is a harmless one), unlike `button3` or `iv_right`."""
    parts = _TELLING.findall(resource_id.rpartition("/")[2].replace("_", " "))
    return any(part.lower() not in _UNTELLING for part in parts)


def is_explained(page: Page, element: Element) -> bool:
    """Whether words or an id tell what an element is for."""
    return bool(page.parts(element)) or _telling_id(element.resource_id)


def is_key_of_pad(page: Page, element: Element) -> bool:
    """Whether an element is a digit of a pad on a page that asks for a password or code."""
    keys = _keys(page)
    if element not in keys or len(keys) < _KEYS_OF_A_PAD:
        return False
    return any(wording.asks_for_code(words_of(e)) for e in page.texts if not e.clickable)


def _is_below_dial_pad(page: Page, element: Element) -> bool:
    """Whether a picture stands in the middle below a pad with * and #: that calls the number."""
    keys = _keys(page)
    pad = {words_of(e)[:1] for e in page.texts if e.clickable}
    if len(keys) < _KEYS_OF_A_PAD or not {"*", "#"} <= pad:
        return False
    left, right = min(e.bounds.left for e in keys), max(e.bounds.right for e in keys)
    x, y = element.bounds.centre
    middle = abs(2 * x - left - right) < (right - left) // 3
    return middle and y > max(e.bounds.bottom for e in keys)


def _keys(page: Page) -> list[Element]:
    return [e for e in page.texts if e.clickable and len(words_of(e)) == 1 and words_of(e).isdecimal()]
