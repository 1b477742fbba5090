"""The conversation: what is answered without the phone, what a line is for while a turn runs, / and @."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.events import Key

from assistant.conversation.routing import Route, RouteKind
from assistant.conversation.service import Mention, Reply
from assistant.events import ActionKind, Approval, Cause, PlannedTask, TurnState, Verdict
from assistant.history import PastTurns
from assistant.memory.store import Store
from assistant.records import Click, Outcome, Point, Record, Source
from assistant.tui.widgets.input_lists import (
    complete,
    find_slash,
    parse_slash,
    slash_route,
    tell_unknown_slash,
    word_at_cursor,
)
from assistant.tui.widgets.scrollback import FoldedTurn, format_turn
from tests.tui.hostile_texts import HOSTILE
from tests.tui.scripted import NOW, PAY, ScriptedEngine, lunch

from .app_fixture import open_desk


async def test_a_question_is_answered_above_the_field_and_its_turn_before_is_folded() -> None:
    async with open_desk() as desk:
        desk.engine.replies["question"] = Reply("Sundays around 20:00.", ("r1", "r2"))
        lunch(desk.engine)
        desk.engine.finish(Outcome.SUCCESS, "Noodles are ordered.", 4)
        desk.engine.state = None
        await desk.settle()
        await desk.type("when do I usually call mom?")
        await desk.press("enter")
        await desk.settle()
        assert desk.calls == [("reply", "question")]
        assert re.search("order my usual lunch +✓ Noodles are ordered.", desk.text)
        assert "↩ Sundays around 20:00." in desk.text
        assert "from 2 records · enter shows them" in desk.text
        desk.engine.begin("order coffee")
        await desk.settle()
        assert re.search("order my usual lunch +✓ Noodles are ordered.", desk.text)


async def test_why_is_answered_where_nothing_was_assumed_and_after_an_answer() -> None:
    async with open_desk() as desk:
        desk.engine.replies["question"] = Reply("Sundays around 20:00.", ("r1", "r2"))
        desk.engine.replies["why"] = Reply("It was carried out as it was said.")
        await desk.type("why did you pick that one")
        await desk.press("enter")
        assert "↩ It was carried out as it was said." in desk.text
        await desk.type("when do I usually call mom?")
        await desk.press("enter")
        await desk.type("how do you know that?")
        await desk.press("enter")
        assert "↩ The answer above rests on these." in desk.text
        assert desk.text.count("from 2 records · enter shows them") == 2


async def test_pasted_commands_are_taken_one_by_one_and_those_behind_the_first_are_queued() -> None:
    async with open_desk() as desk:
        desk.app.main.orders.start_lines(
            "call mom\nset an alarm for 7:00\nbuy milk", lambda said: lambda: desk.engine.run(said)
        )
        await desk.settle()
        assert [text for name, text in desk.calls if name == "run"] == ["call mom"]
        assert desk.engine.command_queue.commands == ("set an alarm for 7:00", "buy milk")


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


@pytest.mark.parametrize("said", ["yes", "sure", "7", "可以"])
async def test_an_answer_to_nothing_begins_no_turn(said: str) -> None:
    async with open_desk() as desk:
        await desk.type(said)
        await desk.press("enter")
        await desk.settle()
        assert desk.calls == [("reply", "answer")]


@pytest.mark.parametrize("line", ["forget the peanut thing", "forget everything about mom", "忘掉花生的事"])
async def test_what_is_to_be_forgotten_is_looked_up_in_the_memory(line: str) -> None:
    async with open_desk() as desk:
        await desk.type(line)
        await desk.press("enter")
        await desk.settle()
        assert desk.app.main.has_class("-memory")
        assert not [call for call in desk.calls if call[0] == "run"]


async def test_why_with_a_deed_is_not_answered_about_another_answer() -> None:
    async with open_desk() as desk:
        desk.engine.replies["question"] = Reply("Sundays around 20:00.", ("r1", "r2"))
        await desk.type("when do I usually call mom?")
        await desk.press("enter")
        await desk.type("why did you order beef")
        await desk.press("enter")
        await desk.settle()
        assert "The answer above rests on these." not in desk.text
        assert desk.calls[-1] == ("reply", "why")


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("stop", ("pause",)),
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


@pytest.mark.parametrize("line", ["no, the other shop", "forget it, ring my sister", "改成发短信"])
async def test_what_is_said_in_a_pause_is_for_the_turn_only_if_the_user_says_so(line: str) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.pause()
        desk.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await desk.settle()
        await desk.type(line)
        await desk.press("enter")
        assert desk.calls == [("pause",)]
        assert "▸ 1  for this turn" in desk.text
        await desk.press("2", "enter")
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


async def test_what_is_answered_during_a_turn_outlives_it_with_its_records() -> None:
    async with open_desk() as desk:
        desk.engine.replies["question"] = Reply("Dumplings.", ("r1", "r2"))
        lunch(desk.engine)
        await desk.settle()
        await desk.type("what did I eat yesterday?")
        await desk.press("enter")
        assert "Dumplings." in desk.text
        assert "from 2 records" in desk.text
        desk.engine.finish(Outcome.SUCCESS, "Noodles are ordered.", 4)
        desk.engine.state = None
        desk.engine.begin("order coffee")
        await desk.settle()
        assert desk.text.index("Noodles are ordered.") < desk.text.index("Dumplings.")
        assert "from 2 records · enter shows them" in desk.text


async def test_an_unconfirmed_ending_is_said_once() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.enter(TurnState.UNCONFIRMED, Cause.DONE, "Noodles are ordered.")
        desk.engine.finish(Outcome.UNCONFIRMED, "Noodles are ordered. Nothing answers “two”.", 4)
        await desk.settle()
        assert desk.text.count("Noodles are ordered.") == 1


async def test_a_name_that_nothing_has_says_what_names_there_are() -> None:
    async with open_desk() as desk:
        await desk.type("@nobody call me")
        await desk.press("enter")
        assert "Nothing is called “nobody" in desk.text
        assert desk.typed == "@nobody call me"


async def test_slash_commands_complete_and_run() -> None:
    async with open_desk() as desk:
        await desk.type("/he")
        assert "/help" in desk.text
        await desk.press("enter")
        await desk.settle()
        assert desk.app.screen is not desk.app.main
        await desk.press("escape")
        await desk.type("/nonsense")
        await desk.press("enter")
        assert "There is no /nonsense." in desk.text
        assert desk.typed == "/nonsense"
        await desk.press("ctrl+u")
        await desk.type("/undo")
        await desk.press("escape", "enter")
        await desk.settle()
        assert desk.calls == [("reply", "undo")]


async def test_names_that_memory_knows_complete_after_an_at_sign() -> None:
    async with open_desk() as desk:
        await desk.type("call @m")
        await desk.settle()
        assert "Susan Lin" in desk.text
        await desk.press("tab")
        assert desk.typed == "call mom "
        await desk.press("enter")
        assert desk.calls == [("run", "call mom")]


async def test_hostile_replies_are_shown_as_text() -> None:
    async with open_desk() as desk:
        for number, text in enumerate(HOSTILE):
            desk.engine.replies["question"] = Reply(text, (f"r{number}",))
            await desk.type("what did I eat?")
            await desk.press("enter")
            await desk.settle()
        assert len(desk.calls) == len(HOSTILE)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("/me", "/me"),
        ("/memory mom", ""),
        ("call @su", "@su"),
        ("a@b.c", ""),
        ("给@妈", "@妈"),
        ("plain", ""),
        ("/replay lunch fo", "/replay lunch fo"),
        ("/重放 午", "/重放 午"),
        ("/replayed lunch", ""),
    ],
)
def test_the_word_at_the_cursor(text: str, word: str) -> None:
    assert word_at_cursor(text) == word


def test_slash_commands_are_found_by_the_beginning_of_their_name() -> None:
    assert parse_slash("/forget mom's number") == ("forget", "mom's number")
    assert parse_slash("either/or") is None
    assert (found := find_slash("hist")) is not None
    assert found.name == "history"
    assert find_slash("p") is None
    assert "/theme" in tell_unknown_slash("temes")
    assert "nearest" not in tell_unknown_slash("xyzzy")
    assert "/memory" in tell_unknown_slash("find", "Mom")
    assert "/记忆" in tell_unknown_slash("查找")
    assert find_slash("undo", "7") is None
    assert "takes no “7”" in tell_unknown_slash("undo", "7")
    assert find_slash("where", "mars") is None
    assert all(
        find_slash(name, "words") for name in ("forget", "queue", "schedule", "record", "replay", "memory")
    )
    assert find_slash("learning", "off")
    assert find_slash("learning", "maybe") is None
    learning = slash_route("learning", "off")
    assert learning is not None
    assert learning.kind is RouteKind.PAUSE_LEARNING
    assert slash_route("learning", "") is None
    assert next(completion.text for completion in complete("/und", ())) == "/undo"


def test_of_skills_the_one_that_is_named_whole_comes_first_and_a_number_is_let_be() -> None:
    skills = [Mention("Big lunch", ""), Mention("Lunch 2", ""), Mention("Lunch", "Eats")]

    def names(word: str) -> list[str]:
        return [completion.text for completion in complete(word, (), (), skills)]

    assert names("/replay lunch") == ["/replay Lunch", "/replay Lunch 2", "/replay Big lunch"]
    assert names("/重放 big") == ["/重放 Big lunch"]
    for typed in ("/replay 2", "/replay lunch ", "/replay lunch item=rice", "/replay dinner"):
        assert names(typed) == []


async def test_a_command_typed_faster_than_its_completions_is_the_one_that_runs() -> None:
    async with open_desk() as desk:
        for character in "/where":
            key = "slash" if character == "/" else character
            desk.app.post_message(Key(key, character))
        desk.app.post_message(Key("enter", None))
        await desk.settle()
        assert "Where are you?" in desk.text


@pytest.mark.parametrize("said", ["call mom", "给妈妈打电话，再问她周末回不回家"])
@pytest.mark.parametrize("ending", ["Called.", "No such contact. " * 8, "没有找到这个联系人。" * 8])
@pytest.mark.parametrize("width", [20, 40, 78])
def test_a_folded_turn_takes_two_lines_at_most(said: str, ending: str, width: int) -> None:
    folded = format_turn(FoldedTurn("t1", said, ending, Outcome.FAILED, NOW), width)
    lines = folded.plain.split("\n")
    assert len(lines) <= 2
    assert all(cell_len(line) <= width for line in lines)
    assert "✗" in lines[-1]


def test_a_folded_turn_stands_on_one_line_where_it_fits() -> None:
    turn = FoldedTurn("t1", "call mom", "Called.", Outcome.SUCCESS)
    assert format_turn(turn, 40).plain == "▸ call mom" + " " * 16 + "✓ Called."
    assert format_turn(turn, 22).plain == "▸ call mom   ✓ Called."
    assert format_turn(turn, 21).plain == "▸ call mom\n    ✓ Called."


async def test_where_turns_are_few_the_conversation_begins_with_what_the_memory_has(
    tmp_path: Path,
) -> None:
    lived = [
        Record(
            id="r2", user_id="me", time=NOW, instruction="Order noodles", app="Eats", outcome=Outcome.SUCCESS
        ),
        Record(id="r1", user_id="me", time=NOW - timedelta(days=1), instruction="Call mom", app="Phone"),
    ]
    turns = PastTurns(Store(tmp_path, now=lambda: NOW), "me")
    async with open_desk(ScriptedEngine(turns=turns, lived=lived), size=(100, 30)) as desk:
        await desk.settle()
        text = desk.text
        assert text.index("Call mom") < text.index("Order noodles")
        assert "✓ Eats" in text


async def test_the_conversation_has_the_rows_that_the_turn_does_not_need() -> None:
    async with open_desk(size=(100, 40)) as desk:
        for number in range(30):
            desk.engine.begin(f"errand {number}")
            desk.engine.finish(Outcome.SUCCESS, "Done.", 1)
        lunch(desk.engine)
        await desk.settle()
        scrollback = desk.app.main.turn.scrollback
        few_steps = scrollback.size.height
        assert few_steps > 15
        assert "errand 29" in desk.text
        for step in range(5, 40):
            desk.engine.observe(step)
            desk.engine.act(step, Click(point=Point(0.5, 0.5), content=f"Page {step}"))
        await desk.settle()
        assert scrollback.size.height == 2
        assert "Page 39" in desk.text


async def test_slash_commands_have_chinese_names_too() -> None:
    async with open_desk() as desk:
        desk.app.main.input.insert("/撤销")
        await desk.press("escape", "enter")
        await desk.settle()
        assert desk.calls == [("reply", "undo")]
        desk.app.main.input.insert("/帮助")
        await desk.press("escape", "enter")
        await desk.settle()
        assert desk.app.screen is not desk.app.main


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


async def test_a_question_about_another_time_asks_the_one_before_again() -> None:
    async with open_desk() as desk:
        await desk.type("what did I eat last week")
        await desk.press("enter")
        await desk.type("and the week before?")
        await desk.press("enter")
        assert desk.calls == [("reply", "question"), ("reply", "question")]
        await desk.type("call mom")
        await desk.press("enter")
        await desk.type("and the week before?")
        await desk.press("enter")
        assert desk.calls[2:] == [("run", "call mom"), ("run", "and the week before?")]


async def test_a_task_shown_on_the_phone_is_kept_as_a_skill_and_carried_out_again() -> None:
    async with open_desk() as desk:
        desk.engine.shown_steps = 2
        await desk.press("/record order my coffee")
        assert desk.calls == [("record", "order my coffee")]
        assert "◉ Recording   Show it on the phone" in desk.text
        assert "Idle" not in desk.text
        desk.engine.act(1, PAY, Source.USER)
        await desk.settle()
        assert "Recorded: 1 step." in desk.lines[-1]
        assert "tap “Pay" not in desk.text
        await desk.type("call mom")
        await desk.press("enter")
        assert desk.calls == [("record", "order my coffee")], "a turn was begun while a task was shown"
        desk.app.main.input.clear()
        await desk.press("/record")
        await desk.settle()
        assert "Kept as a skill with 2 steps. /replay order my coffee carries it out" in one_row(desk.text)
        await desk.press("/replay order my coffee size=extra large")
        assert desk.calls[-1] == ("replay", "order my coffee", "size=extra large")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("item=iced tea until 4, then order cake", ("item=iced tea", "1", "4", "order cake")),
        ("--until 4 --then order cake", ("1", "4", "order cake")),
        ("item=tea from step 3", ("item=tea", "3", "None", "")),
        ("from 2 until step 4 then wait until noon", ("2", "4", "wait until noon")),
        ("从第2步 到第4步，然后点蛋糕", ("2", "4", "点蛋糕")),
    ],
)
async def test_a_part_of_a_skill_is_repeated_and_then_something_else_done(
    words: str, part: tuple[str, ...]
) -> None:
    async with open_desk() as desk:
        await desk.press(f"/replay order my coffee {words}")
        assert desk.calls[-1] == ("replay", "order my coffee", *part)


async def test_a_task_that_was_shown_says_which_words_may_be_others() -> None:
    async with open_desk() as desk:
        desk.engine.shown_steps, desk.engine.shown_value = 2, "coffee"
        await desk.press("/record order my coffee")
        await desk.press("/record")
        await desk.settle()
        assert "Say it as an order, with other values too: order my {item}." in one_row(desk.text)


async def test_behind_a_recording_nothing_is_told_of_how_the_turn_before_ended() -> None:
    async with open_desk() as desk:
        await desk.press("call mom")
        desk.engine.finish(Outcome.FAILED, "Not found.", 0)
        desk.engine.state = TurnState.FAILED
        await desk.settle()
        assert "Type what to do instead" in one_row(desk.text)
        desk.engine.shown_steps = 2
        await desk.press("/record order my coffee")
        await desk.press("/record")
        await desk.settle()
        assert "Kept as a skill with 2 steps." in one_row(desk.text)
        assert "Type what to do instead" not in one_row(desk.text)
        assert "Idle" in desk.text


async def test_escape_ends_a_recording_in_which_nothing_was_touched() -> None:
    async with open_desk() as desk:
        await desk.press("/record order my coffee")
        await desk.press("escape")
        await desk.settle()
        assert "Nothing was touched, so there is nothing to keep." in desk.text
        await desk.type("call mom")
        await desk.press("enter")
        assert desk.calls[-1] == ("run", "call mom")


def one_row(text: str) -> str:
    return " ".join(text.split())


async def test_lines_are_answered_in_the_order_in_which_they_were_typed() -> None:
    async with open_desk() as desk:
        opened, reply = asyncio.Event(), desk.engine.reply

        async def reply_late(route: Route) -> Reply:
            if route.kind is RouteKind.QUESTION:
                await opened.wait()
            return await reply(route)

        desk.engine.reply = reply_late  # type: ignore[method-assign]
        for line in ("what did I eat yesterday?", "undo"):
            await desk.type(line)
            await desk.press("enter")
        assert desk.calls == []
        opened.set()
        await desk.settle()
        assert desk.calls == [("reply", "question"), ("reply", "undo")]


@pytest.mark.parametrize("said", ["hold on a sec", "wait", "just a second", "等等", "稍等一下"])
async def test_a_word_that_stops_pauses_at_once(said: str) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type(said)
        await desk.press("enter")
        assert desk.calls == [("pause",)]


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


@pytest.mark.parametrize("said", ["how long will this take?", "还要多久？", "are you done yet?"])
async def test_how_long_it_takes_is_answered_and_no_command(said: str) -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type(said)
        await desk.press("enter")
        await desk.settle()
        assert desk.calls == [("reply", "progress")]


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_past_turns_beside_a_scrollbar_are_cut_and_not_wrapped_again(size: tuple[int, int]) -> None:
    async with open_desk(size=size) as desk:
        said = "Order beef noodles without coriander from Old Street Noodles to the office"
        scrollback = desk.app.main.turn.scrollback
        scrollback.restore([FoldedTurn(f"t{at}", said, "Eats", Outcome.SUCCESS, NOW) for at in range(10)])
        await desk.settle()
        assert scrollback.show_vertical_scrollbar
        assert scrollback.virtual_size.height == 20


async def test_each_at_sign_lists_the_names_that_are_known_by_then() -> None:
    async with open_desk() as desk:
        await desk.type("call @")
        await desk.settle()
        assert "Doctor Gao" not in desk.text
        await desk.press("ctrl+u")
        desk.engine.names.append(Mention("Doctor Gao", "dentist"))
        await desk.type("call @")
        await desk.settle()
        assert "Doctor Gao" in desk.text


async def test_a_theme_is_taken_by_its_name() -> None:
    async with open_desk() as desk:
        await desk.press("/theme nord")
        assert desk.app.theme == "nord"
        await desk.press("/主题 nosuch")
        assert "There is no theme “nosuch”" in desk.text
        assert desk.app.theme == "nord"
