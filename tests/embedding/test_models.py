from __future__ import annotations

from pathlib import Path

import pytest

from assistant.bench.corpora import clinc_domains, held_out_intents
from assistant.embedding.embedder import EmbeddingError
from assistant.embedding.models import MANIFEST, FileState, ModelRegistry, read_manifest
from assistant.settings.schema import EmbeddingSettings
from tests.embedding.tiny import DIMENSIONS, bundle, write_tiny_model


@pytest.fixture
def library(tmp_path: Path) -> ModelRegistry:
    return ModelRegistry(bundle(tmp_path / "bundled", "words", "others"), tmp_path / "installed")


def test_the_first_bundled_model_is_used_unless_settings_name_another(library: ModelRegistry) -> None:
    assert [model.name for model in library.models()] == ["words", "others"]
    assert library.load(EmbeddingSettings()).model_id.startswith("words@1+")
    assert library.load(EmbeddingSettings(model="others")).model_id.startswith("others@1+")


async def test_it_is_loaded_in_the_background(library: ModelRegistry) -> None:
    late = library.load_in_background(EmbeddingSettings(model="words"))
    assert (await late.ready()).dimensions == DIMENSIONS
    missing = library.load_in_background(EmbeddingSettings(model="missing"))
    with pytest.raises(EmbeddingError, match=r"no embedding model “missing”\. Installed: words, others"):
        await missing.ready()


def test_a_damaged_manifest_spoils_one_model_only(library: ModelRegistry) -> None:
    (library.installed / "mine").mkdir(parents=True)
    (library.installed / "mine" / MANIFEST).write_text("nonsense")
    assert library.load(EmbeddingSettings()).dimensions == DIMENSIONS
    for use in (library.find("mine").load, library.find("mine").check):
        with pytest.raises(EmbeddingError, match=r"not valid TOML.*assistant models install mine"):
            use()


def test_a_folder_can_be_named(library: ModelRegistry, tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path / "mine")
    assert library.load(EmbeddingSettings(model=str(folder))).model_id.startswith("mine+")


def test_vectors_lead_back_to_their_model(library: ModelRegistry) -> None:
    model_id = library.find("others").load().model_id
    found = library.find_by_vectors(model_id)
    assert found is not None
    assert found.name == "others"
    assert library.find_by_vectors("unknown@1") is None


def test_no_model_at_all(tmp_path: Path) -> None:
    empty = ModelRegistry(tmp_path / "nothing", tmp_path / "installed")
    assert empty.models() == []
    with pytest.raises(EmbeddingError, match="came without an embedding model"):
        empty.find()


def test_a_check_names_what_changed_and_what_is_missing(library: ModelRegistry) -> None:
    model = library.find()
    assert [state for _, state in model.check()] == [FileState.GOOD, FileState.GOOD]
    network = model.folder / "model.onnx"
    content = network.read_bytes()
    network.write_bytes(content[:-1] + b"?")
    (model.folder / "tokenizer.json").unlink()
    assert [state for _, state in model.check()] == [FileState.CHANGED, FileState.MISSING]


def test_a_file_that_is_cut_off_is_told_when_the_model_is_loaded(library: ModelRegistry) -> None:
    model = library.find()
    network = model.folder / "model.onnx"
    network.write_bytes(network.read_bytes()[:100])
    with pytest.raises(EmbeddingError, match=r"is damaged: .*model\.onnx"):
        model.load()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("models = 3", "models"),
        ("[[models]]\nid = 'x'", "models.0.version"),
        ("nonsense", "not valid TOML"),
        (
            "[[models]]\nid='x'\nversion='1'\ndimensions=1\nmax_tokens=1\n"
            f"[[models.files]]\npath='../x'\nsha256='{'a' * 64}'\nbytes=1",
            "leaves the model's folder",
        ),
    ],
)
def test_a_manifest_that_cannot_be_used(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(EmbeddingError, match=words):
        read_manifest(tmp_path / MANIFEST)


def test_held_out_intents_depend_on_names_only() -> None:
    names = [f"intent_{place}" for place in range(60)]
    chosen = held_out_intents(names, 12)
    assert len(chosen) == 12
    assert chosen == held_out_intents(reversed([*names, *names]), 12)
    assert chosen != held_out_intents(names, 12, seed=1)
    assert chosen < held_out_intents(names, 20)


def test_the_domains_hold_each_intent_once() -> None:
    intents = [intent for domain in clinc_domains().values() for intent in domain]
    assert len(intents) == len(set(intents)) == 150
