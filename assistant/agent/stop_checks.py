"""Checks that stop a turn or an action, by what its screens show.

- Loops: the same action again on the same screen, cycles of screens, waiting for nothing. Besides the exact
  screens, pages and actions are compared without their numbers, for screens that never look the same twice.
- What an action changed on the screen, for the model.
- Actions outside the apps of the task.
- A way of travelling that was not chosen, the days of the week that a screen shows, the day of an alarm that
  was missed, and what was so before anything was done.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from itertools import pairwise, takewhile

from assistant.agent.checkpoint import words_touched
from assistant.agent.completion import WORDS, content_words, find_wishes_said, fold, word_pattern
from assistant.files import compile_words, lazy_regex
from assistant.i18n import _, fold_case, inner_quotation
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.phone.errors import Refusal
from assistant.phone.pictures import unmoved
from assistant.records import (
    Action,
    ClearText,
    Click,
    Element,
    ForegroundApp,
    LongClick,
    Observation,
    OpenApp,
    Point,
    PressBack,
    PressHome,
    PressRecent,
    Scroll,
    Swipe,
    Wait,
    describe,
    shown,
)
from assistant.safety import wording
from assistant.safety.page import page_of
from assistant.settings.schema import AppLock
from assistant.skills.slots import with_clock_digits

MAX_REPEATS = 3
"""The turn stops when the same action is chosen this often on the same screen; the last is not executed."""

LONGEST_CYCLE = 8
"""The longest cycle of (screen, action) pairs that is detected, in steps."""

_MAX_NAMED = 5
"""The most labels that a sentence about a changed screen names."""

MAX_ALIKE = 5
"""The turn stops when a cycle comes round this often on pages that differ only in their numbers."""

MAX_ALIKE_IN_A_ROW = 20
"""The same for a single action: the keys of a long phone number are alike, too."""


MAX_WAITS = 12
"""The turn stops after this many waits in a row on the same screen."""

_GRID = 50
"""Cells of the screen in each direction; taps in the same cell are the same action."""


class LoopAdvice(StrEnum):
    """Whether a chosen action may be executed."""

    GO_ON = "go_on"
    WARN = "warn"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class LoopVerdict:
    """The advice and its reason: for the model with a warning, for the user with a stop."""

    advice: LoopAdvice
    sentence: str = ""


class ScreenNames:
    """Identifies screens: the same screen gets the same id.

    A screen whose UI tree stays the same while its screenshot changes (a game, a drawing) gets a new id up
    to `MAX_REPEATS` times; after that it counts as an animation and keeps its id.
    """

    def __init__(self) -> None:
        self._last: Observation | None = None
        self._last_fingerprint: int | None = None
        self._picture_changes = 0

    async def identify(self, observation: Observation) -> str:
        """The id of the current screen."""
        current = fingerprint(observation)
        if self._last is None or current != self._last_fingerprint:
            self._picture_changes = 0
        elif self._picture_changes < MAX_REPEATS and not await asyncio.to_thread(
            unmoved, self._last.screenshot, observation.screenshot
        ):
            self._picture_changes += 1
        self._last, self._last_fingerprint = observation, current
        return f"{current} {self._picture_changes}"


class LoopDetector:
    """Detects loops in the sequence of screens and chosen actions."""

    def __init__(self) -> None:
        self._history: list[tuple[str, str]] = []
        self._coarse_history: list[tuple[str, str]] = []
        self._saving: tuple[str, str] | None = None
        self._saved: set[tuple[str, str]] = set()

    def note_done(self) -> None:
        """The action that was checked last was done on the phone."""
        if self._saving is not None:
            self._saved.add(self._saving)

    def check(self, screen: str, action: Action, page: str = "") -> LoopVerdict:
        """Check an action before it is executed.

        Args:
            screen: the id of the screen it was chosen on, by `ScreenNames.identify`.
            action: the action.
            page: the page it was chosen on, by `page_key`; empty to compare exact screens only.
        """
        self._history.append((screen, action_key(action)))
        if page:
            self._coarse_history.append((page, coarse_action_key(action)))
        if self._saves_again(action):
            sentence = _("Stopped before {what}: exactly this was done already in this turn.")
            return LoopVerdict(LoopAdvice.STOP, sentence.format(what=shown(action, _)))
        if isinstance(action, Wait):
            is_stuck = _count_repeats(self._history, 1) > MAX_WAITS
            return (
                LoopVerdict(LoopAdvice.STOP, _("Waited for long and nothing changes."))
                if is_stuck
                else _GO_ON
            )
        if (cycle := _find_cycle(self._history, MAX_REPEATS, MAX_REPEATS)) is not None:
            if cycle.is_over:
                return LoopVerdict(LoopAdvice.STOP, _format_stop(shown(action, _), cycle.length))
            return LoopVerdict(LoopAdvice.WARN, _format_warning(describe(action), cycle.length))
        # Of pages and actions that differ in numbers only, a single action may be one of many alike.
        if (cycle := _find_cycle(self._coarse_history, MAX_ALIKE_IN_A_ROW, MAX_ALIKE)) is not None:
            length = max(2, cycle.length)
            if cycle.is_over:
                return LoopVerdict(LoopAdvice.STOP, _format_stop(describe(action), length, cycle.most))
            return LoopVerdict(LoopAdvice.WARN, _format_warning(describe(action), length))
        return _GO_ON

    def _saves_again(self, action: Action) -> bool:
        """Whether an action completes a page once more, exactly as it stands, after others in between.

        The same alarm saved twice is a second alarm. A button that is pressed again at once may not have
        responded, and one such as “Add” may be wanted twice.
        """
        self._saving = None
        target = action.target if isinstance(action, Click) else None
        if target is None or not wording.completes_page(target.label) or wording.may_open_form(target.label):
            return False
        self._saving = entry = self._history[-1]
        return entry in self._saved and self._history[-2:-1] != [entry]

    def reset(self) -> None:
        """Forget the history, because the user did or said something."""
        self._history.clear()
        self._coarse_history.clear()
        self._saved.clear()


_GO_ON = LoopVerdict(LoopAdvice.GO_ON)


def fingerprint(observation: Observation) -> int:
    """A hash of the screen, for this process: app, page, and the text and state of its elements.

    The screenshot is included only if no element has a text.
    """
    elements = tuple(
        (e.resource_id, e.text, e.description, e.bounds, e.checked, e.selected, e.focused, e.enabled)
        for e in observation.elements
        if e.text or e.description or e.resource_id
    )
    has_text = any(e.text or e.description for e in observation.elements)
    picture = b"" if has_text else observation.screenshot
    app, shown = observation.app, (observation.rotation, observation.keyboard_shown)
    return hash((app.package, app.activity, shown, elements, picture))


def action_key(action: Action) -> str:
    """A key that is equal for equal actions: by target if it has one, otherwise by position on a grid."""
    match action:
        case Click(target=target) | LongClick(target=target) if target is not None:
            return f"{action.type} {target.resource_id} {target.class_name} {target.text} {target.bounds}"
        case Click(point=point) | LongClick(point=point):
            return f"{action.type} {_grid_cell(point)}"
        case Scroll(point=point, direction=direction):
            return f"{action.type} {direction} {_grid_cell(point)}"
        case Swipe(start=start, end=end):
            return f"{action.type} {_grid_cell(start)} {_grid_cell(end)}"
        case _:
            return action.model_dump_json(exclude={"target"})


_DIGITS = re.compile(r"\d+")


def page_key(observation: Observation) -> str:
    """A key of a page that ignores numbers: app, window and heading."""
    heading = _DIGITS.sub("#", page_of(observation).heading)
    return f"{observation.app.package} {observation.app.activity} {heading}"


def coarse_action_key(action: Action) -> str:
    """A key that is equal for actions that differ only in numbers and in the element's position."""
    match action:
        case Click(target=target) | LongClick(target=target) if target is not None:
            label = _DIGITS.sub("#", target.label)
            return f"{action.type} {target.resource_id} {target.class_name} {label}"
        case _:
            return action_key(action)


def describe_no_effect(action: Action, before: str, after: str) -> str:
    """The note for the model if an action did not change the screen; empty if it did."""
    if before != after or isinstance(action, Wait):
        return ""
    if isinstance(action, ClearText):
        return (
            "The screen is as before the field was to be emptied. If it shows no more than its hint, it is "
            "empty: type into it. Else it did not get empty: type with clear, or select its text first."
        )
    if isinstance(action, Scroll):
        return f"The scroll {action.direction} moved nothing: no more is there, or nothing scrolls there."
    return f"The last action ({describe(action)}) did nothing: the screen is as before. Try another way."


def describe_changes(before: Observation, after: Observation) -> list[str]:
    """Compare two screens: foreground app, rotation, and labels that appeared or disappeared."""
    changes: list[str] = []
    if before.app.package != after.app.package:
        changes.append(f"The app in front was {before.app.name}, now it is {after.app.name}.")
    elif before.app.activity != after.app.activity:
        changes.append(f"{after.app.name} shows another page than before.")
    if before.rotation != after.rotation:
        changes.append("The screen was turned.")
    old, new = _labels(before), _labels(after)
    if appeared := [label for label in new if label not in old]:
        changes.append(f"New on the screen: {_format_labels(appeared)}.")
    if gone := [label for label in old if label not in new]:
        changes.append(f"No longer on the screen: {_format_labels(gone)}.")
    return changes


def _labels(observation: Observation) -> dict[str, None]:
    return dict.fromkeys(e.text or e.description for e in observation.elements if e.text or e.description)


def _format_labels(labels: list[str]) -> str:
    unnamed = len(labels) - _MAX_NAMED
    text = ", ".join(f"“{inner_quotation(label[:40])}”" for label in labels[:_MAX_NAMED])
    return f"{text} and {unnamed} more" if unnamed > 0 else text


@dataclass(frozen=True, slots=True)
class _Cycle:
    """What came round at the end of a history, once less often than it may, or `most` times: it `is_over`."""

    length: int
    most: int
    is_over: bool


def _find_cycle(history: list[tuple[str, str]], most_in_a_row: int, most: int) -> _Cycle | None:
    """The shortest cycle to be warned of or stopped; one action may be repeated `most_in_a_row` times."""
    for length in range(1, LONGEST_CYCLE + 1):
        limit, times = most_in_a_row if length == 1 else most, _count_repeats(history, length)
        if times >= limit - 1 and _is_one_round(history[-length:]):
            return _Cycle(length, limit, times >= limit)
    return None


def _count_repeats(history: list[tuple[str, str]], length: int) -> int:
    """How often in a row the last `length` entries occur at the end of the history."""
    rounds = (history[end - length : end] for end in range(len(history), length - 1, -length))
    return sum(1 for _round in takewhile(history[-length:].__eq__, rounds))


def _is_one_round(cycle: list[tuple[str, str]]) -> bool:
    """Whether a cycle is no shorter one that came round several times, which has its own limit."""
    length = len(cycle)
    return not any(
        length % shorter == 0 and cycle[:shorter] * (length // shorter) == cycle
        for shorter in range(1, length)
    )


def _grid_cell(point: Point) -> tuple[int, int]:
    return round(point.x * _GRID), round(point.y * _GRID)


def _format_warning(action_text: str, length: int) -> str:
    if length == 1:
        return f"You have chosen the same action on the same screen before: {action_text}. Do something else."
    return (
        f"You are going in circles: the last {length} actions led back to where you were. Do something else."
    )


def _format_stop(action_text: str, length: int, times: int = MAX_REPEATS) -> str:
    if length == 1:
        sentence = _("Stopped: “{what}” leads nowhere, and was chosen {most} times on the same screen.")
        return sentence.format(what=action_text, most=MAX_REPEATS)
    sentence = _("Stopped: going in circles, the same {length} actions came round {most} times.")
    return sentence.format(length=length, most=times)


_SYSTEM_PACKAGES = ("launcher", "systemui", "permissioncontroller", "packageinstaller", "inputmethod")


class AppRestriction:
    """The apps that a turn may act in: those that the command names, otherwise the first one opened.

    The launcher and system windows are always allowed. An app that an approved action opens is added.
    """

    def __init__(self, lock: AppLock, instruction: str) -> None:
        self._enabled = lock is AppLock.TASK
        self._instruction = _normalize(instruction)
        self._packages: set[str] = set()
        self._names: set[str] = set()

    def enter_app(self, app: ForegroundApp, *, approved: bool = False) -> None:
        """Take note of the app in the foreground.

        It is added to the allowed apps when the command names it, when it is the first one, or when
        `approved`: the user approved the action that opened it.
        """
        if not self._enabled or _is_system_window(app) or not app.package:
            return
        named = bool(app.label) and _normalize(app.label) in self._instruction
        if named or approved or not self._packages:
            self._packages.add(app.package)
            self._names.add(app.name)

    def find_refusal(self, action: Action, app: ForegroundApp) -> str:
        """Why an action is refused; empty if it is allowed."""
        if not self._enabled:
            return ""
        apps = ", ".join(sorted(self._names)) or "its app"
        if isinstance(action, OpenApp):
            name = _normalize(action.name)
            allowed = name in self._instruction or name in map(_normalize, self._names) or not self._names
            return "" if allowed else Refusal.APP_LOCKED.format(apps=apps, name=action.name)
        inside = _is_system_window(app) or app.package in self._packages or not self._packages
        if inside or isinstance(action, PressBack | PressHome | PressRecent | Wait):
            return ""
        return Refusal.LEFT_APP.format(apps=apps, name=app.name)


def _is_system_window(app: ForegroundApp) -> bool:
    return not app.activity or any(name in app.package for name in _SYSTEM_PACKAGES)


def _normalize(text: str) -> str:
    return fold_case(text).strip()


class ChosenWays:
    """The ways of travelling that screens of a turn showed as chosen, such as the tab of a route.

    Maps begin with a way of their own, and the tab of the one that was asked for may be out of sight.
    """

    def __init__(self) -> None:
        self._shown: set[str] = set()

    def observe(self, observation: Observation) -> None:
        """Take note of what a screen shows as selected or checked."""
        for element in observation.elements:
            if element.selected or element.checked:
                self._shown |= _ways_of(element.text) | _ways_of(element.description)

    def find_unchosen(self, instruction: str, steps: Sequence[StoredStep]) -> list[str]:
        """The words for the way that a command to navigate names, where others were chosen and it was not.

        Nothing is said where no way was seen as chosen: the app may not show it, or speak another language.
        """
        if not _NAVIGATES.search(instruction):
            return []
        # A place of the command may be called like a way: “to the Metro on foot”.
        places = fold(_ANY_WAY_SAID.sub(" ", instruction))
        taps = [step.action.target.label for step in steps if step.action.target and not step.error]
        named = (tap for tap in taps if not re.search(rf"(?<![a-z]){re.escape(fold(tap))}(?![a-z])", places))
        chosen = self._shown.union(*map(_ways_of, named))
        matches = {way: pattern.search(instruction) for way, pattern in _WAYS_SAID.items()}
        said = {way: match[0] for way, match in matches.items() if match is not None}
        return list(said.values()) if chosen and not chosen & said.keys() else []


def _ways_of(label: str) -> set[str]:
    """The ways of travelling that a label is for: “Walk · 20 min”; none for a place, as “Train station”."""
    for text in (label, _TAKES_TIME.sub(" ", label)):
        words = [word for word in _WAY_SEPARATOR.split(_BESIDE_WAY.sub(" ", text).strip()) if word]
        ways = [{way for way, shown in _WAYS_SHOWN.items() if shown.fullmatch(word)} for word in words]
        if ways and all(ways):
            return set().union(*ways)
    return set()


_NAVIGATES = word_pattern("navigates")
_WAYS = ("walk", "drive", "cycle", "transit")
_WAYS_SAID = {way: word_pattern(f"{way}_said") for way in _WAYS}
_WAYS_SHOWN = {way: word_pattern(f"{way}_shown") for way in _WAYS}
_ANY_WAY_SAID = lazy_regex("|".join(pattern.pattern for pattern in _WAYS_SAID.values()), re.IGNORECASE)
_TAKES_TIME = word_pattern("takes_time")
_BESIDE_WAY = word_pattern("beside_way")
_WAY_SEPARATOR = lazy_regex(r"\s*[/／、,，·•&+:：()（）\n]\s*|\s{2,}")


WEEKDAYS = [lazy_regex(names) for names in WORDS["weekdays"]]
DAYS_AHEAD = {
    days: (lazy_regex(words["said"]), lazy_regex(words["shown"]))
    for days, words in WORDS["days_ahead"].items()
}
"""Words for a day by how many days it is ahead: as users say it, and as screens show it."""


def shows_day(day: date, today: date, shown: str, tapped: str) -> bool:
    """Whether a day is on the screen, by its date or as “tomorrow”, or was tapped, also as a weekday."""
    ahead = DAYS_AHEAD.get((day - today).days, ("", None))[1]
    return (
        (ahead is not None and ahead.search(shown) is not None)
        or WEEKDAYS[day.weekday()].search(tapped) is not None
        or re.search(_written_date(day), f"{shown} {tapped}") is not None
    )


def _written_date(day: date) -> str:
    """How screens write a date: with the name of its month, or in figures.

    “10-12” may be either of two days. Where both figures could be a month, the month must stand first, as it
    does behind a year and in China; before a year, either may.
    """
    figures = rf"\b\d{{4}}[-/.]0?{day.month}[-/.]0?{day.day}\b|\b{day.month:02}[-/.]{day.day:02}\b"
    if day.day > 12 or day.day == day.month:
        figures += rf"|\b{day.day:02}[-/.]{day.month:02}\b"
    else:
        figures += r"(?![-/.]\d)"
    return (
        rf"\b{day.day}(?:st|nd|rd|th|\.)? {day:%b}|\b{day:%b}\w*\.? {day.day}\b|{day.month}月{day.day}日"
        rf"|{figures}"
    ).casefold()


def shows_days(screen: Observation | None, days: frozenset[int], clocks: Collection[str]) -> bool:
    """Whether a screen has just these days: as chosen ones of a form, or beside one of some times."""
    elements = screen.elements if screen is not None else ()
    texts = [(each.bounds.centre[1], f"{each.text} {each.description}") for each in elements]
    chosen = (each for each in elements if each.selected or each.checked)
    if frozenset[int]().union(*(named_days(f"{each.text} {each.description}") for each in chosen)) == days:
        return True
    times = [(height, time) for height, text in texts if (time := set(_CLOCK.findall(fold(text))))]
    for height, text in (each for each in texts if days_meant(each[1]) == days):
        own_time = set(_CLOCK.findall(fold(text)))
        beside = (
            own_time or min(times, key=lambda each: abs(each[0] - height), default=(height, set[str]()))[1]
        )
        if not clocks or not beside.isdisjoint(clocks):
            return True
    return False


def days_meant(text: str) -> frozenset[int]:
    """The days of the week that some words mean, 0 for Monday: “Mon–Thu”, “weekdays except Friday”.

    Days that are taken out of no others, “not on Friday”, are taken out of all.
    """
    line = fold(text)
    taken_out = frozenset[int]()
    rest = line
    for match in _EXCEPT_DAYS.finditer(line):
        behind = _NEXT_CLAUSE.split(line[match.start() :])[0]
        taken = behind if match.start() or behind != line else match[0]
        if days := named_days(match[0]):
            taken_out |= days | named_days(taken)
            rest = rest.replace(taken, " ")
    return (named_days(rest) or (_ALL_DAYS if taken_out else taken_out)) - taken_out


def named_days(text: str) -> frozenset[int]:
    """The days of the week that some words name, whatever is said of them."""
    line = _DAYS_IN_CHINESE.sub(lambda run: _OF_WEEK.sub(r"周\1", run[0]), fold(text))
    days = {day for each in WORDS["day_sets"] if re.search(each["words"], line) for day in each["days"]}
    matches = ((match, day) for day, names in enumerate(WEEKDAYS) for match in names.finditer(line))
    places = sorted((match.start(), match.end(), day) for match, day in matches)
    for (_start, end, first), (start, _end, last) in pairwise(places):
        if _NEXT_DAYS.fullmatch(line[end:start]):
            days |= {(first + ahead) % 7 for ahead in range((last - first) % 7)}
    return frozenset((*days, *(day for _start, _end, day in places)))


def find_other_alarm(instruction: str, steps: Sequence[StoredStep]) -> list[str] | None:
    """The words that tell which of several alarms a command means, where the row of another was touched last.

    None for a command that tells none from others, or gives it other days, which are touched as well.

    Args:
        instruction: the command.
        steps: the steps of the turn.
    """
    named_alarm = _WHICH_ALARM.search(instruction)
    if named_alarm is None or named_days(instruction.replace(named_alarm[0], " ")):
        return None
    targets = (step.action.target for step in steps if isinstance(step.action, Click) and not step.error)
    rows = [fold(f"{target.label} {target.around}") for target in targets if target is not None]
    shown_days = [(named_days(row), _RINGS_ONCE.search(row) is not None) for row in rows]
    days, rings_once = next((each for each in reversed(shown_days) if any(each)), (frozenset[int](), False))
    is_once = bool(named_alarm["once"] or named_alarm["once_zh"])
    meant = named_days(named_alarm["beside"] or named_alarm["beside_zh"] or "")
    is_other = (days and (is_once or (meant and days != meant))) or (rings_once and not is_once)
    return [named_alarm[0].strip()] if is_other else []


_WHICH_ALARM, _RINGS_ONCE = word_pattern("which_alarm"), word_pattern("rings_once")
_ALL_DAYS, _OF_WEEK = frozenset(range(7)), lazy_regex("(?:周|星期|礼拜)?([一二三四五六日天])")
_CLOCK, _NEXT_CLAUSE = lazy_regex(r"\d+:\d+"), lazy_regex(r"[,，;；。.!！]")
_NEXT_DAYS, _DAYS_IN_CHINESE = word_pattern("next_days"), word_pattern("days_in_chinese")
_EXCEPT_DAYS = compile_words(WORDS["said_wishes"]["except"]["said"])


def find_missed_day(turn: Checkpoint, now: datetime, pool: str, saved_dates: Sequence[str] = ()) -> list[str]:
    """The day of an alarm, or of what was saved with a date, that a turn left out; empty if none was said.

    So is the alarm, where a command tells it from others of its time, and another one was touched.

    An alarm for once rings at the next such time: what is to ring tomorrow at eight rings today, if it is
    seven. Its day is set where it was tapped, or where a screen says “tomorrow” or the date. An event stands
    on the day that its form had when it was saved.

    Args:
        turn: the turn.
        now: the time in the user's zone.
        pool: as for `find_unheeded`.
        saved_dates: as in `TraceLog`.
    """
    if (other_alarm := find_other_alarm(turn.instruction, turn.steps)) is not None:
        return other_alarm
    started = turn.started.astimezone(now.tzinfo)
    spoken = with_clock_digits(fold_case(turn.said))
    tapped = " ".join(map(words_touched, turn.steps)).casefold()
    if OF_ALARMS.search(spoken) is None:
        said, day = _day_said(spoken, started.date(), started)
        if day is None or not saved_dates or _TODAY.search(spoken):
            return []
        # “Next Tuesday” may be the one after it.
        days = (day, day + timedelta(days=7)) if any(names.search(said) for names in WEEKDAYS) else (day,)
        if any(shows_day(each, started.date(), " ".join(saved_dates), tapped) for each in days):
            return []
        return [_("{day}: what was saved has “{date}”").format(day=said, date=saved_dates[-1])]
    rings = _next_ring(spoken, started)
    if rings is None:
        return []
    said, day = _day_said(spoken, started.date(), rings)
    is_next = day == rings.date() and not _REPEATS.search(spoken)
    if day is None or is_next or shows_day(day, started.date(), pool, tapped):
        return []
    sentence = _("{day} (an alarm for once at {clock} rings on another day)")
    if rings.date() == started.date():
        sentence = _("{day} (an alarm for once at {clock} rings today)")
    return [sentence.format(day=said, clock=f"{rings:%H:%M}")]


def _next_ring(spoken: str, now: datetime) -> datetime | None:
    """When an alarm for once rings that a command sets; None if it says no time of day."""
    clock = _ALARM_CLOCK.search(BARE_HOUR.sub(r" \1:00", spoken))
    if clock is None:
        return None
    hour, minute = int(clock["hour"]), int(clock["minute"])
    hour += 12 if hour < 12 and (clock["late"] or _IS_LATE.search(spoken)) else 0
    rings = now.replace(hour=hour % 24, minute=minute % 60, second=0, microsecond=0)
    return rings + timedelta(days=rings <= now)


def _day_said(command: str, today: date, from_time: datetime) -> tuple[str, date | None]:
    """The day that a command names, and its date; a weekday is the next one from a time on."""
    for days, (said, _shown) in sorted(DAYS_AHEAD.items(), reverse=True):
        if (match := said.search(command)) is not None:
            return match[0], today + timedelta(days=days)
    for weekday, names in enumerate(WEEKDAYS):
        if (match := names.search(command)) is not None:
            return match[0], from_time.date() + timedelta(days=(weekday - from_time.weekday()) % 7)
    return "", None


_ALARM_CLOCK = lazy_regex(r"(?<![\d:])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?: ?(?P<late>p\.?m\b))?")
_IS_LATE, _REPEATS = word_pattern("in_second_half"), word_pattern("repeats")
_TODAY = word_pattern("today")
OF_ALARMS, BARE_HOUR = word_pattern("of_alarms"), word_pattern("bare_hour")


def is_already_so(turn: Checkpoint, now: datetime, answer: str, screen: Observation | None) -> bool:
    """Whether a report says that all was so before, and a switch of the screen shows just that.

    Its row has all figures and words of the command, and an alarm's time on its half of the day; it is on, or
    off where the command wants that; and where the row names days, the day that is meant is one of them.
    """
    if screen is None or _ALREADY.search(answer) is None:
        return False
    spoken = _DOTTED.sub(r"\1:\2", with_clock_digits(fold_case(turn.said)))
    wishes = find_wishes_said(_DOTTED.sub(r"\1:\2", with_clock_digits(turn.instruction)))
    started = turn.started.astimezone(now.tzinfo)
    rings = _next_ring(spoken, started) if OF_ALARMS.search(spoken) else None
    day = _day_said(spoken, started.date(), rings or started)[1] or (rings.date() if rings else None)
    if len(wishes) != 1 or (rings is not None and day != rings.date()) or _REPEATS.search(spoken):
        return False
    wish = fold(BARE_HOUR.sub(r" \1:00", wishes[0]) if rings else wishes[0])
    figures = set(_AS_SHOWN.findall(wish))
    days_said = (*(said for said, _shown in DAYS_AHEAD.values()), *WEEKDAYS, _TODAY)
    for forms in (*days_said, _FIRST_HALF, _SECOND_HALF, _AS_SHOWN, _VERBS_OF_STATE):
        wish = forms.sub(" ", wish)
    words, is_wanted_on = content_words(wish), _wants_on(fold(wishes[0]))
    seen = fold(" ".join((screen.app.label, screen.app.title, *map(_words_of, screen.elements))))
    is_unsure = rings is not None and _may_be_other_half(spoken, rings)
    if is_wanted_on is None or is_unsure or not (words or figures) or not _holds_all(seen, words):
        return False
    own_words = [word for word in words if not OF_ALARMS.fullmatch(word)]
    for switch in (each for each in screen.elements if each.checkable and each.checked is is_wanted_on):
        height = switch.bounds.centre[1]
        row = fold(" ".join(_words_of(each) for each in screen.elements if _is_row(each, height, screen)))
        days = days_meant(row)
        is_day = day is None or not days or day.weekday() in days
        holds = figures <= set(_AS_SHOWN.findall(row)) and _holds_all(row, own_words)
        is_time = rings is None or _shows_time(row, rings)
        if is_day and holds and is_time and (figures or own_words):
            return True
    return False


def _holds_all(text: str, words: Collection[str]) -> bool:
    whole = set(content_words(text))
    return all(word in whole or (not word.isascii() and word in text) for word in words)


def _wants_on(wish: str) -> bool | None:
    """Whether a wish wants something on or off; None where its words may mean either."""
    off, on = _WANTS_OFF.search(wish) is not None, _WANTS_ON.search(wish) is not None
    is_unsure = off and on if off or on else _NAMES_OFF.search(wish) is not None
    return None if is_unsure else not off


def _may_be_other_half(spoken: str, rings: datetime) -> bool:
    """Whether a time of day is said of both halves of the day, or of twelve, which each half counts."""
    halves = [half.search(spoken) is not None for half in (_FIRST_HALF, _SECOND_HALF)]
    return all(halves) or (any(halves) and rings.hour % 12 == 0)


def _shows_time(row: str, rings: datetime) -> bool:
    """Whether a row shows a time of day, on its half of the day where the row names one."""
    if (_FIRST_HALF if rings.hour >= 12 else _SECOND_HALF).search(row) is not None:
        return False
    clock, on_half = (fold(f"{hour}:{rings.minute:02}") for hour in (rings.hour, rings.hour % 12 or 12))
    times = _ROW_TIME.finditer(row)
    return any(time["clock"] == (on_half if time["before"] or time["after"] else clock) for time in times)


def _is_row(element: Element, height: int, screen: Observation) -> bool:
    bounds = element.bounds
    return bounds.top <= height < bounds.bottom < bounds.top + _ROW_SHARE * screen.height


def _words_of(element: Element) -> str:
    return "" if element.password or element.editable else f"{element.text} {element.description}"


_WANTS_OFF, _WANTS_ON, _NAMES_OFF = map(word_pattern, ("wants_off", "wants_on", "names_off"))
_ALREADY, _VERBS_OF_STATE = map(word_pattern, ("already", "verbs_of_state"))
_FIRST_HALF, _SECOND_HALF, _ROW_TIME = map(word_pattern, ("first_half", "second_half", "row_time"))
_DOTTED, _AS_SHOWN = lazy_regex(r"(?<![\d.])(\d{1,2})\.(\d{2})(?![\d.])"), lazy_regex(r"\d+(?::\d+)?")
_ROW_SHARE = 0.2
"""The largest share of the screen's height that one row of it takes."""
