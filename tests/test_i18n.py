from __future__ import annotations

from collections.abc import Iterator

import pytest

from assistant import i18n
from assistant.i18n import Language, _, environment_language, tidied
from assistant.phone.errors import Refusal, refusal_words
from tools.language import calls, catalogues, compiled, marked, parsed, read, troubles, updated


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
