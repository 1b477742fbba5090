"""The tagger that comes with the program, on sentences that are in no training data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assistant.embedding.embedder import OnnxEmbedder, declared_output
from assistant.embedding.models import LABELS, ModelRegistry, Tagger, bundled_tagger
from assistant.understand.perceive import perceive
from assistant.understand.service import QUESTION_GATE
from tests.tables import each

TAGGER = bundled_tagger()


@each(
    ("said", "marked"),
    [
        ("phone my uncle about the keys", "my uncle"),
        ("get me the ramen i usually have", "ramen"),
        ("给我姐打个电话，问周末有没有空", "我姐"),
        ("ruf meinen Bruder noch heute an", "meinen Bruder"),
    ],
)
def test_a_personal_command_is_noticed_and_marked(said: str, marked: str) -> None:
    tagging = TAGGER(said)
    assert tagging is not None
    assert any(marked in element.text for element in perceive(said, (), tagging).elements)


@each(
    "said",
    [
        "turn my phone's brightness down",
        "delete the casual meeting",
        "set a timer for 12 minutes",
        "打开手电筒",
        "",
    ],
)
def test_an_explicit_command_is_left_alone(said: str) -> None:
    tagging = TAGGER(said)
    assert tagging is None or tagging.needs_memory < 0.5


@each("said", ["the cupboard's bare again", "brew's gone cold, sort it", "order lunch", "那个药又吃完了"])
def test_what_is_asked_for_indirectly_is_open(said: str) -> None:
    tagging = TAGGER(said)
    assert tagging is not None
    assert tagging.openness >= QUESTION_GATE


@each(
    "said",
    [
        "Order 2 kg of basmati rice from Lulu on Talabat",
        "Set an alarm for 6:10 labelled Ferry",
        "WhatsApp Gerald: the boat leaves at 7",
        "用高德导航到苏州站北广场",
    ],
)
def test_no_question_about_what_is_said_in_full(said: str) -> None:
    tagging = TAGGER(said)
    assert tagging is not None
    assert tagging.openness < QUESTION_GATE


def test_the_vectors_are_those_of_the_network_without_the_further_output(tmp_path: Path) -> None:
    model = ModelRegistry().find()
    tagged = model.load()
    (tmp_path / "model.onnx").write_bytes((model.folder / "model.onnx").read_bytes())
    (tmp_path / "tokenizer.json").write_bytes((model.folder / "tokenizer.json").read_bytes())
    plain = OnnxEmbedder.load(tmp_path)
    assert np.array_equal(plain.embed(["order my lunch"]), tagged.embed(["order my lunch"]))


class _Encoder:
    def tensor_of(
        self, text: str, tensor: str, /, *, alone: bool = False
    ) -> tuple[np.ndarray, list[tuple[int, int]]]:
        return np.zeros((len(text.split()) + 1, 4), np.float32), [(0, 0), (0, 4), (5, 7), (8, 11)]


class _Session:
    def run(self, outputs: list[str], inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        labels = np.zeros((1, 4, len(LABELS)), np.float32)
        for token, label in enumerate(("O", "O", "B-person", "I-person")):
            labels[0, token, LABELS.index(label)] = 0.9
        return [labels, np.array([[0.8, 0.1]], np.float32), np.array([[0.6, 0.7]], np.float32)]


def test_labels_become_spans_of_the_text() -> None:
    tagging = Tagger(_Session(), _Encoder(), "tokens")("call my mom")
    ((span),) = tagging.spans
    assert (span.start, span.end, span.kind) == (5, 11, "person")
    assert span.probability == pytest.approx(0.9)
    assert tagging.needs_memory == pytest.approx(0.8)
    assert tagging.leaves_open == tagging.openness == pytest.approx(0.7)


def test_a_tensor_with_a_long_name_is_refused() -> None:
    with pytest.raises(ValueError, match="too long"):
        declared_output("x" * 200)
