"""What `assistant doctor` reports about suggestions of the last week, and the cost of locating the user."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta

from assistant.events import Answer
from assistant.file_lock import ProactiveLock
from assistant.i18n import _
from assistant.memory.store import Store
from assistant.phone.adb import Shell
from assistant.phone.sensors import SensorReadings, read_sensors
from assistant.proactive.location import CHECK_INTERVAL, Places, recognise
from assistant.proactive.suggestions import Suggestion, Suggestions
from assistant.settings.schema import Settings

_WEEK = timedelta(days=7)
_TIMES = 3


@dataclass(frozen=True, slots=True)
class SensingCost:
    """What reading the sensors costs the phone: commands a minute, and the median milliseconds of one."""

    a_minute: float
    milliseconds: float
    signals: SensorReadings

    def format(self) -> str:
        """One line for a person."""
        seen = [
            name
            for name, there in (
                (_("access point"), self.signals.bssid),
                (_("Bluetooth"), self.signals.device),
                (_("position"), self.signals.position),
            )
            if there
        ]
        summary = _("sees no Wi-Fi, Bluetooth or location to recognise a place by")
        if seen:
            summary = _("sees {marks}").format(marks=_(", ").join(seen))
        cost = _("{told}; {count:g} command a minute, {milliseconds:.0f} ms each, wakes no screen")
        return cost.format(told=summary, count=self.a_minute, milliseconds=self.milliseconds)


async def measure_sensing(shell: Shell) -> SensingCost:
    """Read the sensors a few times, as is done every minute, and measure the time.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    taken = []
    signals = SensorReadings()
    for _time in range(_TIMES):
        begun = time.perf_counter()
        signals = await read_sensors(shell)
        taken.append((time.perf_counter() - begun) * 1000)
    return SensingCost(60 / CHECK_INTERVAL, sorted(taken)[_TIMES // 2], signals)


def summarize_suggestions(store: Store, settings: Settings) -> str:
    """The answers to the suggestions of the last week, and whether another program makes suggestions."""
    if not settings.proactive.enabled:
        return _("switched off (proactive.enabled)")
    latest = Suggestions(store, settings.user_id).since(store.now() - _WEEK)
    shown = [suggestion for suggestion in latest if suggestion.shown is not None]
    lock = ProactiveLock(store.folder)
    free = lock.take()
    lock.release()
    summary = _("{count} in the last week{answers}").format(count=len(shown), answers=_answers(shown))
    return summary if free else _("{told}; another program makes them now").format(told=summary)


def describe_place(store: Store, settings: Settings, cost: SensingCost) -> str:
    """The place where the phone is, if it has a name, and what reading the sensors costs."""
    places = Places(store, settings.user_id).all()
    place = recognise(cost.signals, places)
    summary = _("{count} places have a name, this is none of them").format(count=len(places))
    if place:
        summary = _("at {name}").format(name=place.name)
    return _("{place}; {looks}").format(place=summary, looks=cost.format())


def _answers(suggestions: list[Suggestion]) -> str:
    words = {
        Answer.ACCEPTED: _("accepted"),
        Answer.EDITED: _("accepted with changes"),
        Answer.DONE: _("done by you"),
        Answer.NOT_NOW: _("not now"),
        Answer.NEVER: _("never"),
        Answer.LAPSED: _("not answered"),
    }
    counts = [
        (sum(suggestion.answer is answer for suggestion in suggestions), word)
        for answer, word in words.items()
    ]
    summary = ", ".join(f"{count} {word}" for count, word in counts if count)
    return f" ({summary})" if summary else ""
