"""What the phone's own usage statistics say about the user's habits, for the first evening."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

import numpy as np

from assistant.phone.apps import telling_parts
from assistant.phone.sensors import AppOpened
from assistant.proactive.forecast import usual_minutes
from assistant.proactive.habit_table import circular, minute_of
from assistant.records import Finished, OpenApp, Outcome, Record

SOURCE = "usage"
_AGAIN = timedelta(minutes=30)
"""An app that comes back sooner is still in use."""
_BESIDE = 45.0
_LEAST_DAYS = 3
_REGULAR = 0.5
_LEAST_SHARE = 0.25


def habits_in(
    opened: Sequence[AppOpened],
    user_id: str,
    label: Callable[[str], str],
    word: str = "Open {app}",
    known: Iterable[Record] = (),
) -> list[Record]:
    """Records of apps that are opened at about the same time on several days, oldest first.

    What is opened at any time is left out: "Open Chat" thirty times a day says nothing about a moment. The
    ids follow from package and time, so that reading twice adds nothing.

    Args:
        opened: what came to the front, oldest first.
        user_id: whose records.
        label: the name of a package's app; empty where it was never seen.
        word: the instruction, with a place for the app.
        known: what is recorded already: an app that was opened for it was not opened by itself.
    """
    records: list[Record] = []
    explained = _times_of(known)
    for package, begun in _begun(opened).items():
        times = [one for one in begun if not _near(one.time, explained.get(package, ()))]
        name = label(package) or _name(package)
        records += [
            Record(
                id=f"usage-{user_id}-{package}-{one.time:%Y%m%d_%H%M%S}",
                user_id=user_id,
                time=one.time,
                instruction=word.format(app=name),
                app=name,
                package=package,
                actions=(OpenApp(name=name), Finished()),
                outcome=Outcome.SUCCESS,
                source=SOURCE,
            )
            for one in _regular(times)
        ]
    return sorted(records, key=lambda one: (one.time, one.id))


def _times_of(known: Iterable[Record]) -> dict[str, list[datetime]]:
    found: dict[str, list[datetime]] = defaultdict(list)
    for one in known:
        if one.source != SOURCE:
            found[one.package].append(one.time)
    return found


def _near(time: datetime, others: Iterable[datetime]) -> bool:
    return any(abs(time - one) < _AGAIN for one in others)


def _begun(opened: Iterable[AppOpened]) -> dict[str, list[AppOpened]]:
    """When each app was taken up, not the changes of its pages or short looks at another one."""
    begun: dict[str, list[AppOpened]] = defaultdict(list)
    latest: dict[str, AppOpened] = {}
    for one in opened:
        before = latest.get(one.package)
        if before is None or one.time - before.time >= _AGAIN:
            begun[one.package].append(one)
        latest[one.package] = one
    return begun


def _regular(times: Sequence[AppOpened]) -> list[AppOpened]:
    """Those near a usual time that half of the app's days have, and at least three.

    An app that is opened at all hours has none.
    """
    days = len({one.time.date() for one in times})
    minutes = np.array([minute_of(one.time) for one in times])
    kept: dict[AppOpened, None] = {}
    for usual in usual_minutes(minutes):
        near = [one for one, apart in zip(times, circular(minutes - usual), strict=True) if apart <= _BESIDE]
        on = len({one.time.date() for one in near})
        if on >= max(_LEAST_DAYS, _REGULAR * days) and len(near) <= 2 * on:
            kept.update(dict.fromkeys(near))
    return list(kept) if len(kept) >= _LEAST_SHARE * len(times) else []


def _name(package: str) -> str:
    """The name by which an app can be opened whose label was never seen: the last telling part."""
    parts = telling_parts(package)
    return (parts[-1] if parts else package.rpartition(".")[2]).capitalize()
