"""The address book."""

from __future__ import annotations

from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.people import PeoplePages
from assistant.simulator.ui.nodes import Node


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
