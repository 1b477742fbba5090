"""The turn: the command and its meaning, the steps as they happen, and the state line.

`StepList` draws only the visible lines, so that a turn of thousands of steps costs no more to show than one
of fifty. `CommandSection` shows the command, the meaning of its parts, and the resulting instruction.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from textual import events as textual_events
from textual.app import ComposeResult
from textual.cache import LRUCache
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Offset, Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.timer import Timer
from textual.visual import Visual

from assistant import events
from assistant.conversation.service import Reply
from assistant.engine import Engine
from assistant.events import Cause, TurnState
from assistant.i18n import _, later
from assistant.memory.database import StoreError
from assistant.memory_view.items import HOURS, Item, MemoryProblem, Section
from assistant.presentation.text import format_end_advice, one_line, safe
from assistant.presentation.turn_log import (
    Entry,
    NoteEntry,
    StepEntry,
    StepStatus,
    TurnEntries,
    TurnLog,
    format_ending,
)
from assistant.presentation.ui_state import UiState, UserRequest
from assistant.records import Outcome
from assistant.tui.turn_lines import (
    LineMap,
    WrappedLines,
    format_command,
    format_entry,
    format_thought,
    readable_thought,
)
from assistant.tui.widgets.around_turn import (
    AnsweredLine,
    FoldedTurn,
    Scrollback,
    StateLine,
    Welcome,
    tell_evidence,
)
from assistant.turn_runner import NotReady

_MOSTLY = 0.6
"""A preference belongs to a part of the day if at least this share of its records lies in its hours."""


@dataclass(frozen=True, slots=True)
class _Habit:
    """An example command for what is done mostly within some hours (`last` is exclusive)."""

    command: str
    deed: re.Pattern[str]
    first: int
    last: int

    def fits(self, item: Item) -> bool:
        """Whether a preference matches."""
        if not item.hours or self.deed.search(item.name) is None:
            return False
        within = sum(item.hours[hour % HOURS] for hour in range(self.first, self.last))
        return within >= _MOSTLY * sum(item.hours)


_FOOD = re.compile(
    r"^\s*order\b(?!.*\b(?:taxi|cab|car|ride|tickets?)\b)|^\s*(?:帮我|给我)?[点订](?!.*[票车房])",
    re.IGNORECASE,
)
_MUSIC = re.compile(r"^\s*play\b.*\b(?:song|music|album)\b|^\s*播?放.*(?:歌|音乐|曲)", re.IGNORECASE)
_HABITS = (
    _Habit(later("order my usual breakfast"), _FOOD, 6, 10),
    _Habit(later("order my usual lunch"), _FOOD, 11, 14),
    _Habit(later("order my usual dinner"), _FOOD, 17, 21),
    _Habit(later("play the music I fall asleep to"), _MUSIC, 21, 26),
)


async def find_example_command(engine: Engine) -> str:
    """The example command for the preferences in the memory; empty without one, or without a memory."""
    await engine.memory_ready()
    return await asyncio.to_thread(_read_example, engine)


def _read_example(engine: Engine) -> str:
    try:
        return choose_example(engine.memory().items(Section.PREFERENCES).items)
    except (MemoryProblem, NotReady, StoreError):
        return ""


def choose_example(preferences: Sequence[Item]) -> str:
    """The example, in English, for the first preference that is the only match of a habit; empty if none."""
    for item in preferences:
        for habit in _HABITS:
            if not item.hidden and habit.fits(item) and _is_only_match(habit, preferences):
                return habit.command
    return ""


def _is_only_match(habit: _Habit, preferences: Sequence[Item]) -> bool:
    return sum(map(habit.fits, preferences)) == 1


DRAWN_MOST = 128
"""The number of entries whose drawn lines are cached."""

_FLUSH = 0.1
"""Seconds between two redraws of a thought while it is received."""

_NARROWEST = 24


class StepList(ScrollView, can_focus=False):
    """Follows the newest line until the user scrolls away from it.

    Below the entries stand the last lines of the running step's thought; if all thoughts are shown, each
    step has its own below it instead.
    """

    ALLOW_SELECT = True

    def __init__(self, entries: TurnEntries) -> None:
        super().__init__(id="steps")
        self._entries = entries
        self._lines = LineMap()
        self._thinking: StepEntry | None = None
        self._below: list[Content] = []
        self._below_most = 4
        self._drawn: LRUCache[int, list[Strip]] = LRUCache(DRAWN_MOST)
        self._follows = True
        self._painting = False
        self._pending: Timer | None = None

    @property
    def settled(self) -> bool:
        """Whether all received text is drawn."""
        return self._pending is None

    @property
    def rows_wanted(self) -> int:
        """How many lines there are, with those that the running step's thought may take."""
        return self._lines.height + self._below_most

    @property
    def thoughts(self) -> bool:
        """Whether the model's thoughts are shown below every step."""
        return self._lines.thoughts

    def show(self, entries: TurnEntries) -> None:
        """Show these entries, and follow them."""
        self._entries, self._thinking = entries, None
        self._follows = True
        self._draw_all()

    def changed(self, entry: Entry, thinking: StepEntry | None) -> None:
        """An entry was added, changed, or moved to the end; `thinking` is the step being thought about."""
        self._thinking = thinking
        if isinstance(entry, StepEntry) and entry.last:
            self._draw_live()
        else:
            place = self._entries.index(entry)
            self._drawn.discard(place)
            self._lay_out(place)

    def streamed(self) -> None:
        """More of the running step's thought has arrived; redrawn at most ten times a second."""
        if self._pending is None:
            self._pending = self.set_timer(_FLUSH, self._draw_streamed)

    def show_thoughts(self, shown: bool) -> None:
        """Show or hide the model's thoughts in all steps."""
        self._lines.thoughts = shown
        self._draw_all()

    def fit(self, below: int) -> None:
        """Set the most lines of a thought below the entries."""
        if below != self._below_most:
            self._below_most = below
            self._lay_out(len(self._entries))

    def keep_up(self) -> None:
        """Scroll to the newest line, unless the user has scrolled away from it, and never beyond it."""
        beyond = self.scroll_y > self.max_scroll_y
        if beyond or (self._follows and self.scroll_y < self.max_scroll_y):
            self.scroll_end(animate=False, immediate=True, x_axis=False, force=True)

    def over(self) -> None:
        """The turn is over, which may have changed its last entries."""
        self._thinking = None
        self._draw_live()

    def on_resize(self, event: textual_events.Resize) -> None:
        """Rewrap the lines for the new width."""
        width = max(self.scrollable_content_region.width, _NARROWEST)
        if width != self._lines.width:
            self._lines.width = width
            self._draw_all()
        else:
            self._lay_out(len(self._entries))

    def notify_style_update(self) -> None:
        """Redraw for the new colours."""
        super().notify_style_update()
        self._drawn.clear()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scrolling up stops following; scrolling to the end resumes it."""
        super().watch_scroll_y(old_value, new_value)
        if new_value >= self.max_scroll_y:
            self._follows = True
        elif new_value < old_value:
            self._follows = False

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, including lines that are not visible."""
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self.virtual_size.height - 1
        lines = [self._content(line).plain for line in range(first, min(last + 1, self.virtual_size.height))]
        start = Offset(selection.start.x, 0) if selection.start is not None else None
        end = Offset(selection.end.x, last - first) if selection.end is not None else None
        return Selection(start, end).extract("\n".join(lines)), "\n"

    def render_lines(self, crop: Region) -> list[Strip]:
        """Lines for painting, without their offsets: with offsets, each line would need cached styles."""
        self._painting = True
        try:
            return super().render_lines(crop)
        finally:
            self._painting = False

    def render_line(self, y: int) -> Strip:
        """One visible line; for mouse selection, with its offset."""
        line = y + self.scroll_offset.y
        if line >= self.virtual_size.height:
            return Strip([])
        strip = self._strip(line).crop(0, self._lines.width)
        return strip if self._painting else strip.apply_offsets(0, line)

    def _strip(self, line: int) -> Strip:
        selection = self.text_selection
        span = selection.get_span(line) if selection is not None else None
        if span is not None:
            start, end = span
            selection_style = Style.from_styles(self.screen.get_component_styles("screen--selection"))
            content = self._content(line)
            content = content.stylize(selection_style, start, len(content) if end == -1 else end)
            return self._strips(content)[0]
        if line >= self._lines.height:
            return self._strips(self._content(line))[0]
        place = self._lines.place(line)
        strips = self._drawn.get(place)
        if strips is None:
            strips = self._drawn[place] = self._strips(self._entry_lines(place))
        return strips[line - self._lines.start(place)]

    def _content(self, line: int) -> Content:
        """The text of a line."""
        if line >= self._lines.height:
            return self._below[line - self._lines.height]
        place = self._lines.place(line)
        return self._entry_lines(place).split(allow_blank=True)[line - self._lines.start(place)]

    def _entry_lines(self, place: int) -> Content:
        return format_entry(self._entries[place], self._lines.width, self._lines.thoughts)

    def _strips(self, content: Content) -> list[Strip]:
        return Visual.to_strips(
            self, content, self._lines.width, None, self.visual_style, apply_selection=False
        )

    def _draw_streamed(self) -> None:
        if self._pending is not None:
            self._pending.stop()
            self._pending = None
        if self._thinking is not None and self.thoughts:
            self.changed(self._thinking, self._thinking)
        else:
            self._lay_out(len(self._entries))

    def _draw_live(self) -> None:
        """Redraw and measure the entries that can have changed."""
        self._drawn.clear()
        self._lay_out(self._entries.packed)

    def _draw_all(self) -> None:
        """Redraw and measure everything; an entry that the user has scrolled to stays visible."""
        top = None if self._follows else self._lines.place(self.scroll_offset.y)
        self._drawn.clear()
        self._lay_out(0)
        if top is not None and top < len(self._entries):
            self.scroll_to(y=self._lines.start(top), animate=False, force=True)

    def _lay_out(self, first: int) -> None:
        """Measure the entries from an index on and the thought below; stay at the end if following."""
        if not self._lines.width:
            return
        self._lines.measure(self._entries, first)
        self._below = format_thought(self._newest_reason, self._lines.width, self._below_most)
        follows = self._follows
        self.virtual_size = Size(self._lines.width, self._lines.height + len(self._below))
        self._refresh_from(self._lines.start(first))
        self._follows = follows
        self.keep_up()

    @property
    def _newest_reason(self) -> str:
        """Why the running step is done; until enough of that has come to be read, why the one before was."""
        running = self._thinking
        if running is None or self.thoughts:
            return ""
        thought = readable_thought(running.thought)
        if thought or running.status not in (StepStatus.LOOKING, StepStatus.RUNNING):
            return thought
        done = (entry for entry in reversed(self._entries.live) if isinstance(entry, StepEntry))
        before = next((step for step in done if step is not running and step.thought), None)
        if before is None:
            return ""
        return _("step {number}: {thought}").format(number=before.number, thought=before.thought.strip())

    def _refresh_from(self, line: int) -> None:
        """Redraw the visible lines from this one on."""
        top = max(0, line - self.scroll_offset.y)
        if top < self.size.height:
            self.refresh(Region(0, top, self.size.width, self.size.height - top))


_LEAST = 4
_SHARE = 3
_STEPS_LEAST = 4


class CommandSection(WrappedLines):
    """As high as its content, up to a share of the panel; before the turn runs, nearly all of it."""

    def __init__(self) -> None:
        super().__init__(id="command")
        self._record = TurnLog()
        self._panel = 0

    def show(self, record: TurnLog) -> None:
        """Show a turn's command, which has changed."""
        self._record = record
        self.refresh(layout=True)

    def fit(self, panel: int) -> None:
        """The panel's height has changed."""
        if panel != self._panel:
            self._panel = panel
            self.refresh(layout=True)

    def lines_at(self, width: int) -> list[Content]:
        """The command with what it means."""
        share = self._panel - _STEPS_LEAST if self._record.understood.open else self._panel // _SHARE
        return format_command(self._record, max(width, 24), max(_LEAST, share))


_ROWS_AT_ONCE = 4
"""The steps get room in pieces of so many lines, so that not every line moves what stands above."""

_PAST_LEAST, _PAST_LEAST_SHARE = 2, 8
"""How many lines of the conversation above stay beside a long turn; in a low panel one of so many."""


class TurnPanel(Vertical):
    """Shows one turn at a time; before the first one, a welcome."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(id="turn")
        self.record = TurnLog()
        self._sentence = self._ending = self._answer = ""
        self._steps_done = 0
        self._continues = False
        self._outcome: Outcome | None = None
        self._cause = Cause.DONE
        self._turn_id = ""
        self._replies: list[AnsweredLine] = []
        self.scrollback = Scrollback()
        self.welcome = Welcome()
        self._command = CommandSection()
        self._steps = StepList(self.record.entries)
        self._rows_of_steps = 0
        self._state = StateLine(clock)

    def compose(self) -> ComposeResult:
        """The conversation so far; welcome, or command and steps; then the state."""
        yield self.scrollback
        yield self.welcome
        yield self._command
        yield self._steps
        yield self._state

    @property
    def settled(self) -> bool:
        """Whether all received events are drawn."""
        return self._steps.settled

    def on_resize(self, event: textual_events.Resize) -> None:
        """Adapt command and thought to the height."""
        self._command.fit(event.size.height)
        self._steps.fit(2 if event.size.height < 14 else 4)
        self._share_rows()

    def _share_rows(self) -> None:
        """Leave the conversation above all lines that the turn does not need.

        What the steps were given once they keep until the turn is over, so that nothing jumps up and down.
        """
        past = self.scrollback.styles
        if not self.has_class("-begun"):
            past.clear_rule("max_height")
            return
        pieces = -(-self._steps.rows_wanted // _ROWS_AT_ONCE)
        self._rows_of_steps = max(self._rows_of_steps, pieces * _ROWS_AT_ONCE)
        height = self.size.height
        used = self._command.outer_size.height + self._command.styles.margin.height + self._rows_of_steps + 1
        least = min(_PAST_LEAST, height // _PAST_LEAST_SHARE)
        rows = max(least, height - used)
        if past.max_height is None or past.max_height.value != rows:
            past.max_height = rows

    def handle_event(self, event: events.Event) -> None:
        """Update the turn from an event."""
        match event:
            case events.TurnStarted(said=said, continued=continued):
                self._begin(said, continued)
                return
            case events.ThoughtStreamed():
                self._append_thought(event)
                return
            case events.StateChanged(state=state, sentence=sentence):
                self._sentence = sentence
                for note in self.record.mark_heard(state):
                    self._show(note)
                if (step := self.record.handle_event(event)) is not None:
                    self._show(step)
                return
            case events.TurnFinished():
                self._ending, self._answer = format_ending(event), one_line(event.answer)
                self._steps_done = event.steps
                self._outcome, self._turn_id, self._cause = event.outcome, event.turn_id, event.cause
            case events.ModelRetrying(reason=reason, delay=delay, attempt=attempt):
                delayed = _("{reason} Attempt {attempt} in {seconds:.0f} s.")
                immediate = _("{reason} Attempt {attempt} now.")
                self._sentence = (delayed if round(delay) else immediate).format(
                    reason=one_line(reason), attempt=attempt + 1, seconds=delay
                )
        if self._continues and not isinstance(event, events.StepRetold | events.WordsRetold):
            self._continues = False
            self._show(self.record.add_note(NoteEntry("›", _("Continued where the last run was cut off."))))
        if self.record.understood.handle_event(event):
            self._command.show(self.record)
            self.call_after_refresh(self._share_rows)
        entry = self.record.handle_event(event)
        if isinstance(event, events.TurnFinished):
            self._steps.over()
        if entry is not None:
            self._show(entry)

    def show_situation(self, situation: UiState) -> None:
        """Show the turn's state."""
        sentence = self._sentence
        if self.record.understood.open and situation.state is TurnState.RUNNING:
            situation = replace(situation, state=TurnState.RESOLVING, cause=Cause.COMMAND)
        if situation.asking in (UserRequest.APPROVAL, UserRequest.QUESTION, UserRequest.MEANING):
            sentence = ""
        elif situation.state is not None and situation.state.final and self._says_answer(sentence):
            state, cause, said = situation.state, situation.cause, self.record.said
            advice = format_end_advice(state, self._steps_done, cause, said)
            by_model = _("The model gave up.") if self.record.gave_up else ""
            sentence = " · ".join(filter(None, (self._ending, by_model, advice)))
        self._state.show(situation, sentence)

    def _says_answer(self, sentence: str) -> bool:
        """Whether a sentence says no more than the answer with which the turn ended, or less."""
        said, answer = one_line(sentence), self._answer
        return said in answer or (bool(answer) and answer in said)

    def show_message(self, sentence: str) -> None:
        """Show a sentence in the state line until the next change."""
        self._sentence = sentence

    def step_resumed(self, step: int) -> None:
        """A step no longer waits for the user; step 0 stands for a question about the command."""
        if step:
            self._show(self.record.resume_step(step))

    def keep_up(self) -> None:
        """Scroll to the newest step once the panel has its new height, unless the user has scrolled away."""
        self.call_after_refresh(self._steps.keep_up)

    def scroll_page(self, direction: int) -> None:
        """Scroll the steps by a page, down for 1 and up for -1; before the first turn, the welcome."""
        if self.welcome.display:
            self.welcome.scroll_page(direction)
        elif direction > 0:
            self._steps.scroll_page_down(animate=False)
        else:
            self._steps.scroll_page_up(animate=False)

    def toggle_thoughts(self) -> bool:
        """Show or hide the model's thoughts of finished steps; returns whether they are shown."""
        self._steps.show_thoughts(not self._steps.thoughts)
        return self._steps.thoughts

    def fold(self) -> None:
        """Fold a turn that is over into the conversation above."""
        if self.record.said and self._outcome is not None:
            ending = self._answer or self._ending
            folded: FoldedTurn | AnsweredLine = FoldedTurn(
                self._turn_id, self.record.said, ending, self._outcome, cause=self._cause
            )
            if self._cause is Cause.ANSWERED:
                # It is no turn, and what was answered is not cut to a line.
                folded = AnsweredLine(self.record.said, Reply(ending))
            self.scrollback.add(folded)
            self._outcome = None
            self._keep_replies()
            self.remove_class("-begun")
            self._share_rows()
            self.record = TurnLog()

    def _keep_replies(self) -> None:
        """Put what was answered during the turn into the conversation, where it outlives the turn."""
        for line in self._replies:
            self.scrollback.add(line)
        self._replies.clear()

    async def find_example(self, engine: Engine) -> None:
        """Show a command of the memory as an example."""
        self.welcome.set_example(await find_example_command(engine))

    def leave(self) -> None:
        """Show no turn: one that is over is folded, one that runs goes on unseen."""
        self.fold()
        self._keep_replies()
        self.remove_class("-begun")
        self._share_rows()
        self.record = TurnLog()
        self._sentence = self._ending = self._answer = ""
        self._steps_done = 0
        self._steps.show(self.record.entries)
        self._command.show(self.record)

    def add_reply(self, said: str, reply: Reply) -> None:
        """Show the reply to a line: in the conversation, and while a turn runs first among its steps."""
        if self.has_class("-begun") and self._outcome is None:
            self._replies.append(AnsweredLine(said, reply))
            for sign, text in (
                ("›", said),
                ("↩", "\n".join(filter(None, (reply.text, tell_evidence(reply))))),
            ):
                self._show(self.record.add_note(NoteEntry(sign, safe(text))))
            return
        self.fold()
        self._sentence = self._ending = self._answer = ""
        self._steps_done = 0
        self.add_class("-talked")
        self.scrollback.add(AnsweredLine(said, reply))

    def _begin(self, command: str, continued: bool) -> None:
        self.fold()
        self.remove_class("-talked")
        self.record = TurnLog(said=one_line(command))
        self._sentence = self._ending = self._answer = ""
        self._steps_done = 0
        self._steps.show(self.record.entries)
        self._command.show(self.record)
        self.add_class("-begun")
        self._rows_of_steps = 0
        self._share_rows()
        self._continues = continued

    def _append_thought(self, event: events.ThoughtStreamed) -> None:
        running = self.record.running
        entry = self.record.handle_event(event)
        if entry is not None and entry is not running:
            self._show(entry)
        self._steps.streamed()

    def _show(self, entry: Entry) -> None:
        self._steps.changed(entry, self.record.running)
        self._share_rows()
