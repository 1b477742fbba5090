"""The control of a turn: its states, the operation under way, its command, its beginning, pauses and end.

A turn resolves its command, then runs. It waits when it needs the user or the phone, goes through `PAUSING`
to `PAUSED` (an action in progress completes), and ends finished, failed, cancelled, or unconfirmed: the
model says that it is done, and no trace of it was found on the phone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from assistant.agent.checkpoint import (
    TurnCheckpointer,
    format_correction,
    tell_done,
    tell_left_half_done,
    tell_not_begun,
    tell_open_page,
    tell_unsent,
)
from assistant.agent.context import (
    NOTHING_ORDERED,
    AppLookup,
    AskOnce,
    CommandPrompter,
    CommandResolver,
    ResolvedCommand,
    StepTimes,
    TurnContext,
    direct_speech,
    lookup_settings,
)
from assistant.events import (
    ActionChosen,
    ActionKind,
    Cause,
    ErrandStepped,
    Event,
    InstructionResolved,
    PhoneStateChanged,
    StateChanged,
    StepFinished,
    StepStarted,
    SuggestionTaken,
    TurnFinished,
    TurnStarted,
    TurnState,
)
from assistant.i18n import _, sentences
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.model.types import one_line
from assistant.phone.errors import Refusal
from assistant.records import Finished, Outcome, Source
from assistant.skills.command_wording import Correction, ValueKind, read_correction


class Signal(StrEnum):
    """An event that changes the state of a turn."""

    RESOLVED = "resolved"
    USER_NEEDED = "user_needed"
    ANSWERED = "answered"
    PAUSE = "pause"
    STILL = "still"
    RESUME = "resume"
    FINISH = "finish"
    FAIL = "fail"
    CANCEL = "cancel"
    UNCONFIRM = "unconfirm"


class ForbiddenTransition(Exception):
    """The signal is not allowed in this state: a bug, never a mistake of the user."""


_ENDINGS = {Signal.FAIL: TurnState.FAILED, Signal.CANCEL: TurnState.CANCELLED}

TRANSITIONS: dict[TurnState, dict[Signal, TurnState]] = {
    TurnState.RESOLVING: {
        Signal.RESOLVED: TurnState.RUNNING,
        Signal.USER_NEEDED: TurnState.WAITING,
        Signal.PAUSE: TurnState.PAUSING,
        **_ENDINGS,
    },
    TurnState.RUNNING: {
        Signal.USER_NEEDED: TurnState.WAITING,
        Signal.PAUSE: TurnState.PAUSING,
        Signal.FINISH: TurnState.FINISHED,
        Signal.UNCONFIRM: TurnState.UNCONFIRMED,
        **_ENDINGS,
    },
    TurnState.WAITING: {
        Signal.ANSWERED: TurnState.RUNNING,
        Signal.PAUSE: TurnState.PAUSING,
        **_ENDINGS,
    },
    TurnState.PAUSING: {
        Signal.STILL: TurnState.PAUSED,
        Signal.PAUSE: TurnState.PAUSING,
        **_ENDINGS,
    },
    TurnState.PAUSED: {
        Signal.RESUME: TurnState.RUNNING,
        **_ENDINGS,
    },
    **{state: {} for state in TurnState if state.final},
}


def next_state(state: TurnState, signal: Signal) -> TurnState:
    """The state after a signal.

    Raises:
        ForbiddenTransition: the signal is not allowed in this state.
    """
    try:
        return TRANSITIONS[state][signal]
    except KeyError:
        raise ForbiddenTransition(f"a turn that is {state} cannot take “{signal}”") from None


T = TypeVar("T")

_ASKING = (Cause.APPROVAL, Cause.QUESTION, Cause.MEANING)
_STOPPABLE = (TurnState.RESOLVING, TurnState.RUNNING, TurnState.WAITING)


class Interrupted(Exception):
    """The user paused, cancelled or wrote something: the operation under way was dropped."""


class NothingOrdered(Exception):
    """Nothing is to be begun: `args` are the sentence that says why, empty for a remark, and the cause."""


class TurnControl:
    """The turn's state and the single operation under way. Call its methods on the event loop's thread only.

    Args:
        on_change: called with state, cause and sentence at each change.
        clock: a monotonic clock, in seconds.

    Attributes:
        waited_seconds: time spent waiting for the user, up to the last time the turn continued.
        cancel_cause: how the user cancels it.
    """

    def __init__(
        self,
        on_change: Callable[[TurnState, Cause, str], None],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.state = TurnState.RESOLVING
        self.cause = Cause.COMMAND
        self.cancelling = False
        self.cancel_cause = Cause.DONE
        self.waited_seconds = 0.0
        self._waiting_since: float | None = None
        self._on_change = on_change
        self._clock = clock
        self._work: asyncio.Future[Any] | None = None
        self._stop: Callable[[], object] | None = None
        self._interrupted = False
        self._resumed = asyncio.Event()
        self._released = asyncio.Event()
        self._released.set()
        self._pause_reason = (Cause.USER_PAUSED, "")

    def pause(self, cause: Cause = Cause.USER_PAUSED, sentence: str = "") -> None:
        """Drop the operation under way; the turn is paused as soon as an action in progress has ended.

        In a pause, take back a `resume` that has not come into effect yet.
        """
        if self.state in _STOPPABLE:
            self.begin_pause(cause, sentence)
            self.interrupt()
        else:
            self._resumed.clear()

    def resume(self) -> None:
        """Continue a paused turn."""
        if self.state in (TurnState.PAUSING, TurnState.PAUSED):
            self._resumed.set()

    def hold(self, held: bool) -> None:
        """Begin no further action until released: the user is saying what a line is for."""
        if held:
            self._released.clear()
        else:
            self._released.set()

    async def wait_until_released(self) -> bool:
        """Wait while the turn is held; returns whether it was.

        Raises:
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        if self._released.is_set():
            return False
        self.set_cause(Cause.HELD)
        await self.run_cancellable(self._released.wait())
        return True

    def cancel(self) -> None:
        """Drop the operation under way and end the turn."""
        if not self.state.final:
            self.cancelling = True
            self.interrupt()

    def interrupt(self) -> None:
        """Drop the operation under way, if any, or what just came of it; its caller gets `Interrupted`."""
        if self._work is None:
            return
        if self._stop is None:
            self._interrupted = True
            self._work.cancel()
        elif not self._work.done():
            self._stop()

    def begin_pause(self, cause: Cause, sentence: str) -> None:
        """Start a pause; cause and sentence are repeated once the turn is paused."""
        self._resumed.clear()
        self._pause_reason = (cause, sentence)
        self.apply_signal(Signal.PAUSE, cause, sentence)

    async def wait_until_resumed(self) -> None:
        """Complete the pause and wait until the user resumes.

        Raises:
            Interrupted: the turn was cancelled meanwhile.
        """
        self.apply_signal(Signal.STILL, *self._pause_reason)
        while not self._resumed.is_set():
            await self.run_cancellable(self._resumed.wait())
        self.apply_signal(Signal.RESUME, Cause.OBSERVING)

    def apply_signal(self, signal: Signal, cause: Cause, sentence: str = "") -> None:
        """Change the state by a signal and report it."""
        self.state = next_state(self.state, signal)
        self.cause = cause
        self._update_waiting_time()
        self._on_change(self.state, cause, sentence)

    def _update_waiting_time(self) -> None:
        """Start or stop measuring the time spent waiting for the user."""
        waits_for_answer = self.state is TurnState.WAITING and self.cause in _ASKING
        is_held = self.state is TurnState.RUNNING and self.cause is Cause.HELD
        is_user_time = waits_for_answer or is_held or self.state is TurnState.PAUSED
        if is_user_time and self._waiting_since is None:
            self._waiting_since = self._clock()
        elif not is_user_time and self._waiting_since is not None:
            self.waited_seconds += self._clock() - self._waiting_since
            self._waiting_since = None

    def set_cause(self, cause: Cause) -> None:
        """Report what a running turn is doing."""
        if cause is not self.cause:
            self.cause = cause
            self._update_waiting_time()
            self._on_change(self.state, cause, "")

    async def run_cancellable(self, work: Awaitable[T], stop: Callable[[], object] | None = None) -> T:
        """Await an operation that a pause, a cancel or a message of the user may drop.

        If `stop` is given, it is called instead of cancelling, and the operation ends by itself. An operation
        may await others by this; then the innermost is dropped.

        Raises:
            Interrupted: the operation was dropped, or the turn is being paused or cancelled already.
        """
        future: asyncio.Future[T] = asyncio.ensure_future(work)
        outer = self._work, self._stop
        self._work, self._stop = future, None
        if self.cancelling or self.state is TurnState.PAUSING:
            self.interrupt()
        self._stop = stop
        try:
            result = await future
            if self._interrupted:
                raise Interrupted
            return result
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._interrupted or (task is not None and task.cancelling()):
                # The program ends, perhaps at the moment of an interrupt: that must not be lost.
                raise
            raise Interrupted from None
        finally:
            self._work, self._stop = outer
            self._interrupted = False


def emit_state(context: TurnContext, state: TurnState, cause: Cause, sentence: str = "") -> None:
    """Report the state of a turn, with a sentence for the user."""
    context.emit(StateChanged(time=context.now(), state=state, cause=cause, sentence=sentence))


_SIGNALS = {
    Outcome.SUCCESS: Signal.FINISH,
    Outcome.FAILED: Signal.FAIL,
    Outcome.CANCELLED: Signal.CANCEL,
    Outcome.UNCONFIRMED: Signal.UNCONFIRM,
}
_OUTCOMES = {
    TurnState.FINISHED: Outcome.SUCCESS,
    TurnState.FAILED: Outcome.FAILED,
    TurnState.CANCELLED: Outcome.CANCELLED,
    TurnState.UNCONFIRMED: Outcome.UNCONFIRMED,
}


class TurnLifecycle:
    """Begins and ends a turn and its steps, and tells of it; also for a turn that is carried out as a plan.

    Attributes:
        answer: the result, or why the turn ended; empty before its end.
        work_seconds: sum of the durations of its steps.
    """

    def __init__(self, context: TurnContext, control: TurnControl, checkpointer: TurnCheckpointer) -> None:
        self.answer = ""
        self.work_seconds = 0.0
        self._context = context
        self._control = control
        self._checkpointer = checkpointer
        self._started_at = time.perf_counter()

    def begin(self, *, continued: bool) -> None:
        """Tell that the turn begins, or that it goes on after an interruption."""
        checkpoint, now = self._checkpointer.checkpoint, self._context.now()
        turn_id, said = checkpoint.turn_id, checkpoint.said
        self._context.emit(TurnStarted(time=now, turn_id=turn_id, said=said, continued=continued))
        if (suggestion := checkpoint.suggested) is not None:
            self._context.emit(SuggestionTaken(time=now, **suggestion.model_dump()))

    async def prepare(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do what comes before the first step, again after each pause, unless the turn ends before that."""
        while not self._control.state.final:
            try:
                if self._control.cancelling:
                    self.cancel()
                elif self._control.state is TurnState.PAUSING:
                    await self._control.wait_until_resumed()
                else:
                    await work()
                    return
            except Interrupted:
                continue
            except NothingOrdered as nothing:
                self.end(Outcome.CANCELLED, nothing.args[0] or _(NOTHING_ORDERED), nothing.args[1])

    def begin_steps(self) -> None:
        """Tell the resolved instruction; its steps begin."""
        instruction = self._checkpointer.checkpoint.instruction
        self._context.emit(InstructionResolved(time=self._context.now(), instruction=instruction))
        if self._control.state is TurnState.RESOLVING:
            self._control.apply_signal(Signal.RESOLVED, Cause.OBSERVING)

    def cancel(self) -> None:
        """End the turn, because the user wants it no more, and name the parts for which nothing was done."""
        turn = self._checkpointer.checkpoint
        answer = sentences(_("Cancelled."), tell_not_begun(turn.instruction, turn.steps))
        self.end(Outcome.CANCELLED, answer, self._control.cancel_cause)

    @property
    def exceeded_limit(self) -> str:
        """The sentence that ends the turn because it reached a limit; empty if it has not."""
        return self._context.find_exceeded_limit(self._checkpointer.checkpoint, self.work_seconds)

    @property
    def seconds_left(self) -> float | None:
        """The seconds that the turn may still work; None without a limit."""
        limit = self._context.settings.turn.max_seconds
        return limit - self.work_seconds if limit else None

    def end(self, outcome: Outcome, answer: str, cause: Cause = Cause.DONE) -> None:
        """End the turn. Where it does not end well, its answer also says what was done and stays."""
        if outcome is not Outcome.SUCCESS:
            turn = self._checkpointer.checkpoint
            left = tell_open_page(turn) or tell_left_half_done(turn.steps)
            done = (*tell_done(turn.steps), tell_unsent(turn.steps), left)
            answer = sentences(answer, *done, _tell_refused(turn.steps))
        self.answer = answer
        self._control.apply_signal(_SIGNALS[outcome], cause, answer)

    def pause_or_fail(self, cause: Cause, sentence: str, reason: str) -> None:
        """Pause so that the user can do what a sentence says; fail for a reason if none is there."""
        if self._context.attended:
            self._control.begin_pause(cause, sentence)
        else:
            self.end(Outcome.FAILED, reason)

    def begin_step(self, step: StoredStep) -> None:
        """Emit the events that begin a step which no model and no memory chose."""
        now = self._context.now()
        self._context.emit(StepStarted(time=now, step=step.number))
        self._context.emit(ActionChosen(time=now, step=step.number, action=step.action, source=step.source))

    def finish_step(self, step: StoredStep, times: StepTimes) -> None:
        """Tell that a step has ended, with its durations."""
        finished = times.finish(step, self._context.now())
        self.work_seconds += finished.seconds
        self._context.emit(finished)

    def refuse_step(self, step: StoredStep, reason: str, times: StepTimes) -> None:
        """End a step without executing its action; the model is told the reason."""
        refused = step.refused(reason)
        self._checkpointer.add_step(refused)
        self.finish_step(refused, times)

    async def finish(
        self,
        parts: Sequence[Checkpoint] | None = None,
        *,
        skill: str = "",
        seconds_per_decision: float = 0.0,
        ended_by_memory: bool = False,
        answer_read: bool = False,
    ) -> Outcome:
        """Store the record of a turn that has ended, and tell its end.

        `parts` are the checkpoints with its steps and deeds, where sub-tasks did them. Each replayed step of
        a `skill` saved the model's average, and an end that memory reported one decision more.
        """
        outcome = _OUTCOMES[self._control.state]
        seconds = time.perf_counter() - self._started_at
        await self._checkpointer.finish(outcome, seconds, self.answer, self._control.cause)
        checkpoint = self._checkpointer.checkpoint
        parts = [checkpoint] if parts is None else parts
        steps = [step for part in parts for step in part.steps]
        replayed = sum(step.source is Source.REPLAYED and not step.error for step in steps)
        replayed *= outcome is Outcome.SUCCESS
        self._context.emit(
            TurnFinished(
                time=self._context.now(),
                turn_id=checkpoint.turn_id,
                outcome=outcome,
                answer=self.answer,
                steps=len(steps),
                usage=checkpoint.usage,
                seconds=seconds,
                cost=checkpoint.cost,
                deeds=tuple(deed for part in parts for deed in part.deeds),
                waited=self._control.waited_seconds,
                replayed=replayed,
                saved=(replayed + (ended_by_memory and replayed > 0)) * seconds_per_decision,
                skill=skill if replayed else "",
                answer_read=answer_read and replayed > 0,
                cause=self._control.cause,
            )
        )
        return outcome


def _tell_refused(steps: Sequence[StoredStep]) -> str:
    """The permission that was refused in a turn and not given since, with how to go on; else empty."""
    asked = [step for step in steps if step.deed is not None and step.deed.kind is ActionKind.GRANT]
    deed = asked[-1].deed if asked and asked[-1].error == Refusal.NOT_ALLOWED else None
    sentence = _("You did not allow “{what}”. To allow it, send the command again.")
    return sentence.format(what=one_line(deed.recipient or deed.app)) if deed is not None else ""


class LookupTurn(Protocol):
    """The turn of a lookup."""

    @property
    def state(self) -> TurnState:
        """Its state."""

    @property
    def active_control(self) -> TurnControl:
        """What a pause or cancel applies to."""

    @property
    def answer(self) -> str:
        """What it found, or why it ended."""

    @property
    def checkpoint(self) -> Checkpoint:
        """The turn so far."""

    async def run(self) -> Outcome:
        """Run it to its end."""


class TurnCommandResolver:
    """Resolves the command of one turn. A pause or cancel of the turn applies to the lookup under way.

    Args:
        context: phone, model, store and settings of the turn.
        control: state of the turn.
        checkpointer: checkpoint of the turn.
        prompter: asks the user.
        make_lookup_turn: creates the turn of a lookup.

    Attributes:
        is_resolved: whether the checkpoint has the instruction.
    """

    def __init__(
        self,
        context: TurnContext,
        control: TurnControl,
        checkpointer: TurnCheckpointer,
        prompter: CommandPrompter,
        make_lookup_turn: Callable[[TurnContext, Checkpoint], LookupTurn],
    ) -> None:
        self._lookup: LookupTurn | None = None
        self._context = context
        self._control = control
        self._checkpointer = checkpointer
        self._prompter = prompter
        self._make_lookup_turn = make_lookup_turn
        self._meaning: ResolvedCommand | None = None
        self._command = ""
        self._read = self._told = len(checkpointer.checkpoint.remarks)
        self.is_resolved = False

    @property
    def active_control(self) -> TurnControl:
        """The control of the lookup under way, otherwise of the turn: what a pause or cancel applies to.

        A lookup that has ended, but still tidies up the phone, is not under way.
        """
        lookup = self._lookup
        return lookup.active_control if lookup and not lookup.state.final else self._control

    async def resolve(self) -> None:
        """Resolve the command and store the instruction as the user confirmed it.

        Raises:
            Interrupted: the turn was paused or cancelled before the command was resolved.
            NothingOrdered: the user only remarked something, or wants it at another time.
        """
        checkpoint, command_resolver = self._checkpointer.checkpoint, self._context.command_resolver
        is_known = checkpoint.steps or checkpoint.instruction != checkpoint.said or checkpoint.is_complete
        if is_known:
            self.is_resolved = True
            return
        self._command = self._command or await self._prompter.settle_command(checkpoint.said)
        if command_resolver is None:
            self._settle(self._command)
            return
        while True:
            meaning = self._meaning = self._meaning or await self._find_meaning(command_resolver)
            if meaning.instead:
                await self._begin_anew(meaning.instead)
                continue
            if meaning.orders_nothing or meaning.not_begun:
                ended = (Cause.PUT_OFF, meaning.is_put_off), (Cause.ANSWERED, meaning.is_answered)
                cause = next((cause for cause, holds in ended if holds), Cause.COMMAND)
                raise NothingOrdered(meaning.not_begun or (_("Cancelled.") * self._context.attended), cause)
            instruction = direct_speech(meaning.instruction)
            confirmed = await self._prompter.confirm_instruction(instruction, meaning)
            if meaning is self._meaning:
                break  # Else what was said meanwhile corrects the command.
        self._settle(confirmed)
        if confirmed == instruction:
            if meaning.reference:
                self._checkpointer.add_note(meaning.reference)
        elif meaning.on_correction is not None:
            meaning.on_correction(confirmed)

    async def _begin_anew(self, said: str) -> None:
        """Take a command that the user typed at a question for that of the turn, from its beginning."""
        self._checkpointer.begin_anew(said)
        self._command, self._meaning, self._told = "", None, 0
        turn = self._checkpointer.checkpoint
        self._context.emit(TurnStarted(time=self._context.now(), turn_id=turn.turn_id, said=said))
        self._command = await self._prompter.settle_command(said)

    async def _find_meaning(self, command_resolver: CommandResolver) -> ResolvedCommand:
        """The meaning of the command as it was corrected by the time that it is found."""
        await self._wait_for_memory()
        before: dict[str, str] = {}
        while True:
            command, ask = self._command, AskOnce(self._prompter.ask_meaning, before)
            meaning = await self._control.run_cancellable(command_resolver(command, self._look_up, ask))
            if command == self._command:
                return meaning
            before = ask.answers

    def hear(self, text: str) -> None:
        """Take up what the user says. What corrects a command before it is resolved makes it another one."""
        if self.is_resolved:
            self._checkpointer.add_user_words(text)
            self._tell_corrections()
            return
        commands = [self._command or self._checkpointer.checkpoint.said]
        commands += [self._meaning.instruction] if self._meaning is not None else []
        read = (read_correction(command, text) for command in commands)
        correction = next((each[0] for each in read if len(each) == 1 and each[0].old), None)
        note = format_correction(text, correction) if correction is not None else ""
        self._checkpointer.add_user_words(text, note, corrects=False)
        if correction is not None:
            self._command, self._meaning = correction.command, None
            self._checkpointer.correct(text, correction, in_instruction=False)

    async def settle_corrections(self) -> None:
        """Tell what the user has corrected; what names no single value a model reads, or they choose.

        Raises:
            Interrupted: the turn was paused or cancelled before that.
        """
        await self._restate_remark()
        turn, unclear = self._checkpointer.checkpoint, self._checkpointer.unclear
        if unclear is not None:
            chosen = await self._prompter.ask_correction(turn.instruction, unclear)
            self._checkpointer.unclear = None
            if chosen is not None and chosen.new:
                self._correct_last(unclear.text, chosen)
        self._tell_corrections()

    async def _restate_remark(self) -> None:
        turn, restate = self._checkpointer.checkpoint, self._context.restate
        said = turn.remarks[-1] if len(turn.remarks) > self._read else None
        if restate is None or said is None or said.kind:
            return
        order, says_all = await self._control.run_cancellable(restate(turn.open_instruction, said.text))
        now, self._read = self._checkpointer.checkpoint, len(turn.remarks)
        # What was heard meanwhile has made it another order.
        if order and (now.instruction, now.remarks) == (turn.instruction, turn.remarks):
            self._correct_last(said.text, Correction(order, ValueKind.WHOLE, "" if says_all else said.text))

    def _correct_last(self, text: str, correction: Correction) -> None:
        self._checkpointer.correct(text, correction)
        self._told = min(self._told, len(self._checkpointer.checkpoint.remarks) - 1)

    def _tell_corrections(self) -> None:
        turn = self._checkpointer.checkpoint
        for remark in turn.remarks[self._told :]:
            if remark.kind:
                self._prompter.tell_correction(remark, turn)
        self._told = len(turn.remarks)

    def _settle(self, instruction: str) -> None:
        """The instruction is known: what was said before and is not in it yet may correct it."""
        self._checkpointer.set_instruction(instruction)
        self.is_resolved = True
        self._checkpointer.correct_earlier()
        self._tell_corrections()

    async def _wait_for_memory(self) -> None:
        """Wait until the memory is loaded; before that, a missing entry does not mean that it is unknown."""
        memory_ready = self._context.memory_ready
        if memory_ready is None or memory_ready.done():
            return
        emit_state(self._context, self._control.state, self._control.cause, _("The memory is filled first."))
        await self._control.run_cancellable(asyncio.wait([memory_ready]))
        emit_state(self._context, self._control.state, self._control.cause)

    async def _look_up(self, lookup: AppLookup) -> str:
        checkpoint = self._checkpointer.checkpoint
        lookup_checkpoint = Checkpoint(
            turn_id=f"{checkpoint.turn_id}-look",
            user_id=checkpoint.user_id,
            started=self._context.now(),
            said=lookup.task,
            instruction=lookup.task,
            part_of=checkpoint.part_of or checkpoint.turn_id,
        )
        lookup_context = replace(
            self._context,
            settings=lookup_settings(self._context.settings, lookup),
            emit=lambda event: self._forward_event(lookup, event),
            attended=False,
            allowances=(),
            secrets=None,
            command_resolver=None,
            action_memory=None,
        )
        turn = self._lookup = self._make_lookup_turn(lookup_context, lookup_checkpoint)
        try:
            outcome = await turn.run()
        finally:
            self._lookup = None
        result = turn.checkpoint
        self._checkpointer.add_usage(result.usage, result.cost, result.model)
        if outcome is Outcome.CANCELLED:
            self._control.cancelling = True
            raise Interrupted
        return turn.answer if outcome is Outcome.SUCCESS else ""

    def _forward_event(self, lookup: AppLookup, event: Event) -> None:
        """Emit the events of a lookup that the user should see: steps, pauses, and states of the phone."""
        match event:
            case StepFinished(action=action, error=error, seconds=seconds) if not isinstance(
                action, Finished
            ):
                stepped = ErrandStepped(
                    time=event.time, app=lookup.app, action=action, error=error, seconds=seconds
                )
                self._context.emit(stepped)
            case StateChanged(state=TurnState(final=False)) | PhoneStateChanged():
                self._context.emit(event)
