"""The turn: the command and its meaning, the steps as they happen, and the state line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual import events as textual_events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from assistant import events
from assistant.events import Cause, TurnState
from assistant.language import _
from assistant.tui.situation import Asking, Situation
from assistant.tui.turn_log import Entry, Note, Step, TurnLog, ending
from assistant.tui.widgets.command_view import CommandView
from assistant.tui.widgets.state_line import StateLine
from assistant.tui.widgets.step_row import EntryRow, ThoughtView
from assistant.tui.widgets.welcome import Welcome
from assistant.tui.words import clip, counted, one_line

MOUNTED_MOST = 200
_MOUNTED_AFTER_PRUNING = 150
_SAID_KEPT, _ANSWER_KEPT = 120, 400


class TurnPanel(Vertical):
    """Shows one turn at a time; before the first there is a welcome."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(id="turn")
        self.record = TurnLog()
        self._rows: dict[Entry, EntryRow] = {}
        self._earlier_count = 0
        self._thoughts = False
        self._sentence = self._ending = self._answer = ""
        self._before: Note | None = None
        self.welcome = Welcome()
        self._command = CommandView()
        self._earlier = Static(id="earlier", markup=False)
        self._thought = ThoughtView()
        self._entries = Vertical(self._earlier, self._thought, id="entries")
        self._steps = VerticalScroll(self._entries, id="steps", can_focus=False)
        self._state = StateLine(clock)

    def compose(self) -> ComposeResult:
        """Welcome or command and steps, then the state."""
        yield self.welcome
        yield self._command
        yield self._steps
        yield self._state

    def on_mount(self) -> None:
        """New steps scroll into view until the user scrolls away."""
        self._steps.anchor()

    def on_resize(self, event: textual_events.Resize) -> None:
        """Little room, a short thought."""
        self._command.fit(event.size.height)
        self._thought.most = 2 if event.size.height < 14 else 4

    def heed(self, event: events.Event) -> None:
        """Take in what concerns the turn."""
        match event:
            case events.TurnStarted(said=said, continued=continued):
                self._begin(said, continued)
                return
            case events.ThoughtStreamed():
                self._streamed(event)
                return
            case events.StateChanged(sentence=sentence):
                self._sentence = sentence
                return
            case events.TurnFinished():
                self._ending, self._answer = ending(event), one_line(event.answer)
            case events.ModelRetrying(reason=reason, delay=delay, attempt=attempt):
                again = _("{reason} Attempt {attempt} in {seconds:.0f} s.")
                at_once = _("{reason} Attempt {attempt} now.")
                self._sentence = (again if round(delay) else at_once).format(
                    reason=one_line(reason), attempt=attempt + 1, seconds=delay
                )
        if self.record.understood.heed(event):
            self._command.show(self.record)
        touched = self.record.heed(event)
        if isinstance(event, events.TurnFinished):
            for row in self._rows.values():
                row.refresh()
        if touched is not None:
            self._show(touched)

    def show_situation(self, situation: Situation) -> None:
        """Say where the turn stands."""
        sentence = self._sentence
        if self.record.understood.open and situation.state is TurnState.RUNNING:
            situation = replace(situation, state=TurnState.RESOLVING, cause=Cause.COMMAND)
        if situation.asking in (Asking.APPROVAL, Asking.QUESTION, Asking.MEANING):
            sentence = ""
        elif (
            situation.state is not None and situation.state.final and one_line(sentence) in ("", self._answer)
        ):
            sentence = self._ending
        self._state.show(situation, sentence)

    def say(self, sentence: str) -> None:
        """Put a sentence of our own into the state line until the next change."""
        self._sentence = sentence

    def went_on(self, step: int) -> None:
        """A step no longer waits for the user; a question about the command belongs to none."""
        if step:
            self._show(self.record.go_on(step))

    def scroll_page(self, direction: int) -> None:
        """Scroll the steps by a page, down for 1 and up for -1."""
        if direction > 0:
            self._steps.scroll_page_down(animate=False)
        else:
            self._steps.scroll_page_up(animate=False)

    def keep_ending(self) -> None:
        """Let the next turn begin with a line on how this one ended, since nobody has read it yet."""
        said, answer = clip(self.record.said, _SAID_KEPT), clip(self._answer, _ANSWER_KEPT)
        words = _("Before this, “{said}”: {answer}").format(said=said, answer=answer or self._ending)
        self._before = Note("✓", words)

    def toggle_thoughts(self) -> bool:
        """Show or hide what the model thought in finished steps; returns whether it shows now."""
        self._thoughts = not self._thoughts
        for row in self._rows.values():
            row.changed(self._thoughts)
        self._thought.follow(None if self._thoughts else self.record.running)
        return self._thoughts

    def _begin(self, said: str, continued: bool) -> None:
        self.record = TurnLog(said=one_line(said))
        self._earlier_count = 0
        self._sentence = self._ending = self._answer = ""
        for row in self._rows.values():
            row.remove()
        self._rows.clear()
        self._thought.follow(None)
        self._earlier.display = False
        self._command.show(self.record)
        self.add_class("-begun")
        self._steps.anchor()
        if continued:
            self._add(Note("›", _("Continued where the last run was cut off.")))
        if self._before is not None:
            self._add(self._before)
            self._before = None

    def _add(self, note: Note) -> None:
        self.record.entries.append(note)
        self._show(note)

    def _streamed(self, event: events.ThoughtStreamed) -> None:
        entry = self.record.heed(event)
        if entry is not None and entry not in self._rows:
            self._show(entry)
        if not self._thoughts:
            self._thought.streamed()
        elif entry is not None:
            self._rows[entry].changed(thoughts=True)

    def _show(self, entry: Entry) -> None:
        row = self._rows.get(entry)
        if row is None:
            row = self._rows[entry] = EntryRow(entry, self._thoughts)
            self._entries.mount(row, before=self._thought)
            self._prune()
        else:
            row.changed(self._thoughts)
            if isinstance(entry, Step) and entry.last:
                self._entries.move_child(row, before=self._thought)
        if not self._thoughts:
            self._thought.follow(self.record.running)

    def _prune(self) -> None:
        if len(self._rows) <= MOUNTED_MOST:
            return
        stale = list(self._rows)[:-_MOUNTED_AFTER_PRUNING]
        self._entries.remove_children([self._rows.pop(entry) for entry in stale])
        for entry in stale:
            if isinstance(entry, Step):
                # The longest part of a step, and shown no more: a long session must not grow by it.
                entry.thought = ""
        self._earlier_count += len(stale)
        self._earlier.display = True
        self._earlier.update(Content(f"     … {counted(self._earlier_count, 'earlier line')}"))
