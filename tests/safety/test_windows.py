"""Several apps on one screen: a deed is judged by the window under the finger, and asked where none tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.events import ActionKind, Approval, ApprovalRequested, TurnFinished, Verdict
from assistant.model.types import StepRequest
from assistant.phone.status import parse_facts
from assistant.phone.touches import windows_under
from assistant.records import (
    Action,
    Bounds,
    Click,
    Element,
    Finished,
    ForegroundApp,
    Observation,
    Point,
    PressEnter,
    Scroll,
    Swipe,
)
from assistant.safety.classifier import Cue, Risk, judge
from assistant.safety.deeds import make_deed
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.apps.base import Difficulties
from assistant.simulator.apps.hostile import DATA, PACKAGE, HostileApp, HostilePage
from assistant.simulator.apps.hostile import Deed as Button
from assistant.simulator.phone import SimulatedPhone
from tests.safety.screens import HEIGHT, WIDTH, button, element, label
from tests.tables import each
from tests.turn_fixture import staged_turn

SHOP, BANK = ForegroundApp("com.example.shop", ".Cart", "Shop"), "com.example.bank"
UPPER, LOWER = Bounds(0, 0, 100, 98), Bounds(0, 102, 100, 200)
CENTRE = Point(0.5, 0.5)


def window(package: str, bounds: Bounds, *elements: Element) -> list[Element]:
    """The elements of a window, whose parents count from its root."""
    root = element("FrameLayout", bounds.top, bounds.left, size=(bounds.width, bounds.height))
    return [replace(e, package=package, index=at, parent=at and 0) for at, e in enumerate([root, *elements])]


def screen_of(*windows: list[Element], told: tuple[Bounds, ...] | None = None) -> Observation:
    """A screen with these windows; the app of the first is in front."""
    elements: list[Element] = []
    for part in windows:
        first = len(elements)
        elements += [
            replace(e, index=e.index + first, parent=e.parent + first if e.parent >= 0 and e.index else -1)
            for e in part
        ]
    return Observation(WIDTH, HEIGHT, b"", tuple(elements), SHOP, windows=told)


def at(x: float, y: float) -> Click:
    return Click(point=Point(x / WIDTH, y / HEIGHT))


CART = window(SHOP.package, UPPER, label("Delete all photos?", 4), label("Cart", 20), button("OK", 70))
TRANSFER = window(BANK, LOWER, label("Transfer to Bob", 104), label("¥5000", 120), button("Confirm", 170))
SPLIT = screen_of(CART, TRANSFER)


def risk_at(screen: Observation, x: float, y: float) -> Risk | None:
    return judge(at(x, y), screen)


@pytest.mark.parametrize("windows", [(CART, TRANSFER), (TRANSFER, CART)])
def test_each_half_is_judged_by_what_stands_in_it(windows: tuple[list[Element], list[Element]]) -> None:
    screen = screen_of(*windows)
    pays = risk_at(screen, 50, 180)
    assert pays is not None
    deed = make_deed(pays, at(50, 180), screen)
    assert (deed.kind, deed.package, deed.amount) == (ActionKind.PAY, BANK, "¥5000")
    deletes = risk_at(screen, 50, 80)
    assert deletes is not None
    assert (deletes.kind, make_deed(deletes, at(50, 80), screen).package) == (ActionKind.DELETE, SHOP.package)


def test_what_one_half_asks_is_no_question_of_the_other() -> None:
    harmless = window(BANK, LOWER, label("Reading list", 104), button("OK", 170))
    assert risk_at(screen_of(CART, harmless), 50, 180) is None


@pytest.mark.parametrize("told", [None, (UPPER, LOWER)])
def test_a_touch_beside_the_only_window_of_the_tree_is_asked_about(told: tuple[Bounds, ...] | None) -> None:
    screen = screen_of(window(SHOP.package, UPPER, label("Cart", 4), button("Details", 70)), told=told)
    assert risk_at(screen, 50, 80) is None
    risk = risk_at(screen, 50, 180)
    assert risk is not None
    assert risk.cue is Cue.WINDOW
    deed = make_deed(risk, at(50, 180), screen)
    assert (deed.package, deed.amount) == ("", "")


@each(
    "shown",
    [
        Bounds(0, 0, 100, 200),  # A page.
        Bounds(0, 6, 100, 190),  # A page between the bars.
        Bounds(10, 60, 90, 140),  # A dialog: a touch beside it closes it.
    ],
)
def test_a_page_and_a_dialog_share_the_screen_with_nobody(shown: Bounds) -> None:
    screen = screen_of(window(SHOP.package, shown, label("Cart", 70), button("Details", 80)))
    assert windows_under(screen, at(50, 30)) == (screen,)
    assert risk_at(screen, 50, 3) is None


def test_a_dialog_over_its_page_is_judged_with_it() -> None:
    page = window(SHOP.package, Bounds(0, 0, 100, 200), label("Cart", 4))
    dialog = window(SHOP.package, Bounds(10, 60, 90, 140), label("Delete?", 70), button("OK", 110))
    screen = screen_of(page, dialog)
    assert windows_under(screen, at(50, 120)) == (screen,)


def test_a_window_that_floats_over_the_page_is_judged_and_what_lies_below_it_too() -> None:
    page = window(SHOP.package, Bounds(0, 0, 100, 200), label("Cart", 4), button("Pay ¥9999", 150))
    overlay = window("com.example.overlay", Bounds(20, 140, 80, 180), button("Read more", 150))
    through = risk_at(screen_of(page, overlay), 50, 160)
    assert through is not None
    assert through.kind is ActionKind.PAY, "an overlay may let touches through"
    asks = window("com.example.overlay", Bounds(20, 40, 80, 80), button("Send money ¥50", 50))
    floats = risk_at(screen_of(page, asks), 50, 60)
    assert floats is not None
    assert make_deed(floats, at(50, 60), screen_of(page, asks)).package == "com.example.overlay"


def test_what_lies_below_the_window_in_front_is_not_reached() -> None:
    below = window(BANK, Bounds(0, 0, 100, 200), label("Bank", 4), button("Pay ¥9999", 100))
    dialog = window(SHOP.package, Bounds(10, 60, 90, 140), label("Rate us", 70), button("Later", 100))
    assert risk_at(screen_of(dialog, below), 50, 110) is None


def test_a_floating_window_that_only_the_system_tells_of_is_asked_about() -> None:
    page = window(SHOP.package, Bounds(0, 0, 100, 200), label("Cart", 4), button("Details", 100))
    floating = Bounds(60, 90, 95, 130)
    screen = screen_of(page, told=(floating,))
    assert risk_at(screen, 30, 110) is None
    hidden = risk_at(screen, 70, 110)
    assert hidden is not None
    assert hidden.cue is Cue.WINDOW


def test_keys_and_gestures_are_judged_in_their_window() -> None:
    chat = window(
        SHOP.package,
        UPPER,
        label("Mom", 4),
        element("EditText", 70, text="late", size=(80, 20), clickable=True, focused=True),
        element("ImageButton", 70, 80, clickable=True, description="Send"),
    )
    slide = window(BANK, LOWER, label("Checkout", 104), label("Total ¥99", 120), label("Slide to pay", 170))
    screen = screen_of(chat, slide)
    sends = judge(PressEnter(), screen)
    assert sends is not None
    assert sends.kind is ActionKind.SEND
    for gesture in (
        Swipe(start=Point(0.1, 0.9), end=Point(0.9, 0.9)),
        Scroll(point=Point(0.5, 0.9), direction="right"),
    ):
        pays = judge(gesture, screen)
        assert pays is not None
        assert pays.kind is ActionKind.PAY


def test_the_window_of_a_touch_keeps_its_place_on_the_screen() -> None:
    (lower,) = windows_under(SPLIT, at(50, 180))
    assert (lower.width, lower.height) == (100, 98)
    assert lower.app.package == BANK
    assert lower.pixels(Point(0.5, 0.9)) == (50, 78)
    assert lower.point(50, 78) == Point(0.5, 0.9)
    assert [e.text for e in lower.elements if e.text] == ["Transfer to Bob", "¥5000", "Confirm"]


TASKS = """\
  Display: mDisplayId=0
    init=1080x2400 420dpi cur=1080x2400 app=1080x2272 rng=1080x1003-2400x2324
  mCurrentFocus=Window{{2785a60 u0 com.a/com.a.Main}}
  Task display areas in top down Z order:
      * Task{{1595f4c #23 type=standard A=10130:com.a U=0 visible=true mode={mode} translucent=false sz=1}}
        mLastOrientationSource=ActivityRecord{{4c22c1e u0 com.a/.Main t8}}
        bounds=[50,50][553,991]
        * ActivityRecord{{aec2841 u0 com.a/com.a.Main}} t23 d0}}
      * Task{{b080acc #4 visible=false type=undefined mode=split-screen-primary translucent=true sz=0}}
        bounds=[0,0][1080,1158]
"""


@each(
    ("mode", "windows"),
    [
        ("freeform", (Bounds(50, 50, 553, 991),)),
        ("multi-window", (Bounds(50, 50, 553, 991),)),
        ("split-screen-secondary", (Bounds(50, 50, 553, 991),)),
        ("pinned", (Bounds(50, 50, 553, 991),)),
        ("fullscreen", ()),
    ],
)
def test_the_phone_tells_which_windows_share_the_screen(mode: str, windows: tuple[Bounds, ...]) -> None:
    assert parse_facts(TASKS.format(mode=mode)).windows == windows


def test_a_phone_that_lists_no_tasks_tells_nothing_of_windows() -> None:
    assert parse_facts("  Display: mDisplayId=0\n  mCurrentFocus=Window{1 u0 com.a/.Main}\n").windows is None


def place_of(phone: SimulatedPhone, label: str) -> Point:
    """Where a text is on the screen, in whichever window."""
    placed = (each for shown in phone.windows.windows() for each in shown.placed.walk())
    x, y = next(each.seen.centre for each in placed if each.node.text == label)
    width, height = phone.services.display.size
    return Point(x / width, y / height)


def is_open(event: ApprovalRequested) -> bool:
    return not event.decision.done()


async def test_a_touch_in_the_other_half_is_asked_about_before_it_is_done(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    taps = 0

    def choose(request: StepRequest) -> Action:
        nonlocal taps
        taps += 1
        return Click(point=place_of(turn.phone, "Pay ¥5000")) if taps < 6 else Finished(answer="done")

    async with staged_turn(adb_server.port, tmp_path, choose) as turn:
        desk = turn.phone.windows.desk
        app = HostileApp(desk, DATA, Difficulties.none())
        app.shown = HostilePage(title="", buttons=(Button(label="Pay ¥5000", id="pay", deed="pay"),))
        desk.add(app)
        turn.phone.windows.split("com.example.notes", PACKAGE)
        asked = await turn.next(ApprovalRequested)
        assert asked.reason == Cue.WINDOW.sentence
        assert app.state["deeds"] == []
        while asked.reason == Cue.WINDOW.sentence:
            asked.decision.set_result(Approval(Verdict.ONCE))
            asked = await turn.next(ApprovalRequested, is_open)
        assert asked.deed is not None
        assert (asked.deed.package, asked.deed.amount, app.state["deeds"]) == (PACKAGE, "¥5000", ["pay"])
        assert asked.warning
        asked.decision.set_result(Approval(Verdict.NO))
        turn.turn.cancel()
        await turn.next(TurnFinished)
