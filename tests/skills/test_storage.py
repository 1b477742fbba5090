from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from assistant.memory.store import Store
from assistant.records import Click, OpenApp, Outcome, Point, Target, TypeText
from assistant.skills.service import SkillMemory
from assistant.skills.slots import learn_pattern
from assistant.skills.storage import (
    ReplayReport,
    SkillFileError,
    export_skill,
    find_skill_folders,
    import_skill,
)
from assistant.skills.template import SkillSource, SkillState, SkillStep, SkillTemplate
from tests.skills.recorded_turns import ordered

NOW = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)
ROW = Target(resource_id="com.chat:id/row", class_name="Row", text="Mom · Take a scarf · 08:15")


def template() -> SkillTemplate:
    return SkillTemplate(
        id="skill-1",
        user_id="me",
        name="Message someone",
        pattern=learn_pattern("send a message to Mom: late", ["Mom", "late"]),
        steps=(
            SkillStep(action=OpenApp(name="Chat")),
            SkillStep(
                action=Click(point=Point(0.5, 0.3), target=ROW), slot="recipient", bound="Mom", example="Mom"
            ),
            SkillStep(action=TypeText(text="late"), slot="item", bound="late", example="late"),
            SkillStep(action=Click(point=Point(0.5, 0.3), target=ROW), optional=True),
        ),
        app="Chat",
        package="com.chat",
        state=SkillState.TRUSTED,
        made=NOW,
    )


def test_a_skill_comes_back_from_its_folder_without_what_is_personal(tmp_path: Path) -> None:
    folder = export_skill(template(), tmp_path)
    assert folder.name == "message-someone"
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    text = (folder / "SKILL.md").read_text() + (folder / "steps.yaml").read_text()
    assert "late" not in text
    assert "scarf" not in text
    read = import_skill(folder, "you", NOW)
    assert (read.pattern.text, read.app) == ("send a message to {recipient}: {item}", "Chat")
    assert read.state is SkillState.PROBATION
    assert [step.words() for step in read.steps] == [
        "open Chat",
        "tap “{recipient}”",
        "type “{item}”",
        "tap “Mom”",
    ]
    assert read.steps[3].optional
    assert read.steps[1].text_for("Dad") == "Dad"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("SKILL.md", "no front matter"),
        ("SKILL.md", "---\ndescription: nameless\n---\n"),
        ("steps.yaml", "instruction: [1"),
        ("steps.yaml", yaml.safe_dump({"instruction": "do", "steps": [{"shell": "rm"}]})),
        ("steps.yaml", yaml.safe_dump({"instruction": "do", "steps": [{"tap": "a", "type": "b"}]})),
        ("steps.yaml", yaml.safe_dump({"instruction": "do", "steps": [{"press": "power"}]})),
        ("steps.yaml", yaml.safe_dump({"instruction": "do", "steps": [{"tap": "{item}"}]})),
        ("steps.yaml", yaml.safe_dump({"instruction": "do", "steps": [{"tap": "a", "at": "geo:0,0"}]})),
        ("steps.yaml", yaml.safe_dump({"instruction": "do", "steps": [{"open": "a", "at": "sms:1"}]})),
        (
            "steps.yaml",
            yaml.safe_dump({"instruction": "do", "steps": [{"open": "a", "at": "https://a.b/pay"}]}),
        ),
    ],
)
def test_a_file_that_is_no_skill_says_why(tmp_path: Path, name: str, text: str) -> None:
    folder = export_skill(template(), tmp_path)
    (folder / name).write_text(text)
    with pytest.raises(SkillFileError, match=name):
        import_skill(folder, "me", NOW)


def test_an_address_is_written_and_read_again_with_its_slot(tmp_path: Path) -> None:
    shows = OpenApp(name="Maps", at="geo:0,0?q={place}")
    pattern = learn_pattern("show me Willow Park", ["Willow Park"])
    step = SkillStep(action=shows, slot="place", bound="{place}", example="{place}")
    pattern = pattern.model_copy(update={"text": "show me {place}"})
    folder = export_skill(template().model_copy(update={"pattern": pattern, "steps": (step,)}), tmp_path)
    (read,) = import_skill(folder, "you", NOW).steps
    assert (read.action, read.slot) == (shows, "place")
    assert read.words() == "open Maps at geo:0,0?q={place}"
    assert read.with_value(read.text_for("City Library")) == OpenApp(name="Maps", at="geo:0,0?q=City Library")


def test_what_was_exported_to_a_folder_is_found_there(tmp_path: Path) -> None:
    lunch = template().model_copy(update={"name": "Lunch with Mom"})
    written = [export_skill(each, tmp_path / "out") for each in (template(), lunch)]
    assert find_skill_folders(tmp_path / "out") == sorted(written)
    assert find_skill_folders(written[0]) == [written[0]]
    read = [import_skill(folder, "you", NOW) for folder in written]
    assert [each.name for each in read] == ["Message someone", "Lunch with Mom"]
    (none,) = find_skill_folders(tmp_path)
    with pytest.raises(SkillFileError, match=r"SKILL\.md"):
        import_skill(none, "you", NOW)


def test_only_the_last_folder_of_a_path_is_made(tmp_path: Path) -> None:
    with pytest.raises(SkillFileError, match="No such file"):
        export_skill(template(), tmp_path / "typo" / "out")
    assert not (tmp_path / "typo").exists()


def test_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(SkillFileError, match=r"SKILL\.md"):
        import_skill(tmp_path / "none", "me", NOW)


def test_a_turn_that_used_a_skill_is_kept_as_that_skill(store: Store) -> None:
    """Keeping it anew would begin its evidence anew, and list the same skill twice."""
    skills = SkillMemory(store, "me")
    for number, (place, dish) in enumerate(((1, "Soup"), (0, "Rice")), 1):
        turn_id = ordered(store, number, f"get me the {dish} please", place, dish)
        skills.learn(turn_id, Outcome.SUCCESS, ReplayReport())
    (learnt,) = skills.repository.all()
    kept = skills.keep("turn-2", "Lunch")
    assert (kept.id, kept.name, kept.source) == (learnt.id, "Lunch", SkillSource.SHOWN)
    assert skills.repository.all() == [kept]


def test_another_way_for_a_known_order_is_kept_as_a_skill_of_its_own(store: Store) -> None:
    skills = SkillMemory(store, "me")
    skills.learn(ordered(store, 1, "get me the Soup please", 1, "Soup"), Outcome.SUCCESS, ReplayReport())
    skills.keep(ordered(store, 2, "get me the Soup please", 2, "Tea"))
    assert len(skills.repository.all()) == 2
