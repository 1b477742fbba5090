"""What a bare label means by the words around it: “Turn off” below “Two-step verification”, “Get” in a store.

The same words can also make a sensitive label harmless: “Subscribe” where no money is named only follows.
"""

from __future__ import annotations

import re

from assistant.events import ActionKind
from assistant.execute.guards.scene import amount_on, has_amount
from assistant.records import Element
from assistant.safety import wording
from assistant.safety.normalize import plain
from assistant.safety.page import Page, words_of

_SHORT = 14
_TOGGLES = re.compile(
    r"^(?:turn (?:on|off)|switch (?:on|off)|(?:de|in)?activate|disable|enable|开启|启用|停用|打开)$"
)
_RESTARTS = re.compile(
    r"^(?:restart|reboot|update|apply|立即重启|重启|马上重启)(?: now| and .{1,20}| phone| device)?$"
)
_OF_UPDATES = re.compile(
    r"\b(?:system|software|firmware|security) updates?\b|(?:系统|软件|固件)(?:更新|升级)"
)
_GETS = re.compile(r"^(?:get|get app|free|download|获取|下载)$")
_OF_APPS = re.compile(
    r"\bratings?\b.*\breviews?\b|\bdata safety\b|\bwhat'?s new\b|\b(?:in-app|age rating)|"
    r"\d\+? downloads|应用(?:权限|介绍|评分)|开发者"
)
_STORES = ("appstore", "vending", "market.", ".market", "appgallery", "fdroid", "yingyong")
_LOGS_IN = re.compile(
    r"^(?:(?:yes,? )?(?:log|sign) in|it'?s me|yes,? it'?s me|approve|登录|确认登录|允许登录)$"
)
_ELSEWHERE = re.compile(
    r"\b(?:log|sign)(?:ging|ing)?[ -]?in\b.*\b"
    r"(?:computer|desktop|browser|another|new|web|windows|mac|tv|tablet)\b|"
    r"(?:电脑|网页|windows|mac|平板|电视|新设备|其他设备|浏览器).*登[录陆]|"
    r"登[录陆].*(?:电脑|网页|windows|mac|平板|电视|新设备)"
)
_ANSWERS = re.compile(r"^(?:accept|agree|approve|confirm|同意|接受|通过|批准|确认)$")
_ASKED = re.compile(r"\b(?:invitation|approvals?|request(?:ed|s)?|proposal|offer)\b|审批|邀请|申请|面试")
_SUBMITS = re.compile(
    r"^(?:submit|hand in|turn in)(?: \w+){0,3}$|"
    r"^(?:确认|立即)?(?:提交|上交|交卷|申报)(?!.*(?:记录|历史|说明|须知)).{0,6}$"
)
_VERIFIES = re.compile(r"^(?:verify|confirm|验证|确认|立即验证)$")
_OF_LOCKS = re.compile(r"\bscreen ?lock\b|屏幕锁|锁屏(?:方式|密码)")
_NO_LOCK = re.compile(r"^(?:none|swipe|no lock|无|滑动|不设置)$")
_JOINS_PEOPLE = re.compile(r"^(?:connect|add friend|加好友|添加好友|加为好友|申请好友|打招呼)$")
_WRITES = re.compile(r"^(?:message|chat|发消息|私信|聊天)$")
_BARE_MONEY = re.compile(
    r"^(?:buy|sell|deposit|withdraw|donate|subscribe|invest|top up|recharge|renew|订阅|捐款|提现|购买|续费)$"
)
_FOLLOWS = re.compile(r"^(?:subscribe|订阅)$")
_PUBLISHES = re.compile(r"^(?:post|publish|tweet|发布|发表|发帖|投稿)$")
_TABS = re.compile(r"^(?:home|discover|explore|inbox|messages|profile|me|首页|发现|消息|我|我的|关注|推荐)$")
_MANY_TABS = 2
_SETTLES = re.compile(r"^(?:confirm|complete|place|submit|pay now|finish|agree|确认|提交|立即|去支付)")
_GIVES = re.compile(r"^(?:赠送|送出|送礼|send|give|gift)$")
_GIFTS = re.compile(r"\bgifts?\b|礼物|打赏")
_METHODS = re.compile(r"\bpay(?:ment|ing)? (?:method|option|with)s?\b|支付方式|付款方式|充值方式")


def kind_nearby(page: Page, element: Element, own: list[str]) -> ActionKind | None:
    """What a label that says too little by itself does, by the title and the texts around it."""
    label = plain(own[0])
    near = [plain(text) for text in (_text_above(page, element), page.title) if text]
    if _TOGGLES.match(label):
        return _toggled(label, near)
    if _NO_LOCK.match(label) and _OF_LOCKS.search(plain(page.title)):
        return ActionKind.SECURITY
    if page.is_row(element) and len(own) > 1:
        return None
    if _VERIFIES.match(label) and any(wording.asks_for_code(field.hint) for field in page.fields):
        return ActionKind.PASSWORD
    texts = [plain(words_of(e)) for e in page.texts]
    if _RESTARTS.match(label) and any(map(_OF_UPDATES.search, texts)):
        return ActionKind.INSTALL
    if _GETS.match(label) and (any(map(_OF_APPS.search, texts)) or _in_store(page)):
        return ActionKind.INSTALL
    if _LOGS_IN.match(label) and any(map(_ELSEWHERE.search, texts)):
        return ActionKind.GRANT
    if _ANSWERS.match(label) and _ASKED.search(plain(page.title)):
        return ActionKind.PAY if amount_on(page) else ActionKind.SEND
    if _SUBMITS.match(label):
        return ActionKind.PAY if amount_on(page) else ActionKind.SEND
    if _GIVES.match(label) and _GIFTS.search(plain(page.title)):
        return ActionKind.PAY
    if _JOINS_PEOPLE.match(label) and any(map(_WRITES.match, texts)):
        return ActionKind.SEND
    return _repeats_title(page, label)


def is_harmless_here(page: Page, element: Element, own: list[str], kind: ActionKind) -> bool:
    """Whether a label that names a deed only leads to where it is done, by what stands around it."""
    label = plain(own[0])
    if kind is ActionKind.PAY:
        if has_amount(own[0]) or _SETTLES.match(label):
            return False
        bare = _BARE_MONEY.match(label) is not None and not page.is_dialog
        if page.is_row(element) and _METHODS.search(plain(page.title)):
            return True
        if (bare or page.is_row(element)) and is_settled_below(page, element):
            return True
        return bare and _is_way_in(page, element)
    if kind is ActionKind.SEND and _PUBLISHES.match(label) and not page.is_dialog:
        return _is_in_tab_bar(page) and not any(e.editable for e in page.seen.elements)
    return False


def _toggled(label: str, near: list[str]) -> ActionKind | None:
    for text in near:
        if (kind := wording.kind_of_words(f"{label} {text}")) is not None:
            return kind
        if wording.is_security(text):
            return ActionKind.SECURITY
    return None


def _repeats_title(page: Page, label: str) -> ActionKind | None:
    """The kind of the page's title where a button repeats how it begins: “Sign out” of all devices."""
    title = plain(page.title)
    if not label or len(label) > _SHORT or title == label or not title.startswith(label):
        return None
    return wording.kind_of_words(page.title)


def _text_above(page: Page, element: Element) -> str:
    """The nearest text that ends above an element or stands left of it, its own words left out."""
    own = {e.index for e in page.seen.descendants(element)} | {element.index}
    before = [e for e in page.texts if e.index not in own and e.bounds.top < element.bounds.bottom]
    before = [
        e
        for e in before
        if e.bounds.bottom <= element.bounds.centre[1] or e.bounds.right <= element.bounds.left
    ]
    return words_of(max(before, key=lambda e: (e.bounds.bottom, e.index))) if before else ""


def _in_store(page: Page) -> bool:
    return any(name in page.seen.app.package for name in _STORES)


def _is_in_tab_bar(page: Page) -> bool:
    """Whether a page offers the main pages of an app, among which “Post” opens an empty draft."""
    return sum(_TABS.match(plain(words_of(e))) is not None for e in page.texts) >= _MANY_TABS


def _is_way_in(page: Page, element: Element) -> bool:
    """Whether a bare word of money opens a form or follows: no sum is entered, others stand beside."""
    if any(character.isdecimal() for field in page.fields for character in field.text):
        return False
    choices = sum(
        bool(_BARE_MONEY.match(plain(words[0])))
        for e in page.seen.elements
        if e.clickable and e.index != element.index and (words := page.parts(e))
    )
    follows = _FOLLOWS.match(plain(page.parts(element)[0])) is not None
    return choices > 0 or (follows and not any(has_amount(words_of(e)) for e in page.texts))


def is_settled_below(page: Page, element: Element) -> bool:
    """Whether something below a row pays: then the row, however it speaks of paying, is a choice."""
    return any(
        (_SETTLES.match(plain(words[0])) or has_amount(words[0]))
        and wording.kind_of_words(words[0]) is ActionKind.PAY
        for e in page.seen.elements
        if e.clickable and e.bounds.top >= element.bounds.bottom and (words := page.parts(e))
    )
