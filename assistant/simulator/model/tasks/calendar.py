"""Appointments: adding, deleting, looking up."""

from __future__ import annotations

import re

from assistant.simulator.model.rules import (
    Check,
    Rule,
    Task,
    agree_to_delete,
    done,
    either,
    finish,
    give_up,
    given,
    look_for,
    no,
    page,
    sees,
    tap,
    when,
    write,
)
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.times import clock_time, day_offset

APP = ("Calendar", "日历")
PACKAGE = "com.example.calendar"
DAYS = ("Today", "Tomorrow", "In two days")

_DAY_EN = r"(?:,? (?:today|tonight|tomorrow|tmrw?|the day after tomorrow))?"
_HOUR_EN = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_WHEN_EN = _DAY_EN + rf"(?:,? (?:at|from) (?:{_HOUR_EN}(?::\d{{2}})?(?: ?[ap]\.?m\.?)?))" + _DAY_EN
_NUMBER_ZH = r"[\d零一二三四五六七八九十两]{1,3}"
_WHEN_ZH = (
    r"(?:今天|明天|后天|今晚|明早|明晚)?(?:早上|上午|中午|下午|晚上)?"
    rf"{_NUMBER_ZH}[点:：](?:半|[一三]刻|{_NUMBER_ZH}分?)?钟?"
)


def _appointment(slots: dict[str, str], instruction: str) -> dict[str, str]:
    time, offset = clock_time(instruction), day_offset(instruction)
    read = {"day": DAYS[offset]} if offset is not None else {}
    return {**slots, **read, **({"time": f"{time[0]:02}:{time[1]:02}"} if time else {})}


def is_event(item: Item) -> bool:
    """Whether an element is an event's row: it shows from when to when."""
    return item.tappable and re.search(r"\d\d:\d\d", item.label) is not None


def _event_is_there(view: View) -> Step | None:
    """The agenda lists the event at its time."""
    rows = view.screen.all(view.slots["what"], least=3, where=is_event)
    matching = [row for row in rows if view.slots.get("time", "") in row.label]
    return (
        view.finish(view.say(f"In the calendar: {matching[0].label}", f"已加到日历：{matching[0].label}"))
        if matching
        else None
    )


def _tell_event(view: View) -> Step | None:
    """Answer with the event's date, time and place, from its own page."""
    values = [
        item.label
        for item in view.screen.items
        if re.search(r"\d\d:\d\d|\d{4}-\d\d-\d\d|\d月\d+日", item.label)
    ]
    place = view.screen.find("Place", "地点", least=4)
    beside = view.screen.beside(place) if place else []
    values += [item.label for item in beside if item.label not in ("-", *values)]
    return view.finish(view.say("{what}: ", "{what}：") + ", ".join(values)) if values else None


on_agenda: Check = page(*APP)
agenda_tab: Rule = tap("Agenda", "日程", least=4, where=lambda item: item.tappable and item.point.y > 0.85)
absent = give_up("There is no “{what}” in the calendar.", "日历里没有“{what}”。")

add = Task(
    name="add an event",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"(?:add|create|schedule|put|enter|make)(?: an?| the)?(?: new)?(?: (?:calendar )?"
        r"(?:event|appointment|entry))?(?: (?:called|named|for))?:? ['\"“]?(?P<what>.+?)['\"”]?(?: "
        r"(?:to|in|into|on) (?:my |the )?calendar)?"
        + _WHEN_EN
        + r"(?: (?:at|in) (?P<place>[^\d].*?))?(?: (?:to|in|into|on) (?:my |the )?calendar)?",
        r"remind me to (?P<what>.+?)" + _WHEN_EN,
        r"remind me" + _WHEN_EN + r" to (?P<what>.+)",
        rf"提醒我(?:在)?{_WHEN_ZH}(?:去)?(?P<what>.+)",
        rf"{_WHEN_ZH}提醒我(?:去)?(?P<what>.+)",
        rf"(?:在)?日历(?:里|上|中)?(?:添加|新建|加|创建|记|安排)(?:一个|个|一下)?{_WHEN_ZH}(?:的)?(?:日程)?[:：,，]?(?P<what>.+?)"
        rf"(?:的日程)?",
        rf"(?:添加|新建|加|创建|安排)(?:一个|个)?(?:日程|日历)?[:：,，]?{_WHEN_ZH}(?:的)?[:：,，]?(?P<what>.+?)(?:的日程|到日历)?",
        rf"{_WHEN_ZH}(?:加|添加|新建|安排|记)(?:一个|个|一下)?(?:日程)?[:：,，]?(?P<what>.+)",
    ),
    prepare=_appointment,
    rules=(
        when(
            page("New event", "新建日程", "Edit event", "编辑日程"),
            write("{what}", 0),
            when(
                given("day"),
                when(
                    no(done("click", "{day}")), tap("Date", "日期", least=3, where=lambda item: item.tappable)
                ),
            ),
            when(given("time"), write("{time}", 1)),
            when(given("place"), write("{place}", 3)),
            tap("save", "Save", "保存", least=4),
        ),
        when(page("Date", "选择日期"), tap("{day}", least=3)),
        when(on_agenda, when(done("click", "save"), _event_is_there, look_for("{what}"))),
        when(on_agenda, tap("add event", "New event", "新建日程", least=4)),
        agenda_tab,
    ),
)

delete = Task(
    name="delete an event",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"(?:delete|remove|cancel) (?:the |my )?(?:event |appointment )?['\"“]?(?P<what>.+?)['\"”]?"
        r"(?: event| appointment)?(?: (?:from|in) (?:my |the )?calendar)",
        r"(?:delete|remove|cancel) (?:the |my )?(?:event|appointment) ['\"“]?(?P<what>.+?)['\"”]?",
        r"(?:把)?日历(?:里|上|中)?(?:的)?(?P<what>.+?)(?:删掉|删除|取消|删了)",
        r"(?:删除|取消|删掉)日历(?:里|上|中)?(?:的)?(?P<what>.+?)(?:日程)?",
    ),
    rules=(
        agree_to_delete("Delete event?", "删除日程？"),
        when(
            sees("Event deleted", "日程已删除", least=4),
            finish("Deleted from the calendar: {what}", "已从日历删除：{what}"),
        ),
        when(
            page("{what}"), tap("delete", "Delete", "删除", least=4, where=lambda item: item.point.y < 0.11)
        ),
        when(
            on_agenda,
            when(
                lambda view: view.did("click", "Delete") >= 2,
                when(
                    no(sees("{what}", least=3, where=is_event)),
                    finish("Deleted from the calendar: {what}", "已从日历删除：{what}"),
                ),
            ),
            look_for("{what}", missing=absent),
        ),
        agenda_tab,
    ),
)

look_up = Task(
    name="look up an event",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"when (?:is|do i have) (?:my |the )?(?P<what>.+?)(?: (?:in|on) (?:my |the )?calendar)?",
        r"(?:look up|find|check) (?:when )?(?:my |the )?(?P<what>.+?)(?: is)? (?:in|on) "
        r"(?:my |the )?calendar",
        r"(?:查一下|看看|查查)?(?:日历(?:里|上|中)?(?:的)?)?(?P<what>.+?)是?(?:什么时候|几点|哪天)(?:开始)?",
    ),
    rules=(
        when(either(sees("Place", "地点", least=4)), _tell_event),
        when(on_agenda, look_for("{what}", missing=absent)),
        agenda_tab,
    ),
)

TASKS = (add, delete, look_up)
