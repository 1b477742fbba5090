from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assistant.bench.hashing import HashingEmbedder
from assistant.cli.main import app
from assistant.memory.profile.graph import Evidence, Strength
from assistant.memory.profile.service import Profile
from assistant.memory.store import Store
from assistant.records import Record

run = CliRunner().invoke
TIME = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ASSISTANT_EMBEDDING__MODEL", str(tmp_path / "no-model"))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A memory that knows who mom is, and apps that the phone has shown."""
    folder = tmp_path / "store"
    memory = Store(folder)
    profile = Profile(memory, HashingEmbedder(), "me")
    profile.remember("mom", "Susan", Evidence("r7", TIME, Strength.USER), "name")
    profile.remember("home", "12 Park Street", Evidence("", TIME, Strength.USER), "address")
    memory.close()
    (folder / "labels.json").write_text(json.dumps({"s1": {"Maps": "a/b", "Chat": "c/d"}}))
    return folder


def resolved(store: Path, *arguments: str) -> list[dict[str, Any]]:
    told = run(app, ["resolve", *arguments, "--json", "--store", str(store)])
    assert told.exit_code == 0
    return [json.loads(line) for line in told.stdout.split("\n") if line]


def test_the_object_has_the_fields_that_scripts_need(store: Path) -> None:
    (told,) = resolved(store, "call my mom and my boss on Chat")
    (element, missing) = told.pop("elements")
    assert told == {
        "said": "call my mom and my boss on Chat",
        "personalized": True,
        "decision": "ask",
        "instruction": "call Susan and my boss on Chat",
        "app": "Chat",
        "missing": ["my boss"],
    }
    assert 0.3 <= element.pop("confidence") <= 1
    assert element == {
        "text": "my mom",
        "value": "Susan",
        "source": "profile",
        "evidence": ["r7"],
        "candidates": [],
    }
    assert missing == {
        "text": "my boss",
        "value": None,
        "source": None,
        "confidence": 0.0,
        "evidence": [],
        "candidates": [],
    }


def test_each_line_has_its_own_time_and_place(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "commands.jsonl"
    lines = (
        '{"said": "call my mom", "at": "2026-03-09T12:05:00+01:00", "scenario": "office"}',
        "set an alarm for 7",
    )
    file.write_text("\n".join(lines))
    told = resolved(store, "--file", str(file))
    assert [one["decision"] for one in told] == ["filled", "as_said"]
    assert resolved(store, "call my mom", "--at", "2026-03-09T12:05", "--scenario", "office")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"at": "2026-03-09"}', "Line 1 gives no command: said field required."),
        ('{"said": "x", "at": "noonish"}', "Line 1 gives no time: “noonish”"),
        ('{"said": "x", "at": "0001-01-01T00:00"}', "Line 1 gives no time: “0001-01-01T00:00”"),
        ('{"said": ', "Line 1 is not JSON"),
        ('{"said": ' + "[" * 5000, "Line 1 is not JSON"),
    ],
)
def test_a_wrong_line_is_said_and_the_others_are_resolved(
    store: Path, tmp_path: Path, line: str, said: str
) -> None:
    file = tmp_path / "commands.jsonl"
    file.write_text(line + '\n{"said": "call my mom", "at": null, "scenario": null}\n')
    told = run(app, ["resolve", "--file", str(file), "--json", "--store", str(store)])
    wrong, right = map(json.loads, told.stdout.splitlines())
    assert said in wrong["error"]
    assert right["instruction"] == "call Susan"
    assert told.exit_code == 1


def test_a_file_gives_an_object_for_each_line(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "commands.txt"
    file.write_text("navigate home\r\n\nset an alarm for 7\u2028now\n导航回家\n", encoding="utf-8-sig")
    told = resolved(store, "--file", str(file))
    assert [one["said"] for one in told] == ["navigate home", "", "set an alarm for 7\u2028now", "导航回家"]
    assert told[0]["instruction"] == "navigate to 12 Park Street"
    assert told[2]["instruction"] == told[2]["said"]


def test_standard_input_is_a_file(store: Path) -> None:
    told = run(app, ["resolve", "--file", "-", "--json", "--store", str(store)], input="call mom\n")
    assert json.loads(told.stdout)["instruction"] == "call Susan"


def test_a_user_who_is_named_is_answered_from_nobody_elses_memory(store: Path) -> None:
    with closing(Store(store)) as memory:
        memory.records.add([Record(id="r7", user_id="me", time=TIME, instruction="call Susan")])
    (nobody,) = resolved(store, "call my mom", "--user", "nobody")
    (mine,) = resolved(store, "call my mom")
    assert [nobody["instruction"], mine["instruction"]] == ["call my mom", "call Susan"]


def test_a_person_reads_why(store: Path) -> None:
    told = run(app, ["resolve", "call my mom", "--store", str(store)])
    assert "my mom → Susan  profile" in told.stdout
    assert "Task: call Susan" in told.stdout
    assert "embedding model" in told.stderr


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("thanks, you can go home now", "You are welcome."),
        ("don't call mom", "Nothing was begun."),
        ("hello", "Hello."),
    ],
)
def test_what_the_interface_answers_is_no_task_here(store: Path, said: str, answer: str) -> None:
    (told,) = resolved(store, said)
    assert (told["decision"], told["instruction"], told["elements"]) == ("answer", said, [])
    assert told["answer"].startswith(answer)


def test_a_remark_is_no_task(store: Path) -> None:
    said = "mom never called me on my birthday"
    (told,) = resolved(store, said)
    assert (told["decision"], told["instruction"]) == ("ask", said)
    shown = run(app, ["resolve", said, "--store", str(store)]).stdout
    assert "Susan" not in shown
    assert "This seems to order nothing" in shown


def test_nothing_is_changed(store: Path) -> None:
    def known() -> tuple[object, ...]:
        memory = Store(store)
        facts = Profile(memory, HashingEmbedder(), "me").facts()
        told = tuple(memory.records.of()), tuple(fact.line for fact in facts)
        memory.close()
        return told

    before = known()
    resolved(store, "call my mom and order my usual lunch")
    assert known() == before != ((), ())


def test_an_explicit_command_does_not_even_open_the_memory(tmp_path: Path) -> None:
    (told,) = resolved(tmp_path / "new", "set an alarm for 7:30")
    assert (told["instruction"], told["personalized"]) == ("set an alarm for 7:30", False)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("arguments", [[], ["call mom", "--file", "x"], ["--file", "/nowhere/at/all"]])
def test_wrong_usage_is_said(arguments: list[str]) -> None:
    told = run(app, ["resolve", *arguments], standalone_mode=False)
    assert told.exception is not None
    assert str(told.exception).endswith(".")


def test_a_file_that_is_no_text_is_said(tmp_path: Path) -> None:
    file = tmp_path / "commands.bin"
    file.write_bytes(b"\xff\xfe\x00call")
    assert "UTF-8" in str(run(app, ["resolve", "--file", str(file)], standalone_mode=False).exception)


def test_perceiving_loads_neither_embedder_nor_model_client() -> None:
    heavy = "onnxruntime, tokenizers, openai"
    code = (
        "import sys; from assistant.understand.types import Sources;"
        "from assistant.understand.service import UnderstandingService;"
        "UnderstandingService(lambda: Sources(), lambda: None).resolve('set an alarm for 7:30 on Clock');"
        f"print([one for one in '{heavy}'.split(', ') if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["", "  "])
def test_an_empty_command_is_refused_with_a_sentence(store: Path, command: str) -> None:
    refused = run(app, ["resolve", command, "--store", str(store)], standalone_mode=False)
    assert "The command is empty." in str(refused.exception)
    assert "Task" not in refused.output
