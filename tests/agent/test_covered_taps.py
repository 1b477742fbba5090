"""Taps on what the keyboard covers: it is put away first, and the tap is done on the same element."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from assistant.agent.action_selection import ActionSelector, find_covered, find_keyboard_top, row_before
from assistant.agent.checkpoint import TurnCheckpointer
from assistant.agent.context import StepTimes, TurnContext
from assistant.events import ActionChosen, ActionKind, Deed
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.model.types import Decision
from assistant.phone.errors import Refusal
from assistant.records import (
    Bounds,
    ClearText,
    Click,
    Element,
    ForegroundApp,
    Observation,
    Point,
    PressBack,
    Target,
    TypeText,
    Usage,
)
from assistant.settings.schema import Settings
from assistant.simulator.adb_server import PrivateAdbServer
from tests.tables import each
from tests.turn_fixture import FunctionModel, script, staged_turn
from tests.worlds import START

CHAT = ForegroundApp("com.chat", ".Main", "Chat")


def page(*names: str, keyboard: bool = True) -> Observation:
    """A page with buttons in one row at its foot, and a title."""
    title = Element(0, -1, "android.widget.TextView", Bounds(0, 0, 1000, 100), text="Mom")
    buttons = (
        Element(
            at,
            -1,
            "android.widget.ImageButton",
            Bounds(200 * at, 1800, 200 * at + 180, 1900),
            resource_id=f"com.chat:id/{name}",
            clickable=True,
        )
        for at, name in enumerate(names, 1)
    )
    return Observation(1000, 2000, b"", (title, *buttons), CHAT, keyboard_shown=keyboard)


def tap(content: str, x: float = 0.29, y: float = 0.925) -> Click:
    return Click(point=Point(x, y), content=content)


def decided(warning: str = "") -> Decision:
    return Decision(tap("Send"), "Mom waits.", Usage(), warning=warning)


@each(
    ("content", "is_covered"),
    [
        ("send button", True),
        ("Send", True),
        ("key Done", False),
        ("Done button", False),
        ("s", False),
        ("", False),
    ],
)
def test_a_tap_is_covered_where_the_model_names_the_element(content: str, *, is_covered: bool) -> None:
    assert (find_covered(tap(content), page("send_button", "voice"), decided()) is not None) is is_covered


def test_without_a_keyboard_or_above_it_nothing_is_covered() -> None:
    assert find_covered(tap("Send"), page("send_button", keyboard=False), decided()) is None
    assert find_covered(tap("Mom", 0.5, 0.02), page("send_button"), decided()) is None


def test_the_tap_is_done_on_the_same_element_once_the_keyboard_is_away() -> None:
    covered = find_covered(tap("Send"), page("send_button"), decided("Send it to Mom"))
    assert covered is not None
    assert covered.decision.warning == "Send it to Mom"
    moved = covered.find_in(page("voice", "send_button", keyboard=False))
    assert moved is not None
    assert moved.point == Point(0.49, 0.925)
    assert covered.find_in(page("send_button")) is None
    assert covered.find_in(page("voice", keyboard=False)) is None
    assert covered.find_in(page("send_button", "send_button", keyboard=False)) is None
    dialog = Element(9, -1, "android.widget.FrameLayout", Bounds(0, 0, 1000, 2000), clickable=True)
    small = replace(dialog, bounds=Bounds(280, 1840, 300, 1860))
    away = page("send_button", keyboard=False)
    assert covered.find_in(replace(away, elements=(*away.elements, small))) is None


@each(
    ("content", "name"),
    [
        ("Delete key", "delete_chat"),
        ("backspace to delete a letter", "delete_chat"),
        ("Search key of the keyboard", "search_history"),
        ("space key", "disk_space"),
        ("space bar", "disk_space"),
        ("键盘上的delete", "delete_chat"),
    ],
)
def test_a_key_of_the_keyboard_is_no_button_below_it(content: str, name: str) -> None:
    assert find_covered(tap(content), page(name), decided()) is None


@each(
    ("bounds", "keyboard", "is_covered"),
    [
        (Bounds(0, 1700, 1000, 1800), True, True),
        (Bounds(0, 1700, 1000, 1800), False, False),
        (Bounds(0, 600, 1000, 700), True, False),
        # What stands beside the focused field, or is a row below it, is above the keyboard, as the field is.
        (Bounds(900, 1230, 1000, 1400), True, False),
        (Bounds(0, 1400, 200, 1460), True, False),
    ],
)
def test_what_reacts_under_the_keyboard_is_known(bounds: Bounds, keyboard: bool, is_covered: bool) -> None:
    page = field("", 1200, keyboard=keyboard)
    button = Element(1, -1, "android.widget.Button", bounds, clickable=True)
    assert find_keyboard_top(page) == 1.0
    assert (find_keyboard_top(replace(page, elements=(*page.elements, button))) < 1.0) is is_covered


class Unwatched:
    """A phone of which nothing is watched while the model replies."""

    app_names = ()
    phone_seconds = reading_seconds = 0.0

    def watch(self) -> None:
        """Nothing is watched."""

    async def end_watch(self, *, drop: bool) -> None:
        """Nothing was watched."""


def field(text: str, top: int, *, keyboard: bool) -> Observation:
    """A page with one field that has the focus, where it stands with or without the keyboard."""
    element = Element(
        0,
        -1,
        "android.widget.EditText",
        Bounds(0, top, 1000, top + 200),
        text=text,
        resource_id="com.chat:id/message",
        clickable=True,
        focused=True,
    )
    return Observation(1000, 2000, b"", (element,), CHAT, keyboard_shown=keyboard)


@dataclass
class Selecting:
    """A selector whose steps are performed, or refused where it says so."""

    selector: ActionSelector
    checkpointer: TurnCheckpointer
    times: StepTimes
    model: FunctionModel

    async def decide(self, seen: Observation) -> Decision:
        """What is decided on a screen; its step is added."""
        number = self.checkpointer.next_step
        chosen = await self.selector.decide(number, seen, self.times)
        step = StoredStep(number=number, action=chosen.action, thought=chosen.thought, reply=chosen.reply)
        self.checkpointer.add_step(step.refused(chosen.refusal) if chosen.refusal else step)
        return chosen


@asynccontextmanager
async def selecting(folder: Path, reply: Decision) -> AsyncIterator[Selecting]:
    """A selector that asks a model of only one reply."""
    store = Store(folder)
    model = FunctionModel(lambda _request: reply)
    checkpoint = Checkpoint(turn_id="t", user_id="me", started=START, said="x", instruction="x")
    phone = cast(Any, Unwatched())
    context = TurnContext(phone, model, store, Settings(store=folder), lambda: START, lambda _event: None)
    checkpointer = TurnCheckpointer(store, checkpoint, stored=False)
    selector = ActionSelector(context, checkpointer, lambda _cause: None)
    yield Selecting(selector, checkpointer, StepTimes(phone, model), model)
    await model.close()
    store.close()


async def test_a_field_is_emptied_before_it_is_typed_into_once_the_keyboard_is_away(tmp_path: Path) -> None:
    actions = (tap("old words", 0.5, 0.8), ClearText(), TypeText(text="hello"))
    reply = Decision(actions[0], "It holds old words.", Usage(), following=actions[1:], reply="clear, type")
    covered = field("old words", 1500, keyboard=True)
    covered = replace(covered, elements=(replace(covered.elements[0], focused=False),))
    away = field("old words", 1500, keyboard=False)
    async with selecting(tmp_path, reply) as turn:
        chosen = [await turn.decide(seen) for seen in (covered, away, away)]
        (request,) = turn.model.requests
    assert any("listed as covered" in note for note in request.notes)
    assert [each.action.type for each in chosen] == ["press_back", "clear", "type"]
    # What the model thought and wrote stands at its own action, not at the Back that it did not choose.
    assert [each.reply for each in chosen] == ["", "clear, type", ""]
    assert [each.thought for each in chosen][1:] == ["It holds old words.", ""]
    assert "keyboard" in chosen[0].thought


@each(
    "behind",
    [
        page("send_button"),  # The keyboard stays.
        page("voice", keyboard=False),  # The element is gone.
        replace(page("send_button", keyboard=False), app=ForegroundApp("com.home")),
    ],
)
async def test_what_the_model_found_is_kept_where_its_covered_tap_is_not_done(
    tmp_path: Path, behind: Observation
) -> None:
    reply = Decision(tap("Send"), "The balance is 512.", Usage(), reply="summary: the balance is 512")
    async with selecting(tmp_path, reply) as turn:
        chosen = [await turn.decide(seen) for seen in (page("send_button"), behind, page("send_button"))]
        asked = turn.model.requests
    assert [each.action.type for each in chosen] == ["press_back", "click", "click"]
    assert len(asked) == 2
    past = asked[1].history[-1]
    assert (past.thought, past.reply) == ("The balance is 512.", "summary: the balance is 512")
    assert past.error == Refusal.SCREEN_CHANGED  # Nothing says that it was sent.
    assert not past.continued


async def test_a_refused_decision_is_a_step_that_was_not_performed(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    why = str(Refusal.SCREEN_CHANGED)
    refused = Decision(tap("Send", y=0.5), "The balance is 512.", Usage(), reply="send", refusal=why)
    async with staged_turn(adb_server.port, tmp_path, script(refused)) as one:
        await one.running
        first, last = one.turn.checkpoint.steps[0], one.model.requests[-1].history[-1]
        assert (first.error, first.thought, first.reply) == (why, "The balance is 512.", "send")
        assert (last.error, last.reply) == (why, "send")
        assert not [each for each in one.all(ActionChosen) if isinstance(each.action, Click)]


DELETION = Deed(kind=ActionKind.DELETE, package=CHAT.package)


def tapped(*names: str, package: str = CHAT.package) -> tuple[StoredStep, ...]:
    return tuple(
        StoredStep(number=at, action=Click(point=Point(0, 0), target=Target(text=name)), package=package)
        for at, name in enumerate(names, 1)
    )


@each(
    ("steps", "row"),
    [
        (tapped("Mom"), ("Mom",)),
        (tapped("Mom", "Delete"), ("Mom",)),
        (tapped("Mom", "More options", "Delete"), ("Mom",)),
        (tapped("7:30 Gym", "Edit"), ("7:30 Gym",)),
        (tapped("妈妈", "更多", "删除"), ("妈妈",)),
        (tapped("Delete"), ()),
        (tapped("More options"), ()),
        (tapped("Edit"), ()),
        (tapped("Mom", "Navigate up", "More options"), ()),
        (tapped("Notes", "Pay rent"), ("Pay rent",)),
        (tapped("Mom", "Send"), ()),
        (tapped("Mom", package="com.other") + tapped("More options"), ()),
        ((*tapped("Mom"), StoredStep(number=2, action=PressBack(), package=CHAT.package)), ()),
        ((tapped("Mom")[0].model_copy(update={"deed": DELETION}), *tapped("More options")), ()),
    ],
)
def test_the_row_that_led_to_a_deletion_is_no_button_of_a_menu(
    steps: tuple[StoredStep, ...], row: tuple[str, ...]
) -> None:
    turn = Checkpoint(turn_id="t", user_id="me", started=START, said="x", instruction="x", steps=steps)
    assert row_before(DELETION, turn) == row
