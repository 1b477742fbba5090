"""What is wrong with the phone's connection at the moment: plain settings that the daemon consults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Faults:
    """The current faults; a fresh one is a healthy phone. Change them through the methods.

    `listening` off: nobody can connect. `connected` off: those who were are thrown out. `frozen`: connections
    stay open and nothing is answered. `silent`: new connections get no CNXN, so the host shows `offline`.
    `delay`: seconds that pass before a service starts. `cut_after`: the next `cut_streams` streams are closed
    once they have sent that many bytes.
    """

    listening: bool = True
    connected: bool = True
    silent: bool = False
    delay: float = 0.0
    cut_after: int = 0
    cut_streams: int = 0
    _changed: Callable[[], None] = field(default=lambda: None, repr=False)
    _return: asyncio.TimerHandle | None = field(default=None, repr=False)
    _thawed: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    def __post_init__(self) -> None:
        self._thawed.set()

    @property
    def frozen(self) -> bool:
        """Whether nothing is answered."""
        return not self._thawed.is_set()

    def watch(self, changed: Callable[[], None]) -> None:
        """Call back when somebody has to be thrown out, or let in again."""
        self._changed = changed

    async def thawed(self) -> None:
        """Wait until the phone is not frozen."""
        await self._thawed.wait()

    def drop(self, seconds: float | None = None) -> None:
        """Throw everyone out and let nobody connect, for a while or until `restore`."""
        self.forget()
        self.listening = self.connected = False
        self._changed()
        if seconds is not None:
            self._return = asyncio.get_running_loop().call_later(seconds, self.restore)

    def refuse(self) -> None:
        """Refuse new connections; those that are open stay."""
        self.listening = False
        self._changed()

    def freeze(self) -> None:
        """Keep connections open and answer nothing until `restore`."""
        self._thawed.clear()

    def silence(self) -> None:
        """Throw everyone out and answer no greeting until `restore`: the host shows the phone as offline."""
        self.silent = True
        self._throw_out()

    def cut(self, after: int, streams: int = 1) -> None:
        """Close the next streams once each has sent `after` bytes."""
        self.cut_after, self.cut_streams = after, streams

    def restore(self) -> None:
        """End all faults. Hosts that got no greeting are thrown out, so that they try again."""
        self.forget()
        if self.silent:
            self._throw_out()
        self.listening = self.connected = True
        self.silent = False
        self.delay = 0.0
        self.cut_after = self.cut_streams = 0
        self._thawed.set()
        self._changed()

    def forget(self) -> None:
        """Cancel a return that `drop` has planned."""
        if self._return is not None:
            self._return.cancel()
            self._return = None

    def _throw_out(self) -> None:
        self.connected = False
        self._changed()
        self.connected = True

    def take_cut(self) -> int | None:
        """How many bytes a stream that opens now may send; nothing for no limit."""
        if not self.cut_streams:
            return None
        self.cut_streams -= 1
        return self.cut_after
