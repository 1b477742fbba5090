"""What pages have in common: bars, lists, waiting, dialogs, payments, and the nuisances of real apps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.core import CoreApp, DataT, Difficulties, flip
from assistant.simulator.apps.host import Dialog, Page
from assistant.simulator.apps.redesign import tour
from assistant.simulator.apps.schema import Text
from assistant.simulator.ui.nodes import Align, Node

__all__ = ["BaseApp", "Difficulties", "flip"]


class BaseApp(CoreApp[DataT]):
    """An app with the usual furniture."""

    def opened(self, page: Page) -> None:
        """Start what the page does when it is first shown."""
        start: Callable[[Page], None] | None = getattr(self, f"open_{page.name}", None)
        if start:
            start(page)
        if page.name == self.first:
            self._interrupt()
        elif (
            self.difficulties.redesigned
            and page.name not in (*self.secure_pages, "tour")
            and self.once("tour")
        ):
            self.host.open(Page("tour"))

    def page_tour(self, page: Page) -> Node:
        """A page of the later version, which comes once, over the first page that is opened."""
        skip = widgets.flat_button(self.say("Skip", "跳过"), self.host.back, name="skip", weight=1)
        text = self.say("Find what you need in fewer steps.", "用更少的步骤找到你要的。")
        return tour(self.say("A fresh look", "全新外观"), text, skip)

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

    def round_button(
        self, icon: str, english: str, chinese: str, on_tap: Callable[[], None], *, name: str
    ) -> Node:
        """The round button over the end of a list."""
        node = self.icon_button(icon, english, chinese, on_tap)
        return widgets.column(
            widgets.round_button(icon, on_tap, name=name, color=self.color, description=node.description),
            align=Align.END,
            padding=10,
        )

    def mark(
        self, icon: str, english: str, chinese: str, on: bool, on_tap: Callable[[], None], *, name: str
    ) -> Node:
        """An icon that marks something, red and selected while it does."""
        node = self.icon_button(
            icon, english, chinese, on_tap, name=name, color=widgets.RED if on else widgets.FAINT
        )
        node.selected = on
        return node

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
            widgets.column(
                widgets.text(self.words(offer.title), name="offer_title", size=24, bold=True), padding=12
            ),
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
