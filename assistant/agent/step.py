"""One step of a turn: observe the screen and execute the action that was chosen.

An action is refused instead of executed if it is a loop, leaves the apps of the task, or is not approved.
`with_target` finds the element that an action targets, with the heading around it if its own name is vague
(“Later”). `SecretInjector` puts in the values of secrets, which only the phone gets.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from assistant.agent.checkpoint import (
    TurnCheckpointer,
    end_unclear,
    format_maybe_done,
    format_refusal_words,
    warn_of_leftovers,
)
from assistant.agent.completion import saves_page
from assistant.agent.context import NamedSecrets, StepTimes
from assistant.agent.instruction_check import remarks_of, repeats_remark
from assistant.agent.stop_checks import (
    AppRestriction,
    LoopAdvice,
    LoopDetector,
    ScreenNames,
    action_key,
    describe_changes,
    describe_no_effect,
    page_key,
)
from assistant.agent.turn_control import Interrupted, TurnControl, TurnLifecycle
from assistant.agent.user_prompts import RefusedBefore, Unattended, UserPrompter
from assistant.events import Approval, ApprovedBy, Cause, PhoneState, Verdict
from assistant.i18n import _, later, shortened
from assistant.memory.prototypes.terms import split_parts
from assistant.memory.turns import StoredStep
from assistant.phone.device import Phone
from assistant.phone.errors import ActionRefused, PhoneError, Refusal
from assistant.phone.pictures import unmoved
from assistant.phone.screen import Glimpse
from assistant.phone.touches import window_of
from assistant.records import (
    Action,
    ClearText,
    Click,
    Element,
    LongClick,
    Observation,
    Outcome,
    Point,
    PressEnter,
    Scroll,
    Source,
    Swipe,
    Target,
    TypeText,
    Wait,
    says_little,
    shown,
)
from assistant.safety.classifier import Cue, Risk, judge
from assistant.safety.deeds import find_denial, is_same_deed, is_same_target, make_deed
from assistant.safety.page import page_of, tells_nothing
from assistant.safety.secret_entry import hide_values
from assistant.secrets import SECRET_REFERENCE, SecretError, find_secret_names
from assistant.skills.skill_step import find_place, find_witness

_LEADS_NOWHERE = later("it leads nowhere")

_WORDS_AFTER = 2.0
"""Seconds that a page without words is waited for before its touch is asked about."""
_LOOK_INTERVAL = 0.2
"""Seconds between two looks at it."""


class ScreenObserver:
    """Observes the phone's screen.

    Attributes:
        observation: the latest observation.
        screen_id: the id of its screen, by `ScreenNames.identify`.
    """

    def __init__(
        self,
        phone: Phone,
        control: TurnControl,
        checkpointer: TurnCheckpointer,
        describe_user_actions: Callable[[Observation], str],
        secrets: SecretInjector,
        glimpse: Glimpse,
    ) -> None:
        self.observation: Observation | None = None
        self.screen_id = ""
        self._phone = phone
        self._glimpse = glimpse
        self._control = control
        self._checkpointer = checkpointer
        self._describe_user_actions = describe_user_actions
        self._secrets = secrets
        self._screens = ScreenNames()
        self._last_action: tuple[Action, str] | None = None
        self._before_pause: Observation | None = None

    async def observe(
        self,
        on_picture: Callable[[Observation], None] | None = None,
        *,
        needs_tree: bool = False,
        by_picture: bool = False,
    ) -> Observation:
        """The screen, once it has settled. Adds a note for the model about what changed.

        Args:
            on_picture: called at most once, with the screen without its elements, as soon as its picture has
                settled; not after a pause, where the last action seems to have had no effect, or while a
                text can be typed, which may be a password.
            needs_tree: see `Phone.observe`.
            by_picture: see there.

        Raises:
            PhoneError: the phone cannot be used.
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        self._phone.allow_actions()
        before = self.observation

        async def foresee(picture: Observation) -> None:
            is_known = before is not None and await asyncio.to_thread(
                unmoved, before.screenshot, picture.screenshot
            )
            if on_picture is not None and not is_known and not picture.keyboard_shown:
                on_picture(picture)

        is_foreseeable = on_picture is not None and self._before_pause is None and not self._secrets.are_typed
        looking = self._phone.observe(
            self._glimpse, foresee if is_foreseeable else None, needs_tree=needs_tree, by_picture=by_picture
        )
        observation = await self._secrets.hide_secrets(await self._control.run_cancellable(looking))
        self.screen_id = await self._screens.identify(observation)
        if self._before_pause is not None:
            if user_actions := self._describe_user_actions(observation):
                self._checkpointer.add_transient_notes(user_actions)
            self._checkpointer.add_transient_notes(*describe_changes(self._before_pause, observation))
        elif self._last_action is not None and (
            no_effect := describe_no_effect(*self._last_action, self.screen_id)
        ):
            self._checkpointer.add_transient_notes(no_effect)
        self._before_pause = self._last_action = None
        self.observation = observation
        return observation

    async def complete(self, observation: Observation, *, reads: bool = False) -> Observation:
        """The screen with its UI tree, if it was seen by its picture alone and the tree has come meanwhile.

        `reads`: a tree that was spared for a screen reader is read now. Raises as `observe` does.
        """
        if observation.elements:
            return observation
        completing = self._phone.read_tree(observation) if reads else self._phone.complete(observation)
        return await self._secrets.hide_secrets(await self._control.run_cancellable(completing))

    async def read_again(self, *, needs_tree: bool = False) -> Observation:
        """The screen as it is right now, settled. Adds no notes for the model; raises as `observe` does."""
        looking = self._phone.observe(needs_tree=needs_tree)
        return await self._secrets.hide_secrets(await self._control.run_cancellable(looking))

    def set_last_action(self, action: Action) -> None:
        """Remember the action executed on the latest screen."""
        self._last_action = (action, self.screen_id)

    def start_pause(self) -> None:
        """Remember the screen before a pause; the next observation is compared with it."""
        self._before_pause = self.observation
        self._last_action = None


@dataclass(slots=True)
class ActionExecutor:
    """Executes the actions of one turn.

    Attributes:
        app_restriction: refuses actions outside the apps of the task.
        loop_detector: warns of loops and stops the turn in one.
        read_only: refuse every sensitive action; set for the turn of a lookup in an app.
        last_action_approved: whether the user approved the latest action. It may open another app.
        by_find: whether a find may tell that a page has not moved; not once one was another than expected.
    """

    phone: Phone
    control: TurnControl
    lifecycle: TurnLifecycle
    checkpointer: TurnCheckpointer
    prompter: UserPrompter
    observer: ScreenObserver
    secrets: SecretInjector
    app_restriction: AppRestriction
    loop_detector: LoopDetector
    read_only: bool = False
    last_action_approved: bool = False
    by_find: bool = True
    _held_back: list[str] = field(default_factory=list)
    _wordless: set[str] = field(default_factory=set)

    def screen_changed(self, observation: Observation) -> None:
        """Note which app the latest action led to, and whether a deed only led on to the page that asks."""
        self.app_restriction.enter_app(observation.app, approved=self.last_action_approved)
        self.last_action_approved = False
        if (led_on := self.prompter.deeds.observe(observation)) is not None:
            self.checkpointer.set_led_on(led_on)

    async def execute(
        self, step: StoredStep, risk: Risk | None, observation: Observation, times: StepTimes
    ) -> None:
        """Execute a step's action, or refuse it with a reason.

        Raises:
            PhoneError: the connection to the phone was lost.
            Interrupted: the turn was paused or cancelled before the approval, or held before the action was
                performed.
        """
        app = window_of(observation, step.action).app
        if refusal := self.app_restriction.find_refusal(step.action, app):
            self.lifecycle.refuse_step(step, refusal, times)
            return
        if risk is None and self._hold_back(step, times, observation):
            return
        verdict = self.loop_detector.check(self.observer.screen_id, step.action, page_key(observation))
        if verdict.advice is LoopAdvice.STOP:
            self.lifecycle.refuse_step(step, _LEADS_NOWHERE, times)
            self.loop_detector.reset()
            hint = _("Say what to do instead, or do it on the phone, then press F5.")
            sentence = " ".join(filter(None, (verdict.sentence, self._latest_refusal())))
            self.lifecycle.pause_or_fail(Cause.LOOP, f"{sentence} {hint}", sentence)
            return
        if verdict.advice is LoopAdvice.WARN:
            self.checkpointer.add_transient_notes(verdict.sentence)
        if risk and self.read_only:
            self.lifecycle.refuse_step(step, later("a look into an app changes nothing there"), times)
            return
        approval = None
        if risk is not None and risk.cue is Cue.UNSEEN and await self._comes_to_words(observation):
            self.lifecycle.refuse_step(step, Refusal.SCREEN_CHANGED, times)
            return
        if risk is not None:
            step = step.model_copy(update={"deed": make_deed(risk, step.action, observation)})
            approval = await self._get_approval(step, risk, observation, times)
            if approval is None:
                return
        current = await self._read_again(step, observation)
        if current is None:
            self.by_find = False
            self.lifecycle.refuse_step(step, Refusal.SCREEN_CHANGED, times)
            return
        with times.exclude_user_time():
            if await self.control.wait_until_released():
                raise Interrupted
        self.last_action_approved = risk is not None
        await self._perform(step, current, approval, times)

    async def _comes_to_words(self, seen: Observation) -> bool:
        """Wait until a page without words shows some, as one that is loading will; returns whether it does.

        An app that showed none in this time draws everything itself: it is not waited for again. On pages
        that never rest their words were awaited in vain before, and longer.

        Raises:
            PhoneError: the phone cannot be used.
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        if seen.app.package in self._wordless or not self.phone.may_get_tree(seen):
            return False
        end = time.monotonic() + _WORDS_AFTER
        while time.monotonic() < end:
            if not page_of(await self.observer.read_again()).once(tells_nothing):
                return True
            await self.control.run_cancellable(asyncio.sleep(_LOOK_INTERVAL))
        self._wordless.add(seen.app.package)
        return False

    def _hold_back(self, step: StoredStep, times: StepTimes, seen: Observation) -> bool:
        """Whether a step is refused that would save a page without what was said: they may let it pass."""
        if isinstance(step.action, TypeText):
            return self._hold_back_typing(step, step.action.text, times)
        target = step.action.target if isinstance(step.action, Click) else None
        words = next(reversed(self.prompter.unheeded), "")
        # Of several wishes some may belong to another page, where the model comes to them later.
        is_one_wish = len(split_parts(words)) < 2
        done = [each.deed_done for each in self.checkpointer.checkpoint.steps if not each.error]
        # Behind a deed, “Done” closes its receipt.
        saves = target is not None and not any(done[-1:]) and saves_page(target.label, seen)
        if target is None or not saves or not words or self._held_back.count(words) > is_one_wish:
            return False
        self.lifecycle.refuse_step(step, later("what you said is not in it"), times)
        self._held_back.append(words)
        if self._held_back.count(words) == 1:
            self.checkpointer.add_transient_notes(
                f"“{target.label}” was not pressed: nothing on the phone answers the user's “{words}”."
                " Do that first, if it belongs here."
            )
            return True
        sentence = _("“{label}” is not pressed: “{words}” is not in it.").format(
            label=shortened(target.label, MAX_HEADING_CELLS), words=words
        )
        hint = _("Say it otherwise, then press F5; F5 alone presses it as it stands.")
        self.lifecycle.pause_or_fail(Cause.APPROVAL, f"{sentence} {hint}", sentence)
        return True

    def _hold_back_typing(self, step: StoredStep, text: str, times: StepTimes) -> bool:
        words = repeats_remark(text, remarks_of(self.checkpointer.checkpoint))
        if not words or self._held_back.count(words) > 1:
            return False
        self.lifecycle.refuse_step(step, later("what you said to it is no text"), times)
        self._held_back.append(words)
        if self._held_back.count(words) == 1:
            self.checkpointer.add_transient_notes(
                f"“{text}” was not typed: the user said it to correct the task, which is stated above."
            )
            return True
        sentence = _("“{words}” is not typed: you said it to change the command.").format(words=words)
        hint = _("Say it otherwise, then press F5; F5 alone types it as it stands.")
        self.lifecycle.pause_or_fail(Cause.APPROVAL, f"{sentence} {hint}", sentence)
        return True

    def _latest_refusal(self) -> str:
        """Why the latest action that was tried was not done; that may need the user, as a phone's setting."""
        tried = next(
            (s for s in reversed(self.checkpointer.checkpoint.steps) if s.error != _LEADS_NOWHERE), None
        )
        return _(tried.error) if tried is not None and tried.error else ""

    async def _read_again(self, step: StoredStep, seen: Observation) -> Observation | None:
        """The screen right before the action; None if the action would now do something else than was judged.

        Before a deed the screen is always read anew. If its tree tells nothing, it cannot tell that the page
        is another one: then the screen must show, at several looks, what it did when the user was asked.
        Before another touch or typing it is only read anew where a screenshot shows that it moved since, as
        happens while the model thinks: what is typed may end with Enter, a scroll may begin on a slider.
        Of a harmless tap that is replayed it may be enough that a find shows its target at its place.

        Raises:
            PhoneError: the phone cannot be used.
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        action, deed, run = step.action, step.deed, self.control.run_cancellable
        if deed is None:
            if not isinstance(action, Click | LongClick | Swipe | Scroll | TypeText | PressEnter):
                return seen
            is_replayed = self.by_find and step.source is Source.REPLAYED
            touched = find_witness(seen, action.point) if is_replayed and isinstance(action, Click) else None
            if not await run(self.phone.moved_since(seen, touched, find_place(seen, action))):
                return seen
        elif page_of(window_of(seen, action, deed.package)).once(tells_nothing):
            if await run(self.phone.stands_still(seen)):
                return seen
            if not deed.from_picture:
                return None
        current = await self.observer.read_again(needs_tree=bool(seen.elements))
        action = with_target(action, current)
        strict = deed is not None
        risk = judge(action, current, strict=strict)
        changed = (risk is None) != (judge(step.action, seen, strict=strict) is None)
        if changed or current.app.package != seen.app.package:
            return None
        if not is_same_target(step.action.target, action.target):
            return None
        if risk is None or deed is None:
            return current
        # What a button does that no rule knows is told by who was asked; on the screen it is only in doubt.
        risk = replace(risk, kind=deed.kind) if risk.cue is Cue.STRICT else risk
        return current if is_same_deed(deed, make_deed(risk, action, current)) else None

    async def ask_user(self, step: StoredStep, question: str, times: StepTimes) -> None:
        """Ask the user the model's question, and add the answer to the turn's notes.

        Raises:
            Interrupted: the turn was paused or cancelled before the answer.
        """
        try:
            instruction = self.checkpointer.checkpoint.instruction
            answer = await self.prompter.ask_question(step, question, times, instruction)
        except Unattended as error:
            self.lifecycle.finish_step(step, times)
            self.lifecycle.end(Outcome.FAILED, str(error))
            return
        self.checkpointer.add_step(step)
        note = f"Asked “{question}”, the user answered “{answer}”. It counts where the order differs."
        self.checkpointer.add_user_words(answer, note, corrects=False)
        self.lifecycle.finish_step(step, times)
        self.loop_detector.reset()

    async def _get_approval(
        self, step: StoredStep, risk: Risk, observation: Observation, times: StepTimes
    ) -> Approval | None:
        """The approval of a deed; None if it was refused, which ends the step."""
        turn = self.checkpointer.checkpoint
        user_texts = [turn.said, turn.instruction, *(remark.text for remark in turn.remarks)]
        leftovers = warn_of_leftovers(step.deed, turn.steps, user_texts) if step.deed is not None else ""
        self.checkpointer.note_question(step)
        try:
            approval = await self.prompter.approve(step, risk, observation, times, leftovers=leftovers)
        except Unattended as error:
            self.lifecycle.finish_step(step.refused(later("nobody is there to approve it")), times)
            self.lifecycle.end(Outcome.FAILED, str(error))
            return None
        except RefusedBefore as error:
            self.lifecycle.refuse_step(step, Refusal.NOT_ALLOWED, times)
            self.control.begin_pause(Cause.APPROVAL, str(error))
            return None
        if approval.verdict not in (Verdict.NO, Verdict.INSTEAD):
            self.checkpointer.note_question(step, is_allowed=approval.by is ApprovedBy.USER)
            return approval
        self.lifecycle.refuse_step(step, Refusal.NOT_ALLOWED, times)
        if approval.verdict is Verdict.INSTEAD:
            self.checkpointer.add_user_words(approval.words, format_refusal_words(step, approval.words))
            self.loop_detector.reset()
        dialog = await self._answer_dialog(times) if approval.answers_dialog else ""
        if approval.verdict is Verdict.NO:
            refused = _("Not done: {what}.").format(what=shown(step.action, _))
            advice = _("Say what to do instead and press F5, or press Escape twice to end.")
            self.control.begin_pause(Cause.USER_PAUSED, " ".join(filter(None, (refused, dialog, advice))))
        return None

    async def _answer_dialog(self, times: StepTimes) -> str:
        """Give the user's no to a dialog of the system, too, as a step of theirs; what became of it."""
        try:
            current = await self.observer.read_again()
            denial = find_denial(current)
            if denial is None:
                return ""
            step = StoredStep(
                number=self.checkpointer.next_step,
                action=denial,
                source=Source.USER,
                app=current.app.name,
                package=current.app.package,
            )
            times = times.begin_next()
            self.lifecycle.begin_step(step)
            await self._perform(step, current, None, times)
            if find_denial(await self.observer.read_again()) is None:
                return _("Its dialog is answered with no: {what}.").format(what=shown(denial, _))
        except PhoneError:
            pass
        return _("Its dialog still stands on the phone.")

    async def _perform(
        self, step: StoredStep, observation: Observation, approval: Approval | None, times: StepTimes
    ) -> None:
        """Perform a step's action. A deed is stored as an intent before anything is sent to the phone."""
        self.control.set_cause(Cause.ACTING)
        action = step.action
        if isinstance(action, TypeText):
            try:
                action = self.secrets.fill_secrets(action, observation)
            except ActionRefused as refusal:
                self.lifecycle.refuse_step(step, str(refusal), times)
                return
        if step.deed is not None:
            await self.checkpointer.set_intent(step)
        await self.checkpointer.check_lease()
        try:
            await self.control.run_cancellable(
                self.phone.perform(action, observation), stop=self.phone.stop_actions
            )
        except ActionRefused as refusal:
            step = end_unclear(step, str(refusal))
        except Interrupted:
            step = step.refused(Refusal.INTERRUPTED)
        except asyncio.CancelledError:
            step = step.maybe_done(Refusal.MAYBE_DONE) if step.deed else step
            raise
        except PhoneError as error:
            lost = error.state is not PhoneState.NO_INPUT_PERMISSION
            step = step.maybe_done(Refusal.PHONE_LOST) if lost else step.refused(Refusal.PHONE_LOST)
            raise
        finally:
            if not step.error:
                self.observer.set_last_action(step.action)
                self.loop_detector.note_done()
            self._note_deed(step, observation, approval)
            # Stored before the step's event is emitted: the event's duration includes storing the step.
            self.checkpointer.add_step(step)
            self.lifecycle.finish_step(step, times)

    def _note_deed(self, step: StoredStep, observation: Observation, approval: Approval | None) -> None:
        """Log a deed that was or may have been done. Another action ends the stage of the deed before it."""
        deeds = self.prompter.deeds
        if (deed := step.deed_done) is not None and approval is not None:
            page = page_of(window_of(observation, step.action, deed.package))
            deeds.add(deed, page, action_key(step.action), approval.by)
            if deed.maybe:
                self.checkpointer.add_note(format_maybe_done(step))
        elif step.deed is None and not step.error and not isinstance(step.action, Wait):
            deeds.end_stage()
            deeds.running_for_user.note_touch(step.action, page_of(window_of(observation, step.action)))


MAX_HEADING_CELLS = 48
"""Longest heading, in terminal cells."""

_PAGE_SHARE = 0.85
"""Share of the screen from which a container is a whole page; smaller ones are dialogs, cards or rows."""

_IMAGE_CLASSES = ("ImageView", "ImageButton")


def find_heading(observation: Observation, element: Element, target: Target) -> str:
    """The heading of the dialog, sheet, card or row around an element, on one line and shortened.

    Taken from the smallest container that has text besides the element's own and that of other buttons:
    the text beside the element if any, otherwise the first text of the container. On a whole page the
    nearest text above the element is taken, except for an image whose id states its purpose, and unless that
    text is the name of a value. An input field whose text has no letters, such as an hour, has what stands
    beside it for its name. Empty if the element's own name is specific enough, or there is no text around it.
    """
    name_is_vague = says_little(target.name)
    holds_value = element.editable and not any(map(str.isalpha, target.name))
    if target.named and not (name_is_vague or holds_value):
        return ""
    children: dict[int, list[Element]] = defaultdict(list)
    for other in observation.elements:
        children[other.parent].append(other)
    inner = element
    for container in _containers(observation, element):
        # What stands in the inner one was looked at and taken for no heading.
        if labels := list(_labels_beside(inner, container, children, target)):
            if holds_value:
                heading = _nearest_beside(labels, element)
            else:
                heading = _choose_heading(
                    observation, element, container, labels, name_is_vague=name_is_vague
                )
            return shortened(" ".join(_visible_text(heading).split()), MAX_HEADING_CELLS) if heading else ""
        inner = container
    return ""


def _labels_beside(
    inner: Element, container: Element, children: Mapping[int, Sequence[Element]], target: Target
) -> Iterator[Element]:
    """The texts in a container outside of an element in it, without the names of other buttons.

    In document order. A button with a vague name, such as “Later”, usually stands among other buttons; an
    image, such as ×, may stand in a row that is itself clickable.
    """
    below: list[tuple[Element, Element | None]] = [
        (child, None) for child in reversed(children.get(container.index, ())) if child.index != inner.index
    ]
    while below:
        label, button = below.pop()
        button = label if label.clickable else button
        of_button = button and (target.named or button.class_name.endswith("Button") or not label.text)
        if not of_button and _has_meaningful_text(label):
            yield label
        below.extend((child, button) for child in reversed(children.get(label.index, ())))


def _containers(observation: Observation, element: Element) -> Iterator[Element]:
    """The containers of an element, the smallest first."""
    while element.parent >= 0:
        element = observation.elements[element.parent]
        yield element


def _choose_heading(
    observation: Observation,
    element: Element,
    container: Element,
    labels: list[Element],
    *,
    name_is_vague: bool,
) -> Element | None:
    if beside := _nearest_beside(labels, element):
        return beside
    y = element.bounds.centre[1]
    above = [label for label in labels if label.bounds.bottom <= y]
    if container.bounds.area > _PAGE_SHARE * observation.width * observation.height:
        if not name_is_vague:
            return None
        if above:
            nearest = max(above, key=lambda label: (label.bounds.bottom, -label.bounds.left))
            return None if _names_value(nearest, observation) else nearest
    return min(above or labels, key=lambda label: (label.bounds.top, label.bounds.left))


def _nearest_beside(labels: Iterable[Element], element: Element) -> Element | None:
    """The label that begins last of those to the left of an element, in its row."""
    x, y = element.bounds.centre
    beside = [
        label for label in labels if label.bounds.top <= y < label.bounds.bottom and label.bounds.left < x
    ]
    return max(beside, key=lambda label: (label.bounds.left, -label.bounds.top), default=None)


def _names_value(label: Element, observation: Observation) -> bool:
    """Whether a text stands in one row with another one or a field, as the name of a setting does."""
    y = label.bounds.centre[1]
    return any(
        other.index != label.index
        and other.bounds.top <= y < other.bounds.bottom
        and (other.bounds.left >= label.bounds.right or other.bounds.right <= label.bounds.left)
        and (other.editable or (bool(_visible_text(other)) and not other.clickable))
        for other in observation.elements
    )


def _has_meaningful_text(element: Element) -> bool:
    text = _visible_text(element)
    return any(character.isalpha() for character in text) and not says_little(text)


def _visible_text(element: Element) -> str:
    """The text of an element; empty for input fields, and for images without text."""
    if element.editable or element.password:
        return ""
    return element.text or ("" if element.class_name.endswith(_IMAGE_CLASSES) else element.description)


def with_target(action: Action, observation: Observation) -> Action:
    """The action with the element that it targets on this screen."""
    match action:
        case Click(point=point) | LongClick(point=point):
            return action.model_copy(update={"target": find_target(point, observation)})
        case TypeText() | ClearText() | PressEnter():
            focused = observation.focused_field()
            return action.model_copy(update={"target": focused.target() if focused else None})
        case _:
            return action


def find_target(point: Point, observation: Observation) -> Target | None:
    """The target at a point; with the heading around it if its own name is too vague."""
    element = observation.element_at(point)
    if element is None:
        return None
    target = observation.target_of(element)
    around = find_heading(observation, element, target)
    return target.model_copy(update={"around": around}) if around else target


class SecretInjector:
    """Inserts the values of secrets in one turn, and hides the values that were typed.

    Args:
        secrets: the user's secrets; None if the turn must not use any.
    """

    def __init__(self, secrets: NamedSecrets | None) -> None:
        self._secrets = secrets
        self._typed_values: set[str] = set()
        self.names: tuple[str, ...] = ()
        if secrets is not None:
            with suppress(SecretError):
                self.names = tuple(secrets.names())

    @property
    def are_typed(self) -> bool:
        """Whether a secret was typed in this turn, so that screens must be searched for it."""
        return bool(self._typed_values)

    def fill_secrets(self, action: TypeText, observation: Observation) -> TypeText:
        """The action with the references to secrets replaced by their values.

        Raises:
            ActionRefused: there is no such secret, or the focused field is not a password field.
        """
        values = {name: self._load_value(name) for name in find_secret_names(action.text)}
        if not values:
            return action
        field = observation.focused_field()
        if field is None or not field.password:
            raise ActionRefused(Refusal.NO_PASSWORD_FIELD)
        self._typed_values |= set(values.values())
        return action.model_copy(
            update={"text": SECRET_REFERENCE.sub(lambda match: values[match[1]], action.text)}
        )

    def hide_typed(self, observation: Observation) -> Observation:
        """The observation with the secrets that were typed in this turn hidden. Slow where it shows one."""
        return hide_values(observation, self._typed_values) if self._typed_values else observation

    async def hide_secrets(self, observation: Observation) -> Observation:
        """The same, in a thread."""
        return await asyncio.to_thread(self.hide_typed, observation) if self._typed_values else observation

    def _load_value(self, name: str) -> str:
        try:
            value = self._secrets.get(name) if self._secrets else None
        except SecretError as error:
            raise ActionRefused(str(error)) from error
        if not value:
            raise ActionRefused(Refusal.NO_SECRET.format(name=name))
        return value
