"""What an element belongs to where its own name says too little: the question that a “Later” puts off."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cells import shortened
from assistant.naming import says_little
from assistant.observations import Element, Observation
from assistant.records import Target

KEPT = 48
"""Cells of the surroundings that are kept."""

_PART = 0.85
"""A container below this share of the screen is a dialog, sheet, card or row, and begins with its heading."""

_PICTURES = ("ImageView", "ImageButton")


def belonging(seen: Observation, element: Element, target: Target) -> str:
    """The heading of the dialog, sheet, card or row around an element, on one line and shortened.

    It comes from the smallest container with words besides the element's own and those of other buttons:
    the words beside the element where there are any, else what the container begins with. On a whole page
    the nearest words above the element are meant, but for a picture whose id says what it is for. Empty
    where the element's name says enough, or nothing stands around it.
    """
    little = says_little(target.name)
    if target.named and not little:
        return ""
    own = {element.index, *(one.index for one in seen.descendants(element))}
    for container in _containers(seen, element):
        words = [
            one
            for one in seen.descendants(container)
            if one.index not in own and _tells(one) and not _is_of_button(seen, one, container, target)
        ]
        if words:
            heading = _heading(seen, element, container, words, little=little)
            return shortened(" ".join(_words(heading).split()), KEPT) if heading else ""
    return ""


def _containers(seen: Observation, element: Element) -> Iterator[Element]:
    """What an element stands in, the smallest first."""
    while element.parent >= 0:
        element = seen.elements[element.parent]
        yield element


def _heading(
    seen: Observation, element: Element, container: Element, words: list[Element], *, little: bool
) -> Element | None:
    x, y = element.bounds.centre
    beside = [one for one in words if one.bounds.top <= y < one.bounds.bottom and one.bounds.left < x]
    if beside:
        return max(beside, key=lambda one: (one.bounds.left, -one.bounds.top))
    above = [one for one in words if one.bounds.bottom <= y]
    if container.bounds.area > _PART * seen.width * seen.height:
        if not little:
            return None
        if above:
            return max(above, key=lambda one: (one.bounds.bottom, -one.bounds.left))
    return min(above or words, key=lambda one: (one.bounds.top, one.bounds.left))


def _is_of_button(seen: Observation, word: Element, container: Element, target: Target) -> bool:
    """Whether a word is what another thing to press is called, and not the content of the element's row.

    A thing of few words such as “Later” stands among other buttons; a picture such as × may stand in a row
    that can be pressed as well.
    """
    place: Element | None = word
    while place is not None and place.index != container.index:
        if place.clickable:
            return target.named or place.class_name.endswith("Button") or not word.text
        place = seen.elements[place.parent] if place.parent >= 0 else None
    return False


def _tells(element: Element) -> bool:
    words = _words(element)
    return any(character.isalpha() for character in words) and not says_little(words)


def _words(element: Element) -> str:
    """The words of an element; neither what a field holds nor what a picture shows."""
    if element.editable or element.password:
        return ""
    return element.text or ("" if element.class_name.endswith(_PICTURES) else element.description)
