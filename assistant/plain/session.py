"""A session in lines: what is typed goes to the engine, what happens is told."""

from __future__ import annotations

import asyncio
from asyncio import Future
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

from assistant import events
from assistant.engine import EngineBusy, NotReady
from assistant.events import Answer, Snooze
from assistant.language import _, later
from assistant.plain import asking
from assistant.plain.telling import GOING_ON, HELD, line_of
from assistant.tui.door import BESIDE, EngineDoor
from assistant.tui.prompts import ApprovalPrompt, Gate, MeaningPrompt, OfferPrompt, Prompt, QuestionPrompt
from assistant.tui.understood import Understood
from assistant.tui.words import counted, moment, one_line

ABOUT_MEMORY = later("memory list, memory show ID, memory forget ID, memory undo and so on: look and change.")
HELP = (
    later("Type what the phone should do, then enter. Then:"),
    later("ctrl-c: pause, nothing more is sent to the phone. Again: end the turn. With no turn: leave."),
    later("resume: go on. say WORDS: tell the turn something. cancel: end it."),
    later("accept, edit WORDS, later, later 10, later tomorrow, not now, never: answer a suggestion."),
    later("why: why the command was understood so, or why something is suggested."),
    later("at NAME: say where you are. at nowhere: leave it to the phone."),
    ABOUT_MEMORY,
    later("history: past commands. run WORDS: a command that begins with one of these words."),
    later("quit: leave."),
)
_EVIDENCE = 5
_NOWHERE = "nowhere"
_SNOOZES = {"": Snooze.AN_HOUR, "10": Snooze.TEN_MINUTES, "tomorrow": Snooze.TOMORROW}
_BARE = (
    "accept",
    "cancel",
    "exit",
    "help",
    "history",
    "later",
    "memory",
    "never",
    "not now",
    "pause",
    "quit",
    "resume",
    "why",
)
_MEMORY = ("list", "show", "find", "edit", "forget", "undo", "redo", "why", "audit", "stats", "pin", "hide")


class PlainSession:
    """One person at a line of text. Nothing goes on by itself: what asks waits for an answer.

    Args:
        engine: runs the turns.
        say: prints a line.
        clock: seconds that only grow. A line typed before a question could be read does not answer it.
        memory: runs `assistant memory` with these words.
        typed_ahead: whether lines may come before what they answer, as from a file.
        bell: calls the user when something waits for them.
    """

    def __init__(
        self,
        engine: EngineDoor,
        say: Callable[[str], None],
        clock: Callable[[], float],
        memory: Callable[[str], Awaitable[None]],
        *,
        typed_ahead: bool = False,
        bell: Callable[[], None] = lambda: None,
    ) -> None:
        self._engine = engine
        self._say = say
        self._memory = memory
        self._typed_ahead = typed_ahead
        self._bell = bell
        self._gate = Gate(clock)
        self._prompts: deque[Prompt] = deque()
        self._understood = Understood()
        self._suggestion: events.SuggestionOffered | None = None
        self._early = ""
        self._leaving = False
        self._left = asyncio.Event()
        self._changed = asyncio.Event()

    async def run(self, lines: AsyncIterator[str]) -> None:
        """Until the user leaves; when there are no more lines, until the turn is over or asks something."""
        told = asyncio.create_task(self._listen())
        read = asyncio.create_task(self._read(lines))
        leave = asyncio.create_task(self._leave())
        try:
            if self._engine.simulated:
                self._say(_(self._engine.simulated))
            self._say(_("Type what the phone should do, then enter. help tells more."))
            await self._engine.start()
            if self._engine.beside:
                self._say(_(BESIDE))
            self._offer()
            await asyncio.wait([told, read, leave], return_when=asyncio.FIRST_COMPLETED)
            for task in (told, read):
                if task.done():
                    task.result()
        finally:
            for task in (told, read, leave):
                task.cancel()
            await asyncio.gather(told, read, leave, return_exceptions=True)

    def interrupt(self) -> None:
        """Control-C: pause; again, end the turn; with no turn, leave."""
        state = self._engine.state
        if not self._busy:
            if self._leaving:
                self._left.set()
                return
            self._leaving = True
            self._say(_("Nothing runs. ctrl-c again leaves."))
        elif state in HELD:
            self._engine.cancel()
        else:
            self._engine.pause()

    @property
    def _busy(self) -> bool:
        state = self._engine.state
        return state is not None and not state.final

    async def _listen(self) -> None:
        async for event in self._engine.events():
            self._heed(event)
            self._changed.set()

    async def _leave(self) -> None:
        await self._left.wait()

    async def _read(self, lines: AsyncIterator[str]) -> None:
        async for line in lines:
            self._leaving = False
            if line.strip() or self._prompts:
                await self._take(line.strip())
            if self._left.is_set():
                return
        while self._early or self._busy:
            if self._prompts and self._busy:
                self._say(_("No more answers: the turn is ended."))
                self._engine.cancel()
            self._changed.clear()
            await self._changed.wait()

    def _heed(self, event: events.Event) -> None:
        match event:
            case events.TurnStarted():
                self._understood = Understood()
                self._drop(lambda prompt: isinstance(prompt, OfferPrompt))
            case events.SuggestionOffered():
                # A countdown cannot be shown in lines, nor stopped by a key: it is only offered here.
                self._engine.hold_suggestion(event.id)
                self._suggestion = event
                self._bell()
            case events.SuggestionLapsed(id=over) | events.SuggestionAnswered(id=over):
                if self._suggestion is not None and self._suggestion.id == over:
                    self._suggestion = None
        self._understood.heed(event)
        if line := line_of(event):
            self._say(line)
        match event:
            case events.ApprovalRequested():
                self._ask(ApprovalPrompt(event))
            case events.QuestionAsked():
                self._ask(QuestionPrompt(event))
            case events.MeaningProposed():
                self._ask(MeaningPrompt(event))
            case events.TurnFinished():
                self._drop(lambda prompt: not isinstance(prompt, OfferPrompt))
                self._bell()
        if self._early and not self._engine.looking:
            said, self._early = self._early, ""
            self._begin(partial(self._engine.run, said))

    def _ask(self, prompt: Prompt) -> None:
        if prompt.settled.done():
            return
        self._prompts.append(prompt)
        prompt.settled.add_done_callback(lambda settled: self._settled(prompt))
        if len(self._prompts) == 1:
            self._show(prompt)

    def _show(self, prompt: Prompt) -> None:
        self._gate.shown()
        self._bell()
        for line in asking.told(prompt):
            self._say(line)

    def _settled(self, prompt: Prompt) -> None:
        if prompt in self._prompts:
            shown = prompt is self._prompts[0]
            self._prompts.remove(prompt)
            if shown and self._prompts:
                self._show(self._prompts[0])

    def _drop(self, which: Callable[[Prompt], bool]) -> None:
        self._prompts = deque(prompt for prompt in self._prompts if not which(prompt))

    def _offer(self) -> None:
        left = self._engine.interrupted()
        if left is not None:
            take_up = partial(self._begin, partial(self._engine.continue_turn, left.turn_id))
            discard = partial(self._engine.discard, left.turn_id)
            settled: Future[None] = asyncio.get_running_loop().create_future()
            self._ask(OfferPrompt(left, take_up, discard, settled))

    async def _take(self, line: str) -> None:
        """What a line means: a word of this program, an answer to what asks, or a command."""
        word, words = self._parted(line)
        prompt = self._prompts[0] if self._prompts else None
        if word:
            await self._do(word, words)
        elif prompt is not None and not (isinstance(prompt, OfferPrompt) and not line.isdecimal()):
            self._answer(prompt, line)
        else:
            self._command(line)

    def _parted(self, line: str) -> tuple[str, str]:
        """A word of this program and what follows it; an empty word where the line begins with none."""
        lower = " ".join(line.lower().split())
        if lower in _BARE:
            return lower, ""
        word, _gap, words = line.partition(" ")
        words = words.strip()
        meant = {
            "run": bool(words),
            "at": bool(words),
            "say": self._busy and bool(words),
            "edit": self._suggestion is not None,
            "later": self._suggestion is not None and words in _SNOOZES,
            "memory": words.partition(" ")[0] in _MEMORY,
        }
        return (word.lower(), words) if meant.get(word.lower()) else ("", "")

    def _answer(self, prompt: Prompt, line: str) -> None:
        if not self._typed_ahead and not self._gate.settled:
            self._say(_("Not taken: the question has just appeared. Type it again."))
        elif not asking.answer(prompt, line):
            self._say(_("That is not one of the choices."))
            self._show(prompt)

    async def _do(self, word: str, words: str) -> None:
        match word:
            case "run":
                self._command(words)
            case "say" | "resume" | "pause" | "cancel":
                self._steer(word, words)
            case "why":
                self._why()
            case "at":
                self._engine.say_scenario("" if words == _NOWHERE else words)
            case "history":
                for said in self._engine.history()[-20:] or [_("There are no past commands yet.")]:
                    self._say(one_line(said))
            case "memory":
                if words:
                    await self._memory(words)
                else:
                    self._say(_(ABOUT_MEMORY))
            case "help":
                for line in HELP:
                    self._say(_(line))
            case "quit" | "exit":
                self._left.set()
            case _:
                self._about_suggestion(word, words)

    def _steer(self, word: str, words: str) -> None:
        if not self._busy:
            self._say(_("Nothing runs."))
        elif word == "say":
            self._engine.say(words)
        elif word == "pause":
            self._engine.pause()
        elif word == "cancel":
            self._engine.cancel()
        elif self._engine.state in HELD:
            self._engine.resume()
            self._say(_("Goes on."))
        else:
            self._say(_("Nothing is paused."))

    def _about_suggestion(self, word: str, words: str) -> None:
        offered = self._suggestion
        if offered is None:
            self._say(_("Nothing is suggested."))
        elif word in ("accept", "edit"):
            answer = Answer.ACCEPTED if word == "accept" else Answer.EDITED
            said = words if word == "edit" else offered.instruction
            if said:
                self._begin(partial(self._engine.answer_suggestion, offered.id, answer, said))
            else:
                self._say(_("Words are missing: {word} WORDS.").format(word=word))
        elif word == "later":
            self._engine.snooze_suggestion(offered.id, _SNOOZES[words])
        else:
            self._engine.answer_suggestion(offered.id, Answer.NEVER if word == "never" else Answer.NOT_NOW)
            self._suggestion = None
            self._say(_("It is not suggested again.") if word == "never" else _("Not now."))

    def _why(self) -> None:
        if self._suggestion is not None and not self._busy:
            for reason in self._suggestion.why:
                self._say(one_line(reason))
            return
        for part in self._understood.parts.values():
            self._say(f"{part.element}: {part.value or _('not known')}. {part.why}")
            for record in self._engine.evidence(part.evidence[:_EVIDENCE]):
                when, app = moment(record.time, year=True), one_line(record.app)
                self._say(f"{when}, {app}: {one_line(record.instruction)}")
            if len(part.evidence) > _EVIDENCE:
                more = counted(len(part.evidence) - _EVIDENCE, "record")
                self._say(_("and {records} more").format(records=more))
        if not self._understood.known:
            self._say(_("Nothing in the command depended on what is remembered."))

    def _command(self, said: str) -> None:
        if not said:
            return
        if self._engine.state in HELD:
            self._say(_(GOING_ON))
        elif self._busy:
            self._say(_("A turn runs. say WORDS tells it something; ctrl-c pauses."))
        elif self._engine.looking:
            self._early = said
            self._say(_("“{command}” starts as soon as the phone is found.").format(command=one_line(said)))
        else:
            self._begin(partial(self._engine.run, said))

    def _begin(self, start: Callable[[], None]) -> bool:
        try:
            start()
        except (EngineBusy, NotReady) as refusal:
            for line in str(refusal).splitlines():
                self._say(one_line(line))
            return False
        return True
