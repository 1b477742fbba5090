from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.bench.figures import Spread, percentile, ratio, spread


def test_a_spread_is_in_milliseconds() -> None:
    found = spread([0.003, 0.001, 0.002])

    assert found.count == 3
    assert found.largest == pytest.approx(3.0)
    assert found.median == pytest.approx(2.0)
    assert found.p95 == pytest.approx(2.9)


def test_nothing_measured() -> None:
    assert spread([]) == Spread()
    with pytest.raises(ValueError, match="at least one"):
        percentile([], 0.5)


def test_a_ratio_needs_a_baseline() -> None:
    assert ratio(1.0, 4.0) == 0.25
    assert ratio(1.0, 0.0) is None


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 1))
def test_a_percentile_lies_among_the_values(values: list[float], fraction: float) -> None:
    ordered = sorted(values)

    assert ordered[0] <= percentile(ordered, fraction) <= ordered[-1]
