"""The model that comes with the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from assistant.cli.models import models_app
from assistant.embedding.embedder import OnnxEmbedder
from assistant.embedding.models import FileState, ModelRegistry
from tests.tables import each

LARGEST = 40_000_000


def test_its_files_are_those_of_the_manifest_and_small() -> None:
    model = ModelRegistry().find()
    assert model.bundled
    assert [state for _, state in model.check()] == [FileState.GOOD] * len(model.check())
    assert model.entry is not None
    assert model.entry.size < LARGEST
    assert model.entry.licence
    assert all(source.licence and source.attribution for source in model.entry.sources)


def test_vectors_are_of_length_one_and_the_same_in_any_company(embedder: OnnxEmbedder) -> None:
    texts = ["order lunch", "点午饭", "", "🍜" * 3000, *(f"set an alarm for {hour}" for hour in range(1, 30))]
    together = embedder.embed(texts)
    assert together.shape == (len(texts), embedder.dimensions)
    assert np.linalg.norm(together, axis=1) == pytest.approx(1.0, abs=1e-5)
    for place in (0, 1, 2, 3, 20):
        assert np.array_equal(embedder.embed([texts[place]])[0], together[place])


@each(
    ("said", "alike", "other"),
    [
        ("wake me at six tomorrow", "set an alarm for 6 am", "turn the living room lights off"),
        ("明天早上六点叫醒我", "设一个六点的闹钟", "把客厅的灯关掉"),
        ("明天早上六点叫醒我", "wake me up at six tomorrow morning", "turn the living room lights off"),
        ("打开蓝牙", "turn on bluetooth", "order a taxi to the station"),
    ],
)
def test_what_means_the_same_is_nearer(embedder: OnnxEmbedder, said: str, alike: str, other: str) -> None:
    vector, near, far = embedder.embed([said, alike, other])
    assert vector @ near > vector @ far + 0.1


def test_it_is_the_default_of_the_command_line(
    embedder: OnnxEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    result = CliRunner().invoke(models_app, ["embed", "--json"], input="order lunch\n")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == pytest.approx(embedder.embed(["order lunch"])[0].tolist(), abs=1e-6)


def test_the_runtime_is_not_imported_before_it_is_needed() -> None:
    program = (
        "import sys\nimport assistant.embedding.models, assistant.memory.vectors\n"
        "sys.exit(bool({'onnxruntime', 'tokenizers', 'aiohttp'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], env=os.environ, check=False).returncode == 0
