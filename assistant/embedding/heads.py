"""Small networks on top of the encoder, which read the vectors of a command's tokens.

The tagger finds what of a command depends on the user. The matcher says how well the instructions of a habit
fit a command, which may share no word with them: "eggs are in" comes near "Mark the egg delivery as
received". It was trained on pairs of a command and a habit, and also says how little a command sounds like
any habit.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.embedder import EmbeddingError

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

    Attributes:
        needs_memory: the probability, 0..1, that the command depends on the user, as words in it say.
        leaves_open: that it asks for a kind of thing without saying which ("order lunch").
        spans: what depends on the user.
        depends: that it depends on the user in whatever words; None where that is `needs_memory`.
    """

    needs_memory: float
    leaves_open: float
    spans: tuple[TaggedSpan, ...]
    depends: float | None = None

    @property
    def openness(self) -> float:
        """The probability that the command depends on the user or leaves open what it wants."""
        return max(self.leaves_open, self.needs_memory if self.depends is None else self.depends)


class Network(Protocol):
    """A trained network, such as a session of ONNX Runtime."""

    def run(self, output_names: list[str], input_feed: dict[str, NDArray[np.float32]], /) -> Sequence[Any]:
        """The outputs in the order of their names."""


class TokenEncoder(Protocol):
    """Gives the rows of an encoder's inner tensors for the tokens of a text."""

    def tensor_of(
        self, text: str, tensor: str, /, *, alone: bool = False
    ) -> tuple[NDArray[np.float32], Sequence[tuple[int, int]]]:
        """One row for each token, and its offsets in the text; `alone` if no more will be asked of it.

        Raises:
            EmbeddingError: the network cannot be run.
        """


class Tagger:
    """Tags commands. May be used from several threads.

    Args:
        session: the network: input `tokens`, outputs `labels`, `gate` and `openness`.
        encoder: gives the vectors of the tokens.
        tensor: the encoder's tensor that has them.
    """

    def __init__(self, session: Network, encoder: TokenEncoder, tensor: str) -> None:
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
        outputs = ["labels", "gate", "openness"]
        labels, gate, openness = self._session.run(outputs, {"tokens": rows[None]})
        spans = _spans(np.asarray(labels)[0], offsets, text)
        return Tagging(float(gate[0, 0]), float(openness[0, 1]), spans, float(openness[0, 0]))


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


_MOST_TEXTS = 5_000
"""Number of texts whose vectors are kept: the instructions of all habits are compared with each command."""
_BEST_SHARE = 0.7
"""How much the best of several instructions of a habit counts; the rest is their mean."""


class HabitMatcher(Protocol):
    """Says how well habits fit a command."""

    def match(self, command: str, habits: Sequence[Sequence[str]]) -> Matches:
        """How well each habit fits, given some of its instructions.

        Raises:
            EmbeddingError: the network cannot be run.
        """


@dataclass(frozen=True, slots=True)
class Matches:
    """How well habits fit a command.

    Attributes:
        fits: for each habit the cosine of the command and its instructions, -1..1.
        none: how little the command sounds like any habit, as a logit.
    """

    fits: tuple[float, ...]
    none: float


class Matcher:
    """The trained `HabitMatcher`. May be used from several threads.

    Args:
        session: the network: input `words`, outputs `vector` and `none`.
        encoder: gives the word vectors.
        tensor: the encoder's tensor that has them.
    """

    def __init__(self, session: Network, encoder: TokenEncoder, tensor: str) -> None:
        self._session = session
        self._encoder = encoder
        self._tensor = tensor
        self._encoded: OrderedDict[str, tuple[NDArray[np.float32], float]] = OrderedDict()
        self._lock = Lock()

    def match(self, command: str, habits: Sequence[Sequence[str]]) -> Matches:
        """See `HabitMatcher`."""
        vector, none = self._encode(command)
        fits = []
        for instructions in habits:
            cosines = [float(self._encode(text)[0] @ vector) for text in dict.fromkeys(instructions)]
            mean = sum(cosines) / max(len(cosines), 1)
            fits.append(_BEST_SHARE * max(cosines, default=0.0) + (1 - _BEST_SHARE) * mean)
        return Matches(tuple(fits), none)

    def _encode(self, text: str) -> tuple[NDArray[np.float32], float]:
        with self._lock:
            if text in self._encoded:
                self._encoded.move_to_end(text)
                return self._encoded[text]
        encoded = self._run(text)
        with self._lock:
            self._encoded[text] = encoded
            if len(self._encoded) > _MOST_TEXTS:
                self._encoded.popitem(last=False)
        return encoded

    def _run(self, text: str) -> tuple[NDArray[np.float32], float]:
        rows, _ = self._encoder.tensor_of(text, self._tensor, alone=True)
        if not len(rows):
            return np.zeros(rows.shape[1], np.float32), 0.0
        vector, none = self._session.run(["vector", "none"], {"words": rows[None]})
        return np.asarray(vector[0], np.float32), float(none[0, 0])
