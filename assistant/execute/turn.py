"""One turn: observe, decide, approve, act, until the command is carried out, fails, or the user ends it.

`pause`, `resume`, `cancel` and `say` may be called at any time from the event loop's thread and take
effect at once: the work under way is dropped, and nothing more is sent to the phone.
"""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import datetime
from functools import partial

from assistant.events import (
    ActionChosen,
    Cause,
    Event,
    InstructionResolved,
    ScreenObserved,
    StateChanged,
    StepStarted,
    TurnFinished,
    TurnStarted,
    TurnState,
    UserSaid,
    Verdict,
)
from assistant.execute.app_lock import AppFence
from assistant.execute.asking import Asker, NobodyThere
from assistant.execute.budget import overspent
from assistant.execute.claims import Belief, Claims
from assistant.execute.control import Interrupted, TurnControl
from assistant.execute.deciding import Decider
from assistant.execute.guards import Risk, judge
from assistant.execute.handover import needs_user
from assistant.execute.hands import Hands
from assistant.execute.journal import Journal
from assistant.execute.loops import Advice, LoopGuard
from assistant.execute.outage import Outage
from assistant.execute.parts import TurnParts
from assistant.execute.perception import Perception
from assistant.execute.resolving import Resolver
from assistant.execute.secrets import SecretDesk
from assistant.execute.states import Signal
from assistant.execute.targets import with_target
from assistant.execute.times import StepTimes
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.model.request import ModelError, ModelUnavailable
from assistant.observations import Observation
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.records import (
    AskUser,
    Failed,
    Finished,
    Outcome,
    PressHome,
    Source,
    TakeOver,
    TypeText,
    describe,
)

_OUTCOMES = {
    TurnState.FINISHED: Outcome.SUCCESS,
    TurnState.FAILED: Outcome.FAILED,
    TurnState.CANCELLED: Outcome.CANCELLED,
}
_SIGNALS = {Outcome.SUCCESS: Signal.FINISH, Outcome.FAILED: Signal.FAIL, Outcome.CANCELLED: Signal.CANCEL}


class Turn:
    """A command under way; `run` carries it out. An `errand` only looks, and leaves nothing in the memory.

    `answer` is what was found out, or why it ended, once it has.
    """

    def __init__(
        self, parts: TurnParts, checkpoint: Checkpoint, *, continued: bool = False, errand: bool = False
    ) -> None:
        self._parts = parts
        self._phone = parts.phone
        self._continued = continued
        self._errand = errand
        self._journal = Journal(parts.store, checkpoint, stored=not errand)
        self._control = TurnControl(self._tell_state)
        self._secrets = SecretDesk(parts.secrets)
        self._decider = Decider(parts, self._journal, self._control.doing, self._secrets.names)
        self._asker = Asker(parts, self._control, checkpoint.user_id)
        self._resolver = Resolver(
            parts, self._control, self._journal, self._asker, partial(Turn, errand=True)
        )
        self._hands = Hands(parts, self._control, self._journal)
        self._outage = Outage(parts, self._control, self._journal, self._hands)
        self._perception = Perception(
            parts.phone, self._control, self._journal, self._hands, self._secrets, parts.model.glimpse
        )
        self._fence = AppFence(parts.settings.turn.app_lock, checkpoint.instruction)
        self._loops = LoopGuard()
        self._claims = Claims(confirm=parts.settings.turn.confirm)
        self._approved = False
        self._handed_over = ""
        self.answer = ""
        self._begun = time.perf_counter()
        self._worked = 0.0

    @property
    def state(self) -> TurnState:
        """Where the turn stands, or the look into an app that it has under way."""
        looking = self._resolver.errand
        return looking.state if looking and not looking.state.final else self._control.state

    @property
    def checkpoint(self) -> Checkpoint:
        """The turn as it was last stored."""
        return self._journal.kept

    def pause(self) -> None:
        """Stop after the action in flight; nothing else is sent to the phone."""
        self._active.pause()

    def resume(self) -> None:
        """Go on from a pause: look at the screen again and tell the model what changed."""
        self._active.resume()

    def cancel(self) -> None:
        """End the turn. An action in flight completes."""
        self._active.cancel()

    def say(self, text: str) -> None:
        """Tell the model something; a decision under way is made again with it."""
        self._journal.note(f"The user says: {text}")
        self._emit(UserSaid(time=self._now(), text=text))
        self._loops.forget()
        if self.state is TurnState.RUNNING and self._control.cause in (Cause.THINKING, Cause.MODEL):
            self._control.drop()

    async def run(self) -> Outcome:
        """Carry the command out to its end, whatever happens on the way."""
        kept = self.checkpoint
        self._emit(
            TurnStarted(time=self._now(), turn_id=kept.turn_id, said=kept.said, continued=self._continued)
        )
        self._journal.save()
        while not (self.state.final or await self._resolved()):
            pass
        self._hands.start()
        try:
            while not self.state.final:
                await self._advance()
            if self._errand:
                await self._leave()
        finally:
            await self._hands.stop()
            await self._give_back()
            await self._journal.settle()
        return await self._finished(_OUTCOMES[self.state])

    @property
    def _active(self) -> TurnControl:
        """What a pause and a cancel stop: the look into an app that is under way, else the turn."""
        return self._resolver.errand._active if self._resolver.errand else self._control

    async def _resolved(self) -> bool:
        """Whether it is known now what the command means; a pause or a cancel comes between."""
        try:
            if self._control.cancelling:
                self._end(Outcome.CANCELLED, "Cancelled.")
            elif self.state is TurnState.PAUSING:
                await self._control.stay_paused()
            else:
                await self._resolver.find()
                self._begin_steps()
                return True
        except Interrupted:
            return False
        return False

    def _begin_steps(self) -> None:
        instruction = self.checkpoint.instruction
        self._fence = AppFence(self._parts.settings.turn.app_lock, instruction)
        self._emit(InstructionResolved(time=self._now(), instruction=instruction))
        if self.state is TurnState.RESOLVING:
            self._control.follow(Signal.RESOLVED, Cause.OBSERVING)

    async def _advance(self) -> None:
        try:
            if self._control.cancelling:
                self._end(Outcome.CANCELLED, "Cancelled.")
            elif self._hands.left:
                self._end(Outcome.FAILED, self._hands.left)
            elif self.state is TurnState.PAUSING:
                await self._stay_paused()
            elif self._hands.pressed_power:
                self._still_away(await self._outage.look_at_power())
            else:
                await self._step(self._journal.next_step)
        except Interrupted:
            return
        except PhoneError as error:
            self._still_away(await self._outage.wait(error))
        except ModelUnavailable as error:
            self._decider.count(error.usage)
            self._hold_or_fail(Cause.MODEL, f"{error} Press F5 to try again.", str(error))
        except ModelError as error:
            self._decider.count(error.usage)
            self._end(Outcome.FAILED, str(error))

    async def _step(self, number: int) -> None:
        if spent := overspent(self._parts.settings.turn, self.checkpoint, self._worked):
            self._end(Outcome.FAILED, spent)
            return
        times = StepTimes(self._phone, self._parts.model)
        self._emit(StepStarted(time=self._now(), step=number))
        self._control.doing(Cause.OBSERVING)
        seen = await self._perception.look()
        self._fence.arrived(seen.app, invited=self._approved)
        self._approved = False
        self._emit(ScreenObserved(time=self._now(), step=number, app=seen.app, observation=seen))
        if self._hand_over(seen):
            return
        self._control.doing(Cause.THINKING)
        decision = await self._control.droppable(self._decider.decide(number, seen, times))
        action = with_target(decision.action, seen)
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
                await self._act(step, risk, seen, times)

    async def _act(self, step: StoredStep, risk: Risk | None, seen: Observation, times: StepTimes) -> None:
        """Do what was decided, unless it leads nowhere, leaves the task's apps, or is not allowed."""
        if refusal := self._fence.refusal(step.action, seen.app):
            self._refuse(step, refusal, times)
            return
        verdict = self._loops.choose(self._perception.screen, step.action)
        if verdict.advice is Advice.STOP:
            self._refuse(step, "it leads nowhere", times)
            self._loops.forget()
            hint = "Say what to do instead, or do it on the phone, then press F5."
            self._hold_or_fail(Cause.LOOP, f"{verdict.sentence} {hint}", verdict.sentence)
            return
        if verdict.advice is Advice.WARN:
            self._journal.note_once(verdict.sentence)
        if risk and self._errand:
            self._refuse(step, "a look into an app changes nothing there", times)
        elif risk is None or await self._allowed(step, risk, seen, times):
            self._approved = risk is not None
            await self._perform(step, seen, times)

    async def _allowed(self, step: StoredStep, risk: Risk, seen: Observation, times: StepTimes) -> bool:
        try:
            approval = await self._asker.approval(step, risk, seen, times)
        except NobodyThere as nobody:
            self._step_over(step.refused("nobody is there to approve it"), times)
            self._end(Outcome.FAILED, str(nobody))
            return False
        if approval.verdict not in (Verdict.NO, Verdict.INSTEAD):
            return True
        if approval.verdict is Verdict.INSTEAD:
            self._journal.note(f"The user says: {approval.words}")
        self._refuse(step, "the user did not allow it", times)
        if approval.verdict is Verdict.NO:
            what = describe(step.action)
            sentence = f"Not done: {what}. Say what to do instead and press F5, or press Escape to end."
            self._control.hold(Cause.USER_PAUSED, sentence)
        return False

    async def _ask(self, step: StoredStep, question: str, times: StepTimes) -> None:
        try:
            words = await self._asker.answer(step, question, times)
        except NobodyThere as nobody:
            self._step_over(step, times)
            self._end(Outcome.FAILED, str(nobody))
            return
        self._step_over(step, times)
        self._loops.forget()
        self._journal.note(f"The user was asked “{question}” and answered: {words}")
        self._journal.keep(step)

    def _refuse(self, step: StoredStep, reason: str, times: StepTimes) -> None:
        refused = step.refused(reason)
        self._step_over(refused, times)
        self._journal.keep(refused)

    async def _perform(self, step: StoredStep, seen: Observation, times: StepTimes) -> None:
        self._control.doing(Cause.ACTING)
        try:
            action = step.action
            if isinstance(action, TypeText):
                action = self._secrets.fill(action, seen)
            await self._control.droppable(self._phone.perform(action, seen), stop=self._phone.hold)
        except ActionRefused as refusal:
            step = step.refused(str(refusal))
        except Interrupted:
            step = step.refused("interrupted before it began")
        except PhoneError:
            step = step.refused("the phone was lost; it may have happened all the same")
            raise
        finally:
            if not step.error:
                self._perception.acted(step.action)
            self._step_over(step, times)
            self._journal.keep(step)

    def _weigh(self, answer: str) -> None:
        kept = self.checkpoint
        belief, sentence = self._claims.weigh(kept.instruction, kept.steps, answer)
        match belief:
            case Belief.LOOK_AGAIN:
                self._journal.note_once(sentence)
            case Belief.DOUBTED:
                self._end(Outcome.FAILED, sentence)
            case Belief.BELIEVED:
                self._end(Outcome.SUCCESS, sentence)

    def _hand_over(self, seen: Observation) -> bool:
        """Leave a login, a code or a captcha to the user, once for each such page."""
        why = needs_user(seen, self.checkpoint.instruction, secrets=bool(self._secrets.names))
        if not why:
            self._handed_over = ""
            return False
        page = f"{seen.app.package} {seen.app.activity} {why}"
        if page == self._handed_over:
            return False
        self._handed_over = page
        self._hold_or_fail(Cause.HANDED_OVER, f"{why} Do it on the phone, then press F5.", why)
        return True

    async def _stay_paused(self) -> None:
        await self._give_back()
        self._perception.paused()
        self._journal.save()
        await self._hands.while_paused(self._control.stay_paused(), self._perception.seen)
        self._loops.forget()

    async def _leave(self) -> None:
        """After a look into an app: go home, so that the turn does not begin in that app."""
        if self._perception.seen is not None and self.state is not TurnState.CANCELLED:
            with suppress(PhoneError, ActionRefused):
                await self._phone.perform(PressHome(), self._perception.seen)

    async def _give_back(self) -> None:
        """Restore the user's keyboard; a phone out of reach gets it back when it is next connected."""
        with suppress(PhoneError):
            await self._phone.release()

    async def _finished(self, outcome: Outcome) -> Outcome:
        seconds = time.perf_counter() - self._begun
        await self._journal.finish(outcome, seconds)
        kept = self.checkpoint
        self._emit(
            TurnFinished(
                time=self._now(),
                turn_id=kept.turn_id,
                outcome=outcome,
                answer=self.answer,
                steps=len(kept.steps),
                usage=kept.usage,
                seconds=seconds,
                cost=kept.cost,
            )
        )
        return outcome

    def _tell_state(self, state: TurnState, cause: Cause, sentence: str) -> None:
        self._emit(StateChanged(time=self._now(), state=state, cause=cause, sentence=sentence))

    def _hold_or_fail(self, cause: Cause, sentence: str, reason: str) -> None:
        """Pause where a person can mend it and go on, fail where nobody is there."""
        if self._parts.attended:
            self._control.hold(cause, sentence)
        else:
            self._end(Outcome.FAILED, reason)

    def _still_away(self, why: str) -> None:
        if why:
            self._hold_or_fail(Cause.PHONE, f"{why} Then press F5.", why)

    def _end(self, outcome: Outcome, answer: str) -> None:
        self.answer = answer
        self._control.follow(_SIGNALS[outcome], Cause.DONE, answer)

    def _step_over(self, step: StoredStep, times: StepTimes) -> None:
        finished = times.finished(step, self._now())
        self._worked += finished.seconds
        self._emit(finished)

    def _now(self) -> datetime:
        return self._parts.now()

    def _emit(self, event: Event) -> None:
        self._parts.emit(event)
