"""The ways in which a habit is done: which one is likeliest now, how far they agree, which are past."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.memory.prototypes.model import Preference
from assistant.memory.prototypes.terms import word_set
from assistant.understand.types import Alike, Habit
from assistant.understand.words import find_names, language_code, portions_of, word_keys

_SAME_WAY = 0.5
"""Minimum cosine of two instructions of one habit that differ in words only."""
_SUPERSEDED = 5
"""Minimum number of times in a row that a habit is done in other ways for one way to be of the past."""


def choose_way(command: str, habit: Habit, similarity: Alike | None) -> Preference:
    """The way in which a habit would be done now, in its fullest usual words.

    The centre of all records says best what is done in all ways, unless it differs from the likeliest way or
    lacks a word of the command that this has.
    """
    names = find_names(command, language_code(command))
    named = (way for way in habit.ways if names and names <= word_keys(way.prototype.instruction))
    likeliest = next(named, _current_ways(habit, similarity)[0])
    centre = habit.preference
    said = word_set(command) & word_set(likeliest.prototype.instruction)
    is_told_apart = not said <= word_set(centre.prototype.instruction)
    return likeliest if is_told_apart or not _are_same_way(likeliest, centre, similarity) else centre


def agreement_of(habit: Habit, way: Preference, similarity: Alike | None) -> float:
    """The share of a habit's ways that do not differ from one of them, 0..1."""
    ways = _current_ways(habit, similarity)
    total = sum(other.confidence for other in ways)
    same = sum(other.confidence for other in ways if _are_same_way(way, other, similarity))
    return same / total if total else 0.0


def _current_ways(habit: Habit, similarity: Alike | None) -> Sequence[Preference]:
    """The ways of a habit without those whose place another has taken; all if that leaves none."""
    current = [way for way in habit.ways if not _is_superseded(way, habit, similarity)]
    return current or habit.ways


def _is_superseded(way: Preference, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a habit goes on, but in other ways: far more often in a row than ever before."""
    newest = sorted(member.time for other in habit.ways for member in other.prototype.members)[-_SUPERSEDED:]
    if not newest or any(member.time >= newest[0] for member in way.prototype.members):
        return False
    same = {id(other): _are_same_way(way, other, similarity) for other in habit.ways}
    members = sorted(
        (member.time, same[id(other)]) for other in habit.ways for member in other.prototype.members
    )
    # How often in a row it was done in other ways: before, between and after the records of this way.
    runs = [0]
    for _time, is_same in members:
        runs = [*runs, 0] if is_same else [*runs[:-1], runs[-1] + 1]
    return len(runs) > 1 and runs[-1] >= max(_SUPERSEDED, 2 * max(runs[1:-1], default=0))


def _are_same_way(left: Preference, right: Preference, similarity: Alike | None) -> bool:
    """Whether two instructions differ in words only: no other numbers, and alike in meaning."""
    said, other = left.prototype.instruction, right.prototype.instruction
    if said == other:
        return True
    numbers, other_numbers = portions_of(said), portions_of(other)
    if numbers and other_numbers and not (numbers <= other_numbers or other_numbers <= numbers):
        return False
    likeness = similarity(said, [other]) if similarity else ()
    return bool(likeness) and max(likeness) >= _SAME_WAY
