from __future__ import annotations

import json
from pathlib import Path

from assistant.bench.slot_scores import run


async def test_slots_are_scored_by_their_values(tmp_path: Path) -> None:
    lines = [{"template": "Play {song} in Music.", "slots": ["song"]}, {"template": "Go home.", "slots": []}]
    (tmp_path / "app-tasks.jsonl").write_text("\n".join(map(json.dumps, lines)))
    report = await run(tmp_path, seed=0, orders=0)
    assert report.good
    assert report.values["templates"] == 1
