"""What the deterministic extractor knows: areas of life, and the wordings of common preferences.

The words are in `lexicon.yaml`, English and Chinese together.

Words for people and places that every person has, in groups: "mother" and "妈妈" are the same one.

What is no value of a profile: pieces of sentences, words that say nothing, a name that is an app's.

What merely has a loose end ("coriander from") is trimmed; what then still says nothing is refused, with why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from assistant.memory.profile.graph import ALIAS, ALLERGY, WISH, cleaned, is_chinese, normalised

LISTS = frozenset((ALIAS, WISH, ALLERGY, "avoid", "companion"))
"""Keys whose values hold beside each other."""

HABITS = "Habits"
"""The domain of what belongs to no other."""


@dataclass(frozen=True, slots=True)
class Domain:
    """An area of life: a concept of the profile. `entity` names the node of its preferences, if any."""

    name: str
    about: str
    entity: str
    words: re.Pattern[str] | None
    apps: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class PhrasePattern:
    """A pattern that tells the value of a key. `sense` is empty where every wording is its own value."""

    key: str
    sense: str
    pattern: re.Pattern[str]
    domains: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Everything, compiled."""

    domains: dict[str, Domain]
    linked: tuple[tuple[str, str], ...]
    wordings: tuple[PhrasePattern, ...]
    same: dict[str, str]

    def sense_of(self, text: str) -> str:
        """What makes two names the same one: that of either language."""
        plain = normalised(text)
        return self.same.get(plain, plain)

    def keeps_one(self, key: str, otherwise: bool) -> bool:
        """Whether one value of a key holds at a time; `otherwise` where the key is not known here."""
        plain = normalised(key)
        if plain in LISTS:
            return False
        return otherwise or any(wording.key == plain for wording in self.wordings)

    def wordings_of(self, domain: str) -> Iterator[PhrasePattern]:
        """The wordings that count in a domain."""
        return (one for one in self.wordings if domain in one.domains)


@cache
def lexicon() -> Lexicon:
    """The lexicon of the package."""
    text = (files("assistant.memory.profile") / "lexicon.yaml").read_text("utf-8")
    data = yaml.load(text, Loader=yaml.CSafeLoader)
    domains = {name: _domain(name, described) for name, described in data["domains"].items()}
    same = {normalised(name): normalised(group[0]) for group in data["same"] for name in group}
    return Lexicon(
        domains, tuple((one, other) for one, other in data["linked"]), tuple(_wordings(data)), same
    )


def _domain(name: str, described: dict[str, Any]) -> Domain:
    words, apps = described.get("words"), described.get("apps")
    return Domain(
        name=name,
        about=described["about"],
        entity=described.get("entity", ""),
        words=_any_of(words) if words else None,
        apps=_any_of(apps) if apps else None,
    )


def _wordings(data: dict[str, Any]) -> Iterator[PhrasePattern]:
    for key, senses in data["senses"].items():
        domains = frozenset(senses.pop("domains"))
        for sense, patterns in senses.items():
            yield PhrasePattern(key, sense, _any_of(patterns), domains)
    for key, described in data["lists"].items():
        yield PhrasePattern(key, "", _any_of(described["items"]), frozenset(described["domains"]))


def _any_of(patterns: Iterable[Any]) -> re.Pattern[str]:
    return re.compile("|".join(map(_bounded, map(str, patterns))), re.IGNORECASE)


def _bounded(pattern: str) -> str:
    """A pattern that does not begin or end inside a Latin word or a number."""
    written = pattern.replace("#", r"\d+(?:\.\d+)?")
    return rf"(?<![A-Za-z0-9])(?:{written})(?![A-Za-z0-9])" if _is_latin(pattern) else f"(?:{written})"


def _is_latin(pattern: str) -> bool:
    return not is_chinese(pattern)


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
def _first_words() -> dict[str, str]:
    return {normalised(word): group[0] for group in (*PEOPLE, *PLACES) for word in group}


def same_one(words: str) -> str | None:
    """The first word of the group that some words belong to: "mother" and "妈妈" give "mom"."""
    return _first_words().get(normalised(words))


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


def trimmed(key: str, text: str) -> str:
    """A value without its loose ends; an address or a name without the wish behind it."""
    plain = cleaned(text)
    if key in (NAME, ADDRESS):
        plain = _NEXT_THING.sub("", plain)
    if key == WISH or (key in (NAME, ADDRESS) and is_chinese(plain)):
        # A wish may end as it likes; Chinese names and addresses end where their frame says.
        return plain
    return _LOOSE_END.sub("", plain).strip(" ,;，、")


def why_refused(key: str, text: str) -> str:
    """Why a text is no value of a key, in words; empty where it is one."""
    plain = normalised(text)
    if not any(one.isalnum() for one in plain):
        return "it says nothing"
    if says_nothing(plain):
        return "its words say nothing by themselves"
    if key == NAME and _is_app(plain):
        return "it is the name of an app"
    if key == NAME and any(one.isdigit() for one in plain):
        return "a name has no digits"
    if key == ADDRESS and not is_chinese(text) and not (text[:1].isupper() or _ADDRESS_WORDS.search(text)):
        return "it is no address"
    return ""


def says_nothing(text: str) -> bool:
    """Whether a text consists of words that say nothing by themselves."""
    plain = normalised(text)
    for _ in range(_FEW):
        if not plain:
            return True
        if not (match := _EMPTY.match(plain)):
            return False
        ended = is_chinese(match[0]) or not plain[match.end() : match.end() + 1].isalnum()
        if not ended:
            return False
        plain = plain[match.end() :].lstrip(" ,.;!，。；！'’")
    return False


def _is_app(plain: str) -> bool:
    return any(domain.apps and domain.apps.fullmatch(plain) for domain in lexicon().domains.values())
