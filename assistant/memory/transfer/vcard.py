"""Reads and writes vCards: 2.1 (quoted-printable, charsets), 3.0 (RFC 2426), 4.0 (RFC 6350), UTF-8.

A damaged card is reported by its number, the others are read. vobject was considered: it stops at the first
damaged card of a file and does not know 4.0.
"""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from assistant.i18n import _

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
