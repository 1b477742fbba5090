"""Adding a model to the library, from a folder or from a hub: whole or not at all."""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import tomlkit

from assistant.embedding.embedder import Embedder
from assistant.embedding.errors import EmbeddingError
from assistant.embedding.hub import Hub, Listing, Tell
from assistant.embedding.layout import ONNX_PLACES, SETTINGS, TOKENIZER, read_layout
from assistant.embedding.manifest import (
    MANIFEST,
    FileState,
    Manifest,
    ModelEntry,
    Source,
    described,
    sha256_of,
)
from assistant.embedding.models import Library, Model
from assistant.i18n import _

_STAGING = ".incomplete"
_WORDS = ("README.md", "LICENSE")
_ONNX_DATA = ("_data", ".data")
"""A large network keeps its weights in a file beside it, named like this."""
_TRIAL = "The quick brown fox."


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be installed.

    Attributes:
        what: a folder here, or a model's name at the hub.
        revision: a branch, tag or commit at the hub.
        onnx: the network's path in the model, where it is not one of the usual.
        name: under which it is kept, by default as it is called.
    """

    what: str
    revision: str = "main"
    onnx: str = ""
    name: str = ""


def install(wish: Wish, library: Library, hub_url: str, tell: Tell, delay: float = 1.0) -> Model:
    """Install a model; one of the same name is replaced once the new one is complete and has made a vector.

    Args:
        wish: what and how.
        library: where it goes.
        hub_url: where names are looked up; empty for the usual hub.
        tell: hears how far each file is.
        delay: seconds before a failed request is repeated.

    Raises:
        EmbeddingError: it cannot be fetched, written or used. What was fetched stays for the next attempt.
    """
    if PurePosixPath(wish.onnx).is_absolute() or ".." in PurePosixPath(wish.onnx).parts:
        raise EmbeddingError(_("{file} lies outside the model. Name a file in it.").format(file=wish.onnx))
    folder = _folder_here(wish.what)
    if folder is not None:
        return _install_folder(wish, folder, library)
    return _install_from(Hub(hub_url, delay), wish, library, tell)


def _folder_here(what: str) -> Path | None:
    folder = Path(what).expanduser()
    return folder if what and folder.is_dir() else None


def _install_folder(wish: Wish, folder: Path, library: Library) -> Model:
    layout = read_layout(folder, wish.onnx)
    onnx = layout.onnx.relative_to(folder).as_posix()
    name = wish.name or folder.resolve().name
    _refuse_taken(name, library)
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    staging = _staging(library, name, "copy")
    try:
        shutil.rmtree(staging, ignore_errors=True)
        for path in _needed(onnx, there):
            (staging / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / path, staging / path)
    except OSError as error:
        raise _unwritable(staging, error) from error
    version = sha256_of(layout.onnx)[:12]
    return _finish(staging, library, name, version, onnx, Source(name=str(folder.resolve())))


def _install_from(hub: Hub, wish: Wish, library: Library, tell: Tell) -> Model:
    name = wish.name or wish.what
    _refuse_taken(name, library)
    listing = hub.listing(wish.what, wish.revision)
    onnx = _network(wish, listing)
    if same := _already_there(library, name, listing.commit, onnx):
        return same
    staging = _staging(library, name, listing.commit)
    needed = _needed(onnx, listing.files)
    _refuse_too_large(sum(listing.files[path].size for path in needed), library.installed)
    for path in needed:
        if not (staging / path).is_file():
            hub.fetch(wish.what, listing.commit, listing.files[path], staging / path, tell)
    source = Source(name=wish.what, url=f"{hub.base_url}/{wish.what}/tree/{listing.commit}")
    return _finish(staging, library, name, listing.commit, onnx, source)


def _network(wish: Wish, listing: Listing) -> str:
    """Which file of a listing is the network."""
    onnx = next(
        (place for place in ([wish.onnx] if wish.onnx else ONNX_PLACES) if place in listing.files), ""
    )
    if not onnx:
        others = sorted(path for path in listing.files if path.endswith(".onnx"))
        hint = (
            _("Name one of these with --file: {files}.").format(files=", ".join(others))
            if others
            else _("Choose another model.")
        )
        raise EmbeddingError(
            _("{what} has no {file}. {hint}").format(
                what=wish.what, file=wish.onnx or ONNX_PLACES[-1], hint=hint
            )
        )
    if TOKENIZER not in listing.files:
        raise EmbeddingError(
            _("{what} has no {file}. Choose another model.").format(what=wish.what, file=TOKENIZER)
        )
    return onnx


def _needed(onnx: str, there: Collection[str]) -> list[str]:
    """Of the files of a model, those that are kept."""
    wanted = (onnx, *(onnx + ending for ending in _ONNX_DATA), TOKENIZER, *SETTINGS, *_WORDS)
    return [path for path in wanted if path in there]


def _finish(staging: Path, library: Library, name: str, version: str, onnx: str, source: Source) -> Model:
    """Try a complete model, write its manifest, and put it in its place."""
    try:
        # Loading it says at once what is wrong with it, before it takes the place of another.
        embedder = Embedder.load(staging, name, onnx=onnx)
        embedder.embed([_TRIAL])
        there = [path.relative_to(staging).as_posix() for path in staging.rglob("*") if path.is_file()]
        entry = ModelEntry(
            id=name,
            version=version,
            folder=".",
            dimensions=embedder.dimensions,
            max_tokens=read_layout(staging, onnx).max_tokens,
            onnx=onnx,
            files=tuple(described(staging, path) for path in _needed(onnx, there)),
            sources=(source,),
        )
        written = Manifest(models=(entry,)).model_dump(mode="json")
        (staging / MANIFEST).write_text(tomlkit.dumps(written), "utf-8")
        target = library.installed / _folder_name(name)
        _put_in_place(staging, target)
    except EmbeddingError:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    except OSError as error:
        raise _unwritable(library.installed, error) from error
    return Model(name, target, entry)


def _put_in_place(staging: Path, target: Path) -> None:
    replaced = staging.with_name(f"{target.name}.replaced")
    shutil.rmtree(replaced, ignore_errors=True)
    if target.exists():
        target.rename(replaced)
    staging.rename(target)
    shutil.rmtree(replaced, ignore_errors=True)


def _already_there(library: Library, name: str, commit: str, onnx: str) -> Model | None:
    for model in library.models():
        entry = model.entry
        if entry and model.name == name and (entry.version, entry.onnx) == (commit, onnx):
            return model if all(state is FileState.GOOD for _, state in model.check()) else None
    return None


def _refuse_taken(name: str, library: Library) -> None:
    if any(model.bundled and model.name == name for model in library.models()):
        raise EmbeddingError(
            _("{name} is the name of a model that came with the program. Give another with --name.").format(
                name=name
            )
        )


def _refuse_too_large(size: int, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise _unwritable(folder, error) from error
    if size > free:
        raise EmbeddingError(
            _(
                "The model has {size:.0f} MB, and {folder} has room for {free:.0f} MB. Make room there."
            ).format(size=size / 1e6, folder=folder, free=free / 1e6)
        )


def _staging(library: Library, name: str, version: str) -> Path:
    """Where a model is put together: on the same disk as its place, and found again by the next attempt."""
    return library.installed / _STAGING / f"{_folder_name(name)}@{version}"


def _folder_name(name: str) -> str:
    """A name that is one folder's name on every system."""
    return re.sub(r"[^\w.-]", "_", name.replace("/", "--")).lstrip(".") or "_"


def _unwritable(folder: Path, error: OSError) -> EmbeddingError:
    return EmbeddingError(
        _("{folder} cannot be written: {reason}. Make room there or allow it.").format(
            folder=folder, reason=error.strerror
        )
    )
