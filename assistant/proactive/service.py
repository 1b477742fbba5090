"""Offers routines while the program runs: follows where the user is, suggests, and stores the answers.

The engine's one entry to this package. What becomes of suggestions is told by events.

`WakeScheduler` wakes it at intervals, at single moments and once a night, by APScheduler. Nothing of that is
stored: what is due is in the memory, and the service sets its moments anew at each start.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from enum import StrEnum
from functools import partial
from typing import TypeVar

from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_MISSED, JobExecutionEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger

from assistant.embedding.embedder import EmbeddingError
from assistant.events import (
    Answer,
    Event,
    SchedulesMissed,
    Snooze,
)
from assistant.files import ProactiveLock
from assistant.i18n import _
from assistant.memory.database import StoreError
from assistant.memory.forgetting import sweep
from assistant.memory.programs import SUGGESTIONS
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.memory.turns import AcceptedSuggestion
from assistant.phone.adb import Shell
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.phone.monitor import NotificationsUnreadable, SensorReadings, read_notifications, read_sensors
from assistant.proactive.forecast import ExpectedOccasion, HabitCache
from assistant.proactive.habit_table import Calendar, UnknownCountry
from assistant.proactive.location import LocationMonitor
from assistant.proactive.offers import OfferDecision, OfferPolicy
from assistant.proactive.schedule_events import (
    MISS_REASONS,
    BatteryEvents,
    MissReason,
    NotificationEvents,
    PlaceEvents,
)
from assistant.proactive.schedules import NoSuchSchedule, ScheduledStart, ScheduleRun, Schedules
from assistant.proactive.suggestions import (
    Countdown,
    DisplayedSuggestion,
    NoSuchSuggestion,
    Stage,
    StartSuggestion,
    Suggestion,
    format_reason,
)
from assistant.settings.schema import MemorySettings, Settings

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


T = TypeVar("T")

_MOMENTS = 200
"""The most occasions at which the service has itself woken."""

_TYPING_TIMEOUT = timedelta(minutes=2)
"""Unsent text that has not changed for this long no longer counts as typing."""


class TypingGuard:
    """Tells whether the user types: nothing is suggested over a half-written command."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._last_change: datetime | None = None

    def note(self, unsent: bool) -> None:
        """The input field has changed; `unsent` when it has text."""
        self._last_change = self._now() if unsent else None

    @property
    def active(self) -> bool:
        """Whether the user types."""
        return self._last_change is not None and self._now() - self._last_change < _TYPING_TIMEOUT


SuggestionWording = Callable[[Suggestion, datetime], Awaitable[str | None]]
"""The words in which to show a suggestion at a time; None when it should not be shown."""


@dataclass(frozen=True, slots=True)
class ProactiveDependencies:
    """What the service needs of its owner.

    Attributes:
        open_prototypes: opens the prototypes of the memory.
        shell: a shell on the phone; None while there is no phone.
        is_turn_running: whether a turn runs, so that nothing is suggested and the phone is left alone.
        start: starts the turn of an auto-run.
        may_auto_run: whether a routine may start by itself if the user lets it: nothing sensitive may.
        tidy: other work on the memory, done once a night.
        word: words a suggestion before it is shown, or advises against it; None keeps the routine's words.
    """

    open_prototypes: Callable[[], HierarchicalMemory]
    shell: Callable[[], Shell | None] = lambda: None
    is_turn_running: Callable[[], bool] = lambda: False
    start: StartSuggestion = lambda _id, _instruction: None
    may_auto_run: Callable[[Prototype], bool] = lambda _prototype: False
    tidy: Callable[[], None] = lambda: None
    word: SuggestionWording | None = None


class ProactiveService:
    """Follows where the user is and offers routines. All methods belong to the event loop's thread.

    The memory is read and judged in a thread of its own, one job after the other.

    Args:
        settings: whose routines, and when something may be suggested.
        store: the memory.
        dependencies: what its owner provides.
        now: the user's local time with its zone.
        emit: takes the events.
        offers: whether there is a person to offer routines to; if not, it only keeps what the user says
            about where they are.
        schedules: whether it begins what the user has scheduled.
        heartbeat: seconds between two checks whether there is something to suggest.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        dependencies: ProactiveDependencies,
        now: Callable[[], datetime],
        emit: Callable[[Event], None],
        *,
        offers: bool = True,
        schedules: bool = True,
        heartbeat: float = HEARTBEAT,
    ) -> None:
        self._settings = settings
        self._store = store
        self._dependencies = dependencies
        self._now = now
        self._emit = emit
        self._offers = offers
        self._keeps_schedules = schedules
        user, calendar = settings.user_id, _load_calendar(settings.proactive.country)
        self._habits = HabitCache(store, dependencies.open_prototypes, user, calendar)
        self._policy = OfferPolicy(
            store, user, settings.proactive, now, self._habits, dependencies.may_auto_run
        )
        self._typing = TypingGuard(now)
        self._countdown = Countdown(dependencies.start, self._may_auto_run, now)
        self.location = LocationMonitor(store, user, self._sense, self._tell_move)
        undo = timedelta(seconds=settings.proactive.undo_seconds)
        self._displayed = DisplayedSuggestion(self._tell, now, undo)
        self._lock = ProactiveLock(store.folder)
        self._speaks = False
        self.schedules = Schedules(store, user)
        self._scheduled = ScheduledStart(self.schedules, self._displayed, self._countdown, now)
        self._place_events = PlaceEvents()
        self._battery_events = BatteryEvents()
        self._notification_events = NotificationEvents()
        self._scheduler = WakeScheduler(self.wake, now, heartbeat)
        self._wake_reasons: asyncio.Queue[WakeReason] = asyncio.Queue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worker: threading.Thread | None = None
        self._thread = ThreadPoolExecutor(1, "proactive", self._note_worker)
        self._tasks: list[asyncio.Task[None]] = []
        self._answering: set[asyncio.Task[None]] = set()
        self._likely_times: tuple[datetime, ...] = ()
        self._last_night: date | None = None

    def start(self) -> None:
        """Begin to follow the user, to offer routines and to begin what is scheduled, if anybody is there."""
        if not self._is_active:
            return
        self._scheduler.start()
        self._loop = asyncio.get_running_loop()
        self._store.database.add_listener(self._on_change)
        self._tasks = [asyncio.create_task(self._work())]
        self.wake()
        if self._offers:
            self.location.start()

    async def close(self) -> None:
        """Stop, and let another program make suggestions. Answers that are being stored are completed."""
        self._countdown.stop()
        await self.location.close()
        if self._loop is not None:
            self._store.database.remove_listener(self._on_change)
            self._loop = None
        await self._scheduler.stop()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._answering:
            await asyncio.wait(self._answering)
        # The thread may still use the memory, which its owner closes next.
        await asyncio.to_thread(self._thread.shutdown)
        self._lock.release()
        self._store.leases.release()

    def wake(self, reason: WakeReason = WakeReason.MOMENT) -> None:
        """Check soon whether there is something to suggest or to begin, such as after a turn."""
        if self._is_active:
            self._wake_reasons.put_nowait(reason)

    @property
    def _is_active(self) -> bool:
        return self._offers or self._keeps_schedules

    async def settled(self) -> None:
        """Return when every check that was asked for is made, and every answer is stored."""
        await self._wake_reasons.join()
        if self._answering:
            await asyncio.wait(self._answering)

    def moments(self) -> list[datetime]:
        """When it will check next because a routine is likely, or because a suggestion is due or lapses."""
        return self._scheduler.moments()

    def set_scenario(self, scenario: str) -> None:
        """The user says where they are, until the phone is somewhere else; an empty text takes it back."""
        self.location.set_scenario(scenario)

    def note_typing(self, unsent: bool) -> None:
        """The user typed; nothing is suggested while there is `unsent` text."""
        self._typing.note(unsent)

    def answer(self, suggestion_id: str, answer: Answer | Snooze) -> None:
        """Store the user's answer, or put the suggestion off; an event tells when it was over already."""
        self._countdown.stop(suggestion_id)
        is_scheduled = self._displayed.is_scheduled(suggestion_id)
        store = self._store_scheduled_answer if is_scheduled else self._store_answer
        task = asyncio.create_task(store(suggestion_id, answer))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    def stop_countdown(self, suggestion_id: str) -> None:
        """Keep a suggestion from starting by itself; it can still be accepted."""
        self._countdown.stop(suggestion_id)
        self._scheduled.stop(suggestion_id)

    def note_begun(self, suggestion_id: str, turn_id: str) -> bool:
        """Note the turn of what was scheduled, before its first step; false where it must not begin."""
        try:
            return self._scheduled.begin(suggestion_id, turn_id)
        except StoreError as problem:
            _log.warning("what is scheduled does not begin: %s", problem)
            return False

    async def allow_auto_run(self, suggestion_id: str) -> bool:
        """Let the routine of a suggestion start by itself from its next time on; false if it must not."""
        try:
            return await self._run_in_thread(partial(self._policy.allow_auto_run, suggestion_id))
        except NoSuchSuggestion:
            return False

    def suggestions(self, count: int = 100) -> Sequence[Suggestion]:
        """Past suggestions, newest first; none where nothing is offered."""
        return self._policy.suggestions.latest(count) if self._offers else ()

    def find_accepted(self, suggestion_id: str) -> AcceptedSuggestion | None:
        """An open suggestion, as the turn that carries it out stores it; None when it is over."""
        try:
            suggestion = self._policy.suggestions.get(suggestion_id)
        except NoSuchSuggestion:
            return None
        return AcceptedSuggestion(
            id=suggestion.id,
            instruction=suggestion.instruction,
            score=suggestion.score,
            why=tuple(map(format_reason, suggestion.why)),
            evidence=suggestion.evidence,
        )

    async def expected(self) -> list[ExpectedOccasion]:
        """When each routine is likely next."""
        return await self._run_in_thread(self._policy.expected)

    def set_retention(self, memory: MemorySettings) -> None:
        """Delete old screenshots and requests by these limits from now on."""
        self._settings = self._settings.model_copy(update={"memory": memory})

    def change_rules(self, changes: Mapping[str, bool | time_of_day]) -> bool:
        """Offer routines by other settings from now on; may be called from any thread.

        Returns whether that applies at once: who does not follow the user begins to at the next start.
        """
        rules = self._settings.proactive.model_copy(update=dict(changes))
        self._settings = self._settings.model_copy(update={"proactive": rules})
        self._policy.set_rules(rules)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.wake)
        return self._offers or not rules.enabled

    @property
    def _is_busy(self) -> bool:
        return self._dependencies.is_turn_running() or self._typing.active

    async def _may_auto_run(self) -> bool:
        """Look at the memory again before a routine starts by itself: another process may have changed it.

        A suggestion that has changed or lapsed stops its countdown in that look.
        """
        self.wake()
        await self.settled()
        return not self._is_busy

    def _tell(self, event: Event) -> None:
        self._emit(event)
        self._countdown.handle_event(event)

    def _tell_move(self, event: Event) -> None:
        self._emit(event)
        self.wake()

    async def _sense(self) -> SensorReadings | None:
        shell = None if self._dependencies.is_turn_running() else self._dependencies.shell()
        return await read_sensors(shell) if shell is not None else None

    async def _work(self) -> None:
        while True:
            reasons = [await self._wake_reasons.get()]
            while not self._wake_reasons.empty():
                reasons.append(self._wake_reasons.get_nowait())
            try:
                await self._look(set(reasons))
            except (StoreError, EmbeddingError, OSError) as problem:
                _log.warning("nothing is suggested: %s", problem)
            finally:
                for _reason in reasons:
                    self._wake_reasons.task_done()

    async def _look(self, reasons: set[WakeReason]) -> None:
        """Check whether there is something to suggest, unless another program does."""
        spoke, self._speaks = self._speaks, False
        # The file tells of programs on this machine, the lease also of those on others.
        take = partial(self._store.leases.take, [SUGGESTIONS])
        self._speaks = self._lock.take() and await self._run_in_thread(take)
        if not self._speaks:
            return
        if not spoke:
            reasons = {*reasons, WakeReason.START}
        # One thing at a time is shown: what is scheduled comes before what may be suggested.
        is_shown = self._keeps_schedules and await self._look_at_schedules(starting=not spoke)
        if self._offers and not is_shown:
            await self._look_for_offers(reasons)
        await self._set_moments()

    async def _look_for_offers(self, reasons: set[WakeReason]) -> None:
        if WakeReason.START in reasons:
            await self._show(await self._run_in_thread(self._policy.refresh))
        if self._is_new_night() or reasons & {WakeReason.START, WakeReason.NIGHT}:
            is_night = WakeReason.START not in reasons
            self._likely_times = await self._run_in_thread(partial(self._do_nightly_work, is_night=is_night))
        elif not self._likely_times:
            # The memory may have been filled since, as by an import.
            self._likely_times = await self._run_in_thread(self._find_likely_times)
        look = partial(self._policy.look, self.location.whereabouts.scenario, busy=self._is_busy)
        await self._show(await self._run_in_thread(look))

    async def _look_at_schedules(self, *, starting: bool) -> bool:
        """Begin what is due by the user's schedules; returns whether something of them is shown."""
        now = self._now()
        happened = self._place_events.update(self.location.whereabouts.scenario, now)
        happened += self._battery_events.update(self.location.battery)
        happened += await self._read_notifications(now)
        for event, place in happened:
            await self._run_in_thread(partial(self.schedules.note_event, event, place, now))
        collect = partial(self.schedules.collect, now, starting=starting)
        schedules = await self._run_in_thread(collect)
        self._tell_missed(schedules.missed)
        return self._scheduled.update(schedules.due, busy=self._is_busy)

    def _tell_missed(self, missed: Sequence[ScheduleRun]) -> None:
        if missed:
            newest = missed[-1]
            reason = MISS_REASONS[MissReason(newest.reason)] if newest.reason else ""
            self._emit(
                SchedulesMissed(
                    time=self._now(),
                    instruction=newest.instruction,
                    due=newest.due,
                    reason=_(reason),
                    count=len(missed),
                )
            )

    async def _read_notifications(self, now: datetime) -> list[tuple[str, str]]:
        """The events of schedules that begin with a notification; only then the phone is asked for them."""
        senders = await self._run_in_thread(self.schedules.senders)
        shell = self._dependencies.shell() if senders else None
        if shell is None:
            return []
        try:
            return self._notification_events.update(await read_notifications(shell), senders, now)
        except NotificationsUnreadable as problem:
            _log.warning("schedules that begin with a notification: %s", problem)
            self._tell_missed(await self._run_in_thread(partial(self.schedules.note_unreadable, now)))
        except (PhoneError, ActionRefused) as problem:
            _log.info("the notifications are not known: %s", problem)
        return []

    async def _show(self, decision: OfferDecision) -> None:
        for suggestion in decision.ended:
            self._displayed.lapse(suggestion.id)
        waiting = decision.waiting
        if waiting is not None and decision.reworded:
            waiting = await self._word(waiting)
        self._displayed.update(waiting, auto_run=decision.auto_run, is_new=decision.shown is not None)

    async def _word(self, suggestion: Suggestion) -> Suggestion | None:
        """The suggestion in the words to show it with; None when it should not be shown after all."""
        word = self._dependencies.word
        if word is None or suggestion.snoozes:
            return suggestion
        instruction = await word(suggestion, self._now())
        try:
            if instruction is None:
                await self._run_in_thread(partial(self._policy.withdraw, suggestion.id))
            else:
                return await self._run_in_thread(partial(self._policy.reword, suggestion.id, instruction))
        except NoSuchSuggestion:
            _log.info("a suggestion was answered while it was worded")
        return None

    def _on_change(self) -> None:
        """Check at once when the memory was changed in this process while a suggestion is shown.

        Called in the thread that made the change. Changes by other processes are seen at the next heartbeat,
        those of a check itself need no other check.
        """
        if self._loop is not None and threading.current_thread() is not self._worker:
            self._loop.call_soon_threadsafe(self._look_again)

    def _look_again(self) -> None:
        if self._displayed.is_open:
            self.wake()

    def _note_worker(self) -> None:
        self._worker = threading.current_thread()

    def _is_new_night(self) -> bool:
        """Whether a night has passed that the scheduler did not see, as while the machine slept."""
        night = (self._now() - NIGHT_AT).date()
        before, self._last_night = self._last_night, max(night, self._last_night or night)
        return before is not None and night > before

    def _do_nightly_work(self, is_night: bool) -> tuple[datetime, ...]:
        """What is done at the start and once a night; returns when routines are likely in the next days."""
        sweep(self._store, self._settings.memory, self._now())
        if is_night and self._settings.memory.learning:
            self._habits.aggregate()
            self._dependencies.tidy()
        return self._find_likely_times()

    def _find_likely_times(self) -> tuple[datetime, ...]:
        return tuple(occasion.opens for occasion in self._policy.expected()[:_MOMENTS])

    async def _set_moments(self) -> None:
        """Be woken when a routine is likely, and when a suggestion is due or lapses."""
        suggestions = await self._run_in_thread(self._policy.suggestions.open) if self._offers else []
        ends = [
            suggestion.due if suggestion.stage is Stage.SNOOZED else suggestion.until
            for suggestion in suggestions
        ]
        now = self._now()
        if self._keeps_schedules:
            ends += await self._run_in_thread(partial(self.schedules.next_wake, now))
        self._scheduler.set_moments(moment for moment in (*self._likely_times, *ends) if moment > now)

    async def _store_answer(self, suggestion_id: str, answer: Answer | Snooze) -> None:
        try:
            answered = await self._run_in_thread(partial(self._policy.answer, suggestion_id, answer))
        except NoSuchSuggestion:
            self._displayed.lapse(suggestion_id)
        except (StoreError, EmbeddingError) as problem:
            _log.warning("an answer is not stored: %s", problem)
        else:
            self._displayed.tell_answer(answered)
            await self._set_moments()

    async def _store_scheduled_answer(self, suggestion_id: str, answer: Answer | Snooze) -> None:
        try:
            await self._run_in_thread(partial(self._scheduled.answer, suggestion_id, answer))
        except (NoSuchSchedule, StoreError) as problem:
            _log.warning("an answer is not stored: %s", problem)
        self._scheduled.tell_answer(suggestion_id, answer)
        self.wake()

    def _run_in_thread(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Do work in the service's thread, after the work that is under way."""
        return asyncio.get_running_loop().run_in_executor(self._thread, work)


def _load_calendar(country: str) -> Calendar:
    """The calendar of the settings; only weekends are days off where the country is not known."""
    try:
        return Calendar(country)
    except UnknownCountry as problem:
        _log.warning("only weekends count as free: %s", problem)
        return Calendar()
