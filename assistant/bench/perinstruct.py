"""`bench perinstruct`: how well personalized elements are perceived, beside a plain pattern.

An instruction counts when its elements are found one to one, ignoring case, articles, possessive pronouns and
number (PerPilot's element perception accuracy). The sets: PerInstruct's development sample; 150 commands of
ours in its manner, in two languages and other domains, written before the detector; 220 more, written after
it; and explicit commands, where every element is a false alarm. The closed parts of ours were never looked at
while the detector was mended.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from assistant.bench import explicit
from assistant.bench.report import Grid, Report
from assistant.understand.elements import key
from assistant.understand.perceive import perceive

WANTED_ACCURACY = 0.95
MOST_FALSE_ALARMS = 0.03
PAPER = {"o4-mini": 0.867, "PerQwen": 0.747, "Qwen3-8B": 0.267}
"""Element perception accuracy on all 75 instructions (PerPilot, table 4)."""

SAMPLE = "perinstruct-dev.jsonl"
OWN, SECOND = "personal_commands.jsonl", "said_commands.jsonl"
_GENERATED = 250
_SHOWN = 40

Finds = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Annotated:
    """An instruction and the elements a person sees in it."""

    instruction: str
    elements: tuple[str, ...]
    part: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """How many of a set were right, and the wrong ones with what was found instead."""

    right: int
    wrong: tuple[tuple[Annotated, tuple[str, ...]], ...]

    @property
    def share(self) -> float:
        """The share that was right; 1 of nothing."""
        return self.right / self.count if self.count else 1.0

    @property
    def count(self) -> int:
        """How many were judged."""
        return self.right + len(self.wrong)


def load_own(name: str = OWN) -> tuple[Annotated, ...]:
    """The personalised commands that come with the program: the first or the second set."""
    text = files("assistant.bench").joinpath(name).read_text("utf-8")
    return tuple(_annotated(line) for line in text.splitlines())


def load_sample(folder: Path) -> tuple[Annotated, ...]:
    """PerInstruct's development sample; empty where it is absent."""
    file = folder / SAMPLE
    return tuple(map(_annotated, file.read_text("utf-8").splitlines())) if file.is_file() else ()


def load_explicit(folder: Path, seed: int) -> dict[str, tuple[Annotated, ...]]:
    """Explicit commands by where they come from."""
    found: dict[str, tuple[Annotated, ...]] = {}
    for language, kind in explicit.load_explicit().items():
        found[f"templates, {language}"] = _plain(explicit.filled(kind, _GENERATED, seed))
        if read := explicit.massive(folder, language, kind.massive):
            found[f"MASSIVE, {language}"] = _plain(read)
    return found


def score(commands: Iterable[Annotated], finds: Finds) -> Score:
    """Judge a way of finding elements."""
    right = 0
    wrong = []
    for one in commands:
        found = tuple(finds(one.instruction))
        if {key(text) for text in found} == {key(text) for text in one.elements}:
            right += 1
        else:
            wrong.append((one, found))
    return Score(right, tuple(wrong))


def by_grammar(instruction: str) -> list[str]:
    """What our detector finds."""
    return [element.text for element in perceive(instruction).distinct]


_PATTERN = re.compile(
    r"\b(?:my|our) \w+|\b(?:usual|fav(?:ou)?rite) \w+|\b(?:mom|dad|friend|home|school|company)\b"
    r"|我的\w{1,3}|(?:我)?(?:妈妈|爸爸|朋友|家|学校|公司)|最喜欢的\w{1,3}",
    re.IGNORECASE,
)


def by_pattern(instruction: str) -> list[str]:
    """The baseline: "my" or a habit word with the next word, and six common words for people and places."""
    return _PATTERN.findall(instruction)


def report(folder: Path, seed: int) -> Report:
    """Judge all sets that are there, ours beside the baseline."""
    sample, own, second = load_sample(folder), load_own(), load_own(SECOND)
    sets = {
        "PerInstruct, development": sample,
        "own, open": tuple(one for one in own if one.part == "open"),
        "own, closed": tuple(one for one in own if one.part == "closed"),
        "second, open": tuple(one for one in second if one.part == "open"),
        "second, closed": tuple(one for one in second if one.part == "closed"),
    }
    scores = {name: (score(some, by_grammar), score(some, by_pattern)) for name, some in sets.items() if some}
    alarms = {
        name: (score(some, by_grammar), score(some, by_pattern))
        for name, some in load_explicit(folder, seed).items()
    }
    explicit_count = sum(ours.count for ours, _ in alarms.values())
    false = sum(len(ours.wrong) for ours, _ in alarms.values()) / explicit_count
    false_baseline = sum(len(plain.wrong) for _, plain in alarms.values()) / explicit_count
    milliseconds = _milliseconds([one.instruction for one in own])
    reached = all(
        ours.share >= WANTED_ACCURACY for name, (ours, _) in scores.items() if name in list(sets)[:1]
    )
    missed = [
        f"{name}: {one.instruction} Wanted {list(one.elements)}, found {list(found)}."
        for name, (ours, _) in {**scores, **alarms}.items()
        if "closed" not in name
        for one, found in ours.wrong
    ]
    lines = [
        *missed[:_SHOWN],
        f"False alarms on {explicit_count} explicit commands: {false:.1%}, baseline {false_baseline:.1%}.",
        f"One command takes {milliseconds:.2f} ms, without a model.",
        "PerPilot, on all 75: " + ", ".join(f"{name} {value:.1%}" for name, value in PAPER.items()) + ".",
        f"Wanted: {WANTED_ACCURACY:.0%} on the sample, at most {MOST_FALSE_ALARMS:.0%} false alarms.",
    ]
    if not sample:
        lines.append(f"{folder / SAMPLE} is not there. Name its folder with --data.")
    return Report(
        values={
            "accuracy": {name: _values(*pair) for name, pair in scores.items()},
            "false_alarms": {
                "commands": explicit_count,
                "share": round(false, 4),
                "baseline": round(false_baseline, 4),
                "by_source": {
                    name: {"commands": ours.count, "false": len(ours.wrong), "baseline": len(plain.wrong)}
                    for name, (ours, plain) in alarms.items()
                },
            },
            "milliseconds": round(milliseconds, 3),
            "paper": PAPER,
            "wrong": missed,
        },
        grids=[_grid("Element perception", scores), _grid("Explicit commands left alone", alarms)],
        lines=lines,
        good=bool(sample) and reached and false <= MOST_FALSE_ALARMS,
    )


def _annotated(line: str) -> Annotated:
    entry = json.loads(line)
    return Annotated(entry["instruction"], tuple(entry["elements"]), entry.get("part", ""))


def _plain(commands: Sequence[str]) -> tuple[Annotated, ...]:
    return tuple(Annotated(command, ()) for command in commands)


def _milliseconds(commands: Sequence[str]) -> float:
    """The mean time of one command."""
    began = time.perf_counter()
    for command in commands:
        perceive(command)
    return 1000 * (time.perf_counter() - began) / len(commands)


def _values(ours: Score, plain: Score) -> dict[str, float | int]:
    return {"commands": ours.count, "ours": round(ours.share, 4), "baseline": round(plain.share, 4)}


def _grid(title: str, scores: dict[str, tuple[Score, Score]]) -> Grid:
    return Grid(
        title,
        ("set", "commands", "ours", "plain pattern"),
        tuple(
            (name, str(ours.count), f"{ours.share:.1%}", f"{plain.share:.1%}")
            for name, (ours, plain) in scores.items()
        ),
        frozenset({"commands", "ours", "plain pattern"}),
    )
