"""Searching as most apps have it: a field, what was searched before, and a page of results."""

from __future__ import annotations

from functools import partial
from typing import TypeVar

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import AppData, Text
from assistant.simulator.ui.nodes import Node

REMEMBERED = 10


class SearchData(AppData):
    """Data of an app that can be searched: `hint` stands in the empty field."""

    hint: Text


SearchDataT = TypeVar("SearchDataT", bound=SearchData)


class SearchPages(BaseApp[SearchDataT]):
    """An app with a page `search`. Its state has `searches`, and its page `results` shows a `query`."""

    def query_box(self, page: Page) -> Node:
        """The search field at the top of `search` and `results`."""
        return self.search_box(page, self.words(self.data.hint), self.search)

    def page_search(self, page: Page) -> Node:
        """The search field with what was searched before."""
        before = [
            widgets.list_row(query, leading=widgets.pictogram("clock"), on_tap=partial(self.search, query))
            for query in reversed(self.state["searches"][-REMEMBERED:])
        ]
        return widgets.screen(
            self.query_box(page),
            widgets.section(self.say("Recent searches", "搜索历史")),
            self.listing(page, *before),
        )

    def search(self, query: str) -> None:
        """Show the results for a query."""
        self.state["searches"].append(query)
        self.host.open(Page("results", {"query": query}))

    def open_results(self, page: Page) -> None:
        """Searching takes a moment."""
        self.wait(page)
