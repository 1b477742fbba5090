from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from assistant.settings.load import SettingsError, load, load_what_is_right, save
from assistant.settings.schema import ImageFormat


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_defaults_need_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert load().turn.max_steps == 60


def test_environment_wins_over_file_and_arguments_over_both(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text('[model]\nname = "from-file"\nimage_format = "png"\n[phone]\nserial = "from-file"\n')
    monkeypatch.setenv("ASSISTANT_MODEL__NAME", "from-environment")
    monkeypatch.setenv("ASSISTANT_PHONE__SERIAL", "from-environment")
    settings = load(file, {"phone": {"serial": "from-argument"}})
    assert settings.model.name == "from-environment"
    assert settings.model.image_format is ImageFormat.PNG
    assert settings.phone.serial == "from-argument"


@pytest.mark.parametrize(
    ("written", "meant"), [("true", "always"), ("false", "never"), ('"auto"', "auto"), ('"never"', "never")]
)
def test_the_list_of_elements_is_set_as_in_earlier_versions_too(file: Path, written: str, meant: str) -> None:
    file.write_text(f"[model]\nelements = {written}\n", "utf-8")

    assert load(file).model.elements == meant


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[model]\ncolour = 1\n", "model.colour: is not a setting"),
        ("flavour = 1\n", "flavour: is not a setting"),
        ("[model]\ntemperature = 9\n", "model.temperature: must be at most 2, not 9"),
        (
            "[mcp.servers.mail]\nseconds = 3\n",
            "mcp.servers.mail: needs either a command or an address (url) (",
        ),
        ("[mcp.servers.mail]\ncommand = 'x'\nargs = 'k1'\n", "mcp.servers.mail.args: must be a list ("),
        ("[turn]\nmax_steps = 'many'\n", "turn.max_steps: must be a whole number, not 'many'"),
        (
            "[interface]\npicture = 'oil'\n",
            "interface.picture: must be one of 'auto', 'kitty', 'sixel', 'blocks' or 'off'",
        ),
        ("phone = 3\n", "phone: "),
        ("[model\n", "is not valid TOML"),
        ("\x00", "is not valid TOML"),
    ],
)
def test_what_is_wrong_is_said(file: Path, content: str, words: str) -> None:
    file.write_text(content)
    with pytest.raises(SettingsError) as error:
        load(file)
    assert words in str(error.value)
    assert str(file) in str(error.value)


def test_a_file_of_a_windows_editor_is_read_or_its_encoding_told(file: Path) -> None:
    content = "[turn]\nmax_steps = 30\n"
    file.write_text(content, "utf-8-sig")
    assert load(file).turn.max_steps == 30
    save({"turn": {"max_steps": 40}}, file)
    assert load(file).turn.max_steps == 40
    file.write_text(content, "utf-16")
    with pytest.raises(SettingsError, match="Save it as UTF-8"):
        load(file)
    with pytest.raises(SettingsError, match="Save it as UTF-8"):
        save({"turn": {"max_steps": 50}}, file)


def test_a_wrong_variable_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.touch()
    monkeypatch.setenv("ASSISTANT_TURN__MAX_STEPS", "-1")
    with pytest.raises(SettingsError, match="environment variable ASSISTANT_TURN__MAX_STEPS"):
        load(file)


def test_a_missing_file_that_was_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read: No such file"):
        load(tmp_path / "none.toml")


def test_the_key_is_not_shown(file: Path) -> None:
    file.write_text('[model]\napi_key = "sk-secret"\n')
    assert "sk-secret" not in repr(load(file))


@pytest.mark.parametrize(
    "content",
    [
        "[model]\napi_key = 4711\n",
        "[model]\napi_key = ['4711']\n",
        "model = 4711\n",
        "model = ['4711']\n",
        "[memory]\ndatabase = ['postgresql://me:4711@host/x']\n",
        "memory = 'postgresql://me:4711@host/x'\n",
        "[push]\ntoken = 4711\n",
        "push = 4711\n",
        "[push]\ntokn = '4711'\n",
        "token = '4711'\n",
        "[mcp.servers.mail]\ncommand = 'x'\nenv = '4711'\n",
        "mcp = 4711\n",
    ],
)
def test_no_secret_is_quoted_where_it_or_its_section_is_wrong(file: Path, content: str) -> None:
    file.write_text(content)
    with pytest.raises(SettingsError) as error:
        load(file)
    assert "4711" not in str(error.value)
    with suppress(SettingsError):
        broken = load_what_is_right(file)[1]
        assert broken
        assert "4711" not in repr(broken)


def test_a_wrong_variable_is_named_where_wrong_values_of_the_file_give_way(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("[turn]\nmax_tokens = 'many'\n")
    monkeypatch.setenv("ASSISTANT_TURN__MAX_STEPS", "abc")
    with pytest.raises(SettingsError, match="environment variable ASSISTANT_TURN__MAX_STEPS"):
        load_what_is_right(file)


def test_the_port_of_adbs_own_variable_is_taken_where_no_setting_names_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "23610")
    file = tmp_path / "config.toml"
    file.write_text("[phone]\nserial = 'R5CT1'\n")
    assert (load(file).phone.adb_port, load(file).phone.serial) == (23610, "R5CT1")
    file.write_text("[phone]\nadb_port = 5555\n")
    assert load(file).phone.adb_port == 5555
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "7" * 5_000)
    file.write_text("")
    assert load(file).phone.adb_port == 5037
    monkeypatch.setenv("ASSISTANT_PHONE__ADB_PORT", "6666")
    assert load(file).phone.adb_port == 6666
