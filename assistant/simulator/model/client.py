"""Changes a running scripted model from outside: sets faults and pace, reads what happened."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import aiohttp

from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import ControlChange, ControlStatus


class ScriptedModelError(Exception):
    """The scripted model refuses a change; the message says why."""


class ScriptedModelClient:
    """The control interface of a scripted model. Use as an asynchronous context manager."""

    def __init__(self, base_url: str, key: str = "") -> None:
        """Take the same address as the model's users, with or without `/v1`, and its key."""
        self._url = base_url.rstrip("/").removesuffix("/v1") + "/control"
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._session = aiohttp.ClientSession(headers=headers)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection."""
        await self._session.close()

    async def set_fault(self, fault: Fault | FaultKind) -> ControlStatus:
        """Add one fault; a bare kind happens once, with its defaults."""
        new_fault = fault if isinstance(fault, Fault) else Fault(kind=fault)
        return await self.change(ControlChange(faults=[new_fault]))

    async def change(self, change: ControlChange) -> ControlStatus:
        """Apply a change and say where things stand.

        Raises:
            ScriptedModelError: the change is refused.
        """
        return await self._ask("POST", change.model_dump_json())

    async def status(self) -> ControlStatus:
        """Where things stand."""
        return await self._ask("GET", None)

    async def _ask(self, method: str, body: str | None) -> ControlStatus:
        headers = {"Content-Type": "application/json"}
        async with self._session.request(method, self._url, data=body, headers=headers) as response:
            text = await response.text()
            if response.status != 200:
                raise ScriptedModelError(f"The scripted model answers {response.status}: {text}")
            return ControlStatus.model_validate_json(text)
