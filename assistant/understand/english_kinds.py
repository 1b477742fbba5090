"""What an English noun phrase is for the user: a person, a place, a habit, a fact, or nothing of theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.understand import english_clause_words as clause_words
from assistant.understand import english_words as words
from assistant.understand.english_chunks import Phrase, is_person, parse_phrase, verb_before
from assistant.understand.tokens import Part, Token, is_in_lexicon
from assistant.understand.types import Category

_SHORTEST_DOING = 5


@dataclass(frozen=True, slots=True)
class Judged:
    """What a phrase turned out to be: tokens `start`..`end`, and whether an owner's possession follows."""

    start: int
    end: int
    category: Category
    head: str


def classify_phrase(tokens: Sequence[Token], phrase: Phrase) -> Judged | None:
    """What a single phrase is; None where it is explicit."""
    if tokens[phrase.start].part is Part.POSSESSIVE and phrase.determiner in words.THIRD_POSSESSIVES:
        return None
    habit = find_habit_start(tokens, phrase, owned=False)
    if habit is not None:
        start = _with_possessive(tokens, phrase, habit)
        return Judged(
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
        or _classify_possession(tokens, phrase)
    )


def _with_possessive(tokens: Sequence[Token], phrase: Phrase, first: int) -> int:
    """Where the span begins: with "my" where it is said, without articles and numbers."""
    before = phrase.first - 1
    own = before >= phrase.start and tokens[before].lower in words.POSSESSIVES
    return before if own else first


def find_habit_start(tokens: Sequence[Token], phrase: Phrase, *, owned: bool) -> int | None:
    """Where the habit word of a phrase stands, if it has one before its head."""
    mine = phrase.determiner in words.POSSESSIVES or owned
    for index in range(phrase.first, phrase.end):
        token = tokens[index]
        last = index == phrase.end - 1
        following = tokens[index + 1].lower if not last else ""
        if token.lower in words.HABIT_ADJECTIVES and token.part is not Part.VERB:
            headless = token.lower in words.HEADLESS and phrase.determiner in ("the", "my", "our")
            if not last or headless:
                return index
        if last:
            return None
        if token.lower in words.WEAK_HABIT_ADJECTIVES and mine:
            return index
        begins, _, ends = token.lower.partition("-")
        if begins in words.HABIT_ADVERBS and ends in words.HABIT_PARTICIPLES:
            return index
        if token.lower in words.HABIT_ADVERBS and following in words.HABIT_PARTICIPLES | words.HABIT_ADVERBS:
            return index if index + 2 < phrase.end else None
        if token.lower in words.KEPT_PARTICIPLES and not is_in_lexicon(
            tokens[phrase.end - 1], words.DEVICE - words.CONTENT
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
        or not is_in_lexicon(tokens[end - 1], words.LINKING_NOUNS)
    ):
        return end
    measured = parse_phrase(tokens, end + 1, linked=False)
    return measured.end if measured else end


def _classify_repeated(tokens: Sequence[Token], phrase: Phrase) -> Judged | None:
    """“my last order”: what was done before."""
    first = tokens[phrase.first]
    head = tokens[phrase.end - 1]
    if first.lower not in words.PAST_ADJECTIVES or phrase.end - phrase.first < 2:
        return None
    if not is_in_lexicon(head, words.REPEATABLE) or phrase.determiner not in ("my", "our", "the", ""):
        return None
    return Judged(_with_possessive(tokens, phrase, phrase.first), phrase.end, Category.PAST, head.lower)


def _classify_fact(tokens: Sequence[Token], phrase: Phrase) -> Judged | None:
    """“home address”, “mom phone number”: a fact about a person or place, without “'s”."""
    if not is_in_lexicon(tokens[phrase.end - 1], words.FACTS | words.HAVE_OWNERS):
        return None
    for index in range(phrase.first, phrase.end - 1):
        token = tokens[index]
        rest = tokens[index + 1 : phrase.end]
        if not all(is_in_lexicon(word, words.FACTS | words.HAVE_OWNERS) for word in rest):
            continue
        address = is_in_lexicon(tokens[phrase.end - 1], words.ADDRESSES)
        placed = is_in_lexicon(token, words.BARE_PLACES) and token.lower != "work" and address
        if (is_person(token) and index == phrase.first) or placed:
            start = _with_possessive(tokens, phrase, index)
            return Judged(start, phrase.end, Category.FACT, tokens[phrase.end - 1].lower)
    return None


def _classify_network(tokens: Sequence[Token], phrase: Phrase) -> Judged | None:
    """“home wifi”, “my wifi password”: which network is known by the place it is at."""
    head = tokens[phrase.end - 1]
    before = tokens[phrase.first : phrase.end - 1]
    mine = phrase.determiner in words.POSSESSIVES
    if is_in_lexicon(head, words.KEYS) and before and is_in_lexicon(before[-1], words.NETWORKS | words.LOCKS):
        definite = phrase.determiner == "the" and is_in_lexicon(before[-1], words.LOCKS)
        if not (mine or definite) and (len(before) < 2 or before[0].lower not in words.PLACES):
            return None
        start = _with_possessive(tokens, phrase, phrase.first)
        return Judged(start, phrase.end, Category.FACT, head.lower)
    if not is_in_lexicon(head, words.NETWORKS) or phrase.determiner in ("a", "an"):
        return None
    placed = bool(before) and all(is_in_lexicon(token, words.PLACES) for token in before)
    if not placed:
        return None
    return Judged(_with_possessive(tokens, phrase, phrase.first), phrase.end, Category.THING, head.lower)


def _classify_group(tokens: Sequence[Token], phrase: Phrase) -> Judged | None:
    head = tokens[phrase.end - 1]
    if not is_in_lexicon(head, words.GROUPS) or head.part is not Part.NOUN:
        return None
    before = [token.lower for token in tokens[phrase.first : phrase.end - 1]]
    mine = phrase.determiner in words.POSSESSIVES
    known_kind = bool(before) and all(word in words.GROUP_MODIFIERS for word in before)
    definite = phrase.determiner == "the" and not before and head.lower in ("group", "team")
    definite = definite and not _has_relative_clause(tokens, phrase)
    if not (mine or known_kind or definite) or phrase.determiner in ("a", "an", "another", "this"):
        return None
    if any(token.part is Part.NUMBER for token in tokens[phrase.first : phrase.end]):
        return None
    start = _with_possessive(tokens, phrase, phrase.first)
    return Judged(start, phrase.end, Category.GROUP, head.lower)


def _classify_person(tokens: Sequence[Token], phrase: Phrase) -> Judged | None:
    mine = phrase.determiner in words.POSSESSIVES
    head_place = phrase.end - 1
    head = tokens[head_place]
    close = is_in_lexicon(head, words.KIN | words.FRIENDS)
    role = is_in_lexicon(head, words.ROLES)
    if (
        not (close or role or (mine and is_in_lexicon(head, words.POSSESSED_PEOPLE)))
        or head.part is not Part.NOUN
    ):
        return None
    if _owned_by_of(tokens, phrase):
        return None
    if not mine and not _is_certain_person(tokens, phrase, close):
        return None
    start = _with_possessive(tokens, phrase, phrase.first)
    return Judged(start, _find_housed_end(tokens, phrase.end), Category.PERSON, head.lower)


def _find_housed_end(tokens: Sequence[Token], end: int) -> int:
    """The end of somebody with where they are in the house: “the neighbor upstairs”, “the girl next door”."""
    following = [token.lower for token in tokens[end : end + 2]]
    if following[:1] in (["upstairs"], ["downstairs"]):
        return end + 1
    return end + 2 if following == ["next", "door"] else end


def _is_certain_person(tokens: Sequence[Token], phrase: Phrase, close: bool) -> bool:
    """Whether a person without a possessive is one certain person, not any of the kind."""
    head = tokens[phrase.end - 1]
    plural = head.lower.endswith("s") and head.lower not in words.KIN | words.FRIENDS | words.ROLES
    if phrase.determiner not in ("", "the", "a", "an") or (plural and not close):
        return False
    anyone = verb_before(tokens, phrase.start) in words.MEETING
    if phrase.determiner in ("a", "an") and (anyone or not is_in_lexicon(head, words.FRIENDS)):
        return False
    for token in tokens[phrase.first : phrase.end - 1]:
        app = token.part is Part.NAME or (token.capitalised and token.start > 0)
        if token.lower not in words.PERSON_MODIFIERS and not app:
            return False
    if head.capitalised and phrase.start > 0 and verb_before(tokens, phrase.start) in words.WATCHING:
        return False
    return verb_before(tokens, phrase.start) not in ("find", "become", "watch", "play") or not plural


def _has_name(tokens: Sequence[Token], phrase: Phrase) -> bool:
    """Whether a name is part of it: "Aunt Mary", "my friend Bob", and after a title "Doctor Brown"."""
    titled = tokens[phrase.end - 1].capitalised
    return any(
        token.capitalised
        and (token.part is Part.NOUN or (titled and token.lower != "i"))
        and not is_in_lexicon(token, words.KIN | words.FRIENDS)
        for token in tokens[phrase.end : phrase.end + 1]
    )


def _owned_by_of(tokens: Sequence[Token], phrase: Phrase) -> bool:
    """“the father of physics” is nobody of the user's, “circle of friends” is a page."""
    before = [token.lower for token in tokens[max(0, phrase.start - 2) : phrase.start]]
    if before == ["circle", "of"]:
        return True
    return phrase.end < len(tokens) and tokens[phrase.end].lower == "of"


def _classify_place(tokens: Sequence[Token], phrase: Phrase) -> Judged | None:
    mine = phrase.determiner in words.POSSESSIVES
    head = tokens[phrase.end - 1]
    if head.part is not Part.NOUN or head.lower not in words.PLACES:
        return None
    before = tokens[phrase.first : phrase.end - 1]
    if not mine and not _is_certain_place(tokens, phrase, before):
        return None
    if phrase.end < len(tokens) and tokens[phrase.end].lower == "of":
        return None
    return Judged(_with_possessive(tokens, phrase, phrase.first), phrase.end, Category.PLACE, head.lower)


def _is_certain_place(tokens: Sequence[Token], phrase: Phrase, before: Sequence[Token]) -> bool:
    """Whether a place without a possessive is one certain place: "home", "the office"."""
    head = tokens[phrase.end - 1].lower
    if any(token.lower not in ("own", "old", "former") for token in before):
        return False
    if verb_before(tokens, phrase.start) in words.WATCHING:
        return False
    if phrase.determiner == "the":
        return head in words.DEFINITE_PLACES and not _has_relative_clause(tokens, phrase)
    if tokens[phrase.end - 1].capitalised and phrase.start > 0 and not tokens[phrase.start - 1].capitalised:
        return False
    governed = phrase.start > 0 and (
        tokens[phrase.start - 1].part is Part.PREPOSITION
        or tokens[phrase.start - 1].lower in words.VERBS | words.ADVERBS
        or head == "home"
        or tokens[phrase.start - 1].lower in words.TRAVELLING
        or (phrase.start > 1 and tokens[phrase.start - 2].lower in words.BARE_PLACES)
        or (phrase.end < len(tokens) and tokens[phrase.end].part is Part.OWNING)
    )
    return not phrase.determiner and head in words.BARE_PLACES and governed


def _has_relative_clause(tokens: Sequence[Token], phrase: Phrase) -> bool:
    """Whether a clause tells which one it is: “the school where Einstein taught”."""
    return phrase.end < len(tokens) and tokens[phrase.end].lower in ("where", "that", "which", "who")


def _ends_with_verb(tokens: Sequence[Token], phrase: Phrase) -> bool:
    """Whether the last word is rather the sentence's verb: "my schedule look"."""
    head = tokens[phrase.end - 1]
    return (
        head.lower in words.VERBS
        and phrase.end - phrase.first > 1
        and is_in_lexicon(tokens[phrase.end - 2], words.DEVICE | words.ROUTINE_EVENTS)
    )


def _classify_activity_media(tokens: Sequence[Token], phrase: Phrase) -> Judged | None:
    """“my running song”, “our dinner music”: what the user plays while they do something."""
    head = tokens[phrase.end - 1]
    if phrase.determiner not in ("my", "our") or not is_in_lexicon(head, words.MEDIA - {"list"}):
        return None
    before = tokens[phrase.first : phrase.end - 1]
    if not any(_is_activity(token) for token in before):
        return None
    return Judged(_with_possessive(tokens, phrase, phrase.first), phrase.end, Category.HABIT, head.lower)


def _is_activity(token: Token) -> bool:
    is_gerund = token.lower.endswith("ing") and len(token.lower) > _SHORTEST_DOING
    is_listed = token.lower in clause_words.ACTIVITIES | words.PARTS_OF_DAY
    return token.part is Part.NOUN and (
        is_listed or (is_gerund and token.lower not in clause_words.NO_ACTIVITY)
    )


def _classify_possession(tokens: Sequence[Token], phrase: Phrase) -> Judged | None:
    """“my rent”, “own computer”: anything of the user's that phone and app do not know by themselves."""
    head = tokens[phrase.end - 1]
    own = tokens[phrase.first].lower == "own" and phrase.end - phrase.first > 1
    mine = phrase.determiner in ("my", "our")
    if not (mine or own) or head.part is not Part.NOUN:
        return None
    if is_in_lexicon(head, words.FACTS - words.DEVICE):
        category = Category.FACT
    elif is_in_lexicon(head, words.DEVICE) or _ends_with_verb(tokens, phrase):
        return None
    elif is_in_lexicon(head, words.POSSESSED_PLACES):
        category = Category.PLACE
    else:
        category = Category.THING
    if any(token.part is Part.NUMBER for token in tokens[phrase.first : phrase.end]):
        return None
    end = _find_linked_end(tokens, phrase.end)
    return Judged(_with_possessive(tokens, phrase, phrase.first), end, category, tokens[end - 1].lower)
