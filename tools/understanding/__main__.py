"""`python -m tools.understanding`: train the tagger and write it beside the embedder's files.

Needs torch, onnx, onnxruntime, tokenizers, numpy and PyYAML, and the corpora that `tools/embedding` also
reads. About five minutes on one core. The manifest lists the file with its checksum.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random

from tools.understanding.examples import draw, explicit_examples, sentence_examples, template_examples
from tools.understanding.figures import print_figures
from tools.understanding.manifest import list_file
from tools.understanding.network import Encoder, hidden_name, train, write

_LIMITS = {"massive-en": 5000, "massive-zh": 4000, "clinc": 4000}
FILE = "tagger.onnx"


def main() -> None:
    """Train, write, and print the figures on sentences held out of the training."""
    parser = argparse.ArgumentParser(prog="python -m tools.understanding", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder with manifest.toml")
    parser.add_argument("--model", default="minilm-l6-en-zh", help="the embedder whose encoder is used")
    parser.add_argument("--copies", type=int, default=60, help="how often each template is filled")
    parser.add_argument("--sentence-copies", type=int, default=20, help="how often each sentence is taken")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--figures", action="store_true", help="only measure the tagger that is there")
    options = parser.parse_args()
    folder = options.models / options.model
    if not options.figures:
        random = Random(options.seed)
        examples = template_examples(options.copies, random)
        examples += sentence_examples(options.sentence_copies, random)
        examples += draw(explicit_examples(options.data, held_out=False), _LIMITS, random)
        random.shuffle(examples)
        print(
            f"{len(examples)} examples, {sum(example.needs for example in examples)} depend on the user",
            flush=True,
        )
        head = train(examples, Encoder(folder), options.epochs, options.seed)
        write(head, folder / FILE, hidden_name(folder))
        list_file(options.models / "manifest.toml", options.model, FILE)
    print_figures(folder, options.data)


main()
