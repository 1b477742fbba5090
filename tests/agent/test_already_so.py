"""What a report says was so before: it is believed only where a switch of the screen shows just that."""

from __future__ import annotations

from datetime import UTC, datetime

from assistant.agent.stop_checks import is_already_so
from assistant.memory.turns import Checkpoint
from assistant.records import Bounds, Element, ForegroundApp, Observation
from tests.tables import each

NOW = datetime(2026, 11, 30, 8, 10, tzinfo=UTC)  # A Monday.


def alarms(*rows: tuple[str, bool]) -> Observation:
    """A list of alarms, each with its switch."""
    elements = list[Element]()
    for text, is_on in rows:
        top = 200 + 100 * len(elements)
        index = len(elements) + 1
        elements.append(Element(index, -1, "android.view.View", Bounds(0, top, 1080, top + 90), text=text))
        place = Bounds(900, top + 20, 1060, top + 70)
        elements.append(Element(index + 1, -1, "android.widget.Switch", place, checkable=True, checked=is_on))
    return Observation(1080, 2400, b"", tuple(elements), ForegroundApp("com.clock", ".Main", "Alarm 闹钟"))


@each(
    ("command", "rows", "answer", "is_so"),
    [
        (
            "set an alarm for 6.45 tmrw, got an early train",
            [("06:45 Weekdays", True)],
            "It is already on.",
            True,
        ),
        ("set an alarm for 6:45 tomorrow", [("06:45 Weekdays", False)], "It is already on.", False),
        ("set an alarm for 6:45 tomorrow", [("06:45 Weekend Sat, Sun", True)], "It is already on.", False),
        ("set an alarm for 6:45 tomorrow", [("07:45 Weekdays", True)], "It is already on.", False),
        ("set an alarm for 6:45 tomorrow", [("06:45 Weekdays", True)], "The alarm is set.", False),
        ("set an alarm for 6:45 on Thursday", [("06:45 Once", True)], "It is already on.", False),
        ("change the 06:45 alarm to 07:00", [("07:00", True), ("06:45", True)], "It was already so.", False),
        ("rename the 6:45 alarm to Gym", [("06:45 Get up", True)], "It is already called so.", False),
        ("turn off the 6:45 alarm", [("06:45 Weekdays", True)], "It is already off.", False),
        ("turn off the 6:45 alarm", [("06:45 Weekdays", False)], "It is already off.", True),
        ("turn on dark theme", [("Dark theme", True)], "Dark theme is already on.", True),
        ("turn on dark theme", [("Dark theme", False)], "Dark theme is already on.", False),
        ("turn on dark theme", [("Wi-Fi", True)], "Dark theme is already on.", False),
        ("set alarms for 6:45 and 7:15", [("06:45", True)], "They are already on.", False),
        ("打开深色主题", [("深色主题", True)], "深色主题已经是打开的", True),
        ("打开深色主题", [("深色主题", False)], "深色主题已经是打开的", False),
        ("set an alarm for 6:45 every day", [("06:45 Weekdays", True)], "It is already on.", False),
        ("打开蓝牙开关", [("蓝牙", False)], "已经是打开的", False),
        ("打开蓝牙开关", [("蓝牙", True)], "已经是打开的", True),
        ("把蓝牙开关打开", [("蓝牙", False)], "已经是打开的", False),
        ("打开相关推荐", [("相关推荐", False)], "已经是打开的", False),
        ("打开停车提醒", [("停车提醒", False)], "已经是打开的", False),
        ("打开关灯提醒", [("关灯提醒", False)], "已经是打开的", False),
        ("把蓝牙开关关掉", [("蓝牙", False)], "已经是关闭的", True),
        ("把所有关掉", [("所有", True)], "已经关了", False),
        ("turn on skip silence", [("Skip silence", False)], "It is already on.", False),
        ("turn on skip silence", [("Skip silence", True)], "It is already on.", True),
        ("turn on emergency stop", [("Emergency stop", False)], "It is already on.", False),
        ("i want you to stop skip silence", [("Skip silence", True)], "It is already so.", False),
        (
            "set an alarm for 6:45 called gym",
            [("6:45 Work", True), ("9:00 Called Gym", False)],
            "It is already on.",
            False,
        ),
        ("set an alarm for 6:45 called gym", [("6:45 Gym", True)], "It is already on.", True),
        ("定6:45的健身闹钟", [("6:45 上班", True), ("9:00 健身", False)], "已经是打开的", False),
        ("定6:45的健身闹钟", [("6:45 健身", True)], "已经是打开的", True),
        ("set an alarm for 6:45 tonight", [("6:45 AM", True)], "It is already on.", False),
        ("set an alarm for 6:45 tonight", [("6:45", True)], "It is already on.", False),
        ("set an alarm for 6:45 tonight", [("6:45 PM", True)], "It is already on.", True),
        ("set an alarm for 06:45", [("6:45 PM", True)], "It is already on.", False),
        ("set an alarm for 06:45", [("PM 6:45", True)], "It is already on.", False),
        ("set an alarm for 6:45 in the morning", [("6:45 PM", True)], "It is already on.", False),
        ("set an alarm for 6:45 in the morning", [("6:45 AM", True)], "It is already on.", True),
        ("set an alarm for 12:00 tonight", [("12:00 PM", True)], "It is already on.", False),
        ("定早上7点的闹钟", [("下午 7:00", True)], "已经是打开的", False),
        ("定早上7点的闹钟", [("上午 7:00", True)], "已经是打开的", True),
        ("turn on art", [("Smart lock", True)], "It is already on.", False),
    ],
)
def test_what_was_so_before_is_believed_only_where_a_switch_shows_it(
    command: str, rows: list[tuple[str, bool]], answer: str, is_so: bool
) -> None:
    turn = Checkpoint(turn_id="t", user_id="me", said=command, instruction=command, started=NOW)
    assert is_already_so(turn, NOW, answer, alarms(*rows)) is is_so
