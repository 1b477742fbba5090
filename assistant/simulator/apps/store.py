"""Where apps come from."""

from __future__ import annotations

from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.apps.searching import SearchData, SearchPages
from assistant.simulator.ui.nodes import Node

STEPS = 5


class Offer(Entry):
    """An app on offer. Without a package it is announced only, and the user may sign up for it."""

    name: Text
    package: str = ""
    kind: Text
    text: Text
    rating: float
    megabytes: int


class StoreData(SearchData):
    """The offers, and the packages that can really be installed."""

    offers: tuple[Offer, ...]
    available: tuple[str, ...]

    def offer(self, name: str) -> Offer:
        """An offer by its canonical name. Raises `StopIteration` when there is none."""
        return next(offer for offer in self.offers if offer.name.en == name)


class StoreApp(SearchPages[StoreData]):
    """Search, app pages, installing, opening.

    State: {"searches": [query], "viewed": [app], "installed": [package] in this store, "registered": [app],
    "progress": {package: share}} while something installs; apps are canonical names.
    """

    system = True

    def seed(self) -> dict[str, Any]:
        """Nothing installed yet."""
        return {"searches": [], "viewed": [], "installed": [], "registered": [], "progress": {}}

    def _row(self, offer: Offer) -> Node:
        return widgets.list_row(
            self.words(offer.name),
            f"{self.words(offer.kind)} · ★{offer.rating} · {offer.megabytes} MB",
            leading=widgets.picture(f"icon {offer.name.en}", width=48, height=48),
            action=self._button(offer),
            on_tap=self.go("offer_page", name=offer.name.en),
            name="app_item",
        )

    def _button(self, offer: Offer, weight: float = 0) -> Node:
        present = any(app.package == offer.package for app in self.host.apps())
        if present:
            return self.button(
                "Open", "打开", partial(self.host.start_app, offer.package), name="open", weight=weight
            )
        if offer.package in self.state["progress"]:
            return self.button(
                "Installing", "安装中", lambda: None, name="installing", enabled=False, weight=weight
            )
        if offer.package in self.data.available:
            return self.button(
                "Install", "安装", partial(self._install, offer), name="install", weight=weight
            )
        done = offer.name.en in self.state["registered"]

        def register() -> None:
            self.state["registered"].append(offer.name.en)

        words = ("Signed up", "已预约") if done else ("Sign up", "预约")
        return self.button(*words, register, name="register", enabled=not done, weight=weight)

    def _install(self, offer: Offer) -> None:
        self.state["progress"][offer.package] = 0.0

        def step() -> None:
            done = round(self.state["progress"].get(offer.package, 1.0) + 1 / STEPS, 3)
            if done < 1:
                self.state["progress"][offer.package] = done
                self.host.later(0.4, step)
                return
            self.state["progress"].pop(offer.package, None)
            self.state["installed"].append(offer.package)
            self.host.install(offer.package)
            self.host.notify(self.words(offer.name), self.say("Installed", "已安装"))

        self.host.later(0.4, step)

    def page_home(self, page: Page) -> Node:
        """All offers."""
        return widgets.screen(
            self.bar(self.label(self.host.locale), back=False),
            widgets.search_entry(self.words(self.data.hint), self.go("search")),
            widgets.section(self.say("Recommended", "精品推荐")),
            self.listing(page, *[self._row(offer) for offer in self.data.offers]),
        )

    def page_results(self, page: Page) -> Node:
        """The offers that match."""
        offers = find(
            page.arguments["query"],
            self.data.offers,
            lambda offer: [
                offer.name.en,
                offer.name.zh,
                offer.kind.en,
                offer.kind.zh,
                offer.text.en,
                offer.text.zh,
            ],
        )
        rows = [self._row(offer) for offer in offers] or [
            widgets.empty(self.say("No such app", "没有找到应用"))
        ]
        return widgets.screen(
            self.query_box(page),
            self.waiting(page) or self.listing(page, *rows),
        )

    def open_offer_page(self, page: Page) -> None:
        """Remember what was looked at."""
        self.state["viewed"].append(page.arguments["name"])

    def page_offer_page(self, page: Page) -> Node:
        """One app."""
        offer = self.data.offer(page.arguments["name"])
        share = self.state["progress"].get(offer.package)
        bar = widgets.progress(share) if share is not None else None
        if bar:
            bar.moving = self.difficulties.spinners
        return widgets.screen(
            self.bar(self.words(offer.name)),
            widgets.list_row(
                self.words(offer.name),
                f"{self.words(offer.kind)} · ★{offer.rating} · {offer.megabytes} MB",
                leading=widgets.picture(f"icon {offer.name.en}", width=72, height=72),
            ),
            *(
                [bar, widgets.text(f"{round(share * 100)} %", name="percent")]
                if bar and share is not None
                else []
            ),
            self.listing(
                page,
                widgets.picture(f"screens {offer.name.en}", height=220),
                widgets.paragraph(self.words(offer.text)),
            ),
            widgets.bottom_bar(self._button(offer, weight=1)),
        )
