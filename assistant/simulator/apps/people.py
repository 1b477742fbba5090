"""The address book and the phone: one list of people, seen from two apps."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.apps.host import App, Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.ui.nodes import Node

BOOK = "com.example.contacts"
DIALER = "com.example.dialer"
CHAT = "com.example.chat"

Person = dict[str, Any]


class Contact(Entry):
    """Someone in the address book."""

    name: Text
    phone: str
    mail: str = ""
    note: Text | None = None


class Call(Entry):
    """A call from before, at a time of the day some `days` ago."""

    name: Text
    kind: Literal["in", "out", "missed"]
    time: str
    days: int = 0


class PeopleData(AppData):
    """The address book's people; the dialer has calls instead."""

    people: tuple[Contact, ...] = ()
    calls: tuple[Call, ...] = ()


class PeoplePages(BaseApp[PeopleData]):
    """What both apps do with people."""

    def book(self) -> App:
        """The address book, which both apps read."""
        return self.host.app(BOOK)

    def people(self) -> list[Person]:
        """Everyone in the address book, by name."""
        return sorted(self.book().state["contacts"], key=lambda person: str(person["name"]).lower())

    def person(self, name: str) -> Person | None:
        """One entry of the address book by its canonical name."""
        return next((person for person in self.people() if person["name"] == name), None)

    def people_rows(self, query: str = "") -> list[Node]:
        """The address book's entries, all or those that match."""
        people = self.people()
        if query:
            people = find(
                query,
                people,
                lambda person: [person["name"], person["text"], person["phone"], person["note"]],
            )
        return [
            widgets.list_row(
                person["text"],
                person["phone"],
                leading=widgets.picture(f"face {person['name']}", width=40, height=40),
                on_tap=self.go("details", name=person["name"]),
                name="contact_item",
            )
            for person in people
        ]

    def call(self, name: str, number: str) -> None:
        """Call somebody: the phone app shows it."""
        self.host.start_app(DIALER, Page("calling", {"name": name, "number": number}))

    def page_search(self, page: Page) -> Node:
        """People who match as the user types."""
        return widgets.screen(
            self.search_box(page, self.say("Search contacts", "搜索联系人"), lambda _: None),
            self.listing(page, *self.people_rows(self.typed(page, "query"))),
        )

    def page_details(self, page: Page) -> Node:
        """One person, and what can be done: call, write, change, delete."""
        person = self.person(page.arguments["name"])
        if person is None:
            return widgets.screen(self.bar(""), widgets.empty(self.say("Contact deleted", "联系人已删除")))
        name = person["name"]
        actions: list[tuple[str, str, str, widgets.Tap]] = [
            ("phone", "Call", "呼叫", partial(self.call, name, person["phone"])),
            ("chat", "Message", "发消息", partial(self._write, name)),
            ("edit", "Edit", "编辑", self._edit(name)),
            ("delete", "Delete", "删除", partial(self._ask, name)),
        ]
        return widgets.screen(
            self.bar(person["text"]),
            widgets.picture(f"face {name}", height=140),
            widgets.row(
                *[self.icon_button(icon, english, chinese, act) for icon, english, chinese, act in actions],
                gap=24,
                padding=12,
            ),
            self.listing(
                page,
                widgets.list_row(
                    person["phone"],
                    self.say("Mobile", "手机"),
                    on_tap=partial(self.call, name, person["phone"]),
                ),
                widgets.list_row(person["mail"] or "-", self.say("Mail", "邮箱")),
                widgets.list_row(person["note"] or "-", self.say("Note", "备注")),
            ),
        )

    def _write(self, name: str) -> None:
        if name in self.host.app(CHAT).state["messages"]:
            self.host.start_app(CHAT, Page("conversation", {"name": name}))
        else:
            self.host.toast(self.say("Not on Chat", "对方未使用微聊"))

    def _edit(self, name: str) -> widgets.Tap:
        return lambda: self.host.start_app(BOOK, Page("edit", {"name": name}))

    def _ask(self, name: str) -> None:
        self.confirm(
            self.say("Delete contact?", "删除联系人？"),
            "",
            (self.say("Delete", "删除"), partial(self._delete, name)),
        )

    def _delete(self, name: str) -> None:
        book = self.book()
        book.state["contacts"] = [person for person in book.state["contacts"] if person["name"] != name]
        self.host.back()
