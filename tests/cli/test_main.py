from __future__ import annotations

import io

import pytest

from assistant.cli.main import say_what_can_be_said


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
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
