"""The layout of the sources: no circles of imports, and files that a reader can take in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tools.house import When, circles, figures, modules, parsed


@pytest.fixture(scope="module", autouse=True)
def trees(uncollected: None) -> Iterator[None]:
    """The syntax trees of all sources go with the last test here, before garbage is collected again."""
    yield
    parsed.cache_clear()


def test_nothing_is_imported_in_a_circle_at_import_time() -> None:
    assert circles(When.AT_IMPORT, modules()) == []


def test_the_product_keeps_to_its_layout() -> None:
    """What `python -m tools.house` counts, circles among it. Files are not yet as few as wanted."""
    limits = {figure: figure.moved if figure.name == "product files" else figure.end for figure in figures()}
    assert [figure for figure, limit in limits.items() if limit is not None and figure.value > limit] == []
