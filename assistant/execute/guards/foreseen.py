"""Whether carrying something out will probably need the user's yes, judged before it begins.

The guards judge each action on its screen all the same; this is only asked before a turn that nobody typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.records import Action, Click, LongClick, TypeText
from assistant.safety.wording import kind_of_words

_ENGLISH = re.compile(
    r"\b(?:order|buy|book|reserve|pay|transfer|send|reply|message|text|write|mail|e-?mail|call|dial|ring|post|"
    r"publish|share|invite|subscribe|unsubscribe|delete|remove|clear|erase|cancel|install|uninstall|update|"
    r"allow|grant|permit|password|security|reset|log ?(?:in|out)|sign (?:in|up|out)|taxi|ride)\b",
    re.I,
)
_CHINESE = re.compile(
    r"点|买|订|付|支付|转账|转|发|回复|写|打电话|拨|呼叫|发布|分享|邀请|关注|删|清空|取消|安装|卸载|更新|"
    r"允许|授权|密码|安全|重置|登录|登出|打车|叫车"
)


def needs_a_yes(instruction: str, actions: Iterable[Action]) -> bool:
    """Whether an instruction, or what was tapped when it was carried out before, sounds sensitive.

    Rather once too often: what is only looked at or played begins by itself, everything else is offered.
    """
    if _ENGLISH.search(instruction) or _CHINESE.search(instruction):
        return True
    return any(_is_sensitive(one) for one in actions)


def _is_sensitive(action: Action) -> bool:
    match action:
        case Click() | LongClick():
            labels = (action.content, action.target.label if action.target else "")
            return any(label and kind_of_words(label) is not None for label in labels)
        case TypeText(text=text):
            return "{{" in text
        case _:
            return False
