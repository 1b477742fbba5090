"""The catalogue of words for people, and a walk over the sources for sentences that nobody can translate."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from functools import cache

import pytest

from assistant import i18n
from assistant.i18n import Language, _, environment_language, tidied
from assistant.phone.errors import Refusal, refusal_words
from tools.language import (
    ENGLISH,
    MARKS,
    PLACES,
    SOURCES,
    calls,
    catalogues,
    compiled,
    marked,
    name_of,
    parsed,
    read,
    troubles,
    updated,
)

SAID = {"echo", "say", "_say", "_ask", "notify", "hint", "_hint", "confirm", "prompt", "Finding", "_tell"}
"""Calls whose texts a user reads."""

NOT_FOR_USERS = {
    "MalformedReply": "told to the model, which answers in English",
    "GraphError": "refuses what a model would do to the profile",
    "RefusedOperations": "likewise",
    "UnreadableTree": "the log's: the screen is read without its tree",
    "NotAPicture": "the log's: the screen is read without a picture",
    "ForbiddenTransition": "a fault of the program",
    "NoSuchRow": "a fault of the program",
}
"""Own errors whose messages stay English, and why."""

WORDS = re.compile(r"[A-Za-z]{2,}[,;:]? [A-Za-z{]|[A-Za-z]{3,}\.$|[a-z]{3,} \{|\} [a-z]{2,}")
COMMANDS = ("assistant ", "adb ", "chmod ", "tmux ")
"""What is to be typed into a shell."""


@pytest.fixture(scope="module", autouse=True)
def _trees(uncollected: None) -> Iterator[None]:
    """The syntax trees of all sources go with the last test here, before garbage is collected again."""
    yield
    calls.cache_clear()
    parsed.cache_clear()


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    i18n.use(Language.ENGLISH)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, Language.ENGLISH),
        ({"LANG": "zh_CN.UTF-8"}, Language.CHINESE),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, Language.ENGLISH),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN"}, Language.CHINESE),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": ""}, Language.ENGLISH),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh:en"}, Language.CHINESE),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "de:en_GB"}, Language.ENGLISH),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "de"}, Language.CHINESE),
        ({"LANGUAGE": "zh_CN"}, Language.CHINESE),
        ({"LC_ALL": "C.UTF-8", "LANGUAGE": "zh_CN"}, Language.ENGLISH),
    ],
)
def test_the_language_of_an_environment(environment: dict[str, str], expected: Language) -> None:
    assert environment_language(environment) is expected
    assert i18n.use(Language.AUTO, environment) is expected


def test_a_setting_wins_over_the_environment() -> None:
    i18n.use(Language.CHINESE, {"LANG": "en_US.UTF-8"})
    assert _("Idle") == "空闲"
    i18n.use(Language.ENGLISH, {"LANG": "zh_CN.UTF-8"})
    assert _("Idle") == "Idle"


def test_what_is_kept_in_english_is_told_again() -> None:
    kept = Refusal.NO_APP_BUT.format(name="Eats {x}", near="“Maps”")
    assert refusal_words(kept) == kept
    i18n.use(Language.CHINESE)
    assert refusal_words(kept) == "没有叫“Eats {x}”的应用。最接近的是“Maps”。"
    assert refusal_words(Refusal.NO_FIELD) == "没有选中输入框。请先点击输入框。"
    assert refusal_words("the shop is closed") == "the shop is closed"
    assert refusal_words(Refusal.NOT_ALLOWED) == "你没有同意"
    i18n.use(Language.ENGLISH)
    assert refusal_words(Refusal.NOT_ALLOWED) == "you did not allow it"


def test_what_is_not_in_the_catalogue_stays_as_it_is() -> None:
    i18n.use(Language.CHINESE)
    assert _("Corner Noodle House") == "Corner Noodle House"
    assert _("") == ""


@pytest.mark.parametrize("file", catalogues(), ids=lambda file: file.parent.parent.name)
def test_catalogues_are_complete_and_compiled(file: object) -> None:
    """After a change of the words: python -m tools.language."""
    from pathlib import Path

    assert isinstance(file, Path)
    catalogue = updated(read(file), marked())
    assert list(troubles(catalogue)) == []
    assert file.with_suffix(".mo").read_bytes() == compiled(read(file))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("“点杯茶”理解为“点乌龙茶，原话是“老样子””。", "“点杯茶”理解为“点乌龙茶，原话是‘老样子’”。"),
        ("没有这家店。。请换一家。", "没有这家店。请换一家。"),
        (
            "It was taken as “Order tea, as asked: “the usual””.",
            "It was taken as “Order tea, as asked: ‘the usual’”.",
        ),
        ("The shop is closed.. Try later", "The shop is closed. Try later"),
        # What a screen says may have a mark that nothing closes.
        ("Bad “quote and “more”.", "Bad “quote and “more”."),
        ("wait... look in ../x", "wait... look in ../x"),
    ],
)
def test_a_reply_has_one_full_stop_and_marks_what_is_quoted_within(text: str, shown: str) -> None:
    assert tidied(text) == shown


def sources() -> dict[str, ast.Module]:
    """The sources by their path in the package, without the rooms that stay English."""
    named = {file.relative_to(SOURCES): tree for file, tree in parsed().items()}
    return {str(file): tree for file, tree in named.items() if file.parts[0] not in ENGLISH}


def named_calls() -> dict[str, list[ast.Call]]:
    """The calls in them."""
    return {file: calls()[SOURCES / file] for file in sources()}


@cache
def own_errors() -> frozenset[str]:
    """The names of the program's errors."""
    classes = [node for tree in sources().values() for node in tree.body if isinstance(node, ast.ClassDef)]
    errors = {"Exception", "ValueError", "KeyError", "RuntimeError"}
    # An error may stand before the one that it is made from.
    for _round in range(3):
        errors |= {one.name for one in classes if {name_of(base) for base in one.bases} & errors}
    return frozenset(errors) - {"Exception", "ValueError", "KeyError", "RuntimeError"}


def unmarked(made: Iterable[ast.Call], errors: Set[str]) -> Iterator[tuple[int, str]]:
    """Line and text of each sentence that is said or raised without a mark."""
    for call in made:
        if name_of(call.func) in SAID | errors:
            for argument in call.args:
                yield from _bare(argument)


def _bare(node: ast.expr) -> Iterator[tuple[int, str]]:
    """The sentences in an expression that no mark is around."""
    match node:
        case ast.Constant(value=str(text)) if WORDS.search(text) and not text.startswith(COMMANDS):
            yield node.lineno, text
        case ast.JoinedStr(values=parts):
            text = "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in parts)
            if WORDS.search(text) and not text.startswith((*COMMANDS, "{} ")):
                yield node.lineno, text
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            yield from _bare(one)
            yield from _bare(other)
        case ast.Call(func=ast.Attribute(value=template, attr="format")):
            yield from _bare(template)


def test_what_users_read_can_be_translated() -> None:
    errors = own_errors() - NOT_FOR_USERS.keys()
    assert {"SettingsError", "StoreError", "PhoneError"} <= errors
    found = [
        f"{file}:{line}: {text}"
        for file, made in named_calls().items()
        for line, text in unmarked(made, errors)
    ]
    assert found == []


def test_what_stays_english_is_there() -> None:
    assert NOT_FOR_USERS.keys() <= own_errors()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('typer.echo("It is done.")', ["It is done."]),
        ('raise StoreError(f"There is no {name} here")', ["There is no {} here"]),
        ('lines.say("Yes, please" if yes else _("No, thanks"))', ["Yes, please"]),
        ('typer.echo("You have {count} left".format(count=3))', ["You have {count} left"]),
        ('typer.echo(_("It is done."))', []),
        ('typer.echo(_("{count} left").format(count=3))', []),
        ('typer.echo(f"{one.name}  {one.state}")', []),
        ('Finding("phone", False, sentence, "assistant setup")', []),
    ],
)
def test_the_walk_finds_what_is_bare(source: str, found: list[str]) -> None:
    made = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    assert [text for _line, text in unmarked(made, {"StoreError"})] == found


def test_messages_are_written_out() -> None:
    """What is put together, where a mark or help stands, is in no catalogue."""
    broken = [
        f"{file}:{call.lineno}"
        for file, made in named_calls().items()
        for call in made
        if (name_of(call.func) in MARKS and any(isinstance(one, ast.JoinedStr) for one in call.args))
        or any(
            one.arg == PLACES.get(name_of(call.func)) and isinstance(one.value, ast.JoinedStr)
            for one in call.keywords
        )
    ]
    assert broken == []
