"""Names, labels and components."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.phone.apps import (
    AppLabels,
    AppStart,
    find_missing,
    named_by_package,
    nearest,
    parse_components,
    parse_launcher_dump,
    parse_profiles,
    same_label,
    well_known,
)
from assistant.phone.errors import ActionRefused
from tests.tables import each

QUERY = """3 activities found:
  Activity #0:
    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true
    com.android.settings/.Settings
  Activity #1:
    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true
    com.example.eats/com.example.eats.MainActivity
  Activity #2:
    com.example.eats/com.example.eats.MainActivity
"""
COMPONENTS = (
    "com.android.settings/.Settings",
    "com.example.eats/.Main",
    "com.google.android.apps.maps/.Maps",
)


def test_the_launchers_list() -> None:
    assert parse_components(QUERY) == (
        "com.android.settings/.Settings",
        "com.example.eats/com.example.eats.MainActivity",
    )
    assert parse_components("No activities found\n") == ()


@each(
    ("name", "label"),
    [
        ("app store", "App Store"),
        ("APPSTORE", "App Store"),
        ("微聊", "微聊"),
        ("Ｍａｐｓ", "Maps"),
        ("火车", None),
    ],
)
def test_a_name_for_a_label(name: str, label: str | None) -> None:
    assert same_label(name, ["App Store", "Maps", "微聊", "火车票"]) == label


@each(
    ("name", "component"),
    [
        ("Eats", COMPONENTS[1]),
        ("settings", COMPONENTS[0]),
        ("Maps", COMPONENTS[2]),
        ("Google", None),
        ("Market", None),
        ("", None),
        ("com", None),
    ],
)
def test_a_name_for_a_package(name: str, component: str | None) -> None:
    assert named_by_package(name, COMPONENTS) == component


def test_two_packages_of_a_name_are_none() -> None:
    assert named_by_package("music", ("com.a.music/.Main", "com.b.music/.Main")) is None


def test_the_nearest_come_first() -> None:
    assert nearest("wether", ["Clock", "Weather", "Mail"])[0] == "Weather"
    assert nearest("qqqq", ["Clock"]) == []
    assert nearest("Messages", ["Chat", "Eats", "Maps", "Notes"]) == []


@each(
    ("at", "intent"),
    [
        ("android.settings.WIFI_SETTINGS", "-a android.settings.WIFI_SETTINGS -p com.maps -f 0x10000000"),
        (
            "geo:0,0?q=a'; reboot",
            "-a android.intent.action.VIEW -d 'geo:0,0?q=a'\"'\"'; reboot' -p com.maps -f 0x10000000",
        ),
        ("tel:112", "-a android.intent.action.DIAL -d tel:112 -p com.maps -f 0x10000000"),
        ("mailto:a@b.c", "-a android.intent.action.SENDTO -d mailto:a@b.c -p com.maps -f 0x10000000"),
    ],
)
def test_an_address_is_shown_by_the_app_of_that_name_and_nothing_is_done(at: str, intent: str) -> None:
    assert AppStart(at=at).intent("com.maps/.Main") == intent


@each("at", ["sms:1", "android.intent.action.CALL", "geo:0,0\n", "paybox://pay", "x"])
def test_other_addresses_are_refused(at: str) -> None:
    with pytest.raises(ActionRefused, match="no address that an app opens"):
        AppStart(at=at).intent("com.maps/.Main")


@each(
    ("printed", "users"),
    [
        ("0\nUsers:\n\tUserInfo{0:Owner:c13} running\n", []),
        ("0\nUsers:\n\tUserInfo{0:机主:13} running\n\tUserInfo{999:XSpace:801010} running\n", [(999, False)]),
        (
            "0\n\tUserInfo{0:Me:c13}\n\tUserInfo{10:Work: mine:1030}\n\tUserInfo{11:Guest:1414}\n",
            [(10, True)],
        ),
        ("10\n\tUserInfo{0:Me:c13}\n\tUserInfo{10:Child:410} running\n", []),
        ("/system/bin/sh: pm: not found\n", []),
    ],
)
def test_work_profiles_and_twins_are_read(printed: str, users: list[tuple[int, bool]]) -> None:
    assert [(profile.user, profile.managed) for profile in parse_profiles(printed)] == users


def test_a_launchers_dump_is_read() -> None:
    components = ("com.a/.Main", "com.a/.Other", "com.b/.Main", "com.c/.Main")
    printed = (
        '   title="Maps" bitmapIcon=x componentName=com.a\n'
        '   title="微信" iconBitmap=y componentName=ComponentInfo{com.b/com.b.Main}\n'
        '   title="Twice" bitmapIcon=x componentName=com.b\n'
        '   title="Twice" bitmapIcon=x componentName=com.c\n'
        '   title="Gone" bitmapIcon=x componentName=com.gone\n'
        "garbage title= componentName=\n"
    )
    assert parse_launcher_dump(printed, components) == {"Maps": "com.a/.Main", "微信": "com.b/.Main"}


def test_well_known_names_count_only_where_one_such_app_is_installed() -> None:
    assert well_known("微信", ["com.tencent.mm/.ui.LauncherUI"]) == "com.tencent.mm/.ui.LauncherUI"
    assert well_known("WeChat", ["com.example.other/.Main"]) is None
    clocks = ["com.android.deskclock/.A", "com.google.android.deskclock/.B"]
    assert well_known("clock", clocks) is None


def test_labels_are_kept_for_each_phone(tmp_path: Path) -> None:
    labels = AppLabels(tmp_path / "labels.json")
    labels.learn("A", "Eats", "com.example.eats/.Main")
    labels.learn("B", "外卖", "com.example.eats/.Main")
    again = AppLabels(tmp_path / "labels.json")
    assert again.of("A") == {"Eats": "com.example.eats/.Main"}
    assert again.label("B", "com.example.eats") == "外卖"
    again.forget("A", "com.example.eats/.Main")
    assert again.label("A", "com.example.eats") == ""


def test_a_broken_file_is_an_empty_one(tmp_path: Path) -> None:
    file = tmp_path / "labels.json"
    for content in ("{", "[]", '{"A": 3}', '{"A": {"x": 3}}'):
        file.write_text(content)
        assert AppLabels(file).of("A") == {}
    AppLabels(file).learn("A", "Eats", "com.example.eats/.Main")
    assert AppLabels(file).label("A", "com.example.eats") == "Eats"


@each(
    ("order", "missing"),
    [
        ("text mom hi in wechat", "wechat"),
        ("navigate home using Google Maps", "Google Maps"),
        ("open Spotify, then play jazz", "Spotify"),
        ("in whatsapp text mom hi", ""),
        ("text tom im late with signal issues", ""),
        ("open chrome beta", ""),
        ("put it in my calendar", ""),
        ("order noodles with coriander", ""),
        ("play jazz in the evening", ""),
        ("用微信给妈妈发消息", "微信"),
        ("在日历里加个会", ""),
        ("在微信读书里看书", ""),
        # What the system brings may be there by another name.
        ("open photos", ""),
        ("search in files for my cv", ""),
        ("打开文件", ""),
        ("search the web for how to open instagram", ""),
        ("别用微信，用短信", ""),
        *(("tell mom: I'm on instagram", ""), ("tell mom im on instagram", "")),
        ("给小李发消息说“我在抖音看到的”", ""),
        # Words of a message, a title or a plain noun.
        *((order, "") for order in ("put milk in tasks", "put the dentist in Calendar", "open Phone")),
        ("tell Ann I'm on WeChat now", ""),
        ("text Bob that I saw it on tiktok", ""),
        ("dentist at 3 on zoom, add it to my calendar", ""),
        ("add a calendar entry: call on teams, 3 pm", ""),
        ("remind me to book with uber", ""),
        ("in teams of two, book a court", ""),
        ("给小李发消息说我在抖音看到的", ""),
        ("在小红书看到的那家店订位", ""),
        ("用电话打给妈妈", ""),
        ("In WeChat, text mom hi", "WeChat"),
        ("using Uber Eats order a pizza", "Uber Eats"),
        ("text Ann on telegram that I'm late", "telegram"),
        ("用wechat给妈妈发消息", "wechat"),
        ("在淘宝买一双鞋", "淘宝"),
        # What is sent is called after its app.
        ("给小王发微信说周三九点开会别忘了", "微信"),
        ("发个微信给小王：到了", "微信"),
        ("给我妈打微信电话", "微信"),
        ("微信问下小王几点到", "微信"),
        ("小王一回微信就念给我听", ""),
        ("WhatsApp mom that I'm late", "WhatsApp"),
        ("send mom a WhatsApp saying I'm late", "WhatsApp"),
        ("给小王发消息说我发微信了", ""),
        ("看看给我发微信的那个人是谁", ""),
        ("给小王发消息：发微信给我", ""),
        *(
            (order, "")
            for order in ("Line up the tasks", "send a signal to Bob", "text Bob: WhatsApp is down")
        ),
    ],
)
def test_a_widely_used_app_that_an_order_names_and_no_label_is_missing(order: str, missing: str) -> None:
    assert find_missing(order, ["日历", "Chrome Beta", "微信读书"]) == missing
    assert find_missing(order, []) == ""
