"""Past turns: find one, view its steps, run it again, copy or export it; as text and as an SVG drawing.

No text is parsed as markup.
"""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from rich.console import Console
from rich.segment import Segments
from rich.text import Text
from textual import events as textual_events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from assistant.engine import Engine
from assistant.files import write_privately
from assistant.history import (
    PICTURE_WORDS,
    PastTurn,
    PastTurns,
    PastTurnStep,
    PictureState,
    WholeTurn,
    export_name,
    find_turns,
    step_words,
    turn_facts,
    turn_html,
)
from assistant.i18n import _, counted, later, moment, padded
from assistant.memory.database import StoreError
from assistant.model.types import split_reason
from assistant.phone.errors import refusal_words
from assistant.presentation.text import clip, format_action, format_duration, format_tokens, one_line, safe
from assistant.presentation.turn_log import TurnLog
from assistant.records import Failed, Finished, touched
from assistant.tui import terminal
from assistant.tui.keys import HISTORY, list_bindings, list_footer
from assistant.tui.terminal_images import draw_image
from assistant.tui.turn_lines import SOURCE_NAMES, format_entry
from assistant.tui.widgets.around_turn import OUTCOME_SIGNS
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


_COLUMNS = 100
_PICTURE = (36, 40)
_MOST_LINES = 2000


def draw_turn(whole: WholeTurn, picture: Callable[[str, int], bytes], simulated: str = "") -> str:
    """Draw a turn.

    Args:
        whole: the turn with its steps.
        picture: loads the screenshot of a turn's step, empty for none.
        simulated: a sentence that says what is simulated; else empty.
    """
    console = Console(
        record=True,
        width=_COLUMNS,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        no_color=False,
    )
    console.print(Text(f"› {one_line(whole.turn.said)}", "bold"))
    if simulated:
        console.print(Text(simulated, "yellow"))
    for name, words in turn_facts(whole)[1:]:
        console.print(Text.assemble((f"  {padded(name, 8)}", "dim"), safe(clip(words, _MOST_LINES))))
    for past_step in whole.steps:
        step = past_step.step
        console.print(
            Text.assemble(
                (f"\n{step.number:>4} ", "dim"), (clip(step_words(step.action), _MOST_LINES), "bold")
            )
        )
        if step.error:
            console.print(
                Text(
                    "     " + _("not done: {error}").format(error=one_line(refusal_words(step.error))), "red"
                )
            )
        shot = picture(whole.turn.turn_id, step.number) if past_step.picture is PictureState.KEPT else b""
        strips = draw_image(shot, *_PICTURE, touched(step.action)) if shot else []
        for strip in strips:
            console.print(Segments([*Text("     ").render(console), *strip]))
        if not strips:
            console.print(Text(f"     {_(PICTURE_WORDS[past_step.picture])}", "dim"))
    return console.export_svg(title="assistant")


_SIGNS = {**OUTCOME_SIGNS, None: ("◌", "$text-warning")}
_ENDED = {
    "success": later("went well"),
    "failed": later("failed"),
    "cancelled": later("cancelled"),
    "unconfirmed": later("not confirmed"),
    "not ended": later("not ended"),
    "unknown": later("its record is not kept"),
}
_KEPT, _ANSWER_KEPT = 400, 1000


def format_past_turn(turn: PastTurn) -> Content:
    """A turn in the list, in two lines: its command, and its outcome."""
    sign, style = _SIGNS[turn.outcome]
    facts = [moment(turn.started), _(_ENDED[turn.ended]), counted(turn.steps, "step")]
    if turn.apps:
        facts.append(clip(one_line(", ".join(turn.apps)), 40))
    return Content.assemble(
        (sign, style),
        " ",
        (clip(one_line(turn.said), _KEPT), "bold"),
        ("\n  " + " · ".join(facts), "$foreground-muted"),
    )


def format_past_turn_facts(whole: WholeTurn) -> Content:
    """The summary of a turn above its steps."""
    turn, checkpoint = whole.turn, whole.checkpoint
    lines = [Content.assemble(("› ", "$text-accent"), (clip(one_line(turn.said), _KEPT), "bold"))]
    if turn.instruction and turn.instruction != turn.said:
        lines.append(Content.assemble((_("Task: "), "$text-accent"), clip(one_line(turn.instruction), _KEPT)))
    if turn.answer:
        sign, style = _SIGNS[turn.outcome]
        lines.append(Content.assemble((f"{sign} ", style), clip(safe(turn.answer).strip(), _ANSWER_KEPT)))
    figures = [moment(turn.started, year=True), _(_ENDED[turn.ended])]
    if turn.seconds:
        figures.append(format_duration(turn.seconds))
    if checkpoint.usage.total_tokens:
        figures.append(format_tokens(checkpoint.usage.total_tokens, checkpoint.usage.estimated_tokens))
    if checkpoint.model:
        figures.append(clip(one_line(checkpoint.model), 40))
    lines.append(Content.styled(" · ".join(figures), "$foreground-muted"))
    if whole.swept:
        words = _("{count} of its pictures are not kept any more.").format(count=whole.swept)
        lines.append(Content.styled(words, "$text-warning"))
    return Content("\n").join(lines)


def format_past_step(past: PastTurnStep) -> Content:
    """A step in the list of a turn's steps."""
    step = past.step
    sign, style = ("✗", "$text-error") if step.error else ("✓", "$text-success")
    head = Content.assemble(
        (f"{step.number:>4} ", "$foreground-muted"),
        (sign, style),
        f" {clip(format_past_action(past), _KEPT)}",
        (f"  {_(SOURCE_NAMES[step.source])}", "$foreground-muted"),
    )
    if not step.error:
        return head
    return head + Content.styled(
        f"\n       {clip(one_line(refusal_words(step.error)), _KEPT)}", "$text-error"
    )


def format_past_action(past: PastTurnStep) -> str:
    """What a step did, and whether the user approved it; for the last step, the model's answer."""
    step = past.step
    match step.action:
        case Finished(answer=text) | Failed(reason=text) if text:
            return one_line(split_reason(text)[1])
        case action:
            allowed = step.kind is not None and not step.error
            return format_action(action) + (_(" · you allowed it") if allowed else "")


def format_picture_state(state: PictureState) -> str:
    """The text shown in place of a missing picture."""
    return _(PICTURE_WORDS[state])


def format_transcript(whole: WholeTurn) -> str:
    """A turn as plain text, for copying."""
    lines = [format_past_turn_facts(whole).plain, ""]
    for past in whole.steps:
        lines.append(f"{past.step.number:>4}  {format_past_action(past)}")
        if past.step.error:
            lines.append(f"      {one_line(refusal_words(past.step.error))}")
    return "\n".join(lines) + "\n"


_WIDTH = 100
_PRIVATE = 0o600


def format_turn(record: TurnLog) -> str:
    """A turn as the panel shows it, as plain text."""
    lines = [f"› {record.said}"]
    if record.instruction and record.instruction != record.said:
        lines.append(_("Task: ") + record.instruction)
    lines += [format_entry(entry, _WIDTH).plain for entry in record.entries]
    return "\n".join(line.rstrip() for text in lines for line in text.split("\n")) + "\n"


def append_turn(past: PastTurns, turn_id: str, file: Path) -> None:
    """Append a finished turn to a file, which is created readable only by the user.

    Raises:
        OSError: the file cannot be written.
        StoreError: the memory cannot be read.
    """
    whole = past.whole(turn_id)
    if whole is None:
        return
    file = file.expanduser()
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _PRIVATE)
    with os.fdopen(handle, "a", encoding="utf-8", errors="replace") as output:
        output.write(format_transcript(whole) + "\n")


@dataclass
class CopyRequested(Message):
    """The user wants to copy a text."""

    text: str


class ClipboardCopy:
    """Copies text and writes the transcript, and shows the result.

    Args:
        engine: gives past turns, and the setting for the transcript file.
        ask_terminal: sends a text to the terminal's clipboard by OSC 52.
        hint: shows a message for a few seconds.
    """

    def __init__(
        self, engine: Engine, ask_terminal: Callable[[str], None], hint: Callable[[str], None]
    ) -> None:
        self._engine = engine
        self._ask_terminal = ask_terminal
        self._hint = hint

    async def copy(self, text: str) -> None:
        """Copy a text."""
        job = partial(terminal.copy, text, self._ask_terminal, os.environ, terminal.run_program)
        self._hint(await asyncio.to_thread(job))

    async def append_to_transcript(self, turn_id: str) -> None:
        """Append a finished turn to the transcript file."""
        file = Path(self._engine.settings.interface.transcript)
        try:
            await asyncio.to_thread(append_turn, self._engine.past_turns(), turn_id, file)
        except (OSError, StoreError) as problem:
            self._hint(_("The transcript is not written: {reason}").format(reason=problem))
