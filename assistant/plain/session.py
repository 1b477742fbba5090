"""A session in lines: what is typed goes to the engine, what happens is told.

What waits for the user, as numbered lines, and answers given by number.

Lines from standard input, while other things go on.

Why a command was understood as it was, in lines.

The session of lines on standard input and output.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
import threading
import time
from asyncio import Future
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path

from rich.cells import cell_len

from assistant import events
from assistant.engine import Engine, EngineBusy, NotReady
from assistant.events import Answer
from assistant.i18n import _, counted, moment
from assistant.memory_view.labels import scenario_of
from assistant.plain.output import (
    ABOUT_MEMORY,
    HELP,
    LEAVING,
    PAUSED_HELP,
    PAUSED_STATES,
    SNOOZES,
    STEERING,
    format_spoken_line,
    split_word,
)
from assistant.presentation import prompts
from assistant.presentation.prompts import (
    ApprovalPrompt,
    ContinuePrompt,
    KeyGate,
    MeaningPrompt,
    Prompt,
    PromptChoice,
    QuestionPrompt,
)
from assistant.presentation.text import one_line
from assistant.presentation.ui_state import OTHER_PROGRAM
from assistant.presentation.understood import CommandView
from assistant.records import Outcome
from assistant.text_layout import wrap

_ONCE = "once "


def told(prompt: Prompt) -> Iterator[str]:
    """The lines of a prompt: what it is about, a line for each choice, and what else can be typed."""
    yield prompt.title
    if not isinstance(prompt, QuestionPrompt):
        lines = (line for row in prompt.body for line in row.unstyled.split("\n"))
        yield from (one_line(line) for line in lines if line.strip())
    if isinstance(prompt, QuestionPrompt):
        yield one_line(prompt.event.question)
    for number, (words, _choice) in enumerate(choices(prompt), start=1):
        yield f"{number}  {words}"
    match prompt:
        case ApprovalPrompt():
            yield _("Type a number, or what it should do instead.")
        case QuestionPrompt(event=event) if event.kept:
            yield _("Type the answer. It is remembered, unless it begins with “once ”.")
        case QuestionPrompt():
            yield _("Type the answer.")
        case MeaningPrompt():
            yield _("Type 1, or what it should do. Nothing happens before.")
        case ContinuePrompt():
            yield _("Type a number, or a command.")


def choices(prompt: Prompt) -> list[tuple[str, PromptChoice | str]]:
    """What can be picked by number: its words, and what it stands for."""
    match prompt:
        case ApprovalPrompt(event=event):
            kind, app = prompts.format_kind(event.kind), prompts.format_app(event.app)
            always = _("yes, and to all {kind} in {app} always; “assistant approvals” takes it back")
            return [
                (_("yes, once"), PromptChoice.YES),
                (_("yes, and to all {kind} for the rest of this turn").format(kind=kind), PromptChoice.TURN),
                (always.format(kind=kind, app=app or _("this app")), PromptChoice.ALWAYS),
                (_("no, and pause the turn"), PromptChoice.NO),
            ]
        case QuestionPrompt(event=event):
            return [(one_line(likely), likely) for likely in event.choices]
        case MeaningPrompt():
            return [(_("do it"), PromptChoice.YES)]
        case ContinuePrompt():
            return [(_("continue it"), PromptChoice.YES), (_("discard it"), PromptChoice.NO)]


def answer(prompt: Prompt, line: str) -> bool:
    """Answer a prompt with what was typed; whether it was an answer to it."""
    words = line.strip()
    picks = choices(prompt)
    if words.isdecimal():
        if not 1 <= int(words) <= len(picks):
            return _in_words(prompt, words) if isinstance(prompt, QuestionPrompt) else False
        picked = picks[int(words) - 1][1]
        if isinstance(picked, PromptChoice):
            prompt.choose(picked)
        else:
            prompt.answer_in_words(picked)
        return True
    return bool(words) and not isinstance(prompt, ContinuePrompt) and _in_words(prompt, words)


def _in_words(prompt: Prompt, words: str) -> bool:
    if isinstance(prompt, QuestionPrompt) and prompt.event.kept and words.lower().startswith(_ONCE):
        prompt.once = True
        words = words[len(_ONCE) :].strip()
    prompt.answer_in_words(words)
    return True


_PIECE = 4096


async def typed_lines(descriptor: int) -> AsyncIterator[str]:
    """Each line that is typed, until the input ends.

    A thread waits for the input; it ends with the program, since nothing can wake it from reading.
    """
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    def hand_over(line: str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        kept = b""
        try:
            while piece := os.read(descriptor, _PIECE):
                *whole, kept = (kept + piece).split(b"\n")
                for line in whole:
                    hand_over(line.decode("utf-8", "replace"))
        except OSError:
            # The terminal is gone: the same as the end of the input.
            pass
        if kept:
            hand_over(kept.decode("utf-8", "replace"))
        hand_over(None)

    # With the descriptor and not with `sys.stdin`, whose lock would be held when the program ends.
    threading.Thread(target=read, name="standard input", daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line


_EVIDENCE = 5


def why_lines(understood: CommandView, engine: Engine) -> Iterator[str]:
    """What each element stands for and why, with the latest records that say so."""
    for part in understood.parts.values():
        yield f"{part.element}: {part.value or _('not known')}. {part.why}"
        for record in engine.find_records(part.evidence[:_EVIDENCE]):
            when, app = moment(record.time, year=True), one_line(record.app)
            yield f"{when}, {app}: {one_line(record.instruction)}"
        if len(part.evidence) > _EVIDENCE:
            yield _("and {records} more").format(records=counted(len(part.evidence) - _EVIDENCE, "record"))
    if not understood.is_explainable:
        yield _("Nothing in the command depended on what is remembered.")


_NOWHERE = "nowhere"


class PlainSession:
    """One person at a line of text. Nothing goes on by itself: what asks waits for an answer.

    Args:
        engine: runs the turns.
        say: prints a line.
        clock: seconds that only grow. A line typed before a question could be read does not answer it.
        memory: runs `assistant memory` with these words.
        typed_ahead: whether lines may come before what they answer or follow, as from a file.
        bell: calls the user when something waits for them.
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
        self._say = say
        self._memory = memory
        self._typed_ahead = typed_ahead
        self._bell = bell
        self._gate = KeyGate(clock)
        self._prompts: deque[Prompt] = deque()
        self._understood = CommandView()
        self._suggestion: events.SuggestionOffered | None = None
        self._early: deque[str] = deque()
        self._taking = self._under_way = False
        self._leaving = False
        self._left = asyncio.Event()
        self._changed = asyncio.Event()

    async def run(self, lines: AsyncIterator[str]) -> None:
        """Until the user leaves; when there are no more lines, until the turn is over or asks something."""
        work = [asyncio.create_task(one) for one in (self._listen(), self._read(lines), self._catch_up())]
        leave = asyncio.create_task(self._left.wait())
        try:
            if self._engine.simulated:
                self._say(_(self._engine.simulated))
            self._say(_("Type what the phone should do, then enter. help tells more."))
            await self._engine.start()
            if self._engine.has_other_program:
                self._say(_(OTHER_PROGRAM))
            self._offer()
            await asyncio.wait([*work, leave], return_when=asyncio.FIRST_COMPLETED)
            for task in work:
                if task.done():
                    task.result()
        finally:
            for one in (*work, leave):
                one.cancel()
            await asyncio.gather(*work, leave, return_exceptions=True)

    def interrupt(self) -> None:
        """Control-C: pause; again, end the turn; with no turn, leave."""
        state = self._engine.state
        if not self._busy:
            if self._leaving:
                self._left.set()
                return
            self._leaving = True
            self._say(_("Nothing runs. ctrl-c again leaves."))
        elif state in PAUSED_STATES:
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

    async def _read(self, lines: AsyncIterator[str]) -> None:
        async for line in lines:
            self._leaving = False
            if self._must_wait(line.strip()):
                self._wait(line.strip())
            elif line.strip() or self._prompts:
                await self._take(line.strip())
            if self._left.is_set():
                return
        while self._early or self._taking or self._under_way or self._busy:
            if self._asked and self._busy and not (self._early and self._typed_ahead):
                self._say(_("No more answers: the turn is ended."))
                self._engine.cancel()
            self._changed.clear()
            await self._changed.wait()

    def _must_wait(self, line: str) -> bool:
        """Whether a line is kept until the phone is found, or what came before it is done."""
        if not line or (self._answers(line) and not self._early):
            return False
        word, _words = self._parted(line)
        if self._typed_ahead and (self._early or (self._busy and (not word or word in (*LEAVING, "run")))):
            return True
        return self._engine.is_searching and (not word or word == "run")

    def _wait(self, line: str) -> None:
        self._early.append(line)
        self._changed.set()
        word, words = self._parted(line)
        if not word or word == "run":
            told = _("“{command}” waits for what is before it.")
            if len(self._early) == 1 and self._engine.is_searching:
                told = _("“{command}” starts as soon as the phone is found.")
            self._say(told.format(command=one_line(words or line)))

    async def _catch_up(self) -> None:
        """Take the lines that wait in their order, each once it can be taken."""
        while True:
            while self._early and await self._ready():
                self._taking = True
                await self._take(self._early.popleft())
                self._taking = False
                self._changed.set()
            self._changed.clear()
            await self._changed.wait()

    async def _ready(self) -> bool:
        """Whether what waits can be taken now: by what asks or is held up, or as the engine is idle."""
        first = self._early[0]
        steers = self._engine.state in PAUSED_STATES and self._parted(first)[0] in STEERING
        if self._typed_ahead and (steers or self._answers(first)):
            return True
        if self._under_way or self._busy or self._engine.is_searching:
            return False
        await self._engine.wait_until_idle()
        return bool(self._early) and not self._busy

    def _give_up_early(self) -> None:
        """What waits does not begin, since what was before it did not end well."""
        lost = _("Not started, as the one before did not end well: {command}")
        for line in self._early:
            if self._parted(line)[0] not in LEAVING:
                self._say(lost.format(command=one_line(line)))
        self._early = deque(line for line in self._early if self._parted(line)[0] in LEAVING)

    def _parted(self, line: str) -> tuple[str, str]:
        return split_word(line, busy=self._busy, suggested=self._suggestion is not None)

    def _heed(self, event: events.Event) -> None:
        match event:
            case events.TurnStarted():
                self._understood = CommandView()
                self._drop(lambda prompt: isinstance(prompt, ContinuePrompt))
            case events.SuggestionOffered():
                # A countdown cannot be shown in lines, nor stopped by a key: it is only offered here.
                self._engine.stop_countdown(event.id)
                self._suggestion = event
                self._bell()
            case events.SuggestionLapsed(id=over) | events.SuggestionAnswered(id=over):
                if self._suggestion is not None and self._suggestion.id == over:
                    self._suggestion = None
        self._understood.handle_event(event)
        if line := format_spoken_line(event):
            self._say(line)
        match event:
            case events.ApprovalRequested():
                self._ask(ApprovalPrompt(event))
            case events.QuestionAsked():
                self._ask(QuestionPrompt(event))
            case events.MeaningProposed():
                self._ask(MeaningPrompt(event))
            case events.TurnFinished(outcome=outcome):
                self._under_way = False
                self._drop(lambda prompt: not isinstance(prompt, ContinuePrompt))
                self._bell()
                if outcome is not Outcome.SUCCESS:
                    self._give_up_early()

    def _ask(self, prompt: Prompt) -> None:
        if prompt.settled.done():
            return
        self._prompts.append(prompt)
        prompt.settled.add_done_callback(lambda settled: self._settled(prompt))
        if len(self._prompts) == 1:
            self._show(prompt)

    def _show(self, prompt: Prompt) -> None:
        self._gate.mark_shown()
        self._bell()
        for line in told(prompt):
            self._say(line)

    def _settled(self, prompt: Prompt) -> None:
        if prompt in self._prompts:
            shown = prompt is self._prompts[0]
            self._prompts.remove(prompt)
            self._changed.set()
            if shown and self._prompts:
                self._show(self._prompts[0])

    def _drop(self, which: Callable[[Prompt], bool]) -> None:
        self._prompts = deque(prompt for prompt in self._prompts if not which(prompt))

    def _offer(self) -> None:
        left = self._engine.interrupted_turn()
        if left is not None:
            take_up = partial(self._begin, partial(self._engine.continue_turn, left.turn_id))
            discard = partial(self._engine.discard, left.turn_id)
            settled: Future[None] = asyncio.get_running_loop().create_future()
            self._ask(ContinuePrompt(left, take_up, discard, settled))

    async def _take(self, line: str) -> None:
        """What a line means: a word of this program, an answer to what asks, or a command."""
        word, words = self._parted(line)
        if word:
            await self._do(word, words)
        elif self._answers(line):
            self._answer(self._prompts[0], line)
        else:
            self._command(line)

    def _answers(self, line: str) -> bool:
        """Whether something asks that a line without a word of this program answers."""
        return self._asked and (not isinstance(self._prompts[0], ContinuePrompt) or line.isdecimal())

    @property
    def _asked(self) -> bool:
        return bool(self._prompts) and not self._prompts[0].settled.done()

    def _answer(self, prompt: Prompt, line: str) -> None:
        if not self._typed_ahead and not self._gate.settled:
            self._say(_("Not taken: the question has just appeared. Type it again."))
        elif not answer(prompt, line):
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
                self._engine.set_scenario("" if words == _NOWHERE else scenario_of(words))
            case "history":
                for said in self._engine.past_commands()[-20:] or [_("There are no past commands yet.")]:
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
        elif self._engine.state in PAUSED_STATES:
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
            self._engine.answer_suggestion(offered.id, SNOOZES[words])
        else:
            self._engine.answer_suggestion(offered.id, Answer.NEVER if word == "never" else Answer.NOT_NOW)
            self._suggestion = None
            self._say(_("It is not suggested again.") if word == "never" else _("Not now."))

    def _why(self) -> None:
        if self._suggestion is not None and not self._busy:
            for reason in self._suggestion.why:
                self._say(one_line(reason))
            return
        for line in why_lines(self._understood, self._engine):
            self._say(line)

    def _command(self, said: str) -> None:
        if not said:
            return
        if self._engine.state in PAUSED_STATES:
            self._say(_(PAUSED_HELP))
        elif self._busy:
            self._say(_("A turn runs. say WORDS tells it something; ctrl-c pauses."))
        elif not self._begin(partial(self._engine.run, said)):
            self._give_up_early()

    def _begin(self, start: Callable[[], None]) -> bool:
        try:
            start()
        except (EngineBusy, NotReady) as refusal:
            for line in str(refusal).splitlines():
                self._say(one_line(line))
            return False
        self._under_way = True
        return True


async def run_plain(engine: Engine, config: Path | None = None) -> int:
    """Run a session until the user leaves, then close the engine.

    Args:
        engine: runs the turns.
        config: the settings file, for the commands on the memory.

    Returns:
        The exit code.
    """
    person = sys.stdin.isatty()
    store = engine.settings.store
    session = PlainSession(
        engine, _say, time.monotonic, _memory(store, config), typed_ahead=not person, bell=_bell
    )

    def interrupt() -> None:
        if person:
            # Ends the line in which the terminal shows the key.
            _say("")
        session.interrupt()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        await session.run(typed_lines(sys.stdin.fileno()))
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        await engine.close()
    return 0


def _say(line: str) -> None:
    sys.stdout.write(in_columns(line, _columns()) + "\n")
    sys.stdout.flush()


def in_columns(line: str, columns: int) -> str:
    """A line with its words kept whole where the terminal would break them; 0 columns for no terminal."""
    return "\n".join(wrap(line, columns)) if 0 < columns < cell_len(line) else line


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 0


def _bell() -> None:
    if sys.stdout.isatty():
        sys.stdout.write("\a")
        sys.stdout.flush()


def _memory(store: Path, config: Path | None) -> Callable[[str], Awaitable[None]]:
    """`assistant memory` with some words, as a program of its own on the same store."""

    async def run(words: str) -> None:
        environment = {**os.environ, "ASSISTANT_STORE": str(store)}
        try:
            parts = shlex.split(words)
        except ValueError:
            parts = words.split()
        command = [sys.executable, "-m", "assistant", "memory", *parts]
        named = ["--config", str(config)] if config is not None else []
        process = await asyncio.create_subprocess_exec(
            *command, *named, stdin=asyncio.subprocess.DEVNULL, env=environment
        )
        await process.wait()

    return run
