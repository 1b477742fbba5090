"""Correct: what the user's change of a completed instruction teaches."""

from __future__ import annotations

from assistant.language import _
from assistant.understand.elements import key
from assistant.understand.resolution import Resolution
from assistant.understand.sources import Origin
from assistant.understand.understanding import Lesson
from assistant.understand.values import LONGEST, plain_value


def correction(resolution: Resolution, instruction: str) -> Lesson | None:
    """The new value of the one element that was replaced; None where the change is of another kind.

    What a preference had filled in teaches nothing here: a dish for today is no other usual dish, and the
    record of the turn counts towards the preference as any other.
    """
    before = resolution.instruction
    for one in resolution.meanings:
        if one.found is None or one.found.preference is not None or before.count(one.found.value) != 1:
            continue
        start, end = before.split(one.found.value)
        if not (instruction.startswith(start) and instruction.endswith(end)):
            continue
        value = plain_value(instruction[len(start) : len(instruction) - len(end)])[:LONGEST]
        if value and key(one.found.value) not in key(value):
            return Lesson(one.element.text, value, Origin.USER, _("you changed it"), confirmed=True)
    return None


def still_held(lessons: tuple[Lesson, ...], instruction: str, taught: Lesson | None) -> tuple[Lesson, ...]:
    """The lessons that hold after a change: not those about the same words, nor what was struck out."""
    words = key(taught.words) if taught else None
    kept = (one for one in lessons if key(one.words) != words)
    held = tuple(one for one in kept if one.confirmed or one.value in instruction)
    return (*held, taught) if taught else held
