"""Operations on the whole memory: retention limits, switches for learning, import, export, and wiping it.

A change of limits says first what it would delete.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from sqlalchemy import delete, select

from assistant.files import write_privately
from assistant.i18n import _, counted, joined, later, ngettext, sentences
from assistant.memory import schema
from assistant.memory.audit import ChangeHeader, ChangeKind, changing
from assistant.memory.forgetting import RetentionUsage, free_pages, measure_usage, preview_sweep, sweep
from assistant.memory.programs import drop_queued
from assistant.memory.store import INCOGNITO, LearningSwitches, RecordSource, Store
from assistant.memory.transfer.jsonl import import_lines
from assistant.memory_view.items import MemoryProblem, listed, unwiped_warning
from assistant.memory_view.labels import made_by
from assistant.memory_view.sections import format_size
from assistant.settings.schema import MemorySettings

LIMITS: Mapping[str, str] = {
    later("days of screenshots"): "screenshot_days",
    later("megabytes of screenshots"): "screenshot_megabytes",
    later("days of what was sent"): "sent_days",
}
"""What a limit is called, and its setting."""

MOST = 1_000_000
"""The largest limit."""


class RetentionSettings:
    """For all users of a memory: screenshots of theirs lie in one folder.

    Args:
        store: the memory.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def there(self) -> str:
        """What there is now, as a sentence."""
        now = measure_usage(self._store)
        if now == RetentionUsage():
            return _("Nothing is kept now. Records stay until you forget them.")
        return _("Kept now: {what}. Records stay until you forget them.").format(what=_in_words(now))

    def goes_with(self, limits: MemorySettings) -> str:
        """What other limits would delete now, as a sentence; empty for nothing."""
        gone = preview_sweep(self._store, limits, self._store.now())
        if gone == RetentionUsage():
            return ""
        return _("This deletes {what} permanently, at once. Records stay.").format(what=_in_words(gone))

    def sweep(self, limits: MemorySettings) -> str:
        """Delete what is too old or too much by some limits; what went, as a sentence."""
        gone = preview_sweep(self._store, limits, self._store.now())
        sweep(self._store, limits, self._store.now())
        return (
            _("Nothing to delete.")
            if gone == RetentionUsage()
            else _("Deleted: {what}.").format(what=_in_words(gone))
        )


def change_limit(limits: MemorySettings, name: str, text: str) -> MemorySettings:
    """The limits with one of them as it was typed.

    Raises:
        MemoryProblem: it is no whole number from 0 on.
    """
    typed = text.strip()
    if not typed.isdecimal() or int(typed) > MOST:
        raise MemoryProblem(_("Type a whole number, such as 30; 0 is no limit."))
    return limits.model_copy(update={LIMITS[name]: int(typed)})


def _in_words(what: RetentionUsage) -> str:
    parts = []
    if what.pictures:
        pictures = counted(what.pictures, "screenshot")
        parts.append(_("{screenshots} ({size})").format(screenshots=pictures, size=format_size(what.size)))
    if what.sent:
        parts.append(_("{lines} of what was sent").format(lines=counted(what.sent, "line")))
    return listed(parts)


CONFIRMATION = later("wipe everything")
"""What must be typed to wipe the memory, so or in the reader's language."""


class BulkOperations:
    """For one user.

    Args:
        store: the memory.
        user_id: whose.
    """

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id
        self._learning = LearningSwitches(store, user_id)
        self.keeping = RetentionSettings(store)

    def sources(self) -> list[RecordSource]:
        """Where records come from, and whether anything is learnt from them."""
        return self._learning.sources()

    def switch(self, source: str, on: bool) -> str:
        """Learn from a source, or not.

        Raises:
            MemoryProblem: there is no such source, or it is that of turns without learning.
        """
        if source not in [other.name for other in self.sources()]:
            names = joined(other.name or _("(none)") for other in self.sources() if other.name != INCOGNITO)
            raise MemoryProblem(
                _("There is no source “{source}”. There are: {known}").format(source=source, known=names)
            )
        try:
            self._learning.switch(source, on)
        except ValueError as problem:
            raise MemoryProblem(str(problem)) from problem
        return (_("Learning from {source} is on.") if on else _("Learning from {source} is off.")).format(
            source=made_by(source) or _("records without a source")
        )

    def export(self, file: Path) -> str:
        """Write the user's records as lines, for the user alone."""
        records = list(self._store.records.of(self._user_id))
        text = "".join(f"{record.model_dump_json(exclude_none=True)}\n" for record in records)
        try:
            write_privately(file.expanduser(), text)
        except OSError as problem:
            raise MemoryProblem(
                _("{file} cannot be written: {reason}.").format(file=file, reason=problem.strerror)
            ) from problem
        return _("{records} written to {file}.").format(records=counted(len(records), "record"), file=file)

    def take_in(self, file: Path) -> str:
        """Take record lines in; what is known stays as it is."""
        refused: list[int] = []
        try:
            with file.expanduser().open("rb") as lines:
                done = import_lines(
                    self._store,
                    lines,
                    file.name,
                    lambda _: None,
                    lambda refusal: refused.append(refusal.line),
                )
        except OSError as problem:
            raise MemoryProblem(
                _("{file} cannot be read: {reason}.").format(file=file, reason=problem.strerror)
            ) from problem
        broken = (
            _(" Refused: line {listed}.").format(listed=", ".join(map(str, refused[:5]))) if refused else ""
        )
        return _("{imported} imported, {known} known already, {refused} refused.{broken}").format(
            imported=done.imported, known=done.duplicates, refused=done.refused, broken=broken
        )

    def wipe(self, typed: str) -> str:
        """Delete everything that the memory holds, of every user; only the switches of learning stay.

        Raises:
            MemoryProblem: what was typed is not `CONFIRMATION`, or a turn is open.
        """
        if " ".join(typed.split()).casefold() not in (CONFIRMATION, _(CONFIRMATION)):
            raise MemoryProblem(
                _("Nothing is wiped. To wipe the memory, type: {confirmation}").format(
                    confirmation=_(CONFIRMATION)
                )
            )
        turns = schema.turns
        with self._store.reader() as connection:
            if connection.execute(select(turns.c.id).where(turns.c.open).limit(1)).first() is not None:
                raise MemoryProblem(_("A turn is running or unfinished. End or discard it first."))
        heading = ChangeHeader("Wipe the memory", "asked by the user", ChangeKind.FORGET)
        with changing(self._store.database, heading, self._store.now) as change:
            for table in reversed(schema.metadata.sorted_tables):
                if table.name not in _KEPT:
                    gone = change.connection.execute(delete(table)).rowcount
                    change.count(table, "erased", max(0, gone))
        pictures = _empty(self._store.screenshots.iterdir())
        queued = drop_queued(self._store.folder)
        clean = free_pages(self._store.database)
        wiped = _("Wiped: the memory is empty. {screenshots} deleted.").format(
            screenshots=counted(pictures, "screenshot")
        )
        lines = [wiped]
        if queued:
            lines.append(
                ngettext(
                    "{count} queued command deleted.", "{count} queued commands deleted.", queued
                ).format(count=queued)
            )
        return sentences(*lines, *([] if clean else [unwiped_warning()]))


_KEPT = frozenset({"learning_switches", "leases"})


def _empty(files: Iterable[Path]) -> int:
    count = 0
    for file in files:
        if file.is_file():
            file.unlink(missing_ok=True)
            count += 1
    return count
