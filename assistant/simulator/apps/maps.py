"""Places and the ways to them."""

from __future__ import annotations

from functools import partial
from math import dist
from typing import Any
from urllib.parse import parse_qs, urlsplit

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import flip
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.apps.searching import SearchData, SearchPages
from assistant.simulator.ui.nodes import Align, Node

MODES = {
    "drive": ("Drive", "驾车", 26.0),
    "transit": ("Transit", "公交", 17.0),
    "cycle": ("Cycle", "骑行", 13.0),
    "walk": ("Walk", "步行", 4.6),
}
"""Ways to travel: their names and km an hour."""


class Place(Entry):
    """A place in town; `at` in km from the phone."""

    name: Text
    kind: Text
    where: Text
    at: tuple[float, float]
    hours: str = "09:00 – 21:00"
    phone: str = ""
    rating: float = 4.5


class MapsData(SearchData):
    """The town. The first two places are home and office."""

    places: tuple[Place, ...]
    kinds: tuple[Text, ...]

    def place(self, name: str) -> Place:
        """A place by its canonical name. Raises `StopIteration` when there is none."""
        return next(place for place in self.places if place.name.en == name)


class MapsApp(SearchPages[MapsData]):
    """Search, places, routes, navigation.

    State, places canonical: {"searches": [query], "viewed": [place], "saved": [place],
    "route": {"to", "mode"} or null, "navigation": {"to", "mode", "status": "active" or "ended"} or null};
    modes are drive, transit, cycle and walk.
    """

    def seed(self) -> dict[str, Any]:
        """Nothing searched yet."""
        return {"searches": [], "viewed": [], "saved": [], "route": None, "navigation": None}

    def open_home(self, page: Page) -> None:
        """A map wants to know where it is."""
        self.allowed("location", lambda granted: None)

    def page_at(self, address: str) -> Page | None:
        """What `geo:0,0?q=…` asks for is searched for."""
        query = parse_qs(urlsplit(address).query).get("q", [""])[0]
        return Page("results", {"query": query}) if address.startswith("geo:") and query else None

    def page_home(self, page: Page) -> Node:
        """The map with its search field."""
        kinds = [
            widgets.chip(self.words(kind), partial(self.search, self.words(kind)), color=self.color)
            for kind in self.data.kinds
        ]
        quick = [
            widgets.list_row(
                self.words(place.name),
                self.words(place.where),
                leading=widgets.pictogram(icon),
                on_tap=self.go("route", to=place.name.en),
                name="quick_place",
            )
            for place, icon in zip(self.data.places, ("home", "work"), strict=False)
        ]
        saved = self.icon_button("star", "Saved places", "收藏夹", self.go("saved"), name="saved")
        return widgets.screen(
            self.bar(self.label(self.host.locale), saved, back=False),
            widgets.search_entry(self.words(self.data.hint), self.go("search")),
            self.chips(page, *kinds),
            widgets.picture("town map", height=380, name="map"),
            *quick,
        )

    def _row(self, place: Place) -> Node:
        return widgets.list_row(
            self.words(place.name),
            f"{self.words(place.kind)} · ★{place.rating} · {self.words(place.where)}",
            trailing=f"{dist((0, 0), place.at):.1f} km",
            leading=widgets.pictogram("location"),
            on_tap=self.go("place", name=place.name.en),
            name="place_item",
        )

    def page_results(self, page: Page) -> Node:
        """The places that match."""
        places = find(
            page.arguments["query"],
            self.data.places,
            lambda place: [
                place.name.en,
                place.name.zh,
                place.kind.en,
                place.kind.zh,
                place.where.en,
                place.where.zh,
            ],
        )
        rows = [self._row(place) for place in places] or [
            widgets.empty(self.say("No such place", "没有找到该地点"))
        ]
        return widgets.screen(
            self.query_box(page),
            self.waiting(page) or self.listing(page, *rows),
        )

    def page_saved(self, page: Page) -> Node:
        """The places the user keeps."""
        rows = [self._row(self.data.place(name)) for name in self.state["saved"]]
        return widgets.screen(
            self.bar(self.say("Saved places", "收藏夹")),
            self.listing(page, *(rows or [widgets.empty(self.say("Nothing saved", "还没有收藏"))])),
        )

    def open_place(self, page: Page) -> None:
        """Remember what was looked at; its details come a moment later."""
        self.state["viewed"].append(page.arguments["name"])
        self.wait(page, silent=True)

    def page_place(self, page: Page) -> Node:
        """A place with its hours, and the way there."""
        place = self.data.place(page.arguments["name"])
        saved = place.name.en in self.state["saved"]
        save = partial(flip, self.state["saved"], place.name.en)

        details = [
            widgets.list_row(self.words(place.where), leading=widgets.pictogram("location")),
            widgets.list_row(
                place.hours, self.say("Opening hours", "营业时间"), leading=widgets.pictogram("clock")
            ),
            widgets.list_row(
                place.phone or "-", self.say("Phone", "电话"), leading=widgets.pictogram("phone")
            ),
        ]
        star = self.mark("star", "Save", "收藏", saved, save, name="save")
        return widgets.screen(
            self.bar(self.words(place.name), star),
            widgets.picture(place.name.en, height=160),
            widgets.text(f"{self.words(place.kind)}  ★{place.rating}", name="kind", color=widgets.FAINT),
            self.waiting(page) or self.listing(page, *details),
            widgets.bottom_bar(
                self.button(
                    "Directions", "路线", self.go("route", to=place.name.en), name="directions", weight=1
                )
            ),
        )

    def open_route(self, page: Page) -> None:
        """Finding a way takes a moment."""
        self.state["route"] = {"to": page.arguments["to"], "mode": "drive"}
        self.wait(page)

    def minutes(self, goal: str, mode: str) -> int:
        """How long the way takes."""
        return 3 + round(dist((0, 0), self.data.place(goal).at) * 1.3 / MODES[mode][2] * 60)

    def page_route(self, page: Page) -> Node:
        """The way to a place, by one of four modes."""
        goal = page.arguments["to"]
        chosen = self.state["route"]["mode"]

        def choose(mode: str) -> None:
            self.state["route"] = {"to": goal, "mode": mode}

        modes = [
            widgets.chip(
                f"{self.say(english, chinese)} {self.minutes(goal, mode)}{self.say(' min', '分')}",
                partial(choose, mode),
                selected=mode == chosen,
                color=self.color,
            )
            for mode, (english, chinese, _) in MODES.items()
        ]
        kilometres = dist((0, 0), self.data.place(goal).at) * 1.3
        duration = f"{self.minutes(goal, chosen)} {self.say('min', '分钟')}"
        return widgets.screen(
            self.bar(self.words(self.data.place(goal).name)),
            self.chips(page, *modes),
            widgets.picture(f"route {goal}", height=400, name="map"),
            self.waiting(page)
            or widgets.detail_line(duration, f"{kilometres:.1f} km", bold=True, name="duration"),
            widgets.filler(),
            widgets.bottom_bar(
                self.button(
                    "Start", "开始导航", partial(self._navigate, goal, chosen), name="start", weight=1
                )
            ),
        )

    def _navigate(self, goal: str, mode: str) -> None:
        self.state["navigation"] = {"to": goal, "mode": mode, "status": "active"}
        self.host.open(Page("navigation"))

    def page_navigation(self, page: Page) -> Node:
        """Turn by turn."""
        now = self.state["navigation"]

        def end() -> None:
            now["status"] = "ended"
            self.host.back()

        goal = self.words(self.data.place(now["to"]).name)
        return widgets.screen(
            widgets.text(
                self.say("In 200 m turn right", "前方200米右转"), name="instruction", size=22, bold=True
            ),
            widgets.picture(f"route {now['to']}", height=480, name="map"),
            widgets.text(self.say(f"To {goal}", f"前往 {goal}"), name="goal", align=Align.CENTER),
            widgets.filler(),
            widgets.bottom_bar(self.button("End", "结束导航", end, name="end", color=widgets.RED, weight=1)),
        )
