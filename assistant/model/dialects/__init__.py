"""Dialects: how one family of models is asked for an action and how it writes it. One module each."""

from __future__ import annotations

from assistant.model.dialects.base import Dialect, MalformedReply, Reply, ToolCall
from assistant.model.dialects.fingertip import FingerTip
from assistant.model.dialects.tool_calls import ToolCalls

__all__ = ["Dialect", "MalformedReply", "Reply", "ToolCall", "UnknownDialect", "available", "choose", "get"]

_FALLBACK = ToolCalls()
_ALL: tuple[Dialect, ...] = (FingerTip(), _FALLBACK)


class UnknownDialect(ValueError):
    """There is no dialect of this name; the message lists those there are."""


def available() -> tuple[Dialect, ...]:
    """All dialects; where several match a model, the first is meant."""
    return _ALL


def get(name: str) -> Dialect:
    """The dialect of a name.

    Raises:
        UnknownDialect: there is none.
    """
    for dialect in _ALL:
        if dialect.name == name:
            return dialect
    names = ", ".join(dialect.name for dialect in _ALL)
    raise UnknownDialect(f"There is no dialect “{name}”. There are: {names}.")


def choose(name: str, model_name: str) -> Dialect:
    """The dialect of a name; without one the first that matches the model, else tool calls.

    Raises:
        UnknownDialect: a name is given and there is none.
    """
    if name:
        return get(name)
    return next((dialect for dialect in _ALL if dialect.matches(model_name)), _FALLBACK)
