from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli.main import app
from assistant.cli.suggest import _line, watch
from assistant.command_resolver import PersonalCommandResolver
from assistant.events import Event, SuggestionAnswered, SuggestionLapsed, SuggestionOffered
from assistant.files import ProactiveLock
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.settings.schema import PhoneSettings, ProactiveSettings, Settings
from assistant.simulator.adb_server import PrivateAdbServer
from tests.memory.prototypes.lived import ORDER, Hashing, record
from tests.proactive.test_service import NOON


@pytest.fixture
def settings(adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    def hashed(recollection: PersonalCommandResolver) -> HierarchicalMemory:
        return HierarchicalMemory(recollection._store, Hashing())

    monkeypatch.setattr(PersonalCommandResolver, "open_prototypes", hashed)
    store = Store(tmp_path, lambda: NOON)
    store.records.add(record(f"r{day}", day=day) for day in range(14))
    store.close()
    return Settings(
        store=tmp_path,
        user_id="1",
        phone=PhoneSettings(adb_port=adb_server.port),
        proactive=ProactiveSettings(),
    )


async def test_it_tells_of_suggestions_until_it_is_stopped(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Event] = []
    stop = asyncio.Event()

    def hear(event: Event) -> None:
        told.append(event)
        stop.set()

    async with asyncio.timeout(30):
        await watch(settings, lambda: NOON, hear, stop)
    (offered,) = [event for event in told if isinstance(event, SuggestionOffered)]
    assert offered.instruction == ORDER
    assert capsys.readouterr().err == ""


async def test_it_says_that_another_program_speaks(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    other = ProactiveLock(settings.store)
    assert other.take()
    stop = asyncio.Event()
    stop.set()
    await watch(settings, lambda: NOON, lambda event: None, stop)
    assert "Another program" in capsys.readouterr().err
    other.release()


def test_its_lines_name_what_was_suggested_to_the_end() -> None:
    offers: dict[str, str] = {}
    made = SuggestionOffered(
        time=NOON,
        id="s1",
        instruction="Play\x1b music",
        score=0.9,
        until=NOON,
        why=("last today", "at noon"),
    )
    told = [
        _line(event, False, offers)
        for event in (
            made,
            replace(made, instruction="Play jazz"),
            SuggestionAnswered(time=NOON, id="s1", answer="not_now"),
            SuggestionLapsed(time=NOON, id="s1"),
        )
    ]
    assert [line.split(maxsplit=4)[-1].split("\n") for line in told] == [
        ["◷ Suggested from memory: Play music", "           90% likely now. last today; at noon"],
        ["◷ Suggested in new words: Play jazz", "           90% likely now. last today; at noon"],
        ["not now: Play jazz"],
        ["Over: Play jazz"],
    ]
    assert json.loads(_line(made, True, offers))["event"] == "suggestion_offered"


def test_switched_off_it_says_how_to_switch_it_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_PROACTIVE__ENABLED", "false")
    result = CliRunner().invoke(app, ["watch", "--store", str(tmp_path)])
    assert result.exit_code == 1
    assert "proactive.enabled" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--weeks", "1"], "in the demo only"),
        (["--demo", "--stop", "lunch"], "in the demo only"),
        (["--demo", "--weeks", "1", "--stop", "sleep"], "no habit called “sleep”"),
        (["--demo", "--weeks", "1", "--move", "lunch=late"], "lunch=13:30"),
    ],
)
def test_weeks_pass_in_the_demo_only_and_for_known_habits(
    tmp_path: Path, arguments: list[str], words: str
) -> None:
    result = CliRunner().invoke(app, ["watch", "--store", str(tmp_path), *arguments])
    assert result.exit_code
    assert words in str(result.exception) + result.stderr
