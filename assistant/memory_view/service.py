"""The memory view: all sections of one user's memory, with search and editing.

A search puts texts with all words first, then similar spelling, then similar meaning. An item can be named by
its id, the beginning of it, or `section:id`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from heapq import nsmallest
from pathlib import Path

from rapidfuzz import fuzz, process

from assistant.embedding.embedder import Embedder, EmbeddingError
from assistant.i18n import _, counted, joined, later, moment, sentences
from assistant.memory import schema
from assistant.memory.audit import AuditLine, ChangeKind, UndoRefused
from assistant.memory.database import StoreError
from assistant.memory.profile.service import LazyProfile
from assistant.memory.prototypes.service import hierarchical_memory
from assistant.memory.store import RevisionCache, Store
from assistant.memory_view.items import (
    DryRun,
    Item,
    ItemAction,
    ItemDetails,
    ItemList,
    ItemLocation,
    MemoryProblem,
    MemoryQuery,
    RecordMeanings,
    Section,
    SectionProvider,
    TextIndex,
    ViewContext,
    read_query,
)
from assistant.memory_view.labels import RENAMED, change_words, taken_back_words
from assistant.memory_view.profile import ProfileSection, outline
from assistant.memory_view.prototypes import PrototypeCache, PrototypesSection, SkillsSection, section_of
from assistant.memory_view.retention import BulkOperations
from assistant.memory_view.sections import (
    ChangesSection,
    PlacesSection,
    RecordsSection,
    RequestsSection,
    SchedulesSection,
    SuggestionsSection,
)
from assistant.model.types import one_line
from assistant.proactive.forecast import REMEMBERED, ExpectedOccasion, HabitCache, forecast
from assistant.proactive.habit_table import Calendar, UnknownCountry
from assistant.proactive.location import NoSuchPlace
from assistant.proactive.schedules import NoSuchSchedule
from assistant.proactive.suggestions import Suggestions
from assistant.records import Record
from assistant.settings.schema import Settings

LIKE_ENOUGH = 70.0
"""The likeness, 0 to 100, from which a text is found by words that it does not hold."""

_ENOUGH = 500
"""So many that hold the words are enough: nothing that is only alike is looked for then."""


@dataclass(frozen=True, slots=True)
class TextMatches:
    """The keys of texts that hold the words of a search, and of those that are only written alike."""

    exact: Sequence[str]
    alike: Sequence[str] = ()


def find_matching(texts: TextIndex, words: str, most: int = _ENOUGH) -> TextMatches:
    """What some words find, the best first; all texts for no words.

    Where a text has the words whole, one in which they only begin others is no hit but alike: “Ann Li” is not
    “Joann Lind, name”. Pieces within a word are none.
    """
    query_words = words.casefold().split()
    if not query_words:
        return TextMatches(texts.keys[:most])
    first, rest = query_words[0], query_words[1:]
    matches = [
        position
        for position, text in enumerate(texts.texts)
        if first in text and all(word in text for word in rest)
    ]
    matches, begun = _by_wholeness(texts, query_words, matches)
    if len(matches) >= most:
        shortest = nsmallest(most, matches, key=lambda position: len(texts.texts[position]))
        return TextMatches([texts.keys[position] for position in shortest])
    held = set(matches)
    alike = [position for position in _alike(texts, " ".join(query_words), most) if position not in held]
    alike = list(dict.fromkeys((*begun, *alike)))
    return TextMatches(
        [texts.keys[position] for position in matches],
        [texts.keys[position] for position in alike][: most - len(matches)],
    )


def _by_wholeness(
    texts: TextIndex, words: Sequence[str], positions: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Of texts that hold some words those that have them best, and those in which they only begin words.

    The best are those that have all words whole, first those that have them one behind the other; where
    there are none, those in which words begin with them.
    """
    begins = [_whole_word(word, ends=False) for word in words]
    begun = [place for place in positions if all(each.search(texts.texts[place]) for each in begins)]
    wholes = [_whole_word(word) for word in words]
    whole = [place for place in begun if all(each.search(texts.texts[place]) for each in wholes)]
    if not whole:
        return begun, []
    phrase = _whole_word(" ".join(words))
    whole.sort(key=lambda place: phrase.search(texts.texts[place]) is None)
    held = set(whole)
    return whole, [place for place in begun if place not in held]


def _alike(texts: TextIndex, words: str, most: int) -> list[int]:
    """The places of texts with words that are written alike, such as “nodles” for “noodles”."""
    places = texts.pairs.sharing(words)
    compared = [texts.texts[position] for position in places]
    scored = process.extract(
        words, compared, scorer=fuzz.partial_ratio, processor=None, score_cutoff=LIKE_ENOUGH, limit=most
    )
    # A text that is shorter than the words lies in them by chance: “a” is in everything.
    return [places[position] for text, _, position in scored if 2 * len(text.strip()) >= len(words)]


_FORGETTABLE = (Section.PROFILE, Section.RECORDS, Section.ROUTINES, Section.PREFERENCES)
"""Where something to forget is looked for; what is forgotten of the first two goes from the others."""
_LITTLE = re.compile(r"^(?:my|our|the|a|an|his|her|their|this|that)\s+|^我们?的?(?=.)", re.IGNORECASE)


def find_holding(texts: TextIndex, words: str) -> list[str]:
    """The keys of the texts that hold all of some words, Latin ones whole: “Tom” is not in “tomato”."""
    patterns = [_whole_word(word) for word in _LITTLE.sub("", words.casefold()).split()]
    return [
        key
        for key, text in zip(texts.keys, texts.texts, strict=True)
        if patterns and all(pattern.search(text) for pattern in patterns)
    ]


@lru_cache
def _whole_word(word: str, *, ends: bool = True) -> re.Pattern[str]:
    """What finds a word at the beginning of one, and with `ends` only where that also ends with it."""
    end = "(?![a-z0-9])" if ends and word[-1:].isalnum() and word[-1:].isascii() else ""
    begin = "(?<![a-z0-9])" if word[:1].isalnum() and word[:1].isascii() else ""
    return re.compile(f"{begin}{re.escape(word)}{end}")


def _first_of(keys: Mapping[Section, Sequence[str]], words: str) -> ItemLocation:
    """Where the first of what holds some words stands, with how many do in each section."""
    section = next(iter(keys))
    counts = _(", ").join(
        _("{count} in {section}").format(count=len(held), section=_(section.value))
        for section, held in keys.items()
    )
    note = _("“{words}”: {counts}.").format(words=one_line(words, 60), counts=counts)
    return ItemLocation(section, keys[section][0], note)


def _named_whole(item: Item) -> str:
    """An item with what it is about: “mom · birthday: May 2nd”."""
    return f"{item.context}: {item.name}" if item.context else item.name


_SHORTEST = 4
"""So many characters of an id must be written at least."""
_TOLD = 5
_TWICE = {Section.ROUTINES: Section.PREFERENCES}


def find_item(parts: Mapping[Section, SectionProvider], name: str) -> tuple[Section, Item] | None:
    """The one item that a name means; None where there is none.

    Raises:
        MemoryProblem: there are several.
    """
    section, colon, rest = name.partition(":")
    if colon and section in list(Section):
        parts, name = {Section(section): parts[Section(section)]}, rest
    exact = [(where, item) for where, part in parts.items() for item in part.named([name])]
    return _only(exact, name) if exact else _begun(parts, name)


def _begun(parts: Mapping[Section, SectionProvider], name: str) -> tuple[Section, Item] | None:
    """The one item whose id begins so."""
    if len(name) < _SHORTEST:
        return None
    matches = []
    for where, part in parts.items():
        keys = [key for key in part.texts().keys if key.startswith(name)]
        matches += [(where, item) for item in part.named(keys[: _TOLD + 1])]
    return _only(matches, name) if matches else None


def _only(matches: list[tuple[Section, Item]], name: str) -> tuple[Section, Item]:
    # A routine is a preference too: it is one item, told in two sections.
    apart: dict[tuple[Section, str], tuple[Section, Item]] = {}
    for where, item in matches:
        apart.setdefault((_TWICE.get(where, where), item.id), (where, item))
    if len(apart) == 1:
        return matches[0]
    choices = joined(f"{where.value}:{one_line(item.id, 60)}" for where, item in list(apart.values())[:_TOLD])
    raise MemoryProblem(
        _("{name} can be several: {told}. Write one of these.").format(name=one_line(name, 60), told=choices)
    )


NEAR = 20
"""The most that are found by meaning alone."""

_FOUND = 500
_LOOKED_BACK = 2000
_BY_USER = "asked by the user"
_IN_THE_WAY = later(
    "“{what}” cannot be undone by itself: “{since}” came after it. Undo that first, among the changes."
)
_GONE = later("This item no longer exists.")


class MemoryView:
    """The memory of one user. Everything may take long, and may be called from any thread.

    Every method raises `MemoryProblem` with a sentence for the user where it cannot do what is asked.

    Args:
        store: the memory.
        embeds: the sentence embedder.
        settings: whose memory, and how it is kept.
        profile: gives the profile where it is resident elsewhere; else one is opened here.
    """

    def __init__(
        self,
        store: Store,
        embeds: Embedder,
        settings: Settings,
        profile: LazyProfile | None = None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._lock = threading.RLock()
        self._profile = profile or LazyProfile(store, lambda: embeds, settings.user_id)
        self._context = ViewContext(store, embeds, settings.user_id)
        self._memory = hierarchical_memory(store, embeds, settings)
        self._prototypes = PrototypeCache(self._memory, self._context)
        self._expected = RevisionCache(store, self._expect)
        self._care = BulkOperations(store, settings.user_id)
        self._parts = self._make_sections()

    @property
    def care(self) -> BulkOperations:
        """What concerns the memory as a whole."""
        return self._care

    def outline(self, section: Section) -> ItemList | None:
        """What can be told of a section at once, where reading it all takes long; else None."""
        if section is not Section.PROFILE or self._profile.is_open:
            return None
        with self._in_words():
            return outline(self._store, self._settings.user_id)

    def items(self, section: Section, toggled: frozenset[str] = frozenset()) -> ItemList:
        """The items of a section; `toggled` are those of a tree that the user opened or closed."""
        with self._in_words(section):
            return self._parts[section].listing(toggled)

    def find(self, section: Section, text: str, still: Callable[[], bool] = lambda: True) -> ItemList:
        """The items that words and filters find, the best first; none once it is not `still` wanted."""
        with self._in_words(section):
            if not still():
                return ItemList(())
            query = read_query(text, self._store.now())
            matches = self._matches(section, query)
            exact = self._named(section, query, matches.exact)
            alike = [replace(item, near=True) for item in self._named(section, query, matches.alike)]
        items = (*exact, *alike)[:_FOUND]
        return ItemList(items) if exact else self._none_holds(section, query.words, items)

    def alike(
        self, section: Section, text: str, still: Callable[[], bool] = lambda: True
    ) -> tuple[Item, ...]:
        """What is near in meaning to the words, nearest first; nothing once it is not `still` wanted.

        The embedder may have to be loaded, and vectors to be made; others find by words meanwhile.
        """
        query = read_query(text, self._store.now())
        if not query.words:
            return ()
        with self._as_memory_problem():
            if not self._parts[section].prepare(still):
                return ()
        with self._in_words(section):
            keys = self._parts[section].alike(query.words, NEAR)
            return tuple(replace(item, near=True) for item in self._named(section, query, keys))

    def details(self, section: Section, item: Item) -> ItemDetails:
        """What stands behind an item."""
        with self._in_words(section):
            return self._parts[section].details(item)

    def edit(self, section: Section, item: Item, text: str, field: str = "") -> str:
        """Give a text of an item, by default its name, other words; returns what happened, in words."""
        if field not in self._parts[section].written:
            text = " ".join(text.split())
        if ItemAction.EDIT not in item.acts:
            raise MemoryProblem(_("This cannot be edited."))
        with self._in_words():
            return self._parts[section].edit(item, field, text)

    def pin(self, section: Section, item: Item) -> str:
        """Pin an item that is not, unpin one that is."""
        with self._in_words():
            self._parts[section].pin(item, not item.pinned)
        return (
            _("Unpinned: its weight decreases with age again.")
            if item.pinned
            else _("Pinned: it stays, however old it gets.")
        )

    def hide(self, section: Section, item: Item) -> str:
        """Hide an item that is shown, show one that is hidden; a schedule is paused or resumed."""
        with self._in_words():
            self._parts[section].hide(item, not item.hidden)
        if section is Section.SCHEDULES:
            return _("Resumed.") if item.hidden else _("Paused: it does not begin until it is resumed.")
        return _("Shown again.") if item.hidden else _("Hidden: not used or suggested, but kept.")

    def stop_suggesting(self, item: Item) -> None:
        """Suggest a routine no more; a command that means it is understood as before."""
        with self._in_words():
            self._parts[Section.ROUTINES].stop_suggesting(item)

    def merge(self, section: Section, item: Item, other: Item) -> str:
        """Make one of two items; the first one's name stays."""
        with self._in_words():
            return self._parts[section].merge(item, other)

    def leaving(self, section: Section, item: Item, words: str) -> str:
        """What splitting an item by some words would part, as a sentence."""
        with self._in_words():
            return self._parts[section].leaving(item, words)

    def split(self, section: Section, item: Item, words: str) -> str:
        """Make two items of one."""
        with self._in_words():
            return self._parts[section].split(item, words)

    def let_alone(self, section: Section, item: Item) -> str:
        """Let a routine begin by itself at its time, or ask first again."""
        with self._in_words():
            return self._parts[section].let_alone(item)

    def choose(self, section: Section, item: Item) -> str:
        """Settle a conflict for this item."""
        with self._in_words():
            return self._parts[section].choose(item)

    def slot_values(self, section: Section, item: Item) -> str:
        """The values that an item can be tried with, as they are typed; empty where it takes none."""
        with self._in_words():
            return self._parts[section].slot_values(item)

    def try_dry(self, section: Section, item: Item, words: str) -> DryRun:
        """What an item would do with the values that some words give, without the phone."""
        with self._in_words():
            return self._parts[section].try_dry(item, words)

    def export(self, section: Section, item: Item, folder: Path, *, replaces: bool = False) -> str:
        """Write an item to a folder of its own in another one; returns what was written, in words."""
        with self._in_words():
            return self._parts[section].export(item, folder, replaces=replaces)

    def export_replaces(self, section: Section, item: Item, folder: Path) -> str:
        """What `export` would write over, as a question; empty for nothing."""
        with self._in_words():
            return self._parts[section].export_replaces(item, folder)

    def to_forget(self, words: str, read: Mapping[str, str] | None = None, core: str = "") -> ItemLocation:
        """Where that stands which is to be forgotten.

        Args:
            words: what the user called it.
            read: the ids of the profile's values that the words were read as, and what they say. Without
                them that is meant which holds all of the words, else what is alike or near in meaning.
            core: those of the words that name something.
        """
        note, meant = _("Meant by “{words}”: {names}."), dict(read or {})
        if not meant:
            # As 我妈的生日 and 我妈生日 are the same.
            bare = re.sub("(?<=[\u3400-\u9fff])的(?=[\u3400-\u9fff])", "", words)
            wordings = dict.fromkeys((words, bare, core or words))
            if (holding := self._holding(wordings)) is not None:
                return holding
            note = _("Nothing says just “{words}”. Written alike: {names}.")
            # A whole entity is not offered for words that are only like its name.
            alike = (
                item for item in self.find(Section.PROFILE, words).items if ItemAction.MERGE not in item.acts
            )
            meant = {item.id: _named_whole(item) for item in list(alike)[:_TOLD]}
        if not meant:
            near = [item.name for item in self.alike(Section.PROFILE, words)][:_TOLD]
            sentence = _("Nothing in the memory says “{words}”.").format(words=one_line(words, 60))
            nearest = _("Nearest in meaning: {names}.").format(names=_("; ").join(near)) if near else ""
            raise MemoryProblem(sentences(sentence, nearest))
        names = _("; ").join(dict.fromkeys(meant.values())).rstrip(".。")
        said_note = note.format(words=one_line(words, 60), names=names)
        return ItemLocation(Section.PROFILE, next(iter(meant)), said_note)

    def locate_record(self, record: Record) -> ItemLocation:
        """Where a record stands, with a sentence that says which it is."""
        name = f"{moment(record.time)} {one_line(record.instruction, 60)}"
        return ItemLocation(Section.RECORDS, record.id, _("Meant is the record “{name}”.").format(name=name))

    def _holding(self, wordings: Iterable[str]) -> ItemLocation | None:
        """Where the first thing stands that holds the words of one of some wordings; None where none does."""
        unread = None
        for words in wordings:
            keys_by_section = {}
            for section in _FORGETTABLE:
                try:
                    with self._in_words(section):
                        keys = find_holding(self._parts[section].texts(), words)
                except MemoryProblem as problem:
                    # Without the embedder there are no prototypes; what they rest on is found all the same.
                    unread = problem
                    continue
                if keys:
                    keys_by_section[section] = keys
            if keys_by_section:
                return _first_of(keys_by_section, words)
        if unread is not None:
            raise unread
        return None

    def goes_with(self, section: Section, item: Item) -> str:
        """What forgetting an item takes away, as a sentence."""
        part = self._parts[section]
        with self._in_words(Section.PROFILE):
            taken = part.goes_with(item)
        return sentences(taken, _("This cannot be undone.")) if part.forgets_for_good else taken

    def forget(self, section: Section, item: Item) -> str:
        """Delete an item for good, with what rests on it alone."""
        with self._in_words():
            return self._parts[section].forget(item)

    def undo_takes(self, item: Item | None = None) -> str:
        """What an undo takes away that is more than one thing, as a sentence; empty for a single change."""
        with self._in_words():
            line = self._last_by_user(undone=False) if item is None else self._store.audit.line(int(item.id))
            added = line.counts.get(schema.records.name, {}).get("inserted", 0) if line is not None else 0
        if line is None or added <= 1:
            return ""
        sentence = _("Undo “{what}”? {records} go from the memory, with all that was learnt from them.")
        return sentence.format(what=change_words(line.what), records=counted(added, "record"))

    def undo(self, item: Item | None = None) -> str:
        """Take a change back: an item of the changes, or what the user changed last."""
        with self._in_words():
            if item is None:
                line = self._last_by_user(undone=False)
                if line is None:
                    return _("None of your changes can be undone.")
            else:
                line = self._store.audit.line(int(item.id))
            record_id = self._about(line)
            try:
                self._store.undo(line.id)
            except UndoRefused as refusal:
                if not refusal.since:
                    raise
                words = change_words(line.what), change_words(refusal.since)
                raise MemoryProblem(_(_IN_THE_WAY).format(what=words[0], since=words[1])) from refusal
            message = _("Undone: {what}.").format(what=taken_back_words(line.what))
            name = self._named_now(record_id)
            return _("{told} It is again: {words}").format(told=message, words=name) if name else message

    def redo(self, item: Item | None = None) -> str:
        """Do an undone change again: an item of the changes, or the one of the user's undone last."""
        with self._in_words():
            if item is not None:
                line = self._store.audit.line(int(item.id))
            elif (undone := self._last_by_user(undone=True)) is not None:
                line = undone
            else:
                return _("There is nothing to redo.")
            record_id = self._about(line)
            self._store.redo(line.id)
            message = _("Redone: {what}.").format(what=taken_back_words(line.what))
            name = self._named_now(record_id)
            return _("{told} It is now: {words}").format(told=message, words=name) if name else message

    def name_of_record(self, record_id: str) -> str:
        """What the preference or routine of a record is called now; empty where it has none."""
        with self._in_words():
            return self._named_now(record_id)

    def spot(self, evidence: Sequence[str], value: str = "") -> ItemLocation:
        """Where that stands which some records are evidence for: a value, a prototype, or the newest record.

        Args:
            evidence: ids of records, the newest first.
            value: the text of the value, where it is one of the profile's.
        """
        with self._in_words(Section.PROFILE if value else None):
            if value and (value_id := self._value_of(value.casefold())):
                return ItemLocation(Section.PROFILE, value_id)
            for record_id in evidence[:1]:
                prototype = self._prototypes.of_record(record_id)
                section = section_of(prototype) if prototype is not None else None
                if prototype is not None and section is not None:
                    return ItemLocation(section, prototype.id)
                return ItemLocation(Section.RECORDS, record_id)
            return ItemLocation(Section.PROFILE)

    def spot_of_suggestion(self, suggestion_id: str) -> ItemLocation:
        """Where the routine of a suggestion stands; the suggestion itself when it is gone."""
        with self._in_words():
            for item in self._parts[Section.SUGGESTIONS].named([suggestion_id]):
                evidence = self._parts[Section.SUGGESTIONS].details(item).evidence
                location = self.spot([record.id for record in evidence])
                if location.section is not Section.RECORDS:
                    return location
            return ItemLocation(Section.SUGGESTIONS, suggestion_id)

    def named(self, section: Section, item_id: str) -> list[Item]:
        """The item of an id in a section; nothing where it is gone."""
        with self._in_words(section):
            return self._parts[section].named([item_id])

    def locate(self, name: str) -> tuple[Section, Item] | None:
        """An item by its id, by the beginning of one, or by its section and either: `places:ab12`.

        Raises:
            MemoryProblem: several are called so.
        """
        with self._in_words(Section.PROFILE):
            return find_item(self._parts, name)

    def mark(self, section: Section) -> int:
        """A number that rises when what a section lists may have changed, whoever changed it."""
        with self._in_words():
            return self._parts[section].mark()

    def now(self) -> datetime:
        """The present time, for filters."""
        return self._store.now()

    @contextmanager
    def _in_words(self, section: Section | None = None) -> Iterator[None]:
        """One caller at a time; what goes wrong becomes a sentence.

        While the profile is being opened for its section, others go on.
        """
        with self._as_memory_problem():
            if section is Section.PROFILE and not self._profile.is_open:
                self._profile()
            with self._lock:
                yield

    @contextmanager
    def _as_memory_problem(self) -> Iterator[None]:
        """What goes wrong becomes a sentence."""
        try:
            yield
        except (StoreError, EmbeddingError) as problem:
            raise MemoryProblem(str(problem)) from problem
        except (KeyError, NoSuchPlace, NoSuchSchedule) as problem:
            raise MemoryProblem(_(_GONE)) from problem

    def _make_sections(self) -> dict[Section, SectionProvider]:
        context, meanings = self._context, RecordMeanings(self._store, self._context.embeds)

        def prototypes(section: Section) -> PrototypesSection:
            return PrototypesSection(
                section, context, self._prototypes, self._profile, meanings, self._occasions
            )

        return {
            Section.PREFERENCES: prototypes(Section.PREFERENCES),
            Section.ROUTINES: prototypes(Section.ROUTINES),
            Section.PROFILE: ProfileSection(context, self._profile),
            Section.PLACES: PlacesSection(context),
            Section.SKILLS: SkillsSection(context),
            Section.RECORDS: RecordsSection(context, self._profile, meanings, self._memory.kind_of),
            Section.SUGGESTIONS: SuggestionsSection(context, self._prototypes, meanings),
            Section.SCHEDULES: SchedulesSection(context),
            Section.CHANGES: ChangesSection(context),
            Section.SENT: RequestsSection(context),
        }

    def _value_of(self, text: str) -> str | None:
        """The id of the first value of the profile that says a text."""
        with self._profile().reading() as graph:
            values = (value for node in graph.nodes() for value in graph.values(node.id).values())
            return next((value.id for value in values if value.text.casefold() == text), None)

    def _about(self, line: AuditLine) -> str:
        """A record of the preference or routine whose words a change is about; else nothing."""
        if line.what != RENAMED:
            return ""
        rows = self._store.audit.rows(line.id)
        return next((str(row.key["record_id"]) for row in rows if "record_id" in row.key), "")

    def _named_now(self, record_id: str) -> str:
        """What the preference or routine of a record is called now."""
        prototype = self._prototypes.of_record(record_id) if record_id else None
        return prototype.instruction if prototype is not None else ""

    def _matches(self, section: Section, query: MemoryQuery) -> TextMatches:
        texts = self._parts[section].texts()
        return find_matching(texts, query.words, len(texts.keys) if query.filters else _FOUND)

    def _none_holds(self, section: Section, words: str, near: tuple[Item, ...]) -> ItemList:
        """That no item of a section holds some words, and which other sections have items that do."""
        if not words:
            return ItemList(near, _("No results."))
        counts: dict[Section, str] = {}
        for other in _FORGETTABLE:
            try:
                with self._in_words(other):
                    held = 0 if other is section else len(find_holding(self._parts[other].texts(), words))
            except MemoryProblem:
                continue
            if held:
                counts[other] = _("{count} in {section}").format(count=held, section=_(other.value))
        sentence = _("Nothing here holds “{words}”.").format(words=one_line(words, 60))
        elsewhere = _("Elsewhere: {counts}.").format(counts=_(", ").join(counts.values())) if counts else ""
        return ItemList(near, sentences(sentence, elsewhere), next(iter(counts), None))

    def _named(self, section: Section, query: MemoryQuery, keys: Sequence[str]) -> list[Item]:
        items = self._parts[section].named(keys)
        return [item for item in items if query.admits(item)][:_FOUND] if query.filters else items

    def _occasions(self, prototype_id: str) -> list[tuple[datetime, float]]:
        """When a prototype is likely next, with the chances."""
        expected = self._expected.get(self._store.now().date())
        return [(occasion.time, occasion.chance) for occasion in expected if occasion.routine == prototype_id]

    def _expect(self, day: date) -> Sequence[ExpectedOccasion]:
        """When each routine is likely from a day on."""
        user_id, proactive = self._settings.user_id, self._settings.proactive
        habits = HabitCache(self._store, lambda: self._memory, user_id, _calendar(proactive.country))
        now = self._store.now()
        past = Suggestions(self._store, user_id).since(now - REMEMBERED)
        return forecast(habits(day), past, now, proactive.cost_of_being_wrong)

    def _last_by_user(self, *, undone: bool) -> AuditLine | None:
        """The user's latest change that stands; or the one whose undo was the latest."""
        lines = self._store.audit.lines(_LOOKED_BACK)
        mine = {line.id: line for line in lines if line.kind is ChangeKind.CHANGE and line.why == _BY_USER}
        if not undone:
            return max(
                (line for line in mine.values() if not line.undone), key=lambda line: line.id, default=None
            )
        back = [line.target for line in reversed(lines) if line.kind is ChangeKind.UNDO]
        return next(
            (mine[change_id] for change_id in back if change_id in mine and mine[change_id].undone), None
        )


def _calendar(country: str) -> Calendar:
    try:
        return Calendar(country)
    except UnknownCountry:
        return Calendar()
