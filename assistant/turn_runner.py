"""Runs the turn of an engine: on one phone, or a command over several apps on several phones side by side."""

from __future__ import annotations

import asyncio
import gc
import logging
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from pathlib import Path

from assistant.agent.checkpoint import tell_done
from assistant.agent.context import StepProposer, TurnContext, Workplace
from assistant.agent.plans.plan import Plan, PlanProgress
from assistant.agent.plans.plan_turn import PlanTurn
from assistant.agent.plans.planner import (
    AskModel,
    ask_for_plan,
    names_several_apps,
    plan_from_past,
    split_command,
)
from assistant.agent.turn import Turn
from assistant.events import Cause, Event, GuardsLimited, StateChanged, TurnFinished, TurnState
from assistant.factories import store_text_usage
from assistant.files import JsonFile, store_crash_report
from assistant.i18n import _, later, sentences
from assistant.memory.database import StoreError
from assistant.memory.programs import LeaseLost, ProgramLeases
from assistant.memory.request_log import REQUEST_TURN
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint
from assistant.model.client import RequestLogEntry, VisionModel
from assistant.phone.apps import known_apps
from assistant.phone.device import Phone
from assistant.phone.displays import Displays
from assistant.phone.errors import PhoneError
from assistant.phone.monitor import PhoneMonitor
from assistant.records import Outcome, Usage
from assistant.safety.lexicon import lexicon
from assistant.settings.schema import Settings
from assistant.skills.replay import ActionMemory

_log = logging.getLogger(__name__)

GUARDS_LIMITED = "guards-limited.json"
"""Where in the store's folder stands of which phones and languages the user was told."""


class EngineBusy(Exception):
    """A turn is already running."""


class NotReady(Exception):
    """The phone or the model is missing; the message says what to do."""


TURN_GONE = later("This turn was continued to its end, or discarded, in another program.")
"""Why an interrupted turn cannot be continued."""


@contextmanager
def as_not_ready() -> Iterator[None]:
    """Raise what keeps the memory from being written as `NotReady`, in the same words."""
    try:
        yield
    except StoreError as error:
        raise NotReady(str(error)) from error
    except OSError as error:
        sentence = _("The memory's folder cannot be written: {strerror}.")
        raise NotReady(sentence.format(strerror=error.strerror)) from error


@dataclass(frozen=True, slots=True)
class InterruptedTurn:
    """A turn that a killed program left behind.

    `said` is the command as the user typed it, `steps` how many steps were done, `time` when it began.
    `phone` is the serial of its phone, empty where that is unknown.
    """

    turn_id: str
    said: str
    steps: int
    time: datetime
    phone: str = ""


def find_interrupted(store: Store, user_id: str, newest: int) -> list[InterruptedTurn]:
    """Of the newest turns that have not ended the last one on each phone, newest first."""
    turns: dict[str, InterruptedTurn] = {}
    for turn in store.turns.open_turns(user_id, newest):
        if turn.phone not in turns:
            steps = len(turn.steps) + sum(len(part.steps) for part in _parts(store, turn))
            turns[turn.phone] = InterruptedTurn(turn.turn_id, turn.said, steps, turn.started, turn.phone)
    return list(turns.values())


def _parts(store: Store, turn: Checkpoint) -> Iterator[Checkpoint]:
    """The turns of the sub-tasks of a turn, as far as they have begun."""
    progress = PlanProgress.model_validate(turn.plan) if turn.plan is not None else None
    for task in progress.tasks.values() if progress is not None else ():
        stored = store.turns.load(task.turn_id) if task.turn_id else None
        if stored is not None:
            yield stored[0]


def open_interrupted(store: Store, user_id: str, turn_id: str) -> Checkpoint:
    """The checkpoint from which an interrupted turn goes on.

    Raises:
        NotReady: the turn is over, or is another user's.
    """
    checkpoint = store.turns.open_turn(turn_id)
    if checkpoint is None or checkpoint.user_id != user_id:
        raise NotReady(_(TURN_GONE))
    return checkpoint


def discard_interrupted(store: Store, turn_id: str) -> None:
    """Forget an interrupted turn, unless another program goes on with it or the memory is away."""
    with suppress(StoreError):
        if turn_id not in store.leases.of_others().values():
            store.turns.discard(turn_id)


def find_phone(checkpoint: Checkpoint, phones: PhoneMonitor) -> str:
    """The serial of the phone that an interrupted turn goes on on; empty for the one in use.

    A phone is recognized by its own identity. If that was not kept, it is the one with the same serial, else
    the only one that is connected.

    Raises:
        NotReady: its phone is missing.
    """
    serial, used = checkpoint.phone, phones.phone
    if checkpoint.phone_id and used is not None:
        same = [phone for phone in (used, *phones.others("all")) if phone.identity == checkpoint.phone_id]
        if same:
            return same[0].serial if same[0] is not used else ""
        named = phones.connected(serial) if serial else None
        is_unread = named is not None and not named.identity
        if used.identity and not is_unread:
            raise _missing_phone(serial)
    if not serial or (used is not None and used.serial == serial):
        return ""
    if phones.connected(serial) is None and phones.others("all"):
        raise _missing_phone(serial)
    return serial if phones.connected(serial) is not None else ""


def _missing_phone(serial: str) -> NotReady:
    """Says which phone a turn needs to go on. One at this computer's own address may have been simulated."""
    sentence = _("The turn ran on the phone {serial}. Connect it to go on.")
    if serial.startswith("127.0.0.1:"):
        sentence = _(
            "The turn ran on the phone {serial} of this computer. Start that phone to go on. "
            "The demo's simulated phone ended with the demo: give the command again."
        )
    return NotReady(sentence.format(serial=serial))


@dataclass(frozen=True, slots=True)
class SideBySideParts:
    """What carrying out commands side by side needs of the engine.

    Attributes:
        phones: the other phones that may be used, as they are connected now, and displays of one.
        make_model: makes a client of the model; each phone has its own.
        make_actions: makes an action memory; each phone has its own.
        ask: asks a model for text; None where there is none.
        on_part_end: is told the turn of each sub-task that has ended, its outcome, and its action memory.
    """

    phones: PhoneMonitor
    make_model: Callable[[], VisionModel]
    make_actions: Callable[[], StepProposer]
    ask: AskModel | None
    on_part_end: Callable[[Turn, Outcome, StepProposer | None], None]


class DisplayPlaces:
    """The displays of the phone of one turn, each with a model's client and an action memory of its own.

    Args:
        displays: makes them.
        context: what the turn works with, of which the own screen takes its model and its action memory.
        make_place: adds to a display what it uses alone.
    """

    def __init__(
        self, displays: Displays, context: TurnContext, make_place: Callable[[Phone], Workplace]
    ) -> None:
        self._displays = displays
        self._context = context
        self._make_place = make_place

    @property
    def problem(self) -> str:
        """Why there are none, for the user; empty if there are."""
        return self._displays.problem

    async def open(self) -> Sequence[Workplace]:
        """The phone's own screen and the displays; empty where there are none."""
        phones = await self._displays.open()
        context = self._context
        own = [Workplace(phone, context.model, context.action_memory) for phone in phones[:1]]
        return [*own, *map(self._make_place, phones[1:])]

    async def close(self) -> None:
        """End the displays. Again is harmless."""
        await self._displays.close()


class SideBySide:
    """Carries out a command over several apps on several phones; for one turn.

    Args:
        store: where earlier plans are.
        user_id: whose plans.
        folder: the folder of the store, with what is known of phones and apps.
        parts: what it needs of the engine.
    """

    def __init__(self, store: Store, user_id: str, folder: Path, parts: SideBySideParts) -> None:
        self._store = store
        self._user_id = user_id
        self._folder = folder
        self._parts = parts
        self.phones: list[Phone] = []
        """The other phones that were taken for the turn."""
        self._models: list[VisionModel] = []
        self._closing: asyncio.Task[None] | None = None
        self._past: asyncio.Task[list[Plan]] | None = None

    def make_turn(self, context: TurnContext, checkpoint: Checkpoint, *, continued: bool) -> PlanTurn | None:
        """The turn of a command in sub-tasks; None where it names no two apps, or no other phone is free.

        One that was interrupted goes on as it began, if need be on the phone in use alone.
        """
        if checkpoint.plan is None and not names_several_apps(checkpoint.said, self._apps()):
            return None
        helpers = self._free_helpers(checkpoint.turn_id)
        made = self._parts.phones.displays_of(context.phone)
        displays = DisplayPlaces(made, context, self._make_place) if made is not None else None
        if checkpoint.plan is None:
            if not helpers and displays is None:
                return None
            # Beside the resolution, which looks for preferences meanwhile.
            self._past = asyncio.create_task(self._past_plans())
        on_part_end = self._parts.on_part_end
        return PlanTurn(
            context, checkpoint, helpers, self._plan, on_part_end, continued=continued, displays=displays
        )

    def release(self) -> None:
        """Close what the other phones used. The phones are held for the turn, and let go with it."""
        if self._past is not None:
            self._past.cancel()
        models, self._models = self._models, []
        if models:
            self._closing = asyncio.create_task(_close(models))

    def _free_helpers(self, turn_id: str) -> list[Workplace]:
        helpers = []
        for phone in self._parts.phones.helpers():
            try:
                is_free = self._store.leases.take(phone_leases(phone), turn_id)
            except (OSError, StoreError) as error:
                _log.warning("a phone cannot be held: %s", error)
                continue
            if is_free:
                self.phones.append(phone)
                helpers.append(self._make_place(phone))
        return helpers

    def _make_place(self, phone: Phone) -> Workplace:
        self._models.append(model := self._parts.make_model())
        return Workplace(phone, model, self._parts.make_actions())

    async def _plan(self, instruction: str) -> Plan | None:
        apps = self._apps()
        if not names_several_apps(instruction, apps):
            return None
        user_plans = await (self._past or self._past_plans())
        plan = plan_from_past(instruction, user_plans, apps) or split_command(instruction, apps)
        if plan is None and self._parts.ask is not None:
            plan = await ask_for_plan(instruction, apps, self._parts.ask)
        return plan

    async def _past_plans(self) -> list[Plan]:
        try:
            kept = await asyncio.to_thread(self._store.turns.past_plans, self._user_id)
        except StoreError as error:
            _log.warning("earlier plans are not looked at: %s", error)
            return []
        return [PlanProgress.model_validate(progress).plan for progress in kept]

    def _apps(self) -> list[str]:
        return known_apps(self._folder)


def phone_leases(phone: Phone) -> list[str]:
    """The names under which a phone is held: what it goes by itself, and its serial on this machine."""
    here = f"serial {phone.serial} at {platform.node()}"
    return [f"phone {phone.identity}", here] if phone.identity else [here]


async def run_turn(turn: Turn | PlanTurn, phone: Phone, *others: Phone) -> Outcome:
    """Run a turn to its end, on its phone and those of sub-tasks, and on none that answers in their place."""
    phones = (phone, *others)
    # Beside the turn, which needs it only where the phone is lost.
    noting = [asyncio.create_task(each.note_identity()) for each in phones]
    try:
        await phone.restore_after_crash()
    except PhoneError as error:
        # The turn waits for its phone by itself, and says so.
        _log.warning("what an earlier run left on the phone is not put back: %s", error)
    try:
        return await turn.run()
    finally:
        for task, held in zip(noting, phones, strict=True):
            task.cancel()
            held.forget_identity()


TURN_PHONE: ContextVar[str] = ContextVar("turn_phone", default="")
"""The serial of the phone of the turn that the running code works for; empty outside of turns.

Parts that all turns share, such as the resolver of commands, tell by it whose an event or a request is.
"""


async def _close(models: Sequence[VisionModel]) -> None:
    for model in models:
        await model.close()


class LanguageNotice:
    """Tells once for each phone and language that the guards know few words of it.

    Args:
        folder: the folder of the store, where it is kept what was told.
        now: the local time with its zone.
        emit: takes the events.
    """

    def __init__(self, folder: Path, now: Callable[[], datetime], emit: Callable[[Event], None]) -> None:
        self._notices = JsonFile(folder / GUARDS_LIMITED)
        self._now = now
        self._emit = emit
        self._asked: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    def check(self, phone: Phone) -> None:
        """Ask a phone for its language, once in a program, and tell if need be."""
        if phone.serial not in self._asked:
            self._asked.add(phone.serial)
            self._task = asyncio.create_task(self._check(phone))

    async def wait(self) -> None:
        """Wait until the phone has answered."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def close(self) -> None:
        """Stop asking."""
        if self._task is not None:
            self._task.cancel()
        await self.wait()

    async def _check(self, phone: Phone) -> None:
        try:
            language = await phone.language()
        except PhoneError:
            self._asked.discard(phone.serial)
            return
        if not language or lexicon().reads_well(language):
            return
        if language in self._notices.load().get(phone.serial, []):
            return
        self._emit(GuardsLimited(time=self._now(), serial=phone.serial, language=language))
        try:
            self._notices.change(lambda seen: seen | {phone.serial: [*seen.get(phone.serial, []), language]})
        except OSError as error:
            _log.warning("it cannot be kept that the user was told of the guards: %s", error)


class RunningTurn:
    """Runs one turn at a time on a phone that no other program uses, and reports a fault of the program.

    All methods belong to the event loop's thread.

    Args:
        leases: which turns and phones belong to which program.
        now: the local time with its zone.
        emit: takes the events.
        on_end: is called when a turn has ended, with its outcome; None where it was dropped or had a fault.
    """

    def __init__(
        self,
        leases: ProgramLeases,
        now: Callable[[], datetime],
        emit: Callable[[Event], None],
        on_end: Callable[[Turn | PlanTurn | None, Outcome | None], None],
    ) -> None:
        self.turn: Turn | PlanTurn | None = None
        self._leases = leases
        self._turn_id = ""
        self._now = now
        self._emit = emit
        self._on_end = on_end
        self._task: asyncio.Task[Outcome] | None = None
        self._side_by_side: SideBySide | None = None

    def begin(
        self,
        context: TurnContext,
        checkpoint: Checkpoint,
        *,
        continued: bool,
        side_by_side: SideBySide | None = None,
    ) -> None:
        """Begin a turn, or continue one that was interrupted.

        Args:
            context: what it works with.
            checkpoint: the turn so far.
            continued: whether it was interrupted.
            side_by_side: carries out commands over several apps; without it each is one turn.

        Raises:
            EngineBusy: another program runs a turn on this phone.
            NotReady: the memory's folder cannot be written, or the interrupted turn is over.
        """
        names = [f"turn {checkpoint.turn_id}", *phone_leases(context.phone)]
        with as_not_ready():
            is_free = self._leases.take(names, checkpoint.turn_id)
        if not is_free:
            raise EngineBusy(
                _(
                    "Another program carries out a turn on this phone. Wait for its end, or choose another "
                    "phone."
                )
            )
        self._side_by_side, self._turn_id = side_by_side, checkpoint.turn_id
        parts = None if checkpoint.is_complete else side_by_side
        with ExitStack() as after_failure:
            after_failure.callback(self._release_phones)
            if continued and not context.store.turns.is_open(checkpoint.turn_id):
                # Another program may have ended it since it was read, and then let go of the phone.
                raise NotReady(_(TURN_GONE))
            planned = parts.make_turn(context, checkpoint, continued=continued) if parts else None
            self.turn = planned or Turn(context, checkpoint, continued=continued)
            after_failure.pop_all()
        # Its context is its own, so that what it asks of shared parts is attributed to it.
        own = copy_context()
        own.run(TURN_PHONE.set, context.phone.serial)
        phones = (context.phone, *(parts.phones if parts else ()))
        self._task = asyncio.create_task(run_turn(self.turn, *phones), context=own)
        self._task.add_done_callback(self._handle_end)

    async def close(self) -> None:
        """Drop the turn; it stays stored and can be continued next time."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def wait_until_idle(self) -> None:
        """Wait until no turn runs."""
        while self.turn is not None and self._task is not None:
            await asyncio.wait([self._task])

    def _handle_end(self, task: asyncio.Task[Outcome]) -> None:
        """Handle the end of the turn: by itself, dropped by `close`, or by a bug in the program."""
        turn, self.turn = self.turn, None
        self._release_phones()
        fault = None if task.cancelled() else task.exception()
        self._on_end(turn, None if task.cancelled() or fault is not None else task.result())
        if turn is not None and fault is not None:
            if not isinstance(fault, StoreError):
                _log.error("the turn %s ended by a fault", turn.checkpoint.turn_id, exc_info=fault)
            self._report_fault(turn.checkpoint, fault)

    def _release_phones(self) -> None:
        self._leases.release(self._turn_id)
        if self._side_by_side is not None:
            self._side_by_side.release()

    def _report_fault(self, checkpoint: Checkpoint, fault: BaseException) -> None:
        if isinstance(fault, LeaseLost):
            answer = str(fault)
        elif isinstance(fault, StoreError):
            saved = _("The turn is kept as far as it could be written; you can continue it.")
            answer = sentences(str(fault), saved)
        else:
            sentence = _("Internal error ({name}). The turn is saved; you can continue it.")
            answer = sentence.format(name=type(fault).__name__)
            if report := store_crash_report(fault):
                where = _("Where it happened, without anything of yours: {path}")
                answer = sentences(answer, where.format(path=report))
        self._emit(StateChanged(time=self._now(), state=TurnState.FAILED, cause=Cause.DONE))
        self._emit(
            TurnFinished(
                time=self._now(),
                turn_id=checkpoint.turn_id,
                outcome=Outcome.FAILED,
                answer=sentences(answer, *tell_done(checkpoint.steps)),
                steps=len(checkpoint.steps),
                usage=checkpoint.usage,
                seconds=max(0.0, (self._now() - checkpoint.started).total_seconds()),
                cost=checkpoint.cost,
                deeds=checkpoint.deeds,
            )
        )


@cache
def freeze_loaded_objects() -> None:
    """Keep the garbage collector, once, from what the program has loaded until now.

    Python counts what it keeps out one by one, so the cache tells that it is done: a count took 12 ms a turn.
    """
    gc.freeze()


class PhoneTurns:
    """The running turns: at most one on a phone, on several phones side by side.

    The one in front is the turn that the user sees and steers. All methods belong to the event loop's thread.

    Args:
        leases: which turns and phones belong to which program.
        now: the local time with its zone.
        emit: takes the events, each with the phone of its turn.
        on_end: is called when a turn has ended, with its outcome; None where it was dropped or had a fault.
    """

    def __init__(
        self,
        leases: ProgramLeases,
        now: Callable[[], datetime],
        emit: Callable[[Event], None],
        on_end: Callable[[Turn | PlanTurn | None, Outcome | None], None],
    ) -> None:
        self.front = ""
        """The serial of the phone whose turn is in front, running or not; empty before the first."""
        self._leases = leases
        self._now = now
        self._emit = emit
        self._on_end = on_end
        self._by_phone: dict[str, RunningTurn] = {}
        self._models: dict[str, VisionModel] = {}
        self._own_models: list[VisionModel] = []
        self._actions: dict[str, ActionMemory] = {}

    @property
    def in_front(self) -> Turn | PlanTurn | None:
        """The turn in front; None while none runs there."""
        return self.on(self.front)

    def on(self, serial: str) -> Turn | PlanTurn | None:
        """The turn that runs on a phone, if any."""
        running = self._by_phone.get(serial)
        return running.turn if running is not None else None

    def hold(self, held: bool) -> None:
        """Let the turn in front wait before its next action; any other goes on, for nothing asks about it."""
        for serial, running in self._by_phone.items():
            if running.turn is not None:
                running.turn.hold(held and serial == self.front)

    def find_request_turn(self) -> tuple[str, int]:
        """The id of the turn that a request is sent for, or whose words it is about, and its step."""
        turn = self.on(TURN_PHONE.get())
        return (turn.checkpoint.turn_id, len(turn.checkpoint.steps) + 1) if turn else (REQUEST_TURN.get(), 0)

    @property
    def running(self) -> list[Turn | PlanTurn]:
        """All running turns, in the order in which their phones were first used."""
        return [running.turn for running in self._by_phone.values() if running.turn is not None]

    def model_for(self, serial: str, usual: VisionModel, make: Callable[[], VisionModel]) -> VisionModel:
        """The client of the model for turns on a phone: the usual one for the first phone, else its own."""
        if serial not in self._models:
            self._models[serial] = make() if self._models else usual
            self._own_models += [] if self._models[serial] is usual else [self._models[serial]]
        return self._models[serial]

    def actions_for(self, serial: str, usual: ActionMemory, make: Callable[[], ActionMemory]) -> ActionMemory:
        """The action memory for turns on a phone: the usual one for the first phone, else its own."""
        if serial not in self._actions:
            self._actions[serial] = make() if self._actions else usual
        return self._actions[serial]

    def emit_on(self, serial: str, event: Event) -> None:
        """Take an event of the turn on a phone."""
        self._emit(replace(event, turn_phone=serial))

    def emit_shared(self, event: Event) -> None:
        """Take an event of a part that all turns share."""
        self.emit_on(TURN_PHONE.get(), event)

    def begin(
        self,
        context: TurnContext,
        checkpoint: Checkpoint,
        *,
        continued: bool,
        side_by_side: SideBySide | None = None,
    ) -> None:
        """Begin a turn, or continue one that was interrupted; it comes to the front. See `RunningTurn.begin`.

        Raises:
            EngineBusy: a turn runs on this phone, here or in another program.
            NotReady: the memory's folder cannot be written.
        """
        freeze_loaded_objects()
        serial = context.phone.serial
        if self.on(serial) is not None:
            raise EngineBusy(_("A turn is already running. Pause or cancel it first."))
        if serial not in self._by_phone:
            emit = partial(self.emit_on, serial)
            self._by_phone[serial] = RunningTurn(self._leases, self._now, emit, self._on_end)
        self._by_phone[serial].begin(context, checkpoint, continued=continued, side_by_side=side_by_side)
        self.front = serial

    async def wait_until_idle(self) -> None:
        """Wait until no turn runs in front."""
        if (running := self._by_phone.get(self.front)) is not None:
            await running.wait_until_idle()

    async def close(self) -> None:
        """Drop all turns; they stay stored and can be continued next time."""
        for running in self._by_phone.values():
            await running.close()
        await _close(self._own_models)


class TurnRequestLogger:
    """Stores requests while an engine runs, each with its turn.

    Args:
        store: the memory.
        settings: whose memory, and what the model costs.
        now: the local time.
        find_turn: the id of the turn that a request is sent for, and its step.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        now: Callable[[], datetime],
        find_turn: Callable[[], tuple[str, int]],
    ) -> None:
        self._store = store
        self._settings = settings
        self._now = now
        self._find_turn = find_turn

    def __call__(self, request: RequestLogEntry) -> None:
        """Store a request that is about to be sent."""
        self._store.sent.store(request, self._settings.user_id, self._now(), *self._find_turn())

    def count(self, usage: Usage, seconds: float) -> None:
        """Add what a request for text used to the ledger, with the seconds waited."""
        turn_id, _step = self._find_turn()
        store_text_usage(self._store, self._settings, usage, seconds, self._now(), turn_id)
