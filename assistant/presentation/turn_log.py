"""The running or last turn as data: its command, steps and notes, built from events.

Recent steps and notes can change; older ones are compressed, and decompressed on access. A step with the
model's thought takes a kilobyte or more; compressed in a group, about a tenth of that. So a turn of thousands
of steps stays small in memory, and every step can still be shown.
"""

from __future__ import annotations

import json
import zlib
from asyncio import Future
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from assistant import events
from assistant.agent.completion import read_evidence
from assistant.events import Approval, ApprovedBy, Cause, TurnState, Verdict
from assistant.i18n import _, counted, ended, later, moment
from assistant.model.types import split_reason
from assistant.phone.errors import refusal_words
from assistant.presentation.command_meaning import CommandView
from assistant.presentation.text import (
    format_correction,
    format_duration,
    format_headline,
    format_step,
    format_tokens,
    one_line,
    safe,
)
from assistant.records import Action, Failed, Finished, Outcome, Source

MAX_LIVE_ENTRIES = 256
"""The most entries that are kept uncompressed and can change."""

ENTRIES_PER_PACK = 64

_PACKED_THOUGHT_LENGTH = 2000
"""Characters kept of a thought when it is compressed: its end, because the end is what is shown."""


class StepStatus(StrEnum):
    """Progress of a step; while it is in progress, what it does or waits for.

    `RUNNING` while the model thinks or the phone acts, `WAITING` while it waits for the user. `DOUBTED` is a
    claim of the model that nothing on the phone confirms.
    """

    LOOKING = "looking"
    RUNNING = "running"
    WAITING = "waiting"
    PAUSED = "paused"
    NO_PHONE = "no phone"
    NO_MODEL = "no model"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    BEFORE = "before"
    DOUBTED = "doubted"


UNDER_WAY = frozenset(
    (
        StepStatus.LOOKING,
        StepStatus.RUNNING,
        StepStatus.WAITING,
        StepStatus.PAUSED,
        StepStatus.NO_PHONE,
        StepStatus.NO_MODEL,
    )
)
"""The statuses of a step in progress."""


@dataclass(slots=True, eq=False)
class StepEntry:
    """One step as the panel shows it. `text` is empty until the action is chosen.

    The `last` step does nothing on the phone: its text is the model's answer, or why it gives up. A step
    that `reports` does the same, for the turn or for a sub-task. A step that was `allowed` is sensitive, and
    the user approved it.
    """

    number: int
    text: str = ""
    thought: str = ""
    source: Source | None = None
    seconds: float | None = None
    error: str = ""
    status: StepStatus = StepStatus.RUNNING
    last: bool = False
    reports: bool = False
    allowed: str = ""


@dataclass(slots=True, eq=False)
class NoteEntry:
    """A line between steps: a message of the user, an unreadable reply, how the turn ended.

    It `waits` while the turn is paused and has not read the user's message yet.
    """

    sign: str
    text: str
    waits: bool = False


Entry = StepEntry | NoteEntry


class TurnEntries:
    """The entries of a turn, oldest first. The first `packed` ones are rebuilt on each access."""

    def __init__(self) -> None:
        self._packs: list[bytes] = []
        self._live: list[Entry] = []
        self._unpacked: tuple[int, list[Entry]] = (-1, [])

    def __len__(self) -> int:
        return self.packed + len(self._live)

    def __getitem__(self, index: int) -> Entry:
        """The entry at an index, 0 for the oldest."""
        if index >= self.packed:
            return self._live[index - self.packed]
        pack, offset = divmod(index, ENTRIES_PER_PACK)
        return self._unpack(pack)[offset]

    def __iter__(self) -> Iterator[Entry]:
        for pack in range(len(self._packs)):
            yield from self._unpack(pack)
        yield from self._live

    @property
    def packed(self) -> int:
        """How many entries are compressed and cannot change."""
        return len(self._packs) * ENTRIES_PER_PACK

    @property
    def live(self) -> tuple[Entry, ...]:
        """The uncompressed entries, which can change."""
        return tuple(self._live)

    def index(self, entry: Entry) -> int:
        """The index of a live entry."""
        return self.packed + self._live.index(entry)

    def append(self, entry: Entry) -> list[Entry]:
        """Add an entry; returns the entries that were compressed to make room, mostly none."""
        self._live.append(entry)
        if len(self._live) <= MAX_LIVE_ENTRIES:
            return []
        packed_entries, self._live = self._live[:ENTRIES_PER_PACK], self._live[ENTRIES_PER_PACK:]
        text = json.dumps(
            [_entry_as_list(packed_entry) for packed_entry in packed_entries], ensure_ascii=False
        )
        self._packs.append(zlib.compress(text.encode("utf-8", "surrogatepass")))
        return packed_entries

    def move_to_end(self, entry: Entry) -> None:
        """Move a live entry behind all others."""
        self._live.remove(entry)
        self._live.append(entry)

    def _unpack(self, number: int) -> list[Entry]:
        if self._unpacked[0] != number:
            text = zlib.decompress(self._packs[number]).decode("utf-8", "surrogatepass")
            self._unpacked = (number, [_parse_entry(values) for values in json.loads(text)])
        return self._unpacked[1]


def _entry_as_list(entry: Entry) -> list[Any]:
    if isinstance(entry, NoteEntry):
        return [entry.sign, entry.text]
    thought = entry.thought[-_PACKED_THOUGHT_LENGTH:]
    outcome = (entry.source, entry.seconds, entry.error, entry.status, entry.last, entry.allowed)
    return [entry.number, entry.text, thought, *outcome]


def _parse_entry(values: list[Any]) -> Entry:
    if len(values) == 2:
        return NoteEntry(*values)
    number, words, thought, source, seconds, error, status, last, allowed = values
    step_source = Source(source) if source is not None else None
    return StepEntry(number, words, thought, step_source, seconds, error, StepStatus(status), last, allowed)


_THOUGHT_LENGTH = 8000
_LEAST_WAIT_SHOWN = 5.0
"""Seconds of waiting for the user from which the waiting time is shown."""

_REFUSING = (Verdict.NO, Verdict.INSTEAD)
_ALLOWED_BY = {
    ApprovedBy.USER: later(" · you allowed it"),
    ApprovedBy.TURN: later(" · you allowed it for this turn"),
    ApprovedBy.RULE: later(" · allowed by your rule"),
    ApprovedBy.COMMAND_LINE: later(" · allowed by --yes"),
}
_ENDINGS = {
    Outcome.SUCCESS: "✓",
    Outcome.FAILED: "✗",
    Outcome.CANCELLED: "■",
    Outcome.UNCONFIRMED: "≈",
}


@dataclass(slots=True)
class TurnLog:
    """One turn. Its texts are safe to show. It `gave_up` where the model found no way to do it."""

    said: str = ""
    instruction: str = ""
    understood: CommandView = field(default_factory=CommandView)
    saving: str = ""
    gave_up: bool = False
    entries: TurnEntries = field(default_factory=TurnEntries)
    _steps: dict[int, StepEntry] = field(default_factory=dict)
    _approvals: dict[int, Future[Approval]] = field(default_factory=dict)
    _unread_notes: list[NoteEntry] = field(default_factory=list)
    _current_status: StepStatus = StepStatus.RUNNING
    _paused: bool = False

    def handle_event(self, event: events.Event) -> Entry | None:
        """Apply an event; returns the entry that it added or changed."""
        match event:
            case events.InstructionResolved(instruction=instruction):
                self.instruction = one_line(instruction)
                return None
            case events.UserSaid(text=text):
                return self._add_message(NoteEntry("›", safe(text), waits=self._paused))
            case events.CommandCorrected(command=command):
                self.instruction = one_line(command)
                return self.add_note(NoteEntry("⇒", format_correction(event)))
            case events.WordsRetold(text=text):
                return self.add_note(NoteEntry("›", safe(text)))
            case events.StepRetold():
                return self._restore_step(event)
            case events.StateChanged(state=state, cause=cause):
                return self._change_state(state, cause)
            case events.StepStarted(step=number):
                return self._begin_step(number)
            case events.TurnFinished():
                return self._finish(event)
            case events.ApprovalSettled():
                return self._settle_approval(event)
            case events.PlanMade() | events.SubTaskChanged():
                return self.add_note(NoteEntry("⑂", format_plan_event(event)))
            case events.PhoneStateChanged(sentence=sentence) if sentence and is_by_turn(event):
                return self.add_note(NoteEntry("!", safe(sentence)))
            case _:
                return self._handle_step_event(event)

    def _settle_approval(self, event: events.ApprovalSettled) -> StepEntry:
        """What was said at an approval stays in the log; one that needed no question is marked."""
        if event.verdict is Verdict.INSTEAD and event.words:
            self.add_note(NoteEntry("›", safe(event.words).strip()))
        step = self._step(event.step)
        # A yes of the user that holds for a next page is not asked for there.
        unasked = event.by is not ApprovedBy.USER or event.step not in self._approvals
        if unasked and event.verdict not in _REFUSING:
            step.allowed = event.by.value
        return step

    def _handle_step_event(self, event: events.Event) -> Entry | None:
        match event:
            case events.ThoughtStreamed(step=number, text=text):
                step = self._step(number)
                step.thought = (step.thought + safe(text))[-_THOUGHT_LENGTH:]
            case events.ActionChosen(step=number, action=action, source=source):
                step = self._step(number)
                step.text, step.source = _step_text(action, event.branch), source
                step.last = _is_last(action, event.branch)
                if step.status is StepStatus.LOOKING:
                    step.status = StepStatus.RUNNING
            case events.ApprovalRequested(step=number, action=action, decision=decision):
                step = self._step(number)
                step.text, step.status = _step_text(action, event.branch), StepStatus.WAITING
                self._approvals[number] = decision
            case events.QuestionAsked(step=number) if number:
                step = self._step(number)
                step.status = StepStatus.WAITING
            case events.StepFinished(step=number, action=action):
                step = self._step(number)
                step.text, step.source = _step_text(action, event.branch), event.source
                step.last, step.reports = (
                    _is_last(action, event.branch),
                    isinstance(action, Finished | Failed),
                )
                self.gave_up = step.last and isinstance(action, Failed)
                step.allowed = step.allowed or self._take_approval(number)
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
                return self.add_note(
                    NoteEntry(
                        "!",
                        _("Reply {attempt} was not understood: {reason}").format(
                            attempt=attempt, reason=one_line(_(reason))
                        ),
                    )
                )
            case _:
                return None
        return step

    def add_note(self, note: NoteEntry) -> NoteEntry:
        """Add a note."""
        self._append(note)
        return note

    def resume_step(self, number: int) -> StepEntry:
        """A step no longer waits for the user."""
        step = self._step(number)
        step.allowed = step.allowed or self._take_approval(number)
        if step.status is StepStatus.WAITING:
            step.status = StepStatus.RUNNING
        return step

    def mark_heard(self, state: TurnState) -> list[NoteEntry]:
        """Notes of messages that the turn, now in this state, has read; they are changed."""
        self._paused = state in (TurnState.PAUSING, TurnState.PAUSED)
        if self._paused:
            return []
        notes, self._unread_notes = self._unread_notes, []
        for note in notes:
            note.waits = False
        live = self.entries.live
        return [note for note in notes if note in live]

    def _add_message(self, note: NoteEntry) -> NoteEntry:
        if note.waits:
            self._unread_notes.append(note)
        return self.add_note(note)

    def _take_approval(self, number: int) -> str:
        """Whose approval a step has that the user was asked about; empty if it has none."""
        decision = self._approvals.pop(number, None)
        if decision is None or decision.cancelled() or not decision.done():
            return ""
        approval = decision.result()
        return "" if approval.verdict in _REFUSING else approval.by.value

    def _change_state(self, state: TurnState, cause: Cause) -> StepEntry | None:
        """The turn's state changed; returns the step in progress if that changes it."""
        self._current_status = _step_status(state, cause)
        step = self.running
        if step is None or state.final or step.status is self._current_status:
            return None
        if state is TurnState.PAUSING and step.text:
            # The action may already be on its way to the phone.
            return None
        step.status = self._current_status
        return step

    @property
    def running(self) -> StepEntry | None:
        """The step in progress."""
        last = next(reversed(self._steps.values()), None)
        return last if last and last.status in UNDER_WAY else None

    def _forget_thought(self) -> None:
        """Discard the thought of a reply that is requested again."""
        if self.running is not None:
            self.running.thought = ""

    def _begin_step(self, number: int) -> StepEntry:
        """Begin a step; a step that starts over keeps its row, also if it had reported the task as done.

        Each step begins by observing the phone.
        """
        if self._current_status is StepStatus.RUNNING:
            self._current_status = StepStatus.LOOKING
        step = self._steps.get(number)
        if step is None or (step.seconds is not None and not step.reports):
            self._steps.pop(number, None)
            return self._step(number)
        step.text = step.thought = step.error = ""
        step.source = step.seconds = None
        step.allowed = ""
        self._approvals.pop(number, None)
        step.status, step.last, step.reports = self._current_status, False, False
        return step

    def _restore_step(self, event: events.StepRetold) -> StepEntry:
        """A step from before the program was killed."""
        step = self._step(event.step)
        step.text, step.error = _step_text(event.action, event.branch), one_line(refusal_words(event.error))
        step.status = StepStatus.FAILED if event.error else StepStatus.BEFORE
        return step

    def _step(self, number: int) -> StepEntry:
        if number not in self._steps:
            self._steps[number] = StepEntry(number, status=self._current_status)
            self._append(self._steps[number])
        return self._steps[number]

    def _append(self, entry: Entry) -> None:
        for old in self.entries.append(entry):
            if isinstance(old, StepEntry) and self._steps.get(old.number) is old:
                del self._steps[old.number]

    def _finish(self, event: events.TurnFinished) -> Entry | None:
        for step in self._steps.values():
            if step.status in UNDER_WAY:
                step.status = StepStatus.STOPPED
            elif step.last and event.outcome in (Outcome.FAILED, Outcome.CANCELLED):
                step.status = StepStatus.FAILED
            elif step.last and event.outcome is Outcome.UNCONFIRMED:
                is_so = event.cause is Cause.ALREADY_SO
                step.status = StepStatus.BEFORE if is_so else StepStatus.DOUBTED
        if event.replayed:
            self.saving = format_saving(event)
            self.add_note(NoteEntry("↻", self.saving))
        answer = safe(event.answer).strip()
        if event.outcome is Outcome.CANCELLED:
            # The state line says the rest.
            answer = answer.removeprefix(_("Cancelled.")).strip()
        for step in self._steps.values():
            reported = read_evidence(step.text)[0] if step.last else ""
            if reported:
                # What the model reported stands in its own line.
                report = _("The model says: {answer}").format(answer=ended(reported))
                answer = answer.replace(report, "").strip()
            if step.last and answer == step.text:
                return None
            if reported and answer.startswith(reported) and "\n" not in answer:
                # What the model ended with is said once, with what is added to it.
                step.text = answer
                return step
        sign = format_headline(TurnState.CANCELLED, event.cause)[0]
        sign = sign if event.outcome is Outcome.CANCELLED else _ENDINGS[event.outcome]
        return self.add_note(NoteEntry(sign, answer)) if answer else None


_STATUS_BY_CAUSE = {
    Cause.OBSERVING: StepStatus.LOOKING,
    Cause.PHONE: StepStatus.NO_PHONE,
    Cause.MODEL: StepStatus.NO_MODEL,
}


def _step_status(state: TurnState, cause: Cause) -> StepStatus:
    """The status of the step in progress, as far as the turn's state tells."""
    match state:
        case TurnState.PAUSING | TurnState.PAUSED if cause is not Cause.PHONE:
            return StepStatus.PAUSED
        case TurnState.WAITING:
            return _STATUS_BY_CAUSE.get(cause, StepStatus.WAITING)
        case _:
            return _STATUS_BY_CAUSE.get(cause, StepStatus.RUNNING)


def format_approval(allowed: str) -> str:
    """Whose approval a step had, to stand behind its words; empty if it needed none."""
    return _(_ALLOWED_BY[ApprovedBy(allowed)]) if allowed else ""


def _step_text(action: Action, branch: str = "") -> str:
    """What a step does, behind the sub-task that it belongs to; for the last step, its answer."""
    lead = f"{safe(branch)} · " if branch else ""
    match action:
        case Finished(answer=answer):
            return lead + (safe(answer).strip() or _("finish"))
        case Failed(reason=reason):
            return lead + (safe(split_reason(reason)[1]).strip() or _("give up"))
        case _:
            return lead + format_step(action)


def _is_last(action: Action, branch: str) -> bool:
    """Whether a step ends the turn; one that ends a sub-task stays where it was done."""
    return isinstance(action, Finished | Failed) and not branch


_TASK_STATES = {
    "waiting": later("waits"),
    "running": later("runs"),
    "needs": later("needs a value"),
    "done": later("done"),
    "failed": later("failed"),
    "unconfirmed": later("unconfirmed"),
    "cancelled": later("cancelled"),
    "skipped": later("skipped"),
}


def format_plan_event(event: events.PlanMade | events.SubTaskChanged) -> str:
    """The sub-tasks of a command, or how far one of them is, as one line."""
    if isinstance(event, events.PlanMade):
        return _("Sub-tasks: {tasks}").format(tasks="; ".join(map(_format_task, event.tasks)))
    name = _task_name(event.branch, event.app)
    state = _(_TASK_STATES.get(event.state, event.state))
    if event.state == "running" and event.phone:
        state = _("runs on {phone}").format(phone=one_line(event.phone))
    sentence = one_line(event.sentence)
    return f"{name}: {state} · {sentence}" if sentence else f"{name}: {state}"


def _format_task(task: events.PlannedTask) -> str:
    words = f"{_task_name(task.id, task.app)}: {one_line(task.instruction)}"
    return f"{words} ({_('after {names}').format(names=', '.join(task.needs))})" if task.needs else words


def _task_name(task_id: str, app: str) -> str:
    return one_line(f"{task_id} · {app}" if app else task_id)


def format_saving(event: events.TurnFinished) -> str:
    """What memory did in the model's place: `5 steps repeated from memory, about 7 s saved: play {song}`."""
    words = _("{steps} repeated from memory").format(steps=counted(event.replayed, "step"))
    if event.saved >= 1:
        words = _("{words}, about {time} saved").format(words=words, time=format_duration(event.saved))
    if event.answer_read:
        words = _("{words}; the answer was read where it stood before").format(words=words)
    return f"{words}: {one_line(event.skill)}" if event.skill else words


def format_ending(event: events.TurnFinished) -> str:
    """What a turn took: `4 steps, 31 s, 12k tok`, and how long it waited for the user."""
    time_taken = format_duration(max(0.0, event.seconds - event.waited))
    if event.waited >= _LEAST_WAIT_SHOWN:
        time_taken = _("{time}, and {waited} of waiting for you").format(
            time=time_taken, waited=format_duration(event.waited)
        )
    figures = [counted(event.steps, "step"), time_taken]
    if event.usage.total_tokens:
        figures.append(format_tokens(event.usage.total_tokens, event.usage.estimated_tokens))
    return _(", ").join(figures)


def format_missed(event: events.SchedulesMissed) -> str:
    """What was scheduled and did not begin, with what to do about it."""
    template = _("Missed on {moment}: {instruction} ({reason}). Type it to do it now.")
    words = template.format(
        moment=moment(event.due), instruction=one_line(event.instruction), reason=event.reason
    )
    if event.count == 1:
        return words
    return _("{words} {count} occasions were missed; /schedule history lists them.").format(
        words=words, count=event.count
    )


def format_guards_limited(event: events.GuardsLimited) -> str:
    """That the guards read the phone's language less well, with what to do about it."""
    return _(
        "The guards read this phone's language ({language}) less well, and may miss a payment or message. "
        "turn.strict asks about every button that they do not know."
    ).format(language=one_line(event.language))


@dataclass(slots=True)
class _PhoneTurn:
    """The running turn on one phone, as the events that tell it."""

    said: str = ""
    state: TurnState | None = None
    cause: Cause | None = None
    history: list[events.Event] = field(default_factory=list)

    def add(self, event: events.Event) -> None:
        """Keep an event; of the screens only the newest, and the pieces of a thought as one."""
        match event:
            case events.StateChanged(state=state, cause=cause):
                self.state, self.cause = state, cause
            case events.ScreenObserved():
                self.history = [kept for kept in self.history if not isinstance(kept, events.ScreenObserved)]
            case events.ThoughtStreamed(step=step, text=text) if self.history:
                last = self.history[-1]
                if isinstance(last, events.ThoughtStreamed) and (last.step, last.branch) == (
                    step,
                    event.branch,
                ):
                    self.history[-1] = replace(last, text=last.text + text)
                    return
        self.history.append(event)


def is_by_turn(event: events.PhoneStateChanged) -> bool:
    """Whether a turn says something of its phone, which is as ready as it was, and names no phone."""
    return event.state is events.PhoneState.READY and not event.serial and not event.model


class TurnsByPhone:
    """The running turns of all phones; one phone is shown, and the turns of the others can be shown later."""

    def __init__(self) -> None:
        self.shown = ""
        self._turns: dict[str, _PhoneTurn] = {}
        self._models: dict[str, str] = {}

    def handle_event(self, event: events.Event) -> bool:
        """Keep an event of a turn; returns whether it concerns the shown phone."""
        serial = event.turn_phone
        if isinstance(event, events.PhoneStateChanged) and event.serial:
            self.note_phone(event.serial, event.model)
        if not serial:
            return True
        self.note_phone(serial)
        if isinstance(event, events.TurnStarted):
            self._turns[serial] = _PhoneTurn(one_line(event.said), TurnState.RESOLVING, Cause.COMMAND)
        if serial in self._turns:
            self._turns[serial].add(event)
        if isinstance(event, events.TurnFinished):
            self._turns.pop(serial, None)
        return serial == self.shown

    def note_phone(self, serial: str, model: str = "") -> None:
        """There is such a phone."""
        self._models[serial] = one_line(model) or self._models.get(serial, "")

    def said_on(self, serial: str) -> str:
        """The command of the turn that runs on a phone; empty while none does."""
        turn = self._turns.get(serial)
        return turn.said if turn is not None else ""

    def label(self, serial: str) -> str:
        """What a phone is called where there are several; empty where there is only one."""
        if not serial or len(self._models.keys() | {serial}) < 2:
            return ""
        model = self._models.get(serial, "")
        is_unique = list(self._models.values()).count(model) == 1
        return model if model and is_unique else f"{model} {one_line(serial)}".strip()

    def next_running(self) -> str:
        """The phone behind the shown one on which a turn runs; empty where there is none."""
        serials = list(self._turns)
        behind = serials.index(self.shown) + 1 if self.shown in serials else 0
        return next((serial for serial in serials[behind:] + serials[:behind] if serial != self.shown), "")

    def lines(self) -> list[tuple[str, bool]]:
        """A line for each running turn, and whether it is shown; none where only the shown phone has one."""
        if not self.next_running():
            return []
        return [
            (
                " · ".join((f"{_sign(turn)} {self.label(serial)}", turn.said, _words(turn))),
                serial == self.shown,
            )
            for serial, turn in self._turns.items()
        ]

    @property
    def state(self) -> tuple[TurnState | None, Cause | None]:
        """State and cause of the turn on the shown phone; None while none runs there."""
        turn = self._turns.get(self.shown)
        return (turn.state, turn.cause) if turn is not None else (None, None)

    def replay(self) -> Sequence[events.Event]:
        """The events that tell the turn on the shown phone; none while no turn runs there."""
        turn = self._turns.get(self.shown)
        return tuple(turn.history) if turn is not None else ()


def _sign(turn: _PhoneTurn) -> str:
    return format_headline(turn.state, turn.cause)[0]


def _words(turn: _PhoneTurn) -> str:
    return format_headline(turn.state, turn.cause)[1]
