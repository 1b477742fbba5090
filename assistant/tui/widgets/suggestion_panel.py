"""What is suggested, at the edge. A key of its own opens the decision; neither takes the focus."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from functools import partial
from math import ceil

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from assistant import events
from assistant.events import Answer, Snooze, SuggestionOffered
from assistant.language import _, later
from assistant.tui.door import EngineDoor
from assistant.tui.keymap import with_user_keys
from assistant.tui.prompts import Gate
from assistant.tui.suggestion_lines import OFFER_LINES, OfferWords, suggestion_lines
from assistant.tui.terminal import notify
from assistant.tui.words import clip, one_line

_HEAD, _SHORT_HEAD = later("Suggested from memory, {clock}:"), later("Suggested:")
_ANSWERS = (
    later("f6 opens yes, later, no, why · nothing begins without a yes"),
    later("f6 opens yes, later, no, why · needs your yes"),
)
_SHORT_ANSWERS = later("f6 answers")
_BEGINS = (
    later("begins by itself in {seconds} s · esc stops that · f6 opens yes, later, no, why"),
    later("begins by itself in {seconds} s · esc stops that · f6 answers"),
)
_SHORT_BEGINS = later("begins in {seconds} s · esc stops it")
_TICK = 0.5
_MOST = OFFER_LINES + 1
_HINTED, _MOST_SAID = 60, 6
_CHOICES = later(
    "ctrl+y yes, do it (asks before it pays or sends)  ctrl+e change it\n"
    "ctrl+t later  ctrl+n not now, but next time  ctrl+o never suggest it again"
)
_SHORT_CHOICES = later("ctrl+y yes  ctrl+e change it  ctrl+t later\nctrl+n not now  ctrl+o never again")
_ROOMY = Size(80, 20)
"""The smallest terminal in which the choices are told with what they bring."""
_AROUND = 12
"""Lines of the terminal that are not those of the question and its reasons while a decision is open."""
_SNOOZES = later("later: ctrl+y 10 min  ctrl+t 1 h  ctrl+o tomorrow\nctrl+n back")


class Pick(StrEnum):
    """The keys of a suggestion's decision, by what they mean at first."""

    DO = "do"
    LATER = "later"
    NOT_NOW = "not_now"
    NEVER = "never"


_PUT_OFF = {Pick.DO: Snooze.TEN_MINUTES, Pick.LATER: Snooze.AN_HOUR, Pick.NEVER: Snooze.TOMORROW}


class SuggestionLine(Widget):
    """The offer with its keys, on one line to three."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="suggestion-line")
        self.offered: SuggestionOffered | None = None
        self.made: datetime | None = None
        self.seconds: int | None = None

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the offer needs; the style sheet may leave room for fewer."""
        return len(self._lines(width))

    def render(self) -> Content:
        """The lines for the room there is."""
        width, height = self.content_size
        return Content("\n").join(self._lines(width, height))

    def _lines(self, width: int, most: int = _MOST) -> list[Content]:
        if self.offered is None or self.made is None:
            return [Content("")]
        answers, short = [_(one) for one in _ANSWERS], _(_SHORT_ANSWERS)
        if self.seconds is not None:
            answers = [_(one).format(seconds=self.seconds) for one in _BEGINS]
            short = _(_SHORT_BEGINS).format(seconds=self.seconds)
        words = OfferWords(
            head=_(_HEAD).format(clock=f"{self.made:%H:%M}"),
            short_head=_(_SHORT_HEAD),
            offer=question(self.offered),
            answers=[with_user_keys(one) for one in answers],
            short_answers=with_user_keys(short),
        )
        return suggestion_lines(words, width, most)


def question(offered: SuggestionOffered) -> str:
    """What is suggested, on one line and as a question."""
    return _("{instruction}?").format(instruction=one_line(offered.instruction).rstrip(".。"))


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
        self._sent = ("", "")

    def compose(self) -> ComposeResult:
        """The line, and below it what the decision is about."""
        yield self._line
        with Vertical(id="suggestion-box") as box:
            box.border_title = _("Suggestion")
            box.border_subtitle = with_user_keys(_("f6 closes, unanswered · f8 its records"))
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
            case events.SuggestionOffered(id=again) if self.offered is not None and self.offered.id == again:
                self._change(event)
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
        self._hint(_("It does not begin by itself now. f6 answers it."))
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
        if self.offered is None:
            return partial(self._engine.run, said)
        # What could not start comes back into the field, to be sent once more.
        if self._edited != self.offered.id and self._sent != (self.offered.id, said):
            return partial(self._engine.run, said)
        self._sent = self.offered.id, said
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
        self._tell(offered)

    def on_resize(self) -> None:
        """Another size has room for more words, or for fewer."""
        if self.offered is not None and self.deciding:
            self._tell(self.offered)

    def _tell(self, offered: SuggestionOffered) -> None:
        """Write down what the decision is about, and the choices; these are seen in full at any size."""
        reasons = _("; ").join(one_line(reason) for reason in offered.why)
        why = (
            _("Why: {reasons}. Estimate for now: {chance}.") if reasons else _("Estimate for now: {chance}.")
        )
        told = why.format(chance=f"{offered.score:.0%}", reasons=reasons)
        self._more.update(Content.assemble((question(offered), "bold"), "\n", (told, "$foreground-muted")))
        size = self.app.size
        roomy = size.width >= _ROOMY.width and size.height >= _ROOMY.height
        choices = _SNOOZES if self._snoozing else _CHOICES if roomy else _SHORT_CHOICES
        self._choices.update(with_user_keys(_(choices)))
        self._more.styles.max_height = max(1, min(_MOST_SAID, size.height - _AROUND))

    def _show(self, offered: SuggestionOffered | None) -> None:
        self._line.offered = offered
        self._line.made = offered.time if offered is not None else None
        wait = offered.starts - offered.time if offered is not None and offered.starts is not None else None
        self._count(self._clock() + wait.total_seconds() if wait is not None else None)
        self.close()
        self.set_class(offered is not None, "-open")
        self._line.refresh(layout=True)

    def _change(self, offered: SuggestionOffered) -> None:
        """The memory behind what waits has changed: show it anew, open if it was, and without a count."""
        before, self._line.offered = self.offered, offered
        self._count(None)
        self._line.refresh(layout=True)
        if self.deciding:
            self._ask(self._snoozing)
        if before is not None and before.instruction != offered.instruction:
            now = clip(one_line(offered.instruction), _HINTED)
            self._hint(_("The suggestion has changed with the memory: {words}").format(words=now))

    def _call(self, offered: SuggestionOffered) -> None:
        """Tell the desktop or ring, as far as the user wants it."""
        wanted = self._engine.settings.proactive
        if wanted.notify:
            notify(self.app, _("{offer} f6 answers.").format(offer=question(offered)))
        if wanted.bell:
            self.app.bell()

    def _count(self, begins: float | None) -> None:
        """Count down to a time of the clock, or no more."""
        self._begins = begins
        before = self._line.seconds
        self._line.seconds = None if begins is None else max(0, ceil(begins - self._clock()))
        # What waits gives way while something else asks; what is about to begin by itself stays in sight.
        self.set_class(begins is None, "-waiting")
        self._line.refresh(layout=(before is None) != (begins is None))

    def tick(self) -> None:
        """Show how long what counts down has left."""
        if self._begins is not None:
            self._count(self._begins)
