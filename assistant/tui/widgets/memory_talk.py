"""What the memory panel says, asks, and has typed: one thing at a time, below the item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from assistant.language import _, later
from assistant.memory_view.items import Field
from assistant.tui.prompts import Gate
from assistant.tui.words import one_line, safe

_CALLED = {"instruction": later("words"), "scenario": later("place")}
Take = Callable[[Field, str], None]
"""Takes what was typed for a field."""


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed for the field of a name, and why it could not be taken."""

    name: str
    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class _Question:
    words: str
    then: Callable[[], None]


class MemoryTalk(Vertical):
    """Says sentences, asks yes or no, and takes a text for one of several fields.

    Args:
        clock: seconds that only grow, for the gate before a yes counts.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "field(1)", show=False),
        Binding("shift+tab", "field(-1)", show=False),
    ]

    class Settled(Message):
        """A question was answered, or a text typed or left: keys go to the list again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(id="memory-talk")
        self.gate = Gate(clock)
        self._question: _Question | None = None
        self._fields: Sequence[Field] = ()
        self._texts: dict[str, str] = {}
        self._at = 0
        self._take: Take | None = None
        self._label = Static(id="memory-label", markup=False)
        self._edit = Input(id="memory-edit", compact=True, select_on_focus=False)
        self._edit.cursor_blink = False
        self._said = Static(id="memory-said", markup=False)

    def compose(self) -> ComposeResult:
        """What is typed, and what is said."""
        yield self._label
        yield self._edit
        yield self._said

    @property
    def asking(self) -> bool:
        """Whether a question waits."""
        return self._question is not None

    @property
    def typing(self) -> bool:
        """Whether a text is being typed."""
        return self._take is not None

    def say(self, sentence: str) -> None:
        """Say something."""
        self._said.update(Content(one_line(sentence)))

    def ask(self, words: str, then: Callable[[], None]) -> None:
        """Ask before something is done."""
        self._question = _Question(words, then)
        self.add_class("-asking")
        self.gate.shown()
        self.say(words)

    def agree(self) -> None:
        """Yes, unless the question has just appeared."""
        question = self._question
        if question is None:
            return
        if not self.gate.settled:
            self.say(
                _("{question} Not taken: wait a moment, then press the key again.").format(
                    question=question.words
                )
            )
            return
        self._answered()
        question.then()

    def refuse(self, sentence: str) -> None:
        """No."""
        self._answered()
        self.say(sentence)

    def type(self, fields: Sequence[Field], take: Take, typed: Typed | None = None) -> None:
        """Have one of some texts typed, the first one above all; else what was `typed` before once more."""
        self._fields, self._take, self._at = fields, take, 0
        self._texts = {one.name: one_line(one.text) for one in fields}
        if typed is not None and typed.name in self._texts:
            self._texts[typed.name] = typed.text
            self._at = list(self._texts).index(typed.name)
        self.add_class("-typing")
        self._show_field(typed.problem if typed is not None else "")
        self._edit.focus()

    def leave(self) -> None:
        """Type nothing after all."""
        self._end()
        self.say(_("Not changed."))

    def action_field(self, step: int) -> None:
        """To the next field, or the one before."""
        if self.typing and len(self._fields) > 1:
            self._texts[self._fields[self._at].name] = self._edit.value
            self._at = (self._at + step) % len(self._fields)
            self._show_field()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Hand over what was typed."""
        message.stop()
        if self._take is None:
            return
        take, field, text = self._take, self._fields[self._at], " ".join(safe(message.value).split())
        self._end()
        take(field, text)

    def _show_field(self, problem: str = "") -> None:
        field = self._fields[self._at]
        self._label.update(Content.assemble((f"{_shown(field)}: ", "bold"), one_line(field.hint)))
        self._edit.value = self._texts[field.name]
        self._edit.cursor_position = len(self._edit.value)
        others = [_shown(one) for one in (*self._fields[self._at + 1 :], *self._fields[: self._at])]
        more = _(" · tab: on to {fields}").format(fields=_(", then ").join(others)) if others else ""
        keys = _("enter keeps it · esc or f2 leaves it as it was") + more
        self.say(f"{problem} {keys}" if problem else keys)

    def _end(self) -> None:
        self._take = None
        self.remove_class("-typing")
        self.say("")
        self.post_message(self.Settled())

    def _answered(self) -> None:
        self._question = None
        self.remove_class("-asking")
        self.post_message(self.Settled())


def _shown(field: Field) -> str:
    """What a field is called."""
    return _(_CALLED.get(field.name, one_line(field.name)))
