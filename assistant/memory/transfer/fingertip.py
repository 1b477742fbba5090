"""Import and export of FingerTip's folders (FingerTip A.4): one for each user, in it one for each episode.

    user_profile.json         what each user declared, a list of objects with user_id
    USER_ID/20250309_133115/
        episode.json          intent_description, user_id, time, scenario, app, actions
        screenshots/*.jpg     one for each action, in the order of their names
        trees/*.xml           the accessibility tree of each screenshot

The paper names the parts but not the files, so the import is lenient: pictures and trees may be anywhere in
the folder of the episode, and the fields in one JSON file or each in a file of its own (`actions.json`,
`intent_description.txt`). Coordinates are pixels of the first screenshot, or of `screen` (width and height)
if it is given; the export writes `screen`, because screenshots are stored scaled down. A time without a zone
is in China's, where all users of FingerTip live. Symbolic links are not followed. UI trees are written as
uiautomator writes them (AOSP AccessibilityNodeInfoDumper.java).
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol
from xml.sax.saxutils import quoteattr
from zoneinfo import ZoneInfo

from PIL import Image
from pydantic import ValidationError
from sqlalchemy import select

from assistant.files import write_in_place
from assistant.i18n import _
from assistant.memory import schema, turns
from assistant.memory.database import find_rows, portions
from assistant.memory.store import RecordFilter, Store
from assistant.memory.transfer.jsonl import (
    ActionReader,
    ImportProgress,
    Refuse,
    RefusedLine,
    Tell,
    UnreadableRecord,
    check_plausible,
    describe_errors,
)
from assistant.memory.turns import Checkpoint, StoredStep, observation_row, read_elements, safe_name, turn_row
from assistant.records import Action, Element, ForegroundApp, Observation, Record, Source

SOURCE = "demonstration"
"""The `source` of records that a user demonstrated by hand."""

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


class EpisodeReader(ActionReader, Protocol):
    """Reads the formats of other packages: action strings, and UI trees as XML."""

    def read_tree(self, xml: bytes) -> Sequence[Element]:
        """The elements of a UI tree.

        Raises:
            ValueError: it cannot be read.
        """


class Codec(EpisodeReader, Protocol):
    """Writes action strings, too."""

    def write_action(self, action: Action, width: int, height: int) -> str:
        """The inverse of `read_action`, rounded to pixels."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One record, and the stored observations before its steps, by step number from 1.

    The screenshots are already scaled down.
    """

    record: Record
    observations: Mapping[int, Observation]


def episode_folders(root: Path) -> list[Path]:
    """The folders that hold an episode: `root` itself, its folders or theirs, in the order of their names."""
    levels = [root, *_folders(root)]
    levels += [inner for folder in levels[1:] for inner in _folders(folder)]
    episodes = [
        folder for folder in levels if folder.name not in (SCREENSHOTS, TREES) and _holds_episode(folder)
    ]
    return sorted(episodes)


def read_episode(folder: Path, codec: EpisodeReader, *, pictures: bool = True) -> Episode:
    """Read one episode.

    Raises:
        UnreadableRecord: a required part is missing or broken.
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
        raise UnreadableRecord(describe_errors(error)) from error
    check_plausible(record)
    if not pictures:
        return Episode(record, {})
    observations = _screens(folder, codec, (width, height), _picture)
    app = ForegroundApp(label=record.app)
    return Episode(record, {number: replace(screen, app=app) for number, screen in observations.items()})


def read_screens(folder: Path, codec: EpisodeReader) -> dict[int, Observation]:
    """The screens before each action of an episode, by step number from 1, with unscaled pictures.

    The app in front is taken from the packages in the tree only: the app that an episode names is part of its
    task, and must not be told to a model that is being judged.

    Raises:
        UnreadableRecord: a part is broken.
    """
    values = _values(folder)
    size = _screen(values, _files(folder, _PICTURES))
    return _screens(folder, codec, size, lambda file: _bytes(file, _LARGEST_PICTURE))


def _screens(
    folder: Path, codec: EpisodeReader, size: tuple[int, int], read: Callable[[Path], bytes]
) -> dict[int, Observation]:
    shots, trees = screen_files(folder)
    observations = {}
    for number in sorted({*shots, *trees}):
        picture = read(shots[number]) if number in shots else b""
        elements = _elements(trees[number], codec) if number in trees else ()
        packages = [element.package for element in elements if element.package]
        app = ForegroundApp(max(packages, key=packages.count, default=""))
        observations[number] = Observation(*size, picture, tuple(elements), app)
    return observations


def screen_files(folder: Path) -> tuple[dict[int, Path], dict[int, Path]]:
    """The files of the pictures and the UI trees of an episode, by the number of the action after them."""
    return _numbered(_files(folder, _PICTURES)), _numbered(_files(folder, (".xml",)))


def read_profiles(root: Path) -> dict[str, dict[str, str]]:
    """What users declared about themselves (Table 7), from `user_profile.json` in `root`, by user id.

    Raises:
        UnreadableRecord: the file is not a list of objects with a `user_id`.
    """
    file = root / PROFILES
    if file.is_symlink() or not file.is_file():
        return {}
    entries = _json(file)
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and "user_id" in entry for entry in entries
    ):
        raise UnreadableRecord(_("{file}: is no list of objects with a user_id").format(file=PROFILES))
    return {
        str(entry["user_id"]): {str(key): str(value) for key, value in entry.items() if key != "user_id"}
        for entry in entries
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
    files = [
        file
        for directory in inner
        for file in directory.iterdir()
        if file.suffix.lower() in suffixes and file.is_file() and not file.is_symlink()
    ]
    return sorted(files, key=lambda file: [(len(part), part) for part in re.findall(r"\d+|\D+", file.stem)])


def _numbered(files: Sequence[Path]) -> dict[int, Path]:
    """Files by the last number in their names, moved so that none is 0; else by their order, from 1."""
    numbers = [int(digits[-1][:9]) for file in files if (digits := re.findall(r"\d+", file.stem))]
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
        content = _json(file)
        if isinstance(content, dict) and not set(_FIELDS).isdisjoint(content):
            for key in set(_FIELDS) & set(content):
                values.setdefault(key, content[key])
        elif file.stem in _FIELDS:
            values.setdefault(file.stem, content)
    return values


def _json(file: Path) -> Any:
    try:
        return json.loads(_bytes(file, _LARGEST_TEXT))
    except (ValueError, RecursionError) as error:
        raise UnreadableRecord(_("{file}: is not JSON").format(file=_shown(file))) from error


def _bytes(file: Path, most: int) -> bytes:
    try:
        if file.stat().st_size > most:
            raise UnreadableRecord(
                _("{file}: is larger than {most:,} bytes").format(file=_shown(file), most=most)
            )
        return file.read_bytes()
    except OSError as error:
        raise UnreadableRecord(
            _("{file}: cannot be read: {reason}").format(file=_shown(file), reason=error.strerror)
        ) from error


def _shown(file: Path) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in file.name)


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name, "")
    if not isinstance(value, str):
        raise UnreadableRecord(_("{name}: is no text").format(name=name))
    return value


def _scenario(text: str) -> str:
    name = text.strip()
    return _SCENARIOS.get(name.lower(), name) or "unknown"


def _time(value: Any) -> datetime:
    time_text = str(value).strip()
    try:
        stamped = _STAMPED.match(time_text)
        time = datetime.strptime(stamped[0], _STAMP) if stamped else datetime.fromisoformat(time_text)
    except ValueError as error:
        raise UnreadableRecord(_("time: is no time, such as 20250309_133115")) from error
    return time if time.tzinfo else time.replace(tzinfo=_ZONE)


def _name(folder: Path, time: datetime) -> str:
    return folder.name if _STAMPED.match(folder.name) else f"{time:{_STAMP}}"


def _screen(values: Mapping[str, Any], pictures: Sequence[Path]) -> tuple[int, int]:
    """Width and height of the screen that the coordinates refer to; 0 if unknown."""
    match values.get("screen"):
        case [int(width), int(height)] if 0 < width < 100_000 and 0 < height < 100_000:
            return width, height
        case None:
            pass
        case _:
            raise UnreadableRecord(_("screen: is not [width, height]"))
    if not pictures:
        return 0, 0
    try:
        with Image.open(io.BytesIO(_bytes(pictures[0], _LARGEST_PICTURE))) as picture:
            return picture.size
    except (OSError, Image.DecompressionBombError) as error:
        raise UnreadableRecord(_("{file}: is no picture").format(file=_shown(pictures[0]))) from error


def _actions(entries: Any, codec: EpisodeReader, width: int, height: int) -> Iterator[Action]:
    if isinstance(entries, str):
        entries = [line for line in entries.splitlines() if line.strip()]
    if not isinstance(entries, list | tuple):
        raise UnreadableRecord(_("actions: is no list"))
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, str | dict):
            raise UnreadableRecord(
                _("action {number}: is neither a text nor an object").format(number=number)
            )
        try:
            yield codec.read_action(entry, width, height)
        except ValueError as error:
            raise UnreadableRecord(
                _("action {number}: {error}").format(number=number, error=error)
            ) from error


def _picture(file: Path) -> bytes:
    try:
        return turns.shrink_picture(_bytes(file, _LARGEST_PICTURE))
    except (OSError, Image.DecompressionBombError) as error:
        raise UnreadableRecord(_("{file}: is no picture").format(file=_shown(file))) from error


def _elements(file: Path, codec: EpisodeReader) -> Sequence[Element]:
    try:
        return codec.read_tree(_bytes(file, _LARGEST_TEXT))
    except ValueError as error:
        raise UnreadableRecord(f"{_shown(file)}: {error}") from error


def tree_xml(elements: Sequence[Element]) -> str:
    """Elements in document order as the XML that uiautomator writes."""
    parts = ["<?xml version='1.0' encoding='UTF-8'?>", '<hierarchy rotation="0">']
    open_elements: list[int] = []
    for element in elements:
        while open_elements and open_elements[-1] != element.parent:
            open_elements.pop()
            parts.append("</node>")
        parts.append(f"<node {_attributes(element)}>")
        open_elements.append(element.index)
    parts += ["</node>"] * len(open_elements)
    return "\n".join([*parts, "</hierarchy>", ""])


def _attributes(element: Element) -> str:
    left, top, right, bottom = element.bounds
    values: dict[str, str | bool] = {
        "text": element.text,
        "resource-id": element.resource_id,
        "class": element.class_name,
        "package": element.package,
        "content-desc": element.description,
        "hint": element.hint,
        "checkable": element.checkable,
        "checked": element.checked,
        "clickable": element.clickable,
        "enabled": element.enabled,
        "focused": element.focused,
        "scrollable": element.scrollable,
        "long-clickable": element.long_clickable,
        "password": element.password,
        "selected": element.selected,
        "bounds": f"[{left},{top}][{right},{bottom}]",
    }
    return " ".join(f"{name}={quoteattr(_said(value))}" for name, value in values.items())


def _said(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value


_EPISODES_AT_ONCE = 10
_UNKNOWN_SCREEN = (99_999, 99_999)


def import_folder(
    store: Store, root: Path, codec: Codec, tell: Tell, refuse: Refuse, *, pictures: bool = True
) -> ImportProgress:
    """Import FingerTip's folders: records, observations, and what users declared about themselves.

    Args:
        store: the memory.
        root: the folder of all users, of one user, or of one episode.
        codec: reads action strings and UI trees.
        tell: called with the progress after each portion.
        refuse: called for each episode that cannot be read.
        pictures: whether to import screenshots and UI trees.

    Raises:
        OSError: the folder cannot be listed.
        StoreError: the memory cannot be written; portions that were reported stay stored.
    """
    progress, description, change_id = ImportProgress(), f"Import episodes from {root.name}", None
    try:
        profiles = read_profiles(root)
    except UnreadableRecord as error:
        profiles, progress = {}, ImportProgress(refused=1)
        refuse(RefusedLine(0, str(error)))
    if profiles:
        with store.change(description, "asked by the user") as change:
            rows = [{"user_id": user, "fields": fields} for user, fields in profiles.items()]
            change.insert_missing(schema.user_profiles, rows)
        change_id = change.id
    numbered = enumerate(episode_folders(root), start=1)
    for portion in portions(numbered, _EPISODES_AT_ONCE):
        refused: list[RefusedLine] = []
        episodes = list(_read(portion, codec, refused, pictures=pictures))
        with store.change(description, "asked by the user", change_id) as change:
            keys = [{"id": episode.record.id} for episode in episodes]
            existing_ids = {row["id"] for row in find_rows(change.connection, schema.records, keys).values()}
            new_by_id = {
                episode.record.id: episode for episode in episodes if episode.record.id not in existing_ids
            }
            change.insert(schema.records, [episode.record.as_row() for episode in new_by_id.values()])
            if pictures:
                observed = {
                    episode.record.id: episode for episode in new_by_id.values() if episode.observations
                }
                rows = [row for episode in observed.values() for row in _observations(store, episode)]
                change.insert_missing(schema.turns, map(_turn, observed.values()))
                change.insert_missing(schema.observations, rows)
        change_id = change.id
        for refusal in refused:
            refuse(refusal)
        progress = ImportProgress(
            progress.imported + len(new_by_id),
            progress.duplicates + len(episodes) - len(new_by_id),
            progress.refused + len(refused),
            portion[-1][0],
        )
        tell(progress)
    return progress


def export_folder(store: Store, root: Path, codec: Codec, record_filter: RecordFilter) -> Iterator[Record]:
    """Export records as FingerTip's folders; yields each record after it is written.

    The format has no fields for the typed command, the outcome, the package, usage, costs, and the target of
    an action; coordinates are rounded to pixels. If the screen size is unknown, they refer to a screen of
    99,999 by 99,999 pixels.

    Raises:
        OSError: the folder cannot be written.
    """
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write_profiles(store, root)
    for record in store.records.where(record_filter):
        stamp = record.id.removeprefix(f"u{record.user_id}-")
        folder = root / safe_name(record.user_id) / safe_name(stamp)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        observations = _placed(store, record.id, _read_observations(store, record.id))
        width, height = next(
            ((row["width"], row["height"]) for row in observations if row["width"]), _UNKNOWN_SCREEN
        )
        for row in observations:
            _write_observation(store, folder, row)
        episode = {
            "id": record.id,
            "user_id": record.user_id,
            "time": record.time.isoformat(),
            "scenario": record.scenario,
            "app": record.app,
            "intent_description": record.instruction,
            "screen": [width, height],
            "actions": [{"action": codec.write_action(action, width, height)} for action in record.actions],
        }
        write_in_place(folder / EPISODE, json.dumps(episode, ensure_ascii=False, indent=1))
        yield record


def _read(
    folders: Sequence[tuple[int, Path]], codec: Codec, refused: list[RefusedLine], *, pictures: bool
) -> Iterator[Episode]:
    for number, folder in folders:
        try:
            yield read_episode(folder, codec, pictures=pictures)
        except UnreadableRecord as error:
            refused.append(RefusedLine(number, f"{folder.parent.name}/{folder.name}: {error}"))


def _turn(episode: Episode) -> dict[str, Any]:
    """The turn of an episode, as one in which the user did every step."""
    record = episode.record
    steps = (
        StoredStep(number=number, action=action, source=Source.USER, app=record.app, package=record.package)
        for number, action in enumerate(record.actions, start=1)
    )
    checkpoint = Checkpoint(
        turn_id=record.id,
        user_id=record.user_id,
        started=record.time,
        said=record.said,
        instruction=record.instruction,
        scenario=record.scenario,
        steps=tuple(steps),
    )
    return turn_row(checkpoint, is_open=False)


def _observations(store: Store, episode: Episode) -> Iterator[dict[str, Any]]:
    for step, observation in episode.observations.items():
        row = observation_row(episode.record.id, step, observation)
        if row["screenshot"]:
            write_in_place(store.screenshots / row["screenshot"], observation.screenshot)
        yield row


def _read_observations(store: Store, record_id: str) -> Sequence[Mapping[Any, Any]]:
    table = schema.observations
    with store.reader() as connection:
        query = select(table).where(table.c.turn_id == record_id).order_by(table.c.step)
        return connection.execute(query).mappings().all()


def _placed(store: Store, record_id: str, observations: Sequence[Mapping[Any, Any]]) -> list[dict[str, Any]]:
    """The screens before the actions of a record, numbered like the actions.

    A turn also counts refused steps, which a record does not have: the screens before those are left out.
    """
    with store.reader() as connection:
        query = select(schema.turns).where(schema.turns.c.id == record_id)
        row = connection.execute(query).mappings().one_or_none()
        turn = Checkpoint.model_validate(turns.whole_checkpoint(connection, row)) if row else None
    steps = turn.steps if turn else ()
    performed = [step.number for step in steps if not step.error]
    last = max((step.number for step in steps), default=0)
    places = {number: place for place, number in enumerate(performed, start=1)}
    refused = {step.number for step in steps} - places.keys()
    return [
        {**row, "step": places.get(row["step"], row["step"] - last + len(performed))}
        for row in observations
        if row["step"] not in refused
    ]


def _write_observation(store: Store, folder: Path, row: Mapping[Any, Any]) -> None:
    if row["elements"]:
        (folder / TREES).mkdir(mode=0o700, exist_ok=True)
        xml = tree_xml(read_elements(row))
        write_in_place(folder / TREES / f"{row['step']:03}.xml", xml)
    picture = store.screenshots / row["screenshot"]
    if row["screenshot"] and picture.is_file():
        (folder / SCREENSHOTS).mkdir(mode=0o700, exist_ok=True)
        write_in_place(folder / SCREENSHOTS / f"{row['step']:03}.jpg", picture.read_bytes())


def _write_profiles(store: Store, root: Path) -> None:
    table = schema.user_profiles
    with store.reader() as connection:
        rows = connection.execute(select(table).order_by(table.c.user_id)).mappings().all()
    if rows:
        listed = [{"user_id": row["user_id"], **row["fields"]} for row in rows]
        write_in_place(root / PROFILES, json.dumps(listed, ensure_ascii=False, indent=1))
