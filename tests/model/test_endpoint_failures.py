from __future__ import annotations

from datetime import UTC, datetime

import pytest

from assistant.model.endpoint import LONGEST_DELAY, delay_before, retry_after

NOW = datetime(2026, 3, 9, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Mon, 09 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 09 Mar 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "nan"}, None),
        ({"retry-after-ms": "soon"}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


def test_delays_double_up_to_a_limit_unless_the_server_asks() -> None:
    assert [delay_before(attempt, 1.0, None) for attempt in (1, 2, 3, 4)] == [1.0, 2.0, 4.0, 8.0]
    assert delay_before(1000, 1.0, None) == LONGEST_DELAY
    assert delay_before(5, 1.0, 0.0) == 0.0
