"""PayBox: paying for other apps, and sending money."""

from __future__ import annotations

import re

from assistant.simulator.model.rules import (
    Rule,
    Task,
    back,
    both,
    finish,
    give_up,
    look_for,
    page,
    sees,
    tap,
    when,
    write,
)
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View

APP = ("PayBox", "付款宝")
PAYBOX = "com.example.paybox"


def is_button(item: Item) -> bool:
    """Whether an element is a button that can be pressed."""
    return item.kind == "button" and item.tappable


pay: tuple[Rule, ...] = (
    tap("Pay now", "确认付款", least=4, where=is_button),
    when(page("Payment successful", "付款成功"), tap("Done", "完成", least=4)),
)
"""From the payment page back to the app that asked for the money."""


def _amount_fits(view: View) -> bool:
    amount = float(view.slots["amount"])
    shown = [re.fullmatch(r"¥([\d.]+)", item.label) for item in view.screen.items]
    return any(match and float(match[1]) == amount for match in shown)


def _tell_balance(view: View) -> Step | None:
    label = view.screen.find("Balance", "余额", least=4)
    amounts = [
        item
        for item in view.screen.items
        if label and item.place > label.place and item.label.startswith("¥")
    ]
    return view.finish(view.say("Balance: ", "余额：") + amounts[0].label) if amounts else None


transfer = Task(
    name="send money",
    app=APP,
    package=PAYBOX,
    patterns=(
        r"(?:transfer|send|pay) (?:¥|cny )?(?P<amount>[\d.]+)(?: ?(?:yuan|rmb|cny))? to (?P<who>.+?)(?: "
        r"(?:with|on|in|via|using) paybox)?",
        r"(?:transfer|send|pay) (?P<who>[\w ]+?) (?:¥|cny )?(?P<amount>[\d.]+)(?: ?(?:yuan|rmb|cny))?(?: "
        r"(?:with|on|in|via|using) paybox)?",
        r"(?:用付款宝)?(?:给|向)(?P<who>.+?)转(?:账)?(?P<amount>[\d.]+)(?:元|块钱?)?",
        r"(?:用付款宝)?转(?P<amount>[\d.]+)(?:元|块钱?)给(?P<who>.+?)",
    ),
    corrections=(
        r"(?:no, )?(?:send it |transfer it |pay )?to (?P<who>.+?) instead",
        r"(?:no,? |actually,? )*(?:make it|only|send|pay|i (?:meant|said))? ?(?:¥)?(?P<amount>[\d.]+)"
        r"(?: yuan)?(?: please| instead)?",
        r"(?:不[，,]?)?(?:改成|改为|换成|只?转)?(?P<amount>[\d.]+)(?:元|块钱?)?(?:吧)?",
    ),
    rules=(
        when(
            page("Payment successful", "付款成功"),
            when(
                both(_amount_fits, sees("{who}", least=4)),
                finish("Sent ¥{amount} to {who}.", "已向{who}转账{amount}元。"),
            ),
            tap("Done", "完成", least=4),
        ),
        when(
            sees("Pay now", "确认付款", least=4, where=is_button),
            when(
                both(_amount_fits, sees("{who}", least=4)),
                tap("Pay now", "确认付款", least=4, where=is_button),
            ),
            back("This is another payment.", "这不是要付的款。"),
        ),
        when(page("{who}"), write("{amount}"), tap("Continue", "继续", least=4)),
        when(
            page("Transfer to", "转账给"),
            look_for("{who}", missing=give_up("There is no payee called {who}.", "没有收款人“{who}”。")),
        ),
        tap("Transfer", "转账", least=4),
    ),
)

balance = Task(
    name="tell the balance",
    app=APP,
    package=PAYBOX,
    patterns=(
        r"(?:what is|what's|check|show|tell me|how much is) (?:my |the )?(?:paybox |account )?balance(?: "
        r"(?:in|on) paybox)?",
        r"how much money (?:do i have|is) (?:in|on) (?:my )?paybox",
        r"(?:查一下|查|看看|看一下)?(?:我的)?付款宝(?:里|的|还有|账户)*(?:余额|多少钱)(?:是多少|还有多少)?",
        r"(?:查一下|查|看看)?(?:我的)?余额(?:是多少|还有多少)?",
    ),
    rules=(when(page(*APP), _tell_balance),),
)

TASKS = (transfer, balance)
