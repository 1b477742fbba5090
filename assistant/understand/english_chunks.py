"""Noun phrases of an English command, found by their closed-class edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.understand import english_words as words
from assistant.understand.tokens import Part, Token, is_in_lexicon

_INSIDE = (Part.NOUN, Part.NAME, Part.NUMBER)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase without a possessive inside: tokens `start`..`end` of the sentence.

    `first` is the first token after determiners and numbers; `determiner` is the last of those words.
    """

    start: int
    first: int
    end: int
    determiner: str


def parse_phrase_chain(tokens: Sequence[Token], index: int) -> list[Phrase]:
    """The phrase that begins here, with those that "'s" links to it."""
    chain: list[Phrase] = []
    while phrase := parse_phrase(tokens, index, linked=bool(chain)):
        chain.append(phrase)
        index = phrase.end
        if index >= len(tokens) or tokens[index].part is not Part.OWNING:
            break
        index += 1
    return chain


def parse_phrase(tokens: Sequence[Token], index: int, *, linked: bool) -> Phrase | None:
    """The phrase that begins here; a `linked` one stands behind "'s" and has no determiner."""
    start = index
    determiner = ""
    while index < len(tokens) and not linked and _opens(tokens, index):
        determiner = tokens[index].lower
        index += 1
    first = index
    while index < len(tokens) and _continues(tokens, index, first, determiner):
        index += 1
    if determiner and index == first + 1 and _lacks_head(tokens, index):
        index += 1
    return Phrase(start, first, index, determiner) if index > first else None


def _lacks_head(tokens: Sequence[Token], index: int) -> bool:
    """Whether a modifier stands alone before a last word, which then is its noun: "the favorite up"."""
    if tokens[index - 1].lower not in words.HABIT_ADJECTIVES - words.HEADLESS or index >= len(tokens):
        return False
    last = index + 1 >= len(tokens) or tokens[index + 1].part in (Part.MARK, Part.CONJUNCTION, Part.OWNING)
    return last and tokens[index].part in (Part.PREPOSITION, Part.ADVERB, Part.VERB)


def _opens(tokens: Sequence[Token], index: int) -> bool:
    token = tokens[index]
    return token.part in (Part.DETERMINER, Part.POSSESSIVE)


def _continues(tokens: Sequence[Token], index: int, first: int, determiner: str) -> bool:
    """Whether a token belongs to the phrase that began at `first`."""
    token = tokens[index]
    if token.part in _INSIDE:
        return not (index > first and _splits(tokens, index, first, determiner))
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if token.lower in words.HABIT_ADVERBS:
        habitual = words.HABIT_PARTICIPLES | words.HABIT_ADVERBS
        return following is not None and following.lower in habitual
    before = tokens[index - 1] if index > first else None
    if before is not None and before.lower in words.HABIT_ADVERBS:
        return token.lower in words.HABIT_PARTICIPLES
    if token.part is Part.ADVERB and token.lower in ("daily", "everyday", "online", "weekly", "first"):
        return bool(determiner) and following is not None and following.part is Part.NOUN
    return False


def _splits(tokens: Sequence[Token], index: int, first: int, determiner: str) -> bool:
    """Whether a new phrase begins: "tell mom | dinner is ready", "ask my wife | something"."""
    before = tokens[index - 1]
    if tokens[index].lower == "home" and before.lower in words.TRAVELLING:
        return True
    familiar = is_person(before) or is_in_lexicon(
        before, words.PLACES | words.POSSESSED_PLACES | words.ROUTINE_EVENTS
    )
    if familiar and (_is_verbal(tokens[index]) or tokens[index].part is Part.NUMBER):
        return True
    if not is_person(before) or is_in_lexicon(tokens[index], words.GROUPS | words.FACTS | words.HAVE_OWNERS):
        return False
    if determiner in ("a", "an"):
        return False
    verb = verb_before(tokens, first - (1 if determiner else 0))
    return verb in words.TALKING and not is_in_lexicon(tokens[index], words.KIN | words.FRIENDS | words.ROLES)


def _is_verbal(token: Token) -> bool:
    """Whether a word behind a person or place goes on as a verb: "home avoiding", "mom says"."""
    if token.lower in words.SENT | words.STARTING:
        return True
    if token.lower.endswith("ing"):
        return len(token.lower) > 5 and token.lower not in words.NOT_PARTICIPLES
    return token.lower.endswith("s") and token.lower[:-1] in words.ALWAYS_VERBS | {"takes"[:-1], "call"}


def verb_before(tokens: Sequence[Token], index: int) -> str:
    """The verb right before a place, in lower case; empty when there is none."""
    return tokens[index - 1].lower if index > 0 and tokens[index - 1].part is Part.VERB else ""


def is_person(token: Token) -> bool:
    """Whether a word is one for somebody by their relation or role."""
    return token.part is Part.NOUN and is_in_lexicon(token, words.KIN | words.FRIENDS | words.ROLES)
