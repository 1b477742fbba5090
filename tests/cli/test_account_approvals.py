from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from typer.testing import CliRunner

from assistant.cli.main import app
from assistant.events import ActionKind
from assistant.memory.store import StandingApproval, Store

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)


def told(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def test_standing_approvals_are_listed_and_taken_back(tmp_path: Path) -> None:
    here = ("--store", str(tmp_path))
    assert "Every sensitive action is asked for" in told("approvals", "list", *here)
    store = Store(tmp_path)
    for kind in (ActionKind.SEND, ActionKind.DELETE):
        store.approvals.allow("me", StandingApproval("com.example.chat", kind, "Chat", NOW))
    store.close()
    (first, second) = json.loads(told("approvals", "list", "--json", *here))
    assert (first["kind"], second["kind"]) == ("delete", "send")
    assert "1 taken back" in told("approvals", "revoke", "com.example.chat", "--kind", "send", *here)
    assert "delete" in told("approvals", "list", *here)
    assert "1 taken back" in told("approvals", "revoke", *here)
    assert "nothing to take back" in told("approvals", "revoke", *here)
