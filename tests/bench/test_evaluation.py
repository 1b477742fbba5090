"""Models judged on recorded turns: the rule for a step, the walk over a turn, figures and their intervals."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.bench.evaluation import (
    MEASURES,
    RecordedTurn,
    TurnEvaluator,
    TurnVerdict,
    candidate,
    compare,
    folder_turns,
    judge_step,
    measure,
    personal_similarity,
    stored_turns,
    user_type,
)
from assistant.cli.memory_data import ActionTreeCodec
from assistant.i18n import UserError
from assistant.memory.store import RecordFilter, Store
from assistant.model.client import VisionModel
from assistant.model.types import Decision, ModelEvent, RepliesMalformed, StepRequest
from assistant.records import (
    Action,
    Bounds,
    Click,
    Element,
    Finished,
    Observation,
    OpenApp,
    Outcome,
    Point,
    PressBack,
    Record,
    Scroll,
    Swipe,
    TypeText,
    Usage,
)
from assistant.settings.schema import ModelSettings
from assistant.simulator.adb_server import PrivateAdbServer
from tests.simulator.recording.test_folders import write_episode
from tests.tables import each
from tests.worlds import running_world

BUTTON = Element(1, 0, "android.widget.Button", Bounds(100, 200, 900, 400), text="Go", clickable=True)
ROOT = Element(0, -1, "android.widget.FrameLayout", Bounds(0, 0, 1000, 2000))
SCREEN = Observation(1000, 2000, b"", (ROOT, BUTTON))


def click(x: float, y: float) -> Click:
    return Click(point=Point(x, y))


@each(
    ("recorded", "answer", "same_type", "right"),
    [
        (click(0.5, 0.15), click(0.5, 0.15), True, True),
        (click(0.12, 0.15), click(0.88, 0.15), True, True),  # the same button, far apart
        (click(0.5, 0.5), click(0.5, 0.63), True, True),  # within 14 %
        (click(0.5, 0.5), click(0.5, 0.65), True, False),  # in the same element, which is the whole screen
        (click(0.5, 0.5), PressBack(), False, False),
        (TypeText(text="Green tea"), TypeText(text="green  tea"), True, True),
        (TypeText(text="green tea"), TypeText(text="black tea please"), True, False),
        (Scroll(direction="down"), Scroll(direction="up"), True, False),
        (Scroll(direction="down"), Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)), True, True),
        (Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)), Scroll(direction="up"), True, False),
        (Finished(), Finished(answer="7 o'clock"), True, True),
        (click(0.5, 0.5), None, False, False),
    ],
)
def test_a_step_is_right_by_its_type_and_what_it_touches(
    recorded: Action, answer: Action | None, same_type: bool, right: bool
) -> None:
    verdict = judge_step(recorded, answer, SCREEN)
    assert (verdict.same_type, verdict.right) == (same_type, right)


def test_the_element_that_a_turn_kept_counts_before_the_tree() -> None:
    recorded = click(0.5, 0.15).model_copy(update={"target": BUTTON.target()})
    empty = Observation(1000, 2000, b"", ())
    assert judge_step(recorded, click(0.89, 0.19), empty).right
    assert not judge_step(recorded, click(0.89, 0.35), empty).right


class Answers:
    """A model that gives these answers in turn; None for a reply that cannot be read."""

    def __init__(self, *answers: Action | None) -> None:
        self.answers = list(answers)
        self.requests: list[StepRequest] = []

    @property
    def waiting_seconds(self) -> float:
        return 0.0

    seconds_per_decision = 0.0
    reads_elements = True

    def glimpse(self, png: bytes) -> None:
        pass

    def take_dropped_usage(self) -> Usage:
        return Usage()

    async def decide(self, request: StepRequest) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if answer is None:
            raise RepliesMalformed("", Usage(prompt_tokens=7, requests=1))
        yield Decision(answer, "", Usage(prompt_tokens=10, requests=1))


def turn(*actions: Action, user: str = "1", age: str = "", instruction: str = "buy tea") -> RecordedTurn:
    record = Record(
        id=f"u{user}-1", user_id=user, time=datetime(2026, 3, 9, tzinfo=UTC), instruction=instruction
    )
    numbered = dict(enumerate(actions, start=1))
    return RecordedTurn(record, numbered, lambda: dict.fromkeys(numbered, SCREEN), user_type({"age": age}))


GOLDEN = (OpenApp(name="Shop"), click(0.5, 0.15), TypeText(text="tea"), Finished())


async def judged(model: Answers, recorded: RecordedTurn, *, once: bool = False) -> TurnVerdict:
    verdict = await TurnEvaluator(model, once=once).evaluate(recorded)
    assert verdict is not None
    return verdict


async def test_a_turn_done_as_recorded_succeeds() -> None:
    model = Answers(*GOLDEN)
    verdict = await judged(model, turn(*GOLDEN))
    assert verdict.succeeded
    assert verdict.step_ratio == 1.0
    assert [len(request.history) for request in model.requests] == [0, 1, 2, 3]
    assert [step.action for step in model.requests[3].history] == list(GOLDEN[:3])


async def test_a_wrong_answer_sees_the_same_screen_again_and_counts() -> None:
    model = Answers(GOLDEN[0], PressBack(), *GOLDEN[1:])
    verdict = await judged(model, turn(*GOLDEN))
    assert verdict.succeeded
    assert verdict.step_ratio == 1.25
    assert [step.right for step in verdict.verdicts] == [True, False, True, True]
    assert "did nothing" in model.requests[2].notes[0]
    assert [step.action for step in model.requests[2].history] == [GOLDEN[0], PressBack()]
    assert [step.action for step in model.requests[3].history] == list(GOLDEN[:2])


async def test_two_and_a_half_times_the_steps_is_the_end() -> None:
    model = Answers(*[PressBack()] * 10, *GOLDEN[1:])
    verdict = await judged(model, turn(*GOLDEN))
    assert not verdict.succeeded
    assert len(verdict.taken) == 10
    assert [step.right for step in verdict.verdicts] == [False, True, True, True]
    assert model.answers == []


@pytest.mark.parametrize("answer", [Finished(), None])
async def test_an_end_too_early_and_a_reply_that_cannot_be_read_fail_the_turn(answer: Action | None) -> None:
    model = Answers(GOLDEN[0], answer, *GOLDEN[2:])
    verdict = await judged(model, turn(*GOLDEN))
    assert not verdict.succeeded
    assert [step.right for step in verdict.verdicts] == [True, False, True, True]
    assert len(model.requests) == 4


async def test_asked_once_each_screen_costs_one_request() -> None:
    model = Answers(PressBack(), *GOLDEN[1:])
    verdict = await judged(model, turn(*GOLDEN), once=True)
    assert len(model.requests) == 4
    assert not verdict.succeeded


def test_likeness_to_a_user_is_beside_one_of_another_age() -> None:
    mine = turn(click(0.5, 0.5), PressBack(), age="21")
    other = turn(OpenApp(name="Shop"), TypeText(text="tea"), user="2", age="47", instruction="buy green tea")
    same_age = turn(PressBack(), user="3", age="29")
    far = turn(click(0.5, 0.5), PressBack(), user="4", age="60", instruction="call a taxi to the airport")
    likeness = personal_similarity(mine, mine.golden, SCREEN, [mine, same_age, other, far])
    assert likeness is not None
    assert likeness > 1
    assert personal_similarity(mine, mine.golden, SCREEN, [mine, same_age]) is None


async def several(wrong: Sequence[bool]) -> list[TurnVerdict]:
    verdicts = []
    for number, spoilt in enumerate(wrong):
        recorded = turn(*GOLDEN, user=str(number))
        model = Answers(*([PressBack()] if spoilt else []), *GOLDEN)
        verdicts.append(await judged(model, recorded))
    return verdicts


async def test_figures_have_intervals_that_are_drawn_alike() -> None:
    verdicts = await several([True, False, False, True])
    figures = measure(verdicts)
    assert set(figures) == set(MEASURES)
    step = figures["step"]
    assert step.value == 14 / 16
    assert step.low is not None
    assert step.high is not None
    assert 0.75 <= step.low < 14 / 16 < step.high <= 1
    assert measure(verdicts) == figures
    assert figures["sim2"].value is None
    assert figures["tokens"].value == (4 * 40 + 2 * 10) / 16


async def test_a_comparison_is_of_the_same_turns() -> None:
    good, bad = await several([False, False, False]), await several([True, True, True])
    difference = compare(bad, good)["step"]
    assert (difference.value, difference.low, difference.high) == (0.25, 0.25, 0.25)
    with pytest.raises(ValueError, match="same turns"):
        compare(good, bad[:2])


def test_a_candidate_is_a_name_or_settings() -> None:
    base = ModelSettings(base_url="http://one/v1", name="one", dialect="fingertip")
    assert candidate(base, "qwen3-vl").dialect == ""
    other = candidate(base, "dialect=ui_tars, elements=always")
    assert (other.name, other.dialect, other.elements, other.base_url) == (
        "one",
        "ui_tars",
        "always",
        "http://one/v1",
    )
    for wrong in ("api_key=x", "nonsense=1", "temperature=hot"):
        with pytest.raises(UserError):
            candidate(base, wrong)


async def test_an_episode_is_shown_to_a_model_in_its_own_size(tmp_path: Path) -> None:
    actions = ["click(coordinates=(500,300), content='Go')", "finished()"]
    write_episode(tmp_path / "7" / "20250309_133115", actions, texts=["A", "B"])
    (tmp_path / "7" / "20250310_133115").mkdir()
    [recorded] = folder_turns(tmp_path, ActionTreeCodec())
    model = Answers(click(0.2, 0.12), Finished())
    verdict = await judged(model, recorded)
    assert verdict.succeeded
    assert [request.observation.app.package for request in model.requests] == ["com.shop", "com.shop"]
    assert model.requests[0].observation.width == 1000


async def test_a_past_turn_is_asked_again_as_it_was(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    """The scripted model over HTTP judges itself on a turn that it carried out on the simulated phone."""
    async with running_world(adb_server.port, tmp_path / "store") as world:
        assert (await world.carry_out("set an alarm for 7:30")).outcome is Outcome.SUCCESS
        store = Store(tmp_path / "store")
        model = VisionModel(world.settings.model)
        try:
            [recorded] = stored_turns(store, RecordFilter())
            verdict = await TurnEvaluator(model).evaluate(recorded)
        finally:
            await model.close()
            store.close()
    assert verdict is not None
    assert isinstance(verdict.verdicts[-1].recorded, Finished)
    assert sum(step.right for step in verdict.verdicts) >= len(verdict.verdicts) - 1
    assert verdict.usage.requests >= len(verdict.verdicts)
