"""Reads a UI tree, as uiautomator writes it, into a flat list of elements.

Source: AOSP AccessibilityNodeInfoDumper.java. Android 16 may wrap the hierarchies of several windows in
`<displays>`. Appium names a node after its class. The text comes from whatever app is shown, so nothing in
it is trusted.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from xml.parsers import expat

from assistant.records import Bounds, Element, ForegroundApp, Observation, Point

_START = re.compile(r"<\?xml\s|<hierarchy\b|<displays\b")
_END = re.compile(r"</(?:hierarchy|displays)\s*>|<(?:hierarchy|displays)\b[^<>]*/>")
_BOUNDS = re.compile(r"\s*\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]\s*")
_PAIR = re.compile(r"&#(5[56]\d{3});&#(5[67]\d{3});")
_REFERENCE = re.compile(r"&#(x[0-9a-fA-F]{1,8}|\d{1,9});")
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REPLACEMENT = "\ufffd"


class UnreadableTree(Exception):
    """What the phone printed is no UI tree; the message says why."""


@dataclass(frozen=True, slots=True)
class UiTree:
    """The elements in document order, lowest window first, and the rotation in quarter turns if told.

    `rested`: nothing happened on the screen in the last second before it was read.
    """

    elements: tuple[Element, ...]
    rotation: int | None = None
    rested: bool = False


def parse_tree(printed: bytes) -> UiTree:
    """Read what `uiautomator dump` printed, with messages before or after the XML.

    Raises:
        UnreadableTree: there is no complete, well-formed tree in it.
    """
    text = printed.decode("utf-8", "replace")
    start = _START.search(text)
    if start is None:
        raise UnreadableTree("no UI tree in the answer")
    ends = [match.end() for match in _END.finditer(text, start.start())]
    if not ends:
        raise UnreadableTree("the UI tree is cut off")
    return _Reader().read(_repaired(text[start.start() : ends[-1]]))


def _repaired(xml: str) -> str:
    """Repair what Android writes but XML forbids: surrogate pairs as two references, control characters."""
    xml = _PAIR.sub(_joined, xml)
    return _FORBIDDEN.sub(_REPLACEMENT, _REFERENCE.sub(_allowed, xml))


def _joined(pair: re.Match[str]) -> str:
    high, low = int(pair[1]), int(pair[2])
    if 0xD800 <= high < 0xDC00 <= low < 0xE000:
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    return pair[0]


def _allowed(reference: re.Match[str]) -> str:
    digits = reference[1]
    code = int(digits[1:], 16) if digits.startswith("x") else int(digits)
    if code > 0x10FFFF or _FORBIDDEN.match(chr(code)):
        return _REPLACEMENT
    return reference[0]


def _is_node(name: str) -> bool:
    """Whether an XML element is a node of the tree; Appium's have the name of their class."""
    return name == "node" or "." in name


class _Reader:
    """Collects elements while expat walks through the text. Depth costs no stack."""

    def __init__(self) -> None:
        self._windows: list[list[tuple[str, str, dict[str, str]]]] = []
        self._parents: list[list[int]] = []
        self._open: list[int] = []
        self._rotation: int | None = None
        self._display = "0"
        self._seen_root = False

    def read(self, xml: str) -> UiTree:
        parser = expat.ParserCreate(encoding="utf-8")
        parser.StartElementHandler = self._started
        parser.EndElementHandler = self._ended
        parser.StartDoctypeDeclHandler = self._refused
        parser.EntityDeclHandler = self._refused
        try:
            parser.Parse(xml.encode("utf-8"), True)
        except expat.ExpatError as error:
            raise UnreadableTree(f"the UI tree is not well-formed: {error}") from error
        if not self._seen_root:
            raise UnreadableTree("no hierarchy in the UI tree")
        return UiTree(tuple(self._elements()), self._rotation)

    def _started(self, name: str, attributes: dict[str, str]) -> None:
        match name:
            case "hierarchy":
                self._seen_root = True
                self._windows.append([])
                self._parents.append([])
                self._open = []
                if self._rotation is None and attributes.get("rotation", "") in ("0", "1", "2", "3"):
                    self._rotation = int(attributes["rotation"])
            case "displays":
                self._seen_root = True
            case "display":
                self._display = attributes.get("id", "0")
            case _ if self._windows and _is_node(name):
                self._parents[-1].append(self._open[-1] if self._open else -1)
                self._open.append(len(self._windows[-1]))
                class_name = attributes.get("class", "" if name == "node" else name)
                self._windows[-1].append((self._display, class_name, attributes))

    def _ended(self, name: str) -> None:
        if _is_node(name) and self._open:
            self._open.pop()

    def _refused(self, *_: object) -> None:
        raise UnreadableTree("the UI tree declares a document type")

    def _elements(self) -> list[Element]:
        """One list over all windows of the first display. They are written top first, and kept top last."""
        elements: list[Element] = []
        for nodes, parents in zip(reversed(self._windows), reversed(self._parents), strict=True):
            first = len(elements)
            if nodes and nodes[0][0] != "0":
                continue
            for (_display, class_name, node), parent in zip(nodes, parents, strict=True):
                above = parent + first if parent >= 0 else -1
                elements.append(_element(node, class_name, len(elements), above))
        return elements


def _element(node: dict[str, str], class_name: str, index: int, parent: int) -> Element:
    get = node.get
    return Element(
        index=index,
        parent=parent,
        class_name=class_name,
        bounds=_bounds(get("bounds", "")),
        text=get("text", ""),
        description=get("content-desc", ""),
        resource_id=get("resource-id", ""),
        package=get("package", ""),
        hint=get("hint", ""),
        clickable=get("clickable") == "true",
        long_clickable=get("long-clickable") == "true",
        scrollable=get("scrollable") == "true",
        checkable=get("checkable") == "true",
        checked=get("checked") == "true",
        enabled=get("enabled", "true") == "true",
        focused=get("focused") == "true",
        password=get("password") == "true",
        selected=get("selected") == "true",
    )


def _bounds(text: str) -> Bounds:
    match = _BOUNDS.fullmatch(text)
    return Bounds(*map(int, match.groups())) if match else Bounds(0, 0, 0, 0)


def observe_tree(
    xml: str, package: str = "", size: tuple[int, int] | None = None, tapped: Point | None = None
) -> Observation:
    """The screen that a tree shows; its app is that of most elements.

    Args:
        xml: as uiautomator prints it.
        package: the app in front, where it is known.
        size: of the screen in pixels; without it that of `screen_size`.
        tapped: where it is tapped, as a share of the screen.

    Raises:
        UnreadableTree: the XML is no UI tree.
    """
    tree = parse_tree(xml.encode("utf-8", "replace"))
    width, height = size or screen_size(tree, tapped)
    return Observation(
        width=width,
        height=height,
        screenshot=b"",
        elements=tree.elements,
        app=ForegroundApp(package or _most_frequent_package(tree.elements)),
    )


_SCREENS = (
    *((1080, 2400), (1080, 2340), (1080, 1920), (720, 1600), (1080, 2280), (1080, 2160), (720, 1280)),
    *((1440, 3120), (1440, 2560), (1080, 2412), (1080, 2424), (1440, 3200), (1080, 2220), (1080, 2310)),
    *((1220, 2712), (1080, 2376), (1080, 2520), (1440, 2960), (720, 1440), (1260, 2800), (1280, 2800)),
    *((1200, 2670), (1220, 2656), (1344, 2992), (1440, 3088), (720, 1520), (540, 960), (480, 800)),
    *((800, 1280), (1200, 1920), (1200, 2000), (1600, 2560)),
)
"""Sizes of the screens of phones and tablets in pixels, upright, the commonest first."""

_BARS = (63, 66, 72, 84, 96, 126, 132, 144, 168, 192)
"""How high the system's bar at the bottom is, which may be no part of a dump: 24 or 48 dp, in pixels."""


def screen_size(tree: UiTree, tapped: Point | None = None) -> tuple[int, int]:
    """The size that the screen of a tree likely has, in pixels.

    Where the tree leaves a choice, it is the size at which a tap hits the middle of a control best: taps are
    aimed at that.
    """
    sizes = likely_sizes(tree)
    if tapped is None or len(sizes) < 2:
        return sizes[0]
    controls = [
        e.bounds for e in tree.elements if e.parent >= 0 and (e.clickable or e.editable or e.checkable)
    ]
    return min(sizes, key=lambda size: _miss(tapped.x * size[0], tapped.y * size[1], controls))


def _miss(x: float, y: float, controls: Iterable[Bounds]) -> float:
    """The pixels between a place and the middle of the smallest control it hits; infinite if it hits none."""
    hit = min((b for b in controls if b.contains(int(x), int(y))), key=lambda b: b.area, default=None)
    return math.dist((x, y), hit.centre) if hit is not None else math.inf


def likely_sizes(tree: UiTree) -> list[tuple[int, int]]:
    """The sizes that the screen of a tree may have, the likeliest first.

    It is at least as large as what lies on it. A dump holds only the window in front: that of a page may lack
    the bar at the bottom, and that of a dialog stands in the middle of a screen that nothing else tells of.
    """
    elements = tree.elements
    right = max(1, max((e.bounds.right for e in elements), default=1))
    bottom = max(1, max((e.bounds.bottom for e in elements), default=1))
    roots = [e.bounds for e in elements if e.parent < 0 and e.bounds.area]
    left, top = min((b.left for b in roots), default=0), min((b.top for b in roots), default=0)
    lies = right > bottom and left <= 0 if tree.rotation is None else tree.rotation in (1, 3)
    screens = [(high, wide) if lies else (wide, high) for wide, high in _SCREENS]
    large = [size for size in screens if size[0] >= right and size[1] >= bottom]
    if (right, bottom) in large:
        return [(right, bottom)]
    if left <= 0 and top <= 0:
        with_bar = [size for size in large if size[0] == right and size[1] - bottom in _BARS]
        return list(dict.fromkeys([*with_bar, (right, bottom)]))
    centred = [size for size in large if abs(left + right - size[0]) <= 2]
    centred.sort(key=lambda size: abs(top + bottom - size[1]))
    return list(dict.fromkeys([*centred, *large, (right, bottom)]))


_SYSTEM_INTERFACE = "com.android.systemui"


def _most_frequent_package(elements: tuple[Element, ...]) -> str:
    counts = Counter(element.package for element in elements if element.package)
    in_front = [(name, count) for name, count in counts.most_common() if name != _SYSTEM_INTERFACE]
    return in_front[0][0] if in_front else next(iter(counts), "")
