"""A turn's checkpoint: what a killed program needs to carry on where it was."""

from __future__ import annotations

from pydantic import AwareDatetime, BaseModel, ConfigDict

from assistant.events import ActionKind
from assistant.records import Action, Cost, Outcome, Record, Source, Usage


class StoredStep(BaseModel):
    """One performed step with its target, as the trace keeps it. `kind` is set for a sensitive action."""

    model_config = ConfigDict(frozen=True)

    number: int
    action: Action
    source: Source = Source.MODEL
    thought: str = ""
    error: str = ""
    app: str = ""
    package: str = ""
    kind: ActionKind | None = None

    def refused(self, reason: str) -> StoredStep:
        """The same step, not performed, and why."""
        return self.model_copy(update={"error": reason})


class Suggested(BaseModel):
    """The suggestion that a turn carries out, as it was offered.

    `score` is its chance, 0..1, `why` a sentence for each reason, `evidence` the ids of its records.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    instruction: str
    score: float = 0.0
    why: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


class Remark(BaseModel):
    """What the user told a turn after so many of its steps."""

    model_config = ConfigDict(frozen=True)

    after: int
    text: str


class Checkpoint(BaseModel):
    """A turn between two steps. `notes` are sentences that the model has not heard yet.

    `remarks` are the user's words as they said them.

    `usage`, `cost` and `seconds` tell what it has taken so far, `model` who decided last. `answer` is what it
    ended with. `suggested` is where it came from when the user did not say it themselves.
    """

    model_config = ConfigDict(frozen=True)

    turn_id: str
    user_id: str
    started: AwareDatetime
    said: str
    instruction: str
    scenario: str = "unknown"
    steps: tuple[StoredStep, ...] = ()
    notes: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    usage: Usage = Usage()
    cost: Cost | None = None
    seconds: float = 0.0
    model: str = ""
    answer: str = ""
    suggested: Suggested | None = None

    def record(self, outcome: Outcome) -> Record:
        """The record that the turn becomes when it ends. Its app is the one in front for most steps."""
        apps = [(step.package, step.app) for step in self.steps if step.package]
        package, app = max(apps, key=apps.count, default=("", ""))
        return Record(
            id=self.turn_id,
            user_id=self.user_id,
            time=self.started,
            scenario=self.scenario,
            app=app,
            package=package,
            said=self.said,
            instruction=self.instruction,
            outcome=outcome,
            source="executed",
            actions=tuple(step.action for step in self.steps if not step.error),
            model=self.model,
            usage=self.usage if self.usage.requests else None,
            cost=self.cost,
            seconds=round(self.seconds, 3) if self.seconds else None,
        )
