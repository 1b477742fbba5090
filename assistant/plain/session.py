"""A session in lines on standard input and output: typed lines go to the engine, events are printed.

Prompts are printed as numbered lines and answered by number or in words.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from asyncio import Future
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

from assistant import events
from assistant.conversation.routing import (
    Route,
    RouteKind,
    forbids_deed,
    route,
    without_opening,
    without_refusal,
)
from assistant.conversation.setting_changes import small_talk
from assistant.engine import Engine
from assistant.i18n import _, counted
from assistant.memory.database import StoreError
from assistant.memory.prototypes.model import parse_scenario
from assistant.plain.output import (
    ABOUT_MEMORY,
    HELP,
    LEAVING,
    PAUSED_HELP,
    PAUSED_STATES,
    SNOOZES,
    STEERING,
    answer_prompt,
    find_numbered,
    format_explanation,
    format_prompt,
    format_spoken_line,
    memory_runner,
    name_typed_words,
    offer_word,
    parse_slash,
    print_line,
    read_lines,
    ring_bell,
    split_word,
    tell_unknown_slash,
)
from assistant.presentation.command_meaning import CommandView, may_answer_offer, read_put_off
from assistant.presentation.prompts import (
    ApprovalPrompt,
    ContinuePrompt,
    MeaningPrompt,
    Prompt,
    PromptChoice,
    QuestionPrompt,
)
from assistant.presentation.push import PushNotifier
from assistant.presentation.text import halts_turn, one_line, safe
from assistant.presentation.ui_state import (
    LINE_QUESTIONS,
    OTHER_PROGRAM,
    AnswerUse,
    KeyGate,
    LineMoment,
    LineUse,
    MeaningReply,
    list_uses,
    read_line,
    read_meaning_reply,
    route_to_sub_task,
    steer_sub_task,
)
from assistant.records import Outcome
from assistant.turn_runner import EngineBusy, InterruptedTurn, NotReady


class PlainSession:
    """A user who types lines. Prompts wait for an answer; none is accepted after a countdown.

    Args:
        engine: runs the turns.
        say: prints a line.
        clock: monotonic seconds. A line typed before a question could be read does not answer it.
        memory: runs `assistant memory` with these arguments.
        typed_ahead: whether lines may come before the question that they answer, as from a file.
        bell: alerts the user when a prompt waits or a turn has ended.
    """

    def __init__(
        self,
        engine: Engine,
        say: Callable[[str], None],
        clock: Callable[[], float],
        memory: Callable[[str], Awaitable[None]],
        *,
        typed_ahead: bool = False,
        bell: Callable[[], None] = lambda: None,
    ) -> None:
        self._engine = engine
        self._print = say
        self._run_memory = memory
        self._typed_ahead = typed_ahead
        self._bell = bell
        self._gate = KeyGate(clock)
        self._prompts: deque[Prompt] = deque()
        self._command_view = CommandView()
        self._suggestion: events.SuggestionOffered | None = None
        self._unfinished: deque[InterruptedTurn] = deque()
        self._several_unfinished = False
        self._queued_lines: deque[str] = deque()
        self._held: tuple[str, LineMoment, Prompt | None] | None = None
        self._replacement = ""
        self._handling_queued = self._turn_started = self._resumes = self._owes_prompt = False
        self._quit_announced = False
        self._quit_requested = asyncio.Event()
        self._changed = asyncio.Event()
        self._push = PushNotifier(engine.settings.push, simulated=bool(engine.simulated))

    async def run(self, lines: AsyncIterator[str]) -> None:
        """Run until the user quits; after the last line, until the turn has ended or asks something."""
        coroutines = (self._handle_events(), self._handle_lines(lines), self._handle_queued_lines())
        tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
        quit_task = asyncio.create_task(self._quit_requested.wait())
        try:
            if self._engine.simulated:
                self._print(_(self._engine.simulated))
            self._print(_("Type what the phone should do, then enter. help tells more."))
            await self._engine.start()
            if self._engine.has_other_program:
                self._print(_(OTHER_PROGRAM))
            self._offer_unfinished_turns()
            await asyncio.wait([*tasks, quit_task], return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done():
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            quit_task.cancel()
            await self._push.close()
            await asyncio.gather(*tasks, quit_task, return_exceptions=True)

    def interrupt(self) -> None:
        """Ctrl-C: pause the turn; again, cancel it; without a turn, quit on the second press."""
        state = self._engine.state
        if not self._busy:
            if self._quit_announced:
                self._quit_requested.set()
                return
            self._quit_announced = True
            self._print(_("No turn is running. Press ctrl-c again to quit."))
        elif state in PAUSED_STATES:
            self._engine.cancel(events.Cause.KEY)
        else:
            self._engine.pause()

    @property
    def _busy(self) -> bool:
        state = self._engine.state
        return state is not None and not state.final

    async def _handle_events(self) -> None:
        async for event in self._engine.events():
            self._push.handle_event(event)
            self._handle_event(event)
            self._changed.set()

    async def _handle_lines(self, lines: AsyncIterator[str]) -> None:
        async for line in lines:
            self._quit_announced = False
            if self._queued_lines and self._engine.is_searching and halts_turn(line):
                self._drop_queued_lines(_("Not started: {command}"))
            elif self._must_queue(line.strip()):
                self._queue_line(line.strip())
            elif line.strip() or self._prompts:
                await self._handle_line(line.strip())
            if self._quit_requested.is_set():
                return
        while self._queued_lines or self._handling_queued or self._turn_started or self._busy:
            if not (self._is_asking and self._queued_lines):
                self._leave_out_held()
            if self._busy and self._lacks_line:
                self._print(_("No more answers: the turn is ended."))
                self._engine.cancel()
            self._changed.clear()
            await self._changed.wait()

    @property
    def _lacks_line(self) -> bool:
        """Whether the turn goes on only with a line that does not come: an answer, or a resume."""
        waiting = self._queued_lines[0] if self._queued_lines and self._typed_ahead else ""
        if self._engine.state is events.TurnState.PAUSED:
            return not self._resumes and self._split_word(waiting)[0] not in STEERING
        return self._is_asking and not waiting

    def _must_queue(self, line: str) -> bool:
        """Whether a line must wait: for the phone, or for the lines before it."""
        if not line or self._held or (self._is_answer(line) and not self._queued_lines):
            return False
        if route_to_sub_task(line, self._engine.sub_tasks):
            return False
        word, _words = self._split_word(line)
        is_next = self._busy and (not word or word in (*LEAVING, "run"))
        if self._typed_ahead and (self._queued_lines or is_next):
            return True
        needs_phone = word == "run" or (not word and route(line).kind is RouteKind.COMMAND)
        return self._engine.is_searching and needs_phone and parse_slash(line) is None

    def _queue_line(self, line: str) -> None:
        self._queued_lines.append(line)
        self._changed.set()
        word, rest = self._split_word(line)
        if not word or word == "run":
            message = _("“{command}” waits for the commands before it.")
            if len(self._queued_lines) == 1 and self._engine.is_searching:
                message = _("“{command}” starts as soon as the phone is found.")
            self._print(message.format(command=one_line(rest or line)))

    async def _handle_queued_lines(self) -> None:
        """Handle the queued lines in order, each as soon as possible."""
        while True:
            while self._queued_lines and await self._can_handle_next():
                self._handling_queued = True
                await self._handle_line(self._queued_lines.popleft())
                self._handling_queued = False
                self._changed.set()
            self._changed.clear()
            await self._changed.wait()

    async def _can_handle_next(self) -> bool:
        """Whether the first queued line fits now: as an answer, for a paused turn, or since nothing runs."""
        line = self._queued_lines[0]
        steers = self._engine.state in PAUSED_STATES and self._split_word(line)[0] in STEERING
        if self._typed_ahead and (steers or self._is_answer(line)):
            return True
        if self._turn_started or self._busy or self._engine.is_searching:
            return False
        await self._engine.wait_until_idle()
        return bool(self._queued_lines) and not self._busy

    def _drop_queued_lines(self, message: str = "") -> None:
        """Drop the queued lines, by default because the turn before them failed; quitting stays queued."""
        message = message or _("Not started, because the command before it did not succeed: {command}")
        for line in self._queued_lines:
            word, command = self._split_word(line)
            if word not in LEAVING:
                self._print(message.format(command=one_line(command if word == "run" else line)))
        self._queued_lines = deque(
            line for line in self._queued_lines if self._split_word(line)[0] in LEAVING
        )

    def _split_word(self, line: str) -> tuple[str, str]:
        return split_word(line, busy=self._busy, suggested=self._suggestion is not None)

    def _handle_event(self, event: events.Event) -> None:
        self._resumes = self._resumes and not isinstance(event, events.StateChanged)
        match event:
            case events.TurnStarted():
                self._command_view = CommandView()
                self._drop_prompts(lambda prompt: isinstance(prompt, ContinuePrompt))
            case events.SuggestionOffered():
                # Lines can neither show a countdown nor stop it with a key, so it is stopped at once; what is
                # scheduled begins, unless the user says “not now”.
                if not event.scheduled:
                    self._engine.stop_countdown(event.id)
                self._suggestion = event
                self._bell()
            case events.SuggestionLapsed(id=suggestion_id) | events.SuggestionAnswered(id=suggestion_id):
                if self._suggestion is not None and self._suggestion.id == suggestion_id:
                    self._suggestion = None
        self._command_view.handle_event(event)
        if line := format_spoken_line(event):
            self._print(line)
        match event:
            case events.ApprovalRequested():
                self._open_prompt(ApprovalPrompt(event))
            case events.QuestionAsked():
                self._open_prompt(QuestionPrompt(event))
            case events.MeaningProposed():
                self._open_prompt(MeaningPrompt(event))
            case events.TurnFinished(outcome=outcome):
                self._end_turn(outcome)

    def _end_turn(self, outcome: Outcome) -> None:
        self._drop_prompts(lambda prompt: not isinstance(prompt, ContinuePrompt))
        self._bell()
        if outcome is not Outcome.SUCCESS:
            self._drop_queued_lines()
        if self._replacement:
            self._queued_lines.append(self._replacement)
        self._held, self._replacement, self._turn_started = None, "", False
        self._offer_next_turn()

    def _open_prompt(self, prompt: Prompt) -> None:
        if prompt.settled.done():
            return
        self._prompts.append(prompt)
        prompt.settled.add_done_callback(lambda settled: self._remove_prompt(prompt))
        if len(self._prompts) == 1:
            # While it is asked what a line is for, a number is about that.
            self._owes_prompt = self._held is not None
            if not self._owes_prompt:
                self._print_prompt(prompt)

    def _print_owed_prompt(self) -> None:
        if self._owes_prompt and self._is_asking:
            self._print_prompt(self._prompts[0])

    def _print_prompt(self, prompt: Prompt) -> None:
        self._owes_prompt = False
        self._gate.mark_shown()
        self._bell()
        for line in format_prompt(prompt):
            self._print(line)

    def _remove_prompt(self, prompt: Prompt) -> None:
        if prompt in self._prompts:
            was_shown = prompt is self._prompts[0]
            self._prompts.remove(prompt)
            self._changed.set()
            if was_shown and self._prompts:
                self._print_prompt(self._prompts[0])

    def _drop_prompts(self, which: Callable[[Prompt], bool]) -> None:
        self._prompts = deque(prompt for prompt in self._prompts if not which(prompt))

    def _offer_unfinished_turns(self) -> None:
        self._unfinished.extend(self._engine.interrupted_turns())
        self._several_unfinished = len(self._unfinished) > 1
        if self._several_unfinished:
            sentence = _(
                "{count} turns were left unfinished, each on its own phone. One is shown at a time: the next "
                "when this one has ended or is discarded."
            )
            self._print(sentence.format(count=len(self._unfinished)))
        self._offer_next_turn()

    def _offer_next_turn(self) -> None:
        if not self._unfinished:
            return
        unfinished = self._unfinished.popleft()

        def discard() -> None:
            self._engine.discard(unfinished.turn_id)
            self._offer_next_turn()

        proceed = partial(self._start_turn, partial(self._engine.continue_turn, unfinished.turn_id))
        settled: Future[None] = asyncio.get_running_loop().create_future()
        phone = unfinished.phone if self._several_unfinished else ""
        self._open_prompt(ContinuePrompt(unfinished, proceed, discard, settled, phone))

    async def _handle_line(self, line: str) -> None:
        """Handle a line: a command word (such as “pause”), an answer to the open prompt, or a command."""
        word, rest = self._split_word(line)
        if self._held is not None and self._choose_use(*self._held, line):
            return
        # Below a meaning “say sorry too” says what is to be different.
        is_proposing = self._is_asking and isinstance(self._prompts[0], MeaningPrompt)
        if slash := parse_slash(line):
            await self._run_slash(*slash)
        elif word and not (word == "say" and is_proposing):
            await self._run_word(word, rest)
        elif steered := steer_sub_task(self._engine, line):
            self._print(steered)
        elif self._is_answer(line):
            await self._answer(self._prompts[0], line)
        elif not self._answer_offer(line):
            await self._route(line)

    def _answer_offer(self, line: str) -> bool:
        """Answer the suggestion by a line, or ask whether it is about it; returns whether that was done."""
        if (offer := self._suggestion) is None or self._busy:
            return False
        word, rest = offer_word(line, offer)
        if word:
            self._answer_suggestion(word, rest)
            return True
        is_about = bool(read_put_off(line, offer.time)) or may_answer_offer(line, offer.instruction)
        if is_meant := is_about and read_line(self._engine, line, running=False).kind is RouteKind.COMMAND:
            self._ask_use(line, LineMoment.SUGGESTION)
        return is_meant

    async def _route(self, line: str) -> None:
        """Answer a line that needs no phone; give the others to the running turn, the queue or the phone."""
        target = read_line(self._engine, line, running=self._busy)
        match target.kind:
            case RouteKind.CORRECTION if target.corrects_value:
                self._engine.say(line)
            case RouteKind.COMMAND | RouteKind.CORRECTION if self._engine.state in PAUSED_STATES:
                self._ask_use(line, LineMoment.PAUSED)
            case RouteKind.COMMAND if self._busy and not target.sure:
                self._ask_use(line, LineMoment.RUNNING)
            case RouteKind.COMMAND if self._busy:
                self._queue_line(f"run {without_opening(line)}")
            case RouteKind.COMMAND:
                self._start_command(without_opening(line))
            case RouteKind.CORRECTION if self._busy:
                self._engine.say(line)
                if halts_turn(line):
                    self._control_turn("pause", "")
            case RouteKind.FAREWELL:
                self._quit_requested.set()
            case RouteKind.HELP:
                # What the interface says of itself names keys that there are none of here.
                self._print(small_talk(RouteKind.HELP).partition("\n")[0])
                await self._run_word("help", "")
            case RouteKind.WHY if self._suggestion is not None or self._command_view.is_explainable:
                self._print_explanation()
            case RouteKind.STOP | RouteKind.CANCEL | RouteKind.RESUME if self._busy:
                word = {RouteKind.STOP: "pause", RouteKind.CANCEL: "cancel"}.get(target.kind, "resume")
                self._control_turn(word, "")
            case _:
                await self._reply(target)

    def _ask_use(self, line: str, moment: LineMoment) -> None:
        """Ask what a line is for; the next number says it. Meanwhile the turn does nothing more."""
        self._held = line, moment, self._prompts[0] if self._prompts else None
        self._engine.hold(moment is LineMoment.RUNNING)
        self._print(_(LINE_QUESTIONS[moment]).format(line=one_line(line)))
        for number, words in enumerate(list_uses(line, moment).values(), start=1):
            self._print(f"{number}  {_(words)}")

    def _leave_out_held(self) -> None:
        """Drop the line whose use is asked, if there is one, and let the turn go on."""
        if self._held is not None:
            self._print(_("Left out: “{line}”.").format(line=one_line(self._held[0])))
            self._held = None
            self._engine.hold(False)
            self._print_owed_prompt()

    def _choose_use(self, held: str, moment: LineMoment, asked_at: Prompt | None, line: str) -> bool:
        """Do with the held line what a number says; returns false for another line, which drops it."""
        uses = list(list_uses(held, moment))
        number = int(line) if line.isascii() and line.isdecimal() and len(line) == 1 else 0
        if not 1 <= number <= len(uses):
            self._leave_out_held()
            return False
        self._held = None
        self._engine.hold(False)
        prompt = self._prompts[0] if self._prompts else None
        # Only the prompt that the line was typed about is answered: one that opened since goes on waiting.
        asked = prompt if prompt is asked_at and moment in (LineMoment.APPROVAL, LineMoment.MEANING) else None
        match uses[number - 1]:
            case LineUse.QUEUE if moment is LineMoment.SUGGESTION:
                self._start_command(held)
            case LineUse.SAY | LineUse.LATER as use if moment is LineMoment.SUGGESTION:
                self._answer_suggestion("later" if use is LineUse.LATER else "not now", "")
            case LineUse.QUEUE:
                self._queue_line(f"run {held}")
            case LineUse.REPLACE | LineUse.END as use:
                self._replacement = without_refusal(held) if use is LineUse.REPLACE else ""
                self._engine.cancel(events.Cause.WORDS)
            case LineUse.STOP if isinstance(asked, ApprovalPrompt):
                asked.choose(PromptChoice.NO)
            case LineUse.SAY if isinstance(asked, ApprovalPrompt):
                asked.refuse_for(held)
            case LineUse.SAY if isinstance(prompt, QuestionPrompt) and not prompt.event.step:
                prompt.answer_in_words(held)
            case LineUse.SAY:
                self._say_held(held, prompt, is_meaning=isinstance(asked, MeaningPrompt))
            case _ if prompt is not None:
                self._print_prompt(prompt)
        self._print_owed_prompt()
        return True

    def _say_held(self, held: str, prompt: Prompt | None, *, is_meaning: bool) -> None:
        self._engine.say(held)
        if isinstance(prompt, ApprovalPrompt):
            prompt.note_said(held)
        if prompt is not None and is_meaning:
            prompt.choose(PromptChoice.YES)
        elif prompt is not None:
            self._print_prompt(prompt)

    async def _reply(self, target: Route) -> None:
        try:
            reply = await self._engine.reply(target)
        except (NotReady, StoreError) as problem:
            self._print(one_line(str(problem)))
            return
        for text in reply.text.split("\n"):
            self._print(safe(name_typed_words(text)))
        if reply.evidence:
            records = counted(len(reply.evidence), "record")
            self._print(_("From {records} in the memory.").format(records=records))

    def _is_answer(self, line: str) -> bool:
        """Whether a line that is no command word answers the open prompt."""
        return self._is_asking and (not isinstance(self._prompts[0], ContinuePrompt) or line.isdecimal())

    @property
    def _is_asking(self) -> bool:
        return bool(self._prompts) and not self._prompts[0].settled.done()

    async def _answer(self, prompt: Prompt, line: str) -> None:
        if not self._typed_ahead and not self._gate.settled:
            self._print(_("Not taken: the question has just appeared. Type it again."))
        elif find_numbered(prompt, line) is PromptChoice.INSTEAD and not isinstance(prompt, ContinuePrompt):
            prompt.choose(PromptChoice.INSTEAD)
            is_question = isinstance(prompt, QuestionPrompt)
            self._print(_("Type your own words.") if is_question else _("Type what it should do instead."))
        elif isinstance(prompt, MeaningPrompt) and not line.isdecimal():
            await self._answer_meaning(prompt, line)
        elif line and (
            isinstance(prompt, QuestionPrompt)
            or (isinstance(prompt, ApprovalPrompt) and not line.isdecimal())
        ):
            await self._use_line(prompt, line)
        elif not answer_prompt(prompt, line):
            self._print(_("Type one of the choices."))
            self._print_prompt(prompt)

    async def _use_line(self, prompt: ApprovalPrompt | QuestionPrompt, line: str) -> None:
        """Answer an approval or a question, or do what the line says instead of answering."""
        match prompt.use_of(line, self._engine.standing_command):
            case AnswerUse.CANCEL | AnswerUse.POSTPONE as use:
                self._engine.cancel(events.Cause.WORDS)
                if use is AnswerUse.POSTPONE and isinstance(prompt, ApprovalPrompt):
                    self._print(_("To begin it, send: {command}").format(command=prompt.postponed(line)))
            case AnswerUse.PAUSE:
                self._engine.pause()
                if forbids_deed(line):
                    self._engine.say(line)
            case AnswerUse.LINE:
                await self._route(line)
            case AnswerUse.CHOOSE:
                self._ask_use(line, LineMoment.APPROVAL)
            case AnswerUse.BOTH if isinstance(prompt, QuestionPrompt) and (both := prompt.split(line)):
                choice, rest = both
                self._engine.say(rest)
                prompt.choose(choice)
            case AnswerUse.UNCLEAR:
                self._print(prompt.tell_unclear(line, self._engine.standing_command))
            case AnswerUse.ANSWER:
                answer_prompt(prompt, line)

    async def _answer_meaning(self, prompt: MeaningPrompt, line: str) -> None:
        """Begin, end or correct what is about to be carried out, or answer what is asked besides."""
        match read_meaning_reply(line, prompt.event.instruction):
            case MeaningReply.LINE:
                await self._route(line)
            case MeaningReply.CHOOSE:
                self._ask_use(line, LineMoment.MEANING)
            case MeaningReply.CANCEL:
                self._engine.cancel(events.Cause.WORDS)
            case MeaningReply.PAUSE:
                self._engine.pause()
            case MeaningReply.WHY:
                self._print_explanation()
            case reply:
                if reply is MeaningReply.CORRECTION:
                    self._engine.say(line)
                prompt.choose(PromptChoice.YES)

    async def _run_word(self, word: str, rest: str) -> None:
        match word:
            case "run":
                self._start_command(rest)
            case "say" | "resume" | "pause" | "cancel":
                self._control_turn(word, rest)
            case "why":
                self._print_explanation()
            case "at":
                self._engine.set_scenario("" if rest == "nowhere" else parse_scenario(rest))
            case "history":
                for command in self._engine.past_commands()[-20:] or [_("There are no past commands yet.")]:
                    self._print(one_line(command))
            case "memory":
                if rest:
                    await self._run_memory(rest)
                else:
                    self._print(_(ABOUT_MEMORY))
            case "help":
                for line in HELP:
                    self._print(_(line))
            case "quit" | "exit":
                self._quit_requested.set()
            case _:
                self._answer_suggestion(word, rest)

    async def _run_slash(self, word: str, rest: str) -> None:
        """Run a word that was typed as in the interface, with a slash before it."""
        if word in ("undo", "redo", "schedule", "forget", "usage"):
            await self._reply(Route(RouteKind(word), f"/{word} {rest}".strip(), rest))
        elif self._split_word(word) == (word, ""):
            await self._run_word(word, rest)
        else:
            self._print(tell_unknown_slash(word))

    def _control_turn(self, word: str, rest: str) -> None:
        if not self._busy:
            self._print(_("No turn is running."))
        elif word == "say":
            self._engine.say(rest)
        elif word == "pause":
            self._engine.pause()
        elif word == "cancel":
            self._engine.cancel(events.Cause.WORDS)
        elif self._engine.state in PAUSED_STATES:
            self._resumes = True
            self._engine.resume()
            self._print(_("The turn continues."))
        else:
            self._print(_("No turn is paused."))

    def _answer_suggestion(self, word: str, rest: str) -> None:
        suggestion = self._suggestion
        if suggestion is None:
            self._print(_("Nothing is suggested."))
        elif word == "change":
            self._print(_("Nothing is begun yet. To begin it so, type: edit {words}").format(words=rest))
        elif word in ("accept", "edit"):
            answer = events.Answer.ACCEPTED if word == "accept" else events.Answer.EDITED
            instruction = rest if word == "edit" else suggestion.instruction
            if instruction:
                self._start_turn(partial(self._engine.answer_suggestion, suggestion.id, answer, instruction))
            else:
                self._print(_("Words are missing: {word} WORDS.").format(word=word))
        elif word == "later":
            self._engine.answer_suggestion(suggestion.id, SNOOZES[rest])
        else:
            answer = events.Answer.NEVER if word == "never" else events.Answer.NOT_NOW
            self._engine.answer_suggestion(suggestion.id, answer)
            self._suggestion = None
            self._print(_("It is not suggested again.") if word == "never" else _("Not now."))

    def _print_explanation(self) -> None:
        if self._suggestion is not None and not self._busy:
            for reason in self._suggestion.why:
                self._print(one_line(reason))
            return
        for line in format_explanation(self._command_view, self._engine):
            self._print(line)

    def _start_command(self, command: str) -> None:
        if not command:
            return
        if self._engine.state in PAUSED_STATES:
            self._print(_(PAUSED_HELP))
        elif self._busy:
            self._queue_line(f"run {command}")
        else:
            # Stored, they are offered again at the next start.
            self._unfinished.clear()
            if not self._start_turn(partial(self._engine.run, command)):
                self._drop_queued_lines()

    def _start_turn(self, start: Callable[[], None]) -> bool:
        try:
            start()
        except (EngineBusy, NotReady) as refusal:
            for line in str(refusal).splitlines():
                self._print(one_line(line))
            return False
        self._turn_started = True
        return True


async def run_plain(engine: Engine, config: Path | None = None) -> int:
    """Run a session until the user quits, then close the engine.

    Args:
        engine: runs the turns.
        config: the settings file, passed on to `assistant memory`.

    Returns:
        The exit code.
    """
    is_terminal = sys.stdin.isatty()
    session = PlainSession(
        engine,
        print_line,
        time.monotonic,
        memory_runner(engine.settings.store, config),
        typed_ahead=not is_terminal,
        bell=ring_bell,
    )

    def interrupt() -> None:
        if is_terminal:
            # Ends the line in which the terminal echoes the key.
            print_line("")
        session.interrupt()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        await session.run(read_lines(sys.stdin.fileno()))
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        await engine.close()
    return 0
