"""Lives that are read and asked: what `bench him` measures every method on."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.embedding.embeds import Embeds, Vectors
from assistant.embedding.remembering import Remembering
from assistant.memory.him.prototype import Kind
from assistant.memory.him.reading import Reader, Reading
from assistant.records import Action, Outcome
from assistant.simulator.life.living import Life, lives
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.questions import Command, commands


@dataclass(frozen=True, slots=True)
class Case:
    """One life, read: its own records, the part before the split, and vague commands with their truth.

    Records that came to no end are left out, of every method: nothing is learnt from them.

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


def read_lives(options: LifeOptions, embeds: Embeds) -> list[Case]:
    """Live the lives, embed their records and their commands."""
    remembering = Remembering(embeds)
    reader = Reader(remembering)
    cases = []
    for life in lives(options):
        done = [one for one in life.own if one.outcome is Outcome.SUCCESS]
        learnt = {one.id for one in done}
        readings = list(reader.read(done))
        questions = commands(life)
        cases.append(
            Case(
                life=life,
                embeds=remembering,
                readings=readings,
                history=[one for one in readings if one.time < life.split],
                truth={one.record_id: one.cluster for one in life.truths if one.record_id in learnt},
                kinds={one.record_id: one.kind for one in life.truths if one.record_id in learnt},
                actions={one.id: one.actions for one in done},
                commands=questions,
                asked=remembering.embed([one.said for one in questions]),
            )
        )
    return cases
