"""A table of cases as one test: where no case needs a fixture of its own, a test for each costs much."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import partial, wraps
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

Test = Callable[..., Any]

_CAUGHT = Exception, pytest.fail.Exception
_SHOWN = 300
"""Letters of a case that a failure shows."""


def each(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """`pytest.mark.parametrize` as one test: every case is tried, and those that fail are named together.

    A case is a value, a tuple of values or a `pytest.param` without marks, as there.
    """
    parameters = names.replace(" ", "").split(",") if isinstance(names, str) else list(names)
    rows = [_row(parameters, case) for case in cases]
    assert rows, "A table without cases tests nothing"

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        rest = [parameter for name, parameter in signature.parameters.items() if name not in parameters]
        assert len(rest) + len(parameters) == len(signature.parameters), "It does not take all of a case"

        @wraps(test)
        def run(*given: Any, **fixtures: Any) -> None:
            _report(rows, [_try(partial(test, *given, **fixtures, **row)) for row in rows])

        @wraps(test)
        async def run_async(*given: Any, **fixtures: Any) -> None:
            _report(rows, [await _try_async(test(*given, **fixtures, **row)) for row in rows])

        table: Any = run_async if inspect.iscoroutinefunction(test) else run
        table.__signature__ = signature.replace(parameters=rest)
        made: Test = table
        return made

    return decorate


def _row(parameters: list[str], case: Any) -> dict[str, Any]:
    if isinstance(case, ParameterSet):
        assert not case.marks, "A case with a mark is a test of its own"
        values = tuple(case.values)
    else:
        values = (case,) if len(parameters) == 1 else tuple(case)
    return dict(zip(parameters, values, strict=True))


def _try(attempt: Callable[[], Any]) -> BaseException | None:
    try:
        attempt()
    except _CAUGHT as error:
        return error
    return None


async def _try_async(attempt: Any) -> BaseException | None:
    """In a task of its own, so that no case sees the context variables of the one before."""
    try:
        await asyncio.create_task(attempt)
    except _CAUGHT as error:
        return error
    return None


def _report(rows: list[dict[str, Any]], errors: list[BaseException | None]) -> None:
    failed = [(row, error) for row, error in zip(rows, errors, strict=True) if error is not None]
    for row, error in failed:
        case = ", ".join(f"{name}={value!r}" for name, value in row.items())
        error.add_note(f"in the case {case[:_SHOWN]}")
    if failed:
        message = f"{len(failed)} of {len(rows)} cases fail"
        raise BaseExceptionGroup(message, [error for _, error in failed])
