"""Schedules: instructions to be carried out at times or events, and what became of each occasion.

All is in the database: until when a schedule's occasions were seen, and a row for each of them, whose key
is the schedule and the moment. So none is lost and none begins twice, whenever programs end, clocks are set
or two programs look at once.
"""

from __future__ import annotations

import shlex
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import and_, delete, insert, select, true, update

from assistant.events import Answer, Snooze
from assistant.i18n import UserError, _, moment
from assistant.memory.audit import Change
from assistant.memory.schema import records, turns
from assistant.memory.schema import schedule_runs as runs_table
from assistant.memory.schema import schedules as table
from assistant.memory.store import Store
from assistant.proactive.location import Places
from assistant.proactive.offers import snoozed_until
from assistant.proactive.schedule_events import (
    MISS_REASONS,
    SENDER_EVENTS,
    MissReason,
    ScheduleRule,
    format_left_out,
    open_zone,
    parse_rule,
    zone_name,
)
from assistant.proactive.schedule_times import parse_times
from assistant.proactive.suggestions import Countdown, DisplayedSuggestion, Stage, Suggestion, add_real_time

GRACE = timedelta(minutes=2)
"""How late an occasion may be noticed; two heartbeats. One that is noticed later was missed."""
PATIENCE = timedelta(minutes=15)
"""How long an occasion that is due may wait, as for a turn or the phone, before it is missed."""
_LATELY = timedelta(days=1)
_AGAIN_AFTER = timedelta(minutes=10)
"""An event this soon after the same one is the same occasion: at a door signals come and go."""
PLACE_EVENTS = frozenset({"arrive", "leave"})
_REMOVES = "Remove a schedule"
_MAKES = ("Add a schedule", "Change a schedule", "Pause a schedule", "Resume a schedule")
_JUST_NOW, _LOOKED_BACK, _LONGEST_INSTRUCTION = timedelta(minutes=10), 30, 2000
_JOB, _BY_USER = "at its time", "asked by the user"
_RUN_PREFIX = "schedule-"  # How the name of an occasion begins, which no other suggestion has.


class RunState(StrEnum):
    """What became of an occasion."""

    DUE = "due"
    STARTED = "started"
    SKIPPED = "skipped"
    MISSED = "missed"


class NoSuchSchedule(UserError):
    """No schedule has a name; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """An instruction with its times: `times` in the user's words, `rule` as they are read, in `zone`.

    `number` is what the user calls it by. No other schedule ever has it, not even once this one is removed.
    """

    id: str
    times: str
    rule: ScheduleRule
    zone: str
    instruction: str
    made: datetime
    paused: bool = False
    number: int = 0

    @property
    def words(self) -> str:
        """Its times and what it does, as a person reads it."""
        return _("{times}: {instruction}").format(times=self.times, instruction=self.instruction)

    def upcoming(self, now: datetime, count: int = 3) -> list[datetime]:
        """The next moments at which it begins; none while it is paused, and for an event."""
        times: list[datetime] = []
        zone, last = open_zone(self.zone), now
        is_due = not (self.paused or self.rule.event)
        while is_due and len(times) < count and (following := self.rule.next_moment(zone, last)) is not None:
            last = following
            times.append(following)
        return times


@dataclass(frozen=True, slots=True)
class ScheduleRun:
    """One occasion of a schedule. `begins` is later than `due` where the user put it off.

    `outcome` is how the turn that it began ended: of a record, `open` of a turn that did not end, or empty.
    """

    schedule_id: str
    due: datetime
    begins: datetime
    instruction: str
    state: RunState
    turn_id: str = ""
    reason: str = ""
    outcome: str = ""

    @property
    def id(self) -> str:
        """The name of the occasion."""
        return f"{_RUN_PREFIX}{self.schedule_id}-{self.due.timestamp():.0f}"

    def as_json(self) -> dict[str, Any]:
        """The occasion as one JSON object."""
        return {
            "schedule": self.schedule_id,
            "due": self.due.isoformat(),
            "instruction": self.instruction,
            "state": self.state.value,
            "outcome": self.outcome or None,
            "turn": self.turn_id or None,
            "reason": self.reason or None,
        }


@dataclass(frozen=True, slots=True)
class DueSchedules:
    """What a look at the schedules found: occasions to begin, the oldest first, and those newly missed."""

    due: tuple[ScheduleRun, ...] = ()
    missed: tuple[ScheduleRun, ...] = ()


class Schedules:
    """The schedules of one user, and their occasions.

    What the user changes can be undone; what comes due by itself only leaves a count in the audit.
    """

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    def add(self, times: str, instruction: str, now: datetime, zone: str = "") -> Schedule:
        """Add a schedule.

        Args:
            times: when it begins, see `parse_times`.
            instruction: what is done then.
            now: the present time.
            zone: the zone of the times; this machine's by default.

        Raises:
            UnreadableTime: the times or the zone are not understood.
            UserError: there is no instruction, or a very long one.
        """
        instruction = " ".join(instruction.split())
        if not 0 < len(instruction) <= _LONGEST_INSTRUCTION:
            raise UserError(_("Say what to do at these times, in at most 2,000 characters."))
        schedule = _make(times, instruction, now, zone or zone_name())
        with self._store.change("Add a schedule", _BY_USER) as change:
            change.insert(table, [self._row(schedule)])
        return replace(schedule, number=self._numbers()[schedule.id])

    def all(self) -> list[Schedule]:
        """All schedules, the oldest first."""
        numbers = self._numbers()
        return [replace(_parse(row), number=numbers.get(row["id"], 0)) for row in self._rows()]

    def _numbers(self) -> dict[str, int]:
        """The numbers of all schedules that there ever were, by their ids."""
        return {key["id"]: number for number, key in enumerate(self._store.audit.keys(table), start=1)}

    def find(self, name: str) -> Schedule:
        """The one schedule with this id, number or beginning of the id, or words of what it does.

        Digits are nothing but an id or a number: those of a schedule that is gone mean no other one.

        Raises:
            NoSuchSchedule: there is none, or several.
        """
        schedules = self.all()
        words = name.casefold().strip()
        by_words = [] if words.isdecimal() or not words else schedules
        fitting = [schedule for schedule in by_words if words in schedule.words.casefold()]
        for matches in (
            [schedule for schedule in schedules if schedule.id == name],
            [schedule for schedule in schedules if str(schedule.number) == words],
            [schedule for schedule in schedules if len(name) > 2 and schedule.id.startswith(name)],
            [schedule for schedule in fitting if words in schedule.instruction.casefold()],
            fitting,
        ):
            if len(matches) == 1:
                return matches[0]
        sentence = _("No schedule fits “{name}”. List them with: assistant schedule list")
        if fitting:
            sentence = _("“{name}” fits several schedules. Give its number in: assistant schedule list")
        raise NoSuchSchedule(sentence.format(name=name))

    def tell_unknown_place(self, rule: ScheduleRule) -> str:
        """That no place is known where a rule begins, and how one becomes known; empty where one is."""
        places = Places(self._store, self._user_id).all()
        if rule.event not in PLACE_EVENTS or rule.place in {place.scenario for place in places}:
            return ""
        sentence = _(
            "It cannot begin yet: the phone does not know where {place} is. When you are there, enter in a "
            "shell: assistant places here NAME --scenario {scenario}"
        )
        place = _("your home") if rule.place == "residence" else _(rule.place)
        return sentence.format(place=place, scenario=shlex.quote(rule.place))

    def pause(self, schedule: Schedule, *, paused: bool, now: datetime) -> bool:
        """Pause a schedule or resume it; nothing between is made up for. Returns whether that changed."""
        what = "Pause a schedule" if paused else "Resume a schedule"
        with self._store.change(what, _BY_USER) as change:
            self._note_seen(change, schedule.id, now)
            return change.update(table, {"id": schedule.id}, {"paused": paused})

    def remove(self, schedule: Schedule) -> int | None:
        """Remove a schedule; what is due of it does not begin. Its past occasions stay.

        Returns:
            The change, by which it can be undone; None where the schedule was gone already.
        """
        with self._store.change(_REMOVES, _BY_USER) as change:
            change.delete(table, {"id": schedule.id})
            _skip_due(change, schedule)
        return change.id

    def move(self, schedule: Schedule, times: str, now: datetime, instruction: str = "") -> Schedule:
        """Give a schedule other times, or an order, from now on; what is due of the old ones does not begin.

        Raises:
            UnreadableTime: the times are not understood, or have passed.
        """
        rule = parse_times(times, now.astimezone(open_zone(schedule.zone)))
        rule, order = replace(rule, skipped=schedule.rule.skipped), instruction or schedule.instruction
        moved = replace(schedule, times=times.strip(), rule=rule, instruction=order)
        with self._store.change("Change a schedule", _BY_USER) as change:
            _skip_due(change, schedule)
            change.update(table, {"id": schedule.id}, self._row(moved))
            self._note_seen(change, schedule.id, now)
        return moved

    def leave_out(self, schedule: Schedule, days: Sequence[date], now: datetime, at: str = "") -> Schedule:
        """Skip single days of a schedule; with `at` it runs once at that time instead."""
        skipped = tuple(sorted({day for day in schedule.rule.skipped if day >= now.date()} | {*days}))
        kept = replace(schedule, rule=replace(schedule.rule, skipped=skipped))
        due = [run for run in self._runs(runs_table.c.state == RunState.DUE.value) if run.due.date() in days]
        single = _make(at, schedule.instruction, now, schedule.zone) if at else None
        with self._store.change("Change a schedule", _BY_USER) as change:
            change.insert(table, [self._row(single)] if single else [])  # The first that is meant by “it”.
            change.update(table, {"id": schedule.id}, {"rule": kept.rule.as_json()})
            _skip_due(change, schedule, [run.due.timestamp() for run in due])
        return kept

    def latest(self, now: datetime, since: datetime | None = None, *, strict: bool = True) -> list[Schedule]:
        """What was just changed, the last first, not before `since`; `strict`: and nothing else since."""
        ids: list[str] = []
        lines = [line for line in self._store.audit.lines(_LOOKED_BACK) if line.why == _BY_USER]
        for line in reversed(lines):  # What is kept by itself lies not between.
            is_about = line.what.startswith(_MAKES)
            is_over = now - line.time > _JUST_NOW or (since is not None and line.time < since)
            if is_over or ((line.undone or not is_about) and (strict or is_about)):
                break
            ids += [str(row.key.get("id")) for row in self._store.audit.rows(line.id) if is_about]
        kept = {schedule.id: schedule for schedule in self.all()} if ids else {}
        return [kept[each] for each in dict.fromkeys(ids) if each in kept]

    def has_just_changed(self) -> bool:
        """Whether what the user did last changed a schedule that was made before."""
        lines = reversed(self._store.audit.lines(_LOOKED_BACK))
        return next((line.what for line in lines if line.why == _BY_USER), "") in _MAKES[1:]

    def removed(self, now: datetime, *, strict: bool = False) -> dict[int, Schedule]:
        """What was removed lately, by the change, the last first; `strict`: and nothing else since."""
        gone: dict[int, Schedule] = {}
        for line in reversed(self._store.audit.lines(_LOOKED_BACK)):
            is_removal = line.what == _REMOVES and not line.undone
            if line.why == _BY_USER and (is_removal or strict):
                if not is_removal or now - line.time > _LATELY:
                    break
                row = next(row.before for row in self._store.audit.rows(line.id) if row.table == table.name)
                gone |= {line.id: replace(_parse(row), number=self._numbers()[row["id"]])} if row else {}
        return gone

    def restore(self, change_id: int) -> None:
        """Bring back what a change removed."""
        self._store.undo(change_id)

    def history(self, schedule_id: str = "", count: int = 50) -> list[ScheduleRun]:
        """Past occasions with what became of them, the newest first; of one schedule or of all."""
        columns = runs_table.c
        is_asked = columns.schedule_id == schedule_id if schedule_id else true()
        query = (
            select(runs_table, records.c.outcome, turns.c.open)
            .outerjoin(records, records.c.id == columns.turn_id)
            .outerjoin(turns, turns.c.id == columns.turn_id)
            .where(columns.user_id == self._user_id, is_asked)
            .order_by(columns.moment.desc())
            .limit(count)
        )
        with self._store.reader() as connection:
            rows = connection.execute(query).mappings().all()
        return [_parse_run(row, row["outcome"] or ("open" if row["open"] else "")) for row in rows]

    def collect(self, now: datetime, *, starting: bool = False) -> DueSchedules:
        """Note the occasions up to now, and return what is to begin and what was missed since the last time.

        Args:
            now: the present time; it may be before that of the last call, after the clock was set.
            starting: whether this program has just begun to look, so that no turn of a schedule runs.

        Raises:
            StoreError: the memory cannot be read or written.
        """
        schedules = self._rows()
        runs = self._runs_to_settle(now, starting)
        fresh = {row["id"]: _occasions(row, now) for row in schedules}
        is_set_back = any(row["seen"] > now.timestamp() for row in schedules)
        if not (runs or any(fresh.values()) or is_set_back):
            return DueSchedules()
        missed: list[ScheduleRun] = []
        with self._store.change("Look at the schedules", _JOB) as change:
            # Read again under the lock of the transaction: another program may look at the same time.
            schedules = self._rows()
            self._settle(change, now, starting, missed)
            for row in schedules:
                self._add_occasions(change, row, now, missed)
        due = [run for run in self._runs(runs_table.c.state == RunState.DUE.value) if run.begins <= now]
        return DueSchedules(tuple(due), tuple(sorted(missed, key=lambda run: run.due)))

    def note_event(self, event: str, place: str, now: datetime) -> bool:
        """Make the schedules of an event due, such as `arrive` at `residence`; returns whether any is."""
        schedules = [
            schedule
            for schedule in self.all()
            if (schedule.rule.event, schedule.rule.place) == (event, place) and not schedule.paused
        ]
        lately = {
            run.schedule_id for run in self._runs(runs_table.c.moment > (now - _AGAIN_AFTER).timestamp())
        }
        rows = [
            self._run_row(schedule.id, now, schedule.instruction, RunState.DUE)
            for schedule in schedules
            if schedule.id not in lately
        ]
        if rows:
            with self._store.change("Look at the schedules", _JOB) as change:
                change.rebuild(runs_table, insert(runs_table), rows)
        return bool(rows)

    def senders(self) -> list[tuple[str, str]]:
        """The events of schedules that begin with a notification: its kind, and the sender's name."""
        rules = [schedule.rule for schedule in self.all() if not schedule.paused]
        return [(rule.event, rule.place) for rule in rules if rule.event in SENDER_EVENTS]

    def note_unreadable(self, now: datetime) -> list[ScheduleRun]:
        """Note once a day that schedules which begin with a notification cannot; returns what is new."""
        lately = {run.schedule_id for run in self._runs(runs_table.c.moment > (now - _LATELY).timestamp())}
        rows = [
            {
                **self._run_row(schedule.id, now, schedule.instruction, RunState.MISSED),
                "reason": MissReason.UNREADABLE.value,
            }
            for schedule in self.all()
            if schedule.rule.event in SENDER_EVENTS and not schedule.paused and schedule.id not in lately
        ]
        if not rows:
            return []
        with self._store.change("Look at the schedules", _JOB) as change:
            change.rebuild(runs_table, insert(runs_table), rows)
        return [_parse_run(row) for row in rows]

    def next_wake(self, now: datetime) -> list[datetime]:
        """When to look next: when each schedule comes next, and when a due occasion begins or is missed."""
        times = [time for schedule in self.all() for time in schedule.upcoming(now, 1)]
        for run in self._runs(runs_table.c.state == RunState.DUE.value):
            times += [run.begins, run.begins + PATIENCE]
        return [time for time in times if time > now]

    def begin(self, run: ScheduleRun, turn_id: str) -> bool:
        """Note that an occasion begins with a turn; false where it has begun or ended already."""
        return self._change_state(run, {"state": RunState.STARTED.value, "turn_id": turn_id})

    def skip(self, run: ScheduleRun) -> None:
        """The user does not want it this time."""
        self._change_state(run, {"state": RunState.SKIPPED.value})

    def put_off(self, run: ScheduleRun, begins: datetime) -> None:
        """Begin it later."""
        self._change_state(run, {"begins": begins.timestamp()})

    def note_run(self, schedule: Schedule, turn_id: str, now: datetime) -> None:
        """Note a turn that the user began out of turn."""
        row = self._run_row(schedule.id, now, schedule.instruction, RunState.STARTED, turn_id)
        with self._store.change("Run a schedule", _BY_USER) as change:
            change.rebuild(runs_table, insert(runs_table), [row])

    def _change_state(self, run: ScheduleRun, values: Mapping[str, object]) -> bool:
        columns = runs_table.c
        is_due = and_(
            columns.schedule_id == run.schedule_id,
            columns.moment == run.due.timestamp(),
            columns.state == RunState.DUE.value,
        )
        with self._store.change("Run a schedule", _JOB) as change:
            return change.rebuild(runs_table, update(runs_table).where(is_due).values(values)) > 0

    def _runs_to_settle(self, now: datetime, starting: bool) -> list[ScheduleRun]:
        """Occasions whose state may change: those that are due, and those ahead of a clock set back."""
        columns = runs_table.c
        ahead = columns.state.in_((RunState.DUE.value, RunState.MISSED.value)) & (
            columns.moment > now.timestamp()
        )
        runs = self._runs((columns.state == RunState.DUE.value) | ahead)
        return runs + (self._never_begun(now) if starting else [])

    def _settle(self, change: Change, now: datetime, starting: bool, missed: list[ScheduleRun]) -> None:
        """Take back what lies ahead of a clock that was set back, and give up what waited too long."""
        columns = runs_table.c
        for run in self._runs_to_settle(now, starting):
            key = (columns.schedule_id == run.schedule_id) & (columns.moment == run.due.timestamp())
            if run.due > now:
                change.rebuild(runs_table, delete(runs_table).where(key))
            elif run.state is RunState.STARTED or now - run.begins > PATIENCE:
                reason = MissReason.NOT_RUNNING if starting else MissReason.NOT_STARTED
                values = {"state": RunState.MISSED.value, "reason": reason.value}
                change.rebuild(runs_table, update(runs_table).where(key).values(values))
                missed.append(run)

    def _never_begun(self, now: datetime) -> list[ScheduleRun]:
        """Occasions that a program noted as begun before it was killed, without their turn having begun."""
        columns = runs_table.c
        with_turn = select(turns.c.id).where(turns.c.id == columns.turn_id).exists()
        with_record = select(records.c.id).where(records.c.id == columns.turn_id).exists()
        return self._runs(
            columns.state == RunState.STARTED.value,
            columns.turn_id != "",
            columns.moment > (now - _LATELY).timestamp(),
            ~with_turn,
            ~with_record,
        )

    def _add_occasions(
        self, change: Change, row: Mapping[str, Any], now: datetime, missed: list[ScheduleRun]
    ) -> None:
        """Add a row for each occasion since the schedule was last seen, but for those that have one."""
        moments = _occasions(row, now)
        if not moments and row["seen"] <= now.timestamp():
            return
        self._note_seen(change, row["id"], now)
        if row["paused"]:
            return
        columns = runs_table.c
        query = select(columns.moment).where(
            columns.schedule_id == row["id"], columns.moment >= (moments[0].timestamp() if moments else 0)
        )
        existing = set(change.connection.execute(query).scalars())
        rows = []
        for due in (due for due in moments if due.timestamp() not in existing):
            state = RunState.DUE if now - due <= GRACE else RunState.MISSED
            rows.append(self._run_row(row["id"], due, row["instruction"], state))
            if state is RunState.MISSED:
                missed.append(_parse_run(rows[-1]))
        if rows:
            change.rebuild(runs_table, insert(runs_table), rows)

    def _note_seen(self, change: Change, schedule_id: str, now: datetime) -> None:
        seen = update(table).where(table.c.id == schedule_id).values(seen=now.timestamp())
        change.rebuild(table, seen)

    def _rows(self) -> list[Mapping[str, Any]]:
        query = select(table).where(table.c.user_id == self._user_id).order_by(table.c.made, table.c.id)
        with self._store.reader() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def _runs(self, *conditions: Any) -> list[ScheduleRun]:
        query = select(runs_table).where(runs_table.c.user_id == self._user_id, *conditions)
        with self._store.reader() as connection:
            rows = connection.execute(query.order_by(runs_table.c.moment)).mappings().all()
        return [_parse_run(row) for row in rows]

    def _row(self, schedule: Schedule) -> dict[str, Any]:
        return {
            "id": schedule.id,
            "user_id": self._user_id,
            "times": schedule.times,
            "rule": schedule.rule.as_json(),
            "zone": schedule.zone,
            "instruction": schedule.instruction,
            "made": schedule.made.isoformat(),
            "paused": schedule.paused,
            "seen": schedule.made.timestamp(),
        }

    def _run_row(
        self, schedule_id: str, due: datetime, instruction: str, state: RunState, turn_id: str = ""
    ) -> dict[str, Any]:
        return {
            "schedule_id": schedule_id,
            "moment": due.timestamp(),
            "user_id": self._user_id,
            "due": due.isoformat(),
            "begins": due.timestamp(),
            "instruction": instruction,
            "state": state.value,
            "turn_id": turn_id,
            "reason": MissReason.NOT_RUNNING.value if state is RunState.MISSED else "",
        }


def _make(times: str, instruction: str, now: datetime, zone: str) -> Schedule:
    rule = parse_times(times, now.astimezone(open_zone(zone)))
    return Schedule(uuid.uuid4().hex[:8], times.strip(), rule, zone, instruction, now)


def _skip_due(change: Change, schedule: Schedule, moments: Sequence[float] | None = None) -> None:
    """Let nothing begin that is due of a schedule, or what is due at some moments."""
    open_runs = (runs_table.c.schedule_id == schedule.id) & (runs_table.c.state == RunState.DUE.value)
    if moments is not None:
        open_runs &= runs_table.c.moment.in_(moments)
    change.rebuild(runs_table, update(runs_table).where(open_runs).values(state=RunState.SKIPPED.value))


def _occasions(row: Mapping[str, Any], now: datetime) -> Sequence[datetime]:
    """The moments of a schedule since it was last seen, up to now."""
    seen = datetime.fromtimestamp(min(row["seen"], now.timestamp()), UTC)
    rule = parse_rule(row["rule"])
    return () if rule.event else rule.moments(open_zone(row["zone"]), seen, now)


def _parse(row: Mapping[str, Any]) -> Schedule:
    return Schedule(
        id=row["id"],
        times=row["times"],
        rule=parse_rule(row["rule"]),
        zone=row["zone"],
        instruction=row["instruction"],
        made=datetime.fromisoformat(row["made"]),
        paused=row["paused"],
    )


def _parse_run(row: Mapping[Any, Any], outcome: str = "") -> ScheduleRun:
    due = datetime.fromisoformat(row["due"])
    return ScheduleRun(
        schedule_id=row["schedule_id"],
        due=due,
        begins=datetime.fromtimestamp(row["begins"], due.tzinfo),
        instruction=row["instruction"],
        state=RunState(row["state"]),
        turn_id=row["turn_id"],
        reason=row["reason"],
        outcome=outcome,
    )


def format_schedule(schedule: Schedule, now: datetime, last: ScheduleRun | None = None) -> str:
    """A schedule on one line: its times and instruction, when it comes next, and how it went last."""
    following = schedule.upcoming(now, 1)
    if schedule.paused:
        state = _("paused")
    elif following:
        state = _("next: {moment}").format(moment=moment(following[0], year=following[0].year != now.year))
        if following[0].utcoffset() != following[0].astimezone(now.tzinfo).utcoffset():
            state = _("{next} in {zone}").format(next=state, zone=schedule.zone)
    else:
        state = "" if schedule.rule.event else _("over")
    parts = [schedule.words, format_left_out(schedule.rule, now), state]
    if last is not None:
        parts.append(_("last: {words}").format(words=format_run_state(last)))
    return " · ".join(part for part in parts if part)


def format_run(run: ScheduleRun) -> str:
    """An occasion on one line: when it was due, what was to be done, and what became of it."""
    return f"{moment(run.due, year=True)}  {run.instruction} · {format_run_state(run)}"


def format_run_state(run: ScheduleRun) -> str:
    """What became of an occasion."""
    match run.state:
        case RunState.DUE:
            return _("due")
        case RunState.SKIPPED:
            return _("not wanted")
        case RunState.MISSED:
            reason = MISS_REASONS[MissReason(run.reason)] if run.reason else ""
            return _("missed: {reason}").format(reason=_(reason)) if reason else _("missed")
    if not run.turn_id:
        return _("begun; its turn is forgotten")
    return _(run.outcome) if run.outcome else _("begun")


class ScheduledStart:
    """The occasion of a schedule that is due: shown with a countdown, at whose end it begins.

    Where it cannot begin then, as without a phone, it is tried again until it is missed. All methods belong
    to the event loop's thread, except for `answer`.

    Args:
        schedules: where it is stored.
        displayed: shows it.
        countdown: starts it.
        now: the present time.
    """

    def __init__(
        self,
        schedules: Schedules,
        displayed: DisplayedSuggestion,
        countdown: Countdown,
        now: Callable[[], datetime],
    ) -> None:
        self._schedules = schedules
        self._displayed = displayed
        self._countdown = countdown
        self._now = now
        self._shown: ScheduleRun | None = None
        self._stopped = ""

    def is_shown(self, suggestion_id: str) -> bool:
        """Whether a suggestion is the occasion that is shown."""
        return self._shown is not None and self._shown.id == suggestion_id

    def stop(self, suggestion_id: str) -> None:
        """Do not try again by itself: the user has stopped it."""
        if self.is_shown(suggestion_id):
            self._stopped = suggestion_id

    def update(self, due: Sequence[ScheduleRun], *, busy: bool) -> bool:
        """Show the oldest occasion that is due, unless a turn runs; returns whether one is shown."""
        if self._shown is not None and self._shown.id not in {run.id for run in due}:
            self._displayed.lapse(self._shown.id)
            self._shown = None
        if not due or busy:
            return self._shown is not None
        run = self._shown or due[0]
        waits = self._countdown.is_running(run.id) or self._stopped == run.id
        if self._shown is None or not waits:
            self._shown = run
            self._displayed.update(self._as_suggestion(run), auto_run=True, is_new=True, scheduled=True)
        return True

    def begin(self, suggestion_id: str, turn_id: str) -> bool:
        """Note the turn that begins; false for an occasion that is over, or that was begun elsewhere."""
        if self._shown is None or self._shown.id != suggestion_id:
            return not suggestion_id.startswith(_RUN_PREFIX)
        return self._schedules.begin(self._shown, turn_id)

    def answer(self, suggestion_id: str, answer: Answer | Snooze) -> None:
        """Store the user's answer; "never" pauses the schedule, and what was accepted has begun already."""
        run = self._shown
        if run is None or run.id != suggestion_id:
            return
        if isinstance(answer, Snooze):
            self._schedules.put_off(run, snoozed_until(self._now(), answer))
        elif answer in (Answer.NOT_NOW, Answer.NEVER):
            self._schedules.skip(run)
        if answer is Answer.NEVER:
            self._schedules.pause(self._schedules.find(run.schedule_id), paused=True, now=self._now())

    def tell_answer(self, suggestion_id: str, answer: Answer | Snooze) -> None:
        """Tell the answer, and show it no more."""
        if self._shown is None or self._shown.id != suggestion_id:
            return
        ended = replace(self._as_suggestion(self._shown), stage=Stage.OVER)
        if isinstance(answer, Snooze):
            ended = replace(ended, stage=Stage.SNOOZED, due=snoozed_until(self._now(), answer))
        else:
            ended = replace(ended, answer=answer)
        self._shown = None
        self._displayed.tell_answer(ended)

    def _as_suggestion(self, run: ScheduleRun) -> Suggestion:
        begins = moment(run.due)
        return Suggestion(
            id=run.id,
            routine="",
            anchor="",
            instruction=run.instruction,
            score=1.0,
            why=(_("scheduled by you for {moment}").format(moment=begins),),
            evidence=(),
            scenario="",
            made=run.due,
            due=run.begins,
            until=add_real_time(run.begins, PATIENCE),
        )
