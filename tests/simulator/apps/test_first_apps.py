from __future__ import annotations

import pytest

from assistant.simulator.apps.base import Difficulties
from tests.simulator.apps.fake import FakePhone, walk

CHAT, CLOCK, RAIL, SETTINGS, PAYBOX = (
    "com.example.chat",
    "com.example.clock",
    "com.example.rail",
    "com.android.settings",
    "com.example.paybox",
)


@pytest.mark.parametrize(
    ("locale", "name", "words"), [("en", "Mom", "I will be late"), ("zh", "妈妈", "我晚点到")]
)
def test_a_message_is_sent(locale: str, name: str, words: str) -> None:
    phone = FakePhone("zh" if locale == "zh" else "en")
    phone.start_app(CHAT)
    assert phone.state(CHAT)["unread"]["Mom"] == 1
    phone.tap(name)
    phone.type(words)
    phone.tap(name="send_button")
    state = phone.state(CHAT)
    assert state["messages"]["Mom"][-1] == {"from": "me", "text": words, "time": "2026-11-21 09:30"}
    assert "Mom" not in state["unread"]
    assert phone.sees(words)


def test_a_person_is_found_and_muted() -> None:
    phone = FakePhone()
    phone.start_app(CHAT)
    phone.tap(name="search_button")
    phone.type("doctor")
    phone.tap("Doctor Gao")
    phone.tap(name="more_button")
    phone.tap("Mute")
    assert phone.state(CHAT)["muted"] == ["Doctor Gao"]


def test_contacts_need_a_permission() -> None:
    phone = FakePhone(difficulties=Difficulties())
    phone.start_app(CHAT)
    phone.tap("Contacts")
    assert phone.asked == ["contacts"]


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_an_alarm_is_set(locale: str) -> None:
    phone = FakePhone("zh" if locale == "zh" else "en")
    words = {"en": ("Mon", "Save", "Swimming"), "zh": ("周一", "保存", "游泳")}[locale]
    phone.start_app(CLOCK)
    phone.tap(name="fab")
    phone.type("7", name="hour")
    phone.type("30", name="minute")
    phone.tap(words[0])
    phone.type(words[2], name="label")
    phone.tap(words[1])
    alarm = phone.state(CLOCK)["alarms"][-1]
    assert (alarm["time"], alarm["days"], alarm["enabled"]) == ("07:30", ["Mon"], True)
    assert alarm["label"] == words[2]
    assert phone.page.name == "home"


def test_an_alarm_is_changed_switched_and_deleted() -> None:
    phone = FakePhone()
    phone.start_app(CLOCK)
    phone.tap("06:45")
    phone.type("6:15", name="hour")
    phone.tap("Save")
    phone.tap(name="switch_widget")
    alarm = next(one for one in phone.state(CLOCK)["alarms"] if one["id"] == 1)
    assert (alarm["time"], alarm["enabled"], len(alarm["days"])) == ("06:15", False, 5)
    phone.tap("06:15")
    phone.tap(name="delete")
    assert 1 not in [one["id"] for one in phone.state(CLOCK)["alarms"]]


def test_an_impossible_alarm_is_refused() -> None:
    phone = FakePhone()
    phone.start_app(CLOCK)
    count = len(phone.state(CLOCK)["alarms"])
    phone.tap(name="fab")
    phone.type("25", name="hour")
    phone.tap("Save")
    assert phone.toasts == ["This is not a time of day"]
    assert len(phone.state(CLOCK)["alarms"]) == count


def test_a_timer_and_a_stopwatch_run() -> None:
    phone = FakePhone(difficulties=Difficulties())
    phone.start_app(CLOCK)
    phone.tap("Timer")
    phone.tap("5 min")
    assert phone.state(CLOCK)["timers"][0]["seconds"] == 300
    phone.tap("Stopwatch")
    phone.tap("Start")
    assert phone.moving()
    phone.settle(12)
    phone.tap("Stop")
    assert phone.state(CLOCK)["stopwatch"]["laps"] == [12.0]


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_a_train_is_looked_up_and_booked(locale: str) -> None:
    phone = FakePhone("zh" if locale == "zh" else "en")
    word = dict(
        zip(
            ("to", "tomorrow", "search", "fast", "book", "submit", "pay", "done"),
            {
                "en": ("Hangzhou", "Tomorrow", "Search trains", "High-speed only", "Book", "Submit order"),
                "zh": ("杭州", "明天", "查询车票", "只看高铁", "预订", "提交订单"),
            }[locale]
            + {"en": ("Pay now", "Done"), "zh": ("确认付款", "完成")}[locale],
            strict=True,
        )
    )
    phone.start_app(RAIL)
    phone.tap(name="to_station")
    phone.type(word["to"][:4])
    phone.tap(word["to"])
    phone.tap(name="date")
    phone.tap(word["tomorrow"])
    phone.tap(word["search"])
    wanted = {"from": "Shanghai", "to": "Hangzhou", "date": "2026-11-22"}
    assert phone.state(RAIL)["searches"] == [wanted]
    phone.tap(word["fast"])
    phone.tap(name="train_item")
    assert phone.state(RAIL)["viewed"][0] | wanted == phone.state(RAIL)["viewed"][0]
    phone.tap(word["book"])
    phone.tap(word["submit"])
    phone.tap(word["pay"])
    phone.tap(word["done"])
    [ticket] = phone.state(RAIL)["tickets"]
    assert ticket | wanted == ticket
    assert (ticket["status"], ticket["passengers"]) == ("booked", ["Alex Lin"])


def test_trains_are_the_same_each_time() -> None:
    first, second = FakePhone(), FakePhone()
    for phone in (first, second):
        phone.start_app(RAIL)
        phone.tap("Search trains")
    assert first.texts() == second.texts()
    assert sum("–" in text for text in first.texts()) >= 12


@pytest.mark.parametrize(
    ("locale", "bluetooth", "use"), [("en", "Bluetooth", "Use"), ("zh", "蓝牙", "开启蓝牙")]
)
def test_a_radio_is_switched(locale: str, bluetooth: str, use: str) -> None:
    phone = FakePhone("zh" if locale == "zh" else "en")
    phone.start_app(SETTINGS)
    phone.tap(bluetooth)
    phone.tap(use)
    assert phone.settings["bluetooth_on"] == "0"
    assert phone.state(SETTINGS)["values"] == {"bluetooth_on": "0"}


def test_a_network_needs_its_password() -> None:
    phone = FakePhone()
    phone.start_app(SETTINGS)
    phone.tap("Wi-Fi")
    phone.tap("Office-Secure")
    phone.type("short")
    phone.tap("Connect")
    assert phone.state(SETTINGS)["wifi_network"] == "Home-5G"
    phone.type(" but longer")
    phone.tap("Connect")
    assert phone.state(SETTINGS)["wifi_network"] == phone.connections["wifi"] == "Office-Secure"
    phone.tap("Corner Coffee")
    assert phone.connections["wifi"] == "Corner Coffee"


def test_a_network_that_is_only_here_is_listed() -> None:
    phone = FakePhone()
    phone.connections["wifi"] = "Example-Corp"
    phone.start_app(SETTINGS)
    phone.tap("Wi-Fi")
    assert phone.sees("Example-Corp")


def test_a_device_is_paired_connected_and_left() -> None:
    phone = FakePhone()
    phone.start_app(SETTINGS)
    phone.tap("Bluetooth")
    phone.tap("Kitchen Speaker")
    assert phone.connections["bluetooth"] == "Kitchen Speaker"
    assert "Kitchen Speaker" in phone.state(SETTINGS)["paired"]
    phone.tap("Kitchen Speaker")
    assert phone.connections["bluetooth"] == phone.state(SETTINGS)["bluetooth_device"] == ""


def test_settings_are_chosen_raised_and_found() -> None:
    phone = FakePhone()
    phone.settings["screen_brightness"] = "100"
    phone.start_app(SETTINGS)
    phone.tap("Display and brightness")
    phone.tap(name="increase")
    phone.tap("Screen timeout")
    phone.tap("5 minutes")
    assert phone.state(SETTINGS)["values"] == {"screen_brightness": "125", "screen_off_timeout": "300000"}
    phone.tap(name="back")
    phone.tap(name="search_bar")
    phone.type("battery saver")
    phone.tap("Battery saver")
    phone.tap("Battery saver")
    assert phone.settings["low_power"] == "1"


def test_money_is_sent_with_a_password() -> None:
    phone = FakePhone()
    phone.start_app(PAYBOX)
    phone.tap(name="settings_button")
    phone.tap("Ask for password")
    phone.tap(name="back")
    phone.tap("Transfer")
    phone.tap("Lily Chen")
    phone.type("88.5")
    phone.tap("Continue")
    phone.tap("Pay now")
    assert phone.page.name == "password"
    for digit in "135790":
        phone.tap(digit)
    phone.tap("Done")
    state = phone.state(PAYBOX)
    assert state["balance"] == 1200
    assert (state["transactions"][0]["payee"], state["transactions"][0]["amount"]) == ("Lily Chen", 88.5)


def test_a_low_balance_pays_nothing() -> None:
    phone = FakePhone()
    phone.start_app(PAYBOX)
    phone.tap("Transfer")
    phone.tap("Dad")
    phone.type("5000")
    phone.tap("Continue")
    phone.tap("Balance")
    phone.tap("Pay now")
    assert phone.toasts == ["The balance is too low"]
    phone.tap("Plum Bank")
    phone.tap("Pay now")
    assert phone.state(PAYBOX)["transactions"][0]["method"] == "Plum Bank credit card"


def set_alarm(phone: FakePhone, hour: str, minute: str, *days: str) -> None:
    phone.start_app(CLOCK)
    phone.tap(name="fab")
    for name, text in (("hour", hour), ("minute", minute)):
        field = next(node.field for node, _ in walk(phone.tree()) if node.id == name)
        assert field is not None
        field.value = text
    for day in days:
        phone.tap(day)
    phone.tap("Save")


def test_an_alarm_rings_once_at_its_time_and_is_off_then() -> None:
    phone = FakePhone()
    set_alarm(phone, "10", "15")
    phone.settle(44 * 60)
    assert phone.notes == []
    phone.settle(2 * 60)
    assert phone.notes == [("Alarm", "10:15")]
    assert phone.state(CLOCK)["alarms"][-1]["enabled"] is False


def test_a_weekly_alarm_rings_once_a_week_however_often_it_was_switched() -> None:
    phone = FakePhone()
    set_alarm(phone, "10", "15", "Mon")
    alarm = phone.known[CLOCK].state["alarms"][-1]
    for _ in range(2):
        phone.tap("10:15")
        phone.tap("Save")
    phone.settle(8 * 86_400)
    assert phone.notes == [("Alarm", "10:15")]
    phone.settle(8 * 86_400)
    assert phone.notes == [("Alarm", "10:15")] * 2
    assert alarm["enabled"]


def test_an_alarm_that_is_deleted_or_off_does_not_ring() -> None:
    phone = FakePhone()
    set_alarm(phone, "10", "15")
    phone.tap("10:15")
    phone.tap(name="delete")
    set_alarm(phone, "05", "20")
    phone.tap(name="switch_widget")
    assert phone.state(CLOCK)["alarms"][-1]["enabled"] is False
    phone.settle(86_400)
    assert phone.notes == []


def test_a_timer_ends_unless_it_is_cancelled() -> None:
    phone = FakePhone()
    phone.start_app(CLOCK)
    phone.tap("Timer")
    phone.tap("3 min")
    phone.tap("5 min")
    phone.tap(name="cancel_timer")
    phone.settle(400)
    assert [timer["status"] for timer in phone.state(CLOCK)["timers"]] == ["cancelled", "finished"]
    assert phone.notes == [("Time is up", "5 min")]


def test_a_page_of_the_settings_is_the_activity_of_its_intent_only_where_one_opened_it() -> None:
    phone = FakePhone()
    phone.start_app(SETTINGS)
    app = phone.app(SETTINGS)
    assert app.activity(phone.page) == ".Settings"
    phone.tap("Wi-Fi")
    assert app.activity(phone.page) == ".SubSettings", "as on a phone, whatever it shows"
    by_intent = app.page_at("android.settings.WIFI_SETTINGS")
    assert by_intent is not None
    assert app.activity(by_intent) == ".Settings$WifiSettingsActivity"
