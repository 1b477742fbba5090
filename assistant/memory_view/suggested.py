"""What was suggested unasked: why, and what became of it."""

from __future__ import annotations

from assistant.events import Answer
from assistant.i18n import _, counted, later, moment
from assistant.memory.schema import suggestions as table
from assistant.memory_view.evidence import EVIDENCE, details_of, records_of
from assistant.memory_view.items import Act, Details, Item, Listing, heat_of
from assistant.memory_view.labels import scenario_words
from assistant.memory_view.meaning import RecordMeanings
from assistant.memory_view.part import Desk, Part
from assistant.memory_view.shelved import Shelved
from assistant.proactive.reasons import in_words
from assistant.proactive.suggestions import Stage, Suggestion, Suggestions

_MOST = 2000
_WORDS = {
    Answer.NONE: later("open"),
    Answer.ACCEPTED: later("accepted"),
    Answer.EDITED: later("edited"),
    Answer.NOT_NOW: later("not now"),
    Answer.NEVER: later("never"),
    Answer.DONE: later("done by you"),
    Answer.LAPSED: later("no answer"),
}
_PUT_OFF = later("put off")


class Suggested(Part):
    """Suggestions, newest first."""

    def __init__(self, desk: Desk, shelved: Shelved, meanings: RecordMeanings) -> None:
        super().__init__(desk)
        self._shelved = shelved
        self._meanings = meanings
        self._suggestions = Suggestions(desk.store, desk.user_id)

    def build(self) -> Listing:
        """One line a suggestion."""
        items = tuple(_item(one) for one in self._suggestions.latest(_MOST))
        return Listing(
            items, "" if items else _("Nothing was suggested yet: routines are offered at their time.")
        )

    def details(self, item: Item) -> Details:
        """Why it was made, and what became of it."""
        one = self._of(item)
        found = [(later("made"), moment(one.made, year=True)), (later("likely"), f"{one.score:.0%}")]
        found += [(later("because"), in_words(reason)) for reason in one.why]
        found.append((later("place"), scenario_words(one.scenario)))
        found.append((later("became"), _became(one)))
        found.append((later("does"), _("your answer counts when its routine is likely again")))
        routine = self._shelved.of_record(one.anchor)
        if routine is not None:
            hidden = f" ({_('hidden')})" if routine.hidden else ""
            found.append((later("routine"), routine.instruction + hidden))
        records = records_of(self._desk.store, one.evidence[:EVIDENCE])
        heat = heat_of([record.time for record in records_of(self._desk.store, one.evidence)])
        return details_of(
            tuple((label, text) for label, text in found if text), one.evidence, records, heat=heat
        )

    def alike(self, words: str, most: int) -> list[str]:
        """Suggestions of routines that are near in meaning."""
        anchors: dict[str, list[str]] = {}
        for one in self._suggestions.latest(_MOST):
            anchors.setdefault(one.anchor, []).append(one.id)
        near = self._meanings.nearest(words, most, anchors)
        return [name for anchor in near for name in anchors[anchor]][:most]

    def goes_with(self, item: Item) -> str:
        """The suggestion alone."""
        return _("The suggestion and its answer go for good; the routine and its records stay.")

    def forget(self, item: Item) -> str:
        """Delete the suggestion."""
        with self._desk.store.change("Forget a suggestion", "asked by the user") as change:
            change.erase(table, [{"id": item.id}])
        self._desk.store.database.scrub()
        return _("Forgotten.")

    def _of(self, item: Item) -> Suggestion:
        for one in self._suggestions.latest(_MOST):
            if one.id == item.id:
                return one
        raise KeyError(item.id)


def _became(one: Suggestion) -> str:
    """How it ended, when, and how often it was put off."""
    told = [_(_WORDS[one.answer])]
    if one.answered:
        told.append(moment(one.answered))
    if one.snoozes:
        told.append(_("put off: {times}").format(times=counted(one.snoozes, "time")))
    return ", ".join(told)


def _item(one: Suggestion) -> Item:
    over = _WORDS[one.answer]
    if one.stage is Stage.SNOOZED:
        over = _PUT_OFF
    return Item(
        id=one.id,
        name=one.instruction,
        acts=frozenset({Act.FORGET}),
        last=one.made,
        over=over,
        scenario=one.scenario,
        source=over,
    )
