"""A family's words for our actions, read and written from one table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assistant.model.dialects.actions import REQUIRED_TEXT, arguments_of, build, point_arguments
from assistant.model.dialects.base import Call, MalformedReply
from assistant.model.dialects.coordinates import pair
from assistant.model.dialects.spaces import Space
from assistant.model.frame import Frame
from assistant.records import Action, Direction, Point

_OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}


@dataclass(frozen=True, slots=True)
class Word:
    """One action as a family writes it.

    `type` is our action and `name` theirs. `keys` gives for each of our arguments their spellings, parted by
    spaces, the first of which is written. `fixed` arguments must have these values; several that are read are
    parted by `|`, the first is written. `needs` are arguments of ours that must not be empty for this word
    to be meant. `defaults` stand in for texts that were left out. `finger`: the direction is the finger's,
    not the content's. `index` is the spelling of an element's number, which may stand for the point.
    `ignored` arguments are read over.
    """

    type: str
    name: str
    keys: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    finger: bool = False
    index: str = ""
    ignored: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What to call it in a sentence."""
        fixed = [f"{key} {value.partition('|')[0]}" for key, value in self.fixed.items()]
        parts = [*fixed, *(self.keys[need].split()[0] for need in self.needs)]
        return f"{self.name} with {', '.join(parts)}" if parts else self.name

    def fits(self, given: Mapping[str, Any]) -> bool:
        """Whether the arguments are this word's and not those of another with the same name."""
        return all(_same(given.get(key), values) for key, values in self.fixed.items()) and all(
            self.taken(given, need)[1] not in (None, "") for need in self.needs
        )

    def taken(self, given: Mapping[str, Any], key: str) -> tuple[str, Any]:
        """The spelling and the value of one of our arguments; the first spelling and None without one."""
        spellings = self.keys[key].split()
        found = next((one for one in spellings if one in given), spellings[0])
        return found, given.get(found)


class Vocabulary:
    """All words of a family, and the space that its coordinates live in.

    `refused` are actions that the family has and we have not, each with what to do instead.
    """

    def __init__(self, words: Iterable[Word], space: Space, refused: Mapping[str, str] | None = None) -> None:
        self.words = tuple(words)
        self.space = space
        self._refused = {_plain(name): reason for name, reason in (refused or {}).items()}

    @property
    def names(self) -> set[str]:
        """Their names of all actions."""
        return {word.name for word in self.words}

    @property
    def keys(self) -> set[str]:
        """Their names of all arguments."""
        return {key for word in self.words for key in _keys(word)}

    def word(self, type_: str) -> Word:
        """The main word for one of our actions."""
        return next(word for word in self.words if word.type == type_)

    def labels(self) -> dict[str, str]:
        """What to call our actions in a sentence; both ways to finish, where there are two."""
        labels = {word.type: word.label for word in reversed(self.words)}
        ends = dict.fromkeys(word.label for word in self.words if word.type == "finished")
        return {**labels, "finished": " or ".join(ends)}

    def read(self, call: Call, frame: Frame) -> Action:
        """The action that a call means.

        Raises:
            MalformedReply: an unknown name, or arguments that are unknown, missing or of the wrong kind.
        """
        named = [word for word in self.words if _plain(word.name) == _plain(call.name)]
        given = {k: v for k, v in call.arguments.items() if v is not None}
        word = next((word for word in named if word.fits(given)), None)
        if word is None:
            raise MalformedReply(self._unfit(call, named))
        arguments = dict(self._arguments(word, given, frame))
        known = _keys(word)
        if unknown := next((key for key in given if key not in known), None):
            raise MalformedReply(f"{word.name} has no argument {unknown[:40]!r}.")
        return build(word.type, arguments)

    def write(self, action: Action, frame: Frame) -> Call:
        """The inverse of `read`."""
        values = arguments_of(action)
        said = {key for key, value in values.items() if value != ""}
        mine = [word for word in self.words if word.type == action.type]
        fitting = (word for word in mine if said <= word.keys.keys() and said >= set(word.needs))
        word = next(fitting, mine[0])
        arguments: dict[str, Any] = {key: value.partition("|")[0] for key, value in word.fixed.items()}
        for key, value in values.items():
            if key not in word.keys or (value == "" and key not in REQUIRED_TEXT.values()):
                continue
            written = word.keys[key].split()[0]
            if isinstance(value, Point):
                arguments[written] = self.space.place(value, frame)
            elif isinstance(value, Direction):
                arguments[written] = _OPPOSITE[value] if word.finger else value.value
            else:
                arguments[written] = value
        return Call(word.name, arguments)

    def _unfit(self, call: Call, named: list[Word]) -> str:
        """Why a call is no word, in words for the model."""
        name = call.name[:40]
        if reason := self._refused.get(_plain(call.name)):
            return f"{name} is not possible here. {reason}"
        return f"{name} {_wanted(named)}." if named else f"There is no action {name!r}."

    def _arguments(
        self, word: Word, given: Mapping[str, Any], frame: Frame
    ) -> Iterator[tuple[str, str | Point]]:
        for key in word.keys:
            spelling, value = word.taken(given, key)
            if key in point_arguments(word.type):
                if value is not None:
                    yield key, self.space.point(*pair(value, spelling), frame)
                elif word.index in given:
                    yield key, _numbered(given[word.index], frame)
                elif word.type != "scroll":
                    raise MalformedReply(f"{word.name} needs {spelling}.")
            elif value is not None:
                text = _text(value, spelling)
                yield key, _direction(text, word) if key == "direction" else text
            elif key in word.defaults:
                yield key, word.defaults[key]
            elif key == "direction" or REQUIRED_TEXT.get(word.type) == key:
                raise MalformedReply(f"{word.name} needs {spelling}.")


def _keys(word: Word) -> set[str]:
    spelled = " ".join(word.keys.values()).split()
    return {*spelled, *word.fixed, *word.ignored, *([word.index] if word.index else [])}


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()


def _same(value: Any, values: str) -> bool:
    return isinstance(value, str) and value.strip().casefold() in values.casefold().split("|")


def _wanted(words: list[Word]) -> str:
    choices: dict[str, list[str]] = {}
    for word in words:
        for key, values in word.fixed.items():
            choices.setdefault(key, []).append(values.partition("|")[0])
    fixed = [f"{key}: {' or '.join(values)}" for key, values in choices.items()]
    needs = [word.keys[need].split()[0] for word in words for need in word.needs]
    return f"needs {', '.join(fixed or needs)}"


def _direction(text: str, word: Word) -> str:
    """The content's direction; an unknown one stays as it is, for `build` to refuse."""
    own = text.strip().casefold()
    return _OPPOSITE.get(own, own) if word.finger else own


def _text(value: Any, key: str) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
        return f"{value:.12g}" if isinstance(value, float) else str(value)
    if not isinstance(value, str):
        raise MalformedReply(f"{key[:40]!r} is not a text.")
    return value


def _numbered(value: Any, frame: Frame) -> Point:
    """The centre of the element with a number of the list, which counts from 1."""
    text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    number = int(text) if text.isdecimal() and len(text) < 6 else 0
    if not 1 <= number <= len(frame.centres):
        raise MalformedReply(
            f"There is no element {text[:20]!r} in Screen_description. Give its number there."
        )
    return frame.centres[number - 1]
