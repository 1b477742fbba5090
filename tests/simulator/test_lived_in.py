"""The three weeks behind the demo: they fit the simulated phone, and explain what is said vaguely."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml

import assistant.simulator.apps
from assistant.demo.memory import demo_store, fresh_demo_store, live_in, locale_of
from assistant.embedding.embedder import OnnxEmbedder
from assistant.embedding.models import bundled_matcher, bundled_tagger
from assistant.files import ProactiveLock
from assistant.memory.store import Store
from assistant.records import Click, Record, State, TypeText
from assistant.settings.schema import MemorySettings, Settings
from assistant.simulator.apps.host import Locale
from assistant.simulator.lived_in import DAYS, lived_in
from assistant.simulator.world import WorldOptions
from assistant.understand.memory_sources import open_memory
from assistant.understand.resolution import Resolution
from assistant.understand.service import UnderstandingService
from assistant.understand.types import Sources

NOW = datetime(2026, 3, 9, 12, 5, tzinfo=ZoneInfo("Asia/Shanghai"))
HOURS = (1, 8, 12, 16, 20)


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_the_weeks_end_yesterday_and_are_the_same_for_a_seed(locale: Locale) -> None:
    records = lived_in("me", NOW, locale)
    assert records == lived_in("me", NOW, locale) != lived_in("me", NOW, locale, seed=1)
    assert records[0].time.date() == (NOW - timedelta(days=DAYS)).date()
    assert records[-1].time.date() == (NOW - timedelta(days=1)).date()
    assert len({record.id for record in records}) == len(records) > 60
    times = [record.time for record in records]
    assert times == sorted(times)


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_what_is_tapped_and_typed_is_on_the_phone(locale: Locale) -> None:
    folder = Path(assistant.simulator.apps.__path__[0])
    shown = "".join(file.read_text("utf-8") for file in folder.rglob("*") if file.suffix in (".py", ".yaml"))
    packages = {
        yaml.load(file.read_text("utf-8"), Loader=yaml.CSafeLoader)["package"]
        for file in folder.joinpath("data").iterdir()
    }
    for record in lived_in("me", NOW, locale):
        assert record.package in packages
        for action in record.actions:
            label = action.content if isinstance(action, Click) else ""
            typed = action.text if isinstance(action, TypeText) else ""
            words = (label or typed).replace("Building 8 ", "Building 8, ")
            assert words in shown


def settings_in(folder: Path) -> Settings:
    return Settings(store=folder)


def records_in(settings: Settings) -> list[Record]:
    store = Store(settings.store)
    try:
        return list(store.records.of(settings.user_id))
    finally:
        store.close()


class TestFilling:
    def test_a_demo_has_a_store_of_its_own_unless_one_is_named(self, tmp_path: Path) -> None:
        real = settings_in(tmp_path)
        assert demo_store(real, None).store == tmp_path / "demo"
        assert demo_store(real, None, "zh").store == tmp_path / "demo-zh"
        assert demo_store(real, tmp_path) is real

    def test_each_start_of_a_demo_begins_anew_unless_the_store_is_named(self, tmp_path: Path) -> None:
        real = settings_in(tmp_path)
        folder = demo_store(real, None).store
        (folder / "screenshots").mkdir(parents=True)
        (folder / "memory.sqlite").touch()
        with fresh_demo_store(real, folder) as kept:
            assert kept.store == tmp_path
            assert (folder / "memory.sqlite").exists()
        with fresh_demo_store(real, None) as anew:
            assert anew.store == folder
            assert not {"screenshots", "memory.sqlite"} & {path.name for path in folder.iterdir()}

    def test_demos_that_run_at_the_same_time_have_a_folder_each(self, tmp_path: Path) -> None:
        real = settings_in(tmp_path)
        with fresh_demo_store(real, None) as first:
            (first.store / "memory.sqlite").touch()
            with fresh_demo_store(real, None) as second:
                assert second.store == tmp_path / "demo-2"
                with fresh_demo_store(real, None, "zh") as other_language:
                    assert other_language.store == tmp_path / "demo-zh"
            assert (first.store / "memory.sqlite").exists()
        with fresh_demo_store(real, None) as later:
            assert later.store == first.store

    def test_a_demo_leaves_the_folder_to_a_program_that_offers_suggestions_from_it(
        self, tmp_path: Path
    ) -> None:
        real = settings_in(tmp_path)
        folder = demo_store(real, None).store
        folder.mkdir()
        (folder / "memory.sqlite").touch()
        lock = ProactiveLock(folder)
        assert lock.take()
        with fresh_demo_store(real, None) as own:
            assert own.store == tmp_path / "demo-2"
        assert (folder / "memory.sqlite").exists()
        lock.release()

    def test_the_second_folder_counts_as_the_demos_own(self, tmp_path: Path) -> None:
        settings = settings_in(tmp_path / "demo-2").model_copy(
            update={"memory": MemorySettings(learning=False)}
        )
        store = Store(settings.store)
        turn = Record(id="t", user_id=settings.user_id, time=NOW, instruction="call mom", source="executed")
        store.records.add([turn])
        store.close()
        assert live_in(settings, WorldOptions(), lambda: NOW)

    def test_the_language_is_that_of_the_first_command(self) -> None:
        assert locale_of(["给妈妈打电话", "call mom"]) == "zh"
        assert locale_of(["call mom"]) == locale_of([]) == "en"

    def test_only_an_empty_store_is_filled_and_only_once(self, tmp_path: Path) -> None:
        settings = settings_in(tmp_path).model_copy(update={"memory": MemorySettings(learning=False)})
        assert live_in(settings, WorldOptions(), lambda: NOW)
        first = records_in(settings)
        assert not live_in(settings, WorldOptions(), lambda: NOW + timedelta(days=1))
        assert records_in(settings) == first == lived_in(settings.user_id, NOW)

    def test_of_two_programs_that_begin_at_once_one_fills_the_store(self, tmp_path: Path) -> None:
        settings = settings_in(tmp_path).model_copy(update={"memory": MemorySettings(learning=False)})
        with ThreadPoolExecutor(2) as pool:
            filled = list(pool.map(lambda _: live_in(settings, WorldOptions(), lambda: NOW), range(2)))
        assert sorted(filled) == [False, True]
        assert records_in(settings) == lived_in(settings.user_id, NOW)

    def test_a_turn_before_the_past_came_keeps_it_out_of_no_demo_but_of_a_named_store(
        self, tmp_path: Path
    ) -> None:
        turn = Record(id="t", user_id="me", time=NOW, instruction="call mom", source="executed")
        filled = []
        for named in (None, tmp_path / "real"):
            settings = settings_in(tmp_path if named is None else named)
            settings = settings.model_copy(update={"memory": MemorySettings(learning=False)})
            settings = demo_store(settings, named)
            store = Store(settings.store)
            store.records.add([turn.model_copy(update={"user_id": settings.user_id})])
            store.close()
            filled.append(live_in(settings, WorldOptions(), lambda: NOW))
        assert filled == [True, False]

    def test_one_undo_takes_the_records_back(self, tmp_path: Path) -> None:
        settings = settings_in(tmp_path).model_copy(update={"memory": MemorySettings(learning=False)})
        live_in(settings, WorldOptions(), lambda: NOW)
        store = Store(settings.store)
        store.undo()
        store.close()
        assert records_in(settings) == []


@pytest.fixture(scope="module", params=["en", "zh"])
def lived(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, embedder: OnnxEmbedder
) -> Iterator[tuple[str, Sources]]:
    """A memory of three weeks in one language."""
    settings = settings_in(tmp_path_factory.mktemp("lived"))
    live_in(settings, WorldOptions(locale=request.param), lambda: NOW)
    store = Store(settings.store)
    memory = open_memory(store, embedder, settings.user_id, lambda _: None, matcher=bundled_matcher())
    yield request.param, memory
    store.close()


LUNCH = "Order beef noodles, no coriander, from Old Street Noodles to the office on Eats"
MEANT = {
    "en": {
        "call mom": "call Susan Lin",
        "navigate home": "navigate to Building 8 Willow Court",
        "order my usual lunch": LUNCH,
        "order my usual coffee": "Order an oat latte with less ice from Corner Coffee to the office on Eats",
        "play the music I fall asleep to": "Play the song Moon over Tiles to fall asleep on Music",
        "play the music I run to": "Play the song Ten Kilometres for my run on Music",
        "take me to the usual place": "Navigate to Lakeside Teahouse on Maps",
    },
    "zh": {
        "给妈妈打电话": "给林素珊打电话",
        "导航回家": "导航回柳园8幢",
        "点平时那家的牛肉面": "在外卖上点老街面馆的牛肉面，不要香菜，送到公司",
        "点我平时的午饭": "在外卖上点老街面馆的牛肉面，不要香菜，送到公司",
        "放我睡觉听的歌": "在音乐上播放歌曲瓦上月助眠",
        "去老地方": "在地图上导航去湖畔茶楼",
    },
}


MAY_ASK = ("take me to the usual place", "去老地方")
"""Several places are about as likely, by words, hour and day: asking is right, another place is not."""


def understood(said: str, sources: Sources, hour: int) -> Resolution:
    """What a command means at an hour of the day."""
    state = State(time=NOW.replace(hour=hour))
    return UnderstandingService(lambda: sources, lambda: state, tagger=bundled_tagger()).resolve(said)


def test_vague_words_are_understood_at_any_hour_from_records(lived: tuple[str, Sources]) -> None:
    locale, sources = lived
    ids = {record.id for record in lived_in("me", NOW, "zh" if locale == "zh" else "en")}
    for said, meant in MEANT[locale].items():
        for hour in HOURS:
            resolution = understood(said, sources, hour)
            if said in MAY_ASK and resolution.missing:
                assert resolution.instruction == said
                continue
            assert resolution.instruction == meant, (said, hour)
            for one in resolution.meanings:
                assert one.chosen is not None
                assert set() < set(one.chosen.evidence) <= ids


def test_the_usual_alone_is_asked_about_with_the_lunch_first(lived: tuple[str, Sources]) -> None:
    locale, sources = lived
    lunch = {"en": LUNCH.removesuffix(" on Eats"), "zh": "点老街面馆的牛肉面，不要香菜，送到公司"}[locale]
    sunday = State(time=NOW.replace(day=15, hour=9))
    said = {"en": ("same as always", "as usual"), "zh": ("照旧", "跟往常一样")}[locale]
    for words in said:
        service = UnderstandingService(lambda: sources, lambda: sunday, tagger=bundled_tagger())
        resolution = service.resolve(words)
        assert resolution.instruction == words
        assert resolution.missing[0].candidates[0].value.startswith(lunch)


def test_what_the_weeks_do_not_tell_is_not_guessed(lived: tuple[str, Sources]) -> None:
    locale, sources = lived
    said = {"en": "call my landlord", "zh": "给房东打电话"}[locale]
    resolution = understood(said, sources, NOW.hour)
    assert resolution.instruction == said
    assert len(resolution.missing) == 1
