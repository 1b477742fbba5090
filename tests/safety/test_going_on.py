"""What only goes on to where something is paid for, or offers what another pays, is not asked about."""

from __future__ import annotations

import pytest

from assistant.events import ActionKind
from assistant.records import Observation
from assistant.safety.classifier import judge
from assistant.safety.wording import goes_to
from tests.safety.screens import button, element, label, screen, tap
from tests.tables import each


def _kind(observation: Observation, number: int) -> ActionKind | None:
    risk = judge(tap(observation, number), observation)
    return risk.kind if risk else None


@each(
    "text",
    [
        "Proceed to checkout",
        "Перейти к оформлению заказа",
        "Ir al resumen",
        "Aller au panier",
        "Vai alla cassa",
        "Przejdź do podsumowania",
        "Lanjut ke ringkasan",
        "Özete geç",
        "सारांश पर जाएं",
    ],
)
def test_a_label_that_goes_to_another_page_commits_to_nothing(text: str) -> None:
    assert goes_to(text)
    cart = screen(label("Total", 100), label("$34.00", 120), button(text, 170, left=4, size=(92, 20)))
    assert _kind(cart, 3) is None


@each("text", ["Proceed to pay", "Lanjut", "Continue", "Перейти", "Go"])
def test_going_on_without_a_place_and_paying_are_no_such_label(text: str) -> None:
    assert not goes_to(text)


@each(
    "text",
    [
        "次へ進む",
        "先に進む",
        "Go to the next step",
        "Passer à l'étape suivante",
        "Ir al siguiente paso",
        "Weiter zum nächsten Schritt",
        "Перейти к следующему шагу",
        "다음으로 이동",
    ],
)
def test_a_next_page_that_nobody_names_may_be_the_deed(text: str) -> None:
    assert not goes_to(text)


@pytest.mark.parametrize("text", ["次へ進む", "先に進む"])
def test_going_on_to_whatever_is_next_below_a_sum_is_asked_about(text: str) -> None:
    cart = screen(label("合計", 100), label("4,980円", 120), button(text, 170, left=4, size=(92, 20)))
    assert _kind(cart, 3) is ActionKind.PAY


def test_a_call_to_choose_something_is_no_deed_of_a_form() -> None:
    form = screen(
        element("EditText", 40, text="Blue chair", clickable=True),
        button("📷 Chọn Ảnh Sản Phẩm", 100, left=4, size=(92, 20)),
    )
    assert _kind(form, 2) is None


def test_offers_alike_above_a_button_that_pays_are_choices() -> None:
    offers = [
        element("LinearLayout", 40, left=4 + 48 * number, size=(44, 20), text=text, clickable=True)
        for number, text in enumerate(["充100得110元", "充200得230元"])
    ]
    page = screen(*offers, button("立即充值", 170, left=4, size=(92, 20)))
    assert [_kind(page, number) for number in (1, 2, 3)] == [None, None, ActionKind.PAY]
    alone = screen(*offers, label("100元", 170))
    assert [_kind(alone, number) for number in (1, 2)] == [ActionKind.PAY] * 2


def test_a_word_among_the_tabs_of_the_bottom_bar_opens_its_page() -> None:
    tabs = [
        button(text, 190, left=25 * number, size=(25, 10))
        for number, text in enumerate(("Home", "Pay", "Cards", "Me"))
    ]
    assert _kind(screen(label("Bills", 20), *tabs), 3) is None
    assert _kind(screen(label("Total", 20), label("$9.00", 40), *tabs), 4) is ActionKind.PAY


def test_a_quantity_is_no_message() -> None:
    asked = screen(
        label("编辑购买数量", 20),
        element("EditText", 40, text="12", clickable=True),
        button("确定", 100, left=4, size=(92, 20)),
    )
    assert _kind(asked, 3) is None


def test_one_deed_above_another_is_no_offer_of_it() -> None:
    deeds = [
        element("View", 40 + 30 * number, left=4, size=(92, 20), text=text, clickable=True)
        for number, text in enumerate(["Request $25", "Pay $25"])
    ]
    assert [_kind(screen(*deeds), number) for number in (1, 2)] == [ActionKind.PAY] * 2


@each("text", ["Aller au paiement", "Перейти к оплате", "Ir al pago", "Ödemeye geç"])
def test_the_payment_that_a_label_goes_to_is_asked_about_beside_a_sum(text: str) -> None:
    assert not goes_to(text)
    cart = screen(label("Total", 100), label("$34.00", 120), button(text, 170, left=4, size=(92, 20)))
    assert _kind(cart, 3) is ActionKind.PAY


_SET = (
    label("Your order", 5),
    label("Beef noodles", 25),
    label("¥32", 25, left=70),
    label("Deliver to", 50),
    label("12 Main Street", 70),
    label("Visa •••• 4242", 100),
    label("Total", 130),
    label("¥32", 130, left=70),
)


def _ending(text: str, *without: int) -> Observation:
    """A page of an order with one wide button, which lacks some of its lines."""
    lines = [line for place, line in enumerate(_SET) if place not in without]
    return screen(*lines, button(text, 170, left=4, size=(92, 20)))


@each(
    "text",
    ["Proceed to checkout", "Check out", "Next", "Continue", "去结算", "Zur Kasse", "Перейти к оформлению"],
)
def test_what_goes_on_from_a_page_with_address_means_and_sum_may_order_at_once(text: str) -> None:
    page = _ending(text)
    assert _kind(page, len(page.elements) - 1) is ActionKind.PAY


@each("without", [(3, 4), (5,), (6, 7)])
def test_a_cart_lacks_one_of_them(without: tuple[int, ...]) -> None:
    page = _ending("Proceed to checkout", *without)
    assert _kind(page, len(page.elements) - 1) is None


@each("text", ["Track order", "View receipt", "Get help", "Edit order", "Back to home"])
def test_what_shows_something_of_an_order_is_not_asked_about(text: str) -> None:
    page = _ending(text)
    assert _kind(page, len(page.elements) - 1) is None


def test_going_on_from_an_order_that_is_done_is_not_asked_about() -> None:
    done = screen(label("Order placed", 0), *_SET[1:], button("Continue", 170, left=4, size=(92, 20)))
    assert _kind(done, len(done.elements) - 1) is None
