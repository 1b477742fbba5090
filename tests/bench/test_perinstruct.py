from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from assistant.bench import perinstruct
from assistant.bench.corpora import data_folder
from assistant.bench.perinstruct import (
    SAMPLE,
    SECOND,
    Annotated,
    detect,
    load_explicit,
    load_own,
    load_sample,
    run,
    score,
)


def test_the_reports_hold_what_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tagger sees each command once; both reports judge the same commands of ours.
    monkeypatch.setattr(perinstruct, "detect", cache(detect))
    monkeypatch.setattr(perinstruct, "_GENERATED", 50)
    own = run(tmp_path, seed=0)
    assert not own.good
    assert "--data" in own.values["note"]
    assert own.values["accuracy"]["own, closed"]["ours"] >= 0.8
    assert own.values["accuracy"]["second, closed"]["ours"] >= 0.8
    assert not any("second, closed" in line for line in own.values["wrong"])

    folder = data_folder()
    if not (folder / SAMPLE).is_file():
        pytest.skip(f"{folder / SAMPLE} is not there")
    report = run(folder, seed=0)
    assert report.good
    assert report.values["accuracy"]["PerInstruct, development"]["ours"] >= 0.95
    assert report.values["false_alarms"]["commands"] == 600
    assert report.values["false_alarms"]["share"] <= 0.03 < report.values["false_alarms"]["baseline"]


def test_an_instruction_counts_only_when_all_elements_match() -> None:
    both = Annotated("call mom and dad", ("Mom", "my dad"))
    assert score([both], lambda _: ["the mom", "Dad"]).share == 1
    assert score([both], lambda _: ["mom"]).share == 0
    assert score([both], lambda _: ["mom", "dad", "and"]).share == 0


def test_own_commands_mark_what_stands_in_them() -> None:
    own, second = load_own(), load_own(SECOND)
    assert (len(own), len(second)) == (150, 220)
    assert all(element in command.instruction for command in own for element in command.elements)
    assert len({command.instruction for command in (*own, *second)}) == 370


def test_templates_give_many_different_commands() -> None:
    for commands in load_explicit().values():
        filled = commands.fill(250, seed=1)
        assert len(set(filled)) == 250
        assert filled == commands.fill(250, seed=1) != commands.fill(250, seed=2)
        assert not any("{" in command for command in filled)


def test_no_instruction_of_the_sample_is_among_ours() -> None:
    sample = {command.instruction for command in load_sample(data_folder())}
    assert not sample & {command.instruction for command in (*load_own(), *load_own(SECOND))}
