"""Noun phrases and clauses of an English command that may be personalized.

Clauses are times ("when class starts") and relative clauses about the user: "the song I fall asleep to",
"the restaurant we went to last week", "what I usually order".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from assistant.understand.types import Category
from assistant.understand.words import Token, TokenClass, english_words, is_in_lexicon, singular

_INSIDE = (TokenClass.NOUN, TokenClass.NAME, TokenClass.NUMBER)


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
        if index >= len(tokens) or tokens[index].part is not TokenClass.OWNING:
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
    if tokens[index - 1].lower not in english_words.HABIT_ADJECTIVES - english_words.HEADLESS or index >= len(
        tokens
    ):
        return False
    last = index + 1 >= len(tokens) or tokens[index + 1].part in (
        TokenClass.MARK,
        TokenClass.CONJUNCTION,
        TokenClass.OWNING,
    )
    return last and tokens[index].part in (TokenClass.PREPOSITION, TokenClass.ADVERB, TokenClass.VERB)


def _opens(tokens: Sequence[Token], index: int) -> bool:
    token = tokens[index]
    return token.part in (TokenClass.DETERMINER, TokenClass.POSSESSIVE)


def _continues(tokens: Sequence[Token], index: int, first: int, determiner: str) -> bool:
    """Whether a token belongs to the phrase that began at `first`."""
    token = tokens[index]
    if token.part in _INSIDE:
        return not (index > first and _splits(tokens, index, first, determiner))
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if token.lower in english_words.HABIT_ADVERBS:
        habitual = english_words.HABIT_PARTICIPLES | english_words.HABIT_ADVERBS
        return following is not None and following.lower in habitual
    before = tokens[index - 1] if index > first else None
    if before is not None and before.lower in english_words.HABIT_ADVERBS:
        return token.lower in english_words.HABIT_PARTICIPLES
    if token.part is TokenClass.ADVERB and token.lower in ("daily", "everyday", "online", "weekly", "first"):
        return bool(determiner) and following is not None and following.part is TokenClass.NOUN
    return False


def _splits(tokens: Sequence[Token], index: int, first: int, determiner: str) -> bool:
    """Whether a new phrase begins: "tell mom | dinner is ready", "ask my wife | something"."""
    before = tokens[index - 1]
    if tokens[index].lower == "home" and before.lower in english_words.TRAVELLING:
        return True
    familiar = is_person(before) or is_in_lexicon(
        before, english_words.PLACES | english_words.POSSESSED_PLACES | english_words.ROUTINE_EVENTS
    )
    if familiar and (_is_verbal(tokens[index]) or tokens[index].part is TokenClass.NUMBER):
        return True
    if not is_person(before) or is_in_lexicon(
        tokens[index], english_words.GROUPS | english_words.FACTS | english_words.HAVE_OWNERS
    ):
        return False
    if determiner in ("a", "an"):
        return False
    verb = verb_before(tokens, first - (1 if determiner else 0))
    return verb in english_words.TALKING and not is_in_lexicon(
        tokens[index], english_words.KIN | english_words.FRIENDS | english_words.ROLES
    )


def _is_verbal(token: Token) -> bool:
    """Whether a word behind a person or place goes on as a verb: "home avoiding", "mom says"."""
    if token.lower in english_words.SENT | english_words.STARTING:
        return True
    if token.lower.endswith("ing"):
        return len(token.lower) > 5 and token.lower not in english_words.NOT_PARTICIPLES
    return token.lower.endswith("s") and token.lower[:-1] in english_words.ALWAYS_VERBS | {
        "takes"[:-1],
        "call",
    }


def verb_before(tokens: Sequence[Token], index: int) -> str:
    """The verb right before a place, in lower case; empty when there is none."""
    return tokens[index - 1].lower if index > 0 and tokens[index - 1].part is TokenClass.VERB else ""


def is_person(token: Token) -> bool:
    """Whether a word is one for somebody by their relation or role."""
    return token.part is TokenClass.NOUN and is_in_lexicon(
        token, english_words.KIN | english_words.FRIENDS | english_words.ROLES
    )


Span = tuple[int, int, Category, str]
"""Tokens from, to, what it is, and its head."""

_FIRST_PERSON = frozenset(("i", "we"))
_JOINING = frozenset(("that", "which", "who", "where", "whom"))
_FREE = frozenset(("what", "where", "who", "whatever", "wherever"))
_FINITE = frozenset(("is", "are", "will"))
"""What goes on with the sentence behind a clause: "how full the bus I take is"."""

_PEOPLE = english_words.KIN | english_words.FRIENDS | english_words.ROLES | english_words.POSSESSED_PEOPLE


def find_clause_end(tokens: Sequence[Token], index: int, *, stop_at_prepositions: bool) -> int:
    """Where a clause that goes on at `place` ends: at a mark, before "and then …", or before a new task."""
    start = index
    while index < len(tokens):
        token = tokens[index]
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if token.part is TokenClass.MARK and token.lower not in "-/&":
            break
        if token.lower in ("and", "then", "but", "or") and (
            token.lower == "then"
            or following is None
            or following.part is TokenClass.VERB
            or following.lower == "then"
        ):
            break
        leading = token.lower in ("to", "from") and index > start
        if stop_at_prepositions and (index > start + 1 or leading) and token.part is TokenClass.PREPOSITION:
            stranded = following is None or following.part not in (
                TokenClass.NOUN,
                TokenClass.NAME,
                TokenClass.DETERMINER,
                TokenClass.NUMBER,
            )
            bound = token.lower in ("to", "at") and tokens[index - 1].lower in english_words.MOVING
            often = following is not None and following.lower in english_words.OFTEN_DAYS
            grouped = (
                token.lower == "to"
                and index + 2 < len(tokens)
                and is_in_lexicon(
                    tokens[index + 2], english_words.GROUPS | english_words.KIN | english_words.FRIENDS
                )
            )
            if (not stranded and not bound and not often) or grouped:
                break
            if (
                not often
                and following is not None
                and (following.capitalised or following.part is TokenClass.NAME)
            ):
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
    if by_person and tokens[head].part is TokenClass.POSSESSIVE:
        head -= 1
    if tokens[head].lower in _JOINING:
        head -= 1
    if head < 0 or not _can_head(tokens, head):
        return None
    app_content = (
        english_words.DEVICE - english_words.MEDIA
        | english_words.CONTENT - english_words.MEDIA
        | english_words.OTHER_WHOS
    )
    if is_in_lexicon(tokens[head], app_content) and not (
        _is_habitual(tokens, index) or _is_compound(tokens, head)
    ):
        return None
    if (
        is_in_lexicon(tokens[head], app_content | english_words.MEDIA)
        and tokens[index + 1].lower in english_words.PUT_THERE
    ):
        return None
    wanting = (
        tokens[index + 1].lower in english_words.WANTING or tokens[index + 1].part is TokenClass.AUXILIARY
    )
    if wanting and not _is_current_or_past(tokens, index):
        return None
    start = _find_phrase_start(tokens, head)
    if start is None:
        return None
    past = any(
        token.lower in english_words.PAST_MARKS | english_words.PAST_FORMS or token.lower.endswith("ed")
        for token in tokens[index : index + 5]
    )
    end = find_clause_end(tokens, index if by_person else index + 1, stop_at_prepositions=True)
    category = Category.PAST if past else Category.HABIT
    return start, end, category, tokens[head].lower


def _can_head(tokens: Sequence[Token], head: int) -> bool:
    """Whether a word is what a clause tells about: a noun, “one”, or what an article makes one."""
    if tokens[head].part is TokenClass.NOUN or tokens[head].lower == "one":
        return True
    return tokens[head].part is TokenClass.PREPOSITION and head > 0 and tokens[head - 1].lower == "the"


def _is_habitual(tokens: Sequence[Token], index: int) -> bool:
    """Whether a clause whose subject stands here tells what somebody does again and again."""
    following = [token.lower for token in tokens[index + 1 : index + 3]]
    verbs = english_words.DOING | english_words.LIKING | {"recommended", "suggested"}
    return bool(following) and (
        following[0] in english_words.TYPICAL or bool({following[0], singular(following[0])} & verbs)
    )


def _is_compound(tokens: Sequence[Token], head: int) -> bool:
    """Whether a noun before it makes a thing of a word for what apps keep: “phone case”, “alarm clock”."""
    return (
        head > 0
        and tokens[head - 1].part is TokenClass.NOUN
        and is_in_lexicon(tokens[head], english_words.OTHER_WHOS)
    )


def _find_phrase_start(tokens: Sequence[Token], head: int) -> int | None:
    """Where the phrase of a head begins, with “brand of” before it; None where it is none of a clause's."""
    start = head
    while start > 0 and tokens[start - 1].part in (TokenClass.NOUN, TokenClass.NAME):
        start -= 1
    if (
        start > 1
        and tokens[start - 1].lower == "of"
        and is_in_lexicon(tokens[start - 2], english_words.LINKING_NOUNS)
    ):
        start -= 2
    if start > 0 and tokens[start - 1].part is TokenClass.POSSESSIVE:
        return start - 1
    governed = start > 0 and tokens[start - 1].part is TokenClass.DETERMINER
    return start if governed or _is_plain_object(tokens, start) else None


def _is_persons_action(tokens: Sequence[Token], index: int) -> bool:
    """Whether a person of the user's does something here: "my kids like", "my doctor prescribed"."""
    if not is_in_lexicon(tokens[index], _PEOPLE):
        return False
    often = tokens[index + 1].lower in english_words.TYPICAL
    at = index + 2 if often else index + 1
    verb = tokens[at].lower if at < len(tokens) else ""
    again = verb.endswith("s") and singular(verb) in english_words.DOING
    done = verb.endswith("ed") or verb in english_words.SENT | english_words.PAST_FORMS or again
    named = tokens[index - 1].part is TokenClass.POSSESSIVE or often
    return (
        verb in english_words.LIKING
        or (done and named)
        or (often and (verb in english_words.DOING or verb.endswith("s")))
    )


def _find_person_clause(tokens: Sequence[Token], index: int) -> Span | None:
    """“the friend who lent me money”."""
    is_person_clause = (
        tokens[index].lower == "who" and index > 0 and is_in_lexicon(tokens[index - 1], _PEOPLE)
    )
    if not is_person_clause or index + 1 >= len(tokens) or tokens[index + 1].part is TokenClass.AUXILIARY:
        return None
    before = tokens[index - 2].lower if index > 1 else ""
    if not is_in_lexicon(
        tokens[index - 1], english_words.KIN | english_words.FRIENDS
    ) and before not in english_words.POSSESSIVES | {"the"}:
        return None
    start = index - 2 if before in english_words.POSSESSIVES else index - 1
    end = find_clause_end(tokens, index + 1, stop_at_prepositions=True)
    return start, end, Category.PERSON, tokens[index - 1].lower


def _is_plain_object(tokens: Sequence[Token], start: int) -> bool:
    """Whether a phrase without a determiner is what a command acts on: "play songs I like"."""
    return (
        start > 0
        and tokens[start - 1].part is TokenClass.VERB
        and tokens[start - 1].lower not in english_words.TALKING
    )


def _is_current_or_past(tokens: Sequence[Token], index: int) -> bool:
    """“the book I am reading”, “where we had dinner”, “the lap I did”: as personal as what is usual."""
    two = [token.lower for token in tokens[index + 1 : index + 3]]
    auxiliaries = ("am", "'m", "was", "were", "'re", "are")
    if len(two) == 2 and two[0] in ("had", "did"):
        return tokens[index + 2].part is not TokenClass.VERB and not two[1].endswith(("ed", "en"))
    return len(two) == 2 and two[0] in auxiliaries and two[1].endswith("ing") and two[1] != "going"


def find_free_relative(tokens: Sequence[Token], index: int) -> Span | None:
    """“where I live”, “what I usually order”."""
    lower = [token.lower for token in tokens[index : index + 9]]
    if lower[0] == "where" and (home := _find_home_clause(tokens, index)):
        return home
    if lower[0] not in _FREE or lower[1:2] not in (["i"], ["we"]) or len(lower) < 3:
        return None
    if index and tokens[index - 1].part is TokenClass.NOUN and lower[0] in _JOINING:
        return None
    end = find_clause_end(tokens, index + 2, stop_at_prepositions=True)
    inside = set(lower[2 : end - index])
    living = lower[0] == "where" and lower[2] in english_words.LIVING
    using = lower[0] == "what" and lower[2] in english_words.USING
    if living or using or inside & english_words.TYPICAL:
        return index, end, Category.PLACE if living else Category.HABIT, lower[2]
    if inside & english_words.PAST_MARKS and not inside & {"have", "need"}:
        return index, end, Category.PAST, lower[2]
    return None


def _find_home_clause(tokens: Sequence[Token], index: int) -> Span | None:
    """“where my parents live”, with its head: “the city where my parents live”."""
    person = index + 1
    while person < len(tokens) and (
        tokens[person].part is TokenClass.POSSESSIVE or tokens[person].lower in english_words.PERSON_MODIFIERS
    ):
        person += 1
    people = _PEOPLE if person > index + 1 else english_words.KIN | english_words.FRIENDS
    if person + 1 >= len(tokens) or not is_in_lexicon(tokens[person], people):
        return None
    start = (
        _find_phrase_start(tokens, index - 1) if index and tokens[index - 1].part is TokenClass.NOUN else None
    )
    lives = tokens[person + 1].lower
    if start is not None:
        end = find_clause_end(tokens, person + 1, stop_at_prepositions=True)
        return start, end, Category.PLACE, tokens[index - 1].lower
    return (
        (index, person + 2, Category.PLACE, lives)
        if {lives, singular(lives)} & english_words.LIVING
        else None
    )


_SAYING = frozenset(("that", "saying", "says", ":"))
_TELLING = frozenset(
    ("tell", "text", "message", "send", "inform", "notify", "write", "remind", "reply", "say", "post")
)
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
    contracted = index + 1 < len(tokens) and tokens[index + 1].part is TokenClass.AUXILIARY
    return telling and token.lower in _FIRST_PERSON and contracted


def _time_clause(tokens: Sequence[Token], index: int) -> Span | None:
    """“when class starts”, “after work”, “when I get home”."""
    timed = tokens[index].lower in ("time", "times") and index + 2 < len(tokens)
    if timed and tokens[index + 1].lower == "to" and tokens[index + 2].lower in english_words.GETTING:
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
    if following[0] in english_words.GETTING and len(following) > 1:
        return _own_time(tokens, index, index + 1)
    end = _gathering_end(tokens, index + 1, english_words.ROUTINE_EVENTS)
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
    bare = end >= len(tokens) or tokens[end].part not in (
        TokenClass.NOUN,
        TokenClass.NAME,
        TokenClass.NUMBER,
        TokenClass.OWNING,
    )
    if bare and tokens[index].lower in ("before", "after", "during", "until", "till"):
        return index, end, Category.TIME, event
    return None


def _gathering_start(tokens: Sequence[Token], index: int) -> int | None:
    """The end of “(the) book club starts”: what people come to, and the verb for its start or end."""
    if index < len(tokens) and tokens[index].lower in ("when", "that"):
        index += 1
    verb = _gathering_end(tokens, index, english_words.ROUTINE_EVENTS | english_words.GATHERINGS)
    return verb + 1 if verb and _is_word(tokens, verb, english_words.STARTING) else None


def _is_plain_noun(token: Token) -> bool:
    """Whether a word may be part of a name for what people come to: no name, whose days are public."""
    named = token.capitalised or token.lower in english_words.STARTING
    return token.lower in english_words.ROUTINE_EVENTS or (token.part is TokenClass.NOUN and not named)


def _is_verb_as_noun(token: Token) -> bool:
    return (
        token.part is TokenClass.VERB and not token.capitalised and token.lower not in english_words.STARTING
    )


def _after_subject(tokens: Sequence[Token], index: int) -> int | None:
    """Where the verb of “(when) I get up”, “my son gets up” stands; None where no such clause begins."""
    if tokens[index].lower in ("when", "that"):
        index += 1
    if index < len(tokens) and tokens[index].lower in _FIRST_PERSON:
        return index + 1
    mine = index + 1 < len(tokens) and tokens[index].part is TokenClass.POSSESSIVE
    return index + 2 if mine and is_person(tokens[index + 1]) else None


def _day_of(tokens: Sequence[Token], index: int) -> Span | None:
    """“the day before the exam”, “the night of my sister's wedding”: a day by what happens then."""
    opened = index > 0 and tokens[index - 1].lower == "the"
    if tokens[index].lower not in english_words.MOMENTS or not opened or index + 3 > len(tokens) - 1:
        return None
    if tokens[index + 1].lower not in ("before", "after", "of"):
        return None
    chain = parse_phrase_chain(tokens, index + 2)
    if (
        not chain
        or chain[0].determiner not in {"the"} | english_words.POSSESSIVES | english_words.THIRD_POSSESSIVES
    ):
        return None
    head = tokens[chain[-1].end - 1]
    happens = is_in_lexicon(head, english_words.EVENTS | english_words.ROUTINE_EVENTS)
    return (index, chain[-1].end, Category.TIME, tokens[index].lower) if happens else None


def _bound_of(tokens: Sequence[Token], index: int) -> Span | None:
    """The span of a time given by an event: “the start of choir practice”, “the end time of my shift”."""
    if tokens[index].lower not in english_words.STARTING | english_words.BOUNDS:
        return None
    of = index + 2 if _is_word(tokens, index + 1, english_words.TIME_WORDS) else index + 1
    if not _is_word(tokens, of, {"of"}):
        return None
    end = _gathering_end(
        tokens, of + 1, english_words.ROUTINE_EVENTS - english_words.LYING | english_words.GATHERINGS
    )
    return (index, end, Category.TIME, tokens[end - 1].lower) if end else None


def _gathering_end(tokens: Sequence[Token], index: int, gatherings: Set[str]) -> int | None:
    """The index after an event such as “(the) choir practice”, a noun with its modifiers, or None."""
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
    while verb < len(lower) and (
        lower[verb] in english_words.TYPICAL or lower[verb] in ("am", "'m", "have", "'ve")
    ):
        verb += 1
    routine_words = english_words.ROUTINE_VERBS | english_words.GETTING | {"off", "done", "at", "in"}
    if verb >= len(lower) or not {lower[verb], singular(lower[verb])} & routine_words:
        return None
    end = verb + 1
    while end < len(lower) and lower[end] in english_words.ROUTINE_TAILS:
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
    start = index - 1 if index and tokens[index - 1].lower in english_words.POSSESSIVES else index
    habit = start > 0 and tokens[start - 1].lower in english_words.HABIT_ADJECTIVES
    if token.lower == "bedtime" and not habit:
        alone = index + 1 >= len(tokens) or tokens[index + 1].part is not TokenClass.NOUN
        return (_with_owner(tokens, start), index + 1, Category.TIME, "bedtime") if alone else None
    following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    if token.lower in english_words.ROUTINE_TIMES and following in english_words.TIME_WORDS and not habit:
        return start, index + 2, Category.TIME, following
    return None


def _with_owner(tokens: Sequence[Token], start: int) -> int:
    """Where a span begins with the person before it: "my baby's bedtime"."""
    if (
        start < 2
        or tokens[start - 1].part is not TokenClass.OWNING
        or tokens[start - 2].part is not TokenClass.NOUN
    ):
        return start
    owner = start - 2
    return owner - 1 if owner and tokens[owner - 1].part is TokenClass.POSSESSIVE else owner


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
        start > 0
        and tokens[start - 1].part
        in (TokenClass.NOUN, TokenClass.NAME, TokenClass.DETERMINER, TokenClass.POSSESSIVE)
    ) or (start > 0 and lower[start - 1] in ("one", "same", "as", "from", "of", "like")):
        start -= 1
    while start < index and (
        tokens[start].part is TokenClass.VERB
        or (tokens[start].part is TokenClass.DETERMINER and lower[start] != "one")
    ):
        start += 1
    if past < len(tokens) and tokens[past].part is TokenClass.OWNING:
        while past + 1 < len(tokens) and tokens[past + 1].part is TokenClass.NOUN:
            past += 1
        past += 1
    return start, past, Category.PAST, _find_noun(tokens, start, index) or lower[start]


def _find_noun(tokens: Sequence[Token], start: int, end: int) -> str:
    """The noun of “same hotel as”; empty where there is none."""
    nouns = [token.lower for token in tokens[start:end] if token.part in (TokenClass.NOUN, TokenClass.NAME)]
    return next((noun for noun in reversed(nouns) if noun not in ("same", "one")), "")


def _postposed(tokens: Sequence[Token], index: int) -> Span | None:
    """“the snack often bought”: the habit behind its noun."""
    token = tokens[index]
    if (
        token.lower not in english_words.HABIT_ADVERBS - {"last", "just", "most"}
        or index == 0
        or index + 1 >= len(tokens)
    ):
        return None
    if (
        tokens[index + 1].lower not in english_words.HABIT_PARTICIPLES
        or tokens[index - 1].part is not TokenClass.NOUN
    ):
        return None
    if index + 2 < len(tokens) and tokens[index + 2].part is TokenClass.NOUN:
        return None
    start = index - 1
    while start > 0 and tokens[start - 1].part in (TokenClass.NOUN, TokenClass.NAME):
        start -= 1
    if start > 0 and tokens[start - 1].part is TokenClass.POSSESSIVE:
        start -= 1
    end = index + 2
    stranded = end + 1 >= len(tokens) or tokens[end + 1].part in (
        TokenClass.MARK,
        TokenClass.CONJUNCTION,
        TokenClass.PREPOSITION,
    )
    if end < len(tokens) and tokens[end].lower == "to" and stranded:
        end += 1
    return start, end, Category.HABIT, tokens[index - 1].lower


def _past_end(lower: Sequence[str], index: int) -> int | None:
    """The index after words for an earlier time: “last time”, or “from yesterday”, “as always”; else None."""
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
