"""The matcher that comes with the program, on a life that is in no training data."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.embedding.models import Matcher, bundled_matcher
from tests.tables import each

HABITS = [
    ["Mark the egg delivery as received in Stall Book", "Egg delivery: set to received"],
    ["Play the rain sounds for 40 minutes on Sleepy", "Rain sounds, 40 minutes, Sleepy"],
    ["Order beef noodles without coriander to the office on Eats"],
    ["给房东转房租两千八", "微信转房东2800房租"],
]


@each(
    ("said", "meant"),
    [
        ("eggs are in", 0),
        ("something to nod off to", 1),
        ("i could eat a horse", 2),
        ("房子的钱该给了", 3),
    ],
)
def test_what_is_meant_fits_best_though_it_shares_few_words(said: str, meant: int) -> None:
    matcher = bundled_matcher()
    assert matcher is not None
    fits = matcher.match(said, HABITS).fits
    assert fits.index(max(fits)) == meant


class _Words:
    """Each text is one word vector, counted when it is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def tensor_of(
        self, text: str, tensor: str, /, *, alone: bool = False
    ) -> tuple[np.ndarray, list[tuple[int, int]]]:
        self.asked.append(text)
        rows = {"up": [[0.0, 1.0]], "right": [[1.0, 0.0]]}.get(text, [])
        return np.array(rows, np.float32).reshape(-1, 2), []


class _Session:
    def run(self, outputs: list[str], inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        return [inputs["words"][:, 0], np.array([[4.0]], np.float32)]


def test_a_habit_is_judged_by_its_best_and_its_mean_instruction_and_each_text_is_read_once() -> None:
    words = _Words()
    matcher = Matcher(_Session(), words, "words")
    matches = matcher.match("up", [["up"], ["right"], ["up", "right", "right"], []])
    assert matches.fits == pytest.approx((1.0, 0.0, 0.7 + 0.3 / 2, 0.0))
    assert matches.none == 4.0
    matcher.match("right", [["up"]])
    assert words.asked == ["up", "right"]


def test_a_text_without_words_fits_nothing() -> None:
    assert Matcher(_Session(), _Words(), "words").match("", [["up"]]).fits == (0.0,)
