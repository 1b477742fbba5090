"""All dialects, and which one a model speaks: by the setting `model.dialect`, else by the model's name.

The families that call functions differ only in their coordinates and are listed here, with the form of such
calls; the others have a module each.

Coordinates: those of the family (`FAMILIES`); 0..1000 for any other model.
Every function takes a `note`, because what a model thought is lost to it at the next step.
Leniency: actions of the maker's own computer tool (`computer_use`), and calls written as JSON in the text,
`{"name": "click", "arguments": {"x": 500, "y": 120}}`, for endpoints that do not offer functions.
What may touch something takes `sensitive`, the model's own warning. It can only add a question to the user.
Source: the chat completions interface of OpenAI.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from assistant.i18n import _
from assistant.model.dialects.base import (
    PIXELS,
    THOUSANDTHS,
    UNIT,
    Call,
    Dialect,
    MalformedReply,
    ModelReply,
    ParsedReply,
    Space,
    Tool,
    ToolCall,
    arguments_of,
    build_action,
    first_call_mark,
    join_calls,
    main_action,
    point_arguments,
    read_calls,
    text_argument,
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
    ComputerVocabulary,
    plain_calls,
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
from assistant.model.dialects.spoken import (
    Skipped,
    VocabularyEntry,
    plain_name,
    refuse_denied_end,
)
from assistant.model.dialects.text_calls import AUTOGLM, UI_TARS, UI_TARS_1_5, UI_VENUS, UI_VENUS_1_0
from assistant.model.prompts import DATA_RULE, MODEST_SIDE, Layout, OwnPrompt, action_rules, conversation
from assistant.model.types import ChatMessage, PastStep, SentImage, StepRequest
from assistant.records import Action, Direction, Point

_ROLE = (
    "You operate an Android phone for its user. You are given an instruction, what has been done so far, and "
    "the current screen. Think briefly, then call exactly one function: the next action. note and sensitive "
    "mean in each function what they mean in click. {coordinates} If you cannot call functions, end your "
    "answer with one line of JSON instead: {example}"
)

_DOES = {
    "click": "Tap a point. content: the text or icon there.",
    "long_click": "Press and hold a point. content: the text or icon there.",
    "type": "Enter text into the focused field, behind what it holds. clear: in the place of what it holds.",
    "clear": "Empty the focused field.",
    "scroll": "Move the content under a point so that what lies in the direction comes into view.",
    "swipe": "Move a finger from one point to another.",
    "press_back": "Go back to the previous screen.",
    "press_home": "Go to the home screen.",
    "press_recent": "Show the recent apps.",
    "press_enter": "Press Enter on the keyboard.",
    "open_app": "Start an app by the name under its icon.",
    "wait": "Wait until the screen has had time to change.",
    "finished": "The instruction is carried out. answer: what the user asked to know, if anything.",
    "failed": "The instruction cannot be carried out. reason: why.",
    "ask_user": "Ask the user for something that only they know.",
    "take_over": "Hand over to the user what only they may do. reason: what they should do.",
}
_FENCED = re.compile(r"\s*`{3}(?:json)?\s*|\s*`{3}\s*")
_TEXT = {"type": "string"}
_NOTE = {
    **_TEXT,
    "description": "What of this screen must be remembered for later steps and is told nowhere else.",
}
_SENSITIVE = {
    **_TEXT,
    "description": "Only where this pays, orders, sends, publishes, deletes, installs, grants a permission "
    "or changes security: what it will do, in a few words. The user is asked first.",
}
_MAY_TOUCH = ("click", "long_click", "type", "swipe", "press_enter")
_OPTIONAL = {"content", "answer", "note", "sensitive", "clear"}
_PLACE = "point coordinate coordinates bbox bbox_2d box_2d box"
_POINT_WORDS = {"point": _PLACE, "content": "content"}
_OWN = (
    VocabularyEntry("click", "click", _POINT_WORDS, index="index", ignored=("button",)),
    VocabularyEntry("long_click", "long_click", _POINT_WORDS, index="index"),
    VocabularyEntry(
        "type", "type", {"text": "text"}, at=_PLACE, index="index", clears="clear", enters="press_enter"
    ),
    VocabularyEntry("clear", "clear", at=_PLACE),
    VocabularyEntry("scroll", "scroll", {"point": _PLACE, "direction": "direction"}, index="index"),
    VocabularyEntry(
        "swipe", "swipe", {"start": "start coordinate", "end": "end coordinate2"}, needs=("end",)
    ),
    VocabularyEntry("swipe", "swipe", {"start": "start", "end": "end"}),
    *(VocabularyEntry(f"press_{key}", f"press_{key}") for key in ("back", "home", "recent", "enter")),
    VocabularyEntry("open_app", "open_app", {"name": "name app_name app"}),
    VocabularyEntry("wait", "wait", ignored=("duration", "seconds", "time")),
    VocabularyEntry("finished", "finished", {"answer": "answer"}),
    VocabularyEntry("failed", "failed", {"reason": "reason"}),
    VocabularyEntry("ask_user", "ask_user", {"question": "question"}),
    VocabularyEntry("take_over", "take_over", {"reason": "reason"}),
)
_KEPT = Skipped("remember", "It is kept. Give the next action.", note="information")


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """The dialect of a family that calls functions; with the defaults `tool_calls`, for all other families.

    `pattern` is a regular expression for a model's name in lower-case letters and digits. Points are two
    arguments, or with `lists` one list in the family's order. `words` and `skipped` are those of the maker's
    own computer tool. `side` as for `Layout`.
    """

    name: str = "tool_calls"
    title: str = "Function calls, or the same as JSON in the text; coordinates 0..1000"
    pattern: str = "grok|mistral|llama|deepseek|qwen|doubao|seed"
    space: Space = THOUSANDTHS
    lists: bool = False
    words: tuple[VocabularyEntry, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    side: int = MODEST_SIDE

    def matches(self, model_name: str) -> bool:
        """Whether the model belongs to the family."""
        return bool(re.search(self.pattern, plain_name(model_name)))

    def rules(self, frame: SentImage) -> str:
        """The role and the coordinates."""
        example = self.write(
            build_action("click", {"point": Point(0.5, 0.12), "content": "Search"}), frame
        ).calls[0]
        return _ROLE.format(coordinates=self._coordinates(), example=_written(example))

    @property
    def layout(self) -> Layout:
        """Calls in a list, one screenshot, and the elements."""
        return Layout(elements=True, side=self.side)

    def messages(
        self, request: StepRequest, frame: SentImage, *, elements: bool = True, own: OwnPrompt | None = None
    ) -> list[ChatMessage]:
        """A system message with the role and the rules, and the facts with the picture."""
        system = f"{self.rules(frame)}\n{action_rules({})}\n{DATA_RULE}"
        return conversation(self, system, request, frame, elements=elements, own=own)

    def place(self, point: Point, frame: SentImage) -> tuple[float, float]:
        """The point's coordinates."""
        return self.space.place(point, frame)

    def written(self, action: Action, frame: SentImage) -> str:
        """The call as JSON."""
        return _written(self.write(action, frame).calls[0])

    def past_reply(self, step: PastStep, frame: SentImage) -> str:
        """The call as JSON."""
        return self.written(step.action, frame)

    def summary(self, reply: str) -> str:
        """Nothing: what must be remembered is noted."""
        return ""

    def tools(self) -> list[Tool]:
        """One function per action."""
        return [self._tool(name) for name in _DOES]

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before what may open a call."""
        return first_call_mark(text, start)

    def thought(self, reply: ModelReply) -> str:
        """None: it stands beside the call."""
        return ""

    def read(self, reply: ModelReply, frame: SentImage) -> ParsedReply:
        """Read the function call, or where there is none the JSON in the text."""
        calls = plain_calls(read_calls(reply)) or self._bare_point(reply)
        vocabulary = ComputerVocabulary((*_OWN, *self.words), self.space, skipped=(*self.skipped, _KEPT))
        notes = [
            note
            for call in calls
            if isinstance(note := call.arguments.pop("note", None), str) and note.strip()
        ]
        parsed = join_calls(vocabulary.read(call, frame) for call in calls)
        refuse_denied_end(self, reply, parsed)
        return replace(parsed, notes=(*parsed.notes, *notes)) if notes else parsed

    def _bare_point(self, reply: ModelReply) -> list[Call]:
        """A reply that is one point and nothing else, as families that learnt to point give it: a click."""
        try:
            value = json.loads(_FENCED.sub("", reply.text)) if self.lists else None
        except (ValueError, RecursionError):
            return []
        match value:
            case [int(), int()] as point:
                return [Call("click", {"point": point})]
            case [{"point": [int(), int()] as point}]:
                return [Call("click", {"point": point})]
            case _:
                return []

    def parse(self, reply: ModelReply, frame: SentImage) -> Action:
        """The action that the reply is about."""
        return main_action(self.read(reply, frame))

    def write(self, action: Action, frame: SentImage) -> ModelReply:
        """One function call."""
        arguments: dict[str, Any] = {}
        for key, value in arguments_of(action).items():
            if not isinstance(value, Point):
                arguments[key] = value
            elif self.lists:
                arguments[key] = self.space.place(value, frame)
            else:
                arguments.update(zip(_keys(key), self.space.place(value, frame), strict=True))
        return ModelReply(calls=(ToolCall(action.type, json.dumps(arguments, ensure_ascii=False)),))

    def _coordinates(self) -> str:
        space = self.space
        kind = (
            f"decimals from 0 to {space.units}"
            if space.decimals
            else f"whole numbers from 0 to {space.units}"
        )
        of = f"{kind} of the screenshot's width and height" if space.units else "pixels of the screenshot"
        order = " A point is a list, [y, x]: first y, then x." if space.yx else ""
        return (
            f"All coordinates are {of}; the origin is the upper left corner, x grows to the right and y "
            f"downward.{order}"
        )

    def _tool(self, name: str) -> Tool:
        number: dict[str, Any] = {"type": "number" if self.space.decimals else "integer", "minimum": 0}
        if self.space.units:
            number["maximum"] = self.space.units
        properties: dict[str, Any] = {}
        for point in point_arguments(name):
            if self.lists:
                properties[point] = {"type": "array", "items": number, "minItems": 2, "maxItems": 2}
            else:
                properties.update(dict.fromkeys(_keys(point), number))
        if text := text_argument(name):
            properties[text] = _TEXT
        if name == "type":
            properties["clear"] = {"type": "boolean"}
        if name == "scroll":
            properties["direction"] = {"type": "string", "enum": [direction.value for direction in Direction]}
        # What they mean is told once, in the first function: every token of it is paid for at each step.
        if name in _MAY_TOUCH:
            properties["sensitive"] = _SENSITIVE if name == "click" else _TEXT
        properties["note"] = _NOTE if name == "click" else _TEXT
        parameters = {
            "type": "object",
            "properties": properties,
            "required": [key for key in properties if key not in _OPTIONAL],
            "additionalProperties": False,
        }
        return {
            "type": "function",
            "function": {"name": name, "description": _DOES[name], "parameters": parameters},
        }


def _written(call: ToolCall) -> str:
    return f'{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}'


def _keys(point: str) -> tuple[str, str]:
    return ("x", "y") if point == "point" else (f"{point}_x", f"{point}_y")


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
