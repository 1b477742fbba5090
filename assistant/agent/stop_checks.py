"""Checks that stop a turn or an action.

- Loops: the same action again on the same screen, cycles of screens, waiting for nothing. Besides the exact
  screens, pages and actions are compared without their numbers, for screens that never look the same twice.
- What an action changed on the screen, for the model.
- Actions outside the apps of the task.
- What the user said in the turn and nothing on the phone answers, so that it is no success.
- The day of an alarm, where the next such time by the clock is on another one.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import cache

from assistant.agent.checkpoint import pressed_to_save, read_count, words_touched
from assistant.agent.completion import (
    WORDS,
    content_words,
    fold,
    is_answered,
    word_pattern,
)
from assistant.agent.context import find_conflict, find_wishes
from assistant.i18n import _, inner_quotation
from assistant.memory.prototypes.terms import as_number, split_parts
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.phone.errors import Refusal
from assistant.phone.pictures import unmoved
from assistant.records import (
    Action,
    Click,
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
from assistant.skills.command_wording import ValueKind, asks_shift, read_own_correction, says_nothing
from assistant.skills.slots import Unit, with_clock_digits

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

MOST_CORRECTED = 3
"""How often a command may correct itself."""

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
        action_text = describe(action)
        if self._saves_again(action):
            return LoopVerdict(LoopAdvice.STOP, _format_saved_again(shown(action, _)))
        if isinstance(action, Wait):
            waits = _count_repeats(self._history, 1)
            return (
                LoopVerdict(LoopAdvice.STOP, _("Waited for long and nothing changes."))
                if waits > MAX_WAITS
                else _GO_ON
            )
        for length in range(1, LONGEST_CYCLE + 1):
            times = _count_repeats(self._history, length)
            if times < MAX_REPEATS - 1 or not _is_one_round(self._history[-length:]):
                continue
            if times >= MAX_REPEATS:
                return LoopVerdict(LoopAdvice.STOP, _format_stop(shown(action, _), length))
            return LoopVerdict(LoopAdvice.WARN, _format_warning(action_text, length))
        return self._check_coarsely(action_text)

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

    def _check_coarsely(self, action_text: str) -> LoopVerdict:
        """Check for cycles of pages and actions that differ in numbers only."""
        history = self._coarse_history
        for length in range(1, LONGEST_CYCLE + 1):
            most = MAX_ALIKE_IN_A_ROW if length == 1 else MAX_ALIKE
            times = _count_repeats(history, length)
            if times < most - 1 or not _is_one_round(history[-length:]):
                continue
            if times >= most:
                return LoopVerdict(LoopAdvice.STOP, _format_stop(action_text, max(2, length), most))
            return LoopVerdict(LoopAdvice.WARN, _format_warning(action_text, max(2, length)))
        return _GO_ON

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
    more = len(labels) - _MAX_NAMED
    text = ", ".join(f"“{inner_quotation(label[:40])}”" for label in labels[:_MAX_NAMED])
    return f"{text} and {more} more" if more > 0 else text


def _count_repeats(history: Sequence[tuple[str, str]], length: int) -> int:
    """How often in a row the last `length` entries occur at the end of the history."""
    cycle = list(history[-length:])
    times = 0
    while (
        len(history) >= (times + 1) * length
        and list(history[len(history) - (times + 1) * length :])[:length] == cycle
    ):
        times += 1
    return times


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
        return _("Stopped: “{what}” leads nowhere, and was chosen {most} times on the same screen.").format(
            what=action_text, most=MAX_REPEATS
        )
    return _("Stopped: going in circles, the same {length} actions came round {most} times.").format(
        length=length, most=times
    )


def _format_saved_again(action: str) -> str:
    return _("Stopped before {what}: exactly this was done already in this turn.").format(what=action)


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
    return unicodedata.normalize("NFKC", text).casefold().strip()


def remarks_of(turn: Checkpoint) -> list[UserRemark]:
    """What the user said of the command of a turn: in it, as a count, wish or self-correction, and since."""
    remarks = []
    command = turn.said
    for _round in range(MOST_CORRECTED):
        corrections = (each for each in read_own_correction(command) if each.new)
        meant = next((each for each in corrections if fold(each.new) in fold(turn.instruction)), None)
        if meant is None:
            break
        command = meant.command
        remarks.append(UserRemark(after=0, text=meant.new, kind=meant.kind, new=meant.new, old=meant.old))
    clauses = (clause for text in (turn.said, turn.instruction) for clause in _CLAUSES.split(text))
    counts = dict.fromkeys(clause.strip() for clause in clauses if read_count(clause))
    wishes = [each for each in find_wishes(turn) if not read_count(_JOINS.sub("", each.text))]
    return [*(UserRemark(after=0, text=count) for count in counts), *wishes, *remarks, *turn.remarks]


def find_unheeded(remarks: Sequence[UserRemark], pool: str, answer: str) -> list[str]:
    """Which remarks of the user a turn has not carried out: those whose figures, or new value, show nowhere.

    A remark that only steers, such as “scroll down”, leaves nothing to be seen; a later value stands for the
    one of its kind before.

    Args:
        remarks: what the user said in the turn, the oldest first.
        pool: all that was tapped or typed, and what the last screens show, from `TraceLog.pool`.
        answer: what the model reported.
    """
    unheeded: dict[str, str] = {}

    @cache
    def shown() -> set[str]:
        return set(_FIGURE.findall(fold(with_clock_digits(f"{pool} {answer}"))))

    for remark in (each for each in remarks if each.kind != ValueKind.PART):
        request = with_clock_digits(remark.new or _TAKEN_BACK.sub(" ", remark.text))
        if not remark.kind and (unit := asks_shift(remark.text)):
            # The value that it changes is not known: neither is the one that would have to show.
            unheeded[f"figures {unit == Unit.CLOCK}"] = remark.text
            continue
        if count := count_asked(remark):
            unheeded.pop("count", None)
            # The text of a message may say it, “dinner for two”.
            is_text = remark.after == 0 and not remark.kind and fold(remark.text) in pool
            if not is_text and re.search(_SHOWS_COUNT.format(count), pool) is None:
                unheeded["count"] = remark.text
            continue
        figures = _FIGURE.findall(fold(request))
        for kind in {":" in figure for figure in figures}:
            alike = [figure for figure in figures if (":" in figure) is kind]
            unheeded.pop(f"figures {kind}", None)
            # The screen may show a time that was there before; the answer says which one was set.
            reported = {each for each in _FIGURE.findall(fold(answer)) if kind and ":" in each}
            is_reported = any(reported & _written(figure) for figure in alike)
            # A page that is not saved yet may have the hour and the minute in fields of their own.
            by_field = set[str]() if answer else {each for each in alike if _in_fields(each) <= shown()}
            is_shown = all(figure in by_field or shown() & _written(figure) for figure in alike)
            if not (is_reported if reported else is_shown):
                unheeded[f"figures {kind}"] = remark.text
        if not remark.kind or figures:
            continue
        unheeded.pop(remark.kind, None)
        words = [] if says_nothing(remark.new) else content_words(remark.new)
        if words and not is_answered(" ".join(words), pool, ""):
            unheeded[remark.text if remark.kind == ValueKind.OPTION else remark.kind] = remark.text
    return list(dict.fromkeys(unheeded.values()))


def count_asked(remark: UserRemark) -> int:
    """How many of the thing a remark asks for; 0 for one that asks for something else."""
    if remark.kind:
        return as_number(remark.new) if remark.kind == ValueKind.COUNT else 0
    request = _TAKEN_BACK.sub(" ", remark.text)
    return next(filter(None, map(read_count, (request, *_CLAUSES.split(request)))), 0)


def find_done_before(turn: Checkpoint) -> list[str]:
    """What the user said that all deeds of its kind go against which were done."""
    kinds = {deed.kind for deed in turn.deeds}
    deeds = [[deed for deed in turn.deeds if deed.kind is kind] for kind in kinds]
    remarks = remarks_of(turn)
    return [
        against[0]
        for alike in deeds
        if (against := [find_conflict(remarks, deed) for deed in alike]) and all(against)
    ]


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
_ANY_WAY_SAID = re.compile("|".join(pattern.pattern for pattern in _WAYS_SAID.values()), re.IGNORECASE)
_TAKES_TIME = word_pattern("takes_time")
_BESIDE_WAY = word_pattern("beside_way")
_WAY_SEPARATOR = re.compile(r"\s*[/／、,，·•&+:：()（）\n]\s*|\s{2,}")

_CLAUSES = word_pattern("clauses")
_JOINS = re.compile(r"^(?:and|but|plus|with)\s+", re.IGNORECASE)
_SHOWS_COUNT = r"[×x] ?{0}\b|\b{0} ?[×x份杯碗]|(?:quantity|qty|数量)\W{{0,3}}{0}\b"


def find_missed_times(instruction: str, pool: str, steps: Sequence[StoredStep] | None = None) -> list[str]:
    """The further parts of a command whose time of day shows nowhere: of “7 and another for 7:15” the last.

    None where no time shows at all: then nothing can be told from it. An alarm may have stood at that time
    before: of two that were ordered and one that was saved, one is missed.

    Args:
        instruction: the command.
        pool: as for `find_unheeded`.
        steps: the steps of the turn; None not to count what was saved.
    """
    shown = {figure for figure in _FIGURE.findall(pool) if ":" in figure}
    timed, missed = [], []
    is_alarm = _OF_ALARMS.search(instruction) is not None
    for part in split_parts(instruction)[1:] if shown else ():
        text = fold(with_clock_digits(part))
        times = [figure for figure in _FIGURE.findall(text) if ":" in figure]
        times += [fold(f"{hour}:00") for hour in _BARE_HOUR.findall(text)] if is_alarm else []
        if any(not shown & _written(time) for time in times):
            missed.append(part)
        elif times:
            timed.append(part)
    saved = sum(pressed_to_save(step) is not None for step in steps or ())
    lacking = 1 + len(timed) - saved if is_alarm and steps is not None else 0
    return [*missed, *timed[len(timed) - max(0, min(lacking, len(timed))) :]]


def find_missed_day(turn: Checkpoint, now: datetime, pool: str, saved_dates: Sequence[str] = ()) -> list[str]:
    """The day of an alarm, or of what was saved with a date, that a turn left out; empty if none was said.

    An alarm for once rings at the next such time: what is to ring tomorrow at eight rings today, if it is
    seven. Its day is set where it was tapped, or where a screen says “tomorrow” or the date. An event stands
    on the day that its form had when it was saved.

    Args:
        turn: the turn.
        now: the time in the user's zone.
        pool: as for `find_unheeded`.
        saved_dates: as in `TraceLog`.
    """
    started = turn.started.astimezone(now.tzinfo)
    spoken = with_clock_digits(unicodedata.normalize("NFKC", turn.said).casefold())
    tapped = " ".join(map(words_touched, turn.steps)).casefold()
    if _OF_ALARMS.search(spoken) is None:
        said, day = _day_said(spoken, started.date(), started)
        if day is None or not saved_dates or _TODAY.search(spoken):
            return []
        # “Next Tuesday” may be the one after it.
        days = (day, day + timedelta(days=7)) if any(names.search(said) for names in _WEEKDAYS) else (day,)
        if any(_is_shown(each, started.date(), " ".join(saved_dates), tapped) for each in days):
            return []
        return [_("{day}: what was saved has “{date}”").format(day=said, date=saved_dates[-1])]
    clock = _ALARM_CLOCK.search(_BARE_HOUR.sub(r" \1:00", spoken))
    if clock is None:
        return []
    hour, minute = int(clock["hour"]), int(clock["minute"])
    hour += 12 if hour < 12 and (clock["late"] or _IS_LATE.search(spoken)) else 0
    rings = started.replace(hour=hour % 24, minute=minute % 60, second=0, microsecond=0)
    rings += timedelta(days=rings <= started)
    said, day = _day_said(spoken, started.date(), rings)
    is_next = day == rings.date() and not _REPEATS.search(spoken)
    if day is None or is_next or _is_shown(day, started.date(), pool, tapped):
        return []
    sentence = _("{day}: an alarm for once at {clock} rings on another day")
    return [sentence.format(day=said, clock=f"{rings:%H:%M}")]


def _is_shown(day: date, today: date, shown: str, tapped: str) -> bool:
    """Whether a day is on the screen, by its date or as “tomorrow”, or was tapped, also as a weekday."""
    ahead = _AHEAD.get((day - today).days, ("", None))[1]
    return (
        (ahead is not None and ahead.search(shown) is not None)
        or _WEEKDAYS[day.weekday()].search(tapped) is not None
        or re.search(_written_date(day), f"{shown} {tapped}") is not None
    )


def _day_said(command: str, today: date, from_time: datetime) -> tuple[str, date | None]:
    """The day that a command names, and its date; a weekday is the next one from a time on."""
    for days, (said, _shown) in sorted(_AHEAD.items(), reverse=True):
        if (match := said.search(command)) is not None:
            return match[0], today + timedelta(days=days)
    for weekday, names in enumerate(_WEEKDAYS):
        if (match := names.search(command)) is not None:
            return match[0], from_time.date() + timedelta(days=(weekday - from_time.weekday()) % 7)
    return "", None


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


_ALARM_CLOCK = re.compile(r"(?<![\d:])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?: ?(?P<late>p\.?m\b))?")
_IS_LATE, _REPEATS = word_pattern("in_second_half"), word_pattern("repeats")
_TODAY = word_pattern("today")
_WEEKDAYS = [re.compile(names) for names in WORDS["weekdays"]]
_AHEAD = {
    days: (re.compile(words["said"]), re.compile(words["shown"]))
    for days, words in WORDS["days_ahead"].items()
}
"""Words for a day by how many days it is ahead: as users say it, and as screens show it."""


_OF_ALARMS = word_pattern("of_alarms")
_BARE_HOUR = word_pattern("bare_hour")


def _written(figure: str) -> set[str]:
    """A figure, and a time of day also on the other half of the clock: “make it 8” is 8:00 or 20:00."""
    hour, colon, minute = figure.partition(":")
    if not colon and not 0 < int(hour[:3]) <= 24:
        return {figure}
    # A folded screen has 8:00 as “8:0”.
    minutes = (minute,) if minute else ("00", "0")
    return {figure, *(f"{each % 24}:{digits}" for each in (int(hour), int(hour) + 12) for digits in minutes)}


def _in_fields(figure: str) -> set[str]:
    """The figures of a field for the hour and one for the minute; the figure itself for no time of day."""
    return {str(int(part)) for part in figure.split(":")} if ":" in figure else {figure}


_FIGURE = re.compile(r"\d+(?::\d+)?")
_TAKEN_BACK = word_pattern("takes_back")
