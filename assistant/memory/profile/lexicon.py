"""What the deterministic extractor knows: areas of life, and the wordings of common preferences.

The words are in `lexicon.yaml`, English and Chinese together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from assistant.memory.profile.nodes import ALIAS, ALLERGY, WISH, is_chinese, normalised

LISTS = frozenset((ALIAS, WISH, ALLERGY, "avoid", "companion"))
"""Keys whose values hold beside each other."""

HABITS = "Habits"
"""The domain of what belongs to no other."""


@dataclass(frozen=True, slots=True)
class Domain:
    """An area of life: a concept of the profile. `entity` names the node of its preferences, if any."""

    name: str
    about: str
    entity: str
    words: re.Pattern[str] | None
    apps: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Wording:
    """A pattern that tells the value of a key. `sense` is empty where every wording is its own value."""

    key: str
    sense: str
    pattern: re.Pattern[str]
    domains: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Everything, compiled."""

    domains: dict[str, Domain]
    linked: tuple[tuple[str, str], ...]
    wordings: tuple[Wording, ...]
    same: dict[str, str]

    def sense_of(self, text: str) -> str:
        """What makes two names the same one: that of either language."""
        plain = normalised(text)
        return self.same.get(plain, plain)

    def keeps_one(self, key: str, otherwise: bool) -> bool:
        """Whether one value of a key holds at a time; `otherwise` where the key is not known here."""
        plain = normalised(key)
        if plain in LISTS:
            return False
        return otherwise or any(wording.key == plain for wording in self.wordings)

    def wordings_of(self, domain: str) -> Iterator[Wording]:
        """The wordings that count in a domain."""
        return (one for one in self.wordings if domain in one.domains)


@cache
def lexicon() -> Lexicon:
    """The lexicon of the package."""
    text = (files("assistant.memory.profile") / "lexicon.yaml").read_text("utf-8")
    data = yaml.load(text, Loader=yaml.CSafeLoader)
    domains = {name: _domain(name, described) for name, described in data["domains"].items()}
    same = {normalised(name): normalised(group[0]) for group in data["same"] for name in group}
    return Lexicon(
        domains, tuple((one, other) for one, other in data["linked"]), tuple(_wordings(data)), same
    )


def _domain(name: str, described: dict[str, Any]) -> Domain:
    words, apps = described.get("words"), described.get("apps")
    return Domain(
        name=name,
        about=described["about"],
        entity=described.get("entity", ""),
        words=_any_of(words) if words else None,
        apps=_any_of(apps) if apps else None,
    )


def _wordings(data: dict[str, Any]) -> Iterator[Wording]:
    for key, senses in data["senses"].items():
        domains = frozenset(senses.pop("domains"))
        for sense, patterns in senses.items():
            yield Wording(key, sense, _any_of(patterns), domains)
    for key, described in data["lists"].items():
        yield Wording(key, "", _any_of(described["items"]), frozenset(described["domains"]))


def _any_of(patterns: Iterable[Any]) -> re.Pattern[str]:
    return re.compile("|".join(map(_bounded, map(str, patterns))), re.IGNORECASE)


def _bounded(pattern: str) -> str:
    """A pattern that does not begin or end inside a Latin word or a number."""
    written = pattern.replace("#", r"\d+(?:\.\d+)?")
    return rf"(?<![A-Za-z0-9])(?:{written})(?![A-Za-z0-9])" if _is_latin(pattern) else f"(?:{written})"


def _is_latin(pattern: str) -> bool:
    return not is_chinese(pattern)
