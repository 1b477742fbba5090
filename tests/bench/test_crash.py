from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from assistant.bench import crash
from assistant.bench.crash_subjects import AGGREGATION, IMPORT, JSON_FILE, Subject


def test_a_killed_run_loses_nothing_and_completes() -> None:
    left = crash.crash(AGGREGATION, times=3, count=200, seed=1, progress=lambda _: None)
    assert len(left) == 3
    assert all(one.good for one in left)
    report = crash.report({IMPORT.name: left, JSON_FILE.name: []}, 1500, 1)
    assert not report.good, "a kind that was never killed proves nothing"
    assert crash.report({IMPORT.name: left}, 1500, 1).good


def _changed(change: Callable[[Path], None]) -> crash.Left:
    """What is said of a folder whose file something happened to."""
    with TemporaryDirectory() as home:
        folder = Path(home)
        JSON_FILE.work(folder, 100, lambda _: None)
        expected = JSON_FILE.look(folder)
        change(folder / "memory.json")
        return crash.examined(JSON_FILE, folder, 100, 100, expected)


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-5])


def _short(file: Path) -> None:
    file.write_text(json.dumps(json.loads(file.read_bytes())[:60]))


def _altered(file: Path) -> None:
    file.write_text(json.dumps([{}, *json.loads(file.read_bytes())[1:]]))


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (_cut, crash.Left(opened=False, lost=100)),
        (_short, crash.Left(opened=True, intact=True, lost=40, completed=True)),
        (_altered, crash.Left(opened=True, intact=True, lost=0, completed=False)),
    ],
)
def test_damage_is_seen(change: Callable[[Path], None], left: crash.Left) -> None:
    found = _changed(change)
    assert found == left
    assert not found.good
    assert not crash.report({IMPORT.name: [found]}, 100, 0).good


def test_ours_and_the_baseline_agree_on_what_is_kept(tmp_path: Path) -> None:
    def kept(subject: Subject) -> int:
        folder = tmp_path / subject.name
        folder.mkdir()
        told: list[int] = []
        subject.work(folder, 120, told.append)
        assert told[-1] == subject.look(folder)[0]
        assert subject.sound(folder)
        return told[-1]

    assert kept(IMPORT) == kept(JSON_FILE) == 120
