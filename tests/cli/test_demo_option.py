"""`--demo` and `--locale`, before the command and behind it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant import i18n
from assistant.cli.help import BEFORE_COMMAND
from assistant.cli.main import app
from assistant.demo.memory import demo_store, fresh_demo_store
from assistant.i18n import Language
from assistant.memory.store import open_store
from assistant.settings.schema import Settings


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    yield
    i18n.use(Language.ENGLISH)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with settings whose memory is the user's own, and beside it those of the demo."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "settings.toml").write_text(f"store = {json.dumps(str(folder / 'own'))}\n", encoding="utf-8")
    return folder


def config(home: Path) -> tuple[str, str]:
    return "--config", str(home / "settings.toml")


@pytest.mark.parametrize(
    "words",
    [
        ("--demo", "memory", "list", "--newest", "3", "--json"),
        ("memory", "--demo", "list", "--newest", "3", "--json"),
        ("memory", "list", "--newest", "3", "--json", "--demo"),
    ],
)
def test_the_demo_stands_before_and_behind_a_command_alike(home: Path, words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, [*words, *config(home)])
    assert done.exit_code == 0, done.output
    assert {json.loads(line)["source"] for line in done.stdout.splitlines()} == {"simulated"}
    assert "Simulated phone" in done.stderr
    own = open_store(Settings(store=home / "own"))
    assert not own.records.count()
    own.close()
    assert not BEFORE_COMMAND.demo


@pytest.mark.parametrize(
    "words",
    [
        ("memory", "stats"),
        ("history", "list"),
        ("usage",),
        ("schedule", "list"),
        ("skills", "list"),
        ("places", "list"),
        ("approvals", "list"),
        ("suggest", "--at", "2026-03-09T12:00"),
        ("resolve", "open the camera"),
    ],
)
def test_every_command_that_reads_the_memory_takes_the_demo(home: Path, words: tuple[str, ...]) -> None:
    for arguments in ([*words, "--demo"], ["--demo", *words]):
        done = CliRunner().invoke(app, [*arguments, *config(home)])
        assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("settings", "list"), "settings, secrets or files"),
        (("secret", "list"), "settings, secrets or files"),
        (("models", "list"), "settings, secrets or files"),
        (("approvals", "judge", "--file", "-"), "settings, secrets or files"),
        (("bench", "guards"), "by itself"),
        (("simulate", "phone"), "by itself"),
        (("eval",), "your own model"),
    ],
)
def test_a_command_that_the_demo_is_of_no_use_to_says_so(words: tuple[str, ...], reason: str) -> None:
    for arguments in ([*words, "--demo"], ["--demo", *words]):
        done = CliRunner().invoke(app, arguments, standalone_mode=False)
        assert reason in str(done.exception)
        assert "--demo" in str(done.exception)


def test_the_locale_behind_a_command_chooses_the_demo_and_its_words(home: Path) -> None:
    words = ("memory", "list", "--newest", "1", "--locale", "zh", "--demo", *config(home))
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "模拟手机" in done.stderr
    assert "success" not in done.stdout
    refused = CliRunner().invoke(app, ["secret", "list", "--demo"], env={"LC_ALL": "zh_CN.UTF-8"})
    assert "演示里没有" in str(refused.exception)


def test_the_help_names_the_demo_where_it_is_of_use() -> None:
    assert "--demo" in CliRunner().invoke(app, ["history", "list", "--help"]).stdout
    assert "--demo" not in CliRunner().invoke(app, ["settings", "list", "--help"]).stdout


def test_words_behind_two_dashes_are_no_options(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["resolve", "--json", "--store", str(tmp_path), "--", "--demo"])
    assert json.loads(done.stdout)["said"] == "--demo"


@pytest.mark.parametrize("group", ["places", "memory", "settings", "skills"])
def test_a_group_without_a_command_prints_its_help(group: str) -> None:
    done = CliRunner().invoke(app, [group], standalone_mode=False)
    assert str(done.exception).startswith("Usage:")


def test_the_demo_never_opens_a_memory_on_a_server(tmp_path: Path) -> None:
    shared = Settings(store=tmp_path).overridden({"memory": {"database": "postgresql://server/memory"}})
    assert not demo_store(shared, None).memory.database.get_secret_value()
    with fresh_demo_store(shared, None) as own:
        assert not own.memory.database.get_secret_value()


def test_what_is_likely_in_the_quiet_hours_is_said_not_to_be_suggested(tmp_path: Path) -> None:
    # The demo's life ends today, and what is likely next differs from day to day: all of the day is quiet.
    quiet = "[proactive]\nquiet_from = 00:00:00\nquiet_until = 23:59:00\n"
    (tmp_path / "settings.toml").write_text(quiet, encoding="utf-8")
    arguments = ["suggest", "--next", "--demo", "--store", str(tmp_path), *config(tmp_path)]
    listed = CliRunner().invoke(app, arguments)
    routines = re.split(r"\n(?=\S)", listed.stdout.strip())
    assert len(routines) > 1
    assert all("in your quiet hours" in routine for routine in routines)
