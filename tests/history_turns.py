"""A few past turns in a store: one that went well, one that failed, one that was cut off."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from assistant.history import PastTurns
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.records import (
    Click,
    ForegroundApp,
    Observation,
    OpenApp,
    Outcome,
    Point,
    Source,
    TypeText,
    Usage,
)
from tests.tui.sample_screens import phone_picture

BEGAN = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)
EATS = ForegroundApp("com.example.eats", ".Main", "Eats")


def lunch(turn_id: str = "t-lunch", said: str = "order my usual lunch", **changes: object) -> Checkpoint:
    """Three steps of ordering lunch."""
    steps = (
        StoredStep(number=1, action=OpenApp(name="Eats"), source=Source.REPLAYED, app="Eats"),
        StoredStep(
            number=2, action=Click(point=Point(0.5, 0.1), content="Search"), app="Eats", thought="First."
        ),
        StoredStep(number=3, action=TypeText(text="beef noodles"), app="Eats", error="the field is gone"),
    )
    whole = Checkpoint(
        turn_id=turn_id,
        user_id="me",
        started=BEGAN,
        said=said,
        instruction="Order beef noodles without coriander on Eats",
        scenario="office",
        steps=steps,
        usage=Usage(prompt_tokens=11_800, completion_tokens=640, requests=3),
        seconds=31.4,
        model="qwen3-vl",
        answer="Beef noodles are ordered.",
    )
    return whole.model_copy(update=changes)


def seen(picture: bytes | None = None, *, secure: bool = False) -> Observation:
    shot = phone_picture() if picture is None else picture
    return Observation(
        width=1080, height=2400, screenshot=b"" if secure else shot, elements=(), app=EATS, secure=secure
    )


def keep_some(folder: Path) -> tuple[Store, PastTurns]:
    """Lunch with pictures, an alarm that failed an hour later, and a message that was cut off."""
    store = Store(folder, now=lambda: BEGAN)
    well = lunch()
    store.turns.save(well)
    for step in (1, 2, 4):
        store.turns.observe(well.turn_id, step, seen())
    store.turns.observe(well.turn_id, 3, seen(secure=True))
    store.turns.finish(well, Outcome.SUCCESS)
    later = BEGAN + timedelta(hours=1)
    alarm = lunch(
        "t-alarm", "set an alarm for 7:30", started=later, steps=(), answer="", instruction="Set an alarm"
    )
    store.turns.save(alarm)
    store.turns.finish(alarm, Outcome.FAILED)
    cut = lunch(
        "t-mom", "给妈妈发消息", started=later + timedelta(hours=1), answer="", instruction="给妈妈发消息"
    )
    store.turns.save(cut)
    return store, PastTurns(store, "me")
