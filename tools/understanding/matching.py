"""The matcher's network: a copy of MiniLM whose upper layers learn which habit a vague command means.

A command and the instructions of a habit become vectors, and their cosine says how well they fit. Each
command of a person is a choice among all of the person's habits and "none of them" (cross entropy). While
training, the hour and the weekday may explain the choice too, so that words need not explain what time does.

The lower layers stay as they are: their output is computed once for each text, so that an epoch over sixty
people takes three minutes on two cores.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from random import Random

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from tools.embedding.base import LONGEST, WIDTH, Base
from tools.embedding.encoder import HEADS, LAYERS, Encoder, load_encoder, padded
from tools.embedding.export import Graph, layer_of
from tools.embedding.smoothing import State, smoothed
from tools.understanding.people import DrawnCommand, WrittenHabit, WrittenPerson, draw_commands, hours_of

FROZEN = 4
"""How many of the lower layers stay as they are."""
_BEST_SHARE = 0.7
"""How much the best of several instructions of a habit counts, as in `assistant.embedding.models`."""
_RATE, _HEAD_RATE, _SCALE_RATE = 1e-4, 2e-3, 1e-2
_WITHOUT_TIME = 0.4
"""The share of commands that are shown without their time."""
_HALF_SURE = ("given_up", "unclear")
_TOKENS = 400
"""Small groups need little padding and stay in the processor's cache."""
_VOCABULARY = 30522


def load_start(folder: Path, base: Base) -> Encoder:
    """The base model's layers above the word vectors of the bundled embedder, which the matcher reads."""
    graph = onnx.load(folder / "model.onnx").graph
    stored = {constant.name: numpy_helper.to_array(constant) for constant in graph.initializer}
    words = stored["words_quantized"].astype(np.float32) - np.float32(stored["words_zero_point"])
    words *= stored["words_scale"]
    encoder = load_encoder(base.weights, words[_VOCABULARY:])
    with torch.no_grad():
        encoder.english.weight.copy_(torch.from_numpy(words[:_VOCABULARY]))
        encoder.positions.weight[:LONGEST].copy_(torch.from_numpy(stored["positions"].copy()))
        encoder.norm.weight.copy_(torch.from_numpy(stored["norm.weight"].copy()))
        encoder.norm.bias.copy_(torch.from_numpy(stored["norm.bias"].copy()))
    return encoder


def time_features(habit: WrittenHabit, command: DrawnCommand) -> tuple[float, float, float]:
    """Logs of how likely a habit is at the hour and on the weekday of a command, and how often it is done."""
    start, end = hours_of(habit.start), hours_of(habit.end)
    end = end + 24 if end < start else end
    width = max((end - start) / 2, 0.5) + 0.5
    hour = command.time.hour + command.time.minute / 60
    away = abs((hour - (start + end) / 2 + 12) % 24 - 12)
    at_hour = log(0.9 * exp(-0.5 * (away / width) ** 2) / width + 0.0125)
    is_on_day = command.time.isoweekday() in habit.days
    on_day = log(0.1 / 7 + 0.9 * is_on_day / max(len(habit.days), 1))
    return at_hour, on_day, log(max(habit.per_week, 0.1))


@dataclass(frozen=True, slots=True)
class Choice:
    """A person's commands, each a choice among the person's habits and none.

    `meant` has a row for each command and a column for each habit, the last for none; `weights` says how much
    each command counts, `times` has the time features of each habit.
    """

    said: tuple[str, ...]
    habits: tuple[tuple[str, ...], ...]
    meant: Tensor
    weights: Tensor
    times: Tensor


def choice_of(person: WrittenPerson, random: Random) -> Choice:
    """What the matcher learns from a person."""
    commands = list(draw_commands(person, random))
    places = {habit.id: place for place, habit in enumerate(person.habits)}
    meant = torch.zeros(len(commands), len(places) + 1)
    for row, command in enumerate(commands):
        for name in command.habits:
            meant[row, places[name]] = 1 / len(command.habits)
        if not command.habits:
            meant[row, -1] = 1.0
    return Choice(
        tuple(command.said for command in commands),
        tuple(habit.wordings for habit in person.habits),
        meant,
        torch.tensor([0.5 if command.why in _HALF_SURE else 1.0 for command in commands]),
        torch.tensor([[time_features(habit, command) for habit in person.habits] for command in commands]),
    )


class PairNetwork(nn.Module):
    """The upper layers with what makes a choice of cosines. Reads the output of the frozen layers."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.layers = encoder.layers[FROZEN:]
        self.scale = nn.Parameter(torch.tensor(16.0))
        self.none = nn.Linear(WIDTH, 1)
        self.time_weights = nn.Parameter(torch.tensor([0.5, 0.5, 0.3]))
        nn.init.zeros_(self.none.weight)
        nn.init.constant_(self.none.bias, 6.0)

    def vectors(self, states: Sequence[Tensor]) -> Tensor:
        """Unit rows of texts, given the frozen layers' output for the tokens of each."""
        order = sorted(range(len(states)), key=lambda place: len(states[place]))
        rows = torch.cat(
            [self._pooled([states[place] for place in group]) for group in _groups(order, states)]
        )
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return rows[back]

    def _pooled(self, states: Sequence[Tensor]) -> Tensor:
        hidden = nn.utils.rnn.pad_sequence([state.float() for state in states], batch_first=True)
        lengths = torch.tensor([len(state) for state in states])
        mask = (torch.arange(hidden.shape[1])[None] < lengths[:, None]).float()
        for layer in self.layers:
            hidden = layer(hidden, ((mask - 1.0) * 1e9)[:, None, None, :])
        mean = (hidden * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return functional.normalize(mean, dim=1)

    def forward(
        self, commands: Sequence[Tensor], habits: Sequence[Sequence[Tensor]], times: Tensor
    ) -> Tensor:
        """Logits of each habit, and of none in the last column."""
        rows = self.vectors([*commands, *(state for habit in habits for state in habit)])
        said, done = rows[: len(commands)], rows[len(commands) :]
        cosines = (said @ done.T).split([len(habit) for habit in habits], dim=1)
        fits = [_BEST_SHARE * part.amax(1) + (1 - _BEST_SHARE) * part.mean(1) for part in cosines]
        logits = torch.stack(fits, dim=1) * self.scale + times @ self.time_weights
        return torch.cat([logits, self.none(said)], dim=1)


def _groups(order: Sequence[int], states: Sequence[Tensor]) -> Iterator[list[int]]:
    """Texts, sorted by length, in groups of at most so many padded tokens."""
    group: list[int] = []
    for place in order:
        if group and (len(group) + 1) * len(states[place]) > _TOKENS:
            yield group
            group = []
        group.append(place)
    if group:
        yield group


def frozen_states(encoder: Encoder, tokenizer: Tokenizer, texts: Sequence[str]) -> Mapping[str, Tensor]:
    """The output of the frozen layers for each text, a row for each token."""
    states = {}
    words = torch.cat([encoder.english.weight, encoder.chinese.weight]).detach()
    by_length: dict[int, list[tuple[str, list[int]]]] = {}
    for text in dict.fromkeys(texts):
        tokens = tokenizer.encode(text).ids[:LONGEST]
        by_length.setdefault(len(tokens), []).append((text, tokens))
    with torch.no_grad():
        for length, group in sorted(by_length.items()):
            size = max(1, _TOKENS // length)
            for part in (group[at : at + size] for at in range(0, len(group), size)):
                tokens, mask = padded([ids for _, ids in part])
                hidden = encoder.norm(words[tokens] + encoder.positions.weight[:length])
                for layer in encoder.layers[:FROZEN]:
                    hidden = layer(hidden, ((mask - 1.0) * 1e9)[:, None, None, :])
                states |= {text: rows for (text, _), rows in zip(part, hidden.half(), strict=True)}
    return states


def train_matcher(
    choices: Sequence[Choice], states: Mapping[str, Tensor], network: PairNetwork, epochs: int, random: Random
) -> None:
    """Train the upper layers, one person a step, in which a habit shows one or two of its instructions."""
    optimizer = torch.optim.AdamW(
        [
            {"params": network.layers.parameters(), "lr": _RATE},
            {"params": network.none.parameters(), "lr": _HEAD_RATE},
            {"params": [network.scale, network.time_weights], "lr": _SCALE_RATE},
        ],
        weight_decay=0.02,
    )
    steps = epochs * len(choices)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (0.08 * steps + 1)) * max(0.02, 1.0 - step / steps)
    )
    network.train()
    for epoch in range(epochs):
        total = 0.0
        for choice in random.sample(choices, len(choices)):
            shown = [
                random.sample(habit, min(random.choice((1, 1, 2)), len(habit))) for habit in choice.habits
            ]
            with_time = torch.tensor([[[float(random.random() > _WITHOUT_TIME)]] for _ in choice.said])
            with torch.autocast("cpu", torch.bfloat16):
                logits = network(
                    [states[text] for text in choice.said],
                    [[states[text] for text in habit] for habit in shown],
                    choice.times * with_time,
                ).float()
            loss = (choice.weights * -(choice.meant * logits.log_softmax(1)).sum(1)).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        print(f"epoch {epoch + 1}: loss {total / len(choices):.4f}", flush=True)
    network.eval()


def write_matcher(
    network: PairNetwork, encoder: Encoder, tokenizer: Tokenizer, sample: Sequence[str], file: Path
) -> None:
    """Write the matcher with 8-bit weights: input `words` (1, tokens, 384), outputs `vector` and `none`.

    Args:
        network: as trained; its layers are the encoder's upper ones.
        encoder: the whole encoder.
        tokenizer: the embedder's.
        sample: some texts that tell which activations are large.
        file: the target.
    """
    state = smoothed(encoder, [tokenizer.encode(text).ids for text in sample])
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        onnx.save(_graph_of(state, network), plain)
        quantize_dynamic(plain, file, per_channel=True, weight_type=QuantType.QUInt8)


def _graph_of(state: State, network: PairNetwork) -> onnx.ModelProto:
    graph = Graph()
    shapes = (
        graph.constant("split", np.array([0, 0, HEADS, WIDTH // HEADS], np.int64)),
        graph.constant("join", np.array([0, 0, WIDTH], np.int64)),
    )
    bias = graph.constant("no padding", np.zeros((1, 1, 1, 1), np.float32))
    hidden = "words"
    for number in range(LAYERS):
        hidden = layer_of(graph, state, f"layers.{number}", hidden, bias, shapes)
    mean = graph.node("ReduceMean", [hidden], axes=[1], keepdims=0)
    tiny = graph.constant("tiny", np.array(1e-9, np.float32))
    length = graph.node("Max", [graph.node("ReduceL2", [mean], axes=[-1], keepdims=1), tiny])
    graph.node("Div", [mean, length], output="vector")
    none = graph.constant("none.weight", network.none.weight.detach().numpy().T)
    product = graph.node("Mul", ["vector", graph.node("Transpose", [none], perm=[1, 0])])
    summed = graph.node("ReduceSum", [product, graph.constant("row", np.array([1], np.int64))], keepdims=1)
    graph.node(
        "Add", [summed, graph.constant("none.bias", network.none.bias.detach().numpy())], output="none"
    )
    made = helper.make_graph(
        graph.nodes,
        "matcher",
        [helper.make_tensor_value_info("words", TensorProto.FLOAT, [1, "tokens", WIDTH])],
        [
            helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, WIDTH]),
            helper.make_tensor_value_info("none", TensorProto.FLOAT, [1, 1]),
        ],
        graph.constants,
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model
