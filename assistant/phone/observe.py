"""Making an observation: the settled screen and the facts about it, on a phone that can be used."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from assistant.events import PhoneState
from assistant.i18n import _
from assistant.phone import pictures
from assistant.phone.input import KEY_WAKE_UP, Touch
from assistant.phone.screen import Glimpse, Look, ScreenSource, settled_look, unheeded
from assistant.phone.states import failure
from assistant.phone.window import Facts
from assistant.records import Bounds, Element, ForegroundApp, Observation

# A black page compresses far below one byte for so many pixels; bigger pictures are not worth decoding.
_PIXELS_PER_BYTE_WHEN_BLACK = 16
_STATUS_BAR = 0.055


class Observer:
    """Makes observations of one phone."""

    def __init__(
        self,
        source: ScreenSource,
        touch: Touch,
        read_facts: Callable[[], Awaitable[Facts]],
        label_of: Callable[[str], Awaitable[str]],
        cap: float,
    ) -> None:
        """Build an observer.

        Args:
            source: where pictures and trees come from.
            touch: wakes the phone when its screen is off.
            read_facts: reads the facts.
            label_of: the label of a package, empty when not known.
            cap: seconds to wait for a screen that moves.
        """
        self._source = source
        self._touch = touch
        self._read_facts = read_facts
        self._label_of = label_of
        self._cap = cap

    async def observe(self, glimpse: Glimpse = unheeded) -> Observation:
        """The settled screen. A screen that is off is switched on, once.

        Args:
            glimpse: is given screenshots early.

        Raises:
            PhoneError: the phone is lost, locked, or its screen stays off.
        """
        look, facts = await self._read(glimpse)
        if facts.awake is False:
            await self._touch.key(KEY_WAKE_UP)
            look, facts = await self._read(glimpse)
        if look is None:
            raise failure(PhoneState.SCREEN_OFF if facts.awake is False else PhoneState.LOCKED)
        if _stale(look, facts):
            facts = await self._read_facts()
            if facts.locked:
                raise failure(PhoneState.LOCKED)
        return await asyncio.to_thread(compose, look, facts, await self._labelled(facts.app))

    async def _read(self, glimpse: Glimpse) -> tuple[Look | None, Facts]:
        """The screen and the facts, read side by side; no screen where it is dark or locked."""
        looking = asyncio.create_task(settled_look(self._source, self._cap, glimpse=glimpse))
        try:
            facts = await self._read_facts()
            usable = facts.awake is not False and not facts.locked
            return (await looking if usable else None), facts
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)

    async def _labelled(self, app: ForegroundApp) -> ForegroundApp:
        return app if app.label or not app.package else replace(app, label=await self._label_of(app.package))


def compose(look: Look, facts: Facts, app: ForegroundApp) -> Observation:
    """Put picture, tree and facts together. Decodes the picture where it may be a forbidden one: slow.

    Raises:
        PhoneError: the phone gave neither a picture nor a tree.
    """
    elements = look.tree.elements if look.tree else ()
    png = look.shot.png
    if not png and not elements:
        raise failure(
            PhoneState.FROZEN, _("The phone shows neither a picture nor a list of its screen. Restart it.")
        )
    width, height = _size(png, facts, elements)
    rotation = facts.rotation if facts.rotation is not None else look.tree.rotation if look.tree else None
    return Observation(
        width=width,
        height=height,
        screenshot=png,
        elements=elements,
        app=app,
        rotation=rotation or 0,
        keyboard_shown=facts.keyboard_shown,
        secure=look.shot.forbidden or is_secure(png, elements, width, height),
        settled=look.settled,
    )


def is_secure(png: bytes, elements: tuple[Element, ...], width: int, height: int) -> bool:
    """Whether the picture is black where the tree has text: the page forbids screenshots.

    A dark page is not: it shows its text. A picture without any text to show is never judged.
    """
    if not png or len(png) * _PIXELS_PER_BYTE_WHEN_BLACK > width * height:
        return False
    top = round(max(width, height) * _STATUS_BAR)
    screen = Bounds(0, top, width, height)
    texts = [e.bounds for e in elements if e.text.strip() and _inside(e.bounds, screen)]
    labelled = [e.bounds for e in elements if e.clickable and e.description and _inside(e.bounds, screen)]
    return pictures.blackened(png, texts or labelled, pictures.png_size(png)[0] / width)


def _inside(bounds: Bounds, screen: Bounds) -> bool:
    x, y = bounds.centre
    return bounds.area > 0 and screen.contains(x, y)


def _size(png: bytes, facts: Facts, elements: tuple[Element, ...]) -> tuple[int, int]:
    """The pixels that touches count in: the display's size, which may differ from the picture's."""
    if not png:
        return facts.size or (max(e.bounds.right for e in elements), max(e.bounds.bottom for e in elements))
    pictured = pictures.png_size(png)
    if facts.size and (facts.size[0] > facts.size[1]) == (pictured[0] > pictured[1]):
        return facts.size
    return pictured


def _stale(look: Look, facts: Facts) -> bool:
    """Whether another app came to the front after the facts were read."""
    if look.tree is None or not look.tree.elements or not facts.app.activity:
        return False
    return all(element.package != facts.app.package for element in look.tree.elements)
