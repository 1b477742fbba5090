"""The trained encoder as an int8 ONNX file, pooling and norm included."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from tools.embedding.base import LONGEST, WIDTH
from tools.embedding.encoder import HEADS, LAYERS, Encoder
from tools.embedding.smoothing import CALM, State, smoothed

_EPSILON = 1e-12
_OPSET = 17
_FORMAT = 8


class Graph:
    """Collects the nodes and constants of a graph."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: NDArray[Any]) -> str:
        """Add a constant under a name."""
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, inputs: Sequence[str], output: str = "", **attributes: Any) -> str:
        """Add a node with one output."""
        output = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output


def export(encoder: Encoder, target: Path, sentences: Sequence[Sequence[int]]) -> None:
    """Write the encoder: weights and embedding rows as unsigned 8-bit numbers, a scale for each channel.

    Inputs are `input_ids` and `attention_mask` (int64, [batch, tokens]), the output is `embedding` (float32,
    [batch, 384], unit rows).

    Args:
        encoder: as trained.
        target: the file.
        sentences: some token identifiers, to see which activations are large.
    """
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        onnx.save(model_of(smoothed(encoder, sentences)), plain)
        quantize_dynamic(plain, target, per_channel=True, weight_type=QuantType.QUInt8)


def model_of(state: State) -> onnx.ModelProto:
    """An encoder's state, smoothed or not, as an ONNX model in float32."""
    graph = Graph()
    mask = graph.node("Cast", ["attention_mask"], to=TensorProto.FLOAT)
    hidden = _embedded(graph, state)
    bias = _bias(graph, mask)
    shapes = (
        graph.constant("split", np.array([0, 0, HEADS, WIDTH // HEADS], np.int64)),
        graph.constant("join", np.array([0, 0, WIDTH], np.int64)),
    )
    for number in range(LAYERS):
        hidden = layer_of(graph, state, f"layers.{number}", hidden, bias, shapes)
    _pooled(graph, hidden, mask)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", WIDTH])
    made = helper.make_graph(graph.nodes, "minilm-l6-en-zh", inputs, [output], graph.constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_FORMAT)
    onnx.checker.check_model(model)
    return model


def _embedded(graph: Graph, state: State) -> str:
    words = graph.constant("words", np.concatenate([state["english.weight"], state["chinese.weight"]]))
    positions = graph.constant("positions", state["positions.weight"][:LONGEST])
    length = graph.node("Shape", ["input_ids"], start=1, end=2)
    ends = [
        graph.constant("zero", np.array([0], np.int64)),
        length,
        graph.constant("rows", np.array([0], np.int64)),
    ]
    placed = graph.node("Slice", [positions, *ends])
    summed = graph.node("Add", [graph.node("Gather", [words, "input_ids"], axis=0), placed])
    return _norm(graph, state, "norm", summed)


def _bias(graph: Graph, mask: str) -> str:
    """Zero where a token is, a very negative number where padding is, for every head and query."""
    axes = graph.constant("head axes", np.array([1, 2], np.int64))
    padding = graph.node(
        "Sub", [graph.constant("one", np.array(1.0, np.float32)), graph.node("Unsqueeze", [mask, axes])]
    )
    return graph.node("Mul", [padding, graph.constant("hide", np.array(-1e9, np.float32))])


def layer_of(
    graph: Graph,
    state: State,
    name: str,
    hidden: str,
    bias: str,
    shapes: tuple[str, str],
) -> str:
    """Add one transformer layer; returns the name of its output."""
    split, join = shapes
    scale = (WIDTH // HEADS) ** -0.5

    calm = _calmed(graph, state, f"{name}.query", hidden)

    def heads(part: str, order: Sequence[int]) -> str:
        flat = _linear(graph, state, f"{name}.{part}", calm, scale if part == "query" else 1.0)
        return graph.node("Transpose", [graph.node("Reshape", [flat, split])], perm=list(order))

    scores = graph.node("MatMul", [heads("query", (0, 2, 1, 3)), heads("key", (0, 2, 3, 1))])
    weights = graph.node("Softmax", [graph.node("Add", [scores, bias])], axis=-1)
    mixed = graph.node("MatMul", [weights, heads("value", (0, 2, 1, 3))])
    joined = graph.node("Reshape", [graph.node("Transpose", [mixed], perm=[0, 2, 1, 3]), join])
    attended = graph.node("Add", [_linear(graph, state, f"{name}.output", joined), hidden])
    hidden = _norm(graph, state, f"{name}.output_norm", attended)
    calm = _calmed(graph, state, f"{name}.inner", hidden)
    inner = _gelu(graph, state, name, _linear(graph, state, f"{name}.inner", calm))
    outer = graph.node("Add", [_linear(graph, state, f"{name}.outer", inner), hidden])
    return _norm(graph, state, f"{name}.outer_norm", outer)


def _linear(
    graph: Graph,
    state: State,
    name: str,
    hidden: str,
    scale: float = 1.0,
) -> str:
    weight = graph.constant(f"{name}.weight", state[f"{name}.weight"].T * np.float32(scale))
    bias = graph.constant(f"{name}.bias", state[f"{name}.bias"] * np.float32(scale))
    return graph.node("Add", [graph.node("MatMul", [hidden, weight]), bias])


def _norm(graph: Graph, state: State, name: str, hidden: str) -> str:
    weight = graph.constant(f"{name}.weight", state[f"{name}.weight"])
    bias = graph.constant(f"{name}.bias", state[f"{name}.bias"])
    return graph.node("LayerNormalization", [hidden, weight, bias], axis=-1, epsilon=_EPSILON)


def _calmed(graph: Graph, state: State, name: str, hidden: str) -> str:
    """The input of a map, divided as its weights expect it."""
    divisor = state.get(f"{name}.{CALM}")
    if divisor is None:
        return hidden
    return graph.node("Mul", [hidden, graph.constant(f"{name}.{CALM}", np.float32(1.0) / divisor)])


def _gelu(graph: Graph, state: State, name: str, hidden: str) -> str:
    """The exact GELU, spelled out: operator set 17 has none. Its half holds the outer map's divisors."""
    root = graph.constant(f"{name}.root", np.array(0.5**0.5, np.float32))
    unit = graph.constant(f"{name}.unit", np.array(1.0, np.float32))
    divisor = state.get(f"{name}.outer.{CALM}", np.array(1.0, np.float32))
    half = graph.constant(f"{name}.half", np.float32(0.5) / divisor)
    curve = graph.node("Add", [graph.node("Erf", [graph.node("Mul", [hidden, root])]), unit])
    return graph.node("Mul", [graph.node("Mul", [hidden, half]), curve])


def _pooled(graph: Graph, hidden: str, mask: str) -> None:
    """The mean of the tokens, as a unit vector."""
    weights = graph.node("Unsqueeze", [mask, graph.constant("width axis", np.array([2], np.int64))])
    token_axis = graph.constant("token axis", np.array([1], np.int64))
    total = graph.node("ReduceSum", [graph.node("Mul", [hidden, weights]), token_axis], keepdims=0)
    tiny = graph.constant("tiny", np.array(1e-9, np.float32))
    mean = graph.node(
        "Div", [total, graph.node("Max", [graph.node("ReduceSum", [mask, token_axis], keepdims=1), tiny])]
    )
    norm = graph.node("Max", [graph.node("ReduceL2", [mean], axes=[-1], keepdims=1), tiny])
    graph.node("Div", [mean, norm], output="embedding")
