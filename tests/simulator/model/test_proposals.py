from __future__ import annotations

import pytest

from assistant.records import Failed, Point
from assistant.simulator.model.policy import decide, understand
from assistant.simulator.model.proposals import COMMANDS, MOST, propose
from assistant.simulator.model.screen import Item, Screen
from assistant.simulator.model.situation import Situation
from tests.tables import each


@each("command", [command for pair in COMMANDS for command in pair[:2]])
def test_what_is_proposed_is_understood(command: str) -> None:
    assert understand(Situation(command, Screen())) is not None


@pytest.mark.parametrize(
    ("instruction", "proposed"),
    [
        ("knit me a sweater", "order beef noodles without coriander"),
        ("给我织一件毛衣", "点一份牛肉面不要香菜"),
    ],
)
def test_a_command_that_is_not_known_is_answered_with_three_that_are(instruction: str, proposed: str) -> None:
    home = Screen((Item(1, "text", "Chat", Point(0.5, 0.5)),), package="com.android.launcher")
    action = decide(Situation(instruction, home)).action
    assert isinstance(action, Failed)
    commands = propose(instruction)
    assert len(set(commands)) == MOST
    assert proposed in commands
    assert all(f"“{command}”" in action.reason for command in commands)


@each(
    ("instruction", "words"),
    [
        ("訂一份牛排", "只有简体字"),
        ("给我织一件毛衣", "不会这个指令"),
        ("knit me a sweater", "does not know"),
    ],
)
def test_the_traditional_script_is_told_of(instruction: str, words: str) -> None:
    action = decide(Situation(instruction, Screen())).action
    assert isinstance(action, Failed)
    assert words in action.reason
