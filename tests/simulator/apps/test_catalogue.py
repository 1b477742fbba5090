from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
import yaml
from pydantic import BaseModel, ValidationError

from assistant.simulator.apps.base import BaseApp, Difficulties
from assistant.simulator.apps.goods import OrderingData
from assistant.simulator.apps.host import App
from assistant.simulator.apps.schema import Text
from tests.simulator.apps.fake import FakePhone, walk
from tests.tables import each

LABELS = {
    "com.example.chat": ("Chat", "微聊"),
    "com.example.contacts": ("Contacts", "通讯录"),
    "com.example.dialer": ("Phone", "电话"),
    "com.example.clock": ("Clock", "时钟"),
    "com.example.calendar": ("Calendar", "日历"),
    "com.example.maps": ("Maps", "地图"),
    "com.example.music": ("Music", "音乐"),
    "com.example.video": ("Video", "视频"),
    "com.example.shop": ("Market", "商城"),
    "com.example.eats": ("Eats", "外卖"),
    "com.example.taxi": ("Ride", "打车"),
    "com.example.rail": ("Rail", "火车票"),
    "com.example.browser": ("Browser", "浏览器"),
    "com.example.notes": ("Notes", "便签"),
    "com.example.weather": ("Weather", "天气"),
    "com.android.settings": ("Settings", "设置"),
    "com.example.store": ("App Store", "应用商店"),
    "com.example.paybox": ("PayBox", "付款宝"),
    "com.example.gallery": ("Gallery", "相册"),
    "com.example.mail": ("Mail", "邮件"),
    "com.example.podcasts": ("Podcasts", "播客"),
}
DATA = sorted(path.name for path in files("assistant.simulator.apps").joinpath("data").iterdir())


def all_apps(phone: FakePhone) -> dict[str, App]:
    return {**phone.known, **phone.absent}


def test_every_app_has_its_package_and_labels() -> None:
    apps = all_apps(FakePhone())
    assert {name: (app.label("en"), app.label("zh")) for name, app in apps.items()} == LABELS
    assert len(DATA) == len(apps)
    assert "com.example.podcasts" not in FakePhone().known


@each("name", DATA)
def test_every_text_of_the_data_is_in_both_languages(name: str) -> None:
    def check(value: Any, where: str) -> None:
        if isinstance(value, dict):
            if "en" in value or "zh" in value:
                assert set(value) == {"en", "zh"}, where
            for key, inner in value.items():
                check(inner, f"{where}.{key}")
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                check(inner, f"{where}[{index}]")

    text = files("assistant.simulator.apps").joinpath("data", name).read_text(encoding="utf-8")
    check(yaml.load(text, Loader=yaml.CSafeLoader), name)


def test_a_text_without_translation_is_refused() -> None:
    with pytest.raises(ValidationError):
        Text.model_validate({"en": "Only English"})
    with pytest.raises(ValidationError):
        OrderingData.model_validate({"package": "com.example.nothing"})


@each("package", sorted(LABELS))
def test_main_lists_must_be_scrolled(package: str) -> None:
    data = vars(all_apps(FakePhone())[package])["data"]
    assert isinstance(data, BaseModel)
    longest = max(len(value) for value in dict(data).values() if isinstance(value, tuple | dict))
    items = sum(len(shop.items) for shop in data.shops) if isinstance(data, OrderingData) else 0
    assert max(longest, items) >= 12


@each("locale", ["en", "zh"])
@each("package", sorted(LABELS))
def test_first_pages_can_be_used(package: str, locale: str) -> None:
    phone = FakePhone("zh" if locale == "zh" else "en")
    if package in phone.absent:
        phone.install(package)
    phone.start_app(package)
    phone.settle()
    nodes = list(walk(phone.tree()))
    assert any(node.on_tap for node, _ in nodes)
    assert not phone.moving()
    for node, _ in nodes:
        assert node.widget.startswith(("android.", "androidx."))
        if node.on_tap:
            assert node.id
    app = phone.known[package]
    assert app.activity(app.first_page()) in (".MainActivity", ".Settings")
    assert isinstance(app, BaseApp)
    phone.state(package)


def explore(phone: FakePhone, package: str, steps: int) -> set[str]:
    """Tap about like a child; return the names of the pages seen."""
    seen: set[str] = set()
    for _ in range(steps):
        phone.settle(2)
        if phone.dialogs:
            label, act = phone.random.choice(phone.dialogs.pop().buttons)
            assert label
            act()
            continue
        if phone.running != package:
            phone.start_app(package)
        seen.add(phone.page.name)
        nodes = [node for node, _ in walk(phone.tree()) if (node.on_tap and node.enabled) or node.field]
        if not nodes or phone.random.random() < 0.1:
            phone.back()
            continue
        node = phone.random.choice(nodes)
        if node.field:
            node.field.value = phone.random.choice(["beef", "牛肉", "12", "", "x" * 40, "7:30"])
            if node.field.on_submit and phone.random.random() < 0.5:
                node.field.on_submit()
        elif node.on_tap:
            node.on_tap()
        phone.state(package)
    return seen


@each("package", sorted(LABELS))
def test_no_sequence_of_taps_breaks_an_app(package: str) -> None:
    for locale in ("en", "zh"):
        phone = FakePhone("zh" if locale == "zh" else "en", Difficulties())
        if package in phone.absent:
            phone.install(package)
        assert len(explore(phone, package, 250)) >= 2
