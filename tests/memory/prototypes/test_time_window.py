from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant import i18n
from assistant.i18n import Language
from assistant.memory.prototypes.model import TimeWindow, UnreadableTimeWindow, read_window
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from tests.tables import each

from .lived import Hashing, record

MONDAY = datetime(2026, 3, 9, 12, tzinfo=UTC)


@contextmanager
def in_chinese() -> Iterator[None]:
    i18n.use(Language.CHINESE)
    try:
        yield
    finally:
        i18n.use(Language.ENGLISH)


@each(
    ("text", "written"),
    [
        ("11:50 – 12:30 Mon-Fri", "11:50-12:30 mon-fri"),
        ("18-19", "18:00-19:00"),
        ("weekends", "sat sun"),
        ("Tuesday, thu", "tue thu"),
        ("fri-mon 22:00-02:00", "22:00-02:00 mon fri sat sun"),
        ("daily", "daily"),
        ("周一至周五", "mon-fri"),
        ("12:00-13:00 工作日", "12:00-13:00 mon-fri"),
        ("每天", "daily"),
        ("１２：００－１３：００，每周一、三、五", "12:00-13:00 mon wed fri"),
        ("星期六到星期天 22点半～2点", "22:30-02:00 sat sun"),
        ("周末 下午2点到4点", "14:00-16:00 sat sun"),
        ("礼拜二和周四晚上10点-12点", "22:00-00:00 tue thu"),
        ("中午11点30分至1点，周五至一", "11:30-13:00 mon fri sat sun"),
        ("mon～wed", "mon-wed"),
    ],
)
def test_hours_and_days_are_read(text: str, written: str) -> None:
    assert str(read_window(text)) == written


@each(
    "text",
    [
        "",
        "noonish",
        "25-26",
        "12:61-13:00",
        "mon-xyz",
        "12-13 someday",
        "周八",
        "下午",
        "周一至",
        "25点-26点",
    ],
)
def test_anything_else_is_refused_saying_how(text: str) -> None:
    with pytest.raises(UnreadableTimeWindow, match="11:50-12:30 mon-fri"):
        read_window(text)


def test_a_window_is_shown_in_the_language_of_the_interface() -> None:
    with in_chinese():
        assert read_window("11:50-12:30 mon-fri").words == "11:50-12:30 周一至周五"
        assert [read_window(text).words for text in ("sun tue", "daily")] == ["周二 周日", "每天"]
        with pytest.raises(UnreadableTimeWindow, match="周一至周五"):
            read_window("中午")
    assert read_window("周一至周五").words == "mon-fri"


def test_a_window_past_midnight_belongs_to_the_day_it_began_on() -> None:
    window = read_window("22:00-02:00 mon")
    assert window.contains(MONDAY.replace(hour=23))
    assert window.contains(MONDAY.replace(day=10, hour=1))
    assert not window.contains(MONDAY.replace(hour=1))
    assert not window.contains(MONDAY)


@given(
    st.times().map(lambda moment: time(moment.hour, moment.minute)),
    st.times().map(lambda moment: time(moment.hour, moment.minute)),
    st.frozensets(st.integers(0, 6), min_size=1),
)
def test_what_is_written_is_read_back(start: time, end: time, days: frozenset[int]) -> None:
    window = TimeWindow(start, end, days) if start != end else TimeWindow(days=days)
    assert read_window(str(window)) == window
    assert window.words == str(window)
    with in_chinese():
        assert read_window(window.words) == window


@given(st.text(max_size=40))
def test_any_text_is_a_window_or_a_sentence(text: str) -> None:
    with suppress(UnreadableTimeWindow):
        assert str(read_window(text))


def test_a_prototype_keeps_the_users_hours_and_place_until_undone(tmp_path: Path) -> None:
    store = Store(tmp_path, now=lambda: MONDAY)
    store.records.add(record(f"n{day}", day=day) for day in range(4))
    memory = HierarchicalMemory(store, Hashing())
    (before,) = memory.prototypes("1")
    memory.decisions("1").keep_to(before.evidence, "11:50-12:30 mon-fri")
    memory.decisions("1").place(before.evidence, "office")
    (after,) = memory.prototypes("1")
    assert (str(after.window), after.place) == ("11:50-12:30 mon-fri", "office")
    store.undo()
    store.undo()
    assert memory.prototypes("1") == [before]
    store.close()
