"""`python -m tools.understanding.orders`: train what tells an order from a remark, and measure it.

A line orders something, or it only tells, remarks or forbids something, or asks what no phone can answer.
Lines come from the templates of `remarks.yaml`, which fill like words into both kinds; from the commands that
the tagger learns from; from Tatoeba, whose sentences tell, forbid and ask; and from real commands put into
frames that turn them into something else: “don't …”, “I forgot to …”, “what happens if you …”. Needs no
extra; a minute on one core. Writes `assistant/understand/perceive.npy`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from assistant.understand.words import english_words
from tools.understanding.examples import draw, people_examples, template_examples
from tools.understanding.people import UNHEARD, read_people

_FOLDER = Path(__file__).parent
_DATA: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
_LIMITS = {"template": 4000}
_PAST = re.compile(r"\b(?:did|have|had) i\b|\bi (?:spend|spent|bought|paid)\b|\bmy last\b", re.IGNORECASE)
"""Questions of the corpora about the user's own past, which no phone can answer."""
_COPIES, _EPOCHS, _RATE, _DECAY, _BATCH = 12, 6, 0.35, 2e-4, 32
_WEIGHT_OF_REMARK, _WEIGHT_OF_CORPORA, _WEIGHT_OF_JOINED = 1.5, 1.5, 0.3
_CORPORA = ("massive-en", "massive-zh", "clinc", "app-tasks")
_TOLD_SHARE, _HELD = 0.6, 8
"""Of the templates and sentences each eighth is held out to measure."""
_SUBJECT = re.compile(r"^(?:I(?:'m| am)? |It(?:'s| is)? |We(?:'re| are)? |He(?:'s| is)? |我们?|他|她)")
_WANTS = re.compile(
    r"\b(?:want|wants|need|needs|would like|'d like|please|could you|hungry|thirsty|cold|hot|dark|must|"
    r"have to|has to|should|let's|can't sleep|hear|loud)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:Why|Who|What|Where|How|Did|Do|Are|Have|Has|Is|Was|Were|Don't|Didn't)\b.*"
    r"\b(?:you|he|she|they|we|Tom|Mary|your|his|her|my|our)\b.*\?$"
)
_OF_A_PHONE = re.compile(
    r"\b(?:time|weather|rain|far|long|much|number|address|bus|train|open|date|cost|mean|say|spell|tomorrow|"
    r"today|capital|president|station|near|flight|free|schedule|get to|old|tall|high|price|call|phone)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(r"^(?:Don't|Do not|Never|You must not|You shouldn't|Stop \w+ing)\b(?! forget| let me)")
_POLITE_ZH = re.compile("^(?:请你?|麻烦你?|帮我|帮忙|能不能|可以|你能|你可以)+")
_VERB_ZH = re.compile("[给把将打放播设订买发关开提叫点查搜取删添加告转降调停联拨播上传下载安装]")


@dataclass(frozen=True, slots=True)
class Line:
    """A line, whether it orders anything, and where it comes from; `held` if it is not trained on."""

    text: str
    orders: bool
    source: str
    held: bool = False


def written_lines(random: Random) -> Iterator[Line]:
    """The templates of `remarks.yaml`, filled."""
    for language, part in yaml.safe_load((_FOLDER / "remarks.yaml").read_text("utf-8")).items():
        forms = zip(("imp", "neg", "inf", "done"), zip(*part.get("deeds", ()), strict=True), strict=False)
        slots = {**part["slots"], **dict(forms)}
        for kind in ("remarks", "orders"):
            for template in part[kind]:
                held = crc32(template.encode()) % _HELD == 0
                filled = {_typed(_fill(template, slots, random), random) for _ in range(_COPIES)}
                yield from (
                    Line(text, kind == "orders", f"written-{language}", held) for text in sorted(filled)
                )


def _fill(template: str, slots: Mapping[str, Sequence[Any]], random: Random) -> str:
    while "{" in template:
        template = re.sub(r"\{(\w+)\}", lambda match: str(random.choice(slots[match[1]])), template)
    return template


def _typed(text: str, random: Random) -> str:
    """A text as somebody types it: with a capital and a mark, in small letters, or without apostrophes."""
    chance = random.random()
    if chance < 0.3:
        text = text[:1].upper() + text[1:] + random.choice((".", "!", "", "。" if text[-1:] > "一" else "."))
    elif chance < 0.4:
        text = text.lower()
    if random.random() < 0.12:
        text = text.replace("'", "")
    return text


def told_lines(file: Path, random: Random) -> Iterator[Line]:
    """Sentences of Tatoeba that tell, forbid or ask something, in English and Chinese."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t")[:2] for line in lines]
    told = [(english, chinese) for english, chinese in pairs if _orders_nothing(english)]
    random.shuffle(told)
    for number, (english, chinese) in enumerate(told):
        held = number % _HELD == 0
        yield Line(_loose(english, random), False, "tatoeba-en", held)
        yield Line(_loose(chinese, random), False, "tatoeba-zh", held)
    for (one, _), (other, _), (_, first), (_, second) in zip(
        told, told[1:], told[2:], told[3:], strict=False
    ):
        if random.random() < 0.15:
            joint = random.choice((", ", " and ", ". ", ", but ", " "))
            yield Line(f"{_loose(one, random)}{joint}{_loose(other, random)}", False, "tatoeba-en")
            yield Line(
                f"{_loose(first, random)}{random.choice('，, 。')}{_loose(second, random)}",
                False,
                "tatoeba-zh",
            )


def _orders_nothing(english: str) -> bool:
    if not 5 < len(english) < 80 or _WANTS.search(english):
        return False
    if english.endswith("?"):
        return _ASKS.match(english) is not None and _OF_A_PHONE.search(english) is None
    if _FORBIDS.match(english) is not None:
        return True
    first = english.split(" ")[0].rstrip(",.!").casefold()
    return first not in _DATA["imperatives"] and not (
        first in english_words.VERBS and not english.startswith(("I ",))
    )


def _loose(sentence: str, random: Random) -> str:
    """A sentence as it is written, or as people chat: without its mark, subject or capitals, with a sigh."""
    if random.random() < 0.25:
        return sentence
    is_english = sentence.isascii()
    text = sentence.rstrip(".!。！？?" if random.random() < 0.5 else ".。")
    if random.random() < 0.25:
        text = _SUBJECT.sub("", text) or text
    chance, space = random.random(), random.choice((" ", ", ") if is_english else ("", "，", " "))
    sigh = random.choice(_DATA["sighs_en" if is_english else "sighs_zh"])
    text = f"{sigh}{space}{text}" if chance < 0.12 else f"{text}{space}{sigh}" if chance < 0.2 else text
    return _chatty(text, random) if is_english and random.random() < 0.5 else text


def _chatty(text: str, random: Random) -> str:
    """English in small letters with short forms, as it is typed on a phone."""
    text = text.lower()
    for words, short in _DATA["short"].items():
        if random.random() < 0.5:
            text = re.sub(rf"\b{words}\b", short, text)
    return text.replace("'", "") if random.random() < 0.3 else text


def corpus_lines(data: Path) -> Iterator[Line]:
    """Commands of MASSIVE, CLINC150 and the app tasks; of CLINC150 also small talk."""
    with gzip.open(data / "massive-en-zh.tsv.gz", "rt", encoding="utf-8") as rows:
        next(rows)
        for row in rows:
            _, part, intent, _, english, chinese = row.rstrip("\n").split("\t")[:6]
            if intent not in _DATA["unclear_intents"] and not _PAST.search(english):
                yield Line(english, True, "massive-en", part == "test")
                yield Line(chinese, True, "massive-zh", part == "test")
    with gzip.open(data / "clinc150.json.gz", "rt", encoding="utf-8") as stream:
        clinc = json.load(stream)
    for part in ("train", "oos_train", "test", "oos_test"):
        for text, intent in clinc[part]:
            if intent not in _DATA["unclear_intents"] and not _PAST.search(text):
                is_talk = intent in _DATA["talk_intents"]
                source = "clinc-talk" if is_talk else "clinc"
                yield Line(text, not is_talk, source, part.endswith("test"))
    for number, row in enumerate((data / "app-tasks.jsonl").read_text("utf-8").splitlines()):
        if text := str(json.loads(row).get("instruction", "")):
            yield Line(text, True, "app-tasks", number % 3 == 0)


def order_lines(random: Random) -> Iterator[Line]:
    """Commands of the tagger's templates and sentences, and of invented people, with what these forbid."""
    for example in draw(template_examples(3, random), _LIMITS, random):
        if not _is_forbidden(example.text):
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


def _is_forbidden(text: str) -> bool:
    return (
        re.match(r"(?:don't|do not|never|n'|ne |no \w+s\b|bestell nicht|不要|别)", text.lower()) is not None
    )


def framed_lines(orders: Iterable[Line], random: Random) -> Iterator[Line]:
    """Commands in frames that keep them commands, or make them something else."""
    frames = yaml.safe_load((_FOLDER / "remarks.yaml").read_text("utf-8"))
    for line in orders:
        english = line.text.isascii()
        bare = line.text.rstrip(".!?。！？ ")
        if english:
            first = bare.split(" ")[0].casefold() if bare else ""
            if first not in english_words.VERBS or len(bare) > 90 or first in ("want", "like", "let", "lets"):
                continue
            bare = bare[:1].lower() + bare[1:]
        else:
            bare = _POLITE_ZH.sub("", bare)
            if _VERB_ZH.match(bare) is None or len(bare) > 40:
                continue
        part = frames["en" if english else "zh"]
        for kind in ("remarks", "orders"):
            usable = [each for each in part[kind] if each.count("{ban}") == 1]
            filled = _fill(random.choice(usable).replace("{ban}", "\0"), part["slots"], random)
            text = _typed(filled, random).replace("\0", bare)
            if english and random.random() < 0.3:
                text = _chatty(text, random)
            yield Line(text, kind == "orders", f"framed-{'en' if english else 'zh'}", line.held)


def quoting_lines(remarks: Iterable[Line], random: Random) -> Iterator[Line]:
    """Commands to tell somebody, note or look up what by itself orders nothing."""
    for line in remarks:
        code = "en" if line.text.isascii() else "zh"
        words = line.text.rstrip(".。!！")
        if random.random() < _TOLD_SHARE:
            text = random.choice(_DATA[f"tells_{code}"]).format(random.choice(_DATA[f"told_{code}"]), words)
        else:
            text = random.choice(_DATA[f"notes_{code}"]).format(words)
        yield Line(text, True, f"quoted-{code}", line.held)


def joined_lines(remarks: Sequence[Line], orders: Sequence[Line], random: Random) -> Iterator[Line]:
    """Commands with something told before or behind them: they order all the same."""
    for remark, order in zip(remarks, orders, strict=False):
        if remark.text.isascii() == order.text.isascii():
            parts = [remark.text.rstrip(".。!"), order.text.rstrip(".。")]
            if random.random() < 0.3:
                parts.reverse()
            joints = (", ", ". ", " so ", " - ", " ") if order.text.isascii() else ("，", "。", " ", ", ")
            yield Line(random.choice(joints).join(parts), True, "joined", remark.held or order.held)


def train(lines: Sequence[Line], random: Random) -> NDArray[np.float16]:
    """The weights, and the bias behind them: logistic regression with AdaGrad."""
    weights, squares = np.zeros(ORDER_WEIGHTS + 1), np.full(ORDER_WEIGHTS + 1, 1e-8)
    examples = [
        (np.array(order_places(line.text)), line.orders, _weight(line)) for line in lines if not line.held
    ]
    for _ in range(_EPOCHS):
        random.shuffle(examples)
        for start in range(0, len(examples), _BATCH):
            batch = examples[start : start + _BATCH]
            counts = np.array([len(places) for places, _, _ in batch])
            places = np.concatenate([places for places, _, _ in batch])
            orders, shares = np.array([each[1:] for each in batch], float).T
            share = counts**-0.5
            ends = np.concatenate([[0], np.cumsum(counts)[:-1]])
            logits = np.add.reduceat(weights[places], ends) * share + weights[-1]
            error = (1 / (1 + np.exp(-logits)) - orders) * shares
            unique, inverse = np.unique(places, return_inverse=True)
            gradient = np.bincount(inverse, np.repeat(error * share, counts))
            gradient += _DECAY * weights[unique] * np.bincount(inverse)
            squares[unique] += gradient**2
            weights[unique] -= _RATE * gradient / np.sqrt(squares[unique])
            squares[-1] += error.sum() ** 2
            weights[-1] -= 0.2 * error.sum() / np.sqrt(squares[-1])
    return weights.astype(np.float16)


def _weight(line: Line) -> float:
    """How much a line counts in training."""
    if not line.orders:
        return _WEIGHT_OF_REMARK
    if line.source == "joined":
        return _WEIGHT_OF_JOINED
    return _WEIGHT_OF_CORPORA if line.source in _CORPORA else 1.0


def print_figures(lines: Sequence[Line]) -> None:
    """The share of the held out lines of each source that lies below the gate."""
    below: dict[tuple[str, bool], list[bool]] = defaultdict(list)
    for line in lines:
        if line.held:
            below[line.source, line.orders].append(perceive.order_probability(line.text) < ORDER_GATE)
    for (source, orders), values in sorted(below.items()):
        kind = "order" if orders else "remark"
        print(f"{source:22} {kind:7} {len(values):5}  below the gate {sum(values) / len(values):.3f}")


def read_lines(data: Path, random: Random) -> list[Line]:
    """All lines, those held out among them."""
    told = list(told_lines(data / "tatoeba-en-zh.tsv.gz", random))
    corpus = list(corpus_lines(data))
    orders = list(order_lines(random))
    framed = framed_lines(random.sample([line for line in (*corpus, *orders) if line.orders], 9000), random)
    quoted = quoting_lines(random.sample(told, 3000), random)
    given = [line for line in (*corpus, *orders) if line.orders and line.source != "people"]
    joined = joined_lines(random.sample(told, 6000), random.sample(given, 6000), random)
    return [*written_lines(random), *told, *corpus, *orders, *framed, *quoted, *joined]


def main() -> None:
    """Train, write and measure."""
    parser = argparse.ArgumentParser(prog="python -m tools.understanding.orders", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    options = parser.parse_args()
    random = Random(0)
    lines = read_lines(options.data, random)
    file = Path(perceive.__file__).with_suffix(".npy")
    np.save(file, train(lines, random))
    print_figures(lines)
    # What is written learns from all templates; of the corpora it never sees what is held out.
    lines = [replace(line, held=False) if line.source.startswith("written") else line for line in lines]
    np.save(file, train(lines, random))


if __name__ == "__main__":
    main()
