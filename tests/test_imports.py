"""No circles of imports: what is loaded does not depend on what is imported first."""

from __future__ import annotations

from tools.house import When, circles, modules, product

IN_FUNCTIONS = 1
"""How many circles of the product go through imports inside functions. Only to be lowered, to 0."""

TYPES = 2
"""How many circles there are with what is imported under `TYPE_CHECKING` too. Only to be lowered, to 0."""


def test_nothing_is_imported_in_a_circle_at_import_time() -> None:
    assert circles(When.AT_IMPORT, modules()) == []


def test_circles_through_imports_inside_functions_become_fewer() -> None:
    assert len(circles(When.RUNS, product())) <= IN_FUNCTIONS


def test_circles_through_types_become_fewer() -> None:
    assert len(circles(When.ANY, product())) <= TYPES
