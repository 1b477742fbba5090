from __future__ import annotations

from assistant.bench.first_paint import report
from tests.tables import each


@each(("fields", "kept", "is_good"), [([0.1, 0.2], 2, True), ([0.1, 1.4], 2, False), ([0.1, 0.2], 1, False)])
def test_a_late_field_or_a_lost_key_is_not_good(fields: list[float], kept: int, is_good: bool) -> None:
    assert report(fields, [1.0, 1.1], [0.5, 0.6], kept).good is is_good
