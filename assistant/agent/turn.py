"""One turn: observe, decide, approve, act, until the command is done, fails, or the user cancels it.

`pause`, `resume`, `cancel` and `say` may be called at any time on the event loop's thread and take effect
at once: the operation under way is dropped, and nothing more is sent to the phone.
"""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import datetime
from functools import partial

from assistant.agent.checkpoint import Journal
from assistant.agent.context import Resolver
from assistant.agent.secret_entry import SecretDesk
from assistant.agent.stop_checks import LoopGuard
from assistant.agent.turn_control import Interrupted, TurnControl
from assistant.agent.user_prompts import Asker
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
from assistant.execute.budget import find_exceeded_limit
from assistant.execute.claims import Belief, Claims
from assistant.execute.course import Course
from assistant.execute.deciding import Decider
from assistant.execute.handover import manual_step_required
from assistant.execute.hands import Hands
from assistant.execute.outage import Outage
from assistant.execute.parts import TurnParts
from assistant.execute.perception import Perception
from assistant.execute.states import Signal
from assistant.execute.targets import with_target
from assistant.execute.times import StepTimes
from assistant.i18n import _
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.model.request import ModelError, ModelUnavailable
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.records import (
    AskUser,
    Failed,
    Finished,
    Observation,
    Outcome,
    PressHome,
    Source,
    TakeOver,
)
from assistant.safety.classifier import judge

_OUTCOMES = {
    TurnState.FINISHED: Outcome.SUCCESS,
    TurnState.FAILED: Outcome.FAILED,
    TurnState.CANCELLED: Outcome.CANCELLED,
}


class Turn:
    """Executes one command.

    Args:
        context: phone, model, store and settings.
        checkpoint: the turn so far.
        continued: whether an interrupted turn is continued.
        read_only: the turn of a lookup: no sensitive actions, nothing is stored.
    """

    def __init__(
        self, context: TurnParts, checkpoint: Checkpoint, *, continued: bool = False, read_only: bool = False
    ) -> None:
        self._context = context
        self._phone = context.phone
        self._continued = continued
        self._read_only = read_only
        self._checkpointer = Journal(context.store, checkpoint, stored=not read_only)
        self._control = TurnControl(self._emit_state)
        self._secrets = SecretDesk(context.secrets)
        self._action_selector = Decider(
            context, self._checkpointer, self._control.set_cause, self._secrets.names
        )
        self._prompter = Asker(context, self._control, checkpoint.user_id)
        self._resolver = Resolver(
            context, self._control, self._checkpointer, self._prompter, partial(Turn, read_only=True)
        )
        self._takeover = Hands(context, self._control, self._checkpointer)
        self._phone_recovery = Outage(context, self._control, self._checkpointer, self._takeover)
        self._observer = Perception(
            context.phone,
            self._control,
            self._checkpointer,
            self._takeover,
            self._secrets,
            context.model.glimpse,
        )
        self._lifecycle = Course(context, self._control, self._checkpointer)
        self._executor = Acting(
            phone=context.phone,
            control=self._control,
            lifecycle=self._lifecycle,
            checkpointer=self._checkpointer,
            prompter=self._prompter,
            observer=self._observer,
            secrets=self._secrets,
            fence=AppFence(context.settings.turn.app_lock, checkpoint.instruction),
            loop_detector=LoopGuard(),
            read_only=read_only,
        )
        self._completion_verifier = Claims(confirm=context.settings.turn.confirm)
        self._handed_over_page = ""
        self._started_at = time.perf_counter()

    @property
    def state(self) -> TurnState:
        """The state of the turn, or of its lookup under way."""
        lookup = self._resolver.lookup_turn
        return lookup.state if lookup and not lookup.state.final else self._control.state

    @property
    def answer(self) -> str:
        """The result, or why the turn ended; empty before its end."""
        return self._lifecycle.answer

    @property
    def checkpoint(self) -> Checkpoint:
        """The turn so far."""
        return self._checkpointer.checkpoint

    def pause(self) -> None:
        """Pause after the action in progress; nothing else is sent to the phone."""
        self._active_control.pause()

    def resume(self) -> None:
        """Continue after a pause: observe the screen again and tell the model what changed."""
        self._active_control.resume()

    def cancel(self) -> None:
        """End the turn. An action in progress completes."""
        self._active_control.cancel()

    def say(self, text: str) -> None:
        """Send the model a message; a decision under way is made again with it. Ignored after the end."""
        if self.state.final:
            return
        self._checkpointer.add_user_words(text)
        self._emit(UserSaid(time=self._now(), text=text))
        self._executor.loop_detector.reset()
        if self.state is TurnState.RUNNING and self._control.cause in (Cause.THINKING, Cause.MODEL):
            self._control.interrupt()

    async def run(self) -> Outcome:
        """Run the turn to its end and store its record."""
        checkpoint = self.checkpoint
        self._emit(
            TurnStarted(
                time=self._now(), turn_id=checkpoint.turn_id, said=checkpoint.said, continued=self._continued
            )
        )
        if (suggestion := checkpoint.suggested) is not None:
            self._emit(SuggestionTaken(time=self._now(), **suggestion.model_dump()))
        if self._continued:
            self._emit_past_steps()
        self._checkpointer.save()
        while not (self.state.final or await self._resolve()):
            pass
        self._takeover.start()
        try:
            while not self.state.final:
                await self._advance()
            if self._read_only:
                await self._go_home()
        finally:
            await self._takeover.stop()
            await self._restore_keyboard()
            await self._checkpointer.wait_until_stored()
        return await self._finish(_OUTCOMES[self.state])

    @property
    def _active_control(self) -> TurnControl:
        """The control of the lookup under way, otherwise of the turn: what a pause or cancel applies to."""
        return self._resolver.lookup_turn._active_control if self._resolver.lookup_turn else self._control

    async def _resolve(self) -> bool:
        """Resolve the command; whether that is done. False after a pause or cancel: call it again."""
        try:
            if self._control.cancelling:
                self._lifecycle.end(Outcome.CANCELLED, _("Cancelled."))
            elif self.state is TurnState.PAUSING:
                await self._control.wait_until_resumed()
            else:
                await self._resolver.resolve()
                self._begin_steps()
                return True
        except Interrupted:
            return False
        return False

    def _emit_past_steps(self) -> None:
        """Emit the steps and messages stored before the turn was interrupted."""
        checkpoint, now = self.checkpoint, self._now()
        for number in range(len(checkpoint.steps) + 1):
            for remark in checkpoint.remarks:
                if remark.after == number:
                    self._emit(WordsRetold(time=now, text=remark.text, after=number))
            for step in checkpoint.steps[number : number + 1]:
                self._emit(
                    StepRetold(
                        time=now, step=step.number, action=step.action, source=step.source, error=step.error
                    )
                )

    def _begin_steps(self) -> None:
        instruction = self.checkpoint.instruction
        self._executor.fence = AppFence(self._context.settings.turn.app_lock, instruction)
        self._emit(InstructionResolved(time=self._now(), instruction=instruction))
        if self.state is TurnState.RESOLVING:
            self._control.apply_signal(Signal.RESOLVED, Cause.OBSERVING)

    async def _advance(self) -> None:
        try:
            if self._control.cancelling:
                self._lifecycle.end(Outcome.CANCELLED, _("Cancelled."))
            elif self._takeover.stop_reason:
                self._lifecycle.end(Outcome.FAILED, self._takeover.stop_reason)
            elif self.state is TurnState.PAUSING:
                await self._stay_paused()
            elif self._takeover.power_pressed:
                self._pause_for_phone(await self._phone_recovery.wait_after_power_button())
            else:
                await self._step(self._checkpointer.next_step)
        except Interrupted:
            return
        except PhoneError as error:
            self._pause_for_phone(await self._phone_recovery.wait(error))
        except ModelUnavailable as error:
            self._action_selector.count_usage(error.usage)
            self._lifecycle.pause_or_fail(
                Cause.MODEL, _("{error} Press F5 to try again.").format(error=error), str(error)
            )
        except ModelError as error:
            self._action_selector.count_usage(error.usage)
            self._lifecycle.end(Outcome.FAILED, str(error))

    async def _step(self, number: int) -> None:
        if exceeded_limit := find_exceeded_limit(
            self._context.settings.turn, self.checkpoint, self._lifecycle.work_seconds
        ):
            self._lifecycle.end(Outcome.FAILED, exceeded_limit)
            return
        times = StepTimes(self._phone, self._context.model)
        self._emit(StepStarted(time=self._now(), step=number))
        self._control.set_cause(Cause.OBSERVING)
        observation = await self._observer.observe()
        self._executor.screen_changed(observation)
        self._emit(
            ScreenObserved(time=self._now(), step=number, app=observation.app, observation=observation)
        )
        if self._hand_over(observation):
            return
        self._control.set_cause(Cause.THINKING)
        decision = await self._control.run_cancellable(
            self._action_selector.decide(number, observation, times)
        )
        action = with_target(decision.action, observation)
        self._emit(ActionChosen(time=self._now(), step=number, action=action, source=Source.MODEL))
        risk = judge(action, observation)
        step = StoredStep(
            number=number,
            action=action,
            thought=decision.thought,
            app=observation.app.name,
            package=observation.app.package,
            kind=risk.kind if risk else None,
        )
        match action:
            case Finished(answer=answer):
                self._lifecycle.finish_step(step, times)
                self._verify_completion(answer)
            case Failed(reason=reason):
                self._lifecycle.finish_step(step, times)
                self._lifecycle.end(Outcome.FAILED, reason or _("The model gives up and does not say why."))
            case AskUser(question=question):
                await self._executor.ask_user(step, question, times)
            case TakeOver(reason=reason):
                self._checkpointer.add_step(step)
                self._lifecycle.finish_step(step, times)
                sentence = reason or _("This needs your own hand.")
                self._lifecycle.pause_or_fail(
                    Cause.HANDED_OVER,
                    _("{sentence} Do it on the phone, then press F5.").format(sentence=sentence),
                    sentence,
                )
            case _:
                await self._executor.execute(step, risk, observation, times)

    def _verify_completion(self, answer: str) -> None:
        checkpoint = self.checkpoint
        verification, sentence = self._completion_verifier.verify(
            checkpoint.instruction, checkpoint.steps, answer
        )
        match verification:
            case Belief.LOOK_AGAIN:
                self._checkpointer.add_transient_notes(sentence)
            case Belief.DOUBTED:
                self._lifecycle.end(Outcome.FAILED, sentence)
            case Belief.BELIEVED:
                self._lifecycle.end(Outcome.SUCCESS, sentence)

    def _hand_over(self, observation: Observation) -> bool:
        """Hand a login, code or captcha page over to the user, once for each page; whether it did."""
        reason = manual_step_required(
            observation, self.checkpoint.instruction, has_secrets=bool(self._secrets.names)
        )
        if not reason:
            self._handed_over_page = ""
            return False
        page = f"{observation.app.package} {observation.app.activity} {reason}"
        if page == self._handed_over_page:
            return False
        self._handed_over_page = page
        self._lifecycle.pause_or_fail(
            Cause.HANDED_OVER, _("{why} Do it on the phone, then press F5.").format(why=reason), reason
        )
        return True

    async def _stay_paused(self) -> None:
        await self._restore_keyboard()
        self._observer.start_pause()
        self._checkpointer.save()
        await self._takeover.record_during_pause(
            self._control.wait_until_resumed(), self._observer.observation
        )
        self._executor.loop_detector.reset()

    async def _go_home(self) -> None:
        """Press Home after a lookup, so that the turn does not start in the app of the lookup."""
        if self._observer.observation is not None and self.state is not TurnState.CANCELLED:
            with suppress(PhoneError, ActionRefused):
                await self._phone.perform(PressHome(), self._observer.observation)

    async def _restore_keyboard(self) -> None:
        """Restore the user's keyboard; on a phone that is not reachable, when it is connected again."""
        with suppress(PhoneError):
            await self._phone.release()

    async def _finish(self, outcome: Outcome) -> Outcome:
        seconds = time.perf_counter() - self._started_at
        await self._checkpointer.finish(outcome, seconds, self.answer)
        checkpoint = self.checkpoint
        self._emit(
            TurnFinished(
                time=self._now(),
                turn_id=checkpoint.turn_id,
                outcome=outcome,
                answer=self.answer,
                steps=len(checkpoint.steps),
                usage=checkpoint.usage,
                seconds=seconds,
                cost=checkpoint.cost,
                waited=self._control.waited_seconds,
            )
        )
        return outcome

    def _emit_state(self, state: TurnState, cause: Cause, sentence: str) -> None:
        self._emit(StateChanged(time=self._now(), state=state, cause=cause, sentence=sentence))

    def _pause_for_phone(self, reason: str) -> None:
        if reason:
            self._lifecycle.pause_or_fail(Cause.PHONE, _("{why} Then press F5.").format(why=reason), reason)

    def _now(self) -> datetime:
        return self._context.now()

    def _emit(self, event: Event) -> None:
        self._context.emit(event)
