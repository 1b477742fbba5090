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
from typing import Any

from PIL import Image, UnidentifiedImageError

from assistant.model.dialects.base import Dialect, MalformedReply
from assistant.model.types import SentImage
from assistant.simulator.model.hearing import dialect_of, listed_past, told_past
from assistant.simulator.model.screen import Item, Screen
from assistant.simulator.model.situation import Situation
from assistant.simulator.model.tokens import message_texts, prompt_tokens
from assistant.simulator.model.writing import written

_ELEMENT = re.compile(
    r'\d+ (?P<kind>\w+) (?P<label>"(?:[^"\\]|\\.)*")(?: hint=(?P<hint>"(?:[^"\\]|\\.)*"))?'
    r" \[(?P<flags>[\w ]*)\] \((?P<x>\d+(?:\.\d+)?), ?(?P<y>\d+(?:\.\d+)?)\)"
)
_DATA_URL = re.compile(r"data:image/(?:png|jpe?g|webp);base64,(?P<data>.*)", re.DOTALL)


class BadRequest(Exception):
    """The request is not one that a real endpoint would take."""

    def __init__(self, message: str, code: str = "invalid_value", param: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.param = param


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, read. `frame` is the size of the picture, the dialect's coordinates lie in it.

    `written` is the answer where text is asked for, not an action.
    """

    model: str
    dialect: Dialect
    situation: Situation
    frame: SentImage
    tools: tuple[dict[str, Any], ...]
    prompt_tokens: int
    stream: bool = False
    include_usage: bool = False
    written: str | None = None


def read_request(body: object) -> Asked:
    """Read the body of a chat completions request.

    Raises:
        BadRequest: no object, no messages, or a picture that does not decode.
    """
    if not isinstance(body, dict):
        raise BadRequest("The body must be an object.")
    messages = body.get("messages")
    if (
        not isinstance(messages, list)
        or not messages
        or not all(isinstance(message, dict) for message in messages)
    ):
        raise BadRequest("'messages' must be a non-empty array of messages.", param="messages")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise BadRequest("you must provide a model parameter", param="model")
    images = [_picture_size(part) for message in messages for part in _parts(message, "image_url")]
    tools = tuple(
        tool["function"] for tool in body.get("tools") or [] if isinstance(tool, dict) and "function" in tool
    )
    last = _last_asked(messages)
    facts = _facts(messages[last])
    frame = SentImage(*_size(facts, images))
    dialect = dialect_of(messages, bool(tools), frame)
    options = body.get("stream_options") or {}
    return Asked(
        model=body["model"],
        dialect=dialect,
        situation=_situation(facts, messages[: last + 1], dialect, frame),
        frame=frame,
        tools=tools,
        prompt_tokens=prompt_tokens(messages, body.get("tools") or [], images),
        stream=bool(body.get("stream")),
        include_usage=bool(options.get("include_usage")),
        written=written(messages),
    )


def _last_asked(messages: list[dict[str, Any]]) -> int:
    """The place of the last message that holds facts, else of the last one."""
    for place in range(len(messages) - 1, -1, -1):
        text = "\n".join(message_texts(messages[place]))
        if messages[place].get("role") == "user" and "User_instruction:" in text:
            return place
    return len(messages) - 1


def _facts(message: dict[str, Any]) -> str:
    text = "\n".join(message_texts(message))
    return text[text.rindex("## Input") if "## Input" in text else 0 :]


def _situation(facts: str, messages: list[dict[str, Any]], dialect: Dialect, frame: SentImage) -> Situation:
    before, opened, rest = facts.partition("\n<screen>\n")
    listed, _, after = rest.rpartition("\n</screen>")
    head, tail = (before, after) if opened else (facts, facts)
    app = re.search(r'^App_in_front: ("(?:[^"\\]|\\.)*")(?: \(("(?:[^"\\]|\\.)*")\))?', head, re.MULTILINE)
    return Situation(
        instruction=_value(head, "User_instruction"),
        screen=Screen(
            items=tuple(_items(listed if opened else "", dialect, frame)),
            app=json.loads(app[1]) if app else "",
            package=json.loads(app[2]) if app and app[2] else "",
            keyboard=_value(head, "Keyboard") == "shown",
        ),
        history=(
            *told_past(messages, dialect, frame),
            *(listed_past(line, dialect, frame) for line in _list(tail, "Previous_actions")),
        ),
        notes=tuple(note.removeprefix("- ") for note in _list(tail, "Notes")),
    )


def _items(listed: str, dialect: Dialect, frame: SentImage) -> list[Item]:
    items = []
    for place, line in enumerate(listed.splitlines()):
        match = _ELEMENT.fullmatch(line)
        if match:
            try:
                point = dialect.space.point(float(match["x"]), float(match["y"]), frame)
            except MalformedReply as error:
                raise BadRequest(f"Line {place + 1} of the screen cannot be read. {error}") from error
            hint = json.loads(match["hint"]) if match["hint"] else ""
            flags = frozenset(match["flags"].split())
            items.append(Item(place, match["kind"], json.loads(match["label"]), point, hint, flags))
    return items


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
