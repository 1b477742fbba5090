"""Sentence embedding: from a folder of model files to one unit vector for each text.

`Embedder` is what the program asks for; `OnnxEmbedder` implements it with a tokenizer and an ONNX network.
`LazyEmbedder` loads one in a thread while the program starts; `CachedEmbedder` embeds each text only once,
because people repeat commands. `find_model_files` reads the parts of a model's folder and how vectors are
pooled.

Further networks read an inner tensor of the encoder (see `models`), but the encoder's file has
only the sentence vector as its output. So `declared_output` adds tensors in memory: the file must not change,
its checksum names all stored vectors.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.i18n import _

# For start-up time: the functions below import these libraries when a model is loaded.
if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer


Vectors = NDArray[np.float32]
"""Unit rows, one for each text: shape (texts, dimensions)."""


class Embedder(Protocol):
    """Turns sentences into vectors whose dot product is their cosine."""

    @property
    def model_id(self) -> str:
        """Names the model and its version; vectors of different ids are not comparable."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of some texts, in order. The same text gives the same vector in any company."""


class EmbeddingError(Exception):
    """A model that cannot be found, read, fetched or used; the message says why and what to do."""


class LazyEmbedder:
    """An embedder that is loaded in a thread from its creation on. Methods wait until it is loaded.

    Args:
        load: returns the embedder, or raises EmbeddingError.
    """

    def __init__(self, load: Callable[[], Embedder]) -> None:
        pool = ThreadPoolExecutor(1, thread_name_prefix="embedder")
        self._loading = pool.submit(load)
        pool.shutdown(wait=False)

    @property
    def done(self) -> bool:
        """Whether loading has ended, well or not."""
        return self._loading.done()

    @property
    def problem(self) -> str:
        """Why the embedder could not be loaded; empty while it loads, and if it is loaded."""
        failure = self._loading.exception() if self._loading.done() else None
        return str(failure) if failure else ""

    async def ready(self) -> Embedder:
        """Wait for the embedder without blocking the event loop.

        Raises:
            EmbeddingError: it cannot be loaded.
        """
        return await asyncio.shield(asyncio.wrap_future(self._loading))

    @property
    def model_id(self) -> str:
        """See `Embedder`; waits for the model."""
        return self._loaded().model_id

    @property
    def dimensions(self) -> int:
        """See `Embedder`; waits for the model."""
        return self._loaded().dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`; waits for the model, so an event loop calls it in a thread.

        Raises:
            EmbeddingError: the model cannot be loaded or run.
        """
        return self._loaded().embed(texts)

    def _loaded(self) -> Embedder:
        try:
            return self._loading.result()
        except EmbeddingError as error:
            # The same exception raised in several threads would gather all their tracebacks.
            raise EmbeddingError(str(error)) from error


class CachedEmbedder:
    """Caches vectors for as long as it lives.

    Args:
        embedder: makes the vectors.
        most: number of vectors above which all are dropped; None for no limit.
    """

    def __init__(self, embedder: Embedder, most: int | None = None) -> None:
        self._embedder = embedder
        self._most = most
        self._vectors: dict[str, Vectors] = {}

    @property
    def model_id(self) -> str:
        """See `Embedder`."""
        return self._embedder.model_id

    @property
    def dimensions(self) -> int:
        """See `Embedder`."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        vectors = self._vectors
        if missing := [text for text in dict.fromkeys(texts) if text not in vectors]:
            vectors |= dict(zip(missing, self._embedder.embed(missing), strict=True))
        if self._most is not None and len(vectors) > self._most:
            self._vectors = {}
        return np.stack([vectors[text] for text in texts])


ONNX_PLACES = ("model.onnx", "onnx/model.onnx")
"""Where the network is looked for, in this order."""
TOKENIZER = "tokenizer.json"
SETTINGS = ("modules.json", "1_Pooling/config.json", "sentence_bert_config.json", "config.json")
"""Files with the settings of a sentence-transformers model; each may be missing."""
_UNDERSTOOD = frozenset({"Transformer", "Pooling", "Normalize"})
_LONGEST = 512


class Pooling(StrEnum):
    """How the vectors of the tokens become one."""

    MEAN = "mean"
    CLS = "cls"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The parts of a model's folder.

    Attributes:
        onnx: the network.
        tokenizer: for the `tokenizers` library.
        pooling: used if the network's output is a vector for each token.
        max_tokens: a longer text is cut.
    """

    onnx: Path
    tokenizer: Path
    pooling: Pooling
    max_tokens: int


def find_model_files(folder: Path, onnx: str = "") -> ModelFiles:
    """Look through a model's folder.

    Args:
        folder: holds `tokenizer.json` and `model.onnx` or `onnx/model.onnx`.
        onnx: the network's path in the folder; empty for the usual ones.

    Raises:
        EmbeddingError: a part is missing, or the model has a module that is not supported.
    """
    if not folder.is_dir():
        raise EmbeddingError(_("There is no folder {folder}.").format(folder=folder))
    places = [folder / place for place in ([onnx] if onnx else ONNX_PLACES)]
    network = next((place for place in places if place.is_file()), None)
    if network is None:
        looked = " or ".join(str(place.relative_to(folder)) for place in places)
        raise EmbeddingError(
            _("{folder} is not a model in ONNX form: {file} is missing.").format(folder=folder, file=looked)
        )
    tokenizer = folder / TOKENIZER
    if not tokenizer.is_file():
        raise EmbeddingError(
            _("{folder} is not complete: {file} is missing.").format(folder=folder, file=TOKENIZER)
        )
    _refuse_unknown_steps(folder)
    return ModelFiles(network, tokenizer, _pooling(folder), _max_tokens(folder))


def _refuse_unknown_steps(folder: Path) -> None:
    """Modules look like `{"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}`."""
    for module in _read_json(folder / "modules.json", list) or []:
        kind = str(module.get("type", "") if isinstance(module, dict) else module).rpartition(".")[2]
        if kind not in _UNDERSTOOD:
            raise EmbeddingError(
                _("The model in {folder} has a step that is not known here: {kind}. Choose another.").format(
                    folder=folder, kind=kind
                )
            )


def _pooling(folder: Path) -> Pooling:
    config = _read_json(folder / "1_Pooling" / "config.json", dict)
    if config is None:
        return Pooling.MEAN
    modes = {
        name.removeprefix("pooling_mode_") for name, on in config.items() if on is True and "mode" in name
    }
    if modes <= {"mean_tokens"}:
        return Pooling.MEAN
    if modes == {"cls_token"}:
        return Pooling.CLS
    raise EmbeddingError(
        _(
            "The model in {folder} joins the vectors of its tokens in a way that is not "
            "known here: {ways}. Choose another."
        ).format(folder=folder, ways=", ".join(sorted(modes)))
    )


def _max_tokens(folder: Path) -> int:
    sentence = _read_json(folder / "sentence_bert_config.json", dict) or {}
    network = _read_json(folder / "config.json", dict) or {}
    lengths = (_length(sentence, "max_seq_length"), _length(network, "max_position_embeddings"), _LONGEST)
    return min(length for length in lengths if length)


def _length(config: Mapping[str, Any], name: str) -> int:
    value = config.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 2 else 0


def _read_json(file: Path, kind: type[Any]) -> Any:
    """What a JSON file holds; None where there is no such file.

    Raises:
        EmbeddingError: it cannot be read, or holds something of another kind.
    """
    if not file.is_file():
        return None
    try:
        content = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise EmbeddingError(
            _("{file} cannot be read: {reason}.").format(file=file, reason=error.strerror)
        ) from error
    except ValueError as error:
        raise EmbeddingError(
            _("{file} is not valid JSON: {error}.").format(file=file, error=error)
        ) from error
    if not isinstance(content, kind):
        raise EmbeddingError(_("{file} does not hold what a model's folder has there.").format(file=file))
    return content


_BLOCK = 1 << 20


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


_SENTENCE_OUTPUTS = ("embedding", "sentence_embedding")
"""Outputs of shape (texts, dimensions); others are of shape (texts, tokens, dimensions)."""
_TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
# Tokens are shorter on average in every known language: characters cut off by this would be truncated anyway.
_CHARACTERS_PER_TOKEN = 64
_FEW = 16


@dataclass(frozen=True, slots=True)
class _RecentText:
    """What the network gave for one text; a command is tagged, embedded and matched one after the other."""

    text: str
    tensors: Mapping[str, NDArray[np.float32]]
    offsets: list[tuple[int, int]]
    vector: NDArray[np.float32]


class OnnxEmbedder:
    """Makes vectors with a network from a folder. May be used from several threads.

    Texts go through the network one by one: the scales of dynamic quantisation, and the last bits of any
    matrix product, depend on the batch, and the same text must give the same vector in any company.

    Args:
        session: the network.
        tokenizer: neither pads nor truncates beyond the network's longest input.
        files: how vectors are made of the network's output.
        model_id: names the vectors.
        workers: threads that share the texts of one call.
        inner_tensors: inner tensors of the network that are among its outputs, with a row for each token.
    """

    def __init__(
        self,
        session: InferenceSession,
        tokenizer: Tokenizer,
        files: ModelFiles,
        model_id: str,
        workers: int = 2,
        inner_tensors: Sequence[str] = (),
    ) -> None:
        self.model_id = model_id
        self._inner_tensors = frozenset(inner_tensors)
        self._session = session
        self._tokenizer = tokenizer
        self._pooling = files.pooling
        self._longest_text = files.max_tokens * _CHARACTERS_PER_TOKEN
        self._workers = workers
        self._inputs = frozenset(model_input.name for model_input in session.get_inputs())
        self._output = _chosen_output([model_output.name for model_output in session.get_outputs()])
        if not {"input_ids"} <= self._inputs <= _INPUTS:
            raise EmbeddingError(
                _(
                    "The model in {folder} wants inputs that are not known here: {names}. Choose another."
                ).format(
                    folder=files.onnx.parent,
                    names=", ".join(sorted(self._inputs - _INPUTS)) or "no input_ids",
                )
            )
        self._recent: _RecentText | None = None
        self.dimensions = len(self._unit(self._run((self._output,), [0])[0]))

    @classmethod
    def load(
        cls,
        folder: Path,
        model_id: str = "",
        *,
        onnx: str = "",
        max_tokens: int = 0,
        threads: int = 1,
        inner_tensors: Sequence[str] = (),
    ) -> OnnxEmbedder:
        """Load a model: the bundled one, or a sentence-transformers folder in ONNX form.

        Args:
            folder: holds the network, `tokenizer.json`, and the settings of sentence-transformers, if any.
            model_id: names the vectors; by default the folder's name and the start of the files' checksum.
            onnx: the network's path in the folder, where it is not one of the usual.
            max_tokens: a longer text is cut; 0 for what the folder's settings say.
            threads: number of threads for one matrix product.
            inner_tensors: inner tensors of the network that `tensor_of` shall return.

        Raises:
            EmbeddingError: the folder holds no model that can be used.
        """
        files = find_model_files(folder, onnx)
        if max_tokens:
            files = ModelFiles(files.onnx, files.tokenizer, files.pooling, max_tokens)
        session = open_session(files.onnx, threads, inner_tensors)
        name = model_id or _made_up_id(folder, files)
        return cls(session, _open_tokenizer(files), files, name, inner_tensors=inner_tensors)

    def tensor_of(
        self, text: str, tensor: str, *, alone: bool = False
    ) -> tuple[NDArray[np.float32], list[tuple[int, int]]]:
        """One row of an inner tensor for each token of a text, and the tokens' offsets.

        Nothing if the text has no token, or the network no such output.

        Args:
            text: the text.
            tensor: the name of the tensor.
            alone: whether no more of the text will be asked for, such as its vector.

        Raises:
            EmbeddingError: the network cannot be run.
        """
        recent = self._recent
        if recent is not None and recent.text == text and tensor in recent.tensors:
            return recent.tensors[tensor], recent.offsets
        encoding = self._tokenizer.encode(self._encodable(text))
        if not encoding.ids or tensor not in self._inner_tensors:
            return np.zeros((0, self.dimensions), np.float32), []
        if alone:
            return self._run((tensor,), encoding.ids)[0], encoding.offsets
        *rows, raw = self._run((*self._inner_tensors, self._output), encoding.ids)
        tensors = dict(zip(self._inner_tensors, rows, strict=True))
        self._recent = _RecentText(text, tensors, encoding.offsets, self._unit(raw))
        return tensors[tensor], encoding.offsets

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of some texts, in order; a text without a single token has zeros."""
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        if len(texts) < _FEW or self._workers < 2:
            for place, text in enumerate(texts):
                vectors[place] = self._embed_text(text)
            return vectors
        with ThreadPoolExecutor(self._workers, thread_name_prefix="embed") as pool:
            for place, vector in enumerate(pool.map(self._embed_text, texts)):
                vectors[place] = vector
        return vectors

    def _embed_text(self, text: str) -> NDArray[np.float32]:
        recent = self._recent
        if recent is not None and recent.text == text:
            return recent.vector
        ids = self._tokenizer.encode(self._encodable(text)).ids
        if not ids:
            return np.zeros(self.dimensions, np.float32)
        return self._unit(self._run((self._output,), ids)[0])

    def _encodable(self, text: str) -> str:
        # Half of a surrogate pair is no character that the tokenizer takes.
        return text[: self._longest_text].encode("utf-8", "replace").decode("utf-8")

    def _unit(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """One text's vector of length 1, of what the network gives: a vector, or one for each token."""
        raw = vectors
        if vectors.ndim > 1:
            raw = vectors[0] if self._pooling is Pooling.CLS else vectors.mean(axis=0)
        length = float(np.linalg.norm(raw))
        return raw / np.float32(length) if length else raw

    def _run(self, tensors: Sequence[str], ids: list[int]) -> list[NDArray[np.float32]]:
        """Some outputs of the network for one text."""
        tokens = np.array([ids], np.int64)
        inputs = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        try:
            outputs = self._session.run(list(tensors), {name: inputs[name] for name in self._inputs})
        except _network_failures() as error:
            raise EmbeddingError(
                _("The model {model_id} cannot be run: {reason}").format(
                    model_id=self.model_id, reason=_first_line(error)
                )
            ) from error
        return [np.asarray(output, np.float32)[0] for output in outputs]


def _chosen_output(names: Sequence[str]) -> str:
    for name in (*_SENTENCE_OUTPUTS, *_TOKEN_OUTPUTS):
        if name in names:
            return name
    raise EmbeddingError(
        _("The model gives no vectors of sentences or tokens, only {names}.").format(names=", ".join(names))
    )


def open_session(onnx: Path, threads: int = 1, inner_tensors: Sequence[str] = ()) -> InferenceSession:
    """Open a network, with some of its inner tensors as further outputs.

    The library's own telemetry is switched off before it is imported; it reads the variable only then.

    Raises:
        EmbeddingError: the file is no network that can be run.
    """
    # For start-up time: the program starts while the model is loaded in a thread.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Waiting threads sleep instead of keeping a core busy.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4
    try:
        model: bytes | str = str(onnx)
        if inner_tensors:
            model = onnx.read_bytes() + b"".join(map(declared_output, inner_tensors))
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except _network_failures() as error:
        raise EmbeddingError(
            _("{file} is not a network that can be run: {reason}").format(
                file=onnx, reason=_first_line(error)
            )
        ) from error


def _network_failures() -> tuple[type[Exception], ...]:
    """The runtime's exceptions, which have no base of their own."""
    # For start-up time: the program starts while the model is loaded in a thread.
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return (
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.InvalidProtobuf,
        state.NoModel,
        state.NoSuchFile,
        state.NotImplemented,
        state.RuntimeException,
    )


def _open_tokenizer(files: ModelFiles) -> Tokenizer:
    # For start-up time: the program starts while the model is loaded in a thread.
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(files.tokenizer.read_bytes())
    except OSError as error:
        raise EmbeddingError(
            _("{file} cannot be read: {reason}.").format(file=files.tokenizer, reason=error.strerror)
        ) from error
    except ValueError as error:
        raise EmbeddingError(
            _("{file} is not a tokenizer: {reason}").format(file=files.tokenizer, reason=_first_line(error))
        ) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(files.max_tokens)
    return tokenizer


def _made_up_id(folder: Path, files: ModelFiles) -> str:
    """An id for a folder without a manifest."""
    digest = sha256_of(files.onnx)[:8] + sha256_of(files.tokenizer)[:4]
    return f"{folder.resolve().name}+{digest}"


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:300]


_GRAPH, _OUTPUT, _NAME = 7, 12, 1
"""Fields of ONNX's ModelProto, GraphProto and ValueInfoProto."""
_LONGEST_MESSAGE = 127


def declared_output(tensor: str) -> bytes:
    """What is appended to the bytes of an ONNX model to make one of its inner tensors a further output.

    Appending a message to a serialized one merges the two (Protocol Buffers, encoding, "last one wins"),
    and repeated fields, such as a graph's outputs, are joined.
    """
    name = tensor.encode()
    if len(name) > _LONGEST_MESSAGE - 4:
        raise ValueError(f"the name of the tensor {tensor} is too long")
    return _field(_GRAPH, _field(_OUTPUT, _field(_NAME, name)))


def _field(number: int, content: bytes) -> bytes:
    """A length-delimited field; both numbers are short enough for one byte each."""
    return bytes([number << 3 | 2, len(content)]) + content
