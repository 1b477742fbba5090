"""Finds the words of a command that depend on the user by the patterns of a language, which are data.

The patterns of Chinese are regular expressions over the characters, those of English over the words:
`zh_spans.yaml` and `en_spans.yaml` say how they are written. Names, quotations and numbers are explicit and
never personalized. `find_mark` tells how a command marks that it means what is usual.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from functools import cache, lru_cache, reduce
from itertools import pairwise

from pydantic import BaseModel, ConfigDict

from assistant.files import any_word, read_words
from assistant.i18n import has_chinese, plain_signs
from assistant.memory.prototypes.terms import VERBS, plain_command, word_set
from assistant.understand.slots import find_verb_kinds, kinds_from_label
from assistant.understand.types import (
    RECURRING,
    Category,
    CommandLanguage,
    Perceived,
    PersonalizedElement,
    singular,
)
from assistant.understand.words import (
    CLAUSE_END,
    Token,
    TokenClass,
    WordTables,
    chinese_words,
    english_words,
    language_code,
    tokenize,
    weekdays_of,
    wording,
)

_CATEGORIES = frozenset(category.value for category in Category)
_SENT_ALONG = (Category.HABIT, Category.PAST, Category.FACT)
"""What is the user's even in words for somebody else: “text Ana my address”."""
_NEVER = "(?!)"


class WrittenPattern(BaseModel):
    """A pattern as a file has it: regular expressions with words in braces for word tables and parts.

    `match` is the span, if `after` matches and `not_after` does not match what stands before, and `not_span`
    does not match within. `example` is a command with the span in brackets.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    example: str
    match: str
    after: str = ""
    not_after: str = _NEVER
    not_span: str = _NEVER


class PatternFile(BaseModel):
    """The patterns of a language, tried in their order, with parts that several share.

    `quoted` is what is only mentioned; the group `said` of `message` is what somebody else is told.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    parts: dict[str, str]
    quoted: str = _NEVER
    message: str
    patterns: tuple[WrittenPattern, ...]


@cache
def load_patterns(language: str) -> PatternFile:
    """The patterns of a language by its code, such as “zh”."""
    return PatternFile.model_validate(read_words("assistant.understand", f"languages/{language}_spans.yaml"))


@dataclass(frozen=True, slots=True)
class _Reading:
    """A command as patterns read it.

    `subject` is what they are matched with. Its units, characters or words, begin at `starts`, the last of
    which is its end, and stand for `text[first:last]` of the command by `offsets`. Those in `explicit` begin
    no element.
    """

    subject: str
    starts: Sequence[int]
    offsets: Sequence[tuple[int, int]]
    explicit: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Pattern:
    match: re.Pattern[str]
    after: re.Pattern[str]
    not_after: re.Pattern[str]
    not_span: re.Pattern[str]


class SpanFinder(ABC):
    """Finds spans by the patterns of a file.

    Args:
        written: the patterns.
        tables: the words that they name.
    """

    def __init__(self, written: PatternFile, tables: WordTables) -> None:
        self._tables = tables
        self._parts = written.parts
        self._quoted = self._compile(written.quoted)
        self._message = self._compile(written.message)
        self._patterns = tuple(
            _Pattern(*map(self._compile, (each.match, each.after, each.not_after, each.not_span)))
            for each in written.patterns
        )

    def _compile(self, pattern: str) -> re.Pattern[str]:
        return re.compile(self._expand(pattern), re.IGNORECASE)

    @abstractmethod
    def _expand(self, pattern: str) -> str:
        """A regular expression without names in braces."""

    @abstractmethod
    def _read(self, text: str, apps: Sequence[str]) -> _Reading:
        """A command for the patterns; labels of apps are names."""

    def __call__(self, text: str, apps: Sequence[str] = ()) -> tuple[PersonalizedElement, ...]:
        """The personalized elements of a command, in the order of the text; labels of apps are names."""
        reading = self._read(text, apps)
        messages = [match.span("said") for match in self._message.finditer(reading.subject)]
        elements: list[PersonalizedElement] = []
        unit = 0
        while unit < len(reading.offsets):
            position = reading.starts[unit]
            match = None if unit in reading.explicit else self._match(reading.subject, position)
            if match is None:
                unit += 1
                continue
            element = _element(match, reading, text)
            is_told = any(start <= position < end for start, end in messages)
            if element is not None and (not is_told or element.category in _SENT_ALONG):
                elements.append(element)
            unit = bisect_left(reading.starts, match.end())
        return tuple(elements)

    def _match(self, subject: str, start: int) -> re.Match[str] | None:
        """The match of the first pattern that matches here."""
        before = subject[:start]
        for pattern in self._patterns:
            match = pattern.match.match(subject, start)
            if (
                match is not None
                and pattern.after.search(before)
                and not pattern.not_after.search(before)
                and not pattern.not_span.search(match[0])
            ):
                return match
        return None


def _element(match: re.Match[str], reading: _Reading, text: str) -> PersonalizedElement | None:
    """An element by the groups of a match: the last one that a category names, and `owner`.

    Several groups of one category differ by digits behind the name. Nobody owns a person. None if there is no
    such group: then the words are explicit.
    """
    groups = ((match.start(name), name) for name, words in match.groupdict().items() if words is not None)
    _, name = max(((at, name) for at, name in groups if name.rstrip("123") in _CATEGORIES), default=(0, ""))
    if not name:
        return None
    category = Category(name.rstrip("123"))
    has_owner = match.groupdict().get("owner") is not None and category is not Category.PERSON
    start, end = _offsets(match.span(), reading)
    return PersonalizedElement(
        start,
        end,
        text[start:end],
        category,
        head=_words(match.span(name), reading, text).removeprefix("的"),
        owner=_words(match.span("owner"), reading, text) if has_owner else "",
    )


def _offsets(span: tuple[int, int], reading: _Reading) -> tuple[int, int]:
    """Where a span of the subject, which has at least one unit, lies in the command."""
    first, behind = (bisect_left(reading.starts, position) for position in span)
    return reading.offsets[first][0], reading.offsets[behind - 1][1]


def _words(span: tuple[int, int], reading: _Reading, text: str) -> str:
    """The words of a span of the subject in small letters; nothing of an empty one."""
    if span[0] == span[1]:
        return ""
    start, end = _offsets(span, reading)
    return text[start:end].lower().replace("’", "'")


class CharacterSpanFinder(SpanFinder):
    """Patterns over characters, for a language without spaces."""

    def _expand(self, pattern: str) -> str:
        while (expanded := _NAMES.sub(lambda match: self._alternatives(match[1]), pattern)) != pattern:
            pattern = expanded
        return pattern

    def _alternatives(self, names: str) -> str:
        if names in self._parts:
            return self._parts[names]
        words = {word for name in names.split(",") for word in getattr(self._tables, name.upper())}
        return f"(?:{any_word(words)})"

    def _read(self, text: str, apps: Sequence[str]) -> _Reading:
        matches = [*self._quoted.finditer(text)]
        for app in apps:
            matches += re.finditer(re.escape(app), text, re.IGNORECASE)
        explicit = frozenset(place for match in matches for place in range(*match.span()))
        return _Reading(
            text, range(len(text) + 1), [(place, place + 1) for place in range(len(text))], explicit
        )


_NAMES = re.compile(r"\{([a-z_,]+)\}")
_PIECE = re.compile(
    r"(?P<kept>\\.|\(\?P<\w+>|\(\?<?[:=!])|\{(?P<names>[a-z_][^}]*)\}|<(?P<form>[^>]+)>|(?P<word>[a-z'][\w'-]*)"
    r"|(?P<space>\s+)|\{[^}]*\}|.",
    re.IGNORECASE,
)
"""The pieces of a pattern over words; repetitions such as {0,4} are as in regular expressions."""
_ANY, _CAPITAL = "any", "capital"
_CLASSES = frozenset((*(part.value for part in TokenClass), _ANY, _CAPITAL))
_GOES_ON = (TokenClass.NOUN, TokenClass.NAME, TokenClass.NUMBER, TokenClass.OWNING)
_UNREAD = {TokenClass.QUOTED: '"', TokenClass.NUMBER: "#"}


class WordSpanFinder(SpanFinder):
    """Patterns over words. The subject has an entry for each: “mum/noun/kin/kin!/~ ”.

    Behind the word stand its class and its tables, with an exclamation mark where it stands there as it is
    and not in another number. An entry ends in ~ if a noun phrase may go on behind it.
    """

    def __init__(self, written: PatternFile, tables: WordTables) -> None:
        self._named: dict[str, frozenset[str]] = {}
        super().__init__(written, tables)
        self._tables_of = lru_cache(maxsize=5_000)(self._find_tables)

    def _expand(self, pattern: str) -> str:
        return "".join(map(self._expand_piece, _PIECE.finditer(pattern)))

    def _expand_piece(self, piece: re.Match[str]) -> str:
        if (names := piece["names"]) is not None:
            return f"(?:{self._expand(self._parts[names]) if names in self._parts else self._word(names)})"
        if (form := piece["form"] or (re.escape(piece["word"]) if piece["word"] else "")) != "":
            return f"(?:(?<![^ ])(?:{form})/[^ ]* )"
        return "" if piece["space"] else piece[0]

    def _word(self, names: str) -> str:
        """An entry of one of the classes and tables: `a|b&c` is of `a`, or of both `b` and `c`."""
        alternatives = []
        for alternative in names.split("|"):
            for name in alternative.split("&"):
                if (table := name.rstrip("!")) not in _CLASSES:
                    self._named[table] = getattr(self._tables, table.upper())
            needed = "".join(f"(?=[^ ]*/{name}/)" for name in alternative.split("&") if name != _ANY)
            alternatives.append(f"{needed}[^ ]+ ")
        return f"(?<![^ ])(?:{'|'.join(alternatives)})"

    def _read(self, text: str, apps: Sequence[str]) -> _Reading:
        tokens = tokenize(text, apps)
        entries = [self._entry(token) for token in tokens]
        starts = [0]
        for entry in entries:
            starts.append(starts[-1] + len(entry))
        return _Reading("".join(entries), starts, [(token.start, token.end) for token in tokens])

    def _entry(self, token: Token) -> str:
        word = _UNREAD.get(token.part, token.lower.replace("/", "|"))
        capital = f"{_CAPITAL}/" if token.capitalised else ""
        goes_on = token.part in _GOES_ON or token.lower in english_words.THIRD_POSSESSIVES
        tables = self._tables_of(token.lower)
        return f"{word}/{token.part.value}/{capital}{tables}{'~' if goes_on else ''} "

    def _find_tables(self, word: str) -> str:
        singular_word = singular(word)
        return "".join(
            f"{name}/{name}!/" if word in words else f"{name}/"
            for name, words in self._named.items()
            if word in words or singular_word in words
        )


@cache
def span_finder(language: str) -> SpanFinder:
    """The finder of a language, “en” or “zh”."""
    if language == "zh":
        return CharacterSpanFinder(load_patterns(language), chinese_words)
    return WordSpanFinder(load_patterns(language), english_words)


_SOUGHT_BEFORE = (
    wording("sought_before", "en"),
    wording("sought_before", "zh"),
    wording("sought_within", "zh"),
)
_SOUGHT_BEHIND = wording("sought_behind", "en")
"""What stands around words that are looked up in an app, which the group `app` names."""
_SEEKING = wording("seeking", "en")


def leave_to_app(
    command: str, element: PersonalizedElement, apps: Sequence[str]
) -> Iterator[PersonalizedElement]:
    """The element; of a fact that the command has looked up in an app, only the person whose it is.

    “Look up the number of Dad in Contacts” depends on who Dad is. The number is what the phone is to tell:
    it is neither asked for nor filled in. What the phone has is known by a misspelt word, too: “my calender”.
    """
    if element.category is Category.THING and _is_misspelt_device(element.head):
        return
    before, behind = command[: element.start], command[element.end :]
    around = [pattern.search(before) for pattern in _SOUGHT_BEFORE]
    around.append(_SOUGHT_BEHIND.match(behind) if _SEEKING.search(before) else None)
    if element.category is not Category.FACT or not any(
        match and _is_app(match["app"], apps) for match in around
    ):
        yield element
        return
    at = element.text.replace("’", "'").casefold().find(element.owner)
    owner = element.text[at : at + len(element.owner)]
    language = "zh" if has_chinese(command) else "en"
    for person in span_finder(language)(owner) if owner else ():
        start = element.start + at + person.start
        yield replace(person, start=start, end=start + len(person.text))


def _is_misspelt_device(word: str) -> bool:
    devices = [each for each in english_words.DEVICE if each.isalpha()]
    return len(word) >= _LONG_WORD and bool(get_close_matches(word, devices, 1, _LIKE_WORD))


_LONG_WORD, _LIKE_WORD = 6, 0.85
"""Letters of a word from which a typo is forgiven, and how alike (0..1) the words must be."""


def is_only_named(command: str, start: int, end: int) -> bool:
    """Whether words for somebody are what an entry is about, or only tell why: nobody is addressed by them.

    Such words stay as they are: “dentist thursday 3pm”, “put the dentist in my calendar”, “or I miss the
    dentist”. In “remind me to call the dentist” the dentist is called.

    Args:
        command: the command.
        start: where the words begin.
        end: where they end.
    """
    code = "zh" if has_chinese(command) else "en"
    ends = [match.end() for match in CLAUSE_END.finditer(command) if match.end() <= start]
    begins, until = max(ends, default=0), CLAUSE_END.search(command, end)
    before, behind = command[begins:start], command[end : until.start() if until is not None else None]
    is_reminded = wording("reminds", code).search(f"{before}|{command[start:end]}") is not None
    if is_reminded or wording("addresses", code).search(before):
        return False
    if wording("enters", code).search(f"{before} {behind}") or wording("tells_why", code).match(before):
        return True
    is_alone = code == "en" and not before.strip()
    return is_alone and (bool(weekdays_of(behind, language_code(command))) or bool(_TIME.search(behind)))


_TIME = wording("clock_time", "en")


def stands_beside_order(command: str, element: PersonalizedElement) -> bool:
    """Whether somebody or a place is only named by a clause beside the order, such as one that says why.

    “My boss hates waiting, wake me at 6” needs not to know who that is. The clause with the deed says all
    that it needs itself: an alarm its time, and nothing that points at the other clause, as in “call her”. A
    ride, a message and a present may need whoever or whatever is named before.
    """
    code = "zh" if has_chinese(command) else "en"
    if element.category not in _NAMED_BESIDE or element.is_whole_command:
        return False
    ends = [0]
    for pattern in (CLAUSE_END, wording("begins_reason", code)):
        ends += [each.end() for each in pattern.finditer(command)]
    bounds = [*sorted(ends), len(command)]
    own = max((at for at in ends if at <= element.start), default=0)
    others = [command[start:end].strip() for start, end in pairwise(bounds) if start != own]
    if _is_deed(command[own:].strip(), code):
        return False
    lacks_place = wording("leads_there", code).search(command[own : element.start]) is not None
    is_told = element.category in (Category.THING, Category.FACT)
    orders = [text for text in others if _is_deed(text, code)]
    for text in orders:
        match = wording("needs_nobody", code).match(text)
        is_lacking = (
            lacks_place
            if match is None or match["alarm"] is None
            else not wording("says_hour", code).search(text)
        )
        if match is None or is_lacking or (is_told and wording("counts_from", code).search(text)):
            return False
    return bool(orders) and not any(map(wording("points_outside", code).search, orders))


def _is_deed(clause: str, code: str) -> bool:
    """Whether a clause begins with a deed, such that who or what it names may be needed."""
    is_whole = wording("needs_nobody", code).match(clause)
    return is_whole is not None or wording("begins_deed", code).match(clause) is not None


_NAMED_BESIDE = (Category.PERSON, Category.GROUP, Category.PLACE, Category.THING, Category.FACT)


def _is_app(label: str, apps: Sequence[str]) -> bool:
    return label.casefold() in (app.casefold() for app in apps) or bool(kinds_from_label(label))


class HabitMark(StrEnum):
    """How a command marks that it means what is usually done."""

    NONE = "none"
    RECURRING = "recurring"
    """It names a thing and leaves the rest open, or means what was done before: “lunch again”."""
    USUAL = "usual"
    """It calls what it means usual: “my usual lunch from the canteen”."""
    ONLY_USUAL = "only usual"
    """It says nothing beside that, so that no words of it need to be kept: “my usual lunch”."""
    BARE = "bare"
    """It says neither what is done nor with what, so that any habit may be meant: “the usual”, 照旧."""


def find_mark(perceived: Perceived) -> HabitMark:
    """How a command marks that it means a habit."""
    if is_bare(perceived):
        return HabitMark.BARE
    usual = [element.text for element in perceived.elements if element.category is Category.HABIT]
    if usual:
        beside = word_set(reduce(lambda rest, text: rest.replace(text, " "), usual, perceived.command))
        has_one_deed = len(beside & (VERBS | english_words.VERBS)) <= 1
        is_alone = has_one_deed and all(map(find_verb_kinds, beside - VERBS))
        return HabitMark.ONLY_USUAL if is_alone else HabitMark.USUAL
    # “My coffee” is the one that is had each time, where no fact tells of it.
    own = (each for each in perceived.elements if each.category is Category.THING and not each.owner)
    is_own = any(_MINE.match(element.text) for element in own)
    is_marked = is_own or any(element.category in RECURRING for element in perceived.elements)
    return HabitMark.RECURRING if is_marked else HabitMark.NONE


_MINE = re.compile(r"(?:my|our) (?=\S)|我的?(?=\S)", re.IGNORECASE)


def is_bare(perceived: Perceived) -> bool:
    """Whether a command says no more than that it means what is usual: no verb, no thing, nobody."""
    command = perceived.command
    elements = [element for element in perceived.elements if not element.is_whole_command]
    if find_verb_kinds(command) or asks_casually(command) or perceived.language is CommandLanguage.OTHER:
        return False
    # “Mute” alone says what is done.
    said = word_set(plain_command(command)) - (VERBS if elements else frozenset())
    return not said and all(element.category is Category.HABIT for element in elements)


def asks_casually(command: str) -> bool:
    """Whether a command asks in light words, or says how much: “get me the usual”, 来一份, “for two”."""
    return _GETS_LIGHTLY.search(command.strip()) is not None


_GETS_LIGHTLY = wording("gets_lightly")


@dataclass(frozen=True, slots=True)
class AboutAsked:
    """What an answer says of the words that were asked about: “never mind the school, set the alarm”.

    Attributes:
        names_it: it repeats them.
        set_aside: it says that they do not matter.
        rest: its clauses without what sets them aside.
        told: what it says that they are, “the school is Lincoln High”; else empty.
    """

    names_it: bool
    set_aside: bool
    rest: tuple[str, ...]
    told: str


def read_about_asked(asked: str, answer: str) -> AboutAsked:
    """What an answer says of the words that were asked about."""
    whole, text = _OWN.sub("", plain_signs(asked)), plain_signs(answer)
    # “My sister's place” is also called by whose it is, 我教练那儿 by who is there.
    name = "|".join(map(re.escape, filter(None, (whole, _BEHIND_NAME.sub("", whole)))))
    spelled = rf"{_OWN_BEFORE}(?:{name})(?!\w)" if whole.isascii() else f"{_OWN_BEFORE_ZH}(?:{name})"
    marked = re.sub(spelled, _ASKED, text, flags=re.IGNORECASE)
    said, count = _sets_aside().subn(_CUT, marked)
    rest = tuple(filter(None, map(str.strip, _ANSWER_PARTS.split(said))))
    told = wording("tells_asked").match(marked)
    is_named = told is not None and _ASKED not in marked[told.end() :]
    is_aside = count > 0 or any(map(wording("may_set_aside").match, rest))
    return AboutAsked(
        _ASKED in marked, is_aside, rest, marked[told.end() :].strip() if told and is_named else ""
    )


@cache
def _sets_aside() -> re.Pattern[str]:
    """What sets aside what is asked about, which a pronoun may stand for, too."""
    asked = f"(?:{_ASKED}|{wording('points_at_asked').pattern})"
    return re.compile(wording("sets_aside").pattern.replace(_ASKED, asked), re.IGNORECASE)


_ASKED, _CUT = "§", "¦"
"""Stand for the words that are asked about, and for what sets them aside, in the patterns."""
_OWN = re.compile(r"^(?:my|our|the) |^我们?的?(?=.{2})", re.IGNORECASE)
_OWN_BEFORE, _OWN_BEFORE_ZH = r"\b(?:(?:my|our|the|that|this|your)\s+)?", "(?:我们?的?)?"
_BEHIND_NAME = re.compile(
    r"(?:'s| (?:who|that|which|on|in|at|of|from|near|where)) .*|(?:那儿|那里|那边|家里?|的.+)$"
)
_ANSWER_PARTS = re.compile(rf"{_CUT}|[,.;!]|(?<=[\u3400-\u9fff])\s+|\b(?:and|but|then)\b", re.IGNORECASE)
