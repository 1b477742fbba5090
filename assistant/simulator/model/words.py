"""What the scripted model knows of language: loose comparison, and names in both languages."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

import yaml


def plain(text: str) -> str:
    """Text for comparing: no case, no width, no signs, single blanks."""
    wide = unicodedata.normalize("NFKC", text).casefold()
    kept = "".join(c if c.isalnum() or c in ":.+-" else " " for c in wide)
    return " ".join(kept.split())


def cjk(text: str) -> bool:
    """Whether the text has Chinese characters."""
    return any("\u4e00" <= c <= "\u9fff" for c in text)


def names(text: str) -> tuple[str, ...]:
    """The text and what else it is called, itself first: `mom` is also `妈妈`."""
    wanted = plain(text)
    others = (other for group in _groups() if wanted in group for other in group)
    return tuple(dict.fromkeys([wanted, *others]))


def closeness(wanted: str, label: str) -> int:
    """How well a label on the screen is what is wanted, 0 for not at all.

    4: it says the same. 3: one of its parts (parted by `·`) does. 2: it begins with it. 1: it contains it
    as words.
    """
    return max((_closeness(name, label) for name in names(wanted)), default=0)


def any_closeness(wanted: Iterable[str], label: str) -> int:
    """The best closeness to any of several words for the same thing."""
    return max((closeness(one, label) for one in wanted), default=0)


def mentioned(text: str, words: Iterable[str]) -> Iterator[str]:
    """Those of the words that occur in the text."""
    flat = plain(text)
    return (word for word in words if _within(plain(word), flat))


def _closeness(wanted: str, label: str) -> int:
    flat = plain(label)
    if not wanted or not flat:
        return 0
    if flat == wanted:
        return 4
    if any(plain(part) == wanted for part in label.replace("\n", "·").split("·")):
        return 3
    if not _within(wanted, flat):
        return 0
    return 2 if flat.startswith(wanted) else 1


def _within(wanted: str, flat: str) -> bool:
    if cjk(wanted):
        return wanted in flat
    return f" {wanted} " in f" {flat} "


@cache
def _groups() -> tuple[frozenset[str], ...]:
    text = files("assistant.simulator.model").joinpath("lexicon.yaml").read_text("utf-8")
    return tuple(frozenset(plain(str(word)) for word in group) for group in yaml.safe_load(text))
