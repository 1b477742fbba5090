"""The conversation: what is answered without the phone, and how turns and answers are kept in sight."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from rich.cells import cell_len

from assistant.conversation.routing import Route, RouteKind
from assistant.conversation.service import Conversation, Reply
from assistant.events import Cause, TurnState
from assistant.history import PastTurns
from assistant.memory.store import Store
from assistant.records import Click, Outcome, Point, Record
from assistant.tui.widgets.around_turn import FoldedTurn, format_turn
from tests.tables import each
from tests.tui.hostile_texts import HOSTILE
from tests.tui.scripted import NOW, ScriptedEngine, lunch

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


async def test_an_answer_to_nothing_begins_no_turn() -> None:
    async with open_desk() as desk:
        await desk.type("sure")
        await desk.press("enter")
        await desk.settle()
        assert desk.calls == [("reply", "answer")]


async def test_what_is_to_be_forgotten_is_looked_up_in_the_memory() -> None:
    async with open_desk() as desk:
        await desk.type("forget the peanut thing")
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


async def test_hostile_replies_are_shown_as_text() -> None:
    async with open_desk() as desk:
        for number, text in enumerate(HOSTILE):
            desk.engine.replies["question"] = Reply(text, (f"r{number}",))
            await desk.type("what did I eat?")
            await desk.press("enter")
            await desk.settle()
        assert len(desk.calls) == len(HOSTILE)


@each("said", ["call mom", "给妈妈打电话，再问她周末回不回家"])
@each("ending", ["Called.", "No such contact. " * 8, "没有找到这个联系人。" * 8])
@each("width", [20, 40, 78])
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


@pytest.mark.parametrize(("cause", "sign"), [(Cause.PUT_OFF, "◷"), (Cause.COMMAND, "■"), (Cause.KEY, "■")])
def test_a_folded_turn_keeps_the_sign_of_how_it_ended(cause: Cause, sign: str) -> None:
    turn = FoldedTurn("t1", "call mom tonight", "Put off.", Outcome.CANCELLED, cause=cause)
    assert f"{sign} Put off." in format_turn(turn, 80).plain


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


async def test_lines_are_answered_in_the_order_in_which_they_were_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with open_desk() as desk:
        opened, reply = asyncio.Event(), desk.engine.reply

        async def reply_late(route: Route) -> Reply:
            if route.kind is RouteKind.QUESTION:
                await opened.wait()
            return await reply(route)

        monkeypatch.setattr(desk.engine, "reply", reply_late)
        for line in ("what did I eat yesterday?", "undo"):
            await desk.type(line)
            await desk.press("enter")
        assert desk.calls == []
        opened.set()
        await desk.settle()
        assert desk.calls == [("reply", "question"), ("reply", "undo")]


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_past_turns_beside_a_scrollbar_are_cut_and_not_wrapped_again(size: tuple[int, int]) -> None:
    async with open_desk(size=size) as desk:
        said = "Order beef noodles without coriander from Old Street Noodles to the office"
        scrollback = desk.app.main.turn.scrollback
        scrollback.restore([FoldedTurn(f"t{at}", said, "Eats", Outcome.SUCCESS, NOW) for at in range(10)])
        await desk.settle()
        assert scrollback.show_vertical_scrollbar
        assert scrollback.virtual_size.height == 20


async def test_whoever_is_unknown_is_looked_up_by_enter() -> None:
    async with open_desk() as desk:
        offer = "search the web for ada lovelace"
        desk.engine.replies["question"] = Reply("I do not know.", is_answered=False, offer=offer)
        await desk.type("who is ada lovelace?")
        await desk.press("enter")
        await desk.settle()
        assert desk.typed == offer
        await desk.press("enter")
        await desk.settle()
        assert ("run", offer) in desk.calls


async def test_what_an_answered_line_offers_stands_in_the_field() -> None:
    """A line that a model read in a turn is answered with a command to send: enter sends it."""
    offer = "remember that my flat is on the third floor"
    async with open_desk() as desk:
        desk.engine.begin("my flat is up on the third floor tho")
        desk.engine.conversation = cast(Conversation, SimpleNamespace(offer=offer, just_told=list))
        desk.engine.finish(Outcome.CANCELLED, f"To keep it, send: {offer}", 0, Cause.ANSWERED)
        desk.engine.state = None
        await desk.settle()
        assert desk.typed == offer
