"""What becomes a step of a skill, what is left out of it, and what may stay away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.events import ActionKind
from assistant.memory.store import Store
from assistant.records import (
    Action,
    Click,
    Direction,
    Finished,
    ForegroundApp,
    Observation,
    OpenApp,
    Outcome,
    Point,
    PressBack,
    Scroll,
    Target,
    TypeText,
    Wait,
)
from assistant.settings.schema import Guidance
from assistant.skills.service import SkillGuide, SkillMemory, UnknownTurn, slots_request
from assistant.skills.skill_step import SkillStep
from assistant.skills.storage import ReplayReport
from tests.skills.recorded_turns import HOME, MENU, Order, learn_turn, on, ordered, page, screen
from tests.skills.screens import dialog, listing, node, row

YES = Click(point=Point(0.7, 0.3375))
NO = Click(point=Point(0.3, 0.3375))


def question(package: str) -> Observation:
    """A question over the page, of the app itself or of another package."""
    asked = screen(listing(over=dialog("May Eats know where you are?")), ".Question")
    return replace(asked, app=ForegroundApp(package, ".Question", ""))


def in_the_menu(*before: tuple[Action, Observation]) -> list[tuple[Action, Observation]]:
    return [
        *before,
        (on(1), screen(MENU)),
        (Finished(), screen(page("Soup"), ".Dish")),
    ]


def test_a_permission_that_the_system_asked_for_need_not_be_asked_for_again(
    store: Store, skills: SkillMemory
) -> None:
    asked = in_the_menu(
        (OpenApp(name="Eats"), screen(HOME, ".Home")), (YES, question("com.system.permissions"))
    )
    learn_turn(store, skills, "order Soup on Eats", asked, {2: ActionKind.GRANT})
    order = Order(skills, "order Tea on Eats")
    order.replay(screen(HOME, ".Home"), screen(MENU))
    assert [step.action.type for step in order.turn.steps] == ["open_app", "click"]


def test_what_is_allowed_on_a_page_of_the_app_itself_is_part_of_the_order(
    store: Store, skills: SkillMemory
) -> None:
    asked = in_the_menu((OpenApp(name="Eats"), screen(HOME, ".Home")), (YES, question("com.shop")))
    learn_turn(store, skills, "order Soup on Eats", asked, {2: ActionKind.GRANT})
    order = Order(skills, "order Tea on Eats")
    order.replay(screen(HOME, ".Home"))
    proposal = order.propose(screen(MENU))
    assert proposal is not None
    assert not isinstance(proposal.action, Click)


def test_what_was_dismissed_before_the_app_was_opened_is_no_step(store: Store, skills: SkillMemory) -> None:
    asked = in_the_menu((NO, question("com.browser")), (OpenApp(name="Eats"), screen(HOME, ".Home")))
    learn_turn(store, skills, "order Soup on Eats", asked)
    (template,) = skills.repository.all()
    assert template.plan == ("open Eats", "tap “{item}”")


def test_the_page_of_the_home_screen_on_which_an_icon_lies_is_no_part_of_the_order(
    store: Store, skills: SkillMemory
) -> None:
    def home(*icons: str) -> Observation:
        rows = (row(place, icon, "") for place, icon in enumerate(icons))
        return replace(screen(listing(*rows)), app=ForegroundApp("com.launcher", ".Home", "Home"))

    first, second = home("Phone", "Mail", "Chat"), home("Eats")
    asked = in_the_menu((Scroll(direction=Direction.DOWN), first), (on(0), second))
    learn_turn(store, skills, "order Soup on Eats", asked)
    (template,) = skills.repository.all()
    assert template.plan == ("open Eats", "tap “{item}”")
    order = Order(skills, "order Tea on Eats")
    order.replay(screen(page("Soup"), ".Dish"))
    assert order.turn.steps[0].action == OpenApp(name="Eats")


def test_a_turn_that_only_waited_is_no_skill(store: Store, skills: SkillMemory) -> None:
    learn_turn(store, skills, "look at the menu", [(Wait(), screen(MENU)), (Finished(), screen(MENU))], {})
    assert skills.find("turn-1") is None


def test_a_turn_without_any_step_is_no_skill(store: Store, skills: SkillMemory) -> None:
    learn_turn(store, skills, "look at the menu", [], {})
    with pytest.raises(UnknownTurn):
        skills.keep("turn-1", "look")


def test_a_value_for_a_slot_that_is_not_there_is_refused_with_the_slots_that_are(
    store: Store, skills: SkillMemory
) -> None:
    learn_turn(
        store, skills, "order Soup on Eats", in_the_menu((OpenApp(name="Eats"), screen(HOME, ".Home")))
    )
    (template,) = skills.repository.all()
    assert template.why_not({"item": "Tea"}) == ""
    assert template.why_not({"dish": "Tea"}) == "There is no slot dish. Slots: item", "Soup is not ordered"


def test_what_was_closed_between_two_openings_of_an_app_is_where_it_had_been_left(
    store: Store, skills: SkillMemory
) -> None:
    opens = (OpenApp(name="Eats"), screen(HOME, ".Home"))
    paid = screen(listing(row(0, "Done", "")), ".Paid")
    learn_turn(store, skills, "order Soup on Eats", in_the_menu(opens, (on(0), paid), opens))
    (template,) = skills.repository.all()
    assert template.plan == ("open Eats", "tap “{item}”")


def test_a_way_needs_nothing_that_comes_up_once(store: Store, skills: SkillMemory) -> None:
    steps = [*map(tapped, ("Allow", "OK", "Cancel", "Soup")), Scroll(direction=Direction.DOWN), PressBack()]
    assert [SkillStep(action=step).is_needed for step in steps] == [False, True, True, True, False, True]
    asked = in_the_menu((OpenApp(name="Eats"), screen(HOME, ".Home")), (NO, rated(screen(MENU))))
    learn_turn(store, skills, "order Soup on Eats", asked)
    (template,) = skills.repository.all()
    assert "Later" in " ".join(template.plan), "memory closes it where it comes again"
    assert "Later" not in slots_request(template)
    guide = SkillGuide(skills.repository, Guidance.STEPS, None)
    assert 'by "1. open Eats; 2. tap “Tea”"' in guide.find("order Tea on Eats")


@pytest.mark.parametrize("is_tapped", [False, True])
def test_a_tab_that_is_called_as_its_app_is_no_value_of_an_order(
    store: Store, skills: SkillMemory, is_tapped: bool
) -> None:
    """Where it stands selected, nobody taps it."""

    def menu(selected: str) -> Observation:
        tabs = [
            node(
                "Button",
                (500 * n, 1800, 500 * n + 500, 2000),
                text=word,
                name="tab",
                tap=True,
                selected=word == selected,
            )
            for n, word in enumerate(("Eats", "Me"))
        ]
        return screen(listing(row(0, "Soup"), *tabs, title="Shops"))

    tab = Click(point=Point(0.25, 0.95))
    way: list[tuple[Action, Observation]] = [
        (on(0), menu("Eats")),
        (Finished(), screen(page("Soup"), ".Dish")),
    ]
    learn_turn(
        store, skills, "order Soup from the Eats shop", [(tab, menu("Me")), *way] if is_tapped else way
    )
    (template,) = skills.repository.all()
    assert template.plan == (*["tap “Eats”"][:is_tapped], "tap “{item}”")
    assert template.pattern.text == "order {item} from the Eats shop"


@pytest.mark.parametrize(
    ("order", "answer", "is_learnt"),
    [
        ("what do I have to do tomorrow", "Buy milk at 9, then swim.", False),
        ("我明天都有啥安排 几点干啥", "9点游泳。", False),
        ("在微聊看看我刚给小王发的啥，他回我没", "他还没有回复。", False),
        ("what is the soup on Eats", "It is Soup.", True),
        ("order Soup on Eats", "It is on its way.", True),
    ],
)
def test_a_question_whose_answer_stands_on_no_page_is_not_learnt(
    store: Store, skills: SkillMemory, order: str, answer: str, is_learnt: bool
) -> None:
    turn_id = ordered(store, 1, order, 1, "Soup")
    assert (skills.learn(turn_id, Outcome.SUCCESS, ReplayReport(answer=answer)) is not None) is is_learnt


@pytest.mark.parametrize(
    ("order", "is_learnt"),
    [
        ("remind me of wednesday's meeting", False),
        ("周三那个家长会提醒我准备一下", False),
        ("remind me of Soup", True),
    ],
)
def test_a_text_that_was_made_up_for_a_day_is_not_learnt(
    store: Store, skills: SkillMemory, order: str, is_learnt: bool
) -> None:
    field = screen(
        listing(node("EditText", (0, 200, 1000, 400), name="label", tap=True, focused=True)), ".New"
    )
    opens, typed = (OpenApp(name="Eats"), screen(HOME, ".Home")), (TypeText(text="Bring the forms"), field)
    learn_turn(store, skills, order, [opens, typed, (Finished(), screen(page("Soup"), ".Dish"))])
    assert bool(skills.repository.all()) is is_learnt


def rated(seen: Observation) -> Observation:
    """A page with a question of the app's own over it."""
    return replace(seen, elements=screen(listing(over=dialog("Rate this app?", no="Later"))).elements)


def tapped(words: str) -> Click:
    return Click(point=Point(0.5, 0.5), target=Target(text=words))
