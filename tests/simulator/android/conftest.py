from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest

from assistant.simulator.android.profiles import Profile, Release
from assistant.simulator.android.services import Services
from assistant.simulator.android.software import Package
from tests.simulator.manual_clock import ManualClock

from .bench import Bench
from .screen import Screen

NOON = datetime(2026, 3, 9, 12, 5, 7, 250_000, tzinfo=timezone(timedelta(hours=8), "CST"))


def make_bench(release: Release = 12) -> Bench:
    services = Services(profile=Profile(release=release), clock=ManualClock(NOON))
    services.packages.add(Package("com.example.chat", {"en": "Chat", "zh": "微聊"}))
    services.packages.add(Package("com.example.browser", {"en": "Browser"}, ".BrowserActivity"))
    services.packages.add(Package("com.android.settings", {"en": "Settings"}, ".Settings", system=True))
    services.mark()
    return Bench(services, Screen(services))


@pytest.fixture
def on() -> Callable[[Release], Bench]:
    return make_bench


@pytest.fixture
def bench() -> Bench:
    return make_bench()
