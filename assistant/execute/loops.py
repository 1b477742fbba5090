"""Noticing that a turn does not get on: nothing changes, the same thing again, going in circles."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from assistant.language import _, later
from assistant.observations import Observation
from assistant.phone.pictures import unmoved
from assistant.records import Action, Click, LongClick, Point, Scroll, Swipe, Wait, describe, shown

MOST = 3
"""So often chosen on the same screen, the same thing stops the turn; the last time it is not done."""

LONGEST_CYCLE = 3
"""Screens and actions that come round again are noticed up to this many."""

MOST_WAITS = 12
"""How often in a row waiting on the same screen is worth it."""

_GRID = 50


class Advice(StrEnum):
    """What to do about a chosen action."""

    GO_ON = "go_on"
    WARN = "warn"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Advice, and the sentence that tells why: to the model for a warning, to the user for a stop."""

    advice: Advice
    sentence: str = ""


class Screens:
    """Gives each screen its name, the same for the same screen.

    A screen whose tree stays while its picture changes (a game, a drawing) gets a new name a few times;
    then it counts as one that only moves by itself.
    """

    def __init__(self) -> None:
        self._last: Observation | None = None
        self._last_print = ""
        self._moved = 0

    async def name(self, seen: Observation) -> str:
        """The name of a screen that is seen now."""
        now = fingerprint(seen)
        if self._last is None or now != self._last_print:
            self._moved = 0
        elif self._moved < MOST and not await asyncio.to_thread(
            unmoved, self._last.screenshot, seen.screenshot
        ):
            self._moved += 1
        self._last, self._last_print = seen, now
        return f"{now}{self._moved}"


class LoopGuard:
    """Remembers which action was chosen on which screen."""

    def __init__(self) -> None:
        self._done: list[tuple[str, str]] = []

    def choose(self, screen: str, action: Action) -> Verdict:
        """Judge an action before it is done.

        Args:
            screen: the fingerprint of the screen it was chosen on.
            action: the action.
        """
        self._done.append((screen, action_key(action)))
        what = describe(action)
        if isinstance(action, Wait):
            waits = _repeats(self._done, 1)
            return (
                Verdict(Advice.STOP, _("Waited for long and nothing changes."))
                if waits > MOST_WAITS
                else _GO_ON
            )
        for length in range(1, LONGEST_CYCLE + 1):
            times = _repeats(self._done, length)
            if times >= MOST and len(set(self._done[-length:])) == length:
                return Verdict(Advice.STOP, _stopped(shown(action, _), length))
            if times == MOST - 1 and len(set(self._done[-length:])) == length:
                return Verdict(Advice.WARN, _warned(what, length))
        return _GO_ON

    def forget(self) -> None:
        """The user did or said something: what came before is no loop any more."""
        self._done.clear()


_WAITED = later("Stopped: the screen was waited for long, and nothing changes.")
_GO_ON = Verdict(Advice.GO_ON)


def fingerprint(seen: Observation) -> str:
    """What makes a screen the same screen: app, page, and everything its elements tell.

    A screen without a tree to speak of is known by its picture.
    """
    parts = [seen.app.package, seen.app.activity, str(seen.rotation), str(seen.keyboard_shown)]
    told = [
        (e.resource_id, e.text, e.description, e.bounds, e.checked, e.selected, e.focused, e.enabled)
        for e in seen.elements
        if e.text or e.description or e.resource_id
    ]
    digest = blake2b(repr((parts, told)).encode(), digest_size=16)
    if not any(e.text or e.description for e in seen.elements):
        digest.update(seen.screenshot)
    return digest.hexdigest()


def action_key(action: Action) -> str:
    """What makes an action the same action: its target where it has one, else about where it points."""
    match action:
        case Click(target=target) | LongClick(target=target) if target is not None:
            return f"{action.type} {target.resource_id} {target.class_name} {target.text} {target.bounds}"
        case Click(point=point) | LongClick(point=point):
            return f"{action.type} {_place(point)}"
        case Scroll(point=point, direction=direction):
            return f"{action.type} {direction} {_place(point)}"
        case Swipe(start=start, end=end):
            return f"{action.type} {_place(start)} {_place(end)}"
        case _:
            return action.model_dump_json(exclude={"target"})


def did_nothing(action: Action, before: str, after: str) -> str:
    """What to tell the model when the screen is the same after an action as before; empty otherwise."""
    if before != after or isinstance(action, Wait):
        return ""
    if isinstance(action, Scroll):
        return f"The scroll {action.direction} moved nothing: no more is there, or nothing scrolls there."
    return f"The last action ({describe(action)}) did nothing: the screen is as before. Try another way."


def _repeats(done: Sequence[tuple[str, str]], length: int) -> int:
    """How often the last `length` entries stand at the end in a row."""
    cycle = list(done[-length:])
    times = 0
    while (
        len(done) >= (times + 1) * length and list(done[len(done) - (times + 1) * length :])[:length] == cycle
    ):
        times += 1
    return times


def _place(point: Point) -> tuple[int, int]:
    return round(point.x * _GRID), round(point.y * _GRID)


def _warned(what: str, length: int) -> str:
    if length == 1:
        return f"You have chosen the same action on the same screen before: {what}. Do something else."
    return (
        f"You are going in circles: the last {length} actions led back to where you were. Do something else."
    )


def _stopped(what: str, length: int) -> str:
    if length == 1:
        return _("Stopped: “{what}” leads nowhere, and was chosen {most} times on the same screen.").format(
            what=what, most=MOST
        )
    return _("Stopped: going in circles, the same {length} actions came round {most} times.").format(
        length=length, most=MOST
    )
