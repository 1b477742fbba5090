"""What the user does on the phone while the turn is paused: their steps become part of the trace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from assistant.events import ActionChosen, Event, StepFinished, StepStarted
from assistant.execute.journal import Journal
from assistant.execute.targets import target_of
from assistant.memory.turns import StoredStep
from assistant.observations import Element, Observation
from assistant.phone.device import Phone
from assistant.phone.errors import PhoneError
from assistant.phone.touches import Gesture, Panel
from assistant.records import Action, Click, LongClick, Point, Source, Swipe, TypeText, describe

_HOLD_SECONDS = 0.5
_SLOP = 0.03
_QUIET = 0.3
_KEYBOARD_TOP = 0.55


class Witness:
    """Turns the user's gestures into steps, looking at the screen after each.

    A gesture's target is named where the screen was seen since the gesture before it.
    """

    def __init__(
        self,
        phone: Phone,
        journal: Journal,
        panel: Callable[[], Panel],
        emit: Callable[[Event], None],
        now: Callable[[], datetime],
    ) -> None:
        self._phone = phone
        self._journal = journal
        self._panel = panel
        self._emit = emit
        self._now = now
        self._gestures: asyncio.Queue[Gesture] = asyncio.Queue()
        self._did: list[str] = []
        self._typing: Element | None = None

    def saw(self, gesture: Gesture) -> None:
        """The user lifted a finger."""
        self._gestures.put_nowait(gesture)

    def forget(self) -> None:
        """Drop gestures that belong to nothing."""
        while not self._gestures.empty():
            self._gestures.get_nowait()

    async def follow(self, seen: Observation | None) -> None:
        """Write steps down until cancelled. `seen` is the screen as it was before the first gesture."""
        while True:
            gesture = await self._gestures.get()
            self._write(gesture, seen)
            seen = await self._look(seen)

    def finish(self, seen: Observation | None) -> str:
        """What the user did since the last time, in one sentence for the model; empty if nothing.

        `seen` is the screen now, which shows what was typed last.
        """
        while not self._gestures.empty():
            self._write(self._gestures.get_nowait(), None)
        self._note_typed(seen)
        did, self._did = self._did, []
        return (
            f"While you were paused the user did this: {'; '.join(did)}. Do not do it again." if did else ""
        )

    async def _look(self, before: Observation | None) -> Observation | None:
        """The screen once the user's hand rests; None when they go on or it cannot be seen."""
        await asyncio.sleep(_QUIET)
        if not self._gestures.empty():
            return None
        with suppress(PhoneError):
            return await self._phone.observe()
        return None

    def _write(self, gesture: Gesture, seen: Observation | None) -> None:
        rotation = seen.rotation if seen else 0
        start = self._panel().fraction(gesture.start, rotation)
        end = self._panel().fraction(gesture.end, rotation)
        if start is None or end is None:
            return
        if seen is not None and _on_keyboard(seen, Point(*start)):
            self._typing = self._typing or seen.focused_field()
            return
        self._note_typed(seen)
        self._keep(_action(Point(*start), Point(*end), gesture.seconds, seen), seen)

    def _note_typed(self, seen: Observation | None) -> None:
        before, self._typing = self._typing, None
        if before is None:
            return
        if before.password:
            self._did.append("entered something in a password field")
            return
        now = next((e for e in seen.elements if _same_field(e, before)), None) if seen else None
        if seen is not None and now is not None and now.text != before.text:
            self._keep(TypeText(text=now.text, target=now.target()), seen)

    def _keep(self, action: Action, seen: Observation | None) -> None:
        number = self._journal.next_step
        step = StoredStep(
            number=number,
            action=action,
            source=Source.USER,
            app=seen.app.name if seen else "",
            package=seen.app.package if seen else "",
        )
        self._journal.keep(step)
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
        self._did.append(describe(action))


def _action(start: Point, end: Point, seconds: float, seen: Observation | None) -> Action:
    if max(abs(start.x - end.x), abs(start.y - end.y)) > _SLOP:
        return Swipe(start=start, end=end)
    target = target_of(start, seen) if seen else None
    return (LongClick if seconds >= _HOLD_SECONDS else Click)(point=start, target=target)


def _on_keyboard(seen: Observation, point: Point) -> bool:
    """Whether a touch is on the keyboard: it is shown, and nothing of the page can be pressed there."""
    if not seen.keyboard_shown or point.y < _KEYBOARD_TOP:
        return False
    hit = seen.element_at(point)
    return hit is None or not (hit.clickable or hit.editable)


def _same_field(one: Element, other: Element) -> bool:
    return one.editable and one.resource_id == other.resource_id and one.bounds.left == other.bounds.left
