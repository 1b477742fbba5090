"""Waits for the user to unlock the phone."""

from __future__ import annotations

import asyncio

from assistant.events import PhoneState
from assistant.phone.device import Phone
from assistant.phone.states import PhoneStatus

_TICK = 0.25


async def wait_for_user(phone: Phone, limit: float) -> PhoneStatus:
    """Wait until the user has unlocked the phone, or the limit in seconds has passed.

    Unlike `Phone.wait_ready` this does not wake the screen, because the user switched it off.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + limit
    while True:
        status = await phone.status()
        if status.state is PhoneState.READY or loop.time() >= end:
            return status
        await asyncio.sleep(min(_TICK, max(0.0, end - loop.time())))
