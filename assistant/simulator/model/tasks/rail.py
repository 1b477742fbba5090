"""Trains: looking up and booking."""

from __future__ import annotations

import re

from assistant.records import Direction
from assistant.simulator.model.rules import (
    Rule,
    Task,
    both,
    finish,
    given,
    page,
    sees,
    tap,
    title,
    when,
    write,
)
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.tasks.payment import PAYBOX, is_button, pay
from assistant.simulator.model.times import day_offset
from assistant.simulator.model.words import closeness

APP = ("Rail", "火车票")
PACKAGE = "com.example.rail"

_DAY_PARTS = (
    (r"early|凌晨|清晨", 0, 8),
    (r"morning|上午|早上|早晨|明早", 5, 12),
    (r"afternoon|下午", 12, 18),
    (r"evening|tonight|night|晚上|今晚|明晚|傍晚", 18, 24),
)
_DAYS = (("Today", "今天"), ("Tomorrow", "明天"), ("In two days", "后天"))
_ROW = re.compile(r"(?P<number>[GDKC]\d+)\s+(?P<hour>\d\d):(?P<minute>\d\d) – (?P<arrive>\d\d:\d\d)")
_SHOWN = 3


def _trip(slots: dict[str, str], instruction: str) -> dict[str, str]:
    first, last = next(((a, b) for words, a, b in _DAY_PARTS if re.search(words, instruction, re.I)), (0, 24))
    offset = day_offset(instruction)
    day = dict(zip(("day", "day_zh"), _DAYS[offset], strict=True)) if offset is not None else {}
    cheap = "1" if re.search(r"cheap|最便宜", instruction, re.I) else ""
    fast = "1" if re.search(r"high.?speed|fast train|高铁", instruction, re.I) else ""
    seat = next(
        (
            seat_class
            for seat_class in ("First class", "Business class")
            if re.search(seat_class, instruction, re.I)
        ),
        "Second class",
    )
    seat = {"一等": "First class", "商务": "Business class"}.get(
        next(iter(re.findall("一等|商务", instruction)), ""), seat
    )
    return slots | day | {"first": str(first), "last": str(last), "cheap": cheap, "fast": fast, "seat": seat}


def _trains(view: View) -> list[tuple[Item, re.Match[str]]]:
    """The listed trains that leave in the wanted part of the day and have seats."""
    rows = [(item, match) for item in view.screen.items if (match := _ROW.search(item.label))]
    first, last = int(view.slots["first"]), int(view.slots["last"])
    return [
        (item, match)
        for item, match in rows
        if first <= int(match["hour"]) < last and not re.search("Sold out|无票", item.label)
    ]


def _listed(view: View) -> bool:
    heading = title(view, "{origin}") or view.screen.find(
        *view.filled("{origin}"), where=lambda item: item.point.y < 0.11
    )
    return heading is not None and "→" in heading.label and _leads(view, heading.label)


def _leads(view: View, label: str) -> bool:
    origin, _, goal = label.partition("→")
    return closeness(view.slots["origin"], origin) >= 4 and closeness(view.slots["goal"], goal) >= 4


def _scroll_on(view: View) -> Step | None:
    lists = [item for item in view.screen.items if "scrollable" in item.flags and item.kind == "list"]
    if lists and view.may_scroll(6):
        return view.scroll(Direction.DOWN, view.say("a train at that time", "合适的车次"), lists[-1])
    if not any(_ROW.search(item.label) for item in view.screen.items) and view.just_did("wait") < 3:
        return view.wait(view.say("The trains are not here yet.", "车次还没出来，等一下。"))
    return view.give_up(view.say("There is no such train with free seats.", "没有合适的有票车次。"))


def _tell(view: View) -> Step | None:
    """Answer with the first trains in the list."""
    rows = _trains(view)
    if not rows:
        return _scroll_on(view)
    trains = "; ".join(_told(item, match) for item, match in rows[:_SHOWN])
    return view.finish(view.say(f"From {{origin}} to {{goal}}: {trains}", f"{{origin}}到{{goal}}：{trains}"))


def _told(item: Item, match: re.Match[str]) -> str:
    price = re.search(r"¥[\d.]+", item.label)
    shown = f"{match['number']} {match['hour']}:{match['minute']}–{match['arrive']}"
    return f"{shown} {price.group()}" if price else shown


def _take(view: View) -> Step | None:
    rows = _trains(view)
    return view.tap(rows[0][0]) if rows else _scroll_on(view)


def _book_seat(view: View) -> Step | None:
    """Press the button in the row of the wanted class."""
    row = view.screen.find(*view.filled("{seat}"), least=3, where=lambda item: item.kind != "button")
    if row is None:
        return None
    buttons = view.screen.beside(row, where=is_button, within=0.03)
    tapped = next((past.detail for past in reversed(view.situation.history) if past.type == "click"), "")
    if not buttons and re.search("Sold out|无票", tapped):
        return view.back(view.say("This is the wrong train.", "不是这趟车，返回。"))
    if not buttons:
        return view.give_up(view.say("{seat} is sold out.", "{seat}没票了。"))
    return view.tap(buttons[-1])


def _choosing(view: View) -> str:
    """Which city is being chosen: that of the row tapped last."""
    for past in reversed(view.situation.history):
        if past.type == "click" and re.match("From|出发地", past.detail):
            return "{origin}"
        if past.type == "click" and re.match("To|目的地", past.detail):
            return "{goal}"
    return "{origin}"


def _choose_city(view: View) -> Step | None:
    if not view.screen.fields or not view.screen.find(
        "City or station", "城市或车站", where=lambda i: i.kind == "field"
    ):
        typed = [item for item in view.screen.fields if view.holds(item, view.fill(_choosing(view)))]
        if not typed:
            return None
    city = _choosing(view)
    step = tap(city, least=3, where=lambda item: item.kind not in ("field", "text") and item.tappable)(view)
    if step is None and view.did("type", view.fill(city)):
        return view.give_up(view.say(f"There is no station {city}.", f"没有车站“{city}”。"))
    return step or write(city)(view)


def _wrong(label: str, chinese: str, slot: str) -> Rule:
    """Tap a line of the form that does not show what is wanted."""

    def rule(view: View) -> Step | None:
        row = view.screen.find(
            label, chinese, least=3, where=lambda item: item.tappable and "·" in item.label
        )
        if row is None or any(closeness(view.fill(slot), part) >= 4 for part in row.parts[1:]):
            return None
        return view.tap(row)

    return rule


def _date(view: View) -> Step | None:
    if (
        not view.slots.get("day")
        or view.did("click", view.slots["day"])
        or view.did("click", view.slots["day_zh"])
    ):
        return None
    return tap("Date", "出发日期", least=3, where=lambda item: item.tappable)(view)


on_form = page(*APP)
search: tuple[Rule, ...] = (
    when(on_form, _wrong("From", "出发地", "{origin}"), _wrong("To", "目的地", "{goal}"), _date),
    when(on_form, tap("Search trains", "Find trains", "查询车票", "查找车票", least=4)),
    when(page("Date", "选择日期"), tap("{day}", "{day_zh}", least=3)),
    _choose_city,
)
order = when(
    _listed, when(given("cheap"), tap("Cheapest first", "价格优先", least=4, where=lambda i: not i.on))
)
fast_only = when(
    _listed, when(given("fast"), tap("High-speed only", "只看高铁", least=4, where=lambda i: not i.on))
)

_TRIP_EN = (
    r".*?\bfrom (?P<origin>[A-Z][\w']+) to (?P<goal>[A-Z][\w']+).*",
    r".*?\bto (?P<goal>[A-Z][\w']+) from (?P<origin>[A-Z][\w']+).*",
)
_TRIP_ZH = (
    r".*?(?:从)?(?P<origin>[\u4e00-\u9fff]{2,3}?)(?:到|去|至)(?P<goal>[\u4e00-\u9fff]{2,3}?)(?:的)?(?:最便宜的)?"
    r"(?:火车|高铁|动车|车票|车次|票).*"
)
_PREFIX_ZH = r"(?:.*(?:明天|今天|后天|上午|下午|早上|晚上|明早|明晚|今晚))?"

book = Task(
    name="book a train",
    app=APP,
    package=PACKAGE,
    also=(PAYBOX,),
    patterns=(
        *(rf"(?:book|buy|reserve|get)\b(?=.*(?:train|ticket|seat)){trip}" for trip in _TRIP_EN),
        r"(?:订|买|预订|抢)(?:一)?张?" + _PREFIX_ZH + _TRIP_ZH,
    ),
    prepare=_trip,
    rules=(
        *pay,
        when(
            both(page("Ticket", "车票详情"), sees("Booked", "已出票", least=3)),
            finish("The ticket is booked.", "车票已订好。"),
        ),
        when(page("Confirm booking", "确认订单"), tap("Submit order", "提交订单", least=4)),
        when(sees("Book", "预订", least=4), _book_seat),
        order,
        fast_only,
        when(_listed, _take),
        *search,
    ),
)

look_up = Task(
    name="look up trains",
    app=APP,
    package=PACKAGE,
    patterns=(
        *(rf"(?=.*\btrains?\b){trip}" for trip in _TRIP_EN),
        r"(?:查|看|找|搜)?(?:一下|一查|询|看)?" + _PREFIX_ZH + _TRIP_ZH,
    ),
    prepare=_trip,
    rules=(order, fast_only, when(_listed, _tell), *search),
)

TASKS = (book, look_up)
