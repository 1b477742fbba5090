"""What a command was taken to mean is shown before anything runs, where somebody is there to see it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest

from assistant.agent.checkpoint import TurnCheckpointer
from assistant.agent.context import (
    AppLookup,
    AskAboutCommand,
    AskOnce,
    NamedSecrets,
    ResolvedCommand,
    RunLookup,
    TurnContext,
)
from assistant.agent.instruction_check import find_unheeded, remarks_of
from assistant.agent.turn import Turn
from assistant.agent.turn_control import Interrupted, NothingOrdered, Signal, TurnCommandResolver, TurnControl
from assistant.agent.user_prompts import UserPrompter
from assistant.events import (
    ActionKind,
    CommandCorrected,
    Deed,
    Event,
    MeaningProposed,
    QuestionAsked,
    StateChanged,
    TurnStarted,
    TurnState,
)
from assistant.memory.store import open_store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.model.client import VisionModel
from assistant.phone.device import Phone
from assistant.records import PressBack
from assistant.safety.amounts import Allowance
from assistant.settings.schema import Settings, TurnSettings

NOW = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)
MEANT = "Order beef noodles"


@dataclass
class Case:
    """One turn that is about to understand its command."""

    resolved: ResolvedCommand
    later: list[ResolvedCommand] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    calls: int = 0
    restated: dict[str, tuple[str, bool]] = field(default_factory=dict)
    asked_to_restate: list[tuple[str, str]] = field(default_factory=list)
    control: TurnControl = field(default_factory=lambda: TurnControl(lambda *_: None))
    checkpointer: TurnCheckpointer = field(init=False)
    resolver: TurnCommandResolver = field(init=False)

    async def __call__(self, command: str, look_up: RunLookup, ask_user: AskAboutCommand) -> ResolvedCommand:
        self.calls += 1
        self.heard.append(command)
        return self.later.pop(0) if self.calls > 1 and self.later else self.resolved

    async def restate(self, instruction: str, remark: str) -> tuple[str, bool]:
        self.asked_to_restate.append((instruction, remark))
        for _ in range(3):
            await asyncio.sleep(0)
        return self.restated.get(remark, ("", False))

    async def settle(self) -> None:
        """Let the turn go on until it waits."""
        for _ in range(20):
            await asyncio.sleep(0)

    async def proposed(self) -> MeaningProposed:
        """The proposal that waits now."""
        await self.settle()
        newest = self.events[-1]
        assert isinstance(newest, MeaningProposed)
        assert not newest.decision.done()
        return newest


@asynccontextmanager
async def case(
    folder: Path,
    resolved: ResolvedCommand,
    *,
    attended: bool = True,
    seconds: float = 4.0,
    memory_ready: asyncio.Future[None] | None = None,
) -> AsyncIterator[Case]:
    settings = Settings(store=folder, turn=TurnSettings(confirm_meaning_seconds=seconds))
    store = open_store(settings, lambda: NOW)
    turn = Case(resolved)
    checkpoint = Checkpoint(
        turn_id="t", user_id="me", started=NOW, said="my usual lunch", instruction="my usual lunch"
    )
    context = TurnContext(
        phone=cast(Phone, None),
        model=cast(VisionModel, None),
        store=store,
        settings=settings,
        now=lambda: NOW,
        emit=turn.events.append,
        attended=attended,
        command_resolver=turn,
        memory_ready=memory_ready,
        restate=turn.restate,
    )
    turn.checkpointer = TurnCheckpointer(store, checkpoint, stored=False)
    prompter = UserPrompter(context, turn.control, "me")
    turn.resolver = TurnCommandResolver(
        context, turn.control, turn.checkpointer, prompter, lambda *_: cast(Turn, None)
    )
    try:
        yield turn
    finally:
        store.close()


@pytest.mark.parametrize(
    ("resolved", "attended", "seconds"),
    [
        (ResolvedCommand(MEANT, assumed=True), False, 4.0),
        (ResolvedCommand(MEANT, assumed=True), True, 0.0),
        (ResolvedCommand(MEANT), True, 4.0),
    ],
    ids=["nobody is there", "waiting is off", "nothing is assumed"],
)
async def test_it_goes_on_at_once(
    tmp_path: Path, resolved: ResolvedCommand, attended: bool, seconds: float
) -> None:
    async with case(tmp_path, resolved, attended=attended, seconds=seconds) as turn:
        await turn.resolver.resolve()
        assert turn.events == []
        assert turn.checkpointer.checkpoint.instruction == MEANT


@pytest.mark.parametrize("answer", [MEANT, "  ", f" {MEANT} "])
async def test_what_is_left_as_it_stands_is_carried_out_with_its_reference(
    tmp_path: Path, answer: str
) -> None:
    corrected: list[str] = []
    resolved = ResolvedCommand(MEANT, "It was done so before.", assumed=True, on_correction=corrected.append)
    async with case(tmp_path, resolved) as turn:
        finding = asyncio.create_task(turn.resolver.resolve())
        proposed = await turn.proposed()
        assert (proposed.instruction, proposed.seconds) == (MEANT, 4.0)
        states = [turn.control.state]
        assert turn.checkpointer.checkpoint.instruction == "my usual lunch"
        proposed.decision.set_result(answer)
        await finding
        states.append(turn.control.state)
        assert states == [TurnState.WAITING, TurnState.RUNNING]
        assert turn.checkpointer.checkpoint.instruction == MEANT
        assert turn.checkpointer.checkpoint.notes == ("It was done so before.",)
        assert corrected == []


async def test_what_is_changed_is_carried_out_and_taught(tmp_path: Path) -> None:
    corrected: list[str] = []
    resolved = ResolvedCommand(MEANT, "It was done so before.", assumed=True, on_correction=corrected.append)
    async with case(tmp_path, resolved) as turn:
        finding = asyncio.create_task(turn.resolver.resolve())
        (await turn.proposed()).decision.set_result("Order rice")
        await finding
        assert turn.checkpointer.checkpoint.instruction == "Order rice"
        assert turn.checkpointer.checkpoint.notes == ()
        assert corrected == ["Order rice"]


async def test_of_what_orders_nothing_no_instruction_is_kept(tmp_path: Path) -> None:
    async with case(tmp_path, ResolvedCommand(MEANT, assumed=True, orders_nothing=True)) as turn:
        with pytest.raises(NothingOrdered):
            await turn.resolver.resolve()
        assert turn.checkpointer.checkpoint.instruction == "my usual lunch"


@pytest.mark.parametrize("said", ["dial the plumber", "把客厅的灯关掉"])
async def test_a_command_typed_at_a_question_is_the_command_of_the_turn(tmp_path: Path, said: str) -> None:
    async with case(tmp_path, ResolvedCommand("my usual lunch", instead=said)) as turn:
        turn.later.append(ResolvedCommand(said))
        await turn.resolver.resolve()
        checkpoint = turn.checkpointer.checkpoint
        assert (checkpoint.said, checkpoint.instruction) == (said, said)
        assert turn.heard == ["my usual lunch", said]
        started = [event.said for event in turn.events if isinstance(event, TurnStarted)]
        assert started == [said]


async def test_what_such_a_command_corrects_in_itself_is_corrected(tmp_path: Path) -> None:
    said = "set an alarm for 7, no wait, 7:40"
    async with case(tmp_path, ResolvedCommand("my usual lunch", instead=said)) as turn:
        turn.later.append(ResolvedCommand("set an alarm for 7:40"))
        await turn.resolver.resolve()
        assert turn.heard[1:] == ["set an alarm for 7:40"]
        assert turn.checkpointer.checkpoint.said == said


async def test_after_a_pause_it_is_proposed_again_without_being_understood_again(tmp_path: Path) -> None:
    async with case(tmp_path, ResolvedCommand(MEANT, assumed=True)) as turn:
        finding = asyncio.create_task(turn.resolver.resolve())
        first = await turn.proposed()
        turn.control.pause()
        with pytest.raises(Interrupted):
            await finding
        assert first.decision.cancelled()
        assert turn.control.state is TurnState.PAUSING
        turn.control.apply_signal(Signal.STILL, turn.control.cause)
        turn.control.apply_signal(Signal.RESUME, turn.control.cause)
        finding = asyncio.create_task(turn.resolver.resolve())
        (await turn.proposed()).decision.set_result("Order rice")
        await finding
        assert (turn.calls, turn.checkpointer.checkpoint.instruction) == (1, "Order rice")


async def test_a_cancel_ends_the_wait(tmp_path: Path) -> None:
    async with case(tmp_path, ResolvedCommand(MEANT, assumed=True)) as turn:
        finding = asyncio.create_task(turn.resolver.resolve())
        proposed = await turn.proposed()
        turn.control.cancel()
        with pytest.raises(Interrupted):
            await finding
        assert proposed.decision.cancelled()
        assert turn.checkpointer.checkpoint.instruction == "my usual lunch"


@dataclass
class SlowResolver:
    """Asks a source that does not answer the first time, and then asks the user."""

    calls: int = 0
    dropped: int = 0

    async def __call__(self, command: str, look_up: RunLookup, ask_user: AskAboutCommand) -> ResolvedCommand:
        self.calls += 1
        if self.calls == 1:
            try:
                await asyncio.Event().wait()
            finally:
                self.dropped += 1
        return ResolvedCommand(f"order {await ask_user('Which lunch?', ())}")


@pytest.mark.parametrize("stop", [TurnControl.cancel, TurnControl.pause])
async def test_a_cancel_and_a_pause_drop_a_source_that_does_not_answer(
    tmp_path: Path, stop: Callable[[TurnControl], None]
) -> None:
    async with case(tmp_path, ResolvedCommand(MEANT)) as turn:
        slow = SlowResolver()
        turn.resolver._context = replace(turn.resolver._context, command_resolver=slow)
        resolving = asyncio.create_task(turn.resolver.resolve())
        await turn.settle()
        stop(turn.control)
        with pytest.raises(Interrupted):
            await asyncio.wait_for(resolving, 1)
        assert (slow.calls, slow.dropped) == (1, 1)


async def test_a_pause_at_a_question_of_the_resolver_asks_again_afterwards(tmp_path: Path) -> None:
    async with case(tmp_path, ResolvedCommand(MEANT)) as turn:
        turn.resolver._context = replace(turn.resolver._context, command_resolver=SlowResolver(calls=1))
        resolving = asyncio.create_task(turn.resolver.resolve())
        await turn.settle()
        question = turn.events[-1]
        assert isinstance(question, QuestionAsked)
        turn.control.pause()
        with pytest.raises(Interrupted):
            await asyncio.wait_for(resolving, 1)
        assert question.answer.cancelled()
        turn.control.apply_signal(Signal.STILL, turn.control.cause)
        turn.control.apply_signal(Signal.RESUME, turn.control.cause)
        resolving = asyncio.create_task(turn.resolver.resolve())
        await turn.settle()
        question = turn.events[-1]
        assert isinstance(question, QuestionAsked)
        question.answer.set_result("rice")
        await resolving
        assert turn.checkpointer.checkpoint.instruction == "order rice"


async def test_a_command_waits_for_a_memory_that_is_being_filled_and_says_so(tmp_path: Path) -> None:
    memory_ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    async with case(tmp_path, ResolvedCommand(MEANT), memory_ready=memory_ready) as turn:
        finding = asyncio.create_task(turn.resolver.resolve())
        await asyncio.sleep(0)
        (waits,) = turn.events
        assert isinstance(waits, StateChanged)
        assert (waits.state, waits.sentence) == (TurnState.RESOLVING, "The memory is filled first.")
        assert turn.calls == 0
        memory_ready.set_result(None)
        await finding
        assert (turn.calls, turn.checkpointer.checkpoint.instruction) == (1, MEANT)
        assert isinstance(turn.events[-1], StateChanged)
        assert turn.events[-1].sentence == ""


async def test_a_cancel_leaves_the_filling_alone(tmp_path: Path) -> None:
    memory_ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    async with case(tmp_path, ResolvedCommand(MEANT), memory_ready=memory_ready) as turn:
        finding = asyncio.create_task(turn.resolver.resolve())
        await asyncio.sleep(0)
        turn.control.cancel()
        with pytest.raises(Interrupted):
            await finding
        assert (turn.calls, memory_ready.done()) == (0, False)


async def test_a_look_has_no_approvals_and_no_secrets_and_asks_nobody(tmp_path: Path) -> None:
    contexts: list[TurnContext] = []

    class Refused(Exception):
        pass

    def make_lookup_turn(context: TurnContext, checkpoint: Checkpoint) -> Turn:
        contexts.append(context)
        raise Refused

    store = open_store(Settings(store=tmp_path), lambda: NOW)
    checkpoint = Checkpoint(turn_id="t", user_id="me", started=NOW, said="call mom", instruction="call mom")

    async def understand(command: str, look_up: RunLookup, ask_user: AskAboutCommand) -> ResolvedCommand:
        await look_up(AppLookup("Find mom", "Contacts", 5, 20.0))
        return ResolvedCommand(command)

    context = TurnContext(
        phone=cast(Phone, None),
        model=cast(VisionModel, None),
        store=store,
        settings=Settings(store=tmp_path),
        now=lambda: NOW,
        emit=lambda _event: None,
        attended=True,
        allowances=tuple(map(Allowance, ActionKind)),
        secrets=cast(NamedSecrets, object()),
        command_resolver=understand,
    )
    control, checkpointer = TurnControl(lambda *_: None), TurnCheckpointer(store, checkpoint, stored=False)
    resolver = TurnCommandResolver(
        context, control, checkpointer, UserPrompter(context, control, "me"), make_lookup_turn
    )
    try:
        with pytest.raises(Refused):
            await resolver.resolve()
    finally:
        store.close()
    (lookup_context,) = contexts
    assert (lookup_context.attended, lookup_context.allowances, lookup_context.secrets) == (
        False,
        (),
        None,
    )
    assert lookup_context.settings.turn.max_steps == 5


async def test_a_complete_command_is_not_resolved(tmp_path: Path) -> None:
    async with case(tmp_path, ResolvedCommand(MEANT)) as turn:
        before = turn.checkpointer.checkpoint
        turn.checkpointer.checkpoint = before.model_copy(update={"is_complete": True})
        await turn.resolver.resolve()
        assert turn.calls == 0
        assert turn.checkpointer.checkpoint.instruction == "my usual lunch"
        assert turn.events == []
        turn.checkpointer.checkpoint = before
        await turn.resolver.resolve()
        assert turn.calls == 1


async def test_what_is_told_to_somebody_is_told_as_it_is_written_where_that_is_certain(
    tmp_path: Path,
) -> None:
    resolved = ResolvedCommand("tell Susan Lin not to come on Sunday", "")
    async with case(tmp_path, resolved) as turn:
        await turn.resolver.resolve()
        assert turn.checkpointer.checkpoint.instruction == "tell Susan Lin: don't come on Sunday"


@pytest.mark.parametrize("seconds", [4.0, 0.0])
async def test_what_keeps_few_of_the_words_waits_for_the_user(tmp_path: Path, seconds: float) -> None:
    said = "every friday remind me to send the report"
    async with case(tmp_path, ResolvedCommand(MEANT, assumed=True, unlike=said), seconds=seconds) as turn:
        finding = asyncio.create_task(turn.resolver.resolve())
        proposed = await turn.proposed()
        assert proposed.unlike == said
        proposed.decision.set_result(MEANT)
        await finding
        assert turn.checkpointer.checkpoint.instruction == MEANT


async def test_a_value_that_is_corrected_before_it_begins_makes_it_another_command(tmp_path: Path) -> None:
    async with case(tmp_path, ResolvedCommand("Text Susan Lin hi", assumed=True)) as turn:
        turn.checkpointer.checkpoint = turn.checkpointer.checkpoint.model_copy(
            update={"said": "text mom hi", "instruction": "text mom hi"}
        )
        finding = asyncio.create_task(turn.resolver.resolve())
        proposed = await turn.proposed()
        turn.resolver.hear("no wait i meant dad")
        turn.resolved = ResolvedCommand("Text Dad hi", assumed=True)
        proposed.decision.set_result(proposed.instruction)
        await turn.settle()
        proposed = await turn.proposed()
        assert (proposed.instruction, turn.calls) == ("Text Dad hi", 2)
        proposed.decision.set_result(proposed.instruction)
        await finding
        assert turn.checkpointer.checkpoint.instruction == "Text Dad hi"
        assert turn.checkpointer.checkpoint.carried_out == "Text Dad hi"
        assert not any("The user says" in note for note in turn.checkpointer.checkpoint.notes)


async def test_what_was_answered_before_the_command_was_changed_is_not_asked_again() -> None:
    asked = list[str]()

    async def ask(question: str, choices: Sequence[str], /, **kinds: object) -> str:
        asked.append(question)
        return f"answer {len(asked)}"

    first = AskOnce(ask, {})
    assert await first("Who is “Bob”?", ()) == "answer 1"
    assert await first("Who is “Bob”?", ()) == "answer 2", "the same round may ask twice"
    second = AskOnce(ask, first.answers)
    assert await second("Who is “Bob”?", ()) == "answer 2"
    assert await second("What is “it”?", ()) == "answer 3"
    assert asked == ["Who is “Bob”?", "Who is “Bob”?", "What is “it”?"]


async def test_what_is_added_before_it_begins_is_put_into_its_meaning(tmp_path: Path) -> None:
    async with case(tmp_path, ResolvedCommand(MEANT, assumed=True)) as turn:
        finding = asyncio.create_task(turn.resolver.resolve())
        proposed = await turn.proposed()
        turn.resolver.hear("no wait make it two")
        proposed.decision.set_result(MEANT)
        await finding
        told = turn.events[-1]
        assert isinstance(told, CommandCorrected)
        assert (told.command, told.new, told.old) == ("Order 2 beef noodles", "two", "")
        assert turn.checkpointer.checkpoint.instruction == "Order 2 beef noodles"


async def test_in_doubt_the_user_chooses_what_a_command_corrects_in_itself(tmp_path: Path) -> None:
    async with case(tmp_path, ResolvedCommand("unused")) as turn:
        turn.checkpointer.checkpoint = turn.checkpointer.checkpoint.model_copy(
            update={"said": "text mom dinner at 7 no 8", "instruction": "text mom dinner at 7 no 8"}
        )
        finding = asyncio.create_task(turn.resolver.resolve())
        await turn.settle()
        asked = turn.events[-1]
        assert isinstance(asked, QuestionAsked)
        assert asked.choices == ("text mom dinner at 8", "text mom dinner at 7 no 8")
        turn.resolved = ResolvedCommand("text mom dinner at 8")
        asked.answer.set_result(asked.choices[0])
        await finding
        assert [event.new for event in turn.events if isinstance(event, CommandCorrected)] == ["8"]


@pytest.mark.parametrize("says_all", [True, False])
async def test_a_remark_that_corrects_no_single_value_is_read_by_the_model(
    tmp_path: Path, says_all: bool
) -> None:
    remark, order = "kai is here too, so two of them please", "Order 2 noodle soups"
    async with case(tmp_path, ResolvedCommand("Order a noodle soup")) as turn:
        turn.restated = {remark: (order, says_all)}
        await turn.resolver.resolve()
        turn.resolver.hear("scroll down a bit")
        await turn.resolver.settle_corrections()
        turn.resolver.hear(remark)
        for _step in range(2):
            await turn.resolver.settle_corrections()
        checkpoint = turn.checkpointer.checkpoint
        assert checkpoint.instruction == order
        assert [said for _order, said in turn.asked_to_restate] == ["scroll down a bit", remark]
        assert [event.command for event in turn.events if isinstance(event, CommandCorrected)] == [order]
        # What the order may not say all of is looked for on the phone at the end.
        unheeded = find_unheeded(remarks_of(checkpoint), "a page without it", "")
        assert (remark in unheeded) is not says_all
        assert any(remark in note for note in checkpoint.notes)


async def test_an_order_that_was_corrected_while_a_model_restated_it_is_not_put_back(tmp_path: Path) -> None:
    async with case(tmp_path, ResolvedCommand("Text Mom hi")) as turn:
        await turn.resolver.resolve()
        turn.restated = {"with love please": ("Text Mom hi with love", True)}
        turn.resolver.hear("with love please")
        settling = asyncio.create_task(turn.resolver.settle_corrections())
        await asyncio.sleep(0)
        turn.resolver.hear("sorry i meant dad")
        await settling
        assert turn.checkpointer.checkpoint.instruction == "Text dad hi"


async def test_a_correction_that_may_mean_several_values_is_asked_about(tmp_path: Path) -> None:
    async with case(tmp_path, ResolvedCommand("Book a table for 2 at 7")) as turn:
        await turn.resolver.resolve()
        turn.resolver.hear("make it 4")
        settling = asyncio.create_task(turn.resolver.settle_corrections())
        await turn.settle()
        asked = turn.events[-1]
        assert isinstance(asked, QuestionAsked)
        asked.answer.set_result("Book a table for 4 at 7")
        await settling
        assert turn.checkpointer.checkpoint.instruction == "Book a table for 4 at 7"
        (remark,) = turn.checkpointer.checkpoint.remarks
        assert (remark.kind, remark.new, remark.old) == ("count", "4", "2")


async def test_what_was_done_for_the_value_before_is_told(tmp_path: Path) -> None:
    async with case(tmp_path, ResolvedCommand("text Mom hi")) as turn:
        await turn.resolver.resolve()
        deed = Deed(kind=ActionKind.SEND, app="Chat", recipient="Mom", text="hi")
        step = StoredStep(number=1, action=PressBack(), kind=deed.kind, deed=deed)
        turn.checkpointer.checkpoint = turn.checkpointer.checkpoint.model_copy(update={"steps": (step,)})
        turn.resolver.hear("sorry i meant dad")
        told = turn.events[-1]
        assert isinstance(told, CommandCorrected)
        assert told.command == "text dad hi"
        assert "Mom" in told.done
