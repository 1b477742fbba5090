"""Reacts to events of the phone while a turn runs: touches, buttons, incoming calls, a lost connection.

When the user touches the phone, the turn pauses, and what the user does is recorded as steps of the turn.
When the phone is disconnected, locked or switched off, the turn waits for it, up to the time in the settings.

`Demonstration` records a task that the user shows: touches, screens and trees become a turn of its own,
stored like any other. What goes into password fields, and the values of named secrets, are left out of the
steps and hidden in the screens. Where a password or code is asked for, neither targets, points nor screens
are kept: one step says that something was entered, and a replay leaves it to the turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from assistant.agent.checkpoint import TurnCheckpointer
from assistant.agent.context import NamedSecrets, TurnContext, secret_values
from assistant.agent.step import find_target
from assistant.agent.turn_control import Interrupted, Signal, TurnControl
from assistant.events import (
    ActionChosen,
    ActionKind,
    Cause,
    Event,
    PhoneState,
    PhoneStateChanged,
    StepFinished,
    StepStarted,
    TurnState,
)
from assistant.i18n import _, later, sentences
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.phone.device import Phone
from assistant.phone.errors import PhoneError
from assistant.phone.keyboard import system_key
from assistant.phone.monitor import phone_event
from assistant.phone.touches import (
    DESCRIBE,
    WATCH,
    Button,
    FingerDown,
    Gesture,
    KeyboardTyping,
    Panel,
    TouchReader,
    find_field,
    parse_panels,
)
from assistant.records import (
    Action,
    Click,
    LongClick,
    Observation,
    Outcome,
    Point,
    PressEnter,
    Source,
    Swipe,
    TypeText,
    describe,
)
from assistant.safety.secret_entry import hide_values, takes_secret

_LONG_PRESS_SECONDS = 0.5
_TAP_TOLERANCE = 0.03  # A gesture that moves further than this share of the screen is a swipe.
_IDLE_SECONDS = 0.3  # Time without a gesture after which the screen is observed.
_LATEST_SECONDS = 0.5  # The latest gesture of a demonstration may be on its way for so long.
_KEYBOARD_TOP = 0.55  # A touch below this share of the screen may be on the keyboard, which no tree has.
_HIDDEN = "•"  # What the value of a secret is replaced by in a screen, from which typed text is read.
_SURELY_KEYBOARD_TOP = 0.7  # Below this share it is, while a keyboard is shown that fills the width.


class UserActionRecorder:
    """Converts the user's gestures into steps, observing the screen after each.

    The target of a gesture is known only if the screen was observed after the previous gesture. `hide` takes
    out of a screen what must not be stored.
    """

    def __init__(
        self,
        phone: Phone,
        checkpointer: TurnCheckpointer,
        panel: Callable[[], Panel],
        emit: Callable[[Event], None],
        now: Callable[[], datetime],
        hide: Callable[[Observation], Observation] = lambda observation: observation,
    ) -> None:
        self._phone = phone
        self._checkpointer = checkpointer
        self._panel = panel
        self._hide = hide
        self._emit = emit
        self._now = now
        self._gestures: asyncio.Queue[Gesture] = asyncio.Queue()
        self._descriptions: list[str] = []
        self._typing: KeyboardTyping | None = None
        self._pending: tuple[Gesture, Observation | None] | None = None
        self._withholds = False

    def add_gesture(self, gesture: Gesture) -> None:
        """Add a completed gesture."""
        self._gestures.put_nowait(gesture)

    def clear_gestures(self) -> None:
        """Drop the gestures not yet recorded."""
        self._pending = None
        while not self._gestures.empty():
            self._gestures.get_nowait()

    async def record(self, observation: Observation | None) -> None:
        """Record steps until cancelled. `observation` is the screen before the first gesture."""
        while True:
            self._pending = await self._gestures.get(), observation
            observation = await self._observe_when_idle()
            self._record_pending(observation)

    def describe_actions(self, observation: Observation | None) -> str:
        """What the user did since the last call, in one sentence for the model; empty if nothing.

        `observation` is the current screen, which shows the text typed last.
        """
        while self._pending is not None or not self._gestures.empty():
            self._record_pending(observation if self._gestures.empty() else None)
            if not self._gestures.empty():
                self._pending = self._gestures.get_nowait(), None
        self._record_typed_text(observation)
        descriptions, self._descriptions = self._descriptions, []
        return (
            f"While you were paused the user did this: {'; '.join(descriptions)}. Do not do it again."
            if descriptions
            else ""
        )

    async def _observe_when_idle(self) -> Observation | None:
        """The screen after `_IDLE_SECONDS`, if no gesture came in them nor while it was read; else None."""
        await asyncio.sleep(_IDLE_SECONDS)
        with suppress(PhoneError):
            seen = self._hide(await self._phone.observe()) if self._gestures.empty() else None
            return seen if self._gestures.empty() else None
        return None

    def _record_pending(self, after: Observation | None) -> None:
        if self._pending is not None:
            (gesture, before), self._pending = self._pending, None
            self._record_gesture(gesture, before, after)

    def _record_gesture(
        self, gesture: Gesture, observation: Observation | None, after: Observation | None
    ) -> None:
        """Record a gesture by the screens before and after it, each None if it was not seen.

        A tap before which nobody looked may be on keys for a code: its place is not kept.
        """
        if observation is not None:
            self._withholds = takes_secret(observation)
        rotation = observation.rotation if observation else 0
        start, end = (self._panel().fraction(place, rotation) for place in (gesture.start, gesture.end))
        if start is None or end is None:
            return
        if self._withholds:
            self._record_typed_text(observation)
            self._withhold(observation, ActionKind.PASSWORD)
            return
        action = _gesture_action(Point(*start), Point(*end), gesture.seconds, observation)
        if (key := system_key(action, observation, after)) is not None:
            self._record_typed_text(observation)
            self._add_step(key, observation)
            return
        if self._is_key(Point(*start), observation, after):
            field = observation.focused_field() if observation is not None else None
            if self._typing is None and observation is not None and field is not None:
                self._typing = KeyboardTyping(field, observation, observation)
            if self._typing is not None:
                self._typing.note_key(after)
            return
        self._record_typed_text(observation)
        if isinstance(action, Swipe) or _is_seen(action, observation, after):
            self._add_step(action, observation)
        else:
            self._withhold(observation)

    def _is_key(self, point: Point, before: Observation | None, after: Observation | None) -> bool:
        """Whether a touch is on the keyboard: it is shown, and nothing else there reacted.

        What a page has below its keyboard may be in the tree: then what the touch changed tells.
        """
        if before is None:
            # Keys follow one another too fast for a look between them.
            return self._typing is not None and not self._typing.submitted and point.y >= _KEYBOARD_TOP
        if not before.keyboard_shown or point.y < _KEYBOARD_TOP:
            return False
        hit = before.element_at(point)
        if hit is None or not (hit.clickable or hit.editable):
            return True
        if self._typing is not None or after is None:
            return point.y >= _SURELY_KEYBOARD_TOP
        field = before.focused_field()
        now = find_field(field, after) if field is not None else None
        return field is not None and now is not None and now.text != field.text

    def _record_typed_text(self, observation: Observation | None) -> None:
        typing, self._typing = self._typing, None
        if typing is None:
            return
        if takes_secret(typing.screen):
            self._withhold(typing.screen, ActionKind.PASSWORD)
            return
        text = typing.final_text(observation)
        if text:
            self._add_step(TypeText(text=text, target=typing.field.target()), typing.screen)
        if typing.submitted and not takes_secret(typing.shown):
            self._add_step(PressEnter(), typing.shown)

    def _withhold(self, observation: Observation | None, kind: ActionKind | None = None) -> None:
        """Record that something was entered of which nothing is kept, once for all that belongs to it."""
        for last in self._checkpointer.checkpoint.steps[-1:]:
            if last.source is Source.USER and last.is_withheld and last.kind is kind:
                return
        self._add_step(TypeText(text=""), observation, kind)
        self._descriptions[-1] = (
            "entered something in a password field or on keys for a code" if kind else "did what was not seen"
        )

    def _add_step(
        self, action: Action, observation: Observation | None, kind: ActionKind | None = None
    ) -> None:
        number = self._checkpointer.next_step
        step = StoredStep(
            number=number,
            action=action,
            source=Source.USER,
            app=observation.app.name if observation else "",
            package=observation.app.package if observation else "",
            kind=kind,
        )
        self._checkpointer.add_step(step)
        if observation is not None and not step.is_withheld:
            self._checkpointer.store_observation(number, observation)
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


def _is_seen(action: Action, before: Observation | None, after: Observation | None) -> bool:
    """Whether a tap hit what is on the screen before it, not keys for a code that came up since."""
    if before is None or not isinstance(action, Click | LongClick):
        return False
    hit = before.element_at(action.point)
    return (hit is not None and (hit.clickable or hit.editable)) or after is None or not takes_secret(after)


def _gesture_action(start: Point, end: Point, seconds: float, observation: Observation | None) -> Action:
    if max(abs(start.x - end.x), abs(start.y - end.y)) > _TAP_TOLERANCE:
        return Swipe(start=start, end=end)
    target = find_target(start, observation) if observation else None
    return (LongClick if seconds >= _LONG_PRESS_SECONDS else Click)(point=start, target=target)


LOG_COMMAND = "logcat -T 1 -s Telecom:I"
"""Prints a line when the call service becomes active. The call state is polled often only after such a line.

A phone that does not let its log be read is polled at `IDLE_INTERVAL`. Source of the log tag: lines of real
phones such as `I Telecom : Event: Call TC@1: FILTERING_INITIATED`;
AOSP packages/services/Telecomm, Log.java.
"""

CALL_STATE_COMMAND = "dumpsys telephony.registry | grep mCallState="

IDLE_INTERVAL = 1.0
"""Seconds between two polls of the call state while the log has no new line.

The longest delay on a phone without a readable log; measured by `assistant bench takeover`.
"""

_RINGING = "mCallState=1"
_ALERT_INTERVAL, _ALERT_SECONDS = 0.1, 2.0
"""Seconds between two polls after a new line in the log, and how long they are that short."""

_RETRY_SECONDS = 0.5
_MAX_LOG_ENDS = 3


class LineStreamingPhone(Protocol):
    """A phone that runs a command and yields its output line by line."""

    def lines(self, command: str) -> AsyncGenerator[str]:
        """The lines of output, until the generator is closed."""
        ...


class IncomingCallDetector:
    """Reports incoming calls while `run` is awaited, with few commands to the phone.

    Args:
        phone: the phone.
        on_call: called when the phone starts to ring.
        is_relevant: whether a call matters at the moment; the call state is polled only then.
        idle_interval: seconds between two polls while the log has no new line.
    """

    def __init__(
        self,
        phone: LineStreamingPhone,
        on_call: Callable[[], None],
        is_relevant: Callable[[], bool],
        idle_interval: float = IDLE_INTERVAL,
    ) -> None:
        self._phone = phone
        self._on_call = on_call
        self._is_relevant = is_relevant
        self._idle_interval = idle_interval
        self._log_line = asyncio.Event()

    async def run(self) -> None:
        """Detect calls until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._follow_log())
            group.create_task(self._poll())

    async def _follow_log(self) -> None:
        """Read one `logcat` for the whole turn; give up when it ended `_MAX_LOG_ENDS` times."""
        for _attempt in range(_MAX_LOG_ENDS):
            try:
                async with aclosing(self._phone.lines(LOG_COMMAND)) as lines:
                    async for line in lines:
                        # logcat itself says where a buffer begins: “--------- beginning of main”.
                        if not line.startswith("---------"):
                            self._log_line.set()
            except PhoneError:
                pass
            await asyncio.sleep(_RETRY_SECONDS)

    async def _poll(self) -> None:
        now = asyncio.get_running_loop().time
        was_ringing = False
        alert_until = now()
        while True:
            if await self._wait_for_log(_ALERT_INTERVAL if now() < alert_until else self._idle_interval):
                alert_until = now() + _ALERT_SECONDS
            if self._is_relevant():
                ringing = await self._is_ringing()
                if ringing and not was_ringing and self._is_relevant():
                    self._on_call()
                was_ringing = ringing

    async def _wait_for_log(self, seconds: float) -> bool:
        """Wait for a new line in the log, at most `seconds`; whether there was one."""
        try:
            async with asyncio.timeout(seconds):
                await self._log_line.wait()
        except TimeoutError:
            return False
        self._log_line.clear()
        return True

    async def _is_ringing(self) -> bool:
        try:
            async with aclosing(self._phone.lines(CALL_STATE_COMMAND)) as lines:
                return any([_RINGING in line async for line in lines])
        except PhoneError:
            return False


_MAX_TOUCH_ENDS = 3


@dataclass(frozen=True, slots=True)
class IncomingCall:
    """A call comes in."""


@dataclass(frozen=True, slots=True)
class PhoneLost:
    """The connection to the phone was lost."""


PhoneEvent = FingerDown | Gesture | Button | IncomingCall | PhoneLost


class PhoneEventWatcher:
    """Reports touches, buttons, calls and loss of the phone while `run` is awaited.

    Args:
        phone: the phone.
        on_event: called with each event at once.
        is_relevant: whether a call matters at the moment; the call state is polled only then.
    """

    def __init__(
        self, phone: Phone, on_event: Callable[[PhoneEvent], None], is_relevant: Callable[[], bool]
    ) -> None:
        self._panels: dict[str, Panel] = {}
        self._reader = TouchReader()
        self._phone = phone
        self._on_event = on_event
        self._calls = IncomingCallDetector(phone, lambda: on_event(IncomingCall()), is_relevant)

    @property
    def panel(self) -> Panel:
        """The touch panel that was touched last, else the first."""
        first = next(iter(self._panels.values()), Panel())
        return self._panels.get(self._reader.touched, first)

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._follow_touches())
            group.create_task(self._calls.run())

    async def _follow_touches(self) -> None:
        """Read one `getevent` for the whole turn; give up when it ended `_MAX_TOUCH_ENDS` times."""
        ends = 0
        while ends < _MAX_TOUCH_ENDS:
            reader = self._reader = TouchReader()
            reader.note_panels(self._panels)
            try:
                async with aclosing(self._phone.lines(WATCH)) as lines:
                    describing = asyncio.create_task(self._describe_panel())
                    try:
                        async for line in lines:
                            for event in reader.feed(line):
                                self._on_event(event)
                    finally:
                        describing.cancel()
                        await asyncio.wait([describing])
                ends += 1
            except PhoneError:
                self._on_event(PhoneLost())
            await asyncio.sleep(_RETRY_SECONDS)

    async def _describe_panel(self) -> None:
        if self._panels:
            return
        with suppress(PhoneError):
            async with aclosing(self._phone.lines(DESCRIBE)) as lines:
                self._panels = parse_panels("\n".join([line async for line in lines]))
            self._reader.note_panels(self._panels)


T = TypeVar("T")

_TOUCHED = later("You touched the phone.")
_CALLED = later("A call comes in. Take it or decline it.")
_IGNORE_SECONDS = 1.0


class TakeoverController:
    """Reacts to touches, buttons, calls and loss of the phone during one turn.

    `hide` takes out of a screen what must not be stored.

    Attributes:
        power_pressed: the power button was pressed, so the phone's status must be checked.
        stop_reason: why the turn must end, if no user is present to resume it; otherwise empty.
    """

    def __init__(
        self,
        context: TurnContext,
        control: TurnControl,
        checkpointer: TurnCheckpointer,
        hide: Callable[[Observation], Observation],
    ) -> None:
        self.power_pressed = False
        self.stop_reason = ""
        self._context = context
        self._control = control
        self._watcher = PhoneEventWatcher(context.phone, self._handle_event, self._is_working)
        self._recorder = UserActionRecorder(
            context.phone, checkpointer, lambda: self._watcher.panel, context.emit, context.now, hide
        )
        self._watch_task: asyncio.Task[None] | None = None
        self._ignore_until = 0.0

    def start(self) -> None:
        """Start watching, if the settings enable it."""
        if self._context.settings.turn.takeover:
            self._watch_task = asyncio.create_task(self._watcher.run())

    async def stop(self) -> None:
        """Stop watching."""
        if self._watch_task is not None:
            self._watch_task.cancel()
            await asyncio.wait([self._watch_task])

    def ignore_touches_briefly(self) -> None:
        """Ignore touches for `_IGNORE_SECONDS`: the user has just unlocked the phone as asked."""
        self._ignore_until = asyncio.get_running_loop().time() + _IGNORE_SECONDS

    async def record_during_pause(self, pause: Awaitable[T], observation: Observation | None) -> T:
        """Await the end of a pause and record what the user does meanwhile."""
        recording = asyncio.create_task(self._recorder.record(observation))
        try:
            return await pause
        finally:
            recording.cancel()
            await asyncio.wait([recording])
            with suppress(asyncio.CancelledError):
                recording.result()

    def describe_user_actions(self, observation: Observation) -> str:
        """What the user did during the last pause, as a sentence for the model."""
        return self._recorder.describe_actions(observation)

    def _is_working(self) -> bool:
        if self._control.state is TurnState.WAITING:
            return self._control.cause is Cause.APPROVAL
        return self._control.state is TurnState.RUNNING

    def _handle_event(self, event: PhoneEvent) -> None:
        match event:
            case Gesture():
                if self._control.state in (TurnState.PAUSING, TurnState.PAUSED):
                    self._recorder.add_gesture(event)
            case PhoneLost() | Button.POWER if self._is_working():
                self.power_pressed = self.power_pressed or isinstance(event, Button)
                self._control.interrupt()
            case IncomingCall():
                self._pause(Cause.CALL, _CALLED)
            case FingerDown() | Button() if event is not Button.POWER:
                self._pause(Cause.TOUCHED, _TOUCHED)

    def _pause(self, cause: Cause, sentence: str) -> None:
        if asyncio.get_running_loop().time() < self._ignore_until:
            return
        if self._control.state is TurnState.PAUSING:
            self._control.pause(cause)  # Who touches the phone now wants no resume that was asked for before.
        elif not self._is_working():
            return
        elif self._context.attended:
            self._recorder.clear_gestures()
            self._control.pause(
                cause, _("{sentence} Press F5 when the assistant may go on.").format(sentence=_(sentence))
            )
        else:
            self.stop_reason = _("Stopped. {sentence}").format(sentence=_(sentence))
            self._control.interrupt()


_GONE = (PhoneState.OFFLINE, PhoneState.ABSENT, PhoneState.FROZEN)
"""States that end without the user, such as when a network is back."""


class PhoneRecovery:
    """Waits until the phone of one turn can be used again."""

    def __init__(
        self,
        context: TurnContext,
        control: TurnControl,
        checkpointer: TurnCheckpointer,
        takeover: TakeoverController,
    ) -> None:
        self._context = context
        self._control = control
        self._checkpointer = checkpointer
        self._takeover = takeover

    async def wait_after_power_button(self) -> str:
        """Wait until the user unlocks the phone, after they pressed its power button.

        Returns:
            Why the phone cannot be used, as `wait` does; empty if it is ready.
        """
        status = await self._control.run_cancellable(self._context.phone.status())
        self._takeover.power_pressed = False
        if status.state is PhoneState.READY:
            return ""
        return await self.wait(PhoneError(status.state, status.sentence), wake=False)

    async def wait(self, error: PhoneError, *, wake: bool = True) -> str:
        """Wait until the phone can be used again.

        Args:
            error: why it cannot be used.
            wake: switch the screen on; `False` after the user has switched it off.

        Returns:
            Why it still cannot be used when the time is over; empty if the turn can continue.
        """
        if self._control.state is not TurnState.RUNNING:
            return ""
        phone, now = self._context.phone, self._context.now
        self._context.emit(PhoneStateChanged(time=now(), state=error.state, sentence=error.sentence))
        limit = self._context.settings.phone.return_wait
        sentence = error.sentence
        if error.state in _GONE:
            goes_on = _("The turn goes on by itself when the phone is back; it waits {seconds:.0f} s for it.")
            sentence = sentences(sentence, goes_on.format(seconds=limit))
        self._control.apply_signal(Signal.USER_NEEDED, Cause.PHONE, sentence)
        try:
            waiting = phone.wait_ready(limit) if wake else phone.wait_for_user(limit)
            status = await self._control.run_cancellable(waiting)
        except Interrupted:
            return ""
        self._takeover.ignore_touches_briefly()
        self._context.emit(phone_event(status, now()))
        self._control.apply_signal(Signal.ANSWERED, Cause.OBSERVING)
        if status.state is PhoneState.READY:
            self._checkpointer.add_transient_notes(f"The phone was away ({error.sentence}) and is back.")
            return ""
        return status.sentence


class Demonstration:
    """One task while the user shows it.

    Args:
        phone: the phone it is shown on.
        store: where it is kept.
        checkpoint: the turn that it becomes, with the instruction that it carries out.
        emit: takes the steps as they are recorded.
        now: the local time with its zone.
        secrets: values that must not be stored.
    """

    def __init__(
        self,
        phone: Phone,
        store: Store,
        checkpoint: Checkpoint,
        emit: Callable[[Event], None],
        now: Callable[[], datetime],
        secrets: NamedSecrets | None = None,
    ) -> None:
        self._phone = phone
        self._secret_values = secret_values(secrets)
        self._checkpointer = TurnCheckpointer(store, checkpoint)
        self._watcher = PhoneEventWatcher(phone, self._take, lambda: False)
        self._recorder = UserActionRecorder(
            phone, self._checkpointer, lambda: self._watcher.panel, emit, now, self._hidden
        )

    async def record(self, shown: Awaitable[object]) -> Checkpoint:
        """Record until `shown` is done; the turn with its steps. Without a touch nothing was done.

        Raises:
            PhoneError: the phone cannot be looked at when it begins.
        """
        self._checkpointer.save()
        observation = self._hidden(await self._phone.observe())
        watching = asyncio.create_task(self._watcher.run())
        recording = asyncio.create_task(self._recorder.record(observation))
        try:
            await shown
            await asyncio.sleep(_LATEST_SECONDS)
        finally:
            for task in (recording, watching):
                task.cancel()
            await asyncio.wait([recording, watching])
        with suppress(PhoneError):
            last = self._hidden(await self._phone.observe())
            self._recorder.describe_actions(last)
            if not takes_secret(last):
                self._checkpointer.store_observation(self._checkpointer.next_step, last)
        self._leave_out_secrets()
        was_touched = bool(self._checkpointer.checkpoint.steps)
        await self._checkpointer.finish(Outcome.SUCCESS if was_touched else Outcome.CANCELLED, 0.0)
        return self._checkpointer.checkpoint

    def _take(self, event: PhoneEvent) -> None:
        if isinstance(event, Gesture):
            self._recorder.add_gesture(event)

    def _hidden(self, observation: Observation) -> Observation:
        return hide_values(observation, self._secret_values) if self._secret_values else observation

    def _leave_out_secrets(self) -> None:
        """Remove the text from steps that typed a named secret; a replay leaves such steps to the model."""
        checkpoint = self._checkpointer.checkpoint
        steps = tuple(
            step.model_copy(update={"action": step.action.model_copy(update={"text": "", "target": None})})
            if isinstance(step.action, TypeText)
            and (
                any(value in step.action.text for value in self._secret_values)
                or not step.action.text.strip(_HIDDEN)
            )
            else step
            for step in checkpoint.steps
        )
        self._checkpointer.checkpoint = checkpoint.model_copy(update={"steps": steps})
