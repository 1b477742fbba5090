"""Perceiving personalized elements in English, without a model.

Noun phrases are found by their closed-class edges, then judged by determiner, modifiers, head and owner;
clauses ("the song I fall asleep to", "when class starts") are read in `english_clauses`. What is named,
quoted or numbered is explicit and never an element.
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.understand import english_words as words
from assistant.understand.english_chunks import (
    Phrase,
    is_person,
    parse_phrase,
    parse_phrase_chain,
    verb_before,
)
from assistant.understand.english_clauses import find_clauses, find_messages
from assistant.understand.english_kinds import Judged, classify_phrase, find_habit_start
from assistant.understand.tokens import Part, Token, is_in_lexicon, tokenize
from assistant.understand.types import Category, Element


def perceive_english(text: str, apps: Sequence[str] = ()) -> tuple[Element, ...]:
    """The personalized elements of an English command, in the order of the text."""
    tokens = tokenize(text, apps)
    messages = find_messages(tokens)
    spans = list(find_clauses(tokens))
    covered = {index for start, end, _, _ in spans for index in range(start, end)}
    spans_found = [(*span, "") for span in spans]
    for start, end, category, head, owner in _find_phrases(tokens):
        in_message = any(begin <= start < finish for begin, finish in messages)
        is_message_text = in_message and category in (
            Category.PERSON,
            Category.PLACE,
            Category.GROUP,
            Category.THING,
        )
        if not is_message_text and not covered.intersection(range(start, end)):
            spans_found.append((start, end, category, head, owner))
            spans_found += _find_listed_facts(tokens, start, end, category)
    return tuple(
        Element(
            start=tokens[start].start,
            end=tokens[end - 1].end,
            text=text[tokens[start].start : tokens[end - 1].end],
            category=category,
            head=head,
            owner=owner,
        )
        for start, end, category, head, owner in sorted(spans_found)
    )


def _find_listed_facts(
    tokens: Sequence[Token], start: int, end: int, category: Category
) -> list[tuple[int, int, Category, str, str]]:
    """What “my” goes on to in a list of facts: the number of “my address and phone number”."""
    mine = tokens[start].lower in words.POSSESSIVES and category is Category.FACT
    if not mine or end + 1 >= len(tokens) or tokens[end].lower not in ("and", "or", ","):
        return []
    first = stop = end + 1
    while stop < len(tokens) and (tokens[stop].part is Part.NOUN or is_in_lexicon(tokens[stop], words.FACTS)):
        stop += 1
    if stop == first or not is_in_lexicon(tokens[stop - 1], words.FACTS - words.DEVICE | words.KEYS):
        return []
    span = (first, stop, Category.FACT, tokens[stop - 1].lower, "")
    return [span] if classify_phrase(tokens, Phrase(first, first, stop, "")) is None else []


def _find_phrases(tokens: Sequence[Token]) -> list[tuple[int, int, Category, str, str]]:
    spans = []
    index = 0
    while index < len(tokens):
        chain = parse_phrase_chain(tokens, index)
        if not chain:
            index += 1
            continue
        if span := _classify_chain(tokens, chain):
            spans.append(span)
            index = max(span[1], index + 1)
        else:
            index = chain[-1].end
    return spans


def _classify_chain(
    tokens: Sequence[Token], chain: Sequence[Phrase]
) -> tuple[int, int, Category, str, str] | None:
    """The element that a phrase with its possessions makes, as tokens, category, head and owner."""
    fact = len(chain) == 1 and is_in_lexicon(tokens[chain[0].end - 1], words.FACTS)
    if fact and (fact_span := _find_fact(tokens, chain[0])):
        return fact_span
    if len(chain) == 1 and is_person(tokens[chain[0].end - 1]) and (person := _find_person(tokens, chain[0])):
        return person
    current = classify_phrase(tokens, chain[0])
    owner = ""
    for phrase in chain[1:]:
        head = tokens[phrase.end - 1]
        habit = find_habit_start(tokens, phrase, owned=True)
        if current is None:
            if _is_named_home(tokens, chain[0], phrase):
                return chain[0].first, phrase.end, Category.PLACE, head.lower, tokens[chain[0].end - 1].text
            return None
        role_visit = is_in_lexicon(tokens[current.end - 1], words.ROLES) and is_in_lexicon(head, words.VISITS)
        if role_visit and chain[0].determiner not in words.POSSESSIVES:
            return None
        category = _classify_possession(tokens, current, phrase)
        if habit is None and category is None:
            break
        owner = " ".join(token.lower for token in tokens[current.start : current.end])
        current = Judged(current.start, phrase.end, category or Category.HABIT, head.lower)
    return (current.start, current.end, current.category, current.head, owner) if current else None


def _classify_possession(tokens: Sequence[Token], owner: Judged, phrase: Phrase) -> Category | None:
    """What "OWNER's PHRASE" is as a whole; None where the owner alone is the element."""
    head = tokens[phrase.end - 1]
    if owner.category in (Category.PERSON, Category.GROUP):
        if is_person(head) or is_in_lexicon(head, words.POSSESSED_PEOPLE):
            return Category.PERSON
        if is_in_lexicon(head, words.PLACES | words.HAVE_OWNERS | words.POSSESSED_PLACES):
            return Category.PLACE
        newest = any(token.lower in words.NEWEST for token in tokens[phrase.first : phrase.end - 1])
        content = words.CONTENT if newest else words.CONTENT - words.FACTS
        return None if is_in_lexicon(head, content) else Category.FACT
    if owner.category is Category.PLACE:
        if is_in_lexicon(head, words.NETWORKS):
            return Category.THING
        lived_in = owner.head in words.HAVE_OWNERS and is_in_lexicon(head, words.ADDRESSES)
        return Category.FACT if lived_in else None
    return Category.FACT if is_in_lexicon(head, words.FACTS) else None


def _is_named_home(tokens: Sequence[Token], owner: Phrase, phrase: Phrase) -> bool:
    """“Bob's house”: the name is explicit, where it is is not."""
    named = tokens[owner.first]
    head = tokens[phrase.end - 1]
    return (
        named.capitalised
        and named.part is Part.NOUN
        and owner.end == owner.first + 1
        and phrase.end == phrase.first + 1
        and head.lower in ("home", "house", "flat", "apartment", "place")
        and verb_before(tokens, owner.start) != "open"
    )


def _find_person(tokens: Sequence[Token], phrase: Phrase) -> tuple[int, int, Category, str, str] | None:
    """“the teacher of my chess class”: somebody by what of the user's they are for."""
    index = phrase.end
    whose = parse_phrase(tokens, index + 1, linked=False) if _is_of(tokens, index) else None
    if whose is None or whose.determiner not in ("my", "our"):
        return None
    return phrase.first, whose.end, Category.PERSON, tokens[index - 1].lower, ""


def _is_of(tokens: Sequence[Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].lower == "of"


def _find_fact(tokens: Sequence[Token], phrase: Phrase) -> tuple[int, int, Category, str, str] | None:
    """“the phone number of my boss”: the fact and its owner are one element."""
    index = phrase.end
    if not _is_of(tokens, index):
        return None
    owner = parse_phrase(tokens, index + 1, linked=False)
    whose = classify_phrase(tokens, owner) if owner else None
    if whose is None or whose.category not in (Category.PERSON, Category.PLACE):
        return None
    if whose.category is Category.PLACE and whose.head not in words.HAVE_OWNERS:
        return None
    named = " ".join(token.lower for token in tokens[whose.start : whose.end])
    return phrase.first, whose.end, Category.FACT, tokens[phrase.end - 1].lower, named
