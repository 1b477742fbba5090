"""Wires the rooms and owns the running turn: the one door for the command line and the terminal interface.

The one turn that runs: begun on a phone that is free, and kept when the program has a fault.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.agent.context import TurnContext
from assistant.agent.secret_entry import NamedSecrets
from assistant.agent.stop_checks import day_event
from assistant.agent.turn import Turn
from assistant.command_queue import CommandQueue
from assistant.events import ActionKind, Answer, Event, LearningChanged, Snooze, TurnFinished, TurnState
from assistant.factories import make_companion, make_model, make_recollection, note_sent
from assistant.file_lock import ProactiveLock, ResourceLock
from assistant.i18n import _
from assistant.memory.store import open_store
from assistant.memory.turns import AcceptedSuggestion, Checkpoint
from assistant.model.types import ModelRejected
from assistant.phone.errors import PhoneStatus
from assistant.phone.monitor import PhoneMonitor
from assistant.records import Outcome, Record, State, record_id
from assistant.settings.schema import MemorySettings, Settings

if TYPE_CHECKING:
    from assistant.agent.context import CommandResolver
    from assistant.command_resolver import PersonalCommandResolver
    from assistant.history import PastTurns
    from assistant.memory_view.service import MemoryView
    from assistant.model.client import VisionModel
    from assistant.model.endpoint import RequestLogEntry
    from assistant.proactive.service import Companion
    from assistant.proactive.suggestions import Suggestion


_log = logging.getLogger(__name__)


class EngineBusy(Exception):
    """A turn runs already."""


class NotReady(Exception):
    """The phone or the model is missing; the message says what to do."""


class RunningTurn:
    """`turn` is the one under way, None when idle. All methods belong to the event loop's thread.

    Args:
        claims: which phones turns run on, here and in other programs.
        now: the local time with its zone.
        emit: takes the events.
        over: is called when a turn is over; with what came of it, None where it was dropped or met a fault.
    """

    def __init__(
        self,
        claims: ResourceLock,
        now: Callable[[], datetime],
        emit: Callable[[Event], None],
        over: Callable[[Turn | None, Outcome | None], None],
    ) -> None:
        self.turn: Turn | None = None
        self._claims = claims
        self._now = now
        self._emit = emit
        self._over = over
        self._task: asyncio.Task[Outcome] | None = None

    def begin(self, parts: TurnContext, checkpoint: Checkpoint, *, continued: bool) -> None:
        """Begin a turn, or go on with one that was cut off.

        Raises:
            EngineBusy: another program carries out a turn on this phone.
            NotReady: the memory's folder cannot be written.
        """
        try:
            alone = self._claims.take(parts.phone.serial)
        except OSError as error:
            raise NotReady(
                _("The memory's folder cannot be written: {strerror}.").format(strerror=error.strerror)
            ) from error
        if not alone:
            raise EngineBusy(
                _(
                    "Another program carries out a turn on this phone. Wait for its end, or choose another "
                    "phone."
                )
            )
        self.turn = Turn(parts, checkpoint, continued=continued)
        self._task = asyncio.create_task(self.turn.run())
        self._task.add_done_callback(self._ended)

    async def close(self) -> None:
        """Drop the turn; it stays stored and can be continued next time."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def idle(self) -> None:
        """Wait until no turn is under way."""
        while self.turn is not None and self._task is not None:
            await asyncio.wait([self._task])

    def _ended(self, task: asyncio.Task[Outcome]) -> None:
        """The turn ended by itself, was dropped by `close`, or met a fault of the program."""
        turn, self.turn = self.turn, None
        self._claims.release()
        fault = None if task.cancelled() else task.exception()
        self._over(turn, None if task.cancelled() or fault is not None else task.result())
        if turn is not None and fault is not None:
            _log.error("the turn %s ended by a fault", turn.checkpoint.turn_id, exc_info=fault)
            self._tell_fault(turn.checkpoint, fault)

    def _tell_fault(self, kept: Checkpoint, fault: BaseException) -> None:
        self._emit(
            TurnFinished(
                time=self._now(),
                turn_id=kept.turn_id,
                outcome=Outcome.FAILED,
                answer=_("The program has a fault ({name}). The turn is kept, to continue.").format(
                    name=type(fault).__name__
                ),
                steps=len(kept.steps),
                usage=kept.usage,
                seconds=(self._now() - kept.started).total_seconds(),
            )
        )


__all__ = ["Engine", "EngineBusy", "InterruptedTurn", "NotReady"]


@dataclass(frozen=True, slots=True)
class InterruptedTurn:
    """A turn that a killed program left behind: what was said, how many steps were done, when it began."""

    turn_id: str
    said: str
    steps: int
    time: datetime


class Engine:
    """The assistant without a face. All methods belong to the event loop's thread.

    Args:
        settings: all settings.
        now: the local time with its zone.
        attended: whether a person can answer questions and approve actions.
        approved: kinds of sensitive actions that need no asking.
        simulated: a sentence that says what is simulated, shown wherever results appear; else empty.
        secrets: what the model may ask to be typed, by name.
        ready: done when the memory holds what it should; until then commands wait to be understood. None
            where it is ready from the beginning.

    Raises:
        StoreError: when the memory cannot be opened.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        now: Callable[[], datetime],
        attended: bool = True,
        approved: frozenset[ActionKind] = frozenset(),
        simulated: str = "",
        secrets: NamedSecrets | None = None,
        ready: asyncio.Future[None] | None = None,
    ) -> None:
        self.settings = settings
        self.simulated = simulated
        self._waiting: CommandQueue | None = None
        self._now = now
        self._attended = attended
        self._approved = approved
        self._secrets = secrets
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._store = open_store(settings, now)
        self._follower = PhoneMonitor(settings.phone, settings.store, now, self._events.put_nowait)
        self._claims = ResourceLock(settings.store / "running")
        self.beside = False
        """Whether another program is open on this memory, and offers the suggestions."""
        self._model: VisionModel | None = None
        self._model_problem = ""
        self._recollection: PersonalCommandResolver | None = None
        self._ready = ready
        self._memory: MemoryView | None = None
        self._companion: Companion | None = None
        self._running = RunningTurn(self._claims, now, self._events.put_nowait, self._turn_over)

    @property
    def simulated_time(self) -> datetime | None:
        """The time of a simulated phone, which may pass faster than the real time; None for a real phone."""
        return self._now() if self.simulated else None

    async def memory_ready(self) -> None:
        """Wait until the memory holds what it should."""
        if self._ready is not None:
            await asyncio.wait([self._ready])

    async def start(self) -> None:
        """Begin to watch for the phone and prepare the model; what is missing is told, not raised."""
        try:
            self._model = await asyncio.to_thread(make_model, self.settings.model, self._note_sent)
        except ModelRejected as problem:
            self._model_problem = str(problem)
        self._recollection = await asyncio.to_thread(self._recollect)
        self._events.put_nowait(day_event(self._store.ledger, self.settings.user_id, self._now()))
        self._tell_learning()
        self._follower.start()
        speaker = ProactiveLock(self._store.folder)
        self.beside = self._attended and not speaker.take()
        speaker.release()
        self._companion = await asyncio.to_thread(self._accompany, self._recollection)
        self._companion.start()

    async def close(self) -> None:
        """End everything. A turn under way stays stored and can be continued next time."""
        await self._running.close()
        if self._waiting is not None:
            self._waiting.close()
        await self._follower.close()
        if self._companion is not None:
            await self._companion.close()
        if self._model is not None:
            await self._model.close()
        if self._recollection is not None:
            await self._recollection.close()
        self._store.close()
        self._events.put_nowait(None)

    async def events(self) -> AsyncIterator[Event]:
        """Everything that happens, inside and outside turns, until the engine is closed. For one listener."""
        while (event := await self._events.get()) is not None:
            yield event

    @property
    def _turn(self) -> Turn | None:
        return self._running.turn

    @property
    def state(self) -> TurnState | None:
        """The state of the running turn; None when idle."""
        return self._turn.state if self._turn else None

    async def idle(self) -> None:
        """Wait until no turn runs; its end is told by an event shortly before."""
        await self._running.idle()

    @property
    def waiting(self) -> CommandQueue:
        """The commands that wait for the end of a turn; the first look takes over those of ended programs."""
        if self._waiting is None:
            self._waiting = CommandQueue(self.settings.store)
        return self._waiting

    def problem(self) -> str:
        """What is missing before a turn can run and what to do, a line each; empty when all is there."""
        return "\n".join(line for line in (self._follower.problem, self._model_problem) if line)

    @property
    def looking(self) -> bool:
        """Whether phone and model are still looked for, so that nobody knows yet what is missing."""
        return self._follower.looking

    async def phone_known(self) -> None:
        """Wait until the phone was looked for once; `problem` tells the truth from then on."""
        await self._follower.known()

    async def phones(self) -> Sequence[PhoneStatus]:
        """All phones that are connected, in any state, each with what it can do now."""
        return await self._follower.phones()

    def use_phone(self, serial: str) -> None:
        """Turn to another phone, and remember it.

        Raises:
            EngineBusy: a turn runs.
            OSError: the choice cannot be remembered; it holds for now all the same.
        """
        if self._turn is not None:
            raise EngineBusy(_("A turn runs. Cancel it before another phone is used."))
        self._follower.use(serial)

    def run(self, said: str) -> None:
        """Start a turn.

        Raises:
            EngineBusy: a turn runs already.
            NotReady: the phone or the model is missing.
        """
        self._run(said)

    def _run(self, said: str, suggested: AcceptedSuggestion | None = None) -> None:
        started = self._now()
        self._begin(
            Checkpoint(
                turn_id=record_id(self.settings.user_id, started),
                user_id=self.settings.user_id,
                started=started,
                said=said,
                instruction=said,
                scenario=self.scenario,
                suggested=suggested,
            )
        )

    def pause(self) -> None:
        """Pause the running turn, if any."""
        if self._turn:
            self._turn.pause()

    def resume(self) -> None:
        """Let a paused turn go on."""
        if self._turn:
            self._turn.resume()

    def cancel(self) -> None:
        """End the running turn, if any."""
        if self._turn:
            self._turn.cancel()

    def say(self, text: str) -> None:
        """Tell the running turn something; a paused one stays paused."""
        if self._turn:
            self._turn.say(text)

    def interrupted(self) -> InterruptedTurn | None:
        """The newest turn that a killed program left behind, unless a turn runs now, here or elsewhere."""
        if self._turn is not None or self._claims.others():
            return None
        left = self._store.turns.newest_open(self.settings.user_id)
        if left is None:
            return None
        return InterruptedTurn(left.turn_id, left.said, len(left.steps), left.started)

    def continue_turn(self, turn_id: str) -> None:
        """Go on with the turn that was left behind, from a fresh look at the screen.

        Raises:
            EngineBusy: a turn runs already.
            NotReady: the phone or the model is missing.
        """
        left = self._store.turns.newest_open(self.settings.user_id)
        if left is not None and left.turn_id == turn_id:
            note = (
                "The program was stopped in the middle of this task and goes on now. Look where things stand."
            )
            self._begin(left.model_copy(update={"notes": (*left.notes, note)}), continued=True)

    def discard(self, turn_id: str) -> None:
        """Forget a turn that was left behind."""
        self._store.turns.discard(turn_id)

    @property
    def companion(self) -> Companion | None:
        """Whoever offers routines; None until the engine has started."""
        return self._companion

    @property
    def scenario(self) -> str:
        """Where the user is: what they said, else the place that the phone recognises, else unknown."""
        return self._companion.scenario if self._companion is not None else "unknown"

    def say_scenario(self, scenario: str) -> None:
        """The user says where they are, until the phone is somewhere else; an empty word takes it back."""
        if self._companion is not None:
            self._companion.say_scenario(scenario)

    def type_noted(self, unsent: bool) -> None:
        """The user typed; nothing is suggested while there are `unsent` words."""
        if self._companion is not None:
            self._companion.type_noted(unsent)

    def answer_suggestion(self, suggestion_id: str, answer: Answer, instruction: str = "") -> None:
        """Answer a suggestion; with an `instruction` that is carried out, with all guards of a command.

        What was offered is complete: only what the user has typed anew in it is still to be understood.

        Raises:
            EngineBusy: a turn runs already; the suggestion stays.
            NotReady: the phone or the model is missing; the suggestion stays.
        """
        if instruction:
            self._run(instruction, self._companion.suggested(suggestion_id) if self._companion else None)
        if self._companion is not None:
            self._companion.answer(suggestion_id, answer)

    async def let_begin(self, suggestion_id: str) -> bool:
        """Let the routine of a suggestion begin by itself from now on; false where it needs a yes."""
        return self._companion is not None and await self._companion.let_begin(suggestion_id)

    def hold_suggestion(self, suggestion_id: str) -> None:
        """Let a suggestion not begin by itself; it stays, to be accepted."""
        if self._companion is not None:
            self._companion.hold(suggestion_id)

    def snooze_suggestion(self, suggestion_id: str, snooze: Snooze) -> None:
        """Put a suggestion off."""
        if self._companion is not None:
            self._companion.snooze(suggestion_id, snooze)

    def suggestions(self) -> Sequence[Suggestion]:
        """Past suggestions, newest first."""
        return self._companion.suggestions() if self._companion is not None else ()

    def history(self) -> Sequence[str]:
        """Past commands, newest last."""
        return self._store.turns.commands(self.settings.user_id)

    def past_turns(self) -> PastTurns:
        """Past turns with their steps and pictures; to be read in a thread."""
        # Takes longer to import than the interface may take to its first paint.
        from assistant.history import PastTurns

        return PastTurns(self._store, self.settings.user_id)

    def records(self) -> list[Record]:
        """The user's records, oldest first."""
        return list(self._store.records.of(self.settings.user_id))

    def evidence(self, ids: Sequence[str]) -> list[Record]:
        """The user's records with these ids, in this order; those that are not kept any more are left out."""
        found = (self._store.records.get(one) for one in ids)
        return [one for one in found if one is not None and one.user_id == self.settings.user_id]

    def pause_learning(self, paused: bool) -> None:
        """Let turns teach the memory nothing, until it goes on; what they leave is never learnt from.

        Raises:
            NotReady: the engine has not started.
            StoreError: the memory cannot be written.
        """
        if self._recollection is None:
            raise NotReady(_("The memory is not open yet. Try again in a moment."))
        self._recollection.pause_learning(paused)
        self._tell_learning()

    @property
    def learns(self) -> bool:
        """Whether turns teach the memory anything."""
        return self._recollection is not None and self._recollection.learns

    def keep_for(self, memory: MemorySettings) -> None:
        """Keep screenshots and what was sent by other limits from now on; may be called from any thread."""
        self.settings = self.settings.model_copy(update={"memory": memory})
        if self._companion is not None:
            self._companion.keep_for(memory)

    def memory(self) -> MemoryView:
        """The memory to look through and to change; to be asked for, and used, in a thread.

        Raises:
            NotReady: the engine has not started.
        """
        # As in `past_turns`.
        from assistant.memory_view.service import MemoryView

        if self._recollection is None:
            raise NotReady(_("The memory is not open yet. Try again in a moment."))
        if self._memory is None:
            known = self._recollection
            self._memory = MemoryView(self._store, known.embedder(), self.settings, known.profile)
        return self._memory

    def _begin(self, checkpoint: Checkpoint, *, continued: bool = False) -> None:
        if self._turn is not None:
            raise EngineBusy(_("A turn runs already. Pause or cancel it first."))
        phone = self._follower.phone
        if phone is None or self._model is None or self._follower.problem:
            raise NotReady(self.problem())
        understands: CommandResolver | None = self._recollection
        if self._recollection is not None and checkpoint.suggested is not None:
            understands = self._recollection.with_settled(checkpoint.suggested.instruction)
        parts = TurnContext(
            phone=phone,
            model=self._model,
            store=self._store,
            settings=self.settings,
            now=self._now,
            emit=self._events.put_nowait,
            attended=self._attended,
            approved_kinds=self._approved,
            secrets=self._secrets,
            command_resolver=understands,
            memory_ready=self._ready,
        )
        self._running.begin(parts, checkpoint, continued=continued)

    def _begin_suggested(self, suggestion_id: str, instruction: str) -> None:
        """Carry out what the user lets begin by itself; what cannot begin now stays a suggestion."""
        try:
            self.answer_suggestion(suggestion_id, Answer.ACCEPTED, instruction)
        except (EngineBusy, NotReady) as problem:
            _log.info("a suggestion does not begin by itself: %s", problem)

    def _turn_over(self, turn: Turn | None, outcome: Outcome | None) -> None:
        if self._companion is not None:
            self._companion.wake()
        if turn is not None and outcome is not None and self._recollection is not None:
            well = outcome is Outcome.SUCCESS
            self._recollection.learn(self._store.records.get(turn.checkpoint.turn_id), well=well)

    def _tell_learning(self) -> None:
        self._events.put_nowait(LearningChanged(time=self._now(), learns=self.learns))

    def _note_sent(self, request: RequestLogEntry) -> None:
        turn = self._turn.checkpoint if self._turn is not None else None
        note_sent(self._store, self.settings.user_id, self._now(), request, turn)

    def _recollect(self) -> PersonalCommandResolver:
        return make_recollection(
            self.settings,
            self._store,
            lambda: State(time=self._now(), scenario=self.scenario),
            self._events.put_nowait,
            self._note_sent,
        )

    def _accompany(self, recollection: PersonalCommandResolver) -> Companion:
        return make_companion(
            self.settings,
            self._store,
            recollection,
            phone=lambda: self._follower.shell,
            busy=lambda: self._turn is not None,
            begin=self._begin_suggested,
            now=self._now,
            emit=self._events.put_nowait,
            tell=self._note_sent,
            speaks=self._attended,
        )
