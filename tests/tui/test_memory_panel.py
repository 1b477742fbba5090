from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import Input
from textual.worker import WorkerCancelled

from assistant.events import Verdict
from assistant.memory.profile.edits import AddNode
from assistant.memory.profile.graph import NodeKind
from assistant.memory.profile.service import Profile
from assistant.memory.store import Store
from assistant.memory_view.items import Item, ItemAction, ItemDetails, Section
from assistant.memory_view.service import MemoryView
from assistant.presentation.ui_state import SETTLING
from assistant.records import Outcome
from assistant.settings.schema import Settings
from assistant.tui.memory.jobs import KeyMode
from assistant.tui.widgets.around_turn import FoldedTurn
from tests.memory.prototypes.lived import COFFEE, ORDER, Hashing, record
from tests.tui.remembered import LATER, lines, live, opened, panel, press, quiet, squeezed
from tests.tui.scripted import ScriptedEngine, lunch

from .app_fixture import open_desk, settle

Lived = tuple[Store, MemoryView]


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[Lived]:
    store, view = live(tmp_path / "memory")
    yield store, view
    store.close()


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
async def test_each_section_tells_its_items_and_what_is_behind(lived: Lived, size: tuple[int, int]) -> None:
    async with opened(lived[1], size=size) as desk:
        for words in (
            ("▸preferences", "flat white", "Beans"),
            ("▸routines", "beef noodles", "because of", "12:05–12:11"),
            ("▸profile", "▾ mom", "555 0101", "linked to"),
            ("▸places", "No place has a name yet."),
            ("▸skills", "No skills yet"),
            ("▸records", "Mon 09 Mar 12:12"),
            ("▸suggestions", "No suggestions yet"),
            ("▸schedules", "Nothing is scheduled"),
            ("▸changes", "remember what a word means"),
            ("▸sent to the model", "screenshot and words to localhost:8000", "every"),
        ):
            if words[0] == "▸profile":
                await press(desk, "end")
            shown = desk.text
            if words[0] in ("▸routines", "▸profile"):
                await press(desk, "pagedown")
                shown += desk.text
            for word in words:
                assert word in shown
            await press(desk, "right")
        assert "▸preferences" in desk.text


async def test_beside_the_turn_when_wide_else_in_its_place(lived: Lived) -> None:
    for size, beside in (((120, 30), True), ((119, 30), False)):
        engine = ScriptedEngine(remembered=lived[1])
        async with open_desk(engine, size) as desk:
            lunch(engine)
            await press(desk, "f2")
            assert ("tap “Search”" in desk.text) == beside
            assert "Running" in desk.text
            await press(desk, "f2")
            assert "tap “Search”" in desk.text
            assert desk.app.focused is desk.app.main.input


async def test_it_has_room_below_a_long_conversation(lived: Lived) -> None:
    async with open_desk(ScriptedEngine(remembered=lived[1])) as desk:
        for question in (
            "what did I eat last week?",
            "when do I usually call mom?",
            "what did I buy in May?",
        ):
            await desk.type(question)
            await press(desk, "enter")
        assert "what did I eat last week?" in desk.text
        await press(desk, "f2")
        assert "flat white" in desk.text
        assert "what did I buy in May?" in desk.text


async def test_a_question_of_the_turn_stays_in_sight(lived: Lived) -> None:
    engine = ScriptedEngine(remembered=lived[1])
    async with open_desk(engine, (80, 24)) as desk:
        lunch(engine)
        await press(desk, "f2")
        engine.ask_approval(4)
        await quiet(desk.app, desk.pilot)
        assert "Pay ¥32.00" in desk.text
        assert "1  yes, this once" in desk.text


async def test_escape_leaves_the_memory_for_the_question_that_stands(lived: Lived) -> None:
    engine = ScriptedEngine(remembered=lived[1])
    async with open_desk(engine) as desk:
        lunch(engine)
        decision = engine.ask_approval(4)
        await press(desk, "f2")
        panel(desk)._list.focus()
        await press(desk, "escape")
        assert not panel(desk).is_open
        assert not decision.done()
        assert desk.calls == []
        await press(desk, "escape")
        assert desk.calls == [("pause",)]


async def test_escape_still_pauses_a_turn_and_else_leaves(lived: Lived) -> None:
    engine = ScriptedEngine(remembered=lived[1])
    async with open_desk(engine) as desk:
        lunch(engine)
        await press(desk, "f2", "escape")
        assert desk.calls == [("pause",)]
        assert panel(desk).focused
    async with opened(lived[1]) as desk:
        await press(desk, "slash", "escape")
        assert panel(desk).focused
        await press(desk, "escape")
        assert not panel(desk).is_open


async def test_ctrl_c_in_the_panel_keeps_the_unsent_command(lived: Lived) -> None:
    async with open_desk(ScriptedEngine(remembered=lived[1])) as desk:
        await desk.type("half a comm")
        await press(desk, "f2", "slash", "ctrl+c")
        assert desk.typed == "half a comm"


async def test_typing_a_command_never_reaches_the_panel(lived: Lived) -> None:
    async with opened(lived[1], Section.ROUTINES) as desk:
        desk.app.main.input.focus()
        await press(desk, *"epfuy")
        assert desk.typed == "epfuy"
        (routine,) = lines(lived[1], Section.ROUTINES)
        assert (routine.name, routine.pinned, routine.hidden) == (ORDER, False, False)


async def test_letters_typed_into_the_filter_are_words(lived: Lived) -> None:
    async with opened(lived[1], Section.RECORDS) as desk:
        await press(desk, "slash", *"flat")
        assert {one.name for one in panel(desk)._list.items[:5]} == {COFFEE}
        await press(desk, "enter", "down")
        assert panel(desk)._list.highlighted == 1


async def test_a_routine_is_renamed_undone_and_redone(lived: Lived) -> None:
    async with opened(lived[1], Section.ROUTINES) as desk:
        await press(desk, "e", "ctrl+u", *"Tea", "enter")
        assert "Changed: Tea" in desk.text
        assert f"You changed these words; the 8 records say “{ORDER}”." in squeezed(desk)
        assert [one.name for one in lines(lived[1], Section.ROUTINES)] == ["Tea"]
        await press(desk, "u")
        assert "You changed these words" not in desk.text
        assert f"Undone: your change of words. It is again: {ORDER}" in squeezed(desk)
        assert [one.name for one in lines(lived[1], Section.ROUTINES)] == [ORDER]
        await press(desk, "r")
        assert [one.name for one in lines(lived[1], Section.ROUTINES)] == ["Tea"]


async def test_what_cannot_be_kept_is_said(lived: Lived) -> None:
    async with opened(lived[1], Section.PROFILE) as desk:
        await press(desk, "end", "e", "ctrl+u", "enter")
        assert "Enter a text." in desk.text
        assert [one.name for one in lines(lived[1], Section.PROFILE)] == ["555 0101"]


async def test_pin_and_hide_are_seen_in_the_list(lived: Lived) -> None:
    async with opened(lived[1], Section.ROUTINES) as desk:
        await press(desk, "p")
        assert "Pinned" in desk.text
        assert "★ Order beef" in desk.text
        await press(desk, "h")
        assert "not used · 8×" in desk.text
        assert "Hidden: not used or suggested, but kept." in desk.text


async def test_forgetting_asks_once_and_says_what_goes(lived: Lived) -> None:
    store, _ = lived
    async with opened(lived[1], Section.ROUTINES) as desk:
        await press(desk, "f")
        assert "1 value of the profile and 1 line of" in desk.text
        assert "y yes  n no" in desk.text
        await press(desk, "y")
        assert "Not taken" in desk.text
        assert store.records.count() == 13
        await press(desk, "n")
        assert "Kept." in desk.text
        await press(desk, "f")
        await desk.wait(SETTLING)
        await press(desk, "y")
        assert "Forgotten: 8 records." in desk.text
        assert store.records.count() == 5


async def test_undoing_an_import_asks_first_and_says_how_many_records_go(lived: Lived) -> None:
    store, _ = lived
    count = store.records.count()
    imported = [record(f"tom{day}", "Call Tom", day=40 + day) for day in range(3)]
    store.records.add(imported, "Import records from a file", "asked by the user")
    async with opened(lived[1], Section.ROUTINES) as desk:
        await press(desk, "u")
        assert "3 records go" in desk.text
        assert store.records.count() == count + 3
        await press(desk, "n")
        assert store.records.count() == count + 3
        await press(desk, "u")
        await desk.wait(SETTLING)
        await press(desk, "y")
        assert store.records.count() == count


async def test_a_wish_to_forget_opens_what_holds_the_words(lived: Lived) -> None:
    store, _ = lived
    store.records.add([record("tom", "Call Tom", day=40)])
    count = store.records.count()
    async with opened(lived[1], Section.ROUTINES) as desk:
        await press(desk, "escape")
        await desk.type("please delete everything you know about Tom")
        await desk.press("enter")
        await quiet(desk.app, desk.pilot)
        assert "“Tom”: 1 in records" in desk.text
        assert ("run", "please delete everything you know about Tom") not in desk.calls
        assert store.records.count() == count
        await press(desk, "f")
        await desk.wait(SETTLING)
        await press(desk, "y")
        assert store.records.count() == count - 1


async def test_a_question_means_no_other_key(lived: Lived) -> None:
    async with opened(lived[1], Section.ROUTINES) as desk:
        await press(desk, "f", "right", "enter", "backspace")
        assert "Delete “Order beef" in desk.text
        (routine,) = lines(lived[1], Section.ROUTINES)
        assert (routine.pinned, routine.hidden) == (False, False)


async def test_one_change_is_undone_from_its_line(lived: Lived) -> None:
    async with opened(lived[1], Section.ROUTINES) as desk:
        await press(desk, "p", *["right"] * 5)
        await press(desk, "u")
        assert "Undone: your choice whether it is pinned." in desk.text
        (routine,) = lines(lived[1], Section.ROUTINES)
        assert not routine.pinned


async def test_a_memory_that_is_not_open_says_so_and_comes(lived: Lived) -> None:
    async with open_desk() as desk:
        await press(desk, "f2")
        assert "The memory is not open yet." in desk.text
        await press(desk, "e")
        assert "Nothing is selected." in desk.text
        desk.engine.remembered = lived[1]
        panel(desk)._watch()
        # The panel's own watch may replace this worker by a newer one, which then does the work.
        with suppress(WorkerCancelled):
            await quiet(desk.app, desk.pilot)
        await quiet(desk.app, desk.pilot)
        assert "flat white" in desk.text


async def test_how_long_things_are_kept_is_changed_after_saying_what_goes(lived: Lived) -> None:
    store, _ = lived
    async with opened(lived[1]) as desk:
        await press(desk, "k")
        assert "days of what was sent" in desk.text
        assert "Kept now: 1 line of what was sent." in squeezed(desk)
        await press(desk, "tab", "tab", "ctrl+u", *"often", "enter")
        assert "Type a whole number" in desk.text
        await press(desk, "ctrl+u", *"7", "enter")
        assert "This deletes 1 line of what was sent permanently, at once." in squeezed(desk)
        assert store.sent.count("1") == 1
        await desk.wait(SETTLING)
        await press(desk, "y")
        assert "Deleted: 1 line of what was sent." in squeezed(desk)
        assert store.sent.count("1") == 0
        assert desk.engine.settings.memory.sent_days == 7
        await press(desk, "k", "tab", "ctrl+u", *"9", "enter")
        assert "Nothing to delete." in squeezed(desk)


async def test_the_footer_tells_only_keys_that_mean_something(lived: Lived) -> None:
    async with opened(lived[1], Section.PREFERENCES, (80, 24)) as desk:
        keys = panel(desk)._keys
        for begin, told, end in (
            ("x", "", "escape"),
            ("i", "", "escape"),
            ("e", "", "escape"),
            ("w", "", "escape"),
            ("slash", "enter to what is found  esc end finding", "escape"),
            ("m", "m merge into it  / find  esc leave them two", "escape"),
        ):
            await press(desk, begin)
            assert str(keys.content) == told
            assert [words for _, words in panel(desk).keys_now] == [] or told
            await press(desk, end)
            assert str(keys.content).startswith("e edit  f delete  u undo  / find  enter open")
            assert "w wipe all" not in str(keys.content)
            assert "? all keys" in str(keys.content)
            await press(desk, "question_mark")
            assert str(keys.content).startswith("e edit  p pin")
            assert "w wipe all" in str(keys.content)
            assert str(keys.content).endswith("? usual keys")
            await press(desk, "question_mark")
        desk.app.main.input.focus()
        await quiet(desk.app, desk.pilot)
        assert str(keys.content) == "f2 to the memory"


async def test_the_help_begins_with_the_keys_of_the_memory_where_it_has_them(lived: Lived) -> None:
    async with opened(lived[1], Section.RECORDS) as desk:
        await press(desk, "f1")
        assert "In the memory, now" in desk.text
        assert "Delete it for good" in desk.text
    async with open_desk() as desk:
        await press(desk, "f1")
        assert "In the memory, now" not in desk.text


async def test_what_cannot_be_kept_can_be_typed_on(lived: Lived) -> None:
    async with opened(lived[1], Section.ROUTINES) as desk:
        await press(desk, "e", "tab", "ctrl+u", *"noonish", "enter")
        assert "Write hours, days or both" in squeezed(desk)
        await press(desk, *["backspace"] * 7, *"12-13", "enter")
        assert "Changed: it is suggested 12:00-13:00." in squeezed(desk)
        await press(desk, "i", "ctrl+u", *"/none", "enter")
        assert "/none cannot be read" in squeezed(desk)
        assert panel(desk)._mode is KeyMode.TYPING


async def test_a_change_of_another_program_is_shown_and_what_is_typed_stays(
    lived: Lived, tmp_path: Path
) -> None:
    other = Store(tmp_path / "memory", now=lambda: LATER)
    beside = MemoryView(other, Hashing(), Settings(user_id="1"))
    async with opened(lived[1], Section.ROUTINES) as desk:
        await press(desk, "e", *"!")
        (theirs,) = lines(beside, Section.ROUTINES)
        beside.edit(Section.ROUTINES, theirs, "Lunch")
        panel(desk)._watch()
        await quiet(desk.app, desk.pilot)
        assert "Meanwhile changed elsewhere to “Lunch”." in squeezed(desk)
        assert "› Lunch" in desk.text
        await press(desk, "enter")
        assert [one.name for one in lines(lived[1], Section.ROUTINES)] == [f"{ORDER}!"]
        beside.edit(Section.ROUTINES, lines(beside, Section.ROUTINES)[0], "Lunch again")
        panel(desk)._watch()
        await quiet(desk.app, desk.pilot)
        assert "Lunch again" in desk.text
    other.close()


async def test_escape_leaves_what_is_typed_before_it_cancels_a_paused_turn(lived: Lived) -> None:
    engine = ScriptedEngine(remembered=lived[1])
    async with open_desk(engine) as desk:
        lunch(engine)
        await press(desk, "f2", "x", "escape", "escape")
        assert desk.calls == [("pause",)]
        assert "Not changed." in desk.text
        await press(desk, "m", "escape")
        assert desk.calls == [("pause",)]
        await press(desk, "escape")
        assert (panel(desk).is_open, desk.calls) == (False, [("pause",)])
        await press(desk, "escape")
        assert desk.calls == [("pause",), ("cancel",)]


async def test_escape_closes_the_panel_beside_a_paused_turn_and_comes_no_nearer_to_cancelling(
    lived: Lived,
) -> None:
    engine = ScriptedEngine(remembered=lived[1])
    async with open_desk(engine) as desk:
        lunch(engine)
        await press(desk, "escape")
        desk.clock.advance(60)
        await press(desk, "f2", "escape")
        assert (panel(desk).is_open, desk.typed) == (False, "")
        assert "Escape again cancels" not in desk.text
        await desk.type("what did I eat")
        assert desk.typed == "what did I eat"
        assert desk.calls == [("pause",)]


async def test_escape_goes_from_the_queue_to_the_field_beside_a_paused_turn(lived: Lived) -> None:
    engine = ScriptedEngine(remembered=lived[1])
    async with open_desk(engine) as desk:
        lunch(engine)
        engine.command_queue.add("order coffee")
        await press(desk, "escape")
        desk.app.main.orders.show_queue()
        desk.app.main.queue.focus()
        await press(desk, "escape")
        assert desk.app.main.input.has_focus
        assert desk.calls == [("pause",)]


async def test_the_best_of_what_is_found_is_looked_at(lived: Lived) -> None:
    async with opened(lived[1], Section.RECORDS) as desk:
        await press(desk, "end", "slash", *"order")
        first = panel(desk)._list.items[0]
        assert panel(desk).item == first
        await press(desk, "enter", "down", "slash", "space", "b")
        assert panel(desk).item == panel(desk)._list.items[0]


async def test_an_item_that_is_to_be_edited_opens_once_it_is_looked_up(
    lived: Lived, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, known = lived[1], threading.Event()
    details = view.details

    def slowly(section: Section, item: Item) -> ItemDetails:
        assert known.wait(timeout=30)
        return details(section, item)

    async with opened(view) as desk:
        monkeypatch.setattr(view, "details", slowly)
        await desk.pilot.press("down", "e")
        await settle(desk.app, desk.pilot)
        assert "Looking …" in desk.text
        assert not isinstance(desk.app.focused, Input)
        known.set()
        await quiet(desk.app, desk.pilot)
        assert isinstance(desk.app.focused, Input)


async def test_what_no_item_holds_marks_none_until_the_user_does(lived: Lived) -> None:
    view = lived[1]
    async with opened(view, Section.PREFERENCES) as desk:
        await press(desk, "slash", *"nodles", "enter")
        assert panel(desk)._list.items
        assert panel(desk).item is None
        assert "≈ Order beef noodles" in desk.text
        assert "Nothing here holds “nodles”." in desk.text
        await press(desk, "h", "f", "p")
        assert "Nothing is selected." in desk.text
        assert all(not item.hidden and not item.pinned for item in view.items(Section.PREFERENCES).items)
        await press(desk, "down")
        assert panel(desk).item == panel(desk)._list.items[0]
        await press(desk, "escape", "slash", *"555 0101")
        assert "Nothing here holds “555 0101”. Elsewhere: 1 in profile." in desk.text
        await press(desk, "escape")
        assert panel(desk).item is not None


async def test_enter_goes_to_the_section_that_holds_the_words_searched_for(lived: Lived) -> None:
    view = lived[1]
    async with opened(view, Section.PREFERENCES) as desk:
        await press(desk, "slash", *"555 0101", "enter")
        assert panel(desk).section is Section.PROFILE
        item = panel(desk).item
        assert item is not None
        assert not item.near
        assert "555 0101" in desk.text


async def test_a_low_terminal_shows_what_the_keys_of_the_memory_act_on(lived: Lived) -> None:
    async with open_desk(ScriptedEngine(remembered=lived[1]), (40, 12)) as desk:
        turns = [FoldedTurn(f"t{at}", "call mom", "Called.", Outcome.SUCCESS) for at in range(9)]
        desk.app.main.turn.scrollback.restore(turns)
        await press(desk, "f2")
        assert "› Order beef noodles" in desk.text
        assert "e edit" in desk.text
        await press(desk, "e")
        assert "› Order beef noodles" in desk.text
        assert "words: " in desk.text
        assert "enter keeps it" in desk.text
        await press(desk, "escape", "f")
        assert "Delete “Order beef noodles" in desk.text
        await press(desk, "n")
        assert "Kept." in desk.text


async def test_the_memory_opens_at_the_line_that_was_marked_last(lived: Lived) -> None:
    async with opened(lived[1], Section.PREFERENCES) as desk:
        await press(desk, "down")
        marked = panel(desk).item
        await press(desk, "right", "left")
        assert panel(desk).item == marked
        await press(desk, "f2", "f2")
        assert panel(desk).item == marked is not None


async def test_areas_of_life_keep_their_names_and_a_group_is_renamed_only_after_a_question(
    lived: Lived,
) -> None:
    store, view = lived
    Profile(store, Hashing(), "1").apply([AddNode(kind=NodeKind.CONCEPT, name="Neighbours")], "told")
    view = MemoryView(store, Hashing(), Settings(user_id="1"))
    groups = {item.name: item for item in view.items(Section.PROFILE).items}
    assert ItemAction.EDIT not in groups["People"].acts
    async with opened(view, Section.PROFILE) as desk:
        panel(desk).show_section(Section.PROFILE, groups["Neighbours"].id)
        await quiet(desk.app, desk.pilot)
        await press(desk, "e")
        field = desk.app.focused
        assert isinstance(field, Input)
        await desk.burst("ctrl+u", "Mom", "enter")
        await quiet(desk.app, desk.pilot)
        assert "Rename the whole group “Neighbours”" in desk.text
        await press(desk, "n")
        assert "Neighbours" in {item.name for item in view.items(Section.PROFILE).items}


async def test_a_burst_in_the_edit_field_is_taken_whole(lived: Lived) -> None:
    view = lived[1]
    async with opened(view, Section.PREFERENCES) as desk:
        await press(desk, "e")
        field = desk.app.focused
        assert isinstance(field, Input)
        await desk.burst(*["backspace"] * len(field.value), "Lunch", "left", "left", "delete", "u")
        assert field.value == "Lunuh"
        await desk.paste(" for\ntwo ")
        assert field.value == "Lunufor twoh"
        await desk.burst("ctrl+u", "end", "backspace", "Lunch", "enter")
        await quiet(desk.app, desk.pilot)
        assert lines(view, Section.PREFERENCES)[0].name == "Lunch"


async def test_what_is_typed_right_behind_a_field_of_the_memory_stays_in_the_memory(lived: Lived) -> None:
    async with opened(lived[1]) as desk:
        await press(desk, "e")
        await desk.burst("x", "escape", "/flat")
        await quiet(desk.app, desk.pilot)
        assert desk.typed == ""
        assert panel(desk)._find.value == "flat"
        await desk.burst("escape", "down")
        await quiet(desk.app, desk.pilot)
        assert desk.app.focused is panel(desk)._list


async def test_what_is_typed_right_behind_e_is_for_its_field(
    lived: Lived, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, known = lived[1], threading.Event()
    details = view.details

    def slowly(section: Section, item: Item) -> ItemDetails:
        assert known.wait(timeout=30)
        return details(section, item)

    async with opened(view) as desk:
        await desk.burst("e", "wh", "backspace")
        await quiet(desk.app, desk.pilot)
        field = desk.app.focused
        assert isinstance(field, Input)
        assert field.value == f"{lines(view, Section.PREFERENCES)[0].name}w"
        await press(desk, "escape")
        await desk.burst("/lu", "backspace", "atte")
        await quiet(desk.app, desk.pilot)
        assert panel(desk)._find.value == "latte"
        await press(desk, "escape")
        monkeypatch.setattr(view, "details", slowly)
        await desk.burst("down", "e", "wh", "backspace")
        assert not isinstance(desk.app.focused, Input)
        known.set()
        await quiet(desk.app, desk.pilot)
        assert isinstance(desk.app.focused, Input)
        assert field.value == f"{lines(view, Section.PREFERENCES)[1].name}w"


async def test_beside_a_prompt_the_item_keeps_room_for_its_reasons(lived: Lived) -> None:
    async with opened(lived[1], size=(80, 24)) as desk:
        desk.engine.ask_approval(1, sentence="Pays ¥32.")
        await desk.settle()
        assert "because of 8 records" in desk.text
        assert desk.app.main.query_one("#memory-about").size.height >= 3


async def test_closing_the_memory_leads_to_the_answers_that_are_waited_for(lived: Lived) -> None:
    async with opened(lived[1], size=(80, 24)) as desk:
        decision = desk.engine.ask_approval(1, sentence="Pays ¥32.")
        await desk.settle()
        await desk.press("f2")
        await desk.wait(1)
        await desk.press("2", "enter")
        assert decision.result().verdict is Verdict.NO
        assert desk.typed == ""


async def test_letters_act_at_once_where_the_list_has_the_focus_and_are_typed_where_the_field_has_it(
    lived: Lived,
) -> None:
    async with opened(lived[1], Section.ROUTINES) as desk:
        await desk.pilot.press("p", "right")
        await quiet(desk.app, desk.pilot)
        assert lines(lived[1], Section.ROUTINES)[0].pinned
        assert panel(desk).section is Section.PROFILE
        assert desk.typed == ""
        desk.app.main.input.focus()
        await press(desk, "p", "h", "u")
        assert desk.typed == "phu"
        (routine,) = lines(lived[1], Section.ROUTINES)
        assert (routine.pinned, routine.hidden) == (True, False)


async def test_a_word_typed_in_the_list_deletes_nothing(lived: Lived) -> None:
    async with opened(lived[1]) as desk:
        before = [item.id for item in lived[1].items(Section.PREFERENCES).items]
        for letter in "fyfury":
            await desk.pilot.press(letter)
        await quiet(desk.app, desk.pilot)
        assert {item.id for item in lived[1].items(Section.PREFERENCES).items} == set(before)


async def test_what_is_pasted_over_the_list_is_text_for_the_field(lived: Lived) -> None:
    async with opened(lived[1]) as desk:
        desk.app.post_message(Paste("call mom"))
        await quiet(desk.app, desk.pilot)
        assert desk.typed == "call mom"
        assert desk.app.focused is desk.app.main.input


@pytest.mark.parametrize(("size", "stays"), [((80, 24), False), ((160, 50), True)])
async def test_a_line_that_is_sent_closes_the_memory_where_it_hides_the_answer(
    lived: Lived, size: tuple[int, int], stays: bool
) -> None:
    async with opened(lived[1], size=size) as desk:
        desk.app.main.input.focus()
        await press(desk, *"thanks", "enter")
        assert desk.app.main.has_class("-memory") is stays
        assert "thanks" in desk.text
