"""What a button does whose own words do not say it: it carries out what the page is about.

“Submit”, “Confirm transfer out” or “Schedule” on a page with a sum of money moves that money; below filled
fields it sends them. Buttons that only lead on (“Edit”, “View statements”) are known by how they begin.
"""

from __future__ import annotations

import re

from assistant.events import ActionKind
from assistant.execute.guards.scene import amount_on, before_amount, has_amount
from assistant.records import Element
from assistant.safety import wording
from assistant.safety.context import is_settled_below
from assistant.safety.normalize import plain
from assistant.safety.page import Page, words_of

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
    label = plain(own[0])
    if _SAYS.match(label) and page.fields and len(own) == 1:
        return ActionKind.SEND
    moves = _MOVES.search(label) is not None and not _FILLS_A_FIELD.match(label)
    filled = any(_SUM.match(plain(field.text)) for field in page.fields)
    if moves and filled and not is_settled_below(page, element):
        return ActionKind.PAY
    if _CONSENTS.match(label) and any(_ASKED_FOR.search(plain(words_of(e))) for e in page.texts):
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
    if _FILLS_A_CART.search(plain(own[0])):
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
    return _OPTION.match(plain(before_amount(text)).strip(" ,:：")) is not None


def _pays(page: Page, element: Element) -> bool:
    own = page.parts(element)
    if _names_a_sum(page, element, own):
        return not _is_option(own[0])
    return bool(own) and wording.kind_of_words(own[0]) is ActionKind.PAY
