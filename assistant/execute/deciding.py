"""Asking the model for the next action, and telling what it says on the way."""

from __future__ import annotations

from collections.abc import Callable, Collection

from assistant.events import Cause, ModelRetrying, ReplyMalformed, ThoughtStreamed
from assistant.execute.journal import Journal
from assistant.execute.meter import Meter
from assistant.execute.parts import TurnParts
from assistant.execute.secrets import note_about
from assistant.execute.times import StepTimes
from assistant.language import _
from assistant.model.request import Decision, Malformed, ModelUnavailable, Retrying, StepRequest, Thought
from assistant.observations import Observation
from assistant.records import Cost, Usage


class Decider:
    """Turns a screen into the model's decision.

    Args:
        parts: what the turn works with.
        journal: the turn so far.
        doing: is told whether the model thinks or is asked again because it does not answer.
        secrets: the names that the model may ask for.
    """

    def __init__(
        self,
        parts: TurnParts,
        journal: Journal,
        doing: Callable[[Cause], None],
        secrets: Collection[str] = (),
    ) -> None:
        self._parts = parts
        self._journal = journal
        self._doing = doing
        self._about_secrets = [note_about(secrets)] if secrets else []
        self._meter = Meter(parts.store.ledger, journal, parts.model, parts.settings, parts.now)

    async def decide(self, number: int, seen: Observation, times: StepTimes) -> Decision:
        """The model's decision for a step; what was seen is kept.

        Raises:
            ModelError: there is none.
        """
        request = StepRequest(
            instruction=self._journal.kept.instruction,
            observation=seen,
            history=self._journal.history(self._parts.settings.turn.history_steps),
            notes=(*self._journal.notes(), *self._about_secrets),
        )
        replies = self._parts.model.decide(request)
        emit, now = self._parts.emit, self._parts.now
        try:
            async for reply in replies:
                self._doing(Cause.MODEL if isinstance(reply, Retrying) else Cause.THINKING)
                match reply:
                    case Thought(text=text):
                        emit(ThoughtStreamed(time=now(), step=number, text=text))
                    case Retrying(attempt=attempt, delay=delay, reason=reason):
                        emit(ModelRetrying(time=now(), attempt=attempt, delay=delay, reason=reason))
                    case Malformed(attempt=attempt, reason=reason):
                        emit(ReplyMalformed(time=now(), step=number, attempt=attempt, reason=reason))
                    case Decision():
                        self._journal.decided()
                        cost = self.count(reply.usage, reply.seconds_to_first_token)
                        times.decided(reply.usage, reply.seconds_to_first_token, cost)
                        return reply
            raise ModelUnavailable(_("The model's reply ends without an action."))
        finally:
            await replies.aclose()
            self._journal.see(number, seen)

    def count(self, usage: Usage, seconds_to_first_token: float | None = None) -> Cost | None:
        """Count what a request used and tell the sums; its cost where the price is known."""
        cost, told = self._meter.count(self._journal.next_step, usage, seconds_to_first_token)
        self._parts.emit(told)
        return cost
