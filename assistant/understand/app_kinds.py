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
from assistant.understand.elements import Category

_LIKE_ENOUGH = 0.45
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
    return {name: AppKind.model_validate(one) for name, one in yaml.safe_load(text).items()}


def kinds_of(label: str) -> dict[str, float]:
    """The kinds that the words of an app's label tell, with how surely, 0..1."""
    plain = label.casefold()
    found: dict[str, float] = {}
    for name, kind in app_kinds().items():
        if plain in kind.labels:
            found[name] = _EXACT
        elif any(_holds_word(plain, word) for word in kind.labels):
            found[name] = _WORD
    return found


def kinds_by_commands(commands: Iterable[tuple[str, str]]) -> dict[str, dict[str, float]]:
    """The kinds that the commands carried out in an app tell, by its label; surer the more commands say so.

    Args:
        commands: the label of an app and a command that was carried out there.
    """
    topics: dict[str, list[frozenset[str]]] = defaultdict(list)
    for label, command in commands:
        topics[label].append(topics_in(command))
    kinds = {
        label: {
            kind: count / (len(told) + 1)
            for kind, count in Counter(kind for several in told for kind in several).items()
            if count >= _MOSTLY * len(told)
        }
        for label, told in topics.items()
    }
    return {label: several for label, several in kinds.items() if several}


def kinds_by_meaning(labels: Sequence[str], embeds: Embeds) -> dict[str, dict[str, float]]:
    """The nearest kind of each label by its embedding; labels that are near none are left out."""
    if not labels:
        return {}
    names = list(app_kinds())
    about = [f"{name} app: {app_kinds()[name].about}" for name in names]
    vectors = embeds.embed([*labels, *about])
    cosines = vectors[: len(labels)] @ vectors[len(labels) :].T
    nearest = np.argmax(cosines, axis=1)
    return {
        label: {names[int(place)]: float(row[place])}
        for label, place, row in zip(labels, nearest, cosines, strict=True)
        if row[place] >= _LIKE_ENOUGH
    }


def topics_in(text: str) -> frozenset[str]:
    """The kinds of app that the words of a text are about."""
    plain = text.casefold()
    return frozenset(
        name for name, kind in app_kinds().items() if any(_holds_word(plain, word) for word in kind.topics)
    )


def _holds_word(text: str, word: str) -> bool:
    return (
        bool(re.search(rf"(?<![a-z]){re.escape(word)}s?(?![a-z])", text)) if word.isascii() else word in text
    )
