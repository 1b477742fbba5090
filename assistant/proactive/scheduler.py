"""Wakes the proactive service at intervals, at single moments and once a night, by APScheduler.

Nothing is stored: what is due is in the memory, and the service sets its moments anew at each start.
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
"""Seconds between two heartbeats."""
_GRACE = 900
"""Seconds by which a moment may be late, as after a short sleep; later, the heartbeat wakes anyway."""
NIGHT_AT = timedelta(hours=4, minutes=10)
"""When the nightly work is done; not between one and three: changes of clocks skip or repeat these hours."""
_A_DAY = 86_400
_NIGHTLY = "nightly"
_log = logging.getLogger(__name__)


class WakeReason(StrEnum):
    """Why the service is woken; `START` also when it takes over from another program."""

    START = "start"
    HEARTBEAT = "heartbeat"
    MOMENT = "moment"
    NIGHT = "night"


class WakeScheduler:
    """Wakes the service at every heartbeat, at single moments, and once a night.

    The heartbeat is a loop of its own, not a job: a job would pause for an hour when the clock is set back by
    one. It also wakes APScheduler, whose waiting stops while the machine sleeps, and has the machine's time
    zone loaded again, which changes when its owner travels.

    Args:
        notify: is called with the reason; it must return at once.
        now: the user's local time with its zone; moments are times of this clock.
        heartbeat: seconds between two heartbeats.
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
        """Replace all single moments; moments that have passed are left out."""
        ahead = self._ahead()
        moments_by_name = {f"at {moment.timestamp():.0f}, {ahead}": moment for moment in moments}
        for job in self._scheduler.get_jobs():
            if job.id != _NIGHTLY and job.id not in moments_by_name:
                job.remove()
        for name, moment in moments_by_name.items():
            if self._scheduler.get_job(name) is None:
                self._scheduler.add_job(
                    self._call, "date", [WakeReason.MOMENT], id=name, run_date=moment.astimezone(UTC) - ahead
                )

    def moments(self) -> list[datetime]:
        """The single moments to come, in order."""
        ahead = self._ahead()
        jobs = [job for job in self._scheduler.get_jobs() if job.id != _NIGHTLY]
        return sorted(job.trigger.run_date.astimezone(UTC) + ahead for job in jobs)

    def _ahead(self) -> timedelta:
        """By how many whole seconds `now` is ahead of the machine's clock: 0, except for a steered clock."""
        return timedelta(seconds=round((self._now() - datetime.now(UTC)).total_seconds()))

    async def stop(self) -> None:
        """Stop; nothing is notified afterwards. Can be called again."""
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.wait([self._beating])
            self._beating = None
        if self._scheduler.running:
            self._scheduler.pause()
            self._scheduler.shutdown(wait=False)
            # The shutdown takes effect in the event loop's next iteration.
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
