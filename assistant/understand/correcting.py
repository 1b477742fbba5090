"""Correct: what the user's change of a completed instruction teaches."""

from __future__ import annotations

from assistant.i18n import _
from assistant.understand.resolution import Resolution
from assistant.understand.service import Lesson
from assistant.understand.sources import Origin
from assistant.understand.types import normalize_key
from assistant.understand.values import MAX_VALUE_LENGTH, normalize_value


def find_correction(resolution: Resolution, instruction: str) -> Lesson | None:
    """The new value of the one element that was replaced; None where the change is of another kind.

    What a preference had filled in teaches nothing here: a dish for today is no other usual dish, and the
    record of the turn counts towards the preference as any other.
    """
    before = resolution.instruction
    for meaning in resolution.meanings:
        if (
            meaning.chosen is None
            or meaning.chosen.preference is not None
            or before.count(meaning.chosen.value) != 1
        ):
            continue
        start, end = before.split(meaning.chosen.value)
        if not (instruction.startswith(start) and instruction.endswith(end)):
            continue
        value = normalize_value(instruction[len(start) : len(instruction) - len(end)])[:MAX_VALUE_LENGTH]
        if value and normalize_key(meaning.chosen.value) not in normalize_key(value):
            return Lesson(meaning.element.text, value, Origin.USER, _("you changed it"), confirmed=True)
    return None


def update_lessons(
    lessons: tuple[Lesson, ...], instruction: str, correction: Lesson | None
) -> tuple[Lesson, ...]:
    """The lessons that hold after a change: not those about the same words, nor what was struck out."""
    words = normalize_key(correction.words) if correction else None
    other_lessons = (lesson for lesson in lessons if normalize_key(lesson.words) != words)
    remaining = tuple(lesson for lesson in other_lessons if lesson.confirmed or lesson.value in instruction)
    return (*remaining, correction) if correction else remaining
