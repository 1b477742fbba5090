"""The lines around the current turn: how things stand, and above it the conversation so far.

`StatusBar` is the top line: phone, foreground app, scenario, model, tokens, and what is simulated.
`StateLine` says the turn's state in words. `KeyLine` is the last line: the active keys, or a message for a
few seconds.

`Scrollback` has past turns folded to their outcome, and answered lines. Enter or a click opens what a line
stands for: the turn in the history, or the records behind an answer. Before the first turn, `Welcome` says
what is missing and what to do, or how to begin. The example is one that the memory can resolve, derived from
the user's preferences.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlsplit

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from assistant import events
from assistant.conversation.service import Reply
from assistant.engine import Engine
from assistant.events import Cause, PhoneState, TurnState
from assistant.i18n import _, counted, later, moment, shortened, wrap
from assistant.model.dialects import registry
from assistant.presentation.text import clip, format_app_title, format_headline, format_tokens, one_line, safe
from assistant.presentation.turn_log import is_by_turn
from assistant.presentation.ui_state import UiState, format_advice
from assistant.records import Outcome, in_words
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


_KEPT = 200
"""How many lines of the conversation are kept on the screen; the history has them all."""
_COMMAND_KEPT, _ENDING_KEPT, _ANSWER_KEPT = 120, 200, 2000
_NARROWEST, _INDENT, _SIGN, _GAP = 20, 4, 2, 3
_ENDING_COLUMN = 0.66
"""Where the ending of a turn begins, as a share of the width, unless one of both is longer."""
OUTCOME_SIGNS: dict[Outcome | None, tuple[str, str]] = {
    Outcome.SUCCESS: ("✓", "$text-success"),
    Outcome.FAILED: ("✗", "$text-error"),
    Outcome.CANCELLED: ("■", "$foreground-muted"),
    Outcome.UNCONFIRMED: ("≈", "$text-warning"),
}
_OPEN_SIGN = ("?", "$text-warning")


@dataclass(frozen=True, slots=True)
class FoldedTurn:
    """A turn that is over: its command and how it ended. `outcome` is None where that is not known.

    Without a `turn_id` it is only a record of the memory; `evidence` has its id. `cause` is what ended it.
    """

    turn_id: str
    said: str
    ending: str
    outcome: Outcome | None
    time: datetime | None = None
    evidence: Sequence[str] = ()
    cause: Cause = Cause.DONE


@dataclass(frozen=True, slots=True)
class AnsweredLine:
    """A line that was answered without the phone."""

    said: str
    reply: Reply


class Scrollback(OptionList):
    """Takes no room while nothing was said. Follows the newest line."""

    @dataclass
    class TurnOpened(Message):
        """The user wants to see a past turn."""

        turn_id: str

    @dataclass
    class RecordsOpened(Message):
        """The user wants to see the records behind an answer, newest first."""

        evidence: Sequence[str]

    def __init__(self) -> None:
        super().__init__(id="scrollback", markup=False, compact=True)
        self._said: deque[FoldedTurn | AnsweredLine] = deque(maxlen=_KEPT)
        self._width = 0

    def restore(self, turns: Iterable[FoldedTurn]) -> None:
        """Put the turns of earlier sessions, oldest first, before what was said since."""
        lines = [*turns, *self._said]
        self._said = deque(lines, maxlen=_KEPT)
        self._show()

    def add(self, line: FoldedTurn | AnsweredLine) -> None:
        """Add what was said last."""
        self._said.append(line)
        self._show()

    def clear_all(self) -> None:
        """Empty the screen; the history keeps the turns."""
        self._said.clear()
        self._show()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said."""
        return not self._said

    def on_resize(self) -> None:
        """Fold for a new width; stay at the newest line."""
        if self._width != self.scrollable_content_region.width:
            self._show()
        if self.highlighted is None:
            self.scroll_end(animate=False)

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Enter or a click opens what the line stands for."""
        message.stop()
        match self._said[message.option_index]:
            case FoldedTurn(turn_id=turn_id) if turn_id:
                self.post_message(self.TurnOpened(turn_id))
            case FoldedTurn(evidence=evidence) if evidence:
                self.post_message(self.RecordsOpened(evidence))
            case AnsweredLine(reply=reply) if reply.evidence:
                self.post_message(self.RecordsOpened(reply.evidence))

    def _show(self) -> None:
        self._width = self.scrollable_content_region.width
        width = max(_NARROWEST, self._width or self.app.size.width)
        self.clear_options()
        self.add_options([Option(_format(line, width)) for line in self._said])
        self.set_class(bool(self._said), "-open")
        self.highlighted = None
        self.call_after_refresh(self.scroll_end, animate=False)


def _format(line: FoldedTurn | AnsweredLine, width: int) -> Content:
    return _format_answer(line, width) if isinstance(line, AnsweredLine) else format_turn(line, width)


def format_turn(turn: FoldedTurn, width: int) -> Content:
    """A folded turn: command and ending on one line of a width in cells, else on a line each."""
    sign, style = OUTCOME_SIGNS.get(turn.outcome, _OPEN_SIGN)
    if turn.outcome is Outcome.CANCELLED:
        sign, _words = format_headline(TurnState.CANCELLED, turn.cause)
    time = f"{moment(turn.time)}  " if turn.time is not None else ""
    ending = clip(one_line(turn.ending), _ENDING_KEPT)
    command = clip(one_line(turn.said), _COMMAND_KEPT)
    head = cell_len(f"▸ {time}")
    if head > width // 2:
        time, head = "", cell_len("▸ ")
    ends = cell_len(f"{sign} {ending}")
    if head + cell_len(command) + _GAP + ends <= width:
        # The endings begin in one column, where they fit there.
        column = max(head + cell_len(command) + _GAP, min(round(width * _ENDING_COLUMN), width - ends))
        gap = " " * (column - head - cell_len(command))
    else:
        gap = "\n" + " " * _INDENT
        command = shortened(command, width - head)
        ending = shortened(ending, width - _INDENT - cell_len(f"{sign} "))
    return Content.assemble(
        (f"▸ {time}", "$foreground-muted"), command, (f"{gap}{sign} ", style), (ending, "$foreground-muted")
    )


def _format_answer(line: AnsweredLine, width: int) -> Content:
    reply = line.reply
    text = clip(safe(reply.text), _ANSWER_KEPT)
    said = wrap(clip(one_line(line.said), _COMMAND_KEPT), width - _SIGN)
    answered = [row for part in text.split("\n") for row in wrap(part, width - _SIGN)]
    lines = [Content.assemble((sign, "$text-accent"), row) for sign, row in _signed("› ", said)]
    lines += [Content.assemble((sign, "$text-accent"), row) for sign, row in _signed("↩ ", answered)]
    if source := tell_evidence(reply, opens=True):
        lines.append(Content.styled(f"  {source}", "$foreground-muted"))
    return Content("\n").join(lines)


def tell_evidence(reply: Reply, *, opens: bool = False) -> str:
    """On how many records a reply rests, and where it opens them with which key; empty for none."""
    if not reply.evidence:
        return ""
    sentence = _("from {records} · enter shows them") if opens else _("from {records}")
    return sentence.format(records=counted(len(reply.evidence), "record"))


def _signed(sign: str, rows: Sequence[str]) -> list[tuple[str, str]]:
    """A sign before the first row, and as much room before the others."""
    return [(sign if number == 0 else " " * _SIGN, row) for number, row in enumerate(rows)]


_EXAMPLES = (
    later("turn on dark mode"),
    later("set an alarm for 7:30 on weekdays"),
    later("order beef noodles without coriander"),
    "给妈妈发消息说我晚点到",
)


class Welcome(Static):
    """Updated whenever phone or model become available or unavailable."""

    def __init__(self) -> None:
        super().__init__(id="welcome", markup=False)
        self._notices: list[str] = []
        self._example = ""
        self._guide: Sequence[str] = ()
        self._ready = False
        self._lines: list[Content] = []
        self._top = 0

    def notice(self, sentence: str) -> None:
        """Add a permanent line, such as an unusable setting."""
        self._notices.append(with_user_keys(safe(sentence)))

    def set_example(self, example: str) -> None:
        """Add an example command that the memory can resolve; empty for none."""
        self._example = example
        if example and self._ready:
            self.show_ready()

    def set_guide(self, lines: Sequence[str]) -> None:
        """Show these lines in place of the examples, such as a tour of the demo."""
        self._guide = lines

    def show_looking(self, waiting: str = "") -> None:
        """The search for phone and model runs; `waiting` is a command that was entered already."""
        lines = [Content.styled(_("Looking for the phone and the model."), "bold")]
        if waiting:
            lines += [
                Content(""),
                Content(_("“{command}” starts as soon as the phone is found.").format(command=safe(waiting))),
            ]
        self._show(lines)

    def show_state(self, problem: str) -> None:
        """Show what is missing; if nothing is, how to begin."""
        if problem:
            self.show_problem(problem)
        else:
            self.show_ready()

    def show_problem(self, problem: str) -> None:
        """Show what is missing and what to do, in the engine's words."""
        title, *rest = safe(problem).strip().split("\n")
        steps = [Content(line) for line in rest]
        setup = Content.styled(
            with_user_keys(_("Type /setup: it sets up phone and model, step by step.")), "bold"
        )
        demo = Content(_("It also offers a simulated phone to try."))
        self._show([Content.styled(title, "bold $text-warning"), *steps, Content(""), setup, demo])

    def show_ready(self) -> None:
        """Show how to begin."""
        lines = [Content.styled(_("Type what the phone should do, then press enter."), "bold"), Content("")]
        if self._guide:
            lines += [Content(with_user_keys(_(line))) for line in self._guide]
        else:
            lines += [Content.styled(f"  {_(example)}", "$foreground-muted") for example in _EXAMPLES]
        if self._example and not self._guide:
            remembered = _("from what is remembered")
            lines.append(Content.styled(f"  {_(self._example)}   ({remembered})", "$foreground-muted"))
        lines += [Content(""), Content(_("Escape pauses at any time: nothing more is sent to the phone."))]
        self._show(lines)
        self._ready = True

    def _show(self, lines: list[Content]) -> None:
        self._ready = False
        notices = [Content.styled(notice, "$text-warning") for notice in self._notices]
        self._lines = [*lines, *([Content("")] if notices else []), *notices]
        self._top = 0
        self._draw()

    def on_resize(self) -> None:
        """Fit the lines to the new size."""
        self._draw()

    def scroll_page(self, direction: int) -> None:
        """Show the next lines where not all fit, or those before."""
        self._top += direction * max(1, self.content_size.height - 1)
        self._draw()

    def _draw(self) -> None:
        """Show as many lines as fit, and which key shows the others."""
        width, height = self.content_size
        rows = [row for line in self._lines for row in (line.wrap(width) if width and line else [line])]
        if not height or len(rows) <= height:
            self.update(Content("\n").join(self._lines))
            return
        page = max(1, height - 1)
        self._top = max(0, min(self._top, len(rows) - page))
        below = len(rows) - page - self._top
        more = (
            _("page down: {count} more ▾").format(count=below)
            if below
            else _("page up: {count} more ▴").format(count=self._top)
        )
        self.update(
            Content("\n").join(
                [*rows[self._top : self._top + page], Content.styled(more, "$foreground-muted")]
            )
        )
