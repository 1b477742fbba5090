"""A sentence embedder of a few hundred bytes, written as ONNX by hand: each word has a vector of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import tomlkit
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from assistant.embedding.models import MANIFEST, Manifest, ModelEntry, describe_file

WORDS = ("[UNK]", "order", "lunch", "cancel", "open", "the", "door")
DIMENSIONS = 8
_FLOAT, _INT64 = 1, 7


def word_vectors(seed: int = 0) -> NDArray[np.float32]:
    """The vector of each word, one row for each."""
    return np.random.default_rng(seed).normal(size=(len(WORDS), DIMENSIONS)).astype(np.float32)


def write_tiny_model(
    folder: Path,
    *,
    onnx: str = "model.onnx",
    output: str = "last_hidden_state",
    inputs: Iterable[str] = ("input_ids", "attention_mask"),
    pooling: str = "",
    seed: int = 0,
) -> Path:
    """Write a folder as sentence-transformers does; the network looks each word's vector up."""
    (folder / onnx).parent.mkdir(parents=True, exist_ok=True)
    (folder / onnx).write_bytes(_network(word_vectors(seed), output, tuple(inputs)))
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.enable_padding(length=16)
    tokenizer.save(str(folder / "tokenizer.json"))
    if pooling:
        (folder / "1_Pooling").mkdir(exist_ok=True)
        (folder / "1_Pooling" / "config.json").write_text(
            json.dumps({"word_embedding_dimension": DIMENSIONS, f"pooling_mode_{pooling}": True})
        )
    return folder


def bundle(folder: Path, *names: str) -> Path:
    """Some tiny models with one manifest, as the program brings its own."""
    entries = []
    for seed, name in enumerate(names):
        model = write_tiny_model(folder / name, seed=seed)
        files = tuple(describe_file(model, path) for path in ("model.onnx", "tokenizer.json"))
        entries.append(ModelEntry(id=name, version="1", dimensions=DIMENSIONS, max_tokens=16, files=files))
    written = Manifest(models=tuple(entries)).model_dump(mode="json")
    (folder / MANIFEST).write_text(tomlkit.dumps(written), "utf-8")
    return folder


def _network(rows: NDArray[np.float32], output: str, inputs: tuple[str, ...]) -> bytes:
    gather = _text(1, "rows") + _text(1, "input_ids") + _text(2, output) + _text(4, "Gather")
    shape = b"".join(_number(1, size) for size in rows.shape)
    weights = shape + _number(2, _FLOAT) + _text(8, "rows") + _field(9, rows.tobytes())
    graph = _field(1, gather) + _text(2, "tiny") + _field(5, weights)
    graph += b"".join(_field(11, _value(name, _INT64, ("batch", "tokens"))) for name in inputs)
    graph += _field(12, _value(output, _FLOAT, ("batch", "tokens", rows.shape[1])))
    return _number(1, 8) + _field(8, _text(1, "") + _number(2, 17)) + _field(7, graph)


def _value(name: str, element: int, shape: tuple[int | str, ...]) -> bytes:
    sizes = b"".join(
        _field(1, _text(2, size) if isinstance(size, str) else _number(1, size)) for size in shape
    )
    return _text(1, name) + _field(2, _field(1, _number(1, element) + _field(2, sizes)))


def _text(field: int, value: str) -> bytes:
    return _field(field, value.encode())


def _field(field: int, value: bytes) -> bytes:
    """A field of protocol buffers that has a length."""
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
