from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.agent.stop_checks import (
    MAX_ALIKE,
    MAX_ALIKE_IN_A_ROW,
    MAX_REPEATS,
    MAX_WAITS,
    LoopAdvice,
    LoopDetector,
    ScreenNames,
    describe_no_effect,
    fingerprint,
)
from assistant.records import (
    Action,
    ClearText,
    Click,
    Direction,
    OpenApp,
    Point,
    PressBack,
    Scroll,
    Target,
    Wait,
)
from tests.safety.screens import button, label, screen
from tests.tables import each

TAP = Click(point=Point(0.5, 0.5))
OTHER = Click(point=Point(0.5, 0.9))
BACK = PressBack()


def advices(chosen: Iterable[tuple[str, Action]]) -> list[LoopAdvice]:
    """The advice on each action, where each is done on the phone."""
    detector, given_advice = LoopDetector(), []
    for name, action in chosen:
        given_advice.append(detector.check(name, action).advice)
        detector.note_done()
    return given_advice


def test_the_same_again_is_warned_of_then_stopped() -> None:
    assert advices([("a", TAP)] * MAX_REPEATS) == [LoopAdvice.GO_ON, LoopAdvice.WARN, LoopAdvice.STOP]


@pytest.mark.parametrize("length", [2, 3])
def test_circles_are_stopped_within_three_rounds(length: int) -> None:
    every: list[tuple[str, Action]] = [("a", TAP), ("b", BACK), ("c", OTHER)]
    cycle = every[:length]
    given_advice = advices(cycle * MAX_REPEATS)
    assert given_advice[: 2 * length - 1] == [LoopAdvice.GO_ON] * (2 * length - 1)
    assert given_advice[2 * length - 1] is LoopAdvice.WARN
    assert given_advice[-1] is LoopAdvice.STOP
    assert given_advice.index(LoopAdvice.STOP) == len(given_advice) - 1


def test_the_same_tap_on_changing_screens_is_no_loop() -> None:
    assert set(advices((str(number), TAP) for number in range(20))) == {LoopAdvice.GO_ON}


def test_waiting_has_more_patience() -> None:
    waits = advices([("a", Wait())] * (MAX_WAITS + 1))
    assert set(waits[:-1]) == {LoopAdvice.GO_ON}
    assert waits[-1] is LoopAdvice.STOP


def test_after_the_user_helped_nothing_counts_any_more() -> None:
    detector = LoopDetector()
    detector.check("a", TAP)
    detector.check("a", TAP)
    detector.reset()
    assert detector.check("a", TAP).advice is LoopAdvice.GO_ON


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([TAP, OTHER, BACK])), max_size=40))
def test_nothing_stays_the_same_more_often_than_allowed(chosen: list[tuple[str, Action]]) -> None:
    detector = LoopDetector()
    run = 0
    for place, step in enumerate(chosen):
        run = run + 1 if place and chosen[place - 1] == step else 1
        verdict = detector.check(*step)
        assert run < MAX_REPEATS or verdict.advice is LoopAdvice.STOP
        assert (verdict.advice is LoopAdvice.GO_ON) == (not verdict.sentence)


def test_what_makes_a_screen_another() -> None:
    observation = screen(label("Alarm"), button("Save"))
    assert fingerprint(observation) == fingerprint(screen(label("Alarm"), button("Save")))
    assert fingerprint(observation) != fingerprint(screen(label("Timer"), button("Save")))
    assert fingerprint(observation) != fingerprint(screen(label("Alarm"), button("Save", enabled=False)))


async def test_a_screen_has_the_same_name_again() -> None:
    screens = ScreenNames()
    first = await screens.identify(screen(label("Alarm")))
    assert await screens.identify(screen(label("Alarm"))) == first
    assert await screens.identify(screen(label("Timer"))) != first


def test_a_tap_that_did_nothing_is_told() -> None:
    assert "did nothing" in describe_no_effect(TAP, "a", "a")
    cleared = describe_no_effect(ClearText(), "a", "a")
    assert "If it shows no more than its hint" in cleared
    assert "Else it did not get empty" in cleared
    assert "moved nothing" in describe_no_effect(Scroll(direction=Direction.DOWN), "a", "a")
    assert describe_no_effect(TAP, "a", "b") == ""
    assert describe_no_effect(Wait(), "a", "a") == ""


def test_cycles_of_eight_steps_are_found() -> None:
    detector = LoopDetector()
    advice = [
        detector.check(f"screen {number % 8}", OpenApp(name=f"App {number % 8}")).advice
        for number in range(24)
    ]
    assert LoopAdvice.STOP not in advice[:23]
    assert advice[23] is LoopAdvice.STOP


def test_screens_that_never_look_the_same_do_not_hide_a_loop() -> None:
    detector = LoopDetector()
    steps = 0
    for number in range(100):
        steps += 1
        target = Target(resource_id="a:id/pay", text=f"Pay ¥{number}")
        action = Click(point=Point(0.5, number / 100), target=target)
        other = PressBack()
        chosen = action if number % 2 else other
        if detector.check(f"screen {number}", chosen, "com.shop Main Order #").advice is LoopAdvice.STOP:
            break
    assert steps == 2 * MAX_ALIKE


@pytest.mark.parametrize("exact", [True, False])
def test_a_round_in_which_one_step_comes_twice_is_a_loop(exact: bool) -> None:
    """Two rows are opened in turn, and Back is pressed on the same page after each."""
    detector = LoopDetector()
    ann, bob = (
        Click(point=Point(0.5, 0.5), target=Target(text=f"Mail of {name}")) for name in ("Ann", "Bob")
    )
    round_of_steps: list[tuple[str, Action]] = [("list", ann), ("mail", BACK), ("list", bob), ("mail", BACK)]
    rounds = MAX_REPEATS if exact else MAX_ALIKE
    advice = [
        detector.check(page if exact else f"{page} {number}", action, page).advice
        for number, (page, action) in enumerate(round_of_steps * rounds)
    ]
    assert LoopAdvice.STOP not in advice[:-1]
    assert advice[-1] is LoopAdvice.STOP


@each("length", range(2, 9))
def test_rounds_of_any_length_are_found_on_screens_that_never_look_the_same(length: int) -> None:
    detector = LoopDetector()
    advice = [
        detector.check(
            f"screen {number}", OpenApp(name=f"App {number % length}"), f"page {number % length}"
        ).advice
        for number in range(length * MAX_ALIKE)
    ]
    assert LoopAdvice.STOP not in advice[:-1]
    assert advice[-1] is LoopAdvice.STOP


def test_a_long_list_may_be_scrolled() -> None:
    detector = LoopDetector()
    scroll = Scroll(point=Point(0.5, 0.5), direction=Direction.DOWN)
    advice = {
        detector.check(f"part {number}", scroll, "page").advice for number in range(MAX_ALIKE_IN_A_ROW - 1)
    }
    assert LoopAdvice.STOP not in advice


SAVE = Click(point=Point(0.5, 0.9), target=Target(text="Save", class_name="android.widget.Button"))


def test_saving_exactly_the_same_page_again_is_stopped_before_it_is_done() -> None:
    rounds: list[tuple[str, Action]] = [("list 1", TAP), ("form 15:00", SAVE), ("list 2", OTHER)]
    given_advice = advices([*rounds, ("form 15:00", SAVE)])
    assert given_advice == [LoopAdvice.GO_ON] * 3 + [LoopAdvice.STOP]


def test_a_save_that_was_not_done_may_be_tried_again() -> None:
    detector = LoopDetector()
    steps: list[tuple[str, Action]] = [("form", SAVE), ("list", TAP), ("form", SAVE)]
    assert LoopAdvice.STOP not in [detector.check(screen, action).advice for screen, action in steps]


def test_other_contents_and_a_button_that_did_not_respond_may_be_saved() -> None:
    two_alarms: list[tuple[str, Action]] = [("form 6:00", SAVE), ("list", TAP), ("form 7:00", SAVE)]
    assert set(advices(two_alarms)) == {LoopAdvice.GO_ON}
    assert advices([("form", SAVE), ("form", SAVE)])[0] is LoopAdvice.GO_ON
    assert LoopAdvice.STOP not in advices([("form", SAVE), ("form", SAVE)])
