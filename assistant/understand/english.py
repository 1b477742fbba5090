"""Perceiving personalized elements in English, without a model.

Noun phrases are found by their closed-class edges, then judged by determiner, modifiers, head and owner;
clauses ("the song I fall asleep to", "when class starts") are read in `english_clauses`. What is named,
quoted or numbered is explicit and never an element.
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.understand import english_words as words
from assistant.understand.elements import Category, Element
from assistant.understand.english_chunks import Phrase, chain_at, is_person, phrase_at, verb_before
from assistant.understand.english_clauses import clause_spans, message_parts
from assistant.understand.english_kinds import Judged, habit_start, judged
from assistant.understand.tokens import Part, Token, tokenised, within


def perceive_english(text: str, apps: Sequence[str] = ()) -> tuple[Element, ...]:
    """The personalized elements of an English command, in the order of the text."""
    tokens = tokenised(text, apps)
    messages = message_parts(tokens)
    spans = list(clause_spans(tokens))
    covered = {place for start, end, _, _ in spans for place in range(start, end)}
    found = [(*span, "") for span in spans]
    for start, end, category, head, owner in _phrase_spans(tokens):
        quoting = any(begin <= start < finish for begin, finish in messages)
        told = quoting and category in (Category.PERSON, Category.PLACE, Category.GROUP, Category.THING)
        if not told and not covered.intersection(range(start, end)):
            found.append((start, end, category, head, owner))
            found += _listed_facts(tokens, start, end, category)
    return tuple(
        Element(
            start=tokens[start].start,
            end=tokens[end - 1].end,
            text=text[tokens[start].start : tokens[end - 1].end],
            category=category,
            head=head,
            owner=owner,
        )
        for start, end, category, head, owner in sorted(found)
    )


def _listed_facts(
    tokens: Sequence[Token], start: int, end: int, category: Category
) -> list[tuple[int, int, Category, str, str]]:
    """What “my” goes on to in a list of facts: the number of “my address and phone number”."""
    mine = tokens[start].lower in words.POSSESSIVES and category is Category.FACT
    if not mine or end + 1 >= len(tokens) or tokens[end].lower not in ("and", "or", ","):
        return []
    first = stop = end + 1
    while stop < len(tokens) and (tokens[stop].part is Part.NOUN or within(tokens[stop], words.FACTS)):
        stop += 1
    if stop == first or not within(tokens[stop - 1], words.FACTS - words.DEVICE | words.KEYS):
        return []
    one = (first, stop, Category.FACT, tokens[stop - 1].lower, "")
    return [one] if judged(tokens, Phrase(first, first, stop, "")) is None else []


def _phrase_spans(tokens: Sequence[Token]) -> list[tuple[int, int, Category, str, str]]:
    found = []
    place = 0
    while place < len(tokens):
        chain = chain_at(tokens, place)
        if not chain:
            place += 1
            continue
        if one := _judged_chain(tokens, chain):
            found.append(one)
            place = max(one[1], place + 1)
        else:
            place = chain[-1].end
    return found


def _judged_chain(
    tokens: Sequence[Token], chain: Sequence[Phrase]
) -> tuple[int, int, Category, str, str] | None:
    """The element that a phrase with its possessions makes, as tokens, category, head and owner."""
    fact = len(chain) == 1 and within(tokens[chain[0].end - 1], words.FACTS)
    if fact and (linked := _fact_of(tokens, chain[0])):
        return linked
    if len(chain) == 1 and is_person(tokens[chain[0].end - 1]) and (theirs := _person_of(tokens, chain[0])):
        return theirs
    current = judged(tokens, chain[0])
    owner = ""
    for phrase in chain[1:]:
        head = tokens[phrase.end - 1]
        habit = habit_start(tokens, phrase, owned=True)
        if current is None:
            if _named_home(tokens, chain[0], phrase):
                return chain[0].first, phrase.end, Category.PLACE, head.lower, tokens[chain[0].end - 1].text
            return None
        general = within(tokens[current.end - 1], words.ROLES) and within(head, words.VISITS)
        if general and chain[0].determiner not in words.POSSESSIVES:
            return None
        owned = _owned(tokens, current, phrase)
        if habit is None and owned is None:
            break
        owner = " ".join(token.lower for token in tokens[current.start : current.end])
        current = Judged(current.start, phrase.end, owned or Category.HABIT, head.lower)
    return (current.start, current.end, current.category, current.head, owner) if current else None


def _owned(tokens: Sequence[Token], owner: Judged, phrase: Phrase) -> Category | None:
    """What "OWNER's PHRASE" is as a whole; None where the owner alone is the element."""
    head = tokens[phrase.end - 1]
    if owner.category in (Category.PERSON, Category.GROUP):
        if is_person(head) or within(head, words.POSSESSED_PEOPLE):
            return Category.PERSON
        if within(head, words.PLACES | words.HAVE_OWNERS | words.POSSESSED_PLACES):
            return Category.PLACE
        newest = any(token.lower in words.NEWEST for token in tokens[phrase.first : phrase.end - 1])
        content = words.CONTENT if newest else words.CONTENT - words.FACTS
        return None if within(head, content) else Category.FACT
    if owner.category is Category.PLACE:
        if within(head, words.NETWORKS):
            return Category.THING
        lived_in = owner.head in words.HAVE_OWNERS and within(head, words.ADDRESSES)
        return Category.FACT if lived_in else None
    return Category.FACT if within(head, words.FACTS) else None


def _named_home(tokens: Sequence[Token], owner: Phrase, phrase: Phrase) -> bool:
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


def _person_of(tokens: Sequence[Token], phrase: Phrase) -> tuple[int, int, Category, str, str] | None:
    """“the teacher of my chess class”: somebody by what of the user's they are for."""
    place = phrase.end
    whose = phrase_at(tokens, place + 1, linked=False) if _is_of(tokens, place) else None
    if whose is None or whose.determiner not in ("my", "our"):
        return None
    return phrase.first, whose.end, Category.PERSON, tokens[place - 1].lower, ""


def _is_of(tokens: Sequence[Token], place: int) -> bool:
    return place < len(tokens) and tokens[place].lower == "of"


def _fact_of(tokens: Sequence[Token], phrase: Phrase) -> tuple[int, int, Category, str, str] | None:
    """“the phone number of my boss”: the fact and its owner are one element."""
    place = phrase.end
    if not _is_of(tokens, place):
        return None
    owner = phrase_at(tokens, place + 1, linked=False)
    whose = judged(tokens, owner) if owner else None
    if whose is None or whose.category not in (Category.PERSON, Category.PLACE):
        return None
    if whose.category is Category.PLACE and whose.head not in words.HAVE_OWNERS:
        return None
    named = " ".join(token.lower for token in tokens[whose.start : whose.end])
    return phrase.first, whose.end, Category.FACT, tokens[phrase.end - 1].lower, named
