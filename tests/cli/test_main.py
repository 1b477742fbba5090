from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli import setup
from assistant.cli.main import SafeOutput, app, check_adb_port, format_crash, say_what_can_be_said
from assistant.doctor import Check
from assistant.i18n import UserError
from assistant.settings.schema import Settings
from tests.tables import each


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@each(
    ("stream", "written"),
    [
        (Terminal(io.BytesIO(), "latin-1"), b"caf\xe9 ?"),
        (Terminal(io.BytesIO(), "utf-8"), "café 面".encode()),
        (io.TextIOWrapper(io.BytesIO(), "latin-1"), "café 面".encode()),
    ],
)
def test_a_sign_that_a_terminal_lacks_is_replaced_and_a_file_gets_all(
    stream: io.TextIOWrapper, written: bytes
) -> None:
    say_what_can_be_said((io.StringIO(), stream))
    stream.write("café 面")
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    assert stream.buffer.getvalue() == written


@each("port", ["abc", "", "0", "70000", "-1", "9" * 5000])
def test_a_port_that_is_none_is_refused_in_words(port: str) -> None:
    with pytest.raises(UserError, match="is no port"):
        check_adb_port({"ANDROID_ADB_SERVER_PORT": port})
    check_adb_port({"ANDROID_ADB_SERVER_PORT": "5038"})
    check_adb_port({})


HOSTILE = "a\x1b]52;c;cm0gLXJm\x07b\x9bc\u202ed\u2066e\x7ff\tg"


def test_nothing_that_a_terminal_obeys_is_printed() -> None:
    out = io.StringIO()
    stream = SafeOutput(out)
    stream.writelines([HOSTILE, "\n"])
    stream.write(json.dumps({"text": HOSTILE}, ensure_ascii=False))
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\u2066", "\x7f"} & set(out.getvalue())
    line, as_json = out.getvalue().split("\n")
    assert line == r"a\u001b]52;c;cm0gLXJm\u0007b\u009bc\u202ed\u2066e\u007ff" + "\tg"
    assert json.loads(as_json) == {"text": HOSTILE}


def test_an_output_that_is_full_is_told_and_a_reader_that_has_gone_is_not() -> None:
    class Full(io.StringIO):
        error: OSError = OSError(28, "No space left on device")

        def flush(self) -> None:
            raise self.error

    with pytest.raises(UserError, match="No space left on device"):
        SafeOutput(Full()).flush()
    gone = Full()
    gone.error = BrokenPipeError(32, "Broken pipe")
    with pytest.raises(BrokenPipeError):
        SafeOutput(gone).flush()


def test_every_command_prints_through_it(tmp_path: Path) -> None:
    line = {
        "id": "1",
        "user_id": "me",
        "time": "2026-03-09T12:00:00+08:00",
        "instruction": f"order {HOSTILE}",
    }
    store = ["--store", str(tmp_path / "store")]
    kept = CliRunner().invoke(app, ["memory", "import", "-", *store], input=json.dumps(line))
    assert kept.exit_code == 0, kept.output
    command = [sys.executable, "-m", "assistant", "memory", "list", "--json", *store]
    done = subprocess.run(command, capture_output=True, check=True)
    shown = done.stdout.decode()
    assert "order" in shown
    assert not {"\x1b", "\x9b", "\u202e"} & set(shown)
    assert json.loads(shown.splitlines()[0])


def test_an_error_that_nobody_expected_is_said_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said = format_crash(KeyError("what the user said"))
    (report,) = tmp_path.iterdir()
    assert said.startswith("The program stopped at an error of its own (KeyError).")
    assert str(report) in said
    assert "what the user said" not in said + report.read_text("utf-8")


def test_a_phone_named_before_a_command_is_the_one_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    serials: list[str] = []

    async def in_world(settings: Settings, *_rest: object, **_options: object) -> list[Check]:
        serials.append(settings.phone.serial)
        return [Check("phone", True, "")]

    monkeypatch.setattr(setup, "in_world", in_world)
    for options in (["--serial", "127.0.0.1:9"], []):
        CliRunner().invoke(app, [*options, "doctor", "--config", os.devnull])
    assert serials == ["127.0.0.1:9", ""]


def test_a_settings_file_named_before_a_command_is_the_one_it_reads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    users: list[str] = []

    async def in_world(settings: Settings, *_rest: object, **_options: object) -> list[Check]:
        users.append(settings.user_id)
        return [Check("phone", True, "")]

    monkeypatch.setattr(setup, "in_world", in_world)
    file, other = tmp_path / "one.toml", tmp_path / "two.toml"
    file.write_text('user_id = "ann"\n', "utf-8")
    other.write_text('user_id = "bob"\n', "utf-8")
    CliRunner().invoke(app, ["--config", str(file), "doctor"])
    CliRunner().invoke(app, ["--config", str(file), "doctor", "--config", str(other)])
    CliRunner().invoke(app, ["doctor", "--config", str(other)])
    assert users == ["ann", "bob", "bob"]
