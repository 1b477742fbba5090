"""Why a meaning is believed, in words for a person: who said it or did it, how often, and when."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.i18n import _, day_of, later
from assistant.memory.profile.graph import Evidence, Strength
from assistant.memory.prototypes.model import Prototype
from assistant.text_layout import shortened

_LONGEST = 100
"""Cells of a task that is quoted."""

_STRONGEST_FIRST = tuple(reversed(Strength))
_REASONS = {
    Strength.USER: later("you said so on {day}"),
    Strength.SWITCHED: later("you said so in a command on {day}"),
    Strength.STATED: later("you said so in a command on {day}"),
    Strength.EXPLORED: later("read on the phone on {day}"),
}


def format_habit_reason(prototype: Prototype) -> str:
    """Why a preference is one: what was done so often, or what the user wrote in its place."""
    last = max((record.time for record in prototype.members), default=None)
    count = len(prototype.members)
    if last is None:
        return _("you wrote it in the memory") if prototype.worded else ""
    if prototype.worded:
        wrote = _("you wrote it in the memory, in place of what you did {count} times · last {day}")
        once = _("you wrote it in the memory, in place of what you did on {day}")
        return (once if count == 1 else wrote).format(count=count, day=day_of(last))
    task = shortened(prototype.instruction, _LONGEST)
    if count == 1:
        return _("learnt: you did “{task}” once, on {day}").format(task=task, day=day_of(last))
    sentence = _("learnt: you did “{task}” {count} times · last {day}")
    return sentence.format(task=task, count=count, day=day_of(last))


def format_value_reason(evidence: Sequence[Evidence]) -> str:
    """Why a value of the profile is believed: the strongest evidence for it, and its newest day."""
    strengths = {item.strength for item in evidence}
    strongest = next((item for item in _STRONGEST_FIRST if item in strengths), None)
    if strongest is None:
        return ""
    strongest_evidence = [item for item in evidence if item.strength is strongest]
    day = day_of(max(item.time for item in strongest_evidence))
    if strongest in _REASONS:
        return _(_REASONS[strongest]).format(day=day)
    if len(strongest_evidence) == 1:
        return _("from what you asked for on {day}").format(day=day)
    return _("from {count} of your commands · last {day}").format(count=len(strongest_evidence), day=day)
