"""Sentences of our own in which opposite wishes share their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import yaml

_FILL = "fill"
_SLOT = "{x}"


@dataclass(frozen=True, slots=True)
class Wish:
    """All ways to say one wish about one thing.

    Attributes:
        action: the scene's number and the action's name.
        english, chinese: sentences that mean the same.
        opposites: places, among all wishes, of other actions on the same thing.
    """

    action: str
    english: tuple[str, ...]
    chinese: tuple[str, ...]
    opposites: tuple[int, ...]


def read_wishes(avoid: Iterable[str]) -> list[Wish]:
    """All wishes of `scenes.yaml`, without sentences that say the same as one to avoid, letter by letter.

    Args:
        avoid: sentences that the model is judged on.
    """
    avoided = {_letters(text) for text in avoid}
    scenes: list[dict[str, Any]] = yaml.safe_load(
        (resources.files(__package__) / "scenes.yaml").read_text("utf-8")
    )
    wishes: list[Wish] = []
    for number, scene in enumerate(scenes):
        actions = {name: said for name, said in scene.items() if name != _FILL}
        for english, chinese in scene[_FILL].items():
            first = len(wishes)
            here = range(first, first + len(actions))
            for place, (name, said) in zip(here, actions.items(), strict=True):
                wish = Wish(
                    action=f"{number} {name}",
                    english=_filled(said["en"], english, avoided),
                    chinese=_filled(said["zh"], chinese, avoided),
                    opposites=tuple(other for other in here if other != place),
                )
                wishes.append(wish)
    return wishes


def _filled(phrases: Sequence[str], thing: str, avoided: set[str]) -> tuple[str, ...]:
    texts = (phrase.replace(_SLOT, thing) for phrase in phrases)
    return tuple(text for text in texts if _letters(text) not in avoided)


def _letters(text: str) -> str:
    """A sentence without case, spaces, marks and the small words that make near copies."""
    small = {"the", "a", "an", "my", "please", "me", "for", "to"}
    words = "".join(sign if sign.isalnum() or sign == " " else " " for sign in text.lower()).split()
    return "".join(word for word in words if word not in small)
