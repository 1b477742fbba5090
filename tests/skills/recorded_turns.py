"""Turns on screens written by hand: what is learnt from, and one under way that memory proposes steps for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from assistant.agent.step import with_target
from assistant.events import ActionKind
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.phone.ui_tree import parse_tree
from assistant.records import (
    Action,
    Click,
    Finished,
    ForegroundApp,
    Observation,
    OpenApp,
    Outcome,
    Point,
    Source,
)
from assistant.skills.service import SkillMemory
from assistant.skills.skill_step import Proposal
from assistant.skills.storage import ReplayReport
from tests.skills.screens import listing, node, row

NOW = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)
DISHES = ("Rice", "Soup", "Tea")
HOME = listing(node("Button", (0, 900, 1000, 1100), text="Eats", name="icon", tap=True), title="Home")
MENU = listing(*(row(place, name) for place, name in enumerate(DISHES)))


def page(dish: str) -> str:
    """The page of one dish."""
    top = node("TextView", (0, 0, 1000, 200), text=dish, name="dish")
    return f'<hierarchy rotation="0">{node("FrameLayout", (0, 0, 1000, 2000), top, name="page")}</hierarchy>'


def screen(xml: str, activity: str = ".Menu") -> Observation:
    return Observation(
        1000, 2000, b"", parse_tree(xml.encode()).elements, ForegroundApp("com.shop", activity, "Eats")
    )


def on(place: int) -> Click:
    return Click(point=Point(0.3, (300 + 200 * place) / 2000))


def ordered(store: Store, number: int, instruction: str, place: int, dish: str) -> str:
    """A turn that opened the app, tapped a dish and ended well."""
    turn_id = f"turn-{number}"
    seen: list[tuple[Action, Observation]] = [
        (OpenApp(name="Eats"), screen(HOME, ".Home")),
        (on(place), screen(MENU)),
    ]
    seen.append((Finished(), screen(page(dish), ".Dish")))
    steps = []
    store.turns.save(checkpoint(turn_id, instruction, []))
    for count, (action, observation) in enumerate(seen, 1):
        done: Action = action
        if isinstance(action, Click):
            done = action.model_copy(update={"target": observation.target_at(action.point)})
        steps.append(StoredStep(number=count, action=done, app="Eats", package="com.shop"))
        store.turns.observe(turn_id, count, observation)
    end(store, checkpoint(turn_id, instruction, steps))
    return turn_id


def checkpoint(turn_id: str, instruction: str, steps: list[StoredStep]) -> Checkpoint:
    return Checkpoint(
        turn_id=turn_id,
        user_id="me",
        started=NOW,
        said=instruction,
        instruction=instruction,
        steps=tuple(steps),
    )


def end(store: Store, turn: Checkpoint, outcome: Outcome = Outcome.SUCCESS) -> None:
    store.turns.save(turn)
    store.turns.finish(turn, outcome)


class Order:
    """A turn under way, whose steps the memory proposes."""

    def __init__(self, skills: SkillMemory, instruction: str) -> None:
        self.skills = skills
        self.turn = checkpoint("now", instruction, [])

    def propose(
        self, observation: Observation, will_ask: Callable[[Action], bool] = lambda action: False
    ) -> Proposal | None:
        return asyncio.run(self.skills.actions.propose(self.turn, observation, will_ask))

    def replay(self, *screens: Observation) -> None:
        """What the memory proposes on each screen is done."""
        for observation in screens:
            proposal = self.propose(observation)
            assert proposal is not None
            assert proposal.action is not None
            self.did(proposal.action)

    def did(
        self,
        action: Action,
        source: Source = Source.REPLAYED,
        error: str = "",
        kind: ActionKind | None = None,
    ) -> None:
        number = len(self.turn.steps) + 1
        step = StoredStep(number=number, action=action, source=source, error=error, kind=kind)
        self.turn = self.turn.model_copy(update={"steps": (*self.turn.steps, step)})


def learn_turn(
    store: Store,
    skills: SkillMemory,
    instruction: str,
    seen: list[tuple[Action, Observation]],
    kinds: dict[int, ActionKind] | None = None,
) -> None:
    """A turn of these actions, each with the screen before it, that ended well and is learnt from.

    `kinds` are those of the sensitive steps, by their numbers.
    """
    store.turns.save(checkpoint("turn-1", instruction, []))
    steps = []
    for number, (action, observation) in enumerate(seen, 1):
        steps.append(
            StoredStep(
                number=number,
                action=with_target(action, observation),
                app="Eats",
                package=observation.app.package,
                kind=(kinds or {}).get(number),
            )
        )
        store.turns.observe("turn-1", number, observation)
    end(store, checkpoint("turn-1", instruction, steps))
    skills.learn("turn-1", Outcome.SUCCESS, ReplayReport())
