"""The input field: commands, messages to the running turn, answers. Enter sends, up and down recall.

`InputHistory` browses past commands, `DoublePressTimer` tells a double press of Escape, and `QueueList` shows
the queued commands above the field, where they can be edited. `TextField` is a field of one line, which takes
pasted text and quick typing as the input field does; `TextBlock` has as many lines as its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.message_pump import MessagePump
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, OptionList, TextArea
from textual.widgets.option_list import Option

from assistant.i18n import _, later
from assistant.presentation.text import clip, one_line, safe
from assistant.presentation.ui_state import InputTarget
from assistant.tui.keys import QUEUE, list_bindings, list_footer, with_user_keys
from assistant.tui.widgets.input_lists import Completion, CompletionList, names_skill, word_at_cursor


async def run_binding_in_order(event: events.Key, *nodes: Widget) -> None:
    """Do at once what a key is bound to in one of some widgets.

    Textual runs a binding when its key has bubbled up to the app; the letters right behind it are inserted
    before. Of a burst such as Backspace, Backspace, x, the Backspaces then delete the x.
    """
    active = nodes[0].screen.active_bindings.get(event.key)
    node = next((node for node in nodes if active is not None and active.node is node), None)
    if node is not None and active is not None and active.enabled:
        event.stop()
        event.prevent_default()
        await node.run_action(active.binding.action)


class TextField(Input):
    """A field of one line that takes keys in their order, and a pasted text whole."""

    async def on_key(self, event: events.Key) -> None:
        """Keys that are no characters act before the next one is inserted."""
        if not event.is_printable:
            await run_binding_in_order(event, self)

    def on_paste(self, event: events.Paste) -> None:
        """Insert all lines as one."""
        event.stop()
        event.prevent_default()
        line = " ".join(safe(event.text).split())
        if self.selection.is_empty:
            self.insert_text_at_cursor(line)
        else:
            self.replace(line, *self.selection)


class TextBlock(TextArea):
    """A text of several lines: enter begins another one, ctrl+s keeps it all, tab leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "keep", show=False)]

    @dataclass
    class Kept(Message):
        """The text is to be kept."""

        text: str

    def __init__(self, id: str) -> None:  # noqa: A002 - as Textual's widgets call it
        super().__init__(id=id, compact=True, show_line_numbers=True, highlight_cursor_line=False)
        self.cursor_blink = False

    def action_keep(self) -> None:
        """Keep the text."""
        self.post_message(self.Kept(safe(self.text)))

    async def on_key(self, event: events.Key) -> None:
        """Keys that are no characters act before the next one is inserted."""
        if not event.is_printable and event.key not in ("tab", "shift+tab", "enter"):
            await run_binding_in_order(event, self)


class InputHistory:
    """A position in the history, newest last; the draft being typed lies after the newest."""

    def __init__(self) -> None:
        self._commands: list[str] = []
        self._place = 0
        self._draft = ""

    def start(self, commands: Sequence[str]) -> None:
        """Restart after the newest command; of equal neighbours only one is kept."""
        self._commands = [
            command for index, command in enumerate(commands) if not index or commands[index - 1] != command
        ]
        self._place = len(self._commands)

    def older(self, current: str) -> str | None:
        """The previous command, None at the oldest."""
        if self._place == 0:
            return None
        if self._place == len(self._commands):
            self._draft = current
        self._place -= 1
        return self._commands[self._place]

    def newer(self) -> str | None:
        """The next command, the draft after the newest, None past that."""
        if self._place >= len(self._commands):
            return None
        self._place += 1
        return self._draft if self._place == len(self._commands) else self._commands[self._place]


_TITLES = {
    InputTarget.COMMAND: "",
    InputTarget.SAY: "",
    InputTarget.SAY_LATER: "",
    InputTarget.ANSWER: later("answer"),
    InputTarget.INSTEAD: later("no, do this instead"),
    InputTarget.MEANING: later("what to change, or “never mind”"),
}
_PLACEHOLDERS = {
    InputTarget.COMMAND: later("What should the phone do?"),
    InputTarget.SAY: later("Say something, or type the next command: enter asks which if that is unclear"),
    InputTarget.SAY_LATER: later("Say what to do differently, or type the next command"),
    InputTarget.ANSWER: later("Your answer to the question above"),
    InputTarget.INSTEAD: later("yes, no, or what to do instead"),
    InputTarget.MEANING: later("Say what is to be different; ↑ edits the instruction itself"),
}


class CommandInput(TextArea):
    """A field that grows to a few lines. Its title says what its text is for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+j,shift+enter,alt+enter", "new_line", "New line", show=False),
    ]

    @dataclass
    class Sent(Message):
        """Enter was pressed with some text; `typed` is what the field held, such as the beginning of it."""

        text: str
        typed: str

    @dataclass
    class Typed(Message):
        """A key or a paste changed the field."""

    @dataclass
    class Escaped(Message):
        """Escape was received together with a following letter, because the terminal delayed it."""

    @dataclass
    class ListWished(Message):
        """Enter was pressed in the empty field, or an arrow while a list or an instruction asks."""

        by_enter: bool = False

    @dataclass
    class NothingToUndo(Message):
        """Undo was pressed with nothing to undo."""

    def __init__(
        self, history: Callable[[], Sequence[str]], completions: CompletionList | None = None
    ) -> None:
        super().__init__(
            id="input",
            compact=True,
            highlight_cursor_line=False,
            placeholder=_(_PLACEHOLDERS[InputTarget.COMMAND]),
        )
        self.cursor_blink = False
        self._history = history
        self._completions = completions or CompletionList()
        self._recall = InputHistory()
        self._recalling = False
        self._proposed = ""
        self._serves: InputTarget | None = None
        self._list_asks = False
        self._handled: CommandInput.Sent | None = None
        self._sends_again = False

    def serve(self, field: InputTarget, *, list_asks: bool = False) -> None:
        """Show what the field's text is for; while a list asks, the arrows of the empty field go there."""
        self._list_asks = list_asks
        if field is self._serves:
            return
        self._serves = field
        self.border_title = Content(with_user_keys(_(_TITLES[field]))) if _TITLES[field] else ""
        self.placeholder = _(_PLACEHOLDERS[field])
        self.set_class(field in (InputTarget.ANSWER, InputTarget.INSTEAD, InputTarget.MEANING), "-asked")

    def _send(self, text: str) -> None:
        """Send a text once: what is typed while one is handled is sent behind it, by another Enter."""
        self._proposed = ""
        if self._handled is None:
            self._handled = self.Sent(text, self.text)
            self.post_message(self._handled)
        elif self.text != self._handled.typed:
            self._sends_again = True

    @contextmanager
    def handling(self, sent: Sent) -> Iterator[None]:
        """Handle what was sent; a second Enter meanwhile sends only what was typed behind it."""
        try:
            yield
        finally:
            sends_again, self._handled, self._sends_again = self._sends_again, None, False
            if sends_again and self.text.strip() and self.text != sent.typed:
                self._send(self.text.strip())

    def drop(self, sent: Sent) -> None:
        """Empty the field of what was sent; what was typed while it was being handled stays."""
        self.fill(self.text[len(sent.typed) :] if self.text.startswith(sent.typed) else "")

    def fill(self, text: str, *, selected: bool = False) -> None:
        """Replace the field's text; `selected`, it gives way to what is typed next."""
        self.load_text(safe(text))
        self.move_cursor(self.document.end)
        if selected:
            self.select_all()

    def propose(self, text: str, *, selected: bool = False) -> bool:
        """Put a text into the empty field, see `fill`; returns whether it was empty."""
        if self.text or not text:
            return False
        self.fill(text, selected=selected)
        self._proposed = self.text
        return True

    def withdraw(self) -> None:
        """Remove the proposed text, unless it was changed."""
        if self._proposed and self.text == self._proposed:
            # Undo must not restore it as if it had been typed.
            self.fill("")
        self._proposed = ""

    async def on_key(self, event: events.Key) -> None:
        """Enter sends, or takes the completion; all other keys are the text area's own."""
        # Keys that come faster than the list is made must not take what completes an earlier word.
        is_current = self._completions.word == word_at_cursor(self.text)
        completion = self._completions.current if is_current else None
        if completion is not None and event.key in ("enter", "tab", "up", "down", "escape"):
            event.stop()
            event.prevent_default()
            self._use_completions(event.key, completion)
            return
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            if self.text.strip() or self._serves is InputTarget.MEANING:
                self._send(self.text.strip())
            elif not self.text:
                self.post_message(self.ListWished(by_enter=True))
            return
        asks = self._list_asks or self._serves is InputTarget.MEANING
        if event.key in ("up", "down") and asks and not self.text:
            event.stop()
            event.prevent_default()
            self.post_message(self.ListWished())
            return
        if event.key.startswith("alt+") and event.is_printable:
            self.post_message(self.Escaped())
        self._recalling = self._recalling and event.key in ("up", "down")
        if event.key not in ("tab", "shift+tab"):
            self.post_message(self.Typed())
            if not event.is_printable:
                await run_binding_in_order(event, self)

    def _use_completions(self, key: str, completion: Completion) -> None:
        # What a skill does is begun only where it was typed or chosen before: its values may follow.
        is_command = completion.text.startswith("/") and not names_skill(completion.text)
        match key:
            case "up" | "down":
                self._completions.move(1 if key == "down" else -1)
            case "escape":
                self._completions.show(())
            case "enter" if is_command or completion.text == self.text:
                self._completions.show(())
                self._send(completion.text)
            case _:
                self.take(completion)

    def take(self, completion: Completion) -> None:
        """Put a completion in place of the word before the cursor."""
        word = word_at_cursor(self.text)
        self.fill(f"{self.text.removesuffix(word)}{completion.text} ")
        self._completions.show(())

    async def on_paste(self, event: events.Paste) -> None:
        """Insert pasted text with its lines, without control characters."""
        event.stop()
        event.prevent_default()
        self.replace(safe(event.text), *self.selection, maintain_selection_offset=False)
        self.post_message(self.Typed())

    def action_undo(self) -> None:
        """Undo typing, if there is any."""
        if self.history.undo_stack:
            super().action_undo()
        else:
            self.post_message(self.NothingToUndo())

    def action_new_line(self) -> None:
        """Insert a line break."""
        self.insert("\n")

    def action_cursor_up(self, select: bool = False) -> None:
        """In the first line, recall the previous command."""
        if select or not self.cursor_at_first_line:
            super().action_cursor_up(select)
            return
        if not self._recalling:
            self._recall.start(self._history())
            self._recalling = True
        older = self._recall.older(self.text)
        if older is not None:
            self.fill(older)

    def action_cursor_down(self, select: bool = False) -> None:
        """In the last line, recall the next command."""
        if select or not self._recalling or not self.cursor_at_last_line:
            super().action_cursor_down(select)
            return
        newer = self._recall.newer()
        if newer is not None:
            self.fill(newer)


WITHIN = 4.0
"""Seconds within which the second press must come."""

_TICK = 0.25


class DoublePressTimer:
    """Remembers a key press for a few seconds.

    Args:
        owner: runs the timer.
        clock: monotonic seconds.
        over: called when the time has elapsed without a second press.
    """

    def __init__(self, owner: MessagePump, clock: Callable[[], float], over: Callable[[], None]) -> None:
        self._owner = owner
        self._clock = clock
        self._over = over
        self._pressed = float("-inf")
        self._ticking: Timer | None = None

    @property
    def armed(self) -> bool:
        """Whether a press now would be the second one."""
        return self._clock() - self._pressed < WITHIN

    def arm(self) -> None:
        """Register the first press."""
        self._pressed = self._clock()
        if self._ticking is None:
            self._ticking = self._owner.set_interval(_TICK, self.tick)

    def disarm(self) -> None:
        """Forget the first press."""
        self._pressed = float("-inf")

    def tick(self) -> None:
        """Check whether the time has elapsed."""
        if not self.armed and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None
            self._over()


_LENGTH, _NAME_SHOWN = 200, 40


class QueueList(OptionList):
    """Takes no room while the queue is empty."""

    BINDINGS: ClassVar[list[BindingType]] = list(list_bindings(QUEUE))

    @dataclass
    class Wished(Message):
        """The user's choice for a queued command: go, edit, drop, up, down, leave."""

        wish: str
        place: int

    def __init__(self) -> None:
        super().__init__(id="queue", markup=False, compact=True)
        self._title = ""
        self._commands: Sequence[str] = ()

    def show(self, commands: Sequence[str], held: str) -> None:
        """Show the commands; `held` says why the next one does not start, if so."""
        place = self.highlighted
        self._commands = list(commands)
        self.clear_options()
        self.add_options([Option(self._prompt(index)) for index in range(len(commands))])
        self._title = held or _("next")
        self.set_class(bool(commands), "-open")
        self.set_class(bool(held), "-held")
        if commands:
            self.highlighted = min(place or 0, len(commands) - 1)
        self._show_title()

    def go_to(self, words: str, tell: Callable[[str], None]) -> bool:
        """Move to a command that has these words, which may be to be forgotten; whether there is one."""
        commands = [one_line(command) for command in self._commands]
        place = next((at for at, each in enumerate(commands) if words and words in each.casefold()), None)
        if place is None:
            return False
        self.focus()
        self.highlighted = place
        sentence = _("“{command}” waits in the queue: d drops it. /forget {words} looks in the memory.")
        tell(sentence.format(command=clip(commands[place], _NAME_SHOWN), words=words))
        return True

    def _prompt(self, index: int) -> Content:
        """A command with its number; the sign marks the one that the keys are about."""
        sign = "▸" if self.has_focus and index == self.highlighted else " "
        return Content(f"{sign} {index + 1}  {clip(one_line(self._commands[index]), _LENGTH)}")

    def _mark(self) -> None:
        for index in range(self.option_count):
            self.replace_option_prompt_at_index(index, self._prompt(index))

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Move the sign."""
        super().watch_highlighted(highlighted)
        self._mark()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show the sign and the active keys while the keys go here, else how they can."""
        super().watch_has_focus(has_focus)
        self._mark()
        self._show_title()

    def action_wish(self, wish: str) -> None:
        """Post the user's choice."""
        if self.highlighted is not None:
            self.post_message(self.Wished(wish, self.highlighted))

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Enter releases a held queue."""
        message.stop()
        self.post_message(self.Wished("go", message.option_index))

    def _show_title(self) -> None:
        away = _("/queue opens it, enter begins") if self.has_class("-held") else _("tab goes there")
        keys = list_footer(QUEUE) if self.has_focus else away
        self.border_title = Content(f"{self._title} · {with_user_keys(keys)}")
