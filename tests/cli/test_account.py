"""The commands for approvals, settings, secrets and usage."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli.main import app
from assistant.demo.memory import demo_store
from assistant.events import ActionKind
from assistant.memory.request_log import StepUsage
from assistant.memory.store import StandingApproval, Store
from assistant.records import Cost, Usage
from assistant.secrets import SecretError
from assistant.settings.load import SettingsError
from assistant.settings.schema import Settings
from tests.keyrings import MemoryKeyring, no_keyring, system_keyring

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)


def told(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def test_standing_approvals_are_listed_and_taken_back(tmp_path: Path) -> None:
    here = ("--store", str(tmp_path))
    assert "Every sensitive action needs your approval" in told("approvals", "list", *here)
    store = Store(tmp_path)
    for kind in (ActionKind.SEND, ActionKind.DELETE):
        store.approvals.allow("me", StandingApproval("com.example.chat", kind, "Chat", NOW, "Mom"))
    store.close()
    (first, second) = map(json.loads, told("approvals", "list", "--json", *here).splitlines())
    assert (first["kind"], second["kind"]) == ("delete", "send")
    assert first["recipient"] == "Mom"
    unknown = CliRunner().invoke(app, ["approvals", "revoke", "--to", "Dad", *here])
    assert unknown.exit_code
    assert "assistant approvals list" in str(unknown.exception)
    assert "revoked: 1" in told("approvals", "revoke", "com.example.chat", "--kind", "send", *here)
    assert "delete" in told("approvals", "list", *here)
    assert json.loads(told("approvals", "revoke", "--json", *here)) == {"revoked": 1}
    assert "No standing approvals to revoke" in told("approvals", "revoke", *here)


def test_approvals_of_the_demo_are_those_that_its_turns_use(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"store = {json.dumps(str(tmp_path / 'own'))}\n")
    in_use = demo_store(Settings(store=tmp_path / "own"), None)
    store = Store(in_use.store)
    rule = StandingApproval("com.example.chat", ActionKind.SEND, "Chat", NOW, "Mom")
    store.approvals.allow(in_use.user_id, rule)
    store.close()
    here = ("--demo", "--config", str(file))
    assert json.loads(told("approvals", "list", "--json", *here))["recipient"] == "Mom"
    assert told("approvals", "list", "--json", "--config", str(file)) == ""
    assert "revoked: 1" in told("approvals", "revoke", *here)
    assert told("approvals", "list", "--json", *here) == ""


def settings(file: Path, *arguments: str) -> str:
    done = CliRunner().invoke(app, ["settings", *arguments, "--config", str(file)], catch_exceptions=False)
    return done.stdout


def test_settings_are_listed_read_and_changed(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[interface]\nfoo = 3\n")
    told = json.loads(settings(file, "list", "--text", "max_steps", "--json"))
    assert [one["name"] for one in told["settings"]] == ["turn.max_steps"]
    assert told["broken"] == [{"name": "interface.foo", "value": "3", "problem": "There is no such setting."}]
    assert "kept in" in settings(file, "set", "turn.max_steps", "30")
    assert settings(file, "get", "turn.max_steps") == "30\n"
    settings(file, "set", "interface.foo", "--default")
    settings(file, "set", "turn.max_steps", "--default")
    assert "foo" not in file.read_text()
    assert settings(file, "get", "turn.max_steps") == "60\n"


def test_a_variable_that_wins_over_a_change_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_TURN__MAX_STEPS", "20")
    done = CliRunner().invoke(
        app, ["settings", "set", "turn.max_steps", "30", "--config", str(tmp_path / "c")]
    )
    assert "ASSISTANT_TURN__MAX_STEPS wins over it" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("set", "turn.max_steps", "many"), "a whole number"),
        (("set", "turn.nothing", "1"), "is not a setting"),
        (("set", "model.api_key", "sk-1"), "assistant setup"),
    ],
)
def test_what_cannot_be_set_is_told(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        settings(tmp_path / "config.toml", *arguments)


run = CliRunner().invoke


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_a_secret_is_added_listed_and_removed() -> None:
    with system_keyring(MemoryKeyring()) as ring:
        added = run(app, ["secret", "add", "my bank"], input="hunter2\n")
        assert added.exit_code == 0
        assert "hunter2" not in added.output
        assert isinstance(ring, MemoryKeyring)
        assert list(ring.values.values()) == ["hunter2"]
        assert json.loads(run(app, ["secret", "list", "--json"]).stdout) == {
            "name": "my bank",
            "place": "keyring",
        }
        assert run(app, ["secret", "remove", "my bank"]).exit_code == 0
        listed = run(app, ["secret", "list"])
        assert listed.stdout == ""
        assert "assistant secret add NAME" in listed.stderr
        assert isinstance(run(app, ["secret", "remove", "my bank"]).exception, SecretError)


def test_without_a_keyring_environment_and_file_are_offered() -> None:
    with system_keyring(no_keyring()):
        refused = run(app, ["secret", "add", "my bank"], input="hunter2\n")
        assert "ASSISTANT_SECRET_MY_BANK" in str(refused.exception)
        assert "--file" in str(refused.exception)
        assert run(app, ["secret", "add", "my bank", "--file"], input="hunter2\n").exit_code == 0
        assert "file" in run(app, ["secret", "list"]).stdout


def test_usage_is_a_table_and_json(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    usage = Usage(prompt_tokens=1200, completion_tokens=30, requests=1, cached_tokens=900)
    now = datetime.now().astimezone()
    store.ledger.add(StepUsage("me", "t", 1, now, "[b]m[/b]", usage, 2.0, 0.4, Cost(amount=0.004)))
    store.close()
    options = ["usage", "--store", str(tmp_path / "store")]
    shown = run(app, options).stdout
    assert "[b]m[/b]" in shown
    assert "$0.004" in shown
    assert "1,200" in shown
    assert "[b]m[/b]: 1,200 tokens in a step, 75% of them from the endpoint's cache" in shown
    told = json.loads(run(app, [*options, "--json"]).stdout)
    assert told["tokens"] == 1230
    assert (told["days"][0]["prompt_tokens_a_step"], told["days"][0]["cached_share"]) == (1200, 0.75)
    assert told["costs"] == [{"amount": 0.004, "currency": "USD"}]
    assert told["days"][0]["seconds_to_first_token"] == 0.4


def test_nothing_used_is_said(tmp_path: Path) -> None:
    assert "Nothing was used" in run(app, ["usage", "--store", str(tmp_path), "--days", "2"]).stdout
