"""The tools of the MCP server, called by the official client in both ages of the protocol."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitRequestParams, ElicitResult

from assistant.events import ActionKind, Approval, Cause, TurnState, Verdict
from assistant.i18n import UserError
from assistant.protocols.mcp_server import LookUps, TurnDriver, build_server, serve_http, serve_stdio
from assistant.records import Outcome
from assistant.simulator.adb_server import PrivateAdbServer
from tests.tables import each
from tests.tui.scripted import ScriptedEngine, lunch
from tests.worlds import LIMIT, running_world

AGES = ("auto", "legacy")
YES = ElicitResult(action="accept", content={"answer": "yes"})
NO = ElicitResult(action="accept", content={"answer": "no"})
DECLINED = ElicitResult(action="decline")


Verdicts = list[Approval]


class PhonedEngine(ScriptedEngine):
    """A scripted engine whose phone is there; it plays `script` when a turn begins."""

    script: Callable[[], object] = staticmethod(lambda: None)

    async def wait_for_phone(self) -> None:
        return

    def run(self, said: str) -> None:
        super().run(said)
        self.state = TurnState.RUNNING
        self.script()


class CannedLookUps:
    """What the memory would say."""

    def resolve(self, command: str) -> dict[str, Any]:
        return {"said": command, "instruction": "Order beef noodles"}

    def suggest(self, at: str, scenario: str) -> dict[str, Any]:
        if at == "noon":
            raise UserError("at gives no time: “noon”.")
        return {"at": at, "scenario": scenario, "suggestions": []}

    def skills(self) -> list[dict[str, Any]]:
        return [{"id": "s1", "name": "Order lunch"}]


class Person:
    """The client's user: gives the answers in their order, and keeps the questions."""

    def __init__(self, *answers: ElicitResult) -> None:
        self.answers = list(answers)
        self.questions: list[str] = []

    async def __call__(self, context: object, params: ElicitRequestParams) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        self.questions.append(params.message)
        return self.answers.pop(0)


@asynccontextmanager
async def connected(
    engine: ScriptedEngine, mode: str, person: Person | None, seconds: float = LIMIT
) -> AsyncIterator[Client]:
    driver = TurnDriver(engine, seconds)
    look_ups: LookUps = CannedLookUps()
    server = build_server(driver, engine, look_ups, "1.0")
    listening = asyncio.create_task(driver.listen())
    async with Client(server, mode=mode, elicitation_callback=person) as client:
        yield client
    listening.cancel()


async def call(client: Client, command: str = "order my usual lunch") -> dict[str, Any]:
    async with asyncio.timeout(LIMIT):
        result = await client.call_tool("run", {"command": command})
    assert not result.is_error, result.content
    report: dict[str, Any] = result.structured_content or {}
    return report


def words_of(result: CallToolResult) -> str:
    return " ".join(part.text for part in result.content if part.type == "text")


def paying(engine: PhonedEngine, verdicts: list[Approval]) -> None:
    """A turn with a payment, which goes on by the verdict."""

    def script() -> None:
        lunch(engine)
        decision = engine.ask_approval(4, sentence="Pay ¥32.00 to Corner Noodle House")

        def settled(_: object) -> None:
            if decision.cancelled():
                return
            verdicts.append(decision.result())
            if decision.result().verdict is Verdict.ONCE:
                engine.finish(Outcome.SUCCESS, "Ordered.", 5)
            else:
                engine.enter(TurnState.PAUSED, Cause.APPROVAL, "You refused.")

        decision.add_done_callback(settled)

    engine.script = script


@pytest.mark.parametrize("mode", AGES)
async def test_a_yes_of_the_clients_user_is_for_one_deed(mode: str) -> None:
    engine, person, verdicts = PhonedEngine(), Person(YES), Verdicts()
    paying(engine, verdicts)
    async with connected(engine, mode, person) as client:
        lines: list[str] = []

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            lines.append(message or "")

        async with asyncio.timeout(LIMIT):
            result = await client.call_tool("run", {"command": "lunch"}, progress_callback=heard)
    report = result.structured_content or {}
    assert (report["outcome"], report["answer"]) == ("success", "Ordered.")
    assert report["instruction"] == "Order beef noodles without coriander on Eats to the office"
    assert [approval.verdict for approval in verdicts] == [Verdict.ONCE]
    (question,) = person.questions
    assert "¥32.00" in question
    assert "Corner Noodle House" in question
    assert any("beef noodles" in line for line in lines)


@each("mode", AGES)
@each("refusal", [NO, DECLINED, ElicitResult(action="accept", content={"answer": "certainly"})])
async def test_whatever_is_no_yes_refuses(mode: str, refusal: ElicitResult) -> None:
    engine, person, verdicts = PhonedEngine(), Person(refusal, NO), Verdicts()
    paying(engine, verdicts)
    async with connected(engine, mode, person) as client:
        report = await call(client)
    # Only the user's own no is given to a dialog of the phone, too.
    assert list(verdicts) == [Approval(Verdict.NO, answers_dialog=refusal is NO)]
    assert "paused" in person.questions[1]
    assert report["outcome"] == "cancelled"


async def test_a_yes_with_other_words_is_not_what_was_asked() -> None:
    engine, verdicts = PhonedEngine(), Verdicts()
    paying(engine, verdicts)
    other = ElicitResult(action="accept", content={"answer": "yes", "words": "ok, but pay in cash"})
    async with connected(engine, "auto", Person(other, NO)) as client:
        await call(client)
    assert list(verdicts) == [Approval(Verdict.INSTEAD, "ok, but pay in cash", answers_dialog=False)]


@pytest.mark.parametrize("mode", AGES)
async def test_a_client_that_cannot_ask_gets_no_approval(mode: str) -> None:
    engine, verdicts = PhonedEngine(), Verdicts()
    paying(engine, verdicts)
    async with connected(engine, mode, None) as client:
        report = await call(client)
    assert [approval.verdict for approval in verdicts] == [Verdict.NO]
    assert report["outcome"] == "cancelled"
    assert "¥32.00" in report["refused"][0]


async def test_a_client_that_fails_to_ask_gets_no_approval_and_may_call_again() -> None:
    engine, verdicts = PhonedEngine(), Verdicts()
    paying(engine, verdicts)

    class Unable(Person):
        async def __call__(self, context: object, params: ElicitRequestParams) -> ElicitResult:
            raise ValueError("no window to ask in")

    async with connected(engine, "legacy", Unable()) as client:
        for calls in (1, 2):
            report = await call(client)
            assert report["outcome"] == "cancelled"
            assert "¥32.00" in report["refused"][0]
            assert [approval.verdict for approval in verdicts] == [Verdict.NO] * calls


@pytest.mark.parametrize("mode", AGES)
async def test_nobody_answers_in_time(mode: str) -> None:
    ended, verdicts = asyncio.Event(), Verdicts()

    class Endable(PhonedEngine):
        def cancel(self, cause: Cause = Cause.DONE) -> None:
            super().cancel()
            ended.set()

    class Absent(Person):
        async def __call__(self, context: object, params: ElicitRequestParams) -> ElicitResult:
            await ended.wait()
            return YES

    engine = Endable()
    paying(engine, verdicts)
    async with connected(engine, mode, Absent(), seconds=0.01) as client:
        async with asyncio.timeout(LIMIT):
            result = await client.call_tool("run", {"command": "lunch"})
    assert [approval.verdict for approval in verdicts] == [Verdict.NO]
    if mode == "legacy":
        assert (result.structured_content or {})["outcome"] == "cancelled"
    else:
        assert result.is_error
        assert "over" in words_of(result)


@pytest.mark.parametrize("mode", AGES)
async def test_questions_and_meanings_are_asked(mode: str) -> None:
    engine = PhonedEngine()
    person = Person(
        ElicitResult(action="accept", content={"instruction": "Order rice"}),
        ElicitResult(action="accept", content={"answer": "2"}),
    )
    heard: list[str] = []

    def script() -> None:
        engine.begin("lunch")
        meaning = engine.propose("Order noodles")
        meaning.add_done_callback(lambda settled: asked(settled.result()))

    def asked(instruction: str) -> None:
        heard.append(instruction)
        question = engine.ask_question(1, "Which rice?", ("white", "brown"))
        question.add_done_callback(lambda settled: done(settled.result()))

    def done(answer: str) -> None:
        heard.append(answer)
        engine.finish(Outcome.SUCCESS, "Ordered.", 1)

    engine.script = script
    async with connected(engine, mode, person) as client:
        report = await call(client)
    assert report["outcome"] == "success"
    assert heard == ["Order rice", "brown"]
    assert "noodles" in person.questions[0]


async def test_only_one_turn_runs_and_what_is_missing_is_said() -> None:
    engine, begun = PhonedEngine(), asyncio.Event()
    engine.script = begun.set
    async with connected(engine, "auto", Person()) as client:
        async with asyncio.timeout(LIMIT):
            first = asyncio.create_task(client.call_tool("run", {"command": "call mom"}))
            await begun.wait()
            second = await client.call_tool("run", {"command": "call dad"})
            assert second.is_error
            assert "already running" in words_of(second)
            assert "cancelled" in words_of(await client.call_tool("cancel", {}))
            assert (await first).structured_content is not None
        engine.missing = "No phone is connected."
        refused = await client.call_tool("run", {"command": "call mom"})
    assert "No phone is connected." in words_of(refused)


async def test_a_turn_that_ends_before_it_is_cancelled_is_not_called_cancelled() -> None:
    class Fast(PhonedEngine):
        def cancel(self, cause: Cause = Cause.DONE) -> None:
            self.finish(Outcome.SUCCESS, "Sent.", 1)

    engine, begun = Fast(), asyncio.Event()
    engine.script = begun.set
    async with connected(engine, "auto", Person()) as client, asyncio.timeout(LIMIT):
        running = asyncio.create_task(client.call_tool("run", {"command": "text mom hello"}))
        await begun.wait()
        assert "ended before" in words_of(await client.call_tool("cancel", {}))
        assert ((await running).structured_content or {})["outcome"] == "success"


async def test_a_turn_whose_client_gives_up_the_call_is_cancelled_and_the_next_one_runs() -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    class Watched(PhonedEngine):
        def cancel(self, cause: Cause = Cause.DONE) -> None:
            super().cancel()
            cancelled.set()

    engine = Watched()
    engine.script = begun.set
    async with connected(engine, "auto", Person()) as client, asyncio.timeout(LIMIT):
        given_up = asyncio.create_task(client.call_tool("run", {"command": "text mom hello"}))
        await begun.wait()
        given_up.cancel()
        await cancelled.wait()
        engine.script = lambda: engine.finish(Outcome.SUCCESS, "Sent.", 1)
        assert (await call(client))["outcome"] == "success"


async def test_look_ups_and_lines_that_need_no_phone() -> None:
    engine = PhonedEngine()
    async with connected(engine, "auto", Person()) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {
            *("run", "use_skill", "cancel", "say"),
            *("resolve", "suggest", "skills", "ask_memory"),
        }
        resolved = await client.call_tool("resolve", {"command": "lunch"})
        assert (resolved.structured_content or {})["instruction"] == "Order beef noodles"
        wrong = await client.call_tool("suggest", {"at": "noon"})
        assert "gives no time" in words_of(wrong)
        listed = await client.call_tool("skills", {})
        assert (listed.structured_content or {})["skills"][0]["name"] == "Order lunch"
        past = await client.call_tool("ask_memory", {"question": "what did I eat last week?"})
        assert not past.is_error
        assert "no question" in words_of(await client.call_tool("ask_memory", {"question": "call mom"}))
        hello = await client.call_tool("run", {"command": "hello"})
        assert not hello.is_error
        changing = await client.call_tool("run", {"command": "forget everything about my sister"})
    assert changing.is_error
    assert not [name for name, *_ in engine.calls if name == "run"]


async def test_http_lets_in_who_has_the_key() -> None:
    engine = PhonedEngine()
    driver = TurnDriver(engine)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        server = build_server(driver, engine, CannedLookUps(), "1.0", "sesame", url)
        serving = asyncio.create_task(serve_http(server, driver, listener))
        try:
            async with asyncio.timeout(LIMIT):
                for headers, status in (
                    ({}, 401),
                    ({"Authorization": "Bearer open"}, 401),
                    ({"Authorization": "Bearer sesame", "Host": "evil.example"}, 421),
                ):
                    async with httpx2.AsyncClient() as http:
                        answer = await http.post(url, headers=headers, json={})
                        assert answer.status_code == status
                keyed = httpx2.AsyncClient(headers={"Authorization": "Bearer sesame"})
                async with keyed, Client(streamable_http_client(url, http_client=keyed)) as client:
                    listed = await client.call_tool("skills", {})
                    assert (listed.structured_content or {})["skills"]
        finally:
            serving.cancel()
            await asyncio.wait([serving])


async def test_a_whole_turn_on_the_simulated_phone(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    person = Person(YES, YES)
    async with running_world(adb_server.port, tmp_path / "store") as world:
        driver = TurnDriver(world.engine)
        world.hear = driver.take
        server = build_server(driver, world.engine, CannedLookUps(), "1.0")
        async with Client(server, elicitation_callback=person) as client:
            report = await call(client, "call Susan Lin")
        assert report["outcome"] == "success"
        assert [deed["kind"] for deed in report["deeds"]] == [ActionKind.GRANT, ActionKind.SEND]
        assert "Allow Phone to access your contacts?" in person.questions[0]
        assert world.app("dialer")["calls"][0]["name"] == "Mom"


@pytest.mark.parametrize("mode", AGES)
async def test_a_client_that_never_answers_keeps_nobody_out_after_a_cancel(
    mode: str, adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    asked = asyncio.Event()

    async def never(context: object, params: ElicitRequestParams) -> ElicitResult:
        asked.set()
        await asyncio.Event().wait()
        return YES

    async with running_world(adb_server.port, tmp_path / "store") as world:
        driver = TurnDriver(world.engine)
        world.hear = driver.take
        server = build_server(driver, world.engine, CannedLookUps(), "1.0")
        gone = Client(server, mode=mode, elicitation_callback=never)
        async with gone, Client(server, mode=mode, elicitation_callback=Person()) as other:
            waiting = asyncio.create_task(gone.call_tool("run", {"command": "text Mom that I'll be late"}))
            async with asyncio.timeout(LIMIT):
                await asked.wait()
                busy = await other.call_tool("run", {"command": "turn on dark mode"})
                await other.call_tool("cancel", {})
            report = await call(other, "turn on dark mode")
            waiting.cancel()
        assert busy.is_error
        assert report["outcome"] == "success"
        assert not any("late" in message["text"] for message in world.app("chat")["messages"]["Mom"])


async def test_a_client_that_reads_no_more_ends_the_server_without_an_error() -> None:
    class BrokenServer:
        async def run_stdio_async(self) -> None:
            raise ExceptionGroup("tasks", [BrokenPipeError()])

    driver = TurnDriver(cast(Any, PhonedEngine()))
    await serve_stdio(cast(Any, BrokenServer()), driver)
