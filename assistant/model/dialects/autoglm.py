"""AutoGLM-Phone's form: `<think>…</think><answer>do(action="Tap", element=[x,y])</answer>`.

Coordinates: 0..1000. The prompt that the model learnt from says 0..999, its own code divides by 1000.
`finish(message="")` ends the task.
Typing replaces what the field holds, as in the model's own executor. `Note` and `Call_API` do nothing on the
phone and are kept as notes. `message` of a tap is the model's own warning.
Leniency: `do` counts also behind prose on its line, `finish` only at the beginning of one. Tags, box tokens
and a shorthand before a call are skipped. The shorthand alone, `[Back]`, counts where the action needs no
more.
Source: the prompt and the parser of AutoGLM-Phone.
"""

from __future__ import annotations

import re

from assistant.model.dialects.base import THOUSANDTHS, Call, MalformedReply, ModelReply, read_calls
from assistant.model.dialects.spoken import Skipped, TextDialect, TextForm, Vocabulary, VocabularyEntry
from assistant.model.dialects.text_calls import CallReader, quote
from assistant.model.prompts import Layout, Past
from assistant.model.types import one_line

_ELEMENT = {"point": "element", "content": "content"}
_WORDS = (
    VocabularyEntry("click", "Tap", _ELEMENT, warns="message"),
    VocabularyEntry("click", "Double Tap", _ELEMENT, ignored=("message",), times=2),
    VocabularyEntry("long_click", "Long Press", _ELEMENT, ignored=("message",)),
    VocabularyEntry("type", "Type", {"text": "text"}, at="element", clears=True),
    VocabularyEntry("type", "Type_Name", {"text": "text"}, at="element", clears=True),
    VocabularyEntry(
        "swipe", "Swipe", {"start": "start", "end": "end"}, needs=("end",), ignored=("direction",)
    ),
    VocabularyEntry("scroll", "Scroll", {"point": "element start", "direction": "direction"}),
    VocabularyEntry("open_app", "Launch", {"name": "app"}),
    VocabularyEntry("press_back", "Back"),
    VocabularyEntry("press_home", "Home"),
    VocabularyEntry("press_recent", "Recent"),
    VocabularyEntry("press_enter", "Enter"),
    *(
        VocabularyEntry(f"press_{key}", f"Press {key}", ignored=("argument",))
        for key in ("back", "home", "enter")
    ),
    VocabularyEntry("wait", "Wait", ignored=("duration", "seconds")),
    VocabularyEntry(
        "ask_user", "Interact", {"question": "message"}, defaults={"question": "Which one is meant?"}
    ),
    VocabularyEntry("take_over", "Take_over", {"reason": "message"}),
    VocabularyEntry("failed", "Fail", {"reason": "message"}),
    VocabularyEntry("finished", "finish", {"answer": "message"}),
)
_SKIPPED = (
    Skipped("Note", "It is kept. Give the next action.", note="message"),
    Skipped("Call_API", "It is kept. Give the next action.", note="instruction"),
)
_VOCABULARY = Vocabulary(_WORDS, THOUSANDTHS, skipped=_SKIPPED)
_CALLS = CallReader(
    ("do", "finish"), {"action", "instruction", *_VOCABULARY.keys}, inline=r"do\s{0,9}\(\s{0,9}action\s{0,9}="
)
_SHORTHAND = re.compile(r"(?m)^[ \t]*\[[A-Z][A-Za-z_ ]{1,15}\](?=[ \t]*(?:do|finish)\()")
_BARE = re.compile(r"\[(Back|Home|Wait|Interact|Take_over)\]")

_RULES = """\
You operate a phone for its user, step by step, from screenshots.
Answer in this form:
<think>why this action is next, briefly</think>
<answer>the action</answer>
The action is one of:
do(action="Launch", app="name") starts an app; quicker than looking for its icon
do(action="Tap", element=[x,y])
do(action="Type", text="...") into the focused field, in place of what it holds
do(action="Swipe", start=[x1,y1], end=[x2,y2]) moves a finger
do(action="Scroll", element=[x,y], direction="down") shows what lies in the direction: down, up, left, right
do(action="Long Press", element=[x,y])
do(action="Back"), do(action="Home"), do(action="Recent"), do(action="Enter")
do(action="Wait", duration="x seconds")
do(action="Interact", message="question") asks the user, where several choices fit or something is missing
do(action="Take_over", message="what the user must do") for logins and captchas
do(action="Fail", message="why") where the task cannot be done
finish(message="what the user asked to know, or what was done")
Coordinates go from (0,0), the upper left corner, to (999,999), the lower right one.
Inside quotes write \\" for a quote and \\n for a line break."""


class DoForm(TextForm):
    """`do(action="…", …)` and `finish(message="…")`."""

    def read(self, reply: ModelReply) -> list[Call]:
        """The calls, named by their action."""
        if reply.calls:
            return [_named(call) for call in read_calls(reply)]
        if bare := _BARE.fullmatch(reply.text.strip()):
            return [Call(bare[1])]
        return [_named(call) for call in _CALLS.calls(_SHORTHAND.sub("", reply.text))]

    def write(self, call: Call) -> str:
        """One call."""
        parts = [f"{key}={_literal(value)}" for key, value in call.arguments.items()]
        if call.name == "finish":
            return f"finish({', '.join(parts)})"
        return f"do({', '.join([f'action={_literal(call.name)}', *parts])})"

    def prose_end(self, text: str, start: int = 0) -> int:
        """Everything before the first call."""
        end = _CALLS.prose_end(text, start)
        inline = text.find("do(", start)
        return min(end, inline) if inline >= 0 else end

    def format_past_reply(self, thought: str, text: str) -> str:
        """Thinking and answer in tags."""
        return f"<think>{one_line(thought, 300)}</think><answer>{text}</answer>"


def _named(call: Call) -> Call:
    if call.name.casefold() != "do":
        return call
    name = call.arguments.get("action")
    if not isinstance(name, str):
        raise MalformedReply('do needs action, such as do(action="Back").')
    return Call(name, {key: value for key, value in call.arguments.items() if key != "action"})


def _literal(value: str | tuple[float, float]) -> str:
    return quote(value, '"') if isinstance(value, str) else f"[{value[0]:g},{value[1]:g}]"


AUTOGLM = TextDialect(
    "autoglm",
    "AutoGLM-Phone: do(action=…) and finish(…); coordinates 0..1000",
    "autoglm",
    lambda frame: _RULES,
    _VOCABULARY,
    DoForm(),
    Layout(Past.TURNS, picture_first=True),
)
