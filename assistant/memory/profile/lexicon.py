"""The words and sentence patterns of the rule-based extractor, and the checks whether a text can be a value.

`lexicon.yaml` has the domains (areas of life) and the patterns of common preferences, `clauses.yaml` the
words by which clauses are told apart, English and Chinese. A value is trimmed of loose ends ("coriander
from") and refused if it then has no content, or is the name of an app.

An instruction is split into clauses: request, details, habits and asides. Sentence patterns find people,
places, numbers, avoided foods and companions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import Any

from assistant.files import any_word, compile_words, lazy_regex, read_words
from assistant.i18n import has_chinese
from assistant.memory.profile.graph import (
    ALLERGY,
    LISTS,
    PEOPLE,
    PLACES,
    ROLES,
    ROLES_ZH,
    WISH,
    Strength,
    canonical_word,
    clean_text,
    normalize_text,
)

_CLAUSE_WORDS = read_words("assistant.memory.profile", "clauses.yaml")


def clause_pattern(name: str) -> re.Pattern[str]:
    """A pattern of `clauses.yaml` by its name."""
    return compile_words(_CLAUSE_WORDS[name])


HABITS = "Habits"
"""The domain of everything that belongs to no other."""


@dataclass(frozen=True, slots=True)
class Domain:
    """An area of life, which is a concept of the profile. `entity` holds its preferences, if any."""

    name: str
    about: str
    entity: str
    words: re.Pattern[str] | None
    apps: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class PhrasePattern:
    """A pattern for values of a key. `sense` is empty if each matched wording is a value of its own."""

    key: str
    sense: str
    pattern: re.Pattern[str]
    domains: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The lexicon with compiled patterns.

    Attributes:
        of_phone: words of what the phone itself has, as Bluetooth.
        around_character: what may stand before and behind a Chinese character that is a word by itself.
        no_food: what one can be allergic to and is no food.
        no_dish: what makes one ill and is no food.
        not_avoided: words behind “no” that name nothing the user avoids: no rush.
    """

    domains: dict[str, Domain]
    linked: tuple[tuple[str, str], ...]
    wordings: tuple[PhrasePattern, ...]
    same: dict[str, str]
    of_phone: re.Pattern[str]
    around_character: tuple[str, str]
    no_food: re.Pattern[str]
    no_dish: re.Pattern[str]
    not_avoided: frozenset[str]

    def sense_of(self, text: str) -> str:
        """The canonical form of a text, the same for its synonyms in either language."""
        normalized = normalize_text(text)
        return self.same.get(normalized, normalized)

    def is_single(self, key: str, default: bool) -> bool:
        """Whether one value of a key holds at a time; `default` for keys that the lexicon does not define."""
        normalized = normalize_text(key)
        if normalized in LISTS:
            return False
        return default or any(wording.key == normalized for wording in self.wordings)

    def is_whole_word(self, match: re.Match[str]) -> bool:
        """Whether a match is no single character within a longer Chinese word."""
        text, (start, end) = match.string, match.span()
        if end - start != 1 or not has_chinese(match[0]):
            return True
        before, behind = self.around_character
        ends = not has_chinese(text[end : end + 1]) or text[end] in behind
        begins = not has_chinese(text[start - 1 : start] if start else "") or text[start - 1] in before
        words = [domain.words for domain in self.domains.values() if domain.words is not None]
        ends = ends or any(pattern.match(text, end) for pattern in words)
        return ends and (begins or any(_ends_at(pattern, text, start) for pattern in words))

    def patterns_of(self, domain: str) -> Iterator[PhrasePattern]:
        """The patterns that apply in a domain."""
        return (pattern for pattern in self.wordings if domain in pattern.domains)


def _ends_at(pattern: re.Pattern[str], text: str, end: int) -> bool:
    return any(match.end() == end for match in pattern.finditer(text, 0, end))


@cache
def lexicon() -> Lexicon:
    """The lexicon, loaded once."""
    data = read_words("assistant.memory.profile", "lexicon.yaml")
    domains = {name: _parse_domain(name, described) for name, described in data["domains"].items()}
    same = {normalize_text(name): normalize_text(group[0]) for group in data["same"] for name in group}
    return Lexicon(
        domains,
        tuple((first, second) for first, second in data["linked"]),
        tuple(_parse_patterns(data)),
        same,
        _compile_alternatives(data["of_phone"]),
        (data["around_character"]["before"], data["around_character"]["behind"]),
        _compile_alternatives(data["no_food"]),
        _compile_alternatives(data["no_dish"]),
        frozenset(data["not_avoided"]),
    )


def _parse_domain(name: str, described: dict[str, Any]) -> Domain:
    words, apps = described.get("words"), described.get("apps")
    return Domain(
        name=name,
        about=described["about"],
        entity=described.get("entity", ""),
        words=_compile_alternatives(words) if words else None,
        apps=_compile_alternatives(apps) if apps else None,
    )


def _parse_patterns(data: dict[str, Any]) -> Iterator[PhrasePattern]:
    for key, senses in data["senses"].items():
        domains = frozenset(senses.pop("domains"))
        for sense, patterns in senses.items():
            yield PhrasePattern(key, sense, _compile_alternatives(patterns), domains)
    for key, described in data["lists"].items():
        yield PhrasePattern(
            key, "", _compile_alternatives(described["items"]), frozenset(described["domains"])
        )


def _compile_alternatives(patterns: Iterable[Any]) -> re.Pattern[str]:
    return lazy_regex("|".join(map(_at_word_bounds, map(str, patterns))), re.IGNORECASE)


def _at_word_bounds(pattern: str) -> str:
    """A pattern that matches whole Latin words and numbers only."""
    expanded = pattern.replace("#", r"\d+(?:\.\d+)?")
    if has_chinese(pattern):
        return f"(?:{expanded})"
    return rf"(?<![A-Za-z0-9])(?:{expanded})(?![A-Za-z0-9])"


NAME = "name"
ADDRESS = "address"

_LOOSE_END = clause_pattern("loose_end")
_NEXT_THING = lazy_regex(r"\s+(?:and|but)\s+(?:with|without|no|to|in|on|at|for|pay|please|then|also|I)\b.*$")
_EMPTY = clause_pattern("empty")
_FILLER, _FILLER_ZH = compile_words(_CLAUSE_WORDS["filler"], None, re.NOFLAG), clause_pattern("filler_zh")
_ASKED = lazy_regex("(?:who|what|whom|which)\\b|什么|谁|啥|哪|多少|几|周几|星期几")
_FEW = 12
_ADDRESS_WORDS = clause_pattern("address_words")


def trim_value(key: str, text: str) -> str:
    """A value without its loose ends; an address or a name also without a request that follows it."""
    value = clean_text(without_fillers(text) if key == NAME else text)
    if key in (NAME, ADDRESS):
        value = _NEXT_THING.sub("", value)
    if key == WISH or (key in (NAME, ADDRESS) and has_chinese(value)):
        # The end of a wish is part of it; the patterns of Chinese names and addresses define their end.
        return value
    return _LOOSE_END.sub("", value).strip(" ,;，、")


def without_fillers(name: str) -> str:
    """A name without asides, laughs and particles wherever they stand in it: “Dave btw”, 林静哈."""
    cleaned = _FILLER_ZH.sub("", name) if has_chinese(name) else _FILLER.sub(" ", name)
    if cleaned == name:
        return name
    cleaned = " ".join(re.sub(r"\s*,\s*(?=,|$)|^\s*,", " ", cleaned).split())
    return cleaned if any(character.isalnum() for character in cleaned) else name


def find_value_problem(key: str, text: str) -> str:
    """Why a text cannot be a value of a key, as a clause for a sentence; empty if it can."""
    normalized = normalize_text(text)
    if not any(character.isalnum() for character in normalized):
        return "it says nothing"
    if is_meaningless(normalized):
        return "its words say nothing by themselves"
    if key == NAME and _is_app_name(normalized):
        return "it is the name of an app"
    if key == NAME and any(character.isdigit() for character in normalized):
        return "a name has no digits"
    if asks_for_value(text):
        return "it asks for what it would tell"
    if key == ADDRESS and not has_chinese(text) and not (text[:1].isupper() or _ADDRESS_WORDS.search(text)):
        return "it is no address"
    return ""


def asks_for_value(text: str) -> bool:
    """Whether a text stands where a value would, and asks for it: “what”, 啥不, 谁来着."""
    return _ASKED.match(normalize_text(text)) is not None


def is_meaningless(text: str) -> bool:
    """Whether a text consists only of words without content of their own."""
    remaining = normalize_text(text)
    for _ in range(_FEW):
        if not remaining:
            return True
        if not (match := _EMPTY.match(remaining)):
            return False
        ends_at_word = has_chinese(match[0]) or not remaining[match.end() : match.end() + 1].isalnum()
        if not ends_at_word:
            return False
        remaining = remaining[match.end() :].lstrip(" ,.;!，。；！'’")
    return False


def _is_app_name(text: str) -> bool:
    return any(domain.apps and domain.apps.fullmatch(text) for domain in lexicon().domains.values())


class ClausePart(StrEnum):
    """The role of a clause in an instruction."""

    REQUEST = "request"
    DETAIL = "detail"
    HABIT = "habit"
    ASIDE = "aside"


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of an instruction; `sentence` is the index of its sentence."""

    text: str
    part: ClausePart
    strength: Strength
    sentence: int


_SENTENCES = lazy_regex(r"(?<=[.!?])\s+|[。！？；;\n]+")
_CLAUSES = lazy_regex(r",(?!\d)(?! (?:not too|nor|but not)\b)|，|\s[—–-]\s|——|：|:\s")
_EDGES = " \t.,;:!?，。；：！？"

_ONCE = clause_pattern("once")
_OTHERS = clause_pattern("others")
_SWITCHED = clause_pattern("switched")
_STATED = clause_pattern("stated")
_SUBJECT = clause_pattern("subject")
_STORY = clause_pattern("story")


def split_clauses(text: str) -> list[Clause]:
    """Split an instruction into clauses, without those for other people and for this time only."""
    pieces: list[Clause] = []
    for number, sentence in enumerate(
        sentence for sentence in _SENTENCES.split(clean_text(text, 2000)) if sentence.strip(_EDGES)
    ):
        if _OTHERS.search(sentence):
            continue
        part, strength = _classify_sentence(sentence, number)
        for position, piece in enumerate(part.strip(_EDGES) for part in _CLAUSES.split(sentence)):
            if _ONCE.search(piece):
                break
            if not piece:
                continue
            clause_part = ClausePart.DETAIL if part is ClausePart.REQUEST and position else part
            piece_strength = strength if strength is Strength.SWITCHED else _clause_strength(piece, strength)
            pieces.append(Clause(piece, clause_part, piece_strength, number))
    return pieces


def split_sentences(text: str) -> list[str]:
    """The sentences about the user, for patterns that span clauses."""
    parts = (part.strip(_EDGES) for part in _SENTENCES.split(clean_text(text, 2000)))
    return [
        sentence
        for sentence in parts
        if sentence and not _OTHERS.search(sentence) and not _ONCE.search(sentence)
    ]


def find_strength(sentence: str) -> Strength:
    """How strongly a sentence supports what it states."""
    return _classify_sentence(sentence, 1)[1]


def _classify_sentence(sentence: str, number: int) -> tuple[ClausePart, Strength]:
    if _SWITCHED.search(sentence):
        return ClausePart.HABIT, Strength.SWITCHED
    if number == 0:
        return ClausePart.REQUEST, Strength.IMPLIED
    if _STATED.search(sentence):
        return ClausePart.HABIT, Strength.STATED
    if has_chinese(sentence) or _SUBJECT.search(sentence) or _STORY.match(sentence.strip()):
        return ClausePart.ASIDE, Strength.IMPLIED
    return ClausePart.DETAIL, Strength.IMPLIED


def _clause_strength(piece: str, strength: Strength) -> Strength:
    return Strength.STATED if _STATED.search(piece) else strength


@dataclass(frozen=True, slots=True)
class PatternFact:
    """A fact about an entity that a sentence pattern found; `lasting` if it holds beyond this request."""

    concept: str
    entity: str
    key: str
    text: str
    single: bool = True
    lasting: bool = True


def _word_alternatives(groups: tuple[tuple[str, ...], ...], chinese: bool) -> str:
    return any_word(word.removeprefix("我") for word in chain(*groups) if has_chinese(word) == chinese)


_WHO = _word_alternatives(PEOPLE, False)
_WHO_ZH = _word_alternatives(PEOPLE, True)
_WHERE = _word_alternatives(PLACES, False)
_WHERE_ZH = _word_alternatives(PLACES, True)
_CHINESE_NAME = r"(?P<name>[\u4e00-\u9fff·]{2,4}?|[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})"
FAMILY_NAMES: str = _CLAUSE_WORDS["family_names"]
NO_NAME = f"(?:{'|'.join(_CLAUSE_WORDS['no_name'])})"
"""Capitalised words that begin a command or message, or name a day, and no person."""
_NAME = rf"(?P<name>(?!{NO_NAME}\b)(?:[A-Z][\w'’.-]*\w|[\u4e00-\u9fff]{{2,4}})(?: [A-Z][\w'’-]*\w){{0,2}})"

_AFTER_NAME = r"(?=来|也|一起|要|会|取|收|去|同行|那|的|，|,|。|\s|$)"

_TITLE = r"(?:(?:[Mm]r|[Mm]rs|[Mm]s|[Dd]r|[Pp]rof)\b\.? ?)"
_CAPITALISED = rf"(?!{NO_NAME}\b)[A-Z][a-zà-ÿ]+"
_TITLED = rf"{_TITLE}[A-Za-z][\w'’-]+(?: {_CAPITALISED}){{0,2}}"
CALLED = rf"(?P<name>{_TITLED}|{_CAPITALISED}(?:[ -]{_CAPITALISED}){{0,2}})"
ROLE = rf"(?:(?!(?:is|was|are|were)\b)[a-z]+ ){{0,2}}?(?i:{_WHO}|{'|'.join(ROLES)})"
ROLE_ZH = rf"(?:{_WHO_ZH}|{'|'.join(ROLES_ZH)})"
_CALLED_ZH = (
    rf"(?P<name>[老小阿][{FAMILY_NAMES}]|[小阿][\u4e00-\u9fff]|[{FAMILY_NAMES}](?:先生|女士|太太|小姐|总|老师|医生|大夫|经理|师傅|阿姨|叔叔|教练|律师)"
    rf"|[{FAMILY_NAMES}][\u4e00-\u9fff]{{1,2}}?(?<!了))(?=$|[打发说转问约叫什几，,。：:、的要来在把请让方他她今明后下什热]|周末|视频|留言)"
)
BESIDE_ROLE = lazy_regex(rf"\b(?:my|our) (?:[a-z][\w-]* ){{0,2}}?(?P<who>[a-z][\w-]*) {CALLED}")
"""Somebody with their name behind what they are to the user: “my boss Leo Marsh”.

Chinese names are not told from words: in 给妈妈余款转过去, 余 is no family name.
"""
_NAMED_ROLES = tuple(
    lazy_regex(pattern)
    for pattern in (
        rf"\b(?:[Mm]y|[Oo]ur) (?P<who>{ROLE}),? \(?{CALLED}",
        rf"\b(?:[Mm]y|[Oo]ur) (?P<who>{ROLE}|[a-z]+(?: [a-z]+)?) (?:is|'s|’s) (?:called|named) {CALLED}",
        rf"\b(?:[Mm]y|[Oo]ur) (?P<who>{ROLE}|[a-z]+(?: [a-z]+)?)(?:'s|’s) name is {CALLED}",
        rf"(?<=\s){CALLED}, (?:who is |that's |that is )?(?:my|our) (?P<who>{ROLE})\b",
        rf"(?:^|我的?|[给问跟和找叫让约告诉请帮把])(?:我的?)?(?P<who>{ROLE_ZH}){_CALLED_ZH}",
        rf"我(?:的)?(?P<who>{ROLE_ZH})(?:叫|名叫|名字叫|名字是){_CHINESE_NAME}(?:$|[，,。])",
    )
)
"""A person named beside their relation or role, as in "ask my landlord Mr Brandt"."""

_SAID_ROLE = lazy_regex(rf"(?:(?:my|our|the) )?(?P<who>{ROLE})", re.IGNORECASE)
_WHOLE_NAME = lazy_regex(CALLED)
_TOLD = lazy_regex(
    r"\b(?i:text|tell|message|email|write|send|reply|post|tweet|whatsapp|dm|say)\b"
    r"(?:(?:(?! (?:my|our) )[^:\"“])*?[:\"“]|[^:\"“]*?\b(?:that|saying|whether|because)\b"
    r"|\s[A-Z][\w'-]+(?: [A-Z][\w'-]+)?\s(?=my|our))"
    r"|(?:发|告诉|说|回复|转告|留言|发布)[^说，,：:“]{0,12}?[说：:“]|(?:发消息|发微信|发短信)[，,]"
    r"|(?:告诉|转告|通知)(?!我)[^说，,：:“]{1,6}?(?=[我咱他她])|[跟和给对][^说，,：:“]{1,8}?说(?:一?声|一?下)"
)
"""From here on a command holds words for somebody else."""

_LOOKING = clause_pattern("looking")
_HOLDERS = {"role": ROLE, "role_zh": ROLE_ZH, "family": FAMILY_NAMES}
_OF_ANOTHER, _OF_ANOTHER_NAMED = (
    compile_words(_CLAUSE_WORDS["of_another"], _HOLDERS),
    compile_words(_CLAUSE_WORDS["of_another_named"], {**_HOLDERS, "called": CALLED}, re.NOFLAG),
)
_FOR_ANOTHER = compile_words(_CLAUSE_WORDS["for_another"], _HOLDERS)


def tells_of_another(clause: str) -> bool:
    """Whether a clause says of somebody else, or of user and somebody else, what they like, are or do."""
    clause = clause.strip()
    return any(pattern.match(clause) for pattern in (_OF_ANOTHER, _OF_ANOTHER_NAMED))


def with_subjects(text: str) -> str:
    """A text whose clauses say of whom they are, where they leave out somebody of the user's named before.

    “My boss is Greg, hates mushrooms” says that of the boss, 我妹今年高三，海鲜过敏 both of the sister.
    """
    completed_text, subject = "", ""
    for part in _CLAUSE_ENDS.split(text):
        clause = part.strip()
        if (head := _PERSON_FIRST.match(clause)) is not None:
            subject = head[0]
        elif subject and _WITHOUT_SUBJECT.fullmatch(clause):
            part = f"{subject}{'' if has_chinese(clause) else ' '}{part}"
        elif clause and not _CLAUSE_ENDS.fullmatch(part) and _OF_USER.match(clause):
            subject = ""
        completed_text += part
    return completed_text


def names_somebody_first(text: str) -> str:
    """Who of the user's the first clause of a text is about, by relation; empty for nobody."""
    match = _PERSON_FIRST.match(text.strip())
    if match is None:
        return ""
    who = match["zh"] or match["en"]
    return canonical_word(who) or who


_CLAUSE_ENDS = lazy_regex(r"([,，;；。!！]+\s*|[.]\s+|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff]))")
_PERSON_FIRST = compile_words(_CLAUSE_WORDS["person_first"], _HOLDERS)
_WITHOUT_SUBJECT = clause_pattern("without_subject")
_OF_USER = lazy_regex(r"[我咱俺]|(?:I|we|my|our)\b", re.IGNORECASE)


def is_for_another(sentence: str) -> bool:
    """Whether what a sentence asks for is for somebody else, so that it says nothing of the user's taste."""
    return _FOR_ANOTHER.search(sentence) is not None


def own_words(text: str) -> str:
    """A command without the message to somebody else that it holds."""
    match = _TOLD.search(text)
    return text[: match.end()] if match else text


def match_named_roles(text: str) -> Iterator[PatternFact]:
    """People named beside their relation or role, and where they live."""
    for pattern in _NAMED_ROLES:
        for match in pattern.finditer(text):
            who = canonical_word(match["who"]) or match["who"]
            yield PatternFact("People", who, "name", match["name"].strip())
    if not _LOOKING.search(text):
        for pattern in _OWNED_PLACES:
            for match in pattern.finditer(text):
                who = canonical_word(match["who"]) or match["who"]
                if not has_chinese(match["place"]) or _ADDRESS_ZH.search(match["place"]):
                    yield PatternFact("People", who, "address", match["place"].strip())


def match_role_name(words: str, name: str) -> PatternFact | None:
    """A person whom the user called by role, “my mom”, and whose name is known, “Susan Lin”; else None."""
    match = _SAID_ROLE.fullmatch(words)
    if match is None or not _WHOLE_NAME.fullmatch(name):
        return None
    return PatternFact("People", canonical_word(match["who"]) or match["who"], "name", name)


_PEOPLE = tuple(
    lazy_regex(pattern)
    for pattern in (
        rf"\b[Mm]y (?P<who>{_WHO})(?:'s|’s) name is {_NAME}",
        rf"\b[Mm]y (?P<who>{_WHO}) is (?:called |named )?{_NAME}",
        rf"\b[Mm]y (?P<who>{_WHO}),? {_NAME}",
        rf"{_NAME}(?:,| is|,? who is|,? that's|,? that is) my (?P<who>{_WHO})\b",
        rf"(?:(?<![\u4e00-\u9fff])|我们?家?的?)(?P<who>{_WHO_ZH})的?(?:名字)?(?:叫|名叫|是){_CHINESE_NAME}{_AFTER_NAME}",
        rf"我的?(?P<who>{_WHO_ZH})(?P<name>[{FAMILY_NAMES}][\u4e00-\u9fff]{{1,2}}?){_AFTER_NAME}",
        rf"(?:^|[，,\s]){_CHINESE_NAME}就?是我的?(?P<who>{_WHO_ZH})",
    )
)
_PLACE = r"(?P<place>[^.。;；!！?？]*?(?:\d|[A-Z])[^.。;；,!！?？]*(?:, [A-Z0-9][^.,;]*)*)"
_CHINESE_PLACE = r"(?P<place>[^，。；！？,\s][^，。；！？,]{2,40}?)"
_PLACES = tuple(
    (entity, lazy_regex(pattern))
    for entity, pattern in (
        ("home", rf"\bI live (?:at|in|on) {_PLACE}"),
        ("office", rf"\bI work (?:at|in|on) {_PLACE}"),
        (
            "",
            rf"\b(?:[Mm]y|[Tt]he|[Oo]ur) (?P<where>{_WHERE})(?:'s)? (?:address )?"
            rf"(?:is|sits|lies)(?: at| in| on)? {_PLACE}",
        ),
        ("", rf"\b(?:to|at) (?:my|the|our) (?P<where>{_WHERE}), {_PLACE}"),
        ("home", r"我(?:家)?住在?" + _CHINESE_PLACE + r"(?=[，。,]|$)"),
        ("office", r"我在" + _CHINESE_PLACE + r"(?:上班|工作)"),
        ("", rf"我?(?:的)?(?P<where>{_WHERE_ZH})(?:的?地址)?(?:在|是|：|:){_CHINESE_PLACE}(?=[，。,]|$)"),
        ("", rf"送到我?(?P<where>{_WHERE_ZH})[，,]{_CHINESE_PLACE}(?=[，。,]|$)"),
    )
)
_OWNED_PLACES = tuple(
    lazy_regex(pattern)
    for pattern in (
        rf"\b(?:[Mm]y|[Oo]ur) (?P<who>{ROLE})(?:'s|’s|s’|s') (?:place|home|house|flat|apartment)"
        r"(?: is)?(?: at| in| on|,|:) (?P<place>(?=[^.;!?]*(?:\d|[A-Z]))[^.;!?]{4,60})",
        rf"\b(?:to|at) (?:my|our) (?P<who>{ROLE})(?:'s|’s|s’|s'), (?P<place>(?=[^.;!?]*\d)[^.;!?]{{4,60}})",
        rf"(?:我的?)?(?P<who>{ROLE_ZH})家(?:的?地址)?(?:在|是|[，,：:]){_CHINESE_PLACE}(?=[，。,]|$)",
    )
)
_ADDRESS_ZH = lazy_regex(r"\d|[路街巷村镇区市县省楼栋座室苑园城场厦院港里]$|大学|中心|公寓")
_NUMBER = r"(?P<number>[A-Za-z]{0,4}[ -]?\d[\dA-Za-z -]{2,24}\w)"
_NUMBERS = tuple(
    lazy_regex(pattern)
    for pattern in (
        r"\b(?P<what>(?:membership|member|loyalty|frequent flyer|account|customer|phone|mobile|library"
        r"|student|licen[cs]e plate|plate)(?: card)?(?: number| no\.?| account)?)(?: is|:)? " + _NUMBER,
        r"(?P<what>会员号|会员卡号?|积分卡|账号|账户|手机号码?|电话号码?|车牌号?|学号|客户号)(?:是|为|：|:)?\s*"
        r"(?P<number>[\u4e00-\u9fff]?[A-Za-z0-9][A-Za-z0-9 -]{3,24})",
    )
)
_FAVOURITE = lazy_regex(
    r"\b[Mm]y (?P<what>(?:favou?rite|usual|regular) [\w ]{2,30}?) (?:is|are) (?P<text>[^.。;；,]{2,60})"
    r"|我(?P<what_zh>(?:最喜欢|最爱|常去|常点|常吃|常买|常听)的[\u4e00-\u9fff]{1,8}?)(?:是|叫)(?P<text_zh>[^，。；,]{1,40})"
)
_ALLERGIC = lazy_regex("allergic|过敏", re.IGNORECASE)
_FOOD = (
    r"(?P<food>[a-z]+(?: (?!(?:and|or|nor|with|but|please|in|on|for|as|from|to|at|by|of|so|because|since|when"
    r"|today|tonight|anywhere|either|thanks|this|that|my|the|it|i|you|we)\b)[a-z]+)?)"
)
_SAID_OF_SELF = (
    r"(?:^|\bI(?:['’]?m| am|(?:['’]ve| have) (?:always |also )?been) |\b(?:and|but|as|being) )"
    r"(?:(?:very|badly|severely|really|also|quite|highly) )*"
)
_AVOIDED = (
    lazy_regex(rf"{_SAID_OF_SELF}allergic to {_FOOD}\b", re.IGNORECASE),
    lazy_regex(
        rf"\b(?:no|without|leave out(?: the)?|hold the|skip the|don't put|can(?:'|no)t (?:eat|have)"
        rf"|don't (?:eat|like)|I (?:hate|avoid))(?: any)? {_FOOD}\b",
        re.IGNORECASE,
    ),
    lazy_regex(r"(?:^|[我而因，])(?:且|为|也|是|自己|从小|一直)*对(?P<food>[\u4e00-\u9fff]{1,4})过敏"),
    lazy_regex(r"(?:不要|不放|别放|不加|别加|忌|去掉)(?P<food>[\u4e00-\u9fff]{1,4})$"),
    lazy_regex(r"(?:^|我)(?:也|都|从来|一直|现在)*(?:不吃|不能吃)(?P<food>[\u4e00-\u9fff]{1,4})$"),
    lazy_regex(r"^(?P<food>[\u4e00-\u9fff]{1,4})(?:别放|不要|不吃|别加)$"),
)
_COMPANY = (
    lazy_regex(rf"^(?:travell?ing |going )?with {_NAME}"),
    lazy_regex(rf"\b(?:for )?me and {_NAME}"),
    lazy_regex(rf"{_NAME} (?:comes|is coming|travels|goes|joins)\b"),
    lazy_regex(r"^(?:和|跟|带上|与|我和|我跟)(?P<name>[\u4e00-\u9fff]{2,3}?|[A-Z]\w+)(?:一起|同行|同去|$)"),
)


def match_people(sentence: str) -> Iterator[PatternFact]:
    """Names of people whom the user refers to by relation or role."""
    for pattern in _PEOPLE:
        for match in pattern.finditer(sentence):
            who = canonical_word(match["who"]) or match["who"]
            yield PatternFact("People", who, "name", match["name"])


def match_places(sentence: str) -> Iterator[PatternFact]:
    """Addresses of places that the user refers to by a common word."""
    for entity, pattern in _PLACES:
        for match in pattern.finditer(sentence):
            if has_chinese(match["place"]) and not _ADDRESS_ZH.search(match["place"]):
                continue
            where = entity or canonical_word(match["where"]) or match["where"]
            yield PatternFact("Places", where, "address", match["place"].strip())


def match_numbers(sentence: str) -> Iterator[PatternFact]:
    """Numbers of memberships and accounts, except those that look like a payment card."""
    for pattern in _NUMBERS:
        for match in pattern.finditer(sentence):
            if not is_card_number(match["number"]):
                yield PatternFact("Accounts", match["what"].casefold(), "number", match["number"].strip())


def match_favourites(sentence: str, concept: str) -> Iterator[PatternFact]:
    """Things that the user calls their favourite or usual."""
    for match in _FAVOURITE.finditer(sentence):
        what, text = match["what"] or match["what_zh"], match["text"] or match["text_zh"]
        yield PatternFact(concept, what, "is", text.strip())


def match_avoided_foods(clause: str, entity: str) -> Iterator[PatternFact]:
    """Foods that the user avoids or is allergic to."""
    for pattern in _AVOIDED:
        for match in pattern.finditer(clause):
            if match["food"].split()[0].casefold() not in lexicon().not_avoided:
                allergic = bool(_ALLERGIC.search(clause))
                key = ALLERGY if allergic else "avoid"
                yield PatternFact("Food", entity, key, match["food"], single=False, lasting=allergic)


def match_companions(clause: str, entity: str) -> Iterator[PatternFact]:
    """The person who comes along on a trip."""
    for pattern in _COMPANY:
        if match := pattern.search(clause):
            yield PatternFact("Travel", entity, "companion", match["name"], single=False, lasting=False)
            return


def is_card_number(text: str) -> bool:
    """Whether the digits could be a payment card number: 13 to 19 digits that pass the Luhn check."""
    digits = [int(character) for character in text if character.isdecimal()]
    if not 13 <= len(digits) <= 19:
        return False
    doubled = (2 * digit if position % 2 else digit for position, digit in enumerate(reversed(digits)))
    return sum(digit - 9 if digit > 9 else digit for digit in doubled) % 10 == 0


@cache
def statement_words() -> dict[str, Any]:
    """The words of `statements.yaml`."""
    return read_words("assistant.memory.profile", "statements.yaml")


@cache
def _rewrites() -> list[tuple[re.Pattern[str], str]]:
    words = statement_words()
    owner = compile_words(words["any_case"]["bare_possessive"], {**words["parts"], "role": ROLE})
    rewrites = [(lazy_regex(form), said) for form, said in words["rewrites"]]
    return [(owner, r"\g<owner>'s "), *rewrites]


def spell_out(text: str) -> str:
    """A text with its words spelt, such as “I'm” for “im”, and “my dad's name” for “my dads name”."""
    spelt = text.strip()
    for form, words in _rewrites():
        spelt = form.sub(words, spelt)
    return spelt
