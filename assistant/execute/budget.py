"""The limits of one turn: steps, tokens, money and time. 0 stands for no limit."""

from __future__ import annotations

from assistant.config import TurnSettings
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
        return f"Stopped after {steps} steps, the most that the settings allow for a turn."
    if limits.max_tokens and kept.usage.total_tokens >= limits.max_tokens:
        return f"Stopped after {kept.usage.total_tokens:,} tokens; the settings allow {limits.max_tokens:,}."
    if limits.max_cost and kept.cost is not None and kept.cost.amount >= limits.max_cost:
        return f"Stopped after {in_words(kept.cost)}, the most that the settings allow for a turn."
    if limits.max_seconds and seconds >= limits.max_seconds:
        return f"Stopped after {seconds:.0f} seconds of work; the settings allow {limits.max_seconds:.0f}."
    return ""
