"""What makes the interface's tests quick: nothing is painted that nobody looks at, no style is read twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from textual._compositor import Compositor
from textual._context import active_app
from textual.css.stylesheet import Stylesheet


@pytest.fixture(scope="session", autouse=True)
def quick() -> Iterator[None]:
    """A headless app paints each change and throws it away; here only what a test looks at is painted.

    A style sheet is read once for each theme, and not once for each app.
    """
    paint, read = Compositor.render_update, Stylesheet._parse_rules
    known: dict[tuple[object, ...], Any] = {}

    def paint_when_looked_at(self: Compositor, full: bool = False, **how: Any) -> Any:
        if full or not active_app.get().is_headless:
            return paint(self, full=full, **how)
        self._dirty_regions.clear()
        return None

    def read_once(self: Stylesheet, css: str, *rest: Any, **how: Any) -> Any:
        key = (css, *rest, *how.items(), *self._variables.items())
        if key not in known:
            known[key] = read(self, css, *rest, **how)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", paint_when_looked_at)
        patch.setattr(Stylesheet, "_parse_rules", read_once)
        yield
