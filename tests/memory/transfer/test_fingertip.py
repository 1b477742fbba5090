from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from sqlalchemy import select

from assistant.cli.memory_data import ActionTreeCodec
from assistant.memory import schema
from assistant.memory.store import RecordFilter, Store
from assistant.memory.transfer.fingertip import export_folder, import_folder, tree_xml
from assistant.memory.transfer.jsonl import ImportProgress, RefusedLine
from assistant.memory.turns import read_elements, safe_name
from assistant.records import Bounds, Click, Element, Point, Record, Scroll, Target, TypeText

TREE = (
    "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">"
    '<node class="android.widget.FrameLayout" bounds="[0,0][1000,2000]">'
    '<node text="Search" bounds="[9,9][90,90]" clickable="true" enabled="false"/></node></hierarchy>'
)
ACTIONS = [
    "click(coordinates=(336, 1267), content='Eats, it\\'s here')",
    {"action": "type", "text": "beef noodles"},
    {"type": "scroll", "coordinates": [500, 1000], "direction": "down"},
    {"name": "press_back"},
    "terminate()",
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "memory")
    yield opened
    opened.close()


def episode(folder: Path, pictures: int = 2, **changes: Any) -> Path:
    values = {
        "user_id": 55,
        "time": "2025-03-09 13:31:15",
        "scenario": "natural outdoor spaces",
        "app": "Eats",
        "intent_description": "用 Eats 点一份牛肉面",
        "actions": ACTIONS,
        **changes,
    }
    folder.mkdir(parents=True)
    (folder / "episode.json").write_text(
        json.dumps({key: value for key, value in values.items() if value is not None})
    )
    for number in range(pictures):
        Image.new("RGB", (1000, 2000), "navy").save(folder / f"{number}.jpg")
        (folder / f"{number}.xml").write_text(TREE)
    return folder


def took(store: Store, root: Path, *, pictures: bool = True) -> tuple[ImportProgress, list[RefusedLine]]:
    refused: list[RefusedLine] = []
    done = import_folder(store, root, ActionTreeCodec(), lambda _: None, refused.append, pictures=pictures)
    return done, refused


def observations(store: Store) -> list[Any]:
    with store.reader() as connection:
        return list(connection.execute(select(schema.observations)).mappings())


def written(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_an_episode_becomes_a_record_with_what_was_seen(store: Store, tmp_path: Path) -> None:
    episode(tmp_path / "data" / "55" / "20250309_133115")
    done, refused = took(store, tmp_path / "data")
    assert (done.imported, refused) == (1, [])
    (record,) = store.records.of("55")
    assert (record.id, record.instruction, record.app) == (
        "u55-20250309_133115",
        "用 Eats 点一份牛肉面",
        "Eats",
    )
    assert (record.scenario, record.source) == ("outdoors", "demonstration")
    assert record.time.isoformat() == "2025-03-09T13:31:15+08:00"
    assert [action.type for action in record.actions] == ["click", "type", "scroll", "press_back", "finished"]
    assert record.actions[0] == Click(point=Point(0.336, 0.6335), content="Eats, it's here")
    first, second = observations(store)
    assert (first["step"], second["step"], first["width"]) == (1, 2, 1000)
    _, search = read_elements(first)
    assert (search.text, search.bounds, search.clickable, search.enabled) == (
        "Search",
        Bounds(9, 9, 90, 90),
        True,
        False,
    )
    (shot, _) = sorted(store.screenshots.iterdir())
    assert stat.S_IMODE(shot.stat().st_mode) == 0o600
    with Image.open(shot) as picture:
        assert picture.size == (540, 1080)
    assert store.turns.commands("55") == []
    assert store.turns.newest_open("55") is None


@pytest.mark.parametrize("level", ["data", "data/55", "data/55/20250309_133115"])
def test_any_level_may_be_named_and_twice_changes_nothing(store: Store, tmp_path: Path, level: str) -> None:
    episode(tmp_path / "data" / "55" / "20250309_133115", pictures=1)
    assert took(store, tmp_path / level)[0].imported == 1
    done, _ = took(store, tmp_path / level)
    assert (done.imported, done.duplicates) == (0, 1)
    assert len(store.audit.lines()) == 1


def test_the_parts_may_lie_in_files_of_their_own(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "7" / "20250309_133115"
    (folder / "screenshots").mkdir(parents=True)
    Image.new("RGB", (100, 200)).save(folder / "screenshots" / "step_1.jpg")
    (folder / "actions.json").write_text(
        json.dumps([{"action_type": "click", "coordinates": {"x": 50, "y": 50}}])
    )
    (folder / "intent_description.txt").write_text("open Eats\n")
    (folder / "scenario.txt").write_text("my boat")
    assert took(store, tmp_path)[1] == []
    (record,) = store.records.of("7")
    assert (record.instruction, record.scenario, record.actions) == (
        "open Eats",
        "my boat",
        (Click(point=Point(0.5, 0.25)),),
    )


def test_undo_takes_an_import_back_and_redo_brings_it_again(store: Store, tmp_path: Path) -> None:
    episode(tmp_path / "data" / "55" / "20250309_133115")
    (tmp_path / "data" / "user_profile.json").write_text('[{"user_id": 55, "sex": "male", "age": 20}]')
    took(store, tmp_path / "data")
    assert len(store.audit.lines()) == 1
    store.undo()
    assert (store.records.count(), observations(store)) == (0, [])
    store.redo()
    assert (store.records.count(), len(observations(store))) == (1, 2)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"actions": ["fly(coordinates=(1,2))"]}, "action 1: "),
        ({"actions": ["press_back()", 5]}, "action 2: is neither"),
        (
            {"actions": ["click(coordinates=(5000, 1), content='')"]},
            "action 1: The coordinates (5000, 1) lie",
        ),
        ({"intent_description": None}, "instruction: "),
        ({"time": "yesterday"}, "time: is no time"),
        ({"screen": ["a", 2]}, "screen: is not"),
        ({"scenario": 5}, "scenario: is no text"),
    ],
)
def test_a_broken_episode_is_told_and_the_others_come(
    store: Store, tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    episode(tmp_path / "55" / "20250309_133115", 1, **changes)
    episode(tmp_path / "55" / "20250310_133115", 1)
    done, refused = took(store, tmp_path)
    assert (done.imported, done.refused, [refusal.line for refusal in refused]) == (1, 1, [1])
    assert reason in refused[0].reason


def test_coordinates_need_a_screen(store: Store, tmp_path: Path) -> None:
    episode(tmp_path / "55" / "20250309_133115", 0)
    assert "no screenshot" in took(store, tmp_path)[1][0].reason


def test_files_that_are_not_what_they_say_are_refused(store: Store, tmp_path: Path) -> None:
    for number, (name, text) in enumerate(
        [("0.jpg", b"no picture"), ("0.xml", b"<hierarchy><node>"), ("episode.json", b"[" * 100_000)]
    ):
        (episode(tmp_path / "55" / f"2025030{number + 1}_133115", 1) / name).write_bytes(text)
    done, refused = took(store, tmp_path)
    assert (done.imported, done.refused) == (0, 3)
    assert [refusal.reason.partition(": ")[2] for refusal in refused] == [
        "0.jpg: is no picture",
        "0.xml: the UI tree is cut off",
        "episode.json: is not JSON",
    ]


def test_links_are_not_followed(store: Store, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    folder = episode(tmp_path / "data" / "55" / "20250309_133115", 1, intent_description=None)
    (folder / "intent_description.txt").symlink_to(tmp_path / "secret.txt")
    assert took(store, tmp_path / "data")[0].refused == 1


def test_a_user_called_like_a_path_writes_nowhere_else(store: Store, tmp_path: Path) -> None:
    episode(tmp_path / "55" / "20250309_133115", 1, user_id="../../evil")
    assert took(store, tmp_path)[0].imported == 1
    list(export_folder(store, tmp_path / "out" / "deep", ActionTreeCodec(), RecordFilter()))
    assert not list(tmp_path.rglob("evil*"))
    assert {file.parent for file in store.screenshots.rglob("*.jpg")} == {store.screenshots}


def test_what_the_format_can_carry_comes_back_as_it_was(store: Store, tmp_path: Path) -> None:
    episode(tmp_path / "in" / "55" / "20250309_133115")
    (tmp_path / "in" / "user_profile.json").write_text('[{"user_id": "55", "sex": "male"}]')
    took(store, tmp_path / "in")
    own = Record(
        id="someone's id/1",
        user_id="me",
        time=datetime(2026, 3, 9, 12, tzinfo=UTC),
        instruction="call mom",
        source="demonstration",
        actions=(Scroll(direction="up", point=Point(0.25, 0.75)), TypeText(text="a\n'b'")),
    )
    store.records.add([own])
    first, second, other = tmp_path / "first", tmp_path / "second", Store(tmp_path / "other")
    assert len(list(export_folder(store, first, ActionTreeCodec(), RecordFilter()))) == 2
    assert took(other, first)[1] == []
    back = other.records.get(own.id)
    assert back is not None
    assert back.actions[1:] == own.actions[1:]
    assert isinstance(back.actions[0], Scroll)
    assert back.actions[0].point == pytest.approx(Point(0.25, 0.75), abs=1e-4)
    assert back.model_copy(update={"actions": own.actions}) == own
    assert list(other.records.of("55")) == list(store.records.of("55"))
    assert [read_elements(row) for row in observations(other)] == [
        read_elements(row) for row in observations(store)
    ]
    list(export_folder(other, second, ActionTreeCodec(), RecordFilter()))
    pictures = {name for name in written(first) if name.endswith(".jpg")}
    assert len(pictures) == 2
    assert written(first).keys() == written(second).keys()
    assert all(written(first)[name] == written(second)[name] for name in written(first).keys() - pictures)
    other.close()


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=8) | st.just("a\n\t'\"<&")


@st.composite
def trees(draw: st.DrawFn) -> tuple[Element, ...]:
    elements: list[Element] = []
    ancestors: list[int] = []
    for index in range(draw(st.integers(0, 8))):
        del ancestors[draw(st.integers(0, len(ancestors))) :]
        left, top, right, bottom = (draw(st.integers(-100, 3000)) for _ in range(4))
        elements.append(
            Element(
                index,
                ancestors[-1] if ancestors else -1,
                draw(texts),
                Bounds(left, top, right, bottom),
                text=draw(texts),
                resource_id=draw(texts),
                enabled=draw(st.booleans()),
                checked=draw(st.booleans()),
            )
        )
        ancestors.append(index)
    return tuple(elements)


@given(trees())
def test_a_tree_is_read_as_it_was_written(elements: tuple[Element, ...]) -> None:
    allowed = tuple(
        element for element in elements if "\ufffe" not in str(element) and "\uffff" not in str(element)
    )
    if allowed == elements:
        assert ActionTreeCodec().read_tree(tree_xml(elements).encode()) == elements


@given(st.text(max_size=400))
def test_any_text_is_a_safe_name(text: str) -> None:
    name = safe_name(text)
    assert "/" not in name
    assert name not in (".", "..")
    assert len(name) <= 150
    assert name.isascii()


def test_an_export_is_for_the_user_alone_wherever_it_is_written(store: Store, tmp_path: Path) -> None:
    store.records.add(
        [Record(id="r", user_id="1", time=datetime(2026, 3, 9, tzinfo=UTC), instruction="call mom")]
    )
    for _time in range(2):
        list(export_folder(store, tmp_path, ActionTreeCodec(), RecordFilter()))
        (file,) = tmp_path.rglob("episode.json")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        file.chmod(0o644)


def test_a_target_is_not_carried(store: Store, tmp_path: Path) -> None:
    click = Click(point=Point(0.5, 0.5), target=Target(text="Pay"))
    store.records.add(
        [
            Record(
                id="r", user_id="1", time=datetime(2026, 3, 9, tzinfo=UTC), instruction="x", actions=(click,)
            )
        ]
    )
    list(export_folder(store, tmp_path / "out", ActionTreeCodec(), RecordFilter()))
    (file,) = (tmp_path / "out").rglob("episode.json")
    assert b"Pay" not in file.read_bytes()
