"""Shops to order from: food delivery and a market, told apart by their data."""

from __future__ import annotations

from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import flip
from assistant.simulator.apps.checkout import CheckoutPages
from assistant.simulator.apps.goods import Choice, Item, Shop
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import Text
from assistant.simulator.apps.search import find, score
from assistant.simulator.ui.nodes import Node


class OrderingApp(CheckoutPages):
    """Search or browse, choose options, put into the cart, check out, pay.

    State, names canonical, `text` and `options_text` as displayed:
    {"cart": [LINE], "orders": [{"id", "shop", "items": [LINE], "total", "address", "note", "status"}],
    "address": name, "addresses": [{"name", "where", "text"}], "searches": [query], "favourites": [name]}
    with LINE = {"shop", "name", "options": [name], "quantity", "price", "text", "options_text"};
    an order's status is `placed` or `cancelled`.
    """

    def page_home(self, page: Page) -> Node:
        """Search entry, kinds, and everything on offer."""
        kinds = [
            widgets.chip(self.words(kind), self.go("results", query="", kind=kind.en), color=self.color)
            for kind in self.data.kinds
        ]
        offers = self._shops("", "") if self.data.results == "shops" else self._items("", "")
        cart = self.icon_button("cart", "Cart", "购物车", self.go("cart"))
        return widgets.screen(
            self.bar(self.label(self.host.locale), cart, back=False),
            widgets.search_entry(self.words(self.data.hint), self.go("search")),
            self.chips(page, *kinds),
            self.listing(page, *offers),
            self.main_tabs("home"),
        )

    def open_results(self, page: Page) -> None:
        """The best come first, until the user wants another order."""
        page.local["sort"] = "best"
        super().open_results(page)

    def page_results(self, page: Page) -> Node:
        """What a query or a kind brings up."""
        query, kind = page.arguments["query"], page.arguments.get("kind", "")
        waiting = self.waiting(page)
        sorts = [("best", "Best match", "综合"), ("rating", "Top rated", "好评"), ("last", "", "")]
        sorts[2] = ("fast", "Fastest", "最快") if self.data.results == "shops" else ("price", "Price", "价格")
        chosen = page.local.get("sort", "best")

        def sort_by(key: str) -> None:
            page.local["sort"] = key

        row = self.chips(
            page,
            *[
                widgets.chip(
                    self.say(english, chinese),
                    partial(sort_by, key),
                    selected=key == chosen,
                    color=self.color,
                )
                for key, english, chinese in sorts
            ],
            name="sorts",
        )
        build = self._shops if self.data.results == "shops" else self._items
        results = build(query, kind, chosen)
        if not results:
            results = [widgets.empty(self.say("Nothing found. Try other words.", "没有找到，换个词试试。"))]
        return widgets.screen(
            self.query_box(page),
            row,
            waiting or self.listing(page, *results),
        )

    def _shops(self, query: str, kind: str, sort: str = "best") -> list[Node]:
        shops = [shop for shop in self.data.shops if kind in ("", shop.kind.en)]
        if query:
            shops = find(query, shops, _shop_texts)
        match sort:
            case "rating":
                shops = sorted(shops, key=lambda shop: -shop.rating)
            case "fast":
                shops = sorted(shops, key=lambda shop: shop.minutes)
        advertised = [shop for shop in self.data.shops if shop.promoted and self.difficulties.advertisements]
        if query and shops and advertised:
            shops = advertised + [shop for shop in shops if not shop.promoted]
        return [self._shop_row(shop, query) for shop in shops]

    def _shop_row(self, shop: Shop, query: str) -> Node:
        facts = f"★{shop.rating}  {shop.minutes} {self.say('min', '分钟')}  " + (
            self.say("Delivery ", "配送费") + widgets.money(shop.fee)
            if shop.fee
            else self.say("Free delivery", "免配送费")
        )
        dish = next((item for item in shop.items if query and score(query, *_item_texts(item)) >= 1), None)
        if dish:
            facts += f"  ·  {self.words(dish.name)} {widgets.money(dish.price)}"
        tag = self.say("Ad", "广告") if shop.promoted and query and self.difficulties.advertisements else ""
        return widgets.list_row(
            self.words(shop.name),
            facts,
            trailing=tag,
            leading=widgets.picture(shop.name.en, width=64),
            on_tap=self.go("shop", shop=shop.name.en),
            name="shop_item",
        )

    def _items(self, query: str, kind: str, sort: str = "best") -> list[Node]:
        pairs = [
            (shop, item) for shop in self.data.shops for item in shop.items if kind in ("", shop.kind.en)
        ]
        if query:
            pairs = find(query, pairs, lambda pair: [*_item_texts(pair[1]), pair[0].name.en, pair[0].name.zh])
        match sort:
            case "rating":
                pairs = sorted(pairs, key=lambda pair: -pair[0].rating)
            case "price":
                pairs = sorted(pairs, key=lambda pair: pair[1].price)
        advertised = [(shop, shop.items[0]) for shop in self.data.shops if shop.promoted]
        if query and pairs and self.difficulties.advertisements:
            pairs = advertised + [pair for pair in pairs if pair not in advertised]
            return [self._item_row(shop, item, (shop, item) in advertised) for shop, item in pairs]
        return [self._item_row(shop, item) for shop, item in pairs]

    def _item_row(self, shop: Shop, item: Item, advertised: bool = False) -> Node:
        tag = self.say("Ad  ", "广告  ") if advertised else ""
        sold_out = self.say("  Sold out", "  已售罄") if item.sold_out else ""
        return widgets.list_row(
            self.words(item.name),
            f"{tag}{widgets.money(item.price)}  {self.words(shop.name)} ★{shop.rating}{sold_out}",
            leading=widgets.picture(item.name.en, width=64),
            on_tap=self.go("item", shop=shop.name.en, item=item.name.en),
            name="goods_item",
        )

    def open_shop(self, page: Page) -> None:
        """The menu comes after the page."""
        self.wait(page, silent=True)

    def page_shop(self, page: Page) -> Node:
        """A shop's menu, by groups, above the cart bar."""
        shop = self.data.shop(page.arguments["shop"])
        entries: list[Node] = []
        group: Text | None = None
        for item in shop.items:
            if item.group and item.group != group:
                group = item.group
                entries.append(widgets.section(self.words(group)))
            entries.append(self._menu_row(shop, item))
        heart = self._heart(shop.name.en)
        return widgets.screen(
            self.bar(self.words(shop.name), heart),
            widgets.picture(shop.name.en, height=110),
            self.waiting(page) or self.listing(page, *entries),
            self.cart_bar(),
        )

    def _menu_row(self, shop: Shop, item: Item) -> Node:
        open_item = self.go("item", shop=shop.name.en, item=item.name.en)
        sold_out = self.say("Sold out", "已售罄")
        plus = self.icon_button("plus", "Add", "添加", open_item, name="add", color=self.color)
        return widgets.list_row(
            self.words(item.name),
            widgets.money(item.price),
            trailing=sold_out if item.sold_out else "",
            leading=widgets.picture(item.name.en, width=64),
            action=None if item.sold_out else plus,
            on_tap=open_item,
            name="menu_item",
        )

    def _heart(self, name: str) -> Node:
        favourites: list[str] = self.state["favourites"]
        love = partial(flip, favourites, name)
        return self.mark("heart", "Favourite", "收藏", name in favourites, love, name="favourite")

    def page_item(self, page: Page) -> Node:
        """An item with its options and quantity."""
        shop, item = page.arguments["shop"], self.data.item(page.arguments["shop"], page.arguments["item"])
        options: list[Node] = []
        for key in item.options:
            options += self._option(page, key)
        quantity = page.local.setdefault("quantity", 1)

        def change(by: int) -> None:
            page.local["quantity"] = max(1, quantity + by)

        heart = self._heart(item.name.en)
        amount = widgets.row(
            widgets.text(self.say("Quantity", "数量"), weight=1),
            widgets.stepper(quantity, change, color=self.color),
            padding=12,
        )
        about = [widgets.paragraph(self.words(item.about))] if item.about else []
        return widgets.screen(
            self.bar(self.words(item.name), heart),
            self.listing(
                page,
                widgets.picture(item.name.en, height=150),
                widgets.detail_line(self.words(item.name), widgets.money(self._price(page, item)), bold=True),
                widgets.list_row(self.words(self.data.shop(shop).name), on_tap=self.go("shop", shop=shop)),
                *about,
                *options,
                amount,
            ),
            self._buy_bar(page, item),
        )

    def _buy_bar(self, page: Page, item: Item) -> Node:
        if item.sold_out:
            sold_out = self.button("Sold out", "已售罄", lambda: None, enabled=False, weight=1)
            return widgets.bottom_bar(sold_out)

        def line() -> dict[str, Any]:
            return self._line(page, item)

        add = self.button(
            "Add to cart", "加入购物车", lambda: self.add_to_cart(line()), name="add_to_cart", weight=1
        )
        buy = self.button("Buy now", "立即购买", lambda: self.check_out([line()]), name="buy_now", weight=1)
        return widgets.bottom_bar(add, *([buy] if self.data.results == "items" else []))

    def _option(self, page: Page, key: str) -> list[Node]:
        option = self.data.options[key]
        chosen = self._chosen(page, key)

        def choose(name: str) -> None:
            if option.many:
                flip(chosen, name)
            else:
                page.local[f"option {key}"] = [name]

        if option.many:
            entries = [
                widgets.check_row(
                    self.words(choice.name),
                    choice.name.en in chosen,
                    partial(choose, choice.name.en),
                    trailing=widgets.surcharge(choice.price),
                )
                for choice in option.choices
            ]
            return [widgets.section(self.words(option.name)), *entries]
        cells = [
            widgets.chip(
                f"{self.words(choice.name)} {widgets.surcharge(choice.price)}".strip(),
                partial(choose, choice.name.en),
                selected=choice.name.en in chosen,
                color=self.color,
            )
            for choice in option.choices
        ]
        return [widgets.section(self.words(option.name)), self.chips(page, *cells, name=f"options_{key}")]

    def _chosen(self, page: Page, key: str) -> list[str]:
        option = self.data.options[key]
        default = [] if option.many else [option.choices[0].name.en]
        chosen: list[str] = page.local.setdefault(f"option {key}", default)
        return chosen

    def _choices(self, page: Page, item: Item) -> list[Choice]:
        return [
            choice
            for key in item.options
            for choice in self.data.options[key].choices
            if choice.name.en in self._chosen(page, key)
        ]

    def _price(self, page: Page, item: Item) -> float:
        return round(item.price + sum(choice.price for choice in self._choices(page, item)), 2)

    def _line(self, page: Page, item: Item) -> dict[str, Any]:
        choices = self._choices(page, item)
        return {
            "shop": page.arguments["shop"],
            "name": item.name.en,
            "options": [choice.name.en for choice in choices],
            "quantity": page.local.get("quantity", 1),
            "price": self._price(page, item),
            "text": self.words(item.name),
            "options_text": [self.words(choice.name) for choice in choices],
        }


def _item_texts(item: Item) -> list[str]:
    return [item.name.en, item.name.zh, item.tags]


def _shop_texts(shop: Shop) -> list[str]:
    texts = [shop.name.en, shop.name.zh, shop.kind.en, shop.kind.zh]
    for item in shop.items:
        texts += _item_texts(item)
    return texts
