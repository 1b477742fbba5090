from __future__ import annotations

import io
import sqlite3
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import event, select

from assistant.events import ActionKind, Deed
from assistant.history import PastTurns
from assistant.memory import schema
from assistant.memory.database import StoreError
from assistant.memory.store import RecordFilter, StandingApproval, Store
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.records import (
    Action,
    Bounds,
    Click,
    Element,
    ForegroundApp,
    Observation,
    OpenApp,
    Outcome,
    Point,
    Record,
    Scroll,
    Target,
    TypeText,
    Usage,
)
from tests.tables import each

STARTED = datetime(2026, 3, 9, 12, 5, tzinfo=UTC)


def checkpoint(turn_id: str = "u1-a", minutes: int = 0) -> Checkpoint:
    target = Target(text="Search", class_name="android.widget.Button", bounds=Bounds(1, 2, 30, 40))
    steps = (
        StoredStep(
            number=1,
            action=Click(point=Point(0.3, 0.5), target=target),
            app="Eats",
            package="com.example.eats",
        ),
        StoredStep(number=2, action=TypeText(text="noodles"), app="Eats", package="com.example.eats"),
        StoredStep(number=3, action=Scroll(direction="down"), error="no"),
    )
    return Checkpoint(
        turn_id=turn_id,
        user_id="1",
        started=STARTED + timedelta(minutes=minutes),
        said="my usual",
        instruction="order noodles",
        steps=steps,
        notes=("The user says: no coriander",),
        usage=Usage(prompt_tokens=10, completion_tokens=2, requests=1),
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "memory")
    yield opened
    opened.close()


def observation() -> Observation:
    picture = io.BytesIO()
    Image.new("RGB", (1080, 2400), "navy").save(picture, "PNG")
    button = Element(0, -1, "android.widget.Button", Bounds(0, 0, 10, 10), text="Pay", clickable=True)
    return Observation(
        width=1080,
        height=2400,
        screenshot=picture.getvalue(),
        elements=(button,),
        app=ForegroundApp("com.example.eats", ".Main", "Eats"),
    )


def test_an_open_turn_survives_a_new_process(store: Store, tmp_path: Path) -> None:
    store.turns.save(checkpoint())
    store.turns.save(checkpoint("u1-b", minutes=5))
    again = Store(tmp_path / "memory")
    assert again.turns.newest_open("1") == checkpoint("u1-b", minutes=5)
    assert again.turns.newest_open("2") is None
    again.close()


def kept_steps(store: Store) -> list[str]:
    with store.reader() as connection:
        steps = schema.open_steps
        query = select(steps.c.turn_id).order_by(steps.c.turn_id, steps.c.place)
        return list(connection.execute(query).scalars())


def test_a_step_is_added_to_those_kept_before(store: Store) -> None:
    whole, other = checkpoint(), checkpoint("u1-b", minutes=-5)
    store.turns.save(other)
    for count in range(len(whole.steps) + 1):
        grown = whole.model_copy(update={"steps": whole.steps[:count], "notes": (f"after {count}",)})
        store.turns.save(grown)
        store.turns.save(grown)
        assert store.turns.newest_open("1") == grown
    assert kept_steps(store) == ["u1-a"] * 3 + ["u1-b"] * 3


def test_what_a_step_writes_does_not_grow_with_the_turn(store: Store) -> None:
    (step, *_) = checkpoint().steps
    written: list[int] = []

    @event.listens_for(store.engine, "before_cursor_execute")
    def count(*about: Any) -> None:
        written.append(len(repr(about[3])))

    def cost(steps: int) -> int:
        begun = checkpoint(f"u1-{steps:03}").model_copy(update={"steps": (step,) * (steps - 1)})
        store.turns.save(begun)
        written.clear()
        store.turns.save(begun.model_copy(update={"steps": (step,) * steps}))
        return sum(written)

    small = cost(3)
    assert 0 < cost(300) <= small + 10, "a longer place, nothing more"


def test_a_save_that_is_cut_off_leaves_what_was_kept_before(store: Store) -> None:
    whole = checkpoint()
    before = whole.model_copy(update={"steps": whole.steps[:1], "notes": ()})
    store.turns.save(before)

    @event.listens_for(store.engine, "before_cursor_execute")
    def cut_off(*about: Any) -> None:
        if "INSERT INTO open_steps" in about[2]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.turns.save(whole)
    assert store.turns.newest_open("1") == before


def test_steps_go_with_an_open_turn_and_into_one_that_ends(store: Store) -> None:
    store.turns.save(checkpoint())
    store.turns.save(checkpoint("u1-b", minutes=5))
    store.turns.finish(checkpoint(), Outcome.SUCCESS)
    assert kept_steps(store) == ["u1-b"] * 3
    whole = PastTurns(store, "1").whole("u1-a")
    assert whole is not None
    assert whole.checkpoint == checkpoint()
    store.turns.discard("u1-b")
    assert kept_steps(store) == []


def test_a_finished_turn_becomes_a_record(store: Store) -> None:
    store.turns.save(checkpoint())
    record = store.turns.finish(checkpoint(), Outcome.SUCCESS)
    assert store.turns.newest_open("1") is None
    assert list(store.records.of()) == [record]
    assert (record.app, record.package, record.outcome) == ("Eats", "com.example.eats", Outcome.SUCCESS)
    assert [action.type for action in record.actions] == ["click", "type"], (
        "a step that failed is no evidence"
    )
    assert record.actions[0].target == checkpoint().steps[0].action.target


def test_observations_belong_to_their_turn(store: Store, tmp_path: Path) -> None:
    store.turns.save(checkpoint())
    store.turns.observe("u1-a", 1, observation())
    (shot,) = (tmp_path / "memory" / "screenshots").iterdir()
    with Image.open(shot) as picture:
        assert picture.size == (540, 1200)
    store.turns.discard("u1-a")
    assert store.turns.newest_open("1") is None
    assert not shot.exists()


def test_nothing_is_kept_of_a_turn_that_was_discarded_while_its_screen_was_stored(store: Store) -> None:
    store.turns.save(checkpoint())
    store.turns.discard("u1-a")
    store.turns.observe("u1-a", 1, observation())
    assert list(store.screenshots.iterdir()) == []


def test_adding_twice_changes_nothing(store: Store) -> None:
    records = [Record(id=f"r{n}", user_id="1", time=STARTED, instruction="x") for n in range(3)]
    assert store.records.add(records) == 3
    assert store.records.add(records) == 0
    assert store.records.count() == 3
    assert [record.id for record in store.records.of(newest=2)] == ["r1", "r2"]


def test_commands_are_remembered_without_repeats(store: Store) -> None:
    for number, said in enumerate(["a", "b", "a"]):
        store.turns.save(checkpoint(f"u1-{number}", minutes=number).model_copy(update={"said": said}))
    assert store.turns.commands("1") == ["b", "a"]


@pytest.mark.sqlite_file
def test_only_the_user_may_read(store: Store, tmp_path: Path) -> None:
    store.turns.save(checkpoint())
    folder = tmp_path / "memory"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "memory.sqlite").stat().st_mode) == 0o600


@pytest.mark.sqlite_file
def test_a_file_that_is_no_database_is_told_and_kept(tmp_path: Path) -> None:
    (tmp_path / "memory.sqlite").write_text("not a database, but long enough to be taken for one" * 100)
    with pytest.raises(StoreError, match="is not a database that can be read"):
        Store(tmp_path)
    assert (tmp_path / "memory.sqlite").read_text().startswith("not a database")


@pytest.mark.sqlite_file
def test_a_disk_that_cannot_be_used_says_nothing_against_the_database(tmp_path: Path) -> None:
    (tmp_path / "memory.sqlite").mkdir()
    with pytest.raises(StoreError, match="cannot be read: unable to open"):
        Store(tmp_path)


@pytest.mark.sqlite_file
def test_a_newer_database_is_left_alone(tmp_path: Path) -> None:
    Store(tmp_path).close()
    with sqlite3.connect(tmp_path / "memory.sqlite") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="Update the program"):
        Store(tmp_path)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="--store"):
        Store(tmp_path / "file" / "memory")


CHAT, SETTINGS = "com.example.chat", "com.example.settings"
MESSAGE = Deed(kind=ActionKind.SEND, package=CHAT, recipient="Mom", text="late")
DELETION = Deed(kind=ActionKind.DELETE, package=CHAT)
PERMISSION = Deed(
    kind=ActionKind.GRANT, package=SETTINGS, recipient="Let Chat use the camera?", text="Allow once"
)


@each(
    ("deed", "changes", "covered"),
    [
        (MESSAGE, {}, True),
        (MESSAGE, {"text": "another text"}, True),
        (MESSAGE, {"recipient": "Dad"}, False),
        (MESSAGE, {"kind": ActionKind.PAY}, False),
        (MESSAGE, {"package": SETTINGS}, False),
        (DELETION, {}, True),
        (PERMISSION, {}, True),
        (PERMISSION, {"text": "Always allow"}, False),
    ],
)
def test_a_rule_covers_the_same_kind_of_deed_for_the_same_person(
    deed: Deed, changes: dict[str, object], covered: bool
) -> None:
    assert StandingApproval.for_deed(deed, STARTED).covers(deed.model_copy(update=changes)) is covered


def test_a_rule_of_an_earlier_version_that_names_nobody_covers_nothing(store: Store) -> None:
    rule = StandingApproval(CHAT, ActionKind.SEND, "Chat", STARTED)
    assert not rule.covers(MESSAGE.model_copy(update={"recipient": ""}))
    store.approvals.allow("me", rule)
    assert store.approvals.list_approvals("me") == []


def test_records_are_listed_from_a_moment_on(store: Store) -> None:
    times = (STARTED - timedelta(seconds=1), STARTED, STARTED + timedelta(seconds=1))
    records = [Record(id=f"r{n}", user_id="1", time=time, instruction="x") for n, time in enumerate(times)]
    store.records.add(records)
    assert {record.id for record in store.records.where(RecordFilter(since=STARTED))} == {"r1", "r2"}


def test_the_rules_of_others_neither_hold_nor_go(store: Store) -> None:
    rule = StandingApproval.for_deed(MESSAGE, STARTED)
    store.approvals.allow("somebody else", rule)
    assert not store.approvals.allows("me", MESSAGE)
    assert store.approvals.revoke("me") == 0
    assert store.approvals.list_approvals("somebody else") == [rule]


def test_a_record_keeps_what_the_user_said_before_the_turn_began_in_place_of_the_guess() -> None:
    guessed = checkpoint().model_copy(
        update={"said": "order my usual lunch", "instruction": "Order beef noodles", "steps": ()}
    )
    assert guessed.record(Outcome.SUCCESS).instruction == "Order beef noodles"
    corrected = guessed.model_copy(update={"remarks": (UserRemark(after=0, text="no, tomato egg noodles"),)})
    record = corrected.record(Outcome.SUCCESS)
    assert record.said == "order my usual lunch"
    assert record.instruction == "order my usual lunch // no, tomato egg noodles"
    later = guessed.model_copy(
        update={"remarks": (UserRemark(after=2, text="the one with the best rating"),)}
    )
    assert later.record(Outcome.SUCCESS).instruction == "Order beef noodles"


@each(
    ("packages", "app"),
    [
        (("launcher3", "launcher3", "music"), "music"),
        (("miui.home", "music", "music"), "music"),
        (("launcher3", "launcher3"), "launcher3"),
        (("music", "maps", "maps"), "maps"),
    ],
)
def test_the_home_screen_is_the_app_of_a_turn_only_where_it_was_left_for_no_other(
    packages: tuple[str, ...], app: str
) -> None:
    tap = Click(point=Point(0.3, 0.5))
    steps = tuple(
        StoredStep(number=number, action=tap, app=package, package=f"com.{package}")
        for number, package in enumerate(packages, 1)
    )
    record = checkpoint().model_copy(update={"steps": steps}).record(Outcome.SUCCESS)
    assert (record.app, record.package) == (app, f"com.{app}")


def test_the_app_of_a_turn_is_that_of_its_deeds_and_of_what_was_done_within() -> None:
    tap, maps, chat = Click(point=Point(0.3, 0.5)), ("Maps", "com.maps"), ("Chat", "com.chat")

    def app_of(*steps: tuple[Action, tuple[str, str], Deed | None]) -> str:
        stored = tuple(
            StoredStep(number=number, action=action, app=app, package=package, deed=deed)
            for number, (action, (app, package), deed) in enumerate(steps, 1)
        )
        return checkpoint().model_copy(update={"steps": stored}).record(Outcome.SUCCESS).app

    opens = OpenApp(name="Maps")
    assert app_of((opens, chat, None), (tap, maps, None)) == "Maps"
    assert app_of((opens, chat, None)) == "Maps"
    sent = Deed(kind=ActionKind.SEND, text="hi")
    assert app_of((tap, chat, sent), (opens, chat, None), (tap, maps, None), (tap, maps, None)) == "Chat"
