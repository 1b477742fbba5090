"""What families of general models count in when they call functions."""

from __future__ import annotations

from functools import partial

from assistant.model.dialects.spaces import PIXELS, THOUSANDTHS, UNIT, Space
from assistant.model.dialects.tool_calls import ToolCalls
from assistant.model.frame import smart_resize

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
