"""Imports facts about the user's life into the profile, and exports them: sentences, and contacts as vCards.

A list of facts is a text with one sentence a line (see `memory.profile.statements`). Contacts become people
of the profile, with what they are to the user where the card says so. Each value keeps as its evidence the
file and the line or card that it came from. Importing twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import PurePath

from assistant.i18n import _, later
from assistant.memory.profile.extract import ExtractedFact, mentions_secret
from assistant.memory.profile.graph import (
    ALIAS,
    LONGEST_TEXT,
    NOTE,
    NodeKind,
    Strength,
    canonical_word,
    clean_text,
    find_role,
    is_role,
    normalize_text,
)
from assistant.memory.profile.lexicon import ADDRESS, NAME
from assistant.memory.profile.service import FactGroup, Profile
from assistant.memory.profile.statements import (
    PEOPLE,
    find_statement_problem,
    read_statement,
    write_statement,
)
from assistant.memory.transfer.jsonl import ImportProgress, Refuse, RefusedLine
from assistant.memory.transfer.vcard import Card, DamagedCard, is_vcard, read_cards, write_cards


class TransferFormat(StrEnum):
    """What a file to import or export holds."""

    RECORDS = "records"
    FACTS = "facts"
    CONTACTS = "contacts"


_SUFFIXES = {
    ".jsonl": TransferFormat.RECORDS,
    ".json": TransferFormat.RECORDS,
    ".ndjson": TransferFormat.RECORDS,
    ".vcf": TransferFormat.CONTACTS,
    ".vcard": TransferFormat.CONTACTS,
}
_BEGINNING = 20
PHONE, EMAIL, COMPANY, JOB, BIRTHDAY = "phone", "email", "company", "job", "birthday"


def guess_format(name: str, beginning: bytes) -> TransferFormat:
    """The format of a file by its name, else by its content.

    Args:
        name: the file's name; empty for a stream.
        beginning: its first bytes. Records are JSON objects; a list of facts is any other text.
    """
    if (by_name := _SUFFIXES.get(PurePath(name).suffix.casefold())) is not None:
        return by_name
    if is_vcard(beginning):
        return TransferFormat.CONTACTS
    lines = [line for line in beginning.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()]
    if not lines or any(line.lstrip().startswith((b"{", b"[")) for line in lines[:_BEGINNING]):
        return TransferFormat.RECORDS
    return TransferFormat.FACTS


_PROBLEMS = {
    "empty": later("it says nothing"),
    "secret": later(
        "passwords, codes and card numbers are not kept in the memory; “assistant secret add NAME” does that"
    ),
    "question": later("it is a question"),
    "long": later("a sentence of it is longer than {most} characters"),
}


def import_facts(profile: Profile, content: bytes, name: str, refuse: Refuse) -> ImportProgress:
    """Import a list of facts, one sentence a line; empty lines are skipped.

    Args:
        profile: the profile of the user.
        content: the text, UTF-8.
        name: the name of the source, for the evidence and the audit.
        refuse: called for each line that tells nothing to keep.

    Raises:
        StoreError: the memory cannot be written.
        EmbeddingError: the embedder cannot be run.
    """
    groups: list[FactGroup] = []
    refused = 0
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        if not line.strip():
            continue
        try:
            text = line.decode("utf-8").strip()
            problem = find_statement_problem(text, mentions_secret)
            reason = _(_PROBLEMS[problem]).format(most=LONGEST_TEXT) if problem else ""
        except UnicodeDecodeError:
            reason = _("it is not UTF-8")
        if reason:
            refused += 1
            refuse(RefusedLine(number, reason))
            continue
        facts = read_statement(text, profile.nearest_domain, Strength.IMPORTED)
        groups.append(FactGroup(format_origin(name, number), tuple(facts)))
    return _keep(profile, groups, name, refused, len(content))


def import_contacts(profile: Profile, content: bytes, name: str, refuse: Refuse) -> ImportProgress:
    """Import vCards; as `import_facts`, with the number of the card for that of the line."""
    groups: list[FactGroup] = []
    refused = 0
    for number, card in enumerate(read_cards(content), 1):
        if isinstance(card, DamagedCard):
            refused += 1
            refuse(RefusedLine(number, str(card)))
        else:
            groups.append(FactGroup(format_origin(name, number), tuple(facts_of_card(card))))
    return _keep(profile, groups, name, refused, len(content))


def _keep(
    profile: Profile, groups: Sequence[FactGroup], name: str, refused: int, size: int
) -> ImportProgress:
    imported = profile.add_facts(groups, f"Import facts from {name}")
    return ImportProgress(imported, len(groups) - imported, refused, size)


def format_origin(name: str, number: int) -> str:
    """The id of imported evidence: the file and the number of the line or card."""
    return f"{clean_text(PurePath(name).name, 80)}:{number}"


def facts_of_card(card: Card) -> Iterator[ExtractedFact]:
    """The facts on a contact's card: name, phone, address and the like, and the relation to the user."""
    person = clean_text(card.name)
    yield _fact(person, NAME, person)
    for nickname in card.nicknames:
        yield _fact(person, ALIAS, nickname, single=False)
    lists = ((PHONE, card.phones), (EMAIL, card.emails), (ADDRESS, card.addresses))
    for key, values in lists:
        for value in values:
            yield _fact(person, key, value, single=len(values) == 1)
    for key, value in ((COMPANY, card.company), (JOB, card.job), (BIRTHDAY, card.birthday)):
        if value:
            yield _fact(person, key, value)
    for relation, who in card.relations:
        yield _fact(person, relation, who, single=False)
    roles = {role for text in (person, *card.nicknames) if (role := find_role(text))}
    for note in card.notes:
        if is_role(note):
            roles.add(canonical_word(note) or normalize_text(note))
        elif not mentions_secret(note):
            yield _fact(person, NOTE, note, single=False)
    for role in sorted(roles):
        yield _fact(role, NAME, person)


def _fact(entity: str, key: str, text: str, *, single: bool = True) -> ExtractedFact:
    value = clean_text(text)
    return ExtractedFact(PEOPLE, entity, key, value, normalize_text(value), single, Strength.IMPORTED)


def export_facts(profile: Profile) -> Iterator[str]:
    """The facts of the profile, one sentence a line, without the people of `export_contacts`."""
    cards = {normalize_text(card.name) for card in _cards(profile)}
    written: dict[str, None] = {}
    for fact in profile.facts():
        is_on_card = normalize_text(fact.node.name) in cards
        if not is_on_card:
            written.setdefault(write_statement(fact.node.name, fact.value.key, fact.value.text))
    yield from written


def export_contacts(profile: Profile) -> Iterator[str]:
    """The people of the profile who have a phone, an address or the like, as the lines of vCards."""
    yield from write_cards(_cards(profile))


def _cards(profile: Profile) -> list[Card]:
    with profile.reading() as graph:
        people = [
            node
            for node in graph.nodes()
            if node.kind is NodeKind.ENTITY
            and not node.hidden
            and any(concept.name == PEOPLE for concept in graph.neighbours(node.id, NodeKind.CONCEPT))
        ]
        aliases = {
            node.id: [
                value.text
                for value in graph.values(node.id).values()
                if value.key == ALIAS and not value.hidden
            ]
            for node in people
        }
    by_node: dict[str, dict[str, list[str]]] = {}
    for fact in profile.facts():
        by_node.setdefault(fact.node.id, {}).setdefault(fact.value.key, []).append(fact.value.text)
    cards = []
    for node in people:
        values = by_node.get(node.id, {})
        is_reachable = PHONE in values or EMAIL in values
        if values.get(NAME) != [node.name] and (not is_reachable or is_role(node.name)):
            continue
        plain = (NAME, PHONE, EMAIL, ADDRESS, COMPANY, JOB, BIRTHDAY, NOTE)
        relations = tuple((key, who) for key, names in values.items() if key not in plain for who in names)
        several = {key: tuple(values.get(key, ())) for key in (PHONE, EMAIL, ADDRESS, NOTE)}
        single = {key: next(iter(values.get(key, ())), "") for key in (COMPANY, JOB, BIRTHDAY)}
        cards.append(
            Card(
                node.name,
                tuple(aliases[node.id]),
                several[PHONE],
                several[EMAIL],
                several[ADDRESS],
                single[COMPANY],
                single[JOB],
                single[BIRTHDAY],
                several[NOTE],
                relations,
            )
        )
    return cards
