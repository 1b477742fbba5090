"""The layout of the main screen: the panels beside the turn, or in its place in a small terminal.

`TurnSwitcher` decides which phone's turn is shown there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

from textual.geometry import Size
from textual.screen import Screen

from assistant import events
from assistant.engine import Engine
from assistant.i18n import _, sentences
from assistant.memory.database import StoreError
from assistant.memory_view.items import ItemLocation, Section
from assistant.phone.displays import stream_screen
from assistant.presentation.prompts import ContinuePrompt, Prompt
from assistant.presentation.text import one_line
from assistant.records import Record
from assistant.tui.memory.jobs import Where
from assistant.tui.memory.panel import MemoryPanel
from assistant.tui.screens.dialogs import ReasonsPanel
from assistant.tui.widgets.around_turn import FoldedTurn, StatusBar
from assistant.tui.widgets.decision_bar import DecisionBar, InputRouter
from assistant.tui.widgets.phone_screen import PicturePanel, Stream
from assistant.tui.widgets.turn_panel import TurnPanel
from assistant.turn_runner import InterruptedTurn, NotReady

ROOMY = 120
"""Columns from which the memory is shown beside the turn instead of in its place."""

_NARROWEST = 60
"""Columns below which the phone screen would leave too little room for the steps."""

SIDES = 140
"""Columns from which the reasons stand below the phone's screen."""

_PICTURE_WIDEST, _TEXT_NARROWEST, _TEXT_WIDEST = 44, 30, 52
_TEXT_SHARE = 0.45
"""The columns of the phone's screen: as pixels, and as text, which may take this share of the terminal."""

_ROWS_BESIDE_PICTURE = 8
_COLUMNS_A_ROW = 0.9

WIDTHS = [(0, "-narrow"), (110, "-wide")]
"""Style classes by columns; in a wide terminal the phone's screen is shown by default."""
HEIGHTS = [(0, "-tiny"), (8, "-short"), (21, "-medium"), (36, "-tall")]
"""Style classes by lines."""
_ROOM, _SIDES = [(0, "-full"), (ROOMY, "-roomy")], [(0, "-one-side"), (SIDES, "-sides")]


def find_stream(engine: Engine) -> Stream | None:
    """Makes a stream of the screen of the phone in front; None where the user wants none."""
    settings = engine.settings.phone

    def stream() -> AsyncGenerator[bytes]:
        return stream_screen(engine.front_phone, settings)

    return stream if settings.stream else None


class PanelLayout:
    """Opens and closes the two panels.

    Args:
        screen: carries the style classes that show them.
        picture: the phone screen panel.
        reasons: the panel below it.
        memory: the memory panel.
        hint: shows a message for a few seconds.
    """

    def __init__(
        self,
        screen: Screen[None],
        picture: PicturePanel,
        reasons: ReasonsPanel,
        memory: MemoryPanel,
        hint: Callable[[str], None],
    ) -> None:
        self._screen = screen
        self._picture = picture
        self._reasons = reasons
        self._memory = memory
        self._hint = hint
        self._only_looked = False

    def fit(self, size: Size, update: bool = True) -> None:
        """Fit the panels to the terminal; a screenshot keeps a phone's aspect ratio.

        All style classes of a size are set together, since each change of one restyles every widget.
        """
        classes: dict[str, bool] = {}
        widths = ((size.width, steps) for steps in (WIDTHS, _ROOM, _SIDES))
        for length, steps in (*widths, (size.height, HEIGHTS)):
            reached = max((step for step in steps if step[0] <= length), default=None)
            classes.update({step[1]: step is reached for step in steps})
        self._screen.update_classes(classes, update=update)
        sides = size.width >= SIDES
        rows = max(1, size.height - _ROWS_BESIDE_PICTURE)
        width = min(_PICTURE_WIDEST, round(rows * _COLUMNS_A_ROW) + 2)
        if sides:
            width = _TEXT_WIDEST
        elif self._picture.in_text:
            width = max(_TEXT_NARROWEST, min(_PICTURE_WIDEST, round(size.width * _TEXT_SHARE)))
        self._picture.styles.width = self._reasons.styles.width = width

    def hide_picture(self) -> None:
        """Hide the phone's screen even where there is room."""
        self._screen.add_class("-no-picture")

    def toggle_picture(self) -> None:
        """Show or hide the phone's screen."""
        shown = bool(self._picture.display)
        if not shown and self._picture.colourless:
            self._hint(_("The phone's screen needs colours, which are off here."))
            return
        if not shown and self._screen.size.width < _NARROWEST:
            message = _("The phone's screen needs {needed} columns; there are {columns}.")
            self._hint(message.format(needed=_NARROWEST, columns=self._screen.size.width))
            return
        self._screen.set_class(shown, "-no-picture")
        self._screen.set_class(not shown, "-picture")

    def toggle_memory(self) -> None:
        """Open the memory and focus it; if focused, close it."""
        if self._memory.focused:
            self._memory.back()
        else:
            self._only_looked = False
            self._screen.add_class("-memory")
            self._memory.open()

    def show_memory(self, words: str = "", section: Section | None = None) -> None:
        """Open the memory, at a section where one is given; with words, at what they find."""
        self._screen.add_class("-memory")
        self._memory.open(section)
        if words:
            self._memory.search(words)

    def show_to_forget(self, location: ItemLocation | None) -> None:
        """Open the memory at what is to be forgotten, to be deleted there; without it at all that is kept."""
        if location is not None:
            way = _("f deletes the marked one for good, and asks first.")
            marked = replace(location, note=sentences(location.note, way))
            self.open_memory(lambda _view: marked)
        else:
            note = _("w wipes the whole memory; it says what goes, and asks first.")
            self.open_memory(lambda _view: ItemLocation(Section.RECORDS, "", note))
        self._memory.take_sentences()

    def open_memory(self, where: Where) -> None:
        """Open the memory at a location, and focus it."""
        self._only_looked = False
        self._screen.add_class("-memory")
        self._memory.open_where(where)

    def look_at(self, where: Where) -> None:
        """Open the memory at a location, while the keys stay where they are: the user goes on typing."""
        self._only_looked = self._only_looked or not self._screen.has_class("-memory")
        self._screen.add_class("-memory")
        self._memory.open_where(where, focuses=False)
        self._hint(_("f2 goes into the memory, esc closes it; what you type is a command."))

    def end_look(self) -> bool:
        """Close the memory that was only looked at, with the next line or Escape; whether it was open so.

        Where it leaves no room for the conversation it is closed however it was opened: it hides the answer.
        """
        is_alone = self._screen.has_class("-memory") and self._screen.app.size.width < ROOMY
        looked, self._only_looked = (self._only_looked or is_alone) and not self._memory.focused, False
        if looked:
            self.close_memory()
        return looked

    def close_memory(self) -> None:
        """Close the memory."""
        self._screen.remove_class("-memory")


_RESTORED = 30
"""How many turns of earlier sessions the conversation begins with."""

_REMEMBERED = 12
"""With fewer past turns than this, what the memory has from before them is shown too."""


class TurnSwitcher:
    """Shows the turn on the phone in front; the turns on other phones go on behind it.

    Their approvals and questions wait until their phone is in front again; a line says which phone waits.

    Args:
        engine: says which phone is in front.
        turn: shows the turn in front.
        picture: shows the screen of its phone.
        status: shows a line for each of several running turns.
        decision: shows what the turn in front asks.
        router: decides what the field's text is for.
        alert: tells what happens on another phone.
    """

    def __init__(
        self,
        engine: Engine,
        turn: TurnPanel,
        picture: PicturePanel,
        status: StatusBar,
        decision: DecisionBar,
        router: InputRouter,
        alert: Callable[[str], None],
    ) -> None:
        self._engine = engine
        self._turn = turn
        self._router = router
        self._alert = alert
        self._picture = picture
        self._status = status
        self._decision = decision
        self.phones = decision.phones

    def follow(self) -> bool:
        """Show the turn of the phone that has come to the front; whether another one was shown."""
        before, prompt = self.phones.shown, self._decision.prompt
        self.phones.shown = self._engine.front_phone
        if before in ("", self.phones.shown):
            return False
        self.phones.note_phone(self.phones.shown)
        self._router.prompt_left(prompt)
        self._turn.leave()
        self._picture.clear()
        for event in self.phones.replay():
            self._turn.handle_event(event)
            self._picture.handle_event(event)
            match event:
                case events.ApprovalRequested(step=step, decision=decision) if decision.done():
                    self._turn.step_resumed(step)
                case events.QuestionAsked(step=step, answer=answer) if answer.done():
                    self._turn.step_resumed(step)
        self._decision.show_first()
        self._status.show_front(self.phones.replay())
        self._status.show_turns(self.phones.lines())
        return True

    def use(self, serial: str) -> str:
        """Use another phone; returns why it is not remembered, if it is not."""
        try:
            self._engine.switch_phone(serial)
        except OSError as error:
            return _("Used, but not remembered: {reason}.").format(reason=error.strerror)
        return ""

    def take(self, event: events.Event) -> bool:
        """Keep an event; returns whether it concerns the phone in front, and shows what concerns another."""
        said = self.phones.said_on(event.turn_phone)
        is_in_front = self.phones.handle_event(event)
        if not is_in_front:
            self._decision.handle_event(event)
            self._tell_elsewhere(event, said)
        self._status.show_turns(self.phones.lines())
        return is_in_front

    def _tell_elsewhere(self, event: events.Event, said: str) -> None:
        """Tell how the turn on another phone ended, or that it waits for the user."""
        label = self.phones.label(event.turn_phone)
        match event:
            case events.TurnFinished(outcome=outcome):
                waiting = self._engine.queues.on(event.turn_phone)
                waiting.on_hold = bool(waiting.commands)
                ending = one_line(event.answer) or _(outcome.value)
                folded = FoldedTurn(event.turn_id, said, ending, outcome, cause=event.cause)
                self._turn.scrollback.add(folded)
                self._alert(_("{phone}: {ending}").format(phone=label, ending=ending))
            case events.ApprovalRequested() | events.QuestionAsked() | events.MeaningProposed():
                self._alert(_("{phone} waits for your answer: /turns shows it.").format(phone=label))

    async def restore(self) -> None:
        """Show the turns of earlier sessions, folded; where they are few, also what the memory has."""
        await self._engine.memory_ready()
        try:
            past = await asyncio.to_thread(self._past_turns)
        except (NotReady, StoreError):
            return
        self._turn.scrollback.restore(past)

    def _past_turns(self) -> list[FoldedTurn]:
        turns = self._engine.past_turns().newest(_RESTORED)
        past = [
            FoldedTurn(
                turn.turn_id,
                turn.said,
                turn.answer or _(turn.ended),
                turn.outcome,
                turn.started,
                cause=turn.cause,
            )
            for turn in turns
            if not turn.is_open
        ]
        if len(past) < _REMEMBERED:
            own = {turn.turn_id for turn in turns}
            records = self._engine.newest_records(_REMEMBERED + len(own))
            others = [record for record in records if record.id not in own]
            past += map(_remembered, others[: _REMEMBERED - len(past)])
        return sorted(past, key=lambda turn: turn.time.timestamp() if turn.time else 0.0)

    def is_shown(self, prompt: Prompt) -> bool:
        """Whether a prompt is of the phone in front, or of none."""
        return isinstance(prompt, ContinuePrompt) or prompt.event.turn_phone in ("", self.phones.shown)

    async def preview(self) -> None:
        """Show the screen of the phone in use, where no turn has shown it."""
        phone = self._engine.current_phone
        if phone is None or self._engine.state is not None:
            return
        observation = await phone.preview()
        if observation is not None and self._picture.is_empty and phone is self._engine.current_phone:
            self._picture.show(observation)

    def offer_unfinished(self, begin: TurnStarter) -> bool:
        """Ask what becomes of turns that were left behind; returns whether there are any."""
        if isinstance(self._decision.prompt, ContinuePrompt):
            return True
        unfinished = self._engine.interrupted_turns()
        for interrupted in unfinished:
            self.phones.note_phone(interrupted.phone)
        for interrupted in unfinished:
            label = self.phones.label(interrupted.phone) if len(unfinished) > 1 else ""
            self._offer(interrupted, label, begin)
        return bool(unfinished)

    def _offer(self, interrupted: InterruptedTurn, label: str, begin: TurnStarter) -> None:
        take_up = partial(self._engine.continue_turn, interrupted.turn_id)
        discard = partial(self._engine.discard, interrupted.turn_id)
        proceed = partial(begin, take_up, offer_again=partial(self._offer, interrupted, label, begin))
        settled = asyncio.get_running_loop().create_future()
        self._decision.ask(ContinuePrompt(interrupted, proceed, discard, settled, label))


class TurnStarter(Protocol):
    """Starts a turn, or shows why not; returns whether it was started."""

    def __call__(self, start: Callable[[], None], /, *, offer_again: Callable[[], None]) -> bool:
        """Start it; where it cannot be started later, it is offered again."""
        ...


def _remembered(record: Record) -> FoldedTurn:
    """What was done before there were turns, as a line of the conversation."""
    said = record.said or record.instruction
    return FoldedTurn("", said, record.app, record.outcome, record.time, evidence=(record.id,))
