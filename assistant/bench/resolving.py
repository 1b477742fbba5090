"""What becomes of commands through `resolve`, the path of users: as said, asked, filled right or wrong.

The baseline has the nearest record by the embedder alone. It is as cautious as ours: it fills as many
commands as ours, those whose record is nearest, and asks about none.

`run` measures lives and commands in a folder: `lifeN.jsonl` with records, and `commandsN.jsonl` with lines
`{"said", "at", "scenario", "kind", "expect"}`. What the person told the assistant, a sentence a line, is in
`factsN.txt`; it is imported too, where there is one. What is expected is that the command is `unchanged`,
that the instruction `contains` some words and has `not` others, or that the user is asked (`ask`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from assistant.bench.corpora import DataMissing
from assistant.bench.report import SYNTHETIC, Report, progress, rounded
from assistant.i18n import _
from assistant.understand.resolution import ResolutionKind
from assistant.understand.words import in_figures

_MOST_WRONG = 0.03
_USER = "me"


class Fate(StrEnum):
    """What becomes of a command that needs the memory."""

    RIGHT = "right"
    WRONG = "wrong"
    ASKED = "asked"
    AS_SAID = "as_said"


@dataclass(frozen=True, slots=True)
class Nearest:
    """The record nearest to a command: the cosine, and whether it is what is meant."""

    likeness: float
    is_right: bool


def shares(fates: Iterable[Fate]) -> dict[str, float]:
    """The share of each fate; what is not taken as said is recognised."""
    counts = Counter(fates)
    total = max(counts.total(), 1)
    figures = {fate.value: counts[fate] / total for fate in Fate}
    return {"commands": counts.total(), "recognised": 1 - figures[Fate.AS_SAID], **figures}


def fill_nearest(nearest: Sequence[Nearest], filled: int) -> list[Fate]:
    """The fates of commands if the nearest record fills the `filled` commands to which it is nearest."""
    by_likeness = sorted(nearest, key=lambda record: -record.likeness)
    return [
        (Fate.RIGHT if record.is_right else Fate.WRONG) if place < filled else Fate.AS_SAID
        for place, record in enumerate(by_likeness)
    ]


class Expected(BaseModel):
    """What an instruction must and must not have, in any case of letters; or that the user must be asked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    contains: tuple[str, ...] = ()
    excluded: tuple[str, ...] = Field(default=(), alias="not")
    unchanged: bool = False
    ask: bool = False

    def judge(self, said: str, decision: str, instruction: str) -> Fate:
        """What became of a command; right is what is expected, whether filled, asked or as said.

        A number is the same in figures and in words.
        """
        if decision == ResolutionKind.FILLED:
            text = in_figures(instruction)
            has_all = all(in_figures(words) in text for words in self.contains)
            has_none = not any(in_figures(words) in text for words in self.excluded)
            is_right = bool(self.contains) and has_all and has_none
            return Fate.RIGHT if is_right else Fate.WRONG
        if decision == ResolutionKind.AS_SAID:
            return Fate.RIGHT if self.unchanged and instruction == said else Fate.AS_SAID
        return Fate.RIGHT if self.ask else Fate.ASKED


class AskedCommand(BaseModel):
    """A command of a file, with the kind that its figures are counted under."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    said: str
    at: str
    scenario: str = "unknown"
    kind: str
    expect: Expected


@dataclass(frozen=True, slots=True)
class Judged:
    """A command, what `assistant resolve` printed for it, and what that is worth."""

    command: AskedCommand
    printed: Mapping[str, Any]
    fate: Fate


def run(folder: Path, silent: bool = False, facts: bool = True, config: Path | None = None) -> Report:
    """Resolve all commands of a folder, each with the life of its number as memory.

    Args:
        folder: the lives and commands.
        silent: whether to list no command, so that unseen ones stay unseen.
        facts: whether the facts that each person told are imported, too.
        config: settings with a model that reads what the memory is not sure of; None for no model.

    Raises:
        DataMissing: the folder has no commands.
    """
    files = sorted(folder.glob("commands*.jsonl"))
    if not files:
        raise DataMissing(_("{folder} has no commands1.jsonl.").format(folder=folder))
    lives = {}
    for file in files:
        number = file.stem.removeprefix("commands")
        facts_file = folder / f"facts{number}.txt"
        lives[number] = resolve_life(
            folder / f"life{number}.jsonl",
            file,
            facts_file if facts and facts_file.exists() else None,
            config,
        )
        progress(f"{file.name}: {len(lives[number])} commands")
    judged = [case for life in lives.values() for case in life]
    kinds = list(dict.fromkeys(case.command.kind for case in judged))
    rows = [
        {"life": name, "kind": kind, **rounded(shares(fates))}
        for name, cases in (*lives.items(), ("all", judged))
        for kind in kinds
        if (fates := [case.fate for case in cases if case.command.kind == kind])
    ]
    wrong = [
        f"{case.command.kind}: {case.command.said} → {case.printed.get('instruction', '')}"
        for case in judged
        if case.fate is Fate.WRONG
    ]
    values = {
        "benchmark": "resolve",
        "facts": facts,
        "model": config is not None,
        "lives": rows,
        "wrong": len(wrong),
    }
    good = all(row["wrong"] <= _MOST_WRONG for row in rows if row["life"] == "all")
    return Report(values if silent else {**values, "filled wrongly": wrong}, good, SYNTHETIC)


def resolve_life(
    life: Path, commands: Path, facts: Path | None = None, config: Path | None = None
) -> list[Judged]:
    """Import a life with the product's own import into an empty store, and resolve the commands there.

    Args:
        life: the records.
        commands: the commands.
        facts: what the person told, a sentence a line; None for nothing.
        config: settings with a model; None for no model.
    """
    cases = [AskedCommand.model_validate_json(line) for line in _lines(commands)]
    with TemporaryDirectory(prefix="assistant-bench-") as name:
        folder = Path(name)
        records = (
            json.dumps({"id": f"r{number}", **json.loads(line), "user_id": _USER})
            for number, line in enumerate(_lines(life))
        )
        asked = (json.dumps({"said": case.said, "at": case.at, "scenario": case.scenario}) for case in cases)
        (folder / "life.jsonl").write_text("\n".join(records), "utf-8")
        (folder / "asked.jsonl").write_text("\n".join(asked), "utf-8")
        store = ("--store", str(folder / "store"))
        _assistant("memory", "import", str(folder / "life.jsonl"), *store)
        if facts is not None:
            _assistant("memory", "import", str(facts), "--format", "facts", "--user", _USER, *store)
        model = ("--no-model",) if config is None else ("--config", str(config.absolute()))
        asked_file = str(folder / "asked.jsonl")
        printed = _assistant("resolve", *model, "--file", asked_file, "--user", _USER, "--json", *store)
    answers = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    return [
        Judged(case, answer, case.expect.judge(case.said, answer["decision"], answer.get("instruction", "")))
        for case, answer in zip(cases, answers, strict=True)
    ]


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text("utf-8").splitlines() if line.strip()]


def _assistant(*words: str) -> str:
    """What a command of the program prints.

    Raises:
        CalledProcessError: it fails.
    """
    command = (sys.executable, "-m", "assistant", *words)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
