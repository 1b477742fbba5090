"""`bench demonstrations`: tasks shown on the phone by hand, and their repetition with other values.

For each of some orders the way is taken from a turn of the stand-in model. A person then goes this way by
touches that `getevent` reports, and types with the keyboard of the phone; what is recorded becomes a skill.
On a fresh phone the skill is replayed with the values of another order of its category. It is right when the
turn succeeds and the apps hold what that other order asks for, and nothing else (`left_states`).

The last demonstration enters a payment password on the app's own pad, the one before types a named secret.
Both are then looked for in every file of the memory and every column of its database, and the password in
what the recorded taps spell.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from assistant.bench.deed_counts import NO_DEEDS, DeedCount, of_order, total
from assistant.bench.harness import START, LocalPhone, carry_out, open_local_phone, started
from assistant.bench.left_states import misses
from assistant.bench.report import Report, progress, ratio
from assistant.bench.reuse import Task, make_tasks
from assistant.engine import Engine
from assistant.events import (
    Approval,
    ApprovalRequested,
    Event,
    QuestionAsked,
    StepFinished,
    TurnFinished,
    Verdict,
)
from assistant.phone.device import Phone
from assistant.records import (
    Action,
    Click,
    Element,
    Finished,
    LongClick,
    Observation,
    OpenApp,
    Outcome,
    PressBack,
    PressEnter,
    Scroll,
    Source,
    TypeText,
    describe,
)
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.orders import ORDERS
from assistant.skills.template import SkillTemplate

TYPED = "violet-otter-5519"
"""The value of the named secret that one demonstration types."""

CODE = "135790"
"""The payment password of the simulated purse."""

_CAP = 120.0
_LOOK_SECONDS = 1.0
_ENTER, _DELETE, _BACK = 66, 67, 4
_ON_KEYBOARD = 0.9
_MOST_SWIPES = 4


class _Secrets:
    def get(self, name: str) -> str | None:
        return TYPED if name == "door" else None

    def names(self) -> Mapping[str, object]:
        return {"door": None}


@dataclass(frozen=True, slots=True)
class Shown:
    """What became of one demonstration.

    Attributes:
        said: the order that was shown.
        other: the order that was replayed.
        steps: how many steps were recorded, and `replayed` how many of the other order memory did itself.
        done: how many the other order took.
        right: whether it ended as it should.
        problem: why not, in words.
        spelt: the characters of recorded taps on keys of one character, in their order.
        deeds: what the turn of the model and the replay did.
    """

    said: str
    other: str
    steps: int = 0
    replayed: int = 0
    done: int = 0
    right: bool = False
    problem: str = ""
    spelt: str = ""
    deeds: DeedCount = NO_DEEDS


@dataclass(slots=True)
class _Turn:
    actions: list[Action]
    sources: list[Source]
    outcome: Outcome | None = None

    def take(self, event: Event) -> None:
        match event:
            case StepFinished(action=action, source=source, error=""):
                self.actions.append(action)
                self.sources.append(source)
            case ApprovalRequested(decision=decision):
                decision.set_result(Approval(Verdict.ONCE))
            case QuestionAsked(answer=reply):
                reply.set_result("")
            case TurnFinished(outcome=outcome):
                self.outcome = outcome


async def run(count: int, seed: int) -> Report:
    """Show and replay `count` tasks, each on a fresh phone."""
    shown: list[Shown] = []
    pairs = _pairs(count, seed)
    with PrivateAdbServer() as server, tempfile.TemporaryDirectory(prefix="assistant-bench-") as folder:
        async with open_local_phone(server.port, Path(folder)) as local:
            for number, (task, other) in enumerate(pairs, 1):
                special = "code" if number == count else "named" if number == count - 1 else ""
                result = await _show_and_replay(local, task, other, special)
                shown.append(result)
                mark = "right" if result.right else result.problem
                progress(f"{number}/{count} {task.said} -> {other.said}: {mark}")
        places = secrets_in(Path(folder), (TYPED, CODE))
    places += [f"taps of “{result.said}”" for result in shown if CODE in result.spelt]
    return _report(shown, places)


def _pairs(count: int, seed: int) -> list[tuple[Task, Task]]:
    """Orders with another one of their category; the last is paid for, the one before it is a mail."""
    tasks = make_tasks(max(64, 4 * count), seed)
    by_category: dict[str, list[Task]] = {}
    for task in tasks:
        by_category.setdefault(task.category, []).append(task)
    names = list(by_category)
    order = [names[place % len(names)] for place in range(max(0, count - 2))] + ["mail", "delivery"]
    pairs = []
    for category in order[-count:]:
        first = by_category[category].pop(0)
        place = next((n for n, task in enumerate(by_category[category]) if task.values != first.values), 0)
        pairs.append((first, by_category[category].pop(place)))
    return pairs


async def _show_and_replay(local: LocalPhone, task: Task, other: Task, special: str) -> Shown:
    start = _fresh(local)
    base = await _turn(local, task, fresh=False)
    did = of_order(task.category, task.named, start, local.phone.state(), START.date())
    if base.outcome is not Outcome.SUCCESS:
        return Shown(task.said, other.said, problem="the model alone does not do it", deeds=did)
    way = [action for action in base.actions if not isinstance(action, Finished)]
    try:
        template = await _demonstrate(local, task, way, special)
    except (LookupError, TimeoutError) as error:
        return Shown(task.said, other.said, problem=f"not shown: {error}", deeds=did)
    spelt = "".join(step.title for step in template.steps if len(step.title) == 1)
    values = template.pattern.fill(other.said)
    if values is None:
        problem = f"no values: {template.pattern.text}"
        return Shown(task.said, other.said, len(template.steps), problem=problem, spelt=spelt, deeds=did)
    before = _fresh(local)
    replay = await _turn(local, other, template.id, values, fresh=False)
    state = local.phone.state()
    problems = misses(other.category, other.named, before, state, START.date())
    did += of_order(other.category, other.named, before, state, START.date())
    done = [
        source
        for action, source in zip(replay.actions, replay.sources, strict=True)
        if not isinstance(action, Finished)
    ]
    right = replay.outcome is Outcome.SUCCESS and not problems
    problem = "" if right else f"{replay.outcome}, {'; '.join(problems)}"
    replayed = done.count(Source.REPLAYED)
    return Shown(task.said, other.said, len(template.steps), replayed, len(done), right, problem, spelt, did)


def _fresh(local: LocalPhone) -> dict[str, Any]:
    local.phone.reset()
    return local.phone.state()


@asynccontextmanager
async def _engine(local: LocalPhone, *, replays: bool) -> AsyncIterator[Engine]:
    await local.connect()
    settings = local.settings.overridden({"turn": {"replay": replays}, "memory": {"learning": False}})
    engine = Engine(settings, now=lambda: datetime.now(START.tzinfo), secrets=_Secrets())
    async with started(engine):
        yield engine


async def _turn(
    local: LocalPhone,
    task: Task,
    skill: str = "",
    values: Mapping[str, str] | None = None,
    *,
    fresh: bool = True,
) -> _Turn:
    """An order by the model alone, or by a skill with these values."""
    if fresh:
        local.phone.reset()
    turn = _Turn([], [])
    async with _engine(local, replays=bool(skill)) as engine:
        if not skill:
            await carry_out(engine, task.said, _CAP, turn.take)
            return turn
        engine.replay(skill, values or {})
        with suppress(TimeoutError):
            async with asyncio.timeout(_CAP):
                async for event in engine.events():
                    turn.take(event)
                    if isinstance(event, TurnFinished):
                        break
    return turn


async def _demonstrate(local: LocalPhone, task: Task, way: Sequence[Action], special: str) -> SkillTemplate:
    """Go the way by hand while it is recorded, and keep it as a skill.

    Raises:
        LookupError: something on the way is not on the screen.
    """
    local.phone.reset()
    if special == "code":
        own = {"package": "com.example.paybox", "has": {"ask_password": True}}
        ORDERS["own"].model_validate(own).perform(local.phone)
    async with _engine(local, replays=False) as engine:
        shown = asyncio.Event()
        recording = asyncio.create_task(engine.record(task.said, shown.wait()))
        phone = engine.current_phone
        if phone is None:
            raise LookupError("the phone")
        # The recorder reads the phone's touches from now on.
        await asyncio.sleep(_LOOK_SECONDS)
        try:
            for action in way:
                if special == "named" and isinstance(action, TypeText) and action.text == task.values[-1]:
                    action = action.model_copy(update={"text": TYPED})
                await _act(local, phone, action)
                await asyncio.sleep(_LOOK_SECONDS)
                if special == "code" and describe(action).count("Pay now"):
                    for digit in CODE:
                        await _act(local, phone, None, digit)
                    await asyncio.sleep(_LOOK_SECONDS)
        finally:
            shown.set()
            turn_id = await recording
        return await asyncio.to_thread(engine.keep_skill, turn_id, task.said)


async def _act(local: LocalPhone, phone: Phone, action: Action | None, words: str = "") -> None:
    """What a hand does for an action of the model."""
    screen = await phone.observe()
    match action:
        case TypeText(text=text):
            _touch_keyboard(local, screen)
            local.phone.windows.clear_text()
            local.phone.windows.type_text(text)
        case PressEnter():
            _touch_keyboard(local, screen)
            local.phone.windows.key(_DELETE)
            local.phone.windows.key(_ENTER)
        case PressBack():
            local.phone.windows.key(_BACK)
        case Scroll():
            _swipe_up(local, screen)
        case OpenApp(name=name):
            for _page in range(_MOST_SWIPES):
                if any(name in (element.text, element.description) for element in screen.elements):
                    break
                _swipe_up(local, screen)
                await asyncio.sleep(_LOOK_SECONDS)
                screen = await phone.observe()
            local.phone.person.tap(*_find(screen.elements, name))
        case Click(target=target) | LongClick(target=target) if target is not None:
            label = (target.text or target.description).split(" · ")[0]
            local.phone.person.tap(*_find(screen.elements, label, target.resource_id))
        case _ if words:
            local.phone.person.tap(*_find(screen.elements, words))
        case _:
            raise LookupError(describe(action) if action is not None else words)


def _touch_keyboard(local: LocalPhone, screen: Observation) -> None:
    """A finger on a letter, which is all that the panel reports of typing."""
    local.phone.person.tap(screen.width / 2, screen.height * _ON_KEYBOARD)


def _swipe_up(local: LocalPhone, screen: Observation) -> None:
    middle = screen.height / 2
    local.phone.person.swipe(screen.width / 2, middle * 1.4, screen.width / 2, middle * 0.6, 300)


def _find(elements: Sequence[Element], words: str, identifier: str = "") -> tuple[int, int]:
    """The middle of what says these words, or of what has the id where it says none.

    Raises:
        LookupError: nothing does.
    """
    for element in elements:
        said = words and words in (element.text, element.description)
        if said and (not identifier or not element.resource_id or element.clickable is False):
            return element.bounds.centre
    for element in elements:
        if words and words in (element.text, element.description):
            return element.bounds.centre
    for element in elements:
        if identifier and element.resource_id == identifier:
            return element.bounds.centre
    raise LookupError(words or identifier)


def secrets_in(folder: Path, secrets: Sequence[str]) -> list[str]:
    """The files, and the columns of databases, that hold one of some secrets, each with which."""
    places = []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        places += [f"{file.name}: {secret}" for secret in secrets if secret.encode() in file.read_bytes()]
        if file.suffix == ".sqlite":
            places += _secrets_in_rows(file, secrets)
    return places


def _secrets_in_rows(file: Path, secrets: Sequence[str]) -> list[str]:
    places = []
    with closing(sqlite3.connect(file)) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            rows = database.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - names from the database itself
            names = [column[0] for column in rows.description]
            for row in rows:
                for name, value in zip(names, row, strict=True):
                    text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
                    places += [f"{table}.{name}: {secret}" for secret in secrets if secret in text]
    return sorted(set(places))


def _report(shown: Sequence[Shown], places: Sequence[str]) -> Report:
    right = sum(result.right for result in shown)
    values = {
        "demonstrations": len(shown),
        "replayed right with other values": right,
        "replayed steps": ratio(sum(r.replayed for r in shown), sum(r.done for r in shown)),
        "deeds": total(result.deeds for result in shown).as_json(),
        "secrets found": list(places),
        "not right": [f"{r.said} -> {r.other}: {r.problem}" for r in shown if not r.right],
    }
    return Report(values, good=right >= len(shown) - 1 and not places)
