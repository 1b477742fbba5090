"""Layouts as dumps of real phones have them, on which the guards once missed a deed or asked for nothing."""

from __future__ import annotations

import pytest

from assistant.events import ActionKind
from assistant.records import Element, ForegroundApp, Observation
from assistant.safety.classifier import judge
from assistant.safety.wording import classify_id
from tests.safety.screens import HEIGHT, WIDTH, button, element, field, label, screen, tap

_LETTERS = ("", "ABC", "DEF", "GHI", "JKL", "MNO", "PQRS", "TUV", "WXYZ")
_PERMISSIONS = ForegroundApp("com.google.android.permissioncontroller", ".Grant", "Permissions")


def _kind(seen: Observation, number: int) -> ActionKind | None:
    risk = judge(tap(seen, number), seen)
    return risk.kind if risk else None


def test_a_key_of_the_lock_screen_has_its_digit_twice_and_letters_beside_it() -> None:
    keys: list[Element] = []
    for digit, letters in enumerate(_LETTERS, 1):
        parent, left = len(keys) + 1, 30 * ((digit - 1) % 3)
        keys.append(
            element(
                "FrameLayout",
                60 + 20 * ((digit - 1) // 3),
                left,
                clickable=True,
                name="pin_key",
                size=(30, 20),
                description=str(digit),
            )
        )
        keys += [label(words, 60, parent=parent, size=(5, 5)) for words in (letters, str(digit)) if words]
    seen = screen(*keys, field(20, password=True))
    numbers = [number for number, key in enumerate(keys, 1) if key.clickable]
    assert [_kind(seen, number) for number in numbers] == [ActionKind.PASSWORD] * len(_LETTERS)


@pytest.mark.parametrize(
    ("question", "words", "kind"),
    [
        ("Are you sure you want to log out?", "Logout", ActionKind.DELETE),
        ("The group is large. Invite them now?", "Invite", ActionKind.SEND),
        ("群聊人数较多，现在邀请？", "邀请", ActionKind.SEND),
        ("Do you want to see the map?", "See the map", None),
    ],
)
def test_a_button_that_says_its_dialogs_question_again_agrees_to_it(
    question: str, words: str, kind: ActionKind | None
) -> None:
    seen = screen(label(question, 40), button("Cancel", 100), button(words, 120), dialog=True)
    assert _kind(seen, 3) is kind
    assert _kind(seen, 2) is None


def test_a_window_that_the_app_draws_itself_is_a_dialog() -> None:
    barrier = element("View", 0, size=(WIDTH, HEIGHT), clickable=True, description="Dismiss")
    shown = [label("Do you want to log out?", 80), button("Cancel", 100), button("Log out", 120)]
    assert _kind(screen(barrier, *shown), 4) is ActionKind.DELETE
    assert _kind(screen(*shown), 3) is None


def test_who_signs_in_sends_nothing() -> None:
    name, secret = field(60, text="anna", focused=False), field(80, password=True, text="••••")
    assert _kind(screen(label("Login"), name, secret, button("Submit", 120)), 4) is None
    assert _kind(screen(label("Report"), name, button("Submit", 120)), 3) is ActionKind.SEND


def test_the_answer_that_is_touched_counts_and_not_the_box_that_holds_it() -> None:
    box = element("LinearLayout", 40, size=(WIDTH - 10, 100), clickable=True, name="grant_dialog")
    seen = screen(
        box,
        label("Allow Maps to access this device’s location?", 45, parent=1, size=(80, 10)),
        element("RadioButton", 60, text="Precise", clickable=True, checkable=True, parent=1, size=(40, 20)),
        button("While using the app", 85, name="permission_allow_foreground_only_button", parent=1),
        button("Don’t allow", 110, name="permission_deny_button", parent=1),
        app=_PERMISSIONS,
        dialog=True,
    )
    assert [_kind(seen, number) for number in (3, 4, 5)] == [None, ActionKind.GRANT, None]


def test_off_on_a_switch_is_its_state_and_no_refusal() -> None:
    manager = ForegroundApp("com.vivo.permissionmanager", ".Autostart", "Manager")
    row = element("LinearLayout", 80)
    seen = screen(
        label("自启动", 5),
        row,
        label("Chrome", 82, parent=2, size=(40, 10)),
        element("FrameLayout", 80, 80, size=(20, 20), parent=2),
        element("Switch", 80, 80, size=(20, 20), text="关闭", checkable=True, parent=4),
        app=manager,
    )
    assert _kind(seen, 5) is ActionKind.GRANT


def test_an_id_that_goes_on_to_a_harmless_noun_does_nothing() -> None:
    assert classify_id("com.example.app:id/btn_phone") is ActionKind.SEND
    assert classify_id("com.example.app:id/btnPhoneMethod") is None


def test_a_description_that_repeats_the_text_adds_nothing() -> None:
    priced = "Accept for $4.90"
    assert _kind(screen(label("New offer"), button(priced, description=priced)), 2) is ActionKind.PAY
