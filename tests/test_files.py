from __future__ import annotations

import importlib
import pkgutil
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

import assistant
from assistant import files
from assistant.files import (
    FileLock,
    JsonFile,
    compile_lazy_regexes,
    compile_words,
    is_held,
    lazy_regex,
    store_crash_report,
    write_in_place,
    write_privately,
)
from assistant.phone.apps import AppLabels
from assistant.phone.errors import ActionRefused
from assistant.phone.keyboard import SavedKeyboards

NOT_PRODUCT = ("assistant.simulator", "assistant.bench", "assistant.demo")
LONGEST_COMPILED = 300
"""Characters of a pattern that takes a millisecond; `lazy_regex` is for longer ones."""

LEARN = """
import sys
from pathlib import Path
from assistant.phone.apps import AppLabels

labels, name = AppLabels(Path(sys.argv[1])), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for number in range(40):
    labels.learn("emulator-1", f"{name} {number}", "com.example/.Main")
"""


def test_what_two_programs_note_at_once_is_all_kept(tmp_path: Path) -> None:
    file = tmp_path / "labels.json"
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", LEARN, str(file), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("Maps", "Mail")
    ]
    for program in programs:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("go\n")
        program.stdin.flush()
    for program in programs:
        program.communicate()
        assert program.returncode == 0
    assert len(AppLabels(file).of("emulator-1")) == 80


@pytest.mark.skipif(sys.platform == "win32", reason="locks are never shared there")
def test_of_two_who_ask_about_a_lock_at_once_neither_takes_the_other_for_its_holder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    file, ask, answers = tmp_path / "life.lock", fcntl.flock, list[bool]()

    def ask_while_another_asks(descriptor: int, operation: int) -> None:
        ask(descriptor, operation)
        monkeypatch.setattr(fcntl, "flock", ask)
        answers.append(is_held(file))

    holder = FileLock(file)
    assert holder.take()
    assert is_held(file)
    holder.release()
    monkeypatch.setattr(fcntl, "flock", ask_while_another_asks)
    answers.append(is_held(file))
    assert answers == [False, False]
    assert not is_held(tmp_path / "missing.lock")


def test_a_change_is_made_of_what_the_file_holds_then(tmp_path: Path) -> None:
    mine, theirs = JsonFile(tmp_path / "note.json"), JsonFile(tmp_path / "note.json")
    mine.change(lambda values: values | {"a": 1})
    theirs.change(lambda values: values | {"b": 2})
    mine.change(lambda values: values | {"c": 3})
    assert theirs.load() == {"a": 1, "b": 2, "c": 3}


def test_a_folder_that_cannot_be_written_costs_labels_but_no_keyboard(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    AppLabels(tmp_path / "file" / "labels.json").learn("emulator-1", "Maps", "com.example/.Main")
    keyboards = SavedKeyboards(tmp_path / "file" / "keyboard.json")
    with pytest.raises(ActionRefused, match="cannot be noted"):
        keyboards.write("emulator-1", "com.example/.Keyboard")
    keyboards.clear("emulator-1")


def test_the_report_of_a_crash_holds_places_and_no_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said: dict[str, int] = {}
    try:
        said["what the user said"]
    except KeyError as error:
        report = Path(store_crash_report(error)).read_text("utf-8")
    assert "test_files.py" in report
    assert "KeyError" in report
    assert report.count("what the user said") == 1, "the line of code alone"


def test_words_are_found_in_any_case_and_with_their_parts() -> None:
    pattern = compile_words(["send <who>", "ring"], {"who": "(?:mom|<kin>)", "kin": "dad|uncle"})
    assert all(pattern.fullmatch(text) for text in ("Send DAD", "send mom", "RING"))
    assert pattern.search("send to kin") is None


def test_a_pattern_is_compiled_once_and_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def compile_pattern(pattern: str, flags: int) -> re.Pattern[str]:
        compiled.append(pattern)
        return re.compile(pattern, flags)

    monkeypatch.setattr(files, "re", SimpleNamespace(compile=compile_pattern, Pattern=re.Pattern))
    pattern = lazy_regex("(?P<who>mom)", re.IGNORECASE)
    assert (pattern.pattern, hasattr(pattern, "no_member"), compiled) == ("(?P<who>mom)", False, [])
    match = pattern.search("tell Mom")
    assert match is not None
    assert match["who"] == "Mom"
    assert (pattern.sub("dad", "mom"), pattern.groups, pattern.flags & re.IGNORECASE) == ("dad", 1, 2)
    assert compiled == ["(?P<who>mom)"]


def test_patterns_that_no_one_used_are_compiled_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    used, unused = lazy_regex("used"), lazy_regex("unused")
    used.search("")
    compile_lazy_regexes()
    monkeypatch.setattr(files, "re", None)
    assert used.search("used")
    assert unused.search("unused")


def test_every_pattern_of_the_product_is_right_and_no_long_one_is_compiled_at_import() -> None:
    names = [module.name for module in pkgutil.walk_packages(assistant.__path__, "assistant.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    compile_lazy_regexes()
    compiled = {
        f"{module.__name__}.{name}": len(value.pattern)
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern)
    }
    product = {name: size for name, size in compiled.items() if not name.startswith(NOT_PRODUCT)}
    assert [name for name, size in product.items() if size > LONGEST_COMPILED] == []


def test_a_file_is_replaced_only_when_all_of_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    file.write_text("the earlier one")
    file.chmod(0o644)

    def parts(*texts: str) -> Iterator[str]:
        yield from texts
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_privately(file, parts("a", "b"))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
        ("export.jsonl", "the earlier one")
    ]
    write_privately(file, ("a", "b"))
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("ab", 0o600)


def test_a_file_that_others_may_read_is_theirs_no_more_when_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "episode.json"
    for content in ("longer words", b"less"):
        write_in_place(file, content)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        file.chmod(0o644)
    assert file.read_bytes() == b"less"


def _names_twice(node: yaml.Node | None) -> Iterator[str]:
    """The keys that stand twice in a mapping of a YAML file, with their lines."""
    if isinstance(node, yaml.MappingNode):
        names = [key.value for key, _value in node.value]
        yield from (
            f"{key.value}:{key.start_mark.line + 1}"
            for key, _value in node.value
            if names.count(key.value) > 1
        )
        for _key, value in node.value:
            yield from _names_twice(value)


def test_no_words_stand_twice_under_one_name() -> None:
    """Of two the first would never be read."""
    folder = Path(assistant.__file__).parent / "understand"
    twice = {
        file.name: names
        for file in folder.rglob("*.yaml")
        if (names := [*_names_twice(yaml.compose(file.read_text("utf-8"), Loader=yaml.CSafeLoader))])
    }
    assert twice == {}
