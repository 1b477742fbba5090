"""Dialects: how one family of models is asked for an action and how it writes it. One module each."""

from __future__ import annotations

from assistant.i18n import _
from assistant.model.dialects.android_world import ANDROID_WORLD
from assistant.model.dialects.autoglm import AUTOGLM
from assistant.model.dialects.base import Dialect, MalformedReply, Reply, ToolCall
from assistant.model.dialects.families import FAMILIES
from assistant.model.dialects.fingertip import FingerTip
from assistant.model.dialects.gelab_zero import GELAB_ZERO
from assistant.model.dialects.gui_owl import GUI_OWL
from assistant.model.dialects.mai_ui import MAI_UI
from assistant.model.dialects.mobimind import MOBIMIND
from assistant.model.dialects.qwen2_5_vl import QWEN2_5_VL
from assistant.model.dialects.qwen3_vl import QWEN3_VL
from assistant.model.dialects.spoken import plain_name
from assistant.model.dialects.tool_calls import ToolCalls
from assistant.model.dialects.ui_tars import UI_TARS
from assistant.model.dialects.ui_tars_1_5 import UI_TARS_1_5

__all__ = ["Dialect", "MalformedReply", "Reply", "ToolCall", "UnknownDialect", "available", "choose", "get"]

_FALLBACK = ToolCalls()
_ALL: tuple[Dialect, ...] = (
    FingerTip(),
    UI_TARS_1_5,
    UI_TARS,
    MAI_UI,
    GUI_OWL,
    QWEN3_VL,
    QWEN2_5_VL,
    AUTOGLM,
    MOBIMIND,
    GELAB_ZERO,
    ANDROID_WORLD,
    *FAMILIES,
    _FALLBACK,
)


class UnknownDialect(ValueError):
    """There is no dialect of this name; the message lists those there are."""


def available() -> tuple[Dialect, ...]:
    """All dialects; where several match a model, the first is meant."""
    return _ALL


def get(name: str) -> Dialect:
    """The dialect of a name; capitals, dots, dashes and underscores do not matter.

    Raises:
        UnknownDialect: there is none.
    """
    for dialect in _ALL:
        if plain_name(dialect.name) == plain_name(name):
            return dialect
    names = ", ".join(dialect.name for dialect in _ALL)
    raise UnknownDialect(
        _("There is no dialect “{name}”. There are: {names}.").format(name=name, names=names)
    )


def choose(name: str, model_name: str) -> Dialect:
    """The dialect of a name; without one the first that matches the model, else tool calls.

    Raises:
        UnknownDialect: a name is given and there is none.
    """
    if name:
        return get(name)
    return next((dialect for dialect in _ALL if dialect.matches(model_name)), _FALLBACK)
