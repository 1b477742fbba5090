"""Events as lines, and what the words of a line do, where nothing is asked."""

from __future__ import annotations

from dataclasses import replace

from assistant import i18n
from assistant.conversation.service import Reply
from assistant.events import Cause, PhoneState, PlannedTask, TurnFinished, TurnState
from assistant.i18n import Language
from assistant.plain.output import format_spoken_line
from assistant.records import Click, Finished, OpenApp, Outcome, Point, Target, Usage
from tests.tables import each
from tests.tui.scripted import ScriptedEngine, lunch
from tests.worlds import START

from .typed_session import open_session


async def test_each_event_is_a_line_without_control_characters() -> None:
    async with open_session() as session:
        session.engine.phone(PhoneState.LOCKED, "Phone is locked. Unlock it to go on.")
        lunch(session.engine)
        session.engine.choose(4, OpenApp(name="\x1b[2JEats\nfake line"))
        for _second_look in range(2):
            session.engine.choose(5, Finished(answer="Ordered."))
            session.engine.act(5, Finished(answer="Ordered."))
        session.engine.finish(Outcome.SUCCESS, "Ordered.", steps=4)
        await session.settle()
        assert "Phone: Phone is locked. Unlock it to go on." in session.printed
        assert "Command: order my usual lunch" in session.printed
        assert "Step 2: tap “Search”" in session.printed
        assert "Step 2 done from memory, 0.2 s." in session.printed
        assert "Step 4: open Eats fake line" in session.printed
        assert "Finished: Ordered. (4 steps, 31 s, 12k tok)" in session.printed
        assert session.text.count("Ordered.") == 1
        assert all(line.isprintable() for line in session.printed)


async def test_words_for_a_running_turn_reach_it_and_a_new_command_waits() -> None:
    async with open_session() as session:
        await session.type("say hello to Mom")
        assert session.engine.calls == [("run", "say hello to Mom")]
        session.engine.begin("say hello to Mom")
        await session.type("no, the other Mom")
        assert session.engine.calls[-1] == ("say", "no, the other Mom")
        await session.type("call Dad")
        assert session.printed[-1] == "“call Dad” waits for the commands before it."
        await session.type("purple")
        assert "1  for the running turn: the model reads it before its next action" in session.printed
        assert session.engine.is_held
        await session.type("1")
        assert session.engine.calls[-1] == ("say", "purple")
        assert not session.engine.is_held
        session.engine.finish(Outcome.SUCCESS, "Said.", 1)
        session.engine.state = None
        await session.settle()
        assert session.engine.calls[-1] == ("run", "call Dad")


TASKS = (
    PlannedTask(id="a", instruction="look up the opening hours of Willow Park", app="Maps"),
    PlannedTask(id="b", instruction="send {{a}} to Mom", app="Chat", needs=("a",)),
)


async def test_one_sub_task_is_paused_resumed_and_ended_by_its_letter_or_app() -> None:
    async with open_session() as session:
        lunch(session.engine)
        await session.type("pause a")
        assert ("pause", "a") not in session.engine.calls
        session.engine.planned = TASKS
        for line, call in (
            ("pause a", ("pause", "a")),
            ("continue Maps", ("resume", "a")),
            ("取消b", ("cancel", "b")),
        ):
            await session.type(line)
            assert session.engine.calls[-1] == call
        assert session.printed[-3:] == [
            "a · Maps pauses; the others go on.",
            "a · Maps goes on.",
            "b · Chat ends, and what needs it; the others go on.",
        ]


async def test_what_needs_no_phone_is_answered() -> None:
    async with open_session() as session:
        session.engine.replies["question"] = Reply("Sundays around 20:00.", ("r1", "r2"))
        await session.type("when do I usually call mom?")
        assert session.printed[-2:] == ["Sundays around 20:00.", "From 2 records in the memory."]
        await session.type("thanks!")
        assert session.engine.calls == [("reply", "question"), ("reply", "thanks")]
        await session.type("bye")


async def test_words_with_a_slash_do_what_they_do_in_the_interface() -> None:
    async with open_session() as session:
        await session.type("/help")
        assert "ctrl-c: pause" in session.text
        await session.type("/记忆")
        assert "memory list" in session.text
        await session.type("/routine list")
        assert session.printed[-1] == "There is no /routine. help lists what can be typed."
        for typed, told in (
            ("/histry", "/history"),
            ("/skills", "assistant skills list"),
            ("/find Mom", "memory find"),
        ):
            await session.type(typed)
            assert told in session.printed[-1]
        assert session.engine.calls == []


async def test_control_c_pauses_then_ends_the_turn_then_leaves() -> None:
    async with open_session() as session:
        lunch(session.engine)
        await session.settle()
        session.plain_session.interrupt()
        sentence = "Do it on the phone, then press F5, or press Escape twice to end."
        session.engine.enter(TurnState.PAUSING, Cause.HANDED_OVER, sentence)
        session.engine.enter(TurnState.PAUSED, Cause.HANDED_OVER, sentence)
        await session.settle()
        assert session.text.count("Do it on the phone, then type resume, or type cancel to end.") == 1
        session.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await session.settle()
        assert session.engine.calls[-1:] == [("pause",)]
        assert session.printed[-1].startswith("Paused by you. resume goes on")
        await session.type("the other shop")
        assert session.engine.calls[-1:] == [("say", "the other shop")]
        await session.type("resume")
        assert session.engine.calls[-1] == ("resume",)
        session.plain_session.interrupt()
        session.plain_session.interrupt()
        await session.settle()
        assert session.engine.calls[-2:] == [("pause",), ("cancel",)]
        assert session.printed[-1].startswith("Cancelled")
        session.plain_session.interrupt()
        session.plain_session.interrupt()


async def test_help_in_words_tells_the_words_of_this_mode() -> None:
    async with open_session() as session:
        await session.type("what can you do")
        assert "quit: leave." in session.printed
        assert not [line for line in session.printed if "Escape" in line or "F1" in line]


async def test_a_step_is_named_without_the_ids_of_its_app() -> None:
    async with open_session() as session:
        session.engine.begin("text mom")
        target = Target(resource_id="com.chat:id/fab", class_name="android.widget.ImageButton")
        session.engine.choose(1, Click(point=Point(0.9, 0.9), content="fab", target=target))
        await session.settle()
        assert session.printed[-1] == "Step 1: tap the large round button"


async def test_what_is_missing_is_told() -> None:
    async with open_session(ScriptedEngine(missing="No phone is connected. Plug one in.")) as session:
        await session.type("turn on dark mode")
        assert session.printed[-1] == "No phone is connected. Plug one in."


async def test_memory_and_places_are_reached_by_words() -> None:
    async with open_session() as session:
        await session.type("memory list --app Eats")
        await session.type("at office")
        await session.type("at nowhere")
        await session.type("memory")
        assert session.printed[-1].startswith("memory list, memory show ID")
        await session.type("memory card is full, what now")
        assert session.memory_commands == ["list --app Eats"]
        assert session.engine.calls == [
            ("where", "office"),
            ("where", ""),
            ("run", "memory card is full, what now"),
        ]


async def test_a_place_is_said_in_the_language_of_the_interface() -> None:
    i18n.use(Language.CHINESE)
    try:
        async with open_session() as session:
            await session.type("at 办公室")
            await session.type("at Office")
            await session.type("at 爬山")
            assert session.engine.calls == [("where", "office"), ("where", "office"), ("where", "爬山")]
    finally:
        i18n.use(Language.ENGLISH)


async def test_a_command_is_begun_without_what_puts_it_behind_another() -> None:
    async with open_session() as session:
        await session.type("and then call mom")
        assert ("run", "call mom") in session.engine.calls


@each("language", list(Language))
def test_a_cancelled_turn_says_in_lines_which_page_it_left_open(language: Language) -> None:
    left = "The page in Eats that would pay ¥29 was left open."
    event = TurnFinished(
        time=START, turn_id="t", outcome=Outcome.CANCELLED, answer="", steps=3, usage=Usage(), seconds=2
    )
    with i18n.speaking(language):
        alone = format_spoken_line(replace(event, answer=i18n._("Cancelled.")))
        told = format_spoken_line(replace(event, answer=f"{i18n._('Cancelled.')} {left}"))
    assert left in told
    assert told.replace(f": {left}", "") == alone
