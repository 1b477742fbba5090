"""The lines that say how things stand.

`StatusBar` is the top line: phone, foreground app, scenario, model, tokens, and what is simulated.
`StateLine` says the turn's state in words. `KeyLine` is the last line: the active keys, or a message for a
few seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlsplit

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from assistant import events
from assistant.engine import Engine
from assistant.events import PhoneState, TurnState
from assistant.i18n import _, later, moment, shortened, wrap
from assistant.model.dialects import registry
from assistant.presentation.text import clip, format_app_title, format_headline, format_tokens, one_line
from assistant.presentation.turn_log import is_by_turn
from assistant.presentation.ui_state import UiState, format_advice
from assistant.records import in_words
from assistant.tui.keys import format_footer, with_user_keys

_LOW_BATTERY = 20
"""The percentage at which the battery is worth a word."""

_TICK = 1.0
"""Seconds between two updates of the simulated phone's time."""

_STATES = {
    PhoneState.READY: "",
    PhoneState.NO_ADB: later("adb is missing"),
    PhoneState.ABSENT: later("no phone"),
    PhoneState.UNAUTHORIZED: later("not authorised"),
    PhoneState.OFFLINE: later("offline"),
    PhoneState.FROZEN: later("does not answer"),
    PhoneState.SCREEN_OFF: later("screen off"),
    PhoneState.LOCKED: later("locked"),
    PhoneState.NO_INPUT_PERMISSION: later("may not be touched"),
}


def format_phone_state(state: PhoneState) -> str:
    """Why a phone cannot be used; empty if it can."""
    return _(_STATES[state])


_ROOMY = 110
"""Columns from which parts have their signs, and what is simulated stands in the first line."""


@dataclass(slots=True)
class Status:
    """The contents of the bar. Texts are safe to show. `helper_lost`: plain adb is used for this turn."""

    phone_state: PhoneState | None = None
    helper_lost: bool = False
    phone: str = ""
    serial: str = ""
    battery: int | None = None
    app: str = ""
    scenario: str = ""
    model: str = ""
    used: int = 0
    used_today: int = 0
    today: str = ""
    learns: bool = True

    def parts(self, short: bool) -> list[str]:
        """The parts from left to right; `short` for narrow terminals."""
        ready = self.phone_state is PhoneState.READY
        state = format_phone_state(self.phone_state) if self.phone_state else _("looking for a phone")
        low = self.battery is not None and self.battery <= _LOW_BATTERY
        battery = _("battery {percent} %").format(percent=self.battery) if low else ""
        helper = _("without helper") if self.helper_lost else ""
        phone = " ".join if short else " · ".join
        parts = [
            f"{'●' if ready else '○'} "
            + phone(part for part in (self.phone, state, helper, battery) if part),
            "" if self.learns else f"◌ {_('learning paused')}",
            # In a wide terminal the phone's panel has it.
            self.app if short else "",
            f"⌂ {self.scenario}" if self.scenario else "",
            self.model.partition("@")[0].strip() if short else f"◆ {self.model}",
            self._format_usage(short),
        ]
        return [part for part in parts if part]

    def _format_usage(self, short: bool) -> str:
        count = self.used_today or self.used
        used = format_tokens(count) if count else ""
        if short:
            return self.today or used
        usage = " · ".join(part for part in (used, self.today) if part)
        return _("{used} today").format(used=usage) if self.used_today or self.today else usage


class StatusBar(Widget):
    """One line, or two if something is simulated."""

    ALLOW_SELECT = False

    def __init__(self, engine: Engine) -> None:
        super().__init__(id="status")
        model = engine.settings.model
        host = _host(model.base_url)
        name = clip(one_line(model.name), 40) or (_("no name") if host else _("no model"))
        if model.name and registry.is_guess(model.dialect, model.name):
            name = f"{name} ({_('reply format guessed')})"
        # Where pictures of the screen go is worth a word, unless they stay here.
        self.status = Status(model=f"{name} @ {host}" if host and host not in _HERE else name)
        self._engine = engine
        self._simulated = one_line(_(engine.simulated))
        self._minute: datetime | None = None
        self._turns: Sequence[tuple[str, bool]] = ()

    def on_mount(self) -> None:
        """Update the simulated phone's time regularly."""
        if self._engine.simulated_time is not None:
            self.set_interval(_TICK, self._show_time)

    def _show_time(self) -> None:
        """Draw the bar anew when the minute has changed."""
        now = self._engine.simulated_time
        minute = now.replace(second=0, microsecond=0) if now is not None else None
        if minute != self._minute:
            self._minute = minute
            self.refresh()

    def handle_event(self, event: events.Event) -> None:
        """Update the bar."""
        status = self.status
        before = replace(status)
        match event:
            case events.PhoneStateChanged(helper_lost=True):
                status.helper_lost = True
            case events.PhoneStateChanged() if not is_by_turn(event):
                status.phone_state, status.battery = event.state, event.battery
                if event.model or event.serial not in ("", status.serial):
                    status.phone = clip(one_line(event.model or event.serial), 24)
                status.serial = event.serial or status.serial
            case events.ScreenObserved(app=app):
                status.app = clip(format_app_title(app), 24)
            case events.ScenarioChanged(scenario=scenario, place=place):
                status.scenario = "" if scenario == "unknown" else clip(one_line(place or _(scenario)), 24)
            case events.PlaceAsked():
                status.scenario = _("where are you? /where")
            case events.UsageUpdated(usage=usage, costs_today=costs):
                status.used, status.today = usage.total_tokens, " + ".join(map(in_words, costs))
                status.used_today = event.tokens_today
            case events.LearningChanged(learns=learns):
                status.learns = learns
            case events.TurnFinished(usage=usage):
                status.used, status.helper_lost = usage.total_tokens, False
            case _:
                return
        if status != before:
            self.refresh()

    def show_front(self, turn: Iterable[events.Event]) -> None:
        """Show what holds for the turn that has come to the front, by the events that tell it."""
        self.status.helper_lost = any(
            isinstance(event, events.PhoneStateChanged) and event.helper_lost for event in turn
        )
        self.refresh()

    def show_turns(self, lines: Sequence[tuple[str, bool]]) -> None:
        """Show a line for each of several running turns, and which of them is in front."""
        if lines != self._turns:
            is_as_high = len(lines) == len(self._turns)
            self._turns = lines
            self.refresh(layout=not is_as_high)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line, plus one for what is simulated, and one for each of several turns."""
        return (2 if self._has_own_line(width) else 1) + len(self._turns)

    def render(self) -> Content:
        """Format the parts for the width; those that do not fit are left out from the right."""
        width = self.content_size.width
        short = width < _ROOMY
        gap = "  " if short else "   "
        line, own = "", _("assistant")
        now = self._engine.simulated_time
        simulated = " · ".join(filter(None, (self._simulated, moment(now) if now is not None else "")))
        beside = simulated if simulated and not self._has_own_line(width) else ""
        for part in self.status.parts(short):
            joined = f"{line}{gap}{part}" if line else f" {part}"
            if cell_len(joined) > width - cell_len(beside):
                break
            line = joined
        right, style = (beside, "$text-warning") if beside else (own, "$foreground-muted")
        room = width - cell_len(line) - cell_len(right) - 1
        content = Content(line)
        if room >= len(gap):
            content += Content.assemble(" " * room, (right, style))
        turns = [
            Content.styled(f" {words}", "bold" if is_front else "").truncate(width, ellipsis=True)
            for words, is_front in self._turns
        ]
        if self._has_own_line(width):
            turns.insert(0, Content.styled(f" {simulated}", "$text-warning").truncate(width, ellipsis=True))
        return Content("\n").join([content, *turns])

    def _has_own_line(self, width: int) -> bool:
        """Whether what is simulated has a line of its own, for want of room at the right of the first."""
        return bool(self._simulated) and width < _ROOMY


_HERE = ("localhost", "127.0.0.1", "::1")


def _host(address: str) -> str:
    try:
        return clip(one_line(urlsplit(address).hostname or ""), 40)
    except ValueError:
        return _("an address that cannot be read")


_MOST_ROWS = 4
_HINT_STAYS, _READ_PER_SECOND = 5.0, 14
"""Seconds that a message stays at least, and how many of its cells are read in a second."""


class KeyLine(Widget):
    """Built from the table of keys."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="keys")
        self._situation = UiState()
        self._hint = ""
        self._fading: Timer | None = None
        self._stays = False

    def show(self, situation: UiState) -> None:
        """Show the keys for a situation."""
        if situation != self._situation:
            self._situation = situation
            if not self._stays:
                self._hint = ""
            self.refresh()

    def hint(self, sentence: str, *, stays: bool = False) -> None:
        """Show a message for a few seconds; unless it `stays`, a new situation ends it earlier."""
        self._hint, self._stays = with_user_keys(one_line(sentence)), stays
        if self._fading is not None:
            self._fading.stop()
        reading = cell_len(self._hint) / _READ_PER_SECOND
        self._fading = self.set_timer(max(_HINT_STAYS, reading), self._fade)
        self.refresh(layout=True)

    def _fade(self) -> None:
        self._hint, self._stays = "", False
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line; further ones for a message that is longer, so that its advice is not cut off."""
        return max(1, len(self._rows(width)))

    def _rows(self, width: int) -> list[str]:
        """The lines of a message that takes more than one; at most `_MOST_ROWS`."""
        rows = wrap(self._hint, width - 1) if cell_len(self._hint) >= width > 1 else []
        return [*rows[: _MOST_ROWS - 1], shortened(" ".join(rows[_MOST_ROWS - 1 :]), width - 1)][: len(rows)]

    def render(self) -> Content:
        """The message first, then as many keys as fit."""
        width = self.content_size.width
        if self._hint and self.content_size.height > 1:
            lines = (Content.styled(f" {row}", "bold $text-warning") for row in self._rows(width))
            return Content("\n").join(lines)
        line = Content.assemble(" ", (self._hint, "bold $text-warning")) if self._hint else Content("")
        for shown, words in format_footer(self._situation):
            gap = " · " if line else " "
            if line.cell_length + cell_len(f"{gap}{shown} {words}") > width:
                break
            line += Content.assemble(
                (gap, "$foreground-muted"), (shown, "bold"), (f" {words}", "$foreground-muted")
            )
        return line.truncate(width, ellipsis=True)


_STATE_STYLES = {
    None: "$foreground-muted",
    TurnState.WAITING: "bold $text-warning",
    TurnState.PAUSING: "bold $text-warning",
    TurnState.PAUSED: "bold $text-warning",
    TurnState.FINISHED: "bold $text-success",
    TurnState.FAILED: "bold $text-error",
    TurnState.CANCELLED: "bold",
    TurnState.UNCONFIRMED: "bold $text-warning",
}
_COUNTED = (TurnState.RESOLVING, TurnState.RUNNING, TurnState.PAUSING, TurnState.WAITING)
_SAID_AFTER = 3
_SENTENCE_KEPT = 300


class StateLine(Static):
    """State, cause, and elapsed time; the clock ticks only while a turn is in progress."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(id="state", markup=False)
        self._clock = clock
        self._situation = UiState()
        self._sentence = ""
        self._since = clock()
        self._ticking: Timer | None = None

    def show(self, situation: UiState, sentence: str) -> None:
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
        sign, words = format_headline(situation.state, situation.cause, recording=situation.recording)
        elapsed = int(self._clock() - self._since)
        if self._ticking is not None and elapsed >= _SAID_AFTER:
            words += _(" · {seconds} s").format(seconds=elapsed)
        sentence = self._sentence or with_user_keys(format_advice(situation))
        style = _STATE_STYLES.get(situation.state, "bold")
        return Content.assemble((f"{sign} {words}", style), f"   {sentence}" if sentence else "")
