"""Moments at which something is to be looked at: APScheduler's jobs, which only notify.

Nothing is kept here: what is due lives in the memory, and whoever owns the schedule sets it anew at start.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_MISSED, JobExecutionEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger

HEARTBEAT = 60.0
"""Seconds between two looks."""
_GRACE = 900
"""Seconds that a moment may be late, such as after a short sleep; the heartbeat looks anyway."""
NIGHT_AT = timedelta(hours=4, minutes=10)
"""When the night's work is done: not between one and three, which some nights have twice or not at all."""
_A_DAY = 86_400
_NIGHTLY = "nightly"
_log = logging.getLogger(__name__)


class WakeReason(StrEnum):
    """Why there is something to look at; a program that begins to speak starts."""

    START = "start"
    HEARTBEAT = "heartbeat"
    MOMENT = "moment"
    NIGHT = "night"


class WakeScheduler:
    """Notifies at every heartbeat, at single moments, and once a night.

    The heartbeat counts seconds by itself: a job's next time would be an hour away once the clock is set back
    by one. It wakes the scheduler too, whose own waiting stands still while the machine sleeps, and has the
    machine's zone read anew, which changes with its owner's travels.

    Args:
        notify: hears why it is called; it must return at once.
        now: the user's local time with its zone; moments are times of this clock.
        heartbeat: seconds between two looks.
    """

    def __init__(
        self, notify: Callable[[WakeReason], None], now: Callable[[], datetime], heartbeat: float = HEARTBEAT
    ) -> None:
        self._notify = notify
        self._now = now
        self._zone = now().tzinfo or UTC
        self._heartbeat = heartbeat
        self._scheduler = AsyncIOScheduler(
            timezone=self._zone,
            job_defaults={"misfire_grace_time": _GRACE, "coalesce": True, "max_instances": 1},
        )
        self._beating: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; to be called inside the event loop."""
        self._scheduler.add_listener(_tell, EVENT_JOB_ERROR | EVENT_JOB_MISSED)
        hours, minutes = divmod(NIGHT_AT.seconds // 60, 60)
        night = CronTrigger(hour=hours, minute=minutes, timezone=self._zone)
        self._scheduler.add_job(
            self._call,
            night,
            [WakeReason.NIGHT],
            id=_NIGHTLY,
            misfire_grace_time=_A_DAY,
            replace_existing=True,
        )
        self._scheduler.start()
        self._beating = asyncio.create_task(self._beat())

    def set_moments(self, moments: Iterable[datetime]) -> None:
        """Replace all single moments; those that have passed are left out."""
        ahead = self._ahead()
        wanted = {f"at {moment.timestamp():.0f}, {ahead}": moment for moment in moments}
        for job in self._scheduler.get_jobs():
            if job.id != _NIGHTLY and job.id not in wanted:
                job.remove()
        for name, moment in wanted.items():
            if self._scheduler.get_job(name) is None:
                self._scheduler.add_job(
                    self._call, "date", [WakeReason.MOMENT], id=name, run_date=moment.astimezone(UTC) - ahead
                )

    def moments(self) -> list[datetime]:
        """The single moments that are still to come, in order."""
        ahead = self._ahead()
        jobs = [one for one in self._scheduler.get_jobs() if one.id != _NIGHTLY]
        return sorted(job.trigger.run_date.astimezone(UTC) + ahead for job in jobs)

    def _ahead(self) -> timedelta:
        """How far the clock is ahead of the machine's, in whole seconds: nothing, but for a steered one."""
        return timedelta(seconds=round((self._now() - datetime.now(UTC)).total_seconds()))

    async def stop(self) -> None:
        """End all; nothing is notified afterwards. Again is harmless."""
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.wait([self._beating])
            self._beating = None
        if self._scheduler.running:
            self._scheduler.pause()
            self._scheduler.shutdown(wait=False)
            # Shutting down only takes effect in the loop's next turn.
            await asyncio.sleep(0)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._heartbeat)
            if hasattr(time, "tzset"):
                time.tzset()
            self._scheduler.wakeup()
            self._notify(WakeReason.HEARTBEAT)

    # Only coroutines stay in the event loop's thread.
    async def _call(self, cause: WakeReason) -> None:
        self._notify(cause)


def _tell(event: JobExecutionEvent) -> None:
    _log.warning("the job %s was missed or failed", event.job_id, exc_info=event.exception)
