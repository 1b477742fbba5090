"""The main screen: passes events to its widgets, and keys to the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from textual import events as textual_events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widget import Widget

from assistant import events
from assistant.conversation.past_questions import PastQuestion
from assistant.conversation.routing import STEERING, Route, RouteKind
from assistant.conversation.service import Reply
from assistant.engine import Engine
from assistant.events import Cause, PhoneState, TurnState
from assistant.i18n import _
from assistant.memory.database import StoreError
from assistant.memory_view.items import ItemLocation, Section
from assistant.presentation.command_meaning import view_of_offer
from assistant.presentation.prompts import (
    ApprovalPrompt,
    ContinuePrompt,
    MeaningPrompt,
    PromptChoice,
    QuestionPrompt,
)
from assistant.presentation.text import one_line
from assistant.presentation.turn_log import format_guards_limited, format_missed
from assistant.presentation.ui_state import InputTarget, LineMoment, LineUse, UiState, UserRequest, read_line
from assistant.settings.schema import Picture
from assistant.tui.command_dispatcher import ROUTE_ACTIONS, CommandDispatcher
from assistant.tui.keys import bindings
from assistant.tui.memory.jobs import Where
from assistant.tui.memory.panel import MemoryPanel
from assistant.tui.memory.widgets import MemoryList
from assistant.tui.screens.dialogs import ReasonsPanel
from assistant.tui.screens.history import CopyRequested
from assistant.tui.screens.panel_layout import PanelLayout, TurnSwitcher, find_stream
from assistant.tui.terminal import WindowTitle, notify
from assistant.tui.widgets.around_turn import KeyLine, Scrollback, StatusBar
from assistant.tui.widgets.command_input import CommandInput, DoublePressTimer, QueueList
from assistant.tui.widgets.decision_bar import DecisionBar, InputRouter
from assistant.tui.widgets.input_lists import (
    AnswerList,
    CompletionList,
    LineChoice,
    SlashCommand,
    find_slash,
    parse_slash,
    slash_route,
    tell_unknown_slash,
)
from assistant.tui.widgets.phone_screen import PicturePanel
from assistant.tui.widgets.suggestion import SuggestionPanel
from assistant.tui.widgets.turn_panel import TurnPanel
from assistant.turn_runner import NotReady


class MainScreen(Screen[None]):
    """Shows one turn at a time, with everything that belongs to it."""

    AUTO_FOCUS = "#input"
    ESCAPE_TO_MINIMIZE = False
    BINDINGS: ClassVar[list[BindingType]] = list(bindings())

    def __init__(self, engine: Engine, clock: Callable[[], float]) -> None:
        super().__init__()
        # `PanelLayout.fit` sets the classes of the app's breakpoints, together with its own.
        self.HORIZONTAL_BREAKPOINTS = self.VERTICAL_BREAKPOINTS = []
        self.engine = engine
        self.situation = UiState()
        self.escapes = DoublePressTimer(self, clock, self._escape_expired)
        self.suspends = DoublePressTimer(self, clock, lambda: None)
        self.status = StatusBar(engine)
        self.turn = TurnPanel(clock)
        blocks = engine.settings.interface.picture == Picture.BLOCKS
        self.picture = PicturePanel(blocks, find_stream(engine))
        self._reasons = ReasonsPanel(engine.find_records)
        self.memory = MemoryPanel(engine, clock)
        self.sides = PanelLayout(self, self.picture, self._reasons, self.memory, self.hint)
        self.decision = DecisionBar(clock, blocks)
        self._completions = CompletionList()
        self.input = CommandInput(engine.past_commands, self._completions)
        self._line_choice = LineChoice()
        self._asking_list: AnswerList | None = None
        self._last_question: PastQuestion | None = None
        self._evidence: tuple[str, ...] = ()
        self._addressee = InputRouter(self.input, self.decision, clock)
        self.queue = QueueList()
        self.keys = KeyLine()
        self.window_title = WindowTitle()
        self.orders = CommandDispatcher(
            engine, self.turn, self.input, self.queue, self.hint, self._refresh_widgets, self.use_phone
        )
        self.switcher = TurnSwitcher(
            engine, self.turn, self.picture, self.status, self.decision, self._addressee, self._alert
        )
        self.suggestion = SuggestionPanel(engine, clock, self.orders.begin, self.hint, self._add_reply)

    def compose(self) -> ComposeResult:
        """Status; turn and prompts beside phone screen, reasons and memory; queue, input, keys."""
        self.sides.fit(self.app.size, update=False)  # Before styling: the first size restyles nothing.
        yield self.status
        with Horizontal(id="body"):
            with Vertical(id="beside"):
                yield self.turn
                yield self.decision
                yield self.suggestion
            with Vertical(id="side"):
                yield self.picture
                yield self._reasons
            yield self.memory
        yield self.queue
        yield self._line_choice
        yield self._completions
        yield self.input
        yield self.keys

    def on_mount(self) -> None:
        """Show the initial state, before anything is known."""
        if self.engine.settings.interface.picture == Picture.OFF:
            self.sides.hide_picture()
        self.turn.welcome.show_looking()
        self.orders.show_queue()
        self._refresh_widgets()

    def on_resize(self, event: textual_events.Resize) -> None:
        """Adapt the layout to the new size."""
        self.sides.fit(event.size)

    def handle_engine_event(self, event: events.Event) -> None:
        """Pass an engine event to every widget; each handles what concerns it."""
        self.show_front()
        if self.switcher.take(event) and not self.orders.count_recorded(event):
            self._handle_in_front(event)
        self._refresh_widgets()

    def _handle_in_front(self, event: events.Event) -> None:
        match event:
            case events.StateChanged(state=state, cause=cause):
                self._enter_state(state, cause)
            case events.TurnStarted():
                self._enter_state(TurnState.RESOLVING, Cause.COMMAND)
            case events.SchedulesMissed():
                self.turn.add_reply(_("schedule"), Reply(format_missed(event)))
            case events.GuardsLimited():
                self.turn.add_reply(_("guards"), Reply(format_guards_limited(event)))
            case events.TurnFinished(answer=answer, outcome=outcome):
                self._line_choice.end_turn()
                self._notify(f"{_(outcome.value)}: {one_line(answer)}" if answer else _(outcome.value))
            case events.PhoneStateChanged() if not self.turn.has_class("-begun"):
                self.turn.welcome.show_state(self.engine.problem())
            case events.PhoneStateChanged(sentence=sentence) if not self.situation.active:
                self.turn.show_message(sentence)
            case events.PhoneStateChanged(state=state, sentence=sentence) if state is not PhoneState.READY:
                if self.situation.cause is Cause.PHONE:
                    self.turn.show_message(sentence)
        for part in (self.status, self.turn, self.picture, self.decision, self.suggestion, self.memory):
            part.handle_event(event)
        if isinstance(event, events.PhoneStateChanged) and event.state is PhoneState.READY:
            self._show_phone()
        self.orders.handle_event(event)

    def show_front(self) -> None:
        """Show the turn of the phone that has come to the front, if another was shown."""
        if not self.switcher.follow():
            return
        self.escapes.disarm()
        state, cause = self.switcher.phones.state
        self._update_situation(state=state, cause=cause, stopping=False)
        self.orders.leave_phone(self._line_choice.drop())
        self.set_focus(self.input)
        self._show_phone()
        self._refresh_widgets()

    def use_phone(self, serial: str) -> None:
        """Use another phone, and show its turn; turns go on where they run."""
        if problem := self.switcher.use(serial):
            self.hint(problem)
        self.show_front()

    def handle_engine_start(self) -> None:
        """Offer an interrupted turn, and look for an example command in the memory."""
        self.run_worker(self.turn.find_example(self.engine), group="usual", exit_on_error=False)
        self.run_worker(self.switcher.restore(), group="restore", exit_on_error=False)
        self.switcher.offer_unfinished(self.orders.begin)

    def _show_phone(self) -> None:
        """Look at the phone where no turn has done so, and where its screen is shown."""
        if self.picture.is_empty and self.picture.display and not self.orders.busy:
            self.run_worker(self.switcher.preview(), group="preview", exclusive=True, exit_on_error=False)

    def handle_engine_failure(self, reason: str) -> None:
        """Show that the engine failed."""
        self._update_situation(state=TurnState.FAILED, cause=None)
        mend = _("Leave with ctrl+q and start again.")
        self.turn.welcome.show_problem(f"{reason}\n{mend}")
        self.turn.show_message(f"{reason} {mend}")
        self._refresh_widgets()

    def on_decision_bar_opened(self, message: DecisionBar.Opened) -> None:
        """Alert the user to the prompt."""
        prompt = message.prompt
        self._addressee.prompt_opened(prompt, waits=self._asking_list is self._line_choice)
        self._order_lists()
        if isinstance(prompt, ApprovalPrompt | QuestionPrompt):
            self.app.bell()
            self._notify(prompt.title)
        if self.input.has_focus:
            self._focus_answers()
        self.turn.keep_up()
        self._refresh_widgets()

    def _focus_answers(self) -> None:
        """Focus the list of an approval or of an unfinished turn, unless a text was begun."""
        if self.input.text:
            return
        if self._asking_list is self._line_choice:
            self._line_choice.focus()
        elif isinstance(self.decision.prompt, ApprovalPrompt | ContinuePrompt):
            self.decision.answers.focus()

    def _order_lists(self) -> None:
        """Of the lists that ask, only the one that asked first takes keys; the others wait in line.

        Whoever answers a question in the field has typed the line for something else: that comes first.
        """
        asking = [answers for answers in (self.decision.answers, self._line_choice) if answers.is_open]
        before = self._asking_list
        by_field = isinstance(self.decision.prompt, QuestionPrompt | MeaningPrompt) or (
            self._line_choice.moment is LineMoment.APPROVAL
        )
        if before not in asking or by_field:
            self._asking_list = asking[-1 if by_field else 0] if asking else None
        self.decision.wait(self._asking_list is self._line_choice)
        self._line_choice.wait(self._asking_list is self.decision.answers)
        self.engine.hold(self._line_choice.holds_turn)
        if before is None or before is self._asking_list:
            return
        # An Enter too many for the list before must not answer this one.
        if asking and not by_field:
            self.decision.gate.mark_shown()
        self._addressee.text_changed()
        if asking:
            self._focus_answers()

    def _notify(self, reason: str) -> None:
        """Tell a user who looks at another window why the program waits, or how a turn ended."""
        if not self.app.app_focus:
            notify(self.app, reason)

    def _alert(self, sentence: str) -> None:
        self.app.bell()
        self.hint(sentence)
        self._notify(sentence)

    def on_decision_bar_settled(self, message: DecisionBar.Settled) -> None:
        """Continue after a prompt; the next one may be waiting."""
        prompt = message.prompt
        if isinstance(prompt, ApprovalPrompt | QuestionPrompt) and self.switcher.is_shown(prompt):
            self.turn.step_resumed(prompt.event.step)
        if self.switcher.is_shown(prompt):
            self._addressee.prompt_closed(prompt)
        if message.focused:
            self.set_focus(self.input)
        self._refresh_widgets()

    def on_answer_list_answered(self, message: AnswerList.Answered) -> None:
        """The open prompt is answered from its list."""
        if message.choice in (PromptChoice.CHANGE, PromptChoice.INSTEAD):
            if self.decision.prompt is not None:
                self.decision.prompt.choose(message.choice)
            self.input.focus()
            self._addressee.begin_instead()
            self._refresh_widgets()
        elif not self.decision.decide(message.choice):
            self.hint(self.decision.not_taken)

    def on_answer_list_details_asked(self) -> None:
        """Show or hide the details of an approval."""
        self.decision.toggle_details()

    def route_typing(self, event: textual_events.Key | textual_events.Paste) -> bool:
        """Whether a key or paste was taken here, because it is text while a list or nothing has the focus.

        Text that answers nothing goes to the field before the next key: Enter must send it, not answer.
        """
        focused = self.focused
        if self.memory.focused and isinstance(event, textual_events.Key):
            return self.memory.route_key(event)
        if focused is not None and not isinstance(focused, AnswerList | Scrollback | MemoryList | QueueList):
            return False
        if isinstance(event, textual_events.Paste):
            self._delay_decisions()
        return self._addressee.take_typing(event, focused if isinstance(focused, AnswerList) else None)

    def on_command_input_typed(self, message: CommandInput.Typed) -> None:
        """Typing delays decision keys."""
        self._delay_decisions()

    def on_input_changed(self) -> None:
        """Typing in a field of the memory panel delays them too."""
        self._delay_decisions()

    def _delay_decisions(self) -> None:
        self.decision.delay_decisions()
        self.suggestion.gate.mark_typed()

    def on_command_input_sent(self, message: CommandInput.Sent) -> None:
        """Send the text where the field's title says."""
        with self.input.handling(message):
            prompt, slash = self.decision.prompt, parse_slash(message.text)
            answers = (InputTarget.ANSWER, InputTarget.INSTEAD, InputTarget.MEANING)
            self.sides.end_look()
            if slash is not None and (command := find_slash(*slash)) is not None:
                self._run_slash(command, slash[1])
            elif slash is not None and (prompt is None or slash[0].isalpha()):
                self.hint(tell_unknown_slash(*slash))  # It stays in the field, and answers nothing.
                return
            elif self.orders.send_to_phone(message.text, self._send_line) or not (message.text or prompt):
                return
            elif self._answer_list(message.text) or self.orders.steer(message.text):
                pass
            elif self.situation.field in answers and prompt is not None:
                if refusal := self.decision.refuse_text(message.text):
                    self.hint(refusal)
                    return
                if not self.orders.answer(prompt, message.text, self._send_line, self._ask_use):
                    self.decision.show_body()  # It may say back what the page tells.
                    return
                self.decision.show_choices()
            elif not self._send_line(message.text):
                return
            self.input.drop(message)
            self.call_next(self._focus_answers)  # Whoever said a line beside an approval answers it next.

    def _answer_list(self, text: str) -> bool:
        """Answer the open list that takes no words, or the suggestion, if the whole text answers it."""
        if self._asking_list is self._line_choice:
            return self._line_choice.answer_in_words(text)
        if not self.orders.busy and self.decision.prompt is None and self.suggestion.answer_in_words(text):
            return True
        return self._addressee.answers and self.decision.answer_offer(text)

    def _send_line(self, text: str) -> bool:
        """Answer a line, or give it to turn, queue or phone; false where it stays in the field."""
        target = read_line(self.engine, text, running=self.orders.busy, previous=self._last_question)
        evidence, self._evidence, self._last_question = self._evidence, (), target.question
        is_next = not self.situation.paused and self.orders.queues_next(text)
        if is_next and target.kind in (RouteKind.COMMAND, RouteKind.CORRECTION):
            return self.orders.queue(text)
        match target.kind:
            case RouteKind.COMMAND if not self.orders.busy and self.suggestion.may_be_meant(text):
                self._ask_use(text, LineMoment.SUGGESTION)
            case RouteKind.COMMAND if not self.orders.busy:
                return self.orders.start_lines(text, self.suggestion.bind_start)
            case RouteKind.CORRECTION if target.corrects_value:
                self.orders.say(text)
            case RouteKind.COMMAND | RouteKind.CORRECTION if self.orders.busy and self.situation.paused:
                self._ask_use(text, LineMoment.PAUSED)
            case RouteKind.COMMAND:
                self._ask_use(text, LineMoment.RUNNING, LineUse.SAY if target.is_remark else LineUse.QUEUE)
            case RouteKind.CORRECTION if self.orders.busy:
                self.orders.say(text)
            case RouteKind.WHY if evidence and not target.rest:
                self.turn.add_reply(text, Reply(_("The answer above rests on these."), evidence))
            case RouteKind.WHY if target.rest or not (
                (self.suggestion.offered and not self.orders.busy) or self.situation.understood
            ):
                self.run_worker(self._reply(target), group="replies", exit_on_error=False)
            case kind if kind in ROUTE_ACTIONS and (self.orders.busy or kind not in STEERING):
                self.call_later(self.run_action, ROUTE_ACTIONS[kind])
            case _:
                self.run_worker(self._reply(target), group="replies", exit_on_error=False)
        return True

    def _ask_use(self, text: str, moment: LineMoment, marked: LineUse | None = LineUse.SAY) -> None:
        """Ask what a line is for; meanwhile nothing of what is asked about is done."""
        prompt = self.decision.prompt
        marked = LineUse.SAY if isinstance(prompt, QuestionPrompt) and not prompt.event.step else marked
        # An Enter too many below an approval must not refuse what was praised.
        marked = None if moment is LineMoment.APPROVAL else marked
        self.suggestion.close()
        self.decision.stop_countdown()
        self._line_choice.ask(text, moment, marked, prompt)
        self._order_lists()
        # The field is emptied next.
        self.call_next(self._focus_answers)

    async def _reply(self, target: Route) -> None:
        async with self.orders.replying:
            try:
                reply = await self.engine.reply(target)
            except (NotReady, StoreError) as problem:
                reply = Reply(str(problem), is_answered=False)
            if (target.kind is RouteKind.FORGET and reply.is_answered) or reply.location is not None:
                if target.kind is not RouteKind.FORGET or not self.queue.go_to(target.rest, self.hint):
                    self.sides.show_to_forget(reply.location)
                return
            self._evidence = reply.evidence if target.kind is RouteKind.QUESTION else ()
            self._add_reply(target.text, reply)
            self.input.propose("" if self.orders.busy else reply.offer, selected=True)
            if self.decision.prompt is not None:
                self.hint(reply.text)  # What is asked may hide the conversation.

    def _add_reply(self, line: str, reply: Reply) -> None:
        """Add a line and what is said back to the conversation."""
        self.turn.add_reply(line, reply)
        if not self.orders.busy:
            # The turn before is folded above: how it ended is no longer the state.
            self._update_situation(state=None, cause=None)
        self._refresh_widgets()

    def on_line_choice_chosen(self, message: LineChoice.Chosen) -> None:
        """Do with a line what the user has chosen."""
        if not self._line_choice.is_open:
            self.set_focus(self.input)
        self._order_lists()
        self.orders.take_choice(message, self.decision, self._send_line, self.suggestion.decline)
        self._refresh_widgets()

    def _run_slash(self, command: SlashCommand, rest: str) -> None:
        """Run a slash command with the words behind it."""
        if (line := slash_route(command.name, rest)) is not None:
            self.run_worker(self._reply(line), group="replies", exit_on_error=False)
        elif command.name == "clear":
            self.turn.scrollback.clear_all()
        elif command.name == "queue" and rest:
            self.orders.run_or_queue(rest)
        elif command.name == "memory":
            self.sides.show_memory(rest)
        elif command.name == "record":
            self.orders.record(rest)
        elif command.name == "replay" and rest:
            self.orders.replay(rest)
        elif command.name in ("skills", "replay"):
            self.sides.show_memory(section=Section.SKILLS)
        elif command.name == "theme" and rest:
            self.call_later(self.run_action, f"app.use_theme({rest.casefold()!r})")
        else:
            self.call_later(self.run_action, command.action)

    def on_completion_list_picked(self, message: CompletionList.Picked) -> None:
        """A completion was clicked."""
        self.input.take(message.completion)
        self.input.focus()

    def on_scrollback_turn_opened(self, message: Scrollback.TurnOpened) -> None:
        """Open the history, where the turn is."""
        self.call_later(self.run_action, "app.history")

    def on_scrollback_records_opened(self, message: Scrollback.RecordsOpened) -> None:
        """Open the memory at the records behind an answer."""
        self._show_evidence(message.evidence)

    def _show_evidence(self, evidence: Sequence[str]) -> None:
        if evidence:
            self.open_memory(lambda view: ItemLocation(Section.RECORDS, evidence[0]))

    def on_command_input_escaped(self, message: CommandInput.Escaped) -> None:
        """Pause the turn, or stop a countdown; never cancels."""
        if self.orders.recording:
            self.orders.record("")
        elif not self.suggestion.stop_countdown() and self.orders.busy:
            self.action_pause()

    def on_command_input_list_wished(self, message: CommandInput.ListWished) -> None:
        """Move to the list that asks, edit the meaning, or show what the last answer rests on."""
        asking = self._asking_list
        if message.by_enter and asking is None:
            self._show_evidence(() if self.orders.busy else self._evidence)
        elif not message.by_enter or self._addressee.enter_list(asking, self.hint):
            if asking is not None:
                asking.focus()
            if not message.by_enter:
                self._addressee.edit_meaning()

    def on_command_input_nothing_to_undo(self, message: CommandInput.NothingToUndo) -> None:
        """Suspend the program when ctrl+z is pressed twice with nothing to undo."""
        if self.app.is_web:
            self.hint(_("Nothing to undo."))
        elif self.suspends.armed:
            self.app.action_suspend_process()
        else:
            self.suspends.arm()
            self.hint(_("ctrl+z again goes back to the shell; fg comes back here."), stays=True)

    def on_text_area_changed(self) -> None:
        """The field's text changed; an emptied field may become the answer to an open question."""
        self.engine.note_typing(bool(self.input.text))
        self.orders.complete(self._completions)
        if not self.input.text:
            self.suggestion.drop_edit()
        if self._asking_list is not self._line_choice and self._addressee.text_changed():
            self._refresh_widgets()

    def action_stop(self) -> None:
        """Escape: pauses, and cancels if pressed again soon; without a turn, leaves memory or countdown.

        While a turn is paused or asks, and does nothing, Escape leaves the panel that has the focus first.
        """
        if self.orders.recording:
            self.orders.record("")
            return
        if self.suggestion.stop_countdown():
            return
        self._line_choice.leave()
        in_panel = self.queue.has_focus or (self.memory.focused and self.situation.asking is not None)
        if self.suggestion.deciding and not self.orders.busy:
            self.suggestion.close()
        elif in_panel or (
            not self.input.has_focus
            and (not self.orders.busy or (self.situation.paused and not self.decision.answers.has_focus))
        ):
            self.memory.back() if self.memory.focused else self.input.focus()
        elif not self.orders.busy:
            if not self.sides.end_look():
                self.hint(_("No turn is running."))
        elif self.situation.stopping and self.escapes.armed:
            self.action_cancel()
        else:
            was_paused = self.situation.paused
            self.action_pause()
            self.escapes.arm()
            self._update_situation(stopping=self.orders.busy)
            self._refresh_widgets()
            if was_paused:
                self.hint(_("Escape again cancels the turn; what was done stays done."))

    def _escape_expired(self) -> None:
        self._update_situation(stopping=False)
        self._refresh_widgets()

    def action_pause(self) -> None:
        """Pause the turn: nothing more is sent to the phone. What may order nothing is left as a remark."""
        if not self.decision.leave_remark():
            self.engine.pause()

    def action_cancel(self, cause: str = Cause.KEY) -> None:
        """Cancel the turn, and what was said to it."""
        self.orders.cancel(Cause(cause))

    def action_queue(self) -> None:
        """Queue the field's text; with an empty field, move the focus to the queue or back."""
        self.orders.press_queue_key()

    def on_queue_list_wished(self, message: QueueList.Wished) -> None:
        """Apply the user's choice to a queued command."""
        self.orders.change_queue(message.wish, message.place)

    def action_resume(self) -> None:
        """Resume a paused turn, or offer one that was left."""
        if self.engine.state in (TurnState.PAUSING, TurnState.PAUSED):
            self.engine.resume()
        elif not self.switcher.offer_unfinished(self.orders.begin):
            self.hint(_("No turn is paused."))

    def action_suggestion(self) -> None:
        """Open or close the decision about the suggestion."""
        if self.situation.asking in (None, UserRequest.OFFER) and not self._line_choice.is_open:
            self.suggestion.toggle()
        else:
            self.hint(_("Answer the open question first."))
        self._refresh_widgets()

    def on_suggestion_panel_edited(self, message: SuggestionPanel.Edited) -> None:
        """Put the suggestion's instruction into the empty field, to be edited and sent."""
        if self.input.text:
            self.hint(_("Send or empty the field first."))
            return
        self.input.focus()
        self.input.fill(self.suggestion.edit())
        self._refresh_widgets()

    def on_suggestion_panel_moved(self, message: SuggestionPanel.Moved) -> None:
        """The decision about the suggestion has opened or closed."""
        if not self.suggestion.deciding and message.focused and not self.memory.focused:
            self.input.focus()
        self._refresh_widgets()

    def action_panel(self, direction: int) -> None:
        """Move the focus to the next panel that shows something, or back to the field."""
        if self.memory.focused and self.memory.inside:
            self.focus_next() if direction > 0 else self.focus_previous()
            return
        stops = [self.input, *self._panels()]
        at = next((place for place, stop in enumerate(stops) if stop.has_focus_within or stop.has_focus), 0)
        target = stops[(at + direction) % len(stops)]
        if target is self.suggestion:
            self.suggestion.open()
        elif target is self.memory:
            self.memory.open()
        else:
            target.focus()
        self._refresh_widgets()

    def _panels(self) -> list[Widget]:
        """What can take the focus besides the field, the most urgent first."""
        offers = self.suggestion.offered is not None and not (self.situation.asking or self._asking_list)
        shown: list[tuple[Widget, bool]] = [
            (self._line_choice, self._asking_list is self._line_choice),
            (self.decision.answers, self._asking_list is self.decision.answers),
            (self.suggestion, offers),
            (self.queue, bool(self.engine.command_queue.commands)),
            (self.memory, self.has_class("-memory")),
            (self.turn.scrollback, not self.turn.scrollback.is_empty),
        ]
        return [widget for widget, is_shown in shown if is_shown]

    def action_memory(self) -> None:
        """Open the memory and focus it; if focused, close it."""
        self.sides.toggle_memory()

    def open_memory(self, where: Where | None) -> None:
        """Open the memory at a location; None does nothing."""
        if where is not None:
            self.sides.open_memory(where)

    def action_learning(self) -> None:
        """Pause or resume learning."""
        try:
            self.engine.pause_learning(self.engine.learns)
        except (NotReady, StoreError) as problem:
            self.hint(str(problem))

    def on_memory_panel_left(self) -> None:
        """Close the memory and focus the input field, or the answers that are waited for."""
        self.sides.close_memory()
        self.input.focus()
        self._focus_answers()

    def action_picture(self) -> None:
        """Show or hide the phone's screen."""
        self.sides.toggle_picture()
        self._show_phone()

    def action_thoughts(self) -> None:
        """Show or hide the model's thoughts of finished steps."""
        shown = self.turn.toggle_thoughts()
        self.hint(_("What the model thought is shown.") if shown else _("What the model thought is hidden."))

    def action_clear(self) -> None:
        """Copy the selection; else clear the field; else say how to quit."""
        selected = self.input.selected_text or self.get_selected_text()
        if selected:
            self.post_message(CopyRequested(selected))
        elif self.memory.focused:
            self.memory.back()
        elif self.input.text:
            self.input.clear()
        else:
            self.hint(_("ctrl+q leaves, esc pauses."))

    def action_page(self, direction: int) -> None:
        """Scroll the open prompt, the focused memory, or the steps by a page."""
        if self.decision.prompt is not None:
            self.decision.scroll_page(direction)
        elif self.memory.focused:
            self.memory.scroll_page(direction)
        else:
            self.turn.scroll_page(direction)

    def _enter_state(self, state: TurnState, cause: Cause) -> None:
        stays = self.engine.state in (TurnState.PAUSING, TurnState.PAUSED, TurnState.WAITING)
        self._update_situation(state=state, cause=cause, stopping=self.situation.stopping and stays)

    def _update_situation(self, **changes: Any) -> None:
        self.situation = replace(self.situation, **changes)

    def _refresh_widgets(self) -> None:
        if self.situation.recording and not self.orders.recording:
            self._update_situation(state=None, cause=None)  # The turn before is folded, as for a reply.
        asking = self.decision.prompt.asking if self.decision.prompt is not None else None
        field = self._addressee.route(self.situation.active, self.situation.paused)
        self._order_lists()
        self._update_situation(asking=asking, field=field, recording=self.orders.recording)
        self._update_situation(understood=self.turn.record.understood.is_explainable)
        panels = self._panels()
        # The suggestion says itself what tab does.
        is_listed = self.suggestion in panels and not self.suggestion.deciding
        self._update_situation(panels=bool(panels) and not is_listed, deciding=self.suggestion.deciding)
        # Not on the screen: each widget below it would have its styles made anew.
        for panel in (self.suggestion, self.memory):
            panel.set_class(asking is not None or self.suggestion.deciding, "-asking")
        offer = self.suggestion.offered if not self.orders.busy else None
        self._reasons.show(view_of_offer(offer) if offer else self.turn.record.understood)
        self.turn.show_situation(self.situation)
        self.input.serve(field, list_asks=self._asking_list is not None)
        self.keys.show(self.situation)
        self.window_title.show(self.app, self.situation)

    def hint(self, sentence: str, *, stays: bool = False) -> None:
        """Show a message in the last line for a few seconds, whatever happens meanwhile if it `stays`."""
        self.keys.hint(sentence, stays=stays)
