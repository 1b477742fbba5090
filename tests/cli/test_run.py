"""`assistant run` on a simulated phone: interrupted, and continued."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli import run
from assistant.cli.main import app
from assistant.engine import Engine
from assistant.events import ActionChosen, Cause, Event, StepFinished, StepRetold, TurnFinished
from assistant.i18n import Language, speaking
from assistant.phone.adb import AdbServer
from assistant.plain.output import format_line
from assistant.records import Failed, Finished, Outcome, Source, Usage
from assistant.settings.schema import Settings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import ModelOptions
from assistant.simulator.model.server import ScriptedModel
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from assistant.turn_runner import EngineBusy
from tests.tables import each
from tests.worlds import DENSITY, SIZE, START, settings_for

DARK = "turn on dark mode"


@asynccontextmanager
async def engine_for(settings: Settings) -> AsyncIterator[Engine]:
    engine = Engine(settings, now=lambda: datetime.now(START.tzinfo), attended=False)
    try:
        await engine.start()
        await engine.wait_for_phone()
        yield engine
    finally:
        await engine.close()


async def test_control_c_leaves_the_turn_to_be_continued(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[Event] = []
    options = PhoneOptions(start=START, size=SIZE, density=DENSITY)
    async with SimulatedPhone(options) as phone, ScriptedModel(ModelOptions()) as model:
        adb = AdbServer("127.0.0.1", adb_server.port)
        await adb.connect(phone.serial)
        settings = settings_for(phone, model, adb_server.port, tmp_path)
        async with engine_for(settings) as engine:
            interruption = run.Interruption(engine, asyncio.current_task())

            def control_c(event: Event, _as_json: bool, _phone: str) -> None:
                if isinstance(event, StepFinished) and not interruption.begun:
                    interruption()

            monkeypatch.setattr(run, "_print_event", control_c)
            assert await run.stream_turn(engine, DARK, False, interruption) is None
            acted = [one.service for one in phone.traffic.since() if "input " in one.service]
        monkeypatch.setattr(run, "_print_event", lambda event, _as_json, _phone: printed.append(event))
        async with engine_for(settings) as engine:
            never = run.Interruption(engine, None)
            assert acted == [one.service for one in phone.traffic.since() if "input " in one.service]
            assert await run.stream_turn(engine, "", False, never) is Outcome.SUCCESS
        await adb.disconnect(phone.serial)
    assert [event.step for event in printed if isinstance(event, StepRetold)] == [1]
    assert phone.services.setting("ui_night_mode") == "2"


async def test_a_phone_that_another_program_uses_is_told_of_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class BusyEngine(Engine):
        def run(self, said: str) -> None:
            raise EngineBusy("Another program carries out a turn on this phone.")

    engine = BusyEngine(Settings(store=tmp_path), now=lambda: START)
    never = run.Interruption(engine, None)
    assert await run.stream_turn(engine, DARK, True, never) is Outcome.FAILED
    await engine.close()
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["answer"] == "Another program carries out a turn on this phone."


async def test_a_line_that_was_answered_without_the_phone_is_a_success(tmp_path: Path) -> None:
    class AnsweringEngine(Engine):
        def run(self, said: str) -> None:
            """The line is answered."""

        async def events(self) -> AsyncIterator[Event]:
            yield TurnFinished(
                time=START,
                turn_id="t",
                outcome=Outcome.CANCELLED,
                answer="You are welcome.",
                steps=0,
                usage=Usage(),
                seconds=0.1,
                cause=Cause.ANSWERED,
            )

    engine = AnsweringEngine(Settings(store=tmp_path), now=lambda: START)
    never = run.Interruption(engine, None)
    assert await run.stream_turn(engine, "ta very much", True, never) is Outcome.SUCCESS
    await engine.close()


async def test_a_success_that_the_phone_does_not_show_exits_with_three(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    lies = Fault(kind=FaultKind.FALSE_SUCCESS, times=None)
    options = PhoneOptions(start=START, size=SIZE, density=DENSITY)
    async with SimulatedPhone(options) as phone, ScriptedModel(ModelOptions(faults=(lies,))) as model:
        adb = AdbServer("127.0.0.1", adb_server.port)
        await adb.connect(phone.serial)
        config = tmp_path / "settings.toml"
        config.write_text(
            f"[phone]\nserial = {json.dumps(phone.serial)}\nadb_port = {adb_server.port}\n"
            f'[model]\nbase_url = {json.dumps(model.address.base_url)}\nname = "scripted"\n',
            encoding="utf-8",
        )
        command = [
            "-m",
            "assistant",
            "run",
            DARK,
            "--config",
            str(config),
            "--store",
            str(tmp_path / "store"),
        ]
        program = await asyncio.create_subprocess_exec(
            sys.executable,
            *command,
            env={**os.environ, "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        printed, _ = await program.communicate()
        assert phone.services.setting("ui_night_mode") != "2"
        await adb.disconnect(phone.serial)
    assert program.returncode == 3, printed.decode()
    assert "nothing on the phone shows it" in " ".join(printed.decode().split())


@each("language", [Language.ENGLISH, Language.CHINESE])
@each("action", [Finished(answer="Set."), Failed(reason="The shop is closed.")])
def test_what_ends_the_turn_is_said_once_and_giving_up_has_no_tick(
    action: Finished | Failed, language: Language
) -> None:
    chosen = ActionChosen(time=START, step=9, action=action, source=Source.MODEL)
    step = StepFinished(
        time=START,
        step=9,
        action=action,
        source=Source.MODEL,
        seconds=1.0,
        model_seconds=1.0,
        phone_seconds=0.0,
        own_seconds=0.0,
    )
    with speaking(language):
        assert format_line(chosen) == format_line(step) == ""
        of_a_task = format_line(replace(step, branch="tea"))
    assert ("✓" in of_a_task) is isinstance(action, Finished)
    assert ("✗" in of_a_task) is isinstance(action, Failed)


def test_an_editor_that_is_a_file_is_told_in_words(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["acp", "--demo", "--store", str(tmp_path)])
    assert result.exit_code == 1
    assert "Start it from the editor." in result.stderr
    assert result.stdout == ""
