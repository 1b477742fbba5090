"""Watching the phone while a turn runs: the user's hand, its buttons, a call, and the connection itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from assistant.execute.calls import CallWatch
from assistant.phone.device import Phone
from assistant.phone.errors import PhoneError
from assistant.phone.touches import DESCRIBE, WATCH, Button, Down, Gesture, Panel, TouchReader, parse_panel

_RETRY = 0.5
_MOST_ENDS = 3


@dataclass(frozen=True, slots=True)
class Ringing:
    """A call comes in."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The phone does not answer any more."""


Happening = Down | Gesture | Button | Ringing | Lost


class Watch:
    """Tells what happens on the phone by itself or by the user's hand, for as long as `run` is awaited.

    Args:
        phone: the phone.
        told: is told what happens, at once.
        listening: whether a call would matter now; the phone is only asked then.
    """

    def __init__(
        self, phone: Phone, told: Callable[[Happening], None], listening: Callable[[], bool]
    ) -> None:
        self.panel = Panel()
        self._phone = phone
        self._told = told
        self._calls = CallWatch(phone, lambda: told(Ringing()), listening)

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._follow_touches())
            group.create_task(self._calls.run())

    async def _follow_touches(self) -> None:
        """One `getevent` for the whole turn. A phone that does not let it run is not watched."""
        ends = 0
        while ends < _MOST_ENDS:
            reader = TouchReader()
            try:
                async with aclosing(self._phone.lines(WATCH)) as lines:
                    describing = asyncio.create_task(self._describe_panel())
                    try:
                        async for line in lines:
                            for one in reader.feed(line):
                                self._told(one)
                    finally:
                        describing.cancel()
                        await asyncio.wait([describing])
                ends += 1
            except PhoneError:
                self._told(Lost())
            await asyncio.sleep(_RETRY)

    async def _describe_panel(self) -> None:
        if self.panel != Panel():
            return
        try:
            async with aclosing(self._phone.lines(DESCRIBE)) as lines:
                self.panel = parse_panel("\n".join([line async for line in lines]))
        except PhoneError:
            return
