"""Past turns as text and as an SVG drawing, for the history, the clipboard and the transcript file.

No text is parsed as markup.
"""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.segment import Segments
from rich.text import Text
from textual.content import Content
from textual.message import Message

from assistant.engine import Engine
from assistant.history import (
    PICTURE_WORDS,
    PastTurn,
    PastTurns,
    PastTurnStep,
    PictureState,
    WholeTurn,
    step_words,
    turn_facts,
)
from assistant.i18n import _, counted, later, moment, padded
from assistant.memory.database import StoreError
from assistant.phone.errors import refusal_words
from assistant.presentation.text import clip, format_action, format_duration, format_tokens, one_line, safe
from assistant.presentation.turn_log import TurnLog
from assistant.records import Failed, Finished, Outcome, touched
from assistant.tui import terminal
from assistant.tui.terminal_images import draw_image
from assistant.tui.turn_lines import SOURCE_NAMES, format_entry

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


_SIGNS = {
    Outcome.SUCCESS: ("✓", "$text-success"),
    Outcome.FAILED: ("✗", "$text-error"),
    Outcome.CANCELLED: ("■", "$foreground-muted"),
    Outcome.UNCONFIRMED: ("≈", "$text-warning"),
    None: ("◌", "$text-warning"),
}
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
            return one_line(text)
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
