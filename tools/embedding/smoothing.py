"""Moves large activations into the weights before both are rounded to 8 bits.

SmoothQuant (Xiao et al. 2023, section 4): the input of a matrix product is divided channel by channel and the
matrix multiplied by the same numbers. The product stays, and a few channels no longer make the step of all
others coarse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tools.embedding.encoder import Encoder

SHIFT = 0.8
"""How much of a channel's size goes into the weights: 0 for none, 1 for all of it."""
CALM = "calm"
"""The divisors of a map's input are beside its weight in a smoothed state, under this name."""
_TOGETHER = (("query", "key", "value"), ("inner",), ("outer",))
_SMALLEST = 1e-4

State = dict[str, NDArray[np.float32]]


def smoothed(encoder: Encoder, sentences: Sequence[Sequence[int]], shift: float = SHIFT) -> State:
    """The encoder's state for the same vectors, with calmer activations.

    Beside the encoder's names it has `layers.N.query.calm` (for key and value as well), `layers.N.inner.calm`
    and `layers.N.outer.calm`: what the inputs of these maps are to be divided by, one number a channel.

    Args:
        encoder: as trained.
        sentences: token identifiers whose activations tell which channels are large.
        shift: how much goes into the weights.
    """
    state = {name: value.detach().numpy().copy() for name, value in encoder.state_dict().items()}
    for (number, part), peaks in _peaks(encoder, sentences).items():
        layer = f"layers.{number}"
        together = next(parts for parts in _TOGETHER if part in parts)
        weights = [state[f"{layer}.{one}.weight"] for one in together]
        divisor = _divisor(peaks, np.concatenate(weights), shift)
        for weight in weights:
            weight *= divisor
        state[f"{layer}.{part}.{CALM}"] = divisor
    return state


def _peaks(
    encoder: Encoder, sentences: Sequence[Sequence[int]]
) -> Mapping[tuple[int, str], NDArray[np.float32]]:
    """The largest size of each input channel, by layer and part."""
    found: dict[tuple[int, str], Tensor] = {}

    def hearing(key: tuple[int, str]) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
        def hear(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            sizes = inputs[0].abs().flatten(end_dim=-2).amax(dim=0)
            found[key] = torch.maximum(found.get(key, sizes), sizes)

        return hear

    hooks = [
        getattr(layer, parts[0]).register_forward_pre_hook(hearing((number, parts[0])))
        for number, layer in enumerate(encoder.layers)
        for parts in _TOGETHER
    ]
    with torch.no_grad():
        for sentence in sentences:
            encoder(torch.tensor([list(sentence)]), torch.ones(1, len(sentence)))
    for hook in hooks:
        hook.remove()
    return {key: sizes.numpy() for key, sizes in found.items()}


def _divisor(peaks: NDArray[np.float32], weights: NDArray[np.float32], shift: float) -> NDArray[np.float32]:
    """Large where activations are large and weights are not; its geometric mean is one."""
    sizes = np.abs(weights).max(axis=0).clip(min=_SMALLEST)
    found = peaks.clip(min=_SMALLEST) ** shift / sizes ** (1.0 - shift)
    return np.asarray(found / np.exp(np.log(found).mean()), np.float32)
