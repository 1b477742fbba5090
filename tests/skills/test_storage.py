from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from assistant.memory.store import Store
from assistant.records import (
    Action,
    Click,
    Direction,
    Finished,
    OpenApp,
    Outcome,
    Point,
    PressBack,
    PressHome,
    Scroll,
    Target,
    TypeText,
)
from assistant.skills.service import SkillMemory, UnknownTurn
from assistant.skills.skill_step import SkillStep
from assistant.skills.slots import learn_pattern
from assistant.skills.storage import (
    ReplayReport,
    SkillFileError,
    export_skill,
    find_skill_folders,
    import_skill,
    steps_as_text,
    with_written_steps,
)
from assistant.skills.template import SkillSource, SkillState, SkillTemplate
from tests.skills.recorded_turns import HOME, MENU, learn_turn, ordered, screen

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


def test_a_folder_that_is_there_is_written_over_only_when_asked_to(tmp_path: Path) -> None:
    folder = export_skill(template(), tmp_path)
    (folder / "steps.yaml").write_text("mine")
    with pytest.raises(SkillFileError, match="is there already"):
        export_skill(template(), tmp_path)
    assert (folder / "steps.yaml").read_text() == "mine"
    export_skill(template(), tmp_path, replaces=True)
    assert (folder / "steps.yaml").read_text() == steps_as_text(template())


def test_steps_are_a_line_each_and_show_what_cannot_be_seen() -> None:
    row = Target(text='{odd}: "a" # \u202ec\nd · more', resource_id="com.chat:id/row")
    odd = SkillStep(action=Click(point=Point(0.5, 0.3), target=row))
    text = steps_as_text(template().model_copy(update={"steps": (odd,)}))
    assert "\u202e" not in text
    assert sum(line.startswith("- {tap") for line in text.splitlines()) == 1
    (step,) = yaml.safe_load(text)["steps"]
    assert step == {"tap": '{odd}: "a" # \u202ec\nd', "id": "com.chat:id/row"}


def learnt(store: Store) -> SkillTemplate:
    """A skill whose steps have recorded screens: open Eats, tap {item}."""
    skills = SkillMemory(store, "me")
    skills.learn(ordered(store, 1, "get me the Soup please", 1, "Soup"), Outcome.SUCCESS, ReplayReport())
    (skill,) = skills.repository.all()
    return skill.model_copy(update={"runs": 2, "state": SkillState.TRUSTED})


def test_a_text_that_is_written_as_before_changes_nothing(store: Store) -> None:
    skill = learnt(store)
    assert with_written_steps(skill, steps_as_text(skill)) == skill


def test_steps_that_stay_keep_their_screens_and_the_skill_is_on_probation(store: Store) -> None:
    skill = learnt(store)
    first, second = skill.steps
    text = steps_as_text(skill) + '- {wait: true, optional: true}\n- {tap: "Pay", id: "com.shop:id/pay"}\n'
    written = with_written_steps(skill, text)
    assert [step.words() for step in written.steps] == ["open Eats", "tap “{item}”", "wait", "tap “Pay”"]
    assert (written.steps[0], written.steps[1]) == (first, second)
    assert (written.steps[3].before, written.steps[3].after) == (None, None)
    assert (written.state, written.runs, written.answers) == (SkillState.PROBATION, 0, 0)
    assert written.source is SkillSource.SHOWN
    retired = skill.model_copy(update={"state": SkillState.RETIRED})
    assert with_written_steps(retired, text).state is SkillState.RETIRED


def test_a_step_that_is_taken_out_leads_to_the_page_of_the_next_one(store: Store) -> None:
    skill = learnt(store)
    first, second = skill.steps
    between = first.model_copy(update={"action": OpenApp(name="Music"), "before": None, "shortcut": "x"})
    longer = skill.model_copy(update={"steps": (first, between, second)})
    text = steps_as_text(longer).replace('- {open: "Music"}\n', "")
    written = with_written_steps(longer, text)
    assert [step.words() for step in written.steps] == ["open Eats", "tap “{item}”"]
    assert written.steps[0].after == second.before
    assert written.steps[1].before == second.before


def test_a_slot_with_another_name_is_the_same_slot(store: Store) -> None:
    skill = learnt(store)
    written = with_written_steps(skill, steps_as_text(skill).replace("item", "dish"))
    assert written.pattern.text == "get me the {dish} please"
    assert [slot.example for slot in written.pattern.slots] == ["Soup"]
    assert (written.steps[1].slot, written.steps[1].before) == ("dish", skill.steps[1].before)


def test_the_step_that_only_puts_a_keyboard_away_goes_with_the_next_one(store: Store) -> None:
    skill = learnt(store)
    first, second = skill.steps
    closing = second.model_copy(update={"action": PressBack(), "slot": "", "closes_over": True})
    longer = skill.model_copy(update={"steps": (first, closing, second)})
    assert "back" not in steps_as_text(longer)
    assert with_written_steps(longer, steps_as_text(longer)) == longer
    added = with_written_steps(longer, steps_as_text(longer) + "- {wait: true}\n")
    assert [step.closes_over for step in added.steps] == [False, True, False, False]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("steps:", "steps: [", r"line \d+ cannot be read"),
        ("- {tap:", "- {tapp:", "step 2: “tapp” is not understood"),
        ("- {tap:", '- {hold: "a", tap:', "step 2: each step needs one of open"),
        ('tap: "{item}"', 'tap: "{dish}"', "the instruction has no slot dish"),
        ("get me the {item} please", "get me the {item} {size} please", "no step uses {size}"),
        ("get me the {item} please", "{item}", "the instruction needs words beside its slots"),
        ('- {open: "Eats"}', "- open Eats", "step 1: "),
        ('tap: "{item}"', 'tap: "Soup"', "no step uses {item}"),
        ("instruction:", "order:", "“instruction” is missing"),
    ],
)
def test_what_cannot_be_used_is_said_with_its_place(store: Store, old: str, new: str, reason: str) -> None:
    skill = learnt(store)
    text = steps_as_text(skill)
    assert old in text
    with pytest.raises(SkillFileError, match=reason):
        with_written_steps(skill, text.replace(old, new))


def test_a_skill_needs_a_step(store: Store) -> None:
    skill = learnt(store)
    text = steps_as_text(skill).partition("steps:")[0] + "steps: []\n"
    with pytest.raises(SkillFileError, match="it has no steps"):
        with_written_steps(skill, text)


@pytest.mark.parametrize(
    "moves",
    [(PressHome(),), (PressBack(), PressHome()), (Scroll(point=Point(0.5, 0.5), direction=Direction.UP),)],
    ids=["home", "back", "scrolling"],
)
def test_a_recording_that_only_went_elsewhere_is_refused_in_words(
    store: Store, skills: SkillMemory, moves: tuple[Action, ...]
) -> None:
    learn_turn(
        store,
        skills,
        "order my lunch",
        [*((move, screen(MENU)) for move in moves), (Finished(), screen(HOME))],
    )
    assert skills.repository.all() == []
    with pytest.raises(UnknownTurn) as refused:
        skills.keep("turn-1", "Lunch")
    assert "did nothing there" in refused.value.reason
    assert skills.repository.all() == []


def test_a_recording_without_a_step_says_that_nothing_was_touched(store: Store, skills: SkillMemory) -> None:
    learn_turn(store, skills, "order my lunch", [(Finished(), screen(HOME))])
    with pytest.raises(UnknownTurn) as refused:
        skills.keep("turn-1", "Lunch")
    assert "Nothing was touched" in refused.value.reason
