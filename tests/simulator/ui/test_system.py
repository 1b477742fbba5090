from __future__ import annotations

from assistant.simulator.surface import FocusedWindow
from assistant.simulator.ui.keys import Key
from assistant.simulator.ui.tasks import HOME
from tests.simulator.ui.tiny import MAPS, NOTES, Phone, bounds, make_phone

SHADE = FocusedWindow("com.android.systemui", "", "NotificationShade")


def swipe_up(phone: Phone) -> None:
    phone.manager.swipe(540, 2000, 540, 800, 300)


def lock(phone: Phone) -> None:
    phone.manager.key(Key.POWER)
    phone.manager.key(Key.POWER)


def test_the_launcher_shows_apps_that_open(phone: Phone) -> None:
    assert phone.manager.focused().package == HOME
    icon = phone.find("Notes")
    assert icon.get("resource-id") == "com.android.launcher3:id/icon"
    phone.tap("Notes")
    assert phone.manager.focused().package == NOTES


def test_a_swipe_up_opens_the_drawer_and_down_closes_it(phone: Phone) -> None:
    swipe_up(phone)
    assert phone.find("apps_list_view") is not None
    phone.manager.swipe(540, 800, 540, 2000, 300)
    assert phone.find("hotseat") is not None
    swipe_up(phone)
    phone.manager.key(Key.BACK)
    assert phone.find("hotseat") is not None


def test_the_drawer_is_searched_by_name(phone: Phone) -> None:
    swipe_up(phone)
    phone.tap("search_container_all_apps")
    phone.manager.type_text("ma")
    assert [node.get("text") for node in phone.nodes() if node.get("resource-id", "").endswith("/icon")] == [
        "Maps"
    ]
    phone.manager.key(Key.ENTER)
    assert phone.manager.focused().package == MAPS
    phone.manager.key(Key.HOME)
    swipe_up(phone)
    assert "Notes" in phone.texts()


def test_the_navigation_buttons_work(notes: Phone) -> None:
    notes.tap("Open")
    bar = next(window for window in notes.manager.windows() if window.title == "NavigationBar0")
    back, home, recents = (child.box.centre for child in bar.placed.children)
    notes.manager.tap(*back)
    assert notes.manager.focused().activity == ".MainActivity"
    notes.manager.tap(*recents)
    assert notes.find("overview_panel") is not None
    notes.manager.tap(*home)
    assert notes.find("hotseat") is not None


def test_the_shade_comes_from_the_top_and_a_notification_opens_its_app(phone: Phone) -> None:
    phone.services.notify(MAPS, "Traffic", "Ring road is slow")
    phone.manager.swipe(540, 10, 540, 900, 200)
    assert phone.manager.focused() == SHADE
    assert phone.nodes()[0].get("resource-id") == "com.android.systemui:id/legacy_window_root"
    phone.tap("Traffic")
    assert phone.manager.focused().package == MAPS
    assert phone.services.notifications.posted == []


def test_the_shade_closes_by_back_swipe_and_command(notes: Phone) -> None:
    notes.manager.expand("notifications")
    assert notes.manager.resumed().package == NOTES
    notes.manager.key(Key.BACK)
    assert notes.manager.focused().package == NOTES
    notes.manager.expand("settings")
    swipe_up(notes)
    assert notes.manager.focused().package == NOTES
    notes.manager.expand("settings")
    notes.manager.expand("collapse")
    assert notes.manager.focused().package == NOTES


def test_notifications_are_swiped_away_or_cleared(phone: Phone) -> None:
    for title in ("One", "Two", "Three"):
        phone.services.notify(MAPS, title, "text", number=len(title) + ord(title[0]))
    phone.manager.expand("notifications")
    x, y = bounds(phone.find("Two")).centre
    phone.manager.swipe(x, y, x + 500, y, 200)
    assert [one.title for one in phone.services.notifications.posted] == ["One", "Three"]
    phone.tap("Clear all")
    assert "No notifications" in phone.texts()


def test_tiles_switch_the_radios(phone: Phone) -> None:
    phone.manager.expand("notifications")
    phone.tap("Internet")
    assert not phone.services.wifi.enabled
    assert phone.find("Internet").get("checked") == "false"


def test_apps_post_notifications(notes: Phone) -> None:
    with notes.manager.desk.running(NOTES):
        notes.manager.desk.notify("Saved", "One note")
        notes.manager.desk.notify("Saved", "Two notes")
    assert [(one.package, one.text) for one in notes.services.notifications.posted] == [
        (NOTES, "One note"),
        (NOTES, "Two notes"),
    ]


def test_a_sleeping_phone_answers_only_power(notes: Phone) -> None:
    save = bounds(notes.find("Save")).centre
    notes.manager.key(Key.POWER)
    notes.manager.tap(*save)
    notes.manager.key(Key.HOME)
    assert notes.manager.render().getextrema()[:3] == ((0, 0), (0, 0), (0, 0))
    assert notes.app().state["taps"] == []
    notes.manager.key(Key.WAKE_UP)
    assert notes.services.power.awake
    assert notes.manager.focused() == SHADE
    assert notes.manager.resumed().package == NOTES


def test_an_open_lock_screen_is_swiped_away(notes: Phone) -> None:
    lock(notes)
    notes.manager.tap(540, 1200)
    assert notes.services.keyguard.showing
    swipe_up(notes)
    assert notes.manager.focused().package == NOTES
    lock(notes)
    notes.manager.key(Key.MENU)
    assert notes.manager.focused().package == NOTES


def test_a_secure_lock_screen_wants_its_pin(notes: Phone) -> None:
    notes.services.keyguard.secure = True
    lock(notes)
    swipe_up(notes)
    assert notes.manager.focused() == SHADE
    for digit in "1234":
        notes.tap(f"key{digit}")
    notes.tap("key_enter")
    assert notes.services.keyguard.showing
    for digit in notes.services.keyguard.pin:
        notes.tap(f"key{digit}")
    assert notes.manager.focused().package == NOTES


def test_a_secure_lock_screen_takes_digits_and_back(notes: Phone) -> None:
    notes.services.keyguard.secure = True
    lock(notes)
    swipe_up(notes)
    notes.manager.key(Key.BACK)
    assert notes.find("lock_icon") is not None
    swipe_up(notes)
    for digit in notes.services.keyguard.pin:
        notes.manager.key(7 + int(digit))
    assert not notes.services.keyguard.showing


def test_the_lock_screen_hides_what_notifications_say(phone: Phone) -> None:
    phone.services.notify(MAPS, "Traffic", "slow")
    lock(phone)
    assert "Traffic" in phone.texts()
    phone.services.keyguard.secure = True
    assert "Traffic" not in phone.texts()


def test_old_androids_call_the_shade_status_bar() -> None:
    phone = make_phone(9)
    phone.manager.expand("notifications")
    assert phone.manager.focused().title == "StatusBar"


def test_turning_the_phone_lays_it_out_anew(notes: Phone) -> None:
    notes.services.set_setting("user_rotation", "1")
    assert bounds(notes.nodes()[0]) == (0, 0, 2400, 1080)
    assert notes.manager.render().size == (2400, 1080)
    notes.tap("Save")
    assert notes.app().state["taps"] == ["save"]


def test_size_and_density_overrides_count(notes: Phone) -> None:
    notes.services.display.override = (720, 1600)
    notes.services.display.override_density = 280
    assert bounds(notes.nodes()[0]) == (0, 0, 720, 1600)
    assert notes.manager.render().size == (720, 1600)


def test_a_long_press_of_power_offers_to_lock_and_restart(notes: Phone) -> None:
    notes.manager.key(Key.POWER, long=True)
    assert notes.manager.focused().title == "ActionsDialog"
    notes.manager.key(Key.BACK)
    assert notes.manager.focused().package == NOTES
    notes.manager.key(Key.POWER, long=True)
    notes.tap("Lockdown")
    assert notes.services.keyguard.showing
    notes.manager.swipe(540, 2000, 540, 400, 300)
    assert notes.manager.focused().package == NOTES
    notes.manager.key(Key.POWER, long=True)
    notes.tap("Restart")
    notes.manager.swipe(540, 2000, 540, 400, 300)
    assert notes.manager.focused().package == HOME
    assert notes.services.power.awake
