"""Past turns: find one, view its steps, run it again, copy or export it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events as textual_events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from assistant.files import write_privately
from assistant.history import PastTurn, PastTurns, PictureState, WholeTurn, export_name, find_turns, turn_html
from assistant.i18n import _
from assistant.memory.database import StoreError
from assistant.records import touched
from assistant.tui import terminal
from assistant.tui.export import (
    draw_turn,
    format_past_action,
    format_past_step,
    format_past_turn,
    format_past_turn_facts,
    format_picture_state,
    format_transcript,
)
from assistant.tui.keys import HISTORY, list_bindings, list_footer
from assistant.tui.widgets.command_input import TextField
from assistant.tui.widgets.phone_screen import DrawnPicture

BOTH = 130
"""Columns from which list and selected turn are shown side by side."""


_KEYS = frozenset(key.key for key in HISTORY)


@dataclass(frozen=True, slots=True)
class Picked:
    """A past command to run or edit again; or, in `why`, the id of the turn whose record to show."""

    said: str
    at_once: bool = False
    why: str = ""


class HistoryScreen(ModalScreen[Picked | None]):
    """Returns the command to use again, or None. A running turn continues behind it.

    Args:
        past: reads the turns.
        folder: where exports are written.
        simulated: a sentence that says what is simulated, for exports; else empty.
    """

    CSS_PATH = "history.tcss"
    AUTO_FOCUS = "#turns"
    BINDINGS: ClassVar[list[BindingType]] = list(list_bindings(HISTORY))

    @dataclass
    class Listed(Message):
        """The turns have been read."""

        turns: Sequence[PastTurn]

    @dataclass
    class Opened(Message):
        """A turn has been read; None if it is no longer stored."""

        whole: WholeTurn | None

    @dataclass
    class Seen(Message):
        """The screenshot of a step has been read."""

        turn_id: str
        place: int
        shot: bytes

    @dataclass
    class Told(Message):
        """The result of a copy or export."""

        sentence: str

    def __init__(self, past: PastTurns, folder: Path, simulated: str = "") -> None:
        super().__init__()
        self._past = past
        self._folder = folder
        self._simulated = simulated
        self._all: Sequence[PastTurn] = ()
        self._matches: Sequence[PastTurn] = ()
        self._whole: WholeTurn | None = None
        self._facts = Static(id="past-facts", markup=False)
        self._turns = OptionList(id="turns", markup=False)
        self._steps = OptionList(id="past-steps", markup=False)
        self._find = TextField(id="past-find", select_on_focus=False)
        self._picture = DrawnPicture("past-picture")
        self._footer = Static(id="past-told", markup=False)

    def compose(self) -> ComposeResult:
        """Search field and turns; one turn's facts, steps and screenshot; the keys."""
        with Horizontal(id="past"):
            with Vertical(id="past-list"):
                yield self._find
                yield self._turns
            with Vertical(id="past-turn"):
                yield self._facts
                with Horizontal(id="past-body"):
                    yield self._steps
                    yield self._picture
        yield self._footer

    def on_mount(self) -> None:
        """Read the turns."""
        self.query_one("#past-list").border_title = _("Past turns")
        self._show_keys()
        self._start_job(self._load_list(), "list")

    def on_resize(self, event: textual_events.Resize) -> None:
        """Show list and turn side by side if there is room."""
        self.set_class(event.size.width >= BOTH, "-both")
        self._picture.styles.width = max(12, min(36, (event.size.height - 8) * 9 // 10))

    def on_descendant_focus(self) -> None:
        """Show the keys of the part that has the focus."""
        self._show_keys()

    def on_key(self, event: textual_events.Key) -> None:
        """A letter that is no key of the list begins a search."""
        if self._turns.has_focus and event.is_printable and event.key not in _KEYS:
            event.stop()
            self.action_find()
            self._find.insert_text_at_cursor(event.character or "")

    def on_history_screen_listed(self, message: Listed) -> None:
        """Show the turns."""
        self._all = message.turns
        self._show_matches()

    def on_history_screen_opened(self, message: Opened) -> None:
        """Show a turn."""
        self._whole = whole = message.whole
        self._steps.clear_options()
        if whole is None:
            self._facts.update(_("Deleted; it is no longer kept."))
            self._picture.draw_picture(b"")
            return
        self._facts.update(format_past_turn_facts(whole))
        self._steps.add_options([Option(format_past_step(past_step)) for past_step in whole.steps])
        if whole.steps:
            self._steps.highlighted = 0
        else:
            self._picture.draw_picture(b"", (), _("Nothing was done on the phone."))

    def on_history_screen_seen(self, message: Seen) -> None:
        """Show the screenshot, unless another step is selected by now."""
        whole = self._whole
        if whole is None or whole.turn.turn_id != message.turn_id or self._steps.highlighted != message.place:
            return
        past_step = whole.steps[message.place]
        gone = past_step.picture is PictureState.KEPT and not message.shot
        words = format_picture_state(PictureState.SWEPT if gone else past_step.picture)
        self._picture.draw_picture(message.shot, touched(past_step.step.action), words)

    def on_history_screen_told(self, message: Told) -> None:
        """Show the result in the last line."""
        self._footer.update(message.sentence)

    def on_input_changed(self, message: Input.Changed) -> None:
        """Search while typing."""
        message.stop()
        self._show_matches()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Move the focus to the search results."""
        message.stop()
        self._turns.focus()

    def on_option_list_option_highlighted(self, message: OptionList.OptionHighlighted) -> None:
        """Read the selected turn, or the selected step's screenshot."""
        message.stop()
        if message.option_list is self._turns:
            self._start_job(self._load_turn(self._matches[message.option_index].turn_id), "turn")
        elif self._whole is not None:
            past_step = self._whole.steps[message.option_index]
            number = past_step.step.number if past_step.picture is PictureState.KEPT else 0
            self._start_job(
                self._load_screenshot(self._whole.turn.turn_id, number, message.option_index), "picture"
            )

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Move the focus from the turns to the steps of one."""
        message.stop()
        if message.option_list is self._turns:
            self.add_class("-open")
            self._steps.focus()

    def action_back(self) -> None:
        """From the steps or the search field to the turns; from there to the main screen."""
        if self._find.has_focus and self._find.value:
            self._find.value = ""
        elif self._steps.has_focus or self._find.has_focus:
            self.remove_class("-open")
            self._turns.focus()
        else:
            self.dismiss(None)

    def action_find(self) -> None:
        """Move the focus to the search field."""
        self.remove_class("-open")
        self._find.focus()

    def action_use(self, way: str) -> None:
        """Run the command again, edit it first, or show its record in the memory."""
        if (turn := self._chosen) is not None:
            why = turn.turn_id if way == "why" else ""
            self.dismiss(Picked(turn.said, at_once=way == "again", why=why))

    def action_copy(self) -> None:
        """Copy the selected step, or the whole turn."""
        if self._whole is None:
            return
        place = self._steps.highlighted if self._steps.has_focus else None
        text = (
            format_transcript(self._whole) if place is None else format_past_action(self._whole.steps[place])
        )
        ask = self.app.copy_to_clipboard
        self._start_job(
            self._run_job(partial(terminal.copy, text, ask, os.environ, terminal.run_program)), "told"
        )

    def action_export(self, form: str) -> None:
        """Write the turn to a file."""
        if self._whole is not None:
            self._start_job(self._run_job(partial(self._export, self._whole, form)), "told")

    @property
    def _chosen(self) -> PastTurn | None:
        place = self._turns.highlighted
        return self._matches[place] if place is not None and place < len(self._matches) else None

    def _show_matches(self) -> None:
        self._matches = find_turns(self._all, self._find.value)
        self._turns.clear_options()
        self._turns.add_options([Option(format_past_turn(turn)) for turn in self._matches])
        if self._matches:
            self._turns.highlighted = 0
            return
        self._whole = None
        self._steps.clear_options()
        self._picture.draw_picture(b"")
        words = (
            _("No past turn fits.")
            if self._all
            else _("There are no past turns yet. What was done before is in /memory, under records.")
        )
        self._facts.update(words)
        self._footer.update(words)

    def _show_keys(self) -> None:
        part = "find" if self._find.has_focus else "steps" if self._steps.has_focus else "turns"
        self._footer.update(list_footer(HISTORY, part))
        words = _("words of the command, app, day, outcome")
        key = _("find: ") if self._find.has_focus else _("/ finds: ")
        self._find.placeholder = key + words

    async def _load_list(self) -> None:
        self.post_message(self.Listed(await asyncio.to_thread(self._past.newest)))

    async def _load_turn(self, turn_id: str) -> None:
        self.post_message(self.Opened(await asyncio.to_thread(self._past.whole, turn_id)))

    async def _load_screenshot(self, turn_id: str, number: int, place: int) -> None:
        shot = await asyncio.to_thread(self._past.picture, turn_id, number) if number else b""
        self.post_message(self.Seen(turn_id, place, shot))

    async def _run_job(self, job: Callable[[], str]) -> None:
        self.post_message(self.Told(await asyncio.to_thread(job)))

    def _export(self, whole: WholeTurn, form: str) -> str:
        make = turn_html if form == "html" else draw_turn
        target = self._folder / f"{export_name(whole.turn)}.{form}"
        try:
            write_privately(target, make(whole, self._past.picture, self._simulated))
        except OSError as error:
            return _("{file} cannot be written: {reason}.").format(file=target, reason=error.strerror)
        if self.app.is_web:
            # The browser may run on another computer.
            self.app.call_from_thread(self.app.deliver_binary, target)
        return _("Saved {file}").format(file=target)

    def _start_job(self, job: Awaitable[None], group: str) -> None:
        async def work() -> None:
            try:
                await job
            except StoreError as problem:
                self.post_message(self.Told(str(problem)))

        self.run_worker(work(), group=group, exclusive=True)
