"""Experience templates (MobiMem 4.2): a plan with slots, and below it the steps as they were performed.

A trace is a turn that ended well: its actions, and the screen before each. One trace and its instruction make
a template; more of its kind confirm it, widen its slots, or tell which steps are optional.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from urllib.parse import quote, unquote

from pydantic import AwareDatetime, BaseModel, ConfigDict

from assistant.events import ActionKind
from assistant.i18n import _
from assistant.memory.prototypes.similarity import wants_answer
from assistant.memory.turns import StoredStep, Trace
from assistant.records import (
    Action,
    Click,
    LongClick,
    Observation,
    OpenApp,
    TypeText,
    describe,
    says_little,
)
from assistant.safety.classifier import judge
from assistant.skills.matcher import TargetRefused, find_again
from assistant.skills.screen_tree import AnswerReading, key_of, learn_reading, tree_of
from assistant.skills.skill_step import (
    MAP,
    MOVES,
    WEB,
    ScreenRef,
    SkillStep,
    address_opened,
    heads_of,
    intent_address,
    kept_steps,
    repeatable_step,
    settings_title,
    shortcut_of,
    shows_address,
    shows_search,
    web_address,
)
from assistant.skills.slots import (
    EDGES,
    Pattern,
    Slot,
    in_slots,
    is_argument,
    is_own_name,
    is_said,
    learn_pattern,
    names_day,
    same_value,
)

PROBATION_RUNS = 2
"""Turns that used a template and ended well, by the second look, after which it is trusted: every step led
where expected and none was set right. The turn that taught it does not count: it cannot confirm itself."""

MAX_FAILURES = 2
"""Failures in a row that retire a template: one may lie in what was asked for, as a dish that is sold out."""


class SkillState(StrEnum):
    """How far a template is trusted. A retired one is kept, and no longer used."""

    PROBATION = "probation"
    TRUSTED = "trusted"
    RETIRED = "retired"


class SkillSource(StrEnum):
    """Where a template comes from."""

    LEARNT = "learnt"
    SHOWN = "shown"
    WRITTEN = "written"


_SAME_ANSWERS = 2
"""Turns in a row that end in the same words, or find them in one place, until memory says them itself."""

_UNSEEN_ENDS = {SkillState.TRUSTED: 9, SkillState.PROBATION: 1}
"""How many turns in a row may end without a look of the model, although memory knows the end."""


class SkillTemplate(BaseModel):
    """A kind of order that the assistant has learnt to carry out.

    `evidence` are the records it rests on. `runs` counts the turns that used it and ended well, `replayed`
    the steps of these that no model was asked for, `failures` the turns in a row that did not end well.
    `answer` is what the model said at the end, with slots, and `answers` how many turns in a row ended in
    these words. `unseen` counts the turns in a row whose end no model looked at. `reading` is where on the
    last page the model found the answer, and `readings` how many turns in a row it was there.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    user_id: str
    name: str
    pattern: Pattern
    steps: tuple[SkillStep, ...] = ()
    app: str = ""
    package: str = ""
    state: SkillState = SkillState.PROBATION
    source: SkillSource = SkillSource.LEARNT
    made: AwareDatetime
    evidence: tuple[str, ...] = ()
    runs: int = 0
    failures: int = 0
    replayed: int = 0
    notes: str = ""
    answer: str = ""
    answers: int = 0
    unseen: int = 0
    reading: AnswerReading | None = None
    readings: int = 0

    @property
    def plan(self) -> tuple[str, ...]:
        """The task plan: each step in words with its slots."""
        return tuple(step.words() for step in self.steps)

    @property
    def main_steps(self) -> tuple[SkillStep, ...]:
        """The steps that say what is done rather than how: apps opened, values used, texts typed, the end."""
        tells = [bool(step.slot) or isinstance(step.action, OpenApp | TypeText) for step in self.steps]
        return tuple(s for s, main in zip(self.steps, tells, strict=True) if main or s is self.steps[-1])

    def way_to(self, address: str) -> tuple[SkillStep, ...]:
        """The steps that lead to the page at an address without the intent; none where none do."""
        kind = shortcut_of(address)
        ends = [place for place, step in enumerate(self.steps) if step.shortcut == kind]
        starts = [place for place, step in enumerate(self.steps) if isinstance(step.action, OpenApp)]
        start = max((place for place in starts if ends and place < ends[-1]), default=-1)
        return self.steps[start : ends[-1] + 1] if start >= 0 else ()

    @property
    def opening(self) -> SkillStep | None:
        """What opens the app of a template whose first step was performed within; else None.

        It leads to the page of the first step, as far as Back does.
        """
        page = self.steps[0].before if self.steps else None
        name = self.app or self.package
        if page is None or isinstance(self.steps[0].action, OpenApp) or not name:
            return None
        return SkillStep(action=OpenApp(name=name), before=page, after=page)

    @property
    def is_passing(self) -> bool:
        """Whether nothing can repeat it: a text was made up for its day, or its answer is on no one page."""
        order, is_made_up = self.pattern.said(), any(s.is_withheld and not s.optional for s in self.steps)
        is_unread = bool(self.answer) and self.reading is None
        return (names_day(order) and is_made_up) or (is_unread and wants_answer(order))

    @property
    def knows_answer(self) -> bool:
        """Whether its turns ended in the same words often enough for memory to say them."""
        return self.answers >= _SAME_ANSWERS

    @property
    def knows_place_of_answer(self) -> bool:
        """Whether its turns found the answer in the same place often enough for memory to read it there."""
        return self.readings >= _SAME_ANSWERS

    @property
    def is_look_due(self) -> bool:
        """Whether the model looks at the end of the next turn, although memory knows it."""
        return self.unseen >= _UNSEEN_ENDS.get(self.state, 0)

    @property
    def last_page(self) -> ScreenRef | None:
        """The screen to which the last step led that every turn does."""
        return next((step.after for step in reversed(self.steps) if not step.optional), None)

    @property
    def opened(self) -> str:
        """What the element said that was tapped last, buttons such as “OK” apart."""
        taps = [s.action.target for s in reversed(self.steps) if isinstance(s.action, Click)]
        return next((tap.label for tap in taps if tap and not says_little(tap.label)), "")

    def why_not(self, values: Mapping[str, str], start: int = 1, until: int | None = None) -> str:
        """Why it cannot be carried out with these values, or this part of it; empty where it can.

        Args:
            values: those of its slots, by default the ones it was learnt with.
            start: the first step, from 1.
            until: the last step; None for all.
        """
        values_by_slot, slots = self.filled(values), [slot.name for slot in self.pattern.slots]
        if unknown := sorted(set(values) - set(slots)):
            names = ", ".join(slots) or _("none")
            return _("There is no slot {name}. Slots: {known}").format(name=unknown[0], known=names)
        if missing := next((s.name for s in self.pattern.slots if not values_by_slot.get(s.name)), ""):
            return _("Give a value: --set {slot}=…").format(slot=missing)
        if max(start, until or 0) > max(1, len(self.steps)):
            return _("The skill has {count} steps.").format(count=len(self.steps))
        return _("--from comes after --until.") if until is not None and start > until else ""

    def filled(self, values: Mapping[str, str]) -> dict[str, str]:
        """The values of all slots, by default those they were learnt with."""
        return {slot.name: slot.example for slot in self.pattern.slots} | dict(values)

    def ran(
        self,
        *,
        well: bool,
        as_expected: bool,
        replayed: int,
        claimed: bool = False,
        confirmed: Collection[int] = (),
    ) -> SkillTemplate:
        """The template after a turn that used it.

        Args:
            well: the turn ended right, by its second look.
            as_expected: every replayed step led where it had led before, and the model set nothing right.
            replayed: how many steps were replayed.
            claimed: memory itself saw the end, so that the turn confirms nothing.
            confirmed: the places of the steps that led where they had led, or that the model chose as well.
        """
        if not well:
            failures = self.failures + 1
            state = SkillState.RETIRED if failures >= MAX_FAILURES else self.state
            return self.model_copy(update={"failures": failures, "state": state})
        on_probation = self.state is SkillState.PROBATION
        runs = self.runs + bool(as_expected and replayed and not (claimed and on_probation))
        steps = tuple(
            step.model_copy(update={"confirmed": step.confirmed + (place in confirmed and not claimed)})
            for place, step in enumerate(self.steps)
        )
        changes = {
            "runs": runs,
            "failures": 0,
            "state": SkillState.TRUSTED if on_probation and runs >= PROBATION_RUNS else self.state,
            "replayed": self.replayed + replayed,
            "steps": steps,
            "unseen": self.unseen + 1 if claimed else 0,
        }
        return self.model_copy(update=changes)


def with_steps_of_user(
    template: SkillTemplate, before: SkillTemplate, written: Sequence[tuple[SkillStep, int]]
) -> SkillTemplate:
    """A template with the steps that its user wrote; those that it had keep their recorded screens.

    It is on probation again: what its old way has proved counts for no other one.

    Args:
        template: with its new order and app.
        before: as it was, which is returned where nothing differs.
        written: each step, and its place among those of the template; -1 where it is new.
    """
    whole, steps = list[tuple[SkillStep, int]](), list[SkillStep]()
    for step, place in written:
        if place > 0 and template.steps[place - 1].closes_over:
            # Nobody sees the step that only puts a keyboard away: it goes with the one behind it.
            whole.append((template.steps[place - 1], place - 1))
        whole.append((step, place))
    for number, (step, place) in enumerate(whole):
        following, next_place = whole[number + 1] if number + 1 < len(whole) else (None, -1)
        update: dict[str, object] = {}
        if place >= 0 and following is not None and next_place not in (-1, place + 1):
            # Without what stood between them it leads to the page of the one behind it, or the model goes on.
            update["after"] = following.before or step.after
        if [each for _step, each in whole[: number + 1]] != list(range(number + 1)):
            # An intent would pass over what was put in its way.
            update["shortcut"] = ""
        steps.append(step.model_copy(update=update))
    own = (tuple(steps), template.pattern, template.app, template.package)
    if own == (before.steps, before.pattern, before.app, before.package):
        return before
    is_named_by_order = before.name == before.pattern.text
    changes = {
        "name": template.pattern.text if is_named_by_order else before.name,
        "steps": tuple(step.model_copy(update={"confirmed": 0}) for step in steps),
        "state": before.state if before.state is SkillState.RETIRED else SkillState.PROBATION,
        "source": SkillSource.SHOWN if before.source is SkillSource.LEARNT else before.source,
        "runs": 0,
        "failures": 0,
        "answer": "",
        "answers": 0,
        "unseen": 0,
        "reading": None,
        "readings": 0,
    }
    return template.model_copy(update=changes)


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """What a replay would do at one step, as far as that can be told without the phone.

    Attributes:
        text: the step in words, with the value of now.
        slot: the slot that it uses, with that `value`; empty for none.
        why_model: why the model takes it; empty where memory does.
        asks: the kind of deed before which the user is asked; None for none.
        is_optional: it is done only where it comes up.
    """

    text: str
    slot: str = ""
    value: str = ""
    why_model: str = ""
    asks: ActionKind | None = None
    is_optional: bool = False


def plan_replay(
    screen: Callable[[ScreenRef | None], Observation | None],
    template: SkillTemplate,
    values: Mapping[str, str],
    day: date,
    until: int | None = None,
    translated: Callable[[str], str] = str,
) -> list[PlannedStep]:
    """What a replay would do, step by step, by the pages that the memory keeps.

    Args:
        screen: gives a recorded page, as far as the memory has it.
        template: the skill, or a past turn as one.
        values: those of its slots.
        day: today.
        until: the last step of a part; None for all. The deeds of a part are the model's.
        translated: what words of the program are in the language of the steps.
    """
    plan, agreed = list[PlannedStep](), set[ActionKind]()
    for step in template.steps[:until]:
        page, value = screen(step.before), values.get(step.slot, "")
        action = step.with_value(step.text_for(value)) if value else step.with_value(step.title)
        risk = judge(step.action, page) if page is not None else None
        reason = _why_model(template, step, values, day, page)
        if risk is not None and not reason and risk.kind not in agreed:
            is_known = until is None and (template.state is SkillState.TRUSTED or bool(step.confirmed))
            reason = "" if is_known else _("the first deed of a skill on probation")
            agreed.add(risk.kind)
        text = describe(action, translated) if value else step.words(translated)
        asks = risk.kind if risk is not None else None
        plan.append(PlannedStep(text, step.slot, value, reason, asks, step.optional))
    return plan


def _why_model(
    template: SkillTemplate, step: SkillStep, values: Mapping[str, str], day: date, page: Observation | None
) -> str:
    """Why the model takes a step on its recorded page, with these values; empty where memory does."""
    if step.is_withheld:
        return _("what was typed there is not recorded")
    if step.slot and not values.get(step.slot):
        return _("no value is given for {slot}").format(slot=step.slot)
    if step.day not in (None, day):
        return _("it used a date, and holds on that day only")
    if not step.slot and template.pattern.names_value_of_then(step.title, values):
        return _("it names the value of then")
    point = getattr(step.action, "point", None)
    if page is None or point is None:
        is_lost = page is None and step.before is not None and not isinstance(step.action, OpenApp)
        return _("its page is not kept any more") if is_lost else ""
    try:
        match = find_again(tree_of(page), point, tree_of(page))
    except TargetRefused as refusal:
        return str(refusal)
    return "" if match.is_repeated else _("its target is known by its place alone")


def learn_template(
    trace: Trace, *, source: SkillSource = SkillSource.LEARNT, like: SkillTemplate | None = None
) -> SkillTemplate | None:
    """The template of one trace and its instruction; None where it holds no step that could be repeated.

    Where the turn used a template, `like`, the steps for which it took a shortcut are among them.
    """
    pairs = kept_steps(trace)
    if not pairs or all(isinstance(step.action, MOVES) for step in trace.steps):
        return None
    done = _with_presets([(step, repeatable_step(trace, step, after)) for step, after in pairs], trace)
    kept, performed = [step for step, _repeated in done], [step for _stored, step in done]
    labels = [_labels(step, trace) for step in performed]
    typed = {step.value.strip().casefold() for step in performed if isinstance(step.action, TypeText)}
    values = [
        value
        for step, words in zip(performed, labels, strict=True)
        for value in words
        if isinstance(step.action, TypeText | OpenApp) or is_own_name(trace.instruction, value, typed)
    ]
    choices = _chosen_values(performed, trace)
    withheld = [step for step in performed if step.is_withheld and not step.optional]
    unrecorded = _text_to_the_end(trace.instruction, (*values, *choices)) if len(withheld) == 1 else ""
    options = {value: all_of for value, all_of in choices.items() if value not in values}
    sought = [*values, unrecorded, *trace.named]
    pattern = learn_pattern(trace.instruction, sought, options)
    # In “the Wi-Fi Alpha” the first word was tapped as an entry of a menu.
    heads = {value for value in pattern.heads() if value.casefold() not in typed} - {*trace.named, *options}
    if heads:
        pattern = learn_pattern(trace.instruction, [each for each in sought if each not in heads], options)
    pattern = pattern.named(trace.named)
    steps = tuple(
        _dated(_bound(step, words or [unrecorded] * (step in withheld), pattern.slots), trace)
        for step, words in zip(performed, labels, strict=True)
    )
    if source is SkillSource.LEARNT:
        anew = SkillStep(action=TypeText(text=""))
        steps = tuple(anew if step.types_beyond(trace.instruction) else step for step in steps)
    steps = _with_shortcuts(steps, kept, trace)
    steps = _with_skipped(steps, trace.instruction, like) if like is not None else steps
    addresses = [step.action.at for step in steps if isinstance(step.action, OpenApp) and not step.slot]
    if any(":" in address and not web_address(address) for address in addresses):
        return None  # The address belongs to this one order.
    app, package = _app_of(kept, performed, steps)
    return SkillTemplate(
        id=f"skill-{trace.turn_id}",
        user_id=trace.user_id,
        name=pattern.text,
        pattern=pattern,
        steps=steps,
        app=app,
        package=package,
        source=source,
        made=trace.started,
        evidence=(trace.turn_id,),
        answer=in_slots(trace.answer, {slot.name: slot.example for slot in pattern.slots}),
        answers=1,
        reading=answer_reading(trace, {slot.name: slot.example for slot in pattern.slots}),
        readings=1,
    )


def _app_of(
    kept: Sequence[StoredStep], performed: Sequence[SkillStep], steps: Sequence[SkillStep]
) -> tuple[str, str]:
    """The app in which most of some steps are done, by name and package."""
    inside = [k for k, step in zip(kept, performed, strict=True) if not isinstance(step.action, OpenApp)]
    packages = [step.package for step in inside or kept if step.package]
    package = max(packages, key=packages.count, default="")
    opened = [step.action.name for step in steps if isinstance(step.action, OpenApp)]
    names = (step.app for step in reversed(kept) if step.package == package and step.app != package)
    return next(names, "") or (opened[0] if len(opened) == 1 else package), package


def _with_shortcuts(
    steps: Sequence[SkillStep], stored: Sequence[StoredStep], trace: Trace
) -> tuple[SkillStep, ...]:
    """The steps, with the shortcuts to the pages to which nothing but a way through their app led."""
    marked: list[SkillStep] = []
    way: list[tuple[Action, Observation | None, Observation | None]] | None = None
    for step, done in zip(steps, stored, strict=True):
        is_way = done.kind is None and not (step.preset or step.optional or step.is_withheld)
        if isinstance(step.action, OpenApp):
            way = None if step.action.at else []
        elif way is not None and is_way and (isinstance(step.action, TypeText) or not step.slot):
            before, after = (
                trace.screens.get(ref.step) if ref is not None else None for ref in (step.before, step.after)
            )
            way.append((step.action, before, after))
        else:
            way = None
        marked.append(step.model_copy(update={"shortcut": address_opened(way) if way else ""}))
    return tuple(marked)


def opening(step: SkillStep, values: Mapping[str, str], screen: Observation) -> Action | None:
    """What a step does that opens an app; None where its address may do more than show something."""
    if not isinstance(step.action, OpenApp) or not step.action.at:
        return step.action
    value = values.get(step.slot, "")
    if step.slot and not value:
        return None
    action = step.with_value(quote(value, safe=""))
    return action if judge(action, screen) is None else None


def shortcut_ahead(
    steps: Sequence[SkillStep], place: int, values: Mapping[str, str], screen: Observation
) -> tuple[int, OpenApp] | None:
    """The farthest page to which an intent leads in place of opening an app: that behind which step.

    None where there is none that only shows something.
    """
    opens = steps[place].action
    if not isinstance(opens, OpenApp) or opens.at:
        return None
    text, farthest = "", None
    for ahead in range(place + 1, len(steps)):
        step = steps[ahead]
        if isinstance(step.action, OpenApp):
            break
        if isinstance(step.action, TypeText):
            text = step.text_for(values.get(step.slot, "")) if step.slot else step.value
        address = intent_address(step.shortcut, text)
        intent = OpenApp(name=opens.name, at=address)
        if address and judge(intent, screen) is None:
            farthest = ahead, intent
    return farthest


def shows_same_page(step: SkillStep, intent: OpenApp, recorded: Observation, screen: Observation) -> bool:
    """Whether an intent led to the page to which a step had led."""
    if not key_of(recorded).is_like(key_of(screen)):
        return False
    if step.shortcut in (WEB, MAP):
        return (shows_address if step.shortcut == WEB else shows_search)(screen, intent.at)
    title = settings_title(recorded)
    return bool(title) and title == settings_title(screen)


def _with_skipped(steps: Sequence[SkillStep], instruction: str, like: SkillTemplate) -> tuple[SkillStep, ...]:
    """The steps with those of a template in the place of the intents that it used for them."""
    values, whole = like.pattern.fill(instruction) or {}, list[SkillStep]()
    for step in steps:
        way = like.way_to(step.action.at) if isinstance(step.action, OpenApp) and step.action.at else ()
        whole += [skipped.now(values) for skipped in way] or [step]
    return tuple(whole)


def answer_reading(trace: Trace, values: Mapping[str, str]) -> AnswerReading | None:
    """How the answer of a turn can be read from its last screen; None where it cannot."""
    screen = trace.last_screen
    if screen is None or screen.secure:
        return None
    instruction = trace.instruction
    for value in values.values():
        instruction = instruction.replace(value, " ") if value else instruction
    tree = tree_of(screen)
    # A whole text of the page may name a value and yet be another one next time.
    verbatim = learn_reading(trace.answer, tree, instruction)
    if verbatim is not None and verbatim.is_of_sentences:
        return verbatim
    return learn_reading(in_slots(trace.answer, values), tree, instruction)


def _labels(step: SkillStep, trace: Trace) -> list[str]:
    """What a step may owe to the instruction: typed text, or what the tapped row says, its title first."""
    if isinstance(step.action, TypeText):
        return [step.value] if step.value else []
    if not isinstance(step.action, Click | LongClick):
        return _address_parts(getattr(step.action, "at", ""))
    screen = trace.screens.get(step.before.step) if step.before is not None else None
    if screen is None or step.before is None:
        return [] if says_little(step.value) else [step.value]
    tree = tree_of(screen)
    touched = tree.touched(step.action.point)
    if touched is None or touched.editable:
        return []
    words = [word for label in tree.content(touched.index) for word in label if word != screen.app.label]
    names = [word for word in dict.fromkeys(words) if word and not says_little(word)]
    kind, title = tree.kind(touched.index), tree.title(touched.index)
    later = [tree_of(trace.screens[number]) for number in trace.screens if number > step.before.step]
    shown = [
        {word for label in page.content(index) for word in label}
        for page in later
        for index in page.by_kind.get(kind, [])
        if page.title(index) == title
    ]
    # What a row says behind its title is the value of a field where it says something else later.
    return [word for word in names if word == title or all(word in texts for texts in shown)]


def _chosen_values(steps: Sequence[SkillStep], trace: Trace) -> dict[str, tuple[str, ...]]:
    """The values of the instruction that steps chose among some, each with all that were offered.

    A tab, an entry of a menu or a row that leads on may be named as well, and is a word of the app: only what
    is marked as chosen, or what a field shows that it did not show before, is a value.
    """
    chosen = {}
    for place, step in enumerate(steps):
        here, there = (
            trace.screens.get(ref.step) if ref is not None else None for ref in (step.before, step.after)
        )
        if here is None or there is None or not isinstance(step.action, Click):
            continue
        tree, after = tree_of(here), tree_of(there)
        touched = tree.touched(step.action.point)
        title = tree.title(touched.index) if touched is not None else ""
        options = tree.alternatives(touched.index) if touched is not None and title != here.app.label else {}
        if touched is None or title not in options or not is_argument(trace.instruction, title):
            continue
        if key_of(here).is_like(key_of(there)):
            kind = tree.kind(touched.index)
            same = [index for index in after.by_kind.get(kind, []) if after.title(index) == title]
            was_on = not step.preset and tree.is_on(touched)
            is_choice = not was_on and any(after.is_on(after.elements[index]) for index in same)
        else:
            is_choice = _fills_field(title, here, there, steps[:place], trace)
        if is_choice:
            chosen[title] = tuple(options)
    return chosen


def _fills_field(
    title: str, here: Observation, there: Observation, steps: Sequence[SkillStep], trace: Trace
) -> bool:
    """Whether a tap led back to the page that opened the list, where the tapped title stands now."""
    screens = [trace.screens.get(step.before.step) for step in reversed(steps) if step.before is not None]
    page = next((screen for screen in screens if screen and not key_of(screen).is_like(key_of(here))), None)
    if page is None or not key_of(page).is_like(key_of(there)):
        return False
    before, now = (tree_of(screen).text.split("\n") for screen in (page, there))
    return title.casefold() in now and title.casefold() not in before


def _with_presets(
    done: Sequence[tuple[StoredStep, SkillStep]], trace: Trace
) -> list[tuple[StoredStep, SkillStep]]:
    """The steps, and before them one for each value of the instruction that stood chosen on their page.

    A value stands chosen where it alone is checked, or selected, among its like. What the app or its page is
    called is a tab of it, and no value.
    """
    kept: list[tuple[StoredStep, SkillStep]] = []
    titles = {step.title.casefold() for _stored, step in done}
    for stored, step in reversed(done):
        kept.append((stored, step))
        screen = trace.screens.get(step.before.step) if step.before is not None else None
        if screen is None:
            continue
        tree, names = tree_of(screen), {screen.app.label, *heads_of(screen)[:1]}
        for element in tree.elements:
            title = tree.title(element.index) if element.clickable and not element.editable else ""
            is_tab = title in names or title.casefold() in titles
            if not title or is_tab or not is_argument(trace.instruction, title):
                continue
            titles.add(title.casefold())
            options = tree.alternatives(element.index)
            if [name for name in options if tree.is_on(tree.elements[options[name]])] != [title]:
                continue
            point = screen.point(*element.bounds.centre)
            touched = tree.touched(point)
            if touched is not None and touched.index == element.index:
                tap = Click(point=point, target=screen.target_at(point))
                preset = SkillStep(action=tap, before=step.before, after=step.before, preset=True)
                kept.append((stored, preset))
    return kept[::-1]


def _bound(step: SkillStep, labels: Sequence[str], slots: Sequence[Slot]) -> SkillStep:
    """A step with the slot that it used: one that it says, or that its title holds.

    A row whose title holds a value stands for this value, and must not be tapped for another.
    """
    if isinstance(step.action, OpenApp) and step.action.at:
        at, name = _in_address(step.action.at, slots)
        text = f"{{{name}}}" if name else ""
        action = step.action.model_copy(update={"at": at})
        return step.model_copy(update={"action": action, "slot": name, "bound": text, "example": text})
    for slot in slots:
        whole = next((label for label in labels if same_value(label, slot.example)), "")
        title = next((label for label in labels[:1] if is_said(label, slot.example)), "")
        if whole or title:
            # What is not recorded is not typed from the instruction either, which it need not be.
            bound = "" if step.is_withheld else whole or title
            return step.model_copy(update={"slot": slot.name, "bound": bound, "example": slot.example})
    return step


def _address_parts(address: str) -> list[str]:
    """What an address is made of, as it reads: any part may be a value."""
    return [unquote(part) for part in re.split(r"[:/?&=#]+", address) if part]


def _in_address(address: str, slots: Iterable[Slot]) -> tuple[str, str]:
    """An address with a slot in the place of its value, and the slot's name; empty where it has none's."""
    for slot in slots:
        for value in (quote(slot.example, safe=""), slot.example):
            if value and value in address:
                return address.replace(value, f"{{{slot.name}}}"), slot.name
    return address, ""


def _text_to_the_end(instruction: str, values: Iterable[str]) -> str:
    """What an instruction says behind its last colon or in its last quotes, where none of some values stands.

    Empty where there is no such text.
    """
    match = _QUOTED_END.search(instruction)
    text = match["text"].strip(EDGES) if match is not None else ""
    return "" if any(is_said(text, value) for value in values) else text


_QUOTED_END = re.compile(r"(?:[:：]|[\"“「『‘])\s*(?P<text>[^:：\"“”「」『』‘]+?)[\"”」』’]?\s*[.。!！]?\s*$")


def _dated(step: SkillStep, trace: Trace) -> SkillStep:
    """A step with the day it was performed on, where it used a date that the instruction does not say."""
    if step.slot or not names_day(step.value) or is_said(trace.instruction, step.title):
        return step
    return step.model_copy(update={"day": trace.started.date()})
