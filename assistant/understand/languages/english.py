"""Finds the personalized elements of an English command by rules.

Noun phrases are delimited by closed-class words and classified by determiner, modifiers, head and owner:
person, place, habit, fact, or not personalized. `english_clauses` parses clauses ("the song I fall asleep
to", "when class starts"). Names, quotations and numbers are explicit and never elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.understand.languages.english_clauses import (
    Phrase,
    find_clauses,
    find_messages,
    is_person,
    parse_phrase,
    parse_phrase_chain,
    verb_before,
)
from assistant.understand.types import Category, PersonalizedElement
from assistant.understand.words import Token, TokenClass, english_words, is_in_lexicon, tokenize

_SHORTEST_DOING = 5


@dataclass(frozen=True, slots=True)
class ClassifiedPhrase:
    """What a phrase turned out to be: tokens `start`..`end`, and whether an owner's possession follows."""

    start: int
    end: int
    category: Category
    head: str


def classify_phrase(tokens: Sequence[Token], phrase: Phrase) -> ClassifiedPhrase | None:
    """What a single phrase is; None where it is explicit."""
    if (
        tokens[phrase.start].part is TokenClass.POSSESSIVE
        and phrase.determiner in english_words.THIRD_POSSESSIVES
    ):
        return None
    habit = find_habit_start(tokens, phrase, owned=False)
    if habit is not None:
        start = _with_possessive(tokens, phrase, habit)
        return ClassifiedPhrase(
            start, _find_linked_end(tokens, phrase.end), Category.HABIT, tokens[phrase.end - 1].lower
        )
    if past := _classify_repeated(tokens, phrase):
        return past
    if is_person(tokens[phrase.end - 1]) and _has_name(tokens, phrase):
        return None
    return (
        _classify_fact(tokens, phrase)
        or _classify_network(tokens, phrase)
        or _classify_group(tokens, phrase)
        or _classify_person(tokens, phrase)
        or _classify_place(tokens, phrase)
        or _classify_activity_media(tokens, phrase)
        or _classify_owned_thing(tokens, phrase)
    )


def _with_possessive(tokens: Sequence[Token], phrase: Phrase, first: int) -> int:
    """Where the span begins: with "my" where it is said, without articles and numbers."""
    before = phrase.first - 1
    own = before >= phrase.start and tokens[before].lower in english_words.POSSESSIVES
    return before if own else first


def find_habit_start(tokens: Sequence[Token], phrase: Phrase, *, owned: bool) -> int | None:
    """Where the habit word of a phrase stands, if it has one before its head."""
    mine = phrase.determiner in english_words.POSSESSIVES or owned
    for index in range(phrase.first, phrase.end):
        token = tokens[index]
        last = index == phrase.end - 1
        following = tokens[index + 1].lower if not last else ""
        if token.lower in english_words.HABIT_ADJECTIVES and token.part is not TokenClass.VERB:
            headless = token.lower in english_words.HEADLESS and phrase.determiner in ("the", "my", "our")
            if not last or headless:
                return index
        if last:
            return None
        if token.lower in english_words.WEAK_HABIT_ADJECTIVES and mine:
            return index
        begins, _, ends = token.lower.partition("-")
        if begins in english_words.HABIT_ADVERBS and ends in english_words.HABIT_PARTICIPLES:
            return index
        if (
            token.lower in english_words.HABIT_ADVERBS
            and following in english_words.HABIT_PARTICIPLES | english_words.HABIT_ADVERBS
        ):
            return index if index + 2 < phrase.end else None
        if token.lower in english_words.KEPT_PARTICIPLES and not is_in_lexicon(
            tokens[phrase.end - 1], english_words.DEVICE - english_words.CONTENT
        ):
            return index
    return None


def _find_linked_end(tokens: Sequence[Token], end: int) -> int:
    """The end of a phrase whose head only measures: "my usual cup of coffee", "my date of birth"."""
    if [token.lower for token in tokens[end : end + 2]] in (["of", "birth"], ["of", "residence"]):
        return end + 2
    if (
        end + 1 >= len(tokens)
        or tokens[end].lower != "of"
        or not is_in_lexicon(tokens[end - 1], english_words.LINKING_NOUNS)
    ):
        return end
    measured = parse_phrase(tokens, end + 1, linked=False)
    return measured.end if measured else end


def _classify_repeated(tokens: Sequence[Token], phrase: Phrase) -> ClassifiedPhrase | None:
    """“my last order”: what was done before."""
    first = tokens[phrase.first]
    head = tokens[phrase.end - 1]
    if first.lower not in english_words.PAST_ADJECTIVES or phrase.end - phrase.first < 2:
        return None
    if not is_in_lexicon(head, english_words.REPEATABLE) or phrase.determiner not in ("my", "our", "the", ""):
        return None
    return ClassifiedPhrase(
        _with_possessive(tokens, phrase, phrase.first), phrase.end, Category.PAST, head.lower
    )


def _classify_fact(tokens: Sequence[Token], phrase: Phrase) -> ClassifiedPhrase | None:
    """“home address”, “mom phone number”: a fact about a person or place, without “'s”."""
    if not is_in_lexicon(tokens[phrase.end - 1], english_words.FACTS | english_words.HAVE_OWNERS):
        return None
    for index in range(phrase.first, phrase.end - 1):
        token = tokens[index]
        rest = tokens[index + 1 : phrase.end]
        if not all(is_in_lexicon(word, english_words.FACTS | english_words.HAVE_OWNERS) for word in rest):
            continue
        address = is_in_lexicon(tokens[phrase.end - 1], english_words.ADDRESSES)
        placed = is_in_lexicon(token, english_words.BARE_PLACES) and token.lower != "work" and address
        if (is_person(token) and index == phrase.first) or placed:
            start = _with_possessive(tokens, phrase, index)
            return ClassifiedPhrase(start, phrase.end, Category.FACT, tokens[phrase.end - 1].lower)
    return None


def _classify_network(tokens: Sequence[Token], phrase: Phrase) -> ClassifiedPhrase | None:
    """“home wifi”, “my wifi password”: which network is known by the place it is at."""
    head = tokens[phrase.end - 1]
    before = tokens[phrase.first : phrase.end - 1]
    mine = phrase.determiner in english_words.POSSESSIVES
    if (
        is_in_lexicon(head, english_words.KEYS)
        and before
        and is_in_lexicon(before[-1], english_words.NETWORKS | english_words.LOCKS)
    ):
        definite = phrase.determiner == "the" and is_in_lexicon(before[-1], english_words.LOCKS)
        if not (mine or definite) and (len(before) < 2 or before[0].lower not in english_words.PLACES):
            return None
        start = _with_possessive(tokens, phrase, phrase.first)
        return ClassifiedPhrase(start, phrase.end, Category.FACT, head.lower)
    if not is_in_lexicon(head, english_words.NETWORKS) or phrase.determiner in ("a", "an"):
        return None
    placed = bool(before) and all(is_in_lexicon(token, english_words.PLACES) for token in before)
    if not placed:
        return None
    return ClassifiedPhrase(
        _with_possessive(tokens, phrase, phrase.first), phrase.end, Category.THING, head.lower
    )


def _classify_group(tokens: Sequence[Token], phrase: Phrase) -> ClassifiedPhrase | None:
    head = tokens[phrase.end - 1]
    if not is_in_lexicon(head, english_words.GROUPS) or head.part is not TokenClass.NOUN:
        return None
    before = [token.lower for token in tokens[phrase.first : phrase.end - 1]]
    mine = phrase.determiner in english_words.POSSESSIVES
    known_kind = bool(before) and all(word in english_words.GROUP_MODIFIERS for word in before)
    definite = phrase.determiner == "the" and not before and head.lower in ("group", "team")
    definite = definite and not _has_relative_clause(tokens, phrase)
    if not (mine or known_kind or definite) or phrase.determiner in ("a", "an", "another", "this"):
        return None
    if any(token.part is TokenClass.NUMBER for token in tokens[phrase.first : phrase.end]):
        return None
    start = _with_possessive(tokens, phrase, phrase.first)
    return ClassifiedPhrase(start, phrase.end, Category.GROUP, head.lower)


def _classify_person(tokens: Sequence[Token], phrase: Phrase) -> ClassifiedPhrase | None:
    mine = phrase.determiner in english_words.POSSESSIVES
    head_place = phrase.end - 1
    head = tokens[head_place]
    close = is_in_lexicon(head, english_words.KIN | english_words.FRIENDS)
    role = is_in_lexicon(head, english_words.ROLES)
    if (
        not (close or role or (mine and is_in_lexicon(head, english_words.POSSESSED_PEOPLE)))
        or head.part is not TokenClass.NOUN
    ):
        return None
    if _owned_by_of(tokens, phrase):
        return None
    if not mine and not _is_certain_person(tokens, phrase, close):
        return None
    start = _with_possessive(tokens, phrase, phrase.first)
    return ClassifiedPhrase(start, _find_housed_end(tokens, phrase.end), Category.PERSON, head.lower)


def _find_housed_end(tokens: Sequence[Token], end: int) -> int:
    """The end of somebody with where they are in the house: “the neighbor upstairs”, “the girl next door”."""
    following = [token.lower for token in tokens[end : end + 2]]
    if following[:1] in (["upstairs"], ["downstairs"]):
        return end + 1
    return end + 2 if following == ["next", "door"] else end


def _is_certain_person(tokens: Sequence[Token], phrase: Phrase, close: bool) -> bool:
    """Whether a person without a possessive is one certain person, not any of the kind."""
    head = tokens[phrase.end - 1]
    plural = (
        head.lower.endswith("s")
        and head.lower not in english_words.KIN | english_words.FRIENDS | english_words.ROLES
    )
    if phrase.determiner not in ("", "the", "a", "an") or (plural and not close):
        return False
    anyone = verb_before(tokens, phrase.start) in english_words.MEETING
    if phrase.determiner in ("a", "an") and (anyone or not is_in_lexicon(head, english_words.FRIENDS)):
        return False
    for token in tokens[phrase.first : phrase.end - 1]:
        app = token.part is TokenClass.NAME or (token.capitalised and token.start > 0)
        if token.lower not in english_words.PERSON_MODIFIERS and not app:
            return False
    if head.capitalised and phrase.start > 0 and verb_before(tokens, phrase.start) in english_words.WATCHING:
        return False
    return verb_before(tokens, phrase.start) not in ("find", "become", "watch", "play") or not plural


def _has_name(tokens: Sequence[Token], phrase: Phrase) -> bool:
    """Whether a name is part of it: "Aunt Mary", "my friend Bob", and after a title "Doctor Brown"."""
    titled = tokens[phrase.end - 1].capitalised
    return any(
        token.capitalised
        and (token.part is TokenClass.NOUN or (titled and token.lower != "i"))
        and not is_in_lexicon(token, english_words.KIN | english_words.FRIENDS)
        for token in tokens[phrase.end : phrase.end + 1]
    )


def _owned_by_of(tokens: Sequence[Token], phrase: Phrase) -> bool:
    """“the father of physics” is nobody of the user's, “circle of friends” is a page."""
    before = [token.lower for token in tokens[max(0, phrase.start - 2) : phrase.start]]
    if before == ["circle", "of"]:
        return True
    return phrase.end < len(tokens) and tokens[phrase.end].lower == "of"


def _classify_place(tokens: Sequence[Token], phrase: Phrase) -> ClassifiedPhrase | None:
    mine = phrase.determiner in english_words.POSSESSIVES
    head = tokens[phrase.end - 1]
    if head.part is not TokenClass.NOUN or head.lower not in english_words.PLACES:
        return None
    before = tokens[phrase.first : phrase.end - 1]
    if not mine and not _is_certain_place(tokens, phrase, before):
        return None
    if phrase.end < len(tokens) and tokens[phrase.end].lower == "of":
        return None
    return ClassifiedPhrase(
        _with_possessive(tokens, phrase, phrase.first), phrase.end, Category.PLACE, head.lower
    )


def _is_certain_place(tokens: Sequence[Token], phrase: Phrase, before: Sequence[Token]) -> bool:
    """Whether a place without a possessive is one certain place: "home", "the office"."""
    head = tokens[phrase.end - 1].lower
    if any(token.lower not in ("own", "old", "former") for token in before):
        return False
    if verb_before(tokens, phrase.start) in english_words.WATCHING:
        return False
    if phrase.determiner == "the":
        return head in english_words.DEFINITE_PLACES and not _has_relative_clause(tokens, phrase)
    if tokens[phrase.end - 1].capitalised and phrase.start > 0 and not tokens[phrase.start - 1].capitalised:
        return False
    governed = phrase.start > 0 and (
        tokens[phrase.start - 1].part is TokenClass.PREPOSITION
        or tokens[phrase.start - 1].lower in english_words.VERBS | english_words.ADVERBS
        or head == "home"
        or tokens[phrase.start - 1].lower in english_words.TRAVELLING
        or (phrase.start > 1 and tokens[phrase.start - 2].lower in english_words.BARE_PLACES)
        or (phrase.end < len(tokens) and tokens[phrase.end].part is TokenClass.OWNING)
    )
    return not phrase.determiner and head in english_words.BARE_PLACES and governed


def _has_relative_clause(tokens: Sequence[Token], phrase: Phrase) -> bool:
    """Whether a clause tells which one it is: “the school where Einstein taught”."""
    return phrase.end < len(tokens) and tokens[phrase.end].lower in ("where", "that", "which", "who")


def _ends_with_verb(tokens: Sequence[Token], phrase: Phrase) -> bool:
    """Whether the last word is rather the sentence's verb: "my schedule look"."""
    head = tokens[phrase.end - 1]
    return (
        head.lower in english_words.VERBS
        and phrase.end - phrase.first > 1
        and is_in_lexicon(tokens[phrase.end - 2], english_words.DEVICE | english_words.ROUTINE_EVENTS)
    )


def _classify_activity_media(tokens: Sequence[Token], phrase: Phrase) -> ClassifiedPhrase | None:
    """“my running song”, “our dinner music”: what the user plays while they do something."""
    head = tokens[phrase.end - 1]
    if phrase.determiner not in ("my", "our") or not is_in_lexicon(head, english_words.MEDIA - {"list"}):
        return None
    before = tokens[phrase.first : phrase.end - 1]
    if not any(_is_activity(token) for token in before):
        return None
    return ClassifiedPhrase(
        _with_possessive(tokens, phrase, phrase.first), phrase.end, Category.HABIT, head.lower
    )


def _is_activity(token: Token) -> bool:
    is_gerund = token.lower.endswith("ing") and len(token.lower) > _SHORTEST_DOING
    is_listed = token.lower in english_words.ACTIVITIES | english_words.PARTS_OF_DAY
    return token.part is TokenClass.NOUN and (
        is_listed or (is_gerund and token.lower not in english_words.NO_ACTIVITY)
    )


def _classify_owned_thing(tokens: Sequence[Token], phrase: Phrase) -> ClassifiedPhrase | None:
    """“my rent”, “own computer”: anything of the user's that phone and app do not know by themselves."""
    head = tokens[phrase.end - 1]
    own = tokens[phrase.first].lower == "own" and phrase.end - phrase.first > 1
    mine = phrase.determiner in ("my", "our")
    if not (mine or own) or head.part is not TokenClass.NOUN:
        return None
    if is_in_lexicon(head, english_words.FACTS - english_words.DEVICE):
        category = Category.FACT
    elif is_in_lexicon(head, english_words.DEVICE) or _ends_with_verb(tokens, phrase):
        return None
    elif is_in_lexicon(head, english_words.POSSESSED_PLACES):
        category = Category.PLACE
    else:
        category = Category.THING
    if any(token.part is TokenClass.NUMBER for token in tokens[phrase.first : phrase.end]):
        return None
    end = _find_linked_end(tokens, phrase.end)
    return ClassifiedPhrase(
        _with_possessive(tokens, phrase, phrase.first), end, category, tokens[end - 1].lower
    )


def perceive_english(text: str, apps: Sequence[str] = ()) -> tuple[PersonalizedElement, ...]:
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
        PersonalizedElement(
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
    mine = tokens[start].lower in english_words.POSSESSIVES and category is Category.FACT
    if not mine or end + 1 >= len(tokens) or tokens[end].lower not in ("and", "or", ","):
        return []
    first = stop = end + 1
    while stop < len(tokens) and (
        tokens[stop].part is TokenClass.NOUN or is_in_lexicon(tokens[stop], english_words.FACTS)
    ):
        stop += 1
    if stop == first or not is_in_lexicon(
        tokens[stop - 1], english_words.FACTS - english_words.DEVICE | english_words.KEYS
    ):
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
    fact = len(chain) == 1 and is_in_lexicon(tokens[chain[0].end - 1], english_words.FACTS)
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
        role_visit = is_in_lexicon(tokens[current.end - 1], english_words.ROLES) and is_in_lexicon(
            head, english_words.VISITS
        )
        if role_visit and chain[0].determiner not in english_words.POSSESSIVES:
            return None
        category = _classify_possession(tokens, current, phrase)
        if habit is None and category is None:
            break
        owner = " ".join(token.lower for token in tokens[current.start : current.end])
        current = ClassifiedPhrase(current.start, phrase.end, category or Category.HABIT, head.lower)
    return (current.start, current.end, current.category, current.head, owner) if current else None


def _classify_possession(tokens: Sequence[Token], owner: ClassifiedPhrase, phrase: Phrase) -> Category | None:
    """What "OWNER's PHRASE" is as a whole; None where the owner alone is the element."""
    head = tokens[phrase.end - 1]
    if owner.category in (Category.PERSON, Category.GROUP):
        if is_person(head) or is_in_lexicon(head, english_words.POSSESSED_PEOPLE):
            return Category.PERSON
        if is_in_lexicon(
            head, english_words.PLACES | english_words.HAVE_OWNERS | english_words.POSSESSED_PLACES
        ):
            return Category.PLACE
        newest = any(token.lower in english_words.NEWEST for token in tokens[phrase.first : phrase.end - 1])
        content = english_words.CONTENT if newest else english_words.CONTENT - english_words.FACTS
        return None if is_in_lexicon(head, content) else Category.FACT
    if owner.category is Category.PLACE:
        if is_in_lexicon(head, english_words.NETWORKS):
            return Category.THING
        lived_in = owner.head in english_words.HAVE_OWNERS and is_in_lexicon(head, english_words.ADDRESSES)
        return Category.FACT if lived_in else None
    return Category.FACT if is_in_lexicon(head, english_words.FACTS) else None


def _is_named_home(tokens: Sequence[Token], owner: Phrase, phrase: Phrase) -> bool:
    """“Bob's house”: the name is explicit, where it is is not."""
    named = tokens[owner.first]
    head = tokens[phrase.end - 1]
    return (
        named.capitalised
        and named.part is TokenClass.NOUN
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
    if whose.category is Category.PLACE and whose.head not in english_words.HAVE_OWNERS:
        return None
    named = " ".join(token.lower for token in tokens[whose.start : whose.end])
    return phrase.first, whose.end, Category.FACT, tokens[phrase.end - 1].lower, named
