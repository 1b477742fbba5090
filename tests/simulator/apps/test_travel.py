from __future__ import annotations

from datetime import date

import pytest

from assistant.simulator.apps.base import Difficulties
from assistant.simulator.apps.schema import load
from assistant.simulator.apps.weather import SKIES, WeatherData, forecast
from tests.simulator.apps.fake import FakePhone

TAXI, MAPS, WEATHER = "com.example.taxi", "com.example.maps", "com.example.weather"


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_a_ride_is_requested_and_cancelled(locale: str) -> None:
    phone = FakePhone("zh" if locale == "zh" else "en", Difficulties())
    word = {
        "en": ("Where to?", "airport", "East Airport Terminal 2", "Comfort", "Request ride", "Cancel ride"),
        "zh": ("你要去哪儿？", "机场", "东机场2号航站楼", "舒适型", "呼叫用车", "取消行程"),
    }[locale]
    phone.start_app(TAXI)
    assert phone.asked == ["location"]
    assert phone.state(TAXI)["pickup"] == "Willow Court"
    phone.tap(word[0])
    phone.type(word[1])
    phone.tap(word[2])
    assert phone.moving()
    phone.settle()
    phone.tap(word[3])
    phone.tap(word[4])
    assert phone.state(TAXI)["rides"][0]["status"] == "requested"
    assert phone.moving()
    phone.settle()
    ride = phone.state(TAXI)["rides"][0]
    assert (ride["to"], ride["car"], ride["status"]) == ("East Airport Terminal 2", "Comfort", "assigned")
    assert len(phone.notes) == 1
    phone.tap(word[5])
    phone.tap({"en": "Cancel ride", "zh": "确定取消"}[locale])
    assert phone.state(TAXI)["rides"][0]["status"] == "cancelled"


def test_without_location_the_pick_up_is_asked() -> None:
    phone = FakePhone(difficulties=Difficulties())
    phone.grants = False
    phone.start_app(TAXI)
    phone.tap("Office")
    assert phone.page.arguments == {"key": "pickup"}
    phone.tap("City Library")
    assert phone.state(TAXI)["pickup"] == "City Library"


@pytest.mark.parametrize(
    ("query", "name"), [("museum", "City Museum"), ("博物馆", "市博物馆")], ids=["en", "zh"]
)
def test_a_place_is_found_saved_and_navigated_to(query: str, name: str) -> None:
    phone = FakePhone("en" if query == "museum" else "zh")
    phone.start_app(MAPS)
    phone.tap(name="search_bar")
    phone.type(query)
    phone.enter()
    phone.tap(name)
    phone.tap(name="save")
    phone.tap(name="directions")
    phone.tap({"museum": "Walk", "博物馆": "步行"}[query])
    phone.tap(name="start")
    state = phone.state(MAPS)
    assert state["saved"] == state["viewed"] == ["City Museum"]
    assert state["navigation"] == {"to": "City Museum", "mode": "walk", "status": "active"}
    phone.tap(name="end")
    assert phone.state(MAPS)["navigation"]["status"] == "ended"


def test_maps_offer_an_update_once() -> None:
    phone = FakePhone(difficulties=Difficulties())
    phone.start_app(MAPS)
    assert phone.dialogs[-1].title == "Update available"
    phone.tap("Later")
    phone.start_app(MAPS, phone.known[MAPS].first_page())
    assert phone.dialogs == []


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_another_citys_weather_is_read_and_kept(locale: str) -> None:
    phone = FakePhone("zh" if locale == "zh" else "en")
    name = {"en": "Harbin", "zh": "哈尔滨"}[locale]
    phone.start_app(WEATHER)
    phone.tap(name="search_button")
    phone.type(name)
    phone.tap(name)
    assert phone.sees({"en": "Tomorrow", "zh": "明天"}[locale])
    phone.tap(name="add_city")
    phone.tap(name="back")
    phone.tap(name="back")
    phone.tap(name="cities")
    phone.tap(name)
    state = phone.state(WEATHER)
    assert state["viewed"] == ["Harbin"]
    assert (state["current"], state["cities"]) == ("Harbin", ["Shanghai", "Harbin"])


def test_forecasts_do_not_change() -> None:
    city = load("weather", WeatherData).cities[0]
    days = [forecast(city, date(2026, 11, day)) for day in range(1, 31)]
    assert days == [forecast(city, date(2026, 11, day)) for day in range(1, 31)]
    assert all(one.low < one.high and one.sky in SKIES for one in days)
    assert len({one.sky for one in days}) > 2
