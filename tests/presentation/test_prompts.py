from __future__ import annotations

from collections.abc import Iterator

import pytest
from rich.cells import cell_len

from assistant import i18n
from assistant.events import ActionKind
from assistant.i18n import Language
from assistant.presentation.prompts import CHOICES_WIDTH, format_choices, format_title
from assistant.records import ForegroundApp
from assistant.tui.keys import build_keymap

APPS = ("Eats", "Paybox", "Old Street Noodles", "支付宝生活服务平台", "x" * 200)


@pytest.fixture(params=[Language.ENGLISH, Language.CHINESE])
def spoken(request: pytest.FixtureRequest) -> Iterator[Language]:
    i18n.use(request.param)
    yield request.param
    i18n.use(Language.ENGLISH)


@pytest.mark.parametrize("kind", ActionKind)
def test_each_row_fits_and_names_every_key(kind: ActionKind, spoken: Language) -> None:
    for label in APPS:
        allowing, refusing = format_choices(kind, ForegroundApp("com.example", ".Main", label)).split("\n")
        assert max(cell_len(allowing), cell_len(refusing)) <= CHOICES_WIDTH
        assert [part[:6] for part in allowing.split("  ")] == ["ctrl+y", "ctrl+t", "ctrl+o"]
        assert [part[:6] for part in refusing.split("  ")] == ["ctrl+n", "ctrl+e"]
        assert label[:4] in allowing


def test_the_words_tell_the_kind_and_the_app() -> None:
    row = format_choices(ActionKind.PAY, ForegroundApp("com.example", ".Main", "Paybox"))
    assert "all payments this turn  ctrl+o always in Paybox" in row


def test_a_browsers_keys_are_told() -> None:
    keymap = build_keymap({"this_turn": "ctrl+b", "refuse": "ctrl+r"})
    row = keymap.with_user_keys(
        format_choices(ActionKind.PAY, ForegroundApp("com.example", ".Main", "Paybox"))
    )
    assert "ctrl+b all payments this turn" in row
    assert "ctrl+r no, and pause" in row


def test_an_app_that_is_not_known_is_not_allowed_always() -> None:
    assert "ctrl+o" not in format_choices(ActionKind.PAY, ForegroundApp())


def test_a_label_is_shown_on_one_line_as_it_is() -> None:
    row = format_choices(ActionKind.SEND, ForegroundApp("com.example", ".Main", "a{kind}\n\x1b[2Jb"))
    assert row.count("\n") == 1
    assert "a{kind} b" in row


def test_a_message_and_a_call_are_asked_for_with_the_same_words() -> None:
    assert format_title(ActionKind.SEND) == "Send or call?"
