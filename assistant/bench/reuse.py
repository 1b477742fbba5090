"""`bench reuse`: how much of what was done once need not be decided again.

Orders of eight categories, in the manner of MobiMem's and in its numbers, are carried out one after another
on the simulated phone by the engine that users have, whose questions before sensitive steps are answered with
yes: without memory, with what it learns from its own turns, and with skills that were written by hand
beforehand. The paper's rules are applied to the actions of the run without memory: ActTree repeats the
longest beginning that an earlier order of the category had (as a perfect predictor would choose it); ActChain
each sub-task that an earlier order had with the same values. By hand every step is a sub-task; by a model the
steps up to and with one that uses a value are one.

One order in ten meets a phone that differs: advertisements, cookies, ratings, permissions, updates come in
between. With `redesign` it is each order of a category from its third one on instead, and what differs are
the apps' own pages: a row more, buttons moved or called otherwise, a page more between two.

The truth by which replayed steps are judged is what the order asks for: the data of all apps at the end,
first-time notices that were dismissed and the time apart (`left_states`), and for what is read from a screen
the answer of the run without memory. A replayed step that the run without memory did not do, or not as often,
is

- *wrong* where the order did not end well, or left something else than it asked for;
- *wrong* where it ended alike, but the step named what another order of the category names and this one does
  not, or what it did was gone back from;
- *another way* else: it was not needed, or the run without memory went otherwise, to the same end.

An order that used the memory and did not end so has one wrong step at least, even if all its steps are those
of the run without memory.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from assistant.bench.corpora import read_yaml
from assistant.bench.deed_counts import NO_DEEDS, DeedCount, of_order, total
from assistant.bench.harness import Stage, carry_out, open_stage
from assistant.bench.left_states import misses
from assistant.bench.report import Report, progress, ratio, rounded
from assistant.events import (
    ActionChosen,
    Approval,
    ApprovalRequested,
    ApprovalSettled,
    ApprovedBy,
    Event,
    QuestionAsked,
    ScreenObserved,
    StepFinished,
    TurnFinished,
    Verdict,
)
from assistant.memory.store import open_store
from assistant.records import Action, Click, Finished, LongClick, Observation, Outcome, Source
from assistant.safety.classifier import judge
from assistant.simulator.chance import pick
from assistant.simulator.orders import ORDERS
from assistant.simulator.world import WorldOptions
from assistant.skills.storage import SkillRepository, import_skill

MODEL_SECONDS, PHONE_SECONDS = 1.5, 0.2
"""What a decision of the model and the rest of a step are taken to cost, for the speed of the sequence."""

_CHANGE_EVERY = 10
_ORDERS_BEFORE = 2
"""How many orders of each category come before the apps are redesigned: from these memory learns them."""

_CAP = 90.0
_DIFFICULTIES = ("advertisements", "permissions", "ratings", "updates", "cookies")
_SKILLS = Path(__file__).parent / "data" / "reuse_skills"


class Memory(StrEnum):
    """What the orders of one run can draw on."""

    NONE = "without memory"
    LEARNT = "learnt"
    WRITTEN = "written by hand"


@dataclass(frozen=True, slots=True)
class Task:
    """One order, its category, the values that it names, and whether the phone differs when it comes."""

    category: str
    said: str
    named: Mapping[str, str] = field(default_factory=dict)
    changed: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """The values alone."""
        return tuple(self.named.values())


@dataclass(frozen=True, slots=True)
class StepKey:
    """One step that was done on the phone: what it did, whether from memory, whether it needed a yes.

    `asked` is whether the user was asked about the deed in this turn, before this step or a stage before it.
    """

    key: str
    replayed: bool = False
    sensitive: bool = False
    asked: bool = False


@dataclass(slots=True)
class TaskRun:
    """What one order took: its end, how often model and user were asked, and the steps done on the phone.

    `misses` is what the phone holds otherwise than the order asked for, `day` the date on which it came,
    `deeds` what was done.
    """

    task: Task
    outcome: Outcome | None = None
    requests: int = 0
    approvals: int = 0
    questions: int = 0
    steps: list[StepKey] = field(default_factory=list)
    answer: str = ""
    misses: list[str] = field(default_factory=list)
    day: date = date.min
    deeds: DeedCount = NO_DEEDS

    @property
    def seconds(self) -> float:
        """What the order would take with a real model and phone."""
        return self.requests * MODEL_SECONDS + len(self.steps) * PHONE_SECONDS


_KEPT: TypeAdapter[tuple[list[TaskRun], dict[str, int]]] = TypeAdapter(tuple[list[TaskRun], dict[str, int]])


class Watcher:
    """Follows one order by the events of its turn."""

    def __init__(self, task: Task) -> None:
        self.run = TaskRun(task)
        self._shown: Observation | None = None
        self._is_sensitive = False
        self._asked_step = 0

    def take(self, event: Event) -> None:
        """Note what an event tells."""
        match event:
            case ScreenObserved(observation=observation):
                self._shown = observation
            case ActionChosen(action=action) if self._shown is not None:
                self._is_sensitive = judge(action, self._shown) is not None
            case StepFinished(step=step, action=action, source=source, error="") if not isinstance(
                action, Finished
            ):
                is_replayed, asked = source is Source.REPLAYED, step == self._asked_step
                self.run.steps.append(StepKey(action_key(action), is_replayed, self._is_sensitive, asked))
            case ApprovalRequested(decision=decision):
                self.run.approvals += 1
                decision.set_result(Approval(Verdict.ONCE))
            case ApprovalSettled(step=step, by=ApprovedBy.USER):
                self._asked_step = step
            case QuestionAsked(answer=reply):
                self.run.questions += 1
                reply.set_result(self.run.task.said)
            case TurnFinished(outcome=outcome, usage=usage, answer=answer):
                self.run.outcome, self.run.requests, self.run.answer = outcome, usage.requests, answer


def action_key(action: Action) -> str:
    """What an action does: its type, and what it names; of a row its title."""
    if isinstance(action, Click | LongClick) and action.target is not None:
        return f"{action.type} {action.target.resource_id} {action.target.label.split(' · ')[0]}"
    return action.model_dump_json(exclude={"target", "point"})


def make_tasks(count: int, seed: int, only: str = "", each: int = 0, *, redesign: bool = False) -> list[Task]:
    """That many orders in the proportions of the paper, mixed evenly; every tenth on a phone that differs.

    Only those of a category, and the first `each` of each category, where these are given. With `redesign`
    the phone differs from the third of each category on.
    """
    categories = read_yaml("reuse.yaml")
    total = sum(entry["share"] for entry in categories.values())
    places = []
    for name, entry in categories.items():
        number = max(1, round(count * entry["share"] / total))
        places += [((place + 0.5) / number, name) for place in range(number)]
    tasks, selected = list[Task](), list[Task]()
    for number, (_place, category) in enumerate(sorted(places)[:count]):
        values: dict[str, str] = {}
        for names, choices in categories[category]["values"].items():
            chosen = pick(choices, seed, number, names)
            values |= zip(names.split(", "), chosen if isinstance(chosen, list) else [chosen], strict=True)
        said = categories[category]["say"].format(**values)
        changed = number % _CHANGE_EVERY == _CHANGE_EVERY - 1
        tasks.append(Task(category, said, values, changed))
    seen: Counter[str] = Counter()
    for task in tasks:
        seen[task.category] += 1
        if redesign:
            task = replace(task, changed=seen[task.category] > _ORDERS_BEFORE)
        if only in ("", task.category) and (not each or seen[task.category] <= each):
            selected.append(task)
    return selected


async def run(
    count: int,
    seed: int,
    only: str = "",
    kept: Path | None = None,
    in_a_row: bool = False,
    memories: Sequence[Memory] = tuple(Memory),
    each: int = 0,
    redesign: bool = False,
) -> Report:
    """Carry out `count` orders with each memory.

    Args:
        count: how many orders.
        seed: the same seed gives the same orders.
        only: the category to which the orders are limited.
        kept: a folder in which each memory's run is kept when it is whole, and from which it is taken again.
        in_a_row: leave the phone as each order leaves it, as for a user; else it is reset before each.
        memories: what is measured; the run without memory is the base of all figures.
        each: only the first so many orders of each category; 0 for all.
        redesign: what differs on a phone are the apps' own pages.
    """
    tasks = make_tasks(count, seed, only, each, redesign=redesign)
    runs: dict[Memory, list[TaskRun]] = {}
    skills: dict[str, dict[str, int]] = {}
    for memory in memories:
        file = kept / f"{memory.name.lower()}.json" if kept is not None else None
        if file is not None and file.exists():
            runs[memory], skills[memory] = _KEPT.validate_json(file.read_bytes())
            if [run.task for run in runs[memory]] != tasks:
                raise ValueError(f"{file} holds other orders.")
            continue
        async with open_stage(WorldOptions(scale=0.3)) as stage:
            if memory is Memory.WRITTEN:
                _import_skills(stage)
            runs[memory] = await _run_all(stage, tasks, memory, in_a_row=in_a_row, redesign=redesign)
            skills[memory] = _skill_states(stage)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(_KEPT.dump_json((runs[memory], skills[memory])))
    return _report(tasks, runs, skills, in_a_row)


def _report(
    tasks: Sequence[Task],
    runs: Mapping[Memory, Sequence[TaskRun]],
    skills: Mapping[str, Mapping[str, int]],
    in_a_row: bool,
) -> Report:
    """What the runs with each memory came to, beside the run without."""
    plain = runs[Memory.NONE]
    figures = {memory: _figures(plain, ours) for memory, ours in runs.items()}
    categories = {
        memory: {
            name: _figures(*([run for run in side if run.task.category == name] for side in (plain, ours)))
            for name in dict.fromkeys(task.category for task in tasks)
        }
        for memory, ours in runs.items()
        if memory is not Memory.NONE
    }
    changed = {
        memory: _figures(*([run for run in side if run.task.changed] for side in (plain, ours)))
        | behind_mismatches(plain, ours)
        for memory, ours in runs.items()
        if memory is not Memory.NONE
    }
    values = {
        "orders": len(tasks),
        "phone": "as the order before left it" if in_a_row else "reset before each order",
        "all": figures,
        "mean of categories": {memory: _mean(by_name) for memory, by_name in categories.items()},
        "paper's rules": paper_rates(plain),
        "without template": {
            "ActTree with slots filled in the tree, by its rule": beginning_rates(plain, _shared_beginning()),
            "repeated before the model's first step": beginning_rates(
                runs.get(Memory.LEARNT, ()), _first_of_model
            ),
        },
        "on a changed phone": changed,
        "deeds": {memory: total(run.deeds for run in ours).as_json() for memory, ours in runs.items()},
        "categories": categories,
        "skills": skills,
        "model asked for": {memory: model_requests(ours) for memory, ours in runs.items()},
        "third orders": {memory: third_orders(plain, ours) for memory, ours in runs.items()},
    }
    good = all(not entry["wrong replays"] and not entry["unasked"] for entry in figures.values())
    return Report(values, good)


def _import_skills(stage: Stage) -> None:
    store = open_store(stage.settings)
    repository = SkillRepository(store, stage.settings.user_id)
    for folder in sorted(path for path in _SKILLS.iterdir() if path.is_dir()):
        template = import_skill(folder, stage.settings.user_id, datetime.now().astimezone())
        repository.put(template, "written by hand")
    store.close()


def _skill_states(stage: Stage) -> dict[str, int]:
    store = open_store(stage.settings)
    states = [template.state.value for template in SkillRepository(store, stage.settings.user_id).all()]
    store.close()
    return {state: states.count(state) for state in dict.fromkeys(states)}


async def _run_all(
    stage: Stage, tasks: Sequence[Task], memory: Memory, *, in_a_row: bool, redesign: bool
) -> list[TaskRun]:
    runs = []
    has_memory = memory is not Memory.NONE
    for number, task in enumerate(tasks, 1):
        resets = number == 1 or not in_a_row
        before = await stage.prepare() if resets else await stage.phone.state()
        switches = dict.fromkeys(_DIFFICULTIES, task.changed and not redesign)
        switches["redesigned"] = task.changed and redesign
        await stage.phone.perform(ORDERS["difficulties"].model_validate(switches))
        settings = stage.settings.overridden(
            {"turn": {"replay": has_memory}, "memory": {"learning": has_memory}}
        )
        run = await carry_out_order(replace(stage, settings=settings), task, before)
        runs.append(run)
        marks = "".join("R" if step.replayed else "s" if step.sensitive else "m" for step in run.steps)
        changed = "*" if task.changed else ""
        end = f"{run.outcome} {marks} {run.requests} {'; '.join(run.misses)}".rstrip()
        progress(f"{memory} {number}/{len(tasks)}{changed} {task.said}: {end}")
    return runs


async def carry_out_order(stage: Stage, task: Task, before: Mapping[str, Any]) -> TaskRun:
    """Carry out one order; each question before a sensitive step is answered with yes.

    Args:
        stage: the phone, the model and the settings.
        task: the order.
        before: the phone's state when it comes.
    """
    watcher = Watcher(task)
    async with stage.engine(attended=True) as engine:
        await carry_out(engine, task.said, _CAP, watcher.take)
    run = watcher.run
    run.day = datetime.now().astimezone().date()
    state = await stage.phone.state()
    run.misses = misses(task.category, task.named, before, state, run.day)
    run.deeds = of_order(task.category, task.named, before, state, run.day)
    return run


def _figures(plain: Sequence[TaskRun], ours: Sequence[TaskRun]) -> dict[str, Any]:
    """Ours beside the same orders without memory; `allowed` leaves out the steps that need a yes."""
    steps = [step for run in ours for step in run.steps]
    replayed = sum(step.replayed for step in steps)
    allowed = [step for step in steps if not step.sensitive]
    pairs = list(zip(plain, ours, strict=True))
    third = [(base.seconds, run.seconds) for base, run in _thirds(pairs)]
    rest = [step for run in ours for step in after_mismatch(run)]
    return rounded(
        {
            "steps": len(steps),
            "replayed": ratio(replayed, len(steps)) or 0.0,
            "replayed of those allowed": ratio(sum(step.replayed for step in allowed), len(allowed)) or 0.0,
            "wrong replays": sum(len(wrong_replays(base, run)) for base, run in pairs),
            "replays another way": sum(
                len(other_replays(base, run)) for base, run in pairs if not wrong_replays(base, run)
            ),
            "ended otherwise": sum(not ended_right(base, run) for base, run in pairs),
            "sensitive replays": sum(step.replayed and step.sensitive for step in steps),
            "questions": sum(run.questions for run in ours),
            "sensitive steps": sum(step.sensitive for step in steps),
            "unasked": sum(step.replayed and step.sensitive and not step.asked for step in steps),
            "replayed after a step of the model": ratio(sum(step.replayed for step in rest), len(rest)),
            "ended well": sum(run.outcome is Outcome.SUCCESS for run in ours),
            "times as fast": ratio(sum(run.seconds for run in plain), sum(run.seconds for run in ours))
            or 0.0,
            "third order, times as fast": ratio(sum(a for a, _b in third), sum(b for _a, b in third)) or 0.0,
        }
    )


def _thirds(pairs: Iterable[tuple[TaskRun, TaskRun]]) -> list[tuple[TaskRun, TaskRun]]:
    """The third order of each category, without memory and with it."""
    seen: Counter[str] = Counter()
    thirds = []
    for base, run in pairs:
        seen[run.task.category] += 1
        if seen[run.task.category] == 3:
            thirds.append((base, run))
    return thirds


def third_orders(plain: Sequence[TaskRun], ours: Sequence[TaskRun]) -> dict[str, dict[str, Any]]:
    """What the third order of each category took: where its time goes, beside the same one without memory."""
    return {
        run.task.category: rounded(
            {
                "steps": len(run.steps),
                "steps by the model": sum(not step.replayed for step in run.steps),
                "model asked": run.requests,
                "times as fast": ratio(base.seconds, run.seconds) or 0.0,
            }
        )
        for base, run in _thirds(zip(plain, ours, strict=True))
    }


def model_requests(runs: Sequence[TaskRun]) -> dict[str, int]:
    """What the model was asked for: whole orders, and in those that memory took part in what it left."""
    repeated = [run for run in runs if any(step.replayed for step in run.steps)]
    left = [[step for step in run.steps if not step.replayed] for run in repeated]
    return {
        "orders without memory": sum(run.requests for run in runs if run not in repeated),
        "sensitive steps": sum(step.sensitive for steps in left for step in steps),
        "other steps": sum(not step.sensitive for steps in left for step in steps),
        "ends and looks": sum(run.requests - len(steps) for run, steps in zip(repeated, left, strict=True)),
    }


_GOES_BACK = re.compile(r'"type":"press_(back|home)"')


def ended_right(base: TaskRun, run: TaskRun) -> bool:
    """Whether an order ended well and as it asked for, what it read from the screen included."""
    reads = read_yaml("reuse.yaml").get(run.task.category, {}).get("reads", False)
    comparable = reads and base.outcome is Outcome.SUCCESS and base.day == run.day
    is_answered = not comparable or base.answer == run.answer
    return run.outcome is Outcome.SUCCESS and not run.misses and is_answered


def other_replays(base: TaskRun, run: TaskRun) -> list[int]:
    """The places of the replayed steps that the run without memory did not do, or not as often."""
    spare = Counter(step.key for step in base.steps)
    places = []
    for place, step in enumerate(run.steps):
        spare[step.key] -= 1
        if step.replayed and spare[step.key] < 0:
            places.append(place)
    return places


def wrong_replays(base: TaskRun, run: TaskRun) -> list[int]:
    """The places of the replayed steps that were wrong, as the head of this module says."""
    others = other_replays(base, run)
    replayed = [place for place, step in enumerate(run.steps) if step.replayed]
    if not ended_right(base, run):
        return others or replayed[-1:]
    return [place for place in others if _names_another(run, place) or _is_taken_back(run, place, others)]


def _names_another(run: TaskRun, place: int) -> bool:
    """Whether a step names a value that orders of its category have, and that its own order has not."""
    key, own = run.steps[place].key.casefold(), " ".join(run.task.values).casefold()
    return any(
        re.search(rf"(?<!\w){re.escape(value)}(?!\w)", key)
        for value in _values_of(run.task.category)
        if value not in own
    )


def _is_taken_back(run: TaskRun, place: int, others: Sequence[int]) -> bool:
    """Whether what follows a step, and those of its kind behind it, goes back."""
    following = next(
        (step for later, step in enumerate(run.steps) if later > place and later not in others), None
    )
    return following is not None and not following.replayed and _GOES_BACK.search(following.key) is not None


@cache
def _values_of(category: str) -> frozenset[str]:
    """All values that orders of a category can name, in lower case."""
    entry = read_yaml("reuse.yaml").get(category, {"values": {}})
    choices = [choice for values in entry["values"].values() for choice in values]
    flat = [name for choice in choices for name in (choice if isinstance(choice, list) else [choice])]
    return frozenset(name.casefold() for name in flat)


def after_mismatch(run: TaskRun) -> list[StepKey]:
    """The steps that memory may do, after the first that it left to the model amid its own."""
    places = [place for place, step in enumerate(run.steps) if step.replayed]
    if not places:
        return []
    gap = next(
        (
            place
            for place, step in enumerate(run.steps)
            if place > places[0] and not step.replayed and not step.sensitive
        ),
        len(run.steps),
    )
    return [step for step in run.steps[gap + 1 :] if not step.sensitive]


def behind_mismatches(plain: Sequence[TaskRun], ours: Sequence[TaskRun]) -> dict[str, Any]:
    """Orders on a phone that differs in which something came in between, and what was repeated behind it.

    That is a step that no order of the category needs on a phone that does not differ, whoever took it: an
    advertisement that is closed, a permission. Of the steps behind it those count that such orders need.
    """
    plan: defaultdict[str, set[str]] = defaultdict(set)
    for run in plain:
        if not run.task.changed:
            plan[run.task.category].update(_keys_with_slots(run))
    rests = []
    for run in ours:
        planned = plan[run.task.category]
        keys = _keys_with_slots(run)
        used = any(step.replayed for step in run.steps)
        place = next((place for place, key in enumerate(keys) if key not in planned), None)
        if run.task.changed and planned and used and place is not None:
            behind = zip(keys[place + 1 :], run.steps[place + 1 :], strict=True)
            rests.append([step for key, step in behind if key in planned and not step.sensitive])
    steps = [step for rest in rests for step in rest]
    return rounded(
        {
            "orders with something in between": len(rests),
            "steps behind it": len(steps),
            "replayed behind it": ratio(sum(step.replayed for step in steps), len(steps)),
        }
    )


def _keys_with_slots(run: TaskRun) -> list[str]:
    """What the steps of an order did, with the names of its values in their place."""
    keys = [step.key.casefold() for step in run.steps]
    for name, value in run.task.named.items():
        keys = [key.replace(value.casefold(), f"{{{name}}}") for key in keys]
    return keys


def _mean(by_name: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """The mean of the shares over the categories, each counted once, as the paper does."""
    names = ("replayed", "replayed of those allowed")
    return rounded(
        {name: sum(entry[name] for entry in by_name.values()) / max(1, len(by_name)) for name in names}
    )


def paper_rates(runs: Sequence[TaskRun]) -> dict[str, dict[str, float]]:
    """The shares of steps that the paper's rules would repeat, over all steps and as a mean of categories."""
    earlier: defaultdict[str, list[list[str]]] = defaultdict(list)
    parts: defaultdict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    counts: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for run in runs:
        category, keys = run.task.category, [step.key for step in run.steps]
        counts["steps"][category] += len(keys)
        counts["ActTree"][category] += max((_common(keys, other) for other in earlier[category]), default=0)
        earlier[category].append(keys)
        for rule, subtasks in (
            ("ActChain, sub-tasks by a model", _subtasks(run)),
            ("ActChain, sub-tasks by hand", [(key,) for key in keys]),
        ):
            earlier_parts = parts[rule, category]
            counts[rule][category] += sum(len(part) for part in subtasks if part in earlier_parts)
            earlier_parts.update(subtasks)
    total = counts.pop("steps")
    return {
        rule: rounded(
            {
                "of all steps": sum(by_name.values()) / max(1, sum(total.values())),
                "mean of categories": sum(by_name[name] / max(1, total[name]) for name in total) / len(total),
            }
        )
        for rule, by_name in counts.items()
    }


def beginning_rates(runs: Sequence[TaskRun], count: Callable[[TaskRun], int]) -> dict[str, float]:
    """Reuse without a template (ActTree): the share of steps in beginnings, and its mean over categories.

    Args:
        runs: the orders, in their order.
        count: how many steps an order begins with that need no decision.
    """
    steps, shared = Counter[str](), Counter[str]()
    for run in runs:
        steps[run.task.category] += len(run.steps)
        shared[run.task.category] += count(run)
    shares = [shared[name] / max(1, steps[name]) for name in steps]
    return rounded(
        {
            "of all steps": ratio(shared.total(), steps.total()) or 0.0,
            "mean of categories": ratio(sum(shares), len(shares)) or 0.0,
        }
    )


def _shared_beginning() -> Callable[[TaskRun], int]:
    """How many steps an order begins with as an earlier one of its category did, each with its own values."""
    earlier: defaultdict[str, list[list[str]]] = defaultdict(list)

    def count(run: TaskRun) -> int:
        keys = _keys_with_slots(run)
        shared = max((_common(keys, other) for other in earlier[run.task.category]), default=0)
        earlier[run.task.category].append(keys)
        return shared

    return count


def _first_of_model(run: TaskRun) -> int:
    """The place of the first step that was not repeated; behind the last where all were."""
    return next((place for place, step in enumerate(run.steps) if not step.replayed), len(run.steps))


def _subtasks(run: TaskRun) -> list[tuple[str, ...]]:
    """The steps of an order in groups, each up to and with one that uses a value of the order."""
    groups: list[tuple[str, ...]] = []
    group: list[str] = []
    for step in run.steps:
        group.append(step.key)
        if any(value.casefold() in step.key.casefold() for value in run.task.values):
            groups.append(tuple(group))
            group = []
    return [*groups, tuple(group)] if group else groups


def _common(keys: Sequence[str], other: Sequence[str]) -> int:
    """How many steps two orders begin with in common."""
    count = 0
    for left, right in zip(keys, other, strict=False):
        if left != right:
            break
        count += 1
    return count
