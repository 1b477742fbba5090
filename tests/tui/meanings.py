"""A command whose parts depend on the user, and what the engine tells of understanding it."""

from __future__ import annotations

from asyncio import Future
from datetime import timedelta

from assistant import events
from assistant.events import Cause, TurnState
from assistant.records import Click, Point, Record
from tests.tui.scripted import NOW, ScriptedEngine

SAID = "order my usual lunch to the office and tell mom's sister"
INSTRUCTION = "Order beef noodles, no coriander, to Harbour Road 11 and tell Anna"
RECORDS = [
    Record(id="r1", user_id="me", time=NOW - timedelta(days=3), instruction="Order beef noodles", app="Eats"),
    Record(id="r2", user_id="me", time=NOW - timedelta(days=7), instruction="Beef noodles again", app="Eats"),
]


def recall(engine: ScriptedEngine, said: str = SAID) -> None:
    """Two parts are known from memory, the third is looked up in an app."""
    engine.begin(said)
    engine.emit(
        events.ElementsPerceived(
            time=NOW, said=said, elements=("my usual lunch", "the office", "mom's sister")
        ),
        events.ElementRecalled(
            time=NOW,
            element="my usual lunch",
            value="beef noodles, no coriander",
            source="preference",
            confidence=0.91,
            evidence=("r1", "r2", "gone"),
            why="done 14 times, last Sat 7 Mar",
        ),
        events.ElementRecalled(
            time=NOW,
            element="the office",
            value="Harbour Road 11",
            source="profile",
            confidence=0.8,
            evidence=("r2",),
            why="Work · address · you said so on Tue 3 Mar",
        ),
        events.ElementUnknown(time=NOW, element="mom's sister", candidates=("Anna", "Berta")),
        events.ErrandStarted(time=NOW, element="mom's sister", app="Contacts", task="Find her"),
    )
    engine.enter(TurnState.RUNNING, Cause.THINKING)
    tap = Click(point=Point(0.5, 0.5), content="Search")
    engine.emit(events.ErrandStepped(time=NOW, app="Contacts", action=tap, seconds=1.0))


def complete(engine: ScriptedEngine, said: str = SAID) -> None:
    """The look found the third part, so that the instruction is whole."""
    recall(engine, said)
    engine.emit(
        events.ElementExplored(
            time=NOW, element="mom's sister", app="Contacts", value="Anna", place="Family"
        ),
        events.ElementRecalled(
            time=NOW,
            element="mom's sister",
            value="Anna",
            source="exploration",
            confidence=0.7,
            why="read just now in Contacts: Family",
        ),
        events.InstructionCompleted(time=NOW, said=said, instruction=INSTRUCTION),
    )


def proposed(engine: ScriptedEngine) -> Future[str]:
    """What it is about to do waits for the user."""
    complete(engine)
    return engine.propose(INSTRUCTION)


def hostile(engine: ScriptedEngine, text: str) -> Future[str]:
    """The same where every text is the same one."""
    engine.begin(text)
    engine.emit(
        events.SuggestionTaken(
            time=NOW, id="s", instruction=text, score=0.5, why=(text,), evidence=("hostile",)
        ),
        events.ElementsPerceived(time=NOW, said=text, elements=(text, text + "2")),
        events.ElementUnknown(time=NOW, element=text, candidates=(text, text)),
        events.ErrandStarted(time=NOW, element=text, app=text, task=text),
        events.ErrandStepped(
            time=NOW, app=text, action=Click(point=Point(0.5, 0.5), content=text), seconds=1.0
        ),
        events.ElementExplored(time=NOW, element=text, app=text, value=text, place=text),
        events.ElementRecalled(
            time=NOW,
            element=text,
            value=text,
            source=text,
            confidence=0.5,
            evidence=("hostile", "gone"),
            why=text,
        ),
        events.InstructionCompleted(time=NOW, said=text, instruction=text + "."),
    )
    stored = text.encode(errors="replace").decode()
    engine.kept_records.append(Record(id="hostile", user_id="me", time=NOW, instruction=stored, app=stored))
    return engine.propose(text + ".")
