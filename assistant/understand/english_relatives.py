"""Relative clauses of the user's: "the restaurant we went to last week", "what I usually order"."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.understand import english_clause_words as clause_words
from assistant.understand import english_words as words
from assistant.understand.elements import Category
from assistant.understand.tokens import Part, Token, singular, within

Span = tuple[int, int, Category, str]
"""Tokens from, to, what it is, and its head."""

_FIRST_PERSON = frozenset(("i", "we"))
_JOINING = frozenset(("that", "which", "who", "where", "whom"))
_FREE = frozenset(("what", "where", "who", "whatever", "wherever"))
_FINITE = frozenset(("is", "are", "will"))
"""What goes on with the sentence behind a clause: "how full the bus I take is"."""

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
        leading = token.lower in ("to", "from") and place > begun
        if stop_at_prepositions and (place > begun + 1 or leading) and token.part is Part.PREPOSITION:
            stranded = following is None or following.part not in (
                Part.NOUN,
                Part.NAME,
                Part.DETERMINER,
                Part.NUMBER,
            )
            bound = token.lower in ("to", "at") and tokens[place - 1].lower in words.MOVING
            often = following is not None and following.lower in clause_words.OFTEN_DAYS
            grouped = (
                token.lower == "to"
                and place + 2 < len(tokens)
                and within(tokens[place + 2], words.GROUPS | words.KIN | words.FRIENDS)
            )
            if (not stranded and not bound and not often) or grouped:
                break
            if not often and following is not None and (following.capitalised or following.part is Part.NAME):
                break
        if stop_at_prepositions and place > begun and token.lower in _FINITE:
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
    if head < 0 or not _can_head(tokens, head):
        return None
    kept = words.DEVICE - words.MEDIA | words.CONTENT - words.MEDIA | words.OTHER_WHOS
    if within(tokens[head], kept) and not (_habitual(tokens, place) or _is_compound(tokens, head)):
        return None
    if within(tokens[head], kept | words.MEDIA) and tokens[place + 1].lower in clause_words.PUT_THERE:
        return None
    wanting = tokens[place + 1].lower in words.WANTING or tokens[place + 1].part is Part.AUXILIARY
    if wanting and not _reading(tokens, place):
        return None
    start = _start_of(tokens, head)
    if start is None:
        return None
    past = any(
        one.lower in words.PAST_MARKS | clause_words.PAST_FORMS or one.lower.endswith("ed")
        for one in tokens[place : place + 5]
    )
    end = clause_end(tokens, place if liked else place + 1, stop_at_prepositions=True)
    category = Category.PAST if past else Category.HABIT
    return start, end, category, tokens[head].lower


def _can_head(tokens: Sequence[Token], head: int) -> bool:
    """Whether a word is what a clause tells about: a noun, “one”, or what an article makes one."""
    if tokens[head].part is Part.NOUN or tokens[head].lower == "one":
        return True
    return tokens[head].part is Part.PREPOSITION and head > 0 and tokens[head - 1].lower == "the"


def _habitual(tokens: Sequence[Token], place: int) -> bool:
    """Whether a clause whose subject stands here tells what somebody does again and again."""
    following = [token.lower for token in tokens[place + 1 : place + 3]]
    deeds = clause_words.DOING | words.LIKING | {"recommended", "suggested"}
    return bool(following) and (
        following[0] in words.TYPICAL or bool({following[0], singular(following[0])} & deeds)
    )


def _is_compound(tokens: Sequence[Token], head: int) -> bool:
    """Whether a noun before it makes a thing of a word for what apps keep: “phone case”, “alarm clock”."""
    return head > 0 and tokens[head - 1].part is Part.NOUN and within(tokens[head], words.OTHER_WHOS)


def _start_of(tokens: Sequence[Token], head: int) -> int | None:
    """Where the phrase of a head begins, with “brand of” before it; None where it is none of a clause's."""
    start = head
    while start > 0 and tokens[start - 1].part in (Part.NOUN, Part.NAME):
        start -= 1
    if start > 1 and tokens[start - 1].lower == "of" and within(tokens[start - 2], words.LINKING_NOUNS):
        start -= 2
    if start > 0 and tokens[start - 1].part is Part.POSSESSIVE:
        return start - 1
    governed = start > 0 and tokens[start - 1].part is Part.DETERMINER
    return start if governed or _is_plain_object(tokens, start) else None


def _somebodys_deed(tokens: Sequence[Token], place: int) -> bool:
    """Whether a person of the user's does something here: "my kids like", "my doctor prescribed"."""
    if not within(tokens[place], _PEOPLE):
        return False
    often = tokens[place + 1].lower in words.TYPICAL
    at = place + 2 if often else place + 1
    deed = tokens[at].lower if at < len(tokens) else ""
    again = deed.endswith("s") and singular(deed) in clause_words.DOING
    done = deed.endswith("ed") or deed in words.SENT | clause_words.PAST_FORMS or again
    named = tokens[place - 1].part is Part.POSSESSIVE or often
    return (
        deed in words.LIKING
        or (done and named)
        or (often and (deed in clause_words.DOING or deed.endswith("s")))
    )


def _who(tokens: Sequence[Token], place: int) -> Span | None:
    """“the friend who lent me money”."""
    known = tokens[place].lower == "who" and place > 0 and within(tokens[place - 1], _PEOPLE)
    if not known or place + 1 >= len(tokens) or tokens[place + 1].part is Part.AUXILIARY:
        return None
    before = tokens[place - 2].lower if place > 1 else ""
    if not within(tokens[place - 1], words.KIN | words.FRIENDS) and before not in words.POSSESSIVES | {"the"}:
        return None
    start = place - 2 if before in words.POSSESSIVES else place - 1
    end = clause_end(tokens, place + 1, stop_at_prepositions=True)
    return start, end, Category.PERSON, tokens[place - 1].lower


def _is_plain_object(tokens: Sequence[Token], start: int) -> bool:
    """Whether a phrase without a determiner is what a command acts on: "play songs I like"."""
    return start > 0 and tokens[start - 1].part is Part.VERB and tokens[start - 1].lower not in words.TALKING


def _reading(tokens: Sequence[Token], place: int) -> bool:
    """“the book I am reading”, “where we had dinner”, “the lap I did”: as personal as what is usual."""
    two = [token.lower for token in tokens[place + 1 : place + 3]]
    now = ("am", "'m", "was", "were", "'re", "are")
    if len(two) == 2 and two[0] in ("had", "did"):
        return tokens[place + 2].part is not Part.VERB and not two[1].endswith(("ed", "en"))
    return len(two) == 2 and two[0] in now and two[1].endswith("ing") and two[1] != "going"


def free_relative(tokens: Sequence[Token], place: int) -> Span | None:
    """“where I live”, “what I usually order”."""
    lower = [token.lower for token in tokens[place : place + 9]]
    if lower[0] == "where" and (somewhere := _where_they_live(tokens, place)):
        return somewhere
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


def _where_they_live(tokens: Sequence[Token], place: int) -> Span | None:
    """“where my parents live”, with its head: “the city where my parents live”."""
    who = place + 1
    while who < len(tokens) and (
        tokens[who].part is Part.POSSESSIVE or tokens[who].lower in words.PERSON_MODIFIERS
    ):
        who += 1
    known = _PEOPLE if who > place + 1 else words.KIN | words.FRIENDS
    if who + 1 >= len(tokens) or not within(tokens[who], known):
        return None
    start = _start_of(tokens, place - 1) if place and tokens[place - 1].part is Part.NOUN else None
    lives = tokens[who + 1].lower
    if start is not None:
        end = clause_end(tokens, who + 1, stop_at_prepositions=True)
        return start, end, Category.PLACE, tokens[place - 1].lower
    return (place, who + 2, Category.PLACE, lives) if {lives, singular(lives)} & words.LIVING else None
