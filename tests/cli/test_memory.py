from __future__ import annotations

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from assistant.cli.main import app
from assistant.cli.memory_edit import parse_since
from assistant.memory.database import StoreError
from assistant.memory.store import Store
from assistant.records import Click, Point, Record
from tests.tables import each

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)


def record(name: str, user: str = "1", days: int = 0, **values: Any) -> Record:
    return Record(
        id=name, user_id=user, time=NOW - timedelta(days=days), **{"instruction": f"do {name}", **values}
    )


@pytest.fixture
def here(tmp_path: Path) -> tuple[str, str]:
    folder = tmp_path / "memory"
    store = Store(folder)
    lunch = record("lunch", days=3, app="Eats", package="com.example.eats", source="executed")
    bad = record("bad", user="2", instruction="open \x1b[31m\u202eit\nnow")
    actions = (Click(point=Point(0.5, 0.5), content="Pay"),)
    store.records.add([lunch, bad, record("mail", days=1, app="Mail", actions=actions)])
    store.close()
    return "--store", str(folder)


def told(*arguments: str, given: str | bytes | None = None, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["memory", *arguments], input=given)
    assert result.exit_code == code, result.output
    return result.stdout


def refused(*arguments: str) -> str:
    with pytest.raises((StoreError, typer.TyperException)) as problem:
        app(["memory", *arguments], standalone_mode=False)
    return str(problem.value)


def ids(*arguments: str) -> list[str]:
    return [json.loads(line)["id"] for line in told("list", "--json", *arguments).splitlines()]


def test_records_are_listed_by_user_app_time_and_text(here: tuple[str, str]) -> None:
    assert ids(*here) == ["lunch", "mail", "bad"]
    assert ids("--newest", "2", *here) == ["mail", "bad"]
    assert ids("--user", "2", *here) == ["bad"]
    assert ids("--app", "eats", *here) == ids("--app", "com.example.eats", *here) == ["lunch"]
    assert ids("--since", "2026-03-08", *here) == ["mail", "bad"]
    assert ids("--text", "LUNCH", *here) == ["lunch"]
    assert ids("--text", "%", *here) == []


def test_what_records_say_cannot_steer_the_terminal(here: tuple[str, str]) -> None:
    for shown in (told("list", *here), told("show", "bad", *here)):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert "open [31mit now" in told("list", *here)


def test_a_record_is_shown_with_its_actions(here: tuple[str, str]) -> None:
    assert "tap “Pay”" in told("show", "mail", *here)
    shown = json.loads(told("show", "mail", "--json", *here))
    assert (shown["app"], shown["actions"][0]["type"], shown["screenshots"]) == ("Mail", "click", 0)
    assert "no record nobody" in refused("show", "nobody", *here)


def test_a_record_is_edited_explained_and_restored(here: tuple[str, str]) -> None:
    edited = json.loads(told("edit", "lunch", "--instruction", "order rice", "--json", *here))
    assert (edited["change"], edited["record"]["instruction"]) == (2, "order rice")
    assert "already says this" in told("edit", "lunch", "--instruction", "order rice", *here)
    why = json.loads(told("why", "lunch", "--json", *here))
    assert (why["source"], [step["change"] for step in why["history"]]) == ("executed", [1, 2])
    assert "do lunch → order rice" in told("why", "lunch", *here)
    assert "do lunch → order rice" in told("audit", "2", *here)
    assert json.loads(told("undo", "--json", *here))["target"] == 2
    assert "Edit the instruction of a record" in told("redo", *here)
    assert json.loads(told("show", "lunch", "--json", *here))["instruction"] == "order rice"
    kinds = [json.loads(line)["kind"] for line in told("audit", "--json", *here).splitlines()]
    assert [kind for kind in kinds if kind != "rebuild"] == ["change", "change", "undo", "redo"]
    assert "cannot be reversed: change 2" in refused("undo", "1", *here)
    assert "Give at least one" in refused("edit", "lunch", *here)
    assert "cannot be empty" in refused("edit", "lunch", "--instruction", " ", *here)


def test_forgetting_asks_first_and_is_for_good(here: tuple[str, str]) -> None:
    assert "cannot be undone. Add --yes" in refused("forget", "lunch", *here)
    assert ids(*here) == ["lunch", "mail", "bad"]
    done = json.loads(told("forget", "lunch", "--yes", "--json", *here))
    assert (done["records"], done["observations"], done["screenshots"]) == (1, 0, 0)
    assert (done["scrubbed"], done["quotes"], done["queued"]) == (True, 0, 0)
    assert "cannot come back" in refused("undo", "2", *here)
    # Nor does an undo take back instead what was changed before it.
    assert "undo that: assistant memory undo 1" in refused("undo", *here)
    assert b"do lunch" not in (Path(here[1]) / "memory.sqlite").read_bytes()
    told("forget", "--user", "2", "--yes", *here)
    assert ids(*here) == ["mail"]
    assert "either ids, or filters, or --all" in refused("forget", "--yes", *here)
    assert "either ids" in refused("forget", "mail", "--all", "--yes", *here)
    told("forget", "--all", "--yes", *here)
    assert ids(*here) == []
    assert json.loads(told("forget", "--text", "nothing", "--json", *here))["records"] == 0


def test_statistics_count_what_is_there(here: tuple[str, str]) -> None:
    counted = json.loads(told("stats", "--json", *here))
    assert (counted["records"], counted["users"], counted["changes"]) == (3, {"1": 2, "2": 1}, 1)
    assert (counted["first"][:10], counted["last"][:10]) == ("2026-03-06", "2026-03-09")
    assert "Eats 1" in told("stats", *here)


def test_lines_go_out_and_come_in(here: tuple[str, str], tmp_path: Path) -> None:
    lines = told("export", *here)
    there = ("--store", str(tmp_path / "other"))
    assert json.loads(told("import", "-", "--json", *there, given=lines)) == {
        "imported": 3,
        "known": 0,
        "refused": [],
        "refused_count": 0,
    }
    assert told("export", *there) == lines
    file = tmp_path / "out.jsonl"
    file.write_text("an earlier export, which others may read")
    file.chmod(0o644)
    told("export", "--output", str(file), "--user", "1", *here)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "0 imported, 2 known already, 0 refused" in told("import", str(file), *there)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device is always full here")
def test_an_export_that_cannot_be_written_names_the_file(here: tuple[str, str]) -> None:
    result = CliRunner().invoke(app, ["memory", "export", "-o", "/dev/full", *here])
    assert (result.exit_code, result.stderr.strip()) == (
        1,
        "/dev/full cannot be written: No space left on device.",
    )
    assert not Path("/dev/full").is_file()


def test_no_folder_is_made_for_an_export_and_an_empty_one_is_no_import(
    here: tuple[str, str], tmp_path: Path
) -> None:
    result = CliRunner().invoke(app, ["memory", "export", "-o", str(tmp_path / "no/x.jsonl"), *here])
    assert (result.exit_code, "cannot be written: No such file" in result.stderr) == (1, True)
    assert not (tmp_path / "no").exists()
    (tmp_path / "empty").mkdir()
    result = CliRunner().invoke(app, ["memory", "import", str(tmp_path / "empty"), *here])
    assert (result.exit_code, "can be imported" in result.stderr) == (1, True)
    unused = CliRunner().invoke(app, ["memory", "audit", "--store", str(tmp_path / "unused")])
    assert "Nothing was changed yet." in unused.stderr


def test_bad_lines_are_told_on_standard_error(here: tuple[str, str], tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    good = record("good").model_dump_json()
    file.write_bytes(f"{good}\n{{\n{good[:30]}".encode() + b"\xff\n")
    result = CliRunner().invoke(app, ["memory", "import", str(file), "--json", *here])
    assert result.exit_code == 0
    summary = json.loads(result.stdout)
    assert (summary["imported"], [one["line"] for one in summary["refused"]]) == (1, [2, 3])
    assert [line.partition(":")[0] for line in result.stderr.splitlines()] == ["line 2", "line 3"]
    file.write_text("nothing good")
    assert json.loads(told("import", str(file), "--json", *here, code=1))["refused_count"] == 1
    absent = CliRunner().invoke(app, ["memory", "import", str(tmp_path / "absent"), *here])
    assert (absent.exit_code, "cannot be read: No such file" in absent.stderr) == (1, True)


def test_folders_go_out_and_come_in(here: tuple[str, str], tmp_path: Path) -> None:
    folder, there = tmp_path / "episodes", ("--store", str(tmp_path / "other"))
    told("export", "--fingertip", str(folder), "--user", "1", *here)
    assert json.loads(told("import", str(folder), "--json", *there))["imported"] == 2
    assert ids(*there) == ["lunch", "mail"]
    assert "1 records" not in told("undo", *there)
    assert ids(*there) == []


@each(
    ("written", "meant"),
    [
        ("7d", NOW - timedelta(days=7)),
        ("12h", NOW - timedelta(hours=12)),
        ("2026-03-01", NOW.replace(day=1, hour=0)),
    ],
)
def test_a_moment_may_be_a_day_or_an_age(written: str, meant: datetime) -> None:
    assert parse_since(written, NOW) == meant
