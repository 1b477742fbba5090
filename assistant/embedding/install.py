"""Installs an embedding model, from a folder or from a model hub: whole or not at all.

A model is put together in a staging folder, loaded once as a trial, and only then moved to its place, so that
a failed installation leaves the old model in use. From the hub, files are resumed where they broke off and
checked against its checksums.

Of huggingface_hub only listing and transfer are used. Its `hf_hub_download` deletes what an interrupted
download left, compares no checksums, and keeps records of its own beside the files.
"""

from __future__ import annotations

import logging
import re
import shutil
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import httpx2
import huggingface_hub
import tomlkit
from huggingface_hub import constants
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled
from huggingface_hub.utils.sha import git_hash

from assistant.embedding.embedder import (
    ONNX_PLACES,
    SETTINGS,
    TOKENIZER,
    EmbeddingError,
    OnnxEmbedder,
    find_model_files,
    sha256_of,
)
from assistant.embedding.models import (
    MANIFEST,
    FileState,
    InstalledModel,
    Manifest,
    ModelEntry,
    ModelRegistry,
    ModelSource,
    describe_file,
)
from assistant.i18n import _

Tell = Callable[[str, int, int], None]
"""Called with the progress of a file: its path, the bytes present, and its size in bytes (0 if unknown)."""

_Result = TypeVar("_Result")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_CHECKSUM = re.compile(r"[0-9a-f]{64}|[0-9a-f]{40}")
_SHA256_LENGTH = 64
_BLOCK = 1 << 18
_TIMEOUT = 60
_ATTEMPTS = 4
_PASSING = frozenset({408, 429, 500, 502, 503, 504})
_MISSING = frozenset({401, 403, 404})


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a model at the hub.

    Attributes:
        path: in the model.
        size: in bytes; 0 where the hub does not tell it.
        checksum: SHA-256 of a large file, git's blob id of a small one; empty where the hub tells neither.
    """

    path: str
    size: int = 0
    checksum: str = ""


@dataclass(frozen=True, slots=True)
class HubListing:
    """A model's files at one commit."""

    commit: str
    files: Mapping[str, HubFile]


class Hub:
    """One hub; nothing is sent but the requests for a model, without a token.

    Args:
        base_url: where it is; empty takes the library's, which HF_ENDPOINT in the environment can name.
        delay: seconds before a request that failed is repeated; it doubles each time.
    """

    def __init__(self, base_url: str, delay: float = 1.0) -> None:
        # The library reads these at each request. Without the first it fetches a list of AI agents, to tell
        # the hub which of them runs it. Its own blocks, of 10 MB, would be lost when broken off.
        constants.HF_HUB_DISABLE_TELEMETRY = True
        constants.DOWNLOAD_CHUNK_SIZE = _BLOCK
        constants.HF_HUB_DOWNLOAD_TIMEOUT = _TIMEOUT
        # Its warnings repeat on standard error what is raised here, and print what the hub sends.
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
        self._api = huggingface_hub.HfApi(base_url.rstrip("/") or None, token=False)
        self._delay = delay

    @property
    def base_url(self) -> str:
        """Where it is."""
        return self._api.endpoint

    def listing(self, name: str, revision: str) -> HubListing:
        """The files of a model at a branch, tag or commit.

        Raises:
            EmbeddingError: the hub does not have it, or does not answer.
        """
        try:
            model = self._repeated(
                lambda: self._api.model_info(name, revision=revision, files_metadata=True, timeout=_TIMEOUT),
                name,
                revision,
            )
            files = [_read_file(sibling) for sibling in model.siblings or []]
        except HFValidationError as error:
            raise EmbeddingError(
                _(
                    "“{name}” at “{revision}” is neither a folder here nor a model's name, such as "
                    "owner/name."
                ).format(name=name, revision=revision)
            ) from error
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise EmbeddingError(
                _("Unexpected reply from {hub}: its list of files has a wrong form.").format(
                    hub=self.base_url
                )
            ) from error
        commit = str(model.sha)
        if not _COMMIT.fullmatch(commit):
            raise EmbeddingError(
                _("Unexpected reply from {hub}: “{commit}” is not a commit.").format(
                    hub=self.base_url, commit=commit[:80]
                )
            )
        return HubListing(commit, {file.path: file for file in files})

    def fetch(self, name: str, commit: str, file: HubFile, target: Path, tell: Tell) -> None:
        """Fetch one file, resuming from the `.part` file that an earlier attempt left beside the target.

        Raises:
            EmbeddingError: the file cannot be fetched or written, or has another checksum than the hub says.
        """
        url = huggingface_hub.hf_hub_url(name, file.path, revision=commit, endpoint=self.base_url)
        part = target.with_name(target.name + ".part")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if not file.checksum:
                head = self._repeated(
                    lambda: huggingface_hub.get_hf_file_metadata(url, token=False), name, commit
                )
                file = HubFile(file.path, file.size or head.size or 0, _checksum(head.etag))
            self._repeated(lambda: _transfer(url, file, part, tell), name, commit)
            if not _is_whole(part, file):
                part.unlink()
                raise EmbeddingError(
                    _("{path} arrived with another size or checksum than {hub} gives. Try again.").format(
                        path=file.path, hub=self.base_url
                    )
                )
            part.replace(target)
        except OSError as error:
            raise EmbeddingError(
                _(
                    "{file} cannot be written: {reason}. Make room there, then run it again: it "
                    "goes on where it was."
                ).format(file=target, reason=error.strerror)
            ) from error

    def _repeated(self, request: Callable[[], _Result], name: str, revision: str) -> _Result:
        """The result of a request, which is repeated while the hub is unreachable or has a temporary failure.

        Raises:
            EmbeddingError: the hub does not have what is asked for, or does not answer.
        """
        failure = ""
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(self._delay * 2**attempt)
            try:
                return request()
            except HfHubHTTPError as error:
                status = error.response.status_code
                if status not in _PASSING:
                    raise EmbeddingError(self._refused(status, name, revision)) from error
                failure = _("it answers with status {status}").format(status=status)
            except httpx2.TransportError as error:
                failure = str(error) or type(error).__name__
            except OfflineModeIsEnabled:
                failure = _("the environment sets HF_HUB_OFFLINE")
                break
        raise EmbeddingError(
            _("{hub} cannot be reached: {failure}. Run it again: it goes on where it was.").format(
                hub=self.base_url, failure=failure
            )
        )

    def _refused(self, status: int, name: str, revision: str) -> str:
        if status in _MISSING:
            return _("{hub} has no public model {name} with {revision}: status {status}.").format(
                hub=self.base_url, name=name, revision=revision, status=status
            )
        return _("{hub} does not give {name}: status {status}.").format(
            hub=self.base_url, name=name, status=status
        )


def _progress(path: str, tell: Tell) -> type[Any]:
    """The class that `http_get` takes for its progress bar; it reports on one file.

    It also ends a transfer that would never end: after each break, `http_get` starts again without a limit as
    long as bytes arrive, and a server without ranges then sends the file from its first byte every time.
    """

    class Progress(nullcontext[Any]):
        def __init__(self, *, total: int | None = None, initial: int = 0, **_appearance: object) -> None:
            super().__init__(self)
            self._done, self._total, self._restarts = initial, total or 0, 0
            tell(path, self._done, self._total)

        def update(self, count: int) -> None:
            """Count the bytes that arrived; a negative count takes back all bytes before a restart.

            Raises:
                EmbeddingError: the server has sent the file from its start too often.
            """
            self._restarts += count < 0
            if self._restarts == _ATTEMPTS:
                raise EmbeddingError(
                    _("{path} broke off {count} times. The hub cannot send only its rest. Try later.").format(
                        path=path, count=_ATTEMPTS
                    )
                )
            self._done += count
            tell(path, self._done, self._total)

    return Progress


def _transfer(url: str, file: HubFile, part: Path, tell: Tell) -> None:
    """Download the missing end of a `.part` file.

    Raises:
        HfHubHTTPError: the hub refuses.
        httpx2.TransportError: the connection broke, and all repeats failed.
        OSError: the part cannot be written.
    """
    # For start-up time: it loads in a tenth of a second, and only an installation by name needs it.
    from huggingface_hub.file_download import http_get

    with part.open("ab") as stream:
        there = stream.tell()
        if there > file.size:
            stream.truncate(0)
            there = stream.seek(0)
        try:
            http_get(
                url,
                stream,
                resume_size=there,
                headers={"Accept-Encoding": "identity"},
                expected_size=file.size or None,
                displayed_filename=file.path,
                tqdm_class=_progress(file.path, tell),
            )
        except OSError as error:
            # A size that is not the expected one comes without a number; it is looked at afterwards.
            if error.errno is not None or isinstance(error, HfHubHTTPError | OfflineModeIsEnabled):
                raise


def _is_whole(part: Path, file: HubFile) -> bool:
    """Whether a part has the file's size and checksum, as far as they are known."""
    if file.size not in (0, part.stat().st_size):
        return False
    if len(file.checksum) == _SHA256_LENGTH:
        return sha256_of(part) == file.checksum
    return not file.checksum or git_hash(part.read_bytes()) == file.checksum


def _read_file(sibling: huggingface_hub.hf_api.RepoSibling) -> HubFile:
    # The blob of a large file is only a pointer to it.
    large = sibling.lfs
    size, checksum = (large.size, large.sha256) if large else (sibling.size, sibling.blob_id)
    return HubFile(str(sibling.rfilename), size if isinstance(size, int) else 0, _checksum(checksum))


def _checksum(text: object) -> str:
    return text if isinstance(text, str) and _CHECKSUM.fullmatch(text) else ""


_STAGING = ".incomplete"
_WORDS = ("README.md", "LICENSE")
_ONNX_DATA = ("_data", ".data")
"""A large network keeps its weights in a file beside it, named like this."""
_TRIAL = "The quick brown fox."


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """The model to install.

    Attributes:
        what: a folder here, or a model's name at the hub.
        revision: a branch, tag or commit at the hub.
        onnx: the network's path in the model; empty for the usual ones.
        name: the name under which it is installed; empty for its own.
    """

    what: str
    revision: str = "main"
    onnx: str = ""
    name: str = ""


def install(
    wish: InstallRequest, library: ModelRegistry, hub_url: str, tell: Tell, delay: float = 1.0
) -> InstalledModel:
    """Install a model; one of the same name is replaced once the new one is complete and has made a vector.

    Args:
        wish: the model to install.
        library: the registry that it is added to.
        hub_url: the address of the hub; empty for the usual one.
        tell: called with the progress of each file.
        delay: seconds before a failed request is repeated.

    Raises:
        EmbeddingError: it cannot be fetched, written or used. Fetched files stay for the next attempt.
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


def _install_folder(wish: InstallRequest, folder: Path, library: ModelRegistry) -> InstalledModel:
    files = find_model_files(folder, wish.onnx)
    onnx = files.onnx.relative_to(folder).as_posix()
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
    version = sha256_of(files.onnx)[:12]
    return _finish(staging, library, name, version, onnx, ModelSource(name=str(folder.resolve())))


def _install_from(hub: Hub, wish: InstallRequest, library: ModelRegistry, tell: Tell) -> InstalledModel:
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
    source = ModelSource(name=wish.what, url=f"{hub.base_url}/{wish.what}/tree/{listing.commit}")
    return _finish(staging, library, name, listing.commit, onnx, source)


def _network(wish: InstallRequest, listing: HubListing) -> str:
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
    """The files of a model that are installed."""
    needed = (onnx, *(onnx + ending for ending in _ONNX_DATA), TOKENIZER, *SETTINGS, *_WORDS)
    return [path for path in needed if path in there]


def _finish(
    staging: Path, library: ModelRegistry, name: str, version: str, onnx: str, source: ModelSource
) -> InstalledModel:
    """Load a complete model as a trial, write its manifest, and move it to its place."""
    try:
        # Loading it says at once what is wrong with it, before it takes the place of another.
        embedder = OnnxEmbedder.load(staging, name, onnx=onnx)
        embedder.embed([_TRIAL])
        there = [path.relative_to(staging).as_posix() for path in staging.rglob("*") if path.is_file()]
        entry = ModelEntry(
            id=name,
            version=version,
            folder=".",
            dimensions=embedder.dimensions,
            max_tokens=find_model_files(staging, onnx).max_tokens,
            onnx=onnx,
            files=tuple(describe_file(staging, path) for path in _needed(onnx, there)),
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
    return InstalledModel(name, target, entry)


def _put_in_place(staging: Path, target: Path) -> None:
    replaced = staging.with_name(f"{target.name}.replaced")
    shutil.rmtree(replaced, ignore_errors=True)
    if target.exists():
        target.rename(replaced)
    staging.rename(target)
    shutil.rmtree(replaced, ignore_errors=True)


def _already_there(library: ModelRegistry, name: str, commit: str, onnx: str) -> InstalledModel | None:
    for model in library.models():
        entry = model.entry
        if entry and model.name == name and (entry.version, entry.onnx) == (commit, onnx):
            return model if all(state is FileState.GOOD for _, state in model.check()) else None
    return None


def _refuse_taken(name: str, library: ModelRegistry) -> None:
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


def _staging(library: ModelRegistry, name: str, version: str) -> Path:
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
