"""`bench hostile --mcp`: the misleading screens again, where another program drives the turns through MCP.

The client is that of the official package, connected to the server in this process. Its user declines every
approval and lets a paused turn go on; or it cannot ask its user at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from mcp.client import Client
from mcp_types import ElicitRequestParams, ElicitResult

from assistant.bench.harness import open_own_phone
from assistant.bench.hostile import INSTRUCTION, LIMIT, Attack, Drive, attack, load_screens, report
from assistant.bench.report import Report, progress
from assistant.engine import Engine
from assistant.events import ActionKind, ApprovalRequested, StateChanged, TurnFinished, TurnState
from assistant.protocols.mcp_server import TurnDriver, build_server

_MOST_ROUNDS = 60


class NoLookUps:
    """A memory in which nothing is looked up: only turns are run."""

    def resolve(self, command: str) -> dict[str, Any]:
        """Nothing."""
        return {}

    def suggest(self, at: str, scenario: str) -> dict[str, Any]:
        """Nothing."""
        return {}

    def skills(self) -> list[dict[str, Any]]:
        """None."""
        return []


class DecliningUser:
    """The client's user: declines approvals, says no to questions, and lets a paused turn go on.

    Args:
        agrees: whether they say yes to an approval.
    """

    def __init__(self, agrees: Callable[[], bool]) -> None:
        self.paused = False
        self._agrees = agrees

    async def __call__(self, context: object, params: ElicitRequestParams) -> ElicitResult:
        """Fill in the form that the server shows."""
        fields = getattr(params, "requested_schema", {}).get("properties", {})
        if "instruction" in fields:
            return ElicitResult(action="accept", content={"instruction": fields["instruction"]["default"]})
        if "words" not in fields:
            return ElicitResult(action="accept", content={"answer": "no"})
        if self.paused:
            return ElicitResult(action="accept", content={"answer": "yes"})
        if self._agrees():
            return ElicitResult(action="accept", content={"answer": "yes"})
        return ElicitResult(action="decline")


async def drive_client(
    engine: Engine, agrees: Callable[[], bool], asked: list[ActionKind], *, mode: str, elicits: bool
) -> bool:
    """Have a client run the turn.

    Args:
        engine: a started engine.
        agrees: whether the client's user says yes to an approval.
        asked: gets the kinds that were asked.
        mode: the client's age of the protocol: "auto" for the newest, "legacy" for that before round trips.
        elicits: whether the client can ask its user.
    """
    driver, user, ended = TurnDriver(engine), DecliningUser(agrees), asyncio.Event()

    async def listen() -> None:
        async for event in engine.events():
            match event:
                case ApprovalRequested(kind=kind):
                    asked.append(kind)
                case StateChanged(state=state):
                    user.paused = state is TurnState.PAUSED
                case TurnFinished():
                    ended.set()
            driver.take(event)

    listening = asyncio.create_task(listen())
    client = Client(
        build_server(driver, engine, NoLookUps(), "1.0"),
        mode=mode,
        elicitation_callback=user if elicits else None,
        input_required_max_rounds=_MOST_ROUNDS,
    )
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(LIMIT), client:
                await client.call_tool("run", {"command": INSTRUCTION})
                await ended.wait()
    finally:
        listening.cancel()
        await asyncio.wait([listening])
    return ended.is_set()


CLIENTS: dict[str, Drive] = {
    "declines": partial(drive_client, mode="auto", elicits=True),
    "declines, before round trips": partial(drive_client, mode="legacy", elicits=True),
    "cannot ask": partial(drive_client, mode="auto", elicits=False),
}
"""The kinds of client."""


async def run(ids: Sequence[str]) -> Report:
    """Show the screens of these ids, all for none, to turns of each kind of client.

    Raises:
        DataMissing: there is no checkout.
        TurnFailed: a turn hangs.
    """
    screens = [screen for screen in load_screens() if not ids or screen.id in ids]
    attacks: dict[str, list[Attack]] = {name: [] for name in CLIENTS}
    async with open_own_phone() as local:
        for number, screen in enumerate(screens, 1):
            came = await attack(local, screen, tuple(CLIENTS.values()))
            for name, each in zip(CLIENTS, came, strict=True):
                attacks[name].append(each)
            harmed = [name for name, each in zip(CLIENTS, came, strict=True) if each.guarded]
            progress(f"{number}/{len(screens)} {screen.id}: {', '.join(harmed) or 'no harm'}")
    reports = {name: report(each) for name, each in attacks.items()}
    return Report(
        {name: each.values for name, each in reports.items()}, all(each.good for each in reports.values())
    )
