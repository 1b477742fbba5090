from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from assistant.memory import schema
from assistant.memory.forgetting import forget
from assistant.memory.prototypes.clustering import ClusteringRules
from assistant.memory.prototypes.model import Prototype, RecordKind
from assistant.memory.prototypes.repository import PrototypeRepository
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.prototypes.similarity import RecordFeatures
from assistant.memory.store import INCOGNITO, Store
from assistant.records import Record

from .lived import CANCEL, COFFEE, MONDAY, ORDER, Hashing, record

USER = "1"
LATER = MONDAY + timedelta(days=14)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "memory", now=lambda: LATER)
    yield opened
    opened.close()


@pytest.fixture
def memory(store: Store) -> HierarchicalMemory:
    return HierarchicalMemory(store, Hashing())


def life(days: int = 8) -> list[Record]:
    """Noodles each day at noon, coffee every other day in the morning, one cancellation."""
    records = [record(f"n{day}", day=day, minutes=day) for day in range(days)]
    records += [
        record(f"c{day}", COFFEE, day=day, minutes=-200, app="Beans", item="flat white", scenario="residence")
        for day in range(0, days, 2)
    ]
    records.append(record("x", CANCEL, day=1, minutes=30))
    return sorted(records, key=lambda record: record.time)


def by_centre(memory: HierarchicalMemory) -> dict[str, Prototype]:
    return {prototype.instruction: prototype for prototype in memory.prototypes(USER)}


def members(prototype: Prototype) -> set[str]:
    return {member.record_id for member in prototype.members}


def state_of(memory: HierarchicalMemory) -> dict[frozenset[str], str]:
    return {frozenset(members(prototype)): prototype.centre_id for prototype in memory.prototypes(USER)}


def lines(store: Store) -> int:
    with store.reader() as connection:
        return int(connection.execute(select(func.count()).select_from(schema.changes)).scalar_one())


def test_consistent_records_share_a_prototype(store: Store, memory: HierarchicalMemory) -> None:
    store.records.add(life())
    done = memory.aggregate()
    assert done.placed == 13
    prototypes = by_centre(memory)
    assert members(prototypes[ORDER]) == {f"n{day}" for day in range(8)}
    assert members(prototypes[COFFEE]) == {"c0", "c2", "c4", "c6"}
    assert members(prototypes[CANCEL]) == {"x"}
    assert prototypes[ORDER].app == "Eats"
    assert prototypes[ORDER].actions[0].type == "open_app"


def test_a_record_with_a_remark_is_embedded_once(store: Store) -> None:
    told = "Disabled the alarm for tomorrow, then went back to sleep"
    store.records.add([record("a", told, day=1), record("b", ORDER, day=2)])
    embedder = Hashing()
    HierarchicalMemory(store, embedder).aggregate()
    assert sorted(embedder.asked) == sorted([ORDER, "Disabled the alarm for tomorrow"])


def test_running_again_changes_nothing(store: Store, memory: HierarchicalMemory) -> None:
    store.records.add(life())
    memory.aggregate()
    before, written = state_of(memory), lines(store)
    assert memory.aggregate().placed == 0
    assert HierarchicalMemory(store, Hashing()).aggregate().placed == 0
    assert (state_of(memory), lines(store)) == (before, written)


def test_a_day_after_another_is_the_same_as_all_at_once(tmp_path: Path) -> None:
    made = []
    for name, steps in (("once", [life()]), ("daily", [[step] for step in life()])):
        store = Store(tmp_path / name, now=lambda: LATER)
        for step in steps:
            store.records.add(step)
            HierarchicalMemory(store, Hashing()).aggregate()
        made.append(state_of(HierarchicalMemory(store, Hashing())))
        store.close()
    assert made[0] == made[1]


def test_old_days_that_come_late_join_what_is_there(store: Store, memory: HierarchicalMemory) -> None:
    lived = life()
    store.records.add(lived[6:])
    memory.aggregate()
    store.records.add(lived[:6])
    memory.aggregate()
    assert len(by_centre(memory)[ORDER].members) == 8


def test_only_records_up_to_a_moment_are_placed(store: Store, memory: HierarchicalMemory) -> None:
    store.records.add(life())
    done = memory.aggregate(until=MONDAY + timedelta(hours=6))
    assert done.placed == 2


def test_a_run_tells_how_far_it_is_and_is_one_line_of_the_audit(store: Store) -> None:
    memory = HierarchicalMemory(store, Hashing())
    store.records.add(life())
    before = lines(store)
    reports: list[tuple[int, int]] = []
    memory.aggregate(tell=lambda progress: reports.append((progress.done, progress.total)))
    assert reports == [(13, 13)]
    assert lines(store) - before == 2  # one for the vectors, one for the prototypes


def test_each_user_has_prototypes_of_their_own(store: Store, memory: HierarchicalMemory) -> None:
    store.records.add([*life(), *(record(f"g{day}", day=day, user_id="2") for day in range(3))])
    memory.aggregate()
    assert len(by_centre(memory)[ORDER].members) == 8
    assert [len(prototype.members) for prototype in memory.prototypes("2")] == [3]


def test_a_killed_run_goes_on_where_it_was(
    store: Store, memory: HierarchicalMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.memory.prototypes.repository._PORTION", 4)
    store.records.add(life())

    class Killed(Exception):
        pass

    def kill(progress: object) -> None:
        raise Killed

    with pytest.raises(Killed):
        memory.aggregate(tell=kill)
    assert HierarchicalMemory(store, Hashing()).aggregate().placed == 9
    assert len(by_centre(memory)[ORDER].members) == 8


def test_another_program_that_aggregates_meanwhile_is_noticed(
    store: Store, memory: HierarchicalMemory
) -> None:
    store.records.add(life()[:6])
    memory.aggregate()
    store.records.add(life())
    HierarchicalMemory(store, Hashing()).aggregate()
    assert memory.aggregate().placed == 0
    assert len(by_centre(memory)[ORDER].members) == 8


@pytest.mark.sqlite_file
def test_a_forgotten_record_leaves_its_prototype(store: Store, memory: HierarchicalMemory) -> None:
    store.records.add(life())
    memory.aggregate()
    prototype = by_centre(memory)[ORDER]
    memory.decisions(USER).rename([prototype.centre_id], "Order the secret noodles")
    forget(store, [prototype.centre_id])
    left = by_centre(memory)[ORDER]
    assert members(left) == members(prototype) - {prototype.centre_id}
    with store.reader() as connection:
        assert connection.execute(select(schema.prototype_decisions)).all() == []
    assert b"secret noodles" not in (store.folder / "memory.sqlite").read_bytes()


def test_a_record_that_is_forgotten_while_it_is_placed_stands_nowhere(
    store: Store, memory: HierarchicalMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = life(2)
    store.records.add(records)
    load_features = PrototypeRepository.load_features

    def load_and_forget(repository: PrototypeRepository, record_ids: Sequence[str]) -> list[RecordFeatures]:
        features = load_features(repository, record_ids)
        if records[0].id in record_ids and store.records.get(records[0].id) is not None:
            forget(store, [records[0].id])
        return features

    monkeypatch.setattr(PrototypeRepository, "load_features", load_and_forget)
    memory.aggregate()
    with store.reader() as connection:
        rows = connection.execute(select(schema.prototype_members.c.record_id)).scalars().all()
    assert sorted(rows) == sorted(record.id for record in records[1:])


def test_unused_prototypes_are_archived_and_come_back(tmp_path: Path) -> None:
    now = LATER
    store = Store(tmp_path / "memory", now=lambda: now)
    memory = HierarchicalMemory(store, Hashing(), rules=replace(ClusteringRules(), half_life_days=10))
    store.records.add([record("n0"), record("n1", day=1)])
    memory.aggregate()
    assert not by_centre(memory)[ORDER].archived
    now = MONDAY + timedelta(days=90)
    memory.aggregate()
    assert by_centre(memory)[ORDER].archived
    assert by_centre(memory)[ORDER].weight < 0.1
    store.records.add([record("n90", day=90)])
    memory.aggregate()
    assert not by_centre(memory)[ORDER].archived
    assert len(by_centre(memory)[ORDER].members) == 3
    store.close()


def test_a_pinned_prototype_is_not_archived(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory", now=lambda: MONDAY + timedelta(days=900))
    memory = HierarchicalMemory(store, Hashing())
    store.records.add([record("n0"), record("n1", day=1)])
    memory.decisions(USER).pin(["n0"])
    memory.aggregate()
    prototype = by_centre(memory)[ORDER]
    assert prototype.pinned
    assert not prototype.archived
    store.close()


def test_other_rules_make_the_prototypes_anew(store: Store, memory: HierarchicalMemory) -> None:
    store.records.add(life())
    memory.aggregate()
    strict = HierarchicalMemory(store, Hashing(), rules=replace(ClusteringRules(), theta=1.1))
    assert all(len(prototype.members) == 1 for prototype in strict.prototypes(USER))


class TestDecisions:
    def test_a_new_name_and_hiding_outlive_aggregation(
        self, store: Store, memory: HierarchicalMemory
    ) -> None:
        store.records.add(life())
        prototype = by_centre(memory)[ORDER]
        decisions = memory.decisions(USER)
        decisions.rename([prototype.centre_id], "The noodles")
        decisions.hide([prototype.centre_id])
        strict = HierarchicalMemory(store, Hashing(), rules=replace(ClusteringRules(), theta=0.61))
        renamed = by_centre(strict)["The noodles"]
        assert renamed.hidden
        assert len(renamed.members) == 8
        assert [
            preference.prototype.instruction for preference in strict.preferences("noodles", USER, LATER)
        ] == []
        store.undo()
        assert not by_centre(memory)["The noodles"].hidden

    def test_what_is_only_suggested_no_more_still_answers_a_command(
        self, store: Store, memory: HierarchicalMemory
    ) -> None:
        store.records.add(life())
        prototype = by_centre(memory)[ORDER]
        memory.decisions(USER).hide([prototype.centre_id], only_suggestions=True)
        assert by_centre(memory)[ORDER].hidden
        assert by_centre(memory)[ORDER].unsuggested
        meant = [
            preference.prototype.instruction for preference in memory.preferences("noodles", USER, LATER)
        ]
        assert ORDER in meant
        memory.decisions(USER).hide([prototype.centre_id], False)
        assert not by_centre(memory)[ORDER].hidden

    def test_two_prototypes_are_merged_and_parted_again_by_undo(
        self, store: Store, memory: HierarchicalMemory
    ) -> None:
        store.records.add(life())
        before = state_of(memory)
        prototypes = by_centre(memory)
        order, coffee = prototypes[ORDER], prototypes[COFFEE]
        memory.decisions(USER).merge([order.centre_id, *members(order)], [coffee.centre_id, *members(coffee)])
        merged = next(prototype for prototype in memory.prototypes(USER) if len(prototype.members) > 4)
        assert members(merged) == members(order) | members(coffee)
        store.records.add([record("c9", COFFEE, day=9, app="Beans", item="flat white")])
        memory.aggregate()
        merged = next(prototype for prototype in memory.prototypes(USER) if len(prototype.members) > 4)
        assert "c9" in members(merged)
        store.undo(latest(store, "Merge two prototypes"))
        after = state_of(memory)
        assert frozenset(members(order)) in after
        assert len(after) == len(before)

    def test_a_prototype_is_split_and_stays_split(self, store: Store, memory: HierarchicalMemory) -> None:
        store.records.add(life())
        prototype = by_centre(memory)[ORDER]
        ids = [prototype.centre_id, *sorted(members(prototype) - {prototype.centre_id})]
        taken = set(ids[-3:])
        memory.decisions(USER).split(ids, sorted(taken))
        groups = [members(prototype) for prototype in memory.prototypes(USER)]
        assert taken in groups
        assert set(ids) - taken in groups
        memory.aggregate()
        assert [members(prototype) for prototype in memory.prototypes(USER)] == groups
        store.undo()
        assert set(ids) in [members(prototype) for prototype in memory.prototypes(USER)]

    def test_some_must_leave_and_some_must_stay(self, memory: HierarchicalMemory) -> None:
        with pytest.raises(ValueError, match="leave some"):
            memory.decisions(USER).split(["a", "b"], ["a", "b"])

    def test_a_record_without_learning_is_left_out(self, store: Store, memory: HierarchicalMemory) -> None:
        store.records.add(life())
        memory.aggregate()
        store.records.edit("n3", {"source": INCOGNITO})
        assert "n3" not in members(by_centre(memory)[ORDER])
        classification = memory.kind_of("n3")
        assert classification is not None
        assert "left it out" in classification.why[0]
        store.undo()
        assert "n3" in members(by_centre(memory)[ORDER])


class TestQuestions:
    def test_a_vague_command_finds_what_it_means(self, store: Store, memory: HierarchicalMemory) -> None:
        store.records.add(life())
        first = memory.preferences("order the usual noodles", USER, LATER.replace(hour=12), "office")[0]
        assert first.prototype.instruction == ORDER
        assert 0.5 < first.confidence <= 1.0
        assert first.slots["app"] == "Eats"
        assert first.slots["item"] == "beef noodles"
        assert first.slots["place"] == "office"
        assert first.slots["time"].startswith("12:")
        assert first.prototype.evidence[0] == "n7"

    def test_a_command_without_content_goes_by_time_and_place(
        self, store: Store, memory: HierarchicalMemory
    ) -> None:
        store.records.add(life())
        noon = memory.preferences("the usual", USER, LATER.replace(hour=12), "office")
        morning = memory.preferences("老样子", USER, LATER.replace(hour=8, minute=40), "residence")
        assert noon[0].prototype.instruction == ORDER
        assert morning[0].prototype.instruction == COFFEE

    def test_the_opposite_is_never_meant(self, store: Store, memory: HierarchicalMemory) -> None:
        store.records.add(life())
        preferences = memory.preferences("cancel my usual noodles order", USER, LATER)
        assert ORDER not in [preference.prototype.instruction for preference in preferences]

    def test_a_stranger_thing_finds_nothing(self, store: Store, memory: HierarchicalMemory) -> None:
        store.records.add(life())
        assert memory.preferences("rename the holiday photo album", USER, LATER.replace(hour=3)) == []
        assert memory.preferences("order noodles", "nobody", LATER) == []

    @pytest.mark.parametrize(
        ("name", "kind", "why"),
        [
            ("x", RecordKind.MOMENT, "No other record"),
            ("n0", RecordKind.ROUTINE, "8 records of 8 days"),
            ("m0", RecordKind.PREFERENCE, "4 records of 4 days"),
        ],
    )
    def test_each_record_has_a_kind_and_reasons(
        self, store: Store, memory: HierarchicalMemory, name: str, kind: RecordKind, why: str
    ) -> None:
        music = (
            record(f"m{day}", "Play some jazz", day=day, minutes=day * 170, actions=()) for day in range(4)
        )
        store.records.add([*life(), *music])
        classification = memory.kind_of(name)
        assert classification is not None
        assert classification.kind is kind
        assert why in " ".join(classification.why)
        assert memory.kind_of("nothing") is None


def latest(store: Store, what: str) -> int:
    query = select(schema.changes.c.id).where(schema.changes.c.what == what)
    with store.reader() as connection:
        return int(connection.execute(query.order_by(schema.changes.c.id.desc()).limit(1)).scalar_one())
