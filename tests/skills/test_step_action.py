"""The way back to the page on which an app started, before a skill is repeated in it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from assistant.bench.harness import START, LocalPhone, carry_out, open_local_phone, started
from assistant.engine import Engine
from assistant.events import Approval, ApprovalRequested, Event, StepFinished, TurnFinished, Verdict
from assistant.phone.ui_tree import parse_tree
from assistant.records import ForegroundApp, Observation, OpenApp, Outcome, Point, PressBack, Source
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.skills.matcher import TargetRefused
from assistant.skills.screen_tree import tree_of
from assistant.skills.step_action import MAX_BACKS, StartPageReturn, find_value
from assistant.skills.template import SkillStep
from tests.skills.screens import dialog, listing, node, row
from tests.worlds import DENSITY, SIZE

OPENING = SkillStep(action=OpenApp(name="Eats"))
ANEW = OpenApp(name="Eats", anew=True)


def seen(xml: str, package: str = "com.shop") -> Observation:
    elements = parse_tree(xml.encode()).elements
    return Observation(1000, 2000, b"", elements, ForegroundApp(package, ".Page", "Eats"))


def field(text: str) -> str:
    return node("EditText", (0, 300, 1000, 400), text=text, name="words").replace(
        "<node", '<node focused="true"', 1
    )


FIRST = seen(listing(row(0, "Rice"), title="Menu"))
DONE = seen(listing(row(0, "Rice"), title="Ordered"))


def test_back_is_pressed_while_it_leads_on_and_then_the_app_is_started_anew_once() -> None:
    way = StartPageReturn(OPENING)
    pages = [seen(listing(row(0, f"Dish {number}"))) for number in range(MAX_BACKS)]
    assert [way.next_action(FIRST, page, ()) for page in pages] == [PressBack()] * MAX_BACKS
    assert way.next_action(FIRST, DONE, ()) == ANEW
    assert way.next_action(FIRST, DONE, ()) is None


@pytest.mark.parametrize(
    ("rows", "is_opened"),
    [
        ((("Marathon", "a race"), ("Packing with one bag", "travel.example")), True),
        ((("Packing with one bag", "Sponsored · bags.example"), ("Marathon", "a race")), False),
        ((("Bags for packing", "广告 · bags.example"),), False),
        ((("Travel without packing", "travel.example"),), False),
        ((("Packing with one bag", "a"), ("Packing for two", "b")), False),
    ],
)
def test_of_what_a_search_found_the_only_row_that_names_the_value_and_is_not_advertised_is_opened(
    rows: tuple[tuple[str, str], ...], is_opened: bool
) -> None:
    recorded = seen(listing(row(0, "Abacus", "wiki.example"), title="Results"))
    shown = seen(listing(*(row(n, *texts) for n, texts in enumerate(rows)), title="Results"))
    point, trees = Point(0.3, 0.15), (tree_of(recorded), tree_of(shown))
    try:
        match = find_value(trees[0], point, trees[1], "abacus", "packing", says_more=True)
    except TargetRefused:
        assert not is_opened
    else:
        assert is_opened
        assert match.element.bounds.top == 400


def test_a_page_on_which_back_changes_nothing_is_left_by_a_new_start() -> None:
    way = StartPageReturn(OPENING)
    assert [way.next_action(FIRST, DONE, ()) for _time in range(2)] == [PressBack(), ANEW]


def test_a_page_that_could_commit_something_is_never_gone_back_through() -> None:
    pay = node("Button", (0, 1700, 1000, 1900), text="Pay ¥26", name="pay", tap=True)
    assert StartPageReturn(OPENING).next_action(FIRST, seen(listing(pay)), ()) == ANEW


@pytest.mark.parametrize("typed", [(), ("rice",)])
def test_a_page_that_holds_what_somebody_typed_is_left_only_if_a_turn_typed_it(
    typed: tuple[str, ...],
) -> None:
    action = StartPageReturn(OPENING).next_action(FIRST, seen(listing(field("Rice"))), typed)
    assert action == (PressBack() if typed else None)


def test_dialogs_screens_without_a_picture_and_other_apps_are_left_to_the_model() -> None:
    asks = f'<hierarchy rotation="0">{dialog("Continue the open order?")}</hierarchy>'
    over = listing(row(0, "Rice"), over=dialog("Rate this app?"))
    elsewhere = seen(listing(), "com.android.permissions")
    for page in (seen(asks), seen(over), replace(DONE, secure=True), elsewhere):
        assert StartPageReturn(OPENING).next_action(FIRST, page, ()) is None


def test_an_app_that_back_has_left_is_started_anew() -> None:
    way = StartPageReturn(OPENING)
    assert way.next_action(FIRST, DONE, ()) == PressBack()
    assert way.next_action(FIRST, seen(listing(title="Home"), "com.launcher"), ()) == ANEW


class Ordered:
    """One order by an engine of its own, which has learnt from it when it is closed."""

    def __init__(self) -> None:
        self.steps: list[StepFinished] = []
        self.finished: TurnFinished | None = None

    def take(self, event: Event) -> None:
        match event:
            case ApprovalRequested(decision=decision):
                decision.set_result(Approval(Verdict.ONCE))
            case StepFinished(error=""):
                self.steps.append(event)


async def order(local: LocalPhone, said: str) -> Ordered:
    ordered = Ordered()
    settings = local.settings.overridden({"turn": {"replay": True}, "memory": {"learning": True}})
    async with started(Engine(settings, now=lambda: datetime.now(START.tzinfo))) as engine:
        ordered.finished = await carry_out(engine, said, 120.0, ordered.take)
    return ordered


@pytest.mark.timeout(300)
async def test_two_orders_in_a_row_are_both_right_and_nothing_is_done_twice(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with open_local_phone(adb_server.port, tmp_path, SIZE, DENSITY) as local:
        first = await order(local, "order beef noodles from Old Street Noodles")
        second = await order(local, "order mapo tofu rice from Grandma's Kitchen")
        apps = local.phone.state()["apps"]
    for ordered in (first, second):
        assert ordered.finished is not None
        assert ordered.finished.outcome is Outcome.SUCCESS
    orders = [[item["name"] for item in each["items"]] for each in apps["com.example.eats"]["orders"]]
    assert sorted(orders) == [["Beef noodles"], ["Mapo tofu rice"]]
    actions = [step.action for step in second.steps if step.source is Source.REPLAYED]
    # Behind the confirmation lies the page that orders: Back does not go there.
    assert actions[:3] == [OpenApp(name="Eats"), PressBack(), ANEW]
    assert len(actions) > len(second.steps) / 2
