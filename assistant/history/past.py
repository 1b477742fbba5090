"""Past turns as the memory keeps them: a checkpoint, what was seen before each step, and a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz
from sqlalchemy import select

from assistant.i18n import later
from assistant.memory import schema
from assistant.memory.store import Store
from assistant.memory.turn_store import whole_checkpoint
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.naming import app_name
from assistant.records import Finished, Outcome

NEWEST = 500
"""How many turns are listed when nothing else is asked for."""

_ALIKE = 72.0


class PictureState(StrEnum):
    """What became of the picture of a step."""

    KEPT = "kept"
    SWEPT = "swept"
    SECURE = "secure"
    NONE = "none"


PICTURE_WORDS = {
    PictureState.KEPT: "",
    PictureState.SWEPT: later("The picture is not kept any more."),
    PictureState.SECURE: later("This screen allowed no pictures."),
    PictureState.NONE: later("There is no picture of this step."),
}
"""What is said in the place of a picture."""


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A turn in a list. `outcome` is None while it is open, and where its record is not kept."""

    turn_id: str
    said: str
    instruction: str
    started: datetime
    outcome: Outcome | None
    is_open: bool
    steps: int
    seconds: float
    apps: tuple[str, ...]
    answer: str

    @property
    def ended(self) -> str:
        """How it ended, in a word."""
        if self.outcome is not None:
            return self.outcome.value
        return "not ended" if self.is_open else "unknown"


@dataclass(frozen=True, slots=True)
class PastStep:
    """A step, and the state of the picture of what was seen before it."""

    step: StoredStep
    picture: PictureState


@dataclass(frozen=True, slots=True)
class WholeTurn:
    """A turn with its steps. The last step of one that ended well says its answer."""

    turn: PastTurn
    checkpoint: Checkpoint
    steps: tuple[PastStep, ...]

    @property
    def pictures(self) -> int:
        """How many pictures are kept."""
        return sum(step.picture is PictureState.KEPT for step in self.steps)

    @property
    def swept(self) -> int:
        """How many pictures were kept once."""
        return sum(step.picture is PictureState.SWEPT for step in self.steps)


class PastTurns:
    """The past turns of one user. Reading may take a while; every method may be called from any thread."""

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user = user_id

    def newest(self, count: int = NEWEST) -> list[PastTurn]:
        """The latest turns, newest first.

        Raises:
            StoreError: the memory cannot be read.
        """
        turns, records = schema.turns, schema.records
        query = (
            select(turns, records.c.outcome)
            .join(records, records.c.id == turns.c.id, isouter=True)
            .where(turns.c.user_id == self._user)
            .order_by(turns.c.started.desc(), turns.c.id.desc())
            .limit(count)
        )
        with self._store.reader() as connection:
            rows = connection.execute(query).mappings().all()
            return [_past(row, whole_checkpoint(connection, row)) for row in rows]

    def whole(self, turn_id: str) -> WholeTurn | None:
        """One turn with its steps; None when there is none of this id.

        Raises:
            StoreError: the memory cannot be read.
        """
        turns, records, seen = schema.turns, schema.records, schema.observations
        query = (
            select(turns, records.c.outcome)
            .join(records, records.c.id == turns.c.id, isouter=True)
            .where(turns.c.user_id == self._user, turns.c.id == turn_id)
        )
        columns = (seen.c.step, seen.c.screenshot, seen.c.secure, seen.c.package)
        with self._store.reader() as connection:
            row = connection.execute(query).mappings().one_or_none()
            screens = connection.execute(select(*columns).where(seen.c.turn_id == turn_id)).mappings().all()
            kept = whole_checkpoint(connection, row) if row is not None else {}
        if row is None:
            return None
        turn, checkpoint = _past(row, kept), Checkpoint.model_validate(kept)
        pictures = {one["step"]: self._picture_state(one) for one in screens}
        steps = tuple(
            PastStep(step, pictures.get(step.number, PictureState.NONE))
            for step in _with_answer(checkpoint, turn)
        )
        return WholeTurn(turn, checkpoint, steps)

    def picture(self, turn_id: str, step: int) -> bytes:
        """The picture of what was seen before a step, a JPEG; empty where none is kept."""
        file = self._file(turn_id, step)
        try:
            return file.read_bytes() if file is not None else b""
        except OSError:
            return b""

    def _file(self, turn_id: str, step: int) -> Path | None:
        seen = schema.observations
        query = select(seen.c.screenshot).where(seen.c.turn_id == turn_id, seen.c.step == step)
        with self._store.reader() as connection:
            name = connection.execute(query).scalar_one_or_none()
        return self._store.screenshots / name if name else None

    def _picture_state(self, row: Mapping[Any, Any]) -> PictureState:
        if row["secure"]:
            return PictureState.SECURE
        there = bool(row["screenshot"]) and (self._store.screenshots / row["screenshot"]).is_file()
        return PictureState.KEPT if there else PictureState.SWEPT


def find(turns: Sequence[PastTurn], words: str) -> list[PastTurn]:
    """The turns that words fit, in their order: those that contain them, else those that nearly do."""
    if not (sought := words.strip()):
        return list(turns)
    parts = sought.casefold().split()
    texts = [_searched(turn) for turn in turns]
    exact = [turn for turn, text in zip(turns, texts, strict=True) if all(part in text for part in parts)]
    if exact:
        return exact
    return [
        turn
        for turn, text in zip(turns, texts, strict=True)
        if all(fuzz.partial_ratio(part, text) >= _ALIKE for part in parts)
    ]


def _searched(turn: PastTurn) -> str:
    day = f"{turn.started:%A %d %B %Y}"
    return " ".join((turn.said, turn.instruction, *turn.apps, turn.answer, turn.ended, day)).casefold()


def _past(row: Mapping[Any, Any], kept: Mapping[str, Any]) -> PastTurn:
    steps = kept.get("steps", [])
    return PastTurn(
        turn_id=row["id"],
        said=row["said"],
        instruction=kept.get("instruction", ""),
        started=datetime.fromisoformat(row["started"]),
        outcome=Outcome(row["outcome"]) if row["outcome"] else None,
        is_open=bool(row["open"]),
        steps=len(steps),
        seconds=kept.get("seconds", 0.0),
        apps=tuple(dict.fromkeys(_app(step) for step in steps if step.get("app"))),
        answer=kept.get("answer", ""),
    )


def _app(step: Mapping[str, Any]) -> str:
    """What a person calls a step's app; one without a known label is kept under its package."""
    app: str = step["app"]
    return app_name(app) if app == step.get("package") else app


def _with_answer(checkpoint: Checkpoint, turn: PastTurn) -> Iterator[StoredStep]:
    """The steps; the last look at the screen, which did nothing to the phone, stands for the answer."""
    yield from checkpoint.steps
    if turn.outcome is Outcome.SUCCESS:
        number = len(checkpoint.steps) + 1
        yield StoredStep(number=number, action=Finished(answer=checkpoint.answer or "done"))
