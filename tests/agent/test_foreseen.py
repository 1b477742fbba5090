from __future__ import annotations

import pytest

from assistant.records import Action, Click, OpenApp, Point, TypeText
from assistant.safety.classifier import is_sensitive_instruction

HERE = Point(0.5, 0.5)


@pytest.mark.parametrize(
    "instruction",
    ["Play the podcast Evening News Review", "Navigate to Building 8", "Open Weather", "导航回柳园8幢"],
)
def test_what_is_looked_at_or_played_needs_no_yes(instruction: str) -> None:
    assert not is_sensitive_instruction(
        instruction, (OpenApp(name="Maps"), Click(point=HERE, content="Start"))
    )


@pytest.mark.parametrize(
    "instruction",
    [
        "Order beef noodles from Old Street Noodles",
        "Call Susan Lin",
        "Send Mom a message: late",
        "Delete the newest photo",
        "Book a ride to the office",
        "给林素珊打电话",
        "点老街面馆的牛肉面",
        "给李娜转45元",
    ],
)
def test_what_pays_sends_or_deletes_does(instruction: str) -> None:
    assert is_sensitive_instruction(instruction, ())


@pytest.mark.parametrize("action", [Click(point=HERE, content="Pay ¥32"), TypeText(text="{{secret:pin}}")])
def test_so_does_what_was_tapped_for_it_before(action: Action) -> None:
    assert is_sensitive_instruction("Do my usual", (action,))
