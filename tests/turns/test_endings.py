"""What a turn began itself it ends unasked, and nothing else that runs, in whole turns."""

from __future__ import annotations

from pathlib import Path

from assistant.events import ApprovalRequested, StepFinished, TurnFinished
from assistant.model.types import StepRequest
from assistant.records import Action
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.apps.hostile import Deed as Button
from assistant.simulator.apps.hostile import HostilePage
from tests.turn_fixture import staged_turn
from tests.turns.test_deeds import show, tap_button

IDLE = HostilePage(
    title="Recorder", lines=("No recordings",), buttons=(Button(label="Record", id="begin", deed="begun"),)
)
RUNS = HostilePage(
    title="Recorder", lines=("00:42",), buttons=(Button(label="Stop recording", id="stop", deed="ended"),)
)

DONE = HostilePage(title="Recorder", lines=("1 recording",))


def _begin_and_end(request: StepRequest) -> Action:
    names = [element.resource_id for element in request.observation.elements]
    return tap_button(request, "begin" if any(name.endswith("/begin") for name in names) else "stop")


async def test_a_recording_that_ran_before_is_not_stopped_unasked(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged_turn(adb_server.port, tmp_path, _begin_and_end, attended=False) as turn:
        app = show(turn, RUNS)
        await turn.next(TurnFinished)
        assert app.state["deeds"] == []


async def test_a_recording_that_the_turn_began_is_stopped_without_a_question(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged_turn(adb_server.port, tmp_path, _begin_and_end) as turn:
        app = show(turn, IDLE, RUNS, DONE)
        await turn.next(StepFinished, lambda step: step.step == 2)
        assert app.state["deeds"] == ["begun", "ended"]
        assert not turn.all(ApprovalRequested)
