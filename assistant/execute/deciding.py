"""Asks the model for the next action, and emits its thoughts while they stream."""

from __future__ import annotations

from collections.abc import Callable, Collection

from assistant.agent.checkpoint import Journal
from assistant.agent.secret_entry import format_secret_note
from assistant.events import Cause, ModelRetrying, ReplyMalformed, ThoughtStreamed
from assistant.execute.meter import Meter
from assistant.execute.parts import TurnParts
from assistant.execute.times import StepTimes
from assistant.i18n import _
from assistant.model.request import Decision, Malformed, ModelUnavailable, Retrying, StepRequest, Thought
from assistant.records import Cost, Observation, Usage


class Decider:
    """Asks the model what to do on a screen.

    Args:
        context: phone, model, store and settings of the turn.
        checkpointer: the turn so far.
        set_cause: called with `Cause.THINKING`, or `Cause.MODEL` while a request is being repeated.
        secret_names: the secrets that the model may refer to.
    """

    def __init__(
        self,
        context: TurnParts,
        checkpointer: Journal,
        set_cause: Callable[[Cause], None],
        secret_names: Collection[str] = (),
    ) -> None:
        self._context = context
        self._checkpointer = checkpointer
        self._set_cause = set_cause
        self._secret_notes = [format_secret_note(secret_names)] if secret_names else []
        self._usage_tracker = Meter(
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
