from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from assistant.records import Record
from assistant.simulator.commands import simulate_app
from assistant.simulator.life.living import lives
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.writing import record_line, write


def test_record_lines_read_back_as_they_were() -> None:
    for record in next(iter(lives(LifeOptions(seed=5, weeks=2)))).records:
        assert Record.model_validate_json(record_line(record)).model_dump() == record.model_dump()


def test_the_files_fit_together(tmp_path: Path) -> None:
    counts = write(lives(LifeOptions(seed=5, people=2)), tmp_path)
    read = {
        name: [json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text("utf-8").splitlines()]
        for name in counts
    }

    assert {name: len(lines) for name, lines in read.items()} == counts
    assert {one["record"] for one in read["truth"]} <= {one["id"] for one in read["records"]}
    clusters = {one["cluster"] for one in read["truth"]}
    assert {one["cluster"] for one in read["commands"]} <= clusters
    assert {phase["cluster"] for one in read["habits"] for phase in one["phases"]} & clusters
    assert all({"at", "scenario", "wanted"} <= one.keys() for one in read["states"])


def test_the_command_writes_files_and_prints_lines(tmp_path: Path) -> None:
    folder = tmp_path / "lives"
    asked = ["life", "--seed", "5", "--weeks", "2", "--locale", "zh", "--out", str(folder), "--json"]

    done = CliRunner().invoke(simulate_app, asked)

    assert done.exit_code == 0, done.output
    lines = (folder / "records.jsonl").read_text("utf-8").splitlines()
    assert done.stdout.splitlines() == lines
    assert all(json.loads(line)["user_id"].startswith("s5p0") for line in lines)


def test_the_command_says_what_is_missing() -> None:
    done = CliRunner().invoke(simulate_app, ["life"])

    assert done.exit_code == 2
    assert "--out" in done.output
