"""The phone's settings: switches, choices, what they tell."""

from __future__ import annotations

import re

from assistant.simulator.model.rules import (
    Rule,
    Task,
    handle,
    look_for,
    page,
    reach,
    sees,
    tap,
    title,
    when,
)
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View

APP = ("Settings", "设置")
PACKAGE = "com.android.settings"

PLACES: dict[str, tuple[str, str]] = {
    r"wi-?fi|wlan|无线网络|无线": ("Wi-Fi", "Use Wi-Fi"),
    r"bluetooth|蓝牙": ("Bluetooth", "Use Bluetooth"),
    r"air?plane mode|flight mode|飞行模式": ("", "Airplane mode"),
    r"dark (?:mode|theme)|深色模式|夜间模式|暗色模式": ("Display and brightness", "Dark mode"),
    r"eye comfort|night light|护眼模式|护眼": ("Display and brightness", "Eye comfort"),
    r"auto-?\s?rotat\w+|自动旋转": ("Display and brightness", "Auto-rotate"),
    r"do not disturb|dnd|勿扰模式|免打扰模式|勿扰": ("Sound and vibration", "Do not disturb"),
    r"battery saver|power saving(?: mode)?|省电模式": ("Battery", "Battery saver"),
    r"mobile data|移动数据|数据流量": ("Mobile network", "Mobile data"),
    r"roaming|数据漫游|漫游": ("Mobile network", "Roaming"),
    r"location(?: services?)?|gps|位置信息|定位": ("Location", "Use location"),
    r"screen time-?out|自动锁屏(?:时间)?|息屏时间": ("Display and brightness", "Screen timeout"),
    r"font(?: size)?|text size|字体(?:大小)?": ("Display and brightness", "Font size"),
    r"(?:used )?storage|存储(?:空间)?": ("Storage", "Used"),
    r"device name|设备名称|手机名称": ("About phone", "Device name"),
}
"""Where a setting is found, by how people call it: its page (empty: the first one) and its row."""

_NAMES = "|".join(PLACES)


def _place(slots: dict[str, str], instruction: str) -> dict[str, str]:
    called = next(
        (place for name, place in PLACES.items() if re.fullmatch(name, slots["setting"], re.I)), ("", "")
    )
    return {**slots, "section": called[0], "row": called[1]}


def _row(view: View) -> Item | None:
    return view.screen.find(view.slots["row"], least=3, where=lambda item: item.point.y > 0.11)


def _switch(view: View) -> Step | None:
    row = _row(view)
    mark = handle(view, row) if row else None
    if row is None or mark is None:
        return None
    should_be_on = bool(view.slots.get("on"))
    if mark.on != should_be_on:
        return reach(view, mark)
    state = view.say("on", "打开") if should_be_on else view.say("off", "关闭")
    return view.finish(view.say(f"{{setting}} is {state}.", f"{{setting}}已{state}。"))


def _choose(view: View) -> Step | None:
    """On the page of a choice take the value; on the page before, be content when it is shown."""
    if title(view, "{row}"):
        return look_for("{value}")(view)
    row = _row(view)
    if row is None:
        return None
    if view.screen.find(view.slots["value"], least=3, where=lambda item: item is row):
        return view.finish(view.say(f"{row.parts[0]}: {row.parts[-1]}", f"{row.parts[0]}：{row.parts[-1]}"))
    return view.tap(row)


def _tell(view: View) -> Step | None:
    row = _row(view)
    if row:
        value = row.parts[-1] if len(row.parts) > 1 else _below(view, row)
        return view.finish(view.say(f"{row.parts[0]}: {value}", f"{row.parts[0]}：{value}"))
    return None


def _below(view: View, row: Item) -> str:
    below = [item for item in view.screen.items if 0 < item.point.y - row.point.y < 0.05]
    return min(below, key=lambda item: item.point.y).label if below else ""


def _reach(*rules: Rule) -> tuple[Rule, ...]:
    """The rules on the setting's page, and the way there from the list of pages."""
    return (
        when(page("{section}"), *rules, look_for("{row}")),
        when(page(*APP), when(lambda view: not view.slots["section"], *rules, look_for("{row}"))),
        when(page("{row}"), *rules),
        when(page(*APP), look_for("{section}")),
    )


switch = Task(
    name="switch a setting",
    app=APP,
    package=PACKAGE,
    patterns=(
        rf"(?:(?P<on>turn on|switch on|enable|activate)|turn off|switch off|disable|deactivate) (?:the )?"
        rf"(?P<setting>{_NAMES})",
        rf"(?:turn|switch) (?:the )?(?P<setting>{_NAMES}) (?:(?P<on>on)|off)",
        rf"(?:把)?(?P<setting>{_NAMES})(?:给我)?(?:(?P<on>打开|开启|开)|关掉|关闭|关了|关)(?:一下)?",
        rf"(?:(?P<on>打开|开启|开)|关掉|关闭|关)(?:一下)?(?:手机的?)?(?P<setting>{_NAMES})",
    ),
    prepare=_place,
    rules=_reach(_switch),
)

choose = Task(
    name="choose a setting's value",
    app=APP,
    package=PACKAGE,
    patterns=(
        rf"(?:set|change|make) (?:the |my )?(?P<setting>{_NAMES}) (?:to )?(?P<value>.+?)",
        rf"(?:把)?(?P<setting>{_NAMES})(?:设为|设成|改为|改成|调到|调成|调为|设置为)(?P<value>.+?)",
    ),
    prepare=_place,
    rules=_reach(_choose),
)

tell = Task(
    name="tell a setting",
    app=APP,
    package=PACKAGE,
    patterns=(
        rf"(?:how much|what is|what's|tell me|show|check) (?:the |my )?(?P<setting>{_NAMES})"
        rf"(?: is used| do i use| of (?:the|my|this) phone)?",
        rf"(?:查看?一?下?|看看?一?下?)?(?:手机的?)?(?P<setting>{_NAMES})(?:用了多少|是什么|是多少|还剩多少)?",
    ),
    prepare=_place,
    rules=_reach(_tell),
)


def _enter_password(view: View) -> Step | None:
    """The password is the user's to enter. What the field holds is not told: it is handed over once."""
    if view.did("take_over"):
        return None
    return view.hand_over(view.say("Enter the password of {network}.", "请输入{network}的密码。"))


def _joined(view: View) -> Step | None:
    row = view.screen.find(view.slots["network"], least=3, where=lambda item: item.point.y > 0.11)
    if row is not None and re.search("Connected|已连接", row.label):
        return view.finish(view.say("Connected to {network}.", "已连接到{network}。"))
    return None


join = Task(
    name="join a Wi-Fi network",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"(?:connect|join)(?: the phone)?(?: to)? (?:the )?(?:wi-?fi|wireless)(?: network)? (?P<network>.+?)",
        r"(?:连接|连上|加入)(?:到)?(?:wi-?fi|wlan|无线网络?)(?P<network>.+?)",
    ),
    rules=(
        when(page("{network}"), _enter_password, tap("Connect", "连接", least=4)),
        when(sees("Use Wi-Fi", "开启 WLAN", least=4), _joined, look_for("{network}")),
        when(page(*APP), look_for("Wi-Fi", "WLAN")),
    ),
)

TASKS = (join, switch, choose, tell)
