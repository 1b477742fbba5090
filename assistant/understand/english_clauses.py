"""Clauses that stand for something only the user knows: "the song I fall asleep to", "when class starts"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from assistant.understand import english_clause_words as clause_words
from assistant.understand import english_words as words
from assistant.understand.english_chunks import is_person, parse_phrase_chain
from assistant.understand.english_relatives import (
    Span,
    find_clause_end,
    find_free_relative,
    find_relative_clause,
)
from assistant.understand.tokens import Part, Token, is_in_lexicon, singular
from assistant.understand.types import Category

_SAYING = frozenset(("that", "saying", "says", ":"))
_TELLING = frozenset(
    ("tell", "text", "message", "send", "inform", "notify", "write", "remind", "reply", "say", "post")
)
_FIRST_PERSON = frozenset(("i", "we"))
_WHEN = frozenset(("when", "before", "after", "once", "until", "till", "whenever", "during"))


def find_clauses(tokens: Sequence[Token]) -> Iterator[Span]:
    """All such clauses, from left to right, without overlap."""
    index = last_end = 0
    while index < len(tokens):
        span = (
            _day_of(tokens, index)
            or _bound_of(tokens, index)
            or _time_clause(tokens, index)
            or _routine_time(tokens, index)
            or _same_as(tokens, index)
            or _postposed(tokens, index)
            or find_relative_clause(tokens, index)
            or find_free_relative(tokens, index)
        )
        if span and span[0] >= last_end:
            yield span
            index = last_end = span[1]
        else:
            index += 1


def find_messages(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """The parts that are the words of a message to be sent; people in them are the user's wording."""
    messages = []
    index = 0
    while index < len(tokens):
        if _begins_message(tokens, index):
            end = find_clause_end(tokens, index + 1, stop_at_prepositions=False)
            messages.append((index + 1, end))
            index = end
        index += 1
    return messages


def _begins_message(tokens: Sequence[Token], index: int) -> bool:
    token = tokens[index]
    telling = any(earlier.lower in _TELLING for earlier in tokens[max(0, index - 8) : index])
    if token.lower in _SAYING:
        return (telling and token.lower != ":") or token.lower in ("saying", "says")
    contracted = index + 1 < len(tokens) and tokens[index + 1].part is Part.AUXILIARY
    return telling and token.lower in _FIRST_PERSON and contracted


def _time_clause(tokens: Sequence[Token], index: int) -> Span | None:
    """“when class starts”, “after work”, “when I get home”."""
    timed = tokens[index].lower in ("time", "times") and index + 2 < len(tokens)
    if timed and tokens[index + 1].lower == "to" and tokens[index + 2].lower in words.GETTING:
        return _own_time(tokens, index, index + 2)
    if timed and (verb := _after_subject(tokens, index + 1)):
        return _own_time(tokens, index, verb)
    beginning = _gathering_start(tokens, index + 1) if timed or tokens[index].lower in _WHEN else None
    if beginning:
        return index, beginning, Category.TIME, tokens[beginning - 2].lower
    if tokens[index].lower not in _WHEN:
        return None
    following = [token.lower for token in tokens[index + 1 : index + 8]]
    if not following:
        return None
    if following[0] in _FIRST_PERSON:
        return _own_time(tokens, index, index + 2)
    if following[0] in words.GETTING and len(following) > 1:
        return _own_time(tokens, index, index + 1)
    end = _gathering_end(tokens, index + 1, words.ROUTINE_EVENTS)
    if end is None:
        return None
    event = tokens[end - 1].lower
    after = tokens[end].lower if end < len(tokens) else ""
    if (
        after == "is"
        and end + 1 < len(tokens)
        and tokens[end + 1].lower in ("over", "done", "finished", "out")
    ):
        return index, end + 2, Category.TIME, event
    if after in ("gets", "lets") and end + 1 < len(tokens) and tokens[end + 1].lower == "out":
        return index, end + 2, Category.TIME, event
    bare = end >= len(tokens) or tokens[end].part not in (Part.NOUN, Part.NAME, Part.NUMBER, Part.OWNING)
    if bare and tokens[index].lower in ("before", "after", "during", "until", "till"):
        return index, end, Category.TIME, event
    return None


def _gathering_start(tokens: Sequence[Token], index: int) -> int | None:
    """The end of “(the) book club starts”: what people come to, and the verb for its start or end."""
    if index < len(tokens) and tokens[index].lower in ("when", "that"):
        index += 1
    verb = _gathering_end(tokens, index, words.ROUTINE_EVENTS | clause_words.GATHERINGS)
    return verb + 1 if verb and _is_word(tokens, verb, words.STARTING) else None


def _is_plain_noun(token: Token) -> bool:
    """Whether a word may be part of a name for what people come to: no name, whose days are public."""
    named = token.capitalised or token.lower in words.STARTING
    return token.lower in words.ROUTINE_EVENTS or (token.part is Part.NOUN and not named)


def _is_verb_as_noun(token: Token) -> bool:
    return token.part is Part.VERB and not token.capitalised and token.lower not in words.STARTING


def _after_subject(tokens: Sequence[Token], index: int) -> int | None:
    """Where the verb of “(when) I get up”, “my son gets up” stands; None where no such clause begins."""
    if tokens[index].lower in ("when", "that"):
        index += 1
    if index < len(tokens) and tokens[index].lower in _FIRST_PERSON:
        return index + 1
    mine = index + 1 < len(tokens) and tokens[index].part is Part.POSSESSIVE
    return index + 2 if mine and is_person(tokens[index + 1]) else None


def _day_of(tokens: Sequence[Token], index: int) -> Span | None:
    """“the day before the exam”, “the night of my sister's wedding”: a day by what happens then."""
    opened = index > 0 and tokens[index - 1].lower == "the"
    if tokens[index].lower not in clause_words.MOMENTS or not opened or index + 3 > len(tokens) - 1:
        return None
    if tokens[index + 1].lower not in ("before", "after", "of"):
        return None
    chain = parse_phrase_chain(tokens, index + 2)
    if not chain or chain[0].determiner not in {"the"} | words.POSSESSIVES | words.THIRD_POSSESSIVES:
        return None
    head = tokens[chain[-1].end - 1]
    happens = is_in_lexicon(head, clause_words.EVENTS | words.ROUTINE_EVENTS)
    return (index, chain[-1].end, Category.TIME, tokens[index].lower) if happens else None


def _bound_of(tokens: Sequence[Token], index: int) -> Span | None:
    """“the start of choir practice”, “the end time of my shift”: when what the user goes to begins."""
    if tokens[index].lower not in words.STARTING | clause_words.BOUNDS:
        return None
    of = index + 2 if _is_word(tokens, index + 1, words.TIME_WORDS) else index + 1
    if not _is_word(tokens, of, {"of"}):
        return None
    end = _gathering_end(tokens, of + 1, words.ROUTINE_EVENTS - clause_words.LYING | clause_words.GATHERINGS)
    return (index, end, Category.TIME, tokens[end - 1].lower) if end else None


def _gathering_end(tokens: Sequence[Token], index: int, gatherings: Set[str]) -> int | None:
    """The end of “(the) choir practice”: a noun with what it says more closely; None where none is there."""
    if _is_word(tokens, index, {"the", "my", "our"}):
        index += 1
    end = index
    # A verb cannot stand here: "book" of "when book club starts" is a noun.
    while end < len(tokens) and (
        _is_plain_noun(tokens[end]) or (end == index and _is_verb_as_noun(tokens[end]))
    ):
        end += 1
    return end if end > index and is_in_lexicon(tokens[end - 1], gatherings) else None


def _is_word(tokens: Sequence[Token], index: int, lexicon: Set[str]) -> bool:
    return index < len(tokens) and tokens[index].lower in lexicon


def _own_time(tokens: Sequence[Token], index: int, verb: int) -> Span | None:
    """A time that something of the user's every day happens at: "when I get home", "before going to bed"."""
    lower = [token.lower for token in tokens]
    while verb < len(lower) and (lower[verb] in words.TYPICAL or lower[verb] in ("am", "'m", "have", "'ve")):
        verb += 1
    routine_words = words.ROUTINE_VERBS | words.GETTING | {"off", "done", "at", "in"}
    if verb >= len(lower) or not {lower[verb], singular(lower[verb])} & routine_words:
        return None
    end = verb + 1
    while end < len(lower) and lower[end] in words.ROUTINE_TAILS:
        end += 1
    while lower[end - 1] in ("the", "to", "at", "in", "from") and end > verb + 1:
        end -= 1
    return (
        (index, end, Category.TIME, lower[verb])
        if end > verb + 1 or lower[verb] in ("wake", "arrive")
        else None
    )


def _routine_time(tokens: Sequence[Token], index: int) -> Span | None:
    """“my wake-up time”, “class time”, “bedtime”."""
    token = tokens[index]
    start = index - 1 if index and tokens[index - 1].lower in words.POSSESSIVES else index
    habit = start > 0 and tokens[start - 1].lower in words.HABIT_ADJECTIVES
    if token.lower == "bedtime" and not habit:
        alone = index + 1 >= len(tokens) or tokens[index + 1].part is not Part.NOUN
        return (_with_owner(tokens, start), index + 1, Category.TIME, "bedtime") if alone else None
    following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    if token.lower in words.ROUTINE_TIMES and following in words.TIME_WORDS and not habit:
        return start, index + 2, Category.TIME, following
    return None


def _with_owner(tokens: Sequence[Token], start: int) -> int:
    """Where a span begins with the person before it: "my baby's bedtime"."""
    if start < 2 or tokens[start - 1].part is not Part.OWNING or tokens[start - 2].part is not Part.NOUN:
        return start
    owner = start - 2
    return owner - 1 if owner and tokens[owner - 1].part is Part.POSSESSIVE else owner


def _same_as(tokens: Sequence[Token], index: int) -> Span | None:
    """“the same pizza as last time”, “the one from yesterday”, “as usual”, “last time's order”."""
    lower = [token.lower for token in tokens]
    if lower[index] in ("as", "like") and lower[index + 1 : index + 2] in (["usual"], ["always"], ["before"]):
        return index, index + 2, Category.HABIT, lower[index + 1]
    past = _past_end(lower, index)
    if past is None:
        return None
    start = index
    while (
        start > 0 and tokens[start - 1].part in (Part.NOUN, Part.NAME, Part.DETERMINER, Part.POSSESSIVE)
    ) or (start > 0 and lower[start - 1] in ("one", "same", "as", "from", "of", "like")):
        start -= 1
    while start < index and (
        tokens[start].part is Part.VERB or (tokens[start].part is Part.DETERMINER and lower[start] != "one")
    ):
        start += 1
    if past < len(tokens) and tokens[past].part is Part.OWNING:
        while past + 1 < len(tokens) and tokens[past + 1].part is Part.NOUN:
            past += 1
        past += 1
    return start, past, Category.PAST, _find_noun(tokens, start, index) or lower[start]


def _find_noun(tokens: Sequence[Token], start: int, end: int) -> str:
    """The noun of “same hotel as”; empty where there is none."""
    nouns = [token.lower for token in tokens[start:end] if token.part in (Part.NOUN, Part.NAME)]
    return next((noun for noun in reversed(nouns) if noun not in ("same", "one")), "")


def _postposed(tokens: Sequence[Token], index: int) -> Span | None:
    """“the snack often bought”: the habit behind its noun."""
    token = tokens[index]
    if (
        token.lower not in words.HABIT_ADVERBS - {"last", "just", "most"}
        or index == 0
        or index + 1 >= len(tokens)
    ):
        return None
    if tokens[index + 1].lower not in words.HABIT_PARTICIPLES or tokens[index - 1].part is not Part.NOUN:
        return None
    if index + 2 < len(tokens) and tokens[index + 2].part is Part.NOUN:
        return None
    start = index - 1
    while start > 0 and tokens[start - 1].part in (Part.NOUN, Part.NAME):
        start -= 1
    if start > 0 and tokens[start - 1].part is Part.POSSESSIVE:
        start -= 1
    end = index + 2
    stranded = end + 1 >= len(tokens) or tokens[end + 1].part in (
        Part.MARK,
        Part.CONJUNCTION,
        Part.PREPOSITION,
    )
    if end < len(tokens) and tokens[end].lower == "to" and stranded:
        end += 1
    return start, end, Category.HABIT, tokens[index - 1].lower


def _past_end(lower: Sequence[str], index: int) -> int | None:
    """Where words for an earlier time end that begin here, joined to what they tell of."""
    if list(lower[index : index + 2]) == ["last", "time"]:
        return index + 2
    joined = index > 0 and lower[index - 1] in ("from", "as")
    if joined and lower[index - 1] == "as" and lower[index] == "last" and index + 1 < len(lower):
        return index + 2
    if joined and list(lower[index : index + 3]) == ["the", "other", "day"]:
        return index + 3
    if joined and lower[index] in ("yesterday", "before", "always") and index > 1:
        return index + 1
    return None
