"""Slash commands, and the names behind an @."""

from __future__ import annotations

from textual.events import Key

from assistant.conversation.routing import RouteKind
from assistant.conversation.service import Mention
from assistant.tui.widgets.input_lists import (
    complete,
    find_slash,
    parse_slash,
    slash_route,
    tell_unknown_slash,
    word_at_cursor,
)
from tests.tables import each

from .app_fixture import open_desk


async def test_a_name_that_nothing_has_says_what_names_there_are() -> None:
    async with open_desk() as desk:
        await desk.type("@nobody call me")
        await desk.press("enter")
        assert "Nothing is called “nobody" in desk.text
        assert desk.typed == "@nobody call me"


async def test_slash_commands_complete_and_run() -> None:
    async with open_desk() as desk:
        await desk.type("/he")
        assert "/help" in desk.text
        await desk.press("enter")
        await desk.settle()
        assert desk.app.screen is not desk.app.main
        await desk.press("escape")
        await desk.type("/nonsense")
        await desk.press("enter")
        assert "There is no /nonsense." in desk.text
        assert desk.typed == "/nonsense"
        await desk.press("ctrl+u")
        await desk.type("/undo")
        await desk.press("escape", "enter")
        await desk.settle()
        assert desk.calls == [("reply", "undo")]


async def test_names_that_memory_knows_complete_after_an_at_sign() -> None:
    async with open_desk() as desk:
        await desk.type("call @m")
        await desk.settle()
        assert "Susan Lin" in desk.text
        await desk.press("tab")
        assert desk.typed == "call mom "
        await desk.press("enter")
        assert desk.calls == [("run", "call mom")]


@each(
    ("text", "word"),
    [
        ("/me", "/me"),
        ("/memory mom", ""),
        ("call @su", "@su"),
        ("a@b.c", ""),
        ("给@妈", "@妈"),
        ("plain", ""),
        ("/replay lunch fo", "/replay lunch fo"),
        ("/重放 午", "/重放 午"),
        ("/replayed lunch", ""),
    ],
)
def test_the_word_at_the_cursor(text: str, word: str) -> None:
    assert word_at_cursor(text) == word


def test_slash_commands_are_found_by_the_beginning_of_their_name() -> None:
    assert parse_slash("/forget mom's number") == ("forget", "mom's number")
    assert parse_slash("either/or") is None
    assert (found := find_slash("hist")) is not None
    assert found.name == "history"
    assert find_slash("p") is None
    assert "/theme" in tell_unknown_slash("temes")
    assert "nearest" not in tell_unknown_slash("xyzzy")
    assert "/memory" in tell_unknown_slash("find", "Mom")
    assert "/记忆" in tell_unknown_slash("查找")
    assert find_slash("undo", "7") is None
    assert "takes no “7”" in tell_unknown_slash("undo", "7")
    assert find_slash("where", "mars") is None
    assert all(
        find_slash(name, "words") for name in ("forget", "queue", "schedule", "record", "replay", "memory")
    )
    assert find_slash("learning", "off")
    assert find_slash("learning", "maybe") is None
    learning = slash_route("learning", "off")
    assert learning is not None
    assert learning.kind is RouteKind.PAUSE_LEARNING
    assert slash_route("learning", "") is None
    assert next(completion.text for completion in complete("/und", ())) == "/undo"


async def test_a_command_typed_faster_than_its_completions_is_the_one_that_runs() -> None:
    async with open_desk() as desk:
        for character in "/where":
            key = "slash" if character == "/" else character
            desk.app.post_message(Key(key, character))
        desk.app.post_message(Key("enter", None))
        await desk.settle()
        assert "Where are you?" in desk.text


async def test_slash_commands_have_chinese_names_too() -> None:
    async with open_desk() as desk:
        desk.app.main.input.insert("/撤销")
        await desk.press("escape", "enter")
        await desk.settle()
        assert desk.calls == [("reply", "undo")]
        desk.app.main.input.insert("/帮助")
        await desk.press("escape", "enter")
        await desk.settle()
        assert desk.app.screen is not desk.app.main


async def test_each_at_sign_lists_the_names_that_are_known_by_then() -> None:
    async with open_desk() as desk:
        await desk.type("call @")
        await desk.settle()
        assert "Doctor Gao" not in desk.text
        await desk.press("ctrl+u")
        desk.engine.names.append(Mention("Doctor Gao", "dentist"))
        await desk.type("call @")
        await desk.settle()
        assert "Doctor Gao" in desk.text


async def test_a_theme_is_taken_by_its_name() -> None:
    async with open_desk() as desk:
        await desk.press("/theme nord")
        assert desk.app.theme == "nord"
        await desk.press("/主题 nosuch")
        assert "There is no theme “nosuch”" in desk.text
        assert desk.app.theme == "nord"


def test_of_skills_the_one_that_is_named_whole_comes_first_and_a_number_is_let_be() -> None:
    skills = [Mention("Big lunch", ""), Mention("Lunch 2", ""), Mention("Lunch", "Eats")]

    def names(word: str) -> list[str]:
        return [completion.text for completion in complete(word, (), (), skills)]

    assert names("/replay lunch") == ["/replay Lunch", "/replay Lunch 2", "/replay Big lunch"]
    assert names("/重放 big") == ["/重放 Big lunch"]
    for typed in ("/replay 2", "/replay lunch ", "/replay lunch item=rice", "/replay dinner"):
        assert names(typed) == []
