"""Fits what decides beside the matcher, to people on whom neither the matcher nor the gate is trained.

Their lives are imported and their commands resolved as a user's would be, and two things are fitted to what
the product weighs then: `MatchWeights`, by which a habit is chosen (a conditional logit), and the weights of
`HabitEvidence`, by which it is taken or asked about (a logistic regression). Each person is judged by weights
fitted to the others: calibrated are those of which as many are right as the probability says.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

import torch
from torch import Tensor, nn
from torch.nn import functional

from assistant.embedding.models import Matches, ModelRegistry
from assistant.memory.prototypes import service as prototypes
from assistant.memory.prototypes.clustering import Cluster
from assistant.memory.prototypes.model import Preference
from assistant.memory.prototypes.preferences import (
    MatchFeatures,
    MatchWeights,
    find_confidences,
    match_features,
)
from assistant.memory.store import Store
from assistant.records import State
from assistant.understand import recall
from assistant.understand.memory_sources import open_memory
from assistant.understand.recall import HabitEvidence, weigh_habit
from assistant.understand.service import UnderstandingService
from assistant.understand.types import Alike, Habit
from tools.understanding.people import DrawnCommand, WrittenPerson, draw_commands, draw_life

_USER = "me"
_BOUNDS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.967, 1.0)
_DECAY = 2.0
"""How much large weights cost, beside the errors of all examples."""
_EXPLICIT = 60
"""How many explicit commands of a corpus each person gives."""
_EXPLICIT_WEIGHT = 0.5
"""How much an explicit command of a corpus counts; some of them do leave open what they want."""


@dataclass(frozen=True, slots=True)
class SeenChoice:
    """A command as a choice among prototypes, the last of them none, and the share of each that is meant."""

    features: Tensor
    none: float
    meant: Tensor


@dataclass(frozen=True, slots=True)
class SeenHabit:
    """What speaks for the likeliest habit of a command, whether it is meant, and how much that counts."""

    evidence: tuple[float, ...]
    right: float
    weight: float


@dataclass(frozen=True, slots=True)
class _Case:
    """A command, and the instructions that it may mean."""

    command: DrawnCommand
    meant: frozenset[str]
    weight: float


class PeopleObserver:
    """Resolves the commands of people, and keeps what the product weighs.

    Args:
        registry: the models.
        model: the name of the embedder, beside which matcher and tagger lie.
        explicit: commands that mean the same for everybody, some of which each person gives, too.
        weights: how a habit is chosen.
    """

    def __init__(
        self, registry: ModelRegistry, model: str, explicit: Sequence[str], weights: MatchWeights
    ) -> None:
        files = registry.find(model)
        self._embedder = files.load()
        self._tagger = files.load_tagger()
        self._matcher = files.load_matcher()
        self._explicit = explicit
        self._weights = weights

    def see(self, person: WrittenPerson, random: Random) -> tuple[list[SeenChoice], list[SeenHabit]]:
        """The choices and the likeliest habits of a person's commands, as far as the product weighs them."""
        choices, habits = [], []
        with TemporaryDirectory(prefix="assistant-weights-") as folder, ExitStack() as stack:
            _import_life(person, random, Path(folder))
            store = Store(Path(folder) / "store")
            stack.callback(store.close)
            sources = open_memory(store, self._embedder, _USER, print, matcher=self._matcher)
            now: list[State] = []
            service = UnderstandingService(lambda: sources, lambda: now[-1], tagger=self._tagger)
            for case in _cases(person, random, self._explicit):
                now.append(State(time=case.command.time, scenario=case.command.scenario))
                choice, habit = self._watch(case, lambda said: service.resolve(said, sources.apps))
                choices += [choice] if choice else []
                habits += [habit] if habit else []
        return choices, habits

    def _watch(
        self, case: _Case, resolve: Callable[[str], object]
    ) -> tuple[SeenChoice | None, SeenHabit | None]:
        """Resolve a command, and keep what is weighed last: the choice of a habit, and the chosen one."""
        choices: list[SeenChoice] = []
        habits: list[SeenHabit] = []

        def choose(
            clusters: Sequence[Cluster], matches: Matches, now: datetime, scenario: str, half_life: float
        ) -> list[float]:
            features = [
                match_features(cluster, fit, now, scenario, half_life)
                for cluster, fit in zip(clusters, matches.fits, strict=True)
            ]
            choices.append(_choice_of(case, clusters, features, matches.none))
            return find_confidences(clusters, matches, now, scenario, half_life, self._weights)

        def weigh(
            command: str, found: Sequence[Habit], way: Preference, similarity: Alike | None, openness: float
        ) -> HabitEvidence:
            evidence = weigh_habit(command, found, way, similarity, openness)
            if case.command.why == "changed":
                return evidence
            right = float(way.prototype.instruction in case.meant) / max(1, len(case.command.habits))
            habits.append(SeenHabit(astuple(evidence), right, case.weight))
            return evidence

        with patch.object(prototypes, "find_confidences", choose), patch.object(recall, "weigh_habit", weigh):
            resolve(case.command.said)
        return next(reversed(choices), None), next(reversed(habits), None)


def _choice_of(
    case: _Case, clusters: Sequence[Cluster], features: Sequence[MatchFeatures], none: float
) -> SeenChoice:
    """A command that means a habit means those prototypes of which most records have its instructions."""
    texts = [[sampled.record.text for sampled in cluster.sample] for cluster in clusters]
    meant = [float(2 * sum(text in case.meant for text in each) > len(each)) for each in texts]
    total = sum(meant)
    shares = [share / total for share in meant] if total else meant
    rows = [astuple(each) for each in features]
    return SeenChoice(
        torch.tensor(rows, dtype=torch.float64).reshape(len(rows), len(fields(MatchFeatures))),
        none,
        torch.tensor([*shares, float(not total)], dtype=torch.float64),
    )


def _cases(person: WrittenPerson, random: Random, explicit: Sequence[str]) -> Iterator[_Case]:
    """A person's commands, what they want once, and some commands that mean the same for everybody."""
    wordings = {habit.id: habit.wordings for habit in person.habits}
    commands = list(draw_commands(person, random))
    for command in commands:
        yield _Case(command, frozenset(text for name in command.habits for text in wordings[name]), 1.0)
    for said in (*person.one_offs, *random.sample(explicit, min(_EXPLICIT, len(explicit)))):
        like = random.choice(commands)
        weight = 1.0 if said in person.one_offs else _EXPLICIT_WEIGHT
        yield _Case(DrawnCommand(said, like.time, like.scenario, (), "explicit"), frozenset(), weight)


def _import_life(person: WrittenPerson, random: Random, folder: Path) -> None:
    """Import a drawn life with the product's own import."""
    records = (
        json.dumps({"id": f"r{number}", "user_id": _USER, **record}, ensure_ascii=False)
        for number, record in enumerate(draw_life(person, random))
    )
    life = folder / "life.jsonl"
    life.write_text("\n".join(records), "utf-8")
    command = ("-m", "assistant", "memory", "import", str(life), "--store", str(folder / "store"))
    subprocess.run((sys.executable, *command), check=True, capture_output=True)


def fit_choice(choices: Sequence[SeenChoice]) -> MatchWeights:
    """The weights by which what is meant is most likely chosen."""
    start = MatchWeights()
    features = nn.utils.rnn.pad_sequence([choice.features for choice in choices], batch_first=True)
    counts = torch.tensor([len(choice.features) for choice in choices])
    missing = torch.arange(features.shape[1])[None] >= counts[:, None]
    meant = nn.utils.rnn.pad_sequence([choice.meant[:-1] for choice in choices], batch_first=True)
    is_none = torch.stack([choice.meant[-1] for choice in choices])
    judged = torch.tensor([choice.none for choice in choices], dtype=torch.float64)

    def loss(values: Tensor) -> Tensor:
        scores = (features @ values[:-2]).masked_fill(missing, -1e9)
        none = values[-2] + values[-1] * judged
        shares = torch.cat([scores, none[:, None]], dim=1).log_softmax(1)
        return -(meant * shares[:, :-1]).sum() - (is_none * shares[:, -1]).sum()

    values = torch.tensor([*start.features, start.none, start.none_judged], dtype=torch.float64)
    *fitted, none, none_judged = (round(value, 2) for value in _minimum(values, loss).tolist())
    return MatchWeights(tuple(fitted), none, none_judged)


def fit_evidence(habits: Sequence[SeenHabit]) -> tuple[tuple[float, ...], float]:
    """The weights of `HabitEvidence`, and the bias, by which the probability of a habit is most likely."""
    evidence, right, counts = _stacked(habits)
    spread = evidence.std(0).clamp_min(1e-6)
    rows = evidence / spread

    def loss(values: Tensor) -> Tensor:
        scores = rows @ values[:-1] + values[-1]
        errors = functional.binary_cross_entropy_with_logits(scores, right, counts, reduction="sum")
        return errors + _DECAY * (values[:-1] ** 2).sum()

    *weights, bias = _minimum(torch.zeros(evidence.shape[1] + 1, dtype=torch.float64), loss).tolist()
    scaled = zip(weights, spread.tolist(), strict=True)
    return tuple(round(weight / scale, 3) for weight, scale in scaled), round(bias, 3)


def _stacked(habits: Sequence[SeenHabit]) -> tuple[Tensor, Tensor, Tensor]:
    evidence = torch.tensor([habit.evidence for habit in habits], dtype=torch.float64)
    right = torch.tensor([habit.right for habit in habits], dtype=torch.float64)
    return evidence, right, torch.tensor([habit.weight for habit in habits], dtype=torch.float64)


def _minimum(start: Tensor, loss: Callable[[Tensor], Tensor]) -> Tensor:
    values = start.clone().requires_grad_()
    optimizer = torch.optim.LBFGS([values], max_iter=200, line_search_fn="strong_wolfe")

    def step() -> float:
        optimizer.zero_grad()
        error = loss(values)
        error.backward()
        return float(error.detach())

    optimizer.step(step)
    return values.detach()


def cross_validated(people: Mapping[str, Sequence[SeenHabit]]) -> list[tuple[float, SeenHabit]]:
    """Each person's habits with the probabilities by weights that were fitted to the others."""
    judged: list[tuple[float, SeenHabit]] = []
    for name, habits in people.items():
        others = [habit for other, seen in people.items() if other != name for habit in seen]
        weights, bias = fit_evidence(others)
        evidence, _, _ = _stacked(habits)
        scores = evidence @ torch.tensor(weights, dtype=torch.float64) + bias
        judged += zip(scores.sigmoid().tolist(), habits, strict=True)
    return judged


def print_reliability(judged: Sequence[tuple[float, SeenHabit]]) -> None:
    """How many habits there are of some probabilities, and how many of them are what is meant."""
    for low, high in pairwise(_BOUNDS):
        part = [(sure, habit.right) for sure, habit in judged if low <= sure < high]
        if part:
            sure, right = (sum(column) / len(part) for column in zip(*part, strict=True))
            print(f"{low:.3f} to {high:.3f}: {len(part)} habits, probability {sure:.3f}, right {right:.3f}")
