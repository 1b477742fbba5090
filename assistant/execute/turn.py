"""One turn: observe, decide, approve, act, until the command is carried out, fails, or the user ends it.

`pause`, `resume`, `cancel` and `say` may be called at any time from the event loop's thread and take
effect at once: the work under way is dropped, and nothing more is sent to the phone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from assistant.config import Settings
from assistant.events import (
    ActionChosen,
    ActionKind,
    Approval,
    ApprovalRequested,
    Cause,
    Event,
    InstructionResolved,
    ModelRetrying,
    PhoneState,
    PhoneStateChanged,
    QuestionAsked,
    ReplyMalformed,
    ScreenObserved,
    StateChanged,
    StepStarted,
    ThoughtStreamed,
    TurnFinished,
    TurnStarted,
    TurnState,
    UserSaid,
    Verdict,
)
from assistant.execute.changes import describe_changes
from assistant.execute.claims import doubt
from assistant.execute.control import Interrupted, TurnControl
from assistant.execute.guards import judge
from assistant.execute.journal import Journal
from assistant.execute.meter import Meter
from assistant.execute.states import Signal
from assistant.execute.times import StepTimes
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.model.client import VisionModel
from assistant.model.request import (
    Decision,
    Malformed,
    ModelError,
    ModelUnavailable,
    Retrying,
    StepRequest,
    Thought,
)
from assistant.observations import Observation
from assistant.phone.device import Phone
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.phone.states import PhoneStatus
from assistant.records import (
    Action,
    AskUser,
    Click,
    Cost,
    Failed,
    Finished,
    LongClick,
    Outcome,
    PressEnter,
    Source,
    TakeOver,
    TypeText,
    Usage,
    describe,
)

T = TypeVar("T")

_OUTCOMES = {
    TurnState.FINISHED: Outcome.SUCCESS,
    TurnState.FAILED: Outcome.FAILED,
    TurnState.CANCELLED: Outcome.CANCELLED,
}
_SIGNALS = {Outcome.SUCCESS: Signal.FINISH, Outcome.FAILED: Signal.FAIL, Outcome.CANCELLED: Signal.CANCEL}


@dataclass(frozen=True, slots=True)
class TurnParts:
    """What a turn works with.

    `attended` tells whether a person can answer; if not, the turn fails where it would have to wait for one.
    `approved` are the kinds of sensitive actions that need no asking in this turn.
    """

    phone: Phone
    model: VisionModel
    store: Store
    settings: Settings
    now: Callable[[], datetime]
    emit: Callable[[Event], None]
    attended: bool = True
    approved: frozenset[ActionKind] = frozenset()


class Turn:
    """A command under way; `run` carries it out."""

    def __init__(self, parts: TurnParts, checkpoint: Checkpoint, *, continued: bool = False) -> None:
        self._parts = parts
        self._phone = parts.phone
        self._journal = Journal(parts.store, checkpoint)
        self._meter = Meter(parts.store.ledger, self._journal, parts.model, parts.settings, parts.now)
        self._continued = continued
        self._approved = set(parts.approved)
        self._control = TurnControl(self._tell_state)
        self._seen: Observation | None = None
        self._seen_before_pause: Observation | None = None
        self._answer = ""
        self._claimed_at = -1
        self._begun = time.perf_counter()

    @property
    def state(self) -> TurnState:
        """Where the turn stands."""
        return self._control.state

    @property
    def checkpoint(self) -> Checkpoint:
        """The turn as it was last stored."""
        return self._journal.kept

    def pause(self) -> None:
        """Stop after the action in flight; nothing else is sent to the phone."""
        self._control.pause()

    def resume(self) -> None:
        """Go on from a pause: look at the screen again and tell the model what changed."""
        self._control.resume()

    def cancel(self) -> None:
        """End the turn. An action in flight completes."""
        self._control.cancel()

    def say(self, text: str) -> None:
        """Tell the model something; a decision under way is made again with it."""
        self._journal.note(f"The user says: {text}")
        self._emit(UserSaid(time=self._now(), text=text))
        if self._control.cause is Cause.THINKING:
            self._control.drop()

    async def run(self) -> Outcome:
        """Carry the command out to its end, whatever happens on the way."""
        kept = self.checkpoint
        self._emit(
            TurnStarted(time=self._now(), turn_id=kept.turn_id, said=kept.said, continued=self._continued)
        )
        self._journal.save()
        self._emit(InstructionResolved(time=self._now(), instruction=kept.instruction))
        self._control.follow(Signal.RESOLVED, Cause.OBSERVING)
        try:
            while not self.state.final:
                await self._advance()
        finally:
            await self._give_back()
        outcome = _OUTCOMES[self.state]
        seconds = time.perf_counter() - self._begun
        await self._journal.finish(outcome, seconds)
        self._emit(
            TurnFinished(
                time=self._now(),
                turn_id=kept.turn_id,
                outcome=outcome,
                answer=self._answer,
                steps=len(self.checkpoint.steps),
                usage=self.checkpoint.usage,
                seconds=seconds,
                cost=self.checkpoint.cost,
            )
        )
        return outcome

    async def _advance(self) -> None:
        try:
            if self._control.cancelling:
                self._end(Outcome.CANCELLED, "Cancelled.")
            elif self.state is TurnState.PAUSING:
                await self._stay_paused()
            else:
                await self._step(self._journal.next_step)
        except Interrupted:
            return
        except PhoneError as error:
            await self._await_phone(error)
        except ModelUnavailable as error:
            self._count(error.usage)
            self._hold_or_fail(Cause.MODEL, f"{error} Press F5 to try again.", str(error))
        except ModelError as error:
            self._count(error.usage)
            self._end(Outcome.FAILED, str(error))

    async def _step(self, number: int) -> None:
        limit = self._parts.settings.turn.max_steps
        if number > limit:
            self._end(
                Outcome.FAILED, f"Stopped after {limit} steps, the most that the settings allow for a turn."
            )
            return
        times = StepTimes(self._phone, self._parts.model)
        self._emit(StepStarted(time=self._now(), step=number))
        self._control.doing(Cause.OBSERVING)
        seen = await self._observe(number)
        self._control.doing(Cause.THINKING)
        decision = await self._control.droppable(self._decide(number, seen, times))
        action = _with_target(decision.action, seen)
        self._emit(ActionChosen(time=self._now(), step=number, action=action, source=Source.MODEL))
        risk = judge(action, seen)
        step = StoredStep(
            number=number,
            action=action,
            thought=decision.thought,
            app=seen.app.name,
            package=seen.app.package,
            kind=risk.kind if risk else None,
        )
        match action:
            case Finished(answer=answer):
                self._step_over(step, times)
                self._weigh(answer)
            case Failed(reason=reason):
                self._step_over(step, times)
                self._end(Outcome.FAILED, reason or "The model gives up and does not say why.")
            case AskUser(question=question):
                await self._ask(step, question, times)
            case TakeOver(reason=reason):
                self._step_over(step, times)
                self._journal.keep(step)
                sentence = reason or "This needs your own hand."
                self._hold_or_fail(
                    Cause.HANDED_OVER, f"{sentence} Do it on the phone, then press F5.", sentence
                )
            case _:
                if await self._allowed(step, seen, times):
                    await self._perform(step, seen, times)

    def _weigh(self, answer: str) -> None:
        """Believe a claim of success when nothing speaks against it and a second look confirms it."""
        done = [step for step in self.checkpoint.steps if not step.error]
        kinds = {step.kind for step in done if step.kind}
        against = doubt(self.checkpoint.instruction, kinds, len(done), answer)
        if self._claimed_at != len(self.checkpoint.steps) and (against or self._parts.settings.turn.confirm):
            self._claimed_at = len(self.checkpoint.steps)
            so_far = f" As far as could be seen, {against}." if against else ""
            self._journal.note_once(
                f"You said that the task is finished.{so_far} Look at the screen again. Say finished only if "
                "it shows that every part of the task is carried out; if not, go on with it."
            )
        elif against:
            self._end(
                Outcome.FAILED,
                f"The model says that it is done, but as far as could be seen {against}. Check on the phone.",
            )
        else:
            self._end(Outcome.SUCCESS, answer)

    async def _observe(self, number: int) -> Observation:
        self._phone.let_go()
        seen = await self._control.droppable(self._phone.observe())
        if self._seen_before_pause is not None:
            self._journal.note_once(*describe_changes(self._seen_before_pause, seen))
            self._seen_before_pause = None
        self._seen = seen
        self._emit(ScreenObserved(time=self._now(), step=number, app=seen.app, observation=seen))
        return seen

    async def _decide(self, number: int, seen: Observation, times: StepTimes) -> Decision:
        keeping = asyncio.create_task(self._journal.see(number, seen))
        request = StepRequest(
            instruction=self.checkpoint.instruction,
            observation=seen,
            history=self._journal.history(self._parts.settings.turn.history_steps),
            notes=self._journal.notes(),
        )
        replies = self._parts.model.decide(request)
        try:
            async for reply in replies:
                match reply:
                    case Thought(text=text):
                        self._emit(ThoughtStreamed(time=self._now(), step=number, text=text))
                    case Retrying(attempt=attempt, delay=delay, reason=reason):
                        self._emit(
                            ModelRetrying(time=self._now(), attempt=attempt, delay=delay, reason=reason)
                        )
                    case Malformed(attempt=attempt, reason=reason):
                        self._emit(
                            ReplyMalformed(time=self._now(), step=number, attempt=attempt, reason=reason)
                        )
                    case Decision():
                        self._journal.decided()
                        cost = self._count(reply.usage, reply.seconds_to_first_token)
                        times.decided(reply.usage, reply.seconds_to_first_token, cost)
                        return reply
            raise ModelUnavailable("The model's reply ends without an action.")
        finally:
            await replies.aclose()
            await keeping

    async def _allowed(self, step: StoredStep, seen: Observation, times: StepTimes) -> bool:
        """Whether the action may be performed: it is harmless, allowed before, or the user says yes now."""
        kind = step.kind
        if kind is None or kind in self._approved:
            return True
        what = describe(step.action)
        if not self._parts.attended:
            self._step_over(step.refused("nobody is there to approve it"), times)
            self._end(
                Outcome.FAILED, f"Stopped before “{what}”: it needs approval. Allow it with --yes {kind}."
            )
            return False
        decision: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self._control.follow(Signal.USER_NEEDED, Cause.APPROVAL, f"Waits for your yes: {what}")
        self._emit(
            ApprovalRequested(
                time=self._now(),
                step=step.number,
                kind=kind,
                action=step.action,
                app=seen.app,
                decision=decision,
            )
        )
        approval = await self._of_user(decision, times)
        self._control.follow(Signal.ANSWERED, Cause.ACTING)
        if approval.verdict in (Verdict.ONCE, Verdict.THIS_TURN):
            if approval.verdict is Verdict.THIS_TURN:
                self._approved.add(kind)
            return True
        refused = step.refused("the user did not allow it")
        self._step_over(refused, times)
        if approval.verdict is Verdict.INSTEAD:
            self._journal.note(f"The user says: {approval.words}")
        self._journal.keep(refused)
        if approval.verdict is Verdict.NO:
            sentence = f"Not done: {what}. Say what to do instead and press F5, or press Escape to end."
            self._control.hold(Cause.USER_PAUSED, sentence)
        return False

    async def _ask(self, step: StoredStep, question: str, times: StepTimes) -> None:
        if not self._parts.attended:
            self._step_over(step, times)
            self._end(Outcome.FAILED, f"Nobody is there to answer: {question}")
            return
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._control.follow(Signal.USER_NEEDED, Cause.QUESTION, question)
        self._emit(QuestionAsked(time=self._now(), step=step.number, question=question, answer=answer))
        words = await self._of_user(answer, times)
        self._control.follow(Signal.ANSWERED, Cause.OBSERVING)
        self._step_over(step, times)
        self._journal.note(f"The user was asked “{question}” and answered: {words}")
        self._journal.keep(step)

    async def _of_user(self, future: asyncio.Future[T], times: StepTimes) -> T:
        """What the user decides; the time it takes is not the step's."""
        with times.user():
            return await self._control.droppable(future)

    async def _perform(self, step: StoredStep, seen: Observation, times: StepTimes) -> None:
        self._control.doing(Cause.ACTING)
        try:
            await self._control.droppable(self._phone.perform(step.action, seen), stop=self._phone.hold)
        except ActionRefused as refusal:
            step = step.refused(str(refusal))
        except Interrupted:
            step = step.refused("interrupted before it began")
        except PhoneError:
            step = step.refused("the phone was lost; it may have happened all the same")
            raise
        finally:
            self._step_over(step, times)
            self._journal.keep(step)

    async def _stay_paused(self) -> None:
        await self._give_back()
        self._seen_before_pause = self._seen
        self._journal.save()
        await self._control.stay_paused()

    async def _give_back(self) -> None:
        """Restore the user's keyboard; a phone out of reach gets it back when it is next connected."""
        with suppress(PhoneError):
            await self._phone.release()

    async def _await_phone(self, error: PhoneError) -> None:
        """Wait for a lost or locked phone, as long as the settings say."""
        if self.state is not TurnState.RUNNING:
            return
        self._emit(PhoneStateChanged(time=self._now(), state=error.state, sentence=error.sentence))
        self._control.follow(Signal.USER_NEEDED, Cause.PHONE, error.sentence)
        limit = self._parts.settings.phone.return_wait
        try:
            status = await self._control.droppable(self._phone.wait_ready(limit))
        except Interrupted:
            return
        self._emit(phone_event(status, self._now()))
        self._control.follow(Signal.ANSWERED, Cause.OBSERVING)
        if status.state is PhoneState.READY:
            self._journal.note_once(f"The phone was away ({error.sentence}) and is back.")
        else:
            self._hold_or_fail(Cause.PHONE, f"{status.sentence} Then press F5.", status.sentence)

    def _tell_state(self, state: TurnState, cause: Cause, sentence: str) -> None:
        self._emit(StateChanged(time=self._now(), state=state, cause=cause, sentence=sentence))

    def _hold_or_fail(self, cause: Cause, sentence: str, reason: str) -> None:
        """Pause where a person can mend it and go on, fail where nobody is there."""
        if self._parts.attended:
            self._control.hold(cause, sentence)
        else:
            self._end(Outcome.FAILED, reason)

    def _end(self, outcome: Outcome, answer: str) -> None:
        self._answer = answer
        signal = {
            Outcome.SUCCESS: Signal.FINISH,
            Outcome.FAILED: Signal.FAIL,
            Outcome.CANCELLED: Signal.CANCEL,
        }[outcome]
        self._control.follow(signal, Cause.DONE, answer)

    def _step_over(self, step: StoredStep, times: StepTimes) -> None:
        self._emit(times.finished(step, self._now()))

    def _count(self, usage: Usage, seconds_to_first_token: float | None = None) -> Cost | None:
        cost, told = self._meter.count(self._journal.next_step, usage, seconds_to_first_token)
        self._emit(told)
        return cost

    def _now(self) -> datetime:
        return self._parts.now()

    def _emit(self, event: Event) -> None:
        self._parts.emit(event)


def phone_event(status: PhoneStatus, now: datetime) -> PhoneStateChanged:
    """Tell a phone's status to the outside."""
    return PhoneStateChanged(
        time=now,
        state=status.state,
        sentence=status.sentence,
        serial=status.serial,
        model=status.model,
        battery=status.battery,
    )


def _with_target(action: Action, seen: Observation) -> Action:
    """The action with the element that it hits on this screen."""
    match action:
        case Click(point=point) | LongClick(point=point):
            return action.model_copy(update={"target": seen.target_at(point)})
        case TypeText() | PressEnter():
            focused = seen.focused_field()
            return action.model_copy(update={"target": focused.target() if focused else None})
        case _:
            return action
