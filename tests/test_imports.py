"""No circles of imports: what is loaded does not depend on what is imported first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tools.house import When, circles, modules, parsed, product


@pytest.fixture(scope="module", autouse=True)
def trees(uncollected: None) -> Iterator[None]:
    """The syntax trees of all sources go with the last test here, before garbage is collected again."""
    yield
    parsed.cache_clear()


def test_nothing_is_imported_in_a_circle_at_import_time() -> None:
    assert circles(When.AT_IMPORT, modules()) == []


def test_nothing_is_imported_in_a_circle_through_functions() -> None:
    assert circles(When.RUNS, product()) == []


def test_nothing_is_imported_in_a_circle_through_types() -> None:
    assert circles(When.ANY, product()) == []
