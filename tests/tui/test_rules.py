"""What is allowed always, listed and taken back in the interface."""

from __future__ import annotations

from datetime import UTC, datetime

from assistant.events import ActionKind
from assistant.memory.store import StandingApproval, StoreError
from tests.tui.scripted import ScriptedEngine

from .app_fixture import Desk, open_desk

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)
RULES = (
    StandingApproval("com.example.chat", ActionKind.SEND, "Chat", NOW, "Mom\x1b[2J"),
    StandingApproval("com.example.clock", ActionKind.DELETE, "Clock", NOW),
)


class RulingEngine(ScriptedEngine):
    """An engine with standing rules, which can be taken back unless `broken_store`."""

    broken_store = False
    rules: tuple[StandingApproval, ...] = RULES

    def standing_approvals(self) -> tuple[StandingApproval, ...]:
        return self.rules

    def revoke_approval(self, rule: StandingApproval) -> None:
        if self.broken_store:
            raise StoreError("The memory cannot be written.")
        self.rules = tuple(other for other in self.rules if other != rule)


async def open_rules(desk: Desk) -> None:
    await desk.type("/rules")
    await desk.press("escape", "enter")
    await desk.settle()


async def test_rules_are_listed_and_one_is_taken_back() -> None:
    engine = RulingEngine()
    async with open_desk(engine) as desk:
        await open_rules(desk)
        assert "sends and calls · Chat · Mom" in desk.text
        assert "deletions · Clock" in desk.text
        await desk.press("down", "enter")
        assert engine.rules == (RULES[0],)
        assert "from now on it is asked about again" in desk.text
        await open_rules(desk)
        assert "Chat" in desk.text
        assert "Clock" not in desk.text
        await desk.press("escape")
        assert engine.rules == (RULES[0],)


async def test_a_rule_that_cannot_be_taken_back_says_so() -> None:
    engine = RulingEngine()
    engine.broken_store = True
    async with open_desk(engine) as desk:
        await open_rules(desk)
        await desk.press("enter")
        assert "The memory cannot be written." in desk.text


async def test_without_rules_it_says_so() -> None:
    engine = RulingEngine()
    engine.rules = ()
    async with open_desk(engine) as desk:
        await open_rules(desk)
        assert "No standing approvals." in desk.text
