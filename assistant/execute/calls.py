"""Detects incoming calls with few commands to the phone.

The phone's log shows at once that the call service is active; only then is the call state polled often. A
phone that does not let its log be read is polled at `IDLE_INTERVAL`. Source of the log tag: lines of real
phones such as `I Telecom : Event: Call TC@1: FILTERING_INITIATED`;
AOSP packages/services/Telecomm, Log.java.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Protocol

from assistant.phone.errors import PhoneError

LOG_COMMAND = "logcat -T 1 -s Telecom:I"
CALL_STATE_COMMAND = "dumpsys telephony.registry | grep mCallState="

IDLE_INTERVAL = 1.0
"""Seconds between two polls of the call state while the log has no new line."""

_RINGING = "mCallState=1"
_ALERT_INTERVAL = 0.1
_ALERT_SECONDS = 2.0
_RETRY = 0.5
_MAX_LOG_ENDS = 3


class Talkative(Protocol):
    """A phone that runs a command and yields its output line by line."""

    def lines(self, command: str) -> AsyncGenerator[str]:
        """The lines of output, until the generator is closed."""
        ...


class CallWatch:
    """Reports incoming calls while `run` is awaited.

    Args:
        phone: the phone.
        on_call: called when the phone starts to ring.
        is_relevant: whether a call matters at the moment; the call state is polled only then.
        idle_interval: seconds between two polls while the log has no new line.
    """

    def __init__(
        self,
        phone: Talkative,
        on_call: Callable[[], None],
        is_relevant: Callable[[], bool],
        idle_interval: float = IDLE_INTERVAL,
    ) -> None:
        self._phone = phone
        self._on_call = on_call
        self._is_relevant = is_relevant
        self._idle_interval = idle_interval
        self._log_line = asyncio.Event()

    async def run(self) -> None:
        """Detect calls until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._follow_log())
            group.create_task(self._poll())

    async def _follow_log(self) -> None:
        """Read one `logcat` for the whole turn; give up when it ended `_MAX_LOG_ENDS` times."""
        for _ in range(_MAX_LOG_ENDS):
            try:
                async with aclosing(self._phone.lines(LOG_COMMAND)) as lines:
                    async for _line in lines:
                        self._log_line.set()
            except PhoneError:
                pass
            await asyncio.sleep(_RETRY)

    async def _poll(self) -> None:
        now = asyncio.get_running_loop().time
        was_ringing = False
        alert_until = now()
        while True:
            if await self._wait_for_log(_ALERT_INTERVAL if now() < alert_until else self._idle_interval):
                alert_until = now() + _ALERT_SECONDS
            if self._is_relevant():
                ringing = await self._is_ringing()
                if ringing and not was_ringing and self._is_relevant():
                    self._on_call()
                was_ringing = ringing

    async def _wait_for_log(self, seconds: float) -> bool:
        """Wait for a new line in the log, at most `seconds`; whether there was one."""
        try:
            async with asyncio.timeout(seconds):
                await self._log_line.wait()
        except TimeoutError:
            return False
        self._log_line.clear()
        return True

    async def _is_ringing(self) -> bool:
        try:
            async with aclosing(self._phone.lines(CALL_STATE_COMMAND)) as lines:
                return any([_RINGING in line async for line in lines])
        except PhoneError:
            return False
