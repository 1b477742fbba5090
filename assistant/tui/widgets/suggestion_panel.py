"""One line at the edge: what is suggested. A key of its own opens the decision; neither takes the focus."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from math import ceil

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from assistant import events
from assistant.events import Answer, Snooze, SuggestionOffered
from assistant.language import _, later
from assistant.tui.door import EngineDoor
from assistant.tui.keymap import in_words
from assistant.tui.prompts import Gate
from assistant.tui.terminal import notify
from assistant.tui.words import clip, one_line

_KEYS, _SHORT_KEYS = later("f6 decide · later · why"), "f6"
_BEGINS, _SHORT_BEGINS = later("begins in {seconds} s · esc stops it"), later("{seconds} s · esc")
_TICK = 0.5
_WIDE = 70
_CHOICES = later("ctrl+y do it  ctrl+e edit  ctrl+t later  ctrl+n not now  ctrl+o never")
_SNOOZES = later("ctrl+y 10 min  ctrl+t 1 h  ctrl+o tomorrow  ctrl+n back")


class Pick(StrEnum):
    """The keys of a suggestion's decision, by what they mean at first."""

    DO = "do"
    LATER = "later"
    NOT_NOW = "not_now"
    NEVER = "never"


_PUT_OFF = {Pick.DO: Snooze.TEN_MINUTES, Pick.LATER: Snooze.AN_HOUR, Pick.NEVER: Snooze.TOMORROW}


class SuggestionLine(Widget):
    """Time, instruction and keys; the instruction gives way."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="suggestion-line")
        self.offered: SuggestionOffered | None = None
        self.seconds: int | None = None

    def render(self) -> Content:
        """The line for the width there is."""
        if self.offered is None:
            return Content("")
        width = self.content_size.width
        head = f" ◷ {self.offered.time:%H:%M} "
        keys = in_words(_(_KEYS) if width >= _WIDE else _SHORT_KEYS)
        if self.seconds is not None:
            keys = _(_BEGINS if width >= _WIDE else _SHORT_BEGINS).format(seconds=self.seconds)
        room = max(8, width - cell_len(head) - cell_len(keys) - 3)
        said = clip(one_line(self.offered.instruction).rstrip("."), room - 1) + "?"
        gap = " " * max(1, width - cell_len(head) - cell_len(said) - cell_len(keys) - 1)
        line = Content.assemble((head, "bold $text-accent"), (said, "bold"), gap, (keys, "$foreground-muted"))
        return line.truncate(width, ellipsis=True)


class SuggestionPanel(Vertical):
    """Shows the suggestion that waits, and takes the decision about it.

    Args:
        engine: hears the answer.
        clock: seconds that only grow, for the gate.
        begin: starts something that the engine may refuse; returns whether it did start.
        hint: says something for a few seconds.
    """

    def __init__(
        self,
        engine: EngineDoor,
        clock: Callable[[], float],
        begin: Callable[[Callable[[], None]], bool],
        hint: Callable[[str], None],
    ) -> None:
        super().__init__(id="suggestion")
        self.gate = Gate(clock)
        self._clock = clock
        self._begins: float | None = None
        self._engine = engine
        self._start = begin
        self._hint = hint
        self._line = SuggestionLine()
        self._more = Static(id="suggestion-more", markup=False)
        self._choices = Static(id="suggestion-choices", markup=False)
        self._snoozing = False
        self._edited = ""

    def compose(self) -> ComposeResult:
        """The line, and below it what the decision is about."""
        yield self._line
        with Vertical(id="suggestion-box") as box:
            box.border_title = _("Suggestion")
            box.border_subtitle = _("f6 closes")
            yield self._more
            yield self._choices

    @property
    def offered(self) -> SuggestionOffered | None:
        """The suggestion that waits."""
        return self._line.offered

    @property
    def deciding(self) -> bool:
        """Whether the decision is open."""
        return self.has_class("-deciding")

    def heed(self, event: events.Event) -> None:
        """Take in what concerns suggestions; anything else that is asked comes first."""
        match event:
            case events.SuggestionOffered():
                self._call(event)
                self._show(event)
            case events.SuggestionLapsed(id=over) | events.SuggestionAnswered(id=over):
                if self.offered is not None and self.offered.id == over:
                    self._show(None)
            case events.TurnStarted():
                self._count(None)
                self.close()
            case events.ApprovalRequested() | events.QuestionAsked():
                self.close()

    def on_mount(self) -> None:
        """What begins by itself counts down."""
        self.set_interval(_TICK, self.tick)

    def hold(self) -> bool:
        """Let what counts down not begin by itself; whether something did."""
        if self._begins is None or self.offered is None:
            return False
        self._engine.hold_suggestion(self.offered.id)
        self._count(None)
        self._hint(_("It does not begin by itself now. f6 decides about it."))
        return True

    def toggle(self) -> None:
        """Open the decision, or close it without one."""
        if self.deciding:
            self.close()
        elif self.offered is None:
            self._hint(_("Nothing is suggested."))
        else:
            self.add_class("-deciding")
            self._ask(snoozing=False)

    def close(self) -> None:
        """Close the decision; the suggestion stays."""
        self.remove_class("-deciding")

    def pick(self, pick: Pick) -> None:
        """Take a decision, unless it has just opened or someone types."""
        offered = self.offered
        if offered is None or not self.deciding:
            return
        if not self.gate.open:
            if not self.gate.settled:
                self.gate.shown()
            self._hint(_("Not taken: wait a moment, then press the key again."))
        elif self._snoozing:
            self._put_off(offered, pick)
        elif pick is Pick.LATER:
            self._ask(snoozing=True)
        elif pick is Pick.DO:
            accept = partial(self._engine.answer_suggestion, offered.id, Answer.ACCEPTED, offered.instruction)
            if self._start(accept):
                self._show(None)
        else:
            answer = Answer.NEVER if pick is Pick.NEVER else Answer.NOT_NOW
            self._engine.answer_suggestion(offered.id, answer)
            self._show(None)

    def edit(self) -> str:
        """The instruction, to be changed in the input field and sent from there."""
        if self.offered is None:
            return ""
        self._edited = self.offered.id
        self.close()
        return self.offered.instruction

    def drop_edit(self) -> None:
        """The field was emptied: what is typed next is a command of its own."""
        self._edited = ""

    def start_of(self, said: str) -> Callable[[], None]:
        """What sending some words starts: an edited suggestion, or else a command."""
        if self.offered is None or self._edited != self.offered.id:
            return partial(self._engine.run, said)
        unchanged = said.strip() == self.offered.instruction.strip()
        answer = Answer.ACCEPTED if unchanged else Answer.EDITED
        return partial(self._engine.answer_suggestion, self.offered.id, answer, said)

    def _put_off(self, offered: SuggestionOffered, pick: Pick) -> None:
        if pick in _PUT_OFF:
            self._engine.snooze_suggestion(offered.id, _PUT_OFF[pick])
            self._show(None)
        else:
            self._ask(snoozing=False)

    def _ask(self, snoozing: bool) -> None:
        offered = self.offered
        if offered is None:
            return
        self._snoozing = snoozing
        self.gate.shown()
        reasons = "; ".join(one_line(reason) for reason in offered.why)
        self._more.update(
            Content.assemble(
                (one_line(offered.instruction), "bold"),
                ("\n" + _("{score:.0%} likely now").format(score=offered.score), "$foreground-muted"),
                (f": {reasons}" if reasons else "", "$foreground-muted"),
            )
        )
        self._choices.update(in_words(_(_SNOOZES if snoozing else _CHOICES)))

    def _show(self, offered: SuggestionOffered | None) -> None:
        self._line.offered = offered
        wait = offered.starts - offered.time if offered is not None and offered.starts is not None else None
        self._count(self._clock() + wait.total_seconds() if wait is not None else None)
        self.close()
        self.set_class(offered is not None, "-open")
        self._line.refresh()

    def _call(self, offered: SuggestionOffered) -> None:
        """Tell the desktop or ring, as far as the user wants it."""
        wanted = self._engine.settings.proactive
        if wanted.notify:
            said = one_line(offered.instruction)
            notify(self.app, _("{instruction}? f6 decides.").format(instruction=said))
        if wanted.bell:
            self.app.bell()

    def _count(self, begins: float | None) -> None:
        """Count down to a time of the clock, or no more."""
        self._begins = begins
        self._line.seconds = None if begins is None else max(0, ceil(begins - self._clock()))
        self._line.refresh()

    def tick(self) -> None:
        """Show how long what counts down has left."""
        if self._begins is not None:
            self._count(self._begins)
