"""The limits of one turn: steps, tokens, cost and time. 0 means no limit."""

from __future__ import annotations

from assistant.i18n import _
from assistant.memory.turns import Checkpoint
from assistant.records import in_words
from assistant.settings.schema import TurnSettings


def find_exceeded_limit(limits: TurnSettings, checkpoint: Checkpoint, seconds: float) -> str:
    """The sentence that ends a turn because it reached a limit; empty if it has not.

    Args:
        limits: the settings.
        checkpoint: the turn so far.
        seconds: working time of the turn, without waiting for the user.
    """
    steps = sum(step.source != "user" for step in checkpoint.steps)
    if steps >= limits.max_steps:
        return _("Stopped after {steps} steps, the most that the settings allow for a turn.").format(
            steps=steps
        )
    if limits.max_tokens and checkpoint.usage.total_tokens >= limits.max_tokens:
        return _("Stopped after {total_tokens:,} tokens; the settings allow {max_tokens:,}.").format(
            total_tokens=checkpoint.usage.total_tokens, max_tokens=limits.max_tokens
        )
    if limits.max_cost and checkpoint.cost is not None and checkpoint.cost.amount >= limits.max_cost:
        return _("Stopped after {amount}, the most that the settings allow for a turn.").format(
            amount=in_words(checkpoint.cost)
        )
    if limits.max_seconds and seconds >= limits.max_seconds:
        return _("Stopped after {seconds:.0f} seconds of work; the settings allow {max_seconds:.0f}.").format(
            seconds=seconds, max_seconds=limits.max_seconds
        )
    return ""
