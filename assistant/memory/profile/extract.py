"""Extracts facts and preferences from records by rules, without a model, and drafts them into the graph.

Only the user's own words are read, and the app of a successful turn; never the words of the assistant or the
content of an app. The clauses and patterns are in `lexicon`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from assistant.i18n import has_chinese
from assistant.memory.profile.edits import GraphDraft
from assistant.memory.profile.graph import (
    NOTE,
    WISH,
    Evidence,
    Node,
    NodeKind,
    Strength,
    canonical_word,
    clean_text,
    is_role,
    normalize_text,
)
from assistant.memory.profile.lexicon import (
    ADDRESS,
    HABITS,
    NAME,
    Clause,
    ClausePart,
    Domain,
    Lexicon,
    PatternFact,
    PhrasePattern,
    clause_pattern,
    find_strength,
    find_value_problem,
    is_card_number,
    is_for_another,
    lexicon,
    match_avoided_foods,
    match_companions,
    match_favourites,
    match_named_roles,
    match_numbers,
    match_people,
    match_places,
    match_role_name,
    own_words,
    split_clauses,
    split_sentences,
    tells_of_another,
    trim_value,
)
from assistant.memory.profile.retrieval import ProfileFact
from assistant.memory.prototypes.terms import CORRECTED_BY
from assistant.records import Outcome, Record

PEOPLE, PLACES = "People", "Places"

APP = "app"
"""Key of the app that is used for something."""

_LONGEST_SHOWN = 48
_SHARE = 0.4
"""A domain is also considered from this share of the score of the likeliest domain."""
# Replaces text that a pattern matched already.
_READ = "\0"
_SECRET = clause_pattern("secret")
QUOTED = re.compile(
    r"(?<!\bis )(?<!\bare )(?<!called )(?<!named )(?<![是叫])"
    r"(?:\"[^\"]*(?:\"|$)|“[^”]*(?:”|$)|「[^」]*(?:」|$))"
)
"""Messages and notes: words that the user writes somewhere, and does not say about themselves."""
_FILLERS = clause_pattern("fillers")
_COUNTED = clause_pattern("counted")
_PREPOSITION = re.compile(r"(?:from|to|at|in|on|with|by|for)\b", re.IGNORECASE)
_FRAGMENT, _POINTS_BACK = clause_pattern("fragment"), clause_pattern("points_back")


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


def tells_more(facts: Iterable[ExtractedFact], others: Iterable[ExtractedFact]) -> bool:
    """Whether some facts are all that others are and more; what is only kept in its words counts nothing."""
    formed, before = (
        {(fact.key, fact.sense) for fact in each if fact.key not in (NOTE, WISH)} for each in (facts, others)
    )
    return before < formed


_PEOPLE = "People"
_ALLERGY_SAID = re.compile(r"\ballergic to \w|对.{1,12}过敏")


def says_fact(text: str) -> bool:
    """Whether a sentence tells in so many words what the user cannot eat, or who somebody is to them."""
    if mentions_secret(text):
        return False
    if _ALLERGY_SAID.search(text.casefold()) is not None:
        return True
    record = Record(
        id="said", user_id="said", time=datetime.min.replace(tzinfo=UTC), instruction=text, said=text
    )
    return any(fact.concept == _PEOPLE and fact.strength is Strength.STATED for fact in extract_facts(record))


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
    message = record.instruction[len(own_words(record.instruction)) :].strip()
    if message and message in text and own_words(text) == text:
        return []  # It gives a message other words: neither these nor the rest are about the user.
    text = own_words(QUOTED.sub(" ", text))
    vocabulary = lexicon()
    pieces = split_clauses(text)
    domains = rank_domains(text, pieces, vocabulary)
    is_of_phone = pieces and vocabulary.of_phone.search(pieces[0].text) is not None
    if is_of_phone:
        # A command for a setting tells who somebody is at most, and nothing of tastes.
        pieces, domains = [], [HABITS]
    if not domains:
        domains = [nearest_domain(text) if nearest_domain else HABITS]
    facts: dict[tuple[str, str, str], ExtractedFact] = {}
    for fact in (
        *_extract_named_roles(text),
        *_extract_named_roles(record.instruction if record.source != "assistant" else ""),
        *_extract_meanings(record),
        *_extract_stated_facts(text, domains[0]),
        *_extract_details(pieces, domains, vocabulary),
        *(() if is_of_phone else _extract_app(record, pieces, domains, vocabulary)),
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
            wordings = vocabulary.patterns_of(name)
            if matches := sum(any(_whole_matches(wording, text)) for wording in wordings):
                scores[name] = float(matches)
    least = _SHARE * max(scores.values(), default=0.0)
    return sorted((name for name in scores if scores[name] >= least), key=lambda name: -scores[name])


def _whole_matches(wording: PhrasePattern, text: str) -> Iterator[re.Match[str]]:
    """The matches of a wording that are words, and not parts of longer ones."""
    return filter(lexicon().is_whole_word, wording.pattern.finditer(text))


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
    """What the user's words meant in a turn that went well: “my mom” said, “Susan Lin” in the instruction.

    The name may be of this program's own filling, so the user asked for it and did not state it.
    """
    is_same = not record.said or record.said == record.instruction or CORRECTED_BY in record.instruction
    if record.outcome is not Outcome.SUCCESS or is_same:
        return
    typed, full = record.said.split(), record.instruction.split()
    shorter = min(len(typed), len(full))
    start = 0
    while start < shorter and typed[start].casefold() == full[start].casefold():
        start += 1
    end = 0
    while end < shorter - start and typed[-1 - end].casefold().strip(".") == full[-1 - end].casefold().strip(
        "."
    ):
        end += 1
    words, meaning = " ".join(typed[start : len(typed) - end]), " ".join(full[start : len(full) - end])
    if start and (fact := match_role_name(words, meaning)) is not None:
        yield _fact_from_pattern(fact, Strength.IMPLIED)


def _extract_stated_facts(text: str, domain: str) -> Iterator[ExtractedFact]:
    for sentence in split_sentences(text):
        strength = stronger_of(find_strength(sentence), Strength.STATED)
        frames = (match_people, match_places, match_numbers)
        facts = [fact for frame in frames for fact in frame(sentence)]
        if not (tells_of_another(sentence) or is_for_another(sentence)):
            facts += match_favourites(sentence, domain)
        for fact in facts:
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
    others = {piece.sentence for piece in pieces if is_for_another(piece.text)}
    for piece in pieces:
        is_own = piece.sentence not in others and not tells_of_another(piece.text)
        if piece.part is ClausePart.ASIDE or not is_own:
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
        matches = [(match, wording) for wording in wordings for match in _whole_matches(wording, piece.text)]
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
    """The part of a clause around a match, up to each surrounding "and".

    A match that begins with a preposition stands for itself: “to the office” in “from the bar to the office”.
    """
    start = clause.rfind(" and ", 0, match.start() + 1)
    end = clause.find(" and ", max(match.end() - 1, 0))
    first = start + 5 if start >= 0 else 0
    if _PREPOSITION.match(match[0]) and _PREPOSITION.match(clause[first : match.start()]):
        first = match.start()
    return clause[first : end if end >= 0 else len(clause)]


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
    if _POINTS_BACK.search(text) or own_words(f"{text} …") != f"{text} …":
        return False  # “Text him that …” begins a message.
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


def merge_facts(facts: Sequence[ExtractedFact], stated: Sequence[ExtractedFact]) -> list[ExtractedFact]:
    """The facts of a record without doubles: one name or address of an entity, as the first reader has it.

    Where the second reader has more of the same, such as the name behind a title, that is taken.
    """
    by_slot: dict[tuple[str, str, str], ExtractedFact] = {}
    for fact in (*reversed(stated), *reversed(facts)):
        slot = (normalize_text(fact.entity), fact.key, "" if fact.single else fact.sense)
        if slot not in by_slot or not by_slot[slot].text.startswith(fact.text):
            by_slot[slot] = fact
    return list(reversed(by_slot.values()))


def draft_facts(draft: GraphDraft, findings: Iterable[ExtractedFact], record_id: str, time: datetime) -> None:
    """Add facts to a draft, except for hidden nodes and for what the user forgot since the record."""
    for finding in findings:
        evidence = Evidence(record_id, time, finding.strength)
        if draft.is_forgotten(evidence, finding.entity, finding.key, finding.text, finding.sense):
            continue
        is_forgotten = draft.is_forgotten_concept(finding.concept, time)
        concept = None if is_forgotten else add_domain_concept(draft, finding.concept)
        entity = draft.find_by_name(finding.entity, NodeKind.ENTITY) or draft.add_node(
            NodeKind.ENTITY, finding.entity
        )
        if entity.hidden or (concept is not None and concept.hidden):
            continue
        if concept and not draft.are_linked(entity.id, concept.id) and not _has_concept(draft, entity):
            draft.link(entity, concept)
        value = draft.set_value(
            entity,
            finding.key,
            finding.text,
            evidence,
            single=finding.single,
            sense=finding.sense,
        )
        if value.hidden and finding.strength is Strength.USER:
            draft.change_value(replace(value, hidden=False))  # The user says it again.


def is_about_same(left: ExtractedFact, right: ExtractedFact) -> bool:
    """Whether two facts say the same of two people, or two things of one."""
    is_same = left.entity.casefold() == right.entity.casefold() or left.sense == right.sense
    return is_same and left.key == right.key and left.key not in (NOTE, WISH)


def told_otherwise(facts: Sequence[ExtractedFact], said: str, *, is_name: bool) -> list[ExtractedFact]:
    """The one of some facts that gets the value that is said instead; empty where none surely does.

    It differs only in its numbers, “KL53 FGO” for “a transit, KL52 FGO”, or is the only name or fact.
    """
    said = _ONLY.sub("", said).strip()
    alike = [] if is_name else [(fact, text) for fact in facts if (text := _with_numbers(fact.text, said))]
    if len(alike) == 1:
        return [_with_value(*alike[0])]
    meant = [fact for fact in facts if fact.single and fact.key in _VALUES]
    meant = [fact for fact in meant if fact.key == "name"] if is_name else meant if len(facts) == 1 else []
    if len(meant) != 1 or find_value_problem(meant[0].key, said):
        return []
    is_long = len(said) > 2 * max(len(meant[0].text), _SHORT)
    return [] if is_long else [_with_value(meant[0], said.replace(": ", " "))]


def _with_value(fact: ExtractedFact, text: str) -> ExtractedFact:
    return replace(fact, text=text, sense=lexicon().sense_of(text))


def _with_numbers(text: str, said: str) -> str:
    """A text with what is said in the place of words that differ only in their numbers; else empty."""
    parts = _NUMBERS.split(said)
    is_figure = len(parts) > 1 and any(parts)
    matches = [*re.finditer(_NUMBERS.pattern.join(map(re.escape, parts)), text)] if is_figure else []
    if len(matches) != 1 or matches[0][0] == said:
        return ""
    return f"{text[: matches[0].start()]}{said}{text[matches[0].end() :]}"


_NUMBERS = re.compile(r"(?:\d+|[零一二两三四五六七八九十百]+)")
_VALUES, _SHORT = ("name", "address", "phone", "birthday", "is"), 8
"""Keys of values of which one holds at a time, and how long a value may be at least."""
_ONLY = re.compile(r"^(?:(?:only|just|simply|is|(?:the|its) \w+ is|就|只|只是)\s*)+(?:the )?", re.IGNORECASE)


def hide_facts(draft: GraphDraft, facts: Iterable[ExtractedFact]) -> None:
    """Hide the values of some facts, so that they hold no longer: the user says that they are not so."""
    for fact in facts:
        names = (fact.entity, canonical_word(fact.entity) or fact.entity)
        nodes = [node for name in names if (node := draft.find_by_name(name, NodeKind.ENTITY)) is not None]
        for value in (value for node in nodes for value in draft.values_of(node.id).values()):
            if value.key == normalize_text(fact.key) and value.sense == fact.sense:
                draft.change_value(replace(value, hidden=True))


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


def find_holder(name: str, facts: Sequence[ProfileFact]) -> str:
    """Who has a name, whole or its first word, by relation; empty if nobody or several have it."""
    said = name.casefold()
    named = [(fact.value.text.casefold(), fact.node.name) for fact in facts if fact.value.key == NAME]
    whole = {holder for text, holder in named if text == said}
    holders = whole or {holder for text, holder in named if text.partition(" ")[0] == said}
    return holders.pop() if len(holders) == 1 else ""


def of_known_people(facts: Sequence[ExtractedFact], held: Sequence[ProfileFact]) -> list[ExtractedFact]:
    """Facts with each name replaced by the person who has it, in memory or in a fact told with them."""
    holders = {fact.text.casefold(): fact.entity for fact in facts if fact.key == NAME}
    return [
        replace(fact, entity=holder)
        if fact.concept == PEOPLE
        and fact.key != NAME
        and not is_role(fact.entity)
        and (holder := holders.get(fact.entity.casefold()) or find_holder(fact.entity, held))
        else fact
        for fact in facts
    ]


def as_told(fact: ProfileFact) -> ExtractedFact:
    """A fact of memory as the one that was told."""
    name, value = fact.node.name, fact.value
    is_person = is_role(name) or value.key == NAME
    concept = PEOPLE if is_person else PLACES if value.key == ADDRESS else HABITS
    return ExtractedFact(concept, name, value.key, value.text, value.sense, value.single, Strength.USER)
