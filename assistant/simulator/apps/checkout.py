"""From the cart to the payment: the second half of the ordering apps."""

from __future__ import annotations

from copy import deepcopy
from functools import partial

from assistant.simulator.apps import widgets
from assistant.simulator.apps.host import Dialog, Page
from assistant.simulator.apps.orders import Line, OrderPages
from assistant.simulator.ui.nodes import Node


class CheckoutPages(OrderPages):
    """Cart, checkout, addresses. `OrderingApp` tells the state."""

    def add_to_cart(self, line: Line) -> None:
        """Put a line into the cart; food comes from one shop at a time."""
        cart: list[Line] = self.state["cart"]
        others = [other_line for other_line in cart if other_line["shop"] != line["shop"]]
        if others and self.data.results == "shops":
            self.host.show(
                Dialog(
                    self.say("Start a new cart?", "清空购物车？"),
                    self.say("The cart holds food from another shop.", "购物车里有其他店铺的商品。"),
                    [
                        (self.say("Keep cart", "保留"), lambda: None),
                        (self.say("Start new", "清空并添加"), lambda: self._start_cart(line)),
                    ],
                )
            )
            return
        same = [
            other_line
            for other_line in cart
            if (other_line["name"], other_line["options"]) == (line["name"], line["options"])
        ]
        if same:
            same[0]["quantity"] += line["quantity"]
        else:
            cart.append(line)
        self.host.toast(self.say("Added to cart", "已加入购物车"))
        self.host.back()

    def _start_cart(self, line: Line) -> None:
        self.state["cart"] = []
        self.add_to_cart(line)

    def check_out(self, lines: list[Line]) -> None:
        """Open the checkout for some lines."""
        self.host.open(Page("checkout", {"lines": deepcopy(lines)}))

    def cart_bar(self) -> Node:
        """The cart's total with the way to the checkout, at the bottom of a shop."""
        cart: list[Line] = self.state["cart"]
        total = widgets.text(widgets.money(_total(cart)), name="cart_total", size=18, bold=True, weight=1)
        count = sum(line["quantity"] for line in cart)
        return widgets.bottom_bar(
            self.icon_button("cart", "Cart", "购物车", self.go("cart"), name="cart_icon"),
            widgets.text(str(count), name="cart_count", lines=1),
            total,
            self.button(
                "Check out",
                "去结算",
                lambda: self.check_out(self.state["cart"]),
                name="checkout",
                enabled=bool(cart),
            ),
        )

    def page_cart(self, page: Page) -> Node:
        """The cart's lines, each with a stepper."""
        cart: list[Line] = self.state["cart"]
        if cart:
            body = self.listing(page, *[self._cart_row(line) for line in cart])
        else:
            body = widgets.empty(self.say("Your cart is empty", "购物车是空的"))
        return widgets.screen(self.bar(self.say("Cart", "购物车")), body, self.cart_bar())

    def _cart_row(self, line: Line) -> Node:
        def change(by: int) -> None:
            line["quantity"] += by
            if line["quantity"] <= 0:
                self.state["cart"].remove(line)

        options = ", ".join(line["options_text"])
        return widgets.list_row(
            line["text"],
            f"{widgets.money(line['price'])}  {options}",
            leading=widgets.picture(line["name"], width=48, height=48),
            action=widgets.stepper(line["quantity"], change, color=self.color),
            name="cart_item",
        )

    def page_checkout(self, page: Page) -> Node:
        """Address, lines, a note and the total. The open keyboard covers the button."""
        lines: list[Line] = page.arguments["lines"]
        if not lines:
            return widgets.screen(
                self.bar(self.say("Checkout", "确认订单")),
                widgets.empty(self.say("Nothing to order", "没有可下单的商品")),
            )
        fee = self._fee(lines)
        total = _total(lines) + fee
        note = self.field(page, "note", self.say("Note to the seller", "备注：口味、偏好等"))
        address = self._address()
        return widgets.screen(
            self.bar(self.say("Checkout", "确认订单")),
            self.listing(
                page,
                widgets.list_row(
                    address["text"],
                    address["where"],
                    leading=widgets.pictogram("location"),
                    trailing="›",
                    on_tap=self.go("addresses"),
                    name="address",
                ),
                widgets.section(self.payee(lines).of(self.host.locale)),
                *[
                    widgets.detail_line(
                        f"{line['text']} ×{line['quantity']} {', '.join(line['options_text'])}",
                        widgets.money(line["price"] * line["quantity"]),
                    )
                    for line in lines
                ],
                widgets.detail_line(self.say("Delivery fee", "配送费"), widgets.money(fee)),
                widgets.detail_line(self.say("Total", "合计"), widgets.money(total), bold=True, name="total"),
                widgets.column(widgets.edit(note, name="note"), padding=12),
            ),
            widgets.bottom_bar(
                widgets.text(widgets.money(total), name="pay_total", size=20, bold=True, weight=1),
                self.button("Submit order", "提交订单", lambda: self._submit(page, total), name="submit"),
            ),
        )

    def _submit(self, page: Page, total: float) -> None:
        lines: list[Line] = deepcopy(page.arguments["lines"])
        number = f"{self.package.rsplit('.', 1)[-1]}-{len(self.state['orders']) + 1}"
        self.state["checkout"] = {
            "id": number,
            "shop": self.payee(lines).en,
            "items": lines,
            "total": round(total, 2),
            "address": self.state["address"],
            "note": self.typed(page, "note"),
            "status": "placed",
        }
        self.pay(total, self.payee(lines), number)

    def paid(self, reference: str) -> Page:
        """Turn the checkout into an order and clear its lines from the cart."""
        order = self.state.pop("checkout")
        self.state["orders"].append(order)
        self.state["cart"] = [line for line in self.state["cart"] if line not in order["items"]]
        return Page("placed", {"id": reference})

    def _fee(self, lines: list[Line]) -> float:
        return sum(self.data.shop(name).fee for name in {line["shop"] for line in lines})

    def _address(self) -> dict[str, str]:
        addresses: list[dict[str, str]] = self.state["addresses"]
        return next(candidate for candidate in addresses if candidate["name"] == self.state["address"])

    def page_addresses(self, page: Page) -> Node:
        """Choose where to deliver, or add an address."""

        def choose(name: str) -> None:
            self.state["address"] = name
            self.host.back()

        def add() -> None:
            where = self.typed(page, "where")
            if where:
                self.state["addresses"].append({"name": where, "where": where, "text": where})
                choose(where)

        entries = [
            widgets.check_row(
                address["text"],
                address["name"] == self.state["address"],
                partial(choose, address["name"]),
                subtitle=address["where"],
                single=True,
            )
            for address in self.state["addresses"]
        ]
        where = self.field(page, "where", self.say("New address", "新地址"), on_submit=add)
        return widgets.screen(
            self.bar(self.say("Delivery address", "收货地址")),
            self.listing(page, *entries, widgets.column(widgets.edit(where, name="new_address"), padding=12)),
            widgets.bottom_bar(self.button("Add address", "添加地址", add, name="add_address", weight=1)),
        )

    def open_placed(self, page: Page) -> None:
        """A happy customer is asked for stars."""
        self.ask_rating()

    def page_placed(self, page: Page) -> Node:
        """The order is placed."""
        order = self.order(page)
        return widgets.screen(
            self.bar(self.say("Order placed", "下单成功"), back=False),
            widgets.paragraph(
                self.say("Your order is placed.", "订单已提交，商家正在备货。"), name="message"
            ),
            widgets.detail_line(self.say("Paid", "已支付"), widgets.money(order["total"])),
            widgets.filler(),
            widgets.bottom_bar(
                widgets.flat_button(
                    self.say("View order", "查看订单"),
                    lambda: self.host.replace(Page("order", {"id": order["id"]})),
                    name="view_order",
                    weight=1,
                ),
                self.button("Done", "完成", lambda: self.host.back_to("home"), name="done", weight=1),
            ),
        )


def _total(lines: list[Line]) -> float:
    total: float = sum(line["price"] * line["quantity"] for line in lines)
    return round(total, 2)
