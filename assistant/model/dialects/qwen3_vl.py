"""Qwen3-VL: `mobile_use`, 0..1000 of the screenshot."""

from __future__ import annotations

from assistant.model.dialects.qwen import ANSWER, REFUSED, SWIPES, WORDS, ToolCallForm, function
from assistant.model.dialects.spaces import THOUSANDTHS
from assistant.model.dialects.spoken import Spoken
from assistant.model.dialects.words import Vocabulary

_ABOUT = "The screen's resolution is 1000x1000, whatever the size of the screenshot."
_RULES = f"""\
{function(_ABOUT)}
{ANSWER}
# Response format
Thought: one sentence on what to do next and why
Action: one sentence that names the move and its target
then the call between <tool_call> tags."""

QWEN3_VL = Spoken(
    "qwen3_vl",
    "Qwen3-VL: mobile_use; coordinates 0..1000",
    r"qwen3vl|qwen3[5-9](?!b)",
    lambda frame: _RULES,
    Vocabulary((*WORDS, *SWIPES), THOUSANDTHS, REFUSED),
    ToolCallForm(),
)
