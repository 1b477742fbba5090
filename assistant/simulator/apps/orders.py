"""What was ordered, and the user's own corner: the last part of the ordering apps."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.goods import OrderingData
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import Text
from assistant.simulator.apps.searching import SearchPages
from assistant.simulator.ui.nodes import Node

Line = dict[str, Any]


class OrderPages(SearchPages[OrderingData]):
    """Orders and favourites. `OrderingApp` tells the state."""

    def seed(self) -> dict[str, Any]:
        """An empty cart and the addresses of the data."""
        addresses = [
            {"name": address.name.en, "where": self.words(address.where), "text": self.words(address.name)}
            for address in self.data.addresses
        ]
        return {
            "cart": [],
            "orders": [],
            "address": self.data.addresses[0].name.en,
            "addresses": addresses,
            "searches": [],
            "favourites": [],
        }

    def main_tabs(self, current: str) -> Node:
        """The bar that leads to the main pages."""
        return self.tabs(
            current,
            [
                ("home", "Home", "首页", "home"),
                ("cart", "Cart", "购物车", "cart"),
                ("orders", "Orders", "订单", "list"),
                ("me", "Me", "我的", "person"),
            ],
        )

    def payee(self, lines: list[Line]) -> Text:
        """Who sells some lines: their shop, or the app itself for several."""
        shops = {line["shop"] for line in lines}
        return self.data.shop(shops.pop()).name if len(shops) == 1 else self.data.label

    def order(self, page: Page) -> dict[str, Any]:
        """The order that a page is about."""
        orders: list[dict[str, Any]] = self.state["orders"]
        return next(order for order in orders if order["id"] == page.arguments["id"])

    def _status(self, order: dict[str, Any]) -> str:
        return (
            self.say("Placed", "已下单") if order["status"] == "placed" else self.say("Cancelled", "已取消")
        )

    def _shop_text(self, order: dict[str, Any]) -> str:
        return self.payee(order["items"]).of(self.host.locale)

    def page_orders(self, page: Page) -> Node:
        """All orders, the latest first."""
        entries = [
            widgets.list_row(
                self._shop_text(order),
                ", ".join(line["text"] for line in order["items"]),
                trailing=f"{widgets.money(order['total'])} {self._status(order)}",
                on_tap=self.go("order", id=order["id"]),
                name="order_item",
            )
            for order in reversed(self.state["orders"])
        ]
        body = (
            self.listing(page, *entries)
            if entries
            else widgets.empty(self.say("No orders yet", "还没有订单"))
        )
        return widgets.screen(
            self.bar(self.say("Orders", "订单"), back=False), body, self.main_tabs("orders")
        )

    def page_order(self, page: Page) -> Node:
        """One order: its lines, and what can still be done about it."""
        order = self.order(page)

        def again() -> None:
            self.state["cart"] = deepcopy(order["items"])
            self.host.open(Page("cart"))

        def cancel() -> None:
            order["status"] = "cancelled"

        def ask() -> None:
            self.confirm(
                self.say("Cancel order?", "取消订单？"),
                self.say("The money goes back to PayBox.", "款项将退回付款宝。"),
                (self.say("Cancel order", "确定取消"), cancel),
            )

        lines = [
            widgets.detail_line(
                f"{line['text']} ×{line['quantity']} {', '.join(line['options_text'])}",
                widgets.money(line["price"] * line["quantity"]),
            )
            for line in order["items"]
        ]
        buttons = [self.button("Order again", "再来一单", again, name="order_again", weight=1)]
        if order["status"] == "placed":
            buttons.insert(
                0,
                widgets.flat_button(self.say("Cancel order", "取消订单"), ask, name="cancel_order", weight=1),
            )
        return widgets.screen(
            self.bar(self.say("Order", "订单详情")),
            self.listing(
                page,
                widgets.list_row(self._shop_text(order), self._status(order)),
                *lines,
                widgets.detail_line(self.say("Total", "合计"), widgets.money(order["total"]), bold=True),
                widgets.detail_line(self.say("Note", "备注"), order["note"] or "-"),
            ),
            widgets.bottom_bar(*buttons),
        )

    def page_me(self, page: Page) -> Node:
        """The user's own corner: addresses, favourites."""
        favourites = [widgets.list_row(name, name="favourite_item") for name in self.state["favourites"]]
        return widgets.screen(
            self.bar(self.say("Me", "我的"), back=False),
            self.listing(
                page,
                widgets.list_row(
                    self.say("Delivery address", "收货地址"), trailing="›", on_tap=self.go("addresses")
                ),
                widgets.section(self.say("Favourites", "收藏")),
                *favourites,
            ),
            self.main_tabs("me"),
        )
