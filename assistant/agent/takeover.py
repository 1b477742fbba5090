"""Watches the phone while a turn runs: touches, buttons, incoming calls, and loss of the connection."""

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
_MAX_TOUCH_ENDS = 3


@dataclass(frozen=True, slots=True)
class Ringing:
    """A call comes in."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection to the phone was lost."""


Happening = Down | Gesture | Button | Ringing | Lost


class Watch:
    """Reports touches, buttons, calls and loss of the phone while `run` is awaited.

    Args:
        phone: the phone.
        on_event: called with each event at once.
        is_relevant: whether a call matters at the moment; the call state is polled only then.
    """

    def __init__(
        self, phone: Phone, on_event: Callable[[Happening], None], is_relevant: Callable[[], bool]
    ) -> None:
        self.panel = Panel()
        self._phone = phone
        self._on_event = on_event
        self._calls = CallWatch(phone, lambda: on_event(Ringing()), is_relevant)

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._follow_touches())
            group.create_task(self._calls.run())

    async def _follow_touches(self) -> None:
        """Read one `getevent` for the whole turn; give up when it ended `_MAX_TOUCH_ENDS` times."""
        ends = 0
        while ends < _MAX_TOUCH_ENDS:
            reader = TouchReader()
            try:
                async with aclosing(self._phone.lines(WATCH)) as lines:
                    describing = asyncio.create_task(self._describe_panel())
                    try:
                        async for line in lines:
                            for event in reader.feed(line):
                                self._on_event(event)
                    finally:
                        describing.cancel()
                        await asyncio.wait([describing])
                ends += 1
            except PhoneError:
                self._on_event(Lost())
            await asyncio.sleep(_RETRY)

    async def _describe_panel(self) -> None:
        if self.panel != Panel():
            return
        try:
            async with aclosing(self._phone.lines(DESCRIBE)) as lines:
                self.panel = parse_panel("\n".join([line async for line in lines]))
        except PhoneError:
            return
