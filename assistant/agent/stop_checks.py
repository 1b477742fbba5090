"""Detects loops: repeated actions on the same screen, cycles of screens, and waiting for nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from assistant.i18n import _, later
from assistant.phone.pictures import unmoved
from assistant.records import (
    Action,
    Click,
    LongClick,
    Observation,
    Point,
    Scroll,
    Swipe,
    Wait,
    describe,
    shown,
)

MAX_REPEATS = 3
"""The turn stops when the same action is chosen this often on the same screen; the last is not executed."""

LONGEST_CYCLE = 3
"""The longest cycle of (screen, action) pairs that is detected."""

MAX_WAITS = 12
"""The turn stops after this many waits in a row on the same screen."""

_GRID = 50


class Advice(StrEnum):
    """Whether a chosen action may be executed."""

    GO_ON = "go_on"
    WARN = "warn"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The advice and its reason: for the model with a warning, for the user with a stop."""

    advice: Advice
    sentence: str = ""


class Screens:
    """Identifies screens: the same screen gets the same id.

    A screen whose UI tree stays the same while its screenshot changes (a game, a drawing) gets a new id up
    to `MAX_REPEATS` times; after that it counts as an animation and keeps its id.
    """

    def __init__(self) -> None:
        self._last: Observation | None = None
        self._last_fingerprint = ""
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
        return f"{current}{self._picture_changes}"


class LoopGuard:
    """Detects loops in the sequence of screens and chosen actions."""

    def __init__(self) -> None:
        self._history: list[tuple[str, str]] = []

    def check(self, screen: str, action: Action) -> Verdict:
        """Check an action before it is executed.

        Args:
            screen: the id of the screen it was chosen on, by `Screens.identify`.
            action: the action.
        """
        self._history.append((screen, action_key(action)))
        action_text = describe(action)
        if isinstance(action, Wait):
            waits = _count_repeats(self._history, 1)
            return (
                Verdict(Advice.STOP, _("Waited for long and nothing changes."))
                if waits > MAX_WAITS
                else _GO_ON
            )
        for length in range(1, LONGEST_CYCLE + 1):
            times = _count_repeats(self._history, length)
            if times >= MAX_REPEATS and len(set(self._history[-length:])) == length:
                return Verdict(Advice.STOP, _format_stop(shown(action, _), length))
            if times == MAX_REPEATS - 1 and len(set(self._history[-length:])) == length:
                return Verdict(Advice.WARN, _format_warning(action_text, length))
        return _GO_ON

    def reset(self) -> None:
        """Forget the history, because the user did or said something."""
        self._history.clear()


_WAITED = later("Stopped: the screen was waited for long, and nothing changes.")
_GO_ON = Verdict(Advice.GO_ON)


def fingerprint(observation: Observation) -> str:
    """A hash of the screen: app, page, and the text and state of its elements.

    The screenshot is included only if no element has a text.
    """
    parts = [
        observation.app.package,
        observation.app.activity,
        str(observation.rotation),
        str(observation.keyboard_shown),
    ]
    element_keys = [
        (e.resource_id, e.text, e.description, e.bounds, e.checked, e.selected, e.focused, e.enabled)
        for e in observation.elements
        if e.text or e.description or e.resource_id
    ]
    digest = blake2b(repr((parts, element_keys)).encode(), digest_size=16)
    if not any(e.text or e.description for e in observation.elements):
        digest.update(observation.screenshot)
    return digest.hexdigest()


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


def describe_no_effect(action: Action, before: str, after: str) -> str:
    """The note for the model if an action did not change the screen; empty if it did."""
    if before != after or isinstance(action, Wait):
        return ""
    if isinstance(action, Scroll):
        return f"The scroll {action.direction} moved nothing: no more is there, or nothing scrolls there."
    return f"The last action ({describe(action)}) did nothing: the screen is as before. Try another way."


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


def _grid_cell(point: Point) -> tuple[int, int]:
    return round(point.x * _GRID), round(point.y * _GRID)


def _format_warning(action_text: str, length: int) -> str:
    if length == 1:
        return f"You have chosen the same action on the same screen before: {action_text}. Do something else."
    return (
        f"You are going in circles: the last {length} actions led back to where you were. Do something else."
    )


def _format_stop(action_text: str, length: int) -> str:
    if length == 1:
        return _("Stopped: “{what}” leads nowhere, and was chosen {most} times on the same screen.").format(
            what=action_text, most=MAX_REPEATS
        )
    return _("Stopped: going in circles, the same {length} actions came round {most} times.").format(
        length=length, most=MAX_REPEATS
    )
