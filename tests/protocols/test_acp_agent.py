"""The ACP agent, driven by the official client over a real stream."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from acp import PROTOCOL_VERSION, RequestError, connect_to_agent, run_agent, text_block
from acp.client.connection import ClientSideConnection
from acp.interfaces import Agent, Client
from acp.schema import (
    AllowedOutcome,
    DeniedOutcome,
    PermissionOption,
    RequestPermissionResponse,
    ToolCallUpdate,
)

from assistant.engine import Engine
from assistant.events import Approval, Cause, TurnState, Verdict
from assistant.protocols.acp_agent import AssistantAgent
from assistant.records import Outcome
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.turn_runner import EngineBusy
from tests.phone.scripted import until
from tests.protocols.test_mcp_server import PhonedEngine, paying
from tests.tui.scripted import CUT_OFF, lunch
from tests.worlds import LIMIT, running_world


class Face:
    """A client: answers permission dialogs in order, and keeps what it was shown."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.details: list[str] = []
        self.first: list[str] = []
        self.shown: list[Any] = []

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_others: Any
    ) -> RequestPermissionResponse:
        self.asked.append(tool_call.title or "")
        self.details += [part.content.text for part in tool_call.content or [] if part.type == "content"]
        self.first.append(options[0].kind)
        answer = self.answers.pop(0)
        if answer == "error":
            raise RequestError.method_not_found("session/request_permission")
        if answer == "dismissed":
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        chosen = next((option.option_id for option in options if option.kind == answer), answer)
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen))

    async def session_update(self, session_id: str, update: Any, **_others: Any) -> None:
        self.shown.append(update)

    def on_connect(self, conn: Agent) -> None:
        return

    @property
    def text(self) -> str:
        """The messages of the agent."""
        messages = (update for update in self.shown if update.session_update == "agent_message_chunk")
        return "\n".join(update.content.text for update in messages)


@asynccontextmanager
async def faced(agent: AssistantAgent, face: Face) -> AsyncIterator[tuple[ClientSideConnection, str]]:
    """A client that is connected to the agent by a pair of sockets, with a session."""
    here, there = socket.socketpair()
    here_reader, here_writer = await asyncio.open_connection(sock=here)
    there_reader, there_writer = await asyncio.open_connection(sock=there)
    serving = asyncio.create_task(run_agent(cast(Agent, agent), there_writer, there_reader))
    connection = connect_to_agent(cast(Client, face), here_writer, here_reader)
    async with asyncio.timeout(LIMIT):
        agreed = await connection.initialize(PROTOCOL_VERSION)
        assert agreed.agent_info is not None
        session = (await connection.new_session(cwd="/", mcp_servers=[])).session_id
        yield connection, session
    await connection.close()
    for writer in (here_writer, there_writer):
        writer.close()
    serving.cancel()
    await asyncio.wait([serving])


@asynccontextmanager
async def scripted(engine: PhonedEngine, face: Face) -> AsyncIterator[tuple[ClientSideConnection, str]]:
    agent = AssistantAgent(cast(Engine, engine), "1.0")
    listening = asyncio.create_task(agent.listen())
    async with faced(agent, face) as connected:
        yield connected
    listening.cancel()


async def ask(connected: tuple[ClientSideConnection, str], line: str) -> str:
    """Type a line; returns why the prompt ended."""
    connection, session = connected
    return (await connection.prompt(session_id=session, prompt=[text_block(line)])).stop_reason


async def test_steps_are_streamed_and_a_permission_is_a_yes_for_one_deed() -> None:
    engine, face, verdicts = PhonedEngine(), Face("allow_once"), list[Approval]()
    paying(engine, verdicts)
    async with scripted(engine, face) as connected:
        assert await ask(connected, "order my usual lunch") == "end_turn"
    assert [approval.verdict for approval in verdicts] == [Verdict.ONCE]
    assert "¥32.00" in face.asked[0]
    assert "Ordered." in face.text
    titles = [update.title for update in face.shown if update.session_update == "tool_call"]
    assert any("beef noodles" in title for title in titles)
    assert any(update.session_update == "agent_thought_chunk" for update in face.shown)


async def test_a_permission_names_each_term_and_marks_the_refusal() -> None:
    engine, face, verdicts = PhonedEngine(), Face("reject_once"), list[Approval]()
    paying(engine, verdicts)
    async with scripted(engine, face) as connected:
        await ask(connected, "order my usual lunch")
        await ask(connected, "cancel")
    assert "\n" not in face.asked[0]
    assert "- **Price:** ¥32.00" in face.details[0].splitlines()
    assert face.first == ["reject_once"]


async def test_what_a_page_or_a_model_says_marks_up_nothing() -> None:
    engine, face = PhonedEngine(), Face()
    engine.script = lambda: engine.ask_question(1, question="Pay [here](https://x) or **now**?")
    async with scripted(engine, face) as connected:
        await ask(connected, "order my usual lunch")
    assert r"Pay \[here\](https://x) or \*\*now\*\*?" in face.text


async def test_whatever_is_no_permission_refuses_and_the_turn_waits_for_words() -> None:
    for answer in ("reject_once", "dismissed", "error", "allow_everything"):
        engine, face, verdicts = PhonedEngine(), Face(answer), list[Approval]()
        paying(engine, verdicts)
        async with scripted(engine, face) as connected:
            assert await ask(connected, "order my usual lunch") == "end_turn"
            assert [approval.verdict for approval in verdicts] == [Verdict.NO]
            # Only the user's own no is given to a dialog of the phone, too.
            assert verdicts[0].answers_dialog == (answer == "reject_once")
            assert "paused" in face.text
            assert await ask(connected, "cancel") == "cancelled"
        assert ("cancel",) in engine.calls


async def test_a_pause_names_words_to_type_and_no_keys() -> None:
    engine, face = PhonedEngine(), Face()
    sentence = "Not done. Say what to do instead and press F5, or press Escape twice to end."
    engine.script = lambda: engine.enter(TurnState.PAUSED, Cause.USER_PAUSED, sentence)
    async with scripted(engine, face) as connected:
        assert await ask(connected, "order my usual lunch") == "end_turn"
        assert "type resume" in face.text
        assert "F5" not in face.text
        assert "Escape" not in face.text


class GoneFace(Face):
    """A client whose connection is closed."""

    async def request_permission(self, *_: object, **_others: object) -> RequestPermissionResponse:
        raise ConnectionError("Connection closed")

    async def session_update(self, *_: object, **_others: object) -> None:
        raise ConnectionError("Connection closed")


async def test_a_client_that_goes_away_while_it_is_asked_gives_no_yes() -> None:
    engine, verdicts = PhonedEngine(), list[Approval]()
    paying(engine, verdicts)
    agent = AssistantAgent(cast(Engine, engine), "1.0")
    agent.on_connect(cast(Client, GoneFace()))
    listening = asyncio.create_task(agent.listen())
    session = (await agent.new_session(cwd="/")).session_id
    async with asyncio.timeout(LIMIT):
        await agent.prompt(session, [text_block("order my usual lunch")])
    assert [approval.verdict for approval in verdicts] == [Verdict.NO]
    listening.cancel()


async def test_what_is_typed_next_answers_a_question_or_goes_on() -> None:
    engine, face, answers = PhonedEngine(), Face(), list[str]()

    def script() -> None:
        lunch(engine)
        engine.ask_question(4, "Which rice?", ("white", "brown")).add_done_callback(
            lambda settled: paused(settled.result())
        )

    def paused(answer: str) -> None:
        answers.append(answer)
        engine.enter(TurnState.PAUSED, Cause.TOUCHED, "You touched the phone.")

    engine.script = script
    async with scripted(engine, face) as connected:
        await ask(connected, "order rice")
        assert "Which rice?" in face.text
        await ask(connected, "2")
        assert answers == ["brown"]
        assert "You touched the phone." in face.text
        assert await ask(connected, "the small one") == "end_turn"
        assert await ask(connected, "forget it, call dad") == "end_turn"
        assert "Noted" in face.text
        assert ("resume",) not in engine.calls
        going_on = asyncio.create_task(ask(connected, "resume"))
        while ("resume",) not in engine.calls:
            await asyncio.wait([going_on], timeout=0.01)
        engine.finish(Outcome.SUCCESS, "Ordered.", 4)
        assert await going_on == "end_turn"
    assert ("say", "the small one") in engine.calls
    assert ("say", "forget it, call dad") in engine.calls


async def test_a_line_that_refuses_the_choices_leaves_the_question_open() -> None:
    engine, face, answers = PhonedEngine(), Face(), list[str]()
    engine.script = lambda: engine.ask_question(1, "Which rice?", ("white", "brown")).add_done_callback(
        lambda settled: answers.append(settled.result())
    )
    async with scripted(engine, face) as connected:
        await ask(connected, "order rice")
        assert await ask(connected, "neither") == "end_turn"
        assert "None of these" in face.text
        assert not answers
        answered = asyncio.create_task(ask(connected, "red rice"))
        await until(lambda: answers == ["red rice"])
        engine.finish(Outcome.SUCCESS, "Ordered.", 4)
        assert await answered == "end_turn"


async def test_words_that_steer_a_running_turn_pause_it() -> None:
    for line in ("wait", "no wait, don't send it"):
        engine, face = PhonedEngine(), Face()
        begun = asyncio.Event()
        engine.script = begun.set
        async with scripted(engine, face) as connected:
            first = asyncio.create_task(ask(connected, "order rice"))
            await begun.wait()
            assert await ask(connected, line) == "end_turn"
            assert ("pause",) in engine.calls
            engine.finish(Outcome.CANCELLED, "", 1)
            await first


async def test_a_line_that_is_typed_while_steps_are_shown_speaks_to_the_turn() -> None:
    engine, face = PhonedEngine(), Face()
    begun = asyncio.Event()
    engine.script = begun.set
    async with scripted(engine, face) as connected:
        first = asyncio.create_task(ask(connected, "order rice"))
        await begun.wait()
        assert await ask(connected, "the small one") == "end_turn"
        engine.finish(Outcome.SUCCESS, "Ordered.", 4)
        assert await first == "end_turn"
    assert ("say", "the small one") in engine.calls
    assert "Ordered." in face.text


async def test_of_two_commands_at_once_the_second_speaks_to_the_turn_of_the_first() -> None:
    class Searching(PhonedEngine):
        searches = 0
        found = asyncio.Event()

        async def wait_for_phone(self) -> None:
            self.searches += 1
            await self.found.wait()

        def run(self, said: str) -> None:
            if self.state is not None:
                raise EngineBusy("A turn is already running.")
            super().run(said)

    engine, face = Searching(), Face()
    async with scripted(engine, face) as connected:
        first = asyncio.create_task(ask(connected, "call mom"))
        second = asyncio.create_task(ask(connected, "call dad"))
        await until(lambda: engine.searches == 2)
        engine.found.set()
        assert await second == "end_turn"
        engine.finish(Outcome.SUCCESS, "Called.", 1)
        assert await first == "end_turn"
    assert "Called." in face.text
    assert ("say", "call dad") in engine.calls


async def test_lines_without_the_phone_are_answered_and_what_is_missing_is_said() -> None:
    engine, face = PhonedEngine(), Face()
    async with scripted(engine, face) as connected:
        await ask(connected, "what did I eat last week?")
        assert "a reply to question" in face.text
        engine.missing = "No phone is connected."
        await ask(connected, "call mom")
    assert "No phone is connected." in face.text


async def test_a_whole_turn_on_the_simulated_phone(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    face = Face("allow_once", "allow_once")
    async with running_world(adb_server.port, tmp_path / "store") as world:
        agent = AssistantAgent(world.engine, "1.0")
        world.hear = agent.take
        async with faced(agent, face) as connected:
            assert await ask(connected, "call Susan Lin") == "end_turn"
        assert world.app("dialer")["calls"][0]["name"] == "Mom"
    assert len(face.asked) == 2


async def test_what_was_left_unfinished_and_who_is_busy_is_said_in_words() -> None:
    engine, face = PhonedEngine(), Face()
    engine.cut_off = CUT_OFF
    engine.script = lambda: engine.ask_question(4, "Which rice?", ("white", "brown")) and None
    async with scripted(engine, face) as connected:
        assert await ask(connected, "turn on dark mode") == "end_turn"
        assert face.text.count("Left unfinished: “order my usual lunch”. assistant run --continue") == 1
        connection, _session = connected
        other = (await connection.new_session(cwd="/", mcp_servers=[])).session_id
        assert await ask((connection, other), "call mom") == "end_turn"
        assert "One turn runs at a time here: “turn on dark mode” runs in another session." in face.text
        assert ("run", "call mom") not in engine.calls
