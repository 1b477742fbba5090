"""A small lived-in memory for the panel."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from assistant.memory.profile.graph import Evidence, Strength
from assistant.memory.profile.service import Profile
from assistant.memory.request_log import LoggedRequest
from assistant.memory.store import Store
from assistant.memory_view.service import MemoryView
from assistant.records import Click, OpenApp, Point, Target
from assistant.settings.schema import Settings
from assistant.skills.skill_step import SkillStep
from assistant.skills.slots import learn_pattern
from assistant.skills.template import SkillTemplate
from tests.memory.prototypes.lived import COFFEE, MONDAY, Hashing, record

LATER = MONDAY + timedelta(days=14)


def live(
    folder: Path, noodles: str = "Order beef noodles without coriander on Eats"
) -> tuple[Store, MemoryView]:
    """Noodles each day at noon, coffee at any time of day, and a number of mom's."""
    store = Store(folder, now=lambda: LATER)
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
    return store, MemoryView(store, Hashing(), Settings(user_id="1"))


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
