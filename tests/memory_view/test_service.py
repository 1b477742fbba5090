from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from assistant import i18n
from assistant.embedding.embedder import EmbeddingError, LazyEmbedder
from assistant.i18n import Language
from assistant.memory.profile.graph import Evidence, Strength
from assistant.memory.profile.service import LazyProfile, Profile
from assistant.memory.programs import CommandQueue
from assistant.memory.request_log import LoggedRequest
from assistant.memory.store import Store
from assistant.memory_view.items import Item, ItemAction, MemoryProblem, Section
from assistant.memory_view.service import MemoryView
from assistant.proactive.schedules import Schedules
from assistant.proactive.suggestions import Reason, ReasonKind, RoutineCandidate, Suggestions, make_suggestion
from assistant.records import Record
from assistant.settings.schema import Settings
from tests.memory.prototypes.lived import COFFEE, MONDAY, ORDER, Hashing, record

LATER = MONDAY + timedelta(days=14)
LISTED = (Section.PREFERENCES, Section.ROUTINES)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "memory", now=lambda: LATER)
    opened.records.add(life())
    Profile(opened, Hashing(), "1").remember("mom", "555 0101", Evidence("n1", MONDAY, Strength.STATED))
    yield opened
    opened.close()


@pytest.fixture
def view(store: Store) -> MemoryView:
    return MemoryView(store, Hashing(), Settings(user_id="1"))


def life() -> list[Record]:
    """Noodles each day at noon, coffee at any time of day."""
    noodles = [record(f"n{day}", day=day, minutes=day) for day in range(8)]
    coffees = [
        record(f"c{day}", COFFEE, day=day, minutes=day * 180 - 360, app="Beans", item="flat white")
        for day in range(5)
    ]
    return [*noodles, *coffees]


def the(view: MemoryView, section: Section) -> Item:
    """The first item that is no node of the tree."""
    return next(item for item in view.items(section).items if item.opened is None)


def test_a_routine_is_a_preference_too(view: MemoryView) -> None:
    (routine,) = view.items(Section.ROUTINES).items
    assert [item.name for item in view.items(Section.PREFERENCES).items] == [ORDER, COFFEE]
    preference = view.items(Section.PREFERENCES).items[1]
    assert (routine.name, routine.count, preference.name) == (ORDER, 8, COFFEE)
    assert sum(routine.hours) == 8
    assert routine.hours[12] == 8
    assert routine.last == MONDAY + timedelta(days=7, minutes=7)


def test_behind_a_routine_stand_its_usual_values_and_records(view: MemoryView) -> None:
    details = view.details(Section.ROUTINES, the(view, Section.ROUTINES))
    facts = dict(details.facts)
    assert facts["app"] == "Eats"
    assert facts["usually"] == "beef noodles"
    assert facts["time"] == "12:05–12:11"
    assert [record.id for record in details.evidence] == [f"n{day}" for day in reversed(range(8))]
    assert details.more == 0


def test_forgetting_a_person_names_what_waits_and_takes_their_words_from_what_was_sent(
    store: Store, view: MemoryView
) -> None:
    CommandQueue(store.folder).add("text Mom that I am late")
    line = LoggedRequest("1", "n1", 1, MONDAY, "http://h", "m", 1, 0, (("user", "mom: 555 0101"),))
    store.sent.add(line)
    mom = next(item for item in view.items(Section.PROFILE).items if item.name.casefold() == "mom")
    told = view.goes_with(Section.PROFILE, mom)
    assert "It is quoted in 1 line of what was sent; its words go from there too." in told
    assert "The queue still has “text Mom that I am late”; /queue opens it." in told
    view.forget(Section.PROFILE, mom)
    assert store.sent.lines("1", 1, whole=True)[0].parts == (("user", "mom: (forgotten)"),)


def test_nothing_recurring_says_so(tmp_path: Path) -> None:
    store = Store(tmp_path / "empty", now=lambda: LATER)
    view = MemoryView(store, Hashing(), Settings(user_id="1"))
    for section in Section:
        listing = view.items(section)
        assert (listing.items, bool(listing.note)) == ((), True)
    store.close()


def test_a_renamed_routine_keeps_its_name_until_that_is_undone(store: Store, view: MemoryView) -> None:
    view.edit(Section.ROUTINES, the(view, Section.ROUTINES), "  Get the\n usual ")
    assert the(view, Section.ROUTINES).name == "Get the usual"
    again = MemoryView(store, Hashing(), Settings(user_id="1"))
    assert "Undone" in again.undo()
    assert the(again, Section.ROUTINES).name == ORDER
    assert "Redone" in again.redo()
    assert the(again, Section.ROUTINES).name == "Get the usual"


def test_pinning_and_hiding_toggle(view: MemoryView) -> None:
    for section in (Section.ROUTINES, Section.PROFILE):
        view.pin(section, the(view, section))
        view.hide(section, the(view, section))
        assert (the(view, section).pinned, the(view, section).hidden) == (True, True)
        view.pin(section, the(view, section))
        view.hide(section, the(view, section))
        assert (the(view, section).pinned, the(view, section).hidden) == (False, False)


def test_undo_leaves_alone_what_the_user_did_not_change(view: MemoryView) -> None:
    assert view.undo() == "None of your changes can be undone."
    assert view.redo() == "There is nothing to redo."
    assert the(view, Section.PROFILE).name == "555 0101"


def test_a_value_is_edited_and_its_history_kept(view: MemoryView) -> None:
    view.edit(Section.PROFILE, the(view, Section.PROFILE), "555 0202")
    edited = the(view, Section.PROFILE)
    assert (edited.name, edited.context) == ("555 0202", "is")
    details = view.details(Section.PROFILE, edited)
    assert "555 0101" in [text for _, text in details.facts]
    view.undo()
    assert [record.id for record in view.details(Section.PROFILE, the(view, Section.PROFILE)).evidence] == [
        "n1"
    ]


def test_forgetting_says_before_what_goes_with_it(store: Store, view: MemoryView) -> None:
    routine = the(view, Section.ROUTINES)
    assert (
        view.goes_with(Section.ROUTINES, routine)
        == "Deletes 8 records and 1 value of the profile permanently. This cannot be undone."
    )
    assert view.forget(Section.ROUTINES, routine) == "Forgotten: 8 records."
    assert view.items(Section.ROUTINES).items == ()
    assert view.items(Section.PROFILE).items == ()
    assert store.records.count() == 5


def test_a_value_is_forgotten_alone(store: Store, view: MemoryView) -> None:
    view.forget(Section.PROFILE, the(view, Section.PROFILE))
    assert [item.name for item in view.items(Section.PROFILE).items if item.context] == []
    assert store.records.count() == 13


def test_a_record_is_edited_and_forgotten(store: Store, view: MemoryView) -> None:
    newest = the(view, Section.RECORDS)
    assert newest.id == "n7"
    view.edit(Section.RECORDS, newest, "Order dumplings")
    assert dict(view.details(Section.RECORDS, newest).facts)["app"] == "Eats"
    assert the(view, Section.RECORDS).name == "Order dumplings"
    assert view.goes_with(Section.RECORDS, newest) == "Deletes 1 record permanently. This cannot be undone."
    view.forget(Section.RECORDS, newest)
    assert store.records.get("n7") is None


def test_a_change_is_undone_and_done_again_by_its_line(view: MemoryView) -> None:
    view.edit(Section.ROUTINES, the(view, Section.ROUTINES), "Lunch")
    change = the(view, Section.CHANGES)
    assert change.acts == {ItemAction.UNDO}
    view.undo(change)
    undone = next(item for item in view.items(Section.CHANGES).items if item.id == change.id)
    assert undone.acts == {ItemAction.REDO}
    view.redo(undone)
    assert the(view, Section.ROUTINES).name == "Lunch"
    assert dict(view.details(Section.CHANGES, change).facts)["why"] == "asked by the user"


def test_while_the_profile_is_opened_its_areas_are_told(store: Store, view: MemoryView) -> None:
    outline = view.outline(Section.PROFILE)
    assert outline is not None
    assert [(item.name, item.tail, set(item.acts)) for item in outline.items] == [
        ("People", "1 entry", set())
    ]
    assert {item.id for item in outline.items} <= {item.id for item in view.items(Section.PROFILE).items}
    assert view.outline(Section.PROFILE) is None
    assert view.outline(Section.RECORDS) is None


def test_the_profile_of_others_is_shared_and_waits_for_no_embedder(store: Store) -> None:
    def missing() -> Hashing:
        raise EmbeddingError("There is no embedding model.")

    shared = LazyProfile(store, lambda: LazyEmbedder(missing), "1")
    view = MemoryView(store, Hashing(), Settings(user_id="1"), shared)
    assert not shared.is_open
    view.edit(Section.PROFILE, the(view, Section.PROFILE), "555 0303")
    assert shared.is_open
    assert [fact.value.text for fact in shared().facts()] == ["555 0303"]


def test_what_cannot_be_done_is_a_sentence(view: MemoryView) -> None:
    routine, value = the(view, Section.ROUTINES), the(view, Section.PROFILE)
    with pytest.raises(MemoryProblem, match="Enter a text"):
        view.edit(Section.ROUTINES, routine, "  ")
    with pytest.raises(MemoryProblem, match="at most 160"):
        view.edit(Section.PROFILE, value, "x" * 161)
    view.forget(Section.PROFILE, value)
    with pytest.raises(MemoryProblem, match="no longer exists"):
        view.details(Section.PROFILE, value)
    with pytest.raises(MemoryProblem, match="cannot be edited"):
        view.edit(Section.CHANGES, the(view, Section.CHANGES), "x")


def test_a_routine_may_begin_by_itself_and_ask_first_again(view: MemoryView) -> None:
    routine = the(view, Section.ROUTINES)
    assert ItemAction.ALONE in routine.acts
    assert ItemAction.ALONE not in view.items(Section.PREFERENCES).items[1].acts
    view.let_alone(Section.ROUTINES, routine)
    assert the(view, Section.ROUTINES).over == "by itself"
    assert "just do it" in dict(view.details(Section.ROUTINES, routine).facts)
    view.let_alone(Section.ROUTINES, routine)
    assert the(view, Section.ROUTINES).over == ""


def test_hours_and_place_of_a_routine_are_typed_and_shown_in_chinese(view: MemoryView) -> None:
    routine = the(view, Section.ROUTINES)
    i18n.use(Language.CHINESE)
    try:
        view.edit(Section.ROUTINES, routine, "１２点－１３点 工作日", "hours")
        view.edit(Section.ROUTINES, routine, "办公室", "scenario")
        fields = view.details(Section.ROUTINES, the(view, Section.ROUTINES)).fields
        assert [field.text for field in fields[1:]] == ["12:00-13:00 周一至周五", "办公室"]
        assert "周一至周五" in fields[1].hint
    finally:
        i18n.use(Language.ENGLISH)
    fields = view.details(Section.ROUTINES, the(view, Section.ROUTINES)).fields
    assert [field.text for field in fields[1:]] == ["12:00-13:00 mon-fri", "office"]


def test_a_change_tells_its_rows_and_the_records_that_it_touched(view: MemoryView) -> None:
    record = the(view, Section.RECORDS)
    view.edit(Section.RECORDS, record, "Order dumplings")
    details = view.details(Section.CHANGES, the(view, Section.CHANGES))
    assert ("row", f"records, instruction: “{ORDER}” → “Order dumplings”") in details.facts
    assert ("does", "in effect; u undoes it") in details.facts
    assert [evidence.id for evidence in details.evidence] == [record.id]
    assert ("tells", "mom · is: 555 0101") in view.details(Section.RECORDS, named(view, "n1")).facts


def named(view: MemoryView, record_id: str) -> Item:
    """A record by its id."""
    (record_item,) = view.named(Section.RECORDS, record_id)
    return record_item


def test_an_item_is_meant_by_its_id_its_beginning_or_its_section(store: Store, view: MemoryView) -> None:
    routine = the(view, Section.ROUTINES)
    assert view.locate(routine.id) == (Section.PREFERENCES, view.items(Section.PREFERENCES).items[0])
    assert view.locate(f"routines:{routine.id}") == (Section.ROUTINES, routine)
    value = the(view, Section.PROFILE)
    located = view.locate(value.id[:-1])
    assert located is not None
    assert located[1].id == value.id
    for nothing in ("", "n", "places:n1", "nowhere", "\x1b[31m", "routines:"):
        assert view.locate(nothing) is None
    store.records.add([record("long-1"), record("long-2")])
    with pytest.raises(MemoryProblem, match="long can be several: records:long-2, records:long-1"):
        view.locate("long")
    store.sent.add(LoggedRequest("1", "n1", 1, MONDAY, "http://localhost", "vl", 7, 0, ()))
    with pytest.raises(MemoryProblem, match="changes:1, sent:1"):
        view.locate("1")


def test_the_reader_s_language_is_that_of_the_moment(store: Store, view: MemoryView) -> None:
    why = (
        Reason(ReasonKind.TIME, 8, 8, 8),
        Reason(ReasonKind.LAST, days=1),
        "said before there were figures",
    )
    candidate = RoutineCandidate("p", ORDER, 0.9, ("n7",), why)
    Suggestions(store, "1").add(make_suggestion(candidate, "n0", "office", LATER))
    offered = the(view, Section.SUGGESTIONS)

    def because() -> list[str]:
        details = view.details(Section.SUGGESTIONS, offered)
        return [text for label, text in details.facts if label == "because"]

    assert because() == [
        "8 of 8 times at about this time of day",
        "last yesterday",
        why[2],
    ]
    i18n.use(Language.CHINESE)
    try:
        assert because()[1:] == ["上次是昨天", why[2]]
    finally:
        i18n.use(Language.ENGLISH)


def test_vectors_that_are_not_wanted_any_more_are_not_made(view: MemoryView) -> None:
    assert view.alike(Section.PROFILE, "mother", lambda: False) == ()
    assert [item.name for item in view.alike(Section.PROFILE, "mom 555 0101")][:1] == ["mom"]


def test_schedules_are_listed_with_when_they_begin_and_what_became_of_them(
    view: MemoryView, store: Store
) -> None:
    assert "/schedule" in view.items(Section.SCHEDULES).note
    schedules = Schedules(store, "1")
    coffee = schedules.add("every day at 8", "order coffee", LATER, "Asia/Shanghai")
    now = LATER + timedelta(minutes=1)
    bank = schedules.add("when the bank texts", "read me the balance", now, "Asia/Shanghai")
    schedules.note_run(coffee, "t1", LATER)
    listed = view.items(Section.SCHEDULES).items
    assert [(item.id, item.context) for item in listed] == [(coffee.id, coffee.times), (bank.id, bank.times)]
    assert listed[0].tail
    facts = view.details(Section.SCHEDULES, listed[0]).facts
    assert dict(facts)["begins"] == "every day at 8"
    assert [text for label, text in facts if label == "was"]
    assert "bank" in dict(view.details(Section.SCHEDULES, listed[1]).facts)["counts"]


def test_a_schedule_is_paused_resumed_removed_and_brought_back(view: MemoryView, store: Store) -> None:
    schedules = Schedules(store, "1")
    schedules.add("every day at 8", "order coffee", LATER, "Asia/Shanghai")
    assert view.hide(Section.SCHEDULES, the(view, Section.SCHEDULES)).startswith("Paused")
    paused = the(view, Section.SCHEDULES)
    assert (paused.hidden, paused.over, schedules.all()[0].paused) == (True, "paused", True)
    assert view.hide(Section.SCHEDULES, paused) == "Resumed."
    assert not schedules.all()[0].paused
    view.forget(Section.SCHEDULES, the(view, Section.SCHEDULES))
    assert schedules.all() == []
    view.undo()
    assert [schedule.instruction for schedule in schedules.all()] == ["order coffee"]


def test_a_schedule_that_is_gone_is_told(view: MemoryView, store: Store) -> None:
    schedules = Schedules(store, "1")
    gone = schedules.add("every day at 8", "order coffee", LATER, "Asia/Shanghai")
    item = the(view, Section.SCHEDULES)
    schedules.remove(gone)
    with pytest.raises(MemoryProblem):
        view.details(Section.SCHEDULES, item)
