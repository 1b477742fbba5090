"""Which family of models the stand-in plays, and how that family writes an action.

`families.yaml` says how each writes, from the makers' own prompts and parsers. The assistant's dialects play
no part: they are what the stand-in is there to judge. A family that was trained on phones writes what it
learnt, and beyond that only what the prompt at hand offers. A model for everything calls the functions that
the request offers, with the arguments that they take, in the coordinates that they state.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from assistant.files import read_words
from assistant.records import Action, Point
from assistant.simulator.chance import share
from assistant.simulator.model.wire import ToolCall

_OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}
_PLACE = re.compile(r"\{(\w+)\}")
_HALF_BOX = 0.025
"""Half the side of a box around a point, as a share of the picture."""

_USUAL = 0.7
"""How often a family answers in its usual way and not in one of its others."""


class Patches(BaseModel):
    """The size that Qwen's processor makes of a picture: multiples of `factor`, an area between limits."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    factor: int
    least: int
    most: int

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Width and height in pixels as the model sees them."""
        across, down = (max(self.factor, round(side / self.factor) * self.factor) for side in (width, height))
        if across * down > self.most:
            scale = math.sqrt(width * height / self.most)
            across, down = (int(side / scale / self.factor) * self.factor for side in (width, height))
        elif across * down < self.least:
            scale = math.sqrt(self.least / (width * height))
            across, down = (math.ceil(side * scale / self.factor) * self.factor for side in (width, height))
        return across, down


class Space(BaseModel):
    """What a family's coordinates count: `units`, else pixels of the picture, in `patches` if given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pixels: bool = False
    units: float = 0
    patches: Patches | None = None
    yx: bool = False

    def size(self, picture: tuple[int, int]) -> tuple[float, float]:
        """The largest x and y for a picture of this size."""
        if self.units:
            return self.units, self.units
        return self.patches.size(*picture) if self.patches else picture

    def numbers(self, point: Point, picture: tuple[int, int]) -> tuple[float, float]:
        """X and y as they are written: whole, but for fractions of one."""
        places = 3 if self.units == 1 else 0
        across, down = self.size(picture)
        x, y = (round(part * side, places) for part, side in ((point.x, across), (point.y, down)))
        return (x, y) if places else (int(x), int(y))

    def point(self, x: float, y: float, picture: tuple[int, int]) -> Point:
        """The point of two numbers in the order of writing, as a share of the picture."""
        x, y = (y, x) if self.yx else (x, y)
        across, down = self.size(picture)
        return Point(min(1.0, max(0.0, x / across)), min(1.0, max(0.0, y / down)))


class Form(BaseModel):
    """One way to write an action; `offered` is what the prompt must hold for it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    write: str | dict[str, Any]
    offered: str = ""


class Family(BaseModel):
    """How one family writes; the keys are explained in `families.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    models: str
    example: str
    marks: tuple[str, ...] = ()
    space: Space = Space(units=1000)
    escape: str = "none"
    replies: tuple[str, ...] = ()
    within: str = ""
    compact: bool = False
    general: bool = False
    harmless: str = ""
    actions: Mapping[str, tuple[Form, ...]] = Field(default_factory=dict)

    @field_validator("actions", mode="before")
    @classmethod
    def _as_forms(cls, actions: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Each action's forms as a list of `Form`."""
        return {
            name: [
                form if isinstance(form, Mapping) and "write" in form else {"write": form}
                for form in (forms if isinstance(forms, list) else [forms])
            ]
            for name, forms in actions.items()
        }

    def can(self, kind: str, prompt: str) -> bool:
        """Whether the family has the action, by itself or because the prompt offers it."""
        return self.general or self._form(kind, prompt) is not None

    def _form(self, kind: str, prompt: str) -> Form | None:
        forms = self.actions.get(kind, ())
        return next((form for form in forms if not form.offered or re.search(form.offered, prompt)), None)

    def call(self, kind: str, values: Mapping[str, Any], prompt: str) -> str:
        """The call alone; an action that the family lacks becomes a wait, for want of anything better."""
        form = self._form(kind, prompt) or self._form("wait", prompt)
        if form is None:
            return ""
        if isinstance(form.write, str):
            return _PLACE.sub(lambda place: self._escaped(values.get(place[1], place[0])), form.write)
        filled = _filled(form.write, values)
        whole = {"name": self.within, "arguments": filled} if self.within else filled
        return json.dumps(whole, ensure_ascii=False, separators=(",", ":") if self.compact else None)

    def reply(self, call: str, words: Mapping[str, str], about: object) -> str:
        """The whole text: mostly the usual reply, now and then one of the family's others."""
        others = self.replies[1:]
        chance = share("reply", about)
        usual = not others or chance < _USUAL
        template = self.replies[0] if usual else others[int((chance - _USUAL) / (1 - _USUAL) * len(others))]
        spoken = {name: " ".join(text.split()) for name, text in words.items()}
        return _PLACE.sub(
            lambda place: call if place[1] == "call" else spoken.get(place[1], place[0]), template
        )

    @property
    def thinks_aloud(self) -> bool:
        """Whether the reasoning stands in the reply itself."""
        forms = json.dumps([form.model_dump() for forms in self.actions.values() for form in forms])
        return "{thought}" in "".join(self.replies) or "{thought}" in forms

    def _escaped(self, value: Any) -> str:
        text = f"{value:g}" if isinstance(value, float) else str(value)
        match self.escape:
            case "single":
                return text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
            case "double":
                return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            case "tab":
                return text.replace("\t", " ").replace("\n", "\\n")
        return text


def _filled(template: Any, values: Mapping[str, Any]) -> Any:
    """A template of JSON with its places filled; a place that stands alone keeps its value's type."""
    match template:
        case dict():
            return {key: _filled(part, values) for key, part in template.items()}
        case list():
            return [_filled(part, values) for part in template]
        case str() if place := _PLACE.fullmatch(template):
            return values.get(place[1], template)
        case str():
            return _PLACE.sub(lambda place: str(values.get(place[1], place[0])), template)
    return template


@cache
def families() -> Mapping[str, Family]:
    """All families by name, in the order in which models' names are tried."""
    content = read_words("assistant.simulator.model", "families.yaml")
    return {name: Family.model_validate(value) for name, value in content.items()}


def family_of(name: str, model: str, prompt: str, tools: bool) -> Family:
    """The family that a request is for.

    Args:
        name: the family that the stand-in was told to play; empty for none.
        model: the model's name in the request, as a server chooses its weights by it.
        prompt: all that the request says, for a model whose name says nothing.
        tools: whether functions are offered: they are called, whatever the family.
    """
    if tools:
        return families()["any"]
    if name:
        return families()[name]
    plain = re.sub(r"[^a-z0-9]", "", model.lower())
    named = (family for family in families().values() if re.search(family.models, plain))
    marked = (
        family
        for family in families().values()
        if family.marks and all(re.search(mark, prompt) for mark in family.marks)
    )
    return next(named, None) or next(marked, families()["any"])


def values_of(
    action: Action,
    space: Space,
    picture: tuple[int, int],
    extra: Mapping[str, Any],
    place: Point | None = None,
) -> dict[str, Any]:
    """What may be filled into a template for an action: its texts as they are, its points as numbers.

    `place` is where an action happens that has no point of its own.
    """
    fields = action.model_dump(mode="json", exclude={"type", "target"})
    values: dict[str, Any] = {**{key: text for key, text in fields.items() if isinstance(text, str)}, **extra}
    values["label"] = values.pop("content", values.get("label", ""))
    start, end = (place, place) if place is not None else _path(action)
    (x, y), (x2, y2) = space.numbers(start, picture), space.numbers(end, picture)
    corners = [
        space.numbers(Point(min(1, max(0, start.x + side)), min(1, max(0, start.y + side / 2))), picture)
        for side in (-_HALF_BOX, _HALF_BOX)
    ]
    direction = str(values.get("direction", "")) or _towards(start, end)
    finger = _OPPOSITE[direction]
    return values | {
        "x": x,
        "y": y,
        "x2": x2,
        "y2": y2,
        "point": [x, y],
        "point2": [x2, y2],
        "box": [*corners[0], *corners[1]],
        "direction": direction,
        "finger": finger,
        "FINGER": finger.upper(),
        "wheel": -5 if direction == "down" else 5,
    }


def _path(action: Action) -> tuple[Point, Point]:
    """Where an action begins and ends; a scroll as the way of the finger that does it."""
    start = getattr(action, "point", None) or getattr(action, "start", None) or Point(0.5, 0.5)
    end = getattr(action, "end", None) or start
    match getattr(action, "direction", None):
        case "down":
            return Point(start.x, min(0.9, start.y + 0.2)), Point(start.x, max(0.1, start.y - 0.2))
        case "up":
            return Point(start.x, max(0.1, start.y - 0.2)), Point(start.x, min(0.9, start.y + 0.2))
        case "right":
            return Point(min(0.9, start.x + 0.3), start.y), Point(max(0.1, start.x - 0.3), start.y)
        case "left":
            return Point(max(0.1, start.x - 0.3), start.y), Point(min(0.9, start.x + 0.3), start.y)
    return start, end


def _towards(start: Point, end: Point) -> str:
    """The content's direction of a finger's way."""
    if abs(end.x - start.x) > abs(end.y - start.y):
        return "left" if end.x > start.x else "right"
    return "up" if end.y > start.y else "down"


def function_call(
    action: Action, tools: tuple[dict[str, Any], ...], space: Space, picture: tuple[int, int]
) -> ToolCall:
    """The offered function of the action's name, with the arguments that it takes and nothing else."""
    values = action.model_dump(mode="json", exclude={"type", "target"})
    tools = tools or (_as_function(action),)
    tool = next((tool for tool in tools if tool["name"] == action.type), None)
    if tool is None:
        tool, values = next((tool for tool in tools if tool["name"] == "wait"), tools[0]), {}
    arguments: dict[str, Any] = {}
    for key, schema in tool.get("parameters", {}).get("properties", {}).items():
        name, _, axis = key.rpartition("_")
        point = getattr(action, "point" if key in ("x", "y") else name or key, None)
        if isinstance(point, Point) and (key in ("x", "y") or axis in ("x", "y")):
            arguments[key] = space.numbers(point, picture)["xy".index(axis or key)]
        elif isinstance(point := getattr(action, key, None), Point) and schema.get("type") == "array":
            x, y = space.numbers(point, picture)
            arguments[key] = [y, x] if space.yx else [x, y]
        elif isinstance(value := values.get(key), str):
            arguments[key] = value
    return ToolCall(tool["name"], json.dumps(arguments, ensure_ascii=False))


def _as_function(action: Action) -> dict[str, Any]:
    """A function for an action, where the prompt describes it and the request offers none."""
    properties: dict[str, Any] = {}
    for key in action.model_dump(exclude={"type", "target"}):
        if isinstance(getattr(action, key), Point):
            properties |= {name: {} for name in (("x", "y") if key == "point" else (f"{key}_x", f"{key}_y"))}
        else:
            properties[key] = {}
    return {"name": action.type, "parameters": {"properties": properties}}


def function_space(tools: tuple[dict[str, Any], ...], prompt: str) -> Space:
    """The coordinates that the functions state: their largest number, else pixels; y first where said."""
    click = next((tool for tool in tools if tool["name"] == "click"), None)
    properties = click.get("parameters", {}).get("properties", {}) if click else {}
    number = properties.get("x") or properties.get("point", {}).get("items") or {}
    yx = bool(re.search(r"\[y, ?x\]|y before x", prompt))
    if not number:
        return Space(units=1000)
    return Space(units=number["maximum"], yx=yx) if "maximum" in number else Space(pixels=True, yx=yx)
