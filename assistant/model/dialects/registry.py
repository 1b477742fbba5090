"""All dialects, and which one a model speaks: by the setting `model.dialect`, else by the model's name.

The families that call functions differ only in their coordinates and are listed here; the others have a
module each.
"""

from __future__ import annotations

from functools import partial

from assistant.i18n import _
from assistant.model.dialects.android_world import ANDROID_WORLD
from assistant.model.dialects.autoglm import AUTOGLM
from assistant.model.dialects.base import (
    PIXELS,
    THOUSANDTHS,
    UNIT,
    Dialect,
    MalformedReply,
    ModelReply,
    Space,
    ToolCall,
)
from assistant.model.dialects.fingertip import FingerTip
from assistant.model.dialects.gelab_zero import GELAB_ZERO
from assistant.model.dialects.mobimind import MOBIMIND
from assistant.model.dialects.qwen import GUI_OWL, MAI_UI, QWEN2_5_VL, QWEN3_VL
from assistant.model.dialects.spoken import plain_name
from assistant.model.dialects.tool_calls import ToolCalls
from assistant.model.dialects.ui_tars import UI_TARS, UI_TARS_1_5
from assistant.model.types import smart_resize

_CLAUDE_PIXELS = 1_150_000
"""Larger pictures are scaled down by the provider, and the model counts the pixels of what is left."""

FAMILIES = (
    ToolCalls(
        "gpt",
        "GPT: function calls; coordinates in pixels of the screenshot",
        r"gpt|^(openai)?o[1345](?![0-9])",
        PIXELS,
    ),
    ToolCalls(
        "claude",
        "Claude: function calls; coordinates in pixels of the screenshot",
        "claude",
        Space(resize=partial(smart_resize, factor=1, least=1, most=_CLAUDE_PIXELS)),
    ),
    ToolCalls(
        "gemini",
        "Gemini: function calls; coordinates 0..1000, y before x",
        "gemini|gemma",
        Space(1000, yx=True),
        lists=True,
    ),
    ToolCalls("glm", "GLM: function calls; coordinates 0..1000", "glm", THOUSANDTHS, lists=True),
    ToolCalls("kimi", "Kimi: function calls; coordinates 0..1", "kimi|moonshot", UNIT),
)
"""Those that differ from `tool_calls`, which counts 0..1000 in x and y."""


__all__ = [
    "Dialect",
    "MalformedReply",
    "ModelReply",
    "ToolCall",
    "UnknownDialect",
    "available",
    "choose",
    "get",
]

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
