"""What `assistant doctor` says of what happens unasked: suggestions so far, and what looking around costs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta

from assistant.config import Settings
from assistant.events import Answer
from assistant.memory.store import Store
from assistant.phone.sensing import Signals, sense
from assistant.phone.shell import Shell
from assistant.proactive.lock import SoleSpeaker
from assistant.proactive.places import Places, recognise
from assistant.proactive.suggestions import Suggestion, Suggestions
from assistant.proactive.surroundings import EVERY

_WEEK = timedelta(days=7)
_TIMES = 3


@dataclass(frozen=True, slots=True)
class Looking:
    """What looking around costs the phone: commands a minute, and the median milliseconds of one."""

    a_minute: float
    milliseconds: float
    signals: Signals

    def in_words(self) -> str:
        """One line for a person."""
        seen = [
            name
            for name, there in (
                ("access point", self.signals.bssid),
                ("Bluetooth", self.signals.device),
                ("position", self.signals.position),
            )
            if there
        ]
        told = f"sees {', '.join(seen)}" if seen else "sees nothing to know a place by"
        return f"{told}; {self.a_minute:g} command a minute, {self.milliseconds:.0f} ms each, wakes no screen"


async def look_around(shell: Shell) -> Looking:
    """Look around a few times, as is done every minute, and time it.

    Raises:
        PhoneError: the phone cannot be reached.
    """
    taken = []
    signals = Signals()
    for _ in range(_TIMES):
        begun = time.perf_counter()
        signals = await sense(shell)
        taken.append((time.perf_counter() - begun) * 1000)
    return Looking(60 / EVERY, sorted(taken)[_TIMES // 2], signals)


def suggestions_in_words(store: Store, settings: Settings) -> str:
    """What came of the suggestions of the last week, and who makes them now."""
    if not settings.proactive.enabled:
        return "switched off (proactive.enabled)"
    latest = Suggestions(store, settings.user_id).since(store.now() - _WEEK)
    shown = [one for one in latest if one.shown is not None]
    speaker = SoleSpeaker(store.folder)
    free = speaker.take()
    speaker.release()
    told = f"{len(shown)} in the last week{_answers(shown)}"
    return told if free else f"{told}; another program makes them now"


def place_in_words(store: Store, settings: Settings, looking: Looking) -> str:
    """Where the phone is, as far as it is known, and what it costs to look."""
    places = Places(store, settings.user_id).all()
    here = recognise(looking.signals, places)
    known = f"at {here.name}" if here else f"{len(places)} places have a name, this is none of them"
    return f"{known}; {looking.in_words()}"


def _answers(shown: list[Suggestion]) -> str:
    words = {
        Answer.ACCEPTED: "accepted",
        Answer.EDITED: "accepted with changes",
        Answer.DONE: "done by you",
        Answer.NOT_NOW: "not now",
        Answer.NEVER: "never",
        Answer.LAPSED: "not answered",
    }
    counts = [(sum(one.answer is answer for one in shown), word) for answer, word in words.items()]
    told = ", ".join(f"{count} {word}" for count, word in counts if count)
    return f" ({told})" if told else ""
