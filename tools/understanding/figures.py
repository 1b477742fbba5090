"""The tagger's figures on sentences that were held out of the training."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

from assistant.embedding.heads import Tagger
from assistant.embedding.models import ModelRegistry
from tools.understanding.examples import explicit_examples

_BENCH = Path("assistant/bench/data")
_SETS = ("personal_commands.jsonl", "said_commands.jsonl")


def print_figures(folder: Path, data: Path) -> None:
    """Print how many explicit commands are flagged, and how many personal ones noticed."""
    tagger = ModelRegistry(folder.parent).find(folder.name).load_tagger()
    assert tagger is not None
    explicit = explicit_examples(data, held_out=True)
    for source in dict.fromkeys(example.source for example in explicit):
        texts = [example.text for example in explicit if example.source == source]
        sample = Random(7).sample(texts, min(300, len(texts)))
        flagged = [text for text in sample if tagger(text).needs_memory >= 0.5]
        print(f"{source}: {len(flagged)} of {len(sample)} held-out commands flagged")
        print("   " + " | ".join(flagged[:12]))
    for name in _SETS:
        _print_marked(name, tagger)


def _print_marked(name: str, tagger: Tagger) -> None:
    rows = [json.loads(line) for line in (_BENCH / name).read_text("utf-8").splitlines()]
    for language in ("en", "zh"):
        own = [row for row in rows if row["language"] == language and row["elements"]]
        plain = [row for row in rows if row["language"] == language and not row["elements"]]
        noticed = sum(tagger(row["instruction"]).needs_memory >= 0.5 for row in own)
        flagged = sum(tagger(row["instruction"]).needs_memory >= 0.5 for row in plain)
        exact = sum(_texts(tagger, row["instruction"]) >= set(row["elements"]) for row in own)
        print(
            f"{name} {language}: noticed {noticed}/{len(own)}, all marks exact {exact}/{len(own)}, "
            f"explicit flagged {flagged}/{len(plain)}"
        )


def _texts(tagger: Tagger, command: str) -> set[str]:
    return {command[span.start : span.end] for span in tagger(command).spans}


__all__: Sequence[str] = ("print_figures",)
