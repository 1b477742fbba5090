"""Routes the text of the input field, and starts turns.

The text is a new command, a message to the running turn, or the answer to a prompt. A command is started now,
once the phone is connected, or from the queue.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from assistant import events
from assistant.conversation.routing import (
    RouteKind,
    forbids_deed,
    without_opening,
    without_refusal,
)
from assistant.conversation.service import Mention, Reply
from assistant.engine import Engine
from assistant.i18n import _, counted, joined, shortened
from assistant.memory.database import StoreError
from assistant.memory.programs import MOST_QUEUED
from assistant.memory_view.items import Item, MemoryProblem, Section
from assistant.phone.errors import PhoneError
from assistant.phone.monitor import phones_named
from assistant.presentation.prompts import (
    ApprovalPrompt,
    MeaningPrompt,
    Prompt,
    PromptChoice,
    QuestionPrompt,
)
from assistant.presentation.text import halts_turn, one_line
from assistant.presentation.ui_state import (
    AnswerUse,
    LineMoment,
    LineUse,
    MeaningReply,
    orders_besides,
    read_meaning_reply,
    refuses,
    split_commands,
    steer_sub_task,
)
from assistant.records import Outcome
from assistant.skills.command_wording import read_correction
from assistant.skills.service import UnknownTurn
from assistant.skills.slots import read_values
from assistant.skills.storage import describe_kept
from assistant.tui.widgets.command_input import CommandInput, QueueList
from assistant.tui.widgets.decision_bar import DecisionBar
from assistant.tui.widgets.input_lists import (
    CompletionList,
    LineChoice,
    complete,
    names_skill,
    word_at_cursor,
)
from assistant.tui.widgets.turn_panel import TurnPanel
from assistant.turn_runner import EngineBusy, NotReady

ROUTE_ACTIONS = {
    RouteKind.FAREWELL: "app.quit",
    RouteKind.STOP: "pause",
    RouteKind.CANCEL: f"cancel('{events.Cause.WORDS}')",
    RouteKind.RESUME: "resume",
    RouteKind.WHY: "app.why",
    RouteKind.OPEN_MEMORY: "memory",
    RouteKind.OPEN_HISTORY: "app.history",
    RouteKind.OPEN_SETTINGS: "app.settings",
    RouteKind.OPEN_QUEUE: "queue",
}
"""Lines that stand for an action of the interface."""

_NAME_SHOWN = 30
_PART = re.compile(
    r"\s(?:(?:--)?until (?:step )?|到第?)(?P<until>[1-9]\d*)步?[,，]?"
    r"\s*(?:(?:--)?then\s|然后[,，]?)\s*(?P<then>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_FROM = re.compile(r"\s(?:(?:--)?from (?:step )?|从第?)(?P<start>[1-9]\d*)步?(?=\s|$)", re.IGNORECASE)
"""Which part of a skill is carried out, and what is done instead of the rest."""


class CommandDispatcher:
    """Gives commands to the engine, one after the other.

    Args:
        engine: runs them.
        turn: shows why a command cannot run.
        field: gets back a command that cannot run.
        line: shows the queued commands.
        hint: shows a message for a few seconds.
        after: called when a message was added to the turn panel.
        use_phone: brings a phone to the front.
    """

    def __init__(
        self,
        engine: Engine,
        turn: TurnPanel,
        field: CommandInput,
        line: QueueList,
        hint: Callable[[str], None],
        after: Callable[[], None],
        use_phone: Callable[[str], None],
    ) -> None:
        self.mentions: Sequence[Mention] | None = None
        self._skills: Sequence[Mention] | None = None
        """What the memory knows by name; None until it was asked for."""
        self.replying = asyncio.Lock()
        """Held while a line is answered: those typed before the memory is open keep their order."""
        self._engine = engine
        self._turn = turn
        self._field = field
        self._line = line
        self._hint = hint
        self._after = after
        self._use_phone = use_phone
        self._shown: asyncio.Future[None] | None = None
        self._recorded = 0
        self._pending: tuple[str, Callable[[], None]] | None = None
        self._place: int | None = None
        self._unread: list[str] = []
        self._just_read: list[str] = []
        self._hold_reason = _("on hold since the last start")

    @property
    def busy(self) -> bool:
        """Whether a turn is running."""
        state = self._engine.state
        return state is not None and not state.final

    @property
    def recording(self) -> bool:
        """Whether the user shows a task on the phone."""
        return self._shown is not None

    def record(self, name: str) -> None:
        """Record a task that the user shows on the phone, or end the recording that runs."""
        if self._shown is not None:
            if not self._shown.done():
                self._shown.set_result(None)
        elif not name:
            self._hint(_("Say what the task is called, as you would order it: /record order my usual coffee"))
        elif self.busy:
            self._hint(_("A turn is already running. Pause or cancel it first."))
        else:
            self._shown = asyncio.get_running_loop().create_future()
            self._recorded = 0
            self._turn.show_message(_("Show it on the phone, then type /record or press escape."))
            self._after()
            self._field.run_worker(self._record(name, self._shown), group="record", exit_on_error=False)

    async def _record(self, name: str, shown: asyncio.Future[None]) -> None:
        try:
            turn_id = await self._engine.record(name, shown)
            kept = await asyncio.to_thread(self._engine.keep_skill, turn_id, name)
            reply = Reply(describe_kept(kept), (turn_id,))
        except UnknownTurn as problem:
            reply = Reply(problem.reason, is_answered=False)
        except (EngineBusy, NotReady, PhoneError, StoreError) as problem:
            reply = Reply(str(problem), is_answered=False)
        finally:
            self._shown = None
        self._turn.show_message("")
        self._turn.add_reply(f"/record {name}", reply)
        self._after()

    def count_recorded(self, event: events.Event) -> bool:
        """Whether an event is a step of the recording: it is counted, and belongs to no turn."""
        if self._shown is None:
            return False
        if isinstance(event, events.StepFinished):
            self._recorded += 1
            sentence = _("Recorded: {steps}. When it is done, type /record or press escape.")
            self._turn.show_message(sentence.format(steps=counted(self._recorded, "step")))
        return isinstance(event, events.StepStarted | events.ActionChosen | events.StepFinished)

    def replay(self, words: str) -> bool:
        """Carry out a skill that is named, with the values given for its slots (“item=fried rice”).

        “from 3” begins with a step, and “until 4, then order tea” goes on differently behind one.
        """
        part = _PART.search(words)
        until, then = (int(part["until"]), part["then"]) if part is not None else (None, "")
        words = words[: part.start()] if part is not None else words
        begins = _FROM.search(words)
        start = int(begins["start"]) if begins is not None else 1
        name, values = read_values(_FROM.sub("", words))
        return self.begin(partial(self._engine.replay, name, values, start, until, then))

    def begin(
        self, start: Callable[[], None], given_back: str = "", offer_again: Callable[[], None] | None = None
    ) -> bool:
        """Start a turn, or show why not; returns whether it was started.

        Where the turn before is just ending, it is started as soon as that is over.

        Args:
            start: starts it.
            given_back: the command, for the field where it cannot be started later.
            offer_again: called where it cannot, once no other turn runs.
        """
        if self._shown is not None:
            self._hint(_("A recording runs. /record or escape ends it."))
            return False
        if (state := self._engine.state) is not None and state.final:
            beginning = self._begin_later(start, given_back, offer_again)
            self._field.run_worker(beginning, group="begin", exit_on_error=False)
            return True
        try:
            start()
        except (EngineBusy, NotReady) as refusal:
            self._turn.show_message(str(refusal))
            self._after()
            self._hint(_("Not started."))
            return False
        return True

    async def _begin_later(
        self, start: Callable[[], None], given_back: str, offer_again: Callable[[], None] | None
    ) -> None:
        await self._engine.wait_until_idle()
        if self.begin(start, given_back, offer_again):
            return
        if given_back and not self._field.text:
            self._field.fill(given_back)
        if offer_again is not None:
            await self._engine.wait_until_idle()
            offer_again()

    def replace_turn(self, text: str, send: Callable[[str], bool]) -> None:
        """End the turn, and then take a line as one that is typed without a turn.

        Args:
            text: the line.
            send: takes it; false where it stays in the field.
        """
        self.cancel()
        sending = self._send_later(without_refusal(text), send)
        self._field.run_worker(sending, group="begin", exit_on_error=False)

    async def _send_later(self, text: str, send: Callable[[str], bool]) -> None:
        await self._engine.wait_until_idle()
        # The event that tells of the end comes to the screen behind it.
        await asyncio.sleep(0)
        if not send(text) and not self._field.text:
            self._field.fill(text)

    def start_when_ready(self, command: str, start: Callable[[], None]) -> bool:
        """Start a command now or as soon as the phone is connected; returns whether it was accepted."""
        if self._pending is not None:
            return self.queue(command)
        if self._engine.is_searching:
            self._pending = command, start
            self._turn.welcome.show_looking(waiting=command)
            return True
        return self.begin(start, command)

    def start_lines(self, text: str, bind: Callable[[str], Callable[[], None]]) -> bool:
        """Start the first command of a text by what `bind` makes of it; those on further lines are queued."""
        if self._pending is not None and len(read := read_correction(self._pending[0], text)) == 1:
            text, self._pending = read[0].command, None  # It is about the command that waits for the phone.
        first, *others = map(without_opening, split_commands(text))
        if len(others) > MOST_QUEUED - len(self._engine.command_queue.commands):
            self._hint(_("Not started: the queue has no room for {count}.").format(count=len(others)))
            return False
        is_taken = self.start_when_ready(first, bind(first))
        for command in others if is_taken else ():
            self.queue(command)
        return is_taken

    def steer(self, text: str) -> bool:
        """Do what a line says of a sub-task, or drop what waits for the phone; returns whether it does."""
        if self._pending is not None and halts_turn(text):
            (command, _start), self._pending = self._pending, None
            self._turn.welcome.show_looking(waiting="")
            self._hint(_("Not started: {command}").format(command=one_line(command)))
            return True
        if steered := steer_sub_task(self._engine, text):
            self._hint(steered)
        return bool(steered)

    def send_to_phone(self, line: str, send: Callable[[str], bool]) -> bool:
        """Show the phone that a line names behind an @, and send the rest there.

        Args:
            line: what was typed.
            send: sends the rest, once the phone is in front; returns whether it was taken.

        Returns:
            Whether the line is dealt with. One that names no phone stays in the field: it must not reach
            another phone than the one that was meant.
        """
        if not line.startswith("@"):
            return False
        serials, command = phones_named(line, self._engine.phone_names)
        names = [mention.name.casefold() for mention in self.mentions or ()]
        if not serials and line[1:].casefold().startswith(tuple(names)):
            return False
        if len(serials) != 1:
            named = _("Several phones are called that. Name one by its serial: {serials}")
            unknown = _(
                "Nothing is called “{name}”. Type @ for the names of people, places, apps, routines and "
                "phones; without the @ the words are a command as they are."
            ).format(name=shortened(one_line(line[1:]), _NAME_SHOWN))
            self._hint(named.format(serials=", ".join(map(one_line, serials))) if serials else unknown)
            return True
        self._field.fill("")
        if serials[0] != self._engine.front_phone:
            self._use_phone(serials[0])
        if command and not send(command) and not self._field.text:
            self._field.fill(command)
        return True

    def run_or_queue(self, command: str) -> bool:
        """Start a command, or queue it while a turn runs; returns whether it was taken."""
        if self.send_to_phone(command, self.run_or_queue):
            return True
        if self.busy:
            return self.queue(command)
        command = without_opening(command)
        is_taken = self.start_when_ready(command, partial(self._engine.run, command))
        if not is_taken and not self._field.text:
            self._field.fill(command)
        return is_taken

    def queues_next(self, line: str) -> bool:
        """Whether a line says that it comes after the turn that runs: “after that, call mom”."""
        return self.busy and orders_besides(line)

    def queue(self, command: str) -> bool:
        """Queue a command, or those of several lines; returns whether there was room."""
        if len(commands := split_commands(command)) > 1:
            return all(self.queue(each) for each in commands)
        waiting, command = self._engine.command_queue, without_opening(command)
        place, self._place = self._place, None
        if not waiting.add(command, place):
            self._hint(_("Not queued: the queue is full."))
            return False
        if waiting.on_hold:
            self._hint(_("Queued. The queue is on hold; /queue opens it."))
        else:
            self._hint(_("Queued: it starts when the turn succeeds."))
        self.show_queue()
        return True

    def answer(
        self,
        prompt: Prompt,
        text: str,
        send: Callable[[str], bool],
        choose: Callable[[str, LineMoment], None],
    ) -> bool:
        """Answer a prompt with a typed line; below a meaning it says what to change.

        Args:
            prompt: the open prompt.
            text: the line.
            send: takes a line that is no answer, but meant for something else.
            choose: asks what a line is for.

        Returns:
            Whether the line is dealt with; one that says nothing clear stays in the field.
        """
        if isinstance(prompt, MeaningPrompt) and not prompt.edits:
            self._answer_meaning(prompt, text, send, choose)
            return True
        command = self._engine.standing_command
        match prompt.use_of(text, command) if isinstance(prompt, ApprovalPrompt | QuestionPrompt) else None:
            case AnswerUse.CANCEL:
                self.cancel()
            case AnswerUse.PAUSE if forbids_deed(text):
                self.say(text)
            case AnswerUse.PAUSE:
                self._engine.pause()
            case AnswerUse.LINE:
                return send(text)
            case AnswerUse.POSTPONE if isinstance(prompt, ApprovalPrompt):
                self.cancel()
                self._unread.append(prompt.postponed(text))  # It comes back into the field, to be sent.
            case AnswerUse.CHOOSE:
                choose(text, LineMoment.APPROVAL)
            case AnswerUse.BOTH if isinstance(prompt, QuestionPrompt) and (both := prompt.split(text)):
                choice, rest = both
                self.say(rest)
                prompt.choose(choice)
            case AnswerUse.UNCLEAR if isinstance(prompt, ApprovalPrompt | QuestionPrompt):
                self._hint(prompt.tell_unclear(text, command))
                # Whoever types on means another answer, not a longer one.
                self._field.select_all()
                return False
            case _:
                prompt.answer_in_words(text)
        return True

    def _answer_meaning(
        self,
        prompt: MeaningPrompt,
        text: str,
        send: Callable[[str], bool],
        choose: Callable[[str, LineMoment], None],
    ) -> None:
        match read_meaning_reply(text, prompt.event.instruction):
            case MeaningReply.LINE if not prompt.changes:
                send(text)
            case MeaningReply.CHOOSE if not prompt.changes or refuses(text):
                choose(text, LineMoment.MEANING)
            case MeaningReply.CANCEL:
                self.cancel()
            case MeaningReply.PAUSE:
                self._engine.pause()
            case MeaningReply.WHY:
                self._field.call_later(self._field.screen.run_action, ROUTE_ACTIONS[RouteKind.WHY])
            case MeaningReply.CHOOSE | MeaningReply.CORRECTION | MeaningReply.LINE:
                self.say(text)
                prompt.choose(PromptChoice.YES)
            case _:
                prompt.choose(PromptChoice.YES)

    def take_choice(
        self,
        chosen: LineChoice.Chosen,
        decision: DecisionBar,
        send: Callable[[str], bool],
        decline: Callable[[str, bool], None],
    ) -> None:
        """Do with a line what the user has chosen.

        Only the prompt that the line was typed about is answered: one that opened since goes on waiting.

        Args:
            chosen: the line and its use.
            decision: shows the open prompt, if any.
            send: takes a line that is typed without a turn.
            decline: takes a line that turned the suggestion down, and whether only for later.
        """
        text, prompt = chosen.text, decision.prompt
        asks = isinstance(prompt, QuestionPrompt) and not prompt.event.step
        is_about = asks or chosen.moment in (LineMoment.APPROVAL, LineMoment.MEANING)
        asked = prompt if prompt is chosen.prompt and is_about else None
        match chosen.use:
            case LineUse.QUEUE:
                self.run_or_queue(text)
            case LineUse.REPLACE:
                self.replace_turn(text, send)
            case LineUse.END if self.busy:
                self.cancel()
            case LineUse.STOP if isinstance(asked, ApprovalPrompt):
                asked.choose(PromptChoice.NO)
            case LineUse.STOP if self.busy:
                self._engine.pause()
            case LineUse.SAY | LineUse.LATER as use if chosen.moment is LineMoment.SUGGESTION:
                decline(text, use is LineUse.LATER)
            case LineUse.SAY if isinstance(asked, ApprovalPrompt):
                # What was said is no part of a yes: it is refused for it, and asked anew.
                asked.refuse_for(text)
            case LineUse.SAY if isinstance(asked, QuestionPrompt):
                asked.answer_in_words(text)
            case LineUse.SAY if self.busy:
                self.say(text)
                if isinstance(asked, MeaningPrompt):
                    asked.choose(PromptChoice.YES)
                else:
                    decision.note_said(text)
            case LineUse.BACK if isinstance(prompt, ApprovalPrompt):
                pass
            case _:
                self._field.fill(text, selected=True)

    def say(self, text: str) -> None:
        """Say a line to the running turn, and remember it until a step has begun that reads it.

        A line that objects to what is done also pauses the turn.
        """
        self._unread.append(text)
        self._engine.say(text)
        if halts_turn(text):
            self._engine.pause()

    def cancel(self, cause: events.Cause = events.Cause.WORDS) -> None:
        """Cancel the turn, and what was said to it."""
        self._unread.clear()
        self._engine.cancel(cause)

    def _give_back_unread(self) -> None:
        """The turn is over: what it has not read goes back into the field."""
        unread, self._unread = "\n".join(self._unread), []
        if unread and not self._field.text:
            self._field.fill(unread, selected=True)
            words = _("The turn ended before this was done. Send it again, or type over it.")
            self._field.call_after_refresh(self._hint, words)
        elif unread:
            self._turn.add_reply(unread, Reply(_("Not done: the turn ended first."), is_answered=False))

    def complete(self, completions: CompletionList) -> None:
        """Show what completes the word before the cursor.

        Each @ reads the names that memory has by then, and each /replay the skills.
        """
        word = word_at_cursor(self._field.text)
        if word == "@" or (word.startswith("@") and self.mentions is None):
            self.mentions = self.mentions or ()
            reading = self._read_mentions(completions)
            self._field.run_worker(reading, group="mentions", exclusive=True, exit_on_error=False)
        if not names_skill(word):
            self._skills = None
        elif self._skills is None:
            self._skills = ()
            reading = self._read_skills(completions)
            self._field.run_worker(reading, group="skills", exclusive=True, exit_on_error=False)
        self._show_completions(completions)

    def _phones_named(self, word: str) -> Sequence[tuple[str, str]]:
        """The phones that a word which is the whole line may name."""
        return self._engine.phone_names if word == self._field.text else ()

    async def _read_mentions(self, completions: CompletionList) -> None:
        with suppress(NotReady, StoreError):
            self.mentions = await self._engine.mentions()
        self._show_completions(completions)

    async def _read_skills(self, completions: CompletionList) -> None:
        """The skills in use, by the names that stand for one alone."""

        def listed() -> Sequence[Item]:
            return self._engine.memory().items(Section.SKILLS).items

        with suppress(NotReady, MemoryProblem):
            skills = [skill for skill in await asyncio.to_thread(listed) if not skill.hidden]
            counts = Counter(skill.name for skill in skills)
            self._skills = [
                Mention(skill.name if counts[skill.name] == 1 else skill.id, joined((skill.app, skill.tail)))
                for skill in skills
            ]
        self._show_completions(completions)

    def _show_completions(self, completions: CompletionList) -> None:
        word = word_at_cursor(self._field.text)
        listed = complete(word, self.mentions or (), self._phones_named(word), self._skills or ())
        completions.show(listed, word)

    def press_queue_key(self) -> None:
        """The queue key: queue the field's text; with an empty field, move the focus to the queue."""
        text = self._field.text.strip()
        if self._line.has_focus:
            self._field.focus()
        elif self.send_to_phone(text, self.run_or_queue):
            pass
        elif text and not self.busy and not self._engine.command_queue.commands:
            self._field.clear()
            self.run_or_queue(text)
        elif text:
            if self.queue(text):
                self._field.clear()
        elif self._engine.command_queue.commands:
            self._line.focus()
        else:
            self._hint(_("The queue is empty. While a turn runs, enter asks whether a command comes next."))

    def handle_event(self, event: events.Event) -> None:
        """Start the command that waited for the phone; after a turn, start the next or hold the queue."""
        match event:
            case events.StepStarted():
                self._just_read, self._unread = self._unread, []
            case events.PhoneStateChanged():
                self.show_queue()
            case events.TurnFinished(outcome=outcome, cause=cause):
                if outcome in (Outcome.FAILED, Outcome.UNCONFIRMED):
                    # The step that read it was the last: nothing was done about it.
                    self._unread = self._just_read + self._unread
                self._just_read = []
                self._give_back_unread()
                self._turn_over(outcome)
                if cause is events.Cause.ANSWERED and (talk := self._engine.conversation) is not None:
                    self._field.propose(talk.offer, selected=True)
        self._start_early()

    def change_queue(self, wish: str, place: int) -> None:
        """Apply the user's choice to a queued command."""
        waiting = self._engine.command_queue
        match wish:
            case "go":
                self._release_queue()
            case "drop":
                self._hint(_("Dropped: “{command}”.").format(command=one_line(waiting.take(place) or "")))
            case "up" | "down":
                self._line.highlighted = waiting.move(place, -1 if wish == "up" else 1)
            case "edit" if self._field.text:
                self._hint(_("Send or empty the field first."))
                return
            case "edit":
                self._field.fill(waiting.take(place) or "")
                self._place = place
        self.show_queue()
        if wish in ("go", "edit", "leave") or not waiting.commands:
            self._field.focus()

    def leave_phone(self, left_out: Sequence[str]) -> None:
        """Another phone is shown: nothing meant for the one before reaches its turn. Show its queue.

        Args:
            left_out: lines whose use was still asked.
        """
        for line in left_out:
            self._turn.add_reply(line, Reply(_("Left out: another phone is shown."), is_answered=False))
        self._unread.clear()
        self._place = None
        (command, _start), self._pending = self._pending or ("", None), None
        if command and not self._field.text:
            self._field.fill(command)
        self._hold_reason = _("on hold")
        self.show_queue()

    def show_queue(self) -> None:
        """Show the queue."""
        waiting = self._engine.command_queue
        self._line.show(waiting.commands, self._hold_reason if waiting.on_hold else "")

    def _turn_over(self, outcome: Outcome) -> None:
        waiting = self._engine.command_queue
        if not waiting.commands:
            return
        if outcome is not Outcome.SUCCESS:
            waiting.on_hold = True
            self._hold_reason = {
                Outcome.FAILED: _("kept, not begun: the turn failed"),
                Outcome.CANCELLED: _("kept, not begun: the turn was cancelled"),
                Outcome.UNCONFIRMED: _("kept, not begun: the turn is not confirmed"),
            }[outcome]
            self._hint(_("The queue is on hold. /queue opens it."))
            self.show_queue()
        elif not waiting.on_hold:
            self._schedule_next()

    def _release_queue(self) -> None:
        self._engine.command_queue.on_hold = False
        if self.busy:
            self._hint(_("The next command starts when the turn succeeds."))
        else:
            self._schedule_next()

    def _schedule_next(self) -> None:
        self._line.run_worker(self._start_next(), group="line", exclusive=True)

    async def _start_next(self) -> None:
        """Start the next command once the engine has finished the turn before."""
        await self._engine.wait_until_idle()
        waiting = self._engine.command_queue
        if waiting.on_hold or not waiting.commands:
            return
        if waiting.next_phone:
            self._go_on_elsewhere(waiting.next_phone)
            return
        try:
            self._engine.run_next()
            self._hint(_("Begun from the queue."))
        except EngineBusy as refusal:
            self._hold_queue(_("on hold: another program uses the phone"), refusal)
        except NotReady as refusal:
            self._hold_queue(_("on hold: the phone or the model is missing"), refusal)
        self.show_queue()

    def _go_on_elsewhere(self, serial: str) -> None:
        """The next command is for another phone: go on with its queue, if it is connected."""
        self._engine.command_queue.on_hold = True
        if serial in (name for name, _model in self._engine.phone_names):
            self._use_phone(serial)
            self._release_queue()
        else:
            self._hold_reason = _("on hold: the phone of the next command is not connected")
            self.show_queue()

    def _hold_queue(self, why: str, refusal: Exception) -> None:
        """The next command cannot start; hold the queue until the user releases it."""
        self._engine.command_queue.on_hold, self._hold_reason = True, why
        self._turn.show_message(str(refusal))
        self._after()

    def _start_early(self) -> None:
        """Start the command entered before the phone was connected; if that fails, put it back."""
        if self._pending is None or self._engine.is_searching:
            return
        (command, start), self._pending = self._pending, None
        if self.begin(start):
            return
        if self._engine.command_queue.commands:
            self._engine.command_queue.on_hold = True
            self._hold_reason = _("on hold: the phone or the model is missing")
            self.show_queue()
        if not self._field.text:
            self._field.fill(command)
