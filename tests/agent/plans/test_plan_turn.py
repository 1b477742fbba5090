"""A command over several apps on several simulated phones: values pass, nothing lands on a wrong phone.

The phones and their apps are simulated, the models follow scripts; adb and everything above is real.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from assistant.agent.context import TurnContext, Workplace
from assistant.agent.plans.plan import Plan, SubTask
from assistant.agent.plans.plan_turn import PlanTurn
from assistant.events import (
    ActionChosen,
    Approval,
    ApprovalRequested,
    Cause,
    PlanMade,
    StateChanged,
    StepFinished,
    SubTaskChanged,
    TurnFinished,
    TurnState,
    UserSaid,
    Verdict,
)
from assistant.memory.forgetting import forget
from assistant.memory.store import Store, ignored_records
from assistant.memory.turns import Checkpoint
from assistant.model.types import Decision, StepRequest
from assistant.phone.adb import AdbServer
from assistant.phone.device import Phone
from assistant.phone.displays import MAX_DISPLAYS, Displays
from assistant.records import Action, Failed, Finished, Observation, OpenApp, Outcome, TypeText
from assistant.settings.schema import OtherDisplays, PhoneSettings, Settings, TurnSettings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.android.profiles import Release
from assistant.simulator.apps.base import Difficulties
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from assistant.turn_runner import DisplayPlaces, find_interrupted
from tests.turn_fixture import EventLog, FunctionModel, on_id, on_text
from tests.worlds import DENSITY, LIMIT, SIZE, START

Step = Action | Callable[[Observation], Action]

LOOK = SubTask(id="a", instruction="look up trains on Rail", app="Rail", value="the time")
LOOK_TOO = SubTask(id="b", instruction="look up rain on Weather", app="Weather", value="the result")
TELL = SubTask(id="c", instruction="tell Mom on Chat: {{a}}", app="Chat")
TELL_BOTH = TELL.model_copy(update={"instruction": "tell Mom on Chat: {{a}}, {{b}}"})

SENT_BEFORE = "Yes, noodles again."
"""What the fresh phone has sent to Mom."""

READING: list[Step] = [OpenApp(name="Rail"), Finished(answer="Beijing"), Finished(answer="Beijing")]
RAINING: list[Step] = [
    OpenApp(name="Weather"),
    Finished(answer="Shanghai"),
    Finished(answer="Shanghai"),
]


def telling(text: str) -> list[Step]:
    """The steps that send Mom a message."""
    return [
        OpenApp(name="Chat"),
        on_text("Mom"),
        on_id("message_input"),
        TypeText(text=text),
        on_id("send_button"),
        Finished(answer="sent"),
        Finished(answer="sent"),
    ]


class Scripts:
    """Decides by the beginning of the instruction, one step after the other for each turn that is begun.

    `held` keeps a sub-task from its next decision until it is set. Where a request comes for a step again,
    because the decision waited for a value, the same step is given again.
    """

    def __init__(self, **steps: Sequence[Step]) -> None:
        self.steps = steps
        self.requests: list[tuple[str, StepRequest]] = []

    def __call__(self, request: StepRequest) -> Action | Decision:
        """The next step of a sub-task, by the verb of its instruction."""
        key = request.instruction.split()[0] + request.instruction.split()[-1]
        name = next((name for name in self.steps if key.startswith(name) or name in key), "")
        self.requests.append((name, request))
        steps = self.steps.get(name, ())
        place = len(request.history)
        if place >= len(steps):
            return Failed(reason="The script is over.")
        step = steps[place]
        return step(request.observation) if callable(step) else step


@dataclass
class Stage(EventLog):
    """A plan turn, its phones and its events; the first phone is the one in use."""

    turn: PlanTurn
    phones: list[SimulatedPhone]
    models: list[FunctionModel]
    store: Store
    make: Callable[[Checkpoint, bool, int], PlanTurn]

    def sent(self, number: int) -> list[str]:
        """What was sent to Mom from a phone in the test."""
        messages: dict[str, Any] = self.phones[number].state()["apps"]["com.example.chat"]["messages"]
        mine = [message["text"] for message in messages["Mom"] if message["from"] == "me"]
        return [text for text in mine if text != SENT_BEFORE]

    def states(self, task_id: str) -> list[str]:
        """The states of a sub-task, one after the other."""
        return [event.state for event in self.all(SubTaskChanged) if event.branch == task_id]


@asynccontextmanager
async def staged_plan(
    adb_port: int,
    folder: Path,
    choose: Callable[[StepRequest], Action | Decision],
    *tasks: SubTask,
    phones: int = 2,
    attended: bool = True,
    limits: TurnSettings | None = None,
    android: Release = 12,
    displays: OtherDisplays = OtherDisplays.OFF,
) -> AsyncIterator[Stage]:
    """A plan turn that is ready to run."""
    adb = AdbServer("127.0.0.1", adb_port)
    async with AsyncExitStack() as stack:
        options = PhoneOptions(
            start=START, size=SIZE, density=DENSITY, difficulties=Difficulties.none(), android=android
        )
        simulated = [await stack.enter_async_context(SimulatedPhone(options)) for _ in range(phones)]
        for phone in simulated:
            await adb.connect(phone.serial)
            stack.push_async_callback(adb.disconnect, phone.serial)
        settings = PhoneSettings(
            serial=simulated[0].serial,
            adb_port=adb_port,
            command_deadline=4.0,
            settle_cap=1.0,
            return_wait=1.0,
            displays=displays,
        )
        store = Store(folder)
        stack.callback(store.close)
        models = [FunctionModel(choose) for _ in range(phones + MAX_DISPLAYS)]
        for model in models:
            stack.push_async_callback(model.close)
        places = [
            Workplace(Phone(adb, phone.serial, settings, folder), model)
            for phone, model in zip(simulated, models, strict=False)
        ]
        stages: list[Stage] = []
        context = TurnContext(
            phone=places[0].phone,
            model=models[0],
            store=store,
            settings=Settings(
                store=folder, phone=settings, turn=limits or TurnSettings(confirm_meaning_seconds=0)
            ),
            now=lambda: datetime.now(START.tzinfo),
            emit=lambda event: stages[0].tell(event),
            attended=attended,
        )
        plan = Plan(said="all of it", tasks=tasks)

        async def make_plan(instruction: str) -> Plan:
            return plan

        others = iter(models[phones:])

        def make(checkpoint: Checkpoint, continued: bool, helpers: int) -> PlanTurn:
            made = Displays(adb, settings.serial, settings, folder)
            screens = DisplayPlaces(made, context, lambda phone: Workplace(phone, next(others)))
            return PlanTurn(
                context,
                checkpoint,
                places[1 : 1 + helpers],
                make_plan,
                continued=continued,
                displays=screens if displays is not OtherDisplays.OFF else None,
            )

        checkpoint = Checkpoint(
            turn_id="t", user_id="me", started=START, said="all of it", instruction="all of it"
        )
        stage = Stage(make(checkpoint, False, phones - 1), simulated, models[:phones], store, make)
        stages.append(stage)
        yield stage


async def run_allowing(stage: Stage) -> Outcome:
    """Run a plan turn to its end with a yes to everything."""
    running = asyncio.create_task(stage.turn.run())
    answered: set[int] = set()
    async with asyncio.timeout(LIMIT):
        while not running.done():
            for event in stage.all(ApprovalRequested):
                if id(event) not in answered and not event.decision.done():
                    answered.add(id(event))
                    event.decision.set_result(Approval(Verdict.ONCE))
            stage.news.clear()
            waiting = asyncio.create_task(stage.news.wait())
            await asyncio.wait([running, waiting], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
    return await running


async def test_values_pass_from_two_phones_into_the_message_that_the_phone_in_use_sends(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    scripts = Scripts(lookRail=READING, lookWeather=RAINING, tell=telling("{{a}}, {{b}}"))
    async with staged_plan(adb_server.port, tmp_path, scripts, LOOK, LOOK_TOO, TELL_BOTH, phones=3) as stage:
        assert await run_allowing(stage) is Outcome.SUCCESS, stage.all(TurnFinished)[0].answer
        assert stage.sent(0) == ["Beijing, Shanghai"]
        assert [stage.sent(number) for number in (1, 2)] == [[], []]
        (made,) = stage.all(PlanMade)
        assert [task.needs for task in made.tasks] == [(), (), ("a", "b")]
        assert stage.states("a") == ["running", "done"]
        assert stage.states("c")[0] == "running"
        (ended,) = stage.all(TurnFinished)
        assert len(ended.deeds) == 1
        steps = [event.step for event in stage.all(StepFinished)]
        assert sorted(set(steps)) == list(range(1, max(steps) + 1))
        (asked,) = stage.all(ApprovalRequested)
        assert asked.branch == "c"
        assert asked.sentence.startswith("c · Chat: ")


async def test_the_last_sub_task_prepares_all_until_its_value_is_there(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    scripts = Scripts(lookRail=READING, tell=telling("{{a}}"))
    async with staged_plan(adb_server.port, tmp_path, scripts, LOOK, TELL) as stage:
        stage.models[1].may_answer.clear()
        running = asyncio.create_task(run_allowing(stage))
        waits = await stage.next(SubTaskChanged, lambda event: event.state == "needs")
        assert (waits.branch, waits.sentence) == ("c", "Waits for a · Rail.")
        assert stage.sent(0) == []
        stage.models[1].may_answer.set()
        assert await running is Outcome.SUCCESS
        assert stage.sent(0) == ["Beijing"]
        told = [request for name, request in scripts.requests if name == "tell"]
        assert "stands for" in "".join(told[0].notes)
        assert told[-1].instruction == "tell Mom on Chat: Beijing"


async def test_with_one_phone_the_sub_tasks_come_in_turn(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    scripts = Scripts(lookRail=READING, lookWeather=RAINING, tell=telling("{{a}}, {{b}}"))
    async with staged_plan(adb_server.port, tmp_path, scripts, LOOK, LOOK_TOO, TELL_BOTH, phones=1) as stage:
        assert await run_allowing(stage) is Outcome.SUCCESS
        assert stage.sent(0) == ["Beijing, Shanghai"]


async def test_what_an_unplugged_phone_was_to_find_out_the_phone_in_use_reads_itself(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    scripts = Scripts(lookRail=READING, tell=telling("{{a}}"))
    async with staged_plan(adb_server.port, tmp_path, scripts, LOOK, TELL) as stage:
        stage.models[1].may_answer.clear()
        running = asyncio.create_task(run_allowing(stage))
        await stage.next(SubTaskChanged, lambda event: event.state == "needs")
        await stage.phones[1].stop()
        stage.models[1].may_answer.set()
        assert await running is Outcome.SUCCESS
        assert stage.sent(0) == ["Beijing"]
        assert "waiting" in stage.states("a")
        assert "waiting" in stage.states("c")


async def test_what_goes_wrong_on_another_phone_is_read_again_and_what_fails_twice_ends_the_turn(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    scripts = Scripts(lookRail=[OpenApp(name="Rail"), Failed(reason="no trains")], tell=telling("{{a}}"))
    async with staged_plan(adb_server.port, tmp_path, scripts, LOOK, TELL) as stage:
        assert await run_allowing(stage) is Outcome.FAILED
        assert stage.sent(0) == []
        assert stage.states("a") == ["running", "waiting", "running", "failed"]
        assert stage.states("c")[-1] in ("cancelled", "skipped")
        (ended,) = stage.all(TurnFinished)
        assert "no trains" in ended.answer


async def test_nothing_is_sent_without_a_yes(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    scripts = Scripts(lookRail=READING, tell=telling("{{a}}"))
    async with staged_plan(adb_server.port, tmp_path, scripts, LOOK, TELL, attended=False) as stage:
        async with asyncio.timeout(LIMIT):
            assert await stage.turn.run() is Outcome.FAILED
        assert stage.sent(0) == []


async def begin_thinking(stage: Stage) -> asyncio.Task[Outcome]:
    """Run the turn until the models of all sub-tasks think; they go on once they may answer."""
    for model in stage.models:
        model.may_answer.clear()
    running = asyncio.create_task(run_allowing(stage))
    await stage.next(SubTaskChanged, lambda event: event.branch == "c")
    async with asyncio.timeout(LIMIT):
        await asyncio.gather(*(model.thinking.wait() for model in stage.models))
    return running


async def test_pause_resume_and_cancel_hold_for_all_and_for_one(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    scripts = Scripts(lookRail=READING, lookWeather=RAINING, tell=telling("{{a}}, {{b}}"))
    async with staged_plan(adb_server.port, tmp_path, scripts, LOOK, LOOK_TOO, TELL_BOTH, phones=3) as stage:
        running = await begin_thinking(stage)
        stage.turn.pause()
        await stage.next(StateChanged, lambda event: event.state is TurnState.PAUSED)
        asked = sum(len(model.requests) for model in stage.models)
        for model in stage.models:
            model.may_answer.set()
        assert sum(len(model.requests) for model in stage.models) == asked
        stage.turn.resume()
        stage.turn.cancel(branch="b")
        assert await running is Outcome.CANCELLED
        assert stage.states("b")[-1] == "cancelled"
        assert stage.sent(0) == []


async def test_a_sub_task_that_begins_while_the_turn_is_held_waits_too(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged_plan(adb_server.port, tmp_path, Scripts(lookRail=READING), LOOK, phones=1) as stage:
        stage.turn.hold(True)
        running = asyncio.create_task(run_allowing(stage))
        await stage.next(StateChanged, lambda event: event.cause is Cause.HELD)
        assert stage.all(ActionChosen) == []
        stage.turn.hold(False)
        assert await running is Outcome.SUCCESS
        assert stage.all(ActionChosen)


async def test_one_sub_task_that_is_paused_alone_leaves_the_others_and_the_whole_running(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    scripts = Scripts(lookRail=READING, lookWeather=RAINING, tell=telling("{{a}}, {{b}}"))
    async with staged_plan(adb_server.port, tmp_path, scripts, LOOK, LOOK_TOO, TELL_BOTH, phones=3) as stage:
        running = await begin_thinking(stage)
        stage.turn.pause("a")
        assert stage.states("a")[-1] == "paused"
        for model in stage.models:
            model.may_answer.set()
        await stage.next(SubTaskChanged, lambda event: (event.branch, event.state) == ("b", "done"))
        assert stage.turn.state is TurnState.RUNNING
        assert stage.states("a")[-1] == "paused"
        stage.turn.resume("a")
        assert await running is Outcome.SUCCESS
        assert stage.states("a")[-2:] == ["running", "done"]
        assert {event.state for event in stage.all(StateChanged)}.isdisjoint(
            (TurnState.PAUSING, TurnState.PAUSED)
        )


async def test_a_sub_task_that_has_not_begun_is_told_what_the_user_said_of_its_app(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    scripts = Scripts(lookRail=READING, tell=telling("{{a}}"))
    async with staged_plan(adb_server.port, tmp_path, scripts, LOOK, TELL, phones=1) as stage:
        stage.models[0].may_answer.clear()
        running = asyncio.create_task(run_allowing(stage))
        await stage.next(SubTaskChanged, lambda event: (event.branch, event.state) == ("a", "running"))
        stage.turn.say("Chat: the long one")
        stage.models[0].may_answer.set()
        assert await running is Outcome.SUCCESS
        heard = {
            name: any("the long one" in note for note in request.notes) for name, request in scripts.requests
        }
        assert heard == {"lookRail": False, "tell": True}
        assert [event.text for event in stage.all(UserSaid)] == ["Chat: the long one"]


async def test_a_limit_holds_for_all_sub_tasks_together(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    scripts = Scripts(lookRail=READING, lookWeather=RAINING, tell=telling("{{a}}, {{b}}"))
    limits = TurnSettings(max_steps=5, confirm_meaning_seconds=0)
    async with staged_plan(
        adb_server.port, tmp_path, scripts, LOOK, LOOK_TOO, TELL_BOTH, phones=3, limits=limits
    ) as stage:
        assert await run_allowing(stage) is Outcome.FAILED
        assert stage.sent(0) == []
        (ended,) = stage.all(TurnFinished)
        assert "the most that the settings allow" in ended.answer


async def test_a_killed_plan_goes_on_where_it_stood_and_sends_nothing_twice(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    scripts = Scripts(lookRail=READING, tell=telling("{{a}}"))
    async with staged_plan(adb_server.port, tmp_path, scripts, LOOK, TELL) as stage:
        running = asyncio.create_task(stage.turn.run())
        (await stage.next(ApprovalRequested)).decision.set_result(Approval(Verdict.ONCE))
        await stage.next(
            StepFinished,
            lambda event: (
                event.branch == "c" and event.action.type == "click" and "send" in repr(event.action.target)
            ),
        )
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert stage.sent(0) == ["Beijing"]
        left = stage.store.turns.newest_open("me")
        assert left is not None
        assert left.turn_id == "t"
        assert left.plan is not None
        (interrupted,) = find_interrupted(stage.store, "me", 4)
        stored = [stage.store.turns.load(f"t+{name}") for name in "ac"]
        assert interrupted.steps == sum(len(each[0].steps) for each in stored if each is not None) > 2
        before = len(scripts.requests)
        stage.turn = stage.make(left, True, 1)
        assert await run_allowing(stage) is Outcome.SUCCESS
        assert stage.sent(0) == ["Beijing"]
        assert {name for name, _ in scripts.requests[before:]} == {"tell"}
        assert stage.store.turns.newest_open("me") is None


async def test_the_parts_are_kept_teach_no_wishes_and_go_with_the_whole(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    scripts = Scripts(lookRail=READING, lookWeather=RAINING)
    async with staged_plan(adb_server.port, tmp_path, scripts, LOOK, LOOK_TOO) as stage:
        assert await run_allowing(stage) is Outcome.SUCCESS
        parts = [f"t+{name}" for name in "ab"]
        assert all(stage.store.records.get(part) is not None for part in parts)
        with stage.store.reader() as connection:
            assert set(parts) <= ignored_records(connection, "me")
            assert "t" not in ignored_records(connection, "me")
        assert stage.store.turns.commands("me") == ["all of it"]
        assert len(stage.store.turns.past_plans("me")) == 1
        forget(stage.store, ["t"])
        assert all(stage.store.records.get(part) is None for part in parts)
        assert stage.store.turns.load("t+a") is None
