"""`bench demonstrations`: tasks shown on the phone by hand, and their repetition with other values.

For each of some orders the way is taken from a turn of the stand-in model. A person then goes this way by
touches that `getevent` reports, and types with the keyboard of the phone; what is recorded becomes a skill.
On a fresh phone the skill is replayed with the values of another order of its category. It is right when the
turn succeeds and the apps hold what that other order asks for, and nothing else (`left_states`).

Ten more tasks, of which three are in Chinese, are shown by a way that is written in `demonstrations.yaml`, as
their order says it, and replayed with the values of another one. There a person enters what the turn hands
over, such as the password of a network.

The last demonstration by a way of the model enters a payment password on the app's own pad, the one before
types a named secret; of the ten one enters a password in a field, one a named secret. All are then looked for
in every file of the memory and every column of its database, and the payment password in what the recorded
taps spell.
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
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from assistant.bench.corpora import read_yaml
from assistant.bench.deed_counts import NO_DEEDS, DeedCount, of_order, of_task, total
from assistant.bench.harness import START, LocalPhone, carry_out, open_local_phone, started
from assistant.bench.left_states import misses
from assistant.bench.report import Report, progress, ratio
from assistant.bench.reuse import Task, make_tasks
from assistant.bench.tasks import BenchTask, beyond, check
from assistant.engine import Engine
from assistant.events import (
    Approval,
    ApprovalRequested,
    Cause,
    Event,
    QuestionAsked,
    StateChanged,
    StepFinished,
    TurnFinished,
    TurnState,
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
    Point,
    PressBack,
    PressEnter,
    Scroll,
    Source,
    Target,
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

PASSWORDS = {"shown": "copper-lantern-42", "entered": "quiet-harbour-77"}
"""The password of a network that one demonstration enters, and that of the one it is replayed with."""

Locale = Literal["en", "zh"]
LOCALES: tuple[Locale, ...] = ("en", "zh")
"""The languages of the phones on which tasks are shown by hand."""

_CAP = 120.0
_LOOK_SECONDS, _PATIENCE = 1.0, 4.0
_ENTER, _DELETE = 66, 67
_ON_KEYBOARD = 0.9
_BACK_BUTTON, _BUTTONS_HEIGHT = 1 / 6, 30
"""Where the button that goes back is: a share of the width, and pixels from the lower edge."""
_MOST_SWIPES = 4


class Move(BaseModel):
    """What a hand does next: one of `open`, `tap`, `id`, `type`, `back`, `secret`; `tap` may have an `id`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    open: str = ""
    tap: str = ""
    id: str = ""
    type: str = ""
    back: bool = False
    secret: Literal["", "named", "password"] = ""

    def action(self) -> Action:
        """The move as an action."""
        if self.open:
            return OpenApp(name=self.open)
        if self.back:
            return PressBack()
        if self.type or self.secret:
            secrets = {"named": TYPED, "password": PASSWORDS["shown"]}
            return TypeText(text=self.type or secrets[self.secret])
        return Click(point=Point(0.5, 0.5), target=Target(text=self.tap, resource_id=self.id))


class HandShown(BaseModel):
    """A task by the order that says it, the way of the hand, and the order that it is replayed with."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    shown: str
    locale: Locale = "en"
    hand: tuple[Move, ...]
    other: BenchTask


def read_shown_by_hand() -> tuple[HandShown, ...]:
    """The tasks whose way is written down."""
    return TypeAdapter(tuple[HandShown, ...]).validate_python(read_yaml("demonstrations.yaml"))


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
    answer: str = ""

    def take(self, event: Event) -> None:
        match event:
            case StepFinished(action=action, source=source, error=""):
                self.actions.append(action)
                self.sources.append(source)
            case ApprovalRequested(decision=decision):
                decision.set_result(Approval(Verdict.ONCE))
            case QuestionAsked(answer=reply):
                reply.set_result("")
            case TurnFinished(outcome=outcome, answer=answer):
                self.outcome, self.answer = outcome, answer

    @property
    def done(self) -> list[Source]:
        """Who decided each step but the end."""
        pairs = zip(self.actions, self.sources, strict=True)
        return [source for action, source in pairs if not isinstance(action, Finished)]


async def run(count: int, seed: int) -> Report:
    """Show and replay `count` tasks by a way of the model, and those by hand, each on a fresh phone."""
    shown: list[Shown] = []
    pairs, by_hand = _pairs(count, seed) if count else [], read_shown_by_hand()

    def note(result: Shown) -> None:
        shown.append(result)
        mark = "right" if result.right else result.problem
        steps = f"{result.replayed} of {result.done}"
        progress(f"{len(shown)}/{count + len(by_hand)} {result.said} -> {result.other}: {steps}, {mark}")

    with PrivateAdbServer() as server, tempfile.TemporaryDirectory(prefix="assistant-bench-") as folder:
        async with open_local_phone(server.port, Path(folder)) as local:
            for number, (task, other) in enumerate(pairs, 1):
                special = "code" if number == count else "named" if number == count - 1 else ""
                note(await _show_and_replay(local, task, other, special))
        for locale in LOCALES:
            async with open_local_phone(server.port, Path(folder), locale=locale) as local:
                for shown_task in by_hand:
                    if shown_task.locale == locale:
                        note(await _show_by_hand(local, shown_task))
        places = secrets_in(Path(folder), (TYPED, CODE, *PASSWORDS.values()))
    places += [f"taps of “{result.said}”" for result in shown if CODE in result.spelt]
    return _report(shown, places)


async def _show_by_hand(local: LocalPhone, task: HandShown) -> Shown:
    other = task.other
    try:
        template = await _demonstrate(local, task.shown, [move.action() for move in task.hand])
    except (LookupError, TimeoutError) as error:
        return Shown(task.shown, other.instruction, problem=f"not shown: {error}")
    values = template.pattern.fill(other.instruction)
    if values is None:
        problem = f"no values: {template.pattern.text}"
        return Shown(task.shown, other.instruction, len(template.steps), problem=problem)
    before = _fresh(local)
    replay = await _turn(local, other.instruction, template.id, values)
    state = local.phone.state()
    problems = [*check(other, state, replay.answer), *beyond(other, before, state)]
    right = replay.outcome is other.outcome and not problems
    return Shown(
        task.shown,
        other.instruction,
        steps=len(template.steps),
        replayed=replay.done.count(Source.REPLAYED),
        done=len(replay.done),
        right=right,
        problem="" if right else f"{replay.outcome}, {'; '.join(problems)}",
        deeds=of_task(other, before, state, other.approvals),
    )


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
    base = await _turn(local, task.said)
    did = of_order(task.category, task.named, start, local.phone.state(), START.date())
    if base.outcome is not Outcome.SUCCESS:
        return Shown(task.said, other.said, problem="the model alone does not do it", deeds=did)
    way = [action for action in base.actions if not isinstance(action, Finished)]
    if special == "named":
        secret, text = TypeText(text=TYPED), task.values[-1]
        way = [secret if isinstance(each, TypeText) and each.text == text else each for each in way]
    try:
        template = await _demonstrate(local, task.said, way, asks_code=special == "code")
    except (LookupError, TimeoutError) as error:
        return Shown(task.said, other.said, problem=f"not shown: {error}", deeds=did)
    spelt = "".join(step.title for step in template.steps if len(step.title) == 1)
    values = template.pattern.fill(other.said)
    if values is None:
        problem = f"no values: {template.pattern.text}"
        return Shown(task.said, other.said, len(template.steps), problem=problem, spelt=spelt, deeds=did)
    before = _fresh(local)
    replay = await _turn(local, other.said, template.id, values)
    state = local.phone.state()
    problems = misses(other.category, other.named, before, state, START.date())
    did += of_order(other.category, other.named, before, state, START.date())
    right = replay.outcome is Outcome.SUCCESS and not problems
    problem = "" if right else f"{replay.outcome}, {'; '.join(problems)}"
    replayed = replay.done.count(Source.REPLAYED)
    return Shown(
        task.said, other.said, len(template.steps), replayed, len(replay.done), right, problem, spelt, did
    )


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
    local: LocalPhone, said: str, skill: str = "", values: Mapping[str, str] | None = None
) -> _Turn:
    """An order by the model alone, or by a skill with these values."""
    turn = _Turn([], [])
    async with _engine(local, replays=bool(skill)) as engine:
        if not skill:
            await carry_out(engine, said, _CAP, turn.take)
            return turn
        engine.replay(skill, values or {})
        with suppress(TimeoutError):
            async with asyncio.timeout(_CAP):
                async for event in engine.events():
                    turn.take(event)
                    if isinstance(event, StateChanged):
                        await _enter_handed_over(local, engine, event)
                    if isinstance(event, TurnFinished):
                        break
    return turn


async def _enter_handed_over(local: LocalPhone, engine: Engine, event: StateChanged) -> None:
    """Enter the password that a turn leaves to the user, and let it go on."""
    if event.state is not TurnState.PAUSED or event.cause is not Cause.HANDED_OVER:
        return
    phone = engine.current_phone
    screen = await phone.observe() if phone is not None else None
    field = next((each for each in screen.elements if each.password), None) if screen is not None else None
    if field is not None:
        local.phone.person.tap(*field.bounds.centre)
        local.phone.windows.type_text(PASSWORDS["entered"])
    engine.resume()


async def _demonstrate(
    local: LocalPhone, said: str, way: Sequence[Action], *, asks_code: bool = False
) -> SkillTemplate:
    """Go the way by hand while it is recorded, and keep it as a skill.

    Raises:
        LookupError: something on the way is not on the screen.
    """
    local.phone.reset()
    if asks_code:
        own = {"package": "com.example.paybox", "has": {"ask_password": True}}
        ORDERS["own"].model_validate(own).perform(local.phone)
    async with _engine(local, replays=False) as engine:
        shown, recorded = asyncio.Event(), _Recorded()
        following = asyncio.create_task(recorded.follow(engine))
        recording = asyncio.create_task(engine.record(said, shown.wait()))
        phone = engine.current_phone
        if phone is None:
            raise LookupError("the phone")
        # The recorder reads the phone's touches from now on.
        await asyncio.sleep(_LOOK_SECONDS)
        try:
            for action in way:
                recorded.step.clear()
                await _act(local, phone, action)
                await recorded.wait(phone)
                if asks_code and describe(action).count("Pay now"):
                    for digit in CODE:
                        await _act(local, phone, None, digit)
                    await asyncio.sleep(_LOOK_SECONDS)
        finally:
            shown.set()
            turn_id = await recording
            following.cancel()
        return await asyncio.to_thread(engine.keep_skill, turn_id, said)


class _Recorded:
    """Tells when a step was recorded, as somebody sees it who shows a task; `step` is cleared before each."""

    def __init__(self) -> None:
        self.step = asyncio.Event()

    async def follow(self, engine: Engine) -> None:
        """Note each step until cancelled."""
        async for event in engine.events():
            if isinstance(event, StepFinished):
                self.step.set()

    async def wait(self, phone: Phone) -> None:
        """Wait until a step was recorded; for a look at least, as typing is told later."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        await asyncio.sleep(_LOOK_SECONDS / 2)
        await phone.observe()
        await asyncio.sleep(loop.time() - begun)
        with suppress(TimeoutError):
            await asyncio.wait_for(self.step.wait(), _PATIENCE)


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
            local.phone.person.tap(screen.width * _BACK_BUTTON, screen.height - _BUTTONS_HEIGHT)
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
    return Report(values, good=right >= 0.95 * len(shown) and not places)
