"""The manifest of model files: `manifest.toml`, with checksums, sources and licences."""

from __future__ import annotations

import hashlib
import tomllib
from enum import StrEnum
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from assistant.embedding.errors import EmbeddingError
from assistant.i18n import _

MANIFEST = "manifest.toml"
_BLOCK = 1 << 20


class _Plain(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class FileEntry(_Plain):
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


class Source(_Plain):
    """What a model was made of."""

    name: str
    url: str = ""
    licence: str = ""
    attribution: str = ""


class ModelEntry(_Plain):
    """One model.

    Attributes:
        id: its name, also that of its folder beside the manifest, unless `folder` says otherwise.
        version: of this model; another version has other vectors.
        onnx: which of the files is the network.
    """

    id: str = Field(min_length=1)
    version: str = Field(min_length=1)
    folder: str = ""
    title: str = ""
    licence: str = ""
    dimensions: int = Field(gt=0)
    max_tokens: int = Field(gt=0)
    onnx: str = "model.onnx"
    files: tuple[FileEntry, ...] = Field(min_length=1)
    sources: tuple[Source, ...] = ()

    @property
    def model_id(self) -> str:
        """Names the vectors: id, version, and the start of the network's checksum."""
        digest = next((file.sha256 for file in self.files if file.path == self.onnx), "")
        return f"{self.id}@{self.version}+{digest[:8]}"

    @property
    def size(self) -> int:
        """All files together, in bytes."""
        return sum(file.bytes for file in self.files)


class Manifest(_Plain):
    """What `manifest.toml` says: a `[[models]]` table for each model, in it `[[models.files]]`."""

    models: tuple[ModelEntry, ...]


class FileState(StrEnum):
    """What a check of a file found."""

    GOOD = "good"
    CHANGED = "changed"
    MISSING = "missing"


def read_manifest(file: Path) -> Manifest:
    """Read a manifest.

    Raises:
        EmbeddingError: it cannot be read, or says something else than it should.
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


def checked(folder: Path, entry: FileEntry) -> FileState:
    """Compare one file of a model with its checksum.

    Raises:
        EmbeddingError: the file is there and cannot be read.
    """
    path = folder / entry.path
    if not path.is_file():
        return FileState.MISSING
    good = path.stat().st_size == entry.bytes and sha256_of(path) == entry.sha256
    return FileState.GOOD if good else FileState.CHANGED


def described(folder: Path, path: str) -> FileEntry:
    """The manifest's entry of a file as it is now.

    Raises:
        EmbeddingError: it cannot be read.
    """
    file = folder / path
    return FileEntry(path=path, sha256=sha256_of(file), bytes=file.stat().st_size)


def sha256_of(file: Path) -> str:
    """The checksum of a file, in hexadecimal.

    Raises:
        EmbeddingError: it cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise EmbeddingError(
            _("{file} cannot be read: {reason}.").format(file=file, reason=error.strerror)
        ) from error
    return digest.hexdigest()
