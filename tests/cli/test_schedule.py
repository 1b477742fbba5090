from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant import i18n
from assistant.cli.main import app
from assistant.conversation.routing import RouteKind, route
from assistant.memory.store import Store
from assistant.phone.monitor import SensorReadings
from assistant.proactive.location import Places
from assistant.proactive.schedules import Schedules
from assistant.settings.schema import Settings
from tests.tables import each


def run(folder: Path, *words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["schedule", *words, "--store", str(folder)])
    assert result.exit_code == code, result.output
    return result.stdout


def memory(folder: Path, *words: str) -> str:
    result = CliRunner().invoke(app, ["memory", *words, "--store", str(folder)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_schedule_is_added_paused_resumed_listed_and_removed(tmp_path: Path) -> None:
    added = json.loads(
        run(tmp_path, "add", "every weekday at 8", "order coffee", "--zone", "Asia/Shanghai", "--json")
    )
    assert (added["zone"], added["paused"], len(added["next"])) == ("Asia/Shanghai", False, 3)
    assert all(datetime.fromisoformat(time).hour == 8 for time in added["next"])
    assert "paused" in run(tmp_path, "pause", added["id"])
    assert json.loads(run(tmp_path, "list", "--json"))["next"] == []
    assert "next:" in run(tmp_path, "resume", "coffee")
    assert json.loads(run(tmp_path, "pause", "coffee", "--json"))["changed"] is True
    assert json.loads(run(tmp_path, "resume", "coffee", "--json"))["paused"] is False
    assert json.loads(run(tmp_path, "resume", "coffee", "--json"))["changed"] is False
    assert json.loads(run(tmp_path, "remove", added["id"][:5], "--json"))["removed"] is True
    assert "Nothing is scheduled" in run(tmp_path, "list")


def test_a_list_has_numbers_for_names_and_no_ids(tmp_path: Path) -> None:
    ids = [
        json.loads(run(tmp_path, "add", times, words, "--json"))["id"]
        for times, words in (
            ("every weekday at 8", "order coffee"),
            ("every day at 9", "order coffee"),
            ("every sunday at 22", "call mom"),
        )
    ]
    listed = run(tmp_path, "list")
    assert not any(name[:6] in listed for name in ids)
    assert "2  every day at 9: order coffee" in listed
    run(tmp_path, "pause", "coffee", code=1)
    assert "every sunday at 22: call mom" in run(tmp_path, "pause", "sunday")
    run(tmp_path, "remove", "2")
    assert [json.loads(line)["id"] for line in run(tmp_path, "list", "--json").splitlines()] == [
        ids[0],
        ids[2],
    ]


def test_the_zone_is_told_where_the_times_are_not_those_of_here(tmp_path: Path) -> None:
    run(tmp_path, "add", "every day at 9", "order coffee", "--zone", "Asia/Shanghai")
    run(tmp_path, "add", "every day at 10", "call mom")
    coffee, mom = run(tmp_path, "list").splitlines()
    assert "09:00 in Asia/Shanghai" in coffee
    assert " in " not in mom


def test_a_schedule_that_cannot_begin_ends_its_stream_of_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_PHONE__ADB_PORT", "1")
    run(tmp_path, "add", "every day at 9", "order coffee")
    *_before, last = run(tmp_path, "run", "1", "--json", code=1).splitlines()
    ended = json.loads(last)
    assert (ended["event"], ended["outcome"]) == ("turn_finished", "failed")
    assert ended["answer"]


def test_what_was_missed_is_in_the_history_with_its_reason(tmp_path: Path) -> None:
    store = Store(tmp_path)
    schedules, begin = Schedules(store, Settings().user_id), datetime(2026, 3, 9, 12, tzinfo=UTC)
    schedules.add("every day at 9", "order coffee", begin, "Asia/Shanghai")
    schedules.collect(begin + timedelta(days=2))
    store.close()
    lines = [json.loads(line) for line in run(tmp_path, "history", "coffee", "--json").splitlines()]
    assert [(line["state"], line["reason"]) for line in lines] == [("missed", "not running")] * 2
    assert "was not running" in run(tmp_path, "history")


def test_times_and_schedules_that_are_not_understood_are_refused(tmp_path: Path) -> None:
    run(tmp_path, "add", "sometimes", "order coffee", code=1)
    run(tmp_path, "add", "every day at 8", " ", code=1)
    run(tmp_path, "pause", "coffee", code=1)


@each(
    ("line", "kind"),
    [
        ("every weekday at 8 order my usual coffee", RouteKind.SCHEDULE),
        ("每个工作日早上8点帮我打车去公司", RouteKind.SCHEDULE),
        ("whenever I get home, turn on the wifi", RouteKind.SCHEDULE),
        ("list my schedules", RouteKind.SCHEDULE),
        ("set an alarm for every weekday at 8", RouteKind.COMMAND),
        ("every day at 8 remind me to drink water", RouteKind.COMMAND),
        ("每天早上7点叫醒我", RouteKind.COMMAND),
        ("every day at 8 is too early", RouteKind.COMMAND),
        ("tomorrow at 8 book a table", RouteKind.COMMAND),
        ("show my schedule", RouteKind.COMMAND),
    ],
)
def test_a_typed_line_is_a_schedule_only_where_that_is_sure(line: str, kind: RouteKind) -> None:
    assert route(line).kind is kind


def test_whose_messages_begin_a_schedule_is_said_and_nobody_is_refused(tmp_path: Path) -> None:
    assert "“bank”, or with that in the name" in run(
        tmp_path, "add", "when the bank texts", "read the balance"
    )
    assert "“anna”, no other names" in run(tmp_path, "add", "when Anna texts me", "read it to me")
    assert "or of an app" in run(tmp_path, "add", "when Ring notifies me", "show the door")
    run(tmp_path, "add", "when someone texts", "read it to me", code=1)


def test_numbers_stay_and_the_audit_and_the_answer_name_what_was_removed(tmp_path: Path) -> None:
    for hour, words in ((8, "order coffee"), (9, "order tea"), (10, "call mom")):
        run(tmp_path, "add", f"every day at {hour}", words)
    removed = run(tmp_path, "remove", "1")
    assert "Removed 1: every day at 8: order coffee" in removed
    assert "1" not in [line.split()[0] for line in run(tmp_path, "list").splitlines()]
    run(tmp_path, "remove", "1", code=1)
    run(tmp_path, "remove", "2")
    assert run(tmp_path, "list").startswith(" 3  every day at 10: call mom")
    audit = memory(tmp_path, "audit")
    assert "Remove a schedule “order coffee”" in audit
    assert "Remove a schedule “order tea”" in audit
    undo = next(line for line in removed.splitlines() if "memory undo" in line).split()[-1]
    memory(tmp_path, "undo", undo)
    assert [line.split()[0] for line in run(tmp_path, "list").splitlines()] == ["1", "3"]
    assert " 4  " in run(tmp_path, "add", "every day at 11", "open the camera")


def test_digits_of_a_time_are_no_name(tmp_path: Path) -> None:
    run(tmp_path, "add", "every day at 8", "order coffee")
    run(tmp_path, "remove", "8", code=1)
    assert "order coffee" in run(tmp_path, "list")


def test_a_place_that_nobody_named_is_said_with_how_to_name_it(tmp_path: Path) -> None:
    unknown = "assistant places here NAME --scenario residence"
    assert unknown in run(tmp_path, "add", "when I get home", "turn on the wifi")
    assert "assistant places here" not in run(tmp_path, "add", "every day at 8", "order coffee")
    store = Store(tmp_path)
    Places(store, Settings().user_id).learn("flat", "residence", SensorReadings(bssid="02:00:00:00:00:01"))
    store.close()
    assert unknown not in run(tmp_path, "add", "when I leave home", "turn off the wifi")


def test_what_stands_in_the_way_of_a_schedule_is_said_in_chinese(tmp_path: Path) -> None:
    words = ["--locale", "zh", "schedule", "add", "到家的时候", "打开无线网", "--store", str(tmp_path)]
    added = CliRunner().invoke(app, words)
    i18n.use(i18n.Language.ENGLISH)
    assert "手机还不知道你家在哪里" in added.stdout
