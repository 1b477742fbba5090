"""What one request says, and what the scripted model decides about it. Nothing is kept between requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from assistant.records import (
    Action,
    ClearText,
    Click,
    Direction,
    Failed,
    Finished,
    OpenApp,
    Point,
    PressBack,
    PressEnter,
    Scroll,
    TakeOver,
    TypeText,
    Wait,
)
from assistant.simulator.model.screen import Item, Screen
from assistant.simulator.model.words import cjk, closeness, plain


@dataclass(frozen=True, slots=True)
class Past:
    """One earlier step: the action's type, its label or text, and why it could not be performed, if so."""

    type: str
    detail: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Situation:
    """The instruction, the screen, what was done (oldest first) and what the user and the phone added.

    `foreign`: the model answers in the language that is not the user's.
    """

    instruction: str
    screen: Screen
    history: tuple[Past, ...] = ()
    notes: tuple[str, ...] = ()
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """The action decided on, and the reasoning for it."""

    action: Action
    thought: str

    @property
    def chinese(self) -> bool:
        """Whether the reasoning is in Chinese, and so what is said beside it."""
        return cjk(re.sub("“[^”]*”", "", self.thought))


@dataclass(frozen=True, slots=True)
class View:
    """A situation seen by one task: its slots are filled from the instruction and the notes."""

    situation: Situation
    slots: Mapping[str, str] = field(default_factory=dict)

    @property
    def screen(self) -> Screen:
        """What is on the screen."""
        return self.situation.screen

    @property
    def chinese(self) -> bool:
        """Whether the user speaks Chinese; answers and thoughts follow."""
        return cjk(self.situation.instruction) is not self.situation.foreign

    def app_names(self, app: tuple[str, ...]) -> list[str]:
        """An app's English and Chinese name, the one in the phone's language first, as far as it shows.

        A phone in Chinese shows Latin labels too: what has no words is labelled with its id.
        """
        labels = [item.label for item in self.screen.items if any(map(str.isalpha, item.label))]
        shown = sum(map(cjk, labels)) * 4 > len(labels) if labels else self.chinese
        return list(reversed(app)) if shown else list(app)

    def fill(self, template: str) -> str:
        """A template with `{slot}` replaced; a slot without a value becomes empty."""
        return re.sub(r"\{(\w+)\}", lambda match: self.slots.get(match[1], ""), template)

    def filled(self, *templates: str) -> tuple[str, ...]:
        """Several templates filled; empty results are left out."""
        return tuple(text for text in map(self.fill, templates) if text.strip())

    def did(self, kind: str, detail: str = "") -> int:
        """How often a step of that type was done; `detail` limits it to those whose label fits."""
        return sum(
            past.type == kind and not past.error and (not detail or closeness(detail, past.detail) > 0)
            for past in self.situation.history
        )

    def just_did(self, kind: str) -> int:
        """How many of the last steps in a row were of that type."""
        count = 0
        for past in reversed(self.situation.history):
            if past.type != kind:
                break
            count += 1
        return count

    def may_scroll(self, limit: int) -> bool:
        """Whether a list may show more: scrolled fewer than `limit` times running, and the last moved it."""
        stuck = any("moved nothing" in note for note in self.situation.notes)
        scrolled = self.just_did("scroll")
        return scrolled < limit and not (scrolled and stuck)

    def say(self, english: str, chinese: str) -> str:
        """The sentence in the user's language, with slots filled."""
        return self.fill(chinese if self.chinese else english)

    def tap(self, item: Item, why: str = "") -> Step:
        """Tap an element."""
        thought = why.strip()
        if not _IS_ID.match(item.name):
            thought = self.say(f"“{item.name}” is on the screen.", f"屏幕上有“{item.name}”。") + why
        elif not why:
            thought = self.say("This button has no words.", "这个按钮没有文字。")
        return Step(Click(point=item.point, content=item.label), thought)

    def type(self, text: str) -> Step:
        """Type into the focused field."""
        return Step(
            TypeText(text=text), self.say(f"The field has focus. I type “{text}”.", f"输入“{text}”。")
        )

    def clear(self) -> Step:
        """Empty the focused field."""
        return Step(
            ClearText(),
            self.say("The field holds something else. I empty it.", "输入框里有别的内容，先清空。"),
        )

    def enter(self) -> Step:
        """Press Enter."""
        return Step(PressEnter(), self.say("I press Enter to submit.", "按回车提交。"))

    def scroll(self, direction: Direction, what: str, item: Item | None = None) -> Step:
        """Scroll to look for something; `item` is the list."""
        thought = self.say(
            f"“{what}” is not visible yet. I scroll {direction}.", f"还没看到“{what}”，继续滑动。"
        )
        return Step(Scroll(point=item.point if item else Point(0.5, 0.55), direction=direction), thought)

    def back(self, why: str) -> Step:
        """Press Back."""
        return Step(PressBack(), why)

    def wait(self, why: str) -> Step:
        """Wait for the screen."""
        return Step(Wait(), why)

    def open(self, app: str) -> Step:
        """Start an app."""
        return Step(OpenApp(name=app), self.say(f"This needs {app}. I open it.", f"需要打开{app}。"))

    def finish(self, answer: str) -> Step:
        """The goal is on the screen."""
        return Step(Finished(answer=answer), self.say("The screen shows the goal reached.", "目标已经达成。"))

    def give_up(self, reason: str) -> Step:
        """It cannot be done."""
        thought = f"{self.say('This cannot be done.', '做不到。')} {reason}"
        return Step(Failed(reason=reason), thought.strip())

    def hand_over(self, reason: str) -> Step:
        """Only the user can do it."""
        return Step(TakeOver(reason=reason), self.say("Only the user can do this.", "这一步只能由用户完成。"))

    def holds(self, item: Item, text: str) -> bool:
        """Whether a field contains that text, and not merely its hint."""
        return plain(item.label) == plain(text)


_IS_ID = re.compile(
    r"(?:iv|ib|ic|img|btn|bt|tv|et|ll|rl|fl|cl|rv|fab)(?: |$)|[a-z ]+ (?:button|btn|layout|icon)$"
)
"""A label made of a resource id, since the element has no words."""
