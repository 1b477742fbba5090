"""Messages, questions and text input of the memory panel, one at a time, below the details."""

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

from assistant.i18n import _, later
from assistant.memory_view.items import ItemField
from assistant.presentation.prompts import Gate
from assistant.presentation.text import one_line, safe

_CALLED = {"instruction": later("words"), "scenario": later("place")}
Take = Callable[[ItemField, str], None]
"""Receives the text typed for a field."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A rejected text, the field it was typed for, and the reason."""

    name: str
    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class _Question:
    words: str
    then: Callable[[], None]


class MemoryTalk(Vertical):
    """Shows messages, asks yes or no, and takes text for one of several fields.

    Args:
        clock: monotonic seconds, for the delay before a yes counts.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "field(1)", show=False),
        Binding("shift+tab", "field(-1)", show=False),
    ]

    class Settled(Message):
        """A question was answered, or an input ended: the list gets the focus again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(id="memory-talk")
        self.gate = Gate(clock)
        self._question: _Question | None = None
        self._fields: Sequence[ItemField] = ()
        self._texts: dict[str, str] = {}
        self._field_index = 0
        self._take: Take | None = None
        self._label = Static(id="memory-label", markup=False)
        self._edit = Input(id="memory-edit", compact=True, select_on_focus=False)
        self._edit.cursor_blink = False
        self._said = Static(id="memory-said", markup=False)

    def compose(self) -> ComposeResult:
        """Input field and message."""
        yield self._label
        yield self._edit
        yield self._said

    @property
    def asking(self) -> bool:
        """Whether a question is open."""
        return self._question is not None

    @property
    def typing(self) -> bool:
        """Whether a text is being typed."""
        return self._take is not None

    def show_message(self, sentence: str) -> None:
        """Show a message."""
        self._said.update(Content(one_line(sentence)))

    def ask(self, words: str, then: Callable[[], None]) -> None:
        """Ask for confirmation, then call `then`."""
        self._question = _Question(words, then)
        self.add_class("-asking")
        self.gate.shown()
        self.show_message(words)

    def agree(self) -> None:
        """Answer yes, unless the question has just appeared."""
        question = self._question
        if question is None:
            return
        if not self.gate.settled:
            self.show_message(
                _("{question} Not taken: wait a moment, then press the key again.").format(
                    question=question.words
                )
            )
            return
        self._answered()
        question.then()

    def refuse(self, sentence: str) -> None:
        """Answer no, and show a message."""
        self._answered()
        self.show_message(sentence)

    def type(self, fields: Sequence[ItemField], take: Take, typed: Typed | None = None) -> None:
        """Let the user type one of several texts; `typed` is an earlier input that was rejected."""
        self._fields, self._take, self._field_index = fields, take, 0
        self._texts = {text_field.name: one_line(text_field.text) for text_field in fields}
        if typed is not None and typed.name in self._texts:
            self._texts[typed.name] = typed.text
            self._field_index = list(self._texts).index(typed.name)
        self.add_class("-typing")
        self._show_field(typed.problem if typed is not None else "")
        self._edit.focus()

    def leave(self) -> None:
        """Cancel the input."""
        self._end()
        self.show_message(_("Not changed."))

    def action_field(self, step: int) -> None:
        """Go to the next or previous field."""
        if self.typing and len(self._fields) > 1:
            self._texts[self._fields[self._field_index].name] = self._edit.value
            self._field_index = (self._field_index + step) % len(self._fields)
            self._show_field()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Submit the text."""
        message.stop()
        if self._take is None:
            return
        take, field, text = self._take, self._fields[self._field_index], " ".join(safe(message.value).split())
        self._end()
        take(field, text)

    def _show_field(self, problem: str = "") -> None:
        field = self._fields[self._field_index]
        self._label.update(Content.assemble((f"{_field_label(field)}: ", "bold"), one_line(field.hint)))
        self._edit.value = self._texts[field.name]
        self._edit.cursor_position = len(self._edit.value)
        others = [
            _field_label(other)
            for other in (*self._fields[self._field_index + 1 :], *self._fields[: self._field_index])
        ]
        more = _(" · tab: on to {fields}").format(fields=_(", then ").join(others)) if others else ""
        keys = _("enter keeps it · esc or f2 leaves it as it was") + more
        self.show_message(f"{problem} {keys}" if problem else keys)

    def _end(self) -> None:
        self._take = None
        self.remove_class("-typing")
        self.show_message("")
        self.post_message(self.Settled())

    def _answered(self) -> None:
        self._question = None
        self.remove_class("-asking")
        self.post_message(self.Settled())


def _field_label(field: ItemField) -> str:
    """The display name of a field."""
    return _(_CALLED.get(field.name, one_line(field.name)))
