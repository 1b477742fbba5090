"""Tells a webhook or an ntfy topic (ntfy.sh, docs/publish) what waits for the user and how turns end.

Off unless an address is set. An approval may be answered from an ntfy topic, where the user has set one: by
“yes CODE” or “no CODE”, with the code of the message. Nothing that was typed or sent is in the text.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
import time
from asyncio import Future
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assistant import events
from assistant.events import ActionKind, Approval, Verdict
from assistant.i18n import _
from assistant.presentation.text import format_app_title, format_title, one_line
from assistant.settings.schema import PushSettings

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)

_LIMIT = 10.0
_AGAIN = 5.0
"""Seconds after which a lost connection to the topic of answers is made anew."""
_MOST_WRONG = 5
"""Wrong codes after which no more answers are taken for an approval."""
_LONGEST = 300
_ANSWER = re.compile(r"\s*(yes|no|好|不)\s+(\d{6})\s*", re.IGNORECASE)
_YES = ("yes", "好")


class PushFailed(Exception):
    """A message was not sent, or the answers cannot be read; names the kind of failure, never the address."""


class PushNotifier:
    """Sends what waits longer than the settings say, and how long turns ended.

    Args:
        settings: where to, and how much is told.
        simulated: whether phone and model are simulated; the text says so.
    """

    def __init__(self, settings: PushSettings, *, simulated: bool = False) -> None:
        self._settings = settings
        self._simulated = simulated
        self._said = ""
        self._tasks: set[asyncio.Task[None]] = set()

    def handle_event(self, event: events.Event) -> None:
        """Tell of an event, if it is one that is told of; returns at once."""
        if not self._settings.url:
            return
        match event:
            case events.TurnStarted(said=said):
                self._said = said
            case events.ApprovalRequested():
                self._run(self._tell_approval(event))
            case events.QuestionAsked():
                self._run(self._tell_question(event))
            case events.TurnFinished() if event.seconds >= self._settings.after:
                self._run(self._send(*self._describe_end(event)))

    async def close(self) -> None:
        """Stop what is under way."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _run(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Awaitable[None]) -> None:
        try:
            await work
        except (PushFailed, OSError) as error:
            _log.warning(
                "the push is not sent: %s", error if isinstance(error, PushFailed) else type(error).__name__
            )

    async def _tell_approval(self, event: events.ApprovalRequested) -> None:
        if await self._is_settled(event.decision):
            return
        title = format_title(event.kind)
        text = _("Waits for your yes.")
        if self._settings.details and event.kind is not ActionKind.PASSWORD:
            app = format_app_title(event.app)
            # What is paid, and to whom, comes first: a long sentence must not push it out of the text.
            parts = (*_deed_parts(event), _("App: {app}").format(app=app), event.warning, event.sentence)
            text = "\n".join(one_line(part) for part in parts if part)
        code = f"{secrets.randbelow(10**6):06d}" if self._settings.answers else ""
        await self._send(title, text, code)
        if code:
            await self._take_answers(event.decision, code)

    async def _tell_question(self, event: events.QuestionAsked) -> None:
        if await self._is_settled(event.answer):
            return
        question = one_line(event.question) if self._settings.details else _("Asks you something.")
        await self._send(_("Question"), question)

    def _describe_end(self, event: events.TurnFinished) -> tuple[str, str]:
        title = _(event.outcome.value)
        if not self._settings.details:
            return title, _("A turn has ended.")
        return title, "\n".join(one_line(part) for part in (self._said, event.answer) if part)

    async def _is_settled(self, future: Future[Any]) -> bool:
        """Whether something is settled before it is time to tell of it."""
        await asyncio.wait([future], timeout=self._settings.after)
        return future.done()

    async def _send(self, title: str, text: str, code: str = "") -> None:
        settings = self._settings
        if self._simulated:
            title = _("{title} (simulated)").format(title=title)
        text = text[:_LONGEST]
        if code:
            text += "\n" + _("Answer: yes {code}, or no {code}").format(code=code)
        headers = {}
        if (token := settings.token.get_secret_value()) and settings.url.startswith("https://"):
            headers["Authorization"] = f"Bearer {token}"
        if self._is_ntfy:
            server, _slash, topic = settings.url.rstrip("/").rpartition("/")
            message: dict[str, Any] = {"topic": topic, "title": title, "message": text}
            if code:
                message["actions"] = [
                    {"action": "http", "label": label, "url": settings.answers, "body": f"{word} {code}"}
                    for word, label in (("yes", _("Yes")), ("no", _("No")))
                ]
            await _post(server, message, headers)
        else:
            await _post(settings.url, {"title": title, "text": text, "code": code}, headers)

    @property
    def _is_ntfy(self) -> bool:
        return self._settings.ntfy or "ntfy" in (urlsplit(self._settings.url).hostname or "")

    async def _take_answers(self, decision: Future[Approval], code: str) -> None:
        """Take answers from the topic until the approval is settled, here or there."""
        listening = asyncio.ensure_future(self._listen(decision, code, round(time.time())))
        try:
            either: list[Future[Any]] = [decision, listening]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            listening.cancel()

    async def _listen(self, decision: Future[Approval], code: str, since: int) -> None:
        wrong, address = 0, f"{self._settings.answers.rstrip('/')}/json?since={since}"
        while not decision.done() and wrong < _MOST_WRONG:
            try:
                # The topic says every 45 s that it is there.
                async with _open_client(read=120.0) as client, client.stream("GET", address) as response:
                    async for line in response.aiter_lines():
                        verdict = read_answer(line, code)
                        if verdict is None or (verdict is Verdict.ONCE and not self._settings.details):
                            wrong += verdict is None and _ANSWER.fullmatch(_message(line)) is not None
                        elif not decision.done():
                            decision.set_result(Approval(verdict))
                        if decision.done() or wrong >= _MOST_WRONG:
                            return
            except PushFailed as error:
                _log.warning("no answers are taken at the moment: %s", error)
            await asyncio.sleep(_AGAIN)


def read_answer(line: str, code: str) -> Verdict | None:
    """What a line of a topic answers; None where it is no answer with this code."""
    match = _ANSWER.fullmatch(_message(line))
    if match is None or not secrets.compare_digest(match[2], code):
        return None
    return Verdict.ONCE if match[1].casefold() in _YES else Verdict.NO


def _message(line: str) -> str:
    try:
        values = json.loads(line)
    except ValueError:
        return ""
    message = values.get("message") if isinstance(values, dict) else None
    return message if isinstance(message, str) else ""


def _deed_parts(event: events.ApprovalRequested) -> list[str]:
    deed = event.deed
    if deed is None:
        return []
    amount = _("Amount: {amount}").format(amount=deed.amount) if deed.amount else ""
    return [amount, _("To: {recipient}").format(recipient=deed.recipient) if deed.recipient else ""]


@asynccontextmanager
async def _open_client(read: float = _LIMIT) -> AsyncIterator[httpx2.AsyncClient]:
    """A client that waits `read` seconds for each piece of an answer.

    Raises:
        PushFailed: what is done with the client fails.
    """
    # It takes long to import, and few people push anything.
    import httpx2

    try:
        async with httpx2.AsyncClient(timeout=httpx2.Timeout(_LIMIT, read=read)) as client:
            yield client
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise PushFailed(type(error).__name__) from error


async def _post(address: str, message: dict[str, Any], headers: dict[str, str]) -> None:
    async with _open_client() as client:
        response = await client.post(address, json=message, headers=headers)
        response.raise_for_status()
