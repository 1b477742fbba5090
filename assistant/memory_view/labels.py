"""What the memory holds, in words: names that come with the program, prototypes, what a skill would do.

Names are stored in English and translated. The user's own words, and what was read on the phone, stay as they
are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from typing import Any

from sqlalchemy import select

from assistant.agent.checkpoint import tell_done
from assistant.events import ActionKind
from assistant.i18n import _, counted, has_chinese, joined, labelled, later, speaking, spoken_for
from assistant.memory import schema
from assistant.memory.audit import AuditLine, ChangeKind, RowChange
from assistant.memory.database import find_rows
from assistant.memory.profile.graph import ALLERGY, NOTE, WISH, spoken_word
from assistant.memory.profile.lexicon import HABITS, NAME, lexicon
from assistant.memory.profile.statements import AVOID
from assistant.memory.prototypes.model import (
    UNKNOWN,
    Prototype,
    RecordKind,
    confidence,
    days_of,
    format_scenario,
    kind_of_prototype,
    most_frequent,
    usual_slots,
)
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint
from assistant.memory_view.items import DryRun
from assistant.model.types import one_line
from assistant.records import BROKEN_OFF, Record, TypeText

_NAMES = (
    later("home"),
    later("office"),
    later("Food"),
    later("Ordering food"),
    later("Shopping"),
    later("Hotels"),
    later("Hotel rooms"),
    later("Travel"),
    later("Travelling"),
    later("Entertainment"),
    later("Films, videos and music"),
    later("People"),
    later("Places"),
    later("Accounts"),
    later("Habits"),
    later("Other habits"),
)
"""Areas of life and the entities of their preferences, as `lexicon.yaml` calls them."""

_KEYS = (
    later("address"),
    later("alias"),
    later("allergic to"),
    later("app"),
    later("avoid"),
    later("bed"),
    later("booking"),
    later("brand"),
    later("breakfast"),
    later("cinema seat"),
    later("class"),
    later("class of travel"),
    later("colour"),
    later("companion"),
    later("cuisine"),
    later("cutlery"),
    later("deliver to"),
    later("delivery"),
    later("drink"),
    later("floor"),
    later("genre"),
    later("is"),
    later("language"),
    later("length"),
    later("location"),
    later("music"),
    later("name"),
    later("number"),
    later("payment"),
    later("phone"),
    later("picture"),
    later("portion"),
    later("price"),
    later("seat"),
    later("seller"),
    later("size"),
    later("smoking"),
    later("stops"),
    later("sweetness"),
    later("taste"),
    later("time"),
    later("transport"),
    later("wish"),
)
"""Keys of values that the program gives by itself."""

_MADE_BY = {
    "executed": later("carried out here"),
    "imported": later("imported"),
    "simulated": later("simulated"),
    "incognito": later("carried out while learning was paused"),
}

_OUTCOMES = {
    "success": later("success"),
    "failed": later("failed"),
    "cancelled": later("cancelled"),
    "unconfirmed": later("not confirmed"),
}

_KINDS = {
    "moment": later("a one-off"),
    "preference": later("a preference"),
    "routine": later("a routine"),
}

_WHAT = (
    later("Add records"),
    later("Aggregate records"),
    later("Answer a suggestion"),
    later("Ask about a place"),
    later("Edit the app of a record"),
    later("Edit the instruction of a record"),
    later("Edit the scenario of a record"),
    later("Edit the source of a record"),
    later("End a suggestion"),
    later("Extend a place"),
    later("Forget a place"),
    later("Forget a suggestion"),
    later("Forget records"),
    later("Give a place its scenario"),
    later("Give a prototype its hours"),
    later("Give a prototype its place"),
    later("Go on learning"),
    later("Hide or show a prototype"),
    later("Keep the record of a turn"),
    later("Keep a skill"),
    later("Learn a skill"),
    later("Name the slots of a skill"),
    later("Rename a skill"),
    later("Edit a skill"),
    later("Retire a skill"),
    later("Use a skill again"),
    later("Delete a skill"),
    later("Import a skill"),
    later("Correct a skill"),
    later("Count a use of a skill"),
    later("Let a prototype begin by itself or not"),
    later("Make a suggestion"),
    later("Merge two places"),
    later("Merge two prototypes"),
    later("Name a place"),
    later("Pause learning"),
    later("Pin or unpin a prototype"),
    later("Put off a suggestion"),
    later("Rename a place"),
    later("Rename a prototype"),
    later("Add a schedule"),
    later("Change a schedule"),
    later("Look at the schedules"),
    later("Pause a schedule"),
    later("Remove a schedule"),
    later("Resume a schedule"),
    later("Run a schedule"),
    later("Show a suggestion"),
    later("Split a prototype"),
    later("Sweep old screenshots"),
    later("Switch a source of learning"),
    later("Take back standing approvals"),
    later("Wipe the memory"),
    later("Word a suggestion"),
    later("change the profile"),
    later("drop the vectors of another model"),
    later("drop vectors"),
    later("edit a value of the profile"),
    later("forget a part of the profile"),
    later("hide a value of the profile"),
    later("learn from what was asked"),
    later("make vectors"),
    later("remember what a word means"),
    later("remember what was said"),
    later("settle what holds in the profile"),
)
"""What changes of the memory are called in its audit."""

RENAMED = "Rename a prototype"
_SHOWN = {
    "add a word for a node": later("one more word for an entry"),
    "hide a node": later("hide or show an entry"),
    "merge two nodes": later("merge two entries"),
    "part a concept": later("split a group"),
    "part a crowded concept": later("split a crowded group"),
    "pin a node": later("pin or unpin an entry"),
    "rename a node": later("change a name"),
}
"""What the audit keeps in the words of the profile's graph, as it is shown."""
_MINE = {
    RENAMED: later("your change of words"),
    "Give a prototype its hours": later("your change of hours"),
    "Give a prototype its place": later("your change of its place"),
    "Hide or show a prototype": later("your choice whether it is used"),
    "Pin or unpin a prototype": later("your choice whether it is pinned"),
    "Let a prototype begin by itself or not": later("your choice whether it begins by itself"),
    "Merge two prototypes": later("your merging of two into one"),
    "Split a prototype": later("your splitting of one into two"),
    "Answer a suggestion": later("your answer to a suggestion"),
    "Put off a suggestion": later("your putting off of a suggestion"),
    "hide a value of the profile": later("your choice whether it is used"),
    "edit a value of the profile": later("your change of a value"),
    "remember what was said": later("what you asked to remember"),
    "add a word for a node": later("your further word for it"),
    "hide a node": later("your choice whether it is used"),
    "merge two nodes": later("your merging of two into one"),
    "part a concept": later("your splitting of one into two"),
    "pin a node": later("your choice whether it is pinned"),
    "rename a node": later("your change of a name"),
}
"""What a user's changes are called when they are taken back."""

_WHY = (
    later("a record tells it"),
    later("asked by the user"),
    later("evidence fades"),
    later("it was told or confirmed"),
    later("learning is paused"),
    later("records are new"),
    later("texts or their model are new"),
    later("the model changed"),
    later("the phone is somewhere new"),
    later("the settings of the memory"),
    later("the turn ended"),
    later("a turn used it"),
    later("a turn ended well"),
    later("a turn of its kind ended well"),
    later("a model read the order"),
    later("the user corrected a turn"),
    later("what is likely now"),
    later("their owners are gone"),
    later("too many entities hang on it"),
    later("wishes, rules, records or the model changed"),
)
"""Why the memory was changed."""

_TABLES = {
    "approvals": later("approvals"),
    "learning_switches": later("switches of learning"),
    "observations": later("screens"),
    "places": later("places"),
    "profile_evidence": later("evidence of values"),
    "profile_forgotten": later("marks of what is not learnt again"),
    "skills": later("skills"),
    "profile_links": later("links of the profile"),
    "profile_nodes": later("nodes of the profile"),
    "profile_values": later("values of the profile"),
    "prototype_decisions": later("your decisions"),
    "prototype_members": later("records in prototypes"),
    "prototype_states": later("states of prototypes"),
    "prototypes": later("prototypes"),
    "records": later("records"),
    "replay_outcomes": later("outcomes of repeated steps"),
    "schedules": later("schedules"),
    "schedule_runs": later("occasions of schedules"),
    "sent": later("lines of what was sent"),
    "spent": later("lines of what was spent"),
    "suggestions": later("suggestions"),
    "turns": later("turns"),
    "user_profiles": later("profiles"),
    "vectors": later("vectors"),
}

_VERBS = {
    "inserted": later("added"),
    "updated": later("changed"),
    "deleted": later("deleted"),
    "erased": later("forgotten"),
    "rebuilt": later("made anew"),
    "cleared": later("emptied"),
    "redacted": later("blacked out"),
}

_TURNED = re.compile(r"(Undo|Redo) change (\d+): (.*)", re.DOTALL)
_IMPORTED = "Import records from "
_IMPORTED_FACTS = "Import facts from "


def node_words(name: str) -> str:
    """The name of a node, where it comes with the program or is a word for a person or place."""
    if name in _NAMES:
        return _(name)
    return spoken_word(name)


def key_words(key: str) -> str:
    """The key of a value, where the program gives it."""
    return _(key) if key in _KEYS else key


def value_words(key: str, text: str) -> str:
    """The text of a value beside its key, without the word that the key ends with: “deliver to” the office.

    The user's own words else stay as they are.
    """
    shown = key_words(key)
    for lead in (shown, shown.rpartition(" ")[2]):
        rest = text[len(lead) :]
        separated = rest[:1] == " " or has_chinese(lead)
        if lead and separated and rest.strip() and text.casefold().startswith(lead.casefold()):
            return rest.strip()
    return text


def is_of_person(entity: str) -> bool:
    """Whether an entity is somebody else, and not what holds the preferences of the user."""
    return all(entity != domain.entity for domain in lexicon().domains.values())


def fact_words(entity: str, key: str, text: str) -> str:
    """A fact as a person would say it."""
    name = node_words(entity)
    is_others = is_of_person(entity)
    if key == NOTE or (key == WISH and entity == lexicon().domains[HABITS].entity):
        return text
    if key == WISH:
        return _("{label}: {value}").format(label=name, value=text)
    if key == ALLERGY:
        form = _("{who} is allergic to {what}") if is_others else _("you are allergic to {what}")
        return form.format(who=name, what=text)
    if key == AVOID:
        form = _("{who} avoids {what}") if is_others else _("you avoid {what}")
        return form.format(who=name, what=text)
    if key == NAME and is_others:
        return _("{who}, name: {name}").format(who=name, name=text)
    label = name if key == "is" else _("{entity}, {key}").format(entity=name, key=key_words(key))
    return _("{label}: {value}").format(label=label, value=value_words(key, text))


def only_report(turn: Checkpoint) -> str:
    """What the model said at the end of a turn that paid, without what the record tells of it, in one line.

    Empty where it names neither the payee nor the amount, and so tells no payment.
    """
    with speaking(spoken_for(turn.said)):
        before, lead, report = turn.answer.partition(_("The model says: {answer}").partition("{")[0])
        report = " ".join((report if lead else before).split())
        for sentence in tell_done(turn.steps):
            report = report.replace(sentence, "")
    paid = (deed for deed in turn.deeds if deed.kind is ActionKind.PAY)
    names = (name for deed in paid for name in (deed.amount, deed.recipient))
    return report.strip() if any(name and name in report for name in names) else ""


def made_by(source: str) -> str:
    """Where a record comes from."""
    return _(_MADE_BY[source]) if source in _MADE_BY else source


def origin_words(origins: Sequence[str]) -> str:
    """Where imported values come from; each origin is a file and the number of a line or card."""
    split = (origin.rpartition(":") for origin in origins)
    return joined(_("{name}, {number}").format(name=name, number=number) for name, _colon, number in split)


def outcome_words(outcome: str) -> str:
    """How a turn ended."""
    return _(_OUTCOMES[outcome]) if outcome in _OUTCOMES else outcome


def kind_words(kind: str) -> str:
    """What a record counts as."""
    return _(_KINDS[kind]) if kind in _KINDS else kind


def change_words(what: str) -> str:
    """What a change did."""
    if what in _SHOWN:
        return _(_SHOWN[what])
    if what in _WHAT:
        return _(what)
    if turned := _TURNED.fullmatch(what):
        sentence = _("Undo change {id}: {what}") if turned[1] == "Undo" else _("Redo change {id}: {what}")
        return sentence.format(id=turned[2], what=change_words(turned[3]))
    if what.startswith(_IMPORTED):
        return _("Import records from {name}").format(name=what.removeprefix(_IMPORTED))
    if what.startswith(_IMPORTED_FACTS):
        return _("Import facts from {name}").format(name=what.removeprefix(_IMPORTED_FACTS))
    return what


def taken_back_words(what: str) -> str:
    """What is undone or done again, as the user did it."""
    return _(_MINE[what]) if what in _MINE else change_words(what)


def reason_words(why: str) -> str:
    """Why a change was made."""
    return _(why) if why in _WHY else why


def table_words(table: str) -> str:
    """The rows of a table, in words."""
    return _(_TABLES[table]) if table in _TABLES else table.replace("_", " ")


def verb_words(verb: str) -> str:
    """What was done to rows."""
    return _(_VERBS[verb]) if verb in _VERBS else verb


_SURE = (
    (0.75, later("very")),
    (0.45, later("fairly")),
    (0.0, later("not very")),
)


def sureness_words(share: float) -> str:
    """How sure something is, 0..1, in a word: the number was made for comparing, not for reading."""
    return _(next(words for least, words in _SURE if share >= least))


_SLOTS = (
    ("app", later("app")),
    ("item", later("usually")),
    ("place", later("place")),
    ("time", later("time")),
)
_LIKENESS = (
    (0.95, later("always in the same way")),
    (0.8, later("nearly always in the same way")),
    (0.5, later("mostly in the same way")),
    (0.0, later("each time differently")),
)
"""How alike its records are, from this consistency on."""


@dataclass(frozen=True, slots=True)
class _RecordSlots:
    """What a record says for each slot; see `SlotValues`."""

    time: datetime
    scenario: str
    app: str
    typed: str


def _slots_of_record(record: Record) -> _RecordSlots:
    typed = next((action.text for action in record.actions if isinstance(action, TypeText)), "")
    if record.outcome in BROKEN_OFF:
        typed = ""
    app = record.app or record.package
    return _RecordSlots(record.time, record.scenario, app, " ".join(typed.casefold().split()))


def facts_of_records(prototype: Prototype, records: Sequence[Record]) -> Iterable[tuple[str, str]]:
    """What is known of a prototype, from its newest records."""
    slots = usual_slots([_slots_of_record(record) for record in records])
    yield from ((label, format_scenario(slots[slot])) for slot, label in _SLOTS if slot in slots)
    alike = confidence(prototype.members).consistency
    sure = _("{level}: {count} times on {days} days, {likeness}").format(
        level=sureness_words(find_sureness(prototype)),
        count=len(prototype.members),
        days=days_of(prototype.members),
        likeness=_(next(words for least, words in _LIKENESS if alike >= least)),
    )
    yield later("sure"), sure
    scenario, count = most_frequent(
        member.scenario for member in prototype.members if member.scenario != UNKNOWN
    )
    if scenario and "place" not in slots:
        yield (
            later("place"),
            _("{scenario}, {count} of {all}").format(
                scenario=format_scenario(scenario), count=count, all=len(prototype.members)
            ),
        )


def find_sureness(prototype: Prototype) -> float:
    """How sure a prototype is, 0..1: a routine as it is regular, another as its records agree."""
    if kind_of_prototype(prototype) is RecordKind.ROUTINE:
        return confidence(prototype.members).phi
    return min(1.0, max(0.0, fmean(member.consistency for member in prototype.members)))


def format_dry_run(run: DryRun, kind_name: Callable[[ActionKind], str], start: int = 1) -> list[str]:
    """Lines that say what a skill would do: the order, its values, and for each step who takes it and why.

    Args:
        run: the steps and the values.
        kind_name: what a kind of deeds is called.
        start: the first step that is told, from 1.
    """
    lines = [one_line(run.order)]
    for name, value in run.values.items():
        lines.append(
            one_line(labelled(name, value or _("no value yet; give one as {slot}=…").format(slot=name)))
        )
    for number, step in enumerate(run.steps[start - 1 :], start):
        notes = [_("only where it comes up")] * step.is_optional
        notes += [_("asked before: {kind}").format(kind=kind_name(step.asks))] if step.asks else []
        notes += [_("by the model: {why}").format(why=step.why_model)] if step.why_model else []
        lines.append(f"{number:3}. {one_line(step.text)}" + (f"  ({'; '.join(notes)})" if notes else ""))
    return [*lines, _("The phone was not looked at. What is not found there then is left to the model.")]


_MOST_ROWS = 40
"""A change of more rows is no single thing that the user said; it is not taken back by a word."""
KEPT_TURN = "Keep the record of a turn"
"""What the change is called that writes the record of a turn."""
_BRINGS_BACK = (
    later("“undo” again brings back {what}."),
    later("It is back: {what}. “redo” removes it again."),
)
_TAKES_BACK = later("“undo” again takes back {what}."), later("Undone: {what}. “redo” brings it back.")
_REMOVES = later("“undo” again removes {what}."), later("Undone: {what} is removed. “redo” brings it back.")
_RESTORES = (
    later("“undo” again makes it as before: {what}."),
    later("Undone: it is as before, {what}. “redo” changes it again."),
)
_NAMED = 3


def undo_words(store: Store, line: AuditLine) -> tuple[str, str]:
    """What a word would do to a change, and what it did; of a schedule also whether it is there then."""
    rows = store.audit.rows(line.id)
    if rows and all(row.before is not None and row.after is None for row in rows):
        return _BRINGS_BACK
    if not any(row.table == schema.schedules.name for row in rows):
        return _TAKES_BACK
    return _REMOVES if all(row.before is None for row in rows) else _RESTORES


def content_words(store: Store, line: AuditLine, name_record: Callable[[str], str]) -> str:
    """What a change that stands is about, in the user's words; empty where its rows say nothing."""
    if line.what == KEPT_TURN:
        return _("what was learnt from the last command")
    rows = store.audit.rows(line.id)
    named = list(dict.fromkeys(words for row in rows if (words := _row_words(store, row, name_record))))
    if not named:
        return ""
    shown = _("; ").join(named[:_NAMED])
    return f"{shown} …" if len(named) > _NAMED else shown


def _row_words(store: Store, row: RowChange, name_record: Callable[[str], str]) -> str:
    """What a changed row says; empty for one that only connects others."""
    table = schema.metadata.tables[row.table]
    with store.reader() as connection:
        values: dict[str, Any] = dict(next(iter(find_rows(connection, table, [row.key]).values()), {}))
        values |= row.before or {}
        if row.table == schema.profile_values.name and "text" in values:
            nodes = schema.profile_nodes
            query = select(nodes.c.name).where(nodes.c.id == values.get("node_id"))
            node = connection.execute(query).scalar() or ""
            fact = value_words(values["key"], one_line(values["text"]))
            label = _("{entity}, {key}").format(entity=node_words(node), key=key_words(values["key"]))
            return _("{label}: {value}").format(label=label, value=fact) if node else fact
        if "record_id" in values and row.table == schema.prototype_decisions.name:
            name = name_record(values["record_id"])
            return name or one_line(values.get("text", ""))
    if row.table == schema.schedules.name and values.get("times"):
        return _("the schedule “{times}: {instruction}”").format(
            times=one_line(values["times"]), instruction=one_line(values.get("instruction", ""))
        )
    return one_line(values.get("instruction", ""))


def is_more_than_said(line: AuditLine) -> bool:
    """Whether a change is more than a word may take back: an import, a forgetting, or many rows."""
    rows = sum(verbs.get(verb, 0) for verbs in line.counts.values() for verb in _WRITES)
    is_whole = line.what != KEPT_TURN and schema.records.name in line.counts
    return line.kind is ChangeKind.FORGET or rows > _MOST_ROWS or is_whole


_WRITES = ("inserted", "updated", "deleted", "erased")


def tell_kept(line: AuditLine) -> str:
    """Why the newest change is not taken back by a word."""
    if line.kind is ChangeKind.FORGET:
        sentence = _("The last change was “{what}”. What is forgotten cannot come back.")
    else:
        sentence = _(
            "The last change was “{what}”. A word does not take back that much: look at it in /memory, "
            "among the changes, where u undoes it."
        )
    return sentence.format(what=change_words(line.what))


def tell_kept_turn(turn: Checkpoint) -> str:
    """What the newest turn did on the phone, which cannot be taken back."""
    said = one_line(turn.said)
    if done := tell_done(turn.steps):
        sentence = _("“{said}”: what was done on the phone cannot be taken back from here. {deeds}")
        return sentence.format(said=said, deeds=" ".join(done))
    steps = sum(not step.error for step in turn.steps)
    if not steps:
        return _("“{said}” did nothing on the phone, so nothing there is to be taken back.").format(said=said)
    sentence = _(
        "“{said}” paid, sent and deleted nothing; its {steps} on the phone cannot be taken back from here."
    )
    return sentence.format(said=said, steps=counted(steps, "step"))
