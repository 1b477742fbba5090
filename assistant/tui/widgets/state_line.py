"""The line that shows the turn's state in words."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from assistant.events import TurnState
from assistant.i18n import _
from assistant.presentation.text import clip, one_line
from assistant.presentation.ui_state import Situation, format_advice, format_headline
from assistant.tui.keymap import with_user_keys

_STYLES = {
    None: "$foreground-muted",
    TurnState.WAITING: "bold $text-warning",
    TurnState.PAUSING: "bold $text-warning",
    TurnState.PAUSED: "bold $text-warning",
    TurnState.FINISHED: "bold $text-success",
    TurnState.FAILED: "bold $text-error",
    TurnState.CANCELLED: "bold",
}
_COUNTED = (TurnState.RESOLVING, TurnState.RUNNING, TurnState.PAUSING, TurnState.WAITING)
_SAID_AFTER = 3
_SENTENCE_KEPT = 300


class StateLine(Static):
    """State, cause, and elapsed time; the clock ticks only while a turn is in progress."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(id="state", markup=False)
        self._clock = clock
        self._situation = Situation()
        self._sentence = ""
        self._since = clock()
        self._ticking: Timer | None = None

    def show(self, situation: Situation, sentence: str) -> None:
        """Show a situation; if it is unchanged, the time keeps counting."""
        sentence = clip(one_line(sentence), _SENTENCE_KEPT)
        before = self._situation
        if (situation, sentence) == (before, self._sentence) and self.content:
            return
        if (situation.state, situation.cause) != (before.state, before.cause):
            self._since = self._clock()
        self._situation, self._sentence = situation, sentence
        self._tick_while(situation.state in _COUNTED and situation.asking is None)
        self.update(self._format_state())

    def _tick_while(self, needed: bool) -> None:
        if needed and self._ticking is None:
            self._ticking = self.set_interval(1, self._tick)
        elif not needed and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None

    def _tick(self) -> None:
        self.update(self._format_state(), layout=False)

    def _format_state(self) -> Content:
        situation = self._situation
        sign, words = format_headline(situation.state, situation.cause)
        elapsed = int(self._clock() - self._since)
        if self._ticking is not None and elapsed >= _SAID_AFTER:
            words += _(" · {seconds} s").format(seconds=elapsed)
        sentence = self._sentence or with_user_keys(format_advice(situation))
        style = _STYLES.get(situation.state, "bold")
        return Content.assemble((f"{sign} {words}", style), f"   {sentence}" if sentence else "")
