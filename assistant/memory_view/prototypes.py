"""The sections of what is learnt from turns: preferences, routines and skills, with details and editing.

Preferences and routines are stable prototypes; `PrototypeCache` keeps these until the memory changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

from sqlalchemy import func, select

from assistant.i18n import _, counted, joined, later, moment, ngettext, sentences
from assistant.memory import schema
from assistant.memory.profile.service import Profile
from assistant.memory.prototypes.model import (
    STABLE,
    UNKNOWN,
    Prototype,
    RecordKind,
    UnreadableTimeWindow,
    format_scenario,
    kind_of_prototype,
    most_frequent,
    parse_scenario,
    read_window,
)
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import RevisionCache
from assistant.memory_view.items import (
    EVIDENCE,
    HOURS,
    DryRun,
    Item,
    ItemAction,
    ItemDetails,
    ItemField,
    ItemList,
    MemoryProblem,
    RecordMeanings,
    Section,
    SectionProvider,
    ViewContext,
    app_title,
    check_text,
    deletion_preview,
    details_of,
    forget_records,
    heat_of,
    read_query,
    records_of,
)
from assistant.memory_view.labels import facts_of_records, find_sureness
from assistant.records import Outcome, Record, Source
from assistant.skills.service import SkillMemory, UnknownTurn
from assistant.skills.skill_step import SkillStep
from assistant.skills.slots import read_values, with_values
from assistant.skills.storage import (
    SkillFileError,
    describe_outcomes,
    export_skill,
    folder_name,
    steps_as_text,
)
from assistant.skills.template import (
    PROBATION_RUNS,
    SkillSource,
    SkillState,
    SkillTemplate,
    plan_replay,
)

_ACTS = frozenset(
    {ItemAction.EDIT, ItemAction.PIN, ItemAction.HIDE, ItemAction.MERGE, ItemAction.SPLIT, ItemAction.FORGET}
)
_ARCHIVED, _BY_ITSELF = later("archived"), later("by itself")

_TRIED = frozenset({ItemAction.TRY, ItemAction.EXPORT, ItemAction.FORGET})
_SKILL_ACTS = _TRIED | {ItemAction.EDIT, ItemAction.HIDE}
_MOST_RECORDINGS = 50
_LONGEST_SKILL_NAME = 200
_SKILL_STATES = {
    SkillState.PROBATION: later("on probation"),
    SkillState.TRUSTED: later("trusted"),
    SkillState.RETIRED: later("retired"),
}
_SKILL_SOURCES = {
    SkillSource.LEARNT: later("learnt from turns"),
    SkillSource.SHOWN: later("kept or shown by you"),
    SkillSource.WRITTEN: later("imported"),
}


def prototype_item(prototype: Prototype) -> Item:
    """The line of a prototype."""
    counts = Counter(member.time.hour for member in prototype.members)
    routine = kind_of_prototype(prototype) is RecordKind.ROUTINE
    scenario, _count = most_frequent(
        member.scenario for member in prototype.members if member.scenario != UNKNOWN
    )
    return Item(
        id=prototype.id,
        name=prototype.instruction,
        acts=_ACTS | {ItemAction.ALONE} if routine else _ACTS,
        count=len(prototype.members),
        weight=find_sureness(prototype),
        last=max(member.time for member in prototype.members),
        hours=tuple(counts[hour] for hour in range(HOURS)),
        pinned=prototype.pinned,
        hidden=prototype.hidden,
        over=_ARCHIVED if prototype.archived else _BY_ITSELF if prototype.alone else "",
        app=prototype.app,
        scenario=scenario,
    )


KINDS = {
    Section.PREFERENCES: frozenset({RecordKind.PREFERENCE, RecordKind.ROUTINE}),
    Section.ROUTINES: frozenset({RecordKind.ROUTINE}),
}
"""What each section tells: a routine is a preference too."""


@dataclass(frozen=True, slots=True)
class StablePrototypes:
    """Prototypes by their ids and by the ids of their records, and how many `others` there are."""

    by_id: Mapping[str, Prototype]
    by_record: Mapping[str, Prototype]
    others: int


class PrototypeCache:
    """The stable prototypes of a user, kept while nothing changes."""

    def __init__(self, memory: HierarchicalMemory, context: ViewContext) -> None:
        self.memory = memory
        self._context = context
        self._stable = RevisionCache(
            context.store,
            self._load,
            (*schema.PROTOTYPE_TABLES, schema.learning_switches),
            lambda day: memory.bring_up(context.user_id),
        )

    def all(self) -> list[Prototype]:
        """The stable prototypes, as they are now."""
        return list(self._now().by_id.values())

    @property
    def others(self) -> int:
        """How many prototypes have records of too few days to be stable."""
        return self._now().others

    def get(self, name: str) -> Prototype:
        """One by its id.

        Raises:
            KeyError: there is none.
        """
        return self._now().by_id[name]

    def of_record(self, record_id: str) -> Prototype | None:
        """The one that a record belongs to."""
        return self._now().by_record.get(record_id)

    def _now(self) -> StablePrototypes:
        return self._stable.get(self._context.store.now().date())

    def _load(self, day: date) -> StablePrototypes:
        """The prototypes as they are on a day: their evidence fades."""
        prototypes = self.memory.prototypes(self._context.user_id, at_least=STABLE)
        by_id = {prototype.id: prototype for prototype in prototypes if section_of(prototype) is not None}
        by_record = {record_id: prototype for prototype in by_id.values() for record_id in prototype.evidence}
        return StablePrototypes(by_id, by_record, self._count() - len(by_id))

    def _count(self) -> int:
        table = schema.prototypes
        query = select(func.count()).where(table.c.user_id == self._context.user_id)
        with self._context.store.reader() as connection:
            return int(connection.execute(query).scalar_one())


def section_of(prototype: Prototype) -> Section | None:
    """Where a prototype is told most fully; None for a one-off."""
    kind = kind_of_prototype(prototype)
    return next(
        (section for section in (Section.ROUTINES, Section.PREFERENCES) if kind in KINDS[section]), None
    )


def member_ids(prototype: Prototype) -> tuple[str, ...]:
    """The ids of the records, the centre first, as decisions want them."""
    return prototype.centre_id, *(
        record_id for record_id in prototype.evidence if record_id != prototype.centre_id
    )


_READ, _NEXT = 60, 3
_LONGEST = 400

Occasions = Callable[[str], Sequence[tuple[datetime, float]]]
"""When a prototype is likely next, with the chances."""


class PrototypesSection(SectionProvider):
    """One of the two sections.

    Args:
        section: which.
        context: the store and its user.
        cache: the prototypes.
        profile: opens the profile, for what rests on the same records.
        meanings: finds records by meaning.
        occasions: tells when one is likely next.
    """

    def __init__(
        self,
        section: Section,
        context: ViewContext,
        cache: PrototypeCache,
        profile: Callable[[], Profile],
        meanings: RecordMeanings,
        occasions: Occasions,
    ) -> None:
        self._section = section
        super().__init__(context)
        self._cache = cache
        self._profile = profile
        self._meanings = meanings
        self._occasions = occasions

    def build(self) -> ItemList:
        """The prototypes: pinned ones first, then by the evidence left after fading."""
        prototypes = self._cache.all()
        shown = [prototype for prototype in prototypes if self._tells(prototype)]
        shown.sort(
            key=lambda prototype: (
                not prototype.pinned,
                prototype.archived,
                prototype.hidden,
                -prototype.weight,
            )
        )
        once = self._cache.others
        note = ""
        if not shown:
            note = _("None yet. What you ask for on {stable} days appears here.").format(stable=STABLE)
        elif once:
            note = _("{once} more are not listed: seen on under {stable} days").format(
                stable=STABLE, once=once
            )
        return ItemList(tuple(prototype_item(prototype) for prototype in shown), note)

    def details(self, item: Item) -> ItemDetails:
        """Usual values, how sure it is, what it is good for, and its records."""
        prototype = self._cache.get(item.id)
        records = records_of(self._context.store, prototype.evidence[:_READ])
        facts = (*self._purpose(prototype), *facts_of_records(prototype, records))
        fields = (
            ItemField(later("instruction"), prototype.instruction, _("the task, in your words")),
            ItemField(
                later("hours"),
                prototype.window.words if prototype.window else "",
                _("when it is suggested: 11:50-12:30 mon-fri; empty: any time"),
            ),
            ItemField(
                later("scenario"),
                format_scenario(prototype.place),
                _("where it is suggested, such as office; empty: anywhere"),
            ),
        )
        heat = heat_of([member.time for member in prototype.members])
        details = details_of(facts, prototype.evidence, records, heat=heat, fields=fields)
        return replace(details, note=self._reworded(prototype))

    def _reworded(self, prototype: Prototype) -> str:
        """That its words are the user's, where its records say others."""
        centre = self._context.store.records.get(prototype.centre_id)
        if centre is None or centre.instruction == prototype.instruction:
            return ""
        sentence = ngettext(
            "You changed these words; the record says “{words}”.",
            "You changed these words; the {count} records say “{words}”.",
            len(prototype.members),
        )
        return sentence.format(count=len(prototype.members), words=centre.instruction)

    def alike(self, words: str, most: int) -> list[str]:
        """Those whose centres are near in meaning."""
        centres = {
            prototype.centre_id: prototype.id for prototype in self._cache.all() if self._tells(prototype)
        }
        return [centres[centre_id] for centre_id in self._meanings.nearest(words, most, centres)]

    def _tells(self, prototype: Prototype) -> bool:
        return kind_of_prototype(prototype) in KINDS[self._section]

    def edit(self, item: Item, field: str, text: str) -> str:
        """Another centre instruction, other hours, another place."""
        ids = member_ids(self._cache.get(item.id))
        decisions = self._cache.memory.decisions(self._context.user_id)
        if field == "hours":
            try:
                window = read_window(text) if text else None
            except UnreadableTimeWindow as problem:
                raise MemoryProblem(str(problem)) from problem
            decisions.keep_to(ids, str(window or ""))
            when = window.words if window else _("at any time")
            return _("Changed: it is suggested {window}.").format(window=when)
        if field == "scenario":
            text = parse_scenario(text.casefold())
            decisions.place(ids, text)
            return (
                _("Changed: it is suggested in this place only: {place}").format(place=format_scenario(text))
                if text
                else _("Changed: it is suggested anywhere.")
            )
        if not text:
            raise MemoryProblem(_("Enter a text. To delete the item, forget it."))
        if len(text) > _LONGEST:
            raise MemoryProblem(
                _("It has {count} characters; at most {longest} are kept.").format(
                    count=len(text), longest=_LONGEST
                )
            )
        decisions.rename(ids, text)
        return _("Changed: {text}").format(text=text)

    def pin(self, item: Item, pinned: bool) -> None:
        """Keep it from being archived, or let it fade."""
        self._cache.memory.decisions(self._context.user_id).pin(member_ids(self._cache.get(item.id)), pinned)

    def hide(self, item: Item, hidden: bool) -> None:
        """Leave it out of answers and suggestions, or not."""
        self._cache.memory.decisions(self._context.user_id).hide(member_ids(self._cache.get(item.id)), hidden)

    def stop_suggesting(self, item: Item) -> None:
        """Leave it out of suggestions alone."""
        decisions = self._cache.memory.decisions(self._context.user_id)
        decisions.hide(member_ids(self._cache.get(item.id)), only_suggestions=True)

    def let_alone(self, item: Item) -> str:
        """Let a routine begin by itself, after a while to stop it; or ask first again."""
        prototype = self._cache.get(item.id)
        self._cache.memory.decisions(self._context.user_id).let_alone(
            member_ids(prototype), not prototype.alone
        )
        if prototype.alone:
            return _("Suggested again. Starts only if you accept.")
        return _("Auto-run: starts at its time after a countdown. Never for sensitive actions.")

    def merge(self, item: Item, other: Item) -> str:
        """Make one of two."""
        target, removed = self._cache.get(item.id), self._cache.get(other.id)
        if target.id == removed.id:
            raise MemoryProblem(_("Choose a different item to merge with."))
        self._cache.memory.decisions(self._context.user_id).merge(member_ids(target), member_ids(removed))
        return _("Merged {records} into one.").format(
            records=counted(len(target.members) + len(removed.members), "record")
        )

    def leaving(self, item: Item, words: str) -> str:
        """How many records would leave it."""
        prototype = self._cache.get(item.id)
        taken = self._taken(prototype, words)
        return _("Splits off {count} of {records}.").format(
            count=len(taken), records=counted(len(prototype.members), "record")
        )

    def split(self, item: Item, words: str) -> str:
        """Let the records that some words find leave together."""
        prototype = self._cache.get(item.id)
        taken = self._taken(prototype, words)
        self._cache.memory.decisions(self._context.user_id).split(member_ids(prototype), taken)
        return ngettext("Split off {count} record.", "Split off {count} records.", len(taken)).format(
            count=len(taken)
        )

    def goes_with(self, item: Item) -> str:
        """All its records go."""
        return deletion_preview(self._context.store, self._profile(), member_ids(self._cache.get(item.id)))

    def forget(self, item: Item) -> str:
        """All its records go."""
        return forget_records(self._context.store, member_ids(self._cache.get(item.id)))

    def _taken(self, prototype: Prototype, words: str) -> list[str]:
        """The records of a prototype that a query finds.

        Raises:
            MemoryProblem: it finds none of them, or all.
        """
        query = read_query(words, self._context.store.now())
        words_of_query = query.words.casefold().split()
        records = records_of(self._context.store, prototype.evidence)
        record_ids = []
        for record in records:
            text = f"{record.instruction} {record.said}".casefold()
            as_item = Item(
                record.id, "", frozenset(), last=record.time, app=record.app, scenario=record.scenario
            )
            if query.admits(as_item) and all(word in text for word in words_of_query):
                record_ids.append(record.id)
        if not record_ids or len(record_ids) == len(records):
            problem = (
                _("This matches none of its records.")
                if not record_ids
                else _("This matches all of its records; leave some out.")
            )
            raise MemoryProblem(
                f"{problem} {_('Type words that some of them contain, or app: scenario: since:')}"
            )
        return record_ids

    def _purpose(self, prototype: Prototype) -> list[tuple[str, str]]:
        """What it changes in what the assistant does."""
        if prototype.unsuggested:
            return [(later("does"), _("completes vague commands; it is suggested no more, as you said"))]
        if prototype.hidden:
            return [(later("does"), _("nothing: you have hidden it"))]
        if prototype.archived:
            return [(later("does"), _("little: it has not been asked for in a long time; pin it to keep it"))]
        facts = [(later("does"), _("completes vague commands"))]
        coming = self._coming(prototype) if section_of(prototype) is Section.ROUTINES else []
        if coming:
            facts.append((later("next"), joined(f"{moment(when)} ({chance:.0%})" for when, chance in coming)))
        if prototype.alone:
            facts.append((later("just do it"), _("on: starts at its time after a countdown")))
        if prototype.window is not None:
            facts.append((later("only"), _("suggested {window}").format(window=prototype.window.words)))
        if prototype.place:
            facts.append(
                (
                    later("only"),
                    _("suggested in this place: {place}").format(place=format_scenario(prototype.place)),
                )
            )
        return facts

    def _coming(self, prototype: Prototype) -> list[tuple[datetime, float]]:
        window = prototype.window
        occasions = self._occasions(prototype.id)
        return [occasion for occasion in occasions if window is None or window.contains(occasion[0])][:_NEXT]


class SkillsSection(SectionProvider):
    """Skills, those that are used most first, where a hidden one is retired; then the recordings."""

    forgets_for_good = False
    written = frozenset({"steps"})

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context)
        self._skills = SkillMemory(context.store, context.user_id)

    def build(self) -> ItemList:
        """One line a skill: its name, and how far it is trusted. One a recording, the newest first."""
        templates = sorted(
            self._skills.repository.all(), key=lambda t: (t.state is SkillState.RETIRED, -t.runs)
        )
        kept = {turn_id for template in templates for turn_id in template.evidence}
        recordings = [_recording_item(record, record.id in kept) for record in self._recordings()]
        note = _("No skills yet. A turn that ends well teaches one, and so does /record NAME.")
        items = (*map(_skill_item, templates), *recordings)
        return ItemList(items, "" if items else note)

    def details(self, item: Item) -> ItemDetails:
        """The instruction with its slots, the steps, and what it rests on."""
        if item.source == _RECORDING:
            return self._details_of_recording(item)
        template = self._template(item)
        counts = self._skills.repository.outcomes(template.package)
        slots = joined(f"{slot.name} ({slot.example})" for slot in template.pattern.slots)
        facts = (
            (later("order"), template.pattern.text),
            (later("slots"), slots),
            (later("app"), app_title(template.app, template.package)),
            (later("state"), _(_SKILL_STATES[template.state])),
            (later("source"), _(_SKILL_SOURCES[template.source])),
            (later("went well"), counted(template.runs, "turn") if template.runs else ""),
            (later("repeated"), counted(template.replayed, "step") if template.replayed else ""),
            (later("in this app"), describe_outcomes(counts, template)),
            *_numbered(template),
        )
        records = records_of(self._context.store, template.evidence[::-1][:EVIDENCE])
        fields = (
            ItemField(later("name"), template.name, _("what you call the skill")),
            ItemField(
                later("steps"),
                steps_as_text(template),
                _("the order, its slots and its steps"),
                has_lines=True,
            ),
        )
        details = details_of(
            tuple((label, text) for label, text in facts if text),
            list(template.evidence[::-1]),
            _newest(records),
            fields=fields,
        )
        return replace(details, note=_explain_trust(template))

    def edit(self, item: Item, field: str, text: str) -> str:
        """Another name, or other steps; a recording becomes a skill of this name."""
        if field == "steps":
            template = self._template(item)
            try:
                written = self._skills.rewrite(template, text)
            except SkillFileError as problem:
                raise MemoryProblem(str(problem)) from problem
            if written == template:
                return _("Nothing differs.")
            steps = counted(len(written.steps), "step")
            return _("Changed: {steps} now. The skill is on probation again.").format(steps=steps)
        check_text(text, _LONGEST_SKILL_NAME)
        if item.source == _RECORDING:
            try:
                kept = self._skills.keep(item.id, text)
            except UnknownTurn as problem:
                raise MemoryProblem(problem.reason) from problem
            return _("Kept as a skill: {name}").format(name=kept.name)
        self._skills.rename(self._template(item), text)
        return _("Changed: {text}").format(text=text)

    def hide(self, item: Item, hidden: bool) -> None:
        """Retire a skill, or use it again."""
        self._skills.retire(self._template(item), retired=hidden)

    def slot_values(self, item: Item) -> str:
        """The slots with the values that they had when they were learnt."""
        slots = self._template(item).pattern.slots
        quoted = {slot.name: f'"{slot.example}"' if "=" in slot.example else slot.example for slot in slots}
        return " ".join(f"{name}={value}" for name, value in quoted.items())

    def try_dry(self, item: Item, words: str) -> DryRun:
        """What each step would do; words without a slot's name are the value of the only slot."""
        template, (rest, values) = self._template(item), read_values(f" {words.strip()}")
        names = [slot.name for slot in template.pattern.slots]
        if rest and len(names) == 1 and not values:
            values, rest = {names[0]: rest}, ""
        if rest:
            example = " ".join(f"{name}=…" for name in names)
            raise MemoryProblem(_("Values are typed as {example}").format(example=example))
        if problem := template.why_not(dict.fromkeys(names, "?") | values):
            raise MemoryProblem(problem)
        filled = template.filled(values)
        day = self._context.store.now().date()
        steps = plan_replay(self._skills.repository.screen, template, filled, day, translated=_)
        order = with_values(template.pattern.text, {name: value for name, value in filled.items() if value})
        return DryRun(order, filled, steps)

    def export(self, item: Item, folder: Path, *, replaces: bool = False) -> str:
        """Write it to a folder of its own, as `assistant skills export` does."""
        try:
            written = export_skill(self._template(item), folder.expanduser(), replaces=replaces)
        except SkillFileError as problem:
            raise MemoryProblem(str(problem)) from problem
        return _("Written to {folder}, without recorded screens and your values.").format(folder=written)

    def export_replaces(self, item: Item, folder: Path) -> str:
        """The folder of a skill of this name, if it is there."""
        place = folder.expanduser() / folder_name(self._template(item).name)
        return _("{folder} is there already. Write over it?").format(folder=place) if place.exists() else ""

    def goes_with(self, item: Item) -> str:
        """The steps go with the skill; the turns stay."""
        if item.source == _RECORDING:
            sentence = _("Deletes the recording permanently, and the skills that rest on it alone.")
            return sentences(sentence, _("This cannot be undone."))
        return _("Deletes the skill; undo brings it back. The turns that it was learnt from stay.")

    def forget(self, item: Item) -> str:
        """Delete the skill; u brings it back. A recording goes for good."""
        if item.source == _RECORDING:
            return forget_records(self._context.store, [item.id])
        self._skills.delete(self._template(item))
        return _("Deleted. Undo brings it back.")

    def _details_of_recording(self, item: Item) -> ItemDetails:
        template = self._skills.find(item.id)
        records = records_of(self._context.store, [item.id])
        skills = [each.name for each in self._skills.repository.all() if item.id in each.evidence]
        facts = (
            (later("order"), item.name),
            (
                later("slots"),
                joined(f"{s.name} ({s.example})" for s in template.pattern.slots) if template else "",
            ),
            (later("app"), item.app),
            (later("source"), _("shown by you on the phone")),
            (later("skills"), joined(skills)),
            *(_numbered(template) if template is not None else ()),
        )
        hint = _("what the skill is called that the recording becomes")
        fields = (ItemField(later("name"), item.name, hint),) if ItemAction.EDIT in item.acts else ()
        shown = tuple((label, text) for label, text in facts if text)
        note = "" if skills else _("No skill rests on it. e names one, and keeps it as a skill.")
        return replace(
            details_of(shown, [item.id], records, fields=fields),
            note=note if template else _(_NOT_REPEATABLE),
        )

    def _recordings(self) -> list[Record]:
        """The newest tasks that the user showed: every step was theirs, and no model was asked."""
        turns, records = schema.turns, schema.records
        query = select(turns.c.id, turns.c.checkpoint).join(records, records.c.id == turns.c.id)
        query = query.where(records.c.user_id == self._context.user_id, records.c.model == "")
        query = query.where(records.c.outcome == Outcome.SUCCESS.value, ~turns.c.open)
        with self._context.store.reader() as connection:
            rows = connection.execute(query.order_by(turns.c.started.desc()).limit(_MOST_RECORDINGS)).all()
        by_hand = [
            turn_id
            for turn_id, checkpoint in rows
            if {step["source"] for step in checkpoint["steps"]} == {Source.USER.value}
        ]
        return records_of(self._context.store, by_hand)

    def _template(self, item: Item) -> SkillTemplate:
        """The skill of an item, or what a recording would be as one."""
        repository = self._skills.repository
        template = next((template for template in repository.all() if template.id == item.id), None)
        if template is None and item.source == _RECORDING:
            template = self._skills.find(item.id)
            if template is None:
                raise MemoryProblem(_(_NOT_REPEATABLE))
        if template is None:
            raise KeyError(item.id)
        return template


_RECORDING = "recording"
"""The source of an item that is a task which the user showed, and not a skill."""

_NOT_REPEATABLE = later("Nothing of this recording can be repeated.")


def _recording_item(record: Record, is_kept: bool) -> Item:
    return Item(
        id=record.id,
        name=record.instruction,
        acts=_TRIED if is_kept else _TRIED | {ItemAction.EDIT},
        last=record.time,
        app=app_title(record.app, record.package),
        source=_RECORDING,
        tail=_("recording"),
    )


def _numbered(template: SkillTemplate) -> Iterable[tuple[str, str]]:
    """The steps, each with its number."""
    return ((str(place), _skill_step(step)) for place, step in enumerate(template.steps, 1))


def _skill_item(template: SkillTemplate) -> Item:
    return Item(
        id=template.id,
        name=template.name,
        acts=_SKILL_ACTS,
        count=template.runs,
        last=template.made,
        hidden=template.state is SkillState.RETIRED,
        app=app_title(template.app, template.package),
        source=template.source.value,
        tail=_(_SKILL_STATES[template.state]),
    )


def _explain_trust(template: SkillTemplate) -> str:
    """What the state of a skill means for the next order."""
    if template.state is SkillState.RETIRED:
        return _("Not used. h uses it again.")
    if template.state is SkillState.TRUSTED:
        return _("Its steps are repeated without the model; what pays, sends or deletes is still asked.")
    turns = counted(max(1, PROBATION_RUNS - template.runs), "turn")
    return _("Its steps are repeated, and the model looks again. Trusted after {turns} more.").format(
        turns=turns
    )


def _skill_step(step: SkillStep) -> str:
    return f"{step.words(_)} ({_('optional')})" if step.optional else step.words(_)


def _newest(records: list[Record]) -> list[Record]:
    return sorted(records, key=lambda record: record.time, reverse=True)
