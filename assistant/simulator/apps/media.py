"""Things to hear and watch: music, video and podcasts, told apart by their data."""

from __future__ import annotations

from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import flip
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.apps.searching import SearchData, SearchPages
from assistant.simulator.ui.nodes import Align, Node


class Track(Entry):
    """A song, film or episode of some `minutes`, by an artist, in a collection."""

    title: Text
    artist: Text
    group: Text
    minutes: float
    tags: str = ""


class MediaData(SearchData):
    """What can be played. `groups` says what a collection is called, `lists` are the first playlists."""

    groups: Text
    lists: dict[str, Text]
    tracks: tuple[Track, ...]

    def track(self, title: str) -> Track:
        """A track by its canonical title. Raises `StopIteration` when there is none."""
        return next(track for track in self.tracks if track.title.en == title)


class MediaApp(SearchPages[MediaData]):
    """Search, collections, playing, favourites, playlists.

    State, titles canonical: {"playing": {"title", "artist", "status": "playing" or "paused"} or null,
    "favourites": [title], "playlists": {name: [title]}, "history": [title], "searches": [query]}.
    """

    def seed(self) -> dict[str, Any]:
        """Silence, and empty playlists."""
        return {
            "playing": None,
            "favourites": [],
            "playlists": {name: [] for name in self.data.lists},
            "history": [],
            "searches": [],
        }

    def _tabs(self, current: str) -> Node:
        return self.tabs(current, [("home", "Home", "首页", "home"), ("library", "Library", "我的", "list")])

    def _row(self, track: Track, queue: str) -> Node:
        artist = self.words(track.artist)
        return widgets.list_row(
            self.words(track.title),
            f"{artist} · {self.words(track.group)}",
            trailing=f"{int(track.minutes)}:{round(track.minutes % 1 * 60):02}",
            leading=widgets.picture(track.title.en, width=48, height=48),
            on_tap=partial(self._play, track, queue),
            name="track_item",
        )

    def _play(self, track: Track, queue: str) -> None:
        self._start(track)
        self.host.open(Page("playing", {"queue": queue}))

    def _start(self, track: Track) -> None:
        self.state["playing"] = {"title": track.title.en, "artist": track.artist.en, "status": "playing"}
        self.state["history"].append(track.title.en)

    def _queue(self, queue: str) -> list[Track]:
        if queue in self.state["playlists"]:
            return [self.data.track(title) for title in self.state["playlists"][queue]]
        if queue == "favourites":
            return [self.data.track(title) for title in self.state["favourites"]]
        return [track for track in self.data.tracks if track.group.en == queue] or list(self.data.tracks)

    def page_home(self, page: Page) -> Node:
        """Collections and everything there is."""
        groups = {track.group.en: track.group for track in self.data.tracks}
        cells = [
            widgets.chip(self.words(group), self.go("collection", queue=name), color=self.color)
            for name, group in groups.items()
        ]
        return widgets.screen(
            self.bar(self.label(self.host.locale), back=False),
            widgets.search_entry(self.words(self.data.hint), self.go("search")),
            widgets.section(self.words(self.data.groups)),
            self.chips(page, *cells),
            widgets.section(self.say("For you", "为你推荐")),
            self.listing(page, *[self._row(track, "") for track in self.data.tracks]),
            *self._mini(),
            self._tabs("home"),
        )

    def _mini(self) -> list[Node]:
        now = self.state["playing"]
        if not now:
            return []
        track = self.data.track(now["title"])
        playing = now["status"] == "playing"
        return [
            widgets.list_row(
                self.words(track.title),
                self.words(track.artist),
                leading=widgets.picture(track.title.en, width=40, height=40),
                action=self.icon_button(
                    "pause" if playing else "play",
                    "Play or pause",
                    "播放或暂停",
                    self._toggle,
                    name="mini_play",
                ),
                on_tap=self.go("playing", queue=""),
                name="mini_player",
            )
        ]

    def _toggle(self) -> None:
        now = self.state["playing"]
        now["status"] = "paused" if now["status"] == "playing" else "playing"

    def page_results(self, page: Page) -> Node:
        """What a query brings up."""
        results = find(
            page.arguments["query"],
            self.data.tracks,
            lambda item: [
                item.title.en,
                item.title.zh,
                item.artist.en,
                item.artist.zh,
                item.group.en,
                item.group.zh,
                item.tags,
            ],
        )
        rows = [self._row(track, "") for track in results] or [
            widgets.empty(self.say("Nothing found", "没有找到"))
        ]
        return widgets.screen(
            self.query_box(page),
            self.waiting(page) or self.listing(page, *rows),
            *self._mini(),
        )

    def page_collection(self, page: Page) -> Node:
        """An album, channel or playlist, to be played as a whole or from any track."""
        name = page.arguments["queue"]
        tracks = self._queue(name)
        words = {track.group.en: self.words(track.group) for track in self.data.tracks}
        words.update({key: self.words(text) for key, text in self.data.lists.items()})
        words["favourites"] = self.say("Favourites", "我喜欢")
        rows = [self._row(track, name) for track in tracks]
        return widgets.screen(
            self.bar(words.get(name, name)),
            widgets.picture(f"cover {name}", height=120),
            widgets.bottom_bar(
                self.button(
                    "Play all",
                    "播放全部",
                    lambda: self._play(tracks[0], name),
                    name="play_all",
                    weight=1,
                    enabled=bool(tracks),
                )
            ),
            self.listing(page, *(rows or [widgets.empty(self.say("Nothing here yet", "这里还没有内容"))])),
            *self._mini(),
        )

    def page_playing(self, page: Page) -> Node:
        """What plays now; the controls are icons."""
        now = self.state["playing"]
        track = self.data.track(now["title"])
        queue = self._queue(page.arguments["queue"])
        queue = queue if track in queue else list(self.data.tracks)
        loved = track.title.en in self.state["favourites"]

        def move(by: int) -> None:
            self._start(queue[(queue.index(track) + by) % len(queue)])

        love = partial(flip, self.state["favourites"], track.title.en)
        playing = now["status"] == "playing"
        controls = [
            self.icon_button("previous", "Previous", "上一个", partial(move, -1), name="previous"),
            self.icon_button(
                "pause" if playing else "play", "Play or pause", "播放或暂停", self._toggle, name="play"
            ),
            self.icon_button("next", "Next", "下一个", partial(move, 1), name="next"),
        ]
        return widgets.screen(
            self.bar(self.say("Now playing", "正在播放")),
            widgets.picture(track.title.en, height=300, name="cover"),
            widgets.text(self.words(track.title), name="title", size=22, bold=True, align=Align.CENTER),
            widgets.text(self.words(track.artist), name="artist", color=widgets.FAINT, align=Align.CENTER),
            widgets.filler(),
            widgets.row(
                self.mark("heart", "Favourite", "喜欢", loved, love, name="favourite"),
                self.icon_button(
                    "plus",
                    "Add to playlist",
                    "添加到歌单",
                    self.go("add", title=track.title.en),
                    name="add_to_playlist",
                ),
                gap=48,
                padding=8,
            ),
            widgets.row(*controls, name="controls", gap=36, padding=20),
        )

    def page_add(self, page: Page) -> Node:
        """Choose a playlist for a track, or make one."""
        title = page.arguments["title"]

        def add(name: str) -> None:
            titles: list[str] = self.state["playlists"].setdefault(name, [])
            if title not in titles:
                titles.append(title)
            self.host.toast(self.say("Added", "已添加"))
            self.host.back()

        def create() -> None:
            name = self.typed(page, "name")
            if name:
                add(name)

        field = self.field(page, "name", self.say("New playlist", "新建列表"), on_submit=create)
        return widgets.screen(
            self.bar(self.say("Add to playlist", "添加到列表")),
            self.listing(
                page,
                *[
                    widgets.list_row(self._list_name(name), on_tap=partial(add, name), name="playlist_item")
                    for name in self.state["playlists"]
                ],
                widgets.column(widgets.edit(field, name="playlist_name"), padding=12),
            ),
            widgets.bottom_bar(self.button("Create", "创建", create, name="create", weight=1)),
        )

    def _list_name(self, name: str) -> str:
        return self.words(self.data.lists[name]) if name in self.data.lists else name

    def page_library(self, page: Page) -> Node:
        """Favourites, playlists and what was played."""
        lists = [
            widgets.list_row(
                self._list_name(name),
                self.say(f"{len(titles)} titles", f"{len(titles)} 首"),
                leading=widgets.picture(f"cover {name}", width=48, height=48),
                on_tap=self.go("collection", queue=name),
                name="playlist_item",
            )
            for name, titles in self.state["playlists"].items()
        ]
        history = [self._row(self.data.track(title), "") for title in reversed(self.state["history"][-20:])]
        return widgets.screen(
            self.bar(self.say("Library", "我的"), back=False),
            self.listing(
                page,
                widgets.list_row(
                    self.say("Favourites", "我喜欢"),
                    self.say(
                        f"{len(self.state['favourites'])} titles", f"{len(self.state['favourites'])} 首"
                    ),
                    leading=widgets.pictogram("heart"),
                    on_tap=self.go("collection", queue="favourites"),
                    name="favourites",
                ),
                widgets.section(self.say("Playlists", "播放列表")),
                *lists,
                widgets.section(self.say("History", "最近播放")),
                *history,
            ),
            *self._mini(),
            self._tabs("library"),
        )
