"""The phone: recent calls, a pad of digits, and the call itself."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import unquote

from assistant.simulator.apps import widgets
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.people import PeoplePages
from assistant.simulator.ui.nodes import Align, Node


class DialerApp(PeoplePages):
    """Recent calls, a pad of digits, and the call itself.

    State: {"calls": [{"name" or "", "number", "kind": "in", "out" or "missed", "time"}]}, the newest first.
    """

    def seed(self) -> dict[str, Any]:
        """The calls so far."""
        return {
            "calls": [
                {
                    "name": call.name.en,
                    "number": "",
                    "kind": call.kind,
                    "time": self.ago(call.days, call.time),
                }
                for call in self.data.calls
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
        for call in self.state["calls"]:
            person = self.person(call["name"])
            number = person["phone"] if person else call["number"]
            entries.append(
                widgets.list_row(
                    person["text"] if person else call["name"] or number,
                    f"{self.say(*kinds[call['kind']])}  {call['time']}",
                    leading=widgets.pictogram("phone"),
                    on_tap=partial(self.call, call["name"], number),
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

    def page_at(self, address: str) -> Page | None:
        """The number of a `tel:` stands on the keypad, and nothing is called."""
        scheme, _, number = address.partition(":")
        return Page("keypad", local={"number": _digits(unquote(number))}) if scheme == "tel" else None

    def page_keypad(self, page: Page) -> Node:
        """Dial a number."""
        number: str = page.local.setdefault("number", "")

        def press(key: str) -> None:
            page.local["number"] = number[:-1] if key == "⌫" else number + key

        def dial() -> None:
            if number:
                names = [person["name"] for person in self.people() if _digits(person["phone"]) == number]
                self.call(names[0] if names else "", number)

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
                    "stop", "End call", "挂断", self.host.back, name="end_call", color=widgets.RED
                ),
                align=Align.CENTER,
                padding=24,
            ),
        )


def _digits(number: str) -> str:
    return "".join(sign for sign in number if sign.isdigit())
