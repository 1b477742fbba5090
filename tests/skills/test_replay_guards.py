"""What a repetition does not do: pay on no evidence, take another value, submit what it did not type."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.agent.step import with_target
from assistant.events import ActionKind
from assistant.memory.store import Store
from assistant.memory.turns import StoredStep
from assistant.records import (
    Action,
    ClearText,
    Click,
    Finished,
    Observation,
    OpenApp,
    Outcome,
    Point,
    PressBack,
    PressEnter,
    Source,
    TakeOver,
    TypeText,
)
from assistant.skills.corrections import did_unasked
from assistant.skills.service import SkillMemory
from assistant.skills.storage import ReplayReport
from assistant.skills.template import SkillState
from tests.skills.recorded_turns import HOME, MENU, Order, learn_turn, on, page, screen
from tests.skills.screens import listing, node, row


def paying(dish: str) -> Observation:
    """The page that pays for a dish."""
    button = node("Button", (0, 1700, 1000, 1900), text="Pay now", name="pay", tap=True)
    return screen(listing(row(0, dish, ""), button), ".Pay")


def learnt_payment(store: Store, skills: SkillMemory) -> None:
    """A turn that chose a dish and paid for it."""
    seen: list[tuple[Action, Observation]] = [
        (on(1), screen(MENU)),
        (Click(point=Point(0.5, 0.9)), paying("Soup")),
        (Finished(), screen(page("Paid"), ".Paid")),
    ]
    learn_turn(store, skills, "order Soup on Eats", seen)


@pytest.mark.parametrize(
    ("changes", "shown", "asks", "proposed"),
    [
        ({}, "Tea", True, True),
        ({}, "Tea", False, False),
        ({}, "Cake", True, False),
        ({"repairs": 1}, "Tea", True, False),
        ({"claimed": True}, "Tea", True, False),
        ({"confirmed": (0,)}, "Tea", True, False),
        ({"confirmed": (1,)}, "Tea", True, False),
    ],
)
def test_a_sensitive_step_is_repeated_on_probation_once_a_turn_confirmed_all_that_led_there(
    store: Store, skills: SkillMemory, changes: dict[str, Any], shown: str, asks: bool, proposed: bool
) -> None:
    learnt_payment(store, skills)
    (template,) = skills.repository.all()
    report = ReplayReport(skill_id=template.id, replayed=1, confirmed=(0, 1)).model_copy(update=changes)
    skills.learn("turn-2", Outcome.SUCCESS, report)
    assert skills.repository.all()[0].state is SkillState.PROBATION
    order = Order(skills, "order Tea on Eats")
    order.replay(screen(MENU))
    proposal = order.propose(paying(shown), lambda action: asks)
    assert (proposal is not None and proposal.action is not None) is proposed


@pytest.mark.parametrize(("shown", "repairs"), [(paying("Tea"), 0), (screen(MENU), 1)])
def test_putting_the_keyboard_away_sets_nothing_right(
    store: Store, skills: SkillMemory, shown: Observation, repairs: int
) -> None:
    learnt_payment(store, skills)
    order = Order(skills, "order Tea on Eats")
    order.replay(screen(MENU))
    order.propose(paying("Tea"))
    order.did(PressBack(), Source.MODEL)
    order.propose(shown)
    assert skills.actions.report("now").repairs == repairs


def focused_field(name: str, text: str = "", shown: str = "") -> Observation:
    """A form with one field that has the focus, and what was entered before."""
    entry = node("EditText", (0, 300, 1000, 500), text=text, name=name, tap=True)
    before = node("TextView", (0, 600, 1000, 700), text=shown, name="entered")
    return screen(
        listing(entry.replace("enabled=", 'focused="true" enabled='), before, title=name), f".{name}"
    )


def people(*names: str) -> Observation:
    return screen(listing(*(row(place, name) for place, name in enumerate(names)), title="People"), ".People")


def learnt_transfer(store: Store, skills: SkillMemory) -> None:
    """A turn that chose a payee and typed an amount and what it is for."""
    said = "send 20 to Mom for rice on Eats"
    seen: list[tuple[Action, Observation]] = [
        (on(0), people("Mom", "Dad", "Ann")),
        (TypeText(text="20"), focused_field("Amount")),
        (TypeText(text="rice"), focused_field("Note", shown="20")),
        (Finished(), screen(page("Ready"), ".Ready")),
    ]
    learn_turn(store, skills, said, seen)


def used(action: Action | None) -> str:
    """The value that a step uses: what it types, or the title of the row that it taps."""
    if isinstance(action, TypeText):
        return action.text
    return action.content.split(" · ")[0] if isinstance(action, Click) else ""


@pytest.mark.parametrize(
    ("amount", "to", "item"),
    [("35", "Dad", "tea"), ("20", "Dad", "rice"), ("35", "Mom", "rice"), ("20", "Mom", "soup with noodles")],
)
def test_payee_amount_and_item_are_those_of_the_command(
    store: Store, skills: SkillMemory, amount: str, to: str, item: str
) -> None:
    learnt_transfer(store, skills)
    order = Order(skills, f"send {amount} to {to} for {item} on Eats")
    values = []
    # The list stands in another order, and the recorded payee is on it.
    note = focused_field("Note", shown=amount)
    for observation in (people("Ann", "Mom", "Dad"), focused_field("Amount"), note):
        proposal = order.propose(observation)
        assert proposal is not None
        assert proposal.action is not None
        values.append(used(proposal.action))
        order.did(with_target(proposal.action, observation))
    assert values == [to, amount, item]


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (("Mom", "Ann"), "send 35 to Dad for tea on Eats"),
        (("Mom", "Daddy", "Ann"), "send 35 to Dad for tea on Eats"),
        (("Mom", "Dad", "Dad"), "send 35 to Dad for tea on Eats"),
    ],
    ids=["is not there", "only a longer name", "is there twice"],
)
def test_a_payee_who_is_not_clearly_there_is_never_replaced_by_the_recorded_one(
    store: Store, skills: SkillMemory, there: tuple[str, ...], said: str
) -> None:
    learnt_transfer(store, skills)
    proposal = Order(skills, said).propose(people(*there))
    assert proposal is None or proposal.action is None


def test_a_field_that_holds_another_amount_is_not_typed_into(store: Store, skills: SkillMemory) -> None:
    learnt_transfer(store, skills)
    order = Order(skills, "send 35 to Dad for tea on Eats")
    order.replay(people("Mom", "Dad", "Ann"))
    proposal = order.propose(focused_field("Amount", "50"))
    assert proposal is not None
    assert proposal.action is None


def search(text: str, focused: bool = True) -> Observation:
    """A search page whose field holds this text, and has the focus."""
    entry = node("EditText", (0, 300, 1000, 500), text=text, name="words", tap=True, focused=focused)
    return screen(listing(entry, title="Search"), ".Search")


@pytest.mark.parametrize(("held", "submits"), [("tea", True), ("soup tea", False), ("teapot", False)])
def test_enter_is_left_to_the_model_where_the_field_holds_something_else_than_was_to_be_typed(
    store: Store, skills: SkillMemory, held: str, submits: bool
) -> None:
    seen: list[tuple[Action, Observation]] = [
        (TypeText(text="rice"), search("")),
        (PressEnter(), search("rice")),
        (Finished(), screen(page("rice"), ".Results")),
    ]
    learn_turn(store, skills, "search Eats for rice", seen)
    order = Order(skills, "search Eats for tea")
    order.propose(search("soup"))
    order.did(TypeText(text="tea"), Source.MODEL)
    proposal = order.propose(search(held))
    action = proposal.action if proposal is not None else None
    assert isinstance(action, PressEnter) is submits


@pytest.mark.parametrize(("held", "clears"), [("soup", True), ("a letter to Ann", False)])
def test_what_an_earlier_turn_typed_is_cleared_and_what_somebody_wrote_is_not(
    store: Store, skills: SkillMemory, held: str, clears: bool
) -> None:
    seen: list[tuple[Action, Observation]] = [
        (TypeText(text="soup"), search("")),
        (PressEnter(), search("soup")),
        (Finished(), screen(page("soup"), ".Results")),
    ]
    learn_turn(store, skills, "search Eats for soup", seen)
    order = Order(skills, "search Eats for tea")
    proposal = order.propose(search(held))
    action = proposal.action if proposal is not None else None
    assert isinstance(action, ClearText) is clears
    if clears:
        order.did(ClearText())
        assert not isinstance(getattr(order.propose(search(held)), "action", None), ClearText | TypeText)
        order.replay(search(""), search("tea"))
        assert [step.action.type for step in order.turn.steps] == ["clear", "type", "press_enter"]


def test_a_field_that_is_ready_is_neither_tapped_nor_emptied(store: Store, skills: SkillMemory) -> None:
    seen: list[tuple[Action, Observation]] = [
        (Click(point=Point(0.5, 0.2)), search("soup", focused=False)),
        (TypeText(text="rice"), search("soup")),
        (ClearText(), search("souprice")),
        (TypeText(text="rice"), search("")),
        (PressEnter(), search("rice")),
        (Finished(), screen(page("rice"), ".Results")),
    ]
    learn_turn(store, skills, "search Eats for rice", seen)
    (template,) = skills.repository.all()
    words = ["tap “soup”", "empty the field", "type “{item}”", "press enter"]
    assert [step.words() for step in template.steps] == words
    proposal = Order(skills, "search Eats for tea").propose(search(""))
    assert proposal is not None
    assert isinstance(proposal.action, TypeText)
    assert proposal.action.text == "tea"


@pytest.mark.parametrize("is_part", [False, True])
@pytest.mark.parametrize("in_front", [True, False])
def test_a_skill_that_begins_within_an_app_opens_it_first(
    store: Store, skills: SkillMemory, in_front: bool, is_part: bool
) -> None:
    seen: list[tuple[Action, Observation]] = [
        (on(1), screen(MENU)),
        (Finished(), screen(page("Soup"), ".Dish")),
    ]
    learn_turn(store, skills, "order Soup on Eats", seen)
    order = Order(skills, "order Tea on Eats")
    if is_part:
        (template,) = skills.repository.all()
        skills.actions.prepare("now", template, {"item": "Tea"}, 1, 1)
    if not in_front:
        first = order.propose(screen(page("Rice"), ".Dish"))
        assert first is not None
        assert first.action == OpenApp(name="Eats")
        order.did(first.action)
    tap = order.propose(screen(MENU))
    assert tap is not None
    assert isinstance(tap.action, Click)
    assert tap.action.content.startswith("Tea")
    order.did(tap.action)
    order.propose(screen(page("Tea"), ".Dish"))
    assert skills.actions.report("now").confirmed == (0,)


def test_the_row_of_whom_an_order_was_about_is_not_tapped_for_another(
    store: Store, skills: SkillMemory
) -> None:
    def people(text: str = "") -> Observation:
        search = node("EditText", (0, 0, 1000, 150), text=text, name="search", tap=True, focused=True)
        return screen(listing(row(0, "Doctor Gao"), row(1, "Zhang Min"), over=search))

    way: list[tuple[Action, Observation]] = [
        (OpenApp(name="Eats"), screen(HOME, ".Home")),
        (TypeText(text="dr gao"), people()),
        (on(0), people("dr gao")),
        (Finished(), screen(page("Doctor Gao"), ".Dish")),
    ]
    learn_turn(store, skills, "call dr gao", way)
    (template,) = skills.repository.all()
    assert template.plan[-1] == "tap “Doctor Gao”", "the row says otherwise than the order"
    for who, taps in (("dr gao", True), ("Zhang Min", False)):
        order = Order(skills, f"call {who}")
        order.replay(screen(HOME, ".Home"), people())
        proposal = order.propose(people(who))
        assert (proposal is not None and isinstance(proposal.action, Click)) is taps, who
        skills.actions = skills.new_actions()


def joining(network: str, entered: str = "") -> Observation:
    """The page of a network that asks for its password."""
    field = node("EditText", (0, 300, 1000, 500), text=entered, name="password", focused=True)
    button = node("Button", (0, 1700, 1000, 1900), text="Connect", name="connect", tap=True)
    xml = listing(field, button, title=network).replace('focused="true"', 'focused="true" password="true"')
    return screen(xml, ".Join")


def learnt_network(store: Store, skills: SkillMemory) -> None:
    """A turn that chose a network, whose password the user entered by hand."""
    seen: list[tuple[Action, Observation]] = [
        (on(1), screen(MENU)),
        (TypeText(text=""), joining("Soup")),
        (Click(point=Point(0.5, 0.9)), joining("Soup", "•••")),
        (Finished(), screen(page("Joined"), ".Joined")),
    ]
    learn_turn(store, skills, "join Soup on Eats", seen, {2: ActionKind.PASSWORD})


@pytest.mark.parametrize("is_seen", [True, False])
def test_a_password_is_handed_over_and_the_repetition_goes_on_behind_it(
    store: Store, skills: SkillMemory, is_seen: bool
) -> None:
    learnt_network(store, skills)
    order = Order(skills, "join Tea on Eats")
    order.replay(screen(MENU))
    proposal = order.propose(joining("Tea"))
    assert proposal is not None
    assert isinstance(proposal.action, TakeOver)
    order.did(proposal.action)
    if is_seen:
        order.did(TypeText(text=""), Source.USER, kind=ActionKind.PASSWORD)
    proposal = order.propose(joining("Tea", "•••"))
    assert proposal is not None
    assert isinstance(proposal.action, Click)
    order.did(with_target(proposal.action, joining("Tea", "•••")))
    order.propose(screen(page("Joined"), ".Joined"))
    report = skills.actions.report("now")
    assert (report.corrected, report.divergences) == (False, 0)


def test_the_password_is_not_passed_by_where_the_page_asks_for_it(store: Store, skills: SkillMemory) -> None:
    """Another hand that the turn did not ask for is still a correction."""
    learnt_network(store, skills)
    order = Order(skills, "join Tea on Eats")
    order.replay(screen(MENU))
    order.did(on(0), Source.USER)
    assert order.propose(joining("Rice")) is None
    assert skills.actions.report("now").corrected


def test_what_the_user_was_asked_to_do_is_no_correction() -> None:
    def step(action: Action, source: Source, kind: ActionKind | None = None) -> StoredStep:
        return StoredStep(number=1, action=action, source=source, kind=kind)

    asks, by_hand = step(TakeOver(), Source.MODEL), step(on(0), Source.USER)
    entered = step(TypeText(text=""), Source.USER, ActionKind.PASSWORD)
    unseen = step(TypeText(text=""), Source.USER)
    assert not did_unasked([asks, by_hand, entered])
    assert not did_unasked([step(on(0), Source.MODEL), entered])
    assert did_unasked([asks, by_hand, step(on(0), Source.MODEL), by_hand])
    assert did_unasked([unseen])


BASKET, CHECKOUT = screen(listing(row(0, "1 dish", ""), title="Basket"), ".Basket"), ".Checkout"


def dish_page(*buttons: tuple[str, str]) -> Observation:
    """The page of a dish with buttons, each by its name and what it says."""
    cells = [
        node("Button", (0, 1500 + 150 * place, 1000, 1650 + 150 * place), text=text, name=name, tap=True)
        for place, (name, text) in enumerate(buttons)
    ]
    return screen(listing(row(0, "Noodles", ""), *cells, title="Dish"), ".Dish")


def tap_on(page: Observation, text: str) -> Click:
    element = next(element for element in page.elements if element.text == text)
    x, y = element.bounds.centre
    return Click(point=Point(x / page.width, y / page.height))


@pytest.mark.parametrize(
    ("buttons", "tapped", "goes_on"),
    [
        ((("cart", "Open basket"), ("add", "Put in basket")), "Put in basket", True),
        ((("cart", "Open basket"), ("add", "Put in basket")), "Open basket", False),
        ((("cart", "Open basket"), ("put", "Put in basket")), "Put in basket", False),
    ],
    ids=["renamed", "another button that leads there", "no certain one"],
)
def test_a_button_of_another_name_that_the_model_tapped_is_the_step_if_its_id_and_pages_are(
    store: Store, skills: SkillMemory, buttons: tuple[tuple[str, str], ...], tapped: str, *, goes_on: bool
) -> None:
    before = dish_page(("cart", "Open basket"), ("add", "Add to basket"))
    way: list[tuple[Action, Observation]] = [
        (OpenApp(name="Eats"), screen(HOME, ".Home")),
        (tap_on(before, "Add to basket"), before),
        (on(0), BASKET),
        (Finished(), screen(page("Done"), CHECKOUT)),
    ]
    learn_turn(store, skills, "order noodles on Eats", way)
    order = Order(skills, "order noodles on Eats")
    order.replay(screen(HOME, ".Home"))
    now = dish_page(*buttons)
    asked = order.propose(now)
    assert asked is None or asked.action is None, "nothing is clearly the target"
    order.did(with_target(tap_on(now, tapped), now), Source.MODEL)
    proposal = order.propose(BASKET)
    assert (proposal is not None and isinstance(proposal.action, Click)) is goes_on
    assert skills.actions.report("now").repairs == 1
