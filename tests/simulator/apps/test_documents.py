from __future__ import annotations

import pytest

from assistant.simulator.apps.base import Difficulties
from tests.simulator.apps.fake import FakePhone, walk

NOTES, BROWSER, SHOP = "com.example.notes", "com.example.browser", "com.example.shop"


@pytest.mark.parametrize(("locale", "title"), [("en", "Bike lock"), ("zh", "车锁密码")])
def test_a_note_is_written(locale: str, title: str) -> None:
    phone = FakePhone("zh" if locale == "zh" else "en")
    phone.start_app(NOTES)
    phone.tap(name="fab")
    phone.type(title, name="note_title")
    phone.type("4711", name="note_text")
    phone.tap(name="save")
    note = phone.state(NOTES)["notes"][-1]
    assert (note["title"], note["text"], note["key"]) == (title, "4711", "")
    assert phone.sees(title)


def test_a_note_is_found_changed_pinned_and_deleted() -> None:
    phone = FakePhone()
    phone.start_app(NOTES)
    phone.tap(name="search_bar")
    phone.type("inspection")
    phone.tap(name="note_item")
    phone.tap(name="pin")
    phone.type(" Oil too.", name="note_text")
    phone.tap(name="save")
    [car] = [one for one in phone.state(NOTES)["notes"] if one["key"] == "Car"]
    assert car["pinned"]
    assert car["text"].endswith("Oil too.")
    phone.tap(name="note_item")
    phone.tap(name="delete")
    phone.tap("Delete")
    assert [one["key"] for one in phone.state(NOTES)["trash"]] == ["Car"]


def test_an_empty_note_is_not_kept() -> None:
    phone = FakePhone()
    phone.start_app(NOTES)
    phone.tap(name="fab")
    phone.tap(name="save")
    assert phone.toasts == ["The note is empty"]


@pytest.mark.parametrize(
    ("query", "title"), [("grey heron", "Grey heron"), ("苍鹭", "苍鹭")], ids=["en", "zh"]
)
def test_the_web_is_searched_and_read(query: str, title: str) -> None:
    phone = FakePhone("en" if query.isascii() else "zh", Difficulties())
    phone.start_app(BROWSER)
    phone.type(query)
    phone.tap(name="go")
    phone.settle()
    results = [node for node, _ in walk(phone.tree()) if node.id == "result_item"]
    assert "bargain.example" in results[0].children[0].children[1].text
    phone.tap(title)
    phone.settle()
    assert phone.sees("98")
    phone.tap(name="reject")
    phone.tap(name="bookmark")
    state = phone.state(BROWSER)
    assert state["searches"] == [query]
    assert state["visited"] == state["bookmarks"] == ["wiki.example"]
    assert state["cookies"] == {"Open Shelf": "rejected"}
    assert not any(node.id == "cookie_banner" for node, _ in walk(phone.tree()))


def test_an_address_is_typed() -> None:
    phone = FakePhone()
    phone.start_app(BROWSER)
    phone.type("https://city.example/waste")
    phone.enter()
    assert phone.sees("Kitchen waste")
    phone.tap(name="home")
    phone.field_clear()
    phone.type("nowhere.invalid")
    phone.enter()
    assert phone.sees("cannot be reached")


def test_goods_are_bought_at_once_in_chinese() -> None:
    phone = FakePhone("zh")
    phone.start_app(SHOP)
    phone.tap("数码")
    phone.tap("无线耳机")
    phone.tap("白色")
    phone.tap("礼品包装")
    phone.tap("立即购买")
    phone.tap("提交订单")
    phone.tap("确认付款")
    phone.tap("完成")
    [order] = phone.state(SHOP)["orders"]
    assert (order["shop"], order["total"]) == ("Wire and Wave", 205)
    assert order["items"][0]["options"] == ["White", "Gift wrap"]


def test_goods_of_two_shops_make_one_order() -> None:
    phone = FakePhone(difficulties=Difficulties())
    phone.start_app(SHOP)
    phone.tap(name="iv_close")
    for name in ("Umbrella", "Jeans"):
        phone.tap(name="search_bar")
        phone.type(name)
        phone.enter()
        phone.settle()
        phone.tap(name)
        phone.tap("Add to cart")
        phone.tap(name="back")
        phone.tap(name="back")
    phone.tap("Cart")
    phone.tap("Check out")
    phone.tap("Submit order")
    phone.tap("Pay now")
    phone.tap("Done")
    assert phone.dialogs[-1].title == "Enjoying the app?"
    phone.tap("Not now")
    [order] = phone.state(SHOP)["orders"]
    assert (order["shop"], order["total"]) == ("Market", 214)
