from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from assistant.memory.store import Store
from assistant.memory_view.items import Item, Section
from assistant.memory_view.service import MemoryView
from assistant.records import Click, OpenApp, Point, Target
from assistant.settings.schema import Settings
from assistant.skills.slots import learn_pattern
from assistant.skills.storage import SkillRepository
from assistant.skills.template import SkillState, SkillStep, SkillTemplate
from tests.memory.prototypes.lived import Hashing

NOW = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)


def only(view: MemoryView) -> Item:
    (item,) = view.items(Section.SKILLS).items
    return item


def test_a_skill_is_shown_renamed_retired_deleted_and_brought_back(tmp_path: Path) -> None:
    store = Store(tmp_path, lambda: NOW)
    row = Click(point=Point(0.5, 0.5), target=Target(text="Soup · ¥ 10"))
    template = SkillTemplate(
        id="skill-1",
        user_id="me",
        name="order {item}",
        pattern=learn_pattern("order soup", ["soup"]),
        steps=(
            SkillStep(action=OpenApp(name="Eats")),
            SkillStep(action=row, slot="item", bound="Soup", example="soup"),
        ),
        app="Eats",
        made=NOW,
        runs=1,
    )
    SkillRepository(store, "me").put(template, "a turn ended well")
    view = MemoryView(store, Hashing(), Settings(user_id="me"))
    details = view.details(Section.SKILLS, only(view))
    facts = dict(details.facts)
    assert facts["order"] == "order {item}"
    assert (facts["1"], facts["2"]) == ("open Eats", "tap “{item}”")
    assert details.note.endswith("Trusted after 1 turn more.")
    view.edit(Section.SKILLS, only(view), "Lunch")
    view.hide(Section.SKILLS, only(view))
    assert (only(view).name, only(view).hidden) == ("Lunch", True)
    assert SkillRepository(store, "me").all()[0].state is SkillState.RETIRED
    assert "undo brings it back" in view.goes_with(Section.SKILLS, only(view))
    assert "cannot be undone" not in view.goes_with(Section.SKILLS, only(view))
    view.forget(Section.SKILLS, only(view))
    assert view.items(Section.SKILLS).items == ()
    view.undo()
    assert only(view).name == "Lunch"
    store.close()
