"""What all apps share: words, state, pages by name, waiting, and the nuisances of real apps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, fields
from datetime import timedelta
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from assistant.simulator.apps import widgets
from assistant.simulator.apps.host import Dialog, Host, Locale, Page
from assistant.simulator.apps.schema import AppData, Text
from assistant.simulator.ui.nodes import Node, ScrollPosition, TextField

DataT = TypeVar("DataT", bound=AppData)


@dataclass(frozen=True, slots=True)
class Difficulties:
    """What trips agents, each to be switched off for one phone.

    advertisements: full-screen offers at an app's first launch, and promoted search results.
    permissions: the system asks before an app uses location or contacts.
    spinners: a turning wheel while searching. late_content: results that come after the page, silently.
    bare_icons: icons without a content description in the apps that omit it.
    ratings, updates, cookies: dialogs that ask for something else than what the user came for.
    """

    advertisements: bool = True
    permissions: bool = True
    spinners: bool = True
    late_content: bool = True
    bare_icons: bool = True
    ratings: bool = True
    updates: bool = True
    cookies: bool = True

    @classmethod
    def none(cls) -> Difficulties:
        """A phone that never trips anyone."""
        return cls(**{one.name: False for one in fields(cls)})


class BaseApp(Generic[DataT]):
    """An app described by data.

    Pages are methods: `page_NAME(page)` builds the views, `open_NAME(page)` starts what a page does when it
    is first shown. Every `state` has `seen`: which one-time dialogs the user has met.
    """

    system: bool = False
    first: ClassVar[str] = "home"
    secure_pages: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, host: Host, data: DataT, difficulties: Difficulties) -> None:
        self.host = host
        self.data = data
        self.difficulties = difficulties
        self.package = data.package
        self.state: dict[str, Any] = {"seen": [], **deepcopy(self.seed())}

    def seed(self) -> dict[str, Any]:
        """The state of a fresh installation."""
        return {}

    def label(self, locale: Locale) -> str:
        """The name under the launcher icon."""
        return self.data.label.of(locale)

    @property
    def icon(self) -> tuple[str, str]:
        """The launcher icon: a pictogram's name and a background colour."""
        return self.data.icon, self.data.color

    @property
    def color(self) -> str:
        """The app's accent."""
        return self.data.color

    def activity(self, page: Page) -> str:
        """`.MainActivity` for the first page, else one named after the page."""
        return (
            ".MainActivity" if page.name == self.first else f".{page.name.title().replace('_', '')}Activity"
        )

    def first_page(self) -> Page:
        """The page a launch shows."""
        return Page(self.first)

    def secure(self, page: Page) -> bool:
        """Whether the page forbids screenshots."""
        return page.name in self.secure_pages

    def opened(self, page: Page) -> None:
        """Start what the page does when it is first shown."""
        start: Callable[[Page], None] | None = getattr(self, f"open_{page.name}", None)
        if start:
            start(page)
        if page.name == self.first:
            self._interrupt()

    def view(self, page: Page) -> Node:
        """The page's views as of now."""
        build: Callable[[Page], Node] = getattr(self, f"page_{page.name}")
        return build(page)

    def paid(self, reference: str) -> Page:
        """PayBox received the money for a reference. Returns the page to show when the user comes back."""
        raise LookupError(f"{self.package} expects no payment {reference}")

    def expects(self, reference: str) -> bool:
        """Whether a payment is still wanted: a checkout may have been left and opened anew."""
        return bool(self.state.get("checkout", {}).get("id") == reference)

    def say(self, english: str, chinese: str) -> str:
        """One of two wordings, by the phone's language."""
        return chinese if self.host.locale == "zh" else english

    def words(self, text: Text) -> str:
        """A text of the data in the phone's language."""
        return text.of(self.host.locale)

    def stamp(self) -> str:
        """The phone's time as `YYYY-MM-DD HH:MM`."""
        return self.host.now().strftime("%Y-%m-%d %H:%M")

    def ago(self, days: int, time: str = "") -> str:
        """A day before today (after, if negative), with a time `HH:MM` where given; same form as `stamp`."""
        day = (self.host.now() - timedelta(days=days)).strftime("%Y-%m-%d")
        return f"{day} {time}" if time else day

    def go(self, name: str, /, **arguments: Any) -> Callable[[], None]:
        """A tap handler that opens a page."""
        return lambda: self.host.open(Page(name, arguments))

    def tabs(self, current: str, pages: Iterable[tuple[str, str, str, str]]) -> Node:
        """The bar that switches between main pages, each told by name, English, Chinese and icon."""

        def turn(name: str) -> None:
            if name != current:
                self.host.replace(Page(name))

        return widgets.tab_bar(
            [
                widgets.Tab(self.say(english, chinese), icon, name == current, partial(turn, name))
                for name, english, chinese, icon in pages
            ],
            color=self.color,
        )

    def once(self, key: str) -> bool:
        """Whether this is the first time, which it then no longer is."""
        seen: list[str] = self.state["seen"]
        if key in seen:
            return False
        seen.append(key)
        return True

    def field(
        self,
        page: Page,
        name: str,
        hint: str = "",
        *,
        value: str = "",
        numeric: bool = False,
        password: bool = False,
        on_submit: Callable[[], None] | None = None,
        on_change: Callable[[str], None] | None = None,
    ) -> TextField:
        """The page's text field of that name, kept between rebuilds."""
        field = page.local.setdefault(name, TextField(value, numeric=numeric, password=password))
        if not isinstance(field, TextField):
            raise TypeError(f"{name} is no text field")
        field.hint, field.on_submit, field.on_change = hint, on_submit, on_change
        return field

    def typed(self, page: Page, name: str) -> str:
        """What stands in the page's text field of that name."""
        field = page.local.get(name)
        return field.value.strip() if isinstance(field, TextField) else ""

    def scroll(self, page: Page, name: str = "scroll") -> ScrollPosition:
        """The page's scroll position of that name, kept between rebuilds."""
        position = page.local.setdefault(name, ScrollPosition())
        if not isinstance(position, ScrollPosition):
            raise TypeError(f"{name} is no scroll position")
        return position

    def listing(self, page: Page, *children: Node, name: str = "recycler_view") -> Node:
        """The page's scrolling list."""
        return widgets.listing(children, self.scroll(page, name), name=name)

    def chips(self, page: Page, *children: Node, name: str = "chips") -> Node:
        """A line of choices that scrolls sideways."""
        return widgets.chips(children, self.scroll(page, name), name=name)

    def wait(self, page: Page, *, silent: bool = False) -> None:
        """Let the page's content come a moment later: behind a spinner, or silently."""
        if not (self.difficulties.late_content if silent else self.difficulties.spinners):
            return
        page.local["waiting"] = "silent" if silent else "spinner"
        self.host.later(round(self.host.random.uniform(0.8, 1.5), 2), lambda: page.local.update(waiting=""))

    def waiting(self, page: Page) -> Node | None:
        """What to show in place of content that has not come yet; none when it is there."""
        match page.local.get("waiting"):
            case "spinner":
                return widgets.spinner(self.say("Loading…", "加载中…"))
            case "silent":
                return widgets.filler()
            case _:
                return None

    def icon_button(
        self,
        icon: str,
        english: str,
        chinese: str,
        on_tap: Callable[[], None],
        *,
        name: str = "",
        color: str = "",
    ) -> Node:
        """An icon; its description is there only in apps that give one."""
        described = self.data.described or not self.difficulties.bare_icons
        description = self.say(english, chinese) if described else ""
        return widgets.icon_button(
            icon, on_tap, name=name or f"{icon}_button", description=description, color=color
        )

    def bar(self, title: str, *actions: Node, back: bool = True) -> Node:
        """The page's top bar."""
        arrow = self.icon_button("back", "Navigate up", "返回", self.host.back, name="back") if back else None
        return widgets.app_bar(title, back=arrow, actions=actions)

    def button(self, english: str, chinese: str, on_tap: Callable[[], None], **options: Any) -> Node:
        """A filled button in the app's colour."""
        return widgets.button(self.say(english, chinese), on_tap, **{"color": self.color, **options})

    def search_box(self, page: Page, hint: str, on_search: Callable[[str], None]) -> Node:
        """A search field with its icon. The keyboard's search key works too."""

        def submit() -> None:
            query = self.typed(page, "query")
            if query:
                on_search(query)

        value = str(page.arguments.get("query", ""))
        field = self.field(page, "query", hint, value=value, on_submit=submit)
        return widgets.row(
            self.icon_button("back", "Navigate up", "返回", self.host.back, name="back"),
            widgets.edit(field, name="search_input", weight=1),
            self.icon_button("search", "Search", "搜索", submit, name="search_button"),
            name="search_toolbar",
            padding=4,
            gap=4,
        )

    def confirm(self, title: str, message: str, yes: tuple[str, Callable[[], None]]) -> None:
        """Ask before something is done."""
        self.host.show(Dialog(title, message, [(self.say("Cancel", "取消"), _nothing), yes]))

    def allowed(self, permission: str, then: Callable[[bool], None]) -> None:
        """Ask for a permission, where the phone asks at all."""
        if self.difficulties.permissions:
            self.host.request_permission(permission, then)
        else:
            then(True)

    def pay(self, amount: float, payee: Text, reference: str) -> None:
        """Let PayBox take a payment; `paid(reference)` follows when the user has confirmed it."""
        arguments = {
            "amount": round(amount, 2),
            "payee": payee.model_dump(),
            "return_to": self.package,
            "reference": reference,
        }
        self.host.start_app("com.example.paybox", Page("checkout", arguments))

    def page_advertisement(self, page: Page) -> Node:
        """A full-screen offer; a small cross without text closes it."""
        offer = self.data.advertisement
        if offer is None:
            return widgets.screen()
        close = widgets.icon_button("close", self.host.back, name="iv_close", size=28, color=widgets.FAINT)
        return widgets.screen(
            widgets.row(widgets.filler(), close, padding=12),
            widgets.picture(f"offer {self.package}", name="iv_offer", height=360),
            widgets.text(self.words(offer.title), name="offer_title", size=24, bold=True),
            widgets.paragraph(self.words(offer.text), name="offer_text"),
            widgets.bottom_bar(
                widgets.button(
                    self.words(offer.button),
                    lambda: self.host.replace(Page("offer")),
                    name="offer_button",
                    color=widgets.RED,
                    weight=1,
                )
            ),
        )

    def page_offer(self, page: Page) -> Node:
        """What the offer leads to: nothing that the user wanted."""
        return widgets.screen(
            self.bar(self.say("Offer", "活动")),
            widgets.empty(self.say("This offer has ended. Come back tomorrow.", "活动已结束，请明天再来。")),
        )

    def _interrupt(self) -> None:
        if self.data.advertisement and self.difficulties.advertisements and self.once("advertisement"):
            self.host.open(Page("advertisement"))
        elif self.data.asks_update and self.difficulties.updates and self.once("update"):
            self.host.show(
                Dialog(
                    self.say("Update available", "发现新版本"),
                    self.say("A new version is ready. Update now?", "新版本已就绪，现在更新吗？"),
                    [
                        (self.say("Later", "以后再说"), _nothing),
                        (self.say("Update now", "立即更新"), self._update),
                    ],
                )
            )

    def _update(self) -> None:
        self.state["updated"] = True
        self.host.toast(self.say("Updating in the background", "正在后台更新"))

    def ask_rating(self) -> None:
        """Ask once how the user likes the app."""
        if self.difficulties.ratings and self.once("rating"):
            self.host.show(
                Dialog(
                    self.say("Enjoying the app?", "喜欢这个应用吗？"),
                    self.say("Give us five stars.", "给我们五星好评吧。"),
                    [
                        (self.say("Not now", "暂不"), _nothing),
                        (self.say("Rate now", "去评分"), lambda: self.state.update(rated=True)),
                    ],
                )
            )


def _nothing() -> None:
    """What a button does that only closes its dialog."""
