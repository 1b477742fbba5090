"""Asks the user: to approve a sensitive action, or to answer a question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TypeVar

from assistant.agent.turn_control import Interrupted, TurnControl
from assistant.events import (
    Approval,
    ApprovalRequested,
    Cause,
    MeaningProposed,
    QuestionAsked,
    TurnState,
    Verdict,
)
from assistant.execute.guards.crop import crop_around
from assistant.execute.guards.scope import Allowances
from assistant.execute.parts import TurnParts
from assistant.execute.states import Signal
from assistant.execute.times import StepTimes
from assistant.i18n import _
from assistant.memory.turns import StoredStep
from assistant.records import Observation, shown
from assistant.safety.classifier import Risk

T = TypeVar("T")


class NobodyThere(Exception):
    """No user is present to answer; the message says what was needed."""


class Asker:
    """Asks the user, one question at a time. Waiting for an answer does not count as time of the step."""

    def __init__(self, context: TurnParts, control: TurnControl, user_id: str) -> None:
        self._context = context
        self._control = control
        self._approval_scope = Allowances(context.approved_kinds, context.store.approvals, user_id)

    async def ask_approval(
        self, step: StoredStep, risk: Risk, observation: Observation, times: StepTimes
    ) -> Approval:
        """The user's decision about a sensitive action; `Verdict.ONCE` if an earlier approval covers it.

        Raises:
            NobodyThere: no earlier approval covers it, and no user is present.
            Interrupted: the turn was paused or cancelled before the decision.
        """
        if self._approval_scope.cover(risk.kind, observation.app):
            return Approval(Verdict.ONCE)
        action_text = shown(step.action, _)
        if not self._context.attended:
            raise NobodyThere(
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
            NobodyThere: no user is present.
            Interrupted: the turn was paused or cancelled before the answer.
        """
        if not self._context.attended:
            raise NobodyThere(_("Nobody is there to answer: {question}").format(question=question))
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
