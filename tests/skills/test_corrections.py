"""Corrections of five mistakes: the next like order repeats none, and undo takes all back.

Twenty of each with `--hypothesis-profile thorough`, else two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings

from assistant.memory.store import Store
from assistant.records import Action, OpenApp
from assistant.skills.corrections import declines
from assistant.skills.service import SkillMemory
from assistant.skills.template import SkillState
from tests.skills.mini_app import DISHES, NOW, Decide, MiniPhone, MiniTurn, orders

VARIATIONS = [(dish, by_hand, again) for dish in DISHES for by_hand in (False, True) for again in (1, 2)]
"""Twenty: each dish, corrected by words and by hand, after the mistake was made once or twice."""


def tried(number: int) -> list[tuple[str, bool, int]]:
    """The variations of a kind of mistake: all, or two.

    Of two one is corrected by words and one by hand, one made once and one twice; the next kind joins these
    the other way round. Each kind has its own dishes.
    """
    if settings.get_current_profile_name() == "thorough":
        return VARIATIONS
    of_dish = VARIATIONS[4 * number : 4 * number + 4]
    return [of_dish[0], of_dish[3]] if number % 2 else [of_dish[1], of_dish[2]]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One memory for all: each test is another user."""
    opened = Store(tmp_path_factory.mktemp("memory"), lambda: NOW)
    yield opened
    opened.close()


def wrong_app(dish: str) -> Decide:
    return orders("Eats", dish)


def wrong_item(dish: str) -> Decide:
    return orders("Feast", DISHES[(DISHES.index(dish) + 1) % len(DISHES)])


def too_early(dish: str) -> Decide:
    """Orders before the size is chosen."""

    def decide(phone: MiniPhone) -> Action | None:
        return None if phone.page == "basket" else orders("Feast", dish, "Small")(phone)

    return decide


def yes_to_the_dialog(dish: str) -> Decide:
    def decide(phone: MiniPhone) -> Action | None:
        if phone.page == "rating":
            return phone.tap("OK")
        return None if phone.page == "store" else orders("Feast", dish)(phone)

    return decide


def old_button(dish: str) -> Decide:
    """On a changed app takes the first row that looks like the button."""

    def decide(phone: MiniPhone) -> Action | None:
        if phone.page == "dish" and phone.size == "S":
            return phone.tap("Large")
        return None if phone.page == "dish" else orders("Feast", dish)(phone)

    return decide


Mistake = Callable[[MiniPhone, str], bool]
MISTAKES: dict[str, tuple[Callable[[str], Decide], Mistake, str]] = {
    "wrong app": (wrong_app, lambda phone, dish: phone.app == "Eats", "Small"),
    "wrong item": (wrong_item, lambda phone, dish: phone.page == "dish" and phone.dish != dish, "Small"),
    "wrong order of steps": (too_early, lambda phone, dish: phone.ordered[2] == "S", "Large"),
    "unexpected dialog": (yes_to_the_dialog, lambda phone, dish: phone.page == "store", "Small"),
    "changed screen": (old_button, lambda phone, dish: phone.page == "dish" and phone.size == "L", "Small"),
}
"""Who makes the mistake, how it is seen on the phone, and the size that is wanted."""


def phone(kind: str) -> MiniPhone:
    return MiniPhone(
        asks=kind == "unexpected dialog", order_button="Buy" if kind == "changed screen" else "Order"
    )


@pytest.mark.parametrize(
    ("kind", "dish", "by_hand", "times"),
    [(kind, *variation) for number, kind in enumerate(MISTAKES) for variation in tried(number)],
)
def test_a_corrected_mistake_is_not_repeated(
    store: Store, kind: str, dish: str, by_hand: bool, times: int
) -> None:
    user = f"{kind}-{dish}-{by_hand}-{times}"
    skills = SkillMemory(store, user)
    wrong, is_mistake, size = MISTAKES[kind]
    said = f"get me {dish}, {size.lower()} please"
    right = orders("Feast", dish, size)
    MiniTurn(store, skills, 1, "open Eats for Alex", MiniPhone(), opens_eats, user=user).run()
    for number in range(times):
        MiniTurn(store, skills, 2 + number, said, phone(kind), wrong(dish), user=user).run(replay=not number)
    before = skills.repository.all()
    assert len(before) == 2
    last_change = store.audit.lines(1)[0].id

    corrected = MiniTurn(store, skills, 8, said, phone(kind), wrong(dish), user=user)
    corrected.stops, corrected.corrected, corrected.by_hand = (
        (lambda seen: is_mistake(seen, dish)),
        right,
        by_hand,
    )
    corrected.run()
    assert corrected.proposed, "the mistake comes from memory"
    assert corrected.phone.ordered == ("Feast", dish, size[0])
    after = skills.repository.all()
    assert after != before
    assert before[0] in after, "nothing else changed"

    again = MiniTurn(store, skills, 9, said, phone(kind), right, user=user)
    again.stops = lambda seen: is_mistake(seen, dish)
    again.run()
    assert again.phone.ordered == ("Feast", dish, size[0])
    assert not again.stopped, "the mistake is repeated"

    while store.audit.lines(1)[0].id != last_change and skills.repository.all() != before:
        store.undo()
    assert skills.repository.all() == before


def opens_eats(phone: MiniPhone) -> Action | None:
    return None if phone.app == "Eats" else OpenApp(name="Eats")


def test_another_wish_leaves_the_skill_as_it_is(store: Store) -> None:
    skills = SkillMemory(store, "me")
    MiniTurn(store, skills, 1, "order Soup on Eats", MiniPhone(), orders("Eats", "Soup")).run()
    before = skills.repository.all()
    turn = MiniTurn(
        store,
        skills,
        2,
        "order Tea on Eats",
        MiniPhone(),
        orders("Eats", "Tea"),
        lambda phone: phone.page == "dish",
        orders("Eats", "Cake"),
    )
    turn.run()
    assert turn.phone.ordered == ("Eats", "Cake", "S")
    assert skills.repository.all() == before
    assert before[0].state is not SkillState.RETIRED


def test_what_came_in_between_is_learnt_as_optional(store: Store) -> None:
    skills = SkillMemory(store, "ads")
    phones = [MiniPhone(), MiniPhone(asks=True), MiniPhone(), MiniPhone(asks=True)]
    turns = []
    for number, (dish, seen) in enumerate(zip(DISHES, phones, strict=False), 1):
        turn = MiniTurn(
            store, skills, number, f"order {dish} on Eats", seen, orders("Eats", dish), user="ads"
        )
        turn.run()
        assert turn.phone.ordered == ("Eats", dish, "S")
        turns.append(turn)
    (template,) = skills.repository.all()
    assert [step.words() for step in template.steps if step.optional] == ["tap “Not now”"]
    assert [len(turn.proposed) for turn in turns] == [0, 3, 3, 4]


def test_what_came_up_over_the_last_page_is_dismissed_from_memory_the_next_time(store: Store) -> None:
    skills = SkillMemory(store, "reviewed")
    proposed = []
    for number, (dish, asks) in enumerate(
        (("Rice", False), ("Soup", True), ("Tea", True), ("Cake", False)), 1
    ):
        phone = MiniPhone(asks_after=asks)
        turn = MiniTurn(
            store, skills, number, f"get me {dish} on Feast", phone, orders("Feast", dish), user="reviewed"
        )
        turn.run()
        assert phone.ordered == ("Feast", dish, "S")
        proposed.append(turn.proposed)
    assert "Not now" not in proposed[1]
    assert proposed[2][-2:] == ["Order", "Not now"]
    assert proposed[3][-1] == "Order"


@pytest.mark.parametrize(
    ("question", "user", "is_closed"),
    [
        ("Enjoying the app? Give us five stars.", "rated", True),
        ("Update available. Update now?", "updated", True),
        ("喜欢这个应用吗？给我们五星好评吧。", "starred", True),
        ("Rate the app and get Tea for free", "offered", False),
        ("Pay the rest later?", "asked", False),
    ],
)
def test_a_dialog_about_the_app_itself_is_closed_the_first_time_that_it_comes(
    store: Store, question: str, user: str, is_closed: bool
) -> None:
    skills = SkillMemory(store, user)
    for number, (dish, asks) in enumerate((("Rice", False), ("Tea", True)), 1):
        phone = MiniPhone(asks=asks, asks_after=asks, question=question, question_after=question)
        said = f"get me {dish} on Feast"
        turn = MiniTurn(store, skills, number, said, phone, orders("Feast", dish), user=user)
        turn.run()
        assert phone.ordered == ("Feast", dish, "S")
    assert ("Not now" in turn.proposed) is is_closed
    if is_closed:
        assert turn.proposed == ["open_app", "Not now", "Tea · ¥ 10", "Order", "Not now"]


@pytest.mark.parametrize(("first", "then"), [(True, False), (False, True)])
def test_a_pop_up_that_came_once_need_not_come_again(store: Store, first: bool, then: bool) -> None:
    user = f"asked-{first}"
    skills = SkillMemory(store, user)
    for number, (dish, asks) in enumerate((("Rice", first), ("Soup", then), ("Tea", then)), 1):
        phone = MiniPhone(asks=asks, asks_after=asks)
        turn = MiniTurn(
            store, skills, number, f"get me {dish} on Feast", phone, orders("Feast", dish), user=user
        )
        turn.run()
        assert phone.ordered == ("Feast", dish, "S")
    expected = ["Not now", "Tea", "Order", "Not now"] if then else ["Tea", "Order"]
    assert [words.split(" · ")[0] for words in turn.proposed if words != "open_app"] == expected
    (template,) = skills.repository.all()
    assert (template.runs, turn.ended_by == template.id) == (1, not then)


def test_a_step_that_saves_is_not_left_out_where_what_follows_is_there(store: Store) -> None:
    """“Add” says as little as “Later”, and is what the order was about."""
    skills = SkillMemory(store, "added")
    button = MiniPhone(order_button="Add")
    MiniTurn(store, skills, 1, "get me Rice on Feast", button, orders("Feast", "Rice"), user="added").run()
    (template,) = skills.repository.all()
    adds = next(step for step in template.steps if step.title == "Add")
    assert adds.dismisses
    assert not declines(adds)


def test_a_pop_up_that_no_turn_confirmed_does_not_keep_memory_from_seeing_the_end(store: Store) -> None:
    """It came in the turn that taught the skill, stayed away in the next, and comes again."""
    skills = SkillMemory(store, "again")
    for number, (dish, asks) in enumerate((("Rice", True), ("Soup", False), ("Tea", True)), 1):
        phone = MiniPhone(asks=asks)
        said = f"get me {dish} on Feast"
        turn = MiniTurn(store, skills, number, said, phone, orders("Feast", dish), user="again")
        turn.run()
    (template,) = skills.repository.all()
    assert [words.split(" · ")[0] for words in turn.proposed] == ["open_app", "Not now", "Tea", "Order"]
    assert turn.ended_by == template.id
