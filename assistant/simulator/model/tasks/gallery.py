"""Pictures: sending and deleting."""

from __future__ import annotations

from assistant.simulator.model.rules import (
    Check,
    Task,
    agree_to_delete,
    both,
    done,
    finish,
    give_up,
    look_for,
    no,
    page,
    search,
    sees,
    tap,
    when,
)
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.tasks.chat import is_bubble

APP = ("Gallery", "相册")
PACKAGE = "com.example.gallery"
CHAT = "com.example.chat"

on_picture: Check = page("{what}")
find_picture = (
    when(page("Photos", "照片"), tap("search button", "Search", "搜索", least=4)),
    search(
        "{what}", tap("{what}", least=3, where=lambda item: item.tappable and item.kind != "field"), live=True
    ),
)


def _in_chat(view: View) -> bool:
    return view.screen.package == CHAT


def _open_chat(view: View) -> Step:
    return view.open(view.app_names(("Chat", "微聊"))[0])


def is_picture_message(item: Item) -> bool:
    """Whether an element is a message with a picture."""
    return is_bubble(item) and item.label.startswith("[")


share = Task(
    name="send a picture",
    app=APP,
    package=PACKAGE,
    also=(CHAT,),
    elsewhere=(when(done("click", "{who}"), _open_chat),),
    patterns=(
        r"(?:send|share) (?:the )?(?:picture|photo) (?:of |called |named )?(?:the )?['\"“]?"
        r"(?P<what>.+?)['\"”]? (?:to|with) (?P<who>.+?)",
        r"(?:send|share) (?P<who>[\w ]+?) the (?:picture|photo) (?:of |called |named )?(?P<what>.+?)",
        r"把(?:照片|图片)[“\"]?(?P<what>.+?)[”\"]?(?:发给|分享给|传给)(?P<who>.+?)",
        r"把(?P<what>.+?)(?:的)?(?:那张)?(?:照片|图片)(?:发给|分享给|传给)(?P<who>.+?)",
    ),
    rules=(
        when(
            _in_chat,
            when(
                both(page("{who}"), sees("{what}", where=is_picture_message)),
                finish("The picture {what} is sent to {who}.", "照片{what}已发给{who}。"),
            ),
            when(page("Chat", "微聊"), tap("{who}", least=3)),
        ),
        when(
            page("Share with", "分享给"),
            look_for("{who}", missing=give_up("There is nobody called {who}.", "没有找到{who}。")),
        ),
        when(both(on_picture, done("click", "{who}")), _open_chat),
        when(on_picture, tap("share", "Share", "分享", least=4)),
        *find_picture,
    ),
)

delete = Task(
    name="delete a picture",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"(?:delete|remove) (?:the )?(?:picture|photo) (?:of |called |named )?(?:the )?['\"“]?"
        r"(?P<what>.+?)['\"”]?",
        r"(?:删除|删掉)(?:照片|图片)(?P<what>.+?)",
        r"(?:把)?(?:相册里的?)?(?P<what>.+?)(?:的|那张)?(?:照片|图片)(?:删掉|删除|删了)",
    ),
    rules=(
        agree_to_delete("Delete picture?", "删除照片？"),
        when(
            both(lambda view: view.did("click", "delete") >= 2, no(on_picture)),
            when(
                no(sees("{what}", least=3, where=lambda item: item.tappable and item.kind != "field")),
                finish("The picture {what} is deleted.", "照片{what}已删除。"),
            ),
        ),
        when(on_picture, tap("delete", "Delete", "删除", least=4)),
        *find_picture,
    ),
)

TASKS = (share, delete)
