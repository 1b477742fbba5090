"""Lives that are read and asked: what `bench him` measures every method on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assistant.embedding.embeds import Embeds, Vectors
from assistant.memory.him.prototype import Kind
from assistant.memory.him.reading import Reader, Reading
from assistant.records import Action, Outcome
from assistant.simulator.life.living import Life, lives
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.questions import Command, commands


@dataclass(frozen=True, slots=True)
class Case:
    """One life, read: its own records, the part before the split, and vague commands with their truth.

    `asked` has the vector of each command, one row each; `embeds` is what made it.
    """

    life: Life
    embeds: Embeds
    readings: list[Reading]
    history: list[Reading]
    truth: dict[str, str]
    kinds: dict[str, Kind]
    actions: dict[str, tuple[Action, ...]]
    commands: list[Command]
    asked: Vectors

    def golden(self, cluster: str) -> tuple[Action, ...]:
        """What the person did when they wanted that after the split; empty where they did not."""
        for record in self.life.own:
            done = record.outcome is Outcome.SUCCESS and record.actions
            if done and record.time >= self.life.split and self.truth[record.id] == cluster:
                return record.actions
        return ()


class Remembering:
    """An embedder that embeds each text once: methods are compared on the same sentences again and again."""

    def __init__(self, embeds: Embeds) -> None:
        self._embeds = embeds
        self._known: dict[str, Vectors] = {}

    @property
    def model_id(self) -> str:
        """As `Embeds` says."""
        return self._embeds.model_id

    @property
    def dimensions(self) -> int:
        """As `Embeds` says."""
        return self._embeds.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As `Embeds` says."""
        if missing := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known |= dict(zip(missing, self._embeds.embed(missing), strict=True))
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        return np.stack([self._known[text] for text in texts])


def read_lives(options: LifeOptions, embeds: Embeds) -> list[Case]:
    """Live the lives, embed their records and their commands."""
    remembering = Remembering(embeds)
    reader = Reader(remembering)
    cases = []
    for life in lives(options):
        readings = list(reader.read(life.own))
        questions = commands(life)
        cases.append(
            Case(
                life=life,
                embeds=remembering,
                readings=readings,
                history=[one for one in readings if one.time < life.split],
                truth={one.record_id: one.cluster for one in life.truths},
                kinds={one.record_id: one.kind for one in life.truths},
                actions={one.id: one.actions for one in life.own},
                commands=questions,
                asked=remembering.embed([one.said for one in questions]),
            )
        )
    return cases
