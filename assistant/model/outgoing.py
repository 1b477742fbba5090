"""What one request to the endpoint holds, for the user's own log: no key, and no picture but its size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from assistant.model.prompts import ChatMessage
from assistant.settings.schema import ModelSettings


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request that is about to leave.

    `endpoint` is its address without user and password. `picture_bytes` are those of the screenshot as it is
    sent, 0 for none. `parts` are role and text of each message, in order.
    """

    endpoint: str
    model: str
    text_bytes: int
    picture_bytes: int
    parts: tuple[tuple[str, str], ...]


def outgoing(messages: Sequence[ChatMessage], settings: ModelSettings) -> Outgoing:
    """What some messages hold."""
    parts = tuple(part for one in messages for part in _texts(one))
    pictures = sum(len(url) for one in messages for url in _pictures(one))
    words = sum(len(text.encode("utf-8", "replace")) for _, text in parts)
    return Outgoing(address(settings.base_url), settings.name, words, pictures, parts)


def address(base_url: str) -> str:
    """Scheme, host, port and path of an address; what it says of user, password or key is left out."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _contents(message: ChatMessage) -> list[dict[str, Any]]:
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _texts(message: ChatMessage) -> Iterator[tuple[str, str]]:
    for one in _contents(message):
        if one["type"] == "text":
            yield str(message["role"]), str(one["text"])
    for call in message.get("tool_calls") or ():
        yield str(message["role"]), f"{call['function']['name']}({call['function']['arguments']})"


def _pictures(message: ChatMessage) -> Iterator[str]:
    return (one["image_url"]["url"] for one in _contents(message) if one["type"] == "image_url")
