"""What a turn writes down about itself: its checkpoint after each step, what it saw, its record."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from assistant.memory.store import Store, StoreError
from assistant.memory.turns import Checkpoint, Remark, StoredStep
from assistant.model.request import PastStep
from assistant.observations import Observation
from assistant.records import Cost, Outcome, Usage


class Journal:
    """A turn's checkpoint, stored whenever it changes in a way that must not be lost.

    `notes` of the checkpoint are the user's words; they hold for the whole turn. Passing notes tell of the
    phone and are heard once. What is not `stored` leaves nothing in the memory.
    """

    def __init__(self, store: Store, checkpoint: Checkpoint, *, stored: bool = True) -> None:
        self.kept = checkpoint
        self._store = store
        self._stored = stored
        self._passing: list[str] = []
        self._seeing: asyncio.Task[None] | None = None

    @property
    def next_step(self) -> int:
        """The number of the step to come; steps count from 1."""
        return len(self.kept.steps) + 1

    def history(self, newest: int) -> tuple[PastStep, ...]:
        """The latest steps in the form that the model is told them, oldest first."""
        steps = self.kept.steps[-newest:] if newest else ()
        return tuple(PastStep(step.action, step.source, step.thought, step.error) for step in steps)

    def notes(self) -> tuple[str, ...]:
        """What the model is to hear with its next decision."""
        return (*self.kept.notes, *self._passing)

    def note(self, sentence: str) -> None:
        """Remember something for the rest of the turn."""
        self.kept = self.kept.model_copy(update={"notes": (*self.kept.notes, sentence)})

    def heard(self, text: str, told: str = "") -> None:
        """The user said something behind the latest step, which holds for the rest of the turn.

        Args:
            text: their words.
            told: the sentence for the model; by default that the user says so.
        """
        remark = Remark(after=len(self.kept.steps), text=text)
        self.kept = self.kept.model_copy(update={"remarks": (*self.kept.remarks, remark)})
        self.note(told or f"The user says: {text}")
        # A memory that cannot be written ends the turn at its next step, not the user's typing.
        with suppress(StoreError):
            self.save()

    def note_once(self, *sentences: str) -> None:
        """Remember something until the next decision."""
        self._passing += sentences

    def mean(self, instruction: str) -> None:
        """The command was understood to mean this."""
        self.kept = self.kept.model_copy(update={"instruction": instruction})
        self.save()

    def decided(self) -> None:
        """A decision was made, knowing all notes."""
        self._passing.clear()

    def use(self, usage: Usage, cost: Cost | None, model: str) -> None:
        """Count what a model's requests used, and cost where that is known."""
        sum_of_costs = cost.plus(self.kept.cost) if cost else self.kept.cost
        changes = {"usage": self.kept.usage + usage, "cost": sum_of_costs, "model": model}
        self.kept = self.kept.model_copy(update=changes)

    def keep(self, step: StoredStep) -> None:
        """Add a step to the trace and store the checkpoint."""
        self.kept = self.kept.model_copy(update={"steps": (*self.kept.steps, step)})
        self.save()

    def save(self) -> None:
        """Store the checkpoint as it stands."""
        if self._stored:
            self._store.turns.save(self.kept)

    def see(self, step: int, seen: Observation) -> None:
        """Keep what was seen before a step, in the background: the turn goes on meanwhile."""
        if self._stored:
            self._seeing = asyncio.create_task(self._keep_seen(self._seeing, step, seen))

    async def settle(self) -> None:
        """Wait until everything seen is kept."""
        if self._seeing is not None:
            await self._seeing

    async def finish(self, outcome: Outcome, seconds: float, answer: str = "") -> None:
        """The turn is over, after some more seconds and with an answer: turn it into a record."""
        await self.settle()
        changes = {"seconds": self.kept.seconds + seconds, "answer": answer}
        self.kept = self.kept.model_copy(update=changes)
        if self._stored:
            await asyncio.to_thread(self._store.turns.finish, self.kept, outcome)

    async def _keep_seen(self, before: asyncio.Task[None] | None, step: int, seen: Observation) -> None:
        if before is not None:
            await before
        await asyncio.to_thread(self._store.turns.observe, self.kept.turn_id, step, seen)
