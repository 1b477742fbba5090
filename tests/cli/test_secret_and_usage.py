from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli.main import app
from assistant.memory.request_log import StepUsage
from assistant.memory.store import Store
from assistant.records import Cost, Usage
from assistant.secrets import SecretError
from tests.keyrings import MemoryKeyring, no_keyring, system_keyring

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
        assert json.loads(run(app, ["secret", "list", "--json"]).stdout) == [
            {"name": "my bank", "place": "keyring"}
        ]
        assert run(app, ["secret", "remove", "my bank"]).exit_code == 0
        assert run(app, ["secret", "list"]).stdout == ""
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
    usage = Usage(prompt_tokens=1200, completion_tokens=30, requests=1)
    now = datetime.now().astimezone()
    store.ledger.add(StepUsage("me", "t", 1, now, "[b]m[/b]", usage, 2.0, 0.4, Cost(amount=0.004)))
    store.close()
    options = ["usage", "--store", str(tmp_path / "store")]
    shown = run(app, options).stdout
    assert "[b]m[/b]" in shown
    assert "$0.004" in shown
    assert "1,200" in shown
    told = json.loads(run(app, [*options, "--json"]).stdout)
    assert told["tokens"] == 1230
    assert told["costs"] == [{"amount": 0.004, "currency": "USD"}]
    assert told["days"][0]["seconds_to_first_token"] == 0.4


def test_nothing_used_is_said(tmp_path: Path) -> None:
    assert "Nothing was used" in run(app, ["usage", "--store", str(tmp_path), "--days", "2"]).stdout
