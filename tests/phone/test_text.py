"""Text for `input text`, keyboards, and comparing what arrived."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assistant.phone.keyboard import (
    InstalledKeyboards,
    contains_typed,
    input_text_arguments,
    is_ascii,
    is_bound,
    parse_keyboards,
)
from assistant.records import Bounds, Element

PLAIN = st.text(
    st.sampled_from([chr(code) for code in range(32, 127)] + ["\n", "\t", "%", "s", " "]), max_size=300
)
ADB = "com.android.adbkeyboard/.AdbIME"
U2 = "com.github.uiautomator/.AdbKeyboard"
OWN = "com.example.keyboard/.Keyboard"


def android_types(piece: str) -> str:
    """InputShellCommand.sendText of AOSP, line by line."""
    buffer, escaped, i = list(piece), False, 0
    while i < len(buffer):
        if escaped:
            escaped = False
            if buffer[i] == "s":
                buffer[i] = " "
                i -= 1
                del buffer[i]
        if buffer[i] == "%":
            escaped = True
        i += 1
    return "".join(buffer)


@given(PLAIN)
def test_android_types_what_was_meant(text: str) -> None:
    pieces = list(input_text_arguments(text))
    assert "".join(piece if piece in ("\n", "\t") else android_types(piece) for piece in pieces) == text
    assert not any(" " in piece for piece in pieces)
    assert "" not in pieces


def test_what_is_plain() -> None:
    assert is_ascii("a~ \n\t")
    assert not is_ascii("é")
    assert not is_ascii("\x07")
    assert not is_ascii("你好")


def test_the_best_keyboard() -> None:
    listed = f"{OWN}\n{ADB}\n{U2}\n== enabled\n{OWN}\n== default\n{OWN}\n"
    keyboards = parse_keyboards(listed)
    assert keyboards == InstalledKeyboards(frozenset((OWN, ADB, U2)), frozenset((OWN,)), OWN)
    best = keyboards.best()
    assert best is not None
    assert best.component == U2
    in_use = InstalledKeyboards(frozenset((ADB, U2)), frozenset((ADB,)), ADB).best()
    assert in_use is not None
    assert in_use.component == ADB
    assert parse_keyboards(f"{OWN}\n== enabled\n== default\nnull\n").best() is None


def test_when_a_keyboard_is_bound() -> None:
    assert is_bound(f"  mCurMethodId={ADB}\n  mCurId={ADB} mHaveConnection=true mBoundToMethod=true", ADB)
    assert is_bound(f"mCurMethodId={ADB}", ADB)
    assert not is_bound(f"mCurMethodId={ADB}\n mCurId={OWN} mHaveConnection=true", ADB)
    assert not is_bound(f"mCurId={ADB} mHaveConnection=false mBoundToMethod=false", ADB)
    assert not is_bound("", ADB)


def field(text: str, password: bool = False) -> Element:
    return Element(0, -1, "android.widget.EditText", Bounds(0, 0, 1, 1), text=text, password=password)


def test_what_arrived_in_a_field() -> None:
    assert contains_typed(field("Dear Mom, hello"), "mom, ")
    assert contains_typed(field("(555) 010-0199"), "5550100199")
    assert contains_typed(field("••••", password=True), "secret")
    assert contains_typed(field(""), "?!")
    assert not contains_typed(field("Search"), "noodles")
