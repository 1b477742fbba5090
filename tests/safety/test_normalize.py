from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.safety.normalize import normalize_label, readings


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Ｐａｙ　now", "pay now"),
        ("Рау now", "pay now"),
        ("P\u200ba\u200d\ufeffy", "pay"),
        ("P a y", "pay"),
        ("P a y  n o w", "pay now"),
        ("D·e·l·e·t·e", "delete"),
        ("𝐏𝐚𝐲", "pay"),
        ("🅿🅰🆈", "pay"),
        ("ᴘᴀʏ", "pay"),
        ("Pа́y", "pay"),
        ("<b>P</b>ay", "pay"),
        ("付 款", "付款"),
        ("支\u200b付", "支付"),
        ("轉賬", "转账"),
        ("確認　付款", "确认付款"),
        ("Dеlеtе", "delete"),
        ("Ꭰelete", "delete"),
    ],
)
def test_disguises_are_read_as_people_read_them(written: str, read: str) -> None:
    assert normalize_label(written) == read


def test_digits_as_letters_and_turned_text_are_further_readings() -> None:
    assert "pay now" in readings("P4y n0w")
    assert "install now" in readings("1nsta11 now")
    assert "pay" in readings("\u202eyap")
    assert readings("Call 0123") == ("call 0123",)


@given(st.text(max_size=80))
def test_any_text_has_a_plain_form_that_stays(text: str) -> None:
    once = normalize_label(text)
    assert once == once.strip()
    assert "\n" not in once
    assert isinstance(readings(text), tuple)


@given(st.sampled_from(["pay now", "delete", "send", "install"]), st.data())
def test_invisible_characters_change_nothing(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word)))
    hidden = data.draw(st.sampled_from("\u200b\u200c\u200d\u2060\ufeff\u00ad\u202a\u2066"))
    assert normalize_label(word[:place] + hidden + word[place:]) == word
