"""A recorded step as an action on the screen of now, and the way to the page on which an app starts.

Where the target is not certain there is no action: in doubt the model takes the step.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from assistant.records import (
    Action,
    Bounds,
    Click,
    Element,
    LongClick,
    Observation,
    OpenApp,
    Point,
    PressBack,
    Scroll,
    Swipe,
    TypeText,
)
from assistant.safety.classifier import judge_element
from assistant.safety.page import Page
from assistant.skills.matcher import (
    Certainty,
    RefusalReason,
    TargetMatch,
    TargetRefused,
    find_again,
    find_named,
    find_value,
)
from assistant.skills.screen_tree import ScreenTree
from assistant.skills.slots import same_value
from assistant.skills.template import SkillStep, tree_of


def action_on_screen(
    step: SkillStep, values: Mapping[str, str], recorded: Observation, screen: Observation
) -> Action | None:
    """A step as an action on this screen; None where its target is not certain or stands otherwise."""
    action = step.action
    match action:
        case Click(point=point) | LongClick(point=point):
            match = find_target(step, point, values, recorded, screen)
            tree = tree_of(recorded)
            touched, tree_now = tree.touched(point), tree_of(screen)
            if match is None or touched is None:
                return None
            # A tap on what stands otherwise would do the opposite, as of a switch that is on by now.
            was_on = tree.is_on(touched) and not step.preset
            if was_on != tree_now.is_on(match.element):
                return None
            return action.model_copy(
                update={"point": match.point, "target": None, "content": screen.label_of(match.element)}
            )
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
                match_now = find_named(tree_of(screen), target, text)
            except TargetRefused:
                return None
            update = {"point": match_now.point, "target": None, "content": text}
            return step.action.model_copy(update=update)
        case TypeText():
            focused = screen.focused_field()
            usable = focused is not None and not focused.password and bool(text)
            return step.action.model_copy(update={"text": text}) if usable else None
        case Click() | LongClick() | Scroll() | Swipe():
            return None
        case _:
            return step.action


def find_target(
    step: SkillStep, point: Point, values: Mapping[str, str], recorded: Observation, screen: Observation
) -> TargetMatch | None:
    """The target of a step on a screen, or what stands for its value; None where it is not certain."""
    try:
        match = _match(step, point, values, tree_of(recorded), tree_of(screen))
    except TargetRefused:
        return None
    return None if match.certainty is Certainty.PLACE else match


def _match(
    step: SkillStep, point: Point, values: Mapping[str, str], before: ScreenTree, now: ScreenTree
) -> TargetMatch:
    """The target of a step, or the element that stands for its slot's value.

    Raises:
        TargetRefused: nothing is clearly the target.
    """
    if step.slot and not same_value(values[step.slot], step.example):
        return find_value(before, point, now, step.bound, step.text_for(values[step.slot]))
    return find_again(before, point, now)


def is_target_absent(
    step: SkillStep, point: Point, values: Mapping[str, str], before: ScreenTree, now: ScreenTree
) -> bool:
    """Whether the target of a step is not in view, rather than covered, disabled or one of several."""
    try:
        _match(step, point, values, before, now)
    except TargetRefused as refusal:
        return refusal.reason in (RefusalReason.ABSENT, RefusalReason.RENAMED)
    return False


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


def may_stay_away(step: SkillStep) -> bool:
    """Whether a step answers what comes up by itself: a pop-up that a later turn need not meet."""
    return step.optional or step.declines


def may_be_passed(step: SkillStep) -> bool:
    """Whether a step may be left out where the page behind it is there already."""
    return may_stay_away(step) or isinstance(step.action, OpenApp)


MAX_BACKS = 4
"""How often Back is pressed towards the page on which an app starts."""

_WHOLE_PAGE = 0.8
"""Share of the screen from which a window is a page; a smaller one is a dialog, which asks something."""


_PANEL = 0.12
"""Share of the screen from which something drawn over a page is a panel that asks something, no bar."""


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
            if _is_dialog(tree) or _holds_entered_text(screen, own):
                return None
            has_moved = self.seen is None or not self.seen.says_the_same(tree)
            if self.backs < MAX_BACKS and has_moved and not _may_commit(screen):
                self.backs, self.seen = self.backs + 1, tree
                return PressBack()
        elif not self.backs:
            return None
        self.anew = True
        return self.opening.action.model_copy(update={"anew": True})


def _is_dialog(tree: ScreenTree) -> bool:
    """Whether a window or panel lies over the page and has something to tap."""
    screen = tree.width * tree.height
    if max((element.bounds.area for element in tree.elements if element.parent < 0), default=0) < (
        _WHOLE_PAGE * screen
    ):
        return True
    return any(
        _PANEL * screen <= element.bounds.area < _WHOLE_PAGE * screen
        and any(tree.elements[inside].clickable for inside in tree.descendants(element.index))
        and any(
            _is_inside(element.bounds, other.bounds) and not tree.is_within(element.index, other.index)
            for other in tree.elements[: element.index]
        )
        for element in tree.elements
    )


def _is_inside(bounds: Bounds, other: Bounds) -> bool:
    starts_inside = other.left <= bounds.left and other.top <= bounds.top
    return starts_inside and bounds.right <= other.right and bounds.bottom <= other.bottom


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
