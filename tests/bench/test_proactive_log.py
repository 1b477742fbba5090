"""Logs that people kept, lived again: what counts as history, as a routine, and as right."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from assistant.bench.corpora import DataMissing
from assistant.bench.hashing import HASHING, load_embedder
from assistant.bench.proactive_log import log_days, read_log, run
from assistant.settings.schema import ProactiveSettings

ZONE = timezone(timedelta(hours=5, minutes=30))
FIRST = datetime(2026, 10, 5, tzinfo=ZONE)
WORDS = ("Order a masala tea from the canteen", "Get a masala tea at the canteen, please")
METHODS = 7


def line(number: int, at: datetime, instruction: str, **more: str) -> str:
    return json.dumps(
        {"id": f"r{number}", "user_id": "me", "time": at.isoformat(), "instruction": instruction, **more}
    )


def tea(days: int) -> list[str]:
    return [
        line(day, FIRST + timedelta(days=day, hours=8, minutes=day % 3), WORDS[0], scenario="office")
        for day in range(days)
    ]


def written(folder: Path, lines: list[str], name: str = "log.jsonl") -> Path:
    file = folder / name
    file.write_text("\n".join(lines), "utf-8")
    return file


def test_the_last_days_are_judged_with_what_was_known_on_their_mornings(tmp_path: Path) -> None:
    days = log_days(read_log(written(tmp_path, tea(17))), 3, load_embedder(HASHING))
    assert [day.date for day in days] == [date(2026, 10, 19), date(2026, 10, 20), date(2026, 10, 21)]
    assert [len(prototype.members) for day in days for prototype in day.history.prototypes.values()] == [
        14,
        15,
        16,
    ]
    assert all(deed.due and deed.routine in day.clusters for day in days for deed in day.done)
    assert days[0].midnight.utcoffset() == timedelta(hours=5, minutes=30)


def test_what_came_up_twice_before_is_no_routine_of_that_day(tmp_path: Path) -> None:
    days = log_days(read_log(written(tmp_path, tea(4))), 2, load_embedder(HASHING))
    assert [deed.due for day in days for deed in day.done] == [False, True]


def test_a_line_may_say_which_habit_it_is(tmp_path: Path) -> None:
    lines = [
        line(day, FIRST + timedelta(days=day, hours=8), WORDS[day % 2], habit="tea") for day in range(10)
    ]
    days = log_days(read_log(written(tmp_path, lines)), 2, load_embedder(HASHING))
    assert {deed.cluster for day in days for deed in day.done} == {"tea"}


def test_where_lines_say_their_habit_those_without_have_none(tmp_path: Path) -> None:
    lines = [
        line(day, FIRST + timedelta(days=day, hours=8), WORDS[0], **({"habit": "tea"} if day % 2 else {}))
        for day in range(10)
    ]
    days = log_days(read_log(written(tmp_path, lines)), 2, load_embedder(HASHING))
    assert [(deed.cluster, deed.due) for day in days for deed in day.done] == [("r8", False), ("tea", True)]


def test_what_is_said_in_new_words_is_known_as_done(tmp_path: Path) -> None:
    words = ("Order a masala tea from the canteen", "masala tea, canteen", "tea from canteen please")
    lines = [
        line(day, FIRST + timedelta(days=day, hours=8), words[day % 3], habit="tea") for day in range(12)
    ]
    days = log_days(read_log(written(tmp_path, lines)), 3, load_embedder(HASHING))
    places = [(day.history.table.places, deed) for day in days for deed in day.done]
    assert len(places) == 3
    assert all(deed.routine in table for table, deed in places)


def test_where_somebody_is_is_known_only_for_a_while(tmp_path: Path) -> None:
    day = log_days(read_log(written(tmp_path, tea(17))), 1, load_embedder(HASHING))[0]
    scenarios = [day.state(day.midnight + timedelta(hours=hour)).scenario for hour in (7, 8.5, 12)]
    assert scenarios == ["unknown", "office", "unknown"]


def test_all_ways_of_speaking_are_judged_on_the_same_days_and_ours_meets_a_plain_habit(
    tmp_path: Path,
) -> None:
    report = run([written(tmp_path, tea(24))], 3, load_embedder(HASHING), ProactiveSettings())
    rows = report.values["lived"]
    assert len(rows) == METHODS
    assert (rows[0]["method"], rows[0]["f1"]) == ("ours", 1.0)
    for figure, bounds in (
        ("f1", "interval"),
        ("needless_a_day", "needless_interval"),
        ("missed_a_day", "missed_interval"),
    ):
        assert all(row[bounds][0] <= round(row[figure], 3) <= row[bounds][1] for row in rows)
    assert report.values["f1_by_log"][0]["ours"] == 1.0
    assert report.good


def test_bad_lines_are_named_and_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = read_log(written(tmp_path, ["not json", *tea(3), ""]))
    assert len(log.records) == 3
    assert "line 1" in capsys.readouterr().err


def test_a_log_that_is_missing_empty_or_too_short_is_refused_in_words(tmp_path: Path) -> None:
    for file in (tmp_path / "none.jsonl", written(tmp_path, [], "empty.jsonl")):
        with pytest.raises(DataMissing):
            read_log(file)
    with pytest.raises(DataMissing, match="no day before"):
        log_days(read_log(written(tmp_path, tea(5))), 7, load_embedder(HASHING))
