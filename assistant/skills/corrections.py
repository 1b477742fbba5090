"""What later turns say about a skill: corrections, pages in between, the screens of written steps.

Of pages in between, those are told that come and stay away by themselves, and a dialog about the app itself.

A corrected turn (MobiMem 5.3) holds both: the steps up to the words or the hand of the user, and those after
it. The mistake is what was taken back: all that was done in another app, or the last choice on the page to
which the turn returned. Without it the steps are the way that the user wanted. Compared with the plan of the
skill that was repeated, it shows whether the plan was wrong, or the user wished for something else than said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from assistant.events import ActionKind
from assistant.files import compile_words, read_words
from assistant.i18n import _
from assistant.memory.turns import StoredStep, Trace
from assistant.records import (
    Action,
    Bounds,
    ClearText,
    Click,
    Element,
    Finished,
    LongClick,
    Observation,
    OpenApp,
    Point,
    PressBack,
    PressHome,
    Scroll,
    Source,
    Swipe,
    TakeOver,
    TypeText,
    Wait,
    says_little,
)
from assistant.safety.classifier import judge
from assistant.safety.secret_entry import takes_secret
from assistant.skills.matcher import names_label
from assistant.skills.screen_tree import AnswerReading, ScreenTree, key_of, tree_of
from assistant.skills.skill_step import ScreenRef, SkillStep
from assistant.skills.slots import Pattern, in_slots, is_said, learn_from_two, same_value
from assistant.skills.template import SkillTemplate, answer_reading, learn_template

_ON_THE_WAY_BACK = (PressBack, PressHome, Wait)


@dataclass(frozen=True, slots=True)
class Deviation:
    """The first place where the corrected way differs from the plan: the step of each, in words.

    Either is empty where the one way has a step that the other lacks. `changed_wish` says that the plan did
    what the instruction says, and the user then wanted another value.
    """

    place: int
    planned: str = ""
    corrected: str = ""
    changed_wish: bool = False

    def reason(self) -> str:
        """The deviation in words, for the audit."""
        if self.planned and self.corrected:
            return f"the user corrected a turn: “{self.corrected}” instead of “{self.planned}”"
        if self.planned:
            return f"the user corrected a turn: without “{self.planned}”"
        return f"the user corrected a turn: “{self.corrected}” was missing"


def without_mistakes(trace: Trace) -> Trace:
    """The trace of a corrected turn without what the user had it take back."""
    steps = list(trace.steps)
    for number in trace.cut_ins:
        place = next((place for place, step in enumerate(steps) if step.number >= number), len(steps))
        steps = _without_mistake(trace, steps, place)
    return trace.model_copy(update={"steps": tuple(steps)})


def find_deviation(template: SkillTemplate, corrected: SkillTemplate, trace: Trace) -> Deviation | None:
    """Where the corrected way leaves the plan; None where both are the same.

    Args:
        template: the skill that was repeated.
        corrected: the skill that the trace without its mistakes makes.
        trace: the corrected turn.
    """
    values = template.pattern.fill(trace.instruction) or {}
    plan, way = ([step for step in each.steps if not step.closes_over] for each in (template, corrected))
    for place in range(max(len(plan), len(way))):
        planned = plan[place] if place < len(plan) else None
        done = way[place] if place < len(way) else None
        value = values.get(planned.slot, "") if planned is not None else ""
        if planned is not None and done is not None and _is_same_step(planned, done, value):
            continue
        changed_wish = (
            planned is not None
            and done is not None
            and bool(value)
            and _is_same_kind(planned.action, done.action)
            and not is_said(trace.instruction, done.title)
        )
        return Deviation(
            place,
            planned.words() if planned is not None else "",
            done.words() if done is not None else "",
            changed_wish,
        )
    return None


def with_branches(template: SkillTemplate, trace: Trace) -> SkillTemplate | None:
    """The template with what a turn that used it did besides: steps at pages that came in between, optional.

    None where the turn did not do all that the template says.
    """
    values, done = template.pattern.fill(trace.instruction), learn_template(trace, like=template)
    if values is None or done is None:
        return None
    rest, steps, left_out = list(done.steps), list[SkillStep](), list[SkillStep]()
    for step in template.steps:
        value = step.text_for(values[step.slot]) if step.slot else step.title
        place = next((place for place, other in enumerate(rest) if _carries_out(other, step, value)), None)
        if place is None:
            if not step.optional and not _prepares_field(step):
                return None
            left_out.append(step)
            continue
        between, rest = [other for other in rest[:place] if not other.preset], rest[place + 1 :]
        if any(other.slot or isinstance(other.action, TypeText) for other in between):
            return None
        steps += [other.model_copy(update={"optional": True}) for other in between]
        steps += [*left_out, step]
        left_out = []
    steps += left_out
    if all(declines(other) for other in rest):
        # What came up over the last page. Anything else behind the end is no part of the order.
        steps += [other.model_copy(update={"optional": True}) for other in rest]
    evidence = tuple(dict.fromkeys((*template.evidence, trace.turn_id)))
    return template.model_copy(update={"steps": tuple(steps), "evidence": evidence})


def merge_trace(template: SkillTemplate, trace: Trace) -> SkillTemplate | None:
    """The template with another trace of its kind; None where the trace is of another kind.

    What differs between the instructions and between the values of the steps becomes a slot. A step that one
    of both lacks, and whose button only dismisses something, becomes optional.
    """
    other = learn_template(trace, like=template)
    if other is None or other.package != template.package:
        return None
    aligned = _align(template.steps, other.steps)
    if aligned is None:
        return None
    pattern = template.pattern
    if (values := pattern.fill(trace.instruction)) is None:
        widened = learn_from_two(template.pattern.said(), trace.instruction)
        values = widened.fill(trace.instruction) if widened is not None else None
        if widened is None or values is None:
            return None
        pattern = widened
    steps = []
    for mine, its in aligned:
        step = mine or its
        if step is None:
            return None
        if mine is not None and its is not None:
            bound = _bind_both(mine, its, pattern, values)
            if bound is None:
                return None
            step = bound
        steps.append(step.model_copy(update={"optional": step.optional or mine is None or its is None}))
    used = {step.slot for step in steps}
    if any(slot.name not in used for slot in pattern.slots):
        return None
    evidence = tuple(dict.fromkeys((*template.evidence, trace.turn_id)))
    pattern = _with_options_of(pattern, values, other.pattern)
    changes = {
        "pattern": pattern,
        "steps": tuple(steps),
        "evidence": evidence,
        "reading": answer_reading(trace, values),
        "readings": 1,
    }
    if template.name == template.pattern.text:
        changes["name"] = pattern.text
    return template.model_copy(update=changes)


def with_answer_of(template: SkillTemplate, trace: Trace) -> SkillTemplate:
    """The template after a turn that used it to the end, with what the model said then.

    Words that are the same each time, the values of the slots apart, confirm; others are news, which memory
    can tell only where they stand on the last page in the place where they stood before.
    """
    values = template.pattern.fill(trace.instruction)
    if values is None:
        return template
    answer = in_slots(trace.answer, values)
    same = bool(answer) and answer.casefold() == template.answer.casefold()
    changes = {"answer": answer, "answers": template.answers + 1 if same else 1}
    return template.model_copy(update=changes | _reading_after(template, trace, values))


def _reading_after(
    template: SkillTemplate, trace: Trace, values: Mapping[str, str]
) -> dict[str, AnswerReading | int | None]:
    """Where the answer of a turn stood: there where it stood before, or where this turn found it.

    Two kinds of turns say nothing about the place: one answered in just the same words, and one on whose page
    memory would not have read, such as that of a train that is sold out.
    """
    screen, reading = trace.last_screen, template.reading
    new_reading, is_news = answer_reading(trace, values), in_slots(trace.answer, values) != template.answer
    if reading is not None and screen is not None:
        tree, answer = tree_of(screen), trace.answer.split()
        for way in (reading, _of_first_paragraphs(reading)):
            if answer and way.read(tree, values, learning=True).split() == answer:
                return {"reading": way.having_seen(tree), "readings": template.readings + is_news}
        if new_reading is not None and (both := reading.joined(new_reading)) is not None:
            return {"reading": both, "readings": template.readings + is_news}
        if reading.entries(tree) and not reading.read(tree, values):
            return {}
    # Where it cannot be told, it is still an order that reads, and the place counts as not confirmed at all.
    return {"reading": new_reading, "readings": 1} if new_reading is not None else {"readings": 0}


def _of_first_paragraphs(reading: AnswerReading) -> AnswerReading:
    """The same reading on pages that have more paragraphs behind those that it reads.

    What is read is whole and quoted by what opened the page, so that the others take nothing from it. The
    entries of a list are counted: where all were told, the first of more would be a choice.
    """
    paragraphs = {word.kind for word in reading.words if word.sentence}
    all_read = tuple(kind for kind in reading.all_read if kind not in paragraphs)
    return reading.model_copy(update={"all_read": all_read})


def with_screens_of(template: SkillTemplate, trace: Trace) -> SkillTemplate:
    """A template that was written by hand with the screens of a turn that used it and ended well.

    A step without a screen is found by its id and words alone; with one it is found as learnt ones are.
    """
    values, learnt = template.pattern.fill(trace.instruction), learn_template(trace)
    if values is None or learnt is None or all(step.before is not None for step in template.steps):
        return template
    steps_left, steps = list(learnt.steps), []
    for step in template.steps:
        value = step.text_for(values[step.slot]) if step.slot else step.value
        place = next(
            (
                place
                for place, done in enumerate(steps_left)
                if _carries_out(done, step, value) or _names_value(done, step, value)
            ),
            None,
        )
        if place is not None:
            done, steps_left = steps_left[place], steps_left[place + 1 :]
            update: dict[str, object] = {"before": done.before, "after": done.after, "day": done.day}
            update["closes_over"] = done.closes_over
            if not isinstance(step.action, OpenApp):
                bound = {"bound": done.bound or done.title, "example": values[step.slot]} if step.slot else {}
                preset = bool(step.slot) and _stood_chosen(done, trace)
                update |= {"action": done.action, "preset": preset, **bound}
            step = step.model_copy(update=update)
        steps.append(step)
    slots = tuple(slot.model_copy(update={"example": values[slot.name]}) for slot in template.pattern.slots)
    pattern = template.pattern.model_copy(update={"slots": slots})
    return template.model_copy(update={"steps": tuple(steps), "pattern": pattern})


def took_value(step: SkillStep, trace: Trace) -> bool:
    """Whether a step surely used the value of its slot as one of many.

    It typed nothing else, or tapped what led on. What stands there afterwards too, as a tab, is a word of the
    app.
    """
    if isinstance(step.action, TypeText):
        return same_value(step.bound, step.example)
    here, there = (trace.screens.get(ref.step) if ref else None for ref in (step.before, step.after))
    if here is None or there is None or not isinstance(step.action, Click | LongClick):
        return False
    tree, after = tree_of(here), tree_of(there)
    touched = tree.touched(step.action.point)
    if touched is None:
        return False
    kind, title = tree.kind(touched.index), tree.title(touched.index)
    return all(after.title(index) != title for index in after.by_kind.get(kind, []))


def _stood_chosen(step: SkillStep, trace: Trace) -> bool:
    """Whether a step tapped what stood chosen already, and left it so."""
    here, there = (trace.screens.get(ref.step) if ref else None for ref in (step.before, step.after))
    if here is None or there is None or not isinstance(step.action, Click):
        return False
    tree, after = tree_of(here), tree_of(there)
    touched = tree.touched(step.action.point)
    if touched is None or not tree.is_on(touched):
        return False
    kind, title = tree.kind(touched.index), tree.title(touched.index)
    same = [index for index in after.by_kind.get(kind, []) if after.title(index) == title]
    return any(after.is_on(after.elements[index]) for index in same)


def is_step_of_plan(action: Action, step: SkillStep, values: Mapping[str, str]) -> bool:
    """Whether an action is what a step of the plan does, with these values in its slots."""
    if action.type != step.action.type:
        return False
    value = step.text_for(values[step.slot]) if step.slot in values else step.value
    match action:
        case TypeText(text=text):
            return step.is_withheld or text.strip() == value.strip()
        case OpenApp(name=name):
            plan = step.action
            return isinstance(plan, OpenApp) and not plan.at and name.casefold() == plan.name.casefold()
        case Click(target=target) | LongClick(target=target):
            label = (target.text or target.description) if target is not None else ""
            is_named = label == value or (bool(step.slot) and label.casefold().startswith(value.casefold()))
            names = is_named or (step.before is None and not value)
            return names and _may_be_target(action, step) and bool(value or hits_the_like(action, step))
        case _:
            return True


def shared_beginning(templates: Sequence[SkillTemplate]) -> list[SkillStep]:
    """The steps that all templates of one app begin with, up to the first that uses a value (ActTree)."""
    if len({template.package for template in templates}) != 1:
        return []
    shared: list[SkillStep] = []
    for first, *others in zip(*(template.steps for template in templates), strict=False):
        if first.slot or any(step.slot or not is_step_of_plan(step.action, first, {}) for step in others):
            break
        shared.append(first.model_copy(update={"shortcut": ""}))
    return shared


def describe_progress(done: Sequence[str], what: str, steps: Sequence[SkillStep]) -> str:
    """For the model: what was repeated, what differs, and which steps remained. Data, not an order."""
    remaining = [step.words() for step in steps[:8]]
    parts = [
        f"Repeated from an earlier turn so far: {'; '.join(done)}." if done else "",
        f"But {what}." if what else "",
        f"Then it went on like this: {'; '.join(remaining)}." if remaining else "",
        "For reference only: the screen and the instruction decide.",
    ]
    return " ".join(part for part in parts if part)


def led_there(step: SkillStep, action: Action, recorded: Observation | None, screen: Observation) -> bool:
    """Whether an action led to the page that a step had led to, and typed text arrived.

    Args:
        step: the step of the plan.
        action: what was done for it.
        recorded: the screen behind the step then; None where it is not kept.
        screen: the screen now.
    """
    if recorded is None:
        # A written step has no screen: what follows shows whether it led there.
        return step.before is None
    if not key_of(recorded).is_like(key_of(screen)):
        return False
    if isinstance(action, TypeText):
        then, now = step.value.strip(), action.text.strip()
        if any(element.text.strip() == then for element in recorded.elements):
            return any(element.text.strip() == now for element in screen.elements)
        return any(now in element.text for element in screen.elements)
    return True


def led_alike(
    step: SkillStep,
    action: Action,
    recorded: Callable[[ScreenRef | None], Observation | None],
    *shown: Observation | None,
) -> bool:
    """Whether a tap on the element of a step, which has another name now, led where the step had led.

    Its id tells that it is the same one. A step that uses a value, or stays on its page, must be that very
    step. `shown` are the screens before the action and behind it, `recorded` gives those of the step.
    """
    keys = [key_of(screen) for screen in (recorded(step.before), recorded(step.after), *shown) if screen]
    target = step.action.target if isinstance(step.action, Click) and not step.slot else None
    if target is None or not target.resource_id or len(keys) < 4 or not hits_the_like(action, step):
        return False
    return keys[0].is_like(keys[2]) and keys[1].is_like(keys[3]) and not keys[0].is_like(keys[1])


def _prepares_field(step: SkillStep) -> bool:
    """Whether a step only readies a field for typing, which is left out where the field is ready."""
    target = step.action.target if isinstance(step.action, Click) and not step.slot else None
    is_field = target is not None and target.class_name.endswith("EditText")
    return is_field or isinstance(step.action, ClearText)


def is_repair(action: Action, step: SkillStep | None) -> bool:
    """Whether an action of the model, in the place of a step of the plan, sets right what the plan did.

    To look, to dismiss something, and to choose another of the like for a value do not.
    """
    if isinstance(action, Finished | Wait | Scroll | Swipe):
        return False
    if step is not None and step.slot and hits_the_like(action, step):
        return False
    target = action.target if isinstance(action, Click | LongClick) else None
    return target is None or not says_little(target.label)


def closes_overlay(action: Action, page: Observation | None, screen: Observation) -> bool:
    """Whether Back closed only what lay over a page, as the keyboard: the page is in front."""
    return isinstance(action, PressBack) and page is not None and key_of(page).is_like(key_of(screen))


def hits_the_like(action: Action, step: SkillStep) -> bool:
    """Whether both tap an element of one id and class, as far as the step says these."""
    mine = step.action.target if isinstance(step.action, Click | LongClick) else None
    tells = mine is not None and bool(mine.resource_id or mine.class_name)
    return tells and _may_be_target(action, step)


def _may_be_target(action: Action, step: SkillStep) -> bool:
    """Whether an action taps what a step says; one that was written may say neither id nor class."""
    target, mine = (
        tap.target if isinstance(tap, Click | LongClick) else None for tap in (action, step.action)
    )
    if target is None or mine is None:
        return False
    if step.before is not None:
        return (target.resource_id, target.class_name) == (mine.resource_id, mine.class_name)
    return mine.resource_id in ("", target.resource_id) and mine.class_name in ("", target.class_name)


def _carries_out(done: SkillStep, written: SkillStep, value: str) -> bool:
    """Whether a performed step is what a written one says, with this value in its slot."""
    if done.action.type != written.action.type:
        return False
    match done.action, written.action:
        case OpenApp(name=name, at=at), OpenApp(name=other, at=pattern):
            return same_value(name, other) and bool(at) is bool(pattern)
        case TypeText(text=name), TypeText(text=other):
            return same_value(name, value or other)
        case (Click(target=target), Click(target=other)) | (
            LongClick(target=target),
            LongClick(target=other),
        ):
            if target is None or other is None or other.resource_id not in ("", target.resource_id):
                return False
            return not value or same_value(done.title, value) or names_label(value, done.title)
        case _:
            return True


def _names_value(done: SkillStep, written: SkillStep, value: str) -> bool:
    """Whether a performed step tapped what a written one taps, with a title that says its value and more."""
    return bool(written.slot) and hits_the_like(done.action, written) and is_said(done.title, value)


def _without_mistake(trace: Trace, steps: list[StoredStep], place: int) -> list[StoredStep]:
    """The steps without what a cut-in before the step at `place` took back."""
    turn = place
    while turn < len(steps) and isinstance(steps[turn].action, _ON_THE_WAY_BACK):
        turn += 1
    if turn == len(steps):
        return steps
    if isinstance(steps[turn].action, OpenApp):
        return steps[turn:]
    choice = _wrong_choice(trace, steps, place, turn)
    if choice is None:
        # Each step back leaves a page, and takes back the step that led there.
        backs = sum(isinstance(step.action, PressBack) for step in steps[place:turn])
        return [*steps[: max(0, place - backs)], *steps[turn:]]
    back = next(
        (other for other in range(choice + 1, place) if _on_same_page(trace, steps[other], steps[turn])),
        place,
    )
    return [*steps[:choice], *steps[back:place], *steps[turn:]]


def _wrong_choice(trace: Trace, steps: Sequence[StoredStep], place: int, turn: int) -> int | None:
    """The last step before a cut-in that was done on the page of the correcting one, best with its like."""
    there = [other for other in range(place) if _on_same_page(trace, steps[other], steps[turn])]
    like = [other for other in there if _is_same_kind(steps[other].action, steps[turn].action)]
    candidates = like or there
    return candidates[-1] if candidates else None


def _on_same_page(trace: Trace, step: StoredStep, other: StoredStep) -> bool:
    screen, other_screen = trace.screens.get(step.number), trace.screens.get(other.number)
    if screen is None or other_screen is None:
        return False
    return key_of(screen).is_like(key_of(other_screen))


def _is_same_kind(action: Action, other: Action) -> bool:
    """Whether two actions act on elements of one kind: two rows of a list, two sizes of a dish."""
    if not isinstance(action, Click | LongClick) or action.type != other.type:
        return action.type == other.type
    if action.target is None or other.target is None:
        return False
    return (action.target.resource_id, action.target.class_name) == (
        other.target.resource_id,
        other.target.class_name,
    )


def _is_same_step(planned: SkillStep, corrected: SkillStep, value: str) -> bool:
    if not _is_same_kind(planned.action, corrected.action):
        return False
    if isinstance(planned.action, OpenApp) and isinstance(corrected.action, OpenApp):
        return (planned.action.name, planned.action.at) == (corrected.action.name, corrected.action.at)
    if planned.slot:
        return same_value(corrected.example or corrected.title, value)
    return same_value(corrected.title, planned.title) or corrected.title == planned.title


def _with_options_of(pattern: Pattern, values: Mapping[str, str], other: Pattern) -> Pattern:
    """The pattern whose slots take also what the other trace was offered for them."""
    offered = {slot.example.casefold(): slot.options for slot in other.slots}
    slots = tuple(
        slot.model_copy(
            update={
                "options": tuple(
                    dict.fromkeys((*slot.options, *offered.get(values[slot.name].casefold(), ())))
                )
            }
        )
        if slot.options
        else slot
        for slot in pattern.slots
    )
    return pattern.model_copy(update={"slots": slots})


def _align(
    mine: Sequence[SkillStep], its: Sequence[SkillStep]
) -> list[tuple[SkillStep | None, SkillStep | None]] | None:
    """Pairs of steps; one that the other lacks only where it dismisses something."""
    pairs: list[tuple[SkillStep | None, SkillStep | None]] = []
    left, right = list(mine), list(its)
    while left or right:
        if left and right and _is_alike(left[0], right[0]):
            pairs.append((left.pop(0), right.pop(0)))
        elif left and (left[0].dismisses or left[0].closes_over):
            pairs.append((left.pop(0), None))
        elif right and (right[0].dismisses or right[0].closes_over):
            pairs.append((None, right.pop(0)))
        else:
            return None
    return pairs


def _is_alike(mine: SkillStep, its: SkillStep) -> bool:
    action, other = mine.action, its.action
    if action.type != other.type:
        return False
    if isinstance(action, OpenApp) and isinstance(other, OpenApp):
        return (action.name, action.at) == (other.name, other.at)
    if action.target is None or other.target is None or isinstance(action, TypeText):
        return True
    same_id = (action.target.resource_id, action.target.class_name) == (
        other.target.resource_id,
        other.target.class_name,
    )
    return same_id and (mine.value == its.value or not says_little(mine.value))


def _bind_both(
    mine: SkillStep, its: SkillStep, pattern: Pattern, values: Mapping[str, str]
) -> SkillStep | None:
    """A step of two traces with the slot that both used; None where they differ in something else.

    A row that both tapped may say other things besides, if its title is the same.
    """
    for slot in pattern.slots:
        if mine.slot == slot.name and same_value(its.example or its.value, values[slot.name]):
            return mine
        if _used(mine, slot.example) and _used(its, values[slot.name]):
            return mine.model_copy(
                update={"slot": slot.name, "bound": mine.bound or mine.title, "example": slot.example}
            )
    same = mine.title.strip().casefold() == its.title.strip().casefold() and not mine.slot
    return mine if same else None


def _used(step: SkillStep, value: str) -> bool:
    """Whether a step typed a value, or tapped a row of this value or with this title."""
    if step.example:
        return same_value(step.example, value)
    return same_value(step.value, value) or same_value(step.title, value)


_WORDS = read_words("assistant.skills", "corrections.yaml")
_DECLINES, _ABOUT_THE_APP = compile_words(_WORDS["declines"]), compile_words(_WORDS["about_the_app"])


def declines(step: SkillStep) -> bool:
    """Whether a step only closes or declines something: where that stays away, nothing is missing."""
    target = step.action.target if isinstance(step.action, Click) else None
    return target is not None and not step.slot and _DECLINES.fullmatch(target.name.strip()) is not None


def closing_tap(screen: Observation, values: Iterable[str]) -> Click | None:
    """The tap that closes a dialog about the app itself, as one that asks for a rating.

    None where the dialog names a value of the order, may be about anything else, or has no one button that
    declines and needs no approval.

    Args:
        screen: the screen now.
        values: those of the order's slots.
    """
    tree = tree_of(screen)
    panel = dialog_over(tree)
    if panel is None or screen.secure:
        return None
    text = " ".join(word for label in tree.content(panel.index) for word in label)
    parts = [tree.elements[index] for index in (panel.index, *tree.descendants(panel.index))]
    is_about_app = _ABOUT_THE_APP.search(text) and not any(part.editable or part.password for part in parts)
    if not is_about_app or any(is_said(text, value) for value in values if value):
        return None
    declining = [part for part in parts if part.clickable and _DECLINES.fullmatch(part.label.strip())]
    if len(declining) != 1 or not declining[0].enabled:
        return None
    x, y = declining[0].bounds.centre
    tap = Click(point=Point(x / tree.width, y / tree.height), content=declining[0].label)
    touched = tree.touched(tap.point)
    is_free = touched is not None and touched.index == declining[0].index
    return tap if is_free and judge(tap, screen) is None else None


def takes_over(step: SkillStep, screen: Observation) -> TakeOver | None:
    """What hands a password or code over that somebody entered by hand, where the screen asks for one."""
    is_due = step.is_withheld and step.optional and takes_secret(screen)
    return TakeOver(reason=_("Enter the password or code.")) if is_due else None


def did_unasked(steps: Iterable[StoredStep]) -> bool:
    """Whether the user did anything in a turn by their own choice, and not only what it handed over to them.

    That is a password or code, and what follows where the turn asked them to do something.
    """
    is_asked = False
    for step in steps:
        if step.source is not Source.USER:
            is_asked = isinstance(step.action, TakeOver)
        elif not is_asked and step.kind is not ActionKind.PASSWORD:
            return True
    return False


def may_stay_away(step: SkillStep) -> bool:
    """Whether a step answers what comes up by itself: a pop-up that a later turn need not meet."""
    return step.optional or declines(step)


def may_be_passed(step: SkillStep) -> bool:
    """Whether a step may be left out where the page behind it is there already."""
    return may_stay_away(step) or isinstance(step.action, OpenApp)


_WHOLE_PAGE = 0.8
"""Share of the screen from which a window is a page; a smaller one is a dialog, which asks something."""

_PANEL = 0.12
"""Share of the screen from which something drawn over a page is a panel that asks something, no bar."""


def dialog_over(tree: ScreenTree) -> Element | None:
    """The window or panel that lies over the page and has something to tap; None where there is none."""
    screen = tree.width * tree.height
    roots = [element for element in tree.elements if element.parent < 0]
    front = max(roots, key=lambda element: element.bounds.area, default=None)
    if front is None or front.bounds.area < _WHOLE_PAGE * screen:
        return front
    return next(
        (
            element
            for element in tree.elements
            if _PANEL * screen <= element.bounds.area < _WHOLE_PAGE * screen
            and any(tree.elements[inside].clickable for inside in tree.descendants(element.index))
            and any(
                _is_inside(element.bounds, other.bounds) and not tree.is_within(element.index, other.index)
                for other in tree.elements[: element.index]
            )
        ),
        None,
    )


def _is_inside(bounds: Bounds, other: Bounds) -> bool:
    starts_inside = other.left <= bounds.left and other.top <= bounds.top
    return starts_inside and bounds.right <= other.right and bounds.bottom <= other.bottom
