"""The first half of an order: search, shop, menu, options, quantity."""

from __future__ import annotations

import re

from assistant.records import Direction
from assistant.simulator.model.reflexes import SPINNER_PATIENCE
from assistant.simulator.model.rules import (
    Check,
    Rule,
    back,
    either,
    give_up,
    handle,
    no,
    page,
    reach,
    search_entry,
    sees,
    title,
    when,
    write,
)
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.words import closeness, names

_PRICE = re.compile(r"\s*[+-]?¥-?[\d.]+\s*$")


def wishes(view: View) -> list[str]:
    """The options that the user wants, as they said them."""
    return [part for part in view.slots.get("wishes", "").split("|") if part]


def fits(wish: str, label: str) -> bool:
    """Whether a label says what is wished, its price aside."""
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


def choose_shop(view: View) -> Step | None:
    """Among the results take the shop that was named, else the first that sells exactly this."""
    rows = [row for row in view.screen.items if row.tappable and "★" in row.label and not _advertised(row)]
    if not rows:
        return None
    named, avoided = view.slots.get("shop", ""), view.slots.get("not_shop", "")
    if named:
        rows = [row for row in rows if closeness(named, row.parts[0]) > 0]
    if avoided:
        rows = [row for row in rows if closeness(avoided, row.parts[0]) == 0]
    exact = [row for row in rows if any(fits(view.slots["what"], part) for part in row.parts)]
    loose = [row for row in rows if closeness(view.slots["what"], row.label)]
    chosen = exact or loose or (rows if named else [])
    if chosen:
        return view.tap(chosen[0])
    return scroll(view, view.slots.get("shop") or view.slots["what"], 3)


def scroll(view: View, what: str, limit: int) -> Step | None:
    """Scroll the page's list down, at most `limit` times in a row."""
    lists = [item for item in view.screen.items if "scrollable" in item.flags and item.kind == "list"]
    if lists and view.may_scroll(limit):
        return view.scroll(Direction.DOWN, what, lists[-1])
    return None


def choose_item(view: View) -> Step | None:
    """Open the wanted entry of a menu or of results."""
    rows = _dish_rows(view)
    exact = [row for row in rows if fits(view.slots["what"], row.parts[0])]
    if exact or (rows and not view.may_scroll(3)):
        row = (exact or rows)[0]
        if any(part in ("Sold out", "已售罄") or part.endswith(("Sold out", "已售罄")) for part in row.parts):
            return view.give_up(view.say("{what} is sold out.", "{what}已售罄。"))
        return reach(view, row)
    step = scroll(view, view.slots["what"], 4)
    if step:
        return step
    if not any("¥" in item.label for item in view.screen.items):
        return None
    priced = any(item.tappable and "¥" in item.label and "·" in item.label for item in view.screen.items)
    if not priced and view.just_did("wait") < SPINNER_PATIENCE:
        return view.wait(view.say("The menu is still empty. I wait.", "菜单还是空的，等一下。"))
    entered = next((past.detail for past in reversed(view.situation.history) if "★" in past.detail), "")
    if in_menu(view) and not view.slots.get("shop") and not closeness(view.slots["what"], entered):
        return view.back(view.say("This shop was not meant.", "进错店了，返回。"))
    return view.give_up(view.say("{what} is not on the menu.", "没有找到{what}。"))


def choose_options(view: View) -> Step | None:
    """Set the wanted options, from the top of the page to its end; unset boxes that nobody wants."""
    all_wishes = wishes(view)
    for row in view.screen.items:
        fitting = any(fits(wish, row.label) for wish in all_wishes)
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
    open_wishes = [wish for wish in all_wishes if not any(view.did("click", name) for name in names(wish))]
    missing = [wish for wish in open_wishes if not any(fits(wish, item.label) for item in view.screen.items)]
    if quantity is None and (missing or view.slots.get("count", "1") != "1"):
        return scroll(view, missing[0] if missing else view.say("Quantity", "数量"), 4)
    return None


def _count(view: View, quantity: Item) -> Step | None:
    beside = view.screen.beside(quantity)
    shown = next((int(item.label) for item in beside if item.label.isdecimal()), 1)
    ordered_count = int(view.slots.get("count", "1"))
    if shown == ordered_count:
        return None
    label = ("increase", "plus") if shown < ordered_count else ("decrease", "minus")
    step = next((item for item in beside if any(closeness(text, item.label) for text in label)), None)
    return reach(view, step) if step else None


def item_is_wanted(view: View) -> bool:
    """Whether the page shows what was asked for, or at least something like it after a tap."""
    if title(view, "{what}"):
        return True
    near = view.screen.find(view.slots["what"], where=lambda item: item.point.y < 0.11)
    return near is not None and view.just_did("click") > 0


in_menu: Check = sees("Check out", "去结算", least=4)
in_item: Check = either(
    sees("Add to cart", "加入购物车", least=4), sees("Buy now", "Buy it now", "立即购买", "马上购买", least=4)
)
in_results: Check = sees("Best match", "综合", least=4)
on_search_page: Check = sees("Recent searches", "搜索历史", least=4)


def _searched(view: View) -> bool:
    return bool(view.screen.fields) and view.holds(view.screen.fields[0], view.slots["query"])


def _holds_earlier(view: View) -> bool:
    """Whether the field still holds another search, which the page lists among those of before."""
    fields = view.screen.fields
    if not fields or view.holds(fields[0], view.slots["query"]):
        return False
    return any(
        item.tappable and item not in fields and item.label == fields[0].label for item in view.screen.items
    )


def searching(choose: Rule, *titles: str) -> tuple[Rule, ...]:
    """From the first page, which has one of the titles, to the choice among the results."""
    return (
        when(
            in_results,
            when(
                _searched,
                choose,
                when(
                    sees("Nothing found. Try other words.", "没有找到，换个词试试。", least=4),
                    give_up("{what} was not found.", "没有找到{what}。"),
                ),
            ),
            # What an earlier turn searched for says nothing about this one.
            when(no(_searched), back("This is an earlier search.", "这是上一次的搜索。")),
        ),
        when(
            on_search_page,
            when(_holds_earlier, back("This is an earlier search.", "这是上一次的搜索。")),
            write("{query}", submit=True),
        ),
        when(page(*titles), search_entry),
    )
