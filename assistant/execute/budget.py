"""The limits of one turn: steps, tokens, money and time. 0 stands for no limit."""

from __future__ import annotations

from assistant.config import TurnSettings
from assistant.language import _
from assistant.memory.turns import Checkpoint
from assistant.money import in_words


def overspent(limits: TurnSettings, kept: Checkpoint, seconds: float) -> str:
    """Which limit a turn has reached, in a sentence that ends it; empty while it may go on.

    Args:
        limits: the settings.
        kept: the turn so far.
        seconds: how long it has been at work, the user's own time left out.
    """
    steps = sum(step.source != "user" for step in kept.steps)
    if steps >= limits.max_steps:
        return _("Stopped after {steps} steps, the most that the settings allow for a turn.").format(
            steps=steps
        )
    if limits.max_tokens and kept.usage.total_tokens >= limits.max_tokens:
        return _("Stopped after {total_tokens:,} tokens; the settings allow {max_tokens:,}.").format(
            total_tokens=kept.usage.total_tokens, max_tokens=limits.max_tokens
        )
    if limits.max_cost and kept.cost is not None and kept.cost.amount >= limits.max_cost:
        return _("Stopped after {amount}, the most that the settings allow for a turn.").format(
            amount=in_words(kept.cost)
        )
    if limits.max_seconds and seconds >= limits.max_seconds:
        return _("Stopped after {seconds:.0f} seconds of work; the settings allow {max_seconds:.0f}.").format(
            seconds=seconds, max_seconds=limits.max_seconds
        )
    return ""
