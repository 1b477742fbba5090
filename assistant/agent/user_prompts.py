"""Asks the user: to approve a sensitive action, to answer a question, or to confirm the resolved command.

An approval shows the part of the screen around the element. What it holds for is in `safety.deeds`.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TypeVar

from PIL import Image, UnidentifiedImageError

from assistant.agent.checkpoint import StepTimes
from assistant.agent.context import TurnContext
from assistant.agent.stop_checks import action_key
from assistant.agent.turn_control import Interrupted, Signal, TurnControl
from assistant.events import (
    Approval,
    ApprovalRequested,
    ApprovalSettled,
    ApprovedBy,
    Cause,
    Deed,
    MeaningProposed,
    QuestionAsked,
    TurnState,
    Verdict,
)
from assistant.i18n import _
from assistant.memory.store import StandingApproval
from assistant.memory.turns import StoredStep
from assistant.records import Bounds, Observation, shown
from assistant.safety.classifier import Risk
from assistant.safety.deeds import DeedLog, describe_deed, may_be_rule
from assistant.safety.page import Page

T = TypeVar("T")


class Unattended(Exception):
    """No user is present to answer; the message says what was needed."""


class UserPrompter:
    """Asks the user, one question at a time. Waiting for an answer does not count as time of the step.

    Args:
        context: phone, model, store and settings of the turn.
        control: the state of the turn.
        user_id: the user.
        done: the deeds of the turn so far, where it is continued.

    Attributes:
        deeds: the deeds of the turn, and the approvals that hold in it.
    """

    def __init__(
        self, context: TurnContext, control: TurnControl, user_id: str, done: Sequence[Deed] = ()
    ) -> None:
        self._context = context
        self._control = control
        self._user_id = user_id
        self.deeds = DeedLog(context.allowances, done)

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
        warning = _format_warning(coverage.done) if coverage.done else ""
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
                reason=risk.cue.sentence,
            )
        )
        approval = await self._wait_for_answer(decision, times, Cause.ACTING)
        self._keep_verdict(approval, deed)
        self._emit_settled(step, deed, risk, approval, ApprovedBy.USER)
        return approval

    def _keep_verdict(self, approval: Approval, deed: Deed) -> None:
        """Keep a verdict that holds for more than the deed at hand."""
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

    async def ask_question(self, step: StoredStep, question: str, times: StepTimes) -> str:
        """The user's answer to a question of the model.

        Raises:
            Unattended: no user is present.
            Interrupted: the turn was paused or cancelled before the answer.
        """
        if not self._context.attended:
            raise Unattended(_("Nobody is there to answer: {question}").format(question=question))
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._control.apply_signal(Signal.USER_NEEDED, Cause.QUESTION, question)
        self._context.emit(
            QuestionAsked(time=self._context.now(), step=step.number, question=question, answer=answer)
        )
        return await self._wait_for_answer(answer, times, Cause.OBSERVING)

    async def ask_meaning(self, question: str, choices: Sequence[str]) -> str:
        """The user's answer to a question about what their command means; empty if no user is present.

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
                kept=self._context.settings.memory.learning,
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
            if self._control.state is TurnState.WAITING and not self._control.cancelling:
                self._control.apply_signal(Signal.ANSWERED, Cause.OBSERVING)
            raise
        self._control.apply_signal(Signal.ANSWERED, next_cause)
        return answer


def _format_warning(done: Deed) -> str:
    """What the user must know before they allow a deed again."""
    what = describe_deed(done)
    if done.maybe:
        return _("This may have been done already: {what}. Look on the phone first.").format(what=what)
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
