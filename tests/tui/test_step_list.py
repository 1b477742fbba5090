"""Thousands of steps in one list: little is kept, everything can be looked at again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from assistant import events
from assistant.presentation.text import safe
from assistant.presentation.turn_log import (
    MAX_LIVE_ENTRIES,
    Entry,
    NoteEntry,
    StepEntry,
    StepStatus,
    TurnEntries,
    TurnLog,
)
from assistant.records import Click, Finished, Outcome, Point, Source, Usage
from assistant.tui.turn_lines import entry_height, format_entry, wrapped, wrapped_height
from assistant.tui.widgets.turn_panel import DRAWN_MOST, StepList
from tests.tui.scripted import NOW

MANY = 900


class Bare(App[None]):
    """Nothing but the list."""

    CSS = "#steps { height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.turn = TurnLog()
        self.list = StepList(self.turn.entries)

    def compose(self) -> ComposeResult:
        yield self.list

    def play(self, first: int, last: int) -> None:
        for number in range(first, last + 1):
            self.heed(
                events.ThoughtStreamed(time=NOW, step=number, text=f"Page {number} is open. 第{number}页")
            )
            self.heed(step_finished(number))

    def heed(self, event: events.Event) -> None:
        entry = self.turn.handle_event(event)
        if entry is not None:
            self.list.changed(entry, self.turn.running)

    @property
    def lines(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips()]


def step_finished(number: int) -> events.StepFinished:
    return events.StepFinished(
        time=NOW,
        step=number,
        action=Click(point=Point(0.5, 0.5), content=f"Page {number}"),
        source=Source.MODEL,
        seconds=2.1,
        model_seconds=1.6,
        phone_seconds=0.4,
        own_seconds=0.1,
    )


@asynccontextmanager
async def bare(steps: int, size: tuple[int, int] = (80, 20)) -> AsyncIterator[tuple[Bare, Pilot[None]]]:
    app = Bare()
    async with app.run_test(size=size) as pilot:
        app.play(1, steps)
        await pilot.pause()
        yield app, pilot


async def test_a_turn_of_thousands_of_steps_keeps_little() -> None:
    async with bare(100) as (app, pilot):
        widgets = len(app.query("*"))
        app.play(101, MANY)
        await pilot.pause()
        app.list.scroll_home(animate=False)
        await pilot.pause()
        assert len(app.query("*")) == widgets
        assert len(app.turn.entries) == MANY
        assert len(app.turn.entries.live) <= MAX_LIVE_ENTRIES
        assert len(app.turn._steps) <= MAX_LIVE_ENTRIES
        assert len(app.list._drawn) <= DRAWN_MOST


async def test_old_steps_are_scrolled_to_and_the_end_is_followed_again() -> None:
    async with bare(330) as (app, pilot):
        assert any("330 ✓ tap “Page 330”" in line for line in app.lines)
        app.list.scroll_home(animate=False)
        await pilot.pause()
        assert app.lines[0].startswith("   1 ✓ tap “Page 1”")
        app.play(331, 350)
        await pilot.pause()
        assert app.lines[0].startswith("   1 ✓ tap “Page 1”")
        app.list.scroll_end(animate=False)
        await pilot.pause()
        app.play(351, 360)
        await pilot.pause()
        assert app.lines[-1].startswith(" 360 ✓ tap “Page 360”")


async def test_a_step_scrolled_to_stays_in_sight_when_lines_break_elsewhere() -> None:
    async with bare(330) as (app, pilot):
        app.list.scroll_to(y=39, animate=False)
        await pilot.pause()
        assert app.lines[0].startswith("  40 ✓")
        app.list.show_thoughts(True)
        await pilot.pause()
        assert app.lines[0].startswith("  40 ✓")
        assert app.lines[1].strip() == "Page 40 is open. 第40页"
        await pilot.resize_terminal(30, 20)
        assert app.lines[0].startswith("  40 ✓")
        app.list.show_thoughts(False)
        await pilot.pause()
        assert app.lines[1].startswith("  41 ✓")


async def test_text_of_steps_out_of_sight_is_selected_too() -> None:
    async with bare(330) as (app, _):
        selected = app.list.get_selection(Selection(Offset(5, 1), Offset(9, 329)))
        assert selected is not None
        lines = selected[0].split("\n")
        assert lines[0].startswith("✓ tap “Page 2”")
        assert (len(lines), lines[-1]) == (329, " 330 ✓ ta")
        everything = app.list.get_selection(Selection(None, None))
        assert everything is not None
        assert everything[0].count("tap “Page") == 330


async def test_the_mouse_selects_where_it_points() -> None:
    async with bare(330) as (app, _):
        assert app.screen.get_widget_and_offset_at(9, 3) == (app.list, Offset(9, 330 - 20 + 3))


async def test_a_selection_is_shown_where_it_is() -> None:
    async with bare(3) as (app, pilot):
        before = app.list.render_line(1)
        app.screen.selections = {app.list: Selection(Offset(0, 1), Offset(4, 1))}
        await pilot.pause()
        assert app.list.render_line(1).text == before.text
        assert app.list.render_line(1)._segments != before._segments


async def test_other_colours_are_drawn() -> None:
    async with bare(3) as (app, pilot):
        before = app.list.render_line(0)._segments
        app.theme = "textual-light"
        await pilot.pause()
        assert app.list.render_line(0)._segments != before


async def test_the_answer_of_a_long_turn_stands_at_its_end() -> None:
    async with bare(MAX_LIVE_ENTRIES + 10) as (app, pilot):
        done = replace(step_finished(MAX_LIVE_ENTRIES + 11), action=Finished(answer="All pages are read."))
        app.heed(done)
        app.heed(events.ReplyMalformed(time=NOW, step=done.step, attempt=1, reason="No action."))
        app.heed(done)
        await pilot.pause()
        assert app.lines[-1].startswith("     ✓ All pages are read.")
        assert "No action." in app.lines[-2]


def test_what_is_packed_is_read_again_as_it_was() -> None:
    entries = TurnEntries()
    added: list[Entry] = []
    for number in range(MAX_LIVE_ENTRIES + 100):
        step = StepEntry(
            number, f"tap “按钮 {number}”", "Because. 因为", Source.REPLAYED, 1.5, "", StepStatus.DONE
        )
        added += [step, NoteEntry("›", "the corner one")]
    packed = [old for one in added for old in entries.append(one)]
    assert len(packed) == entries.packed
    assert [format_entry(one, 80, thoughts=True).plain for one in entries] == [
        format_entry(one, 80, thoughts=True).plain for one in added
    ]
    assert format_entry(entries[3], 80) == format_entry(added[3], 80)


def test_steps_that_are_packed_do_not_change_any_more() -> None:
    log = TurnLog()
    first = log.handle_event(events.StepStarted(time=NOW, step=1))
    for number in range(2, MAX_LIVE_ENTRIES + 70):
        log.handle_event(step_finished(number))
    again = log.handle_event(events.StepStarted(time=NOW, step=1))
    assert again is not first
    log.handle_event(
        events.TurnFinished(
            time=NOW, turn_id="t", outcome=Outcome.CANCELLED, answer="", steps=1, usage=Usage(), seconds=2
        )
    )
    assert isinstance(again, StepEntry)
    assert again.status is StepStatus.STOPPED


texts = st.text(st.sampled_from("ab cd\n，长 a🙂–-   "), max_size=120).map(safe)


@given(texts, st.integers(min_value=2, max_value=40))
def test_lines_are_counted_as_they_are_wrapped(text: str, width: int) -> None:
    assert wrapped_height(text, width) == len(wrapped(text, width))


@given(
    texts, texts, texts, st.integers(min_value=24, max_value=90), st.sampled_from(StepStatus), st.booleans()
)
def test_an_entry_is_as_high_as_its_lines(
    words: str, thought: str, error: str, width: int, status: StepStatus, thoughts: bool
) -> None:
    step = StepEntry(7, words, thought, Source.MODEL, 75.0, error, status, last=not error)
    for entry in (step, NoteEntry("›", words)):
        assert (
            entry_height(entry, width, thoughts) == format_entry(entry, width, thoughts).plain.count("\n") + 1
        )


def test_the_reason_of_a_step_stands_beside_it_where_there_is_room() -> None:
    step = StepEntry(
        7, "tap “Search”", "The list is long.\nI search it.", Source.MODEL, 2.1, "", StepStatus.DONE
    )
    assert format_entry(step, 100).plain.endswith("2.1 s  The list is long. I search it.")
    assert "The list" not in format_entry(step, 95).plain
    shown = format_entry(step, 100, thoughts=True).plain.split("\n")
    assert shown[0].endswith("2.1 s")
    assert shown[1].strip() == "The list is long."
    replayed = replace(step, source=Source.REPLAYED)
    assert format_entry(replayed, 80).plain.endswith("2.1 s  replayed")


@pytest.mark.parametrize("length", [10, 20_000])
def test_a_thought_without_end_is_as_high_as_its_last_lines(length: int) -> None:
    step = StepEntry(7, "tap", "read on " * length)
    assert (
        entry_height(step, 60, thoughts=True) == format_entry(step, 60, thoughts=True).plain.count("\n") + 1
    )


async def test_the_newest_step_stays_in_sight_where_the_list_shrinks() -> None:
    async with bare(12) as (app, pilot):
        await pilot.resize_terminal(80, 4)
        await pilot.pause()
        assert app.lines[-1].startswith("  12 ✓ tap “Page 12”")
        app.list.scroll_to(y=5, animate=False)
        await pilot.pause()
        await pilot.resize_terminal(80, 3)
        app.list.keep_up()
        await pilot.pause()
        assert app.lines[0].startswith("   6 ✓ tap “Page 6”")
