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
    Point,
    Scroll,
    Wait,
)
from assistant.skills.service import SkillMemory, UnknownTurn
from tests.skills.recorded_turns import HOME, MENU, Order, learn_turn, on, page, screen
from tests.skills.screens import dialog, listing, row

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
