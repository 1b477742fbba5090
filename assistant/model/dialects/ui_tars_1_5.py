"""UI-TARS 1.5: the words of UI-TARS, in pixels of the screenshot in the size that Qwen2.5-VL sees."""

from __future__ import annotations

from assistant.model.dialects.spaces import patches
from assistant.model.dialects.ui_tars import speak

UI_TARS_1_5 = speak(
    "ui_tars_1_5",
    "UI-TARS 1.5: Thought and Action; coordinates in pixels of the resized screenshot",
    "uitars15",
    patches(28, least=100 * 28 * 28, most=16384 * 28 * 28),
    "(x,y) counts pixels of the screenshot from its upper left corner; Screen_width_height is its size.",
)
