"""The words that tell what a question, a field, an id or a plain yes is about: data, as regular expressions.

All of them are written in the form that `plain.plain` gives: lower case, simplified characters.
"""

from __future__ import annotations

import re

from assistant.events import ActionKind

SECURITY_MATTERS = re.compile(
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
CODES = re.compile(
    r"passwords?\b|passcode|pass ?phrase|\bpin\b|pin ?code|verification code|security code|one-?time|"
    r"\botp\b|\bcv[vc]2?\b|"
    r"auth(?:entication|enticator)? code|confirmation code|sms code|login code|2fa|密码|验证码|校验码|"
    r"动态码|口令|安全码|"
    r"短信码"
)
CODE_FIELDS = re.compile(
    r"passw|passcode|\bpin\b|verif\w* ?code|\bsms ?code|\bauth ?code|\botp\b|\bcv[vc]2?\b|captcha|"
    r"\bpwd\b|\bvcode\b"
)
CAPTCHA = re.compile(
    r"captcha|not a robot|are you (?:a )?human|verify (?:that )?you(?:'re| are) (?:a )?human|(?:drag|"
    r"slide|move) the "
    r"(?:slider|puzzle|piece)|select all (?:images|squares)|(?:拖动|滑动|按住)(?:滑块|拼图)|滑块验证|"
    r"人机验证|图形验证|安全验证|"
    r"请(?:依次)?点击.{0,8}(?:文字|图片)"
)
AGREES = re.compile(
    r"^(?:ok|okay|yes|confirm|continue|proceed|agree|accept|submit|sure|apply|go ahead|i agree|"
    r"i understand|"
    r"i'm sure|do it|go|allow|agree and continue|accept and continue|yes, continue|"
    r"确定|确认|是|是的|好|好的|继续|同意|同意并继续|提交|我同意|知道并继续|继续操作|确认无误|"
    r"执行|start now|pair|立即开始|开始录制|配对)[\s!.。！]*$"
)
DECLINES = re.compile(
    r"^(?:cancel|no|nope|no,? thanks?|later|not now|maybe later|don'?t .*|do not .*|deny|denied|decline|"
    r"reject|refuse|"
    r"back|close|dismiss|skip|keep|keep .{1,20}|never|never mind|undo|hide|ignore|remind me later|"
    r"取消|不|否|不了|以后再说|暂不.{0,6}|不允许|拒绝|不同意|关闭|返回|跳过|保留|稍后.{0,6}|不再.{0,6}|"
    r"忽略|撤销|不用了|放弃|再想想)[\s!.。！]*$"
)
CLEARS = re.compile(r"^(?:clear|reset|empty|leave|end|stop|block|重置|清除|退出|结束)[\s!.]*$")
SHARING = re.compile(
    r"^share (?:your |this |the )?(?:story|post|status|reel)$|^(?:post|publish) to\b|^发布到|"
    r"^(?:share|send|forward)(?: (?:this|it|photo|picture|message|file))? (?:with|to)\b|"
    r"^(?:分享|发送|转发|发)(?:给|到|至)|^选择(?:联系人|聊天|好友|群)"
)
WRITING = re.compile(
    r"^(?:new|compose|write|reply|forward)(?: (?:an? )?(?:e-?mail|mail|message|to .*|all))?$|"
    r"^(?:写|新)(?:邮件|信|消息|短信)$|^(?:新建|撰写|编写)(?:邮件|消息|短信)$|^(?:回复|转发)(?:邮件|全部)?$"
)
SLIDES = re.compile(r"\b(?:slide|swipe|drag)\b|滑动|滑块|右滑|左滑|拖动")

ABOUT: dict[ActionKind, re.Pattern[str]] = {
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
OVER = re.compile(
    r"success|completed?\b|\bfailed\b|\bhas been\b|\bthank|已(?:支付|付款|完成|发送|删除|取消|提交)|成功|"
    r"失败|感谢"
)

TOKENS: dict[str, ActionKind] = {
    **dict.fromkeys(
        ("pay", "buy", "purchase", "checkout_pay", "transfer_confirm", "placeorder"), ActionKind.PAY
    ),
    **dict.fromkeys(("send", "call", "dial", "publish", "redial"), ActionKind.SEND),
    **dict.fromkeys(("delete", "uninstall", "erase", "trash", "discard"), ActionKind.DELETE),
    **dict.fromkeys(("install",), ActionKind.INSTALL),
}
ID_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
ID_DECLINES = frozenset(
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
ID_PHRASES = {
    ("phone", "button"): ActionKind.SEND,
    ("btn", "phone"): ActionKind.SEND,
    ("submit", "order"): ActionKind.PAY,
    ("place", "order"): ActionKind.PAY,
    ("confirm", "pay"): ActionKind.PAY,
    ("call", "item"): ActionKind.SEND,
    ("permission", "allow"): ActionKind.GRANT,
}

ORDER = (
    ActionKind.SECURITY,
    ActionKind.INSTALL,
    ActionKind.PAY,
    ActionKind.DELETE,
    ActionKind.SEND,
    ActionKind.GRANT,
)
"""What a label that fits several kinds is taken for first."""

SETS = re.compile(
    r"^(?:change|set|set up|reset|update|create) .*(?:passwords?|passcode|pin|pattern)\b|"
    r"^(?:更改|修改|设置|重置).*密码$"
)
"""What needs something to be entered."""
