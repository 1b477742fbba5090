"""The registry of the embedding models on this machine.

`ModelRegistry` lists the bundled model and those installed beside it, and loads them. `read_manifest` and
`check_file` read `manifest.toml`, which lists a model's files with their checksums, and what the model was
made of, with licences.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path, PurePosixPath
from threading import Lock

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from assistant.embedding.embedder import (
    EmbeddingError,
    LazyEmbedder,
    OnnxEmbedder,
    open_session,
    sha256_of,
)
from assistant.embedding.heads import LazyTagger, Matcher, Tagger
from assistant.i18n import _
from assistant.settings.schema import EmbeddingSettings

MANIFEST = "manifest.toml"


class _FrozenModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class FileEntry(_FrozenModel):
    """One file of a model."""

    path: str = Field(min_length=1, description="Below the model's folder, with forward slashes.")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)

    @field_validator("path")
    @classmethod
    def _stays_inside(cls, path: str) -> str:
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts or "\\" in path:
            raise ValueError("leaves the model's folder")
        return path


class ModelSource(_FrozenModel):
    """What a model was made of."""

    name: str
    url: str = ""
    licence: str = ""
    attribution: str = ""


class ModelEntry(_FrozenModel):
    """One model.

    Attributes:
        id: its name, also that of its folder beside the manifest, unless `folder` says otherwise.
        version: the model's version; vectors of different versions are not comparable.
        onnx: the path of the network among the files.
        tagger: the path of the tagger's network among the files; empty for none.
        token_tensor: the network's tensor with the vectors of tokens, which is the tagger's input.
        matcher: the path of the matcher's network among the files; empty for none.
        word_tensor: the network's tensor with the vectors of words, which is the matcher's input.
    """

    id: str = Field(min_length=1)
    version: str = Field(min_length=1)
    folder: str = ""
    title: str = ""
    licence: str = ""
    dimensions: int = Field(gt=0)
    max_tokens: int = Field(gt=0)
    onnx: str = "model.onnx"
    tagger: str = ""
    token_tensor: str = ""
    matcher: str = ""
    word_tensor: str = ""
    files: tuple[FileEntry, ...] = Field(min_length=1)
    sources: tuple[ModelSource, ...] = ()

    @property
    def model_id(self) -> str:
        """Names the vectors: id, version, and the start of the network's checksum."""
        digest = next((file.sha256 for file in self.files if file.path == self.onnx), "")
        return f"{self.id}@{self.version}+{digest[:8]}"

    @property
    def size(self) -> int:
        """All files together, in bytes."""
        return sum(file.bytes for file in self.files)


class Manifest(_FrozenModel):
    """What `manifest.toml` says: a `[[models]]` table for each model, in it `[[models.files]]`."""

    models: tuple[ModelEntry, ...]


class FileState(StrEnum):
    """The result of comparing a file with its checksum."""

    GOOD = "good"
    CHANGED = "changed"
    MISSING = "missing"


def read_manifest(file: Path) -> Manifest:
    """Read a manifest.

    Raises:
        EmbeddingError: the manifest cannot be read, or has missing or wrong fields.
    """
    try:
        return Manifest.model_validate(tomllib.loads(file.read_text("utf-8")))
    except OSError as error:
        raise EmbeddingError(
            _("The manifest {file} cannot be read: {reason}.").format(file=file, reason=error.strerror)
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EmbeddingError(
            _("The manifest {file} is not valid TOML: {error}.").format(file=file, error=error)
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise EmbeddingError(
            _("The manifest {file} cannot be used: {where}: {reason}.").format(
                file=file, where=where, reason=first["msg"].lower()
            )
        ) from error


def check_file(folder: Path, entry: FileEntry) -> FileState:
    """Compare one file of a model with its checksum.

    Raises:
        EmbeddingError: the file is there and cannot be read.
    """
    path = folder / entry.path
    if not path.is_file():
        return FileState.MISSING
    good = path.stat().st_size == entry.bytes and sha256_of(path) == entry.sha256
    return FileState.GOOD if good else FileState.CHANGED


def describe_file(folder: Path, path: str) -> FileEntry:
    """The manifest's entry of a file as it is now.

    Raises:
        EmbeddingError: it cannot be read.
    """
    file = folder / path
    return FileEntry(path=path, sha256=sha256_of(file), bytes=file.stat().st_size)


_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model on this machine.

    Attributes:
        name: the name by which settings and commands choose it.
        folder: the folder with its files.
        entry: its entry in the manifest; None for a folder without one.
        bundled: whether it came with the program.
        problem: what is wrong with its manifest, for the user; empty if nothing is.
    """

    name: str
    folder: Path
    entry: ModelEntry | None
    bundled: bool = False
    problem: str = ""

    def load(self) -> OnnxEmbedder:
        """Read it into memory.

        Raises:
            EmbeddingError: it cannot be used; a file that is cut off is named.
        """
        if self.problem:
            raise EmbeddingError(f"{self.problem} {self._repair_hint()}")
        if self.entry is None:
            return OnnxEmbedder.load(self.folder)
        for file in self.entry.files:
            path = self.folder / file.path
            if not path.is_file() or path.stat().st_size != file.bytes:
                raise EmbeddingError(
                    _("The model {name} is damaged: {file}. {mend}").format(
                        name=self.name, file=path, mend=self._repair_hint()
                    )
                )
        return _load(self.folder, self.entry)

    def load_tagger(self) -> Tagger | None:
        """The tagger on top of it; None if it has none.

        Raises:
            EmbeddingError: it cannot be used.
        """
        if self.entry is None or not self.entry.tagger:
            return None
        return Tagger(open_session(self.folder / self.entry.tagger), self.load(), self.entry.token_tensor)

    def load_matcher(self) -> Matcher | None:
        """The matcher that reads its word vectors; None if it has none.

        Raises:
            EmbeddingError: it cannot be used.
        """
        if self.entry is None or not self.entry.matcher:
            return None
        with _LOADING:
            return _load_matcher(self.folder, self.entry)

    def check(self) -> list[tuple[FileEntry, FileState]]:
        """Compare each file with its checksum; nothing without a manifest.

        Raises:
            EmbeddingError: a file cannot be read, or the manifest is damaged.
        """
        if self.problem:
            raise EmbeddingError(f"{self.problem} {self._repair_hint()}")
        files = self.entry.files if self.entry else ()
        return [(file, check_file(self.folder, file)) for file in files]

    def _repair_hint(self) -> str:
        if self.bundled:
            return _("Install the program again.")
        return _("Install it again with: assistant models install {name}").format(name=self.name)


_LOADING = Lock()


def _load(folder: Path, entry: ModelEntry) -> OnnxEmbedder:
    """A model of a manifest; loaded only once in this process, also when several threads ask at once."""
    with _LOADING:
        return _load_files(folder, entry)


@lru_cache(maxsize=2)
def _load_files(folder: Path, entry: ModelEntry) -> OnnxEmbedder:
    return OnnxEmbedder.load(
        folder,
        entry.model_id,
        onnx=entry.onnx,
        max_tokens=entry.max_tokens,
        inner_tensors=tuple(filter(None, (entry.token_tensor, entry.word_tensor))),
    )


@lru_cache(maxsize=2)
def _load_matcher(folder: Path, entry: ModelEntry) -> Matcher:
    """The matcher of a model, loaded only once: it keeps the vectors of instructions."""
    session = open_session(folder / entry.matcher)
    return Matcher(session, _load_files(folder, entry), entry.word_tensor)


class ModelRegistry:
    """The bundled models, and the installed ones, each in a folder of its own with a manifest.

    Args:
        bundled: the folder that came with the program.
        installed: the folder that `assistant models install` writes to; need not be there.
    """

    def __init__(self, bundled: Path | None = None, installed: Path | None = None) -> None:
        self._bundled = bundled or bundled_folder()
        self.installed = installed or installed_folder()

    def models(self) -> list[InstalledModel]:
        """All models, the bundled ones first.

        Raises:
            EmbeddingError: the manifest of the bundled ones cannot be read.
        """
        models: list[InstalledModel] = []
        if (self._bundled / MANIFEST).is_file():
            models = [
                InstalledModel(entry.id, self._bundled / (entry.folder or entry.id), entry, bundled=True)
                for entry in read_manifest(self._bundled / MANIFEST).models
            ]
        for file in sorted(self.installed.glob(f"*/{MANIFEST}")):
            try:
                models.extend(
                    InstalledModel(entry.id, file.parent, entry) for entry in read_manifest(file).models
                )
            except EmbeddingError as error:
                models.append(InstalledModel(file.parent.name, file.parent, None, problem=str(error)))
        return models

    def find(self, name: str = "") -> InstalledModel:
        """A model by its name; by default the first bundled one. A folder's path will do, too.

        Raises:
            EmbeddingError: there is none.
        """
        models = self.models()
        for model in models:
            if model.name == name or (not name and model.bundled):
                return model
        if not name:
            raise EmbeddingError(
                _("The program came without an embedding model: {folder} has none.").format(
                    folder=self._bundled
                )
            )
        folder = Path(name).expanduser()
        if folder.is_dir():
            return InstalledModel(folder.resolve().name, folder, None)
        installed_names = ", ".join(model.name for model in models) or "none"
        raise EmbeddingError(
            _(
                "There is no embedding model “{name}”. Installed: {known}. Install one with: "
                "assistant models install NAME"
            ).format(name=name, known=installed_names)
        )

    def find_by_vectors(self, model_id: str) -> InstalledModel | None:
        """The installed model that makes vectors with a model id; None if it is not installed.

        Raises:
            EmbeddingError: a manifest cannot be read.
        """
        for model in self.models():
            if model.entry is not None and model.entry.model_id == model_id:
                return model
        return None

    def load(self, settings: EmbeddingSettings) -> OnnxEmbedder:
        """The embedder that the settings choose.

        Raises:
            EmbeddingError: it cannot be found or used.
        """
        return self.find(settings.model).load()

    def load_in_background(self, settings: EmbeddingSettings) -> LazyEmbedder:
        """The same, loaded in the background from now on."""
        return LazyEmbedder(lambda: self.load(settings))


def bundled_tagger(
    warn: Callable[[str], None] = lambda sentence: None, registry: ModelRegistry | None = None
) -> LazyTagger:
    """The tagger that came with the program.

    Args:
        warn: called once with a sentence that says why there is none.
        registry: where the models are.
    """
    return LazyTagger(lambda: (registry or ModelRegistry()).find().load_tagger(), warn)


def bundled_matcher(warn: Callable[[str], None] = lambda sentence: None) -> Matcher | None:
    """The matcher that came with the program; None if it cannot be loaded, and `warn` is told why."""
    try:
        return ModelRegistry().find().load_matcher()
    except EmbeddingError as error:
        warn(str(error))
        return None


def bundled_folder() -> Path:
    """`models/` of a checkout, else the folder that travels inside the wheel."""
    checkout = _PACKAGE.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / "models").is_dir():
        return checkout / "models"
    return _PACKAGE / "_models"


def installed_folder() -> Path:
    """Where installed models are kept: below the platform's data folder."""
    return platformdirs.user_data_path("assistant") / "models"
