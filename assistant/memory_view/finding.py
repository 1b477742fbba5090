"""Finding by words: what holds them all comes first, then what is written alike, then what means alike."""

from __future__ import annotations

from heapq import nsmallest

from rapidfuzz import fuzz, process

from assistant.memory_view.texts import Texts

LIKE_ENOUGH = 70.0
"""The likeness, 0 to 100, from which a text is found by words that it does not hold."""

_ENOUGH = 500
"""So many that hold the words are enough: nothing that is only alike is looked for then."""


def matching(texts: Texts, words: str, most: int = _ENOUGH) -> list[str]:
    """The keys of the texts that some words find, the best first; all keys for no words."""
    wanted = words.casefold().split()
    if not wanted:
        return list(texts.keys[:most])
    first, rest = wanted[0], wanted[1:]
    held = [at for at, text in enumerate(texts.texts) if first in text and all(word in text for word in rest)]
    if len(held) >= most:
        return [texts.keys[at] for at in nsmallest(most, held, key=lambda at: len(texts.texts[at]))]
    alike = _alike(texts, " ".join(wanted), most)
    return [texts.keys[at] for at in dict.fromkeys([*held, *alike])][:most]


def _alike(texts: Texts, words: str, most: int) -> list[int]:
    """The places of texts with words that are written alike, such as “nodles” for “noodles”."""
    places = texts.pairs.sharing(words)
    compared = [texts.texts[at] for at in places]
    found = process.extract(
        words, compared, scorer=fuzz.partial_ratio, processor=None, score_cutoff=LIKE_ENOUGH, limit=most
    )
    # A text that is shorter than the words lies in them by chance: “a” is in everything.
    return [places[at] for text, _, at in found if 2 * len(text.strip()) >= len(words)]
