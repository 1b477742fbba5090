"""Learning to act from turns that ended: what they replayed proves right or wrong, what they did is kept."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import Context
from itertools import takewhile
from threading import Lock
from typing import NamedTuple, Protocol

from sqlalchemy import Executable, Table, delete, select, update

from assistant.embedding.embedder import CachedEmbedder, EmbeddingError, LazyEmbedder
from assistant.i18n import _, later
from assistant.memory import schema
from assistant.memory.audit import NoSuchRow
from assistant.memory.database import StoreError, put_row
from assistant.memory.forgetting import erase_if_forgotten
from assistant.memory.profile.extract import mentions_secret
from assistant.memory.prototypes.similarity import asks_for_deed, names_word
from assistant.memory.prototypes.terms import CORRECTED_BY, split_own_words
from assistant.memory.request_log import REQUEST_TURN
from assistant.memory.store import Store
from assistant.memory.turns import Trace
from assistant.model.types import ModelError, one_line, quoted
from assistant.records import Outcome, describe
from assistant.settings.schema import Guidance
from assistant.skills.corrections import (
    declines,
    find_deviation,
    merge_trace,
    took_value,
    with_answer_of,
    with_branches,
    with_screens_of,
    without_mistakes,
)
from assistant.skills.replay import ActionMemory
from assistant.skills.skill_step import HARMLESS, SkillStep, kept_steps, likeness_needed
from assistant.skills.slots import SLOTS_PROMPT, NamedSlots, find_places, in_slots, parse_named_slots
from assistant.skills.storage import ReplayReport, SkillRepository, with_written_steps
from assistant.skills.template import SkillSource, SkillState, SkillTemplate, answer_reading, learn_template

_log = logging.getLogger(__name__)


class UnknownTurn(LookupError):
    """There is no turn of this id that could become a skill; `reason` tells the user why."""

    def __init__(self, turn_id: str, reason: str = "") -> None:
        super().__init__(turn_id)
        self.reason = reason or _("Nothing was touched, so there is nothing to keep.")


_ONLY_SHOWN = later("It only went to other pages and did nothing there, so there is nothing to keep.")

_MOST_CACHED = 2000
"""Orders whose vectors are kept in memory."""

_MOST_TOLD = 1500
"""Characters of steps that the model is told."""

_PATIENCE_AT_END = 2.0
"""Seconds for which an answer is waited for that is under way when everything ends."""


class SkillGuide:
    """Finds what the model is told of a template whose steps are not repeated for it (MobiMem 4.2).

    That is the template of the order's kind, else the nearest to it by the embeddings of what was said.

    Args:
        repository: the templates.
        level: how much is told.
        embedder: returns the sentence embedder, which is not waited for; None for none.
    """

    def __init__(
        self, repository: SkillRepository, level: Guidance, embedder: Callable[[], LazyEmbedder] | None
    ) -> None:
        self._repository = repository
        self._level = level
        self._embedder = embedder
        self._cached: CachedEmbedder | None = None

    def find(self, instruction: str) -> str:
        """How an order of this kind, or one like it, was carried out, for the model; empty where none was.

        Its words come from the phone and from earlier orders: they are quoted, as data.
        """
        if self._level is Guidance.OFF:
            return ""
        usable = [template for template in self._repository.usable() if template.steps]
        for template in usable:
            if (values := template.pattern.fill(instruction)) is not None:
                return self._describe("An order of this kind", template, values)
        nearest = self._nearest(instruction, usable)
        return self._describe("An order like this, but not the same,", nearest, {}) if nearest else ""

    def _nearest(self, instruction: str, templates: Sequence[SkillTemplate]) -> SkillTemplate | None:
        loading = self._embedder() if self._embedder is not None else None
        if not templates or loading is None or not loading.done or loading.problem:
            return None
        self._cached = self._cached or CachedEmbedder(loading, _MOST_CACHED)
        orders = [template.pattern.said() for template in templates]
        apps = {template.app.casefold() for template in templates if template.app}
        named = {app for app in apps if names_word(instruction, app)}
        try:
            vector, *others = self._cached.embed([instruction, *orders])
        except EmbeddingError as error:
            _log.warning("no skill is found by its meaning: %s", error)
            return None
        likeness = [float(other @ vector) for other in others]
        alike = [
            place
            for place, template in enumerate(templates)
            if likeness[place] >= likeness_needed(orders[place], instruction)
            if (not named or template.app.casefold() in named) and asks_for_deed(instruction, orders[place])
        ]
        return templates[max(alike, key=likeness.__getitem__)] if alike else None

    def _describe(self, which: str, template: SkillTemplate, values: Mapping[str, str]) -> str:
        every = template.steps if self._level is Guidance.STEPS else template.main_steps
        # Another order's deed is left to the instruction; the date of a day, “Wed, 2 Dec”, holds on it only.
        way = every if values else takewhile(lambda step: step.deed in HARMLESS, every)
        steps = (step for step in way if step.is_needed and step.day is None and not declines(step))
        words = [
            describe(step.with_value(step.text_for(values[step.slot])))
            if step.slot in values
            else step.words()
            for step in steps
        ]
        lines = "; ".join(f"{number}. {text}" for number, text in enumerate(words, 1))
        return (
            f"{which} was carried out in {quoted(template.app or 'an app', 60)}: "
            f"{quoted(template.pattern.said(values) if values else template.pattern.text, 200)}, by "
            f"{quoted(lines, _MOST_TOLD)}. For reference only: the screen and the instruction decide."
        )


_MOST_STEPS_SENT, _MOST_SENT = 40, 80


class SlotModel(Protocol):
    """A model that writes text, as JSON if a schema is given."""

    async def __call__(self, system: str, user: str, schema: dict[str, object] | None = None, /) -> str:
        """The model's answer to a prompt.

        Raises:
            ModelError: the model cannot be asked, or does not answer.
        """


def slots_request(template: SkillTemplate) -> str:
    """What a model is told of a template that was learnt from one turn; empty where a secret is in it."""
    order = template.pattern.said()
    needed = [step for step in template.steps if step.is_needed and not declines(step)]
    if any(step.is_withheld for step in template.steps) or mentions_secret(order):
        return ""
    content = {
        "order": order,
        "app": one_line(template.app, _MOST_SENT),
        "steps": [one_line(describe(s.with_value(s.title)), _MOST_SENT) for s in needed[:_MOST_STEPS_SENT]],
        "slots": [slot.example for slot in template.pattern.slots],
    }
    return json.dumps(content, ensure_ascii=False)


def read_named_slots(reply: str, instruction: str) -> dict[str, str]:
    """The words of an instruction that a model calls slots, with their names; none where one is a secret."""
    named = parse_named_slots(reply, instruction)
    return {} if any(map(mentions_secret, named)) else named


def with_named_slots(template: SkillTemplate, trace: Trace, named: Mapping[str, str]) -> SkillTemplate | None:
    """A template of one turn with the further slots that a model named; None where there are none to use.

    A slot that it has stays. A named one counts where a step tapped or typed its value, so that another value
    leads to another step, see `took_value`.
    """
    local = learn_template(trace, source=template.source)
    if local is None or (_unconfirmed(template), template.pattern) != (_unconfirmed(local), local.pattern):
        return None  # It has changed since.
    instruction, kept = trace.instruction, [slot.example for slot in template.pattern.slots]
    taken = [place for value in kept for place in find_places(instruction, value)]
    usable = {
        words: name
        for words, name in named.items()
        if words in kept
        or all(
            end <= left or right <= start
            for start, end in find_places(instruction, words)
            for left, right in taken
        )
    }
    learnt = learn_template(trace.model_copy(update={"named": usable}), source=template.source)
    if learnt is not None:
        bound = {step.example for step in learnt.steps if step.slot and took_value(step, trace)}
        usable = {words: name for words, name in usable.items() if words in bound or words in kept}
        learnt = learn_template(trace.model_copy(update={"named": usable}), source=template.source)
    if learnt is None or learnt.pattern == template.pattern:
        return None
    values = {slot.name: slot.example for slot in learnt.pattern.slots}
    if learnt.pattern.fill(instruction) != values or not {*kept} <= {*values.values()}:
        return None
    steps = tuple(
        step.model_copy(update={"confirmed": before.confirmed})
        for step, before in zip(learnt.steps, template.steps, strict=True)
    )
    is_named_by_user = template.name != template.pattern.text
    changes = {
        "pattern": learnt.pattern,
        "name": template.name if is_named_by_user else learnt.pattern.text,
        "steps": steps,
        "answer": in_slots(trace.answer, values),
        "reading": learnt.reading,
    }
    return template.model_copy(update=changes)


def _unconfirmed(template: SkillTemplate) -> list[SkillStep]:
    """The steps as they were learnt."""
    return [step.model_copy(update={"confirmed": 0}) for step in template.steps]


class _Lesson(NamedTuple):
    """A template as it is after a turn, and what the audit says of that."""

    template: SkillTemplate
    why: str
    what: str


def _is_replay(outcome: Outcome, report: ReplayReport) -> bool:
    """Whether a turn counts for the template that it used, and so teaches no way of its own."""
    is_confirmed = bool(report.needed) and outcome is Outcome.SUCCESS
    return bool(report.skill_id) and (bool(report.replayed) or is_confirmed)


class SkillMemory:
    """The templates of one user, and the action memory that replays them.

    Args:
        store: the memory.
        user_id: whose templates.
        enabled: whether steps may be replayed.
        guidance: how much the model is told of a template where its steps are not.
        names_slots: whether a model is asked which words of a new template are slots, see `name_waiting`.
        embedder: returns the sentence embedder that finds a like order's template; None for none.
    """

    def __init__(
        self,
        store: Store,
        user_id: str,
        enabled: bool = True,
        *,
        guidance: Guidance = Guidance.OFF,
        names_slots: bool = False,
        embedder: Callable[[], LazyEmbedder] | None = None,
    ) -> None:
        self._store = store
        self._user = user_id
        self._names_slots = names_slots
        self._learning = Lock()
        self.repository = SkillRepository(store, user_id)
        self._enabled = enabled
        self._guide = SkillGuide(self.repository, guidance, embedder)
        self.actions = self.new_actions()

    def new_actions(self) -> ActionMemory:
        """Another action memory on the same templates, for a turn side by side with others."""
        return ActionMemory(self.repository, self._enabled, self._guide.find)

    def note_end(
        self, turn_id: str, outcome: Outcome, answer: str = "", actions: ActionMemory | None = None
    ) -> None:
        """Put a turn that has ended into the queue of those to learn from; a crash does not lose it.

        Args:
            turn_id: the turn.
            outcome: how it ended.
            answer: what it answered.
            actions: the action memory that it used, by default that of single turns.

        Raises:
            StoreError: the memory cannot be written.
        """
        report = (actions or self.actions).report(turn_id).model_copy(update={"answer": answer})
        is_replay = _is_replay(outcome, report)
        queues = [schema.action_queue] if is_replay or report.package else []
        queues += [schema.experience_queue] if outcome is Outcome.SUCCESS and not is_replay else []
        with self._store.database.write() as connection:
            for queue in queues:
                put_row(connection, queue, self._row(turn_id, outcome, report))

    def learn_waiting(self) -> list[SkillTemplate]:
        """Learn from the turns that wait, oldest first; to be called in a thread.

        What they repeated is counted first (action memory), then they teach new ways (experience).

        Returns:
            the templates that changed or are new.

        Raises:
            StoreError: the memory cannot be written.
        """
        changed = []
        for queue in (schema.action_queue, schema.experience_queue):
            for turn_id, outcome, report in self._waiting(queue):
                if report.learnt and self._names_slots and queue is schema.experience_queue:
                    continue
                with self._learning:
                    learnt = self._learn_one(queue, turn_id, outcome, report)
                changed += [] if erase_if_forgotten(self._store, turn_id) else learnt
        return changed

    def _learn_one(
        self, queue: Table, turn_id: str, outcome: Outcome, report: ReplayReport
    ) -> list[SkillTemplate]:
        """Learn what one queue keeps a turn for; with the last of it the turn leaves the queue."""
        is_replay, lessons = _is_replay(outcome, report), list[_Lesson]()
        done: Executable = delete(queue).where(queue.c.turn_id == turn_id)
        if queue is schema.action_queue:
            self._count_outcome(turn_id, outcome, report)
            lessons = self._settle(report, turn_id, outcome) if is_replay else []
        elif outcome is Outcome.SUCCESS and not is_replay and not report.learnt:
            trace = self._trace(turn_id, report)
            lessons = self._learn_trace(trace) if trace is not None else []
            if lessons and self._names_slots and lessons[0].template.evidence == (turn_id,):
                # It is no entry of the queue any more that teaches, but one that waits for the model.
                body = report.model_copy(update={"learnt": lessons[0].template.id}).model_dump(mode="json")
                done = update(queue).where(queue.c.turn_id == turn_id).values(report=body)
        self._keep_lessons(lessons, done)
        return [lesson.template for lesson in lessons]

    def _keep_lessons(self, lessons: Sequence[_Lesson], *done: Executable) -> None:
        """Write what was learnt, in one transaction with the statements that belong to the last of it."""
        for lesson in lessons[:-1]:
            self.repository.put(*lesson)
        if lessons:
            self.repository.put(*lessons[-1], done)
            return
        with self._store.database.write() as connection:
            for statement in done:
                connection.execute(statement)

    def _count_outcome(self, turn_id: str, outcome: Outcome, report: ReplayReport) -> None:
        """Count for the app of a turn which repeated steps led where they had led."""
        differed = report.divergences + report.missed + report.corrected
        matched = report.matched if outcome is Outcome.SUCCESS else 0
        if report.package and (matched or differed):
            of_app = {"package": report.package, "matched": matched, "differed": differed}
            with self._store.database.write() as connection:
                row = {"turn_id": turn_id, "user_id": self._user} | of_app
                put_row(connection, schema.replay_outcomes, row)

    def _waiting(self, queue: Table) -> list[tuple[str, Outcome, ReplayReport]]:
        query = select(queue).where(queue.c.user_id == self._user).order_by(queue.c.turn_id)
        with self._store.reader() as connection:
            rows = connection.execute(query).mappings().all()
        return [
            (row["turn_id"], Outcome(row["outcome"]), ReplayReport.model_validate(row["report"]))
            for row in rows
        ]

    def _row(self, turn_id: str, outcome: Outcome, report: ReplayReport) -> dict[str, object]:
        body = report.model_dump(mode="json")
        return {"turn_id": turn_id, "user_id": self._user, "outcome": outcome.value, "report": body}

    async def name_waiting(self, ask: SlotModel) -> int:
        """Have a model say which words are slots in the orders that were learnt from one turn.

        A bad answer, or none, leaves a template as it was learnt; it is asked for only once.

        Returns:
            how many templates it was about.

        Raises:
            StoreError: the memory cannot be written.
        """
        entries = await asyncio.to_thread(self._waiting, schema.experience_queue)
        waiting = [entry for entry in entries if entry[2].learnt]
        for turn_id, _outcome, report in waiting:
            template = await asyncio.to_thread(self.repository.get, report.learnt)
            request, reply = slots_request(template) if template is not None else "", ""
            if request:
                REQUEST_TURN.set(turn_id)
                try:
                    reply = await ask(SLOTS_PROMPT, request, NamedSlots.model_json_schema())
                except ModelError as error:
                    _log.warning("no model names the slots of a skill: %s", error)
            await asyncio.to_thread(self._name_slots, turn_id, report, reply)
        return len(waiting)

    def _name_slots(self, turn_id: str, report: ReplayReport, reply: str) -> None:
        with self._learning:
            template, trace = self.repository.get(report.learnt), self._trace(turn_id, report)
            named = read_named_slots(reply, trace.instruction) if trace is not None else {}
            renewed = with_named_slots(template, trace, named) if template and trace and named else None
            is_used = renewed is not None and not self._takes_orders_of_others(renewed)
            why, queue = ("a model read the order", "Name the slots of a skill"), schema.experience_queue
            lessons = [_Lesson(renewed, *why)] if renewed is not None and is_used else []
            self._keep_lessons(lessons, delete(queue).where(queue.c.turn_id == turn_id))

    def _takes_orders_of_others(self, renewed: SkillTemplate) -> bool:
        """Whether an order that another template was learnt from would be one of this kind."""
        others = [template for template in self.repository.usable() if template.id != renewed.id]
        return any(renewed.pattern.fill(template.pattern.said()) is not None for template in others)

    def learn(self, turn_id: str, outcome: Outcome, report: ReplayReport) -> SkillTemplate | None:
        """Learn from an ended turn that waits in no queue, and return the skill that changed, if any.

        If the turn replayed a skill, its success or failure is counted for that skill; a cancelled one counts
        as neither. A successful one in which the model took the steps because they need more evidence
        confirms them. Otherwise the steps of a successful turn become a skill, or are added to one.
        """
        trace = self._trace(turn_id, report) if outcome is Outcome.SUCCESS else None
        if _is_replay(outcome, report):
            lessons = self._settle(report, turn_id, outcome)
        else:
            lessons = self._learn_trace(trace) if trace is not None else []
        self._keep_lessons(lessons)
        return lessons[-1].template if lessons else None

    def _trace(self, turn_id: str, report: ReplayReport) -> Trace | None:
        trace = self.repository.trace(turn_id)
        return trace.model_copy(update={"answer": report.answer}) if trace is not None else None

    def find(self, name: str) -> SkillTemplate | None:
        """A skill by its id or name, or a past turn by its id, as a template that is not kept."""
        template = self.repository.get(name)
        if template is not None:
            return template
        trace = self.repository.trace(name)
        return learn_template(trace) if trace is not None else None

    def keep(self, turn_id: str, name: str = "") -> SkillTemplate:
        """Keep a past turn as a skill, because the user says so; the one of its way, if there is one already.

        Raises:
            UnknownTurn: there is no such turn, or it holds nothing that could be repeated.
        """
        trace = self.repository.trace(turn_id)
        template = learn_template(trace, source=SkillSource.SHOWN) if trace is not None else None
        if template is None:
            raise UnknownTurn(turn_id, _(_ONLY_SHOWN) if trace is not None and kept_steps(trace) else "")
        same = (kept for kept in self.repository.usable() if _is_same_skill(kept, template))
        kept = next(same, template)
        kept = kept.model_copy(update={"name": name or kept.name, "source": SkillSource.SHOWN})
        self.repository.put(kept, "asked by the user")
        if self._names_slots:
            row = self._row(turn_id, Outcome.SUCCESS, ReplayReport(learnt=kept.id))
            with self._store.database.write() as connection:
                put_row(connection, schema.experience_queue, row)
        return kept

    def rename(self, template: SkillTemplate, name: str) -> None:
        """Give a template another name."""
        renamed = template.model_copy(update={"name": name})
        self.repository.put(renamed, "asked by the user", "Rename a skill")

    def rewrite(self, template: SkillTemplate, text: str) -> SkillTemplate:
        """Give a template the order and the steps that the user wrote, see `with_written_steps`.

        Raises:
            SkillFileError: they cannot be used.
        """
        written = with_written_steps(template, text)
        if written != template:
            self.repository.put(written, "asked by the user", "Edit a skill")
        return written

    def retire(self, template: SkillTemplate, *, retired: bool = True) -> None:
        """Use a template no more, or on probation again."""
        state = SkillState.RETIRED if retired else SkillState.PROBATION
        changed = template.model_copy(update={"state": state, "failures": 0})
        self.repository.put(
            changed, "asked by the user", "Retire a skill" if retired else "Use a skill again"
        )

    def delete(self, template: SkillTemplate) -> bool:
        """Delete a template; whether it was there."""
        try:
            self.repository.delete(template.id)
        except NoSuchRow:
            return False
        return True

    def _settle(self, report: ReplayReport, turn_id: str, outcome: Outcome) -> list[_Lesson]:
        """Count the turn for or against the template it used, and keep the new path of one that differed."""
        template, well = self.repository.get(report.skill_id), outcome is Outcome.SUCCESS
        if template is None or outcome is Outcome.CANCELLED:
            return []
        if report.corrected:
            return self._correct(template, turn_id, well=well)
        template = _without_shortcuts(template, report.lost)
        as_expected = not report.divergences
        by_itself = as_expected and not report.repairs
        changed = template.ran(
            well=well,
            as_expected=by_itself,
            replayed=report.replayed,
            claimed=report.claimed,
            confirmed=() if report.repairs else report.confirmed,
        )
        trace = self._trace(turn_id, report) if well else None
        if trace is not None and as_expected and not report.claimed:
            # What the model said at the end it said of the page there, whatever it set right on the way.
            changed = with_answer_of(changed, trace)
        if trace is not None and not by_itself:
            # What the model set right is the better way, or one more page that may come in between.
            changed = (
                with_branches(changed, trace)
                or merge_trace(changed, trace)
                # A way that somebody showed or wrote is not given up for one that the model found.
                or (_renewed(changed, trace) if changed.source is SkillSource.LEARNT else None)
                or changed
            )
        if trace is not None and template.source is not SkillSource.LEARNT:
            changed = with_screens_of(changed, trace)
        return [_Lesson(changed, "a turn used it", "Count a use of a skill")]

    def _correct(self, template: SkillTemplate, turn_id: str, *, well: bool) -> list[_Lesson]:
        """Change the template that the user corrected, so that the mistake is not repeated.

        With the corrected path where the turn ended well and carried out the same kind of order; else the
        template is retired, and what the turn did instead is learnt as a kind of its own. A template that did
        as it was told, before the user wished for something else, stays as it is.
        """
        trace = self.repository.trace(turn_id) if well else None
        trace = without_mistakes(trace) if trace is not None else None
        corrected = learn_template(trace, like=template) if trace is not None else None
        why = "the user corrected a turn"
        if trace is not None and corrected is not None:
            deviation = find_deviation(template, corrected, trace)
            if deviation is None or deviation.changed_wish:
                return []
            why = deviation.reason()
        renewed = _renewed(template, trace) if trace is not None else None
        if renewed is not None and _path(renewed) != _path(template):
            steps = tuple(step.model_copy(update={"optional": step.dismisses}) for step in renewed.steps)
            renewed = renewed.model_copy(update={"steps": steps})
            return [_Lesson(renewed, why, "Correct a skill")]
        retired = template.model_copy(update={"state": SkillState.RETIRED})
        others = [other for other in self.repository.usable() if other.id != template.id]
        learnt = self._learn_trace(trace, others) if trace is not None else []
        return [_Lesson(retired, why, "Retire a skill"), *learnt]

    def _learn_trace(self, trace: Trace, usable: Sequence[SkillTemplate] | None = None) -> list[_Lesson]:
        """Merge a trace into the template of its kind, or make one of it.

        An order that carries the user's own words was partly guessed, and its words are no order's; nor are
        those of one beside which they said something else.
        """
        is_order = CORRECTED_BY not in trace.instruction and not split_own_words(trace.instruction)[1]
        learnt = learn_template(trace) if is_order else None
        if learnt is None or learnt.is_passing:
            return []
        usable = self.repository.usable() if usable is None else usable
        for template in usable:
            if template.package != learnt.package or trace.turn_id in template.evidence:
                continue
            merged = merge_trace(template, trace)
            if merged is not None:
                return [_Lesson(merged, "a turn of its kind ended well", "Learn a skill")]
        if any(t.pattern.fill(trace.instruction) is not None for t in usable):
            # Another path for a known order: the known one stays until it fails.
            return []
        return [_Lesson(learnt, "a turn ended well", "Learn a skill")]


class SkillLearner:
    """Learns from turns that ended, in a thread, one learning at a time. Belongs to the event loop's thread.

    A model that names slots is asked beside it: neither the next turn nor what is learnt then waits for it.

    Args:
        skills: where it puts what it learns.
        ask: the model; None for none.

    Attributes:
        skills: where it puts what it learns.
        task: the learning under way, or the last one; None before the first.
    """

    def __init__(self, skills: SkillMemory, ask: SlotModel | None = None) -> None:
        self.skills = skills
        self.task: asyncio.Task[None] | None = None
        self._ask = ask
        self._is_due = False
        self._naming: asyncio.Task[None] | None = None

    def note_end(self, turn_id: str, outcome: Outcome, answer: str, actions: ActionMemory) -> None:
        """Learn from a turn that ended, see `SkillMemory.note_end`."""
        try:
            self.skills.note_end(turn_id, outcome, answer, actions)
        except StoreError as error:
            _log.warning("a turn does not wait to be learnt from: %s", error)
        self.begin()

    def begin(self) -> None:
        """Learn from the turns that wait; a learning that is under way looks once more before it ends."""
        self._is_due = True
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self._learn())

    async def close(self) -> None:
        """Wait for the learning under way, and a moment for the model, which is else asked next time."""
        if self.task is not None:
            await asyncio.wait([self.task])
        if self._naming is not None:
            await asyncio.wait([self._naming], timeout=_PATIENCE_AT_END)
            self._naming.cancel()
            await asyncio.wait([self._naming])

    async def _learn(self) -> None:
        while self._is_due:
            self._is_due = False
            try:
                await asyncio.to_thread(self.skills.learn_waiting)
            except StoreError as error:
                _log.warning("what turns taught is not kept yet: %s", error)
        if self._ask is not None and (self._naming is None or self._naming.done()):
            # In a context of its own: what is sent belongs to no turn that may begin meanwhile.
            self._naming = asyncio.create_task(self._name(self._ask), context=Context())

    async def _name(self, ask: SlotModel) -> None:
        try:
            while await self.skills.name_waiting(ask):
                pass
        except StoreError as error:
            _log.warning("the slots of a skill are not named yet: %s", error)


def _without_shortcuts(template: SkillTemplate, places: Collection[int]) -> SkillTemplate:
    """A template without the shortcuts that led elsewhere, to the pages of the steps at some places."""
    steps = (
        step.model_copy(update={"shortcut": ""}) if place in places else step
        for place, step in enumerate(template.steps)
    )
    return template.model_copy(update={"steps": tuple(steps)})


def _is_same_skill(kept: SkillTemplate, template: SkillTemplate) -> bool:
    """Whether a template does the same for the same kind of order as another one."""
    values = kept.pattern.fill(template.pattern.said())
    if values is None or kept.package != template.package:
        return False
    ways = [_way(kept, values), _way(template, template.filled({}))]
    return kept.id == template.id or ways[0] == ways[1]


def _way(template: SkillTemplate, values: Mapping[str, str]) -> list[str]:
    """What its steps do with values in its slots, without those that may stay away."""
    steps = [step for step in template.steps if not step.optional]
    titles = [step.text_for(values[step.slot]) if step.slot in values else step.title for step in steps]
    return [describe(step.with_value(title)).casefold() for step, title in zip(steps, titles, strict=True)]


def _path(template: SkillTemplate) -> list[str]:
    return [step.words() for step in template.steps]


def _renewed(template: SkillTemplate, trace: Trace) -> SkillTemplate | None:
    """The template with the path of a whole turn that found another way, with the slots that it had.

    The path of a turn that only took up a half-done one describes its rest, and is not taken.
    """
    other = learn_template(trace, like=template)
    values = template.pattern.fill(trace.instruction)
    if other is None or values is None or other.package != template.package:
        return None
    names = {value.casefold(): name for name, value in values.items()}
    steps = tuple(
        step.model_copy(update={"slot": names.get(step.example.casefold(), "")})
        for step in other.steps
        if not step.preset or step.example.casefold() in names
    )
    if {step.slot for step in steps} != {step.slot for step in template.steps}:
        return None
    evidence = (*template.evidence, trace.turn_id)
    slots = tuple(slot.model_copy(update={"example": values[slot.name]}) for slot in template.pattern.slots)
    pattern = template.pattern.model_copy(update={"slots": slots})
    changes = {
        "steps": steps,
        "evidence": evidence,
        "pattern": pattern,
        "state": SkillState.PROBATION,
        "runs": 0,
        "answer": in_slots(trace.answer, values),
        "answers": 1,
        "reading": answer_reading(trace, values),
        "readings": 1,
    }
    return template.model_copy(update=changes)
