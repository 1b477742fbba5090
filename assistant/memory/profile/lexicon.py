"""The words that the rule-based extractor knows, and the checks whether a text can be a value.

`lexicon.yaml` has the domains (areas of life) and the patterns of common preferences, English and Chinese.
Words for people and places come in groups of synonyms: "mother" and "妈妈" both mean "mom". A value is
trimmed of loose ends ("coriander from") and refused if it then has no content, or is the name of an app.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from assistant.i18n import has_chinese
from assistant.memory.profile.graph import ALIAS, ALLERGY, WISH, clean_text, normalize_text

LISTS = frozenset((ALIAS, WISH, ALLERGY, "avoid", "companion"))
"""Keys with a list of values."""

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
    """The lexicon with compiled patterns."""

    domains: dict[str, Domain]
    linked: tuple[tuple[str, str], ...]
    wordings: tuple[PhrasePattern, ...]
    same: dict[str, str]

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

    def patterns_of(self, domain: str) -> Iterator[PhrasePattern]:
        """The patterns that apply in a domain."""
        return (pattern for pattern in self.wordings if domain in pattern.domains)


@cache
def lexicon() -> Lexicon:
    """The lexicon, loaded once."""
    text = (files("assistant.memory.profile") / "lexicon.yaml").read_text("utf-8")
    data = yaml.load(text, Loader=yaml.CSafeLoader)
    domains = {name: _parse_domain(name, described) for name, described in data["domains"].items()}
    same = {normalize_text(name): normalize_text(group[0]) for group in data["same"] for name in group}
    return Lexicon(
        domains,
        tuple((first, second) for first, second in data["linked"]),
        tuple(_parse_patterns(data)),
        same,
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
    return re.compile("|".join(map(_at_word_bounds, map(str, patterns))), re.IGNORECASE)


def _at_word_bounds(pattern: str) -> str:
    """A pattern that matches whole Latin words and numbers only."""
    expanded = pattern.replace("#", r"\d+(?:\.\d+)?")
    if has_chinese(pattern):
        return f"(?:{expanded})"
    return rf"(?<![A-Za-z0-9])(?:{expanded})(?![A-Za-z0-9])"


PEOPLE = (
    ("mom", "mum", "mother", "mama", "mommy", "妈妈", "妈", "母亲", "老妈", "我妈"),
    ("dad", "father", "papa", "daddy", "爸爸", "爸", "父亲", "老爸", "我爸"),
    ("wife", "老婆", "妻子", "太太", "媳妇"),
    ("husband", "老公", "丈夫", "先生"),
    ("girlfriend", "女朋友", "女友"),
    ("boyfriend", "男朋友", "男友"),
    ("son", "儿子"),
    ("daughter", "女儿", "闺女"),
    ("older brother", "big brother", "elder brother", "哥哥", "哥"),
    ("younger brother", "little brother", "弟弟"),
    ("brother", "兄弟"),
    ("older sister", "big sister", "elder sister", "姐姐", "姐"),
    ("younger sister", "little sister", "妹妹"),
    ("sister", "姐妹"),
    ("grandma", "grandmother", "奶奶", "外婆", "姥姥"),
    ("grandpa", "grandfather", "爷爷", "外公", "姥爷"),
    ("aunt", "阿姨", "姑姑", "姨妈"),
    ("uncle", "叔叔", "舅舅"),
    ("cousin", "表哥", "表姐", "表弟", "表妹", "堂哥", "堂弟"),
    ("best friend", "closest friend", "最好的朋友", "闺蜜", "死党", "最铁的朋友"),
    ("friend", "朋友"),
    ("roommate", "flatmate", "室友"),
    ("colleague", "coworker", "同事"),
    ("boss", "manager", "supervisor", "老板", "领导", "经理"),
    ("assistant", "助理"),
    ("teacher", "老师"),
    ("class teacher", "班主任"),
    ("tutor", "advisor", "导师"),
    ("doctor", "医生", "大夫"),
    ("dentist", "牙医"),
    ("hairdresser", "barber", "理发师"),
    ("landlord", "房东"),
    ("coach", "trainer", "教练"),
    ("neighbor", "neighbour", "邻居"),
    ("classmate", "同学"),
    ("partner", "爱人", "对象"),
    ("cat", "猫"),
    ("dog", "狗"),
)
_ROLE_WORDS = yaml.load(
    (files("assistant.memory.profile") / "roles.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader
)
ROLES: tuple[str, ...] = tuple(_ROLE_WORDS["en"])
ROLES_ZH: tuple[str, ...] = tuple(_ROLE_WORDS["zh"])
"""Further words for people by their role, each for itself."""

PLACES = (
    (
        "home",
        "home address",
        "house",
        "place",
        "flat",
        "apartment",
        "家",
        "家里",
        "住处",
        "家庭住址",
        "我家",
        "住的地方",
    ),
    ("office", "company", "work", "workplace", "公司", "办公室", "单位", "上班的地方", "工位"),
    ("school", "university", "college", "campus", "学校", "大学"),
    ("gym", "健身房"),
    ("hospital", "clinic", "医院", "诊所"),
    ("bank", "银行"),
    ("hometown", "老家", "家乡"),
    ("city", "城市"),
    ("library", "图书馆"),
    ("supermarket", "超市"),
    ("pharmacy", "药店"),
    ("kindergarten", "幼儿园"),
)


@cache
def _canonical_words() -> dict[str, str]:
    return {normalize_text(word): group[0] for group in (*PEOPLE, *PLACES) for word in group}


def canonical_word(words: str) -> str | None:
    """The first word of the synonym group of some words: "mom" for "mother" and "妈妈"; None without one."""
    return _canonical_words().get(normalize_text(words))


NAME = "name"
ADDRESS = "address"

_LOOSE_END = re.compile(
    r"(?:\s+(?:from|with|without|and|or|but|to|in|on|at|for|of|by|the|an?|my|please|too|also|as|is|are|was"
    r"|because|since|so|when|while|if|that|which|who|than|then|instead|again|today|tonight|now))+[\s,.]*$"
    r"|[，、,\s]*(?:和|与|跟|或|还有|因为|所以|但是|但|的时候|来|也|呢|吧|啊|哦|了)+$",
    re.IGNORECASE,
)
_NEXT_THING = re.compile(r"\s+(?:and|but)\s+(?:with|without|no|to|in|on|at|for|pay|please|then|also|I)\b.*$")
_EMPTY = re.compile(
    r"(?:i(?:'ve| have)? changed my mind(?: about (?:this|that|it))?|please|thanks?|thank you"
    r"|always|as (?:ever|usual|always)|usual(?:ly)?|never|again|the same|ok(?:ay)?"
    r"|and|or|from|with|the|an?|it|that|this|one|some(?:thing)?|any(?:thing)?|nothing|my|me|i|for"
    r"|from now on|new habit|just|so|too|then|now"
    r"|请|谢谢|一直(?:这样|如此)?|总是|每次|照旧|照例|老样子|我改主意了?|改主意了?|以后|今后|从今以后|这样|那样|一样|这个|那个"
    r"|都|要|的|了|吧|啊|也|就|还|再)",
    re.IGNORECASE,
)
_FEW = 12
_ADDRESS_WORDS = re.compile(
    r"\d|\b(?:street|st|road|rd|lane|avenue|ave|drive|boulevard|square|court|place|park|tower|building|block|hall"
    r"|floor|level|flat|apartment|house|centre|center|plaza|campus|mall|quay|bridge|garden|gardens|view|yard"
    r"|terrace|hill|wharf|dorm|dormitory|room|suite|gate|station|village|college|university|school|hospital"
    r"|library|hotel|office|way|close|mews|row|market)\b",
    re.IGNORECASE,
)


def trim_value(key: str, text: str) -> str:
    """A value without its loose ends; an address or a name also without a request that follows it."""
    value = clean_text(text)
    if key in (NAME, ADDRESS):
        value = _NEXT_THING.sub("", value)
    if key == WISH or (key in (NAME, ADDRESS) and has_chinese(value)):
        # The end of a wish is part of it; the patterns of Chinese names and addresses define their end.
        return value
    return _LOOSE_END.sub("", value).strip(" ,;，、")


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
    if key == ADDRESS and not has_chinese(text) and not (text[:1].isupper() or _ADDRESS_WORDS.search(text)):
        return "it is no address"
    return ""


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
