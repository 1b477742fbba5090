"""Sentences that tell facts: who somebody is, where something is, numbers, what is avoided, who comes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.memory.profile.nodes import ALLERGY, is_chinese
from assistant.memory.profile.relations import PEOPLE, PLACES, same_one


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that a sentence tells of an entity below a concept. `lasting` ones hold beyond this request."""

    concept: str
    entity: str
    key: str
    text: str
    single: bool = True
    lasting: bool = True


def _words(groups: tuple[tuple[str, ...], ...], chinese: bool) -> str:
    words = [word for group in groups for word in group if (word[0] >= "\u4e00") == chinese]
    return "|".join(sorted((word.removeprefix("我") for word in words), key=len, reverse=True))


_WHO = _words(PEOPLE, False)
_WHO_ZH = _words(PEOPLE, True)
_WHERE = _words(PLACES, False)
_WHERE_ZH = _words(PLACES, True)
_NAME = r"(?P<name>(?:[A-Z][\w'’.-]*\w|[\u4e00-\u9fff]{2,4})(?: [A-Z][\w'’-]*\w){0,2})"
_CHINESE_NAME = r"(?P<name>[\u4e00-\u9fff·]{2,4}?|[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})"
_FAMILY_NAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔"
    "钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤艾"
)
_AFTER_NAME = r"(?=来|也|一起|要|会|取|收|去|同行|那|的|，|,|。|\s|$)"

_PEOPLE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b[Mm]y (?P<who>{_WHO})(?:'s|’s) name is {_NAME}",
        rf"\b[Mm]y (?P<who>{_WHO}) is (?:called |named )?{_NAME}",
        rf"\b[Mm]y (?P<who>{_WHO}),? {_NAME}",
        rf"{_NAME}(?:,| is|,? who is|,? that's|,? that is) my (?P<who>{_WHO})\b",
        rf"我?的?(?P<who>{_WHO_ZH})的?(?:名字)?(?:叫|名叫|是){_CHINESE_NAME}{_AFTER_NAME}",
        rf"我的?(?P<who>{_WHO_ZH})(?P<name>[{_FAMILY_NAMES}][\u4e00-\u9fff]{{1,2}}?){_AFTER_NAME}",
        rf"(?:^|[，,\s]){_CHINESE_NAME}就?是我的?(?P<who>{_WHO_ZH})",
    )
)
_PLACE = r"(?P<place>[^.。;；!！?？]*?(?:\d|[A-Z])[^.。;；,!！?？]*(?:, [A-Z0-9][^.,;]*)*)"
_CHINESE_PLACE = r"(?P<place>[^，。；！？,\s][^，。；！？,]{2,40}?)"
_PLACES = tuple(
    (entity, re.compile(pattern))
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
_ADDRESS_ZH = re.compile(r"\d|[路街巷村镇区市县省楼栋座室苑园城场厦院港里]$|大学|中心|公寓")
_NUMBER = r"(?P<number>[A-Za-z]{0,4}[ -]?\d[\dA-Za-z -]{2,24}\w)"
_NUMBERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?P<what>(?:membership|member|loyalty|frequent flyer|account|customer|phone|mobile|library"
        r"|student|licen[cs]e plate|plate)(?: card)?(?: number| no\.?| account)?)(?: is|:)? " + _NUMBER,
        r"(?P<what>会员号|会员卡号?|积分卡|账号|账户|手机号码?|电话号码?|车牌号?|学号|客户号)(?:是|为|：|:)?\s*"
        r"(?P<number>[\u4e00-\u9fff]?[A-Za-z0-9][A-Za-z0-9 -]{3,24})",
    )
)
_FAVOURITE = re.compile(
    r"\b[Mm]y (?P<what>(?:favou?rite|usual|regular) [\w ]{2,30}?) (?:is|are) (?P<text>[^.。;；,]{2,60})"
    r"|我(?P<what_zh>(?:最喜欢|最爱|常去|常点|常吃|常买|常听)的[\u4e00-\u9fff]{1,8}?)(?:是|叫)(?P<text_zh>[^，。；,]{1,40})"
)
_ALLERGIC = re.compile("allergic|过敏", re.IGNORECASE)
_FOOD = (
    r"(?P<food>[a-z]+(?: (?!(?:and|or|nor|with|but|please|in|on|for|as|from|to|at|by|of|so|because|since|when"
    r"|today|tonight|anywhere|either|thanks|this|that|my|the|it|i|you|we)\b)[a-z]+)?)"
)
_AVOIDED = (
    re.compile(rf"\ballergic to {_FOOD}\b", re.IGNORECASE),
    re.compile(
        rf"\b(?:no|without|leave out(?: the)?|hold the|skip the|don't put|can(?:'|no)t (?:eat|have)"
        rf"|don't (?:eat|like)|I (?:hate|avoid))(?: any)? {_FOOD}\b",
        re.IGNORECASE,
    ),
    re.compile(r"对(?P<food>[\u4e00-\u9fff]{1,4})过敏"),
    re.compile(r"(?:不要|不放|别放|不加|别加|不吃|不能吃|忌|去掉)(?P<food>[\u4e00-\u9fff]{1,4})$"),
    re.compile(r"^(?P<food>[\u4e00-\u9fff]{1,4})(?:别放|不要|不吃|别加)$"),
)
_NOT_FOOD = frozenset(
    [
        "need",
        "rush",
        "hurry",
        "problem",
        "idea",
        "thanks",
        "more",
        "less",
        "one",
        "matter",
        "cutlery",
        "chopsticks",
        "utensils",
        "extra",
        "delay",
        "cash",
        "change",
        "changing",
        "going",
        "being",
        "it",
        "that",
        "this",
        "them",
        "any",
        "thing",
        "breakfast",
        "lunch",
        "dinner",
    ]
)
_COMPANY = (
    re.compile(rf"^(?:travell?ing |going )?with {_NAME}"),
    re.compile(rf"\b(?:for )?me and {_NAME}"),
    re.compile(rf"{_NAME} (?:comes|is coming|travels|goes|joins)\b"),
    re.compile(r"^(?:和|跟|带上|与|我和|我跟)(?P<name>[\u4e00-\u9fff]{2,3}?|[A-Z]\w+)(?:一起|同行|同去|$)"),
)


def people(sentence: str) -> Iterator[Fact]:
    """Names of people that the user has a word for."""
    for pattern in _PEOPLE:
        for found in pattern.finditer(sentence):
            who = same_one(found["who"]) or found["who"]
            yield Fact("People", who, "name", found["name"])


def places(sentence: str) -> Iterator[Fact]:
    """Addresses of places that the user has a word for."""
    for entity, pattern in _PLACES:
        for found in pattern.finditer(sentence):
            if is_chinese(found["place"]) and not _ADDRESS_ZH.search(found["place"]):
                continue
            where = entity or same_one(found["where"]) or found["where"]
            yield Fact("Places", where, "address", found["place"].strip())


def numbers(sentence: str) -> Iterator[Fact]:
    """Numbers of memberships and accounts; never what looks like a payment card."""
    for pattern in _NUMBERS:
        for found in pattern.finditer(sentence):
            if not is_card_number(found["number"]):
                yield Fact("Accounts", found["what"].casefold(), "number", found["number"].strip())


def favourites(sentence: str, concept: str) -> Iterator[Fact]:
    """What the user calls their favourite or usual something."""
    for found in _FAVOURITE.finditer(sentence):
        what, text = found["what"] or found["what_zh"], found["text"] or found["text_zh"]
        yield Fact(concept, what, "is", text.strip())


def avoided(clause: str, entity: str) -> Iterator[Fact]:
    """Foods that the user does not want."""
    for pattern in _AVOIDED:
        for found in pattern.finditer(clause):
            if found["food"].split()[0].casefold() not in _NOT_FOOD:
                allergic = bool(_ALLERGIC.search(clause))
                key = ALLERGY if allergic else "avoid"
                yield Fact("Food", entity, key, found["food"], single=False, lasting=allergic)


def company(clause: str, entity: str) -> Iterator[Fact]:
    """Who comes along on a trip."""
    for pattern in _COMPANY:
        if found := pattern.search(clause):
            yield Fact("Travel", entity, "companion", found["name"], single=False, lasting=False)
            return


def is_card_number(text: str) -> bool:
    """Whether digits could be those of a payment card: 13 to 19 that pass Luhn's check."""
    digits = [int(one) for one in text if one.isdecimal()]
    if not 13 <= len(digits) <= 19:
        return False
    doubled = (2 * one if place % 2 else one for place, one in enumerate(reversed(digits)))
    return sum(one - 9 if one > 9 else one for one in doubled) % 10 == 0
