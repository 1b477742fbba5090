from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.embedding.embedder import EmbeddingError, LazyEmbedder, OnnxEmbedder, Vectors
from tests.embedding.tiny import DIMENSIONS, word_vectors, write_tiny_model


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> OnnxEmbedder:
    return OnnxEmbedder.load(write_tiny_model(tmp_path_factory.mktemp("model")))


def test_a_vector_is_the_mean_of_its_tokens_with_length_one(tiny: OnnxEmbedder) -> None:
    mean = word_vectors()[[1, 2]].mean(axis=0)
    (vector,) = tiny.embed(["order lunch"])
    assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
    assert vector.dtype == np.float32
    assert tiny.dimensions == DIMENSIONS


def test_the_first_token_stands_for_all_where_the_folder_says_so(tmp_path: Path) -> None:
    first = word_vectors()[1]
    embedder = OnnxEmbedder.load(write_tiny_model(tmp_path, pooling="cls_token"))
    assert embedder.embed(["order lunch"])[0] == pytest.approx(first / np.linalg.norm(first), abs=1e-6)


def test_other_places_outputs_and_inputs(tmp_path: Path) -> None:
    folder = write_tiny_model(
        tmp_path,
        onnx="onnx/model.onnx",
        output="token_embeddings",
        inputs=("input_ids", "attention_mask", "token_type_ids"),
        pooling="mean_tokens",
    )
    assert OnnxEmbedder.load(folder).embed(["open the door"]).shape == (1, DIMENSIONS)


def test_a_text_without_a_token_has_zeros(tiny: OnnxEmbedder) -> None:
    assert not tiny.embed([""]).any()
    assert tiny.embed([]).shape == (0, DIMENSIONS)


@given(st.lists(st.text(st.characters()), max_size=40))
def test_any_text_has_the_same_vector_in_any_company(tiny: OnnxEmbedder, texts: list[str]) -> None:
    together = tiny.embed(texts)
    assert np.isfinite(together).all()
    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(tiny.embed([text])[0], vector)


def test_a_long_text_is_cut(tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path)
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 3}')
    embedder = OnnxEmbedder.load(folder)
    cut, short = embedder.embed(["order lunch open " + "door " * 1_000_000, "order lunch open"])
    assert np.array_equal(cut, short)


def test_ids_differ_with_the_files(tmp_path: Path) -> None:
    one = OnnxEmbedder.load(write_tiny_model(tmp_path / "one" / "words"))
    other = OnnxEmbedder.load(write_tiny_model(tmp_path / "other" / "words", seed=1))
    assert one.model_id.startswith("words+")
    assert one.model_id != other.model_id


def test_folders_that_cannot_be_used_are_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="There is no folder"):
        OnnxEmbedder.load(tmp_path / "nowhere")
    folder = write_tiny_model(tmp_path / "model")
    network = (folder / "model.onnx").read_bytes()

    (folder / "model.onnx").write_bytes(network[: len(network) // 2])
    with pytest.raises(EmbeddingError, match="not a network that can be run"):
        OnnxEmbedder.load(folder)
    (folder / "model.onnx").unlink()
    with pytest.raises(EmbeddingError, match=r"model.onnx or onnx/model.onnx is missing"):
        OnnxEmbedder.load(folder)
    (folder / "model.onnx").write_bytes(network)

    for name, content, words in (
        ("tokenizer.json", "{}", "not a tokenizer"),
        ("modules.json", json.dumps([{"type": "sentence_transformers.models.Dense"}]), "Dense"),
        ("modules.json", "[3]", "not known here: 3"),
        ("1_Pooling/config.json", '{"pooling_mode_max_tokens": true}', "max_tokens"),
        ("config.json", "[]", "does not hold"),
        ("config.json", "{", "not valid JSON"),
    ):
        damaged = write_tiny_model(tmp_path / f"{len(words)}{len(content)}", pooling="mean_tokens")
        (damaged / name).write_text(content)
        with pytest.raises(EmbeddingError, match=words):
            OnnxEmbedder.load(damaged)


def test_networks_of_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="only logits"):
        OnnxEmbedder.load(write_tiny_model(tmp_path / "a", output="logits"))
    with pytest.raises(EmbeddingError, match="pixel_values"):
        OnnxEmbedder.load(write_tiny_model(tmp_path / "b", inputs=("input_ids", "pixel_values")))


def test_a_token_that_the_network_does_not_know(tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path)
    tokenizer = (
        (folder / "tokenizer.json")
        .read_text()
        .replace('"door":6', '"door":600')
        .replace('"door": 6', '"door": 600')
    )
    (folder / "tokenizer.json").write_text(tokenizer)
    embedder = OnnxEmbedder.load(folder)
    with pytest.raises(EmbeddingError, match="cannot be run"):
        embedder.embed(["door"])


class _Ones:
    model_id = "ones"
    dimensions = 2

    def embed(self, texts: object) -> Vectors:
        return np.ones((1, 2), np.float32)


async def test_a_late_embedder_lets_other_things_go_on() -> None:
    release = threading.Event()

    def load() -> _Ones:
        release.wait(30)
        return _Ones()

    late = LazyEmbedder(load)
    assert not late.done
    assert late.problem == ""
    release.set()
    assert (await late.ready()).model_id == "ones"
    assert late.done
    assert (late.model_id, late.dimensions) == ("ones", 2)
    assert late.embed(["x"]).shape == (1, 2)


async def test_a_late_embedder_that_cannot_be_loaded_says_why_to_everybody() -> None:
    def load() -> _Ones:
        raise EmbeddingError("The file is missing.")

    late = LazyEmbedder(load)
    with pytest.raises(EmbeddingError, match="The file is missing"):
        await late.ready()
    for _ in range(2):
        with pytest.raises(EmbeddingError, match="The file is missing"):
            late.embed(["x"])
    assert late.problem == "The file is missing."


_EMBED = """
from assistant.embedding.models import ModelRegistry
from assistant.settings.schema import EmbeddingSettings
ModelRegistry().load(EmbeddingSettings()).embed(["order lunch"])
"""


def test_embedding_leaves_a_fresh_home_empty(tmp_path: Path) -> None:
    home = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    environment = {**os.environ, **home}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", _EMBED], env=environment, check=True, timeout=60)
    assert not list(tmp_path.rglob("*")), "the library's telemetry writes a device id where it is on"
