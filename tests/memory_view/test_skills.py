from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.memory.store import Store
from assistant.memory_view.items import Item, MemoryProblem, Section
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


def soup(app: str = "Eats", package: str = "") -> SkillTemplate:
    row = Click(point=Point(0.5, 0.5), target=Target(text="Soup · ¥ 10"))
    return SkillTemplate(
        id="skill-1",
        user_id="me",
        name="order {item}",
        pattern=learn_pattern("order soup", ["soup"]),
        steps=(
            SkillStep(action=OpenApp(name="Eats")),
            SkillStep(action=row, slot="item", bound="Soup", example="soup"),
        ),
        app=app,
        package=package,
        made=NOW,
        runs=1,
    )


def test_a_skill_is_shown_renamed_retired_deleted_and_brought_back(tmp_path: Path) -> None:
    store = Store(tmp_path, lambda: NOW)
    SkillRepository(store, "me").put(soup(), "a turn ended well")
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


def used(repository: SkillRepository, **changes: object) -> None:
    """A turn used the only skill, which changed so."""
    (template,) = repository.all()
    repository.put(template.model_copy(update=changes), "a turn used it", "Count a use of a skill")


def test_a_new_name_is_undone_after_the_skill_was_used(tmp_path: Path) -> None:
    store = Store(tmp_path, lambda: NOW)
    repository = SkillRepository(store, "me")
    repository.put(soup(), "a turn ended well")
    view = MemoryView(store, Hashing(), Settings(user_id="me"))
    view.edit(Section.SKILLS, only(view), "Lunch")
    used(repository, runs=2, state=SkillState.TRUSTED)
    assert view.undo().startswith("Undone")
    (template,) = repository.all()
    assert (template.name, template.runs, template.state) == ("order {item}", 2, SkillState.TRUSTED)
    used(repository, runs=3)
    view.redo()
    (template,) = repository.all()
    assert (template.name, template.runs) == ("Lunch", 3)
    store.close()


def test_a_change_that_cannot_be_undone_after_a_use_says_so_in_words(tmp_path: Path) -> None:
    store = Store(tmp_path, lambda: NOW)
    repository = SkillRepository(store, "me")
    repository.put(soup().model_copy(update={"failures": 2, "state": SkillState.RETIRED}), "failed twice")
    view = MemoryView(store, Hashing(), Settings(user_id="me"))
    view.hide(Section.SKILLS, only(view))
    used(repository, failures=1)
    with pytest.raises(
        MemoryProblem, match=r"“.+” cannot be undone by itself: “.+” came after it"
    ) as refused:
        view.undo()
    assert not any(character.isdigit() for character in str(refused.value))
    assert repository.all()[0].state is SkillState.PROBATION
    store.close()


def test_an_app_without_a_known_name_is_called_by_what_its_package_says(tmp_path: Path) -> None:
    store = Store(tmp_path, lambda: NOW)
    SkillRepository(store, "me").put(soup("com.example.music", "com.example.music"), "shown")
    view = MemoryView(store, Hashing(), Settings(user_id="me"))
    assert dict(view.details(Section.SKILLS, only(view)).facts)["app"] == "Music"
    store.close()
