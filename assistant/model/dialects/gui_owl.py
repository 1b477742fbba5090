"""GUI-Owl 1.5: `mobile_use`, 0..1000 of the screenshot, a conclusion after it allowed."""

from __future__ import annotations

from assistant.model.dialects.qwen import ANSWER, REFUSED, SWIPES, WORDS, ToolCallForm, function
from assistant.model.dialects.spaces import THOUSANDTHS
from assistant.model.dialects.spoken import Spoken
from assistant.model.dialects.words import Vocabulary

_ABOUT = "The screen's resolution is 1000x1000. Tap the middle of a button, link or icon, not its edge."
_RULES = f"""\
{function(_ABOUT)}
{ANSWER}
# Response format
Action: a short imperative sentence that describes the step
then the call between <tool_call> tags, and nothing after it."""

GUI_OWL = Spoken(
    "gui_owl",
    "GUI-Owl 1.5: mobile_use; coordinates 0..1000",
    r"guiowl15|mobileagentv?35",
    lambda frame: _RULES,
    Vocabulary((*WORDS, *SWIPES), THOUSANDTHS, REFUSED),
    ToolCallForm(),
)
