from __future__ import annotations

import inspect

import pytest

from tests.tables import each


def test_every_case_is_tried_and_those_that_fail_are_named() -> None:
    tried: list[tuple[int, int]] = []

    @each("first", [1, pytest.param(2)])
    @each("second, third", [(3, 3), (4, 5)])
    def check(first: int, second: int, third: int, shared: str) -> None:
        tried.append((first, second))
        assert second == third, shared

    assert list(inspect.signature(check).parameters) == ["shared"]
    with pytest.raises(BaseExceptionGroup, match="2 of 2 cases fail") as caught:
        check(shared="of a fixture")
    assert tried == [(1, 3), (1, 4), (2, 3), (2, 4)]
    first, _ = caught.value.exceptions
    assert first.__notes__ == ["in the case first=1"]
    assert isinstance(first, BaseExceptionGroup)
    assert first.exceptions[0].__notes__ == ["in the case second=4, third=5"]


def test_a_case_that_breaks_and_one_that_is_failed_count_alike() -> None:
    @each("error", [ValueError("broken"), pytest.fail.Exception("failed")])
    def check(error: BaseException) -> None:
        raise error

    with pytest.raises(BaseExceptionGroup, match="2 of 2 cases fail"):
        check()


async def test_cases_of_a_coroutine_are_awaited_one_after_the_other() -> None:
    tried: list[int] = []

    @each("number", [1, 2, 3])
    async def check(number: int) -> None:
        tried.append(number)
        assert number != 2

    with pytest.raises(BaseExceptionGroup, match="1 of 3 cases fail"):
        await check()
    assert tried == [1, 2, 3]


def test_a_table_is_whole() -> None:
    with pytest.raises(AssertionError, match="nothing"):
        each("number", [])
    with pytest.raises(AssertionError, match="of its own"):
        each("number", [pytest.param(1, marks=pytest.mark.skip)])
    with pytest.raises(AssertionError, match="not take all"):
        each("other", [1])(test_a_table_is_whole)
