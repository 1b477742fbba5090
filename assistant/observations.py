"""What is seen on the phone at one moment: the screenshot, the UI tree as a flat list, the foreground app."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from assistant.naming import app_name
from assistant.records import Bounds, Point, Target


@dataclass(frozen=True, slots=True)
class Element:
    """One node of the UI tree. `index` is its place in document order, `parent` its parent's or -1."""

    index: int
    parent: int
    class_name: str
    bounds: Bounds
    text: str = ""
    description: str = ""
    resource_id: str = ""
    package: str = ""
    hint: str = ""
    clickable: bool = False
    long_clickable: bool = False
    scrollable: bool = False
    checkable: bool = False
    checked: bool = False
    enabled: bool = True
    focused: bool = False
    password: bool = False
    selected: bool = False

    @property
    def label(self) -> str:
        """What a person would call the element, from its own attributes alone."""
        return self.target().label

    @property
    def editable(self) -> bool:
        """Whether text can be typed here."""
        return self.class_name.endswith("EditText")

    def target(self) -> Target:
        """The form in which a performed action remembers the element."""
        return Target(
            resource_id=self.resource_id,
            class_name=self.class_name,
            text=self.text,
            description=self.description,
            bounds=self.bounds,
        )


@dataclass(frozen=True, slots=True)
class ForegroundApp:
    """The window that has focus. A system window (keyguard, notification shade) has no activity."""

    package: str = ""
    activity: str = ""
    label: str = ""

    @property
    def name(self) -> str:
        """The label where it is known, else the package."""
        return self.label or self.package

    @property
    def title(self) -> str:
        """What a person calls the app: the label where it is known, else what the package says."""
        return self.label or app_name(self.package)


@dataclass(frozen=True, slots=True)
class Observation:
    """The phone's screen at one moment.

    `width` and `height` are the device's pixels in its current rotation; `screenshot` is a PNG of that
    size, or empty when none could be taken. `secure` marks a screen that forbids screenshots: the picture is
    black, the elements still hold. `settled` is false when the screen still moved at the cap.
    """

    width: int
    height: int
    screenshot: bytes = field(repr=False)
    elements: tuple[Element, ...] = field(repr=False)
    app: ForegroundApp = ForegroundApp()
    rotation: int = 0
    keyboard_shown: bool = False
    secure: bool = False
    settled: bool = True

    def pixels(self, point: Point) -> tuple[int, int]:
        """The device pixel for a point, clamped to the screen."""
        x = min(self.width - 1, max(0, round(point.x * self.width)))
        y = min(self.height - 1, max(0, round(point.y * self.height)))
        return x, y

    def point(self, x: float, y: float) -> Point:
        """The point for a device pixel, clamped to 0..1."""
        return Point(min(1.0, max(0.0, x / self.width)), min(1.0, max(0.0, y / self.height)))

    def children(self, element: Element) -> Iterator[Element]:
        """The elements directly below one."""
        return (child for child in self.elements if child.parent == element.index)

    def descendants(self, element: Element) -> Iterator[Element]:
        """All elements below one, in document order."""
        inside = {element.index}
        for other in self.elements[element.index + 1 :]:
            if other.parent in inside:
                inside.add(other.index)
                yield other

    def label_of(self, element: Element) -> str:
        """The element's own label, else the words of what it contains: a row is called by its texts."""
        if element.text or element.description:
            return element.text or element.description
        words = [child.text or child.description for child in self.descendants(element)]
        return " · ".join(word for word in words if word) or element.label

    def element_at(self, point: Point, wanted: Callable[[Element], bool] | None = None) -> Element | None:
        """The smallest (then topmost) element under a point; clickable ones first, or those `wanted`."""
        x, y = self.pixels(point)
        under = [element for element in self.elements if element.bounds.contains(x, y)]
        if wanted is not None:
            under = [element for element in under if wanted(element)]
        else:
            under = [element for element in under if element.clickable or element.editable] or under
        return min(under, key=lambda element: (element.bounds.area, -element.index), default=None)

    def target_at(self, point: Point) -> Target | None:
        """The target that an action at a point would hit, labelled as a person sees it."""
        element = self.element_at(point)
        if element is None:
            return None
        target = element.target()
        if target.text or target.description:
            return target
        return target.model_copy(update={"text": self.label_of(element)})

    def focused_field(self) -> Element | None:
        """The field that typed text would go to."""
        return next((e for e in self.elements if e.focused and e.editable), None)
