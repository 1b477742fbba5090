"""Taps on what the keyboard covers: it is put away first, and the tap is done on the same element."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from assistant.agent.action_selection import ActionSelector, find_covered, row_before
from assistant.agent.checkpoint import TurnCheckpointer
from assistant.agent.context import StepTimes, TurnContext
from assistant.events import ActionKind, Deed
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.model.types import Decision
from assistant.records import (
    Bounds,
    ClearText,
    Click,
    Element,
    ForegroundApp,
    Observation,
    Point,
    PressBack,
    Source,
    Target,
    TypeText,
    Usage,
)
from assistant.settings.schema import Settings
from tests.tables import each
from tests.turn_fixture import FunctionModel
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


async def test_a_field_is_emptied_before_it_is_typed_into_once_the_keyboard_is_away(tmp_path: Path) -> None:
    store = Store(tmp_path)
    actions = (tap("old words", 0.5, 0.8), ClearText(), TypeText(text="hello"))
    reply = Decision(actions[0], "It holds old words.", Usage(), following=actions[1:], reply="clear, type")
    model = FunctionModel(lambda _request: reply)
    checkpoint = Checkpoint(turn_id="t", user_id="me", started=START, said="x", instruction="x")
    phone = cast(Any, Unwatched())
    context = TurnContext(phone, model, store, Settings(store=tmp_path), lambda: START, lambda _event: None)
    checkpointer = TurnCheckpointer(store, checkpoint, stored=False)
    selector = ActionSelector(context, checkpointer, lambda _cause: None)
    covered = field("old words", 1500, keyboard=True)
    covered = replace(covered, elements=(replace(covered.elements[0], focused=False),))
    times = StepTimes(phone, model)
    chosen = [await selector.decide(1, covered, times)]
    away = field("old words", 1500, keyboard=False)
    for number in range(1, 3):
        step = StoredStep(number=number, action=chosen[-1].action, source=Source.MODEL)
        checkpointer.checkpoint = checkpointer.checkpoint.model_copy(
            update={"steps": (*checkpointer.checkpoint.steps, step)}
        )
        chosen.append(await selector.decide(number + 1, away, times))
    assert [each.action.type for each in chosen] == ["press_back", "clear", "type"]
    # What the model thought and wrote stands at its own action, not at the Back that it did not choose.
    assert [each.reply for each in chosen] == ["", "clear, type", ""]
    assert [each.thought for each in chosen][1:] == ["It holds old words.", ""]
    assert "keyboard" in chosen[0].thought
    await model.close()
    store.close()


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
