"""Mail: folders, reading, writing."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.ui.nodes import Node

Letter = dict[str, Any]


class Correspondent(Entry):
    """Someone with a mail address."""

    name: Text
    mail: str


class Received(Entry):
    """A letter in the inbox."""

    sender: Text
    subject: Text
    text: Text
    time: str
    days: int = 0
    read: bool = False


class MailData(AppData):
    """The inbox and whom the user writes to."""

    letters: tuple[Received, ...]
    people: tuple[Correspondent, ...]


class MailApp(BaseApp[MailData]):
    """Inbox, sent, drafts, search, reading, writing.

    State: {"letters": [{"id", "folder": "inbox", "sent", "drafts" or "trash", "from", "to", "subject",
    "text", "time", "read", "starred"}]}; `from` is a canonical name or "me", `to` an address.
    """

    def seed(self) -> dict[str, Any]:
        """The letters of the data."""
        return {
            "letters": [
                {
                    "id": index,
                    "folder": "inbox",
                    "from": letter.sender.en,
                    "from_text": self.words(letter.sender),
                    "to": "alex.lin@mail.example",
                    "subject": self.words(letter.subject),
                    "text": self.words(letter.text),
                    "time": self.ago(letter.days, letter.time),
                    "read": letter.read,
                    "starred": False,
                }
                for index, letter in enumerate(self.data.letters, 1)
            ]
        }

    def _row(self, letter: Letter) -> Node:
        star = self._mark(letter)
        mark = "" if letter["read"] else "• "
        who = letter["from_text"] if letter["folder"] in ("inbox", "trash") else letter["to"]
        return widgets.list_row(
            f"{mark}{who}",
            letter["subject"],
            trailing=letter["time"][5:10],
            action=star,
            on_tap=self.go("letter", id=letter["id"])
            if letter["folder"] != "drafts"
            else self._resume(letter),
            name="mail_item",
        )

    def _resume(self, letter: Letter) -> widgets.Tap:
        return self.go(
            "compose", to=letter["to"], subject=letter["subject"], text=letter["text"], draft=letter["id"]
        )

    def _mark(self, letter: Letter) -> Node:
        def turn() -> None:
            letter["starred"] = not letter["starred"]

        return self.mark("star", "Star", "星标", letter["starred"], turn, name="star")

    def _folder(self, page: Page, name: str, title: str) -> Node:
        letters = sorted(
            (letter for letter in self.state["letters"] if letter["folder"] == name),
            key=lambda letter: str(letter["time"]),
            reverse=True,
        )
        rows = [self._row(letter) for letter in letters] or [widgets.empty(self.say("No mail", "没有邮件"))]
        compose = self.icon_button(
            "edit",
            "Compose",
            "写邮件",
            self.go("compose", to="", subject="", text="", draft=0),
            name="compose",
        )
        return widgets.screen(
            self.bar(title, compose, back=False),
            widgets.search_entry(self.say("Search mail", "搜索邮件"), self.go("search")),
            self.listing(page, *rows),
            self.tabs(
                "home" if name == "inbox" else name,
                [
                    ("home", "Inbox", "收件箱", "mail"),
                    ("sent", "Sent", "已发送", "send"),
                    ("drafts", "Drafts", "草稿", "edit"),
                    ("trash", "Trash", "已删除", "delete"),
                ],
            ),
        )

    def page_home(self, page: Page) -> Node:
        """The inbox."""
        return self._folder(page, "inbox", self.say("Inbox", "收件箱"))

    def page_sent(self, page: Page) -> Node:
        """What the user has sent."""
        return self._folder(page, "sent", self.say("Sent", "已发送"))

    def page_drafts(self, page: Page) -> Node:
        """What the user has not sent yet."""
        return self._folder(page, "drafts", self.say("Drafts", "草稿"))

    def page_trash(self, page: Page) -> Node:
        """What the user has deleted."""
        return self._folder(page, "trash", self.say("Trash", "已删除"))

    def page_search(self, page: Page) -> Node:
        """Letters that match as the user types."""
        letters = find(
            self.typed(page, "query"),
            self.state["letters"],
            lambda letter: [letter["from"], letter["from_text"], letter["subject"], letter["text"]],
        )
        return widgets.screen(
            self.search_box(page, self.say("Search mail", "搜索邮件"), lambda _: None),
            self.listing(page, *[self._row(letter) for letter in letters]),
        )

    def _letter(self, number: int) -> Letter:
        letters: list[Letter] = self.state["letters"]
        return next(letter for letter in letters if letter["id"] == number)

    def open_letter(self, page: Page) -> None:
        """Opening a letter reads it; its text comes a moment later."""
        self._letter(page.arguments["id"])["read"] = True
        self.wait(page, silent=True)

    def page_letter(self, page: Page) -> Node:
        """One letter."""
        letter = self._letter(page.arguments["id"])

        def delete() -> None:
            letter["folder"] = "trash"
            self.host.back()

        prefix = self.say("Re: ", "回复：")
        address = next(
            (contact.mail for contact in self.data.people if contact.name.en == letter["from"]), letter["to"]
        )
        reply = self.go("compose", to=address, subject=prefix + letter["subject"], text="", draft=0)
        forward = self.go(
            "compose",
            to="",
            subject=self.say("Fwd: ", "转发：") + letter["subject"],
            text=letter["text"],
            draft=0,
        )
        return widgets.screen(
            self.bar(
                "",
                self._mark(letter),
                self.icon_button("delete", "Delete", "删除", delete, name="delete"),
            ),
            widgets.section(letter["subject"]),
            widgets.list_row(letter["from_text"], letter["time"]),
            self.waiting(page) or self.listing(page, widgets.paragraph(letter["text"])),
            widgets.bottom_bar(
                self.button("Reply", "回复", reply, name="reply", weight=1),
                widgets.flat_button(self.say("Forward", "转发"), forward, name="forward", weight=1),
            ),
        )

    def page_at(self, address: str) -> Page | None:
        """A letter to the address of a `mailto:`, with its subject and text."""
        parts = urlsplit(address)
        given = {name: values[0] for name, values in parse_qs(parts.query).items()}
        letter = {"to": unquote(parts.path), "draft": 0}
        letter |= {"subject": given.get("subject", ""), "text": given.get("body", "")}
        return Page("compose", letter) if parts.scheme == "mailto" else None

    def page_compose(self, page: Page) -> Node:
        """Write a letter; the paper plane without text sends it."""
        values = page.arguments
        to = self.field(page, "to", self.say("To", "收件人"), value=values["to"])
        subject = self.field(page, "subject", self.say("Subject", "主题"), value=values["subject"])
        body = self.field(page, "text", self.say("Write your mail", "正文"), value=values["text"])
        typed = to.value.strip()
        matches = (
            find(typed, self.data.people, lambda person: [person.name.en, person.name.zh, person.mail])
            if typed
            else []
        )

        def take(address: str) -> None:
            to.value = address

        hints = [
            widgets.list_row(
                self.words(match.name), match.mail, on_tap=partial(take, match.mail), name="suggestion"
            )
            for match in matches
            if match.mail != typed
        ]
        return widgets.screen(
            self.bar(
                self.say("New mail", "写邮件"),
                self.icon_button(
                    "download", "Save draft", "存草稿", partial(self._keep, page, "drafts"), name="save_draft"
                ),
                self.icon_button(
                    "send", "Send", "发送", partial(self._send, page), name="send_button", color=self.color
                ),
            ),
            self.listing(
                page,
                widgets.column(widgets.edit(to, name="to"), padding=8),
                *hints[:4],
                widgets.column(widgets.edit(subject, name="subject"), padding=8),
                widgets.column(widgets.edit(body, name="body", height=220), padding=8),
                name="form",
            ),
        )

    def _send(self, page: Page) -> None:
        to = self.typed(page, "to")
        addresses = [
            contact.mail
            for contact in self.data.people
            if to.lower() in (contact.name.en.lower(), contact.name.zh)
        ]
        if addresses:
            self.field(page, "to").value = addresses[0]
        elif "@" not in to:
            self.host.toast(self.say("This is not a mail address", "收件人地址不正确"))
            return
        self._keep(page, "sent")

    def _keep(self, page: Page, folder: str) -> None:
        letters: list[Letter] = self.state["letters"]
        self.state["letters"] = [letter for letter in letters if letter["id"] != page.arguments["draft"]]
        self.state["letters"].append(
            {
                "id": max(letter["id"] for letter in letters) + 1,
                "folder": folder,
                "from": "me",
                "from_text": self.say("Me", "我"),
                "to": self.typed(page, "to"),
                "subject": self.typed(page, "subject"),
                "text": self.typed(page, "text"),
                "time": self.stamp(),
                "read": True,
                "starred": False,
            }
        )
        sent = folder == "sent"
        self.host.toast(self.say("Sent", "已发送") if sent else self.say("Draft saved", "草稿已保存"))
        self.host.back()
