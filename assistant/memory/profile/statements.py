"""Reads a sentence that somebody tells the assistant about their life: a line of an imported list of facts.

What has the form of a relation ("my sister is Wanjiru"), an attribute ("Anju's hostel is Opal A"), a place
or an allergy becomes a value of its own. So that nothing is lost, all else is kept verbatim, as a note on
whom or what the sentence is about. `write_statement` is the inverse.

English and Chinese are read; sentences in other languages are notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from assistant.files import compile_words, lazy_regex
from assistant.i18n import has_chinese
from assistant.memory.profile.extract import PEOPLE, PLACES, QUOTED, ExtractedFact, mentions_secret
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
    FAMILY_NAMES,
    HABITS,
    NAME,
    ROLE,
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
    spell_out,
    statement_words,
    tells_of_another,
    without_fillers,
)
from assistant.records import Outcome, Record

AVOID = "avoid"
_SUBJECT_LENGTH = 40

_STATEMENTS = statement_words()


def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of `statements.yaml` with a name; any of them may match."""
    parts = {
        **_STATEMENTS["parts"],
        "called": CALLED,
        "role": ROLE,
        "role_zh": ROLE_ZH,
        "family": FAMILY_NAMES,
    }
    in_any_case = name in _STATEMENTS["any_case"]
    words = _STATEMENTS["any_case" if in_any_case else "as_written"][name]
    flags = re.IGNORECASE if in_any_case else re.NOFLAG
    return tuple(compile_words(each, parts, flags) for each in ([words] if isinstance(words, str) else words))


def _pattern(name: str) -> re.Pattern[str]:
    """The single pattern of `statements.yaml` with a name."""
    (pattern,) = _patterns(name)
    return pattern


_TAIL, _HEAD = _pattern("tail"), _pattern("head")
_SENTENCES = _pattern("sentences")
"""Ends of sentences; behind a title in front of a name the sentence goes on."""
_NEXT_EN = _pattern("next_en")
_NEXT_ZH = _pattern("next_zh")
_JOINED_ZH = _pattern("joined_zh")
_MERE_SUBJECT = _pattern("mere_subject")
_ELIDED, _ELIDED_ZH, _PREDICATE, _PREDICATE_ZH = map(
    _patterns, ("elided", "elided_zh", "predicate", "predicate_zh")
)
_DENIED, _TASTE, _POINTS = _pattern("denied"), _pattern("taste"), _pattern("points")
_NO_VALUE, _KANA = _pattern("no_value"), _pattern("kana")
_EXACT, _PHONE = _pattern("exact"), _pattern("phone")

_NAMED = _patterns("named")
_NAMED_SUBJECT = _pattern("named_subject")
_APPOSED, _APPOSED_ZH = _pattern("apposed"), _pattern("apposed_zh")
"""Somebody named beside their role, of whom more is told: “my sister Paula lives at”."""
_LIVES, _WORKS = _pattern("lives"), _pattern("works")
_ALLERGIC, _AVOIDS, _OTHERS_AVOID = _pattern("allergic"), _pattern("avoids"), _pattern("others_avoid")
_ATTRIBUTE = _pattern("attribute")
_AGED, _AGED_ZH, _OWN_SUBJECT = _pattern("aged"), _pattern("aged_zh"), _pattern("own_subject")
_MINE, _DATED, _NUMBERED_PLACE = _pattern("mine"), _pattern("dated"), _pattern("numbered_place")
_NUMBERED = _pattern("numbered")
"""A thing that is a number or code: “bakkie reg is ND 614 882”, “the plate on my Rogue is 482 KMD”."""
_SUBJECTS = _patterns("subjects")
"""What a note is about: what stands before a verb in the third person, at most two words, or before “is”."""
_PRONOUNS = frozenset(_STATEMENTS["pronouns"])

_NAMED_ZH = _patterns("named_zh")
_LIVES_ZH = _pattern("lives_zh")
_ALLERGIC_ZH = _pattern("allergic_zh")
_AVOIDS_ZH = _pattern("avoids_zh")
_OTHERS_AVOID_ZH = _pattern("others_avoid_zh")
_ATTRIBUTE_ZH = _patterns("attribute_zh")
_MINE_ZH = _pattern("mine_zh")
_SUBJECT_ZH = _pattern("subject_zh")
_AND = _pattern("and")


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
    clauses: list[str] = []
    for sentence in _SENTENCES.split(_HEAD.sub("", spell_out(text))):
        read: list[PatternFact] = []
        unread: list[str] = []
        is_chinese = has_chinese(sentence) and not _KANA.search(sentence)
        clauses = _complete(_split(sentence), is_chinese, clauses)
        for clause in clauses:
            if _MOVED_ONLY.fullmatch(clause):
                continue
            matches = list((_read_chinese if is_chinese else _read_english)(clause, topic))
            matches = matches or _read_of_topic(clause, topic, is_chinese)
            if not matches:
                unread.append(clause)
                matches = _read_part(clause, topic, is_chinese, nearest_domain)
            # “My boss's kid is Leo” may go on of either.
            people = ["" if is_role(f.key) else f.entity for f in matches if f.concept == PEOPLE]
            topic = people[-1] if people else topic
            read += matches
        for note in _notes_of(sentence, unread, is_chinese):
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
    if mentions_secret(text) or QUOTED.search(text):
        return False
    read = _read_clauses(text, traits=True)
    tells = any(fact.key != NOTE or fact.concept == PEOPLE for facts in read for fact in facts)
    own = spell_out(text.strip(" .!。！"))
    lasts = any(form.fullmatch(own) for form in (_LASTING_TASTE, _IS_DIET))
    return (tells or lasts) and all(read)


def is_said_of_another(text: str) -> bool:
    """Whether any clause of a text says something of somebody else, which is not the user's."""
    return any(tells_of_another(clause) for clause in _CLAUSES.split(_HEAD.sub("", text.strip())))


def asks_in_chinese(text: str) -> bool:
    """Whether a text has a Chinese word that asks, wherever it stands: 几个人住在旧金山 tells nothing."""
    return _ASKS.search(text) is not None


def _read_clauses(said: str, *, traits: bool = False) -> list[list[ExtractedFact]]:
    """The facts of each clause of what was said.

    Args:
        said: what was said.
        traits: take for a fact also what somebody else likes or is, in whatever words.
    """
    text = own_words(QUOTED.sub(" ", _HEAD.sub("", spell_out(said))))
    is_chinese = has_chinese(text) and not _KANA.search(text)
    topic = teller = ""
    facts: list[list[ExtractedFact]] = []
    for clause in _complete(
        [piece for part in _CLAUSES.split(text) for piece in _split(part)], is_chinese, []
    ):
        if _MOVED_ONLY.fullmatch(clause):
            continue
        if asks_in_chinese(clause):
            facts.append([])
            continue
        forms = _STATED_ZH if is_chinese else _STATED
        matches = next((read for form in forms if (read := list(form(clause, topic)))), [])
        matches = matches or _read_of_topic(clause, teller, is_chinese)
        teller = next((f.entity for f in matches if f.concept == PEOPLE and not is_role(f.key)), "")
        topic = next((fact.entity for fact in matches if fact.concept == PEOPLE), _mentioned(clause) or topic)
        kept = {*_LASTING, "age", "年龄"} if traits else _LASTING
        lasting = [fact for fact in matches if fact.key in kept] or _read_lasting(clause, is_chinese)
        if traits and not lasting:
            lasting = _read_trait(clause, topic, is_chinese)
        made = [_make(fact, Strength.STATED) for fact in lasting]
        facts.append([fact for fact in made if not find_value_problem(fact.key, fact.text)])
    return facts


def _read_trait(clause: str, topic: str, is_chinese: bool) -> list[PatternFact]:
    """A note of what somebody else likes or is, of what is denied of anybody, or of what the user likes."""
    about = _subject_of(clause, topic, is_chinese)
    if about and (_DENIED.fullmatch(clause) or (tells_of_another(clause) and _TRAIT.fullmatch(clause))):
        return [PatternFact(PEOPLE, about, NOTE, clause, single=False)]
    forms = (_DENIED, _TASTE, _IS_DIET)
    if not about and not tells_of_another(clause) and any(form.fullmatch(clause) for form in forms):
        return [PatternFact(HABITS, _beginning(clause), NOTE, clause, single=False)]
    return []


def _mentioned(clause: str) -> str:
    """The only person whom a clause names by relation, for the “she” of the next one; else empty."""
    roles = {canonical_word(match["who"]) or match["who"] for match in _ROLE_SAID.finditer(clause)}
    return roles.pop() if len(roles) == 1 else ""


_ROLE_SAID = _pattern("role_said")
_NO_SUBJECT = {language: _pattern(f"no_subject{language}") for language in ("", "_zh")}
_SUBJECT_BEFORE = {language: _pattern(f"subject_before{language}") for language in ("", "_zh")}
_MOVED_ONLY, _IS_DIET = _pattern("moved_only"), _pattern("is_diet")
_LASTING_TASTE = _pattern("lasting_taste")
_TRAIT = _pattern("trait")
_CLAUSES = _pattern("clauses")
_ASKS = _pattern("asks")


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
        yield from (f"我的{entity}是{text}", f"{entity}的{key}是{text}")
        return
    if key == NAME:
        yield f"my {entity} is called {text}"
    if key == ALLERGY:
        yield f"I am allergic to {text}"
    if key == AVOID:
        yield f"I don't eat {text}"
    if key == ADDRESS:
        yield from (f"I live at {text}", f"my {entity} lives at {text}", f"my {entity} is at {text}")
        yield f"{entity} lives at {text}"
    if key == "is":
        yield f"my {entity} is {text}"
    yield from (f"{entity}'s {key} is {text}", f"my {entity}'s {key} is {text}")


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


def _split(sentence: str) -> list[str]:
    """The pieces of a sentence that have a verb of their own, or leave out that of the piece before."""
    is_chinese = has_chinese(sentence) and not _KANA.search(sentence)
    parts = (_NEXT_ZH if is_chinese else _NEXT_EN).split(_TAIL.sub("", sentence))
    return [piece for part in parts if part and (piece := _TAIL.sub("", part).strip(" .。!！,，"))]


def without_since(text: str) -> str:
    """A text without the words at its end that say since when or how long it holds."""
    return _SINCE.sub("", text)


_SINCE = lazy_regex(_STATEMENTS["since"], re.IGNORECASE)
_ANY_MORE = lazy_regex(_STATEMENTS["any_more"], re.IGNORECASE)


def _complete(parts: list[str], is_chinese: bool, before: list[str]) -> list[str]:
    """Clauses with the mere subjects before them, and with the words that they leave out.

    `before` are the clauses of the sentence before.
    """
    clauses = before[-1:]
    subjects: list[str] = []
    for place, part in enumerate(parts, start=1):
        if is_chinese:
            clauses.append(_spell_out_chinese(spell_out(_JOINED_ZH.sub("", part)), clauses))
        elif place < len(parts) and _MERE_SUBJECT.fullmatch(part):
            subjects.append(part)
        else:
            clauses += _spread(subjects, _spell_out(spell_out(part), clauses))
            subjects = []
    return clauses[len(before[-1:]) :]


def _spread(subjects: list[str], clause: str) -> list[str]:
    """A clause for each of its subjects: “Anna and Ben are allergic to nuts”."""
    stated = next((match for form in _PREDICATE if (match := form.fullmatch(clause))), None)
    users = ("i", "me", "both me")
    if stated is None or any(who.casefold() in users for who in (*subjects, clause.split()[0])):
        return [" and ".join((*subjects, clause))]
    be, refusal = stated.groupdict().get("be"), stated["not"]
    verb = f"are{' not' if refusal else ''} {be}" if be else f"{refusal or 'can'} {stated['do']}"
    return [*(f"{who.removeprefix('both ')} {verb}" for who in subjects), clause]


def _spell_out(clause: str, before: list[str]) -> str:
    """A clause with what the one before it says: “Ben isn't” behind “I'm allergic to nuts”."""
    clause = _with_subject(clause, before, "")
    elided = next((match for form in _ELIDED if (match := form.fullmatch(clause))), None)
    stated = next(
        (match for form in _PREDICATE for text in before[-1:] if (match := form.fullmatch(text))), None
    )
    if elided is None or stated is None:
        return clause
    groups, refusal = elided.groupdict(), (stated["not"] or "").casefold()
    denies = not groups.get("is")
    if groups.get("like") or groups.get("contrast"):
        denies = bool(refusal) is (groups.get("like") is not None)
    who = elided["subject"]
    subject = _STATEMENTS["nominatives"].get(who.casefold(), who)
    if len(subject.split()) == 1 and not is_role(subject) and subject not in _PRONOUNS:
        subject = subject[0].upper() + subject[1:]
    is_first = subject == "I"
    is_many = (
        subject in ("we", "they") or re.search(r"\b(?:are|aren|do|don)\b", clause[len(who) :]) is not None
    )
    be = stated.groupdict().get("be")
    if gap := groups.get("gap"):
        return f"{subject} is allergic {gap}" if be else clause
    if be:
        verb = "am" if is_first else "are" if is_many else "is"
        return f"{subject} {verb}{' not' if denies else ''} {be}"
    may = "can" if refusal.startswith("can") else "do" if is_first or is_many else "does"
    denial = "" if not denies else "not" if may == "can" else " not"
    return f"{subject} {may}{denial} {stated['do']}"


def _with_subject(clause: str, before: list[str], language: str) -> str:
    """A clause that leaves out whom it is about, with the subject of the one before it."""
    match = _SUBJECT_BEFORE[language].match(before[-1]) if before else None
    rest = _NO_SUBJECT[language].fullmatch(clause)
    # A number behind an order is whom that is for; behind a name it is of who has the name.
    if match is None or rest is None or (rest.lastgroup == "of_named" and not match["named"]):
        return clause
    predicate = re.sub(r"^(?:is|are)", "am", clause) if match["who"] == "I" else clause
    return f"{match['who']}{'' if language else ' '}{predicate}"


def _spell_out_chinese(clause: str, before: list[str]) -> str:
    """As `_spell_out`: 女儿不是 behind 我对花生过敏."""
    clause = _with_subject(clause, before, "_zh")
    elided = next((match for form in _ELIDED_ZH if (match := form.fullmatch(clause))), None)
    forms = _PREDICATE_ZH
    stated = next((match for form in forms for text in before[-1:] if (match := form.fullmatch(text))), None)
    if elided is None or stated is None:
        return clause
    groups, subject = elided.groupdict(), elided["subject"]
    be = stated.groupdict().get("be")
    if bare := stated.groupdict().get("bare"):
        be = f"对{bare}"
    if gap := groups.get("gap"):
        return f"{subject}{gap}过敏" if be else clause
    if groups.get("like"):
        return f"{subject}{be or stated['do']}"
    return f"{subject}{be.removesuffix('过敏')}不过敏" if be else f"{subject}能{stated['do'].lstrip('不能')}"


def _notes_of(sentence: str, unread: list[str], is_chinese: bool) -> list[str]:
    """What is kept as it was said: each clause that no form fits and that says of whom it is, or all."""
    points = any(map(_POINTS.fullmatch, unread))
    if not points and all(_subject_of(clause, "", is_chinese) or _is_own(clause) for clause in unread):
        return unread
    whole = clean_text(_TAIL.sub("", sentence))
    return [whole] if unread and whole else []


def _is_own(clause: str) -> bool:
    is_denied = _DENIED.fullmatch(clause) is not None and not tells_of_another(clause)
    return is_denied or any(form.fullmatch(clause) for form in (_TASTE, _IS_DIET))


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


def _read_chinese_apposition(clause: str, topic: str) -> Iterator[PatternFact]:
    """As `_read_apposition`: 我老公建国不吃香菜."""
    match = _APPOSED_ZH.fullmatch(clause)
    if match is None:
        return
    statement = f"我{match['who']}{match['rest']}"
    if facts := next((facts for form in _STATED_ZH[1:] if (facts := list(form(statement, topic)))), []):
        yield PatternFact(PEOPLE, canonical_word(match["who"]) or match["who"], NAME, match["name"])
        yield from facts


def _read_place(clause: str, topic: str) -> Iterator[PatternFact]:
    if (match := _LIVES.fullmatch(clause)) is not None:
        if match["self"] or match["moved"]:
            yield PatternFact(PLACES, "home", ADDRESS, match["place"])
        elif entity := _entity_of(match, topic):
            yield PatternFact(PEOPLE, entity, ADDRESS, match["place"])
    elif (match := _WORKS.fullmatch(clause)) is not None:
        yield PatternFact(PLACES, "office", ADDRESS, match["place"])


def _read_food(clause: str, topic: str) -> Iterator[PatternFact]:
    if (match := _ALLERGIC.fullmatch(clause)) is not None:
        yield from _traits(match, match["foods"], topic, ALLERGY)
    elif (match := _OTHERS_AVOID.fullmatch(clause)) is not None:
        yield from _traits(match, match["foods"], topic, AVOID)
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


def _read_of_topic(clause: str, topic: str, is_chinese: bool) -> list[PatternFact]:
    """What a clause without a subject says of whom the one before is about: 花生过敏, “allergic to nuts”."""
    starts = [] if not topic or _OWN_SUBJECT.match(clause) else ["她"] if is_chinese else ["she ", "she is "]
    read = (
        list(form(f"{who}{clause}", topic))
        for who in starts
        for form in (_STATED_ZH if is_chinese else _STATED)
    )
    return next(filter(None, read), [])


def _read_attribute(clause: str, topic: str) -> Iterator[PatternFact]:
    if (match := _AGED.fullmatch(clause)) is not None and not (match["who"] and not is_role(match["who"])):
        key, value = "age", match["age"]
    elif (match := _ATTRIBUTE.fullmatch(clause)) is not None:
        key, value = _key(match["key"]), match["value"]
    if match is not None and (entity := _entity_of(match, topic)):
        yield PatternFact(PEOPLE, entity, key, value)


def _read_phone(clause: str, topic: str) -> Iterator[PatternFact]:
    if topic and (match := _PHONE.fullmatch(clause)) is not None:
        yield PatternFact(PEOPLE, topic, "phone", match["value"])


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
    is_numbered = match["value"].isdecimal() and _NUMBERED_PLACE.fullmatch(key) is not None
    is_dated = _DATED.fullmatch(match["value"]) is not None and not is_numbered
    if not is_role(key) and (place or match["where"]) and not is_dated:
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
        is_own = match["self"] or match["moved"]
        if entity := "home" if is_own else _entity_of(match, topic):
            yield PatternFact(PLACES if is_own else PEOPLE, entity, ADDRESS, match["place"])
    elif (match := _ALLERGIC_ZH.fullmatch(clause)) is not None:
        yield from _traits(match, match["foods"] or match["bare"], topic, ALLERGY)
    elif (match := _OTHERS_AVOID_ZH.fullmatch(clause)) is not None:
        yield from _traits(match, match["foods"], topic, AVOID)
    elif (match := _AVOIDS_ZH.fullmatch(clause)) is not None:
        yield from _allergies(match["foods"] or match["ill"], "", AVOID)
    elif match := next((match for pattern in _NAMED_ZH if (match := pattern.fullmatch(clause))), None):
        yield PatternFact(PEOPLE, canonical_word(match["who"]) or match["who"], NAME, match["name"])


def _read_chinese_attribute(clause: str, topic: str) -> Iterator[PatternFact]:
    match = next((match for form in _ATTRIBUTE_ZH if (match := form.fullmatch(clause))), None)
    if (aged := _AGED_ZH.fullmatch(clause)) is not None and (entity := _entity_of(aged, topic)):
        yield PatternFact(PEOPLE, entity, "年龄", aged["age"])
    elif match is not None:
        if match["self"]:
            yield _own_attribute(match["key"], match["value"])
        elif entity := _entity_of(match, topic):
            yield PatternFact(PEOPLE, entity, _key(match["key"]), match["value"])
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


_LASTING_EN = _pattern("lasting_en")
_LASTING_ZH = _pattern("lasting_zh")
_STATED = (_read_apposition, _read_place, _read_food, _read_name, _read_attribute, _read_phone)
_STATED_ZH = (_read_chinese_apposition, _read_phone, _read_chinese_person, _read_chinese_attribute)
_LASTING = frozenset((NAME, ADDRESS, ALLERGY, AVOID, "phone", "email", "birthday", "生日", "nickname"))
"""Keys of what holds longer than a command."""


def _own_attribute(key: str, value: str) -> PatternFact:
    place = canonical_word(key)
    if place and not is_role(key):
        return PatternFact(PLACES, place, ADDRESS, value)
    return PatternFact(HABITS, key, "is", value)


def _traits(match: re.Match[str], foods: str, topic: str, key: str) -> Iterator[PatternFact]:
    """What whoever a clause is about does not stand: the user, somebody else, or both.

    Nothing where it is said of somebody of whom is not known who they are: it is never taken for the user's.
    """
    groups = match.groupdict()
    if groups.get("self") or groups.get("both") or groups.get("and_me"):
        yield from _allergies(foods, "", key)
    if not groups.get("self") and (entity := _entity_of(match, topic)):
        yield from _allergies(foods, entity, key)


def _allergies(foods: str, entity: str, key: str) -> Iterator[PatternFact]:
    """What somebody does not stand, the user without an entity; a cat or a medicine says nothing of food."""
    for food in _AND.split(foods.strip(" .。")):
        if food and (_NO_VALUE.fullmatch(food) or len(food.split()) > 4):
            yield PatternFact(
                PEOPLE if entity else HABITS, entity or _beginning(food), NOTE, food, single=False
            )
        elif food:
            domain = HABITS if key == ALLERGY and lexicon().no_food.search(food) else "Food"
            holder = entity or lexicon().domains[domain].entity
            yield PatternFact(PEOPLE if entity else domain, holder, key, food, single=False)


def _entity_of(match: re.Match[str], topic: str) -> str:
    groups = match.groupdict()
    if groups.get("pronoun") or groups.get("goes_on") is not None:
        return topic
    if who := groups.get("who"):
        return canonical_word(who) or who
    return groups.get("name") or ""


def _key(words: str) -> str:
    key = words.casefold()
    return (
        "phone" if key in ("number", "phone number", "电话", "手机号") else ADDRESS if key == "地址" else key
    )


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
    if about and (is_role(about) or tells_of_another(note)):
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
    text = clean_text(without_fillers(fact.text) if fact.key == NAME else fact.text).strip(" .。")
    text = text if fact.key in (NOTE, WISH) else without_since(_ANY_MORE.sub("", text)) or text
    entity = clean_text(fact.entity)
    return replace(
        ExtractedFact(fact.concept, entity, fact.key, text, lexicon().sense_of(text), fact.single, strength)
    )
