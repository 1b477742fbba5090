"""The section of skills: what the assistant has learnt to do, with steps, slots, evidence and how it went."""

from __future__ import annotations

from dataclasses import replace

from assistant.i18n import _, counted, joined, later
from assistant.memory_view.items import (
    EVIDENCE,
    Item,
    ItemAction,
    ItemDetails,
    ItemField,
    ItemList,
    SectionProvider,
    ViewContext,
    check_text,
    details_of,
)
from assistant.records import Record
from assistant.skills.service import SkillMemory
from assistant.skills.template import PROBATION_RUNS, SkillSource, SkillState, SkillStep, SkillTemplate

_ACTIONS = frozenset({ItemAction.EDIT, ItemAction.HIDE, ItemAction.FORGET})
_LONGEST_NAME = 200
_STATES = {
    SkillState.PROBATION: later("on probation"),
    SkillState.TRUSTED: later("trusted"),
    SkillState.RETIRED: later("retired"),
}
_SOURCES = {
    SkillSource.LEARNT: later("learnt from turns"),
    SkillSource.SHOWN: later("kept or shown by you"),
    SkillSource.WRITTEN: later("imported"),
}


class SkillsSection(SectionProvider):
    """Skills, those that are used most first; a hidden one is retired."""

    forgets_for_good = False

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context)
        self._skills = SkillMemory(context.store, context.user_id)

    def build(self) -> ItemList:
        """One line a skill: its name, and how far it is trusted."""
        templates = sorted(
            self._skills.repository.all(), key=lambda t: (t.state is SkillState.RETIRED, -t.runs)
        )
        note = _("No skills yet. A turn that ends well teaches one; so does: assistant record NAME")
        return ItemList(tuple(map(_item, templates)), "" if templates else note)

    def details(self, item: Item) -> ItemDetails:
        """The instruction with its slots, the steps, and what it rests on."""
        template = self._template(item)
        slots = joined(f"{slot.name} ({slot.example})" for slot in template.pattern.slots)
        facts = (
            (later("order"), template.pattern.text),
            (later("slots"), slots),
            (later("app"), template.app),
            (later("state"), _(_STATES[template.state])),
            (later("source"), _(_SOURCES[template.source])),
            (later("went well"), counted(template.runs, "turn") if template.runs else ""),
            (later("repeated"), counted(template.replayed, "step") if template.replayed else ""),
            *((str(place), _step(step)) for place, step in enumerate(template.steps, 1)),
        )
        records = [
            record
            for record_id in template.evidence[::-1][:EVIDENCE]
            if (record := self._context.store.records.get(record_id)) is not None
        ]
        details = details_of(
            tuple((label, text) for label, text in facts if text),
            list(template.evidence[::-1]),
            _newest(records),
            fields=(ItemField(later("name"), template.name, _("what you call the skill")),),
        )
        return replace(details, note=_trust(template))

    def edit(self, item: Item, field: str, text: str) -> str:
        """Another name."""
        check_text(text, _LONGEST_NAME)
        self._skills.rename(self._template(item), text)
        return _("Changed: {text}").format(text=text)

    def hide(self, item: Item, hidden: bool) -> None:
        """Retire a skill, or use it again."""
        self._skills.retire(self._template(item), retired=hidden)

    def goes_with(self, item: Item) -> str:
        """The steps go with the skill; the turns stay."""
        return _("Deletes the skill; undo brings it back. The turns that it was learnt from stay.")

    def forget(self, item: Item) -> str:
        """Delete the skill; u brings it back."""
        self._skills.delete(self._template(item))
        return _("Deleted. Undo brings it back.")

    def _template(self, item: Item) -> SkillTemplate:
        return next(template for template in self._skills.repository.all() if template.id == item.id)


def _item(template: SkillTemplate) -> Item:
    return Item(
        id=template.id,
        name=template.name,
        acts=_ACTIONS,
        count=template.runs,
        last=template.made,
        hidden=template.state is SkillState.RETIRED,
        app=template.app,
        source=template.source.value,
        tail=_(_STATES[template.state]),
    )


def _trust(template: SkillTemplate) -> str:
    """What the state of a skill means for the next order."""
    if template.state is SkillState.RETIRED:
        return _("Not used. h uses it again.")
    if template.state is SkillState.TRUSTED:
        return _("Its steps are repeated without the model; what pays, sends or deletes is still asked.")
    turns = counted(max(1, PROBATION_RUNS - template.runs), "turn")
    return _("Its steps are repeated, and the model looks again. Trusted after {turns} more.").format(
        turns=turns
    )


def _step(step: SkillStep) -> str:
    return f"{step.words(_)} ({_('optional')})" if step.optional else step.words(_)


def _newest(records: list[Record]) -> list[Record]:
    return sorted(records, key=lambda record: record.time, reverse=True)
