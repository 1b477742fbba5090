"""The request log (what was sent to the model) and the usage ledger (tokens, seconds and money).

The log has a line with the full text of each request to the endpoint. The ledger has an entry for each step,
and sums them by day and model.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import ColumnElement, case, delete, func, insert, select

from assistant.i18n import _, counted
from assistant.memory import schema
from assistant.memory.audit import Change
from assistant.memory.database import Database, StoreError
from assistant.memory.schema import sent
from assistant.records import Cost, Usage, in_words

_log = logging.getLogger(__name__)

REQUEST_TURN: ContextVar[str] = ContextVar("request_turn", default="")
"""The id of the turn whose words the running code sends after its end, as to learn from it; else empty.

Such a request is forgotten with the turn.
"""


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One request. `parts` are role and text of each message; empty if the log was read without texts."""

    user_id: str
    turn_id: str
    step: int
    time: datetime
    endpoint: str
    model: str
    text_bytes: int
    picture_bytes: int
    parts: tuple[tuple[str, str], ...] = ()
    id: int = 0

    @property
    def size(self) -> int:
        """Bytes of texts and picture together."""
        return self.text_bytes + self.picture_bytes


class SentRequest(Protocol):
    """A request that is about to be sent to a model."""

    @property
    def endpoint(self) -> str:
        """The endpoint's address."""

    @property
    def model(self) -> str:
        """The model's name."""

    @property
    def text_bytes(self) -> int:
        """The size of the texts, in bytes."""

    @property
    def picture_bytes(self) -> int:
        """The size of the screenshot in bytes; 0 without one."""

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """Role and text of each message."""


class RequestLog:
    """The requests of one database. Lines are written without the audit and cannot be undone."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def store(
        self, request: SentRequest, user_id: str, time: datetime, turn_id: str = "", step: int = 0
    ) -> None:
        """Log a request that is about to be sent; a failure to write is itself only logged, never raised.

        Args:
            request: what is sent.
            user_id: whose request it is.
            time: the local time.
            turn_id: the turn that sends it, if one does.
            step: the turn's step.
        """
        line = LoggedRequest(
            user_id=user_id,
            turn_id=turn_id,
            step=step,
            time=time,
            endpoint=request.endpoint,
            model=request.model,
            text_bytes=request.text_bytes,
            picture_bytes=request.picture_bytes,
            parts=request.parts,
        )
        try:
            self.add(line)
        except StoreError as problem:
            _log.warning("a request is missing from the request log: %s", problem)

    def add(self, line: LoggedRequest) -> None:
        """Write a line.

        Raises:
            StoreError: the memory cannot be written.
        """
        values = {
            "user_id": line.user_id,
            "turn_id": line.turn_id,
            "step": line.step,
            "time": line.time.isoformat(),
            "moment": line.time.timestamp(),
            "endpoint": line.endpoint,
            "model": line.model,
            "text_bytes": line.text_bytes,
            "picture_bytes": line.picture_bytes,
            "parts": [list(part) for part in line.parts],
        }
        with self._database.write() as connection:
            connection.execute(insert(sent).values(values))

    def lines(
        self, user_id: str, newest: int, turn_id: str = "", *, whole: bool = False
    ) -> list[LoggedRequest]:
        """The latest lines of one turn, or of all turns, newest first; with their texts if `whole`."""
        columns = [column for column in sent.columns if whole or column is not sent.c.parts]
        conditions: list[ColumnElement[bool]] = [sent.c.user_id == user_id]
        if turn_id:
            conditions.append(sent.c.turn_id == turn_id)
        query = select(*columns).where(*conditions).order_by(sent.c.id.desc()).limit(newest)
        with self._database.read() as connection:
            return [_read_line(row) for row in connection.execute(query).mappings()]

    def line(self, line_id: int) -> LoggedRequest:
        """One line with its texts.

        Raises:
            KeyError: there is no such line, or it was deleted.
        """
        with self._database.read() as connection:
            row = connection.execute(select(sent).where(sent.c.id == line_id)).mappings().one_or_none()
        if row is None:
            raise KeyError(line_id)
        return _read_line(row)

    def newest(self) -> int:
        """The number of the latest line, 0 for none."""
        with self._database.read() as connection:
            return int(connection.execute(select(func.coalesce(func.max(sent.c.id), 0))).scalar_one())

    def count(self, user_id: str) -> int:
        """The number of lines of a user."""
        query = select(func.count()).select_from(sent).where(sent.c.user_id == user_id)
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def drop(self, line_ids: Sequence[int]) -> int:
        """Delete some lines for good. Returns the number of lines that existed."""
        with self._database.write() as connection:
            return connection.execute(delete(sent).where(sent.c.id.in_(line_ids))).rowcount

    def lines_of_all(self, before: datetime | None = None) -> int:
        """The number of lines of all users, with `before` only of those older than that moment."""
        query = select(func.count()).select_from(sent)
        if before is not None:
            query = query.where(sent.c.moment < before.timestamp())
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def drop_before(self, moment: datetime) -> int:
        """Delete the lines that are older than a moment. Returns the number of deleted lines."""
        with self._database.write() as connection:
            return connection.execute(delete(sent).where(sent.c.moment < moment.timestamp())).rowcount


def forget_sent(change: Change, record_ids: Sequence[str]) -> None:
    """Erase the lines of the turns of some records."""
    query = select(sent.c.id).where(sent.c.turn_id.in_(record_ids))
    rows = [{"id": line_id} for line_id in change.connection.execute(query).scalars()]
    change.erase(sent, rows)


def _read_line(row: Mapping[Any, Any]) -> LoggedRequest:
    return LoggedRequest(
        user_id=row["user_id"],
        turn_id=row["turn_id"],
        step=row["step"],
        time=datetime.fromisoformat(row["time"]),
        endpoint=row["endpoint"],
        model=row["model"],
        text_bytes=row["text_bytes"],
        picture_bytes=row["picture_bytes"],
        parts=tuple((role, text) for role, text in row.get("parts", ())),
        id=row["id"],
    )


@dataclass(frozen=True, slots=True)
class StepUsage:
    """What one step used; step 0 is a request for text, such as reading a command.

    `seconds` is the time spent waiting for the model; `cost` is None without a price.
    """

    user_id: str
    turn_id: str
    step: int
    time: datetime
    model: str
    usage: Usage
    seconds: float
    seconds_to_first_token: float | None = None
    cost: Cost | None = None


@dataclass(frozen=True, slots=True)
class DaySpending:
    """The sums of one day, model and currency; the time to the first token (in seconds) is an average.

    `step_tokens` are those of the prompts of steps alone. Entries whose price was not known at the time are
    summed separately, with `cost` None.
    """

    day: date
    model: str
    turns: int
    steps: int
    usage: Usage
    seconds: float
    seconds_to_first_token: float | None
    cost: Cost | None
    step_tokens: int = 0


@dataclass(frozen=True, slots=True)
class DaySum:
    """The sums of one day up to the entry `last_entry`: tokens in and out together, and money by currency."""

    day: date
    tokens: int = 0
    costs: tuple[Cost, ...] = ()
    last_entry: int = 0


class UsageLedger:
    """The entries of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, entry: StepUsage) -> None:
        """Write an entry; it stays when its turn is forgotten."""
        values = {
            "user_id": entry.user_id,
            "turn_id": entry.turn_id,
            "step": entry.step,
            "time": entry.time.isoformat(),
            "day": entry.time.date().isoformat(),
            "model": entry.model,
            **entry.usage.model_dump(),
            "seconds": entry.seconds,
            "seconds_to_first_token": entry.seconds_to_first_token,
            "cost": entry.cost.amount if entry.cost else None,
            "currency": entry.cost.currency if entry.cost else "",
        }
        with self._database.write() as connection:
            connection.execute(insert(schema.spent).values(values))

    def days(self, user_id: str, since: date) -> list[DaySpending]:
        """The sums since a day, that day included: the oldest day first, models by name."""
        table = schema.spent
        group = (table.c.day, table.c.model, table.c.currency)
        query = (
            select(
                *group,
                func.count(func.nullif(table.c.turn_id, "").distinct()).label("turns"),
                func.count(func.nullif(table.c.step, 0)).label("steps"),
                func.sum(case((table.c.step > 0, table.c.prompt_tokens), else_=0)).label("step_tokens"),
                func.sum(table.c.prompt_tokens).label("prompt_tokens"),
                func.sum(table.c.completion_tokens).label("completion_tokens"),
                func.sum(table.c.requests).label("requests"),
                func.sum(table.c.cached_tokens).label("cached_tokens"),
                func.sum(table.c.estimated_tokens).label("estimated_tokens"),
                func.sum(table.c.seconds).label("seconds"),
                func.avg(table.c.seconds_to_first_token).label("first"),
                func.sum(table.c.cost).label("cost"),
            )
            .where(table.c.user_id == user_id, table.c.day >= since.isoformat())
            .group_by(*group)
            .order_by(*group)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).mappings().all()
        return [_day(row) for row in rows]

    def sum_of(self, user_id: str, day: date, before: DaySum | None = None) -> DaySum:
        """The sum of one day. With an earlier sum `before` of the same day, only newer entries are read."""
        base = before if before is not None and before.day == day else DaySum(day)
        table = schema.spent
        query = (
            select(
                table.c.currency,
                func.sum(table.c.prompt_tokens + table.c.completion_tokens).label("tokens"),
                func.sum(table.c.cost).label("cost"),
                func.max(table.c.id).label("last"),
            )
            .where(table.c.user_id == user_id, table.c.day == day.isoformat(), table.c.id > base.last_entry)
            .group_by(table.c.currency)
        )
        with self._database.read() as connection:
            new = connection.execute(query).mappings().all()
        sums = {cost.currency: cost for cost in base.costs}
        for row in new:
            if row["cost"] is not None:
                cost = Cost(amount=row["cost"], currency=row["currency"])
                sums[cost.currency] = cost.plus(sums.get(cost.currency))
        return DaySum(
            day,
            base.tokens + sum(row["tokens"] for row in new),
            tuple(sums[currency] for currency in sorted(sums)),
            max((row["last"] for row in new), default=base.last_entry),
        )


def _day(row: Mapping[Any, Any]) -> DaySpending:
    priced = row["cost"] is not None
    return DaySpending(
        day=date.fromisoformat(row["day"]),
        model=row["model"],
        turns=row["turns"],
        steps=row["steps"],
        usage=Usage(**{name: row[name] for name in Usage.model_fields}),
        seconds=row["seconds"],
        seconds_to_first_token=row["first"],
        cost=Cost(amount=row["cost"], currency=row["currency"]) if priced else None,
        step_tokens=row["step_tokens"],
    )


def costs(days: Iterable[DaySpending]) -> tuple[Cost, ...]:
    """The money of some days, summed by currency."""
    sums: dict[str, Cost] = {}
    for day in days:
        if day.cost is not None:
            sums[day.cost.currency] = day.cost.plus(sums.get(day.cost.currency))
    return tuple(sums[currency] for currency in sorted(sums))


def tell_usage(ledger: UsageLedger, user_id: str, today: date) -> str:
    """What the model was used for today and in the last days: turns, steps, tokens and money."""
    spent = ledger.days(user_id, today - timedelta(days=_DAYS_OF_USAGE - 1))
    if not spent:
        return _("The model was not used in the last {count} days.").format(count=_DAYS_OF_USAGE)
    in_days = _("In {count} days").format(count=_DAYS_OF_USAGE)
    spans = ((_("Today"), [day for day in spent if day.day == today]), (in_days, spent))
    return "\n".join(_format_spending(label, days) for label, days in spans)


_DAYS_OF_USAGE = 30


def _format_spending(label: str, days: Sequence[DaySpending]) -> str:
    """What the model was used for on some days, on one line."""
    tokens = sum(day.usage.prompt_tokens + day.usage.completion_tokens for day in days)
    money = " + ".join(map(in_words, costs(days))) or _("cost unknown")
    return _("{label}: {turns}, {steps}, {tokens} tokens, {money}.").format(
        label=label,
        turns=counted(sum(day.turns for day in days), "turn"),
        steps=counted(sum(day.steps for day in days), "step"),
        tokens=f"{tokens:,}",
        money=money,
    )
