"""Recorded steps on other screens: targets, ends, written steps after a turn, the way to the start page."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from assistant.bench.harness import START, LocalPhone, carry_out, open_local_phone, started
from assistant.engine import Engine
from assistant.events import Approval, ApprovalRequested, Event, StepFinished, TurnFinished, Verdict
from assistant.memory.turns import StoredStep, Trace
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
    Target,
)
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.skills.corrections import with_screens_of
from assistant.skills.matcher import TargetRefused
from assistant.skills.screen_tree import tree_of
from assistant.skills.skill_step import SkillStep
from assistant.skills.slots import Pattern, Slot
from assistant.skills.step_action import (
    MAX_BACKS,
    StartPageReturn,
    action_on_screen,
    find_target,
    find_value,
    says_as_before,
)
from assistant.skills.template import SkillSource, SkillTemplate, learn_template, opening
from tests.skills.screens import dialog, listing, node, row
from tests.tables import each
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


@each(
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
        match = find_value(trees[0], point, trees[1], "abacus", "packing", "packing")
    except TargetRefused:
        assert not is_opened
    else:
        assert is_opened
        assert match.element.bounds.top == 400


def test_a_result_of_a_longer_title_is_told_by_the_value_alone() -> None:
    recorded = tree_of(seen(listing(row(0, "Dumplings that do not break", "cook.example"), title="Results")))
    shown = tree_of(seen(listing(row(0, "Congee for cold mornings", "cook.example"), title="Results")))
    texts = ("Dumplings that do not break", "Congee that do not break")
    assert find_value(recorded, Point(0.3, 0.15), shown, *texts, "congee").element.bounds.top == 200
    with pytest.raises(TargetRefused):
        find_value(recorded, Point(0.3, 0.15), shown, *texts)


SHOPS = [("Old Street", "Beef noodles ¥26"), ("Old Street Bar", "Beef noodles ¥31"), ("Hand Noodles", "¥20")]


@each(
    ("rows", "top"),
    [
        ([("Express", "Ad"), ("Old Street", "Pork noodles ¥20")], 400),
        ([("Express", "Ad"), ("Old Street Bar", "Pork noodles ¥20")], None),
        ([("Old Street", "¥20"), ("Old Street", "¥30")], None),
    ],
)
def test_the_value_of_then_is_found_on_another_page_as_any_other_value(
    rows: list[tuple[str, str]], top: int | None
) -> None:
    recorded, shown = (seen(listing(*(row(n, *texts) for n, texts in enumerate(of)))) for of in (SHOPS, rows))
    point = Point(0.3, 0.15)
    step = SkillStep(action=Click(point=point), slot="shop", bound="Old Street", example="Old Street")
    match = find_target(step, point, {"shop": "Old Street"}, recorded, shown)
    assert (match.element.bounds.top if match is not None else None) == top


BAND = "Wang Yu Quartet and Six Friends"


def playing(song: str, *others: str) -> Observation:
    return seen(listing(row(0, song, others[0]), *(row(n, text, "") for n, text in enumerate(others[1:], 1))))


@each(
    ("now", "opened", "is_same"),
    [
        (
            playing("First Snow", BAND, "Playing"),
            f"First Snow · {BAND}",
            True,
        ),
        (playing("First Snow", BAND, "Playing"), "First Snow · 3:06", False),
        (
            playing("First Snow", BAND, "Sold out"),
            f"First Snow · {BAND}",
            False,
        ),
        (
            playing("Other Snow", BAND, "Playing"),
            f"First Snow · {BAND}",
            False,
        ),
    ],
)
def test_what_the_opened_row_said_may_differ_at_the_end(now: Observation, opened: str, is_same: bool) -> None:
    song = Slot(name="song", example="Slow Ferry")
    tap = Click(point=Point(0.3, 0.15), target=Target(text="Slow Ferry · The Old Tin Kites · 2:58"))
    step = SkillStep(action=tap, slot="song", bound="Slow Ferry", example="Slow Ferry")
    template = skill("play {song}", song, step).model_copy(update={"answer": "{song} plays."})
    last = playing("Slow Ferry", "The Old Tin Kites", "Playing")
    assert says_as_before(template, {"song": "First Snow"}, last, now, opened) is is_same


def skill(said: str, slot: Slot, *steps: SkillStep) -> SkillTemplate:
    return SkillTemplate(
        id="skill",
        user_id="me",
        name=said,
        pattern=Pattern(text=said, slots=(slot,)),
        steps=steps,
        package="com.shop",
        source=SkillSource.WRITTEN,
        made=START,
    )


def done(said: str, *steps: tuple[Action, Observation], last: Observation) -> Trace:
    """A turn of these actions, each on its screen."""
    screens = dict(enumerate((*(shown for _action, shown in steps), last), 1))
    stored = [
        StoredStep(
            number=number,
            action=action.model_copy(update={"target": shown.target_at(action.point)})
            if isinstance(action, Click)
            else action,
            app="Eats",
            package="com.shop",
        )
        for number, (action, shown) in enumerate(steps, 1)
    ]
    return Trace(
        turn_id="turn", user_id="me", instruction=said, started=START, steps=tuple(stored), screens=screens
    )


WRITTEN = Click(point=Point(0.5, 0.5), target=Target(resource_id="com.shop:id/row", text="{what}"))


@pytest.mark.parametrize(("title", "is_known"), [("Congee for cold mornings", True), ("Rice", False)])
def test_a_written_step_is_known_by_a_row_that_says_its_value_and_more(title: str, is_known: bool) -> None:
    step = SkillStep(action=WRITTEN, slot="what", bound="{what}", example="{what}")
    results, page = seen(listing(row(0, title), title="Results")), seen(listing(title=title))
    turn = done("look up congee", (Click(point=Point(0.3, 0.15)), results), last=page)
    template = with_screens_of(skill("look up {what}", Slot(name="what"), step), turn)
    assert (template.last_page is not None) is is_known
    assert template.steps[0].bound == (title if is_known else "{what}")


@pytest.mark.parametrize("now", ["Premium", "Economy"])
def test_a_choice_that_stood_when_a_written_step_tapped_it_is_tapped_where_it_does_not(now: str) -> None:
    def cars(on: str) -> Observation:
        names = ("Economy", "Premium")
        boxes = [
            node("CheckBox", (0, top, 1000, top + 200), text=name, name="row", tap=True, checked=name == on)
            for name, top in zip(names, (200, 400), strict=True)
        ]
        return seen(listing(*boxes, title="Cars"))

    step = SkillStep(action=WRITTEN, slot="what", bound="{what}", example="{what}")
    turn = done("call a economy car", (Click(point=Point(0.3, 0.15)), cars("Economy")), last=cars("Economy"))
    (known,) = with_screens_of(skill("call a {what} car", Slot(name="what"), step), turn).steps
    assert known.preset
    action = action_on_screen(known, {"what": "premium"}, cars("Economy"), cars(now))
    assert (action is not None) is (now == "Economy"), "tapped once more, a box would be off again"


def at(address: str) -> SkillStep:
    slot = {"slot": "what", "bound": "{what}", "example": "{what}"} if "{what}" in address else {}
    return SkillStep(action=OpenApp(name="Maps", at=address), **slot)


@each(
    ("address", "opened"),
    [
        ("geo:0,0?q={what}", "geo:0,0?q=Tea%20%26%20Co"),
        ("android.settings.WIFI_SETTINGS", "android.settings.WIFI_SETTINGS"),
        ("https://shop.example/find?q={what}", "https://shop.example/find?q=Tea%20%26%20Co"),
        ("https://shop.example/pay?q={what}", ""),
        ("paybox://pay/{what}", ""),
        ("sms:{what}", ""),
    ],
)
def test_an_address_is_opened_with_the_value_of_now_unless_it_may_do_more(address: str, opened: str) -> None:
    action = opening(at(address), {"what": "Tea & Co"}, FIRST)
    assert action == (OpenApp(name="Maps", at=opened) if opened else None)
    assert opening(at("geo:0,0?q={what}"), {}, FIRST) is None, "no value, no address"


def test_what_a_value_says_stays_a_part_of_the_address() -> None:
    action = opening(at("https://shop.example/find?q={what}"), {"what": "a&pay=1#x"}, FIRST)
    assert action == OpenApp(name="Maps", at="https://shop.example/find?q=a%26pay%3D1%23x")


def test_a_written_address_keeps_its_slot_and_gets_the_screen_it_led_to() -> None:
    home, results = seen(listing(title="Home"), "com.launcher"), seen(listing(row(0, "Congee")))
    shown = OpenApp(name="Maps", at="geo:0,0?q=congee")
    written = skill("look up {what}", Slot(name="what"), at("geo:0,0?q={what}"))
    (step,) = with_screens_of(written, done("look up congee", (shown, home), last=results)).steps
    assert step.action == OpenApp(name="Maps", at="geo:0,0?q={what}")
    assert step.after is not None


@each(
    ("said", "address", "learnt"),
    [
        ("look up congee", "geo:0,0?q=congee", "geo:0,0?q={item}"),
        ("look up that place", "geo:0,0?q=congee", None),
        ("turn on the wifi", "android.settings.WIFI_SETTINGS", "android.settings.WIFI_SETTINGS"),
    ],
)
def test_an_address_of_one_order_alone_is_not_learnt(said: str, address: str, learnt: str | None) -> None:
    home, results = seen(listing(title="Home"), "com.launcher"), seen(listing(row(0, "Congee"), title="All"))
    steps = ((OpenApp(name="Maps", at=address), home), (Click(point=Point(0.3, 0.15)), results))
    template = learn_template(done(said, *steps, last=seen(listing(title="Congee"))))
    opens = template.steps[0].action if template is not None else None
    assert (opens.at if isinstance(opens, OpenApp) else None) == learnt


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
