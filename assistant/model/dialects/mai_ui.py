"""MAI-UI: `mobile_use` with its own action space, 0..999; a swipe's direction is the finger's."""

from __future__ import annotations

from assistant.model.dialects.qwen import REFUSED, WORDS, ToolCallForm
from assistant.model.dialects.spaces import Space
from assistant.model.dialects.spoken import Spoken
from assistant.model.dialects.words import Vocabulary, Word

_MOVE = {"point": "coordinate", "direction": "direction"}
_DRAG = {"start": "start_coordinate coordinate", "end": "end_coordinate coordinate2"}
_SWIPES = (
    Word("scroll", "swipe", _MOVE, needs=("direction",), finger=True),
    Word("swipe", "drag", _DRAG),
    Word("swipe", "swipe", _DRAG),
)
_FAILED = Word("failed", "terminate", {"reason": "text"}, fixed={"status": "fail"})
_RULES = """\
You operate a phone for its user. You see the task, your past actions and the current screenshot; give the \
next action.
## Output Format
Think inside <thinking> </thinking>, then call the function with JSON inside <tool_call> </tool_call>:
<thinking>
...
</thinking>
<tool_call>
{"name": "mobile_use", "arguments": <args-json-object>}
</tool_call>
## Action Space
{"action": "click", "coordinate": [x, y]}
{"action": "long_press", "coordinate": [x, y]}
{"action": "type", "text": ""}
{"action": "swipe", "direction": "up or down or left or right", "coordinate": [x, y]} # where the finger moves
{"action": "drag", "start_coordinate": [x1, y1], "end_coordinate": [x2, y2]}
{"action": "open", "text": "app_name"}
{"action": "system_button", "button": "button_name"} # back, home, menu (recent apps), enter
{"action": "wait"}
{"action": "ask_user", "text": "question"}
{"action": "interact", "text": "what only the user can do"}
{"action": "answer", "text": "what the user asked to know"}
{"action": "terminate", "status": "success or fail", "text": "why it fails"}
## Note
- Coordinates go from 0 to 999 on both axes of the screenshot, from its upper left corner.
- End the thinking with one sentence that names the action and its target."""

MAI_UI = Spoken(
    "mai_ui",
    "MAI-UI: mobile_use; coordinates 0..999",
    "maiui",
    lambda frame: _RULES,
    Vocabulary((_FAILED, *WORDS, *_SWIPES), Space(999), REFUSED),
    ToolCallForm(),
    in_turns=True,
)
