"""What a turn works with: phone, model, store, settings and limits, resolver, and the clock of its steps."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from assistant.agent.completion import word_pattern
from assistant.events import ActionKind, Deed, Event, StepFinished
from assistant.i18n import _, has_chinese, later, whole_words
from assistant.memory.prototypes.terms import CORRECTED_BY
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.model.types import ModelEvent, StepRequest, one_line
from assistant.phone.device import Phone
from assistant.phone.displays import DisplayPhone
from assistant.phone.errors import Refusal
from assistant.phone.status import OWN_DISPLAY
from assistant.records import Action, Cost, Observation, Outcome, TypeText, Usage, in_words
from assistant.safety.amounts import Allowance
from assistant.safety.deeds import repeats
from assistant.safety.effects import is_call
from assistant.secrets import SecretError
from assistant.settings.schema import AppLock, Settings, TurnSettings
from assistant.skills.command_wording import Correction
from assistant.skills.skill_step import Proposal


@dataclass(frozen=True, slots=True)
class UnclearCorrection:
    """What the user said that may change the command in several ways, and these."""

    text: str
    corrections: tuple[Correction, ...]


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The phone, model, store and settings of one turn.

    Attributes:
        attended: whether a user can answer; if not, the turn fails where it would have to wait for one.
        allowances: what the command line allows without asking in this turn.
        secrets: the secrets that the model may refer to by name.
        command_resolver: resolves what the command means; without it the command is used as typed.
        action_memory: proposes steps that earlier turns performed; without it the model decides each.
        memory_ready: if set, the command is resolved only after this future is done (the memory is loading).
        slot_values: for a sub-task, the values that others find out for it; without it nothing is missing.
        earlier_deeds: what other sub-tasks of the same command did before.
        ask_model: asks the model for text, in a bounded time; None where it is not to be asked about buttons.
        find_answer: looks what the model asks up in other sources, such as a calendar; None without any.
        names_of: the further names of a person whom the user is sure to have named; may read the memory.
        restate: the instruction as a remark changes it, by a model, and whether it says all; "" if not sure.
    """

    phone: Phone
    model: DecisionModel
    store: Store
    settings: Settings
    now: Callable[[], datetime]
    emit: Callable[[Event], None]
    attended: bool = True
    allowances: tuple[Allowance, ...] = ()
    secrets: NamedSecrets | None = None
    command_resolver: CommandResolver | None = None
    action_memory: StepProposer | None = None
    memory_ready: asyncio.Future[None] | None = None
    slot_values: LateSlotValues | None = None
    earlier_deeds: tuple[Deed, ...] = ()
    ask_model: Callable[[str, str, dict[str, object]], Awaitable[str]] | None = None
    find_answer: FindAnswer | None = None
    names_of: Callable[[str], Sequence[str]] = lambda _person: ()
    restate: Callable[[str, str], Awaitable[tuple[str, bool]]] | None = None

    def find_exceeded_limit(self, turn: Checkpoint, seconds: float) -> str:
        """The sentence that ends a turn which reached a limit, after so many seconds of work; else empty."""
        return find_exceeded_limit(self.settings.turn, turn, seconds)


class NamedSecrets(Protocol):
    """The user's secrets by name."""

    def get(self, name: str) -> str | None:
        """The value; None if there is no secret of this name."""
        ...

    def names(self) -> Mapping[str, object]:
        """All names."""
        ...


def secret_values(secrets: NamedSecrets | None) -> set[str]:
    """The values of the named secrets, as far as they can be read."""
    values: set[str] = set()
    if secrets is not None:
        with suppress(SecretError):
            values |= {value for name in secrets.names() if (value := secrets.get(name))}
    return values


class DecisionModel(Protocol):
    """A model that chooses the next action. One request at a time."""

    @property
    def waiting_seconds(self) -> float:
        """Time spent waiting for its replies so far."""

    @property
    def seconds_per_decision(self) -> float:
        """The average wait for a decision so far; 0 before the first."""

    @property
    def reads_elements(self) -> bool:
        """Whether requests tell the elements of the screen beside its picture."""

    def glimpse(self, png: bytes) -> None:
        """Prepare a screenshot that the next request may contain."""

    def decide(self, request: StepRequest) -> AsyncGenerator[ModelEvent, None]:
        """The thoughts and failures as they arrive, then exactly one `Decision`.

        Raises:
            ModelError: the model gave no valid decision.
        """

    def take_dropped_usage(self) -> Usage:
        """The usage of requests that were ended before their decision, since the last call."""


class StepProposer(Protocol):
    """Proposes steps from what earlier turns did."""

    async def opens_app(self, checkpoint: Checkpoint) -> bool:
        """Whether a turn begins with opening an app, so that of the screen before the picture will do."""

    async def types_next(self, checkpoint: Checkpoint, seen: Observation) -> bool:
        """Whether what was just tapped on a screen is a field that is typed into next."""

    async def propose(
        self, checkpoint: Checkpoint, observation: Observation, will_ask: Callable[[Action], bool]
    ) -> Proposal | None:
        """The next step of a turn on a screen, or what to tell the model before it decides. Never raises.

        Args:
            checkpoint: the turn so far.
            observation: the screen.
            will_ask: whether the user would be asked before an action, whatever was allowed before.
        """


HELPER_PATIENCE = 5.0
"""Seconds that a sub-task waits for another phone that is gone, before the phone in use takes over."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """A screen that sub-tasks may run on, and what each uses alone: a model's client, an action memory."""

    phone: Phone
    model: DecisionModel
    action_memory: StepProposer | None = None

    @property
    def display(self) -> str:
        """The number of the display, “0” for a phone's own screen."""
        return self.phone.display if isinstance(self.phone, DisplayPhone) else OWN_DISPLAY

    @property
    def name(self) -> str:
        """The screen as a person is told of it."""
        if self.display == OWN_DISPLAY:
            return self.phone.serial
        return _("{phone} · display {number}").format(phone=self.phone.serial, number=self.display)

    def adapt_settings(self, settings: Settings) -> Settings:
        """The settings of a turn on this screen, where it is not that of the phone in use.

        No finger reaches a display without a panel: the user's are on the phone's own screen.
        """
        takeover = settings.turn.takeover and self.display == OWN_DISPLAY
        phone = {"serial": self.phone.serial, "return_wait": HELPER_PATIENCE}
        return settings.overridden({"phone": phone, "turn": {"takeover": takeover}})


class OtherScreens(Protocol):
    """Makes other displays of the phone in use for one turn. `problem` says why there are none."""

    @property
    def problem(self) -> str:
        """Why there are none, for the user; empty if there are."""

    async def open(self) -> Sequence[Workplace]:
        """The phone's own screen, to be used from here on, and the displays; empty where there are none."""

    async def close(self) -> None:
        """End the displays. Again is harmless."""


class LateSlotValues(Protocol):
    """The values that other sub-tasks find out while this one runs already."""

    def update(self, instruction: str) -> tuple[str, tuple[str, ...]]:
        """The instruction with the values that are there by now, and what the model must be told of them."""
        ...

    def holds_back(self, action: Action, *, sensitive: bool) -> bool:
        """Whether an action waits: it types a value, or one is missing and it is sensitive or an end."""
        ...

    async def wait(self) -> None:
        """Wait until all values are there."""
        ...

    def fill(self, text: str) -> str:
        """A text to type with the values in the place of their slots."""
        ...


@dataclass(frozen=True, slots=True)
class AppLookup:
    """A read-only lookup: its instruction, its app, and its limits in steps and seconds of work.

    The instruction asks for an answer `VALUE | WHERE IT WAS READ`; a value that stood on no screen is none.
    """

    task: str
    app: str
    max_steps: int
    max_seconds: float


NOTHING_ORDERED = later("Nothing was begun: this names no task for the phone. Say what it should do.")
"""What is said to a remark."""


@dataclass(frozen=True, slots=True)
class ResolvedCommand:
    """The meaning of a command.

    Attributes:
        instruction: the explicit instruction.
        reference: for the model, how the same was done before, and by which words an app may list people; or
            empty.
        assumed: whether part of the instruction is not from the user's words. It is shown to the user before
            the turn starts.
        unlike: the command, if the instruction keeps few of its words. It then waits for the user's consent.
        on_correction: called with the instruction as the user changed it.
        orders_nothing: whether the user only remarked something, so that nothing is to be begun.
        instead: the command that the user typed at a question in the place of this one.
        not_begun: what the user is told where nothing is begun for another reason, such as its time.
        is_put_off: whether it was scheduled instead.
        is_answered: whether that is the answer to a line that orders nothing.
    """

    instruction: str
    reference: str = ""
    assumed: bool = False
    unlike: str = ""
    on_correction: Callable[[str], None] | None = None
    orders_nothing: bool = False
    instead: str = ""
    not_begun: str = ""
    is_put_off: bool = False
    is_answered: bool = False


RunLookup = Callable[[AppLookup], Awaitable[str]]
"""Runs a lookup; returns its answer, empty if there is none."""


class AskAboutCommand(Protocol):
    """Asks the user."""

    async def __call__(
        self,
        question: str,
        choices: Sequence[str],
        /,
        *,
        kept: bool = True,
        reasons: Sequence[str] = (),
        about: str = "",
    ) -> str:
        """The user's words; empty if nobody answers.

        Args:
            question: the question.
            choices: suggested answers.
            kept: whether the answer is remembered, where the memory learns.
            reasons: why each of the first choices is suggested.
            about: the kind of what is asked for, as in `QuestionAsked`; empty where only the choices answer.
        """


class AskOnce:
    """Asks the user, but not again what they answered `before` they changed the command.

    Attributes:
        answers: what was answered, by the question.
    """

    def __init__(self, ask: AskAboutCommand, before: Mapping[str, str]) -> None:
        self._ask, self._before, self.answers = ask, dict(before), dict[str, str]()

    async def __call__(
        self,
        question: str,
        choices: Sequence[str],
        /,
        *,
        kept: bool = True,
        reasons: Sequence[str] = (),
        about: str = "",
    ) -> str:
        """The answer given before, else the user's; empty if nobody answers."""
        answer = self._before.pop(question, "")
        answer = answer or await self._ask(question, choices, kept=kept, reasons=reasons, about=about)
        self.answers[question] = answer
        return answer


@dataclass(frozen=True, slots=True)
class LikelyAnswer:
    """What another source says to a question, and where it stands there, in words for the user."""

    value: str
    place: str


class FindAnswer(Protocol):
    """Looks a question of a turn up in other sources that the user lets the assistant read."""

    async def __call__(
        self, question: str, instruction: str, ask_user: AskAboutCommand, /
    ) -> LikelyAnswer | None:
        """What a source probably answers; None where none does, or the user does not allow it."""


class CommandPrompter(Protocol):
    """Asks the user what a command means."""

    @property
    def ask_meaning(self) -> AskAboutCommand:
        """Asks a question about the command."""

    async def confirm_instruction(self, instruction: str, meaning: ResolvedCommand) -> str:
        """The instruction after the user confirmed or changed it."""
        ...

    async def settle_command(self, command: str) -> str:
        """A command with what it corrects in itself carried out."""
        ...

    async def ask_correction(self, command: str, unclear: UnclearCorrection) -> Correction | None:
        """The correction that the user means; None where nobody says which."""
        ...

    def tell_correction(self, remark: UserRemark, turn: Checkpoint) -> None:
        """Tell how the command holds behind a remark that corrected it."""


class CommandResolver(Protocol):
    """Resolves what a command means for this user."""

    async def __call__(self, command: str, look_up: RunLookup, ask_user: AskAboutCommand) -> ResolvedCommand:
        """The meaning; the command itself if nothing in it depends on the user."""


def lookup_settings(settings: Settings, lookup: AppLookup) -> Settings:
    """The settings of a lookup: one app, few steps, and no confirmation of its answer."""
    limits = {
        "max_steps": lookup.max_steps,
        "max_seconds": lookup.max_seconds,
        "app_lock": AppLock.TASK,
        "confirm": False,
    }
    return settings.overridden({"turn": limits})


def find_exceeded_limit(limits: TurnSettings, checkpoint: Checkpoint, seconds: float) -> str:
    """The sentence that ends a turn because it reached a limit; empty if it has not.

    Args:
        limits: the settings; 0 means no limit.
        checkpoint: the turn so far.
        seconds: working time of the turn, without waiting for the user.
    """
    steps = sum(step.source != "user" for step in checkpoint.steps)
    if steps >= limits.max_steps:
        return _("Stopped after {steps} steps, the most that the settings allow for a turn.").format(
            steps=steps
        )
    if limits.max_tokens and checkpoint.usage.total_tokens >= limits.max_tokens:
        return _("Stopped after {total_tokens:,} tokens; the settings allow {max_tokens:,}.").format(
            total_tokens=checkpoint.usage.total_tokens, max_tokens=limits.max_tokens
        )
    if limits.max_cost and checkpoint.cost is not None and checkpoint.cost.amount >= limits.max_cost:
        return _("Stopped after {amount}, the most that the settings allow for a turn.").format(
            amount=in_words(checkpoint.cost)
        )
    if limits.max_seconds and seconds >= limits.max_seconds:
        return out_of_time(limits, seconds)
    return ""


def out_of_time(limits: TurnSettings, seconds: float = 0.0) -> str:
    """The sentence that ends a turn at its time limit."""
    return _("Stopped after {seconds:.0f} seconds of work; the settings allow {max_seconds:.0f}.").format(
        seconds=seconds or limits.max_seconds, max_seconds=limits.max_seconds
    )


class StepTimes:
    """Measures one step, in seconds: in total, waiting for the model and the phone, reading, and the rest.

    Waiting for the user is not counted.
    """

    def __init__(
        self, phone: Phone, model: DecisionModel, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._phone = phone
        self._model = model
        self._clock = clock
        self._started_at = clock()
        self._phone_before = phone.phone_seconds
        self._reading_before = phone.reading_seconds
        self._model_before = model.waiting_seconds
        self._user = self._overlap = 0.0
        self._usage = Usage()
        self._first_token = 0.0
        self._cost: Cost | None = None

    def begin_next(self) -> StepTimes:
        """Measure a step that begins now."""
        return StepTimes(self._phone, self._model, self._clock)

    def set_decision_usage(self, usage: Usage, seconds_to_first_token: float, cost: Cost | None) -> None:
        """Set what the model's decision used."""
        self._usage, self._first_token, self._cost = usage, seconds_to_first_token, cost

    def exclude_overlap(self, seconds: float) -> None:
        """Count seconds once in which the model and the phone were waited for at the same time."""
        self._overlap += seconds

    def exclude_watching(self, seconds: float) -> None:
        """Do not count seconds as the phone's in which only the model was waited for."""
        self._phone_before += seconds

    @contextmanager
    def exclude_user_time(self) -> Iterator[None]:
        """Exclude the time of the `with` block, and of the phone and model requests made in it."""
        started_at, phone, model = self._clock(), self._phone.phone_seconds, self._model.waiting_seconds
        reading = self._phone.reading_seconds
        try:
            yield
        finally:
            self._user += self._clock() - started_at
            self._phone_before += self._phone.phone_seconds - phone
            self._reading_before += self._phone.reading_seconds - reading
            self._model_before += self._model.waiting_seconds - model

    def finish(self, step: StoredStep, now: datetime) -> StepFinished:
        """The event that ends the step."""
        seconds = self._clock() - self._started_at - self._user
        phone = self._phone.phone_seconds - self._phone_before
        model = self._model.waiting_seconds - self._model_before
        reading = self._phone.reading_seconds - self._reading_before
        return StepFinished(
            time=now,
            step=step.number,
            action=step.action,
            source=step.source,
            seconds=seconds,
            model_seconds=model,
            phone_seconds=phone,
            own_seconds=max(0.0, seconds - phone - model - reading + self._overlap),
            reading_seconds=reading,
            error=step.error,
            usage=self._usage,
            seconds_to_first_token=self._first_token,
            cost=self._cost,
        )


def direct_speech(instruction: str) -> str:
    """A command that tells somebody something, with the text as it is written to them, where that is certain.

    “Tell Mom not to come” becomes “tell Mom: don't come”. Where somebody else is spoken of, or more than one
    thing is said, it stays as it is.
    """
    text = instruction.strip()
    if (match := _QUOTED.match(text)) is not None:
        return _joined(match, "")
    for pattern, before in ((_NOT_TO, "don't "), (_LET_HIM, "")):
        match = pattern.match(text)
        if match is not None and not (_ANOTHER.search(match["rest"]) or _MORE_THAN_ONE.search(match["rest"])):
            return _joined(match, before)
    return instruction


def _joined(match: re.Match[str], before: str) -> str:
    colon = "：" if has_chinese(match["head"]) else ": "
    return f"{match['head']}{colon}{before}{match['rest'].strip()}"


_NOT_TO, _LET_HIM, _QUOTED = word_pattern("not_to"), word_pattern("let_him"), word_pattern("quoted")
_ANOTHER, _MORE_THAN_ONE = word_pattern("another"), word_pattern("more_than_one")


def restate_done(turn: Checkpoint, outcome: Outcome) -> Checkpoint:
    """An ended turn whose instruction says what was done, where the user changed it on the way.

    A deed that they refused and that was not done later is not what the turn did, nor is a value that its one
    message does not have. Where it then did one thing to which all their words fit, it says that. Else it has
    the command and their words, divided so that nothing takes it for a command. A turn that failed or was
    given up stays as it is, and one that did something of which they said nothing.
    """
    steps = turn.steps
    refused = [at for at, step in enumerate(steps) if _is_refused(step, steps[at + 1 :])]
    done = [step for step in steps if step.deed_done and not step.deed_done.maybe and _counts(step)]
    open_remarks = [each for each in turn.remarks if refused and each.after > refused[0] and not each.kind]
    misread = [each for each in turn.remarks if each.kind and _is_misread(each, done)]
    is_as_told = not refused or any(_settles(each, turn, refused) for each in turn.remarks)
    if outcome not in (Outcome.SUCCESS, Outcome.UNCONFIRMED) or (is_as_told and not misread):
        return turn
    before = turn.instruction
    for remark in reversed(misread):
        before = _put_back(before, remark)
    open_texts = [each.text for each in turn.remarks if each in open_remarks or each in misread]
    if not open_texts and any(step.deed_done and _counts(step) for step in steps):
        return turn
    recipients = {_folded(deed.recipient) for at in refused if (deed := steps[at].deed) is not None}
    stated = (
        _state_deed(done[0], (turn.said, before, *open_texts), recipients)
        if len(done) == 1 and open_texts
        else ""
    )
    if stated:
        # What is written to the same person instead is no order of its own, and nothing of the user's.
        is_same = any(calls_somebody(steps[at]) is calls_somebody(done[0]) for at in refused)
        is_same &= _folded(done[0].deed.recipient if done[0].deed else "") in recipients
        words = turn.said if is_same else "; ".join(open_texts)
        return turn.model_copy(update={"instruction": stated, "said_instead": words})
    instead = "改为：" if has_chinese("".join(open_texts) or before) else "instead: "
    words = one_line("; ".join(open_texts)) or _("not done")
    return turn.model_copy(update={"instruction": f"{before}{CORRECTED_BY}{instead}{words}"})


def _put_back(instruction: str, remark: UserRemark) -> str:
    """A command without a correction: what it put in last stands at the end of it, as whole words."""
    places = list(re.finditer(whole_words(remark.new), instruction)) if remark.new else []
    if not places:
        return instruction
    return f"{instruction[: places[-1].start()]}{remark.old}{instruction[places[-1].end() :]}"


def _is_refused(step: StoredStep, after: Sequence[StoredStep]) -> bool:
    """Whether the user refused the deed of a step, and it was not done after that."""
    deed = step.deed if step.error == Refusal.NOT_ALLOWED else None
    if deed is None or not _counts(step):
        return False
    same = (each.deed for each in after if each.deed_done or each.led_on)
    return not any(each is not None and each.text == deed.text and repeats(each, deed) for each in same)


def _counts(step: StoredStep) -> bool:
    """Whether a deed is what a command is for; a permission only comes before it."""
    return step.kind not in (ActionKind.GRANT, ActionKind.PASSWORD)


def calls_somebody(step: StoredStep) -> bool:
    """Whether the deed of a step is a call, and no message."""
    deed, target = step.deed, step.action.target
    if deed is None or deed.kind is not ActionKind.SEND or deed.text:
        return False
    return target is not None and is_call(target.name.casefold())


def may_have_done(turn: Checkpoint | None, kind: ActionKind | None, deed: str) -> bool:
    """Whether a turn did a deed, by what is known of it: nothing of its kind was refused, nor another done.

    Args:
        turn: the turn; None where nothing is known of it.
        kind: the kind of the deed; None where it has none.
        deed: the deed in a word: a “call” is no “message”.
    """
    such = [step for step in turn.steps if step.deed and step.deed.kind is kind] if turn is not None else []
    if deed == "call":
        meant = [step for step in such if step.deed and not step.deed.text]
    else:
        meant = [step for step in such if deed != "message" or not calls_somebody(step)]
    if any(step.deed_done or step.led_on for step in meant):
        return True
    others = any(step.deed_done for step in such if step not in meant)
    return not others and not any(step.error == Refusal.NOT_ALLOWED for step in such)


def tell_sent(turn: Checkpoint | None) -> tuple[str, ...]:
    """What a turn sent to whom."""
    steps = turn.steps if turn is not None else ()
    deeds = (deed for step in steps if (deed := step.deed_done) and deed.kind is ActionKind.SEND)
    form = _("“{text}” to {recipient}")
    texts = ((deed.text, deed.recipient) for deed in deeds if deed.text and deed.recipient)
    return tuple(form.format(text=text, recipient=recipient) for text, recipient in texts)


def _is_misread(remark: UserRemark, done: Sequence[StoredStep]) -> bool:
    """Whether a correction put something into the command that its message has not, or that names nothing."""
    deeds = [step.deed for step in done if step.deed and step.deed.kind is ActionKind.SEND]
    texts, new = [text for deed in deeds if (text := _folded(deed.text))], _folded(remark.new)
    is_other = remark.kind == "text" and bool(texts and new) and not any(_says(text, new) for text in texts)
    return is_other or (remark.kind == "item" and _PRO_FORM.search(remark.new) is not None)


def _settles(remark: UserRemark, turn: Checkpoint, refused: Sequence[int]) -> bool:
    """Whether a correction of a value is all that the user said to the deed that they refused last."""
    later = [each for each in turn.remarks if each.after > refused[-1] and not each.kind]
    return bool(remark.kind) and remark.after > refused[-1] and not later


def _state_deed(step: StoredStep, said: Sequence[str], recipients: Collection[str]) -> str:
    """The message or call of a step as a command, if all of it was said; one of `recipients` need not be."""
    deed, words = step.deed, _folded(" ".join(said))
    if deed is None or deed.kind is not ActionKind.SEND or not deed.recipient:
        return ""
    is_named = _folded(deed.recipient) in recipients or _says(words, _folded(deed.recipient))
    is_chinese = has_chinese(said[-1])
    recipient, text = one_line(deed.recipient), one_line(deed.text)
    if calls_somebody(step) and is_named:
        return f"给{recipient}打电话" if is_chinese else f"call {recipient}"
    if not text or not is_named or not _says(words, _folded(text)):
        return ""
    return f"给{recipient}发消息：{text}" if is_chinese else f"text {recipient}: {text}"


def _says(words: str, part: str) -> bool:
    """Whether folded words have a part as whole words; never where it has no words at all."""
    return part != "" and re.search(whole_words(part), words) is not None


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold().replace("’", "'").replace("'", "")))


_PRO_FORM = word_pattern("pro_form")


def mark_entered(lines: Iterable[str], checkpoint: Checkpoint | None) -> tuple[str, ...]:
    """The words of a page, with those marked that this turn itself has entered, as a note to the seller."""
    steps = checkpoint.steps if checkpoint is not None else ()
    actions = (step.action for step in steps if not step.error)
    entered = {one_line(action.text) for action in actions if isinstance(action, TypeText) and action.text}
    mark = _("entered in this turn: “{text}”")
    return tuple(mark.format(text=line) if line in entered else line for line in lines)


def format_stopped(
    action: str, deed: Deed, allowances: Iterable[Allowance], currency: str, warning: str
) -> str:
    """Why a run that nobody watches stopped before a deed: a warning, or what would have allowed it."""
    if warning:
        return _("Stopped before {what}: {warning}").format(what=action, warning=warning)
    given = [allowance for allowance in allowances if allowance.kind is deed.kind]
    if not given:
        return _("Stopped: {what} needs approval. Allow it with --yes {kind}.").format(
            what=action, kind=deed.kind
        )
    if any(allowance.covers(deed, currency) for allowance in given):
        return _(
            "Stopped: {what} needs approval; --yes {kind} is used up. Allow more with --yes {more}."
        ).format(what=action, kind=deed.kind, more=f"{deed.kind}:{sum(each.count for each in given) + 1}")
    if deed.amount and not any(allowance.is_in_currency(deed, currency) for allowance in given):
        return _(
            "Stopped: {what} needs approval: {amount} is not surely in the currency that --yes allows. "
            "Name that, as in --yes 'pay<=50 USD'."
        ).format(what=action, amount=deed.amount)
    if deed.amount and not deed.from_picture:
        return _("Stopped: {what} needs approval: {amount} is more than --yes allows.").format(
            what=action, amount=deed.amount
        )
    return _(
        "Stopped: {what} needs approval: the screen does not tell what --yes would have to know."
    ).format(what=action)
