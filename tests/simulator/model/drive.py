"""The scripted model operating the simulated phone in one process, without adb and HTTP.

Prompts are the assistant's own, and replies are read by its own dialects, so both are exercised.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from PIL import Image

from assistant.events import ActionKind
from assistant.model.dialects import registry
from assistant.model.dialects.base import MalformedReply, ModelReply, ToolCall
from assistant.model.prompts import list_elements
from assistant.model.streamed_reply import split_thought
from assistant.model.types import PastStep, SentImage, StepRequest
from assistant.phone.touches import scroll_path
from assistant.phone.ui_tree import parse_tree
from assistant.records import (
    Action,
    AskUser,
    Click,
    Failed,
    Finished,
    ForegroundApp,
    LongClick,
    Observation,
    OpenApp,
    Point,
    PressBack,
    PressEnter,
    PressHome,
    PressRecent,
    Scroll,
    Swipe,
    TakeOver,
    TypeText,
    describe,
)
from assistant.safety.classifier import judge
from assistant.simulator.android.services import Services
from assistant.simulator.apps.catalogue import installable_apps, installed_apps
from assistant.simulator.apps.host import Locale
from assistant.simulator.model.answering import answer
from assistant.simulator.model.faults import Fault, FaultPlan
from assistant.simulator.model.options import SCATTER, ModelOptions
from assistant.simulator.model.understanding import read_request
from assistant.simulator.surface import NotIdle
from assistant.simulator.ui.windows import WindowManager
from tests.simulator.manual_clock import ManualClock

NOON = datetime(2026, 3, 10, 12, 5, tzinfo=ZoneInfo("Asia/Shanghai"))
MOST_STEPS = 40


@cache
def _picture(width: int, height: int) -> str:
    stream = io.BytesIO()
    Image.new("L", (width, height)).save(stream, "PNG")
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()


def _centres(seen: Observation) -> tuple[Point, ...]:
    return tuple(row.centre for row in list_elements(seen)[0])


@dataclass
class Run:
    """How a run ended, and its steps in words."""

    outcome: str
    answer: str
    steps: list[str]
    state: dict[str, Any]
    approvals: set[ActionKind]


@dataclass
class Drive:
    """A phone and what has been done on it."""

    locale: Locale = "en"
    dialect: str = "tool_calls"
    seed: int = 0
    model: str = "scripted"
    blind: bool = False
    scatter: float = SCATTER
    replies: list[str] = field(default_factory=list)
    faults: tuple[Fault, ...] = ()
    history: list[PastStep] = field(default_factory=list)
    notes: dict[int, str] = field(default_factory=dict)
    approvals: set[ActionKind] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.clock = ManualClock(NOON)
        self.services = Services(clock=self.clock, first_locale=self.locale)
        self.phone = WindowManager(self.services, installed_apps, installable_apps, self.seed)
        self.plan = FaultPlan(self.seed)
        for fault in self.faults:
            self.plan.add(fault)

    def state(self) -> dict[str, Any]:
        return {
            "apps": {app.package: app.state for app in self.phone.apps()},
            "services": self.services.state(),
        }

    def observe(self) -> Observation:
        self.clock.advance(0.6)
        for _ in range(6):
            try:
                printed = self.phone.dump()
                break
            except NotIdle:
                self.clock.advance(0.4)
        else:
            printed = b"<hierarchy rotation='0'></hierarchy>"
        focused = self.phone.focused()
        labels = {app.package: app.label(self.locale) for app in self.phone.apps()}
        front = ForegroundApp(focused.package, focused.activity, labels.get(focused.package, focused.title))
        width, height = self.services.display.size
        return Observation(
            width,
            height,
            b"",
            parse_tree(printed).elements,
            front,
            keyboard_shown=self.phone.keyboard_shown(),
        )

    def decide(self, instruction: str, seen: Observation, notes: tuple[str, ...]) -> tuple[Action, str]:
        spoken = registry.get(self.dialect)
        size = spoken.space.resize(576, round(576 * seen.height / seen.width))
        frame = SentImage(
            *size,
            url=_picture(*size) if self.blind and not self.phone.secure() else "",
            centres=_centres(seen),
        )
        if self.blind:
            self.phone.render()
        request = StepRequest(instruction, seen, tuple(self.history[-20:]), notes)
        asked = read_request(
            {
                "model": self.model,
                "messages": spoken.messages(request, frame, elements=not self.blind),
                "tools": spoken.tools(),
            }
        )
        drawn = self.plan.draw()
        if asked.blind:
            asked = asked.seeing(self.phone.last_picture)
        options = ModelOptions(scatter=self.scatter)
        reply = answer(asked, drawn, self.plan.chance("answer"), options, len(self.history)).reply
        calls = tuple(ToolCall(call.name, call.arguments) for call in reply.calls)
        self.replies.append(reply.content or str(calls))
        thought, text = split_thought(reply.content)
        said = ModelReply(text, calls)
        prose = text[: spoken.prose_end(text)].strip()
        return spoken.parse(said, frame), reply.thought or thought or spoken.thought(said) or prose

    def perform(self, action: Action, seen: Observation) -> str:
        match action:
            case Click(point=point):
                self.phone.tap(*seen.pixels(point))
            case LongClick(point=point):
                self.phone.hold(*seen.pixels(point), 600)
            case TypeText(text=text):
                return "" if self.phone.type_text(text) else "no field has focus"
            case Scroll(point=point, direction=direction):
                start, end = scroll_path(seen, point, direction)
                self.phone.swipe(*start, *end, 300)
            case Swipe(start=start_point, end=end_point):
                self.phone.swipe(*seen.pixels(start_point), *seen.pixels(end_point), 300)
            case PressBack():
                self.phone.key(4)
            case PressHome():
                self.phone.key(3)
            case PressRecent():
                self.phone.key(187)
            case PressEnter():
                self.phone.key(66)
            case OpenApp(name=name):
                found = [app for app in self.phone.apps() if name in (app.label("en"), app.label("zh"))]
                if not found:
                    return f"No app is called “{name}”."
                self.phone.start(found[0].package)
            case _:
                self.clock.advance(2)
        return ""

    def run(self, instruction: str, report: Callable[[str], None] = lambda line: None) -> Run:
        said: list[str] = []
        for number in range(MOST_STEPS):
            if number in self.notes:
                said.append(f"The user says: {self.notes[number]}")
            seen = self.observe()
            try:
                action, thought = self.decide(instruction, seen, tuple(said))
            except MalformedReply:
                continue
            report(f"{number + 1:2} {describe(action):40} | {thought}")
            match action:
                case Finished(answer=words):
                    return self._ended("success", words)
                case Failed(reason=words) | AskUser(question=words) | TakeOver(reason=words):
                    return self._ended("failed", words)
            risk = judge(action, seen)
            self.approvals |= {risk.kind} if risk else set()
            error = self.perform(action, seen)
            if error:
                report(f"   not performed: {error}")
            kept = (
                action.model_copy(update={"target": seen.target_at(action.point)})
                if isinstance(action, Click)
                else action
            )
            self.history.append(PastStep(kept, thought=thought, error=error))
        return self._ended("failed", "too many steps")

    def _ended(self, outcome: str, words: str) -> Run:
        return Run(
            outcome, words, [describe(step.action) for step in self.history], self.state(), self.approvals
        )
