"""Traces that did something wrong and were taken for right ones: no skill made of one is ever trusted.

Fifty planted traces with `--hypothesis-profile thorough`, else ten: of each kind one that the model sets
right and one that it gives up on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings

from assistant.memory.store import Store
from assistant.records import Action
from assistant.skills.service import SkillMemory
from assistant.skills.template import SkillState
from tests.skills.mini_app import DISHES, NOW, Decide, MiniPhone, MiniTurn, orders

RUNS = 4
"""Orders of the same kind after the planted one: four times as many as a right skill needs to be trusted."""


_TRIED = DISHES if settings.get_current_profile_name() == "thorough" else DISHES[:1]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One memory for all: each test is another user."""
    opened = Store(tmp_path_factory.mktemp("memory"), lambda: NOW)
    yield opened
    opened.close()


def next_to(dish: str) -> str:
    return DISHES[(DISHES.index(dish) + 1) % len(DISHES)]


def until(page: str, decide: Decide) -> Decide:
    """Somebody who stops as soon as a page is reached, and calls it done."""

    def decide_until(phone: MiniPhone) -> Action | None:
        return None if phone.page == page else decide(phone)

    return decide_until


def of_the_wrong_size(dish: str) -> Decide:
    return orders("Feast", dish, "Large")


def right(dish: str) -> Decide:
    return orders("Feast", dish)


PLANTED: dict[str, Callable[[str], Decide]] = {
    "in the wrong app": lambda dish: orders("Eats", dish),
    "of the wrong dish": lambda dish: orders("Feast", next_to(dish)),
    "of the wrong size": of_the_wrong_size,
    "half done": lambda dish: until("dish", right(dish)),
    "only looked at": lambda dish: until("menu", right(dish)),
}


def gives_up(phone: MiniPhone) -> Action | None:
    return None


def has_ordered(dish: str) -> Callable[[MiniPhone], bool]:
    return lambda phone: phone.ordered == ("Feast", dish, "S")


def always(answer: bool) -> Callable[[MiniPhone], bool]:
    return lambda phone: answer


def after_planting(store: Store, kind: str, dish: str, *, repairs: bool) -> list[tuple[SkillState, bool]]:
    """The states of a user's skill after a planted trace and each further order, and whether memory ended it.

    The planted turn is believed to have ended well. Of the others the second look tells what is true; the
    model, where memory leaves a step to it, sets right what it sees, or gives up.
    """
    user = f"{kind}-{dish}-{repairs}"
    skills = SkillMemory(store, user)
    wrong = PLANTED.get(kind, right)
    said = "get me {}, small please"
    MiniTurn(store, skills, 1, said.format(dish), MiniPhone(), wrong(dish), user=user).run()
    states = []
    for number in range(RUNS):
        wish = DISHES[(DISHES.index(dish) + number) % len(DISHES)]
        turn = MiniTurn(
            store,
            skills,
            2 + number,
            said.format(wish),
            MiniPhone(),
            right(wish) if repairs else gives_up,
            user=user,
        )
        turn.is_right = has_ordered(wish)
        turn.run()
        states += [
            (template.state, turn.ended_by == template.id)
            for template in skills.repository.all()
            if f"-{user}-1" in template.id
        ]
    return states


@pytest.mark.parametrize("kind", PLANTED)
@pytest.mark.parametrize("dish", _TRIED)
@pytest.mark.parametrize("repairs", [True, False])
def test_a_planted_trace_never_leaves_probation(store: Store, kind: str, dish: str, repairs: bool) -> None:
    states = after_planting(store, kind, dish, repairs=repairs)
    assert states, "the trace was learnt"
    assert SkillState.TRUSTED not in [state for state, _ended in states]
    assert not any(ended for _state, ended in states), "memory took a wrong end for a right one"


@pytest.mark.parametrize("dish", _TRIED)
@pytest.mark.parametrize("repairs", [True, False])
def test_a_right_trace_is_trusted_after_two_runs_whose_end_was_seen(
    store: Store, dish: str, repairs: bool
) -> None:
    states = after_planting(store, "right", dish, repairs=repairs)
    assert states[:3] == [
        (SkillState.PROBATION, False),
        (SkillState.PROBATION, True),
        (SkillState.TRUSTED, False),
    ]


def test_an_end_that_only_memory_saw_does_not_make_a_skill_trusted(store: Store) -> None:
    """A wrong trace, whose second look is deceived twice: memory ends the third order, the next is seen."""
    skills = SkillMemory(store, "deceived")
    said = "get me {}, small please"
    states = []
    for number, dish in enumerate(DISHES, 1):
        wrong = of_the_wrong_size(dish)
        turn = MiniTurn(store, skills, number, said.format(dish), MiniPhone(), wrong, user="deceived")
        turn.is_right = always(number <= 2)
        turn.run()
        (template,) = skills.repository.all()
        states.append((template.runs, template.state, bool(turn.ended_by)))
    assert states == [
        (0, SkillState.PROBATION, False),
        (1, SkillState.PROBATION, False),
        (1, SkillState.PROBATION, True),
        (1, SkillState.PROBATION, False),
        (1, SkillState.RETIRED, False),
    ]
