"""Two small apps that sell dishes, as screens written by hand, and somebody who orders there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.phone.ui_tree import parse_tree
from assistant.records import (
    Action,
    Click,
    ForegroundApp,
    Observation,
    OpenApp,
    Outcome,
    Point,
    PressBack,
    Source,
)
from assistant.skills.service import SkillMemory
from assistant.skills.skill_step import Proposal
from tests.skills.screens import dialog, listing, node, row

NOW = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)
DISHES = ("Rice", "Soup", "Tea", "Cake", "Salad")
PACKAGES = {"Eats": "com.shop", "Feast": "com.feast"}


@dataclass
class MiniPhone:
    """The phone: which app and page is in front, what was chosen and ordered.

    `asks` has the menu ask the `question` first, `asks_after` the basket its own; `order_button` is what the
    button that orders is called.
    """

    app: str = ""
    page: str = "home"
    dish: str = ""
    size: str = "S"
    ordered: tuple[str, str, str] = ("", "", "")
    asks: bool = False
    asks_after: bool = False
    order_button: str = "Order"
    question: str = "Take the tour?"
    question_after: str = "Liked it?"

    def screen(self) -> Observation:
        """What is seen now."""
        package = PACKAGES.get(self.app, "com.launcher")
        xml = self._xml().replace("com.shop", package)
        elements = parse_tree(xml.encode()).elements
        return Observation(1000, 2000, b"", elements, ForegroundApp(package, f".{self.page}", self.app))

    def _xml(self) -> str:
        match self.page:
            case "home":
                return listing(*(row(n, app, "") for n, app in enumerate(PACKAGES)), title="Home")
            case "rating":
                return listing(over=dialog(self.question, no="Not now"), title="Menu")
            case "review":
                return listing(
                    row(0, self.dish, self.size),
                    title="In the basket",
                    over=dialog(self.question_after, no="Not now"),
                )
            case "store":
                return listing(row(0, "Five stars", ""), title="Store")
            case "menu":
                return listing(*(row(n, dish) for n, dish in enumerate(DISHES)))
            case "dish":
                size = [
                    node("Button", (300 * n, 300, 300 * n + 300, 500), text=text, name="chip", tap=True)
                    for n, text in enumerate(("Small", "Large"))
                ]
                button = node("Button", (0, 1700, 1000, 1900), text=self.order_button, name="order", tap=True)
                return listing(*size, button, title=self.dish)
            case _:
                return listing(row(0, self.dish, self.size), title="In the basket")

    def act(self, action: Action) -> None:
        """What an action does."""
        match action:
            case OpenApp(name=name):
                self.app, self.page = name, "rating" if self.asks else "menu"
            case PressBack():
                before = {"dish": "menu", "basket": "dish", "store": "menu", "menu": "home", "rating": "menu"}
                self.page = before.get(self.page, "home")
            case Click(point=point):
                self._tap(point)

    def _tap(self, point: Point) -> None:
        seen = self.screen()
        element = seen.element_at(point)
        words = seen.label_of(element).split(" · ")[0] if element is not None else ""
        if self.page == "home" and words in PACKAGES:
            self.act(OpenApp(name=words))
        elif self.page == "rating":
            self.page = "store" if words == "OK" else "menu" if words == "Not now" else "rating"
        elif self.page == "review":
            self.page = "basket" if words == "Not now" else self.page
        elif self.page == "menu" and words in DISHES:
            self.dish, self.page, self.size = words, "dish", "S"
        elif self.page == "dish" and words in ("Small", "Large"):
            self.size = words[0]
        elif self.page == "dish" and words == self.order_button:
            self.page = "review" if self.asks_after else "basket"
            self.ordered = (self.app, self.dish, self.size)

    def tap(self, words: str) -> Click:
        """A tap on what begins with these words."""
        seen = self.screen()
        element = next(e for e in seen.elements if e.clickable and seen.label_of(e).split(" · ")[0] == words)
        x, y = element.bounds.centre
        return Click(point=Point(x / 1000, y / 2000))


Decide = Callable[[MiniPhone], Action | None]
"""What somebody does next on the phone; None where they are done."""


@dataclass
class MiniTurn:
    """A turn on the small phone: steps from memory where it has any, else those of somebody who decides.

    Args:
        stops: tells when the user cuts in, if at all, and `corrected` then decides; by words or by hand.
            `stopped` says whether it ever was so.
        is_right: whether the phone shows what was asked for; the second look at the end of a turn tells it,
            where memory does not see the end itself.
        ended_by: the skill whose end memory saw itself, if any.
    """

    store: Store
    skills: SkillMemory
    number: int
    instruction: str
    phone: MiniPhone
    decide: Decide
    stops: Callable[[MiniPhone], bool] = lambda phone: False
    corrected: Decide | None = None
    by_hand: bool = False
    proposed: list[str] = field(default_factory=list)
    stopped: bool = False
    user: str = "me"
    is_right: Callable[[MiniPhone], bool] = lambda phone: True
    ended_by: str = ""

    def run(self, *, replay: bool = True) -> None:
        """Carry the turn out and have the memory learn from it if it ended well."""
        with asyncio.Runner() as loop:
            self._run(loop, replay=replay)

    def _run(self, loop: asyncio.Runner, *, replay: bool) -> None:
        turn = Checkpoint(
            turn_id=f"turn-{self.user}-{self.number}",
            user_id=self.user,
            started=NOW,
            said=self.instruction,
            instruction=self.instruction,
        )
        self.store.turns.save(turn)
        decide, source = self.decide, Source.MODEL
        for number in range(1, 15):
            seen = self.phone.screen()
            self.store.turns.observe(turn.turn_id, number, seen)
            if self.corrected is not None and decide is not self.corrected and self.stops(self.phone):
                decide = self.corrected
                source = Source.USER if self.by_hand else Source.MODEL
                if not self.by_hand:
                    remark = UserRemark(after=len(turn.steps), text="not like this")
                    turn = turn.model_copy(update={"remarks": (remark,)})
            # Somebody who touches the phone pauses the turn: nothing is proposed before their first touch.
            replays = replay and not (decide is self.corrected and self.by_hand)
            proposal = self._propose(loop, turn, seen) if replays else None
            action = proposal.action if proposal is not None else None
            action_source = Source.REPLAYED if action is not None else source
            if action is None:
                action = decide(self.phone)
            if action is None or action.type == "finished":
                break
            if isinstance(action, Click):
                action = action.model_copy(update={"target": seen.target_at(action.point)})
            app = self.phone.app
            step = StoredStep(
                number=number, action=action, source=action_source, app=app, package=PACKAGES.get(app, "")
            )
            if action_source is Source.REPLAYED:
                self.proposed.append(step.action.target.label if step.action.target else step.action.type)
            self.phone.act(action)
            self.stopped = self.stopped or self.stops(self.phone)
            turn = turn.model_copy(update={"steps": (*turn.steps, step)})
        if replay and not self.skills.actions.report(turn.turn_id).claimed:
            self._propose(loop, turn, self.phone.screen())
        report = self.skills.actions.report(turn.turn_id)
        self.ended_by = report.skill_id if report.claimed else ""
        self.store.turns.save(turn)
        outcome = Outcome.SUCCESS if self.ended_by or self.is_right(self.phone) else Outcome.FAILED
        self.store.turns.finish(turn, outcome)
        self.skills.note_end(turn.turn_id, outcome, "It is in the basket.")
        self.skills.learn_waiting()

    def _propose(self, loop: asyncio.Runner, turn: Checkpoint, seen: Observation) -> Proposal | None:
        """What memory says, where the user is asked before whatever is sensitive."""
        return loop.run(self.skills.actions.propose(turn, seen, lambda action: True))


def orders(app: str, dish: str, size: str = "Small", *, size_after: bool = False) -> Decide:
    """Somebody who orders a dish in an app as it should be, whatever page they are on."""

    def decide(phone: MiniPhone) -> Action | None:
        letter = size[0]
        if phone.ordered == (app, dish, letter) and phone.page == "basket":
            return None
        match phone.page:
            case _ if phone.app != app:
                return OpenApp(name=app)
            case "home":
                return OpenApp(name=app)
            case "rating" | "review":
                return phone.tap("Not now")
            case "menu":
                return phone.tap(dish)
            case "dish" if phone.dish == dish:
                return phone.tap(size) if phone.size != letter else phone.tap(phone.order_button)
            case _:
                return PressBack()

    return decide
