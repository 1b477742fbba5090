"""Command line of the training program."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import time
from pathlib import Path

import torch

from assistant.bench.corpora import data_folder
from tools.embedding.base import Base, fetch_base
from tools.embedding.build import TOKENIZER, Built, Recipe, build
from tools.embedding.corpora import Corpora, read_corpora
from tools.embedding.export import export
from tools.embedding.judge import judged, latency, onnx_embed, table, torch_embed
from tools.embedding.manifest import MODEL_ID, ONNX, sources, write_manifest, write_notice

_LICENCE = Path(__file__).parents[2] / "LICENSE"
_SOME_PAIRS = 200


def main() -> int:
    """Build the model, or judge one that is built."""
    chosen = _arguments()
    corpora = read_corpora(chosen.data, selection=chosen.selection)
    folder = chosen.out / MODEL_ID
    if chosen.evaluate:
        embed = onnx_embed(folder)
        print(table({"int8": judged(embed, corpora)}))
        _tell_latency(folder, corpora)
        return 0
    base = fetch_base(chosen.work / "base")
    recipe = Recipe(seed=chosen.seed, short=not chosen.float32, threads=chosen.threads)
    start = time.monotonic()
    built = build(
        base, corpora, chosen.work, recipe, lambda line: _tell(f"{time.monotonic() - start:.0f} s  {line}")
    )
    if chosen.selection:
        _print_trained(built, base, corpora)
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    export(built.encoder, folder / ONNX, built.tokenize(_some_sentences(corpora, chosen.seed)))
    shutil.copyfile(chosen.work / TOKENIZER, folder / TOKENIZER)
    shutil.copyfile(_LICENCE, folder / "LICENSE")
    made_of = sources(chosen.data)
    write_notice(folder, made_of)
    write_manifest(chosen.out, made_of, sorted(corpora.held_out), chosen.seed, chosen.threads)
    _tell(f"{folder} is written; judging it")
    _print_trained(built, base, corpora, folder)
    return 0


def _some_sentences(corpora: Corpora, seed: int) -> list[str]:
    """Sentences of the training in both languages, to see which activations are large."""
    pairs = random.Random(seed).sample(corpora.pairs, _SOME_PAIRS)
    return [text for pair in pairs for text in (pair.english, pair.chinese)]


def _print_trained(built: Built, base: Base, corpora: Corpora, folder: Path | None = None) -> None:
    """Figures before and after the second stage, and of the quantised file."""
    columns = {"tuned": judged(torch_embed(built.encoder, built.tokenize), corpora)}
    built.encoder.load_state_dict(built.before)
    columns = {"before": judged(torch_embed(built.encoder, built.tokenize), corpora)} | columns
    if folder is not None:
        columns["int8"] = judged(onnx_embed(folder), corpora)
    print(table(columns))
    if folder is not None:
        _tell_latency(folder, corpora)


def _tell_latency(folder: Path, corpora: Corpora) -> None:
    sentences = [text for one in corpora.test if one.chinese for text in (one.english, one.chinese)]
    wall, busy = latency(onnx_embed(folder), sentences)
    _tell(f"one sentence on one core: {wall:.2f} ms, {busy:.2f} ms of them computing")


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.embedding",
        description="Build the sentence embedder of models/ from MiniLM's weights and three public corpora.",
        epilog="Needs the extra: pip install -c constraints.txt -e '.[train]'. About 25 minutes on one core.",
    )
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder of the corpora")
    parser.add_argument("--out", type=Path, default=Path("models"), help="where the model's folder goes")
    parser.add_argument(
        "--work", type=Path, default=Path("build/embedding"), help="downloads and partial results"
    )
    parser.add_argument("--seed", type=int, default=Recipe().seed, help="of every draw")
    parser.add_argument("--threads", type=int, default=Recipe().threads, help="of torch; changes rounding")
    parser.add_argument("--float32", action="store_true", help="do not train in bfloat16")
    parser.add_argument(
        "--selection", action="store_true", help="judge settings on validation intents; write nothing"
    )
    parser.add_argument("--evaluate", action="store_true", help="judge the built model on the test sentences")
    return parser.parse_args()


if __name__ == "__main__":
    torch.manual_seed(0)
    sys.exit(main())
