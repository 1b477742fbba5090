"""What `assistant doctor` says of what happens unasked: suggestions so far, and what looking around costs."""

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
from assistant.proactive.location import EVERY, Places, recognise
from assistant.proactive.suggestions import Suggestion, Suggestions
from assistant.settings.schema import Settings

_WEEK = timedelta(days=7)
_TIMES = 3


@dataclass(frozen=True, slots=True)
class SensingCost:
    """What looking around costs the phone: commands a minute, and the median milliseconds of one."""

    a_minute: float
    milliseconds: float
    signals: SensorReadings

    def in_words(self) -> str:
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
        told = _("sees nothing to know a place by")
        if seen:
            told = _("sees {marks}").format(marks=_(", ").join(seen))
        cost = _("{told}; {count:g} command a minute, {milliseconds:.0f} ms each, wakes no screen")
        return cost.format(told=told, count=self.a_minute, milliseconds=self.milliseconds)


async def look_around(shell: Shell) -> SensingCost:
    """Look around a few times, as is done every minute, and time it.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    taken = []
    signals = SensorReadings()
    for _time in range(_TIMES):
        begun = time.perf_counter()
        signals = await read_sensors(shell)
        taken.append((time.perf_counter() - begun) * 1000)
    return SensingCost(60 / EVERY, sorted(taken)[_TIMES // 2], signals)


def suggestions_in_words(store: Store, settings: Settings) -> str:
    """What came of the suggestions of the last week, and who makes them now."""
    if not settings.proactive.enabled:
        return _("switched off (proactive.enabled)")
    latest = Suggestions(store, settings.user_id).since(store.now() - _WEEK)
    shown = [one for one in latest if one.shown is not None]
    speaker = ProactiveLock(store.folder)
    free = speaker.take()
    speaker.release()
    told = _("{count} in the last week{answers}").format(count=len(shown), answers=_answers(shown))
    return told if free else _("{told}; another program makes them now").format(told=told)


def place_in_words(store: Store, settings: Settings, looking: SensingCost) -> str:
    """Where the phone is, as far as it is known, and what it costs to look."""
    places = Places(store, settings.user_id).all()
    here = recognise(looking.signals, places)
    known = _("{count} places have a name, this is none of them").format(count=len(places))
    if here:
        known = _("at {name}").format(name=here.name)
    return _("{place}; {looks}").format(place=known, looks=looking.in_words())


def _answers(shown: list[Suggestion]) -> str:
    words = {
        Answer.ACCEPTED: _("accepted"),
        Answer.EDITED: _("accepted with changes"),
        Answer.DONE: _("done by you"),
        Answer.NOT_NOW: _("not now"),
        Answer.NEVER: _("never"),
        Answer.LAPSED: _("not answered"),
    }
    counts = [(sum(one.answer is answer for one in shown), word) for answer, word in words.items()]
    told = ", ".join(f"{count} {word}" for count, word in counts if count)
    return f" ({told})" if told else ""
