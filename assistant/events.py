"""The events by which the engine reports everything. One that needs a decision carries a future for it."""

from __future__ import annotations

from asyncio import Future
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from assistant.records import Action, Cost, ForegroundApp, Observation, Outcome, Source, Usage


class TurnState(StrEnum):
    """The state of a turn; `final` is whether the turn is over."""

    RESOLVING = "resolving"
    WAITING = "waiting"
    RUNNING = "running"
    PAUSING = "pausing"
    PAUSED = "paused"
    FINISHED = "finished", True
    FAILED = "failed", True
    CANCELLED = "cancelled", True
    UNCONFIRMED = "unconfirmed", True

    final: bool

    def __new__(cls, value: str, final: bool = False) -> TurnState:
        """A state by its value."""
        state = str.__new__(cls, value)
        state._value_, state.final = value, final
        return state


class Cause(StrEnum):
    """Why a turn entered its state, so that a person sees the difference at a glance."""

    COMMAND = "command"
    OBSERVING = "observing"
    THINKING = "thinking"
    ACTING = "acting"
    APPROVAL = "approval"
    QUESTION = "question"
    MEANING = "meaning"
    HELD = "held"
    USER_PAUSED = "user_paused"
    TOUCHED = "touched"
    CALL = "call"
    LOOP = "loop"
    HANDED_OVER = "handed_over"
    PHONE = "phone"
    MODEL = "model"
    DONE = "done"
    PUT_OFF = "put_off"
    ANSWERED = "answered"
    KEY = "key"
    WORDS = "words"
    ALREADY_SO = "already_so"


class PhoneState(StrEnum):
    """Whether the phone can be used, and if not, what kind of problem there is."""

    READY = "ready"
    NO_ADB = "no_adb"
    ABSENT = "absent"
    UNAUTHORIZED = "unauthorized"
    OFFLINE = "offline"
    FROZEN = "frozen"
    SCREEN_OFF = "screen_off"
    LOCKED = "locked"
    NO_INPUT_PERMISSION = "no_input_permission"


class ActionKind(StrEnum):
    """The kind of a sensitive action: `SEND` to people, calls too; `PASSWORD` enters a password or a code."""

    PAY = "pay"
    SEND = "send"
    DELETE = "delete"
    INSTALL = "install"
    GRANT = "grant"
    SECURITY = "security"
    PASSWORD = "password"


class Deed(BaseModel):
    """What one sensitive action does, in the screen's words; an approval holds for one deed.

    Attributes:
        kind: the kind of action.
        package: the app it is done in.
        app: what people call that app.
        recipient: who gets the money or the message; for a permission, what the system's dialog asks.
        amount: the amount of money as the screen writes it.
        text: the message that is sent; for other kinds the item: what is deleted, installed, changed.
        entry: the words of the row that it is done in, where the page has several that could be meant.
        destination: where what is paid for is brought, or somebody is taken; empty if the page does not tell.
        maybe: whether it may not have been done, as program or connection ended meanwhile.
        from_picture: whether it was read from a picture, where nothing else tells: each one is asked about.
    """

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    package: str = ""
    app: str = ""
    recipient: str = ""
    amount: str = ""
    text: str = ""
    entry: str = ""
    destination: str = ""
    maybe: bool = False
    from_picture: bool = False


class Verdict(StrEnum):
    """The answer to an approval: once, this turn, always for such a deed, no, something else."""

    ONCE = "once"
    THIS_TURN = "this_turn"
    ALWAYS = "always"
    NO = "no"
    INSTEAD = "instead"


class ApprovedBy(StrEnum):
    """Whose approval a deed has: the user's answer, one for this turn, a standing rule, `--yes`."""

    USER = "user"
    TURN = "turn"
    RULE = "rule"
    COMMAND_LINE = "command_line"


@dataclass(frozen=True, slots=True)
class Approval:
    """A verdict, for `INSTEAD` what the user wants done instead, and whose approval it is.

    With `answers_dialog` a refusal is the user's own no, which is given to a dialog of the phone, too.
    """

    verdict: Verdict
    words: str = ""
    by: ApprovedBy = ApprovedBy.USER
    answers_dialog: bool = True


class Answer(StrEnum):
    """What became of a suggestion.

    `DONE` is doing the same without accepting it, `LAPSED` no answer in its time, `NONE` none yet.
    """

    NONE = ""
    ACCEPTED = "accepted"
    EDITED = "edited"
    NOT_NOW = "not_now"
    NEVER = "never"
    DONE = "done"
    LAPSED = "lapsed"


class Snooze(StrEnum):
    """How long a suggestion is put off."""

    TEN_MINUTES = "10 min"
    AN_HOUR = "1 h"
    TOMORROW = "tomorrow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened, and when.

    `branch` is the sub-task it happened in, `turn_phone` its turn's phone by serial; empty outside of such.
    """

    time: datetime
    branch: str = ""
    turn_phone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(Event):
    """A command was taken, or takes the place of the turn's. `continued` after the program was killed."""

    turn_id: str
    said: str
    continued: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionTaken(Event):
    """The turn that has started carries out a suggestion, as it was offered or as the user changed it.

    `instruction` is what was offered, `score` its chance then, 0..1; `why` is a sentence for each reason,
    `evidence` are the ids of the routine's records.
    """

    id: str
    instruction: str
    score: float
    why: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRetold(Event):
    """A step that a continued turn had done before; these events follow its start, in order."""

    step: int
    action: Action
    source: Source
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsRetold(Event):
    """What the user had told a continued turn, after so many of its steps."""

    text: str
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionResolved(Event):
    """What the command means for this user."""

    instruction: str


class PlannedTask(BaseModel):
    """A sub-task as it is shown: its short name, what to do, the app, and the sub-tasks it waits for.

    `state` is how far it is, such as `waiting` or `done`.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    instruction: str
    app: str = ""
    needs: tuple[str, ...] = ()
    state: str = "waiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanMade(Event):
    """A command over several apps is carried out in these sub-tasks; `source` tells where they come from."""

    tasks: tuple[PlannedTask, ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SubTaskChanged(Event):
    """The sub-task `branch` is in another state, on a phone; `sentence` says why where that is to be told.

    States: `waiting`, `running`, `needs` (it runs and waits for a value), `done`, `failed`, `unconfirmed`,
    `cancelled`, `skipped`.
    """

    state: str
    instruction: str
    app: str = ""
    phone: str = ""
    sentence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementsPerceived(Event):
    """The spans of a command whose meaning depends on the user."""

    said: str
    elements: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementRecalled(Event):
    """What a span stands for: from profile, preference, exploration or user, and why that is believed.

    `confidence` is 0..1, `evidence` are the ids of records, newest first.
    """

    element: str
    value: str
    source: str
    confidence: float
    evidence: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementUnknown(Event):
    """Memory is not sure of a span; `candidates` are what it might stand for, likeliest first.

    `on_phone` for a person or group without candidates: the phone may have them under these very words.
    """

    element: str
    candidates: tuple[str, ...] = ()
    on_phone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrandStarted(Event):
    """A read-only lookup in an app or another source begins, to find out what a span stands for."""

    element: str
    app: str
    task: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrandStepped(Event):
    """A step of a lookup is over, after so many seconds; `error` says why it was not performed."""

    app: str
    action: Action
    seconds: float
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementExplored(Event):
    """A lookup is over; `value` is empty when it found nothing, `place` says where it was read.

    `app` is the app or the MCP server that was asked. `problem` says why it could not be asked.
    """

    element: str
    app: str
    value: str = ""
    place: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionCompleted(Event):
    """The explicit command, with its app if that is known, and the spans that are still unknown."""

    said: str
    instruction: str
    app: str = ""
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningProposed(Event):
    """What a command was taken to mean, before anything is done for it.

    `decision` takes the instruction to carry out, as it stands or changed. Whoever shows it lets it stand
    after `seconds` in which nobody touched it. `unlike` is the command where the instruction keeps few of its
    words: then it waits for the user, however long that takes.
    """

    instruction: str
    seconds: float
    decision: Future[str] = field(repr=False)
    unlike: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningCorrected(Event):
    """The user changed what was proposed. From now on `element` means `value` for them.

    Both are empty where nothing is learnt from it: then the change holds for this time.
    """

    element: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged(Event):
    """The turn's state. `sentence` says what happened and, where the user can mend it, what to do."""

    state: TurnState
    cause: Cause
    sentence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStarted(Event):
    """A step begins; steps count from 1."""

    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenObserved(Event):
    """The screen as the model is about to see it."""

    step: int
    app: ForegroundApp
    observation: Observation = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtStreamed(Event):
    """A piece of the model's reasoning, as it arrives."""

    step: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionChosen(Event):
    """What the step is about to do; `origin` is the turn that a replayed action was recorded in."""

    step: int
    action: Action
    source: Source
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFinished(Event):
    """A step is over. Times are seconds: all of it, waiting for the model, waiting for the phone, our own.

    `reading_seconds` went into reading text from the picture. `error` says why the action was not performed,
    if so; the model is told. `usage` is what deciding used, `cost` what that costs where the price is known.
    """

    step: int
    action: Action
    source: Source
    seconds: float
    model_seconds: float
    phone_seconds: float
    own_seconds: float
    reading_seconds: float = 0.0
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds_to_first_token: float = 0.0
    cost: Cost | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyMalformed(Event):
    """A reply that was not understood; it is asked for again while `attempt` is below the limit."""

    step: int
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRetrying(Event):
    """The model endpoint failed; the request is repeated after `delay` seconds."""

    attempt: int
    delay: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequested(Event):
    """A sensitive action waits for the user. Nothing is sent before `decision` has a result.

    Attributes:
        sentence: what it would do; `text` is what would be typed or sent, exactly.
        crop: a PNG around the element, or empty.
        warning: that it was, or may have been, done.
        reason: why the guards ask.
        page_words: of a payment, the page's other words; `paid_from` is the chosen means.
        destination: of a payment, where something is brought.
        seller: of a payment, what stands above the items as a shop's name does.
        stage: of a payment, from 1; `stage_before` is what the button of the stage before said.
        payee_before: of a payment, whom earlier pages name; `pages_before` are their titles; of a
            deletion, the row that led to its page.
        user_words: what was said at the approval before.
        unheard: what of the user's words is not carried out in it; `not_shown` are those no page says.
        command: the command as it holds; `said` is how it was typed.
        as_commanded: that its text stands word for word in a command which only reports it.
    """

    step: int
    kind: ActionKind
    action: Action
    app: ForegroundApp
    decision: Future[Approval] = field(repr=False)
    sentence: str = ""
    text: str = ""
    crop: bytes = field(default=b"", repr=False)
    deed: Deed | None = None
    warning: str = ""
    reason: str = ""
    page_words: tuple[str, ...] = ()
    paid_from: str = ""
    destination: tuple[str, ...] = ()
    seller: str = ""
    stage: int = 1
    stage_before: str = ""
    payee_before: str = ""
    pages_before: tuple[str, ...] = ()
    user_words: str = ""
    unheard: str = ""
    not_shown: tuple[str, ...] = ()
    command: str = ""
    said: str = ""
    as_commanded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalSettled(Event):
    """How an approval ended: the verdict, whose it is, and the deed that it is about.

    `words` are what the user said instead. A deed that the user's rule or `--yes` covers is not asked about,
    and this event is all that tells of the approval.
    """

    step: int
    deed: Deed
    verdict: Verdict
    by: ApprovedBy = ApprovedBy.USER
    sentence: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked(Event):
    """The assistant needs to know something; `answer` takes the user's words, `choices` are likely ones.

    Step 0 is about the command itself. `about` is the kind of what is asked for, a `Category`; empty where
    only the choices answer. `reasons` say why the first choices are likely. `kept` tells that the answer is
    remembered, unless it says "just this time"; `is_value` that it stands for words of the command.
    """

    step: int
    question: str
    answer: Future[str] = field(repr=False)
    choices: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    kept: bool = False
    is_value: bool = False
    about: str = ""

    @property
    def likely(self) -> list[tuple[str, str]]:
        """What is shown for each choice, with the reason that it is likely, and the choice."""
        reasons = (*self.reasons, *("" for _choice in self.choices))
        pairs = zip(self.choices, reasons, strict=False)
        return [(f"{choice} · {reason}" if reason else choice, choice) for choice, reason in pairs]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSaid(Event):
    """The user said something during the turn; the next step takes it into account."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCorrected(Event):
    """A value of the command was corrected, or added; `done` is what was done with the old one, in words."""

    command: str
    new: str
    old: str = ""
    done: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneStateChanged(Event):
    """The phone came, went, or needs the user: see `sentence`. `helper_lost`: until the end of this turn."""

    state: PhoneState
    sentence: str
    serial: str = ""
    model: str = ""
    battery: int | None = None
    helper_lost: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageUpdated(Event):
    """What this turn has used so far, and the day with it; one sum for each currency."""

    usage: Usage
    cost: Cost | None = None
    tokens_today: int = 0
    costs_today: tuple[Cost, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionOffered(Event):
    """A routine is offered, until a time. `score` is its chance, 0..1; `why` has a sentence for each reason.

    One that the user lets begin by itself `starts` then, unless it is stopped before. The same `id` comes
    again, and then waits for a yes, when what it is made from in the memory has changed: it has other words.

    What the user has `scheduled` comes in the same way at its time, and `starts`, too. `evidence` are the ids
    of the records that it is made from.
    """

    id: str
    instruction: str
    score: float
    until: datetime
    why: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    starts: datetime | None = None
    scheduled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionLapsed(Event):
    """A suggestion ended unanswered: its time passed, its source is gone or changed, or the user did it."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionAnswered(Event):
    """The user's answer to a suggestion, such as `not_now`, or until when it was put off."""

    id: str
    answer: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulesMissed(Event):
    """Occasions of schedules did not begin: the newest of them, and how many there are."""

    instruction: str
    due: datetime
    reason: str
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioChanged(Event):
    """The user is in another scenario; `place` is their own name of it, `origin` says who says so."""

    scenario: str
    place: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceAsked(Event):
    """The phone has been near an unknown access point or device for a while; asked once for each."""

    seen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningChanged(Event):
    """Whether the memory learns from turns, from now on."""

    learns: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardsLimited(Event):
    """The guards know few words of the language of the phone (an ISO code); told once for each."""

    serial: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Event):
    """A line was answered without the phone, by records, newest first; `known`: whether memory knows it."""

    said: str
    text: str
    known: bool = True
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished(Event):
    """The turn is over, by `cause`; `answer` is the model's answer or, when it failed, the reason.

    Of its `seconds` it stood still for the user in `waited`. `deeds` are the sensitive actions that were
    carried out, in order; one with `maybe` may have been. `replayed` of its steps came from the `skill` of
    that name, which `saved` that many seconds at the model's average; 0 unless the turn ended well. With
    `answer_read` memory read the answer from the screen, in the place where the model found it before.
    """

    turn_id: str
    outcome: Outcome
    answer: str
    steps: int
    usage: Usage
    seconds: float
    cost: Cost | None = None
    waited: float = 0.0
    deeds: tuple[Deed, ...] = ()
    replayed: int = 0
    saved: float = 0.0
    skill: str = ""
    answer_read: bool = False
    cause: Cause = Cause.DONE
