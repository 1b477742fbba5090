"""Buttons that pay by what stands around them: a sum, a discount, a tip; and buttons that only look so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assistant.events import ActionKind
from assistant.safety.classifier import Cue, judge
from tests.safety.screens import (
    APP,
    button,
    element,
    label,
    screen,
    tap,
    wide_button,
)

PAY = ActionKind.PAY


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "words", ["立减¥5", "新人立减¥5", "首单最高省¥30", "会员专享 立省20元起", "满50立减5元"]
)
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


@pytest.mark.parametrize("words", ["Pay later", "あとで払う", "Später zahlen", "先用后付"])
def test_what_is_paid_later_is_ordered_where_the_sum_stands(words: str) -> None:
    seen = screen(label("合計 8,900円", 140), wide_button(words))
    assert (risk := judge(tap(seen, 2), seen)) is not None
    assert risk.kind is PAY


def test_a_way_to_pay_later_is_a_choice_where_no_sum_stands() -> None:
    settings = screen(label("Ways to pay"), wide_button("Pay later"))
    assert judge(tap(settings, 2), settings) is None


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("cls", ["View", "TextView", "LinearLayout"])
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
