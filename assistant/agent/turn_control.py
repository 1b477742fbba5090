"""The state of a turn: its transitions, the operation under way, and how a turn pauses and ends.

A turn resolves its command, then runs. It waits when it needs the user or the phone, goes through `PAUSING`
to `PAUSED` (an action in progress completes), and ends finished, failed, cancelled, or unconfirmed: the
model says that it is done, and no trace of it was found on the phone.

`UserPrompter` asks the user: to approve a sensitive action, to answer a question, or to confirm the resolved
command. An approval shows the part of the screen around the element. What it holds for is in `safety.deeds`.
"""

from __future__ import annotations

import asyncio
import io
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from enum import StrEnum
from typing import Any, TypeVar

from PIL import Image, UnidentifiedImageError

from assistant.agent.checkpoint import StepTimes, TurnCheckpointer
from assistant.agent.context import TurnContext
from assistant.agent.stop_checks import action_key
from assistant.events import (
    ActionChosen,
    ActionKind,
    Approval,
    ApprovalRequested,
    ApprovalSettled,
    ApprovedBy,
    Cause,
    Deed,
    MeaningProposed,
    QuestionAsked,
    StepStarted,
    TurnState,
    Verdict,
)
from assistant.i18n import _
from assistant.memory.store import StandingApproval
from assistant.memory.turns import StoredStep
from assistant.model.text_requests import BUTTON_RULES, BUTTON_SCHEMA, describe_button, read_button_answer
from assistant.model.types import ModelError
from assistant.phone.errors import PhoneError
from assistant.records import Action, Bounds, Click, Observation, Outcome, shown
from assistant.safety.classifier import Cue, Risk, doubted_risk, judge
from assistant.safety.deeds import DeedLog, describe_deed, make_deed, may_be_rule
from assistant.safety.effects import payment_words
from assistant.safety.lexicon import lexicon
from assistant.safety.page import Page, element_label

_log = logging.getLogger(__name__)


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
    TurnState.FINISHED: {},
    TurnState.FAILED: {},
    TurnState.CANCELLED: {},
    TurnState.UNCONFIRMED: {},
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


class TurnControl:
    """The turn's state and the single operation under way. Call its methods on the event loop's thread only.

    Args:
        on_change: called with state, cause and sentence at each change.
        clock: a monotonic clock, in seconds.

    Attributes:
        waited_seconds: time spent waiting for the user, up to the last time the turn continued.
    """

    def __init__(
        self,
        on_change: Callable[[TurnState, Cause, str], None],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.state = TurnState.RESOLVING
        self.cause = Cause.COMMAND
        self.cancelling = False
        self.waited_seconds = 0.0
        self._waiting_since: float | None = None
        self._on_change = on_change
        self._clock = clock
        self._work: asyncio.Future[Any] | None = None
        self._stop: Callable[[], object] | None = None
        self._interrupted = False
        self._resumed = asyncio.Event()
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

    def cancel(self) -> None:
        """Drop the operation under way and end the turn."""
        if not self.state.final:
            self.cancelling = True
            self.interrupt()

    def interrupt(self) -> None:
        """Drop the operation under way, if any; its caller gets `Interrupted`.

        Also where it has ended and its caller does not run yet: nothing may come of it any more.
        """
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
        is_user_time = waits_for_answer or self.state is TurnState.PAUSED
        if is_user_time and self._waiting_since is None:
            self._waiting_since = self._clock()
        elif not is_user_time and self._waiting_since is not None:
            self.waited_seconds += self._clock() - self._waiting_since
            self._waiting_since = None

    def set_cause(self, cause: Cause) -> None:
        """Report what a running turn is doing."""
        if cause is not self.cause:
            self.cause = cause
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


_SIGNALS = {
    Outcome.SUCCESS: Signal.FINISH,
    Outcome.FAILED: Signal.FAIL,
    Outcome.CANCELLED: Signal.CANCEL,
    Outcome.UNCONFIRMED: Signal.UNCONFIRM,
}


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

    def begin_step(self, step: StoredStep) -> None:
        """Emit the events that begin a step which no model and no memory chose."""
        now = self._context.now()
        self._context.emit(StepStarted(time=now, step=step.number))
        self._context.emit(ActionChosen(time=now, step=step.number, action=step.action, source=step.source))

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


class ButtonQuestion:
    """Asks the model what a button does that the guards do not know, once for each page of a turn.

    The answer can only make a harmless-looking tap a sensitive one. No answer in time adds nothing.
    """

    def __init__(self, context: TurnContext, control: TurnControl) -> None:
        self._context = context
        self._control = control
        self._answers: dict[str, str] = {}
        self._language: str | None = None

    async def __call__(self, action: Action, observation: Observation) -> Risk | None:
        """The risk that the model sees in an action that the guards take for harmless; None if it sees none.

        Raises:
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        ask = self._context.ask_model
        if ask is None or not isinstance(action, Click):
            return None
        risk = doubted_risk(action, observation, reads_well=await self._reads_well())
        if risk is None or action.target is None:
            return None
        texts = [element_label(e) for e in Page(observation).texts]
        button = describe_button(action.target.label, texts)
        if button not in self._answers:
            try:
                answer = await self._control.run_cancellable(ask(BUTTON_RULES, button, BUTTON_SCHEMA))
            except ModelError as error:
                _log.info("the model was not heard about a button: %s", error)
                return None
            self._answers[button] = read_button_answer(answer)
        deed = self._answers[button]
        if not deed:
            return None
        sentence = _("The model thinks that this button does it: {what}")
        kind = ActionKind(deed)
        return replace(risk, kind=kind, sentence=sentence.format(what=_(kind)), cue=Cue.ASKED)

    async def _reads_well(self) -> bool:
        """Whether the guards know the phone's language; where it does not say, they are taken to."""
        if self._language is None:
            try:
                self._language = await self._context.phone.language()
            except PhoneError:
                return True
        return not self._language or lexicon().reads_well(self._language)


class Unattended(Exception):
    """No user is present to answer; the message says what was needed."""


class UserPrompter:
    """Asks the user, one question at a time. Waiting for an answer does not count as time of the step.

    Args:
        context: phone, model, store and settings of the turn.
        control: the state of the turn.
        user_id: the user.
        deeds: the deeds of the turn, and the approvals that hold in it.

    Attributes:
        deeds: the same.
        ask_model: asks the model about a button that the guards do not know.
    """

    def __init__(
        self, context: TurnContext, control: TurnControl, user_id: str, deeds: DeedLog | None = None
    ) -> None:
        self._context = context
        self._control = control
        self._user_id = user_id
        self.deeds = deeds or DeedLog(context.allowances)
        self.ask_model = ButtonQuestion(context, control)
        self._user_words = ""

    def will_ask(self, action: Action, observation: Observation) -> bool:
        """Whether the user would be asked before a sensitive action: one is there, and nothing covers it."""
        risk = judge(action, observation, strict=True)
        if risk is None or not self._context.attended:
            return False
        deed = make_deed(risk, action, observation)
        by_rule = self._context.store.approvals.holds(self._user_id, deed)
        return self.deeds.covers(deed, Page(observation), action_key(action), by_rule=by_rule).by is None

    async def approve(
        self, step: StoredStep, risk: Risk, observation: Observation, times: StepTimes
    ) -> Approval:
        """The user's decision about a step's deed; without a question if an earlier approval covers it.

        Raises:
            Unattended: no earlier approval covers it, and no user is present.
            Interrupted: the turn was paused or cancelled before the decision.
        """
        deed = step.deed
        assert deed is not None  # noqa: S101 - the caller sets it together with the risk
        by_rule = self._context.store.approvals.holds(self._user_id, deed)
        coverage = self.deeds.covers(deed, Page(observation), action_key(step.action), by_rule=by_rule)
        if coverage.by is not None:
            self._emit_settled(step, deed, risk, Approval(Verdict.ONCE), coverage.by)
            return Approval(Verdict.ONCE, by=coverage.by)
        warning = _format_warning(coverage.done, begun=coverage.begun) if coverage.done else ""
        action_text = shown(step.action, _)
        if not self._context.attended:
            sentence = _("Stopped: {what} needs approval. Allow it with --yes {kind}.")
            if warning:
                sentence = _("Stopped before {what}: {warning}")
            raise Unattended(sentence.format(what=action_text, kind=risk.kind, warning=warning))
        bounds = step.action.target.bounds if step.action.target else None
        crop = await self._control.run_cancellable(asyncio.to_thread(crop_around, observation, bounds))
        decision: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self._control.apply_signal(
            Signal.USER_NEEDED, Cause.APPROVAL, _("Waits for your yes: {what}").format(what=action_text)
        )
        page = Page(observation)
        is_payment = risk.kind is ActionKind.PAY
        is_payee_unnamed = is_payment and not deed.recipient
        self._context.emit(
            ApprovalRequested(
                time=self._context.now(),
                step=step.number,
                kind=risk.kind,
                action=step.action,
                app=observation.app,
                decision=decision,
                sentence=risk.sentence,
                text=risk.text,
                crop=crop,
                deed=deed,
                warning=warning,
                reason=risk.reason,
                page_words=payment_words(page, deed) if is_payment else (),
                payee_before=self.deeds.payee_before(page) if is_payee_unnamed else "",
                pages_before=self.deeds.pages_before(page) if is_payee_unnamed else (),
                user_words=self._user_words,
            )
        )
        approval = await self._wait_for_answer(decision, times, Cause.ACTING)
        self._user_words = approval.words
        self._keep_verdict(approval, deed)
        self._emit_settled(step, deed, risk, approval, ApprovedBy.USER)
        return approval

    def _keep_verdict(self, approval: Approval, deed: Deed) -> None:
        """Store a verdict that holds longer than this deed: for the turn, or always."""
        if approval.verdict is Verdict.THIS_TURN:
            self.deeds.allow_for_turn(deed)
        elif approval.verdict is Verdict.ALWAYS and may_be_rule(deed):
            rule = StandingApproval.for_deed(deed, self._context.now())
            self._context.store.approvals.allow(self._user_id, rule)

    def _emit_settled(
        self, step: StoredStep, deed: Deed, risk: Risk, approval: Approval, by: ApprovedBy
    ) -> None:
        self._context.emit(
            ApprovalSettled(
                time=self._context.now(),
                step=step.number,
                deed=deed,
                verdict=approval.verdict,
                by=by,
                sentence=risk.sentence,
                words=approval.words,
            )
        )

    async def ask_question(
        self, step: StoredStep, question: str, times: StepTimes, instruction: str = ""
    ) -> str:
        """The user's answer to a question of the model.

        What another source knows is only offered: whether it answers this question, the user must say.

        Args:
            step: the step.
            question: the question.
            times: the times of the step.
            instruction: what the turn is about.

        Raises:
            Unattended: no user is present.
            Interrupted: the turn was paused or cancelled before the answer.
        """
        if not self._context.attended:
            raise Unattended(_("Nobody is there to answer: {question}").format(question=question))
        find = self._context.find_answer
        likely = (
            await self._control.run_cancellable(find(question, instruction, self.ask_meaning))
            if find is not None
            else None
        )
        shown_question = f"{question} ({likely.place})" if likely is not None else question
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._control.apply_signal(Signal.USER_NEEDED, Cause.QUESTION, shown_question)
        self._context.emit(
            QuestionAsked(
                time=self._context.now(),
                step=step.number,
                question=shown_question,
                answer=answer,
                choices=(likely.value,) if likely is not None else (),
            )
        )
        return await self._wait_for_answer(answer, times, Cause.OBSERVING)

    async def ask_meaning(self, question: str, choices: Sequence[str], /, *, kept: bool = True) -> str:
        """The user's answer to a question about what their command means; empty if no user is present.

        Args:
            question: the question.
            choices: suggested answers.
            kept: whether the answer is remembered, where the memory learns.

        Raises:
            Interrupted: the turn was paused or cancelled before the answer.
        """
        if not self._context.attended:
            return ""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._control.apply_signal(Signal.USER_NEEDED, Cause.QUESTION, question)
        self._context.emit(
            QuestionAsked(
                time=self._context.now(),
                step=0,
                question=question,
                answer=answer,
                choices=tuple(choices),
                kept=kept and self._context.settings.memory.learning,
            )
        )
        return await self._wait_for_answer(answer, None, Cause.COMMAND)

    async def confirm_instruction(self, instruction: str) -> str:
        """The instruction after the user confirmed or changed it.

        Unchanged if no user is present or the settings give no time to confirm.

        Raises:
            Interrupted: the turn was paused or cancelled before the answer.
        """
        seconds = self._context.settings.turn.confirm_meaning_seconds
        if not self._context.attended or not seconds:
            return instruction
        decision: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._control.apply_signal(Signal.USER_NEEDED, Cause.MEANING)
        self._context.emit(
            MeaningProposed(
                time=self._context.now(), instruction=instruction, seconds=seconds, decision=decision
            )
        )
        confirmed = await self._wait_for_answer(decision, None, Cause.COMMAND)
        return confirmed.strip() or instruction

    async def _wait_for_answer(
        self, future: asyncio.Future[T], times: StepTimes | None, next_cause: Cause
    ) -> T:
        try:
            with times.exclude_user_time() if times else nullcontext():
                answer = await self._control.run_cancellable(future)
        except Interrupted:
            if self._control.cancelling:
                raise
            if self._control.state is TurnState.WAITING:
                self._control.apply_signal(Signal.ANSWERED, Cause.OBSERVING)
            if future.cancelled() or not future.done():
                raise
            return future.result()  # The pause came with the answer: what the user said is not asked again.
        self._control.apply_signal(Signal.ANSWERED, next_cause)
        return answer


def _format_warning(done: Deed, *, begun: bool) -> str:
    """The warning before a deed is allowed a second time."""
    what = describe_deed(done)
    if done.maybe:
        return _("This may have been done already: {what}. Look on the phone first.").format(what=what)
    if begun:
        return _("This was begun already in this turn: {what}.").format(what=what)
    return _("This was done already in this turn: {what}.").format(what=what)


_CROP_MARGIN, _MIN_CROP_HEIGHT = 0.06, 0.18
"""Shares of the screen's height."""

_MAX_CROP_WIDTH = 640
"""In pixels."""


def crop_around(observation: Observation, bounds: Bounds | None) -> bytes:
    """A PNG of the screen around an element, in full width. Decodes the screenshot: slow.

    Empty if there is no element, or no screenshot because the screen forbids it or failed to give one.
    """
    if bounds is None or observation.secure or not observation.screenshot:
        return b""
    try:
        with Image.open(io.BytesIO(observation.screenshot)) as screenshot:
            scale = screenshot.width / observation.width
            top, bottom = _crop_edges(bounds, observation.height)
            crop = screenshot.convert("RGB").crop(
                (0, round(top * scale), screenshot.width, round(bottom * scale))
            )
    except (UnidentifiedImageError, OSError, ValueError):
        return b""
    if crop.width > _MAX_CROP_WIDTH:
        crop = crop.resize((_MAX_CROP_WIDTH, max(1, round(crop.height * _MAX_CROP_WIDTH / crop.width))))
    out = io.BytesIO()
    crop.save(out, "PNG")
    return out.getvalue()


def _crop_edges(bounds: Bounds, height: int) -> tuple[float, float]:
    """The upper and lower edge: the element with a margin, and at least `_MIN_CROP_HEIGHT`."""
    margin = max(_CROP_MARGIN * height, (_MIN_CROP_HEIGHT * height - bounds.height) / 2)
    top = max(0.0, bounds.top - margin)
    bottom = min(float(height), bounds.bottom + margin)
    return (top, bottom) if bottom - top >= 1 else (0.0, float(height))
