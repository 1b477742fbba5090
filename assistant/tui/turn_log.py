"""The running or last turn as data: its command, steps and notes, built from events."""

from __future__ import annotations

from asyncio import Future
from dataclasses import dataclass, field

from assistant import events
from assistant.events import Approval, Cause, TurnState, Verdict
from assistant.language import _
from assistant.phone.errors import refusal_words
from assistant.records import Action, Failed, Finished, Outcome
from assistant.tui.entries import UNDER_WAY, Entries, Entry, Note, Step, StepStatus
from assistant.tui.understood import Understood
from assistant.tui.words import action_words, counted, duration, one_line, safe, tokens

_THOUGHT_KEPT = 8000
_WAITED_LEAST = 5.0
"""Seconds from which the time that the user took is told."""

_REFUSING = (Verdict.NO, Verdict.INSTEAD)
_ENDINGS = {Outcome.SUCCESS: "✓", Outcome.FAILED: "✗", Outcome.CANCELLED: "■"}


@dataclass(slots=True)
class TurnLog:
    """One turn. Texts in it are already safe to show."""

    said: str = ""
    instruction: str = ""
    understood: Understood = field(default_factory=Understood)
    entries: Entries = field(default_factory=Entries)
    _steps: dict[int, Step] = field(default_factory=dict)
    _asked: dict[int, Future[Approval]] = field(default_factory=dict)
    _waiting: list[Note] = field(default_factory=list)
    _standing: StepStatus = StepStatus.RUNNING
    _held: bool = False

    def heed(self, event: events.Event) -> Entry | None:
        """Take an event in; returns the entry that it added or changed."""
        match event:
            case events.InstructionResolved(instruction=instruction):
                self.instruction = one_line(instruction)
                return None
            case events.UserSaid(text=text):
                return self._hear(Note("›", safe(text), waits=self._held))
            case events.WordsRetold(text=text):
                return self.note(Note("›", safe(text)))
            case events.StepRetold():
                return self._retell(event)
            case events.StateChanged(state=state, cause=cause):
                return self._stand(state, cause)
            case events.StepStarted(step=number):
                return self._begin(number)
            case events.TurnFinished():
                return self._end(event)
            case _:
                return self._heed_step(event)

    def _heed_step(self, event: events.Event) -> Entry | None:
        match event:
            case events.ThoughtStreamed(step=number, text=text):
                step = self._step(number)
                step.thought = (step.thought + safe(text))[-_THOUGHT_KEPT:]
            case events.ActionChosen(step=number, action=action, source=source):
                step = self._step(number)
                step.words, step.source = _words(action), source
                step.last = isinstance(action, Finished | Failed)
                if step.status is StepStatus.LOOKING:
                    step.status = StepStatus.RUNNING
            case events.ApprovalRequested(step=number, action=action, decision=decision):
                step = self._step(number)
                step.words, step.status = _words(action), StepStatus.WAITING
                self._asked[number] = decision
            case events.QuestionAsked(step=number) if number:
                step = self._step(number)
                step.status = StepStatus.WAITING
            case events.StepFinished(step=number, action=action):
                step = self._step(number)
                step.words, step.source = _words(action), event.source
                step.last = isinstance(action, Finished | Failed)
                step.allowed = step.allowed or self._allowed(number)
                step.seconds, step.error = event.seconds, one_line(refusal_words(event.error))
                step.status = (
                    StepStatus.FAILED if event.error or isinstance(action, Failed) else StepStatus.DONE
                )
                if step.last:
                    self.entries.move_to_end(step)
            case events.ModelRetrying():
                self._forget_thought()
                return self.running
            case events.ReplyMalformed(reason=reason, attempt=attempt):
                self._forget_thought()
                return self.note(
                    Note(
                        "!",
                        _("Reply {attempt} was not understood: {reason}").format(
                            attempt=attempt, reason=one_line(_(reason))
                        ),
                    )
                )
            case _:
                return None
        return step

    def note(self, note: Note) -> Note:
        """Add a line."""
        self._append(note)
        return note

    def go_on(self, number: int) -> Step:
        """A step no longer waits for the user."""
        step = self._step(number)
        step.allowed = step.allowed or self._allowed(number)
        if step.status is StepStatus.WAITING:
            step.status = StepStatus.RUNNING
        return step

    def taken_up(self, state: TurnState) -> list[Note]:
        """The words that waited and that the turn, in this state now, has heard; their notes have changed."""
        self._held = state in (TurnState.PAUSING, TurnState.PAUSED)
        if self._held:
            return []
        taken, self._waiting = self._waiting, []
        for note in taken:
            note.waits = False
        live = self.entries.live
        return [note for note in taken if note in live]

    def _hear(self, note: Note) -> Note:
        if note.waits:
            self._waiting.append(note)
        return self.note(note)

    def _allowed(self, number: int) -> bool:
        """Whether the user was asked about a step, and said yes."""
        decision = self._asked.pop(number, None)
        if decision is None or decision.cancelled() or not decision.done():
            return False
        return decision.result().verdict not in _REFUSING

    def _stand(self, state: TurnState, cause: Cause) -> Step | None:
        """The turn does something else now; returns the step under way where that changes it."""
        self._standing = _standing(state, cause)
        step = self.running
        if step is None or state.final or step.status is self._standing:
            return None
        if state is TurnState.PAUSING and step.words:
            # It may be on its way to the phone.
            return None
        step.status = self._standing
        return step

    @property
    def running(self) -> Step | None:
        """The step under way."""
        last = next(reversed(self._steps.values()), None)
        return last if last and last.status in UNDER_WAY else None

    def _forget_thought(self) -> None:
        """What came of a reply that is asked for again."""
        if self.running is not None:
            self.running.thought = ""

    def _begin(self, number: int) -> Step:
        """A step looked at again keeps its row, also one that took the task for done before it was.

        Each begins with a look at the phone.
        """
        if self._standing is StepStatus.RUNNING:
            self._standing = StepStatus.LOOKING
        known = self._steps.get(number)
        if known is None or (known.seconds is not None and not known.last):
            self._steps.pop(number, None)
            return self._step(number)
        known.words = known.thought = known.error = ""
        known.source = known.seconds = None
        known.allowed = False
        self._asked.pop(number, None)
        known.status, known.last = self._standing, False
        return known

    def _retell(self, event: events.StepRetold) -> Step:
        """A step from before the program was killed."""
        step = self._step(event.step)
        step.words, step.error = _words(event.action), one_line(refusal_words(event.error))
        step.status = StepStatus.FAILED if event.error else StepStatus.BEFORE
        return step

    def _step(self, number: int) -> Step:
        if number not in self._steps:
            self._steps[number] = Step(number, status=self._standing)
            self._append(self._steps[number])
        return self._steps[number]

    def _append(self, entry: Entry) -> None:
        for old in self.entries.append(entry):
            if isinstance(old, Step) and self._steps.get(old.number) is old:
                del self._steps[old.number]

    def _end(self, event: events.TurnFinished) -> Note | None:
        for step in self._steps.values():
            if step.status in UNDER_WAY:
                step.status = StepStatus.STOPPED
            elif step.last and event.outcome is not Outcome.SUCCESS:
                step.status = StepStatus.FAILED
        if event.outcome is Outcome.CANCELLED:
            return None
        answer = safe(event.answer).strip()
        said = any(step.last and step.words == answer for step in self._steps.values())
        return self.note(Note(_ENDINGS[event.outcome], answer)) if answer and not said else None


_STANDING = {
    Cause.OBSERVING: StepStatus.LOOKING,
    Cause.PHONE: StepStatus.NO_PHONE,
    Cause.MODEL: StepStatus.NO_MODEL,
}


def _standing(state: TurnState, cause: Cause) -> StepStatus:
    """How far the step under way is, as far as the turn's state tells."""
    match state:
        case TurnState.PAUSING | TurnState.PAUSED if cause is not Cause.PHONE:
            return StepStatus.PAUSED
        case TurnState.WAITING:
            return _STANDING.get(cause, StepStatus.WAITING)
        case _:
            return _STANDING.get(cause, StepStatus.RUNNING)


def _words(action: Action) -> str:
    """What a step does; of the last one, what it says."""
    match action:
        case Finished(answer=answer):
            return safe(answer).strip() or _("finish")
        case Failed(reason=reason):
            return safe(reason).strip() or _("give up")
        case _:
            return action_words(action)


def ending(event: events.TurnFinished) -> str:
    """What a turn took: `4 steps, 31 s, 12k tok`, beside the time in which it stood still for the user."""
    took = duration(max(0.0, event.seconds - event.waited))
    if event.waited >= _WAITED_LEAST:
        took = _("{time} (waited {waited} for you)").format(time=took, waited=duration(event.waited))
    figures = [counted(event.steps, "step"), took]
    if event.usage.total_tokens:
        figures.append(tokens(event.usage.total_tokens))
    return _(", ").join(figures)
