"""Names for people out of resource ids and packages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.records import (
    Click,
    ForegroundApp,
    Point,
    Target,
    app_name,
    describe,
    element_name,
    says_little,
)


@pytest.mark.parametrize(
    ("resource_id", "name"),
    [
        ("com.shop:id/iv_close", "close"),
        ("android:id/switch_widget", "switch"),
        ("com.shop:id/btnAddToCart", "add to cart"),
        ("com.shop:id/search_src_text", "search src text"),
        ("com.shop:id/btn", "btn"),
        ("com.shop:id/image_view", "image"),
        ("com.shop:id/关闭", "关闭"),
        ("", ""),
    ],
)
def test_an_id_is_read_without_what_its_element_is_made_of(resource_id: str, name: str) -> None:
    assert element_name(resource_id) == name


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("com.example.paybox", "Paybox"),
        ("com.android.permissioncontroller", "Permission controller"),
        ("com.google.android.packageinstaller", "Package installer"),
        ("com.android.systemui", "System ui"),
        ("org.fitness.guide", "Guide"),
        ("com.android", "Android"),
        ("", ""),
    ],
)
def test_a_package_says_what_its_app_is_called(package: str, name: str) -> None:
    assert app_name(package) == name


@given(st.text(max_size=30))
def test_any_text_has_a_name(text: str) -> None:
    assert "_" not in element_name(text)
    assert isinstance(app_name(text), str)


def test_a_step_is_told_by_the_readable_name_and_keeps_its_target() -> None:
    target = Target(resource_id="com.shop:id/iv_close", text="iv close")
    action = Click(point=Point(0.5, 0.5), target=target)
    assert describe(action) == "tap “close”"
    assert target.label == "iv close"


def test_words_on_the_screen_stand_before_an_id() -> None:
    target = Target(resource_id="com.shop:id/tv_pay", text="Pay now")
    assert target.name == "Pay now"


def test_an_app_is_called_by_its_label_where_that_is_known() -> None:
    assert ForegroundApp("com.example.paybox", label="PayBox").title == "PayBox"
    assert ForegroundApp("com.example.paybox").title == "Paybox"


LITTLE = """later|Not now|OK|×|X|Don’t allow|Skip ad 5s|go_back|While using the app|Close|Got it
取消|以后再说|暂不|跳过 5秒|我知道了|仅在使用该应用时允许|确定|返回"""


@pytest.mark.parametrize("name", re.split(r"[|\n]", LITTLE))
def test_a_name_that_needs_what_it_belongs_to(name: str) -> None:
    assert says_little(name)


@pytest.mark.parametrize("name", ["Search", "5", "#", "Pay ¥32.00", "Cancel order", "取消订单", "不辣"])
def test_a_name_that_says_enough(name: str) -> None:
    assert not says_little(name)
