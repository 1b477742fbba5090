from __future__ import annotations

import asyncio
import errno
import os
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio
from aiohttp.test_utils import TestServer

from assistant.embedding.embedder import EmbeddingError
from assistant.embedding.install import InstallRequest, Tell, install
from assistant.embedding.models import FileState, InstalledModel, ModelRegistry
from tests.embedding.hub import COMMIT, FakeHub
from tests.embedding.tiny import write_tiny_model

NETWORK = "onnx/model.onnx"


@pytest.fixture
def library(tmp_path: Path) -> ModelRegistry:
    return ModelRegistry(tmp_path / "bundled", tmp_path / "data" / "models")


@pytest.fixture
def hub(tmp_path: Path) -> FakeHub:
    folder = write_tiny_model(tmp_path / "hub", onnx=NETWORK, pooling="mean_tokens")
    (folder / "README.md").write_text("A model.")
    (folder / "pytorch_model.bin").write_bytes(b"not wanted" * 100)
    return FakeHub(folder)


@pytest_asyncio.fixture
async def url(hub: FakeHub) -> AsyncIterator[str]:
    async with TestServer(hub.application()) as server:
        yield str(server.make_url("/"))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small blocks for a small network, and no pause before a transfer goes on."""
    monkeypatch.setattr("assistant.embedding.install._BLOCK", 64)
    monkeypatch.setattr("huggingface_hub.file_download.time", SimpleNamespace(sleep=lambda seconds: None))


class Told:
    def __init__(self) -> None:
        self.lines: list[tuple[str, int, int]] = []

    def __call__(self, path: str, done: int, total: int) -> None:
        self.lines.append((path, done, total))


async def fetch(
    library: ModelRegistry, url: str, what: str = "owner/words", told: Tell | None = None, **more: Any
) -> InstalledModel:
    return await asyncio.to_thread(
        install, InstallRequest(what, **more), library, url, told or Told(), delay=0.0
    )


async def test_a_folder_is_copied_with_what_is_needed_only(library: ModelRegistry, hub: FakeHub) -> None:
    install(InstallRequest(str(hub.folder), name="mine"), library, "http://nowhere.invalid", Told())
    (model,) = library.models()
    assert (model.name, model.bundled) == ("mine", False)
    assert model.entry is not None
    assert {file.path for file in model.entry.files} == {
        NETWORK,
        "tokenizer.json",
        "1_Pooling/config.json",
        "README.md",
    }
    shutil.rmtree(hub.folder)
    loaded = library.find("mine").load()
    assert loaded.model_id.startswith("mine@")
    assert loaded.embed(["order lunch"]).any()


async def test_a_model_is_fetched_by_its_name(library: ModelRegistry, hub: FakeHub, url: str) -> None:
    told = Told()
    model = await fetch(library, url, told=told)
    assert model.entry is not None
    assert model.entry.version == COMMIT
    assert model.entry.sources[0].url.endswith(f"/owner/words/tree/{COMMIT}")
    assert [state for _, state in model.check()] == [FileState.GOOD] * 4
    assert library.find("owner/words").load().dimensions == 8
    assert "pytorch_model.bin" not in {path for path, _ in hub.asked}
    size = (hub.folder / NETWORK).stat().st_size
    assert told.lines[0] == (NETWORK, 0, size)
    assert (NETWORK, size, size) in told.lines

    hub.asked.clear()
    await fetch(library, url)
    assert hub.asked == []


@pytest.mark.parametrize("ranges", [True, False])
async def test_a_broken_off_transfer_goes_on(
    library: ModelRegistry, hub: FakeHub, url: str, ranges: bool
) -> None:
    hub.breaks, hub.ranges = 2, ranges
    model = await fetch(library, url)
    assert all(state is FileState.GOOD for _, state in model.check())
    asked = [wanted for path, wanted in hub.asked if path == NETWORK]
    assert len(asked) == 3
    assert asked[0] == ""
    assert asked[1].startswith("bytes=")


async def test_a_hub_that_always_breaks_off_and_has_no_ranges_is_given_up(
    library: ModelRegistry, hub: FakeHub, url: str
) -> None:
    hub.breaks, hub.ranges = 1000, False
    with pytest.raises(EmbeddingError, match=r"broke off 4 times\. The hub cannot send"):
        await fetch(library, url)
    assert len([path for path, _ in hub.asked if path == NETWORK]) == 5
    assert library.models() == []

    hub.breaks = 0
    assert (await fetch(library, url)).load().dimensions == 8


async def test_the_next_attempt_goes_on_where_the_last_was(
    library: ModelRegistry, hub: FakeHub, url: str
) -> None:
    size = (hub.folder / NETWORK).stat().st_size

    def interrupt(path: str, done: int, total: int) -> None:
        if done > size // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await fetch(library, url, told=interrupt)
    (part,) = library.installed.rglob("*.part")
    there = part.stat().st_size
    assert size // 4 < there < size
    assert library.models() == []
    hub.asked.clear()
    assert (await fetch(library, url)).load().dimensions == 8
    assert hub.asked[0] == (NETWORK, f"bytes={there}-")


async def test_a_part_that_is_whole_already_is_taken(library: ModelRegistry, hub: FakeHub, url: str) -> None:
    part = library.installed / ".incomplete" / f"owner--words@{COMMIT}" / f"{NETWORK}.part"
    part.parent.mkdir(parents=True)
    shutil.copyfile(hub.folder / NETWORK, part)
    assert (await fetch(library, url)).load().dimensions == 8


@pytest.mark.parametrize("checksums", [True, False])
async def test_a_wrong_checksum_is_refused(
    library: ModelRegistry, hub: FakeHub, url: str, checksums: bool
) -> None:
    hub.damages, hub.checksums = True, checksums
    with pytest.raises(EmbeddingError, match="another size or checksum"):
        await fetch(library, url)
    assert library.models() == []
    hub.damages = False
    assert (await fetch(library, url)).load().dimensions == 8


async def test_a_damaged_small_file_is_refused(
    library: ModelRegistry, hub: FakeHub, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sibling = hub._sibling

    def other(path: Path) -> dict[str, object]:
        return {**sibling(path), "blobId": "0" * 40}

    monkeypatch.setattr(hub, "_sibling", other)
    with pytest.raises(EmbeddingError, match="another size or checksum"):
        await fetch(library, url)


async def test_what_the_hub_does_not_have(library: ModelRegistry, hub: FakeHub, url: str) -> None:
    with pytest.raises(EmbeddingError, match="no public model owner/other with main: status 404"):
        await fetch(library, url, "owner/other")
    with pytest.raises(EmbeddingError, match="no public model owner/words with v9"):
        await fetch(library, url, revision="v9")
    with pytest.raises(EmbeddingError, match=r"Name one of these with --file: onnx/model\.onnx"):
        await fetch(library, url, onnx="onnx/other.onnx")
    for what in ("../secret", "owner/../x", "", "a/b/c", "http://x"):
        with pytest.raises(EmbeddingError, match="neither a folder here nor a model's name"):
            await fetch(library, url, what)
    with pytest.raises(EmbeddingError, match="lies outside the model"):
        await fetch(library, url, onnx="../model.onnx")
    (hub.folder / "tokenizer.json").unlink()
    with pytest.raises(EmbeddingError, match=r"has no tokenizer\.json"):
        await fetch(library, url)


async def test_a_hub_in_trouble(library: ModelRegistry, hub: FakeHub, url: str) -> None:
    hub.statuses = [503, 500]
    assert (await fetch(library, url)).name == "owner/words"
    hub.statuses = [503] * 10
    with pytest.raises(EmbeddingError, match="cannot be reached: it answers with status 503"):
        await fetch(library, url)
    with pytest.raises(EmbeddingError, match="cannot be reached"):
        await fetch(library, "http://127.0.0.1:1")


async def test_the_hub_of_the_environment_hears_of_the_model_only(
    library: ModelRegistry, hub: FakeHub, url: str, tmp_path: Path
) -> None:
    code = """
import sys
from pathlib import Path
from assistant.embedding.install import InstallRequest, install
from assistant.embedding.models import ModelRegistry

install(InstallRequest("owner/words"), ModelRegistry(Path("none"), Path(sys.argv[1])), "", print)
"""
    environment = {"HF_ENDPOINT": url, "HF_TOKEN": "hf_secret", "HF_HOME": str(tmp_path / "home")}
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(library.installed), env=os.environ | environment
    )
    assert await program.wait() == 0
    assert [model.name for model in library.models()] == ["owner/words"]
    assert hub.others == []
    assert "hf_secret" not in str(hub.headers)
    assert not (tmp_path / "home").exists()


async def test_offline_is_told_at_once(
    library: ModelRegistry, hub: FakeHub, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(EmbeddingError, match="the environment sets HF_HUB_OFFLINE"):
        await fetch(library, url)
    assert hub.headers == []


async def test_a_full_disk(
    library: ModelRegistry, hub: FakeHub, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("huggingface_hub.file_download.http_get", full)
        with pytest.raises(EmbeddingError, match="No space left on device"):
            await fetch(library, url)
    with monkeypatch.context() as patch:
        patch.setattr("shutil.copyfile", full)
        with pytest.raises(EmbeddingError, match="No space left on device"):
            await fetch(library, url, str(hub.folder))
    monkeypatch.setattr(hub, "_sibling", lambda path: {"rfilename": path.name, "size": 1 << 60})
    (hub.folder / "model.onnx").write_bytes(b"")
    with pytest.raises(EmbeddingError, match="has room for"):
        await fetch(library, url)
    assert library.models() == []


async def test_a_place_that_cannot_be_made(tmp_path: Path, hub: FakeHub, url: str) -> None:
    (tmp_path / "data").write_text("a file, not a folder")
    library = ModelRegistry(tmp_path / "bundled", tmp_path / "data" / "models")
    with pytest.raises(EmbeddingError, match="cannot be written"):
        await fetch(library, url)
    with pytest.raises(EmbeddingError, match="cannot be written"):
        await fetch(library, url, str(hub.folder))


async def test_a_model_that_cannot_be_used_does_not_replace_one_that_can(
    library: ModelRegistry, tmp_path: Path
) -> None:
    good = write_tiny_model(tmp_path / "a" / "words")
    bad = write_tiny_model(tmp_path / "b" / "words")
    (bad / "model.onnx").write_bytes(b"nonsense")
    await fetch(library, "", str(good))
    with pytest.raises(EmbeddingError, match="not a network that can be run"):
        await fetch(library, "", str(bad))
    before = library.find("words").load().model_id

    await fetch(library, "", str(write_tiny_model(tmp_path / "c" / "words", seed=1)))
    (model,) = library.models()
    assert model.load().model_id != before
    assert [path.name for path in (library.installed / ".incomplete").iterdir()] == []


async def test_an_odd_answer_of_the_hub(
    library: ModelRegistry, hub: FakeHub, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for sibling in ({}, {"rfilename": "x", "lfs": 3}, "text"):
        monkeypatch.setattr(hub, "_sibling", lambda path, sibling=sibling: sibling)
        with pytest.raises(EmbeddingError, match="Unexpected reply"):
            await fetch(library, url)
