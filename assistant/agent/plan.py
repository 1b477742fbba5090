"""The plan of a command over several apps: sub-tasks as a directed acyclic graph (MobiMem 4.2, 5.1).

A sub-task may need values that others yield: `{{a}}` in its instruction stands for what sub-task `a` finds
out. It also may have to wait for others without a value. Everything here is data and pure functions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from assistant.events import PlannedTask
from assistant.model.types import one_line
from assistant.records import Outcome

MAX_SUB_TASKS = 8
"""More apps at once no person asks for; a plan of more is a misreading."""

MAX_VALUE_LENGTH = 200
"""Characters of a value that goes from one sub-task into another."""

ANY_VALUE = "what it finds out, in a few words"
"""What a sub-task yields where the command does not say more."""

_SLOT = re.compile(r"\{\{\s*([a-z][a-z0-9_]*)\s*\}\}")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,15}")
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_]+")


class PlanSource(StrEnum):
    """Where a plan comes from: one that ended well before, the words of the command, a model, the user."""

    TEMPLATE = "template"
    LOCAL = "local"
    MODEL = "model"
    USER = "user"


class SubTask(BaseModel):
    """One part of a command, in one app.

    Attributes:
        id: a short name, unique in its plan; also the name of the value that it yields.
        instruction: what to do, with `{{id}}` for the values of other sub-tasks.
        app: the app it is done in, as the command names it; empty where any will do.
        value: in words, what others need of it, such as “the price”; empty where they need nothing.
        after: the sub-tasks that must be over before it begins, although it needs no value of them.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    instruction: str
    app: str = ""
    value: str = ""
    after: tuple[str, ...] = ()

    @property
    def slots(self) -> tuple[str, ...]:
        """The values of other sub-tasks that the instruction needs, in its order."""
        return find_slots(self.instruction)

    @property
    def name(self) -> str:
        """The sub-task as a person is told of it."""
        return f"{self.id} · {self.app}" if self.app else self.id


class Plan(BaseModel):
    """A command as sub-tasks; `said` is the command."""

    model_config = ConfigDict(frozen=True)

    said: str
    tasks: tuple[SubTask, ...]
    source: PlanSource = PlanSource.LOCAL

    def task(self, task_id: str) -> SubTask:
        """The sub-task of an id.

        Raises:
            KeyError: there is none.
        """
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise KeyError(task_id)

    def dependencies(self) -> dict[str, frozenset[str]]:
        """For each sub-task those that it needs directly, for a value or for the order."""
        return {task.id: frozenset((*task.slots, *task.after)) for task in self.tasks}


class TaskState(StrEnum):
    """How far a sub-task is; `over` is whether nothing more is done for it."""

    WAITING = "waiting", False
    RUNNING = "running", False
    DONE = "done", True
    FAILED = "failed", True
    UNCONFIRMED = "unconfirmed", True
    CANCELLED = "cancelled", True
    SKIPPED = "skipped", True

    over: bool

    def __new__(cls, value: str, over: bool) -> TaskState:
        """A state by its value."""
        state = str.__new__(cls, value)
        state._value_, state.over = value, over
        return state


class TaskProgress(BaseModel):
    """How far a sub-task is.

    `turn_id` is the turn that carries it out or did, `phone` where, `answer` what it ended with. `tries`
    counts how often it has begun; `at_home` tells that it may only be done on the phone in use, because
    another one failed it.
    """

    model_config = ConfigDict(frozen=True)

    state: TaskState = TaskState.WAITING
    turn_id: str = ""
    phone: str = ""
    answer: str = ""
    tries: int = 0
    at_home: bool = False


class PlanProgress(BaseModel):
    """A plan under way. It is kept in the checkpoint of its turn, so that a killed program goes on."""

    model_config = ConfigDict(frozen=True)

    plan: Plan
    tasks: dict[str, TaskProgress] = {}

    def of(self, task_id: str) -> TaskProgress:
        """How far a sub-task is."""
        return self.tasks.get(task_id, TaskProgress())

    def with_task(self, task_id: str, **changes: object) -> PlanProgress:
        """The progress after a change of one sub-task."""
        changed = self.of(task_id).model_copy(update=changes)
        return self.model_copy(update={"tasks": {**self.tasks, task_id: changed}})

    def in_state(self, *states: TaskState) -> list[str]:
        """The sub-tasks in some states, in the order of the plan."""
        return [task.id for task in self.plan.tasks if self.of(task.id).state in states]

    @property
    def values(self) -> dict[str, str]:
        """What sub-tasks that are done yield for others."""
        done = self.in_state(TaskState.DONE)
        return {name: clean_value(self.of(name).answer) for name in done if self.plan.task(name).value}


def planned_tasks(progress: PlanProgress) -> tuple[PlannedTask, ...]:
    """The sub-tasks as they are shown."""
    return tuple(
        PlannedTask(
            id=task.id,
            instruction=task.instruction,
            app=task.app,
            needs=tuple(dict.fromkeys((*task.slots, *task.after))),
            state=progress.of(task.id).state.value,
        )
        for task in progress.plan.tasks
    )


def find_outcome(progress: PlanProgress) -> tuple[Outcome, str]:
    """How a plan ended whose sub-tasks are over, and the results, or what those say that failed."""
    for state, outcome in (
        (TaskState.FAILED, Outcome.FAILED),
        (TaskState.UNCONFIRMED, Outcome.UNCONFIRMED),
        (TaskState.CANCELLED, Outcome.CANCELLED),
    ):
        if bad := progress.in_state(state):
            return outcome, _say_answers(progress, bad)
    needed = {name for task in progress.plan.tasks for name in task.slots}
    ends = [task.id for task in progress.plan.tasks if task.id not in needed]
    return Outcome.SUCCESS, _say_answers(progress, ends)


def _say_answers(progress: PlanProgress, task_ids: Iterable[str]) -> str:
    if len(progress.plan.tasks) == 1:
        return "".join(progress.of(task_id).answer for task_id in task_ids)
    return "\n".join(f"{progress.plan.task(name).name}: {progress.of(name).answer}" for name in task_ids)


def find_slots(text: str) -> tuple[str, ...]:
    """The names of the values that a text needs, without repeats, in its order."""
    return tuple(dict.fromkeys(_SLOT.findall(text)))


def fill_slots(text: str, values: Mapping[str, str]) -> str:
    """The text with the values that are there; the other slots stay."""
    return _SLOT.sub(lambda match: values.get(match[1], match[0]), text)


def clean_value(answer: str) -> str:
    """What a sub-task answered as a value for another: one line, limited in length, and no slot itself.

    It was read on a screen, so it must not be able to name a slot or a secret, which code would fill in.
    """
    return one_line(answer, MAX_VALUE_LENGTH).replace("{", "(").replace("}", ")").strip()


def find_plan_error(plan: Plan) -> str:
    """Why a plan cannot be carried out, in English; empty if it can."""
    ids = [task.id for task in plan.tasks]
    if not 1 <= len(ids) <= MAX_SUB_TASKS:
        return f"it has {len(ids)} sub-tasks"
    if repeated := [name for name, count in Counter(ids).items() if count > 1]:
        return f"{repeated[0]} is there twice"
    for task in plan.tasks:
        if not _NAME.fullmatch(task.id):
            return f"{task.id!r} is no name"
        if not _SLOT.sub("", task.instruction).strip():
            return f"{task.id} says nothing to do"
        if missing := [name for name in (*task.slots, *task.after) if name not in ids]:
            return f"{task.id} needs {missing[0]}, which is not there"
        for name in task.slots:
            if not plan.task(name).value:
                return f"{task.id} needs a value of {name}, which yields none"
    order = topological_order(plan.dependencies())
    return "" if len(order) == len(ids) else "sub-tasks wait for each other"


def topological_order(dependencies: Mapping[str, Collection[str]]) -> list[str]:
    """The nodes of a graph, each behind those it needs, else in their own order; none of a circle."""
    order: list[str] = []
    waiting = list(dependencies)
    while ready := [node for node in waiting if set(dependencies[node]) <= set(order)]:
        order.append(ready[0])
        waiting.remove(ready[0])
    return order


def find_startable(
    plan: Plan, done: Collection[str], running: Collection[str], *, early: bool = True
) -> list[str]:
    """The sub-tasks that may begin now, in the order of the plan.

    Args:
        plan: the plan.
        done: those that ended well.
        running: those that have begun and hold the screen they need.
        early: whether one may begin before its values are there (fine-grained). Even then those that yield
            them must run already, so that nobody holds a screen and waits for somebody who has none.
    """
    begun = {*done, *running}
    return [
        task.id
        for task in plan.tasks
        if task.id not in begun
        and set(task.after) <= set(done)
        and set(task.slots) <= (begun if early else set(done))
    ]


def find_named(plan: Plan, text: str) -> set[str]:
    """The sub-tasks that the user speaks to: by the app's name, or beginning with the id, as in “a: …”."""
    words = text.casefold()
    return {
        task.id
        for task in plan.tasks
        if words.startswith(f"{task.id}:") or (task.app and task.app.casefold() in words)
    }


def find_dependents(plan: Plan, task_ids: Collection[str]) -> set[str]:
    """The sub-tasks that need one of these, directly or through others."""
    dependencies = plan.dependencies()
    reached = set(task_ids)
    while more := {node for node, needs in dependencies.items() if needs & reached} - reached:
        reached |= more
    return reached - set(task_ids)


def critical_path(
    plan: Plan, seconds: Mapping[str, float], needed_at: Mapping[str, float] | None = None
) -> float:
    """The least seconds that a plan takes with a screen for each sub-task.

    Args:
        plan: a plan without circles.
        seconds: how long each sub-task takes by itself.
        needed_at: after how many of its own seconds a sub-task needs its values; by default at once
            (coarse-grained).
    """
    ends: dict[str, float] = {}
    for task_id in topological_order(plan.dependencies()):
        task = plan.task(task_id)
        start = max((ends[name] for name in task.after), default=0.0)
        before = min((needed_at or {}).get(task_id, 0.0), seconds[task_id]) if task.slots else 0.0
        values = max((ends[name] for name in task.slots), default=0.0)
        ends[task_id] = max(start + before, values) + seconds[task_id] - before
    return max(ends.values(), default=0.0)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CONNECTIVES = _words(
    "and then after afterwards that next finally also please to it them they this these those both result "
    "results answer answers comparison"
)
_CONNECTIVES_ZH = frozenset("和与跟并且然后接着之再把它们结果都对比较同时请")
_SMALL_WORDS = _words("in on at with via using the a an of to for and me")
_SMALL_WORDS_ZH = frozenset("在用上里的把给和到从")


def find_lost_words(said: str, tasks: Iterable[SubTask]) -> list[str]:
    """The words of a command that no sub-task says or yields, apart from those that only join its parts.

    A word that was said twice must be there twice.
    """
    texts = [text for task in tasks for text in (task.instruction, task.value) if text != ANY_VALUE]
    missing = Counter(_tokens(said)) - Counter(token for text in texts for token in _tokens(text))
    return [token for token in missing if token not in _CONNECTIVES and token not in _CONNECTIVES_ZH]


def find_added_words(said: str, tasks: Iterable[SubTask], apps: Collection[str] = ()) -> list[str]:
    """The words of sub-tasks that the command does not say, apart from small words and names of apps."""
    said_tokens = {*_tokens(said), *(token for app in apps for token in _tokens(app))}
    added = (token for task in tasks for token in _tokens(task.instruction) if token not in said_tokens)
    return [token for token in added if token not in _SMALL_WORDS and token not in _SMALL_WORDS_ZH]


def find_repeated_words(said: str, tasks: Iterable[SubTask]) -> list[str]:
    """The words that these sub-tasks say more often than the command, apart from small words.

    Of sub-tasks that do something it tells that something would be done twice.
    """
    said_words = Counter(_tokens(said))
    spoken = Counter(token for task in tasks for token in _tokens(task.instruction))
    return [
        token
        for token, count in spoken.items()
        if count > max(1, said_words[token]) and token not in _SMALL_WORDS | _SMALL_WORDS_ZH | _CONNECTIVES
    ]


def _tokens(text: str) -> list[str]:
    """The words of a text without slots, in lower case; each Chinese character is one."""
    return [token.casefold() for token in _TOKEN.findall(_SLOT.sub(" ", text))]


_HEAD = re.compile(
    r"(?:^|\s*\|\s*)(?P<id>[a-z][a-z0-9_]{0,15})(?: @(?P<app>[^:|@]*?))?"
    r"(?: after (?P<after>[a-z0-9_]+(?:, ?[a-z0-9_]+)*))?: "
)


def format_plan(plan: Plan) -> str:
    """The plan on one line, as it is shown and may be edited: `a @Shop: … | b @Chat after a: … {{a}} …`."""
    heads = []
    for task in plan.tasks:
        app = f" @{task.app}" if task.app else ""
        after = f" after {', '.join(task.after)}" if task.after else ""
        heads.append(f"{task.id}{app}{after}: {task.instruction}")
    return " | ".join(heads)


def parse_plan(text: str, before: Plan) -> Plan | None:
    """The plan that the user made of one that was shown to them; None where it is none any more.

    Args:
        text: the line, in the form of `format_plan`.
        before: the plan that was shown.
    """
    heads = list(_HEAD.finditer(text))
    if not heads or heads[0].start() > 0:
        return None
    ends = [*(head.start() for head in heads[1:]), len(text)]
    instructions = {head["id"]: text[head.end() : end].strip() for head, end in zip(heads, ends, strict=True)}
    needed = {name for instruction in instructions.values() for name in find_slots(instruction)}
    descriptions = {task.id: task.value for task in before.tasks}
    tasks = tuple(
        SubTask(
            id=head["id"],
            instruction=instructions[head["id"]],
            app=(head["app"] or "").strip(),
            value=(descriptions.get(head["id"]) or ANY_VALUE) if head["id"] in needed else "",
            after=tuple(re.split(", ?", head["after"])) if head["after"] else (),
        )
        for head in heads
    )
    plan = Plan(said=before.said, tasks=tasks, source=PlanSource.USER)
    return None if len(instructions) != len(heads) or find_plan_error(plan) else plan
