from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import insert
from typer.testing import CliRunner

from assistant.cli.main import app
from assistant.memory import schema
from assistant.memory.store import Store

STEPS = """
instruction: "{instruction}"
app: Music
steps:
- open: Music
- {{tap: "{tapped}", id: "com.example.music:id/track_item"}}
"""


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "memory")


def run(*words: str) -> list[str]:
    result = CliRunner().invoke(app, [*words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def written(folder: Path, instruction: str, tapped: str) -> str:
    (folder / "SKILL.md").write_text("---\nname: play\ndescription: plays\n---\n\nBy hand.\n")
    (folder / "steps.yaml").write_text(STEPS.format(instruction=instruction, tapped=tapped))
    return str(folder)


@pytest.mark.parametrize(
    ("instruction", "tapped", "words"),
    [
        ("play {song}", "{song}", "2 steps, also for other values: play {song}"),
        ("play my song", "Slow Ferry", "2 steps, for just this order"),
    ],
)
def test_what_was_kept_says_whether_other_values_can_be_given(
    tmp_path: Path, store: str, instruction: str, tapped: str, words: str
) -> None:
    folder = written(tmp_path, instruction, tapped)
    assert run("skills", "import", folder, "--store", store) == [
        "Kept as skill 1: play",
        words,
        "What it would do: assistant replay 1 --dry-run",
    ]


def test_skills_are_changed_and_moved_with_one_object_of_json_each(tmp_path: Path, store: str) -> None:
    folder = tmp_path / "play"
    folder.mkdir()
    (kept,) = run("skills", "import", written(folder, "play {song}", "{song}"), "--json", "--store", store)
    skill = json.loads(kept)["id"]
    (edited,) = run("skills", "edit", skill, "--name", "Music", "--json", "--store", store)
    assert (json.loads(edited)["name"], json.loads(edited)["deleted"]) == ("Music", False)
    (exported,) = run("skills", "export", skill, str(tmp_path / "out"), "--json", "--store", store)
    assert Path(json.loads(exported)["folder"]).is_dir()
    (deleted,) = run("skills", "edit", skill, "--delete", "--json", "--store", store)
    assert json.loads(deleted)["deleted"] is True


def test_the_folder_of_an_export_is_imported_as_it_is(tmp_path: Path, store: str) -> None:
    for name, instruction in (("play", "play {song}"), ("loud", "play {song} loudly")):
        folder = tmp_path / name
        folder.mkdir()
        written(folder, instruction, "{song}")
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: d\n---\n")
        run("skills", "import", str(folder), "--store", store)
    out, other = str(tmp_path / "out"), str(tmp_path / "other")
    result = CliRunner().invoke(app, ["skills", "export", "1", out, "--store", store])
    assert f"The folder {out} was made for it." in " ".join(result.stderr.split())
    result = CliRunner().invoke(app, ["skills", "export", "2", out, "--store", store])
    assert not result.stderr
    lines = run("skills", "import", out, "--store", other)
    assert [line for line in lines if line.startswith("Kept")] == [
        "Kept as skill 1: loud",
        "Kept as skill 2: play",
    ]


def test_how_repeated_steps_went_in_the_app_is_listed(tmp_path: Path, store: str) -> None:
    folder = tmp_path / "play"
    folder.mkdir()
    written(folder, "play {song}", "{song}")
    with (folder / "steps.yaml").open("a") as steps:
        steps.write("package: com.example.music\n")
    run("skills", "import", str(folder), "--store", store)
    with Store(Path(store)).database.write() as connection:
        outcome = {"user_id": "me", "package": "com.example.music", "matched": 1, "differed": 3}
        rows = [{"turn_id": f"t{number}", **outcome} for number in range(6)]
        connection.execute(insert(schema.replay_outcomes), rows)
    went = (
        "in 6 turns 6 steps led where expected, 18 did not; so a step is repeated after 4 turns that confirm "
        "it: 0 of 2"
    )
    _line, told = run("skills", "list", "--store", store)
    assert told.strip() == went
    assert f"Music: {went}" in run("skills", "show", "1", "--store", store)
    (listed,) = run("skills", "list", "--json", "--store", store)
    in_app = {"matched": 6, "differed": 18, "turns": 6, "runs needed": 4}
    assert json.loads(listed)["in app"] == in_app


def test_an_edit_says_what_a_skill_is_now_and_can_be_undone(tmp_path: Path, store: str) -> None:
    run("skills", "import", written(tmp_path, "play {song}", "{song}"), "--store", store)
    (line,) = run("skills", "edit", "play", "--name", "Music", "--retire", "--store", store)
    assert line.split() == ["1", "retired", "Music"]
    assert run("skills", "edit", "Music", "--delete", "--store", store) == ["Deleted. Undo brings it back."]
    run("memory", "undo", "--store", store)
    assert run("skills", "list", "--store", store) == [line]


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (
            ("--set", "song=Warm Milk"),
            ["play Warm Milk", "song: Warm Milk", "  1. open Music", "  2. tap “Warm Milk”"],
        ),
        (
            ("--set", "song=Warm Milk", "--from", "2"),
            ["play Warm Milk", "song: Warm Milk", "  2. tap “Warm Milk”"],
        ),
        (
            (),
            [
                "play {song}",
                "song: no value yet; give one as song=…",
                "  1. open Music",
                "  2. tap “{song}”  (by the model: no value is given for song)",
            ],
        ),
        (
            ("--set", "song=Tea", "--until", "1", "--then", "play the newest podcast"),
            [
                "play Tea",
                "song: Tea",
                "  1. open Music",
                "  2. play the newest podcast  (by the model: said anew)",
            ],
        ),
    ],
)
def test_a_dry_run_says_what_would_be_done_and_does_nothing(
    tmp_path: Path, store: str, options: tuple[str, ...], lines: list[str]
) -> None:
    run("skills", "import", written(tmp_path, "play {song}", "{song}"), "--store", store)
    *told, last = run("replay", "play", "--dry-run", *options, "--store", store)
    assert told == lines
    assert last == "The phone was not looked at. What is not found there then is left to the model."


@pytest.mark.parametrize(
    "options",
    [
        ("--set", "tune=x"),
        ("--set", "song"),
        ("--from", "3"),
        ("--until", "3", "--then", "x"),
        ("--until", "1"),
        ("--from", "2", "--until", "1", "--then", "x"),
    ],
)
def test_a_replay_that_cannot_be_is_refused_before_it_begins(
    tmp_path: Path, store: str, options: tuple[str, ...]
) -> None:
    run("skills", "import", written(tmp_path, "play {song}", "{song}"), "--store", store)
    result = CliRunner().invoke(app, ["replay", "play", "--dry-run", *options, "--store", store])
    assert result.exit_code
    assert "Traceback" not in result.output


def test_a_skill_has_a_number_that_no_other_one_gets(tmp_path: Path, store: str) -> None:
    for name, instruction in (("play", "play {song}"), ("stop", "stop the music")):
        folder = tmp_path / name
        folder.mkdir()
        written(folder, instruction, "{song}" if "{" in instruction else "Stop")
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: d\n---\n")
        run("skills", "import", str(folder), "--store", store)
    listed = run("skills", "list", "--store", store)
    assert [line.split()[0] for line in listed] == ["1", "2"]
    run("skills", "edit", "1", "--delete", "--store", store)
    assert [line.split()[0] for line in run("skills", "list", "--store", store)] == ["2"]
    assert run("replay", "2", "--dry-run", "--store", store)
    (shown,) = run("skills", "show", "2", "--json", "--store", store)
    assert (json.loads(shown)["number"], json.loads(shown)["name"]) == (2, "stop")
    for gone in ("1", "3", "20"):
        result = CliRunner().invoke(app, ["replay", gone, "--dry-run", "--store", store])
        assert result.exit_code == 1
        assert "assistant skills list" in str(result.exception), "it says where the numbers stand"


def test_what_a_replay_may_do_unasked_is_given_as_for_a_command(store: str) -> None:
    result = CliRunner().invoke(app, ["replay", "1", "--yes", "dance", "--store", store])
    assert "is no approval" in str(result.exception)
    result = CliRunner().invoke(app, ["replay", "1", "--yes", "send", "--dry-run", "--store", store])
    assert "There is no skill" in str(result.exception), "the option itself is known"
