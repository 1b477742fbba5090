"""Which elements of a screen the model is told of, and what each is called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assistant.records import Bounds, Element, Observation, Point

LIMIT = 120
"""The most elements that are listed; those that can be acted on come before mere text."""

_LABEL_LIMIT = 120

_KINDS = {
    "EditText": "field",
    "AutoCompleteTextView": "field",
    "Button": "button",
    "ImageButton": "button",
    "FloatingActionButton": "button",
    "TextView": "text",
    "CheckedTextView": "text",
    "ImageView": "image",
    "CheckBox": "checkbox",
    "RadioButton": "radio",
    "Switch": "switch",
    "SwitchCompat": "switch",
    "ToggleButton": "switch",
    "SeekBar": "slider",
    "ProgressBar": "progress",
    "Spinner": "dropdown",
    "TabWidget": "tab",
    "WebView": "web",
    "RecyclerView": "list",
    "ListView": "list",
    "GridView": "list",
    "ScrollView": "scroller",
    "HorizontalScrollView": "scroller",
    "ViewPager": "pager",
}


@dataclass(frozen=True, slots=True)
class ListedElement:
    """One line of the list. `hint` is what an empty field asks for, `centre` that of the visible part."""

    kind: str
    label: str
    hint: str
    flags: tuple[str, ...]
    centre: Point


def listed(observation: Observation, limit: int = LIMIT) -> tuple[list[ListedElement], int]:
    """The elements worth telling, in document order, and how many more there are.

    An element counts when it is visible and has a label or can be acted on. The texts inside a tappable
    row that is called by them are not listed again.
    """
    useful = list(_useful(observation))
    first = sorted(range(len(useful)), key=lambda place: (not _acts(useful[place][0]), place))[:limit]
    chosen = [useful[place] for place in sorted(first)]
    return [_line(observation, element, label) for element, label in chosen], len(useful) - len(chosen)


def _useful(observation: Observation) -> Iterator[tuple[Element, str]]:
    told: set[int] = set()
    for element in observation.elements:
        visible = _visible(element.bounds, observation).area > 0
        label = _label(observation, element)
        acts = _acts(element)
        if visible and acts and not element.scrollable and not (element.text or element.description):
            whole = observation.label_of(element)
            if len(whole) <= _LABEL_LIMIT:
                label = whole
                told.update(child.index for child in observation.descendants(element) if not _acts(child))
        if visible and (acts or (label and element.index not in told)):
            yield element, label


def _acts(element: Element) -> bool:
    return (
        element.clickable
        or element.long_clickable
        or element.editable
        or element.scrollable
        or element.checkable
    )


def _label(observation: Observation, element: Element) -> str:
    if element.password:
        return ""
    if element.editable:
        return element.text
    own = element.text or element.description
    return own or (element.label if _acts(element) else "")


def _line(observation: Observation, element: Element, label: str) -> ListedElement:
    x, y = _visible(element.bounds, observation).centre
    hint = element.hint or (element.description if element.editable else "")
    return ListedElement(_kind(element), label, hint, tuple(_flags(element)), observation.point(x, y))


def _kind(element: Element) -> str:
    simple = element.class_name.rpartition(".")[2].rpartition("$")[2]
    if element.editable:
        return "field"
    kind = _KINDS.get(simple, "")
    if kind in ("", "text", "image") and element.clickable:
        return "button" if kind else "item"
    return kind or ("scroller" if element.scrollable else "item")


def _flags(element: Element) -> Iterator[str]:
    flags = {
        "clickable": element.clickable,
        "long_clickable": element.long_clickable,
        "editable": element.editable,
        "scrollable": element.scrollable,
        "checked": element.checkable and element.checked,
        "unchecked": element.checkable and not element.checked,
        "selected": element.selected,
        "focused": element.focused,
        "password": element.password,
        "disabled": not element.enabled,
    }
    return (name for name, holds in flags.items() if holds)


def _visible(bounds: Bounds, observation: Observation) -> Bounds:
    return Bounds(
        max(0, bounds.left),
        max(0, bounds.top),
        min(observation.width, bounds.right),
        min(observation.height, bounds.bottom),
    )
