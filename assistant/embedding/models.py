"""Which embedding models there are: the bundled one and those installed beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import platformdirs

from assistant.embedding.embedder import Embedder
from assistant.embedding.errors import EmbeddingError
from assistant.embedding.late import LateEmbedder
from assistant.embedding.manifest import MANIFEST, FileEntry, FileState, ModelEntry, checked, read_manifest
from assistant.i18n import _
from assistant.settings.schema import EmbeddingSettings

_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Model:
    """A model on this machine.

    Attributes:
        name: by which settings and commands choose it.
        folder: where its files are.
        entry: what its manifest says; None for a folder without one.
        bundled: whether it came with the program.
        problem: what is wrong with its manifest, in words; empty for nothing.
    """

    name: str
    folder: Path
    entry: ModelEntry | None
    bundled: bool = False
    problem: str = ""

    def load(self) -> Embedder:
        """Read it into memory.

        Raises:
            EmbeddingError: it cannot be used; a file that is cut off is named.
        """
        if self.problem:
            raise EmbeddingError(f"{self.problem} {self._mend()}")
        if self.entry is None:
            return Embedder.load(self.folder)
        for file in self.entry.files:
            path = self.folder / file.path
            if not path.is_file() or path.stat().st_size != file.bytes:
                raise EmbeddingError(
                    _("The model {name} is damaged: {file}. {mend}").format(
                        name=self.name, file=path, mend=self._mend()
                    )
                )
        return Embedder.load(
            self.folder, self.entry.model_id, onnx=self.entry.onnx, max_tokens=self.entry.max_tokens
        )

    def check(self) -> list[tuple[FileEntry, FileState]]:
        """Compare each file with its checksum; nothing without a manifest.

        Raises:
            EmbeddingError: a file cannot be read, or the manifest is damaged.
        """
        if self.problem:
            raise EmbeddingError(f"{self.problem} {self._mend()}")
        files = self.entry.files if self.entry else ()
        return [(file, checked(self.folder, file)) for file in files]

    def _mend(self) -> str:
        if self.bundled:
            return _("Install the program again.")
        return _("Install it again with: assistant models install {name}").format(name=self.name)


class Library:
    """The bundled models, and the installed ones, each in a folder of its own with a manifest.

    Args:
        bundled: the folder that came with the program.
        installed: the folder that `assistant models install` writes to; need not be there.
    """

    def __init__(self, bundled: Path | None = None, installed: Path | None = None) -> None:
        self._bundled = bundled or bundled_folder()
        self.installed = installed or installed_folder()

    def models(self) -> list[Model]:
        """All models, the bundled ones first.

        Raises:
            EmbeddingError: the manifest of the bundled ones cannot be read.
        """
        found: list[Model] = []
        if (self._bundled / MANIFEST).is_file():
            found = [
                Model(entry.id, self._bundled / (entry.folder or entry.id), entry, bundled=True)
                for entry in read_manifest(self._bundled / MANIFEST).models
            ]
        for file in sorted(self.installed.glob(f"*/{MANIFEST}")):
            try:
                found.extend(Model(entry.id, file.parent, entry) for entry in read_manifest(file).models)
            except EmbeddingError as error:
                found.append(Model(file.parent.name, file.parent, None, problem=str(error)))
        return found

    def find(self, name: str = "") -> Model:
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
            return Model(folder.resolve().name, folder, None)
        known = ", ".join(model.name for model in models) or "none"
        raise EmbeddingError(
            _(
                "There is no embedding model “{name}”. Installed: {known}. Install one with: "
                "assistant models install NAME"
            ).format(name=name, known=known)
        )

    def of_vectors(self, model_id: str) -> Model | None:
        """The model that made vectors of some id, if it is still there.

        Raises:
            EmbeddingError: a manifest cannot be read.
        """
        for model in self.models():
            if model.entry is not None and model.entry.model_id == model_id:
                return model
        return None

    def load(self, settings: EmbeddingSettings) -> Embedder:
        """The embedder that the settings choose.

        Raises:
            EmbeddingError: it cannot be found or used.
        """
        return self.find(settings.model).load()

    def load_late(self, settings: EmbeddingSettings) -> LateEmbedder:
        """The same, loaded in the background from now on."""
        return LateEmbedder(lambda: self.load(settings))


def bundled_folder() -> Path:
    """`models/` of a checkout, else the folder that travels inside the wheel."""
    checkout = _PACKAGE.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / "models").is_dir():
        return checkout / "models"
    return _PACKAGE / "_models"


def installed_folder() -> Path:
    """Where installed models are kept: below the platform's data folder."""
    return platformdirs.user_data_path("assistant") / "models"
