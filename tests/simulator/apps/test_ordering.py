from __future__ import annotations

import pytest

from assistant.simulator.apps.base import Difficulties
from tests.simulator.apps.fake import FakePhone, walk

EATS = "com.example.eats"


def order_noodles(phone: FakePhone, words: dict[str, str]) -> None:
    phone.start_app(EATS)
    phone.tap(name="search_bar")
    phone.type(words["query"])
    phone.tap(name="search_button")
    phone.tap(words["shop"])
    phone.tap(words["dish"])
    phone.tap(words["wish"])
    phone.tap(words["large"])
    phone.tap(name="increase")
    phone.tap(words["add"])
    phone.tap(words["check out"])
    phone.tap(name="address")
    phone.tap(words["office"])
    phone.type(words["note"], name="note")
    phone.tap(words["submit"])
    phone.tap(words["pay"])
    phone.tap(words["done"])
    phone.tap(words["done"])


ENGLISH = {
    "query": "beef noodles",
    "shop": "Old Street Noodles",
    "dish": "Beef noodles",
    "wish": "No coriander",
    "large": "Large +¥4",
    "add": "Add to cart",
    "check out": "Check out",
    "office": "Office",
    "note": "please hurry",
    "submit": "Submit order",
    "pay": "Pay now",
    "done": "Done",
}
CHINESE = {
    "query": "牛肉面",
    "shop": "老街面馆",
    "dish": "牛肉面",
    "wish": "不要香菜",
    "large": "大份 +¥4",
    "add": "加入购物车",
    "check out": "去结算",
    "office": "公司",
    "note": "请快一点",
    "submit": "提交订单",
    "pay": "确认付款",
    "done": "完成",
}


@pytest.mark.parametrize("words", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_food_is_ordered_and_paid(words: dict[str, str]) -> None:
    phone = FakePhone("en" if words is ENGLISH else "zh")
    order_noodles(phone, words)
    state = phone.state(EATS)
    assert state["cart"] == []
    [order] = state["orders"]
    assert (order["shop"], order["total"], order["address"]) == ("Old Street Noodles", 63, "Office")
    assert (order["status"], order["note"]) == ("placed", words["note"])
    [line] = order["items"]
    assert (line["name"], line["quantity"]) == ("Beef noodles", 2)
    assert line["options"] == ["Large", "Mild", "No coriander"]
    assert line["text"] == words["dish"]
    paid = phone.state("com.example.paybox")["transactions"][0]
    assert (paid["payee"], paid["amount"], paid["reference"]) == ("Old Street Noodles", 63, order["id"])
    assert phone.page.name == "home"


def test_an_order_can_be_cancelled_and_repeated() -> None:
    phone = FakePhone()
    order_noodles(phone, ENGLISH)
    phone.tap("Orders")
    phone.tap(name="order_item")
    phone.tap("Cancel order")
    phone.tap("Cancel order")
    assert phone.state(EATS)["orders"][0]["status"] == "cancelled"
    phone.tap("Order again")
    assert phone.state(EATS)["cart"][0]["name"] == "Beef noodles"
    phone.tap(name="decrease")
    phone.tap(name="decrease")
    assert phone.sees("Your cart is empty")


def test_food_comes_from_one_shop_at_a_time() -> None:
    phone = FakePhone()
    phone.start_app(EATS)
    phone.tap("Moon Bay Dumplings")
    phone.tap("Fried dumplings")
    phone.tap("Add to cart")
    phone.tap(name="back")
    phone.tap("Corner Coffee")
    phone.tap("Latte")
    phone.tap("Add to cart")
    assert phone.dialogs[-1].title == "Start a new cart?"
    phone.tap("Start new")
    assert [line["name"] for line in phone.state(EATS)["cart"]] == ["Latte"]


def test_sold_out_food_cannot_be_ordered() -> None:
    phone = FakePhone()
    phone.start_app(EATS)
    phone.tap("Old Street Noodles")
    phone.tap("Pork rib noodles")
    with pytest.raises(AssertionError, match="not clickable"):
        phone.tap(name="button")
    assert phone.sees("Sold out")


def test_difficulties_stand_in_the_way() -> None:
    phone = FakePhone(difficulties=Difficulties())
    phone.start_app(EATS)
    assert phone.page.name == "advertisement"
    cross = next(node for node, _ in walk(phone.tree()) if node.id == "iv_close")
    assert (cross.text, cross.description) == ("", "")
    phone.tap(name="iv_close")
    phone.tap(name="search_bar")
    phone.type("noodles")
    phone.tap(name="search_button")
    assert phone.moving()
    assert not phone.sees("Golden Wok Express")
    phone.settle()
    assert not phone.moving()
    names = [node.text for node, up in walk(phone.tree()) if node.id == "title" and up[-2].id == "shop_item"]
    assert names[0] == "Golden Wok Express"
    phone.tap("Old Street Noodles")
    assert not phone.sees("Braised beef noodles")
    phone.settle()
    assert phone.sees("Braised beef noodles")


def test_the_checkout_keeps_its_cart_until_it_is_paid() -> None:
    phone = FakePhone()
    phone.start_app(EATS)
    phone.tap("Corner Coffee")
    phone.tap("Latte")
    phone.tap("Add to cart")
    phone.tap("Check out")
    phone.tap("Submit order")
    assert phone.running == "com.example.paybox"
    assert phone.app(phone.running).secure(phone.page)
    phone.tap(name="close")
    assert phone.running == EATS
    assert phone.state(EATS)["orders"] == []
    phone.tap("Submit order")
    phone.tap("Pay now")
    phone.tap("Done")
    assert [order["total"] for order in phone.state(EATS)["orders"]] == [25]
