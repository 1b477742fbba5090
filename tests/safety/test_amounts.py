"""Amounts as pages write them, and what `--yes` allows by its words."""

from __future__ import annotations

from decimal import Decimal

import pytest

from assistant.events import ActionKind, Deed
from assistant.safety.amounts import Allowance, amount_of, find_amount, is_no_larger, parse_allowance
from assistant.safety.page import Page
from tests.safety.screens import button, label, screen
from tests.tables import each

PAY, SEND = ActionKind.PAY, ActionKind.SEND


@each(
    ("written", "number"),
    [
        ("¥19", "19"),
        ("¥1,234.50", "1234.50"),
        ("1.234,50 €", "1234.50"),
        ("12,5 €", "12.5"),
        ("1 234,56 €", "1234.56"),
        ("￥１９．９０", "19.90"),
        ("CHF 1'200", "1200"),
        ("9,999元", "9999"),
        ("Rs. 1,00,000", "100000"),
        ("CHF 1’299.50", "1299.50"),
        ("¥１，２９９", "1299"),
        ("¥1٬299٫50", "1299.50"),
        ("¥1.2万", "12000"),
        ("3만원", "30000"),
        ("$1.5M", "1500000"),
        ("Rp50rb", "50000"),
        ("¥5-99", "99"),
        ("$5 – $1,099", "1099"),
    ],
)
def test_an_amount_is_read_however_it_is_written(written: str, number: str) -> None:
    assert amount_of(written) == Decimal(number)


@each(
    ("words", "amount"),
    [
        ("Pay CHF 1’299.50", "CHF 1’299.50"),
        ("支付¥１，２９９", "¥１，２９９"),
        ("Pay ¥3万", "¥3万"),
        ("3万元 转账", "3万元"),
        ("Pay $5–$1,099", "$5–$1,099"),
        ("Pay ¥129 2 items", "¥129"),
        ("共¥5，3件 提交", "¥5"),
        ("Pay 1 299,00 kr", "1 299,00 kr"),
        ("₹5 km away · Pay", "₹5"),
    ],
)
def test_an_amount_is_found_as_a_whole_and_nothing_beside_it(words: str, amount: str) -> None:
    shown = screen(button(words, 170))
    assert find_amount(Page(shown), shown.elements[1]) == amount


def test_a_price_in_pieces_is_one_amount() -> None:
    """Else the only whole one on the page, such as that of the delivery, would be what is paid."""
    pieces = (
        label("¥", 40, left=30, size=(6, 10)),
        label("1299", 38, left=36, size=(30, 12)),
        label(".00", 40, left=66, size=(10, 10)),
    )
    fee = label("运费 ¥5", 80)
    assert find_amount(Page(screen(label("收银台"), *pieces, fee))) == ""
    total = label("合计", 40, left=2, size=(20, 10))
    assert find_amount(Page(screen(label("收银台"), total, *pieces, fee))) == "¥1299.00"
    apart = (label("$", 40, left=30, size=(6, 10)), label("1299", 120, left=36, size=(30, 12)))
    assert find_amount(Page(screen(label("Settings"), *apart, fee))) == "¥5"


@each("amount", ["CHF 1’299.50", "¥１，２９９", "¥3万", "¥5-99", "$1.5M"])
def test_leave_to_pay_a_little_covers_no_large_amount_however_it_is_written(amount: str) -> None:
    shown = screen(button(f"Pay {amount}", 170))
    deed = Deed(kind=PAY, package="com.eats", amount=find_amount(Page(shown), shown.elements[1]))
    assert not Allowance(PAY, most=Decimal(50)).covers(deed)


def test_the_same_sum_is_no_larger_however_it_is_written() -> None:
    assert is_no_larger("¥19", "¥19.00")
    assert not is_no_larger("¥19.01", "¥19.00")


def test_what_holds_no_number_is_no_amount() -> None:
    assert amount_of("free") is None


def test_yes_is_for_one_deed_unless_it_says_more() -> None:
    assert parse_allowance("pay") == Allowance(PAY, 1)
    assert parse_allowance("pay:2") == Allowance(PAY, 2)
    assert parse_allowance("pay<=50") == Allowance(PAY, 1, Decimal(50))
    assert parse_allowance(" Send : 3 ") == Allowance(SEND, 3)
    assert parse_allowance("pay:2<=12.50") == Allowance(PAY, 2, Decimal("12.50"))


@each("words", ["", "paying", "pay:0", "pay:x", "pay<50", "pay<=", "all", "pay:2:3"])
def test_an_approval_that_is_none_is_refused_in_words(words: str) -> None:
    with pytest.raises(ValueError, match=r"allows nothing|is no approval"):
        parse_allowance(words)
