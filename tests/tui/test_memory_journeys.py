"""What a person does in the memory: find the fact behind something, change it, see it work, undo it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from textual.events import Key
from textual.widgets import Input

from assistant.history import PastTurns
from assistant.memory.profile.edits import AddNode, SetValue
from assistant.memory.profile.graph import NodeKind
from assistant.memory.profile.service import Profile
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint
from assistant.memory_view.items import Section
from assistant.memory_view.service import MemoryView
from assistant.phone.monitor import SensorReadings
from assistant.presentation.ui_state import SETTLING
from assistant.proactive.forecast import load_habits
from assistant.proactive.habit_table import Calendar
from assistant.proactive.location import Places
from assistant.proactive.suggestions import RoutineCandidate, Suggestions, make_suggestion
from assistant.records import Outcome, State
from assistant.settings.schema import Settings
from assistant.skills.slots import learn_pattern
from assistant.skills.storage import SkillRepository
from assistant.skills.template import SkillState, SkillTemplate
from assistant.tui.memory.widgets import MemoryList
from tests.memory.prototypes.lived import MONDAY, ORDER, Hashing, record
from tests.tui.hostile_texts import HOSTILE
from tests.tui.meanings import RECORDS, proposed
from tests.tui.remembered import lines, live, opened, panel, press
from tests.tui.scripted import ScriptedEngine, past_suggestion
from tests.tui.test_history import quiet as read

from .app_fixture import Desk, open_desk, settle

Lived = tuple[Store, MemoryView]
NOON = MONDAY + timedelta(days=8)


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[Lived]:
    store, view = live(tmp_path / "memory")
    yield store, view
    store.close()


def squeezed(desk: Desk) -> str:
    return " ".join(desk.text.replace("│", " ").split())


async def begin_edit(desk: Desk) -> None:
    """Press e until the item is looked up and its field is open."""
    for _ in range(50):
        await press(desk, "e")
        if isinstance(desk.app.focused, Input):
            return
    raise AssertionError("the field does not open")


async def write(desk: Desk, text: str) -> None:
    """Put text into the field that has the focus, and keep it: a key costs Pilot a while."""
    field = desk.app.focused
    assert isinstance(field, Input)
    field.value = text
    await press(desk, "enter")


def offered(store: Store) -> list[str]:
    """What would be suggested at noon in the office."""
    habits = load_habits(HierarchicalMemory(store, Hashing()), "1", Calendar(), NOON.date())
    return [one.instruction for one in habits.judge(State(time=NOON, scenario="office"), 0.47)]


async def test_the_routine_behind_a_suggestion_is_changed_and_changed_back(lived: Lived) -> None:
    store, view = lived
    candidate = RoutineCandidate(
        lines(view, Section.ROUTINES)[0].id, ORDER, 0.9, ("n7", "n6"), ("8 of 8 times",)
    )
    made = make_suggestion(candidate, "n0", "office", NOON)
    Suggestions(store, "1").add(replace(made, id="s1"))
    assert offered(store) == [ORDER]
    engine = ScriptedEngine(remembered=view)
    async with open_desk(engine, (80, 24)) as desk:
        engine.suggest(ORDER)
        await press(desk, "tab", "f8")
        assert not panel(desk).focused
        await press(desk, "f2")
        assert "▸routines" in desk.text
        assert "because of 8 records:" in desk.text
        assert not desk.app.main.situation.deciding
        await begin_edit(desk)
        await press(desk, "tab")
        await write(desk, "18-19")
        assert "Changed: it is suggested 18:00-19:00." in desk.text
        assert offered(store) == []
        await press(desk, "u")
        assert "Undone: your change of hours." in desk.text
        assert offered(store) == [ORDER]


async def test_why_leads_to_the_part_in_the_memory(lived: Lived) -> None:
    engine = ScriptedEngine(remembered=lived[1], records=RECORDS)
    async with open_desk(engine, (100, 30)) as desk:
        proposed(engine)
        await desk.settle()
        await press(desk, "f8", "1")
        assert panel(desk).focused
        assert panel(desk).section is Section.RECORDS


async def test_from_a_routine_to_its_record_and_back(lived: Lived) -> None:
    async with opened(lived[1], Section.ROUTINES) as desk:
        await press(desk, "enter")
        assert panel(desk).section is Section.RECORDS
        item = panel(desk).item
        assert item is not None
        assert item.id == "n7"
        assert "counts as a routine" in squeezed(desk)
        await press(desk, "backspace")
        assert panel(desk).section is Section.ROUTINES


async def test_two_routines_are_made_of_one_and_one_again(lived: Lived) -> None:
    async with opened(lived[1], Section.ROUTINES) as desk:
        await press(desk, "s")
        await write(desk, "since:2026-03-07")
        assert "Splits off 3 of 8 records." in squeezed(desk)
        await desk.wait(SETTLING)
        await press(desk, "y")
        assert [one.count for one in lines(lived[1], Section.ROUTINES)] == [5, 3]
        await press(desk, "home", "m", "down", "m")
        assert "Merge “Order beef" in squeezed(desk)
        await desk.wait(SETTLING)
        await press(desk, "y")
        assert [one.count for one in lines(lived[1], Section.ROUTINES)] == [8]


async def test_an_entity_of_the_tree_is_opened_renamed_and_found(lived: Lived) -> None:
    async with opened(lived[1], Section.PROFILE, (100, 30)) as desk:
        await press(desk, "down", "enter")
        assert "555 0101" not in desk.text
        await press(desk, "enter", "e", "tab")
        await write(desk, "mummy")
        assert "“mummy” also means mom." in desk.text
        await press(desk, "slash")
        await write(desk, "mummy")
        assert [one.name for one in panel(desk)._list.items][:1] == ["mummy"]
        await press(desk, "escape", "u")
        assert "mummy" not in desk.text


async def test_what_is_in_doubt_is_decided(lived: Lived) -> None:
    store, view = lived
    profile = Profile(store, Hashing(), "1")
    for number, place in enumerate(("12 Park Street", "4 Main Street")):
        told = record(f"g{number}", f"Navigate to the gym, my gym is at {place}", day=9)
        store.records.add([told])
        profile.learn(told)
    assert profile.conflicts()
    async with opened(view, Section.PROFILE, (100, 30)) as desk:
        await press(desk, "slash")
        await write(desk, "main street")
        await press(desk, "c")
        assert "holds." in desk.text
        assert profile.conflicts() == []


async def test_learning_is_paused_in_sight_and_goes_on(lived: Lived) -> None:
    engine = ScriptedEngine(remembered=lived[1])
    async with open_desk(engine, (80, 24)) as desk:
        await press(desk, "/learning")
        assert "learning paused" in desk.lines[0]
        await press(desk, "/learning")
        assert "learning paused" not in desk.text
        assert engine.learns


async def test_wiping_wants_to_be_typed_out(lived: Lived) -> None:
    async with opened(lived[1], Section.RECORDS) as desk:
        await press(desk, "w")
        await write(desk, "yes")
        assert "Nothing is wiped." in desk.text
        assert lived[0].records.count() == 13
        await press(desk, "w")
        await write(desk, "wipe everything")
        assert "Wiped: the memory is empty" in desk.text
        assert lived[0].records.count() == 0


async def test_hostile_words_stay_words_in_every_section(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory", now=lambda: NOON)
    text = " ".join(HOSTILE.values()).encode("utf-8", "replace").decode()[:900]
    store.records.add(record(f"r{at}", text, day=at, app=text, scenario=text, item=text) for at in range(4))
    Profile(store, Hashing(), "1").apply(
        [
            AddNode(kind=NodeKind.CONCEPT, name=text[:100]),
            AddNode(kind=NodeKind.ENTITY, name=text[100:200], concepts=(text[:100],)),
            SetValue(name=text[100:200], key=text[:20], value=text[:150]),
        ],
        "told",
    )
    Places(store, "1").learn(text[:60], text[:40], SensorReadings(bssid=text[:30]))
    made = make_suggestion(RoutineCandidate("p", text, 0.9, ("r1",), (text,)), "r0", text, NOON)
    Suggestions(store, "1").add(made)
    view = MemoryView(store, Hashing(), Settings(user_id="1"))
    async with opened(view, size=(100, 30)) as desk:
        for _ in Section:
            await press(desk, "end", "e")
            shown = [desk.text]
            await press(desk, "escape", "f")
            shown.append(desk.text)
            for screen in shown:
                assert not [one for one in screen if one < " " and one != "\n"]
                assert not any(mark in screen for mark in "\x7f\x9b\u202e\u2066")
            await press(desk, "n", "right")
        assert desk.app.is_running
    store.close()


async def test_why_leads_here_from_past_turns_and_past_suggestions(lived: Lived) -> None:
    store, view = lived
    candidate = RoutineCandidate(lines(view, Section.ROUTINES)[0].id, ORDER, 0.9, ("n7",), ("8 of 8 times",))
    Suggestions(store, "1").add(replace(make_suggestion(candidate, "n0", "office", NOON), id="s1"))
    turn = Checkpoint(turn_id="t9", user_id="1", started=NOON, said="the usual", instruction=ORDER)
    store.turns.finish(turn, Outcome.SUCCESS)
    engine = ScriptedEngine(remembered=view, turns=PastTurns(store, "1"), old=[past_suggestion(ORDER)])
    async with open_desk(engine, (80, 24)) as desk:
        await press(desk, "/suggestions", "w")
        assert "▸routines" in desk.text
        await press(desk, "f2", "/history")
        await read(desk.app, desk.pilot)
        await press(desk, "w")
        assert panel(desk).section is Section.RECORDS
        item = panel(desk).item
        assert item is not None
        assert item.id == "t9"


async def test_another_letter_is_no_answer_and_keeps_what_was_to_be_deleted(lived: Lived) -> None:
    async with opened(lived[1]) as desk:
        await press(desk, "f")
        assert "cannot be undone" in desk.text
        await press(desk, "o")
        assert "Kept." in desk.text
        assert "cannot be undone" not in desk.text


async def test_skills_open_by_a_slash_command(lived: Lived) -> None:
    async with opened(lived[1]) as desk:
        desk.app.main.input.insert("/skills")
        await press(desk, "escape", "enter")
        assert panel(desk).section is Section.SKILLS


async def test_a_skill_is_found_by_the_beginning_of_its_name_and_begun_only_when_it_stands_there(
    lived: Lived,
) -> None:
    store, view = lived
    repository = SkillRepository(store, "1")
    for name, state in (
        ("Lunch", SkillState.TRUSTED),
        ("Lunch for two", SkillState.PROBATION),
        ("Old lunch", SkillState.RETIRED),
        ("Order {item} for lunch", SkillState.PROBATION),
    ):
        pattern = learn_pattern(name, [])
        skill = SkillTemplate(
            id=f"skill-{name}", user_id="1", name=name, pattern=pattern, app="Eats", state=state, made=MONDAY
        )
        repository.put(skill, "a test")
    async with open_desk(ScriptedEngine(remembered=view)) as desk:
        await desk.type("/replay lun")
        await desk.settle()
        listed = [line.split("  ")[0].strip() for line in desk.lines if "/replay" in line]
        assert [line for line in listed if line != "/replay lun"] == [
            "/replay Lunch",
            "/replay Lunch for two",
            "/replay Order {item} for lunch",
        ]
        await desk.press("enter")
        await desk.settle()
        assert desk.app.main.input.text == "/replay Lunch "
        assert "replay" not in [call[0] for call in desk.calls]
        await desk.type("item=tea")
        await desk.press("enter")
        assert desk.calls[-1] == ("replay", "Lunch", "item=tea")


@pytest.mark.parametrize("said", ["forget", "redo", "up"])
async def test_a_sentence_typed_over_the_memory_is_for_the_command_line(
    lived: Lived, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    store, view = lived
    monkeypatch.setattr(MemoryList, "hold_seconds", 30.0)
    async with opened(view) as desk:
        before = len(store.audit.lines())
        for letter in said:
            await desk.pilot.press(letter)
        await settle(desk.app, desk.pilot)
        assert desk.app.main.input.text == said
        assert desk.app.main.input.has_focus
        assert len(store.audit.lines()) == before


async def test_a_letter_alone_acts_on_the_marked_line(lived: Lived) -> None:
    _store, view = lived
    async with opened(view) as desk:
        await press(desk, "f")
        assert "y" in [key for key, _words in panel(desk).keys_now]
        assert desk.app.main.input.text == ""


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
@pytest.mark.parametrize("line", ["undo", "hide that", "撤销"])
async def test_what_why_opens_takes_no_key_from_the_next_line(
    lived: Lived, size: tuple[int, int], line: str
) -> None:
    store, view = lived
    engine = ScriptedEngine(remembered=view)
    async with open_desk(engine, size) as desk:
        engine.suggest(ORDER)
        await press(desk, "f8")
        assert panel(desk).is_open
        before = len(store.audit.lines())
        for letter in line:
            await desk.press(letter)
        assert desk.typed == line
        assert len(store.audit.lines()) == before
        await press(desk, "enter")
        assert not panel(desk).is_open


async def test_escape_closes_what_why_opened_and_the_memory_key_goes_into_it(lived: Lived) -> None:
    engine = ScriptedEngine(remembered=lived[1])
    async with open_desk(engine, (80, 24)) as desk:
        engine.suggest(ORDER)
        await press(desk, "f8", "escape")
        assert not panel(desk).is_open
        await press(desk, "f8", "f2")
        assert panel(desk).focused
        await press(desk, "f2", "f8", "tab", "tab")
        assert panel(desk).is_open


async def test_letters_behind_a_wish_to_forget_change_nothing(lived: Lived) -> None:
    store, view = lived
    async with open_desk(ScriptedEngine(remembered=view)) as desk:
        desk.app.main.sides.show_to_forget(view.to_forget("noodles"))
        await read(desk.app, desk.pilot)
        assert panel(desk).focused
        before = len(store.audit.lines())
        for letter in "hurry up":
            await desk.press(letter)
        assert desk.typed == "hurry up"
        assert len(store.audit.lines()) == before


@pytest.mark.parametrize("line", ["fine", "fyi im off", "find my gym"])
async def test_a_sentence_whose_first_letter_asks_goes_whole_into_the_field(lived: Lived, line: str) -> None:
    async with opened(lived[1]) as desk:
        await press(desk, "f")
        for letter in line[1:]:
            await desk.press(letter)
        assert "cannot be undone" not in desk.text
        assert desk.typed == line


@pytest.mark.parametrize("line", ["from my side", "fyi the mug is here", "我的事"])
async def test_a_line_that_comes_faster_than_the_focus_goes_whole_into_the_field(
    lived: Lived, line: str
) -> None:
    store, view = lived
    async with opened(view) as desk:
        before = len(store.audit.lines())
        for letter in line:
            desk.app.post_message(Key("space" if letter == " " else letter, letter))
        await settle(desk.app, desk.pilot)
        assert desk.typed == line
        assert not panel(desk).has_class("-typing")
        assert len(store.audit.lines()) == before


@pytest.mark.parametrize("typed", ["好", "8", "g"])
async def test_what_is_no_key_of_the_list_begins_a_line(lived: Lived, typed: str) -> None:
    async with opened(lived[1]) as desk:
        await desk.press(typed)
        assert desk.typed == typed
        assert desk.app.main.input.has_focus
