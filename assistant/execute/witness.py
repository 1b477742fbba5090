"""Records what the user does on the phone while the turn is paused, as steps of the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from assistant.agent.checkpoint import Journal
from assistant.events import ActionChosen, Event, StepFinished, StepStarted
from assistant.execute.targets import find_target
from assistant.memory.turns import StoredStep
from assistant.phone.device import Phone
from assistant.phone.errors import PhoneError
from assistant.phone.touches import Gesture, Panel
from assistant.records import (
    Action,
    Click,
    Element,
    LongClick,
    Observation,
    Point,
    Source,
    Swipe,
    TypeText,
    describe,
)

_LONG_PRESS_SECONDS = 0.5
_TAP_TOLERANCE = 0.03
_IDLE_SECONDS = 0.3
_KEYBOARD_TOP = 0.55


class Witness:
    """Converts the user's gestures into steps, observing the screen after each.

    The target of a gesture is known only if the screen was observed after the previous gesture.
    """

    def __init__(
        self,
        phone: Phone,
        checkpointer: Journal,
        panel: Callable[[], Panel],
        emit: Callable[[Event], None],
        now: Callable[[], datetime],
    ) -> None:
        self._phone = phone
        self._checkpointer = checkpointer
        self._panel = panel
        self._emit = emit
        self._now = now
        self._gestures: asyncio.Queue[Gesture] = asyncio.Queue()
        self._descriptions: list[str] = []
        self._edited_field: Element | None = None

    def add_gesture(self, gesture: Gesture) -> None:
        """Add a completed gesture."""
        self._gestures.put_nowait(gesture)

    def clear_gestures(self) -> None:
        """Drop the gestures not yet recorded."""
        while not self._gestures.empty():
            self._gestures.get_nowait()

    async def record(self, observation: Observation | None) -> None:
        """Record steps until cancelled. `observation` is the screen before the first gesture."""
        while True:
            gesture = await self._gestures.get()
            self._record_gesture(gesture, observation)
            observation = await self._observe_when_idle(observation)

    def describe_actions(self, observation: Observation | None) -> str:
        """What the user did since the last call, in one sentence for the model; empty if nothing.

        `observation` is the current screen, which shows the text typed last.
        """
        while not self._gestures.empty():
            self._record_gesture(self._gestures.get_nowait(), None)
        self._record_typed_text(observation)
        descriptions, self._descriptions = self._descriptions, []
        return (
            f"While you were paused the user did this: {'; '.join(descriptions)}. Do not do it again."
            if descriptions
            else ""
        )

    async def _observe_when_idle(self, before: Observation | None) -> Observation | None:
        """The screen after `_IDLE_SECONDS` without a gesture; None if there was one, or the phone fails."""
        await asyncio.sleep(_IDLE_SECONDS)
        if not self._gestures.empty():
            return None
        with suppress(PhoneError):
            return await self._phone.observe()
        return None

    def _record_gesture(self, gesture: Gesture, observation: Observation | None) -> None:
        rotation = observation.rotation if observation else 0
        start = self._panel().fraction(gesture.start, rotation)
        end = self._panel().fraction(gesture.end, rotation)
        if start is None or end is None:
            return
        if observation is not None and _is_on_keyboard(observation, Point(*start)):
            self._edited_field = self._edited_field or observation.focused_field()
            return
        self._record_typed_text(observation)
        self._add_step(_gesture_action(Point(*start), Point(*end), gesture.seconds, observation), observation)

    def _record_typed_text(self, observation: Observation | None) -> None:
        before, self._edited_field = self._edited_field, None
        if before is None:
            return
        if before.password:
            self._descriptions.append("entered something in a password field")
            return
        now = (
            next((e for e in observation.elements if _is_same_field(e, before)), None)
            if observation
            else None
        )
        if observation is not None and now is not None and now.text != before.text:
            self._add_step(TypeText(text=now.text, target=now.target()), observation)

    def _add_step(self, action: Action, observation: Observation | None) -> None:
        number = self._checkpointer.next_step
        step = StoredStep(
            number=number,
            action=action,
            source=Source.USER,
            app=observation.app.name if observation else "",
            package=observation.app.package if observation else "",
        )
        self._checkpointer.add_step(step)
        self._emit(StepStarted(time=self._now(), step=number))
        self._emit(ActionChosen(time=self._now(), step=number, action=action, source=Source.USER))
        self._emit(
            StepFinished(
                time=self._now(),
                step=number,
                action=action,
                source=Source.USER,
                seconds=0.0,
                model_seconds=0.0,
                phone_seconds=0.0,
                own_seconds=0.0,
            )
        )
        self._descriptions.append(describe(action))


def _gesture_action(start: Point, end: Point, seconds: float, observation: Observation | None) -> Action:
    if max(abs(start.x - end.x), abs(start.y - end.y)) > _TAP_TOLERANCE:
        return Swipe(start=start, end=end)
    target = find_target(start, observation) if observation else None
    return (LongClick if seconds >= _LONG_PRESS_SECONDS else Click)(point=start, target=target)


def _is_on_keyboard(observation: Observation, point: Point) -> bool:
    """Whether a touch is on the keyboard: it is shown, and nothing clickable of the page is there."""
    if not observation.keyboard_shown or point.y < _KEYBOARD_TOP:
        return False
    hit = observation.element_at(point)
    return hit is None or not (hit.clickable or hit.editable)


def _is_same_field(field: Element, other: Element) -> bool:
    return (
        field.editable and field.resource_id == other.resource_id and field.bounds.left == other.bounds.left
    )
