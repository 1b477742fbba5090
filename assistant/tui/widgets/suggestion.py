"""The open suggestion, and the decision about it, which Tab, a click or /suggestion opens.

`format_suggestion` lays it out in as few lines as possible: heading, offer, and how to answer. It takes no
focus by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from math import ceil

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from assistant import events
from assistant.conversation.line_words import ShortAnswer, agrees_to_begin, normalize_line, read_short_answer
from assistant.conversation.routing import is_refusal
from assistant.conversation.service import Reply
from assistant.engine import Engine
from assistant.events import Answer, Snooze, SuggestionOffered
from assistant.i18n import _, later, shortened, wrap
from assistant.presentation.command_meaning import change_offer, may_answer_offer, read_put_off
from assistant.presentation.prompts import PromptAnswer
from assistant.presentation.text import clip, one_line
from assistant.presentation.ui_state import KeyGate
from assistant.tui.keys import with_user_keys
from assistant.tui.terminal import notify
from assistant.tui.widgets.input_lists import AnswerList

OFFER_LINES = 2
"""The most lines of the offer; the keys may take one more."""
_SIGN, _INDENT, _EDGE, _GAP = " ◷ ", 3, 1, 2


@dataclass(frozen=True, slots=True)
class SuggestionText:
    """The texts to show, each on one line.

    Attributes:
        head: heading with the source and the time of the suggestion.
        short_head: a shorter heading.
        offer: what would be done, as a question.
        answers: how to answer, and what happens without an answer; the most informative first.
        short_answers: the same for a single line.
        reason: why it is suggested, on a line of its own where there is room.
    """

    head: str
    short_head: str
    offer: str
    answers: Sequence[str]
    short_answers: str
    reason: str = ""


def format_suggestion(words: SuggestionText, width: int, most: int = OFFER_LINES + 1) -> list[Content]:
    """The lines, at most `most`; the offer is shortened only if it does not fit into its own lines.

    Args:
        words: the texts.
        width: in cells.
        most: the available lines, at least one.
    """
    lines = _format_offer(words, width, most)
    if words.reason and len(lines) < most:
        room = max(_GAP, width - _INDENT - _EDGE)
        reason = Content.assemble(" " * _INDENT, (shortened(words.reason, room), "$foreground-muted"))
        # Keys on a line of their own stay last, next to the field.
        keys = len(lines) - len(_offer_lines(words, width))
        lines = [*lines[: len(lines) - keys], reason, *lines[len(lines) - keys :]]
    return lines


def _format_offer(words: SuggestionText, width: int, most: int) -> list[Content]:
    if most > 1:
        offer = _offer_lines(words, width)
        for answers in (words.answers, [words.short_answers]):
            for count in range(len(offer), most + 1):
                for keys in answers:
                    lines = _append_keys(offer, keys, width)
                    if len(lines) == count and all(line.cell_length <= width for line in lines):
                        return lines
    whole = _append_keys(_styled([_join(words.head, words.offer)], words.head), words.answers[0], width)
    if len(whole) == 1:
        return whole
    room = width - _INDENT - _EDGE - _GAP - cell_len(_join(words.short_head, words.short_answers))
    cut = _join(words.short_head, shortened(words.offer, max(_GAP, room)))
    return [_align_right(_styled([cut], words.short_head)[0], words.short_answers, width).truncate(width)]


def _join(head: str, rest: str) -> str:
    """Heading and rest joined; a wide character at the end of the heading needs no space after it."""
    return head + rest if cell_len(head[-1:]) == _GAP else f"{head} {rest}"


def _offer_lines(words: SuggestionText, width: int) -> list[Content]:
    room = max(_GAP, width - _INDENT - _EDGE)
    lines = wrap(_join(words.head, words.offer), room)
    if len(lines) > OFFER_LINES:
        lines = [*lines[: OFFER_LINES - 1], shortened(" ".join(lines[OFFER_LINES - 1 :]), room)]
    return _styled(lines, words.head)


def _styled(lines: Sequence[str], head: str) -> list[Content]:
    """The lines with the sign before the first; the heading may continue on the next line."""
    styled, left = [], len(head)
    for number, line in enumerate(lines):
        begin = Content.styled(_SIGN if number == 0 else " " * _INDENT, "bold $text-accent")
        styled.append(begin + Content.assemble((line[:left], "$text-accent"), (line[left:], "bold")))
        # Wrapping removed the space at which the line was broken.
        left = max(0, left - len(line) - 1)
    return styled


def _append_keys(offer: list[Content], keys: str, width: int) -> list[Content]:
    """The keys at the end of the last line if they fit, else on a line of their own."""
    if offer[-1].cell_length + _GAP + cell_len(keys) + _EDGE <= width:
        return [*offer[:-1], _align_right(offer[-1], keys, width)]
    return [*offer, Content.assemble(" " * _INDENT, (keys, "$foreground-muted"))]


def _align_right(line: Content, keys: str, width: int) -> Content:
    gap = max(_EDGE, width - line.cell_length - cell_len(keys) - _EDGE)
    return Content.assemble(line, " " * gap, (keys, "$foreground-muted"))


_HEAD, _SHORT_HEAD = later("Suggested from memory, {clock}:"), later("Suggested:")
_SCHEDULED = later("By your schedule, {clock}:")
_ANSWERS = (
    later("tab lists the answers: yes, later, no, why · starts only if you accept"),
    later("tab lists the answers: yes, later, no, why · needs your yes"),
    later("tab lists the answers · needs your yes"),
)
_SHORT_ANSWERS = later("tab answers")
_BEGINS = (
    later("starts by itself in {seconds} s · esc stops it · tab lists the answers"),
    later("starts by itself in {seconds} s · esc stops it · tab answers"),
)
_SHORT_BEGINS = later("starts in {seconds} s · esc stops it")
_TICK = 0.5
_MOST = OFFER_LINES + 1
_HINTED, _MOST_SAID = 60, 6
_AROUND = 15
"""Lines of the terminal reserved for other things while the decision is open."""


class Pick(StrEnum):
    """What can be chosen: an answer, or when to be asked again."""

    DO = "do"
    EDIT = "edit"
    LATER = "later"
    NOT_NOW = "not_now"
    NEVER = "never"
    TEN_MINUTES = "ten minutes"
    AN_HOUR = "an hour"
    TOMORROW = "tomorrow"
    BACK = "back"


_ANSWERED_BY = {
    Pick.DO: later("yes, do it (asks before it pays or sends)"),
    Pick.EDIT: later("yes, but change it first"),
    Pick.LATER: later("later …"),
    Pick.NOT_NOW: later("not now, but next time"),
    Pick.NEVER: later("never suggest it again"),
}
_PUT_OFF_BY = {
    Pick.TEN_MINUTES: later("in 10 minutes"),
    Pick.AN_HOUR: later("in an hour"),
    Pick.TOMORROW: later("tomorrow"),
    Pick.BACK: later("back"),
}
_PUT_OFF = {
    Pick.TEN_MINUTES: Snooze.TEN_MINUTES,
    Pick.AN_HOUR: Snooze.AN_HOUR,
    Pick.TOMORROW: Snooze.TOMORROW,
}


_PICKED_BY = {
    ShortAnswer.YES: Pick.DO,
    ShortAnswer.NO: Pick.NOT_NOW,
    ShortAnswer.NONE_OF_THEM: Pick.NOT_NOW,
    ShortAnswer.LATER: Pick.LATER,
}
_PICKED_FOR = {snooze: pick for pick, snooze in _PUT_OFF.items()}


def _picked_by(text: str, offered: str, now: datetime) -> Pick | None:
    """What a line picks that only answers an offer, or says when to be asked again; None for another line."""
    if (answer := read_short_answer(text)) is not None:
        return _PICKED_BY.get(answer)
    if agrees_to_begin(text, offered):
        return Pick.DO
    if is_refusal(text):
        return Pick.NOT_NOW
    wait = read_put_off(text, now)
    return _PICKED_FOR[wait] if isinstance(wait, Snooze) else Pick.LATER if wait else None


_TOLD = {
    Pick.NOT_NOW: later("Not done now: “{offer}”. It is suggested again at its next time."),
    Pick.NEVER: later("Never suggested again: “{offer}”. “undo” takes that back."),
}


class SuggestionLine(Widget):
    """The suggestion with its keys, on one to three lines."""

    ALLOW_SELECT = False

    class Pressed(Message):
        """The line was clicked."""

    def __init__(self) -> None:
        super().__init__(id="suggestion-line")
        self.offered: SuggestionOffered | None = None
        self.made: datetime | None = None
        self.seconds: int | None = None

    def on_click(self) -> None:
        """A click opens the decision."""
        self.post_message(self.Pressed())

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines needed; the style sheet may allow fewer."""
        return len(self._lines(width))

    def render(self) -> Content:
        """The lines for the available size."""
        width, height = self.content_size
        return Content("\n").join(self._lines(width, height))

    def _lines(self, width: int, most: int = _MOST) -> list[Content]:
        if self.offered is None or self.made is None:
            return [Content("")]
        answers, short = [_(template) for template in _ANSWERS], _(_SHORT_ANSWERS)
        if self.seconds is not None:
            answers = [_(template).format(seconds=self.seconds) for template in _BEGINS]
            short = _(_SHORT_BEGINS).format(seconds=self.seconds)
        words = SuggestionText(
            head=_(_SCHEDULED if self.offered.scheduled else _HEAD).format(clock=f"{self.made:%H:%M}"),
            short_head=_(_SHORT_HEAD),
            offer=format_question(self.offered),
            answers=[with_user_keys(answer) for answer in answers],
            short_answers=with_user_keys(short),
            reason=one_line(next(iter(self.offered.why), "")),
        )
        return format_suggestion(words, width, most)


def format_question(suggestion: SuggestionOffered) -> str:
    """The suggestion on one line, as a question."""
    return _("{instruction}?").format(instruction=one_line(suggestion.instruction).rstrip(".。"))


class SuggestionPanel(Vertical):
    """Shows the open suggestion, and takes the decision about it.

    Args:
        engine: receives the answer.
        clock: monotonic seconds, for the gate.
        begin: starts a turn, which the engine may refuse; returns whether it started.
        hint: shows a message for a few seconds.
        tell: adds to the conversation what became of a suggestion: its words, and a sentence.
    """

    class Edited(Message):
        """The instruction is to be changed in the field before it is sent."""

    @dataclass
    class Moved(Message):
        """The decision has opened or closed; `focused` when it had the focus."""

        focused: bool = False

    def __init__(
        self,
        engine: Engine,
        clock: Callable[[], float],
        begin: Callable[[Callable[[], None]], bool],
        hint: Callable[[str], None],
        tell: Callable[[str, Reply], None],
    ) -> None:
        super().__init__(id="suggestion")
        self._tell = tell
        self.gate = KeyGate(clock)
        self._clock = clock
        self._begins: float | None = None
        self._ticking: Timer | None = None
        self._engine = engine
        self._start = begin
        self._hint = hint
        self._line = SuggestionLine()
        self._more = Static(id="suggestion-more", markup=False)
        self.answers = AnswerList("suggestion-answers")
        self._snoozing = False
        self._edited = ""
        self._changed = ""
        self._sent = ("", "")

    def compose(self) -> ComposeResult:
        """The line, and below it the decision."""
        yield self._line
        with Vertical(id="suggestion-box") as box:
            box.border_title = _("Suggestion")
            box.border_subtitle = with_user_keys(_("esc hides the list, it still waits · f8 its records"))
            yield self._more
            yield self.answers

    @property
    def offered(self) -> SuggestionOffered | None:
        """The open suggestion."""
        return self._line.offered

    @property
    def deciding(self) -> bool:
        """Whether the decision is open."""
        return self.has_class("-deciding")

    def handle_event(self, event: events.Event) -> None:
        """Handle suggestions; other prompts close the decision."""
        match event:
            case events.SuggestionOffered(id=same_id) if (
                self.offered is not None and self.offered.id == same_id
            ):
                self._update_suggestion(event)
            case events.SuggestionOffered():
                self._notify_user(event)
                self._show(event)
            case events.SuggestionLapsed(id=closed_id) | events.SuggestionAnswered(id=closed_id):
                if self.offered is not None and self.offered.id == closed_id:
                    self._show(None)
            case events.TurnStarted():
                self._count_down(None)
                self.close()
            case events.InstructionResolved(instruction=instruction) if self._is_offered(instruction):
                # The user has asked for it themselves: it is under way.
                self._show(None)
            case events.ApprovalRequested() | events.QuestionAsked():
                self.close()

    def _is_offered(self, instruction: str) -> bool:
        """Whether an instruction, which may name the app besides, is what is suggested."""
        offered = normalize_line(self.offered.instruction) if self.offered is not None else ""
        return bool(offered) and offered in normalize_line(instruction)

    def stop_countdown(self) -> bool:
        """Stop the countdown of an auto-run; returns whether there was one."""
        if self._begins is None or self.offered is None:
            return False
        self._engine.stop_countdown(self.offered.id)
        self._count_down(None)
        self._hint(_("Automatic start stopped. tab answers the suggestion."))
        return True

    def toggle(self) -> None:
        """Open or close the decision."""
        if self.deciding:
            self.close()
        elif self.offered is None:
            self._hint(_("Nothing is suggested."))
        else:
            self.open()

    def open(self) -> None:
        """Open the decision, with the focus on its answers."""
        self.add_class("-deciding")
        self._open_decision(snoozing=False)
        self.answers.focus()
        self.post_message(self.Moved())

    def close(self) -> None:
        """Close the decision; the suggestion stays open."""
        if self.deciding:
            # Hidden answers lose the focus to whatever is nearest.
            focused = self.answers.has_focus
            self.remove_class("-deciding")
            self.post_message(self.Moved(focused))

    def on_suggestion_line_pressed(self) -> None:
        """A click on the line opens the decision."""
        self.toggle()

    def on_answer_list_answered(self, message: AnswerList.Answered) -> None:
        """Take a decision, unless it has just opened or someone types."""
        message.stop()
        suggestion = self.offered
        if suggestion is None or not self.deciding:
            return
        if not self.gate.open:
            if not self.gate.settled:
                self.gate.mark_shown()
            self._hint(_("Not taken: wait a moment, then press the key again."))
            return
        self._take(Pick(message.choice), suggestion)

    def answer_in_words(self, text: str) -> bool:
        """Answer by a typed line: the number of an answer, yes, no or later; returns whether it answers."""
        suggestion, answer = self.offered, read_short_answer(text)
        if suggestion is None:
            return False
        if self.deciding and (place := self.answers.place_of(text)) is not None:
            self.answers.answer(place)
        elif not self.gate.settled and answer is not None:
            self._hint(_("Not taken: the suggestion has just appeared. Send it again."))
        elif (pick := _picked_by(text, suggestion.instruction, suggestion.time)) is not None:
            if pick is Pick.LATER:
                self.open()
            self._take(pick, suggestion, text)
        elif changed := change_offer(text, suggestion.instruction, suggestion.time):
            self._changed = changed
            self.post_message(self.Edited())
        else:
            return False
        return True

    def may_be_meant(self, text: str) -> bool:
        """Whether a line may be an answer to the suggestion, so that the user is asked."""
        suggestion = self.offered
        if suggestion is None or self._edited == suggestion.id:
            return False
        return may_answer_offer(text, suggestion.instruction)

    def decline(self, text: str, put_off: bool) -> None:
        """The user has said that a line meant “not now”, or “later”: then it is asked when."""
        if self.offered is None:
            return
        if put_off:
            self.open()
        self._take(Pick.LATER if put_off else Pick.NOT_NOW, self.offered, text)

    def _take(self, pick: Pick, suggestion: SuggestionOffered, text: str = "") -> None:
        """Do what was picked, by a typed line or from the list."""
        offer = one_line(suggestion.instruction).rstrip(".。")
        match pick:
            case Pick.LATER | Pick.BACK:
                self._open_decision(snoozing=pick is Pick.LATER)
            case Pick.EDIT:
                self.post_message(self.Edited())
            case Pick.DO:
                accept = partial(
                    self._engine.answer_suggestion, suggestion.id, Answer.ACCEPTED, suggestion.instruction
                )
                if self._start(accept):
                    self._show(None)
            case Pick.NOT_NOW | Pick.NEVER:
                answer = Answer.NEVER if pick is Pick.NEVER else Answer.NOT_NOW
                self._engine.answer_suggestion(suggestion.id, answer)
                self._show(None)
                self._tell(text or _(_ANSWERED_BY[pick]), Reply(_(_TOLD[pick]).format(offer=offer)))
            case _:
                self._engine.answer_suggestion(suggestion.id, _PUT_OFF[pick])
                self._show(None)
                sentence = _("Put off: “{offer}”. It is suggested again {when}.")
                when = _(_PUT_OFF_BY[pick])
                self._tell(text or when, Reply(sentence.format(offer=offer, when=when)))

    def on_answer_list_details_asked(self, message: AnswerList.DetailsAsked) -> None:
        """A suggestion has no details beyond its reasons."""
        message.stop()

    def edit(self) -> str:
        """The instruction, as a line has changed it, to be edited in the input field and sent from there."""
        if self.offered is None:
            return ""
        self._edited = self.offered.id
        self.close()
        changed, self._changed = self._changed, ""
        return changed or self.offered.instruction

    def drop_edit(self) -> None:
        """The field was emptied: the next text is a new command."""
        self._edited = ""

    def bind_start(self, text: str) -> Callable[[], None]:
        """What sending a text starts: the edited suggestion, or a command."""
        if self.offered is None:
            return partial(self._engine.run, text)
        # A suggestion that could not start comes back into the field, to be sent again.
        if self._edited != self.offered.id and self._sent != (self.offered.id, text):
            return partial(self._engine.run, text)
        self._sent = self.offered.id, text
        unchanged = text.strip() == self.offered.instruction.strip()
        answer = Answer.ACCEPTED if unchanged else Answer.EDITED
        return partial(self._engine.answer_suggestion, self.offered.id, answer, text)

    def _open_decision(self, snoozing: bool) -> None:
        suggestion = self.offered
        if suggestion is None:
            return
        self._snoozing = snoozing
        self.gate.mark_shown()
        self._show_decision(suggestion)

    def on_resize(self) -> None:
        """Format the decision for the new size."""
        if self.offered is not None and self.deciding:
            self._show_decision(self.offered)

    def _show_decision(self, suggestion: SuggestionOffered) -> None:
        """Show the decision with its choices; the choices are fully visible at any size."""
        reasons = _("; ").join(one_line(reason) for reason in suggestion.why)
        explanation = _("Why: {reasons}.").format(reasons=reasons) if reasons else ""
        self._more.update(
            Content.assemble((format_question(suggestion), "bold"), "\n", (explanation, "$foreground-muted"))
        )
        answers = _PUT_OFF_BY if self._snoozing else _ANSWERED_BY
        self.answers.show([PromptAnswer(_(words), pick) for pick, words in answers.items()])
        self._more.styles.max_height = max(1, min(_MOST_SAID, self.app.size.height - _AROUND))

    def _show(self, suggestion: SuggestionOffered | None) -> None:
        if suggestion is not None:
            self.gate.mark_shown()
        self._line.offered = suggestion
        self._line.made = suggestion.time if suggestion is not None else None
        wait = (
            suggestion.starts - suggestion.time
            if suggestion is not None and suggestion.starts is not None
            else None
        )
        self._count_down(self._clock() + wait.total_seconds() if wait is not None else None)
        self.close()
        self.set_class(suggestion is not None, "-open")
        self._line.refresh(layout=True)

    def _update_suggestion(self, suggestion: SuggestionOffered) -> None:
        """The suggestion has changed with the memory: update it, without a countdown."""
        before, self._line.offered = self.offered, suggestion
        self._count_down(None)
        self._line.refresh(layout=True)
        if self.deciding:
            self._open_decision(self._snoozing)
        if before is not None and before.instruction != suggestion.instruction:
            now = clip(one_line(suggestion.instruction), _HINTED)
            self._hint(_("The memory changed, and the suggestion with it: {words}").format(words=now))

    def _notify_user(self, suggestion: SuggestionOffered) -> None:
        """Notify or ring, according to the settings."""
        proactive_settings = self._engine.settings.proactive
        if proactive_settings.notify:
            notify(self.app, _("{offer} tab answers.").format(offer=format_question(suggestion)))
        if proactive_settings.bell:
            self.app.bell()

    def _count_down(self, begins: float | None) -> None:
        """Count down to a time of the clock; None stops the countdown."""
        self._begins = begins
        if begins is not None and self._ticking is None:
            self._ticking = self.set_interval(_TICK, self.tick)
        elif begins is None and self._ticking is not None:
            # At rest nothing may wake the program.
            self._ticking.stop()
            self._ticking = None
        before = self._line.seconds
        self._line.seconds = None if begins is None else max(0, ceil(begins - self._clock()))
        # A suggestion makes way for other prompts, unless its countdown is running.
        self.set_class(begins is None, "-waiting")
        self._line.refresh(layout=(before is None) != (begins is None))

    def tick(self) -> None:
        """Update the countdown."""
        if self._begins is not None:
            self._count_down(self._begins)
