"""Contacts: the people and groups whom the user calls, writes to and pays, by the names that records have.

A contact's name often says who it is: “Selvi Maid”, “Da mobile”, 房东罗孃孃. Records also put the relation
beside the name: “Message Priya (wife)”, 转给室友周周602. Words that are said to others are not read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping

from sqlalchemy import or_, select

from assistant.i18n import has_chinese
from assistant.memory import schema
from assistant.memory.profile.graph import canonical_word, find_role, is_role, normalize_text
from assistant.memory.profile.lexicon import NO_NAME
from assistant.memory.store import Store
from assistant.records import Outcome
from assistant.understand.types import Contact
from assistant.understand.words import wording

MOST_EVIDENCE = 20
"""Number of records that a contact names as its evidence."""

_MAX_ADDRESSED = 5_000
"""Number of records whose contacts are known."""


def load_contacts(store: Store, user_id: str) -> ContactIndex:
    """The contacts of a user's newest records."""
    records = schema.records.c
    query = (
        select(records.id, records.instruction, records.app)
        .where(records.user_id == user_id, or_(records.outcome.is_(None), records.outcome == Outcome.SUCCESS))
        .order_by(records.time.desc())
        .limit(_MAX_ADDRESSED)
    )
    with store.reader() as connection:
        rows = connection.execute(query).all()
    rows = rows[::-1]
    return ContactIndex({row.id: row.instruction for row in rows}, {normalize_text(row.app) for row in rows})


_WORD = rf"(?!(?:{NO_NAME})\b)[A-Z][\w’'.-]*"
_NAME = rf"(?P<name>{_WORD}(?: {_WORD}|(?<=[a-z]) (?:mobile|home|work|office|junior)\b){{0,4}})"
_CURRENCY = r"(?:[A-Z]{1,4}|[B-DF-HJ-NP-TV-XZ][B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz]{1,3})\.?[ ]?\d"
"""An amount of money: KSh 150, GHS20, R550. Codes are in capitals or have no vowel, as few names do."""
_ADDRESSED = re.compile(
    rf"\b(?!(?i:pay|revolut|venmo)\s+{_CURRENCY})"
    r"(?i:call|ring|phone|dial|text|message|msg|whatsapp|email|mail|facetime|contact|ping|pay|revolut|venmo)"
    rf"\s+(?:(?i:my)\s+(?P<role>[a-z][\w-]*(?: [a-z][\w-]*)?)\s+)?{_NAME}"
    r"(?:\s*\((?:my )?(?P<bracketed>[\w -]+)\))?"
)
_TO = re.compile(
    r"\b(?i:call|message|text|note|photo|money|transfer|pay|send|write|euros?|rupees|dollars|pounds|\d+)\b[^\"“”:]*?"
    rf"\b(?:to|with)\s+(?:(?i:my)\s+(?P<role>[a-z][\w-]*(?: [a-z][\w-]*)?)\s+)?{_NAME}"
    r"(?:\s*\((?:my )?(?P<bracketed>[\w -]+)\))?"
)
_NAME_ZH = r"(?P<name>[\u4e00-\u9fffA-Za-z0-9·]{1,10}?(?: (?!语音|视频|电话|微信)[\u4e00-\u9fff]{1,6}?)?)"
_ADDRESSED_ZH = (
    re.compile(rf"(?:给|和|跟|与){_NAME_ZH}(?=(?:微信)?(?:发|打|转|回|视频|语音|说|留言|通话|电话|的?微信))"),
    re.compile(
        rf"(?:打给|转账给|发给|呼叫|转给|回复|打电话给|联系){_NAME_ZH}(?=\d+(?:\.\d+)?[元块]|[\s，,。“\"：:]|$)"
    ),
)
_QUOTED_NAME_ZH = (
    re.compile(
        r"(?:给|和|跟|与)(?P<role>[\u4e00-\u9fff]{0,4})[“「\"](?P<name>[^”」\"]{1,16})[”」\"]"
        r"(?=(?:微信)?(?:发|打|转|回|视频|语音|留言|通话|电话))"
    ),
    re.compile(
        r"(?:呼叫|拨打|打给|联系)(?P<role>[\u4e00-\u9fff]{0,4})[“「\"](?P<name>[^”」\"]{1,16})[”」\"]"
    ),
)
"""Who is called by the name that the phone has, in quotation marks: 给婆婆妈“妈妈（绵阳）”打语音."""
_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]|[:：].*")
_GENERIC_ZH = wording("generic_name", "zh")


def find_contacts(instruction: str) -> Iterator[tuple[str, str]]:
    """The contacts that an instruction addresses, each with the role that stands beside it, else empty."""
    is_chinese = has_chinese(instruction)
    # Before and behind a quotation are no words of one name.
    text = _QUOTED.sub("，" if is_chinese else " ", instruction)
    if is_chinese:
        for pattern in _QUOTED_NAME_ZH:
            for match in pattern.finditer(instruction):
                yield match["name"].strip(), canonical_word(match["role"]) or match["role"]
        for pattern in _ADDRESSED_ZH:
            for match in pattern.finditer(text):
                if not _GENERIC_ZH.search(match["name"]):
                    yield match["name"].strip(), ""
        return
    for pattern in (_ADDRESSED, _TO):
        for match in pattern.finditer(text):
            beside = match["bracketed"] or match["role"] or ""
            role = (canonical_word(beside) or normalize_text(beside)) if is_role(beside) else ""
            yield match["name"].strip(" .'’"), role


class ContactIndex:
    """The contacts of some records, by name and by what they are to the user.

    Args:
        instructions: the instructions of records by id, oldest first.
        apps: the labels of their apps, normalised, which are nobody: “to Elm Street 9 with Wayfinder”.
    """

    def __init__(self, instructions: Mapping[str, str], apps: Collection[str] = ()) -> None:
        self.counts: Counter[str] = Counter()
        self._instructions = instructions
        self._records: dict[str, list[str]] = defaultdict(list)
        self._by_role: dict[str, Counter[str]] = defaultdict(Counter)
        addressed = [
            (record_id, *pair)
            for record_id, instruction in instructions.items()
            for pair in dict.fromkeys(find_contacts(instruction))
            if normalize_text(pair[0]) not in apps
        ]
        names = {name for _id, name, _role in addressed}
        # What the user calls somebody says more than their name: “Mum Mary” is the grandmother.
        called = {name for _id, name, beside in addressed if beside}
        for record_id, name, beside in addressed:
            role = beside or ("" if name in called else find_role(name))
            contact = _without_role(name, names) if role else name
            self.counts[contact] += 1
            self._records[contact].append(record_id)
            if role:
                self._by_role[role][contact] += 1

    def records_of(self, contact: str) -> tuple[str, ...]:
        """The ids of the records that address a contact, newest first."""
        return tuple(reversed(self._records.get(contact, ())))

    def most_frequent(self, most: int) -> list[Contact]:
        """The `most` contacts that are addressed most often; “Ann” of “Ann Lee” is none of its own."""
        names = _merge(self.counts)[:most]
        return [
            Contact(name, self.counts[name], self._instructions[evidence[0]], evidence[:MOST_EVIDENCE])
            for name in names
            if (evidence := self.records_of(name))
        ]

    def with_role(self, role: str) -> list[str]:
        """The contacts in a relation to the user, the most frequent first; “sister” includes older ones."""
        counts: Counter[str] = Counter()
        for other, names in self._by_role.items():
            if other == role or other.endswith(f" {role}"):
                counts += names
        return _merge(counts)

    def named_in(self, text: str) -> list[str]:
        """The contacts that a text names, the most frequent first; “Ann Lee” does not name “Ann”."""
        padded = text if has_chinese(text) else f" {normalize_text(text)} "
        named = Counter(
            {
                contact: count
                for contact, count in self.counts.items()
                if len(contact) > 1
                and (contact if has_chinese(text) else f" {normalize_text(contact)} ") in padded
            }
        )
        names = [name for name, _count in named.most_common()]
        return [name for name in names if not any(name != other and name in other for other in names)]

    def full_names(self, name: str) -> list[str]:
        """The contacts whose names begin with a name or contain its words, the most frequent first."""
        words = normalize_text(name)
        chinese = has_chinese(name)
        counts = Counter(
            {
                contact: count
                for contact, count in self.counts.items()
                if (chinese and words in normalize_text(contact))
                or (not chinese and f" {words} " in f" {normalize_text(contact)} ")
            }
        )
        return _merge(counts)


def _without_role(name: str, names: Collection[str]) -> str:
    """A contact's name without a role before it, if it is one of the names then: 室友周周602."""
    rests = (name[at:] for at in range(1, len(name)) if is_role(name[:at].strip()))
    return next((rest for rest in rests if rest.strip() in names), name).strip()


def _merge(counts: Counter[str]) -> list[str]:
    """Names, the most frequent first, without those that begin longer ones: “Ann” of “Ann Lee”."""
    names = [name for name, _count in counts.most_common()]
    folded = [f"{name.casefold()} " for name in names]
    return [
        name
        for name in names
        if not any(
            other != f"{name.casefold()} " and other.startswith(f"{name.casefold()} ") for other in folded
        )
    ]
