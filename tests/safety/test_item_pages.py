"""Pages of things to buy in well-known shops, drawn from memory, and which of their controls are asked about.

“Buy” beside what fills a cart opens the order, whose own button is asked about; anywhere else, and on a page
that shows how it would be paid at once or where it would be sent, it may be the order.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from assistant.bench.guard_pages import page_xml
from assistant.phone.ui_tree import observe_tree
from assistant.records import Observation
from assistant.safety.classifier import judge
from tests.safety.screens import button, label, screen, tap
from tests.tables import each

PAGES = yaml.safe_load(Path(__file__).with_name("item_pages.yaml").read_text(encoding="utf-8"))


def asked_about(package: str, rows: list[str]) -> tuple[list[str], list[str]]:
    """The labels of the controls of a page that are asked about, and of those that should be."""
    xml, labels = page_xml({"package": package, "rows": rows})
    seen = observe_tree(xml, package)
    controls = [e for e in seen.elements if e.clickable and not e.editable]
    asked = [seen.label_of(e) for e in controls if judge(tap(seen, e.index), seen)]
    return asked, [seen.label_of(e) for e in controls if labels[e.index]]


@each("shop", list(PAGES["opens"]))
def test_buying_beside_a_cart_opens_an_order(shop: str) -> None:
    assert asked_about("com.example.shop", PAGES["opens"][shop]) == ([], [])


@each("shop", list(PAGES["may_pay"]))
def test_what_may_pay_at_once_is_asked_about(shop: str) -> None:
    asked, paying = asked_about("com.example.shop", PAGES["may_pay"][shop])
    assert asked == paying


def sheet(left: int = 5, width: int = 40, *, dialog: bool = False) -> Observation:
    cart = button("Add to cart", 120, left=left, size=(width, 16))
    bar = cart, button("Buy now", 120, left=50, size=(40, 16))
    return screen(label("Desk lamp", 40), label("$39.00", 62), *bar, dialog=dialog)


@each(
    ("seen", "asks"),
    [
        (sheet(), False),
        (sheet(dialog=True), True),
        (sheet(left=-50), True),
        (sheet(left=120), True),
        (sheet(width=0), True),
    ],
)
def test_a_cart_in_sight_counts_outside_of_dialogs(seen: Observation, asks: bool) -> None:
    assert (judge(tap(seen, 4), seen) is not None) is asks


@each("package", ["com.android.vending", "com.huawei.appmarket", "com.android.systemui"])
def test_a_store_of_apps_and_a_notification_may_sell_with_one_tap(package: str) -> None:
    rows = ["T Desk Lamp Simulator", "T $3.99", "B Add to cart ; B Buy now !pay"]
    asked, paying = asked_about(package, rows)
    assert asked == paying
