"""`bench match`: whether a recorded target is found again on a real screen that changed.

Every element of the real screens of other projects that a person could tap is recorded; then the screen is
changed, and the target is looked for. Each change has its own answer, known from how it was made: the same
element, or none where it was removed or lies under a dialog. Beside ours stand the recorded point itself, and
the only element with the same id, class, text and description.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assistant.bench.report import Report, progress, rounded
from assistant.phone.ui_tree import UnreadableTree, parse_tree
from assistant.records import Bounds, Element, Point
from assistant.simulator.chance import pick, share, whole
from assistant.skills.matcher import TargetRefused, find_again
from assistant.skills.screen_tree import ScreenTree

_OTHER_TEXTS = 0.3
"""Share of the texts beside the target's that another visit shows changed."""

_DIALOG_SIZE = (0.8, 0.3)
"""Width and height of a dialog, as shares of the screen."""

_NEW_WORDS = (
    "Harbour",
    "Maple",
    "Lantern",
    "Violin",
    "Cedar",
    "Orbit",
    "Willow",
    "Copper",
    "Falcon",
    "Ember",
)

_ROWS = {
    "none": 0.97,
    "30 % of other texts changed": 0.97,
    "a row inserted above": 0.97,
    "swapped with one of its kind": 0.85,
    "renamed": 0.70,
    "removed": None,
    "a dialog over it": None,
}
"""The changes, and how often the target is to be found again; None where nothing is to be found."""

_MOST_WRONG = 0.01


@dataclass(slots=True)
class _Node:
    """An element with what lies in it. `origin` is its index on the recorded screen, -1 for what is new."""

    element: Element
    origin: int
    children: list[_Node] = field(default_factory=list)

    def walk(self) -> Iterator[_Node]:
        """The node and everything in it, in document order."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class ChangedScreen:
    """A screen after a change: its elements, and which recorded element each of them was."""

    tree: ScreenTree
    origins: tuple[int, ...]

    def origin_at(self, point: Point) -> int:
        """Which recorded element a tap at a point hits now; -1 for a new one or none."""
        touched = self.tree.touched(point)
        return self.origins[touched.index] if touched is not None else -1


def tappable_points(tree: ScreenTree) -> dict[int, Point]:
    """The elements that a person could tap, each with its middle, where a tap there means this element."""
    points = {}
    for element in tree.elements:
        if not (element.clickable or element.long_clickable or element.editable) or not element.enabled:
            continue
        if not tree.is_visible(element) or not element.bounds.area:
            continue
        x, y = element.bounds.centre
        if not (0 <= x < tree.width and 0 <= y < tree.height):
            continue
        point = Point(x / tree.width, y / tree.height)
        touched = tree.touched(point)
        if touched is not None and touched.index == element.index:
            points[element.index] = point
    return points


def change_screen(tree: ScreenTree, target: int, change: str, seed: int) -> ChangedScreen | None:
    """A screen with one of the changes; None where it is not possible for this target."""
    roots = _nodes(tree)
    nodes = {node.origin: node for root in roots for node in root.walk()}
    done = _CHANGES[change](tree, nodes, target, seed)
    if not done:
        return None
    if change == "a dialog over it":
        roots.append(_dialog(tree, nodes[target].element.bounds))
    return _flat(tree, roots)


def _nodes(tree: ScreenTree) -> list[_Node]:
    nodes = [_Node(element, element.index) for element in tree.elements]
    for node in nodes:
        if node.element.parent >= 0:
            nodes[node.element.parent].children.append(node)
    return [node for node in nodes if node.element.parent < 0]


def _flat(tree: ScreenTree, roots: Sequence[_Node]) -> ChangedScreen:
    elements: list[Element] = []
    origins: list[int] = []

    def add(node: _Node, parent: int) -> None:
        index = len(elements)
        elements.append(replace(node.element, index=index, parent=parent))
        origins.append(node.origin)
        for child in node.children:
            add(child, index)

    for root in roots:
        add(root, -1)
    return ChangedScreen(ScreenTree(elements, (tree.width, tree.height)), tuple(origins))


_Change = Callable[[ScreenTree, dict[int, _Node], int, int], bool]


def _keep(tree: ScreenTree, nodes: dict[int, _Node], target: int, seed: int) -> bool:
    return True


def _change_texts(tree: ScreenTree, nodes: dict[int, _Node], target: int, seed: int) -> bool:
    """Other content: texts that are not the target's own say something else."""
    for index, node in nodes.items():
        if tree.is_within(index, target) or share(seed, target, index) >= _OTHER_TEXTS:
            continue
        if node.element.text and not node.element.editable:
            node.element = replace(node.element, text=_new_text(node.element.text, seed, target, index))
    return True


def _new_text(text: str, *about: object) -> str:
    words = [pick(_NEW_WORDS, place, *about) for place in range(max(1, len(text.split())))]
    return " ".join(words)


def _insert_row(tree: ScreenTree, nodes: dict[int, _Node], target: int, seed: int) -> bool:
    """A row of the kind of the target's comes in above it, with its own words; else a line of text does."""
    line = [target, *tree.ancestors(target)]
    for index in line[:-1]:
        parent = nodes[tree.elements[index].parent]
        like = [child for child in parent.children if _is_like(child.element, tree.elements[index])]
        like = [child for child in like if child.origin != index and tree.content(child.origin)]
        if like:
            model = pick(like, seed, target)
            added, top = _copy(model, seed, target), tree.elements[index].bounds.top
            height = max(1, model.element.bounds.height)
            break
    else:
        index = line[-2] if len(line) > 1 else target
        if tree.elements[index].parent < 0:
            return False
        parent = nodes[tree.elements[index].parent]
        bounds = tree.elements[index].bounds
        top, height = bounds.top, max(1, tree.height // 20)
        text = Element(0, 0, "android.widget.TextView", bounds, text=_new_text("one two", seed, target))
        added = _Node(text, -1)
    for node in nodes.values():
        if node.element.bounds.top >= top:
            node.element = replace(node.element, bounds=_shifted(node.element.bounds, height))
    moved = top - added.element.bounds.top
    for node in added.walk():
        node.element = replace(node.element, bounds=_shifted(node.element.bounds, moved))
    place = next(place for place, child in enumerate(parent.children) if child.origin == index)
    parent.children.insert(place, added)
    return True


def _is_like(element: Element, other: Element) -> bool:
    return (element.resource_id, element.class_name) == (other.resource_id, other.class_name)


def _copy(node: _Node, *about: object) -> _Node:
    """A new row with texts of its own."""
    element = node.element
    text = _new_text(element.text, node.origin, *about) if element.text else ""
    description = _new_text(element.description, node.origin, *about) if element.description else ""
    copied = replace(element, text=text, description=description, checked=False, selected=False)
    return _Node(copied, -1, [_copy(child, *about) for child in node.children])


def _shifted(bounds: Bounds, down: int) -> Bounds:
    return Bounds(bounds.left, bounds.top + down, bounds.right, bounds.bottom + down)


def _swap(tree: ScreenTree, nodes: dict[int, _Node], target: int, seed: int) -> bool:
    """The target, or the row it lies in, changes places with a like one."""
    for index in [target, *tree.ancestors(target)][:-1]:
        parent = nodes[tree.elements[index].parent]
        own = next(place for place, child in enumerate(parent.children) if child.origin == index)
        like = [
            place
            for place, child in enumerate(parent.children)
            if place != own
            and _is_like(child.element, tree.elements[index])
            and child.element.bounds.area
            and tree.content(child.origin) != tree.content(index)
        ]
        if like:
            other = pick(like, seed, target)
            own_node, like_node = parent.children[own], parent.children[other]
            parent.children[own], parent.children[other] = like_node, own_node
            across = like_node.element.bounds.left - own_node.element.bounds.left
            down = like_node.element.bounds.top - own_node.element.bounds.top
            _move(own_node, across, down)
            _move(like_node, -across, -down)
            return True
    return False


def _move(node: _Node, across: int, down: int) -> None:
    for part in node.walk():
        left, top, right, bottom = part.element.bounds
        bounds = Bounds(left + across, top + down, right + across, bottom + down)
        part.element = replace(part.element, bounds=bounds)


def _rename(tree: ScreenTree, nodes: dict[int, _Node], target: int, seed: int) -> bool:
    """What the target says is said in other words; a target without words has no other name."""
    renamed = False
    for index in (target, *tree.descendants(target)):
        element = nodes[index].element
        if element.text and not element.editable:
            element, renamed = replace(element, text=_new_text(element.text, seed, target, index)), True
        if element.description:
            new = _new_text(element.description, seed, target, index, "described")
            element, renamed = replace(element, description=new), True
        nodes[index].element = element
    return renamed


def _remove(tree: ScreenTree, nodes: dict[int, _Node], target: int, seed: int) -> bool:
    if tree.elements[target].parent < 0:
        return False
    parent = nodes[tree.elements[target].parent]
    parent.children = [child for child in parent.children if child.origin != target]
    return True


def _dialog(tree: ScreenTree, over: Bounds) -> _Node:
    """A dialog drawn last in the same window, over the target."""
    width, height = int(tree.width * _DIALOG_SIZE[0]), int(tree.height * _DIALOG_SIZE[1])
    x, y = over.centre
    left = min(max(0, int(x - width / 2)), tree.width - width)
    top = min(max(0, int(y - height / 2)), tree.height - height)
    panel = Bounds(left, top, left + width, top + height)
    text = Bounds(left, top, left + width, top + height // 2)
    no = Bounds(left, top + height // 2, left + width // 2, top + height)
    yes = Bounds(left + width // 2, top + height // 2, left + width, top + height)
    parts = [
        Element(0, 0, "android.widget.TextView", text, text="Do you like this app?"),
        Element(0, 0, "android.widget.Button", no, text="Not now", clickable=True),
        Element(0, 0, "android.widget.Button", yes, text="Rate it", clickable=True),
    ]
    return _Node(
        Element(0, -1, "android.widget.FrameLayout", panel, clickable=True),
        -1,
        [_Node(part, -1) for part in parts],
    )


_CHANGES: dict[str, _Change] = dict(
    zip(_ROWS, (_keep, _change_texts, _insert_row, _swap, _rename, _remove, _keep), strict=True)
)


def _find_ours(recorded: ScreenTree, target: int, point: Point, now: ChangedScreen) -> int | None:
    try:
        return now.origin_at(find_again(recorded, point, now.tree).point)
    except TargetRefused:
        return None


def _find_ours_for_replay(recorded: ScreenTree, target: int, point: Point, now: ChangedScreen) -> int | None:
    """What a repetition taps: only what still means what it meant."""
    try:
        match = find_again(recorded, point, now.tree)
    except TargetRefused:
        return None
    return now.origin_at(match.point) if match.is_repeated else None


def _find_by_point(recorded: ScreenTree, target: int, point: Point, now: ChangedScreen) -> int | None:
    return now.origin_at(point)


def _find_exact(recorded: ScreenTree, target: int, point: Point, now: ChangedScreen) -> int | None:
    """The only element with the same id, class, text and description, whatever lies over it."""
    own = recorded.elements[target]
    like = [
        element
        for element in now.tree.elements
        if (element.resource_id, element.class_name, element.text, element.description)
        == (own.resource_id, own.class_name, own.text, own.description)
    ]
    if len(like) != 1:
        return None
    x, y = like[0].bounds.centre
    return now.origin_at(Point(min(1, max(0, x / now.tree.width)), min(1, max(0, y / now.tree.height))))


_METHODS = {
    "ours": _find_ours,
    "ours, for a repetition": _find_ours_for_replay,
    "recorded point": _find_by_point,
    "exact, else refuse": _find_exact,
}


def read_screens(folder: Path) -> dict[str, ScreenTree]:
    """The real screens of a folder by their names; those that cannot be read are left out."""
    trees = {}
    for file in sorted((folder / "screens").glob("*.xml")):
        try:
            trees[file.stem] = ScreenTree(parse_tree(file.read_bytes()).elements)
        except UnreadableTree as error:
            progress(f"{file.name}: {error}")
    return trees


def run(data: Path, seed: int, listed: bool = False) -> Report:
    """Look for every target of the real screens after every change; `listed` prints what goes wrong."""
    trees = read_screens(data)
    counts: dict[str, dict[str, Counter[str]]] = {
        method: {change: Counter() for change in _ROWS} for method in _METHODS
    }
    targets = 0
    for name, tree in trees.items():
        for target, point in tappable_points(tree).items():
            targets += 1
            for change, least in _ROWS.items():
                now = change_screen(tree, target, change, whole(0, 1000, seed, name))
                if now is None:
                    continue
                if least is not None and not _is_reachable(now, target):
                    continue
                for method, find in _METHODS.items():
                    element = find(tree, target, point, now)
                    verdict = "refused" if element is None else "right" if element == target else "wrong"
                    if least is None and verdict == "right":
                        verdict = "wrong"
                    counts[method][change][verdict] += 1
                    if listed and method == "ours" and verdict == ("right" if least is None else "wrong"):
                        progress(f"{name} {target} {change}: {element}")
                    if listed and method == "ours" and verdict == "refused" and least is not None:
                        progress(f"{name} {target} {change}: refused")
    table = {
        method: {change: _shares(counted) for change, counted in by_change.items()}
        for method, by_change in counts.items()
    }
    ours = table["ours"]
    good = all(
        ours[change]["wrong"] <= _MOST_WRONG and ours[change]["right"] >= (least or 0.0)
        for change, least in _ROWS.items()
    )
    values: dict[str, Any] = {"screens": len(trees), "targets": targets, "changes": table}
    return Report(values, good, simulated="")


def _is_reachable(now: ChangedScreen, target: int) -> bool:
    """Whether the target is still on the screen, so that it can be found at all."""
    element = now.tree.elements[now.origins.index(target)]
    return now.tree.is_visible(element)


def _shares(counted: Counter[str]) -> dict[str, float]:
    total = max(1, counted.total())
    return rounded(
        {"tried": counted.total(), **{name: counted[name] / total for name in ("right", "wrong", "refused")}}
    )
