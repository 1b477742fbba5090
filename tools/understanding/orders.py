"""`python -m tools.understanding.orders`: train what tells an order from a remark, and measure it.

A line orders something, or it only tells, remarks or forbids something, or asks about the past. Orders are
the commands that the tagger learns from; the others are the templates of `remarks.yaml`, what the invented
people forbid, and sentences of Tatoeba that tell something. Needs no extra; seconds on one core. Writes
`assistant/understand/perceive.npy`.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import numpy as np
import yaml
from numpy.typing import NDArray

from assistant.understand import perceive
from assistant.understand.perceive import ORDER_GATE, ORDER_WEIGHTS, order_places
from tools.understanding.examples import Example, draw, explicit_examples, people_examples, template_examples
from tools.understanding.people import UNHEARD, read_people

_FOLDER = Path(__file__).parent
_LIMITS = {"massive-en": 2200, "massive-zh": 2200, "clinc": 1500, "template": 4000}
_HELD_LIMITS = {"massive-en": 400, "massive-zh": 400, "clinc": 400}
_PAST = re.compile(r"\b(?:did|have|had) i\b|\bi (?:spend|spent|bought|paid)\b|\bmy last\b", re.IGNORECASE)
"""Questions of the corpora about the user's own past, which no phone can answer."""
_TALK = ("joke", "quirky", "how are you", "who are you", "hello", "thank you", "your name")
_FILLED, _TOLD, _EPOCHS, _RATE, _DECAY, _WEIGHT_OF_REMARK = 20, 4200, 4, 0.35, 2e-4, 1.5
_TELLS = re.compile(
    r"^(?:I|He|She|We|They|Tom|Mary|It|My|His|Her|Our|Their|This|That|There|The|These|Nobody|Everyone|You)\b"
)
_WANTS = re.compile(
    r"\b(?:want|wants|need|needs|would like|'d like|please|could you|hungry|thirsty|cold|tired|sleepy|must|"
    r"have to|should|let's|can't sleep)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(r"^(?:Don't|Do not|Never|You must not)\b")


@dataclass(frozen=True, slots=True)
class Line:
    """A line, whether it orders anything, and where it comes from; `held` if it is not trained on."""

    text: str
    orders: bool
    source: str
    held: bool = False


def remark_lines(random: Random) -> Iterator[Line]:
    """The templates of remarks, filled; each fifth template is held out."""
    for language, part in yaml.safe_load((_FOLDER / "remarks.yaml").read_text("utf-8")).items():
        for template in part["sentences"]:
            filled = {_fill(template, part["slots"], random) for _ in range(_FILLED)}
            held = crc32(template.encode()) % 5 == 0
            yield from (Line(text, False, f"remarks-{language}", held) for text in sorted(filled))


def _fill(template: str, slots: dict[str, list[Any]], random: Random) -> str:
    text = re.sub(r"\{(\w+)\}", lambda match: str(random.choice(slots[match[1]])), template)
    chance = random.random()
    return text[:1].upper() + text[1:] + "." if chance < 0.3 else text.lower() if chance < 0.4 else text


def told_lines(file: Path, random: Random) -> Iterator[Line]:
    """Sentences of Tatoeba that tell or forbid something, in English and Chinese; each eighth is held out."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t")[:2] for line in lines]
    told = [
        (english, chinese)
        for english, chinese in pairs
        if 12 < len(english) < 70
        and (_FORBIDS.match(english) or (_TELLS.match(english) and not english.endswith("?")))
        and not _WANTS.search(english)
    ]
    for number, (english, chinese) in enumerate(random.sample(told, _TOLD)):
        held = number % 8 == 0
        yield Line(english if number % 2 else english.rstrip(".!").lower(), False, "tatoeba-en", held)
        yield Line(chinese if number % 2 else chinese.rstrip("。"), False, "tatoeba-zh", held)


def order_lines(data: Path, random: Random) -> Iterator[Line]:
    """Commands, and what the invented people forbid."""
    for held, limits in ((False, _LIMITS), (True, _HELD_LIMITS)):
        for example in draw(explicit_examples(data, held_out=held), limits, random):
            if not any(words in example.text for words in _TALK) and not _PAST.search(example.text):
                yield Line(example.text, True, example.source, held)
    for example in draw(template_examples(3, random), _LIMITS, random):
        if not _is_forbidden(example):
            yield Line(example.text, True, "template")
    for file in sorted((_FOLDER / "sentences").glob("*.tsv")):
        for line in file.read_text("utf-8").splitlines():
            text = re.sub(r"\[([^\]|]+)\|\w+\]", r"\1", line.partition("\t")[2])
            yield Line(text, True, "sentences")
    for name, person in read_people(_FOLDER / "people").items():
        held = name in UNHEARD
        asked = [example for example in people_examples([person]) if example.leaves_open is not False]
        yield from (Line(example.text, True, "people", held) for example in asked if example.leaves_open)
        yield from (
            Line(command.said, command.why != "negated", f"people-{command.why}", held)
            for command in person.others
            if command.why in ("negated", "explicit", "changed", "someone_else", "new")
        )


def _is_forbidden(example: Example) -> bool:
    return (
        re.match(r"(?:don't|do not|never|n'|ne |no \w+s\b|bestell nicht|不要|别)", example.text.lower())
        is not None
    )


def train(lines: Sequence[Line], random: Random) -> NDArray[np.float16]:
    """The weights, and the bias behind them: logistic regression with AdaGrad."""
    weights, squares = np.zeros(ORDER_WEIGHTS + 1), np.full(ORDER_WEIGHTS + 1, 1e-8)
    examples = [(order_places(line.text), line.orders) for line in lines if not line.held]
    for _ in range(_EPOCHS):
        random.shuffle(examples)
        for places, orders in examples:
            share = len(places) ** -0.5
            logit = weights[places].sum() * share + weights[-1]
            error = (1 / (1 + np.exp(-logit)) - orders) * (1 if orders else _WEIGHT_OF_REMARK)
            gradient = error * share + _DECAY * weights[places]
            squares[places] += gradient**2
            weights[places] -= _RATE * gradient / np.sqrt(squares[places])
            squares[-1] += error**2
            weights[-1] -= 0.2 * error / np.sqrt(squares[-1])
    return weights.astype(np.float16)


def print_figures(lines: Sequence[Line]) -> None:
    """The share of the held out lines of each source that lies below the gate."""
    below: dict[tuple[str, bool], list[bool]] = defaultdict(list)
    for line in lines:
        if line.held:
            below[line.source, line.orders].append(perceive.order_probability(line.text) < ORDER_GATE)
    for (source, orders), values in sorted(below.items()):
        kind = "order" if orders else "remark"
        print(f"{source:22} {kind:7} {len(values):5}  below the gate {sum(values) / len(values):.3f}")


def main() -> None:
    """Train, write and measure."""
    parser = argparse.ArgumentParser(prog="python -m tools.understanding.orders", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    options = parser.parse_args()
    random = Random(0)
    lines = [*remark_lines(random), *told_lines(options.data / "tatoeba-en-zh.tsv.gz", random)]
    lines += order_lines(options.data, random)
    file = Path(perceive.__file__).with_suffix(".npy")
    np.save(file, train(lines, random))
    print_figures(lines)
    # What is written learns from all of them.
    np.save(file, train([replace(line, held=False) for line in lines], random))


if __name__ == "__main__":
    main()
