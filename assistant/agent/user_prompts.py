"""Asks the user: to approve a sensitive action, to answer a question, or to confirm the resolved command.

An approval shows the part of the screen around the element. It holds once, for the turn, or always in an app.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import TypeVar

from PIL import Image, UnidentifiedImageError

from assistant.agent.checkpoint import StepTimes
from assistant.agent.context import TurnContext
from assistant.agent.turn_control import Interrupted, Signal, TurnControl
from assistant.events import (
    ActionKind,
    Approval,
    ApprovalRequested,
    Cause,
    MeaningProposed,
    QuestionAsked,
    TurnState,
    Verdict,
)
from assistant.i18n import _
from assistant.memory.store import Approvals, StandingApproval
from assistant.memory.turns import StoredStep
from assistant.records import Bounds, ForegroundApp, Observation, shown
from assistant.safety.classifier import Risk


class ApprovalScope:
    """The approvals that hold for one turn.

    Args:
        beforehand: kinds that the command line allowed for this turn.
        standing: what the user allows always.
        user_id: which user.
    """

    def __init__(self, beforehand: Collection[ActionKind], standing: Approvals, user_id: str) -> None:
        self._this_turn = set(beforehand)
        self._standing = standing
        self._user_id = user_id

    def cover(self, kind: ActionKind, app: ForegroundApp) -> bool:
        """Whether an action of this kind in this app needs no asking."""
        return kind in self._this_turn or self._standing.holds(self._user_id, app.package, kind)

    def take(self, verdict: Verdict, kind: ActionKind, app: ForegroundApp, now: datetime) -> bool:
        """Remember what a verdict allows further; whether it allows the action at hand."""
        match verdict:
            case Verdict.THIS_TURN:
                self._this_turn.add(kind)
            case Verdict.ALWAYS if app.package:
                self._standing.allow(self._user_id, StandingApproval(app.package, kind, app.name, now))
            case _:
                pass
        return verdict in (Verdict.ONCE, Verdict.THIS_TURN, Verdict.ALWAYS)


_MARGIN = 0.06
_LEAST_HEIGHT = 0.18
_WIDTH = 640


def crop_around(seen: Observation, bounds: Bounds | None) -> bytes:
    """A PNG of the full width of the screen around an element. Decodes a picture: slow.

    Empty where the screen forbids pictures, gave none, or no element is known.
    """
    if bounds is None or seen.secure or not seen.screenshot:
        return b""
    try:
        with Image.open(io.BytesIO(seen.screenshot)) as picture:
            scale = picture.width / seen.width
            top, bottom = _span(bounds, seen.height)
            piece = picture.convert("RGB").crop((0, round(top * scale), picture.width, round(bottom * scale)))
    except (UnidentifiedImageError, OSError, ValueError):
        return b""
    if piece.width > _WIDTH:
        piece = piece.resize((_WIDTH, max(1, round(piece.height * _WIDTH / piece.width))))
    out = io.BytesIO()
    piece.save(out, "PNG")
    return out.getvalue()


def _span(bounds: Bounds, height: int) -> tuple[float, float]:
    """Upper and lower edge: the element with a margin, and not lower than is good to look at."""
    margin = max(_MARGIN * height, (_LEAST_HEIGHT * height - bounds.height) / 2)
    top = max(0.0, bounds.top - margin)
    bottom = min(float(height), bounds.bottom + margin)
    return (top, bottom) if bottom - top >= 1 else (0.0, float(height))


T = TypeVar("T")


class Unattended(Exception):
    """No user is present to answer; the message says what was needed."""


class UserPrompter:
    """Asks the user, one question at a time. Waiting for an answer does not count as time of the step."""

    def __init__(self, context: TurnContext, control: TurnControl, user_id: str) -> None:
        self._context = context
        self._control = control
        self._approval_scope = ApprovalScope(context.approved_kinds, context.store.approvals, user_id)

    async def ask_approval(
        self, step: StoredStep, risk: Risk, observation: Observation, times: StepTimes
    ) -> Approval:
        """The user's decision about a sensitive action; `Verdict.ONCE` if an earlier approval covers it.

        Raises:
            Unattended: no earlier approval covers it, and no user is present.
            Interrupted: the turn was paused or cancelled before the decision.
        """
        if self._approval_scope.cover(risk.kind, observation.app):
            return Approval(Verdict.ONCE)
        action_text = shown(step.action, _)
        if not self._context.attended:
            raise Unattended(
                _("Stopped before “{what}”: it needs approval. Allow it with --yes {kind}.").format(
                    what=action_text, kind=risk.kind
                )
            )
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
            )
        )
        approval = await self._wait_for_answer(decision, times, Cause.ACTING)
        self._approval_scope.take(approval.verdict, risk.kind, observation.app, self._context.now())
        return approval

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
