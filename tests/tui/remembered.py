"""A small lived-in memory for the panel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from textual.pilot import Pilot

from assistant.memory.profile.graph import Evidence, Strength
from assistant.memory.profile.service import Profile
from assistant.memory.request_log import LoggedRequest
from assistant.memory.store import Store
from assistant.memory_view.items import Item, Section
from assistant.memory_view.service import MemoryView
from assistant.records import Click, OpenApp, Point, Target
from assistant.settings.schema import Settings
from assistant.skills.skill_step import SkillStep
from assistant.skills.slots import learn_pattern
from assistant.skills.template import SkillTemplate
from assistant.tui.app import AssistantApp
from assistant.tui.memory.panel import MemoryPanel
from tests.memory.prototypes.lived import COFFEE, MONDAY, Hashing, record
from tests.tui.scripted import ScriptedEngine

from .app_fixture import Desk, open_desk, press_or_say, settle

LATER = MONDAY + timedelta(days=14)


def live(folder: Path) -> tuple[Store, MemoryView]:
    """Noodles each day at noon, coffee at any time of day, and a number of mom's."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.sqlite").write_bytes(_lived())
    store = Store(folder, now=lambda: LATER)
    return store, MemoryView(store, Hashing(), Settings(user_id="1"))


@cache
def _lived() -> bytes:
    """The file of such a memory, which is written once and copied for each test."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder), now=lambda: LATER)
        noodles = "Order beef noodles without coriander on Eats"
        store.records.add(record(f"n{day}", noodles, day=day, minutes=day) for day in range(8))
        store.records.add(
            record(f"c{day}", COFFEE, day=day, minutes=day * 180 - 360, app="Beans", item="flat white")
            for day in range(5)
        )
        profile = Profile(store, Hashing(), "1")
        profile.remember("mom", "555 0101", Evidence("n1", MONDAY, Strength.STATED))
        parts = (("system", "You operate a phone."), ("user", "User_instruction: every word that was sent"))
        store.sent.add(
            LoggedRequest("1", "n1", 1, MONDAY, "http://localhost:8000/v1", "qwen3-vl", 70, 90_000, parts)
        )
        store.close()
        return (Path(folder) / "memory.sqlite").read_bytes()


def lunch_skill() -> SkillTemplate:
    """A skill that orders a dish."""
    row = Click(point=Point(0.5, 0.5), target=Target(text="Soup · ¥ 10", resource_id="com.eats:id/dish"))
    return SkillTemplate(
        id="skill-lunch",
        user_id="1",
        name="order {item}",
        pattern=learn_pattern("order soup", ["soup"]),
        steps=(
            SkillStep(action=OpenApp(name="Eats")),
            SkillStep(action=row, slot="item", bound="Soup", example="soup"),
        ),
        app="Eats",
        package="com.eats",
        made=LATER,
        runs=1,
    )


async def quiet(app: AssistantApp, pilot: Pilot[None]) -> None:
    """Wait until no thread of the panel works and all it told is shown."""
    await settle(app, pilot)
    memory = app.main.memory
    while (working := [each for each in app.workers if each.group.startswith("memory-")]) or memory.searching:
        await app.workers.wait_for_complete(working) if working else await asyncio.sleep(0.01)
        await settle(app, pilot)


@asynccontextmanager
async def opened(
    view: MemoryView, section: Section = Section.PREFERENCES, size: tuple[int, int] = (160, 50)
) -> AsyncIterator[Desk]:
    async with open_desk(ScriptedEngine(remembered=view), size) as desk:
        await press(desk, "f2")
        panel(desk).show_section(section)
        await quiet(desk.app, desk.pilot)
        yield desk


async def press(desk: Desk, *keys: str) -> None:
    for key in keys:
        await press_or_say(desk.app, desk.pilot, key)
        await quiet(desk.app, desk.pilot)


def panel(desk: Desk) -> MemoryPanel:
    return desk.app.main.memory


def lines(view: MemoryView, section: Section) -> list[Item]:
    """The items that are no nodes of the tree."""
    return [item for item in view.items(section).items if item.opened is None]


def squeezed(desk: Desk) -> str:
    return " ".join(desk.text.replace("│", " ").split())
