"""Buttons that pay by what stands around them: a sum, a discount, a tip; and buttons that only look so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from assistant.events import ActionKind
from assistant.safety.classifier import Cue, judge
from tests.safety.screens import (
    APP,
    button,
    element,
    field,
    label,
    screen,
    tap,
    wide_button,
)
from tests.tables import each

PAY = ActionKind.PAY


@each(
    ("total", "amount", "words"),
    [
        ("Total", "$12.40", "Let's go"),
        ("合计", "¥12.40", "就这样"),
        ("Gesamtbetrag", "12,40 €", "Weiter so"),
        ("Importe total", "12,40 €", "Vamos"),
        ("Итого", "1 240 ₽", "Поехали"),
        ("合計", "1,240円", "これでいく"),
        ("Celkem", "620 Kč", "Jdeme na to"),
        ("Összesen", "4 290 Ft", "Mehet"),
    ],
)
def test_the_one_wide_button_beside_a_sum_pays(total: str, amount: str, words: str) -> None:
    seen = screen(label(total, 60), label(amount, 75), button(words, 160))
    risk = judge(tap(seen, 3), seen)
    assert risk is not None
    assert risk.kind is PAY


def test_a_sum_above_continue_is_accepted_where_no_title_names_a_step() -> None:
    sum_above = (label("Total", 140, size=(40, 8)), label("€ 42.50", 140, left=60, size=(30, 8)))
    seen = screen(*sum_above, wide_button("Continue"))
    risk = judge(tap(seen, 3), seen)
    assert risk is not None
    assert (risk.kind, risk.cue) == (PAY, Cue.SUM)
    step = screen(label("Delivery address"), *sum_above, wide_button("Continue"))
    assert judge(tap(step, 4), step) is None
    browses = screen(*sum_above, wide_button("View items"))
    assert judge(tap(browses, 3), browses) is None


@each(
    "words",
    ["立减¥5 提交", "提交 立省¥5", "确认（最高省¥5）", "开通立省¥20", "完成 可省5元", "立即下单 最高减¥5"],
)
def test_a_button_with_a_discount_pays(words: str) -> None:
    seen = screen(label("¥30", 40), wide_button(words))
    risk = judge(tap(seen, 2), seen)
    assert risk is not None
    assert risk.kind is PAY
    assert "5" not in risk.sentence
    assert "20" not in risk.sentence


@each("words", ["立减¥5", "新人立减¥5", "首单最高省¥30", "会员专享 立省20元起", "满50立减5元"])
def test_a_discount_alone_is_an_advertisement(words: str) -> None:
    seen = screen(label("¥30", 40), wide_button(words))
    assert judge(tap(seen, 2), seen) is None


def test_a_share_is_a_tip_where_nothing_below_it_gives_one() -> None:
    shares = [button(f"{n}%", 120, left=33 * place, size=(30, 20)) for place, n in enumerate((15, 20, 25))]
    seen = screen(label("Add a tip for your driver"), *shares)
    assert (risk := judge(tap(seen, 3), seen)) is not None
    assert risk.kind is PAY
    chosen = screen(label("Add a tip for your driver"), *shares, wide_button("Done"))
    assert judge(tap(chosen, 3), chosen) is None
    for words in ("No tip", "Custom", "Other amount", "Not now"):
        none = screen(label("Add a tip for your driver"), *shares, wide_button(words))
        assert judge(tap(none, 3), none) is not None
    zoom = screen(label("Zoom"), *shares)
    assert judge(tap(zoom, 3), zoom) is None


@each("words", ["Pay later", "あとで払う", "Später zahlen", "先用后付"])
def test_what_is_paid_later_is_ordered_where_the_sum_stands(words: str) -> None:
    seen = screen(label("合計 8,900円", 140), wide_button(words))
    assert (risk := judge(tap(seen, 2), seen)) is not None
    assert risk.kind is PAY


def test_a_way_to_pay_later_is_a_choice_where_no_sum_stands() -> None:
    settings = screen(label("Ways to pay"), wide_button("Pay later"))
    assert judge(tap(settings, 2), settings) is None


@each(
    ("text", "words", "asks"),
    [
        ("Frais de 1,99 € à régler", "Débloquer", True),
        ("9,99 € / Monat", "Weiterlaufen lassen", True),
        ("You received 20 €. Payment completed.", "Say thanks", False),
        ("Invoice 20 €", "View", False),
        ("Your parcel is here", "Unlock box", False),
    ],
)
def test_an_unknown_button_below_a_sum_in_the_notifications_pays(text: str, words: str, asks: bool) -> None:
    row = element("FrameLayout", 60, 4, size=(92, 60), clickable=True)
    said = label(text, 64, left=6, size=(80, 10), parent=1)
    act = button(words, 90, left=6, size=(40, 14), parent=1)
    shade = screen(row, said, act, button("Clear all", 130), app=replace(APP, package="com.android.systemui"))
    assert (judge(tap(shade, 3), shade) is not None) is asks


@each(
    "hidden",
    [
        {"top": 60, "size": (90, 0)},
        {"top": 260},
        {"top": -40},
        {"left": 120, "size": (30, 10)},
        {"left": -60, "size": (40, 10)},
    ],
)
def test_what_nobody_sees_names_no_sum_and_no_payee(hidden: dict[str, Any]) -> None:
    unseen = label("To: Mom", **hidden), label("Total: ¥1", **hidden)
    seen = screen(*unseen, label("To: Mallory", 30), label("Total: ¥999", 40), wide_button("Pay now"))
    risk = judge(tap(seen, 5), seen)
    assert risk is not None
    assert risk.sentence == "Pays ¥999, to Mallory."


@each("cls", ["View", "TextView", "LinearLayout"])
def test_a_means_above_a_button_that_consents_and_pays_the_sum_is_chosen(cls: str) -> None:
    means = [
        element(cls, 80, 50 * n, size=(48, 14), text=w, clickable=True)
        for n, w in enumerate(("微信支付", "支付宝"))
    ]
    seen = screen(label("开通会员"), *means, wide_button("确认协议并支付¥19.8"))
    assert judge(tap(seen, 2), seen) is None
    assert (risk := judge(tap(seen, 4), seen)) is not None
    assert risk.kind is PAY
    each = [
        element(cls, top, 4, size=(92, 14), text=f"{w}¥19.8", clickable=True)
        for w, top in (("微信支付", 100), ("支付宝支付", 130))
    ]
    cashier = screen(label("收银台"), *each)
    assert judge(tap(cashier, 2), cashier) is not None
    assert judge(tap(cashier, 3), cashier) is not None


@each(
    ("choice", "line", "deed"),
    [
        ("Save as a favourite payee", "We'll send the money immediately. It can't be undone.", "Send money"),
        (
            "Salvar endereço no catálogo",
            "*Você receberá uma cobrança de R$ 89,90 por esse pedido.",
            "Comprar",
        ),
        ("Remember this address", "You will be charged £46.20 for this order.", "Place order"),
    ],
)
def test_a_line_about_the_order_is_not_about_what_is_ticked_above_it(
    choice: str, line: str, deed: str
) -> None:
    box = element("CheckBox", 60, text=choice, checkable=True, clickable=True)
    seen = screen(box, label(line, 85), wide_button(deed))
    assert judge(tap(seen, 1), seen) is None
    assert judge(tap(seen, 3), seen) is not None
    alone = screen(box, label(line, 85))
    assert judge(tap(alone, 1), alone) is not None
    row = element("LinearLayout", 60, size=(100, 45))
    held = screen(row, replace(box, parent=1), replace(label(line, 85), parent=1), wide_button(deed))
    assert judge(tap(held, 2), held) is not None


@each(
    "words",
    [
        "Cancel and pay another way",
        "Mit anderer Methode bezahlen",
        "Pagar de otra forma",
        "Payer autrement",
        "Anuluj i zapłać inaczej",
        "Оплатить другим способом",
        "別の方法で支払う",
        "다른 방법으로 결제",
        "Thanh toán bằng cách khác",
        "换个方式支付",
        "How to pay?",
        "Como pagar?",
        "Как оплатить?",
        "如何支付？",
    ],
)
def test_another_way_to_pay_is_chosen_and_a_question_how_leads_to_help(words: str) -> None:
    seen = screen(label("$30", 40), wide_button(words))
    risk = judge(tap(seen, 2), seen)
    assert risk is None or risk.cue is not Cue.LABEL


@each("words", ["Why not? Pay now!?", "Pay now?", "Pay €5, how?"])
def test_a_question_that_offers_to_pay_is_asked_about(words: str) -> None:
    seen = screen(wide_button(words))
    assert judge(tap(seen, 1), seen) is not None


def test_a_button_beside_a_code_acts_on_the_code_where_another_pays() -> None:
    code = field(60, size=(60, 20), text="SPRING", focused=False)
    apply = button("Apply", 60, left=65, size=(30, 20))
    seen = screen(label("Total", 20), label("$46.20", 35), code, apply, wide_button("Place order"))
    assert judge(tap(seen, 4), seen) is None
    alone = screen(label("Total", 20), label("$46.20", 35), code, apply)
    assert judge(tap(alone, 4), alone) is not None


def test_rows_alike_that_tell_of_offers_are_chosen() -> None:
    first, second = "₹239 · 28 days · 1.5 GB", "₹666 · 84 days · 1.5 GB"
    rows = [
        element("LinearLayout", 40 + 30 * n, text=t, clickable=True) for n, t in enumerate((first, second))
    ]
    seen = screen(*rows)
    assert judge(tap(seen, 1), seen) is None
    alone = screen(rows[0])
    assert judge(tap(alone, 1), alone) is not None


def test_a_method_is_chosen_for_a_sum_and_charged_where_the_sentence_says_so() -> None:
    asks = label("Wählen Sie eine Zahlungsmethode für den Betrag von 8,40 € aus", 60)
    seen = screen(asks, wide_button("Zahlungsmethode wechseln"))
    assert judge(tap(seen, 2), seen) is None
    charged = label("Choose Basic and your card will be charged $8.40", 140)
    seen = screen(charged, wide_button("Basic"))
    assert judge(tap(seen, 2), seen) is not None


@each(
    ("title", "words"),
    [("Warenkorb", "Entfernen"), ("Carrito", "Eliminar"), ("Корзина", "Удалить"), ("장바구니", "삭제")],
)
def test_what_is_taken_out_of_a_cart_is_not_deleted(title: str, words: str) -> None:
    seen = screen(label(title), button(words, 100, size=(40, 20)))
    assert judge(tap(seen, 2), seen) is None
    other = screen(label("Fotos"), button(words, 100, size=(40, 20)))
    assert judge(tap(other, 2), other) is not None


@pytest.mark.parametrize(
    ("words", "at"),
    [(("申请开票", "查看物流", "加入购物车"), 0), (("Подробнее", "Повторить заказ", "Отследить"), 2)],
)
def test_one_of_three_buttons_alike_in_a_line_commits_to_nothing(words: tuple[str, ...], at: int) -> None:
    line = [button(text, 100, left=33 * place, size=(30, 20)) for place, text in enumerate(words)]
    seen = screen(label("¥59.00", 40), *line)
    assert judge(tap(seen, 2 + at), seen) is None


def test_a_text_above_the_wide_button_leads_on() -> None:
    link = label("Request for someone else", 120, clickable=True)
    seen = screen(label("$11.20", 40), link, wide_button("Confirm Standard"))
    assert judge(tap(seen, 2), seen) is None
    above_details = screen(label("$11.20", 40), link, wide_button("View details"))
    assert judge(tap(above_details, 2), above_details) is not None


def test_what_moves_money_either_way_is_an_entry_of_a_wallet() -> None:
    words = [button(text, 100, left=50 * place, size=(48, 20)) for place, text in enumerate(("充值", "提现"))]
    seen = screen(label("零钱 ¥120.40", 40), *words)
    assert judge(tap(seen, 2), seen) is None
    assert judge(tap(seen, 3), seen) is None
    form = screen(label("¥120.40", 40), field(60, text="100"), wide_button("充值"))
    assert judge(tap(form, 3), form) is not None


@each("words", ["Done", "OK", "好的"])
def test_what_closes_a_receipt_pays_nothing(words: str) -> None:
    receipt = screen(label("Payment sent"), label("£250.00 to Lena Hoff", 60), wide_button(words))
    assert judge(tap(receipt, 3), receipt) is None
    asks = screen(label("Send payment"), label("£250.00 to Lena Hoff", 60), wide_button(words))
    assert judge(tap(asks, 3), asks) is not None


@each("words", ["Apply code", "Remove code", "Apply promo code"])
def test_a_code_is_put_in_or_taken_out_before_anything_is_paid(words: str) -> None:
    seen = screen(label("Get £10 off your first order", 20), field(60, text="WELCOME10"), wide_button(words))
    assert judge(tap(seen, 3), seen) is None


def test_a_card_that_is_added_and_a_kind_of_service_pay_nothing() -> None:
    added = screen(label("选择付款方式"), button("添加银行卡付款", 150, left=4, size=(92, 20)))
    assert judge(tap(added, 2), added) is None
    row = element("LinearLayout", 60, clickable=True, size=(100, 30))
    words = [label("退货退款", 62, parent=2), label("已收到货，需要退还", 78, parent=2)]
    service = screen(label("选择服务类型"), row, *words)
    assert judge(tap(service, 2), service) is None


@each(
    ("report", "words"),
    [
        ("支払い完了", "完了"),
        ("Commande confirmée", "Terminer"),
        ("Zahlung erfolgreich", "Fertig"),
        ("Заказ оформлен", "Готово"),
        ("결제 완료", "확인"),
    ],
)
def test_a_receipt_is_closed_in_every_language(report: str, words: str) -> None:
    seen = screen(label(report), label("€ 59,90", 60), wide_button(words))
    assert judge(tap(seen, 3), seen) is None


@each("question", ["确认要退出支付吗？", "Leave checkout?", "Exit the payment?"])
def test_leaving_a_payment_pays_nothing(question: str) -> None:
    answers = [button(text, 110, left=50 * at, size=(45, 20)) for at, text in enumerate(("取消", "OK"))]
    seen = screen(label(question, 60), label("请尽快完成支付", 80), *answers, dialog=True)
    assert judge(tap(seen, 4), seen) is None
    pays = screen(label("确认支付吗？", 60), *answers, dialog=True)
    assert judge(tap(pays, 3), pays) is not None


@each(
    ("said", "words"),
    [
        ("You need $12.00 more to make this payment. Add money to continue.", "Add money"),
        ("当前余额¥3.20，无法完成支付，请充值或更换付款方式。", "更换方式"),
        ("Te faltan 12,00 € para completar este pago.", "Cambiar de cuenta"),
        ("该房型价格由¥214变为¥221，是否继续预订？", "重新选择"),
    ],
)
def test_what_is_needed_for_a_payment_is_no_payment(said: str, words: str) -> None:
    answers = [button(text, 110, left=50 * at, size=(45, 20)) for at, text in enumerate(("Not now", words))]
    seen = screen(label("Balance", 40), label(said, 60), *answers, dialog=True)
    assert judge(tap(seen, 4), seen) is None


@each(
    "words",
    ["Pay someone", "Pay a bill", "免密支付/自动扣款", "开发票", "扣款记录", "满30减5 · 会员领6元券"],
)
def test_names_of_pages_and_offers_about_payments_pay_nothing(words: str) -> None:
    row = element("LinearLayout", 60, text=words, clickable=True)
    seen = screen(label("¥15", 30), row, button("查看", 120, size=(30, 20)))
    assert judge(tap(seen, 2), seen) is None


def test_what_is_charged_next_is_not_charged_by_looking_at_what_was() -> None:
    row = label("扣款记录", 60, clickable=True)
    seen = screen(
        label("连续包月 下次扣款 12月12日 ¥15", 30), row, button("更换扣款方式", 120, size=(60, 20))
    )
    assert judge(tap(seen, 2), seen) is None


def test_amounts_beside_a_field_with_one_fill_it() -> None:
    sums = [button(f"${n}", 90, left=33 * at, size=(30, 20)) for at, n in enumerate((100, 110, 115))]
    seen = screen(field(60, text="$110", focused=False), *sums, wide_button("Go"))
    assert [judge(tap(seen, number), seen) for number in (2, 3, 4)] == [None] * 3
    alone = screen(*sums)
    assert judge(tap(alone, 1), alone) is not None


def test_a_box_that_names_a_price_is_chosen_where_another_button_pays() -> None:
    box = element("CheckBox", 60, text="Mua bảo hiểm chuyến đi 10.000 ₫", checkable=True, clickable=True)
    seen = screen(box, wide_button("Thanh toán"))
    assert judge(tap(seen, 1), seen) is None
    alone = screen(box)
    assert judge(tap(alone, 1), alone) is not None


@each("words", ["Refund from Corner Cafe", "还差¥7.2免运费，去凑单", "レジに進む"])
def test_what_tells_of_money_or_leads_to_the_till_pays_nothing(words: str) -> None:
    back = button("戻る", 150, size=(30, 20))
    seen = screen(label("Activity"), button(words, 120, size=(50, 20)), back)
    assert judge(tap(seen, 2), seen) is None


@each(
    ("rows", "words"),
    [
        (("Delivery / 12 Main St", "Payment / Visa 4417", "Summary / Total: $31.00"), "Get it"),
        (("Ride / Comfort, 4 min", "From / Main St", "Total: $12.40 / Visa"), "Lacak"),
        (("寄 / 北京", "收 / 上海", "合计 ¥18 / 优惠券"), "走起"),
    ],
)
def test_the_sum_in_a_row_that_takes_touches_is_that_of_the_page(rows: Sequence[str], words: str) -> None:
    shown: list[Any] = [label("Checkout", 0, size=(100, 10))]
    for number, row in enumerate(rows):
        top, at = 20 + 30 * number, len(shown) + 1
        shown.append(element("ViewGroup", top, size=(100, 28), clickable=True))
        shown += [
            label(text, top + 2 + 12 * place, size=(60, 10), parent=at)
            for place, text in enumerate(row.split(" / "))
        ]
    seen = screen(*shown, element("ViewGroup", 150, left=4, size=(92, 20), text=words, clickable=True))
    assert judge(tap(seen, len(shown) + 1), seen) is not None


@each(
    ("words", "line", "asks"),
    [
        ("View cart", "Menu", False),
        ("Order", "Menu", True),
        ("Order", "Press 1 to order", True),
        ("View cart", "Press 1 to order", True),
        ("View and order", "Menu", True),
    ],
)
def test_a_number_of_things_before_words_that_view_them_is_no_key(words: str, line: str, asks: bool) -> None:
    texts = ("1", words, "$29.50")
    bar = (label(text, 170, left=30 * n, size=(30, 10), parent=1) for n, text in enumerate(texts))
    whole = element("ViewGroup", 170, description=", ".join(texts), clickable=True)
    seen = screen(whole, *bar, label(line, 30))
    assert (judge(tap(seen, 1), seen) is not None) is asks


def cart(words: str, *lines: str, tabs: int = 5, title: str = "Mon panier (2)") -> list[Any]:
    """A cart with lines of text above its button, which is the second element, and tabs at the bottom."""
    shown = [label(line, 60 + 12 * number, size=(80, 10)) for number, line in enumerate(lines)]
    names = ("Accueil", "Rayons", "Panier", "Favoris", "Compte")[:tabs]
    bar = [
        element("ViewGroup", 184, 20 * n, size=(20, 16), clickable=True, text=name)
        for n, name in enumerate(names)
    ]
    return [label(title), button(words, 150, size=(92, 14)), *shown, *bar]


SUMS_OF_CARTS = """
Place order · $21.00|Order now · $21.00|Buy now $21.00|Confirm order $21|Submit $21|Order for pickup · $8.50|
提交订单 ¥21|立即下单 ¥21|确认下单 ¥21|立即购买 ¥21|确定 ¥21|注文を確定 ¥1200|주문하기 12,000원|สั่งซื้อ ฿20|
Jetzt kaufen · 21,99 €|Commander · 21,99 €|Realizar pedido 21,99 €|Ordina ora 21,99 €|Kup teraz 20 zł|
Оформить заказ 999 ₽|Sipariş ver 20 TL
""".replace("\n", "").split("|")


@each("title", ["Cart", "购物车", "Mon panier (2)"])
def test_what_orders_with_a_sum_is_asked_about_in_a_cart_among_tabs(title: str) -> None:
    for words in SUMS_OF_CARTS:
        for lines in (("拿铁 ¥21",), ("拿铁 ¥21", "自提 望京店", "微信支付")):
            seen = screen(*cart(words, *lines, title=title))
            assert judge(tap(seen, 2), seen) is not None, words


@each("words", ["View order · €44.00", "查看订单 ¥44", "הצגת הזמנה · 44.00 ₪"])
def test_an_order_that_is_viewed_with_its_sum_is_not_placed(words: str) -> None:
    seen = screen(label("Pizza"), wide_button(words))
    assert judge(tap(seen, 2), seen) is None


@each(
    "words",
    ["Place order · €44.00", "Show and order · $44", "Siparişi gör ve onayla 20 TL", "הצג ואשר הזמנה · 44 ₪"],
)
def test_an_order_that_is_placed_after_it_was_viewed_is_asked_about(words: str) -> None:
    seen = screen(label("Pizza"), wide_button(words))
    assert judge(tap(seen, 2), seen) is not None
