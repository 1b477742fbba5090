"""What the page tells about a button whose own words do not say what it does."""

from __future__ import annotations

import pytest

from assistant.events import ActionKind
from assistant.records import Action, Observation
from assistant.safety.classifier import judge
from tests.tables import each

from .screens import button, element, field, label, screen, tap, wide_button


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

    @each("words", ["View statements", "Edit details", "Next", "查看详情", "退票说明"])
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

    @each("option", ["Large +¥4", "大份 +¥4", "Extra cheese + $1.50"])
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

    @each(
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


class TestWhatIsOffered:
    """Somebody offers a ride, a job or an order; “Decline” stands beside what takes it."""

    @each(
        ("texts", "accept", "refuse"),
        [
            (("Estimated fare", "Calculating…"), "Accept", "Reject"),
            (("السعر", "205"), "✓ قبول", "✕ رفض"),
            (("Pickup: Main St", "$12.40"), "Take it", "Decline"),
            (("Ongkos", "18.000"), "Terima", "Tolak"),
        ],
    )
    def test_taking_it_commits_where_a_price_stands_above(
        self, texts: tuple[str, str], accept: str, refuse: str
    ) -> None:
        offer = screen(
            label(texts[0], 40),
            label(texts[1], 60),
            button(accept, 120, size=(45, 20)),
            button(refuse, 120, left=50, size=(45, 20)),
        )
        assert kind(tap(offer, 3), offer) is ActionKind.PAY
        assert kind(tap(offer, 4), offer) is None

    @pytest.mark.parametrize(
        ("text", "accept", "refuse"),
        [("Size from $10", "OK", "Cancel"), ("Rain again", "Accept", "Reject")],
    )
    def test_what_only_leaves_or_has_no_price_makes_no_offer(
        self, text: str, accept: str, refuse: str
    ) -> None:
        page = screen(
            label(text, 60), button(accept, 120, size=(45, 20)), button(refuse, 120, left=50, size=(45, 20))
        )
        assert kind(tap(page, 2), page) is None

    @each(
        "words",
        [
            "Accept ride",
            "Terima pesanan",
            "Accepter la commande",
            "Принять заказ",
            "قبول الطلب",
            "接单",
            "Potwierdź rezerwację",
        ],
    )
    def test_a_verb_that_accepts_beside_what_is_ordered_commits(self, words: str) -> None:
        page = screen(label("Rain"), button("Map", 60), button(words, 120), button("Chat", 150))
        assert kind(tap(page, 3), page) is ActionKind.PAY

    @each(
        "words",
        [
            "Aceptar cookies",
            "Confirmar",
            "Pesanan saya",
            "Подтвердить номер",
            "Confirmar método de pago",
            "Onayla pedido",
        ],
    )
    def test_neither_the_verb_nor_the_noun_alone_does(self, words: str) -> None:
        page = screen(label("Rain"), button("Map", 60), button(words, 120), button("Chat", 150))
        assert kind(tap(page, 3), page) is None

    @each(
        ("heading", "words"),
        [
            ("Confirm ride", "Continue"),
            ("Reserva", "Confirmar"),
            ("订单", "确定"),
            ("Confirmar reserva", "Seguir"),
        ],
    )
    def test_a_main_button_agrees_to_what_the_heading_orders(self, heading: str, words: str) -> None:
        page = screen(label(heading), label("Room 4", 50), button(words, 170))
        assert kind(tap(page, 3), page) is ActionKind.PAY
        other = screen(label("Room 4"), label("Rain", 50), button(words, 170))
        assert kind(tap(other, 3), other) is None
        small = screen(
            label(heading), button(words, 60, size=(30, 10)), button("Map", 90), button("Chat", 170)
        )
        assert kind(tap(small, 2), small) is not ActionKind.PAY

    def test_a_heading_that_only_names_an_order_is_gone_on_from(self) -> None:
        others = (("Buy tickets", "Next"), ("Delivery address", "Confirm"), ("配送地址", "确定"))
        for heading, words in (("Reserva", "Seguir"), ("Book a table", "Continue"), *others):
            page = screen(label(heading), label("Room 4", 50), button(words, 170))
            assert kind(tap(page, 3), page) is None

    def test_a_booking_button_books_at_the_end_of_a_page_with_a_price(self) -> None:
        page = screen(label("Dr. Ray", 30), label("₹500", 60), button("Book appointment", 170))
        assert kind(tap(page, 3), page) is ActionKind.PAY
        menu = screen(label("Dr. Ray", 30), button("Book appointment", 170))
        assert kind(tap(menu, 2), menu) is None

    @each("text", ["Ride to the airport", "New order #12", "Pesanan baru"])
    def test_an_offered_order_needs_no_price(self, text: str) -> None:
        offer = screen(
            label(text, 60), button("OK", 120, size=(45, 20)), button("Reject", 120, left=50, size=(45, 20))
        )
        assert kind(tap(offer, 2), offer) is ActionKind.PAY

    def test_the_last_step_of_something_with_a_price_is_not_only_gone_on_from(self) -> None:
        for step, expected in (("Step 3 of 3", ActionKind.PAY), ("Step 2 of 3", None)):
            page = screen(label(step, 10), label("Room 4", 50), label("$80.00", 70), button("Continue", 170))
            assert kind(tap(page, 4), page) is expected
            free = screen(label(step, 10), label("Room 4", 50), button("Continue", 170))
            assert kind(tap(free, 3), free) is None

    def test_an_entry_of_a_menu_accepts_nothing(self) -> None:
        menu = [
            button(words, 60, left=25 * place, size=(24, 10))
            for place, words in enumerate(("Terima pesanan", "Promo", "Bantuan", "Saldo"))
        ]
        page = screen(label("Toko"), *menu)
        assert kind(tap(page, 2), page) is None

    def test_a_number_is_a_price_only_near_the_word_for_one(self) -> None:
        for place, expected in ((45, ActionKind.PAY), (110, None)):
            page = screen(
                label("Court"),
                label("Price", 30, size=(30, 10)),
                label("12", place, size=(30, 10)),
                button("Map", 70, size=(20, 10)),
                button("Confirm", 170),
            )
            assert kind(tap(page, 5), page) is expected


class TestWhatOnlyLeadsOn:
    def test_three_tiles_of_a_wallet_lead_to_forms(self) -> None:
        tiles = [
            button(words, 60, left=30 * place, size=(28, 22))
            for place, words in enumerate(("Оплатить", "Пополнить", "Перевести"))
        ]
        page = screen(label("Счёт"), *tiles)
        assert [kind(tap(page, number), page) for number in (2, 3, 4)] == [None] * 3
        alone = screen(label("Счёт"), button("Оплатить", 60))
        assert kind(tap(alone, 2), alone) is ActionKind.PAY
        flat = screen(
            *(
                button(words, 60, left=30 * place, size=(28, 12))
                for place, words in enumerate(("Оплатить", "Пополнить", "Перевести"))
            )
        )
        assert kind(tap(flat, 1), flat) is ActionKind.PAY

    def test_a_link_above_a_button_that_pays_is_no_other_way_to_pay(self) -> None:
        link = element("TextView", 90, clickable=True, text="使用密码支付", size=(40, 10))
        page = screen(label("¥36.00", 40), link, button("确认支付", 120))
        assert kind(tap(page, 2), page) is ActionKind.PAY
        second = button("使用密码支付", 150, size=(40, 10))
        page = screen(label("¥36.00", 40), button("确认支付", 120), second)
        assert kind(tap(page, 3), page) is ActionKind.PAY

    def test_a_link_below_a_button_that_pays_leads_to_another_way_to_pay(self) -> None:
        for width, expected in ((40, None), (90, ActionKind.PAY)):
            link = element("TextView", 150, clickable=True, text="使用密码支付", size=(width, 10))
            page = screen(label("¥36.00", 40), button("确认支付", 120), link)
            assert kind(tap(page, 3), page) is expected

    def test_a_line_that_ends_before_the_edge_is_none_of_a_list(self) -> None:
        line = element("LinearLayout", 100, clickable=True, size=(80, 20))
        words = label("Redeem a code", 105, left=2, parent=3, size=(30, 10))
        page = screen(label("Gems"), label("$4.99", 40), line, words)
        assert kind(tap(page, 3), page) is ActionKind.PAY

    def test_a_choice_is_for_a_button_below_it_and_not_for_a_switch(self) -> None:
        choice = element("RadioButton", 60, text="Pay now", clickable=True, checkable=True)
        row = element("LinearLayout", 120, 4, clickable=True, size=(92, 20))
        switch = element("Switch", 122, 80, parent=3, checkable=True, size=(10, 10))
        inside = label("Night mode", 122, size=(40, 10), parent=3), switch
        switched = screen(label("Cashier"), choice, row, *inside)
        assert kind(tap(switched, 2), switched) is ActionKind.PAY
        settled = screen(label("Cashier"), choice, button("Confirm", 120))
        assert kind(tap(settled, 2), settled) is None

    def test_a_line_of_a_list_completes_nothing_and_a_button_does(self) -> None:
        for left, expected in ((2, None), (40, ActionKind.PAY)):
            page = screen(
                label("Gems"),
                label("$4.99", 40),
                element("LinearLayout", 100, clickable=True),
                label("Redeem a code", 105, left=left, parent=3, size=(30, 10)),
            )
            assert kind(tap(page, 3), page) is expected

    def test_one_word_of_a_choice_above_the_fields_of_a_form_is_chosen(self) -> None:
        choices = [
            element("View", 40, left=50 * place, size=(45, 20), clickable=True, text=words)
            for place, words in enumerate(("تبرع", "طلب مساعدة"))
        ]
        form = screen(*choices, field(90, focused=False))
        assert kind(tap(form, 1), form) is None
        refused = [*choices[:1], element("View", 40, 50, size=(45, 20), clickable=True, text="إلغاء")]
        answer = screen(*refused, field(90, focused=False))
        assert kind(tap(answer, 1), answer) is ActionKind.PAY
        last = screen(field(20, focused=False), *choices)
        assert kind(tap(last, 2), last) is ActionKind.PAY

    def test_taking_a_thing_out_of_a_checkout_is_no_deletion(self) -> None:
        checkout = screen(label("Total $20.00", 40), button("Delete", 80), button("Pay now", 150))
        assert kind(tap(checkout, 2), checkout) is None
        upgrade = screen(label("Photo", 40), button("Delete", 80), button("Pay now", 150))
        assert kind(tap(upgrade, 2), upgrade) is ActionKind.DELETE
        album = screen(label("Photo", 40), button("Delete", 80))
        assert kind(tap(album, 2), album) is ActionKind.DELETE

    @each(
        ("line", "words", "asks"),
        [
            ("Проверьте данные записи", "Записаться", True),
            ("Vérifiez votre rendez-vous", "C'est parti", True),
            ("Review your application", "Hand it over", True),
            ("请核对以下信息", "就这样", True),
            ("Review your application", "Edit", False),
            ("Check your internet connection", "Hand it over", False),
            ("Запись к врачу", "Записаться", False),
        ],
    )
    def test_a_page_that_asks_to_check_it_is_ordered_by_its_main_button(
        self, line: str, words: str, asks: bool
    ) -> None:
        box = element("CheckBox", 120, text="Remind me", checkable=True, clickable=True)
        seen = screen(label(line, 20), label("Dr. Lee, 11:20", 60), box, wide_button(words))
        assert (judge(tap(seen, 4), seen) is not None) is asks

    @each(
        "words",
        [
            "Confirm appointment",
            "Confirmer le rendez-vous",
            "Termin bestätigen",
            "Confirmar cita",
            "Подтвердить запись",
            "确认预约",
            "تأكيد الموعد",
        ],
    )
    def test_an_appointment_is_confirmed_like_an_order(self, words: str) -> None:
        seen = screen(label("Dr. Lee, 11:20", 60), wide_button(words))
        assert judge(tap(seen, 2), seen) is not None
