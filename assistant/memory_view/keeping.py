"""How long screenshots and what was sent are kept: told, weighed before it changes, and changed."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.i18n import _, counted, later
from assistant.memory.retention import Kept, going, kept, sweep
from assistant.memory.store import Store
from assistant.memory_view.items import MemoryProblem, listed
from assistant.memory_view.sent_part import size
from assistant.settings.schema import MemorySettings

LIMITS: Mapping[str, str] = {
    later("days of screenshots"): "screenshot_days",
    later("megabytes of screenshots"): "screenshot_megabytes",
    later("days of what was sent"): "sent_days",
}
"""What a limit is called, and its setting."""

MOST = 1_000_000
"""The largest limit."""


class Keeping:
    """For all users of a memory: screenshots of theirs lie in one folder.

    Args:
        store: the memory.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def there(self) -> str:
        """What there is now, as a sentence."""
        now = kept(self._store)
        if now == Kept():
            return _("Nothing is kept now. Records stay until you forget them.")
        return _("Kept now: {what}. Records stay until you forget them.").format(what=_in_words(now))

    def goes_with(self, limits: MemorySettings) -> str:
        """What other limits would delete now, as a sentence; empty for nothing."""
        gone = going(self._store, limits, self._store.now())
        if gone == Kept():
            return ""
        return _("That deletes {what} now, for good. Records stay.").format(what=_in_words(gone))

    def sweep(self, limits: MemorySettings) -> str:
        """Delete what is too old or too much by some limits; what went, as a sentence."""
        gone = going(self._store, limits, self._store.now())
        sweep(self._store, limits, self._store.now())
        return (
            _("Nothing had to go.") if gone == Kept() else _("Deleted: {what}.").format(what=_in_words(gone))
        )


def changed(limits: MemorySettings, name: str, text: str) -> MemorySettings:
    """The limits with one of them as it was typed.

    Raises:
        MemoryProblem: it is no whole number from 0 on.
    """
    typed = text.strip()
    if not typed.isdecimal() or int(typed) > MOST:
        raise MemoryProblem(_("Type a whole number, such as 30; 0 is no limit."))
    return limits.model_copy(update={LIMITS[name]: int(typed)})


def _in_words(what: Kept) -> str:
    told = []
    if what.pictures:
        pictures = counted(what.pictures, "screenshot")
        told.append(_("{screenshots} ({size})").format(screenshots=pictures, size=size(what.size)))
    if what.sent:
        told.append(_("{lines} of what was sent").format(lines=counted(what.sent, "line")))
    return listed(told)
