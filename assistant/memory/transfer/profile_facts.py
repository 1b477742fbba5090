"""Imports facts about the user's life into the profile, and exports them: sentences, and contacts as vCards.

A list of facts is a text with one sentence a line (see `memory.profile.statements`). Contacts become people
of the profile, with what they are to the user where the card says so. Each value keeps as its evidence the
file and the line or card that it came from. Importing twice changes nothing.

vCards are read in versions 2.1 (quoted-printable, charsets), 3.0 (RFC 2426) and 4.0 (RFC 6350, UTF-8). A
damaged card is reported by its number, the others are read. vobject was considered: it stops at the first
damaged card of a file and does not know 4.0.
"""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import PurePath

from assistant.i18n import _, later
from assistant.memory.profile.extract import PEOPLE, ExtractedFact, mentions_secret
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
    find_statement_problem,
    read_statement,
    write_statement,
)
from assistant.memory.transfer.jsonl import ImportProgress, Refuse, RefusedLine


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
        card_keys = (NAME, PHONE, EMAIL, ADDRESS, COMPANY, JOB, BIRTHDAY, NOTE)
        relations = tuple(
            (key, who) for key, names in values.items() if key not in card_keys for who in names
        )
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


_BEGIN, _END = "BEGIN:VCARD", "END:VCARD"
_LINE = re.compile(rb"\r\n|\n|\r")
_PROPERTY = re.compile(
    r'(?:(?P<group>[A-Za-z0-9-]+)\.)?(?P<name>[A-Za-z0-9-]+)(?P<params>(?:;(?:[^":;]|"[^"]*")*)*):(?P<value>.*)',
    re.DOTALL,
)
_APPLE_LABEL = re.compile(r"_\$!<(.*)>!\$_")
_ANDROID_RELATIONS = (
    "", "assistant", "brother", "child", "partner", "father", "friend", "manager", "mother", "parent",
    "partner", "", "relative", "sister", "spouse",
)  # fmt: skip
"""The relations of Android's contacts by their numbers; 0 is in words behind the number."""


@dataclass(frozen=True, slots=True)
class Card:
    """A contact. `relations` are pairs of a relation and the name of who stands in it to the contact."""

    name: str
    nicknames: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    company: str = ""
    job: str = ""
    birthday: str = ""
    notes: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()


class DamagedCard(ValueError):
    """A card that cannot be read; the message says why."""


@dataclass(slots=True)
class _Properties:
    """The properties of a card while they are collected, with the labels of Apple's groups."""

    version: str = ""
    full_name: str = ""
    structured_name: str = ""
    card: Card = field(default_factory=lambda: Card(""))
    labels: dict[str, str] = field(default_factory=dict)
    related: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Property:
    name: str
    value: str
    group: str
    types: frozenset[str]


def is_vcard(beginning: bytes) -> bool:
    """Whether a file that begins so holds vCards."""
    return beginning.removeprefix(b"\xef\xbb\xbf").lstrip()[: len(_BEGIN)].upper() == _BEGIN.encode()


def read_cards(content: bytes) -> Iterator[Card | DamagedCard]:
    """The cards of a file in order; for a damaged one why it cannot be read."""
    lines: list[bytes] | None = None
    for line in _LINE.split(content.removeprefix(b"\xef\xbb\xbf")):
        mark = line.strip().upper()
        if mark == _BEGIN.encode():
            if lines is not None:
                yield DamagedCard(_("it has no end"))
            lines = []
        elif mark == _END.encode():
            if lines is not None:
                yield _read_or_reason(lines)
            lines = None
        elif lines is not None:
            lines.append(line)
    if lines is not None:
        yield DamagedCard(_("it has no end"))


def _read_or_reason(lines: list[bytes]) -> Card | DamagedCard:
    try:
        return _read_card(lines)
    except DamagedCard as error:
        return error


def _read_card(lines: list[bytes]) -> Card:
    properties = _Properties()
    for line in _unfold(lines):
        if not line.strip():
            continue
        read = _read_property(line)
        if read.name == "VERSION":
            properties.version = read.value.strip()
        _collect(properties, read)
    if properties.version not in ("2.1", "3.0", "4.0"):
        raise DamagedCard(_("its version is not 2.1, 3.0 or 4.0"))
    name = properties.full_name or properties.structured_name or properties.card.company
    if not name:
        raise DamagedCard(_("it has no name"))
    relations = tuple(
        (_APPLE_LABEL.sub(r"\1", properties.labels.get(kind, kind)).casefold(), who)
        for kind, who in properties.related
        if who
    )
    return replace(properties.card, name=name, relations=relations)


def _unfold(lines: list[bytes]) -> Iterator[bytes]:
    """Logical lines: with what was folded behind them, and what quoted-printable continues after “=”."""
    pieces: list[bytes] = []
    is_continued = False
    for line in lines:
        if pieces and is_continued:
            pieces += [pieces.pop()[:-1], line]
        elif pieces and line[:1] in (b" ", b"\t"):
            pieces.append(line[1:])
        else:
            if pieces:
                yield b"".join(pieces)
            pieces = [line]
        head = pieces[0] if b":" in pieces[0] else b"".join(pieces)
        is_quoted = b"QUOTED-PRINTABLE" in head.partition(b":")[0].upper()
        is_continued = is_quoted and pieces[-1].endswith(b"=")
    if pieces:
        yield b"".join(pieces)


def _read_property(line: bytes) -> _Property:
    """A property with its value decoded.

    Raises:
        DamagedCard: it is none, or its text cannot be decoded.
    """
    match = _PROPERTY.fullmatch(line.decode("latin-1"))
    if match is None:
        raise DamagedCard(_("a line of it is no property"))
    params: dict[str, set[str]] = {}
    for param in filter(None, match["params"].split(";")):
        key, equals, values = param.partition("=")
        if not equals:
            key, values = "TYPE", key
        params.setdefault(key.upper(), set()).update(values.strip('"').casefold().split(","))
    types = params.get("TYPE", set())
    raw = match["value"].encode("latin-1")
    if (types | params.get("ENCODING", set())) & {"quoted-printable"}:
        raw = quopri.decodestring(raw)
    charset = next(iter(params.get("CHARSET", {"utf-8"})))
    name = match["name"].upper()
    if name in ("PHOTO", "LOGO", "SOUND", "KEY"):
        return _Property(name, "", "", frozenset())
    try:
        value = raw.decode(charset)
    except (LookupError, UnicodeDecodeError):
        raise DamagedCard(_("its text is not in the charset it names, or not UTF-8")) from None
    return _Property(name, value, (match["group"] or "").casefold(), frozenset(types))


def _collect(properties: _Properties, read: _Property) -> None:
    """Take one property into a card; those that say nothing of a person are passed over."""
    value = _text(read.value)
    match read.name:
        case "FN":
            properties.full_name = properties.full_name or value
        case "N":
            family, given, middle, *_more = [*_parts(read.value, ";"), "", "", ""]
            properties.structured_name = _full_name(family, given, middle)
        case "RELATED" if not value.startswith(("urn:", "http")):
            kinds = sorted(read.types - {"contact", "pref"})
            properties.related.append((kinds[0] if kinds else "relative", value))
        case "X-ABRELATEDNAMES":
            properties.related.append((read.group, value))
        case "X-ABLABEL":
            properties.labels[read.group] = value
        case "X-ANDROID-CUSTOM":
            properties.card = _collect_android(properties, properties.card, _parts(read.value, ";"))
        case _:
            properties.card = _with_property(properties.card, read, value)


def _with_property(card: Card, read: _Property, value: str) -> Card:
    """A card with one more of what a person has or is reached at."""
    match read.name:
        case "NICKNAME":
            return replace(card, nicknames=(*card.nicknames, *_parts(read.value, ",")))
        case "TEL":
            return replace(card, phones=_preferred(card.phones, value.removeprefix("tel:"), read))
        case "EMAIL":
            return replace(card, emails=_preferred(card.emails, value.removeprefix("mailto:"), read))
        case "ADR":
            address = ", ".join(filter(None, _parts(read.value, ";")))
            return replace(card, addresses=_preferred(card.addresses, address, read))
        case "ORG":
            return replace(card, company=", ".join(filter(None, _parts(read.value, ";"))))
        case "TITLE" | "ROLE":
            return replace(card, job=card.job or value)
        case "BDAY":
            return replace(card, birthday=value)
        case "NOTE":
            return replace(card, notes=(*card.notes, *filter(None, value.splitlines())))
        case _:
            return card


def _collect_android(properties: _Properties, card: Card, parts: list[str]) -> Card:
    kind, value, number, label, *_more = [*parts, "", "", "", ""]
    if kind.endswith("/nickname") and value:
        return replace(card, nicknames=(*card.nicknames, value))
    if kind.endswith("/relation") and value:
        index = int(number) if number.isdigit() else 0
        relation = _ANDROID_RELATIONS[index] if index < len(_ANDROID_RELATIONS) else ""
        properties.related.append((relation or label or "relative", value))
    return card


def _full_name(family: str, given: str, middle: str) -> str:
    is_chinese = any("\u3400" <= character <= "\u9fff" for character in family + given)
    return f"{family}{given}{middle}" if is_chinese else " ".join(filter(None, (given, middle, family)))


def _preferred(values: tuple[str, ...], value: str, read: _Property) -> tuple[str, ...]:
    if not value or value in values:
        return values
    return (value, *values) if "pref" in read.types else (*values, value)


_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def _text(value: str) -> str:
    """A value without escapes."""
    return _ESCAPED.sub(lambda match: "\n" if match[1] in "nN" else match[1], value).strip()


def _parts(value: str, mark: str) -> list[str]:
    """The components of a value between marks that are not escaped."""
    return [_text(part) for part in re.split(rf"(?<!\\){mark}", value)]


def write_cards(cards: Iterable[Card]) -> Iterator[str]:
    """Cards in version 4.0, as their lines."""
    for card in cards:
        yield _BEGIN
        yield "VERSION:4.0"
        yield f"FN:{_escape(card.name)}"
        yield f"N:;{_escape(card.name)};;;"
        if card.nicknames:
            yield f"NICKNAME:{','.join(map(_escape, card.nicknames))}"
        yield from (f"TEL:{_escape(phone)}" for phone in card.phones)
        yield from (f"EMAIL:{_escape(email)}" for email in card.emails)
        yield from (f"ADR:;;{_escape(address)};;;;" for address in card.addresses)
        for name, value in (("ORG", card.company), ("TITLE", card.job), ("BDAY", card.birthday)):
            if value:
                yield f"{name}:{_escape(value)}"
        yield from (f"NOTE:{_escape(note)}" for note in card.notes)
        for kind, who in card.relations:
            yield f'RELATED;VALUE=text;TYPE="{kind.replace(chr(34), "")}":{_escape(who)}'
        yield _END


def _escape(value: str) -> str:
    return re.sub(r"([\\,;])", r"\\\1", value).replace("\n", "\\n")
