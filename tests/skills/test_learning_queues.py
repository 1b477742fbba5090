"""Three queues: action memory and experience before the profile. A program that is killed loses none."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE

import pytest
from sqlalchemy import select

from assistant.memory import schema
from assistant.memory.forgetting import forget
from assistant.memory.store import EXECUTED, Store
from assistant.memory.turns import Trace
from assistant.records import Outcome, Record
from assistant.skills.service import SkillMemory
from assistant.skills.storage import ReplayReport, SkillRepository
from tests.skills.killed_learner import NEW, REPEATED, Moment
from tests.skills.recorded_turns import NOW, ordered

QUEUES = (schema.action_queue, schema.experience_queue, schema.profile_queue)


Run = Callable[..., int]
"""Has a program learn in a folder and be killed at a moment; how it ended."""


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    command = [sys.executable, "-m", "tests.skills.killed_learner"]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        inwards, outwards = program.stdin, program.stdout

        def run_one(folder: Path, moment: Moment, *more: str) -> int:
            inwards.write(f"{' '.join((str(folder), moment, *more))}\n")
            inwards.flush()
            return int(outwards.readline())

        yield run_one
        inwards.close()


def waiting(folder: Path) -> list[int]:
    """How many turns wait in each queue."""
    store = Store(folder, lambda: NOW)
    with store.reader() as connection:
        counts = [len(connection.execute(select(queue)).all()) for queue in QUEUES]
    store.close()
    return counts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A memory with one skill, and two turns that ended and are not learnt from."""
    store = Store(tmp_path, lambda: NOW)
    skills = SkillMemory(store, "me")
    skills.learn(ordered(store, 1, "order Soup on Eats", 1, "Soup"), Outcome.SUCCESS, ReplayReport())
    ordered(store, 2, "order Tea on Eats", 2, "Tea")
    ordered(store, 3, "bring me the Rice please", 0, "Rice")
    said = {REPEATED: "order Tea on Eats", NEW: "bring me the Rice please"}
    records = [
        Record(id=turn_id, user_id="me", time=NOW, instruction=text, source=EXECUTED)
        for turn_id, text in said.items()
        if store.records.get(turn_id) is None
    ]
    store.records.add(records)
    store.close()
    return tmp_path


KILLED = {
    Moment.NOTED: [1, 1, 2],
    Moment.COUNTING: [1, 1, 2],
    Moment.WRITTEN: [1, 1, 2],
    Moment.COUNTED: [0, 1, 2],
    Moment.LEARNT: [0, 0, 2],
    Moment.PROFILED: [0, 0, 2],
}


@pytest.mark.parametrize("moment", KILLED)
def test_a_program_that_is_killed_between_two_updates_loses_none_and_counts_none_twice(
    folder: Path, run: Run, moment: Moment
) -> None:
    assert run(folder, moment, "new") == -9
    assert waiting(folder) == KILLED[moment]
    assert run(folder, Moment.NEVER) == 0
    assert waiting(folder) == [0, 0, 0]
    store = Store(folder, lambda: NOW)
    skills = SkillMemory(store, "me").repository
    templates = {template.pattern.text: template for template in skills.all()}
    counts = skills.outcomes("com.shop")
    store.close()
    assert sorted(templates) == ["bring me the {item} please", "order {item} on Eats"]
    assert templates["order {item} on Eats"].runs == 1
    assert (counts.matched, counts.differed) == (2, 0)
    done = (folder / "done.txt").read_text().split("\n")[:-1]
    assert [line for line in done if not line.startswith("profile")] == ["action", "experience"]
    assert {line for line in done if line.startswith("profile")} == {f"profile {REPEATED}", f"profile {NEW}"}


def test_what_was_repeated_and_new_ways_come_before_the_profile(folder: Path, run: Run) -> None:
    assert run(folder, Moment.NEVER, "new") == 0
    done = (folder / "done.txt").read_text().split()
    assert done[:2] == ["action", "experience"]
    assert done.count("profile") == 2


def test_a_turn_that_is_forgotten_while_it_is_learnt_from_leaves_no_skill(
    store: Store, skills: SkillMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn_id = ordered(store, 1, "order Soup on Eats", 1, "Soup")
    skills.note_end(turn_id, Outcome.SUCCESS)
    read_trace = SkillRepository.trace

    def read_and_forget(repository: SkillRepository, of_turn: str) -> Trace | None:
        trace = read_trace(repository, of_turn)
        forget(store, [of_turn])
        return trace

    monkeypatch.setattr(SkillRepository, "trace", read_and_forget)
    assert skills.learn_waiting() == []
    assert skills.repository.all() == []
