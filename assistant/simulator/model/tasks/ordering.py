"""Food and goods: search, choose, put into the cart, check out, pay."""

from __future__ import annotations

from assistant.simulator.model.rules import Check, Rule, Task, back, done, give_up, no, page, sees, tap, when
from assistant.simulator.model.situation import View
from assistant.simulator.model.tasks.checkout import empty_cart, paying, to_cart_after_return
from assistant.simulator.model.tasks.choosing import (
    choose_item,
    choose_options,
    choose_shop,
    in_item,
    in_menu,
    item_is_wanted,
    searching,
)
from assistant.simulator.model.tasks.payment import PAYBOX, is_button
from assistant.simulator.model.tasks.wishes import read_order
from assistant.simulator.model.words import closeness

EATS = ("Eats", "外卖")
MARKET = ("Market", "商城")

sold_out: Check = sees("Sold out", "已售罄", least=4)
tell_sold_out: Rule = give_up("{what} is sold out.", "{what}已售罄。")


def _entered(view: View) -> bool:
    """Whether the wanted thing was put into the cart since the shop that is open was entered."""
    shop = next((item.label for item in view.screen.items if item.point.y < 0.11 and not item.tappable), "")
    for past in reversed(view.situation.history):
        if closeness("Add to cart", past.detail) >= 4:
            return True
        if past.type == "click" and shop and closeness(shop, past.detail) > 0:
            return False
    return True


def _wrong_shop(view: View) -> bool:
    shop, avoided = view.slots.get("shop"), view.slots.get("not_shop")
    heading = next(
        (item.label for item in view.screen.items if item.point.y < 0.11 and not item.tappable), ""
    )
    return bool((shop and closeness(shop, heading) == 0) or (avoided and closeness(avoided, heading) > 0))


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
            r"(?:no,? |actually,? |please |do (?:it|that) again |but )*"
            r"(?:make (?:it|that)|order|get|take|i want)? ?(?:for )?(?P<many>two|three|four|[2-9])"
            r"(?: (?:of (?:them|those|it)|portions?|people|persons?"
            r"|servings?|cups?|bowls?|please|instead))*",
            r"(?:不[，,]?)?(?:要|来|改成?|换成?|给我|再来)?(?P<many>[二两三四]|[2-9])(?:个人|人|份|个|杯|碗)(?:份|的|吧)*",
            r"(?:no, )?not (?:that|this) (?:shop|one|restaurant),? (?:but )?(?:take |use )?"
            r"(?:the one |the )?(?:called |named |at |on |in |from )?(?:the )?(?P<shop>.+?)(?: one)?",
            r"(?:from|use|take|choose) (?P<shop>.+?) instead",
            r"(?:no, )?(?:use|take|make it|choose|order) (?:the |a )?(?P<wish>small|large|regular)"
            r"(?: size| one| portion)?",
            r"(?:also |and |please )?(?P<wish>(?:no|without|extra|less) .+?)(?: please)?",
            r"(?:to|deliver (?:it )?to|send (?:it )?to) (?:the |my )?(?P<address>.+?)(?: instead)?",
            r"(?:不要这家|不是这家|换一?家)[,，]?(?:要|去|选)?(?P<shop>.+?)(?:那家|的)?",
            r"(?:要|换成?|改成?)(?P<wish>大份|小份|中份)(?:的)?",
            r"(?:今天)?(?:不要冰的?[,，])?(?:换|要)成?(?P<wish>热的|热饮)",
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
                when(sold_out, tell_sold_out),
                choose_options,
                tap("Add to cart", "加入购物车", least=4),
            ),
        ),
        when(
            sold_out,
            when(item_is_wanted, when(no(in_menu), tell_sold_out)),
        ),
        tap("Start new", "清空并添加", least=4),
        when(page("Cart", "购物车"), empty_cart),
        when(
            in_menu,
            when(_wrong_shop, back("This is the wrong shop.", "不是这家店，返回。")),
            to_cart_after_return,
            when(_entered, tap("Check out", "去结算", least=4, where=is_button)),
            choose_item,
        ),
        *searching(choose_shop, *EATS),
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
                when(sold_out, tell_sold_out),
                choose_options,
                tap("Buy now", "Buy it now", "立即购买", "马上购买", least=4),
            ),
        ),
        when(sold_out, when(item_is_wanted, tell_sold_out)),
        *searching(choose_item, *MARKET),
    ),
)

TASKS = (goods, food)
