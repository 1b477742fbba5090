from __future__ import annotations

import pytest

from assistant.simulator.apps.host import Dialog, Page
from assistant.simulator.surface import FocusedWindow, NotIdle, UnknownComponent
from assistant.simulator.ui.dialogs import GRANT_ACTIVITY, PERMISSION_PACKAGE
from assistant.simulator.ui.keys import Key
from assistant.simulator.ui.nodes import Node, TextField
from assistant.simulator.ui.tasks import HOME
from tests.simulator.ui.tiny import MAPS, NOTES, Phone, bounds, make_phone


def open_page(phone: Phone, name: str) -> None:
    with phone.manager.desk.running(NOTES):
        phone.manager.desk.open(Page(name))


def packages(phone: Phone) -> set[str | None]:
    return {node.get("package") for node in phone.nodes()}


def test_start_brings_an_app_to_the_front_once(phone: Phone) -> None:
    assert phone.manager.start(NOTES)
    assert not phone.manager.start(NOTES)
    assert phone.manager.focused() == FocusedWindow(NOTES, ".MainActivity")
    assert phone.app().state["opened"] == ["home"]


def test_start_takes_the_launcher_activity_and_no_other(phone: Phone) -> None:
    phone.manager.start(NOTES, ".MainActivity")
    phone.manager.start(NOTES, f"{NOTES}.MainActivity")
    with pytest.raises(UnknownComponent):
        phone.manager.start(NOTES, ".Secret")
    with pytest.raises(UnknownComponent):
        phone.manager.start("com.example.absent")


def test_back_leaves_pages_then_the_app(notes: Phone) -> None:
    notes.tap("Open")
    assert notes.manager.focused().activity == ".DetailActivity"
    assert "Detail <1>" in notes.texts()
    notes.manager.key(Key.BACK)
    assert notes.manager.focused().activity == ".MainActivity"
    notes.manager.key(Key.BACK)
    assert notes.manager.focused().package == HOME
    notes.manager.key(Key.BACK)
    assert notes.manager.focused().package == HOME


@pytest.mark.parametrize(("release", "times"), [(9, 2), (12, 1)])
def test_old_androids_end_an_app_that_is_left(release: int, times: int) -> None:
    phone = make_phone(9 if release == 9 else 12)
    phone.manager.start(NOTES)
    phone.manager.key(Key.BACK)
    phone.manager.start(NOTES)
    assert phone.app().state["opened"] == ["home"] * times


def test_an_app_comes_back_on_the_page_where_it_was_left(notes: Phone) -> None:
    notes.tap("Open")
    notes.manager.key(Key.HOME)
    assert notes.manager.resumed().package == HOME
    notes.manager.start(NOTES)
    assert notes.manager.focused().activity == ".DetailActivity"


def test_stopping_an_app_ends_its_pages_and_keeps_its_data(notes: Phone) -> None:
    notes.tap("Save")
    notes.tap("Open")
    notes.manager.stop(NOTES)
    assert notes.manager.focused().package == HOME
    notes.manager.start(NOTES)
    assert notes.manager.focused().activity == ".MainActivity"
    assert notes.app().state["taps"] == ["save"]


def test_one_app_opens_a_page_of_another_and_back_returns(notes: Phone) -> None:
    with notes.manager.desk.running(NOTES):
        notes.manager.desk.start_app(MAPS, Page("detail"))
    assert notes.manager.focused() == FocusedWindow(MAPS, ".DetailActivity")
    notes.manager.key(Key.BACK)
    assert notes.manager.focused() == FocusedWindow(NOTES, ".MainActivity")
    notes.manager.start(MAPS)
    assert notes.manager.focused() == FocusedWindow(MAPS, ".MainActivity")


def test_replace_and_back_to(notes: Phone) -> None:
    desk = notes.manager.desk
    with desk.running(NOTES):
        desk.open(Page("detail"))
        desk.replace(Page("loading"))
        desk.open(Page("detail"))
        desk.back_to("loading")
    assert desk.tasks.front.top == Page("loading")
    with desk.running(NOTES):
        desk.back_to("nowhere")
    assert desk.tasks.front.top is not None
    assert desk.tasks.front.top.name == "home"


def test_recents_show_cards_that_open(notes: Phone) -> None:
    notes.manager.start(MAPS)
    notes.manager.key(Key.RECENTS)
    assert packages(notes) == {HOME}
    assert notes.texts()[:2] == ["Maps", "Notes"]
    notes.manager.tap(*bounds(notes.find("Notes")).centre)
    assert notes.manager.focused().package == NOTES
    notes.manager.key(Key.RECENTS)
    notes.manager.key(Key.BACK)
    assert notes.manager.focused().package == NOTES
    notes.manager.key(Key.RECENTS)
    notes.tap("Clear all")
    notes.manager.key(Key.RECENTS)
    assert notes.texts() == ["No recent items"]


def test_a_dialog_is_the_active_window_and_its_button_closes_it_first(notes: Phone) -> None:
    notes.tap("Ask")
    assert notes.texts() == ["Delete?", "It cannot be undone.", "Cancel", "OK"]
    assert packages(notes) == {NOTES}
    assert notes.find("OK").get("resource-id") == "android:id/button1"
    notes.tap("OK")
    assert notes.app().state["taps"] == ["ok"]
    assert "Save" in notes.texts()


def test_a_touch_outside_closes_a_dialog_without_reaching_the_app(notes: Phone) -> None:
    save = bounds(notes.find("Save")).centre
    notes.tap("Ask")
    notes.manager.tap(*save)
    assert "Save" in notes.texts()
    assert notes.app().state["taps"] == []


def test_a_dialog_that_may_not_be_cancelled_stays(notes: Phone) -> None:
    with notes.manager.desk.running(NOTES):
        notes.manager.desk.show(Dialog("Update", buttons=[("Now", lambda: None)], cancellable=False))
    notes.manager.tap(10, 300)
    notes.manager.key(Key.BACK)
    assert notes.texts() == ["Update", "Now"]
    notes.tap("Now")
    assert "Save" in notes.texts()


def test_a_dialogs_field_takes_focus_above_the_keyboard(notes: Phone) -> None:
    field = TextField(hint="Amount")
    body = Node(widget="android.widget.EditText", id="amount", field=field, height=48)
    with notes.manager.desk.running(NOTES):
        notes.manager.desk.show(Dialog("Pay", buttons=[("Pay", lambda: None)], body=lambda: body))
    notes.tap("amount")
    assert notes.manager.keyboard_shown()
    notes.manager.type_text("12")
    assert field.value == "12"
    keyboard = next(one for one in notes.manager.windows() if one.title == "InputMethod")
    assert bounds(notes.nodes()[0]).bottom <= keyboard.content.top


def test_a_permission_is_asked_once_and_remembered(notes: Phone) -> None:
    notes.tap("Locate")
    assert notes.manager.focused() == FocusedWindow(PERMISSION_PACKAGE, GRANT_ACTIVITY)
    assert packages(notes) == {PERMISSION_PACKAGE}
    assert "Allow Notes to access this device's location?" in notes.texts()
    notes.tap("permission_allow_foreground_only_button")
    assert notes.app().state["located"] is True
    notes.app().state.clear()
    notes.tap("Locate")
    assert notes.app().state["located"] is True
    assert notes.manager.focused().package == NOTES


def test_a_denied_permission_stays_denied(notes: Phone) -> None:
    notes.tap("Locate")
    notes.tap("permission_deny_button")
    notes.tap("Locate")
    assert notes.app().state["located"] is False
    assert notes.manager.focused().package == NOTES


def test_the_permission_dialog_speaks_chinese() -> None:
    phone = make_phone(locale="zh")
    phone.manager.start(NOTES)
    phone.tap("Locate")
    assert "要允许“便签”获取此设备的位置信息吗？" in phone.texts()
    assert "仅在使用该应用时允许" in phone.texts()


def test_an_app_that_hangs_can_be_closed(notes: Phone) -> None:
    notes.manager.not_responding(NOTES)
    assert notes.manager.focused() == FocusedWindow("android", "", f"Application Not Responding: {NOTES}")
    notes.tap("aerr_wait")
    assert notes.manager.focused().package == NOTES
    notes.manager.not_responding(NOTES)
    notes.tap("Close app")
    assert notes.manager.focused().package == HOME


def test_a_moving_node_keeps_the_screen_from_idling(notes: Phone) -> None:
    open_page(notes, "loading")
    with pytest.raises(NotIdle):
        notes.manager.dump()
    notes.manager.key(Key.BACK)
    assert "Save" in notes.texts()


def test_late_changes_wait_for_the_clock_and_disturb_the_idle_screen() -> None:
    phone = make_phone(factor=1.0)
    phone.manager.start(NOTES)
    with phone.manager.desk.running(NOTES):
        phone.manager.desk.later(2.0, lambda: phone.manager.desk.open(Page("detail")))
    phone.clock.advance(1.9)
    assert phone.manager.focused().activity == ".MainActivity"
    phone.clock.advance(0.2)
    assert phone.manager.focused().activity == ".DetailActivity"
    with pytest.raises(NotIdle):
        phone.manager.dump()
    phone.clock.advance(1)
    assert phone.texts() == ["Detail <1>"]


def test_without_delays_later_means_after_the_touch(notes: Phone) -> None:
    done: list[str] = []
    with notes.manager.desk.running(NOTES):
        notes.manager.desk.later(9, lambda: done.append("later"))
    assert done == []
    notes.tap("Save")
    assert done == ["later"]


def test_endless_callbacks_do_not_hang_the_phone(notes: Phone) -> None:
    def again() -> None:
        notes.manager.desk.later(1, again)

    again()
    notes.tap("Save")
    assert notes.app().state["taps"] == ["save"]


def test_what_was_planned_before_a_reset_never_comes(notes: Phone) -> None:
    done: list[str] = []
    notes.manager.desk.later(1, lambda: done.append("late"))
    notes.manager.reset()
    notes.manager.changed()
    assert done == []
    assert notes.manager.focused().package == HOME
    assert notes.app().state == {"taps": [], "opened": []}


def test_usage_is_written_down(notes: Phone) -> None:
    notes.tap("Open")
    notes.manager.key(Key.HOME)
    resumed = [(e.package, e.activity) for e in notes.services.usage.events if e.kind == "ACTIVITY_RESUMED"]
    assert [one[0] for one in resumed] == [NOTES, NOTES, HOME]
    assert resumed[1][1] == ".DetailActivity"


def test_installing_an_app_makes_it_launchable(phone: Phone) -> None:
    with pytest.raises(UnknownComponent):
        phone.manager.start("com.example.podcasts")
    phone.manager.desk.install("com.example.podcasts")
    assert phone.manager.start("com.example.podcasts")
    phone.services.packages.remove("com.example.podcasts")
    assert "com.example.podcasts" not in [app.package for app in phone.manager.apps()]


def test_settings_go_through_the_host(phone: Phone) -> None:
    desk = phone.manager.desk
    desk.set_setting("wifi_on", "0")
    assert desk.setting("wifi_on") == "0"
    assert phone.services.wifi.active is None
    desk.set_setting("dark_mode", "1")
    assert desk.setting("dark_mode") == "1"
    assert phone.services.setting("ui_night_mode") == "2"
    assert desk.setting("unheard_of") == ""


def test_the_phone_changes_its_language(notes: Phone) -> None:
    notes.manager.desk.set_setting("system_locales", "zh-CN")
    notes.manager.key(3)
    assert "便签" in notes.texts()
    assert notes.services.properties["persist.sys.locale"] == "zh-CN"
    notes.services.reset()
    assert notes.manager.desk.locale == "en"
    assert notes.manager.desk.setting("system_locales") == "en-US"


def test_apps_choose_networks_and_devices(phone: Phone) -> None:
    desk, services = phone.manager.desk, phone.services
    desk.connect("wifi", "Neighbour")
    assert services.wifi.connected in services.wifi.visible
    desk.connect("wifi", "Corner Coffee")
    assert desk.connected("wifi") == "Corner Coffee"
    desk.set_setting("wifi_on", "0")
    assert desk.connected("wifi") == ""
    desk.connect("bluetooth", "Kitchen Speaker")
    assert desk.connected("bluetooth") == "Kitchen Speaker"
    assert services.bluetooth.bonded.keys() >= {"Kitchen Speaker", "My Car"}
    desk.connect("bluetooth", "")
    assert desk.connected("bluetooth") == ""


def test_clearing_an_app_makes_it_forget(notes: Phone) -> None:
    notes.tap("Locate")
    notes.tap("Only this time")
    notes.tap("Locate")
    notes.tap("While using the app")
    desk = notes.manager.desk
    with desk.running(NOTES):
        desk.notify("Saved", "Row 1")
        desk.later(5, notes.app().note("too late"))
    desk.clear(NOTES)
    desk.settle()
    assert notes.manager.focused().package == HOME
    assert notes.services.notifications.posted == []
    assert notes.app().state == {"taps": [], "opened": []}
    notes.manager.start(NOTES)
    notes.tap("Locate")
    assert notes.find("permission_message") is not None
