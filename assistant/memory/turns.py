"""Turns in the database: checkpoints, from which a killed turn can continue, and the screen before each step.

Screenshots are scaled down and stored as files that only the user can read.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.parse import quote

from PIL import Image
from pydantic import AwareDatetime, BaseModel, ConfigDict
from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from assistant.events import ActionKind, Cause, Deed
from assistant.files import write_in_place
from assistant.memory import schema
from assistant.memory.audit import ChangeHeader, changing
from assistant.memory.database import Database, portions, put_row
from assistant.memory.programs import ProgramLeases
from assistant.memory.prototypes.terms import CORRECTED_BY
from assistant.records import (
    HOME_SCREENS,
    Action,
    Bounds,
    Cost,
    Element,
    Finished,
    Observation,
    OpenApp,
    Outcome,
    PressHome,
    Record,
    Source,
    TypeText,
    Usage,
    record_id,
)

PART = "part"
"""The source of a sub-task's record, of which only skills are learnt; that of the turn teaches the rest."""


class StoredStep(BaseModel):
    """One step of a turn with its action, as it is stored.

    `kind` and `deed` are set for a sensitive action. A step with an `error` was not performed, unless
    `deed.maybe` says that it may have been. `led_on` marks an action such as “Buy now” that turned out to
    lead to a further page, where the deed itself follows. `reply` is what the model wrote, `notes` what it
    asked to remember; `continued` marks the further steps that one reply gave. `at` is when a deed was done.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    action: Action
    source: Source = Source.MODEL
    thought: str = ""
    error: str = ""
    app: str = ""
    package: str = ""
    kind: ActionKind | None = None
    deed: Deed | None = None
    led_on: bool = False
    reply: str = ""
    notes: tuple[str, ...] = ()
    continued: bool = False
    at: datetime | None = None

    @property
    def is_withheld(self) -> bool:
        """Whether something was entered of which nothing is kept, as a password."""
        return isinstance(self.action, TypeText) and not self.action.text

    def refused(self, reason: str) -> StoredStep:
        """This step as not performed, with the reason."""
        return self.model_copy(update={"error": reason})

    def maybe_done(self, reason: str) -> StoredStep:
        """This step as possibly performed, with the reason why that is not known."""
        deed = self.deed.model_copy(update={"maybe": True}) if self.deed else None
        return self.model_copy(update={"error": reason, "deed": deed})

    @property
    def deed_done(self) -> Deed | None:
        """The deed that this step did or may have done; None if it did none, or only led on to one."""
        return self.deed if self.deed and (self.deed.maybe or not self.error) and not self.led_on else None


class AcceptedSuggestion(BaseModel):
    """The suggestion that a turn carries out, as it was offered.

    `score` is the probability of the routine, 0..1; `why` has a sentence for each reason; `evidence` has ids
    of records.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    instruction: str
    score: float = 0.0
    why: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


class UserRemark(BaseModel):
    """A message of the user to a running turn, sent after its first `after` steps.

    Where it corrects a value of the command, `kind` is that of the value, `new` what it shall be, and `old`
    what it was; nothing where it is added.
    """

    model_config = ConfigDict(frozen=True)

    after: int
    text: str
    kind: str = ""
    new: str = ""
    old: str = ""


class Checkpoint(BaseModel):
    """The state of a turn between two steps.

    Attributes:
        said: the command as the user typed it.
        instruction: what the command means.
        notes: sentences that the model has not been told yet.
        remarks: the user's messages during the turn, word by word.
        usage: tokens used so far; so `cost` and `seconds`.
        model: the name of the model that decided last.
        answer: the answer with which the turn ended.
        ended_by: what ended it, such as a key with which the user cancelled it.
        suggested: the suggestion that started the turn; None if the user typed the command.
        is_complete: nothing in the command needs to be resolved: it is a skill with the user's values.
        intent: the sensitive step that is about to be performed. It is stored before it is sent to the phone;
            in a turn that is continued after a crash, it may or may not have been performed.
        asked: the sensitive step that the user was asked about last, until it or another one is performed.
        is_allowed: whether they said yes to that; without an `intent`, it was not begun.
        phone: the serial of the phone that it runs on; empty where it was not kept.
        phone_id: what the phone itself goes by, see `Phone.identity`; empty where it was not kept.
        part_of: the id of the turn whose sub-task this turn carries out.
        plan: the state of a turn of several sub-tasks, as the agent's `PlanProgress` writes it.
        said_instead: the words to which its instruction was changed, where it did not do what `said` says.
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
    remarks: tuple[UserRemark, ...] = ()
    usage: Usage = Usage()
    cost: Cost | None = None
    seconds: float = 0.0
    model: str = ""
    answer: str = ""
    ended_by: Cause = Cause.DONE
    suggested: AcceptedSuggestion | None = None
    is_complete: bool = False
    intent: StoredStep | None = None
    asked: StoredStep | None = None
    is_allowed: bool = False
    phone: str = ""
    phone_id: str = ""
    part_of: str | None = None
    plan: dict[str, Any] | None = None
    said_instead: str = ""

    @classmethod
    def of_command(cls, user_id: str, started: datetime, said: str, scenario: str) -> Checkpoint:
        """A turn that begins with a command, at a local time with its zone."""
        turn_id = record_id(user_id, started)
        return cls(
            turn_id=turn_id, user_id=user_id, started=started, said=said, instruction=said, scenario=scenario
        )

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """The sensitive actions that were carried out, in order; with `maybe` set, possibly carried out."""
        return tuple(deed for step in self.steps if (deed := step.deed_done))

    @property
    def open_instruction(self) -> str:
        """What it is to do, while nothing of it is paid; empty after that: it is corrected no more."""
        is_paid = any(deed.kind is ActionKind.PAY and not deed.maybe for deed in self.deeds)
        return "" if is_paid else self.instruction

    @property
    def stages_done(self) -> tuple[Deed, ...]:
        """The deeds that only led on to one which was carried out afterwards."""
        return self._stages(self.steps[: self._steps_to_last_deed])

    @property
    def stages_begun(self) -> tuple[Deed, ...]:
        """The deeds that only led on to one which was not carried out yet."""
        return self._stages(self.steps[self._steps_to_last_deed :])

    @property
    def _steps_to_last_deed(self) -> int:
        return max((at for at, step in enumerate(self.steps, 1) if step.deed_done), default=0)

    @staticmethod
    def _stages(steps: Sequence[StoredStep]) -> tuple[Deed, ...]:
        return tuple(step.deed for step in steps if step.deed and step.led_on)

    @property
    def carried_out(self) -> str:
        """What the turn carried out, in words: its instruction, unless the user changed it before it began.

        A changed guess is no part of it, because it would be learnt from as if the user had wanted it. What
        changed it stands behind a mark of its own: the two are no command that can be given again. Where only
        values were corrected, the instruction has the new ones.
        """
        corrections = [remark.text for remark in self.remarks if remark.after == 0 and not remark.kind]
        is_told = not corrections or self.said_instead or CORRECTED_BY in self.instruction
        return self.instruction if is_told else CORRECTED_BY.join((self.said, *corrections))

    def record(self, outcome: Outcome) -> Record:
        """The record that the turn becomes when it ends.

        Its app is that of its deeds, else of most steps; the home screen where it was left for no other.
        """
        inside = [step for step in self.steps if not isinstance(step.action, OpenApp | PressHome)]
        deeds = [step for step in inside if (did := step.deed_done) and did.kind is not ActionKind.GRANT]
        opened = [step.action.name for step in self.steps if isinstance(step.action, OpenApp)]
        apps = [(step.package, step.app) for step in deeds or inside or self.steps if step.package]
        apps = [app for app in apps if not any(part in app[0] for part in HOME_SCREENS)] or apps
        usual = max(reversed(apps), key=apps.count, default=("", ""))
        package, app = usual if inside or not opened else ("", opened[-1])
        return Record(
            id=self.turn_id,
            user_id=self.user_id,
            time=self.started,
            scenario=self.scenario,
            app=app,
            package=package,
            said=self.said_instead or self.said,
            instruction=self.carried_out,
            outcome=outcome,
            source=PART if self.part_of else "executed",
            actions=tuple(step.action for step in self.steps if not step.error),
            model=self.model,
            usage=self.usage if self.usage.requests else None,
            cost=self.cost,
            seconds=round(self.seconds, 3) if self.seconds else None,
        )


@dataclass(frozen=True, slots=True)
class PastDeed:
    """What another turn did, when that was, and the command as the user typed it."""

    deed: Deed
    time: datetime
    said: str


_WIDTH, _QUALITY = 540, 70
"""Width in pixels, and JPEG quality, of stored screenshots."""
_LONGEST_NAME, _SHOWN = 150, 100
"""A file name that is longer than the first is cut to the second, in characters, and gets a hash."""


class Trace(BaseModel):
    """A turn as it was performed: its steps without errors, the screen before each, and its answer.

    `cut_ins` are the numbers of the first steps after the user cut in, by words or by hand. `named` are words
    of the instruction that are known to be slots, each with a name, beside those that its steps tell.
    """

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    turn_id: str
    user_id: str
    instruction: str
    started: datetime
    steps: tuple[StoredStep, ...]
    screens: Mapping[int, Observation]
    answer: str = ""
    cut_ins: tuple[int, ...] = ()
    named: Mapping[str, str] = {}

    @classmethod
    def of(cls, checkpoint: Checkpoint, screens: Mapping[int, Observation]) -> Trace:
        """The trace of a turn, with the screens of its steps by their number."""
        return cls(
            turn_id=checkpoint.turn_id,
            user_id=checkpoint.user_id,
            instruction=checkpoint.instruction,
            started=checkpoint.started,
            steps=tuple(step for step in checkpoint.steps if not step.error),
            screens=screens,
            cut_ins=_cut_ins(checkpoint),
        )

    @property
    def last_screen(self) -> Observation | None:
        """The screen behind the last action, on which the turn ended; None where it was not kept."""
        done = max((step.number for step in self.steps if not isinstance(step.action, Finished)), default=0)
        last = max(self.screens, default=0)
        return self.screens[last] if last > done else None


def _cut_ins(checkpoint: Checkpoint) -> tuple[int, ...]:
    steps = checkpoint.steps
    spoken = {steps[remark.after].number for remark in checkpoint.remarks if remark.after < len(steps)}
    by_hand = {
        step.number
        for before, step in zip((None, *steps), steps, strict=False)
        if step.source is Source.USER and (before is None or before.source is not Source.USER)
    }
    return tuple(sorted(spoken | by_hand))


def safe_name(text: str) -> str:
    """A file name made of any text, without path separators; the same for the same text."""
    name = quote(text, safe=" @+-_,", errors="surrogatepass")
    if len(name) > _LONGEST_NAME:
        name = f"{name[:_SHOWN]}-{hashlib.blake2b(name.encode(), digest_size=12).hexdigest()}"
    return name if name.strip(".") else name.replace(".", "%2E")


def file_name(turn_id: str, step: int) -> str:
    """The name of the file with the screenshot before a step."""
    return f"{safe_name(turn_id)}-{step:03}.jpg"


def shrink_picture(picture: bytes) -> bytes:
    """A picture as a JPEG of at most 540 pixels in width.

    Raises:
        OSError: the picture cannot be read.
        Image.DecompressionBombError: the picture has far too many pixels.
    """
    with Image.open(io.BytesIO(picture)) as image:
        small = image.convert("RGB")
    if (times := small.width // _WIDTH) > 1:
        # Reducing is ten times as fast as resampling, and this is done for every step.
        small = small.reduce(times)
    small.thumbnail((_WIDTH, _WIDTH * 4))
    out = io.BytesIO()
    small.save(out, "JPEG", quality=_QUALITY)
    return out.getvalue()


_DEFAULTS = {field.name: field.default for field in fields(Element)}
"""The default of each field of an element; for fields without default, a value that no field equals."""
_values_of = attrgetter(*_DEFAULTS)


@dataclass(frozen=True, slots=True)
class StoredScreenshot:
    """The stored screenshot of a step; the size in bytes, 0 where the file is gone."""

    turn_id: str
    step: int
    started: datetime
    file: Path
    size: int


_YOUNG = timedelta(hours=1)
"""A file that is younger than this may be waiting for its row."""


class TurnStore:
    """Stores turns while they run, and turns them into records when they end.

    Checkpoints are written without the audit; the record at the end is a change of the audit. Of a turn that
    another program has taken over nothing is written.
    """

    def __init__(
        self, database: Database, screenshots: Path, now: Callable[[], datetime], leases: ProgramLeases
    ) -> None:
        self._database = database
        self._screenshots = screenshots
        self._now = now
        self._leases = leases

    def save(self, checkpoint: Checkpoint, changed: int | None = None, *, durable: bool = False) -> None:
        """Store the state of an open turn.

        Only steps that are new since the last call are written, so that the last step costs no more than the
        first. `changed` is the index of an older step that has changed and is written again. `durable` is
        for what must survive a loss of power.
        """
        place = schema.open_steps.c.place
        last = select(func.max(place)).where(schema.open_steps.c.turn_id == checkpoint.turn_id)
        with self._database.write(durable=durable) as connection:
            self._leases.check(checkpoint.part_of or checkpoint.turn_id, connection)
            put_row(connection, schema.turns, turn_row(checkpoint, is_open=True))
            last_place = connection.execute(last).scalar()
            first = 0 if last_place is None else last_place + 1
            if new := _step_rows(checkpoint, first):
                connection.execute(insert(schema.open_steps), new)
            if changed is not None and changed < first:
                put_row(connection, schema.open_steps, _step_rows(checkpoint, changed)[0])

    def observe(self, turn_id: str, step: int, observation: Observation) -> None:
        """Store the screen before a step: its elements, and the screenshot scaled down.

        Observations are stored in the background: one of a turn that was discarded meanwhile is dropped.
        """
        row = observation_row(turn_id, step, observation)
        if row["screenshot"]:
            write_in_place(self._screenshots / row["screenshot"], shrink_picture(observation.screenshot))
        with self._database.write() as connection:
            turn = select(schema.turns.c.id).where(schema.turns.c.id == turn_id)
            is_kept = connection.execute(turn).scalar() is not None
            if is_kept:
                put_row(connection, schema.observations, row)
        if row["screenshot"] and not is_kept:
            (self._screenshots / row["screenshot"]).unlink(missing_ok=True)
        self._database.save_log()

    def finish(self, checkpoint: Checkpoint, outcome: Outcome) -> Record:
        """End a turn: it becomes a record, in one transaction."""
        record = checkpoint.record(outcome)
        heading = ChangeHeader("Keep the record of a turn", "the turn ended")
        with changing(self._database, heading, self._now) as change:
            self._leases.check(checkpoint.part_of or checkpoint.turn_id, change.connection)
            put_row(change.connection, schema.turns, turn_row(checkpoint, is_open=False))
            steps = schema.open_steps
            change.connection.execute(delete(steps).where(steps.c.turn_id == checkpoint.turn_id))
            change.insert_missing(schema.records, [record.as_row()])
        return record

    def newest_open(self, user_id: str) -> Checkpoint | None:
        """The newest turn that a killed program left open; None if there is none."""
        return next(iter(self.open_turns(user_id, 1)), None)

    def open_turns(self, user_id: str, newest: int) -> list[Checkpoint]:
        """Turns that have not ended and run in no other program, newest first; at most so many.

        Their sub-tasks are left out.
        """
        turns, elsewhere = schema.turns, set(self._leases.of_others().values())
        query = (
            select(turns)
            .where(turns.c.open, turns.c.user_id == user_id, _part_of().is_(None))
            .where(turns.c.id.not_in(elsewhere))
            .order_by(turns.c.started.desc())
            .limit(newest)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).mappings().all()
            return [Checkpoint.model_validate(whole_checkpoint(connection, row)) for row in rows]

    def open_turn(self, turn_id: str) -> Checkpoint | None:
        """A turn that has not ended, by its id."""
        query = select(schema.turns).where(schema.turns.c.id == turn_id, schema.turns.c.open)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().one_or_none()
            return Checkpoint.model_validate(whole_checkpoint(connection, row)) if row else None

    def has(self, turn_id: str) -> bool:
        """Whether there is a turn with this id, open or ended."""
        query = select(schema.turns.c.id).where(schema.turns.c.id == turn_id)
        with self._database.read() as connection:
            return connection.execute(query).scalar() is not None

    def free_start(self, user_id: str, started: datetime) -> datetime:
        """The first moment from a time on of which no turn's id is made, as after a clock was set back."""
        while self.has(record_id(user_id, started)):
            started += timedelta(microseconds=1)
        return started

    def is_open(self, turn_id: str) -> bool:
        """Whether there is a turn with this id that has not ended."""
        query = select(schema.turns.c.open).where(schema.turns.c.id == turn_id)
        with self._database.read() as connection:
            return bool(connection.execute(query).scalar())

    def load(self, turn_id: str) -> tuple[Checkpoint, Outcome | None] | None:
        """A turn and its outcome (None while it is open); None if there is no turn with this id."""
        query = select(schema.turns).where(schema.turns.c.id == turn_id)
        outcome = select(schema.records.c.outcome).where(schema.records.c.id == turn_id)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().one_or_none()
            if row is None:
                return None
            ended = None if row["open"] else connection.execute(outcome).scalar()
            return Checkpoint.model_validate(whole_checkpoint(connection, row)), Outcome(
                ended
            ) if ended else None

    def past_plans(self, user_id: str, newest: int = 40) -> list[dict[str, Any]]:
        """The `Checkpoint.plan` of successful turns of several sub-tasks, newest first."""
        turns, records = schema.turns, schema.records
        plan = turns.c.checkpoint["plan"]
        query = (
            select(turns.c.checkpoint)
            .join(records, records.c.id == turns.c.id)
            .where(~turns.c.open, turns.c.user_id == user_id, plan["plan"]["said"].as_string().is_not(None))
            .where(records.c.outcome == Outcome.SUCCESS)
            .order_by(turns.c.started.desc())
            .limit(newest)
        )
        with self._database.read() as connection:
            return [checkpoint["plan"] for checkpoint in connection.execute(query).scalars()]

    def typed_texts(self, user_id: str, newest: int = 5) -> frozenset[str]:
        """What the newest turns that are over typed into fields, in lower case."""
        turns = schema.turns
        query = (
            select(turns.c.checkpoint)
            .where(~turns.c.open, turns.c.user_id == user_id)
            .order_by(turns.c.started.desc())
            .limit(newest)
        )
        with self._database.read() as connection:
            checkpoints = connection.execute(query).scalars().all()
        actions = (step["action"] for checkpoint in checkpoints for step in checkpoint.get("steps", ()))
        return frozenset(
            action["text"].strip().casefold() for action in actions if action.get("type") == "type"
        )

    def recent_deeds(self, checkpoint: Checkpoint, since: datetime, newest: int = 24) -> list[PastDeed]:
        """What other turns have done since a time, latest first, with the stages that led to it.

        A turn may have begun long before, and may still run.

        Args:
            checkpoint: the turn that asks; it and its sub-tasks are left out.
            since: how far back.
            newest: at most so many turns, those that are open first.
        """
        turns, whole = schema.turns, checkpoint.part_of or checkpoint.turn_id
        query = (
            select(turns)
            .where(turns.c.user_id == checkpoint.user_id, turns.c.id != checkpoint.turn_id)
            .order_by(turns.c.open.desc(), turns.c.started.desc())
            .limit(newest)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).mappings().all()
            past = [Checkpoint.model_validate(whole_checkpoint(connection, row)) for row in rows]
        deeds = [
            PastDeed(step.deed, step.at or turn.started + timedelta(seconds=turn.seconds), turn.said)
            for turn in past
            if whole not in (turn.turn_id, turn.part_of)
            for step in turn.steps
            if step.deed is not None and (step.deed_done or step.deed in turn.stages_done)
        ]
        recent = [each for each in deeds if each.time >= since]
        return sorted(recent, key=lambda past_deed: past_deed.time, reverse=True)

    def discard(self, turn_id: str) -> None:
        """Delete an open turn with its open sub-tasks, observations and screenshots; no record is made."""
        parts = select(schema.turns.c.id).where(schema.turns.c.open, _part_of() == turn_id)
        with self._database.read() as connection:
            part_ids = connection.execute(parts).scalars().all()
        for each in (*part_ids, turn_id):
            self._discard(each)

    def _discard(self, turn_id: str) -> None:
        observations = schema.observations
        with self._database.write() as connection:
            query = select(observations.c.screenshot).where(observations.c.turn_id == turn_id)
            names = [name for name in connection.execute(query).scalars() if name]
            connection.execute(delete(schema.turns).where(schema.turns.c.id == turn_id))
        for name in names:
            (self._screenshots / name).unlink(missing_ok=True)

    def commands(self, user_id: str, newest: int = 200) -> list[str]:
        """The commands that the user typed in past turns, oldest first, without repeats."""
        turns = schema.turns
        query = (
            select(turns.c.said)
            .where(turns.c.user_id == user_id, turns.c.said != "")
            .order_by(turns.c.started.desc())
            .limit(newest)
        )
        with self._database.read() as connection:
            commands = connection.execute(query).scalars().all()
        return list(dict.fromkeys(commands))[::-1]

    def screenshots(self) -> list[StoredScreenshot]:
        """The screenshots of ended turns, oldest first."""
        table, turns = schema.observations, schema.turns
        query = (
            select(table.c.turn_id, table.c.step, table.c.screenshot, turns.c.started)
            .join(turns, turns.c.id == table.c.turn_id)
            .where(table.c.screenshot != "", ~turns.c.open)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        shots = []
        for turn_id, step, name, started in rows:
            file = self._screenshots / name
            size = file.stat().st_size if file.exists() else 0
            shots.append(StoredScreenshot(turn_id, step, datetime.fromisoformat(started), file, size))
        return sorted(shots, key=lambda shot: (shot.started, shot.turn_id, shot.step))

    def stray_screenshots(self, now: datetime) -> list[Path]:
        """Files that no row names, left by a killed program or by an import that was undone."""
        with self._database.read() as connection:
            named = set(connection.execute(select(schema.observations.c.screenshot)).scalars())
        limit = (now - _YOUNG).timestamp()
        files = (file for file in self._screenshots.iterdir() if file.name not in named and file.is_file())
        return sorted(file for file in files if file.stat().st_mtime < limit)


def _part_of() -> ColumnElement[str]:
    """The SQL expression for `Checkpoint.part_of` of a row; null for a turn that is no sub-task."""
    turn_id: ColumnElement[str] = schema.turns.c.checkpoint["part_of"].as_string()
    return turn_id


def with_parts(connection: Connection, turn_ids: Iterable[str]) -> list[str]:
    """The ids of some turns, and of the sub-tasks that belong to them."""
    ids = list(dict.fromkeys(turn_ids))
    parts: list[str] = []
    for some in portions(ids):
        parts += connection.execute(select(schema.turns.c.id).where(_part_of().in_(some))).scalars()
    return list(dict.fromkeys((*ids, *parts)))


def observation_row(turn_id: str, step: int, observation: Observation) -> dict[str, Any]:
    """The row for the screen before a step; it names the file for the screenshot."""
    return {
        "turn_id": turn_id,
        "step": step,
        "package": observation.app.package,
        "activity": observation.app.activity,
        "width": observation.width,
        "height": observation.height,
        "secure": observation.secure,
        "screenshot": file_name(turn_id, step) if observation.screenshot else "",
        "elements": [_without_defaults(element) for element in observation.with_picture_texts.elements],
    }


def read_elements(row: Mapping[Any, Any]) -> tuple[Element, ...]:
    """The elements of a row that `observation_row` made."""
    return tuple(
        Element(**{"index": 0, "parent": 0, **element, "bounds": Bounds(*element["bounds"])})
        for element in row["elements"]
    )


def turn_row(checkpoint: Checkpoint, *, is_open: bool) -> dict[str, Any]:
    """A turn as a row of its table; the steps of an open turn have rows of their own."""
    return {
        "id": checkpoint.turn_id,
        "user_id": checkpoint.user_id,
        "started": checkpoint.started.isoformat(),
        "said": checkpoint.said,
        "open": is_open,
        "checkpoint": checkpoint.model_dump(
            mode="json", exclude_none=True, exclude={"steps"} if is_open else None
        ),
    }


def whole_checkpoint(connection: Connection, row: Mapping[Any, Any]) -> dict[str, Any]:
    """The checkpoint of a row of turns with all its steps, as JSON data.

    A turn that an earlier version left open has its steps in the row itself.
    """
    checkpoint: dict[str, Any] = row["checkpoint"]
    if not row["open"]:
        return checkpoint
    steps = schema.open_steps
    query = select(steps.c.step).where(steps.c.turn_id == row["id"]).order_by(steps.c.place)
    return {**checkpoint, "steps": [*checkpoint.get("steps", ()), *connection.execute(query).scalars()]}


def _step_rows(checkpoint: Checkpoint, first: int) -> list[dict[str, Any]]:
    """The steps from index `first` on, as rows."""
    return [
        {
            "turn_id": checkpoint.turn_id,
            "place": place,
            "step": step.model_dump(mode="json", exclude_none=True),
        }
        for place, step in enumerate(checkpoint.steps[first:], start=first)
    ]


def _without_defaults(element: Element) -> dict[str, Any]:
    """An element as a dict without defaults. `asdict` copies values: 0.25 s for 5,000 elements."""
    values = zip(_DEFAULTS.items(), _values_of(element), strict=True)
    return {name: value for (name, default), value in values if value != default}
