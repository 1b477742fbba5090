from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from assistant.cli.main import app
from assistant.proactive.habit_table import on_user_clock
from assistant.simulator.life.living import lives
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.questions import states
from assistant.simulator.life.writing import record_line
from tests.tables import each


def told(*arguments: str, given: str | None = None) -> list[Any]:
    result = CliRunner().invoke(app, ["suggest", "--json", *arguments], input=given)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def refused(*arguments: str) -> str:
    with pytest.raises(typer.TyperException) as problem:
        app(["suggest", *arguments], standalone_mode=False)
    return str(problem.value)


def test_states_are_judged_in_order_from_imported_records(tmp_path: Path) -> None:
    life = next(lives(LifeOptions(seed=100, weeks=8, locale="en")))
    history = "".join(record_line(one) + "\n" for one in life.history)
    here = ("--store", str(tmp_path / "memory"))
    assert CliRunner().invoke(app, ["memory", "import", "-", *here], input=history).exit_code == 0
    asked = states(life)
    lines = "".join(json.dumps({"at": one.at.isoformat(), "scenario": one.scenario}) + "\n" for one in asked)
    found = told("--states", "-", *here, given=lines)
    assert [one["at"] for one in found] == [one.at.isoformat() for one in asked]
    hits = [bool(one["suggestions"]) for one, state in zip(found, asked, strict=True) if state.instruction]
    alarms = [
        bool(one["suggestions"]) for one, state in zip(found, asked, strict=True) if not state.instruction
    ]
    assert sum(hits) > 0.7 * len(hits)
    assert sum(alarms) < 0.35 * len(alarms)
    best = next(one["suggestions"][0] for one in found if one["suggestions"])
    assert set(best) == {"routine", "instruction", "score", "evidence"}
    known = {record.id for record in life.history}
    assert best["evidence"]
    assert set(best["evidence"]) <= known


def test_an_empty_memory_suggests_nothing(tmp_path: Path) -> None:
    found = told("--at", "2026-03-09T12:05:00+01:00", "--scenario", "office", "--store", str(tmp_path))
    assert found == [{"at": "2026-03-09T12:05:00+01:00", "scenario": "office", "suggestions": []}]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--at", "noon"), "--at gives no time: “noon”. Write it like"),
        (("--at", "0001-01-01T00:00"), "--at gives no time: “0001-01-01T00:00”. Write it like"),
        (("--at", "9999-12-31T23:59"), "--at gives no time: “9999-12-31T23:59”. Write it like"),
        (("--at", "2026-03-09T12:05:00Z", "--states", "x"), "either --at or --states"),
        (("--states", "/nowhere/states.jsonl"), "cannot be read"),
    ],
)
def test_wrong_usage_is_told_in_words(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    assert words in refused(*arguments, "--store", str(tmp_path))


def test_a_broken_line_is_told_by_number_and_the_others_are_judged(tmp_path: Path) -> None:
    file = tmp_path / "states.jsonl"
    file.write_text('{"at": "2026-03-09T12:05:00Z", "scenario": null}\nnonsense\n{"at": "2026-03-09"}\n[]\n')
    told = CliRunner().invoke(
        app, ["suggest", "--states", str(file), "--json", "--store", str(tmp_path / "memory")]
    )
    first, broken, last, listed = map(json.loads, told.stdout.splitlines())
    assert "Line 2" in broken["error"]
    assert "Line 4" in listed["error"]
    assert [first["scenario"], last["at"][:10]] == ["unknown", "2026-03-09"]
    assert told.exit_code == 1


def test_what_was_done_that_day_is_told_in_any_words_and_is_not_offered_again(tmp_path: Path) -> None:
    lines = "".join(
        json.dumps(
            {
                "id": f"r{day}",
                "user_id": "me",
                "time": f"2026-03-{day:02}T08:{day % 7:02}:00+01:00",
                "instruction": "turned off the 07:30 alarm" + (", then put the kettle on" if day % 2 else ""),
            }
        )
        + "\n"
        for day in range(2, 27)
    )
    here = ("--store", str(tmp_path / "memory"))
    assert CliRunner().invoke(app, ["memory", "import", "-", *here], input=lines).exit_code == 0
    at = "2026-03-27T08:00:00+01:00"
    later = "2026-03-27T10:30:00+01:00"
    states = [
        {"at": at},
        {"at": at, "recent": []},
        {"at": at, "recent": ["Turned the 07:30 alarm off, still half asleep"]},
        {"at": at, "recent": [{"instruction": "watered the plants", "time": "2026-03-27T07:50:00+01:00"}]},
        {"at": later, "recent": []},
    ]
    given = "".join(json.dumps(each) + "\n" for each in states)
    found = told("--states", "-", "--user", "me", *here, given=given)
    assert [bool(each["suggestions"]) for each in found] == [True, True, False, True, False]
    assert not told("--at", at, "--user", "me", "--recent", "disabled the 07:30 alarm", *here)[0][
        "suggestions"
    ]


def test_a_state_in_another_zone_is_the_same_moment(tmp_path: Path) -> None:
    """The person lives at +08:00; UTC is a machine's, and a state without a zone is on the person's clock."""
    lines = "".join(
        json.dumps(
            {
                "id": f"r{day}",
                "user_id": "me",
                "time": f"2026-03-{day:02}T12:{day % 7:02}:00+08:00",
                "instruction": "order beef noodles",
            }
        )
        + "\n"
        for day in range(2, 27)
    )
    here = ("--store", str(tmp_path / "memory"), "--user", "me")
    assert CliRunner().invoke(app, ["memory", "import", "-", *here[:2]], input=lines).exit_code == 0
    noons = [
        "2026-03-27T11:50:00+08:00",
        "2026-03-27T03:50:00Z",
        "2026-03-26T22:50:00-05:00",
        "2026-03-27T10:50:00+07:00",
        "2026-03-27T11:50:00",
    ]
    nights = [
        "2028-03-27T11:50:00+08:00",
        "2026-03-27T11:50:00Z",
        "2026-03-27T11:50:00-05:00",
        "2026-03-27T03:50:00+08:00",
    ]
    done = [
        {"at": noons[1], "recent": [{"instruction": "order beef noodles", "time": "2026-03-27T11:40:00"}]}
    ]
    states = [*({"at": at, "recent": []} for at in (*noons, *nights)), *done]
    found = told("--states", "-", *here, given="".join(json.dumps(each) + "\n" for each in states))
    assert [bool(each["suggestions"]) for each in found] == [True] * 5 + [False] * 5
    assert found[1]["at"] == "2026-03-27T03:50:00+00:00"
    scores = [each["suggestions"][0]["score"] for each in found[:4]]
    assert scores == [scores[0]] * 4
    for now in ("2026-03-26T20:00:00Z", "2026-03-27T04:00:00+08:00"):
        (habit,) = told("--next", "--at", now, *here)
        assert [each["at"][10:16] + each["at"][19:] for each in habit["occasions"]] == ["T12:03+08:00"] * 7
    (single,) = told("--at", noons[1], *here)
    assert single["suggestions"][0]["score"] == pytest.approx(
        told("--states", "-", *here, given=json.dumps({"at": noons[0]}))[0]["suggestions"][0]["score"]
    )


@each(
    ("time", "hour"),
    [
        ("2026-11-20T11:05:00+00:00", 12),
        ("2026-11-20T06:05:00-05:00", 12),
        ("2026-11-20T12:05:00+01:00", 12),
        ("2027-07-20T12:05:00+02:00", 12),
        ("2026-11-20T12:05:00+05:00", 8),
    ],
)
def test_an_hour_of_summer_is_told_from_another_zone(time: str, hour: int) -> None:
    done = [datetime.fromisoformat(f"2026-11-{day:02}T12:00:00+01:00") for day in range(1, 19)]
    assert on_user_clock(datetime.fromisoformat(time), done).hour == hour


def test_a_meal_that_was_had_is_not_offered_in_whatever_words_it_is_told(tmp_path: Path) -> None:
    lines = "".join(
        json.dumps(
            {
                "id": f"r{day}",
                "user_id": "me",
                "time": f"2026-03-{day:02}T12:{day % 7:02}:00+01:00",
                "app": "Bowl",
                "instruction": "Order lentil soup and rye bread on Bowl to the office",
            }
        )
        + "\n"
        for day in range(2, 27)
    )
    here = ("--store", str(tmp_path / "memory"))
    assert CliRunner().invoke(app, ["memory", "import", "-", *here], input=lines).exit_code == 0
    recent = [
        ["had lunch already"],
        ["I already had lunch, lentil soup"],
        ["午饭已经点好了"],
        ["paid the rent"],
    ]
    given = "".join(json.dumps({"at": "2026-03-27T12:10:00+01:00", "recent": done}) + "\n" for done in recent)
    found = told("--states", "-", "--user", "me", *here, given=given)
    assert [bool(each["suggestions"]) for each in found] == [False, False, False, True]
