"""Extracts facts and preferences from records by rules, without a model, and drafts them into the graph.

Only the user's own words are read, and the app of a successful turn; never the words of the assistant or the
content of an app. An instruction is split into clauses: request, details, habits and asides. Sentence
patterns find people, places, numbers, avoided foods and companions; the patterns of the lexicon find
preferences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from assistant.i18n import has_chinese
from assistant.memory.profile.edits import GraphDraft
from assistant.memory.profile.graph import (
    ALLERGY,
    WISH,
    Evidence,
    Node,
    NodeKind,
    Strength,
    Value,
    assess_beliefs,
    clean_text,
    normalize_text,
)
from assistant.memory.profile.lexicon import (
    HABITS,
    PEOPLE,
    PLACES,
    ROLES,
    ROLES_ZH,
    Domain,
    Lexicon,
    PhrasePattern,
    canonical_word,
    find_value_problem,
    lexicon,
    trim_value,
)
from assistant.records import Outcome, Record


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


_SENTENCES = re.compile(r"(?<=[.!?])\s+|[。！？；;\n]+")
_CLAUSES = re.compile(r",(?!\d)(?! (?:not too|nor|but not)\b)|，|\s[—–-]\s|——|：|:\s")
_EDGES = " \t.,;:!?，。；：！？"

_ONCE = re.compile(
    r"\b(just|only) (this|for) once\b|\bfor once\b|\bfor a change\b|\b(just|only) (for )?today\b"
    r"|\btoday only\b|\bthis time\b|\bone-off\b|\bexceptionally\b"
    r"|就这一?次|仅此一次|今天换换|换换口味|破例|偶尔|^这次",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(colleague|coworker|neighbou?r|boss|client|customer)s?\b|\bnot (for )?me\b|\bthat's not me\b"
    r"|\b(he|she|they) (wants?|likes?|prefers?|takes?|needs?|eats?|drinks?)\b"
    r"|同事|邻居|老板|客户|[他她](们)?(要|喜欢|想|爱)|不是我",
    re.IGNORECASE,
)
_SWITCHED = re.compile(
    r"\bfrom (now|today|this week) on\b|\bchanged my mind\b|\bnew habit\b|\bno longer\b|\bnot any ?more\b"
    r"|\b(switched|moved|changed) (over )?to\b|\bin future\b"
    r"|以后都?|从今|今后|改主意|改成|换成|新习惯|再也不|不再",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(usual(ly)?|always|never|prefer(red|ably)?|allergic|mostly|favou?rite|as (ever|always)|tend to)\b"
    r"|\bI(?:'d| would)? (?:really |only |just )?"
    r"(like|love|hate|trust|wear|take|need|eat|drink|watch|avoid|enjoy|rather)\b"
    r"|\bI(?:'m| am) (a|an|in no|not)\b|\bcan(?:'|no)?t (stand|take|eat|have|bear)\b"
    r"|\bdon't (mind|like|eat|drink|want)\b|\bmy (stomach|legs|back|skin)\b|\bmakes me\b|\bhave my own\b"
    r"|我(一般|都|只|总|最|从不|从来|宁愿|平时|习惯|喜欢|爱|不吃|不喝|不介意|讨厌|怕)|习惯|一直用|过敏"
    r"|受不了|闻不了|认准|照旧|照例|老样子|我.{0,3}(饭量|胃|腿|穿|不爱|不喜欢|自己有)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\b(I|I'm|I've|I'll|we|he|she|they|you|there)\b|\bit('s| is| was| has| should| will| \w+ed)\b",
    re.IGNORECASE,
)
# "The old one broke yesterday": a sentence about something else than the request.
_STORY = re.compile(
    r"^(my|our|the|this|that|his|her|their|some|if|sorry|thanks|tell|let|show)\b"
    r"(?!.*\b(one|version|option)s?,? please)",
    re.IGNORECASE,
)


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
    words = [word for group in groups for word in group if has_chinese(word) == chinese]
    return "|".join(sorted((word.removeprefix("我") for word in words), key=len, reverse=True))


_WHO = _word_alternatives(PEOPLE, False)
_WHO_ZH = _word_alternatives(PEOPLE, True)
_WHERE = _word_alternatives(PLACES, False)
_WHERE_ZH = _word_alternatives(PLACES, True)
_NAME = r"(?P<name>(?:[A-Z][\w'’.-]*\w|[\u4e00-\u9fff]{2,4})(?: [A-Z][\w'’-]*\w){0,2})"
_CHINESE_NAME = r"(?P<name>[\u4e00-\u9fff·]{2,4}?|[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})"
_FAMILY_NAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔"
    "钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤艾"
)
_NO_NAME = (
    "(?:I|Happy|Good|Please|Can|Could|See|Hello|Hi|Hey|The|A|An|My|Our|We|He|She|They|It|You|Not|No|Yes|Thanks|Thank|Sorry|"
    "On|In|At|To|From|For|And|Is|Are|Was|What|When|Where|Who|Why|How|Do|Does|If|But|So|This|That|Merry|Love|Come|Call|"
    "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|"
    "September|October|November|December|Christmas|Easter|Let|Don|Dinner|Lunch|Breakfast)"
)
"""Capitalised words that begin a message or name a day, and no person."""

_AFTER_NAME = r"(?=来|也|一起|要|会|取|收|去|同行|那|的|，|,|。|\s|$)"

_TITLE = r"(?:(?:[Mm]r|[Mm]rs|[Mm]s|[Dd]r|[Pp]rof)\b\.? ?)"
_CAPITALISED = rf"(?!{_NO_NAME}\b)[A-Z][a-zà-ÿ]+"
_CALLED = rf"(?P<name>{_TITLE}[A-Za-z][\w'’-]+|{_CAPITALISED}(?:[ -]{_CAPITALISED}){{0,2}})"
_ROLE = rf"(?:[a-z]+ ){{0,2}}?(?:{_WHO}|{'|'.join(ROLES)})"
_ROLE_ZH = rf"(?:{_WHO_ZH}|{'|'.join(ROLES_ZH)})"
_CALLED_ZH = (
    rf"(?P<name>[老小阿][{_FAMILY_NAMES}]|[{_FAMILY_NAMES}](?:先生|女士|太太|小姐|总|老师|医生|大夫|经理|师傅|阿姨|叔叔|教练|律师)"
    rf"|[{_FAMILY_NAMES}][\u4e00-\u9fff]{{1,2}}?)(?=$|[打发说转问约叫什几，,。：:、的要来在把请让方他她今明后下什热]|周末|视频|留言)"
)
_NAMED_ROLES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:[Mm]y|[Oo]ur) (?P<who>{_ROLE}),? \(?{_CALLED}",
        rf"\b(?:[Mm]y|[Oo]ur) (?P<who>{_ROLE}|[a-z]+(?: [a-z]+)?) (?:is|'s|’s) (?:called|named) {_CALLED}",
        rf"\b(?:[Mm]y|[Oo]ur) (?P<who>{_ROLE}|[a-z]+(?: [a-z]+)?)(?:'s|’s) name is {_CALLED}",
        rf"(?<=\s){_CALLED}, (?:who is |that's |that is )?(?:my|our) (?P<who>{_ROLE})\b",
        rf"(?:^|我的?|[给问跟和找叫让约告诉请帮把])(?:我的?)?(?P<who>{_ROLE_ZH}){_CALLED_ZH}",
        rf"我(?:的)?(?P<who>{_ROLE_ZH})(?:叫|名叫|名字叫|名字是){_CHINESE_NAME}(?:$|[，,。])",
    )
)
"""A person named beside their relation or role, as in "ask my landlord Mr Brandt"."""

_SAID_ROLE = re.compile(rf"(?:(?:my|our|the) )?(?P<who>{_ROLE})", re.IGNORECASE)
_TOLD = re.compile(
    r"\b(?i:text|tell|message|email|write|send|reply|post|tweet|whatsapp|dm|say)\b"
    r"(?:(?:(?! (?:my|our) )[^:\"“])*?[:\"“]|[^:\"“]*?\b(?:that|saying|whether|because)\b"
    r"|\s[A-Z][\w'-]+(?: [A-Z][\w'-]+)?\s(?=my|our))"
    r"|(?:发|告诉|说|回复|转告|留言|发布)[^说，,：:“]{0,12}?[说：:“]|(?:发消息|发微信|发短信)[，,]"
)
"""From here on a command holds words for somebody else."""

_LOOKING = re.compile(r"\b(?:search|google|look up|find (?:a|an|the|some))\b|搜|查找|找一", re.IGNORECASE)


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
_OWNED_PLACES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:[Mm]y|[Oo]ur) (?P<who>{_ROLE})(?:'s|’s|s’|s') (?:place|home|house|flat|apartment)"
        r"(?: is)?(?: at| in| on|,|:) (?P<place>(?=[^.;!?]*(?:\d|[A-Z]))[^.;!?]{4,60})",
        rf"(?:我的?)?(?P<who>{_ROLE_ZH})家(?:的?地址)?(?:在|是|[，,：:]){_CHINESE_PLACE}(?=[，。,]|$)",
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
            if match["food"].split()[0].casefold() not in _NOT_FOOD:
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


APP = "app"
"""Key of the app that is used for something."""

_LONGEST_SHOWN = 48
_SHARE = 0.4
"""A domain is also considered from this share of the score of the likeliest domain."""
# Replaces text that a pattern matched already.
_READ = "\0"
_SECRET = re.compile(
    r"\b(password|passcode|pin( code)?|cvv|cvc|otp|one-time code)\b|密码|验证码|口令", re.IGNORECASE
)
_FILLERS = re.compile(
    r"^(?:from (?:now|today) on,? |always |and |but |so |please |maybe |preferably |ideally |make it "
    r"|with (?=the |no )|i(?:'d| would) like (?:it )?)+"
    r"|(?:,? please|,? thanks|,? if possible)$|^(?:以后都?|今后都?|要|请|最好|麻烦|还要|而且)(?=.{2})",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"^(?:(?:a|an|one|some|my|the|usual|with|add|plus|and|of|cup|glass|bottle) )+"
    r"|^(?:再?[来加配要点]|[一两]?[杯瓶份])+(?=.{2})",
    re.IGNORECASE,
)
# The beginning of a detail that is a sentence of its own.
_FRAGMENT = re.compile(
    r"(?:with|without|in|on|at|near|no(?! need)|not|nothing|something|by|to|from|deliver|bring|leave|only"
    r"|size|under|pay|settle|put|charge|go for|hand|sold|close|as|direct|via|through|over|one|around|before"
    r"|after|during|an?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """A value found for a key of an entity that belongs to a concept."""

    concept: str
    entity: str
    key: str
    text: str
    sense: str
    single: bool
    strength: Strength


def user_text(record: Record) -> str:
    """The text that the user typed; for an imported record without one its instruction."""
    return record.said or ("" if record.source in ("executed", "assistant") else record.instruction)


def mentions_secret(text: str) -> bool:
    """Whether a text mentions a password or a code; nothing is learned from such a text."""
    return bool(_SECRET.search(text))


def extract_facts(record: Record, nearest_domain: Callable[[str], str] | None = None) -> list[ExtractedFact]:
    """The facts about the user in a record.

    Args:
        record: the record.
        nearest_domain: finds the domain of a text without words of any domain.
    """
    text = user_text(record)
    if not text:
        # An imported turn without the words said: they may be an assistant's, but it names people.
        return list(_extract_named_roles(record.instruction))
    if mentions_secret(text):
        return []
    vocabulary = lexicon()
    pieces = split_clauses(text)
    domains = rank_domains(text, pieces, vocabulary)
    if not domains:
        domains = [nearest_domain(text) if nearest_domain else HABITS]
    facts: dict[tuple[str, str, str], ExtractedFact] = {}
    for fact in (
        *_extract_named_roles(text),
        *_extract_named_roles(record.instruction if record.source != "assistant" else ""),
        *_extract_meanings(record),
        *_extract_stated_facts(text, domains[0]),
        *_extract_details(pieces, domains, vocabulary),
        *_extract_app(record, pieces, domains, vocabulary),
    ):
        if (trimmed_fact := _trim_fact(fact)) is not None:
            facts.setdefault((trimmed_fact.entity, trimmed_fact.key, trimmed_fact.sense), trimmed_fact)
    return list(facts.values())


def _trim_fact(finding: ExtractedFact) -> ExtractedFact | None:
    """A fact with its value trimmed; None if the rest is not a value."""
    text = trim_value(finding.key, finding.text)
    if find_value_problem(finding.key, text):
        return None
    has_own_sense = finding.sense == normalize_text(finding.text)
    return replace(finding, text=text, sense=normalize_text(text) if has_own_sense else finding.sense)


def rank_domains(text: str, pieces: Sequence[Clause], vocabulary: Lexicon) -> list[str]:
    """The domains that an instruction is about, likeliest first."""
    request = " ".join(piece.text for piece in pieces if piece.part is ClausePart.REQUEST)
    scores = {}
    for name, domain in vocabulary.domains.items():
        score = (
            2 * _matched_length(domain.words, request)
            + 2 * _matched_length(domain.apps, text)
            + _matched_length(domain.words, text)
        )
        if score:
            scores[name] = score
    if not scores:
        # Fall back to preferences: reviews point to shopping, floors to a hotel.
        for name in vocabulary.domains:
            if matches := sum(bool(wording.pattern.search(text)) for wording in vocabulary.patterns_of(name)):
                scores[name] = float(matches)
    least = _SHARE * max(scores.values(), default=0.0)
    return sorted((name for name in scores if scores[name] >= least), key=lambda name: -scores[name])


def _matched_length(pattern: re.Pattern[str] | None, text: str) -> float:
    """How much of a text a pattern matches: 1 for a Chinese character, 2 for a Latin match."""
    matches = pattern.finditer(text) if pattern else ()
    return sum(float(len(match[0])) if has_chinese(match[0]) else 2.0 for match in matches)


def _extract_named_roles(text: str) -> Iterator[ExtractedFact]:
    """People and their homes, in a text without what is said to others."""
    if not text or mentions_secret(text):
        return
    facts: dict[tuple[str, str], PatternFact] = {}
    for fact in match_named_roles(own_words(text)):
        facts.setdefault((fact.entity, fact.key), fact)
    for fact in facts.values():
        if (trimmed := _trim_fact(_fact_from_pattern(fact, Strength.STATED))) is not None:
            yield trimmed


def _extract_meanings(record: Record) -> Iterator[ExtractedFact]:
    """What the user's words meant in a turn that went well: “my mom” said, “Susan Lin” in the instruction."""
    if record.outcome is not Outcome.SUCCESS or not record.said or record.said == record.instruction:
        return
    said, done = record.said.split(), record.instruction.split()
    start = 0
    while start < min(len(said), len(done)) and said[start].casefold() == done[start].casefold():
        start += 1
    end = 0
    while end < min(len(said), len(done)) - start and said[-1 - end].casefold().strip(".") == done[
        -1 - end
    ].casefold().strip("."):
        end += 1
    words, meaning = " ".join(said[start : len(said) - end]), " ".join(done[start : len(done) - end])
    match = _SAID_ROLE.fullmatch(words)
    if match and start and re.fullmatch(_CALLED, meaning):
        who = canonical_word(match["who"]) or match["who"]
        yield _fact_from_pattern(PatternFact("People", who, "name", meaning), Strength.STATED)


def _extract_stated_facts(text: str, domain: str) -> Iterator[ExtractedFact]:
    for sentence in split_sentences(text):
        strength = stronger_of(find_strength(sentence), Strength.STATED)
        frames = (match_people, match_places, match_numbers)
        facts = [fact for frame in frames for fact in frame(sentence)]
        for fact in (*facts, *match_favourites(sentence, domain)):
            yield _fact_from_pattern(fact, strength)


def _fact_from_pattern(fact: PatternFact, strength: Strength) -> ExtractedFact:
    text = clean_text(fact.text)
    return ExtractedFact(
        fact.concept, fact.entity, fact.key, text, normalize_text(text), fact.single, strength
    )


def stronger_of(first: Strength, second: Strength) -> Strength:
    """The stronger of two strengths."""
    order = list(Strength)
    return max(first, second, key=order.index)


def _extract_details(
    pieces: Sequence[Clause], domains: Sequence[str], vocabulary: Lexicon
) -> Iterator[ExtractedFact]:
    for piece in pieces:
        if piece.part is ClausePart.ASIDE:
            continue
        facts, remaining = _extract_preferences(piece, domains, vocabulary)
        facts += _extract_open_details(replace(piece, text=remaining), domains, vocabulary)
        if not facts and piece.part is not ClausePart.REQUEST and _is_wish(piece, vocabulary):
            entity = vocabulary.domains[domains[0]].entity or vocabulary.domains[HABITS].entity
            text = strip_fillers(piece.text)
            facts = [
                ExtractedFact(domains[0], entity, WISH, text, normalize_text(text), False, piece.strength)
            ]
        yield from facts


def _extract_preferences(
    piece: Clause, domains: Sequence[str], vocabulary: Lexicon
) -> tuple[list[ExtractedFact], str]:
    """The preferences in a clause, by the likeliest domain that matches, and the remaining text."""
    remaining = piece.text
    for name in domains:
        domain = vocabulary.domains[name]
        wordings = vocabulary.patterns_of(name) if domain.entity else ()
        matches = [(match, wording) for wording in wordings for match in wording.pattern.finditer(piece.text)]
        chosen: list[tuple[re.Match[str], PhrasePattern]] = []
        for match, wording in sorted(matches, key=lambda pair: pair[0].start() - pair[0].end()):
            start, end = match.span()
            if _READ not in remaining[start:end]:
                remaining = remaining[:start] + _READ * (end - start) + remaining[end:]
                chosen.append((match, wording))
        if chosen:
            facts = [_preference_fact(domain, piece, match, wording, vocabulary) for match, wording in chosen]
            return facts, remaining
    return [], remaining


def _preference_fact(
    domain: Domain, piece: Clause, match: re.Match[str], wording: PhrasePattern, vocabulary: Lexicon
) -> ExtractedFact:
    text = _preference_text(piece, match, wording)
    sense = wording.sense or vocabulary.sense_of(text)
    return ExtractedFact(domain.name, domain.entity, wording.key, text, sense, True, piece.strength)


def _preference_text(piece: Clause, match: re.Match[str], wording: PhrasePattern) -> str:
    """The text of a preference: the phrase around the match if it is short and about nothing else."""
    if not wording.sense:
        return _COUNTED.sub("", clean_text(match[0]))
    whole = strip_fillers(_phrase_around(piece.text, match))
    return (
        whole
        if piece.part is not ClausePart.REQUEST and len(whole) <= _LONGEST_SHOWN
        else clean_text(match[0])
    )


def _phrase_around(clause: str, match: re.Match[str]) -> str:
    """The part of a clause around a match, up to each surrounding "and"."""
    start = clause.rfind(" and ", 0, match.start() + 1)
    end = clause.find(" and ", max(match.end() - 1, 0))
    return clause[start + 5 if start >= 0 else 0 : end if end >= 0 else len(clause)]


def _extract_open_details(piece: Clause, domains: Sequence[str], vocabulary: Lexicon) -> list[ExtractedFact]:
    facts: list[PatternFact] = []
    if "Food" in domains:
        facts += match_avoided_foods(piece.text, vocabulary.domains["Food"].entity)
    if "Travel" in domains:
        facts += match_companions(piece.text, vocabulary.domains["Travel"].entity)
    stated = stronger_of(piece.strength, Strength.STATED)
    return [_fact_from_pattern(fact, stated if fact.lasting else piece.strength) for fact in facts]


def _is_wish(piece: Clause, vocabulary: Lexicon) -> bool:
    """Whether a clause without a known preference is still one, and not an app name or a fact."""
    text = strip_fillers(piece.text)
    if piece.part is ClausePart.DETAIL and piece.sentence and not _FRAGMENT.match(piece.text):
        return False
    if is_card_number(text):
        return False
    facts = (match_people, match_places, match_numbers)
    if any(True for frame in facts for _ in frame(piece.text)):
        return False
    if any(domain.apps and domain.apps.fullmatch(text) for domain in vocabulary.domains.values()):
        return False
    return 2 <= len(text) <= 2 * _LONGEST_SHOWN


def strip_fillers(clause: str) -> str:
    """A clause without fillers at its start and end."""
    text = clean_text(clause)
    while (shorter := _FILLERS.sub("", text).strip(" .,;，。；")) != text:
        text = shorter
    return text


def _extract_app(
    record: Record, pieces: Sequence[Clause], domains: Sequence[str], vocabulary: Lexicon
) -> Iterator[ExtractedFact]:
    domain = vocabulary.domains[domains[0]]
    if not domain.entity:
        return
    named_app = _find_named_app(pieces, domain, vocabulary)
    app = named_app or (record.app if record.outcome is Outcome.SUCCESS else "")
    if app:
        yield ExtractedFact(
            domain.name, domain.entity, APP, app, vocabulary.sense_of(app), True, Strength.IMPLIED
        )


def _find_named_app(pieces: Sequence[Clause], domain: Domain, vocabulary: Lexicon) -> str:
    for candidate in (domain, *vocabulary.domains.values()):
        for piece in pieces:
            if candidate.apps and (match := candidate.apps.search(piece.text)):
                return match[0]
    return ""


@dataclass(frozen=True, slots=True)
class Supersession:
    """A value that stopped holding, and the value that replaced it."""

    entity: str
    key: str
    before: Value
    now: Value


def draft_facts(
    draft: GraphDraft, findings: Iterable[ExtractedFact], record_id: str, time: datetime
) -> list[Supersession]:
    """Add facts to a draft, except for hidden nodes. Returns the values that they supersede."""
    superseded = []
    for finding in findings:
        concept = add_domain_concept(draft, finding.concept)
        entity = draft.find_by_name(finding.entity, NodeKind.ENTITY) or draft.add_node(
            NodeKind.ENTITY, finding.entity
        )
        if entity.hidden or concept.hidden:
            continue
        if not draft.are_linked(entity.id, concept.id) and not _has_concept(draft, entity):
            draft.link(entity, concept)
        before = _current_value(draft, entity, finding.key)
        value = draft.set_value(
            entity,
            finding.key,
            finding.text,
            Evidence(record_id, time, finding.strength),
            single=finding.single,
            sense=finding.sense,
        )
        now = _current_value(draft, entity, finding.key) if value.single else None
        if before is not None and now is not None and before.id != now.id:
            superseded.append(Supersession(entity.name, finding.key, before, now))
    return superseded


def add_domain_concept(draft: GraphDraft, name: str) -> Node:
    """The concept of a domain, created with links to its related domains if it does not exist."""
    if (existing := draft.find_by_name(name, NodeKind.CONCEPT)) is not None:
        return existing
    concept = draft.add_node(NodeKind.CONCEPT, name)
    for pair in lexicon().linked:
        if name in pair:
            (other,) = (domain for domain in pair if domain != name)
            if (neighbour := draft.find_by_name(other, NodeKind.CONCEPT)) is not None:
                draft.link(concept, neighbour)
    return concept


def _has_concept(draft: GraphDraft, entity: Node) -> bool:
    """Whether an existing entity has a concept; splitting may have moved it to another one."""
    return draft.was_there(entity.id) and bool(draft.concepts_of(entity.id))


def _current_value(draft: GraphDraft, entity: Node, key: str) -> Value | None:
    values = [value for value in draft.values_of(entity.id).values() if value.key == key and value.single]
    holding = assess_beliefs(values).holding
    return holding[0][0] if holding else None
