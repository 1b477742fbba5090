from __future__ import annotations

import pytest

from assistant.simulator.apps.base import Difficulties
from tests.simulator.apps.fake import FakePhone

MUSIC, VIDEO, GALLERY, STORE, PODCASTS = (
    "com.example.music",
    "com.example.video",
    "com.example.gallery",
    "com.example.store",
    "com.example.podcasts",
)


@pytest.mark.parametrize(
    ("query", "title"), [("slow ferry", "Slow Ferry"), ("慢渡船", "慢渡船")], ids=["en", "zh"]
)
def test_a_song_is_found_played_and_kept(query: str, title: str) -> None:
    phone = FakePhone("en" if query.isascii() else "zh")
    phone.start_app(MUSIC)
    phone.tap(name="search_bar")
    phone.type(query)
    phone.tap(name="search_button")
    phone.tap(title)
    phone.tap(name="favourite")
    phone.tap(name="add_to_playlist")
    phone.tap({"Slow Ferry": "Running", "慢渡船": "跑步"}[title])
    phone.tap(name="play")
    state = phone.state(MUSIC)
    assert state["playing"] == {"title": "Slow Ferry", "artist": "June River", "status": "paused"}
    assert state["favourites"] == state["playlists"]["Running"] == ["Slow Ferry"]
    phone.tap(name="next")
    assert phone.state(MUSIC)["playing"]["title"] == "Harbour Lights"


def test_a_playlist_is_made_and_played() -> None:
    phone = FakePhone()
    phone.start_app(MUSIC)
    phone.tap("First Snow")
    phone.tap(name="add_to_playlist")
    phone.type("Winter")
    phone.tap("Create")
    phone.tap(name="back")
    phone.tap("Library")
    phone.tap("Winter")
    phone.tap("Play all")
    state = phone.state(MUSIC)
    assert state["playlists"]["Winter"] == ["First Snow"]
    assert state["history"] == ["First Snow", "First Snow"]


def test_a_video_is_watched_behind_an_advertisement() -> None:
    phone = FakePhone(difficulties=Difficulties())
    phone.start_app(VIDEO)
    assert phone.page.name == "advertisement"
    phone.tap("Join now")
    assert phone.page.name == "offer"
    phone.tap(name="back")
    phone.tap("Yoga for Stiff Shoulders")
    assert phone.state(VIDEO)["playing"]["title"] == "Yoga for Stiff Shoulders"


def test_a_picture_is_found_shared_and_deleted() -> None:
    phone = FakePhone()
    phone.start_app(GALLERY)
    phone.tap("Albums")
    phone.tap("Lake trip")
    phone.tap("Grey heron")
    phone.tap(name="favourite")
    phone.tap(name="share")
    phone.tap("Lily Chen")
    phone.tap(name="delete")
    phone.tap("Delete")
    state = phone.state(GALLERY)
    [heron] = [one for one in state["pictures"] if one["title"] == "Grey heron"]
    assert (heron["favourite"], heron["deleted"]) == (True, True)
    assert state["shared"] == [{"title": "Grey heron", "with": "Lily Chen"}]
    assert phone.state("com.example.chat")["messages"]["Lily Chen"][-1]["text"] == "[Picture] Grey heron"
    assert not phone.sees("Grey heron")


def test_a_picture_is_found_in_chinese() -> None:
    phone = FakePhone("zh")
    phone.start_app(GALLERY)
    phone.tap(name="search_button")
    phone.type("护照")
    phone.tap("护照页")
    assert phone.sees("护照页")


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_an_app_is_installed_and_opened(locale: str) -> None:
    phone = FakePhone("zh" if locale == "zh" else "en", Difficulties())
    word = {"en": ("podcasts", "Podcasts", "Install", "Open"), "zh": ("播客", "播客", "安装", "打开")}[locale]
    phone.start_app(STORE)
    phone.tap(name="search_bar")
    phone.type(word[0])
    phone.enter()
    phone.settle()
    phone.tap(word[1])
    phone.tap(word[2])
    phone.settle(0.5)
    assert phone.sees("20 %")
    assert phone.moving()
    phone.settle()
    assert phone.state(STORE)["installed"] == [PODCASTS]
    phone.tap(word[3])
    assert phone.running == PODCASTS
    phone.tap({"en": "Walk Home Slowly", "zh": "慢慢走回家"}[locale])
    assert phone.state(PODCASTS)["playing"]["title"] == "Walk Home Slowly"


def test_an_announced_app_can_only_be_signed_up_for() -> None:
    phone = FakePhone()
    phone.start_app(STORE)
    phone.tap("Star Gazer")
    phone.tap("Sign up")
    assert phone.state(STORE)["registered"] == ["Star Gazer"]
    assert phone.sees("Signed up")
