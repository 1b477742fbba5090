"""Relative clauses of the user's: "the restaurant we went to last week", "what I usually order"."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.understand import english_words as words
from assistant.understand.elements import Category
from assistant.understand.tokens import Part, Token, singular, within

Span = tuple[int, int, Category, str]
"""Tokens from, to, what it is, and its head."""

_FIRST_PERSON = frozenset(("i", "we"))
_JOINING = frozenset(("that", "which", "who", "where", "whom"))
_FREE = frozenset(("what", "where", "who", "whatever", "wherever"))
_PEOPLE = words.KIN | words.FRIENDS | words.ROLES | words.POSSESSED_PEOPLE


def clause_end(tokens: Sequence[Token], place: int, *, stop_at_prepositions: bool) -> int:
    """Where a clause that goes on at `place` ends: at a mark, before "and then …", or before a new task."""
    begun = place
    while place < len(tokens):
        token = tokens[place]
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        if token.part is Part.MARK and token.lower not in "-/&":
            break
        if token.lower in ("and", "then", "but", "or") and (
            token.lower == "then"
            or following is None
            or following.part is Part.VERB
            or following.lower == "then"
        ):
            break
        if stop_at_prepositions and place > begun + 1 and token.part is Part.PREPOSITION:
            stranded = following is None or following.part not in (
                Part.NOUN,
                Part.NAME,
                Part.DETERMINER,
                Part.NUMBER,
            )
            bound = token.lower in ("to", "at") and tokens[place - 1].lower in words.MOVING
            if not stranded and not bound:
                break
            if following is not None and (following.capitalised or following.part is Part.NAME):
                break
        if stop_at_prepositions and token.lower in (
            "please",
            "tonight",
            "today",
            "tomorrow",
            "now",
            "again",
            "when",
        ):
            break
        place += 1
    return place


def relative(tokens: Sequence[Token], place: int) -> Span | None:
    """“the restaurant we went to last week”: a noun phrase and a clause of the user's."""
    if place == 0 or place + 1 >= len(tokens):
        return None
    if known := _who(tokens, place):
        return known
    liked = tokens[place].lower not in _FIRST_PERSON
    if liked and not _somebodys_deed(tokens, place):
        return None
    head = place - 1
    if liked and tokens[head].part is Part.POSSESSIVE:
        head -= 1
    if tokens[head].lower in _JOINING:
        head -= 1
    if head < 0 or (tokens[head].part is not Part.NOUN and tokens[head].lower != "one"):
        return None
    if within(tokens[head], words.DEVICE - words.MEDIA | words.CONTENT - words.MEDIA | words.OTHER_WHOS):
        return None
    wanting = tokens[place + 1].lower in words.WANTING or tokens[place + 1].part is Part.AUXILIARY
    if wanting and not _reading(tokens, place):
        return None
    start = head
    while start > 0 and tokens[start - 1].part in (Part.NOUN, Part.NAME):
        start -= 1
    if start > 0 and tokens[start - 1].part is Part.POSSESSIVE:
        start -= 1
    elif not (start > 0 and tokens[start - 1].part is Part.DETERMINER) and not _is_plain_object(
        tokens, start
    ):
        return None
    past = any(
        one.lower in words.PAST_MARKS
        or one.lower.endswith("ed")
        or one.lower in ("went", "bought", "had", "ate")
        for one in tokens[place : place + 5]
    )
    end = clause_end(tokens, place if liked else place + 1, stop_at_prepositions=True)
    category = Category.PAST if past else Category.HABIT
    return start, end, category, tokens[head].lower


def _somebodys_deed(tokens: Sequence[Token], place: int) -> bool:
    """Whether a person of the user's does something here: "my kids like", "my doctor prescribed"."""
    if not within(tokens[place], _PEOPLE):
        return False
    deed = tokens[place + 1].lower
    done = deed.endswith("ed") or deed in words.SENT or (deed.endswith("s") and singular(deed) in words.USING)
    return deed in words.LIKING or (done and tokens[place - 1].part is Part.POSSESSIVE)


def _who(tokens: Sequence[Token], place: int) -> Span | None:
    """“the friend who lent me money”."""
    known = tokens[place].lower == "who" and place > 0 and within(tokens[place - 1], _PEOPLE)
    if not known or place + 1 >= len(tokens) or tokens[place + 1].part is Part.AUXILIARY:
        return None
    start = place - 2 if place > 1 and tokens[place - 2].part is Part.POSSESSIVE else place - 1
    end = clause_end(tokens, place + 1, stop_at_prepositions=True)
    return start, end, Category.PERSON, tokens[place - 1].lower


def _is_plain_object(tokens: Sequence[Token], start: int) -> bool:
    """Whether a phrase without a determiner is what a command acts on: "play songs I like"."""
    return start > 0 and tokens[start - 1].part is Part.VERB and tokens[start - 1].lower not in words.TALKING


def _reading(tokens: Sequence[Token], place: int) -> bool:
    """“the book I am reading”, “where we had dinner”: as personal as what is usual."""
    two = [token.lower for token in tokens[place + 1 : place + 3]]
    now = ("am", "'m", "was", "were", "'re", "are")
    if len(two) == 2 and two[0] == "had":
        return tokens[place + 2].part is not Part.VERB and not two[1].endswith(("ed", "en"))
    return len(two) == 2 and two[0] in now and two[1].endswith("ing") and two[1] != "going"


def free_relative(tokens: Sequence[Token], place: int) -> Span | None:
    """“where I live”, “what I usually order”."""
    lower = [token.lower for token in tokens[place : place + 9]]
    if lower[0] == "where" and (end := _where_they_live(tokens, place)):
        return place, end, Category.PLACE, tokens[end - 1].lower
    if lower[0] not in _FREE or lower[1:2] not in (["i"], ["we"]) or len(lower) < 3:
        return None
    if place and tokens[place - 1].part is Part.NOUN and lower[0] in _JOINING:
        return None
    end = clause_end(tokens, place + 2, stop_at_prepositions=True)
    inside = set(lower[2 : end - place])
    living = lower[0] == "where" and lower[2] in words.LIVING
    using = lower[0] == "what" and lower[2] in words.USING
    if living or using or inside & words.TYPICAL:
        return place, end, Category.PLACE if living else Category.HABIT, lower[2]
    if inside & words.PAST_MARKS and not inside & {"have", "need"}:
        return place, end, Category.PAST, lower[2]
    return None


def _where_they_live(tokens: Sequence[Token], place: int) -> int | None:
    """The end of “where my parents live”."""
    who = place + 1
    while who < len(tokens) and (
        tokens[who].part is Part.POSSESSIVE or tokens[who].lower in words.PERSON_MODIFIERS
    ):
        who += 1
    if who + 1 >= len(tokens) or not within(tokens[who], _PEOPLE):
        return None
    lives = tokens[who + 1].lower
    return who + 2 if {lives, singular(lives)} & words.LIVING else None
