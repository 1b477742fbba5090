"""Which words of a command depend on the user, by a small network on the embedder's encoder.

The encoder's file ends in one vector for a sentence. `declare_output` makes the vectors of its tokens an
output, too, without another file of the same weights: the checksum of the encoder's file names all stored
vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

KINDS = ("person", "group", "place", "fact", "habit", "past", "time", "thing")
LABELS = ("O", *(f"{prefix}-{kind}" for kind in KINDS for prefix in "BI"))
"""What a token may be: outside, or the beginning or inside of words of a kind."""

_GRAPH, _OUTPUT, _NAME = 7, 12, 1
"""Fields of ONNX's ModelProto, GraphProto and ValueInfoProto."""
_LONGEST_MESSAGE = 127


@dataclass(frozen=True, slots=True)
class TaggedSpan:
    """Words that depend on the user: `text[start:end]`, what they stand for, and how probable it is, 0..1."""

    start: int
    end: int
    kind: str
    probability: float


@dataclass(frozen=True, slots=True)
class Tagging:
    """What the network says of a command.

    `needs_memory` and `leaves_open` are probabilities, 0..1: that the command depends on the user, and that
    it asks for a kind of thing without saying which ("order lunch").
    """

    needs_memory: float
    leaves_open: float
    spans: tuple[TaggedSpan, ...]


class TokenEncoder(Protocol):
    """Gives a vector for each token of a text."""

    def token_vectors(self, text: str) -> tuple[NDArray[np.float32], Sequence[tuple[int, int]]]:
        """One row for each token, and the token's offsets in the text.

        Raises:
            EmbeddingError: the network cannot be run.
        """


class Tagger:
    """Tags commands. May be used from several threads.

    Args:
        session: the network: input `tokens`, outputs `labels` and `gate`.
        encoder: gives the vectors of the tokens.
    """

    def __init__(self, session: InferenceSession, encoder: TokenEncoder) -> None:
        self._session = session
        self._encoder = encoder

    def __call__(self, text: str) -> Tagging:
        """What depends on the user in a command.

        Raises:
            EmbeddingError: the encoder cannot be run.
        """
        rows, offsets = self._encoder.token_vectors(text)
        if not len(rows):
            return Tagging(0.0, 0.0, ())
        labels, gate = self._session.run(["labels", "gate"], {"tokens": rows[None]})
        return Tagging(float(gate[0, 0]), float(gate[0, 1]), _spans(np.asarray(labels)[0], offsets, text))


def _spans(
    labels: NDArray[np.float32], offsets: Sequence[tuple[int, int]], text: str
) -> tuple[TaggedSpan, ...]:
    """The runs of tokens of one kind. A word is whole even where only a part of it has a label."""
    spans: list[tuple[int, int, str, list[float]]] = []
    for (start, end), row in zip(offsets, labels, strict=True):
        label = LABELS[int(np.argmax(row))]
        if end <= start or label == "O":
            continue
        prefix, _, kind = label.partition("-")
        previous = spans[-1] if spans else None
        adjoins = previous is not None and not text[previous[1] : start].strip()
        inside_word = adjoins and previous is not None and previous[1] == start and text[start:end].isascii()
        if previous is not None and adjoins and (inside_word or (prefix == "I" and kind == previous[2])):
            spans[-1] = (previous[0], end, previous[2], [*previous[3], float(row.max())])
        else:
            spans.append((start, end, kind, [float(row.max())]))
    return tuple(
        TaggedSpan(*_whole_words(text, start, end), kind, min(probabilities))
        for start, end, kind, probabilities in spans
    )


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and _is_letter(text[start - 1]) and _is_letter(text[start]):
        start -= 1
    while end < len(text) and _is_letter(text[end - 1]) and _is_letter(text[end]):
        end += 1
    return start, end


def _is_letter(character: str) -> bool:
    """A letter of a script that puts spaces between its words."""
    return character.isalpha() and ord(character) < 0x2E80


def declare_output(model: bytes, tensor: str) -> bytes:
    """An ONNX file that also gives one of its inner tensors.

    Appending a message to a serialized one merges the two (Protocol Buffers, encoding, "last one wins"),
    and repeated fields, such as a graph's outputs, are joined.
    """
    name = tensor.encode()
    if len(name) > _LONGEST_MESSAGE - 4:
        raise ValueError(f"the name of the tensor {tensor} is too long")
    return model + _field(_GRAPH, _field(_OUTPUT, _field(_NAME, name)))


def _field(number: int, content: bytes) -> bytes:
    """A length-delimited field; both numbers are short enough for one byte each."""
    return bytes([number << 3 | 2, len(content)]) + content
