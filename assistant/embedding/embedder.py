"""A sentence embedder: a tokenizer, an ONNX network, and one unit vector for each text."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assistant.embedding.embeds import Vectors
from assistant.embedding.errors import EmbeddingError
from assistant.embedding.layout import Layout, Pooling, read_layout
from assistant.embedding.manifest import sha256_of
from assistant.i18n import _

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

_SENTENCE_OUTPUTS = ("embedding", "sentence_embedding")
"""Outputs of shape (texts, dimensions); others are of shape (texts, tokens, dimensions)."""
_TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
# No word of the languages known is longer on average, so what is cut off here no token would come from.
_CHARACTERS_PER_TOKEN = 64
_FEW = 16


class Embedder:
    """Makes vectors with a network from a folder. May be used from several threads.

    Texts go through the network one by one: the scales of dynamic quantisation, and the last bits of any
    matrix product, depend on the batch, and the same text must give the same vector in any company.

    Args:
        session: the network.
        tokenizer: neither pads nor truncates beyond the network's longest input.
        layout: how vectors are made of the network's output.
        model_id: names the vectors.
        workers: threads that share the texts of one call.
    """

    def __init__(
        self, session: InferenceSession, tokenizer: Tokenizer, layout: Layout, model_id: str, workers: int = 2
    ) -> None:
        self.model_id = model_id
        self._session = session
        self._tokenizer = tokenizer
        self._pooling = layout.pooling
        self._longest_text = layout.max_tokens * _CHARACTERS_PER_TOKEN
        self._workers = workers
        self._inputs = frozenset(one.name for one in session.get_inputs())
        self._output = _chosen_output([one.name for one in session.get_outputs()])
        if not {"input_ids"} <= self._inputs <= _INPUTS:
            raise EmbeddingError(
                _(
                    "The model in {folder} wants inputs that are not known here: {names}. Choose another."
                ).format(
                    folder=layout.onnx.parent,
                    names=", ".join(sorted(self._inputs - _INPUTS)) or "no input_ids",
                )
            )
        self.dimensions = len(self._raw([0]))

    @classmethod
    def load(
        cls, folder: Path, model_id: str = "", *, onnx: str = "", max_tokens: int = 0, threads: int = 1
    ) -> Embedder:
        """Load a model: the bundled one, or a sentence-transformers folder in ONNX form.

        Args:
            folder: holds the network, `tokenizer.json`, and the settings of sentence-transformers, if any.
            model_id: names the vectors; by default the folder's name and the start of the files' checksum.
            onnx: the network's path in the folder, where it is not one of the usual.
            max_tokens: a longer text is cut; 0 for what the folder's settings say.
            threads: that one product of the network is shared among.

        Raises:
            EmbeddingError: the folder holds no model that can be used.
        """
        layout = read_layout(folder, onnx)
        if max_tokens:
            layout = Layout(layout.onnx, layout.tokenizer, layout.pooling, max_tokens)
        session = _open_session(layout.onnx, threads)
        return cls(session, _open_tokenizer(layout), layout, model_id or _made_up_id(folder, layout))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of some texts, in order; a text without a single token has zeros."""
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        if len(texts) < _FEW or self._workers < 2:
            for place, text in enumerate(texts):
                vectors[place] = self._one(text)
            return vectors
        with ThreadPoolExecutor(self._workers, thread_name_prefix="embed") as pool:
            for place, vector in enumerate(pool.map(self._one, texts)):
                vectors[place] = vector
        return vectors

    def _one(self, text: str) -> NDArray[np.float32]:
        # Half of a surrogate pair is no character that the tokenizer takes.
        plain = text[: self._longest_text].encode("utf-8", "replace").decode("utf-8")
        ids = self._tokenizer.encode(plain).ids
        if not ids:
            return np.zeros(self.dimensions, np.float32)
        raw = self._raw(ids)
        length = float(np.linalg.norm(raw))
        return raw / np.float32(length) if length else raw

    def _raw(self, ids: list[int]) -> NDArray[np.float32]:
        """One text's vector as the network gives it."""
        tokens = np.array([ids], np.int64)
        made = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        try:
            (output,) = self._session.run([self._output], {name: made[name] for name in self._inputs})
        except _network_failures() as error:
            raise EmbeddingError(
                _("The model {model_id} cannot be run: {reason}").format(
                    model_id=self.model_id, reason=_first_line(error)
                )
            ) from error
        found: NDArray[np.float32] = np.asarray(output, np.float32)[0]
        if found.ndim == 1:
            return found
        pooled: NDArray[np.float32] = found[0] if self._pooling is Pooling.CLS else found.mean(axis=0)
        return pooled


def _chosen_output(names: Sequence[str]) -> str:
    for name in (*_SENTENCE_OUTPUTS, *_TOKEN_OUTPUTS):
        if name in names:
            return name
    raise EmbeddingError(
        _("The model gives no vectors of sentences or tokens, only {names}.").format(names=", ".join(names))
    )


def _open_session(onnx: Path, threads: int) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Waiting threads sleep instead of keeping a core busy.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(str(onnx), options, providers=["CPUExecutionProvider"])
    except _network_failures() as error:
        raise EmbeddingError(
            _("{file} is not a network that can be run: {reason}").format(
                file=onnx, reason=_first_line(error)
            )
        ) from error


def _network_failures() -> tuple[type[Exception], ...]:
    """The runtime's exceptions, which have no base of their own."""
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


def _open_tokenizer(layout: Layout) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(layout.tokenizer.read_bytes())
    except OSError as error:
        raise EmbeddingError(
            _("{file} cannot be read: {reason}.").format(file=layout.tokenizer, reason=error.strerror)
        ) from error
    except ValueError as error:
        raise EmbeddingError(
            _("{file} is not a tokenizer: {reason}").format(file=layout.tokenizer, reason=_first_line(error))
        ) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(layout.max_tokens)
    return tokenizer


def _made_up_id(folder: Path, layout: Layout) -> str:
    """An id for a folder without a manifest."""
    digest = sha256_of(layout.onnx)[:8] + sha256_of(layout.tokenizer)[:4]
    return f"{folder.resolve().name}+{digest}"


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:300]
