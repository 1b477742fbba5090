"""Commands that mean the same for everybody: our own from templates, and utterances of MASSIVE read by us."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from assistant.simulator.chance import Chance

_SLOT = re.compile(r"\{(\w+)\}")
MASSIVE = "massive-en-zh.tsv.gz"


class Explicit(BaseModel):
    """One language's templates with their values, and the ids of MASSIVE utterances that were read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    values: dict[str, tuple[str, ...]]
    templates: tuple[str, ...]
    massive: tuple[int, ...]


def load_explicit() -> Mapping[str, Explicit]:
    """What comes with the program, by language."""
    text = files("assistant.bench").joinpath("explicit_commands.yaml").read_text("utf-8")
    return {language: Explicit.model_validate(one) for language, one in yaml.safe_load(text).items()}


def filled(kind: Explicit, count: int, seed: int) -> list[str]:
    """That many commands without repeats, templates in turn; fewer where the templates give no more."""
    draw = Chance(seed)
    commands: dict[str, None] = {}
    for number in range(20 * count):
        template = kind.templates[number % len(kind.templates)]
        commands[_SLOT.sub(lambda slot: draw.choice(kind.values[slot[1]]), template)] = None
        if len(commands) == count:
            break
    return list(commands)


def massive(folder: Path, language: str, ids: Sequence[int]) -> list[str]:
    """The utterances with these ids, in the file's order; none where the file is absent."""
    file = folder / MASSIVE
    if not file.is_file():
        return []
    wanted = set(ids)
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row[language] for row in rows if int(row["id"]) in wanted]
