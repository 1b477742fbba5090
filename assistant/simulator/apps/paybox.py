"""The payment app, and the secure checkout page that other apps open."""

from __future__ import annotations

from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.ui.nodes import Align, Node


class Card(Entry):
    """A bank card; `digits` are its last four."""

    name: Text
    digits: str


class Past(Entry):
    """A transaction from before; `days` ago. Money that came in is negative."""

    payee: Text
    amount: float
    days: int


class PayBoxData(AppData):
    """The purse. `code` is the payment password, asked for only when `ask_password` is set in the state."""

    balance: float
    code: str
    cards: tuple[Card, ...]
    people: tuple[Text, ...]
    history: tuple[Past, ...]


class PayBoxApp(BaseApp[PayBoxData]):
    """Balance, cards, transfers, bills, and payments for other apps.

    State: {"balance": yuan, "ask_password": bool, "transactions": [{"payee", "amount", "method", "time",
    "reference", "text"}]}; `method` is `Balance` or a card's canonical name, `reference` names the order or
    is empty, the newest comes first.
    Page `checkout` takes {"amount", "payee": {"en", "zh"}, "return_to": package, "reference"}.
    """

    secure_pages = frozenset({"checkout", "password"})

    def seed(self) -> dict[str, Any]:
        """The balance, and the transactions so far."""
        return {"balance": self.data.balance, "ask_password": False, "transactions": []}

    def page_home(self, page: Page) -> Node:
        """The balance and where to go."""
        actions = [
            ("Transfer", "转账", "send", "transfer"),
            ("Cards", "银行卡", "card", "cards"),
            ("Bills", "账单", "list", "transactions"),
            ("Receive", "收款", "qr", "receive"),
        ]
        cells = [
            widgets.column(
                widgets.pictogram(icon, color=self.color),
                widgets.text(self.say(english, chinese), size=13, align=Align.CENTER, lines=1),
                name="action",
                padding=8,
                on_tap=self.go(name),
                align=Align.CENTER,
            )
            for english, chinese, icon, name in actions
        ]
        settings = self.icon_button("settings", "Settings", "设置", self.go("options"))
        return widgets.screen(
            self.bar(self.label(self.host.locale), settings, back=False),
            widgets.card(
                widgets.text(self.say("Balance", "余额"), color=widgets.FAINT),
                widgets.text(widgets.money(self.state["balance"]), name="balance", size=32, bold=True),
            ),
            widgets.tiles(cells),
            widgets.section(self.say("Recent", "最近交易")),
            self.listing(page, *self._transactions()[:8]),
        )

    def _transactions(self) -> list[Node]:
        past = [
            widgets.list_row(
                self.words(payment.payee),
                self.say(f"{payment.days} days ago", f"{payment.days} 天前"),
                trailing=_signed(payment.amount),
            )
            for payment in self.data.history
        ]
        own = [
            widgets.list_row(
                payment["text"],
                payment["time"],
                trailing=_signed(payment["amount"]),
                on_tap=self.go("transaction", index=index),
                name="transaction",
            )
            for index, payment in enumerate(self.state["transactions"])
        ]
        return own + past

    def page_transactions(self, page: Page) -> Node:
        """All that was paid and received."""
        return widgets.screen(self.bar(self.say("Bills", "账单")), self.listing(page, *self._transactions()))

    def page_transaction(self, page: Page) -> Node:
        """One payment."""
        transaction = self.state["transactions"][page.arguments["index"]]
        return widgets.screen(
            self.bar(self.say("Bill", "账单详情")),
            widgets.detail_line(transaction["text"], _signed(transaction["amount"]), bold=True),
            widgets.detail_line(self.say("Paid with", "付款方式"), self._method_text(transaction["method"])),
            widgets.detail_line(self.say("Time", "时间"), transaction["time"]),
        )

    def page_cards(self, page: Page) -> Node:
        """The bank cards."""
        entries = [
            widgets.list_row(self.words(card.name), f"•••• {card.digits}", leading=widgets.pictogram("card"))
            for card in self.data.cards
        ]
        return widgets.screen(self.bar(self.say("Cards", "银行卡")), self.listing(page, *entries))

    def page_receive(self, page: Page) -> Node:
        """The code that others scan."""
        return widgets.screen(
            self.bar(self.say("Receive", "收款")),
            widgets.picture("qr code", height=300),
            widgets.paragraph(self.say("Let the payer scan this code.", "请付款方扫描二维码。")),
        )

    def page_options(self, page: Page) -> Node:
        """Whether a payment needs the password."""

        def toggle() -> None:
            self.state["ask_password"] = not self.state["ask_password"]

        return widgets.screen(
            self.bar(self.say("Settings", "设置")),
            widgets.switch_row(
                self.say("Ask for password", "支付时输入密码"), self.state["ask_password"], toggle
            ),
        )

    def page_transfer(self, page: Page) -> Node:
        """Whom to send money to."""
        entries = [
            widgets.list_row(
                self.words(person),
                leading=widgets.pictogram("person"),
                on_tap=self.go("amount", payee=person.model_dump()),
                name="payee",
            )
            for person in self.data.people
        ]
        return widgets.screen(self.bar(self.say("Transfer to", "转账给")), self.listing(page, *entries))

    def page_amount(self, page: Page) -> Node:
        """How much to send."""
        payee = Text.model_validate(page.arguments["payee"])

        def proceed() -> None:
            try:
                amount = round(float(self.typed(page, "amount").lstrip("¥")), 2)
            except ValueError:
                amount = 0
            if not 0 < amount < 1e6:
                self.host.toast(self.say("Enter an amount", "请输入金额"))
                return
            self.host.open(
                Page(
                    "checkout",
                    {"amount": amount, "payee": payee.model_dump(), "return_to": "", "reference": ""},
                )
            )

        amount = self.field(
            page, "amount", self.say("Amount in yuan", "转账金额"), numeric=True, on_submit=proceed
        )
        return widgets.screen(
            self.bar(self.words(payee)),
            widgets.column(widgets.edit(amount, name="amount"), padding=12),
            widgets.filler(),
            widgets.bottom_bar(self.button("Continue", "继续", proceed, name="continue", weight=1)),
        )

    def page_checkout(self, page: Page) -> Node:
        """The secure page: amount, payee, method, and the button that pays."""
        amount, payee = page.arguments["amount"], Text.model_validate(page.arguments["payee"])
        method = page.local.setdefault("method", "Balance" if amount <= self.state["balance"] else "")
        method = method or self.data.cards[0].name.en

        def choose(key: str) -> None:
            page.local["method"] = key

        names = [("Balance", self.say("Balance", "余额") + f" {widgets.money(self.state['balance'])}")]
        names += [(card.name.en, f"{self.words(card.name)} ({card.digits})") for card in self.data.cards]
        entries = [
            widgets.check_row(shown, key == method, partial(choose, key), single=True) for key, shown in names
        ]

        def proceed() -> None:
            if method == "Balance" and amount > self.state["balance"]:
                self.host.toast(self.say("The balance is too low", "余额不足"))
            elif self.state["ask_password"]:
                self.host.open(Page("password", {**page.arguments, "method": method}))
            else:
                self._pay(page.arguments, method)

        close = self.icon_button(
            "close", "Close", "关闭", partial(self._leave, page.arguments["return_to"]), name="close"
        )
        return widgets.screen(
            widgets.app_bar(self.say("Confirm payment", "收银台"), back=close),
            widgets.text(self.words(payee), name="payee", align=Align.CENTER),
            widgets.text(widgets.money(amount), name="amount", size=36, bold=True, align=Align.CENTER),
            widgets.section(self.say("Pay with", "付款方式")),
            self.listing(page, *entries),
            widgets.bottom_bar(self.button("Pay now", "确认付款", proceed, name="pay", weight=1)),
        )

    def _leave(self, package: str, page: Page | None = None) -> None:
        """Forget the payment's page, and go back to who asked for it."""
        self.host.back_to("home")
        self.host.replace(self.first_page())
        if package:
            self.host.start_app(package, page)

    def page_password(self, page: Page) -> Node:
        """Six digits on a pad of the app's own."""
        typed: str = page.local.setdefault("typed", "")

        def press(key: str) -> None:
            now = typed[:-1] if key == "⌫" else typed + key
            page.local["typed"] = now
            if len(now) < len(self.data.code):
                return
            page.local["typed"] = ""
            if now == self.data.code:
                self.host.back()
                self._pay(page.arguments, page.arguments["method"])
            else:
                self.host.toast(self.say("Wrong password", "密码错误"))

        keys = [
            widgets.flat_button(key, partial(press, key), name=f"key_{key}")
            for key in ("1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "⌫")
        ]
        return widgets.screen(
            self.bar(self.say("Payment password", "支付密码")),
            widgets.text("● " * len(typed), name="dots", size=28, align=Align.CENTER),
            widgets.filler(),
            widgets.tiles(keys, columns=3, name="keypad"),
        )

    def _pay(self, order: dict[str, Any], method: str) -> None:
        merchant = self.host.app(order["return_to"]) if order["return_to"] else None
        if isinstance(merchant, BaseApp) and not merchant.expects(order["reference"]):
            self.host.toast(self.say("This order is no longer open", "订单已失效"))
            self._leave(order["return_to"])
            return
        payee = Text.model_validate(order["payee"])
        if method == "Balance":
            self.state["balance"] = round(self.state["balance"] - order["amount"], 2)
        self.state["transactions"].insert(
            0,
            {
                "payee": payee.en,
                "amount": order["amount"],
                "method": method,
                "time": self.stamp(),
                "reference": order["reference"],
                "text": self.words(payee),
            },
        )
        following: dict[str, Any] | None = None
        if isinstance(merchant, BaseApp):
            shown = merchant.paid(order["reference"])
            following = {"name": shown.name, "arguments": shown.arguments}
        self.host.replace(Page("receipt", {**order, "following": following}))

    def page_receipt(self, page: Page) -> Node:
        """Paid; the way back to whoever asked for the money."""
        order = page.arguments

        def done() -> None:
            following = order["following"]
            self._leave(order["return_to"], Page(**following) if following else None)

        return widgets.screen(
            self.bar(self.say("Payment successful", "付款成功"), back=False),
            widgets.text(
                widgets.money(order["amount"]), name="amount", size=36, bold=True, align=Align.CENTER
            ),
            widgets.text(Text.model_validate(order["payee"]).of(self.host.locale), align=Align.CENTER),
            widgets.filler(),
            widgets.bottom_bar(self.button("Done", "完成", done, name="done", weight=1)),
        )

    def _method_text(self, method: str) -> str:
        card_names = {card.name.en: self.words(card.name) for card in self.data.cards}
        return card_names.get(method, self.say("Balance", "余额"))


def _signed(amount: float) -> str:
    return f"-{widgets.money(amount)}" if amount >= 0 else f"+{widgets.money(-amount)}"
