"""The core of an app: its words, its state, its pages by name, and what pages keep."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, ClassVar, Generic, TypeVar

from assistant.simulator.apps.host import Host, Locale, Page
from assistant.simulator.apps.redesign import redesigned
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
    redesigned: a later version of the apps, whose own pages differ, see `redesign`.
    """

    advertisements: bool = True
    permissions: bool = True
    spinners: bool = True
    late_content: bool = True
    bare_icons: bool = True
    ratings: bool = True
    updates: bool = True
    cookies: bool = True
    redesigned: bool = False

    @classmethod
    def none(cls) -> Difficulties:
        """A phone that never trips anyone."""
        return cls(**{field.name: False for field in fields(cls)})


def copied(value: Any) -> Any:
    """A copy of an app's state: mostly JSON values, for which `deepcopy` takes several times as long."""
    match value:
        case str() | int() | float() | None:
            return value
        case dict():
            return {key: copied(item) for key, item in value.items()}
        case list():
            return [copied(item) for item in value]
        case _:
            return deepcopy(value)


class CoreApp(Generic[DataT]):
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
        self.state: dict[str, Any] = {}
        self.clear()

    def clear(self) -> None:
        """Return to the state of a fresh installation."""
        self.state.clear()
        self.state.update(seen=[], **copied(self.seed()))

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

    def page_at(self, address: str) -> Page | None:
        """None: an app that answers intents with an address says so itself."""
        del address
        return None

    def secure(self, page: Page) -> bool:
        """Whether the page forbids screenshots."""
        return page.name in self.secure_pages

    def view(self, page: Page) -> Node:
        """The page's views as of now."""
        build: Callable[[Page], Node] = getattr(self, f"page_{page.name}")
        if not self.difficulties.redesigned:
            return build(page)
        return redesigned(build(page), self.say("See what is new here", "看看这里有什么新内容"), _nothing)

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


def _nothing() -> None:
    """What a row does that only says something."""


def flip(names: list[str], name: str) -> None:
    """Take a name out of a list, or put it in."""
    if name in names:
        names.remove(name)
    else:
        names.append(name)
