"""Pictures and albums."""

from __future__ import annotations

from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.ui.nodes import Node

Picture = dict[str, Any]


class Shot(Entry):
    """A picture, taken `days` ago."""

    title: Text
    album: Text
    days: int


class GalleryData(AppData):
    """The pictures on the phone."""

    shots: tuple[Shot, ...]


class GalleryApp(BaseApp[GalleryData]):
    """Pictures by day, albums, search, favourites, sharing, deleting.

    State, names canonical: {"pictures": [{"id", "title", "album", "date", "favourite", "deleted"}],
    "shared": [{"title", "with"}]}.
    """

    def seed(self) -> dict[str, Any]:
        """The pictures of the data."""
        return {
            "pictures": [
                {
                    "id": index,
                    "title": shot.title.en,
                    "text": self.words(shot.title),
                    "album": shot.album.en,
                    "date": self.ago(shot.days),
                    "favourite": False,
                    "deleted": False,
                }
                for index, shot in enumerate(self.data.shots, 1)
            ],
            "shared": [],
        }

    def _tabs(self, current: str) -> Node:
        return self.tabs(
            current, [("home", "Photos", "照片", "image"), ("albums", "Albums", "相册", "folder")]
        )

    def _pictures(self) -> list[Picture]:
        return [picture for picture in self.state["pictures"] if not picture["deleted"]]

    def _grid(self, pictures: list[Picture]) -> Node:
        cells = [
            widgets.tile(
                picture["text"],
                picture["title"],
                self.go("picture", id=picture["id"]),
                height=96,
                name="photo_item",
            )
            for picture in pictures
        ]
        return widgets.tiles(cells, columns=3)

    def page_home(self, page: Page) -> Node:
        """All pictures, the newest first, by day."""
        parts: list[Node] = []
        for day in sorted({str(picture["date"]) for picture in self._pictures()}, reverse=True):
            parts += [
                widgets.section(day),
                self._grid([picture for picture in self._pictures() if picture["date"] == day]),
            ]
        search = self.icon_button("search", "Search", "搜索", self.go("search"), name="search_button")
        return widgets.screen(
            self.bar(self.say("Photos", "照片"), search, back=False),
            self.listing(page, *parts),
            self._tabs("home"),
        )

    def page_albums(self, page: Page) -> Node:
        """The albums."""
        names = {shot.album.en: self.words(shot.album) for shot in self.data.shots}
        cells = [
            widgets.tile(
                words,
                f"album {name}",
                self.go("album", name=name),
                subtitle=str(sum(picture["album"] == name for picture in self._pictures())),
                height=110,
                name="album_item",
            )
            for name, words in names.items()
        ]
        cells.append(
            widgets.tile(
                self.say("Favourites", "收藏"),
                "album favourites",
                self.go("album", name=""),
                height=110,
                name="album_item",
            )
        )
        return widgets.screen(
            self.bar(self.say("Albums", "相册"), back=False),
            self.listing(page, widgets.tiles(cells, columns=2)),
            self._tabs("albums"),
        )

    def page_album(self, page: Page) -> Node:
        """The pictures of one album; without a name, the favourites."""
        name = page.arguments["name"]
        names = {shot.album.en: self.words(shot.album) for shot in self.data.shots}
        inside = [
            picture
            for picture in self._pictures()
            if (picture["album"] == name if name else picture["favourite"])
        ]
        return widgets.screen(
            self.bar(names.get(name, self.say("Favourites", "收藏"))), self.listing(page, self._grid(inside))
        )

    def page_search(self, page: Page) -> Node:
        """Pictures that match as the user types."""
        albums = {shot.album.en: shot.album.zh for shot in self.data.shots}
        titles = {shot.title.en: shot.title.zh for shot in self.data.shots}
        pictures = find(
            self.typed(page, "query"),
            self._pictures(),
            lambda picture: [
                picture["title"],
                titles[picture["title"]],
                picture["album"],
                albums[picture["album"]],
                picture["date"],
            ],
        )
        return widgets.screen(
            self.search_box(page, self.say("Search pictures", "搜索照片"), lambda _: None),
            self.listing(page, self._grid(pictures)),
        )

    def page_picture(self, page: Page) -> Node:
        """One picture; what can be done are icons."""
        picture = next(each for each in self.state["pictures"] if each["id"] == page.arguments["id"])

        def delete() -> None:
            picture["deleted"] = True
            self.host.back()

        def ask() -> None:
            self.confirm(
                self.say("Delete picture?", "删除照片？"),
                picture["text"],
                (self.say("Delete", "删除"), delete),
            )

        def love() -> None:
            picture["favourite"] = not picture["favourite"]

        return widgets.screen(
            self.bar(picture["text"]),
            widgets.picture(picture["title"], height=420, name="photo"),
            widgets.text(picture["date"], name="date", color=widgets.FAINT),
            widgets.filler(),
            widgets.row(
                self.icon_button("share", "Share", "分享", self.go("share", id=picture["id"]), name="share"),
                self.mark("heart", "Favourite", "收藏", picture["favourite"], love, name="favourite"),
                self.icon_button("delete", "Delete", "删除", ask, name="delete"),
                gap=56,
                padding=12,
            ),
        )

    def page_share(self, page: Page) -> Node:
        """Whom to send a picture to: the people known to the chat app."""
        picture = next(each for each in self.state["pictures"] if each["id"] == page.arguments["id"])
        chat = self.host.app("com.example.chat")

        def send(name: str) -> None:
            words = self.say(f"[Picture] {picture['text']}", f"[图片] {picture['text']}")
            chat.state["messages"][name].append({"from": "me", "text": words, "time": self.stamp()})
            self.state["shared"].append({"title": picture["title"], "with": name})
            self.host.toast(self.say("Sent", "已发送"))
            self.host.back()

        entries = [
            widgets.list_row(words, on_tap=partial(send, name), name="share_item")
            for name, words in self._people().items()
        ]
        return widgets.screen(self.bar(self.say("Share with", "分享给")), self.listing(page, *entries))

    def _people(self) -> dict[str, str]:
        book = self.host.app("com.example.contacts").state["contacts"]
        words = {str(person["name"]): str(person["text"]) for person in book}
        names = self.host.app("com.example.chat").state["messages"]
        return {name: words.get(name, name) for name in names}
