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
    StepRetold,
    StepStarted,
    SuggestionTaken,
    TurnFinished,
    TurnStarted,
    TurnState,
    UserSaid,
    WordsRetold,
)
from assistant.execute.acting import Acting
from assistant.execute.app_lock import AppFence
from assistant.execute.asking import Asker
from assistant.execute.budget import overspent
from assistant.execute.claims import Belief, Claims
from assistant.execute.control import Interrupted, TurnControl
from assistant.execute.course import Course
from assistant.execute.deciding import Decider
from assistant.execute.guards import judge
from assistant.execute.handover import needs_user
from assistant.execute.hands import Hands
from assistant.execute.journal import Journal
from assistant.execute.loops import LoopGuard
from assistant.execute.outage import Outage
from assistant.execute.parts import TurnParts
from assistant.execute.perception import Perception
from assistant.execute.resolving import Resolver
from assistant.execute.secrets import SecretDesk
from assistant.execute.states import Signal
from assistant.execute.targets import with_target
from assistant.execute.times import StepTimes
from assistant.language import _
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
)

_OUTCOMES = {
    TurnState.FINISHED: Outcome.SUCCESS,
    TurnState.FAILED: Outcome.FAILED,
    TurnState.CANCELLED: Outcome.CANCELLED,
}


class Turn:
    """A command under way; `run` carries it out. An `errand` only looks, and leaves nothing in the memory."""

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
        self._course = Course(parts, self._control, self._journal)
        self._acting = Acting(
            phone=parts.phone,
            control=self._control,
            course=self._course,
            journal=self._journal,
            asker=self._asker,
            perception=self._perception,
            secrets=self._secrets,
            fence=AppFence(parts.settings.turn.app_lock, checkpoint.instruction),
            loops=LoopGuard(),
            errand=errand,
        )
        self._claims = Claims(confirm=parts.settings.turn.confirm)
        self._handed_over = ""
        self._begun = time.perf_counter()

    @property
    def state(self) -> TurnState:
        """Where the turn stands, or the look into an app that it has under way."""
        looking = self._resolver.errand
        return looking.state if looking and not looking.state.final else self._control.state

    @property
    def answer(self) -> str:
        """What was found out, or why the turn ended, once it has."""
        return self._course.answer

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
        """Tell the model something; a decision under way is made again with it. Too late once it is over."""
        if self.state.final:
            return
        self._journal.heard(text)
        self._emit(UserSaid(time=self._now(), text=text))
        self._acting.loops.forget()
        if self.state is TurnState.RUNNING and self._control.cause in (Cause.THINKING, Cause.MODEL):
            self._control.drop()

    async def run(self) -> Outcome:
        """Carry the command out to its end, whatever happens on the way."""
        kept = self.checkpoint
        self._emit(
            TurnStarted(time=self._now(), turn_id=kept.turn_id, said=kept.said, continued=self._continued)
        )
        if (taken := kept.suggested) is not None:
            self._emit(SuggestionTaken(time=self._now(), **taken.model_dump()))
        if self._continued:
            self._retell()
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
                self._course.end(Outcome.CANCELLED, _("Cancelled."))
            elif self.state is TurnState.PAUSING:
                await self._control.stay_paused()
            else:
                await self._resolver.find()
                self._begin_steps()
                return True
        except Interrupted:
            return False
        return False

    def _retell(self) -> None:
        """Tell what was done and said before the program was killed."""
        kept, now = self.checkpoint, self._now()
        for number in range(len(kept.steps) + 1):
            for remark in kept.remarks:
                if remark.after == number:
                    self._emit(WordsRetold(time=now, text=remark.text, after=number))
            for step in kept.steps[number : number + 1]:
                self._emit(
                    StepRetold(
                        time=now, step=step.number, action=step.action, source=step.source, error=step.error
                    )
                )

    def _begin_steps(self) -> None:
        instruction = self.checkpoint.instruction
        self._acting.fence = AppFence(self._parts.settings.turn.app_lock, instruction)
        self._emit(InstructionResolved(time=self._now(), instruction=instruction))
        if self.state is TurnState.RESOLVING:
            self._control.follow(Signal.RESOLVED, Cause.OBSERVING)

    async def _advance(self) -> None:
        try:
            if self._control.cancelling:
                self._course.end(Outcome.CANCELLED, _("Cancelled."))
            elif self._hands.left:
                self._course.end(Outcome.FAILED, self._hands.left)
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
            self._course.hold_or_fail(
                Cause.MODEL, _("{error} Press F5 to try again.").format(error=error), str(error)
            )
        except ModelError as error:
            self._decider.count(error.usage)
            self._course.end(Outcome.FAILED, str(error))

    async def _step(self, number: int) -> None:
        if spent := overspent(self._parts.settings.turn, self.checkpoint, self._course.worked):
            self._course.end(Outcome.FAILED, spent)
            return
        times = StepTimes(self._phone, self._parts.model)
        self._emit(StepStarted(time=self._now(), step=number))
        self._control.doing(Cause.OBSERVING)
        seen = await self._perception.look()
        self._acting.arrived(seen)
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
                self._course.step_over(step, times)
                self._weigh(answer)
            case Failed(reason=reason):
                self._course.step_over(step, times)
                self._course.end(Outcome.FAILED, reason or _("The model gives up and does not say why."))
            case AskUser(question=question):
                await self._acting.ask(step, question, times)
            case TakeOver(reason=reason):
                self._journal.keep(step)
                self._course.step_over(step, times)
                sentence = reason or _("This needs your own hand.")
                self._course.hold_or_fail(
                    Cause.HANDED_OVER,
                    _("{sentence} Do it on the phone, then press F5.").format(sentence=sentence),
                    sentence,
                )
            case _:
                await self._acting.act(step, risk, seen, times)

    def _weigh(self, answer: str) -> None:
        kept = self.checkpoint
        belief, sentence = self._claims.weigh(kept.instruction, kept.steps, answer)
        match belief:
            case Belief.LOOK_AGAIN:
                self._journal.note_once(sentence)
            case Belief.DOUBTED:
                self._course.end(Outcome.FAILED, sentence)
            case Belief.BELIEVED:
                self._course.end(Outcome.SUCCESS, sentence)

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
        self._course.hold_or_fail(
            Cause.HANDED_OVER, _("{why} Do it on the phone, then press F5.").format(why=why), why
        )
        return True

    async def _stay_paused(self) -> None:
        await self._give_back()
        self._perception.paused()
        self._journal.save()
        await self._hands.while_paused(self._control.stay_paused(), self._perception.seen)
        self._acting.loops.forget()

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
        await self._journal.finish(outcome, seconds, self.answer)
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
                waited=self._control.waited,
            )
        )
        return outcome

    def _tell_state(self, state: TurnState, cause: Cause, sentence: str) -> None:
        self._emit(StateChanged(time=self._now(), state=state, cause=cause, sentence=sentence))

    def _still_away(self, why: str) -> None:
        if why:
            self._course.hold_or_fail(Cause.PHONE, _("{why} Then press F5.").format(why=why), why)

    def _now(self) -> datetime:
        return self._parts.now()

    def _emit(self, event: Event) -> None:
        self._parts.emit(event)
