"""What the scripted model knows of language: loose comparison, and names in both languages."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

import yaml

from assistant.files import read_words

_REMEMBERED = 20_000
"""How many comparisons are kept: the same few words meet the same labels on screen after screen."""


@lru_cache(_REMEMBERED)
def plain(text: str) -> str:
    """Text for comparing: no case, no width, no signs, single blanks."""
    wide = unicodedata.normalize("NFKC", text).casefold()
    kept = "".join(c if c.isalnum() or c in ":.+-" else " " for c in wide)
    return " ".join(kept.split())


def cjk(text: str) -> bool:
    """Whether the text has Chinese characters."""
    return any("\u4e00" <= c <= "\u9fff" for c in text)


def traditional(text: str) -> bool:
    """Whether a text has characters of the traditional script only: Big5 has them, GB 2312 does not."""
    return any(cjk(c) and _encodes(c, "big5") and not _encodes(c, "gb2312") for c in text)


def _encodes(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


@lru_cache(_REMEMBERED)
def stem(text: str) -> str:
    """Plain text with plurals as singulars, good enough to compare names."""
    return " ".join(
        word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" else word
        for word in plain(text).split()
    )


def names(text: str) -> tuple[str, ...]:
    """The text and what else it is called, itself first: `mom` is also `妈妈`."""
    own_stem = stem(text)
    return (own_stem, *sorted(_others().get(own_stem, frozenset()) - {own_stem}))


@lru_cache(_REMEMBERED)
def closeness(text: str, label: str) -> int:
    """How well a label on the screen is what is wanted, 0 for not at all.

    5: it says just the same. 4: the same in other words. 3: one of its parts (parted by `·`) does. 2: it
    begins with it. 1: it contains it as words.
    """
    if plain(text) == plain(label) != "":
        return 5
    return max((_closeness(name, label) for name in names(text)), default=0)


def any_closeness(texts: Iterable[str], label: str) -> int:
    """The best closeness to any of several words for the same thing."""
    return max((closeness(word, label) for word in texts), default=0)


def _closeness(name_stem: str, label: str) -> int:
    flat = stem(label)
    if not name_stem or not flat:
        return 0
    if flat == name_stem:
        return 4
    if any(stem(part) == name_stem for part in label.replace("\n", "·").split("·")):
        return 3
    if not _within(name_stem, flat):
        return 0
    return 2 if flat.startswith(name_stem) else 1


def _within(name_stem: str, flat: str) -> bool:
    if cjk(name_stem):
        return name_stem in flat
    return f" {name_stem} " in f" {flat} "


@cache
def kinds(word: str) -> tuple[str, ...]:
    """What is of a kind: a latte is a coffee. Empty for what is none."""
    return tuple(read_words("assistant.simulator.model", "kinds.yaml").get(stem(word), ()))


@cache
def _others() -> Mapping[str, frozenset[str]]:
    """All names of a thing by each of them: the lexicon's, and those that the simulated apps pair."""
    others: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    text = files("assistant.simulator.model").joinpath("lexicon.yaml").read_text("utf-8")
    lexicon = yaml.load(text, Loader=yaml.CSafeLoader)
    for group in [*lexicon, *_pairs()]:
        same = frozenset(stem(str(word)) for word in group)
        for word in same:
            others[word] |= same
    return others


def _pairs() -> Iterator[tuple[str, str]]:
    for file in files("assistant.simulator.apps").joinpath("data").iterdir():
        if file.name.endswith(".yaml"):
            yield from _paired(yaml.load(file.read_text("utf-8"), Loader=yaml.CSafeLoader))


def _paired(value: object) -> Iterator[tuple[str, str]]:
    match value:
        case {"en": str(english), "zh": str(chinese)}:
            yield english, chinese
        case dict():
            for part in value.values():
                yield from _paired(part)
        case list():
            for part in value:
                yield from _paired(part)
