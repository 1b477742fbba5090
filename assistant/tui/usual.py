"""An example command that the memory can resolve, derived from the user's preferences."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.engine import NotReady
from assistant.i18n import later
from assistant.memory.database import StoreError
from assistant.memory_view.items import HOURS, Item, MemoryProblem, Section
from assistant.presentation.engine_protocol import EngineDoor

_MOSTLY = 0.6
"""A preference belongs to a part of the day if at least this share of its records lies in its hours."""


@dataclass(frozen=True, slots=True)
class _Habit:
    """An example command for what is done mostly within some hours (`last` is exclusive)."""

    command: str
    deed: re.Pattern[str]
    first: int
    last: int

    def fits(self, item: Item) -> bool:
        """Whether a preference matches."""
        if not item.hours or self.deed.search(item.name) is None:
            return False
        within = sum(item.hours[hour % HOURS] for hour in range(self.first, self.last))
        return within >= _MOSTLY * sum(item.hours)


_FOOD = re.compile(
    r"^\s*order\b(?!.*\b(?:taxi|cab|car|ride|tickets?)\b)|^\s*(?:帮我|给我)?[点订](?!.*[票车房])",
    re.IGNORECASE,
)
_MUSIC = re.compile(r"^\s*play\b.*\b(?:song|music|album)\b|^\s*播?放.*(?:歌|音乐|曲)", re.IGNORECASE)
_HABITS = (
    _Habit(later("order my usual breakfast"), _FOOD, 6, 10),
    _Habit(later("order my usual lunch"), _FOOD, 11, 14),
    _Habit(later("order my usual dinner"), _FOOD, 17, 21),
    _Habit(later("play the music I fall asleep to"), _MUSIC, 21, 26),
)


async def find_example_command(engine: EngineDoor) -> str:
    """The example command for the preferences in the memory; empty without one, or without a memory."""
    await engine.filled()
    return await asyncio.to_thread(_read_example, engine)


def _read_example(engine: EngineDoor) -> str:
    try:
        return choose_example(engine.memory().items(Section.PREFERENCES).items)
    except (MemoryProblem, NotReady, StoreError):
        return ""


def choose_example(preferences: Sequence[Item]) -> str:
    """The example, in English, for the first preference that is the only match of a habit; empty if none."""
    for item in preferences:
        for habit in _HABITS:
            if not item.hidden and habit.fits(item) and _is_only_match(habit, preferences):
                return habit.command
    return ""


def _is_only_match(habit: _Habit, preferences: Sequence[Item]) -> bool:
    return sum(map(habit.fits, preferences)) == 1
