"""What a bare label means by the words around it: “Turn off” below “Two-step verification”, “Get” in a store.

The same words can also make a sensitive label harmless: “Subscribe” where no money is named only follows.

What a button does whose own words do not say it: it carries out what the page is about.

“Submit”, “Confirm transfer out” or “Schedule” on a page with a sum of money moves that money; below filled
fields it sends them. Buttons that only lead on (“Edit”, “View statements”) are known by how they begin.
"""

from __future__ import annotations

import re

from assistant.events import ActionKind
from assistant.records import Element
from assistant.safety import wording
from assistant.safety.normalize import normalize_label
from assistant.safety.page import Page, amount_on, before_amount, has_amount, words_of

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
    label = normalize_label(own[0])
    near = [normalize_label(text) for text in (_text_above(page, element), page.title) if text]
    if _TOGGLES.match(label):
        return _toggled(label, near)
    if _NO_LOCK.match(label) and _OF_LOCKS.search(normalize_label(page.title)):
        return ActionKind.SECURITY
    if page.is_row(element) and len(own) > 1:
        return None
    if _VERIFIES.match(label) and any(wording.asks_for_code(field.hint) for field in page.fields):
        return ActionKind.PASSWORD
    texts = [normalize_label(words_of(e)) for e in page.texts]
    if _RESTARTS.match(label) and any(map(_OF_UPDATES.search, texts)):
        return ActionKind.INSTALL
    if _GETS.match(label) and (any(map(_OF_APPS.search, texts)) or _in_store(page)):
        return ActionKind.INSTALL
    if _LOGS_IN.match(label) and any(map(_ELSEWHERE.search, texts)):
        return ActionKind.GRANT
    if _ANSWERS.match(label) and _ASKED.search(normalize_label(page.title)):
        return ActionKind.PAY if amount_on(page) else ActionKind.SEND
    if _SUBMITS.match(label):
        return ActionKind.PAY if amount_on(page) else ActionKind.SEND
    if _GIVES.match(label) and _GIFTS.search(normalize_label(page.title)):
        return ActionKind.PAY
    if _JOINS_PEOPLE.match(label) and any(map(_WRITES.match, texts)):
        return ActionKind.SEND
    return _repeats_title(page, label)


def is_harmless_here(page: Page, element: Element, own: list[str], kind: ActionKind) -> bool:
    """Whether a label that names a deed only leads to where it is done, by what stands around it."""
    label = normalize_label(own[0])
    if kind is ActionKind.PAY:
        if has_amount(own[0]) or _SETTLES.match(label):
            return False
        bare = _BARE_MONEY.match(label) is not None and not page.is_dialog
        if page.is_row(element) and _METHODS.search(normalize_label(page.title)):
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
    title = normalize_label(page.title)
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
    return sum(_TABS.match(normalize_label(words_of(e))) is not None for e in page.texts) >= _MANY_TABS


def _is_way_in(page: Page, element: Element) -> bool:
    """Whether a bare word of money opens a form or follows: no sum is entered, others stand beside."""
    if any(character.isdecimal() for field in page.fields for character in field.text):
        return False
    choices = sum(
        bool(_BARE_MONEY.match(normalize_label(words[0])))
        for e in page.seen.elements
        if e.clickable and e.index != element.index and (words := page.parts(e))
    )
    follows = _FOLLOWS.match(normalize_label(page.parts(element)[0])) is not None
    return choices > 0 or (follows and not any(has_amount(words_of(e)) for e in page.texts))


def is_settled_below(page: Page, element: Element) -> bool:
    """Whether something below a row pays: then the row, however it speaks of paying, is a choice."""
    return any(
        (_SETTLES.match(normalize_label(words[0])) or has_amount(words[0]))
        and wording.kind_of_words(words[0]) is ActionKind.PAY
        for e in page.seen.elements
        if e.clickable and e.bounds.top >= element.bounds.bottom and (words := page.parts(e))
    )


_LONGEST = 36
_BUTTONS = ("Button", "AppCompatButton", "MaterialButton")
_FEW = 3
_COMMITS = re.compile(
    r"^(?:submit|confirm|complete|finish|finali[sz]e|accept|approve|apply|authori[sz]e|activate|redeem|enrol|"
    r"sell|settle|execute)\b|^(?:start|begin|place|schedule|request|issue|join|give|launch) \w|"
    r"^(?:确认|确定|立即|马上|现在|提交|申请|同意|办理|一键|完成|发起|卖出|买入|赠送|转入|转出|存入|"
    r"缴|还款|充|兑换|接受)"
)
_FIXES = re.compile(r"^confirm \w|^确认(?!.*(?:地址|信息|取消))")
_SAYS = re.compile(
    r"^(?:save (?:and|&) )?(?:share|post|upload|publish)(?: (?!link|with|to|via)\w+){1,2}$|"
    r"^(?:reply|comment|share|post|answer|respond|invite|forward|发布|评论|回复|转发|分享|回答|邀请|转赠|投稿)$"
)
_MOVES = re.compile(
    r"^(?:pay|withdraw|deposit|transfer|top up|recharge|reload|sell|invest|donate|pledge|contribute|fund|"
    r"redeem|exchange|convert|swap|stake|repay|lend|borrow|tip|bid|insure)\b|"
    r"(?:转账|转入|转出|存入|取出|提现|充值|还款|缴费|缴纳|认购|申购|赎回|买入|卖出|订购|兑换|投保|打赏|"
    r"捐款|捐赠|结账|付清|付定金|租借|抢购|续订)$"
)
_SUM = re.compile(r"^[¥￥$€£₹]?\s?\d[\d,.]*\s?(?:元|块|usd|eur)?$")
_CONSENTS = re.compile(r"^(?:approve|accept|agree|同意|接受|批准|通过)")
_ASKED_FOR = re.compile(
    r"\b(?:asks?|wants?|requests?)\b.*\b(?:access|permission|control)\b|(?:申请|请求|想要?).*(?:访问|权限|控制)"
)
_OPTION = re.compile(
    r"^(?:from|save|about|only|under|over|up to|was|off|free|delivery|price|subtotal|total|balance|tax|earn|"
    r"limit|per|\+|-|共|合计|约|满|起|省|优惠|运费|余额|低至|最低|券|红包|\d)|^$"
)
_FILLS_A_CART = re.compile(
    r"\bto (?:the |my |your )?(?:order|cart|bag|basket|trolley)\b|加入(?:购物车|菜单)|加购"
)
_FILLS_A_FIELD = re.compile(r"^(?:全部|all\b|max\b|use (?:all|max)\b)")
_LEADS_ON = re.compile(
    r"^(?:view|see|show|open|edit|change|choose|select|pick|next|continue|back|go|details?|compare|help|learn|"
    r"read|track|preview|review|copy|save|download|more|filter|sort|search|skip|restore|pause|resume|mute|"
    r"play|watch|message|chat|ask|contact|get (?:directions|help|tickets|started)|scan|refresh|try|test|mark|"
    r"add|upload|rate|keep|not|no|cancel|close|done|ok|got|log|sign|sync|link|login|register|manage|set|print|"
    r"follow|like|claim|report|undo|redo|use|explore|discover|browse|find|make|write|later|maybe|tonight|"
    r"remind|home|again|accept (?:all|cookies)|"
    r"(?:order|buy) again|start (?:over|shopping|exploring|watching)|counter|decline|reject|deny|"
    r"ignore|transfer|pay|book|donate|share|import|advanced|create|new|stay|look|move|rename|locate|lock|check|force|open)\b|"
    r"^(?:查看|查询|选|去|返回|上一步|下一步|修改|编辑|更改|保存|存草稿|存为|预览|复制|下载|添加|加入|上传|"
    r"搜索|筛选|排序|刷新|更多|管理|联系|导航|分享|收藏|关注|再|稍后|暂|还没|跳过|我|全部|设置|帮助|打印|"
    r"扫|备份|重启|恢复|拒绝|转交|同步|发消息|播放|测|开柜|已|降价|擦亮|投诉|举报|复查|显示|展开|收起)|"
    r"(?:说明|规则|须知|记录|明细|协议|详情|指南|查询|攻略|管理|设置|方式|教程|帮助|历史|进度|政策|日志|"
    r"介绍|列表|流水)$"
)


def kind_by_context(page: Page, element: Element, own: list[str]) -> ActionKind | None:
    """What a button carries out by the page it stands on; None where it leads on, or nothing tells."""
    label = normalize_label(own[0])
    if _SAYS.match(label) and page.fields and len(own) == 1:
        return ActionKind.SEND
    moves = _MOVES.search(label) is not None and not _FILLS_A_FIELD.match(label)
    filled = any(_SUM.match(normalize_label(field.text)) for field in page.fields)
    if moves and filled and not is_settled_below(page, element):
        return ActionKind.PAY
    if _CONSENTS.match(label) and any(_ASKED_FOR.search(normalize_label(words_of(e))) for e in page.texts):
        return ActionKind.GRANT
    if len(own) > 1 or len(label) > _LONGEST or has_amount(own[0]) or _LEADS_ON.search(label):
        return None
    commits = _COMMITS.match(label) is not None
    if not commits and not _is_one_of_few_buttons(page, element):
        return None
    asked = wording.kind_of_question(page.question)
    if asked in (ActionKind.DELETE, ActionKind.SECURITY, ActionKind.INSTALL, ActionKind.GRANT) and commits:
        return asked
    fixes = _FIXES.match(label) is not None and any(has_amount(words_of(e)) for e in page.texts)
    if asked is ActionKind.PAY or amount_on(page) or fixes:
        return ActionKind.PAY
    return ActionKind.SEND if page.fields else asked if commits else None


def _is_one_of_few_buttons(page: Page, element: Element) -> bool:
    """Whether an element is a button of a page that has few: it is what the page is for, not a choice."""
    buttons = [e for e in page.seen.elements if e.clickable and e.class_name.rpartition(".")[2] in _BUTTONS]
    return element in buttons and len(buttons) <= _FEW


def pays_its_price(page: Page, element: Element, own: list[str]) -> bool:
    """Whether a label that names a sum pays it: so do all but options, which stand beside a way to pay."""
    if _FILLS_A_CART.search(normalize_label(own[0])):
        return False
    if not _names_a_sum(page, element, own):
        return False
    if not _is_option(own[0]):
        return True
    return not any(_pays(page, e) for e in page.seen.elements if e.clickable and e.index != element.index)


def _names_a_sum(page: Page, element: Element, own: list[str]) -> bool:
    whole = len(own) == 1 and len(own[0]) <= _LONGEST and has_amount(own[0])
    return whole and (page.is_entry(element) or not page.is_row(element))


def _is_option(text: str) -> bool:
    return _OPTION.match(normalize_label(before_amount(text)).strip(" ,:：")) is not None


def _pays(page: Page, element: Element) -> bool:
    own = page.parts(element)
    if _names_a_sum(page, element, own):
        return not _is_option(own[0])
    return bool(own) and wording.kind_of_words(own[0]) is ActionKind.PAY
