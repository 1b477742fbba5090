"""First habits from the phone's usage statistics, before there are records of turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

import numpy as np

from assistant.phone.apps import telling_parts
from assistant.phone.sensors import AppOpened
from assistant.proactive.habit_table import Floats, circular_distance, minute_of
from assistant.records import Finished, OpenApp, Outcome, Record

SOURCE = "usage"
_AGAIN = timedelta(minutes=30)
"""An app that is opened again sooner than this was in use all the time."""
_BESIDE = 45.0
_LEAST_DAYS = 3
_REGULAR = 0.5
_LEAST_SHARE = 0.25
_DAY, _TOGETHER = 1440.0, 60.0
_LEAST_GROUP = 0.2


def find_usage_habits(
    opened: Sequence[AppOpened],
    user_id: str,
    label: Callable[[str], str],
    word: str = "Open {app}",
    recorded: Iterable[Record] = (),
) -> list[Record]:
    """Records of apps that are opened at about the same time on several days, oldest first.

    Apps without a usual time are left out: "Open Chat" thirty times a day says nothing about a moment. The
    ids follow from package and time, so that importing twice adds nothing.

    Args:
        opened: which app came to the front when, oldest first.
        user_id: whose records.
        label: the name of a package's app; empty where it was never seen.
        word: the instruction, with a place for the app.
        recorded: records of turns: an app that a turn opened is not a habit of its own.
    """
    records: list[Record] = []
    explained = _times_by_package(recorded)
    for package, begun in _find_openings(opened).items():
        times = [opening for opening in begun if not _is_near_any(opening.time, explained.get(package, ()))]
        name = label(package) or _guess_name(package)
        records += [
            Record(
                id=f"usage-{user_id}-{package}-{opening.time:%Y%m%d_%H%M%S}",
                user_id=user_id,
                time=opening.time,
                instruction=word.format(app=name),
                app=name,
                package=package,
                actions=(OpenApp(name=name), Finished()),
                outcome=Outcome.SUCCESS,
                source=SOURCE,
            )
            for opening in _keep_regular(times)
        ]
    return sorted(records, key=lambda record: (record.time, record.id))


def _times_by_package(records: Iterable[Record]) -> dict[str, list[datetime]]:
    times: dict[str, list[datetime]] = defaultdict(list)
    for record in records:
        if record.source != SOURCE:
            times[record.package].append(record.time)
    return times


def _is_near_any(time: datetime, times: Iterable[datetime]) -> bool:
    return any(abs(time - other) < _AGAIN for other in times)


def _find_openings(opened: Iterable[AppOpened]) -> dict[str, list[AppOpened]]:
    """When each app was opened; without changes of its pages, and returns after a short while."""
    openings: dict[str, list[AppOpened]] = defaultdict(list)
    latest: dict[str, AppOpened] = {}
    for opening in opened:
        previous = latest.get(opening.package)
        if previous is None or opening.time - previous.time >= _AGAIN:
            openings[opening.package].append(opening)
        latest[opening.package] = opening
    return openings


def _keep_regular(openings: Sequence[AppOpened]) -> list[AppOpened]:
    """The openings near a usual time that half of the app's days have, and at least three days.

    An app that is opened at all hours has none.
    """
    days = len({opening.time.date() for opening in openings})
    minutes = np.array([minute_of(opening.time) for opening in openings])
    regular: dict[AppOpened, None] = {}
    for usual in usual_minutes(minutes):
        nearby = [
            opening
            for opening, apart in zip(openings, circular_distance(minutes - usual), strict=True)
            if apart <= _BESIDE
        ]
        nearby_days = len({opening.time.date() for opening in nearby})
        if nearby_days >= max(_LEAST_DAYS, _REGULAR * days) and len(nearby) <= 2 * nearby_days:
            regular.update(dict.fromkeys(nearby))
    return list(regular) if len(regular) >= _LEAST_SHARE * len(openings) else []


def usual_minutes(minutes: Floats) -> list[float]:
    """The times of day that something usually happens at, in minutes since midnight, most usual first.

    Times less than an hour apart form a group, also across midnight; a single time is not usual.
    """
    if len(minutes) < 2:
        return []
    ordered = np.sort(np.asarray(minutes, dtype=np.float64) % _DAY)
    gaps = np.append(np.diff(ordered), ordered[0] + _DAY - ordered[-1])
    start = int(np.argmax(gaps)) + 1
    turned = np.concatenate((ordered[start:], ordered[:start] + _DAY))
    groups = np.split(turned, np.flatnonzero(np.diff(turned) > _TOGETHER) + 1)
    groups = [group for group in groups if len(group) > 1 and len(group) >= _LEAST_GROUP * len(turned)]
    return [float(np.median(group)) % _DAY for group in sorted(groups, key=len, reverse=True)]


def _guess_name(package: str) -> str:
    """A name for an app whose label is unknown: the last telling part of its package."""
    parts = telling_parts(package)
    return (parts[-1] if parts else package.rpartition(".")[2]).capitalize()
