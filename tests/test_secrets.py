from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.files import write_privately
from assistant.secrets import (
    SecretError,
    SecretKind,
    SecretLocation,
    SecretStore,
    keyring_problem,
)
from tests.keyrings import MemoryKeyring, no_keyring, system_keyring


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    with system_keyring(MemoryKeyring()) as backend:
        assert isinstance(backend, MemoryKeyring)
        yield backend


@pytest.fixture
def store(tmp_path: Path) -> SecretStore:
    return SecretStore(index=tmp_path / "secrets.json", environment={})


def test_a_value_lives_in_the_keyring_and_only_its_name_on_disk(
    ring: MemoryKeyring, store: SecretStore
) -> None:
    store.add("my bank", "hunter2")
    assert store.get("my bank") == "hunter2"
    assert store.names() == {"my bank": SecretLocation.KEYRING}
    assert list(ring.values.values()) == ["hunter2"]
    assert "hunter2" not in store.file.read_text()


def test_the_file_is_for_the_user_alone_and_holds_values_only_when_asked_to(
    ring: MemoryKeyring, store: SecretStore
) -> None:
    store.add("wifi", "1234", SecretLocation.FILE)
    assert store.get("wifi") == "1234"
    assert stat.S_IMODE(store.file.stat().st_mode) == 0o600
    assert not ring.values


@pytest.mark.parametrize(
    "content",
    [
        "no JSON",
        "[]",
        "[" * 100_000,
        '{"secret": []}',
        '{"secret": {"bank": "hunter2"}}',
        '{"secret": {"bank": {"place": "nowhere"}}}',
        '{"secret": {"bank": {"place": []}}}',
    ],
)
def test_a_damaged_file_is_told_in_words_and_stays(
    ring: MemoryKeyring, store: SecretStore, content: str
) -> None:
    store.file.write_text(content)
    for use in (store.names, lambda: store.get("bank"), lambda: store.remove("bank")):
        with pytest.raises(SecretError, match="Mend it or move it away"):
            use()
    with pytest.raises(SecretError, match="cannot be read"):
        store.add("wifi", "1234", SecretLocation.FILE)
    assert store.file.read_text() == content


def test_removing_forgets_name_and_value(ring: MemoryKeyring, store: SecretStore) -> None:
    store.add("bank", "a")
    store.add("wifi", "b", SecretLocation.FILE)
    assert store.remove("bank")
    assert store.remove("wifi")
    assert not store.remove("wifi")
    assert store.names() == {}
    assert not ring.values
    assert store.get("bank") is None


def test_a_secret_that_the_keyring_has_lost_can_be_removed(ring: MemoryKeyring, store: SecretStore) -> None:
    store.add("bank", "a")
    ring.values.clear()
    assert store.get("bank") is None
    assert store.remove("bank")


def test_the_environment_wins(ring: MemoryKeyring, tmp_path: Path) -> None:
    index = tmp_path / "secrets.json"
    SecretStore(index=index, environment={}).add("my bank", "stored")
    store = SecretStore(
        index=index, environment={"ASSISTANT_SECRET_MY_BANK": "given", "ASSISTANT_SECRET_X": "y"}
    )
    assert store.get("my bank") == "given"
    assert store.names() == {"my bank": SecretLocation.ENVIRONMENT, "x": SecretLocation.ENVIRONMENT}
    with pytest.raises(SecretError, match="Unset ASSISTANT_SECRET_X"):
        store.remove("x")


def test_kinds_know_nothing_of_each_other(ring: MemoryKeyring, tmp_path: Path) -> None:
    index = tmp_path / "secrets.json"
    keys = SecretStore(SecretKind.MODEL_KEY, index, {})
    keys.add("endpoint api.example.com", "sk-1")
    typed = SecretStore(SecretKind.TYPED, index, {"ASSISTANT_SECRET_A": "b"})
    assert typed.get("endpoint api.example.com") is None
    assert typed.names() == {"a": SecretLocation.ENVIRONMENT}
    typed.add("bank", "x")
    assert keys.get("endpoint api.example.com") == "sk-1"


def test_without_a_keyring_it_says_so(store: SecretStore) -> None:
    with system_keyring(no_keyring()):
        assert "no keyring" in keyring_problem()
        with pytest.raises(SecretError, match="no keyring"):
            store.add("bank", "hunter2")
        assert store.names() == {}


@pytest.mark.parametrize("name", ["", " x", "a\nb", "-x", "a" * 201, "a/b"])
def test_names_are_plain(ring: MemoryKeyring, store: SecretStore, name: str) -> None:
    with pytest.raises(SecretError, match="A name has"):
        store.add(name, "x")


def test_an_unreadable_index_is_an_error_in_words(store: SecretStore) -> None:
    store.file.write_text("{")
    with pytest.raises(SecretError, match="cannot be read"):
        store.get("bank")


def test_no_message_tells_a_value(store: SecretStore) -> None:
    with system_keyring(no_keyring()), pytest.raises(SecretError) as caught:
        store.add("bank", "hunter2")
    assert "hunter2" not in str(caught.value)


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_a_private_file_is_replaced_whole(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("private")
    file, link = folder / "real.toml", folder / "link.toml"
    file.write_text("before")
    link.symlink_to(file)
    write_privately(link, text)
    assert file.read_bytes() == text.encode()
    assert link.is_symlink()
    assert sorted(folder.iterdir()) == [link, file]
