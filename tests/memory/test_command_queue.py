from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.memory import programs
from assistant.memory.programs import MOST_QUEUED, QUEUE_FILE, CommandQueue, PhoneQueues


def test_commands_come_in_the_order_they_were_given(tmp_path: Path) -> None:
    waiting = CommandQueue(tmp_path)
    for said in ("one", "two", "three"):
        assert waiting.add(said)
    assert waiting.move(2, -1) == 1
    assert waiting.take() == "one"
    assert waiting.commands == ("three", "two")
    assert not waiting.on_hold


def test_a_killed_program_finds_its_commands_again_and_holds_them(tmp_path: Path) -> None:
    killed = CommandQueue(tmp_path)
    killed.add("给妈妈发消息")
    killed.close()
    again = CommandQueue(tmp_path)
    assert again.commands == ("给妈妈发消息",)
    assert again.on_hold
    assert (tmp_path / QUEUE_FILE).stat().st_mode & 0o777 == 0o600


def test_nothing_is_left_of_an_empty_line(tmp_path: Path) -> None:
    waiting = CommandQueue(tmp_path)
    waiting.add("one")
    waiting.on_hold = True
    waiting.take()
    assert not (tmp_path / QUEUE_FILE).exists()
    assert not waiting.on_hold
    assert waiting.take() is None


def test_a_full_line_takes_no_more(tmp_path: Path) -> None:
    waiting = CommandQueue(tmp_path)
    assert [waiting.add("again") for _ in range(MOST_QUEUED + 1)][-2:] == [True, False]


@pytest.mark.parametrize("content", ["", "{", "3", '{"a": 1}', json.dumps([1, "", None, {"phone": "p"}, []])])
def test_a_broken_file_is_no_line(tmp_path: Path, content: str) -> None:
    (tmp_path / QUEUE_FILE).write_text(content)
    assert CommandQueue(tmp_path).commands == ()


def test_a_folder_that_cannot_be_written_keeps_the_line_in_mind(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    waiting = CommandQueue(tmp_path / "file")
    assert waiting.add("one")
    assert waiting.commands == ("one",)


def test_two_programs_have_a_line_each_and_neither_runs_what_is_the_others(tmp_path: Path) -> None:
    one, other = CommandQueue(tmp_path), CommandQueue(tmp_path)
    one.add("order coffee")
    other.add("turn on wi-fi")
    one.add("set an alarm")
    assert one.commands == ("order coffee", "set an alarm")
    assert other.commands == ("turn on wi-fi",)
    third = CommandQueue(tmp_path)
    assert third.commands == ()
    assert one.take() == "order coffee"
    assert other.take() == "turn on wi-fi"
    assert other.take() is None


def test_what_ended_programs_left_is_found_once(tmp_path: Path) -> None:
    lines = [CommandQueue(tmp_path) for _ in range(3)]
    for number, line in enumerate(lines):
        line.add(f"command {number}")
    lines[0].close()
    lines[2].close()
    first, second = CommandQueue(tmp_path), CommandQueue(tmp_path)
    assert first.commands == ("command 0", "command 2")
    assert first.on_hold
    assert second.commands == ()
    assert lines[1].commands == ("command 1",)
    first.close()
    lines[1].close()
    assert sorted(CommandQueue(tmp_path).commands) == ["command 0", "command 1", "command 2"]


def test_lines_for_which_there_is_no_room_stay_for_later(tmp_path: Path) -> None:
    (tmp_path / QUEUE_FILE).write_text(json.dumps(["again"] * MOST_QUEUED))
    for name, said in (("waiting-2", "one more"), ("waiting-3", "and another")):
        (tmp_path / f"{name}.json").write_text(json.dumps([said]))
        (tmp_path / f"{name}.lock").touch()
    full = CommandQueue(tmp_path)
    assert full.commands == ("again",) * MOST_QUEUED
    full.take()
    full.close()
    later = CommandQueue(tmp_path)
    assert later.commands == ("again",) * (MOST_QUEUED - 1) + ("one more",)
    assert [file.name for file in sorted(tmp_path.glob("*.json"))] == ["waiting-3.json", QUEUE_FILE]


def test_a_program_that_is_killed_leaves_its_line(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from assistant.memory.programs import CommandQueue

line = CommandQueue(Path(sys.argv[1]))
line.add("order coffee")
print("added", flush=True)
sys.stdin.read()
"""
    program = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "added\n"
        beside = CommandQueue(tmp_path)
        assert beside.commands == ()
        beside.close()
    finally:
        program.kill()
        program.communicate()
    assert CommandQueue(tmp_path).commands == ("order coffee",)


def test_each_phones_commands_survive_a_restart_and_name_their_phone_elsewhere(tmp_path: Path) -> None:
    killed = PhoneQueues(tmp_path)
    killed.on("pixel").add("order lunch")
    killed.on("galaxy").add("call mom")
    killed.on("galaxy").add("set an alarm")
    killed.close()
    again = PhoneQueues(tmp_path)
    first = again.on("pixel")
    assert first.commands == ("order lunch", "@galaxy call mom", "@galaxy set an alarm")
    assert first.on_hold
    assert first.next_phone == ""
    second = again.on("galaxy")
    assert second.commands == ("call mom", "set an alarm")
    assert again.on("pixel").commands == ("order lunch",)
    assert second.on_hold
    again.close()
    assert PhoneQueues(tmp_path).on("pixel").commands[0] == "order lunch"


def test_commands_of_a_phone_that_is_away_are_none_of_the_phone_in_use(tmp_path: Path) -> None:
    killed = PhoneQueues(tmp_path)
    killed.on("galaxy").add("call mom")
    killed.close()
    before_any_phone = PhoneQueues(tmp_path)
    queue = before_any_phone.on("")
    assert queue.commands == ("call mom",)
    assert before_any_phone.on("pixel") is queue
    assert queue.commands == ("@galaxy call mom",)
    assert queue.next_phone == "galaxy"
    assert queue.take() == "@galaxy call mom"


def test_commands_for_which_a_phones_queue_has_no_room_stay_where_they_are(tmp_path: Path) -> None:
    killed = PhoneQueues(tmp_path)
    killed.on("galaxy").add("call mom")
    killed.close()
    again = PhoneQueues(tmp_path)
    assert again.on("pixel").commands == ("@galaxy call mom",)
    beside = CommandQueue(tmp_path, "galaxy")
    for _ in range(MOST_QUEUED):
        beside.add("again")
    again.on("pixel").hand_over(beside)
    assert again.on("pixel").commands == ("@galaxy call mom",)
    assert beside.commands == ("again",) * MOST_QUEUED


@pytest.mark.parametrize(
    ("is_stored", "left"), [(False, ("order coffee", "call mom")), (True, ("call mom",))]
)
def test_a_kill_while_a_command_becomes_a_turn_leaves_the_one_or_the_other(
    tmp_path: Path, is_stored: bool, left: tuple[str, ...]
) -> None:
    queue = CommandQueue(tmp_path / "store")
    queue.add("order coffee")
    queue.add("call mom")
    with queue.starting("turn-1"):
        shutil.copytree(tmp_path / "store", tmp_path / "killed")
    assert queue.commands == ("call mom",)
    again = CommandQueue(tmp_path / "killed", has_turn=lambda turn_id: is_stored and turn_id == "turn-1")
    assert again.commands == left
    assert again.on_hold
    again.close()
    # The user may have discarded the turn meanwhile: that does not bring its command back.
    assert CommandQueue(tmp_path / "killed").commands == left


def test_a_command_whose_turn_cannot_be_made_stays(tmp_path: Path) -> None:
    queue = CommandQueue(tmp_path)
    queue.add("order coffee")
    with pytest.raises(RuntimeError), queue.starting("turn-1"):
        raise RuntimeError("no phone")
    assert queue.commands == ("order coffee",)
    queue.close()
    assert CommandQueue(tmp_path, has_turn=lambda _turn_id: True).commands == ("order coffee",)


def test_no_turn_is_made_of_a_command_that_cannot_be_taken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    queue, begun = CommandQueue(tmp_path), list[str]()
    queue.add("order coffee")
    monkeypatch.setattr(programs, "write_privately", fail)
    with pytest.raises(OSError, match="No space"), queue.starting("turn-1"):
        begun.append("turn-1")
    assert begun == []
    assert queue.commands == ("order coffee",)


def test_a_command_that_a_kill_left_in_two_files_is_there_once(tmp_path: Path) -> None:
    killed = PhoneQueues(tmp_path)
    killed.on("pixel").add("order lunch")
    killed.on("galaxy").add("order lunch")
    killed.close()
    # As after a kill between the two writes of a command that changes queues.
    first, second = tmp_path / QUEUE_FILE, tmp_path / "waiting-2.json"
    second.write_text(json.dumps([*json.loads(first.read_text()), *json.loads(second.read_text())]))
    assert PhoneQueues(tmp_path).on("pixel").commands == ("order lunch", "@galaxy order lunch")


def test_a_wiped_memory_takes_the_queues_of_all_programs_with_it(tmp_path: Path) -> None:
    open_queue, other = CommandQueue(tmp_path), CommandQueue(tmp_path, "pixel")
    open_queue.add("order coffee")
    other.add("call mom")
    assert sorted(programs.queued_commands(tmp_path)) == ["call mom", "order coffee"]
    assert programs.drop_queued(tmp_path) == 2
    assert open_queue.move(0, 1) == 0
    assert open_queue.commands == other.commands == ()
    open_queue.add("set an alarm")
    assert open_queue.take() == "set an alarm"
    open_queue.close()
    assert CommandQueue(tmp_path).commands == ()
