"""The address book and the phone: one list of people, seen from two apps."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.apps.host import App, Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.ui.nodes import Align, Node

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
        found = self.people()
        if query:
            found = find(query, found, lambda person: [person["name"], person["text"], person["phone"]])
        return [
            widgets.list_row(
                person["text"],
                person["phone"],
                leading=widgets.picture(f"face {person['name']}", width=40, height=40),
                on_tap=self.go("details", name=person["name"]),
                name="contact_item",
            )
            for person in found
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


class ContactsApp(PeoplePages):
    """The address book.

    State: {"contacts": [{"name", "text", "phone", "mail", "note"}]}; `name` is canonical, `text` displayed.
    """

    def seed(self) -> dict[str, Any]:
        """The people of the data."""
        return {
            "contacts": [
                {
                    "name": person.name.en,
                    "text": self.words(person.name),
                    "phone": person.phone,
                    "mail": person.mail,
                    "note": self.words(person.note) if person.note else "",
                }
                for person in self.data.people
            ]
        }

    def page_home(self, page: Page) -> Node:
        """Everyone, with a plus for someone new."""
        return widgets.screen(
            self.bar(
                self.label(self.host.locale),
                self.icon_button(
                    "plus", "Add contact", "新建联系人", self.go("edit", name=""), name="add_contact"
                ),
                back=False,
            ),
            widgets.search_entry(self.say("Search contacts", "搜索联系人"), self.go("search")),
            self.listing(page, *self.people_rows()),
        )

    def page_edit(self, page: Page) -> Node:
        """Name, number, mail and note of a new or known person."""
        person = self.person(page.arguments["name"])
        old = person or {"text": "", "phone": "", "mail": "", "note": ""}
        hints = [
            ("text", self.say("Name", "姓名")),
            ("phone", self.say("Phone number", "电话号码")),
            ("mail", self.say("Mail", "邮箱")),
            ("note", self.say("Note", "备注")),
        ]
        fields = [
            widgets.edit(
                self.field(page, key, hint, value=old[key], numeric=key == "phone"), name=f"edit_{key}"
            )
            for key, hint in hints
        ]

        def save() -> None:
            values = {key: self.typed(page, key) for key, _ in hints}
            if not values["text"]:
                self.host.toast(self.say("A contact needs a name", "请输入姓名"))
                return
            if person:
                person.update(values)
            else:
                self.state["contacts"].append({"name": values["text"], **values})
            self.host.back()

        title = self.say("Edit contact", "编辑联系人") if person else self.say("New contact", "新建联系人")
        return widgets.screen(
            self.bar(title),
            self.listing(page, widgets.column(*fields, gap=12, padding=16), name="form"),
            widgets.bottom_bar(self.button("Save", "保存", save, name="save", weight=1)),
        )


class DialerApp(PeoplePages):
    """Recent calls, a pad of digits, and the call itself.

    State: {"calls": [{"name" or "", "number", "kind": "in", "out" or "missed", "time"}]}, the newest first.
    """

    def seed(self) -> dict[str, Any]:
        """The calls so far."""
        return {
            "calls": [
                {"name": one.name.en, "number": "", "kind": one.kind, "time": self.ago(one.days, one.time)}
                for one in self.data.calls
            ]
        }

    def _tabs(self, current: str) -> Node:
        return self.tabs(
            current,
            [
                ("home", "Recent", "最近", "clock"),
                ("contacts", "Contacts", "联系人", "person"),
                ("keypad", "Keypad", "拨号", "grid"),
            ],
        )

    def page_home(self, page: Page) -> Node:
        """The last calls; a tap calls again."""
        kinds = {"in": ("Incoming", "呼入"), "out": ("Outgoing", "呼出"), "missed": ("Missed", "未接")}
        entries = []
        for one in self.state["calls"]:
            person = self.person(one["name"])
            number = person["phone"] if person else one["number"]
            entries.append(
                widgets.list_row(
                    person["text"] if person else one["name"] or number,
                    f"{self.say(*kinds[one['kind']])}  {one['time']}",
                    leading=widgets.pictogram("phone"),
                    on_tap=partial(self.call, one["name"], number),
                    name="call_item",
                )
            )
        return widgets.screen(
            self.bar(self.label(self.host.locale), back=False),
            self.listing(page, *entries),
            self._tabs("home"),
        )

    def open_contacts(self, page: Page) -> None:
        """The address book needs a permission."""
        self.allowed("contacts", lambda granted: page.local.update(refused=not granted))

    def page_contacts(self, page: Page) -> Node:
        """The address book, where the user lets us read it."""
        if page.local.get("refused"):
            body = widgets.empty(self.say("Contacts may not be read", "没有读取联系人的权限"))
        else:
            body = self.listing(page, *self.people_rows())
        return widgets.screen(
            self.bar(self.say("Contacts", "联系人"), back=False),
            widgets.search_entry(self.say("Search contacts", "搜索联系人"), self.go("search")),
            body,
            self._tabs("contacts"),
        )

    def page_keypad(self, page: Page) -> Node:
        """Dial a number."""
        number: str = page.local.setdefault("number", "")

        def press(key: str) -> None:
            page.local["number"] = number[:-1] if key == "⌫" else number + key

        def dial() -> None:
            if number:
                known = [person["name"] for person in self.people() if _digits(person["phone"]) == number]
                self.call(known[0] if known else "", number)

        keys = [
            widgets.flat_button(key, partial(press, key), name=f"key_{key}")
            for key in ("1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "0", "#", "⌫")
        ]
        call = self.icon_button("phone", "Dial", "拨打", dial, name="dial_button", color=self.color)
        return widgets.screen(
            self.bar(self.say("Keypad", "拨号"), back=False),
            widgets.text(number, name="number", size=30, align=Align.CENTER),
            widgets.filler(),
            widgets.tiles([*keys, call], columns=3, name="keypad"),
            self._tabs("keypad"),
        )

    def open_calling(self, page: Page) -> None:
        """The call begins."""
        self.state["calls"].insert(
            0,
            {
                "name": page.arguments["name"],
                "number": page.arguments["number"],
                "kind": "out",
                "time": self.stamp(),
            },
        )

    def page_calling(self, page: Page) -> Node:
        """A call under way."""
        person = self.person(page.arguments["name"])
        return widgets.screen(
            widgets.text(
                person["text"] if person else page.arguments["number"],
                name="callee",
                size=28,
                align=Align.CENTER,
            ),
            widgets.text(self.say("Calling…", "正在呼叫…"), name="call_state", align=Align.CENTER),
            widgets.picture(f"face {page.arguments['name']}", height=220),
            widgets.filler(),
            widgets.column(
                self.icon_button(
                    "call_end", "End call", "挂断", self.host.back, name="end_call", color=widgets.RED
                ),
                align=Align.CENTER,
                padding=24,
            ),
        )


def _digits(number: str) -> str:
    return "".join(sign for sign in number if sign.isdigit())
