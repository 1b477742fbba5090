"""A recorded step on the screen of now: its action, whether it is due there, and whether it is the end.

Where the target is not certain there is no action: in doubt the model takes the step. Here too is the way to
the page on which an app starts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from assistant.files import compile_words, read_words
from assistant.memory.prototypes.terms import multiset_overlap, word_set
from assistant.phone.pictures import KEYBOARD_TOP
from assistant.records import (
    Action,
    ClearText,
    Click,
    Direction,
    Element,
    LongClick,
    Observation,
    OpenApp,
    Point,
    PressBack,
    Scroll,
    Swipe,
    Target,
    TypeText,
    element_name,
)
from assistant.safety.classifier import judge_element
from assistant.safety.page import Page
from assistant.skills.corrections import dialog_over, may_stay_away
from assistant.skills.matcher import (
    Certainty,
    RefusalReason,
    TargetMatch,
    TargetRefused,
    find_again,
    match_at,
    names_label,
)
from assistant.skills.screen_tree import (
    AnswerReading,
    Label,
    ScreenTree,
    key_of,
    tree_of,
)
from assistant.skills.skill_step import ScreenRef, SkillStep
from assistant.skills.slots import (
    Pattern,
    is_said,
    names_day,
    same_value,
    stands_alone,
    with_values,
    without_days,
    without_slots,
)
from assistant.skills.template import SkillTemplate


def action_on_screen(
    step: SkillStep,
    values: Mapping[str, str],
    recorded: Observation,
    screen: Observation,
    *,
    says_more: bool = False,
) -> Action | None:
    """A step as an action on this screen; None where its target is not certain or stands otherwise.

    Where it `says_more`, what names the value may stand for it, see `find_value`.
    """
    action = step.action
    match action:
        case Click(point=point) | LongClick(point=point):
            match = find_target(step, point, values, recorded, screen, says_more=says_more)
            tree = tree_of(recorded)
            touched, tree_now = tree.touched(point), tree_of(screen)
            if match is None or touched is None:
                return None
            # A tap on what stands otherwise would do the opposite, as of a switch that is on by now.
            was_on = tree.is_on(touched) and not step.preset
            if was_on != tree_now.is_on(match.element):
                return None
            return _tap(action, match, screen)
        case TypeText():
            before, now = recorded.focused_field(), screen.focused_field()
            if before is None or now is None or now.password or not _same_field(before, now):
                return None
            text = step.text_for(values[step.slot]) if step.slot else action.text
            return action.model_copy(update={"text": text})
        case Scroll() | Swipe():
            return action if tree_of(recorded).says_the_same(tree_of(screen)) else None
        case _:
            return action


def _tap(action: Click | LongClick, match: TargetMatch, screen: Observation) -> Action:
    """A tap on a target; where the keyboard lies over it, Back, which puts that away first."""
    if screen.keyboard_shown and match.point.y > KEYBOARD_TOP:
        return PressBack()
    label = screen.label_of(match.element)
    return action.model_copy(update={"point": match.point, "target": None, "content": label})


def offered_names(screen: Observation) -> set[str]:
    """What the elements are called that can be chosen, rows by their titles, in lower case."""
    return {
        screen.label_of(element).split(" · ")[0].casefold()
        for element in screen.elements
        if element.clickable and not element.editable
    }


def button_text(screen: Observation) -> str:
    """What the elements say that react to a tap and have words of their own, in lower case."""
    return "\n".join(
        f"{element.text} {element.description}" for element in screen.elements if element.clickable
    ).casefold()


def action_as_written(step: SkillStep, values: Mapping[str, str], screen: Observation) -> Action | None:
    """A step that was written by hand: its target is the only element of its id, class and words."""
    if step.slot and not values.get(step.slot):
        return None
    text = step.text_for(values[step.slot]) if step.slot else step.value
    match step.action:
        case Click(target=target) | LongClick(target=target) if target is not None:
            try:
                # A row whose id is written may be named by any of its words, if no value is sought there.
                beyond_title = not step.slot and bool(target.resource_id)
                match_now = find_named(tree_of(screen), target, text, beyond_title=beyond_title)
            except TargetRefused:
                return None
            return _tap(step.action, match_now, screen)
        case TypeText():
            focused = screen.focused_field()
            usable = focused is not None and not focused.password and bool(text)
            return step.action.model_copy(update={"text": text}) if usable else None
        case Click() | LongClick() | Scroll() | Swipe():
            return None
        case _:
            return step.action


def find_target(
    step: SkillStep,
    point: Point,
    values: Mapping[str, str],
    recorded: Observation,
    screen: Observation,
    *,
    says_more: bool = False,
) -> TargetMatch | None:
    """The target of a step on a screen, or what stands for its value; None where it is not certain."""
    try:
        match = _match(step, point, values, tree_of(recorded), tree_of(screen), says_more=says_more)
    except TargetRefused:
        return None
    return match if match.is_repeated else None


_NOT_CLEAR = frozenset(
    {RefusalReason.ABSENT, RefusalReason.AMBIGUOUS, RefusalReason.RENAMED, RefusalReason.OTHER_PAGE}
)
"""Why an element is not told by all that it said, so that its value alone may tell it."""


def _match(
    step: SkillStep,
    point: Point,
    values: Mapping[str, str],
    before: ScreenTree,
    now: ScreenTree,
    *,
    says_more: bool = False,
) -> TargetMatch:
    """The target of a step, or the element that stands for its slot's value.

    Raises:
        TargetRefused: nothing is clearly the target.
    """
    if not step.slot:
        return find_again(before, point, now)
    value = step.text_for(values[step.slot])
    if not same_value(values[step.slot], step.example):
        return find_value(before, point, now, step.bound, value, values[step.slot] if says_more else "")
    try:
        match = find_again(before, point, now)
    except TargetRefused as refusal:
        if refusal.reason not in _NOT_CLEAR:
            raise
    else:
        if match.is_repeated:
            return match
    # With the value that it had then it is found as with any other: as the only one that says it.
    return find_value(before, point, now, step.bound, value)


def opens_result(template: SkillTemplate, step: SkillStep) -> bool:
    """Whether a step opens, to be read, what a search for its value found: nothing is done behind it.

    The result need not be called just as what was searched for.
    """
    due = [other for other in template.steps if not may_stay_away(other)]
    is_searched = any(isinstance(other.action, TypeText) and other.slot == step.slot for other in due)
    return bool(step.slot) and due[-1:] == [step] and is_searched and template.reading is not None


def is_target_absent(
    step: SkillStep, point: Point, values: Mapping[str, str], before: ScreenTree, now: ScreenTree
) -> bool:
    """Whether the target of a step is not in view, rather than covered, disabled or one of several."""
    try:
        _match(step, point, values, before, now)
    except TargetRefused as refusal:
        return refusal.reason in (RefusalReason.ABSENT, RefusalReason.RENAMED)
    return False


def scroll_down_around(before: ScreenTree, element: Element, now: ScreenTree) -> Scroll | None:
    """A scroll down in the list that held an element; None where it is not the only one of its kind."""
    held = next((i for i in before.ancestors(element.index) if before.elements[i].scrollable), None)
    if held is None:
        return None
    like = [e for e in now.elements if e.scrollable and now.kind(e.index) == before.kind(held)]
    if len(like) != 1:
        return None
    x, y = like[0].bounds.centre
    middle = Point(min(1.0, max(0.0, x / now.width)), min(1.0, max(0.0, y / now.height)))
    return Scroll(point=middle, direction=Direction.DOWN)


def shows_value(
    step: SkillStep, point: Point, recorded: Observation, screen: Observation, value: str
) -> bool:
    """Whether the field that a step taps says a value on a screen, as one of its texts."""
    match = find_target(step, point, {}, recorded, screen)
    if match is None:
        return False
    labels = tree_of(screen).content(match.element.index)
    return any(word.strip() and same_value(word, value) for label in labels for word in label)


def _same_field(before: Element, now: Element) -> bool:
    """Whether text would go into the same field, with the same content."""
    same = (before.resource_id, before.class_name, before.hint) == (now.resource_id, now.class_name, now.hint)
    return same and before.text == now.text


def holds_text_of_now(
    done: Sequence[SkillStep], values: Mapping[str, str], recorded: Observation, screen: Observation
) -> bool:
    """Whether the field that Enter submits holds what it held then, with the values of now.

    What is typed may be added to what stood there.

    Args:
        done: the steps before.
        values: the values of now, by slot.
        recorded: the screen on which Enter was pressed.
        screen: the screen now.
    """
    before, now = recorded.focused_field(), screen.focused_field()
    if before is None or now is None:
        return before is now
    text = before.text.strip()
    for step in done:
        if isinstance(step.action, TypeText) and step.slot and step.value.strip() == text:
            return now.text.strip() == step.text_for(values[step.slot]).strip()
    return now.text.strip() == text


def holds_own_text(recorded: Observation, screen: Observation, own: Callable[[], Collection[str]]) -> bool:
    """Whether the field that was empty when recorded holds what an earlier turn typed there.

    Args:
        recorded: the screen before something was typed.
        screen: the screen now.
        own: tells the texts that turns typed, in lower case.
    """
    before, now = recorded.focused_field(), screen.focused_field()
    if before is None or now is None or now.password or before.text.strip() not in ("", before.hint):
        return False
    is_filled = now.text.strip() not in ("", now.hint)
    same = (before.resource_id, before.class_name) == (now.resource_id, now.class_name)
    return is_filled and same and now.text.strip().casefold() in own()


def is_needless(
    step: SkillStep, following: SkillStep | None, match: TargetMatch | None, screen: Observation
) -> bool:
    """Whether a step only prepares what is ready: it empties an empty field, or taps one before typing.

    Back that closed a keyboard is not due where there is none: it would leave the page.

    Args:
        step: the step.
        following: the one behind it.
        match: where its target is on the screen, if it taps one.
        screen: the screen now.
    """
    if step.closes_over:
        return not screen.keyboard_shown
    field = screen.focused_field()
    if field is None:
        return False
    if isinstance(step.action, ClearText):
        return field.text.strip() in ("", field.hint)
    types = following is not None and isinstance(following.action, TypeText | ClearText)
    return types and match is not None and match.element.editable and match.element.index == field.index


def count_shown(
    steps: Sequence[SkillStep],
    values: Mapping[str, str],
    page: Callable[[ScreenRef | None], Observation | None],
    screen: Observation,
) -> int:
    """How many of the first steps only choose, for a field, what it shows already, and did not when recorded.

    They tap the field, use one slot and lead back.
    """
    point = getattr(steps[0].action, "point", None) if steps and not steps[0].slot else None
    recorded = page(steps[0].before) if point is not None else None
    if point is None or recorded is None or not key_of(recorded).is_like(key_of(screen)):
        return 0
    for count in range(2, len(steps) + 1):
        slots = {step.slot for step in steps[:count] if step.slot}
        after = page(steps[count - 1].after)
        if len(slots) != 1 or after is None or not key_of(after).is_like(key_of(recorded)):
            continue
        value = values.get(next(iter(slots)), "")
        example = next(step.example for step in steps[:count] if step.slot)
        pages = ((recorded, example), (after, example), (screen, value))
        shown = [shows_value(steps[0], point, recorded, there, text) for there, text in pages]
        return count if value and shown == [False, True, True] else 0
    return 0


def offers_value(
    pattern: Pattern,
    steps: Sequence[SkillStep],
    step: SkillStep,
    values: Mapping[str, str],
    recorded: Observation,
    screen: Observation,
) -> bool:
    """Whether the page offers a value that was not offered then, or the step names the value of then itself.

    Where “Red” can be tapped, an order that once wrote its colour into a note is carried out otherwise.
    """
    if not step.slot and pattern.names_value_of_then(step.title, values):
        return True
    before, now = offered_names(recorded), offered_names(screen)
    # A value that a step taps is chosen there, wherever else it may be tapped, as in an inbox.
    tapped = {other.slot for other in steps if isinstance(other.action, Click | LongClick)}
    return any(
        values.get(slot.name, "").casefold() in now and slot.example.casefold() not in before
        for slot in pattern.slots
        if slot.name not in (step.slot, *tapped) and slot.example and values.get(slot.name)
    )


def _words_besides(text: str, values: Iterable[str]) -> Counter[str]:
    """The words of a text without numbers and without those of some values."""
    value_words = {word for value in values for word in value.casefold().split()}
    return Counter(word for word in re.findall(r"[^\W\d_]+", text) if word not in value_words)


_WORDS = re.compile(r"[^\W\d_]+|\d+")

_SAME_END = 0.5
"""Share of words, values and numbers apart, that the last page has in common with the recorded one."""

_SAME_END_OF_SAME_PARTS = 0.3
"""The same where the page consists of the same parts and shows the values of now."""


def says_as_before(
    template: SkillTemplate, values: Mapping[str, str], last: Observation, screen: Observation, opened: str
) -> bool:
    """Whether a screen says what the last page said, the values apart, and what the answer took from it.

    Args:
        template: the skill.
        values: those of its slots.
        last: the page at its end when it was learnt.
        screen: the page now.
        opened: what the element said that was tapped last.
    """
    before, now = tree_of(last).text, tree_of(screen).text
    facts = set(_WORDS.findall(without_slots(template.answer).casefold()))
    if any((word.isdecimal() or word in before) and word not in now for word in facts):
        # What the model read from the screen then is not there now: it must read again.
        return False
    return _is_same_page(template, values, last, screen, opened)


def _is_same_page(
    template: SkillTemplate, values: Mapping[str, str], last: Observation, screen: Observation, opened: str
) -> bool:
    """Whether a screen says what another one said, numbers and values apart, and those of now for these."""
    before, now = tree_of(last).text, tree_of(screen).text
    if not template.pattern.is_shown_again(values, before, now):
        return False
    examples = {slot.name: slot.example for slot in template.pattern.slots}
    shown = any(stands_alone(before, example) for example in examples.values())
    # A page of exactly the same parts has nothing that came; what it says of the value differs by itself, and
    # so does what the row said that opened it.
    is_same = tree_of(last).structure == tree_of(screen).structure
    others = [*values.values(), *examples.values(), *((template.opened, opened) if is_same else ())]
    words, words_now = _words_besides(before, others), _words_besides(now, others)
    buttons, buttons_now = (_words_besides(button_text(page), others) for page in (last, screen))
    least = _SAME_END_OF_SAME_PARTS if is_same and shown else _SAME_END
    return not (words or words_now) or (
        max(multiset_overlap(words, words_now), multiset_overlap(buttons, buttons_now)) >= least
    )


_WORDS_OF_TEXTS = read_words("assistant.skills", "step_action.yaml")
_ASKS_FOR = compile_words(_WORDS_OF_TEXTS["asks_for"])
_PARTS_OF_DAY = tuple(
    (compile_words(words), first, end) for words, first, end in _WORDS_OF_TEXTS["parts_of_day"]
)
_CLOCK = re.compile(r"(?<![\d:])(\d{1,2}):\d\d(?::\d\d)?(?:\s*([ap])\.?m\b)?", re.IGNORECASE)


def answer_on_screen(
    template: SkillTemplate,
    values: Mapping[str, str],
    last: Observation,
    screen: Observation,
    day: date | None,
    opened: str,
) -> str:
    """The answer of a skill, read where it stands on its last page; empty where that is not certain.

    It is not certain if the order selects among what stands there, if an entry says a word that no model has
    read there, or if the page may be scrolled.

    Args:
        template: the skill.
        values: those of its slots.
        last: the page at its end when it was learnt.
        screen: the page now.
        day: that of the turn.
        opened: what the element said that was tapped last.
    """
    reading, steps = template.reading, template.steps
    if reading is None or screen.secure or not steps or isinstance(steps[-1].action, Scroll | Swipe):
        return ""
    if not _is_same_page(template, values, last, screen, opened):
        return ""
    if not _selects_nothing(template, reading, tree_of(screen), day):
        return ""
    return reading.read(tree_of(screen), values, opened)


def is_place_known(template: SkillTemplate, answer: str, opened: str) -> bool:
    """Whether the place of an answer is known: from two turns, or from one where the page was quoted before.

    There what was tapped last said all of the answer, then and now: what it is about was told twice.

    Args:
        template: the skill.
        answer: what is read now.
        opened: what the element says that was tapped last.
    """
    reading = template.reading
    if template.knows_place_of_answer or reading is None or not answer:
        return template.knows_place_of_answer
    then = with_values(template.answer, template.filled({}))
    texts = [" ".join(text.split()).casefold() for text in (then, template.opened, answer, opened)]
    is_quoted = bool(texts[0]) and texts[0] in texts[1] and texts[2] in texts[3]
    return is_quoted and reading.is_of_sentences and template.readings > 0


def _selects_nothing(
    template: SkillTemplate, reading: AnswerReading, tree: ScreenTree, day: date | None
) -> bool:
    """Whether all that an order says was done by its steps, so that nothing on the page is left to choose.

    “The cheapest” is left where no step said it. Of a part of the day is the first time of each entry, and a
    day was chosen by a step of this day.
    """
    steps, entries, text = template.steps, reading.entries(tree), without_slots(template.pattern.text)
    if {slot.name for slot in template.pattern.slots} - {step.slot for step in steps} or not entries:
        return False
    for expression, first, end in _PARTS_OF_DAY:
        if expression.search(text):
            text = expression.sub(" ", text)
            if not all(first <= _first_hour(tree, entry) < end for entry in entries):
                return False
    titles = [step.title for step in steps if not step.slot]
    is_dated = any(step.day is not None and step.day == day for step in steps)
    text = without_days(text, None if is_dated else titles)
    if names_day(text):
        return False
    alone = [entry for entry in entries if not tree.elements[entry].clickable]
    words = [
        *(element_name(tree.elements[entry].resource_id) for entry in entries),
        *(element_name(step.action.target.resource_id) for step in steps if step.action.target is not None),
        *titles,
        *(step.action.name for step in steps if isinstance(step.action, OpenApp)),
        *(word for entry in alone for label in tree.beside(entry) for word in label),
    ]
    return word_set(_ASKS_FOR.sub(" ", text)) <= word_set(" ".join(words))


def _first_hour(tree: ScreenTree, entry: int) -> int:
    """The hour of the first time that an entry says, 0 to 23; -1 where it says none."""
    texts = " ".join(word for label in tree.content(entry) for word in label)
    match = _CLOCK.search(texts)
    if match is None:
        return -1
    half = (match[2] or "").lower()
    return int(match[1]) % 12 + 12 * (half == "p") if half else int(match[1])


MAX_BACKS = 4
"""How often Back is pressed towards the page on which an app starts."""


@dataclass(slots=True)
class StartPageReturn:
    """The way back to the page that opening an app led to when it was recorded.

    An app that was left in the middle comes up there again. Back is pressed page by page; where that leads
    nowhere, or a page could commit anything, the app is started anew, once.

    Attributes:
        opening: the step that opens the app.
        backs: how often Back was pressed.
        anew: whether the app was started anew.
        seen: the screen before the last Back.
    """

    opening: SkillStep
    backs: int = 0
    anew: bool = False
    seen: ScreenTree | None = None

    def next_action(self, recorded: Observation, screen: Observation, own: Collection[str]) -> Action | None:
        """What leads on towards the recorded page; None where nothing does without risk.

        Nothing is left in which somebody entered text, nor a dialog, which asks for an answer, nor a screen
        that forbids its picture.

        Args:
            recorded: the page on which the app started.
            screen: where it stands.
            own: texts that are no user's: those that turns typed, in lower case.
        """
        if self.anew or screen.secure or not isinstance(self.opening.action, OpenApp):
            return None
        tree = tree_of(screen)
        if screen.app.package == recorded.app.package:
            if not tree.elements or dialog_over(tree) is not None or _holds_entered_text(screen, own):
                return None
            has_moved = self.seen is None or not self.seen.says_the_same(tree)
            if self.backs < MAX_BACKS and has_moved and not _may_commit(screen):
                self.backs, self.seen = self.backs + 1, tree
                return PressBack()
        elif not self.backs:
            return None
        self.anew = True
        return self.opening.action.model_copy(update={"anew": True})


def _may_commit(screen: Observation) -> bool:
    """Whether anything on a page that can be tapped would need the user's approval."""
    page = Page(screen)
    tappable = (element for element in screen.elements if element.clickable or element.long_clickable)
    return any(judge_element(page, element).kind is not None for element in tappable)


def _holds_entered_text(screen: Observation, own: Collection[str]) -> bool:
    """Whether a field in use, or one of several, holds a text that no turn of ours has typed."""
    fields = [element for element in screen.elements if element.editable or element.password]
    return any(
        (element.focused or element.password or len(fields) > 1)
        and bool(element.text.strip())
        and element.text != element.hint
        and element.text.strip().casefold() not in own
        for element in fields
    )


def find_value(
    recorded: ScreenTree, point: Point, now: ScreenTree, old: str, new: str, named: str = ""
) -> TargetMatch:
    """The element for another value of a slot: where “Rice” was tapped, the one with the text “Soup”.

    It must be of the recorded target's kind, and have the new value where that had the old one. Where none
    has, and what only names the value may stand for it, it is the one that says just the value there, else
    the only one that names it and is not advertised.

    Args:
        recorded: the screen on which the target was tapped.
        point: where it was tapped.
        now: the screen now.
        old: the text that stood there for the value of then.
        new: the text that stands there for the value of now.
        named: the value of now, where naming it is enough.

    Raises:
        TargetRefused: no element, or more than one, matches; or something is drawn over it.
    """
    target = recorded.touched(point)
    if target is None:
        raise TargetRefused(RefusalReason.NOTHING_RECORDED)
    places = [place for place, label in enumerate(recorded.content(target.index)) if _same(old, label)]
    rows = now.by_kind.get(recorded.kind(target.index), [])

    def saying(text: str) -> list[int]:
        labels = {row: now.content(row) for row in rows}
        return [
            row for row in rows if any(_same(text, labels[row][p]) for p in places if p < len(labels[row]))
        ]

    like = saying(new) or (saying(named) if named else [])
    if not like and named:
        texts = {row: " ".join(word for label in now.content(row) for word in label) for row in rows}
        like = [row for row in rows if is_said(texts[row], named) and not _is_no_result(texts[row], named)]
    if not like:
        raise TargetRefused(RefusalReason.ABSENT)
    if len(like) > 1:
        raise TargetRefused(RefusalReason.AMBIGUOUS)
    element = now.elements[like[0]]
    if target.enabled and not element.enabled:
        raise TargetRefused(RefusalReason.DISABLED)
    return match_at(recorded, target, point, now, element, Certainty.EXACT)


_ADVERTISED = r"\b(?:ads?|advert\w*|sponsored|promoted)\b|广告|推广|赞助"
_DENIED = r"(?:\b(?:no|not|without|never)\s+(?:the\s+|an?\s+)?|[不没无非])"


def _is_no_result(text: str, value: str) -> bool:
    """Whether a row is an advertisement, or denies the value that it names."""
    return any(re.search(sign, text, re.IGNORECASE) for sign in (_ADVERTISED, _DENIED + re.escape(value)))


def find_named(now: ScreenTree, target: Target, text: str, *, beyond_title: bool = False) -> TargetMatch:
    """The only element with an id, a class and a text or title, as far as these are given.

    Args:
        now: the screen.
        target: what is known of the element.
        text: its text, or the title of a row.
        beyond_title: take any of a row's texts for it where no title is, as “Tomorrow” behind a date.

    Raises:
        TargetRefused: no element, or more than one, matches; or something is drawn over it.
    """
    candidates = [
        element
        for element in now.elements
        if now.is_visible(element)
        and target.resource_id in ("", element.resource_id)
        and target.class_name in ("", element.class_name)
        and (element.clickable or element.editable or element.long_clickable)
    ]

    def named(labels: slice) -> list[Element]:
        return [
            element
            for element in candidates
            if not text
            or any(names_label(text, word) for label in now.content(element.index)[labels] for word in label)
        ]

    like = named(slice(1)) or (named(slice(None)) if beyond_title else [])
    if not like or not (text or target.resource_id):
        raise TargetRefused(RefusalReason.ABSENT)
    if len(like) > 1:
        raise TargetRefused(RefusalReason.AMBIGUOUS)
    (element,) = like
    if not element.enabled:
        raise TargetRefused(RefusalReason.DISABLED)
    x, y = element.bounds.centre
    point = Point(min(1.0, x / now.width), min(1.0, y / now.height))
    touched = now.touched(point)
    if touched is None or not now.is_within(touched.index, element.index):
        raise TargetRefused(RefusalReason.COVERED)
    return TargetMatch(point, element, Certainty.EXACT)


def _same(value: str, label: Label) -> bool:
    return any(" ".join(value.split()).casefold() == word.casefold() for word in label)
