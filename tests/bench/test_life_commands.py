from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from assistant.bench import him, life_commands
from assistant.bench.commands import bench_app
from assistant.bench.hashing import HASHING
from assistant.bench.report import Report
from assistant.embedding.embeds import Embeds
from assistant.simulator.life.people import LifeOptions


def test_an_unknown_model_is_told_with_a_way_out() -> None:
    done = CliRunner().invoke(bench_app, ["him", "--model", "no-such-model"])

    assert done.exit_code == 1
    assert "no-such-model" in done.stderr
    assert "--model hashing" in done.stderr


def test_options_reach_the_measurement_and_good_is_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[LifeOptions, str]] = []

    def run(options: LifeOptions, embeds: Embeds, _tell: object) -> Report:
        asked.append((options, embeds.model_id))
        return Report({"benchmark": "him"}, [], [], good=False)

    monkeypatch.setattr(him, "run", run)
    wanted = ["him", "--people", "3", "--locale", "zh", "--hard", "--seed", "9", "--model", HASHING, "--json"]
    done = CliRunner().invoke(bench_app, wanted)

    assert done.exit_code == 1
    assert not json.loads(done.stdout)["good"]
    assert asked == [(LifeOptions(9, 8, "zh", True, 3), life_commands.chosen_model(HASHING).model_id)]
