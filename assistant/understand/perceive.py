"""Finds the personalized elements of a command: the spans whose meaning depends on the user (PerPilot).

A trained tagger decides whether there are any; the patterns of English and Chinese (`languages/`) bound the
spans. They are called rules here.

Before that, `order_probability` says whether a line orders anything at all, and `find_answer_problem` why an
answer to a question is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.models import TaggedSpan, Tagging
from assistant.files import lazy_regex
from assistant.i18n import _, fold_case, later, sentences
from assistant.memory.profile.graph import PEOPLE, is_role
from assistant.memory.profile.lexicon import BESIDE_ROLE, clause_pattern
from assistant.model.types import one_line
from assistant.skills.command_wording import ValueKind, kinds_of
from assistant.understand.languages.patterns import is_only_named, leave_to_app, span_finder
from assistant.understand.slots import denies_habit, find_hour, find_names, find_verb_kinds, roles_in
from assistant.understand.types import (
    PRONOUN,
    Category,
    CommandLanguage,
    Perceived,
    PersonalizedElement,
    is_headless,
    normalize_key,
)
from assistant.understand.words import (
    amounts_of,
    chinese_words,
    contains_any,
    detect_language,
    english_words,
    exact_words,
    language_code,
    mentioned_spans,
    plain_case,
    refers_back,
    weekdays_of,
    wording,
)

_WORD = lazy_regex(r"[\w’']+")
MAX_COMMAND_LENGTH = 2000
"""Maximum number of characters of a command that are read; a longer text is pasted, not a command."""


GATE = 0.5
"""Minimum probability that a command depends on the user for its elements to be looked for."""


RULES_GATE = 0.07
"""The same for a thing or fact that the rules find: most of what people call “my” is on the phone."""

WORDED_GATE = 0.003
"""The same for people, places, habits and times that the rules find; below it they are of a name or a title.

Of the rules' finds in 1,880 explicit commands of MASSIVE and CLINC150 that were read, those below it were
nearly all mistakes, and those above it nearly all depended on the user.
"""

SPAN_THRESHOLD = 0.9
"""Minimum probability of words that only the tagger marks; where rules mark them too, their bounds are
taken.
"""

SPAN_THRESHOLD_ALONE = 0.7
"""The same in languages that have no rules, where nobody else marks words."""

ORDER_GATE = 0.19
"""Minimum probability that a line orders anything, for it to be done without asking whether it should.

Of 10,394 explicit commands of MASSIVE, CLINC150 and benchmarks that it has not learned from 1.1 % lie below
it; many of these order nothing either (“nobody knows”).
"""
REMARK_GATE = 0.05
"""The same where a model reads in a line what the memory bears out: “I slept badly” may ask for a coffee."""
LINE_GATE = 0.52
"""The same for it to be carried out without a model that reads first what kind of line it is.

Of 594 tasks on real apps none lies below it.
"""
ORDER_WEIGHTS = 1 << 18
"""Number of weights that the words of a line are spread over."""
_MOST_WORDS = 40
_ORDER_WORD = lazy_regex(
    r"[a-z\u00e0-\u00ff\u0153]+(?:'[a-z\u00e0-\u00ff]+)?|\d+|[\u3040-\u30ff\u3400-\u9fff]|[?!]"
)

_ORDER_CLAUSE = lazy_regex(r"[,，、。.!！;；:：]+|(?<=[\u3400-\u9fff])\s+")

_FORBIDS, _LIMITS, _BEGINS_DEED = map(wording, ("forbids", "limits", "begins_deed"))
_ASKS_WHY_NOT = wording("asks_why_not", "zh")

_CLAUSE_BEGINS = wording("clause_begins")
_LOOSE_START = wording("loose_start")
_LOOSE_TAIL = wording("loose_tail")
_HYPHENATED = lazy_regex(r"(?:-[a-z]+)+", re.IGNORECASE)
_TELLING = wording("telling")
_SAID_ZH = wording("said", "zh")
_RECIPIENT = lazy_regex(r"[A-Z][\w'’.-]*(?: [A-Z][\w'’-]+){0,2}\b|[\u4e00-\u9fff]{2,3}(?=我|说|，)")
_NUMBER_BEHIND = lazy_regex(r"[\s,，:：]*(?:(?:at|on)\s+)?\+?\d(?:[\s()-]?\d){5,}(?!\w)")
_CALLING = wording("calling")
_ANOTHER = wording("another_person")
_NEXT_REQUEST = wording("another_request")

_NO_CONTENT = frozenset(exact_words("en").contentless)
"""What the tagger sometimes marks beside an element, and which stands for nothing by itself."""

_TITLED = lazy_regex(r"(?:My|Our|[A-Z][a-z]+) [A-Z]")
"""How words of a title begin: “My Village People”."""
_YOUR = wording("your")
_HABIT_ZH = wording("calls_usual", "zh")
_NAME_BEHIND = lazy_regex(r"\s+[A-Z]")
_PREPOSED = wording("preposition_before")
"""Before a person, words behind whom are no message but say who it is: “to the man I met”."""
_ANAPHORA = wording("anaphora")
_PRONOUNS = tuple(wording("somebody", language) for language in ("en", "zh"))
"""A command to somebody who is no more than a pronoun in it."""
_PHONE = wording("own_before")


def perceive(command: str, apps: Sequence[str] = (), tagging: Tagging | None = None) -> Perceived:
    """The personalized elements of a command. The tagger decides whether there are any, and which words.

    The rules of English and Chinese know better where long ones begin and end.

    Labels of the `apps` on the phone are names wherever they stand.
    """
    perceived = _perceive(plain_case(command), apps, tagging)
    match = next(filter(None, (pronoun.match(command) for pronoun in _PRONOUNS)), None)
    if not perceived.elements and match is not None:
        somebody = PersonalizedElement(*match.span("who"), match["who"], Category.PERSON, PRONOUN)
        return replace(perceived, command=command, elements=(somebody,))
    cased = (replace(each, text=command[each.start : each.end]) for each in perceived.elements)
    elements = [each for element in cased for each in leave_to_app(command, element, apps)]
    joined = {each.start: each for element in elements for each in _joined_people(command, element)}
    taken = [(element.start, element.end) for element in elements]
    elements += (p for p in joined.values() if all(p.start >= end or p.end <= start for start, end in taken))
    elements.sort(key=lambda element: element.start)
    return replace(perceived, command=command, elements=tuple(elements))


def _joined_people(command: str, element: PersonalizedElement) -> Iterator[PersonalizedElement]:
    """Relatives that are joined to somebody of the user's: of “my sister and dad” the dad."""
    at = element.end if element.category is Category.PERSON else len(command)
    while (match := _JOINED.match(command, at)) is not None and match["who"].casefold() in _RELATIVES:
        yield PersonalizedElement(*match.span("who"), match["who"], Category.PERSON, match["who"].casefold())
        at = match.end("who")


_JOINED = lazy_regex(
    r"(?:\s*,|\s+and|\s*&|,\s*and)\s+(?:(?:my|our)\s+)?(?P<who>[a-z]+)\b(?!['’-])", re.IGNORECASE
)
_RELATIVES = {word for group in PEOPLE for word in group}


def _perceive(command: str, apps: Sequence[str], tagging: Tagging | None) -> Perceived:
    language = _language_of(command)
    text = command[:MAX_COMMAND_LENGTH]
    by_rules: tuple[PersonalizedElement, ...] = ()
    if language is not CommandLanguage.OTHER:
        by_rules = span_finder(language)(text, apps)
    named = _named_people(text)
    by_rules = tuple(element for element in by_rules if not _is_given(text, element, named))
    if tagging is None:
        return _exclude_mentioned(Perceived(command, language, by_rules))
    kept = _keep_found(command, by_rules, tagging)
    is_sure = tagging.needs_memory >= GATE
    threshold = SPAN_THRESHOLD_ALONE if language is CommandLanguage.OTHER else SPAN_THRESHOLD
    labels = {normalize_key(label) for label in apps}
    for span in (_trimmed(command, span) for span in tagging.spans):
        is_new = not any(element.start < span.end and span.start < element.end for element in by_rules)
        key = normalize_key(command[span.start : span.end])
        has_content = len(key) > 1 and key not in _NO_CONTENT and not key.isdigit()
        has_content = has_content and (language is CommandLanguage.OTHER or _is_phrase(command, span))
        has_content = has_content and not _ANAPHORA.match(command[span.start : span.end])
        is_contrary = span.kind == Category.HABIT and denies_habit(command[span.start : span.end])
        has_content = has_content and not is_contrary and not _is_of_a_name(command, span)
        if is_sure and is_new and has_content and span.probability >= threshold and key not in labels:
            kept.append(_element(command, span))
    given = (element for element in kept if not _is_given(text, element, named))
    elements = tuple(sorted(given, key=lambda element: element.start))
    return _exclude_messages(_exclude_mentioned(Perceived(command, language, elements)), named)


def _named_people(command: str) -> list[tuple[int, int]]:
    """Where a name stands behind what somebody is to the user: then it is said who is meant."""
    return [match.span() for match in BESIDE_ROLE.finditer(command) if is_role(match["who"])]


def _is_given(command: str, element: PersonalizedElement, named: Sequence[tuple[int, int]]) -> bool:
    """Whether a command says itself who or where an element is, or only names somebody in passing."""
    if element.category in (Category.PERSON, Category.GROUP) and (
        is_only_named(command, element.start, element.end)
        or any(start <= element.start < end for start, end in named)
    ):
        return True
    if _is_within_address(command, element):
        return True
    is_called = element.category in (Category.PERSON, Category.PLACE) and _CALLING.search(command)
    return bool(is_called) and _NUMBER_BEHIND.match(command, element.end) is not None


def _is_within_address(command: str, element: PersonalizedElement) -> bool:
    """Whether an element is a piece of a path, file name, web or mail address: “home” in /home/me/x.txt."""
    before, behind = _GLUED_BEFORE.search(command[: element.start]), _GLUED.match(command, element.end)
    begins = before is not None and _ADDRESS_BEFORE.search(before[0])
    return bool(begins or (behind is not None and _ADDRESS_BEHIND.search(behind[0])))


_GLUED = lazy_regex(r"[\w.@:/\\~%=&#+-]*", re.ASCII)
_GLUED_BEFORE = lazy_regex(rf"{_GLUED.pattern}\Z", re.ASCII)
"""What stands before or behind a word without a space."""
_ADDRESS_BEFORE = lazy_regex(r"[/\\_]|\w@|\.\w|\w\.\Z", re.ASCII)
_ADDRESS_BEHIND = lazy_regex(r"[/\\_]|@\w|\.\w|\A\d", re.ASCII)


def _exclude_mentioned(perceived: Perceived) -> Perceived:
    """A command without the elements whose words are only mentioned: in a quotation, title or message."""
    command = perceived.command
    spans = mentioned_spans(command, language_code(command))
    kept = tuple(
        element
        for element in perceived.elements
        if not any(start <= element.start and element.end <= end for start, end in spans)
        and not (_TITLED.match(element.text) and command[: element.start].strip())
    )
    return replace(perceived, elements=kept)


def _language_of(command: str) -> CommandLanguage:
    code = language_code(command)
    if code in ("de", "es", "fr", "ja"):
        return CommandLanguage.OTHER
    return detect_language(command)


def _is_phrase(command: str, span: TaggedSpan) -> bool:
    """Whether what the tagger alone marks as a thing or habit has more than one word; "pm" is none."""
    text = command[span.start : span.end]
    is_thing = span.kind in (Category.HABIT, Category.PAST, Category.THING, Category.TIME)
    return not is_thing or not text.isascii() or len(text.split()) > 1


def _keep_found(
    command: str, by_rules: Sequence[PersonalizedElement], tagging: Tagging
) -> list[PersonalizedElement]:
    """What of the rules' finds is kept, with the better bounds.

    Words for a habit say by themselves that the command depends on the user; then the other finds do, too.
    """
    gate = max(tagging.needs_memory, *(GATE if _names_habit(element) else 0.0 for element in by_rules), 0.0)
    kept = []
    for element in by_rules:
        if element.category in (Category.THING, Category.FACT):
            minimum = RULES_GATE
        else:
            minimum = GATE if _YOUR.match(element.text) else WORDED_GATE
        if gate >= minimum:
            kept.append(_bounded(command, element, tagging))
    return kept


def _names_habit(element: PersonalizedElement) -> bool:
    """Whether an element says by an adjective or adverb that it is a habit: “usual”, 平时."""
    if element.category is not Category.HABIT or _YOUR.match(element.text):
        return False
    words = set(element.text.casefold().split())
    habitual = english_words.HABIT_ADJECTIVES | english_words.FREQUENCY_ADVERBS
    return bool(words & habitual) or bool(_HABIT_ZH.search(element.text))


def _is_of_a_name(command: str, span: TaggedSpan) -> bool:
    """Whether words belong to a name or title: “Uncle” of “Uncle Bob”, 王老师, what stands in 《》."""
    before, text, behind = command[: span.start], command[span.start : span.end], command[span.end :]
    if span.kind == Category.PERSON and _NAME_BEHIND.match(behind) and text[:1].isupper():
        return True
    if before.count("《") > before.count("》") or text.startswith("的"):
        return True
    is_titled = text[:1] in chinese_words.SURNAMES and text[1:] in chinese_words.TITLED
    return span.kind == Category.PERSON and is_titled


def _bounded(command: str, element: PersonalizedElement, tagging: Tagging) -> PersonalizedElement:
    """An element by the tagger's bounds where the rules are known to err.

    A person is shorter than a clause that may be a message ("my mom that I'm late"), and "my usual" goes on
    to the thing ("my usual Friday dinner").
    """
    for span in (_trimmed(command, span) for span in tagging.spans):
        if not (span.start < element.end and element.start < span.end):
            continue
        is_clause = (
            span.start == element.start
            and _CLAUSE_BEGINS.match(command[span.end : element.end]) is not None
            and _PREPOSED.search(command[: element.start]) is None
        )
        if is_clause and span.kind in (Category.PERSON, Category.PLACE):
            return _element(command, span)
        if is_headless(element) and span.start <= element.start and span.end > element.end:
            return _element(command, span)
    return element


def _trimmed(command: str, span: TaggedSpan) -> TaggedSpan:
    """A span without prepositions at its ends, and with the rest of a word that goes on behind a hyphen."""
    start, end = span.start, span.end
    if (match := _LOOSE_START.match(command[start:end])) is not None:
        start += match.end()
    if (match := _LOOSE_TAIL.search(command[start:end])) is not None:
        end = start + match.start()
    if (match := _HYPHENATED.match(command, end)) is not None and end > start:
        end = match.end()
    return replace(span, start=start, end=end)


def _exclude_messages(perceived: Perceived, named: Sequence[tuple[int, int]]) -> Perceived:
    """A command without the elements in words for somebody else: "tell my mom I'm at home" goes nowhere.

    What is sent of the user's own data ("text Ana my address") stays.
    """
    command, kept = perceived.command, []
    people = [*((element.start, element.end) for element in perceived.elements), *named]
    begins = _find_message(command, sorted(people))
    for element in perceived.elements:
        ends_before = begins is None or element.start < begins
        if ends_before or element.category is Category.FACT:
            kept.append(element)
    return replace(perceived, elements=tuple(kept))


def _find_message(command: str, people: Sequence[tuple[int, int]]) -> int | None:
    """Where a message to somebody begins, who may be one of some people; None without one."""
    if (said := _SAID_ZH.search(command)) is not None:
        return said.end()
    match = _TELLING.search(command)
    if match is None:
        return None
    recipients = [end for start, end in people if start <= match.end() + 1]
    if recipients and recipients[-1] > match.end():
        position = recipients[-1]
    elif (name := _RECIPIENT.match(command, match.end())) is not None:
        position = name.end()
    else:
        return None
    while (joint := _ANOTHER.match(command, position)) is not None:
        position = next((end for start, end in people if start == joint.end()), joint.end() + 1)
    following = _NEXT_REQUEST.search(command, position)
    return position if following is None else None


def _element(command: str, span: TaggedSpan) -> PersonalizedElement:
    """An element that only the tagger marks; its head is its last word, which may be wrong in a long one."""
    start, end = span.start, span.end
    text = command[start:end]
    words = _WORD.findall(_PHONE.sub("", text))
    head = words[-1].casefold() if words and text.isascii() else text
    owner = next((word[:-2].casefold() for word in words[:-1] if word.endswith(("'s", "’s"))), "")
    return PersonalizedElement(start, end, text, Category(span.kind), head, owner)


def exclude_settled(perceived: Perceived, settled: str) -> Perceived:
    """A command without the elements whose words are in a complete instruction."""
    if not settled:
        return perceived
    settled_text = _pad_words(settled, perceived.language)
    remaining = (
        element
        for element in perceived.elements
        if _pad_words(element.text, perceived.language) not in settled_text
    )
    return replace(perceived, elements=tuple(remaining))


def names_secret(text: str) -> bool:
    """Whether a text names a password or a code."""
    return _SECRET.search(text) is not None


def exclude_secrets(perceived: Perceived) -> Perceived:
    """A command without the elements that stand for a password or a code: no model may read one."""
    kept = (element for element in perceived.elements if not names_secret(element.text))
    return replace(perceived, elements=tuple(kept))


def asks_secret(command: str) -> bool:
    """Whether a command does nothing but ask what a password or a code of the user is."""
    if not names_secret(command):
        return False
    return any(
        names_secret(element.text) and _ASKS_VALUE.fullmatch(command.replace(element.text, "", 1))
        for element in perceive(command).elements
    )


_SECRET = clause_pattern("secret")
SECRET_NOT_KEPT = later(
    "Passwords and codes are not kept in the memory, nor looked up, because the model would read them. "
    "“assistant secret add NAME” keeps one that is entered without the model."
)
_ASKS_VALUE = wording("asks_value", "en", "zh")
"""What stands around a thing where its value is asked, and nothing is to be done with it."""


def _pad_words(text: str, language: CommandLanguage) -> str:
    """A text padded so that a substring search finds whole words; Chinese has no spaces to pad."""
    folded = text.casefold()
    return folded if language is CommandLanguage.ZH else f" {' '.join(_WORD.findall(folded))} "


_ZH_OPENERS = wording("openers", "zh")


_GREETING = wording("greeting", "en")


def strip_greeting(command: str) -> str:
    """A command without its greeting: "ok, …", "hey, …", "那个，…"."""
    return (_ZH_OPENERS if detect_language(command) is CommandLanguage.ZH else _GREETING).sub(
        "", command
    ) or command


_NEXT = wording("next_clause")
"""Separates the requests of a command."""


def find_clause_around(command: str, element: PersonalizedElement) -> str:
    """The request that an element belongs to, in a command with several requests."""
    start, end = 0, len(command)
    for match in _NEXT.finditer(command):
        if match.end() <= element.start:
            start = match.end()
        elif match.start() >= element.end:
            end = match.start()
            break
    return command[start:end].strip()


def is_order(line: str) -> bool:
    """Whether a line orders something, so that it is done without asking whether it should."""
    return order_probability(line) >= ORDER_GATE


def may_order_nothing(line: str) -> bool:
    """Whether a line may order nothing, or asks what the assistant did: a model may read what it is."""
    return order_probability(line) < LINE_GATE or _ASKS_ASSISTANT.match(line) is not None


_ASKS_ASSISTANT = wording("asks_assistant", "en", "zh")


def begins_order(clause: str) -> bool:
    """Whether a clause begins with a verb of deeds and orders one, whatever stands before it in its line."""
    return _BEGINS_DEED.match(clause) is not None and is_order(clause)


def order_probability(line: str) -> float:
    """The probability that a line orders anything: a remark, a prohibition, a question about the past do not.

    A linear classifier over its words, trained by `python -m tools.understanding.orders`, reads the line and
    each of its clauses that begins with a verb of deeds, and the likelier counts. Where a clause forbids a
    deed, only such another clause can order one, whatever the classifier says of the line. A limit
    such as 别超过200 forbids none. A line that does nothing but ask why it was not done orders none.
    """
    if _ASKS_WHY_NOT.fullmatch(line.strip()):
        return 0.0
    parts = [clause.strip() for clause in _ORDER_CLAUSE.split(line)]
    clauses = [clause for clause in parts if not _LIMITS.match(clause)] or parts
    allowed = [clause for clause in clauses if _FORBIDS.match(clause) is None]
    read = [clause for clause in allowed if _BEGINS_DEED.match(clause)]
    if len(allowed) == len(clauses):
        read.append(line)
    weights = _order_weights()
    logits = [
        float(weights[places].sum()) / len(places) ** 0.5 + float(weights[-1])
        for places in map(order_places, read)
    ]
    return float(1 / (1 + np.exp(-max(logits)))) if logits else 0.0


def order_places(line: str) -> list[int]:
    """The places of a line's features among the weights: words, pairs, gapped pairs and how it begins."""
    text = fold_case(line)
    words = ["0" if word.isdigit() else word for word in _ORDER_WORD.findall(text)[:_MOST_WORDS]]

    def features() -> Iterator[str]:
        yield f"length {min(len(words) // 3, 8)}"
        for at, word in enumerate(words):
            behind = words[at + 1 : at + 3]
            yield f"word {word}"
            yield " ".join(("pair", word, *(behind[:1] or ("$",))))
            if len(behind) == 2:
                yield f"gap {word} {behind[1]}"
                yield f"three {word} {behind[0]} {behind[1]}"
            if len(word) > 3:
                yield f"end {word[-3:]}"
            if behind and len(behind[0]) > 3:
                yield f"before {word} {behind[0][-2:]}"
        if words:
            yield f"deed {words[0] in english_words.VERBS}"
            yield f"last {words[-1]}"
            yield f"begins {words[0][-2:]}"
            for count in (1, 2, 3):
                yield " ".join(("first", str(count), *words[:count]))

    return [crc32(feature.encode()) % ORDER_WEIGHTS for feature in features()]


@cache
def _order_weights() -> NDArray[np.float32]:
    """The weights of the classifier, and its bias behind them."""
    weights: NDArray[np.float16] = np.load(Path(__file__).with_suffix(".npy"))
    return weights.astype(np.float32)


class Leaning(StrEnum):
    """Whether a line goes on from what was said before it: `SURELY` if it says too little without that."""

    NONE = "none"
    PERHAPS = "perhaps"
    SURELY = "surely"


def read_leaning(line: str) -> Leaning:
    """Whether a line leans on the turn before it: “and also tell mom”, “same but for 8”, 改成明天.

    It points at something that it does not name, or it begins with a word that joins, compares or corrects
    and does not go on to an order with an object of its own. An order that is complete leans on nothing,
    however it begins: “and play some jazz”. Nor does what is usual, whatever was done before: 老样子的午饭.
    """
    text = _ECHO.sub("", " ".join(line.replace("’", "'").split()))
    text = wording("tomorrow_written").sub("tomorrow", text)
    code = language_code(text)
    codes = _leaning_languages(code)
    rest = without_leaning(text, code)
    is_opened = without_interjections(text, code) != rest
    size = len(re.findall(r"[\u3041-\u30ff\u3400-\u9fff]", text)) / 2 + len(_LATIN_WORD.findall(text))
    if size > _LONGEST_FOLLOW_UP:
        return Leaning.NONE
    points = wording("leans_pointing", *codes)
    is_whole = code != "ja" and wording("leans_whole", *codes).fullmatch(text) is not None
    if is_whole or points.match(rest) or points.match(without_interjections(text, code)):
        return Leaning.SURELY
    is_added = wording("leans_added", *codes).search(rest) is not None
    if is_opened and wording("asks_something", code).match(rest) and size > _LONGEST_ELLIPSIS - 2:
        return Leaning.NONE
    is_short = wording("leans_perhaps", *codes).fullmatch(rest.rstrip(" .!。！")) is not None
    deed = wording("begins_deed", *{code, "en"}).match(rest)
    if deed is not None:
        if not (is_opened or is_added):
            return Leaning.PERHAPS if is_short or refers_back(text) else Leaning.NONE
        return Leaning.NONE if _has_own_object(rest, deed.end(), code) else Leaning.SURELY
    is_led = wording("leans_preposition", code).match(rest) is not None and size <= _LONGEST_ELLIPSIS
    points_back = refers_back(text) and size <= _LONGEST_ELLIPSIS and not _HABIT_ZH.search(text)
    if is_opened or is_added or is_led or points_back:
        return Leaning.SURELY
    is_short = is_short or size <= _SHORTEST_REQUEST
    return Leaning.PERHAPS if is_short or refers_back(text) else Leaning.NONE


_SPACED = ("en", "de", "es", "fr")


def _leaning_languages(code: str) -> tuple[str, ...]:
    # So few words do not tell which of the languages with spaces it is.
    return (code,) if code in ("zh", "ja") else _SPACED


def without_interjections(line: str, code: str) -> str:
    """A line without the words of mood before it: “oh ok, make it two”."""
    match = wording("leans_interjection", *_leaning_languages(code)).match(line)
    return line[match.end() :] if match is not None and match.end() < len(line) else line


def without_leaning(line: str, code: str) -> str:
    """A line without the words by which it goes on from what was said before: “oh and actually …”."""
    opening, line = wording("leans_opening", *_leaning_languages(code)), without_interjections(line, code)
    while (match := opening.match(line)) is not None and match.end() and match.end() < len(line):
        line = without_interjections(line[match.end() :], code)
    return line


_ECHO = lazy_regex(r"^[\w%]+(?: [\w%]+)? ?[?？]+ ?(?=\S)")  # “0? put it at 80” repeats what was said before.
_LATIN_WORD = lazy_regex(r"[^\W_\u3041-\u30ff\u3400-\u9fff]+")
_LONGEST_FOLLOW_UP, _LONGEST_ELLIPSIS = 14, 6
"""Maximum number of words, or pairs of characters, of a line that leans, and of one without a verb."""
_SHORTEST_REQUEST = 1
"""Number of words, as above, up to which a line without a verb of deeds may be a part of an order."""


def _has_own_object(rest: str, verb_end: int, code: str) -> bool:
    """Whether an order says by itself what is to be done, and not only to whom, when or how many."""
    if find_verb_kinds(rest) & _COMPLETE_WITH_SOMEBODY or mentioned_spans(rest, code):
        return True
    words = wording("leans_added", code).sub("", wording("relative_end", "en", "zh").sub("", rest[verb_end:]))
    if code in ("zh", "ja"):
        return len(_HAN_OR_KANA.findall(words)) > _LONGEST_ADDRESSEE
    named = find_names(rest, code) if contains_any(rest, exact_words(code).telling, code) else frozenset()
    bare = {normalize_key(word) for word in _LATIN_WORD.findall(words)}
    roles = roles_in(words) | named | {normalize_key(word) for word in exact_words(code).function}
    return any(
        word not in roles
        and not is_role(word)
        and not amounts_of(word)
        and find_hour(word) is None
        and not weekdays_of(word, code)
        and word not in _POINTS_AT_SOMEBODY
        for word in bare
        if len(word) > 1
    )


_COMPLETE_WITH_SOMEBODY = frozenset(("call", "go"))
_LONGEST_ADDRESSEE = 6
_HAN_OR_KANA = lazy_regex(r"[\u3041-\u30ff\u3400-\u9fff]")
_POINTS_AT_SOMEBODY = frozenset(("him", "her", "them", "me", "us", "one", "it", "that"))


def tells_something(text: str) -> bool:
    """Whether a text tells something by a subject and a verb of its own, as “I went home” does."""
    return _OWN_VERB.search(" ".join(text.casefold().replace("’", "'").split())) is not None


def is_quoted(text: str) -> bool:
    """Whether a text begins with a quotation mark."""
    return text.strip()[:1] in _QUOTATION_MARKS


def find_answer_problem(category: str, words: str) -> str:
    """Why some words cannot be the value that is asked for, in sentences; empty where they can.

    Neither a person nor a place is a time or an amount, nothing is a sentence, and a time is told by figures
    or by words for one. What stands in quotation marks may be any name.
    """
    request, text = _WANTED.get(category, ""), words.strip(" .!。！")
    if not request or not text or is_quoted(text):
        return ""
    is_name = category != Category.TIME and _NAME.fullmatch(text) is not None
    is_figure = _FIGURES.search(text) is not None
    if category in (*_NAMED_ALONE, Category.FACT):
        tells = tells_something(text) or _HAS_SUBJECT.match(text) is not None
        tells = tells and not (is_figure and category == Category.FACT)
    else:
        tells = tells_something(text) and not is_figure and order_probability(text) < ORDER_GATE
    reason, amended = "", amounts_of(text) if _AMENDS.match(text) else ()
    figures = set(kinds_of(text)) & _OF_FIGURES or amended
    is_event = category == Category.TIME and _AT_EVENT.match(text) is not None
    if not (is_name or is_event) and (tells or _QUESTION.search(text)):
        reason = _("“{words}” is a sentence.")
    elif category == Category.TIME and not (
        is_event or is_figure or kinds_of(text) or amounts_of(text) or _IS_TIME.search(text)
    ):
        reason = _("“{words}” tells no time.") if find_hour(text) is None else ""
    elif category in _NAMED_ALONE[:3] and not _NUMBER.fullmatch(text) and figures:
        reason = _("“{words}” is a time or an amount.")
    advice = _("A name that only looks so goes in quotation marks.")
    return sentences(reason.format(words=one_line(words, 60)), _(request), advice) if reason else ""


_OWN_VERB, _QUESTION, _AMENDS = map(wording, ("own_verb", "question", "amends"))
_WANTED: Mapping[str, str] = {
    Category.PERSON: later("A person is asked for."),
    Category.GROUP: later("A group is asked for."),
    Category.PLACE: later("A place is asked for."),
    Category.TIME: later("A time is asked for, such as 18:30."),
    Category.OPEN: later("An order, or what is missing in it, is asked for."),
    Category.FACT: later("Only the value is asked for."),
    **dict.fromkeys(
        (Category.HABIT, Category.PAST, Category.THING), later("A thing or a name is asked for.")
    ),
}
_NAMED_ALONE = (Category.PERSON, Category.GROUP, Category.PLACE, Category.TIME)
_OF_FIGURES = {ValueKind.TIME, ValueKind.DURATION, ValueKind.DAY, ValueKind.AMOUNT, ValueKind.COUNT}
_AT_EVENT = lazy_regex(r"(?i:when|after|before|once|until|as soon as) [^?]+$|.+(?:以后|之后|的时候|之前)$")
_HAS_SUBJECT = lazy_regex(r"(?:i|we|he|she|they|you)(?:['’]\w+)? \w", re.IGNORECASE)
_NUMBER = lazy_regex(r"\+?[\d -]{5,}")
"""The number of somebody, or of a place."""
_IS_TIME = lazy_regex(f"{wording('later').pattern}|{wording('ends_day').pattern}", re.IGNORECASE)
_FIGURES = lazy_regex(r"\d")
_QUOTATION_MARKS = ('"', "'", "“", "‘", "「", "『")
_NAME = lazy_regex(r"(?:[A-Z][\w'.-]*\s?){1,4}")
