from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.waiting import FILE, MOST, WaitingCommands


def test_commands_come_in_the_order_they_were_given(tmp_path: Path) -> None:
    waiting = WaitingCommands(tmp_path)
    for said in ("one", "two", "three"):
        assert waiting.add(said)
    assert waiting.move(2, -1) == 1
    assert waiting.take() == "one"
    assert waiting.commands == ("three", "two")
    assert not waiting.held


def test_a_killed_program_finds_its_commands_again_and_holds_them(tmp_path: Path) -> None:
    WaitingCommands(tmp_path).add("给妈妈发消息")
    again = WaitingCommands(tmp_path)
    assert again.commands == ("给妈妈发消息",)
    assert again.held
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_nothing_is_left_of_an_empty_line(tmp_path: Path) -> None:
    waiting = WaitingCommands(tmp_path)
    waiting.add("one")
    waiting.held = True
    waiting.take()
    assert not (tmp_path / FILE).exists()
    assert not waiting.held
    assert waiting.take() is None


def test_a_full_line_takes_no_more(tmp_path: Path) -> None:
    waiting = WaitingCommands(tmp_path)
    assert [waiting.add("again") for _ in range(MOST + 1)][-2:] == [True, False]


@pytest.mark.parametrize("content", ["", "{", "3", '{"a": 1}', json.dumps([1, "", None])])
def test_a_broken_file_is_no_line(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    assert WaitingCommands(tmp_path).commands == ()


def test_a_folder_that_cannot_be_written_keeps_the_line_in_mind(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    waiting = WaitingCommands(tmp_path / "file")
    assert waiting.add("one")
    assert waiting.commands == ("one",)
