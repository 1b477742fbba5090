"""Deeds, and which of them are approved: one yes is for one deed.

A deed is what a sensitive action does: its kind, app, recipient or payee, amount, text or item, and where an
order is brought, in the words of the screen (`events.Deed`). An approval holds for the deed as it was shown.
Beyond that single yes, an approval may come from the command line (`--yes pay`, one deed), from an answer for
this turn (the same recipient, no larger amount), or from a standing rule. None of these covers a deed that
was done already in the turn, or may have been: the user is asked, and told so.

Many apps take one deed in stages: “Buy now”, “Submit order”, then “Pay now” in a payment app, or a dialog
that asks once more. A stage that only led on to the next is no deed that is done, and the next is no second
one; see `DeedLog.observe` and `_is_next_stage`. That a button only led on is known from the page after it,
and a page may lie: a shop that sells with one tap may show its checkout all the same. So the user is asked on
each page, as a yes is for the screen that was seen. What the command line or an answer for the turn allows
goes on over the stages, but each of them must commit further than the one before (`Commitment`): one
allowance presses at most one button that orders, one that pays, and one of a payment app.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from assistant.events import ActionKind, ApprovedBy, Deed
from assistant.i18n import _, later, sentences
from assistant.phone.touches import is_shared
from assistant.phone.ui_tree import taken_for_button
from assistant.records import (
    Action,
    Click,
    Element,
    LongClick,
    Observation,
    Point,
    PressBack,
    Scroll,
    Swipe,
    Target,
)
from assistant.safety.amounts import (
    Allowance,
    amount_of,
    find_amount,
    find_entry,
    is_no_larger,
    is_same_amount,
)
from assistant.safety.classifier import (
    DENYING_ID,
    INSTALLER_PACKAGES,
    PERMISSION_PACKAGES,
    Risk,
    judge,
)
from assistant.safety.effects import (
    Begun,
    Commitment,
    find_commitment,
    find_destination,
    find_recipient,
    is_checkout,
    names_ending,
    reports_success,
)
from assistant.safety.page import Page, page_of
from assistant.safety.wording import is_refusal, pattern

STANDING_KINDS = (ActionKind.SEND, ActionKind.DELETE, ActionKind.GRANT)
"""The kinds that a standing rule may allow. Payments and the other kinds are asked about each time."""

TURN_KINDS = (ActionKind.PAY, ActionKind.SEND, ActionKind.DELETE, ActionKind.PASSWORD)
"""The kinds that an answer may allow for the rest of the turn; of the others each one is asked about."""

DEEDS_PER_ANSWER = 3
"""How many deeds an answer for this turn covers, whatever they say, before it is asked again."""

_STAGES_PER_DEED = 3
_ONE_STAGE = (ActionKind.GRANT, ActionKind.PASSWORD)
"""Kinds that are done with the tap, whatever the next screen asks."""
_MOST_BUTTONS = 60
"""So many of a page's last buttons are judged for whether one asks for the same deed."""
_MOST_BEGUN = 4
"""So many stages may have led on before one is done; a purchase that was given up counts among them."""
_MOST_TITLES = 4
"""So many pages before a payment are named where the payment page names no payee."""

_PASSWORD_PRESSES = 12
_SECONDS = re.compile(r"\(?(?<![\w.,])\d+\s?(?:秒|s(?:ecs?|econds?)?(?!\w))\)?", re.IGNORECASE)
_CLOCK = re.compile(r"(?<!\d)\d{1,2}:\d{2}(?::\d{2})?(?!\d)")
_PROGRESS = re.compile(r"\d[\d.,]*\s?(?:%|[KMGT]i?B(?:/s)?\b)")
_MINUTES = pattern("minutes")


def make_deed(risk: Risk, action: Action, observation: Observation) -> Deed:
    """The deed of a sensitive action on this screen."""
    observation = risk.window or observation
    if risk.from_picture:
        observation = taken_for_button(observation, action)
    else:
        observation = replace(observation, picture_texts=())
    page = page_of(observation)
    element = _element_of(action, observation)
    app = observation.app
    recipient = amount = text = destination = ""
    match risk.kind:
        case ActionKind.PAY:
            recipient = find_recipient(page, risk.kind, element)
            amount = find_amount(page, element)
            text = _label(observation, element)
            destination = " · ".join(find_destination(page))
        case ActionKind.SEND:
            recipient, text = find_recipient(page, risk.kind, element), risk.text
        case ActionKind.GRANT:
            recipient = " ".join(page.question_for(element)) or " ".join(
                page.row_labels(element) if element else ()
            )
            text = _label(observation, element)
        case ActionKind.PASSWORD:
            recipient = page.heading
        case _:
            asked = " ".join(page.question_for(element))
            text = " · ".join(part for part in (_label(observation, element), asked) if part)
    return Deed(
        kind=risk.kind,
        package=app.package,
        app=app.title,
        recipient=_one_line(recipient),
        amount=_one_line(amount),
        text=text.strip(),
        entry=" · ".join(find_entry(page, element)),
        destination=_one_line(destination),
        from_picture=risk.from_picture,
    )


def _element_of(action: Action, observation: Observation) -> Element | None:
    match action:
        case Click(point=point) | LongClick(point=point) | Swipe(start=point) | Scroll(point=point):
            return observation.element_at(point)
        case _:
            return None


def _label(observation: Observation, element: Element | None) -> str:
    return _one_line(observation.label_of(element)) if element else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _normal(text: str) -> str:
    """A text for comparing: countdowns and the time of day left out, case and width aside."""
    return _one_line(_CLOCK.sub(" ", _SECONDS.sub(" ", unicodedata.normalize("NFKC", text)))).casefold()


def _item(deed: Deed) -> str:
    """What a deed is about, for comparing.

    A message is one with the times in it, and what is deleted may be an alarm. On a button that pays a time
    only counts down.
    """
    if deed.kind is ActionKind.PAY:
        return _normal(deed.text)
    text = unicodedata.normalize("NFKC", deed.text)
    return _one_line(text if deed.kind is ActionKind.SEND else _SECONDS.sub(" ", text)).casefold()


def _entry(deed: Deed) -> str:
    """The row of a deed, for comparing: how far it has come is left out."""
    text = unicodedata.normalize("NFKC", deed.entry)
    return _one_line(_PROGRESS.sub(" ", _MINUTES.sub(" ", text))).casefold()


def _place(text: str) -> str:
    """A destination for comparing: how long the way to it takes is left out, too."""
    return _normal(_MINUTES.sub(" ", text))


def is_same_deed(before: Deed, after: Deed) -> bool:
    """Whether a deed is exactly the one that was shown before: nothing in it differs, or went missing."""
    return (
        (before.kind, before.package, before.amount) == (after.kind, after.package, after.amount)
        and _normal(before.recipient) == _normal(after.recipient)
        and (_item(before), _entry(before)) == (_item(after), _entry(after))
        and _place(before.destination) == _place(after.destination)
    )


def is_same_target(before: Target | None, after: Target | None) -> bool:
    """Whether a tap would hit the same element on a later screen; where it lies may differ."""
    if before is None or after is None:
        return before is after
    return (before.resource_id, before.class_name, _normal(before.label), _normal(before.around)) == (
        after.resource_id,
        after.class_name,
        _normal(after.label),
        _normal(after.around),
    )


def format_doubt(unheard: str, forbidden: str, refusals: int, against: str = "") -> str:
    """What the user said against a deed, in sentences: words that had no effect, that forbid it, or a no.

    `against` are words that the deed goes against, whatever else of it has changed.
    """
    return sentences(
        _("Your words “{words}” changed nothing here.").format(words=unheard) if unheard else "",
        _("This goes against your words “{words}”.").format(words=against) if against and not unheard else "",
        _("Your command says “{words}”.").format(words=forbidden) if forbidden else "",
        _("You have refused exactly this before in this turn.") if refusals and not unheard else "",
    )


def repeats(deed: Deed, earlier: Deed) -> bool:
    """Whether a deed does again what an earlier one did. What a screen does not tell counts as the same."""
    if deed.kind is not earlier.kind or deed.kind is ActionKind.PASSWORD:
        return False
    if not _may_equal(deed.package, earlier.package):  # That of a window without elements is not told.
        return False
    if deed.entry and earlier.entry and _entry(deed) != _entry(earlier):
        return False
    same_recipient = _may_equal(deed.recipient, earlier.recipient)
    if deed.kind is ActionKind.PAY:
        return same_recipient and (
            not deed.amount or not earlier.amount or (amount_of(deed.amount) == amount_of(earlier.amount))
        )
    return same_recipient and (not deed.text or not earlier.text or _item(deed) == _item(earlier))


def _may_equal(text: str, other: str) -> bool:
    return not text or not other or _normal(text) == _normal(other)


def _may_be_same_place(deed: Deed, earlier: Deed) -> bool:
    """Whether a deed is not for another destination. What a screen does not tell counts as the same."""
    places = {_place(deed.destination), _place(earlier.destination)} - {""}
    return len(places) < 2


@dataclass(frozen=True, slots=True)
class Coverage:
    """Whether a deed needs no question, by whose approval, and what the user must know if it does.

    `done` is the earlier deed that it repeats, or that may have been done. It is only `begun` where its
    button was pressed before and led on to a page that asked for it.
    """

    by: ApprovedBy | None = None
    done: Deed | None = None
    begun: bool = False


@dataclass(slots=True)
class _Answer:
    """A yes for this turn, and how many deeds it has covered."""

    deed: Deed
    used: int = 1

    def covers(self, deed: Deed) -> bool:
        """Whether a deed has the same recipient and row, no larger amount, and does not go elsewhere."""
        given = self.deed
        if deed.from_picture:
            return False
        if (deed.kind, deed.package) != (given.kind, given.package) or self.used >= DEEDS_PER_ANSWER:
            return False
        if not may_be_for_turn(deed) or _entry(deed) != _entry(given):
            return False
        if _normal(deed.recipient) != _normal(given.recipient):
            return False
        if given.destination and _place(deed.destination) != _place(given.destination):
            return False
        return deed.kind is not ActionKind.PAY or is_no_larger(deed.amount, given.amount)


@dataclass(slots=True)
class _Stage:
    """A deed that was performed, with what its next stage is recognized by.

    `number` counts the stages of one deed from 1; `by` approved the first, and `uses` is what it used up.
    `led_on` is whether the screen that followed still asks for the deed.
    """

    deed: Deed
    target: str = ""
    page: str = ""
    on_dialog: bool = False
    at_checkout: bool = False
    by: ApprovedBy = ApprovedBy.USER
    number: int = 1
    uses: Allowance | _Answer | None = None
    led_on: bool = False


def _only_opens(deed: Deed) -> bool:
    return deed.kind is ActionKind.PAY and find_commitment(deed) is Commitment.OPENS_CHECKOUT


class DeedLog:
    """The deeds of one turn, and the approvals that hold in it.

    A deed counts as done as soon as it is performed, unless `observe` then sees that it only led on to the
    page that asks for it. Its button is not pressed a second time unasked, and once the last stage is done,
    so are those before it. An approval is used up with the first stage that commits to anything.

    Args:
        allowances: what the command line allows.
        done: the deeds of the turn so far, where it is continued.
        stages_done: the stages that led on to those, which are done with them.
        stages_begun: the stages that led on to none yet.

    Attributes:
        currency: the one of the phone's country, in which a limit without a currency is; where the phone does
            not tell it, that of the first payment which such a limit covers.
    """

    def __init__(
        self,
        allowances: Iterable[Allowance] = (),
        done: Sequence[Deed] = (),
        stages_done: Sequence[Deed] = (),
        stages_begun: Sequence[Deed] = (),
    ) -> None:
        self._left = {allowance: allowance.count for allowance in allowances}
        self.currency = ""
        self._answers: list[_Answer] = []
        self._done = [*stages_done, *done]
        for deed in done:
            self._use_allowance(deed)
        # Who allowed these is not known any more, so the user is asked about what comes after them.
        self._stages_led_on = [_Stage(deed, led_on=True) for deed in stages_begun]
        self._last: _Stage | None = None
        self.running_for_user = Begun()
        self._titles: list[tuple[str, str]] = []
        self._payees: dict[str, str] = {}
        self._unread: Observation | None = None
        self._reading = threading.Lock()

    def covers(self, deed: Deed, page: Page, target: str, *, by_rule: bool = False) -> Coverage:
        """Whether a deed is approved already.

        Args:
            deed: what the action would do.
            page: the screen it is on.
            target: a key of the element that it hits.
            by_rule: whether a standing rule of the user allows it.
        """
        if unclear := self._find_unclear(deed):
            return Coverage(done=unclear)
        by_rule = by_rule and not deed.from_picture
        before = self._stage_before(deed, page, target)
        if before is not None:
            return self._covers_next_stage(before, deed)
        pressed = (stage for stage in self._stages_led_on if _is_pressed_again(stage, deed, page, target))
        if begun := next(pressed, None):
            return Coverage(done=begun.deed, begun=True)
        if earlier := next((done for done in reversed(self._all_done) if repeats(deed, done)), None):
            return Coverage(done=earlier)
        if any(left > 0 and each.covers(deed, self.currency) for each, left in self._left.items()):
            return Coverage(ApprovedBy.COMMAND_LINE)
        if self.running_for_user.may_end(deed) or any(answer.covers(deed) for answer in self._answers):
            return Coverage(ApprovedBy.TURN)
        return Coverage(ApprovedBy.RULE if by_rule else None)

    @property
    def needs_currency(self) -> bool:
        """Whether a limit of the command line is in the currency of the phone, which is not known yet."""
        return not self.currency and any(allowance.needs_currency for allowance in self._left)

    def allow_for_turn(self, deed: Deed) -> None:
        """The user allows a deed, and those like it for the rest of the turn."""
        if may_be_for_turn(deed):
            self._answers.append(_Answer(deed))

    def add(self, deed: Deed, page: Page, target: str, by: ApprovedBy) -> None:
        """A deed was performed, or may have been, with the approval that it had."""
        at_checkout = is_checkout(page)
        before = self._stage_before(deed, page, target)
        if before is not None:
            before.led_on = deed.kind not in _ONE_STAGE
            number, by = before.number + 1, before.by
            uses = before.uses or self._use_approval(deed, by)
        else:
            number = len(self._stages_of(deed)) + 1 if at_checkout else 1
            uses = self._use_approval(deed, by)
        self.running_for_user.note_deed(deed, page)
        self._settle_last()
        self._last = _Stage(deed, target, _page_key(page), page.is_dialog, at_checkout, by, number, uses)

    def observe(self, observation: Observation) -> bool | None:
        """Take note of a screen; after a deed, whether that only led on; None if no deed came right before.

        It did where something on the screen would be the next stage of the same deed. A screen that tells
        nothing leaves the deed done.
        """
        self.catch_up()
        self._unread = observation
        last = self._last
        if last is None or last.deed.maybe or last.deed.kind in _ONE_STAGE:
            return None
        last.led_on = self._asks_for_more(last, observation)
        return last.led_on

    def catch_up(self) -> None:
        """Read title and payee of the latest screen; in any thread, since thousands of nodes take a while."""
        with self._reading:
            observation, self._unread = self._unread, None
            if observation is None or is_shared(observation):
                return
            page, package = page_of(observation), observation.app.package
            seen = (package, _one_line(page.own_heading))
            if seen[1] and seen not in self._titles:
                self._titles.append(seen)
            if payee := _one_line(find_recipient(page, ActionKind.PAY, None)):
                self._payees[package] = payee

    def stage_of(self, deed: Deed, page: Page, target: str) -> tuple[int, str]:
        """Which stage a deed is, from 1, and what the button of the one before said; empty for the first."""
        before = self._stage_before(deed, page, target)
        return (before.number + 1, before.deed.text) if before else (1, "")

    def pages_before(self, page: Page) -> tuple[str, ...]:
        """The titles of the pages of this page's app that were seen before it, the latest last."""
        self.catch_up()
        package, heading = page.observation.app.package, _one_line(page.own_heading)
        titles = [title for app, title in self._titles if app == package and title != heading]
        return tuple(titles[-_MOST_TITLES:])

    def payee_before(self, page: Page) -> str:
        """The payee that an earlier page of this page's app named last; empty if none did."""
        self.catch_up()
        return self._payees.get(page.observation.app.package, "")

    def end_stage(self) -> None:
        """Another action was performed: what comes next is judged by itself.

        A deed that only opened a checkout gives back the approval that it used, as that was for doing it.
        """
        if self._last is not None and self._last.led_on and _only_opens(self._last.deed):
            match self._last.uses:
                case Allowance() as allowance:
                    self._left[allowance] += 1
                case _Answer() as answer:
                    answer.used -= 1
            self._last.uses = None
        self._settle_last()

    @property
    def _all_done(self) -> list[Deed]:
        last = self._last
        return self._done if last is None or last.led_on else [*self._done, last.deed]

    def _settle_last(self) -> None:
        """What the latest deed was found to be holds from now on."""
        if self._last is None:
            return
        if self._last.led_on:
            self._stages_led_on.append(self._last)
        else:
            stages = self._stages_of(self._last.deed)
            self._done += [*(stage.deed for stage in stages), self._last.deed]
            self._stages_led_on = [stage for stage in self._stages_led_on if stage not in stages]
        self._last = None

    def _stages_of(self, deed: Deed) -> list[_Stage]:
        """The stages that only led on, of deeds of this kind."""
        return [stage for stage in self._stages_led_on if stage.deed.kind is deed.kind]

    def _stage_before(self, deed: Deed, page: Page, target: str) -> _Stage | None:
        """The stage that a deed continues: the latest deed, or one that committed to it earlier."""
        begun = (stage for stage in reversed(self._stages_of(deed)) if not _only_opens(stage.deed))
        before = self._last or next(begun, None)
        return before if before is not None and self._is_next(before, deed, page, target) else None

    def _is_next(self, last: _Stage, deed: Deed, page: Page, target: str) -> bool:
        """Whether a deed is the next stage of another, on a page and in an app that had no stage before.

        What was only read off a picture is not sure enough for that.
        """
        if deed.from_picture:
            return False
        key, stages = _page_key(page), self._stages_of(deed)
        returns = deed.package != last.deed.package and any(s.deed.package == deed.package for s in stages)
        is_new = page.is_dialog or all(stage.page != key for stage in stages)
        return is_new and not returns and _is_next_stage(last, deed, page, target)

    def _asks_for_more(self, last: _Stage, observation: Observation) -> bool:
        """Whether something on a screen would be the next stage of a deed."""
        page = page_of(observation)
        if last.number >= _STAGES_PER_DEED or len(self._stages_of(last.deed)) >= _MOST_BEGUN:
            return False
        if is_shared(observation):  # What another app asks for is no stage of it.
            return False
        if reports_success(page):
            return False
        for element in reversed(page.clickables[-_MOST_BUTTONS:]):
            point = observation.point(*element.bounds.centre)
            action = Click(point=point, target=observation.target_at(point))
            risk = judge(action, observation)
            if risk is not None and risk.kind is last.deed.kind:
                deed = make_deed(risk, action, observation)
                if self._is_next(last, deed, page, ""):
                    return True
        return False

    def _covers_next_stage(self, last: _Stage, deed: Deed) -> Coverage:
        """Whether the approval of a stage holds for the next one.

        A code is entered with one. A single yes of the user was for the page that it was given on.
        """
        if deed.kind is ActionKind.PASSWORD:
            return Coverage(last.by)
        if last.by is ApprovedBy.COMMAND_LINE:
            allowed = any(allowance.covers(deed, self.currency) for allowance in self._left)
            return Coverage(last.by if allowed else None)
        if any(answer.covers(deed) for answer in self._answers):
            return Coverage(ApprovedBy.TURN)
        return Coverage(last.by if last.by is ApprovedBy.RULE else None)

    def _find_unclear(self, deed: Deed) -> Deed | None:
        """An earlier deed of this kind and app that may have been done: nothing covers another one."""
        return next(
            (
                done
                for done in reversed(self._all_done)
                if done.maybe and (done.kind, done.package) == (deed.kind, deed.package)
            ),
            None,
        )

    def _use_approval(self, deed: Deed, by: ApprovedBy) -> Allowance | _Answer | None:
        """Count a deed against what allowed it; returns that."""
        if by is ApprovedBy.COMMAND_LINE:
            return self._use_allowance(deed)
        answer = next((answer for answer in self._answers if answer.covers(deed)), None)
        if by is ApprovedBy.TURN and answer is not None:
            answer.used += 1
            return answer
        return None

    def _use_allowance(self, deed: Deed) -> Allowance | None:
        for allowance, left in self._left.items():
            if left > 0 and allowance.covers(deed, self.currency):
                self._left[allowance] = left - 1
                if allowance.needs_currency:
                    self.currency = self.currency or deed.amount
                return allowance
        return None


def _is_next_stage(last: _Stage, deed: Deed, page: Page, target: str) -> bool:
    """Whether a deed only completes the one performed just before, and is no second one.

    It does on another page that asks once more: in another app, a dialog after a page, or a page of the app
    that settles the order. The amount must be the same, the text as well, and the page must not report that
    all is done. In the same app a payment must commit further than before. Keys of a PIN pad complete the
    entry of one password.
    """
    before = last.deed
    if deed.kind is not before.kind or before.maybe:
        return False
    if deed.kind is ActionKind.PASSWORD:
        return deed.package == before.package and last.number < _PASSWORD_PRESSES
    if last.number >= _STAGES_PER_DEED or (deed.package, target) == (before.package, last.target):
        return False
    settles = _settles(last, deed, page)
    asks_once_more = deed.package != before.package or (page.is_dialog and not last.on_dialog) or settles
    if not asks_once_more or deed.kind in _ONE_STAGE:
        return False
    same = True
    if deed.kind is ActionKind.PAY:
        same = settles or (bool(deed.amount) and is_same_amount(deed.amount, before.amount))
        same = same and _may_equal(deed.recipient, before.recipient) and _may_be_same_place(deed, before)
        further = deed.package != before.package or find_commitment(deed) > find_commitment(before)
        same = same and further
    if deed.kind is ActionKind.SEND:
        same = _item(deed) == _item(before) and (page.is_dialog or bool(deed.text))
    return same and not reports_success(page)


def _settles(last: _Stage, deed: Deed, page: Page) -> bool:
    """Whether a page is the checkout that a payment led to: another page, with the sum of the order.

    What a product costs is not yet the sum, so from its page the amount may differ. Between two pages of a
    checkout it may not.
    """
    if deed.kind is not ActionKind.PAY or not deed.amount or not is_checkout(page):
        return False
    if last.page == _page_key(page):
        return False
    if _only_opens(last.deed) and not (last.at_checkout and last.deed.amount):
        return True
    return is_same_amount(deed.amount, last.deed.amount)


def _page_key(page: Page) -> str:
    """What a page is recognized by: app, window and heading without numbers."""
    app = page.observation.app
    return f"{app.package} {app.activity} {re.sub(r'[0-9]+', '#', _normal(page.heading))}"


def _is_pressed_again(stage: _Stage, deed: Deed, page: Page, target: str) -> bool:
    """Whether what led on is done a second time: at the same place or, if it committed to more, anywhere."""
    same_place = stage.target == target or stage.page == _page_key(page)
    return (same_place or not _only_opens(stage.deed)) and repeats(deed, stage.deed)


def may_be_for_turn(deed: Deed) -> bool:
    """Whether a yes may hold for the rest of the turn: of messages and payments the screen must say to whom.

    Two of which it does not say so may go to different people.
    """
    if deed.from_picture or deed.kind not in TURN_KINDS:
        return False
    return deed.kind not in (ActionKind.SEND, ActionKind.PAY) or bool(deed.recipient)


def may_be_rule(deed: Deed) -> bool:
    """Whether a standing rule for such deeds may be offered: it must say for whom, or which permission."""
    return (
        deed.kind in STANDING_KINDS
        and not deed.from_picture
        and bool(deed.package)
        and (deed.kind is ActionKind.DELETE or bool(deed.recipient))
    )


def describe_deed(deed: Deed) -> str:
    """A deed in a few words for the user: kind, amount, recipient."""
    parts = [part for part in (deed.amount, deed.recipient) if part] or [deed.text[:60] or deed.app]
    return " · ".join(parts)


_TOLD = {
    ActionKind.PAY: later("This was paid: {what}."),
    ActionKind.SEND: later("This was sent or called: {what}."),
    ActionKind.DELETE: later("This was deleted: {what}."),
    ActionKind.INSTALL: later("This was installed: {what}."),
    ActionKind.GRANT: later("This permission was granted: {what}."),
}


def says_nothing(deed: Deed) -> bool:
    """Whether it is a touch that nobody could judge, which is asked about as if it paid."""
    return deed.kind is ActionKind.PAY and not (deed.amount or deed.recipient or deed.text)


def tell_deed(deed: Deed) -> str:
    """A sentence that says that a deed was done, or may have been."""
    if deed.maybe:
        return _("This may have been done, look on the phone: {what}.").format(what=describe_deed(deed))
    if says_nothing(deed):
        return _("In {app} something was touched that could not be read.").format(app=deed.app)
    if deed.kind is ActionKind.PAY and deed.amount and deed.recipient:
        return _("{amount} was paid to {payee}.").format(amount=deed.amount, payee=deed.recipient)
    row = deed.entry if deed.kind is ActionKind.GRANT else ""
    what = " · ".join(filter(None, (describe_deed(deed).rstrip("?？"), row)))
    ended = deed.kind is ActionKind.DELETE and names_ending(deed.text.split(" · ")[0])
    done = later("This was done: {what}.")
    return _(done if ended else _TOLD.get(deed.kind, done)).format(what=what)


_FOR_EVER = re.compile(r"dont_?ask|never|always|no_upgrade")
"""Ids of buttons that refuse more than this once."""


def find_denial(observation: Observation) -> Action | None:
    """What answers a dialog of the system with no, such as one that asks for a permission.

    Its one button that refuses and is harmless by the approval rules; without such a button, Back, which
    refuses too. None on any other page: there a no leaves nothing behind that the system waits for.
    """
    if not any(part in observation.app.package for part in (*PERMISSION_PACKAGES, *INSTALLER_PACKAGES)):
        return None
    page = page_of(observation)
    refusing = [element for element in page.clickables if _denies(page, element)]
    if len(refusing) != 1:
        return PressBack()
    x, y = refusing[0].bounds.centre
    point = Point(x / max(1, observation.width), y / max(1, observation.height))
    labels = page.labels(refusing[0])
    denial = Click(point=point, content=labels[0] if labels else "", target=refusing[0].target())
    return PressBack() if judge(denial, observation) else denial


def _denies(page: Page, element: Element) -> bool:
    name = element.resource_id.rpartition("/")[2]
    if element.checkable or _FOR_EVER.search(name):
        return False
    return bool(DENYING_ID.search(name)) or any(map(is_refusal, page.labels(element)[:1]))
