"""The turn: the command and its meaning, the steps as they happen, and the state line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual import events as textual_events
from textual.app import ComposeResult
from textual.containers import Vertical

from assistant import events
from assistant.events import Cause, TurnState
from assistant.i18n import _
from assistant.presentation.text import clip, one_line
from assistant.presentation.turn_log import TurnLog, format_ending
from assistant.presentation.ui_state import Asking, Situation
from assistant.tui.entries import Entry, Note
from assistant.tui.widgets.command_view import CommandView
from assistant.tui.widgets.state_line import StateLine
from assistant.tui.widgets.step_list import StepList
from assistant.tui.widgets.welcome import Welcome

_SAID_KEPT, _ANSWER_KEPT = 120, 400


class TurnPanel(Vertical):
    """Shows one turn at a time; before the first one, a welcome."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(id="turn")
        self.record = TurnLog()
        self._sentence = self._ending = self._answer = ""
        self._before: Note | None = None
        self._continues = False
        self.welcome = Welcome()
        self._command = CommandView()
        self._steps = StepList(self.record.entries)
        self._state = StateLine(clock)

    def compose(self) -> ComposeResult:
        """Welcome, or command and steps; then the state."""
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
            case events.ModelRetrying(reason=reason, delay=delay, attempt=attempt):
                delayed = _("{reason} Attempt {attempt} in {seconds:.0f} s.")
                immediate = _("{reason} Attempt {attempt} now.")
                self._sentence = (delayed if round(delay) else immediate).format(
                    reason=one_line(reason), attempt=attempt + 1, seconds=delay
                )
        if self._continues and not isinstance(event, events.StepRetold | events.WordsRetold):
            self._continues = False
            self._show(self.record.note(Note("›", _("Continued where the last run was cut off."))))
        if self.record.understood.handle_event(event):
            self._command.show(self.record)
        entry = self.record.handle_event(event)
        if isinstance(event, events.TurnFinished):
            self._steps.over()
        if entry is not None:
            self._show(entry)

    def show_situation(self, situation: Situation) -> None:
        """Show the turn's state."""
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

    def show_message(self, sentence: str) -> None:
        """Show a sentence in the state line until the next change."""
        self._sentence = sentence

    def step_resumed(self, step: int) -> None:
        """A step no longer waits for the user; step 0 stands for a question about the command."""
        if step:
            self._show(self.record.go_on(step))

    def keep_up(self) -> None:
        """Scroll to the newest step once the panel has its new height, unless the user has scrolled away."""
        self.call_after_refresh(self._steps.keep_up)

    def scroll_page(self, direction: int) -> None:
        """Scroll the steps by a page, down for 1 and up for -1."""
        if direction > 0:
            self._steps.scroll_page_down(animate=False)
        else:
            self._steps.scroll_page_up(animate=False)

    def keep_ending(self) -> None:
        """Begin the next turn with a note on how this one ended, because the user has not seen it yet."""
        command, answer = clip(self.record.said, _SAID_KEPT), clip(self._answer, _ANSWER_KEPT)
        words = _("Before this, “{said}”: {answer}").format(said=command, answer=answer or self._ending)
        self._before = Note("✓", words)

    def toggle_thoughts(self) -> bool:
        """Show or hide the model's thoughts of finished steps; returns whether they are shown."""
        self._steps.show_thoughts(not self._steps.thoughts)
        return self._steps.thoughts

    def _begin(self, command: str, continued: bool) -> None:
        self.record = TurnLog(said=one_line(command))
        self._sentence = self._ending = self._answer = ""
        self._steps.show(self.record.entries)
        self._command.show(self.record)
        self.add_class("-begun")
        self._continues = continued
        if self._before is not None:
            self._show(self.record.note(self._before))
            self._before = None

    def _append_thought(self, event: events.ThoughtStreamed) -> None:
        running = self.record.running
        entry = self.record.handle_event(event)
        if entry is not None and entry is not running:
            self._show(entry)
        self._steps.streamed()

    def _show(self, entry: Entry) -> None:
        self._steps.changed(entry, self.record.running)
