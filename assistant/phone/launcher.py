"""Finding an app's icon by its label on the launcher, the only place where every phone shows labels."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from assistant.phone.input import KEY_HOME, Touch
from assistant.phone.labels import same_label
from assistant.phone.screen import ScreenSource, settled_look
from assistant.phone.ui_tree import UiTree
from assistant.records import Bounds, Element

_DRAWER_PAGES = 30
_HOME_PAGES = 10


class Launcher:
    """Leafs through home screen, app drawer and further home pages.

    `labels` are those seen so far, `package` is the launcher's own.
    """

    def __init__(self, touch: Touch, source: ScreenSource, cap: float) -> None:
        self._touch = touch
        self._source = source
        self._cap = cap
        self.labels: set[str] = set()
        self.package = ""

    async def tap(self, name: str) -> str | None:
        """Tap the icon with a name; the label as it is written there, or None when there is no such icon."""
        await self._touch.key(KEY_HOME)
        tree = await self._read()
        if tree is None:
            return None
        self.package = next((element.package for element in tree.elements), "")
        screen = _screen(tree)
        return (
            await self._tap_in(tree, name)
            or await self._leaf(name, tree, _DRAWER_PAGES, lambda: self._swipe_up(screen))
            or await self._leaf_home(name, screen)
        )

    async def _leaf_home(self, name: str, screen: Bounds) -> str | None:
        """Look through the pages beside the home screen, as on launchers without a drawer."""
        await self._touch.key(KEY_HOME)
        tree = await self._read()
        return await self._leaf(name, tree, _HOME_PAGES, lambda: self._swipe_left(screen)) if tree else None

    async def _leaf(
        self, name: str, tree: UiTree, pages: int, turn: Callable[[], Awaitable[None]]
    ) -> str | None:
        before = set(icons(tree))
        for _ in range(pages):
            await turn()
            following = await self._read()
            if following is None or set(icons(following)) == before:
                return None
            if label := await self._tap_in(following, name):
                return label
            before = set(icons(following))
        return None

    async def _tap_in(self, tree: UiTree, name: str) -> str | None:
        found = icons(tree)
        self.labels.update(found)
        label = same_label(name, found)
        if label is not None:
            await self._touch.tap(*found[label].bounds.centre)
        return label

    async def _read(self) -> UiTree | None:
        return (await settled_look(self._source, self._cap)).tree

    async def _swipe_up(self, screen: Bounds) -> None:
        x = screen.centre[0]
        await self._touch.swipe((x, screen.height * 4 // 5), (x, screen.height * 3 // 10))

    async def _swipe_left(self, screen: Bounds) -> None:
        y = screen.centre[1]
        await self._touch.swipe((screen.width * 9 // 10, y), (screen.width // 10, y))


def icons(tree: UiTree) -> dict[str, Element]:
    """What can be tapped on a launcher's page, by its text or description; the first one of each label."""
    found: dict[str, Element] = {}
    for element in tree.elements:
        label = element.text or element.description
        tappable = element.clickable or (element.parent >= 0 and tree.elements[element.parent].clickable)
        if label and tappable and not element.editable and element.bounds.area > 0:
            found.setdefault(label, element)
    return found


def _screen(tree: UiTree) -> Bounds:
    return Bounds(
        0,
        0,
        max((element.bounds.right for element in tree.elements), default=1),
        max((element.bounds.bottom for element in tree.elements), default=1),
    )
