"""Stores a turn while it runs: a checkpoint after each step, its observations, and finally its record.

Also counts what each step uses of the model, because that is part of its events.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from assistant.agent.completion import demands_change, fold, is_answered, word_pattern
from assistant.agent.context import DecisionModel, UnclearCorrection, restate_done
from assistant.events import ActionKind, Cause, Deed, UsageUpdated
from assistant.i18n import _, counted, joined, shortened
from assistant.memory.database import StoreError
from assistant.memory.prototypes.terms import COUNTS, split_parts
from assistant.memory.request_log import DaySum, StepUsage, UsageLedger
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.model.types import PastStep, one_line
from assistant.phone.errors import Refusal
from assistant.records import (
    ClearText,
    Click,
    Cost,
    LongClick,
    Observation,
    OpenApp,
    Outcome,
    PressEnter,
    Record,
    Source,
    TypeText,
    Usage,
    describe,
)
from assistant.safety import wording
from assistant.safety.deeds import tell_deed
from assistant.safety.effects import Commitment, find_commitment
from assistant.safety.secret_entry import hide_code_fields, takes_secret
from assistant.settings.schema import Settings
from assistant.skills.command_wording import Correction, ValueKind, read_correction


class TurnCheckpointer:
    """Keeps the checkpoint of a turn and stores it at each change that must survive a crash.

    The `notes` of the checkpoint go to the model with every request of the turn; transient notes go with the
    next request only. With `stored=False` nothing is written to the database.

    Attributes:
        checkpoint: the turn so far.
        unclear: what the user said last that may change the command in several ways; the user is to choose.
    """

    def __init__(self, store: Store, checkpoint: Checkpoint, *, stored: bool = True) -> None:
        self.checkpoint = checkpoint
        self._store = store
        self._stored = stored
        self.unclear: UnclearCorrection | None = None
        self._transient_notes, self._allowed = list[str](), 0
        self._storing: asyncio.Task[None] | None = None

    @property
    def next_step(self) -> int:
        """The number of the next step; the first step is 1."""
        return len(self.checkpoint.steps) + 1

    def history(self, newest: int) -> tuple[PastStep, ...]:
        """The latest steps in the form of a model request, oldest first."""
        steps = self.checkpoint.steps[self._count_folded(newest) :]
        return tuple(
            PastStep(
                action=step.action,
                source=step.source,
                thought=step.thought,
                error=step.error,
                reply=step.reply,
                notes=step.notes,
                continued=step.continued,
                number=step.number,
            )
            for step in steps
        )

    def notes(self) -> tuple[str, ...]:
        """The notes for the next model request, and those that the model itself took at earlier steps."""
        steps = self.checkpoint.steps
        kept = {note: step.number for step in reversed(steps) for note in reversed(step.notes)}
        own = (f"You noted at step {number}: {note}" for note, number in reversed(kept.items()))
        return (*self.checkpoint.notes, *own, *self._transient_notes)

    def folded(self, newest: int) -> str:
        """The steps that `history` leaves out, each in a few words; empty if there are none."""
        steps = self.checkpoint.steps[: self._count_folded(newest)]
        sentences = (
            f"{step.number}. {describe(step.action)}{' (not performed)' if step.error else ''}"
            for step in steps
        )
        return f"Steps 1 to {len(steps)} in short: {'; '.join(sentences)}." if steps else ""

    def _count_folded(self, newest: int) -> int:
        """How many of the oldest steps a request leaves out, so that it has at most `newest`.

        The number grows by half of `newest` at a time. The requests in between begin with the same text,
        which endpoints can cache.
        """
        left_out = max(0, len(self.checkpoint.steps) - newest)
        half = max(1, newest // 2)
        return min(len(self.checkpoint.steps), -(-left_out // half) * half)

    def add_note(self, sentence: str) -> None:
        """Add a note for all further model requests of the turn."""
        self.checkpoint = self.checkpoint.model_copy(update={"notes": (*self.checkpoint.notes, sentence)})

    def add_user_words(self, text: str, model_note: str = "", *, corrects: bool = True) -> None:
        """Add a message of the user after the latest step, for the model; a correction into the instruction.

        Args:
            text: the user's words.
            model_note: the sentence for the model, who reads what is unclear; by default “The user says: …”.
            corrects: whether the words may correct the instruction.
        """
        remark = UserRemark(after=len(self.checkpoint.steps), text=text)
        self.checkpoint = self.checkpoint.model_copy(update={"remarks": (*self.checkpoint.remarks, remark)})
        turn = self.checkpoint
        corrections = read_correction(turn.open_instruction, text, turn.said) if corrects else ()
        if len(corrections) == 1:
            self.correct(text, corrections[0])
            return
        self.unclear = UnclearCorrection(text, corrections) if corrections and not model_note else None
        self.add_note(model_note or format_user_words(text))
        self._save_input()

    def correct(self, text: str, correction: Correction, *, in_instruction: bool = True) -> None:
        """Note that the user corrected a value: of the instruction, or of a command still to be resolved."""
        change = {"kind": correction.kind.value, "new": correction.new, "old": correction.old}
        remarks = list(self.checkpoint.remarks)
        place = max(place for place, remark in enumerate(remarks) if remark.text == text)
        remarks[place] = remarks[place].model_copy(update=change)
        self.checkpoint = self.checkpoint.model_copy(update={"remarks": tuple(remarks)})
        self.unclear = None
        if in_instruction:
            notes = [note for note in self.checkpoint.notes if note != format_user_words(text)]
            changed = {"instruction": correction.command, "notes": tuple(notes)}
            self.checkpoint = self.checkpoint.model_copy(update=changed)
            self.add_note(format_correction(text, correction))
        self._save_input()

    def correct_earlier(self) -> None:
        """Apply the remarks that came before the instruction was known, where they correct it."""
        for remark in self.checkpoint.remarks:
            corrections = read_correction(self.checkpoint.instruction, remark.text, self.checkpoint.said)
            if not remark.kind and len(corrections) == 1:
                self.correct(remark.text, corrections[0])
            elif not remark.kind and corrections:
                self.unclear = UnclearCorrection(remark.text, corrections)

    def _save_input(self) -> None:
        # A database that cannot be written ends the turn at its next step; the user's input must not fail.
        with suppress(StoreError):
            self.save()

    def add_transient_notes(self, *sentences: str) -> None:
        """Add notes for the next model request only."""
        self._transient_notes += sentences

    def begin_anew(self, said: str) -> None:
        """Set another command, which the user typed in the place of the turn's before that was resolved."""
        changes = {"said": said, "instruction": said, "remarks": (), "notes": ()}
        self.checkpoint = self.checkpoint.model_copy(update=changes)
        self.unclear = None
        self.save()

    def set_instruction(self, instruction: str) -> None:
        """Set the instruction that the command was resolved to."""
        self.checkpoint = self.checkpoint.model_copy(update={"instruction": instruction})
        self.save()

    def clear_transient_notes(self) -> None:
        """Remove the transient notes, after a decision that was made with them."""
        self._transient_notes.clear()

    def add_usage(self, usage: Usage, cost: Cost | None, model: str) -> None:
        """Add the usage of model requests, and their cost if known."""
        total_cost = cost.plus(self.checkpoint.cost) if cost else self.checkpoint.cost
        changes = {"usage": self.checkpoint.usage + usage, "cost": total_cost, "model": model}
        self.checkpoint = self.checkpoint.model_copy(update=changes)

    def note_question(self, step: StoredStep, *, is_allowed: bool = False) -> None:
        """Store that the user is asked about a sensitive step, or has allowed it; its page stands open."""
        self.checkpoint = self.checkpoint.model_copy(update={"asked": step, "is_allowed": is_allowed})
        self._allowed = step.number if is_allowed else 0
        self.save()

    def _notes_after(self, step: StoredStep) -> tuple[str, ...]:
        """The notes; a deed that was allowed and done settles the refusals of its recipient or permission."""
        deed = step.deed_done if step.number == self._allowed else None
        if deed is None or deed.maybe or not _matter(step)[-1]:
            return self.checkpoint.notes
        leads: dict[bool, set[str]] = {True: set(), False: set()}
        for each in self.checkpoint.steps:
            if each.error == Refusal.NOT_ALLOWED:
                leads[_matter(each) == _matter(step)].add(format_refusal_words(each, ""))
        # A note tells the button, not for whom it was: of two that are alike none is settled.
        lead, settled = "Settled, as they allowed such a step since: ", tuple(leads[True] - leads[False])
        return tuple(f"{lead}{note}" if note.startswith(settled) else note for note in self.checkpoint.notes)

    async def set_intent(self, step: StoredStep) -> None:
        """Store that a sensitive step is about to be performed, for a turn that is continued after a crash.

        Raises:
            StoreError: it cannot be stored; the step must not be performed.
        """
        self.checkpoint = self.checkpoint.model_copy(update={"intent": step, **_NOTHING_ASKED})
        if self._stored:
            await asyncio.to_thread(self._store.turns.save, self.checkpoint, durable=True)

    async def check_lease(self) -> None:
        """Make sure before an action that no other program has taken the turn over, as while this one slept.

        Raises:
            StoreError: one has, or it cannot be told.
        """
        leases, turn_id = self._store.leases, self.checkpoint.part_of or self.checkpoint.turn_id
        if leases.is_due:
            await asyncio.to_thread(leases.check, turn_id)
        else:
            leases.check(turn_id)

    def add_step(self, step: StoredStep) -> None:
        """Add a step, clear the stored intent to perform it and what was asked, and store the checkpoint."""
        if step.deed is not None and (step.deed_done or step.led_on):
            step = step.model_copy(update={"at": self._store.now()})
        steps, notes = (*self.checkpoint.steps, step), self._notes_after(step)
        changes = {"steps": steps, "notes": notes, "intent": None, **_NOTHING_ASKED}
        self.checkpoint = self.checkpoint.model_copy(update=changes)
        self.save()

    def set_led_on(self, led_on: bool) -> None:
        """Store whether the latest deed only led on to the page that asks for it."""
        steps = list(self.checkpoint.steps)
        place = max((at for at, step in enumerate(steps) if step.deed_done or step.led_on), default=None)
        if place is None or steps[place].led_on is led_on:
            return
        steps[place] = steps[place].model_copy(update={"led_on": led_on})
        self.checkpoint = self.checkpoint.model_copy(update={"steps": tuple(steps)})
        if self._stored:
            self._store.turns.save(self.checkpoint, changed=place)

    def save(self) -> None:
        """Store the checkpoint."""
        if self._stored:
            self._store.turns.save(self.checkpoint)

    def store_observation(self, step: int, observation: Observation) -> None:
        """Store the observation of a step in the background, without what stands in its fields for codes."""
        if self._stored:
            self._storing = asyncio.create_task(self._store_after(self._storing, step, observation))

    async def wait_until_stored(self) -> None:
        """Wait until all observations are stored."""
        if self._storing is not None:
            await self._storing

    async def finish(
        self, outcome: Outcome, seconds: float, answer: str = "", cause: Cause = Cause.DONE
    ) -> None:
        """Turn the checkpoint into a record; `seconds` count since the turn was last continued.

        `answer` is what the user is told, or why the turn ended, and `cause` what ended it.
        """
        await self.wait_until_stored()
        changes = {"seconds": self.checkpoint.seconds + seconds, "answer": answer, "ended_by": cause}
        self.checkpoint = restate_done(self.checkpoint.model_copy(update=changes), outcome)
        if self._stored and cause is Cause.ANSWERED:
            # What was answered without the phone is no turn to be looked up or learnt from.
            await asyncio.to_thread(self._store.turns.discard, self.checkpoint.turn_id)
        elif self._stored:
            await asyncio.to_thread(self._store.turns.finish, self.checkpoint, outcome)

    async def _store_after(
        self, previous: asyncio.Task[None] | None, step: int, observation: Observation
    ) -> None:
        if previous is not None:
            await previous
        by_hand = any(step.is_withheld and step.source is Source.USER for step in self.checkpoint.steps)
        if by_hand and takes_secret(observation):
            return  # Some pads show what was entered.
        hidden = await asyncio.to_thread(hide_code_fields, observation)
        await asyncio.to_thread(self._store.turns.observe, self.checkpoint.turn_id, step, hidden)


_NOTHING_ASKED: dict[str, object] = {"asked": None, "is_allowed": False}


class UsageTracker:
    """Adds the usage of each step to the turn's checkpoint and to the ledger."""

    def __init__(
        self,
        ledger: UsageLedger,
        checkpointer: TurnCheckpointer,
        model: DecisionModel,
        settings: Settings,
        now: Callable[[], datetime],
    ) -> None:
        self._ledger = ledger
        self._checkpointer = checkpointer
        self._model = model
        self._settings = settings
        self._now = now
        self._waited_seconds = model.waiting_seconds
        self._today: DaySum | None = None

    def count(
        self, step: int, usage: Usage, seconds_to_first_token: float | None = None
    ) -> tuple[Cost | None, UsageUpdated]:
        """Add the usage of a step; returns its cost, if the price is known, and the event with the totals."""
        price = self._settings.prices.get(self._settings.model.name)
        cost = price.of(usage) if price else None
        waited_before, self._waited_seconds = self._waited_seconds, self._model.waiting_seconds
        checkpoint = self._checkpointer.checkpoint
        self._checkpointer.add_usage(usage, cost, self._settings.model.name)
        if usage.requests:
            self._ledger.add(
                StepUsage(
                    user_id=checkpoint.user_id,
                    turn_id=checkpoint.turn_id,
                    step=step,
                    time=self._now(),
                    model=self._settings.model.name,
                    usage=usage,
                    seconds=self._waited_seconds - waited_before,
                    seconds_to_first_token=seconds_to_first_token,
                    cost=cost,
                )
            )
        return cost, self.usage_event()

    def usage_event(self) -> UsageUpdated:
        """The event with the usage of the turn and of the day so far."""
        checkpoint, now = self._checkpointer.checkpoint, self._now()
        self._today = self._ledger.sum_of(checkpoint.user_id, now.date(), self._today)
        return _make_event(now, self._today, checkpoint.usage, checkpoint.cost)


def day_event(ledger: UsageLedger, user_id: str, now: datetime) -> UsageUpdated:
    """The event with the usage of the day so far, before a turn."""
    return _make_event(now, ledger.sum_of(user_id, now.date()), Usage(), None)


def _make_event(now: datetime, today: DaySum, usage: Usage, cost: Cost | None) -> UsageUpdated:
    return UsageUpdated(time=now, usage=usage, cost=cost, tokens_today=today.tokens, costs_today=today.costs)


_CONTINUED = "The program was stopped in the middle of this task and goes on now. Look where things stand."


def continue_checkpoint(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint with which a turn goes on after its program was stopped; the model is told of that.

    A deed that was under way becomes “maybe done”: the model is told to look for it, and no approval covers
    such a deed again without a question.
    """
    steps, notes = checkpoint.steps, (*checkpoint.notes, _CONTINUED)
    if checkpoint.intent is not None:
        step = checkpoint.intent.maybe_done(Refusal.MAYBE_DONE)
        steps, notes = (*steps, step), (*notes, format_maybe_done(step))
    return checkpoint.model_copy(update={"steps": steps, "notes": notes, "intent": None})


def format_user_words(text: str) -> str:
    """The note for the model about what the user says."""
    return f"The user says: {text}"


def _matter(step: StoredStep) -> tuple[object, ...]:
    """What a deed is about: for whom it is, or where an order's page names nobody, its button."""
    whom = fold(step.deed.recipient) if step.deed is not None else ""
    return (step.kind, step.package, whom or (describe(step.action) * (step.kind is ActionKind.PAY)))


def format_refusal_words(step: StoredStep, text: str) -> str:
    """The note for the model about what the user said instead of approving an action."""
    return (
        f"The user did not allow “{describe(step.action)}” and said what to do instead. A text that they "
        "give for the phone, as behind “change it to”, is entered as it stands; their other words are "
        f"entered nowhere. {format_user_words(text)}"
    )


def format_maybe_done(step: StoredStep) -> str:
    """The note for the model about a deed that the phone may or may not have carried out."""
    return (
        f"The action “{describe(step.action)}” may or may not have been carried out: {step.error}. Look for "
        "its result in the app (the message in the conversation, the order in the list). Do not do it again "
        "unless the screen shows that it did not happen."
    )


_NOT_SENT = (Refusal.NO_FIELD, Refusal.NO_KEYBOARD)
"""Refusals that come before anything is sent to the phone."""


def end_unclear(step: StoredStep, reason: str) -> StoredStep:
    """A step whose action failed on the phone: if it was a deed, it may have been done all the same."""
    if step.deed is None or reason in _NOT_SENT:
        return step.refused(reason)
    return step.maybe_done(Refusal.ENDED_UNCLEAR.format(reason=reason))


_SWITCHES = ("Switch", "CheckBox", "ToggleButton", "SwitchCompat")
_MOST_PRESSED = 3  # Kinds of pressed buttons that are named: the sentence must fit the line that ends a turn.


def tell_done(steps: Sequence[StoredStep]) -> list[str]:
    """What steps have done on the phone, a sentence each: their deeds, and what they saved or switched.

    Equal sentences are told once, with how often. This is what stays where a turn does not end well.
    """
    deeds = Counter(tell_deed(deed) for step in steps if (deed := step.deed_done))
    pressed = Counter(key for step in steps if (key := pressed_to_save(step)))
    sentences = [
        _("“{label}” was pressed in {app} and not paid: the order may wait there.").format(
            label=deed.text, app=deed.app
        )
        for deed in orders_begun(steps)
    ]
    for sentence, count in deeds.items():
        often = _("{sentence} ({times})").format(sentence=sentence, times=counted(count, "time"))
        sentences.append(often if count > 1 else sentence)
    for (label, app), count in pressed.most_common(_MOST_PRESSED):
        often, once = _("“{label}” was pressed in {app}, {times}."), _("“{label}” was pressed in {app}.")
        sentence = often if count > 1 else once
        sentences.append(sentence.format(label=label, app=app, times=counted(count, "time")))
    if app := _left_in_cart(steps):
        sentences.append(_("What was put into the cart in {app} stays there.").format(app=app))
    return sentences


def tell_left_half_done(steps: Sequence[StoredStep]) -> str:
    """The text that the last step entered and that nothing has sent, in a sentence; else empty."""
    done = next((step for step in reversed(steps) if not step.error), None)
    if done is None or done.is_withheld or not isinstance(done.action, TypeText):
        return ""
    text = shortened(one_line(done.action.text), _TEXT_TOLD)
    return _("“{text}” stands in a field in {app} and is not sent.").format(text=text, app=done.app)


def tell_unsent(steps: Sequence[StoredStep]) -> str:
    """The refused text that may still stand in its field, where the turn went on since; else empty."""
    at = max((at for at, step in enumerate(steps) if _is_refused_text(step)), default=None)
    deed = steps[at].deed if at is not None else None
    if at is None or deed is None:
        return ""
    later = [step for step in steps[at + 1 :] if not step.error]
    sent = any(step.deed_done and step.deed_done.text == deed.text for step in later)
    cleared = any(isinstance(s.action, ClearText) and s.package == deed.package for s in later)
    if sent or cleared or not later:
        return ""
    text = shortened(one_line(deed.text), _TEXT_TOLD)
    sentence = _("“{text}” may still stand unsent in {app}.")
    if deed.recipient:
        sentence = _("“{text}” may still stand unsent in {app}, for {recipient}.")
    return sentence.format(text=text, app=deed.app, recipient=one_line(deed.recipient))


def _is_refused_text(step: StoredStep) -> bool:
    deed = step.deed if step.error else None
    return deed is not None and deed.kind is ActionKind.SEND and bool(deed.text) and not deed.maybe


_TEXT_TOLD = 30
"""Cells for a text that is left in a field."""


def tell_open_page(turn: Checkpoint) -> str:
    """The page of the deed that was asked about last and not done, in a sentence; empty if it was left since.

    What the user ends the turn at counts like what they refused: the phone still shows it, and one touch on
    it does the deed.
    """
    asked = [turn.asked.refused(Refusal.INTERRUPTED)] if turn.asked is not None else []
    last = next((step for step in reversed([*turn.steps, *asked]) if not step.error or step.deed), None)
    deed = last.deed if last is not None and last.error else None
    if deed is None or deed.maybe:
        return ""
    where = {"app": deed.app, "amount": one_line(deed.amount)}
    if deed.kind is ActionKind.PAY and deed.amount:
        return _("The page in {app} that would pay {amount} was left open.").format(**where)
    if deed.kind is ActionKind.PAY:
        return _("The page in {app} that would pay was left open.").format(**where)
    if deed.kind is ActionKind.SEND and deed.text:
        text = shortened(one_line(deed.text), _TEXT_TOLD)
        return _("The page in {app} that would send “{text}” was left open.").format(text=text, app=deed.app)
    return _("The page in {app} that you were asked about was left open.").format(**where)


def warn_of_leftovers(deed: Deed, steps: Sequence[StoredStep], commands: Sequence[str]) -> str:
    """What an approval warns of where a deed stood on the phone before the turn did anything; else empty.

    A turn that was ended leaves its payment page open and its text in the field. The next turn may meet them
    and take them for its own. A deed that the command names itself, by amount or payee, is no surprise.

    Args:
        deed: what would be done.
        steps: those of the turn so far.
        commands: what the user said, and what it was resolved to.
    """
    said = " ".join(commands).casefold()
    if deed.kind is ActionKind.PAY:
        is_named = _AMOUNT.findall(deed.amount)[:1] in [[number] for number in _AMOUNT.findall(said)]
        is_named |= bool(deed.recipient) and deed.recipient.casefold() in said
        if not is_named and not _led_on(steps, deed.package):
            return _("No step of this command led to this page. See whether it belongs to it.")
    is_written = any(isinstance(s.action, TypeText | Click | LongClick) for s in steps if not s.error)
    if deed.kind is ActionKind.SEND and deed.text and not is_written and deed.text.casefold() not in said:
        return _("No step of this command wrote this text. See whether it belongs to it.")
    return ""


_AMOUNT = re.compile(r"\d+(?:[.,]\d+)*")


def _led_on(steps: Sequence[StoredStep], package: str) -> bool:
    """Whether a touch or text may have led to the page of an app that is open.

    An app that is opened comes up as it was left, and a look around or a way back reaches what was there.
    """
    done = [step for step in steps if not step.error]
    begun = max((at for at, step in enumerate(done, 1) if _opens_app(step)), default=0)
    touches = [
        step for step in done[begun:] if isinstance(step.action, Click | LongClick | TypeText | PressEnter)
    ]
    return bool(touches) or any(step.package == package and not _opens_app(step) for step in done[:begun])


def _opens_app(step: StoredStep) -> bool:
    is_icon = isinstance(step.action, Click) and "launcher" in step.package.casefold()
    return isinstance(step.action, OpenApp) or is_icon


def _left_in_cart(steps: Sequence[StoredStep]) -> str:
    """The app in whose cart steps put something that no later step ordered; empty if there is none."""
    app = ""
    for step in steps:
        target = step.action.target if isinstance(step.action, Click) else None
        if step.deed is not None and step.deed.kind is ActionKind.PAY and not step.error:
            app = app if find_commitment(step.deed) is Commitment.OPENS_CHECKOUT else ""
        if target is not None and not step.error and _FILLS_CART.fullmatch(target.label.strip()):
            app = step.app
    return app


_FILLS_CART = re.compile(
    r"add (?:\w+ )?to (?:cart|basket|bag|order|trolley)|(?:加入|放入|添加到)购物[车袋]|加购", re.IGNORECASE
)
"""Labels of buttons that put something into a cart, where it stays when the turn ends."""


def orders_begun(steps: Sequence[StoredStep]) -> list[Deed]:
    """The orders that steps placed and did not pay: the app may keep them, and ask for the money later."""
    last = max((at for at, step in enumerate(steps, 1) if step.deed_done), default=0)
    return [
        step.deed
        for step in steps[last:]
        if step.deed
        and step.led_on
        and step.deed.kind is ActionKind.PAY
        and find_commitment(step.deed) is not Commitment.OPENS_CHECKOUT
    ]


def pressed_to_save(step: StoredStep) -> tuple[str, str] | None:
    """The label and app of a button that a step pressed and that keeps or switches something; else None.

    What only opens an empty form, as “Add” does, keeps nothing. A deed is told by itself.
    """
    target = step.action.target if isinstance(step.action, Click) else None
    if target is None or step.error or step.deed is not None:
        return None
    saves = wording.completes_page(target.label) and not wording.may_open_form(target.label)
    if not saves and not target.class_name.endswith(_SWITCHES):
        return None
    return target.name, step.app


TurnOf = Callable[[str], Checkpoint | None]
"""Finds the turn of a record by its id."""


def was_done(record: Record, kind: ActionKind | None, turn_of: TurnOf, *, begun: bool) -> bool:
    """Whether a record's deed was done, or may have been: what a turn did stays, whatever its outcome.

    With `begun`, an order counts too that was placed and not paid.
    """
    if record.outcome in (None, Outcome.SUCCESS, Outcome.UNCONFIRMED):
        return True
    checkpoint = turn_of(record.id)
    if checkpoint is None:
        return False
    if kind is None:
        return bool(tell_done(checkpoint.steps))
    was_begun = begun and kind is ActionKind.PAY and bool(orders_begun(checkpoint.steps))
    return was_begun or any(done.kind is kind for done in checkpoint.deeds)


def tell_payments(record: Record, turn_of: TurnOf, now: datetime) -> tuple[str, ...]:
    """Sentences on what the turn of a record paid, whatever its command was and however it ended.

    None for an old record: to load the turns of years takes long, and their commands tell it.
    """
    if not record.source or now - record.time > _PAYMENTS_READ:
        return ()
    checkpoint = turn_of(record.id)
    deeds = checkpoint.deeds if checkpoint is not None else ()
    return tuple(tell_deed(deed) for deed in deeds if deed.kind is ActionKind.PAY)


_PAYMENTS_READ = timedelta(days=60)


def is_doubtful(record: Record, kind: ActionKind | None, turn_of: TurnOf) -> bool:
    """Whether each such deed of a record's turn only may have been done, or it ended unconfirmed without."""
    if record.outcome in (None, Outcome.SUCCESS):
        return False
    checkpoint = turn_of(record.id)
    deeds = [done for done in checkpoint.deeds if kind in (None, done.kind)] if checkpoint is not None else []
    if deeds:
        return all(done.maybe for done in deeds)
    if checkpoint is not None and orders_begun(checkpoint.steps):
        return True
    shown = kind is None and checkpoint is not None and bool(tell_done(checkpoint.steps))
    return record.outcome is Outcome.UNCONFIRMED and not shown


def tell_not_begun(instruction: str, steps: Sequence[StoredStep]) -> str:
    """The parts of a command that a turn had not come to, in a sentence; empty where there are none.

    Parts are carried out in their order: those behind the last of which something was tapped or typed.
    """
    parts, pool = split_parts(instruction), fold(" ".join(filter(None, map(words_touched, steps))))
    last = max((place for place, part in enumerate(parts) if is_answered(part, pool, "")), default=0)
    later_parts = [part for part in parts[last + 1 :] if demands_change(part) or _BEGINS_DEED.match(part)]
    if not pool or not later_parts:
        return ""
    return _("Not begun: {parts}.").format(parts=joined(f"“{part}”" for part in later_parts))


def words_touched(step: StoredStep) -> str:
    """What a performed step tapped or typed; empty for another."""
    action = step.action
    if step.error:
        return ""
    target = action.target.label if isinstance(action, Click) and action.target is not None else ""
    return action.text if isinstance(action, TypeText) else target


def format_correction(text: str, correction: Correction) -> str:
    """The note for the model about a value, or a part, of the command that the user corrected."""
    if correction.kind is ValueKind.WHOLE:
        return f"The user said “{text}”; the task as it stands above heeds it. Change what was done before."
    if correction.kind is ValueKind.PART:
        back = f"The user has taken back “{correction.old}” by the words “{text}”: do not do it, and undo "
        return back + "what was done of it. Only the task as it stands above remains."
    change = f"has “{correction.new}” in the place of “{correction.old}”"
    return (
        f"The user has corrected the task by the words “{text}”; as it stands above it "
        f"{change if correction.old else f'also asks for “{correction.new}”'}. "
        "What was chosen or typed for the task before must be changed first."
    )


def read_count(remark: str) -> int:
    """How many of the thing a remark asks for, such as 2 for “make it two portions”; 0 for another remark."""
    match = _COUNTED.fullmatch(remark.strip(" .!?。！"))
    return COUNTS.get((match["en"] or match["zh"]).casefold(), 0) if match is not None else 0


def find_asked_again(turn: Checkpoint) -> dict[str, bool]:
    """The remarks that ask for a deed once more (“again”), each with whether it was done again.

    What the screens show cannot tell whether it was done: they show the first one.
    """
    asked: dict[str, bool] = {}
    for remark in turn.remarks:
        done = [step.deed_done for step in turn.steps]
        before = {deed.kind for deed in done[: remark.after] if deed is not None}
        if before and _ASKS_AGAIN.fullmatch(remark.text.strip(" .!?,。！？，~～").casefold()):
            after = (deed for deed in done[remark.after :] if deed is not None and not deed.maybe)
            asked[remark.text] = any(deed.kind in before for deed in after)
    return asked


_BEGINS_DEED, _COUNTED, _ASKS_AGAIN = map(word_pattern, ("begins_deed", "counted", "asks_again"))
