"""A habit beside a command: in which way it would be done, and how far it explains what was said.

`choose_way` finds the likeliest way now; ways whose place others took are past. `find_support` is the
probability that a habit is what a command means, by what of the command it bears out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import exp, log

from assistant.memory.prototypes.model import Preference
from assistant.memory.prototypes.terms import VERBS, plain_command, word_set
from assistant.records import State
from assistant.understand.slots import find_hour
from assistant.understand.types import Alike, CommandLanguage, Habit
from assistant.understand.words import (
    detect_language,
    find_names,
    language_code,
    portions_of,
    weekdays_of,
    word_keys,
)

_SAME_WAY = 0.5
"""Minimum cosine of two instructions of one habit that differ in words only."""
_MOSTLY = 0.65
"""Minimum share of a habit's ways that must agree with the one that is taken, not to differ."""
_RELATED = 0.6
"""Minimum cosine of a word with one of a habit that means nearly the same."""
_UNRELATED = 0.3
"""Cosine of a word with those of a habit up to which nothing there bears it out, and how much more does."""
_BORNE_OUT = 0.7
_HALF = 0.5
_LEAST_SAID = 0.25
"""Minimum share of a command's words that a habit must have, not to be about something else."""
_REGULAR = 5
"""Minimum number of records that tell on which days a habit is done."""
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


def do_ways_differ(habit: Habit, way: Preference, similarity: Alike | None) -> bool:
    """Whether too few of a habit's ways agree with one of them to take it."""
    ways = _current_ways(habit, similarity)
    total = sum(other.confidence for other in ways)
    same = sum(other.confidence for other in ways if _are_same_way(way, other, similarity))
    return same < _MOSTLY * total or not total


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


@dataclass(frozen=True, slots=True)
class HabitFeatures:
    """What speaks for a habit as the meaning of a command, and against it.

    Attributes:
        rank: the logit of its share of all answers.
        borne_out: how far its way bears out the words of the command, on average: 1 where a word is there or
            one that means nearly the same, 0 where nothing is like it.
        records: the logarithm of the number of its records.
        about_else: whether hardly a word of the command is in it.
        of_another: whether the command has a word that another habit has and this one lacks.
    """

    rank: float
    borne_out: float
    records: float
    about_else: float
    of_another: float


@dataclass(frozen=True, slots=True)
class HabitWeights:
    """What each feature counts in the logit of the probability that a habit is meant.

    Fitted on 233 commands of twelve lives by strangers in which a habit passed the checks of `verify`, and
    was meant in 170. With each life judged by the weights of the other eleven, 119 were meant of 125 from
    `recall.HABIT_THRESHOLD` on.
    """

    rank: float = 0.97
    borne_out: float = 1.67
    records: float = -0.62
    about_else: float = -0.9
    of_another: float = -0.67
    constant: float = 1.01

    def probability(self, features: HabitFeatures) -> float:
        """The probability of features, 0..1."""
        names = (feature.name for feature in fields(HabitFeatures))
        score = self.constant + sum(getattr(self, name) * getattr(features, name) for name in names)
        return 1.0 / (1.0 + exp(-score))


def find_support(
    command: str,
    habit: Habit,
    way: Preference,
    others: Sequence[Habit],
    similarity: Alike | None,
) -> float:
    """The probability that a habit is what a command means, 0..1.

    Args:
        command: the command, with what is certain of it filled in.
        habit: the habit.
        way: the way in which it would be done.
        others: the other habits that the command may mean.
        similarity: compares the meanings of texts; None for words alone.
    """
    features = HabitFeatures(
        rank=log((habit.confidence + _EVEN) / (1 + _EVEN - habit.confidence)),
        borne_out=_borne_out(command, way, similarity),
        records=log(max(len(habit.preference.prototype.members), 1)),
        about_else=_is_about_else(command, habit, similarity),
        of_another=_is_said_of_another(command, habit, others),
    )
    return HabitWeights().probability(features)


_EVEN = 0.02
"""Added to a share and its rest, so that both have a logarithm."""


def _borne_out(command: str, way: Preference, similarity: Alike | None) -> float:
    """How far a way bears out the words of a command, on average, 0..1; 0 for a command without any."""
    said = word_set(plain_command(command))
    done = word_set(way.prototype.instruction) | word_set(way.prototype.app)
    texts = sorted(done)
    cosines = [
        1.0 if word in done else max(similarity(word, texts) if similarity and texts else (), default=0.0)
        for word in sorted(said)
    ]
    scaled = (min(max((cosine - _UNRELATED) / (_BORNE_OUT - _UNRELATED), 0.0), 1.0) for cosine in cosines)
    return sum(scaled) / len(cosines) if cosines else 0.0


def _is_about_else(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether hardly a word of a command is in a habit or means nearly the same as one there."""
    missing, said = _words_beside(command, habit, similarity)
    return bool(said) and len(said) - len(missing) < _LEAST_SAID * len(said)


def _is_said_of_another(command: str, habit: Habit, others: Sequence[Habit]) -> bool:
    """Whether a command has a word that is in another habit and not in this one: coffee is no noodles."""
    missing = word_set(plain_command(command)) - VERBS - words_of_habit(habit)
    return any(missing & words_of_habit(other) for other in others)


def says_more(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a command says something that is not in a habit: a soda beside lunch.

    A word that means nearly the same as one of the habit's is in it; verbs and parts of the day are no more.
    Of the pairs of Chinese characters some are missing in any other wording.
    """
    missing, said = _words_beside(command, habit, similarity)
    if detect_language(command) is CommandLanguage.ZH:
        return len(missing) > _HALF * len(said)
    return any(find_hour(word) is None and not weekdays_of(word, "en") for word in missing - VERBS)


def shares_nothing(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a command says something, and none of it is in a habit, nor nearly the same: “asdf”."""
    if detect_language(command) is CommandLanguage.ZH:
        return not set(plain_command(command)) & set("".join(habit.texts))
    said = word_set(plain_command(command))
    if not said or said & words_of_habit(habit):
        return False
    return _words_beside(command, habit, similarity)[0] == said


def _words_beside(
    command: str, habit: Habit, similarity: Alike | None
) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a command that are not in a habit, and all its words.

    Pairs of Chinese characters are compared as they are, because they cross words.
    """
    said, done = word_set(plain_command(command)), words_of_habit(habit)
    missing = said - done
    if similarity is not None and done and detect_language(command) is CommandLanguage.EN:
        texts = list(done)
        missing = frozenset(word for word in missing if max(similarity(word, texts), default=0.0) < _RELATED)
    return missing, said


def is_never_done_then(command: str, habit: Habit, state: State) -> bool:
    """Whether a command names nothing of a habit, and the habit is never done on such a day."""
    said = word_set(plain_command(command))
    done = words_of_habit(habit)
    times = [member.time for member in habit.preference.prototype.members]
    same_day = any(time.weekday() == state.time.weekday() for time in times)
    named = said & done and find_hour(command) is None
    return not named and not same_day and len(times) >= _REGULAR


def words_of_habit(habit: Habit) -> frozenset[str]:
    """The content words of a habit's instructions and of its app."""
    app = habit.preference.prototype.app
    return frozenset().union(*(word_set(text) for text in (*habit.texts, app)))
