"""All dialects, and which one a model speaks: by the setting `model.dialect`, else by the model's name.

The families that call functions differ only in their coordinates and are listed here; the others have a
module each.
"""

from __future__ import annotations

from assistant.i18n import _
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
from assistant.model.dialects.computer_use import (
    ANTHROPIC,
    ANTHROPIC_COMPUTER,
    ANTHROPIC_SKIPPED,
    CLAUDE_LARGE,
    CLAUDE_PIXELS,
    GEMINI,
    GEMINI_COMPUTER,
    GEMINI_SKIPPED,
    MOBILERUN_XML,
    OPENAI,
    OPENAI_COMPUTER,
    OPENAI_SKIPPED,
)
from assistant.model.dialects.json_actions import (
    AGENTCPM_GUI,
    ANDROID_WORLD,
    GLM_V,
    MOBIMIND,
    MOBIMIND_PIXELS,
    OS_GENESIS,
)
from assistant.model.dialects.line_actions import GELAB_ZERO, OS_ATLAS, FingerTip
from assistant.model.dialects.qwen import (
    GROUNDING,
    GUI_OWL,
    MAI_UI,
    PYAUTOGUI,
    QWEN2_5_VL,
    QWEN3_VL,
)
from assistant.model.dialects.spoken import plain_name
from assistant.model.dialects.text_calls import AUTOGLM, UI_TARS, UI_TARS_1_5, UI_VENUS, UI_VENUS_1_0
from assistant.model.dialects.tool_calls import ToolCalls

FAMILIES = (
    ToolCalls(
        "gpt",
        "GPT: function calls; coordinates in pixels of the screenshot",
        r"gpt|^(openai)?o[1345](?![0-9])",
        PIXELS,
        words=OPENAI,
        skipped=OPENAI_SKIPPED,
    ),
    ToolCalls(
        "claude_large",
        "Claude from Opus 4.7 on: function calls; coordinates in pixels of a larger screenshot",
        r"claude(opus|sonnet|haiku|fable)(5|4[789])|claude(5|4[789])",
        CLAUDE_LARGE,
        words=ANTHROPIC,
        skipped=ANTHROPIC_SKIPPED,
        side=1568,
    ),
    ToolCalls(
        "claude",
        "Claude: function calls; coordinates in pixels of the screenshot",
        "claude",
        CLAUDE_PIXELS,
        words=ANTHROPIC,
        skipped=ANTHROPIC_SKIPPED,
        side=1568,
    ),
    ToolCalls(
        "gemini",
        "Gemini: function calls; coordinates 0..1000, y before x",
        "gemini|gemma",
        Space(1000, yx=True),
        lists=True,
        words=GEMINI,
        skipped=GEMINI_SKIPPED,
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
    MOBIMIND_PIXELS,
    MOBIMIND,
    GELAB_ZERO,
    GROUNDING,
    UI_VENUS_1_0,
    UI_VENUS,
    AGENTCPM_GUI,
    GLM_V,
    OS_ATLAS,
    OS_GENESIS,
    PYAUTOGUI,
    MOBILERUN_XML,
    ANTHROPIC_COMPUTER,
    GEMINI_COMPUTER,
    OPENAI_COMPUTER,
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


def is_guess(name: str, model_name: str) -> bool:
    """Whether no dialect was named and none claims the model, so that the one in use is a guess."""
    return not name and not any(d.matches(model_name) for d in _ALL if d is not _FALLBACK)


def choose(name: str, model_name: str) -> Dialect:
    """The dialect of a name; without one the first that matches the model, else tool calls.

    Raises:
        UnknownDialect: a name is given and there is none.
    """
    if name:
        return get(name)
    return next((dialect for dialect in _ALL if dialect.matches(model_name)), _FALLBACK)
