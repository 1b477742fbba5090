"""Learning from turns and replaying them, on screens written by hand."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from assistant.agent.step import with_target
from assistant.events import ActionKind
from assistant.memory.forgetting import forget
from assistant.memory.prototypes.terms import with_own_words
from assistant.memory.store import Store
from assistant.memory.turns import StoredStep, UserRemark
from assistant.records import (
    Action,
    Click,
    Direction,
    Finished,
    Observation,
    OpenApp,
    Outcome,
    Point,
    Scroll,
    Source,
)
from assistant.skills.service import SkillMemory
from assistant.skills.storage import ReplayReport
from assistant.skills.template import SkillState
from tests.skills.recorded_turns import (
    DISHES,
    HOME,
    MENU,
    NOW,
    Order,
    checkpoint,
    end,
    on,
    ordered,
    page,
    screen,
)
from tests.skills.screens import dialog, listing, node, row


def learnt(store: Store, skills: SkillMemory) -> Order:
    turn_id = ordered(store, 1, "order Soup on Eats", 1, "Soup")
    skills.learn(turn_id, Outcome.SUCCESS, ReplayReport())
    return Order(skills, "order Tea on Eats")


def test_one_turn_teaches_its_kind_and_is_replayed_with_another_value(
    store: Store, skills: SkillMemory
) -> None:
    order = learnt(store, skills)
    (template,) = skills.repository.all()
    assert (template.pattern.text, template.app) == ("order {item} on Eats", "Eats")
    first = order.propose(screen(HOME, ".Home"))
    assert first is not None
    assert first.action == OpenApp(name="Eats")
    order.did(OpenApp(name="Eats"))
    moved = listing(*(row(place, name) for place, name in enumerate(("New", "Tea", "Soup", "Rice"))))
    second = order.propose(screen(moved))
    assert second is not None
    assert isinstance(second.action, Click)
    assert (round(second.action.point.y * 2000), second.origin) == (500, "turn-1")
    order.did(second.action)
    last = order.propose(screen(page("Tea"), ".Dish"))
    assert last is not None
    assert last.action == Finished()
    assert order.skills.actions.report("now") == ReplayReport(
        skill_id=template.id, package="com.shop", matched=2, replayed=2, confirmed=(0, 1)
    )


def test_a_turn_that_begins_with_opening_an_app_is_told_before_its_screen_is_read(
    store: Store, skills: SkillMemory
) -> None:
    order = learnt(store, skills)
    assert asyncio.run(skills.actions.opens_app(order.turn))
    blank = replace(screen(HOME, ".Home"), elements=())
    first = order.propose(blank)
    assert first is not None
    assert first.action == OpenApp(name="Eats")
    order.did(OpenApp(name="Eats"))
    assert not asyncio.run(skills.actions.opens_app(order.turn))
    other = order.turn.model_copy(update={"turn_id": "other", "instruction": "sing a song", "steps": ()})
    assert not asyncio.run(skills.actions.opens_app(other))


def test_a_value_that_another_sub_task_finds_is_part_of_the_known_end(
    store: Store, skills: SkillMemory
) -> None:
    trusted(store, skills)
    order = Order(skills, "order {{a}} on Eats")
    first = order.propose(screen(HOME, ".Home"))
    assert first is not None
    order.did(OpenApp(name="Eats"))
    order.turn = order.turn.model_copy(update={"instruction": "order Tea on Eats"})
    order.replay(screen(MENU))
    last = order.propose(screen(page("Tea"), ".Dish"))
    assert last is not None
    assert isinstance(last.action, Finished)


def test_nothing_is_learnt_from_an_order_with_the_users_own_words(store: Store, skills: SkillMemory) -> None:
    guessed = with_own_words("order Soup on Eats", "hungry, the usual pls")
    assert skills.learn(ordered(store, 1, guessed, 1, "Soup"), Outcome.SUCCESS, ReplayReport()) is None
    assert not skills.repository.all()


def test_a_value_that_is_not_there_is_left_to_the_model(store: Store, skills: SkillMemory) -> None:
    learnt(store, skills)
    order = Order(skills, "order Cake on Eats")
    order.propose(screen(HOME, ".Home"))
    order.did(OpenApp(name="Eats"))
    proposal = order.propose(screen(MENU))
    assert proposal is not None
    assert proposal.action is None
    assert "tap “{item}”" in proposal.note


def test_another_page_than_before_is_noticed_and_replay_goes_on_behind_it(
    store: Store, skills: SkillMemory
) -> None:
    order = learnt(store, skills)
    order.propose(screen(HOME, ".Home"))
    order.did(OpenApp(name="Eats"))
    other = order.propose(screen(listing(over=dialog("Rate this app?")), ".Rating"))
    assert other is not None
    assert other.action is None
    assert "another page than" in other.note
    order.did(Click(point=Point(0.3, 0.3)), Source.MODEL)
    again = order.propose(screen(MENU))
    assert again is not None
    assert isinstance(again.action, Click)


def test_a_step_that_was_not_performed_is_told_to_the_model(store: Store, skills: SkillMemory) -> None:
    order = learnt(store, skills)
    order.propose(screen(HOME, ".Home"))
    order.did(OpenApp(name="Eats"), error="the app does not open")
    proposal = order.propose(screen(MENU))
    assert proposal is not None
    assert proposal.action is None
    assert "was not performed: the app does not open" in proposal.note


def test_what_the_user_says_ends_the_replay(store: Store, skills: SkillMemory) -> None:
    order = learnt(store, skills)
    order.propose(screen(HOME, ".Home"))
    order.did(OpenApp(name="Eats"))
    order.turn = order.turn.model_copy(update={"remarks": (UserRemark(after=1, text="not that"),)})
    assert order.propose(screen(MENU)) is None


def trusted(store: Store, skills: SkillMemory, dishes: tuple[int, ...] = (0, 2, 0), said: str = "") -> None:
    """Three turns that used the skill and ended well, each with an answer."""
    skills.note_end(ordered(store, 1, "order Soup on Eats", 1, "Soup"), Outcome.SUCCESS, "Soup is ordered.")
    (template,) = skills.learn_waiting()
    for number, place in enumerate(dishes, 2):
        dish = DISHES[place]
        turn_id = ordered(store, number, f"order {dish} on Eats", place, dish)
        report = ReplayReport(skill_id=template.id, replayed=2, answer=said or f"{dish} is ordered.")
        skills.learn(turn_id, Outcome.SUCCESS, report)


def test_a_trusted_skill_reports_its_known_end_itself(store: Store, skills: SkillMemory) -> None:
    trusted(store, skills)
    order = Order(skills, "order Tea on Eats")
    order.replay(screen(HOME, ".Home"), screen(MENU))
    end = order.propose(screen(page("Tea"), ".Dish"))
    assert end is not None
    assert end.action == Finished(answer="Tea is ordered.")
    assert skills.actions.report("now").claimed


def test_an_end_that_shows_another_value_is_left_to_the_model(store: Store, skills: SkillMemory) -> None:
    trusted(store, skills)
    order = Order(skills, "order Tea on Eats")
    order.replay(screen(HOME, ".Home"), screen(MENU))
    end = order.propose(screen(page("Rice"), ".Dish"))
    assert end is None or end.action is None


def test_an_answer_that_was_read_from_the_screen_is_read_again(store: Store, skills: SkillMemory) -> None:
    trusted(store, skills, said="It comes in 25 minutes.")
    order = Order(skills, "order Tea on Eats")
    order.replay(screen(HOME, ".Home"), screen(MENU))
    end = order.propose(screen(page("Tea"), ".Dish"))
    assert end is None or end.action is None


@pytest.mark.parametrize(("shown", "reports"), [("Tea", True), ("Rice", False)])
def test_on_probation_an_end_is_reported_only_for_the_model_to_look(
    store: Store, skills: SkillMemory, shown: str, reports: bool
) -> None:
    trusted(store, skills, dishes=())
    order = Order(skills, "order Tea on Eats")
    order.replay(screen(HOME, ".Home"), screen(MENU))
    end = order.propose(screen(page(shown), ".Dish"))
    assert end is not None
    assert (end.action == Finished()) is reports
    assert end.needs_look is reports
    assert not skills.actions.report("now").claimed


def test_on_probation_the_model_takes_the_first_sensitive_step_and_those_that_belong_to_it_follow(
    store: Store, skills: SkillMemory
) -> None:
    pages = [
        screen(listing(node("Button", (0, 1700, 1000, 1900), text=words, name="go", tap=True)), activity)
        for words, activity in (("Place order", ".Order"), ("Pay now", ".Pay"))
    ]
    taps = [
        Click(point=Point(0.5, 0.9), target=seen.target_at(Point(0.5, 0.9)), content=words)
        for seen, words in zip(pages, ("Place order", "Pay now"), strict=True)
    ]
    turn = checkpoint("turn-1", "pay the bill on Eats", [])
    store.turns.save(turn)
    for number, seen in enumerate((*pages, screen(page("Paid"), ".Paid")), 1):
        store.turns.observe("turn-1", number, seen)
    steps = [
        StoredStep(number=number, action=action, app="Eats", package="com.shop")
        for number, action in enumerate(taps, 1)
    ]
    end(store, checkpoint("turn-1", "pay the bill on Eats", steps))
    skills.learn("turn-1", Outcome.SUCCESS, ReplayReport())
    order = Order(skills, "pay the bill on Eats")
    first = order.propose(pages[0], lambda action: True)
    assert first is None or first.action is None
    order.did(taps[0], Source.MODEL, kind=ActionKind.PAY)
    unasked = order.propose(pages[1], lambda action: False)
    assert unasked is None or unasked.action is None
    second = order.propose(pages[1], lambda action: True)
    assert second is not None
    assert isinstance(second.action, Click)


def test_a_sensitive_step_that_the_plan_does_not_have_lets_none_follow(
    store: Store, skills: SkillMemory
) -> None:
    seen = screen(
        listing(
            node("Button", (0, 1700, 500, 1900), text="Pay now", name="pay", tap=True),
            node("Button", (500, 1700, 1000, 1900), text="Delete order", name="delete", tap=True),
        ),
        ".Order",
    )
    pay = Click(point=Point(0.25, 0.9), target=seen.target_at(Point(0.25, 0.9)))
    other = Click(point=Point(0.75, 0.9), target=seen.target_at(Point(0.75, 0.9)))
    store.turns.save(checkpoint("turn-1", "pay the bill on Eats", []))
    store.turns.observe("turn-1", 1, seen)
    steps = [StoredStep(number=1, action=pay, app="Eats", package="com.shop")]
    end(store, checkpoint("turn-1", "pay the bill on Eats", steps))
    skills.learn("turn-1", Outcome.SUCCESS, ReplayReport())
    order = Order(skills, "pay the bill on Eats")
    order.propose(seen, lambda action: True)
    order.did(other, Source.MODEL, kind=ActionKind.DELETE)
    after = order.propose(seen, lambda action: True)
    assert after is None or after.action is None


def choose_day(store: Store, skills: SkillMemory, label: str) -> None:
    """A turn that chose a day in a list, learnt."""
    days = listing(row(0, label, ""))
    store.turns.save(checkpoint("turn-1", "show me tomorrow on Eats", []))
    tap = on(0).model_copy(update={"target": screen(days).target_at(on(0).point), "content": label})
    steps = []
    for count, (action, seen) in enumerate(((tap, screen(days)), (Finished(), screen(page("x"), ".Day"))), 1):
        steps.append(StoredStep(number=count, action=action, app="Eats", package="com.shop"))
        store.turns.observe("turn-1", count, seen)
    end(store, checkpoint("turn-1", "show me tomorrow on Eats", steps))
    skills.learn("turn-1", Outcome.SUCCESS, ReplayReport())


@pytest.mark.parametrize(
    ("label", "later", "proposed"), [("2026-03-11", 0, True), ("2026-03-11", 1, False), ("Tomorrow", 1, True)]
)
def test_a_date_that_was_not_said_holds_on_the_same_day(
    store: Store, skills: SkillMemory, label: str, later: int, proposed: bool
) -> None:
    choose_day(store, skills, label)
    order = Order(skills, "show me tomorrow on Eats")
    order.turn = order.turn.model_copy(update={"started": NOW + timedelta(days=later)})
    proposal = order.propose(screen(listing(row(0, label, ""))))
    assert (proposal is not None and proposal.action is not None) is proposed


def test_what_was_chosen_on_the_way_back_to_the_same_list_is_no_detour(
    store: Store, skills: SkillMemory
) -> None:
    form = listing(row(0, "From", ""), row(1, "To", ""))
    cities = listing(row(0, "Rome", ""), row(1, "Bonn", ""), row(2, "Oslo", ""))
    taps = ((0, form, ".Form"), (0, cities, ".Cities"), (1, form, ".Form"), (1, cities, ".Cities"))
    store.turns.save(checkpoint("turn-1", "go from Rome to Bonn on Eats", []))
    steps = []
    for count, (place, xml, activity) in enumerate(taps, 1):
        seen = screen(xml, activity)
        tap = on(place).model_copy(update={"target": seen.target_at(on(place).point)})
        steps.append(StoredStep(number=count, action=tap, app="Eats", package="com.shop"))
        store.turns.observe("turn-1", count, seen)
    end(store, checkpoint("turn-1", "go from Rome to Bonn on Eats", steps))
    learnt_template = skills.learn("turn-1", Outcome.SUCCESS, ReplayReport())
    assert learnt_template is not None
    assert [step.words() for step in learnt_template.steps] == [
        "tap “From”",
        "tap “{origin}”",
        "tap “To”",
        "tap “{destination}”",
    ]


@pytest.mark.parametrize(
    ("state", "asks", "proposed"),
    [
        (SkillState.TRUSTED, True, True),
        (SkillState.TRUSTED, False, False),
        (SkillState.PROBATION, True, False),
    ],
)
def test_a_sensitive_step_is_replayed_by_a_trusted_skill_if_the_user_is_asked(
    store: Store, skills: SkillMemory, state: SkillState, asks: bool, proposed: bool
) -> None:
    pay = listing(node("Button", (0, 1700, 1000, 1900), text="Pay now", name="pay", tap=True))
    tap = Click(point=Point(0.5, 0.9), target=screen(pay).target_at(Point(0.5, 0.9)))
    store.turns.save(checkpoint("turn-1", "pay the bill on Eats", []))
    steps = [StoredStep(number=1, action=tap, app="Eats", package="com.shop")]
    store.turns.observe("turn-1", 1, screen(pay))
    end(store, checkpoint("turn-1", "pay the bill on Eats", steps))
    skills.learn("turn-1", Outcome.SUCCESS, ReplayReport())
    (template,) = skills.repository.all()
    skills.repository.put(template.model_copy(update={"state": state}), "test")
    order = Order(skills, "pay the bill on Eats")
    proposal = order.propose(screen(pay), will_ask=lambda action: asks)
    assert (proposal is not None and proposal.action is not None) is proposed


@pytest.mark.parametrize(("button", "proposed"), [("Pay now", True), ("Card 4417", False)])
def test_on_a_screen_without_a_picture_only_what_the_user_decides_is_replayed(
    store: Store, skills: SkillMemory, button: str, proposed: bool
) -> None:
    page_xml = listing(
        node("Button", (0, 1700, 1000, 1900), text=button, name=button.split()[0].lower(), tap=True)
    )
    hidden = replace(screen(page_xml), secure=True)
    tap = Click(point=Point(0.5, 0.9), target=hidden.target_at(Point(0.5, 0.9)))
    store.turns.save(checkpoint("turn-1", "pay the bill on Eats", []))
    steps = [StoredStep(number=1, action=tap, app="Eats", package="com.shop")]
    store.turns.observe("turn-1", 1, hidden)
    end(store, checkpoint("turn-1", "pay the bill on Eats", steps))
    skills.learn("turn-1", Outcome.SUCCESS, ReplayReport())
    (template,) = skills.repository.all()
    skills.repository.put(template.model_copy(update={"state": SkillState.TRUSTED}), "test")
    proposal = Order(skills, "pay the bill on Eats").propose(hidden, will_ask=lambda action: True)
    assert (proposal is not None and proposal.action is not None) is proposed


def form(origin: str, to: str) -> Observation:
    """A search form that says where from and where to, and a list of places to choose from."""
    rows = [row(0, "From", origin), row(1, "To", to), row(2, "Search")]
    return screen(listing(*rows, title="Trains"), ".Form")


def places() -> Observation:
    names = ("Rome", "Bonn", "Turin", "Oslo")
    return screen(listing(*(row(n, name) for n, name in enumerate(names)), title="Places"), ".Places")


def learnt_form(store: Store, skills: SkillMemory) -> None:
    """A turn that chose both places of a form that had shown others, and searched."""
    seen: list[tuple[Action, Observation]] = [
        (on(0), form("Oslo", "Turin")),
        (on(0), places()),
        (on(1), form("Rome", "Turin")),
        (on(1), places()),
        (on(2), form("Rome", "Bonn")),
        (Finished(), screen(page("Trains"), ".Results")),
    ]
    store.turns.save(checkpoint("turn-1", "go from Rome to Bonn on Eats", []))
    steps = []
    for count, (action, observation) in enumerate(seen, 1):
        done: Action = action
        if isinstance(action, Click):
            done = action.model_copy(update={"target": observation.target_at(action.point)})
        steps.append(StoredStep(number=count, action=done, app="Eats", package="com.shop"))
        store.turns.observe("turn-1", count, observation)
    end(store, checkpoint("turn-1", "go from Rome to Bonn on Eats", steps))
    skills.learn("turn-1", Outcome.SUCCESS, ReplayReport())


@pytest.mark.parametrize(
    ("origin", "to", "tapped"),
    [
        ("Oslo", "Rome", ["From", "Turin", "To", "Bonn", "Search"]),
        ("Turin", "Rome", ["To", "Bonn", "Search"]),
        ("Oslo", "Bonn", ["From", "Turin", "Search"]),
        ("Turin", "Bonn", ["Search"]),
        ("Bonn", "Turin", ["From", "Turin", "To", "Bonn", "Search"]),
    ],
)
def test_a_field_that_shows_the_value_already_is_not_tapped(
    store: Store, skills: SkillMemory, origin: str, to: str, tapped: list[str]
) -> None:
    learnt_form(store, skills)
    order = Order(skills, "go from Turin to Bonn on Eats")
    shown = {"From": origin, "To": to}
    field = ""
    for _step in range(5):
        observation = places() if field else form(shown["From"], shown["To"])
        proposal = order.propose(observation)
        assert proposal is not None
        assert isinstance(proposal.action, Click)
        order.did(with_target(proposal.action, observation))
        words = proposal.action.content.split(" · ")[0]
        if words == "Search":
            break
        if field:
            shown[field], field = words, ""
        else:
            field = words
    done = [step.action for step in order.turn.steps]
    assert [action.content.split(" · ")[0] for action in done if isinstance(action, Click)] == tapped
    assert shown == {"From": "Turin", "To": "Bonn"}


def test_a_sensitive_step_is_never_replayed_where_nobody_is_asked(store: Store, skills: SkillMemory) -> None:
    pay = listing(node("Button", (0, 1700, 1000, 1900), text="Pay ¥26 now", name="pay", tap=True))
    tap = Click(point=Point(0.5, 0.9))
    steps = []
    store.turns.save(checkpoint("turn-1", "pay the bill on Eats", []))
    for count, (action, seen) in enumerate(((tap, screen(pay)), (Finished(), screen(page("Paid")))), 1):
        steps.append(StoredStep(number=count, action=action, app="Eats", package="com.shop"))
        store.turns.observe("turn-1", count, seen)
    end(store, checkpoint("turn-1", "pay the bill on Eats", steps))
    skills.learn("turn-1", Outcome.SUCCESS, ReplayReport())
    assert skills.repository.all()
    proposal = Order(skills, "pay the bill on Eats").propose(screen(pay))
    assert proposal is None or proposal.action is None


def test_a_template_leaves_probation_by_runs_and_is_retired_by_failures(
    store: Store, skills: SkillMemory
) -> None:
    learnt(store, skills)
    (template,) = skills.repository.all()
    report = ReplayReport(skill_id=template.id, replayed=2, confirmed=(0, 1))
    for outcome, state in (
        (Outcome.CANCELLED, SkillState.PROBATION),
        (Outcome.SUCCESS, SkillState.PROBATION),
        (Outcome.SUCCESS, SkillState.TRUSTED),
        (Outcome.FAILED, SkillState.TRUSTED),
        (Outcome.FAILED, SkillState.RETIRED),
    ):
        skills.learn("turn-2", outcome, report)
        assert skills.repository.all()[0].state is state
    store.undo()
    assert skills.repository.all()[0].state is SkillState.TRUSTED
    assert Order(skills, "order Tea on Eats").propose(screen(HOME, ".Home")) is not None


def test_a_failed_turn_teaches_nothing_and_a_waiting_one_is_not_lost(
    store: Store, skills: SkillMemory
) -> None:
    turn_id = ordered(store, 1, "order Soup on Eats", 1, "Soup")
    assert skills.learn(turn_id, Outcome.FAILED, ReplayReport()) is None
    skills.note_end(turn_id, Outcome.SUCCESS)
    after_a_crash = SkillMemory(store, "me")
    assert [template.app for template in after_a_crash.learn_waiting()] == ["Eats"]
    assert after_a_crash.learn_waiting() == []


def test_forgetting_a_turn_forgets_what_it_taught(store: Store, skills: SkillMemory) -> None:
    learnt(store, skills)
    forget(store, ["turn-1"])
    assert skills.repository.all() == []


def test_a_correction_changes_the_skill_and_can_be_undone(store: Store, skills: SkillMemory) -> None:
    learnt(store, skills)
    (before,) = skills.repository.all()
    corrected = ReplayReport(skill_id=before.id, replayed=1, corrected=True)
    turn_id = ordered(store, 2, "order Tea on Eats", 2, "Tea")
    by_hand = Click(point=Point(0.3, 0.05), target=screen(page("Tea")).target_at(Point(0.3, 0.05)))
    extra = StoredStep(number=3, action=by_hand, source=Source.USER, package="com.shop")
    turn = checkpoint("turn-3", "order Tea on Eats", [])
    store.turns.save(turn)
    for number, seen in enumerate((screen(HOME, ".Home"), screen(MENU), screen(page("Tea"), ".Dish")), 1):
        store.turns.observe("turn-3", number, seen)
    tap = on(2).model_copy(update={"target": screen(MENU).target_at(on(2).point)})
    steps = [
        StoredStep(number=1, action=OpenApp(name="Eats"), package="com.shop", app="Eats"),
        StoredStep(number=2, action=tap, package="com.shop", app="Eats"),
        extra,
    ]
    end(store, turn.model_copy(update={"steps": tuple(steps)}))
    changed = skills.learn("turn-3", Outcome.SUCCESS, corrected)
    assert changed is not None
    assert [step.words() for step in changed.steps] == ["open Eats", "tap “{item}”", "tap “{item}”"]
    assert changed.state is SkillState.PROBATION
    store.undo()
    assert skills.repository.all() == [before]
    assert skills.learn(turn_id, Outcome.FAILED, corrected) is not None
    assert skills.repository.all()[0].state is SkillState.RETIRED


def test_a_prepared_skill_starts_where_it_is_told(store: Store, skills: SkillMemory) -> None:
    learnt(store, skills)
    (template,) = skills.repository.all()
    skills.actions.prepare("now", template, {"item": "Rice"}, 2, None)
    proposal = Order(skills, "whatever").propose(screen(MENU))
    assert proposal is not None
    assert isinstance(proposal.action, Click)
    assert round(proposal.action.point.y * 2000) == 300


def test_what_was_prepared_for_a_turn_that_never_began_is_not_done_in_the_next(
    store: Store, skills: SkillMemory
) -> None:
    learnt(store, skills)
    (template,) = skills.repository.all()
    skills.actions.prepare("never begun", template, {"item": "Rice"}, 2, None)
    assert Order(skills, "call Mum").propose(screen(MENU)) is None


def test_a_turn_goes_on_differently_behind_a_step_of_a_past_one(store: Store, skills: SkillMemory) -> None:
    learnt(store, skills)
    (template,) = skills.repository.all()
    skills.actions.prepare("now", template, template.filled({}), 1, 1)
    order = Order(skills, "order two cakes on Eats instead")
    order.replay(screen(HOME, ".Home"))
    proposal = order.propose(screen(MENU))
    assert proposal is not None
    assert proposal.action is None
    assert "Repeated from an earlier turn so far: open Eats" in proposal.note
    assert "Soup" not in proposal.note
    assert not skills.actions.report("now").skill_id


def test_a_way_that_the_model_set_right_is_given_up(store: Store, skills: SkillMemory) -> None:
    learnt(store, skills)
    (template,) = skills.repository.all()
    quick = node("Button", (0, 1500, 1000, 1700), text="Tea", name="quick", tap=True)
    seen: list[tuple[Action, Observation]] = [
        (OpenApp(name="Eats"), screen(HOME, ".Home")),
        (Click(point=Point(0.5, 0.8)), screen(listing(over=quick))),
        (Finished(), screen(page("Tea"), ".Dish")),
    ]
    steps = []
    store.turns.save(checkpoint("turn-2", "order Tea on Eats", []))
    for number, (action, observation) in enumerate(seen, 1):
        done = with_target(action, observation)
        steps.append(StoredStep(number=number, action=done, app="Eats", package="com.shop"))
        store.turns.observe("turn-2", number, observation)
    end(store, checkpoint("turn-2", "order Tea on Eats", steps))
    skills.learn("turn-2", Outcome.SUCCESS, ReplayReport(skill_id=template.id, replayed=1, repairs=1))
    (template,) = skills.repository.all()
    target = template.steps[-1].action.target
    assert target is not None
    assert target.resource_id.endswith("quick")
    assert (template.steps[-1].slot, template.runs) == ("item", 0)


def test_what_is_chosen_already_is_not_tapped_again(store: Store, skills: SkillMemory) -> None:
    def cars(chosen: str) -> Observation:
        marked = []
        for place, name in enumerate(("Van", "Taxi", "Go")):
            on_now = str(name == chosen).lower()
            mark = f'class="android.widget.RadioButton" checkable="true" checked="{on_now}"'
            marked.append(row(place, name).replace('class="android.widget.ImageView"', mark))
        return screen(listing(*marked, title="Cars"), ".Cars")

    def go(number: int, car: str, seen: Observation) -> None:
        turn_id = f"turn-{number}"
        store.turns.save(checkpoint(turn_id, f"choose {car} on Eats", []))
        steps = []
        for count, place in enumerate((("Van", "Taxi", "Go").index(car), 2), 1):
            tap = on(place).model_copy(update={"target": seen.target_at(on(place).point)})
            steps.append(StoredStep(number=count, action=tap, app="Eats", package="com.shop"))
            store.turns.observe(turn_id, count, seen)
        end(store, checkpoint(turn_id, f"choose {car} on Eats", steps))
        skills.learn(turn_id, Outcome.SUCCESS, ReplayReport())

    go(1, "Van", cars("Taxi"))
    order = Order(skills, "choose Taxi on Eats")
    proposal = order.propose(cars("Taxi"))
    assert proposal is not None
    assert isinstance(proposal.action, Click)
    assert proposal.action.content.startswith("Go")


def scrolling(*dishes: str) -> Observation:
    """The menu as a list that can be scrolled, with these dishes in view."""
    rows = (row(place, name) for place, name in enumerate(dishes))
    xml = listing(*rows).replace('ListView"', 'ListView" scrollable="true"')
    return screen(xml)


def learnt_in_a_list(store: Store, skills: SkillMemory) -> Order:
    """A skill learnt from a turn that scrolled a list before it tapped a dish, and an order of another."""
    seen: list[tuple[Action, Observation]] = [
        (OpenApp(name="Eats"), screen(HOME, ".Home")),
        (Scroll(direction=Direction.DOWN), scrolling("Rice", "Bread", "Cake")),
        (on(1), scrolling("Cake", "Soup", "Tea")),
        (Finished(), screen(page("Soup"), ".Dish")),
    ]
    store.turns.save(checkpoint("turn-1", "order Soup on Eats", []))
    steps = []
    for count, (action, observation) in enumerate(seen, 1):
        done: Action = action
        if isinstance(action, Click):
            done = action.model_copy(update={"target": observation.target_at(action.point)})
        steps.append(StoredStep(number=count, action=done, app="Eats", package="com.shop"))
        store.turns.observe("turn-1", count, observation)
    end(store, checkpoint("turn-1", "order Soup on Eats", steps))
    skills.learn("turn-1", Outcome.SUCCESS, ReplayReport())
    return Order(skills, "order Tea on Eats")


def test_a_value_further_down_a_list_is_scrolled_to(store: Store, skills: SkillMemory) -> None:
    order = learnt_in_a_list(store, skills)
    (template,) = skills.repository.all()
    assert template.plan == ("open Eats", "tap “{item}”")
    order.replay(screen(HOME, ".Home"), scrolling("Rice", "Bread", "Cake"), scrolling("Cake", "Soup", "Tea"))
    assert [step.action.type for step in order.turn.steps] == ["open_app", "scroll", "click"]
    assert isinstance(order.turn.steps[-1].action, Click)
    assert round(order.turn.steps[-1].action.point.y * 2000) == 700


def test_the_end_of_a_list_ends_the_scrolling(store: Store, skills: SkillMemory) -> None:
    order = learnt_in_a_list(store, skills)
    menu = scrolling("Rice", "Bread", "Cake")
    order.replay(screen(HOME, ".Home"), menu)
    for _again in range(2):
        proposal = order.propose(menu)
        assert proposal is not None
        assert proposal.action is None


def test_what_cannot_be_scrolled_is_left_to_the_model(store: Store, skills: SkillMemory) -> None:
    order = learnt_in_a_list(store, skills)
    order.replay(screen(HOME, ".Home"))
    proposal = order.propose(screen(listing(row(0, "Rice"), row(1, "Bread"), row(2, "Cake"))))
    assert proposal is not None
    assert proposal.action is None


def test_at_the_known_end_of_a_trusted_skill_one_look_of_the_model_is_enough(
    store: Store, skills: SkillMemory
) -> None:
    trusted(store, skills, said="It comes in 25 minutes.")
    order = Order(skills, "order Tea on Eats")
    order.replay(screen(HOME, ".Home"), screen(MENU))
    known = order.propose(screen(page("Tea"), ".Dish"))
    assert known is not None
    assert (known.action, known.is_end) == (None, True)


def test_another_page_than_the_known_end_is_looked_at_twice(store: Store, skills: SkillMemory) -> None:
    trusted(store, skills, said="It comes in 25 minutes.")
    order = Order(skills, "order Tea on Eats")
    order.replay(screen(HOME, ".Home"), screen(MENU))
    other = order.propose(screen(MENU))
    assert other is None or (other.action, other.is_end) == (None, False)
