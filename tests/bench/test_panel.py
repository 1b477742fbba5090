from __future__ import annotations

import json

from assistant.bench import panel


def test_a_small_memory_opens_and_finds_in_time() -> None:
    values = json.loads(panel.run(100, 200, 0).as_json())
    sections = values["sections"]
    assert sections["records"]["items"] == 100
    assert sections["profile"]["items"] > 0
    assert sections["records"]["find"]["count"] == sections["profile"]["find"]["count"] > 3
    assert values["baseline_find"]["count"] == 3
