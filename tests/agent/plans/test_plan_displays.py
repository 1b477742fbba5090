"""A command over several apps on other displays of one simulated phone, and what goes wrong there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from assistant.agent.plans.plan import SubTask
from assistant.events import ApprovalRequested, PhoneStateChanged, QuestionAsked, StepFinished, SubTaskChanged
from assistant.model.types import Decision, StepRequest
from assistant.records import Action, AskUser, Finished, OpenApp, Outcome
from assistant.settings.schema import OtherDisplays
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.android.profiles import Release
from tests.agent.plans.test_plan_turn import (
    LOOK,
    LOOK_TOO,
    RAINING,
    READING,
    TELL,
    TELL_BOTH,
    Scripts,
    Stage,
    Step,
    run_allowing,
    staged_plan,
    telling,
)
from tests.turn_fixture import on_text

ALL_READ = Scripts(lookRail=READING, lookWeather=RAINING, tell=telling("{{a}}, {{b}}"))


def places(stage: Stage, task_id: str) -> list[str]:
    """Where a sub-task ran, one after the other."""
    events = [event for event in stage.all(SubTaskChanged) if event.branch == task_id]
    screens = [event.phone.partition(" · ")[2] for event in events if event.state == "running"]
    return list(dict.fromkeys(screens))


def most_at_once(stage: Stage) -> int:
    """How many sub-tasks ran at once at most."""
    running: set[str] = set()
    counts = [0]
    for event in stage.all(SubTaskChanged):
        running = running - {event.branch} if event.state == "done" else running | {event.branch}
        counts.append(len(running))
    return max(counts)


def injected(stage: Stage) -> list[tuple[int, bool, str]]:
    """What was injected while there were displays: on which, whether it was named, and the app there."""
    return stage.phones[0].services.displays.inputs


def assert_only_where_meant(stage: Stage) -> None:
    """Nothing was injected on a display that was not named, or on another app's than the sub-task's."""
    assert all(named for _display, named, _app in injected(stage))
    apart = {app for display, _named, app in injected(stage) if display}
    assert apart <= {"com.example.rail", "com.example.weather"}


def staged_displays(
    adb_server: PrivateAdbServer,
    folder: Path,
    choose: Callable[[StepRequest], Action | Decision],
    *tasks: SubTask,
    android: Release = 16,
) -> AbstractAsyncContextManager[Stage]:
    """A plan turn on one phone with other displays."""
    displays = OtherDisplays.OVERLAY
    return staged_plan(adb_server.port, folder, choose, *tasks, phones=1, android=android, displays=displays)


async def test_what_only_reads_runs_on_displays_beside_the_own_screen_which_sends(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged_displays(adb_server, tmp_path, ALL_READ, LOOK, LOOK_TOO, TELL_BOTH) as stage:
        assert await run_allowing(stage) is Outcome.SUCCESS
        assert stage.sent(0) == ["Beijing, Shanghai"]
        assert (places(stage, "a"), places(stage, "b"), places(stage, "c")) == (
            ["display 2"],
            ["display 3"],
            [""],
        )
        (asked,) = stage.all(ApprovalRequested)
        assert asked.sentence.startswith("c · Chat: ")
        assert most_at_once(stage) == 2, (
            "what only waits for a value does not hold up the reading of the others"
        )
        assert_only_where_meant(stage)
        assert stage.phones[0].services.displays.shown == {}


@pytest.mark.parametrize("fault", ["dies", "moves", "refuses", "black", "locked"])
async def test_what_goes_wrong_on_a_display_is_read_on_the_own_screen(
    adb_server: PrivateAdbServer, tmp_path: Path, fault: str
) -> None:
    broken: list[Stage] = []

    def spoil(request: StepRequest) -> Action:
        phone = broken[0].phones[0]
        if not request.history and phone.services.displays.shown and not broken[1:]:
            broken.append(broken[0])
            if fault == "dies":
                phone.services.displays.remove(2)
            elif fault == "moves":
                phone.windows.start("com.example.rail")
            elif fault == "black":
                phone.services.quirks.black_displays = True
            elif fault == "locked":
                phone.windows.key(26)
        return OpenApp(name="Rail") if not request.history else Finished(answer="Beijing")

    telling_mom = Scripts(tell=telling("{{a}}"))

    def choose(request: StepRequest) -> Action | Decision:
        return spoil(request) if request.instruction.startswith("look up") else telling_mom(request)

    async with staged_displays(adb_server, tmp_path, choose, LOOK, TELL) as stage:
        broken.append(stage)
        if fault == "refuses":
            stage.phones[0].services.quirks.main_only = "com.example.rail"
        running = asyncio.create_task(run_allowing(stage))
        if fault == "locked":
            await stage.next(SubTaskChanged, lambda event: event.branch == "a" and event.state == "waiting")
            stage.phones[0].windows.key(224)
            stage.phones[0].services.keyguard.showing = False
            stage.phones[0].windows.changed()
        assert await running is Outcome.SUCCESS
        assert stage.sent(0) == ["Beijing"]
        assert places(stage, "a") == ["display 2", ""]
        assert_only_where_meant(stage)


async def test_without_displays_that_can_be_read_the_sub_tasks_come_in_turn_and_it_is_said_why(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged_displays(
        adb_server, tmp_path, ALL_READ, LOOK, LOOK_TOO, TELL_BOTH, android=12
    ) as stage:
        assert await run_allowing(stage) is Outcome.SUCCESS
        assert stage.sent(0) == ["Beijing, Shanghai"]
        told = [event.sentence for event in stage.all(PhoneStateChanged)]
        assert any("does not list the elements of other displays" in sentence for sentence in told)
        assert places(stage, "a") == [""]


async def test_what_needs_approval_is_never_done_on_a_display(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    wants: list[Step] = [OpenApp(name="Chat"), on_text("Mom"), *telling("hi")[2:]]
    look = LOOK.model_copy(update={"instruction": "look up trains on Chat", "app": "Chat"})
    tell = TELL.model_copy(update={"instruction": "tell Mom on Notes: {{a}}", "app": "Notes"})
    scripts = Scripts(lookChat=wants, tell=[Finished(answer="-"), Finished(answer="-")])
    async with staged_displays(adb_server, tmp_path, scripts, look, tell) as stage:
        running = asyncio.create_task(run_allowing(stage))
        moved = await stage.next(
            SubTaskChanged, lambda event: bool(event.sentence) and event.state == "waiting"
        )
        assert "own screen only" in moved.sentence
        assert stage.sent(0) == []
        await running
        assert places(stage, "a") == ["display 2", ""]
        assert all(display == 0 for display, _named, app in injected(stage) if app != "com.example.chat")


async def test_a_question_says_which_display_it_comes_from(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    asks: list[Step] = [OpenApp(name="Rail"), AskUser(question="Which day?"), *READING[1:]]
    scripts = Scripts(lookRail=asks, tell=telling("{{a}}"))
    async with staged_displays(adb_server, tmp_path, scripts, LOOK, TELL) as stage:
        running = asyncio.create_task(run_allowing(stage))
        question = await stage.next(QuestionAsked)
        assert "display 2" in question.question
        question.answer.set_result("today")
        assert await running is Outcome.SUCCESS


async def test_a_touch_on_the_own_screen_leaves_a_display_alone(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    touched: list[Callable[[], None]] = []

    def read(request: StepRequest) -> Action:
        if len(request.history) == 1 and touched:
            touched.pop()()
        return OpenApp(name="Rail") if not request.history else Finished(answer="Beijing")

    async with staged_displays(
        adb_server,
        tmp_path,
        read,
        LOOK,
        LOOK_TOO.model_copy(update={"instruction": "look up rain on Rail", "app": "Rail"}),
    ) as stage:
        touched.append(lambda: stage.phones[0].person.tap(5, 600))
        assert await run_allowing(stage) is Outcome.SUCCESS
        assert touched == []
        assert places(stage, "a") == ["display 2"]
        assert stage.all(StepFinished)
