"""Noun phrases of an English command, found by their closed-class edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.understand import english_words as words
from assistant.understand.tokens import Part, Token, within

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


def chain_at(tokens: Sequence[Token], place: int) -> list[Phrase]:
    """The phrase that begins here, with those that "'s" links to it."""
    chain: list[Phrase] = []
    while phrase := phrase_at(tokens, place, linked=bool(chain)):
        chain.append(phrase)
        place = phrase.end
        if place >= len(tokens) or tokens[place].part is not Part.OWNING:
            break
        place += 1
    return chain


def phrase_at(tokens: Sequence[Token], place: int, *, linked: bool) -> Phrase | None:
    """The phrase that begins here; a `linked` one stands behind "'s" and has no determiner."""
    start = place
    determiner = ""
    while place < len(tokens) and not linked and _opens(tokens, place):
        determiner = tokens[place].lower
        place += 1
    first = place
    while place < len(tokens) and _continues(tokens, place, first, determiner):
        place += 1
    if determiner and place == first + 1 and _lacks_head(tokens, place):
        place += 1
    return Phrase(start, first, place, determiner) if place > first else None


def _lacks_head(tokens: Sequence[Token], place: int) -> bool:
    """Whether a modifier stands alone before a last word, which then is its noun: "the favorite up"."""
    if tokens[place - 1].lower not in words.HABIT_ADJECTIVES - words.HEADLESS or place >= len(tokens):
        return False
    last = place + 1 >= len(tokens) or tokens[place + 1].part in (Part.MARK, Part.CONJUNCTION, Part.OWNING)
    return last and tokens[place].part in (Part.PREPOSITION, Part.ADVERB, Part.VERB)


def _opens(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    return token.part in (Part.DETERMINER, Part.POSSESSIVE)


def _continues(tokens: Sequence[Token], place: int, first: int, determiner: str) -> bool:
    """Whether a token belongs to the phrase that began at `first`."""
    token = tokens[place]
    if token.part in _INSIDE:
        return not (place > first and _splits(tokens, place, first, determiner))
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if token.lower in words.HABIT_ADVERBS:
        habitual = words.HABIT_PARTICIPLES | words.HABIT_ADVERBS
        return following is not None and following.lower in habitual
    before = tokens[place - 1] if place > first else None
    if before is not None and before.lower in words.HABIT_ADVERBS:
        return token.lower in words.HABIT_PARTICIPLES
    if token.part is Part.ADVERB and token.lower in ("daily", "everyday", "online", "weekly", "first"):
        return bool(determiner) and following is not None and following.part is Part.NOUN
    return False


def _splits(tokens: Sequence[Token], place: int, first: int, determiner: str) -> bool:
    """Whether a new phrase begins: "tell mom | dinner is ready", "ask my wife | something"."""
    before = tokens[place - 1]
    if tokens[place].lower == "home" and before.lower in words.TRAVELLING:
        return True
    known = is_person(before) or within(before, words.PLACES | words.POSSESSED_PLACES | words.ROUTINE_EVENTS)
    if known and (_verbal(tokens[place]) or tokens[place].part is Part.NUMBER):
        return True
    if not is_person(before) or within(tokens[place], words.GROUPS | words.FACTS | words.HAVE_OWNERS):
        return False
    if determiner in ("a", "an"):
        return False
    verb = verb_before(tokens, first - (1 if determiner else 0))
    return verb in words.TALKING and not within(tokens[place], words.KIN | words.FRIENDS | words.ROLES)


def _verbal(token: Token) -> bool:
    """Whether a word behind a person or place goes on as a verb: "home avoiding", "mom says"."""
    if token.lower in words.SENT | words.STARTING:
        return True
    if token.lower.endswith("ing"):
        return len(token.lower) > 5 and token.lower not in words.NOT_PARTICIPLES
    return token.lower.endswith("s") and token.lower[:-1] in words.ALWAYS_VERBS | {"takes"[:-1], "call"}


def verb_before(tokens: Sequence[Token], place: int) -> str:
    """The verb right before a place, in lower case; empty when there is none."""
    return tokens[place - 1].lower if place > 0 and tokens[place - 1].part is Part.VERB else ""


def is_person(token: Token) -> bool:
    """Whether a word is one for somebody by their relation or role."""
    return token.part is Part.NOUN and within(token, words.KIN | words.FRIENDS | words.ROLES)
