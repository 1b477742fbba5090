"""A command that is the answer to a question is understood like any other command."""

from __future__ import annotations

from assistant.conversation.line_words import ShortAnswer, read_short_answer
from assistant.conversation.routing import RouteKind, route
from assistant.presentation.command_meaning import read_approval_line
from assistant.presentation.ui_state import AnswerUse
from assistant.understand.perceive import is_order, strip_greeting
from tests.tables import each


@each("text", ["yeah ok", "ok sure", "yep go", "好的好的", "行吧", "好吧", "ok, yes"])
def test_several_words_of_a_yes_are_one(text: str) -> None:
    assert read_short_answer(text) is ShortAnswer.YES
    assert read_approval_line(text) is AnswerUse.ANSWER


@each("text", ["yeah no", "ok but make it two", "好的不要", "sure why"])
def test_a_yes_with_something_else_is_none(text: str) -> None:
    assert read_short_answer(text) is not ShortAnswer.YES


@each(
    ("text", "left"),
    [
        ("morning. get me my coffee pls", "get me my coffee pls"),
        ("good morning, order lunch", "order lunch"),
        ("早啊,来杯咖啡", "来杯咖啡"),
        ("morning alarm off", "morning alarm off"),
    ],
)
def test_a_greeting_is_no_part_of_a_command(text: str, left: str) -> None:
    assert strip_greeting(text) == left


def test_a_reminder_is_an_order() -> None:
    assert is_order("remind me to put the bins out on thursdays at 7pm")


@each("text", ["no make that 6:15", "make that 6:15", "改成六点一刻"])
def test_another_value_for_what_is_done_is_no_command(text: str) -> None:
    assert route(text).kind is RouteKind.CORRECTION


@each("text", ["make that call to mom", "set it up", "order 6 lattes"])
def test_a_command_stays_one(text: str) -> None:
    assert route(text).kind is RouteKind.COMMAND
