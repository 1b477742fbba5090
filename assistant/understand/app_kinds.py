"""Kinds of apps, and what of a person's life each kind holds."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict

from assistant.embedding.embeds import Embeds
from assistant.understand.types import Category

_MIN_SIMILARITY = 0.45
_EXACT, _WORD = 1.0, 0.9
_MOSTLY = 0.5


class AppKind(BaseModel):
    """A kind of app, as `app_kinds.yaml` tells it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    labels: tuple[str, ...]
    about: str
    holds: dict[Category, float]
    topics: tuple[str, ...] = ()


@cache
def app_kinds() -> Mapping[str, AppKind]:
    """All kinds, by name."""
    text = files("assistant.understand").joinpath("app_kinds.yaml").read_text("utf-8")
    return {name: AppKind.model_validate(entry) for name, entry in yaml.safe_load(text).items()}


def kinds_from_label(label: str) -> dict[str, float]:
    """The kinds that the words of an app's label tell, with how surely, 0..1."""
    folded = label.casefold()
    scores: dict[str, float] = {}
    for name, kind in app_kinds().items():
        if folded in kind.labels:
            scores[name] = _EXACT
        elif any(_contains_word(folded, word) for word in kind.labels):
            scores[name] = _WORD
    return scores


def kinds_by_commands(commands: Iterable[tuple[str, str]]) -> dict[str, dict[str, float]]:
    """The kinds that the commands carried out in an app tell, by its label; surer the more commands say so.

    Args:
        commands: the label of an app and a command that was carried out there.
    """
    topics: dict[str, list[frozenset[str]]] = defaultdict(list)
    for label, command in commands:
        topics[label].append(find_topics(command))
    kinds = {
        label: {
            kind: count / (len(topic_sets) + 1)
            for kind, count in Counter(kind for topic_set in topic_sets for kind in topic_set).items()
            if count >= _MOSTLY * len(topic_sets)
        }
        for label, topic_sets in topics.items()
    }
    return {label: topic_set for label, topic_set in kinds.items() if topic_set}


def kinds_by_meaning(labels: Sequence[str], embeds: Embeds) -> dict[str, dict[str, float]]:
    """The nearest kind of each label by its embedding; labels that are near none are left out."""
    if not labels:
        return {}
    names = list(app_kinds())
    descriptions = [f"{name} app: {app_kinds()[name].about}" for name in names]
    vectors = embeds.embed([*labels, *descriptions])
    cosines = vectors[: len(labels)] @ vectors[len(labels) :].T
    nearest = np.argmax(cosines, axis=1)
    return {
        label: {names[int(index)]: float(row[index])}
        for label, index, row in zip(labels, nearest, cosines, strict=True)
        if row[index] >= _MIN_SIMILARITY
    }


def find_topics(text: str) -> frozenset[str]:
    """The kinds of app that the words of a text are about."""
    folded = text.casefold()
    return frozenset(
        name
        for name, kind in app_kinds().items()
        if any(_contains_word(folded, word) for word in kind.topics)
    )


def _contains_word(text: str, word: str) -> bool:
    return (
        bool(re.search(rf"(?<![a-z]){re.escape(word)}s?(?![a-z])", text)) if word.isascii() else word in text
    )
