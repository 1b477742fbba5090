"""Short texts of the user's own."""

from __future__ import annotations

from functools import partial
from typing import Any

from assistant.simulator.apps import widgets
from assistant.simulator.apps.base import BaseApp
from assistant.simulator.apps.host import Page
from assistant.simulator.apps.schema import AppData, Entry, Text
from assistant.simulator.apps.search import find
from assistant.simulator.ui.nodes import Node

Note = dict[str, Any]


class FirstNote(Entry):
    """A note that is there from the start, written `days` ago."""

    title: Text
    text: Text
    days: int = 0
    pinned: bool = False


class NotesData(AppData):
    """The first notes."""

    notes: tuple[FirstNote, ...]


class NotesApp(BaseApp[NotesData]):
    """List, search, writing, pinning, deleting.

    State: {"notes": [{"id", "key": canonical title or "", "title", "text", "time", "pinned"}],
    "trash": [note]}; `title` and `text` are as displayed or typed.
    """

    def seed(self) -> dict[str, Any]:
        """The notes of the data."""
        return {
            "notes": [
                {
                    "id": index,
                    "key": note.title.en,
                    "title": self.words(note.title),
                    "text": self.words(note.text),
                    "time": self.ago(note.days, "18:00"),
                    "pinned": note.pinned,
                }
                for index, note in enumerate(self.data.notes, 1)
            ],
            "trash": [],
        }

    def _notes(self) -> list[Note]:
        newest = sorted(self.state["notes"], key=lambda note: str(note["time"]), reverse=True)
        return sorted(newest, key=lambda note: not note["pinned"])

    def _row(self, note: Note) -> Node:
        first = str(note["text"]).partition("\n")[0]
        return widgets.list_row(
            note["title"] or first,
            first if note["title"] else "",
            trailing=note["time"][5:10],
            leading=widgets.pictogram("up") if note["pinned"] else None,
            on_tap=self.go("note", id=note["id"]),
            on_hold=partial(self._ask, note),
            name="note_item",
        )

    def _ask(self, note: Note) -> None:
        self.confirm(
            self.say("Delete note?", "删除便签？"),
            note["title"],
            (self.say("Delete", "删除"), partial(self._delete, note)),
        )

    def _delete(self, note: Note) -> None:
        self.state["notes"].remove(note)
        self.state["trash"].append(note)
        self.host.back_to("home")

    def page_home(self, page: Page) -> Node:
        """All notes, with a plus without text."""
        return widgets.screen(
            self.bar(
                self.label(self.host.locale),
                back=False,
            ),
            widgets.search_entry(self.say("Search notes", "搜索便签"), self.go("search")),
            self.listing(page, *[self._row(note) for note in self._notes()]),
            self.round_button("plus", "New note", "新建便签", self.go("note", id=0), name="fab"),
        )

    def page_search(self, page: Page) -> Node:
        """Notes that match as the user types."""
        notes = find(self.typed(page, "query"), self._notes(), lambda note: [note["title"], note["text"]])
        return widgets.screen(
            self.search_box(page, self.say("Search notes", "搜索便签"), lambda _: None),
            self.listing(page, *[self._row(note) for note in notes]),
        )

    def page_note(self, page: Page) -> Node:
        """Read and write a note; the check mark keeps it."""
        note = next((other for other in self.state["notes"] if other["id"] == page.arguments["id"]), None)
        title = self.field(page, "title", self.say("Title", "标题"), value=note["title"] if note else "")
        body = self.field(page, "text", self.say("Write here", "内容"), value=note["text"] if note else "")
        actions = []
        if note:
            actions = [
                self.mark("up", "Pin", "置顶", note["pinned"], partial(_turn, note), name="pin"),
                self.icon_button("delete", "Delete", "删除", partial(self._ask, note), name="delete"),
            ]
        save = self.icon_button("check", "Save", "保存", partial(self._save, page, note), name="save")
        return widgets.screen(
            self.bar(self.say("Note", "便签"), *actions, save),
            widgets.column(
                widgets.edit(title, name="note_title"),
                widgets.edit(body, name="note_text", height=360),
                gap=8,
                padding=12,
            ),
        )

    def _save(self, page: Page, note: Note | None) -> None:
        values = {"title": self.typed(page, "title"), "text": self.typed(page, "text"), "time": self.stamp()}
        if not (values["title"] or values["text"]):
            self.host.toast(self.say("The note is empty", "便签内容为空"))
            return
        if note:
            note.update(values)
        else:
            number = max((note["id"] for note in self.state["notes"] + self.state["trash"]), default=0) + 1
            self.state["notes"].append({"id": number, "key": "", "pinned": False, **values})
        self.host.toast(self.say("Saved", "已保存"))
        self.host.back()


def _turn(note: Note) -> None:
    note["pinned"] = not note["pinned"]
