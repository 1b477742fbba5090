"""Programs killed at random moments lose nothing and do nothing twice.

`--kills N` kills each program so many times, prints what was left with `-rP`, and kills turns and the
terminal interface, too, which takes minutes; `--kill-seed` draws other moments.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from . import interface, memory, turns
from .interface import KilledInterface, Moment
from .memory import AGGREGATION, FORGETTING, IMPORT, JSON_FILE, MIGRATION, Remains, Subject
from .turns import Aim, Errand, KilledTurn, Kills, Missed

RECORDS = 300


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many kills of each program are wanted, None for as few as the suite has time for, and the seed."""

    times: int | None
    seed: int


@pytest.fixture
def wanted(request: pytest.FixtureRequest) -> Wanted:
    return Wanted(request.config.getoption("--kills"), request.config.getoption("--kill-seed"))


@pytest.fixture
def many(wanted: Wanted) -> int:
    if wanted.times is None:
        pytest.skip("takes minutes: with --kills N")
    return wanted.times


@pytest.mark.timeout(0)
@pytest.mark.parametrize(
    ("subject", "few"),
    [(IMPORT, 1), (AGGREGATION, 3), (MIGRATION, 2), (FORGETTING, 2)],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_killed_run_loses_nothing_and_completes(subject: Subject, few: int, wanted: Wanted) -> None:
    times = few if wanted.times is None else wanted.times
    remains = memory.kill_runs(subject, times, RECORDS, wanted.seed)
    print(subject.name, Counter(remains))  # noqa: T201
    assert len(remains) == times
    assert all(left.good for left in remains)


_ENOUGH_TO_LOSE = 20
"""Kills of which one at least must fall into the writing of a file."""


@pytest.mark.timeout(0)
def test_a_json_file_that_is_written_anew_loses_records(many: int, wanted: Wanted) -> None:
    many = max(many, _ENOUGH_TO_LOSE)
    remains = memory.kill_runs(JSON_FILE, many, RECORDS, wanted.seed)
    opened, lost = sum(left.opened for left in remains), sum(left.lost for left in remains)
    print(f"{many} killed, {opened} opened, {lost} records lost")  # noqa: T201
    assert len(remains) == many
    assert opened < many


@pytest.mark.timeout(0)
@pytest.mark.parametrize("errand", turns.ERRANDS, ids=lambda errand: errand.name)
async def test_a_killed_turn_does_its_deed_once(errand: Errand, many: int, wanted: Wanted) -> None:
    kills = await turns.kill_errand(errand, many, wanted.seed)
    print(errand.name, Counter(kills.turns), Counter(kills.missed))  # noqa: T201
    assert kills.good


@pytest.mark.timeout(0)
async def test_a_killed_interface_forgets_and_repeats_nothing(many: int, wanted: Wanted) -> None:
    killed = await interface.kill_interfaces(many, wanted.seed)
    print(Counter(killed))  # noqa: T201
    assert len(killed) == many
    assert all(left.good for left in killed)


def _changed(change: Callable[[Path], None]) -> Remains:
    """What is said of a folder whose file something happened to."""
    with TemporaryDirectory() as home:
        folder = Path(home)
        JSON_FILE.work(folder, 100, lambda _: None)
        expected = JSON_FILE.contents(folder)
        change(folder / "memory.json")
        return memory.examine(JSON_FILE, folder, 100, 100, expected)


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


def test_kills_of_the_interface_fall_on_every_event_of_a_turn() -> None:
    kills = [interface.draw_kill(number, 3) for number in range(70)]
    assert Counter(kill.moment for kill in kills) == dict.fromkeys(Moment, 10)
    for moment in Moment:
        delays = {kill.seconds for kill in kills if kill.moment is moment}
        assert len(delays) == 10
        assert min(delays) >= 0


def test_kills_of_turns_fall_on_both_sides_of_the_deed() -> None:
    send, pay = turns.ERRANDS
    seconds = {Aim.APPROVED: 0.5, Aim.INTENT: 0.1}
    kills = [turns.draw_kill(pay, seconds, number, 1) for number in range(400)]
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
    assert turns.draw_kill(send, seconds, 1, 1) == turns.draw_kill(send, seconds, 1, 1)


@pytest.mark.parametrize("bad", [KilledTurn(1, 2, 0), KilledTurn(0, 0, 0)], ids=("twice", "lost"))
def test_a_deed_done_twice_or_not_at_all_is_no_good_result(bad: KilledTurn) -> None:
    assert Kills([KilledTurn(1, 1, 1), KilledTurn(0, 1, 0)], 2).good
    assert not Kills([KilledTurn(1, 1, 1), bad], 2).good


def test_fewer_kills_than_wanted_are_no_good_result() -> None:
    assert not Kills([KilledTurn(1, 1, 1)], 3, [Missed.OVER, Missed.NOT_REACHED, Missed.OVER]).good
