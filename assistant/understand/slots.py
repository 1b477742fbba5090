"""The slots of a request or instruction: hour, place, object, verb, kind of app, and the thing it names.

Lunch is at noon, songs are played and not ordered, the object of an order is "beef noodles without
coriander", a latte is a coffee. `slots.yaml` has the kinds of apps and what each
holds, and how records address people.

`ContactIndex` has the people and groups whom the user calls, writes to and pays, by the names that records
have. A contact's name often says who it is: “Selvi Maid”, “Da mobile”, 房东罗孃孃. Records also put the
relation beside the name: “Message Priya (wife)”, 转给室友周周602. Words that are said to others are not read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise

import numpy as np
from pydantic import BaseModel, ConfigDict

from assistant.embedding.embedder import Embedder
from assistant.files import any_word, compile_words, lazy_regex, read_words
from assistant.i18n import has_chinese
from assistant.memory.profile.graph import (
    MANY,
    PEOPLE,
    PLACES,
    ROLES,
    ROLES_ZH,
    SEVERAL,
    canonical_word,
    find_role,
    is_role,
    is_same_value,
    normalize_text,
)
from assistant.memory.profile.lexicon import NO_NAME
from assistant.memory.prototypes.model import HOURS, Prototype, hour_of
from assistant.memory.prototypes.terms import ENGLISH, VERBS, infinitive, signature, without_vague, word_set
from assistant.understand.types import (
    Category,
    CommandLanguage,
    Contact,
    normalize_key,
)
from assistant.understand.words import (
    CLAUSE_END,
    WHOLE_WORD,
    Token,
    TokenClass,
    chinese_words,
    content_of,
    detect_language,
    english_words,
    language_code,
    plain_case,
    tokenize,
    weekday_names,
    weekdays_of,
    wording,
    wordings_by_value,
    words_in_all,
)

_MIN_SIMILARITY = 0.5
"""Minimum cosine of an app's label and the description of a kind; names of their own lie below it."""
_EXACT, _WORD = 1.0, 0.9
_MOSTLY = 0.5


class AppKind(BaseModel):
    """A kind of app, from `slots.yaml`; `holds` is how likely its apps hold a category, 0..1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    labels: tuple[str, ...]
    about: str
    holds: dict[Category, float]
    topics: tuple[str, ...] = ()


@cache
def app_kinds() -> Mapping[str, AppKind]:
    """All kinds of apps by name, loaded once."""
    kinds = read_words("assistant.understand", "slots.yaml")["app_kinds"]
    return {name: AppKind.model_validate(entry) for name, entry in kinds.items()}


def kinds_from_label(label: str) -> dict[str, float]:
    """The kinds of an app by the words of its label, with confidence 0..1."""
    folded = label.casefold()
    scores: dict[str, float] = {}
    for name, kind in app_kinds().items():
        if folded in kind.labels:
            scores[name] = _EXACT
        elif any(_contains_word(folded, word) for word in kind.labels):
            scores[name] = _WORD
    return scores


def kinds_by_commands(commands: Iterable[tuple[str, str]]) -> dict[str, dict[str, float]]:
    """The kinds of apps by the commands run in them, by label; more commands give more confidence.

    Args:
        commands: pairs of the label of an app and a command that was run in it.
    """
    topics: dict[str, list[frozenset[str]]] = defaultdict(list)
    for label, command in commands:
        topics[label].append(find_topics(command))
    kinds = {
        label: {
            kind: count / (len(topic_sets) + 1)
            for kind, count in Counter(kind for topic_set in topic_sets for kind in topic_set).items()
            if count >= _MOSTLY * len(topic_sets)
        }
        for label, topic_sets in topics.items()
    }
    return {label: topic_set for label, topic_set in kinds.items() if topic_set}


def kinds_by_meaning(labels: Sequence[str], embeds: Embedder) -> dict[str, dict[str, float]]:
    """The most similar kind of each label by embedding; labels that are similar to none are left out."""
    if not labels:
        return {}
    names = list(app_kinds())
    descriptions = [f"{name} app: {app_kinds()[name].about}" for name in names]
    vectors = embeds.embed([*(f"{label} app" for label in labels), *descriptions])
    cosines = vectors[: len(labels)] @ vectors[len(labels) :].T
    nearest = np.argmax(cosines, axis=1)
    return {
        label: {names[int(index)]: float(row[index])}
        for label, index, row in zip(labels, nearest, cosines, strict=True)
        if row[index] >= _MIN_SIMILARITY
    }


def find_topics(text: str) -> frozenset[str]:
    """The kinds of app that the words of a text are about."""
    folded = text.casefold()
    return frozenset(
        name
        for name, kind in app_kinds().items()
        if any(_contains_word(folded, word) for word in kind.topics)
    )


def _contains_word(text: str, word: str) -> bool:
    return bool(_word_pattern(word).search(text)) if word.isascii() else word in text


@cache
def _word_pattern(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z]){re.escape(word)}s?(?![a-z])")


CLOCK = wording("clock_time")
"""A written time of day."""

_ENDING = frozenset(("to", "at", "via", "from", "by", "for", "on", "in", "through", "using", "into"))
_PARTICLES = frozenset(("on", "up", "down", "out", "off", "back"))
_ZH_BEGIN = wording("request_begins", "zh")
_ZH_END = wording("object_ends", "zh")


def find_object(instruction: str, app: str = "") -> str:
    """The object of an instruction's verb, without app, destination and means; else the whole text."""
    text = remove_app(instruction, app)
    object_text = (
        _find_chinese_object(text)
        if detect_language(text) is CommandLanguage.ZH
        else _find_english_object(text)
    )
    return object_text or text


def find_clock_time(text: str) -> str:
    """The first time of day in a text; empty if none."""
    match = CLOCK.search(text)
    return match[0].strip() if match else ""


def remove_app(text: str, app: str) -> str:
    """A text without the words that name its app."""
    if not app:
        return text
    name = re.escape(app)
    text = re.sub(
        rf"^(?:please\s+)?(?:open|launch|start)\s+(?:the\s+)?{name}(?:\s+app)?"
        r"\s*(?:,|and then|and|to|then)?\s*",
        "",
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(
        rf"\s+(?:on|in|from|via|with|using|through)\s+(?:the\s+)?{name}\b", "", text, flags=re.IGNORECASE
    )
    text = re.sub(
        rf"(?:打开|在|用|从|去|到|通过){name}(?:上|里|中|软件)?[，,]?", "", text, flags=re.IGNORECASE
    )
    return text.strip()


def _find_english_object(text: str) -> str:
    tokens = tokenize(text)
    start = 0
    while start < len(tokens) and (
        tokens[start].part in (TokenClass.VERB, TokenClass.ADVERB, TokenClass.PRONOUN, TokenClass.DETERMINER)
        or tokens[start].lower in english_words.VERBS | {"some", "for"}
        or (start and tokens[start].lower in _PARTICLES)
    ):
        start += 1
    end = start
    while (
        end < len(tokens)
        and tokens[end].lower not in _ENDING
        and (tokens[end].part is not TokenClass.CONJUNCTION or _joins_things(tokens, end))
    ):
        if tokens[end].part is TokenClass.MARK and tokens[end].lower in ",.;":
            break
        end += 1
    return text[tokens[start].start : tokens[end - 1].end] if end > start else ""


def _joins_things(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word joins two things, “soup and bread”, and not two deeds."""
    behind = tokens[at + 1].part if at + 1 < len(tokens) else TokenClass.MARK
    return tokens[at].lower == "and" and behind in (TokenClass.NOUN, TokenClass.NUMBER, TokenClass.DETERMINER)


def _find_chinese_object(text: str) -> str:
    begin = _ZH_BEGIN.match(text)
    rest = text[begin.end() if begin else 0 :]
    end = _ZH_END.search(rest)
    return rest[: end.start() if end else len(rest)].strip(" ，,。")


_HOURS = wordings_by_value("day_parts")
"""Patterns for parts of the day, with the middle of each in hours."""

_CLOSE_TO_NOW = timedelta(hours=1)
_WITHIN_HOURS = 2.5
_MIN_SHARE = 0.33
"""Minimum share of records within `_WITHIN_HOURS` of a part of the day to belong to it."""

_TRAVELLING = wording("travels")


_VERB_KINDS = {
    "get": wording("gets"),
    "play": wording("plays"),
    "go": _TRAVELLING,
    "call": wording("calls"),
}
"""Kinds of verbs that exclude each other, with the verbs at the beginning of a request."""
_TELLS = wording("tells_somebody")
_HEAD_LENGTH = 24


def find_hour(text: str) -> float | None:
    """The middle of the part of the day that a text names, in hours; None if it names none."""
    return next((hour for words, hour in _HOURS if words.search(text)), None)


def in_half_of_day(words: str, clock: str) -> str:
    """A time of day that is said for some words, in the half of the day that these tell.

    After work is never half past six in the morning. Late hours, such as nine, may be of either half.
    """
    if _SMALL_HOUR.fullmatch(clock.strip()) is None or _ENDS_DAY.search(words) is None:
        return clock
    return f"下午{clock}" if has_chinese(f"{words}{clock}") else f"{clock} pm"


_SMALL_HOUR = lazy_regex(
    r"(?:at )?[1-8](?::[0-5]\d)?"
    r"|(?:[1-8]|[一二两三四五六七八])点(?:半|[一三]刻|[0-5]?\d分?|[一二三四五]?十[一二三四五六七八九]?分?)?"
)
_ENDS_DAY = wording("ends_day", "en", "zh")


def names_only_kind(wish: str) -> bool:
    """Whether a request names its thing by a kind alone, which no app can look for: “get lunch”, 放那首歌.

    It is a meal and nothing else, or points at something that was named before.
    """
    if (match := _POINTS_AT.search(wish)) is not None:
        rest = f"{wish[: match.start()]} {wish[match.end() :]}"
        is_alone = len(rest.strip()) <= _SHORT_VERB_ZH if has_chinese(wish) else not word_set(rest) - _DOES
        return is_alone and ("play" in find_verb_kinds(wish) or _PUTS.match(wish) is not None)
    things = {find_object(wish).rstrip("吧啊呀了")} if has_chinese(wish) else word_set(wish) - _DOES
    is_got = "get" in find_verb_kinds(wish) or _GETS_LIGHTLY.search(wish) is not None
    return is_got and bool(things) and all(_MEAL.fullmatch(thing) for thing in things)


_GETS_LIGHTLY, _POINTS_AT = wording("gets_lightly"), wording("points_at", "en", "zh")
_MEAL, _PUTS = wording("meal", "en", "zh"), lazy_regex(r"(?:please |can you )*put\b", re.IGNORECASE)
_DOES, _SHORT_VERB_ZH = VERBS | ENGLISH.keys() | {"again", "put", "please"}, 3


def purposes_of(text: str) -> frozenset[str]:
    """What the things that a text names are for: to eat, to drink, to ride."""
    words = set(re.findall(r"[^\W\d_]+", text.casefold()))
    purposes = {name for name, pattern in _PURPOSES.items() if pattern.search(text)}
    drinks = (drink for drink in words_in_all("drinks") if drink in (text if has_chinese(drink) else words))
    return frozenset(purposes | ({"drink"} if any(drinks) else set()))


_PURPOSES = {
    name: wording(f"serves_{name}")
    for name in ("eat", "drink", "ride", "travel", "stay", "hear", "watch", "wake")
}


EATEN = frozenset(("eat", "drink"))
"""What an order of food is for."""


def serves_kind(wish: str, prototype: Prototype) -> bool:
    """Whether a habit is of the meal, or for what the kind of thing is for, if a request names it alone."""
    done = f"{prototype.instruction} {prototype.app}"
    if not names_only_kind(wish):
        # “OK dumplings then” plays no song.
        is_alike = not purposes_of(wish) or bool(purposes_of(wish) & purposes_of(done))
        return bool(find_verb_kinds(wish)) or is_alike
    hour = find_hour(wish)
    is_of_hour = hour is None or occurs_at(prototype, hour)
    return is_of_hour and bool(purposes_of(wish) & purposes_of(done))


def resolve_time(wish: str, now: datetime) -> datetime:
    """The time that a request is about: the weekday and part of the day that it names, else `now`."""
    hour = find_hour(wish)
    days = weekdays_of(wish, language_code(wish))
    if days and now.weekday() not in days:
        now -= timedelta(days=min((now.weekday() - day) % 7 for day in days))
    if hour is None:
        return now
    named_time = at_hour(now, hour)
    return now if abs(named_time - now) <= _CLOSE_TO_NOW else named_time


def at_hour(day: datetime, hour: float) -> datetime:
    """The time on a day at an hour, which may have a fraction."""
    return day.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(hours=hour)


def occurs_at(prototype: Prototype, hour: float) -> bool:
    """Whether enough of a prototype's records are near an hour of the day to be meant by it.

    An instruction that names a time itself, as an alarm set on the evening before, fits any hour.
    """
    instruction = prototype.instruction
    if find_hour(instruction) == hour or CLOCK.search(instruction) or not prototype.members:
        return True
    record_count = sum(
        _hour_distance(hour_of(record.time), hour) <= _WITHIN_HOURS for record in prototype.members
    )
    return record_count >= _MIN_SHARE * len(prototype.members)


def _hour_distance(hour: float, other: float) -> float:
    """Hours between two times of day, the shorter way around the clock."""
    difference = abs(hour - other) % HOURS
    return min(difference, HOURS - difference)


def find_verb_kinds(wish: str) -> frozenset[str]:
    """The kind of the first verb of a request or instruction; none if no verb is known."""
    beginning = wish.strip()[:_HEAD_LENGTH]
    positions = {
        name: match.start() for name, verbs in _VERB_KINDS.items() if (match := verbs.search(beginning))
    }
    return frozenset((min(positions, key=lambda name: positions[name]),)) if positions else frozenset()


def tells_somebody(text: str) -> bool:
    """Whether a request or instruction sends somebody words: “text Mom that …”, 给妈妈发消息说…."""
    return _TELLS.search(text.strip()) is not None


def only_sends_words(command: str, *done: str) -> bool:
    """Whether a command sends somebody words, and nothing that was done does."""
    return tells_somebody(command) and not any(map(tells_somebody, done))


def find_verb(command: str) -> str:
    """The verb of a request; empty if it has none, or one that says nothing itself: “get”, 来, “do”.

    In Chinese it is what stands before the first word that points at what is meant.
    """
    if detect_language(command) is CommandLanguage.ZH:
        head = _POINTS_ZH.split(_ASIDE_ZH.sub("", command), maxsplit=1)[0]
        verb = _MEASURES_ZH.sub("", head)
        return "" if verb in chinese_words.LIGHT_VERBS or "的" in verb else verb
    clauses = _CLAUSE.split(command)
    clause = next(filter(names_usual_thing, clauses), clauses[0])
    for place, token in enumerate(tokens := tokenize(clause)):
        if token.part in _LEADING or token.lower in english_words.LEADING:
            continue
        behind = tokens[place + 1].part if place + 1 < len(tokens) else TokenClass.MARK
        is_verb = token.part is TokenClass.VERB or infinitive(token.lower) in english_words.VERBS | set(
            ENGLISH
        )
        has_object = behind in (TokenClass.POSSESSIVE, TokenClass.DETERMINER)
        is_light = infinitive(token.lower) in english_words.LIGHT_VERBS
        return token.lower if (is_verb or has_object) and not is_light else ""
    return ""


def names_usual_thing(command: str) -> bool:
    """Whether a command calls a thing usual: “my usual lunch”, 平时的午饭; not “as usual”, which says how."""
    if detect_language(command) is CommandLanguage.ZH:
        return any(mark in _POINTS_ZH.sub("", command) for mark in "的那")
    adjectives = english_words.HABIT_ADJECTIVES | english_words.WEAK_HABIT_ADJECTIVES
    words = WHOLE_WORD.findall(command.casefold())
    return any(word in adjectives and before not in ("as", "than") for before, word in pairwise(("", *words)))


def lacks_verb(done: str, command: str) -> bool:
    """Whether what was done is not what an English command asks for: a reminder is no forecast."""
    verb = find_verb(command)
    if infinitive(verb) not in english_words.VERBS or verb in done.casefold().split():
        return False
    is_of_kind = find_verb_kinds(command) & find_verb_kinds(done) or signature(verb) & signature(done)
    return not (is_of_kind or word_set(verb) & word_set(done))


_CLAUSE = wording("clause_break", "en")
_LEADING = (TokenClass.PRONOUN, TokenClass.AUXILIARY, TokenClass.ADVERB, TokenClass.MARK)
_ASIDE_ZH = wording("before_verb", "zh")
_POINTS_ZH = wording("begins_object", "zh")
_MEASURES_ZH = wording("behind_verb", "zh")


def every_verb_kind(command: str) -> frozenset[str]:
    """The kinds of all verbs of a command: one that tells a story asks in its last clause."""
    return frozenset(name for name, verbs in _VERB_KINDS.items() if verbs.search(command))


_ROLES = frozenset((*ROLES, *ROLES_ZH)) | SEVERAL | MANY
_PEOPLE_ZH = {word for word in _ROLES.union(*PEOPLE) if len(word) > 1 and not word.isascii()}
_ROLE_ZH = lazy_regex(
    any_word(_PEOPLE_ZH)
    + "|(?<=[给跟和找问叫陪打我])[爸妈爹娘哥姐弟妹爷奶](?![\u4e00-\u9fff]?[妹姐哥弟爸妈爷奶])"
)
_ROLE_WORD = lazy_regex(r"[^\W\d_]+(?!['’]s|\w)")
"""A word that owns nothing: not the sister of “my sister's friend”."""


_RELATIVE_OF = lazy_regex(r"\b(?P<name>[A-Z][\w-]*)['’]s\s+(?P<role>[a-z]+)")
_OWN_PLACES = frozenset(group[0] for group in PLACES)
_PLACES_ZH = "|".join(
    sorted((word for group in PLACES for word in group if not word.isascii()), key=len)[::-1]
)
_DELIVERED = lazy_regex(
    r"\b(?:to|at|for)\s+(?:(?:the|my|our)\s+)?(?P<en>[a-z]+)|(?<=\s)(?P<home>home)(?=$|[\s,.;])"
    f"|(?:送到|送去|送|寄到|去|到|回)(?P<zh>{_PLACES_ZH})",
    re.IGNORECASE,
)


def roles_in(text: str) -> frozenset[str]:
    """What people whom a text mentions are to the user, as the profile calls it, in either script."""
    roles = [word for word in _ROLE_WORD.findall(text.casefold()) if is_role(word)]
    if detect_language(text) is CommandLanguage.ZH:
        roles += [match[0] for match in _ROLE_ZH.finditer(text)]
    return frozenset(map(canonical_role, roles))


def canonical_role(word: str) -> str:
    """The name that the profile has for a relation."""
    return normalize_key(canonical_word(word) or word)


def means_relative(command: str, done: str) -> bool:
    """Whether a command means somebody by their relation to a person (“Zac's dad”) whom alone a deed names.

    Of 11,627 phrases for habits of the invented people none does, of 1,749 commands that tempt 11.
    """
    folded = f" {normalize_key(done)} "
    return any(
        is_role(match["role"].casefold())
        and canonical_role(match["role"]) not in roles_in(done)
        and f" {normalize_key(match['name'])} " in folded
        for match in _RELATIVE_OF.finditer(command)
    )


def names_unknown_relative(words: str, memory: str) -> bool:
    """Whether some words name a relative of the user, such as “dad”, whom nothing of the memory calls so."""
    kin = (
        role
        for role in roles_in(_RELATIVE_OF.sub(" ", words))
        if role.rpartition(" ")[2] in english_words.KIN
    )
    roles = [f" {role}" for role in roles_in(memory)]
    return any(not any(role.endswith(f" {relative}") for role in roles) for relative in kin)


def places_in(text: str) -> frozenset[str]:
    """The places of the user's own to which something goes: “to the office”, “a taxi home”, 送到公司."""
    return frozenset(place for place, _phrase in delivery_phrases(text))


def delivery_phrases(text: str) -> list[tuple[str, re.Match[str]]]:
    """The places of the user's own to which something goes, each with its phrase."""
    phrases = [
        (canonical_word(match["en"] or match["home"] or match["zh"]), match)
        for match in _DELIVERED.finditer(text)
    ]
    return [(place, match) for place, match in phrases if place in _OWN_PLACES]


def is_delivered_to(text: str, about: str) -> bool:
    """Whether something goes to a place of the user's own, and not beside it: 公司对面, “the office shop”."""
    for place, phrase in delivery_phrases(text):
        behind = (CLAUSE_END.split(text[phrase.end() :])[0] or "").split()
        beside = content_of(without_vague(behind[0])) - english_words.ADVERBS if behind else frozenset()
        if is_same_value(place, about) and not beside:
            return True
    return False


def denies_habit(text: str) -> bool:
    """Whether a text calls something the contrary of habitual: “unusual”, “irregular”."""
    habitual = english_words.HABIT_ADJECTIVES | english_words.WEAK_HABIT_ADJECTIVES
    return any(
        word.startswith(prefix) and word[len(prefix) :].lstrip("-") in habitual
        for word in WHOLE_WORD.findall(text.casefold())
        for prefix in _CONTRARY
    )


_CONTRARY = ("un", "ir", "non", "in", "ab")
"""Beginnings of words that turn their meaning round."""
_NAME_WORD = lazy_regex(r"[^\W_]+(?:['’-][^\W_]+)*")
_INNER_CAPITAL = lazy_regex(r"(?<=[^\s.!?:\"“”'’(])[ \t]+((?!I\b|I['’])[A-Z][^\W_]*(?:['’-][^\W_]+)*)")


def word_keys(text: str) -> frozenset[str]:
    """The words of a text, for comparing names."""
    return frozenset(normalize_key(word) for word in _NAME_WORD.findall(text))


def find_names(command: str, code: str) -> frozenset[str]:
    """The capitalised words within sentences: names, where a language does not write all nouns so."""
    if code in ("zh", "ja", "de"):
        return frozenset()
    names = (match[1] for match in _INNER_CAPITAL.finditer(plain_case(command)))
    return frozenset(map(normalize_key, names)) - weekday_names(code)


MOST_EVIDENCE = 20
"""Number of records that a contact names as its evidence."""

_CONTACTS = read_words("assistant.understand", "slots.yaml")["contacts"]
_CONTACT_PARTS = _CONTACTS["parts"] | {"no_name": NO_NAME}
_ADDRESSED, _ADDRESSED_ZH, _QUOTED_NAME_ZH = (
    tuple(compile_words(each, _CONTACT_PARTS, re.NOFLAG) for each in _CONTACTS[name])
    for name in ("addressed", "addressed_zh", "quoted_zh")
)
_QUOTED_TEXT = lazy_regex(r"[\"“][^\"”]*[\"”]|[:：].*")
_GENERIC_ZH = wording("generic_name", "zh")


def find_contacts(instruction: str) -> Iterator[tuple[str, str]]:
    """The contacts that an instruction addresses, each with the role that stands beside it, else empty."""
    is_chinese = has_chinese(instruction)
    # Before and behind a quotation are no words of one name.
    text = _QUOTED_TEXT.sub("，" if is_chinese else " ", instruction)
    if is_chinese:
        for pattern in _QUOTED_NAME_ZH:
            for match in pattern.finditer(instruction):
                yield match["name"].strip(), canonical_word(match["role"]) or match["role"]
        for pattern in _ADDRESSED_ZH:
            for match in pattern.finditer(text):
                if not _GENERIC_ZH.search(match["name"]):
                    yield match["name"].strip(), ""
        return
    for pattern in _ADDRESSED:
        for match in pattern.finditer(text):
            beside = match["bracketed"] or match["role"] or ""
            role = (canonical_word(beside) or normalize_text(beside)) if is_role(beside) else ""
            yield match["name"].strip(" .'’"), role


class ContactIndex:
    """The contacts of some records, by name and by what they are to the user.

    Args:
        instructions: the instructions of records by id, oldest first.
        apps: the labels of their apps, normalised, which are nobody: “to Elm Street 9 with Wayfinder”.
    """

    def __init__(self, instructions: Mapping[str, str], apps: Collection[str] = ()) -> None:
        self.counts: Counter[str] = Counter()
        self._instructions = instructions
        self._records: dict[str, list[str]] = defaultdict(list)
        self._by_role: dict[str, Counter[str]] = defaultdict(Counter)
        addressed = [
            (record_id, *pair)
            for record_id, instruction in instructions.items()
            for pair in dict.fromkeys(find_contacts(instruction))
            if normalize_text(pair[0]) not in apps
        ]
        names = {name for _id, name, _role in addressed}
        # What the user calls somebody says more than their name: “Mum Mary” is the grandmother.
        called = {name for _id, name, beside in addressed if beside}
        for record_id, name, beside in addressed:
            role = beside or ("" if name in called else find_role(name))
            contact = _without_role(name, names) if role else name
            self.counts[contact] += 1
            self._records[contact].append(record_id)
            if role:
                self._by_role[role][contact] += 1

    def records_of(self, contact: str) -> tuple[str, ...]:
        """The ids of the records that address a contact, newest first."""
        return tuple(reversed(self._records.get(contact, ())))

    def most_frequent(self, most: int) -> list[Contact]:
        """The `most` contacts that are addressed most often; “Ann” of “Ann Lee” is none of its own."""
        names = _merge(self.counts)[:most]
        return [
            Contact(name, self.counts[name], self._instructions[evidence[0]], evidence[:MOST_EVIDENCE])
            for name in names
            if (evidence := self.records_of(name))
        ]

    def with_role(self, role: str) -> list[str]:
        """The contacts in a relation to the user, the most frequent first; “sister” includes older ones."""
        counts: Counter[str] = Counter()
        for other, names in self._by_role.items():
            if other == role or other.endswith(f" {role}"):
                counts += names
        return _merge(counts)

    def named_in(self, text: str) -> list[str]:
        """The contacts that a text names, the most frequent first; “Ann Lee” does not name “Ann”."""
        padded = text if has_chinese(text) else f" {normalize_text(text)} "
        named = Counter(
            {
                contact: count
                for contact, count in self.counts.items()
                if len(contact) > 1
                and (contact if has_chinese(text) else f" {normalize_text(contact)} ") in padded
            }
        )
        names = [name for name, _count in named.most_common()]
        return [name for name in names if not any(name != other and name in other for other in names)]

    def full_names(self, name: str) -> list[str]:
        """The contacts whose names begin with a name or contain its words, the most frequent first."""
        words = normalize_text(name)
        chinese = has_chinese(name)
        counts = Counter(
            {
                contact: count
                for contact, count in self.counts.items()
                if (chinese and words in normalize_text(contact))
                or (not chinese and f" {words} " in f" {normalize_text(contact)} ")
            }
        )
        return _merge(counts)


def _without_role(name: str, names: Collection[str]) -> str:
    """A contact's name without a role before it, if it is one of the names then: 室友周周602."""
    rests = (name[at:] for at in range(1, len(name)) if is_role(name[:at].strip()))
    return next((rest for rest in rests if rest.strip() in names), name).strip()


def _merge(counts: Counter[str]) -> list[str]:
    """Names, the most frequent first, without those that begin longer ones: “Ann” of “Ann Lee”."""
    names = [name for name, _count in counts.most_common()]
    folded = [f"{name.casefold()} " for name in names]
    return [
        name
        for name in names
        if not any(
            other != f"{name.casefold()} " and other.startswith(f"{name.casefold()} ") for other in folded
        )
    ]
