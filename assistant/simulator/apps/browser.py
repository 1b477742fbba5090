"""A small web: an address bar, a search, pages with text."""

from __future__ import annotations

from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp, flip
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.ui.nodes import Node


class WebPage(Entry):
    """A page of the small web."""

    url: str
    site: Text
    title: Text
    text: tuple[Text, ...]
    promoted: bool = False


class BrowserData(AppData):
    """The small web; `shortcuts` are addresses on the start page."""

    pages: tuple[WebPage, ...]
    shortcuts: tuple[str, ...]

    def page(self, url: str) -> WebPage | None:
        """A page by its address, however much of it was typed."""
        address = (
            url.lower().removeprefix("https://").removeprefix("http://").removeprefix("www.").strip("/ ")
        )
        exact = [page for page in self.pages if page.url == address]
        return (
            exact[0]
            if exact
            else next((web_page for web_page in self.pages if web_page.url.split("/")[0] == address), None)
        )


class BrowserApp(BaseApp[BrowserData]):
    """Search, results, reading, bookmarks.

    State: {"searches": [query], "visited": [url], "bookmarks": [url], "cookies": {site: answer}};
    sites are canonical, an answer is `accepted` or `rejected`.
    """

    def seed(self) -> dict[str, Any]:
        """A browser that has been nowhere."""
        return {"searches": [], "visited": [], "bookmarks": [], "cookies": {}}

    def _address(self, page: Page, value: str = "") -> Node:
        def submit() -> None:
            words = self.typed(page, "address")
            if words:
                self._open(words)

        field = self.field(
            page,
            "address",
            self.say("Search or type an address", "搜索或输入网址"),
            value=value,
            on_submit=submit,
        )
        return widgets.row(
            self.icon_button("home", "Home", "主页", partial(self.host.back_to, "home"), name="home"),
            widgets.edit(field, name="url_bar", weight=1),
            self.icon_button("search", "Go", "前往", submit, name="go"),
            self.icon_button("bookmark", "Bookmarks", "书签", self.go("bookmarks"), name="bookmarks"),
            name="toolbar",
            padding=4,
            gap=2,
        )

    def _open(self, words: str) -> None:
        known_page = self.data.page(words) if "." in words and " " not in words else None
        if known_page:
            self.host.open(Page("web", {"url": known_page.url}))
        elif "." in words and " " not in words and words.isascii():
            self.host.open(Page("missing", {"url": words}))
        else:
            self.state["searches"].append(words)
            self.host.open(Page("results", {"query": words}))

    def _row(self, web_page: WebPage, tag: str = "") -> Node:
        return widgets.list_row(
            self.words(web_page.title),
            f"{tag}{web_page.url}\n{self.words(web_page.text[0])}",
            on_tap=self.go("web", url=web_page.url),
            name="result_item",
        )

    def page_at(self, address: str) -> Page | None:
        """A web page by its address."""
        known_page = self.data.page(address)
        return Page("web", {"url": known_page.url}) if known_page else Page("missing", {"url": address})

    def page_home(self, page: Page) -> Node:
        """The address bar, shortcuts and headlines."""
        shortcuts = [
            widgets.tile(
                self.words(web_page.site), web_page.site.en, self.go("web", url=web_page.url), name="shortcut"
            )
            for url in self.data.shortcuts
            for web_page in [self.data.page(url)]
            if web_page
        ]
        return widgets.screen(
            self._address(page),
            widgets.tiles(shortcuts, columns=4),
            widgets.section(self.say("Headlines", "头条")),
            self.listing(
                page, *[self._row(web_page) for web_page in self.data.pages if not web_page.promoted]
            ),
        )

    def open_results(self, page: Page) -> None:
        """Searching takes a moment."""
        self.wait(page)

    def page_results(self, page: Page) -> Node:
        """The pages that match; an advertisement comes first."""
        query = page.arguments["query"]
        results = find(
            query,
            [web_page for web_page in self.data.pages if not web_page.promoted],
            lambda web_page: [
                web_page.title.en,
                web_page.title.zh,
                *[text.en for text in web_page.text],
                *[text.zh for text in web_page.text],
            ],
        )
        rows = [self._row(web_page) for web_page in results] or [
            widgets.empty(self.say("No results", "没有找到相关结果"))
        ]
        if self.difficulties.advertisements:
            sponsored = [web_page for web_page in self.data.pages if web_page.promoted]
            rows = [self._row(web_page, self.say("Sponsored · ", "广告 · ")) for web_page in sponsored] + rows
        return widgets.screen(self._address(page, query), self.waiting(page) or self.listing(page, *rows))

    def open_web(self, page: Page) -> None:
        """A page's text comes after its title."""
        self.state["visited"].append(page.arguments["url"])
        self.wait(page, silent=True)

    def page_web(self, page: Page) -> Node:
        """A page with its text; below it the cookie banner, until the user has chosen."""
        web_page = self.data.page(page.arguments["url"])
        if web_page is None:
            return self.page_missing(page)
        marked = web_page.url in self.state["bookmarks"]
        turn = partial(flip, self.state["bookmarks"], web_page.url)
        star = self.mark("star", "Bookmark", "收藏", marked, turn, name="bookmark")
        related = [
            other for other in self.data.pages if other.site == web_page.site and other is not web_page
        ]
        body = [
            widgets.row(
                widgets.text(self.words(web_page.title), name="page_title", size=22, bold=True, weight=1),
                star,
                padding=12,
            ),
            widgets.picture(web_page.title.en, height=150),
            *[widgets.paragraph(self.words(text)) for text in web_page.text],
            widgets.section(self.say("More from this site", "本站更多内容")),
            *[self._row(other) for other in related],
        ]
        return widgets.screen(
            self._address(page, web_page.url),
            self.waiting(page) or self.listing(page, *body),
            *self._cookies(web_page.site.en),
        )

    def _cookies(self, site: str) -> list[Node]:
        if not self.difficulties.cookies or site in self.state["cookies"]:
            return []

        def choose(answer: str) -> None:
            self.state["cookies"][site] = answer

        return [
            widgets.card(
                widgets.text(self.say("This site uses cookies.", "本网站使用 Cookie。"), name="cookie_text"),
                widgets.row(
                    widgets.flat_button(
                        self.say("Reject", "拒绝"), partial(choose, "rejected"), name="reject", weight=1
                    ),
                    self.button(
                        "Accept all", "全部接受", partial(choose, "accepted"), name="accept", weight=1
                    ),
                ),
                name="cookie_banner",
            )
        ]

    def page_missing(self, page: Page) -> Node:
        """An address that leads nowhere."""
        url = page.arguments["url"]
        return widgets.screen(
            self._address(page, url),
            widgets.empty(self.say(f"{url} cannot be reached", f"无法访问 {url}")),
        )

    def page_bookmarks(self, page: Page) -> Node:
        """The pages that the user keeps."""
        rows = [
            self._row(web_page)
            for url in self.state["bookmarks"]
            for web_page in [self.data.page(url)]
            if web_page
        ]
        return widgets.screen(
            self.bar(self.say("Bookmarks", "书签")),
            self.listing(page, *(rows or [widgets.empty(self.say("No bookmarks", "还没有书签"))])),
        )
