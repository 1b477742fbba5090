"""The command line in the reader's language: help, wrong usage, and where the language comes from."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from rich.cells import cell_len
from typer.main import get_command
from typer.testing import CliRunner

from assistant import i18n
from assistant.cli.help import usage_problem
from assistant.cli.main import LazyGroup, app
from assistant.i18n import Language


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")
    yield
    i18n.use(Language.ENGLISH)


def printed(*arguments: str) -> str:
    return CliRunner().invoke(app, arguments).output


@pytest.mark.parametrize("option", [("--locale", "en"), ("--locale=en",)])
def test_the_locale_that_is_asked_for_goes_before_the_environment(
    option: tuple[str, ...], tmp_path: Path
) -> None:
    assert "Usage:" in printed(*option, "--help")
    assert "Nothing was used" in printed(*option, "usage", "--store", str(tmp_path))


def test_a_locale_that_is_none_is_refused() -> None:
    assert CliRunner().invoke(app, ("--locale", "fr", "usage")).exit_code


def test_help_is_told_in_the_language_of_the_environment() -> None:
    told = printed("usage", "--help")
    assert "用法：" in told
    assert "模型的用量" in told
    assert "[默认：" in told
    assert "本地记忆的文件夹" in told


def test_no_line_of_help_is_wider_than_the_terminal() -> None:
    for arguments in (["memory", "--help"], ["usage", "--help"]):
        assert max(map(cell_len, printed(*arguments).splitlines())) <= 80


def test_the_option_for_a_file_is_named_where_one_stands_alone() -> None:
    result = CliRunner().invoke(app, ("--locale", "en", "memory", "export", "out"), standalone_mode=False)
    assert isinstance(result.exception, typer.TyperException)
    told = usage_problem(result.exception)
    assert "--output FILE" in told
    assert "--fingertip FOLDER" in told


def test_the_demo_itself_has_no_option_to_use_the_demo() -> None:
    assert "--demo " not in printed("demo", "--help")
    assert "--demo " in printed("usage", "--help")


def test_the_setting_goes_before_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "english.toml"
    file.write_text('[interface]\nlanguage = "en"\n')
    assert "Folder of the local memory" in printed("usage", "--config", str(file), "--help")
    file.write_text('[interface]\nlanguage = "klingon"\n')
    assert "本地记忆的文件夹" in printed("usage", f"--config={file}", "--help")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["usage", "--colour"], "没有选项 --colour。参见 --help。"),
        (["memory", "lsit"], "没有命令 'lsit'。"),
        (["models", "parse"], "缺少"),
        (["usage", "--days", "many"], "--days"),
    ],
)
def test_wrong_usage_is_told_in_the_same_language(arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(app, arguments, standalone_mode=False)
    assert isinstance(result.exception, typer.TyperException)
    told = usage_problem(result.exception)
    assert words in told
    assert "No such" not in told
    assert "Missing" not in told


def test_what_nobody_asked_in_words_gets_the_help() -> None:
    result = CliRunner().invoke(app, ["memory"], standalone_mode=False)
    assert isinstance(result.exception, typer.TyperException)
    assert usage_problem(result.exception).startswith("用法：")


def test_each_command_has_the_help_that_the_list_shows() -> None:
    group = get_command(app)
    assert isinstance(group, LazyGroup)
    context = typer.Context(group)
    for name, text in group.command_helps(context):
        help_text = inspect.cleandoc(group.get_command(context, name).help)
        assert " ".join(help_text.partition("\n\n")[0].split()) == text


def test_without_a_word_the_interface_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr("assistant.cli.run._run", lambda *told: started.append(told))
    done = CliRunner().invoke(app, [])
    assert done.exit_code == 0
    assert started


@pytest.mark.parametrize(
    ("option", "near"), [("--bogus", False), ("--stor", True), ("--jsno", True), ("--yes", False)]
)
def test_an_option_is_offered_only_for_one_that_is_like_it(option: str, near: bool) -> None:
    result = CliRunner().invoke(app, ["memory", "list", option], standalone_mode=False)
    assert isinstance(result.exception, typer.TyperException)
    assert (
        "--store" in usage_problem(result.exception) or "--json" in usage_problem(result.exception)
    ) is near
