"""Going somewhere: maps and rides."""

from __future__ import annotations

import re

from assistant.records import Direction
from assistant.simulator.model.rules import (
    Task,
    finish,
    give_up,
    given,
    page,
    search,
    sees,
    tap,
    when,
)
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.words import closeness

MAPS = ("Maps", "地图")
RIDE = ("Ride", "打车")

_MODES = (
    (r"walk|on foot|步行|走路|走", "Walk"),
    (r"cycl|bike|骑行|骑车", "Cycle"),
    (r"bus|transit|public|公交|地铁", "Transit"),
    (r"driv|car|驾车|开车", "Drive"),
)
_MOST_SCROLLS = 3
_CARS = r"(?P<car>[\w ]+?) (?:car |ride |taxi )?"


def _mode(slots: dict[str, str], instruction: str) -> dict[str, str]:
    rest = instruction.replace(slots.get("goal", ""), "")
    mode = next((mode for words, mode in _MODES if re.search(words, rest, re.I)), "")
    return {**slots, "mode": mode}


def is_place(item: Item) -> bool:
    """Whether an element is a place in a list."""
    return item.tappable and item.kind == "item"


def _mode_chip(view: View) -> Item | None:
    mode = view.slots.get("mode")
    return view.screen.find(mode, where=lambda item: item.kind == "button") if mode else None


def _choose_mode(view: View) -> Step | None:
    """Choose the wanted mode; on a narrow screen it stands beyond the edge."""
    chip = _mode_chip(view)
    if chip is not None or not view.slots.get("mode"):
        return view.tap(chip) if chip is not None and not chip.on else None
    rows = [item for item in view.screen.items if item.kind == "scroller" and "chips" in item.label]
    if rows and view.may_scroll(_MOST_SCROLLS):
        return view.scroll(Direction.RIGHT, view.slots["mode"], rows[0])
    return view.give_up(view.say("There is no such way to go.", "没有这种出行方式。"))


def _tell_duration(view: View) -> Step | None:
    """Answer with the time that the chosen way takes."""
    chip = _mode_chip(view)
    if chip and not chip.on:
        return view.tap(chip)
    shown = view.screen.find(where=lambda item: re.fullmatch(r"\d+ (?:min|分钟)", item.label) is not None)
    return (
        view.finish(view.say(f"To {{goal}}: {shown.label}", f"到{{goal}}：{shown.label}")) if shown else None
    )


def _tell_hours(view: View) -> Step | None:
    row = view.screen.find("Opening hours", "营业时间", where=lambda item: item.point.y > 0.11)
    if row is None:
        return None
    hours = re.search(
        r"\d\d:\d\d – \d\d:\d\d", "\n".join([row.label, *(item.label for item in view.screen.items)])
    )
    return view.finish(view.say("{goal}: ", "{goal}：") + hours.group()) if hours else None


to_place = search("{goal}", tap("{goal}", where=is_place), "Search here", "搜索地点", "search bar")
_MAPS_HOME = (when(page(*MAPS), to_place), to_place)

navigate = Task(
    name="navigate",
    app=MAPS,
    package="com.example.maps",
    patterns=(
        r"(?:navigate|take me|(?:give me |get )?directions|start navigation|guide me|show me the way)"
        r" (?:to )?(?:the )?(?P<goal>.+?)"
        r"(?: on foot| by (?:bike|car|bus|public transport|transit)| walking| cycling| driving)?",
        r"(?:walk|drive|cycle) me to (?:the )?(?P<goal>.+?)",
        r"(?:步行|走路|骑车|骑行|开车|驾车|坐公交|乘公交)?导航(?:步行|骑行|驾车|公交)?(?:到|去|回)(?P<goal>.+?)",
        r"(?:带我|怎么)(?:步行|走路|骑车|开车|坐公交)?(?:去|到|回)(?P<goal>.+?)",
    ),
    prepare=_mode,
    rules=(
        when(
            sees("End", "结束导航", least=4),
            when(
                sees("To {goal}", "前往 {goal}", least=4),
                finish("Navigation to {goal} runs.", "正在导航前往{goal}。"),
            ),
            when(
                lambda view: any(
                    closeness(view.slots["goal"], i.label[2:])
                    for i in view.screen.items
                    if re.match("To |前往", i.label)
                ),
                finish("Navigation to {goal} runs.", "正在导航前往{goal}。"),
            ),
            tap("End", "结束导航", least=4),
        ),
        when(
            sees("Start", "开始导航", least=4),
            when(page("{goal}"), _choose_mode, tap("Start", "开始导航", least=4)),
        ),
        when(page("{goal}"), tap("Directions", "路线", least=4)),
        *_MAPS_HOME,
    ),
)

duration = Task(
    name="tell how long a way takes",
    app=MAPS,
    package="com.example.maps",
    patterns=(
        r"how long (?:does it take|will it take|is it|is the way)? ?(?:to "
        r"(?:walk|drive|cycle|go|get|take the bus) )?to (?:the )?(?P<goal>.+?)(?: on foot| by "
        r"(?:bike|car|bus|public transport|transit)| walking)?",
        r"(?:查一下|看看)?(?:步行|走路|走|骑车|开车|坐公交|驾车)?(?:到|去)(?P<goal>.+?)(?:步行|走路|骑车|开车|坐公交)?要?(?:多久|多长时间)",
    ),
    prepare=_mode,
    rules=(
        when(sees("Start", "开始导航", least=4), when(page("{goal}"), _tell_duration)),
        when(page("{goal}"), tap("Directions", "路线", least=4)),
        *_MAPS_HOME,
    ),
)

hours = Task(
    name="tell opening hours",
    app=MAPS,
    package="com.example.maps",
    patterns=(
        r"(?:what are the |tell me the |check the |look up the |find the )?opening hours (?:of|for) "
        r"(?:the )?(?P<goal>.+?)",
        r"when (?:does|is) (?:the )?(?P<goal>.+?) (?:open|close)",
        r"(?:查一下|查查|看看)?(?P<goal>.+?)(?:的)?(?:营业时间|几点开门|几点关门)(?:是什么时候|是多少)?",
    ),
    rules=(when(sees("Directions", "路线", least=4), when(page("{goal}"), _tell_hours)), *_MAPS_HOME),
)


def _choose_car(view: View) -> Step | None:
    """Choose the kind of car that was asked for."""
    row = view.screen.find(view.slots["car"], least=2, where=is_place)
    if row is None:
        return view.give_up(view.say("There is no {car} car.", "没有{car}车型。"))
    marks = view.screen.beside(row, where=lambda item: item.kind == "radio")
    return view.tap(row) if marks and not marks[0].on else None


def _driver_comes(view: View) -> Step | None:
    row = view.screen.find(where=lambda item: re.search(r"min away|分钟到达", item.label) is not None)
    if row is None:
        return None
    return view.finish(
        view.say(f"The ride to {{goal}} is booked: {row.label}", f"去{{goal}}的车已叫到：{row.label}")
    )


def _leads_to_goal(view: View) -> bool:
    titles = [item.label for item in view.screen.items if item.point.y < 0.11 and "→" in item.label]
    # Of an entry that was chosen by its address the title has the name.
    chosen = bool(view.did("click", view.slots["goal"]))
    return any(chosen or closeness(view.slots["goal"], title.partition("→")[2]) for title in titles)


def _tell_price(view: View) -> Step | None:
    price = view.screen.find(where=lambda item: item.label.startswith("¥") and item.point.y > 0.8)
    return (
        view.finish(view.say(f"To {{goal}}: {price.label}", f"到{{goal}}：{price.label}")) if price else None
    )


choose_goal = (
    when(
        page(*RIDE),
        when(
            sees("Choose pick-up", "选择上车地点"),
            give_up("The pick-up place is not known.", "不知道上车地点。"),
        ),
        tap("Where to?", "你要去哪儿？", least=3),
    ),
    search("{goal}", tap("{goal}", where=is_place), live=True),
)

ride = Task(
    name="request a ride",
    app=RIDE,
    package="com.example.taxi",
    patterns=(
        rf"(?:call|get|book|order|request|hail)(?: me)? an? (?:{_CARS})?(?:taxi|cab|ride|car) (?:home|to "
        rf"(?:the )?(?P<goal>.+?))",
        r"(?:take|get) a (?:taxi|cab|ride) to (?:the )?(?P<goal>.+?)",
        r"(?:打|叫)(?:一?辆|个)?(?P<car>[\u4e00-\u9fff]{2,3})?(?:车|的)(?:去|到|回)(?P<goal>.+?)",
    ),
    corrections=(
        r"(?:no, )?(?:go )?to (?:the )?(?P<goal>.+?) instead",
        r"(?:take|use) (?:the |an? )?(?P<car>.+?)(?: car)?(?: instead)?",
        r"(?:改)?(?:去|到)(?P<goal>.+?)吧?",
    ),
    defaults={"goal": "Home"},
    rules=(
        when(page("Your ride", "我的行程"), _driver_comes),
        when(_leads_to_goal, when(given("car"), _choose_car), tap("Request ride", "呼叫用车", least=4)),
        *choose_goal,
    ),
)

price = Task(
    name="tell what a ride costs",
    app=RIDE,
    package="com.example.taxi",
    patterns=(
        r"how much (?:is|does|would|will) (?:a |the )?(?:taxi|ride|cab)(?: cost)? to (?:the )?"
        r"(?P<goal>.+?)(?: cost)?",
        r"(?:查一下|看看)?打车(?:去|到)(?P<goal>.+?)(?:要)?多少钱",
    ),
    rules=(when(_leads_to_goal, _tell_price), *choose_goal),
)

TASKS = (price, ride, duration, hours, navigate)
