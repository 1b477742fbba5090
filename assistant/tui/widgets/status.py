"""The top line: phone, foreground app, scenario, model, tokens; below it what is simulated.

The last line: the active keys, or a message for a few seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlsplit

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.timer import Timer
from textual.widget import Widget

from assistant import events
from assistant.engine import Engine
from assistant.events import PhoneState
from assistant.i18n import _, later, moment
from assistant.model.dialects import registry
from assistant.presentation.text import clip, format_app_title, format_tokens, one_line
from assistant.presentation.ui_state import UiState
from assistant.records import in_words
from assistant.tui.keys import format_footer, with_user_keys

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


@dataclass(slots=True)
class Status:
    """The contents of the bar. Texts are safe to show."""

    phone_state: PhoneState | None = None
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
        battery = f"{self.battery}%" if self.battery is not None else ""
        phone = " ".join if short else " · ".join
        parts = [
            f"{'●' if ready else '○'} " + phone(part for part in (self.phone, state, battery) if part),
            "" if self.learns else f"◌ {_('learning paused')}",
            self.app,
            self.scenario if short else f"⌂ {self.scenario or _('place unknown')}",
            self.model.partition("@")[0].strip() if short else f"◆ {self.model}",
            self._format_usage(short),
        ]
        return [part for part in parts if part]

    def _format_usage(self, short: bool) -> str:
        count = self.used_today or self.used
        used = format_tokens(count) if count or not short else ""
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
        self.status = Status(model=f"{name} @ {host}" if host else name)
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
            case events.PhoneStateChanged():
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
                status.used = usage.total_tokens
            case _:
                return
        if status != before:
            self.refresh()

    def show_turns(self, lines: Sequence[tuple[str, bool]]) -> None:
        """Show a line for each of several running turns, and which of them is in front."""
        if lines != self._turns:
            is_as_high = len(lines) == len(self._turns)
            self._turns = lines
            self.refresh(layout=not is_as_high)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line, plus one for what is simulated, and one for each of several turns."""
        return (2 if self._simulated else 1) + len(self._turns)

    def render(self) -> Content:
        """Format the parts for the width; those that do not fit are left out from the right."""
        width = self.content_size.width
        short = width < 110
        gap = "  " if short else "   "
        line, own = "", _("assistant")
        for part in self.status.parts(short):
            joined = f"{line}{gap}{part}" if line else f" {part}"
            if cell_len(joined) > width:
                break
            line = joined
        room = width - cell_len(line) - len(own) - 1
        content = Content(line)
        if room >= len(gap):
            content += Content.assemble(" " * room, (own, "$foreground-muted"))
        turns = [
            Content.styled(f" {words}", "bold" if is_front else "").truncate(width, ellipsis=True)
            for words, is_front in self._turns
        ]
        if not self._simulated:
            return Content("\n").join([content, *turns])
        now = self._engine.simulated_time
        time = f"· {moment(now)} " if now is not None else ""
        simulated = Content.styled(f" {self._simulated} {time}", "$text-warning")
        return Content("\n").join([content, simulated.truncate(width, ellipsis=True), *turns])


def _host(address: str) -> str:
    try:
        return clip(one_line(urlsplit(address).hostname or ""), 40)
    except ValueError:
        return _("an address that cannot be read")


_HINT_STAYS = 5.0


class KeyLine(Widget):
    """Built from the table of keys."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="keys")
        self._situation = UiState()
        self._hint = ""
        self._fading: Timer | None = None

    def show(self, situation: UiState) -> None:
        """Show the keys for a situation."""
        if situation != self._situation:
            self._situation, self._hint = situation, ""
            self.refresh()

    def hint(self, sentence: str) -> None:
        """Show a message for a few seconds."""
        self._hint = with_user_keys(one_line(sentence))
        if self._fading is not None:
            self._fading.stop()
        self._fading = self.set_timer(_HINT_STAYS, self._fade)
        self.refresh()

    def _fade(self) -> None:
        self._hint = ""
        self.refresh()

    def render(self) -> Content:
        """The message first, then as many keys as fit."""
        width = self.content_size.width
        line = Content.assemble(" ", (self._hint, "bold $text-warning")) if self._hint else Content("")
        for shown, words in format_footer(self._situation):
            gap = " · " if line else " "
            if line.cell_length + cell_len(f"{gap}{shown} {words}") > width:
                break
            line += Content.assemble(
                (gap, "$foreground-muted"), (shown, "bold"), (f" {words}", "$foreground-muted")
            )
        return line.truncate(width, ellipsis=True)
