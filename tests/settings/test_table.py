from __future__ import annotations

from pathlib import Path

import pytest

from assistant.settings.load import (
    SettingOrigin,
    SettingsError,
    find_origin,
    format_value,
    load_what_is_right,
    parse_value,
    save,
    setting,
    table,
    values_of,
)
from assistant.settings.schema import Settings
from tests.tables import each


def test_every_setting_has_a_description_and_a_value_that_can_be_shown(tmp_path: Path) -> None:
    settings = Settings(store=tmp_path)
    for one in table():
        assert one.description.endswith("."), one.path
        assert isinstance(format_value(settings, one), str)


@each("path", [one.path for one in table() if one.default and not one.secret])
def test_what_is_shown_can_be_written_again(path: str) -> None:
    one = setting(path)
    parse_value(one, one.default)


@each(
    ("path", "text", "value"),
    [
        ("turn.max_steps", "30", 30),
        ("turn.confirm", "off", False),
        ("proactive.quiet_from", "23:15", "23:15"),
        ("interface.picture", "sixel", "sixel"),
        ("model.temperature", "0.5", 0.5),
    ],
)
def test_words_become_values(path: str, text: str, value: object) -> None:
    assert parse_value(setting(path), text) == value


@each(
    ("path", "text", "words"),
    [
        ("turn.max_steps", "many", "a whole number"),
        ("turn.max_steps", "0", "more than 0"),
        ("turn.confirm", "perhaps", "on, off"),
        ("interface.picture", "oil", "auto, kitty, sixel, blocks, off"),
        ("proactive.quiet_from", "late", "time"),
        ("model.base_url", "localhost", "an address"),
        ("model.base_url", "http://my host:8000", "an address"),
        ("model.extra_body", "{bad", "JSON object"),
        ("model.extra_body", "[1]", "JSON object"),
    ],
)
def test_what_does_not_fit_is_told(path: str, text: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        parse_value(setting(path), text)


def test_wrong_values_give_way_to_defaults_and_are_mended_one_by_one(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('# mine\n[turn]\nmax_steps = "many" # why\nconfirm = false\n[interface]\nfoo = 3\n')
    settings, broken = load_what_is_right(file)
    assert (settings.turn.max_steps, settings.turn.confirm) == (60, False)
    assert [(one.path, one.unknown) for one in broken] == [("turn.max_steps", False), ("interface.foo", True)]
    save({"turn": {"max_steps": 30}}, file)
    save({"interface": {"foo": None}}, file)
    assert load_what_is_right(file)[1] == ()
    assert "# mine" in file.read_text()
    assert "# why" in file.read_text()


def test_a_change_may_not_add_something_wrong(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[interface]\nfoo = 3\n")
    with pytest.raises(SettingsError, match=r"turn\.max_steps"):
        save({"turn": {"max_steps": -1}}, file)


@pytest.mark.parametrize("text", ["user_id = 3\n", "store = 4\n", "[memory]\nlearning = 7\n"])
def test_a_wrong_memory_is_not_passed_over(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(SettingsError):
        load_what_is_right(file)


def test_secrets_are_masked_and_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_MODEL__API_KEY", "sk-secret")
    settings = Settings()
    key = setting("model.api_key")
    assert "secret" not in format_value(settings, key)
    assert find_origin(key, {}) is SettingOrigin.ENVIRONMENT
    assert find_origin(setting("turn.max_steps"), {"turn": {"max_steps": 3}}) is SettingOrigin.FILE
    assert values_of(Path("/nowhere/at/all.toml")) == {}
