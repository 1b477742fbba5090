"""Food and goods: search, choose, put into the cart, check out, pay."""

from __future__ import annotations

import re

from assistant.records import Direction
from assistant.simulator.model.rules import (
    Check,
    Rule,
    Task,
    done,
    either,
    finish,
    give_up,
    given,
    handle,
    no,
    page,
    reach,
    search_entry,
    sees,
    tap,
    title,
    when,
    write,
)
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.tasks.payment import PAYBOX, is_button, pay
from assistant.simulator.model.tasks.wishes import read_order
from assistant.simulator.model.words import closeness, names, plain

EATS = ("Eats", "外卖")
MARKET = ("Market", "商城")

SIZES = ("Small", "Regular", "Large")

_PRICE = re.compile(r"\s*[+-]?¥-?[\d.]+\s*$")
_LINE = re.compile(r"(?P<name>.+?) ×(?P<count>\d+)(?: (?P<options>.*))?$")

checkout_button = tap("Check out", "去结算", least=4, where=is_button)
sold_out: Check = sees("Sold out", "已售罄", least=4)


def wishes(view: View) -> list[str]:
    """The options that the user wants, as they said them."""
    return [one for one in view.slots.get("wishes", "").split("|") if one]


def _fits(wish: str, label: str) -> bool:
    return closeness(wish, _PRICE.sub("", label.split("·")[0])) >= 4


def _dish_rows(view: View) -> list[Item]:
    """The rows of the wanted thing, in a menu or among results; those that say just its name come first."""
    rows = view.screen.all(
        view.slots["what"],
        least=1,
        where=lambda item: item.tappable and "·" in item.label and not _advertised(item),
    )
    return sorted(rows, key=lambda row: -closeness(view.slots["what"], row.parts[0]))


def _advertised(item: Item) -> bool:
    return any(part in ("Ad", "广告") or re.match(r"(Ad|广告)\s", part) for part in item.parts)


def _choose_shop(view: View) -> Step | None:
    """Among the results take the shop that was named, else the first that sells exactly this."""
    rows = [row for row in view.screen.items if row.tappable and "★" in row.label and not _advertised(row)]
    if not rows:
        return None
    named, avoided = view.slots.get("shop", ""), view.slots.get("not_shop", "")
    if named:
        rows = [row for row in rows if closeness(named, row.parts[0]) > 0]
    if avoided:
        rows = [row for row in rows if closeness(avoided, row.parts[0]) == 0]
    exact = [row for row in rows if any(_fits(view.slots["what"], part) for part in row.parts)]
    loose = [row for row in rows if closeness(view.slots["what"], row.label)]
    chosen = exact or loose or (rows if named else [])
    if chosen:
        return view.tap(chosen[0])
    return _scroll(view, view.slots.get("shop") or view.slots["what"], 3)


def _scroll(view: View, what: str, limit: int) -> Step | None:
    lists = [item for item in view.screen.items if "scrollable" in item.flags and item.kind == "list"]
    if lists and view.just_did("scroll") < limit:
        return view.scroll(Direction.DOWN, what, lists[-1])
    return None


def _choose_item(view: View) -> Step | None:
    """Open the wanted entry of a menu or of results."""
    rows = _dish_rows(view)
    exact = [row for row in rows if _fits(view.slots["what"], row.parts[0])]
    if exact or (rows and view.just_did("scroll") >= 3):
        row = (exact or rows)[0]
        if any(part in ("Sold out", "已售罄") or part.endswith(("Sold out", "已售罄")) for part in row.parts):
            return view.give_up(view.say("{what} is sold out.", "{what}已售罄。"))
        return reach(view, row)
    step = _scroll(view, view.slots["what"], 4)
    if step:
        return step
    if not any("¥" in item.label for item in view.screen.items):
        return None
    return view.give_up(view.say("{what} is not on the menu.", "没有找到{what}。"))


def _choose_options(view: View) -> Step | None:
    """Set the wanted options, from the top of the page to its end; unset boxes that nobody wants."""
    wanted = wishes(view)
    for row in view.screen.items:
        fitting = any(_fits(wish, row.label) for wish in wanted)
        mark = row if "·" not in row.label and row.kind == "button" else None
        box = handle(view, row) if row.tappable and row.kind in ("item", "button") and not row.on else None
        if fitting and mark and not row.on and row.tappable and not box:
            return reach(view, row)
        if box and box.kind == "checkbox" and box.on != fitting and row.point.y > 0.11:
            return reach(view, row)
    quantity = view.screen.find("Quantity", "数量", least=4)
    step = _count(view, quantity) if quantity else None
    if step:
        return step
    open_wishes = [wish for wish in wanted if not any(view.did("click", name) for name in names(wish))]
    missing = [wish for wish in open_wishes if not any(_fits(wish, item.label) for item in view.screen.items)]
    if quantity is None and (missing or view.slots.get("count", "1") != "1"):
        return _scroll(view, missing[0] if missing else view.say("Quantity", "数量"), 4)
    return None


def _count(view: View, quantity: Item) -> Step | None:
    beside = view.screen.beside(quantity)
    shown = next((int(item.label) for item in beside if item.label.isdecimal()), 1)
    wanted = int(view.slots.get("count", "1"))
    if shown == wanted:
        return None
    label = ("increase", "plus") if shown < wanted else ("decrease", "minus")
    step = next((item for item in beside if any(closeness(one, item.label) for one in label)), None)
    return reach(view, step) if step else None


def _lines(view: View) -> list[re.Match[str]]:
    return [match for item in view.screen.items if (match := _LINE.match(item.label))]


def _line_is_wanted(view: View, line: re.Match[str]) -> bool:
    shown = [plain(one) for one in (line["options"] or "").split(",")]
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
    elsewhere = (shop and not any(closeness(shop, one) for one in shops)) or (
        avoided and any(closeness(avoided, one) for one in shops)
    )
    if not lines or (len(lines) == 1 and _line_is_wanted(view, lines[0]) and not elsewhere):
        return None
    return view.back(
        view.say("This is not what was asked for. I change the cart.", "订单不对，回去改购物车。")
    )


def _to_cart_after_return(view: View) -> Step | None:
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


def _empty_cart(view: View) -> Step | None:
    return tap("decrease", least=4)(view) or view.back(view.say("The cart is empty now.", "购物车空了。"))


def _note(view: View) -> Step | None:
    """What no option offers goes into the note to the seller."""
    unmet = [wish for wish in wishes(view) if not any(view.did("click", name) for name in names(wish))]
    note = view.say(", ", "，").join(unmet)
    if not note or view.did("type", note):
        return None
    return write(note)(view) or _scroll(view, view.say("the note", "备注"), 2)


def _deliver_to(view: View) -> Step | None:
    """Change the address where another is wanted."""
    wanted = view.slots.get("address")
    row = next((item for item in view.screen.items if item.tappable and 0.08 < item.point.y < 0.2), None)
    if not wanted or row is None or closeness(wanted, row.parts[0]) >= 4:
        return None
    return view.tap(row)


def _entered(view: View) -> bool:
    """Whether the wanted thing was put into the cart since the shop that is open was entered."""
    shop = next((item.label for item in view.screen.items if item.point.y < 0.11 and not item.tappable), "")
    for past in reversed(view.situation.history):
        if closeness("Add to cart", past.detail) >= 4:
            return True
        if past.type == "click" and shop and closeness(shop, past.detail) > 0:
            return False
    return True


def _enabled_checkout(view: View) -> bool:
    return view.screen.find("Check out", "去结算", least=4, where=lambda item: item.enabled) is not None


def _wrong_shop(view: View) -> bool:
    shop, avoided = view.slots.get("shop"), view.slots.get("not_shop")
    heading = next(
        (item.label for item in view.screen.items if item.point.y < 0.11 and not item.tappable), ""
    )
    return bool((shop and closeness(shop, heading) == 0) or (avoided and closeness(avoided, heading) > 0))


in_menu: Check = sees("Check out", "去结算", least=4)
in_item: Check = either(sees("Add to cart", "加入购物车", least=4), sees("Buy now", "立即购买", least=4))
in_results: Check = sees("Best match", "综合", least=4)
placed: Check = page("Order placed", "下单成功")
item_is_wanted: Check = lambda view: (
    title(view, "{what}") is not None
    or (
        view.screen.find(view.slots["what"], least=1, where=lambda item: item.point.y < 0.11) is not None
        and view.just_did("click") > 0
    )
)

paying: tuple[Rule, ...] = (
    *pay,
    when(placed, finish("Ordered: {what}. The order is placed and paid.", "已下单并支付：{what}。")),
    when(
        page("Delivery address", "收货地址"),
        tap("{address}", least=3),
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

begin: tuple[Rule, ...] = (
    when(sees("Start new", "清空并添加", least=4), tap("Start new", "清空并添加", least=4)),
    when(
        in_results,
        when(
            lambda view: bool(view.screen.fields) and view.holds(view.screen.fields[0], view.slots["query"]),
            _choose_shop,
            when(
                sees("Nothing found. Try other words.", "没有找到，换个词试试。", least=4),
                give_up("{what} was not found.", "没有找到{what}。"),
            ),
        ),
    ),
)

search_field: Check = sees("Recent searches", "搜索历史", least=4)


def _searching(choose: Rule) -> tuple[Rule, ...]:
    return (
        when(
            in_results,
            when(
                lambda view: (
                    view.holds(view.screen.fields[0], view.slots["query"]) if view.screen.fields else False
                ),
                choose,
            ),
            when(
                sees("Nothing found. Try other words.", "没有找到，换个词试试。", least=4),
                give_up("{what} was not found.", "没有找到{what}。"),
            ),
        ),
        when(search_field, write("{query}", submit=True)),
        when(page(*EATS, *MARKET), search_entry),
    )


def _ordering(
    name: str, app: tuple[str, str], package: str, patterns: tuple[str, ...], rules: tuple[Rule, ...]
) -> Task:
    return Task(
        name=name,
        app=app,
        package=package,
        also=(PAYBOX,),
        patterns=patterns,
        prepare=read_order,
        corrections=(
            r"(?:no, )?not (?:that|this) (?:shop|one|restaurant),? (?:but )?(?:take |use )?(?:the one |the )?(?:called |named |at |on |in |from )?(?:the )?(?P<shop>.+?)(?: one)?",
            r"(?:from|use|take|choose) (?P<shop>.+?) instead",
            r"(?:no, )?(?:use|take|make it|choose|order) (?:the |a )?(?P<wish>small|large|regular)(?: size| one| portion)?",
            r"(?:also |and |please )?(?P<wish>(?:no|without|extra|less) .+?)(?: please)?",
            r"(?:to|deliver (?:it )?to|send (?:it )?to) (?:the |my )?(?P<address>.+?)(?: instead)?",
            r"(?:不要这家|不是这家|换一?家)[,，]?(?:要|去|选)?(?P<shop>.+?)(?:那家|的)?",
            r"(?:要|换成?|改成?)(?P<wish>大份|小份|中份)(?:的)?",
            r"(?P<wish>(?:不要|不放|加|少|多).+?)",
            r"(?:送到|改送到|送)(?P<address>.+?)(?:吧)?",
        ),
        rules=rules,
    )


food = _ordering(
    "order food",
    EATS,
    "com.example.eats",
    (
        r"(?:order|get me|buy me|i(?: would|'d) like|i want) (?P<order>.+)",
        r"(?:点|叫|订|来|要|想吃|想喝)(?:个|一下)?(?:外卖)?[,，:：]?(?P<order>.+)",
        r"(?:在|从|用)(?:外卖(?:上|里)?)?(?P<order>.*(?:点|叫|订|来).+)",
    ),
    (
        *paying,
        when(
            in_item,
            when(
                item_is_wanted,
                when(sold_out, give_up("{what} is sold out.", "{what}已售罄。")),
                _choose_options,
                tap("Add to cart", "加入购物车", least=4),
            ),
        ),
        when(
            sold_out,
            when(item_is_wanted, when(no(in_menu), give_up("{what} is sold out.", "{what}已售罄。"))),
        ),
        *begin[:1],
        when(page("Cart", "购物车"), _empty_cart),
        when(
            in_menu,
            when(
                _wrong_shop, lambda view: view.back(view.say("This is the wrong shop.", "不是这家店，返回。"))
            ),
            _to_cart_after_return,
            when(_enabled_checkout, when(_entered, checkout_button)),
            _choose_item,
        ),
        *_searching(_choose_shop),
        when(done("click", "Home"), tap("Home", "首页", least=4)),
    ),
)

goods = _ordering(
    "buy goods",
    MARKET,
    "com.example.shop",
    (
        r"(?:buy|order|get)(?: me)? (?P<order>.+) (?:on|from|in|at) (?:the )?market\b.*",
        r"buy (?P<order>.+)",
        r"(?:在|从|用)商城(?:里|上)?(?:买|下单|订)(?P<order>.+)",
        r"(?:买|购买)(?P<order>.+)",
    ),
    (
        *paying,
        when(
            in_item,
            when(
                item_is_wanted,
                when(sold_out, give_up("{what} is sold out.", "{what}已售罄。")),
                _choose_options,
                tap("Buy now", "立即购买", least=4),
            ),
        ),
        when(sold_out, when(item_is_wanted, give_up("{what} is sold out.", "{what}已售罄。"))),
        *_searching(_choose_item),
    ),
)

TASKS = (goods, food)
