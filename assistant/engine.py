"""The engine: runs turns, and is the one object that every interface calls.

It owns the phone, the model, the memory and the suggestions, and reports everything that happens as events.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime, time
from functools import partial

from assistant.agent.action_selection import BUTTON_PATIENCE
from assistant.agent.checkpoint import day_event
from assistant.agent.context import NamedSecrets, StepProposer, TurnContext
from assistant.agent.plans.plan_turn import PlanTurn
from assistant.agent.takeover import Demonstration
from assistant.agent.turn import Turn
from assistant.command_resolver import PersonalCommandResolver
from assistant.conversation.line_reading import reply_to
from assistant.conversation.routing import Route
from assistant.conversation.service import Conversation, Mention, Reply
from assistant.events import Answer, Cause, Event, LearningChanged, PlannedTask, Snooze, TurnState
from assistant.factories import (
    make_command_resolver,
    make_conversation,
    make_memory_view,
    make_model,
    make_past_turns,
    make_proactive_service,
    make_skill_memory,
    make_text_model,
    make_turn_resolver,
    names_of,
)
from assistant.files import ProactiveLock
from assistant.history import PastTurns
from assistant.i18n import _, sentences
from assistant.memory.database import StoreError
from assistant.memory.programs import SUGGESTIONS, CommandQueue, PhoneQueues
from assistant.memory.store import StandingApproval, open_store
from assistant.memory.turns import AcceptedSuggestion, Checkpoint
from assistant.memory_view.service import MemoryView
from assistant.model.client import PATIENCE, TextModel, VisionModel
from assistant.model.types import ModelRejected
from assistant.phone.adb import Shell
from assistant.phone.device import Phone
from assistant.phone.errors import PhoneStatus
from assistant.phone.monitor import PhoneMonitor
from assistant.proactive.service import ProactiveService
from assistant.proactive.suggestions import Suggestion
from assistant.records import Outcome, Record, State
from assistant.safety.amounts import Allowance
from assistant.settings.schema import MemorySettings, Settings
from assistant.skills.replay import ActionMemory
from assistant.skills.service import SkillLearner, SkillMemory
from assistant.skills.template import SkillTemplate
from assistant.turn_runner import (
    EngineBusy,
    InterruptedTurn,
    LanguageNotice,
    NotReady,
    PhoneTurns,
    SideBySide,
    SideBySideParts,
    TurnRequestLogger,
    as_not_ready,
    discard_interrupted,
    find_interrupted,
    find_phone,
    open_interrupted,
)

_log = logging.getLogger(__name__)


class Engine:
    """The assistant without an interface. All methods belong to the event loop's thread.

    Args:
        settings: all settings.
        now: the local time with its zone.
        attended: whether a person can answer questions and approve actions.
        offers: whether routines are offered; by default where a person can answer.
        schedules: whether what the user has scheduled begins here.
        allowances: the sensitive actions that need no approval, as `--yes` gives them.
        simulated: a sentence that says what is simulated, shown wherever results appear; else empty.
        secrets: passwords and the like that the model may have typed, by name.
        ready: done when the memory holds what it should; until then commands wait to be understood. None
            where it is ready from the beginning.
        turn_ended: hears how each turn ended; None for one that was dropped or had a fault.

    Raises:
        StoreError: when the memory cannot be opened.
    """

    conversation: Conversation | None = None  # What answers without the phone, once anything was asked.

    def __init__(
        self,
        settings: Settings,
        *,
        now: Callable[[], datetime],
        attended: bool = True,
        offers: bool | None = None,
        schedules: bool = False,
        allowances: Iterable[Allowance] = (),
        simulated: str = "",
        secrets: NamedSecrets | None = None,
        ready: asyncio.Future[None] | None = None,
        turn_ended: Callable[[Outcome | None], None] | None = None,
    ) -> None:
        self.settings = settings
        self.simulated = simulated
        self._now = now
        self._attended = attended
        self._offers = attended if offers is None else offers
        self._schedules = schedules
        self._allowances = tuple(allowances)
        self._secrets = secrets
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._store = open_store(settings, now)
        self.queues = PhoneQueues(settings.store, has_turn=self._store.turns.has)
        self._phones = PhoneMonitor(settings.phone, settings.store, now, self._events.put_nowait)
        self.has_other_program = False
        """Whether another program is open on this memory, and offers the suggestions."""
        self._model: VisionModel | None = None
        self._model_problem = ""
        self._resolver: PersonalCommandResolver | None = None
        self._ready = ready
        self._turn_ended = turn_ended
        self._skills: SkillMemory | None = None
        self._learner: SkillLearner | None = None
        self._loading: asyncio.Future[None] | None = None
        self.keep_settings: Callable[[Mapping[str, bool | time]], str] | None = None
        self._memory_view: MemoryView | None = None
        self._proactive: ProactiveService | None = None
        emit = self._events.put_nowait
        self._language_notice = LanguageNotice(settings.store, now, emit)
        self._turns = PhoneTurns(self._store.leases, now, emit, self._handle_turn_end)
        self._requests = TurnRequestLogger(self._store, settings, now, self._turns.find_request_turn)

    @property
    def simulated_time(self) -> datetime | None:
        """The time of a simulated phone, which may pass faster than the real time; None for a real phone."""
        return self._now() if self.simulated else None

    async def memory_ready(self) -> None:
        """Wait until the memory holds what it should."""
        if self._ready is not None:
            await asyncio.wait([self._ready])

    async def start(self) -> None:
        """Begin to look for the phone, and prepare the model; what is missing is told by `problem`."""
        try:
            self._model = await asyncio.to_thread(make_model, self.settings.model, self._requests)
        except ModelRejected as problem:
            self._model_problem = str(problem)
        self._resolver = await asyncio.to_thread(self._make_resolver)
        self._loading = asyncio.ensure_future(asyncio.to_thread(self._resolver.load, self._attended))
        self._skills = await asyncio.to_thread(make_skill_memory, self._store, self.settings, self._resolver)
        self._learner = SkillLearner(self._skills, self._make_text_model())
        self._learner.begin()
        await self._resolver.learn_waiting(self._learner.task)
        self._events.put_nowait(day_event(self._store.ledger, self.settings.user_id, self._now()))
        self._report_learning()
        self._phones.start()
        # In a folder that cannot be read nothing is offered, here or elsewhere.
        with suppress(OSError, StoreError):
            is_offering = ProactiveLock.is_held_in(self._store.folder)
            is_offering |= SUGGESTIONS in await asyncio.to_thread(self._store.leases.of_others)
            self.has_other_program = self._attended and is_offering
        self._proactive = await asyncio.to_thread(self._make_proactive_service, self._resolver)
        self._proactive.start()

    async def close(self) -> None:
        """End everything. A turn under way stays stored and can be continued next time."""
        await self._turns.close()
        await self._language_notice.close()
        self.queues.close()
        await self._phones.close()
        for part in (self._proactive, self._model, self._learner, self._resolver):
            if part is not None:
                await part.close()
        self._store.close()
        self._events.put_nowait(None)

    async def events(self) -> AsyncIterator[Event]:
        """Everything that happens, inside and outside turns, until the engine is closed. For one listener."""
        while (event := await self._events.get()) is not None:
            yield event

    @property
    def _turn(self) -> Turn | PlanTurn | None:
        return self._turns.in_front

    @property
    def state(self) -> TurnState | None:
        """The state of the turn in front; None when none runs there."""
        return self._turn.state if self._turn else None

    @property
    def standing_command(self) -> str:
        """What the turn in front is to do, while that can be corrected; empty without one."""
        return self._turn.checkpoint.open_instruction if self._turn else ""

    async def wait_until_idle(self) -> None:
        """Wait until no turn runs in front; an event tells of its end shortly before."""
        await self._turns.wait_until_idle()

    @property
    def command_queue(self) -> CommandQueue:
        """The commands that wait for the end of the turn in front; each phone has its own."""
        return self.queues.on(self.front_phone)

    @property
    def is_busy(self) -> bool:
        """Whether a turn runs on any phone."""
        return bool(self._turns.running)

    def problem(self) -> str:
        """What keeps a turn from running and what to do about it, one line each; empty if nothing does."""
        return "\n".join(line for line in (self._phones.problem, self._model_problem) if line)

    @property
    def is_searching(self) -> bool:
        """Whether the first search for a phone is still under way; until then `problem` is not final."""
        return self._phones.looking

    async def wait_for_phone(self) -> None:
        """Wait until the first search for a phone has ended; from then on `problem` is right."""
        await self._phones.first_look()

    async def phones(self) -> Sequence[PhoneStatus]:
        """All phones that are connected, in any state, each with what it can do now."""
        return await self._phones.phones()

    def switch_phone(self, serial: str) -> None:
        """Use another phone, and remember it. Turns go on where they run; one there comes to the front.

        Raises:
            OSError: the choice cannot be stored; it still holds until the program ends.
        """
        self._turns.front = serial
        self._phones.use(serial)

    @property
    def front_phone(self) -> str:
        """The serial of the phone whose turn is in front: `state`, `pause` and `say` are about it.

        Before the first turn it is the phone in use; empty while there is none.
        """
        phone = self.current_phone
        return self._turns.front or (phone.serial if phone is not None else "")

    @property
    def phone_names(self) -> Sequence[tuple[str, str]]:
        """Serial and model of each phone that is connected."""
        return self._phones.names

    @as_not_ready()
    def run(self, said: str) -> None:
        """Start a turn.

        Raises:
            EngineBusy: a turn runs already.
            NotReady: the phone or the model is missing, or the memory cannot be reached.
        """
        self._begin(self._new_checkpoint(said))

    def run_next(self) -> None:
        """Start a turn with the next command that waits in front; it leaves the queue with that.

        Raises:
            EngineBusy: a turn runs already; the command stays.
            NotReady: the phone or the model is missing, or the memory cannot be written; the command stays.
        """
        checkpoint = self._new_checkpoint(self.command_queue.commands[0])
        with as_not_ready(), self.command_queue.starting(checkpoint.turn_id):
            self._begin(checkpoint)
            with ExitStack() as after_failure:
                after_failure.callback(self.cancel)
                self._store.turns.save(checkpoint.model_copy(update={"phone": self.front_phone}))
                after_failure.pop_all()

    def _new_checkpoint(
        self, said: str, suggestion: AcceptedSuggestion | None = None, *, is_complete: bool = False
    ) -> Checkpoint:
        started = self._store.turns.free_start(self.settings.user_id, self._now())
        new = Checkpoint.of_command(self.settings.user_id, started, said, self.scenario)
        return new.model_copy(update={"suggested": suggestion, "is_complete": is_complete})

    @as_not_ready()
    def replay(
        self, skill: str, values: Mapping[str, str], start: int = 1, until: int | None = None, then: str = ""
    ) -> None:
        """Start a turn that carries out a skill or a past turn, or a part of it and `then` something else.

        Raises:
            EngineBusy: a turn runs already.
            NotReady: phone, model, memory or the skill is missing.
        """
        template = self._skills.find(skill) if self._skills is not None else None
        if self._skills is None or template is None:
            raise NotReady(_("There is no skill or past turn {name}.").format(name=skill))
        if problem := template.why_not(values, start, until):
            raise NotReady(problem)
        checkpoint = self._new_checkpoint(then or template.pattern.said(values), is_complete=not then)
        phone, turn_id = self.current_phone, checkpoint.turn_id
        if self._turn is None and phone is not None:
            self._actions_for(phone.serial, self._skills).prepare(turn_id, template, values, start, until)
        self._begin(checkpoint)

    @property
    def current_phone(self) -> Phone | None:
        """The phone in use; None while there is none."""
        return self._phones.phone

    async def record(self, instruction: str, shown: Awaitable[object]) -> str:
        """Record what the user shows on the phone until `shown` is done. Returns the id of the turn.

        Raises:
            EngineBusy: a turn runs already.
            NotReady: the phone is missing.
            PhoneError: the phone cannot be looked at.
        """
        if self._turn is not None:
            raise EngineBusy(_("A turn is already running. Pause or cancel it first."))
        phone = self.current_phone
        if phone is None or self._phones.problem:
            raise NotReady(self._phones.problem)
        checkpoint = self._new_checkpoint(instruction)
        task = Demonstration(
            phone, self._store, checkpoint, self._events.put_nowait, self._now, self._secrets
        )
        return (await task.record(shown)).turn_id

    def keep_skill(self, turn_id: str, name: str = "") -> SkillTemplate:
        """Keep a past turn as a skill; to be called in a thread.

        Raises:
            NotReady: the engine has not started.
            UnknownTurn: there is no such turn, or it holds nothing that could be repeated.
        """
        if self._skills is None:
            raise NotReady(_("The memory is not open yet. Try again in a moment."))
        return self._skills.keep(turn_id, name)

    def pause(self) -> None:
        """Pause the running turn, if any."""
        if self._turn:
            self._turn.pause()

    def resume(self) -> None:
        """Continue a paused turn."""
        if self._turn:
            self._turn.resume()

    def hold(self, held: bool) -> None:
        """Let the running turn wait before its next action, until it is released or no longer in front."""
        self._turns.hold(held)

    def cancel(self, cause: Cause = Cause.DONE) -> None:
        """End the running turn, if any, as the user wishes by a key or in words."""
        if self._turn:
            self._turn.cancel(cause)

    @property
    def sub_tasks(self) -> tuple[PlannedTask, ...]:
        """The sub-tasks of the running turn; none of a turn without."""
        return self._turn.sub_tasks if isinstance(self._turn, PlanTurn) else ()

    def pause_sub_task(self, name: str) -> None:
        """Pause one sub-task of the running turn; the others go on."""
        if isinstance(self._turn, PlanTurn):
            self._turn.pause(name)

    def resume_sub_task(self, name: str) -> None:
        """Go on with one sub-task of the running turn."""
        if isinstance(self._turn, PlanTurn):
            self._turn.resume(name)

    def cancel_sub_task(self, name: str) -> None:
        """End one sub-task of the running turn, and those that need it."""
        if isinstance(self._turn, PlanTurn):
            self._turn.cancel(branch=name)

    def say(self, text: str) -> None:
        """Tell the running turn something; a paused turn stays paused."""
        if self._turn:
            self._turn.say(text)

    def interrupted_turn(self) -> InterruptedTurn | None:
        """The newest turn that a killed program left behind, unless a turn runs here."""
        return next(iter(self.interrupted_turns(1)), None)

    def interrupted_turns(self, newest: int = 4) -> list[InterruptedTurn]:
        """The turns that killed programs left, one for each phone, newest first.

        None while one runs here, or while the memory is out of reach: they are offered another time.
        """
        with suppress(StoreError):
            if not self._turns.running:
                return find_interrupted(self._store, self.settings.user_id, newest)
        return []

    @as_not_ready()
    def continue_turn(self, turn_id: str) -> None:
        """Continue an interrupted turn on its phone, from a new observation of the screen.

        Raises:
            EngineBusy: a turn runs there already.
            NotReady: the phone or the model is missing, the turn is over, or the memory cannot be reached.
        """
        self._begin(open_interrupted(self._store, self.settings.user_id, turn_id), continued=True)

    def discard(self, turn_id: str) -> None:
        """Forget an interrupted turn, unless another program goes on with it or the memory is away."""
        self.queues.load()
        discard_interrupted(self._store, turn_id)

    @property
    def proactive(self) -> ProactiveService | None:
        """The service that offers routines; None until the engine has started."""
        return self._proactive

    @property
    def scenario(self) -> str:
        """Where the user is: what they said, else the place that the phone recognises, else unknown."""
        return self._proactive.location.whereabouts.scenario if self._proactive is not None else "unknown"

    def set_scenario(self, scenario: str) -> None:
        """The user says where they are, until the phone is somewhere else; an empty text takes it back."""
        if self._proactive is not None:
            self._proactive.set_scenario(scenario)

    def note_typing(self, unsent: bool) -> None:
        """The user typed; nothing is suggested while there is `unsent` text."""
        if self._proactive is not None:
            self._proactive.note_typing(unsent)

    @as_not_ready()
    def answer_suggestion(self, suggestion_id: str, answer: Answer | Snooze, instruction: str = "") -> None:
        """Answer a suggestion or put it off; an `instruction` runs as a turn, with all checks of a command.

        A suggestion is a complete instruction: only what the user has changed in it is still to be resolved.

        Raises:
            EngineBusy: a turn runs already; the suggestion stays.
            NotReady: the phone or the model is missing, or the memory is out of reach; the suggestion stays.
        """
        if instruction:
            accepted = self._proactive.find_accepted(suggestion_id) if self._proactive else None
            self._begin(self._new_checkpoint(instruction, accepted))
            turn, proactive = self._turn, self._proactive
            if turn and proactive and not proactive.note_begun(suggestion_id, turn.checkpoint.turn_id):
                self.cancel()
        if self._proactive is not None:
            self._proactive.answer(suggestion_id, answer)

    async def allow_auto_run(self, suggestion_id: str) -> bool:
        """Let the routine of a suggestion start by itself from its next time on; false if it must not."""
        return self._proactive is not None and await self._proactive.allow_auto_run(suggestion_id)

    def stop_countdown(self, suggestion_id: str) -> None:
        """Keep a suggestion from starting by itself; it can still be accepted."""
        if self._proactive is not None:
            self._proactive.stop_countdown(suggestion_id)

    def suggestions(self) -> Sequence[Suggestion]:
        """Past suggestions, newest first."""
        return self._proactive.suggestions() if self._proactive is not None else ()

    def past_commands(self) -> Sequence[str]:
        """Past commands, newest last."""
        return self._store.turns.commands(self.settings.user_id)

    def past_turns(self) -> PastTurns:
        """Past turns with their steps and pictures; to be read in a thread."""
        return make_past_turns(self._store, self.settings.user_id)

    def standing_approvals(self) -> Sequence[StandingApproval]:
        """The user's rules: deeds that need no asking."""
        return self._store.approvals.list_approvals(self.settings.user_id)

    def revoke_approval(self, rule: StandingApproval) -> None:
        """Ask about such deeds again.

        Raises:
            StoreError: the memory cannot be written.
        """
        self._store.approvals.revoke(self.settings.user_id, rule.package, rule.kind, rule.recipient)

    def records(self) -> list[Record]:
        """The user's records, oldest first."""
        return list(self._store.records.of(self.settings.user_id))

    def newest_records(self, count: int) -> list[Record]:
        """The user's latest records, newest first; to be read in a thread.

        Raises:
            StoreError: the memory cannot be read.
        """
        return list(self._store.records.of(self.settings.user_id, newest=count))[::-1]

    def find_records(self, ids: Sequence[str]) -> list[Record]:
        """The user's records with these ids, in this order; those that were deleted are left out."""
        records = map(self._store.records.get, ids)
        return [record for record in records if record and record.user_id == self.settings.user_id]

    def pause_learning(self, paused: bool) -> None:
        """Stop or resume learning from turns; turns that run meanwhile are never learnt from.

        Raises:
            NotReady: the engine has not started.
            StoreError: the memory cannot be written.
        """
        if self._resolver is None:
            raise NotReady(_("The memory is not open yet. Try again in a moment."))
        self._resolver.pause_learning(paused)
        self._report_learning()

    @property
    def learns(self) -> bool:
        """Whether the memory learns from turns."""
        return self._resolver is not None and self._resolver.learns

    def set_retention(self, memory: MemorySettings) -> None:
        """Keep screenshots and requests within other limits from now on; may be called from any thread."""
        self.settings = self.settings.model_copy(update={"memory": memory})
        if self._proactive is not None:
            self._proactive.set_retention(memory)

    def memory(self) -> MemoryView:
        """The memory, to view and to change; to be asked for, and used, in a thread.

        Raises:
            NotReady: the engine has not started.
        """
        if self._resolver is None:
            raise NotReady(_("The memory is not open yet. Try again in a moment."))
        if self._memory_view is None:
            self._memory_view = make_memory_view(self._store, self.settings, self._resolver)
        return self._memory_view

    async def reply(self, route: Route) -> Reply:
        """The reply to a line that needs no phone and no turn reads; waits until the memory is filled.

        Raises:
            NotReady: the engine has not started.
            StoreError: the memory cannot be read or written.
        """
        await self.memory_ready()
        reader = self._resolver.reader if self._resolver is not None and self._turn is None else None
        conversation = self._open_conversation()
        reply = await reply_to(conversation, route, reader)
        conversation.offer = reply.offer
        self._report_learning()
        return reply

    async def mentions(self) -> Sequence[Mention]:
        """The people, places, apps and routines that memory knows by name.

        Raises:
            NotReady: the engine has not started.
            StoreError: the memory cannot be read.
        """
        return await asyncio.to_thread(self._open_conversation().mentions)

    def _change_suggestions(self, changes: Mapping[str, bool | time]) -> str:
        kept = self.keep_settings(changes) if self.keep_settings else ""
        at_once = self._proactive is None or self._proactive.change_rules(changes)
        return sentences(kept, "" if at_once else _("It applies from the next start."))

    def _open_conversation(self) -> Conversation:
        if self._resolver is None:
            raise NotReady(_("The memory is not open yet. Try again in a moment."))
        if self.conversation is None:
            parts = self._store, self._resolver, self.memory, self._change_suggestions, self._now
            self.conversation = make_conversation(self.settings, *parts)
        return self.conversation

    def _begin(self, checkpoint: Checkpoint, *, continued: bool = False) -> None:
        if continued and (serial := find_phone(checkpoint, self._phones)):
            with suppress(OSError):
                self.switch_phone(serial)
        if self._turn is not None:
            raise EngineBusy(_("A turn is already running. Pause or cancel it first."))
        phone, skills, resolver = self._phones.phone, self._skills, self._resolver
        if phone is None or self._model is None or self._phones.problem:
            raise NotReady(self.problem())
        if self.conversation is not None:
            self.conversation.offer = ""
        context = TurnContext(
            phone=phone,
            model=self._turns.model_for(phone.serial, self._model, self._make_model),
            store=self._store,
            settings=self.settings,
            now=self._now,
            emit=partial(self._turns.emit_on, phone.serial),
            attended=self._attended,
            allowances=self._allowances,
            secrets=self._secrets,
            command_resolver=make_turn_resolver(resolver, checkpoint, self.settings, self._open_conversation),
            action_memory=self._actions_for(phone.serial, skills) if skills is not None else None,
            memory_ready=self._ready,
            names_of=partial(names_of, resolver),
            restate=resolver.restate if resolver and self.settings.understanding.enabled else None,
            find_answer=resolver.find_answer if resolver and self.settings.mcp.servers else None,
            ask_model=self._make_text_model(BUTTON_PATIENCE) if self.settings.turn.ask_model else None,
        )
        self._turns.begin(
            context,
            checkpoint.model_copy(update={"phone": phone.serial, "phone_id": phone.identity}),
            continued=continued,
            side_by_side=self._make_side_by_side(checkpoint),
        )
        self._language_notice.check(phone)

    def _make_model(self) -> VisionModel:
        return make_model(self.settings.model, self._requests)

    def _actions_for(self, serial: str, skills: SkillMemory) -> ActionMemory:
        return self._turns.actions_for(serial, skills.actions, skills.new_actions)

    def _make_side_by_side(self, checkpoint: Checkpoint) -> SideBySide | None:
        """What carries out a command on several phones; None where the settings name no other one."""
        if self._skills is None or not (self.settings.phone.allows_others or checkpoint.plan):
            return None
        parts = SideBySideParts(
            phones=self._phones,
            make_model=self._make_model,
            make_actions=self._skills.new_actions,
            ask=self._make_text_model() if self.settings.understanding.with_model else None,
            on_part_end=self._note_part,
        )
        return SideBySide(self._store, self.settings.user_id, self.settings.store, parts)

    def _make_text_model(self, patience: float = PATIENCE) -> TextModel | None:
        model, requests = self.settings.model, self._requests
        has_model = model.base_url and model.name
        return make_text_model(model, requests, requests.count, patience) if has_model else None

    def _note_part(self, turn: Turn, outcome: Outcome, actions: StepProposer | None) -> None:
        """A sub-task ended: it teaches what to do, and nothing of the user, which its command does."""
        if self.learns and isinstance(actions, ActionMemory) and self._learner is not None:
            self._learner.note_end(turn.checkpoint.turn_id, outcome, turn.answer, actions)

    def _auto_run(self, suggestion_id: str, instruction: str) -> None:
        """Start the turn of an auto-run; if it cannot start, the suggestion stays."""
        try:
            self.answer_suggestion(suggestion_id, Answer.ACCEPTED, instruction)
        except (EngineBusy, NotReady) as problem:
            _log.info("a suggestion does not start by itself: %s", problem)

    def _handle_turn_end(self, turn: Turn | PlanTurn | None, outcome: Outcome | None) -> None:
        if self._proactive is not None:
            self._proactive.wake()
        if self._turn_ended is not None:
            self._turn_ended(outcome)
        learner = self._learner
        if isinstance(turn, Turn) and outcome is not None and learner is not None and self.learns:
            actions = self._actions_for(turn.checkpoint.phone, learner.skills)
            learner.note_end(turn.checkpoint.turn_id, outcome, turn.answer, actions)
        if turn is not None and outcome is not None and self._resolver is not None:
            turn_id = turn.checkpoint.turn_id
            record = self._store.records.get(turn_id)
            after = learner.task if learner is not None else None
            self._resolver.learn(record, well=outcome is Outcome.SUCCESS, after=after, turn_id=turn_id)

    def _report_learning(self) -> None:
        self._events.put_nowait(LearningChanged(time=self._now(), learns=self.learns))

    def _current_state(self) -> State:
        return State(time=self._now(), scenario=self.scenario)

    def _current_shell(self) -> Shell | None:
        return self._phones.shell

    def _make_resolver(self) -> PersonalCommandResolver:
        requests, parts = self._requests, (self.settings, self._store, self._current_state)
        return make_command_resolver(*parts, self._turns.emit_shared, requests, requests.count)

    def _make_proactive_service(self, resolver: PersonalCommandResolver) -> ProactiveService:
        return make_proactive_service(
            self.settings,
            self._store,
            resolver,
            shell=self._current_shell,
            is_turn_running=lambda: self.is_busy,
            start=self._auto_run,
            now=self._now,
            emit=self._events.put_nowait,
            on_request=self._requests,
            on_usage=self._requests.count,
            offers=self._offers,
            schedules=self._schedules,
        )
