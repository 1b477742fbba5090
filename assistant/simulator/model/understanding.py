"""Reads a request: family, instruction, screen, history, notes; checks that its pictures decode.

Everything is taken from what was sent, in whatever words it says so. What a picture shows is read in it
(`assistant.simulator.model.eye`) where that is asked for, since it takes a second; else the simulated phone
tells it (`assistant.simulator.ui.drawn`), where a request has a picture and no list of elements.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from PIL import Image, UnidentifiedImageError

from assistant.records import Point
from assistant.simulator.model import history
from assistant.simulator.model.eye import Reader, look
from assistant.simulator.model.families import Family, Space, family_of, function_space
from assistant.simulator.model.screen import Item, Screen
from assistant.simulator.model.situation import Situation
from assistant.simulator.model.tokens import Token, message_texts, prompt_pieces
from assistant.simulator.model.writing import written

_ELEMENT = re.compile(
    r'(?P<number>\d+)[.:]? (?P<kind>\w+) (?P<label>"(?:[^"\\]|\\.)*")(?: hint=(?P<hint>"(?:[^"\\]|\\.)*"))?'
    r" \[(?P<flags>[\w ]*)\] \((?P<first>\d+(?:\.\d+)?), ?(?P<second>\d+(?:\.\d+)?)\)"
)
_TASK = re.compile(
    r"^(?:#+ *)?(?:User[_ ][Ii]nstruction|(?:The u|U)ser query|Task|Instruction|Goal|任务|用户指令|用户任务)"
    r"[^:：\n]{0,30}[:：][ \t]*(?P<said>\S[^\n]*)$|<Question>\s*(?P<asked>[^\n]+?)\s*</Question>",
    re.MULTILINE,
)
_KEYBOARD = re.compile(r"^[^\n]*Keyboard: (?:is )?shown", re.MULTILINE)
_NOTE = re.compile(r"^(?:- )(?P<note>\S[^\n]*)$", re.MULTILINE)
_READ_IN_PICTURE = "read"
"""The kind of an element of which only the words are there, read in the picture."""
_DATA_URL = re.compile(r"data:image/(?:png|jpe?g|webp);base64,(?P<data>.*)", re.DOTALL)


class BadRequest(Exception):
    """The request is not one that a real endpoint would take."""

    def __init__(self, message: str, code: str = "invalid_value", param: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.param = param


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, read. `picture` is the size of the one that shows the screen.

    `prompt` is all that it says in words. `written` is the answer where text is asked for, not an action;
    `miswritten` is a bad one.
    `blind` tells that only the picture, which `image` holds, shows the screen: no elements are listed, or
    only words that somebody read in it.
    """

    model: str
    family: Family
    space: Space
    situation: Situation
    picture: tuple[int, int]
    prompt: str
    tools: tuple[dict[str, Any], ...]
    tokens: tuple[Token, ...]
    limit: int = 0
    stream: bool = False
    include_usage: bool = False
    written: str | None = None
    miswritten: str | None = None
    blind: bool = False
    image: bytes = field(default=b"", repr=False)

    def looking(self, reader: Reader) -> Asked:
        """The same request with what can be read in its picture. Blocks for about a second."""
        screen = look(self.image, self.situation.screen, reader)
        return replace(self, situation=replace(self.situation, screen=screen), blind=False)

    def seeing(self, drawn: Mapping[str, Any]) -> Asked:
        """The same request with what its picture shows, as the phone tells it."""
        return replace(self, situation=replace(self.situation, screen=_drawn_screen(drawn)), blind=False)


def read_request(body: object, family: str = "") -> Asked:
    """Read the body of a chat completions request, for a family or the one that the model's name means.

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
    images = [_image(part) for message in messages for part in _parts(message, "image_url")]
    pictures = [_picture_size(image) for image in images]
    tools = tuple(
        tool["function"] for tool in body.get("tools") or [] if isinstance(tool, dict) and "function" in tool
    )
    prompt = "\n".join(text for message in messages for text in message_texts(message))
    chosen = family_of(family, body["model"], prompt, bool(tools))
    space = function_space(tools, prompt) if chosen.general else chosen.space
    picture = _size(prompt, pictures)
    situation = _situation(messages, space, picture)
    options = body.get("stream_options") or {}
    return Asked(
        model=body["model"],
        family=chosen,
        space=space,
        situation=situation,
        picture=picture,
        prompt=prompt,
        tools=tools,
        tokens=prompt_pieces(messages, body.get("tools") or [], pictures),
        limit=int(body.get("max_completion_tokens") or body.get("max_tokens") or 0),
        stream=bool(body.get("stream")),
        include_usage=bool(options.get("include_usage")),
        written=written(messages),
        miswritten=written(messages, wrongly=True),
        image=images[-1] if images else b"",
        blind=bool(pictures) and _only_pictured(situation.screen, prompt),
    )


def _only_pictured(screen: Screen, prompt: str) -> bool:
    """Whether the list adds nothing to the picture; words read in it lack the icons, which a model sees."""
    if screen.items:
        return all(item.kind == _READ_IN_PICTURE for item in screen.items)
    return "\n<screen>\n" not in prompt


def _situation(messages: list[dict[str, Any]], space: Space, picture: tuple[int, int]) -> Situation:
    """What the conversation tells. The last message of the user that holds facts shows the screen."""
    last = _last_facts(messages)
    facts = "\n".join(message_texts(messages[last]))
    before, opened, rest = facts.partition("\n<screen>\n")
    listed, _, after = rest.rpartition("\n</screen>") if opened else ("", "", "")
    around = f"{before}\n{after}"
    app = re.search(r'^App_in_front: ("(?:[^"\\]|\\.)*")(?: \(("(?:[^"\\]|\\.)*")\))?', around, re.MULTILINE)
    opening = next((place for place, message in enumerate(messages) if message.get("role") == "user"), last)
    older = history.listed("\n".join(message_texts(messages[opening]))) if opening < last else ()
    past = [*older, *history.turns(messages[: last + 1]), *history.listed(around)]
    return Situation(
        instruction=_instruction(messages, around),
        screen=Screen(
            items=tuple(_items(listed, space, picture)),
            app=json.loads(app[1]) if app else "",
            package=json.loads(app[2]) if app and app[2] else "",
            keyboard=bool(_KEYBOARD.search(around)),
        ),
        history=tuple(past),
        notes=tuple(_notes(around)),
    )


def _last_facts(messages: list[dict[str, Any]]) -> int:
    """The place of the last message of the user that shows a screen, else of the last one at all."""
    for place in range(len(messages) - 1, -1, -1):
        text = "\n".join(message_texts(messages[place]))
        shows = "<screen>\n" in text or _parts(messages[place], "image_url") or "Screen_description" in text
        if messages[place].get("role") == "user" and shows:
            return place
    return len(messages) - 1


def _instruction(messages: list[dict[str, Any]], around: str) -> str:
    """The task, from the message with the screen or the first of the user that names one."""
    texts = [
        around,
        *("\n".join(message_texts(message)) for message in messages if message.get("role") == "user"),
    ]
    for text in texts:
        matches = list(_TASK.finditer(text))
        if matches:
            return _IN_APP.sub("", (matches[-1]["said"] or matches[-1]["asked"]).strip())
    return ""


_IN_APP = re.compile(r"^On [A-Z][\w ]*, ")
"""The app in front of an order that ends in a message; each message has but one app here."""


def _notes(around: str) -> Iterator[str]:
    """What stands behind `Notes:`, up to the end of the list."""
    block = re.search(r"^Notes:\n((?:- .*\n?)*)", around, re.MULTILINE)
    for note in _NOTE.finditer(block[1] if block else ""):
        yield note["note"]


def _items(listed: str, space: Space, picture: tuple[int, int]) -> Iterator[Item]:
    for line in listed.splitlines():
        if match := _ELEMENT.fullmatch(line):
            point = space.point(float(match["first"]), float(match["second"]), picture)
            hint = json.loads(match["hint"]) if match["hint"] else ""
            flags = frozenset(match["flags"].split())
            place = int(match["number"])
            yield Item(place, match["kind"], json.loads(match["label"]), point, hint, flags)


def _drawn_screen(drawn: Mapping[str, Any]) -> Screen:
    """The screen as a picture shows it: what lies in the middle of each mark that was drawn."""
    width, height = drawn.get("size", (1, 1))
    items = tuple(
        Item(
            place,
            mark["kind"],
            mark["words"],
            Point(
                (mark["box"][0] + mark["box"][2]) / 2 / width, (mark["box"][1] + mark["box"][3]) / 2 / height
            ),
            mark["hint"],
            frozenset(mark["flags"]),
        )
        for place, mark in enumerate(drawn.get("marks", ()), 1)
    )
    return Screen(items, drawn.get("app", ""), drawn.get("package", ""), bool(drawn.get("keyboard")))


def _size(prompt: str, pictures: list[tuple[int, int]]) -> tuple[int, int]:
    """The size of the picture of the screen; without one, the size that the request states."""
    if pictures:
        return pictures[-1]
    match = re.search(r"^Screen_width_height: \((\d+), ?(\d+)\)", prompt, re.MULTILINE)
    return (int(match[1]), int(match[2])) if match and int(match[1]) and int(match[2]) else (1000, 1000)


def _parts(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    content = message.get("content")
    if not isinstance(content, list):
        return []
    return [part for part in content if isinstance(part, dict) and part.get("type") == kind]


def _image(part: dict[str, Any]) -> bytes:
    """The picture of a message's part as a file.

    Raises:
        BadRequest: it is no base64 data URL.
    """
    url = part.get("image_url")
    address = url.get("url") if isinstance(url, dict) else url
    match = _DATA_URL.fullmatch(address) if isinstance(address, str) else None
    if match is None:
        raise BadRequest("Only pictures as base64 data URLs are taken.", "invalid_image_url", "messages")
    try:
        return base64.b64decode(match["data"], validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadRequest("The picture cannot be decoded.", "image_parse_error", "messages") from error


def _picture_size(image: bytes) -> tuple[int, int]:
    try:
        with Image.open(io.BytesIO(image)) as picture:
            picture.load()
            return picture.size
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise BadRequest("The picture cannot be decoded.", "image_parse_error", "messages") from error
