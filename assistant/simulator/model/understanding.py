"""Reads a request: dialect, instruction, screen, history, notes; checks that the picture decodes.

Everything is taken from what was sent. The layout of the facts is that of FingerTip's prompt (A.5.2),
extended, as `assistant/model/prompts.py` describes it.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PIL import Image, UnidentifiedImageError

from assistant.records import Point
from assistant.simulator.model.screen import Item, Screen
from assistant.simulator.model.situation import Past, Situation
from assistant.simulator.model.tokens import message_texts, prompt_tokens

_ELEMENT = re.compile(
    r'\d+ (?P<kind>\w+) (?P<label>"(?:[^"\\]|\\.)*")(?: hint=(?P<hint>"(?:[^"\\]|\\.)*"))?'
    r" \[(?P<flags>[\w ]*)\] \((?P<x>\d+(?:\.\d+)?), ?(?P<y>\d+(?:\.\d+)?)\)"
)
_PAST = re.compile(
    r"\d+\. (?P<action>.*?)(?: \| (?:by the user|replayed from memory))?(?: \| not performed: "
    r"(?P<error>.*))?$"
)
_CALL = re.compile(r"(?P<name>\w+)\((?P<arguments>.*)\)")
_QUOTED = re.compile(
    r"(?:content|text|name|direction|answer|reason|question)="
    r"(?P<quoted>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
)
_TEXTS = ("content", "text", "name", "direction", "answer", "reason", "question")
_DATA_URL = re.compile(r"data:image/(?:png|jpe?g|webp);base64,(?P<data>.*)", re.DOTALL)


class Dialect(StrEnum):
    """How the answer is to be written."""

    TOOLS = "tools"
    FINGERTIP = "fingertip"


class BadRequest(Exception):
    """The request is not one that a real endpoint would take."""

    def __init__(self, message: str, code: str = "invalid_value", param: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.param = param


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, read. `space` is the width and height of the coordinates that the dialect uses."""

    model: str
    dialect: Dialect
    situation: Situation
    space: tuple[int, int]
    tools: tuple[dict[str, Any], ...]
    prompt_tokens: int
    stream: bool = False
    include_usage: bool = False
    repeated: bool = False


def read_request(body: object) -> Asked:
    """Read the body of a chat completions request.

    Raises:
        BadRequest: no object, no messages, or a picture that does not decode.
    """
    if not isinstance(body, dict):
        raise BadRequest("The body must be an object.")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(one, dict) for one in messages):
        raise BadRequest("'messages' must be a non-empty array of messages.", param="messages")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise BadRequest("you must provide a model parameter", param="model")
    images = [_picture_size(part) for message in messages for part in _parts(message, "image_url")]
    tools = tuple(
        tool["function"] for tool in body.get("tools") or [] if isinstance(tool, dict) and "function" in tool
    )
    facts = _facts(messages)
    size = _size(facts, images)
    space = _tool_space(tools, size) if tools else size
    options = body.get("stream_options") or {}
    return Asked(
        model=body["model"],
        dialect=Dialect.TOOLS if tools else Dialect.FINGERTIP,
        situation=_situation(facts, space),
        space=space,
        tools=tools,
        prompt_tokens=prompt_tokens(messages, body.get("tools") or [], images),
        stream=bool(body.get("stream")),
        include_usage=bool(options.get("include_usage")),
        repeated=messages[-1].get("role") != "user" or "## Input" not in "".join(message_texts(messages[-1])),
    )


def _facts(messages: list[dict[str, Any]]) -> str:
    for message in reversed(messages):
        text = "\n".join(message_texts(message))
        if message.get("role") == "user" and "User_instruction:" in text:
            return text[text.rindex("## Input") if "## Input" in text else 0 :]
    return "\n".join(message_texts(messages[-1]))


def _situation(facts: str, space: tuple[int, int]) -> Situation:
    before, opened, rest = facts.partition("\n<screen>\n")
    listed, _, after = rest.rpartition("\n</screen>")
    head, tail = (before, after) if opened else (facts, facts)
    app = re.search(r'^App_in_front: ("(?:[^"\\]|\\.)*")(?: \(("(?:[^"\\]|\\.)*")\))?', head, re.MULTILINE)
    return Situation(
        instruction=_value(head, "User_instruction"),
        screen=Screen(
            items=tuple(_items(listed if opened else "", space)),
            app=json.loads(app[1]) if app else "",
            package=json.loads(app[2]) if app and app[2] else "",
            keyboard=_value(head, "Keyboard") == "shown",
        ),
        history=tuple(map(_past, _list(tail, "Previous_actions"))),
        notes=tuple(note.removeprefix("- ") for note in _list(tail, "Notes")),
    )


def _items(listed: str, space: tuple[int, int]) -> list[Item]:
    items = []
    for place, line in enumerate(listed.splitlines()):
        match = _ELEMENT.fullmatch(line)
        if match:
            point = Point(float(match["x"]) / space[0], float(match["y"]) / space[1])
            hint = json.loads(match["hint"]) if match["hint"] else ""
            flags = frozenset(match["flags"].split())
            items.append(Item(place, match["kind"], json.loads(match["label"]), point, hint, flags))
    return items


def _past(line: str) -> Past:
    match = _PAST.match(line)
    if match is None:
        return Past("unknown", line)
    error = match["error"] or ""
    action = match["action"]
    if action.startswith("{"):
        try:
            called = json.loads(action)
        except json.JSONDecodeError:
            return Past("unknown", action, error)
        arguments = called.get("arguments", {})
        detail = next((str(arguments[key]) for key in _TEXTS if arguments.get(key)), "")
        return Past(str(called.get("name")), detail, error)
    call = _CALL.match(action)
    if call is None:
        return Past("unknown", action, error)
    quoted = _QUOTED.search(call["arguments"])
    return Past(call["name"], re.sub(r"\\(.)", r"\1", quoted["quoted"][1:-1]) if quoted else "", error)


def _list(text: str, title: str) -> list[str]:
    match = re.search(rf"^{title}:\n((?:(?:\d+\.|-) .*\n?)*)", text, re.MULTILINE)
    return match[1].splitlines() if match else []


def _value(text: str, title: str) -> str:
    match = re.search(rf"^{title}: (.*)$", text, re.MULTILINE)
    return match[1].strip() if match else ""


def _size(facts: str, images: list[tuple[int, int]]) -> tuple[int, int]:
    match = re.search(r"^Screen_width_height: \((\d+), ?(\d+)\)", facts, re.MULTILINE)
    if match and int(match[1]) and int(match[2]):
        return int(match[1]), int(match[2])
    return images[-1] if images else (1000, 1000)


def _tool_space(tools: tuple[dict[str, Any], ...], size: tuple[int, int]) -> tuple[int, int]:
    click = next((tool for tool in tools if tool.get("name") == "click"), {})
    properties = click.get("parameters", {}).get("properties", {})
    largest = [properties.get(axis, {}).get("maximum", side) for axis, side in zip("xy", size, strict=True)]
    return int(largest[0]), int(largest[1])


def _parts(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    content = message.get("content")
    if not isinstance(content, list):
        return []
    return [part for part in content if isinstance(part, dict) and part.get("type") == kind]


def _picture_size(part: dict[str, Any]) -> tuple[int, int]:
    url = part.get("image_url")
    address = url.get("url") if isinstance(url, dict) else url
    match = _DATA_URL.fullmatch(address) if isinstance(address, str) else None
    if match is None:
        raise BadRequest("Only pictures as base64 data URLs are taken.", "invalid_image_url", "messages")
    try:
        with Image.open(io.BytesIO(base64.b64decode(match["data"], validate=True))) as picture:
            picture.load()
            return picture.size
    except (binascii.Error, UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise BadRequest("The picture cannot be decoded.", "image_parse_error", "messages") from error
