"""Changing the settings file in place."""

from __future__ import annotations

import stat
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from assistant.records import Cost, Usage
from assistant.secrets import SecretKind, SecretStore
from assistant.settings.load import SettingsError, edit_toml, key_name, load, save, with_stored_key
from tests.keyrings import MemoryKeyring, system_keyring
from tests.tables import each

WRITTEN = """\
# my settings
user_id = "me"   # that is me

[phone]
# the old one
serial = "R5CT1"
settle_cap = 2.5

# prices of last spring
[prices."qwen3-vl"]
input = 0.2  # dollars
output = 0.6
"""

names = st.text("abcdefgh_-. \"'é", min_size=1, max_size=6)
values = st.one_of(
    st.integers(-(2**53), 2**53), st.booleans(), st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
)
tables: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.dictionaries(names, values, max_size=4),
    lambda inner: st.dictionaries(names, st.one_of(values, inner), max_size=4),
    max_leaves=8,
)
comments = st.lists(st.text("abc #=[]\"'", max_size=12), max_size=3)


def toml(content: dict[str, Any]) -> str:
    import tomlkit

    return tomlkit.dumps(content)


def merged(content: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    result = dict(content)
    for name, value in changes.items():
        if isinstance(value, dict):
            below = result.get(name)
            result[name] = merged(below if isinstance(below, dict) else {}, value)
        elif value is None:
            result.pop(name, None)
        else:
            result[name] = value
    return result


@given(content=tables, changes=tables, remarks=comments)
def test_what_is_not_changed_survives(
    content: dict[str, Any], changes: dict[str, Any], remarks: list[str]
) -> None:
    head = "".join(f"# {remark}\n" for remark in remarks)
    before = head + toml(content)
    after = edit_toml(before, changes)
    assert tomllib.loads(after) == merged(content, changes)
    assert after.startswith(head)


@given(content=tables)
def test_no_change_changes_no_byte(content: dict[str, Any]) -> None:
    text = toml(content)
    assert edit_toml(text, {}) == text


def test_comments_and_order_stay() -> None:
    after = edit_toml(WRITTEN, {"phone": {"serial": "10.0.0.2:5555"}, "model": {"name": "qwen3-vl"}})
    lines = after.splitlines()
    assert [line for line in WRITTEN.splitlines() if line not in lines] == ['serial = "R5CT1"']
    assert 'serial = "10.0.0.2:5555"' in lines


def test_none_takes_a_setting_out() -> None:
    after = edit_toml(WRITTEN, {"phone": {"serial": None}})
    assert tomllib.loads(after)["phone"] == {"settle_cap": 2.5}
    assert "# the old one" in after


def test_a_new_file_is_for_the_user_alone(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.toml"
    assert save({"phone": {"serial": "R5CT1"}}, file) == file
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert load(file).phone.serial == "R5CT1"


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"phone": {"seriel": "x"}}, "phone.seriel"), ({"phone": {"adb_port": 0}}, "phone.adb_port")],
)
def test_a_wrong_value_is_not_written(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(WRITTEN)
    with pytest.raises(SettingsError, match=words):
        save(changes, file)
    assert file.read_text() == WRITTEN
    assert [path for path in tmp_path.iterdir() if path.suffix != ".lock"] == [file]


def test_changes_that_come_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    file, models = tmp_path / "settings.toml", [f"model-{number}" for number in range(12)]

    def set_price(model: str) -> None:
        save({"prices": {model: {"input": 1.0, "output": 2.0}}}, file)

    with ThreadPoolExecutor(len(models)) as programs:
        list(programs.map(set_price, models))
    assert sorted(tomllib.loads(file.read_text("utf-8"))["prices"]) == sorted(models)


def test_a_broken_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("user_id = ")
    with pytest.raises(SettingsError, match="cannot be changed"):
        save({"user_id": "you"}, file)
    assert file.read_text() == "user_id = "


def test_prices_give_costs(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(WRITTEN + '[model]\nname = "qwen3-vl"\n')
    settings = load(file)
    price = settings.prices.get(settings.model.name)
    assert price is not None
    used = Usage(prompt_tokens=1_000_000, completion_tokens=500_000, requests=3)
    assert price.of(used) == Cost(amount=0.5, currency="USD")


def test_the_key_comes_from_file_then_environment_then_keyring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[model]\nbase_url = "https://api.example.com/v1"\n')
    keys = SecretStore(SecretKind.MODEL_KEY, tmp_path / "secrets.json", {})
    with system_keyring(MemoryKeyring()):
        assert load(file, keys=keys).model.api_key == SecretStr("")
        keys.add(key_name("https://api.example.com/v1"), "from-keyring")
        assert load(file, keys=keys).model.api_key == SecretStr("from-keyring")
        monkeypatch.setenv("ASSISTANT_MODEL__API_KEY", "from-environment")
        assert load(file, keys=keys).model.api_key == SecretStr("from-environment")
        monkeypatch.delenv("ASSISTANT_MODEL__API_KEY")
        save({"model": {"api_key": "from-file"}}, file)
        assert load(file, keys=keys).model.api_key == SecretStr("from-file")


def test_a_key_goes_to_its_own_endpoint_only(tmp_path: Path) -> None:
    keys = SecretStore(SecretKind.MODEL_KEY, tmp_path / "secrets.json", {})
    with system_keyring(MemoryKeyring()):
        keys.add(key_name("https://api.example.com/v1"), "sk-1")
        other = load(None, {"model": {"base_url": "https://api.example.org/v1", "api_key": ""}}, keys)
        assert with_stored_key(other, keys).model.api_key == SecretStr("")


@each(
    ("address", "name"),
    [
        ("https://api.example.com/v1", "endpoint api.example.com"),
        ("http://LOCALHOST:8000", "endpoint localhost:8000"),
        ("http://user:word@host/v1", "endpoint host"),
        ("http://[::1]:80/", "endpoint ::1:80"),
        ("http://[", "endpoint"),
    ],
)
def test_keys_are_named_by_host_and_port(address: str, name: str) -> None:
    assert key_name(address) == name
