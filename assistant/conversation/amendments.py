"""Lines about what was just made: a schedule, or what a turn set on the phone, such as an alarm.

“Make that 7:30”, “and on fridays too”, 太早了 挪到九点, 那个咖啡的先停了吧: what is meant is the thing made
last, or one that the line names by what it does. A schedule is changed at once, and “undo” takes that back.
For what lies on the phone the command that changes it there is offered, with what still stands. It is carried
out where the turn that ended just before set the one thing that can be meant; it is shown before it begins.
The words are data, in `amendments.yaml`; days and times are read as those of a schedule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from functools import cache

from assistant.conversation.line_words import (
    FollowUp,
    FollowUpKind,
    clock_in,
    clock_read,
    clock_set,
    clocks_in,
    days_form,
    days_left,
    days_said,
    is_question,
    line_pattern,
    names_days,
    part_of_hour,
    says_times,
    says_weekly,
    split_clock,
    time_of_day,
)
from assistant.conversation.periods import added_clock, new_clock
from assistant.conversation.routing import Route, RouteKind, begins_task, only_cancels, route
from assistant.files import compile_words, read_words
from assistant.history import PastTurn, PastTurns
from assistant.i18n import _, fold_case, has_chinese, sentences
from assistant.model.types import one_line
from assistant.proactive.schedule_events import UnreadableTime
from assistant.proactive.schedules import Schedule, Schedules
from assistant.records import Outcome
from assistant.skills.command_wording import ValueKind, find_values
from assistant.skills.slots import read_shift
from assistant.understand.slots import find_clock_time
from assistant.understand.words import mentions_any


@dataclass(frozen=True, slots=True)
class _Table:
    """The patterns of `amendments.yaml`, compiled; those that are tried in turn stand in `forms`."""

    lines: Mapping[str, re.Pattern[str]]
    forms: Mapping[str, tuple[re.Pattern[str], ...]]
    on_phone: Mapping[str, re.Pattern[str]]


_FORMS = ("reason", "moves", "adds", "drops", "pauses", "cancels", "brings")


@cache
def _table() -> _Table:
    data = read_words("assistant.conversation", "amendments.yaml")
    parts, on_phone = data.pop("parts"), data.pop("on_phone")
    forms = {name: tuple(compile_words(each, parts) for each in data.pop(name)) for name in _FORMS}
    lines = {name: compile_words(words, parts) for name, words in data.items()}
    return _Table(lines, forms, {kind: compile_words(words) for kind, words in on_phone.items()})


def read_follow_up(text: str, now: datetime) -> FollowUp | None:
    """What a line does to something made before; None where it does nothing of the kind, or more than that.

    Clauses beside it may say why: “too early, make it nine”, 先停了吧 下周我出差.
    """
    line, reading = _normalized(text), _Reading(now)
    line = reading.open(line)
    clauses = [each for each in _table().lines["clause_ends"].split(line) if each]
    if (read := _read_clauses(clauses, reading)) is not None:
        return read
    is_wish = line_pattern("of_wish").search(line) is not None  # It may not be of what comes before it.
    whole = reading.read(line)
    if reading.is_refused:  # “Skip tomorrow, friday” is one list of days.
        return whole if whole is not None and whole.kind is FollowUpKind.DROP else None
    return whole or (reading.read("".join(clauses)) if has_chinese(line) and not is_wish else None)


def _read_clauses(clauses: Sequence[str], reading: _Reading) -> FollowUp | None:
    """What one of some clauses does, where the others before it only say why, and none begins a task."""
    follow_up = None
    for clause in clauses:
        rest = reading.open(clause)
        if follow_up is not None and _table().lines["takes_back"].fullmatch(clause):
            return None
        if not rest or (follow_up is None and reading.is_reason(rest)):
            continue
        read = reading.read(rest) if follow_up is None else reading.read_beside(follow_up, rest)
        bare = line_pattern("joins").sub("", rest.removeprefix("再"))
        orders = begins_task(rest) or begins_task(bare)  # 再设个六点的闹钟 is no part of a change.
        if read is None and (follow_up is None or orders or reading.says_more(follow_up, rest)):
            reading.refused = None if orders else follow_up
            reading.is_refused = follow_up is not None
            return None
        follow_up = read or follow_up
    return follow_up


def _normalized(text: str) -> str:
    return " ".join(fold_case(text).split()).strip(" .。!！,，?？~…")


class _Reading:
    """Reads the clauses of one line, and remembers what the ones before say of it."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self.is_refused = False
        self.refused: FollowUp | None = None
        self._contradicts = self._also = False
        self._clock = ""

    def open(self, clause: str) -> str:
        """A clause without the words that only lead to what it says."""
        lines = _table().lines
        while (match := lines["opens"].match(clause)) is not None and match.end():
            self._contradicts |= lines["contradicts"].search(match[0]) is not None
            clause = clause[match.end() :]
        if (also := lines["also"].match(clause)) is not None:
            self._also, clause = True, clause[also.end() :]
        return clause

    def is_reason(self, clause: str) -> bool:
        """Whether a clause only says why other times are meant, and perhaps which ones are not right."""
        forms = () if re.search(r"\d{9}", clause) else _table().forms["reason"]  # A digit doubles the time.
        match = next(filter(None, (form.fullmatch(clause) for form in forms)), None)
        if match is not None:
            self._contradicts = True
            self._clock = find_clock_time(match["clock"] or "")
        return match is not None

    def read(self, clause: str) -> FollowUp | None:
        """What a clause does to something made before."""
        lines, bare = _table().lines, _table().lines["closes"].sub("", clause)
        self._contradicts |= lines["instead"].search(clause) is not None
        for kind, name in _KINDS:
            for form in _table().forms[name]:
                # “This week” at the end may be what is left out.
                whole = form.fullmatch(clause) if kind is FollowUpKind.DROP else None
                if (match := form.fullmatch(bare) or whole) is None:
                    continue
                read = self._take(kind, match.groupdict(default=""))
                passing = lines["for_now"].search(clause)
                if read is not None and passing is not None and read.kind is FollowUpKind.CANCEL:
                    return replace(read, kind=FollowUpKind.PAUSE)
                if read is not None and passing is not None and read.kind is FollowUpKind.DROP:
                    week = passing[0].strip().removeprefix("for ")
                    days_text = read.said.removesuffix(week).removesuffix(" for ").strip()
                    gap = "" if has_chinese(week) else " "
                    return replace(read, said=f"{days_text}{gap}{week}".strip())  # No day of every week.
                if read is not None:
                    return read
        return self._read_times(bare)

    def _take(self, kind: FollowUpKind, groups: Mapping[str, str]) -> FollowUp | None:
        name, clock = _table().lines["time_of"].sub("", groups.get("what", "").strip()), self._clock
        if "days" in groups:
            words, at = split_clock(groups["days"]) if kind is FollowUpKind.ADD else (groups["days"], "")
            if other := groups.get("other"):
                off = words if line_pattern("repeats").search(words) else ""
                return self.read_days_instead(FollowUp(kind, off, name, clock), other)
            is_next = kind is FollowUpKind.DROP and line_pattern("next_one").fullmatch(words) is not None
            is_next |= kind is FollowUpKind.DROP and line_pattern("whole_week").fullmatch(words) is not None
            days = words if is_next else days_said(words, self._now)
            points = _table().lines["points"].fullmatch(name)
            is_several = points is not None and points["all"]  # Days are left out of one schedule at a time.
            return FollowUp(kind, days, name, clock, at=at) if days and not is_several else None
        if kind is FollowUpKind.MOVE:
            times, *old = _table().lines["instead_of"].split(groups["times"], maxsplit=1)
            if (shift := read_shift(times)) is not None and shift.unit == "clock":
                return FollowUp(FollowUpKind.SHIFT, str(shift.by), name, clock)
            if times and (says_times(times, self._now) or part_of_hour(times)):
                return FollowUp(kind, times, name, clock)
            days = self._days_moved(times, *old)
            return FollowUp(kind, days, name, clock) if days else None
        points = _table().lines["points"].fullmatch(name)
        is_all = bool(groups.get("all") or (points is not None and points["all"]))
        return FollowUp(kind, "", name, clock, is_all)

    def read_beside(self, follow_up: FollowUp, clause: str) -> FollowUp | None:
        """What was read with what a clause behind it says of the same thing: other days, a time, a limit."""
        if (instead := self.read_days_instead(follow_up, clause)) is not None:
            return instead
        if follow_up.kind not in _CHANGING or follow_up.second is not None:
            return None
        if line_pattern("order_limit").fullmatch(clause) is not None:
            # A limit of the order says how much; “if it rains” may be one of the change.
            is_of_order = re.search(r"\d", clause) is not None and follow_up.kind is not FollowUpKind.DROP
            return replace(follow_up, limit=clause) if is_of_order else None
        more = self.read(clause)
        is_both = more is not None and names_days(more, self._now) is not names_days(follow_up, self._now)
        return replace(follow_up, second=more) if is_both and more and _is_pointing(more) else None

    def read_days_instead(self, dropped: FollowUp, clause: str) -> FollowUp | None:
        """Other days behind a clause that leaves some out: “not on mondays, on tuesdays”."""
        is_weekly = dropped.kind is FollowUpKind.DROP and says_weekly(dropped.said, self._now)
        words, clock = split_clock(_table().lines["leads_days"].sub("", clause))
        days = days_said(words, self._now) if is_weekly and not clock else ""
        new_days = _instead(days, dropped.said)
        return FollowUp(FollowUpKind.MOVE, new_days, clock=dropped.clock) if days else None

    def says_more(self, follow_up: FollowUp, clause: str) -> bool:
        """Whether a clause behind another that was taken changes or limits more, or wishes something else."""
        if line_pattern("order_limit").fullmatch(clause) is not None or self.read(clause) is not None:
            return True
        is_wish = line_pattern("of_wish").search(clause) is not None
        return follow_up.kind is FollowUpKind.DROP and (is_wish or bool(days_said(clause, self._now)))

    def _read_times(self, bare: str) -> FollowUp | None:
        """Nothing but times, which are meant only where the line says so otherwise."""
        lines = _table().lines
        match = lines["shifts"].fullmatch(bare)
        shift = read_shift(match["times"]) if match is not None else None
        if shift is not None and shift.unit == "clock":
            return FollowUp(FollowUpKind.SHIFT, str(shift.by), clock=self._clock)
        words, at = split_clock(bare)
        if self._also and (days := days_said(words, self._now)):
            return FollowUp(FollowUpKind.ADD, days, at=at)
        match = lines["bare"].fullmatch(bare)
        if match is None or not self._contradicts:
            return None
        times, *old = lines["instead_of"].split(match["times"], maxsplit=1)
        if says_times(times, self._now) or part_of_hour(times):
            return FollowUp(FollowUpKind.MOVE, times, clock=self._clock)
        days = self._days_moved(times, *old)
        return FollowUp(FollowUpKind.MOVE, days) if days else None

    def _days_moved(self, days: str, off: str = "") -> str:
        """Days that are said, with those whose place they take for good; empty where none are."""
        single = _table().lines["single_day"]
        if off and single.search(off) and not single.search(days):
            days = f"这{days}" if has_chinese(days) else f"this {days}"
        off = "" if single.search(days) else days_said(off, self._now)
        days = days_said(days, self._now)
        return _instead(days, off) if days and off else days


def _instead(days: str, off: str) -> str:
    """Days that take the place of others, as `change_schedule` reads them."""
    return f"{days}而不是{off}" if has_chinese(days) else f"{days} instead of {off}"


_FORM_OF = {"restore": "brings", "pause": "pauses", "drop": "drops", "cancel": "cancels", "add": "adds"}
_KINDS = [(FollowUpKind(kind), form) for kind, form in (*_FORM_OF.items(), ("move", "moves"))]


def find_meant_schedule(
    target: Route,
    schedules: Schedules,
    turns: PastTurns,
    now: datetime,
    *,
    running: bool,
    paused: bool = False,
    answered: datetime | None = None,
) -> Route:
    """The route of a line that changes something made before; any other line's stays as it is.

    A schedule is changed by its own route. For what a turn set on the phone the line is a correction of that
    turn. While a turn runs, other times are one of that turn, and so is what is cancelled without a name.
    Where it stands `paused`, days are those of the schedule that was made since: what was said last. Behind
    a line that was `answered`, nothing on the phone is changed without asking.

    Raises:
        StoreError: the memory cannot be read.
    """
    if target.kind not in _FOLLOWING or (running and target.kind is RouteKind.CANCEL):
        return target
    follow_up = read_follow_up(target.text, now) or _read_named(target.text, now)
    denied = None if running else _read_denied(target.text, now)
    is_unsure = follow_up is None and target.kind is RouteKind.CANCEL and only_cancels(target.text)
    if is_unsure:
        is_unsure = _table().lines["revokes"].fullmatch(_normalized(target.text)) is None
        follow_up = FollowUp(FollowUpKind.CANCEL)
    is_noun = follow_up is not None and _table().lines["named"].fullmatch(follow_up.name) is not None
    is_of_turn = running and not is_noun and (follow_up is None or follow_up.kind is not FollowUpKind.CANCEL)
    if denied is not None:
        stays = ",".join(find_made(denied, schedules, turns, now).ids)
        return Route(RouteKind.SCHEDULE, target.text, f"? {stays}") if stays else target
    if is_of_turn and not (paused and follow_up and _is_said_last(follow_up, schedules, turns, now)):
        return target
    if follow_up is None:
        named = _find_unread(target.text, schedules, now) or _refused_in(target.text, schedules, turns, now)
        return Route(RouteKind.SCHEDULE, target.text, f"? {named}") if named else target
    made = find_made(follow_up, schedules, turns, now)
    if made.change and not (running and made.turn is not None):
        return _schedule_route(target.text, follow_up, made.change, schedules, is_unsure=is_unsure)
    if is_noun and not running and (schedules.all() or schedules.removed(now)):
        return Route(RouteKind.SCHEDULE, target.text, "?")
    if follow_up.kind is FollowUpKind.RESTORE or follow_up.second or follow_up.limit:
        return target
    if not running and change_on_phone(target.text, schedules, turns, now, answered):
        return Route(RouteKind.COMMAND, target.text)
    changes = follow_up.kind is not FollowUpKind.CANCEL and not _kind_on_phone(follow_up.name)
    is_about_nothing = target.kind is RouteKind.COMMAND and changes and _is_pointing(follow_up)
    is_asked = made.turn is not None or made.unsure is not None
    if not running and (is_asked or (is_about_nothing and not made.has_done)):
        return Route(RouteKind.CORRECTION, target.text)
    return target


def _schedule_route(
    text: str, follow_up: FollowUp, change: str, schedules: Schedules, *, is_unsure: bool
) -> Route:
    """The route of a line that surely is about a schedule; behind a change of it, that may be taken back."""
    is_end, lines, sure = follow_up.kind is FollowUpKind.CANCEL, _table().lines, not _is_pointing(follow_up)
    is_change = is_end and not sure and schedules.has_just_changed()
    if is_change and lines["revokes"].fullmatch(_normalized(text)):
        return Route(RouteKind.UNDO, text)
    # “Cancel the coffee schedule for a week” ends it only for so long.
    is_limited = is_end and lines["limited"].search(follow_up.name) is not None
    is_unsure |= is_end and lines["this_time"].fullmatch(follow_up.name) is not None
    asked = "?" if is_limited else f"? {change}" if is_unsure or is_change else change
    return Route(RouteKind.SCHEDULE, text, asked, sure=sure)


_FOLLOWING = (
    RouteKind.COMMAND,
    RouteKind.CANCEL,
    RouteKind.CORRECTION,
    RouteKind.PROHIBITION,
    RouteKind.REDO,
)


def _is_said_last(follow_up: FollowUp, schedules: Schedules, turns: PastTurns, now: datetime) -> bool:
    """Whether days are those of the schedule that was made since the turn was begun that has not ended."""
    turn = next((turn for turn in turns.newest(1) if turn.is_open), None)
    is_of_days = follow_up.kind in _OF_DAYS and _is_pointing(follow_up)
    return turn is not None and is_of_days and bool(schedules.latest(now, turn.started))


def _read_named(text: str, now: datetime) -> FollowUp | None:
    """The change in a line that names the schedule by itself: “change the 6:15 one, no fridays”."""
    lines, line = _table().lines, _normalized(text)
    if (named := lines["named"].search(line)) is None:
        return None
    unnamed_line = " ".join(f"{line[: named.start()]} {line[named.end() :]}".split())
    read = read_follow_up(lines["alters"].sub("", unnamed_line), now)
    return replace(read, name=named["what"]) if read is not None and not read.name else None


def changes_schedule(text: str, now: datetime) -> bool:
    """Whether a line says by that word that it changes a schedule, whatever is asked or done then."""
    follow_up = read_follow_up(text, now) or _read_named(text, now)
    return follow_up is not None and _table().lines["named"].fullmatch(follow_up.name) is not None


def _find_unread(text: str, schedules: Schedules, now: datetime) -> str:
    """The id of the schedule that a line surely names and does something to that is not read; else empty."""
    named = _table().lines["named"].search(_normalized(text))
    is_wish = _table().lines["wishes"].search(_normalized(text)) is not None
    if named is None or not is_wish or begins_task(text) or is_question(text):
        return ""
    named_by = [*_words_of(named["what"]), *filter(None, [clock_in(named["what"])])]
    return _name_among(schedules.all(), named["what"], now) if named_by else ""


def _refused_in(text: str, schedules: Schedules, turns: PastTurns, now: datetime) -> str:
    """The id of the schedule that clauses change in ways of which it is not certain what they come to."""
    reading, clauses = _Reading(now), _table().lines["clause_ends"].split(_normalized(text))
    _read_clauses([each for each in clauses if each], reading)
    ids = find_made(reading.refused, schedules, turns, now).ids if reading.refused is not None else ()
    return ids[0] if ids else ""


def _read_denied(text: str, now: datetime) -> FollowUp | None:
    """What a line says must not end: “don’t cancel the coffee”. The schedule that it names stays."""
    lines = _table().lines
    line = lines["closes"].sub("", _Reading(now).open(_normalized(text)))
    match = lines["denies"].fullmatch(line)
    name = (match["what"] or match["zh_what"] or "") if match is not None else ""
    return FollowUp(FollowUpKind.CANCEL, name=name) if match is not None else None


@dataclass(frozen=True, slots=True)
class Subject:
    """What a line is about: schedules, or what a `turn` set on the phone, of a `kind` there.

    `ids` are those of the schedules, or a word that several fit; `change`, what is done to them, as behind
    /schedule. `unsure` is the only schedule, where the line names one by words that it does not have.
    `has_done`: a turn that ended well lies just behind, which the line may be about as well.
    """

    change: str = ""
    ids: tuple[str, ...] = ()
    turn: PastTurn | None = None
    kind: str = ""
    unsure: Schedule | None = None
    has_done: bool = False


def _is_pointing(follow_up: FollowUp) -> bool:
    return not follow_up.name or _table().lines["points"].fullmatch(follow_up.name) is not None


def find_made(follow_up: FollowUp, schedules: Schedules, turns: PastTurns, now: datetime) -> Subject:
    """What a line is about: the thing made last, or the one that its words name.

    Raises:
        StoreError: the memory cannot be read.
    """
    if follow_up.kind is FollowUpKind.RESTORE:
        verb, gone = _find_gone(follow_up.name, schedules, turns, now)
        return Subject(f"{verb} {gone}", (gone,)) if gone else Subject()
    newest = turns.newest(_LOOKED_BACK)
    done = [turn for turn in newest if turn.outcome in _DONE and turn.steps]
    lately = [turn for turn in done if now - turn.started < _JUST_NOW]
    set_lately = [turn for turn in lately if _kind_on_phone(_order_of(turn, now))]
    if not _is_pointing(follow_up):
        return _find_by_name(follow_up, schedules, lately, now)
    # Lunch has no times that others could take the place of, but it can be cancelled, and made two.
    ends = follow_up.kind in (FollowUpKind.CANCEL, FollowUpKind.PAUSE)
    is_count = follow_up.kind is FollowUpKind.MOVE and re.fullmatch(r"\d{1,2}|[a-z]+", follow_up.said)
    last = next(iter(lately if ends or is_count else set_lately), None)
    # However a turn ended, “it” is what that was about, and no schedule made before it.
    made = schedules.latest(now, newest[0].started if newest else None, strict=ends)
    named_kind, hour = _kind_on_phone(follow_up.name), time_of_day(follow_up.clock, now)
    if hour and (others := [each for each in schedules.all() if hour in each.rule.times_of_day(now)]):
        made = [each for each in made if each in others] or others[: len(others) == 1]
    if not made and _table().lines["noun"].search(follow_up.name):
        made = schedules.latest(now, strict=False) or (kept if len(kept := schedules.all()) == 1 else [])
    if made and named_kind in ("", "reminder"):
        ids = tuple(each.id for each in made)[: None if follow_up.is_all else 1]
        return Subject(follow_up.change_words(ids), ids)
    kind = _kind_on_phone(_order_of(last, now)) if last is not None else ""
    is_meant = kind and named_kind in ("", kind)
    if not is_meant:
        # Days may still be those of a schedule made before something else: it is named, and not changed.
        maybe = schedules.latest(now, strict=False) if follow_up.kind in _OF_DAYS else []
        if follow_up.kind is FollowUpKind.SHIFT and not lately and len(kept := schedules.all()) == 1:
            maybe = kept  # What else is there to come earlier?
        return Subject(unsure=next(iter(maybe), None), has_done=bool(lately))
    return Subject(turn=last, kind=kind, has_done=bool(lately))


def _find_by_name(
    follow_up: FollowUp, schedules: Schedules, lately: Sequence[PastTurn], now: datetime
) -> Subject:
    """The schedule that a line names by its words, or the thing that a turn set on the phone just now."""
    name, lines = follow_up.name, _table().lines
    if named := _find_named(follow_up, schedules, now):
        return Subject(follow_up.change_words([named]), (named,))
    words, clock = _words_of(name), time_of_day(clock_in(name), now)
    # “Turn off the 07:00 alarm” is a command by itself.
    is_definite = lines["definite"].search(name) is not None and not _kind_on_phone(name)
    for turn in lately if is_definite and (words or clock) else ():
        order = _order_of(turn, now)
        kind, at = _kind_on_phone(order), clock_set(order, turn.answer, now)
        is_at = not clock or (at is not None and f"{at:%H:%M}" == clock)
        if kind and is_at and (not words or _says(order, words)):
            return Subject(turn=turn, kind=kind, has_done=True)
    kept = schedules.all()
    is_meant = lines["pointing"].search(name) is not None and (
        follow_up.kind is not FollowUpKind.CANCEL or schedules.latest(now, strict=False)
    )
    return Subject(unsure=kept[0] if words and is_meant and len(kept) == 1 else None, has_done=bool(lately))


_CHANGING = FollowUpKind.MOVE, FollowUpKind.SHIFT, FollowUpKind.ADD, FollowUpKind.DROP
_CARRIED_OUT = FollowUpKind.MOVE, FollowUpKind.SHIFT, FollowUpKind.ADD
_DONE, _OF_DAYS = (Outcome.SUCCESS, Outcome.UNCONFIRMED), (FollowUpKind.DROP, FollowUpKind.ADD)
_JUST_NOW, _LOOKED_BACK, _EARLIEST = timedelta(minutes=15), 8, 6  # Before that hour hardly anything begins.


def _kind_on_phone(words: str) -> str:
    """The kind that is named first: what is set, and no part of what it is about; empty where none is."""
    named = ((pattern.search(words), kind) for kind, pattern in _table().on_phone.items())
    ends = [(match.end(), kind) for match, kind in named if match is not None]
    return min(ends, default=(0, ""))[1]


def _order_of(turn: PastTurn, now: datetime) -> str:
    """The order of a turn, as said; as it was understood where only that has the time that was set."""
    said, did = turn.said, turn.instruction
    is_other = not _kind_on_phone(said) or clocks_in(said, now) != clocks_in(did, now)
    return did if is_other and _kind_on_phone(did) else said


def _words_of(name: str) -> list[str]:
    """The words of a name that tell schedules apart: no time of day, no “the”, “that one” or “schedule”."""
    lines, clock = _table().lines, clock_in(name)
    telling = lines["pointing"].sub(" ", name.replace(clock, " ") if clock else name)
    return re.findall(r"[^\W\d_]+", line_pattern("unscheduling").sub(" ", telling))


def _says(text: str, words: Sequence[str]) -> bool:
    return all(mentions_any(text, (word,)) or word in text for word in words)


def _find_named(follow_up: FollowUp, schedules: Schedules, now: datetime) -> str:
    """The id of the schedule that words mean, or a word that several fit; empty for none.

    What it does is said together with its time of day, its number, words such as “every day”, the days that
    it is not to come on, or words that point, as “the coffee one” and 那个咖啡的.
    """
    name, lines = follow_up.name, _table().lines
    says_schedule = line_pattern("says_schedule").search(name) is not None
    points = lines["pointing"].search(name) is not None or follow_up.kind is FollowUpKind.PAUSE
    is_apart = clock_in(name) or says_schedule or points or follow_up.kind is FollowUpKind.DROP
    return _name_among(schedules.all(), name, now) if is_apart else ""


def _name_among(schedules: Sequence[Schedule], name: str, now: datetime) -> str:
    """The id of the one of some schedules that words name by deed, time or number, or a word of several."""
    clock, words, lines = clock_in(name), _words_of(name), _table().lines
    is_noun = lines["noun"].search(name) is not None
    if is_noun and not words and (number := re.search(r"(?<= )\d+$", name)) is not None:
        return next((each.id for each in schedules if str(each.number) == number.group()), "")
    if not words and not (clock and (is_noun or lines["pointing"].search(name))):
        return ""
    matches = [each for each in schedules if _says(each.words, words)]
    if (hour := clock_read(clock, now)) is not None:
        exact = [each for each in matches if f"{hour:%H:%M}" in each.rule.times_of_day(now)]
        # “The 6:15 one” comes at 18:15 where no other comes in the morning.
        other = hour.replace(hour=(hour.hour + 12) % 24)
        is_open = 0 < hour.hour <= 12 and line_pattern("half_named").search(clock) is None
        in_half = [each for each in matches if is_open and f"{other:%H:%M}" in each.rule.times_of_day(now)]
        matches = exact or in_half
    # Of several, the reply names those that the words fit.
    return "" if not matches else matches[0].id if len(matches) == 1 else (*words, clock)[0]


def _find_gone(name: str, schedules: Schedules, turns: PastTurns, now: datetime) -> tuple[str, str]:
    """The verb that brings back a schedule by its name, “restore” or “resume”, and its id; empty for none.

    Words that only point mean the one removed or paused last.
    """
    is_pointing = not name or _table().lines["points"].fullmatch(name) is not None
    is_noun = _table().lines["noun"].search(name) is not None
    gone = schedules.removed(now, strict=is_pointing and not is_noun)
    paused = [each for each in schedules.all() if each.paused]
    if is_pointing:
        since = next((turn.started for turn in turns.newest(1)), None)
        just_changed = schedules.latest(now, since)[:1]
        last = [each for each in just_changed if each.paused]
        if (removed := next(iter(gone.values()), None)) is not None and not last:
            return "restore", removed.id
        last = last or (paused if is_noun and len(paused) == 1 else [])
        return ("resume", last[0].id) if last else ("", "")
    # “Get me a coffee back” is an order.
    is_apart = any(_table().lines[form].search(name) for form in ("noun", "pointing"))
    if is_apart and (named := _name_among([*gone.values(), *paused], name, now)):
        return "resume" if named in [each.id for each in paused] else "restore", named
    return "", ""


def change_on_phone(
    text: str, schedules: Schedules, turns: PastTurns, now: datetime, answered: datetime | None = None
) -> str:
    """The command that changes what the turn just before set on the phone; empty where that is not certain.

    That turn set one thing at one time, and the only one of its kind lately; no line was `answered` since.

    Raises:
        StoreError: the memory cannot be read.
    """
    follow_up = read_follow_up(text, now)
    if follow_up is None or follow_up.is_all or follow_up.kind not in _CARRIED_OUT:
        return ""
    newest, lines = turns.newest(_LOOKED_BACK), _table().lines
    made = find_made(follow_up, schedules, turns, now)
    lately = [turn for turn in newest if turn.steps and now - turn.started < _JUST_NOW]
    alike = [each for each in lately if made.kind and _kind_on_phone(_order_of(each, now)) == made.kind]
    if made.turn is None or alike != newest[:1] or made.turn.outcome is not Outcome.SUCCESS:
        return ""
    ended = made.turn.started + timedelta(seconds=made.turn.seconds)
    order, line = _order_of(made.turn, now), _normalized(text)
    times, is_addition = clocks_in(line, now), follow_up.kind is FollowUpKind.ADD
    is_alone = not times if is_addition else lines["says_more"].search(line) is None and len(times) <= 1
    is_plain = lines["sets_it"].match(order) is not None and len(clocks_in(order, now)) == 1 and is_alone
    is_exact = follow_up.kind is not FollowUpKind.MOVE or lines["exact_time"].search(line) is not None
    is_open = made.kind != "alarm" and line_pattern("half_named").search(order.casefold()) is None
    if is_open or not (is_plain and is_exact) or (answered is not None and answered > ended):
        return ""
    command = tell_on_phone(text, schedules, turns, now)[1]
    # What an entry is called is not certain, nor the half of the day of an hour alone.
    return "" if one_line(order) in command or re.search(r"[ 成]\d{1,2}$", command) else command


def tell_on_phone(text: str, schedules: Schedules, turns: PastTurns, now: datetime) -> tuple[str, str]:
    """The sentence that something is still set on the phone, and the command that would change it there.

    Both are empty where the line is about nothing that a turn set on the phone, or does not say what it
    does to it: nothing is deleted or switched off but by a line that says so.
    """
    ends = FollowUp(FollowUpKind.CANCEL) if route(text).kind is RouteKind.CANCEL else None
    if (follow_up := read_follow_up(text, now) or ends) is None:
        return "", ""
    made = find_made(follow_up, schedules, turns, now)
    if made.unsure is not None:
        sentence = _("No schedule says “{what}”. The only one is “{schedule}”. To change it, send: {command}")
        command = f"/schedule {follow_up.change_words([str(made.unsure.number)])}"
        words = one_line(" ".join(_words_of(follow_up.name)))
        if not words:
            sentence = _("Perhaps “{schedule}” is meant: it still stands. To change it, send: {command}")
        return sentence.format(what=words, schedule=made.unsure.words, command=command), command
    if made.turn is None or follow_up.second or follow_up.limit:
        return "", ""
    phone_order, chinese = _order_of(made.turn, now), has_chinese(text)
    clock = clock_set(phone_order, made.turn.answer, now)
    name = _name_on_phone(replace(made.turn, said=phone_order), made.kind, clock, chinese=chinese)
    before = line_pattern("so_long_before")
    if follow_up.kind is FollowUpKind.SHIFT and before.search(text) and before.search(phone_order):
        return "", ""  # “An hour before” is then one before the same thing, and not before the alarm.
    command = ""
    with suppress(UnreadableTime):
        named = _table().lines["days_in"].search(phone_order.casefold())
        follow_up = days_left(follow_up, named[0] if named else "", now, chinese=chinese)
        command = _command_on_phone(follow_up, name, made.kind, clock, now, chinese=chinese) if name else ""
    if not command:
        return "", ""
    stands = _("On the phone nothing was changed yet: {name} still stands.").format(name=name)
    adds = _("{name} stays.").format(name=name[:1].upper() + name[1:])
    send = _("To do it on the phone, send: {command}").format(command=command)
    return sentences(adds if follow_up.kind is FollowUpKind.ADD else stands, send), command


def _name_on_phone(turn: PastTurn, kind: str, clock: time | None, *, chinese: bool) -> str:
    """What a command set, as the next command names it; empty where nothing tells it from others."""
    said, lines = turn.said, _table().lines
    if kind == "alarm" and clock is not None:
        # Another alarm may stand at that time, so it is said which of them is meant.
        repeats = (line_pattern("says_schedule"), lines["weekday"], lines["named_beside"])
        if not any(form.search(said) for form in repeats):
            return f"只响一次的{clock:%H:%M}闹钟" if chinese else f"the {clock:%H:%M} alarm that rings once"
        apart = _told_apart(turn, clock)
        if not apart and turn.outcome is not Outcome.SUCCESS:
            return ""
        beside = f"（{apart}）" if chinese else f" ({apart})"
        name = f"重复的{clock:%H:%M}闹钟" if chinese else f"the {clock:%H:%M} alarm that repeats"
        return f"{name}{beside if apart else ''}"
    if kind == "alarm":
        return ""
    subject = lines["subject"].search(said)
    about = (subject["english"] or subject["chinese"]) if subject is not None else ""
    about = lines["time_behind"].sub("", one_line(about))
    if about and not {ValueKind.TIME, ValueKind.DAY} & {value.kind for value in find_values(about)}:
        return f"“{about}”的提醒" if chinese else f"the reminder “{about}”"
    # What an entry is called, only the phone knows: it is that which the command made.
    return f"“{one_line(said)}”所建的那一条" if chinese else f"the entry that was made for “{one_line(said)}”"


def _told_apart(turn: PastTurn, clock: time) -> str:
    """What tells an alarm from others of its time: its row as it was told, else its days as said."""
    lines, said = _table().lines, turn.said.casefold()
    rows = re.finditer(rf"(?<!\d)0?{clock.hour}:{clock:%M}{lines['beside'].pattern}", turn.answer)
    alarm_rows = (row for row in rows if not lines["in_sentence"].search(row["row"].casefold()))
    if (row := next(alarm_rows, None) or lines["named_beside"].search(turn.said)) is not None:
        return one_line(row["row"]).strip()
    days = lines["days_in"].search(said)
    return days[0] if days is not None and lines["leaves_out"].search(said) is None else ""


def _command_on_phone(
    follow_up: FollowUp, name: str, kind: str, clock: time | None, now: datetime, *, chinese: bool
) -> str:
    """The command that changes on the phone what it names; empty where the line does not say how."""
    said, is_alarm = follow_up.said, kind == "alarm"
    match follow_up.kind:
        case FollowUpKind.CANCEL | FollowUpKind.PAUSE if is_alarm:
            return f"关掉{name}" if chinese else f"turn off {name}"
        case FollowUpKind.CANCEL:
            return f"删除{name}" if chinese else f"delete {name}"
        case FollowUpKind.ADD if clock is not None and is_alarm:
            days = days_form(said, now, repeats=False)
            is_day = _table().lines["weekday"].fullmatch(days.removesuffix("s")) and not chinese
            days = f"on {days}" if is_day else days
            at = f"{added_clock(follow_up.at, clock, now):%H:%M}"
            return f"设一个{days}{at}的闹钟" if chinese else f"set an alarm for {at} {days}"
        case FollowUpKind.ADD | FollowUpKind.DROP:
            days = _table().lines["every"].sub("", said)
            if chinese:
                return f"{name}{'再加上' if follow_up.kind is FollowUpKind.ADD else '去掉'}{days}"
            return f"{'add' if follow_up.kind is FollowUpKind.ADD else 'leave out'} {days} for {name}"
    times = said
    if clock is not None and not split_clock(said)[1]:  # A day that is said stays beside its time.
        shifted = f"shift {said}" if follow_up.kind is FollowUpKind.SHIFT else said
        new = None
        with suppress(UnreadableTime):
            new = new_clock(shifted, {clock}, now)
        # Of “a meeting at 3” only the phone knows the half of the day.
        is_open = not is_alarm and not line_pattern("half_named").search(name)
        if new is not None:
            times = f"{new.hour}:{new:%M}" if is_open and new.hour < _EARLIEST else f"{new:%H:%M}"
    if clock is None and follow_up.kind is FollowUpKind.SHIFT:
        return ""
    return f"把{name}改成{times}" if chinese else f"change {name} to {times}"
