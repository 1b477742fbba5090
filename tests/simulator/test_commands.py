"""`assistant simulate …`: what it makes of its options, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from typer.testing import CliRunner

from assistant.simulator import commands, phone_command
from assistant.simulator.apps.core import Difficulties
from assistant.simulator.model import command as model_command
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import ModelOptions
from assistant.simulator.phone import PhoneOptions
from tests.tables import each


def simulate(*words: str) -> tuple[int, str]:
    """Run until standard input, which is empty, closes; the exit code and everything printed."""
    result = CliRunner().invoke(commands.simulate_app, [*words, "--until-stdin-closes"])
    return result.exit_code, result.output


@each(
    ("words", "complaint"),
    [
        (("phone", "--android", "13"), "The simulator knows 9, 12, 16, not 13."),
        (("phone", "--port", "70000"), "less than or equal to 65535"),
        (("model", "--fault", "boredom"), "boredom is not KIND"),
        (("model", "--fault", "stall:often"), "stall:often is not KIND"),
        (("model", "--fault", "stall:0"), "stall:0 is not KIND"),
    ],
)
def test_what_cannot_be_is_refused_in_words(words: tuple[str, ...], complaint: str) -> None:
    code, said = simulate(*words)
    assert code
    assert complaint in " ".join(said.replace("│", " ").split())


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The options that the phone or the model was to be served with."""
    seen: list[Any] = []

    async def serve(options: Any, ready: object) -> None:
        seen.append(options)

    monkeypatch.setattr(phone_command, "serve_phone", serve)
    monkeypatch.setattr(model_command, "serve_model", serve)
    return seen


def test_difficulties_can_be_left_out(served: list[PhoneOptions]) -> None:
    simulate("phone")
    simulate("phone", "--no-difficulties")
    assert [one.difficulties for one in served] == [Difficulties(), Difficulties.none()]


def test_faults_are_set_by_name(served: list[ModelOptions]) -> None:
    simulate("model", "--fault", "rate_limit", "--fault", "stall:3", "--fault", "wrong:all")
    assert served[0].faults == (
        Fault(kind=FaultKind.RATE_LIMIT),
        Fault(kind=FaultKind.STALL, times=3),
        Fault(kind=FaultKind.WRONG, times=None),
    )


def test_a_phone_without_a_recording_loads_nothing_of_recordings() -> None:
    code = "import sys, assistant.simulator.commands as c, assistant.simulator.phone_command as p\n"
    code += "p.serve_phone = None\n"
    code += "from typer.testing import CliRunner\n"
    code += "CliRunner().invoke(c.simulate_app, ['phone', '--until-stdin-closes'])\n"
    code += "print('assistant.simulator.recording.phone' in sys.modules, 'sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
