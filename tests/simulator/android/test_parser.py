from __future__ import annotations

import shlex
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.simulator.android.parser import parse
from assistant.simulator.android.syntax import ShellSyntaxError, Simple, Text, Word
from tests.tables import each

from .bench import Bench
from .conftest import make_bench

SHELLISH = st.text(alphabet="ab1 \t\n'\"\\$(){}<>&|;!#`?*=-/", max_size=40)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


def literal(word: Word) -> str:
    return "".join(part.value for part in word if isinstance(part, Text))


@given(st.one_of(SHELLISH, st.text(max_size=60)))
def test_parsing_anything_gives_a_script_or_a_syntax_error(line: str) -> None:
    with suppress(ShellSyntaxError):
        assert isinstance(parse(line), tuple)


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_words_quoted_by_shlex_come_back(words: list[str]) -> None:
    (step,) = parse("command " + shlex.join(words))
    (command,) = step.stages
    assert isinstance(command, Simple)
    assert [literal(word) for word in command.words] == ["command", *words]


@given(SHELLISH)
async def test_running_anything_never_raises(line: str) -> None:
    printed = await make_bench().run(line)
    assert 0 <= printed.code <= 255


@each("depth", [3, 31, 5000])
def test_deep_nesting_is_refused_not_fatal(depth: int) -> None:
    for opening, closing in (("(", ")"), ("$(", ")")):
        line = f"{opening * depth}echo x{closing * depth}"
        if depth < 30:
            parse(line)
        else:
            with pytest.raises(ShellSyntaxError):
                parse(line)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("echo 'a", "no closing quote"),
        ('echo "a', "no closing quote"),
        ("echo a &&", "syntax error: unexpected EOF"),
        ("| echo", "syntax error: unexpected '|'"),
        ("echo a;; echo b", "syntax error: unexpected ';'"),
        ("echo )", "syntax error: unexpected ')'"),
        ("(echo a", "syntax error: unexpected EOF"),
        ("if true; then echo a; fi", "syntax error: unexpected 'if'"),
        ("echo >", "syntax error: unexpected EOF"),
        ("sleep 1 &", "syntax error: unexpected '&'"),
    ],
)
async def test_syntax_errors_print_the_shells_own_text(bench: Bench, line: str, text: str) -> None:
    printed = await bench.run(line)
    assert (printed.out, printed.error, printed.code) == ("", f"/system/bin/sh: {text}\n", 1)


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("echo a  b 'c  d' \"e  f\"", "a b c  d e  f\n"),
        ("echo a; echo b", "a\nb\n"),
        ("false || echo b && echo c", "b\nc\n"),
        ("true && echo b || echo c", "b\n"),
        ("nosuch 2>/dev/null; echo X4EXIT:$?", "X4EXIT:127\n"),
        ("! true; echo $?", "1\n"),
        ("cat /nope 2>&1", "cat: /nope: No such file or directory\n"),
        ("echo one >&2 2>/dev/null | grep -c one", "0\n"),
        ("echo $(echo a b; echo c) \"$(echo 'x\\ny')\"", "a b c x\ny\n"),
        ("echo `echo tick`", "tick\n"),
        ("echo $EXTERNAL_STORAGE ${PWD} $NOTHING.", "/sdcard / .\n"),
        ("echo \\$HOME '$HOME' \\\"", '$HOME $HOME "\n'),
        ("(echo a; exit 3; echo b); echo $?", "a\n3\n"),
        ("A=5 ; echo $A", "5\n"),
        ("echo a # b", "a\n"),
        ("cd /sdcard && pwd && ls -d .", "/sdcard\n.\n"),
        ("sh -c 'echo inside; exit 4'; echo $?", "inside\n4\n"),
        ("echo a | cat | grep -c a", "1\n"),
        ("echo ''x", "x\n"),
    ],
)
async def test_lines_mean_what_they_mean_on_a_phone(bench: Bench, line: str, printed: str) -> None:
    assert (await bench.run(line)).out == printed


async def test_an_unknown_command_is_worded_by_release() -> None:
    new = await make_bench(12).run("nosuch")
    old = await make_bench(9).run("nosuch")
    assert (new.error, new.code) == ("/system/bin/sh: nosuch: inaccessible or not found\n", 127)
    assert (old.error, old.code) == ("/system/bin/sh: nosuch: not found\n", 127)


async def test_an_empty_line_reads_lines_from_standard_input(bench: Bench) -> None:
    printed = await bench.run("", b"echo a\necho b; false\n")
    assert (printed.out, printed.code) == ("a\nb\n", 1)


async def test_the_reader_of_a_pipe_may_stop_first(bench: Bench) -> None:
    printed = await bench.run("getprop | head -n 1; echo $?")
    assert printed.out.count("\n") == 2
    assert printed.out.endswith("\n0\n")
