"""What only the user can decide: whether a sensitive action may be done, and what the model asks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TypeVar

from assistant.events import (
    Approval,
    ApprovalRequested,
    Cause,
    MeaningProposed,
    QuestionAsked,
    TurnState,
    Verdict,
)
from assistant.execute.control import Interrupted, TurnControl
from assistant.execute.guards import Risk
from assistant.execute.guards.crop import crop_around
from assistant.execute.guards.scope import Allowances
from assistant.execute.parts import TurnParts
from assistant.execute.states import Signal
from assistant.execute.times import StepTimes
from assistant.language import _
from assistant.memory.turns import StoredStep
from assistant.observations import Observation
from assistant.records import shown

T = TypeVar("T")


class NobodyThere(Exception):
    """Nobody can be asked; the message says what was needed."""


class Asker:
    """Asks the user, one thing at a time. The time that an answer takes is not the step's."""

    def __init__(self, parts: TurnParts, control: TurnControl, user_id: str) -> None:
        self._parts = parts
        self._control = control
        self._allowances = Allowances(parts.approved, parts.store.approvals, user_id)

    async def approval(self, step: StoredStep, risk: Risk, seen: Observation, times: StepTimes) -> Approval:
        """What the user says to a sensitive action; once, where it was allowed before.

        Raises:
            NobodyThere: it was not allowed, and nobody can be asked.
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        if self._allowances.cover(risk.kind, seen.app):
            return Approval(Verdict.ONCE)
        what = shown(step.action, _)
        if not self._parts.attended:
            raise NobodyThere(
                _("Stopped before “{what}”: it needs approval. Allow it with --yes {kind}.").format(
                    what=what, kind=risk.kind
                )
            )
        bounds = step.action.target.bounds if step.action.target else None
        crop = await self._control.droppable(asyncio.to_thread(crop_around, seen, bounds))
        decision: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self._control.follow(
            Signal.USER_NEEDED, Cause.APPROVAL, _("Waits for your yes: {what}").format(what=what)
        )
        self._parts.emit(
            ApprovalRequested(
                time=self._parts.now(),
                step=step.number,
                kind=risk.kind,
                action=step.action,
                app=seen.app,
                decision=decision,
                sentence=risk.sentence,
                text=risk.text,
                crop=crop,
            )
        )
        approval = await self._answered(decision, times, Cause.ACTING)
        self._allowances.take(approval.verdict, risk.kind, seen.app, self._parts.now())
        return approval

    async def answer(self, step: StoredStep, question: str, times: StepTimes) -> str:
        """What the user answers to a question of the model.

        Raises:
            NobodyThere: nobody can be asked.
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        if not self._parts.attended:
            raise NobodyThere(_("Nobody is there to answer: {question}").format(question=question))
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._control.follow(Signal.USER_NEEDED, Cause.QUESTION, question)
        self._parts.emit(
            QuestionAsked(time=self._parts.now(), step=step.number, question=question, answer=answer)
        )
        return await self._answered(answer, times, Cause.OBSERVING)

    async def meaning(self, question: str, choices: Sequence[str]) -> str:
        """What the user answers to a question about their command; empty where nobody can be asked.

        Raises:
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        if not self._parts.attended:
            return ""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._control.follow(Signal.USER_NEEDED, Cause.QUESTION, question)
        self._parts.emit(
            QuestionAsked(
                time=self._parts.now(),
                step=0,
                question=question,
                answer=answer,
                choices=tuple(choices),
                kept=self._parts.settings.memory.learning,
            )
        )
        return await self._answered(answer, None, Cause.COMMAND)

    async def agreed(self, instruction: str) -> str:
        """The instruction as the user lets it stand or changes it; as it is where nobody is to be waited for.

        Raises:
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        seconds = self._parts.settings.turn.confirm_meaning_seconds
        if not self._parts.attended or not seconds:
            return instruction
        decision: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._control.follow(Signal.USER_NEEDED, Cause.MEANING)
        self._parts.emit(
            MeaningProposed(
                time=self._parts.now(), instruction=instruction, seconds=seconds, decision=decision
            )
        )
        words = await self._answered(decision, None, Cause.COMMAND)
        return words.strip() or instruction

    async def _answered(self, future: asyncio.Future[T], times: StepTimes | None, then: Cause) -> T:
        try:
            with times.user() if times else nullcontext():
                decided = await self._control.droppable(future)
        except Interrupted:
            if self._control.state is TurnState.WAITING and not self._control.cancelling:
                self._control.follow(Signal.ANSWERED, Cause.OBSERVING)
            raise
        self._control.follow(Signal.ANSWERED, then)
        return decided
