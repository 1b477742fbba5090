"""The door to the memory for a person: sections, what stands behind an item, and changes by hand."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import func, select

from assistant.config import Settings
from assistant.embedding.embeds import Embeds
from assistant.embedding.errors import EmbeddingError
from assistant.memory import schema
from assistant.memory.audit import AuditLine
from assistant.memory.changes import ChangeKind
from assistant.memory.digest import hierarchical_memory
from assistant.memory.forgetting import forget
from assistant.memory.him.memory import HierarchicalMemory
from assistant.memory.him.prototype import Prototype
from assistant.memory.profile.nodes import LONGEST_TEXT, Value
from assistant.memory.profile.profile import Profile
from assistant.memory.rows import portions
from assistant.memory.store import Store, StoreError
from assistant.memory_view import facts, history, prototypes
from assistant.memory_view.items import Act, Details, Item, Listing, MemoryProblem, Section, Seen
from assistant.records import Record

EVIDENCE = 20
"""The most records told as evidence of one item."""
_READ = 60
_LOOKED_BACK = 500
_BY_USER = "asked by the user"
_LONGEST_INSTRUCTION = 400
_GONE = "It is not there any more."


class MemoryView:
    """The memory of one user. Everything may take long, and may be called from any thread.

    Every method raises `MemoryProblem` with a sentence for the user where it cannot do what is asked.

    Args:
        store: the memory.
        embeds: the sentence embedder.
        settings: whose memory, and how it is kept.
    """

    def __init__(self, store: Store, embeds: Embeds, settings: Settings) -> None:
        self._store = store
        self._embeds = embeds
        self._user = settings.user_id
        self._memory: HierarchicalMemory = hierarchical_memory(store, embeds, settings)
        self._lock = threading.RLock()
        self._opened: Profile | None = None
        self._prototypes: dict[str, Prototype] = {}

    def items(self, section: Section) -> Listing:
        """The items of a section."""
        with self._in_words():
            match section:
                case Section.PREFERENCES | Section.ROUTINES:
                    return prototypes.listing(section, self._known())
                case Section.PROFILE:
                    return facts.listing(self._profile())
                case Section.RECORDS:
                    return history.records(self._store, self._user)
                case Section.CHANGES:
                    return history.changes(self._store)

    def details(self, section: Section, item: Item) -> Details:
        """What stands behind an item."""
        with self._in_words():
            match section:
                case Section.PREFERENCES | Section.ROUTINES:
                    prototype = self._prototype(item)
                    records = self._records(prototype.evidence[:_READ])
                    return _details(prototypes.facts(prototype, records), prototype.evidence, records)
                case Section.PROFILE:
                    value = self._value(item)
                    wanted = tuple(dict.fromkeys(value.record_ids))
                    return _details(
                        facts.facts(self._profile(), value), wanted, self._records(wanted[:EVIDENCE])
                    )
                case Section.RECORDS:
                    return Details(history.facts_of_record(self._record(item)))
                case Section.CHANGES:
                    return Details(history.facts_of_change(self._store.audit.line(int(item.id))))

    def edit(self, section: Section, item: Item, text: str) -> str:
        """Give an item another name; returns what happened, in words."""
        text = " ".join(text.split())
        self._check(section, item, text)
        if text == item.name:
            return "Nothing differs."
        with self._in_words():
            if section is Section.PROFILE:
                self._profile().edit(item.id, text)
            elif section is Section.RECORDS:
                self._store.records.edit(item.id, {"instruction": text})
            else:
                members = prototypes.members(self._prototype(item))
                self._memory.decisions(self._user).rename(members, text)
        return f"Changed: {text}"

    def pin(self, section: Section, item: Item) -> str:
        """Pin an item that is not, unpin one that is."""
        pinned = not item.pinned
        with self._in_words():
            if section is Section.PROFILE:
                self._profile().pin(self._value(item).node_id, pinned)
            else:
                members = prototypes.members(self._prototype(item))
                self._memory.decisions(self._user).pin(members, pinned)
        return "Pinned: it stays, however old it gets." if pinned else "Unpinned: it fades again."

    def hide(self, section: Section, item: Item) -> str:
        """Hide an item that is shown, show one that is hidden."""
        hidden = not item.hidden
        with self._in_words():
            if section is Section.PROFILE:
                self._show_value(self._value(item), hidden)
            else:
                members = prototypes.members(self._prototype(item))
                self._memory.decisions(self._user).hide(members, hidden)
        return "Hidden: it is neither used nor suggested." if hidden else "Shown: it is used again."

    def goes_with(self, section: Section, item: Item) -> str:
        """What forgetting an item takes away, as a sentence."""
        with self._in_words():
            if section is Section.PROFILE:
                return "The value goes with all that the audit keeps of it; its records stay."
            ids = self._behind(section, item)
            told = [_counted(len(ids), "record")]
            if pictures := self._pictures(ids):
                told.append(_counted(pictures, "screenshot"))
            if values := self._resting_on(ids):
                told.append(f"{_counted(values, 'value')} of the profile")
            return f"{_listed(told)} {'goes' if told == ['1 record'] else 'go'} for good."

    def forget(self, section: Section, item: Item) -> str:
        """Delete an item for good, with what rests on it alone."""
        with self._in_words():
            if section is Section.PROFILE:
                self._profile().forget(item.id)
                return "Forgotten."
            done = forget(self._store, self._behind(section, item))
            told = [_counted(done.records, "record")]
            if done.screenshots:
                told.append(_counted(done.screenshots, "screenshot"))
            late = (
                "" if done.scrubbed else " Another program reads the memory: text may linger until it ends."
            )
            return f"Forgotten: {_listed(told)}.{late}"

    def undo(self, item: Item | None = None) -> str:
        """Take a change back: an item of the changes, or what the user changed last."""
        with self._in_words():
            if item is None:
                line = self._last_by_user(undone=False)
                if line is None:
                    return "Nothing of what you changed can be undone."
            else:
                line = self._store.audit.line(int(item.id))
            self._store.undo(line.id)
            return f"Undone: {line.what}."

    def redo(self, item: Item | None = None) -> str:
        """Do an undone change again: an item of the changes, or the one of the user's undone last."""
        with self._in_words():
            if item is not None:
                line = self._store.audit.line(int(item.id))
            elif (found := self._last_by_user(undone=True)) is not None:
                line = found
            else:
                return "There is nothing to redo."
            self._store.redo(line.id)
            return f"Done again: {line.what}."

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """One caller at a time; what goes wrong becomes a sentence."""
        with self._lock:
            try:
                yield
            except (StoreError, EmbeddingError) as problem:
                raise MemoryProblem(str(problem)) from problem
            except KeyError as problem:
                raise MemoryProblem(_GONE) from problem

    def _check(self, section: Section, item: Item, text: str) -> None:
        longest = LONGEST_TEXT if section is Section.PROFILE else _LONGEST_INSTRUCTION
        if Act.EDIT not in item.acts:
            raise MemoryProblem("This cannot be edited.")
        if not text:
            raise MemoryProblem("Nothing is typed. To delete it, press f on it.")
        if len(text) > longest:
            raise MemoryProblem(f"It has {len(text)} characters; at most {longest} are kept.")

    def _known(self) -> list[Prototype]:
        found = self._memory.prototypes(self._user)
        self._prototypes = {one.id: one for one in found}
        return found

    def _prototype(self, item: Item) -> Prototype:
        """The prototype as it was last told, else anew."""
        if item.id not in self._prototypes:
            self._known()
        return self._prototypes[item.id]

    def _profile(self) -> Profile:
        if self._opened is None:
            self._opened = Profile(self._store, self._embeds, self._user)
        return self._opened

    def _value(self, item: Item) -> Value:
        value = self._profile().graph.find_value(item.id)
        if value is None:
            raise KeyError(item.id)
        return value

    def _show_value(self, value: Value, hidden: bool) -> None:
        node = self._profile().graph.node(value.node_id)
        if not hidden and node is not None and node.hidden:
            self._profile().hide(node.id, False)
        if value.hidden != hidden:
            self._profile().hide_value(value.id, hidden)

    def _record(self, item: Item) -> Record:
        record = self._store.records.get(item.id)
        if record is None:
            raise KeyError(item.id)
        return record

    def _records(self, ids: Sequence[str]) -> list[Record]:
        found = (self._store.records.get(one) for one in ids)
        return [one for one in found if one is not None]

    def _behind(self, section: Section, item: Item) -> tuple[str, ...]:
        return (item.id,) if section is Section.RECORDS else prototypes.members(self._prototype(item))

    def _pictures(self, ids: Iterable[str]) -> int:
        table, count = schema.observations, 0
        with self._store.reader() as connection:
            for portion in portions(ids):
                shown = select(func.count()).where(table.c.turn_id.in_(portion), table.c.screenshot != "")
                count += int(connection.execute(shown).scalar_one())
        return count

    def _resting_on(self, ids: Iterable[str]) -> int:
        """How many values of the profile nothing but some records tells."""
        gone = set(ids)
        told = (fact.value.evidence for fact in self._profile().facts())
        return sum(all(one.record_id in gone for one in evidence) for evidence in told)

    def _last_by_user(self, *, undone: bool) -> AuditLine | None:
        """The user's latest change that stands; or the one whose undo was the latest."""
        lines = self._store.audit.lines(_LOOKED_BACK)
        mine = {one.id: one for one in lines if one.kind is ChangeKind.CHANGE and one.why == _BY_USER}
        if not undone:
            return max((one for one in mine.values() if not one.undone), key=lambda one: one.id, default=None)
        back = [one.target for one in reversed(lines) if one.kind is ChangeKind.UNDO]
        return next((mine[one] for one in back if one in mine and mine[one].undone), None)


def _details(told: tuple[tuple[str, str], ...], wanted: Sequence[str], records: Sequence[Record]) -> Details:
    shown = records[:EVIDENCE]
    seen = tuple(
        Seen(one.id, one.time, one.scenario, one.instruction, one.app or one.package) for one in shown
    )
    return Details(told, seen, max(0, len(wanted) - len(seen)))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _listed(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
