"""Reads a sentence that somebody tells the assistant about their life: a line of an imported list of facts.

What has the form of a relation ("my sister is Wanjiru"), an attribute ("Anju's hostel is Opal A"), a place
or an allergy becomes a value of its own; whatever else a sentence says is kept verbatim as a note on whom or
what it is about, so that nothing of it is lost. `write_statement` is the inverse.

English and Chinese are read; sentences in other languages are notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from assistant.i18n import has_chinese
from assistant.memory.profile.extract import QUOTED, ExtractedFact, mentions_secret
from assistant.memory.profile.graph import (
    ALLERGY,
    LISTS,
    LONGEST_TEXT,
    NOTE,
    WISH,
    Strength,
    canonical_word,
    chinese_words,
    clean_text,
    is_role,
    normalize_text,
)
from assistant.memory.profile.lexicon import (
    ADDRESS,
    CALLED,
    HABITS,
    NAME,
    ROLE_ZH,
    PatternFact,
    find_value_problem,
    is_card_number,
    is_meaningless,
    lexicon,
    match_avoided_foods,
    match_named_roles,
    match_numbers,
    own_words,
)
from assistant.records import Outcome, Record

PEOPLE, PLACES = "People", "Places"
AVOID = "avoid"
_SUBJECT_LENGTH = 40

_TAIL = re.compile(
    r"[,;.!\s]*(?:(?:please )?(?:note (?:it|that) down|note that|don['’]?t forget(?: (?:it|that))?"
    r"|remember(?: (?:it|that))?|(?:put|write) (?:it|that) down)|别忘了?|记住|记一下|不要忘记?)?[\s.!。！]*$",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"^[\s\-*•·\"“”‘’'「]*(?:\d+[.)、]\s+)?"
    r"(?:(?:please )?(?:remember|note|know)(?: that)?[:,]?\s+|(?:请?记住|记得)[:：，,]?\s*)?",
    re.IGNORECASE,
)
_SENTENCES = re.compile(
    r"(?<=[.!])(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bProf\.)\s+(?=[A-Z])|[。！；;\n]+"
)
"""Ends of sentences; behind a title in front of a name the sentence goes on."""
_NEXT_EN = re.compile(
    r"\s*(?:,|;|\band\b|\bbut\b)+\s*(?=(?:(?:she|he|they|her|his|their|my|our|I)\b(?:['’]|\s)|lives\b))",
    re.IGNORECASE,
)
_NEXT_ZH = re.compile(r"[，,]\s*|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])")
_KANA = re.compile(r"[\u3040-\u30ff]")
_EXACT = re.compile(r"(?P<entity>[^·]{1,80}?) · (?P<key>[^·:]{1,60}?): (?P<value>.+)")

_WORDS = r"[a-z][\w-]*(?: [a-z][\w-]*){0,2}?"
_OWNED = rf"(?:[Mm]y|[Oo]ur) (?P<who>(?:[A-Z](?=[\w-]* ))?{_WORDS})"
_SOMEBODY = rf"(?:{CALLED}|{_OWNED}|(?P<pronoun>[Ss]he|[Hh]e|[Tt]hey))"
_IS = r"(?: is|['’]s|['’]re| are)"
_ANY_NAME = r"(?P<anyname>[\w'’.-]+(?: [\w'’.-]+){0,2})"
_NAMED = (
    re.compile(rf"{_OWNED}{_IS} (?:called|named)(?: just)? {_ANY_NAME}"),
    re.compile(rf"{_OWNED}['’]s name{_IS} {_ANY_NAME}"),
    re.compile(rf"{_OWNED}{_IS} {CALLED}"),
    re.compile(rf"{_OWNED}(?:,|:|) {CALLED}"),
    re.compile(rf"[Tt]he (?P<who>{_WORDS}){_IS} {CALLED}"),
    re.compile(
        rf"(?P<name>(?!(?:s?he|it|this|that|they|who|what|one|there)\b)[a-z][\w'’-]+) is my (?P<who>{_WORDS})"
    ),
    re.compile(rf"{CALLED}(?:{_IS}| means|,|:| =) (?:only )?(?:[Mm]y|[Oo]ur) (?P<who>{_WORDS})(?: only)?"),
)
_NAMED_SUBJECT = re.compile(rf"{_OWNED} {CALLED}")
_APPOSED = re.compile(rf"{_OWNED},? {CALLED},?(?: who)?(?P<rest>(?:['’]s?)? .+)")
"""Somebody named beside their role, of whom more is told: “my sister Paula lives at”."""
_LIVES = re.compile(
    rf"(?:(?:{_SOMEBODY}|(?P<self>I|[Ww]e)) live|(?P<goes_on>live))s? (?:in|at|on|near) (?P<place>\S.*)"
)
_WORKS = re.compile(r"(?:I|[Ww]e) work (?:in|at|on|near) (?P<place>\S.*)")
_ALLERGIC = re.compile(
    rf"(?:{_SOMEBODY}{_IS}|(?P<self>I['’]?m|I am)) (?:very |badly )?allergic to (?P<foods>.+)", re.IGNORECASE
)
_AVOIDS = re.compile(
    r"I (?:can(?:no|['’])?t|never|don['’]?t|do not) (?:eat|drink) (?:any )?(?P<foods>.+)"
    r"|I (?:(?:can(?:no|['’])?t|never|don['’]?t|do not) touch|can['’]t (?:have|stomach|tolerate))"
    r" (?:any )?(?P<borne>.+)"
    r"|(?:eating |drinking )(?P<eaten>[a-z][\w-]*(?: [\w-]+)?)"
    r" (?:makes?|gives?) me (?:ill|sick|a rash|hives|cramps)"
    r"|(?P<ill>[a-z][\w-]*(?: [\w-]+)?) (?:makes?|gives?) me (?:ill|sick|a rash|hives|cramps)"
    r"|I(?:['’]m| am) (?P<intolerant>lactose|gluten|fructose|sorbitol|histamine|wheat|dairy|milk|egg|soya?"
    r"|alcohol|caffeine)[- ]intolerant",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    rf"(?:{CALLED}|{_OWNED}|(?P<pronoun>[Hh]er|[Hh]is|[Tt]heir))(?(pronoun)|['’]s?)"
    r" (?P<key>[a-z][\w-]*(?: [\w-]+){0,2})(?: is| are)(?: (?:on|at|in))? (?P<value>\S.*)"
)
_MINE = re.compile(
    r"(?:[Mm]y|[Oo]ur) (?P<key>[a-z][\w-]*(?: [\w-]+){0,3}?)(?: is| are|['’]s)(?P<where> at| in| on)? "
    r"(?P<value>\S.*)"
)
_NUMBERED = re.compile(
    r"(?:(?:the|my|our) )?"
    r"(?P<key>(?!(?:i|we|s?he|it|this|that|they|there|you|one)\b)[a-z][\w-]*(?: [\w-]+){0,3}?)"
    r"(?: (?:on|of|for) my [\w-]+)? is "
    r"(?P<value>(?=\S*(?: \S+){0,3}?\d)[\w.:/-]+(?: [\w.:/-]+){0,3}?)(?: now)?",
    re.IGNORECASE,
)
"""A thing that is a number or code: “bakkie reg is ND 614 882”, “the plate on my Rogue is 482 KMD”."""
_SUBJECTS = (
    re.compile(
        r"(?:(?:my|our|the) )?(?P<subject>[^\W\d_][\w'’-]*(?: (?!for\b|of\b|the\b)[\w'’-]+)?) "
        r"(?!(?:always|yes|this|his|its|was|is|as)\b)[a-z]+s\b(?= )",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:(?:my|our|the) )?(?P<subject>[^\W\d_][\w'’-]*?"
        r"(?: (?!(?:is|are|was|has|have|can|does|do|will|must|should|needs?)\b)[\w'’-]+?){0,5}?)"
        r"(?: (?:is|are|was|has|have|can|can['’]t|does|doesn['’]t|will|must|should|needs?)\b"
        r"|['’]s (?=(?:a|an|the|my|not|off|on|in|very)\b))",
        re.IGNORECASE,
    ),
)
"""What a note is about: what stands before a verb in the third person, at most two words, or before “is”."""
_PRONOUNS = frozenset(
    [
        "i",
        "we",
        "it",
        "this",
        "that",
        "there",
        "he",
        "she",
        "they",
        "you",
        "if",
        "when",
        "for",
        "what",
        "my",
        "our",
        "the",
    ]
)

_NAME_ZH = r"(?P<name>[\u4e00-\u9fff·]{1,4}?|[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})"
_WHO_ZH = rf"(?:我的?)?(?P<who>{ROLE_ZH})"
_NAMED_ZH = (
    re.compile(
        rf"{_WHO_ZH}的?(?:名字)?(?:叫做?|名叫|是|就是)"
        r"(?P<name>[\u4e00-\u9fff·]{2,4}|[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})"
    ),
    re.compile(rf"{_NAME_ZH}就?是(?:我们?家?的?)?(?P<who>{ROLE_ZH})"),
)
_LIVES_ZH = re.compile(
    rf"(?:我的?(?P<who>{ROLE_ZH})|(?P<self>我家?|我们家?)|{_NAME_ZH})住在?(?P<place>.{{2,40}})"
)
_ALLERGIC_ZH = re.compile(
    rf"(?:(?P<self>我)|{_WHO_ZH}|{_NAME_ZH})(?:也)?对(?P<foods>[\u4e00-\u9fff、和跟]{{1,12}}?)"
    r"(?:都|也|有点|严重)?过敏.*"
)
_AVOIDS_ZH = re.compile(
    r"我(?:从来?)?(?:不[吃喝]|不能[吃喝]|[吃喝]不了)(?P<foods>[\u4e00-\u9fff、和跟]{1,12})"
    r"|我(?:一?[吃喝])(?P<ill>[\u4e00-\u9fff]{1,6}?)(?:就|会|都)+(?:过敏|拉肚子|难受|起疹子)"
)
_ATTRIBUTE_ZH = re.compile(
    rf"(?:(?:我的?)?(?P<who>{ROLE_ZH})|(?P<self>我)|{_NAME_ZH})"
    r"的(?P<key>[\u4e00-\u9fff]{1,6})(?:是|在|为|：)(?P<value>.{1,60})"
)
_MINE_ZH = re.compile(rf"我(?!{ROLE_ZH})(?P<key>[\u4e00-\u9fff]{{2,6}}?)(?:是|在|为|：)(?P<value>.{{1,60}})")
_SUBJECT_ZH = re.compile(
    rf"(?:我的?)?(?P<who>{ROLE_ZH})|(?P<name>[\u4e00-\u9fff]{{2,3}}?)(?=[是有在对只得要叫会])"
)
_AND = re.compile(r"\s*(?:,|，|、|\band\b|\bor\b|和|跟|以及)\s*")


def read_statement(
    text: str, nearest_domain: Callable[[str], str] | None = None, strength: Strength = Strength.USER
) -> list[ExtractedFact]:
    """The facts in a sentence or two about the user's life; what no form fits is a note.

    Args:
        text: what was told.
        nearest_domain: finds the area of life of a text.
        strength: how it was learned.
    """
    if (exact := _EXACT.fullmatch(clean_text(text))) is not None:
        return [_make(_read_exact(exact), strength)]
    topic = ""
    facts: list[PatternFact] = []
    for sentence in _SENTENCES.split(_HEAD.sub("", text.strip())):
        read: list[PatternFact] = []
        rest = False
        is_chinese = has_chinese(sentence) and not _KANA.search(sentence)
        for clause in _split(sentence, is_chinese):
            matches = list((_read_chinese if is_chinese else _read_english)(clause, topic))
            if not matches:
                rest = True
                matches = _read_part(clause, topic, is_chinese, nearest_domain)
            people = [fact.entity for fact in matches if fact.concept == PEOPLE]
            topic = people[-1] if people else topic
            read += matches
        if rest and (note := clean_text(_TAIL.sub("", sentence))):
            about = _subject_of(note, topic, is_chinese)
            concept = _concept_of(about, note, nearest_domain)
            read.append(PatternFact(concept, about or _beginning(note), NOTE, note, single=False))
        facts += read
    distinct = {(fact.entity, fact.key, normalize_text(fact.text)): fact for fact in facts}
    return [_make(fact, strength) for fact in distinct.values()]


def read_stated_facts(record: Record) -> list[ExtractedFact]:
    """The facts that the user states as whole clauses beside a command, without words for others.

    Only names, places, what is not eaten, how to reach somebody, sizes, birthdays, anniversaries and blood
    types are read: much else that is "mine" holds but now.
    """
    if not record.said or record.outcome is Outcome.FAILED or mentions_secret(record.said):
        return []
    return [fact for read in _read_clauses(record.said) for fact in read]


def is_statement(text: str) -> bool:
    """Whether a text does nothing but tell such facts: “I can't eat shellfish”."""
    read = _read_clauses(text) if not mentions_secret(text) and not QUOTED.search(text) else []
    return bool(read) and all(read)


def _read_clauses(said: str) -> list[list[ExtractedFact]]:
    """The facts of each clause of what was said."""
    text = own_words(QUOTED.sub(" ", said))
    is_chinese = has_chinese(text) and not _KANA.search(text)
    topic, facts = "", []
    for clause in _CLAUSES.split(text):
        clause = clause.strip(" .。!！")
        if not clause:
            continue
        forms = _STATED_ZH if is_chinese else _STATED
        matches = next((read for form in forms if (read := list(form(clause, topic)))), [])
        topic = next((fact.entity for fact in matches if fact.concept == PEOPLE), topic)
        lasting = [fact for fact in matches if fact.key in _LASTING] or _read_lasting(clause, is_chinese)
        made = [_make(fact, Strength.STATED) for fact in lasting]
        facts.append([fact for fact in made if not find_value_problem(fact.key, fact.text)])
    return facts


_CLAUSES = re.compile(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bProf)[.]\s+|[,，。！!;；]\s+|[，。！；]"
    r"|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])"
)


def write_statement(entity: str, key: str, text: str) -> str:
    """A sentence that says a fact; one that `read_statement` reads as the same fact.

    Where no natural sentence does, the fact is written as "entity · key: value".
    """
    for sentence in _sentences_for(entity, key, text):
        read = read_statement(sentence)
        if [(fact.entity, fact.key, fact.text) for fact in read] == [(entity, key, text)]:
            return sentence
    return f"{entity} · {key}: {text}"


def _sentences_for(entity: str, key: str, text: str) -> Iterator[str]:
    if key in (NOTE, WISH):
        yield text
    if has_chinese(text) or has_chinese(entity):
        for word in chinese_words(entity):
            yield f"我{word}叫{text}" if key == NAME else f"我{word}住在{text}"
        if entity == "home":
            yield f"我住在{text}"
        yield f"我的{entity}是{text}"
        yield f"{entity}的{key}是{text}"
        return
    if key == NAME:
        yield f"my {entity} is called {text}"
    if key == ALLERGY:
        yield f"I am allergic to {text}"
    if key == AVOID:
        yield f"I don't eat {text}"
    if key == ADDRESS:
        yield f"I live at {text}"
        yield f"my {entity} lives at {text}"
        yield f"my {entity} is at {text}"
        yield f"{entity} lives at {text}"
    if key == "is":
        yield f"my {entity} is {text}"
    yield f"{entity}'s {key} is {text}"
    yield f"my {entity}'s {key} is {text}"


def find_statement_problem(text: str, secret: Callable[[str], bool]) -> str:
    """Why a line tells nothing that may be kept, as a key of the messages; empty if it does."""
    if is_meaningless(text) or not any(character.isalnum() for character in text):
        return "empty"
    if secret(text) or any(map(is_card_number, re.findall(r"[\d -]{13,}", text))):
        return "secret"
    if text.rstrip().endswith(("?", "？")):
        return "question"
    if any(len(sentence) > LONGEST_TEXT for sentence in _SENTENCES.split(text)):
        return "long"
    return ""


def _split(sentence: str, is_chinese: bool) -> list[str]:
    parts = (_NEXT_ZH if is_chinese else _NEXT_EN).split(_TAIL.sub("", sentence))
    return [part.strip(" .。!！,，") for part in parts if part and part.strip(" .。!！,，")]


def _read_exact(match: re.Match[str]) -> PatternFact:
    entity, key = match["entity"].strip(), normalize_text(match["key"])
    domains = [domain.name for domain in lexicon().domains.values() if domain.entity == entity]
    concept = domains[0] if domains else PEOPLE if is_role(entity) else HABITS
    return PatternFact(
        concept, entity, key, match["value"].strip(), lexicon().is_single(key, key not in LISTS)
    )


def _read_english(clause: str, topic: str) -> Iterator[PatternFact]:
    """What a clause tells that has one of the forms, from the most special to the most general."""
    forms = (*_STATED, _read_own, _read_number)
    yield from next((facts for form in forms if (facts := list(form(clause, topic)))), [])


def _read_apposition(clause: str, topic: str) -> Iterator[PatternFact]:
    """The name that stands beside what somebody is, and what is told of them: “my aunt Rosa lives in”."""
    match = _APPOSED.fullmatch(clause)
    if match is None or not is_role(match["who"]):
        return
    name = match["name"].removesuffix("'s").removesuffix("’s")
    statement = f"my {match['who']}{match['name'][len(name) :]}{match['rest']}"
    if facts := next((facts for form in _STATED if (facts := list(form(statement, topic)))), []):
        yield PatternFact(PEOPLE, canonical_word(match["who"]) or match["who"], NAME, name)
        yield from facts


def _read_place(clause: str, topic: str) -> Iterator[PatternFact]:
    if (match := _LIVES.fullmatch(clause)) is not None:
        if match["self"]:
            yield PatternFact(PLACES, "home", ADDRESS, match["place"])
        elif entity := _entity_of(match, topic):
            yield PatternFact(PEOPLE, entity, ADDRESS, match["place"])
    elif (match := _WORKS.fullmatch(clause)) is not None:
        yield PatternFact(PLACES, "office", ADDRESS, match["place"])


def _read_food(clause: str, topic: str) -> Iterator[PatternFact]:
    if (match := _ALLERGIC.fullmatch(clause)) is not None:
        yield from _allergies(match["foods"], "" if match["self"] else _entity_of(match, topic), ALLERGY)
    elif (match := _AVOIDS.fullmatch(clause)) is not None:
        yield from _allergies(match["foods"] or match["eaten"] or match["intolerant"] or "", "", AVOID)
        maybe = match["borne"] or match["ill"] or ""
        if lexicon().no_dish.search(maybe) is None and not any(map(is_role, maybe.split())):
            yield from _allergies(maybe, "", AVOID)


def _read_name(clause: str, topic: str) -> Iterator[PatternFact]:
    for pattern in _NAMED:
        match = pattern.fullmatch(clause)
        if match is None:
            continue
        is_called = "anyname" in pattern.groupindex
        if is_called or is_role(match["who"]):
            name = match["anyname"] if is_called else match["name"]
            yield PatternFact(PEOPLE, canonical_word(match["who"]) or match["who"], NAME, name)
            return


def _read_attribute(clause: str, topic: str) -> Iterator[PatternFact]:
    match = _ATTRIBUTE.fullmatch(clause)
    if match is not None and (entity := _entity_of(match, topic)):
        yield PatternFact(PEOPLE, entity, _key(match["key"]), match["value"])


def _read_own(clause: str, topic: str) -> Iterator[PatternFact]:
    if clause[:3].casefold() not in ("my ", "our"):
        return
    if numbers := list(match_numbers(clause)):
        yield from numbers
        return
    match, named = _MINE.fullmatch(clause), _NAMED_SUBJECT.match(clause)
    if match is None or match["key"].endswith((" lives", "'s")) or (named and is_role(named["who"])):
        return
    key, place = match["key"], canonical_word(match["key"])
    if not is_role(key) and (place or match["where"]):
        yield PatternFact(PLACES, place or key, ADDRESS, match["value"])
    elif not is_role(key):
        yield PatternFact(HABITS, key, "is", match["value"])


def _read_number(clause: str, topic: str) -> Iterator[PatternFact]:
    match = _NUMBERED.fullmatch(clause)
    if match is not None and not is_role(match["key"]) and not match["key"][0].isupper():
        yield PatternFact(HABITS, match["key"], "is", match["value"])


def _read_chinese(clause: str, topic: str) -> Iterator[PatternFact]:
    """As `_read_english`."""
    yield from next((facts for form in _STATED_ZH if (facts := list(form(clause, topic)))), [])


def _read_chinese_person(clause: str, topic: str) -> Iterator[PatternFact]:
    if (match := _LIVES_ZH.fullmatch(clause)) is not None:
        entity = "home" if match["self"] else _entity_of(match, topic)
        yield PatternFact(PLACES if match["self"] else PEOPLE, entity, ADDRESS, match["place"])
    elif (match := _ALLERGIC_ZH.fullmatch(clause)) is not None:
        yield from _allergies(match["foods"], "" if match["self"] else _entity_of(match, topic), ALLERGY)
    elif (match := _AVOIDS_ZH.fullmatch(clause)) is not None:
        yield from _allergies(match["foods"] or match["ill"], "", AVOID)
    elif match := next((match for pattern in _NAMED_ZH if (match := pattern.fullmatch(clause))), None):
        yield PatternFact(PEOPLE, canonical_word(match["who"]) or match["who"], NAME, match["name"])


def _read_chinese_attribute(clause: str, topic: str) -> Iterator[PatternFact]:
    if (match := _ATTRIBUTE_ZH.fullmatch(clause)) is not None:
        if match["self"]:
            yield _own_attribute(match["key"], match["value"])
        else:
            yield PatternFact(PEOPLE, _entity_of(match, topic), _key(match["key"]), match["value"])
    elif (match := _MINE_ZH.fullmatch(clause)) is not None:
        yield _own_attribute(match["key"], match["value"])


def _read_lasting(clause: str, is_chinese: bool) -> list[PatternFact]:
    """What is the user's own and seldom changes: a size, a birthday, a registration number."""
    match = (_LASTING_ZH if is_chinese else _LASTING_EN).fullmatch(clause)
    if match is None:
        return []
    groups = match.groupdict()
    key, value = groups.get("sized") or match["key"], groups.get("size") or match["value"]
    return [PatternFact(HABITS, key.casefold(), "is", value)]


_LASTING_EN = re.compile(
    r"(?:my|our) (?:(?P<sized>(?:[\w-]+ )?(?:shoe|boot|foot|ring|shirt|t-shirt|dress|trousers?|pants|jeans"
    r"|suit|jacket|coat|bra|hat|glove|sock|collar|waist|clothe?s|clothing) size)"
    r"(?: is|['’]s) (?P<size>(?=.*\d|.*(?<!['’])\b(?:X{0,3}[SL]|M|small|medium|large)\b)"
    r"(?!.*\b(?:too|not|wrong)\b)[^\s?？][^?？]{0,40})"
    r"|(?P<key>(?:[\w-]+ ){0,2}(?:birthday|anniversary|blood type))"
    r"(?: is|['’]s)(?: on)? (?P<value>(?!(?:when|what|which|how|who|where|why)\b)[^\s?？][^?？]{0,40}))",
    re.IGNORECASE,
)
_LASTING_ZH = re.compile(
    r"我的?(?P<key>[\u4e00-\u9fff]{0,4}(?:码|尺码|生日|纪念日|血型))(?:号)?(?:是|为)"
    r"(?!.*(?:什么|多少|几|哪|啥|谁))(?P<value>[^?？]{1,30})"
)
_STATED = (_read_apposition, _read_place, _read_food, _read_name, _read_attribute)
_STATED_ZH = (_read_chinese_person, _read_chinese_attribute)
_LASTING = frozenset((NAME, ADDRESS, ALLERGY, AVOID, "phone", "email", "birthday", "生日", "nickname"))
"""Keys of what holds longer than a command."""


def _own_attribute(key: str, value: str) -> PatternFact:
    place = canonical_word(key)
    if place and not is_role(key):
        return PatternFact(PLACES, place, ADDRESS, value)
    return PatternFact(HABITS, key, "is", value)


def _allergies(foods: str, entity: str, key: str) -> Iterator[PatternFact]:
    concept = PEOPLE if entity else "Food"
    for food in _AND.split(foods.strip(" .。")):
        if food and len(food.split()) <= 4:
            yield PatternFact(concept, entity or lexicon().domains["Food"].entity, key, food, single=False)


def _entity_of(match: re.Match[str], topic: str) -> str:
    groups = match.groupdict()
    if groups.get("pronoun") or groups.get("goes_on"):
        return topic
    if who := groups.get("who"):
        return canonical_word(who) or who
    return groups.get("name") or ""


def _key(words: str) -> str:
    return {
        "number": "phone",
        "phone number": "phone",
        "电话": "phone",
        "手机号": "phone",
        "地址": ADDRESS,
    }.get(words.casefold(), words.casefold())


def _subject_of(note: str, topic: str, is_chinese: bool) -> str:
    if is_chinese:
        match = _SUBJECT_ZH.match(note)
        if match is None:
            return ""
        who = match["who"]
        return (canonical_word(who) or who) if who else match["name"]
    if _KANA.search(note):
        return ""
    if (named := _NAMED_SUBJECT.match(note)) is not None and is_role(named["who"]):
        return canonical_word(named["who"]) or named["who"]
    match = next((match for pattern in _SUBJECTS if (match := pattern.match(note))), None)
    if match is None or match["subject"].split()[0].casefold() in _PRONOUNS:
        return topic if note.split()[0].casefold() in ("he", "she", "they") else ""
    subject = match["subject"]
    return canonical_word(subject) or subject


def _concept_of(about: str, note: str, nearest_domain: Callable[[str], str] | None) -> str:
    if about and is_role(about):
        return PEOPLE
    return nearest_domain(note) if nearest_domain else HABITS


def _beginning(note: str) -> str:
    """The first words of a note that is about nothing in particular; they name it."""
    if len(note) <= _SUBJECT_LENGTH:
        return note
    return note[:_SUBJECT_LENGTH].rpartition(" ")[0].rstrip(" ,") or note[:_SUBJECT_LENGTH]


def _read_part(
    clause: str, topic: str, is_chinese: bool, nearest_domain: Callable[[str], str] | None
) -> list[PatternFact]:
    """What a clause tells that tells something else, too: its beginning, or a name within it."""
    if is_chinese:
        return list(match_named_roles(clause))
    first, comma, _ = clause.partition(", ")
    if comma and (matches := list(_read_english(first, topic))):
        return matches
    facts = list(match_named_roles(clause))
    if clause.startswith("I ") and nearest_domain is not None and nearest_domain(clause) == "Food":
        facts += match_avoided_foods(clause, lexicon().domains["Food"].entity)
    return facts


def _make(fact: PatternFact, strength: Strength) -> ExtractedFact:
    text = clean_text(fact.text).strip(" .。")
    entity = clean_text(fact.entity)
    return replace(
        ExtractedFact(fact.concept, entity, fact.key, text, lexicon().sense_of(text), fact.single, strength)
    )
