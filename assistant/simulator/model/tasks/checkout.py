"""The second half of an order: cart, checkout, address, note, payment."""

from __future__ import annotations

import re

from assistant.simulator.model.rules import (
    Check,
    Rule,
    back,
    done,
    either,
    finish,
    give_up,
    given,
    page,
    tap,
    when,
    write,
)
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.tasks.choosing import scroll, wishes
from assistant.simulator.model.tasks.payment import pay
from assistant.simulator.model.words import closeness, names, plain

SIZES = ("Small", "Regular", "Large")

_NUMBERED = re.compile(r"\d")
"""What has a number is an address, which may be a part of the one that an entry shows."""
_LINE = re.compile(r"(?P<name>.+?) ×(?P<count>\d+)(?: (?P<options>.*))?$")


def _lines(view: View) -> list[re.Match[str]]:
    return [match for item in view.screen.items if (match := _LINE.match(item.label))]


def _options(line: re.Match[str]) -> list[str]:
    return [plain(part) for part in (line["options"] or "").split(",")]


def _line_is_wanted(view: View, line: re.Match[str]) -> bool:
    shown = _options(line)
    sizes = {size for size in SIZES if any(name in shown for name in names(size))}
    wanted_sizes = {size for size in SIZES for wish in wishes(view) if closeness(size, wish) >= 4}
    if sizes and wanted_sizes and sizes != wanted_sizes:
        return False
    set_options = [wish for wish in wishes(view) if any(view.did("click", name) for name in names(wish))]
    return (
        closeness(view.slots["what"], line["name"]) > 0
        and line["count"] == view.slots.get("count", "1")
        and all(any(name in shown for name in names(wish)) for wish in set_options)
    )


def _check_lines(view: View) -> Step | None:
    """Go back when the checkout holds something else than what was asked for."""
    lines = _lines(view)
    shop, avoided = view.slots.get("shop"), view.slots.get("not_shop")
    shops = [item.label for item in view.screen.items if not item.tappable]
    elsewhere = (shop and not any(closeness(shop, shop_name) for shop_name in shops)) or (
        avoided and any(closeness(avoided, shop_name) for shop_name in shops)
    )
    if not lines or (len(lines) == 1 and _line_is_wanted(view, lines[0]) and not elsewhere):
        return None
    return view.back(
        view.say("This is not what was asked for. I change the cart.", "订单不对，回去改购物车。")
    )


def to_cart_after_return(view: View) -> Step | None:
    """The cart holds something wrong when the checkout was left with Back."""
    tail = [past for past in view.situation.history if past.type != "wait"][-2:]
    left = len(tail) == 2 and tail[1].type == "press_back" and closeness("Check out", tail[0].detail)
    return (
        tap("cart icon", "Cart", "购物车", least=4)(view)
        if left or (tail and _removing(tail[-1].detail))
        else None
    )


def _removing(detail: str) -> bool:
    return closeness("decrease", detail) > 0


def empty_cart(view: View) -> Step | None:
    """Take everything out, then leave the cart."""
    return tap("decrease", least=4)(view) or view.back(view.say("The cart is empty now.", "购物车空了。"))


def _note(view: View) -> Step | None:
    """What no option offers goes into the note to the seller; not what the order line shows as chosen."""
    shown = {option for line in _lines(view) for option in _options(line)}
    unmet = [
        wish
        for wish in wishes(view)
        if not any(name in shown or view.did("click", name) for name in names(wish))
    ]
    note = view.say(", ", "，").join(unmet)
    if not note:
        return None
    if view.screen.fields:
        return write(note)(view)
    return None if view.did("type", note) else scroll(view, view.say("the note", "备注"), 2)


def _deliver_to(view: View) -> Step | None:
    """Change the address where another is wanted."""
    row = next((item for item in view.screen.items if item.tappable and 0.08 < item.point.y < 0.2), None)
    return view.tap(row) if row is not None and _fits_address(view, row) is False else None


def _choose_address(view: View) -> Step | None:
    """The entry with the label that was said, or with the address: “my office (88 Harbour Avenue)”."""
    row = next((item for item in view.screen.items if item.tappable and _fits_address(view, item)), None)
    return view.tap(row) if row is not None else None


def _fits_address(view: View, item: Item) -> bool | None:
    """Whether an entry is the address that is wanted; None where none is."""
    address_parts = [
        name.strip(" )）") for name in re.split("[(（]", view.slots.get("address", "")) if name.strip()
    ]
    if not address_parts:
        return None
    least = {name: 1 if _NUMBERED.search(name) else 4 for name in address_parts}
    return any(closeness(name, part) >= least[name] for name in address_parts for part in item.parts)


placed: Check = page("Order placed", "下单成功")
submitted: Check = either(done("click", "Submit order"), done("click", "提交订单"))

paying: tuple[Rule, ...] = (
    *pay,
    when(
        placed,
        when(submitted, finish("Ordered: {what}. The order is placed and paid.", "已下单并支付：{what}。")),
        back("This is an earlier order. I go back.", "这是之前的订单，返回。"),
    ),
    when(
        page("Delivery address", "收货地址"),
        _choose_address,
        when(given("address"), give_up("There is no address {address}.", "没有地址“{address}”。")),
    ),
    when(
        page("Checkout", "确认订单"),
        _check_lines,
        _deliver_to,
        _note,
        tap("Submit order", "提交订单", least=4),
    ),
)
"""From the checkout to the placed order."""
