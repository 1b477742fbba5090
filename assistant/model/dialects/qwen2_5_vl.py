"""Qwen2.5-VL and GUI-Owl 1.0: `mobile_use`, in pixels of the screenshot in the size that the model sees."""

from __future__ import annotations

from assistant.model.dialects.qwen import ANSWER, REFUSED, SWIPES, WORDS, ToolCallForm, function
from assistant.model.dialects.spaces import patches
from assistant.model.dialects.spoken import Spoken
from assistant.model.dialects.words import Vocabulary
from assistant.model.frame import Frame


def _rules(frame: Frame) -> str:
    about = f"The screen's resolution is {frame.width}x{frame.height}; coordinates are its pixels."
    return f"You are a helpful assistant.\n{function(about)}\n{ANSWER}"


QWEN2_5_VL = Spoken(
    "qwen2_5_vl",
    "Qwen2.5-VL, GUI-Owl 1.0: mobile_use; coordinates in pixels of the resized screenshot",
    r"qwen25vl|guiowl(?!15)",
    _rules,
    Vocabulary((*WORDS, *SWIPES), patches(28, least=4 * 28 * 28, most=16384 * 28 * 28), REFUSED),
    ToolCallForm(),
)
