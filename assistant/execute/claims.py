"""Verifies a model's “finished” against the command and the actions that were executed.

A command to send, pay or delete is not done as long as no action of that kind was executed, whatever the
model reports.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import StrEnum

from assistant.events import ActionKind
from assistant.i18n import _, later
from assistant.memory.turns import StoredStep

_LOOK_AGAIN = (
    "You said that the task is finished.{} Look at the screen again. Say finished only if it shows that "
    "every part of the task is carried out; if not, go on with it."
)
_CLAUSE = r"(?:^|[,;.!]\s*|\b(?:and|then|please|also|want to|need to|like to|could you|can you)\s+)"
_CONTENT = re.compile(r"[:：].*|[\"“「『].*?[\"”」』]", re.DOTALL)
_NEGATED = re.compile(
    r"\b(?:don't|do not|without|never|not)\b[^,;.]*|(?:不要|别|不用|无需|先不)[^，,。;；]*", re.IGNORECASE
)
_WRITTEN_DOWN = re.compile(
    r"\b(?:remind|memo|(?:write|take|make) a note|note that|add .*\b(?:calendar|event))\b"
    r"|提醒|(?:记|写|加|建)[^，。]{0,6}(?:便签|备忘|日程|笔记)|记一下|记下",
    re.IGNORECASE,
)
_ENGLISH = {
    ActionKind.SEND: (
        r"(?:send|reply|text|message|forward|dial|phone|tell|call)\b(?! (?:me|us|up|an?)\b)",
        r"send (?:me |us |an? )",
    ),
    ActionKind.PAY: (
        r"(?:order|buy|purchase|pay|transfer|top up|book)\b(?! (?:history|status|list|details)\b)",
        r"(?:call|get|request) (?:me )?an? (?:taxi|ride|cab|car)\b",
    ),
    ActionKind.DELETE: (r"(?:delete|remove|erase|uninstall)\b",),
}
_CHINESE = {
    ActionKind.SEND: (
        r"发(?:送|个|条|一条|一个)?(?:消息|短信|信息|微信|邮件)|告诉(?!我)|回复|打(?:个)?电话给|拨打",
        r"给[^，。]{1,12}打(?:个)?电话",
    ),
    ActionKind.PAY: (
        r"下单|购买|支付|付款|转账|打车|叫车|叫一辆|买(?!了)|订(?!单|阅)",
        r"点(?:一|两|三)?(?:份|杯|个外卖)|点外卖",
    ),
    ActionKind.DELETE: (r"删除|删掉|清空|移除|卸载",),
}
_REQUIRES = {
    kind: re.compile(
        "|".join([*(f"{_CLAUSE}(?:{verb_pattern})" for verb_pattern in _ENGLISH[kind]), *_CHINESE[kind]]),
        re.IGNORECASE,
    )
    for kind in _ENGLISH
}
_UNDONE = {
    ActionKind.SEND: later("nothing was sent"),
    ActionKind.PAY: later("nothing was ordered or paid"),
    ActionKind.DELETE: later("nothing was deleted"),
}


def required_kinds(instruction: str) -> frozenset[ActionKind]:
    """The kinds of action that a command requires, by its verbs, in English and Chinese.

    A verb counts at the beginning of a clause (“send …”, “… and send”), not as a noun (“read the last
    message”), not negated, not inside a text to be written, and not in a reminder or note.
    """
    text = _NEGATED.sub(" ", _CONTENT.sub(" ", instruction)).strip()
    if _WRITTEN_DOWN.search(text):
        return frozenset()
    return frozenset(kind for kind, pattern in _REQUIRES.items() if pattern.search(text))


def find_contradiction(instruction: str, done: Collection[ActionKind], steps: int, answer: str) -> str:
    """Why a reported success cannot be true, as a clause; empty if nothing contradicts it.

    Args:
        instruction: the command.
        done: the kinds of sensitive actions executed in this turn.
        steps: number of executed actions.
        answer: the model's answer to the user. A turn without actions needs one to be a success.
    """
    for kind in required_kinds(instruction):
        if kind not in done:
            return _UNDONE[kind]
    if steps == 0 and not answer.strip():
        return later("nothing was done")
    return ""


class Belief(StrEnum):
    """The result of verifying a reported success."""

    BELIEVED = "believed"
    LOOK_AGAIN = "look_again"
    DOUBTED = "doubted"


class Claims:
    """Accepts a reported success if nothing contradicts it and the model confirms it on a second look.

    Args:
        confirm: ask the model to look again even if nothing contradicts its report.
    """

    def __init__(self, *, confirm: bool) -> None:
        self._confirm = confirm
        self._claimed_at = -1

    def verify(self, instruction: str, steps: Sequence[StoredStep], answer: str) -> tuple[Belief, str]:
        """Verify a reported success; returns the result and the sentence for the model or the user."""
        done = [step for step in steps if not step.error]
        contradiction = find_contradiction(
            instruction, {step.kind for step in done if step.kind}, len(done), answer
        )
        if self._claimed_at != len(steps) and (contradiction or self._confirm):
            self._claimed_at = len(steps)
            return Belief.LOOK_AGAIN, _LOOK_AGAIN.format(
                f" As far as could be seen, {contradiction}." if contradiction else ""
            )
        if contradiction:
            sentence = _(
                "The model says that it is done, but as far as could be seen {against}. Check on the phone."
            ).format(against=_(contradiction))
            return Belief.DOUBTED, sentence
        return Belief.BELIEVED, answer
