"""The pictures that are sent: made in threads, and ahead of time where the screenshot is known early."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from assistant.model.elements import listed
from assistant.model.frame import Frame, Resize, as_it_is, scaled
from assistant.model.images import encode
from assistant.records import Observation
from assistant.settings.schema import ModelSettings


class Darkroom:
    """Makes frames of screenshots. All methods belong to one event loop.

    Args:
        settings: the longest side, and how the picture is compressed.
        resize: gives the exact size that is sent, from the size scaled down to the longest side.
    """

    def __init__(self, settings: ModelSettings, resize: Resize = as_it_is) -> None:
        self._settings = settings
        self._resize = resize
        self._png = b""
        self._making: asyncio.Task[Frame | None] | None = None

    def expect(self, png: bytes) -> None:
        """Begin with a screenshot that may be asked for soon; one under way is not dropped for it."""
        if png and png != self._png and (self._making is None or self._making.done()):
            self._begin(png)

    async def frame_of(self, observation: Observation) -> Frame:
        """The screen as it is sent. A secure screen's black picture, or a broken one, is left out."""
        png = observation.screenshot
        frame = await self._made(png) if png and not observation.secure else None
        if frame is None:
            size = scaled(observation.width, observation.height, self._settings.image_side)
            frame = Frame(*self._resize(*size))
        return replace(frame, centres=tuple(row.centre for row in listed(observation)[0]))

    async def close(self) -> None:
        """Wait for what is under way."""
        if self._making is not None:
            await asyncio.wait([self._making])

    async def _made(self, png: bytes) -> Frame | None:
        making = self._making if self._making is not None and png == self._png else self._begin(png)
        return await asyncio.shield(making)

    def _begin(self, png: bytes) -> asyncio.Task[Frame | None]:
        self._png = png
        self._making = asyncio.create_task(asyncio.to_thread(encode, png, self._settings, self._resize))
        return self._making
