"""FingerTip's folders (FingerTip A.4): one for each user, in it one for each episode.

    user_profile.json         what each user declared, a list of objects with user_id
    USER_ID/20250309_133115/
        episode.json          intent_description, user_id, time, scenario, app, actions
        screenshots/*.jpg     one for each action, in the order of their names
        trees/*.xml           the accessibility tree of each screenshot

The paper names the parts and not the files, so the reader is liberal: pictures and trees may lie anywhere in
the episode's folder, the fields may stand in one JSON file, or each in a file of its own, `actions.json` or
`intent_description.txt`. Coordinates are pixels of the first screenshot, or of `screen`, width and height,
where that is given; ours are written with it, as screenshots are kept smaller than they were. A time without
a zone is of China, where all of FingerTip's users live. Links are not followed.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from PIL import Image
from pydantic import ValidationError

from assistant.i18n import _
from assistant.memory import screenshots
from assistant.memory.transfer.jsonl import Unreadable, check, in_words
from assistant.records import Action, Element, ForegroundApp, Observation, Record

SOURCE = "demonstration"
"""The `source` of records that a user showed by hand."""

EPISODE = "episode.json"
PROFILES = "user_profile.json"
SCREENSHOTS = "screenshots"
TREES = "trees"

_ZONE = ZoneInfo("Asia/Shanghai")
_STAMP = "%Y%m%d_%H%M%S"
_STAMPED = re.compile(r"\d{8}_\d{6}")
_FIELDS = ("intent_description", "user_id", "time", "scenario", "app", "actions", "id", "screen")
_PICTURES = (".jpg", ".jpeg", ".png")
_LARGEST_TEXT, _LARGEST_PICTURE = 10_000_000, 50_000_000
_SCENARIOS = {
    "entertainment and leisure venue": "entertainment venue",
    "natural outdoor spaces": "outdoors",
    "natural outdoor space": "outdoors",
}


class Codec(Protocol):
    """Reads and writes what belongs to other rooms: action strings, and UI trees as XML."""

    def read_action(self, written: str | Mapping[str, Any], width: int, height: int) -> Action:
        """An action from its string or from its parts; coordinates are pixels.

        Raises:
            ValueError: it cannot be read.
        """

    def write_action(self, action: Action, width: int, height: int) -> str:
        """The inverse of `read_action`, rounded to pixels."""

    def read_tree(self, xml: bytes) -> Sequence[Element]:
        """The elements of a UI tree.

        Raises:
            ValueError: it cannot be read.
        """


@dataclass(frozen=True, slots=True)
class Episode:
    """One record, and what was seen before each of its steps, counted from 1, as far as it was kept.

    The pictures are small ones already.
    """

    record: Record
    seen: Mapping[int, Observation]


def episode_folders(root: Path) -> list[Path]:
    """The folders that hold an episode: `root` itself, its folders or theirs, in the order of their names."""
    levels = [root, *_folders(root)]
    levels += [inner for folder in levels[1:] for inner in _folders(folder)]
    found = [
        folder for folder in levels if folder.name not in (SCREENSHOTS, TREES) and _holds_episode(folder)
    ]
    return sorted(found)


def read_episode(folder: Path, codec: Codec, *, pictures: bool = True) -> Episode:
    """One episode.

    Raises:
        Unreadable: something that it cannot do without is missing or broken.
    """
    values = _values(folder)
    files = _files(folder, _PICTURES)
    width, height = _screen(values, files)
    user_id = str(values.get("user_id", folder.parent.name))
    time = _time(values.get("time", folder.name))
    try:
        record = Record(
            id=str(values.get("id") or f"u{user_id}-{_name(folder, time)}"),
            user_id=user_id,
            time=time,
            instruction=_text(values, "intent_description"),
            scenario=_scenario(_text(values, "scenario")),
            app=_text(values, "app"),
            source=SOURCE,
            actions=tuple(_actions(values.get("actions") or (), codec, width, height)),
        )
    except ValidationError as error:
        raise Unreadable(in_words(error)) from error
    check(record)
    shots, trees = (_numbered(files), _numbered(_files(folder, (".xml",)))) if pictures else ({}, {})
    app = ForegroundApp(label=record.app)
    seen = {}
    for number in sorted({*shots, *trees}):
        picture = _picture(shots[number]) if number in shots else b""
        elements = _elements(trees[number], codec) if number in trees else ()
        seen[number] = Observation(width, height, picture, tuple(elements), app)
    return Episode(record, seen)


def read_profiles(root: Path) -> dict[str, dict[str, str]]:
    """What users declared of themselves (Table 7), from `user_profile.json` in `root`, by user id.

    Raises:
        Unreadable: the file is there and is no list of objects that name their `user_id`.
    """
    file = root / PROFILES
    if file.is_symlink() or not file.is_file():
        return {}
    listed = _json(file)
    if not isinstance(listed, list) or not all(isinstance(one, dict) and "user_id" in one for one in listed):
        raise Unreadable(_("{file}: is no list of objects with a user_id").format(file=PROFILES))
    return {
        str(one["user_id"]): {str(key): str(value) for key, value in one.items() if key != "user_id"}
        for one in listed
    }


def _folders(folder: Path) -> list[Path]:
    return [inner for inner in folder.iterdir() if inner.is_dir() and not inner.is_symlink()]


def _holds_episode(folder: Path) -> bool:
    if _STAMPED.match(folder.name):
        return True
    return any(
        (folder / f"{stem}{end}").is_file() for stem in ("episode", "actions") for end in (".json", ".txt")
    )


def _files(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The files of an episode by their kind, in the order of the numbers in their names."""
    inner = [folder, *_folders(folder)]
    found = [
        file
        for place in inner
        for file in place.iterdir()
        if file.suffix.lower() in suffixes and file.is_file() and not file.is_symlink()
    ]
    return sorted(found, key=lambda file: [(len(part), part) for part in re.findall(r"\d+|\D+", file.stem)])


def _numbered(files: Sequence[Path]) -> dict[int, Path]:
    """Files by the last number in their names, moved so that none is 0; else by their order, from 1."""
    numbers = [int(found[-1][:9]) for file in files if (found := re.findall(r"\d+", file.stem))]
    if len(set(numbers)) != len(files):
        return dict(enumerate(files, start=1))
    first = 0 if 0 not in numbers else 1
    return {number + first: file for number, file in zip(numbers, files, strict=True)}


def _values(folder: Path) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for file in sorted(_files(folder, (".json", ".txt")), key=lambda file: file.name != EPISODE):
        if file.suffix.lower() == ".txt":
            values.setdefault(file.stem, _bytes(file, _LARGEST_TEXT).decode("utf-8", "replace").strip())
            continue
        read = _json(file)
        if isinstance(read, dict) and not set(_FIELDS).isdisjoint(read):
            for key in set(_FIELDS) & set(read):
                values.setdefault(key, read[key])
        elif file.stem in _FIELDS:
            values.setdefault(file.stem, read)
    return values


def _json(file: Path) -> Any:
    try:
        return json.loads(_bytes(file, _LARGEST_TEXT))
    except (ValueError, RecursionError) as error:
        raise Unreadable(_("{file}: is not JSON").format(file=_shown(file))) from error


def _bytes(file: Path, most: int) -> bytes:
    try:
        if file.stat().st_size > most:
            raise Unreadable(_("{file}: is larger than {most:,} bytes").format(file=_shown(file), most=most))
        return file.read_bytes()
    except OSError as error:
        raise Unreadable(
            _("{file}: cannot be read: {reason}").format(file=_shown(file), reason=error.strerror)
        ) from error


def _shown(file: Path) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in file.name)


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name, "")
    if not isinstance(value, str):
        raise Unreadable(_("{name}: is no text").format(name=name))
    return value


def _scenario(text: str) -> str:
    name = text.strip()
    return _SCENARIOS.get(name.lower(), name) or "unknown"


def _time(written: Any) -> datetime:
    text = str(written).strip()
    try:
        stamped = _STAMPED.match(text)
        time = datetime.strptime(stamped[0], _STAMP) if stamped else datetime.fromisoformat(text)
    except ValueError as error:
        raise Unreadable(_("time: is no time, such as 20250309_133115")) from error
    return time if time.tzinfo else time.replace(tzinfo=_ZONE)


def _name(folder: Path, time: datetime) -> str:
    return folder.name if _STAMPED.match(folder.name) else f"{time:{_STAMP}}"


def _screen(values: Mapping[str, Any], pictures: Sequence[Path]) -> tuple[int, int]:
    """Width and height that the coordinates count in; 0 where nobody tells."""
    match values.get("screen"):
        case [int(width), int(height)] if 0 < width < 100_000 and 0 < height < 100_000:
            return width, height
        case None:
            pass
        case _:
            raise Unreadable(_("screen: is not [width, height]"))
    if not pictures:
        return 0, 0
    try:
        with Image.open(io.BytesIO(_bytes(pictures[0], _LARGEST_PICTURE))) as picture:
            return picture.size
    except (OSError, Image.DecompressionBombError) as error:
        raise Unreadable(_("{file}: is no picture").format(file=_shown(pictures[0]))) from error


def _actions(written: Any, codec: Codec, width: int, height: int) -> Iterator[Action]:
    if isinstance(written, str):
        written = [line for line in written.splitlines() if line.strip()]
    if not isinstance(written, list | tuple):
        raise Unreadable(_("actions: is no list"))
    for number, one in enumerate(written, start=1):
        if not isinstance(one, str | dict):
            raise Unreadable(_("action {number}: is neither a text nor an object").format(number=number))
        try:
            yield codec.read_action(one, width, height)
        except ValueError as error:
            raise Unreadable(_("action {number}: {error}").format(number=number, error=error)) from error


def _picture(file: Path) -> bytes:
    try:
        return screenshots.smaller(_bytes(file, _LARGEST_PICTURE))
    except (OSError, Image.DecompressionBombError) as error:
        raise Unreadable(_("{file}: is no picture").format(file=_shown(file))) from error


def _elements(file: Path, codec: Codec) -> Sequence[Element]:
    try:
        return codec.read_tree(_bytes(file, _LARGEST_TEXT))
    except ValueError as error:
        raise Unreadable(f"{_shown(file)}: {error}") from error
