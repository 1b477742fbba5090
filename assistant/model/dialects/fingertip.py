"""FingerTip's form: one action string, such as `click(coordinates=(x,y), content='')`.

Coordinates: pixels of the sent screenshot.
Table 2 calls some actions navigate_back, navigate_home, navigate_recent and finish; these names are read, not
written. The actions that we add have the same form: swipe(start=(x,y), end=(x,y)), press_enter(),
open_app(name=''), finished(answer=''), failed(reason=''), ask_user(question=''), take_over(reason='').
Source: FingerTip 20K, Table 2 and the prompt of A.5.2.
"""

from __future__ import annotations

from assistant.model.dialects.base import (
    NAMES,
    PIXELS,
    Call,
    MalformedReply,
    ModelReply,
    ParsedReply,
    arguments_of,
    build_action,
    join_calls,
    main_action,
    parse_point,
    point_arguments,
    text_argument,
)
from assistant.model.dialects.spoken import refuse_denied_end
from assistant.model.dialects.text_calls import CallReader, quote
from assistant.model.prompts import (
    DATA_RULE,
    MODEST_SIDE,
    ChatMessage,
    Layout,
    OwnPrompt,
    action_rules,
    conversation,
    headed_facts,
    step_facts,
    user_message,
)
from assistant.model.types import PastStep, SentImage, StepRequest
from assistant.records import Action, Point

_ALIASES = {
    "navigate_back": "press_back",
    "navigate_home": "press_home",
    "navigate_recent": "press_recent",
    "finish": "finished",
}
_KEYS = (
    "coordinates",
    "content",
    "text",
    "direction",
    "start",
    "end",
    "name",
    "answer",
    "reason",
    "question",
)
ACTION_NAMES = frozenset({*NAMES, *_ALIASES})
"""The names of actions that are read, in small letters."""

_FORM = CallReader(ACTION_NAMES, _KEYS)

_ROLE = (
    "You are an Android GUI agent. You are given an instruction and current screenshot and some "
    "supplementary information. You need to perform the next action to complete the instruction."
)
_ACTION_SPACE = """\
## Action Space
click(coordinates=(x,y), content='')
long_click(coordinates=(x,y), content='')
type(text='')
scroll(coordinates=(x,y), direction='down or up or right or left')
press_back()
press_home()
press_recent()
wait()
finished()
swipe(start=(x,y), end=(x,y))
press_enter()
open_app(name='')
finished(answer='')
failed(reason='')
ask_user(question='')
take_over(reason='')
## Note
- coordinates should represent the coordinates of the click point. The origin is the upper left corner of \
the screenshot, with x increasing to the right and y increasing downward.
- content should represent the original text at the click point or the description of the icon, usually in \
Chinese.
- text should represent all the original text that the user intends to input. (usually in Chinese, and \
usually included in User_instruction)
- press_back(), press_home(), press_recent() means that go to previous screen, home screen, recent apps \
screen, respectively.
- wait() means that wait until the next observation is received. This usually occurs during loading or \
switching windows.
- finished() means that the instruction is completed. answer is what the user asked to know, if anything.
- Screen_description contains some correct content and coordinates of the UI, which can be directly \
referenced.
- Previous_actions contains the sequence of actions you have already performed under the current \
instruction.
"""
_LAST = """\
- Write a quote inside quotes with a backslash before it.
- Only one action in Action Space can be taken. Do not output anything other than the action to take.
The action to take:"""


class FingerTip:
    """The dialect `fingertip`."""

    name = "fingertip"
    title = "FingerTip's action strings; coordinates in pixels of the screenshot"
    space = PIXELS
    layout = Layout(elements=True, picture_first=True, side=MODEST_SIDE)

    def matches(self, model_name: str) -> bool:
        """Whether the model was trained on FingerTip."""
        return "fingertip" in model_name.lower().replace("-", "").replace("_", "")

    def rules(self, frame: SentImage) -> str:
        """The action space and its notes."""
        return _ACTION_SPACE

    def messages(
        self, request: StepRequest, frame: SentImage, *, elements: bool = True, own: OwnPrompt | None = None
    ) -> list[ChatMessage]:
        """One user's message in the order of A.5.2, without the parts on other users' data."""
        if own is not None:
            return conversation(self, _ACTION_SPACE, request, frame, elements=elements, own=own)
        facts = headed_facts(step_facts(self, request, frame, elements=elements))
        notes = f"{_ACTION_SPACE}- {action_rules({})}\n- {DATA_RULE}\n{_LAST}"
        return [user_message(f"{_ROLE}\n{facts}\n{notes}", frame, picture_first=True)]

    def place(self, point: Point, frame: SentImage) -> tuple[float, float]:
        """The point in pixels."""
        return PIXELS.place(point, frame)

    def written(self, action: Action, frame: SentImage) -> str:
        """The action's string."""
        return self.write(action, frame).text

    def past_reply(self, step: PastStep, frame: SentImage) -> str:
        """The action's string."""
        return self.written(step.action, frame)

    def summary(self, reply: str) -> str:
        """None: the action stands alone."""
        return ""

    def tools(self) -> None:
        """None: actions are text."""

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first line that may turn out to be an action."""
        return _FORM.prose_end(text, start)

    def thought(self, reply: ModelReply) -> str:
        """None: the action stands alone."""
        return ""

    def read(self, reply: ModelReply, frame: SentImage) -> ParsedReply:
        """Read the action that stands on a line of its own, or with which the reply ends."""
        if reply.calls:
            raise MalformedReply("The reply calls a function. Write the action as text.")
        parsed = join_calls(ParsedReply((_action(call, frame),)) for call in _FORM.calls(reply.text))
        refuse_denied_end(self, reply, parsed)
        return parsed

    def parse(self, reply: ModelReply, frame: SentImage) -> Action:
        """The action of the reply."""
        return main_action(self.read(reply, frame))

    def write(self, action: Action, frame: SentImage) -> ModelReply:
        """The action's string."""
        parts = []
        for key, value in arguments_of(action).items():
            match value:
                case Point():
                    x, y = PIXELS.place(value, frame)
                    parts.append(f"{'coordinates' if key == 'point' else key}=({x},{y})")
                case "" if key in ("answer", "reason"):
                    continue
                case _:
                    parts.append(f"{key}={quote(value)}")
        return ModelReply(text=f"{action.type}({', '.join(parts)})")


def _action(call: Call, frame: SentImage) -> Action:
    name = call.name.casefold()
    name = _ALIASES.get(name, name)
    arguments: dict[str, str | Point] = {}
    for key, value in call.arguments.items():
        own = "point" if key == "coordinates" else key.casefold()
        if key == "":
            own = next(iter(point_arguments(name)), text_argument(name))
        arguments[own] = value if isinstance(value, str) else PIXELS.point(*parse_point(value, key), frame)
    return build_action(name, arguments)
