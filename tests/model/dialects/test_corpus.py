"""Replies as models have really written them, odd and broken: `corpus/` says how each is to be taken.

In the replies `<<pair>>` stands for the point `here` in the dialect's coordinates, `<<pair there>>` for
`there`, `<<box>>` for a box around `here`, and so on; `<<far>>` lies outside of every screen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from assistant.cli.main import app
from assistant.model.dialects import registry
from assistant.model.dialects.base import Dialect, MalformedReply, ModelReply, ToolCall
from assistant.model.streamed_reply import split_thought
from assistant.model.types import SentImage
from assistant.records import Point
from tests.model.strategies import points_of, without_points
from tests.tables import each

HERE, THERE = Point(0.5, 0.25), Point(0.25, 0.75)
FRAME = SentImage(560, 1288, centres=(HERE, THERE))
FILES = sorted(Path(__file__).with_name("corpus").glob("*.yaml"))
Case = dict[str, Any]


CORPORA = {file.stem: yaml.load(file.read_text("utf-8"), Loader=yaml.CSafeLoader) for file in FILES}


def cases(kind: str) -> Iterator[Any]:
    """Each dialect with the cases of each file that speaks it."""
    for stem, corpus in CORPORA.items():
        for name in corpus["dialects"]:
            yield pytest.param(registry.get(name), corpus[kind], id=f"{name}-{stem}")


def filled(text: str, dialect: Dialect) -> str:
    """A reply with the dialect's coordinates."""
    here, there = (dialect.space.place(point, FRAME) for point in (HERE, THERE))
    corners = [dialect.space.place(Point(x, y), FRAME) for x, y in ((0.25, 0.125), (0.75, 0.375))]
    box = [number for corner in corners for number in corner]
    x, y = reversed(here) if dialect.space.yx else here
    values = {
        "x": f"{x:g}",
        "y": f"{y:g}",
        "pair": ", ".join(f"{one:g}" for one in here),
        "pair there": ", ".join(f"{one:g}" for one in there),
        "spaced": " ".join(f"{one:g}" for one in here),
        "spaced there": " ".join(f"{one:g}" for one in there),
        "box": ", ".join(f"{one:g}" for one in box),
        "spaced box": " ".join(f"{one:g}" for one in box),
        "far": "99999, 5",
    }
    for name, value in values.items():
        text = text.replace(f"<<{name}>>", value)
    assert "<<" not in text
    return text


def reply_of(case: Case, dialect: Dialect) -> ModelReply:
    calls = tuple(ToolCall(name, filled(arguments, dialect)) for name, arguments in case.get("calls", ()))
    return ModelReply(split_thought(filled(case.get("text", ""), dialect))[1], calls)


@each(("dialect", "given"), cases("read"))
def test_odd_replies_are_read(dialect: Dialect, given: list[Case]) -> None:
    for case in given:
        reply = reply_of(case, dialect)
        meant = {
            key: {"here": HERE, "there": THERE}.get(str(value), value)
            for key, value in case["action"].items()
        }

        action = dialect.parse(reply, FRAME)

        texts = {key: value for key, value in without_points(action).items() if value != ""}
        wanted = {key: value for key, value in meant.items() if key not in ("point", "start", "end")}
        assert texts == wanted, case
        points = [point for key in ("point", "start", "end") if (point := meant.get(key))]
        for got, point in zip(points_of(action), points, strict=True):
            assert got == pytest.approx(tuple(point), abs=0.002), case
        assert dialect.thought(reply) == case.get("thought", ""), case


@each(("dialect", "given"), cases("malformed"))
def test_broken_replies_are_malformed_and_the_reason_helps(dialect: Dialect, given: list[Case]) -> None:
    for case in given:
        with pytest.raises(MalformedReply) as caught:
            pytest.fail(f"{case} is read as {dialect.parse(reply_of(case, dialect), FRAME)}")
        assert case["says"].casefold() in str(caught.value).casefold(), case


REPLIES = [
    json.loads(line) for line in Path(__file__).with_name("replies.jsonl").read_text("utf-8").splitlines()
]


@cache
def dialect_of(model: str) -> Dialect:
    """The dialect of a model that the settings name none for."""
    return registry.choose("", model)


def matches(meant: Any, action: Any) -> bool:
    """Whether an action is what a person reads: its type alone, or with its text or its points."""
    if isinstance(meant, str):
        return bool(action.type == meant)
    kind, *rest = meant
    texts = [value for key, value in without_points(action).items() if key not in ("type", "content")]
    if kind != action.type:
        return False
    numbers = [number for number in rest if not isinstance(number, str)]
    words = [word for word in rest if isinstance(word, str)]
    given = [number for point in points_of(action) for number in point][: len(numbers)]
    return numbers == pytest.approx(given, abs=0.004) and all(word in texts for word in words)


def misread(case: Case) -> str:
    """How a reply is read, where a person reads it otherwise."""
    width, height = map(int, case["screen"].split("x"))
    calls = tuple(
        ToolCall(name, given if isinstance(given, str) else json.dumps(given))
        for name, given in case.get("calls", ())
    )
    reply = ModelReply(split_thought(case["reply"])[1], calls)
    try:
        actions = dialect_of(case["model"]).read(reply, SentImage(width, height)).actions
    except MalformedReply as error:
        return "" if case["expected"] == "M" else f"{case['reply']} is refused: {error}"
    told = f"{case['reply']} is read as {actions}"
    if case["expected"] == "M" or len(actions) != len(case["expected"]):
        return told
    return "" if all(map(matches, case["expected"], actions)) else told


@each("model", sorted({case["model"] for case in REPLIES}))
def test_replies_of_all_families_are_read_as_a_person_reads_them(model: str) -> None:
    problems = [misread(case) for case in REPLIES if case["model"] == model]
    assert not [problem for problem in problems if problem]


STRANGERS = [
    json.loads(line)
    for line in Path(__file__).with_name("strangers_replies.jsonl").read_text("utf-8").splitlines()
]
"""Replies by somebody who knew the families' documents and not these readers.

`expect` is what a person reads, in the form of `assistant models parse`, or `any_of` several readings. A
family that clears a field before it types is expected to type alone.
"""


def agrees(expected: Any, given: Any) -> bool:
    """Whether what is given holds all that is expected, points within .004.

    `finger` is where the finger of a swipe moves.
    """
    match expected:
        case {"type": "swipe", "finger": finger}:
            (from_x, from_y), (to_x, to_y) = given["start"], given["end"]
            across, down = to_x - from_x, to_y - from_y
            sideways = "left" if across < 0 else "right"
            return bool(finger == (sideways if abs(across) > abs(down) else "up" if down < 0 else "down"))
        case dict():
            return all(key in given and agrees(value, given[key]) for key, value in expected.items())
        case list():
            return len(expected) == len(given) and all(map(agrees, expected, given))
        case int() | float():
            return bool(given == pytest.approx(expected, abs=0.004))
        case _:
            return bool(expected == given)


def accepts(case: Case, given: Case) -> bool:
    """Whether what is given is one of the readings of a stranger's reply; clearing before typing aside."""
    alternatives = case["expect"]["any_of"] if isinstance(case["expect"], dict) else [case["expect"]]
    if "actions" not in given:
        return "malformed" in alternatives
    readings = [reading for reading in alternatives if reading != "malformed"]
    return any(agrees(*map(without_clearing, (reading, given["actions"]))) for reading in readings)


def without_clearing(actions: list[Case]) -> list[Case]:
    return [action for action in actions if action.get("type") != "clear"]


def test_strangers_replies_are_read_as_they_expect(tmp_path: Path) -> None:
    lines = [{key: case[key] for key in case.keys() - {"expect", "why"}} for case in STRANGERS]
    file = tmp_path / "replies.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")

    shown = CliRunner().invoke(app, ["models", "parse", "--file", str(file), "--json"])

    given = [json.loads(line) for line in shown.stdout.splitlines()]
    otherwise = [
        (case["why"], reading)
        for case, reading in zip(STRANGERS, given, strict=True)
        if not accepts(case, reading)
    ]
    assert not otherwise


@each("dialect", registry.available())
def test_every_dialect_has_replies_that_are_read_and_replies_that_are_refused(dialect: Dialect) -> None:
    for kind in ("read", "malformed"):
        corpus = sum(len(case.values[1]) for case in cases(kind) if case.values[0] is dialect)
        own = [case for case in REPLIES if dialect_of(case["model"]) is dialect]
        if dialect.name != "anthropic_computer":
            assert corpus + sum((case["expected"] == "M") is (kind == "malformed") for case in own) >= 3
