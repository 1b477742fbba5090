"""Where the parts of a sentence-transformers ONNX folder are, and how its vectors are made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from assistant.embedding.errors import EmbeddingError
from assistant.i18n import _

ONNX_PLACES = ("model.onnx", "onnx/model.onnx")
"""Where the network is looked for, in this order."""
TOKENIZER = "tokenizer.json"
SETTINGS = ("modules.json", "1_Pooling/config.json", "sentence_bert_config.json", "config.json")
"""Files that say how vectors are made; each may be missing."""
_UNDERSTOOD = frozenset({"Transformer", "Pooling", "Normalize"})
_LONGEST = 512


class Pooling(StrEnum):
    """How the vectors of the tokens become one."""

    MEAN = "mean"
    CLS = "cls"


@dataclass(frozen=True, slots=True)
class Layout:
    """The parts of a model's folder.

    Attributes:
        onnx: the network.
        tokenizer: for the `tokenizers` library.
        pooling: used where the network gives vectors of tokens.
        max_tokens: a longer text is cut.
    """

    onnx: Path
    tokenizer: Path
    pooling: Pooling
    max_tokens: int


def read_layout(folder: Path, onnx: str = "") -> Layout:
    """Look through a model's folder.

    Args:
        folder: holds `tokenizer.json` and `model.onnx` or `onnx/model.onnx`.
        onnx: the network's path in the folder, where it is another one.

    Raises:
        EmbeddingError: a part is missing, or the model needs a step that is not done here.
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
    return Layout(network, tokenizer, _pooling(folder), _max_tokens(folder))


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
        found = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise EmbeddingError(
            _("{file} cannot be read: {reason}.").format(file=file, reason=error.strerror)
        ) from error
    except ValueError as error:
        raise EmbeddingError(
            _("{file} is not valid JSON: {error}.").format(file=file, error=error)
        ) from error
    if not isinstance(found, kind):
        raise EmbeddingError(_("{file} does not hold what a model's folder has there.").format(file=file))
    return found
