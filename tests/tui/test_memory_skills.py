"""Skills in the memory panel: renamed, their steps edited, tried dry, written to a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import Input

from assistant.memory.store import Store
from assistant.memory_view.items import Section
from assistant.memory_view.service import MemoryView
from assistant.presentation.ui_state import SETTLING
from assistant.skills.service import SkillMemory
from assistant.skills.storage import SkillRepository, steps_as_text
from tests.skills.mini_app import MiniPhone, MiniTurn, orders
from tests.tui.remembered import lines, live, lunch_skill, opened, panel, press, squeezed

Lived = tuple[Store, MemoryView]


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[Lived]:
    store, view = live(tmp_path / "memory")
    yield store, view
    store.close()


async def test_a_shown_task_is_a_skill_that_is_renamed_undone_redone_and_used_with_another_value(
    lived: Lived,
) -> None:
    store, view = lived
    skills = SkillMemory(store, "1")
    shown = MiniTurn(store, skills, 1, "get me Rice on Feast", MiniPhone(), orders("Feast", "Rice"), user="1")
    await asyncio.to_thread(shown.run, replay=False)
    skills.keep("turn-1-1", "get me Rice on Feast")
    async with opened(view, Section.SKILLS) as desk:
        assert "get me {item} on Feast" in squeezed(desk)
        await press(desk, "e", "ctrl+u", *"Lunch", "enter")
        assert [item.name for item in lines(view, Section.SKILLS)] == ["Lunch"]
        await press(desk, "u")
        assert [item.name for item in lines(view, Section.SKILLS)] == ["get me Rice on Feast"]
        await press(desk, "r")
        assert [item.name for item in lines(view, Section.SKILLS)] == ["Lunch"]
        other = MiniTurn(
            store, skills, 2, "get me Tea on Feast", MiniPhone(), orders("Feast", "Tea"), user="1"
        )
        await asyncio.to_thread(other.run)
        assert other.phone.ordered == ("Feast", "Tea", "S")
        assert [words.split(" · ")[0] for words in other.proposed] == ["open_app", "Tea", "Order"]


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
async def test_the_steps_of_a_skill_are_edited_and_nothing_typed_is_lost(
    lived: Lived, size: tuple[int, int]
) -> None:
    store, view = lived
    SkillRepository(store, "1").put(lunch_skill(), "a turn ended well")
    async with opened(view, Section.SKILLS, size) as desk:
        await press(desk, "e", "tab")
        assert 'instruction: "order {item}"' in desk.text
        assert "ctrl+s keeps it" in squeezed(desk)
        await press(desk, *["down"] * 9, *"- tap Pay", "ctrl+s")
        assert "Not kept: step 3: " in squeezed(desk)
        await press(desk, "escape")
        assert "Not changed." in desk.text
        await press(desk, "e", "tab")
        assert "- tap Pay" in desk.text
        assert "what you wrote before and did not keep" in squeezed(desk)
        await press(desk, *["down"] * 9, "end", *["backspace"] * 7, *"{tap: Pay}", "enter", "ctrl+s")
        assert "Changed: 3 steps now. The skill is on probation again." in squeezed(desk)
        assert [step.words() for step in SkillRepository(store, "1").all()[0].steps][2] == "tap “Pay”"
        await press(desk, "u")
        assert SkillRepository(store, "1").all() == [lunch_skill()]


async def test_a_skill_is_tried_dry_with_another_value(lived: Lived) -> None:
    store, view = lived
    SkillRepository(store, "1").put(lunch_skill(), "a turn ended well")
    async with opened(view, Section.SKILLS, (80, 24)) as desk:
        assert "t try dry" in desk.text
        await press(desk, "t")
        assert "values: with which it is tried" in squeezed(desk)
        await press(desk, "ctrl+u", *"dish=tea", "enter")
        assert "There is no slot dish" in squeezed(desk)
        await press(desk, "ctrl+u", *"item=fried rice", "enter")
        for words in (
            "order fried rice",
            "1. open Eats",
            "2. tap “fried rice”",
            "Tried dry: nothing was done.",
        ):
            assert words in squeezed(desk)
        await press(desk, "down")
        assert "2. tap “fried rice”" in squeezed(desk)
        await press(desk, "escape")
        assert "state on probation" in squeezed(desk)
        assert panel(desk).is_open
        assert not desk.calls


async def test_a_skill_is_written_to_a_folder_after_a_question(lived: Lived, tmp_path: Path) -> None:
    store, view = lived
    SkillRepository(store, "1").put(lunch_skill(), "a turn ended well")
    file = tmp_path / "out" / "order-item" / "steps.yaml"
    async with opened(view, Section.SKILLS) as desk:

        async def name(folder: Path) -> None:
            desk.app.main.query_one("#memory-edit", Input).value = str(folder)
            await press(desk, "enter")

        await press(desk, "d")
        await name(tmp_path / "none" / "out")
        assert "No such file" in squeezed(desk)
        await name(tmp_path / "out")
        assert "Written to " in squeezed(desk)
        file.write_text("mine")
        await press(desk, "d")
        await name(tmp_path / "out")
        assert "is there already. Write over it?" in squeezed(desk)
        await press(desk, "n")
        assert file.read_text() == "mine"
        await press(desk, "d")
        await name(tmp_path / "out")
        await desk.wait(SETTLING)
        await press(desk, "y")
        assert file.read_text() == steps_as_text(lunch_skill())
