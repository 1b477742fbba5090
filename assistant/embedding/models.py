"""The embedding models on this machine: their registry, and the small networks that read their vectors.

`ModelRegistry` lists the bundled model and those installed beside it, and loads them. `read_manifest` and
`check_file` read `manifest.toml`, which lists a model's files with their checksums, and what the model was
made of, with licences.

On top of a model's encoder run small networks, which read the vectors of a command's tokens. The tagger finds
what of a command depends on the user. The matcher says how well the instructions of a habit fit a command,
which may share no word with them: "eggs are in" comes near "Mark the egg delivery as received". It was
trained on pairs of a command and a habit, and also says how little a command sounds like any habit.
"""

from __future__ import annotations

import tomllib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any, Protocol

import numpy as np
import platformdirs
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from assistant.embedding.embedder import (
    EmbeddingError,
    LazyEmbedder,
    OnnxEmbedder,
    open_session,
    sha256_of,
)
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


KINDS = ("person", "group", "place", "fact", "habit", "past", "time", "thing")
LABELS = ("O", *(f"{prefix}-{kind}" for kind in KINDS for prefix in "BI"))
"""Labels of a token (BIO scheme): outside, beginning or inside of a span of a kind."""


@dataclass(frozen=True, slots=True)
class TaggedSpan:
    """A span that depends on the user: `text[start:end]`, its kind, and the kind's probability, 0..1."""

    start: int
    end: int
    kind: str
    probability: float


@dataclass(frozen=True, slots=True)
class Tagging:
    """The tagger's output for a command.

    Attributes:
        needs_memory: the probability, 0..1, that the command depends on the user, as words in it say.
        leaves_open: that it asks for a kind of thing without saying which ("order lunch").
        spans: what depends on the user.
        depends: that it depends on the user in whatever words; None where that is `needs_memory`.
    """

    needs_memory: float
    leaves_open: float
    spans: tuple[TaggedSpan, ...]
    depends: float | None = None

    @property
    def openness(self) -> float:
        """The probability that the command depends on the user or leaves open what it wants."""
        return max(self.leaves_open, self.needs_memory if self.depends is None else self.depends)


class Network(Protocol):
    """A trained network, such as a session of ONNX Runtime."""

    def run(self, output_names: list[str], input_feed: dict[str, NDArray[np.float32]], /) -> Sequence[Any]:
        """The outputs in the order of their names."""


class TokenEncoder(Protocol):
    """Gives the rows of an encoder's inner tensors for the tokens of a text."""

    def tensor_of(
        self, text: str, tensor: str, /, *, alone: bool = False
    ) -> tuple[NDArray[np.float32], Sequence[tuple[int, int]]]:
        """One row for each token, and its offsets in the text; `alone` if no more will be asked of it.

        Raises:
            EmbeddingError: the network cannot be run.
        """


class Tagger:
    """Tags commands. May be used from several threads.

    Args:
        session: the network: input `tokens`, outputs `labels`, `gate` and `openness`.
        encoder: gives the vectors of the tokens.
        tensor: the encoder's tensor that has them.
    """

    def __init__(self, session: Network, encoder: TokenEncoder, tensor: str) -> None:
        self._session = session
        self._encoder = encoder
        self._tensor = tensor

    def __call__(self, text: str) -> Tagging:
        """What depends on the user in a command.

        Raises:
            EmbeddingError: the encoder cannot be run.
        """
        rows, offsets = self._encoder.tensor_of(text, self._tensor)
        if not len(rows):
            return Tagging(0.0, 0.0, ())
        outputs = ["labels", "gate", "openness"]
        labels, gate, openness = self._session.run(outputs, {"tokens": rows[None]})
        spans = _spans(np.asarray(labels)[0], offsets, text)
        return Tagging(float(gate[0, 0]), float(openness[0, 1]), spans, float(openness[0, 0]))


class LazyTagger:
    """A tagger that is loaded when it is first needed; returns None if it cannot be loaded.

    Args:
        load: returns the tagger, or None if there is none; raises EmbeddingError if it cannot be loaded.
        warn: called once with a sentence that says why there is no tagger.
    """

    def __init__(
        self, load: Callable[[], Tagger | None], warn: Callable[[str], None] = lambda sentence: None
    ) -> None:
        self._load = load
        self._warn = warn
        self._tagger: Tagger | None = None
        self._is_loaded = False
        self._lock = Lock()

    def load(self) -> None:
        """Load it, so that the first command need not wait. Call it in a thread."""
        with self._lock:
            if self._is_loaded:
                return
            self._is_loaded = True
            try:
                self._tagger = self._load()
            except EmbeddingError as error:
                self._warn(str(error))

    def __call__(self, text: str) -> Tagging | None:
        """What depends on the user in a command; None without a tagger. Call it in a thread."""
        self.load()
        try:
            return self._tagger(text) if self._tagger is not None else None
        except EmbeddingError as error:
            self._warn(str(error))
            return None


def _spans(
    labels: NDArray[np.float32], offsets: Sequence[tuple[int, int]], text: str
) -> tuple[TaggedSpan, ...]:
    """The runs of tokens of one kind, extended to whole words."""
    spans: list[tuple[int, int, str, list[float]]] = []
    for (start, end), row in zip(offsets, labels, strict=True):
        label = LABELS[int(np.argmax(row))]
        if end <= start or label == "O":
            continue
        prefix, _, kind = label.partition("-")
        previous = spans[-1] if spans else None
        adjoins = previous is not None and not text[previous[1] : start].strip()
        inside_word = adjoins and previous is not None and previous[1] == start and text[start:end].isascii()
        if previous is not None and adjoins and (inside_word or (prefix == "I" and kind == previous[2])):
            spans[-1] = (previous[0], end, previous[2], [*previous[3], float(row.max())])
        else:
            spans.append((start, end, kind, [float(row.max())]))
    return tuple(
        TaggedSpan(*_whole_words(text, start, end), kind, min(probabilities))
        for start, end, kind, probabilities in spans
    )


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and _is_letter(text[start - 1]) and _is_letter(text[start]):
        start -= 1
    while end < len(text) and _is_letter(text[end - 1]) and _is_letter(text[end]):
        end += 1
    return start, end


def _is_letter(character: str) -> bool:
    """A letter of a script that puts spaces between its words."""
    return character.isalpha() and ord(character) < 0x2E80


_MOST_TEXTS = 5_000
"""Number of texts whose vectors are kept: the instructions of all habits are compared with each command."""
_BEST_SHARE = 0.7
"""How much the best of several instructions of a habit counts; the rest is their mean."""


class HabitMatcher(Protocol):
    """Says how well habits fit a command."""

    def match(self, command: str, habits: Sequence[Sequence[str]]) -> Matches:
        """How well each habit fits, given some of its instructions.

        Raises:
            EmbeddingError: the network cannot be run.
        """


@dataclass(frozen=True, slots=True)
class Matches:
    """How well habits fit a command.

    Attributes:
        fits: for each habit the cosine of the command and its instructions, -1..1.
        none: how little the command sounds like any habit, as a logit.
    """

    fits: tuple[float, ...]
    none: float


class Matcher:
    """The trained `HabitMatcher`. May be used from several threads.

    Args:
        session: the network: input `words`, outputs `vector` and `none`.
        encoder: gives the word vectors.
        tensor: the encoder's tensor that has them.
    """

    def __init__(self, session: Network, encoder: TokenEncoder, tensor: str) -> None:
        self._session = session
        self._encoder = encoder
        self._tensor = tensor
        self._encoded: OrderedDict[str, tuple[NDArray[np.float32], float]] = OrderedDict()
        self._lock = Lock()

    def match(self, command: str, habits: Sequence[Sequence[str]]) -> Matches:
        """See `HabitMatcher`."""
        vector, none = self._encode(command)
        fits = []
        for instructions in habits:
            cosines = [float(self._encode(text)[0] @ vector) for text in dict.fromkeys(instructions)]
            mean = sum(cosines) / max(len(cosines), 1)
            fits.append(_BEST_SHARE * max(cosines, default=0.0) + (1 - _BEST_SHARE) * mean)
        return Matches(tuple(fits), none)

    def _encode(self, text: str) -> tuple[NDArray[np.float32], float]:
        with self._lock:
            if text in self._encoded:
                self._encoded.move_to_end(text)
                return self._encoded[text]
        encoded = self._run(text)
        with self._lock:
            self._encoded[text] = encoded
            if len(self._encoded) > _MOST_TEXTS:
                self._encoded.popitem(last=False)
        return encoded

    def _run(self, text: str) -> tuple[NDArray[np.float32], float]:
        rows, _ = self._encoder.tensor_of(text, self._tensor, alone=True)
        if not len(rows):
            return np.zeros(rows.shape[1], np.float32), 0.0
        vector, none = self._session.run(["vector", "none"], {"words": rows[None]})
        return np.asarray(vector[0], np.float32), float(none[0, 0])
