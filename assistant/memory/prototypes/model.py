"""Prototypes, preferences and routines, and what kind a record is (PersonalAlign 4.1, 5.1, appendix D).

A prototype stands for consistent records. It is stable if its records are of several days (`STABLE`); a
stable prototype is a routine if most of its records lie within two hours of the day (`SPAN`, `SHARE`).

Further functions measure how regular times of day and scenarios are, and find the usual values of a
prototype's slots: app, item, place and time.

A `TimeWindow` is when the user wants a routine suggested: "11:50-12:30 mon-fri", "周一至周五 12点-13点".
Windows are parsed from English and Chinese, with full-width or normal characters, and written in one form.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from itertools import pairwise
from math import ceil, cos, exp, log2, pi
from statistics import fmean
from typing import Protocol

from assistant.i18n import _, counted, later
from assistant.records import SCENARIOS, Action, Outcome

DAYS = (later("mon"), later("tue"), later("wed"), later("thu"), later("fri"), later("sat"), later("sun"))
"""The names of the days of the week in a written window, Monday first."""

SETS = {
    "weekdays": frozenset(range(5)),
    "weekends": frozenset((5, 6)),
    later("daily"): frozenset(range(7)),
}
"""Sets of days (0 for Monday) by their common name."""

_TO = re.compile(r"\s*[-–—―~〜至到]\s*")
_AND = re.compile("[、和及与]")
_PART = "(?:(凌晨|清晨|早上|上午|中午|下午|傍晚|晚上)\\s*)?"
_CLOCK = f"{_PART}(\\d{{1,2}})(?:[点时](?:(半)|(\\d{{1,2}})分?)?整?|:(\\d{{2}}))?"
_CHINESE_HOURS = re.compile(f"{_CLOCK}-{_CLOCK}")
_AFTERNOON = ("中午", "下午", "傍晚", "晚上")
_LATE_MORNING = 10

_WEEK = "(?:每?(?:周|星期|礼拜))"
_CHINESE_DAY = "[一二三四五六日天]"
_SETS = {
    "daily": re.compile("每[天日]|天天"),
    "weekdays": re.compile("工作日|平日|上班日"),
    "weekends": re.compile(f"{_WEEK}末|双休日|休息日"),
}
_DAY_RANGE = re.compile(f"{_WEEK}({_CHINESE_DAY})-{_WEEK}?({_CHINESE_DAY})")
_DAY_LIST = re.compile(f"{_WEEK}({_CHINESE_DAY}(?:[,、和及与]?{_CHINESE_DAY})*)")


def in_english(text: str) -> str:
    """A Chinese window rewritten as an English one; unknown words stay unchanged."""
    normalized = _TO.sub("-", unicodedata.normalize("NFKC", text).casefold())
    normalized = _CHINESE_HOURS.sub(_hours, normalized)
    for word, chinese in _SETS.items():
        normalized = chinese.sub(f" {word} ", normalized)
    normalized = _DAY_RANGE.sub(lambda match: f" {_day(match[1])}-{_day(match[2])} ", normalized)
    normalized = _DAY_LIST.sub(
        lambda match: f" {' '.join(map(_day, re.findall(_CHINESE_DAY, match[1])))} ", normalized
    )
    return _AND.sub(" ", normalized)


def _hours(match: re.Match[str]) -> str:
    """“下午2点-4点” as `14:00-16:00`; a part of the day also applies to an end hour without one, if later."""
    part, first, *before = match.groups()[:5]
    other, second, *behind = match.groups()[5:]
    start = _hour(int(first), part)
    end = _hour(int(second), other or part)
    if other is None and end < start:
        end = int(second)
    return f"{start}:{_minutes(before)}-{end}:{_minutes(behind)}"


def _hour(hour: int, part: str | None) -> int:
    """An hour in 24-hour time; `part` is the Chinese part of the day before it."""
    if part not in _AFTERNOON or (part == "中午" and hour >= _LATE_MORNING):
        return hour
    return hour + 12 if hour < 12 or (part == "晚上" and hour == 12) else hour


def _minutes(written: list[str | None]) -> str:
    half, behind, clock = written
    return "30" if half else (behind or clock or "00")


def _day(character: str) -> str:
    return DAYS["一二三四五六日".index(character.replace("天", "日"))]


def days_in_words(days: frozenset[int], translated: Callable[[str], str] = str) -> str:
    """Days of the week (0 for Monday) in words that `read_window` parses; empty for all days."""
    if days == SETS["daily"]:
        return ""
    ordered = sorted(days)
    names = [translated(DAYS[day]) for day in ordered]
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return translated("{first}-{last}").format(first=names[0], last=names[-1])
    return " ".join(names)


_EVERY_DAY = SETS["daily"]
_HOURS = re.compile(r"(\d{1,2})(?::(\d{2}))?\s*[-–]\s*(\d{1,2})(?::(\d{2}))?")
_DAY = re.compile(r"([a-z]{3})(?:[a-z]*)(?:\s*[-–]\s*([a-z]{3})[a-z]*)?")
_HOW = later("Write hours, days or both, such as 11:50-12:30 mon-fri, 18-19, or weekends.")


class UnreadableTimeWindow(ValueError):
    """The text is not a time window; the message says how to write one."""


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """From `start` to `end` on some days (0 for Monday); past midnight if the end is before the start."""

    start: time = time.min
    end: time = time.min
    days: frozenset[int] = _EVERY_DAY

    def contains(self, moment: datetime) -> bool:
        """Whether a local time lies in the window; past midnight it belongs to the day before."""
        clock, day = moment.time(), moment.weekday()
        if self.start == self.end:
            return day in self.days
        if self.start < self.end:
            return day in self.days and self.start <= clock <= self.end
        return (day in self.days and clock >= self.start) or (
            (day - 1) % 7 in self.days and clock <= self.end
        )

    def __str__(self) -> str:
        """The form that is stored, in English."""
        return self._written(str)

    @property
    def words(self) -> str:
        """The form to show, in the interface's language; `read_window` parses it."""
        return self._written(_)

    def _written(self, translated: Callable[[str], str]) -> str:
        hours = "" if self.start == self.end else f"{self.start:%H:%M}-{self.end:%H:%M}"
        days = days_in_words(self.days, translated)
        return " ".join(part for part in (hours, days) if part) or translated("daily")


def read_window(text: str) -> TimeWindow:
    """A window as the user writes it, in English or Chinese.

    Raises:
        UnreadableTimeWindow: it cannot be read.
    """
    remaining_text = in_english(text).strip()
    start = end = time.min
    if match := _HOURS.search(remaining_text):
        start, end = _clock(match[1], match[2]), _clock(match[3], match[4])
        remaining_text = f"{remaining_text[: match.start()]} {remaining_text[match.end() :]}"
    days: set[int] = set()
    for word in re.split(r"[\s,;]+", re.sub(r"\s*[-–]\s*", "-", remaining_text).strip()):
        if word:
            days |= _days(word)
    if not match and not days:
        raise UnreadableTimeWindow(_(_HOW))
    return TimeWindow(start, end, frozenset(days) or _EVERY_DAY)


def _clock(hour: str, minute: str | None) -> time:
    try:
        return time(int(hour) % 24 if hour == "24" else int(hour), int(minute or 0))
    except ValueError as error:
        raise UnreadableTimeWindow(_(_HOW)) from error


def _days(word: str) -> frozenset[int]:
    if word in SETS:
        return SETS[word]
    match = _DAY.fullmatch(word)
    if match is None or match[1] not in DAYS or (match[2] or match[1]) not in DAYS:
        raise UnreadableTimeWindow(_(_HOW))
    first, last = DAYS.index(match[1]), DAYS.index(match[2] or match[1])
    return frozenset((first + step) % 7 for step in range((last - first) % 7 + 1))


class RecordKind(StrEnum):
    """The kind of a record (PersonalAlign 4.1): a one-off (moment), a preference, or a routine."""

    MOMENT = "moment"
    PREFERENCE = "preference"
    ROUTINE = "routine"


@dataclass(frozen=True, slots=True)
class Member:
    """One record's place in a prototype: when and where it happened, and how well it fits.

    `consistency` is its S_consist with the centre, 0..1. `time` is local, with the user's zone at that time.
    """

    record_id: str
    time: datetime
    scenario: str
    consistency: float


def describe_times(members: Sequence[Member], days: Collection[date] = ()) -> str:
    """When some records were made, for a model: "6 times, Tue Thu, 18:02 to 18:40, office, last Thu 03-05".

    Args:
        members: the records.
        days: days that a command names; records of these are told, too.
    """
    if not members:
        return ""
    times = sorted(member.time for member in members)
    parts = ["once" if len(times) == 1 else f"{len(times)} times"]
    is_told = len(times) <= _MOST_TOLD
    if is_told:
        parts.append(" ".join(dict.fromkeys(f"{time:%a %m-%d}" for time in times)))
    elif len(named := {time.weekday() for time in times}) < len(_DAY_NAMES):
        parts.append(" ".join(_DAY_NAMES[day] for day in sorted(named)))
    clocks = sorted(f"{time:%H:%M}" for time in times)
    middle = clocks[len(clocks) // 4 : len(clocks) - len(clocks) // 4]
    parts.append(middle[0] if middle[0] == middle[-1] else f"{middle[0]} to {middle[-1]}")
    scenarios = [member.scenario for member in members]
    usual = max(set(scenarios), key=lambda scenario: (scenarios.count(scenario), scenario))
    if usual != UNKNOWN and scenarios.count(usual) >= _REGULAR * len(scenarios):
        parts.append(usual)
    if not is_told:
        on_days = dict.fromkeys(f"{time:%a %m-%d}" for time in times[:-1] if time.date() in days)
        parts += [f"first {times[0]:%m-%d}", *(f"on {day}" for day in on_days), f"last {times[-1]:%a %m-%d}"]
    return ", ".join(parts)


_REGULAR = 0.6
"""Minimum share of the records that lie in one scenario, to say so."""
_MOST_TOLD = 4
"""Maximum number of records whose days are told one by one."""
_DAY_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True)
class Prototype:
    """A growing cluster of consistent records (PersonalAlign 5.1).

    Attributes:
        centre_id: the medoid record, by the newest; `instruction`, `actions`, `app`, `package` are its own.
        weight: the faded evidence, in records.
        unsuggested: whether it is hidden from suggestions alone; commands that mean it are understood.
        window: when the user wants it suggested; None for any time.
        place: the scenario in which the user wants it suggested; empty for any.
        alone: whether it starts by itself, after a countdown in which the user can stop it.
        worded: whether the instruction is the user's own instead of the centre's.
    """

    id: str
    user_id: str
    centre_id: str
    instruction: str
    actions: tuple[Action, ...]
    app: str
    package: str
    members: tuple[Member, ...]
    weight: float
    archived: bool = False
    hidden: bool = False
    unsuggested: bool = False
    pinned: bool = False
    window: TimeWindow | None = None
    place: str = ""
    alone: bool = False
    worded: bool = False

    @property
    def is_customized(self) -> bool:
        """Whether the user set words, hours, a place, auto-run or a pin, which hold for this one only."""
        return self.window is not None or bool(self.place) or self.alone or self.pinned or self.worded

    @property
    def evidence(self) -> tuple[str, ...]:
        """The ids of the records behind it, newest first."""
        return tuple(
            member.record_id for member in sorted(self.members, key=lambda member: member.time, reverse=True)
        )


@dataclass(frozen=True, slots=True)
class Preference:
    """A prototype as the answer to a command, with what usually fills its slots.

    `slots` maps a slot (`app`, `item`, `place`, `time`) to its usual value; `confidence` is 0..1.
    `has_stopped`: the user seems to have given it up, see the function of that name.
    """

    prototype: Prototype
    confidence: float
    slots: dict[str, str] = field(default_factory=dict)
    has_stopped: bool = False


_STOPPED_AFTER = timedelta(days=14)
_LONGEST_GAPS = 2.0


def has_stopped(members: Sequence[Member], now: datetime) -> bool:
    """Whether the user seems to have given up what they did repeatedly.

    That is so if it was not done for two weeks, and for more than twice the longest gap between two times.
    What was done only once never counts as given up.
    """
    times = sorted(member.time for member in members)
    if len(times) < 2:
        return False
    longest = max(later - earlier for earlier, later in pairwise(times))
    return now - times[-1] > max(_STOPPED_AFTER, _LONGEST_GAPS * longest)


@dataclass(frozen=True, slots=True)
class Confidence:
    """The paper's Φ and its three parts (PersonalAlign 5.3), each 0..1; `phi` is their mean."""

    state: float
    records: float
    consistency: float

    @property
    def phi(self) -> float:
        """The proactive confidence, 0..1."""
        return (self.state + self.records + self.consistency) / 3


HOURS = 24
SCENARIO_COUNT = 13
"""The number of scenarios of FingerTip A.4, including `unknown`."""
UNKNOWN = "unknown"
_SHARPNESS = 12.0
"""Concentration κ of the von Mises kernel around an hour: about one hour wide."""


def hour_of(time: datetime) -> float:
    """The local time of day in hours, 0 up to 24."""
    return time.hour + time.minute / 60 + time.second / 3600


def entropy(values: Iterable[Hashable], among: int) -> float:
    """The entropy of some values, normalised by that of `among` equally frequent ones, 0..1.

    Source: PersonalAlign 4.1.
    """
    counts = Counter(values)
    total = sum(counts.values())
    if total == 0 or among < 2:
        return 0.0
    bits = -sum(count / total * log2(count / total) for count in counts.values())
    return min(1.0, bits / log2(among))


def hour_density(hours: Sequence[float], hour: float, weights: Sequence[float] | None = None) -> float:
    """The density of some times of day around an hour, relative to an even distribution: 1 is as dense.

    A kernel density on the circle (von Mises), with one evenly spread observation added as a prior.
    """
    given = weights if weights is not None else [1.0] * len(hours)
    total = sum(given)
    bell = sum(
        weight * exp(_SHARPNESS * (cos((known_hour - hour) * 2 * pi / HOURS) - 1.0))
        for known_hour, weight in zip(hours, given, strict=True)
    )
    return (bell / _EVEN + 1.0) / (total + 1.0)


def shortest_span(hours: Sequence[float], count: int) -> tuple[float, float]:
    """The shortest part of the day that contains at least `count` of some times of day; may span midnight.

    Returns:
        Its start, 0 to 24, and its length, both in hours.
    """
    around = sorted(hours)
    circle = [*around, *(hour + HOURS for hour in around)]
    length, start = min(
        (circle[index + count - 1] - circle[index], circle[index]) for index in range(len(around))
    )
    return start, length


def clock(hour: float) -> str:
    """A time of day in hours as `HH:MM`."""
    minutes = round(hour * 60) % (HOURS * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"


def share(values: Iterable[str], value: str) -> float:
    """The smoothed share of a scenario among those that are not `unknown`, drawn towards an even share."""
    known_values = [candidate for candidate in values if candidate != UNKNOWN]
    if value == UNKNOWN or not known_values:
        return 1.0 / SCENARIO_COUNT
    return (known_values.count(value) + 1.0 / SCENARIO_COUNT) / (len(known_values) + 1.0)


def most_frequent(values: Iterable[str]) -> tuple[str, int]:
    """The most frequent value and its count, the first of equally frequent ones; ("", 0) without values."""
    counted = Counter(values).most_common(1)
    return counted[0] if counted else ("", 0)


_EVEN = sum(exp(_SHARPNESS * (cos(step * 2 * pi / 360) - 1.0)) for step in range(360)) / 360


_USUAL = 0.5
"""Minimum share of records for a value to be the usual one."""
_SPAN = 0.8
"""The share of records that the usual time contains."""
_WIDEST = 4.0
"""Maximum length of a usual time, in hours."""
_FEW = 3
"""Minimum number of records for a usual time."""
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class SlotValues(Protocol):
    """The slot values of a record; empty if it has none."""

    @property
    def time(self) -> datetime:
        """When it was, in the user's zone."""

    @property
    def scenario(self) -> str:
        """Where the user was."""

    @property
    def app(self) -> str:
        """The app's name, else its package."""

    @property
    def typed(self) -> str:
        """The first text that was typed, which is what was searched for."""


def usual_slots(records: Sequence[SlotValues]) -> dict[str, str]:
    """The usual values of some records, by slot; slots without a usual value are left out."""
    newest = sorted(records, key=lambda record: record.time, reverse=True)
    slots: dict[str, str] = {}
    for name, values in (
        ("app", [record.app for record in newest]),
        ("item", [record.typed for record in newest]),
        ("place", [record.scenario if record.scenario != UNKNOWN else "" for record in newest]),
    ):
        value, count = Counter(filter(None, values)).most_common(1)[0] if any(values) else ("", 0)
        if value and count >= _USUAL * len(newest):
            slots[name] = value
    if time := _usual_time(newest):
        slots["time"] = time
    return slots


def _usual_time(records: Sequence[SlotValues]) -> str:
    """The shortest part of the day with most records, and their weekdays; empty if it is too long."""
    if len(records) < _FEW:
        return ""
    hours = [hour_of(record.time) for record in records]
    start, length = shortest_span(hours, ceil(_SPAN * len(hours)))
    if length > _WIDEST:
        return ""
    inside = [(hour_of(record.time) - start) % 24 <= length + 1e-9 for record in records]
    days = [record.time for record, is_inside in zip(records, inside, strict=True) if is_inside]
    return f"{clock(start)}–{clock(start + length)}{_weekdays(days)}"


def _weekdays(times: Sequence[datetime]) -> str:
    days = {time.weekday() for time in times}
    if len(days) == 1 and len(times) >= _FEW:
        return f" {_WEEKDAYS[days.pop()]}"
    if len(times) > _FEW and days <= set(range(5)):
        return " Mon–Fri"
    if len(times) > _FEW and days <= {5, 6}:
        return " Sat–Sun"
    return ""


ENOUGH = 20
"""The number of records at which L_record reaches 1."""


def confidence(
    members: Sequence[Member], enough: int = ENOUGH, *, time: bool = True, scenario: bool = True
) -> Confidence:
    """Φ of some records and its parts, each 0..1.

    H_state is one minus the mean of the normalised entropies of hour and scenario, L_record the number of
    records over `enough`, R_consist the mean consistency with the centre. `time` and `scenario` leave their
    entropy out of H_state when false (PersonalAlign, Figure 6).
    """
    if not members:
        return Confidence(0.0, 0.0, 0.0)
    entropies = []
    if time:
        entropies.append(entropy((member.time.hour for member in members), HOURS))
    if scenario:
        entropies.append(entropy((member.scenario for member in members), SCENARIO_COUNT))
    return Confidence(
        state=1.0 - fmean(entropies) if entropies else 0.0,
        records=min(1.0, len(members) / enough),
        consistency=min(1.0, max(0.0, fmean(member.consistency for member in members))),
    )


def most_frequent_state(members: Sequence[Member]) -> tuple[int, str]:
    """The most frequent pair of hour and scenario; of equally frequent ones that of the newest record.

    Raises:
        ValueError: there are no members.
    """
    if not members:
        raise ValueError("A prototype without records has no state.")
    newest_first = sorted(members, key=lambda member: member.time, reverse=True)
    key, _ = most_frequent(f"{member.time.hour} {member.scenario}" for member in newest_first)
    hour, _, scenario = key.partition(" ")
    return int(hour), scenario


STABLE = 3
"""Minimum number of days for a stable prototype, which is a preference or a routine."""
SPAN = 2.0
"""Length in hours of the part of the day in which a routine happens."""
SHARE = 0.7
"""Minimum share of a routine's records within `SPAN`. Fitted on the simulated lives of seeds 100 to 103."""


@dataclass(frozen=True, slots=True)
class Classification:
    """The kind of a record and its prototype.

    `why` has the reasons as sentences; `evidence` has the ids of the prototype's other records.
    """

    record_id: str
    kind: RecordKind
    prototype_id: str
    why: tuple[str, ...]
    evidence: tuple[str, ...] = ()


def kind_of_prototype(prototype: Prototype) -> RecordKind:
    """The kind of a prototype's records."""
    if days_of(prototype.members) < STABLE:
        return RecordKind.MOMENT
    return RecordKind.ROUTINE if _usual_hours(prototype.members)[1] <= SPAN else RecordKind.PREFERENCE


def days_of(members: Sequence[Member]) -> int:
    """The number of different local days of the records."""
    return len({member.time.date() for member in members})


def kind_of_record(
    record_id: str, prototype: Prototype | None, outcome: Outcome | None = None
) -> Classification:
    """The kind of one record, and why. `prototype` is its prototype, None if it has none."""
    if prototype is None:
        left_out = _("It is not counted, because you left it out.")
        ended = _("It is not counted, because it did not end as a success.")
        is_success = outcome in (None, Outcome.SUCCESS)
        return Classification(record_id, RecordKind.MOMENT, "", (left_out if is_success else ended,))
    kind, days = kind_of_prototype(prototype), days_of(prototype.members)
    others = tuple(other_id for other_id in prototype.evidence if other_id != record_id)
    if not others:
        why = [_("No other record is like it.")]
    else:
        sentence = _("{records} of {days} ask for the same: this one and {others} more.")
        why = [
            sentence.format(
                records=counted(len(others) + 1, "record"), days=counted(days, "day"), others=len(others)
            ),
            _("They ask: “{instruction}”.").format(instruction=prototype.instruction),
        ]
    if kind is RecordKind.MOMENT:
        why.append(_("It takes {days} days to make a preference.").format(days=STABLE))
    else:
        why += _state_in_words(prototype, kind)
    return Classification(record_id, kind, prototype.id, tuple(why), others)


def _usual_hours(members: Sequence[Member]) -> tuple[float, float]:
    """Start and length, in hours, of the shortest part of the day with the share that a routine needs."""
    hours = [hour_of(member.time) for member in members]
    return shortest_span(hours, ceil(SHARE * len(hours) - 1e-9))


def _state_in_words(prototype: Prototype, kind: RecordKind) -> list[str]:
    count = len(prototype.members)
    start, length = _usual_hours(prototype.members)
    _hour, scenario = most_frequent_state(prototype.members)
    in_scenario = sum(member.scenario == scenario for member in prototype.members)
    inside = ceil(SHARE * count - 1e-9)
    if kind is RecordKind.ROUTINE:
        reason = _("{inside} of {count} are between {start} and {end}: so it is a routine.")
    else:
        reason = _("{inside} of {count} are between {start} and {end}: a routine keeps within {hours} hours.")
    why = [
        reason.format(
            inside=inside,
            count=count,
            start=clock(start),
            end=clock(start + length),
            hours=f"{SPAN:.0f}",
        )
    ]
    if scenario != UNKNOWN:
        place = format_scenario(scenario)
        why.append(
            _("{there} of {count} are in this scenario: {scenario}.").format(
                there=in_scenario, count=count, scenario=place
            )
        )
    return why


def faded(weight: float, since: datetime, now: datetime, half_life_days: float) -> float:
    """A weight after exponential decay from `since` to `now`; unchanged if `now` is earlier."""
    days = max(0.0, (now - since).total_seconds() / 86400)
    return float(weight * 0.5 ** (days / half_life_days))


def format_scenario(scenario: str) -> str:
    """A scenario in the language of the interface; unchanged if the user named it."""
    return _(scenario) if scenario in SCENARIOS or scenario == "unknown" else scenario


def parse_scenario(typed: str) -> str:
    """The built-in scenario that was typed, in English or as the interface shows it; else what was typed."""
    normalized = " ".join(typed.casefold().split())
    return next(
        (scenario for scenario in SCENARIOS if normalized in (scenario, _(scenario).casefold())), typed
    )
