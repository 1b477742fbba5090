from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from assistant.bench import crash, crash_interface, crash_turns
from assistant.bench.crash import (
    AGGREGATION,
    FORGETTING,
    IMPORT,
    JSON_FILE,
    MIGRATION,
    Remains,
    Subject,
)
from assistant.bench.crash_interface import KilledInterface, Moment
from assistant.bench.crash_turns import Aim, KilledTurn, Kills, Missed


def test_a_killed_run_loses_nothing_and_completes() -> None:
    remains = crash.kill_runs(AGGREGATION, times=3, count=200, seed=1)
    assert len(remains) == 3
    assert all(left.good for left in remains)
    report = crash.report({IMPORT.name: remains, JSON_FILE.name: []}, 1500, 1)
    assert not report.good, "a kind that was never killed proves nothing"
    assert crash.report({IMPORT.name: remains}, 1500, 1).good


def _changed(change: Callable[[Path], None]) -> Remains:
    """What is said of a folder whose file something happened to."""
    with TemporaryDirectory() as home:
        folder = Path(home)
        JSON_FILE.work(folder, 100, lambda _: None)
        expected = JSON_FILE.contents(folder)
        change(folder / "memory.json")
        return crash.examine(JSON_FILE, folder, 100, 100, expected)


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-5])


def _short(file: Path) -> None:
    file.write_text(json.dumps(json.loads(file.read_bytes())[:60]))


def _altered(file: Path) -> None:
    file.write_text(json.dumps([{}, *json.loads(file.read_bytes())[1:]]))


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (_cut, Remains(opened=False, lost=100)),
        (_short, Remains(opened=True, intact=True, lost=40, completed=True)),
        (_altered, Remains(opened=True, intact=True, lost=0, completed=False)),
    ],
)
def test_damage_is_seen(change: Callable[[Path], None], left: Remains) -> None:
    remains = _changed(change)
    assert remains == left
    assert not remains.good
    assert not crash.report({IMPORT.name: [remains]}, 100, 0).good


def test_ours_and_the_baseline_agree_on_what_is_kept(tmp_path: Path) -> None:
    def kept(subject: Subject) -> int:
        folder = tmp_path / subject.name
        folder.mkdir()
        stored: list[int] = []
        subject.work(folder, 120, stored.append)
        assert stored[-1] == subject.contents(folder)[0]
        assert subject.sound(folder)
        return stored[-1]

    assert kept(IMPORT) == kept(JSON_FILE) == 120


def test_an_old_database_and_forgetting_outlive_kills() -> None:
    for subject in (MIGRATION, FORGETTING):
        remains = crash.kill_runs(subject, times=2, count=300, seed=1)
        assert len(remains) == 2
        assert all(left.good for left in remains)


def test_an_old_database_keeps_every_record(tmp_path: Path) -> None:
    MIGRATION.prepare(tmp_path, 60)
    MIGRATION.work(tmp_path, 60, lambda _: None)
    assert MIGRATION.contents(tmp_path)[0] == 60
    assert MIGRATION.sound(tmp_path)


def test_what_is_forgotten_is_gone_also_from_free_pages(tmp_path: Path) -> None:
    FORGETTING.prepare(tmp_path, 60)
    before = FORGETTING.contents(tmp_path)
    FORGETTING.work(tmp_path, 60, lambda _: None)
    assert before[0] == 0
    assert FORGETTING.contents(tmp_path)[0] == 60
    assert not any(b"words 7" in file.read_bytes() for file in tmp_path.glob("memory.sqlite*"))


@pytest.mark.parametrize(
    ("left", "good"),
    [
        (KilledInterface(Moment.ASKED, sound=True, shown=True, remembered=True, before=1, after=1), True),
        (KilledInterface(Moment.ASKED, sound=True, shown=False, remembered=False, before=0, after=0), True),
        (KilledInterface(Moment.ASKED, sound=True, shown=True, remembered=False, before=0, after=0), False),
        (KilledInterface(Moment.ASKED, sound=True, shown=True, remembered=True, before=1, after=2), False),
        (KilledInterface(Moment.ASKED, sound=True, shown=True, remembered=True, before=0, after=0), False),
        (KilledInterface(Moment.ASKED, sound=False, shown=True, remembered=True, before=1, after=1), False),
    ],
)
def test_a_killed_interface_must_neither_forget_nor_repeat(left: KilledInterface, good: bool) -> None:
    assert left.good is good
    assert crash_interface.report([left], 0).good is good


def test_kills_of_the_interface_fall_on_every_event_of_a_turn() -> None:
    kills = [crash_interface.draw_kill(number, 3) for number in range(70)]
    assert Counter(kill.moment for kill in kills) == dict.fromkeys(Moment, 10)
    for moment in Moment:
        delays = {kill.seconds for kill in kills if kill.moment is moment}
        assert len(delays) == 10
        assert min(delays) >= 0
    left = [KilledInterface(kill.moment, True, True, True, 0, 1) for kill in kills]
    assert crash_interface.report(left, 3).values["moments"] == dict.fromkeys(map(str, Moment), 10)


def test_kills_of_turns_fall_on_both_sides_of_the_deed() -> None:
    send, pay = crash_turns.ERRANDS
    seconds = {Aim.APPROVED: 0.5, Aim.INTENT: 0.1}
    kills = [crash_turns.draw_kill(pay, seconds, number, 1) for number in range(400)]
    aims = Counter(kill.aim for kill in kills)
    assert 0.25 < aims[Aim.DONE] / len(kills) < 0.45
    assert all(aims[aim] > 80 for aim in Aim)
    # Before the deed both of its stages are hit, after it only the last is left.
    assert {kill.approval for kill in kills if kill.aim is not Aim.DONE} == {1, 2}
    assert {kill.approval for kill in kills if kill.aim is Aim.DONE} == {2}
    for aim, longest in {**seconds, Aim.DONE: 0.3}.items():
        delays = [kill.seconds for kill in kills if kill.aim is aim]
        assert 0 <= min(delays) < 0.2 * longest
        assert 0.8 * longest < max(delays) <= longest
    assert crash_turns.draw_kill(send, seconds, 1, 1) == crash_turns.draw_kill(send, seconds, 1, 1)


def test_a_deed_done_twice_or_not_at_all_is_no_good_result() -> None:
    good, twice, lost = KilledTurn(1, 1, 1), KilledTurn(1, 2, 0), KilledTurn(0, 0, 0)
    assert crash_turns.report({"pay": Kills([good, KilledTurn(0, 1, 0)], 2)}, 0).good
    for bad in (twice, lost):
        assert not crash_turns.report({"pay": Kills([good, bad], 2)}, 0).good
    runs = crash_turns.report({"pay": Kills([good, twice, lost], 3)}, 0).values["runs"]
    assert (runs["pay"]["done_twice"], runs["pay"]["lost"]) == (1, 1)
    assert runs["pay"]["share_after_the_deed"] == 0.67


def test_fewer_kills_than_wanted_are_no_good_result_and_say_why() -> None:
    kills = Kills([KilledTurn(1, 1, 1)], 3, [Missed.OVER, Missed.NOT_REACHED, Missed.OVER])
    report = crash_turns.report({"send": kills}, 0)
    assert not report.good
    values = report.values["runs"]["send"]
    assert (values["killed"], values["wanted"]) == (1, 3)
    assert values["over_before_the_kill"] == 2
    assert values["ended_or_too_slow_before_the_aim"] == 1
