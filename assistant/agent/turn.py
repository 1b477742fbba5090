"""One turn: observe, decide, approve, act, until the command is done, fails, or the user cancels it.

`pause`, `resume`, `cancel` and `say` may be called at any time on the event loop's thread and take effect
at once: the operation under way is dropped, and nothing more is sent to the phone.

Executes the action of a step, unless it is a loop, leaves the task's apps, or is not approved.

Observes the screen: hides secrets, identifies the screen, and notes for the model what changed.

Asks the model for the next action, and emits its thoughts while they stream.

The lifecycle of a turn: ending steps, pausing when the user can help, and ending the turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from assistant.agent.checkpoint import StepTimes, TurnCheckpointer
from assistant.agent.context import TurnCommandResolver, TurnContext
from assistant.agent.screen_elements import describe_changes, with_target
from assistant.agent.secret_entry import SecretInjector, format_secret_note
from assistant.agent.stop_checks import (
    AppRestriction,
    CompletionVerifier,
    LoopAdvice,
    LoopDetector,
    ScreenNames,
    UsageTracker,
    Verification,
    describe_no_effect,
    find_exceeded_limit,
    manual_step_required,
)
from assistant.agent.takeover import PhoneRecovery, TakeoverController
from assistant.agent.turn_control import Interrupted, Signal, TurnControl
from assistant.agent.user_prompts import Unattended, UserPrompter
from assistant.events import (
    ActionChosen,
    Cause,
    Event,
    InstructionResolved,
    ModelRetrying,
    ReplyMalformed,
    ScreenObserved,
    StateChanged,
    StepRetold,
    StepStarted,
    SuggestionTaken,
    ThoughtStreamed,
    TurnFinished,
    TurnStarted,
    TurnState,
    UserSaid,
    Verdict,
    WordsRetold,
)
from assistant.i18n import _, later
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.model.types import (
    Decision,
    Malformed,
    ModelError,
    ModelUnavailable,
    Retrying,
    StepRequest,
    Thought,
)
from assistant.phone.device import Phone
from assistant.phone.errors import ActionRefused, PhoneError, Refusal
from assistant.phone.screen import Glimpse
from assistant.records import (
    Action,
    AskUser,
    Cost,
    Failed,
    Finished,
    Observation,
    Outcome,
    PressHome,
    Source,
    TakeOver,
    TypeText,
    Usage,
    shown,
)
from assistant.safety.classifier import Risk, judge


class ScreenObserver:
    """Observes the phone's screen.

    Attributes:
        observation: the latest observation.
        screen_id: the id of its screen, by `Screens.identify`.
    """

    def __init__(
        self,
        phone: Phone,
        control: TurnControl,
        checkpointer: TurnCheckpointer,
        takeover: TakeoverController,
        secrets: SecretInjector,
        glimpse: Glimpse,
    ) -> None:
        self.observation: Observation | None = None
        self.screen_id = ""
        self._phone = phone
        self._glimpse = glimpse
        self._control = control
        self._checkpointer = checkpointer
        self._takeover = takeover
        self._secrets = secrets
        self._screens = ScreenNames()
        self._last_action: tuple[Action, str] | None = None
        self._before_pause: Observation | None = None

    async def observe(self) -> Observation:
        """The screen, once it has settled. Adds a note for the model about what changed.

        Raises:
            PhoneError: the phone cannot be used.
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        self._phone.let_go()
        observation = await self._secrets.hide_secrets(
            await self._control.run_cancellable(self._phone.observe(self._glimpse))
        )
        self.screen_id = await self._screens.identify(observation)
        if self._before_pause is not None:
            if user_actions := self._takeover.describe_user_actions(observation):
                self._checkpointer.add_transient_notes(user_actions)
            self._checkpointer.add_transient_notes(*describe_changes(self._before_pause, observation))
        elif self._last_action is not None and (
            no_effect := describe_no_effect(*self._last_action, self.screen_id)
        ):
            self._checkpointer.add_transient_notes(no_effect)
        self._before_pause = self._last_action = None
        self.observation = observation
        return observation

    def set_last_action(self, action: Action) -> None:
        """Remember the action executed on the latest screen."""
        self._last_action = (action, self.screen_id)

    def start_pause(self) -> None:
        """Remember the screen before a pause; the next observation is compared with it."""
        self._before_pause = self.observation
        self._last_action = None


class ActionSelector:
    """Asks the model what to do on a screen.

    Args:
        context: phone, model, store and settings of the turn.
        checkpointer: the turn so far.
        set_cause: called with `Cause.THINKING`, or `Cause.MODEL` while a request is being repeated.
        secret_names: the secrets that the model may refer to.
    """

    def __init__(
        self,
        context: TurnContext,
        checkpointer: TurnCheckpointer,
        set_cause: Callable[[Cause], None],
        secret_names: Collection[str] = (),
    ) -> None:
        self._context = context
        self._checkpointer = checkpointer
        self._set_cause = set_cause
        self._secret_notes = [format_secret_note(secret_names)] if secret_names else []
        self._usage_tracker = UsageTracker(
            context.store.ledger, checkpointer, context.model, context.settings, context.now
        )

    async def decide(self, number: int, observation: Observation, times: StepTimes) -> Decision:
        """The model's decision for a step. Stores the observation.

        Raises:
            ModelError: the model gave no valid decision.
        """
        request = StepRequest(
            instruction=self._checkpointer.checkpoint.instruction,
            observation=observation,
            history=self._checkpointer.history(self._context.settings.turn.history_steps),
            notes=(*self._checkpointer.notes(), *self._secret_notes),
        )
        replies = self._context.model.decide(request)
        emit, now = self._context.emit, self._context.now
        try:
            async for reply in replies:
                self._set_cause(Cause.MODEL if isinstance(reply, Retrying) else Cause.THINKING)
                match reply:
                    case Thought(text=text):
                        emit(ThoughtStreamed(time=now(), step=number, text=text))
                    case Retrying(attempt=attempt, delay=delay, reason=reason):
                        emit(ModelRetrying(time=now(), attempt=attempt, delay=delay, reason=reason))
                    case Malformed(attempt=attempt, reason=reason):
                        emit(ReplyMalformed(time=now(), step=number, attempt=attempt, reason=reason))
                    case Decision():
                        self._checkpointer.clear_transient_notes()
                        cost = self.count_usage(reply.usage, reply.seconds_to_first_token)
                        times.set_decision_usage(reply.usage, reply.seconds_to_first_token, cost)
                        return reply
            raise ModelUnavailable(_("The model's reply ends without an action."))
        finally:
            await replies.aclose()
            self._checkpointer.store_observation(number, observation)

    def count_usage(self, usage: Usage, seconds_to_first_token: float | None = None) -> Cost | None:
        """Add the usage of a request and emit the new totals; its cost if the price is known."""
        cost, event = self._usage_tracker.count(self._checkpointer.next_step, usage, seconds_to_first_token)
        self._context.emit(event)
        return cost


_SIGNALS = {Outcome.SUCCESS: Signal.FINISH, Outcome.FAILED: Signal.FAIL, Outcome.CANCELLED: Signal.CANCEL}


class TurnLifecycle:
    """Ends steps and the turn.

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

    def end(self, outcome: Outcome, answer: str) -> None:
        """End the turn."""
        self.answer = answer
        self._control.apply_signal(_SIGNALS[outcome], Cause.DONE, answer)

    def pause_or_fail(self, cause: Cause, sentence: str, reason: str) -> None:
        """Pause so that the user can fix the problem and resume; fail if no user is present.

        Args:
            cause: why the turn pauses.
            sentence: what the user is told, including what to do.
            reason: why the turn failed.
        """
        if self._context.attended:
            self._control.begin_pause(cause, sentence)
        else:
            self.end(Outcome.FAILED, reason)

    def finish_step(self, step: StoredStep, times: StepTimes) -> None:
        """Emit the event that ends a step, with its durations."""
        finished = times.finish(step, self._context.now())
        self.work_seconds += finished.seconds
        self._context.emit(finished)

    def refuse_step(self, step: StoredStep, reason: str, times: StepTimes) -> None:
        """End a step without executing its action; the model is told the reason."""
        refused = step.refused(reason)
        self._checkpointer.add_step(refused)
        self.finish_step(refused, times)


@dataclass(slots=True)
class ActionExecutor:
    """Executes the actions of one turn.

    Attributes:
        fence: refuses actions outside the apps of the task.
        loop_detector: warns of loops and stops the turn in one.
        read_only: refuse every sensitive action; set for the turn of a lookup in an app.
        last_action_approved: whether the user approved the latest action. It may open another app.
    """

    phone: Phone
    control: TurnControl
    lifecycle: TurnLifecycle
    checkpointer: TurnCheckpointer
    prompter: UserPrompter
    observer: ScreenObserver
    secrets: SecretInjector
    fence: AppRestriction
    loop_detector: LoopDetector
    read_only: bool = False
    last_action_approved: bool = False

    def screen_changed(self, observation: Observation) -> None:
        """Tell the app restriction which app the latest action led to."""
        self.fence.enter_app(observation.app, approved=self.last_action_approved)
        self.last_action_approved = False

    async def execute(
        self, step: StoredStep, risk: Risk | None, observation: Observation, times: StepTimes
    ) -> None:
        """Execute a step's action, or refuse it with a reason.

        Raises:
            PhoneError: the connection to the phone was lost.
            Interrupted: the turn was paused or cancelled before the action was approved.
        """
        if refusal := self.fence.find_refusal(step.action, observation.app):
            self.lifecycle.refuse_step(step, refusal, times)
            return
        verdict = self.loop_detector.check(self.observer.screen_id, step.action)
        if verdict.advice is LoopAdvice.STOP:
            self.lifecycle.refuse_step(step, later("it leads nowhere"), times)
            self.loop_detector.reset()
            hint = _("Say what to do instead, or do it on the phone, then press F5.")
            self.lifecycle.pause_or_fail(Cause.LOOP, f"{verdict.sentence} {hint}", verdict.sentence)
            return
        if verdict.advice is LoopAdvice.WARN:
            self.checkpointer.add_transient_notes(verdict.sentence)
        if risk and self.read_only:
            self.lifecycle.refuse_step(step, later("a look into an app changes nothing there"), times)
        elif risk is None or await self._get_approval(step, risk, observation, times):
            self.last_action_approved = risk is not None
            await self._perform(step, observation, times)

    async def ask_user(self, step: StoredStep, question: str, times: StepTimes) -> None:
        """Ask the user the model's question, and add the answer to the turn's notes.

        Raises:
            Interrupted: the turn was paused or cancelled before the answer.
        """
        try:
            answer = await self.prompter.ask_question(step, question, times)
        except Unattended as error:
            self.lifecycle.finish_step(step, times)
            self.lifecycle.end(Outcome.FAILED, str(error))
            return
        self.checkpointer.add_step(step)
        self.checkpointer.add_user_words(answer, f"The user was asked “{question}” and answered: {answer}")
        self.lifecycle.finish_step(step, times)
        self.loop_detector.reset()

    async def _get_approval(
        self, step: StoredStep, risk: Risk, observation: Observation, times: StepTimes
    ) -> bool:
        try:
            approval = await self.prompter.ask_approval(step, risk, observation, times)
        except Unattended as error:
            self.lifecycle.finish_step(step.refused(later("nobody is there to approve it")), times)
            self.lifecycle.end(Outcome.FAILED, str(error))
            return False
        if approval.verdict not in (Verdict.NO, Verdict.INSTEAD):
            return True
        self.lifecycle.refuse_step(step, Refusal.NOT_ALLOWED, times)
        if approval.verdict is Verdict.INSTEAD:
            self.checkpointer.add_user_words(approval.words)
        if approval.verdict is Verdict.NO:
            action_text = shown(step.action, _)
            sentence = _(
                "Not done: {what}. Say what to do instead and press F5, or press Escape twice to end."
            ).format(what=action_text)
            self.control.begin_pause(Cause.USER_PAUSED, sentence)
        return False

    async def _perform(self, step: StoredStep, observation: Observation, times: StepTimes) -> None:
        self.control.set_cause(Cause.ACTING)
        try:
            action = step.action
            if isinstance(action, TypeText):
                action = self.secrets.fill_secrets(action, observation)
            await self.control.run_cancellable(self.phone.perform(action, observation), stop=self.phone.hold)
        except ActionRefused as refusal:
            step = step.refused(str(refusal))
        except Interrupted:
            step = step.refused(Refusal.INTERRUPTED)
        except PhoneError:
            step = step.refused(Refusal.PHONE_LOST)
            raise
        finally:
            if not step.error:
                self.observer.set_last_action(step.action)
            # Stored before the step's event is emitted: the event's duration includes storing the step.
            self.checkpointer.add_step(step)
            self.lifecycle.finish_step(step, times)


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
        self,
        context: TurnContext,
        checkpoint: Checkpoint,
        *,
        continued: bool = False,
        read_only: bool = False,
    ) -> None:
        self._context = context
        self._phone = context.phone
        self._continued = continued
        self._read_only = read_only
        self._checkpointer = TurnCheckpointer(context.store, checkpoint, stored=not read_only)
        self._control = TurnControl(self._emit_state)
        self._secrets = SecretInjector(context.secrets)
        self._action_selector = ActionSelector(
            context, self._checkpointer, self._control.set_cause, self._secrets.names
        )
        self._prompter = UserPrompter(context, self._control, checkpoint.user_id)
        self._resolver = TurnCommandResolver(
            context, self._control, self._checkpointer, self._prompter, partial(Turn, read_only=True)
        )
        self._takeover = TakeoverController(context, self._control, self._checkpointer)
        self._phone_recovery = PhoneRecovery(context, self._control, self._checkpointer, self._takeover)
        self._observer = ScreenObserver(
            context.phone,
            self._control,
            self._checkpointer,
            self._takeover,
            self._secrets,
            context.model.glimpse,
        )
        self._lifecycle = TurnLifecycle(context, self._control, self._checkpointer)
        self._executor = ActionExecutor(
            phone=context.phone,
            control=self._control,
            lifecycle=self._lifecycle,
            checkpointer=self._checkpointer,
            prompter=self._prompter,
            observer=self._observer,
            secrets=self._secrets,
            fence=AppRestriction(context.settings.turn.app_lock, checkpoint.instruction),
            loop_detector=LoopDetector(),
            read_only=read_only,
        )
        self._completion_verifier = CompletionVerifier(confirm=context.settings.turn.confirm)
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
        self._executor.fence = AppRestriction(self._context.settings.turn.app_lock, instruction)
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
            case Verification.LOOK_AGAIN:
                self._checkpointer.add_transient_notes(sentence)
            case Verification.DOUBTED:
                self._lifecycle.end(Outcome.FAILED, sentence)
            case Verification.BELIEVED:
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
