"""Whole turns whose screens are read from their pictures, where trees are spared or tell nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.events import (
    ApprovalRequested,
    PhoneStateChanged,
)
from assistant.phone.pictures import PictureReader, TextLine
from assistant.phone.ui_tree import parse_tree
from assistant.records import (
    Action,
    Bounds,
    Click,
    Failed,
    Observation,
    PressHome,
    PressRecent,
)
from assistant.simulator.adb_server import PrivateAdbServer
from tests.phone.test_text_recognition import FakeLines
from tests.turn_fixture import script, staged_turn


class TestWordsOfPictures:
    async def test_that_no_picture_is_read_for_a_while_is_told_once(
        self, adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines = FakeLines(problem="too slow")
        reader = PictureReader(lines)
        monkeypatch.setattr("assistant.phone.device.shared_reader", lambda: reader)
        steps: list[Action] = [
            PressHome(),
            PressRecent(),
            PressHome(),
            PressRecent(),
            PressHome(),
            Failed(reason="enough"),
        ]
        async with staged_turn(adb_server.port, tmp_path, script(*steps)) as staged:
            staged.phone.services.quirks.null_root = True
            await staged.running
        told = [event.sentence for event in staged.all(PhoneStateChanged)]
        assert told == [
            "Pictures are not read for a while, so on screens that tell nothing every tap asks: too slow."
        ]
        assert lines.times == 3

    async def test_beside_a_screen_reader_a_doubt_is_settled_by_the_tree(
        self, adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        words = [TextLine(f"Line {place}", Bounds(10, place, 300, place + 40)) for place in (300, 400, 500)]
        lines = FakeLines(*words)
        reader = PictureReader(lines)
        monkeypatch.setattr("assistant.phone.device.shared_reader", lambda: reader)

        def tap_misread(observation: Observation) -> Click:
            assert not observation.elements
            return Click(point=observation.point(*icon.centre))

        steps = script(tap_misread, Failed(reason="enough"))
        async with staged_turn(adb_server.port, tmp_path, steps) as staged:
            tree = parse_tree(staged.phone.windows.dump(resting=False))
            icon = next(element.bounds for element in tree.elements if element.text == "Chat")
            lines.lines = (*words, TextLine("Pay \u00a538", icon))
            secure = staged.phone.services.settings.secure
            secure["enabled_accessibility_services"] = "com.example/.TalkBack"
            await staged.running
            assert staged.phone.windows.focused().package == "com.example.chat"
        assert not staged.all(ApprovalRequested)
        told = [event.sentence for event in staged.all(PhoneStateChanged)]
        assert told == [
            "A screen reader or the like is on, so screens are read from pictures where that will do."
        ]
        asked = [entry.service for entry in staged.phone.traffic.since()]
        assert sum("uiautomator dump" in service for service in asked) == 1
