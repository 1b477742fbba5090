"""What the page tells about a button whose own words do not say what it does."""

from __future__ import annotations

import pytest

from assistant.events import ActionKind
from assistant.records import Action, Observation
from assistant.safety.classifier import judge

from .screens import button, element, field, label, screen, tap


def kind(action: Action, observation: Observation) -> ActionKind | None:
    risk = judge(action, observation)
    return risk.kind if risk else None


class TestWhatAPageIsFor:
    def test_a_button_carries_out_what_its_page_is_about(self) -> None:
        about_money = screen(label("Amount $250.00"), button("Confirm order details", 120))
        assert kind(tap(about_money, 2), about_money) is ActionKind.PAY
        form = screen(field(20, text="Rain again"), button("Launch campaign", 120))
        assert kind(tap(form, 2), form) is ActionKind.SEND
        nothing = screen(label("Weather"), button("Confirm", 120))
        assert kind(tap(nothing, 2), nothing) is None

    @pytest.mark.parametrize("words", ["View statements", "Edit details", "Next", "查看详情", "退票说明"])
    def test_what_leads_on_is_harmless_beside_a_sum(self, words: str) -> None:
        observation = screen(label("Amount $250.00"), button(words, 120))
        assert kind(tap(observation, 2), observation) is None

    def test_one_of_many_buttons_is_a_choice(self) -> None:
        days = [button(day, 60 + 30 * place) for place, day in enumerate(("Mon", "Tue", "Wed", "Thu"))]
        observation = screen(field(20, text="Alarm"), *days)
        assert kind(tap(observation, 2), observation) is None

    def test_a_price_pays_unless_it_is_one_of_the_options(self) -> None:
        shop = screen(label("Bag of gems"), button("$4.99", 120))
        assert kind(tap(shop, 2), shop) is ActionKind.PAY
        options = screen(button("$4.99", 60), button("Buy now", 120))
        assert kind(tap(options, 1), options) is None
        assert kind(tap(options, 2), options) is ActionKind.PAY

    @pytest.mark.parametrize("option", ["Large +¥4", "大份 +¥4", "Extra cheese + $1.50"])
    def test_what_an_option_adds_is_no_payment(self, option: str) -> None:
        options = screen(label("Beef noodles"), button(option, 60), button("Small", 120))
        assert kind(tap(options, 2), options) is None

    def test_a_receipt_is_only_closed(self) -> None:
        for texts in (("支付成功", "已支付 ¥29"), ("付款成功", "¥29"), ("Payment successful", "$29.00")):
            receipt = screen(label(texts[0], 10), label(texts[1], 60), button("完成", 120))
            assert kind(tap(receipt, 3), receipt) is None
        open_sum = screen(label("订单", 10), label("合计 ¥29", 60), button("完成订单", 120))
        assert kind(tap(open_sum, 3), open_sum) is ActionKind.PAY

    def test_consent_to_someones_request_grants(self) -> None:
        observation = screen(label("Ben asks for access to your files."), button("Approve", 120))
        assert kind(tap(observation, 2), observation) is ActionKind.GRANT

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            ("Notification access", ActionKind.GRANT),
            ("悬浮窗", ActionKind.GRANT),
            ("AutoPay", ActionKind.PAY),
            ("SIM lock", ActionKind.SECURITY),
            ("Dark theme", None),
        ],
    )
    def test_a_switch_by_what_it_lets_happen(self, words: str, expected: ActionKind | None) -> None:
        row = element("LinearLayout", 100, clickable=True)
        observation = screen(
            row,
            label(words, 100, parent=1, size=(50, 20)),
            element("Switch", 100, parent=1, checkable=True, size=(10, 10)),
        )
        assert kind(tap(observation, 1), observation) is expected

    def test_a_new_password_must_be_entered_first(self) -> None:
        leads = screen(button("Change PIN"))
        assert kind(tap(leads, 1), leads) is None
        sets = screen(field(20, text="1234"), button("Change PIN", 120))
        assert kind(tap(sets, 2), sets) is ActionKind.SECURITY
