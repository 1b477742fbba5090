"""What a line does that is typed while a turn runs, pauses or asks."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from assistant.events import ActionKind, Approval, Cause, PlannedTask, TurnState, Verdict
from assistant.records import Outcome
from tests.tui.scripted import lunch

from .app_fixture import open_desk


@pytest.mark.parametrize("said", ["my wife's name is Anna", "I'm allergic to nuts"])
async def test_a_fact_below_an_approval_is_kept_and_the_approval_stays(said: str) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        decision = desk.engine.ask_approval(4)
        await desk.settle()
        await desk.wait(10)
        await desk.type(said)
        await desk.press("enter")
        await desk.settle()
        assert desk.calls == [("reply", "remember")]
        assert not decision.done()
        assert "what is it for" not in desk.text


@pytest.mark.parametrize(
    ("said", "kind"), [("I'm allergic to nuts", "remember"), ("hm, this takes long", "aside")]
)
async def test_what_is_said_beside_a_running_turn_is_answered_and_does_not_reach_it(
    said: str, kind: str
) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type(said)
        await desk.press("enter")
        await desk.settle()
        assert desk.calls == [("reply", kind)]
        assert not desk.engine.is_held


async def test_while_a_turn_runs_a_new_command_is_offered_to_the_queue() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("call mom")
        await desk.press("enter")
        assert "“call mom”: for the running turn, or the next command?" in desk.text
        assert desk.engine.is_held
        await desk.press("enter")
        assert not desk.engine.is_held
        assert desk.engine.command_queue.commands == ("call mom",)
        await desk.type("call dad")
        await desk.press("enter", "2", "enter")
        assert desk.calls == [("say", "call dad")]
        await desk.type("call bob")
        await desk.press("enter", "escape")
        assert desk.typed == "call bob"
        assert desk.calls == [("say", "call dad"), ("pause",)]


@pytest.mark.parametrize(
    ("line", "queued"),
    [
        ("after that call mom", "call mom"),
        ("once you're done, set an alarm for 7", "set an alarm for 7"),
        ("弄完再给我妈发个信息", "给我妈发个信息"),
        ("待会再给我妈发个消息 说我今晚不回去吃了", "给我妈发个消息 说我今晚不回去吃了"),
        ("一会儿再给我爸打个电话", "给我爸打个电话"),
    ],
)
async def test_what_says_that_it_comes_after_the_turn_is_queued_unasked(line: str, queued: str) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type(line)
        await desk.press("enter")
        assert desk.engine.command_queue.commands == (queued,)
        assert not desk.engine.is_held


async def test_a_line_for_the_turn_that_asks_what_a_command_means_is_the_answer() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        answer = desk.engine.ask_question(0, "What is it?", kept=True)
        await desk.settle()
        await desk.wait(10)
        await desk.type("message lily that the coffee is here")
        await desk.press("enter")
        assert "▸ 1  the next command" not in desk.text
        await desk.press("enter")
        assert answer.result() == "message lily that the coffee is here"


async def test_words_for_the_turn_refuse_no_permission_that_is_asked_meanwhile_and_stand_in_it() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("call mom")
        await desk.press("enter")
        decision = desk.engine.ask_approval(4, kind=ActionKind.GRANT)
        await desk.settle()
        assert "You said" not in desk.text
        await desk.press("2", "enter")
        assert desk.calls == [("say", "call mom")]
        assert not decision.done()
        assert re.search("You said +“call mom”", desk.text)
        await desk.wait(1)
        await desk.press("enter")
        assert not decision.done(), "an Enter too many allowed it, or refused it in the user's name"
        await desk.press("1", "enter")
        assert decision.result() == Approval(Verdict.ONCE)


@pytest.mark.parametrize(("keys", "call"), [(("enter",), "call mom"), (("2", "enter"), "")])
async def test_a_line_that_is_asked_about_as_the_turn_ends_is_no_longer_for_it(
    keys: Sequence[str], call: str
) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("call mom")
        await desk.press("enter")
        assert "2  for the running turn" in desk.text
        desk.engine.finish(Outcome.SUCCESS, "Noodles are ordered.", 4)
        desk.engine.state = None
        await desk.settle()
        assert "The turn ended before “call mom”: start it, or put it back?" in desk.text
        assert "for the running turn" not in desk.text
        await desk.press(*keys)
        await desk.settle()
        assert [text for name, text in desk.calls if name in ("run", "say")] == ([call] if call else [])
        assert desk.typed == ("" if call else "call mom")


async def test_what_is_typed_while_a_line_is_asked_about_is_kept_and_asked_about_next() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("call mom")
        await desk.press("enter")
        await desk.type("2 pizzas from Luigi")
        assert desk.typed == "2 pizzas from Luigi"
        await desk.press("enter")
        assert "“call mom”: for" in desk.text
        await desk.press("enter")
        assert "“2 pizzas from Luigi”: for" in desk.text
        await desk.press("enter")
        assert desk.engine.command_queue.commands == ("call mom", "2 pizzas from Luigi")
        assert desk.app.main.input.has_focus


@pytest.mark.parametrize("said", ["yes", "sure", "好"])
async def test_a_mere_yes_begins_nothing_where_it_is_asked_what_a_line_is_for(said: str) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("call mom")
        await desk.press("enter")
        desk.engine.finish(Outcome.SUCCESS, "Noodles are ordered.", 4)
        desk.engine.state = None
        await desk.settle()
        desk.app.main.input.focus()
        await desk.type(said)
        await desk.press("enter")
        await desk.settle()
        assert desk.calls == []
        assert "Choose with ↑ ↓ and enter, or type a number: “call mom”" in desk.text


async def test_what_is_likelier_for_the_turn_is_marked_so() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("add an alarm to my list")
        await desk.press("enter")
        assert "▸ 1  for the running turn" in desk.text


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("hold on a sec", ("pause",)),
        ("never mind", ("cancel",)),
        ("no, the other shop", ("say", "no, the other shop")),
    ],
)
async def test_while_a_turn_runs_words_steer_it(line: str, call: tuple[str, ...]) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type(line)
        await desk.press("enter")
        await desk.settle()
        assert desk.calls[0] == call


@pytest.mark.parametrize("line", ["just save it", "no, the other shop", "改成发短信", "等等 去我妈那"])
async def test_what_is_said_in_a_pause_and_orders_no_task_of_its_own_is_for_the_turn(line: str) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.pause()
        desk.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await desk.settle()
        await desk.type(line)
        await desk.press("enter")
        assert desk.calls == [("pause",), ("say", line)]


@pytest.mark.parametrize(
    ("line", "marked", "starts"),
    [
        ("order sushi", "▸ 1  end this turn, and start this", "1"),
        ("forget it, ring my sister", "▸ 1  end this turn, and start this", "1"),
    ],
)
async def test_a_task_of_its_own_that_is_said_in_a_pause_is_for_the_turn_only_if_the_user_says_so(
    line: str, marked: str, starts: str
) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.pause()
        desk.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await desk.settle()
        await desk.type(line)
        await desk.press("enter")
        assert desk.calls == [("pause",)]
        assert marked in desk.text
        await desk.press(starts, "enter")
        desk.engine.state = None
        await desk.settle()
        assert desk.calls[1] == ("cancel",)
        assert ("say", line) not in desk.calls


async def test_a_command_typed_as_the_turn_ends_starts_behind_it() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.finish(Outcome.FAILED, "Not found.", 4)
        desk.engine.state = TurnState.FAILED
        desk.engine.ended.clear()
        await desk.settle()
        await desk.type("ring my sister")
        await desk.press("enter")
        assert ("run", "ring my sister") not in desk.calls
        desk.engine.state = None
        desk.engine.ended.set()
        await desk.settle()
        assert ("run", "ring my sister") in desk.calls


async def test_one_sub_task_is_paused_also_while_another_asks() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.planned = (
            PlannedTask(id="a", instruction="look up the hours", app="Maps"),
            PlannedTask(id="b", instruction="send them to Mom", app="Chat"),
        )
        decision = desk.engine.ask_approval(4, sentence="b · Chat: Send a message to Mom")
        await desk.settle()
        await desk.type("pause maps")
        await desk.press("enter")
        assert desk.calls == [("pause", "a")]
        assert "a · Maps pauses; the others go on." in desk.text
        assert not decision.done()


async def test_a_question_during_a_turn_is_answered_among_its_steps() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("what did I eat yesterday?")
        await desk.press("enter")
        await desk.settle()
        assert "a reply to question" in desk.text
        assert ("reply", "question") in desk.calls


async def test_words_that_a_turn_has_not_read_come_back() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("no, the other one")
        await desk.press("enter")
        assert desk.calls == [("say", "no, the other one")]
        desk.engine.finish(Outcome.SUCCESS, "Ordered.", 4)
        await desk.settle()
        assert desk.typed == "no, the other one"
        assert "The turn ended before this was done" in desk.text


async def test_words_that_a_turn_has_not_read_are_named_where_the_field_holds_others() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("no, the other one")
        await desk.press("enter")
        await desk.type("call m")
        desk.engine.finish(Outcome.SUCCESS, "Ordered.", 4)
        await desk.settle()
        assert desk.typed == "call m"
        assert "no, the other one" in desk.text
        assert "Not done: the turn ended first." in desk.text


async def test_words_that_a_step_has_read_do_not_come_back() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("no, the other one")
        await desk.press("enter")
        desk.engine.observe(5)
        desk.engine.finish(Outcome.SUCCESS, "Ordered.", 5)
        await desk.settle()
        assert desk.typed == ""


@pytest.mark.parametrize("said", ["等等，改成八点", "等等，不对，要两份", "hold on, tea would be better"])
async def test_what_begins_by_stopping_is_marked_as_for_the_turn(said: str) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type(said)
        await desk.press("enter")
        assert desk.engine.is_held
        assert "▸ 1  for the running turn" in desk.text


@pytest.mark.parametrize("said", ["don't call mom", "别给妈妈打电话"])
async def test_a_prohibition_in_mid_turn_is_asked_about_and_never_queued(said: str) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type(said)
        await desk.press("enter")
        assert desk.engine.is_held
        assert desk.calls == []
        assert "the next command: it starts" not in desk.text
        desk.engine.finish(Outcome.SUCCESS, "Noodles are ordered.", 4)
        desk.engine.state = None
        await desk.settle()
        assert desk.typed == said
        assert not desk.engine.command_queue.commands


@pytest.mark.parametrize(
    ("said", "queued"),
    [
        ("and then text mom i am on my way", "text mom i am on my way"),
        ("and after that set a timer for 12 minutes", "set a timer for 12 minutes"),
        ("然后给妈妈发消息说我在路上", "给妈妈发消息说我在路上"),
    ],
)
async def test_what_puts_a_command_behind_another_is_no_part_of_it(said: str, queued: str) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type(said)
        await desk.press("enter", "enter")
        assert desk.engine.command_queue.commands == (queued,)


async def test_how_long_it_takes_is_answered_and_no_command() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("how long will this take?")
        await desk.press("enter")
        await desk.settle()
        assert desk.calls == [("reply", "progress")]
