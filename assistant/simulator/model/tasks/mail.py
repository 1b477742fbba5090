"""Mail: writing, reading."""

from __future__ import annotations

from assistant.simulator.model.rules import (
    Check,
    Task,
    done,
    give_up,
    look_for,
    no,
    page,
    sees,
    tap,
    when,
    write,
)
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.words import closeness, plain

APP = ("Mail", "邮件")
PACKAGE = "com.example.mail"


def _taken(view: View) -> str:
    """The address of the suggestion that was taken last, if it was the right one."""
    taken = [past.detail for past in view.situation.history if past.type == "click" and "@" in past.detail]
    if not taken or closeness(view.slots["who"], taken[-1]) < 3:
        return ""
    return taken[-1].split("·")[-1].strip()


def _address(view: View) -> Step | None:
    """Type the name, then take the suggestion with the address."""
    if not view.screen.fields:
        return None
    field, address = view.screen.fields[0], _taken(view)
    if "@" in field.label:
        wrong = not address or not view.holds(field, address)
        return (
            view.back(view.say("The address is wrong. I start again.", "收件人不对，重新写。"))
            if wrong
            else None
        )
    hint = view.screen.find(
        view.slots["who"], least=3, where=lambda item: "@" in item.label and item.tappable
    )
    if hint:
        return view.tap(hint)
    if view.holds(field, view.slots["who"]):
        return view.give_up(view.say("There is no mail address for {who}.", "没有{who}的邮箱地址。"))
    return write("{who}", 0)(view)


def _is_sent(view: View) -> Step | None:
    """The folder lists the letter to the right address."""
    address = plain(_taken(view))
    letters = view.screen.all(
        view.slots["subject"], least=3, where=lambda item: item.tappable and "·" in item.label
    )
    if not address or not any(address in plain(letter.label) for letter in letters):
        return None
    return view.finish(view.say("The mail to {who} is sent.", "邮件已发给{who}。"))


def _letter_text(view: View) -> Step | None:
    """Answer with the text of the open letter."""
    texts = [item.label for item in view.screen.items if item.kind == "text" and len(item.label) > 12]
    if not texts:
        return None
    return view.finish(max(texts, key=len))


on_folder: Check = page("Inbox", "收件箱", "Sent", "已发送", "Drafts", "草稿", "Trash", "已删除")

send = Task(
    name="send a mail",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"(?:send|write) (?:an? )?e?-?mail to (?P<who>.+?),? (?:with (?:the )?)?"
        r"(?:subject|titled|about) ['\"“]?(?P<subject>.+?)['\"”]?(?:,? (?:and |with )?(?:the )?"
        r"(?:text|body|saying|that says)|:) ['\"“]?(?P<text>.+?)['\"”]?",
        r"(?:send|write) (?:an? )?e?-?mail to (?P<who>.+?)(?: saying| that says|:) ['\"“]?"
        r"(?P<text>.+?)['\"”]?",
        r"(?:e-?)?mail (?P<who>.+?)(?: that|:| saying) (?P<text>.+)",
        r"(?:给|向)(?P<who>.+?)发(?:一封|封|个)?(?:邮件|电子邮件)[,，]?(?:主题|标题)(?:是|为|写)?[:：]?(?P<subject>.+?)[,，]"
        r"(?:内容|正文)(?:是|为|写)?[:：]?(?P<text>.+)",
        r"(?:给|向)(?P<who>.+?)发(?:一封|封|个)?(?:邮件|电子邮件)(?:说|[:：,，])*(?P<text>.+)",
    ),
    corrections=(r"(?:no, )?(?:to|mail|send it to) (?P<who>.+?) instead",),
    prepare=lambda slots, instruction: {"subject": slots.get("text", "")[:40], **slots},
    rules=(
        when(
            page("New mail", "写邮件"),
            _address,
            write("{subject}", 1),
            write("{text}", 2),
            tap("send button", "Send", "发送", least=4),
        ),
        when(
            done("click", "Send"),
            when(page("Sent", "已发送"), _is_sent),
            when(
                no(page("Sent", "已发送")),
                tap("Sent", "已发送", least=4, where=lambda item: item.point.y > 0.85),
            ),
        ),
        when(on_folder, tap("compose", "Compose", "写邮件", least=4)),
    ),
)

read = Task(
    name="read a mail",
    app=APP,
    package=PACKAGE,
    patterns=(
        r"(?:read|open|show)(?: me)? (?:the |my )?(?:last |latest |newest )?(?:e-?)?mail from (?P<who>.+?)",
        r"what does (?:the |my )?(?:last |latest )?(?:e-?)?mail from (?P<who>.+?) say",
        r"(?:读|看|念|打开)(?:一下)?(?P<who>.+?)(?:发来|发)?的(?:最新)?邮件",
    ),
    rules=(
        when(sees("Reply", "回复", least=4), _letter_text),
        when(
            page("Inbox", "收件箱"),
            look_for("{who}", missing=give_up("There is no mail from {who}.", "没有{who}的邮件。")),
        ),
        tap("Inbox", "收件箱", least=4),
    ),
)

TASKS = (send, read)
