"""The conversation so far, above the current turn: past turns folded to their outcome, and answered lines.

Enter or a click opens what a line stands for: the turn in the history, or the records behind an answer.

Before the first turn, what is missing and what to do, or how to begin. The example is one that the memory can
resolve, derived from the user's preferences.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from assistant.conversation.service import Reply
from assistant.events import Cause, TurnState
from assistant.i18n import _, counted, later, moment, shortened, wrap
from assistant.presentation.text import clip, format_headline, one_line, safe
from assistant.records import Outcome
from assistant.tui.keys import with_user_keys

_KEPT = 200
"""How many lines of the conversation are kept on the screen; the history has them all."""
_COMMAND_KEPT, _ENDING_KEPT, _ANSWER_KEPT = 120, 200, 2000
_NARROWEST, _INDENT, _SIGN, _GAP = 20, 4, 2, 3
_ENDING_COLUMN = 0.66
"""Where the ending of a turn begins, as a share of the width, unless one of both is longer."""
_SIGNS = {
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
    sign, style = _SIGNS.get(turn.outcome, _OPEN_SIGN) if turn.outcome is not None else _OPEN_SIGN
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
