"""What a label, an id, a question or a command means, by its words.

`wording.yaml` has the English and Chinese words, as regular expressions for text as `normalize_label` returns
it: lower case, simplified characters. Verbs that are harmless elsewhere (“leave”, “show”, “share”) are
recognized with their object: a few words may stand between the two, and after the object only to whom, where
or when. Other languages are read by `lexicon.py`, whose phrases inherit the kind of their English.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from assistant.events import ActionKind
from assistant.files import lazy_regex, read_words
from assistant.i18n import has_chinese
from assistant.records import Action, Click, Element, LongClick, TypeText
from assistant.safety.lexicon import Sense, fold, lexicon, normalize_label, readings


def _read_words() -> dict[str, Any]:
    """What `wording.yaml` says, with the fragments put in for their names."""
    words = read_words("assistant.safety", "wording.yaml")
    fragments = {name: _choice(pattern) for name, pattern in words.pop("fragments").items()}
    return {name: _with_fragments(value, fragments) for name, value in words.items()}


def _with_fragments(value: Any, fragments: Mapping[str, str]) -> Any:
    match value:
        case str():
            return _FRAGMENT.sub(lambda match: fragments[match[1]], value)
        case list():
            return [_with_fragments(inner, fragments) for inner in value]
        case dict():
            return {name: _with_fragments(inner, fragments) for name, inner in value.items()}
    raise TypeError(f"wording.yaml holds texts, lists and maps of them, and no {type(value).__name__}")


def _choice(alternatives: str | Sequence[str]) -> str:
    return alternatives if isinstance(alternatives, str) else "|".join(alternatives)


def id_word_set(name: str) -> frozenset[str]:
    """The words `name` of `wording.yaml`, each a whole word of an id."""
    return frozenset(_WORDS[name])


def word_map(name: str) -> dict[str, str]:
    """The words `name` of `wording.yaml` by what they stand for."""
    return dict(_WORDS[name])


def pattern(name: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """The words `name` of `wording.yaml`; for text as the screen writes it, case aside."""
    return lazy_regex(_choice(_WORDS[name]), re.IGNORECASE if ignore_case else 0)


def _any_of(patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str]:
    """One pattern for several: most labels of a page match none, and are asked once."""
    return lazy_regex("|".join(f"(?:{pattern.pattern})" for pattern in patterns))


def _whole(name: str, end: str) -> re.Pattern[str]:
    return lazy_regex(f"^(?:{_choice(_WORDS[name])}){end}$")


def _by_kind(name: str) -> dict[ActionKind, Any]:
    return {ActionKind(kind): value for kind, value in _WORDS[name].items()}


_FRAGMENT = lazy_regex(r"<(\w+)>(?![=!])")
_WORDS = _read_words()
_WORDS_BETWEEN = r"(?:(?!to |for |from |with |how |about )[\w$€£¥.,'’-]+ ){0,3}"
_WORDS_AFTER = r"(?: (?:for|from|to|with|on|of|in|by|at|as|now|permanently|anyway|and) ?.*)?"


def _verb_object_pattern(pairs: Sequence[tuple[str, str]]) -> re.Pattern[str]:
    verb_object_patterns = (
        rf"(?:{verbs}) {_WORDS_BETWEEN}(?:{objects})" if objects else verbs for verbs, objects in pairs
    )
    return lazy_regex(rf"(?:{'|'.join(verb_object_patterns)}){_WORDS_AFTER}\W*")


_VERB_OBJECT_PATTERNS = {
    kind: _verb_object_pattern(pairs) for kind, pairs in _by_kind("verbs_and_objects").items()
}


_ANY_VERB_AND_OBJECT = _any_of(_VERB_OBJECT_PATTERNS.values())


def kind_by_verb_and_object(words: str) -> ActionKind | None:
    """The kind of a label by a verb and its object; None if none matches."""
    if _ANY_VERB_AND_OBJECT.match(words) is None:
        return None
    return next((kind for kind, pattern in _VERB_OBJECT_PATTERNS.items() if pattern.fullmatch(words)), None)


_SECURITY = pattern("security")
_CODE_WORDS = pattern("code_words")
_CODE_FIELD_IDS = pattern("code_field_ids")
_CAPTCHA = pattern("captcha")
_AGREEMENT = _whole("agreements", r"[\s!.。！]*")
_ACKNOWLEDGES = _whole("acknowledges", r"[\s!.。！]*")
_REFUSAL = _whole("refusals", r"[\s!.。！]*")
_CLEARING_VERBS = _whole("clearing_verbs", r"[\s!.]*")
_RECIPIENT_TITLE = pattern("recipient_titles")
_COMPOSE_TITLE = pattern("compose_titles")
_SLIDE = pattern("slide")
_DECLINES = _whole("declines", r"[\s!.。！]*")
_PRICE, _ORDERED = pattern("price"), pattern("ordered")
_MOST_TITLE_WORDS = 2
_IDENTIFIER = lazy_regex(r"[A-Za-z0-9]+(?:_[A-Za-z0-9]+){2,}|\{\s*\".*\}", re.DOTALL)
_GLYPHS = lazy_regex("^[\\s,\ue000-\uf8ff\U000f0000-\U0010fffd]+|[\\s\ue000-\uf8ff\U000f0000-\U0010fffd]+$")
_MARKS = "✕✖×✗✘❌🚫 "
_MESSAGE_HINTS = pattern("message_hints")
_ANSWER_HINTS = pattern("answer_hints")
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？", "~", "～")
_REACTIONS = _whole("reactions", r"[\s\d.!！]*")
_COMPLETES = _whole("completes", "")
_ADDS = _whole("adds", "")
_ASKS_HOW, _ASKS_TO_CHOOSE = pattern("asks_how"), pattern("asks_to_choose")
_GOES_TO, _UNNAMED_NEXT, _DOCUMENT = map(pattern, ("goes_to", "unnamed_next", "names_document"))
_CHANGES_SECRET = pattern("changes_secret")
_ALREADY_DONE = pattern("already_done")
_QUESTIONS = {kind: lazy_regex(_choice(words)) for kind, words in _by_kind("questions").items()}
_ID_WORDS = {word: kind for kind, words in _by_kind("id_words").items() for word in words}
_ID_PHRASES = {
    tuple(phrase.split()): kind for kind, phrases in _by_kind("id_phrases").items() for phrase in phrases
}
_SLIDE_ID_WORDS, _SLIDE_ID_DEEDS = id_word_set("slide_id_words"), id_word_set("slide_id_deeds")
_SLIDE_ID_NOUNS, _CAROUSEL_ID_WORDS = id_word_set("slide_id_nouns"), id_word_set("carousel_id_words")
_ID_NOUNS = id_word_set("id_nouns")
_HARMLESS_ID_WORDS = id_word_set("harmless_id_words")
MEANINGLESS_ID_WORDS = id_word_set("meaningless_id_words")
"""Words of an id that tell no purpose, as `btn` and `iv` do."""
_ID_WORD = lazy_regex(r"[a-z]{3,}", re.IGNORECASE)
_ID_PARTS = lazy_regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_CHINESE_PATTERNS = {kind: lazy_regex(_choice(words)) for kind, words in _by_kind("chinese_labels").items()}
_ANY_CHINESE = _any_of(_CHINESE_PATTERNS.values())
_CHINESE_HARMLESS = pattern("chinese_harmless")
_CHINESE_MEANS = pattern("chinese_means")
_ENGLISH_PAGE_TITLES = pattern("english_page_titles")
_CHINESE_PAGE_TITLES = pattern("chinese_page_titles")
_CHINESE_DELETIONS = pattern("chinese_deletions")
_LONGEST_CHINESE_LABEL = 16
_LONGEST_CHINESE_ROW = 9
"""What is longer in a list is a title or a sentence."""


_LEAD_IN = (
    r"(?:(?:tap|click|press|swipe|slide|hold(?! call)|proceed|continue|go|agree|accept|confirm|yes|ok|okay|"
    r"please|save|submit|finish|sign|i want|i agree)\b[\s,.:!-]*(?:here |right |left )?(?:(?:to|and|"
    r"&)\b ?)?){0,2}(?:& )?"
)


_KIND_PRIORITY = (
    ActionKind.SECURITY,
    ActionKind.INSTALL,
    ActionKind.PAY,
    ActionKind.DELETE,
    ActionKind.SEND,
    ActionKind.GRANT,
)
"""If a label matches several kinds, the first of these counts."""


class LabelRole(StrEnum):
    """What a label belongs to. A button's may continue; a row's must name the action and nothing else."""

    BUTTON = "button"
    ROW = "row"


def _english_patterns(role: LabelRole) -> dict[ActionKind, re.Pattern[str]]:
    objects = _choice(_WORDS["objects"])
    end = r"\b" if role is LabelRole.BUTTON else rf"(?:\b ?(?:{objects})){{0,2}}\W*$"
    whole = _by_kind("english_whole_labels")
    return {
        kind: lazy_regex(
            rf"^\W*{_LEAD_IN}(?:(?:{_choice(starts)}){end}|(?:{_choice(whole[kind]) or '(?!)'})\W*$)"
        )
        for kind, starts in _by_kind("english_starts").items()
    }


_ENGLISH_PATTERNS = {role: _english_patterns(role) for role in LabelRole}
_ANY_ENGLISH = {role: _any_of(patterns.values()) for role, patterns in _ENGLISH_PATTERNS.items()}
_LEAD_IN_PATTERN = lazy_regex(rf"^\W*{_LEAD_IN}")
_LONGEST_LABEL = 48
_LONGEST_READ = 400
_CLAUSES = lazy_regex(
    r"[,;:!?…·•|()，。；！？、：（）\n]+|\.(?:\s|$)|\s[-–—]\s|—|\s(?:and|then|but|&|\+)\s", re.IGNORECASE
)


@lru_cache(maxsize=8192)
def classify_label(text: str, role: LabelRole = LabelRole.BUTTON) -> ActionKind | None:
    """The kind of a label in any language; None if it is harmless, or refuses as a whole.

    A label of several clauses is judged by each: “Don't wait, pay now” pays. A row must name the action and
    nothing else.
    """
    if _only_informs(text):
        return None
    if kind := kind_by_rules(text, role):
        return kind
    ways = (text, *readings(text)[1:])
    return next(filter(None, (lexicon().kind(way, whole=role is LabelRole.ROW) for way in ways)), None)


_SUBJECT = lazy_regex(r"^[^:：]+(?:[:：]|\s[-–—]\s)\s*(\D{2,32})$")


def _only_informs(text: str) -> bool:
    """Whether a label asks how it is done, names a document, or ends with what informs: “Book: details”."""
    asks = text.rstrip().endswith(("?", "？", "؟")) and not has_amount(text)
    if asks and any(map(_ASKS_HOW.search, (fold(text), normalize_label(text)))):
        return True
    match = _SUBJECT.match(text.strip())
    tells = match is not None and lexicon().means(match[1], Sense.INFORMS)
    return tells or _DOCUMENT.search(fold(text)) is not None


_SETTINGS_PAGE = lazy_regex(r"android\.settings\.(?:[A-Z0-9_]+_)?SETTINGS")
_ONLY_SHOWN = lazy_regex(r"geo:[^\s]+|tel:\+?[\d\-(). ]+|mailto:[^\s]+", re.IGNORECASE)
"""A telephone number without * and #: some of these codes act as soon as a dialler shows them."""
_SEARCH_WORDS = frozenset(("q", "query", "search", "s", "keyword", "wd", "text"))


def classify_address(address: str) -> ActionKind | None:
    """The kind of deed that opening an address may be; None where it only shows a page, a place or a number.

    An address of the web only shows a page if its path has no words of a deed and its query is empty or a
    search. What any other query does, such as to confirm or to cancel, is known to its site alone.
    """
    if _SETTINGS_PAGE.fullmatch(address) or _ONLY_SHOWN.fullmatch(address):
        return None
    try:
        parts = urlsplit(address)
    except ValueError:  # It is no address, and what a phone makes of it is not known.
        return ActionKind.PAY
    words = [" ".join(re.findall(r"\w+", unquote(part))) for part in parts.path.split("/")]
    kinds = filter(None, (classify_label(text) or _kind_of_path(text) for text in words if text))
    asked = {name for name, _value in parse_qsl(parts.query, keep_blank_values=True)}
    is_page = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    return next(kinds, None if is_page and asked <= _SEARCH_WORDS else ActionKind.PAY)


def _kind_of_path(words: str) -> ActionKind | None:
    """What a part of a web address does that only agrees: a link “…/confirm” acts as soon as it is opened."""
    return ActionKind.PAY if is_agreement(words) or _ACTS_AT_ONCE.fullmatch(words.casefold()) else None


_ACTS_AT_ONCE = pattern("path_acts")
_PADDING = lazy_regex(r"[^\w]{4,}")


def _unpadded(text: str) -> str:
    """So much of a text as is read; in a long one what only pushes words out of it does not count.

    Signs in it part clauses, as one alone does.
    """
    if len(text) <= _LONGEST_READ:
        return text
    return _PADDING.sub(lambda match: " " if match[0].isspace() else ". ", text)[:_LONGEST_READ]


def kind_by_rules(text: str, role: LabelRole = LabelRole.BUTTON) -> ActionKind | None:
    """The kind of a label by the English and Chinese rules alone, from which other languages inherit it."""
    if kind := _classify_clause(text, role) or _classify_unspaced_start(text, role):
        return kind
    clauses = split_clauses(text)
    if role is LabelRole.ROW or len(clauses) < 2:
        return None
    kinds = (_classify_clause(clause, role) for clause in clauses[-1:] + clauses[:-1])
    return next((kind for kind in kinds if kind), None)


def _classify_clause(text: str, role: LabelRole) -> ActionKind | None:
    """The kind of a clause by the English and Chinese rules."""
    for words in readings(_unpadded(text)):
        if _refuses(words):
            continue
        short = words[:_LONGEST_LABEL]
        if role is LabelRole.ROW and short != words:
            continue
        may_name_one = _ANY_ENGLISH[role].match(short) or _ANY_CHINESE.search(words)
        for kind in _KIND_PRIORITY if may_name_one else ():
            if kind is not ActionKind.DELETE and _ENGLISH_PAGE_TITLES.search(words):
                continue
            if _ENGLISH_PATTERNS[role][kind].match(short) or _matches_chinese(kind, words, role):
                return kind
        if verb_object_kind := kind_by_verb_and_object(words) or kind_by_verb_and_object(
            _LEAD_IN_PATTERN.sub("", words, count=1)
        ):
            return verb_object_kind
    return None


def _classify_unspaced_start(text: str, role: LabelRole) -> ActionKind | None:
    """The kind of a long Chinese label by its first words, which name what it does."""
    words = normalize_label(_unpadded(text))
    if role is LabelRole.ROW or len(words) <= _LONGEST_CHINESE_LABEL:
        return None
    return _classify_clause(words[:_LONGEST_CHINESE_LABEL], role) if has_chinese(words[:1]) else None


def split_clauses(text: str) -> list[str]:
    """The parts of a label between commas, stops, dashes and “and” or “then”."""
    return [clause for part in _CLAUSES.split(_unpadded(text)) if (clause := part.strip())]


def _matches_chinese(kind: ActionKind, words: str, role: LabelRole) -> bool:
    """Whether a label names an action of this kind; that of a row must begin or end with it."""
    match = _CHINESE_PATTERNS[kind].search(words)
    longest = _LONGEST_CHINESE_LABEL if role is LabelRole.BUTTON else _LONGEST_CHINESE_ROW
    if (
        match is None
        or len(words) > longest
        or _CHINESE_HARMLESS.search(words)
        or _CHINESE_MEANS.search(words)
    ):
        return False
    if _CHINESE_PAGE_TITLES.search(words) and not _CHINESE_DELETIONS.match(words):
        return False
    return role is LabelRole.BUTTON or match.start() == 0 or match.end() == len(words)


def classify_id(resource_id: str) -> ActionKind | None:
    """The kind of an element by the last part of its id; None if that names no sensitive action."""
    parts = id_words(resource_id)
    for phrase, kind in _ID_PHRASES.items():
        begins = phrase == parts[: len(phrase)] and not _HARMLESS_ID_WORDS & set(parts[len(phrase) :])
        if begins or phrase == parts[-len(phrase) :]:
            return kind
    if _HARMLESS_ID_WORDS & set(parts):
        return None
    for place, part in enumerate(parts):
        if part in _ID_WORDS and (part not in _ID_NOUNS or MEANINGLESS_ID_WORDS.issuperset(parts[:place])):
            return _ID_WORDS[part]
    named = " ".join(part for part in parts if part not in MEANINGLESS_ID_WORDS)
    return lexicon().kind(named, whole=True) if named.isalpha() else None


def names_means_of_payment(text: str) -> bool:
    """Whether a whole label is a means of payment, in Chinese: “余额支付”."""
    return _CHINESE_MEANS.search(normalize_label(text)) is not None


def names_purpose(resource_id: str) -> bool:
    """Whether an id states a purpose, unlike `button3` or `iv_right`; by then it is a harmless one."""
    parts = _ID_WORD.findall(resource_id.rpartition("/")[2].replace("_", " "))
    return any(part.lower() not in MEANINGLESS_ID_WORDS for part in parts)


def id_words(resource_id: str) -> tuple[str, ...]:
    """The words of the last part of an id, in lower case."""
    return tuple(part.lower() for part in _ID_PARTS.findall(resource_id.rpartition("/")[2]))


def slides_to_confirm(resource_id: str) -> bool:
    """Whether an element's id says that it is slid to do something: `slide_to_confirm`, `pay_slider`.

    A deed's word that is a noun, too, stands behind the slide: an `order_slider` shows orders.
    """
    parts = id_words(resource_id)
    if any(first in _SLIDE_ID_WORDS and second == "to" for first, second in itertools.pairwise(parts)):
        return not _SLIDE_ID_DEEDS.isdisjoint(parts)
    if not _CAROUSEL_ID_WORDS.isdisjoint(parts):
        return False
    return any(
        (first in _SLIDE_ID_WORDS and second in _SLIDE_ID_DEEDS)
        or (first in _SLIDE_ID_DEEDS - _SLIDE_ID_NOUNS and second in _SLIDE_ID_WORDS)
        for first, second in itertools.pairwise(parts)
    )


def classify_question(lines: Iterable[str]) -> ActionKind | None:
    """The kind of an agreement, by the texts of a dialog or heading; None if it is harmless, as to leave."""
    texts = list(lines)
    leaves = any(_LEAVES_PAYMENT.search(text) and asks_question(text) for text in texts)
    kind = next((kind for text in texts if (kind := _classify_asked(text))), None)
    return None if leaves and kind is ActionKind.PAY else kind


def _classify_asked(line: str) -> ActionKind | None:
    """The kind that one text asks for. A question is read by its verb: “Cancel your booking?” cancels."""
    ways = readings(line[:300])
    if says_done(line):
        return None
    for words in ways:
        if concerns_security(words) and _CHANGES_SETTING.search(words):
            return ActionKind.SECURITY
    if asks_question(line) and (kind := kind_by_rules(line)):
        return kind
    for words in ways:
        for kind, pattern in _QUESTIONS.items():
            if pattern.search(words):
                return kind
    return lexicon().asked_kind([line])


_CHANGES_SETTING = pattern("changes_setting")
_LEAVES_PAYMENT = pattern("leaves_payment", ignore_case=True)


_QUESTION_MARK = lazy_regex(r"[?？؟՞](?!\w)|(?:吗|嗎|か|까|까요)[\s.。!！”」』]*$|;$")
"""How a question ends, in its middle too; the semicolon is the Greek one after NFKC."""


def asks_question(text: str) -> bool:
    """Whether a text has a question in it, by its signs and the particles that end one."""
    return _QUESTION_MARK.search(unicodedata.normalize("NFKC", text.strip())) is not None


def says_done(text: str) -> bool:
    """Whether a line says that something was done already, as a receipt's heading does."""
    if any(_ALREADY_DONE.search(words) for words in readings(text[:300])):
        return True
    return not asks_question(text) and lexicon().mentions(text, Sense.DONE)


def is_agreement(text: str) -> bool:
    """Whether a label only agrees, so that the rest of the screen tells to what."""
    return any(_AGREEMENT.match(words) for words in readings(text)) or lexicon().means(text, Sense.AGREE)


def acknowledges(text: str) -> bool:
    """Whether a whole label only takes note or goes on, and says nothing of what it does: “Got it”."""
    return _ACKNOWLEDGES.match(normalize_label(text)) is not None


def is_reaction(text: str) -> bool:
    """Whether a whole label reacts to a post: “Like”, “Comment”, “Share”."""
    return _REACTIONS.match(normalize_label(text)) is not None or lexicon().means(text, Sense.REACTS)


def replies_to_all(text: str) -> bool:
    """Whether a whole label answers everybody who got a message."""
    return lexicon().means(text, Sense.REPLIES_ALL)


@lru_cache(maxsize=8192)
def completes_page(text: str) -> bool:
    """Whether a whole label completes the page that its button stands on: “Save”, “Done”."""
    return _COMPLETES.match(normalize_label(text)) is not None or lexicon().means(text, Sense.COMPLETES)


def may_open_form(text: str) -> bool:
    """Whether a label that completes a page may also open an empty one, as “Add” does above a list."""
    return _ADDS.match(normalize_label(text)) is not None or lexicon().means(text, Sense.ADDS)


def asks_for_message(hint: str) -> bool:
    """Whether the hint of a field asks for a text that goes to other people."""
    return _MESSAGE_HINTS.search(normalize_label(hint)) is not None or lexicon().mentions(hint, Sense.WRITES)


def asks_for_answer(hint: str, resource_id: str) -> bool:
    """Whether a field is that of a chat, by its hint or id; one for comments is on many other pages."""
    words = (normalize_label(hint), " ".join(id_words(resource_id)))
    return any(map(_ANSWER_HINTS.search, words))


def is_sentence(text: str) -> bool:
    """Whether a text ends as a sentence does, and no name of a control."""
    return text.rstrip().endswith(_SENTENCE_ENDS)


def asks_to_choose(text: str) -> bool:
    """Whether a sentence asks to choose something, so that a sum in it is what the choice is for."""
    return any(map(_ASKS_TO_CHOOSE.search, (fold(text), normalize_label(text))))


def goes_to(text: str) -> bool:
    """Whether a label goes to a page that it names, and names no deed of its own: “Перейти к оформлению”.

    “Go to the next step” names none: on a page with a sum it may be what orders.
    """
    labels = (fold(text), normalize_label(text))
    named = any(map(_GOES_TO.search, labels)) and not any(map(_UNNAMED_NEXT.search, labels))
    return named and not classify_label(text)


def is_clearing_verb(text: str) -> bool:
    """Whether a label is a verb that deletes only in a dialog that asks for it."""
    return any(_CLEARING_VERBS.match(words) for words in readings(text))


@lru_cache(maxsize=2048)
def is_refusal(text: str) -> bool:
    """Whether a whole label refuses or leaves; one that goes on to do something does not."""
    if any(_refuses(words) for words in readings(_unpadded(text))):
        return True
    return lexicon().refuses(text)


def _refuses(words: str) -> bool:
    """Whether a normalized label refuses in each of its clauses."""
    if _REFUSAL.match(words) is None:
        return False
    clauses = split_clauses(words)
    return len(clauses) < 2 or all(_REFUSAL.match(clause) for clause in clauses)


def concerns_security(text: str) -> bool:
    """Whether a text is about the security of the phone or its accounts."""
    if any(_SECURITY.search(words) for words in readings(text)):
        return True
    return len(text) <= 2 * _LONGEST_LABEL and lexicon().mentions(text, Sense.PROTECTS)


def declines(text: str) -> bool:
    """Whether a label turns down what somebody offers or asks, as “Reject” does, and does not only leave."""
    return _DECLINES.match(normalize_label(text).strip(_MARKS)) is not None or lexicon().mentions(
        text, Sense.DECLINES
    )


@lru_cache(maxsize=8192)
def names_price(text: str) -> bool:
    """Whether a short text is what stands beside a price: “Fare”, “Price”."""
    if len(text) > _LONGEST_LABEL:
        return False
    return _PRICE.search(normalize_label(text)) is not None or lexicon().mentions(text, Sense.PRICE)


def names_order(text: str) -> bool:
    """Whether a short text names what is ordered: a ride, a booking, a delivery."""
    if len(text) > _LONGEST_LABEL:
        return False
    return _ORDERED.search(normalize_label(text)) is not None or lexicon().mentions(text, Sense.ORDERED)


def is_order_title(title: str) -> bool:
    """Whether a title is that of an order: “Your booking”, not “Delivery address”."""
    words = normalize_label(title)
    if len(words.split()) > _MOST_TITLE_WORDS:
        return False
    ends = any(match.end() == len(words) for match in _ORDERED.finditer(words))
    return ends or lexicon().mentions(title, Sense.ORDERED)


def is_identifier(text: str) -> bool:
    """Whether a text is a programmer's name or record, as descriptions made for tests hold."""
    return _IDENTIFIER.fullmatch(text.strip()) is not None


def without_glyphs(line: str) -> str:
    """A line without the signs of an icon's font at its ends, and the commas that joined them to words."""
    return _GLYPHS.sub("", line)


def changes_secret(text: str) -> bool:
    """Whether a label changes a password or code, which then has to be entered."""
    return any(_CHANGES_SECRET.match(words) for words in readings(text))


def is_prose(text: str) -> bool:
    """Whether a text without a sum is too long for the name of what a control does: it tells of something."""
    return len(text.split()) >= _PROSE and not has_amount(text)


_PROSE = 8


def mentions_code(text: str) -> bool:
    """Whether a short text names a password or a code."""
    if len(text) > 2 * _LONGEST_LABEL:
        return False
    if any(_CODE_WORDS.search(words) for words in readings(text)):
        return True
    return lexicon().mentions(text, Sense.CODE)


def is_code_field_id(resource_id: str) -> bool:
    """Whether an element's id names a password or a code."""
    return bool(_CODE_FIELD_IDS.search(" ".join(id_words(resource_id))))


@lru_cache(maxsize=8192)
def mentions_captcha(text: str) -> bool:
    """Whether a short text asks for proof of being human."""
    return len(text) <= 2 * _LONGEST_LABEL and any(_CAPTCHA.search(words) for words in readings(text))


def asks_for_recipient(title: str) -> bool:
    """Whether a title asks for a recipient; a tap on a name then sends."""
    return any(_RECIPIENT_TITLE.match(words) for words in readings(title))


def is_compose_title(title: str) -> bool:
    """Whether a title is that of a page for writing a mail or message."""
    return any(_COMPOSE_TITLE.match(words) for words in readings(title))


def asks_to_slide(text: str) -> bool:
    """Whether a label asks to slide."""
    is_short = len(text) <= 2 * _LONGEST_LABEL
    return any(map(_SLIDE.search, readings(text))) or (is_short and lexicon().mentions(text, Sense.SLIDE))


_SENSITIVE_ENGLISH = pattern("sensitive_instructions", ignore_case=True)
_SENSITIVE_CHINESE = pattern("sensitive_instructions_chinese")


def is_sensitive_instruction(instruction: str, actions: Iterable[Action]) -> bool:
    """Whether an instruction will probably need approval, by its words and its actions in earlier turns.

    It judges a command before it is carried out, for a turn that starts by itself; each of its actions is
    judged all the same. In doubt it does: only what reads or plays something may start by itself.
    """
    if _SENSITIVE_ENGLISH.search(instruction) or _SENSITIVE_CHINESE.search(instruction):
        return True
    if lexicon().asked_kind([instruction]) or lexicon().kind(instruction):
        return True
    return any(_is_sensitive(action) for action in actions)


def _is_sensitive(action: Action) -> bool:
    match action:
        case Click() | LongClick():
            labels = (action.content, action.target.label if action.target else "")
            return any(label and classify_label(label) is not None for label in labels)
        case TypeText(text=text):
            return "{{" in text
        case _:
            return False


_CARD_NUMBER = lazy_regex(r"(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)")


def contains_card_number(text: str) -> bool:
    """Whether a text has the number of a payment card in it."""
    match = _CARD_NUMBER.search(text)
    return match is not None and _passes_luhn_check([int(digit) for digit in match[0] if digit.isdecimal()])


def _passes_luhn_check(digits: list[int]) -> bool:
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


_AMOUNT, _TOTAL = pattern("amount", ignore_case=True), pattern("sum_words", ignore_case=True)
_DIGIT = lazy_regex(r"\d")
_MOST_READ = 400
"""The characters of a text that are looked through for an amount, as many as of a label for what it does."""


@lru_cache(maxsize=2048)
def match_amount(text: str) -> re.Match[str] | None:
    """The first amount of money in a text. The pattern is slow on long texts, and most have no digit."""
    return _AMOUNT.search(text, 0, _MOST_READ) if _DIGIT.search(text) else None


def has_amount(text: str) -> bool:
    """Whether a text names an amount of money."""
    return match_amount(text) is not None


def text_before_amount(text: str) -> str:
    """The part of a text before its amount of money; the whole text if it has none."""
    match = match_amount(text)
    return text[: match.start()] if match else text


def is_bare_amount(text: str) -> bool:
    """Whether a text is an amount of money and nothing else."""
    match = match_amount(text)
    return match is not None and not any(map(str.isalnum, text[: match.start()] + text[match.end() :]))


@lru_cache(maxsize=8192)
def is_total(text: str) -> bool:
    """Whether a text is what stands beside the sum of an order, in any language."""
    return _TOTAL.search(text) is not None or lexicon().mentions(text, Sense.TOTAL)


def is_for_search(resource_id: str, words: str) -> bool:
    """Whether the id or the words of a field say that it is for a search or a web address."""
    description = f"{resource_id.rpartition('/')[2]} {words}".casefold()
    return any(
        word in description for word in ("search", "query", "url", "address_bar", "搜索", "查找", "网址")
    )


def is_search_field(field: Element) -> bool:
    """Whether a field is for a search or a web address."""
    return is_for_search(field.resource_id, f"{field.hint} {field.description}")
