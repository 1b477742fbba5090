"""The common parts of all sections: items, their details, queries, and the index that searches their texts.

`SectionProvider` is what each section implements. A query has words and filters, such as `app:taobao
scenario:office since:7d`.

`deletion_preview` and `forget_records` say what goes with records that are forgotten; `details_of` gives the
records behind an item; `RecordMeanings` finds records by the meaning of a text.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Column, func, select

from assistant.embedding.embedder import Embedder
from assistant.i18n import _, counted, joined, sentences
from assistant.memory import schema
from assistant.memory.database import portions
from assistant.memory.forgetting import QuotePreview, forget, preview_quotes
from assistant.memory.profile.service import Profile
from assistant.memory.schema import RECORD_VECTOR
from assistant.memory.store import RevisionCache, Store
from assistant.memory.vectors import VectorCache
from assistant.model.types import one_line
from assistant.records import Record, app_name
from assistant.skills.template import PlannedStep

HOURS, WEEKDAYS = 24, 7


class MemoryProblem(Exception):
    """Something cannot be looked up or changed; the message says why, for the user."""


def app_title(app: str, package: str) -> str:
    """What a person calls an app: its name where it is known, else what its package says."""
    return app if app not in ("", package) or not package else app_name(package)


def check_text(text: str, longest: int) -> None:
    """Check a text that the user entered for a field.

    Raises:
        MemoryProblem: it is empty, or has more than `longest` characters.
    """
    if not text:
        raise MemoryProblem(_("Enter a text. To delete the item, forget it."))
    if len(text) > longest:
        raise MemoryProblem(
            _("It has {count} characters; at most {longest} are kept.").format(
                count=len(text), longest=longest
            )
        )


class Section(StrEnum):
    """The parts of the memory."""

    PREFERENCES = "preferences"
    ROUTINES = "routines"
    PROFILE = "profile"
    PLACES = "places"
    SKILLS = "skills"
    RECORDS = "records"
    SUGGESTIONS = "suggestions"
    SCHEDULES = "schedules"
    CHANGES = "changes"
    SENT = "sent"


def is_on_other_days(heat: Heat, weekdays: Collection[int]) -> bool:
    """Whether weekdays are named, Monday 0, and what is counted is done on others more than by chance."""
    on_others = sum(sum(hours) for day, hours in enumerate(heat) if day not in weekdays)
    return bool(weekdays) and on_others >= _BY_CHANCE * sum(map(sum, heat))


_BY_CHANCE = 0.1
"""The least share of days that are no exception."""


class ItemAction(StrEnum):
    """What can be done with an item."""

    EDIT = "edit"
    PIN = "pin"
    HIDE = "hide"
    MERGE = "merge"
    SPLIT = "split"
    CHOOSE = "choose"
    ALONE = "just do it"
    FORGET = "forget"
    TRY = "try dry"
    EXPORT = "write to a folder"
    UNDO = "undo"
    REDO = "redo"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of a section.

    `id` names it within its section. `count` and `weight` (0..1) tell how often it was seen and how sure it
    is, both 0 where that says nothing. `context` stands before the name, such as whose value it is. `hours`
    counts its records by hour of the day, and is empty where nothing is counted. `over` says how it ended,
    such as "archived". In a tree `depth` is how deep it stands, and `opened` whether what hangs on it is
    listed below it; None where nothing does. `app`, `scenario` and `source` are what filters ask for, `tail`
    stands at the right in the place of count and time. `near` is set where a search found it only because it
    is alike: it does not hold the words.
    """

    id: str
    name: str
    acts: frozenset[ItemAction]
    context: str = ""
    count: int = 0
    weight: float = 0.0
    last: datetime | None = None
    hours: tuple[int, ...] = ()
    pinned: bool = False
    hidden: bool = False
    over: str = ""
    depth: int = 0
    opened: bool | None = None
    app: str = ""
    scenario: str = ""
    source: str = ""
    tail: str = ""
    near: bool = False


@dataclass(frozen=True, slots=True)
class ItemList:
    """The items of a section, the most important first. `note` says what is left out, or why it is empty.

    `elsewhere` is the first section that holds the words of a search if this one does not.
    """

    items: tuple[Item, ...]
    note: str = ""
    elsewhere: Section | None = None


@dataclass(frozen=True, slots=True)
class ItemField:
    """A text of an item that can be changed: what it is called, what it says, and how it is written.

    `question` is asked before another text is kept; empty where nobody needs to be asked. `has_lines` says
    that line ends count in it.
    """

    name: str
    text: str
    hint: str = ""
    question: str = ""
    has_lines: bool = False


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a skill would do: the order, the values of its slots, and its steps as the memory knows them."""

    order: str
    values: Mapping[str, str]
    steps: Sequence[PlannedStep]


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """A record as evidence."""

    id: str
    time: datetime
    scenario: str
    instruction: str
    app: str


Heat = tuple[tuple[int, ...], ...]
"""Counts by weekday, Monday first, and hour."""


@dataclass(frozen=True, slots=True)
class ItemDetails:
    """What stands behind an item: what is known of it as labels and texts, and records, newest first.

    `more` counts the records that are not shown, `heat` counts them all by weekday and hour. `fields` can be
    edited, the first one above all. `note` is a sentence that is to be read before all of it.
    """

    facts: tuple[tuple[str, str], ...]
    evidence: tuple[EvidenceRecord, ...] = field(default=())
    more: int = 0
    heat: Heat = ()
    fields: tuple[ItemField, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class ItemLocation:
    """Where in the memory something stands: a section, and the id of an item there, if it is known.

    `note` is what to say there.
    """

    section: Section
    item_id: str = ""
    note: str = ""


def heat_of(times: list[datetime]) -> Heat:
    """How moments spread over the week; nothing for none."""
    counts = [[0] * HOURS for _ in range(WEEKDAYS)]
    for time in times:
        counts[time.weekday()][time.hour] += 1
    return tuple(map(tuple, counts)) if times else ()


def listed(parts: list[str]) -> str:
    """`a, b and c`."""
    return _(" and ").join([_(", ").join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


_FILTER = re.compile(r'(?<!\S)(app|scenario|place|source|since):("[^"]*"|\S*)', re.IGNORECASE)
_AGO = re.compile(r"(\d{1,5})([dhw])")
_HOURS = {"h": 1, "d": 24, "w": 168}


class UnreadableMoment(ValueError):
    """A text is no moment; the message says how one is written."""


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """Words to be found, and what must hold besides; what is empty or None does not matter."""

    words: str = ""
    app: str = ""
    scenario: str = ""
    source: str = ""
    since: datetime | None = None

    @property
    def filters(self) -> bool:
        """Whether anything but the words is asked for."""
        return bool(self.app or self.scenario or self.source or self.since)

    def admits(self, item: Item) -> bool:
        """Whether an item is of the app, scenario, source and time that are asked for."""
        return (
            self.app in item.app.casefold()
            and self.scenario in item.scenario.casefold()
            and self.source in item.source.casefold()
            and (self.since is None or (item.last is not None and item.last >= self.since))
        )


def read_query(text: str, now: datetime) -> MemoryQuery:
    """A query as it is typed; a filter that is half typed asks for nothing yet."""
    filters: dict[str, str] = {}
    for name, value in _FILTER.findall(text):
        filters["scenario" if name.casefold() == "place" else name.casefold()] = value.strip('"').casefold()
    since = filters.get("since", "")
    try:
        begin = parse_moment(since, now) if since else None
    except UnreadableMoment:
        begin = None
    words = " ".join(_FILTER.sub(" ", text).split())
    return MemoryQuery(
        words, filters.get("app", ""), filters.get("scenario", ""), filters.get("source", ""), begin
    )


def parse_moment(text: str, now: datetime) -> datetime:
    """A moment as a user writes it: a day, a time, or how long ago; without a zone it is that of `now`.

    Raises:
        UnreadableMoment: it cannot be read.
    """
    if ago := _AGO.fullmatch(text.strip()):
        return now - timedelta(hours=int(ago[1]) * _HOURS[ago[2]])
    try:
        written = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise UnreadableMoment(_("Write a time as 2026-03-09, 2026-03-09T12:00, 7d or 12h.")) from error
    return written if written.tzinfo else written.replace(tzinfo=now.tzinfo)


_SHARED = 0.34
"""The least share of the words' pairs of letters that a text has which may be written alike."""
_COMPARED = 1000
"""The most texts that are worth comparing, those with most pairs first."""
_ASKED = 8
"""About so many pairs of the words are looked for."""
_FACTOR = 31


class TextIndex:
    """Keys, and a text in lower case for each."""

    def __init__(self, keys: Sequence[str], texts: Sequence[str]) -> None:
        self.keys = keys
        self.texts = texts

    @cached_property
    def pairs(self) -> LetterPairIndex:
        """The pairs of letters of the texts."""
        return LetterPairIndex(self.texts)


class LetterPairIndex:
    """Each two letters that follow each other in some texts, as one number of 16 bits.

    Two pairs may have the same number: then a text more is compared, never one less. To look through the
    numbers of 100,000 texts takes some milliseconds, in which other threads go on.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
        self._count = len(texts)
        self._numbers = _numbers("\n".join(texts))
        self._whose = np.repeat(np.arange(len(texts), dtype=np.uint32), lengths)[: len(self._numbers)]

    def sharing(self, words: str) -> list[int]:
        """The places of the texts that share pairs of letters with some words, in the order of the texts."""
        codes = np.unique(_numbers(words))
        codes = codes[:: max(1, round(len(codes) / _ASKED))]
        counts = np.zeros(self._count, np.uint16)
        for number in codes:
            # A text that has the pair twice is counted once: of equal indices one addition is made.
            counts[self._whose[self._numbers == number]] += 1
        likely = np.flatnonzero(counts >= max(1, round(_SHARED * len(codes))))
        if len(likely) > _COMPARED:
            best = np.argpartition(counts[likely], -_COMPARED)[-_COMPARED:]
            likely = likely[np.sort(best)]
        return [int(position) for position in likely]


def _numbers(text: str) -> NDArray[np.uint16]:
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return (letters[:-1] * np.uint32(_FACTOR) + letters[1:]).astype(np.uint16)


class ViewContext:
    """What the sections share: the store, whose memory it is, and the embedder."""

    def __init__(self, store: Store, embeds: Embedder, user_id: str) -> None:
        self.store = store
        self.embeds = embeds
        self.user_id = user_id


class SectionProvider(ABC):
    """A section. Methods may raise `MemoryProblem`, and what the memory raises.

    Args:
        context: the store and its user.

    Attributes:
        forgets_for_good: whether an item that is deleted here cannot be brought back.
        written: the texts of an item whose line ends count.
    """

    forgets_for_good = True
    written: frozenset[str] = frozenset()

    def __init__(self, context: ViewContext) -> None:
        self._context = context
        self._listing: tuple[object, ItemList] | None = None
        self._indexed: tuple[ItemList, dict[str, Item], TextIndex] | None = None

    @abstractmethod
    def build(self) -> ItemList:
        """The items as they are now."""

    def listing(self, toggled: frozenset[str]) -> ItemList:
        """The items, kept while nothing changes; `toggled` are those of a tree that were opened or closed."""
        mark = self.mark(), self._context.store.now().date()
        if self._listing is None or self._listing[0] != mark:
            self._listing = mark, self.build()
        return self._listing[1]

    @abstractmethod
    def details(self, item: Item) -> ItemDetails:
        """What stands behind an item."""

    def texts(self) -> TextIndex:
        """What is searched."""
        return self._all()[1]

    def named(self, keys: Sequence[str]) -> list[Item]:
        """The items of some keys, in this order; what is gone is left out."""
        items_by_key, _ = self._all()
        return [items_by_key[key] for key in keys if key in items_by_key]

    def prepare(self, still: Callable[[], bool]) -> bool:
        """Make what `alike` needs, which may take long, while it is `still` wanted; whether it is there."""
        return True

    def alike(self, words: str, most: int) -> list[str]:
        """The keys of what is near in meaning to some words, nearest first."""
        return []

    def edit(self, item: Item, field: str, text: str) -> str:
        """Change a text of an item; returns what happened, in words."""
        raise MemoryProblem(_("This cannot be edited."))

    def pin(self, item: Item, pinned: bool) -> None:
        """Pin or unpin an item."""
        raise MemoryProblem(_("This cannot be pinned."))

    def hide(self, item: Item, hidden: bool) -> None:
        """Hide or show an item."""
        raise MemoryProblem(_("This cannot be hidden."))

    def stop_suggesting(self, item: Item) -> None:
        """Suggest an item no more."""
        raise MemoryProblem(_("This cannot be hidden."))

    def merge(self, item: Item, other: Item) -> str:
        """Make one of two; the first one's name stays."""
        raise MemoryProblem(_("This cannot be merged."))

    def leaving(self, item: Item, words: str) -> str:
        """What splitting would part, as a sentence."""
        raise MemoryProblem(_("This cannot be split."))

    def split(self, item: Item, words: str) -> str:
        """Make two of one."""
        raise MemoryProblem(_("This cannot be split."))

    def let_alone(self, item: Item) -> str:
        """Let an item begin by itself at its time, or ask first again."""
        raise MemoryProblem(_("This cannot begin by itself."))

    def choose(self, item: Item) -> str:
        """Settle a conflict for this item."""
        raise MemoryProblem(_("There is nothing to choose here."))

    def slot_values(self, item: Item) -> str:
        """The values that an item can be tried with, as they are typed; empty where it takes none."""
        raise MemoryProblem(_("This cannot be tried."))

    def try_dry(self, item: Item, words: str) -> DryRun:
        """What an item would do with other values, without the phone."""
        raise MemoryProblem(_("This cannot be tried."))

    def export(self, item: Item, folder: Path, *, replaces: bool = False) -> str:
        """Write an item to a folder of its own in another one; returns what was written, in words."""
        raise MemoryProblem(_("This cannot be written to a folder."))

    def export_replaces(self, item: Item, folder: Path) -> str:
        """What `export` would write over, as a question; empty for nothing."""
        return ""

    def goes_with(self, item: Item) -> str:
        """What forgetting an item takes away, as a sentence."""
        raise MemoryProblem(_("This cannot be forgotten."))

    def forget(self, item: Item) -> str:
        """Delete an item for good."""
        raise MemoryProblem(_("This cannot be forgotten."))

    def mark(self) -> int:
        """A number that rises when what is listed may have changed."""
        return self._context.store.revision()

    def _all(self) -> tuple[dict[str, Item], TextIndex]:
        """Everything that is listed."""
        listing = self.listing(frozenset())
        if self._indexed is None or self._indexed[0] is not listing:
            items = listing.items
            texts = TextIndex(
                [item.id for item in items], [f"{item.context} {item.name}".casefold() for item in items]
            )
            self._indexed = listing, {item.id: item for item in items}, texts
        return self._indexed[1:]


def deletion_preview(store: Store, profile: Profile, ids: Collection[str]) -> str:
    """What goes with some records, as a sentence."""
    parts = [counted(len(ids), "record")]
    if pictures := _pictures(store, ids):
        parts.append(counted(pictures, "screenshot"))
    if values := _resting_on(store, profile, ids):
        parts.append(_("{values} of the profile").format(values=counted(values, "value")))
    if offered := _count(store, schema.suggestions.c.anchor, ids):
        parts.append(counted(offered, "suggestion"))
    if lines := _count(store, schema.sent.c.turn_id, ids):
        parts.append(_("{lines} of what was sent").format(lines=counted(lines, "line")))
    deletes = _("Deletes {what} permanently.").format(what=listed(parts))
    return sentences(deletes, *tell_quotes(preview_quotes(store, ids)))


def tell_quotes(quotes: QuotePreview) -> list[str]:
    """Where the words of what is forgotten are replaced, and where they stay, as sentences."""
    places = []
    if quotes.requests:
        places.append(_("{lines} of what was sent").format(lines=counted(quotes.requests, "line")))
    if quotes.turns:
        places.append(counted(quotes.turns, "turn"))
    sentences = []
    if places:
        sentences.append(
            _("It is quoted in {places}; its words go from there too.").format(places=listed(places))
        )
    return sentences + tell_queued(quotes.queued)


def tell_queued(commands: Sequence[str]) -> list[str]:
    """That queued commands say what is forgotten, as a sentence, if there are any."""
    if not commands:
        return []
    named = joined(_("“{command}”").format(command=one_line(command, 60)) for command in commands[:_NAMED])
    more = len(commands) - _NAMED
    named = _("{names} and {count} more").format(names=named, count=more) if more > 0 else named
    return [_("The queue still has {commands}; /queue opens it.").format(commands=named)]


def forget_records(store: Store, ids: Iterable[str]) -> str:
    """Delete records for good, with all that rests on them; returns what went, in words."""
    done = forget(store, ids)
    parts = [counted(done.records, "record")]
    if done.screenshots:
        parts.append(counted(done.screenshots, "screenshot"))
    forgotten = _("Forgotten: {what}.").format(what=listed(parts))
    return sentences(forgotten, *tell_queued(done.queued), *([] if done.scrubbed else [unwiped_warning()]))


def unwiped_warning() -> str:
    """What is to be said where deleted text cannot be wiped off the file yet."""
    return _("Another program reads the memory, or the disk is full: text may linger until you forget again.")


def _pictures(store: Store, ids: Collection[str]) -> int:
    table, count = schema.observations, 0
    with store.reader() as connection:
        for portion in portions(ids):
            shot_query = select(func.count()).where(table.c.turn_id.in_(portion), table.c.screenshot != "")
            count += int(connection.execute(shot_query).scalar_one())
    return count


def _resting_on(store: Store, profile: Profile, ids: Collection[str]) -> int:
    """How many values of the profile nothing but some records tells."""
    forgotten, touched = set(ids), set[str]()
    with store.reader() as connection:
        for portion in portions(ids):
            evidence = schema.profile_evidence
            query = select(evidence.c.value_id).where(evidence.c.record_id.in_(portion))
            touched.update(connection.execute(query).scalars())
    with profile.reading() as graph:
        values = (graph.find_value(value_id) for value_id in touched)
        return sum(
            all(evidence.record_id in forgotten for evidence in value.evidence) for value in values if value
        )


def _count(store: Store, column: Column[str], ids: Collection[str]) -> int:
    """How many rows name one of the records in a column."""
    count = 0
    with store.reader() as connection:
        for portion in portions(ids):
            query = select(func.count()).where(column.in_(portion))
            count += int(connection.execute(query).scalar_one())
    return count


_NAMED = 3
"""The most queued commands that are told by their words."""

EVIDENCE = 20
"""The most records told as evidence of one item."""


def records_of(store: Store, ids: Iterable[str]) -> list[Record]:
    """The records with these ids that are there, in this order."""
    records = (store.records.get(record_id) for record_id in ids)
    return [record for record in records if record is not None]


def details_of(
    facts: tuple[tuple[str, str], ...],
    record_ids: Sequence[str],
    records: Sequence[Record],
    *,
    heat: Heat = (),
    fields: tuple[ItemField, ...] = (),
) -> ItemDetails:
    """Facts with the newest records behind them; `wanted` are the ids of all there are."""
    evidence = tuple(
        EvidenceRecord(
            record.id, record.time, record.scenario, record.instruction, app_title(record.app, record.package)
        )
        for record in records[:EVIDENCE]
    )
    return ItemDetails(facts, evidence, max(0, len(record_ids) - len(evidence)), heat, fields)


LIKE_ENOUGH = 0.35
"""The cosine from which something is near enough in meaning to be shown."""


class RecordMeanings:
    """The vectors of records that the memory has made.

    Args:
        store: where the vectors are kept.
        embeds: embeds what is searched for.
    """

    def __init__(self, store: Store, embeds: Embedder) -> None:
        self._embeds = embeds
        tables = (schema.records, schema.vectors)
        self._index = RevisionCache(store, VectorCache(store, embeds).index, tables)

    def nearest(self, text: str, most: int, within: Iterable[str]) -> list[str]:
        """The records of some that are near in meaning to some words, nearest first.

        Raises:
            EmbeddingError: the embedder cannot be run.
        """
        index = self._index.get(RECORD_VECTOR)
        chosen: Collection[str] = [record_id for record_id in within if record_id in index]
        if not chosen:
            return []
        vector = self._embeds.embed([text])[0]
        keys, _ = index.search(vector, most, at_least=LIKE_ENOUGH, within=chosen)
        return keys
