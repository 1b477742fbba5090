from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.bench import corpora, him
from assistant.bench.commands import bench_app
from assistant.bench.hashing import HASHING, load_embedder
from assistant.bench.report import Report
from assistant.embedding.embedder import Embedder
from assistant.simulator.life.people import LifeOptions


def test_an_unknown_model_is_told_with_a_way_out() -> None:
    done = CliRunner().invoke(bench_app, ["him", "--model", "no-such-model"])

    assert done.exit_code == 1
    assert "no-such-model" in done.stderr
    assert "--model hashing" in done.stderr


def test_options_reach_the_measurement_and_good_is_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[LifeOptions, str]] = []

    def run(options: LifeOptions, embeds: Embedder, *_others: object) -> Report:
        asked.append((options, embeds.model_id))
        return Report({"benchmark": "him"}, good=False)

    monkeypatch.setattr(him, "run", run)
    arguments = [
        "him",
        "--people",
        "3",
        "--locale",
        "zh",
        "--hard",
        "--seed",
        "9",
        "--model",
        HASHING,
        "--json",
    ]
    done = CliRunner().invoke(bench_app, arguments)

    assert done.exit_code == 1
    assert not json.loads(done.stdout)["good"]
    assert asked == [(LifeOptions(9, 8, "zh", True, 3), load_embedder(HASHING).model_id)]


def test_without_a_checkout_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(corpora, "files", lambda package: tmp_path)
    for command in ("tasks", "guards", "hostile", "perinstruct", "personal"):
        done = CliRunner().invoke(bench_app, [command, "--json"])
        assert done.exit_code == 1
        assert "checkout" in done.stderr
