"""The tagger: a small network on top of the encoder that finds what of a command depends on the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.embedder import EmbeddingError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

KINDS = ("person", "group", "place", "fact", "habit", "past", "time", "thing")
LABELS = ("O", *(f"{prefix}-{kind}" for kind in KINDS for prefix in "BI"))
"""Labels of a token (BIO scheme): outside, beginning or inside of a span of a kind."""


@dataclass(frozen=True, slots=True)
class TaggedSpan:
    """A span that depends on the user: `text[start:end]`, its kind, and the kind's probability, 0..1."""

    start: int
    end: int
    kind: str
    probability: float


@dataclass(frozen=True, slots=True)
class Tagging:
    """The tagger's output for a command.

    `needs_memory` is the probability, 0..1, that the command depends on the user; `leaves_open` that it asks
    for a kind of thing without saying which ("order lunch").
    """

    needs_memory: float
    leaves_open: float
    spans: tuple[TaggedSpan, ...]


class TokenEncoder(Protocol):
    """Gives the rows of an encoder's inner tensors for the tokens of a text."""

    def tensor_of(self, text: str, tensor: str, /) -> tuple[NDArray[np.float32], Sequence[tuple[int, int]]]:
        """One row for each token, and the token's offsets in the text.

        Raises:
            EmbeddingError: the network cannot be run.
        """


class Tagger:
    """Tags commands. May be used from several threads.

    Args:
        session: the network: input `tokens`, outputs `labels` and `gate`.
        encoder: gives the vectors of the tokens.
        tensor: the encoder's tensor that has them.
    """

    def __init__(self, session: InferenceSession, encoder: TokenEncoder, tensor: str) -> None:
        self._session = session
        self._encoder = encoder
        self._tensor = tensor

    def __call__(self, text: str) -> Tagging:
        """What depends on the user in a command.

        Raises:
            EmbeddingError: the encoder cannot be run.
        """
        rows, offsets = self._encoder.tensor_of(text, self._tensor)
        if not len(rows):
            return Tagging(0.0, 0.0, ())
        labels, gate = self._session.run(["labels", "gate"], {"tokens": rows[None]})
        return Tagging(float(gate[0, 0]), float(gate[0, 1]), _spans(np.asarray(labels)[0], offsets, text))


class LazyTagger:
    """A tagger that is loaded when it is first needed; returns None if it cannot be loaded.

    Args:
        load: returns the tagger, or None if there is none; raises EmbeddingError if it cannot be loaded.
        warn: called once with a sentence that says why there is no tagger.
    """

    def __init__(
        self, load: Callable[[], Tagger | None], warn: Callable[[str], None] = lambda sentence: None
    ) -> None:
        self._load = load
        self._warn = warn
        self._tagger: Tagger | None = None
        self._is_loaded = False
        self._lock = Lock()

    def load(self) -> None:
        """Load it, so that the first command need not wait. Call it in a thread."""
        with self._lock:
            if self._is_loaded:
                return
            self._is_loaded = True
            try:
                self._tagger = self._load()
            except EmbeddingError as error:
                self._warn(str(error))

    def __call__(self, text: str) -> Tagging | None:
        """What depends on the user in a command; None without a tagger. Call it in a thread."""
        self.load()
        try:
            return self._tagger(text) if self._tagger is not None else None
        except EmbeddingError as error:
            self._warn(str(error))
            return None


def _spans(
    labels: NDArray[np.float32], offsets: Sequence[tuple[int, int]], text: str
) -> tuple[TaggedSpan, ...]:
    """The runs of tokens of one kind, extended to whole words."""
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
