"""The tagger's networks on the embedder's frozen encoder: their training, and ONNX with 8-bit weights.

Two convolutions over the vectors of the tokens give each token a label (the beginning or the inside of a kind
of marked words, or none); their largest and mean outputs give the command two probabilities: that it depends
on the user, and that it leaves open what it wants. The gate is a second network of this form without labels,
so that it can learn from sentences in which nobody has marked words. Both are in one file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

from assistant.embedding.embedder import declared_output
from assistant.embedding.models import LABELS
from tools.understanding.examples import Example

_WIDTH = 224
_IGNORED = -100
_UNJUDGED = 0.3
"""How much a command of the corpora counts as one that says what it wants."""
_GATE = "open."
"""How the names of the gate's parts begin in the file."""


class Encoder:
    """The vectors of a command's tokens, one command at a time as the assistant computes them."""

    def __init__(self, folder: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        model = (folder / "model.onnx").read_bytes()
        self._session = onnxruntime.InferenceSession(
            model + declared_output(hidden_name(folder)), options, providers=["CPUExecutionProvider"]
        )
        self._output = hidden_name(folder)
        self._known: dict[tuple[int, ...], NDArray[np.float16]] = {}
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(128)

    def __call__(self, text: str) -> tuple[NDArray[np.float16], list[tuple[int, int]]]:
        """One row for each token, and where in the text each token lies."""
        encoding = self.tokenizer.encode(text)
        tokens = tuple(encoding.ids)
        if tokens not in self._known:
            ids = np.array([tokens], np.int64)
            inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            (rows,) = self._session.run([self._output], inputs)
            self._known[tokens] = rows[0].astype(np.float16)
        return self._known[tokens], encoding.offsets


def hidden_name(folder: Path) -> str:
    """The encoder's tensor with the vectors of the tokens: what its mean pooling takes."""
    graph = onnx.load(folder / "model.onnx", load_external_data=False).graph
    producers = {name: node for node in graph.node for name in node.output}
    node = producers[graph.output[0].name]
    seen = [node]
    while seen:
        node = seen.pop(0)
        if node.op_type in ("LayerNormalization", "SkipLayerNormalization"):
            return str(node.output[0])
        seen += [producers[name] for name in node.input if name in producers]
    raise ValueError("the encoder has no layer norm before its pooling")


class Head(torch.nn.Module):
    """Two convolutions; labels for tokens, and two logits for the command."""

    def __init__(self, dimensions: int, labels: int) -> None:
        super().__init__()
        self.first = torch.nn.Conv1d(dimensions, _WIDTH, 3, padding=1)
        self.second = torch.nn.Conv1d(_WIDTH, _WIDTH, 3, padding=2, dilation=2)
        self.labels = torch.nn.Linear(_WIDTH, labels)
        self.gate = torch.nn.Linear(2 * _WIDTH, 2)
        self.drop = torch.nn.Dropout(0.25)

    def forward(self, rows: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of labels (batch, tokens, labels) and of the command (batch, 2)."""
        hidden, pooled = _convolve(self, rows, mask)
        return self.labels(self.drop(hidden).transpose(1, 2)), self.gate(self.drop(pooled))


class Gate(torch.nn.Module):
    """Two convolutions; two logits for the command."""

    def __init__(self, dimensions: int) -> None:
        super().__init__()
        self.first = torch.nn.Conv1d(dimensions, _WIDTH, 3, padding=1)
        self.second = torch.nn.Conv1d(_WIDTH, _WIDTH, 3, padding=2, dilation=2)
        self.gate = torch.nn.Linear(2 * _WIDTH, 2)
        self.drop = torch.nn.Dropout(0.25)

    def forward(self, rows: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Logits of the command (batch, 2): it depends on the user, it leaves open what it wants."""
        _, pooled = _convolve(self, rows, mask)
        return self.gate(self.drop(pooled))


def _convolve(
    network: Head | Gate, rows: torch.Tensor, mask: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The output of the convolutions for each token, and its largest and mean values."""
    keep = mask.unsqueeze(1)
    hidden = torch.relu(network.first(network.drop(rows).transpose(1, 2))) * keep
    hidden = (hidden + torch.relu(network.second(network.drop(hidden)))) * keep
    largest = hidden.masked_fill(keep == 0, 0.0).amax(dim=2)
    mean = hidden.sum(dim=2) / keep.sum(dim=2)
    return hidden, torch.cat([largest, mean], dim=1)


def labels_of(example: Example, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """The label of each token; tokens without text, such as the first, do not count."""
    labels = []
    for start, end in offsets:
        if end <= start:
            labels.append(_IGNORED)
            continue
        span = next((span for span in example.spans if span[0] < end and start < span[1]), None)
        prefix = "B" if span is not None and start <= span[0] else "I"
        labels.append(LABELS.index(f"{prefix}-{span[2]}") if span else 0)
    return labels


def train(examples: Sequence[Example], encoder: Encoder, epochs: int, seed: int) -> Head:
    """Train the head; the encoder stays as it is."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    encoded = [encoder(example.text) for example in examples]
    rows = [torch.from_numpy(rows) for rows, _ in encoded]
    labels = [
        torch.tensor(labels_of(example, offsets))
        for example, (_, offsets) in zip(examples, encoded, strict=True)
    ]
    gates = torch.tensor(
        [
            [float(bool(example.needs)), -1.0 if example.leaves_open is None else float(example.leaves_open)]
            for example in examples
        ]
    )
    head = Head(rows[0].shape[1], len(LABELS))

    def loss_of(places: Sequence[int]) -> torch.Tensor:
        target = torch.nn.utils.rnn.pad_sequence(
            [labels[place] for place in places], batch_first=True, padding_value=_IGNORED
        )
        logits, gate = head(*_padded([rows[place] for place in places]))
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), target.flatten(), ignore_index=_IGNORED
        )
        wanted = gates[places]
        known = wanted >= 0
        return loss + torch.nn.functional.binary_cross_entropy_with_logits(gate[known], wanted[known])

    _fit(head, [len(each) for each in rows], epochs, loss_of)
    return head.eval()


def train_gate(examples: Sequence[Example], encoder: Encoder, epochs: int, seed: int) -> Gate:
    """Train the gate; what is not known of an example does not count."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rows = [torch.from_numpy(encoder(example.text)[0]) for example in examples]
    wanted = torch.tensor(
        [[float(bool(example.needs)), float(bool(example.leaves_open))] for example in examples]
    )
    weights = torch.tensor([_weights_of(example) for example in examples])
    gate = Gate(rows[0].shape[1])

    def loss_of(places: Sequence[int]) -> torch.Tensor:
        logits = gate(*_padded([rows[place] for place in places]))
        losses = torch.nn.functional.binary_cross_entropy_with_logits(
            logits, wanted[places], reduction="none"
        )
        return (losses * weights[places]).sum() / len(places)

    _fit(gate, [len(each) for each in rows], epochs, loss_of)
    return gate.eval()


def _weights_of(example: Example) -> tuple[float, float]:
    """How much an example counts for each of the gate's outputs.

    A command of the corpora says in most cases what it wants, but nobody has judged it.
    """
    openness = float(example.leaves_open is not None)
    if example.leaves_open is None and example.needs is False and example.source != "template":
        openness = _UNJUDGED
    return float(example.needs is not None), openness


def _padded(rows: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """The vectors of several commands in one tensor, and which of its places are tokens."""
    padded = torch.nn.utils.rnn.pad_sequence([each.float() for each in rows], batch_first=True)
    return padded, torch.tensor([[1.0] * len(each) + [0.0] * (padded.shape[1] - len(each)) for each in rows])


def _fit(
    network: torch.nn.Module,
    lengths: Sequence[int],
    epochs: int,
    loss_of: Callable[[Sequence[int]], torch.Tensor],
) -> None:
    """Train a network on batches of examples that are about as long."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=0.02)
    by_length = sorted(range(len(lengths)), key=lambda place: lengths[place])
    batches = [by_length[start : start + 64] for start in range(0, len(by_length), 64)]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, epochs * len(batches))
    for epoch in range(epochs):
        total = 0.0
        for batch in torch.randperm(len(batches)).tolist():
            loss = loss_of(batches[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        print(f"epoch {epoch + 1}: loss {total / len(batches):.4f}", flush=True)


def write(head: Head, file: Path, hidden: str) -> None:
    """Write the head as ONNX: input `tokens` (1, tokens, dimensions), outputs `labels` and `gate`."""
    constants, nodes = _stored(head, "")
    nodes += [
        helper.make_node("Transpose", ["tokens"], ["columns"], perm=[0, 2, 1]),
        *_pooling(""),
        helper.make_node("Sigmoid", ["gate_logits"], ["gate"]),
        helper.make_node("Transpose", ["hidden"], ["back"], perm=[0, 2, 1]),
        helper.make_node("Transpose", ["labels.weight"], ["label_columns"], perm=[1, 0]),
        helper.make_node("MatMul", ["back", "label_columns"], ["label_products"]),
        helper.make_node("Add", ["label_products", "labels.bias"], ["label_logits"]),
        helper.make_node("Softmax", ["label_logits"], ["labels"], axis=-1),
    ]
    dimensions = head.first.in_channels
    graph = helper.make_graph(
        nodes,
        "tagger",
        [helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [1, "tokens", dimensions])],
        [
            helper.make_tensor_value_info("labels", TensorProto.FLOAT, [1, "tokens", len(LABELS)]),
            helper.make_tensor_value_info("gate", TensorProto.FLOAT, [1, 2]),
        ],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, {"encoder_output": hidden})
    onnx.checker.check_model(model)
    onnx.save(model, file)


def write_gate(gate: Gate, file: Path) -> None:
    """Add the gate to the head's file, or take the place of the one there: output `openness` (1, 2)."""
    model = onnx.load(file)
    graph = model.graph
    for part in (graph.node, graph.initializer, graph.output):
        kept = [each for each in part if not _is_of_gate(each)]
        del part[:]
        part.extend(kept)
    constants, nodes = _stored(gate, _GATE)
    graph.initializer.extend(constants)
    graph.node.extend(nodes)
    graph.node.extend(_pooling(_GATE))
    graph.node.append(helper.make_node("Sigmoid", [f"{_GATE}gate_logits"], ["openness"]))
    graph.output.append(helper.make_tensor_value_info("openness", TensorProto.FLOAT, [1, 2]))
    onnx.checker.check_model(model)
    onnx.save(model, file)


def _is_of_gate(part: onnx.NodeProto | onnx.TensorProto | onnx.ValueInfoProto) -> bool:
    names = list(part.output) if isinstance(part, onnx.NodeProto) else [part.name]
    return any(name == "openness" or name.startswith(_GATE) for name in names)


def _stored(network: Head | Gate, prefix: str) -> tuple[list[onnx.TensorProto], list[onnx.NodeProto]]:
    """The weights of a network in 8 bits with a scale for each row, and the nodes that unpack them."""
    constants, nodes = [], []
    for key, tensor in network.state_dict().items():
        name, value = prefix + key, tensor.detach().numpy()
        if name.endswith("bias"):
            constants.append(numpy_helper.from_array(value, name))
            continue
        scale = np.maximum(np.abs(value).reshape(len(value), -1).max(axis=1), 1e-8).astype(np.float32) / 127
        shape = (len(value),) + (1,) * (value.ndim - 1)
        rounded = np.round(value / scale.reshape(shape)).astype(np.int8)
        constants += [
            numpy_helper.from_array(rounded, f"{name}.int8"),
            numpy_helper.from_array(scale, f"{name}.scale"),
        ]
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}.int8", f"{name}.scale"], [name], axis=0))
    return constants, nodes


def _pooling(prefix: str) -> list[onnx.NodeProto]:
    """The nodes from `columns` to `hidden` and `gate_logits`: `_convolve` and the last layer."""

    def node(kind: str, inputs: Sequence[str], output: str, **options: object) -> onnx.NodeProto:
        shared = [name if name == "columns" else prefix + name for name in inputs]
        return helper.make_node(kind, shared, [prefix + output], **options)

    return [
        node("Conv", ["columns", "first.weight", "first.bias"], "c1", pads=[1, 1]),
        node("Relu", ["c1"], "h1"),
        node("Conv", ["h1", "second.weight", "second.bias"], "c2", pads=[2, 2], dilations=[2]),
        node("Relu", ["c2"], "h2"),
        node("Add", ["h1", "h2"], "hidden"),
        node("ReduceMax", ["hidden"], "largest", axes=[2], keepdims=0),
        node("ReduceMean", ["hidden"], "mean", axes=[2], keepdims=0),
        node("Concat", ["largest", "mean"], "pooled", axis=1),
        node("Gemm", ["pooled", "gate.weight", "gate.bias"], "gate_logits", transB=1),
    ]
