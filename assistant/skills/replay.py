"""Replaying what was learnt, step by step, within a turn (MobiMem 4.3, 5.2).

Before the model is asked for the next step, the action memory may propose one: from the template that the
instruction fits (ActChain), else from the steps with which all templates of the app begin (ActTree). It does
so only where the screen is the page that was recorded, the target is certainly found on it, and nothing
sensitive would be done without the user being asked. Before each further step the screen is compared with the
recorded outcome. Where anything differs, the model decides one step, is told what was done and what was
expected, and replay goes on when the page is a recorded one again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial

from assistant.events import ActionKind
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.records import (
    Action,
    ClearText,
    Click,
    Finished,
    Observation,
    OpenApp,
    PressBack,
    PressEnter,
    TakeOver,
    TypeText,
    describe,
    says_little,
)
from assistant.safety.classifier import judge
from assistant.skills.corrections import (
    closes_overlay,
    closing_tap,
    describe_progress,
    did_unasked,
    hits_the_like,
    is_repair,
    is_step_of_plan,
    led_alike,
    led_there,
    may_be_passed,
    may_stay_away,
    shared_beginning,
    takes_over,
)
from assistant.skills.screen_tree import ScreenTree, key_of, tree_of
from assistant.skills.skill_step import Proposal, ScreenRef, SkillStep, awaited_target, readies, types_into
from assistant.skills.slots import is_said, with_found_values, with_values
from assistant.skills.step_action import (
    StartPageReturn,
    action_as_written,
    action_on_screen,
    answer_on_screen,
    count_shown,
    find_target,
    holds_own_text,
    holds_text_of_now,
    is_needless,
    is_place_known,
    is_target_absent,
    offers_value,
    opens_result,
    says_as_before,
    scroll_down_around,
)
from assistant.skills.storage import ReplayReport, SkillRepository
from assistant.skills.template import SkillState, SkillTemplate, opening, shortcut_ahead, shows_same_page

_log = logging.getLogger(__name__)

MAX_DIVERGENCES = 3
"""After this many mismatches in one turn nothing more of it is replayed."""

_MAX_SCROLLS, _MAX_CLOSED = 6, 2
"""How often a list is scrolled towards one target, and how many dialogs about the app itself are closed in
one turn, before the model is asked."""

_LOOK_AHEAD, _MIN_SHARED = 4, 2
"""How many recorded steps beyond the present one a page may be, so that replay goes on there, and how many
templates of an app must begin with a step before it is replayed for an order of another kind."""


@dataclass(slots=True)
class _Course:
    """What is replayed in one turn, and how far it has come.

    `agreed` is the kind of the sensitive step of the plan that the model itself took, if nothing differed
    since. `confirmed` are the places of the steps that led where they had led, or that the model took, and
    `readied_at` is that of the step for which a field was emptied, or a keyboard closed. `covered` is the
    step whose outcome a dialog hides that memory closes, as one that asks for a rating; `closed` counts them.
    `added` is how many steps stand before those of the template. `opened` is what the element said that was
    tapped last, `opening` what opens the app of a way that begins within it. `shortcut` is the step to whose
    page an intent is to lead, with the intent, and `lost` are those to whose pages none led. `needed` is how
    many confirmed runs a step needs in the app, see `ReplayCounts`; the model takes those that have fewer.
    `said` is the instruction that the values come from.
    """

    steps: Sequence[SkillStep]
    values: Mapping[str, str]
    template: SkillTemplate | None = None
    place: int = 0
    added: int = 0
    replayed: int = 0
    divergences: int = 0
    repairs: int = 0
    proposed: SkillStep | None = None
    scrolled_from: ScreenTree | None = None
    scrolls: int = 0
    readied_at: int = -1
    returning: StartPageReturn | None = None
    covered: tuple[int, Action] | None = None
    closed: int = 0
    steps_before: int = 0
    shown: Observation | None = None
    is_over: bool = False
    corrected: bool = False
    claimed: bool = False
    agreed: ActionKind | None = None
    day: date | None = None
    opened: str = ""
    opening: SkillStep | None = None
    said: str = ""
    shortcut: tuple[int, OpenApp] | None = None
    lost: set[int] = field(default_factory=set)
    package: str = ""
    needed: int = 0
    matched: int = 0
    missed: int = 0
    done: list[str] = field(default_factory=list)
    confirmed: set[int] = field(default_factory=set)

    @property
    def is_trusted(self) -> bool:
        """Whether what it repeats comes from a trusted template."""
        return self.template is not None and self.template.state is SkillState.TRUSTED

    @property
    def is_proven(self) -> bool:
        """Whether all that was repeated so far led where it had led, in this turn and in one that ended well.

        The model has set nothing right, and saw the end of that turn. Pop-ups come and stay away by
        themselves, and whatever page an app opens with is looked at before the next step.
        """
        went_as_before = self.template is not None and not self.divergences and not self.repairs
        steps = [self.steps[place] for place in self.confirmed]
        return went_as_before and all(step.confirmed or may_be_passed(step) for step in steps)

    def tell(self, what: str = "") -> str:
        """What the model is told where something differs, or of the rest; empty before anything was done."""
        return describe_progress(self.done, what, self.steps[self.place :]) if self.done or what else ""


class ActionMemory:
    """Proposes the next step of turns. One turn at a time.

    Args:
        repository: the templates and their recorded screens.
        enabled: whether steps may be replayed.
        guide: finds what the model is told of how an instruction, or one like it, was carried out.
    """

    def __init__(
        self,
        repository: SkillRepository,
        enabled: bool = True,
        guide: Callable[[str], str] = lambda instruction: "",
    ) -> None:
        self._repository = repository
        self._enabled = enabled
        self._guide = guide
        self._turn_id = self._guided = ""
        self._course: _Course | None = None
        self._prepared: tuple[str, _Course] | None = None

    def prepare(
        self, turn_id: str, template: SkillTemplate, values: Mapping[str, str], start: int, end: int | None
    ) -> None:
        """Replay a template in one turn, whatever its instruction, from a step on (the first is 1).

        Where it goes only to a step, `end`, the model goes on from there with the instruction of the turn.
        """
        whole = template if end is None else None
        opening = template.opening if start == 1 else None
        steps, values = template.steps[:end], template.filled(values)
        course = _Course(steps, values, whole, start - 1, opening=opening, package=template.package)
        self._prepared = turn_id, course

    async def propose(
        self,
        checkpoint: Checkpoint,
        observation: Observation,
        will_ask: Callable[[Action], bool] = lambda action: False,
    ) -> Proposal | None:
        """The next step from memory; None where the memory has nothing to say.

        Never raises: whatever goes wrong here, the model takes the step. `will_ask` tells whether
        the user would be asked before an action, whatever was allowed before.
        """
        try:
            proposal = await asyncio.to_thread(self._propose, checkpoint, observation, will_ask)
            template = course.template if (course := self._course) is not None else None
            is_left = template is None or proposal is None or proposal.action is None
            if is_left and not checkpoint.steps and self._guided != checkpoint.turn_id:
                self._guided = checkpoint.turn_id
                guidance = await asyncio.to_thread(self._guide, checkpoint.instruction)
                proposal = replace(proposal or Proposal(), guidance=guidance) if guidance else proposal
        except Exception:  # noqa: BLE001 - a fault of the cache must not end a turn that can go on without it
            _log.exception("the action memory fails; the model goes on alone")
            if self._course is not None:
                self._course.is_over = True
            return None
        if proposal is None or course is None or template is None:
            return proposal
        place = course.place if course.shortcut is None else course.shortcut[0]
        ahead = course.steps[place + 1 :] if course.proposed is not None else ()
        awaits = partial(awaited_target, ahead, course.values, self._repository.screen)
        return replace(proposal, skill=template.name, awaits=awaits)

    def report(self, turn_id: str) -> ReplayReport:
        """What was replayed in a turn, if it is the latest; nothing in any other."""
        course = self._course
        if course is None or turn_id != self._turn_id:
            return ReplayReport()
        confirmed, lost = (
            tuple(sorted(place - course.added for place in places if place >= course.added))
            for places in (course.confirmed, course.lost)
        )
        skill_id = course.template.id if course.template is not None else ""
        update = {"skill_id": skill_id, "confirmed": confirmed, "lost": lost}
        return ReplayReport.model_validate(course, from_attributes=True).model_copy(update=update)

    async def opens_app(self, checkpoint: Checkpoint) -> bool:
        """Whether a turn begins with opening an app, so that of the screen before the picture will do."""
        with suppress(Exception):  # `propose` tells of what goes wrong.
            course = await asyncio.to_thread(self._begin, checkpoint)
            if course is not None and not checkpoint.steps:
                first = course.steps[course.place]
                return isinstance(first.action, OpenApp) and first.confirmed >= course.needed
        return False

    async def types_next(self, checkpoint: Checkpoint, seen: Observation) -> bool:
        """Whether what was just tapped on a screen is a field that is typed into next."""
        course = self._course if checkpoint.turn_id == self._turn_id else None
        if course is None or course.is_over or course.proposed is None or checkpoint.steps[-1].error:
            return False
        ahead = course.steps[course.place : course.place + 2]
        values = with_found_values(course.values, course.said, checkpoint.instruction)
        pages = self._repository.screen
        return await asyncio.to_thread(types_into, ahead, values, course.needed, pages, seen)

    def _begin(self, checkpoint: Checkpoint) -> _Course | None:
        """What is replayed in a turn, chosen when it begins."""
        if checkpoint.turn_id != self._turn_id:
            self._turn_id = checkpoint.turn_id
            turn_id, course = self._prepared or ("", None)
            self._course, self._prepared = course if turn_id == checkpoint.turn_id else None, None
            if self._course is None and self._enabled and not checkpoint.steps:
                self._course = self._choose(checkpoint)
        return self._course

    def _propose(
        self, checkpoint: Checkpoint, observation: Observation, will_ask: Callable[[Action], bool]
    ) -> Proposal | None:
        course = self._begin(checkpoint)
        if course is None:
            return None
        course.values = with_found_values(course.values, course.said, checkpoint.instruction)
        course.said = checkpoint.instruction
        if not checkpoint.steps and not course.added:
            self._open_first(course, observation)
        if course.is_over:
            self._note_repair(course, checkpoint.steps)
            return None
        course.day = checkpoint.started.date()
        if checkpoint.remarks or did_unasked(checkpoint.steps):
            # The user has said or shown something else: what was recorded may be what they correct.
            course.is_over = True
            # Only what was done from memory can be what they correct.
            was_done = course.proposed is not None and len(checkpoint.steps) > course.steps_before
            course.replayed += was_done
            course.corrected = course.replayed > 0
            return None
        note = self._settle(course, checkpoint.steps, observation)
        course.steps_before, course.shown = len(checkpoint.steps), observation
        if course.is_over:
            return Proposal(note=note) if note else None
        if course.covered is not None:
            course.closed += 1
            return Proposal(closing_tap(observation, course.values.values()))
        if course.returning is not None and (way := self._towards_start(course, observation)) is not None:
            return way
        return self._next(course, note, observation, will_ask)

    def _next(
        self, course: _Course, note: str, observation: Observation, will_ask: Callable[[Action], bool]
    ) -> Proposal | None:
        """The next step of the course on a screen that is as expected, or what to tell the model."""
        while not note and course.place < len(course.steps):
            ahead = course.steps[course.place : course.place + _LOOK_AHEAD]
            passed = int(self._is_done(course, course.place, observation))
            passed = passed or count_shown(ahead, course.values, self._repository.screen, observation)
            if not passed:
                break
            course.place += passed
        if course.place >= len(course.steps):
            course.is_over = True
            return self._claim(course, observation, note)
        if course.steps[course.place].confirmed < course.needed:
            # Steps often lead elsewhere in this app: one that too few runs have confirmed is the model's.
            return Proposal(note=note or course.tell())
        if not note and not course.lost:
            course.shortcut = shortcut_ahead(course.steps, course.place, course.values, observation)
        if course.shortcut is not None:
            course.proposed = course.steps[course.place]
            return Proposal(course.shortcut[1], course.proposed.origin)
        if not note and (handed := takes_over(course.steps[course.place], observation)) is not None:
            return Proposal(handed)
        action = None if note else self._ready(course, course.steps[course.place], observation, will_ask)
        if action is None and not note:
            action = self._ready_behind_optional(course, observation, will_ask)
        if action is None and not note and all(map(may_stay_away, course.steps[course.place :])):
            course.is_over = True
            return self._claim(course, observation, note)
        step = course.steps[course.place]
        if action is None and not note and (scroll := self._scroll_to(course, step, observation)):
            course.scrolled_from, course.scrolls = tree_of(observation), course.scrolls + 1
            return Proposal(scroll, step.origin)
        course.proposed = step if action is not None else None
        if isinstance(action, TypeText):
            then = course.steps[course.place + 1] if course.place + 1 < len(course.steps) else step
            back = self._on_same_page(course, then, observation)
            is_covered = isinstance(back, PressBack) and (then.closes_over or readies(back, then))
            action = action.model_copy(update={"closes_keyboard": is_covered})
        return Proposal(action, step.origin) if action is not None else Proposal(note=note or course.tell())

    def _choose(self, checkpoint: Checkpoint) -> _Course | None:
        """The template that the instruction fits; else what all orders in its app begin with."""
        usable = self._repository.usable()
        for template in usable:
            values = template.pattern.fill(checkpoint.instruction)
            if values is not None and template.steps:
                course = _Course(template.steps, values, template, opening=template.opening)
                course.said = checkpoint.instruction
                return self._with_evidence(course, template.package)
        of_app = [t for t in usable if t.steps and t.app and is_said(checkpoint.instruction, t.app)]
        shared = shared_beginning(of_app) if len(of_app) >= _MIN_SHARED else []
        return self._with_evidence(_Course(shared, {}), of_app[0].package) if shared else None

    def _with_evidence(self, course: _Course, package: str) -> _Course:
        """The course with the evidence that its steps need in an app, by how others went there."""
        course.package, course.needed = package, self._repository.outcomes(package).runs_needed
        return course

    def _open_first(self, course: _Course, screen: Observation) -> None:
        """Have the app opened first, where a template begins on a page of it that is not in front."""
        opening = course.opening
        page = self._repository.screen(opening.before) if opening is not None else None
        if opening is None or page is None or key_of(page).is_like(key_of(screen)):
            return
        if not self._goes_on_from(course, screen):
            course.steps, course.added = (opening, *course.steps), 1

    def _settle(self, course: _Course, steps: Sequence[StoredStep], screen: Observation) -> str:
        """Take note of the step since the last proposal, and find the place to go on from.

        Returns:
            what to tell the model, where the step did not lead where it had led; else nothing.
        """
        last = steps[-1] if len(steps) > course.steps_before else None
        tapped = last.action.target if last is not None and isinstance(last.action, Click) else None
        course.opened = tapped.label if tapped and not says_little(tapped.label) else course.opened
        if course.scrolled_from is not None and course.proposed is None:
            before, course.scrolled_from = course.scrolled_from, None
            if last is None or last.error or before.says_the_same(tree_of(screen)):
                # The list ends here, or does not scroll: no further search for this step.
                course.scrolls = _MAX_SCROLLS
            course.replayed += last is not None and not last.error
            return ""
        if course.returning is not None:
            course.returning.anew |= last is not None and bool(last.error)
            course.replayed += last is not None and not last.error
            return ""
        if course.covered is not None and last is not None:
            (place, action), course.covered = course.covered, None
            course.replayed += not last.error
            return self._compare_outcome(course, place, action, screen)
        shortcut, course.shortcut = course.shortcut, None
        if shortcut is not None and last is not None:
            self._settle_shortcut(course, *shortcut, last, screen)
            return ""
        if course.proposed is not None:
            step, course.proposed = course.proposed, None
            return self._settle_proposed(course, step, last, screen) if last is not None else ""
        if last is not None:
            self._find_place(course, last, screen)
        return ""

    def _settle_shortcut(
        self, course: _Course, place: int, intent: OpenApp, last: StoredStep, screen: Observation
    ) -> None:
        """Go on behind the steps that an intent did; where it led elsewhere, with the first of them."""
        step, course.proposed = course.steps[place], None
        course.replayed += not last.error
        recorded = self._repository.screen(step.after)
        if last.error or not recorded or not shows_same_page(step, intent, recorded, screen):
            course.lost.add(place)
            return
        course.confirmed.add(course.place)
        course.matched += 1
        course.done.append(describe(last.action))
        course.place, course.scrolls = place + 1, 0

    def _settle_proposed(
        self, course: _Course, step: SkillStep, last: StoredStep, screen: Observation
    ) -> str:
        """The same for a step of the plan, as it was carried out."""
        if last.error:
            return self._diverge(course, f"“{step.words()}” was not performed: {last.error}")
        course.replayed += 1
        if readies(last.action, step):
            course.readied_at = course.place
            return ""
        course.done.append(describe(last.action))
        place, course.place, course.scrolls = course.place, course.place + 1, 0
        return self._compare_outcome(course, place, last.action, screen)

    def _compare_outcome(self, course: _Course, place: int, action: Action, screen: Observation) -> str:
        """Compare the screen with the one to which the step at a place had led.

        Returns:
            what to tell the model where the plan cannot go on from there; else nothing.
        """
        step = course.steps[place]
        if led_there(step, action, self._repository.screen(step.after), screen):
            course.confirmed.add(place)
            course.matched += 1
        elif not self._goes_on_from(course, screen):
            if course.closed < _MAX_CLOSED and closing_tap(screen, course.values.values()) is not None:
                course.covered = place, action
            elif self._is_start_page_known(step, screen):
                course.returning = StartPageReturn(step)
            else:
                return self._diverge(course, f"after “{describe(action)}” the screen is another than before")
        return ""

    def _is_start_page_known(self, step: SkillStep, screen: Observation) -> bool:
        """Whether a step opened the app in front, which had started on a page that is recorded."""
        recorded = self._repository.screen(step.after)
        opens = isinstance(step.action, OpenApp) and not step.action.at
        return opens and recorded is not None and recorded.app.package == screen.app.package

    def _towards_start(self, course: _Course, screen: Observation) -> Proposal | None:
        """What leads an app that was left in the middle to the page on which it started.

        None once it is there. Where nothing leads there, the model is told.
        """
        way = course.returning
        if way is None or (recorded := self._repository.screen(way.opening.after)) is None:
            return None
        step = course.steps[course.place] if course.place < len(course.steps) else None
        is_ready = step is not None and self._ready(course, step, screen) is not None
        if key_of(recorded).is_like(key_of(screen)) or is_ready or self._goes_on_from(course, screen):
            course.returning = None
            return None
        if (action := way.next_action(recorded, screen, self._repository.typed_lately())) is not None:
            return Proposal(action, way.opening.origin)
        course.returning = None
        return Proposal(note=self._diverge(course, "the app stands on another page than it started on"))

    def _is_done(self, course: _Course, place: int, screen: Observation) -> bool:
        """Whether a step would change nothing, or take it back: its choice stands, its field is ready."""
        step, recorded = course.steps[place], self._repository.screen(course.steps[place].before)
        if recorded is None or not key_of(recorded).is_like(key_of(screen)):
            return False
        following = course.steps[place + 1] if place + 1 < len(course.steps) else None
        point, value = getattr(step.action, "point", None), course.values.get(step.slot, "")
        is_due = bool(value) or not step.slot
        match = find_target(step, point, course.values, recorded, screen) if point and is_due else None
        if is_needless(step, following, match, screen):
            return True
        touched = tree_of(recorded).touched(point) if point else None
        if match is None or touched is None or not value:
            return False
        return (step.preset or not tree_of(recorded).is_on(touched)) and tree_of(screen).is_on(match.element)

    def _goes_on_from(self, course: _Course, screen: Observation) -> bool:
        """Whether the plan goes on from another page than before: a known pop-up came or stayed away."""
        steps = course.steps[course.place :]
        for step in steps[:_LOOK_AHEAD]:
            may_skip = may_stay_away(step)
            # Opening an app is possible everywhere, and tells nothing of the page.
            tells = (step is not steps[0] or may_skip) and not isinstance(step.action, OpenApp)
            if tells and self._ready(course, step, screen) is not None:
                return True
            if not may_skip:
                return False
        return bool(steps) and len(steps) < _LOOK_AHEAD and self._is_last_page(course, screen)

    def _diverge(self, course: _Course, what: str) -> str:
        course.divergences += 1
        course.agreed = None
        course.is_over = course.is_over or course.divergences >= MAX_DIVERGENCES
        return course.tell(what)

    def _find_place(self, course: _Course, last: StoredStep, screen: Observation) -> None:
        """After a step of the model: where among the recorded steps the page is, if it is one of them."""
        course.is_over = isinstance(last.action, Finished)
        if course.is_over or last.error:
            return
        step = course.steps[course.place] if course.place < len(course.steps) else None
        if step is not None and step.is_withheld and isinstance(last.action, TakeOver):
            course.place += 1
            return
        if step is not None and is_step_of_plan(last.action, step, course.values):
            is_there = led_there(step, last.action, self._repository.screen(step.after), screen)
            course.confirmed |= {course.place} if is_there else set()
            course.place += 1
            course.agreed = last.kind or course.agreed
            if step.confirmed < course.needed:
                course.matched += is_there
                course.missed += not (is_there or self._goes_on_from(course, screen))
            return
        is_like = step is not None and bool(step.slot) and hits_the_like(last.action, step)
        if is_like or (step and led_alike(step, last.action, self._repository.screen, course.shown, screen)):
            # A result whose title says more than was searched for; or a button that has another name now.
            course.place, course.repairs = course.place + 1, course.repairs + (not is_like)
            course.agreed = None
            return
        for ahead in range(course.place, min(course.place + _LOOK_AHEAD, len(course.steps))):
            is_free = all(map(may_be_passed, course.steps[course.place : ahead]))
            if is_free and self._ready(course, course.steps[ahead], screen):
                course.place = ahead
                return
        page = self._repository.screen(step.before) if step is not None else None
        was_closed = course.place - 1 in course.confirmed and closes_overlay(last.action, page, screen)
        course.repairs += is_repair(last.action, step) and not was_closed
        course.agreed = None

    @staticmethod
    def _note_repair(course: _Course, steps: Sequence[StoredStep]) -> None:
        """Count what the model does after memory has nothing more to say, if it is no step of the plan."""
        last = steps[-1] if len(steps) > course.steps_before else None
        course.steps_before = len(steps)
        if last is None or last.error:
            return
        step = course.steps[course.place] if course.place < len(course.steps) else None
        if step is not None and is_step_of_plan(last.action, step, course.values):
            course.confirmed.add(course.place)
            course.place += 1
        else:
            course.repairs += is_repair(last.action, step)

    def _scroll_to(self, course: _Course, step: SkillStep, screen: Observation) -> Action | None:
        """A scroll towards a target that lies in a list and is not in view; None where it need not be there.

        Down only, on the page of the step, within the list that held the target, and not beyond its end.
        """
        recorded, point = self._repository.screen(step.before), getattr(step.action, "point", None)
        if recorded is None or point is None or screen.secure or course.scrolls >= _MAX_SCROLLS:
            return None
        is_due = step.day in (None, course.day) and (not step.slot or course.values.get(step.slot))
        if not is_due or not key_of(recorded).is_like(key_of(screen)):
            return None
        before, now = tree_of(recorded), tree_of(screen)
        touched = before.touched(point)
        if touched is None or not is_target_absent(step, point, course.values, before, now):
            return None
        return scroll_down_around(before, touched, now)

    def _ready_behind_optional(
        self, course: _Course, screen: Observation, will_ask: Callable[[Action], bool]
    ) -> Action | None:
        """The action of the next step that fits, where all before it may stay away; the course goes there."""
        for ahead in range(course.place + 1, min(course.place + _LOOK_AHEAD, len(course.steps))):
            if not may_stay_away(course.steps[ahead - 1]) and not self._is_done(course, ahead - 1, screen):
                break
            is_known = course.steps[ahead].confirmed >= course.needed
            if is_known and (action := self._ready(course, course.steps[ahead], screen, will_ask)):
                course.place = ahead
                return action
        return None

    def _ready(
        self,
        course: _Course,
        step: SkillStep,
        screen: Observation,
        will_ask: Callable[[Action], bool] = lambda action: True,
    ) -> Action | None:
        """The action of a step on this screen, where everything is as it was.

        A sensitive action is given only where the user is asked about it, and only by a trusted template. Of
        a template on probation the model decides the first sensitive step, and those that belong to it
        follow, until a turn has confirmed it. On a screen that forbids its picture, such as one for payments,
        nothing but sensitive actions is given: nothing else there is done unseen.
        """
        action = self._on_same_page(course, step, screen)
        if action is not None and course.readied_at == course.place and readies(action, step):
            return None
        risk = judge(action, screen) if action is not None else None
        if action is None or risk is None:
            return None if screen.secure else action
        is_known = course.is_proven and bool(step.confirmed)
        is_confirmed = is_known and self._shows_values(course, step.before, screen)
        may_repeat = course.is_trusted or risk.kind is course.agreed or is_confirmed
        return action if may_repeat and will_ask(action) else None

    def _on_same_page(self, course: _Course, step: SkillStep, screen: Observation) -> Action | None:
        if step.day not in (None, course.day):
            return None
        if isinstance(step.action, OpenApp):
            return opening(step, course.values, screen)
        if step.before is None:
            return action_as_written(step, course.values, screen)
        recorded = self._repository.screen(step.before)
        has_value = not step.slot or course.values.get(step.slot)
        if not has_value or recorded is None or not key_of(recorded).is_like(key_of(screen)):
            return None
        if course.template is not None and offers_value(
            course.template.pattern, course.steps, step, course.values, recorded, screen
        ):
            return None
        if isinstance(step.action, PressEnter) and not holds_text_of_now(
            course.steps[: course.place], course.values, recorded, screen
        ):
            return None
        is_cleared = course.readied_at == course.place or not isinstance(step.action, TypeText)
        if not is_cleared and holds_own_text(recorded, screen, self._repository.typed_lately):
            return ClearText()
        template = course.template
        says_more = template is not None and not course.scrolls and opens_result(template, step)
        return action_on_screen(step, course.values, recorded, screen, says_more=says_more)

    def _claim(self, course: _Course, screen: Observation, note: str) -> Proposal | None:
        """Everything is done: the model looks and says so, or memory, where it knows the end."""
        if not note and self._ends_as_before(course, screen):
            course.claimed = True
            answer = course.template.answer if course.template is not None else ""
            return Proposal(Finished(answer=with_values(answer, course.values)))
        if not note and (answer := self._read_answer(course, screen)):
            course.claimed = True
            return Proposal(Finished(answer=answer), is_read=True)
        is_end = not note and self._is_known_end(course, screen)
        if not note and not is_end and self._is_expected_end(course, screen):
            return Proposal(Finished(), needs_look=True)
        note = note or course.tell()
        return Proposal(note=note, is_end=is_end) if note else None

    def _is_known_end(self, course: _Course, screen: Observation) -> bool:
        """Whether a template that is trusted, or whose steps are confirmed, came to its last page."""
        return (course.is_trusted or course.is_proven) and self._is_last_page(course, screen)

    def _is_expected_end(self, course: _Course, screen: Observation) -> bool:
        """Whether a template on probation did all by itself: a success, if the model looks and agrees."""
        by_itself = not course.is_trusted and not course.repairs and self._is_last_page(course, screen)
        last_page = course.template.last_page if course.template is not None else None
        return by_itself and self._shows_values(course, last_page, screen)

    def _is_last_page(self, course: _Course, screen: Observation) -> bool:
        """Whether a template came without a surprise to the page with which it ended before."""
        if course.template is None or course.divergences:
            return False
        last = self._repository.screen(course.template.last_page)
        return bool(course.replayed) and last is not None and key_of(last).is_like(key_of(screen))

    def _shows_values(self, course: _Course, page: ScreenRef | None, screen: Observation) -> bool:
        """Whether a screen says the values of now where the recorded page said those of then."""
        recorded, template = self._repository.screen(page), course.template
        return (template is not None and recorded is not None) and template.pattern.is_shown_again(
            course.values, tree_of(recorded).text, tree_of(screen).text
        )

    def _ends_as_before(self, course: _Course, screen: Observation) -> bool:
        """Whether a template came to its known end, which says the same with the values of now.

        The model's words there were always the same, and from time to time it still looks.
        """
        template = course.template
        if template is None or not self._is_known_end(course, screen):
            return False
        last = self._repository.screen(template.last_page)
        if not template.knows_answer or template.is_look_due or last is None:
            return False
        return says_as_before(template, course.values, last, screen, course.opened)

    def _read_answer(self, course: _Course, screen: Observation) -> str:
        """The answer, where it stands on the known last page in the place where the model found it."""
        template = course.template
        last = self._repository.screen(template.last_page) if template is not None else None
        if template is None or last is None or template.is_look_due or not self._is_known_end(course, screen):
            return ""
        answer = answer_on_screen(template, course.values, last, screen, course.day, course.opened)
        return answer if is_place_known(template, answer, course.opened) else ""
