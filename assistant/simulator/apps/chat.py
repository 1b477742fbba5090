"""Messages between people."""

from __future__ import annotations

from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp, flip
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.ui.nodes import Align, Node, Style


class Said(Entry):
    """A message from before: by the other person, or `mine`; at a time of the day, `days` ago."""

    text: Text
    time: str
    mine: bool = False
    days: int = 0


class Conversation(Entry):
    """A person or group, and what was said."""

    name: Text
    said: tuple[Said, ...] = ()
    unread: int = 0
    group: bool = False


class ChatData(AppData):
    """Whom the user knows. Conversations without messages appear among the contacts only."""

    conversations: tuple[Conversation, ...]


class ChatApp(BaseApp[ChatData]):
    """Conversations, search, contacts, writing.

    State: {"messages": {name: [{"from": name or "me", "text", "time": "YYYY-MM-DD HH:MM"}]},
    "unread": {name: count}, "muted": [name], "pinned": [name]}; names are canonical.
    """

    def seed(self) -> dict[str, Any]:
        """What was said so far."""
        return {
            "messages": {
                conversation.name.en: [
                    {
                        "from": "me" if said.mine else conversation.name.en,
                        "text": self.words(said.text),
                        "time": self.ago(said.days, said.time),
                    }
                    for said in conversation.said
                ]
                for conversation in self.data.conversations
            },
            "unread": {
                conversation.name.en: conversation.unread
                for conversation in self.data.conversations
                if conversation.unread
            },
            "muted": [],
            "pinned": [],
        }

    def _tabs(self, current: str) -> Node:
        return self.tabs(
            current,
            [
                ("home", "Chats", "微聊", "chat"),
                ("contacts", "Contacts", "通讯录", "person"),
                ("me", "Me", "我", "settings"),
            ],
        )

    def page_home(self, page: Page) -> Node:
        """The conversations, the latest first."""
        talks = [
            conversation
            for conversation in self.data.conversations
            if self.state["messages"][conversation.name.en]
        ]
        talks.sort(
            key=lambda conversation: str(self.state["messages"][conversation.name.en][-1]["time"]),
            reverse=True,
        )
        talks.sort(key=lambda conversation: conversation.name.en not in self.state["pinned"])
        return widgets.screen(
            self.bar(
                self.label(self.host.locale),
                self.icon_button("search", "Search", "搜索", self.go("search")),
                self.icon_button("plus", "New chat", "发起聊天", self.go("new"), name="new_chat"),
                back=False,
            ),
            self.listing(page, *[self._talk_row(conversation) for conversation in talks]),
            self._tabs("home"),
        )

    def _talk_row(self, conversation: Conversation) -> Node:
        messages = self.state["messages"][conversation.name.en]
        last = messages[-1] if messages else {"text": "", "time": ""}
        unread = self.state["unread"].get(conversation.name.en, 0)
        count = f"[{unread}] " if unread else ""
        today = self.host.now().strftime("%Y-%m-%d")
        day, _, time = str(last["time"]).partition(" ")
        return widgets.list_row(
            self.words(conversation.name),
            f"{count}{last['text']}",
            trailing=time if day == today else day[5:],
            leading=widgets.picture(f"face {conversation.name.en}", width=48, height=48),
            on_tap=self.go("conversation", name=conversation.name.en),
            name="conversation_item",
        )

    def page_search(self, page: Page) -> Node:
        """People and messages that match as the user types."""
        query = self.typed(page, "query")
        field = self.search_box(
            page, self.say("Search people and messages", "搜索联系人和聊天记录"), lambda _: None
        )
        conversations = find(
            query,
            self.data.conversations,
            lambda conversation: [
                conversation.name.en,
                conversation.name.zh,
                *[str(m["text"]) for m in self.state["messages"][conversation.name.en]],
            ],
        )
        entries = [self._talk_row(conversation) for conversation in conversations]
        if query and not conversations:
            entries = [widgets.empty(self.say("Nothing found", "没有找到"))]
        return widgets.screen(field, self.listing(page, *entries))

    def _people(self) -> list[Node]:
        return [
            widgets.list_row(
                self.words(conversation.name),
                leading=widgets.picture(f"face {conversation.name.en}", width=40, height=40),
                on_tap=self.go("conversation", name=conversation.name.en),
                name="contact_item",
            )
            for conversation in sorted(self.data.conversations, key=lambda other: other.name.en)
        ]

    def open_contacts(self, page: Page) -> None:
        """Matching the address book needs a permission."""
        self.allowed("contacts", lambda granted: None)

    def page_contacts(self, page: Page) -> Node:
        """Everyone the user can write to."""
        return widgets.screen(
            self.bar(self.say("Contacts", "通讯录"), back=False),
            widgets.search_entry(self.say("Search", "搜索"), self.go("search")),
            self.listing(page, *self._people()),
            self._tabs("contacts"),
        )

    def page_new(self, page: Page) -> Node:
        """Choose whom to write to."""
        return widgets.screen(self.bar(self.say("New chat", "发起聊天")), self.listing(page, *self._people()))

    def page_me(self, page: Page) -> Node:
        """The user's own corner."""
        return widgets.screen(
            self.bar(self.say("Me", "我"), back=False),
            widgets.list_row(
                self.say("Alex Lin", "林亦安"),
                "ID: alex_lin_07",
                leading=widgets.picture("face me", width=56, height=56),
            ),
            widgets.list_row(
                self.say("PayBox", "付款宝"), on_tap=lambda: self.host.start_app("com.example.paybox")
            ),
            widgets.filler(),
            self._tabs("me"),
        )

    def open_conversation(self, page: Page) -> None:
        """Opening a conversation reads it; the newest messages stand at the bottom."""
        self.state["unread"].pop(page.arguments["name"], None)
        self.scroll(page, "messages").limit = 1e6
        self.scroll(page, "messages").offset = 1e6

    def page_conversation(self, page: Page) -> Node:
        """What was said, and the field to say more. The send icon bears no text."""
        name = page.arguments["name"]
        conversation = next(
            conversation for conversation in self.data.conversations if conversation.name.en == name
        )

        def send() -> None:
            words = self.typed(page, "message")
            if not words:
                return
            self.state["messages"][name].append({"from": "me", "text": words, "time": self.stamp()})
            self.field(page, "message").value = ""
            self.scroll(page, "messages").limit = 1e6
            self.scroll(page, "messages").offset = 1e6

        field = self.field(page, "message", self.say("Message", "发消息"), on_submit=send)
        bubbles = [self._bubble(message) for message in self.state["messages"][name]]
        return widgets.screen(
            self.bar(
                self.words(conversation.name),
                self.icon_button("more", "More", "更多", self.go("details", name=name), name="more_button"),
            ),
            self.listing(page, *bubbles, name="messages"),
            widgets.row(
                self.icon_button("microphone", "Voice", "语音", self._no_voice, name="voice_button"),
                widgets.edit(field, name="message_input", weight=1),
                self.icon_button("smile", "Emoji", "表情", lambda: None, name="emoji_button"),
                self.icon_button("send", "Send", "发送", send, name="send_button", color=self.color),
                name="composer",
                gap=2,
                padding=4,
            ),
        )

    def _no_voice(self) -> None:
        self.host.toast(self.say("Voice messages are not available", "语音消息不可用"))

    def _bubble(self, message: dict[str, str]) -> Node:
        mine = message["from"] == "me"
        words = widgets.text(
            message["text"], name="message_text", lines=12, align=Align.END if mine else Align.START
        )
        words.padding = 10
        words.style = Style(
            background=self.color if mine else "",
            color=widgets.WHITE if mine else "",
            border="" if mine else widgets.LINE,
            radius=12,
            max_lines=12,
        )
        line = widgets.row(words, name="message", padding=6)
        line.align = Align.END if mine else Align.START
        return line

    def page_details(self, page: Page) -> Node:
        """Settings of one conversation."""
        name = page.arguments["name"]
        conversation = next(
            conversation for conversation in self.data.conversations if conversation.name.en == name
        )

        muted, pinned = self.state["muted"], self.state["pinned"]

        def clear() -> None:
            self.state["messages"][name] = []
            self.host.back_to("home")

        def ask() -> None:
            self.confirm(
                self.say("Clear chat history?", "清空聊天记录？"), "", (self.say("Clear", "清空"), clear)
            )

        return widgets.screen(
            self.bar(self.say("Chat details", "聊天详情")),
            widgets.list_row(
                self.words(conversation.name), leading=widgets.picture(f"face {name}", width=56, height=56)
            ),
            widgets.switch_row(self.say("Mute", "消息免打扰"), name in muted, partial(flip, muted, name)),
            widgets.switch_row(
                self.say("Pin to top", "置顶聊天"), name in pinned, partial(flip, pinned, name)
            ),
            widgets.list_row(self.say("Clear chat history", "清空聊天记录"), on_tap=ask),
        )
