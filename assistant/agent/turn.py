"""One turn: resolve the command, then take steps until it is done, fails, or the user cancels it.

`pause`, `resume`, `cancel` and `say` may be called at any time on the event loop's thread and take effect
at once: the operation under way is dropped, and nothing more is sent to the phone.

A command may be resolved with lookups and questions to the user. A lookup is a separate read-only turn of
few steps in one app: every sensitive action is refused, the user is not asked, and neither a checkpoint nor a
record is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain

from assistant.agent.action_selection import (
    ActionSelector,
    ButtonQuestion,
    find_awaited,
    reason_for_giving_up,
    taps_harmlessly,
    target_comes_late,
    warned_risk,
)
from assistant.agent.checkpoint import TurnCheckpointer, continue_checkpoint, find_asked_again
from assistant.agent.completion import CompletionVerifier, TraceLog, Verification, wants_change
from assistant.agent.context import StepTimes, TurnContext
from assistant.agent.instruction_check import (
    count_asked,
    end_given_up,
    find_done_anyway,
    find_done_before,
    find_left_out_people,
    find_missed_times,
    find_not_left_out,
    find_unheeded,
    remarks_of,
    tell_other_parts,
    tell_settled,
)
from assistant.agent.step import ActionExecutor, ScreenObserver, SecretInjector, with_target
from assistant.agent.stop_checks import (
    AppRestriction,
    ChosenWays,
    LoopDetector,
    action_key,
    find_missed_day,
    is_already_so,
)
from assistant.agent.takeover import PhoneRecovery, TakeoverController
from assistant.agent.turn_control import (
    Interrupted,
    TurnCommandResolver,
    TurnControl,
    TurnLifecycle,
    emit_state,
)
from assistant.agent.user_prompts import UserPrompter
from assistant.events import (
    ActionChosen,
    ApprovedBy,
    Cause,
    Deed,
    Event,
    PhoneState,
    PhoneStateChanged,
    ScreenObserved,
    StepRetold,
    StepStarted,
    TurnState,
    UserSaid,
    WordsRetold,
)
from assistant.i18n import _
from assistant.memory.prototypes.terms import without_left_out
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.model.types import Decision, ModelError, ModelUnavailable
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.phone.touches import window_of
from assistant.records import (
    Action,
    AskUser,
    Click,
    Failed,
    Finished,
    Observation,
    OpenApp,
    Outcome,
    Point,
    PressHome,
    Source,
    TakeOver,
    TypeText,
    Usage,
)
from assistant.safety.classifier import Risk, judge
from assistant.safety.deeds import DeedLog
from assistant.safety.page import page_of
from assistant.safety.secret_entry import manual_step_required
from assistant.safety.wording import classify_id, classify_label
from assistant.skills.command_wording import ValueKind
from assistant.skills.skill_step import AwaitedTarget, Proposal


@dataclass(frozen=True, slots=True)
class _Choice:
    """What was chosen for a step. `remarks`: how many of the user's remarks it could heed."""

    action: Action
    decision: Decision
    observation: Observation
    source: Source
    origin: str
    at_known_end: bool
    remarks: int


class Turn:
    """Executes one command.

    Args:
        context: phone, model, store and settings.
        checkpoint: the turn so far.
        continued: whether an interrupted turn is continued.
        read_only: the turn of a lookup: no sensitive actions, nothing is stored.
        keeps_helper: leave the resident helper running at the end: the turn that looks up goes on with it.
    """

    def __init__(
        self,
        context: TurnContext,
        checkpoint: Checkpoint,
        *,
        continued: bool = False,
        read_only: bool = False,
        keeps_helper: bool = False,
    ) -> None:
        self._context = context
        self._keeps_helper = keeps_helper
        self._phone = context.phone
        self._helper_loss = self._reading_pause = ""
        self._address = context.phone.link.address
        self._skill = ""
        self._ended_by_memory = self._answer_read = False
        self._continued = continued
        checkpoint = continue_checkpoint(checkpoint) if continued else checkpoint
        self._read_only = read_only
        self._checkpointer = TurnCheckpointer(context.store, checkpoint, stored=not read_only)
        self._control = TurnControl(partial(emit_state, context))
        self._secrets = SecretInjector(context.secrets)
        self._action_selector = ActionSelector(
            context, self._checkpointer, self._control.set_cause, self._secrets.names
        )
        deeds = (*context.earlier_deeds, *checkpoint.deeds)
        log = DeedLog(context.allowances, deeds, checkpoint.stages_done, checkpoint.stages_begun)
        self._prompter = UserPrompter(context, self._control, checkpoint.user_id, log)
        self._ask_about_button = ButtonQuestion(context, self._control)
        self._resolver = TurnCommandResolver(
            context,
            self._control,
            self._checkpointer,
            self._prompter,
            partial(Turn, read_only=True, keeps_helper=True),
        )
        self._takeover = TakeoverController(
            context, self._control, self._checkpointer, self._secrets.hide_typed
        )
        self._phone_recovery = PhoneRecovery(context, self._control, self._checkpointer, self._takeover)
        self._observer = ScreenObserver(
            context.phone,
            self._control,
            self._checkpointer,
            self._takeover.describe_user_actions,
            self._secrets,
            context.model.glimpse,
        )
        self._lifecycle = TurnLifecycle(context, self._control, self._checkpointer)
        self._executor = self._make_executor(checkpoint.instruction)
        self._completion_verifier = CompletionVerifier(
            confirm=context.settings.turn.confirm, is_lookup=read_only
        )
        self._trace = TraceLog(checkpoint.steps)
        self._ways = ChosenWays()
        self._heeded: set[str] = set()
        self._prompter.watch_remarks(lambda: chain(*self._find_unheeded()), self._heeded.add)
        self._prompter.watch_command(lambda: self.checkpoint)
        self._handed_over_page = ""
        self._steps_noted = 0
        self._tapped: Point | None = None
        self._awaits: Callable[[], AwaitedTarget | None] | None = None

    def _make_executor(self, instruction: str) -> ActionExecutor:
        return ActionExecutor(
            phone=self._phone,
            control=self._control,
            lifecycle=self._lifecycle,
            checkpointer=self._checkpointer,
            prompter=self._prompter,
            observer=self._observer,
            secrets=self._secrets,
            app_restriction=AppRestriction(self._context.settings.turn.app_lock, instruction),
            loop_detector=LoopDetector(),
            read_only=self._read_only,
        )

    @property
    def state(self) -> TurnState:
        """The state of the turn, or of its lookup under way."""
        return self.active_control.state

    @property
    def active_control(self) -> TurnControl:
        """What a pause or cancel applies to: the turn, or its lookup under way."""
        return self._resolver.active_control

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
        self.active_control.pause()

    def resume(self) -> None:
        """Continue after a pause: observe the screen again and tell the model what changed."""
        self.active_control.resume()

    def hold(self, held: bool) -> None:
        """Begin no further action until released."""
        self._control.hold(held)

    def cancel(self, cause: Cause = Cause.DONE) -> None:
        """End the turn, because the user does so in some way. An action in progress completes."""
        self._control.cancel_cause = cause
        self.active_control.cancel()

    def say(self, text: str) -> None:
        """Send the model a message; a decision under way is made again with it. Ignored after the end."""
        if self.state.final:
            return
        self._emit(UserSaid(time=self._now(), text=text))
        self._resolver.hear(text)
        self._prompter.hear(text)
        self._executor.loop_detector.reset()
        if self.state is TurnState.RUNNING and self._control.cause in (Cause.THINKING, Cause.MODEL):
            self._control.interrupt()

    async def run(self) -> Outcome:
        """Run the turn to its end and store its record."""
        self._lifecycle.begin(continued=self._continued)
        if self._continued:
            self._emit_past_steps()
        self._checkpointer.save()
        try:
            await self._lifecycle.prepare(self._resolve)
            self._takeover.start()
            while not self.state.final:
                await self._advance()
            if self._read_only:
                await self._go_home()
        finally:
            await self._takeover.stop()
            await self._restore_keyboard(keeps_helper=self._keeps_helper)
            await self._checkpointer.wait_until_stored()
        return await self._lifecycle.finish(
            skill=self._skill,
            seconds_per_decision=self._context.model.seconds_per_decision,
            ended_by_memory=self._ended_by_memory,
            answer_read=self._answer_read,
        )

    async def _resolve(self) -> None:
        await self._resolver.resolve()
        app_lock = self._context.settings.turn.app_lock
        self._executor.app_restriction = AppRestriction(app_lock, self.checkpoint.instruction)
        self._lifecycle.begin_steps()

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

    async def _advance(self) -> None:
        tapped, self._tapped = self._tapped, None
        try:
            if self._control.cancelling:
                self._lifecycle.cancel()
            elif self._takeover.stop_reason:
                self._lifecycle.end(Outcome.FAILED, self._takeover.stop_reason)
            elif self.state is TurnState.PAUSING:
                await self._stay_paused()
            elif self._takeover.power_pressed:
                self._pause_for_phone(await self._phone_recovery.wait_after_power_button())
            else:
                await self._step(self._checkpointer.next_step, tapped)
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
        finally:
            await self._action_selector.drop_early()

    async def _step(self, number: int, tapped: Point | None = None) -> None:
        if exceeded_limit := self._lifecycle.exceeded_limit:
            self._lifecycle.end(Outcome.FAILED, exceeded_limit)
            return
        self._take_values()
        await self._resolver.settle_corrections()
        times = StepTimes(self._phone, self._context.model)
        self._emit(StepStarted(time=self._now(), step=number))
        self._control.set_cause(Cause.OBSERVING)
        focused = await self._see_focus(tapped) if tapped is not None else None
        observation = focused or await self._look()
        self._tell_losses()
        self._note_deeds_by_hand(observation)
        self._executor.screen_changed(observation)
        self._trace.observe(observation, self.checkpoint.steps)
        self._ways.observe(observation)
        self._note_heeded_counts()
        self._emit(
            ScreenObserved(time=self._now(), step=number, app=observation.app, observation=observation)
        )
        if self._hand_over(observation):
            return
        choice = await self._choose_action(number, observation, times, is_guessed=focused is not None)
        if choice is None:
            return
        action, decision, observation = choice.action, choice.decision, choice.observation
        if self._context.slot_values is not None:
            ready = await self._wait_for_values(action, decision, observation, times)
            if ready is None:
                return
            action = ready
        if await self._was_held(times) or len(self.checkpoint.remarks) > choice.remarks:
            return  # What the user has said meanwhile may change it, and the screen is no longer the same.
        source = choice.source
        self._emit(
            ActionChosen(time=self._now(), step=number, action=action, source=source, origin=choice.origin)
        )
        risk = self._judge(action, decision, observation)
        if (risk is not None or isinstance(action, Finished)) and not observation.elements:
            observation = await self._observer.complete(observation, reads=True)
            action = with_target(action, observation)
            choice = replace(choice, observation=observation, action=action)
            risk = self._judge(action, decision, observation)
        risk = risk or await self._ask_about_button(action, observation)
        app = window_of(observation, action).app
        step = StoredStep(
            number=number,
            action=action,
            source=source,
            thought=decision.thought,
            app=app.name,
            package=app.package,
            kind=risk.kind if risk else None,
            reply=decision.reply,
            notes=decision.notes,
            continued=decision.continued,
        )
        await self._carry_out(step, choice, risk, times)
        if isinstance(action, Click) and source is Source.REPLAYED and risk is None:
            self._tapped = action.point

    async def _see_focus(self, tapped: Point) -> Observation | None:
        """The page on which a field was tapped that memory types into next, once it has the focus.

        None where that is not certain; then the screen is looked at. What is typed is read back as always.
        """
        memory, seen = self._context.action_memory, self._observer.observation
        if memory is None or seen is None or not await memory.types_next(self.checkpoint, seen):
            return None
        return await self._control.run_cancellable(self._phone.see_focus(seen, tapped))

    async def _look(self) -> Observation:
        """The screen; behind a harmless step from memory, as soon as what the next one taps stands there."""
        selector, awaits, self._awaits = self._action_selector, self._awaits, None
        may_find = self._executor.by_find and self._phone.wants_helper
        awaited = await find_awaited(awaits if may_find else None, self.checkpoint.steps)
        async with self._phone.awaiting(awaited.element if awaited is not None else None):
            seen = await self._observer.observe(
                selector.ask_early if selector.can_ask_early else None,
                # What became of a deed is told by more than the words of a picture.
                needs_tree=self._executor.last_action_approved,
                by_picture=await self._opens_app(),
            )
            if await self._control.run_cancellable(target_comes_late(self._phone, awaited, seen)):
                seen = await self._observer.observe(needs_tree=True)
            return seen

    async def _choose_action(
        self, number: int, observation: Observation, times: StepTimes, *, is_guessed: bool
    ) -> _Choice | None:
        """What to do on a screen: what the action memory knows, else what the model decides; None if refused.

        If the screen `is_guessed`, not read again behind a tap on a field, only a text may be typed unseen.
        """
        remarks = len(self.checkpoint.remarks)
        replayed = await self._propose_step(number, observation)
        opens = replayed is not None and isinstance(replayed.action, OpenApp)
        types = replayed is not None and isinstance(replayed.action, TypeText)
        if (is_guessed and not types) or (not opens and not observation.elements and await self._opens_app()):
            observation = await self._observer.observe(needs_tree=True)
            replayed = await self._propose_step(number, observation)
        if self._phone.led_by_find and not is_guessed and not taps_harmlessly(replayed, observation):
            # Its page may have been still coming: it is looked at as others are, here and from here on.
            self._executor.by_find = False
            observation = await self._observer.observe(needs_tree=True)
            replayed = await self._propose_step(number, observation)
        if replayed is not None and replayed.action is not None:
            action = with_target(replayed.action, observation)
            may_confirm = wants_change(self.checkpoint.instruction) and not replayed.needs_look
            at_end = isinstance(action, Finished) and (may_confirm or replayed.is_read)
            decision = Decision(replayed.action, "", Usage())
            return _Choice(action, decision, observation, Source.REPLAYED, replayed.origin, at_end, remarks)
        remarks = len(self.checkpoint.remarks)
        self._control.set_cause(Cause.THINKING)
        left, meanwhile = self._lifecycle.seconds_left, (self._prompter.deeds.catch_up, self._trace.catch_up)
        deciding = self._action_selector.decide(number, observation, times, left, meanwhile)
        decision = await self._control.run_cancellable(deciding)
        if decision.refusal:
            refused = StoredStep(
                number=number, action=decision.action, thought=decision.thought, reply=decision.reply
            )
            self._lifecycle.refuse_step(refused, decision.refusal, times)
            return None
        observation = await self._observer.complete(observation)
        action = with_target(decision.action, observation)
        at_end = replayed is not None and replayed.is_end
        return _Choice(action, decision, observation, Source.MODEL, "", at_end, remarks)

    async def _carry_out(
        self, step: StoredStep, choice: _Choice, risk: Risk | None, times: StepTimes
    ) -> None:
        """Do what was chosen: end the turn, ask the user, hand the phone over, or act on it."""
        match step.action:
            case Finished(answer=answer):
                self._lifecycle.finish_step(step, times)
                self._ended_by_memory = choice.at_known_end and choice.source is Source.REPLAYED
                self._verify_completion(answer, confirmed=choice.at_known_end)
            case Failed(reason=reason):
                self._lifecycle.finish_step(step, times)
                reason = reason or reason_for_giving_up(choice.decision.thought)
                self._lifecycle.end(*end_given_up(reason, self.checkpoint))
            case AskUser(question=question):
                await self._executor.ask_user(step, question, times)
            case TakeOver(reason=reason):
                self._checkpointer.add_step(step)
                self._lifecycle.finish_step(step, times)
                sentence = reason or _("This needs your own hand.")
                request = _("{sentence} Do it on the phone, then press F5.").format(sentence=sentence)
                self._lifecycle.pause_or_fail(Cause.HANDED_OVER, request, sentence)
            case _:
                await self._executor.execute(step, risk, choice.observation, times)

    async def _was_held(self, times: StepTimes) -> bool:
        with times.exclude_user_time():
            return await self._control.wait_until_released()

    def _take_values(self) -> None:
        """Put what other sub-tasks have found out into the instruction."""
        if self._context.slot_values is None:
            return
        before = self.checkpoint.instruction
        instruction, notes = self._context.slot_values.update(before)
        for note in notes:
            self._checkpointer.add_note(note)
        if instruction != before:
            self._checkpointer.set_instruction(instruction)

    def _judge(self, action: Action, decision: Decision, observation: Observation) -> Risk | None:
        """The risk of an action on this screen, or the one that the model itself warned of."""
        strict = self._context.settings.turn.strict
        return judge(action, observation, strict=strict) or warned_risk(decision.warning)

    async def _wait_for_values(
        self, action: Action, decision: Decision, seen: Observation, times: StepTimes
    ) -> Action | None:
        """Wait for the values of other sub-tasks that an action needs; the action with them.

        None where it must be decided anew: it was chosen without a value that is known now, or the screen has
        changed meanwhile.
        """
        values = self._context.slot_values
        sensitive = self._judge(action, decision, seen) is not None
        if values is None or not values.holds_back(action, sensitive=sensitive):
            return action
        self._phone.watch()  # So that no picture has to be waited for once they are there.
        with times.exclude_user_time():
            await self._control.run_cancellable(values.wait())
        self._take_values()
        if isinstance(action, TypeText) and (text := values.fill(action.text)) != action.text:
            moved = await self._control.run_cancellable(self._phone.moved_since(seen))
            return None if moved else action.model_copy(update={"text": text})
        return None

    async def _opens_app(self) -> bool:
        memory = self._context.action_memory
        return memory is not None and not self._read_only and await memory.opens_app(self.checkpoint)

    async def _propose_step(self, number: int, observation: Observation) -> Proposal | None:
        """The step that the action memory proposes, if any; it passes the same checks as the model's."""
        if self._context.action_memory is None or self._read_only:
            return None
        proposal = await self._control.run_cancellable(
            self._context.action_memory.propose(
                self.checkpoint,
                observation,
                lambda action: self._prompter.will_ask(with_target(action, observation), observation),
            )
        )
        if proposal is not None and proposal.needs_look and not wants_change(self.checkpoint.instruction):
            return None  # What a lookup answers is new each time: the model reads it twice.
        if proposal is not None and proposal.guidance:
            self._checkpointer.add_note(proposal.guidance)
        if proposal is not None and proposal.note:
            self._checkpointer.add_transient_notes(proposal.note)
        if proposal is not None and proposal.action is not None:
            self._awaits = proposal.awaits
            self._skill = proposal.skill or self._skill
            self._answer_read = proposal.is_read
            self._checkpointer.store_observation(number, observation)
        return proposal

    def _verify_completion(self, answer: str, *, confirmed: bool = False) -> None:
        """End the turn, or have the model look again.

        Behind a trusted skill neither the memory's report nor the model's is confirmed by a second look.
        """
        checkpoint, pool, seen = self.checkpoint, self._trace.pool, self._observer.observation
        reported = answer.strip() or self._completion_verifier.reported_answer
        unanswered, against = self._find_unheeded(answer)
        verification, sentence = self._completion_verifier.verify(
            self._instruction_to_verify,
            checkpoint.steps,
            answer,
            self._trace,
            confirmed=confirmed,
            against=[
                *against,
                *self._prompter.overruled,
                *find_left_out_people(checkpoint),
                *find_missed_times(checkpoint.instruction, pool, checkpoint.steps),
                *find_missed_day(checkpoint, self._now(), pool, self._trace.saved_dates),
                *self._ways.find_unchosen(checkpoint.instruction, checkpoint.steps),
            ],
            unheeded=[*unanswered, *find_not_left_out(checkpoint, pool, answer, seen)],
            settled=tell_settled(checkpoint, pool),
            is_so=is_already_so(checkpoint, self._now(), reported, seen),
        )
        match verification:
            case Verification.LOOK_AGAIN:
                self._checkpointer.add_transient_notes(sentence)
            case Verification.ALREADY_SO | Verification.DOUBTED:
                cause = Cause.ALREADY_SO if verification is Verification.ALREADY_SO else Cause.DONE
                self._lifecycle.end(Outcome.UNCONFIRMED, sentence, cause)
            case Verification.BELIEVED:
                others = tell_other_parts(checkpoint.instruction, sentence, checkpoint.steps)
                self._lifecycle.end(Outcome.SUCCESS, f"{sentence} {others}".strip())

    def _find_unheeded(self, answer: str | None = None) -> tuple[list[str], list[str]]:
        """What the user said that nothing answers, and what the turn went against; at the end, for good."""
        again = find_asked_again(self.checkpoint)
        remarks = [each for each in remarks_of(self.checkpoint) if each.text not in {*self._heeded, *again}]
        unanswered = find_unheeded(remarks, self._trace.pool, answer or "") if remarks else []
        is_over = answer is not None
        before, anyway = (f(self.checkpoint, is_over=is_over) for f in (find_done_before, find_done_anyway))
        not_again = (text for text, is_done in again.items() if not is_done)
        return unanswered, [*not_again, *before, *anyway]

    def _note_deeds_by_hand(self, observation: Observation) -> None:
        """Take what the user touched in a pause for what may have been done: it is not repeated unasked."""
        steps, self._steps_noted = self.checkpoint.steps[self._steps_noted :], len(self.checkpoint.steps)
        for step in steps:
            target = step.action.target if step.source is Source.USER else None
            kind = (classify_label(target.label) or classify_id(target.resource_id)) if target else None
            if target is not None and kind is not None:
                deed = Deed(kind=kind, package=step.package, app=step.app, text=target.name, maybe=True)
                self._prompter.deeds.add(deed, page_of(observation), action_key(step.action), ApprovedBy.USER)

    @property
    def _instruction_to_verify(self) -> str:
        """The instruction without options that the user saw done: a page has its own words for them."""
        spoken = [each.text for each in self.checkpoint.remarks if not each.kind]
        instruction = without_left_out(self.checkpoint.instruction, spoken)
        for remark in remarks_of(self.checkpoint):
            if remark.kind == ValueKind.OPTION and remark.text in self._heeded:
                instruction = instruction.replace(remark.new, "", 1)
        return instruction

    def _note_heeded_counts(self) -> None:
        """Remember which remarks on how many were followed: a payment page after the cart says no number."""
        for remark in remarks_of(self.checkpoint):
            if count_asked(remark) and not find_unheeded([remark], self._trace.pool, ""):
                self._heeded.add(remark.text)

    def _hand_over(self, observation: Observation) -> bool:
        """Hand a login, code or captcha page over to the user, once for each page; returns whether it did.

        One of which nothing can be seen is handed over again, since there is nothing to ask the model about.
        """
        reason = manual_step_required(
            observation, self.checkpoint.instruction, has_secrets=bool(self._secrets.names)
        )
        if not reason:
            self._handed_over_page = ""
            return False
        page = f"{observation.app.package} {observation.app.activity} {reason}"
        if page == self._handed_over_page and not observation.shows_nothing:
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

    def _tell_losses(self) -> None:
        """Say once that the phone is at another address, or looked at by plain adb, or no picture is read."""
        address, self._address = self._address, self._phone.link.address
        if address and (now := self._address) != address:
            self._tell_of_phone(_("The phone is at {address} now. The turn goes on.").format(address=now))
        loss, self._helper_loss = self._helper_loss, self._phone.helper_loss
        if self._helper_loss and not loss and not self._read_only:
            sentence = _("The resident helper is not used in this turn, plain adb is: {reason}.")
            self._tell_of_phone(sentence.format(reason=_(self._helper_loss)), helper_lost=True)
        pause = self._phone.reading_pause
        if pause and not self._reading_pause:
            self._reading_pause = pause
            sentence = _(
                "Pictures are not read for a while, so on screens that tell nothing every tap asks: {reason}."
            )
            self._tell_of_phone(sentence.format(reason=_(pause)))
        if self._phone.spares_trees and not self._phone.told_sparing:
            self._phone.told_sparing = True
            self._tell_of_phone(
                _("A screen reader or the like is on, so screens are read from pictures where that will do.")
            )

    def _tell_of_phone(self, sentence: str, *, helper_lost: bool = False) -> None:
        now, ready = self._now(), PhoneState.READY
        self._emit(PhoneStateChanged(time=now, state=ready, sentence=sentence, helper_lost=helper_lost))

    async def _go_home(self) -> None:
        """Press Home after a lookup, so that the turn does not start in the app of the lookup."""
        if self._observer.observation is not None and self.state is not TurnState.CANCELLED:
            with suppress(PhoneError, ActionRefused):
                await self._phone.perform(PressHome(), self._observer.observation)

    async def _restore_keyboard(self, *, keeps_helper: bool = False) -> None:
        """Restore the user's keyboard; on a phone that is not reachable, when it is connected again.

        The resident helper ends too, unless it is kept.
        """
        with suppress(PhoneError):
            await self._phone.release(keeps_helper=keeps_helper)

    def _pause_for_phone(self, reason: str) -> None:
        if reason:
            self._lifecycle.pause_or_fail(Cause.PHONE, _("{why} Then press F5.").format(why=reason), reason)

    def _now(self) -> datetime:
        return self._context.now()

    def _emit(self, event: Event) -> None:
        self._context.emit(event)
