"""Alarms and timers."""

from __future__ import annotations

import re

from assistant.records import Direction
from assistant.simulator.model.rules import (
    Rule,
    Task,
    both,
    done,
    finish,
    give_up,
    given,
    handle,
    holds,
    look_for,
    no,
    page,
    reach,
    sees,
    tap,
    when,
    write,
)
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.times import EVERY_DAY, WEEKDAYS, clock_time, days, number

APP = ("Clock", "时钟")
PACKAGE = "com.example.clock"
DAY_CHIPS = (
    ("Mon", "周一"),
    ("Tue", "周二"),
    ("Wed", "周三"),
    ("Thu", "周四"),
    ("Fri", "周五"),
    ("Sat", "周六"),
    ("Sun", "周日"),
)


_AGAIN_EN = r"(?:every|each|daily|on (?:week|work)days|on (?:mon|tues|wednes|thurs|fri|satur|sun)days)"
_AGAIN_ZH = r"每(?:天|日|晚|个?(?:周|星期|礼拜)[一二三四五六日天末]|个?工作日)"


def _time_and_days(slots: dict[str, str], instruction: str) -> dict[str, str]:
    time = clock_time(slots.get("corrected", "")) or clock_time(instruction)
    if time is None:
        return slots
    hour, minute = time
    chosen = ",".join(map(str, days(instruction)))
    return slots | {
        "time": f"{hour:02}:{minute:02}",
        "hour": f"{hour:02}",
        "minute": f"{minute:02}",
        "days": chosen,
    }


def _wanted_days(view: View) -> set[int]:
    return {int(part) for part in view.slots.get("days", "").split(",") if part}


def _shows_days(item: Item, chosen_days: set[int]) -> bool:
    label = item.label
    if chosen_days == set(EVERY_DAY):
        return bool(re.search("Every day|每天", label))
    if chosen_days == set(WEEKDAYS):
        return bool(re.search("Weekdays|工作日", label))
    shown = {day for day, names in enumerate(DAY_CHIPS) if any(name in label for name in names)}
    return shown == chosen_days and not re.search("Every day|每天|Weekdays|工作日", label)


def _alarm(view: View) -> Item | None:
    """The row of the wanted alarm, with its days."""
    rows = view.screen.all(view.slots.get("time", ""), least=3, where=lambda item: item.tappable)
    return next((row for row in rows if _shows_days(row, _wanted_days(view))), None)


def _alarm_is_set(view: View) -> Step | None:
    row = _alarm(view)
    mark = handle(view, row) if row else None
    if row is None or mark is None:
        return None
    if not mark.on:
        return reach(view, mark)
    return view.finish(view.say(f"The alarm is set: {row.label}", f"闹钟已设好：{row.label}"))


def _choose_days(view: View) -> Step | None:
    """Tap the first weekday that is not as wanted."""
    chosen_days = _wanted_days(view)
    for day, names in enumerate(DAY_CHIPS):
        chip = view.screen.find(*names, least=4, where=lambda item: item.kind == "button")
        if chip and chip.on != (day in chosen_days):
            return reach(view, chip)
    hidden = [day for day in chosen_days if not view.screen.find(*DAY_CHIPS[day], least=4)]
    strip = next((item for item in view.screen.items if item.kind == "scroller"), None)
    if hidden and strip and view.may_scroll(3):
        return view.scroll(
            Direction.RIGHT if max(hidden) > 3 else Direction.LEFT, DAY_CHIPS[hidden[0]][0], strip
        )
    return None


on_alarms = page("Alarm", "闹钟")
editing = page("New alarm", "新建闹钟", "Edit alarm", "编辑闹钟")
alarm_tab: Rule = tap("Alarm", "闹钟", least=4, where=lambda item: item.tappable and item.point.y > 0.85)

no_time: Rule = give_up(
    "The command says no time for the alarm. Say it, such as: set an alarm for 6:30.",
    "没有说闹钟几点。请说出时间，例如：定一个6点半的闹钟。",
)

set_alarm = Task(
    name="set an alarm",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"(?:set|create|add|make) (?:an?|my|the) (?:\S+ )?(?:\S+ )?alarm .*?(?:(?:called|labell?ed|named) "
        r"(?P<label>.+))?",
        r"wake me (?:up )?.+",
        r"(?:定|设|设置|设定|新建|加|添加|订)(?:一)?(?:个|下)?.*闹钟.*",
        r".*(?:叫我起床|叫醒我|叫我起来|喊我起床)",
        r".*(?:的)?闹钟(?:定|设)(?:到|在|为).*",
        # A reminder that comes again rings as an alarm of that name on these days.
        rf"remind me (?:{_AGAIN_EN}|at \S+(?: [ap]\.?m\.?)? {_AGAIN_EN}).*? (?:to|about) (?P<label>.+)",
        rf"remind me to (?P<label>.+?) (?:{_AGAIN_EN}|at \S+(?: [ap]\.?m\.?)? {_AGAIN_EN}).*",
        rf"{_AGAIN_ZH}.*?提醒我(?:去)?(?P<label>.+)",
        rf"提醒我{_AGAIN_ZH}.*?[点半刻分整](?:钟)?(?:去)?(?P<label>.+)",
    ),
    prepare=_time_and_days,
    corrections=(
        r"(?:no,? |actually,? |sorry,? |wait,? |hold on,? )*"
        r"(?:make it|set it (?:to|for)|change it to|i (?:meant|said))? ?"
        r"(?P<corrected>\d{1,2}(?:[:.]\d{2})?.*)",
        r"(?:(?:等等|等一下|不对?)[,，]?)*(?:改成?|改到|换成?|改为|是)(?P<corrected>.+)",
    ),
    elsewhere=(when(no(given("time")), no_time),),
    rules=(
        when(no(given("time")), no_time),
        when(on_alarms, _alarm_is_set, when(done("click", "Save"), look_for("{time}"))),
        when(on_alarms, tap("fab", "Add alarm", "添加闹钟", least=4)),
        when(
            editing,
            write("{hour}", 0),
            write("{minute}", 1),
            when(given("label"), write("{label}", 2)),
            _choose_days,
            tap("Save", "保存", least=4),
        ),
        alarm_tab,
    ),
)


def _is_meant(view: View, item: Item) -> bool:
    """Whether an alarm's row is the one meant of several at a time: the one for once, or one that repeats."""
    which = view.slots.get("which", "")
    rings_once = re.search("Once|仅一次", item.label) is not None
    is_kind = not which or rings_once == (re.search("once|一次", which) is not None)
    beside = view.slots.get("beside", "")
    has_days = not beside or beside in item.label or _shows_days(item, set(days(beside)))
    return item.tappable and is_kind and has_days


def _switched(view: View) -> Step | None:
    """Bring the alarm of that time into the wanted state."""
    row = view.screen.find(view.slots.get("time", ""), least=3, where=lambda item: _is_meant(view, item))
    mark = handle(view, row) if row else None
    if row is None or mark is None:
        return None
    if mark.on != bool(view.slots.get("on")):
        return reach(view, mark)
    return view.finish(
        view.say(
            f"The alarm at {{time}} is {'on' if mark.on else 'off'}.",
            f"{{time}}的闹钟已{'打开' if mark.on else '关闭'}。",
        )
    )


switch_alarm = Task(
    name="turn an alarm on or off",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"turn off the \d{2}:\d{2} alarm that (?P<which>rings once|repeats)(?: \((?P<beside>[^()]+)\))?",
        r"(?:(?P<on>turn on|enable|switch on)|turn off|disable|switch off) (?:my |the )?.*alarm.*",
        r"(?:turn|switch) (?:my |the )?.*alarm.*(?:(?P<on>on)|off)",
        r"关掉(?P<which>只响一次的|重复的)\d{2}:\d{2}闹钟(?:（(?P<beside>[^（）]+)）)?",
        r"(?:把)?.*闹钟(?:(?P<on>打开|开启)|关掉|关闭|关了|取消)",
        r"(?:(?P<on>打开|开启)|关掉|关闭|取消).*闹钟",
    ),
    prepare=_time_and_days,
    rules=(
        when(on_alarms, _switched, look_for("{time}")),
        alarm_tab,
    ),
)


def _meant_alarm(view: View) -> Step | None:
    """Open the one alarm that is meant of several at a time."""
    row = view.screen.find(view.slots["old"], least=3, where=lambda item: _is_meant(view, item))
    return reach(view, row) if row is not None and view.slots.get("which") else None


def _new_time(slots: dict[str, str], instruction: str) -> dict[str, str]:
    return slots | {"hour": slots["new"][:2], "minute": slots["new"][3:]}


move_alarm = Task(
    name="move an alarm",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"change the (?P<old>\d{2}:\d{2}) alarm"
        r"(?: that (?P<which>rings once|repeats)(?: \((?P<beside>[^()]+)\))?)? to (?P<new>\d{2}:\d{2})",
        r"把(?P<which>只响一次的|重复的)?(?P<old>\d{2}:\d{2})的?闹钟(?:（(?P<beside>[^（）]+)）)?"
        r"改成(?P<new>\d{2}:\d{2})",
    ),
    prepare=_new_time,
    rules=(
        when(
            on_alarms,
            when(
                both(done("click", "Save"), sees("{new}", least=3)),
                finish("The {old} alarm is at {new} now.", "{old}的闹钟改成了{new}。"),
            ),
            _meant_alarm,
            when(no(given("which")), look_for("{old}")),
        ),
        when(editing, write("{hour}", 0), write("{minute}", 1), tap("Save", "保存", least=4)),
        alarm_tab,
    ),
)


def _minutes(slots: dict[str, str], instruction: str) -> dict[str, str]:
    try:
        amount = number(slots["minutes"])
    except ValueError:
        return slots
    return slots | {"minutes": str(amount), "shown": f"{amount:02}:00"}


timer = Task(
    name="start a timer",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"(?:set|start|run) (?:a |the )?(?P<minutes>\d+)[- ]min(?:ute)?s? timer",
        r"(?:set|start|run) (?:a |the )?timer (?:for|of) (?P<minutes>\d+) min(?:ute)?s?",
        r"(?:设|定|开|开始)(?:一)?个?(?P<minutes>[\d零一二三四五六七八九十两]+)分钟的?(?:计时|倒计时|计时器)",
        r"(?:倒)?计时(?P<minutes>[\d零一二三四五六七八九十两]+)分钟",
    ),
    prepare=_minutes,
    rules=(
        when(
            page("Timer", "计时器"),
            when(
                both(sees("{shown}", least=3), no(holds("{minutes}"))),
                finish("The timer runs: {minutes} minutes.", "{minutes}分钟计时已开始。"),
            ),
            when(holds("{minutes}"), tap("Start", "开始", least=4)),
            write("{minutes}"),
        ),
        tap("Timer", "计时器", least=4, where=lambda item: item.tappable and item.point.y > 0.85),
    ),
)

TASKS = (timer, move_alarm, switch_alarm, set_alarm)
