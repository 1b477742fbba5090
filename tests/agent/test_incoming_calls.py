from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from assistant.agent.takeover import LOG_COMMAND, IncomingCallDetector
from assistant.events import PhoneState
from assistant.phone.errors import PhoneError
from tests.phone.scripted import until

HOURS = 3600.0


@dataclass
class CallingPhone:
    """A phone whose call state and log a test sets. `asked` counts the questions after its call state."""

    state: int = 0
    has_log: bool = True
    asked: int = 0
    log: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    async def lines(self, command: str) -> AsyncGenerator[str]:
        if command == LOG_COMMAND:
            while self.has_log:
                yield await self.log.get()
            raise PhoneError(PhoneState.OFFLINE, "No log.")
        self.asked += 1
        yield f"    mCallState={self.state}"


@asynccontextmanager
async def detecting(
    phone: CallingPhone, idle_interval: float, is_relevant: Callable[[], bool] = lambda: True
) -> AsyncIterator[asyncio.Event]:
    rang = asyncio.Event()
    task = asyncio.create_task(IncomingCallDetector(phone, rang.set, is_relevant, idle_interval).run())
    try:
        yield rang
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_a_line_of_the_log_has_the_phone_asked_until_it_rings() -> None:
    phone = CallingPhone()
    async with asyncio.timeout(5), detecting(phone, HOURS) as rang:
        phone.log.put_nowait("I Telecom : Event: Call TC@1: FILTERING_INITIATED, null")
        await until(lambda: phone.asked > 0)
        assert not rang.is_set()
        phone.state = 1
        await rang.wait()


async def test_a_line_of_logcat_itself_is_no_news() -> None:
    phone = CallingPhone()
    async with asyncio.timeout(5), detecting(phone, HOURS):
        phone.log.put_nowait("--------- beginning of main")
        phone.log.put_nowait("--------- switch to radio")
        await until(phone.log.empty)
        for _ in range(20):
            await asyncio.sleep(0)
        assert phone.asked == 0


async def test_a_phone_without_a_log_is_asked_now_and_then() -> None:
    async with asyncio.timeout(5), detecting(CallingPhone(state=1, has_log=False), 0.01) as rang:
        await rang.wait()


async def test_a_call_is_told_once() -> None:
    phone = CallingPhone(state=1)
    async with asyncio.timeout(5), detecting(phone, 0.001) as rang:
        await rang.wait()
        rang.clear()
        asked = phone.asked
        await until(lambda: phone.asked > asked + 2)
        assert not rang.is_set()


async def test_nobody_is_asked_while_a_call_does_not_matter() -> None:
    phone = CallingPhone(state=1)
    looked = 0

    def is_relevant() -> bool:
        nonlocal looked
        looked += 1
        return False

    async with asyncio.timeout(5), detecting(phone, 0.001, is_relevant) as rang:
        await until(lambda: looked > 2)
        assert (phone.asked, rang.is_set()) == (0, False)
