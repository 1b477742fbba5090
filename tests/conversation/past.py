"""A past of a month, and the conversation about it."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from pathlib import Path

from assistant.conversation.amendments import find_meant_schedule
from assistant.conversation.routing import Route, RouteKind, route
from assistant.conversation.service import Conversation, Reply
from assistant.conversation.setting_changes import Switches
from assistant.events import Cause, Deed
from assistant.history import PastTurns
from assistant.memory.profile.service import LazyProfile
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.memory_view.service import MemoryView
from assistant.proactive.schedules import Schedule, Schedules
from assistant.records import Click, OpenApp, Outcome, Point, Record, Target
from assistant.settings.schema import Settings
from assistant.understand.memory_sources import NoEmbedder

NOW = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
"""A Wednesday."""


def record(days_ago: int, hour: int, instruction: str, outcome: Outcome | None = None) -> Record:
    time = (NOW - timedelta(days=days_ago)).replace(hour=hour)
    name = f"r{days_ago}-{hour}"
    return Record(id=name, user_id="me", time=time, instruction=instruction, app="Phone", outcome=outcome)


RECORDS = (
    record(30, 12, "Order soup, no coriander, to the office"),
    record(17, 20, "Call Susan Lin"),
    record(10, 20, "Call Susan Lin"),
    record(9, 12, "Order beef noodles to the office"),
    record(8, 12, "Order beef noodles to the office"),
    record(7, 12, "Order dumplings to the office"),
    record(3, 20, "Call Susan Lin"),
    record(2, 19, "打车去机场"),
    record(1, 12, "Order pizza to the office", Outcome.FAILED),
)

SCHEDULES = (
    ("every day at 18:30", "play the evening podcast"),
    ("工作日早上八点", "帮我点平时的奶茶"),
    ("every weekday at 8", "order my usual coffee"),
)
"""The times and orders of what is scheduled, the newest last."""

NEWS = "every weekday at 6:15 pm", "navigate me home and play the news"


def ended_turn(
    store: Store,
    outcome: Outcome,
    instruction: str,
    answer: str,
    thought: str = "",
    deed: Deed | None = None,
    said: str = "order my usual lunch",
    cause: Cause = Cause.DONE,
    saved: bool = False,
    started: datetime = NOW,
    turn_id: str = "t1",
) -> None:
    """Store a turn of one step that has ended."""
    steps = [StoredStep(number=1, action=OpenApp(name="Eats"), thought=thought, deed=deed)]
    if saved:
        save = Target(text="Save", class_name="android.widget.Button")
        steps.append(StoredStep(number=2, action=Click(point=Point(0.5, 0.5), target=save), app="Clock"))
    checkpoint = Checkpoint(
        turn_id=turn_id,
        user_id="me",
        started=started,
        said=said,
        instruction=instruction or said,
        steps=tuple(steps),
        answer=answer,
        ended_by=cause,
    )
    store.turns.finish(checkpoint, outcome)


def make_conversation(
    tmp_path: Path, store: Store, switched: list[bool], endpoint: str = "", memory_host: str = ""
) -> Conversation:
    settings = Settings(store=tmp_path, user_id="me")
    embedder = NoEmbedder()
    profile = LazyProfile(store, lambda: embedder, "me")
    view = MemoryView(store, embedder, settings, profile)

    def switch(enabled: bool) -> str:
        switched.append(enabled)
        return "Kept in the file."

    def keep_quiet(start: time | None, end: time | None) -> str:
        hours = (f"{hour:%H:%M}" if hour is not None else "as it is" for hour in (start, end))
        return f"Kept: {'-'.join(hours)}."

    switches = Switches(lambda paused: None, switch, keep_quiet)
    return Conversation(store, "me", profile, lambda: view, switches, lambda: NOW, endpoint, memory_host)


def ask(conversation: Conversation, line: str) -> Reply:
    return conversation.reply(route(line))


def find_meant(
    target: Route,
    schedules: Schedules,
    now: datetime = NOW,
    *,
    running: bool = False,
    paused: bool = False,
    answered: datetime | None = None,
) -> Route:
    """The route of a line that may change something made before."""
    turns, states = PastTurns(schedules._store, "me"), {"running": running, "paused": paused}
    return find_meant_schedule(target, schedules, turns, now, **states, answered=answered)


def change_schedule(conversation: Conversation, schedules: Schedules, line: str) -> str:
    """What is answered to a line that is about a schedule."""
    target = find_meant(route(line), schedules)
    assert target.kind is RouteKind.SCHEDULE, line
    return conversation.reply(target).text


def keep_only(
    schedules: Schedules, times: str, instruction: str, made: datetime = NOW - timedelta(minutes=1)
) -> Schedule:
    """The only schedule, made then."""
    for schedule in schedules.all():
        schedules.remove(schedule)
    return schedules.add(times, instruction, made, "UTC")


def find_due(schedules: Schedules, now: datetime) -> set[str]:
    """The ids of the schedules that are to begin."""
    return {run.schedule_id for run in schedules.collect(now).due}
