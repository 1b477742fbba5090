"""`python -m tools.understanding.lines`: train what tells the kinds of typed lines apart, and measure it.

A line orders something, goes on from an order, asks the memory, tells a fact, and so on. Lines come from
those who wrote `lines/*.tsv` without sight of the program or of each other, one file each, and from the
commands of the corpora, which are orders. Figures are of each file by weights that did not see it.
Needs no extra; a minute on one core. Writes `assistant/conversation/line_reading.npy`.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from assistant.conversation import line_reading
from assistant.conversation.line_reading import GUESS_GATE, GUESSED, KIND_PLACES, kind_places
from tools.understanding.orders import corpus_lines

_FOLDER = Path(__file__).parent / "lines"
_STEPS, _RATE, _DECAY = 120, 0.05, 1e-5
_CORPUS_LINES, _CORPUS_WEIGHT = 1500, 0.3
_SOURCES = ("massive-en", "massive-zh", "app-tasks")


@dataclass(frozen=True, slots=True)
class KindLine:
    """A line with the place of its kind in `GUESSED`, who wrote it, and how much it counts."""

    text: str
    kind: int
    source: str
    weight: float = 1.0


def written_lines() -> list[KindLine]:
    """The lines of `lines/*.tsv`: kind, language and line, with tabs between."""
    lines = []
    for file in sorted(_FOLDER.glob("*.tsv")):
        for row in file.read_text("utf-8").splitlines():
            kind, _, text = row.split("\t", 2)
            lines.append(KindLine(text.strip(), GUESSED.index(kind), file.stem))
    return lines


def order_lines(data: Path, random: Random) -> list[KindLine]:
    """Commands of the corpora."""
    lines = [line for line in corpus_lines(data) if line.orders and line.source in _SOURCES and not line.held]
    kind = GUESSED.index("order")
    chosen = random.sample(lines, _CORPUS_LINES)
    return [KindLine(line.text, kind, line.source, _CORPUS_WEIGHT) for line in chosen]


def train(lines: Sequence[KindLine]) -> NDArray[np.float16]:
    """The weights of each kind, and its bias behind them: softmax regression with Adam over all lines."""
    features = [np.unique(kind_places(line.text)) for line in lines]
    counts = np.array([len(places) for places in features])
    rows, columns = np.repeat(np.arange(len(lines)), counts), np.concatenate(features)
    share = np.repeat(counts**-0.5, counts)
    kinds, amounts = np.array([line.kind for line in lines]), np.array([line.weight for line in lines])
    amounts = amounts / amounts.sum()
    weights = np.zeros((KIND_PLACES + 1, len(GUESSED)))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    for step in range(1, _STEPS + 1):
        logits = np.add.reduceat(weights[columns] * share[:, None], starts) + weights[-1]
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        error = chances / chances.sum(axis=1, keepdims=True)
        error[np.arange(len(lines)), kinds] -= 1
        error *= amounts[:, None]
        gradient = _DECAY * weights
        spread = error[rows] * share[:, None]
        for kind in range(len(GUESSED)):
            gradient[:-1, kind] += np.bincount(columns, spread[:, kind], KIND_PLACES)
        gradient[-1] = error.sum(axis=0)
        first += 0.1 * (gradient - first)
        second += 0.01 * (gradient**2 - second)
        weights -= _RATE * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.99**step)) + 1e-9)
    return weights.T.astype(np.float16)


def print_figures(weights: NDArray[np.float16], lines: Sequence[KindLine]) -> None:
    """How many lines of a person are read as their kind: the likeliest, and where it reaches the gate."""
    rights: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    sure: Counter[tuple[str, str]] = Counter()
    for line in lines:
        kind, probability = line_reading.guess_by(weights, line.text)
        said = GUESSED[line.kind]
        counts[said] += 1
        rights[said] += kind == said
        if probability >= GUESS_GATE:
            sure[said, kind] += 1
    for said, count in counts.items():
        taken = {kind: number for (own, kind), number in sure.items() if own == said}
        print(f"{said:10} {count:4}  right {rights[said] / count:.2f}  beyond the gate {taken}")
    print(f"all {sum(counts.values())}: right {sum(rights.values()) / sum(counts.values()):.3f}")


def main() -> None:
    """Train, write and measure."""
    parser = argparse.ArgumentParser(prog="python -m tools.understanding.lines", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    options = parser.parse_args()
    written, orders = written_lines(), order_lines(options.data, Random(0))
    for source in sorted({line.source for line in written}):
        others = [line for line in written if line.source != source]
        print(f"{source}, by the others:")
        print_figures(train([*others, *orders]), [line for line in written if line.source == source])
    np.save(Path(line_reading.__file__).with_suffix(".npy"), train([*written, *orders]))


if __name__ == "__main__":
    main()
