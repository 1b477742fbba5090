from __future__ import annotations

import pytest

from assistant.events import ActionKind
from assistant.execute.guards import kind_of_target, sensitive_kind
from assistant.observations import Element, Observation
from assistant.records import Bounds, Click, Point, PressEnter, Target, TypeText


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Pay ¥32.00", ActionKind.PAY),
        ("PAY", ActionKind.PAY),
        ("Place order", ActionKind.PAY),
        ("立即支付 ¥32", ActionKind.PAY),
        ("提交订单", ActionKind.PAY),
        ("Send", ActionKind.SEND),
        ("发送", ActionKind.SEND),
        ("拨打", ActionKind.SEND),
        ("Delete", ActionKind.DELETE),
        ("删除闹钟", ActionKind.DELETE),
        ("Uninstall", ActionKind.DELETE),
        ("PayBox", None),
        ("Checkout", None),
        ("Book club", None),
        ("Sender", None),
        ("Search", None),
        ("Payment", None),
        ("搜索", None),
        ("We will send you a message as soon as the shop has your order", None),
        ("", None),
    ],
)
def test_labels(label: str, kind: ActionKind | None) -> None:
    assert kind_of_target(Target(text=label, class_name="android.widget.Button")) is kind
    assert kind_of_target(Target(description=label, class_name="android.widget.ImageButton")) is kind


def test_an_icon_without_words_is_judged_by_its_id() -> None:
    assert kind_of_target(Target(resource_id="com.example.chat:id/send_button")) is ActionKind.SEND


def test_a_field_is_not_a_button() -> None:
    assert kind_of_target(Target(text="send money", class_name="android.widget.EditText")) is None


def screen(*elements: Element) -> Observation:
    return Observation(width=100, height=200, screenshot=b"", elements=elements)


FIELD = Element(0, -1, "android.widget.EditText", Bounds(0, 0, 100, 50), focused=True, clickable=True)
SEND = Element(1, -1, "android.widget.Button", Bounds(0, 50, 100, 100), text="Send", clickable=True)
SEARCH = Element(1, -1, "android.widget.Button", Bounds(0, 50, 100, 100), text="Search", clickable=True)


def test_a_tap_is_judged_by_what_it_hits_not_by_what_the_model_calls_it() -> None:
    tap = Click(point=Point(0.5, 0.4), content="harmless")
    assert sensitive_kind(tap, screen(FIELD, SEND)) is ActionKind.SEND
    assert sensitive_kind(tap, screen(FIELD, SEARCH)) is None


def test_enter_sends_where_the_screen_offers_to_send() -> None:
    assert sensitive_kind(PressEnter(), screen(FIELD, SEND)) is ActionKind.SEND
    assert sensitive_kind(PressEnter(), screen(FIELD, SEARCH)) is None
    assert sensitive_kind(TypeText(text="late\n"), screen(FIELD, SEND)) is ActionKind.SEND
    assert sensitive_kind(TypeText(text="late"), screen(FIELD, SEND)) is None
