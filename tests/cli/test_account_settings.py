from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli.main import app
from assistant.settings.load import SettingsError


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
