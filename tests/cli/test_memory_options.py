"""The memory from the command line, as the panel has it: its sections, changing them, and what left."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assistant.cli.main import main
from assistant.embedding.models import ModelRegistry
from assistant.memory.programs import CommandQueue
from assistant.memory.request_log import LoggedRequest
from assistant.memory.store import Store
from assistant.memory_view.retention import CONFIRMATION
from assistant.settings.load import load
from tests.memory.prototypes.lived import COFFEE, ORDER, Hashing
from tests.tui.remembered import live


class Desk:
    """A lived-in store and the command on it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.told = ""
        self._capsys = capsys
        self._patch = patch

    def says(self, *words: str, code: int = 0) -> str:
        self._patch.setattr("sys.argv", ["assistant", "memory", *words, "--store", str(self.folder)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = self._capsys.readouterr()
        assert (ended.value.code or 0) == code, said.err
        self.told = said.err
        return said.out if code == 0 else said.err

    def rows(self, *words: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.says(*words, "--json").splitlines()]

    def the(self, section: str, words: str = "") -> dict[str, Any]:
        return self.rows("list", "--section", section, *(("--find", words) if words else ()))[0]


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(ModelRegistry, "load", lambda self, settings: Hashing())
    monkeypatch.setenv("ASSISTANT_USER_ID", "1")
    store, _ = live(tmp_path / "memory")
    store.close()
    return Desk(tmp_path / "memory", capsys, monkeypatch)


def test_every_section_is_listed_and_found(desk: Desk) -> None:
    assert desk.the("routines")["name"] == ORDER
    assert desk.the("preferences", "flat")["name"] == COFFEE
    assert desk.the("profile", "555")["context"] == "mom · is"
    assert desk.the("records", "flat app:beans")["name"] == COFFEE
    for section in ("places", "suggestions", "changes", "sent"):
        desk.says("list", "--section", section)
    desk.says("list", "--section", "records", "--newest", "1")
    assert "more: --newest" in desk.told


def test_why_shows_what_an_item_rests_on(desk: Desk) -> None:
    routine = desk.the("routines")
    told = desk.rows("why", routine["id"])[0]
    assert [one["id"] for one in told["evidence"]] == [f"n{day}" for day in reversed(range(8))]
    assert sum(map(sum, told["by_day_and_hour"])) == 8
    assert "“Order beef noodles" in desk.says("show", routine["id"])


def test_a_routine_is_given_hours_split_and_merged_again(desk: Desk) -> None:
    name = desk.the("routines")["id"]
    assert "mon-fri" in desk.says("edit", name, "--set", "hours=11:30-13 mon-fri")
    assert desk.rows("show", name)[0]["fields"]["hours"] == "11:30-13:00 mon-fri"
    assert "FIELD=TEXT" in desk.says("edit", name, "--set", "colour=red", code=1)
    assert "11:50-12:30" in desk.says("edit", name, "--set", "hours=noonish", code=1)
    desk.says("undo")
    assert "Split off 3 records" in desk.says("split", name, "since:2026-03-07")
    first, second = (one["id"] for one in desk.rows("list", "--section", "routines"))
    assert "into one" in desk.says("merge", first, second)
    assert [one["count"] for one in desk.rows("list", "--section", "routines")] == [8]


def test_pinning_hiding_and_forgetting_another_item(desk: Desk) -> None:
    value = desk.the("profile", "555")["id"]
    desk.says("hide", value)
    assert desk.the("profile", "555")["hidden"]
    desk.says("pin", value)
    assert "Add --yes" in desk.says("forget", value, code=64)
    assert desk.says("forget", value, "--yes").startswith("Forgotten.")
    assert "nor another item" in desk.says("pin", value, code=1)


def test_learning_is_paused_and_a_source_switched_off(desk: Desk) -> None:
    assert desk.says("pause").strip() == "Learning is paused."
    assert desk.rows("pause", "--off")[0]["paused"] is False
    assert "There is no source" in desk.says("sources", "--off", "nobody", code=1)
    desk.says("sources", "--off", "")
    assert desk.rows("list", "--section", "routines") == []
    assert {(one["source"], one["on"]) for one in desk.rows("sources")} == {("", False), ("incognito", False)}


def test_what_left_this_machine_is_told_word_by_word(desk: Desk) -> None:
    assert "90 kB, screenshot  n1 step 1" in desk.says("sent")
    (line,) = desk.rows("sent")
    assert (line["endpoint"], line["screenshot"], line["bytes"]) == ("http://localhost:8000/v1", True, 90_070)
    assert "every word that was sent" in desk.says("sent", str(line["id"]))
    assert "There is no request" in desk.says("sent", "99", code=1)


def test_wiping_wants_to_be_typed_out(desk: Desk) -> None:
    assert "cannot be undone" in desk.says("wipe", code=64)
    assert "Nothing is wiped" in desk.says("wipe", "--confirm", "yes", code=1)
    queue = CommandQueue(desk.folder)
    queue.add("order coffee")
    assert "1 queued command deleted." in desk.says("wipe", "--confirm", CONFIRMATION)
    assert not queue.commands
    store = Store(desk.folder)
    assert (store.records.count(), store.sent.count("1"), len(store.audit.lines())) == (0, 0, 1)
    store.close()
    assert b"555 0101" not in b"".join(file.read_bytes() for file in desk.folder.glob("memory.sqlite*"))


def test_a_wrong_id_is_said_in_words_for_every_command(desk: Desk) -> None:
    hostile = "\x1b[31mno\x07where"
    for words in (
        ("show", hostile),
        ("why", hostile),
        ("edit", hostile, "--set", "name=x"),
        ("forget", hostile, "--yes"),
        ("undo", "4711"),
        ("pin", hostile),
    ):
        said = desk.says(*words, code=1)
        assert "There is no " in said
        assert "\x1b" not in said
    value = desk.the("profile", "555")
    assert desk.says("show", value["id"][:8]) == desk.says("show", f"profile:{value['id']}")


def test_how_long_things_are_kept_is_shown_and_set(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").touch()
    here = ("--config", str(tmp_path / "settings.toml"))
    shown = desk.says("keep", *here)
    assert [line.split()[-1] for line in shown.splitlines()[:3]] == ["30", "500", "30"]
    assert "Kept now: 1 line of what was sent" in shown
    said = desk.says("keep", "--screenshots", "14", "--sent", "0", *here)
    assert "no limit" in said
    assert "Nothing to delete." in said
    kept = load(tmp_path / "settings.toml").memory
    assert (kept.screenshot_days, kept.screenshot_megabytes, kept.sent_days) == (14, 500, 0)
    assert "greater than or equal to 0" in desk.says("keep", "--screenshots", "-1", *here, code=64)


def test_a_limit_that_deletes_something_needs_a_yes(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "settings.toml").touch()
    here = ("--config", str(tmp_path / "settings.toml"))
    store = Store(desk.folder)
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    store.sent.add(LoggedRequest("1", "old", 1, long_ago, "http://localhost:8000/v1", "m", 7, 0, ()))
    store.close()
    assert "of what was sent permanently, at once. Records stay. Add --yes" in desk.says(
        "keep", "--sent", "1", *here, code=64
    )
    assert desk.rows("sent", "--turn", "old")
    (told,) = desk.rows("keep", "--sent", "1", "--yes", *here)
    assert told["sent_days"] == 1
    assert desk.rows("sent", "--turn", "old") == []
    monkeypatch.setenv("ASSISTANT_MEMORY__SENT_DAYS", "9")
    assert "unset ASSISTANT_MEMORY__SENT_DAYS" in desk.says("keep", "--sent", "3", "--yes", *here)
