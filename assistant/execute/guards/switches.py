"""What a switch changes that matters: what apps may use, what protects the phone, what is paid."""

from __future__ import annotations

import re

from assistant.events import ActionKind
from assistant.safety import wording
from assistant.safety.normalize import readings

_ACCESS = re.compile(
    r"\b(?:camera|microphone|location|contacts|calendar|photos?|files?|notification|usage) access\b|"
    r"\banyone with (?:the|this) link\b|\blink sharing\b|链接(?:分享|共享)|知道链接的任何人|"
    r"(?:notification|usage|all files|full disk) access|display over|draw over|precise location|"
    r"modify system settings|picture-in-picture|"
    r"其他应用(?:的)?上层|悬浮窗|(?:读取|访问|使用)(?:通知|相机|摄像头|麦克风|位置|联系人|通讯录|短信|所有文件|"
    r"使用情况)|精确位置|修改系统设置"
)
_PAGE_OF_ACCESS = re.compile(
    r"\b(?:access|permissions?)$|^(?:permissions?|app access)\b|"
    r"权限$|权限(?:管理|设置)$|(?:访问|读取)(?:通知|数据)$"
)
_STANDING_ORDERS = re.compile(
    r"\bauto-?(?:pay|renew|top-?up|reload|invest)\b|\bautomatic (?:payments?|renewal|top-?up)\b|round up|"
    r"自动(?:续费|还款|充值|扣款|缴费)"
)


def kind_of_switch(words: list[str], title: str = "") -> ActionKind | None:
    """What turning a switch with these words does on a page with this title; None where it is harmless."""
    read = [reading for text in words for reading in readings(text)]
    if any(map(_ACCESS.search, read)) or any(map(_PAGE_OF_ACCESS.search, readings(title))):
        return ActionKind.GRANT
    if any(map(wording.is_security, words)):
        return ActionKind.SECURITY
    return ActionKind.PAY if any(map(_STANDING_ORDERS.search, read)) else None
