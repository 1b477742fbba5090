"""A program that learns from two turns that ended, and is killed at one moment of it.

The first turn repeated a skill (action memory), the second went a way of its own (experience), and both say
something of the user (profile). What is done is written to a file, line by line.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

from assistant import command_resolver
from assistant.command_resolver import PersonalCommandResolver
from assistant.memory import audit
from assistant.memory.store import Store
from assistant.records import Outcome, Record, State
from assistant.settings.schema import Settings
from assistant.skills.replay import ActionMemory
from assistant.skills.service import SkillLearner, SkillMemory
from assistant.skills.storage import ReplayReport, SkillRepository
from tests.skills.recorded_turns import NOW

REPEATED, NEW = "turn-2", "turn-3"


class Moment(StrEnum):
    """When the program is killed: `WRITTEN` is amid a transaction, each other one between two."""

    NOTED = "noted"
    COUNTING = "counting"
    COUNTED = "counted"
    WRITTEN = "written"
    LEARNT = "learnt"
    PROFILED = "profiled"
    NEVER = "never"


class _Reported(ActionMemory):
    """Stands in for the action memory of a turn: tells what it repeated."""

    def __init__(self, repository: SkillRepository, report: ReplayReport) -> None:
        super().__init__(repository)
        self._report = report

    def report(self, turn_id: str) -> ReplayReport:
        return self._report


class _Profile:
    """Stands in for the profile."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def learn(self, record: Record) -> None:
        self._note(f"profile {record.id}")


class _Prototypes:
    """Stands in for the prototypes, which are made anew wherever they are behind."""

    def aggregate(self, user_id: str) -> None:
        pass


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def patch(moment: Moment, note: Callable[[str], None]) -> None:
    """Have each update noted, and the program killed at a moment."""
    put, change_put = SkillRepository.put, audit.Change.put
    end_waiting = PersonalCommandResolver._end_waiting

    def noted_put(self: SkillRepository, template: Any, why: str, what: str = "", *more: Any) -> Any:
        counts = what == "Count a use of a skill"
        if (moment, counts) in ((Moment.COUNTING, True), (Moment.COUNTED, False)):
            die()
        changed = put(self, template, why, what, *more)
        note("action" if counts else "experience")
        if moment is Moment.LEARNT and not counts:
            die()
        return changed

    def killed_put(self: audit.Change, table: Any, row: Any) -> bool:
        differs = change_put(self, table, row)
        if moment is Moment.WRITTEN:
            die()
        return differs

    def killed_end(self: PersonalCommandResolver, record_id: str) -> None:
        if moment is Moment.PROFILED:
            die()
        end_waiting(self, record_id)

    replacements: list[tuple[Any, str, Any]] = [
        (SkillRepository, "put", noted_put),
        (audit.Change, "put", killed_put),
        (PersonalCommandResolver, "_end_waiting", killed_end),
        (command_resolver, "LazyProfile", lambda *_: lambda: _Profile(note)),
        (PersonalCommandResolver, "open_prototypes", lambda self: _Prototypes()),
        (PersonalCommandResolver, "embedder", lambda self: None),
    ]
    for owner, name, replacement in replacements:
        setattr(owner, name, replacement)


async def live(folder: Path, moment: Moment, *, is_new: bool) -> None:
    """The end of both turns where it `is_new`, and what the program learns, from its start on."""
    done = folder / "done.txt"

    def note(what: str) -> None:
        with done.open("a") as file:
            file.write(f"{what}\n")

    patch(moment, note)
    store = Store(folder, lambda: NOW)
    settings = Settings(store=folder, user_id="me")
    resolver = PersonalCommandResolver(settings, store, lambda: State(time=NOW), lambda: (), lambda _: None)
    skills = SkillMemory(store, "me")
    learner = SkillLearner(skills)
    learner.begin()
    await resolver.learn_waiting(learner.task)
    if is_new:
        (template,) = skills.repository.all()
        repeated = ReplayReport(
            skill_id=template.id, package="com.shop", matched=2, replayed=2, confirmed=(0, 1)
        )
        for turn_id, report in ((REPEATED, repeated), (NEW, ReplayReport())):
            learner.note_end(turn_id, Outcome.SUCCESS, "", _Reported(skills.repository, report))
            record = store.records.get(turn_id)
            resolver.learn(record, well=True, after=learner.task, turn_id=turn_id)
        if moment is Moment.NOTED:
            die()
    await learner.close()
    await resolver.close()
    store.close()


def main() -> None:
    """Read a folder, a moment and perhaps “new” from each line, and tell how a process for it ended.

    The processes are forked from this one, which has loaded everything and has no threads.
    """
    for line in sys.stdin:
        folder, moment, *more = line.split()
        if (child := os.fork()) == 0:
            asyncio.run(live(Path(folder), Moment(moment), is_new="new" in more))
            os._exit(0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
