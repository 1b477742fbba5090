"""Asks the user during a turn: to approve a deed, to answer a question, or to confirm the resolved command.

An approval shows the part of the screen around the element. What it holds for is in `safety.deeds`. Where
several sub-tasks of one command ask, `QuestionLine` puts their questions one behind the other.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from math import ceil
from typing import TypeVar

from PIL import Image, UnidentifiedImageError

from assistant.agent.action_selection import row_before
from assistant.agent.context import (
    ResolvedCommand,
    StepTimes,
    TurnContext,
    UnclearCorrection,
    format_stopped,
    mark_entered,
)
from assistant.agent.instruction_check import (
    MOST_CORRECTED,
    find_conflict,
    find_forbidden,
    has_old_value,
    is_for_user_to_judge,
    is_only_reported,
    remarks_of,
    tell_difference,
)
from assistant.agent.stop_checks import action_key
from assistant.agent.turn_control import Interrupted, Signal, TurnControl
from assistant.events import (
    ActionKind,
    Approval,
    ApprovalRequested,
    ApprovalSettled,
    ApprovedBy,
    Cause,
    CommandCorrected,
    Deed,
    MeaningProposed,
    QuestionAsked,
    TurnState,
    Verdict,
)
from assistant.i18n import _, counted, sentences, shortened
from assistant.memory.prototypes.terms import split_own_words
from assistant.memory.store import StandingApproval
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.model.types import one_line
from assistant.records import Action, Bounds, Observation, shown
from assistant.safety.amounts import currency_of_region
from assistant.safety.classifier import Risk, judge
from assistant.safety.deeds import (
    DeedLog,
    describe_deed,
    format_doubt,
    is_same_deed,
    make_deed,
    may_be_rule,
    repeats,
    says_nothing,
)
from assistant.safety.effects import find_destination, find_paid_from, find_seller, payment_words
from assistant.safety.page import page_of
from assistant.skills.command_wording import (
    Correction,
    ValueKind,
    find_values,
    read_correction,
    read_own_correction,
)

T = TypeVar("T")


class Unattended(Exception):
    """No user is present to answer; the message says what was needed."""


class RefusedBefore(Exception):
    """The user has refused exactly this so often that it is not asked again; the message says so."""


_RECENT = timedelta(minutes=30)
"""How long ago another turn must have done a deed for the same one to be no surprise."""
_LONGEST_COMMAND = 40
"""Cells for a command that is quoted."""
_MOST_ASKED = 2
"""How often the same deed is asked about although it was refused, until the user lets the turn go on."""


class UserPrompter:
    """Asks the user, one question at a time. Waiting for an answer does not count as time of the step.

    Args:
        context: phone, model, store and settings of the turn.
        control: the state of the turn.
        user_id: the user.
        deeds: the deeds of the turn, and the approvals that hold in it.

    Attributes:
        deeds: the same.
    """

    def __init__(
        self, context: TurnContext, control: TurnControl, user_id: str, deeds: DeedLog | None = None
    ) -> None:
        self._context = context
        self._control = control
        self._user_id = user_id
        self.deeds = deeds or DeedLog(context.allowances)
        self._user_words = ""
        self._refused: list[tuple[Deed, tuple[str, ...]]] = []
        self._find_unheeded: Callable[[], Iterable[str]] = tuple
        self._settle_remark: Callable[[str], object] = str
        self._let_pass: set[str] = set()
        self._find_checkpoint: Callable[[], Checkpoint | None] = lambda: None
        self._allowed_before: Deed | None = None
        self._against = ""
        self.overruled: list[str] = []  # What the user said against deeds that they allowed all the same.

    def hear(self, words: str) -> None:
        """Take note of what the user says while the turn runs: the next approval repeats it."""
        self._user_words = words

    def watch_remarks(
        self, find_unheeded: Callable[[], Iterable[str]], settle: Callable[[str], object]
    ) -> None:
        """Warn at approvals of words that nothing answers; `settle` takes those that were seen to be."""
        self._find_unheeded, self._settle_remark = find_unheeded, settle

    def watch_command(self, find_checkpoint: Callable[[], Checkpoint]) -> None:
        """Have each approval compared with the command: what it forbids, and what it only reports.

        A turn that is continued may come to what was allowed when its program ended; the user is told so.

        Args:
            find_checkpoint: the turn so far, with the command as it was typed and as it was taken.
        """
        self._find_checkpoint = find_checkpoint
        begun = find_checkpoint()
        self._allowed_before = begun.asked.deed if begun.asked and begun.is_allowed else None

    def _find_unheard(self, deed: Deed, page_words: tuple[str, ...], terms: tuple[str, ...]) -> str:
        """What the user said to a deed that they refused and that is as it was; else empty.

        Whether a correction was understood is seen in the deed alone, as its page shows it by `terms`. What
        the deed goes against otherwise is kept in `_against`.
        """
        # A permission comes before anything that could heed the rest.
        turn = self._find_checkpoint() if deed.kind is not ActionKind.GRANT else None
        self._against = find_conflict(remarks_of(turn), deed, page_words, turn) if turn else ""
        return self._user_words if self._count_refusals(deed, terms) else ""

    def _count_refusals(self, deed: Deed, terms: tuple[str, ...]) -> int:
        return sum(is_same_deed(before, deed) and shown == terms for before, shown in self._refused)

    def _has_changed(self, deed: Deed, terms: tuple[str, ...]) -> bool:
        """Whether a deed differs from the one refused last, and nothing that was said speaks against it."""
        if not self._refused or self._find_checkpoint() is None or self._against:
            return False
        before, shown_before = self._refused[-1]
        is_alike = (before.kind, before.package) == (deed.kind, deed.package)
        return is_alike and (shown_before != terms or not is_same_deed(before, deed))

    @property
    def unheeded(self) -> list[str]:
        """What the user said that nothing on the phone answers and they let not pass."""
        return [words for words in dict.fromkeys(self._find_unheeded()) if words not in self._let_pass]

    def will_ask(self, action: Action, observation: Observation) -> bool:
        """Whether the user would be asked before a sensitive action: one is there, and nothing covers it."""
        risk = judge(action, observation, strict=True)
        if risk is None or not self._context.attended:
            return False
        deed = make_deed(risk, action, observation)
        by_rule = self._context.store.approvals.allows(self._user_id, deed)
        page = page_of(risk.window or observation)
        return self.deeds.covers(deed, page, action_key(action), by_rule=by_rule).by is None

    async def approve(
        self,
        step: StoredStep,
        risk: Risk,
        observation: Observation,
        times: StepTimes,
        *,
        leftovers: str = "",
    ) -> Approval:
        """The user's decision about a step's deed; without a question if an earlier approval covers it.

        Args:
            step: the step.
            risk: what the guards say of its action.
            observation: the screen on which it was chosen.
            times: the times of the step.
            leftovers: that the deed stood there before the turn, in a sentence; then a user who is there is
                asked, whatever covers it.

        Raises:
            Unattended: no earlier approval covers it, and no user is present.
            RefusedBefore: the user has refused exactly this, and what they said has not changed it.
            Interrupted: the turn was paused or cancelled before the decision.
        """
        deed = step.deed
        assert deed is not None  # noqa: S101 - the caller sets it together with the risk
        if deed.kind is ActionKind.PAY and self.deeds.needs_currency:
            self.deeds.currency = currency_of_region(await self._context.phone.region())
        by_rule = self._context.store.approvals.allows(self._user_id, deed)
        page = page_of(risk.window or observation)
        coverage = self.deeds.covers(deed, page, action_key(step.action), by_rule=by_rule)
        page_words = payment_words(page, deed) if risk.kind is ActionKind.PAY else ()
        terms = (*page_words, find_paid_from(page)) if risk.kind is ActionKind.PAY else ()
        unheard = self._find_unheard(deed, page_words, terms)
        refusals = self._count_refusals(deed, terms)
        # A page has words of its own for what was asked: “Large” for 大杯. Only the user can see that.
        unseen = [words for words in self.unheeded if words not in (unheard, self._against)]
        unseen = [] if deed.kind is ActionKind.GRANT else unseen
        is_changed = not unheard and self._user_words in unseen and self._has_changed(deed, terms)
        changed = [unseen.pop(unseen.index(self._user_words))] if is_changed else []
        forbidden = find_forbidden(turn.said).get(risk.kind, "") if (turn := self._find_checkpoint()) else ""
        unlike = await asyncio.to_thread(tell_difference, turn, deed, self._context.names_of) if turn else ""
        unlike = "" if unlike in self._let_pass else unlike
        is_doubted = bool(unheard or self._against or unseen or changed or refusals or leftovers or unlike)
        is_doubted = is_doubted and self._context.attended
        against = [self._against] if self._against else []
        if coverage.by is not None and not forbidden and not is_doubted:
            self.overruled += against
            self._emit_settled(step, deed, risk, Approval(Verdict.ONCE), coverage.by)
            return Approval(Verdict.ONCE, by=coverage.by)
        warning = sentences(
            _format_warning(coverage.done, begun=coverage.begun) if coverage.done else "",
            unlike,
            format_doubt(unheard, forbidden, refusals, self._against),
            leftovers,
            self._tell_allowed_before(deed),
            "" if coverage.done else await self._tell_repeated(deed),
        )
        action_text = shown(step.action, _)
        if not self._context.attended:
            given = self._context.allowances
            raise Unattended(format_stopped(action_text, deed, given, self.deeds.currency, warning))
        if refusals >= _MOST_ASKED:
            # Whoever lets the turn go on after this is asked once more.
            self._refused = [each for each in self._refused if not is_same_deed(each[0], deed)]
            self._refused.append((deed, terms))
            raise RefusedBefore(_format_refused_before(action_text, self._user_words))
        approval = await self._ask_approval(
            *(step, deed, risk, observation, times),
            warning=warning,
            unheard=unheard or self._against,
            not_shown=tuple(unseen),
        )
        # A yes to a permission is none to what was not heeded.
        if deed.kind is not ActionKind.GRANT or approval.words:
            self._user_words = approval.words
        if approval.verdict in (Verdict.INSTEAD, Verdict.NO):
            self._refused.append((deed, terms))
        else:
            for words in (*changed, *filter(is_for_user_to_judge, unseen)):
                self._settle_remark(words)
            self.overruled += [] if changed else against
            self._let_pass.update((*unseen, unlike))
        self._keep_verdict(approval, deed)
        self._emit_settled(step, deed, risk, approval, ApprovedBy.USER)
        return approval

    def _tell_allowed_before(self, deed: Deed) -> str:
        """That this deed was approved just before the program ended, and not begun; empty for any other."""
        before = self._allowed_before
        if before is None or not (is_same_deed(before, deed) or repeats(deed, before)):
            return ""
        self._allowed_before = None
        return _("You allowed this just before the program ended; it was not begun then.")

    async def _tell_repeated(self, deed: Deed) -> str:
        """That another turn has done the same a short time ago, in a sentence; empty if none has."""
        checkpoint, now = self._find_checkpoint(), self._context.now()
        names_it = deed.amount if deed.kind is ActionKind.PAY else deed.text and deed.recipient
        if checkpoint is None or deed.kind not in (ActionKind.PAY, ActionKind.SEND) or not names_it:
            return ""
        turns = self._context.store.turns
        past = await asyncio.to_thread(turns.recent_deeds, checkpoint, now - _RECENT)
        last = next((each for each in past if not each.deed.maybe and repeats(deed, each.deed)), None)
        if last is None:
            return ""
        minutes = counted(max(1, ceil((now - last.time).total_seconds() / 60)), "minute")
        return _("The same was done in the last {minutes}, by “{said}”: {what}.").format(
            minutes=minutes,
            said=shortened(one_line(last.said), _LONGEST_COMMAND),
            what=describe_deed(last.deed),
        )

    async def _ask_approval(
        self,
        step: StoredStep,
        deed: Deed,
        risk: Risk,
        observation: Observation,
        times: StepTimes,
        *,
        warning: str,
        unheard: str,
        not_shown: tuple[str, ...],
    ) -> Approval:
        """Ask the user about a deed, with all that its page says of it, and wait for the answer."""
        page, checkpoint = page_of(risk.window or observation), self._find_checkpoint()
        bounds = step.action.target.bounds if step.action.target else None
        crop = await self._control.run_cancellable(asyncio.to_thread(crop_around, observation, bounds))
        waits = _("Waits for your yes: {what}").format(what=shown(step.action, _))
        decision: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self._control.apply_signal(Signal.USER_NEEDED, Cause.APPROVAL, waits)
        is_payment = risk.kind is ActionKind.PAY
        is_payee_unnamed = is_payment and not deed.recipient
        stage, stage_before = self.deeds.stage_of(deed, page, action_key(step.action))
        self._context.emit(
            ApprovalRequested(
                time=self._context.now(),
                step=step.number,
                kind=risk.kind,
                action=step.action,
                app=page.observation.app,
                decision=decision,
                sentence=risk.sentence,
                text=risk.text,
                crop=crop,
                deed=deed,
                warning=warning,
                reason=risk.reason,
                page_words=mark_entered(payment_words(page, deed), checkpoint) if is_payment else (),
                paid_from=find_paid_from(page) if is_payment else "",
                destination=find_destination(page) if is_payment else (),
                seller=find_seller(page) if is_payee_unnamed else "",
                stage=stage,
                stage_before=stage_before,
                payee_before=self.deeds.payee_before(page) if is_payee_unnamed else "",
                pages_before=self.deeds.pages_before(page)
                if is_payee_unnamed
                else row_before(deed, checkpoint),
                user_words=self._user_words,
                unheard=unheard,
                not_shown=not_shown,
                command=checkpoint.instruction if checkpoint is not None else "",
                said=checkpoint.said if checkpoint is not None else "",
                as_commanded=risk.kind is ActionKind.SEND
                and checkpoint is not None
                and is_only_reported(checkpoint.instruction, risk.text or deed.text),
            )
        )
        return await self._wait_for_answer(decision, times, Cause.ACTING)

    def _keep_verdict(self, approval: Approval, deed: Deed) -> None:
        """Store a verdict that holds longer than this deed: for the turn, or always."""
        if approval.verdict is Verdict.THIS_TURN:
            self.deeds.allow_for_turn(deed)
        elif approval.verdict is Verdict.ALWAYS and may_be_rule(deed):
            rule = StandingApproval.for_deed(deed, self._context.now())
            self._context.store.approvals.allow(self._user_id, rule)

    def _emit_settled(
        self, step: StoredStep, deed: Deed, risk: Risk, approval: Approval, by: ApprovedBy
    ) -> None:
        self._context.emit(
            ApprovalSettled(
                time=self._context.now(),
                step=step.number,
                deed=deed,
                verdict=approval.verdict,
                by=by,
                sentence=risk.sentence,
                words=approval.words,
            )
        )

    async def ask_question(
        self, step: StoredStep, question: str, times: StepTimes, instruction: str = ""
    ) -> str:
        """The user's answer to a question of the model.

        What another source knows is only offered: whether it answers this question, the user must say.

        Args:
            step: the step.
            question: the question.
            times: the times of the step.
            instruction: what the turn is about.

        Raises:
            Unattended: no user is present.
            Interrupted: the turn was paused or cancelled before the answer.
        """
        if not self._context.attended:
            raise Unattended(_("Nobody is there to answer: {question}").format(question=question))
        find = self._context.find_answer
        likely = (
            await self._control.run_cancellable(find(question, instruction, self.ask_meaning))
            if find is not None
            else None
        )
        shown_question = f"{question} ({likely.place})" if likely is not None else question
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._control.apply_signal(Signal.USER_NEEDED, Cause.QUESTION, shown_question)
        self._context.emit(
            QuestionAsked(
                time=self._context.now(),
                step=step.number,
                question=shown_question,
                answer=answer,
                choices=(likely.value,) if likely is not None else (),
            )
        )
        return await self._wait_for_answer(answer, times, Cause.OBSERVING)

    async def ask_meaning(
        self,
        question: str,
        choices: Sequence[str],
        /,
        *,
        kept: bool = True,
        reasons: Sequence[str] = (),
        about: str = "",
    ) -> str:
        """The user's answer to a question about what their command means; empty if no user is present.

        Args:
            question: the question.
            choices: suggested answers.
            kept: whether the answer stands for words of the command, and is remembered, where the memory
                learns.
            reasons: why each of the first choices is suggested.
            about: the kind of what is asked for, as in `QuestionAsked`.

        Raises:
            Interrupted: the turn was paused or cancelled before the answer.
        """
        if not self._context.attended:
            return ""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._control.apply_signal(Signal.USER_NEEDED, Cause.QUESTION, question)
        self._context.emit(
            QuestionAsked(
                time=self._context.now(),
                step=0,
                question=question,
                answer=answer,
                choices=tuple(choices),
                reasons=tuple(reasons),
                kept=kept and self._context.settings.memory.learning,
                is_value=kept,
                about=about,
            )
        )
        return await self._wait_for_answer(answer, None, Cause.COMMAND)

    async def settle_command(self, command: str) -> str:
        """A command with what it corrects in itself, “alarm at 7, no 730”, carried out and told.

        Where it is not clear what that is, the user chooses.

        Raises:
            Interrupted: the turn was paused or cancelled before the answer.
        """
        for _round in range(MOST_CORRECTED):
            corrections = read_own_correction(command)
            chosen = (
                await self.ask_correction(command, UnclearCorrection(command, corrections))
                if corrections
                else None
            )
            if chosen is None or not chosen.new:
                break
            command = chosen.command
            self._emit_correction(command, chosen.new, chosen.old)
        return command

    async def ask_correction(self, command: str, unclear: UnclearCorrection) -> Correction | None:
        """The correction that the user means, without a question where only one is possible.

        An answer in words of their own is taken whole: as another command, or as a correction.

        Args:
            command: the command that holds.
            unclear: what they said of it, and what it may mean.

        Returns:
            None where nobody says which.

        Raises:
            Interrupted: the turn was paused or cancelled before the answer.
        """
        corrections = unclear.corrections
        if len(corrections) == 1:
            return corrections[0]
        commands = [correction.command for correction in corrections]
        commands += [] if any(not each.new for each in corrections) else [_("none of these: as it was said")]
        question = _("What is meant by “{words}”?").format(
            words=shortened(one_line(unclear.text), _LONGEST_COMMAND)
        )
        answer = await self.ask_meaning(question, commands, kept=False)
        if answer in commands or not answer:
            return next((each for each in corrections if each.command == answer), None)
        return _read_own_words(command, answer)

    def tell_correction(self, remark: UserRemark, turn: Checkpoint) -> None:
        """Tell how the command holds behind a remark that corrected it, and what was done for it before."""
        done = [describe_deed(deed) for deed in turn.deeds if has_old_value(deed, remark)]
        self._emit_correction(turn.instruction, remark.new, remark.old, _("; ").join(done))

    def _emit_correction(self, command: str, new: str, old: str, done: str = "") -> None:
        plain, _own = split_own_words(command)
        self._context.emit(
            CommandCorrected(time=self._context.now(), command=plain, new=new, old=old, done=done)
        )

    async def confirm_instruction(self, instruction: str, meaning: ResolvedCommand) -> str:
        """The instruction after the user confirmed or changed it.

        Unchanged if nothing in it was assumed, no user is present or the settings give no time to confirm. An
        instruction that keeps few of the command's words needs the user's consent whatever time they give.

        Raises:
            Interrupted: the turn was paused or cancelled before the answer.
        """
        seconds = self._context.settings.turn.confirm_meaning_seconds
        if not (meaning.assumed and self._context.attended and (seconds or meaning.unlike)):
            return instruction
        decision: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._control.apply_signal(Signal.USER_NEEDED, Cause.MEANING)
        self._context.emit(
            MeaningProposed(
                time=self._context.now(),
                instruction=instruction,
                seconds=seconds,
                decision=decision,
                unlike=meaning.unlike,
            )
        )
        confirmed = await self._wait_for_answer(decision, None, Cause.COMMAND)
        return confirmed.strip() or instruction

    async def _wait_for_answer(
        self, future: asyncio.Future[T], times: StepTimes | None, next_cause: Cause
    ) -> T:
        try:
            with times.exclude_user_time() if times else nullcontext():
                answer = await self._control.run_cancellable(future)
        except Interrupted:
            if self._control.cancelling:
                raise
            if self._control.state is TurnState.WAITING:
                self._control.apply_signal(Signal.ANSWERED, Cause.OBSERVING)
            if future.cancelled() or not future.done():
                raise
            return future.result()  # The pause came with the answer: what the user said is not asked again.
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not future.cancelled() or (task is not None and task.cancelling()):
                raise
            # The interface gave the question up, as where its client has gone: that is no answer.
            self._control.pause()
            raise Interrupted from None
        self._control.apply_signal(Signal.ANSWERED, next_cause)
        return answer


def _read_own_words(command: str, answer: str) -> Correction | None:
    """What an answer in own words makes of a command: a whole command takes its place; None for no change."""
    read = read_correction(command, answer)
    if len(read) == 1:
        return read[0]
    kinds = {value.kind for value in find_values(answer)}
    is_like = ValueKind.ITEM in kinds and answer.casefold().split()[:1] == command.casefold().split()[:1]
    is_whole = is_like or not kinds.isdisjoint((ValueKind.PERSON, ValueKind.PLACE))
    return Correction(answer, ValueKind.TEXT, answer, command) if is_whole else None


class QuestionLine:
    """The questions of all sub-tasks, one at a time; each says which sub-task asks.

    Args:
        show: shows the question that is the first now; None where none is left.
    """

    def __init__(self, show: Callable[[ApprovalRequested | QuestionAsked | None], None]) -> None:
        self._show = show
        self._questions: list[ApprovalRequested | QuestionAsked] = []
        self._asking: list[str] = []

    def __bool__(self) -> bool:
        """Whether anybody waits for an answer."""
        return bool(self._questions)

    def add(self, event: ApprovalRequested | QuestionAsked, task_id: str, name: str) -> None:
        """Put a question in line.

        Args:
            event: the question.
            task_id: the sub-task that asks.
            name: how a person is told of it; empty where it is the only one.
        """
        lead = f"{name}: " if name else ""
        branch = task_id if name else ""
        if isinstance(event, ApprovalRequested):
            event = replace(event, branch=branch, sentence=f"{lead}{event.sentence}")
            event.decision.add_done_callback(lambda _answer: self._remove(event))
        else:
            event = replace(event, branch=branch, question=f"{lead}{event.question}")
            event.answer.add_done_callback(lambda _answer: self._remove(event))
        self._questions.append(event)
        self._asking.append(task_id)
        if len(self._questions) == 1:
            self._show(event)

    def drop(self, task_id: str) -> None:
        """Ask nothing more for a sub-task."""
        for event in [
            event for event, name in zip(self._questions, self._asking, strict=True) if name == task_id
        ]:
            self._remove(event)

    def _remove(self, question: ApprovalRequested | QuestionAsked) -> None:
        """A question was answered or is no longer asked; the next in line is shown."""
        place = next((place for place, each in enumerate(self._questions) if each is question), None)
        if place is None:
            return
        del self._questions[place], self._asking[place]
        if place == 0:
            self._show(self._questions[0] if self._questions else None)


def _format_refused_before(action: str, words: str) -> str:
    """That the turn came to the same deed again, and the ways out."""
    why = _("It was refused, and the turn came to it again: {what}.").format(what=action)
    if words:
        why = _("Your words did not change this: {what}. You said “{words}”.").format(
            what=action, words=words
        )
    return f"{why} {_('Say it otherwise, then press F5, or press Escape twice to end.')}"


def _format_warning(done: Deed, *, begun: bool) -> str:
    """The warning before a deed is allowed a second time."""
    what = describe_deed(done)
    if says_nothing(done):
        unread = _("In {app} something that could not be read was touched before. See whether it did this.")
        return unread.format(app=done.app)
    if done.maybe:
        return _("This may have been done already: {what}. Look on the phone first.").format(what=what)
    if begun:
        return _("This was begun already in this turn: {what}.").format(what=what)
    return _("This was done already in this turn: {what}.").format(what=what)


_CROP_MARGIN, _MIN_CROP_HEIGHT = 0.06, 0.18
"""Shares of the screen's height."""

_MAX_CROP_WIDTH = 640
"""In pixels."""


def crop_around(observation: Observation, bounds: Bounds | None) -> bytes:
    """A PNG of the screen around an element, in full width. Decodes the screenshot: slow.

    Empty if there is no element, or no screenshot because the screen forbids it or failed to give one.
    """
    if bounds is None or observation.secure or not observation.screenshot:
        return b""
    try:
        with Image.open(io.BytesIO(observation.screenshot)) as screenshot:
            scale = screenshot.width / observation.width
            top, bottom = _crop_edges(bounds, observation.height)
            crop = screenshot.convert("RGB").crop(
                (0, round(top * scale), screenshot.width, round(bottom * scale))
            )
    except (UnidentifiedImageError, OSError, ValueError):
        return b""
    if crop.width > _MAX_CROP_WIDTH:
        crop = crop.resize((_MAX_CROP_WIDTH, max(1, round(crop.height * _MAX_CROP_WIDTH / crop.width))))
    out = io.BytesIO()
    crop.save(out, "PNG")
    return out.getvalue()


def _crop_edges(bounds: Bounds, height: int) -> tuple[float, float]:
    """The upper and lower edge: the element with a margin, and at least `_MIN_CROP_HEIGHT`."""
    margin = max(_CROP_MARGIN * height, (_MIN_CROP_HEIGHT * height - bounds.height) / 2)
    top = max(0.0, bounds.top - margin)
    bottom = min(float(height), bounds.bottom + margin)
    return (top, bottom) if bottom - top >= 1 else (0.0, float(height))
