"""Notes, the web, the weather, the app store: things to read and write."""

from __future__ import annotations

import itertools
import re

from assistant.simulator.model.rules import (
    Check,
    Rule,
    Task,
    agree_to_delete,
    at_top,
    both,
    done,
    finish,
    give_up,
    given,
    look_for,
    no,
    page,
    search,
    search_entry,
    sees,
    tap,
    title,
    when,
    write,
)
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.times import day_offset, days

NOTES = ("Notes", "便签")
BROWSER = ("Browser", "浏览器")
WEATHER = ("Weather", "天气")
STORE = ("App Store", "应用商店")

_WEEK = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def is_entry(item: Item) -> bool:
    """Whether an element is an entry of a list."""
    return item.tappable and item.kind == "item"


on_note: Check = both(page("Note", "便签"), sees("save", "Save", "保存", least=4))
on_notes: Check = both(page(*NOTES), no(sees("save", "Save", "保存", least=4)))

take_note = Task(
    name="take a note",
    app=NOTES,
    package="com.example.notes",
    patterns=(
        r"(?:make|take|write|create|add|save) (?:me )?(?:a |the )?(?:new )?note "
        r"(?:titled|called|named) ['\"“]?(?P<title>.+?)['\"”]?(?:[:,]| saying| that says| with"
        r"(?: the text)?) ['\"“]?(?P<text>.+?)['\"”]?",
        r"(?:make|take|write|create|add|save) (?:me )?(?:a |the )?(?:new )?note(?: to self)?"
        r"(?:[:,]| saying| that says| that| to)? ['\"“]?(?P<text>.+?)['\"”]?",
        r"note down(?: that)?:? (?P<text>.+)",
        r"(?:记|写|新建|建|添加|加)(?:一?下|一?个|一?条|一张)?便签[,，]?(?:标题(?:是|为)?(?P<title>.+?)[,，]内容(?:是|为)?)?[:：,，]?"
        r"(?P<text>.+)",
        r"(?:记一下|帮我记一下|记下来?)[:：,，]?(?P<text>.+)",
    ),
    rules=(
        when(
            on_note,
            when(given("title"), write("{title}", 0)),
            write("{text}", 1),
            tap("save", "Save", "保存", least=4),
        ),
        when(
            both(on_notes, done("click", "save")),
            when(
                sees("{text}", least=2, where=is_entry),
                finish("The note is saved: {text}", "便签已保存：{text}"),
            ),
        ),
        when(on_notes, tap("fab", "New note", "新建便签", least=4)),
    ),
)

delete_note = Task(
    name="delete a note",
    app=NOTES,
    package="com.example.notes",
    patterns=(
        r"(?:delete|remove) (?:the |my )?note (?:about |called |titled |named |on )?['\"“]?"
        r"(?P<what>.+?)['\"”]?",
        r"(?:delete|remove) (?:the |my )?['\"“]?(?P<what>.+?)['\"”]? note",
        r"(?:删除|删掉)便签[“\"]?(?P<what>.+?)[”\"]?",
        r"把便签[“\"]?(?P<what>.+?)[”\"]?(?:删掉|删除|删了)",
    ),
    rules=(
        agree_to_delete("Delete note?", "删除便签？"),
        when(on_note, tap("delete", "Delete", "删除", least=4)),
        when(
            on_notes,
            when(
                lambda view: view.did("click", "delete") >= 2,
                when(
                    no(sees("{what}", least=3, where=is_entry)),
                    finish("The note {what} is deleted.", "便签{what}已删除。"),
                ),
            ),
            look_for("{what}", missing=give_up("There is no note {what}.", "没有便签“{what}”。")),
        ),
    ),
)


def _tell_note(view: View) -> Step | None:
    fields = view.screen.fields
    return view.finish(fields[1].label) if len(fields) > 1 else None


read_note = Task(
    name="read a note",
    app=NOTES,
    package="com.example.notes",
    patterns=(
        r"(?:read|show|open)(?: me)? (?:the |my )?note (?:about |called |titled |named |on )?['\"“]?"
        r"(?P<what>.+?)['\"”]?",
        r"what (?:is|does) (?:in |it say in )?(?:the |my )?note (?:about |called |titled )?['\"“]?"
        r"(?P<what>.+?)['\"”]?(?: say)?",
        r"(?:看看|读一下|打开|看一下)便签[“\"]?(?P<what>.+?)[”\"]?(?:里写了什么)?",
    ),
    rules=(
        when(on_note, _tell_note),
        when(on_notes, look_for("{what}", missing=give_up("There is no note {what}.", "没有便签“{what}”。"))),
    ),
)


_RESULT = "result item"
"""How a result is listed whose words are too many for one line: they follow in lines of their own."""


def _first_result(view: View) -> Step | None:
    """Open the first result that is not paid for."""
    rows = [row for row in view.screen.items if is_entry(row) and ("·" in row.label or row.label == _RESULT)]
    honest = [row for row in rows if not re.search("Sponsored|广告", _words_of(row, view))]
    if honest:
        return view.tap(honest[0])
    if view.screen.find("No results", "没有找到相关结果", least=4):
        return view.give_up(view.say("Nothing was found about {what}.", "没有找到关于{what}的内容。"))
    return None


def _words_of(row: Item, view: View) -> str:
    """What a row says: its label, or the texts listed behind it up to the next row."""
    behind = itertools.takewhile(
        lambda item: not is_entry(item), (item for item in view.screen.items if item.place > row.place)
    )
    return " ".join([row.label, *(item.label for item in behind)]) if row.label == _RESULT else row.label


def _tell_page(view: View) -> Step | None:
    """Answer with the first paragraph of the open page."""
    chosen = next((past.detail for past in reversed(view.situation.history) if past.type == "click"), "")
    if not view.did("press_enter") or ("·" not in chosen and chosen != _RESULT):
        return view.back(view.say("This page was not meant.", "不是这个网页，返回。"))
    star = view.screen.find("bookmark", "Bookmark", "收藏", least=4, where=lambda item: not at_top(item))
    if star is None:
        return None
    long = [
        item
        for item in view.screen.items
        if item.kind == "text" and item.place > star.place and len(item.label) > 15
    ]
    return view.finish(long[0].label) if long else None


def _on_web_page(view: View) -> bool:
    fields = [item for item in view.screen.fields if at_top(item)]
    return bool(fields) and "." in fields[0].label and "focused" not in fields[0].flags


look_up = Task(
    name="look something up on the web",
    app=BROWSER,
    package="com.example.browser",
    patterns=(
        r"(?:search|look)(?: on)? (?:the )?(?:web|internet|browser|online)(?: for| up)? (?P<what>.+?)",
        r"(?:look up|search for|search|google|find) (?P<what>.+?) (?:on|in) (?:the )?"
        r"(?:web|internet|browser)",
        r"(?:look up|search for|search|google) (?P<what>.+?) online",
        r"(?:用浏览器|在浏览器(?:里|上|中)?|上网|网上)(?:搜索|搜|查|查找|找)(?:一下|一搜)?(?P<what>.+?)",
    ),
    rules=(
        when(_on_web_page, _tell_page),
        search("{what}", _first_result),
    ),
)


def _weather(slots: dict[str, str], instruction: str) -> dict[str, str]:
    offset, chosen = day_offset(instruction), days(instruction)
    day = (
        ("Today", "Tomorrow")[offset]
        if offset in (0, 1)
        else (_WEEK[chosen[0]] if len(chosen) == 1 else "Today")
    )
    city = re.sub(r"^(?:in|for) ", "", slots.get("city", ""))
    return {**slots, "day": day, "city": city}


def _tell_weather(view: View) -> Step | None:
    """Answer with the day's line of the forecast."""
    heading = next((item.label for item in view.screen.items if at_top(item) and item.kind == "text"), "")
    if view.slots["city"] and title(view, "{city}") is None:
        return None
    day = view.slots["day"]
    lines = [item for item in view.screen.items if re.match(rf"{day}\b|{_CHINESE_DAYS[day]}", item.label)]
    if not lines:
        return None
    beside = [item.label for item in view.screen.beside(lines[0], within=0.03)]
    words = list(dict.fromkeys([lines[0].label, *(part for part in beside if part not in lines[0].label)]))
    return view.finish(f"{heading}: {', '.join(words)}")


_CHINESE_DAYS = {"Today": "今天", "Tomorrow": "明天"} | dict(
    zip(_WEEK, ("周一", "周二", "周三", "周四", "周五", "周六", "周日"), strict=True)
)
in_forecast: Check = sees("15 days", "15天预报", least=4)

weather = Task(
    name="tell the weather",
    app=WEATHER,
    package="com.example.weather",
    patterns=(
        r"(?:what(?:'s| is| will)|how(?:'s| is| will)|check|look up|tell me|show)(?: me)? (?:the )?weather"
        r"(?: be)?(?: like)?(?: (?:today|tomorrow|on \w+day))?(?: (?:in|for) (?P<city>.+?))?(?: "
        r"(?:today|tomorrow|on \w+day))?",
        r"will it (?:rain|snow|be \w+)(?: (?:today|tomorrow|on \w+day))?(?: in (?P<city>.+?))?(?: "
        r"(?:today|tomorrow|on \w+day))?",
        r"(?:查一下|看看|查查|查|看一下)?(?:今天|明天|周.|星期.)?(?:的)?(?P<city>(?!今天|明天)[\u4e00-\u9fff]{2,3}?)?"
        r"(?:今天|明天|周.|星期.)?(?:的)?天气(?:怎么样|如何|好吗|预报)?",
    ),
    prepare=_weather,
    rules=(
        when(in_forecast, _tell_weather),
        when(
            in_forecast,
            when(given("city"), tap("search button", "Search city", "搜索城市", least=4)),
        ),
        search("{city}", tap("{city}", least=3, where=is_entry), live=True),
    ),
)

installing: Check = sees("Installing", "安装中", least=4)
_fits_offer: Rule = tap("{what}", least=3, where=lambda item: item.tappable and item.kind == "item")

install = Task(
    name="install an app",
    app=STORE,
    package="com.example.store",
    patterns=(
        r"(?:install|download|get)(?! me\b| us\b) (?:the )?(?:app )?(?:called )?(?P<what>.+?)(?: app)?"
        r"(?: from (?:the )?(?:app )?store)?",
        r"(?:安装|下载|装)(?:一个|一下)?(?:应用)?(?P<what>.+?)(?:这个)?(?:应用|app)?",
    ),
    rules=(
        when(
            installing,
            lambda view: view.wait(view.say("It is being installed. I wait.", "正在安装，等一下。")),
        ),
        when(
            page("{what}"),
            when(sees("Open", "打开", least=4), finish("{what} is installed.", "{what}已安装。")),
            tap("Install", "安装", least=4),
            when(
                sees("Sign up", "Signed up", "预约", "已预约", least=4),
                give_up("{what} cannot be installed yet.", "{what}还不能安装。"),
            ),
        ),
        when(
            sees("No such app", "没有找到应用", least=4),
            give_up("There is no app called {what}.", "没有找到应用“{what}”。"),
        ),
        search("{what}", _fits_offer, "search bar"),
        when(page(*STORE), search_entry),
    ),
)

TASKS = (delete_note, read_note, take_note, look_up, weather, install)
