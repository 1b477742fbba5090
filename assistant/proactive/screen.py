"""The one suggestion that listeners have on their screens: told once, and again when it has changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from assistant.events import Event, SuggestionAnswered, SuggestionLapsed, SuggestionOffered
from assistant.proactive.reasons import in_words
from assistant.proactive.suggestions import Stage, Suggestion, later


class SuggestionOnScreen:
    """Tells by events what becomes of suggestions.

    Args:
        emit: takes the events.
        now: the user's local time with its zone.
        undo: how long one that begins by itself can be stopped before.
    """

    def __init__(self, emit: Callable[[Event], None], now: Callable[[], datetime], undo: timedelta) -> None:
        self._emit = emit
        self._now = now
        self._undo = undo
        self._told: SuggestionOffered | None = None

    @property
    def there(self) -> bool:
        """Whether one was told of that is not over."""
        return self._told is not None

    def follow(self, waits: Suggestion | None, *, alone: bool = False, new: bool = False) -> None:
        """Tell of the suggestion that waits, where that is not what was told; None is none.

        One that was told before and has changed never begins by itself: its words are others than those that
        the user has let pass.

        Args:
            waits: as it is in the memory.
            alone: whether the user lets it begin by itself.
            new: whether it is shown for the first time, or again after it was put off.
        """
        told = self._told
        if told is not None and (waits is None or waits.id != told.id):
            self.lapse(told.id)
        if waits is None:
            return
        why = tuple(map(in_words, waits.why))
        same = told is not None and (told.id, told.instruction, told.why) == (
            waits.id,
            waits.instruction,
            why,
        )
        stopped = told is not None and told.starts is not None and not alone
        if same and not stopped and not new:
            return
        now = self._now()
        self._told = SuggestionOffered(
            time=now,
            id=waits.id,
            instruction=waits.instruction,
            score=waits.score,
            until=waits.until,
            why=why,
            starts=later(now, self._undo) if alone and new else None,
        )
        self._emit(self._told)

    def lapse(self, suggestion_id: str) -> None:
        """One is over without an answer."""
        self._forget(suggestion_id)
        self._emit(SuggestionLapsed(time=self._now(), id=suggestion_id))

    def answered(self, kept: Suggestion) -> None:
        """The user's answer is kept."""
        self._forget(kept.id)
        put_off = kept.due if kept.stage is Stage.SNOOZED else None
        answer = kept.answer.value or kept.stage.value
        self._emit(SuggestionAnswered(time=self._now(), id=kept.id, answer=answer, until=put_off))

    def _forget(self, suggestion_id: str) -> None:
        if self._told is not None and self._told.id == suggestion_id:
            self._told = None
