from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.memory.store import Store
from assistant.memory_view.items import Item, ItemAction, MemoryProblem, Section
from assistant.memory_view.labels import format_dry_run
from assistant.memory_view.service import MemoryView
from assistant.records import Click, OpenApp, Point, Source, Target
from assistant.settings.schema import Settings
from assistant.skills.skill_step import SkillStep
from assistant.skills.slots import learn_pattern
from assistant.skills.storage import SkillRepository
from assistant.skills.template import SkillState, SkillTemplate
from tests.memory.prototypes.lived import Hashing
from tests.skills.recorded_turns import checkpoint, end, ordered

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


def shown(store: Store, instruction: str = "get me the Soup please") -> str:
    """A task that the user showed on the phone."""
    turn_id = ordered(store, 1, instruction, 1, "Soup")
    turn = SkillRepository(store, "me").trace(turn_id)
    assert turn is not None
    by_hand = [step.model_copy(update={"source": Source.USER}) for step in turn.steps[:2]]
    end(store, checkpoint(turn_id, instruction, by_hand))
    return turn_id


def test_steps_are_edited_undone_and_refused_in_words(tmp_path: Path) -> None:
    store = Store(tmp_path, lambda: NOW)
    SkillRepository(store, "me").put(soup(), "a turn ended well")
    view = MemoryView(store, Hashing(), Settings(user_id="me"))
    name, steps = view.details(Section.SKILLS, only(view)).fields
    assert (name.name, steps.name, steps.has_lines) == ("name", "steps", True)
    text = steps.text + "- {tap: Pay}\n"
    told = view.edit(Section.SKILLS, only(view), text, "steps")
    assert told == "Changed: 3 steps now. The skill is on probation again."
    assert [step.words() for step in SkillRepository(store, "me").all()[0].steps][2] == "tap “Pay”"
    assert view.edit(Section.SKILLS, only(view), text, "steps") == "Nothing differs."
    assert view.undo().startswith("Undone: ")
    assert SkillRepository(store, "me").all() == [soup()]
    with pytest.raises(MemoryProblem, match=r"Not kept: step 2: “tip” is not understood"):
        view.edit(Section.SKILLS, only(view), steps.text.replace("tap", "tip"), "steps")
    store.close()


def test_a_dry_run_tells_each_step_with_other_values(tmp_path: Path) -> None:
    store = Store(tmp_path, lambda: NOW)
    SkillRepository(store, "me").put(soup(), "a turn ended well")
    view = MemoryView(store, Hashing(), Settings(user_id="me"))
    assert view.slot_values(Section.SKILLS, only(view)) == "item=soup"
    for words in ("item=fried rice", "fried rice"):
        run = view.try_dry(Section.SKILLS, only(view), words)
        assert (run.order, run.values) == ("order fried rice", {"item": "fried rice"})
        assert [step.text for step in run.steps] == ["open Eats", "tap “fried rice”"]
    lines = format_dry_run(run, str)
    assert lines[:3] == ["order fried rice", "item: fried rice", "  1. open Eats"]
    assert lines[-1].startswith("The phone was not looked at.")
    with pytest.raises(MemoryProblem, match="There is no slot dish"):
        view.try_dry(Section.SKILLS, only(view), "dish=rice")
    store.close()


def test_a_skill_is_written_to_a_folder_and_what_is_there_is_asked_about(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory", lambda: NOW)
    SkillRepository(store, "me").put(soup(), "a turn ended well")
    view = MemoryView(store, Hashing(), Settings(user_id="me"))
    assert view.export_replaces(Section.SKILLS, only(view), tmp_path) == ""
    view.export(Section.SKILLS, only(view), tmp_path)
    folder = tmp_path / "order-item"
    assert (folder / "steps.yaml").exists()
    assert str(folder) in view.export_replaces(Section.SKILLS, only(view), tmp_path)
    with pytest.raises(MemoryProblem, match="is there already"):
        view.export(Section.SKILLS, only(view), tmp_path)
    view.export(Section.SKILLS, only(view), tmp_path, replaces=True)
    with pytest.raises(MemoryProblem, match="cannot be written"):
        view.export(Section.SKILLS, only(view), tmp_path / "typo" / "out")
    store.close()


def test_a_recording_stands_beside_the_skills_and_is_kept_as_one(tmp_path: Path) -> None:
    store = Store(tmp_path, lambda: NOW)
    turn_id = shown(store)
    view = MemoryView(store, Hashing(), Settings(user_id="me"))
    recording = only(view)
    assert (recording.id, recording.source) == (turn_id, "recording")
    details = view.details(Section.SKILLS, recording)
    assert dict(details.facts)["2"] == "tap “{item}”"
    assert [record.id for record in details.evidence] == [turn_id]
    assert view.try_dry(Section.SKILLS, recording, "Tea").order == "get me the Tea please"
    assert view.edit(Section.SKILLS, recording, "Lunch") == "Kept as a skill: Lunch"
    skill, again = view.items(Section.SKILLS).items
    assert (skill.name, again.id) == ("Lunch", turn_id)
    assert ItemAction.EDIT not in again.acts
    assert dict(view.details(Section.SKILLS, again).facts)["skills"] == "Lunch"
    assert "cannot be undone" in view.goes_with(Section.SKILLS, again)
    view.forget(Section.SKILLS, again)
    assert view.items(Section.SKILLS).items == ()
    store.close()


def test_a_turn_of_the_model_is_no_recording(tmp_path: Path) -> None:
    store = Store(tmp_path, lambda: NOW)
    ordered(store, 1, "get me the Soup please", 1, "Soup")
    view = MemoryView(store, Hashing(), Settings(user_id="me"))
    assert view.items(Section.SKILLS).items == ()
    store.close()
