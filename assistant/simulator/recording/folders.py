"""Readers of recordings: FingerTip's folders, which our own past turns export to, and DroidBot's.

FingerTip (A.4): `memory.transfer.fingertip` tells the layout, `assistant memory export --fingertip` writes
it. Each screenshot is that before an action; the episodes of a folder follow one another.

DroidBot (honeynet/droidbot: device_state.py, input_event.py, utg.py) writes three things. `states/` holds
`state_TAG.json` (state_str, foreground_activity, width, height, and the views with bounds as two corners) and
`screen_TAG.png` or `.jpg`; `events/event_TAG.json` holds the event with start_state and stop_state, which are
such a state_str; `utg.js` is `var utg = {"nodes": …, "edges": …}`, whose node labelled `<FIRST>` is where it
began, and whose edges name what older versions do not keep in `events/`.

All of it comes from others: files are bounded in size, symbolic links are not followed, and what cannot be
read is left out.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from PIL import Image, UnidentifiedImageError
from pydantic import ValidationError

from assistant.memory.transfer.fingertip import episode_folders, read_episode, screen_files
from assistant.memory.transfer.jsonl import UnreadableRecord
from assistant.phone.ui_tree import UnreadableTree, parse_tree
from assistant.records import (
    ACTION,
    Action,
    Bounds,
    Click,
    Direction,
    Element,
    LongClick,
    OpenApp,
    Point,
    PressBack,
    PressEnter,
    PressHome,
    PressRecent,
    Scroll,
    Swipe,
    TypeText,
    Wait,
)
from assistant.simulator.recording.screens import (
    InputKind,
    RecordedInput,
    RecordedMove,
    RecordedScreen,
    Recording,
)

KEYS = {"HOME": 3, "BACK": 4, "ENTER": 66, "MENU": 82, "RECENT": 187, "APP_SWITCH": 187}
"""Android's key codes by the names that recordings use."""

_LARGEST = 20_000_000
_MOST_SCREENS = 5_000
_USUAL_SIZE = (1080, 2400)
_LAUNCHER = re.compile(r"launcher|\.home\b|trebuchet|quickstep", re.IGNORECASE)


class UnreadableRecording(Exception):
    """There is no recording in the folder; the message says what was looked for."""


def read_recording(folder: Path) -> Recording:
    """Read a recording of any known layout.

    Raises:
        UnreadableRecording: nothing in the folder can be shown.
    """
    if not folder.is_dir():
        raise UnreadableRecording(f"{folder} is no folder.")
    recording = _read_droidbot(folder) if (folder / "states").is_dir() else _read_episodes(folder)
    if not recording.screens:
        raise UnreadableRecording(
            f"{folder} holds no recorded screens: neither FingerTip's episodes (episode.json, screenshots/, "
            "trees/) nor DroidBot's states/."
        )
    return recording


class _EpisodeReader:
    """Reads actions in FingerTip's words, whole (`click(coordinates=(9,9), content='')`) or in parts."""

    def read_action(self, written: str | Mapping[str, Any], width: int, height: int) -> Action:
        """The action; coordinates are pixels.

        Raises:
            ValueError: it cannot be read.
        """
        name, values = _call(written)
        name = name.removeprefix("navigate_") if name.startswith("navigate_") else name
        name = {"back": "press_back", "home": "press_home", "recent": "press_recent"}.get(name, name)
        name = {"finish": "finished", "terminate": "finished"}.get(name, name)
        arguments: dict[str, Any] = {"type": name}
        for key, value in values.items():
            match value:
                case (int() | float() as x, int() | float() as y):
                    point = (min(1.0, max(0.0, x / (width or 1))), min(1.0, max(0.0, y / (height or 1))))
                    arguments["point" if key == "coordinates" else key] = point
                case str() if key != "action":
                    arguments[key] = value
        try:
            return ACTION.validate_python(arguments)
        except ValidationError as error:
            raise ValueError(f"no action: {name}") from error

    def read_tree(self, xml: bytes) -> Sequence[Element]:
        """The elements of a tree.

        Raises:
            ValueError: it is no tree.
        """
        try:
            return parse_tree(xml).elements
        except UnreadableTree as error:
            raise ValueError(str(error)) from error


def _call(written: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Name and arguments of an action.

    Raises:
        ValueError: it is neither a call of a plain name with plain values, nor an object that names one.
    """
    if isinstance(written, Mapping):
        names = (written.get(key) for key in ("action", "action_type", "type", "name"))
        name = next((value for value in names if isinstance(value, str)), "")
        if "(" in name:
            return _call(name)
        parts = {key: tuple(value) if isinstance(value, list) else value for key, value in written.items()}
        return name, {key: value for key, value in parts.items() if value != name}
    try:
        call = ast.parse(written.strip() if "(" in written else f"{written.strip()}()", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError(f"no action: {written[:80]}")
        return call.func.id, {word.arg or "": ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"no action: {written[:80]}") from error


def _read_episodes(folder: Path) -> Recording:
    screens: list[RecordedScreen] = []
    labels: dict[str, str] = {}
    for episode in episode_folders(folder):
        if len(screens) >= _MOST_SCREENS:
            break
        try:
            record = read_episode(episode, _EpisodeReader(), pictures=False).record
        except UnreadableRecord:
            continue
        pictures, trees = screen_files(episode)
        size = _declared_size(episode)
        numbers = sorted({*pictures, *trees})
        first = len(screens)
        shown = [
            _episode_screen(episode, number, pictures.get(number), trees.get(number), size)
            for number in numbers
        ]
        packages = Counter(screen.package for screen in shown if not _LAUNCHER.search(screen.package))
        if record.app and packages:
            labels.setdefault(packages.most_common(1)[0][0], record.app)
        places = {number: first + place for place, number in enumerate(numbers)}
        for place, screen in enumerate(shown):
            number = numbers[place]
            action = record.actions[number - 1] if 0 < number <= len(record.actions) else None
            target = places.get(number + 1, first + place)
            after = shown[place + 1] if place + 1 < len(shown) else screen
            screens.append(replace(screen, moves=tuple(_moves(screen, action, target, after))))
    return Recording(screens, labels)


def _moves(
    screen: RecordedScreen, action: Action | None, target: int, after: RecordedScreen
) -> Iterator[RecordedMove]:
    """What a recorded action is at the phone's side."""
    match action:
        case Click(point=point) | LongClick(point=point):
            kind = InputKind.TAP if isinstance(action, Click) else InputKind.HOLD
            yield RecordedMove(RecordedInput(kind, point), target)
        case Scroll(direction=direction):
            yield RecordedMove(RecordedInput(InputKind.SWIPE, direction=direction), target)
        case Swipe(start=start, end=end):
            yield RecordedMove(RecordedInput(InputKind.SWIPE, direction=direction_of(start, end)), target)
        case TypeText(text=text):
            yield RecordedMove(RecordedInput(InputKind.TEXT, text=text), target)
        case PressBack():
            yield RecordedMove(RecordedInput(InputKind.KEY, key=KEYS["BACK"]), target)
        case PressHome():
            yield RecordedMove(RecordedInput(InputKind.KEY, key=KEYS["HOME"]), target)
        case PressRecent():
            yield RecordedMove(RecordedInput(InputKind.KEY, key=KEYS["RECENT"]), target)
        case PressEnter():
            yield RecordedMove(RecordedInput(InputKind.KEY, key=KEYS["ENTER"]), target)
        case OpenApp():
            yield RecordedMove(RecordedInput(InputKind.START, text=after.package), target)
        case Wait():
            yield RecordedMove(RecordedInput(InputKind.WAIT), target)


def direction_of(start: Point, end: Point) -> Direction:
    """Where the content moves into view when a finger goes from one point to another."""
    across, down = end.x - start.x, end.y - start.y
    if abs(across) > abs(down):
        return Direction.LEFT if across > 0 else Direction.RIGHT
    return Direction.UP if down > 0 else Direction.DOWN


def _declared_size(episode: Path) -> tuple[int, int] | None:
    values = _json(episode / "episode.json")
    match values.get("screen") if isinstance(values, dict) else None:
        case [int(width), int(height)] if 0 < width < 20_000 and 0 < height < 20_000:
            return width, height
    return None


def _episode_screen(
    episode: Path, number: int, picture: Path | None, tree: Path | None, size: tuple[int, int] | None
) -> RecordedScreen:
    xml = _bytes(tree) if tree else b""
    try:
        elements = parse_tree(xml).elements if xml else ()
    except UnreadableTree:
        xml, elements = b"", ()
    width, height = size or _tree_size(elements) or _picture_size(picture) or _USUAL_SIZE
    package = next((element.package for element in elements if element.package), "")
    name = f"{episode.name}/{number:03}"
    return RecordedScreen(
        name=name,
        key=blake2b(xml, digest_size=12).hexdigest() if xml else name,
        width=width,
        height=height,
        package=package,
        activity=".MainActivity",
        tree=xml,
        elements=tuple(elements),
        picture=picture,
    )


def _tree_size(elements: Sequence[Element]) -> tuple[int, int] | None:
    right = max((element.bounds.right for element in elements), default=0)
    bottom = max((element.bounds.bottom for element in elements), default=0)
    return (right, bottom) if right > 0 and bottom > 0 else None


def _picture_size(picture: Path | None) -> tuple[int, int] | None:
    if picture is None:
        return None
    try:
        with Image.open(picture) as image:
            return image.size
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError):
        return None


def _read_droidbot(folder: Path) -> Recording:
    states = [state for state in _objects(folder / "states", "state_*.json") if state[1].get("views")]
    screens = [_droidbot_screen(file, state) for file, state in states[:_MOST_SCREENS]]
    places: dict[str, int] = {}
    for number, screen in enumerate(screens):
        places.setdefault(screen.key, number)
    moves: dict[int, list[RecordedMove]] = {}
    graph = _graph(folder / "utg.js")
    for start, event, stop in (*_kept_events(folder), *_graph_events(graph, states)):
        source, target = places.get(start), places.get(stop)
        happened = _droidbot_input(screens[source], event) if source is not None else None
        if source is not None and target is not None and happened is not None:
            moves.setdefault(source, []).append(RecordedMove(happened, target))
    whole = [
        replace(screen, moves=tuple(dict.fromkeys(moves.get(number, ()))))
        for number, screen in enumerate(screens)
    ]
    first = places.get(_first_node(graph), 0)
    return Recording(_led_by(whole, first))


def _led_by(screens: list[RecordedScreen], first: int) -> list[RecordedScreen]:
    """The screens with one of them in front, and the moves' numbers with them."""
    order = [first, *(number for number in range(len(screens)) if number != first)] if screens else []
    places = {number: place for place, number in enumerate(order)}
    return [
        replace(
            screens[number],
            moves=tuple(replace(move, target=places[move.target]) for move in screens[number].moves),
        )
        for number in order
    ]


def _droidbot_screen(file: Path, state: dict[str, Any]) -> RecordedScreen:
    views = [view for view in state["views"] if isinstance(view, dict)]
    xml = _views_xml(views)
    elements = parse_tree(xml).elements
    package, _, activity = str(state.get("foreground_activity") or "").partition("/")
    stem = file.name.removeprefix("state_").removesuffix(".json")
    pictures = (file.with_name(f"screen_{stem}{suffix}") for suffix in (".png", ".jpg"))
    picture = next((path for path in pictures if path.is_file() and not path.is_symlink()), None)
    size = _whole_number(state.get("width")), _whole_number(state.get("height"))
    width, height = size if all(size) else _picture_size(picture) or _tree_size(elements) or _USUAL_SIZE
    return RecordedScreen(
        name=stem,
        key=str(state.get("state_str") or stem),
        width=width,
        height=height,
        package=package,
        activity=activity or ".MainActivity",
        tree=xml,
        elements=tuple(elements),
        picture=picture,
    )


_FLAGS = {
    "checkable": "checkable",
    "checked": "checked",
    "clickable": "clickable",
    "enabled": "enabled",
    "focusable": "focusable",
    "focused": "focused",
    "scrollable": "scrollable",
    "long-clickable": "long_clickable",
    "password": "is_password",
    "selected": "selected",
}


def _views_xml(views: Sequence[dict[str, Any]]) -> bytes:
    """DroidBot's views as uiautomator writes them; invisible ones are left out, as it does."""
    parts = ['<?xml version="1.0" encoding="UTF-8"?>', '<hierarchy rotation="0">']
    written: set[int] = set()

    def write(number: int, depth: int) -> None:
        if number in written or not 0 <= number < len(views) or depth > 200:
            return
        written.add(number)
        view = views[number]
        if view.get("visible") is False and depth:
            return
        bounds = _bounds(view.get("bounds")) or Bounds(0, 0, 0, 0)
        values = {
            "text": view.get("text"),
            "resource-id": view.get("resource_id"),
            "class": view.get("class"),
            "package": view.get("package"),
            "content-desc": view.get("content_description"),
            **{name: str(bool(view.get(key))).lower() for name, key in _FLAGS.items()},
            "bounds": f"[{bounds.left},{bounds.top}][{bounds.right},{bounds.bottom}]",
        }
        written_values = (f"{name}={quoteattr(_valid(value))}" for name, value in values.items())
        parts.append(f"<node {' '.join(written_values)}>")
        for child in view.get("children") or ():
            if isinstance(child, int):
                write(child, depth + 1)
        parts.append("</node>")

    for number, view in enumerate(views):
        if view.get("parent") in (-1, None):
            write(number, 0)
    return "".join([*parts, "</hierarchy>"]).encode("utf-8", "replace")


_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _valid(value: Any) -> str:
    return _FORBIDDEN.sub("", value) if isinstance(value, str) else ""


def _droidbot_input(screen: RecordedScreen, event: Mapping[str, Any]) -> RecordedInput | None:
    """What a DroidBot event is at the phone's side; None for one that is no input, or cannot be read."""
    point = _event_point(screen, event)
    match event.get("event_type"):
        case "touch" | "select" | "unselect" if point:
            return RecordedInput(InputKind.TAP, point)
        case "long_touch" if point:
            return RecordedInput(InputKind.HOLD, point)
        case "scroll" if (name := str(event.get("direction", "")).lower()) in {*Direction}:
            return RecordedInput(InputKind.SWIPE, direction=Direction(name))
        case "swipe" if (ends := _swipe_ends(screen, event)) is not None:
            return RecordedInput(InputKind.SWIPE, direction=direction_of(*ends))
        case "set_text":
            return RecordedInput(InputKind.TEXT, text=str(event.get("text") or ""))
        case "key" if code := KEYS.get(str(event.get("name", "")).upper().removeprefix("KEYCODE_")):
            return RecordedInput(InputKind.KEY, key=code)
        case "intent" if match := _STARTED.search(str(event.get("intent", ""))):
            return RecordedInput(InputKind.START, text=match[1])
    return None


_STARTED = re.compile(r"\bstart\b.*?([\w.]+)/[\w.$]+")


def _swipe_ends(screen: RecordedScreen, event: Mapping[str, Any]) -> tuple[Point, Point] | None:
    match [event.get(key) for key in ("start_x", "start_y", "end_x", "end_y")]:
        case [int() | float() as x1, int() | float() as y1, int() | float() as x2, int() | float() as y2]:
            return _fraction(screen, x1, y1), _fraction(screen, x2, y2)
    return None


def _event_point(screen: RecordedScreen, event: Mapping[str, Any]) -> Point | None:
    """Where an event touches: its own point, else the middle of its view."""
    x, y, view = event.get("x"), event.get("y"), event.get("view")
    bounds = _bounds(view.get("bounds")) if isinstance(view, dict) else None
    if isinstance(x, int | float) and isinstance(y, int | float):
        return _fraction(screen, x, y)
    return _fraction(screen, *bounds.centre) if bounds else None


def _fraction(screen: RecordedScreen, x: float, y: float) -> Point:
    return Point(min(1.0, max(0.0, x / screen.width)), min(1.0, max(0.0, y / screen.height)))


def _kept_events(folder: Path) -> Iterator[tuple[str, dict[str, Any], str]]:
    for _, kept in _objects(folder / "events", "event_*.json"):
        event = kept.get("event")
        if isinstance(event, dict) and kept.get("start_state") and kept.get("stop_state"):
            yield str(kept["start_state"]), event, str(kept["stop_state"])


_EDGE_VIEW = re.compile(r"view=([0-9a-f]{32})")
_EDGE_VALUE = re.compile(r"\b(name|direction|text|intent)='?([^,()']*)")


def _graph_events(
    graph: Mapping[str, Any], states: Iterable[tuple[Path, dict[str, Any]]]
) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The events on the graph's edges, their views found again by the hash that names them."""
    views = {
        (state.get("state_str"), view.get("view_str")): view
        for _, state in states
        for view in state["views"]
        if isinstance(view, dict)
    }
    for edge in graph.get("edges") or ():
        for edge_event in edge.get("events") or () if isinstance(edge, dict) else ():
            sentence = str(edge_event.get("event_str", "")) if isinstance(edge_event, dict) else ""
            hashed = _EDGE_VIEW.search(sentence)
            event = {"event_type": edge_event.get("event_type"), **dict(_EDGE_VALUE.findall(sentence))}
            event["view"] = views.get((edge.get("from"), hashed[1])) if hashed else None
            yield str(edge.get("from")), event, str(edge.get("to"))


def _first_node(graph: Mapping[str, Any]) -> str:
    nodes = [node for node in graph.get("nodes") or () if isinstance(node, dict)]
    return next((str(node.get("id")) for node in nodes if "<FIRST>" in str(node.get("label"))), "")


def _graph(file: Path) -> dict[str, Any]:
    text = _bytes(file).decode("utf-8", "replace")
    try:
        graph = json.loads(text[text.find("{") :].rstrip().rstrip(";")) if "{" in text else {}
    except (ValueError, RecursionError):
        return {}
    return graph if isinstance(graph, dict) else {}


def _objects(folder: Path, pattern: str) -> list[tuple[Path, dict[str, Any]]]:
    """The JSON objects in a folder, in the order of their files' names."""
    files = sorted(file for file in folder.glob(pattern) if not file.is_symlink())
    pairs = ((file, _json(file)) for file in files[:_MOST_SCREENS])
    return [(file, value) for file, value in pairs if isinstance(value, dict)]


def _json(file: Path) -> Any:
    try:
        return json.loads(_bytes(file) or b"null")
    except (ValueError, RecursionError):
        return None


def _bytes(file: Path) -> bytes:
    try:
        if file.is_symlink() or file.stat().st_size > _LARGEST:
            return b""
        return file.read_bytes()
    except OSError:
        return b""


def _bounds(value: Any) -> Bounds | None:
    match value:
        case [[int(left), int(top)], [int(right), int(bottom)]]:
            return Bounds(left, top, right, bottom)
    return None


def _whole_number(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value < 20_000 else 0
