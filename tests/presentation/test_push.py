"""Pushes go to a real HTTP server here, and answers come from one, as from an ntfy topic."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from assistant import events
from assistant.events import ActionKind, Approval, Deed, Verdict
from assistant.presentation.push import PushNotifier, read_answer
from assistant.records import Click, ForegroundApp, Outcome, Point, Usage
from assistant.settings.schema import PushSettings

NOW = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)
DEED = Deed(kind=ActionKind.PAY, package="com.pay", recipient="Noodle House", amount="¥32")


class Server(ThreadingHTTPServer):
    """Remembers what is posted, and streams the lines of a topic."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.posted: list[tuple[str, dict[str, Any], str]] = []
        self.answer = "{word} {code}"
        self.word = "yes"
        self.news = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.posted.append((self.path, body, self.headers.get("Authorization", "")))
        self.send_response(200)
        self.end_headers()
        self.server.news.set()

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        code = self.server.posted[-1][1]["code"]
        wrong = f"{(int(code) + 1) % 10**6:06d}"
        for said in (f"yes {wrong}", f"{self.server.word} {code}"):
            line = json.dumps({"event": "message", "message": said})
            self.wfile.write(line.encode() + b"\n")

    def log_request(self, *_about: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def approval(kind: ActionKind = ActionKind.PAY) -> events.ApprovalRequested:
    return events.ApprovalRequested(
        time=NOW,
        step=3,
        kind=kind,
        action=Click(point=Point(0.5, 0.9), content="Pay"),
        app=ForegroundApp("com.pay", ".Main", "PayBox"),
        decision=asyncio.get_running_loop().create_future(),
        sentence="Pays ¥32, to Noodle House.",
        text="the secret words of a message",
        deed=DEED,
    )


def ended(seconds: float = 60.0) -> events.TurnFinished:
    return events.TurnFinished(
        time=NOW,
        turn_id="t1",
        outcome=Outcome.SUCCESS,
        answer="Beef noodles are ordered.",
        steps=4,
        usage=Usage(),
        seconds=seconds,
    )


async def posted(server: Server) -> dict[str, Any]:
    assert await asyncio.to_thread(server.news.wait, 20)
    return server.posted[-1][1]


async def test_without_an_address_nobody_is_told(server: Server) -> None:
    push = PushNotifier(PushSettings())
    push.handle_event(approval())
    push.handle_event(ended())
    await push.close()
    assert not server.posted


async def test_without_details_only_the_kind_is_told(server: Server) -> None:
    push = PushNotifier(PushSettings(url=server.address, after=0))
    push.handle_event(approval())
    assert await posted(server) == {"title": "Pay?", "text": "Waits for your yes.", "code": ""}
    await push.close()


async def test_with_details_the_deed_is_told_but_no_text_of_a_message(server: Server) -> None:
    push = PushNotifier(PushSettings(url=server.address, after=0, details=True), simulated=True)
    push.handle_event(approval())
    message = await posted(server)
    assert message["title"] == "Pay? (simulated)"
    assert all(words in message["text"] for words in ("¥32", "Noodle House", "PayBox"))
    assert "secret words" not in message["text"]
    await push.close()


async def test_a_long_sentence_cuts_off_neither_the_amount_nor_the_code(server: Server) -> None:
    settings = PushSettings(url=server.address, after=0, details=True, answers=f"{server.address}/answers")
    push = PushNotifier(settings)
    push.handle_event(replace(approval(), sentence="very " * 200))
    message = await posted(server)
    assert all(words in message["text"] for words in ("¥32", "Noodle House", f"yes {message['code']}"))
    await push.close()


async def test_of_a_password_nothing_more_is_told(server: Server) -> None:
    push = PushNotifier(PushSettings(url=server.address, after=0, details=True))
    push.handle_event(approval(ActionKind.PASSWORD))
    assert (await posted(server))["text"] == "Waits for your yes."
    await push.close()


async def test_a_topic_of_ntfy_gets_its_own_form(server: Server) -> None:
    push = PushNotifier(PushSettings(url=f"{server.address}/mine", ntfy=True, after=0, details=True))
    push.handle_event(events.TurnStarted(time=NOW, turn_id="t1", said="order lunch"))
    push.handle_event(ended())
    message = await posted(server)
    assert message == {
        "topic": "mine",
        "title": "success",
        "message": "order lunch\nBeef noodles are ordered.",
    }
    await push.close()


async def test_the_token_goes_over_https_only(server: Server) -> None:
    push = PushNotifier(PushSettings(url=server.address, after=0, token="hush"))
    push.handle_event(ended())
    await posted(server)
    assert server.posted[-1][2] == ""
    await push.close()


async def test_what_is_answered_in_time_and_short_turns_are_not_told(server: Server) -> None:
    push = PushNotifier(PushSettings(url=server.address, after=0.05))
    event = approval()
    event.decision.set_result(Approval(Verdict.NO))
    push.handle_event(event)
    push.handle_event(ended(seconds=0.01))
    await asyncio.gather(*push._tasks)
    assert not server.posted


@pytest.mark.parametrize(("word", "verdict"), [("yes", Verdict.ONCE), ("no", Verdict.NO)])
async def test_an_approval_is_answered_with_its_code_only(
    server: Server, word: str, verdict: Verdict
) -> None:
    server.word = word
    settings = PushSettings(url=server.address, after=0, details=True, answers=f"{server.address}/answers")
    push = PushNotifier(settings)
    event = approval()
    push.handle_event(event)
    async with asyncio.timeout(30):
        assert await event.decision == Approval(verdict)
    await push.close()


async def test_a_yes_needs_the_details(server: Server) -> None:
    push = PushNotifier(PushSettings(url=server.address, after=0, answers=f"{server.address}/answers"))
    event = approval()
    push.handle_event(event)
    await posted(server)
    done, _waiting = await asyncio.wait([event.decision], timeout=1.0)
    assert not done
    await push.close()


def test_only_the_right_code_answers() -> None:
    assert read_answer('{"message": "yes 123456"}', "123456") is Verdict.ONCE
    assert read_answer('{"message": "不 123456"}', "123456") is Verdict.NO
    for line in ('{"message": "yes 123457"}', '{"message": "yes"}', "yes 123456", '{"message": 5}', "[]"):
        assert read_answer(line, "123456") is None
