"""What the guards say of a file of screens: one judgement a line, in order, and unreadable lines in words."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from assistant.cli.account import approvals_app

_TREE = (
    '<hierarchy rotation="0"><node class="android.widget.FrameLayout" package="com.example.shop" '
    'bounds="[0,0][1080,2400]"><node class="android.widget.Button" text="{label}" clickable="true" '
    'package="com.example.shop" bounds="[0,2000][1080,2200]"/></node></hierarchy>'
)
_TAP = {"type": "click", "point": [0.5, 0.87]}


def test_each_line_is_judged_in_order(tmp_path: Path) -> None:
    lines = [
        json.dumps({"tree": _TREE.format(label="Pay ¥32.00"), "action": _TAP}),
        json.dumps({"tree": _TREE.format(label="See more"), "action": _TAP, "locale": "en"}),
        "nonsense",
        json.dumps({"tree": "no tree", "action": _TAP}),
        json.dumps({"tree": _TREE.format(label="Pay"), "action": {"type": "think"}}),
        json.dumps({"tree": _TREE.format(label="Pay"), "action": {"type": "press_back"}}),
    ]
    file = tmp_path / "screens.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = CliRunner().invoke(approvals_app, ["judge", "--file", str(file), "--json"])
    judged = [json.loads(line) for line in result.stdout.splitlines()]
    assert judged[0]["kind"] == "pay"
    assert "¥32.00" in judged[0]["sentence"]
    assert judged[1] == {"kind": None, "sentence": ""}
    assert [sorted(line) for line in judged[2:5]] == [["error"]] * 3
    assert judged[5] == {"kind": None, "sentence": ""}
    assert result.exit_code == 1


def test_a_file_that_cannot_be_read_is_named_in_words(tmp_path: Path) -> None:
    result = CliRunner().invoke(approvals_app, ["judge", "--file", str(tmp_path / "none.jsonl")])
    assert result.exit_code == 1
    assert "none.jsonl" in result.output
    assert "Traceback" not in result.output
