"""Reads a UI tree, as uiautomator writes it, into a flat list of elements.

Source: AOSP AccessibilityNodeInfoDumper.java. Android 16 may wrap the hierarchies of several windows in
`<displays>`. Appium names a node after its class. The text comes from whatever app is shown, so nothing in
it is trusted.

`RestlessPages` remembers which pages give none, `TreeFreshness` which tree is of an earlier picture.
`taken_for_button` treats lines that were read from a picture as elements that react to a touch.
"""

from __future__ import annotations

import math
import re
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from xml.parsers import expat

from assistant.phone.pictures import KEYBOARD_TOP, differs_only_at, unmoved
from assistant.records import (
    PICTURE_BUTTON,
    Action,
    Bounds,
    Element,
    ForegroundApp,
    Observation,
    Point,
    Swipe,
)

_START = re.compile(r"<\?xml\s|<hierarchy\b|<displays\b")
_END = re.compile(r"</(?:hierarchy|displays)\s*>|<(?:hierarchy|displays)\b[^<>]*/>")
_BOUNDS = re.compile(r"\s*\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]\s*")
_PAIR = re.compile(r"&#(5[56]\d{3});&#(5[67]\d{3});")
_REFERENCE = re.compile(r"&#(x[0-9a-fA-F]{1,8}|\d{1,9});")
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r"))
_NO_CHARACTERS = re.compile(rb"\xef\xbf[\xbe\xbf]")
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


_FEW_WORDS = 3
"""If fewer elements have words, the tree does not describe the screen (Open-AutoGLM and others saw WeChat
with one or none)."""
_LARGE_VIEW = 0.3
_DRAWN = ("WebView", "SurfaceView", "TextureView", "CanvasView", "FlutterView", "UnityPlayer")
"""Views that draw their content themselves: if they fill `_LARGE_VIEW` of the screen, the tree may miss
it."""


def tells_little(observation: Observation) -> bool:
    """Whether the UI tree describes so little of the screen that text should be read from the picture."""
    packages = ("", observation.app.package)
    own = [e for e in observation.elements if e.package in packages]
    worded = [e for e in own if e.text or e.description or e.hint]
    if len(list(islice((e for e in worded if e.bounds.area), _FEW_WORDS))) < _FEW_WORDS:
        return True
    drawn = {name for name in {e.class_name for e in own} if name.endswith(_DRAWN)}
    least = _LARGE_VIEW * observation.width * observation.height
    return any(
        e.class_name in drawn
        and e.bounds.area >= least
        and not any(e.bounds.contains(*other.bounds.centre) for other in worded)
        for e in own
    )


_DIGITS = re.compile(r"\d+")


def is_alike(first: UiTree, second: UiTree) -> bool:
    """Whether two trees have the same elements, apart from the digits in their texts, as of a clock.

    Hints do not count: before Android 13 the resident helper tells them, and `uiautomator dump` does not.
    """
    if len(first.elements) != len(second.elements):
        return False
    return all(map(_is_alike, first.elements, second.elements))


def _is_alike(first: Element, second: Element) -> bool:
    if _is_same(first, second):
        return True
    digitless = (_DIGITS.sub("", element.text) for element in (first, second))
    return len(set(digitless)) == 1 and _is_same(replace(first, text=second.text), second)


def _is_same(first: Element, second: Element) -> bool:
    """Whether two elements are the same, apart from their hints."""
    return first == second or (first.hint != second.hint and replace(first, hint=second.hint) == second)


def parse_tree(printed: bytes) -> UiTree:
    """Read what `uiautomator dump` printed, with messages before or after the XML.

    Raises:
        UnreadableTree: there is no complete, well-formed tree in it.
    """
    text = printed.decode("utf-8", "replace")
    if len(printed.translate(None, _CONTROLS)) < len(printed) or _NO_CHARACTERS.search(printed):
        text = _FORBIDDEN.sub(_REPLACEMENT, text)
    start = _START.search(text)
    if start is None:
        raise UnreadableTree("no UI tree in the answer")
    ends = [match.end() for match in _END.finditer(text, start.start())]
    if not ends:
        raise UnreadableTree("the UI tree is cut off")
    xml = _repaired(text[start.start() : ends[-1]])
    return _read_uniform(xml) or _Reader().read(xml)


def _repaired(xml: str) -> str:
    """Repair references that Android writes but XML forbids: surrogate pairs as two, control characters."""
    return _REFERENCE.sub(_allowed, _PAIR.sub(_joined, xml)) if "&#" in xml else xml


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


_HEAD = re.compile(r"(?:<\?xml[^<>]*\?>\s*)?<hierarchy(?: [\w-]+=\"[^\"<&]*\")*>")
_ROTATION = re.compile(r" rotation=\"([0-3])\"")
_TAIL = re.compile(r"\s*</hierarchy\s*>")
_FIRST_NODE = re.compile(r"\s*<node((?: [\w-]+=\"[^\"<]*\")+)")

_ATTRIBUTE = re.compile(r" ([\w-]+)=\"([^\"<]*)\"")
_TEXTS = ("class", "text", "content-desc", "resource-id", "package")
_STATES = (
    *("clickable", "long-clickable", "scrollable", "checkable", "checked", "enabled", "focused", "password"),
    "selected",
)
_BEFORE_INDEX = "NAF"
"""An attribute that `uiautomator` writes before the others of some nodes: those that are not accessible."""
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#x([0-9a-fA-F]{1,8})|#([0-9]{1,9}));")
_NO_ENTITY = re.compile(rf"&(?!{_ENTITY.pattern[1:]})")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


@lru_cache(maxsize=8)
def _uniform_node(names: tuple[str, ...]) -> tuple[re.Pattern[str], tuple[int, ...]] | None:
    """A pattern for nodes with these attributes, and its groups: `_TEXTS`, hint, bounds, states, end.

    The states are a run of attributes in one group, because there are few combinations of them. The first
    group is unset for the end of a node, the last one is "/" for a node without children. None if an
    attribute that is read is missing, or another one stands among the states.
    """
    if len(set(names)) != len(names) or not {*_TEXTS, *_STATES, "bounds"} <= set(names):
        return None
    places = sorted(names.index(name) for name in _STATES)
    states = range(places[0], places[-1] + 1)
    if {names[place] for place in states} & {*_TEXTS, "hint", "bounds"}:
        return None
    attributes, groups = "", []
    for place, name in enumerate(names):
        value = rf'{name}="[^"<\t\n\r]*"'
        if place not in states:
            attributes += rf' {name}="([^"<\t\n\r]*)"'
            groups.append(name)
        elif place == states[0]:
            attributes += f"( {value}"
            groups.append("states")
        else:
            attributes += f" {value}" + (")" if place == states[-1] else "")
    pattern = rf'\s*(?:<node(?: {_BEFORE_INDEX}="\w*")?{attributes} ?(/?)>|</node>)()'
    groups += ["end", "none"]
    order = (*_TEXTS, "hint" if "hint" in groups else "none", "bounds", "states", "end")
    return re.compile(pattern), tuple(groups.index(name) + 1 for name in order)


def _read_uniform(xml: str) -> UiTree | None:
    """The tree where all nodes have the same attributes in the same order, as `uiautomator` writes them.

    That is three times as fast as a parser of any XML, which thousands of nodes make felt. None for all else,
    also for what is not well-formed.
    """
    head = _HEAD.match(xml)
    first = _FIRST_NODE.match(xml, head.end()) if head else None
    names = (
        tuple(name for name, _value in _ATTRIBUTE.findall(first[1]) if name != _BEFORE_INDEX) if first else ()
    )
    node = _uniform_node(names)
    if head is None or node is None or _NO_ENTITY.search(xml):
        return None
    pattern, places = node
    elements: list[Element] = []
    add, match_at = elements.append, pattern.match
    parents, parent = [-1], -1
    end, has_entities = head.end(), "&" in xml
    # A search from a node that does not fit would take the square of the spaces in an app's text.
    while (match := match_at(xml, end)) is not None:
        end = match.end()
        name, text, description, resource_id, package, hint, bounds, states, leaf = match.group(*places)
        if name is None:
            parents.pop()
            if not parents:
                return None
            parent = parents[-1]
            continue
        if has_entities and "&" in match[0]:
            name, text, description = _unescaped(name), _unescaped(text), _unescaped(description)
            resource_id, package, hint = _unescaped(resource_id), _unescaped(package), _unescaped(hint)
        index = len(elements)
        texts = (text, description, resource_id, package, hint)
        add(Element(index, parent, name, _bounds(bounds), *texts, *_states(states)))
        if not leaf:
            parents.append(index)
            parent = index
    tail = _TAIL.match(xml, end)
    if len(parents) != 1 or tail is None or tail.end() != len(xml):
        return None
    rotation = _ROTATION.search(head[0])
    return UiTree(tuple(elements), int(rotation[1]) if rotation else None)


@lru_cache(maxsize=1024)
def _states(attributes: str) -> tuple[bool, ...]:
    """The states in the order of `_STATES`, from their attributes as they are written."""
    values = {name: _unescaped(value) == "true" for name, value in _ATTRIBUTE.findall(attributes)}
    return tuple(values[name] for name in _STATES)


def _unescaped(value: str) -> str:
    return _ENTITY.sub(_character, value)


def _character(entity: re.Match[str]) -> str:
    name, hexadecimal, decimal = entity.groups()
    return _ENTITIES[name] if name else chr(int(hexadecimal, 16) if hexadecimal else int(decimal))


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


@lru_cache(maxsize=8192)
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

    It is at least as large as what lies on it, unless the window is as large as a known screen: what lies
    outside of that is out of sight. A dump holds only the window in front: that of a page may lack
    the bar at the bottom, and that of a dialog stands in the middle of a screen that nothing else tells of.
    """
    elements = tree.elements
    right = max(1, max((e.bounds.right for e in elements), default=1))
    bottom = max(1, max((e.bounds.bottom for e in elements), default=1))
    roots = [e.bounds for e in elements if e.parent < 0 and e.bounds.area]
    left, top = min((b.left for b in roots), default=0), min((b.top for b in roots), default=0)
    lies = right > bottom and left <= 0 if tree.rotation is None else tree.rotation in (1, 3)
    screens = [(high, wide) if lies else (wide, high) for wide, high in _SCREENS]
    window = max((b.right for b in roots), default=0), max((b.bottom for b in roots), default=0)
    if (left, top) == (0, 0) and window in screens:
        return [window]
    large = [size for size in screens if size[0] >= right and size[1] >= bottom]
    if (right, bottom) in large:
        return [(right, bottom)]
    if left <= 0 and top <= 0:
        with_bar = [size for size in large if size[0] == right and size[1] - bottom in _BARS]
        return list(dict.fromkeys([*with_bar, (right, bottom)]))
    centred = [size for size in large if abs(left + right - size[0]) <= 2]
    centred.sort(key=lambda size: abs(top + bottom - size[1]))
    return list(dict.fromkeys([*centred, *large, (right, bottom)]))


Page = tuple[str, str]
"""A page of an app, by package and activity."""

_MOVING_FOR = 20.0
"""Seconds for which a page that moves, and whose tree could be read, is taken to go on moving."""
_BLIND_FOR, _LONGEST_BLIND = 60.0, 600.0
"""Seconds for which a page without a tree is seen by its picture: the first time, and at most."""
_BESIDE_EVERY = 20.0
"""Seconds between two tries to read its tree beside other work."""
_FIRST_PATIENCE, _LEAST_PATIENCE, _MOST_PATIENCE = 5.0, 3.5, 7.0
"""Seconds for which the tree of an unknown page is awaited: before any look was measured, at least, at most.
Published dumps of resting screens take 1.6 to 3.1 s, and those of restless ones fail after 10 to 12.6 s."""
_TIMES_SLOWEST, _LOOKS_MEASURED = 1.7, 5
"""How many times as long as the slowest of the latest looks at rest a tree is waited for, and of how many."""


@dataclass(slots=True)
class RestlessPage:
    """A page that did not come to rest.

    It is treated so `until` a time in monotonic seconds. `has_tree`: its tree could be read. `moved`: its
    picture changed, not only something that the phone counts as movement; None where that is not known.
    """

    until: float
    has_tree: bool
    moved: bool | None
    failures: int = 1
    tried: float = -math.inf


class RestlessPages:
    """The pages whose tree is not waited for.

    One dump of a page that never rests costs seven seconds and gives nothing. So a page that gave no tree is
    seen by its picture alone for a while, twice as long each time, and the other pages of its app as well:
    what keeps one busy, such as a clock or an advertisement, often stands on all. Meanwhile the tree is asked
    for beside other work; one that comes ends all this for its app.
    """

    def __init__(self) -> None:
        self._pages: dict[Page, RestlessPage] = {}
        self._apps: dict[str, RestlessPage] = {}
        self._suspect: Page | None = None
        self._looks: deque[float] = deque(maxlen=_LOOKS_MEASURED)

    @property
    def patience(self) -> float:
        """The seconds after which a turn goes on by the picture while a tree is still being read."""
        slowest = _TIMES_SLOWEST * max(self._looks) if self._looks else _FIRST_PATIENCE
        return min(_MOST_PATIENCE, max(_LEAST_PATIENCE, slowest))

    def note_rest(self, seconds: float) -> None:
        """Note how long a look took whose tree was read at rest."""
        self._looks.append(seconds)

    def __bool__(self) -> bool:
        return bool(self._pages or self._apps)

    def find(self, page: Page, now: float) -> RestlessPage | None:
        """How a page is to be treated; None if its tree is waited for."""
        page_state = self._pages.get(page)
        if page_state is None and (app := self._apps.get(page[0])) is not None:
            page_state = self._pages[page] = RestlessPage(app.until, has_tree=False, moved=None, failures=0)
        return page_state if page_state is not None and page_state.until > now else None

    def learn(self, page: Page, now: float, *, has_tree: bool, settled: bool, given_up: bool) -> None:
        """Remember a page without rest if its tree was awaited in vain, or at the second time: it may load.

        Args:
            page: the page that was read.
            now: when, in monotonic seconds.
            has_tree: whether its tree could be read.
            settled: whether its picture came to rest.
            given_up: whether its tree was awaited as long as a dump is.
        """
        restless = not settled or not has_tree
        if has_tree:
            self._apps.pop(page[0], None)
        if not restless:
            self._pages.pop(page, None)
        elif given_up or page == self._suspect:
            page_state = self._pages.get(page)
            failures = page_state.failures + 1 if page_state is not None and not has_tree else 1
            seconds = _MOVING_FOR if has_tree else min(_LONGEST_BLIND, _BLIND_FOR * 2.0 ** (failures - 1))
            kind = RestlessPage(
                now + seconds, has_tree=has_tree, moved=not settled, failures=failures, tried=now
            )
            self._pages[page] = kind
            if given_up:
                self._apps[page[0]] = kind
        self._suspect = page if restless else None

    def forget(self, page: Page) -> None:
        """Wait for the trees of a page and of its app again."""
        self._pages.pop(page, None)
        if self._apps.pop(page[0], None) is not None:
            self._pages = {other: kind for other, kind in self._pages.items() if other[0] != page[0]}

    def is_given_up(self, package: str, now: float) -> bool:
        """Whether a tree of this app was awaited as long as a dump is, in vain, a short time ago."""
        app = self._apps.get(package)
        return app is not None and not app.has_tree and app.until > now

    def may_try(self, page: Page, now: float) -> bool:
        """Whether a page's tree may be asked for beside other work now; it then counts as asked."""
        kind = self._pages.get(page)
        if kind is None or kind.has_tree or now - kind.tried < _BESIDE_EVERY:
            return False
        kind.tried = now
        return True


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A picture, PNG or JPEG, beside the tree that came with it, and the screen's size if it is known."""

    picture: bytes = field(repr=False)
    tree: UiTree | None
    size: tuple[int, int] | None
    keyboard_shown: bool


class TreeFreshness:
    """Tells whether a tree is that of the screen before although the picture is another.

    So it is where a phone's dump does not wait for rest, or comes from a cache: it then shows the screen
    before an action beside the picture after it. It also is where only pictures change, as in a video.
    """

    def __init__(self) -> None:
        self._latest: ShownPage | None = None
        self._before_keyboard: ShownPage | None = None
        self._accepted: UiTree | None = None

    def note(self, page: ShownPage) -> None:
        """Remember a page whose tree is believed."""
        self._latest = page
        if not page.keyboard_shown:
            self._before_keyboard = page

    def accept(self, tree: UiTree) -> None:
        """Remember a tree that stays while the picture changes, as was found out in another way."""
        self._accepted = tree

    def may_be_old(self, page: ShownPage, *, is_same: bool = False) -> bool:
        """Whether a tree is like the one before, and the pictures differ where it does not. Decodes: slow.

        `is_same`: nothing was done since, and the page before was still coming, so its picture tells nothing.
        """
        before, tree = self._latest, page.tree
        if is_same or before is None or before.tree is None or tree is None or not tree.elements:
            return False
        if self._accepted is not None and is_alike(self._accepted, tree):
            return False
        if not is_alike(before.tree, tree) or before.picture == page.picture:
            return False
        if not before.picture or not page.picture:
            return True
        if unmoved(before.picture, page.picture):
            return False
        return not self._tells_change(before, before.tree, page, tree)

    def _tells_change(self, before: ShownPage, tree_before: UiTree, page: ShownPage, tree: UiTree) -> bool:
        """Whether the tree tells what differs in the pictures.

        It does if a field has other digits in both. It also does if a keyboard was put away: the elements are
        the same but for a field's text, and the picture shows in its place what it did before it came up.
        """
        if page.size is None:
            return False
        width, height = page.size
        pairs = zip(tree_before.elements, tree.elements, strict=True)
        places = [later.bounds for earlier, later in pairs if not _is_same(earlier, later)]
        earlier, uncovered = self._before_keyboard, b""
        if before.keyboard_shown and not page.keyboard_shown and earlier is not None:
            fields = _changed_fields(earlier.tree, tree, height * KEYBOARD_TOP)
            if fields is not None:
                places, uncovered = [*places, *fields], earlier.picture
        if any(place.area > _LARGEST_FIELD * width * height for place in places):
            return False
        if not places and not uncovered:
            return False
        return differs_only_at(places, width, before.picture, page.picture, uncovered)


_LARGEST_FIELD = 0.1


def _changed_fields(first: UiTree | None, second: UiTree, top: float) -> list[Bounds] | None:
    """The fields below a line whose text differs in two trees; None if there is another difference there.

    There must be elements: of a page that is made smaller for a keyboard none stands where that is.
    """
    earlier, later = (
        {
            replace(element, index=0, parent=0, hint="")
            for element in (tree.elements if tree else ())
            if element.bounds.centre[1] >= top and (element.clickable or element.text or element.description)
        }
        for tree in (first, second)
    )
    changed = earlier ^ later
    fields = [element.bounds for element in later - earlier]
    is_known = {element.bounds for element in earlier - later} == set(fields)
    return fields if later and is_known and all(element.editable for element in changed) else None


_SYSTEM_INTERFACE = "com.android.systemui"


def _most_frequent_package(elements: tuple[Element, ...]) -> str:
    counts = Counter(element.package for element in elements if element.package)
    in_front = [(name, count) for name, count in counts.most_common() if name != _SYSTEM_INTERFACE]
    return in_front[0][0] if in_front else next(iter(counts), "")


def taken_for_button(observation: Observation, action: Action) -> Observation:
    """A screen with what was read from its picture: the line that is touched as a button, others as texts.

    A picture does not tell what reacts to a tap; that somebody is about to tap it speaks for a button.
    Buttons and rows are larger than their words, so a touch beside all lines means the nearest one at its
    height. Single digits are keys.
    """
    point = action.start if isinstance(action, Swipe) else getattr(action, "point", None)
    touched, x, y = None, 0, 0
    if isinstance(point, Point):
        x, y = observation.pixels(point)
        touched = _touched_line(observation.picture_texts, x, y)
    lines = (
        replace(line, class_name=PICTURE_BUTTON, clickable=True, bounds=_widened(line.bounds, x, y))
        if line is touched
        else replace(line, clickable=len(line.text) == 1 and line.text.isdecimal())
        for line in observation.picture_texts
    )
    return replace(observation, elements=(*observation.elements, *lines), picture_texts=())


def _touched_line(lines: Iterable[Element], x: int, y: int) -> Element | None:
    """The line at a pixel, else the nearest whose height reaches it with half a line above and below."""

    def gap(line: Element) -> int:
        left, top, right, bottom = line.bounds
        return max(left - x, x - right + 1, 0) + max(top - y, y - bottom + 1, 0)

    level = [e for e in lines if abs(y - e.bounds.centre[1]) <= e.bounds.height]
    return min(level, key=gap, default=None)


def _widened(bounds: Bounds, x: int, y: int) -> Bounds:
    """A rectangle with a pixel in it."""
    left, top, right, bottom = bounds
    return Bounds(min(left, x), min(top, y), max(right, x + 1), max(bottom, y + 1))
