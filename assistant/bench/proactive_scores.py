"""How well moments to speak are told from quiet ones, and what is said then (PersonalAlign 6.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from rapidfuzz.distance import Levenshtein

from assistant.embedding.embeds import Embeds

BALANCE = 215 / 100
"""Positive states to quiet ones in the paper; ours are weighted to it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a method makes of a state. `right` tells whether its guess is what was wanted."""

    score: float
    positive: bool
    right: bool
    suggested: str
    wanted: str


@dataclass(frozen=True, slots=True)
class Identified:
    """Moments told from quiet ones, each 0..1."""

    precision: float
    recall: float
    f1: float
    false_alarms: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Identification and intent, each 0..1. `sim1` is FingerTip's: the mean of cosine and edit similarity."""

    name: str
    least: float
    identified: Identified
    right: float
    cosine: float
    edit: float

    @property
    def sim1(self) -> float:
        """How like the suggestions are to what was wanted."""
        return (self.cosine + self.edit) / 2

    @property
    def values(self) -> dict[str, float]:
        """All figures by name."""
        told = self.identified
        return {
            "least": self.least,
            "precision": told.precision,
            "recall": told.recall,
            "f1": told.f1,
            "false_alarms": told.false_alarms,
            "right": self.right,
            "cosine": self.cosine,
            "edit": self.edit,
            "sim1": self.sim1,
        }

    def as_json(self) -> dict[str, Any]:
        """Plain values, rounded."""
        return {"method": self.name, **{name: round(value, 4) for name, value in self.values.items()}}


def identified(given: Sequence[Answer], least: float) -> Identified:
    """Identification at a score from which the method speaks."""
    positive = [one for one in given if one.positive]
    quiet = [one for one in given if not one.positive]
    told = len(_told(positive, least))
    alarms = len(_told(quiet, least)) / max(1, len(quiet))
    false = alarms * len(positive) / BALANCE
    precision = told / (told + false) if told else 0.0
    recall = told / max(1, len(positive))
    both = precision + recall
    return Identified(precision, recall, 2 * precision * recall / both if both else 0.0, alarms)


def score(name: str, given: Sequence[Answer], least: float, embeds: Embeds) -> Scores:
    """Identification at a score from which the method speaks, and how well the intent is met."""
    told = _told([one for one in given if one.positive], least)
    cosine, edit = likeness(((one.suggested, one.wanted) for one in told), embeds)
    right = sum(one.right for one in told) / max(1, len(told))
    return Scores(name, least, identified(given, least), right, cosine, edit)


def best_least(given: Sequence[Answer]) -> float:
    """The score with the best F1 in hindsight, which favours a method."""
    return max((step / 50 for step in range(1, 50)), key=lambda least: identified(given, least).f1)


def likeness(pairs: Iterable[tuple[str, str]], embeds: Embeds) -> tuple[float, float]:
    """The mean cosine and the mean similarity by edits of pairs of texts, both 0..1 (FingerTip's Sim1)."""
    full = [(one, other) for one, other in pairs if one and other]
    if not full:
        return 0.0, 0.0
    cosine = fmean(max(0.0, float(embeds.embed([one])[0] @ embeds.embed([other])[0])) for one, other in full)
    edit = fmean(Levenshtein.normalized_similarity(one.casefold(), other.casefold()) for one, other in full)
    return cosine, edit


def _told(given: Sequence[Answer], least: float) -> list[Answer]:
    return [one for one in given if one.score >= least and one.suggested]
