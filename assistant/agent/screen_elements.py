"""The elements of a screen: which one an action targets, what its name refers to, and which have changed.

An element with a vague name, such as “Later”, is described by the heading of the dialog or row around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.records import (
    Action,
    Click,
    Element,
    LongClick,
    Observation,
    Point,
    PressEnter,
    Target,
    TypeText,
    says_little,
)
from assistant.text_layout import shortened

MAX_HEADING_CELLS = 48
"""Longest heading, in terminal cells."""

_PAGE_SHARE = 0.85
"""Share of the screen from which a container is a whole page; smaller ones are dialogs, cards or rows."""

_IMAGE_CLASSES = ("ImageView", "ImageButton")


def find_heading(observation: Observation, element: Element, target: Target) -> str:
    """The heading of the dialog, sheet, card or row around an element, on one line and shortened.

    Taken from the smallest container that has text besides the element's own and that of other buttons:
    the text beside the element if any, otherwise the first text of the container. On a whole page the
    nearest text above the element is taken, except for an image whose id states its purpose. Empty if the
    element's own name is specific enough, or there is no text around it.
    """
    name_is_vague = says_little(target.name)
    if target.named and not name_is_vague:
        return ""
    own_indexes = {element.index, *(descendant.index for descendant in observation.descendants(element))}
    for container in _containers(observation, element):
        labels = [
            descendant
            for descendant in observation.descendants(container)
            if descendant.index not in own_indexes
            and _has_meaningful_text(descendant)
            and not _is_of_button(observation, descendant, container, target)
        ]
        if labels:
            heading = _choose_heading(observation, element, container, labels, name_is_vague=name_is_vague)
            return shortened(" ".join(_visible_text(heading).split()), MAX_HEADING_CELLS) if heading else ""
    return ""


def _containers(observation: Observation, element: Element) -> Iterator[Element]:
    """The containers of an element, the smallest first."""
    while element.parent >= 0:
        element = observation.elements[element.parent]
        yield element


def _choose_heading(
    observation: Observation,
    element: Element,
    container: Element,
    labels: list[Element],
    *,
    name_is_vague: bool,
) -> Element | None:
    x, y = element.bounds.centre
    beside = [
        label for label in labels if label.bounds.top <= y < label.bounds.bottom and label.bounds.left < x
    ]
    if beside:
        return max(beside, key=lambda label: (label.bounds.left, -label.bounds.top))
    above = [label for label in labels if label.bounds.bottom <= y]
    if container.bounds.area > _PAGE_SHARE * observation.width * observation.height:
        if not name_is_vague:
            return None
        if above:
            return max(above, key=lambda label: (label.bounds.bottom, -label.bounds.left))
    return min(above or labels, key=lambda label: (label.bounds.top, label.bounds.left))


def _is_of_button(observation: Observation, label: Element, container: Element, target: Target) -> bool:
    """Whether a label is the name of another button, and not content of the element's own row.

    A button with a vague name, such as “Later”, usually stands among other buttons; an image, such as ×,
    may stand in a row that is itself clickable.
    """
    ancestor: Element | None = label
    while ancestor is not None and ancestor.index != container.index:
        if ancestor.clickable:
            return target.named or ancestor.class_name.endswith("Button") or not label.text
        ancestor = observation.elements[ancestor.parent] if ancestor.parent >= 0 else None
    return False


def _has_meaningful_text(element: Element) -> bool:
    text = _visible_text(element)
    return any(character.isalpha() for character in text) and not says_little(text)


def _visible_text(element: Element) -> str:
    """The text of an element; empty for input fields, and for images without text."""
    if element.editable or element.password:
        return ""
    return element.text or ("" if element.class_name.endswith(_IMAGE_CLASSES) else element.description)


def with_target(action: Action, observation: Observation) -> Action:
    """The action with the element that it targets on this screen."""
    match action:
        case Click(point=point) | LongClick(point=point):
            return action.model_copy(update={"target": find_target(point, observation)})
        case TypeText() | PressEnter():
            focused = observation.focused_field()
            return action.model_copy(update={"target": focused.target() if focused else None})
        case _:
            return action


def find_target(point: Point, observation: Observation) -> Target | None:
    """The target at a point; with the heading around it if its own name is too vague."""
    element, target = observation.element_at(point), observation.target_at(point)
    if element is None or target is None:
        return None
    around = find_heading(observation, element, target)
    return target.model_copy(update={"around": around}) if around else target


_MAX_NAMED = 5


def describe_changes(before: Observation, after: Observation) -> list[str]:
    """Compare two screens: foreground app, rotation, and labels that appeared or disappeared."""
    changes: list[str] = []
    if before.app.package != after.app.package:
        changes.append(f"The app in front was {before.app.name}, now it is {after.app.name}.")
    elif before.app.activity != after.app.activity:
        changes.append(f"{after.app.name} shows another page than before.")
    if before.rotation != after.rotation:
        changes.append("The screen was turned.")
    old, new = _labels(before), _labels(after)
    if appeared := [label for label in new if label not in old]:
        changes.append(f"New on the screen: {_format_labels(appeared)}.")
    if gone := [label for label in old if label not in new]:
        changes.append(f"No longer on the screen: {_format_labels(gone)}.")
    return changes


def _labels(observation: Observation) -> list[str]:
    return list(
        dict.fromkeys(e.text or e.description for e in observation.elements if e.text or e.description)
    )


def _format_labels(labels: list[str]) -> str:
    more = len(labels) - _MAX_NAMED
    text = ", ".join(f"“{label[:40]}”" for label in labels[:_MAX_NAMED])
    return f"{text} and {more} more" if more > 0 else text
