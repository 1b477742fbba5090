"""What a sensitive action is about: who is paid, for what, and where to, as the page tells it."""

from __future__ import annotations

from assistant.events import ActionKind, Deed
from assistant.records import Element
from assistant.safety.classifier import judge
from assistant.safety.deeds import make_deed
from assistant.safety.effects import (
    find_destination,
    find_payee_asked,
    find_recipient,
    find_seller,
    payment_words,
)
from assistant.safety.page import Page
from tests.safety.screens import APP, WIDTH, button, element, field, label, screen, tap
from tests.tables import each

PAY = ActionKind.PAY


@each(
    ("question", "payee"),
    [
        ("Pay ¥30 to Corner Shop?", "Corner Shop"),
        ("Pay Corner Shop ¥30?", "Corner Shop"),
        ("Send $9,999.00 to Tom Ford?", "Tom Ford"),
        ("Pay $5.00 to Acme Inc. from Visa 1234?", "Acme Inc."),
        ("确认向张三转账100元？", "张三"),
        ("转账100元给张三？", "张三"),
        ("确认支付给老街面馆 ¥29 吗？", "老街面馆"),
        ("30 € an Tom senden?", "Tom"),
        ("Envoyer 30 € à Tom ?", "Tom"),
        ("トムさんに3000円を送りますか？", "トム"),
        ("톰님에게 3000원을 보낼까요?", "톰"),
        ("Pay ¥30 for a coffee?", ""),
        ("Pay a total of ¥30?", ""),
        ("确认付款100元？", ""),
        ("从余额支付100元？", ""),
        ("Pay ¥30 to Corner Shop", ""),
    ],
)
def test_a_question_names_who_is_paid(question: str, payee: str) -> None:
    page = screen(label(question, 40), button("Cancel", 80), button("Confirm", 110), dialog=True)
    risk = judge(tap(page, 3), page)
    assert risk is not None
    assert make_deed(risk, tap(page, 3), page).recipient == payee
    assert payee in risk.sentence


@each("words", ["To", "Empfänger", "收款人", "Người nhận"])
def test_the_payee_stands_beside_or_below_the_word_for_one(words: str) -> None:
    beside = label(words, 40, size=(30, 10)), label("Max Meyer", 40, left=50, size=(40, 10))
    below = label(words, 40, size=(30, 10)), label("Max Meyer", 52, size=(40, 10))
    far = label(words, 40, size=(30, 10)), label("Max Meyer", 90, size=(40, 10))
    means = label(words, 40, size=(30, 10)), label("Visa card 1234", 40, left=50, size=(40, 10))
    names = [find_recipient(Page(screen(*row)), PAY, None) for row in (beside, below, far, means)]
    assert names == ["Max Meyer", "Max Meyer", "", ""]


def _line(words: str, price: str, top: int) -> tuple[Element, Element]:
    return label(words, top, size=(60, 10)), label(price, top, left=70, size=(25, 10))


def test_a_checkout_tells_its_seller_and_where_to() -> None:
    row = element("LinearLayout", 20, size=(WIDTH, 24), clickable=True, name="address")
    place = label("Office", 20, size=(60, 10), parent=1), label("Floor 12", 32, size=(60, 10), parent=1)
    shop = label("Corner Coffee", 50, size=(60, 10), name="shop_name")
    items = *_line("Oat latte ×1", "¥24", 65), *_line("Cake ×1", "¥24", 80), *_line("Total", "¥48", 95)
    note, coupon = field(120, text="no sugar", focused=False), button("Add a coupon", 145)
    page = Page(screen(row, *place, shop, *items, note, coupon, button("Submit order", 170)))
    assert find_seller(page) == "Corner Coffee"
    assert find_destination(page) == ("Office", "Floor 12")
    deed = Deed(kind=PAY, package=APP.package, amount="¥48", text="Submit order")
    told = ("Office", "Floor 12", "Corner Coffee", "Oat latte ×1", "¥24", "Cake ×1", "¥24", "no sugar")
    assert payment_words(page, deed) == told


def test_a_seller_stands_above_what_has_a_price_in_its_line() -> None:
    shop = label("Checkout"), label("Corner Coffee", 50, size=(60, 10), name="shop_name")
    unpriced = label("Tea", 65, size=(60, 10)), label("hot", 65, left=70, size=(25, 10))
    assert find_seller(Page(screen(*shop, *unpriced, *_line("Cake", "¥24", 90)))) != "Corner Coffee"
    below = label("Tea", 65, size=(60, 10)), label("¥24", 90, size=(60, 10))
    assert find_seller(Page(screen(*shop, *below))) == ""
    pressed = (
        label("Checkout"),
        button("Corner Coffee", 50, size=(60, 10), name="shop_name"),
        *_line("Tea", "¥24", 65),
    )
    assert find_seller(Page(screen(*pressed))) == ""


@each("heading", ["Order summary", "Items", "商品清单", "12 March", "Total"])
def test_the_heading_of_a_list_is_no_seller(heading: str) -> None:
    page = Page(screen(label("Checkout"), label(heading, 50, size=(60, 10)), *_line("Tea", "¥24", 65)))
    assert find_seller(page) == ""


def test_the_price_of_one_thing_is_kept_where_it_is_the_sum() -> None:
    page = Page(screen(label("Checkout"), *_line("Tea", "¥24", 65), label("no sugar", 85), label("¥24", 110)))
    deed = Deed(kind=PAY, package=APP.package, amount="¥24", text="Pay")
    assert payment_words(page, deed) == ("Tea", "¥24", "no sugar")


def _car(name: str, price: str, number: int, *, checked: bool) -> tuple[Element, ...]:
    """A row of a choice with its parts; `number` is its place among the elements, from 1."""
    top = 30 + 8 * number
    parts = ((name, 0), ("4 seats", 8), (price, 16))
    return (
        element("LinearLayout", top, size=(WIDTH, 26), clickable=True),
        element("RadioButton", top, 90, size=(8, 8), checkable=True, checked=checked, parent=number),
        *(label(words, top + down, size=(60, 7), parent=number) for words, down in parts),
    )


def test_what_was_not_chosen_is_not_bought() -> None:
    cars = *_car("Economy", "¥10.40", 2, checked=True), *_car("Luxury", "¥26", 7, checked=False)
    extra = element("CheckBox", 150, text="Child seat ¥5", clickable=True, checkable=True)
    page = Page(screen(label("Home → Office"), *cars, extra, button("Request ride", 170)))
    deed = Deed(kind=PAY, package=APP.package, amount="¥10.40", text="Request ride")
    assert payment_words(page, deed) == ("Home → Office", "Economy, 4 seats", "¥10.40")
    assert find_destination(page) == ("Home → Office",)


def test_a_row_of_chips_tells_only_the_chosen_one() -> None:
    chips = [
        element("View", 40, 30 * n, size=(30, 20), text=words, clickable=True, selected=n == 1)
        for n, words in enumerate(("¥10", "¥20 tip", "¥50 tip"))
    ]
    page = Page(screen(label("Tip"), *chips))
    assert payment_words(page, Deed(kind=PAY, package=APP.package, text="Pay")) == ("Tip", "¥20 tip")


@each(
    ("texts", "destination"),
    [
        (("Deliver to Jane", "12 Main St"), ("Deliver to Jane", "12 Main St")),
        (("收货地址：", "菩提路16号"), ("菩提路16号",)),
        (("Lieferadresse", "Hauptstr. 12"), ("Hauptstr. 12",)),
        (("Livrer à Léa", "8 rue Paul"), ("Livrer à Léa", "8 rue Paul")),
        (("Delivery address", "Visa card 1234"), ()),
        (("Change delivery address", "12 Main St"), ()),
        (("Delicious", "12 Main St"), ()),
    ],
)
def test_where_to_is_told_by_the_words_before_it(
    texts: tuple[str, str], destination: tuple[str, ...]
) -> None:
    row = element("LinearLayout", 40, size=(WIDTH, 24), clickable=True)
    inside = [label(words, 40 + 12 * n, size=(60, 10), parent=1) for n, words in enumerate(texts)]
    assert find_destination(Page(screen(row, *inside))) == destination


@each(
    "question",
    [
        "Pay ¥30 to unlock all levels?",
        "Pay $5 to remove ads?",
        "Pay €12 to continue?",
        "Pay $30 for two tickets to Berlin?",
        "确定支付30元给您的订单加急吗",
        "为会员续费支付¥25？",
    ],
)
def test_what_is_paid_for_is_no_payee(question: str) -> None:
    assert find_payee_asked([question]) == ""


def test_a_place_to_travel_to_is_no_payee() -> None:
    joined = label("From Berlin", 20), label("To Rome", 40)
    beside = (
        *(label("From", 20, size=(20, 10)), label("Berlin", 20, left=30, size=(60, 10))),
        *(label("To", 40, size=(20, 10)), label("Rome", 40, left=30, size=(60, 10))),
    )
    assert [find_recipient(Page(screen(*page)), PAY, None) for page in (joined, beside)] == ["", ""]
    transfer = label("From Savings account", 20), label("To Ana", 40)
    assert find_recipient(Page(screen(*transfer)), PAY, None) == "Ana"


def test_a_hint_and_a_heading_of_things_are_no_payee() -> None:
    hint = label("To", 40, size=(20, 10)), label("Enter a coupon", 40, left=30, size=(60, 10))
    assert find_recipient(Page(screen(*hint)), PAY, None) == ""
    heading = label("Checkout"), label("Recommended", 50, size=(60, 10))
    assert find_seller(Page(screen(*heading, *_line("Tea", "¥24", 65)))) == ""
