"""What a label, an id or a question means, by its words, in English and Chinese.

The word lists are regular expressions for text as `normalize_label` returns it: lower case, simplified
characters. Verbs that are harmless elsewhere (“leave”, “show”, “share”) are recognized with their object: a
few words may stand between the two, and after the object only to whom, where or when.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from assistant.events import ActionKind
from assistant.safety.lexicon import Sense, lexicon
from assistant.safety.normalize import normalize_label, readings

_MONEY = (
    "payments?|purchase|orders?|transactions?|transfer|checkout|donations?|deposit|withdrawal|bid|bet|wager|offer|"
    "trade|swap|conversion|exchange|investment|subscription|pre-?order|receipt|pledge|tips?|loan"
)
_GROUPS = (
    "group|chat|channel|team|server|guild|club|community|conversation|family|organi[sz]ation|workspace|league"
)
_BOOKED = (
    "orders?|items?|bookings?|reservations?|rides?|trips?|appointments?|subscriptions?|memberships?|plan|deliver(?:y|ies)|"
    "pickup|flight|tickets?|stay|rental|transfers?|payments?|trial|auto-?renew\\w*|requests?|applications?|"
    "registration|visit|event|meeting|class|lesson|premium|account|contract|policy"
)
_STORED_DATA = (
    "history|chats?|data|cache|storage|logs?|messages?|recents?|search history|searches|downloads?|trash|bin|"
    "spam|junk|recycle bin|cookies|playlist|album|records?|activity|conversations?|files?|photos?|videos?|"
    "space"
)
_ROLES = (
    "admin\\w*|owner|editor|manager|moderator|member|guest|holder|user|driver|collaborator|viewer|delegate"
)
_LOCKS = "doors?|gates?|garage|car|vehicle|locks?|trunk|safe|bike|scooter"
_SECRETS = (
    "phrases?|keys?|codes?|seed|mnemonic|passwords?|passcode|pin|words|tokens?|card (?:number|details)|cvv"
)

_VERBS_AND_OBJECTS: dict[ActionKind, tuple[tuple[str, str], ...]] = {
    ActionKind.INSTALL: (
        (
            "install|reinstall|sideload",
            "updates?|(?<!unknown )apps?|package|firmware|plugin|extension|profile",
        ),
        ("update|upgrade", "firmware|apps?|system|software"),
    ),
    ActionKind.PAY: (
        (
            "complete|finish|finali[sz]e|authori[sz]e|approve|process|confirm|place|submit|release|send|"
            "raise|increase",
            _MONEY,
        ),
        (
            "convert|swap|exchange|trade|stake|borrow|repay|lend|fund|pledge|contribute|withdraw|deposit|"
            "reload|renew|extend|order|upgrade|invest|insure|lease",
            "now|today|instantly",
        ),
        ("add|leave|give|send", "tip|gift|donation"),
        ("(?:1|one)[ -]?(?:tap|click)", "buy|pay|order|purchase|checkout"),
        ("extend|renew", "rental|stay|parking|session|subscription|membership|plan|policy|domain|lease"),
    ),
    ActionKind.DELETE: (
        ("exit|leave|quit", _GROUPS),
        ("cancel|end|stop|terminate|close|withdraw|revoke|drop", _BOOKED),
        ("clear|empty|wipe|purge|destroy|erase|free up", _STORED_DATA),
        ("reset", "preferences|settings|data|progress|statistics|permissions|network"),
        ("forget|unpair|unlink|deregister", "device|network|account|phone|computer"),
        ("close|deactivate|terminate|disband|dissolve", "account|profile|group|team|server|store"),
    ),
    ActionKind.SEND: (
        ("share|send|broadcast", "location|position|whereabouts|screen|eta|activity|workout|contact card"),
        ("sign", "document|contract|agreement|petition|lease|now|form|send"),
        ("(?:finish|complete|start and finish) signing|adopt and sign|agree and sign|decline to sign", ""),
        (
            "decline|reject|accept|approve",
            "invitation|invite|application|proposal|connection|friend request|to sign|leave|time off",
        ),
        ("notify|alert|page|nudge", "team|everyone|all|driver|members|guests|attendees|contacts?|followers"),
        ("request|ask for", "callback|time off|leave|approval|signature|introduction|access|call|quote"),
        ("add", "friend"),
        ("cast|submit", "vote|ballot"),
        ("start|place|make", "video call|voice call|live ?stream|broadcast"),
    ),
    ActionKind.GRANT: (
        (f"(?:add|invite|make|set|promote) (?:\\w+ ){{0,3}}(?:as|an?) (?:an? )?(?:\\w+ )?(?:{_ROLES})", ""),
        (
            "(?:link|pair) this|trust|approve|authori[sz]e",
            "device|computer|browser|sign-?in|log-?in|keyboard|headset|watch",
        ),
        ("give|grant|allow", "access|permissions?|control"),
    ),
    ActionKind.SECURITY: (
        (
            "reveal|show|copy|export|display|download",
            f"(?:recovery|secret|private|seed|backup|security|api) (?:{_SECRETS})",
        ),
        ("save|confirm|update|create|submit", "passwords?|passcode|pin|pin code"),
        ("secure|lock|disable|block", "device|phone|account|sim|card"),
        ("unlock|open", _LOCKS),
        ("sign out|log out", "all|everywhere|every device|other (?:devices|sessions)|devices"),
        ("end|close|revoke", "(?:other )?sessions?|access"),
        (
            "turn off|turn on|disable|enable|switch off|deactivate|activate",
            "two-?step verification|two-?factor|2fa|authenticator|biometrics?|face unlock|touch id|alarm|"
            "find my \\w+|"
            "security|parental controls?|firewall|theft protection|device protection",
        ),
    ),
}
_WORDS_BETWEEN = r"(?:(?!to |for |from |with |how |about )[\w$€£¥.,'’-]+ ){0,3}"
_WORDS_AFTER = r"(?: (?:for|from|to|with|on|of|in|by|at|as|now|permanently|anyway|and) ?.*)?"


def _verb_object_pattern(pairs: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    verb_object_patterns = (
        rf"(?:{verbs}) {_WORDS_BETWEEN}(?:{objects})" if objects else verbs for verbs, objects in pairs
    )
    return re.compile(rf"(?:{'|'.join(verb_object_patterns)}){_WORDS_AFTER}\W*")


_VERB_OBJECT_PATTERNS = {kind: _verb_object_pattern(pairs) for kind, pairs in _VERBS_AND_OBJECTS.items()}


def kind_by_verb_and_object(words: str) -> ActionKind | None:
    """The kind of a label by a verb and its object; None if none matches."""
    return next((kind for kind, pattern in _VERB_OBJECT_PATTERNS.items() if pattern.fullmatch(words)), None)


_SECURITY = re.compile(
    r"usb debugging|wireless debugging|\badb\b|developer options|unknown (?:apps|sources)|device admin|"
    r"screen lock|"
    r"lock ?screen|fingerprint|face (?:unlock|id)|play protect|verify apps|find my (?:device|phone)|"
    r"\bvpn\b|"
    r"certificates?\b|accessibility (?:service|shortcut)|full control|passwords?\b|passcode|\bpin\b|"
    r"two-?(?:factor|step)|"
    r"\b2fa\b|biometric|encrypt|oem unlock|smart lock|app lock|parental|firewall|password-?free|"
    r"auto(?:matic)? payment|\bsim (?:card )?lock|\besim\b|auto-?lock|"
    r"motion detection|camera on$|remote (?:access|management)|"
    r"(?:scan|check) (?:apps|before install)|lock card|privacy mode|"
    r"调试|开发者选项|未知(?:来源|应用)|设备管理|锁屏|屏幕锁|指纹|面容|人脸|安全(?:扫描|检测|防护|键盘)|"
    r"查找(?:手机|设备)|"
    r"小额免密|夜间锁|安全锁|安装前(?:扫描|检测|检查)|远程(?:管理|访问)|休眠|隐私遮蔽|移动侦测|证书|无障碍服务|完全控制|密码|两步验证|双重验证|生物识别|加密|应用锁|免密|自动扣款|防火墙"
)
_CODE_WORDS = re.compile(
    r"passwords?\b|passcode|pass ?phrase|\bpin\b|pin ?code|verification code|security code|one-?time|"
    r"\botp\b|\bcv[vc]2?\b|"
    r"auth(?:entication|enticator)? code|confirmation code|sms code|login code|2fa|密码|验证码|校验码|"
    r"动态码|口令|安全码|"
    r"短信码"
)
_CODE_FIELD_IDS = re.compile(
    r"passw|passcode|\bpin\b|verif\w* ?code|\bsms ?code|\bauth ?code|\botp\b|\bcv[vc]2?\b|captcha|"
    r"\bpwd\b|\bvcode\b"
)
_CAPTCHA = re.compile(
    r"captcha|not a robot|are you (?:a )?human|verify (?:that )?you(?:'re| are) (?:a )?human|(?:drag|"
    r"slide|move) the "
    r"(?:slider|puzzle|piece)|select all (?:images|squares)|(?:拖动|滑动|按住)(?:滑块|拼图)|滑块验证|"
    r"人机验证|图形验证|安全验证|"
    r"请(?:依次)?点击.{0,8}(?:文字|图片)"
)
_AGREEMENT = re.compile(
    r"^(?:ok|okay|yes|confirm|continue|proceed|agree|accept|submit|sure|apply|go ahead|i agree|"
    r"i understand|"
    r"i'm sure|do it|go|allow|agree and continue|accept and continue|yes, continue|"
    r"确定|确认|是|是的|好|好的|继续|同意|同意并继续|提交|我同意|知道并继续|继续操作|确认无误|"
    r"执行|start now|pair|立即开始|开始录制|配对)[\s!.。！]*$"
)
_REFUSAL = re.compile(
    r"^(?:cancel|no|nope|no,? thanks?|later|not now|maybe later|don'?t .*|do not .*|deny|denied|decline|"
    r"reject|refuse|"
    r"back|close|dismiss|skip|keep|keep .{1,20}|never|never mind|undo|hide|ignore|remind me later|"
    r"取消|不|否|不了|以后再说|暂不.{0,6}|不允许|拒绝|不同意|关闭|返回|跳过|保留|稍后.{0,6}|不再.{0,6}|"
    r"忽略|撤销|不用了|放弃|再想想)[\s!.。！]*$"
)
_CLEARING_VERBS = re.compile(r"^(?:clear|reset|empty|leave|end|stop|block|重置|清除|退出|结束)[\s!.]*$")
_RECIPIENT_TITLE = re.compile(
    r"^share (?:your |this |the )?(?:story|post|status|reel)$|^(?:post|publish) to\b|^发布到|"
    r"^(?:share|send|forward)(?: (?:this|it|photo|picture|message|file))? (?:with|to)\b|"
    r"^(?:分享|发送|转发|发)(?:给|到|至)|^选择(?:联系人|聊天|好友|群)"
)
_COMPOSE_TITLE = re.compile(
    r"^(?:new|compose|write|reply|forward)(?: (?:an? )?(?:e-?mail|mail|message|to .*|all))?$|"
    r"^(?:写|新)(?:邮件|信|消息|短信)$|^(?:新建|撰写|编写)(?:邮件|消息|短信)$|^(?:回复|转发)(?:邮件|全部)?$"
)
_SLIDE = re.compile(r"\b(?:slide|swipe|drag)\b|滑动|滑块|右滑|左滑|拖动")

_QUESTIONS: dict[ActionKind, re.Pattern[str]] = {
    ActionKind.INSTALL: re.compile(
        r"\binstall(?:ing)?\b|\bupdate (?:this|the) app\b|安装(?!完成|成功|失败)|更新此应用"
    ),
    ActionKind.PAY: re.compile(
        r"\bpay(?:ment)?\b|\bpurchase\b|\bbuy\b|\bcharged?\b|\btransfer\b|\bsubscri\w+|\btop up\b|"
        r"\bplace (?:an |the )?order\b|"
        r"\brefund\b|\bdonat\w+|\bbooking\b|支付|付款|购买|扣款|转账|订阅|充值|下单|退款|退票|续费|开通|"
        r"预订"
    ),
    ActionKind.SEND: re.compile(
        r"\bsend\b|\bpublish\b|\bpost\b|\bshare\b|\bcall\b|\bforward\b|发送|发布|分享给|拨打|呼叫|转发|群发"
    ),
    ActionKind.DELETE: re.compile(
        r"\bdelet\w+|\berase[ds]?\b|\buninstall\b|\bremoved?\b|\bdiscard\b|\bwipe\b|\bclear\b|"
        r"factory reset|"
        r"\bcannot be undone\b|\bcancel (?:the |this |your )?(?:order|ride|trip|booking)|删除|清空|清除|"
        r"卸载|移除|丢弃|恢复出厂|\b(?:cancel|leave|exit|quit) (?:\w+ ){1,4}?\w+\?|"
        r"(?:确定|确认|是否|真的)要?(?:取消|退出|注销|解散|离开|撤回).*[吗?]|"
        r"无法恢复|取消(?:订单|行程|预订)"
    ),
    ActionKind.GRANT: re.compile(
        r"\ballow\b|\bpermission\b|\baccess your\b|\bgrant\b|"
        r"\bpair with\b|\bpairing (?:code|request)\b|\b(?:recording|casting)\b.*\?|"
        r"visible on your screen|允许|权限|授权|访问您|配对请求|(?:录制|投射|共享).{0,6}屏幕|屏幕上显示的"
    ),
}
_ALREADY_DONE = re.compile(
    r"success|completed?\b|\bfailed\b|\bhas been\b|\bthank|已(?:支付|付款|完成|发送|删除|取消|提交)|成功|"
    r"失败|感谢"
)

_ID_WORDS: dict[str, ActionKind] = {
    **dict.fromkeys(
        ("pay", "buy", "purchase", "checkout_pay", "transfer_confirm", "placeorder"), ActionKind.PAY
    ),
    **dict.fromkeys(("send", "call", "dial", "publish", "redial"), ActionKind.SEND),
    **dict.fromkeys(("delete", "uninstall", "erase", "trash", "discard"), ActionKind.DELETE),
    **dict.fromkeys(("install",), ActionKind.INSTALL),
}
_ID_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_HARMLESS_ID_WORDS = frozenset(
    {
        "cancel",
        "close",
        "back",
        "later",
        "skip",
        "dismiss",
        "end",
        "hang",
        "undo",
        "history",
        "log",
        "list",
        "item",
    }
    | {
        "method",
        "type",
        "name",
        "title",
        "tab",
        "settings",
        "time",
        "status",
        "state",
        "voice",
        "code",
        "label",
    }
)
_ID_PHRASES = {
    ("phone", "button"): ActionKind.SEND,
    ("btn", "phone"): ActionKind.SEND,
    ("submit", "order"): ActionKind.PAY,
    ("place", "order"): ActionKind.PAY,
    ("confirm", "pay"): ActionKind.PAY,
    ("call", "item"): ActionKind.SEND,
    ("permission", "allow"): ActionKind.GRANT,
}

_KIND_PRIORITY = (
    ActionKind.SECURITY,
    ActionKind.INSTALL,
    ActionKind.PAY,
    ActionKind.DELETE,
    ActionKind.SEND,
    ActionKind.GRANT,
)
"""If a label matches several kinds, the first of these counts."""

_CHANGES_SECRET = re.compile(
    r"^(?:change|set|set up|reset|update|create) .*(?:passwords?|passcode|pin|pattern)\b|"
    r"^(?:更改|修改|设置|重置).*密码$"
)
"""Labels that change a password or code."""


_ARTICLE = r"(?:my |the |your |this |an? |all )?"

_ENGLISH_STARTS: dict[ActionKind, tuple[str, ...]] = {
    ActionKind.INSTALL: ("install", "reinstall", "download and install", "update (?:now|all|apps?)"),
    ActionKind.PAY: (
        "pay(?! (?:with|by|using|via|later|method|day|me|bills?)\\b)",
        "buy(?! (?:it |this |them )?again\\b| ?\\d+ get)",
        "[\\w' -]{1,20} \\bbuy(?: now)?$",
        "purchase",
        f"place {_ARTICLE}(?:order|bid)",
        "order now",
        "submit order",
        f"confirm {_ARTICLE}(?:order|payment|purchase|booking|transfer|request|ride|rental|subscription)",
        "(?:send|transfer|withdraw|deposit) (?:money|cash|funds|payment|now|[¥$€£\\d])",
        "send (?:a )?(?:gift|red packet|tip)",
        "transfer to\\b(?! *$)",
        "top up (?:now|[¥$€£\\d])",
        "recharge (?:now|[¥$€£\\d])",
        "donate",
        "subscribe(?! to (?:channel|newsletter))",
        "renew",
        "(?:start|begin) (?:my |your )?(?:free )?(?:trial|subscription|membership)",
        "upgrade (?:now|to)",
        f"(?:book|reserve) {_ARTICLE}(?:now|tickets?|seats?|room|table|flight|ride|trip|hotel)",
        "book [¥$€£\\d]",
        f"(?:request|call|order) {_ARTICLE}(?:ride|taxi|cab|car)",
        "(?:request|get|claim) (?:a |the |my )?refund",
        "refund",
        "check ?out [¥$€£\\d]",
        "unlock (?:for|all levels|premium)",
        "(?:sell|redeem|bid|boost|promote|invest|rent)(?= (?:now|for|from|[¥$€£\\d]))",
        "(?:give|tip) (?:[¥$€£\\d]|once|monthly)",
        "gift\\b(?= [¥$€£\\d])",
    ),
    ActionKind.SEND: (
        "send(?! (?:us |me )?(?:feedback|diagnostics|later|to (?:back|front))\\b)",
        "publish",
        "post (?:now|it|comment|reply|to)",
        "tweet",
        "call(?! (?:history|log|logs|settings|forwarding|waiting|details|barring|list|recording|"
        "screening)\\b)",
        "(?:voice|video|audio) call",
        "dial(?! ?pad)",
        "redial",
        "forward to",
        "share (?:with|to|now|publicly)\\b(?! *$)",
        "reply to all",
        "invite (?!code|link|history)",
        "(?:send|resend) (?:an? )?invit",
        "go live",
        "start (?:a |the )?(?:live|huddle|call|meeting|broadcast|streaming)",
        "(?:repost|retweet|super ?like|share now|list for sale)",
        f"submit {_ARTICLE}(?:review|comment|feedback|rating|reply|answer|application|form|report|post|entry|"
        "request to join)",
        "(?:post|leave|publish) (?:a |your )?(?:review|comment|feedback|reply|listing|story|ad)",
        "(?:request|ask) to join",
        "apply now",
        "talk to",
        "(?:share|send) (?:\\w+ ){1,3}(?:with|to) \\w+",
    ),
    ActionKind.DELETE: (
        "(?:permanently )?delete",
        "erase",
        "uninstall",
        "discard",
        "wipe",
        "remove(?! from (?:favou?rites|saved|cart|list|queue|playlist)\\b)",
        f"clear (?:and |& )?{_ARTICLE}(?:all|history|data|storage|chat|messages?|conversation|cache|cart|"
        f"add|records?)",
        f"empty {_ARTICLE}(?:trash|bin|cart|folder)",
        "(?:move|send) to (?:the )?(?:trash|bin)",
        "factory reset",
        f"reset {_ARTICLE}(?:phone|device|settings|network|everything|data|app)",
        "format (?:sd|storage|card|phone|disk|drive)",
        f"(?:close|deactivate|terminate) {_ARTICLE}account",
        f"cancel {_ARTICLE}(?:order|booking|ride|trip|tickets?|subscription|reservation|appointment|"
        "membership|plan|flight|event|meeting)",
        "unsubscribe",
        "unfriend",
        f"leave {_ARTICLE}(?:group|room|space|channel|team|guild|club|server|community|conversation|chat|"
        "family)",
        "unmatch",
        f"(?:deactivate|disband|close) {_ARTICLE}(?:\\w+ )?(?:profile|position|listing|auction|store)",
        "deactivate$",
        f"cancel {_ARTICLE}(?!down|up|search|selection|edit|timer|call\\b|all$)\\w{{4,}}(?: \\w+)?$",
        f"(?:stop|end|finish) {_ARTICLE}(?:recurring|subscription|membership|auto-?renew|cancell?ation|plan)",
        "clean (?:up(?! \\w)|up (?:now|all|\\d)|now|all|\\d)",
        "free up \\d",
        f"(?:reset|revert) {_ARTICLE}(?:to factory|network)",
        "empty (?:\\w+ )?(?:now|folder|spam)",
        "void\\b(?= )",
    ),
    ActionKind.GRANT: (
        "allow(?! (?:cookies|all cookies)\\b)",
        "always allow",
        "grant",
        "authori[sz]e",
        "while using the app",
        "only this time",
        "(?:give|share|grant) (?:access|permission)",
        "anyone with the link",
        "approve (?:access|sign)",
        "add as (?:admin|owner|editor)",
    ),
    ActionKind.SECURITY: (
        "(?:turn off|turn on|disable|enable|remove|change|set|set up|reset|switch off|trust) "
        "(?:\\w+ ){0,3}(?:passwords?|passcode|pin|pattern|lock|screen lock|fingerprint|face id|protection|"
        "two-factor|2fa|verification|debugging|developer options|encryption|antivirus|play protect|"
        "certificate|computer|device admin)",
        "trust this",
        "(?:unlock|open)(?: (?:the |my )?(?:\\w+ )?(?:door|gate|garage|car|lock|trunk|safe))",
        "unlock$",
        "(?:disarm|arm)(?: \\w+)?$",
        "(?:freeze|lock|block|unfreeze) (?:the |my |this )?card",
        "report (?:\\w+ )?(?:lost|stolen)",
        "add (?:a |another |your )?(?:code|fingerprint|face|passkey|access code|trusted \\w+)$",
        "(?:export|back up) (?:all |my |the )?(?:vault|passwords?|keys?|wallet|seed)",
        "(?:deauthori[sz]e|revoke|sign out|log out)(?: of)? (?:all|every)",
        "activate (?:this )?device admin",
    ),
}
"""A label that starts so does it, whatever follows: “Pay ¥32.00”."""

_ENGLISH_WHOLE_LABELS: dict[ActionKind, tuple[str, ...]] = {
    ActionKind.INSTALL: ("update",),
    ActionKind.PAY: ("book", "request", "reserve", "rent", "bid", "pre-?order", "get premium", "go premium"),
    ActionKind.SEND: ("post", "broadcast"),
    ActionKind.DELETE: (),
    ActionKind.GRANT: (),
    ActionKind.SECURITY: (),
}
"""Articles and other determiners that may stand before an object."""

_OBJECTS = (
    r"(?:it|now|all|account|data|history|everything|app|apps|order|money|message|messages|chat|chats|"
    r"chat history|"
    r"conversation|contact|file|files|photo|photos|phone|device|settings|cache|storage|ticket|tickets|"
    r"ride|booking)"
)
_LEAD_IN = (
    r"(?:(?:tap|click|press|swipe|slide|hold|proceed|continue|go|agree|accept|confirm|yes|ok|okay|please|"
    r"save|"
    r"submit|finish|sign|i want|i agree)\b[\s,.:!-]*(?:here |right |left )?(?:(?:to|and|"
    r"&)\b ?)?){0,2}(?:& )?"
)


_CHINESE_LABELS: dict[ActionKind, tuple[str, ...]] = {
    ActionKind.INSTALL: (
        "安装(?!包|程序|位置|完成|成功|失败|中|说明|教程|记录)",
        "^(?:立即|马上|全部|一键)?(?:固件|系统|软件|应用)?(?:更新|升级)$",
    ),
    ActionKind.PAY: (
        "支付(?!宝|方式|记录|成功|失败|密码|设置|管理|中|时|明细|结果|工具|安全)",
        "(?<!收)付款(?!宝|方式|记录|成功|失败|码|设置|管理|中|时|明细|人|账户|方)|^缴费?(?= ?[¥\\d])",
        "购买(?!记录|须知|历史|说明|指南|力|人)",
        "^(?:去|我要|确认|立即|马上)?买(?:单|了|它|下)?$",
        "下单(?!记录|时间|成功|须知)",
        "提交订单|确认订单$|抢购$|秒杀$",
        "(?:确认|立即|马上|发起)转账|^转账(?:给.+|[¥￥\\d].*)$|打款|^(?:确认|立即)?汇款$|^(?:确认|立即)(?:转出|转入|存入|还款|"
        "缴费|取出|赎回|申购|认购|购汇)$|确认收货|^(?:卖出|赎回|确认卖出)$",
        "(?:确认|立即|马上)充值|^充值[¥￥\\d]",
        "(?:立即|确认|马上)?订阅$|开通(?:会员|服务|免密|自动续费)?$|续费|^(?:立即|确认)办理$|"
        "^(?:立即|马上)?以?[¥\\d.元]+(?:开通|购买|抢购|办理)$|^(?:立即|确认)(?:寄件|兑换|租借|用车|挂号|赠送|打赏)$",
        "^(?:立即|马上|确认|我要)?(?:预订|预定|订票|购票|订座|抢票)",
        "呼叫(?:用车|快车|专车|出租车|拼车)|叫车|确认用车|打车$",
        "退款(?!记录|成功|进度|说明|规则)|退票|(?:发|塞|塞钱进)红包|打赏|^送出.{1,12}(?:币|钻|元)|捐(?:款|赠)|提现",
    ),
    ActionKind.SEND: (
        "传送(?!门|带|阵)|发送(?!失败|成功|中|记录|时间|方式|人)",
        "发布(?!会|时间|者|于|日期|记录)|发表(?!于|时间)|发出$|^(?:立即|确认)?(?:投递|转赠|投票|报名)(?:简历)?$|"
        "^提交(?:评价|评论|点评|反馈|问题|问诊|举报|投诉|答案|作业)|^发(?:简历|名片|位置|定位)$|^换(?:电话|微信)$|"
        "^(?:开始|立即)直播$|^确认转?赠送?$|^(?:上班|下班|外勤|立即)?打卡$",
        "拨打|拨号$|^联系(?:快递员|骑手|司机|配送员|外卖员|师傅)$|^致电|一键(?:呼叫|求助|报警)|^(?:立即)?报警$|^(?:语音|视频)?通话$|^(?:立即)?呼叫(?:.{1,12})?$|打电话|^(?:语音|视频)电话$",
        "(?:转发|分享|发)给.{1,20}$|^(?:分享|共享)(?:我的)?位置$|^回拨$|群发|^邀请(?:好友|成员|家人|朋友|同事|加入|.{1,4}加入)$",
    ),
    ActionKind.DELETE: (
        "删除(?!于|时间|的|记录$|线)",
        "清空|清除(?:数据|个人资料|个人数据|记录|缓存|全部|所有|历史)|全部清除|抹掉|抹除",
        "移除|卸载|丢弃|移入(?:回收站|废纸篓)|粉碎(?!机)|^(?:一键|立即|马上|开始)?清理(?:选中|全部|垃圾|缓存|$)|"
        "^(?:确认)?(?:撤回|撤单|撤销委托|撤稿)$|^(?:还原|重置)(?:设置|网络|配置|默认)|^(?:全部|一键)重置$|^离开(?:群|聊天|房间|空间|频道)|^停用(?:账号|账户|帐号)",
        "恢复出厂|格式化|重置(?:手机|所有|全部|网络|设备)",
        "^(?:申请|确认|立即)?注销|解散|退出(?:群|并删除|家庭|团队|公会)|关闭(?:交易|订单|账户|店铺)|"
        "(?:取消|关闭|停止)自动(?:续费|扣款)",
        "取消(?:订单|行程|预约|预订|订阅|用车|会员|订座|寄件|挂号|报名|交易|发货|租|退款|申请)|确定取消$|退订",
    ),
    ActionKind.GRANT: (
        "允许(?!的|使用条款)|授权(?!书|管理|记录)|仅限这一次|仅此一次|仅本次|仅在使用中|使用时允许|"
        "^创建(?:公开|分享)链接|^公开分享$|设为管理员$",
    ),
    ActionKind.SECURITY: (
        "(?:关闭|停用|开启|打开|启用|更改|修改|设置|删除|移除|重置)(?:.{0,4})(?:密码|锁屏|指纹|面容|人脸|"
        "验证|"
        "防护|调试|开发者选项|手机加密|安全锁|图案)",
        "信任此|激活(?:此)?设备管理|(?:远程|立即|一键)?(?:开锁|开门|撤防|解除警报)$|挂失(?!记录|说明)|"
        "^(?:添加|录入|新增)(?:指纹|人脸|面容|密码|门卡|钥匙)|^(?:冻结|锁定|解冻)(?:账户|银行卡|卡片)|"
        "退出所有设备|导出(?:密码|密钥|私钥|助记词)|禁止上网|^确认修改$",
    ),
}
_CHINESE_HARMLESS = re.compile(
    "^(?:(?:储存|保存)(?!并)|不|暂不|已|未|待|最近|如何|关于|停止|暂停|跳过|稍后|无法|无需|禁止(?!上网|联网)|拒绝|免费试|再(?:次购买|来一[单份])|管理)|"
    "(?:已|未|待|不|被|可|正在)(?=支付|付款|购买|下单|发送|发布|删除|安装|允许|授权|预订|预定)|^选|安装未知|"
    "^(?:微信|qq|翼|京东|美团|抖音|华为|小米|银联|苹果|刷脸|apple|google|samsung|数字人民币|找人|好友)支付$|^全部(?=提现|转出|转入|取出)|(?:发送|发布|转账|分享)(?:给|到|至)$"
)
_CHINESE_PAGE_TITLES = re.compile(
    "记录$|(?<!出厂)(?<!网络)(?<!还原)(?<!重置)(?:设置|管理)$|(?:方式|教程|帮助|说明|规则|须知|明细|协议|详情|指南|查询|"
    "攻略|历史|进度|政策|服务商|原因|(?:兑换|优惠|邀请|收款|付款)码)$"
)
"""Endings of labels that lead to a page, whatever their beginning."""
_CHINESE_DELETIONS = re.compile(
    "^(?:清空|清除|全部清空|全部删除|删除(?:所有|全部|本地|聊天|搜索|浏览|观看|播放))"
)
"""Beginnings of labels that delete what such a page shows, instead of leading to it."""
_LONGEST_CHINESE_LABEL = 16


class LabelRole(StrEnum):
    """What a label belongs to. A button's may continue; a row's must name the action and nothing else."""

    BUTTON = "button"
    ROW = "row"


def _english_patterns(role: LabelRole) -> dict[ActionKind, re.Pattern[str]]:
    end = r"\b" if role is LabelRole.BUTTON else rf"(?:\b ?{_OBJECTS}){{0,2}}\W*$"
    return {
        kind: re.compile(
            rf"^\W*{_LEAD_IN}"
            rf"(?:(?:{'|'.join(starts)}){end}|(?:{'|'.join(_ENGLISH_WHOLE_LABELS[kind]) or '(?!)'})\W*$)"
        )
        for kind, starts in _ENGLISH_STARTS.items()
    }


_ENGLISH_PATTERNS = {role: _english_patterns(role) for role in LabelRole}
_CHINESE_PATTERNS = {kind: re.compile("|".join(patterns)) for kind, patterns in _CHINESE_LABELS.items()}
_LEAD_IN_PATTERN = re.compile(rf"^\W*{_LEAD_IN}")
_LONGEST_LABEL = 48
_LONGEST_READ = 400
_CHINESE = re.compile("[\u3400-\u9fff]")
_CLAUSES = re.compile(
    r"[,;:!?…·•|()，。；！？、：（）\n]+|\.(?:\s|$)|\s[-–—]\s|—|\s(?:and|then|but|&|\+)\s", re.IGNORECASE
)


def classify_label(text: str, role: LabelRole = LabelRole.BUTTON) -> ActionKind | None:
    """The kind of a label in any language; None if it is harmless, or refuses as a whole.

    A label of several clauses is judged by each: “Don't wait, pay now” pays. A row must name the action and
    nothing else.
    """
    return kind_by_rules(text, role) or lexicon().kind(text, whole=role is LabelRole.ROW)


def kind_by_rules(text: str, role: LabelRole = LabelRole.BUTTON) -> ActionKind | None:
    """The kind of a label by the English and Chinese rules alone, from which other languages inherit it."""
    if kind := _classify_clause(text, role) or _classify_unspaced_start(text, role):
        return kind
    clauses = split_clauses(text)
    if role is LabelRole.ROW or len(clauses) < 2:
        return None
    kinds = (_classify_clause(clause, role) for clause in clauses[-1:] + clauses[:-1])
    return next((kind for kind in kinds if kind), None)


def _classify_clause(text: str, role: LabelRole) -> ActionKind | None:
    """The kind of a clause by the English and Chinese rules."""
    for words in readings(text[:_LONGEST_READ]):
        if _refuses(words):
            continue
        short = words[:_LONGEST_LABEL]
        if role is LabelRole.ROW and short != words:
            continue
        for kind in _KIND_PRIORITY:
            if _ENGLISH_PATTERNS[role][kind].match(short) or _matches_chinese(kind, words, role):
                return kind
        if verb_object_kind := kind_by_verb_and_object(words) or kind_by_verb_and_object(
            _LEAD_IN_PATTERN.sub("", words, count=1)
        ):
            return verb_object_kind
    return None


def _classify_unspaced_start(text: str, role: LabelRole) -> ActionKind | None:
    """The kind of a long Chinese label by its first words, which name what it does."""
    words = normalize_label(text[:_LONGEST_READ])
    if role is LabelRole.ROW or len(words) <= _LONGEST_CHINESE_LABEL:
        return None
    return _classify_clause(words[:_LONGEST_CHINESE_LABEL], role) if _CHINESE.match(words) else None


def split_clauses(text: str) -> list[str]:
    """The parts of a label between commas, stops, dashes and “and” or “then”."""
    return [clause for part in _CLAUSES.split(text[:_LONGEST_READ]) if (clause := part.strip())]


def _matches_chinese(kind: ActionKind, words: str, role: LabelRole) -> bool:
    """Whether a label names an action of this kind; that of a row must begin or end with it."""
    match = _CHINESE_PATTERNS[kind].search(words)
    if match is None or len(words) > _LONGEST_CHINESE_LABEL or _CHINESE_HARMLESS.search(words):
        return False
    if _CHINESE_PAGE_TITLES.search(words) and not _CHINESE_DELETIONS.match(words):
        return False
    return role is LabelRole.BUTTON or match.start() == 0 or match.end() == len(words)


def classify_id(resource_id: str) -> ActionKind | None:
    """The kind of an element by the last part of its id; None if that names no sensitive action."""
    parts = tuple(part.lower() for part in _ID_PARTS.findall(resource_id.rpartition("/")[2]))
    for phrase, kind in _ID_PHRASES.items():
        if phrase == parts[: len(phrase)] or phrase == parts[-len(phrase) :]:
            return kind
    if _HARMLESS_ID_WORDS & set(parts):
        return None
    return next((_ID_WORDS[part] for part in parts if part in _ID_WORDS), None)


def classify_question(lines: Iterable[str]) -> ActionKind | None:
    """The kind of an agreement, by the texts of a dialog or heading; None if it is harmless."""
    lines = list(lines)
    for line in lines:
        for words in readings(line[:300]):
            if _ALREADY_DONE.search(words):
                continue
            if concerns_security(words) and re.search(
                r"allow|turn|enable|disable|允许|开启|关闭|启用|停用", words
            ):
                return ActionKind.SECURITY
            for kind, pattern in _QUESTIONS.items():
                if pattern.search(words):
                    return kind
    return lexicon().asked_kind(
        line for line in lines if not _ALREADY_DONE.search(normalize_label(line[:300]))
    )


def is_agreement(text: str) -> bool:
    """Whether a label only agrees, so that the rest of the screen tells to what."""
    return any(_AGREEMENT.match(words) for words in readings(text)) or lexicon().means(text, Sense.AGREE)


def is_clearing_verb(text: str) -> bool:
    """Whether a label is a verb that deletes only in a dialog that asks for it."""
    return any(_CLEARING_VERBS.match(words) for words in readings(text))


def is_refusal(text: str) -> bool:
    """Whether a whole label refuses or leaves; one that goes on to do something does not."""
    if any(_refuses(words) for words in readings(text[:_LONGEST_READ])):
        return True
    return lexicon().refuses(text)


def _refuses(words: str) -> bool:
    """Whether a normalized label refuses in each of its clauses."""
    if _REFUSAL.match(words) is None:
        return False
    clauses = split_clauses(words)
    return len(clauses) < 2 or all(_REFUSAL.match(clause) for clause in clauses)


def concerns_security(text: str) -> bool:
    """Whether a text is about the security of the phone or its accounts."""
    return any(_SECURITY.search(words) for words in readings(text))


def changes_secret(text: str) -> bool:
    """Whether a label changes a password or code, which then has to be entered."""
    return any(_CHANGES_SECRET.match(words) for words in readings(text))


def mentions_code(text: str) -> bool:
    """Whether a short text names a password or a code."""
    if len(text) > 2 * _LONGEST_LABEL:
        return False
    if any(_CODE_WORDS.search(words) for words in readings(text)):
        return True
    return lexicon().mentions(text, Sense.CODE)


def is_code_field_id(resource_id: str) -> bool:
    """Whether an element's id names a password or a code."""
    parts = _ID_PARTS.findall(resource_id.rpartition("/")[2])
    return bool(_CODE_FIELD_IDS.search(" ".join(part.lower() for part in parts)))


def mentions_captcha(text: str) -> bool:
    """Whether a short text asks for proof of being human."""
    return len(text) <= 2 * _LONGEST_LABEL and any(_CAPTCHA.search(words) for words in readings(text))


def asks_for_recipient(title: str) -> bool:
    """Whether a title asks for a recipient; a tap on a name then sends."""
    return any(_RECIPIENT_TITLE.match(words) for words in readings(title))


def is_compose_title(title: str) -> bool:
    """Whether a title is that of a page for writing a mail or message."""
    return any(_COMPOSE_TITLE.match(words) for words in readings(title))


def asks_to_slide(text: str) -> bool:
    """Whether a label asks to slide."""
    if any(_SLIDE.search(words) for words in readings(text)):
        return True
    return len(text) <= 2 * _LONGEST_LABEL and lexicon().mentions(text, Sense.SLIDE)
