"""The tagger's figures on sentences that were held out of the training."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

from assistant.embedding.models import ModelRegistry, Tagger
from tools.understanding.examples import explicit_examples, people_examples
from tools.understanding.people import UNHEARD, WrittenPerson, read_people

_BENCH = Path("assistant/bench/data")
_PEOPLE = Path(__file__).with_name("people")
_BOUNDS = (0.05, 0.3, 0.5, 0.9)
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
        print(
            f"{source}: {len(flagged)} of {len(sample)} held-out commands flagged by their words, "
            f"openness {_shares(tagger, sample)}"
        )
        print("   " + " | ".join(flagged[:12]))
    people = read_people(_PEOPLE)
    for hand in sorted({name[0] for name in UNHEARD}):
        _print_people(hand, [people[name] for name in sorted(UNHEARD) if name[0] == hand], tagger)
    for name in _SETS:
        _print_marked(name, tagger)


def _print_people(hand: str, people: Sequence[WrittenPerson], tagger: Tagger) -> None:
    """What people on whom the gate was not trained ask for in a few words, and in full."""
    examples = people_examples(people)
    vague = [example.text for example in examples if example.leaves_open]
    full = [example.text for example in examples if example.needs is False]
    print(f"people of hand {hand}: {len(vague)} vague commands, openness {_shares(tagger, vague)}")
    print(f"   {len(full)} explicit ones {_shares(tagger, full)}")


def _shares(tagger: Tagger, texts: Sequence[str]) -> str:
    openness = [tagger(text).openness for text in texts]
    return ", ".join(
        f">= {bound}: {sum(each >= bound for each in openness) / len(texts):.3f}" for bound in _BOUNDS
    )


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
