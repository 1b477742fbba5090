"""Noticing that the phone rings, at little cost to the phone.

The phone's log tells at once that its call service is at work; only then is the phone asked often whether it
rings. Phones that keep their log to themselves are asked now and then. Source of the log's tag: lines of real
phones such as `I Telecom : Event: Call TC@1: FILTERING_INITIATED`, AOSP packages/services/Telecomm, Log.java.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Protocol

from assistant.phone.errors import PhoneError

LOG = "logcat -T 1 -s Telecom:I"
ASK = "dumpsys telephony.registry | grep mCallState="

SELDOM = 1.0
"""Seconds from one question to the next while the log is silent."""

_RINGING = "mCallState=1"
_OFTEN = 0.1
_ALERT_SECONDS = 2.0
_RETRY = 0.5
_MOST_ENDS = 3


class Talkative(Protocol):
    """A phone that runs a command and gives its lines as they come."""

    def lines(self, command: str) -> AsyncGenerator[str]:
        """The lines, until the generator is closed."""
        ...


class CallWatch:
    """Tells when the phone begins to ring, for as long as `run` is awaited.

    Args:
        phone: the phone.
        rings: is told that a call comes in.
        listening: whether a call would matter now; the phone is only asked then.
        seldom: seconds from one question to the next while the log is silent.
    """

    def __init__(
        self,
        phone: Talkative,
        rings: Callable[[], None],
        listening: Callable[[], bool],
        seldom: float = SELDOM,
    ) -> None:
        self._phone = phone
        self._tell = rings
        self._listening = listening
        self._seldom = seldom
        self._logged = asyncio.Event()

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._follow_log())
            group.create_task(self._ask())

    async def _follow_log(self) -> None:
        """One `logcat` for the whole turn; a phone that ends it again and again is not followed."""
        for _ in range(_MOST_ENDS):
            try:
                async with aclosing(self._phone.lines(LOG)) as lines:
                    async for _line in lines:
                        self._logged.set()
            except PhoneError:
                pass
            await asyncio.sleep(_RETRY)

    async def _ask(self) -> None:
        now = asyncio.get_running_loop().time
        rang = False
        alert_until = now()
        while True:
            if await self._waited(_OFTEN if now() < alert_until else self._seldom):
                alert_until = now() + _ALERT_SECONDS
            if self._listening():
                rings = await self._rings()
                if rings and not rang and self._listening():
                    self._tell()
                rang = rings

    async def _waited(self, seconds: float) -> bool:
        """Wait so long, or until the log has a line; whether it has."""
        try:
            async with asyncio.timeout(seconds):
                await self._logged.wait()
        except TimeoutError:
            return False
        self._logged.clear()
        return True

    async def _rings(self) -> bool:
        try:
            async with aclosing(self._phone.lines(ASK)) as lines:
                return any([_RINGING in line async for line in lines])
        except PhoneError:
            return False
