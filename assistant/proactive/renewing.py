"""What becomes of a suggestion that waits when the memory behind it has changed: a pure decision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from assistant.memory.prototypes.model import Prototype
from assistant.proactive.choosing import EVIDENCE, may_be_now
from assistant.proactive.reasons import reasons
from assistant.proactive.suggestions import Suggestion
from assistant.records import State


def behind(suggestion: Suggestion, prototypes: Iterable[Prototype]) -> Prototype | None:
    """The routine of a suggestion, by its anchor, else by its name; None where neither is known now."""
    named = None
    for one in prototypes:
        if suggestion.anchor in one.evidence:
            return one
        if one.id == suggestion.routine:
            named = one
    return named


def renewed(suggestion: Suggestion, said: str, prototypes: Iterable[Prototype]) -> Suggestion | None:
    """A suggestion as it would be made of the memory as it is now, at the time it was made.

    Args:
        suggestion: one that is not over.
        said: the routine's own words at that time; a model may have put them otherwise.
        prototypes: the routines that may be suggested now.

    Returns:
        None where it would not be made: its routine is gone or hidden, or has other hours or another place.
    """
    routine = behind(suggestion, prototypes)
    then = State(time=suggestion.made, scenario=suggestion.scenario)
    if routine is None or routine.hidden or not may_be_now(routine, then):
        return None
    return replace(
        suggestion,
        routine=routine.id,
        anchor=suggestion.anchor if suggestion.anchor in routine.evidence else routine.centre_id,
        instruction=suggestion.instruction if routine.instruction == said else routine.instruction,
        evidence=routine.evidence[:EVIDENCE],
        why=reasons(routine.members, then) or suggestion.why,
    )
