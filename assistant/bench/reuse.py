"""`bench reuse` and `bench templates`: how much of what was done once need not be decided again.

Orders of eight categories, in the manner of MobiMem's, are carried out one after another on the simulated
phone, once without memory and once with ours; the paper's rules are applied to the same actions: ActTree
repeats the longest beginning that an earlier order of the category had (as a perfect predictor would choose
it), ActChain each step that an earlier one had at the same place with the same value. One order in ten meets
a phone that differs: an advertisement, a request for cookies or a rating comes in between.

A replayed step is wrong when the run without memory did no such step for the same order.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.bench.corpora import read_yaml
from assistant.bench.harness import Stage, carry_out, open_stage
from assistant.bench.report import Report, progress, ratio, rounded
from assistant.engine import Engine
from assistant.events import ActionChosen, ActionKind, Event, ScreenObserved, StepFinished, TurnFinished
from assistant.memory.store import open_store
from assistant.records import Action, Click, Finished, LongClick, Observation, Outcome, Source
from assistant.safety.classifier import judge
from assistant.simulator.chance import pick, whole
from assistant.simulator.orders import ORDERS
from assistant.simulator.world import WorldOptions
from assistant.skills.slots import learn_from_two, learn_pattern
from assistant.skills.template import SkillRepository

MODEL_SECONDS, PHONE_SECONDS = 1.5, 0.2
"""What a decision of the model and the rest of a step are taken to cost, for the speed of the sequence."""

_CHANGE_EVERY = 10
_CAP = 90.0
_QUIET = {"advertisements": False, "permissions": False, "ratings": False, "updates": False, "cookies": False}
_LOUD = {"advertisements": True, "ratings": True, "cookies": True}


@dataclass(frozen=True, slots=True)
class Task:
    """One order, its category, and whether the phone differs when it comes."""

    category: str
    said: str
    changed: bool


@dataclass(slots=True)
class TaskRun:
    """What one order took. `steps` are what was done on the phone: the key of each, and whether replayed."""

    task: Task
    outcome: Outcome | None = None
    requests: int = 0
    steps: list[tuple[str, bool]] = field(default_factory=list)
    sensitive: int = 0
    shown: Observation | None = None

    def take(self, event: Event) -> None:
        """Note what an event tells."""
        match event:
            case ScreenObserved(observation=observation):
                self.shown = observation
            case ActionChosen(action=action, source=Source.REPLAYED) if self.shown is not None:
                self.sensitive += judge(action, self.shown) is not None
            case StepFinished(action=action, source=source, error="") if not isinstance(action, Finished):
                self.steps.append((action_key(action), source is Source.REPLAYED))
            case TurnFinished(outcome=outcome, usage=usage):
                self.outcome, self.requests = outcome, usage.requests

    @property
    def seconds(self) -> float:
        """What the order would take with a real model and phone."""
        return self.requests * MODEL_SECONDS + len(self.steps) * PHONE_SECONDS


def action_key(action: Action) -> str:
    """What an action does: its type, and what it names; of a row its title."""
    if isinstance(action, Click | LongClick) and action.target is not None:
        return f"{action.type} {action.target.resource_id} {action.target.label.split(' · ')[0]}"
    return action.model_dump_json(exclude={"target", "point"})


def make_tasks(count: int, seed: int) -> list[Task]:
    """That many orders, the categories by turns, every tenth on a phone that differs."""
    categories = read_yaml("reuse.yaml")
    tasks = []
    for number in range(count):
        category, entry = list(categories.items())[number % len(categories)]
        values = {name: pick(known, seed, number, name) for name, known in entry["values"].items()}
        changed = number % _CHANGE_EVERY == _CHANGE_EVERY - 1
        tasks.append(Task(category, entry["say"].format(**values), changed))
    return tasks


async def run(count: int, seed: int) -> Report:
    """Carry out `count` orders without memory and with it."""
    tasks = make_tasks(count, seed)
    async with open_stage(WorldOptions(scale=0.5)) as stage:
        plain = await _run_all(stage, tasks, replay=False)
        ours = await _run_all(stage, tasks, replay=True)
        store = open_store(stage.settings)
        skills = [template.state.value for template in SkillRepository(store, stage.settings.user_id).all()]
        store.close()
    total = _figures(plain, ours)
    by_category = {
        name: _figures(*([run for run in runs if run.task.category == name] for runs in (plain, ours)))
        for name in dict.fromkeys(task.category for task in tasks)
    }
    changed = _figures(*([run for run in runs if run.task.changed] for runs in (plain, ours)))
    values = {
        "orders": count,
        "all": total,
        "changed": changed,
        "categories": by_category,
        "skills": {state: skills.count(state) for state in dict.fromkeys(skills)},
        "paper": {"ActTree": 0.375, "ActChain, learnt": 0.597, "ActChain, by hand": 0.773},
    }
    good = not total["sensitive replays"] and not total["wrong replays"]
    return Report(values, good and total["ended well"] >= max(1, total["ended well without"]))


async def _run_all(stage: Stage, tasks: Sequence[Task], *, replay: bool) -> list[TaskRun]:
    runs = []
    for number, task in enumerate(tasks, 1):
        await stage.prepare()
        trip = ORDERS["difficulties"].model_validate({**_QUIET, **(_LOUD if task.changed else {})})
        await stage.phone.perform(trip)
        settings = stage.settings.overridden({"turn": {"replay": replay}, "memory": {"learning": replay}})
        run = TaskRun(task)
        async with Stage(settings, stage.phone, stage.model).engine(tuple(ActionKind)) as engine:
            await _carry_out(engine, run)
        runs.append(run)
        replayed = sum(replayed for _key, replayed in run.steps)
        progress(f"{number}/{len(tasks)} {task.said}: {run.outcome}, {replayed} of {len(run.steps)} replayed")
    return runs


async def _carry_out(engine: Engine, run: TaskRun) -> None:
    await carry_out(engine, run.task.said, _CAP, run.take)


def _figures(plain: Sequence[TaskRun], ours: Sequence[TaskRun]) -> dict[str, Any]:
    """Ours beside the same orders without memory, and the paper's rules on their actions."""
    done = sum(len(run.steps) for run in ours)
    replayed = sum(again for run in ours for _key, again in run.steps)
    wrong = sum(
        again and key not in {known for known, _again in base.steps}
        for base, run in zip(plain, ours, strict=True)
        for key, again in run.steps
    )
    before, after = sum(run.seconds for run in plain), sum(run.seconds for run in ours)
    tree, chain = _paper(plain)
    return rounded(
        {
            "steps": done,
            "replayed": ratio(replayed, done) or 0.0,
            "ActTree": tree,
            "ActChain": chain,
            "wrong replays": wrong,
            "sensitive replays": sum(run.sensitive for run in ours),
            "ended well": sum(run.outcome is Outcome.SUCCESS for run in ours),
            "ended well without": sum(run.outcome is Outcome.SUCCESS for run in plain),
            "times as fast": ratio(before, after) or 0.0,
        }
    )


def _paper(runs: Sequence[TaskRun]) -> tuple[float, float]:
    """The shares of steps that the paper's ActTree and ActChain would repeat."""
    seen: defaultdict[str, list[list[str]]] = defaultdict(list)
    total = tree = chain = 0
    for run in runs:
        keys = [key for key, _again in run.steps]
        earlier = seen[run.task.category]
        total += len(keys)
        tree += max((_common(keys, other) for other in earlier), default=0)
        chain += sum(
            any(other[place : place + 1] == [key] for other in earlier) for place, key in enumerate(keys)
        )
        earlier.append(keys)
    return (tree / total, chain / total) if total else (0.0, 0.0)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


_SLOT = re.compile(r"\{(\w+)\}")
_WORDS = (
    "harbour",
    "maple",
    "lantern",
    "violin",
    "cedar",
    "orbit",
    "willow",
    "copper",
    "falcon",
    "ember",
    "meadow",
    "river",
)


def run_templates(data: Path, seed: int) -> Report:
    """How well slots are found in AndroidWorld's instructions, from one order and its values, and from two.

    The values are what the actions of an order would type or tap, together with two words that are none.
    """
    lines = (data / "app-tasks.jsonl").read_text("utf-8").splitlines()
    templates = [entry["template"] for entry in map(json.loads, lines) if entry.get("slots")]
    scores: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for number, template in enumerate(templates):
        names = list(dict.fromkeys(_SLOT.findall(template)))
        first, second = (_values(names, side, seed, number) for side in (1, 2))
        one, other = (_SLOT.sub(lambda m, v=values: v[m[1]], template) for values in (first, second))  # type: ignore[misc]
        learnt = learn_pattern(one, [*first.values(), "Save", "Add"])
        scores["one order and its values"].append(_score(learnt.fill(one), first))
        both = learn_from_two(one, other)
        scores["two orders"].append(_score(both.fill(one) if both else None, first))
        scores["carried over to the other order"].append(_score(learnt.fill(other), second))
    figures = {name: _f1(rows) for name, rows in scores.items()}
    good = figures["two orders"]["F1"] >= 0.95 and figures["one order and its values"]["F1"] >= 0.85
    return Report({"templates": len(templates), "slots": figures}, good, simulated="")


def _values(names: Sequence[str], side: int, *about: object) -> Mapping[str, str]:
    """A value for each slot: a number where its name says so, else one to three words.

    Two orders have no word of their values in common; where they do, a difference is told less well.
    """
    values = {}
    for name in names:
        if re.search(r"number|amount|hour|minute|second|day|year|count|num", name):
            values[name] = str(whole(2, 30, name, *about) * 2 + side)
        else:
            words = (
                pick(_WORDS[side % 2 :: 2], name, place, *about)
                for place in range(whole(1, 4, name, side, *about))
            )
            values[name] = " ".join(words)
    return values


def _score(found: Mapping[str, str] | None, values: Mapping[str, str]) -> tuple[int, int, int]:
    """How many slots are right, found, and there, by their values."""
    known = [value.casefold() for value in (found or {}).values()]
    right = sum(value.casefold() in known for value in values.values())
    return right, len(known), len(values)


def _f1(rows: Sequence[tuple[int, int, int]]) -> dict[str, float]:
    right, found, there = (sum(column) for column in zip(*rows, strict=True))
    return rounded(
        {"F1": 2 * right / (found + there), "precision": right / max(1, found), "recall": right / there}
    )
