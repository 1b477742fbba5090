from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from assistant.cli import models as cli_models
from assistant.cli.main import app
from assistant.cli.models import models_app
from assistant.embedding import models
from assistant.i18n import UserError
from assistant.model.types import Decision, ModelEvent, StepRequest
from assistant.records import Click, Point, PressBack, Usage
from assistant.settings.schema import ModelSettings
from tests.embedding.tiny import DIMENSIONS, bundle, write_tiny_model
from tests.simulator.recording.test_folders import write_episode

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `assistant models`, with two small models for the bundled ones and nothing installed."""
    bundled = bundle(tmp_path / "bundled", "words", "others")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(models, "bundled_folder", lambda: bundled)
    monkeypatch.setattr(models, "installed_folder", lambda: tmp_path / "installed")

    def invoke(*arguments: str, stdin: str | bytes = "") -> Result:
        return CliRunner().invoke(models_app, list(arguments), input=stdin)

    return invoke


def lines(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_models_are_listed(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first, second = lines(run("list", "--json"))
    assert (first["name"], first["used"], first["dimensions"]) == ("words", True, DIMENSIONS)
    assert (second["name"], second["used"]) == ("others", False)
    monkeypatch.setenv("ASSISTANT_EMBEDDING__MODEL", "others")
    assert [line["used"] for line in lines(run("list", "--json"))] == [False, True]
    assert run("list").stdout.splitlines()[1].startswith("* others  8 numbers  0.0 MB")

    monkeypatch.setenv("ASSISTANT_EMBEDDING__MODEL", str(write_tiny_model(tmp_path / "mine")))
    assert [line["name"] for line in lines(run("list", "--json"))] == ["words", "others", "mine"]
    monkeypatch.setenv("ASSISTANT_EMBEDDING__MODEL", "gone")
    missing = run("list", "--json")
    assert missing.exit_code == 1
    assert [json.loads(line)["used"] for line in missing.stdout.splitlines()] == [False, False]
    assert "There is no embedding model “gone”" in missing.stderr


def test_checks_name_each_file(run: Run, tmp_path: Path) -> None:
    assert [line["state"] for line in lines(run("verify", "--json"))] == ["good", "good"]
    network = tmp_path / "bundled" / "words" / "model.onnx"
    network.write_bytes(network.read_bytes()[:-1] + b"?")
    wrong = run("verify")
    assert wrong.exit_code == 1
    assert wrong.stdout.splitlines() == ["changed  model.onnx", "good     tokenizer.json"]
    assert run("verify", "others").exit_code == 0


def test_a_folder_without_checksums_is_tried(run: Run, tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path / "mine")
    assert "makes vectors" in run("verify", str(folder)).stdout
    (folder / "model.onnx").write_bytes(b"nonsense")
    broken = run("verify", str(folder))
    assert broken.exit_code == 1
    assert "not a network that can be run" in broken.stderr


def test_a_folder_is_installed_and_used(run: Run, tmp_path: Path) -> None:
    (installed,) = lines(run("install", str(write_tiny_model(tmp_path / "mine")), "--json"))
    assert installed["name"] == "mine"
    assert installed["folder"] == str(tmp_path / "installed" / "mine")
    assert lines(run("verify", "mine", "--json"))
    assert run("embed", "--model", "mine", "--json", stdin="order\n").exit_code == 0

    taken = run("install", str(tmp_path / "mine"), "--name", "words")
    assert taken.exit_code == 1
    assert "Give another with --name" in taken.stderr
    nowhere = run("install", "../nowhere")
    assert nowhere.exit_code == 1
    assert "neither a folder here nor a model's name" in nowhere.stderr


def test_each_line_becomes_one_array(run: Run) -> None:
    result = run("embed", "--json", stdin="order lunch\r\n\nopen \u2028 the door\n".encode() + b"\xff order")
    vectors = [json.loads(line) for line in result.stdout.splitlines()]
    assert [len(vector) for vector in vectors] == [DIMENSIONS] * 4
    assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-5)
    assert vectors[1] == [0.0] * DIMENSIONS
    assert run("embed", "--json").stdout == ""
    assert run("embed", stdin="order\n").stdout.endswith("(8 numbers)\n")


def test_embedding_with_a_missing_model_is_told_in_words(run: Run) -> None:
    result = run("embed", "--model", "gone", stdin="order\n")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "There is no embedding model “gone”" in result.stderr


def test_what_would_be_sent_is_printed_with_the_places_of_pictures(run: Run) -> None:
    sent = json.loads(run("prompt", "--model", "UI-TARS-1.5-7B", "--json").stdout)
    pictures = [part for message in sent["later"] for part in message["content"] if part["type"] == "picture"]

    assert sent["dialect"] == "ui_tars_1_5"
    assert [message["role"] for message in sent["first"]] == ["system", "user"]
    assert [part["type"] for part in sent["first"][1]["content"]] == ["text", "picture", "text"]
    assert len(pictures) == 4, "the step of the user has none"
    assert pictures[0] == {"type": "picture", "width": 1092, "height": 2408}
    words = run("prompt", "--dialect", "claude").stdout
    assert "[picture 706x1568]" in words
    assert "Functions offered: click, long_click" in words


def test_ones_own_prompt_is_printed_or_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "own.txt"
    monkeypatch.setenv("ASSISTANT_MODEL__PROMPT_FILE", str(file))
    file.write_text("It is {{weekday}}. {{task}}", "utf-8")
    system, _user = json.loads(run("prompt", "--model", "qwen3-vl", "--json").stdout)["first"]
    assert system["content"][0]["text"].startswith("It is Sunday. send Mom: back at seven\n")

    file.write_text("{{weather}}", "utf-8")
    refused = run("prompt", "--model", "qwen3-vl")
    assert refused.exit_code
    assert "unknown placeholder {{weather}}" in refused.output + str(refused.exception)


class _Fixed:
    """A model that gives the same answer to every screen, by its name."""

    def __init__(self, settings: ModelSettings, tell: object) -> None:
        back = PressBack() if settings.name == "back" else Click(point=Point(0.5, 0.15))
        self._decision = Decision(back, "", Usage(prompt_tokens=5, requests=1))

    async def decide(self, request: StepRequest) -> AsyncGenerator[ModelEvent, None]:
        yield self._decision

    async def close(self) -> None:
        pass


def test_two_models_are_judged_on_the_same_episodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(cli_models, "VisionModel", _Fixed)
    store = str(tmp_path / "store")
    actions = ["click(coordinates=(500,300))", "press_back()"]
    write_episode(tmp_path / "in" / "7" / "20250309_133115", actions, texts=["A", "B"])
    ran = CliRunner().invoke(
        app, ["eval", str(tmp_path / "in"), "--compare", "tap", "back", "--json", "--store", store]
    )
    assert ran.exit_code == 0, ran.output
    report = json.loads(ran.stdout)
    assert [each["model"] for each in report["models"]] == ["tap", "back"]
    assert [each["by_type"] for each in report["models"]] == [
        {"click": 1.0, "press_back": 0.0},
        {"click": 0.0, "press_back": 1.0},
    ]
    assert report["difference"]["step"]["value"] == 0
    told = CliRunner().invoke(app, ["eval", str(tmp_path / "in"), "--model", "tap", "--store", store])
    assert "whole step" in told.stdout
    assert "1 turn, 2 steps: no intervals" in told.stdout
    assert "50.0%\n" in told.stdout
    write_episode(tmp_path / "in" / "7" / "20250310_133115", actions, texts=["A", "B"])
    told = CliRunner().invoke(app, ["eval", str(tmp_path / "in"), "--model", "tap", "--store", store])
    assert "2 turns, 4 steps, 95 % intervals over turns" in told.stdout
    assert "50.0% [50.0%, 50.0%]" in told.stdout


def test_without_recorded_screens_there_is_nothing_to_judge(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="still has its screens"):
        CliRunner().invoke(app, ["eval", "--store", str(tmp_path / "store")], catch_exceptions=False)


def test_a_folder_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="missing cannot be read: No such file"):
        CliRunner().invoke(
            app,
            ["eval", str(tmp_path / "missing"), "--store", str(tmp_path / "store")],
            catch_exceptions=False,
        )
