"""No circles of imports: what is loaded does not depend on what is imported first."""

from __future__ import annotations

from tools.house import When, circles, modules, product


def test_nothing_is_imported_in_a_circle_at_import_time() -> None:
    assert circles(When.AT_IMPORT, modules()) == []


def test_nothing_is_imported_in_a_circle_through_functions() -> None:
    assert circles(When.RUNS, product()) == []


def test_nothing_is_imported_in_a_circle_through_types() -> None:
    assert circles(When.ANY, product()) == []
