"""Relative clauses of the user's: "the restaurant we went to last week", "what I usually order"."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.understand import english_clause_words as clause_words
from assistant.understand import english_words as words
from assistant.understand.tokens import Part, Token, is_in_lexicon, singular
from assistant.understand.types import Category

Span = tuple[int, int, Category, str]
"""Tokens from, to, what it is, and its head."""

_FIRST_PERSON = frozenset(("i", "we"))
_JOINING = frozenset(("that", "which", "who", "where", "whom"))
_FREE = frozenset(("what", "where", "who", "whatever", "wherever"))
_FINITE = frozenset(("is", "are", "will"))
"""What goes on with the sentence behind a clause: "how full the bus I take is"."""

_PEOPLE = words.KIN | words.FRIENDS | words.ROLES | words.POSSESSED_PEOPLE


def find_clause_end(tokens: Sequence[Token], index: int, *, stop_at_prepositions: bool) -> int:
    """Where a clause that goes on at `place` ends: at a mark, before "and then …", or before a new task."""
    start = index
    while index < len(tokens):
        token = tokens[index]
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if token.part is Part.MARK and token.lower not in "-/&":
            break
        if token.lower in ("and", "then", "but", "or") and (
            token.lower == "then"
            or following is None
            or following.part is Part.VERB
            or following.lower == "then"
        ):
            break
        leading = token.lower in ("to", "from") and index > start
        if stop_at_prepositions and (index > start + 1 or leading) and token.part is Part.PREPOSITION:
            stranded = following is None or following.part not in (
                Part.NOUN,
                Part.NAME,
                Part.DETERMINER,
                Part.NUMBER,
            )
            bound = token.lower in ("to", "at") and tokens[index - 1].lower in words.MOVING
            often = following is not None and following.lower in clause_words.OFTEN_DAYS
            grouped = (
                token.lower == "to"
                and index + 2 < len(tokens)
                and is_in_lexicon(tokens[index + 2], words.GROUPS | words.KIN | words.FRIENDS)
            )
            if (not stranded and not bound and not often) or grouped:
                break
            if not often and following is not None and (following.capitalised or following.part is Part.NAME):
                break
        if stop_at_prepositions and index > start and token.lower in _FINITE:
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
        index += 1
    return index


def find_relative_clause(tokens: Sequence[Token], index: int) -> Span | None:
    """“the restaurant we went to last week”: a noun phrase and a clause of the user's."""
    if index == 0 or index + 1 >= len(tokens):
        return None
    if person := _find_person_clause(tokens, index):
        return person
    by_person = tokens[index].lower not in _FIRST_PERSON
    if by_person and not _is_persons_action(tokens, index):
        return None
    head = index - 1
    if by_person and tokens[head].part is Part.POSSESSIVE:
        head -= 1
    if tokens[head].lower in _JOINING:
        head -= 1
    if head < 0 or not _can_head(tokens, head):
        return None
    app_content = words.DEVICE - words.MEDIA | words.CONTENT - words.MEDIA | words.OTHER_WHOS
    if is_in_lexicon(tokens[head], app_content) and not (
        _is_habitual(tokens, index) or _is_compound(tokens, head)
    ):
        return None
    if (
        is_in_lexicon(tokens[head], app_content | words.MEDIA)
        and tokens[index + 1].lower in clause_words.PUT_THERE
    ):
        return None
    wanting = tokens[index + 1].lower in words.WANTING or tokens[index + 1].part is Part.AUXILIARY
    if wanting and not _is_current_or_past(tokens, index):
        return None
    start = _find_phrase_start(tokens, head)
    if start is None:
        return None
    past = any(
        token.lower in words.PAST_MARKS | clause_words.PAST_FORMS or token.lower.endswith("ed")
        for token in tokens[index : index + 5]
    )
    end = find_clause_end(tokens, index if by_person else index + 1, stop_at_prepositions=True)
    category = Category.PAST if past else Category.HABIT
    return start, end, category, tokens[head].lower


def _can_head(tokens: Sequence[Token], head: int) -> bool:
    """Whether a word is what a clause tells about: a noun, “one”, or what an article makes one."""
    if tokens[head].part is Part.NOUN or tokens[head].lower == "one":
        return True
    return tokens[head].part is Part.PREPOSITION and head > 0 and tokens[head - 1].lower == "the"


def _is_habitual(tokens: Sequence[Token], index: int) -> bool:
    """Whether a clause whose subject stands here tells what somebody does again and again."""
    following = [token.lower for token in tokens[index + 1 : index + 3]]
    verbs = clause_words.DOING | words.LIKING | {"recommended", "suggested"}
    return bool(following) and (
        following[0] in words.TYPICAL or bool({following[0], singular(following[0])} & verbs)
    )


def _is_compound(tokens: Sequence[Token], head: int) -> bool:
    """Whether a noun before it makes a thing of a word for what apps keep: “phone case”, “alarm clock”."""
    return head > 0 and tokens[head - 1].part is Part.NOUN and is_in_lexicon(tokens[head], words.OTHER_WHOS)


def _find_phrase_start(tokens: Sequence[Token], head: int) -> int | None:
    """Where the phrase of a head begins, with “brand of” before it; None where it is none of a clause's."""
    start = head
    while start > 0 and tokens[start - 1].part in (Part.NOUN, Part.NAME):
        start -= 1
    if (
        start > 1
        and tokens[start - 1].lower == "of"
        and is_in_lexicon(tokens[start - 2], words.LINKING_NOUNS)
    ):
        start -= 2
    if start > 0 and tokens[start - 1].part is Part.POSSESSIVE:
        return start - 1
    governed = start > 0 and tokens[start - 1].part is Part.DETERMINER
    return start if governed or _is_plain_object(tokens, start) else None


def _is_persons_action(tokens: Sequence[Token], index: int) -> bool:
    """Whether a person of the user's does something here: "my kids like", "my doctor prescribed"."""
    if not is_in_lexicon(tokens[index], _PEOPLE):
        return False
    often = tokens[index + 1].lower in words.TYPICAL
    at = index + 2 if often else index + 1
    verb = tokens[at].lower if at < len(tokens) else ""
    again = verb.endswith("s") and singular(verb) in clause_words.DOING
    done = verb.endswith("ed") or verb in words.SENT | clause_words.PAST_FORMS or again
    named = tokens[index - 1].part is Part.POSSESSIVE or often
    return (
        verb in words.LIKING
        or (done and named)
        or (often and (verb in clause_words.DOING or verb.endswith("s")))
    )


def _find_person_clause(tokens: Sequence[Token], index: int) -> Span | None:
    """“the friend who lent me money”."""
    is_person_clause = (
        tokens[index].lower == "who" and index > 0 and is_in_lexicon(tokens[index - 1], _PEOPLE)
    )
    if not is_person_clause or index + 1 >= len(tokens) or tokens[index + 1].part is Part.AUXILIARY:
        return None
    before = tokens[index - 2].lower if index > 1 else ""
    if not is_in_lexicon(tokens[index - 1], words.KIN | words.FRIENDS) and before not in words.POSSESSIVES | {
        "the"
    }:
        return None
    start = index - 2 if before in words.POSSESSIVES else index - 1
    end = find_clause_end(tokens, index + 1, stop_at_prepositions=True)
    return start, end, Category.PERSON, tokens[index - 1].lower


def _is_plain_object(tokens: Sequence[Token], start: int) -> bool:
    """Whether a phrase without a determiner is what a command acts on: "play songs I like"."""
    return start > 0 and tokens[start - 1].part is Part.VERB and tokens[start - 1].lower not in words.TALKING


def _is_current_or_past(tokens: Sequence[Token], index: int) -> bool:
    """“the book I am reading”, “where we had dinner”, “the lap I did”: as personal as what is usual."""
    two = [token.lower for token in tokens[index + 1 : index + 3]]
    auxiliaries = ("am", "'m", "was", "were", "'re", "are")
    if len(two) == 2 and two[0] in ("had", "did"):
        return tokens[index + 2].part is not Part.VERB and not two[1].endswith(("ed", "en"))
    return len(two) == 2 and two[0] in auxiliaries and two[1].endswith("ing") and two[1] != "going"


def find_free_relative(tokens: Sequence[Token], index: int) -> Span | None:
    """“where I live”, “what I usually order”."""
    lower = [token.lower for token in tokens[index : index + 9]]
    if lower[0] == "where" and (home := _find_home_clause(tokens, index)):
        return home
    if lower[0] not in _FREE or lower[1:2] not in (["i"], ["we"]) or len(lower) < 3:
        return None
    if index and tokens[index - 1].part is Part.NOUN and lower[0] in _JOINING:
        return None
    end = find_clause_end(tokens, index + 2, stop_at_prepositions=True)
    inside = set(lower[2 : end - index])
    living = lower[0] == "where" and lower[2] in words.LIVING
    using = lower[0] == "what" and lower[2] in words.USING
    if living or using or inside & words.TYPICAL:
        return index, end, Category.PLACE if living else Category.HABIT, lower[2]
    if inside & words.PAST_MARKS and not inside & {"have", "need"}:
        return index, end, Category.PAST, lower[2]
    return None


def _find_home_clause(tokens: Sequence[Token], index: int) -> Span | None:
    """“where my parents live”, with its head: “the city where my parents live”."""
    person = index + 1
    while person < len(tokens) and (
        tokens[person].part is Part.POSSESSIVE or tokens[person].lower in words.PERSON_MODIFIERS
    ):
        person += 1
    people = _PEOPLE if person > index + 1 else words.KIN | words.FRIENDS
    if person + 1 >= len(tokens) or not is_in_lexicon(tokens[person], people):
        return None
    start = _find_phrase_start(tokens, index - 1) if index and tokens[index - 1].part is Part.NOUN else None
    lives = tokens[person + 1].lower
    if start is not None:
        end = find_clause_end(tokens, person + 1, stop_at_prepositions=True)
        return start, end, Category.PLACE, tokens[index - 1].lower
    return (index, person + 2, Category.PLACE, lives) if {lives, singular(lives)} & words.LIVING else None
