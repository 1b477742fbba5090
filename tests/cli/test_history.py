from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli.main import app
from tests.history_turns import keep_some


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store, _ = keep_some(tmp_path / "memory")
    store.close()
    return tmp_path / "memory"


def history(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["history", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_list_tells_turns_newest_first_and_finds_some(folder: Path) -> None:
    lines = history("list", "--store", str(folder)).splitlines()
    assert [line.rpartition("[")[2] for line in lines] == ["t-mom]", "t-alarm]", "t-lunch]"]
    found = [
        json.loads(line)
        for line in history("list", "--text", "noodles eats", "--json", "--store", str(folder)).splitlines()
    ]
    assert [(one["id"], one["outcome"], one["steps"]) for one in found] == [("t-lunch", "success", 3)]


def test_show_tells_a_turn_with_its_steps(folder: Path) -> None:
    shown = json.loads(history("show", "t-lunch", "--json", "--store", str(folder)))
    assert [step["picture"] for step in shown["steps"]] == ["kept", "kept", "secure", "kept"]
    assert "type “beef noodles”" in history("show", "t-lunch", "--store", str(folder))


@pytest.mark.parametrize(("form", "begins"), [("html", "<!doctype html>"), ("svg", "<svg")])
def test_export_writes_one_file_for_the_user_alone(
    folder: Path, tmp_path: Path, form: str, begins: str
) -> None:
    target = tmp_path / f"turn.{form}"
    history("export", "t-lunch", str(target), "--format", form, "--store", str(folder))
    assert target.read_text().startswith(begins)
    assert target.stat().st_mode & 0o777 == 0o600


def test_an_unknown_turn_is_told(folder: Path) -> None:
    done = CliRunner().invoke(app, ["history", "show", "nothing", "--store", str(folder)])
    assert done.exit_code == 1
    assert "There is no turn nothing" in str(done.exception)
