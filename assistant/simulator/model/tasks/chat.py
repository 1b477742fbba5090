"""Messages."""

from __future__ import annotations

from assistant.simulator.model.rules import (
    Check,
    Rule,
    Task,
    back,
    both,
    done,
    either,
    finish,
    give_up,
    holds,
    no,
    page,
    sees,
    tap,
    when,
    write,
)
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View

APP = ("Chat", "微聊")
PACKAGE = "com.example.chat"


def is_row(item: Item) -> bool:
    """Whether an element is an entry of a list, not a field or the title."""
    return item.kind != "field" and item.tappable


def is_bubble(item: Item) -> bool:
    """Whether an element may be something that was said."""
    return not item.tappable and 0.11 < item.point.y < 0.95


composing: Check = sees("send button", "Send", "发送", least=4)
nothing_found: Check = sees("Nothing found", "没有找到", least=4)

find_person: tuple[Rule, ...] = (
    when(
        both(page(*APP, "Contacts", "New chat", "发起聊天"), no(composing)),
        tap("{who}", least=3, where=is_row),
    ),
    when(
        both(holds("{who}"), no(composing)),
        tap("{who}", least=3, where=is_row),
        when(
            either(nothing_found, done("wait")),
            give_up("There is no contact called {who}.", "没有找到联系人“{who}”。"),
        ),
    ),
    when(
        both(sees("search button", "Search", "搜索", least=4), no(page(*APP, "Contacts")), no(composing)),
        write("{who}"),
    ),
    when(page(*APP), tap("search button", "Search", "搜索", least=4)),
    when(composing, back("This is another conversation.", "这不是要找的会话。")),
)
"""From anywhere in the app to the conversation with `{who}`."""


def last_said(view: View) -> Step | None:
    """Answer with the newest message of the conversation."""
    bubbles = [item for item in view.screen.items if is_bubble(item) and item.kind == "text" and item.label]
    if not bubbles:
        return None
    return view.finish(
        view.say(f"{view.slots['who']}: {bubbles[-1].label}", f"{view.slots['who']}说：{bubbles[-1].label}")
    )


send = Task(
    name="send a message",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"send (?:a |the )?(?:text |chat )?message to (?P<who>.+?)(?: (?:on|in|via) chat)?"
        r"(?:[:,]| saying| that says| that) *['\"“]?(?P<text>.+?)['\"”]?",
        r"send (?P<who>(?!a |the )[\w ]+?) (?:a|the) (?:text )?message(?:[:,]| saying| that) *['\"“]?"
        r"(?P<text>.+?)['\"”]?",
        r"send ['\"“](?P<text>.+?)['\"”] to (?P<who>.+?)(?: (?:on|in|via) chat)?",
        r"(?:text|message|tell|write to|write) (?!(?:me|us)\b)(?P<who>[\w ]+?)(?:[:,]| that| saying)? *"
        r"[\"“](?P<text>[^\"“”]+)[\"”]",
        r"(?:text|message|tell|write to|write) (?!(?:me|us)\b)(?P<who>[\w ]+?)"
        r"(?::| that| saying) *(?P<text>.+)",
        # A comma behind more than a name is one of the message.
        r"(?:text|message|tell|write to|write) "
        r"(?P<who>my \w+|(?-i:[A-Z]\w+ [A-Z]\w+)|\w+), *(?P<text>.+)",
        r"(?:text|message|tell) "
        r"(?P<who>my \w+|(?-i:[A-Z]\w+ [A-Z]\w+)|(?!(?:the|a|an|to|my|me|us) )\w+) (?P<text>.+)",
        r"let (?P<who>.+?) know (?:that )?(?P<text>.+)",
        r"send (?P<text>.+) to (?P<who>[\w ]+?) (?:on|in|via) chat",
        r"(?:用微聊|在微聊上|微聊)?(?:给|跟|向)(?P<who>.+?)(?:发(?:送)?(?:一)?(?:个|条)?(?:消息|微信|信息|短信)|留言|发)"
        r"(?:说|告诉[他她]|[:：,，]|内容是)*(?P<text>.+)",
        r"发(?:送)?(?:一)?(?:个|条)?(?:消息|信息|微信|短信)给(?P<who>.+?)(?:[:：,，]|说|内容是)+(?P<text>.+)",
        r"(?:跟|和|对)(?P<who>.+?)说(?:[:：,，])?(?P<text>.+)",
        r"把[“\"'](?P<text>.+?)[”\"']发给(?P<who>.+?)",
        r"告诉(?!我(?![妈爸]))(?P<who>妈妈|爸爸|我妈|我爸|老妈|老爸|[^,，:：]{2,3}?)(?:说|[:：,，])*(?P<text>.+)",
    ),
    corrections=(
        r"(?:no,? |actually,? |wait,? |sorry,? )*(?:say|write(?! (?:it |that |this )?to )"
        r"|tell (?:her|him|them)|make it(?: say)?|change (?:it|the text|that) to)"
        r"[:,]? *(?:that )?['\"“]?(?P<text>.+?)['\"”]?"
        r"(?:,? instead)?",
        r"(?:不[，,]?|不对[，,]?)?(?:改成|改为|换成|写|(?:就|改)?说)[:：，,]?(?:说)?[“\"]?(?P<text>.+?)[”\"]?",
        r"(?:no, )?(?:message|text|tell|write to|(?:send|write) (?:it |that |this )?to) (?P<who>.+?)"
        r"(?: instead)?",
        r"(?:no, )?not (?:to )?\w+,? (?:but )?(?:to )?(?P<who>.+?)",
        r"(?:say|write) (?P<text>.+?) instead",
        r"(?:不是.+?[,，])?(?:改|还是)?(?:发给|给)(?P<who>[^,，]+?)(?:发)?吧?",
        r"(?:内容)?改成(?:说)?(?P<text>.+)",
    ),
    rules=(
        when(
            page("{who}"),
            when(
                both(
                    either(done("click", "send button"), done("click", "Send"), done("press_enter")),
                    no(holds("{text}")),
                ),
                when(
                    sees("{text}", least=4, where=is_bubble),
                    finish("Sent to {who}: {text}", "已发给{who}：{text}"),
                ),
            ),
            when(holds("{text}"), tap("send button", "Send", "发送", least=4)),
            write("{text}"),
        ),
        *find_person,
    ),
)

read = Task(
    name="read the last message",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"(?:what (?:did|does|has) (?P<who>.+?) (?:say|write|text|said|written)(?: (?:last|to me|in chat))*)",
        r"(?:read|show|tell me) (?:me )?(?:the )?(?:last|latest|newest) message (?:from|of|in) (?P<who>.+?)",
        r"(?:看看|看一下|读一下|查一下)?(?P<who>.+?)(?:最后|最新|刚才)?(?:给我)?(?:发了什么|说了什么)(?:消息)?",
        r"(?:读|看|念)(?:一下|一读)?(?P<who>.+?)(?:的|发来的)?最(?:新|后)(?:一条|的)?消息",
    ),
    rules=(when(both(page("{who}"), composing), last_said), *find_person),
)


TASKS = (send, read)
