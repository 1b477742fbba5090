"""An engine that does what a test tells it: it emits real events and remembers what it was told."""

from __future__ import annotations

import asyncio
from asyncio import Future
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from assistant import events
from assistant.conversation.routing import Route, RouteKind
from assistant.conversation.service import Mention, Reply
from assistant.engine import Engine
from assistant.events import (
    ActionKind,
    Answer,
    Approval,
    Cause,
    Deed,
    Event,
    PhoneState,
    PlannedTask,
    Snooze,
    TurnState,
)
from assistant.history import PastTurns
from assistant.memory.programs import CommandQueue, PhoneQueues
from assistant.memory_view.items import MemoryProblem
from assistant.memory_view.service import MemoryView
from assistant.phone.device import Phone
from assistant.phone.errors import PhoneStatus
from assistant.proactive.service import ProactiveService
from assistant.proactive.suggestions import Stage, Suggestion
from assistant.records import (
    Action,
    Click,
    Cost,
    Element,
    ForegroundApp,
    Observation,
    OpenApp,
    Outcome,
    Point,
    Record,
    Source,
    Target,
    TypeText,
    Usage,
)
from assistant.settings.schema import MemorySettings, ModelSettings, Settings
from assistant.skills.service import UnknownTurn
from assistant.skills.skill_step import SkillStep
from assistant.skills.slots import learn_pattern
from assistant.skills.template import SkillTemplate
from assistant.turn_runner import InterruptedTurn, NotReady

from .sample_screens import phone_picture

NOW = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)
EATS = ForegroundApp("com.example.eats", ".Main", "Eats")
PAYBOX = ForegroundApp("com.example.paybox", ".Checkout", "PayBox")
PAY = Click(
    point=Point(0.5, 0.9),
    content="Pay ¥32.00",
    target=Target(
        resource_id="com.example.paybox:id/pay", class_name="android.widget.Button", text="Pay ¥32.00"
    ),
)


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


CUT_OFF = InterruptedTurn("t1", "order my usual lunch", 7, NOW)


def past_suggestion(instruction: str, answer: Answer = Answer.NOT_NOW) -> Suggestion:
    return Suggestion(
        id="s1",
        routine="p1",
        anchor="r1",
        instruction=instruction,
        score=0.9,
        why=(),
        evidence=(),
        scenario="unknown",
        made=NOW,
        due=NOW,
        until=NOW,
        stage=Stage.OVER,
        answer=answer,
    )


class ScriptedEngine(Engine):
    """`calls` lists what the interface asked for, in order. It has no memory, no phone and no model.

    `missing` is what `problem` tells, `broken` what goes wrong at the start, `cut_off` the interrupted turn;
    the rest is what the methods of the engine return.
    """

    state: TurnState | None = None
    front_phone: str = ""
    is_searching: bool = False
    learns: bool = True
    simulated_time: datetime | None = None
    proactive: ProactiveService | None = None
    shown_steps: int = 0
    shown_value: str = ""
    is_held: bool = False
    current_phone: Phone | None = None
    planned: tuple[PlannedTask, ...] = ()

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        simulated: str = "",
        missing: str = "",
        searching: bool = False,
        cut_off: InterruptedTurn | None = None,
        past: Sequence[str] = (),
        records: Sequence[Record] = (),
        broken: str = "",
        old: Sequence[Suggestion] = (),
        connected: Sequence[PhoneStatus] = (),
        has_other_program: bool = False,
        remembered: MemoryView | None = None,
        turns: PastTurns | None = None,
        lived: Sequence[Record] = (),
        command_queue: CommandQueue | None = None,
    ) -> None:
        # Not the engine's own: it would open a memory. Nor is the environment read.
        model = ModelSettings(name="qwen3-vl", base_url="http://localhost:8000/v1")
        self.settings = settings or Settings.model_construct(model=model)
        self.simulated = simulated
        self.missing = missing
        self.is_searching = searching
        self.cut_off = cut_off
        self.also_cut_off: list[InterruptedTurn] = []
        self.past = list(past)
        self.kept_records = list(records)
        self.calls: list[tuple[str, ...]] = []
        self.broken = broken
        self.unsent = False
        self.old = list(old)
        self.connected = list(connected)
        self.has_other_program = has_other_program
        self.replies: dict[str, Reply] = {}
        self.names = [Mention("mom", "Susan Lin"), Mention("Music", "app")]
        self.on_start: Callable[[ScriptedEngine], None] | None = None
        self.remembered = remembered
        self.turns = turns
        self.lived = list(lived)
        self.queues = PhoneQueues(None, command_queue)
        self.ended = asyncio.Event()
        self.ended.set()
        self._queue: asyncio.Queue[Event] = asyncio.Queue()
        self.standing = ""

    async def start(self) -> None:
        if self.broken:
            raise RuntimeError(self.broken)
        if self.on_start is not None:
            self.on_start(self)

    async def memory_ready(self) -> None:
        return

    async def close(self) -> None:
        self.calls.append(("close",))

    async def events(self) -> AsyncIterator[Event]:
        while True:
            yield await self._queue.get()

    async def wait_until_idle(self) -> None:
        await self.ended.wait()

    def run(self, said: str) -> None:
        self._refuse_when_missing()
        self.calls.append(("run", said))

    def run_next(self) -> None:
        with self.command_queue.starting("turn"):
            self.run(self.command_queue.commands[0])

    def pause(self) -> None:
        self.calls.append(("pause",))
        stoppable = (TurnState.RESOLVING, TurnState.RUNNING, TurnState.WAITING)
        if self.state in stoppable:
            self.enter(TurnState.PAUSING, Cause.USER_PAUSED)

    def hold(self, held: bool) -> None:
        self.is_held = held

    def resume(self) -> None:
        self.calls.append(("resume",))
        self.enter(TurnState.RUNNING, Cause.THINKING)

    def cancel(self, cause: Cause = Cause.DONE) -> None:
        self.calls.append(("cancel",))
        self.finish(Outcome.CANCELLED, "", steps=1)

    @property
    def standing_command(self) -> str:
        return self.standing

    @property
    def sub_tasks(self) -> tuple[PlannedTask, ...]:
        return self.planned

    def pause_sub_task(self, name: str) -> None:
        self.calls.append(("pause", name))

    def resume_sub_task(self, name: str) -> None:
        self.calls.append(("resume", name))

    def cancel_sub_task(self, name: str) -> None:
        self.calls.append(("cancel", name))

    def say(self, text: str) -> None:
        self.calls.append(("say", text))
        self.emit(events.UserSaid(time=NOW, text=text))

    def problem(self) -> str:
        return self.missing

    def note_typing(self, unsent: bool) -> None:
        self.unsent = unsent

    def answer_suggestion(self, suggestion_id: str, answer: Answer | Snooze, instruction: str = "") -> None:
        if instruction:
            self._refuse_when_missing()
        self.calls.append(("answer", suggestion_id, answer, instruction))

    async def allow_auto_run(self, suggestion_id: str) -> bool:
        self.calls.append(("allow auto-run", suggestion_id))
        return not self.missing

    def stop_countdown(self, suggestion_id: str) -> None:
        self.calls.append(("stop countdown", suggestion_id))

    async def phones(self) -> Sequence[PhoneStatus]:
        return self.connected

    @property
    def phone_names(self) -> Sequence[tuple[str, str]]:
        return [(status.serial, status.model) for status in self.connected]

    def switch_phone(self, serial: str) -> None:
        self.calls.append(("use", serial))

    def set_scenario(self, scenario: str) -> None:
        self.calls.append(("where", scenario))

    def suggestions(self) -> Sequence[Suggestion]:
        return self.old

    def suggest(
        self,
        instruction: str = "Navigate home and play the evening podcast",
        begins_in: float | None = None,
        evidence: tuple[str, ...] = (),
    ) -> None:
        why = ("at about this time of day 14 of 15 times", "last yesterday")
        starts = None if begins_in is None else NOW + timedelta(seconds=begins_in)
        self.emit(
            events.SuggestionOffered(
                time=NOW,
                id="s1",
                instruction=instruction,
                score=0.94,
                until=NOW,
                why=why,
                evidence=evidence,
                starts=starts,
            )
        )

    @property
    def is_busy(self) -> bool:
        return self.state is not None and not self.state.final

    def interrupted_turn(self) -> InterruptedTurn | None:
        return self.cut_off

    def interrupted_turns(self, newest: int = 4) -> list[InterruptedTurn]:
        return [self.cut_off, *self.also_cut_off] if self.cut_off is not None else []

    def continue_turn(self, turn_id: str) -> None:
        self._refuse_when_missing()
        self.calls.append(("continue", turn_id))

    def discard(self, turn_id: str) -> None:
        self.calls.append(("discard", turn_id))

    async def record(self, instruction: str, shown: Awaitable[object]) -> str:
        self._refuse_when_missing()
        self.calls.append(("record", instruction))
        await shown
        return "shown"

    def keep_skill(self, turn_id: str, name: str = "") -> SkillTemplate:
        if not self.shown_steps:
            raise UnknownTurn(turn_id)
        pattern = learn_pattern(name, [self.shown_value])
        steps = tuple(SkillStep(action=PAY) for _ in range(self.shown_steps))
        return SkillTemplate(id="s", user_id="me", name=name, pattern=pattern, steps=steps, made=NOW)

    def replay(
        self, skill: str, values: Mapping[str, str], start: int = 1, until: int | None = None, then: str = ""
    ) -> None:
        self._refuse_when_missing()
        part = () if (start, until) == (1, None) else (str(start), str(until), then)
        self.calls.append(("replay", skill, *(f"{slot}={value}" for slot, value in values.items()), *part))

    async def reply(self, route: Route) -> Reply:
        self.calls.append(("reply", route.kind))
        if route.kind is RouteKind.FORGET and route.rest and self.remembered is not None:
            try:
                return Reply("It is there.", location=self.remembered.to_forget(route.rest))
            except MemoryProblem as problem:
                return Reply(str(problem), is_answered=False)
        return self.replies.get(route.kind, Reply(f"a reply to {route.kind}"))

    async def mentions(self) -> Sequence[Mention]:
        return list(self.names)

    def past_commands(self) -> Sequence[str]:
        return self.past

    def past_turns(self) -> PastTurns:
        if self.turns is None:
            raise NotReady("There are no past turns.")
        return self.turns

    def pause_learning(self, paused: bool) -> None:
        self.learns = not paused
        self.emit(events.LearningChanged(time=NOW, learns=self.learns))

    def set_retention(self, memory: MemorySettings) -> None:
        self.settings = self.settings.model_copy(update={"memory": memory})

    def memory(self) -> MemoryView:
        if self.remembered is None:
            raise NotReady("The memory is not open yet. Try again in a moment.")
        return self.remembered

    def newest_records(self, count: int) -> list[Record]:
        return self.lived[:count]

    def find_records(self, ids: Sequence[str]) -> list[Record]:
        return [record for record_id in ids for record in self.kept_records if record.id == record_id]

    @property
    def told_everything(self) -> bool:
        return self._queue.empty()

    def emit(self, *some: Event) -> None:
        for event in some:
            self._queue.put_nowait(event)

    def _refuse_when_missing(self) -> None:
        if self.missing:
            raise NotReady(self.missing)

    def phone(self, state: PhoneState = PhoneState.READY, sentence: str = "") -> None:
        model = "Pixel 8" if state is not PhoneState.ABSENT else ""
        battery = 84 if state is PhoneState.READY else None
        self.emit(
            events.PhoneStateChanged(time=NOW, state=state, sentence=sentence, model=model, battery=battery)
        )

    def enter(self, state: TurnState, cause: Cause, sentence: str = "") -> None:
        self.state = None if state.final else state
        self.emit(events.StateChanged(time=NOW, state=state, cause=cause, sentence=sentence))

    def begin(self, said: str, instruction: str = "") -> None:
        self.emit(events.TurnStarted(time=NOW, turn_id="t2", said=said))
        self.enter(TurnState.RESOLVING, Cause.COMMAND)
        if instruction:
            self.emit(events.InstructionResolved(time=NOW, instruction=instruction))

    def observe(
        self,
        step: int,
        app: ForegroundApp = EATS,
        picture: bytes | None = None,
        elements: tuple[Element, ...] = (),
    ) -> None:
        shot = phone_picture() if picture is None else picture
        observation = Observation(width=1080, height=2400, screenshot=shot, elements=elements, app=app)
        self.emit(
            events.StepStarted(time=NOW, step=step),
            events.ScreenObserved(time=NOW, step=step, app=app, observation=observation),
        )

    def think(self, step: int, *pieces: str) -> None:
        self.enter(TurnState.RUNNING, Cause.THINKING)
        for piece in pieces:
            self.emit(events.ThoughtStreamed(time=NOW, step=step, text=piece))

    def choose(self, step: int, action: Action, source: Source = Source.MODEL) -> None:
        self.emit(events.ActionChosen(time=NOW, step=step, action=action, source=source))

    def act(
        self, step: int, action: Action, source: Source = Source.MODEL, seconds: float = 2.1, error: str = ""
    ) -> None:
        self.emit(
            events.StepFinished(
                time=NOW,
                step=step,
                action=action,
                source=source,
                seconds=seconds,
                model_seconds=seconds * 0.8,
                phone_seconds=seconds * 0.2,
                own_seconds=0.01,
                error=error,
            )
        )

    def use(self, tokens: int) -> None:
        today = (Cost(amount=0.004),)
        usage = Usage(prompt_tokens=tokens, requests=1)
        self.emit(events.UsageUpdated(time=NOW, usage=usage, costs_today=today))

    def ask_approval(
        self,
        step: int,
        action: Action = PAY,
        kind: ActionKind = ActionKind.PAY,
        app: ForegroundApp = PAYBOX,
        sentence: str = "",
        text: str = "",
        crop: bytes = b"",
        warning: str = "",
        page_words: tuple[str, ...] = (),
        pages_before: tuple[str, ...] = (),
    ) -> Future[Approval]:
        decision: Future[Approval] = asyncio.get_running_loop().create_future()
        self.enter(TurnState.WAITING, Cause.APPROVAL)
        self.emit(
            events.ApprovalRequested(
                time=NOW,
                step=step,
                kind=kind,
                action=action,
                app=app,
                decision=decision,
                sentence=sentence,
                text=text,
                crop=crop,
                warning=warning,
                page_words=page_words,
                pages_before=pages_before,
                deed=Deed(
                    kind=kind,
                    package=app.package,
                    app=app.title,
                    recipient="Corner Noodle House" if kind in (ActionKind.PAY, ActionKind.SEND) else "",
                    amount="¥32.00" if kind is ActionKind.PAY else "",
                    text=text,
                ),
            )
        )
        return decision

    def ask_question(
        self, step: int, question: str, choices: tuple[str, ...] = (), kept: bool = False, about: str = ""
    ) -> Future[str]:
        answer: Future[str] = asyncio.get_running_loop().create_future()
        self.enter(TurnState.WAITING, Cause.QUESTION)
        self.emit(
            events.QuestionAsked(
                time=NOW,
                step=step,
                question=question,
                answer=answer,
                choices=choices,
                kept=kept,
                is_value=kept,
                about=about,
            )
        )
        return answer

    def propose(self, instruction: str, seconds: float = 4.0, unlike: str = "") -> Future[str]:
        decision: Future[str] = asyncio.get_running_loop().create_future()
        self.enter(TurnState.WAITING, Cause.MEANING)
        self.emit(
            events.MeaningProposed(
                time=NOW, instruction=instruction, seconds=seconds, decision=decision, unlike=unlike
            )
        )
        return decision

    def finish(self, outcome: Outcome, answer: str, steps: int, cause: Cause = Cause.DONE) -> None:
        state = {
            Outcome.SUCCESS: TurnState.FINISHED,
            Outcome.FAILED: TurnState.FAILED,
            Outcome.CANCELLED: TurnState.CANCELLED,
            Outcome.UNCONFIRMED: TurnState.UNCONFIRMED,
        }[outcome]
        self.emit(
            events.TurnFinished(
                time=NOW,
                turn_id="t2",
                outcome=outcome,
                answer=answer,
                steps=steps,
                usage=Usage(prompt_tokens=11_800, completion_tokens=640, requests=steps),
                seconds=31.4,
                cause=cause,
            )
        )
        self.enter(state, cause)


def lunch(engine: ScriptedEngine) -> None:
    """Three steps of ordering lunch, and a fourth under way."""
    engine.begin("order my usual lunch", "Order beef noodles without coriander on Eats to the office")
    steps: list[tuple[Action, Source, float]] = [
        (OpenApp(name="Eats"), Source.REPLAYED, 0.3),
        (Click(point=Point(0.5, 0.1), content="Search"), Source.REPLAYED, 0.2),
        (TypeText(text="beef noodles"), Source.MODEL, 2.1),
    ]
    for number, (action, source, seconds) in enumerate(steps, start=1):
        engine.observe(number)
        engine.choose(number, action, source)
        engine.act(number, action, source, seconds)
    engine.use(9400)
    engine.observe(4)
    engine.think(
        4,
        "The list shows two shops. The user's last orders ",
        "came from the corner one, so that is the one to open.",
    )
