"""Writes lives as JSON lines: records, the truth about them, habits, and questions with their answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from assistant.records import Record
from assistant.simulator.life.habits import Habit
from assistant.simulator.life.living import Life, Truth
from assistant.simulator.life.people import Person
from assistant.simulator.life.questions import AskedState, Command, commands, states


def record_line(record: Record) -> str:
    """A record in the exchange format."""
    content = record.model_dump(mode="json", exclude_none=True)
    return json.dumps({name: value for name, value in content.items() if value != ""}, ensure_ascii=False)


def write(lives: Iterable[Life], folder: Path) -> dict[str, int]:
    """Write `records`, `truth`, `habits`, `commands` and `states`, each a `.jsonl`; lines for each file.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = ("records", "truth", "habits", "commands", "states")
    lines: dict[str, list[str]] = {name: [] for name in names}
    for life in lives:
        lines["records"] += map(record_line, life.records)
        lines["truth"] += map(_truth, life.truths)
        lines["habits"] += _habits(life.person)
        lines["commands"] += map(_command, commands(life))
        lines["states"] += map(_state, states(life))
    for name, content in lines.items():
        text = "".join(f"{line}\n" for line in content)
        folder.joinpath(f"{name}.jsonl").write_text(text, "utf-8")
    return {name: len(content) for name, content in lines.items()}


def _line(**values: Any) -> str:
    return json.dumps(values, ensure_ascii=False)


def _truth(truth: Truth) -> str:
    return _line(record=truth.record_id, cluster=truth.cluster, kind=truth.kind, habit=truth.habit)


def _habits(person: Person) -> Iterator[str]:
    for habit in person.habits:
        yield _line(
            user_id=person.user_id,
            habit=habit.id,
            kind=habit.kind,
            weekdays=sorted(habit.days),
            spread_minutes=round(habit.spread, 1),
            missed=round(habit.missed, 2),
            scenario=habit.scenario,
            per_day=habit.rate,
            after=habit.after,
            phases=list(_phases(habit)),
        )


def _phases(habit: Habit) -> Iterator[dict[str, Any]]:
    for phase in habit.phases:
        yield {
            "cluster": phase.want.id,
            "first": phase.first.isoformat(),
            "last": phase.last.isoformat(),
            "minute": round(phase.minute, 1),
            "drift_a_week": round(phase.drift, 1),
        }


def _command(command: Command) -> str:
    return _line(
        user_id=command.user_id,
        at=command.at.isoformat(),
        scenario=command.scenario,
        said=command.said,
        cluster=command.cluster,
        kind=command.kind,
    )


def _state(state: AskedState) -> str:
    return _line(
        user_id=state.user_id,
        at=state.at.isoformat(),
        scenario=state.scenario,
        wanted=state.instruction,
        cluster=state.cluster,
        also=list(state.also),
        why=state.why,
    )
